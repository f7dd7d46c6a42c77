"""The overview: hands, made rate, points above the bid and score in one row for each group."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.compute import (
    driller,
    figures_of,
    many_at_once,
    rank,
    shown_value,
    sums_by_group,
)
from pandoeren_replay.statistics.glossary import POPULATIONS, statistic
from pandoeren_replay.statistics.groupings import groupings
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

_IDS = ("contracts", "made", "margin", "score", "simulated")
_FIGURES = range(1, 4)
"""Those of them of which more than a number is shown."""
_OTHERWISE = {"margin": "margin_tens"}
"""Columns of groupings that a figure has the name of."""


def column_of(grouping: str) -> str:
    """Name of the column that a grouping has in the overview.

    >>> column_of("player"), column_of("margin")
    ('player', 'margin_tens')
    """
    return _OTHERWISE.get(grouping, grouping)


def statistics(
    store: Store, by: Sequence[str] = ("contract",), where: str | None = None
) -> "pl.DataFrame":
    """One row for each group: the group, the figures with their intervals, and ``where``.

    The column of a group is named as the grouping (``margin_tens`` where that is ``margin``).

    ``small`` marks groups of fewer than 30 hands. By player or pair there are also ``shrunk`` (the
    made rate drawn towards that of all) and ``more`` (how many more hands until the difference of
    the made rate from the others means something). ``where`` of a row is the filter that gives
    exactly its hands. Raises :class:`ValueError` for an unknown grouping,
    :class:`~pandoeren_replay.filters.FilterError` for a bad filter.
    """
    import polars as pl

    with many_at_once():
        return pl.DataFrame(_columns(store, by, where), strict=False)


def _columns(store: Store, by: Sequence[str], where: str | None) -> dict[str, list[Any]]:
    groups = groupings(by, "contract")
    stats = [statistic(i) for i in _IDS]
    population = POPULATIONS["hand"]
    keys, sums = sums_by_group(store, population, stats, groups, where)
    hands, _, _, _, simulated = sums
    made, margin, score = (figures_of(stats[i], groups, keys, sums[i]) for i in _FIGURES)
    to_hands = driller(population, stats[0], groups, where)
    if not keys:
        return {}
    columns: dict[str, list[Any]] = {}
    by_group = [f.group for f in made]
    for g in groups:
        columns[column_of(g.name)] = [shown_value(group[g.name]) for group in by_group]
    columns |= {
        "n": hands.n.tolist(), "no_cards": hands.no_cards.tolist(),
        "decided": [f.n for f in made], "made": [f.hits or 0 for f in made],
        "rate": [f.value for f in made],
        "low": [f.low for f in made], "high": [f.high for f in made],
        "small": [f.n < intervals.FEW for f in made],
    }  # fmt: skip
    for name, found in (("margin", margin), ("score", score)):
        columns |= {
            name: [f.value for f in found],
            f"{name}_low": [f.low for f in found], f"{name}_high": [f.high for f in found],
            f"{name}_n": [f.n for f in found],
        }  # fmt: skip
    columns["simulated"] = [int(x) for x in simulated.totals.tolist()]
    columns["more"] = [f.more for f in made]
    if {"player", "pair"} & {g.name for g in groups}:
        rank(stats[1], made)
        columns["shrunk"] = [f.shrunk for f in made]
        columns["rank"] = [f.rank for f in made]
    columns["where"] = [to_hands(group) for group in by_group]
    return columns
