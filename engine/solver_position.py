"""A table with open cards: what the solver is asked about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.cards import CARDS, SEATS, mask_of, names
from engine.outcome import WHOLE_SIDE_GOALS
from engine.ruleset import RuleSet
from engine.state import NOBODY, Replay


@dataclass(frozen=True, slots=True)
class Position:
    """A table with open cards.

    ``hands`` are the cards in the hands (bit sets in pack order, N E S W), ``trick`` the cards on
    the table in order, the first by ``leader``; ``side`` the seats of declarer's side (bit set).
    ``called`` is the called card; ``from_reveal`` says that its holder counts for the side only
    from the trick in which it falls (RULES 3.2), ``first_joins`` that whoever wins the first trick
    becomes the partner (RULES 3.3). ``winners`` are the winners of the tricks before, ``won`` the
    cards that each seat took in them, ``points`` and ``tricks`` what they brought declarer's side
    and the defenders. ``order`` are the four seats of the trick on the table where somebody played
    out of turn; empty: clockwise from the leader.
    """

    rules: RuleSet
    trump: int
    hands: tuple[int, int, int, int]
    leader: int
    side: int
    declarer: int
    trick: tuple[int, ...] = ()
    called: int | None = None
    from_reveal: bool = False
    first_joins: bool = False
    winners: tuple[int, ...] = ()
    won: tuple[int, int, int, int] = (0, 0, 0, 0)
    points: tuple[int, int] = (0, 0)
    tricks: tuple[int, int] = (0, 0)
    order: tuple[int, ...] = ()

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats of this trick in the order of play."""
        return self.order or tuple((self.leader + i) % 4 for i in range(4))

    @property
    def to_play(self) -> int:
        """Seat that plays the next card."""
        if self.order:
            return self.order[len(self.trick)]
        return (self.leader + len(self.trick)) % 4

    @property
    def partner(self) -> int:
        """Declarer's partner, or :data:`engine.state.NOBODY`."""
        rest = self.side & ~(1 << self.declarer)
        return rest.bit_length() - 1 if rest else NOBODY

    @property
    def tricks_left(self) -> int:
        """Tricks still to be taken, the one on the table included."""
        return (sum(h.bit_count() for h in self.hands) + len(self.trick)) // 4

    @property
    def hidden(self) -> int | None:
        """The called card while it has not fallen and its holder counts only from then."""
        if not self.from_reveal or self.called is None:
            return None
        held = self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3] | mask_of(self.trick)
        return self.called if held >> self.called & 1 else None

    def best_on_table(self) -> tuple[int, int]:
        """The card that is winning the trick on the table, and its seat; (-1, -1): none."""
        best, holder = -1, -1
        for i, c in enumerate(self.trick):
            if best < 0 or self.rules.tables.wins(self.trump, best, c):
                best, holder = c, self.seats[i]
        return best, holder

    def legal(self) -> int:
        """Cards that may be played now (bit set)."""
        best, _ = self.best_on_table()
        led = self.trick[0] if self.trick else -1
        return self.rules.tables.legal(self.trump, self.hands[self.to_play], led, best)

    def counted(self, hands: Sequence[int]) -> int:
        """Seats whose trick counts for declarer's side when ``hands`` are left after it."""
        left = hands[0] | hands[1] | hands[2] | hands[3]
        if self.from_reveal and self.called is not None and left >> self.called & 1:
            return 1 << self.declarer
        return self.side

    def after(self, played: int) -> "Position":
        """The position once the seat to play has played a card."""
        who = self.to_play
        if not self.hands[who] >> played & 1:
            raise ValueError(f"{SEATS[who]} does not hold {CARDS[played]}")
        hands = list(self.hands)
        hands[who] ^= 1 << played
        rest = (hands[0], hands[1], hands[2], hands[3])
        table = (*self.trick, played)
        if len(table) < 4:
            return _moved(self, hands=rest, trick=table)
        full = _moved(self, trick=table)
        _, winner = full.best_on_table()
        value = sum(int(self.rules.tables.points[self.trump, c]) for c in table)
        if not any(rest):
            value += self.rules.cards.last_trick
        side = self.side
        if self.first_joins and not self.winners:
            side |= 1 << winner
        ours = (self.counted(rest) | (side & ~self.side)) >> winner & 1
        won = list(self.won)
        won[winner] |= mask_of(table)
        mine, theirs = self.points
        a, b = self.tricks
        return _moved(
            self,
            hands=rest,
            trick=(),
            order=(),
            leader=winner,
            side=side,
            winners=(*self.winners, winner),
            won=(won[0], won[1], won[2], won[3]),
            points=(mine + value, theirs) if ours else (mine, theirs + value),
            tricks=(a + 1, b) if ours else (a, b + 1),
        )

    def check(self) -> None:
        """Raise ``ValueError`` with a sentence unless this can be played out."""
        left = self.tricks_left
        seen = mask_of(self.trick)
        if len(self.trick) > 3 or seen.bit_count() != len(self.trick):
            raise ValueError(
                f"{len(self.trick)} cards on the table ({', '.join(CARDS[c] for c in self.trick)});"
                " expected up to three different ones"
            )
        for i in range(4):
            s = self.seats[i]
            if both := seen & self.hands[s]:
                raise ValueError(f"{names(both)[0]} stands in two places")
            seen |= self.hands[s]
            expected = left - (i < len(self.trick))
            if self.hands[s].bit_count() != expected:
                raise ValueError(
                    f"{SEATS[s]} holds {self.hands[s].bit_count()} cards, expected {expected} "
                    f"({len(self.trick)} on the table)"
                )
        if not self.side >> self.declarer & 1:
            raise ValueError(f"declarer {SEATS[self.declarer]} is not on his own side")


