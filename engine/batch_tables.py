"""A rule set as arrays for the batch replay.

No rule is written down here: what the compiled loop needs is *asked* of the step replay's own
functions (who may call what, which cards may be called, what a hand is worth) and kept in arrays.
What cannot be asked beforehand (auctions, roem of a hand, goals) is asked when it first occurs and
remembered, see :mod:`engine.batch_memo`.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.batch_memo import AuctionMemo, Memo
from engine.cards import N_CARDS, NO_TRUMP, PACK, RANK_OF, RANKS, SUIT_MASK, cards_in
from engine.declaration import callable_cards, of_rank
from engine.meld import combinations, lowest_cards
from engine.outcome import WHOLE_SIDE_GOALS
from engine.ruleset import Bid, RuleSet
from engine.score import hand_score
from engine.state import NOBODY

ALONE, JAS_HOLDER, FIRST_TRICK, CALLED = range(4)
"""How a contract finds its partner."""
MELD_NONE, MELD_ROEM, MELD_TABLE = range(3)
POINTS_GOAL = 0
# Goals other than points, and whether a verdict on them looks at the jas or the called card.
GOALS = {
    "points": (False, False),
    "all": (False, False),
    "none": (False, False),
    "first-only": (False, False),
    "exactly-one": (False, False),
    "one-with-jas": (True, False),
    "first-four-and-all": (False, False),
    "called-card-and-four": (False, True),
    "jas-and-all": (True, False),
}
GOAL_NUMBERS = {goal: i for i, goal in enumerate(GOALS)}

SUIT_SHIFT = tuple(next(cards_in(mask)) for mask in SUIT_MASK)
SUIT_PATTERN = tuple(mask >> shift for mask, shift in zip(SUIT_MASK, SUIT_SHIFT))


class RuleArrays(NamedTuple):
    """One rule set for compiled code; shapes: ``row`` contracts, ``t`` 5 trumps, 33 cards."""

    beats: Any
    """[t, card] cards that beat it."""
    points: Any
    """[t, card] points, int64."""
    trumps: Any
    jas: Any
    suit: Any
    duty: int
    last_trick: int
    pack_points: Any
    """[t] points of all cards."""
    forehand_leads: bool
    # contracts by row
    has_trump: Any
    exchange: Any
    partner_kind: Any
    goal: Any
    uses_points: Any
    target: Any
    """[row] fixed target, -1 = the level bid."""
    is_plus: Any
    aces_needed: Any
    own_jas_barred: Any
    late_partner: Any
    """[row] a hidden partner's tricks are the defenders' until the called card falls."""
    trump_of_called: Any
    """[row] trumps must be the suit of the called card."""
    callable: Any
    """[row, t, k] sets of cards of which the first that declarer lacks in part may be called."""
    call_optional: bool
    worth: Any
    """[row, lost/made, partner, seat, 5] score as base + points and meld of both sides; partner
    and seat relative to declarer, partner 0 = alone."""
    goal_uses_jas: Any
    goal_uses_called: Any
    # meld
    meld: int
    stuk: int
    stuk_before_first: bool
    until_last_card: bool
    deny: bool
    runs: Any
    """[suit, pattern] cards of a suit that stand in some run."""
    fours: Any
    aces: int
    king: int
    queen: int
    lowest: Any
    """Sets of cards from the lowest up (show)."""
    # remembered answers
    symbol: Any
    next_state: Any
    call_fault: Any
    turn: Any
    over: Any
    bidder: Any
    best_row: Any
    best_level: Any
    best_call: Any
    memo_keys: Any
    memo_values: Any
    said_value: Any
    said_n: Any
    said_cards: Any
    said_best: Any
    said_rank: Any


@njit("int64(int64,int64[:,:],int64[:])", cache=True, nogil=True)
def meld_cards(hand: int, runs: Any, fours: Any) -> int:
    """The cards of a hand that stand in a run or a four of a kind; nothing else can be roem."""
    out = 0
    out |= runs[0, hand & 255]
    out |= runs[1, (hand >> 8) & 511]
    out |= runs[2, (hand >> 17) & 255]
    out |= runs[3, (hand >> 25) & 255]
    for k in range(fours.size):
        if hand & fours[k] == fours[k]:
            out |= fours[k]
    return out


class RuleTables:
    """Arrays of one rule set and what was asked so far; :meth:`arrays` is the present state."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.auction = AuctionMemo(rules)
        self.memo = Memo(rules)
        self._fixed = _fixed_arrays(rules)

    def arrays(self) -> RuleArrays:
        """Everything that the compiled loop needs."""
        return RuleArrays(**self._fixed, **self.auction.arrays(), **self.memo.arrays())


