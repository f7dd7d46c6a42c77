"""What one import writes: new hands in whole row groups, duplicates compared, rejects kept."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.ruleset import RuleSet
from pandoeren_replay.store.columns import HAND, ROW_GROUP, VIOLATION, arrow_table
from pandoeren_replay.store.encode import Row
from pandoeren_replay.store.hash import hash_text
from pandoeren_replay.store.holding import hold
from pandoeren_replay.store.packed import HAND_TABLES
from pandoeren_replay.store.parts import count_hands, last_id
from parsers.base import Reject, Warn

NO_RESULT = "."


@dataclass(slots=True)
class SourceRows:
    """What came out of one source: its name as shown, its format, its hands."""

    name: str
    format: str
    rows: list[Row] = field(default_factory=list)


@dataclass(slots=True)
class Batch:
    """Everything that one import brings."""

    sources: list[SourceRows] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)
    rule_sets: dict[tuple[str, str], RuleSet] = field(default_factory=dict)
    empty: int = 0

    @property
    def hands(self) -> int:
        """Number of hands read."""
        return sum(len(s.rows) for s in self.sources)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The same hand with another recorded result."""

    hand_id: int
    source: str
    line: int
    kept: str
    other: str


@dataclass(frozen=True, slots=True)
class Written:
    """What a batch came to; ``changed`` is false when all of it was known already."""

    import_id: int
    stored: int
    duplicate: int
    changed: bool
    disagreements: tuple[Disagreement, ...]


@dataclass(slots=True)
class Double:
    """A hand whose content the store has already."""

    hash: int
    source: str
    line: int
    result: str


def hash_rows(batch: Batch) -> list[tuple[int, int, Row]]:
    """(hash, index of the source, row) for every hand of an import, in order.

    Hands that say too little to be told apart (see DESIGN: fewer than 8 known cards and neither
    id nor session and hand) count up within the import, so that two equal lines of a score sheet
    are two hands, and reading the sheet once more adds nothing.
    """
    seen: dict[str, int] = {}
    out = []
    for i, source in enumerate(batch.sources):
        for row in source.rows:
            text = row.content
            if not row.mergeable:
                nth = seen.get(text, 0)
                seen[text] = nth + 1
                if nth:
                    text = f"{text} #{nth}"
            out.append((hash_text(text), i, row))
    return out


def write_batch(
    con: Any,
    batch: Batch,
    hashed: Sequence[tuple[int, int, Row]],
    program: str,
    options: tuple[str | None, str | None],
) -> Written:
    """Write one import inside the caller's transaction; ``options`` are --rules and --format."""
    import_id = next_id(con, "import_run", "import_id")
    first_source = next_id(con, "source", "source_id")
    before = count_hands(con)
    insert_rule_sets(con, batch.rule_sets.values())
    known = _known(con, [h for h, _, _ in hashed])
    new: list[tuple[int, int, Row]] = []
    doubles: list[Double] = []
    again: list[tuple[int, int, Row]] = []
    for item in hashed:
        if item[0] in known:
            source = batch.sources[item[1]]
            doubles.append(Double(item[0], source.name, item[2].line, item[2].result))
            again.append((first_source + item[1], item[0], item[2]))
        else:
            known.add(item[0])
            new.append(item)
    insert_rows(
        con, "source",
        [(first_source + i, import_id, s.name, s.format) for i, s in enumerate(batch.sources)],
    )  # fmt: skip
    _insert_hands(con, new, first_source)
    disagreements = compare(con, doubles, import_id)
    told = hold(con, [("hand_row", _double_table(again))]) if again else False
    new_rejects = insert_rejects(con, batch.rejects, import_id)
    warnings = [(import_id, w.source, w.line, w.message) for w in batch.warnings]
    for source in batch.sources:
        for row in source.rows:
            warnings += [(import_id, source.name, row.line, w) for w in row.warnings]
    insert_rows(con, "import_warning", warnings)
    stored = count_hands(con) - before
    read = len(hashed) + len(batch.rejects) + batch.empty
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    insert_rows(
        con, "import_run",
        [
            (
                import_id, now, program, *options, read, stored, len(doubles),
                len(batch.rejects), batch.empty,
            )
        ],
    )  # fmt: skip
    changed = bool(stored or new_rejects or disagreements or told)
    return Written(import_id, stored, len(doubles), changed, tuple(disagreements))


def next_id(con: Any, table: str, column: str) -> int:
    """The next free number of a table; hands and other records of hands are numbered together."""
    tables = (*HAND_TABLES, "hand_other", "hand_version") if table == "hand" else (table,)
    found = [
        con.execute(f"SELECT coalesce(max({column}), 0) + 1 FROM {t}").fetchall()[0][0]
        for t in tables
    ]
    if table == "hand":
        found.append(last_id(con) + 1)
    return int(max(found))


