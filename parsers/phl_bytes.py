"""The line form of the notation read on bytes, straight into columns: for files of millions.

Lines exactly as :func:`parsers.phl.write_phl` writes them, with a complete deal and known calls,
are read by compiled code. Any other line (comments, other spellings, unknown cards, mistakes) is
given to :func:`parsers.phl.parse_line`, so that both readers say the same of every line.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from engine.batch_columns import CLAIM, HAND, HandColumns
from engine.record import HandRecord
from engine.rulefile import BUILTIN_IDS, DEFAULT_ID, RuleSetError, load_ruleset
from engine.ruleset import RuleSet
from parsers.base import Located, Options, Reject, Warn
from parsers.canonical import is_empty
from parsers.fields import FieldError
from parsers.phl import parse_line
from parsers.phl_byte_lines import LINE, NO_TOKEN, PADDING, SLACK, parse_lines
from parsers.rulecheck import RuleCheck

ROWS = 122_880
"""Lines of a chunk."""
SKIP = 255
"""Rule-set number of a line that is no hand (reject, empty)."""
MOST_RULE_SETS = 200

_RETURN = 13
_NEWLINE = 10
_USUAL = 256  # bytes of a line, as a first guess
_LEAST = 1 << 12
_BOM = b"\xef\xbb\xbf"


class Stream(Protocol):
    """What is read from: an open binary file or the like."""

    def readinto(self, buffer: Any, /) -> int | None:
        """Fill a buffer; how many bytes there were."""
        ...

    def read(self, n: int = -1, /) -> bytes:
        """Up to ``n`` bytes."""
        ...


class NotUtf8(ValueError):
    """The bytes are not UTF-8: the general reader must decode them."""


@dataclass(slots=True)
class PhlChunk:
    """Some lines of one source, in order.

    ``data`` holds the bytes and must live as long as views into it; ``lines`` tells where each
    line and its fields are (see ``LINE`` there). ``columns`` has one hand a line, its
    ``rules`` an index into ``rules`` or :data:`SKIP`; ``odd`` holds the hands that only their
    record tells, by line index. ``empty`` counts lines without call or card.
    """

    data: Any
    lines: Any
    columns: HandColumns
    rules: list[RuleSet]
    tokens: list[str]
    odd: dict[int, Located] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)
    empty: int = 0
    size: int = 0

    def __len__(self) -> int:
        return len(self.lines)

    def text(self, i: int) -> str:
        """Line ``i`` as it stands, without its end."""
        start = int(self.lines["start"][i])
        return bytes(self.data[start : start + int(self.lines["length"][i])]).decode()

    def record(self, i: int) -> HandRecord:
        """The record of line ``i``."""
        found = self.odd.get(i)
        return parse_line(self.text(i)) if found is None else found.record


class Room:
    """Memory for one chunk."""

    def __init__(self, rows: int, size: int, calls: int, claims: int) -> None:
        self.data = bytearray(size)
        self.bytes = np.frombuffer(self.data, np.uint8)
        self.lines = np.empty(rows, LINE)
        self.hands = np.empty(rows, HAND)
        self.calls = np.empty(calls, np.int16)
        self.claims = np.empty(claims, CLAIM)


class PhlBytesReader:
    """Reads one source of the line form, chunk by chunk; ``options`` as for the other parsers.

    With ``rooms``, that many chunks share memory in turn: a chunk is then good only until so many
    others have been read. Fresh memory costs as much time as the reading itself.

    Raises :class:`engine.rulefile.RuleSetError` if ``options.rules`` cannot be used.

    >>> reader = PhlBytesReader("evening.phl", Options())
    >>> chunk = reader.parse(b"heerlen N . -,-,-,- . . . void .\\nheerlen X . . . . . . .\\n")
    >>> len(chunk), chunk.record(0).auction_state, chunk.rejects[0].message
    (2, 'calls', "found 'X', expected a seat (N, E, S or W) or ?")
    """

    def __init__(self, source: str, options: Options, rooms: int = 0) -> None:
        self.source = source
        self._rooms: list[Room | None] = [None] * rooms
        self._next_room = -1
        self.rules: list[RuleSet] = []
        self._check = RuleCheck(options)
        if self._check.problem:
            raise RuleSetError(self._check.problem)
        self._override = None if options.rules is None else self._number(options.rules)
        self._tokens: dict[str, int] = {}
        self._token_rules: list[int] = []
        self._number_of_line = 1
        for name in BUILTIN_IDS:
            self._register(name, self._rules_number(name))
            self._register(f"{name}@{load_ruleset(name).content_hash}", self._rules_number(name))

    def _number(self, name: str) -> int:
        rules = load_ruleset(name)
        if rules not in self.rules:
            self.rules.append(rules)
        return self.rules.index(rules)

    def _rules_number(self, name: str | None) -> int:
        return self._number(name or DEFAULT_ID) if self._override is None else self._override

    def _register(self, token: str, number: int) -> None:
        """Let lines that name their rules so be read by compiled code."""
        if len(self._tokens) < MOST_RULE_SETS and token not in self._tokens:
            self._tokens[token] = len(self._tokens)
            self._token_rules.append(number)

    def chunks(self, stream: Stream, rows: int = ROWS) -> Iterator[PhlChunk]:
        """All chunks of a binary stream, each of up to ``rows`` lines. Raises :class:`NotUtf8`."""
        rest = b""
        block = _USUAL * rows
        start = True
        while True:
            room = self._room(rows, len(rest) + block + PADDING)
            data = room.data
            data[: len(rest)] = rest
            got = stream.readinto(memoryview(data)[len(rest) : len(rest) + block]) or 0
            size = len(rest) + got
            ended = True
            if got:
                if data[size - 1] == _RETURN:  # A line end may go on in the next block.
                    more = stream.read(1)
                    data[size : size + 1] = more or b"\0"
                    size += len(more)
                if start and data.startswith(_BOM):
                    data[: len(_BOM)] = b"\n" * len(_BOM)
                    self._number_of_line -= len(_BOM)
                start = False
                if data.find(b"\r", 0, size) >= 0:
                    text = bytes(data[:size]).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                    size = len(text)
                    data[:size] = text
            elif not rest:
                return
            elif data[size - 1] != _NEWLINE:
                data[size] = _NEWLINE
                size += 1
                ended = False
            cut = data.rfind(b"\n", 0, size) + 1
            if not cut:
                rest = bytes(data[:size])
                continue
            chunk = self._chunk(room, cut, ended)
            rest = bytes(data[chunk.size : size])
            # Of the next lines a little more is read than the chunk has room for.
            wanted = chunk.size * rows // max(len(chunk), 1)
            block = max(_LEAST, wanted + wanted // 64 - len(rest))
            if not ended and len(rest):
                rest = rest[:-1]
            yield chunk

    def parse(self, text: bytes) -> PhlChunk:
        """The hands of some whole lines (LF alone ends one), which follow those read so far."""
        ended = text.endswith(b"\n") or not text
        size = len(text) + (not ended)
        room = Room(text.count(b"\n") + 1, size + PADDING, calls=size + SLACK, claims=size + SLACK)
        room.data[: len(text)] = text
        if not ended:
            room.data[len(text)] = _NEWLINE
        return self._chunk(room, size, ended)

    def _room(self, rows: int, size: int) -> "Room":
        """Memory for the next chunk."""
        if not self._rooms:
            return Room(rows, size, 16 * rows + SLACK, 6 * rows + SLACK)
        self._next_room = (self._next_room + 1) % len(self._rooms)
        room = self._rooms[self._next_room]
        if room is None or len(room.lines) != rows or len(room.data) < size:
            room = Room(rows, size + size // 8, 16 * rows + SLACK, 6 * rows + SLACK)
            self._rooms[self._next_room] = room
        return room

    def _chunk(self, room: "Room", size: int, ended: bool) -> PhlChunk:
        """The hands of the first ``size`` bytes (whole lines), as far as there is room."""
        if not room.data.isascii():
            try:
                str(memoryview(room.data)[:size], "utf-8")
            except UnicodeDecodeError as e:
                raise NotUtf8(str(e)) from None
        chunk = self._compiled(room, size)
        lines = chunk.lines
        last = not ended and len(chunk) and lines["start"][-1] + lines["length"][-1] == size - 1
        if last and not _no_hand(chunk.text(len(chunk) - 1).lstrip("\ufeff")):
            text = "the last line has no line end: it may have been cut short"
            chunk.warnings.append(Warn(self.source, int(lines["number"][-1]), text))
        for i in np.flatnonzero(lines["odd"]).tolist():
            self._by_record(chunk, i)
        chunk.columns.record_of = chunk.record
        chunk.tokens = list(self._tokens)
        return chunk

    def _compiled(self, room: "Room", size: int) -> PhlChunk:
        tokens = np.zeros((len(self._tokens), 64), np.uint8)
        lengths = np.zeros(len(self._tokens), np.int64)
        for k, token in enumerate(self._tokens):
            raw = np.frombuffer(token.encode(), np.uint8)
            tokens[k, : raw.size], lengths[k] = raw, raw.size
        state = np.array([0, self._number_of_line, 0, 0, 0], np.int64)
        parse_lines(
            room.bytes, size, room.lines, room.hands, room.calls, room.claims, tokens, lengths,
            np.array(self._token_rules, np.uint8), state,
        )  # fmt: skip
        used, self._number_of_line, n, calls, claims = map(int, state)
        columns = HandColumns(room.hands[:n], room.calls[:calls], room.claims[:claims])
        return PhlChunk(room.bytes, room.lines[:n], columns, self.rules, [], size=used)

    def _by_record(self, chunk: PhlChunk, i: int) -> None:
        """A line that the compiled reader left: read it as :func:`parsers.phl.read_phl` does."""
        number, raw = int(chunk.lines["number"][i]), chunk.text(i)
        hand = chunk.columns.hands[i]
        hand["odd"], hand["rules"] = True, SKIP
        line = raw.lstrip("\ufeff")
        if _no_hand(line):
            # Only a BOM or unusual blanks hid that there is no hand in this line.
            return
        try:
            record = parse_line(line)
            expected = self._check.expected(record.rules)
            if expected:
                raise FieldError(0, record.rules or "", expected)
        except FieldError as e:
            chunk.rejects.append(
                Reject(self.source, number, e.offset + 1, e.token, e.expected, raw)
            )
            return
        if record.rules_hash:
            changed = self._check.changed(record.rules, record.rules_hash)
            if changed:
                chunk.warnings.append(Warn(self.source, number, changed))
        elif chunk.lines["token"][i] == NO_TOKEN:
            self._register(line.split(" ")[0], self._rules_number(record.rules))
        if not (record.auction or record.plays or not is_empty(record)):
            chunk.empty += 1
            return
        hand["rules"] = self._rules_number(record.rules)
        chunk.odd[i] = Located(record, self.source, number, raw)


def _no_hand(line: str) -> bool:
    """Whether a line is blank or a remark."""
    return not line or line[0] == "#" or line.isspace()
