"""Reading a store: one read-only connection per generation, a cursor for every call."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pandoeren_replay.store import parts, schema, sums
from pandoeren_replay.store.errors import NotThere, StoreError
from pandoeren_replay.store.generations import connect, current_file, first_line, mark_of, writing

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
                raise NotThere(
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
            old = version < schema.SCHEMA_VERSION
            if old or parts.is_elsewhere(con, folder):
                # Written by an older version of this program, or in a folder that was moved since:
                # brought up to date once, as a generation of its own.
                con.close()
                try:
                    with writing(folder):
                        pass
                    continue
                except StoreError as e:
                    if old:
                        raise StoreError(
                            f"the store {folder} is of an older version of this program and must "
                            f"be brought up to date before it can be read, which failed: {e}"
                        ) from e
                    # Perhaps nobody may write here: to be read it need not be.
                    con = _moved(file, folder)
            try:
                parts.check(con)
            except StoreError:
                con.close()
                raise
            # The old connection is not closed here: cursors of other threads may be using it.
            _open[folder] = (mark, con)
            return con.cursor()
    raise StoreError(f"the store {folder} changes too fast to be read; try again")


def _moved(file: Path, folder: Path) -> Any:
    """A connection to a store whose parts are elsewhere than its file says, without writing.

    The views are made anew in memory, over the tables of the file and the parts in ``folder``.
    """
    import duckdb

    con = schema.new_database()
    try:
        place = str(file).replace("'", "''")
        con.execute(f"ATTACH '{place}' AS moved (READ_ONLY)")
        tables = con.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'moved'"
        ).fetchall()
        for (table,) in tables:
            if table == "store_info":  # it says where the parts are
                con.execute(f"INSERT INTO {table} SELECT * FROM moved.{table}").fetchall()
                continue
            con.execute(f"DROP TABLE {table}")
            con.execute(f"CREATE VIEW {table} AS SELECT * FROM moved.{table}")
        if sums.are_there(con):
            sums.show_players(con)
        parts.show(con, folder)
    except duckdb.Error as e:
        con.close()
        raise StoreError(f"the store {folder} cannot be opened ({first_line(e)})") from e
    except StoreError:
        con.close()
        raise
    return con


@contextmanager
def telling(folder: Path, opened: Callable[[], Any]) -> Iterator[None]:
    """Where reading fails because the store's files are gone or damaged, say so.

    Turns an error of DuckDB into a :class:`StoreError` if the files are the cause; other errors,
    such as those of a query, stay what they are. ``opened`` gives a cursor of the store.
    """
    import duckdb

    try:
        yield
    except duckdb.Error as e:
        try:
            parts.check(opened())
        except duckdb.Error:  # then it is the file itself, or the disk
            raise _unreadable(folder, e) from e
        # A query may read files of the user's own too; what is the store's is named by its place.
        broken = isinstance(e, duckdb.IOException) and str(folder.resolve()) in str(e)
        if broken or isinstance(e, duckdb.FatalException):
            raise _unreadable(folder, e) from e
        raise


def _unreadable(folder: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the store {folder} cannot be read any more ({first_line(error)}): see that its disk is "
        "there and can be read, or put back a copy of the store"
    )
