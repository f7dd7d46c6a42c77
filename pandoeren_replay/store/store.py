"""One store of hands: read, query, import."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pandoeren_replay.store import generations, reader
from pandoeren_replay.store.errors import NotThere, StoreError

if TYPE_CHECKING:
    import polars as pl

    from engine.record import HandRecord
    from engine.ruleset import RuleSet
    from engine.state import Replay
    from pandoeren_replay.importer import ImportTotals
    from parsers.base import Options, Source

APP = "pandoeren-replay"
_HASH = re.compile(r"[0-9a-f]{16}")


def default_path() -> Path:
    """Where the store is when nobody names one: in the user's own data directory."""
    import platformdirs

    return Path(platformdirs.user_data_dir(APP, appauthor=False)) / "hands"


@lru_cache(maxsize=64)
def _rule_set(content: str) -> "RuleSet":
    from engine.ruleset import RuleSet

    return RuleSet.model_validate_json(content)


class Store:
    """A store of hands in a folder; made by the first import.

    Reading never waits for an import. Every reading method looks at the newest generation.
    All of them raise :class:`StoreError` with one sentence if there is no store to read.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    # -- reading ---------------------------------------------------------------------------

    def exists(self) -> bool:
        """Whether anything was published here."""
        return generations.current_file(self.path) is not None

    def file(self) -> Path:
        """The current DuckDB file."""
        file = generations.current_file(self.path)
        if file is None:
            raise NotThere(
                f"there is no store at {self.path} yet; `pandoeren import FILE` makes one"
            )
        return file

    def generation(self) -> int:
        """Number of the current generation; it changes with every import."""
        return generations.number_of(self.file().name) or 0

    def stamp(self) -> int:
        """A key for caches, never 0: another one after every import, and for another store that
        takes the place of this one.
        """
        return hash(generations.mark_of(self.file())) or 1

    def cursor(self) -> Any:
        """A read-only DuckDB cursor on the newest generation (one per call and thread)."""
        return reader.cursor(self.path)

    def rows(self, query: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Rows of a query as dictionaries (``?`` in the query are ``params``)."""
        cur = self.cursor()
        with reader.telling(self.path, self.cursor):
            cur.execute(query, list(params))
            names = [d[0] for d in cur.description]
            return [dict(zip(names, row, strict=True)) for row in cur.fetchall()]

    def sql(self, query: str, params: Sequence[Any] = ()) -> "pl.DataFrame":
        """Result of a SQL query over the views of docs/store.md, as a Polars frame."""
        import duckdb

        try:
            cur = self.cursor()
            with reader.telling(self.path, self.cursor):
                frame: pl.DataFrame = cur.sql(query, params=list(params)).pl()
        except duckdb.Error as e:
            raise StoreError(f"the query failed: {str(e).strip().splitlines()[0]}") from e
        return frame

    def hands(
        self,
        where: str | None = None,
        order: str = "hand_id",
        limit: int | None = None,
        offset: int = 0,
    ) -> "pl.DataFrame":
        """Hands of the view ``hands`` that a filter of docs/filters.md lets through.

        ``order`` is a column of the view, with a minus before it for descending. Raises
        :class:`~pandoeren_replay.filters.FilterError` for a filter that cannot be read.
        """
        from pandoeren_replay.filters import condition
        from pandoeren_replay.store.narrow import narrowed

        sql, params = condition(where, self)
        sql = narrowed(self, where, sql)
        column = order.removeprefix("-")
        names = [r["column_name"] for r in self.rows("DESCRIBE hands")]
        if column not in names:
            raise StoreError(
                f"there is no column {column!r} to sort by (there: {', '.join(names)})"
            )
        direction = "DESC" if order.startswith("-") else "ASC"
        if limit is None:
            return self.sql(
                f"SELECT * FROM hands h WHERE {sql} ORDER BY {column} {direction} NULLS LAST, "
                "hand_id",
                params,
            )
        # First which hands, then what they are: to sort all columns of a million hands takes long.
        found = self.rows(
            f"SELECT h.hand_id FROM hands h WHERE {sql} ORDER BY {column} {direction} NULLS LAST, "
            f"hand_id LIMIT {int(limit)} OFFSET {int(offset)}",
            params,
        )
        numbers = [int(r["hand_id"]) for r in found]
        return self.sql(
            "SELECT * FROM hands h WHERE hand_id IN (SELECT unnest(?::BIGINT[])) "
            "ORDER BY list_position(?::BIGINT[], hand_id)",
            [numbers, numbers],
        )

    def count(self, where: str | None = None) -> int:
        """Number of hands that a filter lets through."""
        from pandoeren_replay.filters import condition
        from pandoeren_replay.store.narrow import narrowed

        sql, params = condition(where, self)
        sql = narrowed(self, where, sql)
        return int(self.rows(f"SELECT count(*) AS n FROM hands h WHERE {sql}", params)[0]["n"])

    def find(self, hand: str | int) -> int:
        """``hand_id`` of a hand named by its number, its hash, the id of its record, or FILE:LINE.

        Raises :class:`StoreError` if there is none, or more than one.
        """
        text = str(hand)
        wheres = ["h.record_id = ?"]
        params: list[Any] = [text]
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
        if number is not None:
            # Most are named so, and a number goes before all other names.
            if self.rows("SELECT 1 FROM hand WHERE hand_id = ?", [number]):
                return number
            wheres.append("h.hand_id = ?")
            params.append(number)
        if _HASH.fullmatch(text):
            shown = self.rows("SELECT hand_id FROM hand WHERE hash = ?", [int(text, 16)])
            if len(shown) == 1:
                return int(shown[0]["hand_id"])
            wheres.append("h.hash = ?")
            params.append(int(text, 16))
        name, _, line = text.rpartition(":")
        if name and line.isdecimal() and len(line) < 10:
            wheres.append("((s.name = ? OR s.name LIKE ?) AND h.line = ?)")
            params += [name, "%/" + name.replace("%", r"\%"), int(line)]
        # A record that was merged into another hand, or another source of it, leads to that hand.
        rows = self.rows(
            "SELECT DISTINCT h.shown AS hand_id FROM (SELECT hand_id, hand_id AS shown, record_id, "
            "hash, source_id, line FROM hand UNION ALL SELECT hand_id, merged_into, record_id, "
            "hash, source_id, line FROM hand_other UNION ALL SELECT NULL, "
            "coalesce(o.merged_into, c.hand_id), NULL, NULL, c.source_id, c.line "
            "FROM hand_source c LEFT JOIN hand_other o ON o.hand_id = c.hand_id UNION ALL "
            "SELECT NULL, coalesce(o.merged_into, v.replaced_by), v.record_id, v.hash, "
            "v.source_id, NULL FROM hand_version v "
            "LEFT JOIN hand_other o ON o.hand_id = v.replaced_by) h "
            "JOIN source s USING (source_id) WHERE "
            f"{' OR '.join(wheres)} ORDER BY 1 LIMIT 12",
            params,
        )
        ids = [int(r["hand_id"]) for r in rows]
        if number in ids:
            return ids[ids.index(number)]
        if not ids:
            raise NotThere(f"there is no hand {text!r} in {self.path}")
        if len(ids) > 1:
            raise StoreError(
                f"{text!r} names more than one hand: give one of the numbers "
                + ", ".join(map(str, ids))
            )
        return ids[0]

    def row(self, hand: str | int) -> dict[str, Any]:
        """The row of the base table ``hand``."""
        number = hand if isinstance(hand, int) else self.find(hand)
        found = self.rows("SELECT * FROM hand WHERE hand_id = ?", [number])
        if not found and isinstance(hand, int):
            found = self.rows("SELECT * FROM hand WHERE hand_id = ?", [self.find(hand)])
        if not found:
            raise NotThere(f"there is no hand {hand} in {self.path}")
        return found[0]

    def record(self, hand: str | int) -> "HandRecord":
        """The record of a hand, exactly as it was read."""
        from pandoeren_replay.store.decode import decode

        return decode(self.row(hand))

    def rules_of(self, hand: str | int) -> "RuleSet":
        """The rule set of a hand as it was when the hand was imported."""
        row = self.row(hand)
        return self.rule_set(row["rules"], row["rules_hash"])

    def rule_set(self, rules: str, rules_hash: str | None = None) -> "RuleSet":
        """A rule set that hands of this store were read by."""
        found = self.rows(
            "SELECT content FROM rule_set WHERE rules = ? AND (rules_hash = ? OR ? IS NULL)",
            [rules, rules_hash, rules_hash],
        )
        if not found:
            raise StoreError(f"the store {self.path} knows no rule set {rules}@{rules_hash}")
        return _rule_set(found[-1]["content"])

    def replay(self, hand: str | int) -> "Replay":
        """A hand of the store, replayed by the rules it was imported with."""
        from engine.replay import replay
        from pandoeren_replay.store.decode import decode

        row = self.row(hand)
        return replay(decode(row), self.rule_set(row["rules"], row["rules_hash"]))

    def text(self, hand: str | int) -> str:
        """The original text of a hand as its source had it."""
        from pandoeren_replay.store.decode import original_text

        return original_text(self.row(hand))

    def sources_of(self, hand: str | int) -> list[dict[str, Any]]:
        """Everything that sources said of one hand, the shown record first.

        Each with ``source``, ``line``, ``format``, ``import_id``, ``kind`` (``shown``; ``copy``:
        the same; ``same``: the same hand, the text or result differs; ``session``, ``players``:
        recognised by that rule, see docs/store.md), ``result`` and ``text``.
        """
        from pandoeren_replay.store.decode import original_text

        rows = self.rows(
            "SELECT * FROM hand_sources WHERE hand_id = ? "
            "ORDER BY kind <> 'shown', import_id, source_id, line",
            [self.find(hand)],
        )
        for r in rows:
            found = self.rows(
                "SELECT * FROM hand WHERE hand_id = ? UNION ALL BY NAME "
                "SELECT * EXCLUDE (merged_into, rule) FROM hand_other WHERE hand_id = ?",
                [r["record"]] * 2,
            )
            r["text"] = original_text(found[0])
        return rows

    def records(self, where: str | None = None) -> "Iterable[tuple[int, HandRecord]]":
        """(hand_id, record) of all hands that a filter lets through, in order of import."""
        from pandoeren_replay.filters import condition
        from pandoeren_replay.store.decode import decode

        sql, params = condition(where, self)
        cur = self.cursor()
        with reader.telling(self.path, self.cursor):
            cur.execute(
                "SELECT b.* FROM hand b WHERE b.hand_id IN "
                f"(SELECT h.hand_id FROM hands h WHERE {sql}) ORDER BY b.hand_id",
                params,
            )
        names = [d[0] for d in cur.description]
        while part := self._some(cur, 1000):
            for values in part:
                row = dict(zip(names, values, strict=True))
                yield int(row["hand_id"]), decode(row)

    def _some(self, cur: Any, count: int) -> list[Any]:
        with reader.telling(self.path, self.cursor):
            rows: list[Any] = cur.fetchmany(count)
        return rows

    def violations(self, hand: str | int) -> list[dict[str, Any]]:
        """Violations of a hand; ``params`` as a dictionary."""
        rows = self.rows(
            "SELECT * FROM violations WHERE hand_id = ? ORDER BY seq", [self.find(hand)]
        )
        for r in rows:
            r["params"] = json.loads(r["params"]) if r["params"] else {}
        return rows

    # -- writing ---------------------------------------------------------------------------

    def writing(self, waiting: Callable[[], None] | None = None) -> AbstractContextManager[Any]:
        """One change: a connection in a transaction, published as the next generation."""
        return generations.writing(self.path, waiting)

    def trying(self) -> AbstractContextManager[Any]:
        """As :meth:`writing`, on a copy that is thrown away: what would a change come to?"""
        return generations.trying(self.path)

    def import_(
        self,
        paths: "Sequence[str | Path | Source]",
        options: "Options | None" = None,
        format: str = "auto",
        progress: Callable[[str, int, int], None] | None = None,
        jobs: int = 1,
        dry_run: bool = False,
    ) -> "ImportTotals":
        """Import files, folders or in-memory sources; see :mod:`pandoeren_replay.importer`."""
        from pandoeren_replay.importer import import_paths

        return import_paths(self, paths, options, format, progress, jobs, dry_run=dry_run)
