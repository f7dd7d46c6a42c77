"""``db`` and what else looks after a store: rejects, reparse, undo-import, players."""

from typing import Annotated

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    FormatOption,
    MapOption,
    RulesOption,
    open_store,
    print_json,
    printable,
    read_options,
    table,
)

db_app = typer.Typer(help="The store: path, info, verify, vacuum.", no_args_is_help=True)
players_app = typer.Typer(help="Names of players: list, merge, split.", no_args_is_help=True)


@db_app.command("path", epilog="Example: `duckdb $(pandoeren db path)`")
def path(db: DbOption = None) -> None:
    """Print the current DuckDB file."""
    print(open_store(db).file())


@db_app.command("info", epilog="Example: `pandoeren db info`")
def info(db: DbOption = None) -> None:
    """Print what is in the store: hands, sources, imports, size."""
    store = open_store(db)
    file = store.file()
    row = store.rows(
        "SELECT count(*) AS hands, count(*) FILTER (errors > 0) AS broken, "
        "count(*) FILTER (simulated) AS simulated, min(date) AS first, max(date) AS last FROM hands"
    )[0]
    counts = {
        name: store.rows(f"SELECT count(*) AS n FROM {name}")[0]["n"]
        for name in ("sources", "imports", "rejects", "disagreements", "players", "sessions")
    }
    print(f"store: {store.path}")
    print(f"file: {file.name}, {file.stat().st_size / 1e6:.1f} MB")
    print(
        f"hands: {row['hands']} ({row['broken']} with broken rules, {row['simulated']} simulated)"
    )
    if row["first"]:
        print(f"dates: {row['first']} to {row['last']}")
    print(", ".join(f"{name}: {n}" for name, n in counts.items()))


@db_app.command("verify", epilog="Example: `pandoeren db verify`")
def verify(db: DbOption = None) -> None:
    """Read every hand back, replay it, compare; exit status 1 on a difference."""
    from pandoeren_replay.commands.common import progress
    from pandoeren_replay.maintenance import verify as run

    store = open_store(db)
    with progress() as update:
        checked, problems = run(store, update)
    for problem in problems[:20]:
        print(printable(problem))
    print(f"{checked} hands checked, {len(problems)} problems")
    if problems:
        raise typer.Exit(1)


@db_app.command("vacuum", epilog="Example: `pandoeren db vacuum`")
def vacuum(db: DbOption = None) -> None:
    """Write the store anew without the space that is no longer used."""
    from pandoeren_replay.maintenance import vacuum as run

    store = open_store(db)
    before = store.file().stat().st_size
    run(store)
    after = store.file().stat().st_size
    print(f"{before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now")


def rejects(
    raw: Annotated[
        bool, typer.Option("--raw", help="Also the text that could not be read.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each.")] = False,
    db: DbOption = None,
) -> None:
    """List what could not be read at the imports; the text is kept."""
    store = open_store(db)
    found = store.rows("SELECT * FROM rejects ORDER BY reject_id")
    for r in found:
        if as_json:
            print_json(r)
            continue
        print(printable(f"{r['source']}:{r['line']}:{r['column']}: {r['message']}"))
        if raw:
            print(printable("    " + r["raw"].rstrip("\n").replace("\n", "\n    ")))
    if not as_json:
        print(f"{len(found)} rejects")


def reparse(
    rules: RulesOption = None,
    mapping: MapOption = None,
    format: FormatOption = "auto",
    db: DbOption = None,
) -> None:
    """Read the kept texts of rejects once more, with other rules or another mapping."""
    from pandoeren_replay.commands.importing import report
    from pandoeren_replay.maintenance import reparse_rejects

    totals = reparse_rejects(open_store(db), read_options(rules, mapping), format)
    report(totals)
    if totals.stored + totals.duplicate == 0:
        raise CommandError("none of the rejects could be read this time")


def undo_import(
    number: Annotated[
        int | None, typer.Argument(help="Number of the import (default: list the imports).")
    ] = None,
    db: DbOption = None,
) -> None:
    """Take one import back: its hands, rejects and warnings leave the store.

    A hand that a later import brought once more leaves too; import that file again to have it.
    """
    from pandoeren_replay.maintenance import undo_import as run

    store = open_store(db)
    if number is None:
        rows = store.rows("SELECT * FROM imports ORDER BY import_id")
        columns = ["import_id", "imported_at", "read", "stored", "duplicate", "rejected", "empty"]
        table("", columns, [[str(r[c])[:19] for c in columns] for r in rows], right=set(columns))
        return
    hands, gone = run(store, number)
    print(f"import {number} taken back: {hands} hands, {gone} rejects")


@players_app.command("list", epilog="Example: `pandoeren players list`")
def players_list(db: DbOption = None) -> None:
    """List players with hands, contracts made and score, and the names merged into them."""
    store = open_store(db)
    other: dict[str, list[str]] = {}
    for r in store.rows("SELECT name, alias FROM player_alias ORDER BY alias"):
        other.setdefault(r["name"], []).append(r["alias"])
    rows = [
        [
            r["name"], str(r["hands"]), str(r["declarer"]), str(r["made"]), str(r["lost"]),
            "" if r["score"] is None else str(r["score"]), ", ".join(other.get(r["name"], [])),
        ]
        for r in store.rows("SELECT * FROM players ORDER BY hands DESC, name")
    ]  # fmt: skip
    heads = ["name", "hands", "declarer", "made", "lost", "score", "also known as"]
    table("", heads, rows, right=set(heads[1:-1]))


@players_app.command("merge", epilog='Example: `pandoeren players merge "Jan" "J. de Vries"`')
def players_merge(
    name: Annotated[str, typer.Argument(help="The name to go by.")],
    others: Annotated[list[str], typer.Argument(help="Other names of the same player.")],
    db: DbOption = None,
) -> None:
    """Let several names stand for one player; the hands stay as written, `split` undoes it."""
    from pandoeren_replay.maintenance import merge_players

    merge_players(open_store(db), name, others)
    print(printable(f"{', '.join(others)}: now counted as {name}"))


@players_app.command("split", epilog='Example: `pandoeren players split "J. de Vries"`')
def players_split(
    names: Annotated[list[str], typer.Argument(help="Names to stand for themselves again.")],
    db: DbOption = None,
) -> None:
    """Undo a merge of names."""
    from pandoeren_replay.maintenance import split_players

    split_players(open_store(db), names)
    print(printable(f"{', '.join(names)}: counted apart again"))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("rejects", epilog="Example: `pandoeren rejects --raw`")(rejects)
    app.command("reparse", epilog="Example: `pandoeren reparse --rules my-club.toml`")(reparse)
    app.command("undo-import", epilog="Example: `pandoeren undo-import 12`")(undo_import)
    app.add_typer(players_app, name="players")
    app.add_typer(db_app, name="db")
