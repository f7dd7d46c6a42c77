"""Solver annotation of stored hands: resumable, in parallel, only what is new.

Every legal card of every decision gets its value with open cards (view ``evaluations``). Hands
are written in portions, each its own generation of the store: what a stopped run has written
stays, and the next run goes on from there to the same table.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from typing import Any

from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.solver import SOLVER_VERSION, NotSolvable
from pandoeren_replay.annotate import annotate
from pandoeren_replay.filters import condition
from pandoeren_replay.store import Store
from pandoeren_replay.store.decode import decode

PORTION_SECONDS = 30.0
"""How much work at most is lost when a run is killed."""

Cell = tuple[int, int, int, str, int, int, bool]
"""hand_id, ply, card, goal, value, best, played."""
Task = tuple[int, int, HandRecord, RuleSet]
"""hand_id, content hash, record, rules."""


@dataclass(slots=True)
class Analysed:
    """What a run came to: hands valued now, valued before, and those that cannot be, with why."""

    done: int = 0
    known: int = 0
    cards: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


def evaluate(task: Task) -> tuple[int, int, list[Cell] | str]:
    """Values of all cards of one hand, or why there are none."""
    hand_id, content, record, rules = task
    try:
        done = annotate(replay(record, rules))
    except NotSolvable as e:
        return hand_id, content, str(e)
    cells: list[Cell] = []
    for note in done.cards:
        for card, value in note.values.items():
            played = card == note.card
            cells.append(
                (hand_id, note.ply, card, done.terms.objective, value, note.before, played)
            )
    return hand_id, content, cells


def _tasks(store: Store, where: str | None, totals: Analysed) -> Iterator[Task]:
    """Hands with cards that this version of the solver has not valued, in order."""
    sql, params = condition(where, store)
    known = {
        int(r["hand_id"])
        for r in store.rows(
            "SELECT DISTINCT hand_id FROM evaluation WHERE solver = ?", [SOLVER_VERSION]
        )
    }
    wanted = store.rows(
        f"SELECT h.hand_id FROM hands h WHERE h.plays > 0 AND {sql} ORDER BY h.hand_id", params
    )
    rules: dict[tuple[str, str], RuleSet] = {}
    for r in wanted:
        hand_id = int(r["hand_id"])
        if hand_id in known:
            totals.known += 1
            continue
        row = store.row(hand_id)
        key = (row["rules"], row["rules_hash"])
        if key not in rules:
            rules[key] = store.rule_set(*key)
        yield hand_id, int(row["hash"]), decode(row), rules[key]


def _write(store: Store, hands: list[tuple[int, int]], cells: list[Cell]) -> None:
    import polars as pl

    types = {
        "hand_id": pl.Int64, "ply": pl.UInt8, "card": pl.UInt8, "goal": pl.String,
        "value": pl.Int16, "best": pl.Int16, "played": pl.Boolean,
    }  # fmt: skip
    table = pl.DataFrame(cells, schema=types, orient="row").to_arrow()
    done = pl.DataFrame(
        hands, schema={"hand_id": pl.Int64, "hash": pl.UInt64}, orient="row"
    ).to_arrow()
    with store.writing() as con:
        con.register("new_cells", table)
        con.register("new_hands", done)
        con.execute(
            "DELETE FROM evaluation WHERE hand_id IN (SELECT hand_id FROM new_hands)"
        ).fetchall()
        # A hand that was taken back or changed meanwhile is not the one that was valued.
        con.execute(
            "INSERT INTO evaluation SELECT c.hand_id, c.ply, c.card, c.goal, c.value, c.best, "
            "c.played, ? FROM new_cells c JOIN new_hands n USING (hand_id) "
            "JOIN hand h ON h.hand_id = n.hand_id AND h.hash = n.hash",
            [SOLVER_VERSION],
        ).fetchall()
        con.unregister("new_cells")
        con.unregister("new_hands")


def analyze(
    store: Store,
    where: str | None = None,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    portion_seconds: float = PORTION_SECONDS,
) -> Analysed:
    """Value the cards of all hands that a filter lets through and that are not valued yet.

    ``jobs`` processes share the work. Raises what :func:`pandoeren_replay.filters.condition` and
    the store raise; a hand that cannot be solved is counted in ``left_out`` with the reason.
    """
    totals = Analysed()
    sql, params = condition(where, store)
    total = int(
        store.rows(f"SELECT count(*) AS n FROM hands h WHERE h.plays > 0 AND {sql}", params)[0]["n"]
    )
    tasks = _tasks(store, where, totals)
    hands: list[tuple[int, int]] = []
    cells: list[Cell] = []
    began = time.monotonic()

    def flush() -> None:
        nonlocal began
        if hands:
            _write(store, hands, cells)
            totals.done += len(hands)
            totals.cards += len(cells)
            hands.clear()
            cells.clear()
        began = time.monotonic()

    for hand_id, content, found in _run(tasks, jobs):
        if isinstance(found, str):
            totals.left_out[found] = totals.left_out.get(found, 0) + 1
        else:
            hands.append((hand_id, content))
            cells += found
        if progress is not None:
            seen = totals.done + len(hands) + totals.known + sum(totals.left_out.values())
            progress("analyze", seen, total)
        if time.monotonic() - began > portion_seconds:
            flush()
    flush()
    return totals


def _run(tasks: Iterator[Task], jobs: int) -> Iterator[tuple[int, int, list[Cell] | str]]:
    if jobs <= 1:
        yield from map(evaluate, tasks)
        return
    # Not forked: the readers of the store have threads of their own.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        while portion := list(islice(tasks, 32 * jobs)):
            yield from pool.map(evaluate, portion, chunksize=4)


def open_card_values(store: Store, hand_id: int) -> list[dict[str, Any]]:
    """Stored values of one hand, by ply and card (rows of the view ``evaluations``)."""
    return store.rows("SELECT * FROM evaluations WHERE hand_id = ? ORDER BY ply, card", [hand_id])
