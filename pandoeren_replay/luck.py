"""Luck and skill of a hand and of a session: parts that add up to the score.

As in the analysis of backgammon, what a decision gave away is counted by what could be expected of
it, and everything else is luck. For every player

    score = luck + own decisions + decisions of the others + ante and pot

* A card that was a *mistake* by the fair measure counts for its loss: the chance that it gave
  away, times what lies between made and lost, for all four players (minus for the side of whoever
  played it, plus for the other side). What was fine, forced or only doubtful counts for nothing.
* A card *against the rules* counts for all that it changed with open cards.
* A bid that was not worth it (*overbid*, made or not) counts for what could be expected of it,
  against a pass; one that was too low for what the better bid was worth more, for the bidder alone
  (who would have been his partner in another contract nobody knows).
* *Luck* is what the cards were worth in the contract that was played, with open cards (``deal``),
  and all that happened afterwards that nobody could know: each change of that worth from card to
  card, less what the decisions account for.

That the parts add up rests on the open-card values: they lead from the worth of the deal, change
by change, to what became of the contract. With open cards a hand is either made or lost, so its
worth is the score of one or the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.score import hand_score
from engine.state import Replay
from pandoeren_replay.reviewed import Row, stored_reviews
from pandoeren_replay.sessions import Sheet
from pandoeren_replay.store import Store

Four = tuple[float, float, float, float]
ZERO: Four = (0.0, 0.0, 0.0, 0.0)


def _sum(*parts: Sequence[float]) -> Four:
    n, e, s, w = (sum(column) for column in zip(*parts, strict=True))
    return n, e, s, w


def _times(factor: float, one: Sequence[float]) -> Four:
    n, e, s, w = (factor * x for x in one)
    return n, e, s, w


def _less(one: Sequence[float], other: Sequence[float]) -> Four:
    return _sum(one, _times(-1, other))


@dataclass(frozen=True, slots=True)
class HandLuck:
    """One hand taken apart, each part for N E S W.

    ``by[s]`` is what the decisions of seat ``s`` meant for all four; ``deal`` is the part of
    ``luck`` that lay in the cards (``None``: the record does not tell how they lay).
    """

    score: Four
    luck: Four
    deal: Four | None
    by: tuple[Four, Four, Four, Four]

    def own(self, seat: int) -> float:
        """What a player's own decisions meant for him."""
        return self.by[seat][seat]

    def others(self, seat: int) -> float:
        """What the decisions of the three others meant for him."""
        return sum(self.by[s][seat] for s in range(4) if s != seat)


def hand_luck(hand: Replay, rows: Sequence[Row]) -> HandLuck | None:
    """A reviewed hand taken apart; ``None`` without a review or a proven outcome."""
    o = hand.outcome
    if not rows or o.bid is None or o.declarer is None or o.partner is None or o.made is None:
        return None
    scores = [
        hand_score(hand.rules, o.bid, o.declarer, o.partner, made, o.points, o.meld or (0, 0))
        for made in (False, True)
    ]
    lost, won = scores
    if lost is None or won is None:
        return None
    worth: dict[bool, Four] = {False: _times(1, lost), True: _times(1, won)}
    stake = _less(worth[True], worth[False])
    by = [ZERO, ZERO, ZERO, ZERO]
    luck: Four = ZERO
    deal: Four | None = None
    now: bool | None = None
    offender: int | None = None
    for row in rows:
        if row.kind == "bid":
            effect = _bid_effect(row, worth[False], stake)
            by[row.seat] = _sum(by[row.seat], effect)
            luck = _less(luck, effect)
            continue
        ours = _on_side(hand, row)
        if row.verdict == "mistake" and row.loss is not None:
            effect = _times(-row.loss if ours else row.loss, stake)
            by[row.seat] = _sum(by[row.seat], effect)
            luck = _less(luck, effect)
        if row.verdict == "illegal":
            offender = row.seat
        if row.open_best is None or row.open_won is None:
            continue
        before, after = row.open_best == ours, row.open_won == ours
        if now is None:
            deal = worth[before]
            luck = _sum(luck, deal)
        else:
            luck = _moved(luck, by, offender, _less(worth[before], worth[now]))
        offender = None
        luck = _sum(luck, _less(worth[after], worth[before]))
        now = after
    if now is None:
        luck = _sum(luck, worth[o.made])
    else:
        luck = _moved(luck, by, offender, _less(worth[o.made], worth[now]))
    return HandLuck(worth[o.made], luck, deal, (by[0], by[1], by[2], by[3]))


