"""Score sheets: players or seats, own columns, dates, faults of single rows."""

import io

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.replay import replay
from parsers.base import Options, ParseResult, Source
from parsers.dates import Dates
from parsers.detect import read_sources
from parsers.mapping import parse_mapping
from parsers.scoresheet import ScoresheetParser, read_scoresheet
from tests.parsers.told import names

BY_PLAYER = """Datum;Spel;Speler;Maat;Bod;Gehaald;Punten;Anna;Bas;Cor;Dirk
28-11-2026;1;Anna;Cor;130;ja;132-14;1;0;1;0
28-11-2026;2;Bas;;piccolo;nee;;0;-3;0;0
28-11-2026;3;;;pas;;;;;;
28-11-2026;4;Dirk;Anna;pandoer +20;gehaald;;5;0;0;5
Totaal;;;;;;;6;-3;1;5
"""


def read(text: str | bytes, options: Options | None = None, name: str = "s.csv") -> ParseResult:
    data = text.encode() if isinstance(text, str) else text
    return read_sources([Source(name, data)], options)


def good(text: str | bytes, options: Options | None = None, name: str = "s.csv") -> ParseResult:
    result = read(text, options, name)
    assert [str(r) for r in result.rejects] == []
    assert result.format == "scoresheet"
    return result


def test_scores_in_columns_of_players():
    result = good(BY_PLAYER)
    first, second, third, fourth = [h.record for h in result.hands]
    assert names(first) == ["Anna", "Bas", "Cor", "Dirk"]
    assert (first.declarer, first.contract, first.auction_state) == (0, "130", "unknown")
    assert (first.result.outcome, first.result.points) == ("made", (132, 14))
    assert (first.result.score, first.result.partner) == ((1, 0, 1, 0), 2)
    assert (first.get("date"), first.get("hand")) == ("2026-11-28", "1")
    assert (second.declarer, second.contract, second.result.outcome) == (1, "pic", "lost")
    assert second.result.partner is None
    assert (third.result.outcome, third.declarer, third.result.score) == ("void", None, None)
    assert (fourth.contract, fourth.result.partner) == ("pan+20", 0)
    assert all(h.record.get("seating") == "assumed" for h in result.hands)
    assert any("totals" in w.message and w.line == 6 for w in result.warnings)
    assert any("heerlen" in w.message for w in result.warnings)
    assert [h.line for h in result.hands] == [2, 3, 4, 5]


def test_no_cards_are_invented():
    for hand in good(BY_PLAYER).hands:
        found = replay(hand.record).completeness
        assert (found.deal, found.plays, found.middle, found.discard) == (
            "unknown",
            0,
            "unknown",
            "unknown",
        )
        assert found.auction != "recorded"
        assert hand.record.trump is None


def test_raw_of_a_row_is_read_again_by_itself():
    hand = good(BY_PLAYER).hands[0]
    assert good(hand.raw).hands[0].record == hand.record


def test_seats_with_names_and_scores_by_seat():
    text = (
        "date,north,east,south,west,declarer,partner,contract,made,trump,called\n"
        "2026-11-28,Anna,Bas,Cor,Dirk,Z,alone,misère,no,hearts,\n"
        "2026-11-28,Anna,Bas,Cor,Dirk,Bas,Dirk,150,yes,S,HA\n"
    )
    one, two = [h.record for h in good(text).hands]
    assert (one.declarer, one.contract, one.result.partner, one.trump) == (2, "mis", -1, "H")
    assert (two.declarer, two.result.partner, two.trump, two.called) == (1, 3, "S", "HA")
    assert one.get("seating") is None
    scores = "declarer,contract,made,north,east,south,west\nS,130,yes,0,0,1,1\n"
    assert good(scores).hands[0].record.result.score == (0, 0, 1, 1)


def test_a_club_of_many_players_without_seats():
    text = (
        "Datum,Speler,Maat,Bod,Gehaald,Score\n2026-11-28,Anna,Cor,misère,ja,3\n"
        "2026-11-28,Eva,Cor,150,nee,-2\n2026-11-28,Piet,Kees,160,ja,2\n"
    )
    hands = good(text).hands
    assert [names(h.record)[h.record.declarer] for h in hands] == ["Anna", "Eva", "Piet"]
    assert [names(h.record)[h.record.result.partner] for h in hands] == ["Cor", "Cor", "Kees"]
    assert [h.record.get("score_declarer") for h in hands] == ["3", "-2", "2"]
    assert all("seats are assumed" in h.warnings[0] for h in hands)


def test_blank_scores_are_not_zero():
    text = "Speler,Bod,Gehaald,Anna,Bas,Cor,Dirk\nAnna,130,ja,1,,,\nBas,mis,nee,0,-3,0,0\n"
    one, two = [h.record for h in good(text).hands]
    assert (one.result.score, one.get("score_n"), one.get("score_e")) == (None, "1", None)
    assert two.result.score == (0, -3, 0, 0)


