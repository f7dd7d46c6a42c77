"""The statements and tricks of one typed hand (see :mod:`parsers.typed`)."""

import re
from dataclasses import dataclass, field

from engine.record import HandRecord
from parsers.base import Options
from parsers.build import HandBuilder, resolve_rules
from parsers.cardtext import CardStyle, CardTextError, is_no_trump, is_unknown, split_cards
from parsers.dates import EXPECTED as DATE_EXPECTED
from parsers.dates import Dates
from parsers.mapping import Mapping
from parsers.sheetcells import bid_and_suit
from parsers.typed_pieces import (
    ALONE,
    CLAIM,
    SEAT_HEAD,
    VERB,
    Piece,
    at_once,
    call_before,
    cut,
    key_of,
)
from parsers.words import (
    CALL_EXPECTED,
    CallTextError,
    SeatBook,
    call_text,
    compass,
    fold,
    outcome_word,
)

_PAIR = re.compile(r"(\d{1,3})\s*[-–:/]\s*(\d{1,3})")
_MADE_WITH = re.compile(rf"([^\W\d]+)\s+(?:met\s+|with\s+)?({_PAIR.pattern})")
AT_ONCE = "after the call a trump suit and a called card, such as 'in harten met schoppenaas'"
_STATEMENTS = (
    "a statement such as 'Zuid: 150', 'troef harten', 'mee: schoppenaas', 'weg: R7', "
    "'gever: West', 'gehaald', or a trick '1. HB H9 H7 H8'"
)


@dataclass(slots=True)
class TypedHand:
    """The pieces of one hand, and the builder that they go into."""

    pieces: list[Piece]
    comments: list[str] = field(default_factory=list)
    builder: HandBuilder = field(default_factory=HandBuilder)

    @classmethod
    def of(cls, text: str, first_line: int) -> "TypedHand":
        """Cut the text of one hand into pieces (:func:`parsers.typed_pieces.cut`)."""
        return cls(*cut(text, first_line))

    def read(
        self, style: CardStyle, dates: Dates, mapping: Mapping, options: Options
    ) -> HandRecord | None:
        """The record; raises :class:`TypedError`."""
        reader = _Reader(style, dates, mapping, self.builder)
        for piece in self.pieces:
            reader.piece(piece)
        reader.finish()
        if 2 * len(reader.remarks) > len(self.pieces):
            first = reader.remarks[0]  # more talk than hand: this is something else
            raise first.error(first.text, _STATEMENTS)
        rules = resolve_rules(reader.rules, options)
        for comment in self.comments:
            self.builder.note(comment)
        if self.builder.is_empty():
            return None
        return self.builder.build(rules)


def _joined(m: re.Match[str]) -> str:
    """An announcement without spaces, so that it stays one token."""
    return (f"{m[1]}:" if m[1] else "") + "roem" + m[2]


