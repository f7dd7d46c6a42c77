"""Announcements in the batch replay: those in order are carried, all others are left to the step.

Accepting is all that happens here; what is wrong with a claim, :mod:`engine.claims` says. What a
hand holds and what an announcement is worth comes from :mod:`engine.meld` by way of
:mod:`engine.batch_memo`.
"""

from typing import Any

from numba import njit

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

CARRIED, STEP, MISS = range(3)
NEVER = 99
MOST_SAID = 12
"""Announcements of one hand that are carried."""


@njit(cache=True, nogil=True)
def ply_of_seat(seat: int, from_ply: int, leaders: Any) -> int:
    """Ply of a seat's first card at or after ``from_ply`` in a complete play, else NEVER."""
    for trick in range(from_ply >> 2, 8):
        ply = 4 * trick + ((seat - leaders[trick]) & 3)
        if ply >= from_ply:
            return ply
    return NEVER


@njit(cache=True, nogil=True)
def _partner_window(called_ply: int, declarer: int, partner: int, winners: Any, leaders: Any) -> Any:
    opens = called_ply + 1 if called_ply >= 0 else NEVER
    for trick in range(8):
        if winners[trick] == declarer or winners[trick] == partner:
            if winners[trick] == declarer:
                opens = min(opens, 4 * (trick + 1))
            break
    closes = NEVER if opens == NEVER else ply_of_seat(partner, opens, leaders)
    return opens, closes


@njit(cache=True, nogil=True)
def _last_ply(cards: int, play_of: Any) -> int:
    last = -1
    for c in range(33):
        if cards >> c & 1:
            last = max(last, play_of[c])
    return last


@njit(cache=True, nogil=True)
def judge_shown(i: int, c: Any, t: Any, k: int) -> bool:
    """Whether a shown card is the seat's lowest; ``k`` is the claim."""
    hand = c.hands[i, c.claim_seat[k]]
    for n in range(t.lowest.size):
        low = hand & t.lowest[n]
        if low:
            return (c.claim_cards[k] & low) != 0
    return False


@njit(cache=True, nogil=True)
def judge_claims(
    i: int, c: Any, t: Any, s: Any, row: int, declarer: int, partner: int, trump: int,
    called_ply: int, forehand: int, bidders: int,
) -> Any:  # fmt: skip
    """Judge the claims of a complete hand: (status, missing key, bits of those that stand).

    ``s`` holds the play; its ``roem`` and ``stuk`` are filled per seat.
    """
    lo, hi = c.claim_start[i], c.claim_start[i + 1]
    standing = 0
    for x in range(4):
        s.roem[x] = 0
        s.stuk[x] = 0
    if hi - lo > MOST_SAID:
        return STEP, 0, 0
    said = 0
    at_table = t.meld == MELD_TABLE
    for k in range(lo, hi):
        kind, seat, ply = c.claim_kind[k], c.claim_seat[k], c.claim_ply[k]
        ours = seat == declarer or seat == partner
        hand = s.playing[seat]
        if kind == SHOW:
            if not judge_shown(i, c, t, k):
                return STEP, 0, 0
            standing |= 1 << (k - lo)
            continue
        if kind == STUK:
            if not (t.uses_points[row] and t.stuk > 0 and ours and trump < 4):
                return STEP, 0, 0
            first = 0 if trump == 0 else 8 * trump + (trump > 1)
            king, queen = first + t.king, first + t.queen
            if not (hand >> king & 1 and hand >> queen & 1):
                return STEP, 0, 0
            one, other = s.play_of[king], s.play_of[queen]
            deadline = min(one, other) if t.stuk_before_first else max(one, other)
            if ply > deadline:
                return STEP, 0, 0
            s.stuk[seat] = t.stuk
            standing |= 1 << (k - lo)
            continue
        if kind == DENY:
            status, key = _deny(seat, ply, t, s, said, ours, bidders)
            if status != CARRIED:
                return status, key, 0
            standing |= 1 << (k - lo)
            continue
        if t.meld == MELD_NONE:
            return STEP, 0, 0
        if at_table:
            if kind == ROEM or ply > ply_of_seat(seat, 0, s.leaders):
                return STEP, 0, 0
        else:
            if not (ours and t.uses_points[row]):
                return STEP, 0, 0
            if not t.until_last_card:
                if seat == declarer:
                    if ply != ply_of_seat(seat, 0, s.leaders) + 1:
                        return STEP, 0, 0
                else:
                    opens, closes = _partner_window(
                        called_ply, declarer, partner, s.winners, s.leaders
                    )
                    if ply < opens or ply > closes:
                        return STEP, 0, 0
        if kind == ROEM:
            held = meld_cards(hand, t.runs, t.fours)
            key = (ASK_ROEM << KIND_SHIFT) | (c.claim_value[k] << VALUE_SHIFT) | held
        else:
            if c.claim_cards[k] & ~hand:
                return STEP, 0, 0
            ask = ASK_RUN if kind == RUN else ASK_SET
            key = (ask << KIND_SHIFT) | c.claim_cards[k]
        what = look_up(key, t.memo_keys, t.memo_values)
        if what == NOT_ASKED:
            return MISS, key, 0
        if what < 0:
            return STEP, 0, 0
        if t.until_last_card and not at_table:
            for n in range(t.said_n[what]):
                if ply > _last_ply(t.said_cards[what, n], s.play_of):
                    return STEP, 0, 0
        s.said_what[said] = what
        s.said_seat[said] = seat
        s.said_ply[said] = ply
        s.said_stands[said] = True
        s.said_denied[said] = False
        s.said_claim[said] = k - lo
        said += 1
    standing |= _settle(t, s, said, at_table, declarer, trump, forehand)
    return CARRIED, 0, standing


