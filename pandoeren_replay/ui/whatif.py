"""What if: another card from here on, the rest by the solver, as a hand of its own.

Whether a card may be played is asked of the engine; the line is replayed like any other hand, so
points, winners and the contract follow from the same rules.
"""

from dataclasses import dataclass, replace

from engine.cards import CARD_INDEX, CARDS, RANKS, cards_in
from engine.record import HandRecord, Play, Result
from engine.replay import replay as replay_record
from engine.solver import Search
from engine.solver_position import NotSolvable, Position, position_from_replay
from engine.state import Replay


@dataclass(frozen=True, slots=True)
class Line:
    """Another line of a hand: it leaves the real one before card ``at``.

    ``cards`` were chosen by the viewer; those after them are the solver's.
    """

    at: int
    cards: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Line | None":
        """A line as the address has it; ``None`` for what is none.

        >>> Line.parse("12SAH7"), Line.parse("x"), Line.parse("12SAxx")
        (Line(at=12, cards=('SA', 'H7')), None, None)
        """
        digits = text[:2] if text[:2].isdigit() else text[:1]
        rest = text[len(digits) :]
        cards = tuple(rest[i : i + 2] for i in range(0, len(rest), 2))
        if not (digits.isascii() and digits.isdigit()) or not 0 < len(cards) <= 32:
            return None
        return cls(int(digits), cards) if all(c in CARD_INDEX for c in cards) else None

    def __str__(self) -> str:
        return f"{self.at}{''.join(self.cards)}"


def play_line(hand: Replay, line: Line) -> Replay:
    """The hand along another line, played to its end.

    Raises :class:`NotSolvable` where the hand leaves open what must be known, or where a card of
    the line may not be played.
    """
    if not 0 <= line.at < len(hand.states):
        raise NotSolvable("this hand has no such card", "zo'n kaart is er niet in dit spel")
    position = position_from_replay(hand, line.at)
    plays: list[Play] = []
    for name in line.cards:
        card = CARD_INDEX[name]
        if not position.tricks_left or not position.legal() >> card & 1:
            raise NotSolvable(
                f"{name} may not be played here", f"{name} mag hier niet gespeeld worden"
            )
        position = _put(position, card, plays)
    bid = hand.outcome.bid
    assert bid is not None  # position_from_replay has seen to it
    _finish(position, bid.contract.goal, plays)
    record = replace(
        hand.record,
        rules=hand.record.rules or hand.rules.id,
        dealer=hand.dealer,
        deal=hand.deal_text,
        deal_extra=(),
        discard=hand.record.discard if hand.discard is None else CARDS[hand.discard],
        plays=(*hand.record.plays[: line.at], *plays),
        result=Result(),
        notes=(),
    )
    return _with_claims(record, hand, line.at)


def _put(position: Position, card: int, plays: list[Play]) -> Position:
    # A seat is written only where it does not follow: in a trick that went out of turn.
    plays.append(Play(card, position.to_play if position.order else None))
    return position.after(card)


def _finish(position: Position, goal: str, plays: list[Play]) -> None:
    """The best card of whoever has to play, the cheapest of equals, to the end."""
    search = Search(position, goal)
    tables = position.rules.tables
    guess: int | None = None
    while any(position.hands):
        if position.side != search.start.side:
            search = Search(position, goal)
        values = search.values(position, guess)
        best = max(values.values()) if search.maximises(position) else min(values.values())
        trump = position.trump
        card = min(
            (c for c, v in values.items() if v == best),
            key=lambda c: (int(tables.points[trump, c]), -RANKS.index(CARDS[c][1]), c),
        )
        before = position
        position = _put(position, card, plays)
        gained = position.points[0] - before.points[0] if goal == "points" else 0
        guess = best - gained


def _with_claims(record: HandRecord, hand: Replay, at: int) -> Replay:
    """Announcements made before stay; later ones only if they could be made in this line too."""
    early = tuple(c for c in record.claims if c.ply <= at)
    every = replay_record(record, hand.rules)
    later = [v for v in every.violations if v.ply is not None and v.ply > at]
    if not later or early == record.claims:
        return every
    return replay_record(replace(record, claims=early), hand.rules)


def legal_cards(hand: Replay) -> list[list[str] | None]:
    """The cards that may be played at each ply; ``None`` where that is not known."""
    trump = hand.outcome.trump
    out: list[list[str] | None] = []
    for s in hand.states:
        seat = s.to_play
        if trump is None or seat is None or not s.complete[seat]:
            out.append(None)
            continue
        led, best = -1, -1
        for _, card in s.trick:
            led = card if led < 0 else led
            best = card if best < 0 or hand.rules.tables.wins(trump, best, card) else best
        legal = hand.rules.tables.legal(trump, s.hands[seat], led, best)
        out.append([CARDS[c] for c in cards_in(legal)])
    return out


__all__ = ["Line", "legal_cards", "play_line"]
