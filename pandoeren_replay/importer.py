"""Import: files in, hands in the store, totals that add up. One road for every front end."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.record import HandRecord
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, DEFAULT_ID, UnknownRuleSet, load_ruleset
from engine.ruleset import RuleSet
from engine.state import Replay
from pandoeren_replay.store.bulk_source import (
    BulkCounts,
    BulkSource,
    NotForBulk,
    add_counts,
    add_sources,
    bulk_source,
)
from pandoeren_replay.store.encode import Row, encode, is_empty
from pandoeren_replay.store.generations import Unchanged
from pandoeren_replay.store.merging import merge_sources
from pandoeren_replay.store.store import Store
from pandoeren_replay.store.sums import extend
from pandoeren_replay.store.writer import (
    Batch,
    Disagreement,
    SourceRows,
    hash_rows,
    insert_rows,
    next_id,
    write_batch,
)
from parsers.base import Located, Options, ParseResult, Reject, Source, Warn
from parsers.build import points_differ
from parsers.detect import read_path, read_sources

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

NO_LOG = ("no-file", "empty", "not-text", "no-logs", "unrecognised", "limit", "rules")
"""Rejects that say a place holds no hands at all; they alone are no reason to touch a store."""

CHUNK = 1000
PARALLEL_FROM = 4 * CHUNK


@dataclass(slots=True)
class ImportTotals:
    """What became of an import. ``read = stored + duplicate + rejected + empty``, always.

    ``read`` is what the readers found, ``stored`` is counted in the store itself; ``import_id``
    is ``None`` when nothing was new and the store was left as it was. ``merged`` of the duplicates
    are hands that another source tells in its own way (see docs/store.md).
    """

    read: int = 0
    stored: int = 0
    duplicate: int = 0
    rejected: int = 0
    empty: int = 0
    with_errors: int = 0
    simulated: int = 0
    merged: int = 0
    import_id: int | None = None
    rejects: list[Reject] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)

    def add(self, other: "ImportTotals") -> None:
        """Count another import in (the number of the import is the latest)."""
        for name in (
            "read",
            "stored",
            "duplicate",
            "rejected",
            "empty",
            "with_errors",
            "simulated",
            "merged",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.rejects += other.rejects
        self.warnings += other.warnings
        self.disagreements += other.disagreements
        self.import_id = other.import_id or self.import_id

    @property
    def adds_up(self) -> bool:
        """Whether every hand read is accounted for.

        >>> ImportTotals(read=3, stored=2, empty=1).adds_up
        True
        """
        return self.read == self.stored + self.duplicate + self.rejected + self.empty


class RulesFinder:
    """Which rules a record is read by: ``--rules``, else what it names, else the default.

    Raises :class:`RuleSetError` if ``--rules`` itself cannot be used.
    """

    def __init__(self, options: Options) -> None:
        self._fixed = load_ruleset(options.rules) if options.rules else None

    def find(self, record: HandRecord) -> RuleSet:
        """The rule set of a record; :class:`UnknownRuleSet` if it is not built in.

        >>> RulesFinder(Options()).find(HandRecord()).id
        'heerlen'
        """
        if self._fixed is not None:
            return self._fixed
        # A log may name a built-in rule set only: reading it must not open a file of its choice.
        if record.rules is not None and record.rules not in BUILTIN_IDS:
            raise UnknownRuleSet(
                f"a built-in rule set ({', '.join(BUILTIN_IDS)}); "
                "for another one, say which with --rules"
            )
        return load_ruleset(record.rules or DEFAULT_ID)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A hand and its replay, or the reject that became of it."""

    hand: Located
    replay: Replay | None = None
    reject: Reject | None = None


def replay_located(hand: Located, finder: RulesFinder) -> Replayed:
    """Replay one hand by its rules; an unknown rule set makes it a reject."""
    try:
        rules = finder.find(hand.record)
    except UnknownRuleSet as e:
        return Replayed(
            hand, reject=_reject(hand, hand.record.rules or "", str(e), "rules-unknown")
        )
    try:
        return Replayed(hand, replay=replay(hand.record, rules))
    except Exception as e:
        return Replayed(hand, reject=_defect(hand, e))


def _defect(hand: Located, error: Exception) -> Reject:
    """A defect of ours must not lose the other hands of a file; this one is kept as text."""
    log.error("failed: %r:%s", hand.source, hand.line, exc_info=error)
    why = f"a hand that can be replayed (internal error {type(error).__name__}; please report it)"
    return _reject(hand, "", why, "internal-error")


