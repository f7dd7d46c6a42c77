"""Rows of delimited text (CSV, TSV, Dutch Excel) with their lines and raw text."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from parsers.items import Names, fold_key
from parsers.private import REMOVED, is_private_key, scrub_text

DELIMITERS = (",", ";", "\t", "|")
MAX_CELL = 1 << 20
MAX_COLUMNS = 1000


class RowError(ValueError):
    """A text that is no table; ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class Row:
    """One row below the head: cells by folded column name."""

    line: int
    cells: dict[str, str]
    raw: str
    extra: int = 0
    short: int = 0

    def get(self, names: Names, field_name: str) -> str:
        """The cell of a field under any of its column names, ``""`` if there is none."""
        for alias in names.of(field_name):
            value = self.cells.get(alias, "")
            if value:
                return value
        return ""

    def all(self, names: Names, field_name: str) -> list[str]:
        """The cells of a field under all of its column names, without blank ones."""
        found = (self.cells.get(alias, "") for alias in dict.fromkeys(names.of(field_name)))
        return [c for c in found if c]


@dataclass(slots=True)
class Sheet:
    """A table: its column names as written and folded, its rows, and its head as text."""

    columns: list[str]
    folded: list[str]
    rows: list[Row]
    head_raw: str
    head_line: int
    delimiter: str
    unended: bool = False
    skipped: list[int] = field(default_factory=list)

    def add(self, line: int, raw: str, cells: list[str]) -> Row:
        """Append a row; what stands in private columns is left out of it and of its text."""
        private = [i for i, c in enumerate(self.columns) if is_private_key(c)]
        if any(c.strip() for i, c in enumerate(cells) if i in private):
            cells, raw = _hidden(cells, private, self.delimiter)
        values: dict[str, str] = {}
        for name, cell in zip(self.folded, cells):
            if name and not values.get(name):
                values[name] = cell.strip()
        over = [c for c in cells[len(self.folded) :] if c.strip()]
        row = Row(line, values, raw, len(over), max(0, len(self.folded) - len(cells)))
        self.rows.append(row)
        return row

    def has(self, names: Names, field_name: str) -> bool:
        """Whether a column of this field stands in the head."""
        return any(alias in self.folded for alias in names.of(field_name))


def head_of(text: str) -> tuple[list[str], str, int] | None:
    """Column names, delimiter and line (from 1) of the head of a table, or ``None``.

    The head is the first line with two or more different, not numeric, cells. ``sep=;``, which
    Excel understands, is obeyed.

    >>> head_of("sep=;\\nspeler;kaart\\n")
    (['speler', 'kaart'], ';', 2)
    """
    told = re.match(r"\ufeff?sep=(.)\s*$", text.split("\n", 1)[0].rstrip("\r"))
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text[:200_000])[:30], 1):
        if told and number == 1:
            continue
        for delimiter in sorted(DELIMITERS, key=line.count, reverse=True):
            if told and delimiter != told[1]:
                continue
            if line.count(delimiter) == 0 or line.count(delimiter) > MAX_COLUMNS:
                continue
            try:
                cells = next(csv.reader([line.lstrip("\ufeff")], delimiter=delimiter), [])
            except csv.Error:
                continue
            words = [c.strip() for c in cells if c.strip()]
            if len(words) >= 2 and not any(w.lstrip("-+").isdigit() for w in words):
                return [c.strip() for c in cells], delimiter, number
    return None


def read_sheet(text: str) -> Sheet:
    """The table in a text; raises :class:`RowError`."""
    text = text.lstrip("\ufeff")
    found = head_of(text)
    if found is None:
        raise RowError("no head of a table: a first line with the names of the columns", 1)
    columns, delimiter, head_line = found
    lines = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text)
    folded = [fold_key(c) for c in columns]
    unended = bool(lines) and not lines[-1].endswith(("\n", "\r"))
    raw_head = lines[head_line - 1].rstrip("\r\n")
    sheet = Sheet(columns, folded, [], raw_head, head_line, delimiter, unended)
    for line, raw, cells in _cells(lines, head_line, delimiter):
        if any(c.strip() for c in cells):
            sheet.add(line, raw, cells)
    return sheet


def all_rows(text: str, delimiter: str, skip: int) -> Iterator[tuple[int, str, list[str]]]:
    """Line, raw text and cells of every row below line ``skip``, blank ones too."""
    yield from _cells(re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text), skip, delimiter)


def _cells(lines: list[str], skip: int, delimiter: str) -> Iterator[tuple[int, str, list[str]]]:
    """Line, raw text and cells of each row below line ``skip``."""
    old = csv.field_size_limit(MAX_CELL)
    try:
        reader = csv.reader(iter(lines[skip:]), delimiter=delimiter)
        before = 0
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as e:
                raise RowError(f"a row that cannot be read ({e})", skip + reader.line_num) from None
            raw = "".join(lines[skip + before : skip + reader.line_num]).rstrip("\r\n")
            yield skip + before + 1, raw, cells
            before = reader.line_num
    finally:
        csv.field_size_limit(old)


def _hidden(cells: list[str], private: list[int], delimiter: str) -> tuple[list[str], str]:
    """Cells and raw text of a row without what stands in private columns."""
    kept = ["" if i in private else c for i, c in enumerate(cells)]
    shown = [REMOVED if i in private and c.strip() else c for i, c in enumerate(cells)]
    return kept, row_text(shown, delimiter)


def row_text(cells: list[str], delimiter: str) -> str:
    """One row as text, without its line end."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="").writerow(cells)
    return out.getvalue()


def public_text(text: str, limit: int = 4000) -> str:
    """The first part of a table as raw text, without what stands in private columns.

    >>> public_text("speler;telefoon\\nAnna;06-1")
    'speler;telefoon\\nAnna;[removed]'
    """
    text = text[:limit]
    found = head_of(text)
    private = [i for i, c in enumerate(found[0]) if is_private_key(c)] if found else []
    if found is None or not private:
        return scrub_text(text)
    _, delimiter, head_line = found
    lines = re.split(r"\r\n|\n|\r", text)
    for i, line in enumerate(lines[head_line:], head_line):
        cells = next(csv.reader([line.replace("\0", " ")], delimiter=delimiter), [])
        if any(c.strip() for j, c in enumerate(cells) if j in private):
            lines[i] = _hidden(cells, private, delimiter)[1]
    return scrub_text("\n".join(lines))
