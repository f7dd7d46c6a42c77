"""Working figures out: one row for each statistic and group, with how sure it is."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent

from pandoeren_replay.filters import condition, quote
from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.glossary import POPULATIONS, statistic
from pandoeren_replay.statistics.groupings import EXTRA, groupings
from pandoeren_replay.statistics.model import Grouping, Population, Statistic
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

COUNTED = "counted"
"""Field of the filter language that names a figure and a group (see :mod:`.drill`)."""


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
class _Cell:
    """Sums of one statistic in one group, by block of sessions."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0
    no_cards: int = 0
    blocks: dict[str, tuple[int, float]] = field(default_factory=dict)


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
    wanted = list(statistics)
    together: dict[tuple[str, tuple[str, ...]], list[Statistic]] = {}
    for s in wanted:
        names = tuple(by) or (s.by,)
        together.setdefault((s.population, names), []).append(s)
    found: dict[str, list[Figure]] = {}
    for (population, names), stats in together.items():
        groups = groupings(names, stats[0].by)
        found |= _figures(store, POPULATIONS[population], stats, groups, where)
    return [f for s in wanted for f in found[s.id]]


def population_sql(store: Store, population: Population) -> str:
    """SQL of a population, with ``{where}`` still in it."""
    return population.sql if isinstance(population.sql, str) else population.sql(store)


def can_split(s: Statistic, names: Sequence[str]) -> bool:
    """Whether a statistic can be split by these groupings."""
    population = POPULATIONS[s.population]
    return all(n in population.own or n not in EXTRA for n in names)


def key_sql(population: Population, group: Grouping) -> str:
    """What a grouping is in a population; :class:`ValueError` where it means nothing there."""
    if group.name in population.own:
        return population.own[group.name] or group.sql
    if group.name in EXTRA:
        raise ValueError(f"--by {group.name}: {population.en} cannot be split by it")
    return group.sql


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
        sums = _sums(total[i])
        found = [
            figure_of(s, groups, key, row[i], total[i], sums)
            for key, row in cells.items()
            if row[i].n
        ]
        for f in found:
            f.where = drill(population, s, groups, f.group, where)
        if any(g.name in ("player", "pair") for g in groups):
            rank(s, found)
        out[s.id] = found
    return out


def cells_of(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    where: str | None,
) -> tuple[dict[tuple[Any, ...], list[_Cell]], list[_Cell]]:
    """Sums of statistics of one population, by group in the order to show them, and over all."""
    condition_sql, params = condition(where, store)
    rows = store.rows(query(store, population, stats, groups).replace("{where}", condition_sql),
                      params)  # fmt: skip
    cells: dict[tuple[Any, ...], list[_Cell]] = {}
    total = [_Cell() for _ in stats]
    order = _Order(groups)
    for row in rows:
        values = list(row.values())
        key = tuple(tuple(v) if isinstance(v, list) else v for v in values[: len(groups)])
        block = values[len(groups)]
        order.add(key, values[len(groups) + 1 :], row["rows"])
        if key not in cells:
            cells[key] = [_Cell() for _ in stats]
        for i in range(len(stats)):
            n, sum_, squares = row[f"n{i}"], row[f"t{i}"], row[f"q{i}"]
            if n:
                for cell in (cells[key][i], total[i]):
                    cell.n += n
                    cell.total += sum_
                    cell.squares += squares or 0.0
                    cell.no_cards += row[f"s{i}"]
                    held = cell.blocks.get(block, (0, 0.0))
                    cell.blocks[block] = (held[0] + n, held[1] + sum_)
    return {k: cells[k] for k in order.sorted()}, total


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


