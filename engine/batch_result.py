"""What a batch replay yields: the outcome of every hand in columns, and its violations."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.batch_columns import ABSENT, call_code
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


@dataclass(slots=True)
class BatchResult:
    """Outcome of ``n`` hands in columns; -1 is unknown throughout, unless said otherwise.

    ``dealer``, ``declarer`` and ``leader`` are seats; ``partner`` a seat, -1 nobody, -2 unknown;
    ``contract`` the call code of the bid, ``row`` its place in the rule set's order, ``level`` as
    in :class:`engine.ruleset.Bid`; ``trump`` a suit or 4 for none. ``winners`` packs the winners
    of the complete tricks, two bits a trick; ``points``, ``tricks`` and ``meld`` are (declarer's
    side, defenders); ``made`` is 1, 0 or -1; ``score`` is N E S W where ``has_score``.
    ``standing`` has bit ``k`` set where claim ``k`` stands. ``errors`` and ``warnings`` count
    violations; ``completeness`` holds numbers of ``STATUSES``, in the order ``COMPLETENESS``.
    ``stepped`` marks hands that the step replay judged.

    Violations, in order of hand and then as :class:`engine.state.Replay` lists them: ``v_hand``,
    ``v_code`` (number in ``CODES``), ``v_ply``, ``v_call``, ``v_seat`` (-1 for none).
    """

    dealer: Any
    declarer: Any
    partner: Any
    contract: Any
    row: Any
    level: Any
    trump: Any
    called: Any
    discard: Any
    middle: Any
    passed_out: Any
    leader: Any
    winners: Any
    n_tricks: Any
    points: Any
    points_out: Any
    tricks: Any
    meld: Any
    made: Any
    has_score: Any
    score: Any
    standing: Any
    errors: Any
    warnings: Any
    completeness: Any
    stepped: Any
    v_hand: Any
    v_code: Any
    v_ply: Any
    v_call: Any
    v_seat: Any

    def __len__(self) -> int:
        return len(self.dealer)

    def codes(self, i: int) -> list[tuple[str, int, int, int]]:
        """Violations of hand ``i``: code, ply, call and seat (-1 where there is none)."""
        lo, hi = np.searchsorted(self.v_hand, [i, i + 1])
        return [
            (
                CODES[self.v_code[k]],
                int(self.v_ply[k]),
                int(self.v_call[k]),
                int(self.v_seat[k]),
            )
            for k in range(lo, hi)
        ]


def empty_result(n: int) -> BatchResult:
    """Columns for ``n`` hands of which nothing is known yet."""

    def unknown(dtype: Any, *width: int) -> Any:
        return np.full((n, *width), UNKNOWN, dtype)

    nothing = np.zeros(0, np.int64)
    return BatchResult(
        dealer=unknown(np.int8),
        declarer=unknown(np.int8),
        partner=np.full(n, PARTNER_UNKNOWN, np.int8),
        contract=unknown(np.int16),
        row=unknown(np.int8),
        level=unknown(np.int16),
        trump=unknown(np.int8),
        called=unknown(np.int8),
        discard=unknown(np.int8),
        middle=unknown(np.int8),
        passed_out=np.zeros(n, np.bool_),
        leader=unknown(np.int8),
        winners=np.zeros(n, np.uint32),
        n_tricks=np.zeros(n, np.uint8),
        points=unknown(np.int16, 2),
        points_out=unknown(np.int16),
        tricks=unknown(np.int8, 2),
        meld=unknown(np.int16, 2),
        made=unknown(np.int8),
        has_score=np.zeros(n, np.bool_),
        score=np.zeros((n, 4), np.int16),
        standing=np.zeros(n, np.uint64),
        errors=np.zeros(n, np.uint16),
        warnings=np.zeros(n, np.uint16),
        completeness=np.zeros((n, len(COMPLETENESS)), np.uint8),
        stepped=np.zeros(n, np.bool_),
        v_hand=nothing,
        v_code=nothing,
        v_ply=nothing,
        v_call=nothing,
        v_seat=nothing,
    )


Flag = tuple[int, int, int, int, int]
"""One violation as columns hold it: hand, code, ply, call, seat."""


def put_replay(out: BatchResult, i: int, r: Replay) -> list[Flag]:
    """Write a step replay into row ``i``; returns its violations."""
    o = r.outcome
    out.stepped[i] = True
    out.dealer[i] = _or(r.dealer)
    out.declarer[i] = _or(o.declarer)
    out.partner[i] = PARTNER_UNKNOWN if o.partner is None else o.partner
    if o.bid is not None:
        out.contract[i] = call_code(o.bid.text)
        out.row[i] = o.bid.row
        out.level[i] = o.bid.level
    out.trump[i] = _or(o.trump)
    out.called[i] = _or(r.called)
    out.discard[i] = _or(r.discard)
    out.middle[i] = _or(r.middle)
    out.passed_out[i] = o.passed_out
    out.leader[i] = _or(r.seats[0]) if r.seats else UNKNOWN
    out.winners[i] = sum(w << 2 * t for t, w in enumerate(o.winners))
    out.n_tricks[i] = len(o.winners)
    for column, pair in ((out.points, o.points), (out.tricks, o.tricks), (out.meld, o.meld)):
        column[i] = (UNKNOWN, UNKNOWN) if pair is None else pair
    out.points_out[i] = _or(o.out)
    out.made[i] = UNKNOWN if o.made is None else int(o.made)
    out.has_score[i] = o.score is not None
    out.score[i] = o.score or (0, 0, 0, 0)
    out.standing[i] = _standing(r)
    out.errors[i] = sum(v.severity == "error" for v in r.violations)
    out.warnings[i] = sum(v.severity == "warning" for v in r.violations)
    out.completeness[i] = [STATUSES.index(getattr(r.completeness, c)) for c in COMPLETENESS]
    return [
        (i, CODES.index(v.code), _or(v.ply), _or(v.call), _or(v.seat)) for v in r.violations
    ]


def _or(value: int | None) -> int:
    return UNKNOWN if value is None else value


def _standing(r: Replay) -> int:
    if not r.record.claims:
        return 0
    bits = 0
    for event in r.events:
        if event.kind == "claim" and event.data["stands"] and event.data["index"] < 64:
            bits |= 1 << event.data["index"]
    return bits


def put_violations(out: BatchResult, parts: list[Any]) -> None:
    """Set the violation columns from arrays of shape (m, 5), sorted by hand."""
    flags = np.concatenate([np.asarray(p, np.int64).reshape(-1, 5) for p in parts])
    flags = flags[np.argsort(flags[:, 0], kind="stable")]
    out.v_hand = flags[:, 0].copy()
    out.v_code = flags[:, 1].astype(np.uint8)
    out.v_ply = flags[:, 2].astype(np.int16)
    out.v_call = flags[:, 3].astype(np.int16)
    out.v_seat = flags[:, 4].astype(np.int8)


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
