"""Hands of files as the tables of a store, in memory: nothing is stored, nothing is merged."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pandoeren_replay.importer import Progress, RulesFinder, collect
from pandoeren_replay.store.encode import Row
from pandoeren_replay.store.hash import hash_text
from pandoeren_replay.store.schema import new_database
from pandoeren_replay.store.writer import Batch, write_batch
from parsers.base import Options, ParseResult

if TYPE_CHECKING:
    import polars as pl


def scratch_tables(
    results: Sequence[ParseResult], options: Options, progress: Progress
) -> "Iterator[pl.DataFrame]":
    """The view ``hands`` (with the column ``phl``) over hands that were read but not stored."""
    from pandoeren_replay.export import PART, tables_of

    batch = Batch()
    finder = RulesFinder(options)
    for result in results:
        collect(batch, result, finder, options, progress, 1)
    hashed: list[tuple[int, int, Row]] = []
    for i, source in enumerate(batch.sources):
        # Every hand counts here, the same one twice too.
        hashed += [(hash_text(f"{len(hashed) + n}"), i, r) for n, r in enumerate(source.rows)]
    con = new_database()
    try:
        write_batch(con, batch, hashed, "", (options.rules, None))
        ids = list(range(1, len(hashed) + 1))
        for start in range(0, max(len(ids), 1), PART):
            yield tables_of(con, ids[start : start + PART]).drop("hash")
    finally:
        con.close()
