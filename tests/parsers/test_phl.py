"""The line form: every field, every mistake in its place, the lines of the conformance files."""

from pathlib import Path

import pytest

from engine.cards import card
from engine.record import Call, Claim, HandRecord, Note, Play, Result
from engine.rulefile import load_ruleset
from parsers.base import Options, Source
from parsers.phl import PhlParser, read_phl, write_phl, write_phl_file

DATA = Path(__file__).parents[1] / "conformance"
DEAL = "NNNNNNNNEEEEEEEEMSSSSSSSSWWWWWWWW"


def one(line, options=None):
    """The single record of a line."""
    result = read_phl(line + "\n", "t.phl", options)
    assert [str(r) for r in result.rejects] == []
    assert len(result.hands) == 1
    return result.records[0]


def reject(line, options=None):
    """The single reject of a line."""
    result = read_phl(line + "\n", "t.phl", options)
    assert (len(result.hands), len(result.rejects)) == (0, 1), result
    found = result.rejects[0]
    assert (found.source, found.line, found.raw) == ("t.phl", 1, line)
    assert line[found.column - 1 :].startswith(found.token)
    return found


def hand(**fields):
    """A line with the given fields, the others absent."""
    values = dict.fromkeys(
        ["rules", "dealer", "deal", "auction", "declaration", "play", "claims", "result", "meta"],
        ".",
    )
    values |= {"rules": "heerlen", "dealer": "N", "auction": "120,-,-,-"}
    return " ".join((values | fields).values())


def test_a_whole_line_field_by_field():
    record = one(
        f"fiches W {DEAL} -,120,(N)130,-,-,- H:SA:D7 SAS7S9SK/(E)HAH7 "
        "1N=roem50,1E=deny,2S=stuk,0W=show:S7,0N=run:HAHKHQ,0E=set:SJHJDJCJ "
        "tricks=5-3;made;score=N+1,E0,S-1,W0;pts=132-14;partner=N;conceded=6 "
        "id=x;n=Cor%20van%20Dijk;club_no=7;tag.WhiteElo=1200"
    )
    assert (record.rules, record.rules_hash, record.dealer, record.deal) == (
        "fiches",
        None,
        3,
        DEAL,
    )
    assert record.auction_state == "calls"
    assert record.auction[1:3] == (Call("120"), Call("130", 0))
    assert (record.trump, record.called, record.discard) == ("H", "SA", "D7")
    assert record.plays[3:5] == (Play(card("SK")), Play(card("HA"), 1))
    assert record.claims == (
        Claim(0, 3, "show", cards=(card("S7"),)),
        Claim(0, 0, "run", cards=(card("HA"), card("HK"), card("HQ"))),
        Claim(0, 1, "set", cards=(card("SJ"), card("HJ"), card("DJ"), card("CJ"))),
        Claim(1, 0, "roem", 50),
        Claim(1, 1, "deny"),
        Claim(2, 2, "stuk"),
    )
    assert record.result == Result("made", (132, 14), (1, 0, -1, 0), (5, 3), 6, 0)
    assert record.meta == (
        ("id", "x"),
        ("n", "Cor van Dijk"),
        ("club_no", "7"),
        ("tag.WhiteElo", "1200"),
    )
    assert write_phl(record).endswith(
        "made;pts=132-14;score=N+1,E0,S-1,W0;tricks=5-3;conceded=6;partner=N "
        "id=x;n=Cor%20van%20Dijk;club_no=7;tag.WhiteElo=1200"
    )


@pytest.mark.parametrize(
    ("text", "state", "declarer", "contract"),
    [
        (".", "absent", None, None),
        ("=S130", "unknown", 2, "130"),
        ("=S?", "unknown", 2, None),
        ("=?pan+20", "unknown", None, "pan+20"),
        ("=??", "unknown", None, None),
    ],
)
def test_auctions_that_are_not_calls(text, state, declarer, contract):
    record = one(hand(auction=text, play="SA"))
    assert (record.auction_state, record.auction) == (state, ())
    assert (record.declarer, record.contract) == (declarer, contract)
    assert f" {text} " in write_phl(record)


