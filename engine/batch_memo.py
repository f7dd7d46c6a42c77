"""Answers of the step replay that the batch replay remembers.

The compiled loop looks answers up; what it does not find it leaves to :class:`AuctionMemo` and
:class:`Memo`, which ask :class:`engine.auction.Auction`, :mod:`engine.meld` and
:mod:`engine.outcome`, and the hands concerned are run again.
"""

from copy import copy
from typing import Any

import numpy as np

from engine.auction import Auction
from engine.batch_columns import N_CALLS, call_text
from engine.cards import NO_TRUMP, cards_in
from engine.compiled import kernel
from engine.meld import Combination, announceable, best_single, named_combination, table_rank
from engine.record import Call
from engine.ruleset import RuleSet

FAULTS = (
    None, "bid-unknown", "bid-too-low", "bid-out-of-turn", "bid-after-pass", "bid-after-end",
)  # fmt: skip
"""Offences of a call by number."""

_FOREHAND = 0
_DEALER = 3


AUCTION_STATE = np.dtype(
    [
        ("turn", np.int32),
        ("over", np.int32),
        ("bidder", np.int32),
        ("best_row", np.int32),
        ("best_level", np.int32),
        ("best_call", np.int32),
    ]
)
"""A state of the auction; seats counted from forehand, -1 = nobody, no bid."""

STEP_OF_AUCTION = np.dtype([("following", np.int32), ("fault", np.int32)])
"""What a call leads to: a state (-1 = not asked yet), and the number of its offence."""


