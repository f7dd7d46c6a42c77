"""Pairs: what two make together against what is to be expected of the two singly."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pandoeren_replay.filters import condition as filter_condition
from pandoeren_replay.filters import quote
from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.queries import sums_for, sums_sql
from pandoeren_replay.store.narrow import narrowed
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

QUERY = """
SELECT u.declarer_name, u.partner_name, sum(u.hands)::BIGINT AS n,
    coalesce(sum(u.hands) FILTER (u.success), 0)::BIGINT AS made,
    coalesce(sum(u.hands) FILTER (NOT u.with_cards), 0)::BIGINT AS no_cards
FROM ({hands}) u
WHERE u.success IS NOT NULL AND u.declarer_name IS NOT NULL AND u.partner_name IS NOT NULL
GROUP BY u.declarer_name, u.partner_name
ORDER BY n DESC, declarer_name, partner_name
"""


_HANDS = "SELECT *, 1 AS hands FROM hands h WHERE ({where})"


def pairs(store: Store, where: str | None = None) -> "pl.DataFrame":
    """Each declarer and partner: made rate, what was expected, the difference, drawn to zero.

    ``expected`` is declarer's rate with his other partners plus the partner's rate with other
    declarers minus the rate of all (between 0 and 1), all over decided hands with a partner.
    ``difference`` has a 95% interval from Wilson's of the pair's rate and the error of the
    expected one; ``shrunk`` is it times
    n / (n + k), with k from the spread of all pairs; ``rank`` orders ``shrunk`` where n >= 30.
    """
    import polars as pl

    sql, params = filter_condition(where, store)
    table = sums_for(store, "hand", [QUERY], sql)
    hands = sums_sql(table) if table else _HANDS
    if table is None:
        sql = narrowed(store, where, sql)
    rows = store.rows(QUERY.replace("{hands}", hands).replace("{where}", sql), params)
    all_n, all_made = sum(r["n"] for r in rows), sum(r["made"] for r in rows)
    as_declarer: dict[str, tuple[int, int]] = {}
    as_partner: dict[str, tuple[int, int]] = {}
    for r in rows:
        for table, name in ((as_declarer, "declarer_name"), (as_partner, "partner_name")):
            n, made = table.get(r[name], (0, 0))
            table[r[name]] = (n + r["n"], made + r["made"])
    out = []
    for r in rows:
        n, made = r["n"], r["made"]
        d_n, d_made = as_declarer[r["declarer_name"]]
        p_n, p_made = as_partner[r["partner_name"]]
        expected = error = low = high = None
        interval = intervals.wilson(made, n)
        assert interval is not None  # n > 0: the pair is there
        if d_n > n and p_n > n:
            others = ((d_made - made, d_n - n), (p_made - made, p_n - n))
            p = all_made / all_n
            expected = min(1.0, max(0.0, sum(x / m for x, m in others) - p))
            error = math.sqrt(p * (1 - p) * sum(1 / m for _, m in others))
            reach = intervals.z_value() * error
            low = made / n - expected - math.hypot(made / n - interval[0], reach)
            high = made / n - expected + math.hypot(interval[1] - made / n, reach)
        condition = (
            f"declarer={quote(r['declarer_name'])} and partner={quote(r['partner_name'])} "
            "and made=yes,no"
        )
        out.append(
            {
                "declarer": r["declarer_name"], "partner": r["partner_name"],
                "n": n, "no_cards": r["no_cards"], "made": made,
                "rate": made / n, "low": interval[0], "high": interval[1],
                "expected": expected,
                "difference": None if expected is None else made / n - expected,
                "difference_low": low, "difference_high": high, "error": error,
                "shrunk": None, "rank": None, "small": n < intervals.FEW,
                "where": f"{where.strip()} and {condition}" if where and where.strip()
                else condition,
            }
        )  # fmt: skip
    k = shrinkage([(r["n"], r["difference"], r["expected"], r.pop("error")) for r in out])
    for r in out:
        if r["difference"] is not None:
            r["shrunk"] = 0.0 if k is None else r["difference"] * r["n"] / (r["n"] + k)
    ranked = sorted(
        (r for r in out if not r["small"] and r["shrunk"] is not None),
        key=lambda r: -float(r["shrunk"]),
    )
    for place, r in enumerate(ranked, 1):
        r["rank"] = place
    return pl.DataFrame(out, infer_schema_length=None)


def shrinkage(
    found: Sequence[tuple[int, float | None, float | None, float | None]],
) -> float | None:
    """How many hands of "no difference" are mixed in; ``None``: pairs differ by chance alone.

    ``found`` are (n, difference, expected, standard error of expected). The spread of the
    differences beyond what chance gives, p (1 - p) / n and the error of the expected rate, is the
    pairs' own; k is p (1 - p) over it (moments, weighted by n).

    >>> round(shrinkage([(100, 0.1, 0.5, 0.0), (100, -0.1, 0.5, 0.0)]), 1)
    33.3
    >>> shrinkage([(100, 0.01, 0.5, 0.0), (100, -0.01, 0.5, 0.0)]) is None
    True
    """
    known = [
        (n, d, e * (1 - e), s)
        for n, d, e, s in found
        if d is not None and e is not None and s is not None
    ]
    size = sum(n for n, *_ in known)
    if not size:
        return None
    chance = sum(v + n * s * s for n, _, v, s in known)
    spread = sum(n * d * d for n, d, _, _ in known)
    own = (spread - chance) / size
    typical = sum(n * v for n, _, v, _ in known) / size
    return typical / own if own > 0 else None
