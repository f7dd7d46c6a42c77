"""Logs of other games are recognised and refused by name, in one sentence."""

import pytest

from parsers.base import Source
from parsers.detect import read_sources
from parsers.refuse import other_game

JASS = (
    '{"trump":1,"dealer":3,"tss":1,"tricks":[{"cards":["DQ","D6","D9","DK"],"points":18,'
    '"win":0,"first":1}],"player":[{"hand":[]}],"jassTyp":"SCHIEBER_2500"}'
)
OTHERS = [
    ("Skat", "(;GM[Skat]PC[Internet Skat Server]P0[a]P1[b]P2[c]MV[w H7.CA])\n"),
    ("Klaverjas", "(;GM[Klaverjas]PC[x])\n"),
    ("Klaverjas", '{"game": "klaverjassen", "rounds": [{"trump": "h", "cards": ["h7"]}]}'),
    ("Klaverjas", "Klaverjasavond 12\nTroef harten, wij 102 roem 20, nat\n"),
    ("bridge (PBN)", '% PBN 2.1\n[Event "Club"]\n[Board "1"]\n[Deal "N:AKQ.."]\n'),
    ("bridge (PBN)", '[Event "Club"]\n[Site ""]\n[Board "7"]\n[Contract "3NT"]\n'),
    ("bridge (PBN)", '[Event "x"]\n[Deal "N:AKQ.JT9.876.5432 - - -"]\n'),
    ("bridge (LIN)", "pn|a,b,c,d|st||md|3SAKHQ,|rh||ah|Board 1|sv|o|mb|1C|mb|p|pg||pc|SA|\n"),
    ("Jass", JASS),
    ("Jass", '[{"tricks": [{"cards": ["DQ"], "points": 1, "win": 0, "first": 1}]}]'),
    ("poker (PHH)", 'variant = "NT"\nantes = [0, 0]\nactions = [\n  "d dh p1 Ac2d",\n]\n'),
    ("Flemish Pandoer", '{"gameName": "vlaams-pandoer", "log": []}'),
    ("Flemish Pandoer", "Vlaams pandoer, tafel 3\n1. H9 H10\n"),
]


@pytest.mark.parametrize(("game", "text"), OTHERS)
def test_refused_by_name_in_one_sentence(game, text):
    result = read_sources([Source("x.txt", text.encode())])
    (reject,) = result.rejects
    assert (result.hands, reject.code, reject.line) == ([], "other-game", 1)
    assert game.split(" (")[0] in reject.message
    assert "another game" in reject.message or "refused" in reject.message
    assert "\n" not in reject.message
    assert reject.raw


@pytest.mark.parametrize(
    "text",
    [
        "heerlen N . -,-,-,- . . . void .\n",
        '[Rules "heerlen"]\n[Event "Klaverjasclub"]\n[Board "1"]\n',
        '{"format": "pandoeren-log", "table": "na het klaverjassen"}',
        "Zuid: 150, troef harten; 1. HB H9 H7 H8 (beter dan klaverjassen)",
        "",
    ],
)
def test_our_own_game_is_not_refused(text):
    assert other_game(text) is None
