"""The compiled search: what a position is worth with open cards, by zero-window alpha-beta.

A search asks "is the value at least ``need``?" and answers with a bound: a result of ``need`` or
more is a proven lower bound of the value, a smaller one a proven upper bound (fail-soft). An exact
value is a series of such questions. What a table of positions adds is proven too, so a value
never depends on what was searched before; only the time does.

One call of :func:`search` plays out one trick: its four levels are a loop, not a recursion, and
only complete tricks call again.
"""

from typing import Any

from engine.solver_bounds import NO_VALUE, ending, last_trick
from engine.solver_glance import HOPE_SHIFT, NO, YES, elsewhere, hope_of, known_bounds, take
from engine.solver_memory import (
    BOUND,
    MOVE_IN_PROBE,
    store,
)
from engine.solver_moves import AGE_BITS, FULL_RATE, learn, moves_of, noted, spared
from engine.solver_tables import (
    BUDGET,
    BY_MISTAKES,
    CARD,
    CHOICE,
    ENDING_BITS,
    ENDINGS,
    GAIN,
    GOAL,
    HISTORY,
    KNOWN,
    LEADS,
    LEFT,
    LEVEL_CELLS,
    LEVELS,
    MAXI,
    MOVES,
    N_SITUATIONS,
    N_TRIED,
    NARROW,
    NEXT_LEFT,
    NEXT_SEAT,
    NODES,
    POINTS,
    REPLY,
    ROOT_BEST,
    ROOT_LED,
    ROOT_POINTS,
    ROOT_SEAT,
    SCORE,
    SLOTS,
    STAMP,
    STOP,
    SUM,
    TOP,
    TOP_SEAT,
    TRIED,
    VALUE,
    WIDTH,
    WORTH,
    cells_of,
    compiled,
    count,
    lane_of,
    prepare,
)

ESTIMATE = 1 << 11  # set in the stamp of what an estimate leaves in the table
ESTIMATE_WIDTH = 2
FIRST_STEP = 3
BY_MISTAKES_TO = 4  # tricks left; before that there is little to learn from yet
SHY_FROM = 1  # goals from this number on forbid tricks
SHY_AGE = 2  # what is expected of them is worth as much as this was learnt


@compiled("int64(cells, cells, int64, int64, int64, int64, int64, int64)")
def search(
    c: Any, t: Any, rem: int, leader: int, need: int, total: int, start: int, known: int
) -> int:
    """A bound of the value of a state that settles whether it is at least ``need``.

    ``rem`` are the cards in the hands, ``total`` what all the rest of the play is worth, ``start``
    how many cards lie on the table (not 0 only at the root; the cells ``ROOT_…`` describe them),
    ``known`` the bounds known before and the move to try first, packed as by a probe, and what is
    expected of the answer above them, of which only the time depends; they do not settle the
    question. A result means nothing once the cell ``STOP`` is set.
    """
    c[NODES] += 1
    if c[NODES] > c[BUDGET]:
        c[STOP] = 2
    if c[STOP]:
        return 0
    k = (count(rem) + start + 3) >> 2
    low = known & BOUND
    high = (known >> 13) & BOUND
    move = (known >> MOVE_IN_PROBE) & 63
    expected = known >> HOPE_SHIFT
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
    value: int = 0
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
            c[at + N_TRIED] = 0
            c[at + VALUE] = -1 if wants else NO_VALUE
            c[at + CHOICE] = 0
            fresh = False
            if p < 3:
                c[at + MOVES] = moves
                continue
            # The trick closes: first see what is known of what follows, then search it.
            settled = 0
            several = moves >> 6  # from the only card there is nothing to learn
            unknown = 0
            n = 0
            while moves and settled == 0:
                card = (moves & 63) - 1
                moves >>= 6
                if c[at + N_TRIED] and spared(c, at, p, seat, card, need):
                    continue
                take(c, at, seat, card, p)
                left = c[at + NEXT_LEFT]
                gain = c[at + GAIN]
                rest = total - c[at + WORTH]
                if k == 1:
                    value = gain
                elif k == 2:
                    ours = (c[SCORE] >> last_trick(c, left, c[at + NEXT_SEAT])) & 1
                    value = gain + (rest if ours else 0)
                elif k == 3:
                    value = gain + ending(c, left, c[at + NEXT_SEAT], rest)
                else:
                    found = known_bounds(c, t, left, c[at + NEXT_SEAT], rest, need - gain)
                    value = gain + (found & BOUND)
                    if value < need:
                        value = gain + ((found >> 13) & BOUND)
                        if value >= need:
                            c[at + KNOWN + n] = found
                            unknown |= (card + 1) << (6 * n)
                            n += 1
                            continue
                settled = noted(c, at, wants, card, value, need)
                if settled and several and (c[at + TRIED] or c[BY_MISTAKES] == 0):
                    learn(c, at, k, p, led, seat, card)
            q = 3
            hope = expected
            if unknown and settled == 0:
                hope = hope_of(c, base, leader, start, expected)
                value, q = elsewhere(c, t, base, leader, start, k, led, need, total, hope)
                if q < 3:
                    settled = 1
            n = 0
            while unknown and settled == 0:
                card = (unknown & 63) - 1
                unknown >>= 6
                found = c[at + KNOWN + n]
                n += 1
                if c[at + N_TRIED] and spared(c, at, p, seat, card, need):
                    continue
                take(c, at, seat, card, p)
                left = c[at + NEXT_LEFT]
                gain = c[at + GAIN]
                rest = total - c[at + WORTH]
                if c[at + N_TRIED]:
                    hope = NO if wants else YES
                found |= hope << HOPE_SHIFT
                zero = left ^ left
                value = gain + search(c, t, left, c[at + NEXT_SEAT], need - gain, rest, zero, found)
                if c[STOP]:
                    return 0
                settled = noted(c, at, wants, card, value, need)
                if settled and several and (c[at + TRIED] or c[BY_MISTAKES] == 0):
                    learn(c, at, k, p, led, seat, card)
            if q < 3:
                p = q
            else:
                value = c[at + VALUE]
                if p == start:
                    break
                p -= 1
        elif c[at + MOVES] == 0:
            # Nothing settled it: the best of all moves is a bound on the other side.
            value = c[at + VALUE]
            if p == start:
                break
            p -= 1
        else:
            card = (c[at + MOVES] & 63) - 1
            c[at + MOVES] >>= 6
            if c[at + N_TRIED] and spared(c, at, p, seat, card, need):
                continue
            c[at + CARD] = card
            if p == 0:
                led = lane_of(card)
            take(c, at, seat, card, p)
            p += 1
            fresh = True
            continue
        # ``value`` is that of the card just tried at level p: hand it up as far as it settles.
        done = False
        while True:
            at = base + p * LEVEL_CELLS
            seat = (leader + p) & 3
            card = c[at + CARD]
            if noted(c, at, (maxi >> seat) & 1, card, value, need) == 0:
                break
            sure = c[BY_MISTAKES] and k <= BY_MISTAKES_TO
            if c[at + TRIED] or (c[at + MOVES] and not sure):
                learn(c, at, k, p, led, seat, card)
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


