"""What parsers say to a club secretary has a Dutch sentence, and the list has no stale ones."""

import ast
import re
import tomllib
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest

from parsers.base import ParseResult
from parsers.dutch import in_dutch, said
from tests.fuzz.campaign import Campaign
from tests.fuzz.seeds import names

ROOT = Path(__file__).parents[2]
LIST = tomllib.loads((ROOT / "parsers" / "dutch.toml").read_text("utf-8"))
SAY = LIST["around"] | LIST["say"]
SOURCES = [
    *(ROOT / "parsers").glob("*.py"),
    *(ROOT / "pandoeren_replay" / "store").glob("m*.py"),
    ROOT / "pandoeren_replay" / "importer.py",
]
LIBRARY = re.compile(
    r"Expecting|Invalid|Extra data|Unterminated|Illegal trailing|is not a zip|Bad |File is not|"
    r"Exceeds the limit|field larger|unexpected end of data"
)
"""What Python's own libraries say stays as it is."""

INPUTS = {"bga": 40, "boardgame-io": 60}
COMPOSED = {
    "half of a character in a text: {}",
    "the declaration by {}",
    "roem=NUMBER, deny, stuk, show=CARD, run=CARDS or set=CARDS",
    "{} leaves the table after {} cards",
    "{} runs out of time after {} cards",
}
"""Sentences that are put together of parts where they are said."""


@lru_cache(maxsize=1)
def _texts() -> str:
    """All texts in the sources that say something, one a line."""
    out = []
    for file in SOURCES:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                out.append(node.value)
    return "\n".join(out)


def _is_said(piece: str) -> bool:
    """Whether a piece stands in the sources, or parts of it that are put together with a mark."""
    if piece in _texts():
        return True
    found = re.split(r"(?<=[:;]) |(?= \()|(?<=\()|, (?=suit|rank)| (?=by )", piece)
    return len(found) > 1 and all(p.strip(" ():;") in _texts() for p in found)


@pytest.mark.parametrize("english", sorted(set(SAY) - COMPOSED))
def test_every_sentence_of_the_list_is_still_said(english):
    pieces = [p for p in english.split("{}") if len(p.strip(" ,.:;()")) > 2]
    assert pieces or english.startswith("{}")
    assert all(_is_said(p.strip(" ")) for p in pieces), english


@pytest.mark.parametrize("english", SAY)
def test_slots_are_those_of_the_english_sentence(english):
    dutch = SAY[english]
    slots = {int(n) for n in re.findall(r"\{(?:say|seat|card|hands|word)?(\d+)\}", dutch)}
    assert slots <= set(range(english.count("{}")))
    assert "{}" not in dutch
    assert not re.search(r"\b(the|and|with|expected|is not|cannot)\b", dutch), dutch


def _said(result: ParseResult) -> set[str]:
    out = {w.message for w in result.warnings}
    out |= {w for h in result.hands for w in h.warnings}
    return out | {r.expected for r in result.rejects} | {r.message for r in result.rejects}


# What is wrong with a --map file is told by the command line, which stops at it.
@pytest.mark.parametrize("parser", sorted(set(names()) - {"mapping"}))
def test_whatever_a_secretary_meets_is_said_in_dutch(parser):
    campaign = Campaign(parser, seed=11)
    rng = Random(f"dutch:{parser}")
    found = set()
    for n in range(INPUTS.get(parser, 250)):
        data = campaign.seeds[n] if n < len(campaign.seeds) else None
        if data is None:
            data = campaign.mutate(rng, rng.choice(campaign.seeds))
        found |= _said(campaign.read(data, campaign.options))
    assert len(found) > 5 or parser == "exported"
    missing = sorted(s for s in found if s and in_dutch(s) == s and not LIBRARY.search(s))
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize(
    ("english", "dutch"),
    [
        ("a row of totals: passed over", "een rij met totalen: overgeslagen"),
        # What the file said stays as it is, even where it is a word of ours.
        ("a line above the table: passed over (a row of totals: passed over)",
         "een regel boven de tabel: overgeslagen (a row of totals: passed over)"),
        ("the hand of E is told twice and differs; the first stays",
         "de kaarten van O staan er twee keer en verschillen; de eerste blijven"),
        ("taken back: the card HT by S and 2 announcement(s)",
         "teruggenomen: de kaart ♥10 van Z en 2 aankondiging(en)"),
        ("declarer's score is 7, by the rules heerlen it is 2: kept as the sheet has it; "
         "where the rules give a score, that counts (3 hands)",
         "de score van de speler is 7, volgens de regels heerlen is die 2: bewaard zoals het blad "
         "het heeft; waar de regels een score geven, telt die (3 spellen)"),
        ("the score of E is 1, by the rules heerlen it is 0: kept as the sheet has it (1 hand)",
         "de score van O is 1, volgens de regels heerlen is die 0: "
         "bewaard zoals het blad het heeft (1 spel)"),
        ("found 'SA', expected a card (Dutch letters, suit first)",
         "gevonden: 'SA'; verwacht: een kaart (Nederlandse letters, kleur eerst)"),
        ("the trump is S and later H; the later one is kept",
         "de troefkleur is eerst S en later H; het laatste is bewaard"),
        ("nothing of ours", "nothing of ours"),
        ("", ""),
    ],
)  # fmt: skip
def test_sentences(english, dutch):
    assert in_dutch(english) == said(english, "nl") == dutch
    assert said(english, "en") == english
