import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import CARDS, SEATS
from engine.replay import replay
from parsers.base import Options, ParseResult, Source
from parsers.klaverlive import KLAVERJAS, KlaverliveParser
from parsers.mapping import parse_mapping
from tests.mutate import again, byte_mutants, check_sane, json_mutants, seats_and_cards

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data" / "samples" / "klaverlive"
TRUTH = json.loads((ROOT / "tests" / "data" / "TRUTH.json").read_text("utf-8"))
HISTORY = (SAMPLES / "klaverlive_style_history.csv").read_text("utf-8-sig")
STATE = json.loads((SAMPLES / "klaverlive_style_state.json").read_text("utf-8"))
PARSER = KlaverliveParser()
SLOW = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def read(text: str, options: Options | None = None) -> ParseResult:
    return PARSER.parse([Source("x", text.encode("utf-8", "surrogatepass"))], options or Options())


def state(**changes: object) -> str:
    return json.dumps({**STATE, **changes})


def test_history_tells_the_true_hand_but_its_last_trick() -> None:
    (hand,) = read(HISTORY).hands
    r = hand.record
    play = replay(r, "butselaar")
    for seat, cards in enumerate(TRUTH["hands"]):
        assert {CARDS[c] for c in range(33) if r.deal[c] == SEATS[seat]} == set(cards)
    assert seats_and_cards(r, play.seats) == TRUTH["plays"][:28]
    assert list(play.outcome.winners) == TRUTH["winners"][:7]
    assert (r.trump, r.called, r.discard) == ("S", "?", "?")
    assert (r.declarer, r.contract, r.dealer) == (TRUTH["declarer"], None, None)
    assert r.result.outcome == "lost"
    assert r.get("server_points") == "50"
    assert r.get("server_score") == "50-0"
    assert (r.get("session"), r.get("hand"), r.get("date")) == ("abc", "1", "2026-11-29")
    assert not hand.warnings


def test_unknown_stays_unknown() -> None:
    (r,) = read(HISTORY).records
    assert r.deal.count("?") == 1  # the middle card is nowhere named; it follows, the discard not
    assert replay(r).middle == CARDS.index(TRUTH["middle"])
    assert replay(r).discard is None


def test_state_sits_where_its_compass_says() -> None:
    (r,) = read(json.dumps(STATE)).records
    # seat 0 of the server is Zuid
    turned = [[(s + 2) % 4, c] for s, c in TRUTH["plays"][:18]]
    assert seats_and_cards(r, replay(r).seats) == turned
    assert (r.declarer, r.dealer, r.trump) == (2, 2, "S")
    held = {CARDS[c] for c in range(33) if r.deal[c] == "S"}
    assert held == {"S9", "ST", "CK", "SQ"}
    assert r.deal.count("?") == 29
    assert r.player(0) is None  # "Noord" is no name


def test_names_and_no_tricks_yet() -> None:
    others = json.loads(json.dumps(STATE["OtherPlayers"]))
    others[0]["Name"] = "Kees van Dam"
    (r,) = read(state(OtherPlayers=others)).records
    assert r.player(3) == "Kees van Dam"
    assert read(state(History=[], Center=[])).empty == 1


def test_cards_stand_in_seat_order() -> None:
    (r,) = read(HISTORY).records
    # trick 2 is led by seat 3, whose card stands last
    assert CARDS[r.plays[4].card] == "D9"
    assert replay(r).seats[4] == 3


def test_an_illegal_card_stands() -> None:
    text = HISTORY.replace('""k12"", ""k14""]', '""r13"", ""k14""]', 1).replace(
        '""h9"", ""h6"", ""r13""', '""h9"", ""h6"", ""k12""', 1
    )
    (r,) = read(text).records
    assert any(v.code == "revoke" for v in replay(r).violations)


def test_a_revoke_that_the_server_noted_is_a_warning() -> None:
    text = HISTORY.replace('""TheyVerzaakt"": false', '""TheyVerzaakt"": true')
    assert any("revoke" in w for w in read(text).hands[0].warnings)


def test_a_winner_that_differs_is_a_warning() -> None:
    text = HISTORY.replace('""First"": 0, ""Highest"": 3', '""First"": 0, ""Highest"": 1')
    assert any("trick 1" in w for w in read(text).hands[0].warnings)


def test_rounds_can_be_unfinished() -> None:
    text = HISTORY.replace('""s10"", ""k9"", ""k12"", ""k14""', 'null, ""k9"", ""k12"", null')
    (r,) = read(text).records
    assert seats_and_cards(r, replay(r).seats) == TRUTH["plays"][:26]
    gap = HISTORY.replace('""s10"", ""k9"", ""k12"", ""k14""', 'null, ""k9"", null, ""k14""')
    (reject,) = read(gap).rejects
    assert "trick 7" in reject.expected


