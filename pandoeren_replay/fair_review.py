"""Was it a mistake, or could nobody know? A hand reviewed by what each player could see.

Every decision gets two figures: what it cost with open cards, and what it gave away by what the
player could see. The verdict counts only the second. A card is a *mistake* when it gives away
more than :data:`MARGIN` of the chance and the interval of that loss excludes nothing lost; it is
*doubtful* when the loss is that large but the interval does not exclude zero; else it is *fine*.

The bid that was played is judged by what the bidder saw when he made it: *overbid* (not worth it,
and lost), *lucky* (not worth it, but made), *unlucky* (worth it, but lost), *underbid* (a higher
bid was clearly worth more), else *fine*.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.cards import CARDS, SEATS
from engine.inference import NotKnown, true_deal
from engine.state import Replay
from engine.violations import SEAT_NAMES, dutch_card, english_card
from pandoeren_replay.advise import PlayAdvice, Scene, Weigher, play_steps
from pandoeren_replay.bid_advice import bid_steps
from pandoeren_replay.bid_answers import CallAdvice, Seen

Verdict = Literal["forced", "fine", "doubtful", "mistake", "illegal"]
Language = Literal["en", "nl"]

MARGIN = 0.03
"""A smaller loss than this (of the chance to make or beat the contract) is no fault, and neither
is a card that wins in so few deals less than the best."""

WORDS: dict[str, dict[Language, str]] = {
    "forced": {"en": "the only card", "nl": "de enige kaart"},
    "fine": {"en": "fine", "nl": "goed"},
    "doubtful": {"en": "doubtful", "nl": "twijfelachtig"},
    "mistake": {"en": "mistake", "nl": "fout"},
    "illegal": {"en": "against the rules", "nl": "tegen de regels"},
}


@dataclass(frozen=True, slots=True)
class Decision:
    """One card played, judged.

    ``chance`` is the chance of the player's side with this card and ``best_chance`` with the best
    one, both by what he could see; ``loss`` their difference with its interval ``low`` to
    ``high``. ``open_cards`` says whether the side wins with this card when all cards are open,
    ``open_best`` whether it could (``None``: the record does not tell how the cards lay).
    ``misled``: an offence of somebody else before it made him believe what was not so; such a
    decision is never called a mistake. ``chances`` has the chance of every legal card.
    """

    ply: int
    seat: int
    card: int
    verdict: Verdict
    best: int | None = None
    chance: float | None = None
    best_chance: float | None = None
    loss: float | None = None
    low: float | None = None
    high: float | None = None
    deals: int = 0
    exact: bool = False
    open_cards: bool | None = None
    open_best: bool | None = None
    misled: bool = False
    chances: dict[int, float] = field(default_factory=dict)

    @property
    def open_loss(self) -> int | None:
        """1 where the card threw the contract away with open cards, 0 where not."""
        if self.open_cards is None or self.open_best is None:
            return None
        return int(self.open_best) - int(self.open_cards)

    def text(self, lang: Language = "en") -> str:
        """Both figures and the verdict as a sentence."""
        show = dutch_card if lang == "nl" else english_card
        head = f"{SEAT_NAMES[lang][self.seat]}, {show(CARDS[self.card])}: "
        word = WORDS[self.verdict][lang]
        if self.chance is None or self.best is None or self.best_chance is None:
            return f"{head}{word}."
        seen = f"{self.chance:.0%}"
        best = f"{show(CARDS[self.best])} {self.best_chance:.0%}"
        opened = _open_words(self.open_loss, lang)
        if lang == "nl":
            return f"{head}{word}. Met wat hij kon zien {seen} (beste: {best}); {opened}."
        return f"{head}{word}. With what he could see {seen} (best: {best}); {opened}."

    def as_json(self) -> dict[str, Any]:
        """Plain data, cards by name."""
        out: dict[str, Any] = {k: getattr(self, k) for k in self.__slots__}
        out |= {
            "seat": SEATS[self.seat],
            "card": CARDS[self.card],
            "best": None if self.best is None else CARDS[self.best],
            "chances": {CARDS[c]: round(x, 4) for c, x in self.chances.items()},
            "open_loss": self.open_loss,
        }
        return out


def _open_words(loss: int | None, lang: Language) -> str:
    if loss is None:
        return (
            "hoe de kaarten lagen is niet bekend"
            if lang == "nl"
            else "how the cards lay is not known"
        )
    if lang == "nl":
        return (
            "met open kaarten beslissend fout" if loss > 0 else "met open kaarten kostte het niets"
        )
    return "with open cards it lost the contract" if loss > 0 else "with open cards it cost nothing"


@dataclass(frozen=True, slots=True)
class Review:
    """A hand reviewed by what its players could see.

    ``seconds`` is what it took, ``rate`` deals solved per second, ``skipped`` why single
    decisions could not be judged (ply → sentence).
    """

    replay: Replay
    decisions: tuple[Decision, ...]
    skipped: dict[int, str]
    seconds: float
    rate: float

    def mistakes(self, seat: int | None = None) -> tuple[Decision, ...]:
        """What was a mistake by what the player could see."""
        return tuple(d for d in self.decisions if d.verdict == "mistake" and seat in (None, d.seat))

    def unlucky(self) -> tuple[Decision, ...]:
        """Cards that cost the contract with open cards, though nobody could know."""
        return tuple(d for d in self.decisions if d.verdict == "fine" and (d.open_loss or 0) > 0)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "decisions": [d.as_json() for d in self.decisions],
            "skipped": {str(k): v for k, v in self.skipped.items()},
            "seconds": round(self.seconds, 3),
            "deals_per_second": round(self.rate, 1),
        }


def judge(advice: PlayAdvice, card: int) -> Verdict:
    """The verdict on a card, by what its player could see."""
    loss, low, _ = advice.loss(card)
    if min(loss, advice.gap(card)) <= MARGIN:
        return "fine"
    return "mistake" if low > 0 else "doubtful"


def review(
    replay: Replay,
    deals: int = 100,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    weigher: Weigher | None = None,
) -> Review:
    """Review every card of a hand; ``progress`` is told (decisions done, of how many).

    With a ``weigher`` deals count by how well declarer's cards suit his bid.

    Raises :class:`engine.inference.NotKnown` only where no decision at all can be judged.
    """
    n = len(replay.record.plays)
    decisions: list[Decision] = []
    skipped: dict[int, str] = {}
    solved = 0
    wall, start = time.monotonic(), time.process_time()
    for ply in range(n):
        try:
            decision = _decision(replay, ply, deals, seed + ply, weigher)
            decisions.append(decision)
            solved += decision.deals
        except NotKnown as e:
            skipped[ply] = str(e)
        if progress is not None:
            progress(ply + 1, n)
    if not decisions:
        raise NotKnown(skipped.get(0, "no card was played"))
    spent = max(time.process_time() - start, 1e-6)
    return Review(replay, tuple(decisions), skipped, time.monotonic() - wall, solved / spent)


def _decision(replay: Replay, ply: int, deals: int, seed: int, weigher: Weigher | None) -> Decision:
    scene = Scene(replay, ply)
    card = replay.record.plays[ply].card
    try:
        truth = true_deal(replay, ply)
        position = scene.position(truth)
        legal = position.legal()
    except NotKnown:
        truth = None
        legal = scene.position(scene.knowledge.sampler(seed).draw()).legal()
    seat = scene.seat
    if not legal >> card & 1:
        return Decision(ply, seat, card, "illegal")
    if legal.bit_count() == 1:
        return Decision(ply, seat, card, "forced")
    advice = None
    for advice in play_steps(replay, ply, deals, seed, weigher):
        if advice.n >= 30 and _certain(advice):
            break
    assert advice is not None
    verdict = judge(advice, card)
    if scene.misled and verdict == "mistake":
        verdict = "doubtful"
    loss, low, high = advice.loss(card)
    chances = advice.cards
    opened = scene.wins(truth) if truth is not None else None
    return Decision(
        ply, seat, card, verdict, advice.best, chances[card].value,
        chances[advice.best].value, loss, low, high, advice.n, advice.exact,
        None if opened is None else opened[card],
        None if opened is None else any(opened.values()),
        scene.misled, {c: x.value for c, x in chances.items()},
    )  # fmt: skip


def _certain(advice: PlayAdvice) -> bool:
    """Whether every card has the same result in every deal so far: nothing is left to decide."""
    return all(len(set(row.values())) == 1 for row in advice.results)


BidVerdict = Literal["fine", "overbid", "underbid", "lucky", "unlucky"]

BID_WORDS: dict[str, dict[Language, str]] = {
    "fine": {"en": "defensible", "nl": "te verdedigen"},
    "overbid": {"en": "too high", "nl": "te hoog"},
    "underbid": {"en": "too low", "nl": "te laag"},
    "lucky": {"en": "too high, but lucky", "nl": "te hoog, maar had geluk"},
    "unlucky": {"en": "sound, but unlucky", "nl": "goed, maar had pech"},
}
"""As the pages and the report say it."""


@dataclass(frozen=True, slots=True)
class BidReview:
    """The bid that was played, judged by what the bidder saw when he made it.

    ``advice`` is what was to be expected of it, ``better`` a bid that was clearly worth more.
    """

    seat: int
    call: int
    verdict: BidVerdict
    advice: CallAdvice
    better: CallAdvice | None
    made: bool | None

    @property
    def loss(self) -> tuple[float, float, float]:
        """What the bid gave away in expected score: estimate and interval.

        A bid that was not worth it is compared with a pass, taken as nothing; one that was too low
        with the better bid; any other gave nothing away.
        """
        mine = self.advice.score or (0.0, 0.0, 0.0)
        if self.verdict in ("overbid", "lucky"):
            return -mine[0], -mine[2], -mine[1]
        if self.verdict == "underbid" and self.better is not None and self.better.score:
            best = self.better.score
            return best[0] - mine[0], best[1] - mine[2], best[2] - mine[1]
        return 0.0, 0.0, 0.0

    def text(self, lang: Language = "en") -> str:
        """The verdict as a sentence."""
        nl = lang == "nl"
        chance, score = self.advice.chance or (0.0,) * 3, self.advice.score or (0.0,) * 3
        bid = self.advice.bid.words()[lang] if self.advice.bid else self.advice.call
        head = f"{SEAT_NAMES[lang][self.seat]}, {bid}: {BID_WORDS[self.verdict][lang]}"
        what = f"kans {chance[0]:.0%}" if nl else f"chance {chance[0]:.0%}"
        worth = f"verwachting {score[0]:+.2f}" if nl else f"expected score {score[0]:+.2f}"
        more = ""
        if self.better is not None and self.better.bid is not None and self.better.score:
            name = self.better.bid.words()[lang]
            more = f"; {'beter' if nl else 'better'}: {name} ({self.better.score[0]:+.2f})"
        return f"{head} ({what}, {worth}{more})."

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "seat": SEATS[self.seat],
            "call": self.call,
            "verdict": self.verdict,
            "made": self.made,
            "advice": self.advice.as_json(),
            "better": None if self.better is None else self.better.as_json(),
        }


def review_bid(replay: Replay, seed: int = 0, rounds: int = 3) -> BidReview | None:
    """Judge the bid that was played; ``None`` where the record does not hold what is needed.

    Needed are the calls, dealer, declarer's eight cards, and the middle card where it was face up.
    """
    o = replay.outcome
    if o.bid is None or o.declarer is None or replay.dealer is None:
        return None
    dealt = replay.hands[o.declarer]
    face_up = replay.rules.deal.middle == "taken"
    if dealt.bit_count() != 8 or (face_up and replay.middle is None):
        return None
    valid = [e for e in replay.events if e.kind == "call" and e.data["valid"]]
    last = max((i for i, e in enumerate(valid) if e.data["text"] == o.bid.text), default=None)
    if last is None or valid[last].seat != o.declarer:
        return None
    calls = tuple(e.data["text"] for e in valid[:last])
    middle = replay.middle if face_up else None
    seen = Seen(replay.rules, replay.dealer, calls, dealt, middle)
    steps = bid_steps(seen.rules, seen.hand, seen.middle, seen.calls, seen.dealer, seed)
    advice = next(steps)
    for _ in range(rounds - 1):
        advice = next(steps)
    mine = advice.of(o.bid.text)
    if mine is None or mine.score is None:
        return None
    higher = [
        c
        for c in advice.calls
        if c.bid is not None and c.bid.rank > o.bid.rank and c.score and c.score[1] > mine.score[2]
    ]
    better = max(higher, key=lambda c: c.score[0] if c.score else 0.0, default=None)
    verdict: BidVerdict = "fine"
    if mine.score[2] < 0:
        verdict = "lucky" if o.made else "overbid"
    elif mine.score[1] > 0 and o.made is False:
        verdict = "unlucky"
    elif better is not None:
        verdict = "underbid"
    index = valid[last].call
    return BidReview(o.declarer, -1 if index is None else index, verdict, mine, better, o.made)


__all__ = ["MARGIN", "BidReview", "Decision", "Review", "judge", "review", "review_bid"]
