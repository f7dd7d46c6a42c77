"""What the commands share: options, the store, progress, output, errors."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from pandoeren_replay.store import Store
    from parsers.base import Options

STDIN = "-"

DbOption = Annotated[
    Path | None,
    typer.Option("--db", help="Folder of the store (default: in your data directory)."),
]
RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules", help="Rule set (an id, or a .toml file) instead of what the log names."
    ),
]
FormatOption = Annotated[
    str, typer.Option("--format", help="Format of the files; auto looks at their content.")
]
MapOption = Annotated[
    Path | None, typer.Option("--map", help="Mapping file (.toml) for names of moves and columns.")
]
WhereOption = Annotated[
    str | None,
    typer.Option("--where", help="Which hands: 'field op value and …' (docs/filters.md)."),
]
OutOption = Annotated[
    Path | None, typer.Option("-o", "--output", help="File to write (default: standard output).")
]


class CommandError(Exception):
    """Something the user should know; ends the command with this one sentence."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def open_store(db: Path | None) -> "Store":
    """The store that ``--db`` names, or the default one."""
    from pandoeren_replay.store import Store

    return Store(db)


def read_options(rules: str | None, mapping: Path | None = None) -> "Options":
    """Reading options; a mapping file is read and checked here."""
    from parsers.base import Options

    if mapping is None:
        return Options(rules=rules)
    from parsers.mapping import load_mapping

    return Options(rules=rules, mapping=load_mapping(mapping))


def say(text: str) -> None:
    """A line for the user that is no output: to standard error."""
    print(printable(text), file=sys.stderr)


def printable(text: str) -> str:
    """Text without control characters, so that no log can drive the terminal.

    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=str) + "\n")


@contextmanager
def output(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that is only there once it is complete."""
    if path is None:
        yield sys.stdout
        return
    import os

    build = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with build.open("w", encoding="utf-8", newline="") as f:
            yield f
        os.replace(build, path)
    except OSError as e:
        raise CommandError(f"{path} cannot be written ({e.strerror or e})") from None
    finally:
        with suppress(OSError):  # a disk that takes no file has none to remove
            build.unlink(missing_ok=True)


PATIENCE = 1.0  # seconds before a progress bar appears


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error for whatever takes more than a second."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True,
    )  # fmt: skip
    tasks: dict[str, Any] = {}
    begin = time.monotonic()
    started = False

    def update(what: str, done: int, total: int) -> None:
        nonlocal started
        if not started:
            if time.monotonic() - begin < PATIENCE:
                return
            bar.start()
            started = True
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    try:
        yield update
    finally:
        if started:
            bar.stop()


def table(
    title: str, columns: list[str], rows: list[list[str]], right: set[str] | None = None
) -> None:
    """Print a table; nothing in a cell is taken for markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = Table(title=title or None, title_justify="left")
    for name in columns:
        out.add_column(name, justify="right" if name in (right or ()) else "left")
    for row in rows:
        out.add_row(*(Text(printable(c)) for c in row))
    Console(width=None if sys.stdout.isatty() else 160).print(out)
