"""A table for players, and matches: the same deals played by both sides in every arrangement.

Two kinds of players, A and B, sit down two and two. In a duplicate match each deal is played once
in every arrangement, so that both have held every hand; the difference is that of what A's seats
and B's seats scored, averaged over the arrangements of a deal. Deals are independent, so the
interval is that of a mean over deals.
"""

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.auction import Auction
from engine.cards import CARD_INDEX, CARDS, NO_TRUMP, SEATS, SUITS, cards_in, mask_of
from engine.declaration import callable_cards
from engine.demands import Imagined
from engine.meld import best_roem, lowest_cards, stuk_cards
from engine.record import Call, Claim, HandRecord, Play, Result
from engine.replay import replay
from engine.ruleset import Bid, RuleSet
from pandoeren_replay.advise import best_at_table
from pandoeren_replay.players.bidding import deal_cards
from pandoeren_replay.players.protocol import Declared, Player, PlayerError, ProcessPlayer, View
from pandoeren_replay.players.sampling_player import RandomPlayer, SamplingPlayer, SimplePlayer
from pandoeren_replay.statistics.intervals import t_value

ARRANGEMENTS: dict[str, tuple[str, ...]] = {
    "all": ("ABAB", "BABA", "AABB", "BBAA", "ABBA", "BAAB"),
    "opposite": ("ABAB", "BABA"),
}
"""Who sits where, N E S W: every way to seat two and two, or as opposite pairs only."""

PROGRAM = "cmd:"


class Table:
    """Four players; deals are played by the rules, and announcements are made for them.

    Everybody announces all the roem, combinations and stuk that he may, as late as he may; denials
    are not made. Raises :class:`PlayerError` for an answer that the rules do not allow.
    """

    def __init__(self, rules: RuleSet, players: Sequence[Player]) -> None:
        self.rules = rules
        self.players = tuple(players)

    def play(self, hands: Sequence[int], middle: int, dealer: int, number: int = 0) -> HandRecord:
        """Play one deal from the first call to the result."""
        face_up = middle if self.rules.deal.middle == "taken" else None
        deal = ["M"] * 33
        for s in range(4):
            for c in cards_in(hands[s]):
                deal[c] = SEATS[s]
        base = [View(number, self.rules, s, dealer, hands[s], hands[s], face_up) for s in range(4)]
        calls, auction = self._auction(base, dealer)
        record = HandRecord(
            self.rules.id, None, dealer, "".join(deal), (), "calls", tuple(map(Call, calls)),
            claims=self._shows(hands), meta=(("src", "simulated"),),
        )  # fmt: skip
        if auction.best is None or auction.bidder is None:
            return replace(record, result=Result("void"))
        bid, declarer = auction.best, auction.bidder
        takes = self.rules.takes_middle(bid.contract)
        nine = hands[declarer] | (1 << middle if takes else 0)
        view = replace(base[declarer], hand=nine, calls=tuple(calls), best=bid, declarer=declarer)
        declared = self.players[declarer].declare(view)
        self._check_declared(bid, nine, takes, declared, declarer)
        record = replace(
            record, trump=declared.trump, called=declared.called, discard=declared.discard
        )
        held = list(hands)
        if takes:
            held[declarer] = nine & ~(1 << CARD_INDEX[declared.discard])
        return _with_result(self._cards(record, held, bid, base), self.rules)

    def _auction(self, base: list[View], dealer: int) -> tuple[list[str], Auction]:
        auction = Auction(self.rules, dealer)
        calls: list[str] = []
        while not auction.over:
            seat = auction.turn
            view = replace(base[seat], calls=tuple(calls), best=auction.best)
            text = self.players[seat].call(view)
            _, _, fault = auction.call(Call(text))
            if fault is not None:
                raise PlayerError(f"{self._who(seat)} calls {text!r} ({fault})")
            calls.append(text)
        return calls, auction

    def _who(self, seat: int) -> str:
        return f"{self.players[seat].name} ({SEATS[seat]})"

    def _check_declared(
        self, bid: Bid, nine: int, takes: bool, declared: Declared, declarer: int
    ) -> None:
        who, contract = self._who(declarer), bid.contract
        allowed = SUITS if contract.trump else "-"
        if declared.trump not in tuple(allowed):
            raise PlayerError(f"{who} names trumps {declared.trump!r} in {bid.text}")
        trump = NO_TRUMP if declared.trump == "-" else SUITS.index(declared.trump)
        discard = CARD_INDEX.get(declared.discard)
        if takes and (discard is None or not nine >> discard & 1):
            raise PlayerError(f"{who} discards {declared.discard!r}, which he does not hold")
        if not takes and declared.discard != "-":
            raise PlayerError(f"{who} discards {declared.discard!r}; the middle card is dead")
        options = callable_cards(self.rules, bid, nine, trump) if contract.calls_card else 0
        called = CARD_INDEX.get(declared.called)
        none_is_right = not options or self.rules.calling.optional
        if declared.called == "-" and none_is_right:
            return
        if called is None or not options >> called & 1:
            raise PlayerError(f"{who} calls {declared.called!r}, which {bid.text} does not allow")

    def _shows(self, hands: Sequence[int]) -> tuple[Claim, ...]:
        if not self.rules.deal.show_lowest:
            return ()
        low = [next(cards_in(lowest_cards(hands[s], self.rules))) for s in range(4)]
        return tuple(Claim(0, s, "show", cards=(low[s],)) for s in range(4))

    def _cards(self, record: HandRecord, held: list[int], bid: Bid, base: list[View]) -> HandRecord:
        tables = self.rules.tables
        done = replay(record, self.rules)
        declarer, trump, called = done.outcome.declarer, done.outcome.trump, done.called
        assert declarer is not None
        assert trump is not None
        discard = CARD_INDEX.get(record.discard or "-")
        leader = declarer
        if self.rules.play.first_lead == "forehand":
            leader = (base[0].dealer + 1) % 4
        left = list(held)
        plays: list[tuple[int, int]] = []
        teller = _Teller(self.rules, bid, declarer, held, -1 if discard is None else discard)
        for _ in range(8):
            led = best = winner = -1
            for k in range(4):
                seat = (leader + k) % 4
                ply = len(plays)
                record = replace(
                    record, claims=(*record.claims, *teller.before(record, ply, seat, trump))
                )
                exposed = {s: left[s] for s in _face_up(bid, declarer, plays) if s != seat}
                view = replace(
                    base[seat],
                    hand=left[seat],
                    calls=tuple(c.text for c in record.auction),
                    best=bid,
                    declarer=declarer,
                    trump=trump,
                    called=called,
                    discard=discard if seat == declarer else None,
                    legal=tables.legal(trump, left[seat], led, best),
                    leader=leader,
                    trick=tuple(plays[ply - k :]),
                    plays=tuple(plays),
                    exposed=exposed,
                    claims=tuple(f"{c.ply}{SEATS[c.seat]}={c.what()}" for c in record.claims),
                    _record=record,
                )
                card = self.players[seat].play(view)
                if not 0 <= card < len(CARDS) or not view.legal >> card & 1:
                    name = CARDS[card] if 0 <= card < len(CARDS) else str(card)
                    raise PlayerError(f"{self._who(seat)} plays {name}, which is not legal")
                left[seat] &= ~(1 << card)
                plays.append((seat, card))
                record = replace(record, plays=(*record.plays, Play(card)))
                record = replace(record, claims=(*record.claims, *teller.after(len(plays), seat)))
                if led < 0:
                    led = best = card
                    winner = seat
                elif tables.wins(trump, best, card):
                    best, winner = card, seat
            leader = winner
        return record


