"""What to bid: for each call the chance to make it and the expected score.

Trumps, discard and called card are chosen in two steps: the simple players try every choice on a
few deals, and the most promising ones are solved with open cards on deals drawn evenly from all
that fit what the bidder sees. Neither is what happens at a table, so both are given:

* ``open_cards``: made with open cards, everybody playing perfectly. Too high where declarer has
  to guess in practice, too low where the defenders would have to (piccolo and misère above all).
* ``simple``: made by the simple players, who see only their own cards and play weakly.

``chance`` is an average of the two, weighed as fitted on hands that the sampling players played
(docs/advice.md shows how predicted and observed compare; ``benchmarks/calibrate.py`` measures it).

What the others' bids say about their cards is left out of account, but for the aces that a bid
asks for.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.cards import NO_TRUMP, cards_in
from engine.declaration import callable_cards
from engine.inference import Deal, NotKnown, Sampler
from engine.replay import replay
from engine.ruleset import Bid, RuleSet
from engine.score import hand_score
from engine.solver import Search
from engine.state import NOBODY
from pandoeren_replay.advise import Chance, Scene
from pandoeren_replay.bid_answers import BiddingAdvice, CallAdvice, Plan, Seen
from pandoeren_replay.players.bidding import Bidder, Evaluator, want_of
from pandoeren_replay.players.cardplay import WANT_NONE
from pandoeren_replay.statistics.intervals import z_value

ROUND = 8
"""Deals solved for each plan before the next answer."""

SIMPLE_ROUND = 40
"""Deals that the simple players play for each plan before the next answer."""

OPEN_WEIGHT = {True: 0.8, False: 0.4}
"""Weight of the figure with open cards where declarer wants tricks, and where he shuns them.

Fitted by ``benchmarks/calibrate.py``.
"""

PLANS = 3
"""Plans for a contract that are solved; the simple players choose them."""

FIRST_TRIES, SECOND_TRIES = 10, 30
LOWEST_CHANCE = 0.01


class _Trial(Bidder):
    """The simple players' play-outs, without their models: plan and called card are given."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.eval = Evaluator(rules)
        self.called: int | None = None

    def find_partner(
        self, bid: Bid, hands: list[int], declarer: int, trump: int, gone: int | None
    ) -> tuple[int, int | None]:
        """Partner (-1: none) and the called card that was given."""
        for seat in range(4):
            if seat != declarer and self.called is not None and hands[seat] >> self.called & 1:
                return seat, self.called
        return -1, self.called

    def may_name(self, bid: Bid, held: int, trump: int) -> bool:
        """Whether the hand may play this contract with these trumps."""
        return self._may_name(bid.contract, held, trump)


@dataclass(slots=True)
class _Row:
    """One deal solved: what declarer's side and the others got, its meld, declarer's partner."""

    value: int
    meld: int
    partner: int
    others: int


@dataclass(slots=True)
class _Case:
    """A plan for one kind of contract, with the deals solved so far."""

    bid: Bid
    plan: Plan
    scene: Scene
    sampler: Sampler
    rows: list[_Row] = field(default_factory=list)
    simple: list[tuple[float, int]] = field(default_factory=list)


