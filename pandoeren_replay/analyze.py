"""Solver annotation of stored hands: resumable, in parallel, only what is new.

Every legal card of every decision gets its value with open cards (view ``evaluations``), and if
asked for every discard, trump suit and called card (view ``declaration_evaluations``). Hands are
written in portions, each its own generation of the store: what a stopped run has written
stays, and the next run goes on from there to the same table.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple

from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.solver import SOLVER_VERSION, NotSolvable
from pandoeren_replay.annotate import annotate, declaration_of
from pandoeren_replay.annotate_notes import DeclarationNote
from pandoeren_replay.filters import condition
from pandoeren_replay.store import Store, losses
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.sums import keep as keep_sums

PORTION_SECONDS = 30.0
"""How much work at most is lost when a run is killed."""

Cell = tuple[int, int, int, str, int, int, bool]
"""hand_id, ply, card, goal, value, best, played."""
Choice = tuple[int, str, str, str, int | None, int, bool]
"""hand_id, kind, choice, goal, value, best, chosen: a row of the table ``declaration_value``."""

NOTHING = "none"
"""Kind of the one row that marks a hand in which declarer had nothing to choose."""


class Task(NamedTuple):
    """A hand to value: its number and content hash, and what is wanted of it."""

    hand_id: int
    content: int
    record: HandRecord
    rules: RuleSet
    cards: bool = True
    declaration: bool = False


class Worth(NamedTuple):
    """What came of a task: rows of cards and of choices (``valued``: which of them were wanted).

    ``reason`` says why there are none.
    """

    hand_id: int
    content: int
    valued: tuple[bool, bool]
    cells: tuple[Cell, ...] = ()
    choices: tuple[Choice, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Analysed:
    """What a run came to: hands valued now, valued before, and those that cannot be, with why."""

    done: int = 0
    known: int = 0
    cards: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


def evaluate(task: Task) -> Worth:
    """Values of all cards of one hand, and of the choices before, as far as they are wanted."""
    whose = task.hand_id, task.content, (task.cards, task.declaration)
    played = replay(task.record, task.rules)
    goal = played.outcome.bid.contract.goal if played.outcome.bid else ""
    try:
        if not task.cards:
            return Worth(*whose, (), _choices(task.hand_id, goal, declaration_of(played)))
        done = annotate(played, task.declaration)
    except NotSolvable as e:
        return Worth(*whose, reason=str(e))
    cells = tuple(
        (task.hand_id, note.ply, card, goal, value, note.before, card == note.card)
        for note in done.cards
        for card, value in note.values.items()
    )
    choices = _choices(task.hand_id, goal, done.declaration) if task.declaration else ()
    return Worth(*whose, cells, choices)


def _choices(hand_id: int, goal: str, notes: Iterable[DeclarationNote]) -> tuple[Choice, ...]:
    rows = tuple(
        (hand_id, n.kind, n.key(choice), goal, value, n.best, choice == n.chosen)
        for n in notes
        for choice, value in n.options.items()
    )
    return rows or ((hand_id, NOTHING, "-", goal, None, 0, False),)


def _tasks(store: Store, where: str | None, declaration: bool, totals: Analysed) -> Iterator[Task]:
    """Hands with something that this version of the solver has not valued, in order."""
    sql, params = condition(where, store)
    cards, choices = (
        {
            int(r["hand_id"])
            for r in store.rows(
                f"SELECT DISTINCT hand_id FROM {table} WHERE solver = ?", [SOLVER_VERSION]
            )
        }
        for table in ("evaluation", "declaration_value")
    )
    wanted = store.rows(
        f"SELECT h.hand_id FROM hands h WHERE h.plays > 0 AND {sql} ORDER BY h.hand_id", params
    )
    rules: dict[tuple[str, str], RuleSet] = {}
    for r in wanted:
        hand_id = int(r["hand_id"])
        todo = hand_id not in cards, declaration and hand_id not in choices
        if not any(todo):
            totals.known += 1
            continue
        row = store.row(hand_id)
        key = (row["rules"], row["rules_hash"])
        if key not in rules:
            rules[key] = store.rule_set(*key)
        yield Task(hand_id, int(row["hash"]), decode(row), rules[key], *todo)


def _write(store: Store, found: list[Worth]) -> None:
    import polars as pl

    card_types = {
        "hand_id": pl.Int64, "ply": pl.UInt8, "card": pl.UInt8, "goal": pl.String,
        "value": pl.Int16, "best": pl.Int16, "played": pl.Boolean,
    }  # fmt: skip
    with store.writing() as con:
        keep_sums(con)
        cells = [row for w in found for row in w.cells]
        valued = [w for w in found if w.valued[0]]
        _put(con, "evaluation", card_types, valued, cells)
        losses.renew(con, [w.hand_id for w in valued])
        choices = [row for w in found for row in w.choices]
        told = [w for w in found if w.valued[1]]
        _put(con, "declaration_value", choice_schema(), told, choices)


def choice_schema() -> dict[str, Any]:
    """Types of a row of choices for Polars (which takes its time to load)."""
    import polars as pl

    return {
        "hand_id": pl.Int64, "kind": pl.String, "choice": pl.String, "goal": pl.String,
        "value": pl.Int16, "best": pl.Int16, "chosen": pl.Boolean,
    }  # fmt: skip


def _put(
    con: Any, table: str, schema: dict[str, Any], hands: Iterable[Worth], rows: Sequence[Any]
) -> None:
    """Replace the rows of some hands."""
    import polars as pl

    done = pl.DataFrame(
        [(w.hand_id, w.content) for w in hands],
        schema={"hand_id": pl.Int64, "hash": pl.UInt64},
        orient="row",
    )
    con.register("new_rows", pl.DataFrame(rows, schema=schema, orient="row").to_arrow())
    con.register("new_hands", done.to_arrow())
    con.execute(f"DELETE FROM {table} WHERE hand_id IN (SELECT hand_id FROM new_hands)").fetchall()
    # A hand that was taken back or changed meanwhile is not the one that was valued.
    con.execute(
        f"INSERT INTO {table} BY NAME SELECT c.*, ? AS solver FROM new_rows c "
        "JOIN new_hands n USING (hand_id) "
        "JOIN hand h ON h.hand_id = n.hand_id AND h.hash = n.hash",
        [SOLVER_VERSION],
    ).fetchall()
    con.unregister("new_rows")
    con.unregister("new_hands")


def analyze(
    store: Store,
    where: str | None = None,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    portion_seconds: float = PORTION_SECONDS,
    declaration: bool = False,
) -> Analysed:
    """Value the cards of all hands that a filter lets through and that are not valued yet.

    With ``declaration`` discard, trump suit and called card too (some ten times the work).
    ``jobs`` processes share the work. Raises what :func:`pandoeren_replay.filters.condition` and
    the store raise; a hand that cannot be solved is counted in ``left_out`` with the reason.
    """
    totals = Analysed()
    sql, params = condition(where, store)
    total = int(
        store.rows(f"SELECT count(*) AS n FROM hands h WHERE h.plays > 0 AND {sql}", params)[0]["n"]
    )
    tasks = _tasks(store, where, declaration, totals)
    done: list[Worth] = []
    began = time.monotonic()

    def flush() -> None:
        nonlocal began
        if done:
            _write(store, done)
            totals.done += len(done)
            totals.cards += sum(len(w.cells) for w in done)
            done.clear()
        began = time.monotonic()

    for found in _run(tasks, jobs):
        if found.reason:
            totals.left_out[found.reason] = totals.left_out.get(found.reason, 0) + 1
        else:
            done.append(found)
        if progress is not None:
            seen = totals.done + len(done) + totals.known + sum(totals.left_out.values())
            progress("analyze", seen, total)
        if time.monotonic() - began > portion_seconds:
            flush()
    flush()
    return totals


def _run(tasks: Iterator[Task], jobs: int) -> Iterator[Worth]:
    if jobs <= 1:
        yield from map(evaluate, tasks)
        return
    # Not forked: the readers of the store have threads of their own.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        while portion := list(islice(tasks, 32 * jobs)):
            yield from pool.map(evaluate, portion, chunksize=4)


def open_card_values(store: Store, hand_id: int) -> list[dict[str, Any]]:
    """Rows of ``evaluations`` of one hand, by ply and card; those of the newest solver."""
    return store.rows(
        "SELECT * FROM evaluations WHERE hand_id = ? AND solver = (SELECT max(solver) "
        "FROM evaluations WHERE hand_id = ?) ORDER BY ply, card",
        [hand_id, hand_id],
    )
