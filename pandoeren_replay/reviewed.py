"""Fair reviews kept in the store: resumable, in parallel, only what is new.

Every card played and the bid that was played get a row (table ``review``, view ``reviews``). Hands
are written in portions, each its own generation of the store: what a stopped run has finished
stays, and the next run goes on from there. A hand that is corrected or taken back loses its
review, as it loses its evaluations.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple

from engine.cards import CARD_INDEX, CARDS
from engine.inference import NotKnown
from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.solver import SOLVER_VERSION
from engine.state import Replay
from pandoeren_replay.advise import DEALS
from pandoeren_replay.fair_review import BidReview, Decision, review, review_bid
from pandoeren_replay.filters import condition
from pandoeren_replay.players.stored_bids import StoredBids, stored_bids
from pandoeren_replay.store import Store
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.sums import keep as keep_sums

REVIEW_VERSION = f"2.{SOLVER_VERSION}"
"""Changes with the method; hands reviewed by another version are reviewed again."""

NOTHING = "none"

PORTION_SECONDS = 30.0
"""How much work at most is lost when a run is killed."""

Progress = Callable[[str, int, int], None]


class Row(NamedTuple):
    """A row of the table ``review``: one card played, or the bid that was played.

    ``bids`` is the number of hands that the weighing by bids rests on (``None``: weighed alike).
    ``value`` and ``best_value`` are a card's chance to get its side what it wants, a bid's expected
    score for the bidder; ``loss`` their difference, ``low`` to ``high`` its interval.
    """

    hand_id: int
    kind: str
    ply: int | None
    call: int | None
    seat: int
    choice: str
    best: str | None
    verdict: str
    chance: float | None
    value: float | None
    best_value: float | None
    loss: float | None
    low: float | None
    high: float | None
    open_won: bool | None
    open_best: bool | None
    deals: int
    exact: bool
    misled: bool
    chances: str | None
    bids: int | None = None


class Task(NamedTuple):
    """A hand to review."""

    hand_id: int
    content: int
    record: HandRecord
    rules: RuleSet
    deals: int = DEALS
    bids: StoredBids | None = None


class Found(NamedTuple):
    """What came of a task; ``reason`` says why nothing can be judged."""

    hand_id: int
    content: int
    rows: tuple[Row, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Reviewed:
    """What a run came to: hands reviewed now and before, mistakes found, hands left out and why."""

    done: int = 0
    known: int = 0
    decisions: int = 0
    mistakes: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


def card_row(hand_id: int, d: Decision, bids: int | None = None) -> Row:
    """A card's row; ``bids``: hands that the weighing of the deals rests on."""
    chances = {CARDS[c]: round(x, 4) for c, x in d.chances.items()}
    return Row(
        hand_id, "card", d.ply, None, d.seat, CARDS[d.card],
        None if d.best is None else CARDS[d.best], d.verdict, d.chance, d.chance, d.best_chance,
        d.loss, d.low, d.high, d.open_cards, d.open_best, d.deals, d.exact, d.misled,
        json.dumps(chances) if chances else None, bids if chances else None,
    )  # fmt: skip


def bid_row(hand_id: int, b: BidReview) -> Row:
    """The row of the bid that was played; the best call of an overbid hand is a pass (``-``)."""
    score, chance, seen = b.advice.score, b.advice.chance, b.advice.open_cards
    assert score is not None  # review_bid has seen to it
    loss, low, high = b.loss
    best = b.advice.call
    if b.verdict in ("overbid", "lucky"):
        best = "-"
    elif b.verdict == "underbid" and b.better is not None:
        best = b.better.call
    return Row(
        hand_id, "bid", None, b.call, b.seat, b.advice.call, best, b.verdict,
        None if chance is None else chance[0], score[0], score[0] + loss, loss, low, high,
        b.made, None, 0 if seen is None else seen.n, False, False, None,
    )  # fmt: skip


