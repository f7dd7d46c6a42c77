import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import CARDS, SEATS
from engine.record import Call, Claim, HandRecord, Note, Play, Result
from engine.replay import replay
from parsers.base import Options, ParseResult, Source
from parsers.canonical import normalised
from parsers.iss import IssParser, write_sgf, write_sgf_file
from parsers.mapping import parse_mapping
from parsers.phl import read_phl
from tests.mutate import again, byte_mutants, check_sane, seats_and_cards

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "samples" / "iss" / "iss_style.sgf"
TEXT = SAMPLE.read_text("utf-8")
TRUTH = json.loads((ROOT / "tests" / "data" / "TRUTH.json").read_text("utf-8"))
CONFORMANCE = ROOT / "tests" / "conformance"
PARSER = IssParser()
SLOW = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def read(text: str, options: Options | None = None) -> ParseResult:
    return PARSER.parse([Source("x", text.encode("utf-8", "surrogatepass"))], options or Options())


def same(record: HandRecord) -> HandRecord:
    r = normalised(record)
    return replace(r, meta=tuple(sorted(r.meta)))


def test_the_true_hand() -> None:
    hand = read(TEXT).hands[0]
    r = hand.record
    play = replay(r, "butselaar")
    for seat, cards in enumerate(TRUTH["hands"]):
        assert {CARDS[c] for c in range(33) if r.deal[c] == SEATS[seat]} == set(cards)
    assert CARDS[r.deal.index("M")] == TRUTH["middle"]
    assert r.dealer == TRUTH["dealer"]
    assert [c.text for c in r.auction] == ["-", "-", "-", "130"]
    assert (r.trump, r.called, r.discard) == ("S", "HA", "S9")
    assert seats_and_cards(r, play.seats) == TRUTH["plays"]
    assert list(play.outcome.winners) == TRUTH["winners"]
    assert play.outcome.points[0] == TRUTH["score"] == int(r.get("server_points") or 0)
    assert play.outcome.made is TRUTH["made"]
    assert r.result == Result("lost", tricks=(3, 5))
    assert play.outcome.tricks == (3, 5)
    assert [r.player(s) for s in range(4)] == TRUTH["names"]
    assert (r.get("session"), r.get("hand"), r.get("date")) == ("24072", "1", "2026-11-29")
    assert not [v for v in play.violations if v.severity == "error"]
    assert not hand.warnings


def test_a_hand_with_unknown_cards_that_somebody_left() -> None:
    hand = read(TEXT).hands[1]
    r = hand.record
    assert {CARDS[c] for c in range(33) if r.deal[c] == "W"} == set(TRUTH["hands"][3])
    assert r.deal.count("?") == 24
    assert seats_and_cards(r, replay(r).seats) == TRUTH["plays"][:12]
    assert r.result.outcome is None
    assert any("N leaves the table after 12 cards" in w for w in hand.warnings)


def test_passed_out() -> None:
    r = read(TEXT).records[2]
    assert [c.text for c in r.auction] == ["-"] * 4
    assert r.result.outcome == "void"
    assert replay(r).outcome.passed_out


def test_skat_is_refused_by_name() -> None:
    text = TEXT.replace("GM[Pandoeren]", "GM[Skat]", 1)
    result = read(text)
    (reject,) = result.rejects
    assert len(result.hands) == 2
    assert (reject.code, reject.token, reject.line) == ("other-game", "Skat", 1)
    assert "another game" in reject.expected


def test_raw_text_reads_back() -> None:
    for hand in read(TEXT).hands:
        assert again(PARSER, hand) == [hand.record]
        assert hand.raw in TEXT


@pytest.mark.parametrize("path", sorted(CONFORMANCE.glob("*.phl")), ids=lambda p: p.stem)
def test_every_hand_of_the_conformance_files_survives(path: Path) -> None:
    records = read_phl(path.read_text("utf-8"), path.name).records
    back = read(write_sgf_file(records))
    assert not back.rejects
    assert [same(r) for r in back.records] == [same(r) for r in records]


def test_most_hands_need_no_second_form() -> None:
    records = read_phl((CONFORMANCE / "legal-heerlen.phl").read_text("utf-8")).records
    assert len(records) > 50
    assert not any("PL[" in write_sgf(r) for r in records)


