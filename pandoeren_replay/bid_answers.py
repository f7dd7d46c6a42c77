"""What is asked about a bid and how it is answered: the bidder's view, plans, calls with figures.

:mod:`pandoeren_replay.bid_advice` works the figures out.
"""

from dataclasses import dataclass
from typing import Any

from engine.auction import Auction
from engine.cards import CARDS, NO_TRUMP, SEATS, SUITS, cards_in
from engine.record import Call, HandRecord
from engine.ruleset import Bid, RuleSet
from pandoeren_replay.advise import Chance


@dataclass(frozen=True, slots=True)
class Plan:
    """Trump suit (4: none), discard and called card (``None``: none) of a contract."""

    trump: int
    discard: int | None
    called: int | None

    def as_json(self) -> dict[str, str]:
        """As the notation writes a declaration."""
        return {
            "trump": "-" if self.trump == NO_TRUMP else SUITS[self.trump],
            "discard": "-" if self.discard is None else CARDS[self.discard],
            "called": "-" if self.called is None else CARDS[self.called],
        }


@dataclass(frozen=True, slots=True)
class CallAdvice:
    """One call: with the best plan for it, the chance to make it and the expected score.

    ``chance`` and ``score`` are (estimate, low, high), 95% for what the deals drawn leave open;
    everything is ``None`` for a pass, whose worth depends on what the others do.
    """

    call: str
    bid: Bid | None
    plan: Plan | None = None
    open_cards: Chance | None = None
    simple: Chance | None = None
    chance: tuple[float, float, float] | None = None
    score: tuple[float, float, float] | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        out: dict[str, Any] = {"call": self.call}
        if self.plan is None or self.open_cards is None or self.simple is None:
            return out
        out |= self.plan.as_json()
        for name, value in (("chance", self.chance), ("score", self.score)):
            if value is not None:
                for part, x in zip(("", "_low", "_high"), value):
                    out[name + part] = round(x, 4)
        return out | {
            "open_cards": round(self.open_cards.value, 4),
            "simple": round(self.simple.value, 4),
            "deals": self.open_cards.n,
        }


@dataclass(frozen=True, slots=True)
class BiddingAdvice:
    """All calls open to a seat, in the order of the auction; ``seconds`` spent so far."""

    seat: int
    calls: tuple[CallAdvice, ...]
    seconds: float
    rounds: int

    @property
    def best(self) -> CallAdvice:
        """The call with the highest expected score; pass where none is above 0."""
        bids = [c for c in self.calls if c.score is not None and c.score[0] > 0]
        if not bids:
            return self.calls[0]
        return max(bids, key=lambda c: c.score[0] if c.score else 0.0)

    def of(self, call: str) -> CallAdvice | None:
        """Advice on one call, ``None`` where it is not open."""
        return next((c for c in self.calls if c.call == call), None)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "seat": SEATS[self.seat],
            "best": self.best.call,
            "calls": [c.as_json() for c in self.calls],
        }


@dataclass(frozen=True, slots=True)
class Seen:
    """What a bidder sees: rules, dealer, calls so far, his cards, the middle card if face up."""

    rules: RuleSet
    dealer: int
    calls: tuple[str, ...]
    hand: int
    middle: int | None

    def auction(self) -> Auction:
        """The auction as it stands."""
        auction = Auction(self.rules, self.dealer)
        for text in self.calls:
            seat, bid, fault = auction.call(Call(text))
            if fault is not None:
                what = "is no bid of these rules" if bid is None else f"cannot be bid ({fault})"
                raise ValueError(f"{SEATS[seat]}: {text} {what}")
        if auction.over:
            raise ValueError(f"the auction is over after {' '.join(self.calls)}")
        return auction

    def check(self) -> None:
        """Raise ``ValueError`` with a sentence unless somebody can be advised."""
        if self.hand.bit_count() != 8:
            raise ValueError(f"{self.hand.bit_count()} different cards; expected 8")
        face_up = self.rules.deal.middle == "taken"
        if face_up and self.middle is None:
            raise ValueError(
                f"the middle card lies face up in {self.rules.id}: name it (--middle H9)"
            )
        if not face_up and self.middle is not None:
            raise ValueError(f"the middle card lies face down in {self.rules.id}")
        if self.middle is not None and self.hand >> self.middle & 1:
            raise ValueError(f"{CARDS[self.middle]} is in hand and in the middle")

    def record(self, bid: Bid, plan: Plan) -> HandRecord:
        """The hand as it would be recorded if this bid were the last one, played by this plan."""
        auction = self.auction()
        seat = auction.turn
        calls = [*self.calls, bid.text]
        auction.call(Call(bid.text))
        while not auction.over:
            calls.append("-")
            auction.call(Call("-"))
        deal = ["?"] * 33
        for c in cards_in(self.hand):
            deal[c] = SEATS[seat]
        if self.middle is not None:
            deal[self.middle] = "M"
        named = plan.as_json()
        called = named["called"] if bid.contract.calls_card else "-"
        return HandRecord(
            self.rules.id, None, self.dealer, "".join(deal), (), "calls", tuple(map(Call, calls)),
            trump=named["trump"], called=called, discard=named["discard"],
        )  # fmt: skip
