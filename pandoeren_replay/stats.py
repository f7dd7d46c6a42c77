"""Statistics over stored hands: every figure defined once, computed in the database.

A statistic is a name, its formula in words and its SQL over the view ``hands`` (as ``h``); a
grouping is a name and the expressions it groups by. docs/statistics.md is written from here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from pandoeren_replay.filters import condition, quote
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

CONFIDENCE = 0.95
FEW = 30
"""Below this number of hands a figure is shown grey and never ranked."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """One figure: what it is called, over which hands, how it is computed."""

    name: str
    en: str
    nl: str
    unit: str
    formula: str
    sql: str


@dataclass(frozen=True, slots=True)
class Grouping:
    """What the figures are split by; ``field`` is the filter field that leads to a row's hands."""

    name: str
    en: str
    nl: str
    sql: str
    only: str
    field: str
    order: str


PLAYED = "NOT h.passed_out AND h.contract IS NOT NULL"
"""The population: hands with a contract."""

STATISTICS: tuple[Statistic, ...] = (
    Statistic("n", "hands", "spellen", "hands", "hands with a contract", "count(*)"),
    Statistic("decided", "decided", "beslist", "hands",
              "hands of n that are made or lost: proven by the cards, else as recorded",
              "count(h.success)"),
    Statistic("made", "made", "gehaald", "hands", "hands of decided that are made",
              "count(*) FILTER (h.success)"),
    Statistic("margin", "points − bid", "punten − bod", "points",
              "mean of card points and meld of declarer's side minus the target, over hands of "
              "n with a points target and all eight tricks known",
              "avg(h.margin)"),
    Statistic("margin_n", "n of points − bid", "n van punten − bod", "hands",
              "hands that the mean of points − bid is taken over", "count(h.margin)"),
    Statistic("score", "mean score", "gemiddelde score", "points or chips",
              "mean of what the hand changes for declarer, over hands of n where it is known",
              "avg(h.declarer_score)"),
    Statistic("score_n", "n of the score", "n van de score", "hands",
              "hands that the mean score is taken over", "count(h.declarer_score)"),
    Statistic("simulated", "simulated", "gesimuleerd", "hands",
              "hands of n that simulated players played", "count(*) FILTER (h.simulated)"),
)  # fmt: skip

GROUPINGS: dict[str, Grouping] = {
    g.name: g
    for g in (
        Grouping("contract", "contract", "bod", "h.contract", "true", "contract",
                 "min(CASE WHEN h.target > 0 THEN h.level END) NULLS LAST, "
                 "min(h.contract_key), min(h.level)"),
        Grouping("family", "row of the bid table", "regel van de biedtabel", "h.contract_key",
                 "h.contract_key IS NOT NULL", "family", "min(h.contract_key)"),
        Grouping("level", "points bid", "geboden punten", "nullif(h.level, 0)",
                 "h.level > 0", "level", "min(h.level)"),
        Grouping("player", "declarer", "speler", "h.declarer_name",
                 "h.declarer_name IS NOT NULL", "declarer", "count(*) DESC, min(h.declarer_name)"),
        Grouping("pair", "declarer and partner", "speler en maat",
                 "[h.declarer_name, h.partner_name]",
                 "h.declarer_name IS NOT NULL AND h.partner_name IS NOT NULL", "",
                 "count(*) DESC, min(h.declarer_name), min(h.partner_name)"),
        Grouping("seat", "declarer's seat", "plaats van de speler", "h.declarer",
                 "h.declarer IS NOT NULL", "seat", "min(strpos('NESW', h.declarer))"),
        Grouping("trump", "trump", "troef", "h.trump", "h.trump IS NOT NULL", "trump",
                 "min(strpos('SHDC-', h.trump))"),
        Grouping("month", "month", "maand", "strftime(h.date, '%Y-%m')",
                 "h.date IS NOT NULL", "date", "min(h.date)"),
        Grouping("session", "session", "avond", "h.session", "h.session IS NOT NULL",
                 "session", "min(h.date), min(h.hand_id)"),
        Grouping("source", "source", "bron", "h.source", "true", "source", "min(h.source)"),
        Grouping("rules", "rule set", "spelregels", "h.rules", "true", "rules", "min(h.rules)"),
    )
}  # fmt: skip


def wilson(made: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Wilson's interval for a rate of ``made`` out of ``n``; ``None`` for n = 0.

    >>> [round(x, 3) for x in wilson(8, 10)]
    [0.49, 0.943]
    >>> wilson(0, 0) is None
    True
    """
    if n == 0:
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    p = made / n
    middle = p + z * z / (2 * n)
    reach = z * ((p * (1 - p) + z * z / (4 * n)) / n) ** 0.5
    scale = 1 + z * z / n
    # At the ends the formula gives exactly 0 or 1, but for rounding.
    low = 0.0 if made == 0 else (middle - reach) / scale
    return low, 1.0 if made == n else (middle + reach) / scale


def statistics(
    store: Store, by: Sequence[str] = ("contract",), where: str | None = None
) -> "pl.DataFrame":
    """One row for each group: the group, the figures, rate with interval, and ``where``.

    ``where`` of a row is the filter that gives exactly its hands. Raises :class:`ValueError` for
    an unknown grouping, :class:`~pandoeren_replay.filters.FilterError` for a bad filter.
    """
    import polars as pl

    groups = [grouping(name) for name in dict.fromkeys(by)] or [grouping("contract")]
    sql, params = condition(where)
    keys = ", ".join(f'{g.sql} AS "{g.name}"' for g in groups)
    figures = ", ".join(f'{s.sql} AS "{s.name}"' for s in STATISTICS)
    query = (
        f"SELECT {keys}, {figures} FROM hands h "
        f"WHERE {PLAYED} AND ({sql}) AND {' AND '.join(g.only for g in groups)} "
        f"GROUP BY {', '.join(str(i + 1) for i in range(len(groups)))} "
        f"ORDER BY {', '.join(g.order for g in groups)}"
    )
    rows = store.rows(query, params)
    return pl.DataFrame([_finish(row, groups, where) for row in rows], infer_schema_length=None)


def grouping(name: str) -> Grouping:
    """The grouping of that name; :class:`ValueError` if there is none."""
    if name not in GROUPINGS:
        raise ValueError(f"--by {name}: expected one of {', '.join(GROUPINGS)}")
    return GROUPINGS[name]


def _finish(row: dict[str, Any], groups: Sequence[Grouping], where: str | None) -> dict[str, Any]:
    made, decided = row["made"], row["decided"]
    interval = wilson(made, decided)
    out: dict[str, Any] = {}
    filters = [where] if where and where.strip() else []
    for g in groups:
        value = row[g.name]
        if g.name == "pair":
            out[g.name] = " – ".join(value)
            filters.append(f"declarer={quote(value[0])} and partner={quote(value[1])}")
        else:
            out[g.name] = value
            filters.append(f"{g.field}={quote(str(value))}")
    filters.append("played=yes")
    for s in STATISTICS[:3]:
        out[s.name] = row[s.name]
    out["rate"] = made / decided if decided else None
    out["low"], out["high"] = interval if interval else (None, None)
    for s in STATISTICS[3:]:
        out[s.name] = row[s.name]
    out["where"] = " and ".join(filters)
    return out
