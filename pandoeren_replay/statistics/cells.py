"""Sums behind figures: what a query gives for every group, and how sure means are made of it.

All of one statistic is worked out at once, as columns: by session there are tens of thousands of
groups.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.model import Statistic

if TYPE_CHECKING:
    import polars as pl

Interval = tuple[float, float, float] | None
"""Low, high and standard error of a mean, where something varies."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of one statistic, a number for each group.

    ``n`` rows, ``no_cards`` of them from hands without cards, ``totals`` (hits of a rate),
    ``squares``. Of means also the ``intervals``, and ``rest_errors``: standard errors of the mean
    of all other groups, ``None`` where nothing varies.
    """

    n: Any
    totals: Any
    squares: Any
    no_cards: Any
    intervals: Sequence[Interval] = ()
    rest_errors: Sequence[float | None] = ()
    all_n: int = field(init=False)
    all_total: float = field(init=False)
    all_no_cards: int = field(init=False)

    def __post_init__(self) -> None:
        for name, value in (
            ("all_n", int(self.n.sum())),
            ("all_total", float(self.totals.sum())),
            ("all_no_cards", int(self.no_cards.sum())),
        ):
            object.__setattr__(self, name, value)


def sums_of(frame: "pl.DataFrame", stats: Sequence[Statistic]) -> list[Sums]:
    """The sums of statistics out of the rows of :func:`.queries.collected`."""
    blocks = _Blocks(frame) if any(s.unit == "mean" for s in stats) and len(frame) else None
    out = []
    for i, s in enumerate(stats):
        n, totals, squares, no_cards = (
            frame[f"{x}{i}"].fill_null(0).to_numpy() for x in ("n", "t", "q", "s")
        )
        if s.unit != "mean" or blocks is None:
            out.append(Sums(n, totals, squares, no_cards))
            continue
        parts = _Parts(blocks, *(_flat(frame[f"{x}s{i}"]) for x in "nt"))
        found = _intervals(parts, n, totals, squares)
        out.append(Sums(n, totals, squares, no_cards, found, _rest_errors(parts, n, totals)))
    return out


def _flat(column: "pl.Series") -> Any:
    import polars as pl

    flat = column.explode() if column.dtype == pl.List else column
    return flat.to_numpy()


class _Blocks:
    """Blocks of sessions of each group: ``codes``, those of group ``g`` from ``starts[g]`` on."""

    def __init__(self, frame: "pl.DataFrame") -> None:
        import polars as pl

        column = frame["blocks"]
        names, self.codes = np.unique(_flat(column), return_inverse=True)
        self.number = len(names)
        if column.dtype == pl.List:
            self.sizes = column.list.len().to_numpy().astype(np.int64)
        else:
            self.sizes = np.ones(len(column), np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes


class _Parts:
    """What groups have of a mean in each of their blocks; blocks where they have nothing do not
    count, but for a group that has nothing else. ``every_…`` are sums of whole blocks.
    """

    def __init__(self, blocks: _Blocks, counts: Any, sums: Any) -> None:
        self.codes, self.counts, self.sums = blocks.codes, counts, sums
        self.sizes, self.starts = blocks.sizes, blocks.starts
        self.every_n, self.every_sum = (
            np.bincount(self.codes, x, blocks.number) for x in (counts, sums)
        )
        groups = np.repeat(np.arange(len(self.sizes)), self.sizes)
        there = (counts > 0) | (self.sizes[groups] == 1)
        if not there.all():
            self.codes, self.counts, self.sums = (
                x[there] for x in (self.codes, self.counts, self.sums)
            )
            self.sizes = np.bincount(groups[there], minlength=len(self.sizes))
            self.starts = np.cumsum(self.sizes) - self.sizes

    def of(self, group: int) -> slice:
        """Where the blocks of a group are."""
        start = int(self.starts[group])
        return slice(start, start + int(self.sizes[group]))


def _intervals(parts: _Parts, n: Any, totals: Any, squares: Any) -> list[Interval]:
    """Intervals of means; groups of the same number of blocks use the same draws."""
    out: list[Interval] = [None] * len(n)
    for size in np.unique(parts.sizes).tolist():
        alike = np.flatnonzero(parts.sizes == size)
        found: Sequence[Interval]
        if size < 2:
            found = intervals.value_intervals(n[alike], totals[alike], squares[alike])
        else:
            at = parts.starts[alike][:, np.newaxis] + np.arange(size)
            found = intervals.mean_intervals(parts.counts[at], parts.sums[at])
        for group, interval in zip(alike.tolist(), found):
            out[group] = interval
    return out


@dataclass(frozen=True, slots=True)
class _Spread:
    """Sums over blocks: totals squared, totals times counts, counts squared, how many."""

    tt: float
    tn: float
    nn: float
    blocks: int

    @classmethod
    def of(cls, n: Any, total: Any) -> "_Spread":
        """The spread of some blocks; empty ones do not count."""
        return cls(float(total @ total), float(total @ n), float(n @ n), int(np.count_nonzero(n)))


def _rest_errors(parts: _Parts, n: Any, totals: Any) -> list[float | None]:
    """Standard errors of the means of all groups but one, from the sums over all."""
    out: list[float | None] = [None] * len(n)
    all_n, all_total = int(n.sum()), float(totals.sum())
    every = _Spread.of(parts.every_n, parts.every_sum)
    others = n < all_n
    for group in np.flatnonzero(others & (parts.sizes > 1)).tolist():
        at = parts.of(group)
        codes = parts.codes[at]
        whole_n, whole_sum = parts.every_n[codes], parts.every_sum[codes]
        own = _Spread.of(whole_n, whole_sum)
        rest = _Spread.of(whole_n - parts.counts[at], whole_sum - parts.sums[at])
        m = every.blocks - own.blocks + rest.blocks
        if m < 2:
            continue
        left = all_n - int(n[group])
        mean = (all_total - float(totals[group])) / left
        tt = every.tt - own.tt + rest.tt
        tn = every.tn - own.tn + rest.tn
        nn = every.nn - own.nn + rest.nn
        squares = max(0.0, tt - 2 * mean * tn + mean * mean * nn)
        out[group] = math.sqrt(m / (m - 1) * squares) / left
    alone = np.flatnonzero(others & (parts.sizes == 1))
    if len(alone):
        errors = _rests_of_one_block(parts, every, n[alone], totals[alone], alone, all_n, all_total)
        for group, error in zip(alone.tolist(), errors):
            out[group] = error
    return out


def _rests_of_one_block(
    parts: _Parts,
    every: _Spread,
    n: Any,
    totals: Any,
    groups: Any,
    all_n: int,
    all_total: float,
) -> list[float | None]:
    """The same for groups that lie in one block each, all at once: sessions are thousands."""
    codes = parts.codes[parts.starts[groups]]
    one_n, one_sum = parts.every_n[codes], parts.every_sum[codes]
    left = (all_n - n).astype(np.float64)
    rest_n, rest_sum = one_n - n, one_sum - totals
    m = every.blocks - 1 + (rest_n > 0)
    mean = (all_total - totals) / left
    tt = every.tt - one_sum**2 + rest_sum**2
    tn = every.tn - one_sum * one_n + rest_sum * rest_n
    nn = every.nn - one_n**2 + rest_n**2
    squares = np.maximum(0.0, tt - 2 * mean * tn + mean * mean * nn)
    errors = np.sqrt(m / np.maximum(m - 1, 1) * squares) / left
    return [e if blocks > 1 else None for e, blocks in zip(errors.tolist(), m.tolist())]
