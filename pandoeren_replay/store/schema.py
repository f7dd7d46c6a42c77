"""Schema of the store: made anew, checked, and brought up to date without losing a row."""

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.losses import loss_tables, losses_by_card
from pandoeren_replay.store.parts import part_tables
from pandoeren_replay.store.scores import score_tables
from pandoeren_replay.store.sums import import_columns, sum_tables

SCHEMA_VERSION = 13
# Files written so open in DuckDB 1.5 and later, so that a user's own duckdb can read them.
STORAGE_VERSION = "v1.5.0"

# From version n to n + 1: SQL that changes the base tables and keeps every row.
MIGRATIONS: dict[int, str] = {
    1: """
        ALTER TABLE disagreement ADD COLUMN other_id BIGINT;
        CREATE TABLE hand_source (
            hand_id BIGINT NOT NULL, source_id INTEGER NOT NULL, line INTEGER);
        CREATE TABLE hand_other AS
            SELECT *, 0::BIGINT AS merged_into, ''::VARCHAR AS rule FROM hand LIMIT 0;
    """,
    2: """
        CREATE TABLE player_merge (alias VARCHAR NOT NULL, name VARCHAR NOT NULL);
        INSERT INTO player_merge SELECT alias, name FROM player_alias;
    """,
    3: """
        CREATE TABLE hand_version AS
            SELECT *, 0::BIGINT AS replaced_by, 0::INTEGER AS version,
                   NULL::TIMESTAMP AS replaced_at, ''::VARCHAR AS rule FROM hand LIMIT 0;
    """,
    4: """
        CREATE TABLE declaration_value (
            hand_id BIGINT NOT NULL, kind VARCHAR NOT NULL, choice VARCHAR NOT NULL,
            goal VARCHAR NOT NULL, value SMALLINT, best SMALLINT NOT NULL,
            chosen BOOLEAN NOT NULL, solver VARCHAR NOT NULL);
    """,
    5: """
        CREATE TABLE review (
            hand_id BIGINT NOT NULL, kind VARCHAR NOT NULL, ply UTINYINT, call UINTEGER,
            seat UTINYINT NOT NULL, choice VARCHAR NOT NULL, best VARCHAR,
            verdict VARCHAR NOT NULL, chance FLOAT, value FLOAT, best_value FLOAT, loss FLOAT,
            low FLOAT, high FLOAT, open_won BOOLEAN, open_best BOOLEAN, deals UINTEGER NOT NULL,
            exact BOOLEAN NOT NULL, misled BOOLEAN NOT NULL, chances VARCHAR,
            bids UINTEGER, version VARCHAR NOT NULL);
    """,
    6: """
        ALTER TABLE hand RENAME TO hand_row;
        CREATE TABLE hand_kind (
            kind USMALLINT NOT NULL, rules VARCHAR NOT NULL, rules_hash VARCHAR NOT NULL,
            rules_named VARCHAR, contract VARCHAR, contract_key VARCHAR, level SMALLINT,
            target SMALLINT);
    """,
    7: "SELECT 'only views changed'",
}


_HAND_VIEW = "-- {the view hand}"


def _tables() -> str:
    from pandoeren_replay.store.packed import packed_tables

    kept = sum_tables() + part_tables() + loss_tables() + score_tables()
    return _sql("tables.sql") + packed_tables() + kept


def _to_13() -> str:
    return import_columns() + losses_by_card()


def _migration(step: int) -> str:
    if step == 6:
        from pandoeren_replay.store.packed import packed_tables

        return MIGRATIONS[step] + packed_tables()
    made = {
        8: sum_tables, 9: part_tables, 10: loss_tables, 11: score_tables, 12: _to_13,
    }  # fmt: skip
    return made[step]() if step in made else MIGRATIONS[step]


def _views() -> str:
    from pandoeren_replay.store.packed import hand_view

    return _sql("views.sql").replace(_HAND_VIEW, hand_view() + ";")


def _sql(name: str) -> str:
    return (files("pandoeren_replay.store") / name).read_text("utf-8")


def players_view() -> str:
    """SQL of the view ``players`` as it is where the store keeps no sums."""
    views = _sql("views.sql")
    start = views.index("CREATE OR REPLACE VIEW players")
    return views[start : views.index(";", start)]


def create_file(path: Path) -> None:
    """Write an empty store file of the newest schema."""
    path.write_bytes(_empty_file())


@lru_cache(maxsize=1)
def _empty_file() -> bytes:
    """An empty store file; made once a process, as binding all the views takes some tenths of a
    second.
    """
    with TemporaryDirectory(prefix="pandoeren-") as folder:
        path = Path(folder) / "empty.duckdb"
        _create_file(path)
        return path.read_bytes()


def _create_file(path: Path) -> None:
    import duckdb

    con = duckdb.connect(":memory:")
    try:
        place = str(path).replace("'", "''")
        con.execute(f"ATTACH '{place}' AS new_store (STORAGE_VERSION '{STORAGE_VERSION}')")
        con.execute("USE new_store")
        con.execute(_tables())
        con.execute(_views())
        con.execute("INSERT INTO store_info VALUES ('schema_version', ?)", [str(SCHEMA_VERSION)])
        con.execute("USE memory")
        con.execute("DETACH new_store")
    finally:
        con.close()


def new_database() -> Any:
    """A connection to an empty database of the newest schema, in memory."""
    import duckdb

    con = duckdb.connect(":memory:")
    try:
        with TemporaryDirectory(prefix="pandoeren-") as folder:
            empty = Path(folder) / "empty.duckdb"
            create_file(empty)
            place = str(empty).replace("'", "''")
            con.execute(f"ATTACH '{place}' AS empty (READ_ONLY)")
            # Copied as they are, views need not be bound once more.
            con.execute("COPY FROM DATABASE empty TO memory (SCHEMA)")
            con.execute("DETACH empty")
    except (OSError, duckdb.IOException):  # reading asks for no place to write
        con.execute(_tables())
        con.execute(_views())
    return con


def version_of(con: Any, name: str) -> int:
    """Schema version of an open store file; ``name`` is what the error calls it."""
    import duckdb

    try:
        found = con.execute("SELECT value FROM store_info WHERE key = 'schema_version'").fetchall()
    except duckdb.CatalogException:
        found = []
    if not found or not str(found[0][0]).isdigit():
        raise StoreError(f"{name} is a DuckDB file, but not a store of hands")
    return int(found[0][0])


def check_version(con: Any, name: str) -> int:
    """The schema version, if this program can read it; :class:`StoreError` if it is newer."""
    version = version_of(con, name)
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"the store {name} was written by a newer version of this program "
            f"(schema {version}, this program knows {SCHEMA_VERSION}): please update the program; "
            "nothing was changed"
        )
    return version


def migrate(con: Any, name: str) -> bool:
    """Bring an open store file to the newest schema, inside the caller's transaction.

    Whether it had an older one: then the views are those of a store without parts.
    """
    version = check_version(con, name)
    for step in range(version, SCHEMA_VERSION):
        con.execute(_migration(step)).fetchall()
    if version != SCHEMA_VERSION:
        con.execute(_views())
        con.execute(
            "UPDATE store_info SET value = ? WHERE key = 'schema_version'", [str(SCHEMA_VERSION)]
        ).fetchall()
    return version != SCHEMA_VERSION
