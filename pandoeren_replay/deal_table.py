"""What a deal was worth: every contract of the rule set, by each declarer, with open cards.

Card points and tricks only: roem, stuk and combinations are left out, since whether they are
announced and stand is not in the cards. The table grows line by line and can be stopped at any
time; what it has said by then holds.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.cards import CARDS, NO_TRUMP, RANK_OF, SEATS, SUIT_OF, SUITS, cards_in
from engine.declaration import callable_cards
from engine.outcome import WHOLE_SIDE_GOALS
from engine.ruleset import Bid, Contract, RuleSet
from engine.solver import Interrupted, Limits, NotSolvable, Position, Search
from engine.state import Replay
from pandoeren_replay.annotate_declaration import called_position

ALONE = -1


@dataclass(frozen=True, slots=True)
class Deal:
    """Cards as dealt (bit sets, N E S W), the middle card, who leads where forehand does.

    ``discards`` holds the discard really made, by seat.
    """

    rules: RuleSet
    hands: tuple[int, int, int, int]
    middle: int
    forehand: int
    discards: dict[int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """What one seat can make of one contract.

    ``bid`` is the highest bid of the row that can be made (``None``: none), ``value`` the most
    points that the side can force, or 1 / 0; ``trump``, ``called`` (:data:`ALONE`: nobody) and
    ``discard`` (``None`` where the middle card is dead) are those that reach it. ``final`` tells
    whether all discards have been tried, not only the one that was made.
    """

    seat: int
    contract: str
    bid: Bid | None
    value: int
    trump: int
    called: int
    discard: int | None
    final: bool

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "seat": SEATS[self.seat],
            "contract": self.contract,
            "bid": self.bid.text if self.bid else None,
            "value": self.value,
            "trump": "-" if self.trump == NO_TRUMP else SUITS[self.trump],
            "called": "-" if self.called == ALONE else CARDS[self.called],
            "discard": None if self.discard is None else CARDS[self.discard],
            "final": self.final,
            "open_cards": True,
        }


@dataclass(slots=True)
class DealTable:
    """The lines found so far, by seat and contract."""

    rules: RuleSet
    lines: dict[tuple[int, str], Line]

    def best_score(self, seat: int) -> Line | None:
        """The contract of a seat that scores most among those that it can make."""
        makeable = [x for (s, _), x in self.lines.items() if s == seat and x.bid]
        return max(makeable, key=self._worth, default=None)

    def _worth(self, line: Line) -> tuple[int, int]:
        order = self.rules.auction.order
        return self.rules.contracts[line.contract].score, order.index(line.contract)

    def highest_bid(self) -> Line | None:
        """The highest bid that any seat can make."""
        makeable = [x for x in self.lines.values() if x.bid]
        return max(makeable, key=lambda x: x.bid.rank if x.bid else (-1, 0), default=None)


def deal_of(replay: Replay) -> Deal:
    """The deal of a replayed hand; raises :class:`NotSolvable` where it is not all known."""
    owners = replay.owners
    if any(o is None for o in owners) or replay.middle is None:
        raise NotSolvable("the deal is not known in full", "de deling is niet helemaal bekend")
    if replay.dealer is None:
        raise NotSolvable("the dealer is not known", "de gever is niet bekend")
    declarer, discard = replay.outcome.declarer, replay.discard
    made = {declarer: discard} if declarer is not None and discard is not None else {}
    return Deal(replay.rules, replay.hands, replay.middle, (replay.dealer + 1) % 4, made)


def deal_table(
    deal: Deal, best_discard: bool = True, stop: threading.Event | None = None
) -> DealTable:
    """The whole table of a deal; with ``stop`` set, as far as it has come."""
    table = DealTable(deal.rules, {})
    for line in deal_lines(deal, best_discard, stop):
        table.lines[line.seat, line.contract] = line
    return table


def deal_lines(
    deal: Deal, best_discard: bool = True, stop: threading.Event | None = None
) -> Iterator[Line]:
    """The lines of the table as they are found; a later line of a seat and contract is better.

    First every line at the discard really made (else the cheapest side card), then, with
    ``best_discard``, each again with every discard tried.
    """
    known: dict[tuple[int, Any], _Found] = {}
    try:
        for trying in (False, True) if best_discard else (False,):
            for key in deal.rules.auction.order:
                contract = deal.rules.contracts[key]
                for seat in range(4):
                    if trying and not deal.rules.takes_middle(contract):
                        continue
                    kind = (seat, _kind(deal.rules, contract))
                    found = known.get(kind, _Found())
                    if found.tried < trying or kind not in known:
                        found = _solve(deal, seat, contract, found, trying, stop)
                        known[kind] = found
                    final = trying or not best_discard or not deal.rules.takes_middle(contract)
                    yield _line(deal, seat, key, contract, found, final)
    except Interrupted:
        return


def pair_values(
    rules: RuleSet, hands: tuple[int, int, int, int], forehand: int
) -> dict[tuple[int, int, int], int]:
    """Points that each declarer and partner can force, by (trump, declarer, partner): 48 entries.

    The cards stay where they are (no exchange), the partner counts from the start. What one pair
    gets the other does not, so that three searches a trump suit serve all twelve entries.
    """
    return pairs_searched(rules, hands, forehand)[0]


def pairs_searched(
    rules: RuleSet, hands: tuple[int, int, int, int], forehand: int
) -> tuple[dict[tuple[int, int, int], int], int]:
    """The values of :func:`pair_values`, and how many nodes their searches visited."""
    out: dict[tuple[int, int, int], int] = {}
    nodes = 0
    for trump in range(len(SUITS)):
        for mate in (1, 2, 3):
            side = 1 | 1 << mate
            start = Position(rules, trump, hands, 0, side, 0)
            search = Search(start, many=True)
            known: dict[int, int] = {}
            guess = None
            for declarer in range(4):
                leader = declarer if rules.play.first_lead == "declarer" else forehand
                if leader not in known:
                    # Who leads changes little: one value is a good guess of the next.
                    guess = known[leader] = search.value(replace(start, leader=leader), guess)
                ours = bool(side >> declarer & 1)
                pair = side if ours else 15 ^ side
                partner = (pair & ~(1 << declarer)).bit_length() - 1
                value = known[leader] if ours else search.total(start) - known[leader]
                out[trump, declarer, partner] = value
            nodes += search.nodes
    return out, nodes


@dataclass(frozen=True, slots=True)
class _Found:
    value: int = -1
    trump: int = NO_TRUMP
    called: int = ALONE
    discard: int | None = None
    tried: bool = False


def _kind(rules: RuleSet, contract: Contract) -> tuple[Any, ...]:
    """Contracts that are the same game of cards are solved once."""
    return (
        contract.goal,
        contract.partner,
        contract.trump,
        contract.own_jas,
        contract.aces_needed,
        rules.takes_middle(contract),
    )


def _line(deal: Deal, seat: int, key: str, contract: Contract, found: _Found, final: bool) -> Line:
    bid = None
    value = max(found.value, 0)
    if found.value >= 0:
        bid = _highest(deal.rules, key, contract, value)
    return Line(seat, key, bid, value, found.trump, found.called, found.discard, final)


def _highest(rules: RuleSet, key: str, contract: Contract, value: int) -> Bid | None:
    if contract.goal != "points":
        text = str(contract.code) + (f"+{contract.plus_step}" if contract.plus_step else "")
        # What is asked on top in roem is not in the cards.
        return rules.bid(text) if value and not contract.plus_step else None
    if contract.target is not None:
        return rules.bid(str(contract.code)) if value >= contract.target else None
    levels = [n for n in contract.levels if n <= value]
    if not levels:
        return None
    top = levels[-1]
    if contract.step and top == contract.levels[-1]:
        top += (value - top) // contract.step * contract.step
    bid = rules.bid(str(top))
    return bid if bid is not None and bid.key == key else rules.bid(str(levels[-1]))


def _solve(
    deal: Deal,
    seat: int,
    contract: Contract,
    known: _Found,
    trying: bool,
    stop: threading.Event | None,
) -> _Found:
    """The best of all declarations; thresholds tell that one is no better than those before."""
    best = known
    limits = None if stop is None else Limits(stop=stop)
    for trump, called, discard, position in _options(deal, seat, contract, trying):
        if stop is not None and stop.is_set():
            raise Interrupted("stopped")
        search = Search(position, contract.goal)
        if best.value < 0:
            low, high = search.bounds(position, limits)
            if low != high:
                raise Interrupted("stopped")
            best = _Found(low, trump, called, discard)
        elif search.reaches(position, best.value + 1, limits):
            low, high = search.bounds(position, limits, best.value + 1)
            if low != high:
                raise Interrupted("stopped")
            best = _Found(low, trump, called, discard)
        if contract.goal != "points" and best.value == 1:
            break
    return _Found(best.value, best.trump, best.called, best.discard, trying)


def _options(
    deal: Deal, seat: int, contract: Contract, trying: bool
) -> Iterator[tuple[int, int, int | None, Position]]:
    rules = deal.rules
    held = deal.hands[seat]
    takes = rules.takes_middle(contract)
    nine = held | 1 << deal.middle if takes else held
    if contract.aces_needed:
        aces = sum(1 for c in cards_in(held) if RANK_OF[c] == "A")
        if aces < contract.aces_needed:
            return
    for trump in range(4) if contract.trump else (NO_TRUMP,):
        if not takes:
            discards: list[int | None] = [None]
        elif trying:
            discards = list(cards_in(nine))
        else:
            discards = [deal.discards.get(seat, _cheapest(rules, nine, trump))]
        for discard in discards:
            hand = nine if discard is None else nine & ~(1 << discard)
            hands = list(deal.hands)
            hands[seat] = hand
            start = Position(
                rules,
                trump,
                (hands[0], hands[1], hands[2], hands[3]),
                seat if rules.play.first_lead == "declarer" else deal.forehand,
                1 << seat,
                seat,
                from_reveal=rules.partner.counts_from == "reveal"
                and contract.goal not in WHOLE_SIDE_GOALS,
                first_joins=contract.partner == "first-trick-winner",
            )
            for called in _calls(rules, contract, nine, hand, trump, deal.hands, seat):
                there = None if called == ALONE else called
                yield trump, called, discard, called_position(start, there)


def _cheapest(rules: RuleSet, nine: int, trump: int) -> int:
    """The cheapest, then lowest card outside trumps (of trumps where there are no others)."""
    tables = rules.tables
    return min(
        cards_in(nine),
        key=lambda c: (
            SUIT_OF[c] == trump,
            int(tables.points[trump, c]),
            int(tables.strength[trump, c]),
            c,
        ),
    )


def _calls(
    rules: RuleSet,
    contract: Contract,
    nine: int,
    hand: int,
    trump: int,
    hands: tuple[int, int, int, int],
    seat: int,
) -> list[int]:
    """The cards that may be called, one of each kind that makes a difference."""
    if contract.partner == "jas-holder":
        jas = int(rules.tables.jas[trump]).bit_length() - 1
        if contract.own_jas == "forbidden" and hand >> jas & 1:
            return []
        return [jas]
    if not contract.calls_card:
        return [ALONE]
    text = str(contract.levels[0]) if contract.levels else str(contract.code)
    bid = rules.bid(text)
    assert bid is not None  # the rule set names this contract
    allowed = list(cards_in(callable_cards(rules, bid, nine, trump)))
    if contract.partner == "fourth-ace":
        return [c for c in allowed if SUIT_OF[c] == trump]
    if rules.partner.counts_from == "start" and contract.goal != "called-card-and-four":
        # Only who holds the card matters: one card of each holder will do.
        by_holder: dict[int, int] = {}
        for c in allowed:
            holder = next((s for s in range(4) if s != seat and hands[s] >> c & 1), ALONE)
            by_holder.setdefault(holder, c)
        allowed = list(by_holder.values())
    if rules.calling.optional or not allowed:
        allowed.append(ALONE)
    return allowed
