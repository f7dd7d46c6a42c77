"""Solver annotation of a lake: slices of hands, each a file of values that appears when complete.

What a stopped run has written stays; the next one goes on from there.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.record import HandRecord
from engine.ruleset import RuleSet
from engine.solver import SOLVER_VERSION
from pandoeren_replay.analyze import Analysed, Task, choice_schema, evaluate
from pandoeren_replay.filters import condition
from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_losses import missing, pack
from pandoeren_replay.lake_part import appear
from pandoeren_replay.lake_run import run
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.errors import StoreError

SLICE = 1024
"""Hands of a task: some minutes of work, and at most so much is done twice."""


@dataclass(frozen=True, slots=True)
class Valued:
    """What came of a slice."""

    hands: int
    cards: int
    left_out: dict[str, int]


def value_slice(folder: str, tasks: list[Task]) -> Valued:
    """Value the cards of some hands and write them as one file of the lake.

    Choices before the play have a file of their own beside it.
    """
    import polars as pl

    from engine.cards import CARDS

    rows, choices = [], []
    left_out: dict[str, int] = {}
    for task in tasks:
        found = evaluate(task)
        if found.reason:
            left_out[found.reason] = left_out.get(found.reason, 0) + 1
            continue
        for hand_id, ply, card, goal, value, best, played in found.cells:
            loss = abs(best - value)
            rows.append(
                (hand_id, ply, CARDS[card], goal, value, best, loss, played, SOLVER_VERSION)
            )
        choices += [(*choice, SOLVER_VERSION) for choice in found.choices]
    schema = {
        "hand_id": pl.Int64, "ply": pl.Int16, "card": pl.String, "goal": pl.String,
        "value": pl.Int16, "best": pl.Int16, "loss": pl.Int16, "played": pl.Boolean,
        "solver": pl.String,
    }  # fmt: skip
    ids = ",".join(str(t.hand_id) for t in tasks)
    name = hashlib.sha256(ids.encode()).hexdigest()[:16]
    for kind, types, found_rows in (
        ("evaluations", schema, rows),
        ("declarations", {**choice_schema(), "solver": pl.String}, choices),
    ):
        if found_rows:
            place = Path(folder) / f"{kind}-{SOLVER_VERSION}"
            place.mkdir(exist_ok=True)
            frame = pl.DataFrame(found_rows, schema=types, orient="row")
            appear(place / f"values-{name}.parquet", frame.write_parquet)
            if kind == "evaluations":
                pack(folder, str(place / f"values-{name}.parquet"))
    return Valued(len(tasks) - sum(left_out.values()), len(rows), left_out)


def analyze_lake(
    lake: Lake,
    where: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    slice_hands: int = SLICE,
    declaration: bool = False,
) -> Analysed:
    """Value the cards of all hands of a lake that a filter lets through and that have no values.

    As :func:`pandoeren_replay.analyze.analyze`; ``jobs`` processes or the workers of the Dask
    cluster at ``scheduler`` share the work.
    """
    if lake.remote:
        raise StoreError(f"{lake.address}: values are written to a folder")
    for _ in run(partial(pack, str(lake.path)), missing(lake), jobs, scheduler):
        pass  # what an earlier version or a run that was stopped has left out
    totals = Analysed()
    sql, params = condition(where, lake)
    total = int(
        lake.rows(f"SELECT count(*) AS n FROM hands h WHERE h.plays > 0 AND {sql}", params)[0]["n"]
    )
    slices = _slices(lake, where, declaration, totals, total, slice_hands)
    for found in run(partial(value_slice, str(lake.path)), slices, jobs, scheduler):
        totals.done += found.hands
        totals.cards += found.cards
        for reason, n in found.left_out.items():
            totals.left_out[reason] = totals.left_out.get(reason, 0) + n
        if progress is not None:
            seen = totals.done + totals.known + sum(totals.left_out.values())
            progress("analyze", seen, total)
    return totals


def _slices(
    lake: Lake, where: str | None, declaration: bool, totals: Analysed, total: int, size: int
) -> Iterator[list[Task]]:
    """Hands without values of this version of the solver, some at a time."""
    sql, params = condition(where, lake)
    cur = lake.cursor()
    cur.execute(
        "SELECT * FROM (SELECT b.*, b.hand_id NOT IN (SELECT hand_id FROM evaluation "
        "WHERE solver = ?) AS todo_cards, ? AND b.hand_id NOT IN (SELECT hand_id "
        "FROM declaration_value WHERE solver = ?) AS todo_choices "
        "FROM hand b JOIN (SELECT h.hand_id FROM hands h WHERE h.plays > 0 AND "
        f"{sql}) w ON w.hand_id = b.hand_id) WHERE todo_cards OR todo_choices",
        [SOLVER_VERSION, declaration, SOLVER_VERSION, *params],
    )
    names = [d[0] for d in cur.description]
    rules: dict[tuple[str, str], RuleSet] = {}
    found = 0
    while part := cur.fetchmany(size):
        tasks: list[Task] = []
        for values in part:
            row = dict(zip(names, values, strict=True))
            key = (row["rules"], row["rules_hash"])
            if key not in rules:
                rules[key] = lake.rule_set(*key)
            record: HandRecord = decode(row)
            todo = bool(row["todo_cards"]), bool(row["todo_choices"])
            tasks.append(Task(int(row["hand_id"]), int(row["hash"]), record, rules[key], *todo))
        found += len(part)
        yield tasks
    totals.known = total - found