def test_own_columns_contracts_and_results_by_a_map():
    text = "Wie|Wat|Hoe|Samen met\nAnna|zwaar|binnen|Bas\n"
    mapped = parse_mapping(
        '[columns]\ndeclarer = "Wie"\ncontract = "Wat"\noutcome = "Hoe"\npartner = "Samen met"\n'
        '[calls]\nzwaar = "200"\n[results]\nbinnen = "made"\n[seats.names]\nAnna = "W"\nBas = "E"\n'
    )
    assert read(text).hands == []
    record = good(text, Options(mapping=mapped)).hands[0].record
    assert (record.declarer, record.contract, record.result.outcome) == (3, "200", "made")
    assert record.result.partner == 1


def test_workbook():
    out = io.BytesIO()
    lines = [r.split(";") for r in BY_PLAYER.splitlines()]
    pl.DataFrame(lines[1:], schema=lines[0], orient="row").write_excel(out)
    assert [h.record for h in good(out.getvalue(), name="s.xlsx").hands] == [
        h.record for h in good(BY_PLAYER).hands
    ]


@pytest.mark.parametrize(
    ("row", "token", "expected"),
    [
        ("28-11-2026;1;Eva;;130;ja;;0;0;0;0", "Eva", "a player or seat"),
        ("28-11-2026;1;Bas;;pikkolo;ja;;0;0;0;0", "pikkolo", "a call"),
        ("28-11-2026;1;Bas;Bas;130;ja;;0;0;0;0", "Bas", "other than declarer"),
        ("28-11-2026;1;Bas;;130;hm;;0;0;0;0", "hm", "made, lost or void"),
        ("28-11-2026;1;Bas;;pas;ja;;0;0;0;0", "ja", "no outcome"),
        ("28-11-2026;1;Bas;;130;ja;veel;0;0;0;0", "veel", "points"),
    ],
)
def test_a_faulty_row_is_one_reject(row, token, expected):
    head, *rest = BY_PLAYER.splitlines()
    result = read("\n".join([head, rest[0], row, *rest[1:]]) + "\n")
    (reject,) = result.rejects
    assert (reject.line, reject.token) == (3, token)
    assert expected in reject.expected
    assert len(result.hands) == 4


@pytest.mark.parametrize("sign", ["!", "...", "/", "??!"])
def test_a_sign_in_the_column_of_bids_is_no_pass(sign):
    head = "Speler;Maat;Bod;Gehaald\n"
    result = read(f"{head}Anna;Cor;{sign};\nBas;;130;ja\n")
    assert [h.record.contract for h in result.hands] == ["130"]
    assert (result.rejects[0].line, result.rejects[0].token) == (2, sign)
    # A bid that is not known is none either, and what came of it is kept.
    unknown = good(f"{head}Anna;Cor;?;ja\n").hands[0].record
    assert (unknown.contract, unknown.result.outcome) == (None, "made")


def test_rules_of_a_row():
    text = "Regels,Speler,Bod,Gehaald\nfiches,Anna,100,ja\nzomaar,Anna,100,ja\n"
    result = read(text)
    assert result.hands[0].record.rules == "fiches"
    assert "--rules" in str(result.rejects[0])
    assert result.rejects[0].line == 3


def test_counts_add_up():
    text = BY_PLAYER + "29-11-2026;5;;;;;;;;;\n"
    result = read(text)
    assert (len(result.hands), len(result.rejects), result.empty) == (4, 0, 1)


@pytest.mark.parametrize(
    ("texts", "text", "iso"),
    [
        (["3-4-2026"], "3-4-2026", "2026-04-03"),
        (["3/25/2026"], "3/4/2026", "2026-03-04"),
        ([], "28.11.26", "2026-11-28"),
        ([], "2026/1/2", "2026-01-02"),
        ([], "28 nov 2026", "2026-11-28"),
        ([], "28-11-2026 20:15", "2026-11-28T20:15"),
        ([], "31-2-2026", None),
        ([], "gisteren", None),
    ],
)
def test_dates(texts, text, iso):
    assert Dates(texts).iso(text) == iso


def test_without_the_columns_that_matter():
    result = read_scoresheet("a;b\nx;y\n", "x", Options())
    assert "columns for declarer and contract" in result.rejects[0].expected


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mutations(data):
    text = BY_PLAYER
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        n = data.draw(st.integers(0, 20))
        text = text[:at] + data.draw(st.text(max_size=6)) + text[at + n :] or ";"
    ScoresheetParser().recognise(text, "x")
    result = read_scoresheet(text, "x", Options())
    assert len(result.hands) + len(result.rejects) + result.empty <= 12
    assert all(h.record.plays == () for h in result.hands)


