"""Generic tables of events: CSV, TSV, Dutch Excel and sheets of a workbook, one event a row.

Columns are known by English or Dutch names, or by ``[columns]`` of a ``--map`` file. The least
that is useful: ``play`` rows with seat and card, and one ``declare`` row.
"""

from collections.abc import Sequence

from parsers.base import Options, ParseResult, Reject, Source, Warn
from parsers.fold import Folder
from parsers.items import Group, Names
from parsers.mapping import mapping_of
from parsers.private import is_private_key
from parsers.rows import Row, RowError, Sheet, head_of, public_text, read_sheet
from parsers.text import read_texts

_TELLING = {"deal", "hand", "middle", "call", "pass", "discard", "declare", "play", "undo"}
_CUT = "the file ends in the middle of this hand: what stood before is kept"


class TableParser:
    """Reads tables with one event a row."""

    name = "table"

    def recognise(self, text: str, name: str) -> bool:
        """A table with a column of events and one of cards."""
        return self.recognise_with(text, name, Options())

    def recognise_with(self, text: str, name: str, options: Options) -> bool:
        """The same, with the columns of a ``--map`` file."""
        if text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "<")) or head_of(text) is None:
            return False
        names = Names(mapping_of(options.mapping))
        try:
            sheet = read_sheet(text[:100_000])
        except RowError:
            return False
        if not sheet.has(names, "event") or not sheet.has(names, "card"):
            return False
        kinds = {names.kind(row.get(names, "event")) for row in sheet.rows[:400]}
        return bool(kinds & _TELLING)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_texts(sources, options, self.name, read_table)


def read_table(text: str, source: str, options: Options) -> ParseResult:
    """Hands of one table of events."""
    names = Names(mapping_of(options.mapping))
    result = ParseResult()
    try:
        sheet = read_sheet(text)
    except RowError as e:
        result.rejects.append(Reject(source, e.line, 1, "", str(e), public_text(text)))
        return result
    if not sheet.has(names, "event"):
        result.rejects.append(
            Reject(
                source,
                sheet.head_line,
                1,
                ", ".join(sheet.columns)[:60],
                "a column of events (event, actie); name it under [columns] in a --map file",
                public_text(text),
            )
        )
        return result
    lost = _cut_row(sheet)
    rows = sheet.rows[:-1] if lost else sheet.rows
    items = []
    long: dict[int, Row] = {}
    for row in rows:
        data = {k: v for k, v in row.cells.items() if not is_private_key(k)}
        item = names.item(data, row.line, row.raw)
        items.append(item)
        if row.extra:
            long[id(item)] = row

    def finish(groups: list[Group]) -> None:
        for group in groups:
            for item in group.items:
                row = long.get(id(item))
                if row is not None and group.error is None:
                    found = f"{len(sheet.columns) + row.extra} cells"
                    expected = f"at most {len(sheet.columns)} cells, as in the head"
                    group.error = (item.line, 1, found, expected)
        if lost and groups and not groups[-1].closed:
            groups[-1].cut = _CUT

    # A row without its line end may be a cut one: the text of a hand ends in a line end.
    result = Folder(source, options, {}, sheet.head_raw, "\n").read(items, finish)
    if lost:
        result.warnings.append(
            Warn(source, lost.line, f"the last row is cut and was lost: {lost.raw[:60]!r}")
        )
    return result


def _cut_row(sheet: Sheet) -> Row | None:
    """The last row, if it looks cut: no line end, and fewer cells than the row before."""
    if not sheet.unended or len(sheet.rows) < 2:
        return None
    last, before = sheet.rows[-1], sheet.rows[-2]
    return last if last.short > before.short else None
