"""The queries behind figures: a population, split into groups, added up by block of sessions."""

import re
from collections.abc import Sequence

from pandoeren_replay.statistics.glossary import POPULATIONS
from pandoeren_replay.statistics.groupings import EXTRA
from pandoeren_replay.statistics.model import Grouping, Population, Statistic
from pandoeren_replay.store.store import Store
from pandoeren_replay.store.sums import (
    BLOCKS,
    BY_NAME,
    block_number,
    columns_of,
    session_block,
)


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
    means = any(s.unit == "mean" for s in stats)
    # The rows of one group: one for each block, or a single one.
    several = means and not within_blocks(groups)
    least, total, each = (
        ("min({})", "sum({})", "list({} ORDER BY block)") if several else ("{}",) * 3
    )
    columns = [keys, *(f"{least.format(f'o{i}')} AS o{i}" for i in range(places))]
    columns.append(total.format('"rows"') + '::BIGINT AS "rows"')
    for i, s in enumerate(stats):
        columns += [f"{total.format(f'{x}{i}')}::BIGINT AS {x}{i}" for x in "ns"]
        columns += [f"{total.format(f'{x}{i}')}::DOUBLE AS {x}{i}" for x in "tq"]
        if s.unit == "mean":
            columns += [f"{each.format(f'{x}{i}::DOUBLE')} AS {x}s{i}" for x in "nt"]
    if means:
        columns.append(f"{each.format('block')} AS blocks")
    end = f"\nGROUP BY {', '.join(str(i + 1) for i in range(len(groups)))}" if several else ""
    return f"SELECT {', '.join(columns)}\nFROM (\n{sql}\n){end}"


def within_blocks(groups: Sequence[Grouping]) -> bool:
    """Whether each group lies within one block: blocks are made of whole sessions."""
    return any(g.name == "session" for g in groups)


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
        few = _few_sessions(store) if few_sessions is None else few_sessions
        block = _block_sql(few, within_blocks(groups))
    columns.append(f"{block} AS block")
    places = _places(groups, keys)
    columns += [f"{sql} AS o{i}" for i, sql in enumerate(places)]
    overs = {s.over for s in stats}
    # What a rate counts cannot always be asked of rows that are added up.
    narrow = all(s.summed and s.unit == "mean" for s in stats) or population.narrow
    only = overs.pop() if narrow and len(overs) == 1 else "true"
    rows = summed_sql(population, keys) if all(s.summed for s in stats) else None
    if rows is not None and any(g.name == "trick" for g in groups):
        return _query_by_trick(population, stats, groups, keys, block if means else "", only)
    if rows is not None:
        columns += ['sum(u.cards) AS "rows"', *_sums_of_sums(stats, only)]
    else:
        rows = population_sql(store, population)
        columns += ['count(*) AS "rows"', *_sums(stats)]
    end = _grouped(groups, keys, block if means else "", only)
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
    """The end of a query: only rows of a group and those with ``only``, by group and block (if it
    is more than one value in a group).
    """
    parts = [p for g, key in zip(groups, keys) for p in _parts(g, key)]
    conditions = [f"({p}) IS NOT NULL" for p in parts]
    if only != "true":
        conditions.append(f"({only})")
    by = parts if within_blocks(groups) or not block else [*parts, block]
    end = f"WHERE {' AND '.join(conditions) or 'true'}"
    return f"{end}\nGROUP BY {', '.join(by)}" if by else end


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


def summed_sql(population: Population, keys: Sequence[str]) -> str | None:
    """A population as rows that are added up, if it has such; with ``{where}`` still in it.

    ``keys`` are expressions over ``u``, what the rows are grouped by or picked by.
    """
    summed = population.summed
    if summed is None:
        return None
    return summed.by_trick() if any("u.trick" in key for key in keys) else summed.rows


