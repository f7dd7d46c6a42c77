"""The compiled search for goals that are made or lost by who wins which trick.

All cards count nothing here, so that states of one structure are the same state, and one word
of the table holds a proven answer.
"""

from typing import Any

from engine.play import JAS_EXEMPT
from engine.solver_bounds import sure_bounds
from engine.solver_memory import BOUND, structure_of
from engine.solver_moves import learn, moves_of
from engine.solver_tables import (
    BEATS,
    BITS,
    BUDGET,
    CARD,
    DECLARER,
    DUCKS,
    DUTY,
    FIRST_JOINS,
    GOAL,
    HANDS,
    HIDDEN,
    JAS,
    LANE_MASK,
    LEFT,
    LEVEL_CELLS,
    LEVELS,
    MAXI,
    MOVES,
    NODES,
    PAST,
    ROOT_BEST,
    ROOT_LED,
    ROOT_POINTS,
    ROOT_SEAT,
    SAFE,
    STAMP,
    STOP,
    SUM,
    SURE,
    THEIRS_SHIFT,
    TOP,
    TOP_SEAT,
    TRIED,
    TRUMP_LANE,
    TRUMPS,
    WIDTH,
    cells_of,
    compiled,
    count,
    lane_of,
)

ONE_WITH_JAS, EXACTLY_ONE, FIRST_FOUR, CALLED_FOUR, ALL = range(-5, 0)
NONE, FIRST_ONLY = 1, 2
LOST, MADE, OPEN = 0, 1, 2

CALLED_TAKEN = 8
"""Set in the count of tricks once the called card has fallen to the side."""

_ANSWER = 1 << 38
_WON_SHIFT = 39
_SIDE_SHIFT = 43
_STAMP_SHIFT = 47
_LEFT_SHIFT = 59
_STAMPS = ((1 << _LEFT_SHIFT) - 1) ^ ((1 << _STAMP_SHIFT) - 1)
_QUESTION = ((1 << _LEFT_SHIFT) - 1) ^ _ANSWER
WORTH_KEEPING = 2
"""Fewer tricks than this are played out again rather than looked up."""


@compiled("int64(cells, int64, int64, int64, int64, int64)")
def after_trick(c: Any, left: int, number: int, seat: int, card: int, won: int) -> int:
    """What trick ``number`` (from 0), won by ``seat`` with ``card``, decides.

    ``left`` are the cards still in the hands, ``won`` the tricks that count, before this one.
    Returns LOST, MADE, or OPEN + the tricks that count now.
    """
    goal = c[GOAL]
    mine = (c[MAXI] >> seat) & 1
    declarer = (c[DECLARER] >> seat) & 1
    end = left == 0
    if goal == ALL:
        if not mine:
            return LOST
    elif goal == NONE:
        if mine:
            return LOST
    elif goal == FIRST_ONLY:
        if declarer != (1 if number == 0 else 0):
            return LOST
    elif goal == FIRST_FOUR:
        if not mine or (number < 4 and not declarer):
            return LOST
    elif goal == ONE_WITH_JAS:
        if declarer and (c[JAS] >> card) & 1 == 0:
            return LOST
    elif goal == EXACTLY_ONE:
        won += declarer
        if won > 1 or (end and won != 1):
            return LOST
    else:
        tricks = min((won & 7) + mine, 4)
        taken = won & CALLED_TAKEN
        if taken == 0 and c[HIDDEN] & left == 0:
            if not mine:
                return LOST
            taken = CALLED_TAKEN
        if tricks + (count(left) >> 2) < 4:
            return LOST
        if tricks == 4 and taken:
            return MADE
        won = tricks | taken
    return MADE if end else OPEN + won


@compiled("int64(cells, int64, int64)")
def shies(c: Any, rem: int, won: int) -> int:
    """Whether from here on declarer must not win a trick."""
    goal = c[GOAL]
    if goal == NONE:
        return 1
    if goal == FIRST_ONLY:
        return 1 if c[PAST] > 0 else 0
    if goal == ONE_WITH_JAS:
        return 0 if c[JAS] & rem else 1
    if goal == EXACTLY_ONE:
        return won
    return 0


@compiled("int64(cells, int64, int64, int64, int64)")
def settled(c: Any, rem: int, leader: int, won: int, k: int) -> int:
    """What is decided at the start of a trick, ``k`` of which are left: LOST, MADE or OPEN."""
    goal = c[GOAL]
    # Tricks that trumps are sure of come whether wanted or not.
    sure = c[SURE + ((rem >> (TRUMP_LANE * WIDTH)) & LANE_MASK)] if c[TRUMPS] else 0
    ours = sure & 15
    theirs = (sure >> THEIRS_SHIFT) & 15
    if goal in (ALL, FIRST_FOUR):
        if theirs:
            return LOST
        if goal == ALL and sure_bounds(c, rem, leader, k, k, k) & BOUND == k:
            return MADE
    elif goal == CALLED_FOUR:
        if (won & 7) + k - theirs < 4:
            return LOST
    elif goal == NONE:
        if ours:
            return LOST
        if theirs >= k:
            return MADE
    elif c[DECLARER] != c[MAXI]:
        # The goals left ask for declarer's own tricks; what a side is sure of does not tell.
        return OPEN
    elif goal == FIRST_ONLY and c[PAST] > 0:
        if ours:
            return LOST
        if theirs >= k:
            return MADE
    elif goal == EXACTLY_ONE:
        if won + ours > 1:
            return LOST
    elif goal == ONE_WITH_JAS:
        if ours > (1 if c[JAS] & rem else 0):
            return LOST
    # A jas that is never forced can wait for the last trick.
    waits = c[JAS] if goal == ONE_WITH_JAS and c[DUTY] & JAS_EXEMPT else 0
    if (waits or shies(c, rem, won)) and c[DECLARER] == c[MAXI] and c[DECLARER] != 1 << leader:
        for seat in range(4):
            if (c[DECLARER] >> seat) & 1 and rem & c[TRUMPS] & c[HANDS + seat] & ~waits:
                return OPEN
        safe = 1
        for lane in range(TRUMP_LANE if c[TRUMPS] else 4):
            safe &= c[SAFE + lane * 512 + ((rem >> (lane * WIDTH)) & LANE_MASK)]
        if safe:
            return MADE
    return OPEN


