"""Looking after a store: verify, vacuum, undo an import, names of players."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.replay import replay
from engine.ruleset import RuleSet
from pandoeren_replay.store import generations, parts, sums
from pandoeren_replay.store.decode import decode, original_text
from pandoeren_replay.store.encode import encode
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.merging import merge_sources
from pandoeren_replay.store.store import Store
from pandoeren_replay.store.undoing import take_back
from pandoeren_replay.store.writer import count_hands, insert_rows
from parsers.base import Located

VERIFIED_AT_ONCE = 20_000


def verify(
    store: Store, progress: Callable[[str, int, int], None] | None = None
) -> tuple[int, list[str]]:
    """Read every hand back, replay it and compare all columns; (hands checked, what is wrong).

    Parts of a large store must hold the hands that they held when they were written.
    """
    total = store.count()
    rule_sets: dict[tuple[str, str], RuleSet] = {}
    cur = store.cursor()
    problems = parts.faults(cur)
    last = store.rows("SELECT max(hand_id) AS n FROM hand")[0]["n"] or 0
    done = 0
    # Some numbers at a time: to sort all columns of all hands takes more than there is.
    for first in range(0, last + 1, VERIFIED_AT_ONCE):
        cur.execute(
            "SELECT * FROM hand WHERE hand_id >= ? AND hand_id < ? ORDER BY hand_id",
            [first, first + VERIFIED_AT_ONCE],
        )
        names = [d[0] for d in cur.description]
        for values in cur.fetchall():
            row = dict(zip(names, values, strict=True))
            done += 1
            try:
                problems += _differences(store, row, rule_sets)
            except StoreError as e:
                problems.append(str(e))
            if progress and done % 500 == 0:
                progress("verify", done, total)
    if progress:
        progress("verify", done, total)
    return done, problems


def _differences(
    store: Store, row: dict[str, Any], rule_sets: dict[tuple[str, str], RuleSet]
) -> list[str]:
    key = (row["rules"], row["rules_hash"])
    if key not in rule_sets:
        rule_sets[key] = store.rule_set(*key)
    record = decode(row)
    hand = Located(record, "", row["line"] or 0, original_text(row))
    again = encode(hand, replay(record, rule_sets[key]), row["raw_format"] or "").values
    return [
        f"hand {row['hand_id']}: column {name} is {row[name]!r}, the replay gives {again[name]!r}"
        for name in again
        if name in row and row[name] != again[name]
    ]


def vacuum(store: Store) -> None:
    """Publish a new file with the same rows and no unused space."""
    store.cursor()  # refuses a place without a store, and brings an old one up to date
    generations.rewrite(store.path)


def undo_import(store: Store, import_id: int) -> tuple[int, int]:
    """Take one import back; (hands, rejects) that left. Raises :class:`StoreError` if unknown.

    A hand that another import holds too stays, as that import's; see docs/store.md.
    """
    if not store.rows("SELECT 1 FROM imports WHERE import_id = ?", [import_id]):
        raise StoreError(f"there is no import {import_id} in {store.path}")
    with store.writing() as con:
        before = count_hands(con)
        rejects = con.execute(
            "SELECT count(*) FROM reject WHERE import_id = ?", [import_id]
        ).fetchall()[0][0]
        alone = take_back(con, import_id)
        for table in ("source", "reject", "import_warning", "import_run"):
            con.execute(f"DELETE FROM {table} WHERE import_id = ?", [import_id]).fetchall()
        hands = before - count_hands(con)
        if alone:
            sums.take_out(con, import_id)
    return hands, int(rejects)


def merge_players(store: Store, name: str, others: Sequence[str]) -> None:
    """Count ``others`` as ``name`` from now on."""
    known = {
        r["player"]
        for r in store.rows(
            "SELECT DISTINCT unnest([n, e, s, w]) AS player FROM "
            "(SELECT n, e, s, w FROM hand UNION ALL SELECT n, e, s, w FROM hand_other)"
        )
    }
    for other in others:
        if other not in known:
            raise StoreError(f"no hand in {store.path} has a player named {other!r}")
        if other == name:
            raise StoreError(f"{name!r} is that name already")
    with store.writing() as con:
        con.execute(
            "DELETE FROM player_merge WHERE alias = ? OR alias IN (SELECT unnest(?::VARCHAR[]))",
            [name, list(others)],
        ).fetchall()
        con.execute(
            "INSERT INTO player_merge SELECT unnest(?::VARCHAR[]), ?", [list(others), name]
        ).fetchall()
        _resolve(con)


def _resolve(con: Any) -> None:
    """Work out which name each merged name goes by, and which hands are one because of it."""
    merges = dict(con.execute("SELECT alias, name FROM player_merge").fetchall())
    resolved = []
    for alias in merges:
        name, seen = alias, {alias}
        while name in merges and merges[name] not in seen:
            name = merges[name]
            seen.add(name)
        resolved.append((alias, name))
    con.execute("DELETE FROM player_alias").fetchall()
    insert_rows(con, "player_alias", resolved)
    merge_sources(con)


def split_players(store: Store, names: Sequence[str]) -> None:
    """Undo merges of these names; what was merged into them before stays with them."""
    merged = {r["alias"] for r in store.rows("SELECT alias FROM player_merge")}
    for name in names:
        if name not in merged:
            raise StoreError(f"{name!r} is not merged into another name")
    with store.writing() as con:
        con.execute(
            "DELETE FROM player_merge WHERE alias IN (SELECT unnest(?::VARCHAR[]))", [list(names)]
        ).fetchall()
        _resolve(con)
