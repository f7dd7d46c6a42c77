"""A lake: stored hands as a folder of Parquet parts, for more of them than one file should hold.

Each import is a folder ``import-000001-…`` that appears whole, by one rename; its parts
``hands-….parquet`` have the columns of the view ``hands`` and a few packed ones, in types that
every reader of Parquet knows. A :class:`Lake` is read as a store is: the views of docs/store.md
stand over the parts.
"""

import re
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pandoeren_replay.store import schema
from pandoeren_replay.store.columns import HAND
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.losses import loss_views
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    from pandoeren_replay.importer import ImportTotals
    from parsers.base import Options, Source

IMPORTS = "import-*"
VALUES = "evaluations-*"
CHOICES = "declarations-*"
LOSSES = "losses-*"
WORTHS = "worths-*"
FOLDER = re.compile(r"import-(\d{6,})-[0-9a-f]{16}")

PLAIN_TYPES = {"UTINYINT": "SMALLINT", "USMALLINT": "INTEGER", "UINTEGER": "BIGINT"}
"""Unsigned numbers become wider signed ones: not every reader has them."""

CARDS = "SASKSQSJSTS9S8S7HAHKHQHJHTH9H8H7H6DADKDQDJDTD9D8D7CACKCQCJCTC9C8C7"
"""As the macro ``card_name`` of the store has them."""

MACROS = f"""
CREATE OR REPLACE MACRO as_signed(x) AS
    (CASE WHEN x > 9223372036854775807 THEN x::HUGEINT - 18446744073709551616
          ELSE x::HUGEINT END)::BIGINT;
CREATE OR REPLACE MACRO as_unsigned(x) AS
    (CASE WHEN x < 0 THEN x::HUGEINT + 18446744073709551616 ELSE x::HUGEINT END)::UBIGINT;
CREATE OR REPLACE MACRO seat_number(x) AS (strpos('NESW', x) - 1)::TINYINT;
CREATE OR REPLACE MACRO card_number(x) AS ((strpos('{CARDS}', x) - 1) // 2)::TINYINT;
"""

# Columns of the base table ``hand`` by what they are in a part; all others are there by name.
FROM_PART = {
    "hash": "as_unsigned(hand_id)",
    "record_id": "id",
    "date": "date_text",
    "hand_no": "hand",
    "n": "north",
    "e": "east",
    "s": "south",
    "w": "west",
    "dealer": "seat_number(dealer)",
    "declarer": "seat_number(declarer)",
    "partner": "CASE WHEN partner_from = 'recorded' THEN NULL "
    "WHEN partner = '-' THEN (-1)::TINYINT ELSE seat_number(partner) END",
    **{
        f"score_{s}": f"CASE WHEN score_from IN ('recorded', 'rules') THEN NULL ELSE score_{s} END"
        for s in "nesw"
    },
    "trump": "(strpos('SHDC-', trump) - 1)::TINYINT",
    "called": "card_number(called)",
    "discard": "card_number(discard)",
    "middle": "card_number(middle)",
    "deal_text": "CASE WHEN deal_n IS NULL THEN deal END",
    "n_calls": "calls",
    "n_plays": "plays",
    "claims_standing": "as_unsigned(claims_standing)",
    # Of others a score sheet says it.
    "passed_out": "passed_out AND coalesce(score_from = 'proven', false)",
}

# Columns that parts of earlier versions lack, by what they were then.
SINCE = {
    "with_cards": "plays > 0 OR regexp_matches(coalesce(deal, ''), '[NESWM]')",
    "partner_from": "CASE WHEN partner IS NOT NULL THEN 'proven' END",
    "score_from": "CASE WHEN score_n IS NOT NULL THEN 'proven' END",
    "draw": "(as_unsigned(hand_id) % 200)::SMALLINT",
}

# Small tables of an import, each in one file: file name, table.
TABLES = {
    "rule_sets": "rule_set",
    "card_values": "card_value",
    "imports": "import_run",
    "sources": "source",
    "rejects": "reject",
    "warnings": "import_warning",
    "disagreements": "disagreement",
}


def packed_columns(view: dict[str, str]) -> list[str]:
    """Columns of the table ``hand`` that a part holds besides those of the view ``hands``."""
    shown = set(view) | set(FROM_PART)
    return [c for c in HAND if c not in shown] + ["claims_standing"]