def test_declaration_absent_none_and_unknown_are_three_things():
    assert one(hand()).trump is None
    record = one(hand(declaration="-:?:-"))
    assert (record.trump, record.called, record.discard) == ("-", "?", "-")
    partly = HandRecord("heerlen", dealer=0, auction=(Call("-"),), auction_state="calls", trump="H")
    assert " H:?:? " in write_phl(partly)


def test_readers_accept_other_spellings_and_writers_never_emit_them():
    record = one(hand(declaration="♥:♠️a:d10", play="s10♥KdA♣️7/hq", claims="0N=run:h10hj♥Q"))
    assert (record.trump, record.called, record.discard) == ("H", "SA", "DT")
    line = write_phl(record)
    assert " H:SA:DT STHKDAC7/HQ 0N=run:HTHJHQ " in line


def test_a_wholly_unknown_deal_is_written_as_absent():
    assert write_phl(one(hand(deal="?" * 33))).split(" ")[2] == "."


def test_claims_are_kept_in_the_order_said():
    record = one(hand(claims="4S=stuk,1N=roem50,1E=deny,1N=roem20"))
    assert [c.what() for c in record.claims] == ["roem50", "deny", "roem20", "stuk"]


def test_notes_and_second_owners_travel_in_meta():
    record = one(
        hand(play="SA", deal="N" + "?" * 32, meta="deal_extra=SA:W;text=1:g:!|h:c:a%3A%7Cb|a2:v:-")
    )
    assert record.meta == ()
    assert record.deal_extra == ((card("SA"), "W"),)
    assert record.notes == (Note("h", "c", "a:|b"), Note("a2", "v", "-"), Note("1", "g", "!"))
    assert write_phl(record).endswith(" deal_extra=SA:W;text=h:c:a%3A%7Cb|a2:v:-|1:g:!")


def test_keys_that_are_not_of_the_notation_are_written_as_tags():
    record = HandRecord("heerlen", 0, result=Result("made"), meta=(("Elo N", "1"), ("text", "x")))
    assert write_phl(record).endswith(" tag.Elo%20N=1;tag.text=x")


# What cannot be read -----------------------------------------------------------------------------

CONFORMANCE_REJECTS = {
    "bad-seat": (9, "X", "a seat (N, E, S or W) or ?"),
    "deal-32": (11, DEAL[:-1], "33 letters"),
    "deal-letter": (43, "Z", "owner of C7"),
    "half-a-card": (65, "S", "a card"),
    "no-such-card": (63, "S1", "a card"),
    "a-six-that-is-not-hearts": (60, "S6", "only six is H6"),
    "declaration-of-two": (55, "S:CA", "TRUMP:CALLED:DISCARD"),
    "claim-word": (68, "rome50", "roemNUMBER"),
    "claim-ply": (65, "99", "0-32"),
    "result": (71, "a-b", "132-14"),
    "": (66, "", "nine fields, found 7 (RESULT, META missing"),
    "rules": (1, "nosuchrules", "--rules"),
}


def test_every_line_of_the_conformance_rejects():
    text = (DATA / "rejects.phl").read_text("utf-8")
    result = read_phl(text, "rejects.phl")
    lines = text.splitlines()
    assert (result.hands, result.empty, len(result.rejects)) == ([], 0, len(lines))
    for number, (found, line) in enumerate(zip(result.rejects, lines), 1):
        reason = line.split(" id=")[1] if " id=" in line else ""
        column, token, expected = CONFORMANCE_REJECTS[reason]
        assert (found.source, found.line, found.raw) == ("rejects.phl", number, line)
        assert (found.column, found.token) == (column, token), reason
        assert expected in found.expected


