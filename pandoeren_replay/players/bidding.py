"""How the simple players value a hand: a model per contract, fitted on their own card play.

For each contract of a rule set a few thousand deals are played out by the simple players with a
promising hand as declarer. From these a linear model of the side's points, or a logistic one of
success, is fitted on features of the hand, always from the same seed: beforehand for the built-in
rule sets (:mod:`pandoeren_replay.players.fitted`), at first use for a club's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from engine.ruleset import Bid, Contract, RuleSet
from pandoeren_replay.players import plans as kernels
from pandoeren_replay.players.cardplay import WANT_NONE
from pandoeren_replay.players.dealing import TABLE, game_value_of, sample_games
from pandoeren_replay.players.fitted import kept_models
from pandoeren_replay.players.interrupts import held_back
from pandoeren_replay.players.tables import GOALS, PLAN, contract_tables, option_bid
from pandoeren_replay.players.valuation import N_FEATURES, Evaluator, want_of


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
        return float(kernels.chance_of(self.mean, self.sigma, target, meld))


class Bidder:
    """Values hands for every contract of a rule set.

    ``rows``, ``options`` and ``weights`` are what the compiled players read; ``models`` and
    ``rare`` (the chance that only the best hands reach) are by contract.
    """

    SEED = 1958
    SAMPLES = 2000
    ROUNDS = 3

    def __init__(self, rules: RuleSet, kept: bool = True) -> None:
        """Fitted beforehand where that was done and ``kept`` is true, else fitted now."""
        self.rules = rules
        self.eval = Evaluator(rules)
        n_models = int(self.rows["model"].max()) + 1
        self._work = np.zeros(1, kernels.WORK)
        self._zs = np.zeros((n_models, 5))
        self._lock = Lock()
        self.weights = np.zeros((n_models, N_FEATURES))
        found = kept_models(rules) if kept else None
        if found is None:
            rng = np.random.default_rng(self.SEED)
            for number in range(len(self.rows)):
                kind = self.rows["model"][number]
                if not self.weights[kind].any():
                    model = self._fit(number, rng)
                    self.weights[kind] = model.weights
                    self.rows["sigma"][self.rows["model"] == kind] = model.sigma
            self.rare = self._tails(rng)
        else:
            self.weights, sigmas, self.rare = found
            self.rows["sigma"] = sigmas[self.rows["model"]]
        self.rows["rare"] = [self.rare.get(key, 1.0) for key in rules.auction.order]
        self.models = {
            key: Model(self.weights[row["model"]], float(row["sigma"]))
            for key, row in zip(rules.auction.order, self.rows)
        }

    @cached_property
    def _tables(self) -> tuple[Any, Any]:
        return contract_tables(self.rules)

    @property
    def rows(self) -> Any:
        """The contracts (array of :data:`pandoeren_replay.players.tables.ROW`)."""
        return self._tables[0]

    @property
    def options(self) -> Any:
        """The bids (array of :data:`pandoeren_replay.players.tables.OPTION`)."""
        return self._tables[1]

    @cached_property
    def bids(self) -> list[Bid]:
        """The bids that the options stand for."""
        return [option_bid(self.rules, option) for option in self.options]

    @cached_property
    def option_of(self) -> dict[tuple[int, int], int]:
        """Number of the option with a bid's rank."""
        return {bid.rank: number for number, bid in enumerate(self.bids)}

    @cached_property
    def meld_counts(self) -> list[str]:
        """Contracts for which bidding looks at one's own meld."""
        return [k for k, row in zip(self.rules.auction.order, self.rows) if row["counts_meld"]]

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

    def _fit(self, number: int, rng: np.random.Generator) -> Model:
        """Fit on hands chosen crudely, then twice more on hands that the model itself would choose.

        Without the later rounds a model is asked about hands it has never seen: it picks trumps
        where its extrapolation flatters it.
        """
        state = rng.integers(1, 2**63, 1).astype(np.uint64)
        xs, ys = np.empty((self.SAMPLES, N_FEATURES)), np.empty(self.SAMPLES)
        table = np.zeros(1, TABLE)
        table["skilled"] = 1
        linear = self.rules.contracts[self.rules.auction.order[number]].goal == "points"
        model = Model(np.zeros(N_FEATURES), 1.0)
        n = 0
        for turn in range(self.ROUNDS):
            with held_back():
                n = sample_games(
                    rng, state, self.eval.values, self.rows, number, model.weights, turn > 0,
                    self.rules.play.first_lead == "forehand", table, self.SAMPLES // self.ROUNDS,
                    xs, ys, n,
                )  # fmt: skip
            model = _fit_model(xs[:n], ys[:n], linear)
        return model

    def _may_name(self, contract: Contract, held: int, trump: int) -> bool:
        order = [self.rules.contracts[key] for key in self.rules.auction.order]
        number = order.index(contract)
        return bool(kernels.may_name_of(self.eval.values, self.rows, number, held, trump))

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
        goal = GOALS.index(contract.goal)
        return float(
            game_value_of(self.eval.values, goal, trump, declarer, partner, cards, winners)
        )

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
        found = np.zeros(len(self.rows), PLAN)
        with self._lock:
            kernels.plans_of(
                self.eval.values, self._work, self.rows, self.weights, self._zs, hand, middle,
                found,
            )  # fmt: skip
        out: dict[str, Plan] = {}
        sigmas = self.rows["sigma"].tolist()
        for key, sigma, p in zip(self.rules.auction.order, sigmas, found.tolist()):
            ok, trump, held, gone, mean, chance, _ = p
            if ok:
                out[key] = Plan(key, trump, held, None if gone < 0 else gone, mean, sigma, chance)
        return out

    def plan_array(self, plans: Mapping[str, Plan], melds: Mapping[str, int]) -> Any:
        """Plans and own melds as the compiled players read them."""
        out = np.zeros(len(self.rows), PLAN)
        for key, p in plans.items():
            gone = kernels.NO_CARD if p.discard is None else p.discard
            meld = melds.get(key, 0)
            out[self.rules.auction.order.index(key)] = (
                1,
                p.trump,
                p.hand,
                gone,
                p.mean,
                p.chance,
                meld,
            )
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


__all__ = ["Bidder", "Evaluator", "Model", "Plan", "bidder_for", "deal_cards", "want_of"]
