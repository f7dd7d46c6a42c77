"""Lines of an uploaded text that cannot be read, put right before they are imported."""

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.base import Reject, Source
from parsers.decode import DecodeError, decode

MOST = 20
"""More bad lines than this are better put right in the file itself."""
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class BadLines:
    """Lines of a source that a reject is about: the first (from 1), how many, what they say."""

    source: str
    line: int
    count: int
    text: str
    why: str


def bad_lines(files: Sequence[Source], rejects: Sequence[Reject]) -> list[BadLines]:
    """The lines that can be put right here: those of plain texts, each once.

    >>> files = [Source("a.phl", b"# one\\nrubbish\\n")]
    >>> bad_lines(files, [Reject("a.phl", 2, 1, "rubbish", "a hand", "rubbish")])[0].text
    'rubbish'
    """
    texts = {f.name: lines for f in files if (lines := _lines(f)) is not None}
    out: list[BadLines] = []
    for r in rejects:
        lines = texts.get(r.source)
        if lines is None or not 0 < r.line <= len(lines) or len(out) >= MOST:
            continue
        # Some readers put the head of the table before the row: the place is one line then.
        count = len(r.raw.splitlines())
        text = _between(lines, r.line, count)
        if count != 1 and text.strip() != "\n".join(r.raw.splitlines()).strip():
            count, text = 1, _between(lines, r.line, 1)
        taken = any(
            b.source == r.source and b.line < r.line + count and r.line < b.line + b.count
            for b in out
        )
        if not taken and len(text) <= _LONGEST:
            out.append(BadLines(r.source, r.line, count, text, r.message))
    return out


def _between(lines: Sequence[str], line: int, count: int) -> str:
    return "\n".join(x.rstrip("\r\n") for x in lines[line - 1 : line - 1 + count])


def put_right(file: Source, changes: Sequence[tuple[BadLines, str]]) -> Source:
    """The file with lines replaced; the others keep every character, their line ends too.

    >>> bad = BadLines("a", 2, 1, "x", "")
    >>> put_right(Source("a", b"1\\r\\nx\\r\\n3"), [(bad, "2")]).data
    b'1\\r\\n2\\r\\n3'
    """
    lines = _lines(file)
    if lines is None:
        return file
    for bad, text in sorted(changes, key=lambda c: -c[0].line):
        last = lines[bad.line + bad.count - 2]
        end = last[len(last.rstrip("\r\n")) :]
        joint = end or "\n"
        new = joint.join(text.splitlines()) + end if text.strip() else ""
        lines[bad.line - 1 : bad.line - 1 + bad.count] = [new]
    return Source(file.name, "".join(lines).encode())


def _lines(file: Source) -> list[str] | None:
    try:
        return decode(file).text.splitlines(keepends=True)
    except DecodeError:
        return None