class _Advisor:
    """Works through plans and deals, kind of contract by kind of contract."""

    def __init__(self, seen: Seen, seed: int, only: Collection[str] | None = None) -> None:
        seen.check()
        self.only = only
        self.seen, self.rules, self.seed = seen, seen.rules, seed
        self.auction = seen.auction()
        self.seat = self.auction.turn
        self.trial = _Trial(self.rules)
        self.state = np.random.default_rng(seed).integers(1, 2**63, 1).astype(np.uint64)
        self.cases: dict[tuple[object, ...], list[_Case]] = {}
        self.start = time.monotonic()
        for bid in self.open_bids():
            kind = self.kind(bid)
            if kind not in self.cases:
                self.cases[kind] = self._cases(bid)

    def kind(self, bid: Bid) -> tuple[object, ...]:
        """Contracts of one kind are played alike: what is found for one holds for all."""
        c = bid.contract
        return (c.goal, c.partner, c.trump, self.rules.takes_middle(c), c.own_jas, c.aces_needed,
                bool(c.plus_step))  # fmt: skip

    def open_bids(self) -> list[Bid]:
        """Bids that may be made now, open ends cut off at twice the points of the pack."""
        out: list[Bid] = []
        best = self.auction.best
        most = 2 * max(self.rules.total_points.values())
        for key in self.rules.auction.order:
            c = self.rules.contracts[key]
            texts = [str(n) for n in c.levels]
            if c.step:
                texts += [str(n) for n in range(c.levels[-1] + c.step, most, c.step)]
            if c.code and not c.plus_step:
                texts.append(c.code)
            if c.plus_step:
                texts += [f"{c.code}+{n}" for n in range(c.plus_step, most, c.plus_step)]
            bids = [b for t in texts if (b := self.rules.bid(t)) is not None]
            out += [b for b in bids if best is None or b.rank > best.rank]
        return [b for b in out if self.only is None or b.text in self.only]

    def _cases(self, bid: Bid) -> list[_Case]:
        plans = self._plans(bid)
        ranked: list[tuple[float, int, Plan]] = []
        for i, plan in enumerate(plans):
            found = self._try(bid, plan, FIRST_TRIES)
            if found is not None:
                ranked.append((found, -i, plan))
        ranked.sort(reverse=True)
        again: list[tuple[float, int, Plan]] = []
        seen: set[Plan] = set()
        for _, _, plan in ranked[: 2 * PLANS]:
            for i, called in enumerate(self._callable(bid, plan)):
                other = Plan(plan.trump, plan.discard, called)
                if other not in seen:
                    seen.add(other)
                    found = self._try(bid, other, SECOND_TRIES)
                    if found is not None:
                        again.append((found, -i, other))
        again.sort(key=lambda x: (-x[0], x[1]))
        out = []
        for _, _, plan in again[:PLANS]:
            scene = self._scene(bid, plan)
            out.append(_Case(bid, plan, scene, scene.knowledge.sampler(self.seed)))
        return out

    def _scene(self, bid: Bid, plan: Plan) -> Scene:
        done = replay(self.seen.record(bid, plan), self.rules)
        return Scene(done, 0, self.seat, waiting=True)

    def _held(self, plan: Plan) -> int:
        nine = self.seen.hand
        if plan.discard is None:
            return nine
        if self.seen.middle is not None:
            nine |= 1 << self.seen.middle
        return nine & ~(1 << plan.discard)

    def _plans(self, bid: Bid) -> list[Plan]:
        contract, hand, middle = bid.contract, self.seen.hand, self.seen.middle
        trumps = range(4) if contract.trump else (NO_TRUMP,)
        out = []
        for trump in trumps:
            discards: list[int | None] = [None]
            if self.rules.takes_middle(contract) and middle is not None:
                usual = self.trial.eval.discard(hand | 1 << middle, trump, want_of(contract))
                rest = [c for c in cards_in(hand | 1 << middle) if c != usual]
                discards = [usual, *rest]
            for gone in discards:
                plan = Plan(trump, gone, None)
                held = self._held(plan)
                if self.trial.may_name(bid, held, trump):
                    own = held | (0 if gone is None else 1 << gone)
                    call = None
                    if contract.calls_card:
                        call = self.trial.eval.call(contract, bid, own, held, trump)
                    elif contract.partner == "jas-holder":
                        call = self._jas(trump)
                    out.append(Plan(trump, gone, call))
        return out

    def _jas(self, trump: int) -> int:
        return int(self.rules.tables.jas[trump]).bit_length() - 1

    def _callable(self, bid: Bid, plan: Plan) -> list[int | None]:
        """Cards worth trying to call: the usual one first; only the highest of each suit."""
        if not bid.contract.calls_card:
            return [plan.called]
        held = self._held(plan)
        own = held | (0 if plan.discard is None else 1 << plan.discard)
        allowed = callable_cards(self.rules, bid, own, plan.trump)
        if not allowed:
            return [None]
        strength = self.rules.tables.strength[plan.trump]
        out: list[int | None] = [plan.called]
        for suit in range(4):
            cards = list(cards_in(allowed & int(self.rules.tables.trumps[suit])))
            cards.sort(key=lambda c: -int(strength[c]))
            out += [c for c in cards[: 2 if suit == plan.trump else 1] if c not in out]
        return out

    def _try(self, bid: Bid, plan: Plan, n: int) -> float | None:
        """Mean result of the simple players with a plan; ``None`` where no deal fits it."""
        try:
            scene = self._scene(bid, plan)
            sampler = scene.knowledge.sampler(self.seed)
        except NotKnown:
            return None
        return sum(self._simple(scene, plan, sampler.draw()) for _ in range(n)) / n

    def _simple(self, scene: Scene, plan: Plan, deal: Deal) -> float:
        self.trial.called = plan.called
        forehand = (self.seen.dealer + 1) % 4
        return self.trial.play_out(
            scene.bid, list(deal.hands), self.seat, plan.trump, plan.discard, self.state, forehand
        )

    def _solve(self, case: _Case) -> None:
        deal = case.sampler.draw()
        position = case.scene.position(deal)
        search = Search(position, case.scene.objective)
        value = search.value(position)
        others = search.total(position) - value
        case.rows.append(_Row(value, case.scene.meld(deal), position.partner, others))

    def advance(self) -> None:
        """Solve more deals: first for the likeliest plan of each kind, then for all not beaten."""
        first = not any(case.rows for cases in self.cases.values() for case in cases)
        for cases in self.cases.values():
            for case in cases[:1] if first else cases:
                if case.rows and self._beaten(case, cases):
                    continue
                for _ in range(ROUND):
                    self._solve(case)
                for _ in range(SIMPLE_ROUND):
                    deal = case.sampler.draw()
                    value = self._simple(case.scene, case.plan, deal)
                    case.simple.append((value, case.scene.meld(deal)))

    def _beaten(self, case: _Case, cases: list[_Case]) -> bool:
        """Whether another plan of its kind is better by two standard errors."""
        mean, error = _mean(case)
        return any(
            other is not case and (m := _mean(other))[0] - mean > 2 * (m[1] ** 2 + error**2) ** 0.5
            for other in cases
            if other.rows
        )

    def answer(self, rounds: int) -> BiddingAdvice:
        """What is known so far."""
        calls = [CallAdvice("-", None)]
        for bid in self.open_bids():
            options = [c for c in self.cases[self.kind(bid)] if c.rows]
            if not options:
                continue
            # One plan for all bids of a kind: the best of several shares of few deals flatters.
            best = self._advice(bid, max(options, key=lambda c: _worth(c, _open_weight(bid))))
            chances = best.chance or (0.0, 0.0, 0.0)
            open_end = bid.contract.step is not None or bid.plus
            if open_end and chances[0] < LOWEST_CHANCE:
                continue
            calls.append(best)
        return BiddingAdvice(self.seat, tuple(calls), time.monotonic() - self.start, rounds)

    def _advice(self, bid: Bid, case: _Case) -> CallAdvice:
        n = len(case.rows)
        made = sum(_made(bid, row.value, row.meld) for row in case.rows)
        simple = sum(_made(bid, value, meld) for value, meld in case.simple)
        a, b = Chance(made, n, False), Chance(simple, len(case.simple), False)
        weight = _open_weight(bid)
        p = weight * a.value + (1 - weight) * b.value
        reach = z_value() * (weight**2 * _variance(a) + (1 - weight) ** 2 * _variance(b)) ** 0.5
        low, high = max(0.0, p - reach), min(1.0, p + reach)
        won = sum(self._score(bid, row, True) for row in case.rows) / n
        lost = sum(self._score(bid, row, False) for row in case.rows) / n
        scores = (lost + x * (won - lost) for x in (p, low, high))
        return CallAdvice(
            bid.text,
            bid,
            case.plan,
            a,
            b,
            (p, low, high),
            (next(scores), next(scores), next(scores)),
        )

    def _score(self, bid: Bid, row: _Row, made: bool) -> int:
        partner = NOBODY if row.partner == self.seat else row.partner
        points = (row.value, row.others) if bid.contract.goal == "points" else None
        meld = (row.meld, 0)
        score = hand_score(self.rules, bid, self.seat, partner, made, points, meld)
        assert score is not None  # points are given wherever a score needs them
        return score[self.seat]


