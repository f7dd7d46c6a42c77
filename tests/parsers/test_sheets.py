"""Score sheets as secretaries keep them: ten fixtures, workbooks with merged heads, odd cells."""

import datetime as dt
import io
from pathlib import Path

import pytest
import xlsxwriter

from parsers.base import Options, ParseResult, Source
from parsers.detect import read_path, read_sources
from parsers.mapping import parse_mapping
from tests.parsers.told import names

SHEETS = Path(__file__).parents[1] / "data" / "sheets"

# Of each hand: line, date, declarer, partner, contract, trump, outcome, score.
ALONE, NONE = "alone", None
EXPECTED = {
    "01-title-ticks.csv": [
        (5, "2026-11-28", "Anneke", "Jan-Willem", "130", None, "made", (1, 0, 1, 0)),
        (6, "2026-11-28", "Kees", ALONE, "pic", None, "lost", (0, -3, 0, 0)),
        (7, "2026-11-28", "Truus", "Anneke", "150", None, "made", (2, 0, 0, 2)),
        (9, "2026-12-05", "Jan-Willem", "Kees", "160", None, "lost", (0, -2, -2, 0)),
    ],
    "02-two-head-lines.csv": [
        (3, "2027-02-01", "An", "Co", "120", None, "made", (1, 0, 1, 0)),
        (4, "2027-02-01", "Bo", NONE, "mis", None, "lost", (0, -3, 0, 0)),
        (5, "2027-02-01", NONE, NONE, None, None, "void", None),
    ],
    "03-group-line.csv": [
        (3, "2026-10-03", "Piet", "Joris", "140", "H", "made", (1, 0, 1, 0)),
        (4, "2026-10-03", "Klaas", ALONE, "szw", None, "lost", (0, -5, 0, 0)),
        (5, "2026-10-17", "Corneel", "Piet", "pan+20", None, "made", (5, 0, 0, 5)),
    ],
    "04-euros.csv": [
        (2, "2026-11-28", "Renée", "Thérèse", "130", None, "made", (1, 1, 0, 0)),
        (3, "2026-11-28", "Bob", NONE, "mis", None, "lost", (0, 0, -3, 0)),
        (4, "2026-11-28", "Thérèse", "Bob", "170", None, "made", (0, 3, 3, 0)),
    ],
    "05-evening-lines.csv": [
        (3, "2026-11-28", "Anna", "Cor", "130", None, "made", (1, 0, 1, 0)),
        (4, "2026-11-28", "Bas", NONE, "pic", None, "lost", (0, -3, 0, 0)),
        (7, "2026-12-05", "Cor", "Dirk", "150", None, "made", (0, 0, 2, 2)),
    ],
    "06-two-outcome-columns.csv": [
        (2, "2026-11-28", "Alice", "Carol", "130", None, "made", None),
        (3, "2026-11-28", "Bob", NONE, "mio", None, "lost", None),
        (4, "2026-11-28", "Carol", "Dave", "200", None, "made", None),
    ],
    "07-pair-in-one-cell.csv": [
        (2, "2026-11-28", "Anna", "Cor", "130", None, "made", None),
        (3, "2026-11-28", "Bas", NONE, "zwa", None, "lost", None),
        (4, "2026-11-28", "Dirk", "Anna", "180", "S", "made", None),
    ],
    "08-head-again.csv": [
        (2, "2026-11-28", "Anna", "Cor", "130", None, "made", (1, 0, 1, 0)),
        (3, "2026-11-28", "Bas", "Dirk", "150", None, "lost", (0, -2, 0, -2)),
        (5, "2026-12-05", "Eva", "Anna", "130", None, "made", (1, 0, 1, 0)),
        (6, "2026-12-05", "Fred", NONE, "mis", None, "made", (0, 3, 0, 0)),
    ],
    "09-decimals-and-remarks.csv": [
        (2, "2026-11-28", "Anna", "Cor", "130", "H", "made", None),
        (3, "2026-11-28", "Bas", NONE, "ker", "C", "lost", None),
        (4, "2026-11-28", "Cor", "Dirk", "150", "S", "made", None),
    ],
}


