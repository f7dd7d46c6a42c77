"""A rule set as arrays for the batch replay.

No rule is written down here: what the compiled loop needs is *asked* of the step replay's own
functions (who may call what, which cards may be called, what a hand is worth) and kept in arrays.
What cannot be asked beforehand (auctions, roem of a hand, goals) is asked when it first occurs and
remembered, see :mod:`engine.batch_memo`.
"""

from threading import Lock
from typing import Any

import numpy as np

from engine.batch_memo import AuctionMemo, Memo
from engine.cards import N_CARDS, NO_TRUMP, PACK, RANKS, SUIT_MASK, cards_in
from engine.compiled import kernel
from engine.declaration import callable_cards, of_rank
from engine.meld import combinations, lowest_cards, stuk_cards
from engine.outcome import WHOLE_SIDE_GOALS
from engine.ruleset import Bid, RuleSet
from engine.score import hand_score
from engine.state import NOBODY

ALONE, JAS_HOLDER, FIRST_TRICK, CALLED = range(4)
"""How a contract finds its partner."""
PARTNER_KINDS = {"none": ALONE, "jas-holder": JAS_HOLDER, "first-trick-winner": FIRST_TRICK}
MELD_SYSTEMS = ("none", "roem", "best-at-table")
MELD_NONE, MELD_ROEM, MELD_TABLE = range(len(MELD_SYSTEMS))
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


MOST_ROWS = 64
"""Contracts of a rule set that is carried; a longer table goes to the step replay."""
MOST_CALLABLE = 16
"""Length of a chain of sets that may be called, see :func:`first_callable`."""
_RANKS = len(RANKS)

RULES = np.dtype(
    [
        ("beats", np.int64, (5, N_CARDS)),  # [trump, card] cards that beat it
        ("points", np.int64, (5, N_CARDS)),
        ("trumps", np.int64, (5,)),
        ("jas", np.int64, (5,)),
        ("jas_card", np.int64, (5,)),
        ("suit", np.int64, (N_CARDS,)),
        ("duty", np.int64),
        ("last_trick", np.int64),
        ("pack_points", np.int64, (5,)),  # all cards and the last trick
        ("forehand_leads", np.int64),
        ("usable", np.int64),
        # contracts by row
        ("has_trump", np.int64, (MOST_ROWS,)),
        ("exchange", np.int64, (MOST_ROWS,)),
        ("partner_kind", np.int64, (MOST_ROWS,)),
        ("goal", np.int64, (MOST_ROWS,)),
        ("uses_points", np.int64, (MOST_ROWS,)),
        ("target", np.int64, (MOST_ROWS,)),  # -1 = the level bid
        ("is_plus", np.int64, (MOST_ROWS,)),
        ("aces_needed", np.int64, (MOST_ROWS,)),
        ("own_jas_barred", np.int64, (MOST_ROWS,)),
        ("late_partner", np.int64, (MOST_ROWS,)),  # his early tricks are the defenders'
        ("trump_of_called", np.int64, (MOST_ROWS,)),
        # of these sets the first that declarer does not hold all of may be called
        ("callable", np.int64, (MOST_ROWS, 5, MOST_CALLABLE)),
        ("call_optional", np.int64),
        # [row, lost/made, partner, seat] score: base, and times points and meld of both sides;
        # partner and seat are counted from declarer, partner 0 = alone
        ("worth", np.int64, (MOST_ROWS, 2, 4, 4, 5)),
        ("worth_varies", np.int64, (MOST_ROWS,)),
        ("goal_uses_jas", np.int64, (len(GOALS),)),
        ("goal_uses_called", np.int64, (len(GOALS),)),
        # meld
        ("meld", np.int64),
        ("stuk", np.int64),
        ("stuk_before_first", np.int64),
        ("until_last_card", np.int64),
        ("deny", np.int64),
        ("stuk_king", np.int64, (4,)),
        ("stuk_queen", np.int64, (4,)),
        ("runs", np.int64, (4, 512)),  # [suit, holding] cards that stand in some run
        ("fours", np.int64, (_RANKS,)),
        ("n_fours", np.int64),
        ("aces", np.int64),
        ("lowest", np.int64, (_RANKS,)),  # cards from the lowest rank up, for showing
    ]
)
"""One rule set for compiled code."""


@kernel()
def meld_cards(t: Any, hand: int) -> Any:
    """The cards of a hand that stand in a run or a four of a kind; nothing else can be roem."""
    out = t.runs[0, hand & 255]
    out |= t.runs[1, (hand >> 8) & 511]
    out |= t.runs[2, (hand >> 17) & 255]
    out |= t.runs[3, (hand >> 25) & 255]
    for k in range(t.n_fours):
        if hand & t.fours[k] == t.fours[k]:
            out |= t.fours[k]
    return out