@compiled("int64(cells, cells, int64, int64, int64, int64, int64)")
def answer(c: Any, t: Any, rem: int, leader: int, need: int, total: int, start: int) -> int:
    """As :func:`search`, from the root: what is known already is looked up first."""
    known = total << 13
    if start == 0:
        known = known_bounds(c, t, rem, leader, total, need)
        if known & BOUND >= need:
            return known & BOUND
        if (known >> 13) & BOUND < need:
            return (known >> 13) & BOUND
    return search(c, t, rem, leader, need, total, start, known)


@compiled("int64(cells, cells, int64, int64, int64, int64, int64)")
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


@compiled("int64(cells, cells, int64, int64, int64, int64, int64)")
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


@compiled("void(cells)")
def begin(c: Any) -> None:
    """A new deal: lane tables, and what is expected of each card before anything is learnt."""
    prepare(c)
    for i in range(1 << ENDING_BITS):
        c[ENDINGS + i] = 0
    shy = c[GOAL] >= SHY_FROM
    for k in range(9):
        for situation in range(N_SITUATIONS):
            for card in range(SLOTS):
                at = HISTORY + (k * N_SITUATIONS + situation) * SLOTS + card
                points = c[POINTS + card]
                high = card % WIDTH
                if shy:
                    # Who must not win tricks leads low and ducks high; so do those who wait for it.
                    if situation >= LEADS:
                        rate = 3000 - 128 * high
                    elif situation & 1:
                        rate = 1024 + 64 * high
                    else:
                        rate = 2048 + 64 * high
                elif situation >= LEADS:
                    rate = 2048 + 64 * (card % WIDTH)
                elif situation & 3 == 0:
                    rate = 1500 - 40 * points
                elif situation & 3 == 1:
                    rate = 2600
                elif situation & 3 == 2:
                    rate = 2048 + 40 * points
                else:
                    rate = 1800
                c[at] = (max(rate, 64) << AGE_BITS) | (SHY_AGE if shy else 0)
    for i in range(2 * SLOTS * SLOTS):
        c[REPLY + i] = FULL_RATE >> 1 << AGE_BITS


@compiled("int64(int64[::1], int64[::1], int64, int64, int64, int64, int64)")
def solve_exact(c: Any, t: Any, rem: int, leader: int, total: int, start: int, guess: int) -> int:
    """:func:`exact` for callers that hold arrays."""
    return exact(cells_of(c), cells_of(t), rem, leader, total, start, guess)


@compiled("int64(int64[::1], int64[::1], int64, int64, int64, int64, int64)")
def ask(c: Any, t: Any, rem: int, leader: int, need: int, total: int, start: int) -> int:
    """:func:`answer` for callers that hold arrays."""
    return answer(cells_of(c), cells_of(t), rem, leader, need, total, start)


@compiled("void(int64[::1])")
def set_up(c: Any) -> None:
    """:func:`begin` for callers that hold an array."""
    begin(cells_of(c))
