"""The compiled loop of the batch replay.

It carries every hand that goes regularly as far as columns can tell (offences of calls and cards
included) and leaves the others to the step replay: a hand is carried only where each thing that the step replay
would look at was seen to be in order.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.batch_claims import CARRIED, MISS, MOST_SAID, STEP, judge_claims, judge_shown
from engine.batch_columns import ABSENT, NO_PARTNER_TOLD, SHOW
from engine.batch_memo import (
    ASK_MADE,
    CALLED_AT,
    FAULTS,
    GOAL_BITS,
    JAS_AT,
    JAS_WON_AT,
    KIND_SHIFT,
    MINE_AT,
    NO_CARD,
    NO_TRICK,
    NOT_ASKED,
    OURS_AT,
    SHORT_AT,
    look_up,
)
from engine.batch_result import CODES, STATUSES
from engine.batch_tables import ALONE, FIRST_TRICK, JAS_HOLDER, POINTS_GOAL
from engine.cards import N_CARDS, NO_TRUMP
from engine.play import offence
from engine.replay import OFFENCE_CODES
from engine.state import NOBODY

FAULT_CODES = np.array([CODES.index(f) if f else -1 for f in FAULTS])
PLAY_CODES = np.array([-1, *(CODES.index(OFFENCE_CODES[k]) for k in sorted(OFFENCE_CODES))])
assert sorted(OFFENCE_CODES) == list(range(1, len(PLAY_CODES)))
NOT_CLOSED = CODES.index("auction-not-closed")
REQUIREMENT = CODES.index("bid-requirement")
BAD_PARTNER = CODES.index("partner-mismatch")
BAD_RESULT = CODES.index("result-mismatch")
BAD_POINTS = CODES.index("points-mismatch")
BAD_TRICKS = CODES.index("tricks-mismatch")
BAD_SCORE = CODES.index("score-mismatch")
RECORDED, UNKNOWN, NONE = (STATUSES.index(w) for w in ("recorded", "unknown", "none"))
LOST, MADE, VOID = range(3)
MOST_CALLS = 250
ROOM = MOST_CALLS + 48
"""Most violations of one hand that is carried."""
AUCTION_KEY = -1
"""Missing key that stands for the auction."""


class Columns(NamedTuple):
    """:class:`engine.batch_columns.HandColumns` for compiled code."""

    odd: Any
    dealer: Any
    hands: Any
    middle: Any
    call_start: Any
    calls: Any
    trump: Any
    called: Any
    discard: Any
    n_plays: Any
    plays: Any
    claim_start: Any
    claim_ply: Any
    claim_seat: Any
    claim_kind: Any
    claim_value: Any
    claim_cards: Any
    outcome: Any
    points: Any
    tricks: Any
    has_score: Any
    score: Any
    conceded: Any
    partner: Any


class Outcomes(NamedTuple):
    """:class:`engine.batch_result.BatchResult` for compiled code."""

    dealer: Any
    declarer: Any
    partner: Any
    contract: Any
    row: Any
    level: Any
    trump: Any
    called: Any
    discard: Any
    middle: Any
    passed_out: Any
    leader: Any
    winners: Any
    n_tricks: Any
    points: Any
    points_out: Any
    tricks: Any
    meld: Any
    made: Any
    has_score: Any
    score: Any
    standing: Any
    errors: Any
    warnings: Any
    completeness: Any


class Scratch(NamedTuple):
    """One hand in work."""

    playing: Any
    left: Any
    leaders: Any
    winners: Any
    winning: Any
    taken: Any
    play_of: Any
    roem: Any
    stuk: Any
    said_what: Any
    said_seat: Any
    said_ply: Any
    said_claim: Any
    said_denied_by: Any
    said_stands: Any
    said_denied: Any
    short: Any


def new_scratch() -> Scratch:
    """Room for one hand."""
    def ints(n: int) -> Any:
        return np.zeros(n, np.int64)

    flags = np.zeros(MOST_SAID, np.bool_)
    return Scratch(
        ints(4), ints(4), ints(8), ints(8), ints(8), ints(8), ints(N_CARDS), ints(4), ints(4),
        ints(MOST_SAID), ints(MOST_SAID), ints(MOST_SAID), ints(MOST_SAID), ints(MOST_SAID),
        flags, flags.copy(), ints(2 * MOST_CALLS),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _flag(v: Any, n: int, hand: int, code: int, ply: int, call: int, seat: int) -> int:
    v[n, 0] = hand
    v[n, 1] = code
    v[n, 2] = ply
    v[n, 3] = call
    v[n, 4] = seat
    return n + 1


@njit(cache=True, nogil=True)
def _count_bits(mask: int) -> int:
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@njit(cache=True, nogil=True)
def _auction(i: int, c: Any, t: Any, s: Any, v: Any, n: int) -> Any:
    """Follow the calls: (status, final state, seats that bid, violations so far)."""
    forehand = (c.dealer[i] + 1) & 3
    lo, hi = c.call_start[i], c.call_start[i + 1]
    state = 0
    bidders = 0
    short = 0
    for k in range(lo, hi):
        symbol = t.symbol[c.calls[k]]
        following = -1 if symbol < 0 else t.next_state[state, symbol]
        if following < 0:
            return MISS, 0, 0, n
        seat = (forehand + t.turn[state]) & 3
        fault = t.call_fault[state, symbol]
        if fault:
            n = _flag(v, n, i, FAULT_CODES[fault], -1, k - lo, seat)
        elif c.calls[k] != 0:
            bidders |= 1 << seat
            needed = t.aces_needed[t.best_row[following]]
            if needed and _count_bits(c.hands[i, seat] & t.aces) < needed:
                s.short[2 * short] = k - lo
                s.short[2 * short + 1] = seat
                short += 1
        state = following
    if not t.over[state]:
        n = _flag(v, n, i, NOT_CLOSED, -1, -1, -1)
    for k in range(short):
        n = _flag(v, n, i, REQUIREMENT, -1, s.short[2 * k], s.short[2 * k + 1])
    return CARRIED, state, bidders, n


@njit(cache=True, nogil=True)
def _compare(i: int, c: Any, out: Any, v: Any, n: int, found: int, whole: bool) -> int:
    """The recorded result against the replay."""
    if c.partner[i] > NO_PARTNER_TOLD and c.partner[i] != out.partner[i]:
        n = _flag(v, n, i, BAD_PARTNER, -1, -1, -1)
    if c.outcome[i] != ABSENT and c.outcome[i] != found:
        n = _flag(v, n, i, BAD_RESULT, -1, -1, -1)
    if whole:
        told = c.points[i]
        if told[0] >= 0 and (told[0] != out.points[i, 0] or told[1] != out.points[i, 1]):
            n = _flag(v, n, i, BAD_POINTS, -1, -1, -1)
        told = c.tricks[i]
        if told[0] >= 0 and (told[0] != out.tricks[i, 0] or told[1] != out.tricks[i, 1]):
            n = _flag(v, n, i, BAD_TRICKS, -1, -1, -1)
    if c.has_score[i]:
        for seat in range(4):
            if c.score[i, seat] != out.score[i, seat]:
                return _flag(v, n, i, BAD_SCORE, -1, -1, -1)
    return n


@njit(cache=True, nogil=True)
def _completeness(i: int, c: Any, out: Any, exchange: bool) -> None:
    told = c.outcome[i] != ABSENT or c.points[i, 0] >= 0 or c.tricks[i, 0] >= 0
    told = told or c.has_score[i] or c.conceded[i] >= 0 or c.partner[i] > NO_PARTNER_TOLD
    words = out.completeness[i]
    words[0] = RECORDED
    words[1] = RECORDED
    words[2] = RECORDED
    words[3] = RECORDED if exchange else NONE
    words[4] = RECORDED if c.claim_start[i + 1] > c.claim_start[i] else NONE
    words[5] = RECORDED if told else UNKNOWN


@njit(cache=True, nogil=True)
def _passed_out(i: int, c: Any, t: Any, out: Any, v: Any, n: int) -> Any:
    if c.n_plays[i] or c.trump[i] <= NO_TRUMP or c.called[i] < N_CARDS or c.discard[i] < N_CARDS:
        return STEP, n
    standing = 0
    lo = c.claim_start[i]
    for k in range(lo, c.claim_start[i + 1]):
        if c.claim_kind[k] != SHOW or k - lo >= MOST_SAID or not judge_shown(i, c, t, k):
            return STEP, n
        standing |= 1 << (k - lo)
    out.passed_out[i] = True
    out.partner[i] = NOBODY
    out.standing[i] = standing
    out.has_score[i] = True
    for x in range(2):
        out.points[i, x] = 0
        out.tricks[i, x] = 0
        out.meld[i, x] = 0
    for x in range(4):
        out.score[i, x] = 0
    _completeness(i, c, out, False)
    return CARRIED, _compare(i, c, out, v, n, VOID, False)


@njit(cache=True, nogil=True)
def _declared(i: int, c: Any, t: Any, s: Any, row: int, declarer: int) -> Any:
    """Exchange, trumps, call and partner: (status, trump, called card or -1, partner).

    Partner is ``4`` where the first trick decides.
    """
    trump = int(c.trump[i])
    if t.has_trump[row]:
        if trump >= NO_TRUMP:
            return STEP, 0, 0, 0
    else:
        if trump < NO_TRUMP:
            return STEP, 0, 0, 0
        trump = NO_TRUMP
    for x in range(4):
        s.playing[x] = c.hands[i, x]
    discard = int(c.discard[i])
    own = s.playing[declarer]
    if t.exchange[row]:
        own |= 1 << int(c.middle[i])
        if discard >= N_CARDS or not own >> discard & 1:
            return STEP, 0, 0, 0
        s.playing[declarer] = own & ~(1 << discard)
    elif discard < N_CARDS:
        return STEP, 0, 0, 0
    called = int(c.called[i])
    kind = t.partner_kind[row]
    if kind == ALONE or kind == FIRST_TRICK:
        if called < N_CARDS:
            return STEP, 0, 0, 0
        return CARRIED, trump, -1, NOBODY if kind == ALONE else 4
    if kind == JAS_HOLDER:
        jas = 0
        while not t.jas[trump] >> jas & 1:
            jas += 1
        if called < N_CARDS and called != jas:
            return STEP, 0, 0, 0
        if t.own_jas_barred[row] and s.playing[declarer] >> jas & 1:
            return STEP, 0, 0, 0
        called = jas
    else:
        allowed = 0
        for k in range(t.callable.shape[2]):
            allowed = t.callable[row, trump, k] & ~own
            if allowed or t.callable[row, trump, k] == 0:
                break
        if called == N_CARDS:
            if allowed and not t.call_optional:
                return STEP, 0, 0, 0
            return CARRIED, trump, -1, NOBODY
        if called > N_CARDS or not allowed >> called & 1:
            return STEP, 0, 0, 0
        if t.trump_of_called[row] and not t.suit[called] & t.trumps[trump]:
            return STEP, 0, 0, 0
    partner = NOBODY
    for x in range(4):
        if x != declarer and s.playing[x] >> called & 1:
            partner = x
    return CARRIED, trump, called, partner


@njit(cache=True, nogil=True)
def _play(i: int, c: Any, t: Any, s: Any, trump: int, leader: int, v: Any, n: int) -> Any:
    """Seats, legality and winners of a complete play: (status, violations so far)."""
    beats, points = t.beats[trump], t.points[trump]
    trumps, jas = t.trumps[trump], t.jas[trump]
    for x in range(4):
        s.left[x] = s.playing[x]
    for x in range(N_CARDS):
        s.play_of[x] = -1
    for trick in range(8):
        s.leaders[trick] = leader
        led = 0
        best = 0
        best_seat = leader
        taken = 0
        for place in range(4):
            ply = 4 * trick + place
            card = int(c.plays[i, ply])
            seat = (leader + place) & 3
            bit = 1 << card
            if not s.left[seat] & bit:
                return STEP, n
            if place == 0:
                led = t.suit[card]
                best = card
            else:
                fault = offence(t.duty, s.left[seat], led, trumps, beats[best], jas, bit)
                if fault:
                    n = _flag(v, n, i, PLAY_CODES[fault], ply, -1, seat)
                if beats[best] >> card & 1:
                    best = card
                    best_seat = seat
            s.left[seat] &= ~bit
            s.play_of[card] = ply
            taken += points[card]
        leader = best_seat
        s.winners[trick] = leader
        s.winning[trick] = best
        s.taken[trick] = taken
    s.taken[7] += t.last_trick
    return CARRIED, n


@njit(cache=True, nogil=True)
def _made(i: int, t: Any, s: Any, out: Any, row: int, called: int, partner: int) -> Any:
    """Made or lost: (status, missing key, verdict)."""
    goal = t.goal[row]
    side = out.meld[i, 0]
    if goal == POINTS_GOAL:
        target = t.target[row] if t.target[row] >= 0 else out.level[i]
        return CARRIED, 0, int(out.points[i, 0] + side >= target)
    declarer = out.declarer[i]
    mine = 0
    ours = 0
    for trick in range(8):
        if s.winners[trick] == declarer:
            mine |= 1 << trick
        if s.winners[trick] == declarer or s.winners[trick] == partner:
            ours |= 1 << trick
    key = (ASK_MADE << KIND_SHIFT) | goal | (mine << MINE_AT) | (ours << OURS_AT)
    if t.goal_uses_jas[goal]:
        jas = 0
        while not t.jas[out.trump[i]] >> jas & 1:
            jas += 1
        trick = NO_TRICK if s.play_of[jas] < 0 else s.play_of[jas] >> 2
        key |= trick << JAS_AT
        if trick < NO_TRICK and s.winning[trick] == jas:
            key |= 1 << JAS_WON_AT
    if t.goal_uses_called[goal]:
        trick = NO_CARD
        if called >= 0:
            trick = NO_TRICK if s.play_of[called] < 0 else s.play_of[called] >> 2
        key |= trick << CALLED_AT
    if t.is_plus[row] and side < out.level[i]:
        key |= 1 << SHORT_AT
    verdict = look_up(key, t.memo_keys, t.memo_values)
    return (MISS if verdict == NOT_ASKED else CARRIED), key, verdict


@njit(cache=True, nogil=True)
def _hand(i: int, c: Any, t: Any, s: Any, out: Any, v: Any, n: int) -> Any:
    """Replay one hand: (status, missing key, violations so far)."""
    if c.odd[i] or c.dealer[i] < 0 or c.call_start[i + 1] - c.call_start[i] > MOST_CALLS:
        return STEP, 0, n
    status, state, bidders, n = _auction(i, c, t, s, v, n)
    if status != CARRIED:
        return status, AUCTION_KEY, n
    out.dealer[i] = c.dealer[i]
    out.middle[i] = c.middle[i]
    if t.bidder[state] < 0:
        if not t.over[state]:
            return STEP, 0, n
        status, n = _passed_out(i, c, t, out, v, n)
        return status, 0, n
    if c.n_plays[i] != 32:
        return STEP, 0, n
    forehand = (c.dealer[i] + 1) & 3
    declarer = (forehand + t.bidder[state]) & 3
    row = t.best_row[state]
    if t.goal[row] < 0:
        return STEP, 0, n
    status, trump, called, partner = _declared(i, c, t, s, row, declarer)
    if status != CARRIED:
        return status, 0, n
    leader = forehand if t.forehand_leads else declarer
    status, n = _play(i, c, t, s, trump, leader, v, n)
    if status != CARRIED:
        return status, 0, n
    if partner == 4:
        partner = NOBODY if s.winners[0] == declarer else s.winners[0]
    called_ply = -1 if called < 0 else s.play_of[called]
    status, key, standing = judge_claims(
        i, c, t, s, row, declarer, partner, trump, called_ply, forehand, bidders
    )
    if status != CARRIED:
        return status, key, n
    out.declarer[i] = declarer
    out.partner[i] = partner
    out.contract[i] = t.best_call[state]
    out.row[i] = row
    out.level[i] = t.best_level[state]
    out.trump[i] = trump
    out.called[i] = called
    out.discard[i] = c.discard[i] if t.exchange[row] else -1
    out.leader[i] = leader
    out.standing[i] = standing
    _tally(i, t, s, out, row, declarer, partner, called_ply)
    status, key, made = _made(i, t, s, out, row, called, partner)
    if status != CARRIED:
        return status, key, n
    if made < 0:
        return STEP, 0, n
    out.made[i] = made
    other = 0 if partner == NOBODY else (partner - declarer) & 3
    for x in range(4):
        w = t.worth[row, made, other, x]
        out.score[i, (declarer + x) & 3] = (
            w[0]
            + w[1] * out.points[i, 0]
            + w[2] * out.points[i, 1]
            + w[3] * out.meld[i, 0]
            + w[4] * out.meld[i, 1]
        )
    out.has_score[i] = True
    _completeness(i, c, out, t.exchange[row])
    return CARRIED, 0, _compare(i, c, out, v, n, MADE if made else LOST, True)


@njit(cache=True, nogil=True)
def _tally(
    i: int, t: Any, s: Any, out: Any, row: int, declarer: int, partner: int, called_ply: int
) -> None:
    """Winners, points, tricks and meld of both sides."""
    winners = 0
    side = 0
    total = 0
    won = 0
    hidden_until = 0
    if t.late_partner[row] and called_ply >= 0:
        hidden_until = called_ply >> 2
    for trick in range(8):
        w = s.winners[trick]
        winners |= w << (2 * trick)
        total += s.taken[trick]
        if w == declarer or (w == partner and trick >= hidden_until):
            side += s.taken[trick]
            won += 1
    out.winners[i] = winners
    out.n_tricks[i] = 8
    out.points[i, 0] = side
    out.points[i, 1] = total - side
    out.points_out[i] = t.pack_points[out.trump[i]] + t.last_trick - total
    out.tricks[i, 0] = won
    out.tricks[i, 1] = 8 - won
    ours = 0
    theirs = 0
    for x in range(4):
        if x == declarer or x == partner:
            ours += s.roem[x] + s.stuk[x]
        else:
            theirs += s.roem[x] + s.stuk[x]
    out.meld[i, 0] = ours
    out.meld[i, 1] = theirs


@njit(cache=True, nogil=True)
def replay_rows(
    rows: Any, start: int, c: Any, t: Any, s: Any, out: Any, v: Any, errors: Any,
    status: Any, miss: Any, filled: Any,
) -> int:  # fmt: skip
    """Replay the hands ``rows[start:]``; returns how far it came before ``v`` was full.

    ``status[k]`` and ``miss[k]`` tell what became of ``rows[k]``; ``filled[0]`` is the number of
    violations in ``v`` (hand, code, ply, call, seat); ``errors[code]`` is 1 for an error, 2 for a
    warning.
    """
    n = filled[0]
    for k in range(start, rows.size):
        if n + ROOM > v.shape[0]:
            filled[0] = n
            return k
        i = rows[k]
        done, key, end = _hand(i, c, t, s, out, v, n)
        status[k] = done
        miss[k] = key
        if done == CARRIED:
            wrong = 0
            odd = 0
            for m in range(n, end):
                wrong += errors[v[m, 1]] == 1
                odd += errors[v[m, 1]] == 2
            out.errors[i] = wrong
            out.warnings[i] = odd
            n = end
    filled[0] = n
    return rows.size