def _reject(hand: Located, token: str, expected: str, code: str) -> Reject:
    return Reject(hand.source, hand.line, 1, token, expected, hand.raw, code)


def read_all(
    paths: Iterable[str | Path | Source], options: Options, format: str = "auto"
) -> Iterator[ParseResult]:
    """Read paths and in-memory sources, one result for each path (and one for all sources)."""
    sources: list[Source] = []
    for path in paths:
        if isinstance(path, Source):
            sources.append(path)
        else:
            yield read_path(Path(path), options, format)
    if sources:
        yield read_sources(sources, options, format)


def import_paths(
    store: Store,
    paths: Sequence[str | Path | Source],
    options: Options | None = None,
    format: str = "auto",
    progress: Progress | None = None,
    jobs: int = 1,
    waiting: Callable[[], None] | None = None,
    dry_run: bool = False,
) -> ImportTotals:
    """Import files, folders, archives or in-memory sources, all of it or nothing.

    ``options.rules`` overrides the rules that a log names. ``jobs`` is the number of processes
    that replay. ``waiting`` is called if another import is at work. ``dry_run`` does it all on a
    copy that is thrown away: the totals are those of the import, the store stays as it is.
    A path that holds no log is a reject. Raises :class:`parsers.detect.FormatError` for an unknown
    ``format``, :class:`StoreError` for a store that cannot be written, :class:`RuleSetError` for
    rules that cannot be used.
    """
    options = options or Options()
    finder = RulesFinder(options)
    say = progress or (lambda what, done, total: None)
    asked = (options.rules, None if format == "auto" else format)
    refused: set[str] = set()
    while True:
        bulk, others = _roads(paths, format, refused)
        batch = Batch()
        for i, result in enumerate(read_all(others, options, format)):
            say("read", i + 1, len(others))
            collect(batch, result, finder, options, say, jobs)
        try:
            return write(store, batch, asked, say, waiting, bulk, options, dry_run)
        except NotForBulk as e:
            refused.add(e.source)


def _roads(
    paths: Sequence[str | Path | Source], format: str, refused: set[str]
) -> tuple[list[BulkSource], list[str | Path | Source]]:
    """Large files of the line form, which are streamed, and all other paths."""
    bulk: list[BulkSource] = []
    others: list[str | Path | Source] = []
    for path in paths:
        source = bulk_source(path, format)
        if source is None or source.name in refused:
            others.append(path)
        else:
            bulk.append(source)
    return bulk, others


def write(
    store: Store,
    batch: Batch,
    options: tuple[str | None, str | None],
    say: Progress,
    waiting: Callable[[], None] | None = None,
    bulk: Sequence[BulkSource] = (),
    how: Options | None = None,
    dry_run: bool = False,
) -> ImportTotals:
    """Write what was read, and the large sources of ``bulk``, as one import and count it."""
    from pandoeren_replay import __version__

    rows = [r for s in batch.sources for r in s.rows]
    totals = ImportTotals(
        read=len(rows) + len(batch.rejects) + batch.empty,
        rejected=len(batch.rejects),
        empty=batch.empty,
        with_errors=sum(r.values["errors"] > 0 for r in rows),
        simulated=sum(r.values["simulated"] for r in rows),
        rejects=batch.rejects,
        warnings=list(batch.warnings),
    )
    for source in batch.sources:
        for row in source.rows:
            totals.warnings += [Warn(source.name, row.line, w) for w in row.warnings]
    if not rows and not bulk and all(r.code in NO_LOG for r in batch.rejects):
        return totals
    hashed = hash_rows(batch)
    say("write", 0, 1)
    change = store.trying() if dry_run else store.writing(waiting)
    with change as con:
        first = next_id(con, "hand", "hand_id")
        counts = add_sources(con, bulk, how or Options(), say, in_steps=True) if bulk else None
        written = write_batch(con, batch, hashed, __version__, options)
        totals.stored, totals.duplicate = written.stored, written.duplicate
        totals.disagreements = list(written.disagreements)
        changed = written.changed
        if counts is not None:
            changed = add_counts(con, counts, written.import_id) or changed
            _add(totals, counts)
        if not changed:
            raise Unchanged
        if not _merge(con, totals, written.import_id):
            extend(con, first, counts.sums if counts is not None else ())
        totals.import_id = None if dry_run else written.import_id
    say("write", 1, 1)
    return totals


