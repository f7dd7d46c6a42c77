"""From a figure to its hands: the filter field ``counted``.

``counted='entry;player=Anna;position=2'`` lets through exactly the hands of which rows are counted
in that statistic and group; ``;hit=yes`` or ``;hit=no`` keeps those with or without what a rate
counts. Values are percent-encoded, as in the notation.
"""

import re
from typing import Any
from urllib.parse import unquote

from pandoeren_replay.filters import FilterError, condition
from pandoeren_replay.statistics.compute import COUNTED, key_sql, population_sql
from pandoeren_replay.statistics.glossary import POPULATIONS, statistic
from pandoeren_replay.statistics.groupings import grouping
from pandoeren_replay.store.store import Store

_TERM = re.compile(
    rf"(?:^|\s+and\s+){COUNTED}\s*=\s*(?:'((?:[^']|'')*)'|([^\s']+))(?=\s+and\s|\s*$)", re.I
)


def counted_sql(store: Store, value: str) -> tuple[str, list[Any]]:
    """Condition on ``h`` (the view ``hands``) and its parameters for one value of ``counted``."""
    name, *pairs = value.split(";")
    try:
        s = statistic(name.strip())
        population = POPULATIONS[s.population]
        tests, params = [f"({s.over})"], []
        for pair in pairs:
            key, _, text = (unquote(p) for p in pair.partition("="))
            key = key.strip()
            if key == "hit":
                if s.unit != "rate" or text not in ("yes", "no"):
                    raise ValueError("hit is yes or no, and goes with rates")
                tests.append(f"coalesce({s.value}, false) = {'true' if text == 'yes' else 'false'}")
            else:
                sql = key_sql(population, grouping(key))
                as_text = (
                    f"array_to_string({sql}, chr(9))" if key == "pair" else f"({sql})::VARCHAR"
                )
                tests.append(f"{as_text} = ?")
                params.append(text)
    except ValueError as e:
        raise FilterError(f"filter: {COUNTED} is {value!r}; {e}") from None
    rows = population_sql(store, population).replace("{where}", "true")
    return (
        f"h.hand_id IN (SELECT u.hand_id FROM ({rows}) u WHERE {' AND '.join(tests)})",
        params,
    )


def full_condition(store: Store, where: str | None) -> tuple[str, list[Any]]:
    """As :func:`pandoeren_replay.filters.condition`, with the field ``counted`` as well."""
    text = where or ""
    values = [m[1].replace("''", "'") if m[1] is not None else m[2] for m in _TERM.finditer(text)]
    rest = re.sub(r"^\s*and\s+", "", _TERM.sub("", text), flags=re.I)
    sql, params = condition(rest)
    parts = [f"({sql})"]
    for value in values:
        counted, more = counted_sql(store, value)
        parts.append(counted)
        params += more
    return " AND ".join(parts), params


def hands_behind(store: Store, where: str | None) -> list[int]:
    """Numbers of the hands that a filter (with ``counted``) lets through, in order of import."""
    sql, params = full_condition(store, where)
    rows = store.rows(f"SELECT h.hand_id FROM hands h WHERE {sql} ORDER BY 1", params)
    return [int(r["hand_id"]) for r in rows]
