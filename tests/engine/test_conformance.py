"""The engine against worked-out answers: legal, corrupt, partial hands and whole sessions.

The expected columns were worked out from the rules by an implementation that shares no code.
"""

import csv
from pathlib import Path

import pytest

from engine.cards import CARDS, NO_TRUMP, SEATS, SUITS
from engine.replay import replay
from engine.score import Ledger
from engine.state import NOBODY, Replay
from parsers.base import Located
from parsers.phl import read_phl

FOLDER = Path(__file__).parent.parent / "conformance"
LEGAL = sorted(p.name for p in FOLDER.glob("legal-*.phl"))


def hands(name: str) -> list[Located]:
    return read_phl((FOLDER / name).read_text("utf-8"), name).hands


def answers(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def text(value: object) -> str:
    return "" if value is None else str(value)


def figures(r: Replay) -> dict[str, str]:
    """The columns of the expected files, as they write them."""
    o = r.outcome
    out = {
        "declarer": "-" if o.declarer is None else SEATS[o.declarer],
        "contract": o.contract or "-",
        "trump": "?" if o.trump is None else "-" if o.trump == NO_TRUMP else SUITS[o.trump],
        "partner": "?" if o.partner is None else "-" if o.partner == NOBODY else SEATS[o.partner],
        "winners": "".join(SEATS[w] for w in o.winners),
        "out_of_play": text(o.out),
        "result": {True: "made", False: "lost", None: "unknown"}[o.made],
    }
    if o.passed_out:
        out |= {"result": "void", "trump": "-"}
    for name, pair in (("points", o.points), ("tricks", o.tricks), ("meld", o.meld)):
        out[f"side_{name}"] = text(pair and pair[0])
        out[f"other_{name}"] = text(pair and pair[1])
    for i, seat in enumerate(SEATS):
        out[seat] = text(o.score and o.score[i])
    return out


@pytest.mark.parametrize("name", LEGAL)
def test_legal_hands_agree_and_break_no_rule(name: str) -> None:
    expected = answers(name.replace(".phl", ".expected.csv"))
    found = hands(name)
    assert len(found) == len(expected)
    for hand, row in zip(found, expected):
        r = replay(hand.record)
        got = figures(r)
        assert {k: got[k] for k in row if k != "line"} == {
            k: v for k, v in row.items() if k != "line"
        }, f"{name}:{hand.line}"
        assert [v.message() for v in r.violations] == [], f"{name}:{hand.line}"


def test_each_planted_offence_is_found_and_nothing_else() -> None:
    result = read_phl((FOLDER / "corrupt.phl").read_text("utf-8"), "corrupt.phl")
    by_line = {h.line: h for h in result.hands}
    rejected = {r.line for r in result.rejects}
    for row in answers("corrupt.expected.csv"):
        line = int(row["line"])
        if row["code"] == "reject":
            assert line in rejected
            continue
        r = replay(by_line[line].record)
        found = [
            (v.code, text(v.ply), text(v.call), "" if v.seat is None else SEATS[v.seat])
            for v in r.violations
            if v.severity != "info"
        ]
        assert found == [(row["code"], row["ply"], row["call"], row["seat"])], f"line {line}"


def test_partial_hands_say_what_follows_and_no_more() -> None:
    for hand, row in zip(hands("partial.phl"), answers("partial.expected.csv"), strict=True):
        r = replay(hand.record)
        got = figures(r)
        got["deal_inferred"] = r.deal_text
        got["discard"] = (
            "-" if not r.has_discard else "?" if r.discard is None else CARDS[r.discard]
        )
        got["middle"] = "?" if r.middle is None else CARDS[r.middle]
        want = {k: v for k, v in row.items() if k not in ("line", "class")}
        assert {k: got[k] for k in want} == want, f"line {hand.line}"
        assert [v.code for v in r.violations if v.severity != "info"] == []


def test_sessions_balance_and_nothing_appears_or_vanishes() -> None:
    ledger: Ledger | None = None
    name, total = "", 0
    for hand, row in zip(hands("sessions.phl"), answers("sessions.expected.csv"), strict=True):
        r = replay(hand.record)
        if ledger is None or row["session"] != name:
            name, ledger = row["session"], Ledger(r.rules)
            total = ledger.total()
        booked = ledger.book_hand(r.outcome, hand.record.result.score)
        got = [*map(str, booked.balance), str(booked.pot), "yes" if booked.over else "no"]
        assert got == [row[k] for k in ("N", "E", "S", "W", "pot", "over")], row["line"]
        if r.rules.score.system == "chips" or r.rules.score.pot_contribution:
            assert ledger.total() == total
