"""Answers of the step replay that the batch replay remembers.

The compiled loop looks answers up; what it does not find it leaves to :class:`AuctionMemo` and
:class:`Memo`, which ask :class:`engine.auction.Auction`, :mod:`engine.meld` and
:mod:`engine.outcome`, and the hands concerned are run again.
"""

from copy import copy
from typing import Any

import numpy as np
from numba import njit

from engine.auction import Auction
from engine.batch_columns import N_CALLS, call_text
from engine.cards import NO_TRUMP, cards_in
from engine.meld import Combination, announceable, best_single, named_combination, table_rank
from engine.record import Call
from engine.ruleset import RuleSet

FAULTS = (
    None, "bid-unknown", "bid-too-low", "bid-out-of-turn", "bid-after-pass", "bid-after-end",
)  # fmt: skip
"""Offences of a call by number."""

_FOREHAND = 0
_DEALER = 3


class AuctionMemo:
    """The auction of a rule set as an automaton, seats counted from forehand.

    States are those of :class:`engine.auction.Auction`; a transition is found by letting it make
    the call. ``symbol[call]`` numbers the calls met so far (-1 = not met),
    ``next_state[state, symbol]`` is -1 where nobody has asked yet.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._auctions: list[Auction] = []
        self._index: dict[Any, int] = {}
        self._n_symbols = 0
        self.symbol = np.full(N_CALLS, -1, np.int16)
        self.next_state = np.full((64, 32), -1, np.int32)
        self.call_fault = np.zeros((64, 32), np.int8)
        self.turn = np.zeros(64, np.int8)
        self.over = np.zeros(64, np.bool_)
        self.bidder = np.full(64, -1, np.int8)
        self.best_row = np.full(64, -1, np.int16)
        self.best_level = np.full(64, -1, np.int16)
        self.best_call = np.full(64, -1, np.int16)
        self._state(Auction(rules, _DEALER), -1)

    def arrays(self) -> dict[str, Any]:
        """The present arrays by name."""
        names = (
            "symbol", "next_state", "call_fault", "turn", "over", "bidder", "best_row",
            "best_level", "best_call",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def learn(self, calls: Any) -> None:
        """Make sure that an auction can be followed."""
        state = 0
        for code in calls:
            symbol = self.symbol[code]
            if symbol < 0:
                symbol = self._new_symbol(int(code))
            if self.next_state[state, symbol] < 0:
                self._ask(state, int(symbol), int(code))
            state = int(self.next_state[state, symbol])

    def _ask(self, state: int, symbol: int, code: int) -> None:
        auction = copy(self._auctions[state])
        auction.passed = set(auction.passed)
        _, bid, fault = auction.call(Call(call_text(code)))
        best_call = code if bid is not None and fault is None else int(self.best_call[state])
        following = self._state(auction, best_call)
        self.next_state[state, symbol] = following
        self.call_fault[state, symbol] = FAULTS.index(fault)

    def _state(self, a: Auction, best_call: int) -> int:
        key = (a.turn, a.best and a.best.rank, a.bidder, frozenset(a.passed), a.passes, a.over)
        if key in self._index:
            return self._index[key]
        i = self._index[key] = len(self._auctions)
        self._auctions.append(a)
        if i == len(self.turn):
            for name, value in self.arrays().items():
                if name != "symbol":
                    fill = np.full_like(value, 0 if name == "call_fault" else -1)
                    setattr(self, name, np.concatenate([value, fill]))
        self.turn[i] = a.turn
        self.over[i] = a.over
        self.bidder[i] = -1 if a.bidder is None else a.bidder
        self.best_row[i] = -1 if a.best is None else a.best.row
        self.best_level[i] = -1 if a.best is None else a.best.level
        self.best_call[i] = best_call
        return i

    def _new_symbol(self, code: int) -> int:
        symbol = self._n_symbols
        self._n_symbols += 1
        self.symbol[code] = symbol
        if symbol == self.next_state.shape[1]:
            self.next_state = np.hstack([self.next_state, np.full_like(self.next_state, -1)])
            self.call_fault = np.hstack([self.call_fault, np.zeros_like(self.call_fault)])
        return symbol


# Questions, by the kind in bits 56 and up of a key.
ASK_ROEM, ASK_RUN, ASK_SET, ASK_BEST, ASK_MADE = range(5)
KIND_SHIFT = 56
VALUE_SHIFT = 33
CARDS_BITS = (1 << VALUE_SHIFT) - 1
EMPTY = -1
NOT_HELD = -1
TOO_MANY = -2
"""More combinations than the arrays hold: the step replay must judge."""
NOT_ASKED = -9
MAX_COMBOS = 8

# Fields of a verdict's key: all that a goal other than points can look at.
GOAL_BITS, MINE_AT, OURS_AT, JAS_AT, JAS_WON_AT, CALLED_AT, SHORT_AT = 5, 5, 13, 21, 25, 26, 30
NO_TRICK = 8
"""Trick of a card that was not played; :data:`NO_CARD`: there is no such card."""
NO_CARD = 9

_MIX = -7046029254386353131


@njit("int64(int64,int64[:],int64[:])", cache=True, nogil=True)
def look_up(key: int, keys: Any, values: Any) -> int:
    """Remembered answer, :data:`NOT_ASKED` where there is none."""
    mask = keys.size - 1
    h = key * _MIX
    i = (h ^ (h >> 32)) & mask
    while keys[i] != EMPTY:
        if keys[i] == key:
            return values[i]
        i = (i + 1) & mask
    return NOT_ASKED


@njit("void(int64,int64,int64[:],int64[:])", cache=True, nogil=True)
def _put(key: int, value: int, keys: Any, values: Any) -> None:
    mask = keys.size - 1
    h = key * _MIX
    i = (h ^ (h >> 32)) & mask
    while keys[i] != EMPTY and keys[i] != key:
        i = (i + 1) & mask
    keys[i] = key
    values[i] = value


@njit("void(int64[:],int64[:],int64[:],int64[:])", cache=True, nogil=True)
def _move(keys: Any, values: Any, new_keys: Any, new_values: Any) -> None:
    for i in range(keys.size):
        if keys[i] != EMPTY:
            _put(keys[i], values[i], new_keys, new_values)


def strength_number(strength: tuple[int, int, int]) -> int:
    """Strength of a combination (place in the ranking, top card, suit) as one number."""
    place, top, suit = strength
    return (place << 8) | (top << 3) | suit


class Memo:
    """Answers by key. Announcements (roem of a value, named runs and sets) are numbered:
    ``said_value``, ``said_n`` and ``said_cards`` tell what is meant, ``said_best`` its strength
    against a denial, ``said_rank[i, trump]`` its place at the table, seats apart.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._n = 0
        self._said = 0
        self.keys = np.full(1024, EMPTY, np.int64)
        self.values = np.zeros(1024, np.int64)
        self._allot(256)

    def _allot(self, n: int) -> None:
        self.said_value = np.zeros(n, np.int64)
        self.said_n = np.zeros(n, np.int64)
        self.said_cards = np.zeros((n, MAX_COMBOS), np.int64)
        self.said_best = np.zeros(n, np.int64)
        self.said_rank = np.zeros((n, NO_TRUMP + 1), np.int64)

    def arrays(self) -> dict[str, Any]:
        """The present arrays by name."""
        names = ("said_value", "said_n", "said_cards", "said_best", "said_rank")
        return {
            "memo_keys": self.keys,
            "memo_values": self.values,
            **{name: getattr(self, name) for name in names},
        }

    def learn(self, key: int) -> None:
        """Answer one question about melds."""
        kind, cards = key >> KIND_SHIFT, key & CARDS_BITS
        if kind == ASK_ROEM:
            value = key >> VALUE_SHIFT & 0x3FFF
            combos = announceable(cards, self.rules).get(value, ())
            self.put(key, self._announcement(value, combos))
        elif kind == ASK_BEST:
            best = best_single(cards, self.rules)
            self.put(key, NOT_HELD if best is None else strength_number(best.strength))
        else:
            word = "run" if kind == ASK_RUN else "set"
            named = named_combination(tuple(cards_in(cards)), word, self.rules)
            combos = () if named is None else (named,)
            self.put(key, self._announcement(named.value if named else 0, combos))

    def put(self, key: int, value: int) -> None:
        """Remember an answer."""
        if 2 * self._n >= self.keys.size:
            keys = np.full(4 * self.keys.size, EMPTY, np.int64)
            values = np.zeros(keys.size, np.int64)
            _move(self.keys, self.values, keys, values)
            self.keys, self.values = keys, values
        _put(key, value, self.keys, self.values)
        self._n += 1

    def _announcement(self, value: int, combos: tuple[Combination, ...]) -> int:
        if not combos:
            return NOT_HELD
        if len(combos) > MAX_COMBOS:
            return TOO_MANY
        i = self._said
        self._said += 1
        if i == len(self.said_value):
            old = self.arrays()
            self._allot(2 * i)
            for name, part in old.items():
                if name.startswith("said"):
                    getattr(self, name)[:i] = part
        self.said_value[i] = value
        self.said_n[i] = len(combos)
        self.said_cards[i, : len(combos)] = [c.cards for c in combos]
        self.said_best[i] = max(strength_number(c.strength) for c in combos)
        if len(combos) == 1:
            for trump in range(NO_TRUMP + 1):
                self.said_rank[i, trump] = self._rank(combos[0], trump)
        return i

    def _rank(self, combo: Combination, trump: int) -> int:
        """Place at the table for a meld at forehand's seat; others are lower by their distance."""
        value, length, top, in_trumps, near = table_rank(
            combo, _FOREHAND, _FOREHAND, trump, self.rules
        )
        return ((((value << 4 | length) << 4 | top) << 1 | in_trumps) << 2) + 3 + near