def _merge(con: Any, totals: ImportTotals, import_id: int) -> bool:
    """Hands that another source tells in its own way are one hand, and counted as known.

    Whether hands may have changed by it.
    """
    new = con.execute("SELECT source_id FROM source WHERE import_id = ?", [import_id]).fetchall()
    merged = merge_sources(con, [i for (i,) in new])
    totals.merged = merged.known
    totals.stored -= merged.known
    totals.duplicate += merged.known
    totals.disagreements += merged.disagreements
    totals.warnings += merged.warnings
    insert_rows(
        con, "import_warning",
        [(import_id, w.source, w.line, w.message) for w in merged.warnings],
    )  # fmt: skip
    con.execute(
        "UPDATE import_run SET stored = ?, duplicate = ? WHERE import_id = ?",
        [totals.stored, totals.duplicate, import_id],
    ).fetchall()
    return merged.looked


def _add(totals: ImportTotals, counts: BulkCounts) -> None:
    totals.read += counts.read
    totals.stored += counts.stored
    totals.duplicate += counts.duplicate
    totals.rejected += len(counts.rejects)
    totals.empty += counts.empty
    totals.with_errors += counts.with_errors
    totals.simulated += counts.simulated
    totals.rejects = [*counts.rejects, *totals.rejects]
    totals.warnings = [*counts.warnings, *totals.warnings]
    totals.disagreements = [*counts.disagreements, *totals.disagreements]


def collect(
    batch: Batch,
    result: ParseResult,
    finder: RulesFinder,
    options: Options,
    say: Progress,
    jobs: int,
) -> None:
    """Replay what was read and add it to a batch."""
    batch.rejects += result.rejects
    batch.warnings += result.warnings
    batch.empty += result.empty
    hands = []
    for hand in result.hands:
        if is_empty(hand.record):
            batch.empty += 1
        else:
            hands.append(hand)
    by_name: dict[tuple[str, str], SourceRows] = {}
    done = 0
    for part in _rows(hands, result.format, finder, options, jobs):
        for hand, row, reject, rules in part:
            if reject is not None:
                batch.rejects.append(reject)
            if row is None or rules is None:
                continue
            batch.rule_sets.setdefault((rules.id, rules.content_hash), rules)
            source = by_name.get(hand)
            if source is None:
                source = by_name[hand] = SourceRows(*hand)
                batch.sources.append(source)
            source.rows.append(row)
        done += len(part)
        say("replay", done, len(hands))


_Part = list[tuple[tuple[str, str], Row | None, Reject | None, RuleSet | None]]


def _rows(
    hands: list[Located],
    format_name: str,
    finder: RulesFinder,
    options: Options,
    jobs: int,
) -> Iterator[_Part]:
    parts = [hands[i : i + CHUNK] for i in range(0, len(hands), CHUNK)]
    if jobs <= 1 or len(hands) < PARALLEL_FROM:
        for part in parts:
            yield _encode_part(part, format_name, finder)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Fresh processes: a fork of one that has database threads can hang.
    with ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), _start_worker, (options,)
    ) as pool:
        yield from pool.map(_work, parts, [format_name] * len(parts))


_finder: RulesFinder | None = None


def _start_worker(options: Options) -> None:
    global _finder
    _finder = RulesFinder(options)


def _work(part: list[Located], format_name: str) -> _Part:
    assert _finder is not None
    return _encode_part(part, format_name, _finder)


def _encode_part(part: list[Located], format_name: str, finder: RulesFinder) -> _Part:
    out: _Part = []
    for hand in part:
        place = (hand.source, hand.format or format_name)
        r = replay_located(hand, finder)
        if r.replay is None:
            out.append((place, None, r.reject, None))
        else:
            row, reject = _row(hand, r.replay, place[1])
            out.append((place, row, reject, r.replay.rules))
    return out


def _row(hand: Located, done: Replay, format_name: str) -> tuple[Row | None, Reject | None]:
    note = points_differ(hand.record, done)
    if note is not None and note not in hand.warnings:
        hand = replace(hand, warnings=(*hand.warnings, note))
    try:
        return encode(hand, done, format_name), None
    except UnicodeEncodeError as e:
        half = f"U+{ord(e.object[e.start]):04X}"
        return None, _reject(hand, half, "whole characters; this is half of one", "bad-text")
    except Exception as e:
        return None, _defect(hand, e)
