"""The hand that the samples tell, and writers that tell it in other ways."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from engine.cards import CARDS, NO_TRUMP, SEATS, SUITS
from engine.record import HandRecord
from engine.replay import replay

SAMPLES = Path(str(files("data") / "samples" / "generic"))
TRUTH: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "TRUTH.json").read_text("utf-8")
)
RULES = "butselaar"


def sample(name: str) -> bytes:
    """A sample of the generic formats."""
    return (SAMPLES / name).read_bytes()


def disagreements(record: HandRecord, plays: int = 32) -> dict[str, tuple[object, object]]:
    """Where a record, replayed, is not the hand of TRUTH.json (the first ``plays`` cards)."""
    r = replay(record, RULES)
    trump = r.outcome.trump
    found = {
        "hands": [sorted(CARDS[c] for c in range(33) if r.owners[c] == s) for s in range(4)],
        "middle": None if r.middle is None else CARDS[r.middle],
        "discard": None if r.discard is None else CARDS[r.discard],
        "trump": None if trump in (None, NO_TRUMP) else SUITS[trump],
        "called": record.called,
        "declarer": r.outcome.declarer,
        "partner": r.outcome.partner,
        "plays": [[s, CARDS[p.card]] for s, p in zip(r.seats, record.plays)],
        "winners": list(r.outcome.winners),
    }
    wanted = {**TRUTH, "hands": [sorted(h) for h in TRUTH["hands"]]}
    wanted["plays"], wanted["winners"] = wanted["plays"][:plays], wanted["winners"][: plays // 4]
    if plays == 32:
        found["made"], found["score"] = r.outcome.made, r.outcome.points[0]
    return {k: (v, wanted[k]) for k, v in found.items() if v != wanted[k]}


def names(record: HandRecord) -> list[str | None]:
    """Names of the players, N E S W."""
    return [record.player(s) for s in range(4)]


def codes(record: HandRecord) -> list[str]:
    """Codes of what the rules say about the record, infos left out."""
    return [v.code for v in replay(record, RULES).violations if v.severity != "info"]


def rows(card: Any = str, seat: Any = str, undo: bool = False) -> list[list[str]]:
    """The hand as rows event, seat, card, bid, points, trump, called."""
    out = []
    for s, hand in enumerate(TRUTH["hands"]):
        out.append(["hand", seat(s), " ".join(card(c) for c in hand), "", "", "", ""])
    out.append(["middle", "", card(TRUTH["middle"]), "", "", "", ""])
    for s, word, points in TRUTH["auction"]:
        out.append(["bid", seat(s), "", word, "" if points is None else str(points), "", ""])
    d = TRUTH["declarer"]
    if undo:
        out.append(["discard", seat(d), card("HT"), "", "", "", ""])
        out.append(["undo", seat(d), "", "", "", "", ""])
    out.append(["discard", seat(d), card(TRUTH["discard"]), "", "", "", ""])
    trump = card(TRUTH["trump"] + "A").replace("A", "").replace("14", "")
    out.append(["declare", seat(d), "", "", "", trump, card(TRUTH["called"])])
    for s, c in TRUTH["plays"]:
        out.append(["play", seat(s), card(c), "", "", "", ""])
    return out


HEAD = ["event", "seat", "card", "bid", "points", "trump", "called"]


def table(delimiter: str, end: str, body: list[list[str]], head: list[str] | None = None) -> str:
    """Rows as text."""
    lines = [delimiter.join(r) for r in [head or HEAD, *body]]
    return end.join(lines) + end


DUTCH = {"K": "H", "Q": "V", "J": "B", "T": "10"}


def dutch(card: str) -> str:
    """A card in Dutch letters, suit first."""
    return {"D": "R", "C": "K"}.get(card[0], card[0]) + DUTCH.get(card[1], card[1])


def rank_first(card: str) -> str:
    """A card in English letters, rank first, with 10."""
    return card[1].replace("T", "10") + card[0]


def signs(card: str) -> str:
    """A card with its suit sign and the emoji selector."""
    return {"S": "♠", "H": "♥️", "D": "♦️", "C": "♣"}[card[0]] + card[1].replace("T", "10")


def letter(seat: int) -> str:
    """Seat letter."""
    return SEATS[seat]