def test_samples_survive() -> None:
    for record in read(TEXT).records:
        (back,) = read(write_sgf(record)).records
        assert same(back) == same(record)


def test_odd_records_survive() -> None:
    odd = HandRecord(
        "heerlen",
        auction_state="calls",
        auction=(Call("120", 2), Call("-", 2)),
        trump="H",
        called="-",
        discard="?",
        plays=(Play(3, 1), Play(3, 1), Play(5)),
        claims=(Claim(0, 2, "roem", 50), Claim(3, 1, "run", cards=(1, 2, 3))),
        result=Result("made", (100, 40), (1, 0, -1, 0), conceded=3, partner=-1),
        meta=(
            ("id", "a]b\\c"),
            ("n", "x\ny"),
            ("site", "]"),
            ("tag.Elo (N)", "7 8"),
            ("date", "?"),
        ),
        notes=(Note("2", "c", "too] early"), Note("h", "c", "a | b")),
    )
    for record in (odd, HandRecord(auction_state="unknown", contract="130")):
        line = write_sgf(record)
        assert "\n" not in line
        (back,) = read(line).records
        assert same(back) == same(record)


def test_seats_by_a_mapping() -> None:
    options = Options(mapping=parse_mapping('[seats]\norder = ["N","E","S","W"]'))
    r = read(TEXT, options).records[0]
    assert r.player(0) == "Kees van Dam"
    assert r.dealer == 3


def test_rules() -> None:
    line = write_sgf(replace(read(TEXT).records[0], rules="fiches"))
    assert "RU[fiches]" in line
    assert read(line).records[0].rules == "fiches"
    assert read(line, Options(rules="butselaar")).records[0].rules == "butselaar"
    (reject,) = read(line.replace("RU[fiches]", "RU[mine]")).rejects
    assert (reject.code, reject.token) == ("unknown-rules", "mine")


def test_rules_of_the_whole_line_must_be_known_too() -> None:
    line = write_sgf(replace(read(TEXT).records[0], rules="fiches", rules_hash="0BADCAFE"))
    bad = line.replace("]PL[fiches@0BADCAFE", "]PL[mine")
    assert bad != line
    (reject,) = read(bad).rejects
    assert reject.code == "unknown-rules"
    assert "'mine'" in reject.expected
    again = read(bad, Options(rules="fiches"))
    assert [r.rules for r in again.records] == ["fiches"]


@pytest.mark.parametrize("told", ["0", "1234567g", "123456789"])
def test_a_hash_of_rules_has_eight_digits(told: str) -> None:
    line = write_sgf(replace(read(TEXT).records[0], rules="fiches", rules_hash="0BADCAFE"))
    assert read(line).records[0].rules_hash == "0badcafe"
    bad = line.replace("RU[fiches@0BADCAFE]", f"RU[fiches@{told}]")
    # Of a game that is cut off too: its hand is put together otherwise.
    for text in (bad, bad[: bad.index("]MV[") + 150]):
        (reject,) = read(text).rejects
        assert (reject.token, reject.expected) == (f"@{told}", "ID or ID@HASH (8 hex digits)")
        assert text[reject.column - 1 :].startswith(f"@{told}]")
    # Who names the rules himself need not care what the file says of them.
    assert read(bad, Options(rules="fiches")).records[0].rules == "fiches"


@pytest.mark.parametrize(
    ("old", "new", "token"),
    [
        (" 3 HT ", " 3 XX ", "XX"),
        (" 3 HT ", " 5 HT ", "5"),
        ("130 3 s", "999999 3 s", "999999"),
        ("S.S9.HA", "S.S6.HA", "S6"),
        ("CA.DQ", "CA.ZQ", "ZQ"),
        ("w SK.", "w ", None),
    ],
)
def test_a_place_for_every_fault(old: str, new: str, token: str | None) -> None:
    line = TEXT.split("\n")[0].replace(old, new, 1)
    (reject,) = read("\n" + line).rejects
    assert reject.line == 2
    if token is not None:
        assert line[reject.column - 1 :].startswith(reject.token)
        assert reject.token == token
    else:
        assert "33 cards" in reject.expected


