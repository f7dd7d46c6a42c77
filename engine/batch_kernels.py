"""The compiled loop of the batch replay.

It carries every hand that goes regularly (offences of calls and cards included) and leaves the
others to the step replay: a hand is carried only where each thing that the step replay would look
at was seen to be in order.
"""

from typing import Any

import numpy as np

from engine.batch_claims import (
    CARRIED,
    MISS,
    MOST_CALLS,
    MOST_SAID,
    STEP,
    judge_claims,
    show_stands,
)
from engine.batch_columns import ABSENT, NO_PARTNER_TOLD, PASS, SHOW
from engine.batch_memo import (
    ASK_MADE,
    CALLED_AT,
    FAULTS,
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
from engine.batch_tables import ALONE, FIRST_TRICK, JAS_HOLDER, POINTS_GOAL, first_callable
from engine.cards import N_CARDS, NO_TRUMP
from engine.compiled import kernel
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
NOWHERE = -1
"""No ply, no call, no seat."""
ROOM = MOST_CALLS + 48
"""Most violations of one hand that is carried."""
AUCTION_KEY = -1
"""Missing key that stands for the auction."""


@kernel()
def _flag(s: Any, flags: Any, hand: int, code: int, ply: int, call: int, seat: int) -> None:
    f = flags[s.n_flags]
    f.hand = hand
    f.code = code
    f.ply = ply
    f.call = call
    f.seat = seat
    s.n_flags += 1


@kernel()
def _count_bits(mask: int) -> int:
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@kernel()
def _auction(
    i: int, h: Any, calls: Any, t: Any, symbol: Any, steps: Any, states: Any, s: Any, flags: Any
) -> int:
    """Follow the calls; leaves the final ``state`` and the seats that bid (``bidders``)."""
    forehand = (h.dealer + 1) & 3
    state = 0
    s.bidders = 0
    short = 0
    in_turn = True
    for k in range(h.n_calls):
        call = calls[h.calls_at + k]
        if symbol[call] < 0:
            return MISS
        step = steps[state, symbol[call]]
        following = step.following
        if following < 0:
            return MISS
        seat = (forehand + states[state].turn) & 3
        in_turn = in_turn and not step.fault and states[state].turn == k & 3
        if step.fault:
            _flag(s, flags, i, FAULT_CODES[step.fault], NOWHERE, k, seat)
        elif call != PASS:
            s.bidders |= 1 << seat
            needed = t.aces_needed[states[following].best_row]
            if needed and _count_bits(h.hands[seat] & t.aces) < needed:
                s.short_call[short] = k
                s.short_seat[short] = seat
                short += 1
        state = following
    if not states[state].over:
        _flag(s, flags, i, NOT_CLOSED, NOWHERE, NOWHERE, NOWHERE)
    for k in range(short):
        _flag(s, flags, i, REQUIREMENT, NOWHERE, s.short_call[k], s.short_seat[k])
    s.state = state
    s.in_turn = in_turn
    return CARRIED


@kernel()
def _compare(i: int, h: Any, o: Any, s: Any, flags: Any, found: int, whole: bool) -> None:
    """The recorded result against the replay."""
    if h.partner > NO_PARTNER_TOLD and h.partner != o.partner:
        _flag(s, flags, i, BAD_PARTNER, NOWHERE, NOWHERE, NOWHERE)
    if h.outcome != ABSENT and h.outcome != found:
        _flag(s, flags, i, BAD_RESULT, NOWHERE, NOWHERE, NOWHERE)
    if whole:
        if h.points[0] >= 0 and (h.points[0] != o.points[0] or h.points[1] != o.points[1]):
            _flag(s, flags, i, BAD_POINTS, NOWHERE, NOWHERE, NOWHERE)
        if h.tricks[0] >= 0 and (h.tricks[0] != o.tricks[0] or h.tricks[1] != o.tricks[1]):
            _flag(s, flags, i, BAD_TRICKS, NOWHERE, NOWHERE, NOWHERE)
    if h.has_score:
        for seat in range(4):
            if h.score[seat] != o.score[seat]:
                _flag(s, flags, i, BAD_SCORE, NOWHERE, NOWHERE, NOWHERE)
                break


@kernel()
def _completeness(h: Any, o: Any, exchange: bool) -> None:
    told = h.outcome != ABSENT or h.points[0] >= 0 or h.tricks[0] >= 0 or h.has_score
    told = told or h.conceded >= 0 or h.partner > NO_PARTNER_TOLD
    o.completeness[0] = RECORDED
    o.completeness[1] = RECORDED
    o.completeness[2] = RECORDED
    o.completeness[3] = RECORDED if exchange else NONE
    o.completeness[4] = RECORDED if h.n_claims else NONE
    o.completeness[5] = RECORDED if told else UNKNOWN


@kernel()
def _passed_out(i: int, h: Any, claims: Any, t: Any, s: Any, o: Any, flags: Any) -> int:
    if h.n_plays or h.trump <= NO_TRUMP or h.called < N_CARDS or h.discard < N_CARDS:
        return STEP
    if h.n_claims > MOST_SAID:
        return STEP
    standing = 0
    for k in range(h.n_claims):
        claim = claims[h.claims_at + k]
        if claim.kind != SHOW or not show_stands(t, h.hands[claim.seat], claim.cards):
            return STEP
        standing |= 1 << k
    o.dealer = h.dealer
    o.middle = h.middle
    o.passed_out = 1
    o.partner = NOBODY
    o.standing = standing
    o.has_score = 1
    for x in range(2):
        o.points[x] = 0
        o.tricks[x] = 0
        o.meld[x] = 0
    _completeness(h, o, False)
    _compare(i, h, o, s, flags, VOID, False)
    return CARRIED


@kernel()
def _declared(h: Any, t: Any, s: Any, row: int, declarer: int) -> int:
    """Exchange, trumps, call; leaves ``trump``, ``called`` (-1 none), ``partner`` in ``s``."""
    trump = int(h.trump)
    if t.has_trump[row]:
        if trump >= NO_TRUMP:
            return STEP
    else:
        if trump < NO_TRUMP:
            return STEP
        trump = NO_TRUMP
    s.trump = trump
    for x in range(4):
        s.playing[x] = h.hands[x]
    discard = int(h.discard)
    own = s.playing[declarer]
    if t.exchange[row]:
        own |= 1 << int(h.middle)
        if discard >= N_CARDS or not own >> discard & 1:
            return STEP
        s.playing[declarer] = own & ~(1 << discard)
    elif discard < N_CARDS:
        return STEP
    s.called = -1
    s.partner = NOBODY
    called = int(h.called)
    kind = t.partner_kind[row]
    if kind in (ALONE, FIRST_TRICK):
        return STEP if called < N_CARDS else CARRIED
    if kind == JAS_HOLDER:
        jas = t.jas_card[trump]
        if called < N_CARDS and called != jas:
            return STEP
        if t.own_jas_barred[row] and s.playing[declarer] >> jas & 1:
            return STEP
        called = jas
    else:
        allowed = first_callable(t.callable[row, trump], own)
        if called == N_CARDS:
            return CARRIED if allowed == 0 or t.call_optional else STEP
        if called > N_CARDS or not allowed >> called & 1:
            return STEP
        if t.trump_of_called[row] and not t.trumps[trump] >> called & 1:
            return STEP
    s.called = called
    for x in range(4):
        if x != declarer and s.playing[x] >> called & 1:
            s.partner = x
    return CARRIED


@kernel()
def _play(i: int, h: Any, t: Any, s: Any, leader: int, flags: Any) -> int:
    """Seats, legality and winners of a complete play."""
    trump = s.trump
    trumps, jas, duty = t.trumps[trump], t.jas[trump], t.duty
    for x in range(4):
        s.left[x] = s.playing[x]
    for x in range(N_CARDS):
        s.play_of[x] = -1
    for trick in range(8):
        s.leaders[trick] = leader
        led = 0
        best = 0
        better = 0
        winner = leader
        taken = 0
        for place in range(4):
            ply = 4 * trick + place
            card = int(h.plays[ply])
            seat = (leader + place) & 3
            bit = 1 << card
            left = s.left[seat]
            if not left & bit:
                return STEP
            if place == 0:
                led = t.suit[card]
                best = card
                better = t.beats[trump, card]
            else:
                fault = offence(duty, left, led, trumps, better, jas, bit)
                if fault:
                    _flag(s, flags, i, PLAY_CODES[fault], ply, NOWHERE, seat)
                if better & bit:
                    best = card
                    better = t.beats[trump, card]
                    winner = seat
            s.left[seat] = left & ~bit
            s.play_of[card] = ply
            taken += t.points[trump, card]
        leader = winner
        s.winners[trick] = winner
        s.winning[trick] = best
        s.taken[trick] = taken
    s.taken[7] += t.last_trick
    return CARRIED


@kernel()
def _tally(t: Any, s: Any, o: Any, row: int, declarer: int) -> None:
    """Winners, points, tricks and meld of both sides."""
    winners = 0
    side = 0
    total = 0
    won = 0
    hidden_until = 0
    if t.late_partner[row] and s.called >= 0 and s.play_of[s.called] >= 0:
        hidden_until = s.play_of[s.called] >> 2
    for trick in range(8):
        w = s.winners[trick]
        winners |= w << (2 * trick)
        total += s.taken[trick]
        if w == declarer or (w == s.partner and trick >= hidden_until):
            side += s.taken[trick]
            won += 1
    o.winners = winners
    o.n_tricks = 8
    o.points[0] = side
    o.points[1] = total - side
    o.points_out = t.pack_points[s.trump] - total
    o.tricks[0] = won
    o.tricks[1] = 8 - won
    ours = 0
    theirs = 0
    for x in range(4):
        if x == declarer or x == s.partner:
            ours += s.roem[x] + s.stuk[x]
        else:
            theirs += s.roem[x] + s.stuk[x]
    o.meld[0] = ours
    o.meld[1] = theirs


@kernel()
def _made(t: Any, answers: Any, s: Any, o: Any, row: int, declarer: int) -> int:
    """Made or lost, left in ``s.made`` (-1: not proven)."""
    goal = t.goal[row]
    if goal == POINTS_GOAL:
        target = t.target[row] if t.target[row] >= 0 else int(o.level)
        s.made = 1 if o.points[0] + o.meld[0] >= target else 0
        return CARRIED
    mine = 0
    ours = 0
    for trick in range(8):
        w = s.winners[trick]
        mine |= (w == declarer) << trick
        ours |= (w == declarer or w == s.partner) << trick
    key = (ASK_MADE << KIND_SHIFT) | goal | (mine << MINE_AT) | (ours << OURS_AT)
    if t.goal_uses_jas[goal]:
        ply = s.play_of[t.jas_card[s.trump]]
        key |= (NO_TRICK if ply < 0 else ply >> 2) << JAS_AT
        if ply >= 0 and s.winning[ply >> 2] == t.jas_card[s.trump]:
            key |= 1 << JAS_WON_AT
    if t.goal_uses_called[goal]:
        trick = NO_CARD
        if s.called >= 0:
            trick = NO_TRICK if s.play_of[s.called] < 0 else s.play_of[s.called] >> 2
        key |= trick << CALLED_AT
    if t.is_plus[row] and o.meld[0] < o.level:
        key |= 1 << SHORT_AT
    s.made = look_up(key, answers)
    s.missing = key
    return MISS if s.made == NOT_ASKED else CARRIED


@kernel()
def _hand(
    i: int, h: Any, calls: Any, claims: Any, t: Any, symbol: Any, steps: Any, states: Any,
    answers: Any, all_said: Any, s: Any, o: Any, flags: Any,
) -> int:  # fmt: skip
    """Replay one hand; returns the status."""
    if h.odd or h.dealer < 0 or h.n_calls > MOST_CALLS or not t.usable:
        return STEP
    status = _auction(i, h, calls, t, symbol, steps, states, s, flags)
    if status != CARRIED:
        s.missing = AUCTION_KEY
        return status
    state = states[s.state]
    if state.bidder < 0:
        return _passed_out(i, h, claims, t, s, o, flags) if state.over else STEP
    row = int(state.best_row)
    if h.n_plays != 32 or t.goal[row] < 0:
        return STEP
    forehand = (h.dealer + 1) & 3
    declarer = (forehand + state.bidder) & 3
    if _declared(h, t, s, row, declarer) != CARRIED:
        return STEP
    leader = forehand if t.forehand_leads else declarer
    if _play(i, h, t, s, leader, flags) != CARRIED:
        return STEP
    if t.partner_kind[row] == FIRST_TRICK and s.winners[0] != declarer:
        s.partner = s.winners[0]
    called_ply = -1 if s.called < 0 else s.play_of[s.called]
    status = judge_claims(
        h, claims, t, answers, all_said, s, row, declarer, s.partner, s.trump, called_ply,
        forehand, s.bidders,
    )  # fmt: skip
    if status != CARRIED:
        return status
    o.dealer = h.dealer
    o.middle = h.middle
    o.declarer = declarer
    o.partner = s.partner
    o.contract = state.best_call
    o.row = row
    o.level = state.best_level
    o.trump = s.trump
    o.called = s.called
    o.discard = h.discard if t.exchange[row] else -1
    o.leader = leader
    o.standing = s.standing
    _tally(t, s, o, row, declarer)
    status = _made(t, answers, s, o, row, declarer)
    if status != CARRIED:
        return status
    if s.made < 0:
        return STEP
    o.made = s.made
    other = 0 if s.partner == NOBODY else (s.partner - declarer) & 3
    for x in range(4):
        score = t.worth[row, s.made, other, x, 0]
        if t.worth_varies[row]:
            for k in range(2):
                score += t.worth[row, s.made, other, x, 1 + k] * o.points[k]
                score += t.worth[row, s.made, other, x, 3 + k] * o.meld[k]
        o.score[(declarer + x) & 3] = score
    o.has_score = 1
    _completeness(h, o, t.exchange[row] != 0)
    _compare(i, h, o, s, flags, MADE if s.made else LOST, True)
    return CARRIED


@kernel()
def replay_rows(
    rows: Any, start: int, hands: Any, calls: Any, claims: Any, rules: Any, symbol: Any,
    steps: Any, states: Any, answers: Any, all_said: Any, scratch: Any, out: Any, flags: Any,
    severity: Any, status: Any, missing: Any,
) -> Any:  # fmt: skip
    """Replay the hands ``rows[start:]``; returns how far it came before ``flags`` was full.

    ``status[k]`` and ``missing[k]`` tell what became of ``rows[k]``; ``scratch[0].n_flags`` is the
    number of violations in ``flags``; ``severity[code]`` is 1 for an error, 2 for a warning.
    """
    t, s = rules[0], scratch[0]
    s.n_flags = 0
    for k in range(start, rows.size):
        before = s.n_flags
        if before + ROOM > flags.size:
            return k
        i = rows[k]
        o = out[i]
        done = _hand(
            i, hands[i], calls, claims, t, symbol, steps, states, answers, all_said, s, o, flags
        )
        status[k] = done
        if done == CARRIED:
            o.in_turn = s.in_turn
            errors = 0
            warnings = 0
            for m in range(before, s.n_flags):
                errors += severity[flags[m].code] == 1
                warnings += severity[flags[m].code] == 2
            o.errors = errors
            o.warnings = warnings
        else:
            missing[k] = s.missing
            s.n_flags = before
    return rows.size
