"""What a simple player would do with his cards, and how high he dares to bid; compiled.

One implementation: the simulator runs through it in a compiled loop
(:mod:`pandoeren_replay.players.dealing`), a player at a table asks for one hand
(:class:`pandoeren_replay.players.bidding.Bidder`).
"""

from math import erf, exp, sqrt
from typing import Any

import numpy as np
from numba import njit

from engine.batch_memo import KIND_SHIFT, NOT_ASKED, Memo, look_up
from engine.batch_tables import MELD_NONE, MELD_ROEM, meld_cards
from engine.cards import CARDS, NO_TRUMP, RANKS, cards_in
from engine.declaration import of_rank
from engine.meld import best_roem, combinations, named_combination
from engine.ruleset import RuleSet
from engine.solver_tables import count, lowest
from pandoeren_replay.players.valuation import N_FEATURES, fill_features, put_away, weighed

NO_CARD = -1
_GROUPS = 6

WORK = np.dtype(
    [
        ("done", np.int64, (_GROUPS, 2, 5)),
        ("held", np.int64, (_GROUPS, 2, 5)),
        ("gone", np.int64, (_GROUPS, 2, 5)),
        ("x", np.float64, (_GROUPS, 2, 5, N_FEATURES)),
    ]
)
"""Hands after the exchange, by group of wants, exchange and trumps."""

# Questions about a hand's meld, see :class:`MeldMemo`.
ASK_OWN, ASK_SAID = range(2)
SET_AT = 40
"""An answer to ASK_SAID: the cards, and this bit for a set (else a run); 0 for nothing to say."""


def own_meld(rules: RuleSet, cards: int) -> int:
    """What a player expects of his meld when he bids, stuk aside."""
    if rules.meld.system == "roem":
        return best_roem(cards, rules)
    if rules.meld.system == "none":
        return 0
    # Others at the table may hold better: half of one's best is what to expect.
    return max((c.value for c in combinations(cards, rules)), default=0) // 2


def best_said(rules: RuleSet, cards: int) -> int:
    """The combination that a player declares where the best at the table counts.

    The dearest, then the longest, then the highest set of cards; see :data:`SET_AT`.
    """
    options = [(c.value, c.length, c.cards) for c in combinations(cards, rules) if c.value]
    for rank in rules.meld.threes:
        three = cards & of_rank(rank)
        named = None
        if three.bit_count() == 3:
            named = named_combination(tuple(cards_in(three)), "set", rules)
        if named is not None:
            options.append((named.value, 3, named.cards))
    if not options:
        return 0
    best = max(options)[2]
    one_suit = len({CARDS[c][0] for c in cards_in(best)}) == 1
    return best | (0 if one_suit else 1 << SET_AT)


class MeldMemo(Memo):
    """Answers to :data:`ASK_OWN` and :data:`ASK_SAID`, by the cards that can be meld."""

    def learn(self, key: int) -> None:
        """Answer one question."""
        cards = key & ((1 << KIND_SHIFT) - 1)
        ask = own_meld if key >> KIND_SHIFT == ASK_OWN else best_said
        self.put(key, ask(self.rules, cards))


def three_ranks(rules: RuleSet) -> Any:
    """The cards of every rank of which three are worth something (int64)."""
    return np.array([of_rank(r) for r in RANKS if rules.meld.threes.get(r)], np.int64)


@njit(cache=True, nogil=True)
def said_cards(t: Any, threes: Any, hand: int) -> Any:
    """The cards of a hand that can be part of a combination, threes included."""
    out = meld_cards(t, hand)
    for k in range(threes.size):
        if count(hand & threes[k]) >= 3:
            out |= hand & threes[k]
    return out


@njit(cache=True, nogil=True)
def own_stuk(t: Any, hand: int, trump: int) -> Any:
    """Value of king and queen of trumps, where they count beside roem."""
    if t.meld != MELD_ROEM or trump >= NO_TRUMP:
        return 0
    pair = (np.int64(1) << t.stuk_king[trump]) | (np.int64(1) << t.stuk_queen[trump])
    return t.stuk if hand & pair == pair else 0


@njit(cache=True, nogil=True)
def may_name(v: Any, r: Any, held: int, trump: int) -> bool:
    """Whether a hand may play a contract with these trumps."""
    has_jas = held & v.jas[trump] != 0
    if r.own_jas_barred and has_jas:
        return False
    if r.needs_jas and not has_jas:
        return False
    if r.fourth_ace:
        missing = v.aces & ~held
        if count(missing) > 1:
            return False
        suit = v.suit[lowest(missing)] if missing else v.hearts
        return v.trumps[trump] == suit
    return True


@njit(cache=True, nogil=True)
def exchanged(v: Any, w: Any, r: Any, hand: int, middle: int, trump: int) -> None:
    """Make sure that ``w`` has the hand after the exchange, and its features."""
    g, e = r.group, r.exchange
    if w.done[g, e, trump]:
        return
    w.done[g, e, trump] = 1
    held, gone = hand, np.int64(NO_CARD)
    if e:
        nine = hand | (np.int64(1) << middle)
        gone = np.int64(put_away(v, nine, trump, r.want))
        held = nine & ~(np.int64(1) << gone)
    w.held[g, e, trump] = held
    w.gone[g, e, trump] = gone
    fill_features(v, held, trump, w.x[g, e, trump])