def _fixed_arrays(rules: RuleSet) -> dict[str, Any]:
    play, meld = rules.tables, rules.meld
    bids = [_some_bid(rules, row, key) for row, key in enumerate(rules.auction.order)]
    contracts = [bid.contract for bid in bids]
    points = play.points.astype(np.int64)

    def flags(values: list[bool]) -> Any:
        return np.array(values, np.bool_)

    late = rules.partner.counts_from == "reveal"
    uses = list(GOALS.values())
    return {
        "beats": play.beats,
        "points": points,
        "trumps": play.trumps,
        "jas": play.jas,
        "suit": play.suit,
        "duty": play.duty,
        "last_trick": play.last_trick,
        "pack_points": points.sum(axis=1),
        "forehand_leads": rules.play.first_lead == "forehand",
        "has_trump": flags([c.trump for c in contracts]),
        "exchange": flags([rules.takes_middle(c) for c in contracts]),
        "partner_kind": np.array([_partner_kind(c.partner, c.calls_card) for c in contracts]),
        "goal": np.array([GOAL_NUMBERS.get(c.goal, -1) for c in contracts]),
        "uses_points": flags([bid.uses_points or bool(bid.contract.plus_step) for bid in bids]),
        "target": np.array([c.target or -1 for c in contracts]),
        "is_plus": flags([bool(c.plus_step) for c in contracts]),
        "aces_needed": np.array([c.aces_needed for c in contracts]),
        "own_jas_barred": flags([c.own_jas == "forbidden" for c in contracts]),
        "late_partner": flags([late and c.goal not in WHOLE_SIDE_GOALS for c in contracts]),
        "trump_of_called": flags([c.partner == "fourth-ace" for c in contracts]),
        "callable": _callable_table(rules, bids),
        "call_optional": rules.calling.optional,
        "worth": np.array([_worth(rules, bid) for bid in bids], np.int64),
        "goal_uses_jas": flags([u[0] for u in uses]),
        "goal_uses_called": flags([u[1] for u in uses]),
        "meld": ("none", "roem", "best-at-table").index(meld.system),
        "stuk": meld.stuk,
        "stuk_before_first": meld.stuk_before == "first",
        "until_last_card": meld.announce == "before-last-card",
        "deny": meld.deny,
        "runs": _runs_table(rules),
        "fours": np.array(
            [of_rank(r) for r in RANKS if combinations(of_rank(r), rules)], np.int64
        ).reshape(-1),
        "aces": of_rank("A"),
        "king": RANKS.index("K"),
        "queen": RANKS.index("Q"),
        "lowest": np.array(_from_lowest(rules), np.int64),
    }


def _some_bid(rules: RuleSet, row: int, key: str) -> Bid:
    contract = rules.contracts[key]
    level = contract.levels[0] if contract.levels else contract.plus_step or 0
    return Bid("", key, contract, row, level)


def _partner_kind(partner: str, calls_card: bool) -> int:
    if calls_card:
        return CALLED
    return {"none": ALONE, "jas-holder": JAS_HOLDER, "first-trick-winner": FIRST_TRICK}[partner]


def _callable_table(rules: RuleSet, bids: list[Bid]) -> Any:
    """Cards that may be called, in the order in which the sets are tried.

    Found by asking for a declarer who holds nothing, then one who holds all of the first answer,
    and so on.
    """
    rows: list[list[list[int]]] = []
    for bid in bids:
        rows.append([])
        for trump in range(NO_TRUMP + 1):
            chain: list[int] = []
            own = 0
            while bid.contract.calls_card and (found := callable_cards(rules, bid, own, trump)):
                chain.append(found)
                own |= found
            rows[-1].append(chain)
    width = max(len(chain) for row in rows for chain in row) + 1
    out = np.zeros((len(bids), NO_TRUMP + 1, width), np.int64)
    for r, row in enumerate(rows):
        for t, chain in enumerate(row):
            out[r, t, : len(chain)] = chain
    return out


def _worth(rules: RuleSet, bid: Bid) -> list[Any]:
    """A contract's score as an affine function of points and meld, asked at five places."""
    places: list[tuple[tuple[int, int], tuple[int, int]]] = [
        ((0, 0), (0, 0)), ((1, 0), (0, 0)), ((0, 1), (0, 0)), ((0, 0), (1, 0)), ((0, 0), (0, 1)),
    ]  # fmt: skip
    out: list[Any] = []
    for made in (False, True):
        by_partner = []
        for partner in range(4):
            who = partner or NOBODY
            answers = []
            for points, meld in places:
                score = hand_score(rules, bid, 0, who, made, points, meld)
                assert score is not None
                answers.append(score)
            base = answers[0]
            by_partner.append(
                [[base[s], *(a[s] - base[s] for a in answers[1:])] for s in range(4)]
            )
        out.append(by_partner)
    return out


def _runs_table(rules: RuleSet) -> Any:
    """For every holding in a suit the cards of it that stand in some run."""
    out = np.zeros((4, 512), np.int64)
    for suit, shift in enumerate(SUIT_SHIFT):
        for pattern in range(SUIT_PATTERN[suit] + 1):
            if pattern.bit_count() >= 3:
                for c in combinations(pattern << shift, rules):
                    out[suit, pattern] |= c.cards
    return out


def _from_lowest(rules: RuleSet) -> list[int]:
    out = []
    left = PACK
    while left:
        out.append(lowest_cards(left, rules))
        left &= ~out[-1]
    return out


assert len(RANK_OF) == N_CARDS
