"""The text of a typed hand, cut into statements and tricks (see :mod:`parsers.typed`)."""

import re
from dataclasses import dataclass
from typing import Literal

from parsers.cardtext import split_cards
from parsers.words import CallTextError, call_text, fold, outcome_word

Kind = Literal["statement", "trick", "cards"]

TRICK = re.compile(r"(?i)(?:(?<=^)|(?<=[\s;,/.]))(?:slag\s*|trick\s*)?([1-9]\d?)\s*[.):](?=\s*\S)")
SEAT_HEAD = re.compile(
    r"(?i)(noord|north|oost|east|zuid|south|west|[neoszw](?=\s*[:=(]))\b\s*"
    r"(?:\(([^)]*)\))?\s*([:=])?\s*(.*)",
    re.DOTALL,
)
VERB = re.compile(r"(?i)(?:speelt|speel|plays|biedt|bied|bids|bid|zegt|says)\s+")
_CALLED = re.compile(
    r"(?i)\s+(?:en\s+|and\s+)?(?:met|mee|vraagt(?:\s+mee)?|with|calling|calls)\s+(?!\d)"
)
CLAIM = re.compile(r"(?i)(roem|stuk|deny|ontkent)\s*(\d{1,3})?")
_KEYS = (
    ("trump", r"troef\s*(?:is\s+)?[:=]?|trumps?\s*(?:are\s+|is\s+)?[:=]?"),
    ("called", r"(?:vraagt\s+)?mee(?:gevraagd)?\s*[:=]?|vraagt\s*[:=]?|maat\s*[:=]|"
               r"calls?\s*[:=]?|called\s*[:=]?|calling\s*[:=]?|with\s+"),
    ("discard", r"weg(?:gelegd)?\s*[:=]?|legt\s+weg\s*[:=]?|discards?\s*[:=]?|discarded\s*[:=]?"),
    ("middle", r"kijkkaart\s*[:=]?|midden\s*[:=]?|middle(?:\s+card)?\s*[:=]?|turn-?up\s*[:=]?"),
    ("dealer", r"gever\s*[:=]?|deler\s*[:=]?|dealer\s*[:=]?"),
    ("rules", r"regels\s*[:=]|rules\s*[:=]"),
    ("date", r"datum\s*[:=]?|date\s*[:=]?"),
    ("players", r"spelers\s*[:=]|players\s*[:=]"),
    ("hand", r"(?:spel|hand|potje|board|game)\s*[:=]?\s*(?=\d)"),
    ("points", r"punten\s*[:=]?|points\s*[:=]?"),
    ("outcome", r"uitslag\s*[:=]?|result\s*[:=]?"),
    ("plays", r"gespeeld\s*[:=]|play(?:ed)?\s*[:=]|kaarten\s*[:=]"),
)  # fmt: skip
_EDGE = r"(?:(?<![A-Za-z])|(?![A-Za-z]))"  # not in the middle of a word
_KEY_RES = tuple((name, re.compile(rf"(?i)(?:{pattern}){_EDGE}\s*")) for name, pattern in _KEYS)
ALONE = {"alleen", "alone", "solo", "geenmaat", "nopartner"}


class TypedError(ValueError):
    """A piece of a typed hand that is not understood, with its place."""

    def __init__(self, line: int, column: int, token: str, expected: str) -> None:
        super().__init__(expected)
        self.line, self.column, self.token, self.expected = line, column, token[:80], expected


@dataclass(slots=True)
class Piece:
    """One statement or trick: its text and where it begins."""

    kind: Kind
    text: str
    line: int
    column: int
    number: int = 0
    start: int = 0

    def error(self, token: str, expected: str) -> TypedError:
        """A fault in this piece; its column is that of ``token`` where it can be found."""
        at = self.text.find(token) if token else 0
        before = self.text[: max(at, 0)]
        line = self.line + before.count("\n")
        column = len(before) - before.rfind("\n") if "\n" in before else self.column + len(before)
        return TypedError(line, column, token or self.text, expected)


def card_texts(pieces: list[Piece]) -> tuple[list[str], list[str]]:
    """Card texts and trump suits of some pieces, to settle the style of the file."""
    cards: list[str] = []
    suits: list[str] = []
    for piece in pieces:
        text = piece.text
        if piece.kind == "statement":
            key, rest = key_of(text)
            if key == "trump":
                suits.append(rest)
                continue
            head = SEAT_HEAD.fullmatch(text)
            if key in ("called", "discard", "middle", "plays"):
                text = rest
            elif head:
                bid, card = at_once(head[4])
                # The words of a call are no cards: "150 in harten met SA" has one.
                text = card if card and call_before(bid)[0] else head[4]
            elif key is not None:
                continue
        cards += [t.rpartition(":")[2].strip("()") for t in split_cards(text)]
    return cards, suits


def at_once(text: str) -> tuple[str, str]:
    """Bid (with its suit) and called card of a statement that tells them in one breath.

    >>> at_once("speelt 150 in harten met schoppenaas"), at_once("pandoer")
    (('150 in harten', 'schoppenaas'), ('pandoer', ''))
    """
    bid, *called = _CALLED.split(VERB.sub("", text, count=1), maxsplit=1)
    return bid, called[0] if called else ""


