"""Tables of events: the sample, Dutch Excel, TSV, UTF-16, workbooks, the least useful table."""

import io

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import CARDS
from parsers.base import Options, ParseResult, Source
from parsers.detect import read_sources
from parsers.exported import read_exported
from parsers.mapping import parse_mapping
from parsers.table import TableParser, read_table
from tests.parsers.told import (
    HEAD,
    RULES,
    TRUTH,
    codes,
    disagreements,
    dutch,
    letter,
    names,
    rank_first,
    rows,
    sample,
    signs,
    table,
)

BY = Options(rules=RULES)
DUTCH_HEAD = ["Actie", "Speler", "Kaart", "Bod", "Punten", "Troef", "Mee"]


def read(data: bytes | str, options: Options = BY, name: str = "avond.csv") -> ParseResult:
    data = data.encode("utf-8") if isinstance(data, str) else data
    return read_sources([Source(name, data)], options)


def one(data: bytes | str, options: Options = BY, name: str = "avond.csv"):
    result = read(data, options, name)
    assert [str(r) for r in result.rejects] == []
    assert result.format == "table"
    assert len(result.hands) == 1
    return result.hands[0]


def test_sample_is_the_hand_of_the_answer():
    hand = one(sample("generic.csv"))
    assert disagreements(hand.record) == {}
    assert codes(hand.record) == ["score-mismatch"]
    assert names(hand.record) == TRUTH["names"]
    assert (hand.line, hand.warnings) == (2, ())
    assert hand.record.result.outcome == "lost"
    assert hand.record.result.score == tuple(TRUTH["cents"])
    assert hand.raw.splitlines()[0].startswith("game,hand,")
    assert one(hand.raw).record == hand.record


@pytest.mark.parametrize("card", [str, dutch, rank_first, signs], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("delimiter", "end", "encoding"),
    [
        (",", "\n", "utf-8"),
        (";", "\r\n", "utf-8-sig"),
        ("\t", "\n", "utf-16"),
        ("\t", "\r\n", "utf-16-be"),
        ("|", "\r", "utf-8"),
    ],
)
def test_every_way_of_writing(card, delimiter, end, encoding):
    text = table(delimiter, end, rows(card, letter, undo=True), DUTCH_HEAD)
    hand = one(text.encode(encoding))
    assert disagreements(hand.record) == {}
    assert hand.warnings == (
        "taken back: the discard HT by N",
        "the log names no dealer: E calls first and is forehand",
    )


def test_dutch_excel_in_windows_1252():
    body = [[*r, ""] for r in rows(dutch, letter)]
    body[0][-1] = "gever – café"
    text = table(";", "\r\n", body, [*DUTCH_HEAD, "Opmerking"])
    result = read(text.encode("cp1252"))
    assert disagreements(result.hands[0].record) == {}
    assert "Windows-1252" in result.warnings[0].message


@pytest.mark.parametrize("sheet", ["Avond", "Blad1"])
def test_excel_workbook(sheet):
    out = io.BytesIO()
    frame = pl.DataFrame(rows(dutch, letter), schema=DUTCH_HEAD, orient="row")
    frame.write_excel(out, worksheet=sheet)
    hand = one(out.getvalue(), name="avond.xlsx")
    assert disagreements(hand.record) == {}
    assert hand.line == 2


def test_seats_as_names_are_placed_by_order_and_said():
    body = rows(dutch, lambda s: TRUTH["names"][s])
    hand = one(table(";", "\n", body, DUTCH_HEAD))
    assert disagreements(hand.record) == {}
    assert names(hand.record) == TRUTH["names"]
    assert any("no seats in the log" in w for w in hand.warnings)


def test_seats_counted_from_one():
    assert disagreements(one(table(",", "\n", rows(str, lambda s: str(s + 1)))).record) == {}


def test_the_least_that_is_useful():
    """Play rows and one declare row: hands follow from the play, the rest stays unknown."""
    body = [r for r in rows() if r[0] in ("play", "declare")]
    hand = one(table(",", "\n", body))
    found = disagreements(hand.record)
    # Without the contract nobody knows whether the card was called, and what came of it.
    assert set(found) <= {"hands", "middle", "discard", "partner", "made", "score"}
    assert hand.record.deal == "?" * 33
    assert hand.record.auction_state == "unknown"
    assert (hand.record.declarer, hand.record.trump, hand.record.called) == (0, "S", "HA")


def test_own_columns_by_a_map():
    mapped = parse_mapping(
        '[columns]\nevent = "Wat"\nseat = "Wie dan"\ncard = "Blaadje"\n[moves]\nplay = "legt"\n'
    )
    body = [["legt" if c == "play" else c for c in r] for r in rows(str, letter)]
    head = ["Wat", "Wie dan", "Blaadje", *HEAD[3:]]
    assert disagreements(one(table(";", "\n", body, head), Options(RULES, mapped)).record) == {}
    assert read(table(";", "\n", body, head)).hands == []