def test_one_bad_row_leaves_the_others() -> None:
    head, row = HISTORY.rstrip("\r\n").split("\n")[:2]
    broken = row.replace('""h10""', '""x10""')
    open_quote = row.replace('"{}"', '"{}')
    short = "1;abc"
    text = "\r\n".join([head.rstrip("\r"), row, broken, open_quote, short, row, ""])
    result = read(text)
    assert [h.line for h in result.hands] == [2, 6]
    assert [r.line for r in result.rejects] == [4, 5, 3]
    assert result.rejects[2].token == "x10"
    assert all(r.raw.startswith(head[:10]) for r in result.rejects)


def test_raw_text_reads_back() -> None:
    for text in (HISTORY, json.dumps(STATE)):
        (hand,) = read(text).hands
        assert again(PARSER, hand) == [hand.record]


def test_klaverjas_is_refused() -> None:
    text = HISTORY.replace("h6", "k10")
    (reject,) = read(text).rejects
    assert reject.code == "other-game"
    assert reject.expected == KLAVERJAS
    assert len(read(text, Options(rules="heerlen")).hands) == 1


def test_a_six_of_hearts_that_was_only_played_makes_it_pandoeren() -> None:
    row = HISTORY.index("\n")
    cards = HISTORY.index("h6", row)
    text = HISTORY[:cards] + "k10" + HISTORY[cards + 2 :]
    assert "h6" in text[cards:]
    result = read(text)
    assert [r for r in result.rejects if r.code == "other-game"] == []


def test_mapping_gives_seats_and_suits() -> None:
    options = Options(mapping=parse_mapping('[seats]\norder = ["S","W","N","E"]'))
    (r,) = read(HISTORY, options).records
    assert r.declarer == 2
    assert {CARDS[c] for c in range(33) if r.deal[c] == "S"} == set(TRUTH["hands"][0])


def test_rules_of_the_user() -> None:
    assert read(HISTORY).records[0].rules is None
    assert read(HISTORY, Options(rules="butselaar")).records[0].rules == "butselaar"
    (reject,) = read(HISTORY, Options(rules="no-such-rules")).rejects
    assert reject.code == "unknown-rules"


@pytest.mark.parametrize(
    ("key", "value", "token"),
    [
        ("Troef", "x9", "x9"),
        ("PlayerNrGaat", 7, "7"),
        ("MyCards", "s9 zz", "zz"),
        ("Center", [{"Compas": "Boven", "Card": "h7"}], "Boven"),
        ("History", [{"First": 9, "Cards": []}], "9"),
    ],
)
def test_a_place_for_every_fault(key: str, value: object, token: str) -> None:
    text = json.dumps({**STATE, key: value}, indent=1)
    (reject,) = read(text).rejects
    assert reject.token == token
    assert f'"{key}"' in "".join(text.split("\n")[reject.line - 2 : reject.line])


def test_a_cut_state_keeps_its_tricks() -> None:
    text = json.dumps(STATE)
    result = read(text[: text.index('"Title": "4e')])
    (hand,) = result.hands
    assert len(hand.record.plays) == 12
    assert "breaks off" in result.warnings[0].message


def test_recognised_by_content() -> None:
    for path in SAMPLES.iterdir():
        assert PARSER.recognise(path.read_text("utf-8"), "x")
    for path in (ROOT / "data" / "samples").rglob("*"):
        if path.is_file() and "klaverlive" not in path.parts:
            assert not PARSER.recognise(path.read_bytes().decode("utf-8", "replace"), "a.csv")


@SLOW
@given(st.data())
def test_fuzz_json(data: st.DataObject) -> None:
    check_sane(read(json.dumps(data.draw(json_mutants(STATE)))))


@SLOW
@given(st.data())
def test_fuzz_cells(data: st.DataObject) -> None:
    head, cells = csv.reader(io.StringIO(HISTORY), delimiter=";")
    at = data.draw(st.sampled_from([head.index(c) for c in ("Cards", "Rounds", "Scores")]))
    cells[at] = json.dumps(data.draw(json_mutants(json.loads(cells[at]))))
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows([head, cells])
    check_sane(read(out.getvalue()))


@SLOW
@given(st.data())
def test_fuzz_bytes(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([HISTORY, json.dumps(STATE)]))
    mutant = data.draw(byte_mutants(text.encode()))
    check_sane(PARSER.parse([Source("x", mutant)], Options()))
