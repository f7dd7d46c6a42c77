"""A replayed hand as a row of the store."""

import json
from dataclasses import dataclass, replace
from typing import Any

from engine.cards import SEATS
from engine.record import HandRecord
from engine.state import Replay
from pandoeren_replay.store.hash import content_text
from parsers.base import Located
from parsers.phl import write_phl

META_COLUMNS = {
    "id": "record_id", "date": "date", "session": "session", "hand": "hand_no", "event": "event",
    "site": "site", "src": "src", "n": "n", "e": "e", "s": "s", "w": "w",
}  # fmt: skip
"""META keys that have a column of their own, and its name."""

# Order of the keys in most files; another order is kept in ``meta_keys``.
USUAL_ORDER = ("id", "n", "e", "s", "w", "date", "event", "site", "session", "hand", "src")

MANY_KNOWN_CARDS = 8
SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Row:
    """One hand on its way into the store; ``values`` lack hand_id, hash and source_id."""

    content: str
    mergeable: bool
    result: str
    line: int
    values: dict[str, Any]
    violations: list[tuple[Any, ...]]
    warnings: tuple[str, ...]


def known_cards(record: HandRecord) -> int:
    """How many cards of the hand the record names, dealt or played.

    >>> known_cards(HandRecord(deal="N" + "?" * 32))
    1
    """
    dealt = {i for i, owner in enumerate(record.deal) if owner != "?"}
    return len(dealt | {p.card for p in record.plays})


def is_empty(record: HandRecord) -> bool:
    """Neither a call nor a card, nor what became of the auction.

    >>> is_empty(HandRecord()), is_empty(HandRecord(contract="120"))
    (True, False)
    """
    return not (
        record.auction
        or record.declarer is not None
        or record.contract is not None
        or record.plays
        or known_cards(record)
        or record.result.outcome
    )


def is_simulated(record: HandRecord) -> bool:
    """Whether the record says that no people played it (META ``src`` or ``event``)."""
    return SIMULATED in (record.get("src"), record.get("event"))


def split_meta(record: HandRecord) -> tuple[dict[str, str], str | None, str | None]:
    """META as columns: the known keys, their order where unusual, the other keys as text."""
    known: dict[str, str] = {}
    others: list[tuple[str, str]] = []
    order: list[str] = []
    twice = False
    for key, value in record.meta:
        if key in META_COLUMNS:
            twice = twice or key in known
            known.setdefault(key, value)
            order.append(key)
        else:
            others.append((key, value))
            order.append("*")
    usual = [k for k in USUAL_ORDER if k in known] + ["*"] * len(others)
    if twice:
        return known, "all", _meta_text(record)
    keys = None if order == usual else ";".join(order)
    if not (others or record.notes or record.deal_extra):
        return known, keys, None
    return known, keys, _meta_text(replace(record, meta=tuple(others)))


def _meta_text(record: HandRecord) -> str:
    return write_phl(record).split(" ")[8]


def encode(hand: Located, replay: Replay, format_name: str) -> Row:
    """The row of one hand; ``format_name`` is the parser that read it.

    Raises :class:`UnicodeEncodeError` for text with half a character in it (a lone surrogate).
    """
    record, rules, o = hand.record, replay.rules, replay.outcome
    line = write_phl(record)
    for text in (hand.raw, *hand.warnings, *(v for _, v in record.meta)):
        text.encode()
    fields = line.split(" ")
    cards = known_cards(record)
    known, meta_keys, meta_rest = split_meta(record)
    errors = sum(v.severity == "error" for v in replay.violations)
    warnings = sum(v.severity == "warning" for v in replay.violations)
    c = replay.completeness
    values: dict[str, Any] = {
        "line": hand.line,
        "simulated": is_simulated(record),
        "rules": rules.id,
        "rules_hash": rules.content_hash,
        "rules_named": None if fields[0] == rules.id else fields[0],
        **{META_COLUMNS[k]: v for k, v in known.items()},
        "meta_keys": meta_keys,
        "meta_rest": meta_rest,
        "dealer": record.dealer,
        **_deal(fields[2], replay),
        "auction": _absent(fields[3]),
        "n_calls": len(record.auction),
        "call_seats": _call_seats(replay),
        "declaration": _absent(fields[4]),
        **_plays(fields[5], replay),
        "claims": _absent(fields[6]),
        "claims_standing": _standing(replay),
        "result": _absent(fields[7]),
        "recorded": record.result.outcome,
        **_raw(hand, line, format_name),
        "declarer": o.declarer,
        "partner": o.partner,
        "contract": o.contract,
        "contract_key": o.bid.key if o.bid else None,
        "level": o.bid.level if o.bid else None,
        "target": o.bid.target if o.bid else None,
        "trump": o.trump,
        "called": replay.called,
        "discard": replay.discard,
        "middle": replay.middle,
        "passed_out": o.passed_out,
        "leader": replay.seats[0] if replay.seats else None,
        "winners": sum(w << 2 * i for i, w in enumerate(o.winners)),
        "n_tricks": len(o.winners),
        "points_side": o.points[0] if o.points else None,
        "points_defenders": o.points[1] if o.points else None,
        "points_out": o.out,
        "tricks_side": o.tricks[0] if o.tricks else None,
        "tricks_defenders": o.tricks[1] if o.tricks else None,
        "meld_side": o.meld[0] if o.meld else None,
        "meld_defenders": o.meld[1] if o.meld else None,
        "made": o.made,
        **{f"score_{s.lower()}": o.score[i] if o.score else None for i, s in enumerate(SEATS)},
        "errors": errors,
        "warnings": warnings,
        "has_deal": c.deal,
        "has_auction": c.auction,
        "has_middle": c.middle,
        "has_discard": c.discard,
        "has_meld": c.meld,
        "has_result": c.result,
    }
    evening = "session" in known and record.get("session_by") != "date"
    named = "id" in known or (evening and "hand" in known)
    return Row(
        content=content_text(fields, rules.id, cards > 0),
        mergeable=named or cards >= MANY_KNOWN_CARDS,
        result=fields[7],
        line=hand.line,
        values=values,
        violations=violation_rows(replay),
        warnings=hand.warnings,
    )  # fmt: skip


