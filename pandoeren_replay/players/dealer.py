"""Hands by the thousand: the loop of :mod:`pandoeren_replay.players.dealing` kept going."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.batch import HandColumns, replay_columns, tables_of
from engine.batch_columns import CLAIM, OUTCOMES, blank_hands, call_code
from engine.ruleset import RuleSet
from pandoeren_replay.players.bidding import Bidder, bidder_for
from pandoeren_replay.players.dealing import (
    ASK_CALL,
    ASK_MELD,
    DONE,
    MOST_CLAIMS,
    NO_ROOM,
    TABLE,
    deal_hands,
)
from pandoeren_replay.players.interrupts import held_back
from pandoeren_replay.players.plans import WORK, MeldMemo, three_ranks
from pandoeren_replay.players.tables import PLAN

_CALLS_A_HAND = 16
_CLAIMS_A_HAND = 6


class Dealer:
    """Deals, bids and plays hands of one rule set into columns.

    ``state`` feeds the choices of unskilled players (one number, used up).
    """

    def __init__(self, bidder: Bidder) -> None:
        self.rules: RuleSet = bidder.rules
        self.bidder = bidder
        self.memo = MeldMemo(self.rules)
        self.table = np.zeros(1, TABLE)
        self.table["show_lowest"] = self.rules.deal.show_lowest
        n_rows, n_options = len(bidder.rows), len(bidder.options)
        self._plans = np.zeros((4, n_rows), PLAN)
        self._wish = np.zeros((4, n_options), np.int64)
        self._liking = np.zeros((4, n_options))
        self._work = np.zeros(1, WORK)
        self._zs = np.zeros((len(bidder.weights), 5))
        self._threes = three_ranks(self.rules)
        contract = self.rules.contracts[self.rules.auction.order[0]]
        text = str(contract.levels[0]) if contract.levels else str(contract.code)
        self._lowest_bid = call_code(text)

    def hands(
        self,
        n: int,
        rng: np.random.Generator,
        state: Any,
        dealer: int | None = None,
        deal: tuple[Sequence[int], int] | None = None,
        bold: Sequence[float] = (0.0,) * 4,
        skilled: Sequence[bool] = (True,) * 4,
        low_bid: bool = False,
        revoke: bool = False,
    ) -> HandColumns:
        """``n`` hands without results; ``dealer`` and ``deal`` (four hands, middle card) are drawn
        where they are not given. ``low_bid`` and ``revoke`` plant one such offence in the first
        hand, where it allows it.
        """
        hands = blank_hands(n)
        calls = np.zeros(n * _CALLS_A_HAND + 64, np.int16)
        claims = np.zeros(n * _CLAIMS_A_HAND + MOST_CLAIMS, CLAIM)
        tables, b = tables_of(self.rules), self.bidder
        auction, memo = tables.auction, self.memo
        with tables.lock:
            s = self.table[0]
            for name in ("hands_done", "stage", "n_calls", "n_claims"):
                s[name] = 0
            s["pending"] = -1
            s["given_dealer"] = -1 if dealer is None else dealer
            s["given_deal"] = deal is not None
            if deal is not None:
                s["hands"], s["middle"] = deal
            s["bold"], s["skilled"] = bold, skilled
            s["low_bid"], s["revoke"] = low_bid, revoke
            while True:
                with held_back():
                    why = deal_hands(
                        rng, state, tables.fixed, b.eval.values, self._work, b.rows, b.options,
                        b.weights, self._zs, self._threes, auction.symbol, auction.steps,
                        auction.states, memo.answers, self._lowest_bid, self._plans, self._wish,
                        self._liking, self.table, hands, calls, claims,
                    )  # fmt: skip
                if why == DONE:
                    break
                if why == ASK_MELD:
                    memo.learn(int(s["missing"]))
                elif why == ASK_CALL:
                    at = int(hands["calls_at"][s["hands_done"]])
                    auction.learn(calls[at : int(s["n_calls"]) + 1])
                else:
                    assert why == NO_ROOM
                    calls = np.concatenate([calls, np.zeros_like(calls)])
                    claims = np.concatenate([claims, np.zeros_like(claims)])
        return HandColumns(hands, calls[: s["n_calls"]], claims[: s["n_claims"]])


_dealers: dict[str, Dealer] = {}


def dealer_for(rules: RuleSet) -> Dealer:
    """The dealer of a rule set, kept for the life of the process with all he has been told."""
    if rules.content_hash not in _dealers:
        _dealers[rules.content_hash] = Dealer(bidder_for(rules))
    return _dealers[rules.content_hash]


def with_results(columns: HandColumns, rules: RuleSet) -> None:
    """Write into the hands, as recorded result, what the batch replay makes of them."""
    found = replay_columns(columns, rules).hands
    hands, out = columns.hands, found["passed_out"] != 0
    hands["outcome"] = np.where(out, OUTCOMES.index("void"), found["made"])
    played = ~out
    for name in ("points", "tricks"):
        hands[name] = np.where(played[:, None], found[name], -1)
    hands["score"] = np.where(played[:, None], found["score"], 0)
    hands["has_score"] = np.where(played, found["has_score"], 0)