@pytest.mark.parametrize(
    ("line", "column", "token", "expected"),
    [
        ("heerlen@12 N . . . . . . .", 8, "@12", "8 hex digits"),
        ("heerlen  N . . . . . . .", 8, " ", "one space"),
        (" heerlen N . . . . . . .", 1, " ", "one space"),
        ("heerlen N . . . . . . . ", 24, " ", "none at the ends"),
        ("heerlen N . . . . . . id=a b", 28, "b", "%20"),
        (hand(auction="120,,-"), 17, "", "a call"),
        (hand(auction="120,foo"), 17, "foo", "a call"),
        (hand(auction="120,(X)130"), 18, "X", "a seat"),
        (hand(auction="120,(E)1x"), 20, "1x", "a call"),
        (hand(auction="=X130"), 14, "X", "a seat"),
        (hand(auction="=S-"), 15, "-", "a contract"),
        (hand(declaration="X:-:-"), 23, "X", "a suit"),
        (hand(declaration="H:-:D6"), 27, "D6", "a card"),
        (hand(play="SAS7S9SKHA"), 33, "HA", "/ after the fourth card"),
        (hand(play="SAS7/S9"), 29, "/", "a / stands only between"),
        (hand(play="SAS7S9SK/"), 34, "", "a card"),
        (hand(play="SA(Q)S7"), 28, "Q", "a seat"),
        (hand(play="SA(ES7"), 27, "(E", "a card"),
        (hand(play="/".join(["SAS7S9SK"] * 8) + "/SA"), 97, "SA", "no more than 32"),
        (hand(claims="roem50"), 27, "roem50", "PLY SEAT = WHAT"),
        (hand(claims="1N=stuk,2Q=stuk"), 36, "Q", "a seat"),
        (hand(claims="1Nstuk"), 29, "stuk", "="),
        (hand(claims="0N=show:S7S8"), 35, "S7S8", "one card"),
        (hand(claims="0N=run:S7X8"), 36, "X8", "a card"),
        (hand(result="made;won"), 34, "won", "made, lost or void"),
        (hand(result="made;lost"), 34, "lost", "once"),
        (hand(result="score=N+1,E0,S0"), 35, "N+1,E0,S0", "each of N, E, S and W"),
        (hand(result="score=N+1,E0,S0,N1"), 45, "N1", "once each"),
        (hand(result="conceded=33"), 38, "33", "0-32"),
        (hand(result="partner=X"), 37, "X", "- for none"),
        (hand(result="foo=1"), 29, "foo=1", "pts="),
        (hand(meta="a=1;;b=2"), 35, "", "KEY=VALUE"),
        (hand(meta="Id=1"), 31, "Id", "lower-case"),
        (hand(meta="a=50%"), 35, "%", "%25"),
        (hand(meta="a=%FF"), 33, "%FF", "UTF-8"),
        (hand(meta="text=x:c:hi"), 36, "x", "a place"),
        (hand(meta="text=1:q:hi"), 38, "q", "c (comment)"),
        (hand(meta="text=1:g:hi"), 40, "hi", "a glyph"),
        (hand(meta="text=33:c:hi"), 36, "33", "0-32"),
        (hand(meta="deal_extra=SA"), 42, "SA", "CARD:OWNER"),
        (hand(meta="text=1:c:a;text=1:c:b"), 42, "text=1:c:b", "once"),
    ],
)
def test_mistakes_are_rejected_at_their_place(line, column, token, expected):
    found = reject(line)
    assert (found.column, found.token) == (column, token)
    assert expected in found.expected


def test_hands_round_a_reject_are_read():
    text = "\n".join([hand(meta="id=a"), hand(dealer="X"), "# note", "", hand(meta="id=b")]) + "\n"
    result = read_phl(text)
    assert [h.record.get("id") for h in result.hands] == ["a", "b"]
    assert [h.line for h in result.hands] == [1, 5]
    assert [r.line for r in result.rejects] == [2]


# Rule sets ---------------------------------------------------------------------------------------


def test_an_unknown_rule_set_is_a_reject_unless_the_user_says_which(tmp_path):
    line = hand(rules="my-club")
    assert "--rules" in reject(line).expected
    assert one(line, Options(rules="fiches")).rules == "my-club"
    path = tmp_path / "my-club.toml"
    path.write_text('base = "heerlen"\nid = "my-club"\n', "utf-8")
    assert one(line, Options(rules=str(path))).rules == "my-club"


