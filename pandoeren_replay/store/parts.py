"""Parts of a very large store: packed hands in Parquet files that no import copies.

An import copies the store's file, changes the copy and publishes it (:mod:`.generations`). When the
file has grown past :data:`FROM_BYTES`, the packed hands in it go over to files in the folder
``parts`` that never change again, and the file begins anew without them. The view ``hand`` shows
both; the table ``part`` says which files there are. A hand that must change after all is brought
back into the file, and the table ``part_gone`` hides it in its part. Hands that need the wide table
stay in the file.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pandoeren_replay.store.columns import PACKED, ROW_GROUP, TOLD
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.packed import HAND_TABLES, hand_view

FROM_BYTES = 2 << 30
"""Size of a store's file from which on its packed hands go over to parts."""
FOLDER = "parts"
SEALED = ("hand_packed", "hand_told")
"""The tables whose hands can be in parts."""
MEMORY = "1GB"
"""What DuckDB may keep while it writes a part."""
_NAME = re.compile(r"(hand_packed|hand_told)-(\d{6,})\.parquet")
_PLACE = "parts"
"""Key in ``store_info``: where the views of the file look for its parts."""


def part_tables() -> str:
    """SQL that makes the tables about parts."""
    return (
        "CREATE TABLE part (name VARCHAR NOT NULL, kind VARCHAR NOT NULL, hands BIGINT NOT NULL, "
        "last_id BIGINT NOT NULL); CREATE TABLE part_gone (name VARCHAR NOT NULL, "
        "hand_id BIGINT NOT NULL);"
    )


def number_of(name: str) -> int | None:
    """Generation that made a part, ``None`` if a file is none.

    >>> number_of("hand_packed-000012.parquet"), number_of("notes.txt")
    (12, None)
    """
    found = _NAME.fullmatch(name)
    return int(found[2]) if found else None


def files(con: Any) -> list[tuple[str, str]]:
    """(table, whole name) of the parts of a store, the oldest first."""
    found: list[tuple[str, str]] = con.execute(
        "SELECT p.kind, i.value || '/' || p.name FROM part p, store_info i WHERE i.key = ? "
        "ORDER BY p.name",
        [_PLACE],
    ).fetchall()
    return found


def count_hands(con: Any) -> int:
    """Number of hands that are shown."""
    counts = [f"(SELECT count(*) FROM {t})" for t in HAND_TABLES]
    counts.append("(SELECT coalesce(sum(hands), 0) FROM part) - (SELECT count(*) FROM part_gone)")
    return int(con.execute(f"SELECT {' + '.join(counts)}").fetchall()[0][0])


def last_id(con: Any) -> int:
    """The highest number of a hand in parts, 0 if there are none."""
    return int(con.execute("SELECT coalesce(max(last_id), 0) FROM part").fetchall()[0][0])


def faults(con: Any) -> list[str]:
    """What is wrong with the parts of a store: files that hold other hands than they did."""
    out = []
    told = dict(con.execute("SELECT name, [hands, last_id] FROM part").fetchall())
    for _, file in files(con):
        found = con.execute(
            "SELECT count(*), coalesce(max(hand_id), 0) FROM read_parquet(?)", [file]
        ).fetchall()[0]
        hands, last = told[Path(file).name]
        if found != (hands, last):
            out.append(
                f"{file}: found {found[0]} hands up to number {found[1]}, "
                f"expected {hands} up to {last}; put back the file that was there"
            )
    return out


def check(con: Any) -> None:
    """Raises :class:`StoreError` where a part is gone, damaged or another one, by its end alone."""
    import duckdb

    told = dict(con.execute("SELECT name, hands FROM part").fetchall())
    for _, file in files(con):
        asked = f"put back {file} as it was, from a copy of the store"
        try:
            found = con.execute("SELECT count(*) FROM read_parquet(?)", [file]).fetchall()[0][0]
        except duckdb.Error as e:
            why = "cannot be read" if os.path.exists(file) else "is gone"
            raise StoreError(f"a part of the store {why}: {asked}") from e
        if found != told[Path(file).name]:
            expected = told[Path(file).name]
            raise StoreError(f"a part has {found} hands, expected {expected}: {asked}")


