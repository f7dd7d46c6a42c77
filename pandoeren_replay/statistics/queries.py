"""The queries behind figures: a population, split into groups, added up by block of sessions."""

import re
from collections.abc import Sequence

from pandoeren_replay.statistics.glossary import POPULATIONS
from pandoeren_replay.statistics.groupings import EXTRA
from pandoeren_replay.statistics.model import Grouping, Population, Statistic
from pandoeren_replay.store.store import Store
from pandoeren_replay.store.sums import BLOCKS, BY_NAME, block_number, columns_of


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


def collected(sql: str, stats: Sequence[Statistic], groups: Sequence[Grouping]) -> str:
    """The query behind figures with the blocks of each group in lists, in the order of names."""
    keys = ", ".join(f'"{g.name}"' for g in groups)
    places = sum(len(g.order) or 1 for g in groups)
    columns = [keys, *(f"min(o{i}) AS o{i}" for i in range(places))]
    columns.append('sum("rows")::BIGINT AS "rows"')
    for i, s in enumerate(stats):
        columns += [f"sum({x}{i})::BIGINT AS {x}{i}" for x in "ns"]
        columns += [f"sum({x}{i})::DOUBLE AS {x}{i}" for x in "tq"]
        if s.unit == "mean":
            columns += [f"list({x}{i}::DOUBLE ORDER BY block) AS {x}s{i}" for x in "nt"]
    if any(s.unit == "mean" for s in stats):
        columns.append("list(block ORDER BY block) AS blocks")
    by = ", ".join(str(i + 1) for i in range(len(groups)))
    return f"SELECT {', '.join(columns)}\nFROM (\n{sql}\n)\nGROUP BY {by}"


def query(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    few_sessions: bool | None = None,
) -> str:
    """The query behind figures, with ``{where}`` for the filter on ``hands h``.

    ``few_sessions`` says whether all hands have at most :data:`BLOCKS` sessions; ``None`` asks the
    store.

    Its columns: the groups, the block of sessions, what groups are sorted by, the rows, and for
    each statistic ``n``, those without cards ``s``, the sum ``t`` and, for means, the sum of
    squares ``q``.
    """
    keys = [key_sql(population, g) for g in groups]
    columns = _key_columns(groups, keys)
    means = any(s.unit == "mean" for s in stats)
    block = "''"
    if means:
        block = _block_sql(_few_sessions(store) if few_sessions is None else few_sessions)
    columns.append(f"{block} AS block")
    places = _places(groups, keys)
    columns += [f"{sql} AS o{i}" for i, sql in enumerate(places)]
    rows = summed_sql(population, [*keys, *places]) if all(s.summed for s in stats) else None
    if rows is not None:
        columns += ['sum(u.cards) AS "rows"', *_sums_of_sums(stats)]
    else:
        rows = population_sql(store, population)
        columns += ['count(*) AS "rows"', *_sums(stats)]
    overs = {s.over for s in stats}
    only = overs.pop() if population.narrow and len(overs) == 1 else "true"
    end = _grouped(groups, keys, block, only)
    return f"SELECT {', '.join(columns)}\nFROM (\n{rows}\n) u\n{end}"


def _parts(group: Grouping, key: str) -> tuple[str, ...]:
    return group.parts if group.parts and key == group.sql else (key,)


def _key_columns(groups: Sequence[Grouping], keys: Sequence[str]) -> list[str]:
    """The groups as they are shown, each from what is grouped by."""
    return [
        f'[{", ".join(parts)}] AS "{g.name}"' if len(parts) > 1 else f'{parts[0]} AS "{g.name}"'
        for g, parts in zip(groups, map(_parts, groups, keys))
    ]


def _grouped(
    groups: Sequence[Grouping], keys: Sequence[str], block: str, only: str = "true"
) -> str:
    """The end of a query: only rows of a group and those with ``only``, by group and block."""
    parts = [p for g, key in zip(groups, keys) for p in _parts(g, key)]
    conditions = [f"({p}) IS NOT NULL" for p in parts]
    if only != "true":
        conditions.append(f"({only})")
    return f"WHERE {' AND '.join(conditions)}\nGROUP BY {', '.join([*parts, block])}"


def _places(groups: Sequence[Grouping], keys: Sequence[str]) -> list[str]:
    """What groups are sorted by: expressions of the query for each group and block."""
    out = []
    for g, key in zip(groups, keys):
        for sql in g.order or (key,):
            # The least of what is grouped by need not be looked for in every row.
            own = sql == key
            out.append(
                f"any_value({g.parts[0] if g.parts and key == g.sql else key})"
                if own
                else f"min({_order_sql(g, sql, key)})"
            )
    return out


def summed_sql(population: Population, sql: Sequence[str]) -> str | None:
    """A population as rows that are added up, if they can answer; with ``{where}`` still in it.

    ``sql`` are the expressions over ``u`` that are asked for.
    """
    asked = {c for text in sql for c in re.findall(r"\bu\.(\w+)", text)}
    return next((rows for lost, rows in population.summed if not asked & lost), None)


