"""The one place that knows which cards are legal, which card wins a trick and what cards count.

The primitives are compiled functions on bit sets and take every rule as an argument. They do not
depend on which bit stands for which card: a caller may use the 33-card order of
:mod:`engine.cards` (as the replay does) or any order of its own (as the solver does), as long as
all masks of one call agree. Masks are signed 64-bit integers, of which at most 36 bits are used.

Source of the duties: RULES 5.1–5.4 and the fine print in section 9.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from engine.cards import N_CARDS, NO_TRUMP, RANK_OF, SUIT_MASK, SUIT_OF

if TYPE_CHECKING:
    from engine.ruleset import RuleSet

# Bits of the duty word: what a follower must do (RULES 5).
MAY_RUFF = 1
"""Able to follow, a player may still play any trump (5.1)."""
TRUMP_WHEN_VOID = 2
"""Void in the led suit, a player must trump if he can (5.3)."""
TRUMP_ALWAYS = 4
"""Whatever is led, a trump must be played if held (5.2)."""
OVERTRUMP = 8
"""A trump on a trumped plain lead must be higher than the best one, if a higher is held (5.3)."""
OVERTRUMP_LED = 16
"""The same when trumps were led (parameter ``overtrump_when_trump_led``)."""
NO_UNDERTRUMP = 32
"""A lower trump on a trumped plain lead is illegal if another legal card is there (5.1)."""
JAS_EXEMPT = 64
"""The jas is never forced: a player may act as if he did not hold it (5.1)."""

# What is wrong with a card: 0 = nothing.
LEGAL, REVOKE, UNDERTRUMP, MUST_TRUMP, MUST_OVERTRUMP = 0, 1, 2, 3, 4


@njit("int64(int64,int64,int64,int64,int64,int64)", cache=True, nogil=True)
def legal_mask(duty: int, hand: int, led: int, trumps: int, better: int, jas: int) -> int:
    """Cards of ``hand`` that may be played.

    ``led`` is the mask of the whole led suit (0 when leading), ``trumps`` of the whole trump suit
    (0 without trumps), ``better`` of all cards that beat the best card on the table, ``jas`` of
    the trump jack (0 without trumps). The result is never empty when ``hand`` is not.
    """
    if led == 0:
        return hand
    if trumps == 0:
        follow = hand & led
        return follow if follow else hand
    mine = hand & trumps
    forced = mine & ~jas if duty & JAS_EXEMPT else mine
    if led == trumps:
        if forced == 0:
            return hand
        if duty & OVERTRUMP_LED:
            higher = mine & better
            if (higher & forced) != 0:
                return higher
        return mine
    follow = hand & led
    if duty & TRUMP_ALWAYS:
        legal = mine if forced else hand
    elif follow:
        legal = follow | mine if duty & MAY_RUFF else follow
    elif (duty & TRUMP_WHEN_VOID) and forced:
        legal = mine
    else:
        legal = hand
    # A plain lead is trumped exactly when some trump does not beat the best card.
    lower = legal & trumps & ~better
    if lower and (trumps & ~better):
        if duty & OVERTRUMP and (forced & legal & better) != 0:
            legal &= ~lower
        elif duty & NO_UNDERTRUMP:
            others = legal & ~lower
            if duty & JAS_EXEMPT:
                others &= ~jas
            if others:
                legal &= ~lower
    return legal


@njit("int64(int64,int64,int64,int64,int64,int64,int64)", cache=True, nogil=True)
def offence(duty: int, hand: int, led: int, trumps: int, better: int, jas: int, played: int) -> int:
    """What is wrong with the card ``played`` (a one-bit mask) from ``hand``: 0 if it is legal.

    ``hand`` may hold only the cards that are known to be there; what is found then holds for the
    whole hand too, since every duty grows with the hand.
    """
    legal = legal_mask(duty, hand | played, led, trumps, better, jas)
    if legal & played:
        return LEGAL
    if trumps == 0 or led == trumps:
        return MUST_OVERTRUMP if played & trumps else REVOKE
    if played & trumps:
        if (hand & led) and not duty & (MAY_RUFF | TRUMP_ALWAYS):
            return REVOKE
        if duty & OVERTRUMP and (hand & trumps & better) != 0:
            return MUST_OVERTRUMP
        return UNDERTRUMP
    if played & led or duty & TRUMP_ALWAYS or not hand & led:
        return MUST_TRUMP
    return REVOKE


@dataclass(frozen=True, slots=True)
class PlayTables:
    """A rule set's card tables in the 33-card order, as arrays for compiled code.

    ``beats[t, c]`` is the mask of cards that beat card ``c`` (int64, shape 5 x 33; ``t`` is the
    trump suit 0–3 or 4 for none), ``points[t, c]`` the points of card ``c`` (int16, 5 x 33),
    ``strength[t, c]`` its place within its suit (0 = lowest, int8, 5 x 33), ``trumps[t]`` and
    ``jas[t]`` masks (int64, 5), ``suit[c]`` the mask of the suit of card ``c`` (int64, 33),
    ``duty`` the duty word.
    """

    beats: Any
    points: Any
    strength: Any
    trumps: Any
    jas: Any
    suit: Any
    duty: int
    last_trick: int

    def legal(self, trump: int, hand: int, led: int, best: int) -> int:
        """Legal cards of ``hand``; ``led`` and ``best`` are cards, or -1 when leading."""
        if led < 0:
            return hand
        return int(
            legal_mask(
                self.duty,
                hand,
                self.suit[led],
                self.trumps[trump],
                self.beats[trump, best],
                self.jas[trump],
            )
        )

    def offence(self, trump: int, hand: int, led: int, best: int, card: int) -> int:
        """Offence of playing ``card`` from ``hand`` (see :func:`offence`)."""
        if led < 0:
            return LEGAL
        return int(
            offence(
                self.duty,
                hand,
                self.suit[led],
                self.trumps[trump],
                self.beats[trump, best],
                self.jas[trump],
                1 << card,
            )
        )

    def wins(self, trump: int, best: int, card: int) -> bool:
        """Whether ``card``, played later in the same trick, takes it from ``best``."""
        return bool(int(self.beats[trump, best]) >> card & 1)


def duty_word(rules: "RuleSet") -> int:
    """Duty bits of a rule set's ``[play]`` table."""
    play = rules.play
    word = 0
    if play.may_ruff_when_able_to_follow:
        word |= MAY_RUFF
    if play.must_trump == "when-void":
        word |= TRUMP_WHEN_VOID
    elif play.must_trump == "always":
        word |= TRUMP_ALWAYS
    if play.must_overtrump:
        word |= OVERTRUMP
    if play.overtrump_when_trump_led:
        word |= OVERTRUMP_LED
    if play.undertrump == "banned":
        word |= NO_UNDERTRUMP
    if play.jas_exempt:
        word |= JAS_EXEMPT
    return word


