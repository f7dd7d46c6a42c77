"""What the events of a hand prove about hidden cards: plays, the called card, middle card, bids.

Each function narrows ``allowed`` (for the places N E S W and 4, out of play, which cards may lie
there) by what one kind of event proves; :mod:`engine.inference` puts them together and says on
what grounds.
"""

from collections.abc import Sequence
from functools import lru_cache

from engine.cards import CARDS, PACK, mask_of
from engine.declaration import callable_cards
from engine.demands import OUT, Demand, aces_demand
from engine.play import PlayTables
from engine.replay import OFFENCE_CODES
from engine.ruleset import Bid, RuleSet
from engine.state import Replay, State


class NotKnown(ValueError):
    """The record lacks something without which nobody can say what a seat knew."""


@lru_cache(maxsize=20_000)
def _ruled_out(tables: "_Tables", trump: int, led: int, best: int, played: int) -> int:
    """Cards that whoever played ``played`` cannot have held beside it."""
    if led < 0:
        return 0
    return mask_of(
        c
        for c in range(len(CARDS))
        if c != played and tables.of.offence(trump, 1 << c, led, best, played)
    )


class _Tables:
    """Card tables with the rule set's hash as identity, for the cache."""

    def __init__(self, rules: RuleSet) -> None:
        self.of: PlayTables = rules.tables
        self.key = rules.content_hash

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tables) and self.key == other.key


class Seen:
    """The replay up to a ply, checked for what a reconstruction needs."""

    def __init__(self, replay: Replay, ply: int) -> None:
        o = replay.outcome
        if o.bid is None or o.declarer is None or o.trump is None:
            raise NotKnown("contract, declarer or trumps of this hand are not known")
        self.bid: Bid = o.bid
        self.declarer: int = o.declarer
        self.trump: int = o.trump
        self.replay, self.ply, self.rules = replay, ply, replay.rules
        self.state: State = replay.at(ply)
        self.seats: list[int] = []
        self.played = [0, 0, 0, 0]
        for i, play in enumerate(replay.record.plays[:ply]):
            seat = replay.seats[i]
            if seat is None:
                raise NotKnown(f"nobody knows who played card {i + 1} ({CARDS[play.card]})")
            self.seats.append(seat)
            self.played[seat] |= 1 << play.card
        self.gone = self.played[0] | self.played[1] | self.played[2] | self.played[3]
        for v in replay.violations:
            early = v.ply is not None and v.ply < ply
            if v.code == "deal-invalid" or (v.code in ("not-held", "played-twice") and early):
                raise NotKnown(f"what lay where cannot be told: {v.message()}")
        if self.gone.bit_count() != ply:
            raise NotKnown("a card was played twice")
        self.codes = {v.code for v in replay.violations if v.ply is None and v.call is None}
        self.flagged = {v.ply for v in replay.violations if v.code in _PROVES_NOTHING}
        self.own_places = (self.declarer, OUT) if replay.has_discard else (self.declarer,)


_PROVES_NOTHING = {*OFFENCE_CODES.values(), "out-of-turn"}
_CALL_FAULTS = {"call-own-card", "call-illegal-card", "call-missing", "trump-illegal"}


def _only(allowed: list[int], places: Sequence[int], cards: int) -> None:
    """These cards are in one of these places."""
    for p in range(5):
        if p not in places:
            allowed[p] &= ~cards


def played_cards(seen: Seen, allowed: list[int]) -> None:
    """What each card played rules out in the hand that it came from.

    :mod:`engine.inference` says why.
    """
    tables = _Tables(seen.rules)
    led = best = -1
    for i, play in enumerate(seen.replay.record.plays[: seen.ply]):
        if i % 4 == 0:
            led = best = -1
        if i not in seen.flagged:
            allowed[seen.seats[i]] &= ~_ruled_out(tables, seen.trump, led, best, play.card)
        if led < 0:
            led = best = play.card
        elif tables.of.wins(seen.trump, best, play.card):
            best = play.card


def called_card(seen: Seen, allowed: list[int]) -> None:
    """What the called card, or that none was called, says of declarer's cards and the partner."""
    replay, contract, declarer = seen.replay, seen.bid.contract, seen.declarer
    called = replay.called
    if contract.partner == "jas-holder" and contract.own_jas == "forbidden":
        if called is not None and "trump-illegal" not in seen.codes:
            allowed[declarer] &= ~(1 << called)
    if contract.calls_card and not seen.codes & _CALL_FAULTS:
        own = seen.own_places
        if called is not None:
            for p in own:
                allowed[p] &= ~(1 << called)
            _only(allowed, own, _needed_to_call(seen.rules, seen.bid, seen.trump, called))
        elif replay.record.called == "-" and not seen.rules.calling.optional:
            _only(allowed, own, _needed_to_call(seen.rules, seen.bid, seen.trump, None))
    partner = replay.outcome.partner
    if called is not None and seen.state.partner_known and partner is not None and partner >= 0:
        _only(allowed, (partner,), 1 << called)


def _needed_to_call(rules: RuleSet, bid: Bid, trump: int, called: int | None) -> int:
    """Cards that declarer must have had: without any one of them he could not have called so.

    ``called`` ``None``: he called nothing because there was nothing to call.
    """
    need = 0
    for c in range(len(CARDS)):
        own = PACK & ~(1 << c)
        if called is not None:
            own &= ~(1 << called)
        allowed = callable_cards(rules, bid, own, trump)
        possible = not allowed if called is None else bool(allowed >> called & 1)
        if c != called and not possible:
            need |= 1 << c
    return need


def middle_card(seen: Seen, allowed: list[int]) -> None:
    """The middle card that declarer took is in his hand or discarded."""
    replay = seen.replay
    if replay.has_discard and replay.rules.deal.middle == "taken" and replay.middle is not None:
        _only(allowed, seen.own_places, 1 << replay.middle)


def bidders_of(replay: Replay) -> set[int]:
    """Seats that made a bid which counted, or may have, where nobody can know."""
    if replay.record.auction_state != "calls" or replay.dealer is None:
        return set(range(4))
    return {
        e.seat
        for e in replay.events
        if e.kind == "call" and e.data["valid"] and e.data["text"] != "-" and e.seat is not None
    }


def bid_aces(seen: Seen) -> list[Demand]:
    """Bids that ask for aces, unless the replay flags them."""
    replay = seen.replay
    flagged = {v.call for v in replay.violations if v.code == "bid-requirement"}
    out = []
    for e in replay.events:
        if e.kind != "call" or not e.data["valid"] or e.seat is None or e.call in flagged:
            continue
        bid = seen.rules.bid(e.data["text"]) if e.data["text"] != "-" else None
        if bid is not None and bid.contract.aces_needed:
            places = seen.own_places if e.seat == seen.declarer else (e.seat,)
            taken = replay.middle if e.seat == seen.declarer and replay.has_discard else None
            out.append(aces_demand(bid.contract.aces_needed, places, taken))
    return out
