"""What both encodings of the notation share: cards, calls, claims, results, META, notes.

Every reader here gets the text of one field and raises :class:`FieldError` with the offset of the
offending token in it; the caller knows in which file and line the field stands.
"""

import re
from collections.abc import Iterable

from engine.cards import CARD_INDEX, CARDS, SEATS, SUITS
from engine.record import (
    Claim,
    ClaimKind,
    Outcome,
    Play,
    Result,
    is_call_text,
)

MAX_PLY = 32
OWNERS = SEATS + "M"

CARD_PATTERN = "[SHDCshdc♠♥♦♣♤♡♢♧]\ufe0f?(?:10|[AKQJTakqjt6-9])"
A_CARD = "a card (suit S H D C, then rank A K Q J T 9 8 7; the only six is H6)"
A_CALL = "a call (-, a number, or a code such as pic, mis, pan, pan+20)"
A_SEAT = "a seat (N, E, S or W)"
A_CLAIM = "roemNUMBER, deny, stuk, show:CARD, run:CARDS or set:CARDS"

_SUIT_SIGNS = str.maketrans("shdc♠♥♦♣♤♡♢♧akqjt", "SHDCSHDCSHDCAKQJT", "\ufe0f")
_CARD = re.compile(CARD_PATTERN)
_PAIR = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_SCORE = re.compile("([NESW])([+-]?[0-9]{1,6})")
_CLAIM = re.compile(rf"roem([0-9]{{1,4}})|deny|stuk|(?:show|run|set):((?:{CARD_PATTERN})+)")

PLAYS: tuple[Play, ...] = tuple(Play(c) for c in range(len(CARDS)))
"""One shared play a card, for the usual case that no seat is written."""


class FieldError(ValueError):
    """A field that cannot be read: where in it (offset from 0), what stands there, what should."""

    def __init__(self, offset: int, token: str, expected: str) -> None:
        super().__init__(f"found {token!r}, expected {expected}")
        self.offset = offset
        self.token = token
        self.expected = expected


# Cards and suits ------------------------------------------------------------------------------


def read_card(text: str, offset: int = 0) -> int:
    """A card as readers accept it: also ``10``, lower case and suit signs.

    >>> CARDS[read_card("h10")], CARDS[read_card("♣️7")]
    ('HT', 'C7')
    """
    index = CARD_INDEX.get(text)
    if index is None and _CARD.fullmatch(text):
        index = CARD_INDEX.get(text.translate(_SUIT_SIGNS).replace("10", "T"))
    if index is None:
        raise FieldError(offset, text, A_CARD)
    return index


def read_cards(text: str, offset: int = 0) -> tuple[int, ...]:
    """One card or more, written without anything between them."""
    found = []
    at = 0
    while at < len(text):
        m = _CARD.match(text, at)
        token = m[0] if m else text[at : at + 2]
        found.append(read_card(token, offset + at))
        at += len(token)
    return tuple(found)


def read_suit(text: str, offset: int = 0) -> str:
    """A suit letter as readers accept it, ``-`` (none) or ``?`` (unknown)."""
    suit = text.translate(_SUIT_SIGNS)
    if len(suit) == 1 and suit in SUITS + "-?":
        return suit
    raise FieldError(offset, text, "a suit letter (S H D C), - for none or ? for unknown")


def read_card_or_none(text: str, offset: int = 0) -> str:
    """The name of a card, ``-`` (none) or ``?`` (unknown)."""
    if text in ("-", "?"):
        return text
    try:
        return CARDS[read_card(text, offset)]
    except FieldError as e:
        raise FieldError(offset, text, e.expected + ", - for none or ? for unknown") from None


def read_seat(text: str, offset: int = 0, expected: str = A_SEAT) -> int:
    """The index of a seat letter."""
    i = SEATS.find(text) if len(text) == 1 else -1
    if i < 0:
        raise FieldError(offset, text, expected)
    return i


def read_number(text: str, low: int, high: int, offset: int, expected: str) -> int:
    """A whole number between bounds, digits only."""
    if text.isascii() and text.isdigit() and len(text) <= 6 and low <= int(text) <= high:
        return int(text)
    raise FieldError(offset, text, expected)


def read_contract(text: str, offset: int = 0) -> str | None:
    """A contract by its call; ``?`` is ``None`` (unknown)."""
    if text == "?":
        return None
    if text != "-" and is_call_text(text):
        return text
    raise FieldError(offset, text, "a contract (a number or a code such as pic, mis, pan) or ?")


# The deal ---------------------------------------------------------------------------------------


def read_deal_extra(text: str, offset: int) -> tuple[tuple[int, str], ...]:
    """The META key ``deal_extra``: ``CARD:OWNER`` joined by commas."""
    extra = []
    for part in text.split(","):
        card, colon, owner = part.partition(":")
        if not colon or len(owner) != 1 or owner not in OWNERS:
            raise FieldError(offset, part, "CARD:OWNER (owner N E S W or M), joined by commas")
        extra.append((read_card(card, offset), owner))
        offset += len(part) + 1
    return tuple(extra)