def build_tables(rules: "RuleSet") -> PlayTables:
    """Card tables of a rule set: strength and points of every card under every trump suit."""
    cards = rules.cards
    strength = np.zeros((5, N_CARDS), np.int8)
    points = np.zeros((5, N_CARDS), np.int16)
    beats = np.zeros((5, N_CARDS), np.int64)
    trumps = np.array([*SUIT_MASK, 0], np.int64)
    jas = np.zeros(5, np.int64)
    for t in range(5):
        for c in range(N_CARDS):
            rank = RANK_OF[c]
            trump = SUIT_OF[c] == t
            order = cards.trump_order if trump else cards.plain_order
            table = cards.trump_points if trump else cards.plain_points
            strength[t, c] = len(order) - 1 - order.index(rank)
            points[t, c] = table.get(rank, 0)
            if trump and rank == "J":
                jas[t] = 1 << c
        for c in range(N_CARDS):
            for d in range(N_CARDS):
                if SUIT_OF[d] == SUIT_OF[c]:
                    higher = strength[t, d] > strength[t, c]
                else:
                    higher = t != NO_TRUMP and SUIT_OF[d] == t
                if higher:
                    beats[t, c] |= 1 << d
    suit = np.array([SUIT_MASK[SUIT_OF[c]] for c in range(N_CARDS)], np.int64)
    return PlayTables(
        beats, points, strength, trumps, jas, suit, duty_word(rules), cards.last_trick
    )
