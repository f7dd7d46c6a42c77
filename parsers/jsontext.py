"""JSON as servers write it and as it is saved: places, cut files, private fields.

The standard decoder gives values without their places and gives up on a file that was cut. Here a
value can be found again in the text (:func:`locate`), a document that ends too early or breaks in
the middle still gives what stood complete before that place (:func:`load`), and what is nobody's
business (credentials, tokens, mail addresses) is taken out of values and of raw text.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.decode import HALF, half_character
from parsers.private import REMOVED, scrub, scrub_text

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_MAX_DEPTH = 200

Key = str | int


@dataclass(frozen=True, slots=True)
class Broken:
    """Where a JSON text stops being one: offset, what the decoder said, and whether it was cut."""

    offset: int
    what: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Loaded:
    """A decoded document; ``broken`` where only a prefix of it could be read."""

    value: Any
    broken: Broken | None = None


def load(text: str, spine: frozenset[str] = frozenset()) -> Loaded:
    """Decode a document, or what stands complete before the place where it breaks.

    ``spine`` names the keys of objects that may be kept though they are not closed (the way to
    the list of events); any other object or list element that is not closed is left out whole,
    so that no half event is ever taken for a whole one. ``value`` is ``None`` if nothing is left.

    >>> load('{"a": [{"b": 1}, {"b": 2, "c', frozenset({"a"})).value
    {'a': [{'b': 1}]}
    >>> load('{"a": 1}').broken is None
    True
    """
    half = half_character(text)
    if half >= 0:
        return Loaded(_prefix(text[:half], spine), Broken(half, HALF, False))
    try:
        return Loaded(_decode(text))
    except json.JSONDecodeError as error:
        broken = Broken(error.pos, error.msg, not text[error.pos :].strip() or _open(text, error))
    except RecursionError:
        return Loaded(None, Broken(0, f"nesting deeper than {_MAX_DEPTH} levels", False))
    except ValueError as error:  # an integer of thousands of digits
        return Loaded(None, Broken(0, str(error).split(":")[0], False))
    return Loaded(_prefix(text[: broken.offset], spine), broken)


def _decode(text: str) -> Any:
    value = json.loads(text)
    _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            child
            for v in level
            if isinstance(v, (dict, list))
            for child in (v.values() if isinstance(v, dict) else v)
        ]
        if not level:
            return
    raise RecursionError


def _open(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text ends inside a string or scalar that begins at the place of the error."""
    rest = text[error.pos :]
    return (
        error.msg.startswith("Unterminated string") or re.fullmatch(r"[\w.+-]+", rest) is not None
    )


def _prefix(text: str, spine: frozenset[str]) -> Any:
    """Value of the longest prefix that can be closed, without what is not complete."""
    stack: list[tuple[str, int]] = []  # bracket and where its last complete element ends
    path: list[Key | None] = []
    last_string = ""
    after_colon = False
    for token in _TOKEN.finditer(text):
        t = token.group()
        if t in "{[":
            stack.append((t, token.end()))
            path.append(None if t == "{" else 0)
            after_colon = False
        elif t in "}]":
            if not stack:
                break
            stack.pop()
            path.pop()
            if not stack:
                break
            stack[-1] = (stack[-1][0], token.end())
        elif t == "," and stack:
            stack[-1] = (stack[-1][0], token.start())
            top = path[-1]
            if isinstance(top, int):
                path[-1] = top + 1
            after_colon = False
        elif t == ":" and stack:
            path[-1] = last_string
            after_colon = True
        elif t[0] == '"' and not after_colon:
            last_string = t[1:-1]
        if len(stack) > _MAX_DEPTH:
            return None
    # Walk from the root: an open container survives only along the spine.
    keep = 0
    for depth in range(len(stack)):
        keep = depth + 1
        if depth + 1 < len(stack):
            step = path[depth]
            if not (isinstance(step, str) and step in spine):
                break
    if not keep:
        return None
    closing = "".join("}" if b == "{" else "]" for b, _ in reversed(stack[:keep]))
    try:
        return _decode(text[: stack[keep - 1][1]] + closing)
    except (ValueError, RecursionError):
        return None


