"""``demo`` and ``serve``: the dashboard."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from pandoeren_replay.commands.common import CommandError, DbOption, open_store, progress

DB_VARIABLE = "PANDOEREN_DB"
"""Environment variable through which the dashboard is told its store."""

DEMO_RULES = {"generic": "butselaar"}
"""Sample folders whose logs name no built-in rule set, and the one they are read by."""

HostOption = Annotated[str, typer.Option("--host", help="Address to listen on.")]
PortOption = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")]
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8501


def demo(
    db: DbOption = None,
    no_serve: Annotated[
        bool, typer.Option("--no-serve", help="Only import; do not open the dashboard.")
    ] = False,
    host: HostOption = DEFAULT_HOST,
    port: PortOption = DEFAULT_PORT,
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
    with demo_paths() as groups, progress() as update:
        if not groups:
            raise CommandError("the demo data is not there; install the package again")
        for rules, paths in groups:
            totals = import_paths(store, paths, Options(rules=rules), "auto", update)
            whole.add(totals)
    report(whole)
    print(f"store: {store.path}")
    if not whole.adds_up:
        raise CommandError("the totals do not add up; please report this")
    if not no_serve:
        run_dashboard(store.path, host, port)


@contextmanager
def demo_paths() -> Iterator[list[tuple[str | None, list[Path]]]]:
    """The packaged demo as (rules to read it by, paths)."""
    from importlib.resources import as_file, files

    with ExitStack() as stack:
        root = stack.enter_context(as_file(files("data")))
        groups: list[tuple[str | None, list[Path]]] = []
        samples = root / "samples"
        plain = sorted(root.glob("demo/*.phl"))
        for folder in sorted(samples.iterdir()) if samples.is_dir() else []:
            if not folder.is_dir():
                continue
            rules = DEMO_RULES.get(folder.name)
            if rules is None:
                plain.append(folder)
                continue
            # Only logs that name an unknown rule set are read by the stated one.
            groups.append((rules, sorted(folder.glob("*.jsonl"))))
            plain += sorted(f for f in folder.iterdir() if f.suffix != ".jsonl")
        if plain:
            groups.insert(0, (None, plain))
        yield [g for g in groups if g[1]]


def serve(
    db: DbOption = None, host: HostOption = DEFAULT_HOST, port: PortOption = DEFAULT_PORT
) -> None:
    """Open the dashboard in the browser; it runs until Ctrl-C."""
    store = open_store(db)
    if store.exists():
        store.count()  # a store that cannot be read is told here, not in the browser
    run_dashboard(store.path, host, port)


def app_file() -> Path:
    """The entry point of the dashboard: in a checkout or installed."""
    from importlib.util import find_spec

    spec = find_spec("app")
    if spec is None or spec.origin is None:
        raise CommandError("the dashboard (app.py) is not installed; install the package again")
    return Path(spec.origin)


def run_dashboard(db: Path, host: str, port: int) -> None:
    """Run Streamlit until it is stopped; only this machine can reach it unless ``host`` says so."""
    command = [
        sys.executable, "-m", "streamlit", "run", str(app_file()),
        "--server.address", host,
        "--server.port", str(port),
        "--browser.gatherUsageStats", "false",
        "--client.showErrorDetails", "none",
        "--client.disableDataExport", "true",
        "--theme.baseFontSize", "18",
    ]  # fmt: skip
    if not os.environ.get("DISPLAY") and sys.platform.startswith("linux"):
        command += ["--server.headless", "true"]
    print(f"dashboard: http://{host}:{port}  (Ctrl-C stops it)", flush=True)
    environment = os.environ | {DB_VARIABLE: str(db.resolve())}
    try:
        done = subprocess.run(command, env=environment, check=False)
    except KeyboardInterrupt:
        return
    if done.returncode not in (0, -2, 130):
        raise CommandError(f"the dashboard ended with status {done.returncode}")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("demo", epilog="Example: `pandoeren demo`")(demo)
    app.command("serve", epilog="Example: `pandoeren serve --db club --port 8600`")(serve)
