"""Working figures out: one row for each statistic and group, with how sure it is."""

import gc
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import quote as percent

import numpy as np

from pandoeren_replay.filters import condition, quote
from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.glossary import POPULATIONS, statistic
from pandoeren_replay.statistics.groupings import groupings
from pandoeren_replay.statistics.model import Grouping, Population, Statistic
from pandoeren_replay.statistics.queries import collected, query, summed_query
from pandoeren_replay.store.narrow import narrowed
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

COUNTED = "counted"
"""Field of the filter language that names a figure and a group (see :mod:`.drill`)."""


@runtime_checkable
class Shared(Protocol):
    """Hands of which several processes add up the sums (:mod:`pandoeren_replay.lake_stats`)."""

    def shared_sums(
        self,
        population: Population,
        stats: Sequence[Statistic],
        groups: Sequence[Grouping],
        where: str | None,
    ) -> "pl.DataFrame":
        """What :func:`.queries.collected` gives."""


@dataclass(slots=True)
class Figure:
    """One figure of one group.

    ``n`` rows of the population, ``no_cards`` of them from hands without cards (score sheets),
    ``hits`` of them (rates and shares); ``value`` and its 95% interval; ``error`` its standard
    error; ``small`` where n is below 30 (shown grey, never ranked); ``others`` the same figure
    over all other groups; ``shrunk`` the value drawn towards that of all; ``rank`` by the shrunk
    value; ``more`` how many more it takes until the difference from the others means something
    (0: it does). ``where`` leads to the hands.
    """

    statistic: Statistic
    group: dict[str, Any]
    n: int
    hits: int | None
    value: float | None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    others: float | None = None
    shrunk: float | None = None
    rank: int | None = None
    more: int | None = None
    no_cards: int = 0
    where: str = ""

    @property
    def small(self) -> bool:
        """Whether too few hands stand behind it."""
        return self.n < intervals.FEW

    def as_dict(self) -> dict[str, Any]:
        """As a row of the table that commands and the dashboard show."""
        return {
            **shown(self.group),
            "statistic": self.statistic.id, "n": self.n, "no_cards": self.no_cards,
            "hits": self.hits,
            "value": self.value, "low": self.low, "high": self.high, "small": self.small,
            "others": self.others, "shrunk": self.shrunk, "rank": self.rank, "more": self.more,
            "where": self.where,
        }  # fmt: skip


def shown(group: dict[str, Any]) -> dict[str, Any]:
    """A group as it is shown: two names as one text.

    >>> shown({"pair": ("Anna", "Bas")})
    {'pair': 'Anna – Bas'}
    """
    return {k: " – ".join(v) if isinstance(v, tuple) else v for k, v in group.items()}


@dataclass(slots=True)
class Cell:
    """Sums of one statistic in one group; for means also by block of sessions.

    ``codes`` are numbers of blocks in the order of their names, ``counts`` and ``sums`` what the
    group has in them (none empty). The cell over all groups holds every block, at its number.
    """

    n: int
    total: float
    squares: float
    no_cards: int
    codes: Any = None
    counts: Any = None
    sums: Any = None
    interval: tuple[float, float, float] | None = None
    spread: "Spread | None" = None
    rest_error: float | None = None
    """Of a cell in one block: standard error of the mean of all other cells."""

    def blocks_spread(self) -> "Spread":
        """Sums over all blocks, worked out once."""
        if self.spread is None:
            self.spread = Spread.of(self.counts, self.sums)
        return self.spread


@dataclass(frozen=True, slots=True)
class Spread:
    """Sums over blocks: totals squared, totals times counts, counts squared, how many."""

    tt: float
    tn: float
    nn: float
    blocks: int

    @classmethod
    def of(cls, n: Any, total: Any) -> "Spread":
        """The spread of some blocks; empty ones do not count."""
        return cls(float(total @ total), float(total @ n), float(n @ n), int(np.count_nonzero(n)))


def measure(
    store: Store, names: Sequence[str], by: Sequence[str] = (), where: str | None = None
) -> "pl.DataFrame":
    """Statistics (ids of the glossary) as one table, a row for each statistic and group.

    Without ``by`` each statistic is split as it usually is. Raises :class:`ValueError` for an
    unknown statistic or grouping, :class:`~pandoeren_replay.filters.FilterError` for a bad filter.
    """
    import polars as pl

    rows = [f.as_dict() for f in figures(store, [statistic(n) for n in names], by, where)]
    return pl.DataFrame(rows, infer_schema_length=None)


