"""What a batch replay yields: the outcome of every hand in columns, and its violations."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.batch_columns import ABSENT, call_code
from engine.compiled import kernel
from engine.state import NOBODY, Replay
from engine.violations import catalogue

PARTNER_UNKNOWN = -2
"""Partner column: not known (-1 is :data:`engine.state.NOBODY`)."""
UNKNOWN = -1
"""Any other figure of a result that is not settled."""

CODES: tuple[str, ...] = tuple(catalogue())
"""Violation codes by the number that columns hold."""
SEVERITIES = tuple(str(catalogue()[code]["severity"]) for code in CODES)

STATUSES = ("recorded", "inferred", "partial", "unknown", "none")
"""Words of :class:`engine.state.Completeness` by number."""
COMPLETENESS = ("deal", "auction", "middle", "discard", "meld", "result")


RESULT = np.dtype(
    [
        ("standing", np.uint64),
        ("winners", np.uint32),
        ("contract", np.int16),
        ("level", np.int16),
        ("points", np.int32, (2,)),
        ("points_out", np.int32),
        ("meld", np.int32, (2,)),
        ("score", np.int32, (4,)),
        ("errors", np.uint16),
        ("warnings", np.uint16),
        ("dealer", np.int8),
        ("declarer", np.int8),
        ("partner", np.int8),
        ("row", np.int8),
        ("trump", np.int8),
        ("called", np.int8),
        ("discard", np.int8),
        ("middle", np.int8),
        ("passed_out", np.uint8),
        ("leader", np.int8),
        ("n_tricks", np.uint8),
        ("tricks", np.int8, (2,)),
        ("made", np.int8),
        ("has_score", np.uint8),
        ("stepped", np.uint8),
        ("in_turn", np.uint8),
        ("completeness", np.uint8, (6,)),
    ],
    align=True,
)
"""The outcome of one hand; -1 is unknown throughout, unless said otherwise.

