"""The rows of a score sheet as hands (see :mod:`parsers.scoresheet`)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.cards import SEATS
from engine.record import HandRecord, Outcome
from engine.rulefile import RuleSetError
from engine.state import NOBODY
from parsers.base import Options
from parsers.build import HandBuilder, resolve_rules
from parsers.cardtext import (
    CardStyle,
    CardTextError,
    StyleError,
    decide_style,
    is_no_trump,
    is_unknown,
)
from parsers.dates import EXPECTED as DATE_EXPECTED
from parsers.dates import Dates, clock_text, day_and_clock
from parsers.items import Names
from parsers.mapping import Mapping
from parsers.rows import Row, Sheet
from parsers.sheetcells import Amounts, Ticks, bid_and_suit, is_tick, two_names
from parsers.sheetlayout import player_columns
from parsers.sheetscore import WorkedOut, work_out
from parsers.words import (
    CALL_EXPECTED,
    CallTextError,
    SeatBook,
    call_text,
    compass,
    fold,
    outcome_word,
)

SEAT_FIELDS = ("north", "east", "south", "west")
SCORE = "a score, as a whole number or an amount of euros such as 0,05"
_ALONE = {"", "-", "geen", "none", "alleen", "alone", "solo"}
_whole = Amounts(euros=False).number


class RowFault(ValueError):
    """A cell that is not understood, with what was expected of it."""

    def __init__(self, token: str, expected: str) -> None:
        super().__init__(expected)
        self.token = token
        self.expected = expected


def seats_told(sheet: Sheet, names: Names) -> int:
    """How many of the four seats have a column."""
    return sum(sheet.has(names, s) for s in SEAT_FIELDS)


@dataclass(slots=True)
class RowReader:
    """Reads the rows below one head: their hands, and what is to be said of all of them."""

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
    points_are_scores: bool = field(init=False)
    style: CardStyle | None = None
    by_sign: list[tuple[int, str]] = field(default_factory=list)
    by_rules: list[tuple[int, str]] = field(default_factory=list)
    odd: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        sheet, names = self.sheet, self.names
        self.book = self.mapping.seat_book()
        headed = dict(zip(sheet.folded, sheet.columns))
        self.players = {c: headed[c] for c in player_columns(sheet, names)}
        scores = [r.cells.get(c, "") for r in sheet.rows for c in self.players]
        for name in ("score", "score_declarer", "score_partner", *SEAT_FIELDS):
            scores += [r.get(names, name) for r in sheet.rows]
        self.amounts = Amounts.of(scores)
        # Points of cards are never written with a sign: such a column holds scores.
        points = [r.get(names, "points") for r in sheet.rows]
        signed = any(re.match(r"[-+−–]\s*\d", p) for p in points)
        self.points_are_scores = signed or self._all_are_scores()
        title = next((headed[k] for k in names.of("outcome") if k in headed), "")
        self.ticks = Ticks.of(title, [r.get(names, "outcome") for r in sheet.rows])
        if len(self.players) == 4:
            self._sit(self.book, list(self.players.values()))
        elif len(self.players) < 4 and seats_told(sheet, names) < 4:
            self._seat_by_mention()

    def _all_are_scores(self) -> bool:
        """Whether each number under *points* is what the rules give for the contract of its row.

        No hand is made with so few points of cards: such a column holds scores without a sign.
        """
        found = False
        for row in self.sheet.rows:
            text = row.get(self.names, "points")
            word, _ = self._bid(row.get(self.names, "contract") or row.get(self.names, "bid"))
            try:
                rules = resolve_rules(row.get(self.names, "rules") or None, self.options).ruleset
                bid = rules.bid(call_text(word, None, self.mapping.calls)) if text else None
            except (CallTextError, RuleSetError):
                continue  # a reject of its own
            if not text or outcome_word(word) == "void":
                continue
            if bid is None or text not in ("0", str(bid.contract.score)):
                return False
            found = found or text != "0"
        return found

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
        word, suit = self._bid(word)
        contract = self._contract(word, "" if self.points_are_scores else get("points"))
        nobody = contract == "-" and fold(who) in _ALONE
        declarer = None if nobody else self._declarer(who, book, builder)
        partner = self._partner(mate, declarer, book, builder)
        outcome = self._outcome(made, lost)
        if contract == "-":
            if outcome not in (None, "void"):
                raise RowFault(made, "no outcome beside a hand that was passed out")
            outcome = "void"
            named = [n for n, s in ((who, declarer), (mate, partner)) if s not in (None, NOBODY)]
            if named:
                builder.warn(
                    f"a hand that was passed out has no declarer: {', '.join(named)} left out"
                )
            declarer = partner = None
        else:
            builder.contract(declarer, contract)
        builder.result(outcome=outcome, partner=partner)
        self._points(get("points"), contract, builder)
        told = self._scores(row, declarer, partner, book, builder)
        worked = work_out(
            rules.ruleset, contract, declarer, partner, outcome, self._pair(get("points")), told
        )
        remarks = self._worked_out(worked, told, declarer, builder)
        self._declaration(get("trump") or suit, get("called"), declarer, builder)
        moment = self._moment(row)
        builder.date(moment)
        builder.note(get("extra"))
        for key in ("hand", "session", "site", "id"):
            builder.meta(key, get(key))
        if not get("session"):
            builder.meta("session", get("game"))
        self._evening(moment, builder)
        dealer = get("dealer")
        if row.extra:
            builder.warn(f"{row.extra} cells to the right of the last column were not read")
        if dealer:
            builder.dealer(self._find_or_seat(dealer, book, builder, 3))
        if self.assumed:
            builder.meta("seating", "assumed")
            builder.warn("the sheet names players and no seats: the seats are assumed")
        record = builder.build(rules)
        for kind, what in remarks:
            kind.append((row.line, what))
        return record, builder.warnings

    def remarks(self) -> list[tuple[int, str]]:
        """Of all rows together: what was worked out, and where scores are not those of the rules.

        One sentence each, with the first of the lines that it is about.
        """
        out = []
        if self.by_sign:
            told = f"made or lost follows from the sign of the score ({_hands(self.by_sign)})"
            out.append((self.by_sign[0][0], told))
        if self.by_rules:
            told = f"the scores of the others follow from declarer's ({_hands(self.by_rules)})"
            out.append((self.by_rules[0][0], told))
        if self.odd:
            line, why = self.odd[0]
            out.append((line, f"{why} ({_hands(self.odd)})"))
        return out

    def _moment(self, row: Row) -> str | None:
        """The day of a row, with the time of day where it is told."""
        day, clock = day_and_clock(row.all(self.names, "time"))
        if is_unknown(day or None):
            day = ""
        found = self.dates.iso(day) if day else ""
        if found is None:
            raise RowFault(day, DATE_EXPECTED)
        time = clock_text(clock) if clock else ""
        if time is None:
            raise RowFault(clock, "a time of day such as 20:15")
        return f"{found}T{time}" if found and time and "T" not in found else found

    def _evening(self, moment: str | None, builder: HandBuilder) -> None:
        """The day is the evening where the sheet has no column for it, marked as worked out."""
        day = (moment or "").partition("T")[0]
        if day and not any(self.sheet.has(self.names, name) for name in ("session", "game")):
            builder.meta("session", day)
            builder.meta("session_by", "date")

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
        for seat, name in enumerate(SEAT_FIELDS):
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
            raise RowFault(value, f"a player or seat of this sheet ({known})")
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
        if len(self.players) == 4 or seats_told(self.sheet, self.names) == 4:
            return self._seat(value, book)
        taken = set(book.names.values())
        seat = wanted if wanted not in taken else min(set(range(4)) - taken, default=-1)
        if seat < 0:
            raise RowFault(value, f"one of the four players {', '.join(book.names)}")
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
            raise RowFault(value, "a partner other than declarer himself")
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
            raise RowFault(lost, "a mark in one of the columns made and lost")
        return down

    def _made(self, word: str) -> Outcome | None:
        marked = self.ticks.outcome(word)
        if marked is not None and not self.mapping.results:
            return marked
        found = outcome_word(word, self.mapping.results) if word else None
        if found is None and word and (word.casefold() in ("x", "v") or not is_unknown(word)):
            raise RowFault(word, "made, lost or void (yours go under [results] in a --map file)")
        return found

    def _contract(self, word: str, points: str) -> str | None:
        if not word or is_unknown(word):
            return None
        try:
            if outcome_word(word) == "void":
                return "-"
            return call_text(re.sub(r"[.,]0$", "", word), _whole(points), self.mapping.calls)
        except CallTextError:
            raise RowFault(word, CALL_EXPECTED) from None

    def _points(self, text: str, contract: str | None, builder: HandBuilder) -> None:
        if not text or text == contract:
            return
        pair = self._pair(text)
        if self.points_are_scores:
            if _whole(text) is None:
                raise RowFault(text, SCORE)
            builder.meta("score_declarer", _whole(text))
        elif pair:
            builder.result(points=pair)
        elif _whole(text) is not None:
            builder.meta("server_points", _whole(text))
        else:
            raise RowFault(text, "points, as a number or as 132-14")

    def _pair(self, text: str) -> tuple[int, int] | None:
        """Points of both sides in one cell, declarer's first."""
        pair = re.fullmatch(r"(\d{1,3})\s*[-–:/]\s*(\d{1,3})", text)
        return None if pair is None or self.points_are_scores else (int(pair[1]), int(pair[2]))

    def _scores(
        self,
        row: Row,
        declarer: int | None,
        partner: int | None,
        book: SeatBook,
        builder: HandBuilder,
    ) -> dict[int, int]:
        """Keep the scores of a row as they stand; gives them by seat where the seat is known."""
        scores: dict[int, int] = {}
        for column, name in self.players.items():
            value = row.cells.get(column, "")
            seat, number = book.find(name), self.amounts.number(value)
            if value and number is None:
                raise RowFault(value, SCORE)
            if seat is not None and number is not None:  # a blank cell is not a zero
                scores[seat] = number
        for seat, name in enumerate(SEAT_FIELDS):
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
                raise RowFault(value, SCORE)
            builder.meta(key, number)
            who = partner if name == "score_partner" else declarer
            if number is not None and who is not None and who >= 0:
                scores.setdefault(who, number)
        points = _whole(row.get(self.names, "points")) if self.points_are_scores else None
        if points is not None and declarer is not None:
            scores.setdefault(declarer, points)
        return scores

    def _worked_out(
        self,
        worked: WorkedOut,
        told: dict[int, int],
        declarer: int | None,
        builder: HandBuilder,
    ) -> list[tuple[list[tuple[int, str]], str]]:
        """Add what follows by the rules from the scores of a row, marked as such.

        Gives what is to be remarked once the row has become a hand: where, and what.
        """
        remarks = []
        if worked.outcome is not None:
            builder.result(outcome=worked.outcome)
            builder.meta("outcome_by", "score")
            remarks.append((self.by_sign, ""))
        if worked.score is not None and len(told) < 4:
            builder.result(score=worked.score)
            builder.meta("score_by", "rules")
            remarks.append((self.by_rules, ""))
        elif declarer in told and len(told) < 4:
            builder.meta("score_declarer", told[declarer])
        if worked.odd:
            kept = f"{worked.odd}: kept as the sheet has it"
            if len(told) < 4:
                kept += "; where the rules give a score, that counts"
            remarks.append((self.odd, kept))
        return remarks

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
            raise RowFault(trump or called, "a trump suit and a called card") from None
        except StyleError as e:
            raise RowFault(trump or called, f"cards of one way of writing: {e}") from None
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


def _hands(found: Sequence[object]) -> str:
    return f"{len(found)} hand{'' if len(found) == 1 else 's'}"