def figures(
    store: Store,
    statistics: Iterable[Statistic],
    by: Sequence[str] = (),
    where: str | None = None,
) -> list[Figure]:
    """Figures of several statistics, those of one population in one query."""
    with many_at_once():
        return _all_figures(store, list(statistics), by, where)


@contextmanager
def many_at_once() -> Iterator[None]:
    """Tens of thousands of figures are made without looking for unreachable ones in between.

    They do not refer to each other; the looking takes a quarter of the time.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _all_figures(
    store: Store, wanted: Sequence[Statistic], by: Sequence[str], where: str | None
) -> list[Figure]:
    together: dict[tuple[str, tuple[str, ...]], list[Statistic]] = {}
    for s in wanted:
        names = tuple(by) or (s.by,)
        together.setdefault((s.population, names), []).append(s)
    found: dict[str, list[Figure]] = {}
    for (population, names), stats in together.items():
        groups = groupings(names, stats[0].by)
        found |= _figures(store, POPULATIONS[population], stats, groups, where)
    return [f for s in wanted for f in found[s.id]]


def _figures(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    where: str | None,
) -> dict[str, list[Figure]]:
    cells, total = cells_of(store, population, stats, groups, where)
    out: dict[str, list[Figure]] = {}
    for i, s in enumerate(stats):
        found = [
            figure_of(s, groups, key, row[i], total[i]) for key, row in cells.items() if row[i].n
        ]
        for f in found:
            f.where = drill(population, s, groups, f.group, where)
        if any(g.name in ("player", "pair") for g in groups):
            rank(s, found)
        out[s.id] = found
    return out


def grouped(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    where: str | None,
) -> "pl.DataFrame":
    """The sums behind figures, a row for each group (:func:`.queries.collected`)."""
    if isinstance(store, Shared):
        return store.shared_sums(population, stats, groups, where)
    sql, params = condition(where, store)
    asked = summed_query(store, population, stats, groups, sql)
    if asked is None:
        asked, sql = query(store, population, stats, groups), narrowed(store, where, sql)
    return store.sql(collected(asked, stats, groups).replace("{where}", sql), params)


def cells_of(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    where: str | None,
) -> tuple[dict[tuple[Any, ...], list[Cell]], list[Cell]]:
    """Sums of statistics of one population, by group in the order to show them, and over all."""
    frame = grouped(store, population, stats, groups, where)
    width = len(groups)
    keys = [
        tuple(tuple(v) if isinstance(v, list) else v for v in row)
        for row in frame.select(frame.columns[:width]).rows()
    ]
    order = _Order(groups)
    places = frame.select(c for c in frame.columns if re.fullmatch(r"o\d+", c)).rows()
    for key, place, rows in zip(keys, places, frame["rows"].to_list()):
        order.add(key, place, rows)
    columns = [_columns(frame, i, s) for i, s in enumerate(stats)]
    cells = dict(zip(keys, ([c[g] for c, _ in columns] for g in range(len(keys)))))
    return {k: cells[k] for k in order.sorted()}, [total for _, total in columns]


def _columns(frame: "pl.DataFrame", i: int, s: Statistic) -> tuple[list[Cell], Cell]:
    """The cells of one statistic by group, and over all."""
    sums = [frame[f"{x}{i}"].fill_null(0).to_list() for x in "ntqs"]
    cells = [Cell(*values) for values in zip(*sums)]
    total = Cell(*(sum(x) for x in sums))  # type: ignore[arg-type]
    if s.unit != "mean" or not cells:
        return cells, total
    names, codes = np.unique(frame["blocks"].explode().to_numpy(), return_inverse=True)
    counts, totals = (frame[f"{x}s{i}"].explode().to_numpy() for x in "nt")
    total.counts, total.sums = (np.bincount(codes, w, len(names)) for w in (counts, totals))
    total.codes = np.arange(len(names))
    ends = np.cumsum(frame["blocks"].list.len().to_numpy())
    for cell, end, size in zip(cells, ends.tolist(), frame["blocks"].list.len().to_list()):
        cell.codes, cell.counts, cell.sums = (x[end - size : end] for x in (codes, counts, totals))
        if size > 1 and not cell.counts.all():
            there = cell.counts > 0
            cell.codes, cell.counts, cell.sums = (
                x[there] for x in (cell.codes, cell.counts, cell.sums)
            )
    _work_out_intervals(cells)
    _work_out_rests(cells, total)
    return cells, total


def _work_out_intervals(cells: Sequence[Cell]) -> None:
    """Intervals of means; cells of the same number of blocks use the same draws."""
    of_size: dict[int, list[Cell]] = {}
    for cell in cells:
        of_size.setdefault(len(cell.counts), []).append(cell)
    for size, alike in of_size.items():
        found: Sequence[tuple[float, float, float] | None]
        if size < 2:
            found = intervals.value_intervals(
                [c.n for c in alike], [c.total for c in alike], [c.squares for c in alike]
            )
        else:
            found = intervals.mean_intervals(
                np.stack([c.counts for c in alike]), np.stack([c.sums for c in alike])
            )
        for cell, interval in zip(alike, found):
            cell.interval = interval


def _work_out_rests(cells: Sequence[Cell], total: Cell) -> None:
    """Standard errors of the others where a cell lies in one block: sessions are thousands."""
    alone = [c for c in cells if len(c.codes) == 1 and c.n < total.n]
    if not alone:
        return
    every = total.blocks_spread()
    codes = np.array([c.codes[0] for c in alone])
    one_n, one_sum = total.counts[codes], total.sums[codes]
    n = total.n - np.array([c.n for c in alone], np.float64)
    own_sum = np.array([c.total for c in alone])
    rest_n, rest_sum = one_n - (total.n - n), one_sum - own_sum
    m = every.blocks - 1 + (rest_n > 0)
    mean = (total.total - own_sum) / n
    tt = every.tt - one_sum**2 + rest_sum**2
    tn = every.tn - one_sum * one_n + rest_sum * rest_n
    nn = every.nn - one_n**2 + rest_n**2
    squares = np.maximum(0.0, tt - 2 * mean * tn + mean * mean * nn)
    errors = np.sqrt(m / np.maximum(m - 1, 1) * squares) / n
    for cell, error, blocks in zip(alone, errors.tolist(), m.tolist()):
        cell.rest_error = error if blocks > 1 else None


class _Order:
    """The order in which to show groups: within each grouping by size or by its own order."""

    def __init__(self, groups: Sequence[Grouping]) -> None:
        self.groups = groups
        self.keys: dict[tuple[Any, ...], None] = {}
        self.sizes: dict[tuple[Any, ...], int] = {}
        self.places: dict[tuple[Any, ...], list[Any]] = {}

    def add(self, key: tuple[Any, ...], places: Sequence[Any], rows: int) -> None:
        """Take in one row of the query; ``places`` begin with those of the first grouping."""
        self.keys[key] = None
        at = 0
        for i, g in enumerate(self.groups):
            prefix, width = key[: i + 1], len(g.order) or 1
            own = [(v is None, 0 if v is None else v) for v in places[at : at + width]]
            at += width
            self.sizes[prefix] = self.sizes.get(prefix, 0) + rows
            held = self.places.get(prefix)
            self.places[prefix] = own if held is None else [min(x) for x in zip(held, own)]

    def sorted(self) -> list[tuple[Any, ...]]:
        """The groups in order."""

        def place(key: tuple[Any, ...]) -> list[Any]:
            out: list[Any] = []
            for i, g in enumerate(self.groups):
                prefix = key[: i + 1]
                out += [-self.sizes[prefix] if g.by_size else 0, self.places[prefix], str(key[i])]
            return out

        return sorted(self.keys, key=place)


def figure_of(
    s: Statistic,
    groups: Sequence[Grouping],
    key: tuple[Any, ...],
    cell: Cell,
    total: Cell,
) -> Figure:
    """The figure of one group from its sums and those over all groups."""
    group = {g.name: value for g, value in zip(groups, key)}
    if s.unit == "share":
        interval = intervals.wilson(cell.n, total.n)
        low, high = interval if interval else (None, None)
        return Figure(
            s, group, total.n, cell.n, cell.n / total.n, low, high, no_cards=total.no_cards
        )
    if not cell.n:
        return Figure(s, group, 0, None, None)
    rest_n, rest_total = total.n - cell.n, total.total - cell.total
    others = rest_total / rest_n if rest_n else None
    value = cell.total / cell.n
    if s.unit == "rate":
        hits = int(cell.total)
        interval = intervals.wilson(hits, cell.n)
        low, high = interval if interval else (None, None)
        figure = Figure(s, group, cell.n, hits, value, low, high)
        if others is not None:
            # Under "no difference" both groups vary as all hands together do.
            p = total.total / total.n
            spread = p * (1 - p)
            figure.more = intervals.hands_needed(
                value - others, spread, cell.n, math.sqrt(spread / rest_n)
            )
    else:
        figure = Figure(s, group, cell.n, None, value)
        known = cell.interval
        if known:
            figure.low, figure.high, figure.error = known
            error = _rest_error(total, cell) if others is not None else None
            if error is not None:
                figure.more = intervals.hands_needed(
                    value - (others or 0.0), known[2] ** 2 * cell.n, cell.n, error
                )
    figure.others = others
    figure.no_cards = cell.no_cards
    if figure.more is not None and figure.small:
        # What rests on so few says nothing yet, whatever its interval.
        figure.more = max(figure.more, intervals.FEW - figure.n)
    return figure


def _rest_error(total: Cell, cell: Cell) -> float | None:
    """Standard error of the mean of all groups but one, from the sums over all."""
    if len(cell.codes) == 1:
        return cell.rest_error
    every = total.blocks_spread()
    all_n, all_sum = total.counts[cell.codes], total.sums[cell.codes]
    own = Spread.of(all_n, all_sum)
    rest = Spread.of(all_n - cell.counts, all_sum - cell.sums)
    n, m = total.n - cell.n, every.blocks - own.blocks + rest.blocks
    if m < 2:
        return None
    mean = (total.total - cell.total) / n
    tt = every.tt - own.tt + rest.tt
    tn = every.tn - own.tn + rest.tn
    nn = every.nn - own.nn + rest.nn
    squares = max(0.0, tt - 2 * mean * tn + mean * mean * nn)
    return math.sqrt(m / (m - 1) * squares) / n


def rank(s: Statistic, found: list[Figure]) -> None:
    """Shrink towards the mean of all, and rank what is not small."""
    if s.unit == "share" or len(found) < 2:
        return
    if s.unit == "rate":
        shrunk = intervals.shrink_rates([f.hits or 0 for f in found], [f.n for f in found])
    else:
        shrunk = intervals.shrink_means([f.value for f in found], _pooled_errors(found))
    for f, value in zip(found, shrunk):
        f.shrunk = value
    if s.good:
        place([f for f in found if not f.small and f.shrunk is not None], s.good)


def place(able: list[Figure], good: int) -> None:
    """Rank by the shrunk value; equals share a rank, and where all are equal nobody has one."""
    able.sort(key=lambda f: -good * (f.shrunk or 0.0))
    values = [f.shrunk or 0.0 for f in able]
    if not able or math.isclose(values[0], values[-1], rel_tol=1e-9, abs_tol=1e-12):
        return
    for i, f in enumerate(able):
        same = i > 0 and math.isclose(values[i], values[i - 1], rel_tol=1e-9, abs_tol=1e-12)
        f.rank = able[i - 1].rank if same else i + 1


def _pooled_errors(found: list[Figure]) -> list[float | None]:
    """Standard errors by one variance for all: a group of three hands cannot tell its own."""
    known = [f for f in found if f.error is not None]
    hands = sum(f.n for f in known)
    variance = sum((f.error or 0.0) ** 2 * f.n * f.n for f in known) / hands if hands else 0.0
    return [math.sqrt(variance / f.n) if hands else None for f in found]


def key_text(value: Any) -> str:
    """A group's value as the database writes it: what ``counted`` is compared with."""
    return f"{value[0]}\t{value[1]}" if isinstance(value, tuple) else str(value)


