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
from parsers.dates import DAY_FIRST, Dates, clock_text, day_and_clock
from parsers.dates import EXPECTED as DATE_EXPECTED
from parsers.items import Names
from parsers.mapping import Mapping, mapping_of
from parsers.rows import Row, RowError, Sheet, head_of, public_text
from parsers.rulechoice import DEFAULT_RULES
from parsers.sheetcells import Amounts, Ticks, bid_and_suit, is_tick, two_names
from parsers.sheetlayout import Block, lay_out, player_columns, rows_of
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
_ALONE = {"", "-", "geen", "none", "alleen", "alone", "solo"}


BY_MAP = "name it under [columns] in a --map file"
MAX_NOTES = 20
SCORE = "a score, as a whole number or an amount of euros such as 0,05"


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
            blocks = lay_out(text[:100_000], names)
        except RowError:
            return False
        return any(_tells(block.sheet, names) for block in blocks)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_texts(sources, options, self.name, read_scoresheet)


_whole = Amounts(euros=False).number


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
        blocks = lay_out(text, names)
    except RowError as e:
        result.rejects.append(Reject(source, e.line, 1, "", str(e), public_text(text)))
        return result
    dates = Dates(_days(blocks, names), mapping.dates.order)
    if dates.assumed:
        result.warnings.append(Warn(source, blocks[0].sheet.head_line, DAY_FIRST))
    for block in blocks:
        block.deciding = dates.deciding if dates.month_first and not mapping.dates.order else ""
        sheet = block.sheet
        if not any(sheet.has(names, name) for name in ("declarer", "contract", "bid")):
            found = ", ".join(sheet.columns)[:60]
            expected = f"columns for declarer and contract; {BY_MAP}"
            result.rejects.append(
                Reject(source, sheet.head_line, 1, found, expected, public_text(text))
            )
            continue
        for line, note in block.notes[:MAX_NOTES]:
            result.warnings.append(Warn(source, line, note))
        for title in block.unread[:MAX_NOTES]:
            told = f"the column {title[:40]!r} is not known and was not read; {BY_MAP}"
            result.warnings.append(Warn(source, sheet.head_line, told))
        _read_block(block, _Reader(sheet, names, mapping, dates, options), source, result)
    unnamed = next((h.line for h in result.hands if h.record.rules is None), None)
    if unnamed is not None:
        result.warnings.append(Warn(source, unnamed, DEFAULT_RULES))
    return result


def _days(blocks: Sequence[Block], names: Names) -> list[str]:
    """The texts of all dates of a file."""
    days = [d for block in blocks for d in block.dates]
    rows = (row for _, row in rows_of(list(blocks)))
    return days + [day_and_clock(row.all(names, "time"))[0] for row in rows]


def _read_block(block: Block, reader: "_Reader", source: str, result: ParseResult) -> None:
    """The hands of the rows below one head."""
    sheet = block.sheet
    if reader.amounts.euros:
        told = "amounts in euros are kept as cents"
        result.warnings.append(Warn(source, sheet.head_line, told))
    for row in sheet.rows:
        raw = block.raw(row)
        try:
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


def _tells(sheet: Sheet, names: Names) -> bool:
    """Whether a block says who played or what, and what came of it, and shows no cards."""
    if sheet.has(names, "card") or not sheet.rows:
        return False
    told = any(sheet.has(names, name) for name in ("outcome", "lost", "score"))
    told = told or len(player_columns(sheet, names)) == 4 or _seats(sheet, names) == 4
    who = sheet.has(names, "declarer")
    what = sheet.has(names, "contract") or sheet.has(names, "bid")
    if told or not (who and what):
        return told and (who or what)
    # Columns of these names alone may be anything: the bids must be bids.
    mapping = names.mapping
    return any(
        _is_call(r.get(names, "contract") or r.get(names, "bid"), mapping) for r in sheet.rows[:50]
    )


def _is_call(word: str, mapping: Mapping) -> bool:
    try:
        return bool(word) and bool(call_text(word, None, mapping.calls))
    except CallTextError:
        return False


def _seats(sheet: Sheet, names: Names) -> int:
    return sum(sheet.has(names, s) for s in _SEAT_FIELDS)


