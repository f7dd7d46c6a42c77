"""Dates: what is one, what is none, day or month first, and the time of day."""

import pytest

from parsers.base import Options, ParseResult, Source
from parsers.dates import Dates, clock_text, day_and_clock, find_date, is_half_date, looks_like_date
from parsers.detect import read_sources
from parsers.mapping import MappingError, parse_mapping
from parsers.typed import read_typed

HEAD = "Datum;Speler;Maat;Bod;Gehaald;Punten\n"


def read(text: str, options: Options | None = None, name: str = "s.csv") -> ParseResult:
    return read_sources([Source(name, text.encode())], options)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("28-11-2026", "2026-11-28"),
        ("28/11/26", "2026-11-28"),
        ("28.11.2026", "2026-11-28"),
        ("28-11-98", "1998-11-28"),
        ("1-2-69", "2069-02-01"),
        ("1-2-70", "1970-02-01"),
        ("2026/1/2", "2026-01-02"),
        ("20261128", "2026-11-28"),
        ("28 nov 2026", "2026-11-28"),
        ("28-nov-26", "2026-11-28"),
        ("28nov2026", "2026-11-28"),
        ("5 december 2026", "2026-12-05"),
        ("1 mrt. 2026", "2026-03-01"),
        ("1 May 2026", "2026-05-01"),
        ("November 28, 2026", "2026-11-28"),
        ("za 28-11-2026", "2026-11-28"),
        ("Zaterdag 28 november 2026", "2026-11-28"),
        ("Sat, 28 Nov 2026", "2026-11-28"),
        ("29-2-2028", "2028-02-29"),
        ("28-11-2026 20:15", "2026-11-28T20:15"),
        ("28-11-2026 20.15 uur", "2026-11-28T20:15"),
        ("28 nov 2026, 9:05", "2026-11-28T09:05"),
        ("11/28/2026 8:15 PM", None),  # 28 is no month: by itself this is day first
        ("2026-11-28T20:15:00Z", "2026-11-28T20:15:00Z"),
        ("2026-11-28 20:15:00.5+01:00", "2026-11-28T20:15:00.5+01:00"),
        # What is no day of the calendar, or no time of day.
        ("31-02-2026", None),
        ("29-2-2026", None),
        ("31-4-2026", None),
        ("0-1-2026", None),
        ("1-13-2026", None),
        ("2026-02-30", None),
        ("30 feb 2026", None),
        ("28-11-2026 25:61", None),
        ("28-11-2026 24:00", None),
        ("28-11-2026 20:60", None),
        ("28-11-2026 13:00 pm", None),
        ("28-11-0026", None),
        ("0026-11-28", None),
        ("28-11-1899", None),
        ("28-11-2100", None),
        ("28-11-026", None),
        ("28-11/2026", None),
        ("28-11", None),
        ("28 nov", None),
        ("28 foo 2026", None),
        ("janitor 3 2026", None),
        ("28 novaria 2026", None),
        ("gisteren", None),
        ("", None),
    ],
)
def test_what_is_a_date(text, iso):
    assert Dates([]).iso(text) == iso


def test_day_or_month_first_is_settled_once_a_file():
    american = Dates(["4/2/2026", "12/31/2026"])
    assert (american.month_first, american.assumed) == (True, False)
    assert [american.iso(t) for t in ("4/2/2026", "12/31/2026")] == ["2026-04-02", "2026-12-31"]
    assert american.iso("31/12/2026") is None
    dutch = Dates(["4-2-2026", "31-12-2026"])
    assert (dutch.month_first, dutch.assumed) == (False, False)
    assert dutch.iso("4-2-2026") == "2026-02-04"
    open_ = Dates(["4-2-2026"])
    assert (open_.month_first, open_.assumed, open_.iso("4-2-2026")) == (False, True, "2026-02-04")
    told = Dates(["4-2-2026"], "month-first")
    assert (told.assumed, told.iso("4-2-2026")) == (False, "2026-04-02")
    # Both ways in one file: the day first, and the other one is no date.
    both = Dates(["31-12-2026", "12-31-2026"])
    assert [both.iso(t) for t in ("31-12-2026", "12-31-2026")] == ["2026-12-31", None]


def test_numbers_that_excel_keeps_for_dates():
    # 1 January 1900 is day 1 of Excel, which counts 29 February 1900 too: 46354 is 28-11-2026.
    serial = Dates(["46354", "46355", ""])
    assert [serial.iso(t) for t in ("46354", "46355.0")] == ["2026-11-28", "2026-11-29"]
    assert Dates(["46354", "28-11-2026"]).iso("46354") is None


