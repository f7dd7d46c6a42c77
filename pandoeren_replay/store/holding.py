"""Who holds a hand: sources that bring a record once more, in the same words or in other ones."""

from collections.abc import Sequence
from typing import Any

from pandoeren_replay.store.columns import HAND, PACKED, TOLD
from pandoeren_replay.store.packed import unpacked

SAME = "same"
"""Rule of a record with the same content hash whose text says more or something else."""

# What may differ between two records of the same content.
_TELLING = (
    "rules_named", "site", "src", "meta_keys", "meta_rest", "result", "raw", "raw_format",
)  # fmt: skip


_COLUMNS = {"hand_row": HAND, "hand_packed": PACKED | TOLD, "hand_told": PACKED | TOLD}


def hold(con: Any, tables: Sequence[tuple[str, Any]]) -> bool:
    """Write down which source holds which hand; whether a source of that name is new to one.

    ``tables`` are Arrow tables, each with the name of the table of hands that it has the columns of
    (``hand_id`` not filled in); the store has a record of each content. One that says the same in
    other words, or with another result, is kept whole in ``hand_other``, so that it is still there
    when the first is taken back.
    """
    news = False
    for name, table in tables:
        con.register("incoming_as_is", _whole(table, _COLUMNS[name]))
        try:
            query = "SELECT * FROM incoming_as_is"
            if name != "hand_row":
                query = unpacked("incoming_as_is")
            con.execute(f"CREATE OR REPLACE TEMP TABLE incoming_double AS {query}").fetchall()
            news = _hold(con, "incoming_double") or news
        finally:
            con.unregister("incoming_as_is")
    if tables:
        con.execute("DROP TABLE incoming_double").fetchall()
    return news


def _whole(table: Any, columns: dict[str, Any]) -> Any:
    """With the columns that are empty for all of its hands."""
    import pyarrow as pa

    for column, kind in columns.items():
        if column not in table.column_names:
            table = table.append_column(column, pa.nulls(len(table), kind))
    return table


def _hold(con: Any, incoming: str) -> bool:
    telling = ", ".join(_TELLING)
    same = " AND ".join(f"k.{c} IS NOT DISTINCT FROM d.{c}" for c in _TELLING)
    fields = f"hand_id, hash, {telling}"
    known = (
        f"(SELECT {fields} FROM hand WHERE hash IN (SELECT hash FROM {incoming}) UNION ALL "
        f"SELECT {fields} FROM hand_other WHERE hash IN (SELECT hash FROM {incoming}))"
    )
    base = max(
        con.execute(f"SELECT coalesce(max(hand_id), 0) FROM {t}").fetchall()[0][0]
        for t in ("hand", "hand_other", "hand_version")
    )
    con.execute(
        f"INSERT INTO hand_other BY NAME SELECT * REPLACE ("
        f"{base} + row_number() OVER (ORDER BY source_id, line) AS hand_id), '{SAME}' AS rule "
        f"FROM (SELECT d.*, f.merged_into FROM {incoming} d JOIN "
        f"(SELECT hash, min(hand_id) AS merged_into FROM {known} GROUP BY hash) f "
        f"ON f.hash = d.hash WHERE NOT EXISTS "
        f"(SELECT 1 FROM {known} k WHERE k.hash = d.hash AND {same}) "
        f"QUALIFY row_number() OVER (PARTITION BY d.hash, "
        f"{', '.join(f'd.{c}' for c in _TELLING)} ORDER BY d.source_id, d.line) = 1)"
    ).fetchall()
    added = con.execute("SELECT count(*) FROM hand_other WHERE hand_id > ?", [base]).fetchall()[0][
        0
    ]
    con.execute(
        "CREATE OR REPLACE TEMP TABLE holder AS "
        f"SELECT k.hand_id, d.source_id, min(d.line) AS line FROM {incoming} d "
        f"JOIN {known} k ON k.hash = d.hash AND {same} "
        "WHERE NOT EXISTS (SELECT 1 FROM hand h WHERE h.hand_id = k.hand_id "
        "AND h.source_id = d.source_id) AND NOT EXISTS (SELECT 1 FROM hand_other o "
        "WHERE o.hand_id = k.hand_id AND o.source_id = d.source_id) AND NOT EXISTS "
        "(SELECT 1 FROM hand_source s WHERE s.hand_id = k.hand_id AND s.source_id = d.source_id) "
        "GROUP BY ALL"
    ).fetchall()
    fresh = con.execute(
        "SELECT count(*) FROM holder n JOIN source mine ON mine.source_id = n.source_id "
        "WHERE NOT EXISTS (SELECT 1 FROM (SELECT hand_id, source_id FROM hand UNION ALL "
        "SELECT hand_id, source_id FROM hand_other UNION ALL "
        "SELECT hand_id, source_id FROM hand_source) h JOIN source s ON s.source_id = h.source_id "
        "WHERE h.hand_id = n.hand_id AND s.name = mine.name)"
    ).fetchall()[0][0]
    con.execute("INSERT INTO hand_source SELECT * FROM holder").fetchall()
    con.execute("DROP TABLE holder").fetchall()
    return bool(added or fresh)
