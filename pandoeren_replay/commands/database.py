"""``db`` and what else looks after a store: rejects, reparse, undo-import, players."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    FormatOption,
    MapOption,
    RulesOption,
    WhereOption,
    open_store,
    print_json,
    printable,
    progress,
    read_options,
    say,
    table,
)

if TYPE_CHECKING:
    from pandoeren_replay.store import Store
    from parsers.base import Options

db_app = typer.Typer(help="The store: path, info, verify, vacuum.", no_args_is_help=True)
players_app = typer.Typer(help="Names of players: list, merge, split.", no_args_is_help=True)


@db_app.command("path", epilog="Example: `duckdb $(pandoeren db path)`")
def path(db: DbOption = None) -> None:
    """Print the current DuckDB file."""
    print(open_store(db).file())


@db_app.command("info", epilog="Example: `pandoeren db info`")
def info(db: DbOption = None) -> None:
    """Print what is in the store: hands, sources, imports, size."""
    from pandoeren_replay.store.parts import files

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
    beside = [Path(name) for _, name in files(store.cursor())]
    if beside:
        size = sum(f.stat().st_size for f in beside)
        print(f"parts: {len(beside)} Parquet files, {size / 1e6:.1f} MB")
    print(
        f"hands: {row['hands']} ({row['broken']} with broken rules, {row['simulated']} simulated)"
    )
    if row["first"]:
        print(f"dates: {row['first']} to {row['last']}")
    print(", ".join(f"{name}: {n}" for name, n in counts.items()))


@db_app.command("verify", epilog="Example: `pandoeren db verify`")
def verify(db: DbOption = None) -> None:
    """Read every hand back, replay it, compare; exit status 1 on a difference."""
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
    lang: Annotated[str, typer.Option("--lang", help="Language of the reasons: en or nl.")] = "en",
    db: DbOption = None,
) -> None:
    """List what could not be read at the imports; the text is kept."""
    from parsers.dutch import in_dutch

    if lang not in ("en", "nl"):
        raise CommandError(f"--lang {lang}: expected en or nl", 2)
    store = open_store(db)
    found = store.rows("SELECT * FROM rejects ORDER BY reject_id")
    for r in found:
        if as_json:
            print_json(r)
            continue
        why = in_dutch(r["message"]) if lang == "nl" else r["message"]
        print(printable(f"{r['source']}:{r['line']}:{r['column']}: {why}"))
        if raw:
            print(printable("    " + r["raw"].rstrip("\n").replace("\n", "\n    ")))
    if not as_json:
        print(f"{len(found)} rejects")


def reparse(
    hands: Annotated[
        bool, typer.Option("--hands", help="Read the stored hands again instead of the rejects.")
    ] = False,
    where: WhereOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change; change nothing.")
    ] = False,
    rules: RulesOption = None,
    mapping: MapOption = None,
    format: FormatOption = "auto",
    db: DbOption = None,
) -> None:
    """Read kept texts once more: of rejects, or of stored hands (--hands, which --where may pick).

    Of use after an update of the program, or with other rules (--rules), another mapping (--map) or
    format. A hand keeps its rules unless --rules names others.
    """
    store, options = open_store(db), read_options(rules, mapping)
    if hands:
        _reparse_hands(store, options, format, where, dry_run)
        return
    if where is not None:
        raise CommandError("--where picks stored hands: it needs --hands", 2)
    from pandoeren_replay.commands.importing import report
    from pandoeren_replay.reparse import reparse_rejects

    totals = reparse_rejects(store, options, format, dry_run)
    report(totals, kept=False)
    if dry_run:
        print("a dry run: nothing was changed")
    if totals.stored + totals.duplicate == 0:
        raise CommandError("none of the rejects could be read this time")


SHOWN = 10  # hands and reasons that are printed


def _reparse_hands(
    store: "Store", options: "Options", format: str, where: str | None, dry_run: bool
) -> None:
    from collections import Counter

    from pandoeren_replay.reparse import reparse_hands

    with progress() as update:
        done = reparse_hands(store, options, format, where, dry_run, update)
    for change in done.changed[:SHOWN]:
        parts = "; ".join(f"{c} {_said(old)} -> {_said(new)}" for c, old, new in change.parts)
        print(printable(f"hand {change.hand_id} ({change.place}): {parts}"))
    if len(done.changed) > SHOWN:
        print(f"… and {len(done.changed) - SHOWN} more")
    for why, n in Counter(why for _, why in done.kept).most_common(SHOWN):
        place = next(p for p, w in done.kept if w == why)
        say(f"left as it is: {place}: {why}" + (f" (and {n - 1} more)" if n > 1 else ""))
    columns = Counter(c for change in done.changed for c, _, _ in change.parts)
    if columns:
        print("changed: " + ", ".join(f"{c} in {n}" for c, n in columns.most_common()))
    print(
        f"read again {done.read} = changed {len(done.changed)} + the same {done.same} "
        f"+ left as they are {len(done.kept)}"
    )
    if dry_run:
        print("a dry run: nothing was changed")


def _said(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def undo_import(
    number: Annotated[
        int | None, typer.Argument(help="Number of the import (default: list the imports).")
    ] = None,
    db: DbOption = None,
) -> None:
    """Take one import back: its hands, rejects and warnings leave the store.

    A hand that another import holds too stays, as that import's; see docs/store.md.
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
            "" if r["score"] is None else str(r["score"]), str(r["simulated_hands"]),
            ", ".join(other.get(r["name"], [])),
        ]
        for r in store.rows("SELECT * FROM players ORDER BY hands DESC, name")
    ]  # fmt: skip
    heads = ["name", "hands", "declarer", "made", "lost", "score", "simulated", "also known as"]
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
