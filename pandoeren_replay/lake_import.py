"""Import into a lake: cut files into parts, make them, drop what is there already, publish.

The parts are made independently of each other, here or on a cluster
(:mod:`pandoeren_replay.lake_run`); an import appears by one rename of its folder. Interrupted, it
leaves the lake as it was, and the same command goes on where it stopped.
"""

import datetime as dt
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.rulefile import load_ruleset
from engine.ruleset import RuleSet
from pandoeren_replay.importer import NO_LOG, ImportTotals, RulesFinder
from pandoeren_replay.lake import FOLDER, IMPORTS, MACROS, PLAIN_TYPES, TABLES, Lake
from pandoeren_replay.lake_merge import drop_doubles, known_disagreements, known_rejects
from pandoeren_replay.lake_part import Job, Lines, Summary, Task, copy, make_part, write_part
from pandoeren_replay.lake_run import run
from pandoeren_replay.store.bulk_source import bulk_source
from pandoeren_replay.store.columns import HAND, ROW_GROUP, VIOLATION, arrow_table
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.generations import LOCK
from pandoeren_replay.store.hash import hash_text
from pandoeren_replay.store.lock import exclusive
from pandoeren_replay.store.schema import new_database
from pandoeren_replay.store.writer import (
    Disagreement,
    insert_arrow,
    insert_rejects,
    insert_rows,
    insert_rule_sets,
)
from parsers.base import Options, Reject, Source, Warn

PART_ROWS = 2 * ROW_GROUP
"""Lines of a part: whole row groups; a part is about 20 MB and some seconds of work."""
BLOCK = 16 << 20
SOURCES_OF_A_TASK = 1 << 20
"""Room for the numbers of the sources of one task (the members of an archive)."""

Progress = Callable[[str, int, int], None]


def import_lake(
    lake: Lake,
    paths: Sequence[str | Path | Source],
    options: Options | None = None,
    format: str = "auto",
    progress: Progress | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    waiting: Callable[[], None] | None = None,
    part_rows: int = PART_ROWS,
) -> ImportTotals:
    """Import files, folders, archives or in-memory sources into a lake, all of it or nothing.

    As :func:`pandoeren_replay.importer.import_paths`, with these differences: a lake keeps one
    record of a hand and does not look for the same hand told in other words by another source.
    ``jobs`` processes or the workers of the Dask cluster at ``scheduler`` share the work; those
    must see the files, the lake and a rule-set file under the same paths.
    """
    options = options or Options()
    RulesFinder(options)
    if lake.remote:
        raise StoreError(
            f"{lake.address}: a lake is written to a folder; copy that folder to its address"
        )
    _check_folder(lake.path)
    say = progress or (lambda what, done, total: None)
    with exclusive(lake.path / LOCK, waiting):
        number = 1 + max((_number(f.name) for f in lake.path.iterdir()), default=0)
        staging = _staging(lake.path, number, _plan_id(paths, options, format))
        job = Job(str(staging), number, options, format)
        refused: set[str] = set()
        while True:
            summaries = _make(job, _tasks(paths, format, refused, job, part_rows), say, jobs,
                              scheduler, _size(paths))  # fmt: skip
            again = {s["refused"] for s in summaries if "refused" in s}
            if not again:
                break
            refused |= again
            _forget(staging)
        return _publish(lake, job, summaries, staging, say)


# -- before -------------------------------------------------------------------------------------


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; a lake is a folder (name another place with --lake)")
    if folder.exists() and any(folder.iterdir()):
        if not ((folder / LOCK).exists() or list(folder.glob(IMPORTS))):
            raise StoreError(
                f"{folder} is a folder with other files in it and no lake; "
                "name a new or empty folder with --lake"
            )
        if list(folder.glob("*.duckdb")):
            raise StoreError(f"{folder} is a store, not a lake; name another folder with --lake")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise StoreError(f"the lake {folder} cannot be made ({e.strerror})") from None


def _number(name: str) -> int:
    found = FOLDER.fullmatch(name)
    return int(found[1]) if found else 0