def told(result: ParseResult) -> list[tuple]:
    out = []
    for hand in result.hands:
        r = hand.record
        mate = r.result.partner
        partner = ALONE if mate == -1 else None if mate is None else names(r)[mate]
        who = None if r.declarer is None else names(r)[r.declarer]
        out.append((hand.line, r.get("date"), who, partner, r.contract, r.trump,
                    r.result.outcome, r.result.score))  # fmt: skip
    return out


def read(text: str, options: Options | None = None) -> ParseResult:
    return read_sources([Source("s.csv", text.encode())], options)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_secretary_finds_the_evening_back(name):
    result = read_path(SHEETS / name)
    assert [str(r) for r in result.rejects] == []
    assert result.format == "scoresheet"
    assert told(result) == EXPECTED[name]
    assert all(h.record.plays == () for h in result.hands)
    assert not any("was not read" in w.message for w in result.warnings)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_text_of_a_row_gives_its_hand_again(name):
    result = read_path(SHEETS / name)
    for hand in result.hands:
        (again,) = read(hand.raw).hands
        # Seats may be settled by the whole sheet; who played what, and when, stands in the row.
        assert told(ParseResult([again]))[0][1:5] == told(ParseResult([hand]))[0][1:5]


def test_every_sheet_is_in_the_list():
    assert {f.name for f in SHEETS.glob("*.csv")} == {*EXPECTED, "10-unknown-columns.csv"}


def test_what_is_no_hand_is_said():
    said = [(w.line, w.message) for w in read_path(SHEETS / "01-title-ticks.csv").warnings]
    assert (1, "a line above the table: passed over (Pandoerclub De Zilveren Troef)") in said
    assert (10, "a row of totals: passed over") in said
    assert any("a row of totals" in w.message and w.line == 5
               for w in read_path(SHEETS / "05-evening-lines.csv").warnings)  # fmt: skip
    text = "Speler;Bod;Gehaald\nAnna;130;ja\nkoffiepauze;;\nBas;mis;nee\n"
    assert (3, "a line of text: passed over (koffiepauze)") in [
        (w.line, w.message) for w in read(text).warnings
    ]


def test_remarks_are_kept_and_telephone_numbers_are_not():
    hands = read_path(SHEETS / "09-decimals-and-remarks.csv").hands
    assert [n.text for n in hands[0].record.notes] == ["mooi gespeeld"]
    assert hands[2].record.result.points == (155, 7)
    assert hands[0].record.get("server_points") == "132"
    assert not any("06-" in h.raw for h in hands)
    assert "[removed]" in hands[0].raw
    # A sheet has no cards: its points are compared with nothing.
    assert not any("counts" in w for h in hands for w in h.warnings)


def test_euros_are_kept_as_cents():
    result = read_path(SHEETS / "04-euros.csv")
    assert [h.record.get("score_declarer") for h in result.hands] == ["1", "-3", "3"]
    assert any("euros are kept as cents" in w.message for w in result.warnings)


def test_columns_of_its_own_are_refused_with_the_way_out():
    (reject,) = read_path(SHEETS / "10-unknown-columns.csv").rejects
    assert "--map" in reject.expected
    assert "[columns]" in reject.expected
    assert "Wanneer, Baas, Hulp, Spelletje, Hoe" in reject.expected
    mapped = parse_mapping(
        '[columns]\ntime = "Wanneer"\ndeclarer = "Baas"\npartner = "Hulp"\n'
        'contract = "Spelletje"\noutcome = "Hoe"\n'
    )
    result = read_path(SHEETS / "10-unknown-columns.csv", Options(mapping=mapped))
    assert told(result) == [(2, "2026-11-28", "Anna", "Cor", "130", None, "made", None)]


def test_a_column_that_is_not_read_is_said():
    text = "Speler;Bod;Gehaald;Stemming\nAnna;130;ja;best\n"
    (warning,) = [w for w in read(text).warnings if "was not read" in w.message]
    assert "'Stemming'" in warning.message
    assert "--map" in warning.message


