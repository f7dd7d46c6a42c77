"""The replay of :mod:`engine.replay` for columns of hands: the same answers, a million at a time.

Hands that go regularly (their offences included) are judged by compiled code; a hand with unknown
cards, written seats, cards that nobody held, wrong declarations or claims goes to the step replay
and comes back in the same columns.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.batch_claims import MISS, SCRATCH, STEP
from engine.batch_columns import HandColumns, call_text, columns_from_records
from engine.batch_kernels import AUCTION_KEY, ROOM, replay_rows
from engine.batch_memo import ASK_MADE, KIND_SHIFT, NOT_HELD, SHORT_AT
from engine.batch_result import (
    FLAG,
    SEVERITIES,
    BatchResult,
    Flag,
    empty_result,
    put_replay,
    put_violations,
)
from engine.batch_tables import RuleTables
from engine.claims import Judged, Situation
from engine.outcome import count
from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.state import Replay
from engine.table import Hands, lay_table

Stepped = Callable[[int, HandRecord, Replay], None]
"""Called with every hand that the step replay judged."""

LEAST_ASKED = 500
"""Auctions that are followed by the rules at once: most of the others are the same again."""

_SEVERITY = np.array([("info", "error", "warning").index(s) for s in SEVERITIES], np.int64)
_tables: dict[tuple[str, str], RuleTables] = {}


def tables_of(rules: RuleSet) -> RuleTables:
    """The arrays of a rule set, built once a process."""
    key = (rules.id, rules.content_hash)
    if key not in _tables:
        _tables[key] = RuleTables(rules)
    return _tables[key]


def replay_columns(
    columns: HandColumns,
    rules: RuleSet | Sequence[RuleSet],
    stepped: Stepped | None = None,
    room: Any = None,
) -> BatchResult:
    """Replay columns of hands; their field ``rules`` says by which of ``rules`` each is played.

    ``stepped`` is called with each hand that went to the step replay, while its replay is at hand.
    ``room`` is memory to be used for the outcomes: an array of :data:`engine.batch_result.RESULT`
    that is long enough.

    >>> from engine.rulefile import load_ruleset
    >>> result = replay_columns(columns_from_records([HandRecord()]), load_ruleset("heerlen"))
    >>> int(result.hands["made"][0]), [code for code, *_ in result.codes(0)]
    (-1, ['deal-incomplete', 'auction-unknown', 'play-incomplete'])
    """
    rule_sets = [rules] if isinstance(rules, RuleSet) else list(rules)
    out = empty_result(len(columns), room)
    parts: list[Any] = []
    flags: list[Flag] = []
    numbers = columns.hands["rules"].copy()  # of wide rows: looking through them is slow
    for number, rule_set in enumerate(rule_sets):
        rows = np.flatnonzero(numbers == number)
        if not rows.size:
            continue
        tables = tables_of(rule_set)
        with tables.lock:
            left = _carry(rows, columns, out.hands, tables, parts)
        for i in left.tolist():
            record = columns.record(i, rule_set.id)
            judged = replay(record, rule_set)
            flags += put_replay(out, i, judged)
            if stepped is not None:
                stepped(i, record, judged)
    put_violations(out, [*parts, flags])
    return out


def _carry(rows: Any, columns: HandColumns, out: Any, tables: RuleTables, parts: list[Any]) -> Any:
    """Run the compiled loop, answering its questions; returns the rows left to the step replay."""
    left = []
    scratch = np.zeros(1, SCRATCH)
    asked = LEAST_ASKED
    while rows.size:
        status = np.empty(rows.size, np.int8)
        missing = np.empty(rows.size, np.int64)
        auction, memo = tables.auction, tables.memo
        start = 0
        while start < rows.size:
            flags = np.empty(rows.size // 8 + 2 * ROOM, FLAG)
            start = replay_rows(
                rows, start, columns.hands, columns.calls, columns.claims, tables.fixed,
                auction.symbol, auction.steps, auction.states, memo.answers, memo.said, scratch,
                out, flags, _SEVERITY, status, missing,
            )  # fmt: skip
            parts.append(flags[: scratch["n_flags"][0]].copy())
        left.append(rows[status == STEP])
        missed = np.flatnonzero(status == MISS)
        _answer(rows[missed], missing[missed], columns, out, tables, asked)
        rows = rows[missed]
        asked *= 4
    return np.concatenate(left)


def _answer(
    rows: Any, keys: Any, columns: HandColumns, out: Any, tables: RuleTables, asked: int
) -> None:
    """Find out what the compiled loop did not know; of auctions the first ``asked``."""
    for i in rows[keys == AUCTION_KEY][:asked].tolist():
        tables.auction.learn(columns.calls_of(i))
    found, first = np.unique(keys[keys != AUCTION_KEY], return_index=True)
    hands = rows[keys != AUCTION_KEY][first]
    for key, i in zip(found.tolist(), hands.tolist()):
        if key >> KIND_SHIFT == ASK_MADE:
            tables.memo.put(key, _verdict(key, columns.record(i), out[i], tables.rules))
        else:
            tables.memo.learn(key)


def _verdict(key: int, record: HandRecord, o: Any, rules: RuleSet) -> int:
    """Made or lost for all hands that look to the goal as this one does."""
    bid = rules.bid(call_text(int(o["contract"])))
    assert bid is not None
    declarer, trump, called = int(o["declarer"]), int(o["trump"]), int(o["called"])
    exchange = rules.takes_middle(bid.contract)
    nowhere = 1 << int(o["discard"] if exchange else o["middle"])
    judged = Judged()
    judged.roem[declarer] = 0 if key >> SHORT_AT & 1 else bid.plus
    situation = Situation(
        record=record,
        rules=rules,
        bid=bid,
        declarer=declarer,
        partner=int(o["partner"]),
        trump=trump,
        called=None if called < 0 else called,
        forehand=(int(o["dealer"]) + 1) % 4,
        bidders=set(),
        table=lay_table(record.plays, int(o["leader"]), trump, rules.tables, {}),
        hands=Hands([None] * 33, [0] * 4, [0] * 4, [True] * 4, [0] * 4, None, None, 0, nowhere),
    )
    made = count(situation, judged, int(o["partner"])).made
    return NOT_HELD if made is None else int(made)


__all__ = [
    "BatchResult",
    "HandColumns",
    "columns_from_records",
    "replay_columns",
    "tables_of",
]
