"""Which card to play, by what the player could see: deals drawn evenly, each solved.

For every legal card the chance that its player's side gets what it wants (declarer's side: the
contract made; the others: beaten) over deals that fit what he saw. Each deal is played out with
open cards by the exact solver: everybody is taken to play perfectly from then on, and a plan that
keeps an opponent guessing is worth nothing. What such a share comes to at a table, where people
guess, is told by :func:`at_table` (docs/advice.md shows what was predicted and observed).

Nothing is drawn where there are no more deals than asked for: then all of them are solved and the
figures are exact.
"""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import exp, log
from statistics import NormalDist
from typing import Any

from engine.cards import CARDS, SEATS, SUIT_OF, cards_in, mask_of
from engine.claims import judge_claims, still_possible
from engine.demands import Imagined
from engine.inference import Deal, Knowledge, NotKnown, bidders_of, known
from engine.meld import combinations, named_combination, stuk_cards
from engine.outcome import WHOLE_SIDE_GOALS, counts_for_side, trick_points
from engine.record import Claim
from engine.solver import Search
from engine.solver_position import Position
from engine.state import NOBODY, Replay
from pandoeren_replay.statistics.intervals import wilson

DEALS = 100
"""Deals that an answer looks at unless told otherwise."""

BATCH = 10

CONFIDENCE = 0.95

SHUNNING = frozenset({"none", "first-only", "exactly-one", "one-with-jas"})
"""Goals of declarers who shun tricks (piccolo and misère)."""

Curve = tuple[float, float]

AT_TABLE: dict[tuple[bool, bool, bool], Curve] = {
    (False, True, False): (1.11, 0.68),
    (False, True, True): (0.72, 0.71),
    (False, False, False): (-0.99, 0.76),
    (False, False, True): (-0.66, 0.70),
    (True, True, False): (0.61, 0.52),
    (True, True, True): (0.61, 0.52),
    (True, False, False): (-1.19, 0.42),
    (True, False, True): (-0.99, 0.47),
}
"""Intercept and slope that make of a share of deals a chance, on the logit scale: by whether
declarer shuns tricks, whether the player is on his side, whether deals were weighed by bids.
Fitted by ``benchmarks/calibrate.py``.
"""


def at_table(share: float, n: int, curve: Curve | None) -> float:
    """What a share of ``n`` deals won with open cards comes to at the table.

    Who sees everything finds what others have to guess, declarer's opponents above all (against
    piccolo and misère most), so that shares are too sure of themselves: too low for declarer, too
    high for the others. The order of the cards stays (docs/advice.md shows both).

    >>> curve = AT_TABLE[True, False, True]
    >>> [round(at_table(p, 100, curve), 2) for p in (0.05, 0.5, 0.95)]
    [0.09, 0.27, 0.59]
    >>> at_table(0.95, 100, None)
    0.95
    """
    if curve is None:
        return share
    a, b = curve
    inside = (min(1.0, max(0.0, share)) * n + 0.5) / (n + 1)
    return 1 / (1 + exp(-a - b * log(inside / (1 - inside))))


