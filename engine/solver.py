"""What a position is worth with open cards: exact values, best cards, thresholds.

Everything here sees all four hands. It says what could have been forced by someone who did too,
which is hindsight; what a player could know is another matter.

Values never depend on what was solved before: the table of positions holds proven bounds only.
The first call of a process loads the compiled search (and compiles it once per machine).
"""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from engine import solver_core as core
from engine import solver_goals as goals
from engine import solver_memory as memory
from engine import solver_tables as tab
from engine.cards import NO_TRUMP, SEATS, SUITS, card, cards_in, mask_of, seat
from engine.rulefile import load_ruleset
from engine.ruleset import Goal, RuleSet
from engine.solver_limits import Budget, Interrupted, Limits, watched
from engine.solver_position import NotSolvable, Position, position_from_replay

Objective = Goal | Literal["tricks"]
"""``points`` and ``tricks`` count what is still to come; every other goal is 1 or 0."""
OBJECTIVES: tuple[str, ...] = (*get_args(Goal), "tricks")
COUNTING = ("points", "tricks")

SOLVER_VERSION = "1"
"""Changes whenever a value could; stored with every evaluation."""

_GOALS = {
    "all": goals.ALL,
    "none": goals.NONE,
    "first-only": goals.FIRST_ONLY,
    "exactly-one": goals.EXACTLY_ONE,
    "one-with-jas": goals.ONE_WITH_JAS,
    "first-four-and-all": goals.FIRST_FOUR,
    "called-card-and-four": goals.CALLED_FOUR,
    "jas-and-all": goals.ALL,
}


@dataclass(frozen=True, slots=True)
class Solution:
    """What was found: proven bounds, equal where the value is exact.

    ``best`` is the set of all best cards (bit set), 0 where it was not settled.
    """

    lower: int
    upper: int
    best: int
    nodes: int

    @property
    def value(self) -> int | None:
        """The exact value, or ``None`` where a limit came first."""
        return self.lower if self.lower == self.upper else None


def _aligned(cells: int) -> Any:
    """Cells that begin where a cache line does, so that a bucket is one line."""
    raw = np.zeros(cells + 8, np.int64)
    skip = -raw.ctypes.data % 64 // 8
    return raw[skip : skip + cells]


class _Arena:
    """Memory of one search thread: context and tables, used by one deal at a time."""

    def __init__(self, bits: int = 15, goal_bits: int = 15) -> None:
        self.context = np.zeros(tab.CONTEXT_CELLS, np.int64)
        self.table = _aligned((1 << bits) * memory.BUCKET_CELLS)
        self.answers = _aligned((1 << goal_bits) * memory.BUCKET_CELLS)
        self.bits, self.goal_bits = bits, goal_bits
        self.stamp = 0
        self.owner: object = None

    def next_stamp(self) -> int:
        self.stamp += 1
        if self.stamp >= core.ESTIMATE:
            self.table[:] = 0
            self.answers[:] = 0
            self.stamp = 1
        return self.stamp


_LOCAL = threading.local()


def _arena() -> _Arena:
    found: _Arena | None = getattr(_LOCAL, "arena", None)
    if found is None:
        found = _LOCAL.arena = _Arena()
    return found