class AuctionMemo:
    """The auction of a rule set as an automaton, seats counted from forehand.

    States are those of :class:`engine.auction.Auction`; a transition is found by letting it make
    the call. ``symbol[call]`` numbers the calls met so far (-1 = not met), ``steps`` are by state
    and symbol.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._auctions: list[Auction] = []
        self._index: dict[Any, int] = {}
        self._n_symbols = 0
        self.symbol = np.full(N_CALLS, -1, np.int16)
        self.steps = _unasked(64, 32)
        self.states = np.zeros(64, AUCTION_STATE)
        self._state(Auction(rules, _DEALER), -1)

    def learn(self, calls: Any) -> None:
        """Make sure that an auction can be followed."""
        state = 0
        for code in calls:
            symbol = int(self.symbol[code])
            if symbol < 0:
                symbol = self._new_symbol(int(code))
            if self.steps[state, symbol]["following"] < 0:
                self._ask(state, symbol, int(code))
            state = int(self.steps[state, symbol]["following"])

    def _ask(self, state: int, symbol: int, code: int) -> None:
        auction = copy(self._auctions[state])
        auction.passed = set(auction.passed)
        _, bid, fault = auction.call(Call(call_text(code)))
        counts = bid is not None and fault is None
        best_call = code if counts else int(self.states[state]["best_call"])
        following = self._state(auction, best_call)
        self.steps[state, symbol] = (following, FAULTS.index(fault))

    def _state(self, a: Auction, best_call: int) -> int:
        key = (a.turn, a.best and a.best.rank, a.bidder, frozenset(a.passed), a.passes, a.over)
        if key in self._index:
            return self._index[key]
        i = self._index[key] = len(self._auctions)
        self._auctions.append(a)
        if i == len(self.states):
            self.states = np.concatenate([self.states, np.zeros_like(self.states)])
            self.steps = np.vstack([self.steps, _unasked(*self.steps.shape)])
        row, level = (-1, -1) if a.best is None else a.best.rank
        bidder = -1 if a.bidder is None else a.bidder
        self.states[i] = (a.turn, a.over, bidder, row, level, best_call)
        return i

    def _new_symbol(self, code: int) -> int:
        symbol = self._n_symbols
        self._n_symbols += 1
        self.symbol[code] = symbol
        if symbol == self.steps.shape[1]:
            self.steps = np.hstack([self.steps, _unasked(*self.steps.shape)])
        return symbol


def _unasked(states: int, symbols: int) -> Any:
    out = np.zeros((states, symbols), STEP_OF_AUCTION)
    out["following"] = -1
    return out


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
MOST_COMBOS = 8

# Fields of a verdict's key: all that a goal other than points can look at.
GOAL_BITS, MINE_AT, OURS_AT, JAS_AT, JAS_WON_AT, CALLED_AT, SHORT_AT = 5, 5, 13, 21, 25, 26, 30
NO_TRICK = 8
"""Trick of a card that was not played; :data:`NO_CARD`: there is no such card."""
NO_CARD = 9

_MIX = -7046029254386353131


ANSWER = np.dtype([("key", np.int64), ("value", np.int64)])
"""A slot of the table of answers (open addressing, a power of two of them)."""

SAID = np.dtype(
    [
        ("value", np.int64),
        ("n", np.int64),
        ("best", np.int64),
        ("cards", np.int64, (MOST_COMBOS,)),
        ("rank", np.int64, (NO_TRUMP + 1,)),
    ]
)
"""What an announcement means: its value, its ``n`` combinations, the strength of the best of them
against a denial, and its place at the table for each trump, seats apart."""


@kernel()
def look_up(key: int, answers: Any) -> int:
    """Remembered answer, :data:`NOT_ASKED` where there is none."""
    mask = answers.size - 1
    h = key * _MIX
    i = (h ^ (h >> 32)) & mask
    while answers[i].key != EMPTY:
        if answers[i].key == key:
            return int(answers[i].value)
        i = (i + 1) & mask
    return NOT_ASKED


@kernel()
def _put(key: int, value: int, answers: Any) -> None:
    mask = answers.size - 1
    h = key * _MIX
    i = (h ^ (h >> 32)) & mask
    while answers[i].key != EMPTY and answers[i].key != key:
        i = (i + 1) & mask
    answers[i].key = key
    answers[i].value = value


@kernel()
def _move(answers: Any, bigger: Any) -> None:
    for i in range(answers.size):
        if answers[i].key != EMPTY:
            _put(answers[i].key, answers[i].value, bigger)


def strength_number(strength: tuple[int, int, int]) -> int:
    """Strength of a combination (place in the ranking, top card, suit) as one number."""
    place, top, suit = strength
    return (place << 8) | (top << 3) | suit


class Memo:
    """Answers by key; announcements (roem of a value, named runs and sets) are numbers in
    ``said``.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._n = 0
        self._n_said = 0
        self.answers = _no_answers(1024)
        self.said = np.zeros(256, SAID)

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
        if 2 * self._n >= len(self.answers):
            bigger = _no_answers(4 * len(self.answers))
            _move(self.answers, bigger)
            self.answers = bigger
        _put(key, value, self.answers)
        self._n += 1

    def _announcement(self, value: int, combos: tuple[Combination, ...]) -> int:
        if not combos:
            return NOT_HELD
        if len(combos) > MOST_COMBOS:
            return TOO_MANY
        i = self._n_said
        self._n_said += 1
        if i == len(self.said):
            self.said = np.concatenate([self.said, np.zeros_like(self.said)])
        said = self.said[i]
        said["value"] = value
        said["n"] = len(combos)
        said["best"] = max(strength_number(c.strength) for c in combos)
        said["cards"][: len(combos)] = [c.cards for c in combos]
        if len(combos) == 1:
            said["rank"] = [self._rank(combos[0], trump) for trump in range(NO_TRUMP + 1)]
        return i

    def _rank(self, combo: Combination, trump: int) -> int:
        """Place at the table for a meld at forehand's seat; others are lower by their distance."""
        value, length, top, in_trumps, near = table_rank(
            combo, _FOREHAND, _FOREHAND, trump, self.rules
        )
        return ((((value << 4 | length) << 4 | top) << 1 | in_trumps) << 2) + 3 + near


def _no_answers(n: int) -> Any:
    out = np.zeros(n, ANSWER)
    out["key"] = EMPTY
    return out
