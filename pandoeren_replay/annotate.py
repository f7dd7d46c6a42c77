"""What every card of a hand cost, with open cards.

All of it is hindsight: it compares with what somebody who saw all four hands could have forced.
Every text says so ("with open cards"). The values are exact; they are totals at the end of the
hand, as the rule set counts them for declarer's side.
"""

from dataclasses import dataclass
from typing import Any

from engine.cards import cards_in
from engine.solver import SOLVER_VERSION, Budget, Interrupted, Limits, Search
from engine.solver_position import Position, position_from_replay
from engine.state import Replay
from pandoeren_replay.annotate_declaration import judge_declaration
from pandoeren_replay.annotate_notes import CardNote, DeclarationNote, Terms


@dataclass(frozen=True, slots=True)
class Annotation:
    """A hand reviewed with open cards.

    ``start`` is what the hand was worth before the first card, ``result`` what it came to (where
    the play stopped early: what it was then still worth). ``start - result`` is the sum of the
    losses of declarer's side less those of the defenders.
    """

    replay: Replay
    terms: Terms
    start: int
    result: int
    cards: tuple[CardNote, ...]
    declaration: tuple[DeclarationNote, ...]
    nodes: int
    solver: str = SOLVER_VERSION

    def lost_by(self, seat: int) -> int:
        """What a seat's cards cost its side."""
        return sum(n.loss for n in self.cards if n.seat == seat)

    def mistakes(self) -> tuple[CardNote, ...]:
        """Cards that cost something, in order."""
        return tuple(n for n in self.cards if n.loss > 0)

    def turning_points(self) -> tuple[CardNote, ...]:
        """Cards that turned the contract."""
        return tuple(n for n in self.cards if n.verdict == "turned")

    def accuracy(self, seat: int) -> float | None:
        """Share of a seat's choices that mattered in which it lost nothing; ``None``: none did."""
        choices = [n for n in self.cards if n.seat == seat and n.mattered]
        return sum(n.loss <= 0 for n in choices) / len(choices) if choices else None

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "objective": self.terms.objective,
            "target": self.terms.target,
            "meld": self.terms.meld,
            "open_cards": True,
            "solver": self.solver,
            "start": self.start,
            "result": self.result,
            "cards": [n.as_json() for n in self.cards],
            "declaration": [n.as_json() for n in self.declaration],
        }


@dataclass(frozen=True, slots=True)
class Unfinished:
    """As far as a review came before its limit: it goes from the last card to the first.

    ``cards`` are those already judged (the last ones, exact), ``lower`` and ``upper`` proven bounds
    of what the hand was worth before the first card.
    """

    replay: Replay
    terms: Terms
    lower: int
    upper: int
    cards: tuple[CardNote, ...]
    nodes: int


def annotate(replay: Replay, declaration: bool = False) -> Annotation:
    """Value of every card that could have been played, loss and verdict of each that was.

    With ``declaration`` the discard, the trump suit and the called card are judged too (slower).
    Raises :class:`engine.solver_position.NotSolvable` where the record leaves open what must be
    known, with the reason in English and Dutch.
    """
    done = annotate_within(replay, Limits(), declaration)
    assert isinstance(done, Annotation)  # without a limit nothing stops it
    return done


def annotate_within(
    replay: Replay, limits: Limits, declaration: bool = False
) -> Annotation | Unfinished:
    """As :func:`annotate`, until a limit comes: nodes or seconds of all searches, or the event."""
    review = _Review(replay, Budget(limits))
    notes: list[CardNote] = []
    try:
        result = after = review.worth(len(replay.record.plays))
        for ply in range(len(replay.record.plays) - 1, -1, -1):
            notes.append(review.note(ply, after))
            after = notes[-1].before
        start = review.positions[0]
        judged = (
            tuple(judge_declaration(replay, start, after, review.terms, review.budget))
            if declaration
            else ()
        )
    except Interrupted:
        lower, upper = review.start_bounds()
        if len(notes) == len(replay.record.plays) and notes:
            lower = upper = notes[-1].before
        cards = tuple(reversed(notes))
        return Unfinished(replay, review.terms, lower, upper, cards, review.budget.nodes)
    cards = tuple(reversed(notes))
    return Annotation(replay, review.terms, after, result, cards, judged, review.budget.nodes)


