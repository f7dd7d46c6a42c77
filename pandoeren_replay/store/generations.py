"""Generations of a store: immutable DuckDB files and the pointer to the newest one.

A writer copies the current file, changes the copy in one transaction and publishes it under the
next number; readers look at the pointer each time. So nobody ever waits for anybody but a writer
for another writer, and a kill at any moment leaves the store as it was.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pandoeren_replay.store import losses, parts, schema, scores, sums
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.lock import exclusive

POINTER = "CURRENT"
LOCK = "import.lock"
KEEP = 2


class Unchanged(Exception):
    """Raised inside :func:`writing` to leave the store as it is, without an error."""


_NAME = re.compile(r"hands-(\d{6,})\.duckdb")


def number_of(name: str) -> int | None:
    """Generation number of a file name, ``None`` if it is none.

    >>> number_of("hands-000123.duckdb"), number_of("notes.sqlite")
    (123, None)
    """
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else None


def file_name(number: int) -> str:
    """File name of a generation.

    >>> file_name(7)
    'hands-000007.duckdb'
    """
    return f"hands-{number:06d}.duckdb"


def mark_of(file: Path) -> tuple[str, int, int]:
    """What tells a published file from one of the same name in a store that took its place."""
    try:
        found = file.stat()
    except OSError:  # gone since, or not to be looked at: whoever opens it says so
        return file.name, 0, 0
    return file.name, found.st_ino, found.st_mtime_ns


def current_file(folder: Path) -> Path | None:
    """The published file of a store, ``None`` where there is no store yet.

    Raises :class:`StoreError` if the place is taken by something else or the pointer is damaged.
    """
    try:
        taken = folder.exists() and not folder.is_dir()
    except OSError as e:  # a name that is too long, a folder that may not be looked into
        raise StoreError(f"there can be no store at {folder} ({e.strerror})") from None
    if taken:
        raise StoreError(f"{folder} is a file; a store is a folder (name another place with --db)")
    try:
        name = (folder / POINTER).read_text("ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as e:
        raise StoreError(f"the pointer {folder / POINTER} cannot be read ({e})") from None
    if number_of(name) is None:
        raise StoreError(
            f"the pointer {folder / POINTER} says {name[:60]!r}; "
            "expected the name of a file such as hands-000001.duckdb"
        )
    return folder / name


@contextmanager
def writing(folder: Path, waiting: Callable[[], None] | None = None) -> Iterator[Any]:
    """One change of a store: yields a connection in a transaction on a copy; publishes at the end.

    An exception inside leaves the store as it was. ``waiting`` is called once if another importer
    is at work.
    """
    import duckdb

    first = current_file(folder)  # refuses what is no store, before anything is made
    if first is None and folder.exists() and any(folder.iterdir()):
        if not (folder / LOCK).exists():
            raise StoreError(
                f"{folder} is a folder with other files in it and no store; "
                "name a new or empty folder with --db"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise StoreError(f"the store {folder} cannot be made ({e.strerror})") from None
    with exclusive(folder / LOCK, waiting):
        build = folder / f"build-{os.getpid()}.duckdb"
        try:
            current = current_file(folder) or _first_generation(folder, build)
            _sweep(folder, current)
            number = (number_of(current.name) or 0) + 1
            shutil.copyfile(current, build)
            con = connect(build, folder, read_only=False)
            try:
                con.execute("BEGIN")
                _bring_up_to_date(con, folder)
                yield con
                scores.fill(con)
                sums.settle(con, schema.players_view())
                losses.settle(con)
                con.execute("COMMIT")
                con.execute("CHECKPOINT")
            finally:
                con.close()
            if build.stat().st_size >= parts.FROM_BYTES:
                parts.seal(folder, build, number, _renewed)
            _publish(folder, build, file_name(number))
        except Unchanged:
            return
        except duckdb.Error as e:
            raise StoreError(f"the store {folder} could not be written ({first_line(e)})") from e
        except OSError as e:
            raise StoreError(f"the store {folder} could not be written ({first_line(e)})") from e
        finally:
            _clear(build)


@contextmanager
def trying(folder: Path) -> Iterator[Any]:
    """A connection in a transaction on a copy outside the store, which is thrown away at the end.

    Takes no lock and writes nothing in the store's folder, which need not exist.
    """
    import tempfile

    import duckdb

    try:
        with tempfile.TemporaryDirectory(prefix="pandoeren-") as place:
            copy = Path(place) / "copy.duckdb"
            if not _copied(folder, copy):
                schema.create_file(copy)
            con = connect(copy, folder, read_only=False)
            try:
                con.execute("BEGIN")
                _bring_up_to_date(con, folder)
                yield con
            finally:
                con.close()
    except Unchanged:
        return
    except (duckdb.Error, OSError) as e:
        raise StoreError(f"a copy of {folder} to try on failed ({first_line(e)})") from e


def _copied(folder: Path, copy: Path) -> bool:
    """Copy the current file; ``False`` if there is none."""
    for _ in range(3):
        current = current_file(folder)
        if current is None:
            return False
        try:
            shutil.copyfile(current, copy)
            return True
        except FileNotFoundError:
            continue  # two imports were published since; the pointer names a newer file
    raise StoreError(f"the store {folder} points to a file that is not there")


def _first_generation(folder: Path, build: Path) -> Path:
    """Publish an empty store, so that from the first hand on there is always a pointer."""
    lost = [f.name for f in folder.iterdir() if number_of(f.name)]
    if lost:
        raise StoreError(
            f"the pointer {folder / POINTER} is gone; to get the store back, "
            f"write {max(lost)} into a file of that name"
        )
    for rest in folder.glob("build-*"):
        rest.unlink()
    schema.create_file(build)
    _publish(folder, build, file_name(0))
    return folder / file_name(0)


def rewrite(folder: Path) -> None:
    """Publish the current rows in a file made anew, without unused space."""
    import duckdb

    with exclusive(folder / LOCK):
        current = current_file(folder)
        if current is None:
            raise StoreError(f"there is no store at {folder}")
        build = folder / f"build-{os.getpid()}.duckdb"
        try:
            _sweep(folder, current)
            _renewed(current, build)
            _publish(folder, build, file_name((number_of(current.name) or 0) + 1))
        except (duckdb.Error, OSError) as e:
            raise StoreError(f"the store {folder} could not be written ({first_line(e)})") from e
        finally:
            _clear(build)


def _bring_up_to_date(con: Any, folder: Path) -> None:
    """The newest schema, and views that find the parts of the store."""
    if schema.migrate(con, str(folder)) or parts.is_elsewhere(con, folder):
        parts.show(con, folder)
    else:
        parts.check(con)


def _renewed(old: Path, new: Path, without: Sequence[str] = ()) -> None:
    """Make a new file with the rows of an old one, but for those of some tables."""
    import duckdb

    schema.create_file(new)
    with duckdb.connect(str(new)) as con:
        place = str(old).replace("'", "''")
        con.execute(f"ATTACH '{place}' AS old (READ_ONLY)")
        con.execute("BEGIN")
        con.execute("DELETE FROM store_info").fetchall()
        tables = con.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'old'"
        ).fetchall()
        for (table,) in tables:
            if table not in without:
                con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM old.{table}").fetchall()
        if sums.are_there(con):
            sums.show_players(con)
        parts.show(con, old.parent)
        con.execute("COMMIT")
        con.execute("DETACH old")
        con.execute("CHECKPOINT")


def connect(file: Path, folder: Path, read_only: bool) -> Any:
    """Open one DuckDB file; what goes wrong is told as a :class:`StoreError`."""
    import duckdb

    try:
        return duckdb.connect(str(file), read_only=read_only)
    except duckdb.Error as e:
        text = str(e)
        if "newer" in text or "storage version" in text.lower():
            raise StoreError(
                f"the store {folder} was written by a newer version of DuckDB: "
                "please update the program; nothing was changed"
            ) from None
        if not file.exists():
            raise StoreError(
                f"the store {folder} points to {file.name}, which is not there"
            ) from None
        raise StoreError(f"the store {folder} cannot be opened ({first_line(e)})") from None


def _clear(build: Path) -> None:
    """Remove what is left of a build file; if that cannot be, the next import does it."""
    for rest in (build, Path(f"{build}.wal")):
        with suppress(OSError):
            rest.unlink(missing_ok=True)


def first_line(error: Exception) -> str:
    """What an error says, in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__


def _publish(folder: Path, build: Path, name: str) -> None:
    if Path(f"{build}.wal").exists():
        raise StoreError(f"the new file of {folder} is not complete; the store is as it was")
    _sync(build)
    os.replace(build, folder / name)
    pointer = folder / (POINTER + ".tmp")
    with pointer.open("w", encoding="ascii", newline="\n") as f:
        f.write(name + "\n")
        f.flush()
        os.fsync(f.fileno())
    os.replace(pointer, folder / POINTER)
    _sync(folder)
    _sweep(folder, folder / name)


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # Windows cannot open a folder to flush it
        return
    fd = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _sweep(folder: Path, current: Path) -> None:
    """Remove what is no longer needed; the caller holds the lock."""
    newest = number_of(current.name) or 0
    parts.sweep(folder, newest)
    for file in folder.iterdir():
        number = number_of(file.name)
        old = number is not None and (number <= newest - KEEP or number > newest)
        if old or file.name.startswith("build-"):
            # Windows keeps a file that a reader has open; the next import tries again.
            with suppress(OSError):
                file.unlink()
