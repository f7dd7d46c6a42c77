"""The cards of a trick: what they bring, and what is known of them before any is searched.

The card that is expected to settle a question mostly does, but to prove it may take a search, where
the table of positions knows already that another card settles it. To look costs a few reads.
"""

from typing import Any

from engine.solver_bounds import NO_VALUE, sure_bounds
from engine.solver_memory import (
    BOUND,
    LEADER_SHIFT,
    MOVE_IN_PROBE,
    STAMP_SHIFT,
    bucket_of,
    probe,
    structure_of,
)
from engine.solver_moves import moves_of, noted, spared
from engine.solver_tables import (
    BEATS,
    CARD,
    GAIN,
    HIDDEN,
    LAST,
    LEFT,
    LEVEL_CELLS,
    MAXI,
    MOVES,
    N_TRIED,
    NEXT_LEFT,
    NEXT_SEAT,
    OPEN_SCORE,
    PER_TRICK,
    POINTS,
    SCORE,
    STAMP,
    SUM,
    TOP,
    TOP_SEAT,
    WORTH,
    compiled,
    count,
    fetch,
    lane_of,
)

# What is expected of a question: that it is answered with yes, or with no (0: nothing).
YES, NO = 1, 2
HOPE_SHIFT = 32  # where it stands beside known bounds
# Levels of a trick (a bit each, four bits for each number of tricks left; never the lead) where the
# other cards are looked at. With four tricks left a look costs as much as it saves.
GLANCES = (4 << 4 * 5) | (6 << 4 * 6) | (4 << 4 * 7) | (4 << 4 * 8)


@compiled("void(cells, int64, int64, int64, int64)")
def take(c: Any, at: int, seat: int, card: int, p: int) -> None:
    """Play a card at a level: fill the level after it, or, as the fourth, what the trick brings."""
    top = card
    top_seat = seat
    if p > 0 and (c[BEATS + c[at + TOP]] >> card) & 1 == 0:
        top = c[at + TOP]
        top_seat = c[at + TOP_SEAT]
    left = c[at + LEFT] ^ (1 << card)
    points = c[at + SUM] + c[POINTS + card]
    if p < 3:
        at += LEVEL_CELLS
        c[at + LEFT] = left
        c[at + TOP] = top
        c[at + TOP_SEAT] = top_seat
        c[at + SUM] = points
        return
    points += c[PER_TRICK]
    if left == 0:
        points += c[LAST]
    counted = c[OPEN_SCORE] if c[HIDDEN] & left else c[SCORE]
    c[at + NEXT_LEFT] = left
    c[at + NEXT_SEAT] = top_seat
    c[at + WORTH] = points
    c[at + GAIN] = points if (counted >> top_seat) & 1 else 0


@compiled("int64(cells, cells, int64, int64, int64, int64)")
def known_bounds(c: Any, t: Any, rem: int, leader: int, total: int, need: int) -> int:
    """What is known of a state at the start of a trick before any search, packed as a probe."""
    key = structure_of(c, rem)
    at = bucket_of(c, key, leader)
    fetch(t, at)
    sure = sure_bounds(c, rem, leader, total, count(rem) >> 2, need)
    low = sure & BOUND
    high = sure >> 13
    if low >= need or high < need:
        return sure
    want = key | (leader << LEADER_SHIFT) | (c[STAMP] << STAMP_SHIFT)
    found = probe(c, t, rem, total, want, at)
    low = max(low, found & BOUND)
    high = min(high, (found >> 13) & BOUND)
    return low | (high << 13) | (found & (63 << MOVE_IN_PROBE))


@compiled("int64(cells, cells, int64, int64, int64)")
def kept_bounds(c: Any, t: Any, rem: int, leader: int, total: int) -> int:
    """What the table alone knows of a state at the start of a trick, packed as a probe."""
    key = structure_of(c, rem)
    want = key | (leader << LEADER_SHIFT) | (c[STAMP] << STAMP_SHIFT)
    return probe(c, t, rem, total, want, bucket_of(c, key, leader))