def declaration_of(replay: Replay) -> tuple[DeclarationNote, ...]:
    """Discard, trump suit and called card alone, where the cards are not asked for."""
    review = _Review(replay, Budget())
    value = review.worth(0)
    notes = judge_declaration(replay, review.positions[0], value, review.terms, review.budget)
    return tuple(notes)


class _Review:
    """The positions of a hand, and a search for each division into sides.

    (The sides change in the play where the first trick decides who joins declarer.)
    """

    def __init__(self, replay: Replay, budget: Budget) -> None:
        plays = len(replay.record.plays)
        self.replay, self.budget = replay, budget
        self.positions = [position_from_replay(replay, ply) for ply in range(plays + 1)]
        bid, meld = replay.outcome.bid, replay.outcome.meld
        assert bid is not None  # position_from_replay has seen to it
        self.terms = Terms.of(bid, meld[0] if meld else 0)
        self._searches: dict[int, Search] = {}

    def _search(self, position: Position) -> Search:
        if position.side not in self._searches:
            # The earliest position with the same sides: its table serves all that follow.
            same = (p for p in self.positions if p.side == position.side)
            first = next(same, position)
            self._searches[position.side] = Search(first, self.terms.objective, many=True)
        return self._searches[position.side]

    def _taken(self, position: Position) -> int:
        return position.points[0] if self.terms.objective == "points" else 0

    def _total(self, position: Position, guess: int | None) -> int:
        """What the hand comes to from a position; ``guess`` is a total as well."""
        search, taken = self._search(position), self._taken(position)
        before = search.nodes
        try:
            near = None if guess is None else max(guess - taken, 0)
            return taken + search.value(position, near, self.budget.left())
        finally:
            self.budget.nodes += search.nodes - before

    def worth(self, ply: int, guess: int | None = None) -> int:
        """What the hand was worth when so many cards had been played."""
        return self._total(self.positions[ply], guess)

    def start_bounds(self) -> tuple[int, int]:
        """Proven bounds of the hand before the first card, from next to no search."""
        return self._search(self.positions[0]).bounds(self.positions[0], Limits(nodes=1))

    def note(self, ply: int, after: int) -> CardNote:
        """One card judged; ``after`` is what the hand was worth after it."""
        position = self.positions[ply]
        play, seat = self.replay.record.plays[ply].card, self.replay.seats[ply]
        assert seat is not None  # all hands are known, so is who played what
        side = bool(position.side >> seat & 1)
        values = {play: after}
        regular = seat == position.to_play
        legal = position.legal() if regular else 0
        if regular:
            for c in cards_in(legal):
                if c != play:
                    values[c] = self._total(position.after(c), after)
            lawful = [values[c] for c in cards_in(legal)]
            before = max(lawful) if side else min(lawful)
        else:
            # Out of turn: what the hand was worth is the value for the player whose turn it was.
            lawful = []
            before = self.worth(ply, after)
        return CardNote(
            ply=ply,
            seat=seat,
            card=play,
            side=side,
            values=values,
            best=sum(1 << c for c in cards_in(legal) if values[c] == before),
            loss=before - after if side else after - before,
            forced=legal == 1 << play,
            mattered=len(set(lawful)) > 1,
            regular=bool(legal >> play & 1),
            before=before,
            after=after,
            terms=self.terms,
        )


__all__ = [
    "Annotation",
    "CardNote",
    "DeclarationNote",
    "Terms",
    "Unfinished",
    "annotate",
    "annotate_within",
    "declaration_of",
]