def _open_weight(bid: Bid) -> float:
    """Weight of the figure with open cards: all of it where the cards are open at the table."""
    if bid.contract.exposure == "all-from-trick-1":
        return 1.0
    return OPEN_WEIGHT[want_of(bid.contract) < WANT_NONE]


def _variance(chance: Chance) -> float:
    """Variance of a share, with one imagined deal each way: no share is certain."""
    p = (chance.hits + 1) / (chance.n + 2)
    return p * (1 - p) / chance.n


def _mean(case: _Case) -> tuple[float, float]:
    values = [row.value + row.meld for row in case.rows]
    n = len(values)
    mean = sum(values) / n
    # One imaginary deal that came out otherwise: a few equal results prove nothing.
    spread = sum((v - mean) ** 2 for v in values) + 0.25
    return mean, (spread / n / max(1, n - 1)) ** 0.5


def _made(bid: Bid, value: float, meld: int) -> bool:
    if bid.contract.goal == "points":
        return value + meld >= bid.target
    return value == 1 and meld >= bid.plus


def _worth(case: _Case, weight: float) -> float:
    """Mean of what a plan brings, open cards and simple play weighed as for its chance."""
    simple = sum(value + meld for value, meld in case.simple) / len(case.simple)
    return weight * _mean(case)[0] + (1 - weight) * simple


def bid_steps(
    rules: RuleSet,
    hand: int,
    middle: int | None,
    calls: Sequence[str] = (),
    dealer: int = 3,
    seed: int = 0,
    only: Collection[str] | None = None,
) -> Iterator[BiddingAdvice]:
    """Advice to the seat whose turn it is, better with every answer, without end.

    ``hand`` is a set of eight cards, ``middle`` the card that lies face up (``None`` where the
    rules deal it face down), ``calls`` the auction so far from forehand on, ``only`` the bids to
    look at (``None``: all). Raises ``ValueError`` with a sentence for anything that cannot be.
    """
    advisor = _Advisor(Seen(rules, dealer, tuple(calls), hand, middle), seed, only)
    rounds = 0
    while True:
        advisor.advance()
        rounds += 1
        yield advisor.answer(rounds)


def advise_bid(
    rules: RuleSet,
    hand: int,
    middle: int | None,
    calls: Sequence[str] = (),
    dealer: int = 3,
    seed: int = 0,
    rounds: int = 4,
    seconds: float | None = None,
) -> BiddingAdvice:
    """The answer after so many rounds, or the last one within ``seconds`` (at least one)."""
    start = time.monotonic()
    for advice in bid_steps(rules, hand, middle, calls, dealer, seed):
        late = seconds is not None and time.monotonic() - start >= seconds
        if late or (seconds is None and advice.rounds >= rounds):
            return advice
    raise AssertionError("bid_steps never ends")
