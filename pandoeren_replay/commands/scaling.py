"""What the commands share for lakes and clusters (docs/scale.md)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pandoeren_replay.commands.common import CommandError, open_store, say

if TYPE_CHECKING:
    from pandoeren_replay.importer import ImportTotals
    from pandoeren_replay.lake import Lake
    from pandoeren_replay.store import Store
    from parsers.base import Options, Source

LakeOption = Annotated[
    str | None,
    typer.Option("--lake", help="Folder of Parquet parts instead of a store (docs/scale.md)."),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", help="With --lake: a Dask cluster, such as tcp://host:8786 (docs/scale.md)."
    ),
]


def open_lake(lake: str, db: Path | None = None) -> "Lake":
    """The lake that ``--lake`` names."""
    from pandoeren_replay.lake import Lake

    if db is not None:
        raise CommandError("give --db or --lake, not both", 2)
    return Lake(lake)


def open_hands(db: Path | None, lake: str | None) -> "Store":
    """The lake where one is named, else the store."""
    return open_store(db) if lake is None else open_lake(lake, db)


def open_shared(db: Path | None, lake: str | None, jobs: int, scheduler: str | None) -> "Store":
    """As :func:`open_hands`; the figures of a lake are worked out by several, if asked."""
    needs_lake(lake, scheduler)
    if lake is None or (jobs == 1 and scheduler is None):
        return open_hands(db, lake)
    from pandoeren_replay.lake_stats import SharedLake

    open_lake(lake, db)  # refuses what cannot be
    return SharedLake(lake, jobs, scheduler)


def needs_lake(lake: str | None, scheduler: str | None) -> None:
    """A cluster works on a lake."""
    if scheduler is not None and lake is None:
        raise CommandError("--scheduler goes with --lake: a cluster writes Parquet parts", 2)


def import_into(
    lake: "Lake",
    paths: "list[str | Path | Source]",
    options: "Options",
    format: str,
    update: Any,
    jobs: int,
    scheduler: str | None,
) -> "ImportTotals":
    """Import into a lake; what a cluster lacks is told in one sentence."""
    from pandoeren_replay.lake_import import import_lake
    from pandoeren_replay.lake_run import SchedulerError

    try:
        return import_lake(
            lake, paths, options, format, update, jobs, scheduler,
            waiting=lambda: say("another import is at work; waiting for it to finish …"),
        )  # fmt: skip
    except SchedulerError as e:
        raise CommandError(str(e)) from None


def analyze_in(
    lake: "Lake",
    where: str | None,
    jobs: int,
    scheduler: str | None,
    update: Any,
    declaration: bool = False,
) -> Any:
    """Value the cards of a lake; what a cluster lacks is told in one sentence."""
    from pandoeren_replay.lake_analyze import analyze_lake
    from pandoeren_replay.lake_run import SchedulerError

    try:
        return analyze_lake(lake, where, jobs, scheduler, update, declaration=declaration)
    except SchedulerError as e:
        raise CommandError(str(e)) from None
