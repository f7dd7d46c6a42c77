"""The compiled search: what a position is worth with open cards, by zero-window alpha-beta.

A search asks "is the value at least ``need``?" and answers with a bound: a result of ``need`` or
more is a proven lower bound of the value, a smaller one a proven upper bound (fail-soft). An exact
value is a series of such questions. What a table of positions adds is proven too, so a value
never depends on what was searched before; only the time does.

One call of :func:`search` plays out one trick: its four levels are a loop, not a recursion, and
only complete tricks call again.
"""

from typing import Any

from numba import njit

from engine.play import TRUMP_ALWAYS, TRUMP_WHEN_VOID, legal_mask
from engine.solver_tables import (
    BEATS,
    BITS,
    BUDGET,
    DUTY,
    HANDS,
    HIDDEN,
    HISTORY,
    JAS,
    KEYS,
    LANE_INFO,
    LANE_MASK,
    LAST,
    LEADS,
    LEVEL_CELLS,
    LEVELS,
    MAXI,
    N_SITUATIONS,
    NARROW,
    NODES,
    OPEN_SCORE,
    PAIR_SHIFT,
    PAIRS,
    PER_TRICK,
    POINTS,
    RANK_SHIFT,
    REPLY,
    ROOT_BEST,
    ROOT_LED,
    ROOT_POINTS,
    ROOT_SEAT,
    RUN_LENGTH_SHIFT,
    RUN_POINTS_SHIFT,
    RUNS,
    SCORE,
    SLOTS,
    STAMP,
    STOP,
    SURE,
    SURE_POINTS_SHIFT,
    THEIRS_SHIFT,
    TRUMP_LANE,
    TRUMPS,
    WIDTH,
    WORTHLESS,
    count,
    lowest,
    prepare,
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

# Cells of one level of a trick.
(
    LEFT,
    MOVES,
    TRIED,
    VALUE,
    CARD,
    TOP,
    TOP_SEAT,
    SUM,
    CHOICE,
    NEXT_LEFT,
    NEXT_SEAT,
    GAIN,
    REST_OFF,
    KNOWN,
) = range(14)

FULL_RATE = 4096
LEARNING = 3  # a rate moves by an eighth of the way to 0 or 1
ESTIMATE = 1 << 11  # set in the stamp of what an estimate leaves in the table
ESTIMATE_WIDTH = 2
FIRST_STEP = 3
NO_VALUE = 1 << 20


@njit("int64(int64[::1], int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def structure_of(c: Any, rem: int) -> int:
    """Who owns which place in each suit, counted from the top: the same for isomorphic states."""
    key = 0
    for lane in range(4):
        sub = (rem >> (lane * WIDTH)) & LANE_MASK
        key |= (c[LANE_INFO + lane * 512 + sub] & LANE_MASK) << (lane * WIDTH)
    return key


@njit("int64(int64[::1], int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def bucket_of(c: Any, key: int, leader: int) -> int:
    """First cell of the bucket for a structure and a leader."""
    mixed = (key ^ (leader << LEADER_SHIFT) ^ (key >> 17)) * 0x1E3779B97F4A7C15
    bits = c[BITS]
    return ((mixed >> (63 - bits)) & ((1 << bits) - 1)) * BUCKET_CELLS


@njit("int64(int64[::1], int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def difference(c: Any, known: int, asked: int) -> int:
    """How far two states of one structure may differ: (gain << 16) | loss.

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


@njit("int64(int64[::1], int64[::1], int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def probe(c: Any, t: Any, rem: int, leader: int, total: int) -> int:
    """What the table knows of a state at the start of a trick, packed."""
    key = structure_of(c, rem)
    at = bucket_of(c, key, leader)
    want = key | (leader << LEADER_SHIFT) | (c[STAMP] << STAMP_SHIFT)
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
            lo -= shift & 0xFFFF
            hi += shift >> 16
        low = max(low, lo)
        high = min(high, hi)
    return low | (high << 13) | (move << MOVE_IN_PROBE)


@njit(
    "void(int64[::1], int64[::1], int64, int64, int64, int64, int64, int64)",
    cache=True,
    nogil=True,
)  # type: ignore[untyped-decorator]
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


@njit("int64(int64[::1], int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def cheapest(c: Any, hand: int, n: int) -> int:
    """Points of the ``n`` cheapest cards of a hand."""
    out = 0
    while n > 0 and hand:
        least = 1 << 16
        left = hand
        card = 0
        while left:
            i = lowest(left)
            left &= left - 1
            if c[POINTS + i] < least:
                least = c[POINTS + i]
                card = i
                if least == 0:
                    break
        hand ^= 1 << card
        out += least
        n -= 1
    return out


@njit("int64(int64[::1], int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def their_cheapest(c: Any, rem: int, seats: int, n: int) -> int:
    """Points of the ``n`` cheapest cards of each of some seats."""
    out = 0
    for seat in range(4):
        if (seats >> seat) & 1:
            hand = rem & c[HANDS + seat]
            if count(hand & c[WORTHLESS]) < n:
                out += cheapest(c, hand, n)
    return out


@njit("int64(int64[::1], int64, int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def sure_bounds(c: Any, rem: int, leader: int, total: int, k: int) -> int:
    """Bounds that follow from sure tricks alone: low | (high << 13)."""
    low = 0
    high = total
    score = c[SCORE]
    trumps = c[TRUMPS]
    if trumps:
        sure = c[SURE + ((rem >> (TRUMP_LANE * WIDTH)) & LANE_MASK)]
        n = sure & 15
        if n >= k:
            low = total
        elif n:
            low = (sure >> SURE_POINTS_SHIFT) & 0xFFFF
            low += n * c[PER_TRICK] + their_cheapest(c, rem, 15 ^ c[OPEN_SCORE], n)
        sure >>= THEIRS_SHIFT
        n = sure & 15
        if n >= k:
            high = 0
        elif n:
            high -= sure >> SURE_POINTS_SHIFT
            high -= n * c[PER_TRICK] + their_cheapest(c, rem, score, n)
    # The leader's own runs, where nobody can ruff or all can be drawn.
    ours = (score >> leader) & 1
    if c[HIDDEN] & rem and ours and not (c[OPEN_SCORE] >> leader) & 1:
        return low | (high << 13)
    enemies = 15 ^ score if ours else score
    if trumps & rem:
        run = c[RUNS + TRUMP_LANE * 512 + ((rem >> (TRUMP_LANE * WIDTH)) & LANE_MASK)]
        rounds = (run >> RUN_LENGTH_SHIFT) & 15 if run & 3 == leader else 0
        # A friend who must ruff would take the lead.
        others = 15 if c[DUTY] & (TRUMP_WHEN_VOID | TRUMP_ALWAYS) else enemies
        for seat in range(4):
            if (others >> seat) & 1 and seat != leader:
                if count(rem & trumps & c[HANDS + seat]) > rounds:
                    return low | (high << 13)
    n = 0
    points = 0
    for lane in range(4):
        sub = (rem >> (lane * WIDTH)) & LANE_MASK
        if sub:
            run = c[RUNS + lane * 512 + sub]
            if run & 3 == leader:
                n += (run >> RUN_LENGTH_SHIFT) & 15
                points += run >> RUN_POINTS_SHIFT
    if n >= k:
        points = total
    elif n:
        points += n * c[PER_TRICK] + their_cheapest(c, rem, enemies, n)
    if ours:
        low = max(low, points)
    else:
        high = min(high, total - points)
    return low | (high << 13)


@njit("int64(int64[::1], int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def last_trick(c: Any, rem: int, leader: int) -> int:
    """Winner of a trick in which each hand has one card left."""
    seat = leader
    best = lowest(rem & c[HANDS + leader])
    for i in range(1, 4):
        s = (leader + i) & 3
        card = lowest(rem & c[HANDS + s])
        if (c[BEATS + best] >> card) & 1:
            best = card
            seat = s
    return seat


@njit("int64(int64[::1], int64, int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def two_tricks(c: Any, rem: int, leader: int, need: int, total: int) -> int:
    """As :func:`search`, for two tricks to go: played out on the spot."""
    if need <= 0:
        return 0
    if need > total:
        return total
    duty = c[DUTY]
    trumps = c[TRUMPS]
    jas = c[JAS]
    maxi = c[MAXI]
    score = c[SCORE]
    hidden = c[HIDDEN]
    s1 = (leader + 1) & 3
    s2 = (leader + 2) & 3
    s3 = (leader + 3) & 3
    max0 = (maxi >> leader) & 1
    max1 = (maxi >> s1) & 1
    max2 = (maxi >> s2) & 1
    max3 = (maxi >> s3) & 1
    hand1 = rem & c[HANDS + s1]
    hand2 = rem & c[HANDS + s2]
    hand3 = rem & c[HANDS + s3]
    value0 = -1 if max0 else NO_VALUE
    moves0 = rem & c[HANDS + leader]
    while moves0:
        card0 = lowest(moves0)
        moves0 &= moves0 - 1
        led = LANE_MASK << (card0 // WIDTH * WIDTH)
        rem0 = rem ^ (1 << card0)
        points0 = c[POINTS + card0] + c[PER_TRICK]
        beats0 = c[BEATS + card0]
        value1 = -1 if max1 else NO_VALUE
        moves1 = legal_mask(duty, hand1, led, trumps, beats0, jas)
        while moves1:
            card1 = lowest(moves1)
            moves1 &= moves1 - 1
            rem1 = rem0 ^ (1 << card1)
            points1 = points0 + c[POINTS + card1]
            beats1 = beats0
            top1 = leader
            if (beats0 >> card1) & 1:
                beats1 = c[BEATS + card1]
                top1 = s1
            value2 = -1 if max2 else NO_VALUE
            moves2 = legal_mask(duty, hand2, led, trumps, beats1, jas)
            while moves2:
                card2 = lowest(moves2)
                moves2 &= moves2 - 1
                rem2 = rem1 ^ (1 << card2)
                points2 = points1 + c[POINTS + card2]
                beats2 = beats1
                top2 = top1
                if (beats1 >> card2) & 1:
                    beats2 = c[BEATS + card2]
                    top2 = s2
                value3 = -1 if max3 else NO_VALUE
                moves3 = legal_mask(duty, hand3, led, trumps, beats2, jas)
                while moves3:
                    card3 = lowest(moves3)
                    moves3 &= moves3 - 1
                    left = rem2 ^ (1 << card3)
                    points = points2 + c[POINTS + card3]
                    top = top2
                    if (beats2 >> card3) & 1:
                        top = s3
                    counted = c[OPEN_SCORE] if hidden & left else score
                    value = points if (counted >> top) & 1 else 0
                    if (score >> last_trick(c, left, top)) & 1:
                        value += total - points
                    if max3:
                        value3 = max(value3, value)
                        if value3 >= need:
                            break
                    else:
                        value3 = min(value3, value)
                        if value3 < need:
                            break
                if max2:
                    value2 = max(value2, value3)
                    if value2 >= need:
                        break
                else:
                    value2 = min(value2, value3)
                    if value2 < need:
                        break
            if max1:
                value1 = max(value1, value2)
                if value1 >= need:
                    break
            else:
                value1 = min(value1, value2)
                if value1 < need:
                    break
        if max0:
            value0 = max(value0, value1)
            if value0 >= need:
                break
        else:
            value0 = min(value0, value1)
            if value0 < need:
                break
    return value0


@njit("int64(int64[::1], int64, int64, int64, int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def history_cell(c: Any, k: int, p: int, led: int, top: int, own: int, card: int) -> int:
    """Cell that counts how often a card, in this kind of situation, settled the matter.

    ``top`` is the card that is winning the trick; for a lead it is its :func:`lead_kind`.
    """
    if p == 0:
        situation = LEADS + top
    else:
        situation = (p - 1) * 16 + led * 4 + own * 2 + ((c[BEATS + top] >> card) & 1)
    return HISTORY + (k * N_SITUATIONS + situation) * SLOTS + card


@njit("int64(int64[::1], int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def lead_kind(c: Any, rem: int, seat: int, card: int) -> int:
    """What kind of lead a card is: who holds the top of its suit, and can an enemy ruff."""
    maxi = c[MAXI]
    mine = (maxi >> seat) & 1
    lane = card // WIDTH
    boss = c[RUNS + lane * 512 + ((rem >> (lane * WIDTH)) & LANE_MASK)] & 3
    kind = 0
    if boss == seat:
        higher = rem & c[BEATS + card] & (LANE_MASK << (lane * WIDTH))
        kind = 1 if higher else 2
    elif (maxi >> boss) & 1 == mine:
        kind = 3
    trumps = rem & c[TRUMPS]
    if trumps and lane != TRUMP_LANE:
        for s in range(4):
            if (maxi >> s) & 1 != mine and trumps & c[HANDS + s]:
                return kind + 4
    return kind


@njit("int64(int64[::1], int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def reply_cell(c: Any, points: int, top: int, card: int) -> int:
    """Cell that counts how often a card was the right answer to another."""
    rich = 1 if points >= 8 else 0
    return REPLY + (rich * SLOTS + top) * SLOTS + card


@njit(
    "int64(int64[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64)",
    cache=True,
    nogil=True,
)  # type: ignore[untyped-decorator]
def moves_of(
    c: Any,
    rem: int,
    leader: int,
    p: int,
    k: int,
    led: int,
    top: int,
    top_seat: int,
    points: int,
    first: int,
) -> int:
    """Cards worth trying, likeliest first, packed six bits each (place + 1; 0 ends the list)."""
    seat = (leader + p) & 3
    hand = rem & c[HANDS + seat]
    occupied = rem
    if p == 0:
        legal = hand
    else:
        legal = legal_mask(
            c[DUTY], hand, LANE_MASK << (led * WIDTH), c[TRUMPS], c[BEATS + top], c[JAS]
        )
        occupied |= 1 << top
    if legal & (legal - 1) == 0:
        return lowest(legal) + 1
    maxi = c[MAXI]
    mine = (maxi >> seat) & 1
    own = 0
    if p > 0 and (maxi >> top_seat) & 1 == mine:
        own = 1
    later_maxi = 0
    later_mini = 0
    for i in range(p + 1, 4):
        s = (leader + i) & 3
        if (maxi >> s) & 1:
            later_maxi |= rem & c[HANDS + s]
        else:
            later_mini |= rem & c[HANDS + s]
    loose = c[HIDDEN] == 0
    alone = c[JAS] | c[HIDDEN]
    chosen = 0
    previous = -1
    left = legal
    while left:
        card = lowest(left)
        bit = 1 << card
        left ^= bit
        # Is the card right above the last one of the same hand, with nothing left between?
        if previous >= 0 and card // WIDTH == previous // WIDTH:
            between = occupied & (bit - 1) & ~((2 << previous) - 1) & ~(hand & ~alone)
            if between == 0 and (bit & alone) == 0 and ((1 << previous) & alone) == 0:
                d = c[POINTS + card] - c[POINTS + previous]
                if d == 0:
                    chosen ^= 1 << previous
                elif loose:
                    best = card
                    holder = seat
                    if p > 0 and (c[BEATS + top] >> card) & 1 == 0:
                        best = top
                        holder = top_seat
                    against = later_mini if (maxi >> holder) & 1 else later_maxi
                    if c[BEATS + best] & against == 0:
                        counts = (c[SCORE] >> holder) & 1
                        if (counts == mine) == (d > 0):
                            chosen ^= 1 << previous
                        else:
                            # The lower one is the better: keep it as the last of the run.
                            continue
        chosen |= bit
        previous = card
    n = 0
    out = 0
    while chosen:
        card = lowest(chosen)
        chosen &= chosen - 1
        if p == 0:
            top = lead_kind(c, rem, seat, card)
        rate = c[history_cell(c, k, p, led, top, own, card)]
        if p > 0:
            rate += c[reply_cell(c, points, top, card)]
        if card + 1 == first:
            rate = 1 << 20
        value = (rate << 6) | (card + 1)
        i = n
        while i > 0 and c[KEYS + i - 1] < value:
            c[KEYS + i] = c[KEYS + i - 1]
            i -= 1
        c[KEYS + i] = value
        n += 1
    for i in range(n):
        out = (out << 6) | (c[KEYS + n - 1 - i] & 63)
    if c[NARROW]:
        out &= (1 << (6 * c[NARROW])) - 1
    return out


@njit(
    "void(int64[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)",
    cache=True,
    nogil=True,
)  # type: ignore[untyped-decorator]
def learn(
    c: Any,
    k: int,
    p: int,
    led: int,
    top: int,
    own: int,
    points: int,
    tried: int,
    card: int,
    rem: int,
    seat: int,
) -> None:
    """A card settled the matter, those tried before it did not."""
    if p == 0:
        top = lead_kind(c, rem, seat, card)
    at = history_cell(c, k, p, led, top, own, card)
    c[at] += (FULL_RATE - c[at]) >> LEARNING
    if p > 0:
        at = reply_cell(c, points, top, card)
        c[at] += (FULL_RATE - c[at]) >> LEARNING
    while tried:
        other = (tried & 63) - 1
        tried >>= 6
        if p == 0:
            top = lead_kind(c, rem, seat, other)
        at = history_cell(c, k, p, led, top, own, other)
        c[at] -= c[at] >> LEARNING
        if p > 0:
            at = reply_cell(c, points, top, other)
            c[at] -= c[at] >> LEARNING


@njit("void(int64[::1], int64, int64, int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def take(c: Any, at: int, led: int, seat: int, card: int, p: int) -> None:
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
    c[at + REST_OFF] = points
    c[at + GAIN] = points if (counted >> top_seat) & 1 else 0


@njit("int64(int64[::1], int64[::1], int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def known_bounds(c: Any, t: Any, rem: int, leader: int, total: int) -> int:
    """What is known of a state at the start of a trick before any search, packed as a probe."""
    k = count(rem) >> 2
    sure = sure_bounds(c, rem, leader, total, k)
    low = sure & BOUND
    high = sure >> 13
    found = probe(c, t, rem, leader, total)
    low = max(low, found & BOUND)
    high = min(high, (found >> 13) & BOUND)
    return low | (high << 13) | (found & (63 << MOVE_IN_PROBE))


@njit(
    "int64(int64[::1], int64[::1], int64, int64, int64, int64, int64, int64)",
    cache=True,
    nogil=True,
)  # type: ignore[untyped-decorator]
def search(
    c: Any, t: Any, rem: int, leader: int, need: int, total: int, start: int, known: int
) -> int:
    """A bound of the value of a state that settles whether it is at least ``need``.

    ``rem`` are the cards in the hands, ``total`` what all the rest of the play is worth, ``start``
    how many cards lie on the table (not 0 only at the root; the cells ``ROOT_…`` describe them),
    ``known`` the bounds known before and the move to try first, packed as by a probe; they do not
    settle the question. A result means nothing once the cell ``STOP`` is set.
    """
    c[NODES] += 1
    if c[NODES] > c[BUDGET]:
        c[STOP] = 2
    if c[STOP]:
        return 0
    k = (count(rem) + start + 3) >> 2
    low = known & BOUND
    high = (known >> 13) & BOUND
    move = known >> MOVE_IN_PROBE
    p = start
    base = LEVELS + k * 4 * LEVEL_CELLS
    at = base + p * LEVEL_CELLS
    led = 0
    entry_nodes = c[NODES]
    c[at + LEFT] = rem
    if start == 0:
        c[at + TOP] = 0
        c[at + TOP_SEAT] = 0
        c[at + SUM] = 0
    else:
        c[at + TOP] = c[ROOT_BEST]
        c[at + TOP_SEAT] = c[ROOT_SEAT]
        c[at + SUM] = c[ROOT_POINTS]
        led = c[ROOT_LED]
    maxi = c[MAXI]
    fresh = True
    value = 0
    while True:
        at = base + p * LEVEL_CELLS
        seat = (leader + p) & 3
        wants = (maxi >> seat) & 1
        if fresh:
            moves = moves_of(
                c, c[at + LEFT], leader, p, k, led, c[at + TOP], c[at + TOP_SEAT], c[at + SUM], move
            )
            move = 0
            c[at + TRIED] = 0
            c[at + VALUE] = -1 if wants else NO_VALUE
            c[at + CHOICE] = 0
            fresh = False
            if p == 3:
                # The trick closes: first see what is known of what follows, then search it.
                unknown = 0
                n = 0
                settled = False
                while moves and not settled:
                    card = (moves & 63) - 1
                    moves >>= 6
                    take(c, at, led, seat, card, 3)
                    left = c[at + NEXT_LEFT]
                    gain = c[at + GAIN]
                    rest = c[at + REST_OFF]
                    rest = total - rest
                    if k == 1:
                        low_c = gain
                        high_c = gain
                    elif k == 2:
                        low_c = gain
                        if (c[SCORE] >> last_trick(c, left, c[at + NEXT_SEAT])) & 1:
                            low_c += rest
                        high_c = low_c
                    elif k == 3:
                        low_c = gain + two_tricks(c, left, c[at + NEXT_SEAT], need - gain, rest)
                        high_c = low_c
                    else:
                        found = known_bounds(c, t, left, c[at + NEXT_SEAT], rest)
                        low_c = gain + (found & BOUND)
                        high_c = gain + ((found >> 13) & BOUND)
                        if low_c < need <= high_c:
                            c[at + KNOWN + n] = found
                            unknown |= (card + 1) << (6 * n)
                            n += 1
                            continue
                    value = low_c if low_c >= need else high_c
                    if wants:
                        settled = value >= need
                        if value > c[at + VALUE]:
                            c[at + VALUE] = value
                            c[at + CHOICE] = card + 1
                    else:
                        settled = value < need
                        if value < c[at + VALUE]:
                            c[at + VALUE] = value
                            c[at + CHOICE] = card + 1
                n = 0
                while unknown and not settled:
                    card = (unknown & 63) - 1
                    unknown >>= 6
                    take(c, at, led, seat, card, 3)
                    gain = c[at + GAIN]
                    rest = c[at + REST_OFF]
                    rest = total - rest
                    left = c[at + NEXT_LEFT]
                    zero = left ^ left
                    value = gain + search(
                        c, t, left, c[at + NEXT_SEAT], need - gain, rest, zero, c[at + KNOWN + n]
                    )
                    if c[STOP]:
                        return 0
                    n += 1
                    if wants:
                        settled = value >= need
                        if value > c[at + VALUE]:
                            c[at + VALUE] = value
                            c[at + CHOICE] = card + 1
                    else:
                        settled = value < need
                        if value < c[at + VALUE]:
                            c[at + VALUE] = value
                            c[at + CHOICE] = card + 1
                    if settled:
                        own = 0
                        if (maxi >> c[at + TOP_SEAT]) & 1 == wants:
                            own = 1
                        learn(
                            c,
                            k,
                            p,
                            led,
                            c[at + TOP],
                            own,
                            c[at + SUM],
                            c[at + TRIED],
                            card,
                            c[at + LEFT],
                            seat,
                        )
                    c[at + TRIED] = (c[at + TRIED] << 6) | (card + 1)
                value = c[at + VALUE]
                if p == start:
                    break
                p -= 1
            else:
                c[at + MOVES] = moves
                continue
        elif c[at + MOVES] == 0:
            # Nothing settled it: the best of all moves is a bound on the other side.
            value = c[at + VALUE]
            if p == start:
                break
            p -= 1
        else:
            card = (c[at + MOVES] & 63) - 1
            c[at + MOVES] >>= 6
            c[at + CARD] = card
            if p == 0:
                led = card // WIDTH
            take(c, at, led, seat, card, p)
            p += 1
            fresh = True
            continue
        # ``value`` is that of the card just tried at level p: hand it up as far as it settles.
        done = False
        while True:
            at = base + p * LEVEL_CELLS
            seat = (leader + p) & 3
            card = c[at + CARD]
            if (maxi >> seat) & 1:
                settled = value >= need
                if value > c[at + VALUE]:
                    c[at + VALUE] = value
                    c[at + CHOICE] = card + 1
            else:
                settled = value < need
                if value < c[at + VALUE]:
                    c[at + VALUE] = value
                    c[at + CHOICE] = card + 1
            if not settled:
                c[at + TRIED] = (c[at + TRIED] << 6) | (card + 1)
                break
            own = 0
            if p > 0 and (maxi >> c[at + TOP_SEAT]) & 1 == (maxi >> seat) & 1:
                own = 1
            learn(
                c,
                k,
                p,
                led,
                c[at + TOP],
                own,
                c[at + SUM],
                c[at + TRIED],
                card,
                c[at + LEFT],
                seat,
            )
            if p == start:
                done = True
                break
            p -= 1
        if done:
            break
    if start == 0:
        if value >= need:
            low = max(low, value)
        else:
            high = min(high, value)
        effort = 0
        spent = c[NODES] - entry_nodes
        while spent:
            effort += 1
            spent >>= 1
        store(c, t, rem, leader, low, high, c[base + CHOICE], effort)
        return low if value >= need else high
    return value


@njit("int64(int64[::1], int64[::1], int64, int64, int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def answer(c: Any, t: Any, rem: int, leader: int, need: int, total: int, start: int) -> int:
    """As :func:`search`, from the root: what is known already is looked up first."""
    known = total << 13
    if start == 0:
        known = known_bounds(c, t, rem, leader, total)
        if known & BOUND >= need:
            return known & BOUND
        if (known >> 13) & BOUND < need:
            return (known >> 13) & BOUND
    return search(c, t, rem, leader, need, total, start, known)


@njit("int64(int64[::1], int64[::1], int64, int64, int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def narrow_down(c: Any, t: Any, rem: int, leader: int, total: int, start: int, guess: int) -> int:
    """Lower and upper bound of a value, ``low | high << 13``: equal unless it was stopped."""
    low = 0
    high = total
    need = min(max(guess, 1), total)
    step = FIRST_STEP
    while low < high:
        value = answer(c, t, rem, leader, need, total, start)
        if c[STOP]:
            break
        if value >= need:
            low = value
            need = low + step
        else:
            high = value
            need = high - step + 1
        step *= 2
        if need <= low or need > high:
            need = (low + high + 1) >> 1
    return low | (high << 13)


@njit("int64(int64[::1], int64[::1], int64, int64, int64, int64, int64)", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def exact(c: Any, t: Any, rem: int, leader: int, total: int, start: int, guess: int) -> int:
    """Lower and upper bound of a value, as :func:`narrow_down`; ``guess`` < 0: none.

    Without a guess the same search with the two likeliest moves of each level makes one: it
    costs a fiftieth of the whole, is off by eight points or so, and teaches the order of moves.
    Its entries carry another stamp and are never read as proven.
    """
    if guess < 0:
        guess = total >> 1
        if count(rem) > 12:
            stamp = c[STAMP]
            c[STAMP] = stamp | ESTIMATE
            c[NARROW] = ESTIMATE_WIDTH
            guess = narrow_down(c, t, rem, leader, total, start, guess) & BOUND
            c[NARROW] = 0
            c[STAMP] = stamp
            if c[STOP]:
                return total << 13
    return narrow_down(c, t, rem, leader, total, start, guess)


@njit("void(int64[::1])", cache=True, nogil=True)  # type: ignore[untyped-decorator]
def begin(c: Any) -> None:
    """A new deal: lane tables, and what is expected of each card before anything is learnt."""
    prepare(c)
    for k in range(9):
        for situation in range(N_SITUATIONS):
            for card in range(SLOTS):
                at = HISTORY + (k * N_SITUATIONS + situation) * SLOTS + card
                points = c[POINTS + card]
                if situation >= LEADS:
                    rate = 2048 + 64 * (card % WIDTH)
                elif situation & 3 == 0:
                    rate = 1500 - 40 * points
                elif situation & 3 == 1:
                    rate = 2600
                elif situation & 3 == 2:
                    rate = 2048 + 40 * points
                else:
                    rate = 1800
                c[at] = max(rate, 64)
    for i in range(2 * SLOTS * SLOTS):
        c[REPLY + i] = 2048
