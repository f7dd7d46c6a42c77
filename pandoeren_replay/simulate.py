"""Complete hands by the built-in simple players. Everything made here is marked as simulated.

The same seed gives the same hands. Auctions, declarations and cards follow the rule set; what a
hand came to is worked out by the replay, so that the recorded result is right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.auction import Auction
from engine.cards import CARDS, NO_TRUMP, SEATS, SUITS, cards_in
from engine.meld import (
    best_roem,
    combinations,
    lowest_cards,
    named_combination,
    stuk_cards,
    window_opens,
)
from engine.record import Call, Claim, HandRecord, Play, Result
from engine.replay import replay
from engine.rulefile import load_ruleset
from engine.ruleset import Bid, RuleSet
from engine.state import NOBODY
from pandoeren_replay.players.bidding import Bidder, Plan, bidder_for, deal_cards, want_of

SOURCE = "simulated"
"""Value of META ``src`` in every simulated hand."""

FAULTS = ("revoke", "bid-too-low", "points", "result", "stuk")


@dataclass(frozen=True)
class Temper:
    """How a simulated player differs: ``bold`` shifts the chance at which he dares to bid."""

    bold: float = 0.0
    skilled: bool = True


class Simulator:
    """Deals, bids and plays hands of one rule set.

    >>> record = Simulator("heerlen", seed=1).hand()
    >>> record.get("src"), len(record.plays) in (0, 32)
    ('simulated', True)
    """

    def __init__(self, rules: RuleSet | str = "heerlen", seed: int = 1) -> None:
        self.rules = rules if isinstance(rules, RuleSet) else load_ruleset(rules)
        self.bidder: Bidder = bidder_for(self.rules)
        self.rng = np.random.default_rng(seed)
        self.state = self.rng.integers(1, 2**63, 1).astype(np.uint64)

    def hand(
        self,
        dealer: int | None = None,
        tempers: Sequence[Temper] = (Temper(),) * 4,
        fault: str | None = None,
        deal: tuple[list[int], int] | None = None,
    ) -> HandRecord:
        """One hand; ``fault`` plants one offence of :data:`FAULTS`, where the hand allows it."""
        dealer = int(self.rng.integers(4)) if dealer is None else dealer
        hands, middle = deal_cards(self.rng) if deal is None else deal
        plans = [self.bidder.plans(h, middle) for h in hands]
        calls, declarer, bid = self._auction(dealer, hands, plans, tempers, fault)
        owners = ["M"] * 33
        for s in range(4):
            for c in cards_in(hands[s]):
                owners[c] = SEATS[s]
        record = HandRecord(
            rules=self.rules.id,
            dealer=dealer,
            deal="".join(owners),
            auction_state="calls",
            auction=tuple(Call(t) for t in calls),
            claims=self._shows(hands),
            meta=(("src", SOURCE),),
        )
        if bid is None or declarer is None:
            return self._with_result(record, None)
        plan = plans[declarer][bid.key]
        record = self._played(record, hands, declarer, bid, plan, tempers, fault)
        return self._with_result(record, fault)

    def _auction(
        self,
        dealer: int,
        hands: list[int],
        plans: list[dict[str, Plan]],
        tempers: Sequence[Temper],
        fault: str | None,
    ) -> tuple[list[str], int | None, Bid | None]:
        auction = Auction(self.rules, dealer)
        calls: list[str] = []
        wishes = [self._wishes(hands[s], plans[s], tempers[s]) for s in range(4)]
        low_bid = fault == "bid-too-low"
        while not auction.over:
            seat = auction.turn
            assert seat is not None
            text = self._choose(auction.best, wishes[seat])
            if low_bid and auction.best is not None and auction.best.row and text == "-":
                text, low_bid = self._lowest_bid(), False
            auction.call(Call(text))
            calls.append(text)
        return calls, auction.bidder, auction.best

    def _lowest_bid(self) -> str:
        contract = self.rules.contracts[self.rules.auction.order[0]]
        return str(contract.levels[0]) if contract.levels else str(contract.code)

    def _wishes(self, hand: int, plans: dict[str, Plan], temper: Temper) -> list[tuple[Bid, float]]:
        """Bids that a player would stand for, each with how much he likes it."""
        out: list[tuple[Bid, float]] = []
        daring = self.rng.random() < 0.06
        floor = (0.32 if daring else 0.5) - temper.bold + float(self.rng.normal(0, 0.03))
        # Once in a while somebody tries what he should not: rare contracts get played, and lost.
        foolhardy = self.rng.random() < 0.02
        nerve = abs(float(self.rng.normal(0, 0.08)))
        for key, plan in plans.items():
            contract = self.rules.contracts[key]
            taste = float(np.exp(self.rng.normal(0, 0.9)))
            meld = self._own_meld(plan) if contract.goal == "points" or contract.plus_step else 0
            if contract.levels:
                top = contract.levels[-1]
                levels = [*contract.levels]
                if contract.step:
                    levels += range(top + contract.step, top + 20 * contract.step, contract.step)
                for level in levels:
                    chance = plan.chance_of(level, meld)
                    self._wish(out, str(level), chance, floor, taste)
            elif contract.plus_step:
                for n in (contract.plus_step, 2 * contract.plus_step, 3 * contract.plus_step):
                    if meld >= n:
                        bar = max(0.3, 0.8 * self.bidder.rare[key])
                        self._wish(out, f"{contract.code}+{n}", plan.chance, bar, taste)
            elif contract.goal == "points":
                chance = plan.chance_of(contract.target or 0, meld)
                self._wish(out, str(contract.code), chance, floor - 0.1, taste)
            else:
                least = 0.5 if contract.goal == "all" else 0.42
                rare = self.bidder.rare[key]
                bar = 0.7 * rare if foolhardy else max(least, rare)
                bar += (floor - 0.5) / 2 - nerve
                self._wish(out, str(contract.code), plan.chance, bar, taste)
        return out

    def _wish(
        self, out: list[tuple[Bid, float]], text: str, chance: float, floor: float, taste: float
    ) -> None:
        bid = self.rules.bid(text)
        if bid is not None and chance >= floor:
            out.append((bid, bid.contract.score * max(0.2, 2 * chance - 0.6) * taste))

    def _choose(self, best: Bid | None, wishes: list[tuple[Bid, float]]) -> str:
        open_to = [(b, w) for b, w in wishes if best is None or b.rank > best.rank]
        if not open_to:
            return "-"
        bid = max(open_to, key=lambda bw: bw[1])[0]
        if bid.contract.goal == "points" and self.rng.random() < 0.5:
            # Half of the time a points bidder goes no higher than he needs to.
            bid = min((b for b, _ in open_to if b.contract.goal == "points"), key=lambda b: b.rank)
        return bid.text

    def _own_meld(self, plan: Plan) -> int:
        if self.rules.meld.system == "roem":
            stuk = 0
            if self.rules.meld.stuk and plan.trump != NO_TRUMP:
                king, queen = stuk_cards(plan.trump)
                if plan.hand >> king & 1 and plan.hand >> queen & 1:
                    stuk = self.rules.meld.stuk
            return best_roem(plan.hand, self.rules) + stuk
        if self.rules.meld.system == "none":
            return 0
        # Others at the table may hold better: half of one's best is what to expect.
        return max((c.value for c in combinations(plan.hand, self.rules)), default=0) // 2

    def _shows(self, hands: list[int]) -> tuple[Claim, ...]:
        if not self.rules.deal.show_lowest:
            return ()
        return tuple(
            Claim(0, s, "show", cards=(next(cards_in(lowest_cards(hands[s], self.rules))),))
            for s in range(4)
        )

    def _played(
        self,
        record: HandRecord,
        hands: list[int],
        declarer: int,
        bid: Bid,
        plan: Plan,
        tempers: Sequence[Temper],
        fault: str | None,
    ) -> HandRecord:
        contract = bid.contract
        dealt = [*hands]
        dealt[declarer] = plan.hand
        partner, called = self.bidder.find_partner(bid, dealt, declarer, plan.trump, plan.discard)
        dealer = record.dealer or 0
        lead = declarer if self.rules.play.first_lead == "declarer" else (dealer + 1) % 4
        skilled = (tempers[0].skilled, tempers[1].skilled, tempers[2].skilled, tempers[3].skilled)
        cards, seats, winners, _ = self.bidder.eval.deck.play(
            dealt,
            plan.trump,
            lead,
            declarer,
            partner,
            -1 if called is None else called,
            want_of(contract),
            self.state,
            skilled=skilled,
            first_four=contract.goal == "first-four-and-all",
            exposed=contract.exposure != "none",
            fault_ply=int(self.rng.integers(4, 24)) if fault == "revoke" else -1,
        )
        record = replace(
            record,
            trump="-" if plan.trump == NO_TRUMP else SUITS[plan.trump],
            called=CARDS[called] if called is not None and contract.calls_card else "-",
            discard="-" if plan.discard is None else CARDS[plan.discard],
            plays=tuple(Play(int(c)) for c in cards),
        )
        seats_of = [int(s) for s in seats]
        claims = self._claims(
            record, dealt, bid, plan, declarer, partner, called, seats_of, winners
        )
        return replace(record, claims=(*record.claims, *claims))

    def _claims(
        self,
        record: HandRecord,
        hands: list[int],
        bid: Bid,
        plan: Plan,
        declarer: int,
        partner: int,
        called: int | None,
        seats: list[int],
        winners: np.ndarray,
    ) -> list[Claim]:
        out: list[Claim] = []
        if not bid.uses_points:
            return out
        side = [declarer] if partner < 0 else [declarer, partner]
        if self.rules.meld.system == "roem":
            plies = {declarer: seats.index(declarer) + 1}
            if partner >= 0:
                ply = self._partner_window(record, declarer, partner, called, seats, winners)
                if ply is not None:
                    plies[partner] = ply
            for s in side:
                value = best_roem(hands[s], self.rules)
                if value and s in plies and self.rng.random() < 0.97:
                    out.append(Claim(plies[s], s, "roem", value))
        elif self.rules.meld.system == "best-at-table":
            out += self._combinations(hands, seats)
        if self.rules.meld.stuk and plan.trump != NO_TRUMP:
            king, queen = stuk_cards(plan.trump)
            played = [p.card for p in record.plays]
            for s in side:
                if hands[s] >> king & 1 and hands[s] >> queen & 1 and self.rng.random() < 0.95:
                    first = min(played.index(king), played.index(queen))
                    out.append(Claim(first, s, "stuk"))
        return sorted(out, key=lambda c: c.ply)

    def _partner_window(
        self,
        record: HandRecord,
        declarer: int,
        partner: int,
        called: int | None,
        seats: list[int],
        winners: np.ndarray,
    ) -> int | None:
        """When the partner announces: as soon as he may (RULES 9), or never."""
        if self.rules.meld.announce == "before-last-card":
            return seats.index(partner)
        called_ply = -1 if called is None else [p.card for p in record.plays].index(called)
        opens = int(window_opens(called_ply, declarer, winners))
        return opens if opens < 32 and partner in seats[opens:] else None

    def _combinations(self, hands: list[int], seats: list[int]) -> list[Claim]:
        out = []
        for s in range(4):
            options = [
                (c.value, c.length, c.cards) for c in combinations(hands[s], self.rules) if c.value
            ]
            for rank in self.rules.meld.threes:
                cards = tuple(c for c in cards_in(hands[s]) if CARDS[c][1] == rank)
                three = named_combination(cards, "set", self.rules) if len(cards) == 3 else None
                if three is not None:
                    options.append((three.value, 3, three.cards))
            if options and self.rng.random() < 0.97:
                best = max(options)[2]
                cards = tuple(cards_in(best))
                kind = "run" if len({CARDS[c][0] for c in cards}) == 1 else "set"
                out.append(Claim(seats.index(s), s, kind, cards=cards))
        return out

    def _with_result(self, record: HandRecord, fault: str | None) -> HandRecord:
        outcome = replay(record, self.rules).outcome
        if outcome.passed_out:
            return replace(record, result=Result(outcome="void"))
        points, made = outcome.points, outcome.made
        if fault == "points" and points is not None and points[1] >= 10:
            points = (points[0] + 10, points[1] - 10)
        if fault == "result" and made is not None:
            made = not made
        claims = record.claims
        if fault == "stuk" and outcome.bid is not None and outcome.bid.uses_points:
            if outcome.declarer is not None and self.rules.meld.stuk:
                if not any(c.kind == "stuk" for c in claims):
                    claims = (*claims, Claim(31, outcome.declarer, "stuk"))
        return replace(
            record,
            claims=claims,
            result=Result(
                outcome=None if made is None else ("made" if made else "lost"),
                points=points,
                score=outcome.score,
                tricks=outcome.tricks,
            ),
        )

    def session(
        self,
        name: str,
        players: Sequence[str],
        hands: int,
        date: str,
        tempers: Sequence[Temper] = (Temper(),) * 4,
        fault_rate: float = 0.0,
        event: str = "",
    ) -> Iterator[HandRecord]:
        """An evening: ``hands`` hands, the deal going round, players N E S W by name."""
        dealer = int(self.rng.integers(4))
        for n in range(1, hands + 1):
            fault = None
            if self.rng.random() < fault_rate:
                fault = FAULTS[int(self.rng.integers(len(FAULTS)))]
            record = self.hand(dealer, tempers, fault)
            meta = {"id": f"{name}-{n:02d}", "n": players[0], "e": players[1], "s": players[2],
                    "w": players[3], "date": date, "event": event, "session": name,
                    "hand": str(n), "src": SOURCE}  # fmt: skip
            yield replace(record, meta=tuple((k, v) for k, v in meta.items() if v))
            passed_out = record.result.outcome == "void"
            if not (passed_out and self.rules.deal.all_pass == "same-dealer"):
                dealer = (dealer + 1) % 4


def simulate(n: int, seed: int = 1, rules: RuleSet | str = "heerlen") -> Iterator[HandRecord]:
    """``n`` hands by the simple players, numbered, marked as simulated.

    >>> [r.get("id") for r in simulate(2, seed=7)]
    ['sim-7-1', 'sim-7-2']
    """
    simulator = Simulator(rules, seed)
    for i in range(1, n + 1):
        record = simulator.hand()
        yield replace(record, meta=(("id", f"sim-{seed}-{i}"), ("src", SOURCE)))


__all__ = ["FAULTS", "NOBODY", "SOURCE", "Simulator", "Temper", "simulate"]
