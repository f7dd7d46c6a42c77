"""What the scores that a sheet tells give by the rules: those of the others, and made or lost."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.cards import SEATS
from engine.record import Outcome
from engine.ruleset import RuleSet
from engine.score import Score, hand_score
from engine.state import NOBODY


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """``score`` of N E S W where all four follow, ``outcome`` where it follows from the sign of
    declarer's figure alone; ``odd`` says in what the sheet is other than the rules (else empty).
    """

    score: Score | None = None
    outcome: Outcome | None = None
    odd: str = ""


def work_out(
    rules: RuleSet,
    contract: str | None,
    declarer: int | None,
    partner: int | None,
    outcome: Outcome | None,
    points: tuple[int, int] | None,
    told: Mapping[int, int],
) -> WorkedOut:
    """What follows by RULES 7 from the scores of some seats, declarer's among them.

    ``partner`` is a seat, -1 for none, ``None`` where the sheet does not say (of a contract that
    is always played alone the rules say it). Only figures that are those of the rules give the
    others: a sheet that keeps running totals or a tariff of its own is told of, not spread out.

    >>> from engine.rulefile import load_ruleset
    >>> heerlen = load_ruleset("heerlen")
    >>> work_out(heerlen, "150", 0, 2, None, None, {0: -2})
    WorkedOut(score=(-2, 0, -2, 0), outcome='lost', odd='')
    >>> work_out(heerlen, "150", 0, None, "made", None, {0: 2}).score is None
    True
    >>> work_out(heerlen, "150", 0, 2, "made", None, {0: 7}).odd
    "declarer's score is 7, by the rules heerlen it is 2"
    """
    figure = told.get(declarer) if declarer is not None else None
    if declarer is None or figure is None or outcome == "void" or contract == "-":
        return WorkedOut()
    followed: Outcome | None = None
    if outcome is None and figure:
        # Whatever the system, who makes his contract gains and who loses it does not.
        followed = "made" if figure > 0 else "lost"
    result = outcome or followed
    bid = rules.bid(contract) if contract is not None else None
    if result is None or bid is None:
        return WorkedOut(None, followed)
    made = result == "made"
    if bid.contract.partner == "none":
        partner = NOBODY if partner is None else partner
    mates = [partner] if partner is not None else [NOBODY, (declarer + 2) % 4]
    ways = [hand_score(rules, bid, declarer, mate, made, points) for mate in mates]
    if None in ways:  # the race: what the defenders took, which the sheet does not say
        return WorkedOut(None, followed)
    known = [way for way in ways if way is not None]
    found = known[0] if partner is not None else None
    figures = sorted({way[declarer] for way in known})
    if figure not in figures:
        by_rules = " or ".join(map(str, figures))
        odd = f"declarer's score is {figure}, by the rules {rules.id} it is {by_rules}"
        return WorkedOut(None, followed, odd)
    if found is not None:
        for seat, number in told.items():
            if found[seat] != number:
                odd = (
                    f"the score of {SEATS[seat]} is {number}, "
                    f"by the rules {rules.id} it is {found[seat]}"
                )
                return WorkedOut(None, followed, odd)
    return WorkedOut(found, followed)
