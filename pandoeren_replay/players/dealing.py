"""Whole hands by the simple players in one compiled loop: deal, bid, declare, announce, play.

The loop asks the rule set's own functions what it does not know (what a call leads to, what a
hand's meld is worth): it stops, the answer is found and remembered, and it goes on where it was.
It draws from NumPy's generator as Python code would, so that hands follow from the seed alone.
"""

from typing import Any

import numpy as np
from numba import njit

from engine.batch_columns import CARD_NONE, PASS, ROEM, RUN, SET, SHOW, STUK
from engine.batch_memo import KIND_SHIFT, NOT_ASKED, look_up
from engine.batch_tables import (
    CALLED,
    FIRST_TRICK,
    JAS_HOLDER,
    MELD_NONE,
    MELD_ROEM,
    MELD_TABLE,
    first_callable,
    meld_cards,
)
from engine.cards import N_CARDS, NO_TRUMP
from engine.meld import NEVER, window_opens
from engine.solver_tables import lowest
from pandoeren_replay.players.cardplay import WANT_NONE, play_hand
from pandoeren_replay.players.plans import (
    ASK_OWN,
    ASK_SAID,
    NO_CARD,
    SET_AT,
    choose_bid,
    fill_melds,
    fill_plans,
    fill_wishes,
    may_name,
    said_cards,
)
from pandoeren_replay.players.tables import (
    FIRST,
    FIRST_FOUR,
    FOUR,
    NONE,
    ONE,
    POINTS,
    WITH_JAS,
)
from pandoeren_replay.players.valuation import (
    best_call,
    danger_of,
    fill_features,
    put_away,
    weighed,
)

DONE, ASK_MELD, ASK_CALL, NO_ROOM = range(4)
"""Why the loop stopped."""
MOST_CLAIMS = 16

TABLE = np.dtype(
    [
        ("hands_done", np.int64),
        ("stage", np.int64),
        ("missing", np.int64),
        ("pending", np.int64),  # the call that leads to a state not known yet, -1 none
        ("auction", np.int64),
        ("low_bid", np.int64),
        ("n_calls", np.int64),
        ("n_claims", np.int64),
        ("n_wishes", np.int64, (4,)),
        ("dealer", np.int64),
        ("middle", np.int64),
        ("hands", np.int64, (4,)),
        ("playing", np.int64, (4,)),
        ("partner", np.int64),
        ("called", np.int64),
        ("cards", np.int64, (32,)),
        ("seats", np.int64, (32,)),
        ("winners", np.int64, (8,)),
        ("left", np.int64, (4,)),
        ("n_said", np.int64),
        # what is asked of the hands
        ("given_dealer", np.int64),  # -1: drawn
        ("given_deal", np.int64),
        ("bold", np.float64, (4,)),
        ("skilled", np.int64, (4,)),
        ("revoke", np.int64),
        ("show_lowest", np.int64),
    ],
    align=True,
)
"""The hand in work and where it stands; ``hands_done`` hands are ready."""

NEW, PLANNED, BIDDING = range(3)


@njit(cache=True, nogil=True)
def deal_into(rng: Any, hands: Any) -> Any:
    """Deal four hands; returns the middle card."""
    order = rng.permutation(N_CARDS)
    for s in range(4):
        hand = np.int64(0)
        for k in range(8):
            hand |= np.int64(1) << order[8 * s + k]
        hands[s] = hand
    return order[32]


@njit(cache=True, nogil=True)
def find_partner(v: Any, r: Any, hands: Any, declarer: int, trump: int, gone: int, s: Any) -> None:
    """Called card (-1: none) and partner (-1: none) of a declarer, left in ``s``."""
    own = hands[declarer]
    if gone >= 0:
        own |= np.int64(1) << gone
    s.called = NO_CARD
    s.partner = -1
    if r.partner_kind == JAS_HOLDER:
        s.called = lowest(v.jas[trump])
    elif r.partner_kind == CALLED:
        allowed = first_callable(r.callable[trump], own)
        s.called = best_call(v, allowed, hands[declarer], trump, r.any_card != 0)
    if s.called >= 0:
        for x in range(4):
            if x != declarer and hands[x] >> s.called & 1:
                s.partner = x
                break


