"""Reader of the text form of the notation (``.phn``).

One pass over the text; every character belongs to a token. A token that is none makes a reject of
its hand, with its place, and the reader goes on behind that hand.
"""

import re
from dataclasses import replace
from enum import Enum, auto

from engine.cards import CARD_INDEX, SEATS
from engine.record import Call, Claim, HandRecord, Note, Play, is_call_text
from parsers.base import Located, Options, ParseResult, Reject, Warn
from parsers.canonical import is_empty
from parsers.fields import (
    A_CALL,
    A_CARD,
    CARD_PATTERN,
    MAX_PLY,
    PLAYS,
    FieldError,
    read_card,
    read_claim,
    sorted_claims,
)
from parsers.meta import GLYPH_PATTERN, is_place, sorted_notes
from parsers.phn_scan import (
    BOM,
    Places,
    Unreadable,
    comment_end,
    free_text,
    line_end,
    place_command,
    skip_space,
    variation_end,
)
from parsers.phn_tags import Header, Tag, read_header, read_tag
from parsers.rulecheck import RuleCheck

_TOKEN = re.compile(
    rf"(?P<glyph>{GLYPH_PATTERN})|(?P<number>[0-9]+)\.+|(?P<word>[^\s{{}}();*!?$]+)"
)
_CARD = re.compile(rf"(?:([NESW]):)?({CARD_PATTERN})")
_SEATED = re.compile(r"([NESW]):(.+)", re.DOTALL)
_COMMENT_SIGNS = "{(;"


class _End(Enum):
    """How a hand ended."""

    STAR = auto()
    NEXT = auto()
    FILE = auto()


