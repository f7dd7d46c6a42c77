"""Statistics of a lake by several processes, or by the workers of a Dask cluster.

Every figure is worked out of sums by group and block of sessions
(:mod:`pandoeren_replay.statistics.queries`). Sums of some parts of the lake are added up by each
task, with the query that a store is asked; what comes back is added up here. What a figure needs to
know of all hands together is asked in a first round: how many sessions there are, and what
declarers made of each contract.
"""

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pandoeren_replay.filters import condition
from pandoeren_replay.lake import IMPORTS, Lake, quoted
from pandoeren_replay.lake_run import run
from pandoeren_replay.statistics.glossary import POPULATIONS, statistic
from pandoeren_replay.statistics.groupings import grouping
from pandoeren_replay.statistics.model import Grouping, Population, Statistic
from pandoeren_replay.statistics.populations import FIELD
from pandoeren_replay.statistics.queries import collected, query
from pandoeren_replay.store.sums import BLOCKS

if TYPE_CHECKING:
    import polars as pl

FILES = 4
"""Parts of a task: a million hands of a large import."""
_HANDS = f"{IMPORTS}/hands-*.parquet"


class LakeSlice(Lake):
    """Some parts of a lake; all else (values, violations, rule sets) is there as in the whole."""

    def __init__(self, address: str, parts: Sequence[str]) -> None:
        super().__init__(address)
        self._parts = frozenset(parts)

    def files(self, pattern: str) -> list[str]:
        """As in a lake, with only these parts of the hands."""
        found = super().files(pattern)
        return [f for f in found if f in self._parts] if pattern == _HANDS else found


@dataclass(frozen=True, slots=True)
class _Asked:
    """What every task of a question has in common, as plain data."""

    address: str
    population: str
    statistics: tuple[str, ...]
    groups: tuple[str, ...]
    where: str | None
    few_sessions: bool
    field: str


def survey(address: str, parts: Sequence[str]) -> tuple[bytes, bytes]:
    """Sessions (some more than :data:`BLOCKS` are enough) and fields of some parts, as Arrow."""
    lake = LakeSlice(address, parts)
    sessions = lake.sql(
        "SELECT DISTINCT session FROM hands WHERE session IS NOT NULL "
        f"ORDER BY 1 LIMIT {BLOCKS + 1}"
    )
    fields = lake.sql(
        "SELECT rules, contract, sum(declarer_score)::BIGINT AS score, "
        "count(declarer_score) AS scored, count(*) FILTER (success) AS made, "
        "count(success) AS decided FROM hands WHERE NOT passed_out GROUP BY rules, contract"
    )
    return _packed(sessions), _packed(fields)


def add_up(asked: _Asked, parts: Sequence[str]) -> bytes:
    """The sums of some parts, as Arrow."""
    lake = LakeSlice(asked.address, parts)
    sql = query(
        lake,
        POPULATIONS[asked.population],
        [statistic(i) for i in asked.statistics],
        [grouping(n) for n in asked.groups],
        asked.few_sessions,
    )
    where, params = condition(asked.where, lake)
    sql = sql.replace(FIELD, asked.field).replace("{where}", where)
    return _packed(lake.sql(sql, params))


class SharedLake(Lake):
    """A lake whose figures are worked out by ``jobs`` processes or the cluster at ``scheduler``.

    Raises :class:`pandoeren_replay.lake_run.SchedulerError` where the cluster cannot be used.
    """

    def __init__(self, path: str | Path, jobs: int = 1, scheduler: str | None = None) -> None:
        super().__init__(path)
        self._jobs, self._scheduler = jobs, scheduler
        self._surveyed: tuple[tuple[str, ...], bool, str] | None = None

    def _run(self, work: Callable[[Sequence[str]], Any]) -> Iterable[Any]:
        parts = self.files(_HANDS)
        tasks = [parts[i : i + FILES] for i in range(0, len(parts), FILES)]
        return run(work, tasks, self._jobs, self._scheduler)

    def _survey(self) -> tuple[bool, str]:
        """Whether there are few sessions, and the fields as a query (asked once)."""
        import polars as pl

        parts = tuple(self.files(_HANDS))
        if self._surveyed is None or self._surveyed[0] != parts:
            sessions: set[str] = set()
            fields = []
            for told, field in self._run(partial(survey, self.address)):
                sessions |= set(_unpacked(told)["session"])
                fields.append(_unpacked(field))
            sums = pl.concat(fields).group_by("rules", "contract").sum() if fields else None
            self._surveyed = parts, len(sessions) <= BLOCKS, _field_sql(sums)
        return self._surveyed[1:]

    def shared_sums(
        self,
        population: Population,
        stats: Sequence[Statistic],
        groups: Sequence[Grouping],
        where: str | None,
    ) -> "pl.DataFrame":
        """What :func:`pandoeren_replay.statistics.queries.collected` gives, worked out in parts."""
        import duckdb
        import polars as pl

        condition(where, self)  # a filter that cannot be read is told before anything is sent off
        few, field = self._survey()
        asked = _Asked(
            self.address, population.id, tuple(s.id for s in stats),
            tuple(g.name for g in groups), where, few, field,
        )  # fmt: skip
        found = [_unpacked(part) for part in self._run(partial(add_up, asked))]
        whole = pl.concat(found, how="vertical_relaxed").to_arrow()
        keys = [f'"{g.name}"' for g in groups]
        sums = []
        for name in whole.column_names[len(groups) + 1 :]:
            how = "min" if name.startswith("o") else "sum"
            sums.append(f'{how}("{name}") AS "{name}"')
        by = ", ".join([*keys, "block"])
        sql = f"SELECT {by}, {', '.join(sums)} FROM whole GROUP BY {by}"
        with duckdb.connect() as con:
            con.register("whole", whole)
            out: pl.DataFrame = con.sql(collected(sql, stats, groups)).pl()
        return out


def _field_sql(sums: "pl.DataFrame | None") -> str:
    """Fields as a query of constants, instead of that over all hands."""
    rows = [] if sums is None else sums.rows(named=True)
    values = [
        f"({_text(r['rules'])}, {_text(r['contract'])}, "
        f"{_quotient(r['score'], r['scored'])}, {_quotient(r['made'], r['decided'])})"
        for r in rows
    ] or ["(NULL, NULL, NULL, NULL)"]
    return (
        f"(SELECT * FROM (VALUES {', '.join(values)}) f(rules, contract, field_score, field_made))"
    )


def _text(value: str | None) -> str:
    return "NULL::VARCHAR" if value is None else quoted(value)


def _quotient(total: int | None, n: int) -> str:
    return f"{total}::DOUBLE / {n}" if n else "NULL::DOUBLE"


def _packed(frame: "pl.DataFrame") -> bytes:
    out = io.BytesIO()
    frame.write_ipc(out)
    return out.getvalue()


def _unpacked(data: bytes) -> "pl.DataFrame":
    import polars as pl

    return pl.read_ipc(io.BytesIO(data))
