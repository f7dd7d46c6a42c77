"""One part of a lake: some lines of a file, or a whole small file, read, replayed and written.

The work is that of the store (:mod:`pandoeren_replay.importer`,
:mod:`pandoeren_replay.store.bulk`), into a database in memory whose views are then written as
Parquet. A task can be done twice: it writes the same files, and each appears when it is complete.
"""

import io
import json
import os
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pandoeren_replay.importer import RulesFinder, collect, read_all
from pandoeren_replay.lake import MACROS, PLAIN_TYPES, part_columns, quoted
from pandoeren_replay.store.bulk_source import BulkSource, NotForBulk, add_sources
from pandoeren_replay.store.columns import ROW_GROUP
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.encode import MANY_KNOWN_CARDS, known_cards
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.hash import content_text
from pandoeren_replay.store.schema import new_database
from pandoeren_replay.store.scores import fill as fill_scores
from pandoeren_replay.store.writer import Batch, hash_rows, insert_rows, write_batch
from parsers.base import Options, Source
from parsers.phl import write_phl


@dataclass(frozen=True, slots=True)
class Lines:
    """Some whole lines of a large file: ``size`` bytes from ``start``, after ``before`` lines."""

    path: str
    name: str
    start: int
    size: int
    before: int
    file_size: int


@dataclass(frozen=True, slots=True)
class Task:
    """One part to make; ``what`` is read from, ``source_id`` numbers its (first) source."""

    number: int
    what: Lines | str | Source
    source_id: int


@dataclass(frozen=True, slots=True)
class Job:
    """What all tasks of an import have in common."""

    staging: str
    import_id: int
    options: Options
    format: str


Summary = dict[str, Any]
"""What came of a task, as plain data (kept beside the part, so that it need not be done again)."""


class _Slice(io.RawIOBase):
    """Some bytes of a file as a stream."""

    def __init__(self, lines: Lines) -> None:
        self._file = open(lines.path, "rb", buffering=0)  # noqa: SIM115  (closed by close)
        self._file.seek(lines.start)
        self._left = lines.size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer).cast("B")
        got = self._file.readinto(room[: self._left]) or 0
        self._left -= got
        return got

    def close(self) -> None:
        self._file.close()
        super().close()


def make_part(job: Job, task: Task) -> Summary:
    """Do one task: write its part into the staging folder and say what came of it."""
    done = Path(job.staging) / f"done-{task.number:06d}.json"
    if done.exists():
        found: Summary = json.loads(done.read_text("utf-8"))
        return found
    con = new_database()
    try:
        con.execute("SET threads = 1")  # the tasks are what runs in parallel
        con.execute(MACROS)
        if isinstance(task.what, Lines):
            try:
                summary = _read_lines(con, task.what, job)
            except NotForBulk:
                return {"number": task.number, "refused": task.what.path}
        else:
            summary = _read_whole(con, task.what, job)
        summary["number"] = task.number
        summary["thin"] = _take_thin(con, job, task)
        rows = con.execute("SELECT rules, rules_hash, content FROM rule_set").fetchall()
        summary["rule_sets"] = rows
        rows = con.execute("SELECT source_id, name, format FROM source").fetchall()
        summary["sources"] = [(task.source_id + i, name, kind) for i, name, kind in rows]
        summary["disagreements"] = con.execute(
            "SELECT as_signed(h.hash), d.source, d.line, d.kept, d.other FROM disagreement d "
            "JOIN hand h ON h.hand_id = d.hand_id"
        ).fetchall()
        before = task.what.before if isinstance(task.what, Lines) else 0
        numbers = {i: task.source_id + i for i, _, _ in rows}
        summary["hands"] = write_part(con, job, f"{task.number:06d}", numbers, before)
    finally:
        con.close()
    appear(done, lambda f: f.write_text(json.dumps(summary), "utf-8"))
    return summary


def _silent(what: str, done: int, total: int) -> None:
    """Progress is told by whole parts."""


def _read_lines(con: Any, lines: Lines, job: Job) -> Summary:
    try:
        size = os.stat(lines.path).st_size
    except OSError as e:
        raise StoreError(
            f"{lines.path} cannot be read here ({e.strerror}); every worker must see the files"
        ) from None
    if size != lines.file_size:
        raise StoreError(f"{lines.path} has changed during the import")
    source = BulkSource(lines.name, lambda: _Slice(lines), lines.size)
    counts = add_sources(con, [source], job.options, _silent, in_steps=False)
    return {
        "read": counts.read,
        "duplicate": counts.duplicate,
        "empty": counts.empty,
        "with_errors": counts.with_errors,
        "simulated": counts.simulated,
        "rejects": [asdict(replace(r, line=r.line + lines.before)) for r in counts.rejects],
        "warnings": [
            asdict(w if w.line is None else replace(w, line=w.line + lines.before))
            for w in counts.warnings
        ],
        "bytes": lines.size,
    }