@compiled("int64(cells, cells, int64, int64, int64, int64)")
def reaches_goal(c: Any, t: Any, rem: int, leader: int, won: int, start: int) -> int:
    """Whether the goal can be forced (MADE or LOST); nothing once ``STOP`` is set."""
    c[NODES] += 1
    if c[NODES] > c[BUDGET]:
        c[STOP] = 2
    if c[STOP]:
        return LOST
    k = (count(rem) + start + 3) >> 2
    p = start
    base = LEVELS + k * 4 * LEVEL_CELLS
    at = base + p * LEVEL_CELLS
    led = 0
    word = 0
    cell = 0
    if start == 0:
        if c[FIRST_JOINS] == 0:
            known = settled(c, rem, leader, won, k)
            if known != OPEN:
                return known
        word = structure_of(c, rem) | (leader << 36)
        word |= (won << _WON_SHIFT) | (c[MAXI] << _SIDE_SHIFT) | (c[STAMP] << _STAMP_SHIFT)
        mixed = (word ^ (word >> 17)) * 0x1E3779B97F4A7C15
        cell = ((mixed >> (60 - c[BITS])) & ((1 << c[BITS]) - 1)) * 8
        for i in range(cell, cell + 8 if k >= WORTH_KEEPING else cell):
            if t[i] & _QUESTION == word:
                return MADE if t[i] & _ANSWER else LOST
        c[at + TOP] = 0
        c[at + TOP_SEAT] = 0
        c[at + SUM] = 0
    else:
        c[at + TOP] = c[ROOT_BEST]
        c[at + TOP_SEAT] = c[ROOT_SEAT]
        c[at + SUM] = c[ROOT_POINTS]
        led = c[ROOT_LED]
    c[at + LEFT] = rem
    maxi = c[MAXI]
    # One who may win no further trick, but with the jas, has fewer cards worth trying.
    ducks = 0
    if maxi == c[DECLARER] and (c[GOAL] == ONE_WITH_JAS or shies(c, rem, won)):
        ducks = 1
    c[DUCKS] = ducks
    fresh = True
    answer = LOST
    while True:
        at = base + p * LEVEL_CELLS
        seat = (leader + p) & 3
        if fresh:
            none = 0
            c[at + MOVES] = moves_of(
                c, c[at + LEFT], leader, p, k, led, c[at + TOP], c[at + TOP_SEAT], none, none
            )
            c[at + TRIED] = 0
            fresh = False
        if c[at + MOVES] == 0:
            answer = LOST if (maxi >> seat) & 1 else MADE
            if p == start:
                break
            p -= 1
        else:
            card = (c[at + MOVES] & 63) - 1
            c[at + MOVES] >>= 6
            c[at + CARD] = card
            top = card
            top_seat = seat
            if p == 0:
                led = lane_of(card)
            elif (c[BEATS + c[at + TOP]] >> card) & 1 == 0:
                top = c[at + TOP]
                top_seat = c[at + TOP_SEAT]
            left = c[at + LEFT] ^ (1 << card)
            if p < 3:
                p += 1
                at = base + p * LEVEL_CELLS
                c[at + LEFT] = left
                c[at + TOP] = top
                c[at + TOP_SEAT] = top_seat
                c[at + SUM] = 0
                fresh = True
                continue
            number = c[PAST]
            if c[FIRST_JOINS] and number == 0:
                c[MAXI] = maxi | (1 << top_seat)
            answer = after_trick(c, left, number, top_seat, top, won)
            if answer >= OPEN:
                zero = left ^ left
                c[PAST] = number + 1
                answer = reaches_goal(c, t, left, top_seat, answer - OPEN, zero)
                c[PAST] = number
            c[MAXI] = maxi
            c[DUCKS] = ducks
            if c[STOP]:
                return LOST
        done = False
        while True:
            at = base + p * LEVEL_CELLS
            seat = (leader + p) & 3
            card = c[at + CARD]
            if (maxi >> seat) & 1 != answer:
                c[at + TRIED] = (c[at + TRIED] << 6) | (card + 1)
                break
            learn(c, at, k, p, led, seat, card)
            if p == start:
                done = True
                break
            p -= 1
        if done:
            break
    if start == 0 and k >= WORTH_KEEPING:
        # What belongs to another deal gives way, else the answer that is cheapest to find again.
        place = cell
        least = 16
        for i in range(cell, cell + 8):
            if (t[i] ^ word) & _STAMPS:
                place = i
                break
            if t[i] >> _LEFT_SHIFT < least:
                least = t[i] >> _LEFT_SHIFT
                place = i
        t[place] = word | (k << _LEFT_SHIFT) | (_ANSWER if answer == MADE else 0)
    return answer


@compiled("int64(int64[::1], int64[::1], int64, int64, int64, int64)")
def decide(c: Any, t: Any, rem: int, leader: int, won: int, start: int) -> int:
    """:func:`reaches_goal` for callers that hold arrays."""
    return reaches_goal(cells_of(c), cells_of(t), rem, leader, won, start)