def _escaped(text: str) -> str:
    # Most need no escape; to look for what does takes ten times as long.
    return text if text.isascii() and text.isalnum() else percent(text, safe="")


def drill(
    population: Population,
    s: Statistic,
    groups: Sequence[Grouping],
    group: dict[str, Any],
    where: str | None,
) -> str:
    """The filter that gives exactly the hands behind a figure.

    Where fields of the filter language say it, they do; else the field ``counted`` names the
    statistic and the group.
    """
    parts = [where.strip()] if where and where.strip() else []
    plain = s.filter is not None and all(
        g.name in population.plain and (g.field or g.name == "pair") for g in groups
    )
    if not plain:
        named = [s.id, *(f"{g}={_escaped(key_text(v))}" for g, v in group.items())]
        return " and ".join([*parts, f"{COUNTED}={quote(';'.join(named))}"])
    for g in groups:
        value = str(group[g.name])
        if g.name == "pair":
            declarer, partner = group[g.name]
            parts.append(f"declarer={quote(declarer)} and partner={quote(partner)}")
        elif g.name == "margin":
            parts.append(f"margin>={value} and margin<={int(value) + 9}")
        else:
            field = g.field if population.plain[g.name] == g.name else population.plain[g.name]
            parts.append(f"{field}={quote(value)}")
    return " and ".join([*parts, s.filter or ""])
