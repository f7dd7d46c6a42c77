"""Card play of the simple players, compiled.

They look only at what a player may know: their own hand, the cards played, who declarer is, and
the partner once he is known (the partner himself always knows). What is legal comes from
:func:`engine.play.legal_mask`; what wins and what counts from the rule set's tables.
"""

import numpy as np
from numba import njit

from engine.cards import NO_TRUMP
from engine.play import PlayTables, legal_mask
from engine.solver_tables import count, lowest

# What declarer's side is after.
WANT_POINTS, WANT_ALL, WANT_NONE, WANT_FIRST, WANT_ONE, WANT_JAS = 0, 1, 2, 3, 4, 5


@njit("uint64(uint64[:])", cache=True, nogil=True)
def _next(state):
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return x


@njit("int64(uint64[:],int64)", cache=True, nogil=True)
def _below(state, n):
    return np.int64((_next(state) >> np.uint64(11)) % np.uint64(n))


@njit("int64(int64,int64[:],int64)", cache=True, nogil=True)
def _extreme(mask, key, sign):
    """Card of ``mask`` with the largest ``sign * key``, of equal ones the first; -1 for none."""
    best, best_key = -1, 0
    while mask:
        c = lowest(mask)
        mask &= mask - 1
        k = sign * key[c]
        if best < 0 or k > best_key:
            best, best_key = c, k
    return best


@njit("int64(int64,int64,int64[:])", cache=True, nogil=True)
def _masters(cards, unseen, beats):
    """Those of ``cards`` that no unseen card beats."""
    out = np.int64(0)
    while cards:
        bit = cards & -cards
        if unseen & beats[lowest(cards)] == 0:
            out |= bit
        cards ^= bit
    return out


@njit(
    "int64(int64,int64,int64[:],int64[:],int64[:],int64,int64,int64,int64)",
    cache=True,
    nogil=True,
)
def _follow_to_win(legal, best, beats, worth, power, friend_wins, last, unseen, pot):
    """A card of a player who wants tricks and points."""
    winning = legal & beats[best]
    if friend_wins:
        threat = unseen & beats[best]
        if last or threat == 0:
            return _extreme(legal & ~winning if legal & ~winning else legal, worth, 1)
    if winning:
        if not friend_wins:
            sure = winning if last else _masters(winning, unseen, beats)
            if sure:
                return _extreme(sure, power, -1)
            if pot >= 10 and not last:
                return _extreme(winning, power, 1)
    losing = legal & ~winning
    return _extreme(losing if losing else legal, worth, -1)


@njit("int64(int64,int64,int64[:],int64[:],int64)", cache=True, nogil=True)
def _duck(legal, best, beats, power, last):
    """A card of a player who wants to lose the trick: the highest that does not win."""
    under = legal & ~beats[best]
    if under:
        return _extreme(under, power, 1)
    return _extreme(legal, power, 1 if last else -1)


@njit(
    "int64(int64,int64,int64,int64[:],int64[:],int64[:],int64[:],int64,int64)",
    cache=True,
    nogil=True,
)
def _lead_to_win(hand, trumps, unseen, beats, worth, power, suit, attack, void_lead):
    """A lead of a player who wants tricks: masters first, declarer draws trumps."""
    masters = _masters(hand, unseen, beats)
    mine = hand & trumps
    theirs = unseen & trumps
    if attack and mine and theirs:
        high = masters & trumps
        if high:
            return _extreme(high, power, 1)
        if count(mine) >= 4:
            return _extreme(mine, power, -1)
    plain = masters & ~trumps
    if plain:
        return _extreme(plain, worth, 1)
    if masters and theirs == 0:
        return _extreme(masters, power, -1)
    rest = hand & ~trumps
    if rest:
        low, low_key = -1, 0
        left = rest
        while left:
            c = lowest(left)
            left &= left - 1
            length = count(rest & suit[c])
            key = worth[c] * 4 + power[c] + (length if void_lead else -length)
            if low < 0 or key < low_key:
                low, low_key = c, key
        return low
    return _extreme(hand, power, -1)


@njit("int64(int64,int64,int64[:],int64[:],int64[:])", cache=True, nogil=True)
def _lead_under(hand, theirs, suit, beats, power):
    """With declarer's cards face up: a lead that he must win, if there is one."""
    left = hand
    while left:
        c = lowest(left)
        left &= left - 1
        same = theirs & suit[c]
        if same and same & ~beats[c] == 0:
            return c
    return _extreme(hand, power, -1)


