"""What every card of a hand cost, with open cards.

All of it is hindsight: it compares with what somebody who saw all four hands could have forced.
Every text says so ("with open cards"). The values are exact; they are totals at the end of the
hand, as the rule set counts them for declarer's side.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.cards import CARDS, NO_TRUMP, SEATS, SUITS, cards_in, names
from engine.declaration import callable_cards
from engine.ruleset import Bid
from engine.solver import SOLVER_VERSION, Search
from engine.solver_position import Position, position_from_replay
from engine.state import Replay
from engine.violations import SEAT_NAMES, dutch_card, english_card

Language = Literal["en", "nl"]
Verdict = Literal["forced", "no-difference", "best", "cost", "turned", "gained"]
Kind = Literal["discard", "trump", "called"]

OPEN_CARDS = {"en": "with open cards", "nl": "met open kaarten"}
SUIT_NAMES = {
    "en": ("spades", "hearts", "diamonds", "clubs", "no trumps"),
    "nl": ("schoppen", "harten", "ruiten", "klaveren", "zonder troef"),
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
    (:data:`engine.cards.NO_TRUMP` for none) or -1 for playing alone.
    """

    kind: Kind
    chosen: int
    value: int
    best: int
    options: dict[int, int | None]
    terms: Terms

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
        if self.loss == 0:
            return head + ("de beste keus." if nl else "the best choice.")
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
        return f"{head}{what} ({'beter' if nl else 'better'}: {better})."

    def as_json(self) -> dict[str, Any]:
        """Plain data."""

        def name(choice: int) -> str:
            if choice < 0:
                return "-"
            return ("SHDC-"[choice]) if self.kind == "trump" else CARDS[choice]

        return {
            "kind": self.kind,
            "chosen": name(self.chosen),
            "value": self.value,
            "best": self.best,
            "best_choices": [name(c) for c in self.best_choices],
            "loss": self.loss,
            "en": self.text("en"),
            "nl": self.text("nl"),
        }


@dataclass(frozen=True, slots=True)
class Annotation:
    """A hand reviewed with open cards.

    ``start`` is what the hand was worth before the first card, ``result`` what it came to (where
    the play stopped early: what it was then still worth). ``start - result`` is the sum of the
    losses of declarer's side less those of the defenders.
    """

    replay: Replay
    terms: Terms
    start: int
    result: int
    cards: tuple[CardNote, ...]
    declaration: tuple[DeclarationNote, ...]
    nodes: int
    solver: str = SOLVER_VERSION

    def lost_by(self, seat: int) -> int:
        """What a seat's cards cost its side."""
        return sum(n.loss for n in self.cards if n.seat == seat)

    def mistakes(self) -> tuple[CardNote, ...]:
        """Cards that cost something, in order."""
        return tuple(n for n in self.cards if n.loss > 0)

    def turning_points(self) -> tuple[CardNote, ...]:
        """Cards that turned the contract."""
        return tuple(n for n in self.cards if n.verdict == "turned")

    def accuracy(self, seat: int) -> float | None:
        """Share of a seat's choices that mattered in which it lost nothing; ``None``: none did."""
        choices = [n for n in self.cards if n.seat == seat and n.mattered]
        return sum(n.loss <= 0 for n in choices) / len(choices) if choices else None

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "objective": self.terms.objective,
            "target": self.terms.target,
            "meld": self.terms.meld,
            "open_cards": True,
            "solver": self.solver,
            "start": self.start,
            "result": self.result,
            "cards": [n.as_json() for n in self.cards],
            "declaration": [n.as_json() for n in self.declaration],
        }


def annotate(replay: Replay, declaration: bool = False) -> Annotation:
    """Value of every card that could have been played, loss and verdict of each that was.

    With ``declaration`` the discard, the trump suit and the called card are judged too (slower).
    Raises :class:`engine.solver_position.NotSolvable` where the record leaves open what must be
    known, with the reason in English and Dutch.
    """
    n = len(replay.record.plays)
    positions = [position_from_replay(replay, ply) for ply in range(n + 1)]
    bid = replay.outcome.bid
    assert bid is not None  # position_from_replay has seen to it
    meld = replay.outcome.meld
    terms = Terms.of(bid, meld[0] if meld else 0)
    searches: dict[int, Search] = {}
    notes: list[CardNote] = []
    after = _worth(searches, positions, n, terms.objective)
    result = after
    for ply in range(n - 1, -1, -1):
        note = _note(searches, positions, ply, after, terms, replay)
        notes.append(note)
        after = note.before
    nodes = sum(s.nodes for s in searches.values())
    judged = tuple(_declaration(replay, positions[0], after, terms)) if declaration else ()
    return Annotation(replay, terms, after, result, tuple(reversed(notes)), judged, nodes)


def _search(searches: dict[int, Search], position: Position, first: Position, goal: str) -> Search:
    """One search for each division into sides (it changes where the first trick decides it)."""
    if position.side not in searches:
        world = first if first.side == position.side else position
        searches[position.side] = Search(world, goal)
    return searches[position.side]


def _taken(position: Position, objective: str) -> int:
    return position.points[0] if objective == "points" else 0


def _worth(
    searches: dict[int, Search], positions: list[Position], ply: int, goal: str, guess: int = -1
) -> int:
    position = positions[ply]
    # The earliest position with the same sides: its table serves all that follow.
    first = next(p for p in positions if p.side == position.side)
    search = _search(searches, position, first, goal)
    taken = _taken(position, goal)
    return taken + search.value(position, guess - taken if guess >= 0 else None)


