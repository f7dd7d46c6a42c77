"""Two players or bots beside each other: on the same deals where there are such, else all hands."""

import math
from dataclasses import dataclass
from typing import Any

from pandoeren_replay.filters import condition
from pandoeren_replay.statistics import intervals
from pandoeren_replay.store.store import Store

_SEATS = """
SELECT h.hand_id, h.hash, h.session, seat_name(k) AS place,
    CASE k WHEN 0 THEN h.north WHEN 1 THEN h.east WHEN 2 THEN h.south ELSE h.west END AS who,
    CASE k WHEN 0 THEN h.score_n WHEN 1 THEN h.score_e WHEN 2 THEN h.score_s ELSE h.score_w END
        AS score
FROM hands h, range(4) s(k)
WHERE (h.north IN (?, ?) OR h.east IN (?, ?) OR h.south IN (?, ?) OR h.west IN (?, ?))
    AND ({where})
"""

PAIRED = f"""
WITH seat AS ({_SEATS}),
deal AS (SELECT hand_id, hash(rules, rules_hash, dealer::BIGINT, deal_n::BIGINT, deal_e::BIGINT,
            deal_s::BIGINT, middle::BIGINT) AS deal
         FROM hand WHERE deal_n IS NOT NULL AND dealer IS NOT NULL),
played AS (
    SELECT deal, place, who, avg(score) AS score
    FROM seat JOIN deal USING (hand_id)
    WHERE who IN (?, ?) AND score IS NOT NULL GROUP BY deal, place, who)
SELECT a.deal, a.score - b.score AS difference, a.score AS a, b.score AS b
FROM played a JOIN played b ON a.deal = b.deal AND a.place = b.place
WHERE a.who = ? AND b.who = ? ORDER BY a.deal, a.place
"""
"""The same cards in the same seat, with the same dealer and rules, held by both (duplicate)."""

UNPAIRED = f"""
WITH seat AS ({_SEATS})
SELECT who, coalesce(session, '#' || hash) AS block, count(score) AS n, sum(score) AS total,
    sum(score * score) AS squares
FROM seat WHERE who IN (?, ?) AND score IS NOT NULL GROUP BY who, block
ORDER BY who, block
"""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``a`` against ``b``: mean score a hand of each, the difference and its 95% interval.

    Passed-out hands count, with a score of 0.

    ``paired`` tells whether it rests on the same deals; ``n`` are those deals, or the hands of
    each. ``more`` is how many more deals (or hands of ``a``) it takes until the difference means
    something if it stays what it is: 0 if it does, ``None`` if no number will do.
    """

    a: str
    b: str
    paired: bool
    n: tuple[int, int]
    means: tuple[float, float]
    difference: float
    low: float | None
    high: float | None
    more: int | None

    def __post_init__(self) -> None:
        if self.more is not None and self.small:
            object.__setattr__(self, "more", max(self.more, intervals.FEW - min(self.n)))

    @property
    def small(self) -> bool:
        """Whether too few hands stand behind it."""
        return min(self.n) < intervals.FEW

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "a": self.a, "b": self.b, "paired": self.paired, "n_a": self.n[0], "n_b": self.n[1],
            "mean_a": self.means[0], "mean_b": self.means[1], "difference": self.difference,
            "low": self.low, "high": self.high, "small": self.small, "more": self.more,
        }  # fmt: skip


def compare(store: Store, a: str, b: str, where: str | None = None) -> Comparison:
    """Compare the score of two players; on the same deals if both held the same cards anywhere.

    Raises :class:`ValueError` where one of them has no hand with a known score.
    """
    if a == b:
        raise ValueError(f"a comparison needs two players, found {a!r} twice")
    sql, params = condition(where, store)
    params = [*(a, b) * 4, *params]
    rows = store.rows(PAIRED.replace("{where}", sql), [*params, a, b, a, b])
    if len(rows) > 1:
        return _paired(a, b, rows)
    return _unpaired(store, a, b, sql, params)


def _paired(a: str, b: str, rows: list[dict[str, Any]]) -> Comparison:
    # Both seats of one deal are one draw: what varies is the deal.
    deals: dict[Any, tuple[int, float]] = {}
    for r in rows:
        n, total = deals.get(r["deal"], (0, 0.0))
        deals[r["deal"]] = (n + 1, total + float(r["difference"]))
    n = len(rows)
    difference = sum(float(r["difference"]) for r in rows) / n
    squares = sum(float(r["difference"]) ** 2 for r in rows)
    known = intervals.mean_interval(
        [x for x, _ in deals.values()], [t for _, t in deals.values()], squares
    )
    low, high, error = known if known else (None, None, None)
    return Comparison(
        a, b, True, (n, n),
        (sum(float(r["a"]) for r in rows) / n, sum(float(r["b"]) for r in rows) / n),
        difference, low, high,
        None if error is None else intervals.hands_needed(difference, error**2 * n, n),
    )  # fmt: skip


def _unpaired(store: Store, a: str, b: str, sql: str, params: list[Any]) -> Comparison:
    rows = store.rows(UNPAIRED.replace("{where}", sql), [*params, a, b])
    found = []
    for name in (a, b):
        mine = [r for r in rows if r["who"] == name]
        n = sum(r["n"] for r in mine)
        if not n:
            raise ValueError(f"there is no hand of {name!r} with a known score")
        total = float(sum(r["total"] for r in mine))
        interval = intervals.mean_interval(
            [r["n"] for r in mine],
            [float(r["total"]) for r in mine],
            float(sum(r["squares"] for r in mine)),
        )
        free = len(mine) - 1 if len(mine) > 1 else n - 1
        found.append((n, total / n, None if interval is None else interval[2], free))
    (n_a, mean_a, se_a, free_a), (n_b, mean_b, se_b, free_b) = found
    difference = mean_a - mean_b
    low = high = more = None
    if se_a is not None and se_b is not None:
        reach = intervals.t_value(min(free_a, free_b)) * math.hypot(se_a, se_b)
        low, high = difference - reach, difference + reach
        more = intervals.hands_needed(difference, se_a**2 * n_a, n_a, se_b)
    return Comparison(a, b, False, (n_a, n_b), (mean_a, mean_b), difference, low, high, more)
