"""Score sheets without cards: who played what, and what came of it.

One row a hand; columns by English or Dutch names or by ``[columns]`` of a ``--map`` file: date,
hand, declarer, partner, contract, made, points, and scores by seat or by player (a column headed
by the player's name). Sheets name players and no seats: seats are then given by the order of the
player columns, else by the order of first mention, and the record says so (META ``seating``).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.cards import SEATS
from engine.record import HandRecord, Outcome
from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Source, Warn
from parsers.build import HandBuilder, resolve_rules
from parsers.cardtext import (
    CardStyle,
    CardTextError,
    StyleError,
    decide_style,
    is_no_trump,
    is_unknown,
)
from parsers.dates import Dates
from parsers.items import FIELD_WORDS, Names, fold_key
from parsers.mapping import Mapping, mapping_of
from parsers.private import is_private_key
from parsers.rows import Row, RowError, Sheet, head_of, public_text, read_sheet
from parsers.rulechoice import DEFAULT_RULES
from parsers.text import read_texts
from parsers.words import (
    CALL_EXPECTED,
    CallTextError,
    SeatBook,
    call_text,
    compass,
    fold,
    outcome_word,
)

_SEAT_FIELDS = ("north", "east", "south", "west")
_TOTALS = {"totaal", "total", "totals", "totalen", "som", "stand", "eindstand", "sum"}
_ALONE = {"", "-", "geen", "none", "alleen", "alone", "solo"}


class ScoresheetParser:
    """Reads score sheets."""

    name = "scoresheet"

    def recognise(self, text: str, name: str) -> bool:
        """A table with declarer or contract, an outcome or score, and no events or cards."""
        return self.recognise_with(text, name, Options())

    def recognise_with(self, text: str, name: str, options: Options) -> bool:
        """The same, with the columns of a ``--map`` file."""
        if text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "<")) or head_of(text) is None:
            return False
        names = Names(mapping_of(options.mapping))
        try:
            sheet = read_sheet(text[:100_000])
        except RowError:
            return False
        if sheet.has(names, "card") or not sheet.rows:
            return False
        told = sheet.has(names, "outcome") or sheet.has(names, "score")
        told = told or len(_player_columns(sheet, names)) == 4 or _seats(sheet, names) == 4
        who = sheet.has(names, "declarer")
        what = sheet.has(names, "contract") or sheet.has(names, "bid")
        return (who and (what or told)) or (what and told)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_texts(sources, options, self.name, read_scoresheet)


class _RowFault(ValueError):
    def __init__(self, token: str, expected: str) -> None:
        super().__init__(expected)
        self.token = token
        self.expected = expected


def read_scoresheet(text: str, source: str, options: Options) -> ParseResult:
    """Hands of one score sheet."""
    result = ParseResult()
    mapping = mapping_of(options.mapping)
    names = Names(mapping)
    try:
        sheet = read_sheet(text)
    except RowError as e:
        result.rejects.append(Reject(source, e.line, 1, "", str(e), public_text(text)))
        return result
    if not sheet.has(names, "declarer") and not sheet.has(names, "contract"):
        result.rejects.append(
            Reject(
                source,
                sheet.head_line,
                1,
                ", ".join(sheet.columns)[:60],
                "columns for declarer and contract; name them under [columns] in a --map file",
                public_text(text),
            )
        )
        return result
    reader = _Reader(sheet, names, mapping, options)
    if reader.dates.assumed:
        result.warnings.append(
            Warn(source, sheet.head_line, "dates are read with the day first, then the month")
        )
    for row in sheet.rows:
        raw = f"{sheet.head_raw}\n{row.raw}"
        try:
            if fold(next(iter(row.cells.values()), "")) in _TOTALS:
                result.warnings.append(Warn(source, row.line, "a row of totals: passed over"))
                continue
            found = reader.hand(row)
        except _RowFault as e:
            result.rejects.append(Reject(source, row.line, 1, e.token, e.expected, raw))
            continue
        except RuleSetError as e:
            result.rejects.append(Reject(source, row.line, 1, "", str(e), raw, "unknown-rules"))
            continue
        if found is None:
            result.empty += 1
            continue
        record, warnings = found
        result.hands.append(Located(record, source, row.line, raw, tuple(warnings)))
    unnamed = next((h.line for h in result.hands if h.record.rules is None), None)
    if unnamed is not None:
        result.warnings.append(Warn(source, unnamed, DEFAULT_RULES))
    return result


def _seats(sheet: Sheet, names: Names) -> int:
    return sum(sheet.has(names, s) for s in _SEAT_FIELDS)


def _player_columns(sheet: Sheet, names: Names) -> list[str]:
    """Folded names of the columns that are headed by a player: unknown to us, all numbers."""
    known = {fold_key(w) for words in FIELD_WORDS.values() for w in words}
    for name in FIELD_WORDS:
        known.update(names.of(name))
    out = []
    for column in sheet.folded:
        if not column or column in known or is_private_key(column):
            continue
        cells = [r.cells.get(column, "") for r in sheet.rows]
        if any(cells) and all(c == "" or _whole(c) is not None for c in cells):
            out.append(column)
    return out


def _whole(text: str) -> int | None:
    plain = text.strip().replace("−", "-").replace("–", "-")
    plain = plain.removesuffix(",0").removesuffix(".0").removesuffix(",00").removesuffix(".00")
    if not plain.isascii() or not plain.lstrip("+-").isdigit() or len(plain) > 7:
        return None
    return int(plain) if plain.count("-") + plain.count("+") <= 1 else None


@dataclass(slots=True)
class _Reader:
    sheet: Sheet
    names: Names
    mapping: Mapping
    options: Options
    book: SeatBook = field(init=False)
    players: dict[str, str] = field(init=False)
    assumed: bool = False
    dates: Dates = field(init=False)
    style: CardStyle | None = None

    def __post_init__(self) -> None:
        sheet, names = self.sheet, self.names
        self.dates = Dates([r.get(names, "time") for r in sheet.rows])
        self.book = self.mapping.seat_book()
        columns = _player_columns(sheet, names)
        headed = {fold_key(c): c for c in sheet.columns}
        self.players = {c: headed[c] for c in columns} if len(columns) == 4 else {}
        for i, name in enumerate(self.players.values()):
            if self.book.find(name) is None:
                self.book.learn(name, i)
                self.assumed = True
        if not self.players and _seats(sheet, names) < 4:
            self._seat_by_mention()

    def _seat_by_mention(self) -> None:
        """Four names in all: they sit in the order in which the sheet first mentions them."""
        seen: dict[str, None] = {}
        for row in self.sheet.rows:
            for name in ("declarer", "partner"):
                value = row.get(self.names, name)
                if fold(value) not in _ALONE and self.book.find(value) is None:
                    seen.setdefault(value)
        free = [s for s in range(4) if s not in self.book.names.values()]
        if 0 < len(seen) <= len(free):
            self.assumed = True
            for seat, name in zip(free, seen):
                self.book.learn(name, seat)

    def hand(self, row: Row) -> tuple[HandRecord, list[str]] | None:
        """Record and warnings of one row, ``None`` for a row without contract and outcome."""
        get = self._getter(row)
        word, made = get("contract") or get("bid"), get("outcome")
        if not word and not made and not any(row.cells.get(c) for c in self.players):
            return None
        rules = resolve_rules(get("rules") or None, self.options)
        builder = HandBuilder()
        book = SeatBook(self.book.order, self.book.base, dict(self.book.names))
        self._people(row, book, builder)
        declarer = self._declarer(get("declarer"), book, builder)
        partner = self._partner(get("partner"), declarer, book, builder)
        outcome = self._outcome(made)
        contract = self._contract(word, get("points"))
        if contract == "-":
            if outcome not in (None, "void"):
                raise _RowFault(made, "no outcome beside a hand that was passed out")
            outcome = "void"
        else:
            builder.contract(declarer, contract)
        builder.result(outcome=outcome, partner=partner)
        self._points(get("points"), contract, builder)
        self._scores(row, book, builder)
        self._declaration(get("trump"), get("called"), declarer, builder)
        date = get("time")
        builder.date(self.dates.iso(date) or date)
        for key in ("hand", "session", "site", "id"):
            builder.meta(key, get(key))
        if not get("session"):
            builder.meta("session", get("game"))
        dealer = get("dealer")
        if dealer:
            builder.dealer(self._seat(dealer, book))
        if self.assumed:
            builder.meta("seating", "assumed")
            builder.warn("the sheet names players and no seats: the seats are assumed")
        return builder.build(rules), builder.warnings

    def _getter(self, row: Row) -> Callable[[str], str]:
        return lambda name: row.get(self.names, name)

    def _people(self, row: Row, book: SeatBook, builder: HandBuilder) -> None:
        """Names in the seat columns of the row, else the players of the sheet."""
        told = False
        for seat, name in enumerate(_SEAT_FIELDS):
            value = row.get(self.names, name)
            if value and _whole(value) is None and compass(value) is None:
                told = True
                builder.name(seat, value)
                book.learn(value, seat)
        if told:
            return
        for value, seat in self.book.names.items():
            shown = next((p for p in self._shown() if p.strip().casefold() == value), value)
            builder.name(seat, shown)

    def _shown(self) -> list[str]:
        """Names as the sheet writes them."""
        out = [*self.players.values(), *self.mapping.seats.names]
        for row in self.sheet.rows:
            out += [row.get(self.names, "declarer"), row.get(self.names, "partner")]
        return out

    def _seat(self, value: str, book: SeatBook) -> int:
        found = book.find(value)
        if found is None:
            known = ", ".join(book.names) or "N E S W"
            raise _RowFault(value, f"a player or seat of this sheet ({known})")
        return found

    def _declarer(self, value: str, book: SeatBook, builder: HandBuilder) -> int | None:
        if is_unknown(value):
            return None
        return self._find_or_seat(value, book, builder, 0)

    def _find_or_seat(self, value: str, book: SeatBook, builder: HandBuilder, wanted: int) -> int:
        """The seat of a player; one that the sheet does not place takes the first free seat."""
        found = book.find(value)
        if found is not None:
            return found
        if self.players or _seats(self.sheet, self.names) == 4:
            return self._seat(value, book)
        taken = set(book.names.values())
        seat = wanted if wanted not in taken else min(set(range(4)) - taken, default=-1)
        if seat < 0:
            raise _RowFault(value, f"one of the four players {', '.join(book.names)}")
        self.assumed = True
        book.learn(value, seat)
        builder.name(seat, value)
        return seat

    def _partner(
        self, value: str, declarer: int | None, book: SeatBook, builder: HandBuilder
    ) -> int | None:
        column = self.sheet.has(self.names, "partner")
        if not column or value in ("", "?"):
            return None
        if fold(value) in _ALONE:
            return -1
        seat = self._find_or_seat(value, book, builder, ((declarer or 0) + 2) % 4)
        if seat == declarer:
            raise _RowFault(value, "a partner other than declarer himself")
        return seat

    def _outcome(self, word: str) -> Outcome | None:
        if not word or is_unknown(word):
            return None
        found = outcome_word(word, self.mapping.results)
        if found is None:
            raise _RowFault(word, "made, lost or void (yours go under [results] in a --map file)")
        return found

    def _contract(self, word: str, points: str) -> str | None:
        if not word or is_unknown(word):
            return None
        try:
            return call_text(word, _whole(points), self.mapping.calls)
        except CallTextError:
            raise _RowFault(word, CALL_EXPECTED) from None

    def _points(self, text: str, contract: str | None, builder: HandBuilder) -> None:
        if not text or text == contract:
            return
        pair = re.fullmatch(r"(\d{1,3})\s*[-–:/]\s*(\d{1,3})", text)
        if pair:
            builder.result(points=(int(pair[1]), int(pair[2])))
        elif _whole(text) is not None:
            builder.meta("server_points", _whole(text))
        else:
            raise _RowFault(text, "points, as a number or as 132-14")

    def _scores(self, row: Row, book: SeatBook, builder: HandBuilder) -> None:
        scores: dict[int, int] = {}
        for column, name in self.players.items():
            value = row.cells.get(column, "")
            seat, number = book.find(name), _whole(value)
            if seat is not None and number is not None:  # a blank cell is not a zero
                scores[seat] = number
        for seat, name in enumerate(_SEAT_FIELDS):
            value = row.get(self.names, name)
            number = _whole(value)
            if number is not None:
                scores[seat] = number
        if len(scores) == 4:
            builder.result(score=tuple(scores[s] for s in range(4)))
        else:
            for seat in sorted(scores):
                builder.meta(f"score_{SEATS[seat].lower()}", scores[seat])
        for key, name in (("score_declarer", "score_declarer"), ("score_declarer", "score"),
                          ("score_partner", "score_partner")):  # fmt: skip
            value = row.get(self.names, name)
            if value and _whole(value) is None:
                raise _RowFault(value, "a score, as a whole number")
            if value:
                builder.meta(key, _whole(value))

    def _declaration(
        self, trump: str, called: str, declarer: int | None, builder: HandBuilder
    ) -> None:
        if not trump and not called:
            return
        try:
            style = self._style()
            suit = None
            if trump and not is_unknown(trump):
                suit = "-" if is_no_trump(trump) else style.suit(trump)
            card = None
            if called and not is_unknown(called):
                card = "-" if fold(called) in _ALONE else style.card(called)
        except CardTextError:
            raise _RowFault(trump or called, "a trump suit and a called card") from None
        except StyleError as e:
            raise _RowFault(trump or called, f"cards of one way of writing: {e}") from None
        builder.declare(declarer, suit, card)

    def _style(self) -> CardStyle:
        """The card style of the sheet, settled by all its trumps and called cards."""
        if self.style is None:
            cards = self.mapping.cards
            called = [r.get(self.names, "called") for r in self.sheet.rows]
            trumps = [r.get(self.names, "trump") for r in self.sheet.rows]
            self.style = decide_style(
                called, trumps, cards.language, cards.order, cards.suits, cards.ranks
            )
        return self.style
