"""What the review of a hand says of one card, or of one choice before it: figures and sentences.

All of it is hindsight, and every sentence says so ("with open cards").
"""

from dataclasses import dataclass
from typing import Any, Literal

from engine.cards import CARDS, SEATS, SUITS, names
from engine.ruleset import Bid
from engine.violations import SEAT_NAMES, dutch_card, english_card

Language = Literal["en", "nl"]
Verdict = Literal["forced", "no-difference", "best", "cost", "turned", "gained"]
Kind = Literal["discard", "trump", "called"]

OPEN_CARDS = {"en": "with open cards", "nl": "met open kaarten"}
SUIT_NAMES = {
    "en": ("spades", "hearts", "diamonds", "clubs", "no trumps"),
    "nl": ("schoppen", "harten", "ruiten", "klaveren", "zonder troef"),
}


# What is said of roem where another choice might have changed it: nothing announced, or something.
_NO_MELD = {
    "en": ("roem left out", "roem as it was announced"),
    "nl": ("roem niet meegeteld", "roem zoals die gemeld is"),
}


@dataclass(frozen=True, slots=True)
class Terms:
    """What the contract asks, and how values are to be read.

    ``objective`` is the solver's; for ``points`` a value is card points at the end of the hand,
    for any other 1 (reached) or 0. ``meld`` is what declarer's side has announced and stands.
    """

    objective: str
    target: int
    plus: int
    meld: int

    @classmethod
    def of(cls, bid: Bid, meld: int) -> "Terms":
        """Terms of a bid."""
        return cls(bid.contract.goal, bid.target, bid.plus, meld)

    def made(self, value: int) -> bool:
        """Whether the contract is made when the hand ends with ``value``."""
        if self.objective == "points":
            return value + self.meld >= self.target
        return value == 1 and self.meld >= self.plus


@dataclass(frozen=True, slots=True)
class CardNote:
    """One card played.

    ``values`` is what the hand is worth for declarer's side after each card that could be played
    (the card played among them, legal or not), ``best`` the best legal cards (bit set), ``loss``
    what the card cost its player's side (negative where an irregular card brought something),
    ``forced`` whether no other card was legal, ``mattered`` whether legal cards differ in value.
    ``side`` tells declarer's side from the defenders.
    """

    ply: int
    seat: int
    card: int
    side: bool
    values: dict[int, int]
    best: int
    loss: int
    forced: bool
    mattered: bool
    regular: bool
    before: int
    after: int
    terms: Terms

    @property
    def trick(self) -> int:
        """Number of the trick, from 1."""
        return self.ply // 4 + 1

    @property
    def verdict(self) -> Verdict:
        """The verdict in a word; ``turned``: a made contract was lost by it, or the reverse."""
        if self.loss < 0:
            return "gained"
        if self.terms.made(self.before) != self.terms.made(self.after):
            return "turned"
        if self.loss:
            return "cost"
        if self.forced:
            return "forced"
        return "best" if self.mattered else "no-difference"

    def text(self, lang: Language = "en") -> str:
        """The verdict as a sentence."""
        show = dutch_card if lang == "nl" else english_card
        head = f"{SEAT_NAMES[lang][self.seat]}, {show(CARDS[self.card])}: {OPEN_CARDS[lang]} "
        return head + _verdict(self, lang) + _better(self, lang) + "."

    def as_json(self) -> dict[str, Any]:
        """Plain data, cards by name."""
        return {
            "ply": self.ply,
            "trick": self.trick,
            "seat": SEATS[self.seat],
            "card": CARDS[self.card],
            "values": {CARDS[c]: v for c, v in self.values.items()},
            "best": names(self.best),
            "loss": self.loss,
            "forced": self.forced,
            "mattered": self.mattered,
            "verdict": self.verdict,
            "en": self.text("en"),
            "nl": self.text("nl"),
        }


