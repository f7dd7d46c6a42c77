"""The line form of the notation read on bytes, straight into columns: for files of millions.

Lines exactly as :func:`parsers.phl.write_phl` writes them, with a complete deal and known calls,
are read by compiled code. Any other line (comments, other spellings, unknown cards, mistakes) is
given to :func:`parsers.phl.parse_line`, so that both readers say the same of every line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from engine.batch_columns import CLAIM, HandColumns, blank_hands
from engine.record import HandRecord
from engine.rulefile import BUILTIN_IDS, DEFAULT_ID, RuleSetError, load_ruleset
from engine.ruleset import RuleSet
from parsers.base import Located, Options, Reject, Warn
from parsers.canonical import is_empty
from parsers.fields import FieldError
from parsers.phl import parse_line
from parsers.phl_kernels import CLAIMS_ROOM, LINE, NO_TOKEN, cut_lines, parse_lines
from parsers.rulecheck import RuleCheck

BLOCK = 32 << 20
"""Bytes read at a time."""
SKIP = 255
"""Rule-set number of a line that is no hand (reject, empty)."""
MOST_RULE_SETS = 200

_NEWLINE = 10
_BOM = b"\xef\xbb\xbf"


class NotUtf8(ValueError):
    """The bytes are not UTF-8: the general reader must decode them."""


@dataclass(slots=True)
class PhlChunk:
    """Some lines of one source, in order.

    ``data`` holds the bytes and must live as long as views into it; ``lines`` tells where each
    line and its fields are (see :data:`parsers.phl_kernels.LINE`). ``columns`` has one hand a line,
    its ``rules`` an index into ``rules`` or :data:`SKIP`; ``odd`` holds the hands that only their
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
        line = self.lines[i]
        return bytes(self.data[int(line["start"]) : int(line["end"])]).decode()

    def record(self, i: int) -> HandRecord:
        """The record of line ``i``."""
        found = self.odd.get(i)
        return parse_line(self.text(i)) if found is None else found.record


class PhlBytesReader:
    """Reads one source of the line form, chunk by chunk; ``options`` as for the other parsers.

    Raises :class:`engine.rulefile.RuleSetError` if ``options.rules`` cannot be used.

    >>> reader = PhlBytesReader("evening.phl", Options())
    >>> chunk = reader.parse(b"heerlen N . -,-,-,- . . . void .\\nheerlen X . . . . . . .\\n")
    >>> len(chunk), chunk.record(0).auction_state, chunk.rejects[0].message
    (2, 'calls', "found 'X', expected a seat (N, E, S or W) or ?")
    """

    def __init__(self, source: str, options: Options) -> None:
        self.source = source
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

    def chunks(self, stream: BinaryIO, block: int = BLOCK) -> Iterator[PhlChunk]:
        """All chunks of a binary stream. Raises :class:`NotUtf8`."""
        rest = b""
        first = True
        while data := stream.read(block):
            if data.endswith(b"\r"):  # A line end may go on in the next block.
                data += stream.read(1)
            if b"\r" in data:
                data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if first and data.startswith(_BOM):
                data = data[len(_BOM) :]
            first = False
            cut = data.rfind(b"\n") + 1
            if cut:
                yield self.parse(rest + data[:cut])
                rest = data[cut:]
            else:
                rest += data
        if rest:
            yield self.parse(rest)

    def parse(self, data: bytes) -> PhlChunk:
        """The hands of some whole lines, which follow those read so far."""
        if not data.isascii():
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as e:
                raise NotUtf8(str(e)) from None
        ended = data.endswith(b"\n")
        size = len(data)
        buffer = np.frombuffer(data if ended else data + b"\n", np.uint8)
        lines = np.zeros(data.count(b"\n") + (not ended), LINE)
        n, self._number_of_line = cut_lines(buffer, lines, self._number_of_line)
        lines = lines[:n]
        chunk = PhlChunk(
            buffer, lines, HandColumns(blank_hands(n)), self.rules, list(self._tokens), size=size
        )
        if not n:
            return chunk
        self._compiled(chunk)
        if not ended and lines["end"][-1] == len(buffer) - 1:
            text = "the last line has no line end: it may have been cut short"
            chunk.warnings.append(Warn(self.source, int(lines["number"][-1]), text))
        for i in np.flatnonzero(lines["odd"]).tolist():
            self._by_record(chunk, i)
        chunk.columns.record_of = chunk.record
        chunk.tokens = list(self._tokens)
        return chunk

    def _compiled(self, chunk: PhlChunk) -> None:
        tokens = np.zeros((len(self._tokens), 64), np.uint8)
        for k, token in enumerate(self._tokens):
            raw = token.encode()
            tokens[k, : len(raw)] = np.frombuffer(raw, np.uint8)
        lengths = np.array([len(t.encode()) for t in self._tokens], np.int64)
        rules = np.array(self._token_rules, np.uint8)
        columns = chunk.columns
        calls = np.zeros(12 * len(chunk) + 1024, np.int16)
        claims = np.zeros(4 * len(chunk) + CLAIMS_ROOM, CLAIM)
        filled = np.zeros(2, np.int64)
        start = 0
        while True:
            start = parse_lines(
                chunk.data, chunk.lines, start, columns.hands, calls, claims, tokens, lengths,
                rules, filled,
            )  # fmt: skip
            if start == len(chunk):
                break
            calls = np.concatenate([calls, np.zeros_like(calls)])
            claims = np.concatenate([claims, np.zeros_like(claims)])
        columns.calls, columns.claims = calls[: filled[0]], claims[: filled[1]]

    def _by_record(self, chunk: PhlChunk, i: int) -> None:
        """A line that the compiled reader left: read it as :func:`parsers.phl.read_phl` does."""
        number, raw = int(chunk.lines["number"][i]), chunk.text(i)
        hand = chunk.columns.hands[i]
        hand["odd"], hand["rules"] = True, SKIP
        line = raw.lstrip("\ufeff")
        if not line or line[0] == "#" or line.isspace():
            # Only a BOM or unusual blanks hid that there is no hand in this line.
            return
        try:
            record = parse_line(line)
            expected = self._check.expected(record.rules)
            if expected:
                raise FieldError(0, record.rules or "", expected)
        except FieldError as e:
            chunk.rejects.append(Reject(self.source, number, e.offset + 1, e.token, e.expected, raw))
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


def rule_sets(chunks: Sequence[PhlChunk]) -> list[RuleSet]:
    """The rule sets that the columns of these chunks of one reader count by."""
    return chunks[-1].rules if chunks else []
