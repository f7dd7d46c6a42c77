"""What people bid on: a model of the bids, fitted from the hands of a store.

For every contract of which a store has hands enough, declarer's eight cards are told apart from
eight cards dealt at random, by logistic regression on a few counts of cards. The odds that such a
regression gives are proportional to the chance of this bid on this hand (Bayes: the share of the
random hands is the same for all of them), which is just the weight that deals drawn evenly need.

A hand that is judged is left out of the model that judges it: :meth:`StoredBids.without`.

The counts know no names of cards: cards are ranked by the strength that the rule set gives them
under the trump suit. Nothing of how the hand was played goes in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from math import exp
from typing import Any

import numpy as np

from engine.cards import CARD_INDEX, N_CARDS, SUIT_MASK, cards_in
from engine.inference import Deal
from engine.ruleset import Bid, RuleSet
from pandoeren_replay.advise import Scene
from pandoeren_replay.store.store import Store

MIN_HANDS = 40
"""Hands of a contract that a model needs; with fewer no deal is weighed."""

MOST_HANDS = 4000
"""The latest so many hands of a rule set are looked at."""

LEAST = 0.02
"""What remains possible: nobody's hand is ruled out by a model."""

RANDOM_HANDS = 4000
RIDGE = 2.0
STEPS = 12
SETTLED = 1e-6
"""A step so small changes no weight that matters."""


