"""``show``: one hand as text."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    RulesOption,
    open_store,
    printable,
    read_options,
)

if TYPE_CHECKING:
    from engine.state import Replay

_SUFFIX = re.compile(r"\.[a-z]{2,8}$", re.IGNORECASE)
"""How the name of a file of hands ends: an id or a number does not."""


def show(
    hand: Annotated[str, typer.Argument(help="Number or id of a stored hand, or FILE:LINE.")],
    ply: Annotated[
        int | None,
        typer.Option("--ply", help="Cards on the table, 0 to 32 (default: the whole hand)."),
    ] = None,
    seat: Annotated[
        str | None, typer.Option("--seat", help="Only what this seat could see: N, E, S or W.")
    ] = None,
    original: Annotated[
        bool, typer.Option("--original", help="The text as its source had it.")
    ] = False,
    sources: Annotated[
        bool, typer.Option("--sources", help="Every source of a stored hand, with its text.")
    ] = False,
    rules: RulesOption = None,
    db: DbOption = None,
) -> None:
    """Show a hand as text: the table, the auction, the tricks, what was broken."""
    from pandoeren_replay.table_text import table_text

    who = None
    if seat is not None:
        who = "NESW".find(seat.upper()) if len(seat) == 1 else -1
        if who < 0:
            raise CommandError(f"--seat {seat}: expected N, E, S or W", 2)
    if sources:
        _sources(hand, db)
        return
    replay, text = find_hand(hand, rules, db)
    if original:
        print(printable(text))
        return
    last = len(replay.states) - 1
    if ply is not None and not 0 <= ply <= last:
        raise CommandError(f"--ply {ply}: this hand has plies 0 to {last}", 2)
    print(printable(table_text(replay, ply, who)), end="")


def _sources(name: str, db: Path | None) -> None:
    store = open_store(db)
    for told in store.sources_of(name):
        place = f"{told['source']}:{told['line']}"
        print(printable(f"{place} ({told['format']}, import {told['import_id']}, {told['kind']})"))
        print(printable("    " + told["text"].rstrip("\n").replace("\n", "\n    ")))
    number = store.find(name)
    for d in store.rows("SELECT * FROM disagreements WHERE hand_id = ? ORDER BY ALL", [number]):
        said = f"{d['source']}:{d['line']} says {d['other']}, kept is {d['kept']}"
        print(printable(f"disagreement: {said}"))


def find_hand(name: str, rules: str | None, db: Path | None) -> "tuple[Replay, str]":
    """A stored hand, or one of a file (FILE:LINE), replayed, and its original text.

    Raises :class:`~pandoeren_replay.store.errors.NotThere` for what is neither, a
    :class:`CommandError` where it looks like a file that is not there.
    """
    from pandoeren_replay.store.errors import NotThere

    file, _, line = name.rpartition(":")
    of_file = bool(file) and line.isdecimal() and len(line) < 10
    if of_file and os.path.isfile(file):
        return _from_file(Path(file), int(line), rules)
    if os.path.isfile(name):
        raise CommandError(f"{name} is a file: name the line of the hand too, such as {name}:2", 2)
    store = open_store(db)
    try:
        if rules is not None:
            from engine.replay import replay
            from engine.rulefile import load_ruleset

            return replay(store.record(name), load_ruleset(rules)), store.text(name)
        return store.replay(name), store.text(name)
    except NotThere as e:
        if not of_file and not _SUFFIX.search(name):
            raise
        # A source that is in the store can be named so as well.
        stored = f", and no hand {name!r} in the store {store.path}" if store.exists() else ""
        raise CommandError(f"there is no file {file if of_file else name}{stored}") from e


def _from_file(path: Path, line: int, rules: str | None) -> "tuple[Replay, str]":
    from pandoeren_replay.importer import RulesFinder, replay_located
    from parsers.detect import read_path

    options = read_options(rules)
    result = read_path(path, options, "auto")
    before = [h for h in result.hands if h.line <= line]
    bad = [r for r in result.rejects if r.line <= line]
    if bad and (not before or bad[-1].line > before[-1].line):
        raise CommandError(f"that hand cannot be read: {bad[-1]}")
    if not before or _is_past_end(path, line):
        raise CommandError(f"there is no hand at line {line} of {path}")
    done = replay_located(before[-1], RulesFinder(options))
    if done.replay is None:
        raise CommandError(str(done.reject))
    return done.replay, before[-1].raw


def _is_past_end(path: Path, line: int) -> bool:
    """Whether a file of text has no such line; what is packed has lines of its own."""
    data = path.read_bytes()
    return not data.startswith((b"PK", b"\x1f\x8b", b"PAR1")) and line > len(data.splitlines())


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("show", epilog="Example: `pandoeren show evening.phl:12 --ply 9`")(show)