class Scene:
    """One moment of a hand as its player to move saw it; imagines the hidden cards.

    With ``waiting`` it may be another seat's turn. Raises :class:`engine.inference.NotKnown` where
    the record does not tell what he saw.
    """

    def __init__(
        self, replay: Replay, ply: int, seat: int | None = None, waiting: bool = False
    ) -> None:
        state = replay.at(ply)
        if seat is None:
            seat = state.to_play
        if seat is None:
            raise NotKnown("nobody is to play" if ply >= 32 else "it is not known who is to play")
        self.replay, self.ply, self.seat = replay, ply, seat
        self.knowledge: Knowledge = known(replay, seat, ply)
        bid, declarer, trump = replay.outcome.bid, replay.outcome.declarer, replay.outcome.trump
        assert bid is not None  # known() has seen to it
        assert declarer is not None
        assert trump is not None
        self.bid, self.declarer, self.trump = bid, declarer, trump
        self.objective = bid.contract.goal
        self.imagined = Imagined(replay, ply, bidders_of(replay))
        self._by_partner: dict[int, tuple[tuple[int, int], tuple[int, int]]] = {}
        over = ply % 4
        self._trick = tuple(c for _, c in state.trick) if over else ()
        there = [s for s, _ in state.trick] if over else []
        leader = there[0] if there else state.leader
        if leader is None:
            raise NotKnown("it is not known who leads")
        order = (*there, *(s for i in range(4) if (s := (leader + i) % 4) not in there))
        self._leader = leader
        self._order = () if all(s == (leader + i) % 4 for i, s in enumerate(order)) else order
        if len(order) != 4 or (order[over] != seat and not waiting):
            raise NotKnown(f"it is not the turn of {SEATS[seat]}")
        winners = self.imagined.table.winners
        if any(w is None for w in winners):
            raise NotKnown("it is not known who won a trick")
        self._winners = tuple(int(w or 0) for w in winners)
        won = [0, 0, 0, 0]
        for t, w in enumerate(self._winners):
            won[w] |= mask_of(p.card for p in replay.record.plays[4 * t : 4 * t + 4])
        self._won = (won[0], won[1], won[2], won[3])
        self.misled = any(
            v.code in ("revoke", "undertrump", "must-trump", "must-overtrump")
            and v.ply is not None
            and v.ply < ply
            and v.seat != seat
            for v in replay.violations
        )

    def position(self, deal: Deal) -> Position:
        """The table with the cards lying so."""
        rules, contract = self.replay.rules, self.bid.contract
        situation = self.imagined.situation(deal.hands, deal.out)
        partner = situation.partner
        assert partner is not None
        first_joins = contract.partner == "first-trick-winner"
        side = 1 << self.declarer
        if partner != NOBODY and not (first_joins and not self._winners):
            side |= 1 << partner
        if partner not in self._by_partner:
            points, tricks = [0, 0], [0, 0]
            for t, w in enumerate(self._winners):
                i = 0 if counts_for_side(situation, t, w, partner) else 1
                points[i] += trick_points(situation, t)
                tricks[i] += 1
            self._by_partner[partner] = ((points[0], points[1]), (tricks[0], tricks[1]))
        reveal = rules.partner.counts_from == "reveal" and contract.goal not in WHOLE_SIDE_GOALS
        counted, taken = self._by_partner[partner]
        return Position(
            rules, self.trump, deal.hands, self._leader, side, self.declarer,
            trick=self._trick, called=self.replay.called, from_reveal=reveal,
            first_joins=first_joins, winners=self._winners, won=self._won,
            points=counted, tricks=taken, order=self._order,
        )  # fmt: skip

    def meld(self, deal: Deal) -> int:
        """Roem and stuk of declarer's side: announced and standing, and what it can still say.

        Everybody is taken to announce all he may; denials still to come are left out of account.
        """
        if not self.bid.uses_points:
            return 0
        situation = self.imagined.situation(deal.hands, deal.out)
        side = [s for s in (self.declarer, situation.partner) if s is not None and s >= 0]
        meld = self.replay.rules.meld
        if meld.system == "best-at-table":
            more = self._may_say(deal)
            situation = self.imagined.situation(deal.hands, deal.out, more)
            judged = judge_claims(situation)
            return sum(judged.roem[s] + judged.stuk[s] for s in side)
        judged = judge_claims(situation)
        said = sum(judged.roem[s] + judged.stuk[s] for s in side)
        return said + still_possible(situation, self.ply, judged)

    def _may_say(self, deal: Deal) -> tuple[Claim, ...]:
        """Combinations and stuk that nobody has announced but everybody still may."""
        rules = self.replay.rules
        hands = self.imagined.hands(deal.hands, deal.out).playing
        spoken = {c.seat for c in self.imagined.record.claims if c.kind != "show"}
        out = []
        for s in range(4):
            if not self.imagined.played[s] and s not in spoken:
                best = best_at_table(hands[s], rules)
                if best is not None:
                    out.append(Claim(self.ply, s, best[0], cards=best[1]))
            if rules.meld.stuk and self.trump < 4:
                pair = mask_of(stuk_cards(self.trump))
                if hands[s] & pair == pair and not self.imagined.played[s] & pair:
                    out.append(Claim(self.ply, s, "stuk"))
        return tuple(out)

    def wins(self, deal: Deal, cards: int | None = None) -> dict[int, bool]:
        """For each legal card (or each of ``cards``): does the mover's side get what it wants?"""
        position = self.position(deal)
        legal = position.legal() if cards is None else cards
        ours = bool(position.side >> self.seat & 1)
        meld = self.meld(deal)
        if meld < self.bid.plus:
            return dict.fromkeys(cards_in(legal), not ours)
        target = self.bid.target - meld
        search = Search(position, self.objective)

        def made(p: Position) -> bool:
            if self.objective == "points":
                return search.reaches(p, target - p.points[0])
            return search.reaches(p, 1)

        if position.first_joins and not position.winners:
            # Who is on declarer's side is settled by the first trick: look past it card by card.
            return {
                c: _first_trick(position.after(c), self, target) == ours for c in cards_in(legal)
            }
        if legal.bit_count() > 2 and cards is None and made(position) != ours:
            # The whole position is lost for the mover: so is every card.
            return dict.fromkeys(cards_in(legal), False)
        return {c: made(position.after(c)) == ours for c in cards_in(legal)}