@pytest.mark.parametrize("title", ["Speler", "Player", "Naam", "Name", "Wie speelt", "Bieder"])
def test_titles_of_the_declarer(title):
    one, two = [h.record for h in good(f"{title};Bod;Gehaald\nAnna;120;+\nBas;130;-\n").hands]
    assert [(r.player(r.declarer or 0), r.contract, r.result.outcome) for r in (one, two)] == [
        ("Anna", "120", "made"),
        ("Bas", "130", "lost"),
    ]


def test_a_column_of_numbers_is_no_player_unless_the_rows_name_him():
    text = "Datum;Wie;Met;Hoeveel;Uitslag\n28-11-2026;Anna;Cor;130;gehaald\n"
    result = good(text)
    assert result.hands[0].record.contract is None
    assert any("'Hoeveel' is not known" in w.message for w in result.warnings)
    assert names(result.hands[0].record)[:2] == ["Anna", "Cor"]
    # Three columns of players who are named in the rows keep their scores.
    part = "Speler;Maat;Bod;Gehaald;Anna;Cor;Nr2\nAnna;Cor;130;ja;1;1;7\n"
    r = good(part).hands[0].record
    assert (r.get("score_n"), r.get("score_e")) == ("1", "1")


def test_points_with_a_sign_are_scores():
    """Points of cards are never below zero: one sign settles it for the column."""
    head = "Speler;Maat;Bod;Gehaald;Punten\n"
    hands = [h.record for h in good(head + "Anna;Cor;130;ja;2\nBas;Cor;pandoer;nee;-3\n").hands]
    assert [r.get("score_declarer") for r in hands] == ["2", "-3"]
    assert [r.get("server_points") for r in hands] == [None, None]
    assert hands[1].contract == "pan"
    plain = good(head + "Anna;Cor;130;ja;132\n").hands[0].record
    assert (plain.get("server_points"), plain.get("score_declarer")) == ("132", None)
    fault = read(head + "Anna;Cor;130;ja;132-14\nBas;Cor;130;nee;-3\n")
    assert (fault.rejects[0].line, fault.rejects[0].token) == (2, "132-14")


def test_a_score_that_is_no_whole_number_is_not_lost_in_silence():
    head = "Speler;Maat;Bod;Gehaald;An;Bo;Co;Di\n"
    result = read(head + "An;Co;130;ja;0,5;-0,5;0,5;-0,5\nBo;Di;130;ja;-1;1;-1;1\n")
    assert len(result.hands) == 1
    assert (result.rejects[0].line, result.rejects[0].token) == (2, "0,5")


def test_cells_beyond_the_last_column_are_told():
    hand = good("Speler;Bod;Gehaald\nAn;130;ja;extra;meer\n").hands[0]
    assert any(w.startswith("2 cells to the right") for w in hand.warnings)


def test_the_date_is_the_evening_of_a_sheet_that_names_none():
    head = "Datum;Spel;Speler;Maat;Bod;Punten\n"
    one, other, none = [
        h.record
        for h in good(
            head
            + "28-11-2026;1;Anna;Cor;130;1\n5-12-2026 20:15;1;Bas;Cor;150;-2\n;2;Bas;Cor;130;1\n"
        ).hands
    ]
    assert [(r.get("session"), r.get("session_by")) for r in (one, other)] == [
        ("2026-11-28", "date"),
        ("2026-12-05", "date"),
    ]
    # The date goes on below; a sheet without any has no evening.
    assert (none.get("date"), none.get("session")) == ("2026-12-05", "2026-12-05")
    undated = good("Speler;Maat;Bod;Punten\nAnna;Cor;130;1\n").hands[0].record
    assert (undated.get("session"), undated.get("session_by")) == (None, None)


@pytest.mark.parametrize("column", ["Avond", "Sessie", "session", "Tafel"])
def test_a_sheet_that_names_its_evening_itself_is_left_alone(column):
    text = f"Datum;{column};Speler;Maat;Bod;Gehaald\n28-11-2026;A;Anna;Cor;130;ja\n"
    record = good(text + "28-11-2026;;Bas;Cor;130;ja\n").hands[0].record
    assert (record.get("session"), record.get("session_by")) == ("A", None)
    assert good(text + "28-11-2026;;Bas;Cor;130;ja\n").hands[1].record.get("session") is None


def test_passed_out_beside_a_declarer_is_told_of():
    head = "Speler;Maat;Bod;Gehaald\nAnna;Dirk;130;ja\n"
    hands = good(head + "Cor;Bas;pas;\n;;pas;\n-;-;pas;\nCor;alleen;pas;\n").hands[1:]
    for h in hands:
        r = h.record
        assert (r.result.outcome, r.result.partner, r.declarer, r.contract) == (
            "void", None, None, None,
        )  # fmt: skip
    told = "a hand that was passed out has no declarer: {} left out"
    assert [[w for w in h.warnings if "passed out" in w] for h in hands] == [
        [told.format("Cor, Bas")], [], [], [told.format("Cor")],
    ]  # fmt: skip