def _values(text: str) -> Iterator[tuple[list[Key | None], int]]:
    """Path and offset of every value of a document, in order; the path is one list that changes."""
    stack: list[Key | None] = []
    last_string = ""
    value_next = True
    for token in _TOKEN.finditer(text):
        t = token.group()
        if t == ",":
            if stack and isinstance(stack[-1], int):
                stack[-1] += 1
                value_next = True
            elif stack:
                value_next = False
        elif t == ":":
            if stack:
                stack[-1] = last_string
            value_next = True
        elif t in "}]":
            if stack:
                stack.pop()
            value_next = False
        elif t[0] == '"' and not value_next:
            last_string = t[1:-1]
        else:
            yield stack, token.start()
            if t in "{[":
                stack.append(0 if t == "[" else None)
                value_next = t == "["
            else:
                value_next = False
            if len(stack) > _MAX_DEPTH:
                return


def _offset(text: str, path: Sequence[Key]) -> int:
    """Offset of the value at ``path``, or of its nearest container that is there."""
    best, matched = 0, 0
    for at, offset in _values(text):
        n = len(at)
        if n > matched and n <= len(path) and at == list(path[:n]):
            best, matched = offset, n
            if n == len(path):
                break
    return best


def locate(text: str, path: Sequence[Key]) -> tuple[int, int]:
    """Line and column (from 1) of the value at ``path``; of its nearest container if not there.

    >>> locate('{"a": [1,\\n  {"b": 2}]}', ["a", 1, "b"])
    (2, 9)
    """
    return place(text, _offset(text, path))


class Places:
    """Finds many values of one document: long lists and line ends are looked through once.

    >>> Places('{"a": [1,\\n  {"b": 2}]}').find(["a", 1, "b"])
    (2, 9)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._lists: dict[tuple[Key, ...], list[int]] = {}
        self._ends: list[int] | None = None

    def find(self, path: Sequence[Key]) -> tuple[int, int]:
        """Line and column, as :func:`locate`."""
        at = next((i for i, key in enumerate(path) if isinstance(key, int)), None)
        if at is None:
            return self._place(_offset(self._text, path))
        starts = self._starts(tuple(path[:at]))
        index = path[at]
        if not isinstance(index, int) or not 0 <= index < len(starts):
            return self._place(_offset(self._text, path[:at]))
        end = starts[index + 1] if index + 1 < len(starts) else None
        return self._place(starts[index] + _offset(self._text[starts[index] : end], path[at + 1 :]))

    def _starts(self, path: tuple[Key, ...]) -> list[int]:
        """Offsets of the elements of a list."""
        if path not in self._lists:
            n = len(path)
            self._lists[path] = [
                offset
                for at, offset in _values(self._text)
                if len(at) == n + 1 and isinstance(at[n], int) and at[:n] == list(path)
            ]
        return self._lists[path]

    def _place(self, offset: int) -> tuple[int, int]:
        if self._ends is None:
            self._ends = [m.start() for m in re.finditer("\n", self._text)]
        line = bisect_left(self._ends, offset)
        return line + 1, offset - (self._ends[line - 1] if line else -1)


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of an offset.

    >>> place("ab\\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def public(value: Any) -> str:
    """A decoded document as compact text without private fields and mail addresses.

    >>> public({"name": "An", "token": 1, "note": "an@club.nl"})
    '{"name":"An","note":"[removed]"}'
    """
    return scrub_text(dump(scrub(value)))


def dump(value: Any) -> str:
    """A document as compact text that any store takes (lone surrogates stay escapes)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def as_dict(value: Any) -> dict[str, Any]:
    """``value`` if it is an object, else an empty one (PHP writes ``[]`` for an empty object)."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """``value`` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_int(value: Any) -> int | None:
    """A whole number, also one written as text; ``None`` for anything else.

    >>> as_int("13"), as_int(7), as_int(True), as_int("x"), as_int("-1")
    (13, 7, None, None, -1)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,15}", value.strip()):
        return int(value)
    return None


def as_text(value: Any, limit: int = 200) -> str | None:
    """A text without control characters, not longer than ``limit``.

    >>> as_text(" Jan\\n"), as_text(""), as_text(3)
    ('Jan', None, None)
    """
    if not isinstance(value, str):
        return None
    clean = value.encode("utf-8", "replace").decode("utf-8")
    clean = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", clean).split())
    return None if clean == REMOVED else clean[:limit] or None
