"""Taking one import away, and nothing else (see docs/store.md)."""

from typing import Any

from pandoeren_replay.store import losses
from pandoeren_replay.store.merging import judge_again, merge_sources, near_others, point_copies
from pandoeren_replay.store.packed import HAND_TABLES
from pandoeren_replay.store.parts import bring_back
from pandoeren_replay.store.versions import restore_orphans


def take_back(con: Any, import_id: int) -> bool:
    """Take the sources of one import away; what another source holds stays, as that source's.

    A record goes over to the first other source that holds just the same; else it leaves, and
    what other sources said of the same hand stands for it. Whether hands have left and no other
    has changed.
    """
    mine = "source_id IN (SELECT source_id FROM source WHERE import_id = ?)"
    bring_back(con, mine, [import_id])
    tables = (*HAND_TABLES, "hand_other", "hand_version")
    held = " UNION ALL ".join(f"SELECT hand_id FROM {t} WHERE {mine}" for t in tables)
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE taken AS {held}", [import_id] * len(tables)
    ).fetchall()
    entangled = _entangled(con, mine, import_id)
    before = _beside(con)
    con.execute(f"DELETE FROM hand_source WHERE {mine}", [import_id]).fetchall()
    for table in tables:
        con.execute(
            f"UPDATE {table} SET source_id = s.source_id, line = s.line FROM "
            "(SELECT hand_id, min(source_id) AS source_id, arg_min(line, source_id) AS line "
            f"FROM hand_source GROUP BY hand_id) s WHERE {table}.hand_id = s.hand_id AND "
            f"{table}.{mine}",
            [import_id],
        ).fetchall()
        con.execute(
            f"DELETE FROM hand_source WHERE EXISTS (SELECT 1 FROM {table} h WHERE "
            "h.hand_id = hand_source.hand_id AND h.source_id = hand_source.source_id)"
        ).fetchall()
        con.execute(f"DELETE FROM {table} WHERE {mine}", [import_id]).fetchall()
    con.execute("DELETE FROM disagreement WHERE import_id = ?", [import_id]).fetchall()
    if entangled:
        judge_again(con, restore_orphans(con))
        point_copies(con)
        merge_sources(con)
    gone = (
        "SELECT hand_id FROM taken t WHERE "
        "NOT EXISTS (SELECT 1 FROM hand h WHERE h.hand_id = t.hand_id) AND "
        "NOT EXISTS (SELECT 1 FROM hand_other o WHERE o.hand_id = t.hand_id)"
    )
    con.execute(f"CREATE OR REPLACE TEMP TABLE gone AS {gone}").fetchall()
    valued = ("evaluation", "declaration_value", "review", *losses.TABLES)
    for table in ("violation", *valued, "disagreement"):
        con.execute(f"DELETE FROM {table} WHERE hand_id IN (SELECT hand_id FROM gone)").fetchall()
    every = con.execute(
        "SELECT (SELECT count(*) FROM gone) = (SELECT count(*) FROM taken)"
    ).fetchall()[0][0]
    con.execute("DROP TABLE taken; DROP TABLE gone").fetchall()
    return bool(every) and _beside(con) == before


def _entangled(con: Any, mine: str, import_id: int) -> bool:
    """Whether another source may have to do with the hands of an import (the table ``taken``)."""
    asked = (
        f"SELECT 1 FROM hand_source WHERE {mine}",
        f"SELECT 1 FROM hand_other WHERE {mine}",
        f"SELECT 1 FROM hand_version WHERE {mine}",
        "SELECT 1 FROM hand_source JOIN taken USING (hand_id)",
        "SELECT 1 FROM hand_other o JOIN taken t ON t.hand_id = o.merged_into",
        "SELECT 1 FROM hand_version v JOIN taken t ON t.hand_id = v.replaced_by",
    )
    for query in asked:
        if con.execute(f"{query} LIMIT 1", [import_id] * query.count("?")).fetchall():
            return True
    new = con.execute("SELECT source_id FROM source WHERE import_id = ?", [import_id]).fetchall()
    return near_others(con, [i for (i,) in new])


def _beside(con: Any) -> set[tuple[Any, ...]]:
    """The records that are not shown as hands of their own, and where they are."""
    found: list[tuple[Any, ...]] = con.execute(
        "SELECT hand_id, source_id, merged_into, rule, NULL FROM hand_other UNION ALL "
        "SELECT hand_id, source_id, replaced_by, rule, version FROM hand_version"
    ).fetchall()
    return set(found)
