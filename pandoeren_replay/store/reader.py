"""Reading a store: one read-only connection per generation, a cursor for every call."""

import threading
from pathlib import Path
from typing import Any

from pandoeren_replay.store import parts, schema
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.generations import connect, current_file, mark_of, writing

_lock = threading.Lock()
_open: dict[Path, tuple[tuple[str, int, int], Any]] = {}


def cursor(folder: Path) -> Any:
    """A fresh cursor on the newest generation of a store.

    Raises :class:`StoreError` if there is no store, or one that this program cannot read.
    """
    folder = folder.resolve()
    with _lock:
        for attempt in range(3):
            file = current_file(folder)
            if file is None:
                raise StoreError(
                    f"there is no store at {folder} yet; `pandoeren import FILE` makes one"
                )
            known = _open.get(folder)
            mark = mark_of(file)
            if known and known[0] == mark:
                return known[1].cursor()
            if known and known[0][0] == file.name:
                # Another store in its place: while the old file is open, its name leads to it.
                del _open[folder]
                known[1].close()
            try:
                con = connect(file, folder, read_only=True)
            except StoreError:
                # Two imports may have been published since the pointer was read.
                if attempt == 2 or current_file(folder) == file:
                    raise
                continue
            try:
                version = schema.check_version(con, str(folder))
            except StoreError:
                con.close()
                raise
            if version < schema.SCHEMA_VERSION or parts.is_elsewhere(con, folder):
                # Written by an older version of this program, or in a folder that was moved since:
                # brought up to date once, as a generation of its own.
                con.close()
                with writing(folder):
                    pass
                continue
            try:
                parts.check(con)
            except StoreError:
                con.close()
                raise
            # The old connection is not closed here: cursors of other threads may be using it.
            _open[folder] = (mark, con)
            return con.cursor()
    raise StoreError(f"the store {folder} changes too fast to be read; try again")
