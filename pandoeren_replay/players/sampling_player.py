"""The built-in players as they sit at a table: the simple ones, and one that draws and solves.

All of them bid and declare alike, so that a match between them measures card play.
"""

from itertools import islice
from typing import Any

import numpy as np

from engine.cards import CARDS, NO_TRUMP, SUITS, cards_in, mask_of
from engine.ruleset import RuleSet
from engine.state import NOBODY
from pandoeren_replay.advise import Scene, drawn_deals
from pandoeren_replay.players.bid_model import bid_model
from pandoeren_replay.players.bidding import Plan, want_of
from pandoeren_replay.players.cardplay import choose_card
from pandoeren_replay.players.protocol import Declared, View
from pandoeren_replay.simulate import Simulator, Temper


class SimplePlayer(Simulator):
    """The simple player of the simulator, one question at a time.

    What he dares to bid is drawn from the seed, the number of the deal and his seat alone: in a
    duplicate match he bids a hand the same way whoever sits at the table.
    """

    def __init__(self, rules: RuleSet, seed: int = 1, temper: Temper | None = None) -> None:
        super().__init__(rules, seed)
        self.name = "rules"
        self.seed = seed
        self.temper = temper or Temper()
        self._hand: tuple[int, int, int] | None = None
        self._plans: dict[str, Plan] = {}
        self._wants: list[tuple[object, float]] = []
        # One player may sit in several seats: what he thought of the other hands of this deal, and
        # where the random numbers stood then.
        self._thought: dict[tuple[int, int, int], tuple[Any, ...]] = {}

    def _look(self, view: View) -> None:
        hand = (view.number, view.seat, view.dealt)
        if hand == self._hand:
            return
        if self._hand is not None and self._hand[0] != view.number:
            self._thought.clear()
        self._hand = hand
        self.rng = np.random.default_rng([self.seed, view.number, view.seat])
        if hand in self._thought:
            self._plans, self._wants, self.rng.bit_generator.state = self._thought[hand]
            return
        # Where the middle card lies face down no plan looks at it.
        middle = 0 if view.middle is None else view.middle
        self._plans = self.bidder.plans(view.dealt, middle)
        self._wants = list(self._wishes(view.dealt, self._plans, self.temper))
        self._thought[hand] = self._plans, self._wants, self.rng.bit_generator.state

    def call(self, view: View) -> str:
        """A call by the fitted models."""
        self._look(view)
        return self._choose(view.best, self._wants)  # type: ignore[arg-type]

    def declare(self, view: View) -> Declared:
        """Trumps and discard as planned; the usual card to call."""
        self._look(view)
        assert view.best is not None
        plan = self._plans.get(view.best.key)
        if plan is None:
            raise ValueError(f"no plan for {view.best.text}")
        contract = view.best.contract
        called = None
        if contract.calls_card:
            own = plan.hand | (0 if plan.discard is None else 1 << plan.discard)
            called = self.bidder.eval.call(contract, view.best, own, plan.hand, plan.trump)
        return Declared(
            "-" if plan.trump == NO_TRUMP else SUITS[plan.trump],
            "-" if plan.discard is None else CARDS[plan.discard],
            "-" if called is None else CARDS[called],
        )

    def play(self, view: View) -> int:
        """A card by simple rules of thumb."""
        return self.usual_card(view)

    def usual_card(self, view: View) -> int:
        """See :func:`pandoeren_replay.players.cardplay.choose_card`."""
        assert view.best is not None
        assert view.declarer is not None
        assert view.trump is not None
        deck, trump = self.bidder.eval.deck, view.trump
        played = [c for _, c in view.plays]
        shown_by = {c: s for s, c in view.plays}
        known = view.called is None or view.called in played
        partner = NOBODY
        if view.called is not None:
            if view.called in shown_by:
                partner = shown_by[view.called]
            elif view.hand >> view.called & 1:
                partner = view.seat
        if partner == view.declarer:
            partner = NOBODY
        if partner == NOBODY and not known:
            # Nobody he can tell from the others: a seat that is not there.
            partner, known = NOBODY, True
        tables = self.rules.tables
        best = best_seat = -1
        pot = 0
        for s, c in view.trick:
            pot += int(deck.points[trump][c])
            if best < 0 or tables.wins(trump, best, c):
                best, best_seat = c, s
        won = 0
        for t in range(len(played) // 4):
            top = winner = -1
            for s, c in view.plays[4 * t : 4 * t + 4]:
                if top < 0 or tables.wins(trump, top, c):
                    top, winner = c, s
            won += winner == view.declarer
        contract = view.best.contract
        return int(
            choose_card(
                view.hand, view.legal, view.seat, len(view.trick), view.leader, len(played) // 4,
                best, best_seat, pot, mask_of(played), view.declarer, partner, int(known), won,
                want_of(contract), int(contract.goal == "first-four-and-all"),
                int(view.declarer in view.exposed), view.exposed.get(view.declarer, 0),
                deck.beats[trump], deck.points[trump] * 16 + deck.power[trump], deck.power[trump],
                deck.trumps[trump], deck.jas[trump], deck.suit,
            )
        )  # fmt: skip


class RandomPlayer(SimplePlayer):
    """Bids like the simple player and plays any legal card."""

    def __init__(self, rules: RuleSet, seed: int = 1) -> None:
        super().__init__(rules, seed)
        self.name = "random"

    def play(self, view: View) -> int:
        """Any legal card."""
        rng = np.random.default_rng([self.seed, view.number, view.seat, len(view.plays)])
        return int(rng.choice(list(cards_in(view.legal))))


class SamplingPlayer(SimplePlayer):
    """Plays the card that wins in most of the deals he can imagine, each solved with open cards.

    Deals are drawn from all that fit what he sees (:mod:`engine.inference`), weighed by declarer's
    bid (:mod:`pandoeren_replay.players.bid_model`) unless ``weigh`` is false. Of cards that do
    equally well he plays the simple player's if it is among them.
    """

    def __init__(self, rules: RuleSet, seed: int = 1, deals: int = 20, weigh: bool = True) -> None:
        super().__init__(rules, seed)
        self.name = "solver" if deals == 20 else f"solver:{deals}"
        if not weigh:
            self.name += " (even)"
        self.deals = deals
        self.weigher = bid_model(rules).weigher if weigh else None

    def play(self, view: View) -> int:
        """The card with the best chance."""
        if view.legal.bit_count() == 1:
            return next(cards_in(view.legal))
        usual = self.usual_card(view)
        scene = Scene(view.table, len(view.plays))
        seed = int(np.random.default_rng([self.seed, view.number, len(view.plays)]).integers(2**62))
        source, n, _ = drawn_deals(scene, self.deals, seed, self.weigher)
        hits = dict.fromkeys(cards_in(view.legal), 0)
        for deal in islice(source, n):
            for card, wins in scene.wins(deal).items():
                hits[card] += wins
        most = max(hits.values())
        best = [c for c, n in hits.items() if n == most]
        if usual in best:
            return usual
        power = self.bidder.eval.deck.points[view.trump or 0]
        return min(best, key=lambda c: int(power[c]))
