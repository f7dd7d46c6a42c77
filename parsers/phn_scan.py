"""Places in a text of the text form, and the stretches that stand between an opening and its end.

A line ends at LF, CRLF or a lone CR; a byte-order mark at the start of any line is ignored, and is
not counted as a column.
"""

import re
from bisect import bisect_right

from parsers.fields import FieldError
from parsers.meta import decode, encode_all

BOM = "\ufeff"
NEW_HAND = '[Rules "'
"""What begins a new hand wherever it begins a line."""

SPACE = re.compile(r"(?:[ \t\r\n]|(?:(?<=[\r\n])|\A)\ufeff+)+")
_LINE_END = re.compile(r"\r\n?|\n")
_NEW_HAND = re.compile(r"(?:(?<=[\r\n])|\A)\ufeff*" + re.escape(NEW_HAND))
_MARKED_LINE = re.compile(r"\n\ufeff+")
# Controls that editors and terminals act on, and surrogates, which UTF-8 cannot write.
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_IN_VARIATION = re.compile(r"[(){;]")

_COMMAND = re.compile(r"\[%(enc|ply) ([A-Za-z0-9%]*)\]")


class Unreadable(Exception):
    """A token that cannot be read, by its position in the whole text.

    ``opening`` is set where the token is an opening that is never closed.
    """

    def __init__(self, at: int, token: str, expected: str, opening: bool = False) -> None:
        super().__init__(expected)
        self.at = at
        self.token = token
        self.expected = expected
        self.opening = opening


class Places:
    """Lines and columns of a text, and where in it new hands must begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(m.end() for m in _LINE_END.finditer(text))]
        self._cuts = [m.end() - len(NEW_HAND) for m in _NEW_HAND.finditer(text)]
        self._is_cut = frozenset(self._cuts)

    def line(self, at: int) -> int:
        """Line of a position, from 1."""
        return bisect_right(self._starts, at)

    def column(self, at: int) -> int:
        """Column of a position, from 1."""
        start = self._starts[self.line(at) - 1]
        while self.text.startswith(BOM, start) and start < at:
            start += 1
        return at - start + 1

    def begins_line(self, at: int) -> bool:
        """Whether only blanks stand before a position in its line."""
        return not self.text[self._starts[self.line(at) - 1] : at].strip(f" \t{BOM}")

    def next_cut(self, at: int) -> int:
        """Where the next hand must begin, after a position; the end of the text if nowhere."""
        i = bisect_right(self._cuts, at)
        return self._cuts[i] if i < len(self._cuts) else len(self.text)

    def is_cut(self, at: int) -> bool:
        """Whether a new hand must begin exactly here."""
        return at in self._is_cut


def skip_space(text: str, at: int, limit: int) -> int:
    """The first position from ``at`` on that is no blank."""
    m = SPACE.match(text, at, limit)
    return m.end() if m else at


def line_end(text: str, at: int, limit: int) -> int:
    """Where the line ends."""
    m = _LINE_END.search(text, at, limit)
    return m.start() if m else limit


def comment_end(text: str, at: int, limit: int) -> int:
    """The position after the ``}`` that closes the ``{`` at ``at``."""
    end = text.find("}", at, limit)
    if end < 0:
        raise Unreadable(at, "{", "a } that closes this comment before the hand ends", True)
    return end + 1


def variation_end(text: str, at: int, limit: int) -> int:
    """The position after the ``)`` that closes the ``(`` at ``at``; comments in it are skipped."""
    opened = [at]
    i = at + 1
    while opened:
        m = _IN_VARIATION.search(text, i, limit)
        if m is None:
            raise Unreadable(
                opened[-1], "(", "a ) that closes this variation before the hand ends", True
            )
        i = m.end()
        sign = m[0]
        if sign == "(":
            opened.append(m.start())
        elif sign == ")":
            opened.pop()
        elif sign == "{":
            i = comment_end(text, m.start(), limit)
        else:
            i = line_end(text, i, limit)
    return i


def free_text(text: str) -> str:
    """A comment or variation as its note keeps it: line ends as LF, no marks; ``[%enc …]`` undone.

    >>> free_text(" too early"), free_text("[%enc 7D]"), free_text("[%enc %7D]")
    (' too early', '7D', '}')
    """
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    if BOM in text:
        text = _MARKED_LINE.sub("\n", text)
    m = _COMMAND.fullmatch(text)
    if m and m[1] == "enc":
        try:
            return decode(m[2])
        except FieldError:
            return text  # Somebody else's command: it stays as it stands.
    return text


def place_command(text: str) -> str | None:
    """The place that the whole comment ``[%ply PLACE]`` moves to, if it is that command."""
    m = _COMMAND.fullmatch(text)
    return m[2] if m and m[1] == "ply" else None


def written_text(text: str, opening: str) -> str:
    """A note between its braces or parentheses, such that a reader finds the same text again.

    What cannot stand there as it is goes in percent encoding.

    >>> written_text("too early", "{"), written_text("a } in it", "{")
    ('{too early}', '{[%enc a%20%7D%20in%20it]}')
    """
    closing = "}" if opening == "{" else ")"
    whole = f"{opening}{text}{closing}"
    ends = comment_end if opening == "{" else variation_end
    try:
        safe = ends(whole, 0, len(whole)) == len(whole)
    except Unreadable:
        safe = False
    safe = safe and free_text(text) == text and not _COMMAND.fullmatch(text)
    safe = safe and not _NEW_HAND.search(whole) and not _UNWRITABLE.search(text)
    return whole if safe else f"{opening}[%enc {encode_all(text)}]{closing}"
