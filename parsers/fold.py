"""Items of a generic log become hands: seats and card style settled per file, events folded."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from engine.cards import SEATS
from engine.record import HandRecord
from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Warn
from parsers.build import BuildError, HandBuilder, resolve_rules
from parsers.cardtext import (
    EXPECTED,
    CardStyle,
    CardTextError,
    Language,
    StyleError,
    decide_style,
    is_no_trump,
    is_unknown,
    split_cards,
)
from parsers.items import Group, Item, cut_groups
from parsers.mapping import Mapping, mapping_of
from parsers.private import is_email
from parsers.words import CallTextError, SeatBook, SeatError, call_text, compass, outcome_word

_CARD_FIELDS = ("card", "cards", "hands", "middle", "called", "discard")
_SEAT_FIELDS = ("seat", "winner", "dealer", "leader", "declarer", "partner")
_LANGUAGES: dict[str, Language] = {
    "en": "en", "english": "en", "engels": "en", "nl": "nl", "dutch": "nl", "nederlands": "nl",
}  # fmt: skip


class ItemError(ValueError):
    """One item that cannot be read: where it stands, what was found, what was expected."""

    def __init__(self, item: Item, token: object, expected: str) -> None:
        super().__init__(expected)
        self.line = item.line
        self.token = str(token)[:80]
        self.expected = expected


@dataclass(slots=True)
class Folder:
    """Reads the items of one file.

    ``source`` is its name; ``head`` what a header line or the document says of all hands, and
    ``head_raw`` its text, which goes before the raw text of each hand so that it can be read
    again by itself.
    """

    source: str
    options: Options
    head: dict[str, Any] = field(default_factory=dict)
    head_raw: str = ""
    mapping: Mapping = field(init=False)
    style: CardStyle = field(init=False)
    book: SeatBook = field(init=False)

    def __post_init__(self) -> None:
        self.mapping = mapping_of(self.options.mapping)
        self.style = CardStyle()
        self.book = self.mapping.seat_book()

    def read(self, items: Iterable[Item], finish: Callable[[list[Group]], None]) -> ParseResult:
        """All hands of the file. ``finish`` may mark groups that a broken line cut or spoilt."""
        result = ParseResult()
        everything = list(items)
        groups = cut_groups(everything, self.head, self.head_raw)
        finish(groups)
        if not everything:
            return result
        try:
            self.style = self._style(everything)
            if self.mapping.seats.first is None:
                self.book.see_numbers(_seat_values(everything, self.head))
        except (StyleError, SeatError) as e:
            first = everything[0].line
            raw = "\n".join(i.raw for i in everything)
            result.rejects.append(Reject(self.source, first, 1, "", str(e), raw, "ambiguous"))
            return result
        self._note_unknown(everything, result)
        for group in groups:
            self._one(group, result)
        return result

    def _style(self, items: list[Item]) -> CardStyle:
        texts: list[str] = []
        suits: list[str] = []
        for item in items:
            for name in _CARD_FIELDS:
                texts += _texts(item.get(name))
            trump = item.text("trump")
            if trump is not None and item.kind == "declare":
                suits.append(trump)
        cards = self.mapping.cards
        said = self.head.get("cards")
        language = cards.language or (
            _LANGUAGES.get(said.strip().lower()) if isinstance(said, str) else None
        )
        return decide_style(texts, suits, language, cards.order, cards.suits, cards.ranks)

    def _note_unknown(self, items: list[Item], result: ParseResult) -> None:
        unknown: dict[str, tuple[int, int]] = {}
        for item in items:
            if not item.kind:
                line, n = unknown.get(item.word, (item.line, 0))
                unknown[item.word] = (line, n + 1)
        for word, (line, n) in unknown.items():
            what = f"the event {word[:40]!r} is" if word else "an entry without a kind of event is"
            result.warnings.append(
                Warn(
                    self.source,
                    line,
                    f"{what} not known and was not read ({n} time(s)); "
                    "name it under [moves] in a --map file",
                )
            )

    def _one(self, group: Group, result: ParseResult) -> None:
        line = group.items[0].line
        lines = [group.head_raw, *(i.raw for i in group.items)]
        raw = "\n".join(dict.fromkeys(t for t in lines if t))
        try:
            if group.error is not None:
                where, column, token, expected = group.error
                result.rejects.append(Reject(self.source, where, column, token, expected, raw))
                return
            builder = HandBuilder()
            record = self._hand(group, builder)
        except ItemError as e:
            result.rejects.append(Reject(self.source, e.line, 1, e.token, e.expected, raw))
            return
        except RuleSetError as e:
            result.rejects.append(Reject(self.source, line, 1, "", str(e), raw, "unknown-rules"))
            return
        except BuildError as e:
            result.rejects.append(Reject(self.source, line, 1, "", str(e), raw))
            return
        if record is None:
            result.empty += 1
            return
        if group.cut:
            builder.warn(group.cut)
        result.hands.append(Located(record, self.source, line, raw, tuple(builder.warnings)))

    def _hand(self, group: Group, builder: HandBuilder) -> HandRecord | None:
        named = group.head.get("rules")
        for item in group.items:
            named = item.text("rules") or named
        rules = resolve_rules(named if isinstance(named, str) else None, self.options)
        book = SeatBook(self.book.order, self.book.base, dict(self.book.names))
        self._people(group, book, builder)
        self._where(group, builder)
        reader = _Reader(self, book, builder)
        for item in group.items:
            reader.item(item)
        reader.finish()
        return None if builder.is_empty() else builder.build(rules)

    def _people(self, group: Group, book: SeatBook, builder: HandBuilder) -> None:
        """Names of the players, and seats for logs that name players and no seats."""
        for seat, name in _players(group.head.get("players") or group.head.get("spelers"), book):
            builder.name(seat, name)
            if not is_email(name):
                book.learn(name, seat)
        nameless: dict[str, None] = {}
        for item in group.items:
            shown = item.text("player")
            value = item.get("seat")
            if shown is None or isinstance(value, (dict, list)):
                continue
            found = book.find(value)
            if found is not None and str(value) != shown and compass(shown) is None:
                builder.name(found, shown)
                if not is_email(shown):
                    book.learn(shown, found)
            elif found is None and value is not None and item.kind in ("hand", "call", "pass"):
                nameless.setdefault(str(value).strip())
        if not nameless:
            for item in group.items:
                value = item.get("seat")
                if isinstance(value, str) and item.kind == "play" and book.find(value) is None:
                    nameless.setdefault(value.strip())
        free = [s for s in range(4) if s not in book.names.values()]
        if nameless and len(nameless) <= len(free):
            # Hands are dealt, and calls and cards come, clockwise.
            for seat, shown in zip(free, nameless):
                book.learn(shown, seat)
            order = ", ".join(nameless)
            builder.warn(f"no seats in the log: seated in the order of first mention ({order})")
            self.book.names.update(book.names)
            for name in nameless:
                builder.name(book.seat(name), name)

    def _where(self, group: Group, builder: HandBuilder) -> None:
        head = group.head
        first = group.items[0]

        def of(*names: str) -> str | None:
            for name in names:
                for item in group.items[:1]:
                    if item.text(name) is not None:
                        return item.text(name)
                value = head.get(name)
                if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
                    return str(value)
            return None

        builder.meta("id", first.text("id") if first.kind == "deal" else None)
        dated = (i.text("time") for i in group.items)
        builder.date(next((d for d in dated if d), None) or of("date", "time"))
        builder.meta("site", of("site", "server"))
        builder.meta("event", head.get("event") if isinstance(head.get("event"), str) else None)
        builder.meta("session", of("session", "game", "table"))
        builder.meta("hand", group.key[1] if group.key else of("hand"))


def _players(value: object, book: SeatBook) -> list[tuple[int, str]]:
    """Seats and names of a ``players`` field: objects, plain names, or seat → name."""
    out: list[tuple[int, str]] = []
    if isinstance(value, dict):
        pairs: list[tuple[object, object]] = list(value.items())
    elif isinstance(value, list):
        pairs = []
        for i, entry in enumerate(value[:8]):
            if isinstance(entry, dict):
                lower = {str(k).lower(): v for k, v in entry.items()}
                pairs.append((lower.get("seat", i + book.base), lower.get("name")))
            else:
                pairs.append((i + book.base, entry))
    else:
        return out
    for seat, name in pairs:
        found = book.find(seat)
        if isinstance(name, dict):
            name = name.get("name")
        if found is not None and isinstance(name, str) and name.strip():
            out.append((found, name.strip()))
    return out


def _texts(value: object) -> list[str]:
    """All card texts in a field: a text, a list of texts, lists of lists."""
    if isinstance(value, str):
        return split_cards(value) if len(value) < 400 else []
    if isinstance(value, int) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, list):
        return [t for v in value[:64] for t in _texts(v)]
    if isinstance(value, dict):
        return [t for v in list(value.values())[:64] for t in _texts(v)]
    return []


def _seat_values(items: list[Item], head: dict[str, Any]) -> list[object]:
    out: list[object] = []
    for item in items:
        out += [item.text(name) for name in _SEAT_FIELDS]
    players = head.get("players")
    if isinstance(players, list):
        out += [str(p["seat"]) for p in players if isinstance(p, dict) and "seat" in p]
    return [v for v in out if v is not None]


class _Reader:
    """Feeds the items of one hand to its builder."""

    def __init__(self, folder: Folder, book: SeatBook, builder: HandBuilder) -> None:
        self.style = folder.style
        self.mapping = folder.mapping
        self.book = book
        self.builder = builder
        self.scores: dict[int, int] = {}

    def item(self, item: Item) -> None:
        method = getattr(self, f"_{item.kind}", None)
        if method is not None:
            method(item)

    # --- fields ------------------------------------------------------------------------------

    def seat(self, item: Item, name: str = "seat") -> int | None:
        value = item.get(name)
        if value is None:
            return None
        try:
            return self.book.seat(value)
        except SeatError as e:
            raise ItemError(item, value, str(e)) from None

    def card(self, item: Item, text: object) -> int | None:
        """A card, ``None`` where the log does not show it."""
        if text is None or (isinstance(text, str) and is_unknown(text)):
            return None
        if not isinstance(text, (str, int)) or isinstance(text, bool):
            raise ItemError(item, text, EXPECTED)
        try:
            return self.style.card("".join(split_cards(str(text))))
        except CardTextError as e:
            raise ItemError(item, text, str(e)) from None

    def cards(self, item: Item, value: object) -> list[int | None]:
        if value is None:
            return []
        if isinstance(value, str):
            return [self.card(item, t) for t in split_cards(value)]
        if isinstance(value, list) and len(value) <= 40:
            return [self.card(item, t) for t in value]
        raise ItemError(item, value, "the cards of a hand")

    def number(self, item: Item, name: str) -> int | None:
        value = item.get(name)
        if value is None:
            return None
        return self._int(item, value)

    def _int(self, item: Item, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1_000_000:
            return value
        if isinstance(value, float) and value.is_integer() and abs(value) < 1_000_000:
            return int(value)
        if isinstance(value, str):
            text = value.strip().replace("−", "-").removesuffix(".0").removesuffix(",0")
            if text.lstrip("+-").isdecimal() and text.isascii() and len(text) <= 7:
                try:
                    return int(text)
                except ValueError:
                    pass
        raise ItemError(item, value, "a whole number")

    # --- events ------------------------------------------------------------------------------

    def _deal(self, item: Item) -> None:
        self.builder.dealer(self.seat(item, "dealer"))
        hands = item.get("hands") or (item.get("cards") if item.get("seat") is None else None)
        if isinstance(hands, dict):
            for key, value in hands.items():
                found = self.book.find(key)
                if found is None:
                    raise ItemError(item, key, "the seat of a hand")
                self.builder.hand(found, self.cards(item, value))
        elif isinstance(hands, list):
            if len(hands) != 4:
                raise ItemError(item, f"{len(hands)} hands", "four hands, in the order of seats")
            for i, value in enumerate(hands):
                self.builder.hand(self.book.order[i], self.cards(item, value))
        elif hands is not None:
            raise ItemError(item, hands, "four hands, in the order of seats")
        self.builder.middle(self.card(item, item.get("middle")))
        for name, seat in (("north", 0), ("east", 1), ("south", 2), ("west", 3)):
            if name in item.fields and isinstance(item.fields[name], (str, list)):
                self.builder.hand(seat, self.cards(item, item.fields[name]))

    def _hand(self, item: Item) -> None:
        seat = self.seat(item)
        if seat is None:
            raise ItemError(item, "", "the seat of this hand")
        value = item.get("card") if isinstance(item.get("card"), (str, list)) else None
        self.builder.hand(seat, self.cards(item, value or item.get("cards")))
        extra = item.text("extra")
        if item.get("dealer") is True or (extra or "").lower() in ("dealer", "gever"):
            self.builder.dealer(seat)
        elif item.get("dealer") is not None:
            self.builder.dealer(self.seat(item, "dealer"))

    def _middle(self, item: Item) -> None:
        self.builder.middle(self.card(item, item.get("card") or item.get("middle")))

    def _call(self, item: Item) -> None:
        word = item.text("bid") or ""
        points = self.number(item, "points") if item.has("points") else None
        if not word and points is None:
            raise ItemError(item, "", "a call: pass, a number or a contract")
        try:
            text = call_text(word, points, self.mapping.calls)
        except CallTextError as e:
            raise ItemError(item, word, str(e)) from None
        self.builder.call(text, self.seat(item))

    def _pass(self, item: Item) -> None:
        self.builder.call("-", self.seat(item))

    def _discard(self, item: Item) -> None:
        value = item.get("card") or item.get("discard")
        none = isinstance(value, str) and value.strip() == "-"
        self.builder.discard("-" if none else self.card(item, value), self.seat(item))

    def _declare(self, item: Item) -> None:
        seat = self.seat(item)
        seat = self.seat(item, "declarer") if seat is None else seat
        trump: int | str | None = None
        text = item.text("trump")
        if text is not None and is_no_trump(text):
            trump = "-"
        elif text is not None and not is_unknown(text):
            try:
                trump = self.style.suit(text)
            except CardTextError as e:
                raise ItemError(item, text, str(e)) from None
        value = item.get("called")
        none = isinstance(value, str) and is_no_trump(value)
        called = "-" if none else self.card(item, value)
        self.builder.declare(seat, trump, called)
        if item.get("discard") is not None:
            self.builder.discard(self.card(item, item.get("discard")), seat)
        word = item.text("contract")
        if item.word and not word and item.text("points"):
            word = item.text("points")
        if word and item.get("called") != word:
            try:
                contract = call_text(word, self._maybe(item, "points"), self.mapping.calls)
            except CallTextError as e:
                raise ItemError(item, word, str(e)) from None
            self.builder.contract(seat, contract)
        elif seat is not None and not self.builder.calls:
            self.builder.contract(seat, None)

    def _maybe(self, item: Item, name: str) -> int | None:
        return self.number(item, name) if item.has(name) else None

    def _play(self, item: Item) -> None:
        value = item.get("card")
        if isinstance(value, list):
            value = value[0] if len(value) == 1 else str(value)
        if value is None and not item.has("card"):
            raise ItemError(item, "", EXPECTED)
        self.builder.play(self.card(item, value), self.seat(item))

    def _trick(self, item: Item) -> None:
        self.builder.trick(self.seat(item, "winner"))

    def _undo(self, item: Item) -> None:
        self.builder.undo(self.seat(item))

    def _claim(self, item: Item) -> None:
        kind = (item.text("kind") or "").lower()
        if kind not in ("roem", "deny", "stuk", "show", "run", "set"):
            raise ItemError(item, kind, "an announcement: roem, deny, stuk, show, run or set")
        self._announce(item, kind)

    def _announce(self, item: Item, kind: str) -> None:
        seat = self.seat(item)
        if seat is None:
            raise ItemError(item, kind, "the seat that announces")
        value = self.number(item, "value") if kind == "roem" else None
        if kind == "roem" and (value is None or value < 0):
            raise ItemError(item, value, "the value of the roem")
        cards = [c for c in self.cards(item, item.get("cards")) if c is not None]
        if kind in ("roem", "deny", "stuk"):
            cards = []
        elif not cards:
            raise ItemError(item, kind, "the cards that are shown")
        self.builder.claim(seat, kind, value, cards)  # type: ignore[arg-type]

    def _roem(self, item: Item) -> None:
        self._announce(item, "roem")

    def _deny(self, item: Item) -> None:
        self._announce(item, "deny")

    def _stuk(self, item: Item) -> None:
        self._announce(item, "stuk")

    def _show(self, item: Item) -> None:
        self._announce(item, "show")

    def _run(self, item: Item) -> None:
        self._announce(item, "run")

    def _set(self, item: Item) -> None:
        self._announce(item, "set")

    def _result(self, item: Item) -> None:
        seat = self.seat(item)
        for name in ("outcome", "extra"):
            value = item.get(name)
            if isinstance(value, bool):
                self.builder.result(outcome="made" if value else "lost")
            elif isinstance(value, str):
                word = outcome_word(value, self.mapping.results)
                if word is not None:
                    self.builder.result(outcome=word)
                elif name == "outcome":
                    raise ItemError(item, value, "made, lost or void (see [results] in --map)")
        points = item.get("points")
        if isinstance(points, list):
            self.builder.result(points=self._pair(item, points))
        elif points is not None and seat is not None:
            self._score(item, seat, self._int(item, points))
        elif points is not None:
            self.builder.meta("server_points", self._int(item, points))
        tricks = item.get("tricks")
        if isinstance(tricks, list):
            self.builder.result(tricks=self._pair(item, tricks))
        score = item.get("score")
        if isinstance(score, list) and len(score) == 4:
            for i, value in enumerate(score):
                self._score(item, self.book.order[i], self._int(item, value))
        elif isinstance(score, dict):
            for key, value in score.items():
                found = self.book.find(key)
                if found is None:
                    raise ItemError(item, key, "a seat")
                self._score(item, found, self._int(item, value))
        elif score is not None and seat is not None:
            self._score(item, seat, self._int(item, score))
        elif score is not None:
            raise ItemError(item, score, "four scores in the order of seats")
        if item.get("partner") is not None:
            partner = item.text("partner")
            alone = partner is not None and is_no_trump(partner)
            self.builder.result(partner=-1 if alone else self.seat(item, "partner"))
        if item.get("conceded") is not None:
            self.builder.result(conceded=self.number(item, "conceded"))

    def _pair(self, item: Item, value: list[object]) -> tuple[int, int]:
        if len(value) != 2:
            raise ItemError(item, value, "two numbers: declarer's side and the defenders")
        return self._int(item, value[0]), self._int(item, value[1])

    def _score(self, item: Item, seat: int, value: int) -> None:
        old = self.scores.setdefault(seat, value)
        if old != value:
            self.builder.warn(f"the log gives {SEATS[seat]} two scores, {old} and {value}")

    def finish(self) -> None:
        """After the last item: a score is kept when it is known for all four."""
        if len(self.scores) == 4:
            self.builder.result(score=tuple(self.scores[s] for s in range(4)))
        elif self.scores:
            for seat, value in self.scores.items():
                self.builder.meta(f"score_{SEATS[seat].lower()}", value)