def _nothing(hand_id: int) -> Row:
    """Marks a hand that was looked at and of which nothing can be judged."""
    return Row(
        hand_id, NOTHING, None, None, 0, "-", None, NOTHING, *[None] * 6, None, None, 0, False,
        False, None,
    )  # fmt: skip


def review_rows(
    hand_id: int,
    hand: Replay,
    deals: int = DEALS,
    progress: Callable[[int, int], None] | None = None,
    bids: StoredBids | None = None,
) -> tuple[Row, ...]:
    """Review a hand: bid and cards. Raises :class:`NotKnown` where nothing can be judged.

    With ``bids`` deals are weighed by what is bid on in the store (docs/advice.md: why), this hand
    itself left out.
    """
    model = None if bids is None or hand.outcome.bid is None else bids.of(hand.outcome.bid)
    weigher = None if bids is None or model is None else bids.weigher
    found = review(hand, deals, progress=progress, weigher=weigher)
    bid = review_bid(hand)
    first = () if bid is None else (bid_row(hand_id, bid),)
    rests_on = None if model is None else model.hands
    return (*first, *(card_row(hand_id, d, rests_on) for d in found.decisions))


def run_task(task: Task) -> Found:
    """Review one hand, or say why it cannot be."""
    try:
        hand = replay(task.record, task.rules)
        rows = review_rows(task.hand_id, hand, task.deals, bids=task.bids)
    except NotKnown as e:
        return Found(task.hand_id, task.content, (_nothing(task.hand_id),), str(e))
    return Found(task.hand_id, task.content, rows)


def missing(store: Store, where: str | None = None) -> tuple[list[int], int]:
    """Hands with cards that this version has not reviewed, in order, and how many it has."""
    sql, params = condition(where, store)
    wanted = store.rows(
        f"SELECT h.hand_id FROM hands h WHERE h.plays > 0 AND {sql} ORDER BY h.hand_id", params
    )
    known = {
        int(r["hand_id"])
        for r in store.rows(
            "SELECT DISTINCT hand_id FROM review WHERE version = ?", [REVIEW_VERSION]
        )
    }
    todo = [int(r["hand_id"]) for r in wanted if r["hand_id"] not in known]
    return todo, len(wanted) - len(todo)


def _tasks(store: Store, todo: Sequence[int], deals: int) -> Iterator[Task]:
    rules: dict[tuple[str, str], RuleSet] = {}
    # By the bids as they are in the store now; what is written meanwhile changes none of them.
    bids: dict[tuple[str, str], StoredBids] = {}
    for hand_id in todo:
        row = store.row(hand_id)
        key = (row["rules"], row["rules_hash"])
        if key not in rules:
            rules[key] = store.rule_set(*key)
            bids[key] = stored_bids(store, rules[key])
        others = bids[key].without(hand_id)
        yield Task(hand_id, int(row["hash"]), decode(row), rules[key], deals, others)


def write(store: Store, found: Sequence[Found]) -> None:
    """Keep reviews; of hands that were changed or taken back meanwhile nothing is kept."""
    import polars as pl

    types = {
        "hand_id": pl.Int64, "kind": pl.String, "ply": pl.UInt8, "call": pl.UInt32,
        "seat": pl.UInt8, "choice": pl.String, "best": pl.String, "verdict": pl.String,
        "chance": pl.Float32, "value": pl.Float32, "best_value": pl.Float32, "loss": pl.Float32,
        "low": pl.Float32, "high": pl.Float32, "open_won": pl.Boolean, "open_best": pl.Boolean,
        "deals": pl.UInt32, "exact": pl.Boolean, "misled": pl.Boolean, "chances": pl.String,
        "bids": pl.UInt32,
    }  # fmt: skip
    rows = [r for f in found for r in f.rows]
    hands = [(f.hand_id, f.content) for f in found]
    told = pl.DataFrame(hands, schema={"hand_id": pl.Int64, "hash": pl.UInt64}, orient="row")
    with store.writing() as con:
        keep_sums(con)
        con.register("new_reviews", pl.DataFrame(rows, schema=types, orient="row").to_arrow())
        con.register("new_hands", told.to_arrow())
        con.execute("DELETE FROM review WHERE hand_id IN (SELECT hand_id FROM new_hands)")
        con.execute(
            "INSERT INTO review BY NAME SELECT r.*, ? AS version FROM new_reviews r "
            "JOIN new_hands n USING (hand_id) "
            "JOIN hand h ON h.hand_id = n.hand_id AND h.hash = n.hash",
            [REVIEW_VERSION],
        ).fetchall()
        con.unregister("new_reviews")
        con.unregister("new_hands")


