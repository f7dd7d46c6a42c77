"""What an announcement or a bid proves about hidden hands: cards that lie together.

Only what the replay does not flag proves anything. The values of runs and sets come from
:mod:`engine.meld`, whether a claim is in order from :mod:`engine.claims`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from engine.cards import NO_TRUMP, RANK_OF, SUIT_OF, cards_in, mask_of
from engine.claims import Situation, judge_claims
from engine.declaration import of_rank
from engine.meld import lowest_cards, named_combination, stuk_cards
from engine.record import Claim
from engine.ruleset import RuleSet
from engine.state import NOBODY, Replay
from engine.table import Hands, lay_table

OUT = 4
"""The place that is no hand: declarer's discard, or the dead middle card."""


@dataclass(frozen=True, slots=True)
class Demand:
    """At least one of ``options`` (sets of cards) lies wholly in ``places`` (seats, 4 = out)."""

    places: tuple[int, ...]
    options: tuple[int, ...]

    def _there(self, hands: Sequence[int], out: int) -> int:
        there = 0
        for p in self.places:
            there |= hands[p] if p != OUT else (1 << out if out >= 0 else 0)
        return there

    def has(self, cards: int, hands: Sequence[int], out: int) -> bool:
        """Whether a deal has these cards there."""
        return cards & ~self._there(hands, out) == 0

    def met(self, hands: Sequence[int], out: int) -> bool:
        """Whether a deal (cards left in the hands, card out of play) has one of the options."""
        there = self._there(hands, out)
        return any(cards & ~there == 0 for cards in self.options)

    def without(self, have: Sequence[int], hidden: int, allowed: Sequence[int]) -> "Demand":
        """What is still demanded of hidden cards, knowing the cards ``have`` of each place."""
        there = may = 0
        for p in self.places:
            there |= have[p]
            may |= allowed[p]
        options = {cards & ~there for cards in self.options}
        options = {cards for cards in options if cards & ~(hidden & may) == 0}
        # A set that holds another one demands nothing new.
        least = [a for a in options if not any(b != a and b & ~a == 0 for b in options)]
        return Demand(self.places, tuple(sorted(least)))


def aces_demand(n: int, places: tuple[int, ...], middle: int | None) -> Demand:
    """At least ``n`` aces, the middle card (taken later) not among them."""
    aces = of_rank("A") & ~mask_of(() if middle is None else (middle,))
    return Demand(places, tuple(mask_of(some) for some in combinations(cards_in(aces), n)))


@lru_cache(maxsize=64)
def _melds(key: str, rules: "_Rules") -> tuple[tuple[int, int], ...]:
    """Every run and set of the pack as (value, cards), parts of longer runs among them."""
    order = rules.of.cards.sequence_order
    out = []
    for suit in range(4):
        cards = sorted(
            (c for c in range(33) if SUIT_OF[c] == suit), key=lambda c: order.index(RANK_OF[c])
        )
        for i in range(len(cards)):
            for j in range(i + 3, min(i + 8, len(cards)) + 1):
                run = named_combination(tuple(cards[i:j]), "run", rules.of)
                if run is not None and run.value:
                    out.append((run.value, run.cards))
    for rank in dict.fromkeys(RANK_OF):
        four = list(cards_in(of_rank(rank)))
        for n in (3, 4):
            for some in combinations(four, n):
                found = named_combination(some, "set", rules.of)
                if found is not None and found.value:
                    out.append((found.value, found.cards))
    return tuple(out)


class _Rules:
    """A rule set that can be a key."""

    def __init__(self, rules: RuleSet) -> None:
        self.of = rules

    def __hash__(self) -> int:
        return hash(self.of.content_hash)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rules) and self.of.content_hash == other.of.content_hash


def melds_of_value(value: int, rules: RuleSet, single: bool) -> tuple[int, ...]:
    """Sets of at most eight cards that are worth ``value``, by one meld or several.

    >>> from engine.rulefile import load_ruleset
    >>> len(melds_of_value(20, load_ruleset("heerlen"), single=False))
    25
    """
    return _melds_of_value(value, _Rules(rules), single)


@lru_cache(maxsize=256)
def _melds_of_value(value: int, rules: _Rules, single: bool) -> tuple[int, ...]:
    items = _melds(rules.of.content_hash, rules)
    found: set[int] = set()

    def extend(start: int, used: int, total: int) -> None:
        if total == value:
            found.add(used)
        if total >= value:
            return
        for i in range(start, len(items)):
            worth, cards = items[i]
            both = used | cards
            apart = rules.of.meld.overlap or not used & cards
            if apart and both.bit_count() <= 8 and not (single and used):
                extend(i + 1, both, total + worth)

    extend(0, 0, 0)
    return tuple(sorted(found))


