"""What a seat knows at a moment of a hand, and deals drawn evenly from all that fit it.

A :class:`Knowledge` holds what follows, by the rules alone, from what a seat could see: its own
cards, the table, the cards played, hands face up, the middle card where it lay face up,
declarer's own discard, what a played card proves about the hand it came from, the called card,
unflagged announcements, aces that a bid asks for. Silence proves nothing, nor does the way
somebody bids or plays.

What a played card proves comes from :mod:`engine.play` alone: a card cannot be in a hand if
playing as was done would then have been an offence. That one card at a time is enough (an offence
never needs two cards in hand together) is a property of ``offence`` which the tests check for
every combination of duties. The exemption of the jas follows from it.

A card that the replay flags proves nothing, at any ply: somebody who revoked was not void. What
an offender's opponents wrongly took for certain is thereby left open.

*Drawing.* Who holds what one by one (which places may hold a card) makes the deals a counting
problem that :mod:`engine.sampling` draws from evenly. Announcements of which the cards are not
known ("roem 50") are unions: one of several sets of cards is in the hand. For these the deals are
drawn by the method of Karp and Luby (1983): pick one of the sets with chance proportional to the
number of deals that have it, draw evenly among those, keep the deal with chance 1/m where m is
the number of sets that the deal has. A deal is kept with chance m * (1 / total) * (1 / m): all
alike. What is left (which set of a value is meant, denials) is checked by
:func:`engine.claims.judge_claims` and a deal that fails is drawn again, which keeps the rest even.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from engine.cards import CARDS, PACK, SEATS, mask_of
from engine.clues import (
    NotKnown,
    Seen,
    bid_aces,
    bidders_of,
    called_card,
    middle_card,
    played_cards,
)
from engine.demands import OUT, Demand, aces_demand, claim_demands
from engine.ruleset import Bid, RuleSet
from engine.sampling import Layouts
from engine.state import Replay

MAX_ALTERNATIVES = 2000
MAX_TRIES = 200_000


class Deal(NamedTuple):
    """One way the cards may lie: what is left in each hand (N E S W), and the card out of play.

    ``out`` is -1 where every card is in a hand or was played.
    """

    hands: tuple[int, int, int, int]
    out: int


@dataclass(frozen=True)
class Knowledge:
    """What ``seat`` knows when ``ply`` cards are on the table.

    ``fixed`` are the cards known to be in each hand now, ``out`` the card known to be out of play
    (``None``: not known, -1: there is none); ``hidden`` the cards whose place is open, ``room[p]``
    how many of them place ``p`` (N E S W, 4 = out of play) takes, ``allowed[p]`` which it may
    hold; ``demands`` what at least must be somewhere together.
    """

    seat: int
    ply: int
    fixed: tuple[int, int, int, int]
    out: int | None
    hidden: int
    room: tuple[int, int, int, int, int]
    allowed: tuple[int, int, int, int, int]
    demands: tuple[Demand, ...] = ()
    fits: Callable[[Deal], bool] | None = field(default=None, compare=False, repr=False)

    @property
    def _places(self) -> tuple[int, ...]:
        return tuple(p for p in range(5) if self.room[p])

    def _layouts(self, allowed: Sequence[int]) -> Layouts:
        places = self._places
        pad = [0] * (4 - len(places))
        return Layouts(
            self.hidden,
            [*(self.room[p] for p in places), *pad],
            [*(allowed[p] for p in places), *pad],
        )

    def bound(self) -> int:
        """Number of ways by places alone; exact where nothing is demanded together."""
        return self._layouts(self.allowed).count

    def _deal(self, laid: Sequence[int]) -> Deal:
        hands = list(self.fixed)
        out = -1 if self.out is None else self.out
        for p, cards in zip(self._places, laid):
            if p == OUT:
                out = cards.bit_length() - 1
            else:
                hands[p] |= cards
        return Deal((hands[0], hands[1], hands[2], hands[3]), out)

    def _passes(self, deal: Deal) -> bool:
        return all(d.met(deal.hands, deal.out) for d in self.demands) and (
            self.fits is None or self.fits(deal)
        )

    def admits(self, deal: Deal) -> bool:
        """Whether a deal contradicts nothing that was seen."""
        seen = 0
        for s in range(4):
            extra = deal.hands[s] & ~self.fixed[s]
            if deal.hands[s] & self.fixed[s] != self.fixed[s] or extra & ~self.allowed[s]:
                return False
            if extra.bit_count() != self.room[s] or seen & deal.hands[s]:
                return False
            seen |= deal.hands[s]
        if self.room[OUT]:
            if deal.out < 0 or not self.allowed[OUT] >> deal.out & 1 or seen >> deal.out & 1:
                return False
        elif deal.out != (-1 if self.out is None else self.out):
            return False
        return self._passes(deal)

    def every(self) -> Iterator[Deal]:
        """All deals that fit, each once. There may be billions: look at :meth:`bound` first."""
        for laid in self._layouts(self.allowed):
            deal = self._deal(laid)
            if self._passes(deal):
                yield deal

    def sampler(self, seed: int = 0) -> "Sampler":
        """A source of deals, drawn evenly and independently from all that fit."""
        return Sampler(self, seed)

    def deals(self, n: int, seed: int = 0) -> tuple[list[Deal], bool]:
        """``n`` deals drawn evenly; or, where there are no more than ``n``, all of them.

        The second value says whether these are all.
        """
        if self.bound() <= n:
            return list(self.every()), True
        sampler = self.sampler(seed)
        return [sampler.draw() for _ in range(n)], False


class Sampler:
    """Draws deals that fit a :class:`Knowledge`: evenly, independently (see the module)."""

    def __init__(self, knowledge: Knowledge, seed: int = 0) -> None:
        self.knowledge = knowledge
        self.tries = 0
        self.drawn = 0
        self._random = random.Random(seed)
        self._state = np.array([self._random.getrandbits(64)], np.uint64)
        self._parts: list[tuple[Layouts, tuple[tuple[Demand, int], ...]]] = []
        self._ends: list[int] = []
        self._set_up()

    def _set_up(self) -> None:
        """One part for each choice of a set for every demand; demands beyond the limit wait."""
        used: list[Demand] = []
        size = 1
        for demand in sorted(self.knowledge.demands, key=lambda d: len(d.options)):
            if size * len(demand.options) <= MAX_ALTERNATIVES:
                used.append(demand)
                size *= len(demand.options)
        total = 0
        for choice in product(*(d.options for d in used)):
            allowed = list(self.knowledge.allowed)
            for demand, cards in zip(used, choice):
                for p in range(5):
                    if p not in demand.places:
                        allowed[p] &= ~cards
            layouts = self.knowledge._layouts(allowed)
            if layouts.count:
                total += layouts.count
                self._parts.append((layouts, tuple(zip(used, choice))))
                self._ends.append(total)
        self.total = total
        if not total:
            raise NotKnown(
                f"no deal fits what {SEATS[self.knowledge.seat]} saw "
                f"with {self.knowledge.ply} cards on the table"
            )

    def draw(self) -> Deal:
        """One deal; raises :class:`NotKnown` where none is found among very many."""
        for _ in range(MAX_TRIES):
            self.tries += 1
            deal = self._one()
            if deal is not None:
                self.drawn += 1
                return deal
        raise NotKnown(f"no deal among {MAX_TRIES} fits what {SEATS[self.knowledge.seat]} saw")

    def _one(self) -> Deal | None:
        parts = self._parts
        if len(parts) == 1:
            deal = self.knowledge._deal(parts[0][0].draw(self._state))
        else:
            r = self._random.randrange(self.total)
            chosen = next(i for i, end in enumerate(self._ends) if r < end)
            deal = self.knowledge._deal(parts[chosen][0].draw(self._state))
            m = sum(
                all(d.has(cards, deal.hands, deal.out) for d, cards in needs) for _, needs in parts
            )
            if m > 1 and self._random.randrange(m):
                return None
        return deal if self.knowledge._passes(deal) else None


def known(replay: Replay, seat: int, ply: int) -> Knowledge:
    """What ``seat`` knows when ``ply`` cards are on the table.

    Raises :class:`NotKnown` where the record lacks the seat's own cards, the contract, or who
    played what.

    >>> from engine.record import HandRecord
    >>> from engine.replay import replay
    >>> known(replay(HandRecord()), 0, 0)
    Traceback (most recent call last):
    ...
    engine.clues.NotKnown: contract, declarer or trumps of this hand are not known
    """
    seen = Seen(replay, ply)
    if not seen.state.complete[seat]:
        raise NotKnown(f"the cards of {SEATS[seat]} are not all recorded")
    fixed = [0, 0, 0, 0]
    open_seats = []
    for s in range(4):
        visible = s == seat or (s in seen.state.exposed and seen.state.complete[s])
        if visible:
            fixed[s] = seen.state.hands[s]
        else:
            open_seats.append(s)
    room = [0, 0, 0, 0, 0]
    for s in open_seats:
        room[s] = 8 - seen.played[s].bit_count()
        if room[s] < 0:
            raise NotKnown(f"{SEATS[s]} played more than eight cards")
    out: int | None = None
    if not replay.has_discard:
        out = replay.middle if replay.rules.deal.middle == "taken" else None
    elif seat == seen.declarer:
        out = replay.discard
    hidden = PACK & ~seen.gone & ~mask_of(() if out is None else (out,))
    for cards in fixed:
        hidden &= ~cards
    room[OUT] = 1 if out is None else 0
    if hidden.bit_count() != sum(room):
        raise NotKnown(f"{hidden.bit_count()} cards are hidden, but {sum(room)} places are open")
    allowed = [hidden if room[p] else 0 for p in range(5)]
    played_cards(seen, allowed)
    called_card(seen, allowed)
    middle_card(seen, allowed)
    demands, check = claim_demands(replay, ply, bidders_of(replay), allowed)
    demands += bid_aces(seen)
    return _made(seat, ply, fixed, out, hidden, room, allowed, demands, seen.played, check)


def _made(
    seat: int,
    ply: int,
    fixed: list[int],
    out: int | None,
    hidden: int,
    room: list[int],
    allowed: list[int],
    demands: list[Demand],
    played: Sequence[int],
    check: Callable[[Deal], bool] | None,
) -> Knowledge:
    """Demands on cards whose place is known are settled here, the rest is kept."""
    have = [fixed[s] | played[s] for s in range(4)] + [0 if out is None else 1 << out]
    kept = []
    for demand in demands:
        left = demand.without(have, hidden, allowed)
        if left.options == (0,):
            continue
        kept.append(left)
    return Knowledge(
        seat,
        ply,
        (fixed[0], fixed[1], fixed[2], fixed[3]),
        out,
        hidden,
        (room[0], room[1], room[2], room[3], room[4]),
        (allowed[0], allowed[1], allowed[2], allowed[3], allowed[4]),
        tuple(kept),
        check,
    )


def known_before_play(
    rules: RuleSet,
    seat: int,
    hand: int,
    middle: int | None,
    bids: Sequence[tuple[int, Bid]] = (),
) -> Knowledge:
    """What ``seat`` knows in the auction: its eight cards and the middle card if it lies face up.

    ``bids`` are (seat, bid) of the bids so far: some ask for aces.

    >>> from engine.rulefile import load_ruleset
    >>> known_before_play(load_ruleset("heerlen"), 0, 0xFF, 16).bound() == 9465511770
    True
    """
    if hand.bit_count() != 8:
        raise NotKnown(f"{hand.bit_count()} cards in hand; expected 8")
    if middle is not None and hand >> middle & 1:
        raise NotKnown(f"{CARDS[middle]} is in hand and in the middle")
    fixed = [hand if s == seat else 0 for s in range(4)]
    hidden = PACK & ~hand & ~mask_of(() if middle is None else (middle,))
    room = [0 if s == seat else 8 for s in range(4)] + [1 if middle is None else 0]
    allowed = [hidden if room[p] else 0 for p in range(5)]
    demands = [
        aces_demand(bid.contract.aces_needed, (who,), None)
        for who, bid in bids
        if bid.contract.aces_needed and who != seat
    ]
    return _made(seat, 0, fixed, middle, hidden, room, allowed, demands, (0, 0, 0, 0), None)


def true_deal(replay: Replay, ply: int) -> Deal:
    """How the cards really lay; raises :class:`NotKnown` where the record does not say."""
    state = replay.at(ply)
    if not all(state.complete):
        missing = " ".join(SEATS[s] for s in range(4) if not state.complete[s])
        raise NotKnown(f"the cards of {missing} are not all recorded")
    rest = PACK & ~mask_of(p.card for p in replay.record.plays[:ply])
    for hand in state.hands:
        rest &= ~hand
    return Deal(state.hands, rest.bit_length() - 1)


__all__ = [
    "OUT",
    "Deal",
    "Demand",
    "Knowledge",
    "NotKnown",
    "Sampler",
    "bidders_of",
    "known",
    "known_before_play",
    "true_deal",
]