def test_a_broken_game_leaves_the_others() -> None:
    lines = TEXT.rstrip("\n").split("\n")
    lines[1] = lines[1].replace("SE[", "SE", 1)
    lines.insert(1, "what is this")
    result = read("\n".join(lines))
    assert [h.line for h in result.hands] == [1, 4]
    assert [r.line for r in result.rejects] == [2, 3]


def test_a_cut_game_keeps_its_moves() -> None:
    line = TEXT.split("\n")[0]
    at = line.index(" 0 C7")
    result = read(line[: at + 4])
    (hand,) = result.hands
    assert seats_and_cards(hand.record, replay(hand.record).seats) == TRUTH["plays"][:14]
    assert any("cut off" in w for w in hand.warnings)


def test_recognised_by_content() -> None:
    assert PARSER.recognise(TEXT, "x")
    assert PARSER.recognise("(;GM[Skat]PC[ISS]MV[w ...]", "x")
    for path in (ROOT / "data" / "samples").rglob("*"):
        if path.is_file() and "iss" not in path.parts:
            assert not PARSER.recognise(path.read_bytes().decode("utf-8", "replace"), "a.sgf")


def moves(text: str, more: str = "") -> ParseResult:
    deal = TEXT.split("MV[w ")[1].split(" ")[0]
    return read(f"(;GM[Pandoeren]{more}MV[w {deal} {text}] ;)\n")


def test_resigning_running_out_of_time_and_announcements() -> None:
    assert moves("0 p 1 p 2 p 3 130 3 HT TI.1 RE").rejects[0].token == "TI.1"
    (hand,) = moves("0 p 1 p 2 p 3 130 3 S.S9.HA 3 HT 3 roem20 0 HJ 3 RE 1 TI.1").hands
    assert [(c.ply, c.seat, c.what()) for c in hand.record.claims] == [(1, 0, "roem20")]
    assert hand.record.result.conceded == 2
    assert any("S runs out of time" in w for w in hand.warnings)


def test_unknown_cards_and_seats() -> None:
    (hand,) = moves("3 130 ? S.??.HA ? HT 0 ?? 1 H8").hands
    assert [CARDS[p.card] for p in hand.record.plays] == ["HT"]
    assert hand.record.discard == "?"
    assert any("not shown" in w for w in hand.warnings)


@pytest.mark.parametrize(
    ("text", "more", "token"),
    [
        ("? roem50", "", "roem50"),
        ("3 roem", "", "roem"),
        ("3", "", "3"),
        ("w SA.SK", "", "SA.SK"),
        ("w XX", "", "XX"),
        ("0 p", "DL[X]", "X"),
        ("0 p", "AU[=X1]", "X"),
        ("0 p", "RS[won]", "won"),
        ("0 p", "ME[a b]", " "),
        ("0 p", "PL[heerlen X . . . . . . .]", "X"),
    ],
)
def test_more_faults(text: str, more: str, token: str) -> None:
    (reject,) = moves(text, more).rejects
    assert reject.token == token


def test_hands_between_bars() -> None:
    for deal, fault in (("SA.SK|SQ|SJ|ST|HA", False), ("SA|SK|SQ|SJ", True), ("SA||||HA", False)):
        result = read(f"(;GM[Pandoeren]MV[w {deal} 0 p] ;)")
        assert bool(result.rejects) is fault
    assert result.records[0].deal.count("?") == 31


LINES = [line.encode() for line in TEXT.rstrip("\n").split("\n")] + [
    write_sgf(r).encode() for r in read_phl((CONFORMANCE / "sample.phl").read_text("utf-8")).records
]


@SLOW
@given(st.data())
def test_fuzz_bytes(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(LINES))
    check_sane(PARSER.parse([Source("x", data.draw(byte_mutants(line)))], Options()))


@SLOW
@given(st.data())
def test_fuzz_tokens(data: st.DataObject) -> None:
    tokens = data.draw(st.sampled_from(LINES)).decode().split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(tokens) - 1))
        word = st.sampled_from(["w", "?", "3", "p", "s", "HA", "130", "??", "LE.2", "RE", "roem50"])
        tokens[at : at + data.draw(st.integers(0, 2))] = [data.draw(word)]
    check_sane(read(" ".join(tokens)))
