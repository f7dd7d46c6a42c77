"""``export`` and ``convert``: hands out of the store, or from files to files."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    FormatOption,
    MapOption,
    OutOption,
    RulesOption,
    WhereOption,
    output,
    printable,
    progress,
    read_options,
    say,
)
from pandoeren_replay.commands.scaling import LakeOption, open_hands

if TYPE_CHECKING:
    import polars as pl

    from engine.record import HandRecord
    from engine.ruleset import RuleSet
    from pandoeren_replay.export import Format

ToOption = Annotated[
    str,
    typer.Option(
        "--to", help="Format to write: phn, phl, jsonl, csv, parquet, sgf or pbn (deals)."
    ),
]
ExcelOption = Annotated[
    bool,
    typer.Option("--excel-nl", help="CSV for a Dutch Excel (; between columns, decimal comma)."),
]


def export(
    to: ToOption,
    where: WhereOption = None,
    out: OutOption = None,
    excel_nl: ExcelOption = False,
    anonymous: Annotated[
        bool,
        typer.Option("--anonymous", help="Other names for the players, also inside texts and ids."),
    ] = False,
    values: Annotated[
        bool,
        typer.Option("--values", help="With the value of each card, open cards (phn and phl)."),
    ] = False,
    per: Annotated[
        str, typer.Option("--per", help="Rows of a table: hand, or decision (docs/scale.md).")
    ] = "hand",
    db: DbOption = None,
    lake: LakeOption = None,
) -> None:
    """Write stored hands as text (phn, phl, sgf), as a table (jsonl, csv, parquet) or as deals.

    pbn has the deals only, with a diagram of each.
    """
    from pandoeren_replay.decisions import decision_tables
    from pandoeren_replay.export import (
        TEXT_FORMATS,
        anonymiser,
        stored_records,
        stored_tables,
        valued_records,
    )

    format = _format(to)
    if per not in ("hand", "decision"):
        raise CommandError(f"--per {per}: expected hand or decision", 2)
    if per == "decision" and format in TEXT_FORMATS:
        raise CommandError("--per decision goes with --to parquet, csv or jsonl", 2)
    if values and format not in ("phn", "phl"):
        raise CommandError("--values goes with --to phn or phl", 2)
    store = open_hands(db, lake)
    if not store.count(where):
        raise CommandError("no stored hand fits" + (f" {where!r}" if where else ""))
    names = anonymiser(store) if anonymous else None
    if format in TEXT_FORMATS:
        records = (valued_records if values else stored_records)(store, where)
        if names is not None:
            records = (names.record(r) for r in records)
        count = _text(records, format, out, lambda r: store.rule_set(r.rules or "", r.rules_hash))
    elif per == "decision":
        _decisions(decision_tables(store, where, names), format, out, excel_nl)
        return
    else:
        from pandoeren_replay.export import write_tables

        with _bytes(out) as f:
            count = write_tables(stored_tables(store, where, names), format, f, excel_nl)
    _told(count, out)


def _decisions(
    frames: "Iterator[pl.DataFrame]", format: "Format", out: Path | None, excel_nl: bool
) -> None:
    from pandoeren_replay.decisions import write_parquet
    from pandoeren_replay.export import write_tables

    with _bytes(out) as f:
        if format == "parquet":
            count = write_parquet(frames, f)
        else:
            count = write_tables(frames, format, f, excel_nl)
    if out is not None:
        say(printable(f"{count} decisions written to {out}"))


def convert(
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders, zip or gz; - is standard input.")
    ],
    to: ToOption,
    out: OutOption = None,
    format: FormatOption = "auto",
    rules: RulesOption = None,
    mapping: MapOption = None,
    excel_nl: ExcelOption = False,
) -> None:
    """Convert files to another format; nothing is stored. Exit status 1 if a hand was rejected."""
    from pandoeren_replay.commands.importing import sources
    from pandoeren_replay.export import TEXT_FORMATS, write_tables
    from pandoeren_replay.importer import read_all

    target = _format(to)
    options = read_options(rules, mapping)
    rejects = 0
    records: list[HandRecord] = []
    results = []
    for result in read_all(sources(paths), options, format):
        rejects += len(result.rejects)
        for r in result.rejects:
            say(f"reject: {r}")
        for w in result.warnings:
            say(f"warning: {w.source}:{w.line}: {w.message}")
        records += result.records
        results.append(result)
    if not records:
        raise CommandError(
            "nothing was converted: "
            + (f"{rejects} rejects" if rejects else "there is no hand in what was given")
        )
    if target in TEXT_FORMATS:
        # Without --rules the text stays as it is: converting never needs the rule set.
        from pandoeren_replay.importer import RulesFinder

        count = _text(iter(_override(records, rules)), target, out, RulesFinder(options).find)
    else:
        from pandoeren_replay.scratch import scratch_tables

        with progress() as update, _bytes(out) as f:
            count = write_tables(scratch_tables(results, options, update), target, f, excel_nl)
    _told(count, out)
    if rejects:
        raise typer.Exit(1)


def _override(records: "list[HandRecord]", rules: str | None) -> "list[HandRecord]":
    if rules is None:
        return records
    from engine.rulefile import load_ruleset
    from pandoeren_replay.export import named

    chosen = load_ruleset(rules)
    return [named(r, chosen.id, chosen.content_hash) for r in records]


def _format(name: str) -> "Format":
    from pandoeren_replay.export import FORMATS

    for known in FORMATS:
        if known == name:
            return known
    raise CommandError(f"--to {name}: expected one of {', '.join(FORMATS)}", 2)


def _text(
    records: "Iterator[HandRecord]",
    format: "Format",
    out: Path | None,
    rules_of: "Callable[[HandRecord], RuleSet]",
) -> int:
    from pandoeren_replay.export import write_records

    with output(out) as f:
        return write_records(records, format, f, rules_of)


@contextmanager
def _bytes(out: Path | None) -> Iterator[IO[bytes]]:
    if out is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with output(out) as f:
        yield f.buffer


def _told(count: int, out: Path | None) -> None:
    if out is not None:
        say(printable(f"{count} hands written to {out}"))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(
        "export", epilog="Example: `pandoeren export --where 'player=Anna' --to csv -o anna.csv`"
    )(export)
    app.command("convert", epilog="Example: `pandoeren convert evening.phn --to phl`")(convert)