# Claims ----------------------------------------------------------------------------------------


def read_claim(ply: int, seat: int, text: str, offset: int, joint: str = ":") -> Claim:
    """An announcement without ply and seat; ``joint`` stands between its word and its cards.

    In the text form the joint is ``=`` and a roem is written ``roem=50``.
    """
    plain = text
    if joint == "=":
        if ":" in text or re.fullmatch("roem[0-9]*", text):
            raise FieldError(offset, text, A_CLAIM.replace("roem", "roem=").replace(":", "="))
        plain = text.replace("roem=", "roem", 1).replace("=", ":", 1)
    m = _CLAIM.fullmatch(plain)
    if m:
        if m[1]:
            return Claim(ply, seat, "roem", int(m[1]))
        if not m[2]:
            return Claim(ply, seat, "deny" if plain == "deny" else "stuk")
    word, _, cards_text = plain.partition(":")
    kinds: dict[str, ClaimKind] = {"show": "show", "run": "run", "set": "set"}
    if word in kinds and cards_text:
        cards = read_cards(cards_text, offset + len(word) + 1)
        if word == "show" and len(cards) > 1:
            raise FieldError(offset + len(word) + 1, cards_text, "one card")
        return Claim(ply, seat, kinds[word], None, cards)
    expected = A_CLAIM if joint == ":" else A_CLAIM.replace("roem", "roem=").replace(":", "=")
    raise FieldError(offset, text, expected)


def sorted_claims(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Claims by ply; those at one ply stay in the order said."""
    return tuple(sorted(claims, key=lambda c: c.ply))


# Results ---------------------------------------------------------------------------------------


def read_outcome(text: str, offset: int = 0) -> Outcome:
    """``made``, ``lost`` or ``void``."""
    outcomes: dict[str, Outcome] = {"made": "made", "lost": "lost", "void": "void"}
    if text not in outcomes:
        raise FieldError(offset, text, "made, lost or void")
    return outcomes[text]


def read_pair(text: str, offset: int = 0) -> tuple[int, int]:
    """Two numbers, declarer's side and the defenders: ``132-14``."""
    m = _PAIR.fullmatch(text)
    if not m:
        raise FieldError(
            offset, text, "two numbers joined by - (declarer's side, defenders), such as 132-14"
        )
    return int(m[1]), int(m[2])


def read_score(text: str, joint: str, offset: int = 0) -> tuple[int, int, int, int]:
    """The score of each seat, ``N+1,E0,S+1,W0``; ``joint`` stands between the parts."""
    parts = text.split(joint)
    values: dict[str, int] = {}
    for part in parts:
        m = _SCORE.fullmatch(part)
        if not m or m[1] in values:
            raise FieldError(offset, part, "the score of N, E, S and W once each, such as N+1")
        values[m[1]] = int(m[2])
        offset += len(part) + len(joint)
    if len(values) != len(SEATS):
        raise FieldError(offset - len(joint) - len(text), text, "a score for each of N, E, S and W")
    n, e, s, w = (values[seat] for seat in SEATS)
    return n, e, s, w


def score_text(score: tuple[int, int, int, int], joint: str) -> str:
    """The score of each seat as written.

    >>> score_text((1, 0, -2, 0), ",")
    'N+1,E0,S-2,W0'
    """
    return joint.join(f"{s}{v:+d}" if v else f"{s}0" for s, v in zip(SEATS, score))


def unwritable(result: Result) -> list[str]:
    """Names of the parts of a result that the notation has no room for.

    >>> unwritable(Result(points=(132, 14), conceded=150))
    ['conceded']
    """
    out = []
    for name, pair in (("points", result.points), ("tricks", result.tricks)):
        if pair is not None and not _PAIR.fullmatch("{}-{}".format(*pair)):
            out.append(name)
    score = result.score
    if score is not None and not all(
        _SCORE.fullmatch(p) for p in score_text(score, ",").split(",")
    ):
        out.append("score")
    if result.conceded is not None and not 0 <= result.conceded <= MAX_PLY:
        out.append("conceded")
    return out


def read_partner(text: str, offset: int = 0) -> int:
    """A seat, or -1 for ``-`` (the source says there was none)."""
    return -1 if text == "-" else read_seat(text, offset, A_SEAT + ", or - for none")


def read_ply(text: str, offset: int = 0) -> int:
    """A number of cards on the table."""
    return read_number(text, 0, MAX_PLY, offset, f"a number of cards on the table, 0-{MAX_PLY}")


def partner_text(partner: int) -> str:
    """A partner as written: the seat, ``-`` for none."""
    return "-" if partner < 0 else SEATS[partner]
