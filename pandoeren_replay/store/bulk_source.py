"""Which sources take the bulk road into the store, and what came of them.

Nothing heavy is loaded here before a source does take it (:mod:`pandoeren_replay.store.bulk`).
"""

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pandoeren_replay.store.writer import Disagreement
from parsers.archive import shown
from parsers.base import Options, Reject, Source, Warn
from parsers.phl import PhlParser

FORMAT = PhlParser.name
BULK_FROM = 256 << 10
"""Bytes from which on a file takes this road; below it, loading compiled code costs more."""
_HEAD = 1 << 16

Progress = Callable[[str, int, int], None]


class NotForBulk(Exception):
    """A source that the general road must read after all; ``source`` is its name."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.source = source


@dataclass(frozen=True, slots=True)
class BulkSource:
    """One large source: its name as shown, how to open it, how many bytes it has."""

    name: str
    open: Callable[[], Any]
    size: int


def bulk_source(path: "str | Path | Source", format: str) -> BulkSource | None:
    """The source as one for this road, ``None`` if it is none: small, a folder, another format."""
    if format not in ("auto", FORMAT):
        return None
    if isinstance(path, Source):
        name, size = path.name, len(path.data)

        def start() -> Any:
            return io.BytesIO(path.data)
    else:
        place = Path(path)
        if not os.path.isfile(place):
            return None
        name, size = shown(str(path)), place.stat().st_size

        def start() -> Any:
            return place.open("rb", buffering=0)

    if size < BULK_FROM:
        return None
    with start() as f:
        head = f.read(_HEAD)
    try:
        text = head[: head.rfind(b"\n") + 1].decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    named = name.lower().endswith(f".{FORMAT}")
    fits = "\0" not in text and named and PhlParser().recognise(text, name)
    return BulkSource(name, start, size) if fits else None


@dataclass(slots=True)
class BulkCounts:
    """What came of the sources so far."""

    read: int = 0
    stored: int = 0
    duplicate: int = 0
    empty: int = 0
    with_errors: int = 0
    simulated: int = 0
    new_rejects: int = 0
    rejects: list[Reject] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    sums: list[Any] | None = None
    """Sums of the hands that went into the table ``hand_packed``, by source; ``None``: the store
    stays too small to keep them."""
    told: bool = False  # whether a source was not known to hold one of the known hands


def add_sources(
    con: Any, sources: Sequence[BulkSource], options: Options, say: Progress, in_steps: bool
) -> BulkCounts:
    """Read sources into the store. Raises :class:`NotForBulk`.

    ``in_steps``: the caller's transaction is committed and begun anew on the way; he must throw
    all of it away when this fails.
    """
    from pandoeren_replay.store.bulk import bulk_import

    with bulk_import(con, options, sources, in_steps) as bulk:
        for source in sources:
            bulk.add(source, say)
        return bulk.finish()


def add_counts(con: Any, counts: BulkCounts, import_id: int) -> bool:
    """Add to what the import is said to have brought; whether it changed anything."""
    con.execute(
        "UPDATE import_run SET read = read + ?, stored = stored + ?, duplicate = duplicate + ?, "
        "rejected = rejected + ?, empty = empty + ? WHERE import_id = ?",
        [
            counts.read, counts.stored, counts.duplicate, len(counts.rejects), counts.empty,
            import_id,
        ],
    ).fetchall()  # fmt: skip
    return bool(counts.stored or counts.new_rejects or counts.disagreements or counts.told)
