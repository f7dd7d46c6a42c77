"""Finding the hands of a filter in a very large store without reading every hand.

A filter is a condition on the view ``hands``, which puts together what it shows; the tables below
it know for every row group the lowest and highest value, and look at one column before they read
others. :func:`narrowed` asks them first, about names, sessions, years and sources: what they find
holds all hands of the filter, and perhaps more, so that the filter itself is asked as well.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pandoeren_replay.filters import Condition, parse, years

if TYPE_CHECKING:
    from pandoeren_replay.store.store import Store

MOST_NAMES = 20
"""Names that are looked for one by one; a filter that lets more through reads every hand."""
_NAMED = ("player", "declarer", "partner")
_ASKED = (*_NAMED, "session", "date", "source")


def narrowed(store: "Store", where: str | None, sql: str) -> str:
    """``sql``, the condition of the filter ``where`` on ``hands h``, with conditions before it
    that let the same hands through and are sooner answered, where there are such.
    """
    return " AND ".join([*asked_first(store, where), f"({sql})"])


def asked_first(store: "Store", where: str | None) -> list[str]:
    """Conditions on ``h.hand_id`` that all hands of a filter meet.

    None for a store without sums: it has few hands.
    """
    asked = [c for c in parse(where or "") if c.field.name in _ASKED]
    if not asked or not store.rows("SELECT 1 AS x FROM sum_state"):
        return []
    told_elsewhere = bool(store.rows("SELECT 1 AS x FROM hand_other LIMIT 1"))
    parts: list[str] = []
    ranges: list[str] = []
    sources: list[str] = []
    for c in asked:
        if c.field.name in _NAMED and c.op in ("=", "~"):
            parts += _at_a_seat(store, c, told_elsewhere)
        elif c.field.name == "session" and c.op == "=":
            ranges += _sessions(store, c)
        elif c.field.name == "date" and c.op != "!=":
            ranges += _years(store, c)
        elif c.field.name == "source" and c.op != "!=":
            sources.append(_of_sources(store, c))
    # What another source says of a hand can be its session or date: that may be any hand.
    if told_elsewhere:
        ranges = []
    if ranges or sources:
        meant = " AND ".join([*ranges, *sources])
        found = store.rows(f"SELECT min(hand_id) AS lo, max(hand_id) AS hi FROM hand WHERE {meant}")
        lo, hi = found[0]["lo"], found[0]["hi"]
        parts.append("false" if lo is None else f"h.hand_id BETWEEN {lo} AND {hi}")
    return parts


def _at_a_seat(store: "Store", c: Condition, told_elsewhere: bool) -> list[str]:
    """That one of the players is one whom the condition means."""
    test = "contains(lower(name), lower(?))" if c.op == "~" else "lower(name) = lower(?)"
    tests = " OR ".join([test] * len(c.values))
    # A hand has the name itself or one that was merged into it.
    found = store.rows(
        f"WITH meant AS (SELECT name FROM players WHERE {tests}) SELECT name FROM meant UNION "
        f"SELECT a.alias FROM player_alias a WHERE a.name IN (SELECT name FROM meant) "
        f"LIMIT {MOST_NAMES + 1}",
        c.values,
    )
    if len(found) > MOST_NAMES:
        return []
    names = _texts([r["name"] for r in found])
    # Each seat by itself: then the column of that seat alone is read of most hands.
    seats = [f"SELECT hand_id FROM hand WHERE {s} IN ({names})" for s in "nesw"]
    if told_elsewhere:
        seats.append("SELECT merged_into FROM hand_other")
    return [f"h.hand_id IN ({' UNION ALL '.join(seats)})"] if found else ["false"]


def _sessions(store: "Store", c: Condition) -> list[str]:
    """Of rows of ``hand``: that the session is one of those; nothing where they are too many."""
    marks = ", ".join("lower(?)" for _ in c.values)
    found = store.rows(
        f"SELECT DISTINCT session FROM sum_session WHERE lower(session) IN ({marks}) "
        f"LIMIT {MOST_NAMES + 1}",
        c.values,
    )
    if len(found) > MOST_NAMES:
        return []
    return [f"session IN ({_texts([r['session'] for r in found])})"] if found else ["false"]


def _of_sources(store: "Store", c: Condition) -> str:
    """Of rows of ``hand``: that they are from one of those sources."""
    test = "contains(lower(name), lower(?))" if c.op == "~" else "lower(name) = lower(?)"
    tests = " OR ".join([test] * len(c.values))
    found = store.rows(f"SELECT source_id FROM source WHERE {tests}", c.values)
    numbers = ", ".join(str(r["source_id"]) for r in found)
    return f"source_id IN ({numbers})" if found else "false"


def _years(store: "Store", c: Condition) -> list[str]:
    """Of rows of ``hand``: that the text of the date begins with a year of that time or, whatever
    it is, with no figure.

    Years of four figures sort as texts do; where a store has others, nothing is said.
    """
    every = store.rows(
        "SELECT coalesce(min(year(first_date)) >= 1000 AND max(year(last_date)) <= 9999, false) "
        "AS fine FROM sum_origin"
    )
    if not every[0]["fine"]:
        return []
    tests = [_NO_YEAR]
    for value in c.values:
        low, high = years(c.op, value)
        ends = [f"date >= '{low:04}'"] if low else []
        ends += [f"date < '{high + 1:04}'"] if high and high < 9999 else []
        tests.append(f"({' AND '.join(ends) or 'true'})")
    return [f"({' OR '.join(tests)})"]


_NO_YEAR = "date < '0' OR date >= ':'"
"""Texts that begin with no figure; some of them are dates (' 2026-11-28', 'epoch')."""


def _texts(values: Sequence[str]) -> str:
    """Texts as they stand in SQL."""
    return ", ".join("'" + v.replace("'", "''") + "'" for v in values)
