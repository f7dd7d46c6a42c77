"""The bulk road into the store: large ``.phl`` files, streamed in bounded memory.

The same rows as the general road gives (:mod:`pandoeren_replay.importer`), written within the same
transaction: hands that go regularly are read on bytes, replayed in columns and handed to DuckDB as
Arrow; the others are replayed one by one and encoded as ever.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from engine.batch import replay_columns
from engine.batch_result import RESULT, BatchResult
from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.state import Replay
from pandoeren_replay.store import bulk_kernels as kernels
from pandoeren_replay.store.bulk_columns import (
    Kinds,
    Packed,
    content_hashes,
    pack,
    packed_table,
)
from pandoeren_replay.store.bulk_source import (
    FORMAT,
    BulkCounts,
    BulkSource,
    NotForBulk,
    Progress,
)
from pandoeren_replay.store.bulk_sums import PackedSums
from pandoeren_replay.store.columns import HAND, ROW_GROUP, VIOLATION, arrow_table
from pandoeren_replay.store.encode import Row, encode, is_empty
from pandoeren_replay.store.hash import hash_text
from pandoeren_replay.store.holding import hold
from pandoeren_replay.store.packed import HAND_TABLES
from pandoeren_replay.store.packed_kernels import PLAIN, TOLD, WIDE
from pandoeren_replay.store.sums import is_large
from pandoeren_replay.store.writer import (
    Double,
    compare,
    count_hands,
    insert_arrow,
    insert_rejects,
    insert_rows,
    insert_rule_sets,
    next_id,
)
from parsers.base import Located, Options
from parsers.phl_bytes import SKIP, NotUtf8, PhlBytesReader, PhlChunk

log = logging.getLogger(__name__)

CHUNKS = 4
"""Chunks of a row group: what is worked on at a time should be little, because memory that is
touched for the first time costs as much as reading hands into it."""
AHEAD = 4
"""Chunks that may wait to be written; one in :data:`CHUNKS` ends a row group and takes long."""
MANY_DOUBLES = 100_000
MEMORY = "512MB"
"""What DuckDB may keep of its file while hands are written."""


@dataclass(slots=True)
class _Slow:
    """A hand that was replayed and encoded by itself."""

    row: Row
    hash: int


class _Hashes:
    """Content hashes of the store and of this import."""

    def __init__(self, con: Any, expected: int) -> None:
        tables = ("hand", "hand_other", "hand_version")
        known = con.execute(
            " UNION ALL ".join(f"SELECT hash FROM {t}" for t in tables)
        ).fetchnumpy()["hash"]
        known = np.ascontiguousarray(known, np.uint64)
        self._n = 0
        size = 4 * (len(known) + expected) // 3
        self._table = np.zeros(1 << max(16, size.bit_length()), np.uint64)
        self.add(known)

    def add(self, hashes: Any) -> Any:
        """Which of these are new; from now on they are known."""
        # Memory that is touched for the first time costs more than some looks more in vain.
        if 4 * (self._n + len(hashes)) > 3 * len(self._table):
            old = self._table[self._table != 0]
            self._table = np.zeros(4 * len(self._table), np.uint64)
            kernels.add_new(self._table, old, np.empty(len(old), np.bool_))
        new = np.empty(len(hashes), np.bool_)
        self._n += int(kernels.add_new(self._table, hashes, new))
        return new


class BulkImport:
    """Brings sources in through one connection.

    ``in_steps``: there is a transaction, which may be committed and begun anew (the file is thrown
    away if the import fails). Hands are written in whole row groups; :meth:`finish` writes what is
    left.
    """

    def __init__(self, con: Any, options: Options, expected: int, in_steps: bool) -> None:
        self._in_steps = in_steps
        self.counts = BulkCounts()
        if is_large(con, coming=expected + expected // 4):
            self.counts.sums = []
        self._con = con
        self._options = options
        self._before = count_hands(con)
        self._import_id = next_id(con, "import_run", "import_id")
        self._hand_id = next_id(con, "hand", "hand_id")
        self._hashes = _Hashes(con, expected)
        self._seen: dict[str, int] = {}
        self._rule_sets: dict[tuple[str, str], RuleSet] = {}
        self._waiting: dict[str, list[Any]] = {name: [] for name in HAND_TABLES}
        self._kinds = Kinds(con.execute("SELECT * FROM hand_kind ORDER BY kind").fetchall())
        self._doubles: list[Double] = []
        self._again: list[tuple[str, Any]] = []
        # One for each chunk that waits to be written, one for the next.
        self._rows = max(1, ROW_GROUP // CHUNKS)
        self._rooms = deque(np.empty(self._rows, RESULT) for _ in range(AHEAD + 1))
        self._pool = ThreadPoolExecutor(1, "store-writer")
        self._writing: deque[Future[None]] = deque()

    def add(self, source: BulkSource, say: Progress) -> None:
        """Read one source to its end. Raises :class:`NotForBulk`."""
        source_id = next_id(self._con, "source", "source_id")
        insert_rows(self._con, "source", [(source_id, self._import_id, source.name, FORMAT)])
        self._kinds.next_source()
        if self.counts.sums is not None:
            self.counts.sums.append(PackedSums(source_id))
        # One chunk is read, one replayed, the others wait to be written.
        reader = PhlBytesReader(source.name, self._options, rooms=AHEAD + 2)
        done = 0
        try:
            with (
                source.open() as stream,
                closing(_ahead(reader.chunks(stream, self._rows))) as chunks,
            ):
                for chunk in chunks:
                    self._chunk(chunk, source, source_id)
                    if len(self._doubles) > MANY_DOUBLES:
                        self._written()
                        self._flush()
                        self._compare_doubles()
                    done += chunk.size
                    say("import", min(done, source.size), source.size)
            self._written()
            if self.counts.sums is not None:
                self.counts.sums[-1].finish()
        except NotUtf8:
            raise NotForBulk(source.name) from None
        except (duckdb.Error, OSError, MemoryError):
            raise
        except Exception as e:
            # A defect of ours must not lose the other hands: the general road tells them apart.
            log.error("bulk import failed: %r", source.name, exc_info=e)
            raise NotForBulk(source.name) from e

    def finish(self) -> BulkCounts:
        """Write what is left and compare hands that came twice."""
        self._written()
        self._flush()
        insert_rule_sets(self._con, self._rule_sets.values())
        self._compare_doubles()
        self.counts.stored = count_hands(self._con) - self._before
        self.counts.new_rejects = insert_rejects(self._con, self.counts.rejects, self._import_id)
        insert_rows(
            self._con,
            "import_warning",
            [(self._import_id, w.source, w.line, w.message) for w in self.counts.warnings],
        )
        return self.counts

    def _compare_doubles(self) -> None:
        """Keep what hands that came twice say otherwise; all hands are in the store by now."""
        self.counts.disagreements += compare(self._con, self._doubles, self._import_id)
        self.counts.told = hold(self._con, self._again) or self.counts.told
        self._doubles, self._again = [], []

    def close(self) -> None:
        """Wait for the writing thread; to be called whatever happened."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    # -- one chunk

    def _chunk(self, chunk: PhlChunk, source: BulkSource, source_id: int) -> None:
        counts, hands = self.counts, chunk.columns.hands
        counts.rejects += chunk.rejects
        counts.warnings += chunk.warnings
        counts.empty += chunk.empty
        for i, hand in chunk.odd.items():
            if is_empty(hand.record):
                hands["rules"][i] = SKIP
                counts.empty += 1
        slow: dict[int, _Slow] = {}

        def take(i: int, record: HandRecord, done: Replay) -> None:
            hand = chunk.odd.get(i) or Located(
                record, source.name, int(chunk.lines["number"][i]), chunk.text(i)
            )
            slow[i] = self._encoded(hand, done)

        def take_each(rows: Any) -> None:
            for i in rows.tolist():
                if i not in slow:
                    record = chunk.record(i)
                    take(i, record, replay(record, chunk.rules[hands["rules"][i]]))

        self._rooms.rotate()
        result = replay_columns(chunk.columns, chunk.rules, take, self._rooms[0])
        numbers = hands["rules"].copy()
        used = np.bincount(numbers, minlength=len(chunk.rules))
        for rules, n in zip(chunk.rules, used):
            if n:
                self._rule_sets.setdefault((rules.id, rules.content_hash), rules)
        # The sentences of violations are worked out by the step replay.
        take_each(np.unique(result.violations["hand"]))
        every = np.flatnonzero(numbers != SKIP)
        packed = pack(chunk, result, _without(every, slow), self._kinds)
        take_each(every[packed.fit[every] == WIDE])
        self._book(chunk, result, packed, every, slow, source, source_id)

    def _encoded(self, hand: Located, done: Replay) -> _Slow:
        row = encode(hand, done, FORMAT)
        text = row.content
        if not row.mergeable:
            nth = self._seen.get(text, 0)
            self._seen[text] = nth + 1
            if nth:
                text = f"{text} #{nth}"
        return _Slow(row, hash_text(text))

    def _book(
        self,
        chunk: PhlChunk,
        result: BatchResult,
        packed: Packed,
        every: Any,
        slow: dict[int, _Slow],
        source: BulkSource,
        source_id: int,
    ) -> None:
        """Tell new hands from known ones, and hand the new ones to the writing thread."""
        fast = _without(every, slow)
        hashes = np.zeros(len(chunk), np.uint64)
        hashes[fast] = content_hashes(chunk, fast)
        for i, s in slow.items():
            hashes[i] = s.hash
        new = np.zeros(len(chunk), np.bool_)
        new[every] = self._hashes.add(hashes[every])
        ids = self._hand_id - 1 + np.cumsum(new)
        stored = int(new.sum())
        counts = self.counts
        counts.read += len(every) + len(chunk.rejects) + chunk.empty
        counts.stored += stored
        counts.duplicate += len(every) - stored
        counts.with_errors += sum(s.row.values["errors"] > 0 for s in slow.values())
        counts.simulated += sum(bool(s.row.values["simulated"]) for s in slow.values())
        counts.simulated += int(packed.simulated[fast].sum())
        for i in every[~new[every]].tolist():
            text = slow[i].row.result if i in slow else chunk.text(i).split(" ")[7]
            line = int(chunk.lines["number"][i])
            self._doubles.append(Double(int(hashes[i]), source.name, line, text))
        self._hand_id += stored
        fresh: list[tuple[str, Any]] = []
        for name, kind in (("hand_packed", PLAIN), ("hand_told", TOLD)):
            mine = fast[packed.fit[fast] == kind]
            if new[mine].any():
                fresh.append((name, mine[new[mine]]))
                if kind == PLAIN and self.counts.sums is not None:
                    self.counts.sums[-1].add(
                        packed.words, packed.kinds, hashes, fresh[-1][1], self._kinds.targets()
                    )
            if not new[mine].all():
                again_rows = mine[~new[mine]]
                table = packed_table(chunk, result, packed, again_rows, kind == TOLD)
                table = _with_ids(table, None, hashes[again_rows], source_id)
                self._again.append((name, table))
        rows, again, violations = [], [], []
        for i in sorted(slow):
            fixed = {"hand_id": int(ids[i]), "hash": slow[i].hash, "source_id": source_id}
            values = slow[i].row.values
            row = tuple(fixed[c] if c in fixed else values.get(c) for c in HAND)
            if new[i]:
                rows.append(row)
                violations += [(int(ids[i]), *v) for v in slow[i].row.violations]
            else:
                again.append(row)

        def tables() -> dict[str, list[Any]]:
            out = {
                name: [
                    _with_ids(
                        packed_table(chunk, result, packed, mine, name == "hand_told"),
                        ids[mine], hashes[mine], source_id,
                    )
                ]
                for name, mine in fresh
            }  # fmt: skip
            if rows:
                out["hand_row"] = [arrow_table(HAND, rows)]
            return out

        if again:
            self._again.append(("hand_row", arrow_table(HAND, again)))
        kinds, self._kinds.new = self._kinds.new, []
        self._written(but=AHEAD - 1)
        more = arrow_table(VIOLATION, violations) if violations else None
        self._writing.append(self._pool.submit(self._write, tables, kinds, more))

    # -- writing (in the thread; never two at once)

    def _written(self, but: int = 0) -> None:
        """Wait until all chunks but so many are written."""
        while len(self._writing) > but:
            self._writing.popleft().result()

    def _write(
        self,
        tables: Callable[[], dict[str, list[Any]]],
        kinds: list[tuple[Any, ...]],
        violations: Any,
    ) -> None:
        insert_rows(self._con, "hand_kind", kinds)
        if violations is not None:
            insert_arrow(self._con, "violation", violations)
        for name, incoming in tables().items():
            pieces = [*self._waiting[name], *incoming]
            self._waiting[name] = []
            while sum(map(len, pieces)) >= ROW_GROUP:
                group, pieces = _cut(pieces, ROW_GROUP)
                self._insert(name, group)
            self._waiting[name] = [piece for piece in pieces if len(piece)]

    def _flush(self) -> None:
        """Write what does not fill a row group."""
        for name, pieces in self._waiting.items():
            if pieces:
                self._insert(name, pieces)
                self._waiting[name] = []

    def _insert(self, table: str, pieces: list[Any]) -> None:
        """One insert of all pieces: DuckDB cuts row groups by inserts."""
        # Columns that are empty in a piece are not in it.
        self._con.register("incoming", pa.concat_tables(pieces, promote_options="default"))
        self._con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming").fetchall()
        self._con.unregister("incoming")
        if self._in_steps:
            # Only now are they compressed and written: better here, while the next ones are read.
            self._con.execute("COMMIT")
            self._con.execute("BEGIN")


