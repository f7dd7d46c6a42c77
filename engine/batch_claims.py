"""Announcements in the batch replay: those in order are carried, all others are left to the step.

Accepting is all that happens here; what is wrong with a claim, :mod:`engine.claims` says. When a
claim may be made is :mod:`engine.meld`'s to say; what a hand holds and what an announcement is
worth comes from there by way of :mod:`engine.batch_memo`.
"""

from typing import Any

import numpy as np

from engine.batch_columns import DENY, ROEM, RUN, SHOW, STUK
from engine.batch_memo import (
    ASK_BEST,
    ASK_ROEM,
    ASK_RUN,
    ASK_SET,
    KIND_SHIFT,
    NOT_ASKED,
    VALUE_SHIFT,
    look_up,
)
from engine.batch_tables import MELD_NONE, MELD_TABLE, meld_cards
from engine.cards import N_CARDS
from engine.compiled import kernel
from engine.meld import (
    IN_TIME,
    NEVER,
    after_first_card,
    stuk_closes,
    timing,
    window_opens,
)

CARRIED, STEP, MISS = range(3)
MOST_SAID = 12
"""Claims of one hand that are carried."""
MOST_CALLS = 250

SCRATCH = np.dtype(
    [
        ("playing", np.int64, (4,)),
        ("left", np.int64, (4,)),
        ("leaders", np.int64, (8,)),
        ("winners", np.int64, (8,)),
        ("winning", np.int64, (8,)),
        ("taken", np.int64, (8,)),
        ("play_of", np.int64, (N_CARDS,)),
        ("trump", np.int64),
        ("called", np.int64),
        ("partner", np.int64),
        ("bidders", np.int64),
        ("in_turn", np.int64),
        ("state", np.int64),
        ("missing", np.int64),
        ("made", np.int64),
        ("standing", np.int64),
        ("roem", np.int64, (4,)),
        ("stuk", np.int64, (4,)),
        ("n_said", np.int64),
        ("said_what", np.int64, (MOST_SAID,)),
        ("said_seat", np.int64, (MOST_SAID,)),
        ("said_ply", np.int64, (MOST_SAID,)),
        ("said_claim", np.int64, (MOST_SAID,)),
        ("said_denied_by", np.int64, (MOST_SAID,)),
        ("said_stands", np.int64, (MOST_SAID,)),
        ("said_denied", np.int64, (MOST_SAID,)),
        ("short_call", np.int64, (MOST_CALLS,)),
        ("short_seat", np.int64, (MOST_CALLS,)),
        ("n_flags", np.int64),
    ]
)
"""One hand in work: cards, tricks, announcements, and what the functions tell each other."""


@kernel()
def ply_of_seat(s: Any, seat: int, from_ply: int) -> Any:
    """Ply of a seat's first card at or after ``from_ply`` in a complete play, else NEVER."""
    for trick in range(from_ply >> 2, 8):
        ply = 4 * trick + ((seat - s.leaders[trick]) & 3)
        if ply >= from_ply:
            return ply
    return NEVER


@kernel()
def _in_partner_window(s: Any, called_ply: int, declarer: int, partner: int, ply: int) -> Any:
    opens = window_opens(called_ply, declarer, s.winners)
    if opens == NEVER:
        return False
    return timing(ply, opens, ply_of_seat(s, partner, opens)) == IN_TIME


@kernel()
def _last_ply(s: Any, cards: int) -> Any:
    last = -1
    for c in range(N_CARDS):
        if cards >> c & 1:
            last = max(last, s.play_of[c])
    return last


@kernel()
def show_stands(t: Any, hand: int, cards: int) -> Any:
    """Whether a shown card is one of the lowest of a hand as dealt."""
    for k in range(t.lowest.size):
        low = hand & t.lowest[k]
        if low:
            return (cards & low) != 0
    return False


@kernel()
def _stuk_stands(t: Any, s: Any, seat: int, ply: int, trump: int) -> Any:
    if trump >= 4:
        return False
    king, queen = t.stuk_king[trump], t.stuk_queen[trump]
    if not (s.playing[seat] >> king & 1 and s.playing[seat] >> queen & 1):
        return False
    closes = stuk_closes(s.play_of[king], s.play_of[queen], t.stuk_before_first != 0)
    return timing(ply, 0, closes) == IN_TIME


