"""Roem, stuk and combinations: what a hand holds, who may say it, what stands (RULES 6 and 9)."""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from numba import njit

from engine.cards import NO_TRUMP, RANK_OF, RANKS, SUIT_MASK, SUIT_OF, SUITS, cards_in, mask_of
from engine.ruleset import Meld, RuleSet


@dataclass(frozen=True, slots=True)
class Combination:
    """A run or a set of equal ranks.

    ``strength`` is its place in the order of denial (higher is better): index in the rule set's
    ranking, top card, suit.
    """

    kind: str
    cards: int
    value: int
    strength: tuple[int, int, int]

    @property
    def length(self) -> int:
        """Number of cards."""
        return self.cards.bit_count()


def _suit_rank(suit: int) -> int:
    return len(SUITS) - 1 - suit  # S > H > D > C


@lru_cache(maxsize=16)
def _by_sequence(order: str) -> tuple[tuple[int, ...], ...]:
    """Cards of each suit in the order of sequences, best first."""
    out = []
    for suit in range(4):
        cards = [c for c in range(33) if SUIT_OF[c] == suit]
        out.append(tuple(sorted(cards, key=lambda c: order.index(RANK_OF[c]))))
    return tuple(out)


def _run(cards: list[int], rules: RuleSet) -> Combination:
    meld, order = rules.meld, rules.cards.sequence_order
    kind = f"run{len(cards)}"
    place = meld.ranking.index(kind) if kind in meld.ranking else 0
    top = len(order) - order.index(RANK_OF[cards[0]])
    return Combination(
        kind, mask_of(cards), meld.runs[len(cards)], (place, top, _suit_rank(SUIT_OF[cards[0]]))
    )


def _four(rank: str, meld: Meld) -> Combination:
    kind = f"four{rank}"
    cards = mask_of(c for c in range(33) if RANK_OF[c] == rank)
    place = meld.ranking.index(kind) if kind in meld.ranking else 0
    return Combination(kind, cards, meld.fours[rank], (place, 0, 0))


_combination_cache: dict[tuple[str, int], tuple[Combination, ...]] = {}


def combinations(hand: int, rules: RuleSet) -> tuple[Combination, ...]:
    """Every run (parts of runs too, where the rule set allows them) and four of a kind.

    >>> from engine.rulefile import load_ruleset
    >>> [(c.kind, c.value) for c in combinations(0b1111, load_ruleset("butselaar"))]
    [('run4', 50)]
    """
    key = (rules.content_hash, hand)
    if key not in _combination_cache:
        if len(_combination_cache) > 20000:
            _combination_cache.clear()
        _combination_cache[key] = tuple(_combinations(hand, rules))
    return _combination_cache[key]


def _combinations(hand: int, rules: RuleSet) -> list[Combination]:
    meld = rules.meld
    out: list[Combination] = []
    for suit in range(4):
        if (hand & SUIT_MASK[suit]).bit_count() < 3:
            continue
        run: list[int] = []
        for c in (*_by_sequence(rules.cards.sequence_order)[suit], -1):
            if c >= 0 and hand >> c & 1:
                run.append(c)
                continue
            for i in range(len(run)):
                for j in range(i + 3, len(run) + 1):
                    if j - i in meld.runs and (meld.partial_runs or j - i == len(run)):
                        out.append(_run(run[i:j], rules))
            run = []
    for rank in meld.fours:
        four = _four(rank, meld)
        if four.value and hand & four.cards == four.cards:
            out.append(four)
    return out


def best_single(hand: int, rules: RuleSet) -> Combination | None:
    """The strongest single combination of a hand in the order of denial."""
    return max(combinations(hand, rules), key=lambda c: c.strength, default=None)