def date_texts(pieces: list[Piece]) -> list[str]:
    """The dates of some pieces, to settle whether the day or the month comes first."""
    told = (key_of(p.text) for p in pieces if p.kind == "statement")
    return [rest for key, rest in told if key == "date"]


def key_of(text: str) -> tuple[str | None, str]:
    """The keyword that a statement begins with, and the rest of it."""
    for name, pattern in _KEY_RES:
        m = pattern.match(text)
        if m:
            return name, text[m.end() :].strip()
    return None, text


def cut(text: str, first_line: int) -> tuple[list[Piece], list[str]]:
    """The pieces of the text of one hand, and its comments (in braces), which are set aside.

    Raises :class:`TypedError` for a brace without its like and for tricks out of order.
    """
    comments: list[str] = []

    def aside(m: re.Match[str]) -> str:
        comments.append(m[0][1:-1].strip())
        return re.sub(r"[^\n]", " ", m[0])

    body = re.sub(r"\{[^{}]*\}", aside, text)
    for mark in "{}":
        at = body.find(mark)
        if at >= 0:
            line = first_line + body.count("\n", 0, at)
            column = at - body.rfind("\n", 0, at)
            raise TypedError(line, column, mark, "a comment between { and }")
    pieces: list[Piece] = []
    markers = list(TRICK.finditer(body))
    # "1." begins the tricks; numbers before it belong to statements ("spel 3:").
    start = next((i for i, m in enumerate(markers) if m[1] == "1"), len(markers))
    markers = markers[start:]
    end = markers[0].start() if markers else len(body)
    _statements(body, 0, end, first_line, pieces)
    for i, m in enumerate(markers):
        stop = markers[i + 1].start() if i + 1 < len(markers) else len(body)
        cut = re.compile(r"[;\n]").search(body, m.end(), stop)
        while cut and _only_cards(body[cut.end() : stop]):
            cut = None
        to = cut.start() if cut else stop
        line, column = _place(body, m.start(), first_line)
        if m[1] != str(i + 1):
            raise TypedError(line, column, m[0].strip(), f"trick {i + 1}")
        at = m.end() + len(body[m.end() : to]) - len(body[m.end() : to].lstrip())
        line, column = _place(body, at, first_line)
        pieces.append(Piece("trick", body[at:to].strip(" \t\n,;/"), line, column, i + 1))
        if cut:
            _statements(body, cut.end(), stop, first_line, pieces)
    return pieces, comments


def _only_cards(text: str) -> bool:
    """Whether what follows a line end in a trick is still cards (a trick over two lines)."""
    words = text.split()
    return (
        bool(words)
        and all(re.fullmatch(r"(?:\S:)?[\w♠♥♦♣]{2,3}", w) for w in words)
        and (outcome_word(text) is None and key_of(text.strip())[0] is None)
    )


def _place(body: str, at: int, first_line: int) -> tuple[int, int]:
    return first_line + body.count("\n", 0, at), at - body.rfind("\n", 0, at)


def _statements(body: str, start: int, end: int, first_line: int, pieces: list[Piece]) -> None:
    """Statements between two places; a piece that begins with no keyword goes on the last list."""
    for m in re.compile(r"[^,;\n]+").finditer(body, start, end):
        text = m[0].strip(" \t.")
        if not text:
            continue
        at = m.start() + len(m[0]) - len(m[0].lstrip(" \t."))
        line, column = _place(body, at, first_line)
        last = pieces[-1] if pieces else None
        if last is not None and last.kind == "statement" and _goes_on(last.text, text):
            last.text = body[last.start : m.end()].rstrip(" \t.")
            continue
        pieces.append(Piece("statement", text, line, column, start=at))


def _goes_on(last: str, text: str) -> bool:
    """Whether a piece after a comma goes on with the list of the statement before it."""
    key, _ = key_of(text)
    if key is not None or SEAT_HEAD.fullmatch(text) or fold(text) in ALONE:
        return False
    if outcome_word(text) is not None:
        return False
    before, rest = key_of(last)
    if before == "players":
        return True
    head = SEAT_HEAD.fullmatch(last)
    listed = rest if before == "plays" else (head[4] if head else "")
    return (
        bool(listed)
        and len(split_cards(listed)) >= 1
        and not CLAIM.match(listed)
        and all(len(t) <= 16 for t in split_cards(text))
        and not _is_call(listed)
    )


def call_before(text: str) -> tuple[str, str]:
    """The longest call that a text begins with, and what stands behind it.

    >>> call_before("150 op zijn sloffen"), call_before("zwembad")
    (('150', 'op zijn sloffen'), ('', 'zwembad'))
    """
    for m in reversed(list(re.finditer(r"\s+|$", text))):
        if text[: m.start()].strip() and _is_call(text[: m.start()]):
            return text[: m.start()], text[m.end() :]
    return "", text


def _is_call(text: str) -> bool:
    try:
        call_text(VERB.sub("", text, count=1))
    except CallTextError:
        return False
    return True