def _plan_id(paths: Sequence[str | Path | Source], options: Options, format: str) -> str:
    """What an import is of: the same again gives the same, anything else something else."""
    from pandoeren_replay import __version__

    told: list[Any] = [__version__, format, repr(options.mapping)]
    told.append(load_ruleset(options.rules).content_hash if options.rules else None)
    for path in paths:
        if isinstance(path, Source):
            told.append([path.name, hashlib.sha256(path.data).hexdigest()])
            continue
        place = Path(path)
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in files:
            if file.is_file():
                stat = file.stat()
                told.append([str(file), stat.st_size, stat.st_mtime_ns])
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def _staging(folder: Path, number: int, plan: str) -> Path:
    """The folder that parts are made in; what an earlier run of the same import made is kept."""
    staging = folder / f"staging-{number:06d}-{plan}"
    for other in folder.glob("staging-*"):
        if other != staging:
            shutil.rmtree(other, ignore_errors=True)
    staging.mkdir(exist_ok=True)
    for rest in staging.glob(".*"):
        rest.unlink(missing_ok=True)
    return staging


def _forget(staging: Path) -> None:
    """A file must be read in another way: the parts are numbered anew."""
    for file in staging.iterdir():
        file.unlink()


def _size(paths: Sequence[str | Path | Source]) -> int:
    size = 0
    for path in paths:
        if isinstance(path, Source):
            size += len(path.data)
        elif Path(path).is_file():
            size += Path(path).stat().st_size
    return size


def _tasks(
    paths: Sequence[str | Path | Source],
    format: str,
    refused: set[str],
    job: Job,
    part_rows: int,
) -> Iterator[Task]:
    """Cut the sources: large files of the line form into parts, everything else as a whole."""
    number = 0
    for path in _expanded(paths, format, refused):
        first = (job.import_id << 40) + number * SOURCES_OF_A_TASK
        source = None if isinstance(path, Source) else bulk_source(path, format)
        if source is None or isinstance(path, Source) or str(path) in refused:
            yield Task(number, path if isinstance(path, Source) else str(path), first)
            number += 1
            continue
        for start, size, before in cut_lines(Path(path), part_rows):
            what = Lines(str(path), source.name, start, size, before, source.size)
            yield Task(number, what, first)
            number += 1


def _expanded(
    paths: Sequence[str | Path | Source], format: str, refused: set[str]
) -> Iterator[str | Path | Source]:
    """A folder of nothing but large files of the line form is cut as they are."""
    for path in paths:
        if not isinstance(path, Source) and Path(path).is_dir():
            files = sorted(f for f in Path(path).rglob("*") if f.is_file())
            if files and all(bulk_source(f, format) and str(f) not in refused for f in files):
                yield from files
                continue
        yield path


def cut_lines(file: Path, rows: int) -> Iterator[tuple[int, int, int]]:
    """Pieces of a file of ``rows`` lines each: where they start, how long, lines before them."""
    start = size = lines = before = counted = 0
    with file.open("rb", buffering=0) as f:
        while block := f.read(BLOCK):
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
            at = 0
            while len(ends) >= rows - lines:
                cut = int(ends[rows - lines - 1]) + 1
                ends = ends[rows - lines :]
                size += cut - at
                # A lone CR ends a line too, for the reader.
                counted += _line_ends(block[at:cut])
                yield start, size, before
                start, size, lines, before, at = start + size, 0, 0, before + counted, cut
                counted = 0
            lines += len(ends)
            size += len(block) - at
            counted += _line_ends(block[at:])
    if size:
        yield start, size, before


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


# -- the parts ----------------------------------------------------------------------------------


def _make(
    job: Job,
    tasks: Iterator[Task],
    say: Progress,
    jobs: int,
    scheduler: str | None,
    size: int,
) -> list[Summary]:
    out: list[Summary] = []
    done = 0
    for summary in run(partial(make_part, job), tasks, jobs, scheduler):
        out.append(summary)
        done += summary.get("bytes", 0)
        say("import", done, max(size, done))
    return sorted(out, key=lambda s: int(s["number"]))


def _thin_part(job: Job, summaries: list[Summary]) -> int:
    """A part of the hands that say too little to be told apart, numbered in the order they came;
    gives how many.
    """
    found = [t for s in summaries for t in s["thin"]]
    if not found:
        return 0
    names = {i: (name, kind) for s in summaries for i, name, kind in s["sources"]}
    local: dict[int, int] = {}
    seen: dict[str, int] = {}
    rows, violations = [], []
    for hand_id, thin in enumerate(found, 1):
        text = thin["content"]
        nth = seen.get(text, 0)
        seen[text] = nth + 1
        row = thin["row"] | {"hand_id": hand_id}
        row["source_id"] = local.setdefault(row["source_id"], len(local))
        row["hash"] = hash_text(f"{text} #{nth}" if nth else text)
        rows.append(tuple(row[c] for c in HAND))
        violations += [(hand_id, *v[1:]) for v in thin["violations"]]
    con = new_database()
    try:
        con.execute(MACROS)
        contents = {text for s in summaries for _, _, text in s["rule_sets"]}
        insert_rule_sets(con, map(RuleSet.model_validate_json, contents))
        insert_rows(con, "source", [(k, job.import_id, *names[i]) for i, k in local.items()])
        insert_arrow(con, "hand_row", arrow_table(HAND, rows))
        insert_arrow(con, "violation", arrow_table(VIOLATION, violations))
        return write_part(con, job, "thin", {k: i for i, k in local.items()}, 0)
    finally:
        con.close()