@compiled("int64(cells, cells, int64, int64, int64, int64, int64, int64, int64, int64)")
def seen(
    c: Any, t: Any, at: int, leader: int, p: int, k: int, led: int, need: int, total: int, asks: int
) -> int:
    """The bound that settles the question at a level by what the table knows, or -1.

    ``asks`` is whether the seat that wants to know wants the value high: against it one card of
    which too little is known is enough to give up.
    """
    seat = (leader + p) & 3
    wants = (c[MAXI] >> seat) & 1
    moves = moves_of(
        c, c[at + LEFT], leader, p, k, led, c[at + TOP], c[at + TOP_SEAT], c[at + SUM], 0
    )
    best = -1 if wants else NO_VALUE
    unknown = 0
    value: int = 0
    while moves:
        card = (moves & 63) - 1
        moves >>= 6
        take(c, at, seat, card, p)
        if p < 3:
            value = seen(c, t, at + LEVEL_CELLS, leader, p + 1, k, led, need, total, asks)
        else:
            gain = c[at + GAIN]
            found = kept_bounds(c, t, c[at + NEXT_LEFT], c[at + NEXT_SEAT], total - c[at + WORTH])
            value = gain + (found & BOUND)
            if value < need:
                value = gain + ((found >> 13) & BOUND)
                if value >= need:
                    value = -1
        if value < 0:
            unknown = 1
            if wants != asks:
                return -1
        elif value >= need:
            if wants:
                return value
            best = min(best, value)
        else:
            if wants == 0:
                return value
            best = max(best, value)
    return -1 if unknown else best


@compiled("int64(cells, cells, int64, int64, int64, int64, int64, int64, int64)")
def glance(
    c: Any, t: Any, at: int, leader: int, p: int, k: int, led: int, need: int, total: int
) -> int:
    """Look whether one of the cards left to try at a level is known to settle the matter.

    It becomes the card of that level, and its bound is returned; else -1, and the cards known to
    fail are noted as tried. The cells of the levels after it are overwritten.
    """
    seat = (leader + p) & 3
    wants = (c[MAXI] >> seat) & 1
    moves = c[at + MOVES]
    left = 0
    n = 0
    while moves:
        card = (moves & 63) - 1
        moves >>= 6
        if c[at + N_TRIED] and spared(c, at, p, seat, card, need):
            continue
        take(c, at, seat, card, p)
        suit = lane_of(card) if p == 0 else led
        value = seen(c, t, at + LEVEL_CELLS, leader, p + 1, k, suit, need, total, wants)
        if value < 0:
            left |= (card + 1) << (6 * n)
            n += 1
        elif noted(c, at, wants, card, value, need):
            c[at + CARD] = card
            return value
    c[at + MOVES] = left
    return -1


@compiled("int64(cells, int64, int64, int64, int64)")
def hope_of(c: Any, base: int, leader: int, start: int, expected: int) -> int:
    """What is expected of the question at the last card of a trick.

    Where a seat has tried a card in vain the others mostly fail too; ``expected`` is what was
    expected as the trick began. ``base`` is the first cell of the trick's levels.
    """
    q = 3
    while q >= start and c[base + q * LEVEL_CELLS + N_TRIED] == 0:
        q -= 1
    if q < start:
        return expected
    return NO if (c[MAXI] >> ((leader + q) & 3)) & 1 else YES


@compiled(
    "UniTuple(int64, 2)(cells, cells, int64, int64, int64, int64, int64, int64, int64, int64)"
)
def elsewhere(
    c: Any,
    t: Any,
    base: int,
    leader: int,
    start: int,
    k: int,
    led: int,
    need: int,
    total: int,
    hope: int,
) -> tuple[int, int]:
    """Before the last card of a trick is searched: whether another card of an earlier seat will do.

    Asked of the seats that are expected to have their way and still try their first card. Returns
    the bound and the level that it settles, or -1 and 3, with all levels as they were.
    """
    q = 2
    levels = GLANCES >> (4 * k)
    while q >= start and (levels >> q) & 1:
        at = base + q * LEVEL_CELLS
        if c[at + N_TRIED]:
            break
        side = YES if (c[MAXI] >> ((leader + q) & 3)) & 1 else NO
        if c[at + MOVES] and hope == side:
            value = glance(c, t, at, leader, q, k, led, need, total)
            if value >= 0:
                return value, q
        q -= 1
    while q < 2:
        q += 1
        at = base + q * LEVEL_CELLS
        take(c, at, (leader + q) & 3, c[at + CARD], q)
    return -1, 3