def query(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
) -> str:
    """The query behind figures, with ``{where}`` for the filter on ``hands h``.

    Its columns: the groups, the block of sessions, what groups are sorted by, the rows, and for
    each statistic ``n``, those without cards ``s``, the sum ``t`` and, for means, the sum of
    squares ``q``.
    """
    keys = [key_sql(population, g) for g in groups]
    columns = [f'{sql} AS "{g.name}"' for g, sql in zip(groups, keys)]
    means = any(s.unit == "mean" for s in stats)
    block = _block_sql(store) if means else "''"
    columns.append(f"{block} AS block")
    places = [
        f"min({_order_sql(g, sql, key)})"
        for g, key in zip(groups, keys)
        for sql in (g.order or (key,))
    ]
    columns += [f"{sql} AS o{i}" for i, sql in enumerate(places)]
    columns.append('count(*) AS "rows"')
    for i, s in enumerate(stats):
        over = f"FILTER ({s.over})"
        sheet = f"FILTER (({s.over}) AND NOT u.with_cards)"
        if s.unit == "mean":
            value = f"({s.value})::DOUBLE"
            columns += [
                f"count({value}) {over} AS n{i}",
                f"count({value}) {sheet} AS s{i}",
                f"coalesce(sum({value}) {over}, 0) AS t{i}",
                f"sum({value} * {value}) {over} AS q{i}",
            ]
        else:
            columns += [
                f"count(*) {over} AS n{i}",
                f"count(*) {sheet} AS s{i}",
                f"count(*) FILTER (({s.over}) AND ({s.value})) AS t{i}",
                f"0 AS q{i}",
            ]
    only = [f"({key}) IS NOT NULL" for key in keys]
    by = ", ".join(str(i + 1) for i in range(len(groups) + 1))
    return (
        f"SELECT {', '.join(columns)}\nFROM (\n{population_sql(store, population)}\n) u\n"
        f"WHERE {' AND '.join(only)}\nGROUP BY {by}"
    )


def _order_sql(group: Grouping, sql: str, key: str) -> str:
    # A grouping that means something else in this population is sorted by its own value.
    if group.name == "seat":
        return f"strpos('NESW', {key})"
    return sql


def _block_sql(store: Store) -> str:
    """What is drawn in the bootstrap: the session, or the hand where it names none.

    A hand goes by its content hash, which is the same in a store and in a lake.
    """
    n = store.rows("SELECT count(DISTINCT session) AS n FROM hands")[0]["n"]
    if n <= intervals.BLOCKS:
        return f"coalesce(u.session, '#' || (hash(u.hash) % {intervals.BLOCKS}))"
    return f"(hash(coalesce(u.session, u.hash)) % {intervals.BLOCKS})::VARCHAR"


@dataclass(slots=True)
class _Sums:
    """Sums over the blocks of all groups: totals squared, totals times counts, counts squared."""

    tt: float = 0.0
    tn: float = 0.0
    nn: float = 0.0
    blocks: int = 0

    def add(self, n: float, total: float, sign: int = 1) -> None:
        """Take one block in (or out)."""
        self.tt += sign * total * total
        self.tn += sign * total * n
        self.nn += sign * n * n
        self.blocks += sign if n else 0


def _sums(total: _Cell) -> _Sums:
    out = _Sums()
    for n, sum_ in total.blocks.values():
        out.add(n, sum_)
    return out


def figure_of(
    s: Statistic,
    groups: Sequence[Grouping],
    key: tuple[Any, ...],
    cell: _Cell,
    total: _Cell,
    sums: _Sums | None = None,
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
        known = _mean_interval(cell)
        if known:
            figure.low, figure.high, figure.error = known
            sums = sums or _sums(total)
            error = _rest_error(total, sums, cell) if others is not None else None
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


def _mean_interval(cell: _Cell) -> tuple[float, float, float] | None:
    # The database gives groups in any order; the draws go by place.
    blocks = [cell.blocks[name] for name in sorted(cell.blocks)]
    return intervals.mean_interval([n for n, _ in blocks], [t for _, t in blocks], cell.squares)


def _rest_error(total: _Cell, sums: _Sums, cell: _Cell) -> float | None:
    """Standard error of the mean of all groups but one, from the sums over all."""
    rest = _Sums(sums.tt, sums.tn, sums.nn, sums.blocks)
    for block, (n, sum_) in cell.blocks.items():
        all_n, all_sum = total.blocks[block]
        rest.add(all_n, all_sum, -1)
        rest.add(all_n - n, all_sum - sum_)
    n, m = total.n - cell.n, rest.blocks
    if m < 2:
        return None
    mean = (total.total - cell.total) / n
    squares = max(0.0, rest.tt - 2 * mean * rest.tn + mean * mean * rest.nn)
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
        named = [s.id, *(f"{g}={percent(key_text(v), safe='')}" for g, v in group.items())]
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