@njit(cache=True, nogil=True)
def fill_plans(
    v: Any, w: Any, rows: Any, weights: Any, zs: Any, hand: int, middle: int, plans: Any
) -> None:
    """The best plan for each contract, into ``plans`` (array of :data:`PLAN`, without melds).

    ``weights`` (models x features), ``zs`` (models x 5) is room for what the models say.
    """
    for g in range(_GROUPS):
        for e in range(2):
            for trump in range(5):
                w.done[g, e, trump] = 0
    zs[:, :] = np.nan
    for i in range(rows.size):
        r, p = rows[i], plans[i]
        p.ok = 0
        p.meld = 0
        m = r.model
        for trump in range(0 if r.has_trump else NO_TRUMP, NO_TRUMP if r.has_trump else 5):
            exchanged(v, w, r, hand, middle, trump)
            held = w.held[r.group, r.exchange, trump]
            if not may_name(v, r, held, trump):
                continue
            if np.isnan(zs[m, trump]):
                zs[m, trump] = weighed(w.x[r.group, r.exchange, trump], weights[m])
            z = zs[m, trump]
            if not p.ok or z > p.mean:
                p.ok = 1
                p.trump = trump
                p.held = held
                p.gone = w.gone[r.group, r.exchange, trump]
                p.mean = z
        p.chance = 0.0
        if p.ok and r.goal != 0:
            p.chance = 1 / (1 + exp(-p.mean))


@njit(cache=True, nogil=True)
def fill_melds(t: Any, rows: Any, answers: Any, plans: Any) -> int:
    """Own meld of the plans that count it; a key that is not known yet, or -1."""
    if t.meld == MELD_NONE:
        return -1
    for i in range(rows.size):
        p = plans[i]
        if rows[i].counts_meld and p.ok:
            p.meld = own_stuk(t, p.held, p.trump)
            cards = meld_cards(t, p.held)
            if cards:
                key = (ASK_OWN << KIND_SHIFT) | cards
                value = look_up(key, answers)
                if value == NOT_ASKED:
                    return key
                p.meld += value
    return -1


@njit(cache=True, nogil=True)
def chance_of(mean: float, sigma: float, target: int, meld: int) -> float:
    """Probability of reaching ``target`` points with ``meld`` of one's own."""
    z = (mean + meld - target + 0.5) / sigma
    return 0.5 * (1 + erf(z / sqrt(2.0)))


@njit(cache=True, nogil=True)
def fill_wishes(
    rng: Any, rows: Any, options: Any, plans: Any, bold: float, wish: Any, liking: Any
) -> int:
    """Bids that a player would stand for (``wish``: numbers of options) and how much he likes each
    (``liking``); returns how many."""
    n = 0
    daring = rng.random() < 0.06
    floor = (0.32 if daring else 0.5) - bold + rng.normal(0.0, 0.03)
    # Once in a while somebody tries what he should not: rare contracts get played, and lost.
    foolhardy = rng.random() < 0.02
    nerve = abs(rng.normal(0.0, 0.08))
    for i in range(rows.size):
        r, p = rows[i], plans[i]
        if not p.ok:
            continue
        taste = exp(rng.normal(0.0, 0.9))
        for k in range(r.first, r.first + r.n):
            o = options[k]
            chance, bar = p.chance, floor
            if r.levelled:
                chance = chance_of(p.mean, r.sigma, o.target, p.meld)
                if chance < bar:
                    break  # the next bid asks more
            elif r.plus:
                if p.meld < o.level:
                    break
                bar = max(0.3, 0.8 * r.rare)
            elif o.points:
                chance = chance_of(p.mean, r.sigma, o.target, p.meld)
                bar = floor - 0.1
            else:
                bar = 0.7 * r.rare if foolhardy else max(r.least, r.rare)
                bar += (floor - 0.5) / 2 - nerve
            if chance >= bar:
                wish[n] = k
                liking[n] = o.score * max(0.2, 2 * chance - 0.6) * taste
                n += 1
    return n


@njit(cache=True, nogil=True)
def _higher(o: Any, row: int, level: int) -> bool:
    return o.row > row or (o.row == row and o.level > level)


@njit(cache=True, nogil=True)
def choose_bid(rng: Any, options: Any, row: int, level: int, wish: Any, liking: Any, n: int) -> int:
    """The option that is bid over a bid of this rank (``row`` -1: none yet), or -1 for a pass."""
    best = -1
    for i in range(n):
        if _higher(options[wish[i]], row, level) and (best < 0 or liking[i] > liking[best]):
            best = i
    if best < 0:
        return -1
    chosen = wish[best]
    if options[chosen].points and rng.random() < 0.5:
        # Half of the time a points bidder goes no higher than he needs to.
        for i in range(n):
            o = options[wish[i]]
            c = options[chosen]
            if o.points and _higher(o, row, level) and _higher(c, o.row, o.level):
                chosen = wish[i]
    return chosen


@njit(cache=True, nogil=True)
def plans_of(
    values: Any, work: Any, rows: Any, weights: Any, zs: Any, hand: int, middle: int, plans: Any
) -> None:
    """:func:`fill_plans` for one hand."""
    fill_plans(values[0], work[0], rows, weights, zs, hand, middle, plans)


@njit(cache=True, nogil=True)
def may_name_of(values: Any, rows: Any, row: int, held: int, trump: int) -> bool:
    """:func:`may_name` for one hand."""
    return may_name(values[0], rows[row], held, trump)


@njit(cache=True, nogil=True)
def stuk_of(rules: Any, hand: int, trump: int) -> Any:
    """:func:`own_stuk` for one hand."""
    return own_stuk(rules[0], hand, trump)