def test_a_club_of_five_where_one_sits_out():
    text = (
        "Speler;Maat;Bod;Gehaald;An;Bo;Co;Di;Ed\n"
        "Bo;Ed;130;ja;;1;0;0;1\nAn;;mis;nee;-3;0;;0;0\nCo;;mis;ja;;;3;;\n"
    )
    one, two, three = [h.record for h in read(text).hands]
    assert names(one) == ["Bo", "Co", "Di", "Ed"]
    assert (one.declarer, one.result.partner, one.result.score) == (0, 3, (1, 0, 0, 1))
    assert names(two) == ["An", "Bo", "Di", "Ed"]
    assert two.result.score == (-3, 0, 0, 0)
    # Who sits beside Co is not known, and whoever it was scored nothing: misère is played alone.
    assert three.result.score == (3, 0, 0, 0)
    assert any("scores of 1 players" in w for w in read(text).hands[2].warnings)


@pytest.mark.parametrize(
    ("head", "cells", "outcomes"),
    [
        ("Gehaald?", ["✓", "x"], ["made", "lost"]),
        ("Gehaald", ["x", "x"], ["made", "made"]),
        ("Gehaald", ["x", ""], ["made", None]),
        ("Uitslag", ["G", "V"], ["made", "lost"]),
        ("Uitslag", ["v", "x"], ["made", "lost"]),
        ("Uitslag", ["+", "-"], ["made", "lost"]),
        ("Uitslag", ["gehaald", "nat"], ["made", "lost"]),
        ("J/N", ["j", "n"], ["made", "lost"]),
        ("Nat", ["x", ""], ["lost", None]),
        ("Nat", ["ja", "nee"], ["lost", "made"]),
        ("Result", ["Won", "Lost"], ["made", "lost"]),
        ("Made", ["TRUE", "false"], ["made", "lost"]),
    ],
)
def test_marks(head, cells, outcomes):
    text = f"Speler;Bod;{head}\n" + "".join(f"Anna;130;{c}\n" for c in cells)
    result = read(text)
    assert [str(r) for r in result.rejects] == []
    assert [h.record.result.outcome for h in result.hands] == outcomes


@pytest.mark.parametrize(
    ("head", "row", "token"),
    [
        ("Uitslag", "Anna;130;x", "x"),
        ("Gehaald;Nat", "Anna;130;ja;ja", "ja"),
        ("Gehaald;Nat", "Anna;130;;misschien", "misschien"),
    ],
)
def test_marks_that_say_nothing_are_rejects(head, row, token):
    (reject,) = read(f"Speler;Bod;{head}\n{row}\n").rejects
    assert reject.token == token
    assert "made" in reject.expected


def workbook(rows: list[list[object]], merges: list[tuple[int, int, int, int, str]]) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("Avond")
    day = book.add_format({"num_format": "d-m-yyyy"})
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if hasattr(cell, "year"):
                sheet.write_datetime(i, j, cell, day)
            elif cell is not None:
                sheet.write(i, j, cell)
    for merge in merges:
        sheet.merge_range(*merge)
    book.close()
    return out.getvalue()


def test_a_workbook_with_merged_heads_real_dates_and_truth_values():
    from datetime import datetime

    rows: list[list[object]] = [
        ["Pandoeravond"],
        [],
        ["Datum", "Speler", "Maat", "Bod", "Gehaald", None, None, None, None],
        [None, None, None, None, None, "Anna", "Bas", "Cor", "Dirk"],
        [datetime(2026, 11, 28), "Anna", "Cor", 130, True, 1, 0, 1, 0],
        [datetime(2026, 11, 28), "Bas", None, "misère", False, 0, -3, 0, 0],
        [],
        ["Totaal", None, None, None, None, 1, -3, 1, 0],
    ]
    merges = [(0, 0, 0, 8, "Pandoeravond"), (2, 5, 2, 8, "Score"), (2, 0, 3, 0, "Datum")]
    result = read_sources([Source("avond.xlsx", workbook(rows, merges))])
    assert [str(r) for r in result.rejects] == []
    assert told(result) == [
        (5, "2026-11-28", "Anna", "Cor", "130", None, "made", (1, 0, 1, 0)),
        (6, "2026-11-28", "Bas", NONE, "mis", None, "lost", (0, -3, 0, 0)),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (workbook([], []), "without anything in it"),
        (workbook([["Speler", "Bod"]], [])[:-200], "cannot be read"),
    ],
)
def test_workbooks_that_hold_nothing_or_are_damaged(data, words):
    (reject,) = read_sources([Source("x.xlsx", data)]).rejects
    assert words in reject.expected