def _face_up(bid: Bid, declarer: int, plays: list[tuple[int, int]]) -> tuple[int, ...]:
    """Seats whose cards lie face up (RULES 4)."""
    if bid.contract.exposure == "all-from-trick-1" and plays:
        return (0, 1, 2, 3)
    if bid.contract.exposure == "declarer-from-trick-2":
        if sum(s == declarer for s, _ in plays) >= 2:
            return (declarer,)
    return ()


class _Teller:
    """Says what everybody may announce, as late as he may."""

    def __init__(
        self, rules: RuleSet, bid: Bid, declarer: int, held: Sequence[int], out: int
    ) -> None:
        self.rules, self.bid, self.declarer = rules, bid, declarer
        self.held, self.out = list(held), out
        self.said: set[int] = set()
        self.stuk: set[int] = set()
        self.own: int | None = None

    def before(self, record: HandRecord, ply: int, seat: int, trump: int) -> list[Claim]:
        """What ``seat`` says before its next card."""
        meld = self.rules.meld
        out: list[Claim] = []
        if not self.bid.uses_points:
            return out
        if meld.system == "best-at-table" and seat not in self.said:
            self.said.add(seat)
            best = best_at_table(self.held[seat], self.rules)
            if best is not None:
                out.append(Claim(ply, seat, best[0], cards=best[1]))
        partner = self._partner(record)
        if meld.system == "roem" and seat == partner and seat not in self.said:
            value = best_roem(self.held[seat], self.rules)
            if self._in_window(record, ply):
                self.said.add(seat)
                if value:
                    out.append(Claim(ply, seat, "roem", value))
        if meld.stuk and trump != NO_TRUMP and seat in (self.declarer, partner):
            pair = mask_of(stuk_cards(trump))
            played = mask_of(p.card for p in record.plays)
            whole = self.held[seat] & pair == pair and not played & pair
            if whole and seat not in self.stuk:
                self.stuk.add(seat)
                out.append(Claim(ply, seat, "stuk"))
        return out

    def after(self, ply: int, seat: int) -> list[Claim]:
        """Declarer announces right after his first card."""
        if self.rules.meld.system != "roem" or not self.bid.uses_points:
            return []
        if seat != self.declarer or seat in self.said:
            return []
        self.said.add(seat)
        value = best_roem(self.held[seat], self.rules)
        return [Claim(ply, seat, "roem", value)] if value else []

    def _partner(self, record: HandRecord) -> int | None:
        called = CARD_INDEX.get(record.called or "-")
        if self.bid.contract.partner == "jas-holder" or called is None:
            return None
        return next((s for s in range(4) if self.held[s] >> called & 1), None)

    def _in_window(self, record: HandRecord, ply: int) -> bool:
        if self.rules.meld.announce == "before-last-card":
            return True
        table = Imagined(replay(record, self.rules), ply, set())
        left = [self.held[s] & ~table.played[s] for s in range(4)]
        opens, closes = table.situation(left, self.out).window()
        return opens <= ply <= closes