class _Moves:
    """The movetext of one hand, token by token."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.plays: list[Play] = []
        self.claims: list[Claim] = []
        self.notes: list[Note] = []
        self.auction_seen = False
        self.outcome_only = False
        self._bidding = False
        self._place = "h"
        self._ply = 0

    def number(self, text: str, value: str, at: int) -> None:
        """A trick number: it must be that of the trick to come."""
        n = len(self.plays)
        if n % 4:
            raise Unreadable(at, text, f"a card: trick {n // 4 + 1} has only {n % 4}")
        if len(value) > 3 or int(value) != n // 4 + 1:
            raise Unreadable(at, text, f"{n // 4 + 1}. (the next trick) or a card")
        self._bidding = False
        self._stand_at(n)

    def glyph(self, text: str, at: int) -> None:
        """A glyph; a ``?`` right after ``Auction`` says that the calls are not known."""
        if text == "?" and self._bidding and not self.calls and not self.outcome_only:
            self.outcome_only = True
        else:
            self.notes.append(Note(self._place, "g", text))

    def comment(self, text: str) -> None:
        """A comment, or the command that moves the place of what follows."""
        place = place_command(text)
        if place is None or not is_place(place):
            self.notes.append(Note(self._place, "c", free_text(text)))
            return
        self._place = place
        if place.isdigit():
            self._ply = int(place)

    def variation(self, text: str) -> None:
        """A variation from the card before it."""
        self.notes.append(Note(self._place, "v", free_text(text)))

    def word(self, text: str, at: int) -> None:
        """``Auction``, a call, a card or an announcement."""
        card = CARD_INDEX.get(text)
        if card is not None:
            self._play(PLAYS[card], text, at)
        elif self._bidding and is_call_text(text):
            self._call(Call(text), text, at)
        elif text == "Auction":
            if self.auction_seen or self.plays:
                raise Unreadable(at, text, "one auction a hand, before the first card")
            self.auction_seen = self._bidding = True
        else:
            self._other_word(text, at)

    def _other_word(self, text: str, at: int) -> None:
        m = _CARD.fullmatch(text)
        try:
            if m:
                seat = SEATS.index(m[1]) if m[1] else None
                self._play(Play(read_card(m[2], m.start(2)), seat), text, at)
                return
            m = _SEATED.fullmatch(text)
            if m is None:
                raise Unreadable(at, text, self._expected())
            seat = SEATS.index(m[1])
            if is_call_text(m[2]):
                if not self._bidding:
                    raise Unreadable(at, text, self._expected())
                self._call(Call(m[2], seat), text, at)
            else:
                self.claims.append(read_claim(self._ply, seat, m[2], m.start(2), "="))
                self._place = str(self._ply)
        except FieldError as e:
            raise Unreadable(at + e.offset, e.token, e.expected) from None

    def _call(self, call: Call, text: str, at: int) -> None:
        if self.outcome_only:
            raise Unreadable(at, text, "no call after 'Auction ?' (the calls are not known)")
        self.calls.append(call)
        self._place = f"a{len(self.calls)}"

    def _play(self, play: Play, text: str, at: int) -> None:
        if len(self.plays) == MAX_PLY:
            raise Unreadable(at, text, f"no more than {MAX_PLY} cards, then *")
        self._bidding = False
        self.plays.append(play)
        self._stand_at(len(self.plays))

    def _stand_at(self, ply: int) -> None:
        self._ply = ply
        self._place = str(ply)

    def _expected(self) -> str:
        first = f"{A_CALL}, " if self._bidding else "" if self.auction_seen else "Auction, "
        return (
            f"{first}{A_CARD}, a trick number, an announcement (N:roem=50, E:deny, S:stuk, "
            "W:show=S7, N:run=..., N:set=...), a comment or *"
        )


class _Reader:
    def __init__(self, text: str, source: str, options: Options) -> None:
        self.text = text
        self.source = source
        self.places = Places(text)
        self.check = RuleCheck(options)
        self.result = ParseResult(format="phn")
        self.last_was_hand = False
        self.last_start = 0

    def run(self) -> ParseResult:
        if self.check.problem:
            self.result.rejects.append(
                Reject(self.source, 1, 1, "", self.check.problem, "", "rules")
            )
            return self.result
        at = skip_space(self.text, 0, len(self.text))
        while at < len(self.text):
            at = skip_space(self.text, self._hand(at), len(self.text))
        return self.result

    def _hand(self, start: int) -> int:
        """Read the hand that begins at ``start``; where it ends."""
        moves = _Moves()
        # A new hand may begin right here, or after the comments that stand before it.
        limit = start if self.places.is_cut(start) else self.places.next_cut(start)
        at = start
        try:
            at = self._comments(moves, at, limit)
            if at == limit and at < len(self.text):
                limit = self.places.next_cut(at)
            elif at == len(self.text):
                self._loose_comments(start, moves.notes)
                return at
        except Unreadable as e:
            return self._reject(start, e, self._after_hand(e, limit, False))
        first_tag = at
        tags, at, fault = self._tags(at, limit)
        if fault is not None:
            return self._reject(start, fault, self._skip(at, limit, True))
        try:
            at, end = self._moves(moves, at, limit)
        except Unreadable as e:
            moved = moves.auction_seen or bool(moves.plays or moves.claims)
            return self._reject(start, e, self._after_hand(e, limit, moved))
        try:
            record = self._record(tags, moves)
        except Unreadable as e:
            return self._reject(start, e, at)
        self._keep(record, start, first_tag, at, end)
        return at

    # Tokens ------------------------------------------------------------------------------------

    def _comments(self, moves: _Moves, at: int, limit: int) -> int:
        while at < limit and self.text[at] in "{;":
            at = skip_space(self.text, self._comment(moves, at, limit), limit)
        return at

    def _comment(self, moves: _Moves, at: int, limit: int) -> int:
        sign = self.text[at]
        if sign == "{":
            end = comment_end(self.text, at, limit)
            moves.comment(self.text[at + 1 : end - 1])
        elif sign == ";":
            end = line_end(self.text, at, limit)
            moves.comment(self.text[at + 1 : end])
        else:
            end = variation_end(self.text, at, limit)
            moves.variation(self.text[at + 1 : end - 1])
        return end

    def _tags(self, at: int, limit: int) -> tuple[list[Tag], int, Unreadable | None]:
        """The tag section: tags and blank lines; a faulty tag spoils its line alone."""
        tags: list[Tag] = []
        fault: Unreadable | None = None
        while at < limit and self.text[at] == "[":
            try:
                tag, at = read_tag(self.text, at, limit)
                tags.append(tag)
            except Unreadable as e:
                fault = fault or e
                at = line_end(self.text, at, limit)
            at = skip_space(self.text, at, limit)
        return tags, at, fault

    def _moves(self, moves: _Moves, at: int, limit: int) -> tuple[int, _End]:
        text = self.text
        while True:
            at = skip_space(text, at, limit)
            if at >= limit:
                return at, _End.FILE if at == len(text) else _End.NEXT
            sign = text[at]
            if sign == "*":
                return at + 1, _End.STAR
            if sign in _COMMENT_SIGNS:
                at = self._comment(moves, at, limit)
                continue
            if sign == "[" and self.places.begins_line(at):
                return at, _End.NEXT
            m = _TOKEN.match(text, at, limit)
            if m is None:
                raise Unreadable(at, sign, "a call, a card, an announcement, a comment or *")
            if m.lastgroup == "word":
                moves.word(m[0], at)
            elif m.lastgroup == "number":
                moves.number(m[0], m["number"], at)
            else:
                moves.glyph(m[0], at)
            at = m.end()

    # Behind a fault ----------------------------------------------------------------------------

    def _after_hand(self, fault: Unreadable, limit: int, moved: bool) -> int:
        length = 1 if fault.opening else max(1, len(fault.token))
        return self._skip(fault.at + length, limit, moved)

    def _skip(self, at: int, limit: int, moved: bool) -> int:
        """Where a spoilt hand ends: behind its ``*``, or before the next tag section.

        Tags count as the next section only once movetext was seen, lest the rest of a broken tag
        section be taken for a hand.
        """
        text = self.text
        unclosed = ""  # Openings that have no end here: from now on signs like any other.
        while True:
            at = skip_space(text, at, limit)
            if at >= limit:
                return limit
            sign = text[at]
            if sign == "*":
                return at + 1
            if sign == "[" and moved and self.places.begins_line(at):
                return at
            try:
                if sign in unclosed:
                    at += 1
                elif sign == "{":
                    at = comment_end(text, at, limit)
                elif sign == "(":
                    at = variation_end(text, at, limit)
                elif sign in ";[":
                    at = line_end(text, at, limit)
                else:
                    m = _TOKEN.match(text, at, limit)
                    at = m.end() if m else at + 1
            except Unreadable:
                unclosed += sign

    def _reject(self, start: int, fault: Unreadable, end: int) -> int:
        self.last_was_hand = False
        expected = fault.expected
        if fault.opening and self.places.is_cut(end):
            expected += f" (the next hand begins in line {self.places.line(end)})"
        self.result.rejects.append(
            Reject(
                self.source,
                self.places.line(fault.at),
                self.places.column(fault.at),
                fault.token,
                expected,
                self._raw(start, end),
            )
        )
        return end

    # Results -----------------------------------------------------------------------------------

    def _raw(self, start: int, end: int) -> str:
        text = self.text[start:end]
        kept = len(text.rstrip(f" \t\r\n{BOM}"))
        # Blanks at the end of the last line may be the end of a comment after ";".
        line_end = re.compile(r"[\r\n]").search(text, kept)
        return text[: line_end.start()] if line_end else text

    def _record(self, tags: list[Tag], moves: _Moves) -> HandRecord:
        header = read_header(tags, calls_known=bool(moves.calls))
        expected = self.check.expected(header.rules)
        if expected:
            at = next(t.value_at for t in tags if t.name == "Rules")
            raise Unreadable(at, header.rules or "", expected)
        return _build(header, moves)

    def _keep(self, record: HandRecord, start: int, first_tag: int, at: int, end: _End) -> None:
        line = self.places.line(first_tag)
        if end is _End.FILE:
            self._warn(line, "the last hand has no * at its end: it may have been cut short")
        changed = self.check.changed(record.rules, record.rules_hash)
        if changed:
            self._warn(line, changed)
        self.last_was_hand = not is_empty(record)
        if self.last_was_hand:
            self.last_start = start
            raw = self._raw(start, at)
            self.result.hands.append(Located(record, self.source, self.places.line(start), raw))
            return
        self.result.empty += 1
        if record.meta or record.notes:
            self._warn(line, "tags or comments without call, card or result: no hand was kept")

    def _loose_comments(self, start: int, notes: list[Note]) -> None:
        """Comments behind the last hand belong to it; without one the user is told."""
        if self.last_was_hand:
            last = self.result.hands[-1]
            record = last.record
            self.result.hands[-1] = replace(
                last,
                record=replace(record, notes=sorted_notes((*record.notes, *notes))),
                raw=self._raw(self.last_start, len(self.text)),
            )
            return
        for note in notes:
            self._warn(self.places.line(start), f"a comment that belongs to no hand: {note.text}")

    def _warn(self, line: int, message: str) -> None:
        self.result.warnings.append(Warn(self.source, line, message))


def _build(header: Header, moves: _Moves) -> HandRecord:
    deal, extra = header.deal()
    unknown = not moves.calls and (moves.outcome_only or header.has_outcome)
    return HandRecord(
        rules=header.rules,
        rules_hash=header.rules_hash,
        dealer=header.dealer,
        deal=deal,
        deal_extra=extra,
        auction_state="calls" if moves.calls else "unknown" if unknown else "absent",
        auction=tuple(moves.calls),
        declarer=header.declarer,
        contract=header.contract,
        trump=header.part("Trump"),
        called=header.part("Called"),
        discard=header.part("Discard"),
        plays=tuple(moves.plays),
        claims=sorted_claims(moves.claims),
        result=header.result,
        meta=tuple(header.meta),
        notes=sorted_notes(moves.notes),
    )


def read_phn(text: str, source: str = "-", options: Options | None = None) -> ParseResult:
    """The hands of a text in the text form; what cannot be read is a reject with its place.

    >>> read_phn('[Rules "heerlen"]\\n\\nAuction - 120 - - -\\n1. SA {ha}\\n*').records[0].notes
    (Note(where='1', kind='c', text='ha'),)
    >>> print(read_phn('[Rules "heerlen"]\\n\\nAuction 120 x\\n*', "a.phn").rejects[0].line)
    3
    """
    return _Reader(text, source, options or Options()).run()