def _sums_of_sums(stats: Sequence[Statistic]) -> list[str]:
    columns = []
    for i, s in enumerate(stats):
        assert s.summed is not None  # else the rows of the population are asked
        n, total, squares = s.summed
        over = f"FILTER ({s.over})" if s.unit == "mean" else ""
        columns += [
            f"coalesce(sum({n}) {over}, 0) AS n{i}",
            f"0 AS s{i}",  # cards of a hand are valued only where it has some
            f"coalesce(sum({total}) {over}, 0) AS t{i}",
            f"coalesce(sum({squares}) {over}, 0) AS q{i}",
        ]
    return columns


def _sums(stats: Sequence[Statistic]) -> list[str]:
    columns = []
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
    return columns


def _order_sql(group: Grouping, sql: str, key: str) -> str:
    # A grouping that means something else in this population is sorted by its own value.
    if group.name == "seat":
        return f"strpos('NESW', {key})"
    return sql


def _few_sessions(store: Store) -> bool:
    known = store.rows("SELECT few_sessions FROM sum_state")
    if known:
        return bool(known[0]["few_sessions"])
    n = store.rows("SELECT count(DISTINCT session) AS n FROM hands")[0]["n"]
    return int(n) <= BLOCKS


def _block_sql(few_sessions: bool) -> str:
    """What is drawn in the bootstrap: the session, or the hand where it names none.

    A hand goes by its content hash, which is the same in a store and in a lake.
    """
    if few_sessions:
        return "coalesce(u.session, '#' || u.draw)"
    return block_number("u")


# -- sums that a large store keeps --

_SUMMED = {"u.margin": "margin", "u.declarer_score": "score", "u.own_score": "score"}
"""What sums are kept of, by the value of a mean."""
_TABLES = {
    "hand": ("sum_contract", "sum_pair", "sum_origin", "sum_session"),
    "place": ("sum_player",),
}
_EVERY = {"sum_origin", "sum_session", "sum_player"}
"""Those that are about passed-out hands, too."""


def sums_for(store: Store, population: str, sql: Sequence[str], condition: str) -> str | None:
    """The table of sums that can answer instead of the hands, ``None`` if none can.

    ``sql`` are expressions over the population ``u``, ``condition`` a filter on ``hands h``: it
    must have all their columns. Only stores of very many hands have such tables.
    """
    if population not in _TABLES or not store.rows("SELECT 1 AS x FROM sum_state"):
        return None
    asked = {c for text in sql for c in re.findall(r"\bu\.(\w+)", text)}
    filtered = set(re.findall(r"\bh\.(\w+)", condition))
    for name in _TABLES[population]:
        s = BY_NAME[name]
        there = set(columns_of(s)) | ({"declarer"} if "declared" in s.groups else set())
        if s.needs in {"", *asked} and asked <= there and filtered <= s.exact:
            return name
    return None


def sums_sql(table: str) -> str:
    """A table of sums as a population, with ``{where}`` for the filter on ``h``."""
    known = "*, CASE WHEN declared THEN '?' END AS declarer" if table == "sum_player" else "*"
    played = "h.played AND " if table in _EVERY else ""
    return f"SELECT {known} FROM {table} h WHERE {played}({{where}})"


def summed_query(
    store: Store,
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    condition: str,
) -> str | None:
    """As :func:`query`, out of sums that the store keeps; ``None`` where it has none for this."""
    keys = [key_sql(population, g) for g in groups]
    orders = [
        _order_sql(g, sql, key) for g, key in zip(groups, keys) for sql in (g.order or (key,))
    ]
    overs = [_without_measures(s.over) for s in stats]
    values = [s.value for s in stats if s.value not in _SUMMED]
    if any(s.unit == "mean" and s.value not in _SUMMED for s in stats):
        return None
    table = sums_for(store, population.id, [*keys, *orders, *overs, *values], condition)
    if table is None:
        return None
    few = _few_sessions(store)
    block = "coalesce(u.block_session, '#' || u.block_nr)" if few else "u.block_nr"
    if all(s.unit != "mean" for s in stats):
        block = "''"
    columns = [*_key_columns(groups, keys), f"{block} AS block"]
    columns += [f"{sql} AS o{i}" for i, sql in enumerate(_places(groups, keys))]
    columns.append('sum(u.hands) AS "rows"')
    for i, (s, over) in enumerate(zip(stats, overs)):
        sheet = f"({over}) AND NOT u.with_cards"
        if s.unit == "mean":
            m = f"u.{_SUMMED[s.value]}"
            parts = (f"{m}_n", over), (f"{m}_n", sheet), (f"{m}_t", over), (f"{m}_q", over)
        else:
            hit = f"({over}) AND ({s.value})"
            parts = ("u.hands", over), ("u.hands", sheet), ("u.hands", hit), ("0", "true")
        columns += [
            f"coalesce(sum({value}) FILTER ({which}), 0) AS {name}{i}"
            for name, (value, which) in zip("nstq", parts)
        ]
    return (
        f"SELECT {', '.join(columns)}\nFROM (\n{sums_sql(table)}\n) u\n"
        f"{_grouped(groups, keys, block)}"
    )


def _without_measures(over: str) -> str:
    """A condition without the parts that say a value is known: sums are over those alone."""
    for value in _SUMMED:
        over = over.replace(f"{value} IS NOT NULL", "true")
    return over
