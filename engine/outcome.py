"""Made or lost: what the complete tricks prove about a contract (RULES 3, 7 and 9)."""

from dataclasses import dataclass

from engine.cards import PACK, SUIT_MASK, cards_in, mask_of
from engine.claims import Judged, Situation, meld_is_settled, still_possible
from engine.meld import NEVER
from engine.ruleset import Bid
from engine.score import Score, hand_score
from engine.state import NOBODY, Outcome

WHOLE_SIDE_GOALS = frozenset({"all", "first-four-and-all", "jas-and-all"})
"""Goals that ask all tricks of the side: a hidden partner's count from the start (RULES 3.2)."""


@dataclass(frozen=True, slots=True)
class Count:
    """What declarer's side has, under one assumption about who the partner is."""

    points: tuple[int, int] | None
    tricks: tuple[int, int] | None
    meld: tuple[int, int]
    made: bool | None
    score: Score | None


def counts_for_side(s: Situation, trick: int, winner: int, partner: int) -> bool:
    """Whether a trick counts for declarer's side, as the rule set counts a hidden partner."""
    if winner == s.declarer:
        return True
    if winner != partner:
        return False
    if s.rules.partner.counts_from == "start" or s.bid is None:
        return True
    if s.bid.contract.goal in WHOLE_SIDE_GOALS or s.called is None:
        return True
    return trick >= s.play_of(s.called) // 4


def trick_points(s: Situation, trick: int) -> int:
    """Card points of a complete trick, the last-trick bonus included."""
    assert s.trump is not None
    points = s.rules.tables.points[s.trump]
    total = sum(int(points[p.card]) for p in s.record.plays[4 * trick : 4 * trick + 4])
    return total + (s.rules.tables.last_trick if trick == 7 else 0)


def points_out(s: Situation) -> int | None:
    """Points of all cards not played; ``None`` without knowing trumps."""
    if s.trump is None:
        return None
    played = mask_of(p.card for p in s.record.plays)
    points = s.rules.tables.points[s.trump]
    return sum(int(points[c]) for c in cards_in(PACK & ~played))


def _points_in_play(s: Situation) -> int:
    """Points that tricks not yet complete can still bring."""
    assert s.trump is not None
    done = len(s.table.winners)
    if done == 8:
        return 0
    played = mask_of(p.card for p in s.record.plays[: 4 * done])
    points = s.rules.tables.points[s.trump]
    left = PACK & ~played & ~s.hands.nowhere
    return sum(int(points[c]) for c in cards_in(left)) + s.rules.tables.last_trick


def count(s: Situation, judged: Judged, partner: int) -> Count:
    """Points, tricks, meld, made and score if ``partner`` is declarer's partner."""
    winners = s.table.winners
    known = s.declarer is not None and all(w is not None for w in winners)
    points = tricks = None
    if known:
        tally = [0, 0]
        won = [0, 0]
        for t, w in enumerate(winners):
            i = 0 if counts_for_side(s, t, w if w is not None else -1, partner) else 1
            tally[i] += trick_points(s, t)
            won[i] += 1
        points, tricks = (tally[0], tally[1]), (won[0], won[1])
    meld = [0, 0]
    for seat in range(4):
        i = 0 if seat in (s.declarer, partner) else 1
        meld[i] += judged.roem[seat] + judged.stuk[seat]
    sides = (meld[0], meld[1])
    made = None
    if s.bid is not None and known:
        made = _made(s, judged, s.bid, partner, points, sides)
    score = None
    if made is not None and s.bid is not None and s.declarer is not None:
        score = hand_score(s.rules, s.bid, s.declarer, partner, made, points, sides)
    return Count(points, tricks, sides, made, score)


