"""The overview: hands, made rate, points above the bid and score in one row for each group."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.compute import (
    Figure,
    cells_of,
    drill,
    figure_of,
    many_at_once,
    rank,
    shown,
)
from pandoeren_replay.statistics.glossary import POPULATIONS, statistic
from pandoeren_replay.statistics.groupings import groupings
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

_IDS = ("contracts", "made", "margin", "score", "simulated")
_FIGURES = range(1, 4)
_OTHERWISE = {"margin": "margin_tens"}
"""Columns of groupings that a figure has the name of."""
"""Those of them of which more than a number is shown."""


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
        return pl.DataFrame(_rows(store, by, where), infer_schema_length=None)


def _rows(store: Store, by: Sequence[str], where: str | None) -> list[dict[str, Any]]:
    groups = groupings(by, "contract")
    stats = [statistic(i) for i in _IDS]
    population = POPULATIONS["hand"]
    cells, total = cells_of(store, population, stats, groups, where)
    rows: list[dict[str, Any]] = []
    rates: list[Figure] = []
    for key, row in cells.items():
        made, margin, score = (figure_of(stats[i], groups, key, row[i], total[i]) for i in _FIGURES)
        group = {g.name: value for g, value in zip(groups, key)}
        rates.append(made)
        rows.append(
            {
                **{column_of(g): v for g, v in shown(group).items()},
                "n": row[0].n, "no_cards": row[0].no_cards,
                "decided": made.n, "made": made.hits or 0,
                "rate": made.value, "low": made.low, "high": made.high,
                "small": made.n < intervals.FEW,
                "margin": margin.value, "margin_low": margin.low, "margin_high": margin.high,
                "margin_n": margin.n,
                "score": score.value, "score_low": score.low, "score_high": score.high,
                "score_n": score.n,
                "simulated": int(row[4].total), "more": made.more,
                "where": drill(population, stats[0], groups, group, where),
            }
        )  # fmt: skip
    if {"player", "pair"} & {g.name for g in groups}:
        rank(stats[1], rates)
        for row_out, figure in zip(rows, rates):
            row_out["shrunk"], row_out["rank"] = figure.shrunk, figure.rank
            row_out["where"] = row_out.pop("where")  # stays the last column
    return rows
