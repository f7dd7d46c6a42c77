"""What a statistic, a population and a grouping are."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from pandoeren_replay.store.store import Store

Unit = Literal["rate", "share", "mean"]
Topic = Literal[
    "bidding", "results", "roem", "defence", "habits", "violations", "records", "analysis"
]
Sql = str | Callable[[Store], str]


@dataclass(frozen=True, slots=True)
class Summed:
    """Rows of a population that are added up by seat (:mod:`pandoeren_replay.store.losses`).

    ``rows`` have what :attr:`Statistic.summed` asks for; of ``packed`` each of those is an
    expression of ``of_trick`` over ``u``, with ``{t}`` for one of the ``tricks``.
    """

    rows: str
    packed: str
    of_trick: dict[str, str]
    tricks: tuple[int, ...]

    def by_trick(self) -> str:
        """Rows by seat and trick."""
        return " UNION ALL ".join(
            f"SELECT u.*, {t} AS trick, "
            + ", ".join(f"{sql.format(t=t)} AS {name}" for name, sql in self.of_trick.items())
            + f" FROM ({self.packed}) u"
            for t in self.tricks
        )


@dataclass(frozen=True, slots=True)
class Population:
    """What a figure is counted over: one row per ``one`` (a hand, a player at a hand …).

    ``sql`` selects those rows, with ``{where}`` for the filter on ``hands h``; its rows carry
    ``hand_id``, all columns of the view ``hands``, and what the population adds. ``own`` are
    groupings that mean something else here (``player``: the player of the row, not declarer);
    ``plain`` are the groupings that a filter field expresses, by its name; ``filter`` is the
    population in the filter language where that can say it. ``summed`` are the same rows added up
    as far as the store has it so. ``narrow``: rows that no statistic counts are left out
    before they are grouped; it saves time where each counts a part and conditions are simple.
    """

    id: str
    en: str
    nl: str
    one: str
    sql: Sql
    own: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    filter: str | None = None
    summed: "Summed | None" = None
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class Statistic:
    """One figure, defined once.

    A ``rate`` is the share of rows with ``value`` (a condition) among those with ``over``; a
    ``share`` is a group's part of all rows with ``over``; a ``mean`` is the mean of ``value`` (a
    number) over the rows with ``over``. ``formula`` says the same in words. ``filter`` is
    ``over`` in the filter language, ``None`` where it cannot say it. ``by`` is what it is usually
    split by; ``good`` whether more is better (1), worse (-1) or neither (0: never ranked).
    ``summed`` is the same over rows that are added up: how many, the hits of a rate or the sum of a
    mean, the sum of its squares.
    """

    id: str
    topic: Topic
    en: str
    nl: str
    unit: Unit
    measure: str
    population: str
    formula: str
    over: str = "true"
    value: str = "true"
    filter: str | None = None
    by: str = "player"
    good: int = 0
    summed: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """What figures are split by; ``field`` is the filter field that leads to a group's hands.

    ``parts`` are the columns that ``sql`` puts together: to group by them takes less time.
    """

    name: str
    en: str
    nl: str
    sql: str
    field: str = ""
    order: tuple[str, ...] = ()
    by_size: bool = False
    parts: tuple[str, ...] = ()