# -- the end ------------------------------------------------------------------------------------


def _publish(
    lake: Lake, job: Job, summaries: list[Summary], staging: Path, say: Progress
) -> ImportTotals:
    totals = ImportTotals()
    told: list[Disagreement] = []
    for s in summaries:
        totals.read += s["read"]
        totals.duplicate += s["duplicate"]
        totals.empty += s["empty"]
        totals.with_errors += s["with_errors"]
        totals.simulated += s["simulated"]
        totals.rejects += [Reject(**r) for r in s["rejects"]]
        totals.warnings += [Warn(**w) for w in s["warnings"]]
        told += [Disagreement(*d) for d in s["disagreements"]]
    totals.rejected = len(totals.rejects)
    if totals.read == totals.rejected and all(r.code in NO_LOG for r in totals.rejects):
        shutil.rmtree(staging)
        return totals
    made = sum(s["hands"] for s in summaries) + _thin_part(job, summaries)
    say("write", 0, 1)
    dropped = drop_doubles(lake, staging)
    totals.stored = dropped.left
    totals.duplicate += made - dropped.left
    known = known_disagreements(lake)
    for d in [*told, *dropped.disagreements]:
        if (d.hand_id, d.other) not in known:
            known.add((d.hand_id, d.other))
            totals.disagreements.append(d)
    seen = known_rejects(lake)
    fresh = [r for r in totals.rejects if _place(r) not in seen]
    if totals.stored or fresh or totals.disagreements:
        _write_tables(job, summaries, totals, fresh, staging)
        for file in staging.glob("*.json"):
            file.unlink()
        for rest in staging.glob(".*"):
            rest.unlink()
        name = staging.name.replace("staging-", "import-", 1)
        os.replace(staging, staging.with_name(name))
        _sync(lake.path)
        totals.import_id = job.import_id
    else:
        shutil.rmtree(staging)
    say("write", 1, 1)
    return totals


def _place(r: Reject) -> tuple[str, int, int, str, str]:
    return r.source, r.line, r.column, r.message, r.raw


def _write_tables(
    job: Job, summaries: list[Summary], totals: ImportTotals, rejects: list[Reject], staging: Path
) -> None:
    """The small tables of an import, each a file."""
    from pandoeren_replay import __version__

    con = new_database()
    try:
        rule_sets = {(r[0], r[1]): r[2] for s in summaries for r in s["rule_sets"]}
        insert_rule_sets(con, [RuleSet.model_validate_json(c) for c in rule_sets.values()])
        now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
        asked = None if job.format == "auto" else job.format
        insert_rows(
            con, "import_run",
            [
                (
                    job.import_id, now, __version__, job.options.rules, asked, totals.read,
                    totals.stored, totals.duplicate, totals.rejected, totals.empty,
                )
            ],
        )  # fmt: skip
        con.execute("ALTER TABLE source ALTER source_id TYPE BIGINT")
        sources = {i: (i, job.import_id, n, k) for s in summaries for i, n, k in s["sources"]}
        insert_rows(con, "source", list(sources.values()))
        insert_rejects(con, rejects, job.import_id)
        insert_rows(
            con, "import_warning",
            [(job.import_id, w.source, w.line, w.message) for w in totals.warnings],
        )  # fmt: skip
        insert_rows(
            con, "disagreement",
            [
                (d.hand_id, job.import_id, d.source, d.line, d.kept, d.other, None)
                for d in totals.disagreements
            ],
        )  # fmt: skip
        for name, table in TABLES.items():
            copy(con, f"SELECT {_signed(con, table)} FROM {table}", staging / f"{name}.parquet")
    finally:
        con.close()


def _signed(con: Any, table: str) -> str:
    return ", ".join(
        f"{n}::{PLAIN_TYPES[k]} AS {n}" if k in PLAIN_TYPES else n
        for n, k, *_ in con.execute(f"DESCRIBE {table}").fetchall()
    )


def _sync(folder: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder to flush it
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
