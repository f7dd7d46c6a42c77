"""How the simple players value a hand: a model per contract, fitted on their own card play.

For each contract of a rule set a few thousand deals are played out by the simple players with a
promising hand as declarer. From these a linear model of the side's points, or a logistic one of
success, is fitted on features of the hand. It is fitted anew for every rule set (about two
seconds, always from the same seed), so that a club's own rules work like the built-in ones.
"""

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
from numba import njit

from engine.cards import NO_TRUMP, RANK_OF, SUIT_MASK
from engine.declaration import callable_cards
from engine.ruleset import Bid, Contract, RuleSet
from pandoeren_replay.players.cardplay import (
    WANT_ALL,
    WANT_FIRST,
    WANT_JAS,
    WANT_NONE,
    WANT_ONE,
    WANT_POINTS,
    Deck,
)

N_FEATURES = 18
WANTS = {
    "points": WANT_POINTS,
    "all": WANT_ALL,
    "first-four-and-all": WANT_ALL,
    "jas-and-all": WANT_ALL,
    "called-card-and-four": WANT_POINTS,
    "none": WANT_NONE,
    "first-only": WANT_FIRST,
    "exactly-one": WANT_ONE,
    "one-with-jas": WANT_JAS,
}


def want_of(contract: Contract) -> int:
    """What declarer's side is after, as :mod:`cardplay` names it."""
    return WANTS[contract.goal]


@njit("float64(int64,int64,int64[:],int64[:],int64[:])", cache=True, nogil=True)
def _danger(hand, trumps, suit_masks, power, order):
    """How likely low play is to be caught: high cards without low ones below them."""
    total = 0.0
    for s in range(4):
        k = 0
        for i in range(33):
            c = order[i]
            if suit_masks[s] >> c & 1 and hand >> c & 1:
                d = (power[c] % 20) - 2.0 * k - 0.5
                if d > 0:
                    total += d * (1.5 if suit_masks[s] == trumps else 1.0)
                k += 1
    return total


@njit("int64(int64,int64[:])", cache=True, nogil=True)
def _top_card(hand, power):
    best = -1
    for c in range(33):
        if hand >> c & 1 and (best < 0 or power[c] > power[best]):
            best = c
    return np.int64(1) << best


@njit(
    "int64(int64,int64,int64,int64,int64[:],int64[:],int64[:])",
    cache=True,
    nogil=True,
)
def _discard(nine, keep, low, trumps, suit_masks, power, order):
    """``low``: make the hand safest against winning; else give up the poorest plain card."""
    best, best_price = -1, 0.0
    plain = nine & ~trumps & ~keep
    for c in range(33):
        bit = np.int64(1) << c
        if not nine & bit or keep & bit or (not low and plain and trumps & bit):
            continue
        if low:
            price = _danger(nine & ~bit, trumps, suit_masks, power, order)
        else:
            price = 2.0 * (power[c] % 20)
            for s in range(4):
                if suit_masks[s] & bit:
                    for d in range(33):
                        price += nine & suit_masks[s] & (np.int64(1) << d) != 0
        if best < 0 or price < best_price:
            best, best_price = c, price
    return best


@njit(
    "void(int64,int64,int64[:],int64[:,:],int64[:,:],int64[:,:],int64[:],int64[:,:],float64[:])",
    cache=True,
    nogil=True,
)
def features(hand, trump, suit_masks, power_all, points_all, ranks, trumps_all, orders, out):
    """Features of eight cards with a trump suit (4 = none), into ``out`` (18 floats)."""
    power, points, trumps = power_all[trump], points_all[trump], trumps_all[trump]
    out[:] = 0.0
    out[0] = 1.0
    for s in range(4):
        mine = hand & suit_masks[s]
        n = 0
        high = 0
        lowest = 99
        for c in range(33):
            if mine >> c & 1:
                n += 1
                p = power[c] % 20
                if p < lowest:
                    lowest = p
                if ranks[0, c] == 0:
                    high += 1
        if suit_masks[s] == trumps:
            out[1] = n
            out[2] = n * n / 8.0
        else:
            if n == 0:
                out[3] += 1
            elif n == 1:
                out[4] += 1
            if n and lowest > 1:
                out[5] += 1
            out[6] += high
            if high and n > 1:
                out[7] += 1
    for c in range(33):
        if hand >> c & 1:
            rank = ranks[0, c]
            if trumps >> c & 1:
                if rank == 3:
                    out[8] += 1
                elif rank == 5:
                    out[9] += 1
                elif rank == 0:
                    out[10] += 1
                elif rank in (1, 2, 4):
                    out[11] += 1
            elif rank == 1:
                out[12] += 1
            elif rank == 4:
                out[13] += 1
            out[14] += points[c] / 10.0
    d = _danger(hand, trumps, suit_masks, power, orders[trump])
    out[15] = d
    out[16] = sqrt(d)
    out[17] = d * d / 20.0


