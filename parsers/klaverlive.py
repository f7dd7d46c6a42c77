"""Klaverlive-style servers: the history of a table as CSV, the live state of a table as JSON.

Cards are written ``h7 r10 k9 s11`` (Dutch suits, 11 = boer … 14 = aas). The history keeps seven
tricks only, the eighth is not guessed. Cards of a trick stand in the order of the seats, with
``First`` the leader; a trick with a revoke holds the card that was played, legal or not.

Seats of the history are numbers, read as N E S W; a live state names its compass points.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.record import Outcome
from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Source, Warn
from parsers.build import BuildError, HandBuilder, Rules, resolve_rules
from parsers.cardtext import EXPECTED, CardStyle, CardTextError, split_cards
from parsers.decode import MAX_LINE
from parsers.jsontext import (
    Key,
    as_dict,
    as_int,
    as_list,
    as_text,
    dump,
    load,
    locate,
    place,
)
from parsers.mapping import Mapping, mapping_of
from parsers.private import scrub, scrub_text
from parsers.servers import read_servers
from parsers.words import compass

KLAVERJAS = (
    "Pandoeren, in whose pack the six of hearts is; no hand of this file has it, so this is "
    "Klaverjas (32 cards), another game; name the rules with --rules to read it all the same"
)
_COLUMNS = ("Cards", "Rounds", "Troef")
_EMPTY = ("", ".", "..", "?", "-")
_SPINE = frozenset({"History"})


class KlaverliveParser:
    """The history CSV and the live state JSON of a Klaverlive-style server."""

    name = "klaverlive"

    def recognise(self, text: str, name: str) -> bool:
        """By the columns of the history, or the compass points of a state."""
        start = text.lstrip("\ufeff \t\r\n")
        if start[:1] in ("{", "["):
            marks = ('"TroefKleur"', '"MyCards"', '"PlayersTurnCompas"', '"PlayerNrGaat"')
            return '"Compas"' in text and any(m in text for m in marks)
        head = {h.strip().strip('"') for h in _cells(start.split("\n", 1)[0]) or []}
        return set(_COLUMNS) <= head

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_servers(sources, options, self.name, _read)


def _read(text: str, source: str, options: Options) -> ParseResult:
    result = ParseResult()
    try:
        rules = resolve_rules(None, options)
    except RuleSetError as e:
        raw = scrub_text(text)
        result.rejects.append(Reject(source, 1, 1, "", str(e), raw, "unknown-rules"))
        return result
    reader = _Reader(source, text, rules, mapping_of(options.mapping))
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        reader.states(result)
    else:
        reader.history(result, options.rules is not None)
    return result


class _Fault(ValueError):
    """What cannot be read: where in the hand, what was found, what was expected."""

    def __init__(self, where: str, found: Any, expected: str, path: tuple[Key, ...] = ()) -> None:
        super().__init__(expected)
        self.found = as_text(found) or dump(scrub(found))[:80]
        self.where, self.expected, self.path = where, expected, path


@dataclass(frozen=True, slots=True)
class _Hand:
    """One hand as both encodings tell it; seats as 0–3 (N E S W)."""

    hands: dict[int, list[int]]
    tricks: list[tuple[list[tuple[int, int]], int | None]]
    declarer: int | None
    dealer: int | None
    trump: int | None
    scores: dict[str, Any]
    declaring: str
    complete: bool


@dataclass(slots=True)
class _Reader:
    source: str
    text: str
    rules: Rules
    user: Mapping

    @property
    def style(self) -> CardStyle:
        cards = self.user.cards
        language = cards.language or "nl"
        return CardStyle(
            language,
            language,
            cards.order or "suit-first",
            tuple(sorted(cards.suits.items())),
            tuple(sorted(cards.ranks.items())),
        )

    # --- history -----------------------------------------------------------------------------

    def history(self, result: ParseResult, rules_named: bool) -> None:
        lines = self.text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        head = [c.strip() for c in _cells(lines[0]) or []]
        missing = [c for c in _COLUMNS if c not in head]
        if missing:
            expected = f"the columns {', '.join(_COLUMNS)} in the first line"
            raw = scrub_text(self.text)
            result.rejects.append(Reject(self.source, 1, 1, ", ".join(head), expected, raw))
            return
        rows = list(self._rows(lines, head, result))
        if not rows and not result.rejects:
            result.warnings.append(Warn(self.source, 1, "a history without rows: no hands"))
        if rows and not rules_named and not any(_has_six(r) for _, r, _ in rows):
            raw = scrub_text(self.text)
            result.rejects.append(Reject(self.source, 1, 1, "", KLAVERJAS, raw, "other-game"))
            return
        for line, row, raw in rows:
            self._row(line, row, raw, result)

    def _rows(
        self, lines: list[str], head: list[str], result: ParseResult
    ) -> Iterator[tuple[int, dict[str, str], str]]:
        """Rows with their line number and raw text (header line included)."""
        for i, text in enumerate(lines[1:], 2):
            if not text.strip():
                continue
            raw = scrub_text(f"{lines[0]}\n{text}")
            cells = _cells(text) if len(text) <= MAX_LINE else None
            if cells is None or len(cells) != len(head):
                found = f"{len(cells)} fields" if cells else scrub_text(text)[:60]
                expected = f"{len(head)} fields, as in the first line, each quote closed"
                result.rejects.append(Reject(self.source, i, 1, found, expected, raw))
                continue
            yield i, dict(zip(head, cells)), raw

    def _row(self, line: int, row: dict[str, str], raw: str, result: ParseResult) -> None:
        try:
            hand = self._row_hand(row)
            if not hand.tricks:
                result.empty += 1
                return
            b = self._builder(hand)
            b.meta("session", as_text(row.get("TableKey")))
            b.meta("hand", as_int(row.get("RoundNr")))
            b.date(as_text(row.get("TimeStamp")))
            record = b.build(self.rules)
        except _Fault as e:
            expected = f"{e.expected} (column {e.where})"
            result.rejects.append(Reject(self.source, line, 1, e.found, expected, raw))
            return
        except BuildError as e:
            result.rejects.append(Reject(self.source, line, 1, "", str(e), raw))
            return
        result.hands.append(Located(record, self.source, line, raw, tuple(b.warnings)))

    def _row_hand(self, row: dict[str, str]) -> _Hand:
        book = self.user.seat_book()

        def seat(value: Any, where: str) -> int:
            found = book.find(as_int(value))
            if found is None:
                raise _Fault(where, value, "the number of a seat")
            return found

        hands = {}
        dealt = as_list(_json(row["Cards"], "Cards"))
        if len(dealt) != 4 or not all(isinstance(t, str) for t in dealt):
            raise _Fault("Cards", row["Cards"], "four hands as texts")
        for i, text in enumerate(dealt):
            hands[book.order[i]] = self._cards(text, "Cards")
        tricks = []
        for i, entry in enumerate(as_list(_json(row["Rounds"], "Rounds"))):
            where = f"Rounds, trick {i + 1}"
            cards = as_list(as_dict(entry).get("Cards"))
            if len(cards) != 4:
                raise _Fault(where, entry, "four cards, in the order of the seats")
            first = seat(as_dict(entry).get("First"), where)
            by_seat = {book.order[n]: c for n, c in enumerate(cards) if c not in (None, *_EMPTY)}
            highest = as_dict(entry).get("Highest")
            winner = seat(highest, where) if len(by_seat) == 4 and highest is not None else None
            tricks.append((self._trick(by_seat, first, where), winner))
        declarer = seat(row["Gaat"], "Gaat") if row.get("Gaat", "").strip() else None
        number = as_int(row.get("Gaat"))
        return _Hand(
            hands,
            [t for t in tricks if t[0]],
            declarer,
            None,
            self._trump(row["Troef"], "Troef"),
            as_dict(_json(row["Scores"], "Scores")) if row.get("Scores", "").strip() else {},
            _team(number),
            len(tricks) >= 7,
        )

    # --- states ------------------------------------------------------------------------------

    def states(self, result: ParseResult) -> None:
        loaded = load(self.text, _SPINE)
        value = loaded.value
        docs = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        found = 0
        for i, doc in docs:
            if "History" in as_dict(doc) or "MyCards" in as_dict(doc):
                found += 1
                self._state(as_dict(doc), [] if i is None else [i], result, loaded.broken is None)
        if loaded.broken is not None:
            line, column = place(self.text, loaded.broken.offset)
            if loaded.broken.cut and found:
                text = f"the file breaks off at column {column}; the rest is lost"
                result.warnings.append(Warn(self.source, line, text))
            else:
                token = scrub_text(self.text, loaded.broken.offset)[:20]
                expected = f"JSON ({loaded.broken.what})"
                raw = scrub_text(self.text)
                result.rejects.append(Reject(self.source, line, column, token, expected, raw))
        elif not found:
            expected = "a state with History and MyCards"
            raw = scrub_text(self.text)
            result.rejects.append(Reject(self.source, 1, 1, "", expected, raw))

    def _state(
        self, doc: dict[str, Any], path: list[Key], result: ParseResult, whole: bool
    ) -> None:
        raw = scrub_text(self.text)
        line, column = locate(self.text, path)
        try:
            hand = self._state_hand(doc)
            if not hand.tricks:
                result.empty += 1
                return
            b = self._builder(hand)
            if not whole:
                b.warn("the file is cut or broken: what followed this part of it is lost")
            self._names(b, doc)
            b.meta("hand", as_int(doc.get("Ronde")))
            record = b.build(self.rules)
        except _Fault as e:
            line, column = locate(self.text, [*path, *e.path])
            result.rejects.append(Reject(self.source, line, column, e.found, e.expected, raw))
            return
        except BuildError as e:
            result.rejects.append(Reject(self.source, line, column, "", str(e), raw))
            return
        result.hands.append(Located(record, self.source, line, raw, tuple(b.warnings)))

    def _state_hand(self, doc: dict[str, Any]) -> _Hand:
        points = self._compass(doc)
        mine = compass(str(doc.get("MyName", "")))
        number = as_int(doc.get("MyNr"))
        if mine is None and number is not None:
            mine = points.get(number)

        def seat(key: str) -> int | None:
            value = doc.get(key)
            if value is None or as_int(value) == -1:
                return None
            found = points.get(n) if (n := as_int(value)) is not None else None
            if found is None:
                raise _Fault(key, value, f"the number of a seat ({key})", (key,))
            return found

        tricks: list[tuple[list[tuple[int, int]], int | None]] = []
        for i, entry in enumerate(as_list(doc.get("History"))):
            where = f"History, trick {i + 1}"
            at: tuple[Key, ...] = ("History", i)
            row = as_dict(entry)
            first = points.get(n) if (n := as_int(row.get("First"))) is not None else None
            if first is None:
                raise _Fault(where, row.get("First"), f"First, the leader of trick {i + 1}", at)
            by_seat = {s: c for s, c in self._named(row.get("Cards"), where, at) if c is not None}
            won = points.get(n) if (n := as_int(row.get("Highest"))) is not None else None
            trick = self._trick(by_seat, first, where, at)
            tricks.append((trick, won if len(by_seat) == 4 else None))
        centre = self._named(doc.get("Center"), "Center", ("Center",))
        now = [(s, self._card(c, "Center", ("Center",))) for s, c in centre if c is not None]
        if now:
            tricks.append((now, None))
        held = self._cards(as_text(doc.get("MyCards"), 400) or "", "MyCards", ("MyCards",))
        trump = self._trump(doc.get("Troef"), "Troef", ("Troef",))
        declarer = seat("PlayerNrGaat")
        return _Hand(
            {mine: held} if mine is not None and held else {},
            [t for t in tricks if t[0]],
            declarer,
            seat("DealerNr"),
            trump,
            as_dict(doc.get("ScoreRound")),
            _team(as_int(doc.get("PlayerNrGaat"))),
            False,
        )

    def _compass(self, doc: dict[str, Any]) -> dict[int, int]:
        """Compass points by seat number: as the cards of a trick show them, or from oneself."""
        for entry in as_list(doc.get("History")):
            cards = as_list(as_dict(entry).get("Cards"))
            seats = [compass(str(as_dict(c).get("Compas", ""))) for c in cards]
            if len(seats) == 4 and len({s for s in seats if s is not None}) == 4:
                return {i: s for i, s in enumerate(seats) if s is not None}
        mine, number = compass(str(doc.get("MyName", ""))), as_int(doc.get("MyNr"))
        if mine is not None and number is not None:
            return {i: (mine + i - number) % 4 for i in range(4)}
        return {}

    def _named(self, value: Any, where: str, path: tuple[Key, ...]) -> list[tuple[int, str | None]]:
        out: list[tuple[int, str | None]] = []
        for item in as_list(value):
            seat = compass(str(as_dict(item).get("Compas", "")))
            if seat is None:
                expected = f"a card with its Compas ({where})"
                raise _Fault(where, as_dict(item).get("Compas", item), expected, path)
            text = as_dict(item).get("Card")
            out.append((seat, None if text in (None, *_EMPTY) else str(text)))
        return out

    def _names(self, b: HandBuilder, doc: dict[str, Any]) -> None:
        """Names of players; a compass word is no name."""
        rows = [*as_list(doc.get("OtherPlayers"))]
        for row in rows:
            seat = compass(str(as_dict(row).get("Compas", "")))
            name = as_text(as_dict(row).get("Name"))
            if seat is not None and name and compass(name) is None:
                b.name(seat, name)

    # --- both --------------------------------------------------------------------------------

    def _cards(self, text: str, where: str, path: tuple[Key, ...] = ()) -> list[int]:
        return [self._card(t, where, path) for t in split_cards(text) if t not in _EMPTY]

    def _card(self, text: str, where: str, path: tuple[Key, ...] = ()) -> int:
        try:
            return self.style.card(text)
        except CardTextError as e:
            raise _Fault(where, text, f"{EXPECTED}; {e}", path) from None

    def _trump(self, value: Any, where: str, path: tuple[Key, ...] = ()) -> int | None:
        """A trump suit, written as a suit or as its two (``s2``)."""
        text = as_text(value)
        if text is None or text in _EMPTY:
            return None
        try:
            return self.style.suit(text.rstrip("0123456789"))
        except CardTextError as e:
            raise _Fault(where, text, f"a trump suit; {e}", path) from None

    def _trick(
        self, by_seat: dict[int, Any], first: int, where: str, path: tuple[Key, ...] = ()
    ) -> list[tuple[int, int]]:
        """The cards of a trick from the leader on; an unfinished one ends where a card lacks."""
        out: list[tuple[int, int]] = []
        for i in range(4):
            seat = (first + i) % 4
            if seat in by_seat:
                if len(out) < i:
                    raise _Fault(where, by_seat[seat], f"cards from the leader on ({where})", path)
                out.append((seat, self._card(str(by_seat[seat]), where, path)))
        return out

    def _builder(self, hand: _Hand) -> HandBuilder:
        b = HandBuilder()
        b.dealer(hand.dealer)
        for seat, cards in hand.hands.items():
            b.hand(seat, cards)
        if hand.declarer is not None:
            b.contract(hand.declarer, None)
        if hand.trump is not None:
            b.declare(hand.declarer, hand.trump)
        for trick, winner in hand.tricks:
            for seat, card in trick:
                b.play(card, seat)
            if winner is not None:
                b.trick(winner)
        outcome = _outcome(hand)
        if outcome is not None:
            b.result(outcome=outcome)
        we, they = as_int(hand.scores.get("We")), as_int(hand.scores.get("They"))
        if we is not None and they is not None:
            b.meta("server_score", f"{we}-{they}")
            if hand.declaring:
                b.meta("server_points", we if hand.declaring == "We" else they)
        for side in ("We", "They"):
            if hand.scores.get(f"{side}Verzaakt") is True:
                b.warn(f"the server notes a revoke by its side {side!r}")
        return b


def _team(number: int | None) -> str:
    """The server's name for the side of a seat number: 0 and 2 are ``We``."""
    return "" if number is None else "They" if number % 2 else "We"


def _outcome(hand: _Hand) -> Outcome | None:
    """Made or lost as the server noted it: ``Nat`` is lost, also before the end."""
    if not hand.declaring:
        return None
    wet = hand.scores.get(f"{hand.declaring}Nat")
    if wet is True:
        return "lost"
    return "made" if wet is False and hand.complete else None


def _cells(line: str) -> list[str] | None:
    """Fields of one CSV line, ``None`` where a quote is not closed."""
    delimiter = ";" if line.count(";") >= line.split('"', 1)[0].count(",") else ","
    try:
        rows = list(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return rows[0] if rows else []


def _json(text: str, where: str) -> Any:
    loaded = load(text)
    if loaded.broken is not None:
        raise _Fault(where, text[loaded.broken.offset :][:40], f"JSON ({loaded.broken.what})")
    return loaded.value


def _has_six(row: dict[str, str]) -> bool:
    """Whether the six of hearts was dealt or played in a row."""
    shown = f"{row['Cards']} {row['Rounds']}".lower()
    return "h6" in shown or "6h" in shown