class _Reader:
    def __init__(
        self, style: CardStyle, dates: Dates, mapping: Mapping, builder: HandBuilder
    ) -> None:
        self.style = style
        self.dates = dates
        self.mapping = mapping
        self.builder = builder
        self.book: SeatBook = mapping.seat_book()
        self.rules: str | None = None
        self.declarer: int | None = None
        self.contract: str | None = None
        self.calls: list[tuple[int, str]] = []
        self.settled = False
        self.outcome_told = False
        self.remarks: list[Piece] = []

    def piece(self, piece: Piece) -> None:
        """One piece; raises :class:`TypedError`."""
        if piece.kind == "trick":
            self._settle()
            self._trick(piece)
            return
        text = piece.text
        named = self._named_player(text)
        head = SEAT_HEAD.fullmatch(text)
        if head or named:
            seat = compass(head[1]) if head else named
            rest = head[4] if head else text.partition(":")[2]
            if seat is not None:
                self._seat(piece, seat, head[2] if head else None, head[3] if head else ":",
                           rest.strip())  # fmt: skip
                return
        key, rest = key_of(text)
        if key is not None:
            getattr(self, f"_{key}")(piece, rest)
            return
        if fold(text) in ALONE:
            self.builder.declare(self.declarer, None, "-")
            return
        if is_no_trump(text) and len(text) > 1:
            self.builder.declare(self.declarer, "-", None)
            return
        with_points = _MADE_WITH.fullmatch(text)
        word = with_points[1] if with_points else text
        outcome = outcome_word(word, self.mapping.results)
        if outcome is not None and not word.isdigit() and word not in "+-":
            self._settle()
            self.builder.result(outcome=outcome)
            self.outcome_told = True
            if with_points:
                self._points(piece, with_points[2])
            return
        if self.outcome_told and _PAIR.fullmatch(text):
            self._points(piece, text)  # "gehaald, 132-14"
            return
        self._remark(piece)

    def _remark(self, piece: Piece) -> None:
        """A piece in plain words is kept as a comment, and that is said; anything else is a fault.

        Words with a card, a number or a colon among them may be part of the hand.
        """
        words = split_cards(piece.text)
        told = {outcome_word(w, self.mapping.results) for w in re.split(r"[\s/]+", piece.text)}
        if told in ({"made", "lost"}, {"made", "lost", "void"}):
            raise piece.error(piece.text, "one outcome: made or lost, not both")
        plain = re.fullmatch(r"[^\W\d_][^\d:=()]*", piece.text) and any(len(w) > 2 for w in words)
        if not plain or len(piece.text) > 200 or any(self.style.find(w) is not None for w in words):
            raise piece.error(piece.text, _STATEMENTS)
        self.remarks.append(piece)
        self.builder.note(piece.text)
        self.builder.warn(
            f"line {piece.line}: {piece.text[:60]!r} is not understood: kept as a comment"
        )

    def _named_player(self, text: str) -> int | None:
        name, colon, _ = text.partition(":")
        return self.book.names.get(name.strip().casefold()) if colon else None

    def finish(self) -> None:
        """After the last piece: a hand of which no card is told has its auction still."""
        self._settle()

    def _settle(self) -> None:
        """After the auction: with passes it is one, without it only its outcome is known."""
        if self.settled:
            return
        self.settled = True
        if any(text == "-" for _, text in self.calls):
            for seat, text in self.calls:
                self.builder.call(text, seat)
        elif self.calls:
            self.builder.contract(*self.calls[-1])
            if len(self.calls) > 1:
                self.builder.warn("no passes are told: of the auction only its outcome is kept")

    def _seat(self, piece: Piece, seat: int, name: str | None, mark: str | None, rest: str) -> None:
        if name:
            self.builder.name(seat, name)
            self.book.learn(name, seat)
        if not rest:
            if name:
                return
            raise piece.error(piece.text, "a call, cards or a name after the seat")
        if mark == "=":
            self.builder.name(seat, rest)
            self.book.learn(rest, seat)
            return
        claim = CLAIM.fullmatch(rest)
        if claim:
            self._settle()
            self._claim(piece, seat, claim)
            return
        word = VERB.sub("", rest, count=1)
        try:
            call = call_text(word, None, self.mapping.calls)
        except CallTextError:
            call = None
        suit, called = "", ""
        if call is None:
            call, suit, called = self._at_once(piece, word)
        cards = split_cards(rest)
        spoken = VERB.match(rest) is not None  # nobody "plays" a hand of cards
        if call is None and not spoken and (len(cards) > 1 or self.style.find(rest) is not None):
            self.builder.hand(seat, [self._card(piece, t) for t in cards])
            return
        if call is None:
            raise piece.error(word, CALL_EXPECTED)
        if self.settled:
            raise piece.error(piece.text, "no call after the first card")
        self.calls.append((seat, call))
        if call != "-":
            self.declarer = seat
        if suit:
            self._trump(piece, suit)
        if called:
            self._called(piece, called)

    def _at_once(self, piece: Piece, word: str) -> tuple[str | None, str, str]:
        """Call, trump suit and called card of ``150 in harten met schoppenaas``.

        No call where the text begins with none, or is a hand of cards.
        """
        text, called = at_once(word)
        bid, suit = bid_and_suit(text, self.style) or (text, "")
        start, rest = call_before(bid)
        if not start:
            start, rest = call_before(text)
        if not start or all(self.style.find(t) is not None for t in split_cards(word)):
            return None, "", ""
        if rest or start in ("", "-"):
            raise piece.error(rest or word, AT_ONCE)
        call = call_text(start, None, self.mapping.calls)
        if call == "-":
            raise piece.error(suit or called, AT_ONCE)
        return call, suit, called

    def _card(self, piece: Piece, text: str) -> int | None:
        if is_unknown(text):
            return None
        try:
            return self.style.card(text)
        except CardTextError:
            raise piece.error(text, f"a card ({self.style.label})") from None

    def _one_card(self, piece: Piece, text: str) -> int | None:
        card = "".join(split_cards(text))
        if card and not is_unknown(card) and self.style.find(card) is None:
            raise piece.error(text, f"a card ({self.style.label})")
        return self._card(piece, card)

    def _claim(self, piece: Piece, seat: int, claim: re.Match[str]) -> None:
        word = claim[1].lower()
        if word == "roem":
            if claim[2] is None:
                raise piece.error(claim[0], "the value of the roem, such as roem 50")
            self.builder.claim(seat, "roem", int(claim[2]))
        elif claim[2] is not None:
            raise piece.error(claim[2], "no number after this announcement")
        else:
            self.builder.claim(seat, "stuk" if word == "stuk" else "deny")

    # --- keywords ----------------------------------------------------------------------------

    def _trump(self, piece: Piece, rest: str) -> None:
        if is_no_trump(rest) and rest:
            self.builder.declare(self.declarer, "-", None)
            return
        try:
            self.builder.declare(self.declarer, self.style.suit(rest), None)
        except CardTextError:
            raise piece.error(rest, "a trump suit") from None

    def _called(self, piece: Piece, rest: str) -> None:
        if is_no_trump(rest) or fold(rest) in ALONE:
            self.builder.declare(self.declarer, None, "-")
        else:
            self.builder.declare(self.declarer, None, self._one_card(piece, rest))

    def _discard(self, piece: Piece, rest: str) -> None:
        none = rest == "-"
        self.builder.discard("-" if none else self._one_card(piece, rest), self.declarer)

    def _middle(self, piece: Piece, rest: str) -> None:
        self.builder.middle(self._one_card(piece, rest))

    def _dealer(self, piece: Piece, rest: str) -> None:
        seat = self.book.find(rest)
        if seat is None:
            raise piece.error(rest, "the seat of the dealer")
        self.builder.dealer(seat)

    def _rules(self, piece: Piece, rest: str) -> None:
        self.rules = rest

    def _date(self, piece: Piece, rest: str) -> None:
        found = self.dates.iso(rest)
        if found is None:
            raise piece.error(rest, DATE_EXPECTED)
        self.builder.date(found)

    def _players(self, piece: Piece, rest: str) -> None:
        names = [n.strip() for n in re.split(r"[,;\n]", rest) if n.strip()]
        if len(names) != 4:
            raise piece.error(rest, "four names, in the order North, East, South, West")
        for seat, name in enumerate(names):
            self.builder.name(seat, name)
            self.book.learn(name, seat)

    def _hand(self, piece: Piece, rest: str) -> None:
        number = rest.strip(" :.")
        if not number.isalnum():
            raise piece.error(rest, "the number of the hand")
        self.builder.meta("hand", number)

    def _points(self, piece: Piece, rest: str) -> None:
        pair = _PAIR.fullmatch(rest) or re.fullmatch(r"(\d{1,3})()", rest)
        if pair is None:
            raise piece.error(rest, "points, such as 132-14")
        if not pair[2]:
            self.builder.meta("server_points", pair[1])
        else:
            self.builder.result(points=(int(pair[1]), int(pair[2])))

    def _outcome(self, piece: Piece, rest: str) -> None:
        word, _, numbers = rest.partition(" ")
        outcome = outcome_word(word, self.mapping.results)
        if outcome is None:
            self._points(piece, rest)
            return
        self.builder.result(outcome=outcome)
        if numbers.strip():
            self._points(piece, numbers.strip(" ()"))

    def _plays(self, piece: Piece, rest: str) -> None:
        self._settle()
        for text in split_cards(rest):
            self._play(piece, text, None)

    # --- tricks ------------------------------------------------------------------------------

    def _trick(self, piece: Piece) -> None:
        before = self.builder.plays
        if before != 4 * (piece.number - 1):
            raise piece.error(piece.text, f"four cards in trick {piece.number - 1}")
        text = piece.text
        leader: int | None = None
        head = SEAT_HEAD.match(text)
        if head and len(head[1]) > 1:
            leader = compass(head[1])
            text = head[4]
        text = re.sub(r"(?i)\b(?:([neoszw])\s*:\s*)?roem\s+(\d+)", _joined, text)
        for token in split_cards(text):
            seat_text, colon, rest = token.rpartition(":")
            paren = re.fullmatch(r"\(([A-Za-z]+)\)(.+)", token)
            seat = compass(paren[1]) if paren else compass(seat_text) if colon else None
            rest = paren[2] if paren else rest
            if (colon or paren) and seat is None:
                raise piece.error(token, "a seat before the card")
            claim = CLAIM.fullmatch(rest)
            if claim:
                seat = self.declarer if seat is None else seat
                if seat is None:
                    raise piece.error(token, "who announces, such as Z:roem50")
                self._claim(piece, seat, claim)
                continue
            if self.builder.plays >= before + 4:
                raise piece.error(token, f"four cards in trick {piece.number}")
            self._play(piece, rest, seat if seat is not None else leader)
            leader = None
        if self.builder.plays == before:
            raise piece.error(piece.text, f"the cards of trick {piece.number}")

    def _play(self, piece: Piece, text: str, seat: int | None) -> None:
        self.builder.play(self._card(piece, text), seat)