@njit(cache=True, nogil=True)
def play_out(
    v: Any, r: Any, trump: int, leader: int, declarer: int, state: Any, fault_ply: int, s: Any
) -> None:
    """Let the simple players play the hands ``s.playing``."""
    for x in range(4):
        s.left[x] = s.playing[x]
    play_hand(
        s.left, v.duty, trump, leader, declarer, s.partner, s.called, r.want,
        np.int64(r.goal == FIRST_FOUR), r.exposed, v.beats, v.points, v.power, v.worth, v.trumps,
        v.jas, v.suit, s.skilled, state, fault_ply, s.cards, s.seats, s.winners,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def game_value(
    v: Any, goal: int, trump: int, declarer: int, partner: int, cards: Any, winners: Any
) -> float:
    """Points of declarer's side, or 1.0 / 0.0 for success, of a game played to its end."""
    mine = ours = points = 0
    first_four = True
    for trick in range(8):
        w = winners[trick]
        mine += w == declarer
        first_four &= trick >= 4 or w == declarer
        if w in (declarer, partner):
            ours += 1
            for k in range(4):
                points += v.points[trump, cards[4 * trick + k]]
            if trick == 7:
                points += v.last_trick
    if goal == POINTS:
        return float(points)
    made = ours == 8
    if goal == NONE:
        made = mine == 0
    elif goal == FIRST:
        made = mine == 1 and winners[0] == declarer
    elif goal in (ONE, WITH_JAS):
        made = mine == 1
    elif goal == FIRST_FOUR:
        made = ours == 8 and first_four
    elif goal == FOUR:
        made = ours >= 4
    return 1.0 if made else 0.0


@njit(cache=True, nogil=True)
def game_value_of(
    values: Any, goal: int, trump: int, declarer: int, partner: int, cards: Any, winners: Any
) -> float:
    """:func:`game_value` for one game."""
    return game_value(values[0], goal, trump, declarer, partner, cards, winners)


@njit(cache=True, nogil=True)
def _promise(v: Any, held: int, trump: int, want: int) -> float:
    """A crude measure, only to pick hands that are worth learning from."""
    if want >= WANT_NONE:
        bonus = 6.0 if want != WANT_NONE and held & v.jas[trump] else 0.0
        return bonus - danger_of(v, held, trump)
    total = 0.0
    left = held
    while left:
        total += max(0, v.power[trump, lowest(left)] - 4)
        left &= left - 1
    return total


@njit(cache=True, nogil=True)
def sample_games(
    rng: Any, state: Any, values: Any, rows: Any, row: int, weights: Any, fitted: bool,
    forehand_leads: bool, table: Any, n: int, xs: Any, ys: Any, at: int,
) -> Any:  # fmt: skip
    """Play a contract ``n`` times with a promising hand; features and yields go to ``xs``, ``ys``.

    ``fitted``: hands are chosen by ``weights``, else crudely. Returns how many are there now:
    deals in which nobody may play the contract are left out.
    """
    v, r, s = values[0], rows[row], table[0]
    x = np.empty(xs.shape[1])
    for _ in range(n):
        middle = deal_into(rng, s.hands)
        first, last = 0, 4
        if not rng.random() < 0.7:
            first = rng.integers(0, 4)
            last = first + 1
        best = -np.inf
        chosen = trumps = -1
        kept = gone = np.int64(NO_CARD)
        for seat in range(first, last):
            for trump in range(0 if r.has_trump else NO_TRUMP, NO_TRUMP if r.has_trump else 5):
                held, out = s.hands[seat], np.int64(NO_CARD)
                if r.exchange:
                    nine = held | (np.int64(1) << middle)
                    out = np.int64(put_away(v, nine, trump, r.want))
                    held = nine & ~(np.int64(1) << out)
                if not may_name(v, r, held, trump):
                    continue
                if fitted:
                    fill_features(v, held, trump, x)
                    value = weighed(x, weights)
                else:
                    value = _promise(v, held, trump, r.want) + rng.normal(0.0, 2.0)
                if value > best:
                    best, chosen, trumps, kept, gone = value, seat, trump, held, out
        if chosen < 0:
            continue
        for y in range(4):
            s.playing[y] = s.hands[y]
        s.playing[chosen] = kept
        forehand = rng.integers(0, 4)
        fill_features(v, kept, trumps, xs[at])
        find_partner(v, r, s.playing, chosen, trumps, gone, s)
        play_out(v, r, trumps, forehand if forehand_leads else chosen, chosen, state, -1, s)
        partner = s.partner
        if r.partner_kind == FIRST_TRICK:
            partner = s.winners[0]
        ys[at] = game_value(v, r.goal, trumps, chosen, partner, s.cards, s.winners)
        at += 1
    return at


@njit(cache=True, nogil=True)
def _say(claims: Any, s: Any, ply: int, seat: int, kind: int, value: int, cards: int) -> None:
    """Add a claim of this hand: after those of its ply and before those of later ones."""
    k = s.n_claims + s.n_said
    while k > s.n_claims and claims[k - 1].ply > ply:
        claims[k] = claims[k - 1]
        k -= 1
    c = claims[k]
    c.ply = ply
    c.seat = seat
    c.kind = kind
    c.value = value
    c.cards = cards
    s.n_said += 1


@njit(cache=True, nogil=True)
def _first_ply(s: Any, seat: int) -> int:
    for k in range(32):
        if s.seats[k] == seat:
            return k
    return NEVER


@njit(cache=True, nogil=True)
def _ply_of(s: Any, card: int) -> int:
    for k in range(32):
        if s.cards[k] == card:
            return k
    return NEVER


@njit(cache=True, nogil=True)
def _partner_says(t: Any, s: Any, declarer: int) -> Any:
    """When the partner announces: as soon as he may (RULES 9), or NEVER."""
    if t.until_last_card:
        return _first_ply(s, s.partner)
    called_ply = -1 if s.called < 0 else _ply_of(s, s.called)
    opens = window_opens(called_ply, declarer, s.winners)
    for k in range(opens, 32):
        if s.seats[k] == s.partner:
            return opens
    return NEVER


@njit(cache=True, nogil=True)
def _announce(
    rng: Any, t: Any, threes: Any, answers: Any, s: Any, claims: Any, declarer: int, trump: int
) -> None:
    """Roem, combinations and stuk of the hands that were played."""
    if t.meld == MELD_ROEM:
        for who in range(2):
            seat = s.partner if who else declarer
            if seat < 0:
                continue
            cards = meld_cards(t, s.playing[seat])
            value = look_up((ASK_OWN << KIND_SHIFT) | cards, answers) if cards else 0
            if value:
                ply = _partner_says(t, s, declarer) if who else _first_ply(s, declarer) + 1
                if ply < 32 and rng.random() < 0.97:
                    _say(claims, s, ply, seat, ROEM, value, 0)
    elif t.meld == MELD_TABLE:
        for seat in range(4):
            cards = said_cards(t, threes, s.playing[seat])
            said = look_up((ASK_SAID << KIND_SHIFT) | cards, answers) if cards else 0
            if said and rng.random() < 0.97:
                kind = SET if said >> SET_AT & 1 else RUN
                _say(
                    claims, s, _first_ply(s, seat), seat, kind, -1, said & ~(np.int64(1) << SET_AT)
                )
    if t.stuk and trump < NO_TRUMP:
        king, queen = t.stuk_king[trump], t.stuk_queen[trump]
        for who in range(2):
            seat = s.partner if who else declarer
            if seat < 0 or not s.playing[seat] >> king & 1 or not s.playing[seat] >> queen & 1:
                continue
            if rng.random() < 0.95:
                _say(claims, s, min(_ply_of(s, king), _ply_of(s, queen)), seat, STUK, -1, 0)


@njit(cache=True, nogil=True)
def _melds_known(t: Any, rows: Any, threes: Any, answers: Any, plans: Any, s: Any) -> int:
    """A question about the hands that has not been answered yet, or -1; melds go to the plans."""
    if t.meld == MELD_NONE:
        return -1
    for seat in range(4):
        key = fill_melds(t, rows, answers, plans[seat])
        if key >= 0:
            return key
        cards = meld_cards(t, s.hands[seat])
        if cards:
            key = (ASK_OWN << KIND_SHIFT) | cards
            if look_up(key, answers) == NOT_ASKED:
                return key
        if t.meld == MELD_TABLE:
            for i in range(-1, rows.size):
                # Dealt, and after each exchange.
                if i >= 0 and not (rows[i].exchange and plans[seat, i].ok):
                    continue
                cards = said_cards(t, threes, s.hands[seat] if i < 0 else plans[seat, i].held)
                key = (ASK_SAID << KIND_SHIFT) | cards
                if cards and look_up(key, answers) == NOT_ASKED:
                    return key
    return -1


@njit(cache=True, nogil=True)
def _bid(
    rng: Any, options: Any, symbol: Any, steps: Any, states: Any, wish: Any, liking: Any,
    lowest_bid: int, s: Any, calls: Any,
) -> int:  # fmt: skip
    """The auction, from where it stands."""
    while not states[s.auction].over:
        if s.n_calls == calls.size:
            return NO_ROOM
        if s.pending < 0:
            state = states[s.auction]
            seat = (s.dealer + 1 + state.turn) & 3
            k = choose_bid(
                rng, options, state.best_row, state.best_level, wish[seat], liking[seat],
                s.n_wishes[seat],
            )  # fmt: skip
            s.pending = PASS if k < 0 else options[k].code
            if s.low_bid and k < 0 and state.best_row > 0:
                s.pending = lowest_bid
                s.low_bid = 0
        number = symbol[s.pending]
        calls[s.n_calls] = s.pending
        if number < 0 or steps[s.auction, number].following < 0:
            return ASK_CALL
        s.auction = steps[s.auction, number].following
        s.n_calls += 1
        s.pending = -1
    return DONE


@njit(cache=True, nogil=True)
def deal_hands(
    rng: Any, state: Any, rules: Any, values: Any, work: Any, rows: Any, options: Any,
    weights: Any, zs: Any, threes: Any, symbol: Any, steps: Any, states: Any, answers: Any,
    lowest_bid: int, plans: Any, wish: Any, liking: Any, table: Any, hands: Any, calls: Any,
    claims: Any,
) -> int:  # fmt: skip
    """Fill ``hands`` from ``table[0].hands_done`` on; returns why it stopped."""
    t, v, w, s = rules[0], values[0], work[0], table[0]
    while s.hands_done < hands.size:
        h = hands[s.hands_done]
        if s.stage == NEW:
            s.dealer = s.given_dealer
            if s.dealer < 0:
                s.dealer = rng.integers(0, 4)
            if not s.given_deal:
                s.middle = deal_into(rng, s.hands)
            for x in range(4):
                fill_plans(v, w, rows, weights, zs, s.hands[x], s.middle, plans[x])
            s.stage = PLANNED
        if s.stage == PLANNED:
            s.missing = _melds_known(t, rows, threes, answers, plans, s)
            if s.missing >= 0:
                return ASK_MELD
            for x in range(4):
                s.n_wishes[x] = fill_wishes(
                    rng, rows, options, plans[x], s.bold[x], wish[x], liking[x]
                )
            s.auction = 0
            h.calls_at = s.n_calls
            s.stage = BIDDING
        status = _bid(rng, options, symbol, steps, states, wish, liking, lowest_bid, s, calls)
        if status != DONE:
            return status
        if s.n_claims + MOST_CLAIMS > claims.size:
            return NO_ROOM
        s.stage = NEW
        s.hands_done += 1
        _finish(rng, state, t, v, rows, threes, answers, plans, states[s.auction], s, claims, h)
        h.n_calls = s.n_calls - h.calls_at
        h.claims_at = s.n_claims
        h.n_claims = s.n_said
        s.n_claims += s.n_said
    return DONE


@njit(cache=True, nogil=True)
def _finish(
    rng: Any, state: Any, t: Any, v: Any, rows: Any, threes: Any, answers: Any, plans: Any,
    auction: Any, s: Any, claims: Any, h: Any,
) -> None:  # fmt: skip
    """Everything after the auction, written into ``h`` and ``claims``."""
    s.n_said = 0
    h.dealer = s.dealer
    h.middle = s.middle
    for x in range(4):
        h.hands[x] = s.hands[x]
        s.playing[x] = s.hands[x]
        if s.show_lowest:
            for k in range(t.lowest.size):
                low = s.hands[x] & t.lowest[k]
                if low:
                    _say(claims, s, 0, x, SHOW, -1, low & -low)
                    break
    if auction.bidder < 0:
        return
    declarer = (s.dealer + 1 + auction.bidder) & 3
    r = rows[auction.best_row]
    p = plans[declarer, auction.best_row]
    s.playing[declarer] = p.held
    find_partner(v, r, s.playing, declarer, p.trump, p.gone, s)
    leader = (s.dealer + 1) & 3 if t.forehand_leads else declarer
    fault_ply = rng.integers(4, 24) if s.revoke else -1
    play_out(v, r, p.trump, leader, declarer, state, fault_ply, s)
    h.trump = p.trump
    h.called = s.called if r.calls_card and s.called >= 0 else CARD_NONE
    h.discard = p.gone if p.gone >= 0 else CARD_NONE
    h.n_plays = 32
    for k in range(32):
        h.plays[k] = s.cards[k]
    if r.uses_points:
        _announce(rng, t, threes, answers, s, claims, declarer, p.trump)


__all__ = ["TABLE", "deal_hands", "game_value_of", "sample_games"]
