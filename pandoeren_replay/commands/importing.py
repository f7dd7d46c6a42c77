"""``import``: files into the store."""

import re
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
    progress,
    read_options,
    say,
)
from pandoeren_replay.commands.scaling import (
    LakeOption,
    SchedulerOption,
    import_into,
    needs_lake,
    open_hands,
    open_lake,
)

if TYPE_CHECKING:
    from pandoeren_replay.importer import ImportTotals
    from parsers.base import Reject, Source

SHOWN = 10  # groups of rejects, warnings and disagreements that are printed
PLACES = 3  # further places named for each

HINTS = {
    "unrecognised": "say what it is with --format, or name its columns and moves in a --map file "
    "(docs/parsers.md)",
    "no-file": "check the path",
    "limit": "import it in parts",
    "not-text": "save it as text, .csv, .xlsx, .zip or .gz",
    "internal-error": "please report it with the text that `pandoeren rejects --raw` shows",
}
"""What to do about a reject, by its code, where its sentence does not say so itself."""

EXAMPLE = "Example: `pandoeren import evening.phl logs/ --db club`"


def sources(paths: list[str]) -> "list[str | Path | Source]":
    """Command-line paths; ``-`` is standard input."""
    import sys

    from parsers.base import Source

    out: list[str | Path | Source] = []
    for path in paths:
        if path == STDIN:
            out.append(Source("<stdin>", sys.stdin.buffer.read()))
        elif not path:
            raise CommandError("an empty path: expected a file, a folder, or - for input", 2)
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
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be new, known or rejected; no more.")
    ] = False,
    lake: LakeOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Import files, folders, zip or gz into the store, and print the totals."""
    from pandoeren_replay.importer import import_paths

    needs_lake(lake, scheduler)
    if lake is not None and dry_run:
        raise CommandError("--dry-run is for a store, not for a lake", 2)
    store = open_hands(db, lake)
    with progress() as update:
        totals = (
            import_into(
                open_lake(lake, db), sources(paths), read_options(rules, mapping), format, update,
                jobs, scheduler,
            )
            if lake is not None
            else import_paths(
            store, sources(paths), read_options(rules, mapping), format, update, jobs,
            waiting=lambda: say("another import is at work; waiting for it to finish …"),
            dry_run=dry_run,
            )
        )  # fmt: skip
    nothing = totals.stored + totals.duplicate == 0
    fails = "nothing would be stored: " if dry_run else "nothing was stored: "
    if nothing and totals.read == totals.rejected == 1:
        raise CommandError(fails + _why(totals))
    report(totals, kept=not dry_run)
    print(
        f"{'store' if lake is None else 'lake'}: {store.path}"
        + (" (a dry run: nothing was changed)" if dry_run else "")
    )
    if not totals.adds_up:
        raise CommandError("the totals do not add up; please report this with the file")
    if nothing:
        raise CommandError(fails + _why(totals))


def _why(totals: "ImportTotals") -> str:
    if totals.read == 0:
        return "there is no hand in what was given"
    if totals.read == totals.rejected == 1:
        hint = HINTS.get(totals.rejects[0].code)
        return str(totals.rejects[0]) + (f" ({hint})" if hint else "")
    if totals.rejected:
        return (
            f"all {totals.rejected} hands were rejected"
            if not totals.empty
            else (f"{totals.rejected} hands were rejected and {totals.empty} are empty")
        )
    return f"all {totals.empty} hands are empty (neither call nor card)"


def report(totals: "ImportTotals", kept: bool = True) -> None:
    """Print what became of an import: details to standard error, totals to standard output.

    Rejects and warnings of one kind are one line. ``kept``: the rejects are in the store.
    """
    _rejects(totals.rejects, kept)
    _groups("warning", [(f"{w.source}:{w.line}", w.source, w.message) for w in totals.warnings])
    _groups(
        "disagreement",
        [
            (
                f"{d.source}:{d.line}",
                d.source,
                f"hand {d.hand_id} is known with the result {d.kept}, here it says {d.other}",
            )
            for d in totals.disagreements
        ],
    )
    print(
        f"read {totals.read} = stored {totals.stored} + duplicate {totals.duplicate} "
        f"+ rejected {totals.rejected} + empty {totals.empty}"
    )
    extra = []
    if totals.merged:
        extra.append(f"{totals.merged} known from another source (the fuller record is shown)")
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


def _rejects(rejects: "list[Reject]", kept: bool) -> None:
    groups: dict[tuple[str, str], list[Reject]] = {}
    for r in rejects:
        groups.setdefault((r.code, kind_of(r.expected)), []).append(r)
    for (code, _), found in list(groups.items())[:SHOWN]:
        hint = HINTS.get(code)
        say(f"reject: {found[0]}" + (f" ({hint})" if hint else ""))
        if len(found) > 1:
            places = ", ".join(f"{r.source}:{r.line}" for r in found[1 : 1 + PLACES])
            more = len(found) - 1
            say(f"  and {more} more such: {places}" + (", …" if more > PLACES else ""))
    _rest(len(groups), "reject")
    if kept and any(r.raw for r in rejects):
        say(
            "rejects are kept: `pandoeren rejects --raw` shows the texts, "
            "`pandoeren reparse` reads them again (with --rules, --map or --format)"
        )


def _groups(what: str, notes: list[tuple[str, str, str]]) -> None:
    """Notes as (place, source, sentence); those of one kind in one line."""
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for note in notes:
        groups.setdefault(kind_of(note[2]), []).append(note)
    for found in list(groups.values())[:SHOWN]:
        place, _, sentence = found[0]
        if len(found) == 1:
            say(f"{what}: {place}: {sentence}")
            continue
        files = len({source for _, source, _ in found})
        times = f"{files} files" if files == len(found) else f"{len(found)} times"
        where = f", in {files} files" if 1 < files < len(found) else ""
        say(f"{what}: {sentence} ({times}{where}; the first: {place})")
    _rest(len(groups), f"kinds of {what}")


def kind_of(sentence: str) -> str:
    """What sentences have in common that differ in numbers and in what was found.

    >>> kind_of("trick 3: found 'HB'") == kind_of("trick 12: found 'x'")
    True
    """
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "#", sentence)


def _rest(n: int, what: str) -> None:
    if n > SHOWN:
        say(
            f"… and {n - SHOWN} more {what}s"
            if " " not in what
            else f"… and {n - SHOWN} more {what}"
        )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import", epilog=EXAMPLE)(import_)
