"""``demo`` and ``serve``: the dashboard."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import CommandError, DbOption, open_store, progress

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from pandoeren_replay.store import Store
    from parsers.base import Source

DEMO_RULES = {"generic": "butselaar"}
"""Sample folders whose logs name no built-in rule set, and the one they are read by."""

HostOption = Annotated[str, typer.Option("--host", help="Address to listen on.")]
PortOption = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")]
BrowserOption = Annotated[
    bool, typer.Option("--no-browser", help="Do not open a browser; print the address only.")
]
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8501


def demo(
    db: DbOption = None,
    no_serve: Annotated[
        bool, typer.Option("--no-serve", help="Only import; do not open the dashboard.")
    ] = False,
    host: HostOption = DEFAULT_HOST,
    port: PortOption = DEFAULT_PORT,
    no_browser: BrowserOption = False,
) -> None:
    """Import the demo (samples of every format, simulated hands) and open the dashboard.

    The demo has a store of its own beside yours unless --db names one.
    """
    from pandoeren_replay.commands.importing import report
    from pandoeren_replay.importer import ImportTotals, import_paths
    from pandoeren_replay.store import Store, default_path
    from parsers.base import Options

    store = Store(db if db is not None else default_path().with_name("demo"))
    whole = ImportTotals()
    groups = demo_sources()
    if not groups:
        raise CommandError("the demo data is not there; install the package again")
    with progress() as update:
        for rules, sources in groups:
            whole.add(import_paths(store, sources, Options(rules=rules), "auto", update))
    report(whole)
    print(f"store: {store.path}")
    if not whole.adds_up:
        raise CommandError("the totals do not add up; please report this")
    _judged(store)
    from pandoeren_replay.commands.solving import prepare

    prepare()
    if not no_serve:
        run_dashboard(store.path, host, port, not no_browser)


def _judged(store: "Store") -> None:
    """Take over what was judged beforehand: mistakes and puzzles without waiting."""
    from importlib.resources import files

    from pandoeren_replay.review_files import read_reviews, take_over

    packaged = files("data") / "reviews" / "demo.parquet"
    with packaged.open("rb") as f:
        take_over(store, read_reviews(f))


def demo_sources() -> "list[tuple[str | None, list[Source]]]":
    """The packaged demo as (rules to read it by, files), named by their place in the package."""
    from importlib.resources import files

    from parsers.base import Source

    groups: dict[str | None, list[Source]] = {None: []}
    for name, data in _walk(files("data"), "data"):
        parts = name.split("/")
        if parts[1] not in ("demo", "samples") or len(parts) < 3:
            continue
        # Only logs that name an unknown rule set are read by the stated one.
        rules = DEMO_RULES.get(parts[2]) if name.endswith(".jsonl") else None
        groups.setdefault(rules, []).append(Source(name, data))
    return [(rules, sources) for rules, sources in groups.items() if sources]


def _walk(folder: "Traversable", name: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            if not entry.name.startswith((".", "__")):
                yield from _walk(entry, path)
        else:
            yield path, entry.read_bytes()


def serve(
    db: DbOption = None,
    host: HostOption = DEFAULT_HOST,
    port: PortOption = DEFAULT_PORT,
    no_browser: BrowserOption = False,
) -> None:
    """Open the dashboard in the browser; it runs until Ctrl-C."""
    store = open_store(db)
    if store.exists():
        store.count()  # a store that cannot be read is told here, not in the browser
    run_dashboard(store.path, host, port, not no_browser)


def run_dashboard(db: Path, host: str, port: int, open_browser: bool) -> None:
    """Serve the dashboard until it is stopped."""
    from pandoeren_replay.ui.server import serve as run

    print(f"dashboard: http://{host}:{port}  (Ctrl-C stops it)", flush=True)
    try:
        run(db.resolve(), host, port, open_browser=open_browser)
    except KeyboardInterrupt:
        return


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("demo", epilog="Example: `pandoeren demo`")(demo)
    app.command("serve", epilog="Example: `pandoeren serve --db club --port 8600`")(serve)
