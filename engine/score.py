"""What a hand is worth, and the ledger of a session (RULES 7 and 9)."""

from dataclasses import dataclass, field
from typing import Literal

from engine.ruleset import Bid, RuleSet
from engine.state import NOBODY, Outcome

Score = tuple[int, int, int, int]
Basis = Literal["proven", "recorded-score", "as-recorded", "void", "unknown"]


def _members(declarer: int, partner: int) -> tuple[list[int], list[int]]:
    side = [declarer] if partner in (NOBODY, declarer) else [declarer, partner]
    return side, [s for s in range(4) if s not in side]


def hand_score(
    rules: RuleSet,
    bid: Bid,
    declarer: int,
    partner: int,
    made: bool,
    points: tuple[int, int] | None = None,
    meld: tuple[int, int] = (0, 0),
) -> Score | None:
    """What one hand changes for N E S W, with a pot that suffices and the ante left out.

    ``points`` (declarer's side, defenders) and ``meld`` are needed by the race only; ``None`` is
    returned where they are and are not given.

    >>> from engine.rulefile import load_ruleset
    >>> h = load_ruleset("heerlen")
    >>> hand_score(h, h.bid("150"), 0, 2, False)
    (-2, 0, -2, 0)
    """
    side, others = _members(declarer, partner)
    score = [0, 0, 0, 0]
    x = bid.contract.score
    sign = 1 if made else -1
    if rules.score.system == "race":
        winners = side if made else others
        gain = 10 * x
        if bid.contract.goal == "points":
            if points is None:
                return None
            i = 0 if made else 1
            gain = points[i] + meld[i]
        for s in winners:
            score[s] = gain
    elif rules.score.system == "each":
        for s in side:
            score[s] = sign * x
    else:
        share = len(others) // len(side)
        from_pot = made and bid.contract.pays == "pot"
        for s in side:
            score[s] = x if from_pot else sign * x * share
        for s in others:
            score[s] = 0 if from_pot else -sign * x
        if made and bid.contract.takes_middle:
            score[declarer] += 1
    return (score[0], score[1], score[2], score[3])


@dataclass(slots=True)
class Booked:
    """One hand of a session after it was booked.

    ``change`` is what it moved for each seat (ante and pot refills included), ``balance`` and
    ``pot`` what stands after it, ``over`` whether the session ends with it, ``basis`` what was
    booked by.
    """

    change: Score
    balance: Score
    pot: int
    over: bool
    basis: Basis