def _with_result(record: HandRecord, rules: RuleSet) -> HandRecord:
    o = replay(record, rules).outcome
    outcome = None if o.made is None else ("made" if o.made else "lost")
    return replace(record, result=Result(outcome, o.points, o.score, o.tricks))  # type: ignore[arg-type]


def make_player(text: str, rules: RuleSet, seed: int = 1) -> Player:
    """A player by name: ``rules``, ``random``, ``solver``, ``solver:N`` (N deals a card), or
    ``cmd:PROGRAM ARGUMENTS`` (:class:`ProcessPlayer`)."""
    if text.startswith(PROGRAM):
        command = shlex.split(text.removeprefix(PROGRAM))
        if not command:
            raise PlayerError(f"{text!r} names no program")
        return ProcessPlayer(command)
    kind, _, number = text.partition(":")
    if kind == "solver" and (not number or (number.isdigit() and int(number) > 0)):
        return SamplingPlayer(rules, seed, int(number)) if number else SamplingPlayer(rules, seed)
    if text == "rules":
        return SimplePlayer(rules, seed)
    if text == "random":
        return RandomPlayer(rules, seed)
    raise PlayerError(
        f"no player {text!r} (there are: rules, random, solver, solver:DEALS, {PROGRAM}PROGRAM)"
    )


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What came of a match: A's score less B's, per deal, averaged over the arrangements.

    ``differences`` has one figure per deal, ``low`` to ``high`` is the 95% interval of the mean.
    """

    a: str
    b: str
    differences: tuple[float, ...]
    hands: int
    passed_out: int
    seconds: float

    @property
    def mean(self) -> float:
        """Mean difference per deal."""
        return sum(self.differences) / len(self.differences)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% interval of the mean (Student); ``None`` for fewer than two deals."""
        n = len(self.differences)
        if n < 2:
            return None
        spread = (sum((d - self.mean) ** 2 for d in self.differences) / (n - 1)) ** 0.5
        reach = t_value(n - 1) * spread / n**0.5
        return self.mean - reach, self.mean + reach


def match(
    a: Player,
    b: Player,
    rules: RuleSet,
    deals: int,
    seed: int = 1,
    arrangements: str = "all",
    progress: Callable[[int, int], None] | None = None,
) -> MatchResult:
    """A duplicate match of ``deals`` deals; the same seed deals the same cards."""
    rng = np.random.default_rng(seed)
    differences = []
    hands = passed = 0
    start = time.monotonic()
    for i in range(deals):
        cards, middle = deal_cards(rng)
        total = 0
        seatings = ARRANGEMENTS[arrangements]
        for seating in seatings:
            table = Table(rules, [a if x == "A" else b for x in seating])
            record = table.play(cards, middle, i % 4, i)
            hands += 1
            passed += record.result.outcome == "void"
            score = record.result.score or (0, 0, 0, 0)
            total += sum(s if x == "A" else -s for s, x in zip(score, seating))
        differences.append(total / len(seatings))
        if progress is not None:
            progress(i + 1, deals)
    return MatchResult(a.name, b.name, tuple(differences), hands, passed, time.monotonic() - start)


def simulate_by(player: Player, rules: RuleSet, n: int, seed: int = 1) -> Iterator[HandRecord]:
    """``n`` hands of four of the same player, numbered like those of the simulator."""
    rng = np.random.default_rng(seed)
    table = Table(rules, [player] * 4)
    for i in range(1, n + 1):
        hands, middle = deal_cards(rng)
        record = table.play(hands, middle, int(rng.integers(4)), i)
        yield replace(record, meta=(("id", f"sim-{seed}-{i}"), ("src", "simulated")))