def announceable(hand: int, rules: RuleSet, gone: int = 0) -> dict[int, tuple[Combination, ...]]:
    """Each total that a hand may announce, with the highest-ranking set of that value.

    Sets share no card, unless the rule set lets a card count in a run and a four of a kind.
    A combination of which all cards are ``gone`` is left out.

    >>> from engine.rulefile import load_ruleset
    >>> sorted(announceable(0b1111, load_ruleset("heerlen")))
    [20, 50]
    """
    found: dict[int, tuple[Combination, ...]] = {}
    live = [c for c in combinations(hand, rules) if c.cards & ~gone]
    items = sorted(live, key=lambda c: c.strength, reverse=True)

    def extend(start: int, chosen: tuple[Combination, ...], used: int, total: int) -> None:
        if chosen:
            old = found.get(total)
            if old is None or [c.strength for c in chosen] > [c.strength for c in old]:
                found[total] = chosen
        for i in range(start, len(items)):
            if rules.meld.overlap or not used & items[i].cards:
                extend(i + 1, (*chosen, items[i]), used | items[i].cards, total + items[i].value)

    extend(0, (), 0, 0)
    return found


def best_roem(hand: int, rules: RuleSet, gone: int = 0) -> int:
    """The most that a hand can announce in all, leaving out what is wholly ``gone``.

    >>> from engine.rulefile import load_ruleset
    >>> rules = load_ruleset("butselaar")
    >>> best_roem(0b111, rules), best_roem(0b111, rules, 0b110), best_roem(0b111, rules, 0b111)
    (20, 20, 0)
    """
    return max(announceable(hand, rules, gone), default=0)


def most_at_table(hand: int, rules: RuleSet) -> int:
    """The value of the best single combination of a hand, threes of a kind among them (RULES 6.3).

    >>> from engine.rulefile import load_ruleset
    >>> most_at_table(0b111, load_ruleset("fiches")), most_at_table(0b11, load_ruleset("fiches"))
    (20, 0)
    """
    values = [c.value for c in combinations(hand, rules)]
    for rank, value in rules.meld.threes.items():
        if (hand & mask_of(c for c in range(33) if RANK_OF[c] == rank)).bit_count() >= 3:
            values.append(value)
    return max(values, default=0)


def named_combination(cards: tuple[int, ...], kind: str, rules: RuleSet) -> Combination | None:
    """The combination that a ``run`` or ``set`` claim names, ``None`` if it is none."""
    meld = rules.meld
    if len(set(cards)) != len(cards):
        return None
    if kind == "run":
        order = rules.cards.sequence_order
        run = sorted(cards, key=lambda c: order.index(RANK_OF[c]))
        places = [order.index(RANK_OF[c]) for c in run]
        one_suit = len({SUIT_OF[c] for c in run}) == 1
        if not one_suit or any(b - a != 1 for a, b in pairwise(places)):
            return None
        return _run(run, rules) if len(run) in meld.runs else None
    ranks = {RANK_OF[c] for c in cards}
    if len(ranks) != 1 or len(cards) not in (3, 4):
        return None
    rank = ranks.pop()
    value = (meld.threes if len(cards) == 3 else meld.fours).get(rank, 0)
    if not value:
        return None
    if len(cards) == 4:
        return _four(rank, meld)
    return Combination(f"three{rank}", mask_of(cards), value, (0, 0, 0))


def best_of_value(hand: int, value: int, rules: RuleSet) -> Combination | None:
    """A single combination of this value in a hand, where a claim names only the value."""
    options = [c for c in combinations(hand, rules) if c.value == value]
    for rank in rules.meld.threes:
        mine = hand & mask_of(c for c in range(33) if RANK_OF[c] == rank)
        if rules.meld.threes[rank] == value and mine.bit_count() == 3:
            options.append(Combination(f"three{rank}", mine, value, (0, 0, 0)))
    return max(options, key=lambda c: (c.length, top_of(c, rules)), default=None)