``dealer``, ``declarer`` and ``leader`` are seats; ``partner`` a seat, -1 nobody, -2 unknown;
``contract`` the call number of the bid, ``row`` its place in the rule set's order, ``level`` as in
:class:`engine.ruleset.Bid`; ``trump`` a suit or 4 for none. ``winners`` packs the winners of the
complete tricks, two bits a trick; ``points``, ``tricks`` and ``meld`` are (declarer's side,
defenders); ``made`` is 1, 0 or -1; ``score`` is N E S W where ``has_score``. ``standing`` has bit
``k`` set where claim ``k`` stands. ``errors`` and ``warnings`` count violations; ``completeness``
holds numbers of ``STATUSES``, in the order ``COMPLETENESS``. ``stepped`` marks hands that the step
replay judged; ``in_turn`` those whose calls are all valid and go just round the table."""

FLAG = np.dtype(
    [
        ("hand", np.int64),
        ("code", np.int16),
        ("ply", np.int16),
        ("call", np.int16),
        ("seat", np.int8),
    ],
    align=True,
)
"""One violation: number of the hand in the batch, number of the code in ``CODES``, and ply, call
and seat (-1 for none)."""


@dataclass(slots=True)
class BatchResult:
    """Outcomes (``hands``, array of :data:`RESULT`) and violations (``violations``, array of
    :data:`FLAG`), in order of hand and then as :class:`engine.state.Replay` lists them.
    """

    hands: Any
    violations: Any

    def __len__(self) -> int:
        return len(self.hands)

    def codes(self, i: int) -> list[tuple[str, int, int, int]]:
        """Violations of hand ``i``: code, ply, call and seat (-1 where there is none)."""
        lo, hi = np.searchsorted(self.violations["hand"], [i, i + 1])
        return [
            (CODES[v["code"]], int(v["ply"]), int(v["call"]), int(v["seat"]))
            for v in self.violations[lo:hi]
        ]


@kernel()
def blank(o: Any) -> None:
    """Nothing known of one hand."""
    o.standing = 0
    o.winners = 0
    o.contract = UNKNOWN
    o.level = UNKNOWN
    o.points_out = UNKNOWN
    o.errors = 0
    o.warnings = 0
    o.dealer = UNKNOWN
    o.declarer = UNKNOWN
    o.partner = PARTNER_UNKNOWN
    o.row = UNKNOWN
    o.trump = UNKNOWN
    o.called = UNKNOWN
    o.discard = UNKNOWN
    o.middle = UNKNOWN
    o.passed_out = 0
    o.leader = UNKNOWN
    o.n_tricks = 0
    o.made = UNKNOWN
    o.has_score = 0
    o.stepped = 0
    o.in_turn = 0
    for x in range(2):
        o.points[x] = UNKNOWN
        o.tricks[x] = UNKNOWN
        o.meld[x] = UNKNOWN
    for x in range(4):
        o.score[x] = 0
    for x in range(6):
        o.completeness[x] = 0


@kernel()
def _blank_all(out: Any) -> None:
    for i in range(out.size):
        blank(out[i])


def empty_result(n: int, room: Any = None) -> BatchResult:
    """Columns for ``n`` hands of which nothing is known yet, in ``room`` if there is some."""
    out = np.empty(n, RESULT) if room is None else room[:n]
    _blank_all(out)
    return BatchResult(out, np.zeros(0, FLAG))


Flag = tuple[int, int, int, int, int]
"""One violation as columns hold it: hand, code, ply, call, seat."""


def put_replay(out: BatchResult, i: int, r: Replay) -> list[Flag]:
    """Write a step replay into row ``i``; returns its violations."""
    o = r.outcome
    h = out.hands[i]
    h["stepped"] = True
    h["dealer"] = _or(r.dealer)
    h["declarer"] = _or(o.declarer)
    h["partner"] = PARTNER_UNKNOWN if o.partner is None else o.partner
    h["contract"] = UNKNOWN if o.bid is None else call_code(o.bid.text)
    h["row"] = UNKNOWN if o.bid is None else o.bid.row
    h["level"] = UNKNOWN if o.bid is None else o.bid.level
    h["trump"] = _or(o.trump)
    h["called"] = _or(r.called)
    h["discard"] = _or(r.discard)
    h["middle"] = _or(r.middle)
    h["passed_out"] = o.passed_out
    h["leader"] = _or(r.seats[0]) if r.seats else UNKNOWN
    h["winners"] = sum(w << 2 * t for t, w in enumerate(o.winners))
    h["n_tricks"] = len(o.winners)
    for name, pair in (("points", o.points), ("tricks", o.tricks), ("meld", o.meld)):
        h[name] = (UNKNOWN, UNKNOWN) if pair is None else pair
    h["points_out"] = _or(o.out)
    h["made"] = UNKNOWN if o.made is None else int(o.made)
    h["has_score"] = o.score is not None
    h["score"] = o.score or (0, 0, 0, 0)
    h["standing"] = _standing(r)
    h["in_turn"] = _in_turn(r)
    h["errors"] = sum(v.severity == "error" for v in r.violations)
    h["warnings"] = sum(v.severity == "warning" for v in r.violations)
    h["completeness"] = [STATUSES.index(getattr(r.completeness, c)) for c in COMPLETENESS]
    return [(i, CODES.index(v.code), _or(v.ply), _or(v.call), _or(v.seat)) for v in r.violations]


def _or(value: int | None) -> int:
    return UNKNOWN if value is None else value


def _in_turn(r: Replay) -> bool:
    if len(r.record.auction) and r.dealer is None:
        return False
    calls = [e for e in r.events if e.kind == "call"]
    return len(calls) == len(r.record.auction) and all(
        e.data["valid"] and e.seat == ((r.dealer or 0) + 1 + k) % 4 for k, e in enumerate(calls)
    )


def _standing(r: Replay) -> int:
    if not r.record.claims:
        return 0
    bits = 0
    for event in r.events:
        if event.kind == "claim" and event.data["stands"] and event.data["index"] < 64:
            bits |= 1 << event.data["index"]
    return bits


def put_violations(out: BatchResult, parts: list[Any]) -> None:
    """Set the violations from arrays or lists of :data:`FLAG`, sorted by hand."""
    flags = np.concatenate([np.asarray(p, FLAG) for p in parts])
    out.violations = flags[np.argsort(flags["hand"], kind="stable")]


__all__ = [
    "ABSENT",
    "CODES",
    "COMPLETENESS",
    "NOBODY",
    "SEVERITIES",
    "STATUSES",
    "BatchResult",
    "Flag",
    "empty_result",
    "put_replay",
    "put_violations",
]
