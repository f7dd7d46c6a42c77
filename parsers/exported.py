"""Tables that this program exported (JSON Lines and CSV): their column ``phl`` is the hand."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from parsers.base import Options, ParseResult, Reject, Source
from parsers.decode import JsonError, parse_json
from parsers.phl import read_phl
from parsers.rows import RowError, head_of, public_text, read_sheet
from parsers.text import read_texts

_JSON = re.compile(r'\s*\{.*"phl"\s*:\s*"')
COLUMN = "phl"


class ExportedParser:
    """Reads JSON Lines and CSV with a column ``phl``; the other columns follow from it."""

    name = "exported"

    def recognise(self, text: str, name: str) -> bool:
        """Whether every hand stands in a field or column ``phl``."""
        if _JSON.match(text.split("\n", 1)[0][:100_000]):
            return True
        head = head_of(text)
        return head is not None and COLUMN in [c.lower() for c in head[0]]

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_texts(sources, options, self.name, read_exported)


def read_exported(text: str, source: str, options: Options) -> ParseResult:
    """The hands in the column ``phl``, each with the line on which its row begins."""
    result = ParseResult()
    lines = _csv_rows if _is_table(text) else _json_lines
    for line, found, raw in lines(text):
        if isinstance(found, Reject):
            result.rejects.append(replace(found, source=source))
            continue
        one = read_phl(found + "\n", source, options)
        result.hands += [replace(h, line=line, raw=raw) for h in one.hands]
        result.rejects += [replace(r, line=line, raw=raw) for r in one.rejects]
        result.warnings += [replace(w, line=line) for w in one.warnings]
        result.empty += one.empty
    return result


def _is_table(text: str) -> bool:
    """Whether a text is CSV: a head with the column ``phl``, be its first sign a brace."""
    bare = text.lstrip("\ufeff \r\n")
    head = head_of(text)
    titled = head is not None and COLUMN in [c.lower() for c in head[0]]
    return not bare.startswith("{") or (titled and not _JSON.match(bare[:100_000]))


def _json_lines(text: str) -> Iterator[tuple[int, str | Reject, str]]:
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text.lstrip("\ufeff")), 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line, number)
        except JsonError as e:
            expected = f"a JSON object ({e})"
            yield number, Reject("", number, e.column, line[:60], expected, line), line
            continue
        phl = value.get(COLUMN) if isinstance(value, dict) else None
        if isinstance(phl, str) and phl.strip() and "\n" not in phl and "\r" not in phl:
            yield number, phl, line
        else:
            found = json.dumps(phl)[:60]
            yield number, Reject("", number, 1, found, "a hand in the field phl", line), line


def _csv_rows(text: str) -> Iterator[tuple[int, str | Reject, str]]:
    try:
        sheet = read_sheet(text)
    except RowError as e:
        yield e.line, Reject("", e.line, 1, "", str(e), public_text(text)), ""
        return
    for row in sheet.rows:
        raw = f"{sheet.head_raw}\n{row.raw}"
        phl = row.cells.get(COLUMN, "")
        if phl and "\n" not in phl and "\r" not in phl:
            yield row.line, phl, raw
        else:
            yield row.line, Reject("", row.line, 1, phl, "a hand in the column phl", raw), raw
