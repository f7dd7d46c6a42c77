"""The layout of a secretary's score sheet: titles, head lines, evenings, totals, remarks.

A sheet is rarely one head line with rows below it. :func:`lay_out` finds every head line (one of
two lines too, and one that comes again for another table), gives the columns our names, and says
of each row below it what it is. Nothing is passed over in silence: :attr:`Block.notes` tell.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from parsers.dates import day_and_clock, find_date, is_half_date
from parsers.items import FIELD_WORDS, Names, fold_key
from parsers.private import is_private_key
from parsers.rows import Row, RowError, Sheet, all_rows, head_of, row_text
from parsers.sheetcells import two_names
from parsers.words import fold

# What secretaries head their columns with, beside the words that every format knows.
_WORDS = {
    "declarer": "player naam name wie wiespeelt wiespeelde speelt bieder spelers paar koppel "
    "spelende hoofdspeler",
    "partner": "met meemet meespeler metwie samenmet helper medespeler partnermaat",
    "contract": "wat geboden gespeeldbod hoogstebod eindbod spelvorm",
    "outcome": "uitkomst goedfout goed gehaaldjn jn gelukt afloop",
    "lost": "verloren nat lost fout nietgehaald down",
    "score": "winst verlies winstverlies uitbetaling bedrag stand",
    "points": "ptn pnt punt behaald behaaldepunten kaartpunten",
    "hand": "nr nummer no spelnummer gift giftnr ronde volgnr volgnummer",
    "extra": "opmerkingen bijzonderheden remark remarks notes",
}
_USED = (
    "declarer", "partner", "contract", "bid", "outcome", "lost", "score", "points", "trump",
    "called", "dealer", "rules", "time", "hand", "session", "game", "site", "id", "extra",
    "north", "east", "south", "west", "score_declarer", "score_partner",
)  # fmt: skip
"""The fields that a score sheet may have."""
_TOTALS = {
    "totaal", "total", "totals", "totalen", "som", "stand", "eindstand", "tussenstand", "sum",
    "subtotaal", "saldo", "transport", "eindtotaal", "tussentotaal", "subtotal",
}  # fmt: skip
_EVENING = {
    "avond", "van", "op", "de", "het", "datum", "speelavond", "clubavond", "kaartavond",
    "pandoeravond", "pandoeren", "uitslag", "uitslagen", "score", "scores", "scorelijst",
    "scoreblad", "blad", "evening", "date", "of", "on", "the", "night", "results", "sheet",
    "session", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag",
    "ma", "di", "wo", "do", "vr", "za", "zo", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday",
}  # fmt: skip
"""Words beside a date that make a title say which evening it is, and nothing else."""
_NUMBER = re.compile(r"[-+−–]?\s*(?:€\s*)?[-+−–]?\d+(?:[.,]\d+)?")


@dataclass(slots=True)
class Block:
    """The rows below one head, with what stands between them.

    ``evening`` is, by line, the text of the date that holds for a row that has none of its own;
    ``dates`` are those that stand in a line of their own, which is written with the date in column
    ``place``; ``deciding`` is a date of the file by which the month stands first. ``notes`` are
    lines that hold no hand, and why.
    """

    sheet: Sheet
    evening: dict[int, str] = field(default_factory=dict)
    deciding: str = ""
    place: int = 0
    notes: list[tuple[int, str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)

    def raw(self, row: Row) -> str:
        """The text of a row with its head, and the date above it where it has none."""
        date = self.evening.get(row.line)
        settles = [self._line(self.deciding)] if self.deciding else []
        lines = [self.sheet.head_raw, *settles, *([date] if date else []), row.raw]
        return "\n".join(lines)

    def _line(self, date: str) -> str:
        cells = [""] * len(self.sheet.columns)
        cells[self.place] = date
        return row_text(cells, self.sheet.delimiter)


def lay_out(text: str, names: Names) -> list[Block]:
    """The blocks of a score sheet; raises :class:`parsers.rows.RowError` for what is no table."""
    text = text.lstrip("\ufeff")
    found = head_of(text)
    if found is None:
        raise RowError("no head of a table: a first line with the names of the columns", 1)
    _, delimiter, first_line = found
    separator = re.match(r"sep=.\s*$", text.split("\n", 1)[0]) is not None
    rows = list(all_rows(text, delimiter, int(separator)))
    heads = {n for n, (_, _, cells) in enumerate(rows) if _is_head(cells, names)}
    if not heads:
        heads = {n for n, (line, _, _) in enumerate(rows) if line == first_line}
    blocks: list[Block] = []
    before: list[tuple[int, str]] = []
    above: dict[int, str] = {}
    block: Block | None = None
    skip = False
    date = ""
    for n, (line, raw, cells) in enumerate(rows):
        if skip:
            skip = False
            continue
        if n in heads and _settled(cells, names) >= (3 if block else 0):
            following = rows[n + 1] if n + 1 < len(rows) else None
            skip = following is not None and _continues(cells, following[2])
            titles = _joined(cells, following[2]) if skip and following else cells
            head_raw = f"{raw}\n{following[1]}" if skip and following else raw
            block = _block(titles, head_raw, line, delimiter, names)
            told = {d for d in above.values() if d}
            if len(told) == 1:  # two dates above a table are those of something else
                (date,) = told
                block.dates.append(date)
                holds = f"the date above the table ({date}) holds for its rows"
                before = [(at, holds if above[at] else note) for at, note in before]
            block.notes += before
            before, above = [], {}
            blocks.append(block)
            continue
        words = [c.strip() for c in cells if c.strip()]
        if not words:
            continue
        if block is None:
            above[line] = _evening(" ".join(words))
            before.append((line, f"a line above the table: passed over ({words[0][:40]})"))
        elif fold(re.split(r"[\s:]", words[0], maxsplit=1)[0]) in _TOTALS:
            block.notes.append((line, "a row of totals: passed over"))
        elif len(words) == 1 and not _is_row(block.sheet, cells, names):
            found_date = find_date(words[0])
            date = found_date or date
            if found_date is not None:
                block.dates.append(found_date)
            elif is_half_date(words[0]):
                date = ""  # another evening has begun, and of which year is not said
                note = f"a date without its year ({words[0][:40]}): the rows below it have none"
                block.notes.append((line, note))
            else:
                block.notes.append((line, f"a line of text: passed over ({words[0][:40]})"))
        else:
            date = _row(block, line, raw, cells, date, names)
    for made in blocks:
        made.unread = _unread(made.sheet, names)
    return blocks


def _evening(title: str) -> str:
    """The date in a title that says nothing but which evening it is, ``""`` in any other.

    >>> _evening("Avond van vrijdag 27 november 2026"), _evening("afgedrukt op 3-12-2026")
    ('27 november 2026', '')
    """
    found = find_date(title)
    rest = title.replace(found, " ", 1) if found else "?"
    return found if found and all(fold(w) in _EVENING for w in rest.split() if fold(w)) else ""


def _row(block: Block, line: int, raw: str, cells: list[str], date: str, names: Names) -> str:
    """Add a row to its block; gives the date that holds below it."""
    sheet = block.sheet
    row = sheet.add(line, raw, cells)
    own, _ = day_and_clock(row.all(names, "time"))
    if not own and date:
        row.cells["date"] = date
        block.evening[line] = block._line(date)
    return own or date


def _is_row(sheet: Sheet, cells: list[str], names: Names) -> bool:
    """Whether the one cell of a line is a number, or says what was bid or what became of it."""
    at = next(i for i, c in enumerate(cells) if c.strip())
    key = sheet.folded[at] if at < len(sheet.folded) else ""
    return key in _telling(names) or _NUMBER.fullmatch(cells[at].strip()) is not None


def _telling(names: Names) -> set[str]:
    """Columns of which one cell alone makes a row."""
    return {alias for name in ("contract", "bid", "outcome") for alias in names.of(name)}


def _block(titles: list[str], raw: str, line: int, delimiter: str, names: Names) -> Block:
    columns = [c.strip() for c in titles]
    folded: list[str] = []
    for title in columns:
        field_name = column_field(title, names)
        plain = fold_key(title)
        if field_name is None or plain in names.of(field_name):
            folded.append(plain)
        else:
            key = names.of(field_name)[0]
            folded.append(plain if key in folded else key)
    telling = _telling(names)
    place = next((i for i, key in enumerate(folded) if key not in telling), 0)
    return Block(Sheet(columns, folded, [], raw, line, delimiter), place=place)


def column_field(title: str, names: Names) -> str | None:
    """Our name of a column, ``None`` if its title says nothing to us.

    >>> from parsers.mapping import Mapping
    >>> [column_field(t, Names(Mapping())) for t in ("Maat / partner", "Gehaald (j/n)", "Anna")]
    ['partner', 'outcome', None]
    """
    plain = fold_key(title)
    if not plain or is_private_key(title):
        return None
    for name in _USED:
        own = [*names.mapping.columns.get(name, ()), *names.mapping.fields.get(name, ())]
        if plain in map(fold_key, own):
            return name
    for name in _USED:
        if plain in _WORDS.get(name, "").split():
            return name
    for name in _USED:
        if plain in FIELD_WORDS.get(name, (name,)):
            return name
    words = [w for w in map(fold_key, re.split(r"[\s/()+&.,:?-]+", title)) if len(w) > 1]
    known = {f for w in words if len(words) > 1 and (f := column_field(w, names)) is not None}
    if len(known) > 1:  # "score van de maat", "hoogste bod": what it is about stands first
        known = {column_field(words[0], names) or next(iter(sorted(known)))}
    return known.pop() if known else None


def _settled(cells: list[str], names: Names) -> int:
    """How many cells of a line are titles of columns that we know."""
    return sum(column_field(c, names) is not None for c in cells if c.strip())


def _is_head(cells: list[str], names: Names) -> bool:
    words = [c for c in cells if c.strip()]
    if len(words) < 2 or any(_NUMBER.fullmatch(w.strip()) or find_date(w) for w in words):
        return False
    found = {column_field(c, names) for c in words} - {None}
    return len(found) >= 2 and bool(found & {"declarer", "contract", "bid"})


def _continues(head: list[str], below: list[str]) -> bool:
    """Whether a line is the second one of a head: titles under blank or spanning cells only."""
    words = [i for i, c in enumerate(below) if c.strip()]
    if len(words) < 2 or any(_NUMBER.fullmatch(below[i].strip()) for i in words):
        return False
    top = [*(c.strip() for c in head), *[""] * len(below)]
    spans = [not t or not top[i + 1] for i, t in enumerate(top[: len(below)])]
    return any(not t for t in top[: len(head)]) and all(spans[i] for i in words)


def _joined(head: list[str], below: list[str]) -> list[str]:
    width = max(len(head), len(below))
    top, low = [*head, *[""] * width][:width], [*below, *[""] * width][:width]
    return [b if b.strip() else t for t, b in zip(top, low)]


def _unread(sheet: Sheet, names: Names) -> list[str]:
    """Titles of columns that hold something and are neither known nor a player's."""
    players = player_columns(sheet, names)
    known = {alias for name in _USED for alias in names.of(name)}
    out = []
    for title, key in zip(sheet.columns, sheet.folded):
        if not key or key in known or key in players or is_private_key(title):
            continue
        if any(r.cells.get(key) for r in sheet.rows):
            out.append(title)
    return out


def player_columns(sheet: Sheet, names: Names) -> list[str]:
    """Folded names of the columns that are headed by a player: unknown to us, all amounts.

    Fewer than four may be anything: of them only those count whose title the rows name as a player.
    """
    known = {fold_key(w) for words in FIELD_WORDS.values() for w in words} | {"lost"}
    for name in FIELD_WORDS:
        known.update(names.of(name))
    out = []
    for column in sheet.folded:
        if not column or column in known or is_private_key(column):
            continue
        cells = [r.cells.get(column, "") for r in sheet.rows]
        if any(cells) and all(c == "" or _NUMBER.fullmatch(c) for c in cells):
            out.append(column)
    if len(out) >= 4:
        return out
    said = {
        fold_key(part)
        for row in sheet.rows
        for name in ("declarer", "partner", "dealer")
        for part in (row.get(names, name), *(two_names(row.get(names, name)) or ()))
    }
    return [column for column in out if column in said]


def rows_of(blocks: list[Block]) -> Iterator[tuple[Block, Row]]:
    """All rows of all blocks, in order."""
    for block in blocks:
        for row in block.sheet.rows:
            yield block, row