def claim_demands(
    replay: Replay,
    ply: int,
    bidders: set[int],
    allowed: list[int],
) -> tuple[list[Demand], Callable[[Any], bool] | None]:
    """What announcements up to a ply prove: narrows ``allowed``, returns the rest.

    The rest are demands that any deal must meet, and a check (or ``None``) for what they do not
    say: the deal must not make an unflagged announcement an offence.
    """
    rules = replay.rules
    flagged = {(v.ply, v.seat) for v in replay.violations if v.code in _CLAIM_FAULTS}
    claims = [c for c in replay.record.claims if c.ply <= ply]
    trusted = [c for c in claims if (c.ply, c.seat) not in flagged]
    single = rules.meld.system == "best-at-table"
    demands: list[Demand] = []
    sound = list(trusted)
    judge = False
    for claim in trusted:
        if claim.kind == "show":
            _shown(replay, claim, allowed)
        elif claim.kind == "stuk":
            if replay.outcome.trump not in (None, NO_TRUMP):
                _in_hand(allowed, claim.seat, mask_of(stuk_cards(int(replay.outcome.trump or 0))))
        elif claim.kind in ("run", "set"):
            _in_hand(allowed, claim.seat, mask_of(claim.cards))
        elif claim.kind == "roem":
            options = melds_of_value(claim.value or 0, rules, single)
            if not options:
                sound.remove(claim)  # no hand at all is worth that: it proves nothing
                continue
            judge = True
            demands.append(Demand((claim.seat,), options))
        else:
            judge = True
        says = claim.kind == "stuk" or (claim.kind == "roem" and not single)
        if says and claim.seat != replay.outcome.declarer and replay.called is not None:
            # Only declarer's side may say it, so the speaker holds the called card.
            _in_hand(allowed, claim.seat, 1 << replay.called)
    if not judge:
        return demands, None
    return demands, _checker(replay, ply, sound, bidders)


_CLAIM_FAULTS = {
    "roem-not-held", "roem-too-late", "roem-not-allowed", "deny-without-bid",
    "deny-without-better", "stuk-not-held", "stuk-too-late", "show-not-held", "show-not-lowest",
}  # fmt: skip


def _in_hand(allowed: list[int], seat: int, cards: int) -> None:
    for p in range(5):
        if p != seat:
            allowed[p] &= ~cards


def _shown(replay: Replay, claim: Claim, allowed: list[int]) -> None:
    """A lowest card shown: it was dealt to that hand, and nothing lower was."""
    card = claim.cards[0]
    taken = replay.has_discard and claim.seat == replay.outcome.declarer
    places = (claim.seat, OUT) if taken else (claim.seat,)
    lower = mask_of(
        c
        for c in range(33)
        if c != card and not lowest_cards(1 << c | 1 << card, replay.rules) >> card & 1
    )
    if taken and replay.middle is not None:
        lower &= ~(1 << replay.middle)
    elif taken:
        lower = 0
    for p in range(5):
        if p in places:
            allowed[p] &= ~lower
        else:
            allowed[p] &= ~(1 << card)


def _checker(
    replay: Replay, ply: int, trusted: list[Claim], bidders: set[int]
) -> Callable[[Any], bool]:
    """A test of whole deals: judged with these cards, no trusted claim is an offence."""
    table = Imagined(replay, ply, bidders)
    asked = {(c.ply, c.seat) for c in trusted}

    def fits(deal: Any) -> bool:
        situation = table.situation(deal.hands, deal.out)
        return not any((v.ply, v.seat) in asked for v in judge_claims(situation).violations)

    return fits


class Imagined:
    """A hand up to a ply, as it would be judged had the hidden cards lain in some way."""

    def __init__(self, replay: Replay, ply: int, bidders: set[int]) -> None:
        self.replay, self.ply, self.bidders = replay, ply, bidders
        record = replay.record
        self.played = [0, 0, 0, 0]
        for i, play in enumerate(record.plays[:ply]):
            seat = replay.seats[i]
            if seat is not None:
                self.played[seat] |= 1 << play.card
        plays = record.plays[:ply]
        claims = tuple(c for c in record.claims if c.ply <= ply)
        self.record = replace(record, plays=plays, claims=claims)
        first = replay.seats[0] if plays else None
        self.table = lay_table(plays, first, replay.outcome.trump, replay.rules.tables, {})
        self.forehand = None if replay.dealer is None else (replay.dealer + 1) % 4

    def hands(self, left: Sequence[int], out: int) -> Hands:
        """All four hands, from what is left of each and the card out of play (-1: none)."""
        replay = self.replay
        playing = [left[s] | self.played[s] for s in range(4)]
        dealt = list(playing)
        declarer = replay.outcome.declarer
        gone = 1 << out if out >= 0 else 0
        if replay.has_discard and declarer is not None:
            nine = playing[declarer] | gone
            dealt[declarer] = 0 if replay.middle is None else nine & ~(1 << replay.middle)
        whole = [True] * 4
        return Hands([None] * 33, dealt, playing, whole, playing, replay.middle, None, 0, gone)

    def partner(self, playing: Sequence[int]) -> int:
        """Declarer's partner if the hands (cards played included) were these."""
        called, declarer = self.replay.called, self.replay.outcome.declarer
        if called is None:
            if self.replay.outcome.partner == NOBODY or not self.table.winners:
                return NOBODY
            first = self.table.winners[0]
            return NOBODY if first is None or first == declarer else first
        holder = next((s for s in range(4) if playing[s] >> called & 1), NOBODY)
        return NOBODY if holder == declarer else holder

    def situation(self, left: Sequence[int], out: int, more: tuple[Claim, ...] = ()) -> Situation:
        """The hand with these cards; ``more`` are announcements that somebody might add."""
        o, hands = self.replay.outcome, self.hands(left, out)
        record = self.record
        if more:
            record = replace(record, claims=(*record.claims, *more))
        return Situation(
            record, self.replay.rules, o.bid, o.declarer, self.partner(hands.playing), o.trump,
            self.replay.called, self.forehand, self.bidders, self.table, hands,
        )  # fmt: skip


__all__ = [
    "Demand",
    "Imagined",
    "aces_demand",
    "claim_demands",
    "melds_of_value",
]