def _first_trick(position: Position, scene: Scene, target: int) -> bool:
    """Until the first trick is won everybody plays against declarer (RULES 3.3)."""
    if position.winners:
        need = target - position.points[0] if scene.objective == "points" else 1
        return Search(position, scene.objective).reaches(position, need)
    results = (_first_trick(position.after(c), scene, target) for c in cards_in(position.legal()))
    return any(results) if position.to_play == position.declarer else all(results)


def best_at_table(hand: int, rules: Any) -> tuple[Any, tuple[int, ...]] | None:
    """The best single meld of a hand where only the best at the table counts (RULES 6.3)."""
    options = [(c.value, c.length, c.cards) for c in combinations(hand, rules) if c.value]
    for rank in rules.meld.threes:
        cards = tuple(c for c in cards_in(hand) if CARDS[c][1] == rank)
        three = named_combination(cards, "set", rules) if len(cards) == 3 else None
        if three is not None:
            options.append((three.value, 3, three.cards))
    if not options:
        return None
    cards = tuple(cards_in(max(options)[2]))
    return ("run" if len({SUIT_OF[c] for c in cards}) == 1 else "set"), cards


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance that follows from a share of deals, with its interval (95%).

    Exact where all deals were looked at. ``curve`` makes of the share what it comes to at the
    table (see :func:`at_table`).
    """

    hits: int
    n: int
    exact: bool
    curve: Curve | None = None

    @property
    def share(self) -> float:
        """The share of deals, with open cards from then on."""
        return self.hits / self.n

    @property
    def value(self) -> float:
        """The chance."""
        return at_table(self.share, self.n, self.curve)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval; of no width where the share is exact."""
        if self.exact:
            return self.value, self.value
        found = wilson(self.hits, self.n, CONFIDENCE)
        assert found is not None
        low, high = (at_table(x, self.n, self.curve) for x in found)
        return low, high


def paired_interval(better: int, worse: int, n: int, comparisons: int = 1) -> tuple[float, float]:
    """Interval for the difference of two shares of the same ``n`` deals.

    ``better`` deals speak only for the first, ``worse`` only for the second. Agresti and Min
    (2005): half a deal is added to each of the four kinds. Several ``comparisons`` with the best
    of many cards widen it (Bonferroni), since the best of many looks better than it is.

    >>> [round(x, 2) for x in paired_interval(20, 2, 100)]
    [0.09, 0.26]
    """
    z = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * max(1, comparisons)))
    b, c, total = better + 0.5, worse + 0.5, n + 2
    mean = (b - c) / total
    spread = z * ((b + c) / total - mean * mean) ** 0.5 / total**0.5
    return mean - spread, mean + spread