def _verdict(note: CardNote, lang: Language) -> str:
    nl = lang == "nl"
    made = note.terms.made(note.after)
    kind = note.verdict
    if kind == "forced":
        return "de enige kaart" if nl else "the only card"
    if kind == "best":
        return "de beste keus" if nl else "the best choice"
    if kind == "no-difference":
        return "maakte de keus niet uit" if nl else "the choice made no difference"
    if kind == "turned":
        if made:
            return (
                "maakte deze kaart van een verloren bod een gemaakt bod"
                if nl
                else "this card turned a lost contract into a made one"
            )
        return (
            "maakte deze kaart van een gemaakt bod een verloren bod"
            if nl
            else "this card turned a made contract into a lost one"
        )
    if note.terms.objective != "points":
        return "kostte deze kaart niets meer" if nl else "this card no longer changed the contract"
    n = abs(note.loss)
    unit = ("punt" if n == 1 else "punten") if nl else ("point" if n == 1 else "points")
    if nl:
        verb = "bracht" if kind == "gained" else "kostte"
        how = "het bod blijft gemaakt" if made else "het bod was toch verloren"
    else:
        verb = "brought" if kind == "gained" else "cost"
        how = "contract still made" if made else "contract lost anyway"
    return f"{verb} {n} {unit}, {how}" if not nl else f"{verb} dat {n} {unit}, {how}"


def _better(note: CardNote, lang: Language) -> str:
    if note.loss <= 0 or not note.best:
        return ""
    show = dutch_card if lang == "nl" else english_card
    cards = " ".join(show(c) for c in names(note.best))
    return f" ({'beter' if lang == 'nl' else 'better'}: {cards})"


@dataclass(frozen=True, slots=True)
class DeclarationNote:
    """Discard, trump suit or called card, all else kept as it was.

    ``options`` is what each choice is worth where that is no less than the chosen one, ``None``
    where it is less than the best found before it; keys are cards, suits
    (:data:`engine.cards.NO_TRUMP` for none) or -1 for playing alone. ``has_meld``: roem counts in
    this contract; what another choice would have brought in roem is left out.
    """

    kind: Kind
    chosen: int
    value: int
    best: int
    options: dict[int, int | None]
    terms: Terms
    has_meld: bool = False

    @property
    def loss(self) -> int:
        """What the choice cost declarer's side."""
        return self.best - self.value

    @property
    def best_choices(self) -> tuple[int, ...]:
        """The choices that are worth most."""
        return tuple(k for k, v in self.options.items() if v == self.best)

    @property
    def turned(self) -> bool:
        """Whether another choice would have made a contract that this one lost."""
        return self.terms.made(self.best) and not self.terms.made(self.value)

    def key(self, choice: int) -> str:
        """A choice in the notation: ``-`` for playing alone or no trumps."""
        if choice < 0:
            return "-"
        return f"{SUITS}-"[choice] if self.kind == "trump" else CARDS[choice]

    def _name(self, choice: int, lang: Language) -> str:
        if choice < 0:
            return "alleen" if lang == "nl" else "alone"
        if self.kind == "trump":
            return SUIT_NAMES[lang][choice]
        return (dutch_card if lang == "nl" else english_card)(CARDS[choice])

    def text(self, lang: Language = "en") -> str:
        """The verdict as a sentence."""
        nl = lang == "nl"
        title = {
            "discard": ("Discard", "Weggelegd"),
            "trump": ("Trumps", "Troef"),
            "called": ("Called", "Meegevraagd"),
        }[self.kind][nl]
        head = f"{title} {self._name(self.chosen, lang)}: {OPEN_CARDS[lang]} "
        out = f" ({_NO_MELD[lang][self.terms.meld > 0]})" if self.has_meld else ""
        if self.loss == 0:
            return head + ("de beste keus" if nl else "the best choice") + out + "."
        better = ", ".join(self._name(c, lang) for c in self.best_choices[:3])
        if self.turned:
            what = "verloor deze keus het bod" if nl else "this choice lost the contract"
        elif self.terms.objective == "points":
            still = self.terms.made(self.value)
            if nl:
                how = "het bod blijft gemaakt" if still else "het bod was toch verloren"
                what = f"kostte dat {self.loss} punten, {how}"
            else:
                how = "contract still made" if still else "contract lost anyway"
                what = f"cost {self.loss} points, {how}"
        else:
            what = "maakte het niets uit" if nl else "it changed nothing"
        return f"{head}{what} ({'beter' if nl else 'better'}: {better}){out}."

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": self.kind,
            "chosen": self.key(self.chosen),
            "value": self.value,
            "best": self.best,
            "best_choices": [self.key(c) for c in self.best_choices],
            "loss": self.loss,
            "en": self.text("en"),
            "nl": self.text("nl"),
        }