class Search:
    """Solves positions of one deal for one objective; all of them share a table of positions.

    The deal is that of the position given first: any position that can follow from it may be
    asked, in any order. ``many`` says that several large ones will be: the order of moves is then
    learnt from mistakes only, which is slower to begin with and lasts longer. It changes no value.
    """

    def __init__(self, position: Position, objective: str = "points", many: bool = False) -> None:
        if objective not in OBJECTIVES:
            raise ValueError(f"no objective {objective!r} (there are: {', '.join(OBJECTIVES)})")
        position.check()
        self.objective = objective
        self.many = many
        self.counting = objective in COUNTING
        self.start = position
        self.layout = tab.layout_of(position.rules, position.trump)
        self.nodes = 0

    def _claim(self) -> _Arena:
        """The thread's arena, set up for this deal."""
        arena = _arena()
        if arena.owner is not self:
            self._set_up(arena)
            arena.owner = self
        return arena

    def _set_up(self, arena: _Arena) -> None:
        c, lay, start = arena.context, self.layout, self.start
        c[: tab.BEATS] = 0
        c[tab.POINTS : tab.LANE_INFO] = 0
        c[tab.DUTY], c[tab.TRUMPS], c[tab.JAS] = lay.duty, lay.trumps, lay.jas
        dealt = list(start.hands)
        for i, played in enumerate(start.trick):
            dealt[(start.leader + i) % 4] |= 1 << played
        for s in range(4):
            c[tab.HANDS + s] = lay.mask(dealt[s])
        c[tab.BEATS : tab.BEATS + tab.SLOTS] = lay.beats
        if self.objective == "points":
            c[tab.POINTS : tab.POINTS + tab.SLOTS] = lay.points
            c[tab.LAST] = lay.last_trick
        c[tab.BY_MISTAKES] = self.many
        c[tab.PER_TRICK] = self.objective != "points"
        c[tab.MAXI] = c[tab.SCORE] = c[tab.OPEN_SCORE] = start.side
        c[tab.DECLARER] = 1 << start.declarer
        if start.called is not None:
            if self.counting and start.hidden is not None:
                c[tab.HIDDEN] = 1 << lay.bit[start.called]
                c[tab.OPEN_SCORE] = 1 << start.declarer
            elif self.objective == "called-card-and-four":
                c[tab.HIDDEN] = 1 << lay.bit[start.called]
        c[tab.GOAL] = _GOALS.get(self.objective, 0)
        c[tab.STAMP] = arena.next_stamp()
        c[tab.BITS] = arena.bits if self.counting else arena.goal_bits
        core.set_up(c)

    def _enter(self, position: Position, limits: Limits | None) -> tuple[_Arena, int]:
        """Set the cells of the root; returns arena and the cards in the hands."""
        arena = self._claim()
        c, lay = arena.context, self.layout
        hands = position.hands
        rem = lay.mask(hands[0] | hands[1] | hands[2] | hands[3])
        if position.trick:
            best, holder = position.best_on_table()
            c[tab.ROOT_BEST] = lay.bit[best]
            c[tab.ROOT_SEAT] = holder
            c[tab.ROOT_LED] = lay.bit[position.trick[0]] // tab.WIDTH
            c[tab.ROOT_POINTS] = sum(int(c[tab.POINTS + lay.bit[x]]) for x in position.trick)
        c[tab.NODES] = 0
        c[tab.BUDGET] = 1 << 62 if limits is None or limits.nodes is None else limits.nodes
        c[tab.STOP] = 0
        return arena, rem

    def total(self, position: Position) -> int:
        """All that is still to come, for both sides together."""
        if self.objective == "tricks":
            return position.tricks_left
        if self.objective != "points":
            return 1
        hands = position.hands
        cards = hands[0] | hands[1] | hands[2] | hands[3] | mask_of(position.trick)
        points = position.rules.tables.points[position.trump]
        last = position.rules.cards.last_trick if cards else 0
        return sum(int(points[c]) for c in cards_in(cards)) + last

    def bounds(
        self, position: Position, limits: Limits | None = None, guess: int | None = None
    ) -> tuple[int, int]:
        """Proven lower and upper bound of the value, equal unless a limit came first."""
        if self._within_trick(position):
            try:
                value = self._by_hand(position, limits)
            except Interrupted:
                return 0, self.total(position)
            return value, value
        if not self.counting:
            return self._goal_bounds(position, limits)
        total = self.total(position)
        if total == 0:
            return 0, 0
        with watched(limits, _arena().context):
            arena, rem = self._enter(position, limits)
            found = core.solve_exact(
                arena.context,
                arena.table,
                rem,
                position.leader,
                total,
                len(position.trick),
                -1 if guess is None else max(guess, 0),
            )
            self.nodes += int(arena.context[tab.NODES])
        return found & memory.BOUND, found >> 13

    def reaches(self, position: Position, n: int, limits: Limits | None = None) -> bool:
        """Whether the side can force ``n`` more (points or tricks), or the goal (``n`` = 1).

        Raises :class:`Interrupted` where a limit came first.
        """
        if n <= 0:
            return True
        total = self.total(position)
        if n > total:
            return False
        if not self.counting or self._within_trick(position):
            return self.value(position, None, limits) >= n
        with watched(limits, _arena().context):
            arena, rem = self._enter(position, limits)
            c = arena.context
            value = core.ask(c, arena.table, rem, position.leader, n, total, len(position.trick))
            self.nodes += int(c[tab.NODES])
            if c[tab.STOP]:
                raise Interrupted("the limit came before the answer")
        return bool(value >= n)

    def _goal_bounds(self, position: Position, limits: Limits | None) -> tuple[int, int]:
        past = self._past(position)
        if past is not None and past < goals.OPEN:
            return past, past
        with watched(limits, _arena().context):
            arena, rem = self._enter(position, limits)
            c = arena.context
            c[tab.MAXI] = position.side
            c[tab.PAST] = len(position.winners)
            c[tab.FIRST_JOINS] = position.first_joins
            won = 0 if past is None else past - goals.OPEN
            found = goals.decide(c, arena.answers, rem, position.leader, won, len(position.trick))
            self.nodes += int(c[tab.NODES])
            if c[tab.STOP]:
                return 0, 1
        return int(found), int(found)

    def _past(self, position: Position) -> int | None:
        """What the tricks before have settled: LOST, MADE, or OPEN + tricks that count."""
        goal, side, declarer = self.objective, position.side, position.declarer
        winners = position.winners
        held = mask_of(position.trick)
        for h in position.hands:
            held |= h
        ours = sum(side >> w & 1 for w in winners)
        own = winners.count(declarer)
        jas = int(position.rules.tables.jas[position.trump])
        side_won = 0
        for s in range(4):
            if side >> s & 1:
                side_won |= position.won[s]
        if goal in ("all", "jas-and-all", "first-four-and-all") and ours < len(winners):
            return goals.LOST
        if goal == "jas-and-all" and not jas & (side_won | held):
            return goals.LOST
        if goal == "first-four-and-all" and any(w != declarer for w in winners[:4]):
            return goals.LOST
        if goal == "none" and ours:
            return goals.LOST
        if goal == "first-only" and winners and (winners[0] != declarer or own > 1):
            return goals.LOST
        if goal == "exactly-one" and own > 1:
            return goals.LOST
        if goal == "one-with-jas":
            with_jas = position.won[declarer] & jas != 0
            mine = position.hands[declarer]
            for i, c in enumerate(position.trick):
                if (position.leader + i) % 4 == declarer:
                    mine |= 1 << c
            if own > with_jas or not (with_jas or mine & jas):
                return goals.LOST
        if goal == "called-card-and-four":
            # Where there was nothing to call, four tricks will do.
            called = 0 if position.called is None else 1 << position.called
            taken = position.called is None or called & side_won != 0
            if not (taken or called & held):
                return goals.LOST
            if ours >= 4 and taken:
                return goals.MADE
            if not held:
                return goals.LOST
            return goals.OPEN + (min(ours, 4) | (goals.CALLED_TAKEN if taken else 0))
        if not held:
            return goals.LOST if goal == "exactly-one" and own != 1 else goals.MADE
        return goals.OPEN + own if goal == "exactly-one" else None

    def value(
        self, position: Position, guess: int | None = None, limits: Limits | None = None
    ) -> int:
        """The exact value: what is still to come for declarer's side (goals: 1 or 0).

        Raises :class:`Interrupted` where a limit came first.
        """
        if self._within_trick(position):
            return self._by_hand(position, limits)
        low, high = self.bounds(position, limits, guess)
        if low != high:
            raise Interrupted("the limit came before the answer")
        return low

    def _within_trick(self, position: Position) -> bool:
        """Whether the trick on the table is one that the compiled search does not know.

        Those are tricks in which somebody played out of turn, and the first trick where its winner
        joins declarer: until then everybody but declarer plays against him.
        """
        open_side = position.first_joins and not position.winners and self.counting
        return any(position.hands) and bool(open_side or position.order)

    def _by_hand(self, position: Position, limits: Limits | None) -> int:
        """The trick on the table card by card."""
        found = []
        for c in cards_in(position.legal()):
            then = position.after(c)
            if then.trick:
                found.append(self._by_hand(then, limits))
                continue
            inner = self if then.side == self.start.side else Search(then, self.objective)
            found.append(inner.value(then, None, limits) + self._gain(position, then))
            if inner is not self:
                self.nodes += inner.nodes
        return max(found) if self.maximises(position) else min(found)

    def _gain(self, before: Position, after: Position) -> int:
        """What the side has more (0 for goals, whose value is that of the whole hand)."""
        if self.objective == "points":
            return after.points[0] - before.points[0]
        if self.objective == "tricks":
            return after.tricks[0] - before.tricks[0]
        return 0

    def values(self, position: Position, guess: int | None = None) -> dict[int, int]:
        """Exact value of every legal card."""
        out: dict[int, int] = {}
        for c in cards_in(position.legal()):
            then = position.after(c)
            gain = self._gain(position, then)
            near = None if guess is None else guess - gain
            out[c] = gain + self.value(then, near)
            guess = out[c]
        return out

    def maximises(self, position: Position) -> bool:
        """Whether the seat to play wants the value high."""
        return bool(position.side >> position.to_play & 1)