def violation_rows(replay: Replay) -> list[tuple[Any, ...]]:
    """The violations of a hand as rows of the store, without the number of the hand."""
    return [
        (
            n, v.code, v.severity, v.ply, v.call, v.seat,
            json.dumps(v.params, ensure_ascii=False) if v.params else None, v.message(),
        )
        for n, v in enumerate(replay.violations)
    ]  # fmt: skip


def _absent(text: str) -> str | None:
    return None if text == "." else text


def _deal(text: str, replay: Replay) -> dict[str, Any]:
    known = replay.deal_text
    out: dict[str, Any] = {"deal_known": known if known != text and known.strip("?") else None}
    whole = text.count("M") == 1 and all(text.count(s) == 8 for s in SEATS)
    if whole and text.index("M") == replay.middle:
        for seat in "NES":
            out[f"deal_{seat.lower()}"] = sum(1 << i for i, s in enumerate(text) if s == seat)
    else:
        out["deal_text"] = _absent(text)
    return out


def _plays(text: str, replay: Replay) -> dict[str, Any]:
    plays = replay.record.plays
    words: list[int | None] = [None] * 4
    for i in range(0, min(len(plays), 32), 8):
        words[i // 8] = sum(p.card << 6 * j for j, p in enumerate(plays[i : i + 8]))
    out: dict[str, Any] = {f"p{i}": w for i, w in enumerate(words)}
    out["n_plays"] = len(plays)
    if len(plays) > 32 or any(p.seat is not None for p in plays):
        out["play_text"] = text
    regular: list[int | None] = []
    winners = replay.outcome.winners
    for ply in range(len(plays)):
        before = ply // 4 - 1
        if before < 0:
            base = replay.seats[0]
        else:
            base = winners[before] if before < len(winners) else None
        regular.append(None if base is None else (base + ply % 4) % 4)
    if list(replay.seats) != regular or None in regular:
        out["play_seats"] = "".join("?" if s is None else SEATS[s] for s in replay.seats)
    return out


def _call_seats(replay: Replay) -> str | None:
    record = replay.record
    if not record.auction:
        return None
    text = ["?"] * len(record.auction)
    for event in replay.events:
        if event.kind == "call" and event.call is not None and event.seat is not None:
            letter = SEATS[event.seat]
            text[event.call] = letter if event.data.get("valid", True) else letter.lower()
    if record.dealer is not None:
        round_table = [SEATS[(record.dealer + 1 + i) % 4] for i in range(len(text))]
        if text == round_table:
            return None
    return "".join(text)


def _standing(replay: Replay) -> int | None:
    claims = replay.record.claims
    if not claims:
        return None
    said = [
        (e.ply, e.seat, e.data.get("what"), bool(e.data.get("stands")))
        for e in replay.events
        if e.kind == "claim"
    ]
    bits = 0
    for i, claim in enumerate(claims[:64]):
        for j, (ply, seat, what, stands) in enumerate(said):
            if (ply, seat, what) == (claim.ply, claim.seat, claim.what()):
                bits |= stands << i
                del said[j]
                break
    return bits


def _raw(hand: Located, line: str, format_name: str) -> dict[str, Any]:
    """The original text where it is not what we would write ourselves."""
    raw = hand.raw.removesuffix("\n")
    if raw == line:
        return {"raw_format": "phl"}
    if raw.lstrip().startswith("["):
        from parsers.phn import write_phn

        if raw == write_phn(hand.record).removesuffix("\n"):
            return {"raw_format": "phn"}
    return {"raw": hand.raw, "raw_format": format_name}