@dataclass(slots=True)
class _Reader:
    sheet: Sheet
    names: Names
    mapping: Mapping
    dates: Dates
    options: Options
    book: SeatBook = field(init=False)
    players: dict[str, str] = field(init=False)
    assumed: bool = False
    amounts: Amounts = field(init=False)
    ticks: Ticks = field(init=False)
    signed_points: bool = field(init=False)
    style: CardStyle | None = None

    def __post_init__(self) -> None:
        sheet, names = self.sheet, self.names
        self.book = self.mapping.seat_book()
        headed = dict(zip(sheet.folded, sheet.columns))
        self.players = {c: headed[c] for c in player_columns(sheet, names)}
        scores = [r.cells.get(c, "") for r in sheet.rows for c in self.players]
        for name in ("score", "score_declarer", "score_partner", *_SEAT_FIELDS):
            scores += [r.get(names, name) for r in sheet.rows]
        self.amounts = Amounts.of(scores)
        # Points of cards are never written with a sign: such a column holds scores.
        points = [r.get(names, "points") for r in sheet.rows]
        self.signed_points = any(re.match(r"[-+−–]\s*\d", p) for p in points)
        title = next((headed[k] for k in names.of("outcome") if k in headed), "")
        self.ticks = Ticks.of(title, [r.get(names, "outcome") for r in sheet.rows])
        if len(self.players) == 4:
            self._sit(self.book, list(self.players.values()))
        elif len(self.players) < 4 and _seats(sheet, names) < 4:
            self._seat_by_mention()

    def _sit(self, book: SeatBook, players: list[str]) -> None:
        """Players who are given no seat sit in the order of their columns."""
        for i, name in enumerate(players):
            if book.find(name) is None:
                book.learn(name, i)
                self.assumed = True

    def _seat_by_mention(self) -> None:
        """Four names in all: they sit in the order in which the sheet first mentions them."""
        seen: dict[str, None] = {}
        for row in self.sheet.rows:
            for value in (*self._named(row), row.get(self.names, "dealer")):
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
        word, made, lost = get("contract") or get("bid"), get("outcome"), get("lost")
        if not (word or made or lost or any(row.cells.get(c) for c in self.players)):
            return None
        rules = resolve_rules(get("rules") or None, self.options)
        builder = HandBuilder()
        book = SeatBook(self.book.order, self.book.base, dict(self.book.names))
        self._people(row, book, builder)
        who, mate = self._named(row)
        declarer = self._declarer(who, book, builder)
        partner = self._partner(mate, declarer, book, builder)
        outcome = self._outcome(made, lost)
        word, suit = self._bid(word)
        contract = self._contract(word, "" if self.signed_points else get("points"))
        if contract == "-":
            if outcome not in (None, "void"):
                raise _RowFault(made, "no outcome beside a hand that was passed out")
            outcome = "void"
        else:
            builder.contract(declarer, contract)
        builder.result(outcome=outcome, partner=partner)
        self._points(get("points"), contract, builder)
        self._scores(row, book, builder)
        self._declaration(get("trump") or suit, get("called"), declarer, builder)
        builder.date(self._moment(row))
        builder.note(get("extra"))
        for key in ("hand", "session", "site", "id"):
            builder.meta(key, get(key))
        if not get("session"):
            builder.meta("session", get("game"))
        dealer = get("dealer")
        if row.extra:
            builder.warn(f"{row.extra} cells to the right of the last column were not read")
        if dealer:
            builder.dealer(self._find_or_seat(dealer, book, builder, 3))
        if self.assumed:
            builder.meta("seating", "assumed")
            builder.warn("the sheet names players and no seats: the seats are assumed")
        return builder.build(rules), builder.warnings

    def _moment(self, row: Row) -> str | None:
        """The day of a row, with the time of day where it is told."""
        day, clock = day_and_clock(row.all(self.names, "time"))
        if is_unknown(day or None):
            day = ""
        found = self.dates.iso(day) if day else ""
        if found is None:
            raise _RowFault(day, DATE_EXPECTED)
        time = clock_text(clock) if clock else ""
        if time is None:
            raise _RowFault(clock, "a time of day such as 20:15")
        return f"{found}T{time}" if found and time and "T" not in found else found

    def _getter(self, row: Row) -> Callable[[str], str]:
        return lambda name: row.get(self.names, name)

    def _named(self, row: Row) -> tuple[str, str]:
        """Declarer and partner of a row, who may stand in one cell."""
        who, mate = row.get(self.names, "declarer"), row.get(self.names, "partner")
        both = None if mate or self.book.find(who) is not None else two_names(who)
        return both if both is not None else (who, mate)

    def _bid(self, word: str) -> tuple[str, str]:
        """The bid of a cell, and the trump suit where it stands beside it."""
        try:
            call_text(word, None, self.mapping.calls)
        except CallTextError:
            return bid_and_suit(word, CardStyle("nl", "nl")) or (word, "")
        return word, ""

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
        if len(self.players) > 4:  # who plays this hand is who has a score
            four = [p for c, p in self.players.items() if row.cells.get(c)]
            if len(four) != 4:
                builder.warn(f"the row has scores of {len(four)} players, a hand has four players")
                return
            self._sit(book, four)
            for name in four:
                builder.name(book.seat(name), name)
            return
        for value, seat in self.book.names.items():
            shown = next((p for p in self._shown() if p.strip().casefold() == value), value)
            builder.name(seat, shown)

    def _shown(self) -> list[str]:
        """Names as the sheet writes them."""
        out = [*self.players.values(), *self.mapping.seats.names]
        for row in self.sheet.rows:
            out += self._named(row)
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
        if len(self.players) == 4 or _seats(self.sheet, self.names) == 4:
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
        if value in ("", "?"):
            return None
        if fold(value) in _ALONE:
            return -1
        seat = self._find_or_seat(value, book, builder, ((declarer or 0) + 2) % 4)
        if seat == declarer:
            raise _RowFault(value, "a partner other than declarer himself")
        return seat

    def _outcome(self, word: str, lost: str) -> Outcome | None:
        """What the columns of outcomes say: one of made and lost, or one for each."""
        found = self._made(word)
        if not lost:
            return found
        down: Outcome | None = "lost" if is_tick(lost) else None
        if down is None and outcome_word(lost) == "lost":  # "nat: nee"
            down = "made"
        if down is None or (found is not None and found != down):
            raise _RowFault(lost, "a mark in one of the columns made and lost")
        return down

    def _made(self, word: str) -> Outcome | None:
        marked = self.ticks.outcome(word)
        if marked is not None and not self.mapping.results:
            return marked
        found = outcome_word(word, self.mapping.results) if word else None
        if found is None and word and (word.casefold() in ("x", "v") or not is_unknown(word)):
            raise _RowFault(word, "made, lost or void (yours go under [results] in a --map file)")
        return found

    def _contract(self, word: str, points: str) -> str | None:
        if not word or is_unknown(word):
            return None
        try:
            if outcome_word(word) == "void":
                return "-"
            return call_text(re.sub(r"[.,]0$", "", word), _whole(points), self.mapping.calls)
        except CallTextError:
            raise _RowFault(word, CALL_EXPECTED) from None

    def _points(self, text: str, contract: str | None, builder: HandBuilder) -> None:
        if not text or text == contract:
            return
        pair = re.fullmatch(r"(\d{1,3})\s*[-–:/]\s*(\d{1,3})", text)
        if self.signed_points:
            if _whole(text) is None:
                raise _RowFault(text, SCORE)
            builder.meta("score_declarer", _whole(text))
        elif pair:
            builder.result(points=(int(pair[1]), int(pair[2])))
        elif _whole(text) is not None:
            builder.meta("server_points", _whole(text))
        else:
            raise _RowFault(text, "points, as a number or as 132-14")

    def _scores(self, row: Row, book: SeatBook, builder: HandBuilder) -> None:
        scores: dict[int, int] = {}
        for column, name in self.players.items():
            value = row.cells.get(column, "")
            seat, number = book.find(name), self.amounts.number(value)
            if value and number is None:
                raise _RowFault(value, SCORE)
            if seat is not None and number is not None:  # a blank cell is not a zero
                scores[seat] = number
        for seat, name in enumerate(_SEAT_FIELDS):
            value = row.get(self.names, name)
            number = self.amounts.number(value)
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
            number = self.amounts.number(value)
            if value and number is None:
                raise _RowFault(value, SCORE)
            builder.meta(key, number)

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