def show(con: Any, folder: Path) -> None:
    """Let the view ``hand`` show the parts in ``folder``, where there are any."""
    if not con.execute("SELECT 1 FROM part").fetchall():
        return
    con.execute("DELETE FROM store_info WHERE key = ?", [_PLACE]).fetchall()
    place = str((folder / FOLDER).resolve())
    con.execute("INSERT INTO store_info VALUES (?, ?)", [_PLACE, place]).fetchall()
    check(con)
    _make_view(con)


def shown(con: Any) -> list[tuple[str, str]]:
    """What of each part is shown: the table whose columns it has, and something to select from."""
    gone = {name for (name,) in con.execute("SELECT DISTINCT name FROM part_gone").fetchall()}
    return [(table, _scan(file, Path(file).name in gone)) for table, file in files(con)]


def _make_view(con: Any) -> None:
    con.execute(hand_view(shown(con)))


def _scan(file: str, some_gone: bool) -> str:
    """What of a part is shown, as something to select from."""
    hidden = ""
    if some_gone:
        name = Path(file).name
        hidden = f" WHERE hand_id NOT IN (SELECT hand_id FROM part_gone WHERE name = '{name}')"
    place = file.replace("'", "''")
    return f"(SELECT * FROM read_parquet('{place}'){hidden})"


def is_elsewhere(con: Any, folder: Path) -> bool:
    """Whether the views of an open file look for its parts where the store is not (any more)."""
    found = con.execute("SELECT value FROM store_info WHERE key = ?", [_PLACE]).fetchall()
    return bool(found) and found[0][0] != str((folder / FOLDER).resolve())


def bring_back(con: Any, where: str, params: Sequence[Any]) -> None:
    """Bring hands back from parts into the tables, because they are about to change.

    ``where`` is about columns that all tables of hands have.
    """
    found = files(con)
    if not found:
        return
    gone = "SELECT count(DISTINCT name) FROM part_gone"
    before = con.execute(gone).fetchall()
    for table, file in found:
        kept = ", ".join(PACKED | TOLD if table == "hand_told" else PACKED)
        con.execute(
            f"CREATE OR REPLACE TEMP TABLE coming_back AS SELECT {kept} FROM {_scan(file, True)} "
            f"WHERE {where}",
            list(params),
        ).fetchall()
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM coming_back").fetchall()
        con.execute(
            "INSERT INTO part_gone SELECT ?, hand_id FROM coming_back", [Path(file).name]
        ).fetchall()
        con.execute("DROP TABLE coming_back").fetchall()
    if con.execute(gone).fetchall() != before:
        _make_view(con)


def seal(
    folder: Path, build: Path, number: int, renewed: Callable[[Path, Path, Sequence[str]], None]
) -> None:
    """Let the packed hands of a file that is about to be published go over to parts.

    ``renewed`` makes a new file out of an old one, without the rows of some tables. A part belongs
    to the store when the file that names it is published; until then it counts as left over.
    """
    import duckdb

    place = folder / FOLDER
    place.mkdir(exist_ok=True)
    made = []
    with duckdb.connect(str(build), read_only=True) as con:
        con.execute(f"SET memory_limit = '{MEMORY}'")
        for table in SEALED:
            hands, last = con.execute(
                f"SELECT count(*), coalesce(max(hand_id), 0) FROM {table}"
            ).fetchall()[0]
            if not hands:
                continue
            name = f"{table}-{number:06d}.parquet"
            _write(con, table, place / name)
            made.append((name, table, hands, last))
    if not made:
        return
    fresh = build.with_name(f"{build.stem}-fresh{build.suffix}")
    renewed(build, fresh, SEALED)
    with duckdb.connect(str(fresh)) as con:
        con.execute("BEGIN")
        con.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", made)
        show(con, folder)
        con.execute("COMMIT")
        con.execute("CHECKPOINT")
    os.replace(fresh, build)


def _write(con: Any, table: str, place: Path) -> None:
    temporary = str(place) + ".tmp"
    target = temporary.replace("'", "''")
    con.execute(
        f"COPY {table} TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
    ).fetchall()
    with open(temporary, "rb+") as f:
        os.fsync(f.fileno())
    os.replace(temporary, place)


def sweep(folder: Path, newest: int) -> None:
    """Remove parts that no published file names: what a stopped import left."""
    place = folder / FOLDER
    if place.is_dir():
        for file in place.iterdir():
            number = number_of(file.name)
            if file.name.endswith(".tmp") or (number is not None and number > newest):
                file.unlink()
