"""The tag section of the text form: tags as they stand, and what they say of the record."""

import re
from dataclasses import dataclass, field, replace

from engine.cards import CARDS, SEATS, SUITS
from engine.record import Result
from parsers.canonical import settle_owners
from parsers.fields import (
    A_SEAT,
    FieldError,
    read_card,
    read_card_or_none,
    read_contract,
    read_outcome,
    read_pair,
    read_partner,
    read_ply,
    read_score,
    read_seat,
    read_suit,
)
from parsers.meta import OUTCOME_TAGS, STRUCTURAL_TAGS, decode, tag_to_key
from parsers.phn_scan import Unreadable, line_end

NO_RULES = ("?", ".")

_TAG = re.compile(r'\[[ \t]*([^\s"\[\]]+)[ \t]+"((?:[^"\\\r\n]|\\[^\r\n])*)"[ \t]*\]')
_OPEN_QUOTE = re.compile(r'\[[ \t]*[^\s"\[\]]+[ \t]+"(?:[^"\\\r\n]|\\[^\r\n])*\\?')
_ESCAPE = re.compile(r'\\(?:(["\\])|u([0-9a-fA-F]{4}))')
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_RULES = re.compile("([^@]+)(?:@([0-9a-fA-F]{8}))?", re.DOTALL)
_WORD = re.compile(r"\S+")
_HAND = re.compile(r"(?:([NESW]):)?(.+)", re.DOTALL)
_RANK = re.compile("10|[AKQJTakqjt6-9]")


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: its name and value in plain text, and where the tag and its value begin."""

    name: str
    value: str
    at: int
    value_at: int


def quoted(value: str) -> str:
    """A tag value between its quotes.

    >>> print(quoted('say "roem"'), quoted("two\\nlines"))
    "say \\"roem\\"" "two\\u000alines"
    """
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_CONTROL.sub(lambda m: f"{chr(92)}u{ord(m[0]):04x}", plain)}"'


def read_tag(text: str, at: int, limit: int) -> tuple[Tag, int]:
    """The tag that begins at ``at``, and where it ends."""
    m = _TAG.match(text, at, limit)
    if m is None:
        q = _OPEN_QUOTE.match(text, at, limit)
        end = line_end(text, at, limit)
        if q is not None and q.end() >= end:
            quote = text.index('"', at)
            raise Unreadable(
                quote, text[quote:end], 'a closing " before the line ends (\\" inside)', True
            )
        raise Unreadable(at, text[at:end], 'a tag: [Name "value"]')
    name, value = m[1], m[2]
    if "\\" in value:
        value = _ESCAPE.sub(lambda e: e[1] or chr(int(e[2], 16)), value)
    try:
        name = decode(name)
    except FieldError:
        name = m[1]  # A percent sign that encodes nothing: the name is what stands there.
    return Tag(name, value, at, m.start(2)), m.end()


@dataclass(slots=True)
class Header:
    """What the tags of one hand say."""

    rules: str | None = None
    rules_hash: str | None = None
    dealer: int | None = None
    owners: dict[int, list[str]] = field(default_factory=dict)
    declarer: int | None = None
    contract: str | None = None
    has_outcome: bool = False
    declaration: dict[str, str] = field(default_factory=dict)
    result: Result = field(default_factory=Result)
    meta: list[tuple[str, str]] = field(default_factory=list)

    def part(self, tag: str) -> str | None:
        """A part of the declaration; one missing beside others is unknown."""
        return self.declaration.get(tag, "?") if self.declaration else None

    def deal(self) -> tuple[str, tuple[tuple[int, str], ...]]:
        """DEAL and the further owners."""
        return settle_owners(self.owners)


def read_header(tags: list[Tag], calls_known: bool) -> Header:
    """What the tags say; ``calls_known`` leaves Declarer and Contract to META.

    Raises :class:`parsers.phn_scan.Unreadable` at the offending part of a value.
    """
    structural = STRUCTURAL_TAGS - OUTCOME_TAGS if calls_known else STRUCTURAL_TAGS
    header = Header()
    seen: set[str] = set()
    for tag in tags:
        if tag.name not in structural:
            header.meta.append((tag_to_key(tag.name), tag.value))
            continue
        if tag.name in seen:
            raise Unreadable(tag.at, f"[{tag.name}", f"one {tag.name} tag a hand")
        seen.add(tag.name)
        try:
            _read_value(header, tag.name, tag.value)
        except FieldError as e:
            raise Unreadable(tag.value_at + e.offset, e.token, e.expected) from None
    return header


def _read_value(header: Header, name: str, value: str) -> None:
    if name == "Rules":
        header.rules, header.rules_hash = _read_rules(value)
    elif name == "Dealer":
        header.dealer = None if value == "?" else read_seat(value, 0, A_SEAT + " or ?")
    elif name == "Deal":
        _read_deal(header.owners, value)
    elif name == "Middle":
        for m in _WORD.finditer(value):
            header.owners.setdefault(read_card(m[0], m.start()), []).append("M")
    elif name == "Trump":
        header.declaration[name] = read_suit(value)
    elif name in ("Called", "Discard"):
        header.declaration[name] = read_card_or_none(value)
    elif name == "Declarer":
        header.has_outcome = True
        header.declarer = None if value == "?" else read_seat(value, 0, A_SEAT + " or ?")
    elif name == "Contract":
        header.has_outcome = True
        header.contract = read_contract(value)
    elif name == "Result":
        header.result = replace(header.result, outcome=read_outcome(value))
    elif name == "Points":
        header.result = replace(header.result, points=read_pair(value))
    elif name == "Tricks":
        header.result = replace(header.result, tricks=read_pair(value))
    elif name == "Score":
        header.result = replace(header.result, score=read_score(value, " "))
    elif name == "Conceded":
        header.result = replace(header.result, conceded=read_ply(value))
    else:
        header.result = replace(header.result, partner=read_partner(value))


def _read_rules(value: str) -> tuple[str | None, str | None]:
    if value in NO_RULES:
        return None, None
    m = _RULES.fullmatch(value)
    if not m:
        at = max(value.find("@"), 0)
        raise FieldError(at, value[at:], "ID or ID@HASH (8 hex digits)")
    return decode(m[1]), m[2] and m[2].lower()


def _read_deal(owners: dict[int, list[str]], value: str) -> None:
    """``N:AJ98.T7.KQ. E:…``: four hands, suits S.H.D.C; ``-`` is a hand of which nothing is known.

    As in PBN the letter may be left out after the first hand; the hands then follow clockwise.
    """
    words = list(_WORD.finditer(value))
    seen: set[int] = set()
    seat = -1
    for word in words:
        m = _HAND.fullmatch(word[0])
        if m is None or (m[1] is None and seat < 0):
            raise FieldError(word.start(), word[0], "SEAT:SPADES.HEARTS.DIAMONDS.CLUBS")
        seat = (seat + 1) % 4 if m[1] is None else SEATS.index(m[1])
        if seat in seen:
            raise FieldError(word.start(), word[0], f"each hand once ({SEATS[seat]} is there)")
        seen.add(seat)
        _read_hand(owners, SEATS[seat], m[2], word.start() + m.start(2))
    if len(seen) != len(SEATS):
        raise FieldError(0, value, f"four hands (found {len(seen)}); - for one not known")


def _read_hand(owners: dict[int, list[str]], seat: str, text: str, at: int) -> None:
    if text == "-":
        return
    suits = text.split(".")
    if len(suits) != len(SUITS):
        raise FieldError(at, text, "four suits S.H.D.C joined by . (or - where nothing is known)")
    for suit, ranks in zip(SUITS, suits):
        i = 0
        while i < len(ranks):
            m = _RANK.match(ranks, i)
            token = m[0] if m else ranks[i]
            try:
                card = read_card(suit + token)
            except FieldError:
                expected = f"a rank of {suit}: A K Q J T 9 8 7" + (" 6" if suit == "H" else "")
                raise FieldError(at + i, token, expected) from None
            owners.setdefault(card, []).append(seat)
            i += len(token)
        at += len(ranks) + 1


def deal_text(owners: dict[int, list[str]]) -> str:
    """The value of the Deal tag; empty where no hand is known.

    >>> deal_text({0: ["N"], 16: ["W", "N"]})
    'N:A.6.. E:- S:- W:.6..'
    """
    hands: dict[str, list[list[str]]] = {}
    for card in sorted(owners):
        name = CARDS[card]
        for owner in owners[card]:
            if owner in SEATS:
                suits = hands.setdefault(owner, [[], [], [], []])
                suits[SUITS.index(name[0])].append(name[1])
    if not hands:
        return ""
    return " ".join(
        f"{s}:" + (".".join("".join(suit) for suit in hands[s]) if s in hands else "-")
        for s in SEATS
    )