@njit(cache=True, nogil=True)
def _deny(seat: int, ply: int, t: Any, s: Any, said: int, ours: bool, bidders: int) -> Any:
    """Strike the latest standing announcement and all its player's, if the denial is right."""
    if not t.deny or ours or not bidders >> seat & 1:
        return STEP, 0
    last = -1
    for a in range(said):
        if s.said_stands[a]:
            last = a
    if last < 0:
        return STEP, 0
    struck = s.said_seat[last]
    best = -1
    for a in range(said):
        if s.said_stands[a] and s.said_seat[a] == struck:
            best = max(best, t.said_best[s.said_what[a]])
    key = (ASK_BEST << KIND_SHIFT) | meld_cards(s.playing[seat], t.runs, t.fours)
    mine = look_up(key, t.memo_keys, t.memo_values)
    if mine == NOT_ASKED:
        return MISS, key
    if mine <= best:
        return STEP, 0
    for a in range(said):
        if s.said_seat[a] == struck and s.said_ply[a] <= ply:
            s.said_stands[a] = False
            s.said_denied[a] = True
            s.said_denied_by[a] = mine
    return CARRIED, 0


@njit(cache=True, nogil=True)
def _settle(
    t: Any, s: Any, said: int, at_table: bool, declarer: int, trump: int, forehand: int
) -> int:
    """What stands in the end, added up per seat; returns the bits of the standing claims."""
    standing = 0
    for a in range(said):
        if s.said_denied[a] and s.said_seat[a] == declarer:
            stands = False
            for b in range(said):
                if s.said_seat[b] != declarer and s.said_stands[b]:
                    stands |= t.said_best[s.said_what[b]] > s.said_denied_by[a]
            s.said_stands[a] = stands
    if at_table:
        best = -1
        winner = -1
        for a in range(said):
            if s.said_stands[a]:
                rank = t.said_rank[s.said_what[a], trump] - ((s.said_seat[a] - forehand) & 3)
                if rank > best:
                    best, winner = rank, a
        if winner >= 0:
            s.roem[s.said_seat[winner]] = t.said_value[s.said_what[winner]]
            standing |= 1 << s.said_claim[winner]
        return standing
    for a in range(said):
        if s.said_stands[a]:
            s.roem[s.said_seat[a]] += t.said_value[s.said_what[a]]
            standing |= 1 << s.said_claim[a]
    return standing


__all__ = ["ASK_SET", "CARRIED", "MISS", "STEP", "judge_claims", "judge_shown", "ply_of_seat"]
