"""The glossary as documentation, and each figure's SQL for people who bring their own."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from pandoeren_replay.filters import condition
from pandoeren_replay.statistics.glossary import POPULATIONS, STATISTICS, TOPICS
from pandoeren_replay.statistics.groupings import EXTRA, GROUPINGS, groupings
from pandoeren_replay.statistics.model import Statistic
from pandoeren_replay.statistics.queries import query
from pandoeren_replay.store.store import Store

_BREAK = re.compile(r"\s+(?=(?:FROM|WHERE|LEFT JOIN|CROSS JOIN|JOIN|GROUP BY|UNION ALL)\b)")


def readable(sql: str) -> str:
    """SQL with a line for each clause.

    >>> print(readable("SELECT a FROM b WHERE c"))
    SELECT a
    FROM b
    WHERE c
    """
    return _BREAK.sub("\n", sql)


def sql_of(store: Store, s: Statistic, by: Sequence[str] = (), where: str | None = None) -> str:
    """The query behind a statistic, to run or to change; a filter's values follow as a comment."""
    groups = groupings(tuple(by) or (s.by,), s.by)
    only, params = condition(where, store)
    sql = query(store, POPULATIONS[s.population], [s], groups).replace("{where}", only)
    head = (
        f"-- {s.id}: {s.formula}\n"
        "-- n0 = n, s0 = those without cards, t0 = hits or sum, q0 = sum of squares\n"
    )
    tail = f"\n-- parameters: {params!r}" if params else ""
    return head + readable(sql) + tail


def glossary_markdown() -> str:
    """The tables of docs/statistics.md that follow from the glossary."""
    out: list[str] = []
    for topic, (en, nl) in TOPICS.items():
        out += [f"### {en} ({nl})", ""]
        out += [
            "| id | name | naam | unit | over | formula | as SQL |",
            "|---|---|---|---|---|---|---|",
        ]
        for s in STATISTICS:
            if s.topic == topic:
                out.append(
                    f"| `{s.id}` | {s.en} | {s.nl} | {s.unit}, {s.measure} | `{s.population}` "
                    f"| {s.formula} | {_as_sql(s)} |"
                )
        out.append("")
    out += ["## Populations", ""]
    out += ["| population | one row is a | rows | rijen |", "|---|---|---|---|"]
    out += [f"| `{p.id}` | {p.one} | {p.en} | {p.nl} |" for p in POPULATIONS.values()]
    out += ["", "## Groupings (`--by`)", "", "| `--by` | by | per | of |", "|---|---|---|---|"]
    out += [f"| `{g.name}` | {g.en} | {g.nl} | every statistic |" for g in GROUPINGS.values()]
    for g in EXTRA.values():
        own = ", ".join(f"`{p.id}`" for p in POPULATIONS.values() if g.name in p.own)
        out.append(f"| `{g.name}` | {g.en} | {g.nl} | {own} |")
    return "\n".join(out) + "\n"


def _as_sql(s: Statistic) -> str:
    def code(sql: str) -> str:
        return "`" + sql.replace("|", "\\|") + "`"

    if s.unit == "share":
        return f"group's `count(*)` over all, where {code(s.over)}"
    what = f"avg({s.value})" if s.unit == "mean" else f"avg(({s.value})::INT)"
    return f"{code(what)} where {code(s.over)}"


def rewrite(page: Path) -> None:
    """Put the glossary of today into the documentation, below what is written by hand."""
    text = page.read_text("utf-8")
    by_hand = text[: text.index(f"### {next(iter(TOPICS.values()))[0]} (")]
    page.write_text(by_hand + glossary_markdown(), "utf-8")


__all__ = ["glossary_markdown", "readable", "rewrite", "sql_of"]

if __name__ == "__main__":
    rewrite(Path(sys.argv[1]))