@dataclass(slots=True)
class Ledger:
    """Running balances of a session.

    ``balance`` is per seat N E S W in points, chips or cents; players and pot together are
    constant (:meth:`total`) in games with a pot.

    >>> from engine.rulefile import load_ruleset
    >>> ledger = Ledger(load_ruleset("fiches"))
    >>> ledger.book_passed_out().balance, ledger.pot
    ((9, 9, 9, 9), 4)
    """

    rules: RuleSet
    balance: list[int] = field(default_factory=list)
    pot: int = 0
    hands: int = 0
    incomplete: bool = False

    def __post_init__(self) -> None:
        if not self.balance:
            self.balance = [self.rules.score.stake] * 4
            if self.rules.score.pot_contribution:
                self._refill()

    def total(self) -> int:
        """Players plus pot."""
        return sum(self.balance) + self.pot

    def pairs(self) -> tuple[int, int]:
        """Totals of N–S and E–W."""
        b = self.balance
        return b[0] + b[2], b[1] + b[3]

    def _refill(self) -> None:
        for s in range(4):
            self.balance[s] -= self.rules.score.pot_contribution
            self.pot += self.rules.score.pot_contribution

    def _take(self, seat: int, amount: int) -> None:
        """Pay from the pot; a pot that is refilled is so the moment it is empty."""
        refill = self.rules.score.pot_contribution > 0
        while amount > 0:
            part = min(amount, self.pot)
            if part <= 0:
                break
            self.pot -= part
            self.balance[seat] += part
            amount -= part
            if self.pot == 0 and refill:
                self._refill()

    def _give(self, seat: int, amount: int) -> None:
        self.balance[seat] -= amount
        self.pot += amount

    def _ante(self) -> None:
        if self.rules.score.system == "chips":
            for s in range(4):
                self._give(s, self.rules.score.ante)

    def _done(self, before: list[int], basis: Basis) -> Booked:
        self.hands += 1
        match = self.rules.match
        pots = self.pairs() if match.partnership == "fixed-pairs" else tuple(self.balance)
        over = bool(match.target) and max(pots) >= match.target
        over = over or (bool(match.hands) and self.hands >= match.hands)
        b = self.balance
        change = [x - y for x, y in zip(b, before)]
        return Booked(
            (change[0], change[1], change[2], change[3]),
            (b[0], b[1], b[2], b[3]),
            self.pot,
            over,
            basis,
        )

    def book_passed_out(self) -> Booked:
        """A hand that nobody bid on: the ante is paid all the same."""
        before = list(self.balance)
        self._ante()
        return self._done(before, "void")

    def book_unknown(self) -> Booked:
        """A hand of which nothing is known that could be booked: the session is incomplete."""
        before = list(self.balance)
        self._ante()
        self.incomplete = True
        return self._done(before, "unknown")

    def book_score(self, score: Score) -> Booked:
        """A hand of which only the score is known: differences go through the pot, if any."""
        before = list(self.balance)
        self._ante()
        uses_pot = self.rules.score.system == "chips" or self.rules.score.pot_contribution > 0
        for s in range(4):
            if not uses_pot:
                self.balance[s] += score[s]
            elif score[s] < 0:
                self._give(s, -score[s])
        if uses_pot:
            for s in range(4):
                if score[s] > 0:
                    self._take(s, score[s])
        return self._done(before, "recorded-score")

    def book(
        self,
        bid: Bid,
        declarer: int,
        partner: int,
        made: bool,
        points: tuple[int, int] | None = None,
        meld: tuple[int, int] = (0, 0),
        basis: Basis = "proven",
    ) -> Booked:
        """Book a hand by its outcome."""
        before = list(self.balance)
        self._ante()
        side, _ = _members(declarer, partner)
        x = bid.contract.score
        score = hand_score(self.rules, bid, declarer, partner, made, points, meld)
        if score is None:
            self.incomplete = True
            return self._done(before, "unknown")
        if self.rules.score.system == "chips" and made and bid.contract.pays == "pot":
            owed = x * len(side)
            if self.pot >= owed:
                for s in side:
                    self._take(s, x)
            else:
                share, odd = divmod(self.pot, len(side))
                for s in side:
                    self._take(s, share + (odd if s == declarer else 0))
            if bid.contract.takes_middle:
                self._take(declarer, 1)
        elif self.rules.score.pot_contribution:
            for s in side:
                if made:
                    self._take(s, x)
                else:
                    self._give(s, x)
        else:
            for s in range(4):
                self.balance[s] += score[s]
        return self._done(before, basis)

    def book_hand(
        self,
        outcome: Outcome,
        recorded_score: Score | None = None,
        recorded_made: bool | None = None,
        recorded_points: tuple[int, int] | None = None,
        recorded_partner: int | None = None,
    ) -> Booked:
        """Book by the proven outcome, else by the recorded score, else as recorded (RULES 9).

        ``recorded_partner`` (a seat, -1 for none) serves where the cards do not tell who he was.
        """
        if outcome.passed_out:
            return self.book_passed_out()
        bid, declarer, partner = outcome.bid, outcome.declarer, outcome.partner
        if partner is None:
            partner = recorded_partner
        known = bid is not None and declarer is not None and partner is not None
        if known and outcome.made is not None and outcome.score is not None:
            assert bid is not None
            assert declarer is not None
            assert partner is not None
            return self.book(
                bid, declarer, partner, outcome.made, outcome.points, outcome.meld or (0, 0)
            )
        if recorded_score is not None:
            return self.book_score(recorded_score)
        made = recorded_made if outcome.made is None else outcome.made
        if known and made is not None:
            assert bid is not None
            assert declarer is not None
            assert partner is not None
            return self.book(
                bid,
                declarer,
                partner,
                made,
                recorded_points,
                outcome.meld or (0, 0),
                "as-recorded",
            )
        return self.book_unknown()