def _read_whole(con: Any, what: str | Source, job: Job) -> Summary:
    from pandoeren_replay import __version__

    batch = Batch()
    finder = RulesFinder(job.options)
    source = Path(what) if isinstance(what, str) else what
    for result in read_all([source], job.options, job.format):
        collect(batch, result, finder, job.options, _silent, 1)
    written = write_batch(con, batch, hash_rows(batch), __version__, (None, None))
    rows = [r for s in batch.sources for r in s.rows]
    warnings = [asdict(w) for w in batch.warnings]
    for s in batch.sources:
        warnings += [
            {"source": s.name, "line": r.line, "message": w} for r in s.rows for w in r.warnings
        ]
    return {
        "read": len(rows) + len(batch.rejects) + batch.empty,
        "duplicate": written.duplicate,
        "empty": batch.empty,
        "with_errors": sum(r.values["errors"] > 0 for r in rows),
        "simulated": sum(bool(r.values["simulated"]) for r in rows),
        "rejects": [asdict(r) for r in batch.rejects],
        "warnings": warnings,
        "bytes": os.path.getsize(what) if isinstance(what, str) and os.path.isfile(what) else 0,
    }


def _take_thin(con: Any, job: Job, task: Task) -> list[dict[str, Any]]:
    """Take hands out that say too little to be told apart: they are numbered over all parts."""
    con.execute(
        "SELECT * FROM hand WHERE record_id IS NULL AND (session IS NULL OR hand_no IS NULL) "
        "AND deal_n IS NULL AND n_plays < ? ORDER BY hand_id",
        [MANY_KNOWN_CARDS],
    )
    names = [d[0] for d in con.description]
    out = []
    before = task.what.before if isinstance(task.what, Lines) else 0
    for values in con.fetchall():
        row = dict(zip(names, values, strict=True))
        record = decode(row)
        cards = known_cards(record)
        if cards >= MANY_KNOWN_CARDS:
            continue
        con.execute("SELECT * FROM violation WHERE hand_id = ? ORDER BY seq", [row["hand_id"]])
        violations = con.fetchall()
        text = content_text(write_phl(record).split(" "), row["rules"], cards > 0)
        row["source_id"] += task.source_id
        if row["line"] is not None:
            row["line"] += before
        out.append({"content": text, "row": row, "violations": violations})
    ids = [t["row"]["hand_id"] for t in out]
    # Packed hands have a whole deal.
    for table in ("hand_row", "violation"):
        con.execute(
            f"DELETE FROM {table} WHERE hand_id IN (SELECT unnest(?::BIGINT[]))", [ids]
        ).fetchall()
    return out


def write_part(con: Any, job: Job, name: str, sources: dict[int, int], before: int) -> int:
    """Write all hands of a database in memory as a part; gives how many.

    ``sources`` are the numbers that its sources have in the lake; ``before`` is added to the
    numbers of its lines.
    """
    count = int(con.execute("SELECT count(*) FROM hand").fetchall()[0][0])
    if not count:
        return 0
    fill_scores(con)
    view, packed = part_columns(con)
    changed = {
        "hand_id": "as_signed(b.hash)",
        "line": f"(v.line + {before})::INTEGER",
        "import_id": f"{job.import_id}::INTEGER",
        "source_id": "real.number",
        "claims_standing": "as_signed(b.claims_standing)",
    }
    columns = [_plain(f"v.{c}", c, kind, changed) for c, kind in view.items()]
    kinds = {n: k for n, k, *_ in con.execute("DESCRIBE hand").fetchall()}
    columns += [_plain(f"b.{c}", c, kinds[c], changed) for c in packed]
    folder = Path(job.staging)
    con.execute("CREATE TABLE source_number (source_id BIGINT, number BIGINT)")
    insert_rows(con, "source_number", list(sources.items()))
    query = (
        f"SELECT {', '.join(columns)} FROM hands v JOIN hand b ON b.hand_id = v.hand_id "
        "JOIN source_number real ON real.source_id = b.source_id ORDER BY b.hand_id"
    )
    copy(con, query, folder / f"hands-{name}.parquet")
    if con.execute("SELECT 1 FROM violation LIMIT 1").fetchall():
        shown = con.execute("DESCRIBE violations").fetchall()
        texts = {"hand_id": "as_signed(b.hash)"}
        columns = [_plain(f"v.{n}", n, kind, texts) for n, kind, *_ in shown]
        query = (
            f"SELECT {', '.join(columns)} FROM violations v JOIN hand b ON b.hand_id = v.hand_id "
            "ORDER BY b.hand_id, v.seq"
        )
        copy(con, query, folder / f"violations-{name}.parquet")
    return count


def _plain(sql: str, name: str, kind: str, changed: dict[str, str]) -> str:
    """One column of a part in a type that every reader knows."""
    if name in changed:
        sql = changed[name]
    elif kind == "UBIGINT":
        sql = f"{sql}::BIGINT"  # sets of cards: 33 or 48 bits
    elif kind in PLAIN_TYPES:
        sql = f"{sql}::{PLAIN_TYPES[kind]}"
    return f"{sql} AS {name}"


def copy(con: Any, query: str, place: Path) -> None:
    """Write a query as a Parquet file, which appears when it is complete."""
    how = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}"
    appear(
        place,
        lambda f: con.execute(f"COPY ({query}) TO {quoted(str(f))} ({how})").fetchall(),
    )


def appear(place: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` write a file, and give it its name when it is complete and on the disk."""
    build = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    try:
        write(build)
        with build.open("rb+") as f:
            os.fsync(f.fileno())
        os.replace(build, place)
    finally:
        build.unlink(missing_ok=True)