def review_all(
    store: Store,
    where: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    deals: int = DEALS,
    portion_seconds: float = PORTION_SECONDS,
) -> Reviewed:
    """Review all hands that a filter lets through and that are not reviewed yet.

    ``jobs`` processes share the work; ``progress`` is told ("review", hands done, of how many).
    What it raises ends the run, as Ctrl-C does; what is finished by then is kept. Raises what
    :func:`pandoeren_replay.filters.condition` and the store raise.
    """
    totals = Reviewed()
    todo, totals.known = missing(store, where)
    of = len(todo) + totals.known
    done: list[Found] = []
    began = time.monotonic()

    def flush() -> None:
        nonlocal began
        if done:
            write(store, done)
            done.clear()
        began = time.monotonic()

    try:
        for i, found in enumerate(_run(_tasks(store, todo, deals), jobs), 1):
            done.append(found)
            if found.reason:
                totals.left_out[found.reason] = totals.left_out.get(found.reason, 0) + 1
            else:
                totals.done += 1
                totals.decisions += len(found.rows)
                totals.mistakes += sum(r.verdict == "mistake" for r in found.rows)
            if progress is not None:
                progress("review", totals.known + i, of)
            if time.monotonic() - began > portion_seconds:
                flush()
    finally:
        flush()
    return totals


def _run(tasks: Iterator[Task], jobs: int) -> Iterator[Found]:
    if jobs <= 1:
        yield from map(run_task, tasks)
        return
    # Not forked: the readers of the store have threads of their own.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        while portion := list(islice(tasks, 8 * jobs)):
            yield from pool.map(run_task, portion)


def stored_reviews(store: Store, hand_ids: Sequence[int]) -> dict[int, tuple[Row, ...]]:
    """What is kept of some hands, by hand; hands not reviewed by this version are not in it."""
    if not hand_ids:
        return {}
    found = store.rows(
        f"SELECT {', '.join(Row._fields)} FROM review "
        "WHERE version = ? AND kind <> 'none' AND hand_id IN (SELECT unnest(?::BIGINT[])) "
        "ORDER BY hand_id, ply NULLS FIRST",
        [REVIEW_VERSION, list(hand_ids)],
    )
    out: dict[int, list[Row]] = {}
    for r in found:
        out.setdefault(int(r["hand_id"]), []).append(Row(**r))
    return {k: tuple(v) for k, v in out.items()}


def decision_of(row: Row) -> Decision:
    """The decision that a card's row tells."""
    assert row.ply is not None
    chances: dict[str, Any] = json.loads(row.chances) if row.chances else {}
    return Decision(
        row.ply, row.seat, CARD_INDEX[row.choice], row.verdict,  # type: ignore[arg-type]
        None if row.best is None else CARD_INDEX[row.best], row.value, row.best_value,
        row.loss, row.low, row.high, row.deals, row.exact, row.open_won, row.open_best, row.misled,
        {CARD_INDEX[c]: float(x) for c, x in chances.items()},
    )  # fmt: skip


__all__ = [
    "REVIEW_VERSION",
    "Found",
    "Reviewed",
    "Row",
    "decision_of",
    "missing",
    "review_all",
    "review_rows",
    "stored_reviews",
    "write",
]