@dataclass(frozen=True, slots=True)
class PlayAdvice:
    """What each legal card is worth at one moment, by what its player saw.

    ``side`` tells declarer's side from the others, ``exact`` that all deals were looked at,
    ``rate`` is deals solved per second of work. ``results`` holds a row per deal (card → wins).
    ``at_table`` makes chances of shares (:func:`at_table`).
    """

    seat: int
    ply: int
    contract: str
    side: bool | None
    n: int
    exact: bool
    rate: float
    results: tuple[dict[int, bool], ...] = field(repr=False)
    at_table: Curve | None = None

    @property
    def curve(self) -> Curve | None:
        """As ``at_table``; none where all deals were looked at: then nothing is left to guess."""
        return None if self.exact else self.at_table

    @property
    def cards(self) -> dict[int, Chance]:
        """Chance of every legal card, best first."""
        hits = {c: sum(row[c] for row in self.results) for c in self.results[0]}
        order = sorted(hits, key=lambda c: -hits[c])
        return {c: Chance(hits[c], self.n, self.exact, self.curve) for c in order}

    @property
    def best(self) -> int:
        """A card with the best chance (the first in pack order of several)."""
        return next(iter(self.cards))

    def gap(self, card: int) -> float:
        """In what share of the deals more the best card wins than this one."""
        better, worse = self._against(card)
        return (better - worse) / self.n

    def loss(self, card: int) -> tuple[float, float, float]:
        """What a card gives away of the best one's chance: estimate and interval."""
        better, worse = self._against(card)
        gap = (better - worse) / self.n
        if self.exact:
            return gap, gap, gap
        best = self.cards[self.best].share
        low, high = paired_interval(better, worse, self.n, len(self.results[0]) - 1)
        chance = at_table(best, self.n, self.curve)
        given = (chance - at_table(best - x, self.n, self.curve) for x in (gap, low, high))
        return next(given), next(given), next(given)

    def _against(self, card: int) -> tuple[int, int]:
        best = self.best
        better = sum(row[best] and not row[card] for row in self.results)
        worse = sum(row[card] and not row[best] for row in self.results)
        return better, worse

    def as_json(self) -> dict[str, Any]:
        """Plain data, cards by name."""
        return {
            "seat": SEATS[self.seat],
            "ply": self.ply,
            "contract": self.contract,
            "wants": "made" if self.side else "beaten",
            "deals": self.n,
            "exact": self.exact,
            "deals_per_second": round(self.rate, 1),
            "cards": [
                {
                    "card": CARDS[c],
                    "chance": round(x.value, 4),
                    "low": round(x.interval[0], 4),
                    "high": round(x.interval[1], 4),
                    "open_cards": round(x.share, 4),
                }
                for c, x in self.cards.items()
            ],
        }


Weigher = Callable[[Scene], Callable[[Deal], float] | None]
"""Gives for a moment a weight (0 to 1) of every deal, or ``None`` where all weigh the same."""


def drawn_deals(
    scene: Scene, n: int, seed: int = 0, weigher: Weigher | None = None
) -> tuple[Iterator[Deal], int, bool]:
    """Deals for a moment, how many there will be, and whether these are all that fit.

    With a ``weigher`` a deal is kept with a chance equal to its weight, so that what is drawn is
    proportional to the weights.
    """
    weigh = None if weigher is None else weigher(scene)
    knowledge = scene.knowledge
    if knowledge.bound() <= (n if weigh is None else 1):
        found = list(knowledge.every())
        if not found:
            raise NotKnown(f"no deal fits what {SEATS[scene.seat]} saw")
        return iter(found), len(found), True
    sampler = knowledge.sampler(seed)
    coin = random.Random(seed)

    def draws() -> Iterator[Deal]:
        while True:
            deal = sampler.draw()
            if weigh is None or coin.random() < weigh(deal):
                yield deal

    return draws(), n, False


def curve_of(scene: Scene, side: bool, weighed: bool) -> Curve | None:
    """What makes chances of shares at a moment; none where all cards lie open anyhow."""
    if scene.bid.contract.exposure == "all-from-trick-1":
        return None
    return AT_TABLE[scene.objective in SHUNNING, side, weighed]


def play_steps(
    replay: Replay,
    ply: int,
    deals: int = DEALS,
    seed: int = 0,
    weigher: Weigher | None = None,
) -> Iterator[PlayAdvice]:
    """Advice that gets better: an answer after every few deals, the last one after ``deals``."""
    scene = Scene(replay, ply)
    start = time.process_time()
    source, total, exact = drawn_deals(scene, deals, seed, weigher)
    rows: list[dict[int, bool]] = []
    side: bool | None = None
    for i in range(total):
        deal = next(source)
        if side is None:
            side = bool(scene.position(deal).side >> scene.seat & 1)
        rows.append(scene.wins(deal))
        last = i == total - 1
        if last or (i + 1) % BATCH == 0:
            spent = max(time.process_time() - start, 1e-6)
            yield PlayAdvice(
                scene.seat, ply, scene.bid.text, side, len(rows), exact and last,
                len(rows) / spent, tuple(rows), curve_of(scene, side, weigher is not None),
            )  # fmt: skip


def advise_play(
    replay: Replay,
    ply: int,
    deals: int = DEALS,
    seed: int = 0,
    seconds: float | None = None,
    weigher: Weigher | None = None,
) -> PlayAdvice:
    """Advice for the seat to play when ``ply`` cards are on the table.

    With ``seconds`` the answer found by then. Raises :class:`engine.inference.NotKnown` where the
    record does not tell what the player saw.
    """
    start = time.monotonic()
    steps = play_steps(replay, ply, deals, seed, weigher)
    answer = next(steps)
    while seconds is None or time.monotonic() - start < seconds:
        better = next(steps, None)
        if better is None:
            break
        answer = better
    return answer