@kernel()
def judge_claims(
    h: Any, claims: Any, t: Any, answers: Any, all_said: Any, s: Any, row: int, declarer: int,
    partner: int, trump: int, called_ply: int, forehand: int, bidders: int,
) -> int:  # fmt: skip
    """Judge the claims of a complete hand; returns the status.

    ``s`` holds the play; ``roem`` and ``stuk`` per seat, the bits of the ``standing`` claims and a
    key that is ``missing`` are left there.
    """
    for x in range(4):
        s.roem[x] = 0
        s.stuk[x] = 0
    s.standing = 0
    if h.n_claims == 0:
        return CARRIED
    if h.n_claims > MOST_SAID:
        return STEP
    s.n_said = 0
    at_table = t.meld == MELD_TABLE
    for k in range(h.n_claims):
        claim = claims[h.claims_at + k]
        kind, seat, ply = int(claim.kind), int(claim.seat), int(claim.ply)
        ours = seat in (declarer, partner)
        if kind == SHOW:
            if not show_stands(t, h.hands[seat], claim.cards):
                return STEP
            s.standing |= 1 << k
        elif kind == STUK:
            allowed = ours and t.uses_points[row] != 0 and t.stuk > 0
            if not (allowed and _stuk_stands(t, s, seat, ply, trump)):
                return STEP
            s.stuk[seat] = t.stuk
            s.standing |= 1 << k
        elif kind == DENY:
            status = _deny(t, answers, all_said, s, seat, ply, ours, bidders)
            if status != CARRIED:
                return status
            s.standing |= 1 << k
        else:
            if t.meld == MELD_NONE:
                return STEP
            if at_table:
                if kind == ROEM or timing(ply, 0, ply_of_seat(s, seat, 0)) != IN_TIME:
                    return STEP
            elif not ours or not t.uses_points[row]:
                return STEP
            elif not t.until_last_card:
                if seat == declarer:
                    right_after = after_first_card(ply_of_seat(s, seat, 0))
                    if timing(ply, right_after, right_after) != IN_TIME:
                        return STEP
                elif not _in_partner_window(s, called_ply, declarer, partner, ply):
                    return STEP
            status = _announce(claim, t, answers, all_said, s, k, seat, ply)
            if status != CARRIED:
                return status
    _settle(t, all_said, s, declarer, trump, forehand)
    return CARRIED


@kernel()
def _announce(
    claim: Any, t: Any, answers: Any, all_said: Any, s: Any, k: int, seat: int, ply: int
) -> int:
    hand = s.playing[seat]
    if claim.kind == ROEM:
        key = (ASK_ROEM << KIND_SHIFT) | (int(claim.value) << VALUE_SHIFT) | meld_cards(t, hand)
    elif claim.cards & ~hand:
        return STEP
    else:
        ask = ASK_RUN if claim.kind == RUN else ASK_SET
        key = (ask << KIND_SHIFT) | claim.cards
    what = look_up(key, answers)
    if what == NOT_ASKED:
        s.missing = key
        return MISS
    if what < 0:
        return STEP
    if t.until_last_card and t.meld != MELD_TABLE:
        for n in range(all_said[what].n):
            if timing(ply, 0, _last_ply(s, all_said[what].cards[n])) != IN_TIME:
                return STEP
    a = s.n_said
    s.said_what[a] = what
    s.said_seat[a] = seat
    s.said_ply[a] = ply
    s.said_claim[a] = k
    s.said_stands[a] = 1
    s.said_denied[a] = 0
    s.n_said += 1
    return CARRIED


@kernel()
def _deny(
    t: Any, answers: Any, all_said: Any, s: Any, seat: int, ply: int, ours: bool, bidders: int
) -> int:
    """Strike the latest standing announcement and all its player's, if the denial is right."""
    if not t.deny or ours or not bidders >> seat & 1:
        return STEP
    last = -1
    for a in range(s.n_said):
        if s.said_stands[a]:
            last = a
    if last < 0:
        return STEP
    struck = s.said_seat[last]
    best = -1
    for a in range(s.n_said):
        if s.said_stands[a] and s.said_seat[a] == struck:
            best = max(best, all_said[s.said_what[a]].best)
    key = (ASK_BEST << KIND_SHIFT) | meld_cards(t, s.playing[seat])
    mine = look_up(key, answers)
    if mine == NOT_ASKED:
        s.missing = key
        return MISS
    if mine <= best:
        return STEP
    for a in range(s.n_said):
        if s.said_seat[a] == struck and s.said_ply[a] <= ply:
            s.said_stands[a] = 0
            s.said_denied[a] = 1
            s.said_denied_by[a] = mine
    return CARRIED


@kernel()
def _settle(t: Any, all_said: Any, s: Any, declarer: int, trump: int, forehand: int) -> None:
    """What stands in the end, added up per seat."""
    for a in range(s.n_said):
        if s.said_denied[a] and s.said_seat[a] == declarer:
            stands = 0
            for b in range(s.n_said):
                if s.said_seat[b] != declarer and s.said_stands[b]:
                    if all_said[s.said_what[b]].best > s.said_denied_by[a]:
                        stands = 1
            s.said_stands[a] = stands
    best = -1
    winner = -1
    for a in range(s.n_said):
        if not s.said_stands[a]:
            continue
        if t.meld == MELD_TABLE:
            rank = all_said[s.said_what[a]].rank[trump] - ((s.said_seat[a] - forehand) & 3)
            if rank > best:
                best, winner = rank, a
        else:
            s.roem[s.said_seat[a]] += all_said[s.said_what[a]].value
            s.standing |= 1 << s.said_claim[a]
    if winner >= 0:
        s.roem[s.said_seat[winner]] = all_said[s.said_what[winner]].value
        s.standing |= 1 << s.said_claim[winner]


__all__ = ["CARRIED", "MISS", "SCRATCH", "STEP", "judge_claims", "ply_of_seat", "show_stands"]