def test_several_hands_of_several_tables_between_one_another():
    numbered = []
    for r in rows():
        for game in ("a", "b"):
            numbered += [[game, "1", *r]]
    again = [["a", "2", *r] for r in rows()]
    result = read(table(",", "\n", [*numbered, *again], ["game", "hand", *HEAD]))
    keys = [(h.record.get("session"), h.record.get("hand")) for h in result.hands]
    assert keys == [("a", "1"), ("b", "1"), ("a", "2")]
    assert all(disagreements(h.record) == {} for h in result.hands)


def test_hand_numbers_that_begin_again():
    evening = [[n, *r] for n in ("1", "2") for r in rows()]
    one_hand = [["1", *r] for r in rows()] + [["1", "result", "", "", "", "", "", ""]]
    for body, count in ((evening + evening, 4), (one_hand + one_hand, 2)):
        result = read(table(",", "\n", body, ["hand", *HEAD]))
        assert [str(r) for r in result.rejects] == []
        assert [disagreements(h.record) for h in result.hands] == [{}] * count


def test_hands_without_numbers_begin_anew():
    result = read(table(",", "\n", [*rows(), *rows(), *rows()]))
    assert len(result.hands) == 3
    assert all(disagreements(h.record) == {} for h in result.hands)


def test_a_cut_last_row_is_said():
    text = table(",", "\n", rows())
    text = text[: text.rindex("play") + 8]
    result = read(text)
    (hand,) = result.hands
    assert len(hand.record.plays) == 31
    assert any("ends in the middle" in w for w in hand.warnings)
    assert "the last row is cut" in result.warnings[0].message


def test_a_row_longer_than_the_head():
    body = rows()
    body[12] += ["en nog wat"]
    (reject,) = read(table(",", "\n", body)).rejects
    assert (reject.line, reject.token) == (14, "8 cells")


def test_quoted_cells_over_lines_and_private_columns():
    body = [[*r, "x"] for r in rows()]
    body[3][-1] = '"twee\nregels"'
    text = table(",", "\n", body, [*HEAD, "email"]).replace(",x\n", ",a@b.nl\n")
    hand = one(text)
    assert disagreements(hand.record) == {}
    assert "a@b.nl" not in repr(hand)


@pytest.mark.parametrize(
    ("cell", "token", "expected"),
    [
        (("play", 2, "S5"), "S5", "a card"),
        (("bid", 3, "zwembad"), "zwembad", "a call"),
        (("play", 1, "Q"), "Q", "a seat"),
        (("declare", 5, "Z9"), "Z9", "a trump suit"),
    ],
)
def test_faults_name_place_and_expectation(cell, token, expected):
    body = rows(str, letter)
    at = next(i for i, r in enumerate(body) if r[0] == cell[0])
    body[at][cell[1]] = cell[2]
    (reject,) = read(table(",", "\n", body)).rejects
    assert (reject.line, reject.token) == (at + 2, token)
    assert expected in reject.expected


def test_a_table_without_a_head_or_events():
    assert "no head" in read_table("1;2;3\n4;5;6\n", "x", BY).rejects[0].expected
    assert "a column of events" in read_table("kaart;speler\nHA;N\n", "x", BY).rejects[0].expected


def test_huge_cells_are_a_reject():
    text = table(",", "\n", rows()) + 'play,N,"' + "x" * (1 << 21) + '",,,,\n'
    result = read_table(text, "x", BY)
    assert "cannot be read" in result.rejects[0].expected


TEXTS = [sample("generic.csv").decode(), table(";", "\r\n", rows(dutch, letter), DUTCH_HEAD)]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mutations(data):
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        n = data.draw(st.integers(0, 40))
        text = text[:at] + data.draw(st.text(max_size=6)) + text[at + n :] or ";"
    TableParser().recognise(text, "x")
    result = read_table(text, "x", BY)
    assert len(result.hands) <= 6
    assert all(len(h.record.plays) <= 32 for h in result.hands)


def test_text_of_a_hand_reads_back():
    short = "event;seat;card\nplay;S;HJ;\nplay;S;HJ;\nplay;W;H9\n"  # one row twice, the last short
    hand = one(short)
    assert [CARDS[p.card] for p in hand.record.plays] == ["HJ", "HJ", "H9"]
    assert one(hand.raw).record == hand.record


def test_an_exported_table_whose_head_begins_with_a_brace_is_a_table():
    text = 'remark\n{id;contract;phl\n7;130;"heerlen N . -,-,-,- . . . void id=a"\n'
    hand = read_exported(text, "x", Options()).hands[0]
    assert [h.record for h in read_exported(hand.raw, "x", Options()).hands] == [hand.record]
    line = '{"id": "7", "phl": "heerlen N . -,-,-,- . . . void id=a"}\n'
    assert [h.record for h in read_exported(line, "x", Options()).hands] == [hand.record]
