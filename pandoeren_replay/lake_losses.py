"""What the cards of a lake's valued hands cost, packed in files beside their values.

Each file ``evaluations-V/values-….parquet`` has one of the same name in ``losses-V`` (rows of the
table ``card_loss`` of a store, see :mod:`pandoeren_replay.store.losses`) and one in ``worths-V``
(``hand_value``). Where one is missing, in a lake of an earlier version of the program or after a
run that was stopped, figures look at every value, and the next analysis writes it.
"""

from pathlib import Path

from pandoeren_replay.lake import LOSSES, VALUES, WORTHS, Lake, files_by_solver, quoted, scan
from pandoeren_replay.lake_part import appear
from pandoeren_replay.store import losses

_WIDER = {
    LOSSES: dict.fromkeys(("seat", "layer", "mattered", "exact", "turned"), "SMALLINT"),
    WORTHS: {"cells": "BIGINT"},
}
"""Types instead of unsigned numbers, which not every reader of Parquet has."""


def missing(lake: Lake) -> list[str]:
    """Files of values that lack one of the two beside them."""
    losses_there, worths_there = (
        files_by_solver(lake.files(f"{kind}/*.parquet")) for kind in (LOSSES, WORTHS)
    )
    there = losses_there & worths_there
    return [f for f in lake.files(f"{VALUES}/*.parquet") if not files_by_solver([f]) <= there]


def pack(folder: str, file: str) -> int:
    """Write what belongs beside a file of values; the number of hands in it."""
    lake, values = Lake(folder), Path(file)
    version = values.parent.name.partition("-")[2]
    con = lake.cursor()
    # Of this file alone, whatever other solvers said of its hands.
    con.execute(
        "CREATE OR REPLACE TEMP VIEW evaluation AS SELECT * EXCLUDE (loss) "
        f"REPLACE (card_number(card) AS card) FROM {scan([file])}"
    )
    which = "hand_id IN (SELECT hand_id FROM temp.evaluation)"
    solver = con.execute("SELECT any_value(solver) FROM temp.evaluation").fetchall()[0][0]
    hands = 0
    for kind, sql, order in (
        (LOSSES, losses.card_rows(which), "hand_id, seat, layer"),
        (WORTHS, losses.hand_rows(which), "hand_id"),
    ):
        wider = [f"{c}::{wide} AS {c}" for c, wide in _WIDER[kind].items()]
        rows = con.sql(
            f"SELECT * REPLACE ({', '.join(wider)}), {quoted(solver)} AS solver FROM ({sql}) "
            f"ORDER BY {order}"
        ).pl()
        hands = len(rows)
        place = lake.path / kind.replace("*", version)
        place.mkdir(exist_ok=True)
        appear(place / values.name, rows.write_parquet)
    return hands
