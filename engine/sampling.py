"""Uniform sampling of ways to lay hidden cards: exact counts by dynamic programming.

The task: some cards go to some places, each place takes a known number of them, and for each card
it is known which places may hold it. Every way to do that is to be equally likely.

*Method.* Take the cards in any fixed order. Let ``count(i, room)`` be the number of ways to lay
the cards ``i, i+1, …`` when the places still have ``room`` for so many. Then ``count(n, 0) = 1``
and ``count(i, room)`` is the sum of ``count(i + 1, room - p)`` over the places ``p`` that may hold
card ``i`` and have room: the ways are told apart by where card ``i`` goes, so none is counted
twice and none is left out.

*Proof that a draw is uniform.* A draw lays card ``i`` in place ``p`` with probability
``count(i + 1, room - p) / count(i, room)``. The probability of one complete way is the product of
these fractions along it; each numerator cancels the next denominator, and what is left is
``1 / count(0, room)``: the same for every way. The counts are exact integers (at most
``24! / 8!^3 < 2^34`` for three hidden hands, and nine times that with a card out of play), and
the random numbers below ``count`` are drawn without bias (by rejection).
"""

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba import njit

N_PLACES = 4
MAX_ROOM = 8
MAX_CARDS = 33
_DIM = MAX_ROOM + 1
_CELLS = _DIM**N_PLACES
_STEPS = (_DIM**3, _DIM**2, _DIM, 1)


@njit("uint64(uint64[::1])", cache=True, nogil=True)
def next_random(state: Any) -> Any:
    """Next number of the generator (splitmix64: Steele, Lea and Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit("int64(uint64[::1], int64)", cache=True, nogil=True)
def below(state: Any, n: int) -> int:
    """A number from 0 to ``n - 1``, each equally likely."""
    whole = np.int64(1) << np.int64(62)
    limit = whole - whole % n
    while True:
        x = np.int64(next_random(state) >> np.uint64(2))
        if x < limit:
            return int(x % n)


@njit("int64(int64[::1], int64[::1], int64[:,::1])", cache=True, nogil=True)
def fill(places: Any, room: Any, table: Any) -> int:
    """Fill ``table`` with the counts and return the number of ways.

    ``places[i]`` are the places (bit set of 0–3) that may hold card ``i``; ``room`` says how many
    cards each place takes, all together as many as there are cards.
    """
    n = len(places)
    d1, d2, d3 = _STEPS[0], _STEPS[1], _STEPS[2]
    table[n, 0] = 1
    for i in range(n - 1, -1, -1):
        may = places[i]
        left = n - i
        for a in range(min(room[0], left) + 1):
            for b in range(min(room[1], left - a) + 1):
                for c in range(min(room[2], left - a - b) + 1):
                    d = left - a - b - c
                    if d > room[3]:
                        continue
                    cell = a * d1 + b * d2 + c * d3 + d
                    total = np.int64(0)
                    if a and may & 1:
                        total += table[i + 1, cell - d1]
                    if b and may & 2:
                        total += table[i + 1, cell - d2]
                    if c and may & 4:
                        total += table[i + 1, cell - d3]
                    if d and may & 8:
                        total += table[i + 1, cell - 1]
                    table[i, cell] = total
    return int(table[0, room[0] * d1 + room[1] * d2 + room[2] * d3 + room[3]])


@njit(
    "void(int64[::1], int64[::1], int64[::1], int64[:,::1], uint64[::1], int64[::1])",
    cache=True,
    nogil=True,
)
def draw(cards: Any, places: Any, room: Any, table: Any, state: Any, out: Any) -> None:
    """Lay all cards once: ``out[p]`` becomes the set of cards in place ``p``."""
    n = len(cards)
    for p in range(N_PLACES):
        out[p] = 0
    cell = np.int64(0)
    for p in range(N_PLACES):
        cell += room[p] * _STEPS[p]
    for i in range(n):
        r = below(state, table[i, cell])
        for p in range(N_PLACES):
            if (places[i] >> p) & 1 and (cell // _STEPS[p]) % _DIM:
                ways = table[i + 1, cell - _STEPS[p]]
                if r < ways:
                    out[p] |= np.int64(1) << cards[i]
                    cell -= _STEPS[p]
                    break
                r -= ways


class _Scratch(threading.local):
    """The table of counts of a thread, and whose counts are in it."""

    def __init__(self) -> None:
        self.table = np.zeros((MAX_CARDS + 1, _CELLS), np.int64)
        self.owner: object = None


_SCRATCH = _Scratch()


class Layouts:
    """All ways to lay ``cards`` in up to four places.

    ``room[p]`` is how many cards place ``p`` takes (at most 8), ``allowed[p]`` the set of cards
    that it may hold.

    >>> ways = Layouts(0b111, (2, 1, 0, 0), (0b111, 0b011, 0, 0))
    >>> ways.count
    2
    >>> sorted(ways)
    [(5, 2, 0, 0), (6, 1, 0, 0)]
    """

    def __init__(self, cards: int, room: Sequence[int], allowed: Sequence[int]) -> None:
        if sum(room) != cards.bit_count() or max(room) > MAX_ROOM:
            raise ValueError(f"{cards.bit_count()} cards for places that take {tuple(room)}")
        numbers = [c for c in range(MAX_CARDS) if cards >> c & 1]
        codes = [sum((allowed[p] >> c & 1) << p for p in range(N_PLACES)) for c in numbers]
        # Cards with few places first: branches that lead nowhere end early when all are listed.
        order = sorted(range(len(numbers)), key=lambda i: codes[i].bit_count())
        self.cards = np.array([numbers[i] for i in order], np.int64)
        self.places = np.array([codes[i] for i in order], np.int64)
        self.room = np.array(room, np.int64)
        self._out = np.zeros(N_PLACES, np.int64)
        self.count = self._fill()

    def _fill(self) -> int:
        _SCRATCH.owner = self
        return int(fill(self.places, self.room, _SCRATCH.table))

    def draw(self, state: Any) -> tuple[int, int, int, int]:
        """One way, each equally likely: the set of cards in each place.

        ``state`` is a ``uint64`` array of length 1, the generator's state.
        """
        if self.count == 0:
            raise ValueError("there is no way to lay these cards")
        if _SCRATCH.owner is not self:
            self._fill()
        out = self._out
        draw(self.cards, self.places, self.room, _SCRATCH.table, state, out)
        return int(out[0]), int(out[1]), int(out[2]), int(out[3])

    def __iter__(self) -> Iterator[tuple[int, int, int, int]]:
        """Every way once."""
        yield from self._ways(0, [int(r) for r in self.room], [0] * N_PLACES)

    def _ways(
        self, i: int, room: list[int], laid: list[int]
    ) -> Iterator[tuple[int, int, int, int]]:
        if i == len(self.cards):
            yield laid[0], laid[1], laid[2], laid[3]
            return
        bit = 1 << int(self.cards[i])
        for p in range(N_PLACES):
            if int(self.places[i]) >> p & 1 and room[p]:
                room[p] -= 1
                laid[p] |= bit
                yield from self._ways(i + 1, room, laid)
                room[p] += 1
                laid[p] ^= bit