def _ahead(chunks: Iterator[PhlChunk]) -> Iterator[PhlChunk]:
    """The same, each read by another thread while the one before it is worked on."""
    with ThreadPoolExecutor(1, "store-reader") as pool:
        coming = pool.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = pool.submit(next, chunks, None)
            yield chunk


def _without(rows: Any, slow: dict[int, _Slow]) -> Any:
    """Those of some rows that are not among the slow ones."""
    if not slow:
        return rows
    return rows[~np.isin(rows, list(slow))]


def _with_ids(table: Any, ids: Any, hashes: Any, source_id: int) -> Any:
    """With numbers of hands (``None``: hands that are known and get none), hashes and source."""
    n = len(hashes)
    sources = np.full(n, source_id, np.int32)
    numbers = pa.nulls(n, pa.int64()) if ids is None else pa.array(ids, pa.int64())
    return (
        table.append_column("hand_id", numbers)
        .append_column("hash", pa.array(hashes, pa.uint64()))
        .append_column("source_id", pa.array(sources, pa.int32()))
    )


def _cut(pieces: list[Any], n: int) -> tuple[list[Any], list[Any]]:
    """The first ``n`` rows of some tables, and the rest."""
    first: list[Any] = []
    rest = list(pieces)
    while n:
        piece = rest.pop(0)
        first.append(piece.slice(0, n))
        if len(piece) > n:
            rest.insert(0, piece.slice(n))
        n -= len(first[-1])
    return first, rest


@contextmanager
def bulk_import(
    con: Any, options: Options, sources: Sequence[BulkSource], in_steps: bool
) -> Iterator[BulkImport]:
    """A :class:`BulkImport` whose thread ends with the block."""
    # One thread reads, one replays, one writes. If DuckDB shared out a row group among
    # threads of its own, each would begin blocks of its own, and the file be half dead blocks.
    threads, memory = con.execute(
        "SELECT current_setting('threads'), current_setting('memory_limit')"
    ).fetchall()[0]
    con.execute("SET threads = 1")
    # What is written need not stay in memory; inserting a group takes a tenth of this.
    con.execute(f"SET memory_limit = '{MEMORY}'")
    found = BulkImport(con, options, sum(s.size for s in sources) // 200, in_steps)
    try:
        yield found
    finally:
        found.close()
        con.execute(f"SET threads = {threads}")
        con.execute(f"SET memory_limit = '{memory}'")