def top_of(meld: Combination, rules: RuleSet) -> int:
    """Height of the best card of a combination in the order of sequences (higher is better)."""
    order = rules.cards.sequence_order
    return max(len(order) - order.index(RANK_OF[c]) for c in cards_in(meld.cards))


def table_rank(
    meld: Combination, seat: int, forehand: int | None, trump: int | None, rules: RuleSet
) -> tuple[int, int, int, int, int]:
    """Order of melds at the table (RULES 6.3): value, length, top card, trumps, forehand's side."""
    in_trumps = (
        meld.kind.startswith("run")
        and trump is not None
        and trump != NO_TRUMP
        and SUIT_OF[next(cards_in(meld.cards))] == trump
    )
    near = 0 if forehand is None else -((seat - forehand) % 4)
    return (meld.value, meld.length, top_of(meld, rules), int(in_trumps), near)


def lowest_cards(hand: int, rules: RuleSet) -> int:
    """The cards of lowest rank, any suit, in plain order (``fiches-show-low``)."""
    order = rules.cards.plain_order
    for rank in reversed(order):
        low = hand & mask_of(c for c in range(33) if RANK_OF[c] == rank)
        if low:
            return low
    return 0


def stuk_cards(trump: int) -> tuple[int, int]:
    """King and queen of trumps.

    >>> stuk_cards(0)
    (1, 2)
    """
    king, queen = RANKS.index("K"), RANKS.index("Q")
    first = next(cards_in(SUIT_MASK[trump]))
    return first + king, first + queen


NEVER = 99
"""A ply that does not come."""


@njit(cache=True, nogil=True)
def window_opens(called_ply: int, declarer: int, winners: Any) -> int:
    """First ply at which the partner may announce roem, NEVER if it does not come (RULES 9).

    From the moment the called card is on the table (``called_ply`` is where it was played, -1 or
    NEVER if it was not) or declarer has won a trick for his side, whichever comes first.
    ``winners`` are the winners of the complete tricks, negative where unknown.
    """
    opens = called_ply + 1 if 0 <= called_ply < NEVER else NEVER
    for trick in range(len(winners)):
        if winners[trick] == declarer:
            return min(opens, 4 * (trick + 1))
    return opens


EARLY, IN_TIME, LATE = -1, 0, 1


@njit(cache=True, nogil=True)
def timing(ply: int, opens: int, closes: int) -> int:
    """Whether a claim made after ``ply`` cards is in its window, which is open at both its ends.

    The windows (RULES 9): declarer's roem right after his first card (:func:`after_first_card`),
    his partner's from :func:`window_opens` to the next card of his own, roem at the table up to
    one's first card, stuk up to :func:`stuk_closes`.

    >>> [timing(ply, 5, 7) for ply in (4, 5, 7, 8)]
    [-1, 0, 0, 1]
    """
    if ply < opens:
        return EARLY
    return LATE if ply > closes else IN_TIME


@njit(cache=True, nogil=True)
def after_first_card(first_ply: int) -> int:
    """When declarer announces roem, ``first_ply`` being that of his first card (RULES 9).

    >>> after_first_card(2)
    3
    """
    return first_ply + 1


@njit(cache=True, nogil=True)
def stuk_closes(king_ply: int, queen_ply: int, before_first: bool) -> int:
    """Last moment to say stuk: before the first, or the second, of its cards is played (RULES 9).

    >>> stuk_closes(9, 4, True), stuk_closes(9, 4, False)
    (4, 9)
    """
    return min(king_ply, queen_ply) if before_first else max(king_ply, queen_ply)


@dataclass(slots=True)
class Announced:
    """What a player has announced and whether it stands."""

    seat: int
    ply: int
    value: int
    combos: tuple[Combination, ...]
    stands: bool = True
    denied_by: Combination | None = field(default=None)
    denied: bool = False

    def best(self) -> tuple[int, int, int]:
        """Strength of its best single combination."""
        return max((c.strength for c in self.combos), default=(-1, -1, -1))
