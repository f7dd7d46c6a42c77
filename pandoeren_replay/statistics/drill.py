"""From a figure to its hands: the filter field ``counted`` (docs/filters.md).

``counted='entry;player=Anna;position=2'`` lets through exactly the hands of which rows are counted
in that statistic and group; ``;hit=yes`` or ``;hit=no`` keeps those with or without what a rate
counts. Values are percent-encoded, as in the notation.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pandoeren_replay.filters import FilterError, condition
from pandoeren_replay.statistics.compute import COUNTED
from pandoeren_replay.statistics.glossary import POPULATIONS, statistic
from pandoeren_replay.statistics.groupings import grouping
from pandoeren_replay.statistics.model import Population, Statistic
from pandoeren_replay.statistics.queries import key_sql, population_sql, summed_sql
from pandoeren_replay.store.store import Store


@dataclass(frozen=True, slots=True)
class Counted:
    """One value of ``counted``, read: its statistic, tests on its rows with parameters, and whether
    only those with (without) what a rate counts are meant."""

    statistic: Statistic
    population: Population
    tests: tuple[str, ...]
    hit: bool | None
    params: tuple[str, ...]


def check_counted(value: str) -> Counted:
    """Read one value of ``counted``; :class:`FilterError` says what is wrong with it.

    >>> check_counted("entry;player=Anna").params
    ('Anna',)
    >>> check_counted("margin;hit=yes")
    Traceback (most recent call last):
    ...
    pandoeren_replay.filters.FilterError: filter: counted is 'margin;hit=yes'; \
hit is yes or no, and goes with rates
    """
    name, *pairs = value.split(";")
    try:
        s = statistic(name.strip())
        population = POPULATIONS[s.population]
        hit: bool | None = None
        tests: list[str] = []
        params: list[str] = []
        for pair in pairs:
            key, _, text = (unquote(p) for p in pair.partition("="))
            key = key.strip()
            if key == "hit":
                if s.unit != "rate" or text not in ("yes", "no"):
                    raise ValueError("hit is yes or no, and goes with rates")
                hit = text == "yes"
            else:
                sql = key_sql(population, grouping(key))
                as_text = (
                    f"array_to_string({sql}, chr(9))" if key == "pair" else f"({sql})::VARCHAR"
                )
                tests.append(f"{as_text} = ?")
                params.append(text)
    except ValueError as e:
        raise FilterError(f"filter: {COUNTED} is {value!r}; {e}") from None
    return Counted(s, population, tuple(tests), hit, tuple(params))


def counted_sql(store: Store, value: str) -> tuple[str, list[Any]]:
    """Condition on ``h`` (the view ``hands``) and its parameters for one value of ``counted``."""
    c = check_counted(value)
    s, tests = c.statistic, list(c.tests)
    rows = summed_sql(c.population, tests) if s.summed else None
    if rows is not None and s.summed:
        n, hits, _ = s.summed
        counted = {None: n, True: hits, False: f"{n} - {hits}"}[c.hit]
        tests.append(f"{counted} > 0")
        if s.unit == "mean":
            tests.append(f"({s.over})")
    else:
        rows = population_sql(store, c.population)
        tests.append(f"({s.over})")
        if c.hit is not None:
            tests.append(f"coalesce({s.value}, false) = {str(c.hit).lower()}")
    rows = rows.replace("{where}", "true")
    return (
        f"h.hand_id IN (SELECT u.hand_id FROM ({rows}) u WHERE {' AND '.join(tests)})",
        list(c.params),
    )


def hands_behind(store: Store, where: str | None) -> list[int]:
    """Numbers of the hands that a filter lets through, in order of import."""
    sql, params = condition(where, store)
    rows = store.rows(f"SELECT h.hand_id FROM hands h WHERE {sql} ORDER BY 1", params)
    return [int(r["hand_id"]) for r in rows]