def test_a_log_never_makes_a_file_be_opened(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('base = "heerlen"\nid = "x"\n', "utf-8")
    assert "built-in" in reject(hand(rules=str(path))).expected


def test_unusable_rules_of_the_user_are_one_reject_that_says_so(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text("nonsense = 1\n", "utf-8")
    result = read_phl(hand() + "\n" + hand() + "\n", "t.phl", Options(rules=str(path)))
    assert (result.hands, len(result.rejects)) == ([], 1)
    assert "nonsense" in result.rejects[0].expected


def test_another_hash_is_a_warning_on_the_import():
    right = load_ruleset("heerlen").content_hash
    assert read_phl(hand(rules=f"heerlen@{right}") + "\n").warnings == []
    result = read_phl(hand(rules="heerlen@0123abcd") + "\n", "t.phl")
    assert result.hands[0].warnings == ()
    assert result.records[0].rules_hash == "0123abcd"
    assert right in result.warnings[0].message
    other = read_phl(hand(rules="heerlen@0123abcd") + "\n", "t.phl", Options(rules="fiches"))
    assert other.warnings == []


# Lines and files ---------------------------------------------------------------------------------


def test_a_last_line_without_its_end_is_read_with_a_warning():
    result = read_phl(hand())
    assert len(result.hands) == 1
    assert "cut" in result.warnings[0].message
    assert read_phl(hand() + "\n").warnings == []
    assert read_phl(hand() + "\n# done").warnings == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_marks(end):
    text = end.join(["\ufeff# made by hand", "", hand(), "\ufeff" + hand(dealer="X"), ""])
    result = read_phl(text)
    assert [h.line for h in result.hands] == [3]
    assert [(r.line, r.column) for r in result.rejects] == [(4, 9)]
    assert result.warnings == []


def test_empty_hands_are_counted_and_score_sheets_are_hands():
    text = "\n".join(
        [
            hand(auction=".", meta="id=empty"),
            hand(auction="=S130", result="made"),
            hand(auction="=S?"),
            hand(auction=".", result="score=N+1,E0,S+1,W0"),
            hand(auction=".", deal=DEAL),
            "",
        ]
    )
    result = read_phl(text)
    assert (result.empty, [h.line for h in result.hands], result.rejects) == (1, [2, 3, 4, 5], [])


def test_the_parser_decodes_and_recognises():
    parser = PhlParser()
    sources = [Source("a.phl", (hand() + "\n").encode()), Source("b.phl", b"\x00\x01\x02\xff")]
    result = parser.parse(sources, Options())
    assert (len(result.hands), [r.source for r in result.rejects]) == (1, ["b.phl"])
    assert parser.recognise("# comment\n\n" + hand() + "\n", "x.txt")
    assert parser.recognise("heerlen N oops\n", "x.phl")
    assert not parser.recognise('[Rules "heerlen"]\n', "x.txt")
    assert not parser.recognise("a b c d e f g h i\n", "x.txt")
    assert not parser.recognise("", "x.txt")


CANONICAL = sorted({p.name for p in DATA.glob("*.phl")} - {"rejects.phl", "corrupt.phl"})


@pytest.mark.parametrize("name", CANONICAL)
def test_conformance_lines_are_rewritten_unchanged(name):
    text = (DATA / name).read_text("utf-8")
    result = read_phl(text, name)
    assert (len(result.hands), result.rejects) == (len(text.splitlines()), [])
    for located in result.hands:
        assert write_phl(located.record) == located.raw.replace("?" * 33, ".")
    assert read_phl(write_phl_file(result.records)).records == result.records


def test_planted_rejects_of_the_corrupt_file_are_the_expected_ones():
    rows = (DATA / "corrupt.expected.csv").read_text("utf-8").splitlines()
    expected = [int(row.split(",")[0]) for row in rows if ",reject" in row]
    rejects = read_phl((DATA / "corrupt.phl").read_text("utf-8")).rejects
    assert [r.line for r in rejects] == expected
