"""Hands that a lake has already, or that come twice in an import: found over all parts at once."""

import json
import os
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

from pandoeren_replay.lake import IMPORTS, Lake, quoted, scan
from pandoeren_replay.lake_part import appear, copy
from pandoeren_replay.store.writer import Disagreement


@dataclass(slots=True)
class Dropped:
    """Hands left, and what the dropped ones say otherwise."""

    left: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)


def drop_doubles(lake: Lake, staging: Path) -> Dropped:
    """Take out of the staged parts what is there already; the first of equal hands stays.

    Only the numbers of hands are read, and DuckDB lays aside on the disk what memory cannot hold.
    """
    import duckdb

    staged = sorted(str(f) for f in staging.glob("hands-*.parquet"))
    out = Dropped()
    if not staged:
        return out
    there = lake.files(f"{IMPORTS}/hands-*.parquet")
    con = duckdb.connect(":memory:")
    try:
        con.execute(f"SET temp_directory = {quoted(str(staging / '.spill'))}")
        total = con.execute(f"SELECT count(*) FROM {_rows(staged, 'hand_id')}").fetchall()[0][0]
        every = _rows(staged, "hand_id")
        if there:
            every = f"(SELECT * FROM {every} UNION ALL SELECT * FROM {_rows(there, 'hand_id')})"
        con.execute(
            f"CREATE TABLE double AS SELECT hand_id FROM {every} GROUP BY hand_id "
            "HAVING count(*) > 1"
        ).fetchall()
        mine = "hand_id IN (SELECT hand_id FROM double)"
        con.execute("CREATE TABLE kept (hand_id BIGINT, result VARCHAR)")
        if there:
            con.execute(
                f"INSERT INTO kept SELECT hand_id, result FROM {_rows(there, 'hand_id, result')} "
                f"WHERE {mine}"
            ).fetchall()
        con.execute(
            "CREATE TABLE found AS SELECT hand_id, filename, file_row_number AS row, result, "
            "source, line, row_number() OVER (PARTITION BY hand_id ORDER BY filename, "
            f"file_row_number) AS nth FROM {_rows(staged, '*', numbered=True)} WHERE {mine}"
        ).fetchall()
        con.execute(
            "CREATE TABLE loser AS SELECT * FROM found WHERE nth > 1 "
            "OR hand_id IN (SELECT hand_id FROM kept)"
        ).fetchall()
        con.execute(
            "INSERT INTO kept SELECT hand_id, result FROM found WHERE nth = 1 "
            "AND hand_id NOT IN (SELECT hand_id FROM kept)"
        ).fetchall()
        out.disagreements = _told(con, staging)
        lost = con.execute("SELECT filename, count(*) FROM loser GROUP BY filename").fetchall()
        for name, n in lost:
            _rewrite(con, Path(name), n)
        out.left = total - sum(n for _, n in lost)
    finally:
        con.close()
    spill = staging / ".spill"
    if spill.is_dir():
        spill.rmdir()
    return out


def _rows(files: list[str], columns: str, numbered: bool = False) -> str:
    more = ", filename = true, file_row_number = true" if numbered else ""
    names = ", ".join(map(quoted, files))
    return f"(SELECT {columns} FROM read_parquet([{names}], union_by_name = true{more}))"


def _rewrite(con: Any, part: Path, dropped: int) -> None:
    """A part, and its violations, without the hands dropped."""
    name = quoted(str(part))
    violations = part.with_name(part.name.replace("hands-", "violations-", 1))
    # No hand is in a part twice, so its number tells it.
    whole = con.execute(f"SELECT count(*) FROM read_parquet({name})").fetchall()[0][0]
    gone = f"SELECT hand_id FROM loser WHERE filename = {name}"
    if violations.exists():
        copy(
            con,
            f"SELECT * FROM read_parquet({quoted(str(violations))}) WHERE hand_id NOT IN ({gone})",
            violations,
        )
    if whole == dropped:
        os.unlink(part)
        violations.unlink(missing_ok=True)
        return
    copy(con, f"SELECT * FROM read_parquet({name}) WHERE hand_id NOT IN ({gone})", part)


def _told(con: Any, staging: Path) -> list[Disagreement]:
    """What the dropped hands say otherwise, those of an interrupted run before this one too."""
    place = staging / "disagreements.json"
    before = json.loads(place.read_text("utf-8")) if place.exists() else []
    found = [Disagreement(*d) for d in before]
    found += [d for d in _disagreements(con) if d not in found]
    if found:
        text = json.dumps([astuple(d) for d in found])
        appear(place, lambda f: f.write_text(text, "utf-8"))
    return found


def _disagreements(con: Any) -> list[Disagreement]:
    """Dropped hands with another recorded result than the one kept."""
    rows = con.execute(
        "SELECT l.hand_id, l.source, l.line, coalesce(k.result, '.'), l.result FROM loser l "
        "JOIN kept k ON k.hand_id = l.hand_id WHERE l.result IS NOT NULL "
        "AND l.result <> coalesce(k.result, '.') ORDER BY l.filename, l.row"
    ).fetchall()
    return [Disagreement(*row) for row in rows]


def known_disagreements(lake: Lake) -> set[tuple[int, str]]:
    """Hand and other result of what was told before."""
    import duckdb

    files = lake.files(f"{IMPORTS}/disagreements.parquet")
    if not files:
        return set()
    with duckdb.connect() as con:
        return set(con.execute(f"SELECT hand_id, other FROM {scan(files)}").fetchall())


def known_rejects(lake: Lake) -> set[tuple[str, int, int, str, str]]:
    """What could not be read before: source, line, column, message and text."""
    import duckdb

    files = lake.files(f"{IMPORTS}/rejects.parquet")
    if not files:
        return set()
    with duckdb.connect() as con:
        return set(
            con.execute(f"SELECT source, line, col, message, raw FROM {scan(files)}").fetchall()
        )