def solve(position: Position, objective: str = "points", limits: Limits | None = None) -> Solution:
    """Value of a position and all best cards, from an empty table.

    With ``limits`` the bounds proven so far are returned instead of waiting.
    """
    search = Search(position, objective)
    if limits is None:
        values = search.values(position)
        if not values:
            value = search.value(position)
            return Solution(value, value, 0, search.nodes)
        best = max(values.values()) if search.maximises(position) else min(values.values())
        cards = mask_of(c for c, v in values.items() if v == best)
        return Solution(best, best, cards, search.nodes)
    low, high = search.bounds(position, limits)
    return Solution(low, high, 0, search.nodes)


def values(position: Position, objective: str = "points") -> dict[int, int]:
    """Exact value of every legal card (card → what the side gets from there on)."""
    return Search(position, objective).values(position)


def reaches(
    position: Position, n: int, objective: str = "points", limits: Limits | None = None
) -> bool:
    """Whether declarer's side can force ``n`` more."""
    return Search(position, objective).reaches(position, n, limits)


def solve_position(
    rules: str | Path | RuleSet,
    trump: str | None,
    hands: dict[str, list[str]],
    leader: str,
    trick: list[str],
    side: str,
    goal: str,
) -> int:
    """Exact value of a position given as text, for the seats ``side``.

    ``goal`` is ``points`` (card points and last trick still to come, the table included),
    ``tricks``, ``all`` or ``none`` (1 if it can be forced). Raises ``ValueError`` with a sentence
    for anything that is no position.

    >>> hands = {"N": ["HJ", "SA"], "E": ["H7", "SK"], "S": ["H8", "SQ"], "W": ["D7", "S7"]}
    >>> solve_position("heerlen", "H", hands, "N", [], "N", "points")
    41
    """
    if goal not in ("points", "tricks", "all", "none"):
        raise ValueError(f"no goal {goal!r} (there are: points, tricks, all, none)")
    if trump is not None and (len(trump) != 1 or trump not in SUITS):
        raise ValueError(f"{trump!r} is not a trump suit (expected S, H, D, C or None)")
    loaded = rules if isinstance(rules, RuleSet) else load_ruleset(rules)
    if sorted(hands) != sorted(SEATS):
        raise ValueError(f"hands of {', '.join(hands) or 'nobody'}; expected N, E, S and W")
    held = []
    for s in SEATS:
        cards = [card(x) for x in hands[s]]
        if len(set(cards)) != len(cards):
            raise ValueError(f"{s} holds a card twice ({' '.join(hands[s])})")
        held.append(mask_of(cards))
    seats = [seat(s) for s in side]
    if not seats:
        raise ValueError("'side' names no seat (expected one or more of N E S W)")
    position = Position(
        loaded,
        NO_TRUMP if trump is None else SUITS.index(trump),
        (held[0], held[1], held[2], held[3]),
        seat(leader),
        mask_of(seats),
        seats[0],
        tuple(card(x) for x in trick),
    )
    search = Search(position, goal)
    return search.value(position)


__all__ = [
    "OBJECTIVES",
    "SOLVER_VERSION",
    "Budget",
    "Interrupted",
    "Limits",
    "NotSolvable",
    "Objective",
    "Position",
    "Search",
    "Solution",
    "position_from_replay",
    "reaches",
    "solve",
    "solve_position",
    "values",
]
