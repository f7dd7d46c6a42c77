"""A rule set's contracts and bids as the compiled players read them.

Nothing of the game is written down here: who may call what comes from
:mod:`engine.batch_tables`, bids and their order from the rule set.
"""

from typing import Any

import numpy as np

from engine.batch_columns import call_code, call_text
from engine.batch_tables import (
    CALLED,
    MOST_CALLABLE,
    PARTNER_KINDS,
    callable_chains,
    some_bid,
)
from engine.cards import NO_TRUMP
from engine.ruleset import Bid, Contract, RuleSet
from pandoeren_replay.players.cardplay import WANT_ALL, WANT_FIRST, WANT_ONE, WANT_POINTS
from pandoeren_replay.players.valuation import WANTS, want_of

GOALS = tuple(WANTS)
POINTS, ALL, FIRST_FOUR, JAS_AND_ALL, FOUR, NONE, FIRST, ONE, WITH_JAS = range(len(GOALS))
"""Numbers of the goals, in the order of :data:`WANTS`."""
assert GOALS[FIRST_FOUR] == "first-four-and-all"
assert GOALS[FOUR] == "called-card-and-four"
assert GOALS[FIRST:] == ("first-only", "exactly-one", "one-with-jas")

STEPS_UP = 20
"""How many bids beyond the last listed level a player thinks of."""
PLUSES = 3
"""How many steps of roem on top of a bid a player thinks of."""

_SAME_DISCARD = {WANT_ALL: WANT_POINTS, WANT_ONE: WANT_FIRST}

ROW = np.dtype(
    [
        ("goal", np.int64),
        ("want", np.int64),
        ("group", np.int64),  # a want with the same discards
        ("model", np.int64),
        ("sigma", np.float64),
        ("rare", np.float64),
        ("least", np.float64),
        ("has_trump", np.int64),
        ("exchange", np.int64),
        ("own_jas_barred", np.int64),
        ("needs_jas", np.int64),
        ("fourth_ace", np.int64),
        ("partner_kind", np.int64),
        ("calls_card", np.int64),
        ("any_card", np.int64),
        ("exposed", np.int64),
        ("levelled", np.int64),
        ("plus", np.int64),
        ("counts_meld", np.int64),  # bidding looks at one's own meld
        ("uses_points", np.int64),  # announcements count
        ("first", np.int64),  # its options: where, and how many
        ("n", np.int64),
        ("callable", np.int64, (NO_TRUMP + 1, MOST_CALLABLE)),
    ]
)
"""A contract, in the order of the auction."""

OPTION = np.dtype(
    [
        ("target", np.int64),
        ("row", np.int64),
        ("level", np.int64),
        ("code", np.int64),
        ("score", np.float64),
        ("points", np.int64),
    ]
)
"""A bid that a player thinks of: what it asks, its rank, its number as a call."""

PLAN = np.dtype(
    [
        ("ok", np.int64),
        ("trump", np.int64),
        ("held", np.int64),
        ("gone", np.int64),
        ("mean", np.float64),
        ("chance", np.float64),
        ("meld", np.int64),
    ]
)
"""What a player would do with a contract, see :class:`pandoeren_replay.players.bidding.Plan`."""


def model_kind(rules: RuleSet, c: Contract) -> tuple[object, ...]:
    """Contracts of one kind are valued by one model."""
    return (c.goal, c.partner, c.trump, c.exposure, rules.takes_middle(c))


def contract_tables(rules: RuleSet) -> tuple[Any, Any]:
    """Rows (without models) and options of a rule set."""
    order = [rules.contracts[key] for key in rules.auction.order]
    rows = np.zeros(len(order), ROW)
    kinds: dict[tuple[object, ...], int] = {}
    options: list[tuple[int, int, int, int, float, int]] = []
    for number, (key, c) in enumerate(zip(rules.auction.order, order)):
        row, bid, want = rows[number], some_bid(rules, number, key), want_of(c)
        row["goal"], row["want"] = GOALS.index(c.goal), want
        row["group"] = _SAME_DISCARD.get(want, want)
        row["model"] = kinds.setdefault(model_kind(rules, c), len(kinds))
        row["least"] = 0.5 if c.goal == "all" else 0.42
        row["has_trump"], row["exchange"] = c.trump, rules.takes_middle(c)
        row["own_jas_barred"] = c.own_jas == "forbidden"
        row["needs_jas"] = c.goal == "one-with-jas"
        row["fourth_ace"] = c.partner == "fourth-ace"
        row["partner_kind"] = CALLED if c.calls_card else PARTNER_KINDS[c.partner]
        row["calls_card"], row["any_card"] = c.calls_card, c.partner == "called-card"
        row["exposed"] = c.exposure != "none"
        row["levelled"], row["plus"] = bool(c.levels), bool(c.plus_step)
        row["counts_meld"] = c.goal == "points" or bool(c.plus_step)
        row["uses_points"] = bid.uses_points
        row["callable"] = callable_chains(rules, bid)
        row["first"] = len(options)
        options += [o for o in map(_option, _thought_of(rules, c)) if o[1] == number]
        row["n"] = len(options) - row["first"]
    return rows, np.array(options, OPTION)


def _thought_of(rules: RuleSet, c: Contract) -> list[Bid]:
    """Bids of a contract from low to high."""
    if c.levels:
        top, step = c.levels[-1], c.step or 0
        levels = [*c.levels, *(range(top + step, top + STEPS_UP * step, step) if step else ())]
        texts = [str(n) for n in levels]
    elif c.plus_step:
        texts = [f"{c.code}+{c.plus_step * n}" for n in range(1, PLUSES + 1)]
    else:
        texts = [str(c.code)]
    return [bid for bid in map(rules.bid, texts) if bid is not None]


def _option(bid: Bid) -> tuple[int, int, int, int, float, int]:
    c = bid.contract
    target = bid.target if c.goal == "points" else bid.level
    return (target, bid.row, bid.level, call_code(bid.text), c.score, int(c.goal == "points"))


def option_bid(rules: RuleSet, option: Any) -> Bid:
    """The bid that an option stands for."""
    bid = rules.bid(call_text(int(option["code"])))
    assert bid is not None
    return bid
