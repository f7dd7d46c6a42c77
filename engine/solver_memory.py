"""The table of positions: what is proven of states at the start of a trick.

Entries are kept by structure, not by position: two states with the same leader and, in each suit,
the same owners from the top have the same play; their values differ by the points of the cards
that change hands and by no more. An entry of one so bounds the other.
"""

from typing import Any

from engine.solver_tables import (
    BITS,
    LANE_INFO,
    LANE_MASK,
    PAIR_SHIFT,
    PAIRS,
    RANK_SHIFT,
    SLOTS,
    STAMP,
    WIDTH,
    compiled,
)

BUCKET_CELLS = 8
# First word of an entry: structure 36 bits, leader 2, move 6, stamp 12, effort 7.
LEADER_SHIFT = 36
MOVE_SHIFT = 38
STAMP_SHIFT = 44
EFFORT_SHIFT = 56
SAME_POSITION = ~((63 << MOVE_SHIFT) | (127 << EFFORT_SHIFT))
# Second word: remaining cards 36 bits, lower bound 13, upper bound 13.
REMAINING = (1 << SLOTS) - 1
LOW_SHIFT = 36
HIGH_SHIFT = 49
BOUND = (1 << 13) - 1
# A probe's result: lower bound 13 bits, upper bound 13, move 6.
MOVE_IN_PROBE = 26


@compiled("int64(cells, int64)")
def structure_of(c: Any, rem: int) -> int:
    """Who owns which place in each suit, counted from the top: the same for isomorphic states."""
    key = 0
    for lane in range(4):
        sub = (rem >> (lane * WIDTH)) & LANE_MASK
        key |= (c[LANE_INFO + lane * 512 + sub] & LANE_MASK) << (lane * WIDTH)
    return key


@compiled("int64(cells, int64, int64)")
def bucket_of(c: Any, key: int, leader: int) -> int:
    """First cell of the bucket for a structure and a leader."""
    mixed = (key ^ (leader << LEADER_SHIFT) ^ (key >> 17)) * 0x1E3779B97F4A7C15
    bits = c[BITS]
    bucket: int = (mixed >> (63 - bits)) & ((1 << bits) - 1)
    return bucket * BUCKET_CELLS


@compiled("int64(cells, int64, int64)")
def difference(c: Any, known: int, asked: int) -> int:
    """How far two states of one structure may differ: (gain << 32) + loss.

    The value of ``asked`` lies between that of ``known`` less the loss and plus the gain.
    """
    out = 0
    for lane in range(4):
        a = (known >> (lane * WIDTH)) & LANE_MASK
        b = (asked >> (lane * WIDTH)) & LANE_MASK
        if a != b:
            row = c[LANE_INFO + lane * 512 + a] >> PAIR_SHIFT
            rank = (c[LANE_INFO + lane * 512 + b] >> RANK_SHIFT) & LANE_MASK
            out += c[PAIRS + row + rank]
    return out


@compiled("int64(cells, cells, int64, int64, int64, int64)")
def probe(c: Any, t: Any, rem: int, total: int, want: int, at: int) -> int:
    """What the table knows of a state at the start of a trick, packed.

    ``want`` is the state's structure, leader and stamp, ``at`` its bucket.
    """
    low = 0
    high = total
    move = 0
    for i in range(at, at + BUCKET_CELLS, 2):
        if (t[i] & SAME_POSITION) != want:
            continue
        word = t[i + 1]
        known = word & REMAINING
        lo = (word >> LOW_SHIFT) & BOUND
        hi = (word >> HIGH_SHIFT) & BOUND
        if known == rem:
            move = (t[i] >> MOVE_SHIFT) & 63
        else:
            shift = difference(c, known, rem)
            loss = (shift << 32) >> 32
            lo -= loss
            hi += (shift - loss) >> 32
        low = max(low, lo)
        high = min(high, hi)
    return low | (high << 13) | (move << MOVE_IN_PROBE)


@compiled("void(cells, cells, int64, int64, int64, int64, int64, int64)")
def store(
    c: Any, t: Any, rem: int, leader: int, low: int, high: int, move: int, effort: int
) -> None:
    """Keep proven bounds of a state at the start of a trick."""
    key = structure_of(c, rem)
    at = bucket_of(c, key, leader)
    want = key | (leader << LEADER_SHIFT) | (c[STAMP] << STAMP_SHIFT)
    place = at
    worst = 1 << 20
    for i in range(at, at + BUCKET_CELLS, 2):
        if (t[i] & SAME_POSITION) == want and (t[i + 1] & REMAINING) == rem:
            place = i
            break
        merit = (t[i] >> EFFORT_SHIFT) & 127
        if ((t[i] ^ want) >> STAMP_SHIFT) & 4095:
            merit = -1
        if merit < worst:
            worst = merit
            place = i
    t[place] = want | (move << MOVE_SHIFT) | (effort << EFFORT_SHIFT)
    t[place + 1] = rem | (low << LOW_SHIFT) | (high << HIGH_SHIFT)