@njit(
    "int64(int64,int64,int64,int64,int64,int64,int64,int64,int64,int64,int64,int64,int64,int64,"
    "int64,int64,int64,int64,int64[:],int64[:],int64[:],int64,int64,int64[:])",
    cache=True,
    nogil=True,
)
def choose_card(
    hand,
    legal,
    seat,
    k,
    leader,
    trick,
    best,
    best_seat,
    pot,
    seen,
    declarer,
    partner,
    known,
    won,
    want,
    first_four,
    exposed,
    shown,
    beats,
    worth,
    power,
    trumps,
    jas,
    suit,
):
    """The card that a simple player plays as card ``k`` (from 0) of trick ``trick`` (from 0).

    ``legal`` are the cards he may play, ``best`` the best card on the table and ``best_seat`` whose
    it is (-1: none), ``pot`` the points on the table, ``seen`` all cards played before, ``known``
    whether the table knows the partner, ``won`` the tricks that declarer has, ``shown`` declarer's
    cards where they lie face up (``exposed``).
    """
    unseen = (np.int64(1) << 33) - 1
    unseen &= ~(seen | hand)
    last = np.int64(k == 3)
    mine = seat in (declarer, partner)
    card = -1
    if want <= WANT_ALL:
        friend = best_seat >= 0 and (
            (mine and (best_seat == declarer or (best_seat == partner and known)))
            or (seat == partner and best_seat == declarer)
            or (not mine and best_seat != declarer and (best_seat != partner or not known))
        )
        if k == 0:
            attack = np.int64(seat == declarer or (mine and want == WANT_ALL))
            card = _lead_to_win(
                hand, trumps, unseen, beats, worth, power, suit, attack, np.int64(not mine)
            )
        elif want == WANT_ALL and mine:
            winning = legal & beats[best]
            if winning and not (friend and last and not (first_four and trick < 4)):
                card = _extreme(winning, power, -1 if last else 1)
            else:
                card = _extreme(legal, worth, -1)
        else:
            card = _follow_to_win(
                legal, best, beats, worth, power, np.int64(friend), last, unseen, pot
            )
    else:
        need = (want == WANT_FIRST and trick == 0) or (want == WANT_ONE and won == 0)
        with_jas = want == WANT_JAS and won == 0 and legal & jas
        if seat == declarer:
            if k == 0:
                if with_jas:
                    card = _extreme(jas, power, 1)
                else:
                    card = _extreme(hand, power, 1 if need else -1)
            elif with_jas and legal & jas & beats[best]:
                card = _extreme(jas, power, 1)
            elif need and legal & beats[best]:
                card = _extreme(legal & beats[best], power, 1)
            else:
                keep = legal & ~jas if want == WANT_JAS and won == 0 else legal
                card = _duck(keep if keep else legal, best, beats, power, last)
        elif need:
            # Piccolo not yet made: winning over declarer's head beats it.
            if k == 0:
                card = _extreme(hand, power, 1)
            elif legal & beats[best] and best_seat == declarer:
                card = _extreme(legal & beats[best], power, 1)
            else:
                card = _extreme(legal, power, -1)
        elif k == 0:
            if exposed:
                card = _lead_under(hand, shown, suit, beats, power)
            else:
                card = _extreme(hand, power, -1)
        elif (declarer - leader) % 4 > k:
            card = _extreme(legal, power, -1)
        elif best_seat == declarer:
            under = legal & ~beats[best]
            card = _extreme(under if under else legal, power, 1)
        else:
            card = _extreme(legal, power, 1)
    return card


