"""Hands that were corrected: the old version is kept whole, out of sight (see docs/store.md).

Old versions wait in ``hand_version``, each pointing to the hand that stands for it now. They count
as known, so that importing the old file once more brings nothing back; taking the correction's
import back makes the latest old version the hand again.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from pandoeren_replay.store import losses
from pandoeren_replay.store.packed import delete_hands

VERSION_COLUMNS = "replaced_by, version, replaced_at, rule"


def replace_hand(con: Any, old: int, new: int) -> None:
    """Let ``new`` stand for the hand ``old`` and for whatever ``old`` stood for."""
    con.execute(
        "UPDATE hand_version SET replaced_by = ? WHERE replaced_by = ?", [new, old]
    ).fetchall()
    nth = con.execute(
        "SELECT coalesce(max(version), 0) + 1 FROM hand_version WHERE replaced_by = ?", [new]
    ).fetchall()[0][0]
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    con.execute(
        "INSERT INTO hand_version BY NAME "
        "SELECT *, ?::BIGINT AS replaced_by, ?::INTEGER AS version, ?::TIMESTAMP AS replaced_at, "
        "'' AS rule FROM hand WHERE hand_id = ?",
        [new, nth, now, old],
    ).fetchall()
    # What other sources said of this hand was corrected with it.
    con.execute(
        "INSERT INTO hand_version BY NAME SELECT * EXCLUDE (merged_into), "
        "?::BIGINT AS replaced_by, ?::INTEGER AS version, ?::TIMESTAMP AS replaced_at "
        "FROM hand_other WHERE merged_into = ?",
        [new, nth, now, old],
    ).fetchall()
    delete_hands(con, "hand_id = ?", [old])
    con.execute("DELETE FROM hand_other WHERE merged_into = ?", [old]).fetchall()
    con.execute("DELETE FROM disagreement WHERE hand_id = ?", [old]).fetchall()
    for table in ("violation", "evaluation", "declaration_value", "review", *losses.TABLES):
        con.execute(
            f"DELETE FROM {table} WHERE hand_id IN "
            "(SELECT hand_id FROM hand_version WHERE replaced_by = ?)",
            [new],
        ).fetchall()


def restore(con: Any, replaced_by: int, version: int) -> list[int]:
    """Make an old version the hand again; the numbers of the hands that are shown by it."""
    chosen = "replaced_by = ? AND version = ?"
    shown = con.execute(
        f"SELECT hand_id FROM hand_version WHERE {chosen} AND rule = ''", [replaced_by, version]
    ).fetchall()
    first = shown[0][0] if shown else None
    con.execute(
        f"INSERT INTO hand_row BY NAME SELECT * EXCLUDE ({VERSION_COLUMNS}) FROM hand_version "
        f"WHERE {chosen} AND rule = ''",
        [replaced_by, version],
    ).fetchall()
    con.execute(
        "INSERT INTO hand_other BY NAME SELECT * EXCLUDE (replaced_by, version, replaced_at), "
        f"coalesce(?, hand_id)::BIGINT AS merged_into FROM hand_version "
        f"WHERE {chosen} AND rule <> ''",
        [first, replaced_by, version],
    ).fetchall()
    con.execute(f"DELETE FROM hand_version WHERE {chosen}", [replaced_by, version]).fetchall()
    if first is not None:
        con.execute(
            "UPDATE hand_version SET replaced_by = ? WHERE replaced_by = ?", [first, replaced_by]
        ).fetchall()
    return [i for (i,) in shown]


def restore_orphans(con: Any) -> list[int]:
    """Versions whose hand has gone come back, of each hand the latest; the numbers of the hands."""
    out: list[int] = []
    while True:
        orphans = con.execute(
            "SELECT replaced_by, max(version) FROM hand_version v WHERE NOT EXISTS "
            "(SELECT 1 FROM hand h WHERE h.hand_id = v.replaced_by) AND NOT EXISTS "
            "(SELECT 1 FROM hand_other o WHERE o.hand_id = v.replaced_by) GROUP BY replaced_by"
        ).fetchall()
        if not orphans:
            return out
        for replaced_by, version in orphans:
            out += restore(con, replaced_by, version)


def versions(store: Any, hand_id: int) -> list[dict[str, Any]]:
    """Old versions of a hand, the latest first: ``version``, ``hand_id``, ``hash``, ``text``.

    ``replaced_at`` is when the next version came (UTC).
    """
    from pandoeren_replay.store.decode import original_text

    rows: Sequence[dict[str, Any]] = store.rows(
        "SELECT * FROM hand_version WHERE replaced_by = ? AND rule = '' ORDER BY version DESC",
        [hand_id],
    )
    return [
        {
            "version": r["version"],
            "hand_id": r["hand_id"],
            "hash": f"{r['hash']:016x}",
            "replaced_at": r["replaced_at"],
            "text": original_text(r),
        }
        for r in rows
    ]
