"""How likely a hidden hand is, given what was bid on it.

The sampler draws evenly from all deals that fit the rules. People do not bid evenly: whoever
plays misère has low cards. A :class:`BidModel` weighs declarer's cards by how well they suit the
contract that he plays with the trumps he named. It is a model, not a fact: the one that the
simple players bid by, fitted on their own games (:mod:`pandoeren_replay.players.bidding`).
"""

from collections.abc import Callable
from math import exp

from engine.inference import Deal
from engine.ruleset import RuleSet
from pandoeren_replay.advise import Scene
from pandoeren_replay.players.bidding import Plan
from pandoeren_replay.simulate import Simulator

SOFTNESS = 0.1
"""How gradually the inclination to bid grows with the chance to make it."""

LEAST = 0.03
"""What remains possible: nobody's hand is ruled out by a model."""

NAME = "bids weighed by the model of the simple players"


class BidModel(Simulator):
    """Weighs deals by declarer's contract; one per rule set."""

    def chance(self, scene: Scene, held: int) -> float:
        """Chance that the model gives declarer's contract with these eight cards."""
        bid = scene.bid
        model = self.bidder.models[bid.key]
        z = float(self.bidder.eval.features(held, scene.trump) @ model.weights)
        plan = Plan(bid.key, scene.trump, held, None, z, model.sigma, 0.0)
        if bid.contract.goal == "points":
            return plan.chance_of(bid.target, self._own_meld(plan))
        return 1 / (1 + exp(-z))

    def likelihood(self, scene: Scene, held: int) -> float:
        """How inclined the simple player is to bid so, from :data:`LEAST` to 1."""
        bar = 0.5
        if scene.bid.contract.goal != "points":
            bar = max(0.42, self.bidder.rare[scene.bid.key])
        # Beyond the point where everybody would bid, a better hand is no likelier to have bid so.
        x = (self.chance(scene, held) - bar) / SOFTNESS
        return LEAST + (1 - LEAST) / (1 + exp(-x))

    def weigher(self, scene: Scene) -> Callable[[Deal], float] | None:
        """Weight of a deal (0 to 1) at a moment; ``None`` where declarer's cards are known."""
        declarer = scene.declarer
        if declarer == scene.seat or not scene.knowledge.room[declarer]:
            return None
        played = scene.imagined.played[declarer]
        known: dict[int, float] = {}

        def weigh(deal: Deal) -> float:
            held = deal.hands[declarer] | played
            if held not in known:
                known[held] = self.likelihood(scene, held)
            return known[held]

        return weigh


_MODELS: dict[str, BidModel] = {}


def bid_model(rules: RuleSet) -> BidModel:
    """The model of a rule set, kept for the life of the process."""
    if rules.content_hash not in _MODELS:
        _MODELS[rules.content_hash] = BidModel(rules)
    return _MODELS[rules.content_hash]


__all__ = ["NAME", "BidModel", "bid_model"]