def _note(
    searches: dict[int, Search],
    positions: list[Position],
    ply: int,
    after: int,
    terms: Terms,
    replay: Replay,
) -> CardNote:
    position = positions[ply]
    play = replay.record.plays[ply].card
    seat = replay.seats[ply]
    assert seat is not None  # all hands are known, so is who played what
    side = bool(position.side >> seat & 1)
    values = {play: after}
    regular = seat == position.to_play
    legal = position.legal() if regular else 0
    following = positions[ply + 1]
    if not regular:
        # Out of turn: what the hand was worth is the value for the player whose turn it was.
        before = _worth(searches, positions, ply, terms.objective, after)
        loss = before - after if side else after - before
        return CardNote(
            ply, seat, play, side, values, 0, loss, False, False, False, before, after, terms
        )
    first = next(p for p in positions if p.side == following.side)
    for c in cards_in(legal):
        if c != play:
            then = position.after(c)
            world = first if then.side == first.side else then
            search = _search(searches, then, world, terms.objective)
            taken = _taken(then, terms.objective)
            values[c] = taken + search.value(then, max(after - taken, 0))
    lawful = [values[c] for c in cards_in(legal)]
    maximises = bool(position.side >> seat & 1)
    before = max(lawful) if maximises else min(lawful)
    best = sum(1 << c for c in cards_in(legal) if values[c] == before)
    loss = before - after if side else after - before
    forced = legal.bit_count() == 1 and legal >> play & 1 == 1
    mattered = len(set(lawful)) > 1
    return CardNote(
        ply,
        seat,
        play,
        side,
        values,
        best,
        loss,
        forced,
        mattered,
        bool(legal >> play & 1),
        before,
        after,
        terms,
    )


def _declaration(
    replay: Replay, start: Position, value: int, terms: Terms
) -> Iterator[DeclarationNote]:
    bid = replay.outcome.bid
    assert bid is not None
    choices: list[tuple[Kind, int, dict[int, list[Position]]]] = []
    if replay.has_discard and replay.discard is not None:
        choices.append(("discard", replay.discard, _other_discards(start, replay.discard)))
    if bid.contract.trump and bid.contract.partner != "fourth-ace":
        choices.append(("trump", start.trump, _other_trumps(replay, start, bid)))
    if bid.contract.calls_card and bid.contract.partner != "fourth-ace":
        chosen = -1 if start.called is None else start.called
        choices.append(("called", chosen, _other_calls(replay, start, bid)))
    for kind, chosen, others in choices:
        options: dict[int, int | None] = {chosen: value}
        best = value
        for choice, positions in others.items():
            found = None
            for position in positions:
                search = Search(position, terms.objective)
                # A threshold first: most choices are no better, and that is quickly shown.
                if search.reaches(position, best + 1):
                    found = best = search.value(position, best + 1)
                elif found != best and search.reaches(position, best):
                    found = best
            options[choice] = found
        yield DeclarationNote(kind, chosen, value, best, options, terms)


def _other_discards(start: Position, discard: int) -> dict[int, list[Position]]:
    d = start.declarer
    nine = start.hands[d] | 1 << discard
    return {
        c: [replace(start, hands=_with(start.hands, d, nine & ~(1 << c)))]
        for c in cards_in(start.hands[d])
    }


def _with(hands: tuple[int, int, int, int], seat: int, hand: int) -> tuple[int, int, int, int]:
    out = list(hands)
    out[seat] = hand
    return (out[0], out[1], out[2], out[3])


def called_position(start: Position, called: int | None) -> Position:
    """The position with another card called; ``None``: declarer plays alone."""
    side = 1 << start.declarer
    for s in range(4):
        if called is not None and start.hands[s] >> called & 1:
            side |= 1 << s
    return replace(start, called=called, side=side)


def _other_trumps(replay: Replay, start: Position, bid: Bid) -> dict[int, list[Position]]:
    out: dict[int, list[Position]] = {}
    tables = start.rules.tables
    own = _own(replay, start)
    for t in range(len(SUITS)):
        if t == start.trump:
            continue
        there = replace(start, trump=t)
        if bid.contract.partner == "jas-holder":
            jas = int(tables.jas[t]).bit_length() - 1
            if bid.contract.own_jas == "forbidden" and start.hands[start.declarer] >> jas & 1:
                continue
            out[t] = [called_position(there, jas)]
        elif not bid.contract.calls_card:
            out[t] = [there]
        else:
            allowed = callable_cards(start.rules, bid, own, t)
            if start.called is not None and allowed >> start.called & 1:
                out[t] = [there]
            else:
                out[t] = [called_position(there, c) for c in cards_in(allowed)] or [
                    called_position(there, None)
                ]
    return out


def _own(replay: Replay, start: Position) -> int:
    return start.hands[start.declarer] | (0 if replay.discard is None else 1 << replay.discard)


def _other_calls(replay: Replay, start: Position, bid: Bid) -> dict[int, list[Position]]:
    trump = None if start.trump == NO_TRUMP else start.trump
    allowed = callable_cards(start.rules, bid, _own(replay, start), trump)
    out = {c: [called_position(start, c)] for c in cards_in(allowed) if c != start.called}
    if start.rules.calling.optional and start.called is not None:
        out[-1] = [called_position(start, None)]
    return out


__all__ = [
    "Annotation",
    "CardNote",
    "DeclarationNote",
    "Terms",
    "annotate",
    "called_position",
]
