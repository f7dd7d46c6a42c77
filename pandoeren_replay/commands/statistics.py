"""``stats``: what was bid and made."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    OutOption,
    WhereOption,
    open_store,
    output,
    print_json,
    table,
)

if TYPE_CHECKING:
    import polars as pl


def stats(
    by: Annotated[
        str,
        typer.Option(
            "--by",
            help="contract, family, level, player, pair, seat, trump, month, session, source, "
            "rules; several with commas.",
        ),
    ] = "contract",
    where: WhereOption = None,
    format: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    out: OutOption = None,
    excel_nl: Annotated[
        bool, typer.Option("--excel-nl", help="CSV for a Dutch Excel (; , BOM).")
    ] = False,
    db: DbOption = None,
) -> None:
    """Statistics per contract, player, pair …: hands, made with its 95% interval, points, score."""
    from pandoeren_replay.stats import grouping, statistics

    names = [n.strip() for n in by.split(",") if n.strip()]
    try:
        for name in names:
            grouping(name)
    except ValueError as e:
        raise CommandError(str(e), 2) from None
    if format not in ("table", "csv", "json", "parquet"):
        raise CommandError(f"--format {format}: expected table, csv, json or parquet", 2)
    frame = statistics(open_store(db), names, where)
    if frame.is_empty():
        raise CommandError("no hand with a contract fits" + (f" {where!r}" if where else ""))
    if format == "table":
        _print(frame, names)
    elif format == "json":
        for row in frame.iter_rows(named=True):
            print_json(row)
    else:
        _write(frame, format, out, excel_nl)


def _write(frame: "pl.DataFrame", format: str, out: Any, excel_nl: bool) -> None:
    from pandoeren_replay.export import write_csv

    with output(out) as f:
        sys.stdout.flush()
        if format == "csv":
            write_csv(frame, f.buffer, excel_nl=excel_nl)
        else:
            frame.write_parquet(f.buffer)


def _print(frame: "pl.DataFrame", names: list[str]) -> None:
    columns = [*names, "n", "made", "rate", "95% interval", "points − bid", "mean score"]
    rows = []
    for r in frame.iter_rows(named=True):
        interval = "" if r["low"] is None else f"{r['low']:.0%} – {r['high']:.0%}"
        rows.append(
            [
                *("-" if r[n] is None else str(r[n]) for n in names),
                str(r["n"]),
                str(r["made"]) + ("" if r["decided"] == r["n"] else f" of {r['decided']}"),
                "" if r["rate"] is None else f"{r['rate']:.0%}",
                interval,
                "" if r["margin"] is None else f"{r['margin']:+.1f}",
                "" if r["score"] is None else f"{r['score']:+.2f}",
            ]
        )
    table("", columns, rows, right=set(columns) - set(names))
    from pandoeren_replay.stats import FEW

    if any(n < FEW for n in frame["n"]):
        print(f"Figures from fewer than {FEW} hands say little: look at the interval.")
    simulated = int(frame["simulated"].sum())
    if simulated:
        print(
            f"{simulated} of these {int(frame['n'].sum())} hands were played by simulated players."
        )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("stats", epilog="Example: `pandoeren stats --by player --where 'date>=2026-01'`")(
        stats
    )
