"""Score sheets without cards: who played what, and what came of it.

One row a hand; columns by English or Dutch names or by ``[columns]`` of a ``--map`` file: date,
hand, declarer, partner, contract, made, points, and scores by seat or by player (a column headed
by the player's name). Sheets name players and no seats: seats are then given by the order of the
player columns, else by the order of first mention, and the record says so (META ``seating``).
"""

from collections.abc import Sequence

from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Source, Warn
from parsers.dates import DAY_FIRST, Dates, day_and_clock
from parsers.items import Names
from parsers.mapping import Mapping, mapping_of
from parsers.rows import RowError, Sheet, head_of, public_text
from parsers.rulechoice import DEFAULT_RULES
from parsers.sheetlayout import Block, lay_out, player_columns, rows_of
from parsers.sheetrows import RowFault, RowReader, seats_told
from parsers.text import read_texts
from parsers.words import (
    CallTextError,
    call_text,
)

BY_MAP = "name it under [columns] in a --map file"
MAX_NOTES = 20


class ScoresheetParser:
    """Reads score sheets."""

    name = "scoresheet"

    def recognise(self, text: str, name: str) -> bool:
        """A table with declarer or contract, an outcome or score, and no events or cards."""
        return self.recognise_with(text, name, Options())

    def recognise_with(self, text: str, name: str, options: Options) -> bool:
        """The same, with the columns of a ``--map`` file."""
        if text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "<")) or head_of(text) is None:
            return False
        names = Names(mapping_of(options.mapping))
        try:
            blocks = lay_out(text[:100_000], names)
        except RowError:
            return False
        return any(_tells(block.sheet, names) for block in blocks)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_texts(sources, options, self.name, read_scoresheet)


def read_scoresheet(text: str, source: str, options: Options) -> ParseResult:
    """Hands of one score sheet."""
    result = ParseResult()
    mapping = mapping_of(options.mapping)
    names = Names(mapping)
    try:
        blocks = lay_out(text, names)
    except RowError as e:
        result.rejects.append(Reject(source, e.line, 1, "", str(e), public_text(text)))
        return result
    dates = Dates(_days(blocks, names), mapping.dates.order)
    if dates.assumed:
        result.warnings.append(Warn(source, blocks[0].sheet.head_line, DAY_FIRST))
    for block in blocks:
        block.deciding = dates.deciding if dates.month_first and not mapping.dates.order else ""
        sheet = block.sheet
        if not any(sheet.has(names, name) for name in ("declarer", "contract", "bid")):
            found = ", ".join(sheet.columns)[:60]
            expected = f"columns for declarer and contract; {BY_MAP}"
            result.rejects.append(
                Reject(source, sheet.head_line, 1, found, expected, public_text(text))
            )
            continue
        for line, note in block.notes[:MAX_NOTES]:
            result.warnings.append(Warn(source, line, note))
        for title in block.unread[:MAX_NOTES]:
            told = f"the column {title[:40]!r} is not known and was not read; {BY_MAP}"
            result.warnings.append(Warn(source, sheet.head_line, told))
        _read_block(block, RowReader(sheet, names, mapping, dates, options), source, result)
    unnamed = next((h.line for h in result.hands if h.record.rules is None), None)
    if unnamed is not None:
        result.warnings.append(Warn(source, unnamed, DEFAULT_RULES))
    return result


def _days(blocks: Sequence[Block], names: Names) -> list[str]:
    """The texts of all dates of a file."""
    days = [d for block in blocks for d in block.dates]
    rows = (row for _, row in rows_of(list(blocks)))
    return days + [day_and_clock(row.all(names, "time"))[0] for row in rows]


def _read_block(block: Block, reader: RowReader, source: str, result: ParseResult) -> None:
    """The hands of the rows below one head."""
    sheet = block.sheet
    if reader.amounts.euros:
        told = "amounts in euros are kept as cents"
        result.warnings.append(Warn(source, sheet.head_line, told))
    for row in sheet.rows:
        raw = block.raw(row)
        try:
            found = reader.hand(row)
        except RowFault as e:
            result.rejects.append(Reject(source, row.line, 1, e.token, e.expected, raw))
            continue
        except RuleSetError as e:
            result.rejects.append(Reject(source, row.line, 1, "", str(e), raw, "unknown-rules"))
            continue
        if found is None:
            result.empty += 1
            continue
        record, warnings = found
        result.hands.append(Located(record, source, row.line, raw, tuple(warnings)))
    result.warnings += [Warn(source, line, text) for line, text in reader.remarks()]


def _tells(sheet: Sheet, names: Names) -> bool:
    """Whether a block says who played or what, and what came of it, and shows no cards."""
    if sheet.has(names, "card") or not sheet.rows:
        return False
    told = any(sheet.has(names, name) for name in ("outcome", "lost", "score"))
    told = told or len(player_columns(sheet, names)) == 4 or seats_told(sheet, names) == 4
    who = sheet.has(names, "declarer")
    what = sheet.has(names, "contract") or sheet.has(names, "bid")
    if told or not (who and what):
        return told and (who or what)
    # Columns of these names alone may be anything: the bids must be bids.
    mapping = names.mapping
    return any(
        _is_call(r.get(names, "contract") or r.get(names, "bid"), mapping) for r in sheet.rows[:50]
    )


def _is_call(word: str, mapping: Mapping) -> bool:
    try:
        return bool(word) and bool(call_text(word, None, mapping.calls))
    except CallTextError:
        return False