def _on_side(hand: Replay, row: Row) -> bool:
    """Whether whoever played a card was on declarer's side then (RULES 3.3: not in trick 1)."""
    o = hand.outcome
    assert o.bid is not None
    assert row.ply is not None
    if row.seat == o.declarer:
        return True
    joins_later = o.bid.contract.partner == "first-trick-winner" and row.ply < 4
    return row.seat == o.partner and not joins_later


def _moved(luck: Four, by: list[Four], offender: int | None, change: Four) -> Four:
    """A change between two judged cards is the offender's; without one (meld unsaid) it is luck."""
    if offender is None:
        return _sum(luck, change)
    by[offender] = _sum(by[offender], change)
    return luck


def _bid_effect(row: Row, lost: Four, stake: Four) -> Four:
    if row.verdict in ("overbid", "lucky") and row.chance is not None:
        return _sum(lost, _times(row.chance, stake))
    if row.verdict == "underbid" and row.loss is not None:
        out = [0.0] * 4
        out[row.seat] = -row.loss
        return out[0], out[1], out[2], out[3]
    return ZERO


@dataclass(slots=True)
class Parts:
    """A player's score of a session in parts; ``table`` is ante and pot, ``unjudged`` the hands
    that nobody reviewed or that cannot be taken apart."""

    score: float = 0.0
    luck: float = 0.0
    own: float = 0.0
    others: float = 0.0
    table: float = 0.0
    unjudged: float = 0.0

    @property
    def total(self) -> float:
        """All parts together: the score."""
        return self.luck + self.own + self.others + self.table + self.unjudged


@dataclass(frozen=True, slots=True)
class SessionLuck:
    """A session taken apart: parts for each seat; hands that were, of how many with a contract."""

    parts: tuple[Parts, Parts, Parts, Parts]
    judged: int
    hands: int


@dataclass(slots=True)
class _Tally:
    parts: list[Parts] = field(default_factory=lambda: [Parts() for _ in range(4)])
    judged: int = 0
    hands: int = 0


def session_luck(sheet: Sheet, reviews: Mapping[int, Sequence[Row]]) -> SessionLuck:
    """Take a booked session apart; ``reviews`` by number of the hand. Hands after its end are not
    counted, as on the score sheet."""
    tally = _Tally()
    for line in sheet.lines:
        if line.after_end:
            continue
        change, o = line.booked.change, line.replay.outcome
        for seat, part in enumerate(tally.parts):
            part.score += change[seat]
        if o.passed_out:
            for seat, part in enumerate(tally.parts):
                part.table += change[seat]
            continue
        tally.hands += 1
        found = hand_luck(line.replay, reviews.get(line.hand_id or -1, ()))
        if found is None or line.booked.basis != "proven":
            for seat, part in enumerate(tally.parts):
                part.unjudged += change[seat]
            continue
        tally.judged += 1
        for seat, part in enumerate(tally.parts):
            part.luck += found.luck[seat]
            part.own += found.own(seat)
            part.others += found.others(seat)
            part.table += change[seat] - found.score[seat]
    n, e, s, w = tally.parts
    return SessionLuck((n, e, s, w), tally.judged, tally.hands)


def stored_luck(store: Store, sheet: Sheet) -> SessionLuck:
    """A stored session taken apart by the reviews that the store holds."""
    ids = [line.hand_id for line in sheet.lines if line.hand_id is not None]
    return session_luck(sheet, stored_reviews(store, ids))


__all__ = ["HandLuck", "Parts", "SessionLuck", "hand_luck", "session_luck", "stored_luck"]