def _query_by_trick(
    population: Population,
    stats: Sequence[Statistic],
    groups: Sequence[Grouping],
    keys: Sequence[str],
    block: str,
    only: str,
) -> str:
    """As :func:`query`, of rows that hold all tricks of a seat: added up before they are taken
    apart. ``block`` is empty where there are no blocks, ``only`` a condition on all rows.
    """
    summed = population.summed
    assert summed is not None  # else there is nothing to take apart
    inner: list[str] = []
    outer: list[str] = []
    places: list[str] = []
    others: list[tuple[Grouping, str]] = []
    for g, key in zip(groups, keys):
        at = f"o{len(places)}"
        if g.name == "trick":
            outer.append('t AS "trick"')
            places.append(f"t AS {at}")
            continue
        others.append((g, key))
        inner += _key_columns([g], [key])
        outer.append(f'"{g.name}"')
        for sql in _places([g], [key]):
            at = f"o{len(places)}"
            inner.append(f"{sql} AS {at}")
            places.append(at)
    inner.append(f"""{block or "''"} AS block""")
    outer += ["block", *places]

    def each(measure: str, over: str = "") -> str:
        sql = summed.of_trick[measure.removeprefix("u.")]
        of = (sql.format(t=t) for t in summed.tricks)
        return f"[{', '.join(f'coalesce(sum({x}) {over}, 0)' for x in of)}]"

    inner.append(f'{each("u.cards")} AS "rows"')
    outer.append('"rows"[t] AS "rows"')
    for i, s in enumerate(stats):
        assert s.summed is not None  # else the rows of the population are asked
        over = f"FILTER ({s.over})" if s.unit == "mean" and only == "true" else ""
        n, total, squares = s.summed
        # Cards of a hand are valued only where it has some: none is without.
        for name, measure in zip("nstq", (n, "0", total, squares)):
            if measure == "0":
                outer.append(f"0 AS {name}{i}")
            else:
                inner.append(f"{each(measure, over)} AS {name}{i}")
                outer.append(f"{name}{i}[t] AS {name}{i}")
    end = _grouped([g for g, _ in others], [key for _, key in others], block, only)
    return (
        f"SELECT {', '.join(outer)}\nFROM (\nSELECT {', '.join(inner)}\n"
        f"FROM (\n{summed.packed}\n) u\n{end}\n), "
        f'(SELECT unnest({list(summed.tricks)}) AS t)\nWHERE "rows"[t] > 0'
    )


def _sums_of_sums(stats: Sequence[Statistic], only: str) -> list[str]:
    columns = []
    for i, s in enumerate(stats):
        assert s.summed is not None  # else the rows of the population are asked
        n, total, squares = s.summed
        over = f"FILTER ({s.over})" if s.unit == "mean" and only == "true" else ""
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
    # Records name all sessions of the hands, perhaps more, and are read in a third of the time.
    records = "(SELECT session FROM hand UNION ALL SELECT session FROM hand_other)"
    count = "SELECT count(DISTINCT session) AS n FROM "
    return any(store.rows(count + shown)[0]["n"] <= BLOCKS for shown in (records, "hands"))


def _block_sql(few_sessions: bool, of_session: bool = False) -> str:
    """What is drawn in the bootstrap: the session, or the hand where it names none.

    A hand goes by its content hash, which is the same in a store and in a lake. ``of_session``: of
    rows that are grouped by session (all of them name one).
    """
    if of_session:
        return "u.session" if few_sessions else f"({session_block('u.session')})::UTINYINT"
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
    means = any(s.unit == "mean" for s in stats)
    block = "''"
    if means and within_blocks(groups):
        block = _block_sql(few, of_session=True)
    elif means:
        block = "coalesce(u.block_session, '#' || u.block_nr)" if few else "u.block_nr"
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
        f"{_grouped(groups, keys, block if means else '')}"
    )


def _without_measures(over: str) -> str:
    """A condition without the parts that say a value is known: sums are over those alone."""
    for value in _SUMMED:
        over = over.replace(f"{value} IS NOT NULL", "true")
    return over