def part_columns(con: Any) -> tuple[dict[str, str], list[str]]:
    """Columns of a part: those of the view ``hands`` with their types, and the packed ones."""
    # The catalogue knows them; to describe the view would bind it.
    shown = con.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'hands' "
        "ORDER BY column_index"
    )
    view = dict(shown.fetchall())
    return view, packed_columns(view)


class Lake(Store):
    """The hands of a lake, read as those of a store are: ``hands``, ``sql``, ``record`` …

    ``path`` is a folder, or an address that DuckDB reads (``s3://club/lake``). ``hand_id`` is the
    content hash of a hand as a signed number, so that a hand has the same number in every lake.
    """

    def __init__(self, path: str | Path) -> None:
        self.address = str(path).rstrip("/") or "/"
        self.remote = "://" in self.address
        super().__init__(Path(self.address))
        self._lock = threading.Lock()
        self._seen: tuple[str, ...] | None = None
        self._con: Any = None

    def __repr__(self) -> str:
        return f"Lake({self.address!r})"

    # -- what is there

    def files(self, pattern: str) -> list[str]:
        """Published files, by a pattern such as ``import-*/hands-*.parquet``, in order."""
        if self.remote:
            import duckdb

            with duckdb.connect() as con:
                try:
                    found = con.execute(
                        "SELECT file FROM glob(?)", [f"{self.address}/{pattern}"]
                    ).fetchall()
                except duckdb.Error as e:
                    raise StoreError(
                        f"{self.address} cannot be read ({str(e).splitlines()[0][:200]})"
                    ) from None
            return sorted(name for (name,) in found)
        return sorted(str(f) for f in self.path.glob(pattern))

    def exists(self) -> bool:
        """Whether anything was published here."""
        return bool(self.files(f"{IMPORTS}/imports.parquet"))

    def file(self) -> Path:
        """A lake has no single file; this is its folder."""
        return self.path

    def generation(self) -> int:
        """A number that changes with every import and every analysis."""
        return len(self._listing())

    def _listing(self) -> tuple[str, ...]:
        imports = self.files(f"{IMPORTS}/imports.parquet")
        if not imports:
            if self.path.is_file():
                raise StoreError(f"{self.address} is a file; a lake is a folder")
            raise StoreError(
                f"there is no lake at {self.address} yet; "
                "`pandoeren import --lake DIR FILE` makes one"
            )
        return (
            *imports,
            *self.files(f"{VALUES}/*.parquet"),
            *self.files(f"{CHOICES}/*.parquet"),
            *self.files(f"{LOSSES}/*.parquet"),
            *self.files(f"{WORTHS}/*.parquet"),
        )

    # -- reading

    def cursor(self) -> Any:
        """A DuckDB cursor over the views, on what is published now."""
        with self._lock:
            found = self._seen if self.remote and self._seen else self._listing()
            if found != self._seen:
                self._con, self._seen = self._connect(), found
            return self._con.cursor()

    def _connect(self) -> Any:
        con = schema.new_database()
        con.execute(MACROS)
        view, packed = part_columns(con)
        for name, table in TABLES.items():
            found = self.files(f"{IMPORTS}/{name}.parquet")
            if found:
                con.execute(f"DROP TABLE {table}")
                # The same rule set comes with every import that uses it.
                con.execute(f"CREATE VIEW {table} AS SELECT DISTINCT * FROM {scan(found)}")
        parts = self.files(f"{IMPORTS}/hands-*.parquet")
        if parts:
            self._hands(con, parts, view, packed)
        found = self.files(f"{IMPORTS}/violations-*.parquet")
        if found:
            names = [n for n, *_ in con.execute("DESCRIBE violations").fetchall()]
            con.execute("DROP TABLE violation")
            con.execute(
                f"CREATE OR REPLACE VIEW violations AS SELECT {', '.join(names)} FROM {scan(found)}"
            )
            con.execute(
                "CREATE VIEW violation AS SELECT * EXCLUDE (trick) "
                "REPLACE (seat_number(seat) AS seat) FROM violations"
            )
        self._values(con)
        return con

    def _hands(self, con: Any, parts: list[str], view: dict[str, str], packed: list[str]) -> None:
        there = {n for n, *_ in con.execute(f"DESCRIBE SELECT * FROM {scan(parts)}").fetchall()}
        # Of parts of several versions, the older ones have no value there.
        late = {
            c: f"coalesce({c}, {was}) AS {c}" if c in there else f"{was} AS {c}"
            for c, was in SINCE.items()
        }
        shown = ", ".join(late.get(c, c) for c in [*view, *packed])
        con.execute(f"CREATE VIEW lake_hand AS SELECT {shown} FROM {scan(parts)}")
        con.execute("DROP VIEW hand")
        con.execute(f"CREATE OR REPLACE VIEW hands AS SELECT {', '.join(view)} FROM lake_hand")
        columns = [f"{FROM_PART[c]} AS {c}" if c in FROM_PART else c for c in HAND]
        con.execute(f"CREATE VIEW hand AS SELECT {', '.join(columns)} FROM lake_hand")

    def _values(self, con: Any) -> None:
        """Values of cards and choices; of a hand that several solvers valued the newest one's."""
        if self._newest(con, VALUES, "evaluation"):
            con.execute(
                "CREATE OR REPLACE VIEW evaluations AS SELECT hand_id, ply, card, goal, value, "
                "best, loss, played, solver FROM newest_evaluation"
            )
            con.execute(
                "CREATE VIEW evaluation AS SELECT * EXCLUDE (loss) "
                "REPLACE (card_number(card) AS card) FROM evaluations"
            )
            self._losses(con)
        if self._newest(con, CHOICES, "declaration_value"):
            con.execute("CREATE VIEW declaration_value AS SELECT * FROM newest_declaration_value")

    def _losses(self, con: Any) -> None:
        """What cards cost: out of the files beside the values, where all of those are there."""
        valued = files_by_solver(self.files(f"{VALUES}/*.parquet"))
        kinds = {"card_loss": LOSSES, "hand_value": WORTHS}
        for folders in kinds.values():
            if files_by_solver(self.files(f"{folders}/*.parquet")) != valued:
                loss_views(con)
                return
        for table, folders in kinds.items():
            self._newest(con, folders, table)
            con.execute(f"CREATE VIEW {table} AS SELECT * EXCLUDE (solver) FROM newest_{table}")

    def _newest(self, con: Any, folders: str, table: str) -> bool:
        """A view ``newest_…`` of the files in some folders instead of a table, if there are any."""
        found = self.files(f"{folders}/*.parquet")
        if not found:
            return False
        newest = "true"
        if len({Path(f).parent.name for f in found}) > 1:
            newest = (
                f"solver = (SELECT max(o.solver) FROM every_{table} o WHERE o.hand_id = v.hand_id)"
            )
        con.execute(f"CREATE VIEW every_{table} AS SELECT * FROM {scan(found)}")
        con.execute(f"CREATE VIEW newest_{table} AS SELECT * FROM every_{table} v WHERE {newest}")
        con.execute(f"DROP TABLE {table}")
        return True

    # -- writing goes by pandoeren_replay.lake_import and lake_analyze

    def writing(self, waiting: Callable[[], None] | None = None) -> AbstractContextManager[Any]:
        """A lake only grows by whole parts: there is no transaction on it."""
        raise StoreError("a lake cannot be changed in place; it grows by import and analyze")

    def trying(self) -> AbstractContextManager[Any]:
        """See :meth:`writing`."""
        return self.writing()

    def import_(  # type: ignore[override]
        self,
        paths: "Sequence[str | Path | Source]",
        options: "Options | None" = None,
        format: str = "auto",
        progress: Callable[[str, int, int], None] | None = None,
        jobs: int = 1,
        scheduler: str | None = None,
    ) -> "ImportTotals":
        """Import files; see :func:`pandoeren_replay.lake_import.import_lake`."""
        from pandoeren_replay.lake_import import import_lake

        return import_lake(self, paths, options, format, progress, jobs, scheduler)


def files_by_solver(files: Sequence[str]) -> set[tuple[str, str]]:
    """Files of values, or of what follows from them, by solver and name.

    >>> files_by_solver(["lake/evaluations-1/values-9c.parquet"])
    {('1', 'values-9c.parquet')}
    """
    found = set()
    for file in files:
        folder, name = file.replace("\\", "/").split("/")[-2:]
        found.add((folder.partition("-")[2], name))
    return found


def quoted(text: str) -> str:
    """A text in SQL.

    >>> quoted("Anna's lake")
    "'Anna''s lake'"
    """
    return "'" + text.replace("'", "''") + "'"


def scan(files: list[str]) -> str:
    """SQL that reads some Parquet files as one table."""
    return f"read_parquet([{', '.join(map(quoted, files))}], union_by_name = true)"
