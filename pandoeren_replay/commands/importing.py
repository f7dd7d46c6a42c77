"""``import``: files into the store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import (
    STDIN,
    CommandError,
    DbOption,
    FormatOption,
    MapOption,
    RulesOption,
    open_store,
    progress,
    read_options,
    say,
)

if TYPE_CHECKING:
    from pandoeren_replay.importer import ImportTotals
    from parsers.base import Source

SHOWN = 10  # rejects, warnings and disagreements printed one by one

EXAMPLE = "Example: `pandoeren import evening.phl logs/ --db club`"


def sources(paths: list[str]) -> "list[str | Path | Source]":
    """Command-line paths; ``-`` is standard input."""
    import sys

    from parsers.base import Source

    out: list[str | Path | Source] = []
    for path in paths:
        if path == STDIN:
            out.append(Source("<stdin>", sys.stdin.buffer.read()))
        else:
            out.append(Path(path))
    return out


def import_(
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders, zip or gz; - is standard input.")
    ],
    db: DbOption = None,
    format: FormatOption = "auto",
    rules: RulesOption = None,
    mapping: MapOption = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes that replay.")] = 1,
) -> None:
    """Import files, folders, zip or gz into the store, and print the totals."""
    from pandoeren_replay.importer import import_paths

    store = open_store(db)
    with progress() as update:
        totals = import_paths(
            store, sources(paths), read_options(rules, mapping), format, update, jobs,
            waiting=lambda: say("another import is at work; waiting for it to finish …"),
        )  # fmt: skip
    nothing = totals.stored + totals.duplicate == 0
    if nothing and totals.read == totals.rejected == 1:
        raise CommandError("nothing was stored: " + _why(totals))
    report(totals)
    print(f"store: {store.path}")
    if not totals.adds_up:
        raise CommandError("the totals do not add up; please report this with the file")
    if nothing:
        raise CommandError("nothing was stored: " + _why(totals))


def _why(totals: "ImportTotals") -> str:
    if totals.read == 0:
        return "there is no hand in what was given"
    if totals.read == totals.rejected == 1:
        return str(totals.rejects[0])
    if totals.rejected:
        return (
            f"all {totals.rejected} hands were rejected"
            if not totals.empty
            else (f"{totals.rejected} hands were rejected and {totals.empty} are empty")
        )
    return f"all {totals.empty} hands are empty (neither call nor card)"


def report(totals: "ImportTotals") -> None:
    """Print what became of an import: details to standard error, totals to standard output."""
    _list([str(r) for r in totals.rejects], "reject")
    _list([f"{w.source}:{w.line}: {w.message}" for w in totals.warnings], "warning")
    _list(
        [
            f"{d.source}:{d.line}: hand {d.hand_id} is known with the result {d.kept}, "
            f"here it says {d.other}"
            for d in totals.disagreements
        ],
        "disagreement",
    )
    print(
        f"read {totals.read} = stored {totals.stored} + duplicate {totals.duplicate} "
        f"+ rejected {totals.rejected} + empty {totals.empty}"
    )
    extra = []
    if totals.with_errors:
        extra.append(f"{totals.with_errors} with broken rules")
    if totals.simulated:
        extra.append(f"{totals.simulated} simulated")
    if totals.warnings:
        extra.append(f"{len(totals.warnings)} warnings")
    if totals.disagreements:
        extra.append(f"{len(totals.disagreements)} disagreements about the result of a known hand")
    if extra:
        print("of these: " + ", ".join(extra))


def _list(lines: list[str], what: str) -> None:
    for line in lines[:SHOWN]:
        say(f"{what}: {line}")
    if len(lines) > SHOWN:
        say(f"… and {len(lines) - SHOWN} more {what}s")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import", epilog=EXAMPLE)(import_)
