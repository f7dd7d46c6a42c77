"""``pandoeren``: the command line. What goes wrong is told in one sentence, never a traceback."""

import errno
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pandoeren_replay import __version__
from pandoeren_replay.commands import (
    advising,
    checking,
    converting,
    database,
    importing,
    rules,
    serving,
    session,
    showing,
    simulating,
    solving,
    statistics,
)
from pandoeren_replay.commands.common import CommandError, printable

# The matrices of the statistics are small: threads that wait for each other take longer on a busy
# machine. Read by numpy when it is loaded, which is later; what the user has set stays.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

app = typer.Typer(
    name="pandoeren",
    help="Review Pandoeren hands trick by trick, import logs, count what was bid and made.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain text: loading rich takes longer than all the rest of --help
)


def _version(value: bool) -> None:
    if value:
        print(f"pandoeren {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


for module in (
    serving, importing, checking, showing, converting, statistics, session, simulating, solving,
    rules, database, advising,
):  # fmt: skip
    module.register(app)

# Errors that are written for the user: class and the module it is in (loaded when it was raised).
_EXPECTED = (
    ("pandoeren_replay.store.errors", "StoreError"),
    ("pandoeren_replay.filters", "FilterError"),
    ("engine.rulefile", "RuleSetError"),
    ("parsers.detect", "FormatError"),
    ("parsers.mapping", "MappingError"),
    ("pandoeren_replay.ui.server", "ServeError"),
    ("engine.inference", "NotKnown"),
    ("pandoeren_replay.players.protocol", "PlayerError"),
)


def _is_expected(error: Exception) -> bool:
    return any(
        isinstance(error, getattr(sys.modules[module], name))
        for module, name in _EXPECTED
        if module in sys.modules and hasattr(sys.modules[module], name)
    )


def _is_closed_pipe(error: Exception) -> bool:
    # Polars reports it as an OSError without a number.
    return isinstance(error, OSError) and (
        error.errno == errno.EPIPE or "(os error 32)" in str(error)
    )


def log_file() -> Path:
    """Where unexpected errors are written down."""
    import platformdirs

    return Path(platformdirs.user_log_dir("pandoeren-replay", appauthor=False)) / "pandoeren.log"


def _unexpected(error: Exception) -> str:
    kind = type(error).__name__
    sentence = f"something went wrong that should not have ({kind}: {error})"
    try:
        file = log_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(file, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logger = logging.getLogger("pandoeren_replay")
        logger.addHandler(handler)
        logger.error("%s", " ".join(sys.argv), exc_info=error)
        handler.close()
    except OSError as e:
        return f"{sentence}; the log could not be written ({e})"
    return f"{sentence}; the details are in {file}"


def main() -> None:
    """Entry point of ``pandoeren``: runs the command and turns every error into a sentence."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except CommandError as e:
        sys.exit(_tell(str(e), e.code))
    except KeyboardInterrupt:
        sys.exit(_tell("interrupted; what was not finished was not stored", 130))
    except Exception as e:
        if _is_closed_pipe(e):
            # The reader of our output has gone (`| head`); no more can be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        if _is_expected(e):
            sys.exit(_tell(str(e), 1))
        sys.exit(_tell(_unexpected(e), 1))


def _tell(sentence: str, code: int) -> int:
    print(f"error: {printable(sentence)}", file=sys.stderr)
    return code
