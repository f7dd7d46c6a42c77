"""What every parser takes and gives: sources, options, records, rejects, warnings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.record import HandRecord


@dataclass(frozen=True, slots=True)
class Source:
    """One file (or member of an archive, or pasted text): its name as shown, and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Options:
    """What the user said about the files: ``rules`` overrides what a log names (id or path).

    ``mapping`` is a parsed ``--map`` file (see docs/parsers.md), or ``None``.
    """

    rules: str | None = None
    mapping: Any = None


@dataclass(frozen=True, slots=True)
class Reject:
    """A hand (or file) that cannot be read: where, what was found, what was expected.

    ``line`` and ``column`` count from 1; ``raw`` is the text of the hand as it stood.
    """

    source: str
    line: int
    column: int
    token: str
    expected: str
    raw: str
    code: str = "unreadable"

    @property
    def message(self) -> str:
        """One sentence."""
        found = self.token if len(self.token) <= 60 else self.token[:57] + "..."
        return f"found {found!r}, expected {self.expected}" if self.token else self.expected

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Warn:
    """Something the user should know about a file or hand that was read all the same."""

    source: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Located:
    """A record with the place it came from and its text as it stood there.

    ``warnings`` are about this hand alone (an undo folded, a server's own score that differs).
    ``format`` is the name of the parser that read it; :mod:`parsers.detect` fills it in.
    """

    record: HandRecord
    source: str
    line: int
    raw: str
    warnings: tuple[str, ...] = ()
    format: str = ""


@dataclass(slots=True)
class ParseResult:
    """Everything that came out of one or more sources, in order.

    ``empty`` counts hands with neither call nor card; ``format`` is the parser's name.
    """

    hands: list[Located] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)
    empty: int = 0
    format: str = ""

    @property
    def records(self) -> list[HandRecord]:
        """The records alone."""
        return [h.record for h in self.hands]

    def extend(self, other: "ParseResult") -> None:
        """Append what another source gave."""
        self.hands += other.hands
        self.rejects += other.rejects
        self.warnings += other.warnings
        self.empty += other.empty


class Parser(Protocol):
    """One format. ``recognise`` looks at content, never at the name alone."""

    name: str

    def recognise(self, text: str, name: str) -> bool:
        """Whether this text is (probably) of this format."""
        ...

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """Read sources that belong together (one file, or the files of one match)."""
        ...