def _known(con: Any, hashes: list[int]) -> set[int]:
    """Which of these hashes the store has already."""
    if not hashes:
        return set()
    import pyarrow as pa

    con.register("incoming_hash", pa.table({"hash": pa.array(hashes, pa.uint64())}))
    found = con.execute(
        "SELECT hash FROM hand WHERE hash IN (SELECT hash FROM incoming_hash) UNION ALL "
        "SELECT hash FROM hand_other WHERE hash IN (SELECT hash FROM incoming_hash) UNION ALL "
        "SELECT hash FROM hand_version WHERE hash IN (SELECT hash FROM incoming_hash)"
    ).fetchall()
    con.unregister("incoming_hash")
    return {h for (h,) in found}


def _insert_hands(con: Any, new: Sequence[tuple[int, int, Row]], first_source: int) -> None:
    first = next_id(con, "hand", "hand_id")
    for start in range(0, len(new), ROW_GROUP):
        part = new[start : start + ROW_GROUP]
        hands, violations = [], []
        for i, (content_hash, source, row) in enumerate(part, first + start):
            values = row.values
            fixed = {"hand_id": i, "hash": content_hash, "source_id": first_source + source}
            hands.append(tuple(fixed[c] if c in fixed else values.get(c) for c in HAND))
            violations += [(i, *v) for v in row.violations]
        insert_arrow(con, "hand_row", arrow_table(HAND, hands))
        insert_arrow(con, "violation", arrow_table(VIOLATION, violations))


def _double_table(again: Sequence[tuple[int, int, Row]]) -> Any:
    rows = []
    for source_id, content_hash, row in again:
        fixed = {"hash": content_hash, "source_id": source_id}
        rows.append(tuple(fixed[c] if c in fixed else row.values.get(c) for c in HAND))
    return arrow_table(HAND, rows)


def insert_arrow(con: Any, table: str, data: Any) -> None:
    """Insert an Arrow table by the names of its columns."""
    con.register("incoming", data)
    con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming").fetchall()
    con.unregister("incoming")


def insert_rows(con: Any, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows in the order of the table's columns, in one statement."""
    if not rows:
        return
    import pyarrow as pa

    names = [c[0] for c in con.execute(f"DESCRIBE {table}").fetchall()]
    columns = [[_storable(x) for x in c] for c in zip(*rows, strict=True)]
    insert_arrow(con, table, pa.table(dict(zip(names, columns, strict=True))))


def _storable(value: Any) -> Any:
    """Half a character (a lone surrogate, from a broken log) is written out; no database has it."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value


def insert_rejects(con: Any, rejects: Sequence[Reject], import_id: int) -> int:
    """Keep what could not be read; the same text from the same place only once."""
    known = set(con.execute("SELECT source, line, col, message, raw FROM reject").fetchall())
    first = next_id(con, "reject", "reject_id")
    rows: list[tuple[Any, ...]] = []
    for r in rejects:
        place = (r.source, r.line, r.column, r.message, r.raw)
        if place not in known:
            known.add(place)
            rows.append(
                (
                    first + len(rows), import_id, r.source, r.line, r.column, r.code, r.token,
                    r.expected, r.message, r.raw,
                )
            )  # fmt: skip
    insert_rows(con, "reject", rows)
    return len(rows)


def insert_rule_sets(con: Any, rule_sets: Iterable[RuleSet]) -> None:
    """Keep rule sets by content, with the points of every card."""
    for rules in rule_sets:
        key = [rules.id, rules.content_hash]
        held = "SELECT 1 FROM rule_set WHERE rules = ? AND rules_hash = ?"
        if con.execute(held, key).fetchall():
            continue
        total = rules.total_points
        content = rules.model_dump_json()
        insert_rows(
            con, "rule_set", [(*key, rules.cards.last_trick, total[True], total[False], content)]
        )  # fmt: skip
        points = rules.tables.points
        insert_rows(
            con, "card_value",
            [(*key, t, c, int(points[t, c])) for t in range(5) for c in range(points.shape[1])],
        )  # fmt: skip


def compare(con: Any, doubles: Sequence[Double], import_id: int) -> list[Disagreement]:
    """Keep what a hand that is known already says otherwise about its result."""
    told = [d for d in doubles if d.result != NO_RESULT]
    if not told:
        return []
    import pyarrow as pa

    con.register(
        "incoming_double",
        pa.table(
            {
                "nr": range(len(told)),
                "hash": pa.array([d.hash for d in told], pa.uint64()),
                "result": [d.result for d in told],
            }
        ),
    )
    found = con.execute(
        "SELECT any_value(d.nr), h.hand_id, coalesce(h.result, '.') FROM incoming_double d "
        "JOIN hand h ON h.hash = d.hash "
        "WHERE d.result <> coalesce(h.result, '.') AND NOT EXISTS (SELECT 1 FROM disagreement x "
        "WHERE x.hand_id = h.hand_id AND x.other = d.result) "
        "GROUP BY h.hand_id, h.result, d.result ORDER BY 1"
    ).fetchall()
    con.unregister("incoming_double")
    out = [
        Disagreement(hand, told[nr].source, told[nr].line, kept, told[nr].result)
        for nr, hand, kept in found
    ]
    insert_rows(
        con, "disagreement",
        [(d.hand_id, import_id, d.source, d.line, d.kept, d.other, None) for d in out],
    )  # fmt: skip
    return out
