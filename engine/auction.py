"""The auction: who may call, which bids are higher, when it is over (RULES 3 and 9)."""

from dataclasses import dataclass, field

from engine.record import Call, HandRecord
from engine.ruleset import Bid, RuleSet
from engine.violations import Violation


@dataclass(slots=True)
class Called:
    """One call as it was judged: ``counts`` is false for a call that has no effect."""

    index: int
    seat: int | None
    text: str
    bid: Bid | None
    counts: bool


def bid_params(text: str, bid: Bid | None) -> dict[str, str]:
    """A call as the sentences of violations name it."""
    if text == "-":
        return {"bid": "pass", "bid_nl": "pas"}
    words = {"en": text, "nl": text} if bid is None else bid.words()
    return {"bid": words["en"], "bid_nl": words["nl"]}


@dataclass(slots=True)
class AuctionResult:
    """What became of the auction.

    ``declarer`` and ``bid`` are ``None`` while nobody has bid; ``bidders`` are the seats that made
    a bid which counted, or may have where calls or dealer are not recorded; ``passed_out`` is true
    only for four passes.
    """

    declarer: int | None = None
    bid: Bid | None = None
    closed: bool = False
    passed_out: bool = False
    calls: list[Called] = field(default_factory=list)
    bidders: set[int] = field(default_factory=set)
    violations: list[Violation] = field(default_factory=list)


class Auction:
    """The state of an auction; :meth:`call` applies one call and says what was wrong with it."""

    def __init__(self, rules: RuleSet, dealer: int) -> None:
        self.rules = rules
        self.turn = (dealer + 1) % 4
        self.best: Bid | None = None
        self.bidder: int | None = None
        self.passed: set[int] = set()
        self.passes = 0
        self.over = False

    def call(self, call: Call) -> tuple[int, Bid | None, str | None]:
        """Seat, bid and offence (``None`` = in order) of one call; offences have no effect."""
        seat = self.turn if call.seat is None else call.seat
        bid = None if call.text == "-" else self.rules.bid(call.text)
        if self.over:
            return seat, bid, "bid-after-end"
        if seat != self.turn:
            if self.rules.auction.pass_is_final and seat in self.passed:
                return seat, bid, "bid-after-pass"
            return seat, bid, "bid-out-of-turn"
        if call.text == "-":
            self.passes += 1
            self.passed.add(seat)
        elif bid is None:
            self._next(seat)
            return seat, None, "bid-unknown"
        elif self.best is not None and bid.rank <= self.best.rank:
            self._next(seat)
            return seat, bid, "bid-too-low"
        else:
            self.best, self.bidder, self.passes = bid, seat, 0
        if self.rules.auction.pass_is_final:
            others = self.passed - {self.bidder}
            self.over = len(others) == (4 if self.best is None else 3)
        else:
            self.over = self.passes == (4 if self.best is None else 3)
        self._next(seat)
        return seat, bid, None

    def _next(self, seat: int) -> None:
        self.turn = (seat + 1) % 4
        if self.rules.auction.pass_is_final and not self.over:
            for _ in range(4):
                if self.turn not in self.passed and self.turn != self.bidder:
                    break
                self.turn = (self.turn + 1) % 4


def run_auction(record: HandRecord, rules: RuleSet, dealer: int | None) -> AuctionResult:
    """Judge the recorded auction; with unknown calls take declarer and contract as recorded.

    >>> from engine.rulefile import load_ruleset
    >>> r = HandRecord(dealer=3, auction_state="calls",
    ...                auction=tuple(map(Call, "- 120 - - -".split())))
    >>> a = run_auction(r, load_ruleset("heerlen"), 3)
    >>> a.declarer, a.bid.text, a.closed
    (1, '120', True)
    """
    out = AuctionResult()
    if record.auction_state != "calls":
        out.declarer = record.declarer
        if record.contract is not None:
            out.bid = rules.bid(record.contract)
            if out.bid is None:
                out.violations.append(
                    Violation(
                        "bid-unknown",
                        seat=record.declarer,
                        params={"bid": record.contract, "rules": rules.id},
                    )
                )
        out.violations.append(Violation("auction-unknown"))
        out.bidders = set(range(4))
        return out
    # Without the dealer the calls still follow each other: any dealer tells when it is over.
    auction = Auction(rules, 3 if dealer is None else dealer)
    for i, call in enumerate(record.auction):
        best = auction.best
        seat: int | None
        seat, bid, code = auction.call(Call(call.text) if dealer is None else call)
        if dealer is None:
            seat = call.seat
        out.calls.append(Called(i, seat, call.text, bid, code is None))
        if code is not None:
            params = {"rules": rules.id, **bid_params(call.text, bid)}
            if best is not None:
                params |= {"best": best.words()["en"], "best_nl": best.words()["nl"]}
            out.violations.append(Violation(code, call=i, seat=seat, params=params))
        elif bid is not None and seat is not None:
            out.bidders.add(seat)
    if dealer is None:
        out.bidders = set(range(4))
    out.closed = auction.over
    out.declarer = None if dealer is None else auction.bidder
    out.bid = auction.best
    out.passed_out = auction.over and auction.best is None
    if not auction.over:
        out.violations.append(Violation("auction-not-closed"))
    return out


def infer_dealer(record: HandRecord, rules: RuleSet) -> int | None:
    """The dealer as recorded, or as it follows from the calls and who led to the first trick."""
    if record.dealer is not None or not record.plays:
        return record.dealer
    leader = record.plays[0].seat
    if leader is None or record.auction_state != "calls":
        return None
    if rules.play.first_lead == "forehand":
        return (leader - 1) % 4
    for dealer in range(4):
        if run_auction(record, rules, dealer).declarer == leader:
            return dealer
    return None