@pytest.mark.parametrize(
    ("text", "clock"),
    [("20:15", "20:15"), ("9.05", "09:05"), ("20:15:30", "20:15:30"), ("12:30 am", "00:30"),
     ("12:30 pm", "12:30"), ("20:15u", "20:15"), ("20:15Z", "20:15Z"), ("24:00", None),
     ("9", None), ("20:5", None), ("kwart over 8", None)],
)  # fmt: skip
def test_times_of_day(text, clock):
    assert clock_text(text) == clock


def test_dates_in_lines_of_text():
    assert find_date("Clubavond zaterdag 28-11-2026, tafel 3") == "28-11-2026"
    assert find_date("Avond 2026-11-28") == "2026-11-28"
    assert find_date("seizoen 2026-2027") is None
    assert [is_half_date(t) for t in ("avond 5 dec", "5-12", "ronde 3", "3 mei 2026", "1-2-3")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    assert looks_like_date("31-02-2026")
    assert not looks_like_date("12.5")
    assert day_and_clock(["20:15", "28-11-2026", "29-11-2026"]) == ("28-11-2026", "20:15")


@pytest.mark.parametrize(
    ("date", "found"),
    [("31-02-2026", "31-02-2026"), ("28-11-0026", "28-11-0026"), ("28-11-2026 25:61", None),
     ("28 nov", None), ("kerst", None)],
)  # fmt: skip
def test_a_day_that_is_none_is_a_reject_of_its_row(date, found):
    rows = f"28-11-2026;Anna;Cor;130;ja;132-14\n{date};Bas;Dirk;150;nee;100-46\n"
    result = read(HEAD + rows)
    assert [h.record.get("date") for h in result.hands] == ["2026-11-28"]
    reject = result.rejects[0]
    assert (reject.line, reject.token) == (3, found or date)
    assert "in the calendar" in reject.expected
    assert date in reject.raw  # nothing is lost: it is read again once it is put right
    again = read(reject.raw.replace(date, "29-11-2026"))
    assert [h.record.get("date") for h in again.hands] == ["2026-11-29"]


def test_a_blank_or_unknown_date_is_no_fault():
    rows = ";Anna;Cor;130;ja;132-14\n?;Bas;Dirk;150;nee;100-46\n"
    result = read(HEAD + rows)
    assert [h.record.get("date") for h in result.hands] == [None, None]
    assert result.rejects == []


def test_a_column_of_the_time_of_day_beside_the_date():
    text = (
        "Tijd;Datum;Speler;Maat;Bod;Gehaald\n20:15;28-11-2026;Anna;Cor;130;ja\n"
        "20.31;;Bas;Dirk;150;nee\n25:61;;Bas;Dirk;150;nee\n"
    )
    result = read(text)
    moments = [(h.record.get("date"), h.record.get("time")) for h in result.hands]
    assert moments == [("2026-11-28", "20:15"), ("2026-11-28", "20:31")]
    assert (result.rejects[0].token, result.rejects[0].line) == ("25:61", 4)
    assert "a time of day" in result.rejects[0].expected


def test_the_whole_file_settles_the_month_for_every_row_also_alone():
    text = (
        HEAD + "4/2/2026;Anna;Cor;130;ja;132-14\n4/2/2026;Bas;Cor;zwembad;ja;\n"
        "3/25/2026;Bas;Dirk;150;nee;100-46\n\n" + HEAD + "5/3/2026;Anna;Cor;130;ja;132-14\n"
    )
    result = read(text)
    days = [h.record.get("date") for h in result.hands]
    assert days == ["2026-04-02", "2026-03-25", "2026-05-03"]
    assert not any("day first" in w.message for w in result.warnings)
    # The text of one row is the same row again, and so is that of a reject once it is understood.
    for hand in result.hands:
        assert [h.record.get("date") for h in read(hand.raw).hands] == [hand.record.get("date")]
    fixed = read(result.rejects[0].raw.replace("zwembad", "150"))
    assert [h.record.get("date") for h in fixed.hands] == ["2026-04-02"]


def test_an_open_order_is_said_and_a_mapping_file_decides():
    text = HEAD + "4-2-2026;Anna;Cor;130;ja;132-14\n"
    said = read(text)
    assert [w.message for w in said.warnings if "day first" in w.message] == [
        "dates are read with the day first, then the month "
        "([dates] in a --map file can say otherwise)"
    ]
    mapping = parse_mapping('[dates]\norder = "month-first"')
    told = read(text, Options(mapping=mapping))
    assert told.hands[0].record.get("date") == "2026-04-02"
    assert not any("day first" in w.message for w in told.warnings)
    with pytest.raises(MappingError, match=r"x:2: 'dates.order' is 'us'; allowed: 'day-first'"):
        parse_mapping('[dates]\norder = "us"', "x")


def test_an_evening_line_without_a_year_ends_the_evening_before():
    text = (
        "Speler;Maat;Bod;Gehaald\nAvond 28-11-2026;;;\nAnna;Cor;130;ja\n"
        "Avond 5 december;;;\nBas;Dirk;150;nee\n"
    )
    result = read(text)
    assert [h.record.get("date") for h in result.hands] == ["2026-11-28", None]
    assert any("without its year" in w.message and w.line == 4 for w in result.warnings)


def test_a_sheet_that_begins_with_the_bid_has_its_evening_in_the_text_of_a_row():
    text = "Bod;Speler;Maat;Gehaald\n;28-11-2026;;\n130;Anna;Cor;ja\n150;Bas;Dirk;nee\n"
    result = read(text)
    assert [h.record.get("date") for h in result.hands] == ["2026-11-28"] * 2
    for hand in result.hands:
        assert [h.record.get("date") for h in read(hand.raw).hands] == ["2026-11-28"]


def test_a_typed_hand():
    text = "Zuid: 150; troef H; mee SA; datum {}\n---\nZuid: 130; troef S; mee HA; datum {}"
    days = [h.record.get("date") for h in read_typed(text.format("4/2/2026", "3/25/2026")).hands]
    assert days == ["2026-04-02", "2026-03-25"]
    result = read_typed(text.format("31-02-2026", "zaterdag 28 november 2026"))
    assert [h.record.get("date") for h in result.hands] == ["2026-11-28"]
    assert result.rejects[0].token == "31-02-2026"


TABLE = "event;seat;card;trump;called;datum;tijd\ndeclare;S;;H;SA;{};{}\nplay;S;HJ;;;;20:16\n"


@pytest.mark.parametrize(
    ("date", "clock", "told"),
    [
        ("28-11-2026", "20:15", ("2026-11-28", "20:15")),
        ("28-11-2026", "", ("2026-11-28", "20:16")),
        ("2026-11-28T20:15:00Z", "", ("2026-11-28", "20:15:00Z")),
        ("1795896900", "", ("2026-11-28", "20:15:00Z")),
        ("", "", (None, None)),
        ("", "12.5", (None, None)),
    ],
)
def test_dates_of_a_table_of_events(date, clock, told):
    result = read(TABLE.format(date, clock).replace("20:16", "20:16" if date else ""))
    record = result.hands[0].record
    assert (record.get("date"), record.get("time")) == told


def test_a_table_of_american_dates():
    one = TABLE.format("4/2/2026", "").replace("20:16", "")
    deal = "deal;;;;;{};\n"
    head, rows = one.split("\n", 1)
    text = f"{head}\n{deal}{rows}{deal}{rows.replace('4/2/2026', '3/25/2026')}".replace("{}", "")
    days = [h.record.get("date") for h in read(text).hands]
    assert days == ["2026-04-02", "2026-03-25"]


@pytest.mark.parametrize("date", ["31-02-2026", "2026-02-31", "2026-11-28T25:61", "0026-11-28"])
def test_a_log_with_cards_keeps_a_date_that_is_none_and_says_so(date):
    """A hand is not lost for its date: no filter takes the text for a day."""
    result = read(TABLE.format(date, "").replace("20:16", ""))
    hand = result.hands[0]
    assert hand.record.get("date") == date
    assert any(date in w for w in hand.warnings)


def test_a_bare_number_in_events_is_no_date():
    log = (
        '{"e":"declare","t":12,"seat":0,"trump":"H","call":"SA"}\n'
        '{"e":"play","seat":0,"card":"HJ","t":13.5}\n'
    )
    head = '{"format":"pandoeren-log","Date":"28-11-2026"}\n'
    assert read(log, name="x.jsonl").hands[0].record.get("date") is None
    assert read(head + log, name="x.jsonl").hands[0].record.get("date") == "2026-11-28"
