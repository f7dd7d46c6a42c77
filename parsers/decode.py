"""Bytes to text, and text to JSON, with limits and errors that name the place.

Order: byte-order mark, strict UTF-8, UTF-16 without a mark, then Windows-1252 with a warning.
Limits (also in docs/parsers.md): :data:`MAX_BYTES` a file, :data:`MAX_LINE` characters a line in
formats that are read by the line, :data:`MAX_DEPTH` levels in JSON.
"""

import codecs
import json
import math
import re
from dataclasses import dataclass
from typing import Any

from parsers.base import Source, Warn

MAX_BYTES = 512 * 1024 * 1024
MAX_LINE = 4 * 1024 * 1024
MAX_DEPTH = 200

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class DecodeError(ValueError):
    """Bytes that are no text: the sentence says what was found."""


class JsonError(ValueError):
    """A text that is no JSON, with its place (line and column from 1)."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a source and what its reader should know."""

    text: str
    warnings: tuple[Warn, ...] = ()


def decode(source: Source) -> Decoded:
    """The text of a source; raises :class:`DecodeError` for what is no text.

    >>> decode(Source("a", b"caf\\xc3\\xa9")).text, decode(Source("a", b"caf\\xe9")).text
    ('café', 'café')
    >>> decode(Source("a", b"\\x00\\x01\\x02"))
    Traceback (most recent call last):
    ...
    parsers.decode.DecodeError: a binary file (byte 0 is zero), expected a text
    """
    data = source.data
    if len(data) > MAX_BYTES:
        raise DecodeError(f"{len(data)} bytes, more than the limit of {MAX_BYTES}")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding, source.name)
    wide = _wide(data)
    if wide:
        return _strict(data, wide, source.name)
    zero = data.find(0)
    if zero >= 0:
        raise DecodeError(f"a binary file (byte {zero} is zero), expected a text")
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError as e:
        return _western(data, e, source.name)


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: of the first bytes, every other one is mostly zero."""
    head = data[:512]
    if len(head) < 4 or len(data) % 2:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.7 * half and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd == 0 else None


def _strict(data: bytes, encoding: str, name: str) -> Decoded:
    try:
        return Decoded(_no_zero(data.decode(encoding)))
    except UnicodeDecodeError as e:
        # A file cut in the middle of its last character keeps everything before it.
        if e.start >= len(data) - 4:
            text = _no_zero(data[: e.start].decode(encoding))
            line = text.count("\n") + 1
            return Decoded(text, (Warn(name, line, "the file ends inside a character: it is cut"),))
        raise DecodeError(f"not valid {encoding} (byte {e.start}), as its mark says") from None


def _no_zero(text: str) -> str:
    zero = text.find("\0")
    if zero >= 0:
        raise DecodeError(f"a binary file (character {zero} is zero), expected a text")
    return text


def _western(data: bytes, error: UnicodeDecodeError, name: str) -> Decoded:
    if error.reason == "unexpected end of data" and not data[: error.start].isascii():
        text = data[: error.start].decode("utf-8")
        line = text.count("\n") + 1
        return Decoded(text, (Warn(name, line, "the file ends inside a character: it is cut"),))
    control = sum(data.count(b) for b in range(32) if b not in (9, 10, 12, 13, 26, 27))
    if control > len(data) // 100:
        raise DecodeError(f"a binary file ({control} control characters), expected a text")
    # Five bytes have no meaning in Windows-1252; they are shown as such, never dropped.
    text = data.decode("cp1252", errors="replace")
    line = data.count(b"\n", 0, error.start) + 1
    return Decoded(text, (Warn(name, line, "not UTF-8: read as Windows-1252 (Western)"),))


def parse_json(text: str, first_line: int = 1) -> Any:
    """A JSON value; raises :class:`JsonError` with the place of the fault.

    >>> parse_json('{"a": 1}')
    {'a': 1}
    >>> parse_json("[1, 2")
    Traceback (most recent call last):
    ...
    parsers.decode.JsonError: Expecting ',' delimiter
    """
    deep = _too_deep(text)
    if deep:
        line = text.count("\n", 0, deep) + first_line
        raise JsonError(f"more than {MAX_DEPTH} levels of nesting", line, 1)
    half = half_character(text)
    if half >= 0:
        line, before = text.count("\n", 0, half), text.rfind("\n", 0, half)
        raise JsonError(f"{HALF}: {text[half : half + 6]}", line + first_line, half - before)
    try:
        return json.loads(text, parse_constant=no_constant, parse_float=finite)
    except json.JSONDecodeError as e:
        raise JsonError(e.msg, e.lineno + first_line - 1, e.colno) from None
    except (ValueError, RecursionError) as e:  # numbers of thousands of digits, NaN
        raise JsonError(str(e), first_line, 1) from None


HALF = "half of a character in a text"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|"
    r"(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def half_character(text: str) -> int:
    r"""Where a JSON text escapes half a character (a lone surrogate); -1: nowhere.

    No database and no file takes such a text, so that it is refused where it stands.

    >>> half_character(r'["\ud83c\udca1"]'), half_character(r'["\ud800"]')
    (-1, 2)
    """
    if _SURROGATE.search(text) is None:
        return -1
    return next((m.start() for m in _ESCAPE.finditer(text) if m["half"]), -1)


def no_constant(name: str) -> Any:
    """NaN and Infinity, which Python reads and JSON does not know: raises ``ValueError``."""
    raise ValueError(f"{name} is not a JSON number")


def finite(text: str) -> float:
    """A number of JSON that is not whole; raises ``ValueError`` where it is out of all bounds."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is too large a number")
    return value


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def _too_deep(text: str) -> int:
    """Where brackets outside strings nest deeper than allowed (0: nowhere)."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = 0
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return token.start()
        elif first in "]}":
            depth -= 1
    return 0