def test_damage_inside_a_workbook_is_a_reject():
    whole = workbook([["Speler", "Bod", "Gehaald"], ["Anna", 130, "ja"]], [])
    seen = set()
    for at in range(30, len(whole) - 30, 41):
        hurt = bytearray(whole)
        hurt[at : at + 8] = b"\xff\x00\xff\x00PK\x01\x02"
        result = read_sources([Source("x.xlsx", bytes(hurt))])
        seen.add(bool(result.hands))
        assert result.hands or result.rejects
    assert False in seen


def test_a_cell_of_the_time_of_day_and_several_sheets():
    """Excel keeps a time alone as one of the day before its first; each sheet stands alone."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    clock, day = (book.add_format({"num_format": f}) for f in ("hh:mm", "dd-mm-yyyy"))
    for title, number in (("Avond 1", 28), ("Avond 2", 29)):
        sheet = book.add_worksheet(title)
        sheet.write_row(2, 0, ["Datum", "Tijd", "Speler", "Maat", "Bod", "Gehaald"])
        sheet.write_datetime(3, 0, dt.datetime(2026, 11, number), day)
        sheet.write_datetime(3, 1, dt.time(20, 15), clock)
        sheet.write_row(3, 2, ["Anna", "Cor", 130, "ja"])
    book.add_worksheet("Leeg")
    bare = book.add_worksheet("Getallen")
    bare.write_row(0, 0, ["Datum", "Speler", "Maat", "Bod", "Gehaald"])
    bare.write_row(1, 0, [46356, "Anna", "Cor", 130, "ja"])  # a date without its format
    book.close()
    result = read_sources([Source("avond.xlsx", out.getvalue())])
    assert [str(r) for r in result.rejects] == []
    assert [
        (h.source, h.line, h.record.get("date"), h.record.get("time")) for h in result.hands
    ] == [
        ("avond.xlsx!Avond 1", 4, "2026-11-28", "20:15:00"),
        ("avond.xlsx!Avond 2", 4, "2026-11-29", "20:15:00"),
        ("avond.xlsx!Getallen", 2, "2026-11-30", None),
    ]


def _above(*titles: str) -> tuple[list[str | None], list[str]]:
    text = "".join(f"{t};;;\n" for t in titles) + "Speler;Bod;Gehaald\nAnna;130;ja\nBas;mis;nee\n"
    result = read(text)
    assert result.rejects == []
    again = [read(h.raw).hands[0].record.get("date") for h in result.hands]
    assert again == [h.record.get("date") for h in result.hands]
    return again, [w.message for w in result.warnings]


@pytest.mark.parametrize(
    ("titles", "date"),
    [
        (["Avond van vrijdag 27 november 2026"], "2026-11-27"),
        (["Pandoerclub Ruit Aas", "27-11-2026"], "2026-11-27"),
        (["Results of Friday 27-11-2026", "Datum: 27-11-2026"], "2026-11-27"),
        # Two dates, and dates that may be of something else, are not guessed at.
        (["Avond van 27-11-2026", "Avond van 4-12-2026"], None),
        (["afgedrukt op 3-12-2026"], None),
        (["Seizoen 1-9-2026 tot 1-6-2027"], None),
    ],
)
def test_a_title_that_says_which_evening_it_is_dates_the_rows(titles, date):
    dates, said = _above(*titles)
    assert dates == [date, date]
    assert any("holds for its rows" in s for s in said) == (date is not None)
