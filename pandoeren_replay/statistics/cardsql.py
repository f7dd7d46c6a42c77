"""Questions about cards as SQL over the base table ``hand`` (as ``b``), where hands are bit sets.

Bit ``i`` of a set is card ``i`` of the pack (SA SK … C7); suits are 0–3 for S H D C, 4 is no
trumps. The expressions are made here so that no bit pattern is written by hand.
"""

from itertools import combinations
from typing import TYPE_CHECKING

from engine.cards import PACK, RANK_OF, SUIT_MASK, SUIT_OF

if TYPE_CHECKING:
    from engine.ruleset import RuleSet

COMPLETE = "b.deal_n IS NOT NULL"
"""The record holds the whole deal."""

FIRST = tuple(next(c for c in range(33) if SUIT_OF[c] == s) for s in range(4))
WIDTH = tuple(m.bit_count() for m in SUIT_MASK)


def dealt(seat: str) -> str:
    """The eight cards dealt to a seat (an expression 0–3) as a bit set."""
    n, e, s = (f"b.deal_{x}::BIGINT" for x in "nes")
    west = f"({PACK} - {n} - {e} - {s} - (1::BIGINT << b.middle))"
    return f"CASE {seat} WHEN 0 THEN {n} WHEN 1 THEN {e} WHEN 2 THEN {s} ELSE {west} END"


def played_hand(seat: str) -> str:
    """The eight cards that a seat plays: the dealt ones, declarer's after the exchange."""
    hand = dealt(seat)
    return (
        f"CASE WHEN {seat} = b.declarer AND b.discard IS NOT NULL "
        f"THEN (({hand}) | (1::BIGINT << b.middle)) & ~(1::BIGINT << b.discard) ELSE {hand} END"
    )


EXCHANGE_KNOWN = "(b.discard IS NOT NULL OR b.has_discard = 'none')"
"""What declarer played with is known: there was no exchange, or the discard is known."""


def by_suit(suit: str, values: tuple[int, ...], otherwise: str = "0") -> str:
    """One of four numbers by a suit (an expression 0–4)."""
    whens = " ".join(f"WHEN {s} THEN {v}" for s, v in enumerate(values))
    return f"(CASE {suit} {whens} ELSE {otherwise} END)::BIGINT"


def suit_cards(suit: str) -> str:
    """Bit set of a whole suit; empty without trumps."""
    return by_suit(suit, SUIT_MASK)


def bit(suit: str, rank: str) -> str:
    """Bit set of one card of a suit; empty without trumps."""
    cards = tuple(
        1 << c for s in range(4) for c in range(33) if SUIT_OF[c] == s and RANK_OF[c] == rank
    )
    return by_suit(suit, cards)


def rank_cards(*ranks: str) -> int:
    """Bit set of all cards of some ranks.

    >>> bin(rank_cards("A")).count("1")
    4
    """
    return sum(1 << c for c in range(33) if RANK_OF[c] in ranks)


def suit_of(card: str) -> str:
    """Suit 0–3 of a card (an expression 0–32)."""
    s, h, d = (sum(WIDTH[: i + 1]) for i in range(3))
    whens = " ".join(f"WHEN {card} < {first} THEN {i}" for i, first in enumerate((s, h, d)))
    return f"(CASE {whens} ELSE 3 END)"


def play(ply: str) -> str:
    """Card number played at a ply (an expression 0–31)."""
    return f"play_at(b.p0, b.p1, b.p2, b.p3, {ply})::INTEGER"


def leader(trick: str) -> str:
    """Seat 0–3 that led to a trick (0–7) where the seats follow from who leads and wins."""
    before = f"winner_of(b.winners, {trick} - 1)"
    return f"(CASE WHEN {trick} = 0 THEN b.leader ELSE {before} END)::INTEGER"


REGULAR = "b.play_seats IS NULL AND b.play_text IS NULL AND b.leader IS NOT NULL"
"""The seats of all cards follow from who leads and wins."""


def count(mask: str) -> str:
    """Number of cards in a set."""
    return f"bit_count({mask})"


def longest(mask: str) -> str:
    """Length of the longest suit of a hand."""
    return f"greatest({', '.join(count(f'{mask} & {m}') for m in SUIT_MASK)})"


def _weight(length: int) -> int:
    return length * length * (length + 1) // 2