@kernel()
def first_callable(chain: Any, own: int) -> Any:
    """Cards that a declarer who holds or discarded ``own`` may call (0: none).

    ``chain`` is that of his contract and trumps, see :func:`callable_chains`.
    """
    for k in range(chain.size):
        allowed = chain[k] & ~own
        if allowed or chain[k] == 0:
            return allowed
    return 0


class RuleTables:
    """Tables of one rule set (``fixed``, one item of :data:`RULES`) and what was asked so far.

    ``lock`` is held while they are used: answers are added in place.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.lock = Lock()
        self.auction = AuctionMemo(rules)
        self.memo = Memo(rules)
        self.fixed = _fixed(rules)


def _fixed(rules: RuleSet) -> Any:
    out = np.zeros(1, RULES)
    t = out[0]
    play, meld = rules.tables, rules.meld
    bids = [some_bid(rules, row, key) for row, key in enumerate(rules.auction.order)]
    for name in ("beats", "points", "trumps", "jas", "suit", "duty", "last_trick"):
        t[name] = getattr(play, name)
    t["jas_card"] = [int(m).bit_length() - 1 for m in play.jas]
    t["pack_points"] = play.points.sum(axis=1) + play.last_trick
    t["forehand_leads"] = rules.play.first_lead == "forehand"
    t["usable"] = len(bids) <= MOST_ROWS
    late = rules.partner.counts_from == "reveal"
    for row, bid in enumerate(bids[:MOST_ROWS]):
        c = bid.contract
        t["has_trump"][row] = c.trump
        t["exchange"][row] = rules.takes_middle(c)
        t["partner_kind"][row] = CALLED if c.calls_card else PARTNER_KINDS[c.partner]
        t["goal"][row] = GOAL_NUMBERS.get(c.goal, -1)
        t["uses_points"][row] = bid.uses_points
        t["target"][row] = c.target or -1
        t["is_plus"][row] = bool(c.plus_step)
        t["aces_needed"][row] = c.aces_needed
        t["own_jas_barred"][row] = c.own_jas == "forbidden"
        t["late_partner"][row] = late and c.goal not in WHOLE_SIDE_GOALS
        t["trump_of_called"][row] = c.partner == "fourth-ace"
        t["callable"][row] = callable_chains(rules, bid)
        t["worth"][row] = worth = _worth(rules, bid)
        t["worth_varies"][row] = bool(worth[..., 1:].any())
    t["call_optional"] = rules.calling.optional
    t["goal_uses_jas"] = [jas for jas, _ in GOALS.values()]
    t["goal_uses_called"] = [called for _, called in GOALS.values()]
    t["meld"] = MELD_SYSTEMS.index(meld.system)
    t["stuk"] = meld.stuk
    t["stuk_before_first"] = meld.stuk_before == "first"
    t["until_last_card"] = meld.announce == "before-last-card"
    t["deny"] = meld.deny
    t["stuk_king"], t["stuk_queen"] = zip(*map(stuk_cards, range(4)))
    t["runs"] = _runs_table(rules)
    fours = [of_rank(r) for r in RANKS if combinations(of_rank(r), rules)]
    t["fours"][: len(fours)] = fours
    t["n_fours"] = len(fours)
    t["aces"] = of_rank("A")
    t["lowest"] = _from_lowest(rules)
    return out


def some_bid(rules: RuleSet, row: int, key: str) -> Bid:
    """A bid of a contract, whichever: what it needs is the same for all of them."""
    contract = rules.contracts[key]
    level = contract.levels[0] if contract.levels else contract.plus_step or 0
    return Bid("", key, contract, row, level)


def callable_chains(rules: RuleSet, bid: Bid) -> Any:
    """Cards that may be called, in the order in which the sets are tried, for each trump.

    Found by asking for a declarer who holds nothing, then one who holds all of the first answer,
    and so on.
    """
    out = np.zeros((NO_TRUMP + 1, MOST_CALLABLE), np.int64)
    for trump in range(NO_TRUMP + 1):
        own = k = 0
        while bid.contract.calls_card and (found := callable_cards(rules, bid, own, trump)):
            out[trump, k] = found
            own |= found
            k += 1
    return out


def _worth(rules: RuleSet, bid: Bid) -> Any:
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
            by_partner.append([[base[s], *(a[s] - base[s] for a in answers[1:])] for s in range(4)])
        out.append(by_partner)
    return np.array(out, np.int64)


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
