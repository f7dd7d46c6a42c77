"""A hand typed by a person, in Dutch or English, as one would tell it.

``Zuid: 150, troef harten, mee: schoppenaas; 1. HB H9 H7 H8 2. SA …``. docs/parsers.md has worked
examples and every word that is understood. A text is cut into statements and tricks; a piece that
is not understood is a reject that names its place, or kept as a comment if it is plain words.
"""

import re
from collections.abc import Sequence

from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Source, Warn
from parsers.build import BuildError
from parsers.cardtext import StyleError, decide_style
from parsers.dates import DAY_FIRST, Dates
from parsers.mapping import mapping_of
from parsers.rulechoice import DEFAULT_RULES
from parsers.text import read_texts
from parsers.typed_hand import TypedHand
from parsers.typed_pieces import (
    TRICK,
    Piece,
    TypedError,
    at_once,
    call_before,
    card_texts,
    date_texts,
)

_SEAT = r"(?:noord|north|oost|east|zuid|south|west|[neoszw](?=\s*[:=]))"
_CALLER = re.compile(
    rf"(?i)(?:^|[\s;,])({_SEAT})\b\s*(?:\([^)\n]*\)\s*)?[:=]?\s*"
    r"(?:speelt|plays|bied[t]?|bids?|zegt|says)?\s*([A-Za-zèéê +-]{1,24}|\d{2,3})"
)
_TRUMP = re.compile(r"(?i)\b(?:troef|trumps?|zonder troef|no trumps?)\b")
_IN_SUIT = re.compile(
    r"(?i)\b(?:in|met|with)\s+(?:schoppen|harten|ruiten|klaver|spade|heart|diamond|club)"
)
_RULE = re.compile(r"^\s*(?:[-=*_]{3,}|(?:spel|hand|potje|board|game)\s+\d+\s*[:.]?)\s*$", re.I)


class TypedParser:
    """Reads hands that a person typed."""

    name = "typed"

    def recognise(self, text: str, name: str) -> bool:
        """Plain text in which a seat makes a call, and a trump suit or tricks are told."""
        head = text[:20_000].lstrip("\ufeff \t\r\n")
        if head.startswith(("{", "[", "<", "(;")):
            return False
        calls = False
        for m in _CALLER.finditer(head):
            word = re.split(r"[,;.\n]", m[2], maxsplit=1)[0].strip()
            calls = bool(word) and bool(call_before(at_once(word)[0])[0])
            if calls:
                break
        marks = (_TRUMP, TRICK, _IN_SUIT)
        return calls and any(m.search(head) for m in marks)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_texts(sources, options, self.name, read_typed)


def read_typed(text: str, source: str = "-", options: Options | None = None) -> ParseResult:
    """The hands of a typed text.

    >>> r = read_typed("Zuid: 150, troef harten, mee: schoppenaas; 1. HB H9 H7 H8").records[0]
    >>> r.declarer, r.contract, r.trump, r.called, len(r.plays)
    (2, '150', 'H', 'SA', 4)
    >>> print(read_typed("Zuid: 150, troef rood").rejects[0])
    -:1:18: found 'rood', expected a trump suit
    """
    options = options or Options()
    result = ParseResult(format=TypedParser.name)
    text = re.sub(r"\r\n|\r", "\n", text.lstrip("\ufeff"))
    mapping = mapping_of(options.mapping)
    parts = cut_hands(text)
    hands = []
    for line, raw in parts:
        try:
            hands.append((line, raw, TypedHand.of(raw, line)))
        except TypedError as e:
            result.rejects.append(Reject(source, e.line, e.column, e.token, e.expected, raw))
    pieces = [p for _, _, hand in hands for p in hand.pieces]
    cards = mapping.cards
    try:
        style = decide_style(
            *card_texts(pieces), cards.language, cards.order, cards.suits, cards.ranks
        )
    except StyleError as e:
        for line, raw, _ in hands:
            result.rejects.append(Reject(source, line, 1, "", str(e), raw, "ambiguous"))
        return result
    dates = Dates(date_texts(pieces), mapping.dates.order)
    if dates.assumed:
        result.warnings.append(Warn(source, 1, DAY_FIRST))
    for line, raw, hand in hands:
        try:
            record = hand.read(style, dates, mapping, options)
        except TypedError as e:
            result.rejects.append(Reject(source, e.line, e.column, e.token, e.expected, raw))
        except RuleSetError as e:
            result.rejects.append(Reject(source, line, 1, "", str(e), raw, "unknown-rules"))
        except BuildError as e:
            result.rejects.append(Reject(source, line, 1, "", str(e), raw))
        else:
            if record is None:
                result.empty += 1
                continue
            result.hands.append(Located(record, source, line, raw, tuple(hand.builder.warnings)))
    unnamed = next((h.line for h in result.hands if h.record.rules is None), None)
    if unnamed is not None:
        result.warnings.append(Warn(source, unnamed, DEFAULT_RULES))
    return result


def cut_hands(text: str) -> list[tuple[int, str]]:
    """The hands of a text with their first lines.

    A new hand begins after a rule (``---``), at a heading (``Spel 2:``), or after a blank line
    where the text before it already had tricks and the text after it does not begin with one.

    >>> [line for line, _ in cut_hands("a\\n---\\nb\\n\\n1. x\\n\\nc")]
    [1, 3, 7]
    """
    parts: list[tuple[int, list[str]]] = [(1, [])]
    blank = False
    for number, line in enumerate(text.split("\n"), 1):
        if _RULE.match(line):
            heading = re.search(r"\d", line) is not None
            parts.append((number, [line]) if heading else (number + 1, []))
            blank = False
            continue
        if not line.strip():
            blank = True
            parts[-1][1].append(line)
            continue
        body = "\n".join(parts[-1][1])
        trick = TRICK.match(line.strip())
        if blank and TRICK.search(body) and (trick is None or trick[1] == "1"):
            parts.append((number, []))
        parts[-1][1].append(line)
        blank = False
    out = []
    for number, lines in parts:
        skip = next((i for i, t in enumerate(lines) if t.strip()), len(lines))
        body = "\n".join(lines[skip:]).rstrip()
        if body:
            out.append((number + skip, body))
    return out


__all__ = ["Piece", "TypedParser", "cut_hands", "read_typed"]