def _moved(position: Position, **changes: Any) -> Position:
    values = {k: getattr(position, k) for k in Position.__slots__}
    return Position(**{**values, **changes})


class NotSolvable(ValueError):
    """Why a position of a record cannot be solved, in English and Dutch."""

    def __init__(self, en: str, nl: str) -> None:
        super().__init__(en)
        self.en, self.nl = en, nl


def position_from_replay(replay: Replay, ply: int) -> Position:
    """The position of a replayed hand when ``ply`` cards were on the table.

    Raises :class:`NotSolvable` where the record leaves open what must be known (all four hands,
    declarer, partner, trumps), or where cards were played that nobody held.
    """
    outcome, state = replay.outcome, replay.at(ply)
    bid, declarer, partner, trump = outcome.bid, outcome.declarer, outcome.partner, outcome.trump
    if outcome.passed_out:
        raise NotSolvable("nobody bid", "er is niet geboden")
    if bid is None or declarer is None:
        raise NotSolvable("the contract is not known", "het bod is niet bekend")
    if trump is None:
        raise NotSolvable("the trump suit is not known", "de troefkleur is niet bekend")
    if partner is None and bid.contract.partner != "first-trick-winner":
        raise NotSolvable("the partner is not known", "de maat is niet bekend")
    if not all(state.complete):
        raise NotSolvable("not all four hands are known", "niet alle vier handen zijn bekend")
    rules, plays = replay.rules, replay.record.plays
    done, over = divmod(ply, 4)
    first_joins = bid.contract.partner == "first-trick-winner"
    side = 1 << declarer
    if partner is not None and partner != NOBODY and not (first_joins and done == 0):
        side |= 1 << partner
    leader = _rightful_leader(replay, done)
    if leader is None:
        raise NotSolvable("it is not known who leads", "niet bekend is wie uitkomt")
    seats = tuple(x for x in replay.seats[4 * done : ply] if x is not None)
    order = (*seats, *(s for s in ((leader + i) % 4 for i in range(4)) if s not in seats))
    won = [0, 0, 0, 0]
    for t, w in enumerate(state.winners[:done]):
        won[w] |= mask_of(p.card for p in plays[4 * t : 4 * t + 4])
    reveal = rules.partner.counts_from == "reveal" and bid.contract.goal not in WHOLE_SIDE_GOALS
    position = Position(
        rules,
        trump,
        state.hands,
        order[0],
        side,
        declarer,
        trick=tuple(p.card for p in plays[4 * done : ply]),
        called=replay.called,
        from_reveal=reveal,
        first_joins=first_joins,
        winners=state.winners[:done],
        won=(won[0], won[1], won[2], won[3]),
        points=state.points or (0, 0),
        tricks=state.tricks or (0, 0),
        order=order if over and order != _clockwise(order[0]) else (),
    )
    try:
        position.check()
    except ValueError as e:
        raise NotSolvable(
            f"cards were played that were not held ({e})",
            "er zijn kaarten gespeeld die niemand had",
        ) from None
    return position


def _clockwise(first: int) -> tuple[int, ...]:
    return tuple((first + i) % 4 for i in range(4))


def _rightful_leader(replay: Replay, trick: int) -> int | None:
    """Who leads a trick by the rules, whoever did."""
    if trick:
        winners = replay.outcome.winners
        return winners[trick - 1] if trick <= len(winners) else None
    if replay.rules.play.first_lead == "declarer":
        return replay.outcome.declarer
    if replay.dealer is not None:
        return (replay.dealer + 1) % 4
    return replay.seats[0] if replay.seats else None
