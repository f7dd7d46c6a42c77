"""One item of a generic log after the other into the builder of its hand."""

from engine.cards import SEATS
from parsers.build import HandBuilder
from parsers.cardtext import (
    EXPECTED,
    CardStyle,
    CardTextError,
    is_no_trump,
    is_unknown,
    split_cards,
)
from parsers.items import Item
from parsers.mapping import Mapping
from parsers.words import (
    CALL_EXPECTED,
    CallTextError,
    SeatBook,
    SeatError,
    call_text,
    outcome_word,
)

FLEMISH = (
    "33 cards, 8 a hand; 12 a hand are those of Flemish Pandoer (48 cards from a double pack, two "
    "teams), which is another game"
)


def _list(value: object) -> list[object]:
    if isinstance(value, str):
        return list(split_cards(value))
    return value if isinstance(value, list) else []


class ItemError(ValueError):
    """One item that cannot be read: where it stands, what was found, what was expected."""

    def __init__(self, item: Item, token: object, expected: str) -> None:
        super().__init__(expected)
        self.line = item.line
        self.token = str(token)[:80]
        self.expected = expected


class ItemReader:
    """Feeds the items of one hand to its builder."""

    def __init__(
        self, style: CardStyle, mapping: Mapping, book: SeatBook, builder: HandBuilder
    ) -> None:
        self.style = style
        self.mapping = mapping
        self.book = book
        self.builder = builder
        self.scores: dict[int, int] = {}

    def item(self, item: Item) -> None:
        """One item; raises :class:`ItemError`."""
        method = getattr(self, f"_{item.kind}", None)
        if method is not None:
            method(item)

    # --- fields ------------------------------------------------------------------------------

    def seat(self, item: Item, name: str = "seat") -> int | None:
        """A seat field, ``None`` if it is not there."""
        value = item.get(name)
        if value is None:
            return None
        try:
            return self.book.seat(value)
        except SeatError:
            raise ItemError(item, value, self.book.expected) from None

    def card(self, item: Item, text: object) -> int | None:
        """A card, ``None`` where the log does not show it."""
        if text is None or (isinstance(text, str) and is_unknown(text)):
            return None
        if not isinstance(text, (str, int)) or isinstance(text, bool):
            raise ItemError(item, text, EXPECTED)
        try:
            return self.style.card("".join(split_cards(str(text))))
        except CardTextError:
            raise ItemError(item, text, f"{EXPECTED} ({self.style.label})") from None

    def cards(self, item: Item, value: object) -> list[int | None]:
        """The cards of a list or a text."""
        if value is None:
            return []
        if isinstance(value, str):
            return [self.card(item, t) for t in split_cards(value)]
        if isinstance(value, list) and len(value) <= 40:
            return [self.card(item, t) for t in value]
        raise ItemError(item, value, "the cards of a hand")

    def number(self, item: Item, name: str) -> int | None:
        """A whole number, ``None`` if it is not there."""
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
            if all(isinstance(h, (list, str)) and len(_list(h)) == 12 for h in hands):
                raise ItemError(item, "four hands of 12 cards", FLEMISH)
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
        except CallTextError:
            raise ItemError(item, word, CALL_EXPECTED) from None
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
            except CardTextError:
                raise ItemError(item, text, f"a trump suit ({self.style.label})") from None
        value = item.get("called")
        none = isinstance(value, str) and is_no_trump(value)
        called = "-" if none else self.card(item, value)
        self.builder.declare(seat, trump, called)
        if item.get("discard") is not None:
            self.builder.discard(self.card(item, item.get("discard")), seat)
        word = item.text("contract")
        if item.word and not word and item.text("points"):
            word = item.text("points")
        if word and is_unknown(word):
            self.builder.contract(seat, None)
        elif word and item.get("called") != word:
            try:
                contract = call_text(word, self._maybe(item, "points"), self.mapping.calls)
            except CallTextError:
                raise ItemError(item, word, CALL_EXPECTED) from None
            if contract == "-":
                raise ItemError(item, word, "a contract; who declares has not passed")
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
        elif kind == "show" and len(cards) > 1:
            raise ItemError(item, item.get("cards"), "one card that is shown (his lowest)")
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