@njit(
    "int64(int64[:],int64,int64,int64,int64,int64,int64,int64,int64,int64,int64[:,:],int64[:,:],"
    "int64[:,:],int64[:,:],int64[:],int64[:],int64[:],int64[:],uint64[:],int64,int64[:],int64[:],int64[:])",
    cache=True,
    nogil=True,
)
def play_hand(
    hands,
    duty,
    trump,
    leader,
    declarer,
    partner,
    called,
    want,
    first_four,
    exposed,
    beats_all,
    points_all,
    power_all,
    worth_all,
    trumps_all,
    jas_all,
    suit,
    skilled,
    state,
    fault_ply,
    cards,
    seats,
    winners,
):
    """Play a whole hand; returns the ply at which a fault was planted, or -1.

    ``hands`` (4 masks) is used up. ``skilled[s]`` false: seat ``s`` plays random legal cards.
    From ply ``fault_ply`` on (``-1`` = never) the first player who can break a duty does so, once.
    ``cards``, ``seats`` (32) and ``winners`` (8) are filled.
    """
    beats, points, power = beats_all[trump], points_all[trump], power_all[trump]
    trumps, jas = trumps_all[trump], jas_all[trump]
    worth = worth_all[trump]
    seen = np.int64(0)
    known = partner < 0
    won = 0
    planted = -1
    for trick in range(8):
        led, best, best_seat = -1, -1, -1
        pot = 0
        for k in range(4):
            ply = 4 * trick + k
            seat = (leader + k) % 4
            hand = hands[seat]
            if k == 0:
                legal = hand
            else:
                legal = legal_mask(duty, hand, suit[led], trumps, beats[best], jas)
            card = -1
            if fault_ply >= 0 and planted < 0 and ply >= fault_ply and hand & ~legal:
                wrong = hand & ~legal
                card = _extreme(wrong, worth, -1)
                planted = ply
            elif not skilled[seat]:
                left = legal
                for _ in range(_below(state, count(legal))):
                    left &= left - 1
                card = lowest(left)
            else:
                card = choose_card(
                    hand,
                    legal,
                    seat,
                    k,
                    leader,
                    trick,
                    best,
                    best_seat,
                    pot,
                    seen,
                    declarer,
                    partner,
                    np.int64(known),
                    won,
                    want,
                    first_four,
                    exposed,
                    hands[declarer],
                    beats,
                    worth,
                    power,
                    trumps,
                    jas,
                    suit,
                )
            bit = np.int64(1) << card
            hands[seat] &= ~bit
            seen |= bit
            pot += points[card]
            cards[ply], seats[ply] = card, seat
            if card == called:
                known = True
            if k == 0 or beats[best] >> card & 1:
                best, best_seat = card, seat
            if k == 0:
                led = card
        winners[trick] = best_seat
        if best_seat == declarer:
            won += 1
        leader = best_seat
    return planted


class Deck:
    """A rule set's tables in the types that :func:`play_hand` wants."""

    def __init__(self, tables: PlayTables) -> None:
        self.beats = tables.beats
        self.points = tables.points.astype(np.int64)
        power = tables.strength.astype(np.int64)
        trumps = np.array([[int(m) >> c & 1 for c in range(33)] for m in tables.trumps])
        self.power = power + 20 * trumps
        self.worth = self.points * 16 + self.power
        self.trumps = tables.trumps
        self.jas = tables.jas
        self.suit = tables.suit
        self.duty = tables.duty
        self.last_trick = tables.last_trick

    def play(
        self,
        hands: list[int],
        trump: int,
        leader: int,
        declarer: int,
        partner: int,
        called: int,
        want: int,
        state: np.ndarray,
        skilled: tuple[bool, bool, bool, bool] = (True, True, True, True),
        first_four: bool = False,
        exposed: bool = False,
        fault_ply: int = -1,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Cards (32), seats (32), winners (8) and the ply of a planted fault (-1 = none)."""
        cards = np.empty(32, np.int64)
        seats = np.empty(32, np.int64)
        winners = np.empty(8, np.int64)
        planted = play_hand(
            np.array(hands, np.int64),
            self.duty,
            trump,
            leader,
            declarer,
            partner,
            called,
            want,
            int(first_four),
            int(exposed),
            self.beats,
            self.points,
            self.power,
            self.worth,
            self.trumps,
            self.jas,
            self.suit,
            np.array(skilled, np.int64),
            state,
            fault_ply,
            cards,
            seats,
            winners,
        )
        return cards, seats, winners, planted


__all__ = [
    "NO_TRUMP",
    "WANT_ALL",
    "WANT_FIRST",
    "WANT_JAS",
    "WANT_NONE",
    "WANT_ONE",
    "WANT_POINTS",
    "Deck",
    "choose_card",
    "play_hand",
]
