"""What a hand looks like to the simple players: its features, and what to put away; compiled.

All that is summed up over a hand comes from tables by suit and holding (:data:`VALUES`), so that
a feature vector costs four look-ups. A holding is the set of a suit's cards, lowest bit first.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any, cast

import numpy as np
from numba import float64, njit
from numba.extending import intrinsic

from engine.batch_tables import SUIT_PATTERN, SUIT_SHIFT
from engine.cards import N_CARDS, NO_TRUMP, RANK_OF, SUIT_MASK, SUITS, cards_in
from engine.declaration import callable_cards, of_rank
from engine.ruleset import Bid, Contract, RuleSet
from engine.solver_tables import count, lowest
from pandoeren_replay.players.cardplay import (
    WANT_ALL,
    WANT_FIRST,
    WANT_JAS,
    WANT_NONE,
    WANT_ONE,
    WANT_POINTS,
    Deck,
)

N_FEATURES = 18
WANTS = {
    "points": WANT_POINTS,
    "all": WANT_ALL,
    "first-four-and-all": WANT_ALL,
    "jas-and-all": WANT_ALL,
    "called-card-and-four": WANT_POINTS,
    "none": WANT_NONE,
    "first-only": WANT_FIRST,
    "exactly-one": WANT_ONE,
    "one-with-jas": WANT_JAS,
}

# Whole numbers of a holding, four bits each in ``counts``: the place is the number of the field.
_TRUMPS, _VOID, _SINGLE, _NO_LOW, _ACES, _LONG_ACE, _JACK, _NINE, _TRUMP_ACE, _TRUMP_HIGH, _KING, \
    _TEN = range(12)  # fmt: skip
_FIELD = 4
_FEATURE_OF = {_VOID: 3, _SINGLE: 4, _NO_LOW: 5, _ACES: 6, _LONG_ACE: 7, _JACK: 8, _NINE: 9,
               _TRUMP_ACE: 10, _TRUMP_HIGH: 11, _KING: 12, _TEN: 13}  # fmt: skip
_FIELDS = np.array(list(_FEATURE_OF), np.int64) * _FIELD
_FEATURES = np.array(list(_FEATURE_OF.values()), np.int64)

VALUES = np.dtype(
    [
        ("beats", np.int64, (5, N_CARDS)),
        ("points", np.int64, (5, N_CARDS)),
        ("tenths", np.float64, (5, N_CARDS)),  # points / 10
        ("power", np.int64, (5, N_CARDS)),
        ("worth", np.int64, (5, N_CARDS)),
        ("trumps", np.int64, (5,)),
        ("jas", np.int64, (5,)),
        ("suit", np.int64, (N_CARDS,)),
        ("duty", np.int64),
        ("last_trick", np.int64),
        ("aces", np.int64),
        ("hearts", np.int64),
        # [plain/trumps, suit, holding]
        ("counts", np.int64, (2, 4, 512)),
        ("danger", np.float64, (2, 4, 512)),
    ]
)
"""The cards of a rule set as the simple players see them."""

_S1, _S2, _S3 = SUIT_SHIFT[1:]
_P0, _P1, _P2, _P3 = SUIT_PATTERN


@njit(cache=True, nogil=True)
def danger_of(v: Any, hand: int, trump: int) -> Any:
    """How likely low play is to be caught: high cards without low ones below them."""
    d = v.danger[int(trump == 0), 0, hand & _P0]
    d += v.danger[int(trump == 1), 1, hand >> _S1 & _P1]
    d += v.danger[int(trump == 2), 2, hand >> _S2 & _P2]
    d += v.danger[int(trump == 3), 3, hand >> _S3 & _P3]
    return d


@njit(cache=True, nogil=True)
def fill_features(v: Any, hand: int, trump: int, out: Any) -> None:
    """Features of eight cards with a trump suit (4 = none), into ``out`` (18 floats)."""
    n = v.counts[int(trump == 0), 0, hand & _P0]
    n += v.counts[int(trump == 1), 1, hand >> _S1 & _P1]
    n += v.counts[int(trump == 2), 2, hand >> _S2 & _P2]
    n += v.counts[int(trump == 3), 3, hand >> _S3 & _P3]
    trumps = n & 15
    out[0] = 1.0
    out[1] = trumps
    out[2] = trumps * trumps / 8.0
    for i in range(_FIELDS.size):
        out[_FEATURES[i]] = n >> _FIELDS[i] & 15
    total = 0.0
    left = hand
    while left:
        total += v.tenths[trump, lowest(left)]
        left &= left - 1
    out[14] = total
    d = danger_of(v, hand, trump)
    out[15] = d
    out[16] = sqrt(d)
    out[17] = d * d / 20.0


def _fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, rounded once."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return float64(float64, float64, float64), codegen


fused = cast(Callable[[float, float, float], float], intrinsic(_fused))


@njit(cache=True, nogil=True)
def _lane(x: Any, w: Any, i: int) -> float:
    return x[i] * w[i] + x[i + 4] * w[i + 4] + x[i + 8] * w[i + 8] + x[i + 12] * w[i + 12]


@njit(cache=True, nogil=True)
def weighed(x: Any, w: Any) -> float:
    """Sum of 18 products in an order of its own, so that every machine gets the same to the bit.

    Hands alike in two suits differ by a bit or none: which trumps are named hangs on it.
    """
    z = (_lane(x, w, 0) + _lane(x, w, 2)) + (_lane(x, w, 1) + _lane(x, w, 3))
    return fused(x[17], w[17], fused(x[16], w[16], z))


@njit(cache=True, nogil=True)
def put_away(v: Any, nine: int, trump: int, want: int) -> Any:
    """Which of nine cards to put away: who wants tricks gives up the poorest plain card, who
    wants none makes his hand the safest, and keeps the card that is to win where one is."""
    keep = np.int64(0)
    low = want >= WANT_NONE
    if want in (WANT_FIRST, WANT_ONE, WANT_JAS):
        top = lowest(nine)
        left = nine & (nine - 1)
        while left:
            c = lowest(left)
            left &= left - 1
            if v.power[trump, c] > v.power[trump, top]:
                top = c
        keep = np.int64(1) << top
        if want == WANT_JAS:
            keep |= v.jas[trump]
    options = nine & ~keep
    plain = options & ~v.trumps[trump]
    if not low and plain:
        options = plain
    best, best_price = -1, 0.0
    while options:
        c = lowest(options)
        bit = np.int64(1) << c
        options ^= bit
        if low:
            price = danger_of(v, nine & ~bit, trump)
        else:
            price = 2.0 * (v.power[trump, c] % 20) + count(nine & v.suit[c])
        if best < 0 or price < best_price:
            best, best_price = c, price
    return best


@njit(cache=True, nogil=True)
def best_call(v: Any, options: int, hand: int, trump: int, any_card: bool) -> Any:
    """Which of the cards that may be called to call, -1 where there is none.

    The highest where any card may be called (of trumps, if there are); else one of a plain suit
    of which the most are held.
    """
    if any_card:
        trumps = options & v.trumps[trump]
        options = trumps if trumps else options
    best, best_price = -1, np.int64(0)
    while options:
        c = lowest(options)
        options &= options - 1
        if any_card:
            price = -v.power[trump, c]
        else:
            price = 16 * (v.trumps[trump] >> c & 1) - count(hand & v.suit[c])
        if best < 0 or price < best_price:
            best, best_price = c, price
    return best


@njit(cache=True, nogil=True)
def _features_of(values: Any, hand: int, trump: int, out: Any) -> None:
    fill_features(values[0], hand, trump, out)


@njit(cache=True, nogil=True)
def _danger_in(values: Any, hand: int, trump: int) -> Any:
    return danger_of(values[0], hand, trump)


@njit(cache=True, nogil=True)
def _put_away_of(values: Any, nine: int, trump: int, want: int) -> Any:
    return put_away(values[0], nine, trump, want)


@njit(cache=True, nogil=True)
def _call_of(values: Any, options: int, hand: int, trump: int, any_card: bool) -> Any:
    return best_call(values[0], options, hand, trump, any_card)


def want_of(contract: Contract) -> int:
    """What declarer's side is after, as :mod:`cardplay` names it."""
    return WANTS[contract.goal]