class Evaluator:
    """Feature vectors and simple choices (discard, called card) for one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.deck = Deck(rules.tables)
        self.suit_masks = np.array(SUIT_MASK, np.int64)
        index = {r: i for i, r in enumerate("AKQJT9876")}
        self.ranks = np.array([[index[r] for r in RANK_OF]], np.int64)
        self.orders = np.array([np.argsort(p, kind="stable") for p in self.deck.power])
        self._out = np.zeros(N_FEATURES)

    def features(self, hand: int, trump: int) -> np.ndarray:
        """Feature vector (18 floats) of eight cards."""
        features(
            hand,
            trump,
            self.suit_masks,
            self.deck.power,
            self.deck.points,
            self.ranks,
            self.deck.trumps,
            self.orders,
            self._out,
        )
        return self._out.copy()

    def danger(self, hand: int, trump: int) -> float:
        """See :func:`_danger`."""
        d = self.deck
        return float(
            _danger(hand, d.trumps[trump], self.suit_masks, d.power[trump], self.orders[trump])
        )

    def discard(self, nine: int, trump: int, want: int) -> int:
        """Which of nine cards to put away."""
        d = self.deck
        keep = 0
        if want in (WANT_FIRST, WANT_ONE, WANT_JAS):
            # The card that is to win must stay.
            keep = _top_card(nine, d.power[trump])
            keep |= int(d.jas[trump]) if want == WANT_JAS else 0
        return int(
            _discard(
                nine,
                keep,
                int(want >= WANT_NONE),
                d.trumps[trump],
                self.suit_masks,
                d.power[trump],
                self.orders[trump],
            )
        )

    def call(self, contract: Contract, bid: Bid, own: int, hand: int, trump: int) -> int | None:
        """Which card to call, ``None`` where none can be."""
        allowed = callable_cards(self.rules, bid, own, trump)
        if not allowed:
            return None
        options = [c for c in range(33) if allowed >> c & 1]
        if contract.partner == "called-card" and trump != NO_TRUMP:
            trumps = [c for c in options if int(self.deck.trumps[trump]) >> c & 1]
            if trumps:
                return max(trumps, key=lambda c: int(self.deck.power[trump][c]))
        if contract.partner == "called-card":
            return max(options, key=lambda c: int(self.deck.power[trump][c]))

        def support(c: int) -> tuple[int, int]:
            same = hand & int(self.deck.suit[c])
            return int(self.deck.trumps[trump]) >> c & 1, -same.bit_count()

        return min(options, key=support)


@dataclass(frozen=True)
class Model:
    """Weights of one contract: points (mean, with ``sigma``) or log-odds of success."""

    weights: np.ndarray
    sigma: float


@dataclass(frozen=True)
class Plan:
    """What a player would do with a contract: trumps, discard, and how good it looks.

    ``mean`` and ``sigma`` are points of the side without own meld (points contracts), else
    ``chance`` is the probability of success.
    """

    key: str
    trump: int
    hand: int
    discard: int | None
    mean: float
    sigma: float
    chance: float

    def chance_of(self, target: int, meld: int) -> float:
        """Probability of reaching ``target`` points with ``meld`` of one's own."""
        z = (self.mean + meld - target + 0.5) / self.sigma
        return 0.5 * (1 + erf(z / sqrt(2)))


