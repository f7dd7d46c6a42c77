"""Working figures out: one row for each statistic and group, with how sure it is."""

import gc
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import quote as percent

import numpy as np

from pandoeren_replay.filters import condition, quote
from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.cells import Sums, sums_of
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
    return {k: shown_value(v) for k, v in group.items()}


def shown_value(value: Any) -> Any:
    """The value of one grouping as it is shown."""
    return " – ".join(value) if isinstance(value, tuple) else value


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
    keys, sums = sums_by_group(store, population, stats, groups, where)
    out: dict[str, list[Figure]] = {}
    for s, of_all in zip(stats, sums):
        found = [f for f, n in zip(figures_of(s, groups, keys, of_all), of_all.n.tolist()) if n]
        to_hands = driller(population, s, groups, where)
        for f in found:
            f.where = to_hands(f.group)
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


def sums_by_group(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    where: str | None,
) -> tuple[list[tuple[Any, ...]], list[Sums]]:
    """Groups in the order to show them, and sums of statistics of one population in that order."""
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
    found = order.sorted()
    at = {key: i for i, key in enumerate(keys)}
    return found, sums_of(frame[[at[key] for key in found]] if found else frame, stats)


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


def figures_of(
    s: Statistic, groups: Sequence[Grouping], keys: Sequence[tuple[Any, ...]], sums: Sums
) -> list[Figure]:
    """The figures of all groups (``keys``) from their sums."""
    names = [g.name for g in groups]
    by_group = [dict(zip(names, key)) for key in keys]
    sizes = sums.n.tolist()
    if s.unit == "share":
        whole = sums.all_n
        ends = intervals.wilsons(sums.n, np.full(len(sizes), whole))
        return [
            Figure(s, group, whole, n, n / whole if whole else None, low, high,
                   no_cards=sums.all_no_cards)
            for group, n, (low, high) in zip(by_group, sizes, ends)
        ]  # fmt: skip
    some = np.maximum(sums.n, 1)
    rest_n = sums.all_n - sums.n
    rest_some = np.maximum(rest_n, 1)
    values = sums.totals / some
    rest = (sums.all_total - sums.totals) / rest_some
    if s.unit == "rate":
        hits: list[int | None] = [int(x) for x in sums.totals.tolist()]
        ends = intervals.wilsons(sums.totals, sums.n)
        errors: list[float | None] = [None] * len(sizes)
        # Under "no difference" both groups vary as all hands together do.
        p = sums.all_total / max(sums.all_n, 1)
        spread = np.full(len(sizes), p * (1 - p))
        rest_errors = np.sqrt(spread / rest_some)
        known = rest_n > 0
    else:
        hits = [None] * len(sizes)
        ends = [x[:2] if x else (None, None) for x in sums.intervals]
        errors = [x[2] if x else None for x in sums.intervals]
        spread = _or_nan(errors) ** 2 * sums.n
        rest_errors = _or_nan(sums.rest_errors)
        known = (rest_n > 0) & ~np.isnan(spread) & ~np.isnan(rest_errors)
    more = intervals.all_hands_needed(
        np.where(known, values - rest, 0.0), np.where(known, spread, 0.0), sums.n,
        np.where(known, rest_errors, 0.0),
    )  # fmt: skip
    out = []
    for group, n, hit, value, (low, high), error, other, left, needed, no_cards in zip(
        by_group, sizes, hits, values.tolist(), ends, errors, rest.tolist(), rest_n.tolist(),
        more, sums.no_cards.tolist(),
    ):  # fmt: skip
        if not n:
            out.append(Figure(s, group, 0, None, None))
            continue
        if needed is not None and n < intervals.FEW:
            # What rests on so few says nothing yet, whatever its interval.
            needed = max(needed, intervals.FEW - n)
        others = other if left else None
        out.append(
            Figure(s, group, n, hit, value, low, high, error, others, more=needed,
                   no_cards=no_cards)
        )  # fmt: skip
    return out


def _or_nan(numbers: Sequence[float | None]) -> Any:
    return np.array(numbers, np.float64)


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


def driller(
    population: Population, s: Statistic, groups: Sequence[Grouping], where: str | None
) -> Callable[[dict[str, Any]], str]:
    """What gives for a group the filter of exactly the hands behind a figure.

    Where fields of the filter language say it, they do; else the field ``counted`` names the
    statistic and the group.
    """
    given = [where.strip()] if where and where.strip() else []
    plain = s.filter is not None and all(
        g.name in population.plain and (g.field or g.name == "pair") for g in groups
    )

    def counted(group: dict[str, Any]) -> str:
        named = [s.id, *(f"{g}={_escaped(key_text(v))}" for g, v in group.items())]
        return " and ".join([*given, f"{COUNTED}={quote(';'.join(named))}"])

    def by_fields(group: dict[str, Any]) -> str:
        parts = list(given)
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

    return by_fields if plain else counted