def _shapes() -> list[str]:
    """The 15 ways to divide eight cards over four suits, at the sum of their weights."""
    out = ["?"] * (_weight(8) + 1)
    for a in range(9):
        for b in range(a + 1):
            for c in range(b + 1):
                d = 8 - a - b - c
                if 0 <= d <= c:
                    out[sum(map(_weight, (a, b, c, d)))] = f"{a}-{b}-{c}-{d}"
    return out


def shape(mask: str) -> str:
    """Suit lengths of a hand of eight cards, longest first: ``4-2-1-1``.

    >>> len(set(_shapes())) - 1
    15
    """
    # A sum of weights forgets the order of the suits and tells all shapes apart; sorting texts
    # hand by hand takes ten times as long.
    weights = str([_weight(n) for n in range(9)])
    key = " + ".join(f"({weights})[{count(f'{mask} & {m}')} + 1]" for m in SUIT_MASK)
    return f"({_shapes()})[{key} + 1]"


HONOURS = ("-", "A", "9", "9 A", "J", "J A", "J 9", "J 9 A")


def holding(mask: str) -> str:
    """The best trumps that a hand has in any suit: honours (J, 9, A) and length, ``J 9, 4``.

    Best: jack before nine before ace before length.
    """
    suits = []
    for m in SUIT_MASK:
        honours = " + ".join(
            f"{w} * (({mask} & {m & rank_cards(r)}) <> 0)::INTEGER"
            for w, r in ((64, "J"), (32, "9"), (16, "A"))
        )
        suits.append(f"{honours} + {count(f'{mask} & {m}')}")
    best = f"greatest({', '.join(suits)})"
    # One look at a list of all there are: putting texts together takes twice as long.
    names = ", ".join(f"'{HONOURS[i >> 4]}, {i & 15}'" for i in range(16 * len(HONOURS)))
    return f"([{names}])[{best} + 1]"


def stuk_suits(mask: str) -> str:
    """In how many suits a hand holds king and queen."""
    pairs = [m & rank_cards("K", "Q") for m in SUIT_MASK]
    return " + ".join(f"(({mask} & {p}) = {p})::INTEGER" for p in pairs)


_RUNS: dict[tuple[str, int], list[int]] = {}
"""Tables of :func:`runs_worth` by rule set and suit."""


def runs_worth(mask: str, rules: "RuleSet") -> str:
    """Value of the best runs of a hand, by a table of every set of cards of one suit.

    The values of the tables are the engine's (:func:`engine.meld.best_roem`).
    """
    # Loaded when asked for: compiled code takes longer to load than most figures take.
    from engine.meld import best_roem

    parts = []
    for s in range(4):
        key = (rules.content_hash, s)
        table = _RUNS.get(key)
        if table is None:
            table = [best_roem(part << FIRST[s], rules) for part in range(1 << WIDTH[s])]
            _RUNS[key] = table
        parts.append(f"({table})[((({mask}) >> {FIRST[s]}) & {(1 << WIDTH[s]) - 1}) + 1]")
    return f"({' + '.join(parts)})"


def roem_worth(mask: str, rule_sets: "list[RuleSet]") -> str:
    """The most that a hand can announce: the best runs, or fours of a kind and runs beside them.

    A card counts in one combination only, unless the rule set lets it count in a run and a four.
    """
    cases = []
    for rules in rule_sets:
        fours = [(rank_cards(k), v) for k, v in rules.meld.fours.items() if v]
        options = [runs_worth(mask, rules)]
        for n in (1, 2):
            for chosen in combinations(fours, n):
                cards = sum(c for c, _ in chosen)
                rest = mask if rules.meld.overlap else f"({mask} & ~{cards}::BIGINT)"
                value = sum(v for _, v in chosen)
                worth = f"{value} + {runs_worth(rest, rules)}"
                options.append(f"CASE WHEN ({mask} & {cards}) = {cards} THEN {worth} END")
        best = options[0]
        if fours:
            # Most hands have no four: to compare what they are worth takes twice as long.
            any_four = " OR ".join(f"({mask} & {cards}) = {cards}" for cards, _ in fours)
            best = f"CASE WHEN {any_four} THEN greatest({', '.join(options)}) ELSE {best} END"
        cases.append(f"WHEN '{rules.content_hash}' THEN {best}")
    return f"CASE b.rules_hash {' '.join(cases)} END"