class Bidder:
    """Values hands for every contract of a rule set."""

    SAMPLES = 2000

    def __init__(self, rules: RuleSet, seed: int = 1958) -> None:
        self.rules = rules
        self.eval = Evaluator(rules)
        self.models = {}
        rng = np.random.default_rng(seed)
        fitted: dict[tuple[object, ...], Model] = {}
        for key in rules.auction.order:
            c = rules.contracts[key]
            kind = (c.goal, c.partner, c.trump, c.exposure, rules.takes_middle(c))
            if kind not in fitted:
                fitted[kind] = self._fit(key, c, rng)
            self.models[key] = fitted[kind]
        self.rare = self._tails(rng)

    def _tails(self, rng: np.random.Generator) -> dict[str, float]:
        """Per contract the chance that only the best hands reach: dearer contracts are rarer.

        A player tries a contract worth ``score`` with about the best 6 / score percent of his
        hands (14 / score percent where no trick is to be won, since those look alike); points
        contracts have no such bar, their level is the bar.
        """
        seen: dict[str, list[float]] = {}
        hands_seen = 0
        for _ in range(250):
            hands, middle = deal_cards(rng)
            for hand in hands:
                hands_seen += 1
                for key, plan in self.plans(hand, middle).items():
                    seen.setdefault(key, []).append(plan.chance)
        out = {}
        for key, chances in seen.items():
            contract = self.rules.contracts[key]
            share = 0.14 if want_of(contract) == WANT_NONE else 0.06
            top = share / contract.score * hands_seen
            ranked = sorted(chances, reverse=True)
            out[key] = ranked[min(int(top), len(ranked) - 1)]
        return out

    def _trumps(self, contract: Contract) -> range:
        return range(4) if contract.trump else range(NO_TRUMP, NO_TRUMP + 1)

    def _promise(self, hand: int, trump: int, want: int) -> float:
        """A crude measure, only to pick hands that are worth learning from."""
        if want >= WANT_NONE:
            bonus = 6.0 if want != WANT_NONE and hand & int(self.eval.deck.jas[trump]) else 0.0
            return bonus - self.eval.danger(hand, trump)
        p = self.eval.deck.power[trump]
        return float(sum(max(0, int(p[c]) - 4) for c in range(33) if hand >> c & 1))

    def _fit(self, key: str, contract: Contract, rng: np.random.Generator) -> Model:
        """Fit on hands chosen crudely, then twice more on hands that the model itself would choose.

        Without the later rounds a model is asked about hands it has never seen: it picks trumps
        where its extrapolation flatters it.
        """
        state = rng.integers(1, 2**63, 1).astype(np.uint64)
        bid = self._some_bid(key, contract)
        xs: list[np.ndarray] = []
        ys: list[float] = []
        model: Model | None = None
        for _ in range(3):
            for _ in range(self.SAMPLES // 3):
                hands, middle = deal_cards(rng)
                chosen = self._candidate(contract, hands, middle, model, rng)
                if chosen is None:
                    continue
                seat, trump, held, gone = chosen
                hands[seat] = held
                forehand = int(rng.integers(4))
                xs.append(self.eval.features(held, trump))
                ys.append(self.play_out(bid, hands, seat, trump, gone, state, forehand))
            model = _fit_model(np.array(xs), np.array(ys), contract.goal == "points")
        assert model is not None
        return model

    def _candidate(
        self,
        contract: Contract,
        hands: list[int],
        middle: int,
        model: Model | None,
        rng: np.random.Generator,
    ) -> tuple[int, int, int, int | None] | None:
        """Seat, trumps, cards after the exchange and discard of a hand worth learning from."""
        want = want_of(contract)
        best: tuple[int, int, int, int | None] | None = None
        best_value = -np.inf
        for seat in range(4) if rng.random() < 0.7 else [int(rng.integers(4))]:
            for trump in self._trumps(contract):
                held, gone = self._after_exchange(contract, hands[seat], middle, trump, want)
                if not self._may_name(contract, held, trump):
                    continue
                if model is None:
                    value = self._promise(held, trump, want) + rng.normal(0, 2)
                else:
                    value = float(self.eval.features(held, trump) @ model.weights)
                if value > best_value:
                    best, best_value = (seat, trump, held, gone), value
        return best

    def _some_bid(self, key: str, contract: Contract) -> Bid:
        text = str(contract.levels[0]) if contract.levels else str(contract.code)
        if contract.plus_step:
            text += f"+{contract.plus_step}"
        bid = self.rules.bid(text)
        assert bid is not None
        return bid

    def _may_name(self, contract: Contract, held: int, trump: int) -> bool:
        if contract.own_jas == "forbidden" and held & int(self.eval.deck.jas[trump]):
            return False
        if contract.goal == "one-with-jas" and not held & int(self.eval.deck.jas[trump]):
            return False
        return not (contract.partner == "fourth-ace" and not self._troela(held, trump))

    def _troela(self, held: int, trump: int) -> bool:
        aces = [c for c in range(33) if RANK_OF[c] == "A"]
        missing = [c for c in aces if not held >> c & 1]
        suit = missing[0] if missing else SUIT_MASK[1].bit_length() - 1
        return len(missing) <= 1 and bool(SUIT_MASK[trump] >> suit & 1)

    def _after_exchange(
        self, contract: Contract, hand: int, middle: int, trump: int, want: int
    ) -> tuple[int, int | None]:
        if not self.rules.takes_middle(contract):
            return hand, None
        nine = hand | 1 << middle
        gone = self.eval.discard(nine, trump, want)
        return nine & ~(1 << gone), gone

    def play_out(
        self,
        bid: Bid,
        hands: list[int],
        declarer: int,
        trump: int,
        gone: int | None,
        state: np.ndarray,
        forehand: int,
    ) -> float:
        """Points of declarer's side, or 1.0 / 0.0 for success, by one game of the players."""
        contract = bid.contract
        partner, called = self.find_partner(bid, hands, declarer, trump, gone)
        leader = declarer if self.rules.play.first_lead == "declarer" else forehand
        cards, _seats, winners, _ = self.eval.deck.play(
            hands,
            trump,
            leader,
            declarer,
            partner,
            -1 if called is None else called,
            want_of(contract),
            state,
            first_four=contract.goal == "first-four-and-all",
            exposed=contract.exposure != "none",
        )
        if contract.partner == "first-trick-winner":
            partner = int(winners[0])
        points = self.eval.deck.points[trump]
        ours = (winners == declarer) | (winners == partner)
        mine = winners == declarer
        if contract.goal == "points":
            got = sum(int(points[cards[4 * t : 4 * t + 4]].sum()) for t in range(8) if ours[t])
            return float(got + (self.eval.deck.last_trick if ours[7] else 0))
        n = int(mine.sum())
        if contract.goal == "none":
            return float(n == 0)
        if contract.goal == "first-only":
            return float(n == 1 and mine[0])
        if contract.goal in ("exactly-one", "one-with-jas"):
            return float(n == 1)
        if contract.goal == "first-four-and-all":
            return float(ours.all() and mine[:4].all())
        if contract.goal == "called-card-and-four":
            return float(ours.sum() >= 4)
        return float(ours.all())

    def find_partner(
        self, bid: Bid, hands: list[int], declarer: int, trump: int, gone: int | None
    ) -> tuple[int, int | None]:
        """Partner (-1 = none) and called card."""
        contract = bid.contract
        own = hands[declarer] | (0 if gone is None else 1 << gone)
        called: int | None = None
        if contract.partner == "jas-holder":
            called = int(self.eval.deck.jas[trump]).bit_length() - 1
        elif contract.calls_card:
            called = self.eval.call(contract, bid, own, hands[declarer], trump)
        if called is not None:
            for seat in range(4):
                if seat != declarer and hands[seat] >> called & 1:
                    return seat, called
        return -1, called

    def plans(self, hand: int, middle: int) -> dict[str, Plan]:
        """The best plan for each contract; contracts that the hand may not play are left out."""
        out: dict[str, Plan] = {}
        vectors: dict[tuple[int, int], tuple[int, int | None, np.ndarray]] = {}
        for key in self.rules.auction.order:
            contract = self.rules.contracts[key]
            want = want_of(contract)
            model = self.models[key]
            best: Plan | None = None
            for trump in self._trumps(contract):
                if (want, trump) not in vectors:
                    held, gone = self._after_exchange(contract, hand, middle, trump, want)
                    vectors[want, trump] = (held, gone, self.eval.features(held, trump))
                held, gone, x = vectors[want, trump]
                if not self._may_name(contract, held, trump):
                    continue
                z = float(x @ model.weights)
                chance = 0.0 if contract.goal == "points" else 1 / (1 + np.exp(-z))
                plan = Plan(key, trump, held, gone, z, model.sigma, float(chance))
                if best is None or z > best.mean:
                    best = plan
            if best is not None:
                out[key] = best
        return out


def deal_cards(rng: np.random.Generator) -> tuple[list[int], int]:
    """Four hands as bit sets and the middle card."""
    order = rng.permutation(33)
    hands = [int(sum(1 << int(c) for c in order[8 * s : 8 * s + 8])) for s in range(4)]
    return hands, int(order[32])


def _fit_model(x: np.ndarray, y: np.ndarray, linear: bool) -> Model:
    ridge = np.eye(x.shape[1]) * 3.0
    if linear:
        w = np.linalg.solve(x.T @ x + ridge, x.T @ y)
        return Model(w, float(np.std(y - x @ w)))
    w = np.zeros(x.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        weight = np.maximum(p * (1 - p), 1e-4)
        gradient = x.T @ (y - p) - ridge @ w
        w = w + np.linalg.solve((x.T * weight) @ x + ridge, gradient)
    return Model(w, 1.0)


_bidders: dict[str, Bidder] = {}


def bidder_for(rules: RuleSet) -> Bidder:
    """The fitted players of a rule set, kept for the life of the process."""
    if rules.content_hash not in _bidders:
        _bidders[rules.content_hash] = Bidder(rules)
    return _bidders[rules.content_hash]