def _made(
    s: Situation,
    judged: Judged,
    bid: Bid,
    partner: int,
    points: tuple[int, int] | None,
    meld: tuple[int, int],
) -> bool | None:
    winners = s.table.winners
    done = len(winners) == 8
    side = {s.declarer, partner}
    mine = [w == s.declarer for w in winners]
    ours = [w in side for w in winners]
    goal = bid.contract.goal
    verdict: bool | None
    if goal == "points":
        return _points_made(s, judged, bid, points, meld)
    if goal == "none":
        verdict = False if any(mine) else None
    elif goal == "first-only":
        verdict = False if mine[:1] == [False] or any(mine[1:]) else None
    elif goal == "exactly-one":
        verdict = False if sum(mine) > 1 or (done and not any(mine)) else None
    elif goal == "one-with-jas":
        verdict = _one_with_jas(s, mine, done)
    elif goal == "first-four-and-all":
        verdict = False if not all(ours) or not all(mine[:4]) else None
    elif goal == "called-card-and-four":
        return _called_and_four(s, ours)
    elif goal == "jas-and-all":
        jas = _jas(s)
        out = jas is not None and s.hands.nowhere >> jas & 1
        verdict = False if not all(ours) or out else None
    else:
        verdict = False if not all(ours) else None
    if verdict is None and done:
        verdict = True
    if verdict and bid.plus:
        if meld[0] < bid.plus:
            verdict = False
    return verdict


def _points_made(
    s: Situation,
    judged: Judged,
    bid: Bid,
    points: tuple[int, int] | None,
    meld: tuple[int, int],
) -> bool | None:
    if points is None or s.trump is None:
        return None
    have, target = points[0] + meld[0], bid.target
    if len(s.table.winners) == 8:
        return have >= target
    ply = len(s.record.plays)
    if (have if meld_is_settled(s, ply, judged) else points[0]) >= target:
        return True
    if have + _points_in_play(s) + still_possible(s, ply, judged) < target:
        return False
    return None


def _jas(s: Situation) -> int | None:
    if s.trump is None or s.trump > 3:
        return None
    jas = int(s.rules.tables.jas[s.trump])
    return jas.bit_length() - 1


def _one_with_jas(s: Situation, mine: list[bool], done: bool) -> bool | None:
    jas = _jas(s)
    with_jas = [m and s.table.winning[t] == jas for t, m in enumerate(mine)]
    if sum(mine) > 1 or any(m and not j for m, j in zip(mine, with_jas)):
        return False
    if not any(with_jas) and jas is not None:
        played = s.play_of(jas)
        by_another = played != NEVER and s.table.seats[played] not in (None, s.declarer)
        if by_another or played // 4 < len(mine) or done:
            return False
    return None


def _called_and_four(s: Situation, ours: list[bool]) -> bool | None:
    captured: bool | None = s.called is None
    if s.called is not None:
        trick = s.play_of(s.called) // 4
        if trick < len(ours):
            captured = ours[trick]
        else:
            captured = False if len(ours) == 8 else None
    if captured is False or sum(ours) + 8 - len(ours) < 4:
        return False
    return True if captured and sum(ours) >= 4 else None


def settle(s: Situation, judged: Judged, passed_out: bool) -> Outcome:
    """The outcome: what holds whoever the partner may be, ``None`` where it depends on that."""
    winners = tuple(w for w in s.table.winners if w is not None)
    if passed_out:
        zero = (0, 0)
        return Outcome(
            None, None, NOBODY, None, True, (), zero, points_out(s), zero, zero, None, (0, 0, 0, 0)
        )
    counts = [count(s, judged, p) for p in possible_partners(s)]
    first = counts[0]
    points = first.points if all(c.points == first.points for c in counts) else None
    tricks = first.tricks if all(c.tricks == first.tricks for c in counts) else None
    made = first.made if all(c.made == first.made for c in counts) else None
    score = first.score if all(c.score == first.score for c in counts) else None
    meld = first.meld if s.partner is not None and s.trump is not None else None
    return Outcome(
        s.bid,
        s.declarer,
        s.partner,
        s.trump,
        False,
        winners,
        points,
        points_out(s),
        tricks,
        meld,
        made,
        score,
    )


def possible_partners(s: Situation) -> list[int]:
    """Everybody who may be the partner, :data:`NOBODY` included while that is open."""
    if s.partner is not None:
        return [s.partner]
    seats = [
        x
        for x in range(4)
        if x != s.declarer and not (s.called is not None and s.hands.complete[x])
    ]
    return [*seats, NOBODY]


def suit_cards(suit: int) -> int:
    """All cards of a suit."""
    return SUIT_MASK[suit]
