"""Complete hands by the built-in simple players. Everything made here is marked as simulated.

The same seed gives the same hands. Auctions, declarations and cards follow the rule set; what a
hand came to is worked out by the replay, so that the recorded result is right.
"""

import signal
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

import numpy as np

from engine.batch import HandColumns, tables_of
from engine.record import Claim, HandRecord, Result
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.ruleset import Bid, RuleSet
from pandoeren_replay.players import plans as kernels
from pandoeren_replay.players.bidding import Bidder, Plan, bidder_for
from pandoeren_replay.players.dealer import Dealer, dealer_for, with_results
from pandoeren_replay.players.interrupts import held_back
from parsers.phl_byte_writer import write_lines

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
        self._dealer = Dealer(self.bidder)

    @property
    def _tables(self) -> Any:
        return tables_of(self.rules).fixed

    def hand(
        self,
        dealer: int | None = None,
        tempers: Sequence[Temper] = (Temper(),) * 4,
        fault: str | None = None,
        deal: tuple[list[int], int] | None = None,
    ) -> HandRecord:
        """One hand; ``fault`` plants one offence of :data:`FAULTS`, where the hand allows it."""
        columns = self._dealer.hands(
            1, self.rng, self.state, dealer, deal, [t.bold for t in tempers],
            [t.skilled for t in tempers], fault == "bid-too-low", fault == "revoke",
        )  # fmt: skip
        record = replace(columns.record(0, self.rules.id), meta=(("src", SOURCE),))
        return self._with_result(record, fault)

    def _wishes(self, hand: int, plans: dict[str, Plan], temper: Temper) -> list[tuple[Bid, float]]:
        """Bids that a player would stand for, each with how much he likes it."""
        bidder = self.bidder
        melds = {k: self._own_meld(plans[k]) for k in bidder.meld_counts if k in plans}
        wish, liking = np.zeros(len(bidder.bids), np.int64), np.zeros(len(bidder.bids))
        with held_back():
            n = kernels.fill_wishes(
                self.rng, bidder.rows, bidder.options, bidder.plan_array(plans, melds), temper.bold,
                wish, liking,
            )  # fmt: skip
        return [(bidder.bids[k], x) for k, x in zip(wish[:n].tolist(), liking[:n].tolist())]

    def _choose(self, best: Bid | None, wishes: list[tuple[Bid, float]]) -> str:
        """The call of a player who has these wishes, over the best bid so far."""
        row, level = (-1, -1) if best is None else best.rank
        bidder = self.bidder
        wish = np.array([bidder.option_of[bid.rank] for bid, _ in wishes], np.int64)
        liking = np.array([liking for _, liking in wishes], np.float64)
        with held_back():
            k = kernels.choose_bid(self.rng, bidder.options, row, level, wish, liking, len(wishes))
        return "-" if k < 0 else bidder.bids[k].text

    def _own_meld(self, plan: Plan) -> int:
        """What a player expects of the meld in a hand that he would play so."""
        stuk = int(kernels.stuk_of(self._tables, plan.hand, plan.trump))
        return stuk + kernels.own_meld(self.rules, plan.hand)

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


BLOCK = 4096
"""Hands that are drawn from one stream of random numbers: which hands there are depends on the
seed and this number, not on how many processes make them."""
_AHEAD = 2  # blocks under way for each process


def _block(rules: RuleSet, seed: int, number: int, n: int) -> HandColumns:
    """The first ``n`` hands of a block, with results."""
    key = (number,) if number else ()
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
    columns = dealer_for(rules).hands(n, rng, rng.integers(1, 2**63, 1).astype(np.uint64))
    with_results(columns, rules)
    return columns


def _block_lines(rules: RuleSet, seed: int, number: int, n: int) -> bytes:
    """A block as lines."""
    builtin = rules.id in BUILTIN_IDS and load_ruleset(rules.id).content_hash == rules.content_hash
    lines = write_lines(
        _block(rules, seed, number, n), rules.id, None if builtin else rules.content_hash,
        f"id=sim-{seed}-", number * BLOCK + 1, f";src={SOURCE}",
    )  # fmt: skip
    return bytes(lines)


def _blocks(n: int) -> Iterator[tuple[int, int]]:
    """Number and size of the blocks of ``n`` hands."""
    for number in range(-(-n // BLOCK)):
        yield number, min(BLOCK, n - number * BLOCK)


def simulate(n: int, seed: int = 1, rules: RuleSet | str = "heerlen") -> Iterator[HandRecord]:
    """``n`` hands by the simple players, numbered, marked as simulated.

    >>> [r.get("id") for r in simulate(2, seed=7)]
    ['sim-7-1', 'sim-7-2']
    """
    loaded = rules if isinstance(rules, RuleSet) else load_ruleset(rules)
    for number, size in _blocks(n):
        columns = _block(loaded, seed, number, size)
        for i in range(size):
            name = f"sim-{seed}-{number * BLOCK + i + 1}"
            yield replace(columns.record(i, loaded.id), meta=(("id", name), ("src", SOURCE)))


def simulate_lines(
    n: int, seed: int = 1, rules: RuleSet | str = "heerlen", jobs: int = 1
) -> Generator[tuple[int, bytes], None, None]:
    """The hands of :func:`simulate` as ``.phl``, block after block: hands so far, lines.

    ``jobs`` processes make them; no more than a few blocks are held at a time.

    >>> [(done, lines.count(b"\\n")) for done, lines in simulate_lines(3, seed=7)]
    [(3, 3)]
    """
    loaded = rules if isinstance(rules, RuleSet) else load_ruleset(rules)
    done = 0
    if jobs == 1 or n <= BLOCK:
        for number, size in _blocks(n):
            done += size
            yield done, _block_lines(loaded, seed, number, size)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_ignore_interrupts)
    waiting: deque[tuple[int, Future[bytes]]] = deque()
    try:
        for number, size in _blocks(n):
            waiting.append((size, pool.submit(_block_lines, loaded, seed, number, size)))
            if len(waiting) > _AHEAD * jobs:
                size, lines = waiting.popleft()
                done += size
                yield done, lines.result()
        for size, lines in waiting:
            done += size
            yield done, lines.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that writes; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


__all__ = ["BLOCK", "FAULTS", "SOURCE", "Simulator", "Temper", "simulate", "simulate_lines"]