def counts(held: int, trump: int, rules: RuleSet) -> list[float]:
    """What the model looks at: eight cards under a trump suit (4: none), as numbers.

    For every suit, trumps apart, the cards by their strength in it, two ranks together; the
    length of the trumps, of the longest other suit, and how many other suits are empty.

    >>> from engine.cards import card, mask_of
    >>> from engine.rulefile import load_ruleset
    >>> hand = mask_of(map(card, "SJ S9 SA HA HK D7 D8 DQ".split()))
    >>> counts(hand, 0, load_ruleset("heerlen"))
    [1.0, 3.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 2.0, 3.0, 1.0]
    """
    ranked = _ranked(rules, trump)
    trumps = int(rules.tables.trumps[trump])
    own = held & trumps
    jas = int(rules.tables.jas[trump])
    top = [0.0] * 4
    bins = [0.0] * 4
    longest, empty = 0, 0
    for suit in range(4):
        cards = held & SUIT_MASK[suit] & ~trumps
        if trump < 4 and suit == trump:
            for c in cards_in(own):
                top[min(3, ranked[c] // 2)] += 1
            continue
        for c in cards_in(cards):
            bins[min(3, ranked[c] // 2)] += 1
        longest = max(longest, cards.bit_count())
        empty += cards == 0
    return [
        float(bool(held & jas)), float(own.bit_count()), *top, *bins, float(longest), float(empty)
    ]  # fmt: skip


@lru_cache(maxsize=200)
def _ranks(key: str, trump: int, strength: tuple[int, ...], trumps: int) -> tuple[int, ...]:
    """Rank of each card in its suit, 0 the strongest."""
    out = [0] * N_CARDS
    for suit in range(4):
        for group in (SUIT_MASK[suit] & ~trumps, SUIT_MASK[suit] & trumps):
            order = sorted(cards_in(group), key=lambda c: -strength[c])
            for i, c in enumerate(order):
                out[c] = i
    return tuple(out)


def _ranked(rules: RuleSet, trump: int) -> tuple[int, ...]:
    strength = tuple(int(x) for x in rules.tables.strength[trump])
    return _ranks(rules.content_hash, trump, strength, int(rules.tables.trumps[trump]))


@dataclass(frozen=True, slots=True)
class Fitted:
    """The model of one contract: from how many hands, and the odds of a hand of eight cards."""

    hands: int
    weights: tuple[float, ...]
    most: float

    def weight(self, features: Iterable[float]) -> float:
        """How inclined people are to bid so on a hand, from :data:`LEAST` to 1."""
        z = sum(w * x for w, x in zip(self.weights, (1.0, *features), strict=True))
        return max(LEAST, min(1.0, exp(min(0.0, z - self.most))))


@dataclass(frozen=True)
class Examples:
    """What a model rests on: the hands by number with a row of :func:`counts` each, and those of
    random hands.
    """

    numbers: tuple[int, ...]
    bid: np.ndarray[Any, Any]
    random: np.ndarray[Any, Any]


@dataclass(frozen=True)
class StoredBids:
    """Models of the bids of one rule set, and what they rest on.

    ``source`` is a sentence (English) that says how many hands of which store.
    """

    rules: RuleSet
    models: Mapping[str, Fitted]
    hands: int
    source: str
    examples: Mapping[str, Examples] = field(default_factory=dict, repr=False)

    def without(self, number: int) -> "StoredBids":
        """The models as they are without one hand: what judges it must not know its cards.

        They cannot be asked for another hand after that.
        """
        models = dict(self.models)
        left_out = 0
        for name, known in self.examples.items():
            if number not in known.numbers:
                continue
            left_out = 1
            at = known.numbers.index(number)
            if len(known.numbers) <= MIN_HANDS:
                del models[name]
            else:
                models[name] = fit(np.delete(known.bid, at, 0), known.random, models[name].weights)
        return StoredBids(self.rules, models, self.hands - left_out, self.source)

    def of(self, bid: Bid) -> Fitted | None:
        """The model of a bid: of its level where that was bid often enough, else of its kind."""
        return self.models.get(bid.text) or self.models.get(bid.key)

    def weigher(self, scene: Scene) -> Callable[[Deal], float] | None:
        """Weight of a deal at a moment; ``None`` where all weigh the same."""
        declarer = scene.declarer
        model = self.of(scene.bid)
        hidden = declarer != scene.seat and scene.knowledge.room[declarer]
        if model is None or not hidden:
            return None
        played = scene.imagined.played[declarer]
        known: dict[int, float] = {}

        def weigh(deal: Deal) -> float:
            held = deal.hands[declarer] | played
            if held not in known:
                known[held] = model.weight(counts(held, scene.trump, self.rules))
            return known[held]

        return weigh


def fit(
    positive: np.ndarray[Any, Any],
    negative: np.ndarray[Any, Any],
    start: Sequence[float] | None = None,
) -> Fitted:
    """Logistic regression (Newton's method, ridge penalty) of bid hands against random ones.

    ``positive`` and ``negative`` have a row of :func:`counts` per hand; ``start`` are weights of
    nearly the same hands, from which it is a step or two. The scale of the weights is set so that
    nine of ten bid hands have a weight below 1: a few hands far beyond what is needed would
    otherwise make all others unlikely.
    """
    x = np.vstack([positive, negative])
    x = np.hstack([np.ones((len(x), 1)), x])
    y = np.concatenate([np.ones(len(positive)), np.zeros(len(negative))])
    # Both kinds count for half, however many there are of each.
    weight = np.where(y > 0, 0.5 / len(positive), 0.5 / len(negative)) * 2 * len(positive)
    beta = np.zeros(x.shape[1]) if start is None else np.array(start)
    penalty = np.full(x.shape[1], RIDGE)
    penalty[0] = 1e-6
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weight * (y - p)) - penalty * beta
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curve, gradient)
        beta = beta + step
        if np.abs(step).max() < SETTLED:
            break
    most = float(np.quantile(x[: len(positive)] @ beta, 0.9))
    return Fitted(len(positive), tuple(float(b) for b in beta), most)


def fit_hands(
    rules: RuleSet,
    hands: Iterable[tuple[str, int, int]],
    source: str,
    seed: int = 1958,
    numbers: Iterable[int] | None = None,
) -> StoredBids:
    """Models from (contract as bid, trump, declarer's eight cards) of hands that were played.

    ``numbers`` are those of the hands in their store (else they are counted from 0).
    """
    by_bid: dict[str, list[tuple[int, list[float]]]] = {}
    total = 0
    for number, (text, trump, held) in zip(count() if numbers is None else numbers, hands):
        bid = rules.bid(text)
        if bid is None:
            continue
        total += 1
        row = number, counts(held, trump, rules)
        by_bid.setdefault(bid.key, []).append(row)
        if bid.text != bid.key:
            by_bid.setdefault(bid.text, []).append(row)
    rng = np.random.default_rng(seed)
    models: dict[str, Fitted] = {}
    examples: dict[str, Examples] = {}
    random: dict[bool, np.ndarray[Any, Any]] = {}
    for name, rows in sorted(by_bid.items()):
        if len(rows) < MIN_HANDS:
            continue
        bid = rules.bid(name)
        contract = rules.contracts[name] if bid is None else bid.contract
        if contract.trump not in random:
            random[contract.trump] = _random_hands(rules, contract.trump, rng)
        found = Examples(
            tuple(n for n, _ in rows), np.array([r for _, r in rows]), random[contract.trump]
        )
        examples[name] = found
        models[name] = fit(found.bid, found.random)
    return StoredBids(rules, models, total, source, examples)


def _random_hands(rules: RuleSet, trumps: bool, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    rows = []
    for i in range(RANDOM_HANDS):
        held = 0
        for c in rng.choice(N_CARDS, 8, replace=False):
            held |= 1 << int(c)
        rows.append(counts(held, i % 4 if trumps else 4, rules))
    return np.array(rows)


def declared_hands(store: Store, rules: RuleSet) -> dict[int, tuple[str, int, int]]:
    """(contract, trump, declarer's eight cards) of the latest hands of a rule set in a store.

    By their numbers; only hands of which the deal, and the discard where there is one, are
    recorded.
    """
    # First which hands, then their cards: the deal of every hand as text takes long.
    latest = store.rows(
        "SELECT hand_id FROM hand WHERE rules_hash = ? AND contract IS NOT NULL "
        "AND declarer IS NOT NULL AND trump IS NOT NULL "
        "AND (deal_n IS NOT NULL OR deal_text IS NOT NULL) ORDER BY hand_id DESC LIMIT ?",
        [rules.content_hash, MOST_HANDS],
    )
    rows = store.rows(
        "SELECT hand_id, contract, deal, declarer, middle, discard, trump FROM hands "
        "WHERE hand_id IN (SELECT unnest(?::BIGINT[])) ORDER BY hand_id DESC",
        [[r["hand_id"] for r in latest]],
    )
    out = {}
    for r in rows:
        bid = rules.bid(r["contract"])
        if bid is None or len(r["deal"]) != N_CARDS:
            continue
        held = sum(1 << i for i, owner in enumerate(r["deal"]) if owner == r["declarer"])
        if rules.takes_middle(bid.contract):
            if r["middle"] is None or r["discard"] is None:
                continue
            held |= 1 << CARD_INDEX[r["middle"]]
            held &= ~(1 << CARD_INDEX[r["discard"]])
        if held.bit_count() == 8:
            out[int(r["hand_id"])] = r["contract"], "SHDC-".index(r["trump"]), held
    return out


_KEPT: dict[tuple[str, int, str], StoredBids] = {}
_KEEP = 8


def stored_bids(store: Store, rules: RuleSet) -> StoredBids:
    """The models of a rule set from the hands of a store; kept until the store changes."""
    key = (str(store.path), store.stamp(), rules.content_hash)
    if key not in _KEPT:
        while len(_KEPT) >= _KEEP:
            del _KEPT[next(iter(_KEPT))]
        hands = declared_hands(store, rules)
        source = f"bids of {len(hands)} hands of {rules.id} in this store"
        _KEPT[key] = fit_hands(rules, hands.values(), source, numbers=hands)
    return _KEPT[key]


__all__ = [
    "Examples",
    "Fitted",
    "StoredBids",
    "counts",
    "declared_hands",
    "fit_hands",
    "stored_bids",
]