class Evaluator:
    """Feature vectors and simple choices (discard, called card) for one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.deck = Deck(rules.tables)
        self.values = _values(self.deck)

    def features(self, hand: int, trump: int) -> np.ndarray:
        """Feature vector (18 floats) of eight cards."""
        out = np.zeros(N_FEATURES)
        _features_of(self.values, hand, trump, out)
        return out

    def danger(self, hand: int, trump: int) -> float:
        """See :func:`danger_of`."""
        return float(_danger_in(self.values, hand, trump))

    def discard(self, nine: int, trump: int, want: int) -> int:
        """Which of nine cards to put away."""
        return int(_put_away_of(self.values, nine, trump, want))

    def call(self, contract: Contract, bid: Bid, own: int, hand: int, trump: int) -> int | None:
        """Which card to call, ``None`` where none can be."""
        allowed = callable_cards(self.rules, bid, own, trump)
        any_card = contract.partner == "called-card"
        called = int(_call_of(self.values, allowed, hand, trump, any_card))
        return called if called >= 0 else None


def _values(deck: Deck) -> Any:
    out = np.zeros(1, VALUES)
    v = out[0]
    for name in ("beats", "points", "power", "worth", "trumps", "jas", "suit", "duty"):
        v[name] = getattr(deck, name)
    v["tenths"] = deck.points / 10.0
    v["last_trick"] = deck.last_trick
    v["aces"] = of_rank("A")
    v["hearts"] = SUIT_MASK[SUITS.index("H")]
    for suit in range(4):
        for trumps in (False, True):
            height = deck.power[suit if trumps else NO_TRUMP] % 20
            for holding in range(SUIT_PATTERN[suit] + 1):
                cards = list(cards_in(holding << SUIT_SHIFT[suit]))
                heights = [int(height[c]) for c in cards]
                v["counts"][int(trumps), suit, holding] = _counts(cards, heights, trumps)
                v["danger"][int(trumps), suit, holding] = _danger(heights, trumps)
    return out


def _counts(cards: list[int], heights: list[int], trumps: bool) -> int:
    ranks = [RANK_OF[c] for c in cards]
    n, aces = len(cards), ranks.count("A")
    if trumps:
        found = {
            _TRUMPS: n, _JACK: ranks.count("J"), _NINE: ranks.count("9"), _TRUMP_ACE: aces,
            _TRUMP_HIGH: sum(r in "KQT" for r in ranks),
        }  # fmt: skip
    else:
        found = {
            _VOID: n == 0, _SINGLE: n == 1, _NO_LOW: n > 0 and min(heights) > 1, _ACES: aces,
            _LONG_ACE: aces > 0 and n > 1, _KING: ranks.count("K"), _TEN: ranks.count("T"),
        }  # fmt: skip
    return sum(int(value) << _FIELD * field for field, value in found.items())


def _danger(heights: list[int], trumps: bool) -> float:
    total = 0.0
    for k, height in enumerate(sorted(heights)):
        total += max(height - 2.0 * k - 0.5, 0.0) * (1.5 if trumps else 1.0)
    return total


__all__ = ["N_FEATURES", "VALUES", "WANTS", "Evaluator", "want_of"]
