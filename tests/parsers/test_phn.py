"""The text form: tags, movetext, comments, the fine print, and what cannot be read."""

import pytest

from engine.cards import card
from engine.record import Call, Claim, Note, Play, Result
from engine.rulefile import load_ruleset
from parsers.base import Options, Source
from parsers.phl import write_phl
from parsers.phn import PhnParser, read_phn, write_phn

HAND = """\
[Rules "heerlen"]
[Dealer "N"]
[Id "{id}"]

Auction  120  -  -  -
1. SA S7 S9 SK
*
"""


def one(text, options=None):
    """The single record of a text."""
    result = read_phn(text, "t.phn", options)
    assert [str(r) for r in result.rejects] == []
    assert len(result.hands) == 1
    return result.records[0]


def reject(text, options=None):
    """The single reject of a text; its token stands at its place."""
    result = read_phn(text, "t.phn", options)
    assert (len(result.hands), len(result.rejects)) == (0, 1), result
    found = result.rejects[0]
    line = text.split("\n")[found.line - 1].lstrip("\ufeff")
    assert line[found.column - 1 :].startswith(found.token.split("\n")[0])
    return found


def moves(text):
    """The record of a movetext."""
    return one(f'[Rules "heerlen"]\n\n{text}\n*\n')


def ids(result):
    """Ids of the hands that were read."""
    return [r.get("id") for r in result.records]


# Tags --------------------------------------------------------------------------------------------


def test_the_tags_of_a_whole_hand():
    record = one(
        '[Rules "fiches@0123abcd"]  [Dealer "W"]  [Date "2026-11-28"]\n'
        '[North "Anna"] [Hand "12"] [WhiteElo "1200"] [club_no "7"] [Note "a \\"b\\" \\\\ c"]\n'
        '[Deal "N:AJ98.t7.KQ. E:-  S:..10. W:...7"]\n[Middle "H6"]\n'
        '[Trump "H"] [Called "SA"] [Discard "D7"]\n'
        '[Result "made"] [Points "132-14"] [Score "N+1 E0 S+1 W-2"] [Tricks "5-3"]\n'
        '[Conceded "0"] [Partner "-"]\n\nAuction - 120 E:130 -\n*'
    )
    assert (record.rules, record.rules_hash, record.dealer) == ("fiches", "0123abcd", 3)
    assert record.meta == (
        ("date", "2026-11-28"),
        ("n", "Anna"),
        ("hand", "12"),
        ("tag.WhiteElo", "1200"),
        ("tag.club_no", "7"),
        ("note", 'a "b" \\ c'),
    )
    given = {"SA": "N", "SJ": "N", "HT": "N", "H7": "N", "DK": "N", "DT": "S", "C7": "W", "H6": "M"}
    assert {name: record.deal[card(name)] for name in given} == given
    assert record.deal.count("?") == 33 - 11
    assert (record.trump, record.called, record.discard) == ("H", "SA", "D7")
    assert record.result == Result("made", (132, 14), (1, 0, 1, -2), (5, 3), 0, -1)
    assert record.auction == (Call("-"), Call("120"), Call("130", 1), Call("-"))


def test_pbn_style_deals_without_seat_letters():
    record = one('[Rules "heerlen"]\n[Deal "E:A... K... - J..."]\nAuction 120\n*')
    assert record.deal[:4] == "ES?N"


def test_a_card_of_two_hands_is_kept_in_both():
    text = '[Rules "heerlen"]\n[Deal "N:- E:A... S:A... W:-"]\n[Middle "SA H6"]\n\nAuction  -\n*'
    record = one(text)
    assert record.deal[0] == "E"
    assert record.deal_extra == ((0, "S"), (0, "M"))
    assert write_phn(record) == text


def test_missing_parts_of_a_declaration_are_unknown():
    record = one('[Rules "heerlen"]\n[Trump "H"]\n\nAuction 120\n*')
    assert (record.trump, record.called, record.discard) == ("H", "?", "?")
    record = moves("Auction 120")
    assert (record.trump, record.called, record.discard) == (None, None, None)


def test_an_unknown_auction():
    record = one('[Rules "heerlen"]\n[Declarer "S"] [Contract "130"]\n\nAuction ?\n*')
    assert (record.auction_state, record.declarer, record.contract) == ("unknown", 2, "130")
    record = one('[Rules "heerlen"]\n[Declarer "S"]\n\n1. SA\n*')
    assert (record.auction_state, record.declarer, record.contract) == ("unknown", 2, None)
    assert " =S? " in write_phl(record)
    assert moves("Auction ?").auction_state == "unknown"


def test_declarer_and_contract_beside_the_calls_are_meta():
    text = '[Rules "heerlen"]\n[Declarer "Zuid"]\n[Contract "4H"]\n\nAuction  120\n*'
    record = one(text)
    assert record.meta == (("declarer", "Zuid"), ("contract", "4H"))
    assert write_phn(record) == text


def test_a_passed_out_hand():
    record = one('[Rules "heerlen"]\n[Result "void"]\n\nAuction  -  -  -  -\n*')
    assert record.result.outcome == "void"
    assert len(record.auction) == 4


# Movetext ----------------------------------------------------------------------------------------


def test_announcements_stand_where_they_were_made():
    record = moves(
        "Auction - 120\nW:show=S7 N:run=HAHKHQ 1. H9 E:roem=50 H7 S:deny E:SA ♥10 S:stuk 2. d7"
    )
    assert record.plays == (
        *map(Play, map(card, ("H9", "H7"))),
        Play(card("SA"), 1),
        Play(card("HT")),
        Play(card("D7")),
    )
    assert [(c.ply, c.seat, c.what()) for c in record.claims] == [
        (0, 3, "show:S7"),
        (0, 0, "run:HAHKHQ"),
        (1, 1, "roem50"),
        (2, 2, "deny"),
        (4, 2, "stuk"),
    ]


def test_notes_of_all_kinds_stay_where_they_stood():
    record = moves(
        "{of the hand} Auction -!? {first} 120$3 ; to the end } ( of the line\n"
        "- 1. {before} SA!! {[%eval +12] too\nearly} (SA S7 (S8 {)}) ; )\n) $1 S7 ?"
    )
    assert record.notes == (
        Note("h", "c", "of the hand"),
        Note("a1", "g", "!?"),
        Note("a1", "c", "first"),
        Note("a2", "g", "$3"),
        Note("a2", "c", " to the end } ( of the line"),
        Note("0", "c", "before"),
        Note("1", "g", "!!"),
        Note("1", "c", "[%eval +12] too\nearly"),
        Note("1", "v", "SA S7 (S8 {)}) ; )\n"),
        Note("1", "g", "$1"),
        Note("2", "g", "?"),
    )
    assert one(write_phn(record)) == record


def test_commands_of_the_text_form_place_what_has_no_place_of_its_own():
    record = moves("Auction - {[%ply a7]} {late} 1. SA {[%ply 9]} {x} N:stuk {[%enc %7D]}")
    assert record.notes == (Note("a7", "c", "late"), Note("9", "c", "x"), Note("9", "c", "}"))
    assert record.claims == (Claim(9, 0, "stuk"),)


def test_a_hand_ends_at_its_star_or_at_the_next_tags():
    tags = '[Dealer "N"]\n[Id "{}"]\n\nAuction  120\n1. SA\n'
    result = read_phn(tags.format("a") + "* " + tags.format("b") + tags.format("c") + "*")
    assert (ids(result), result.rejects, result.warnings) == (["a", "b", "c"], [], [])
    assert [h.line for h in result.hands] == [1, 6, 11]
    assert result.hands[1].raw == tags.format("b").strip()


def test_trick_numbers_may_be_left_out_but_not_be_wrong():
    bare = moves("Auction 120\nSA S7 S9 SK HA")
    assert bare.plays == moves("Auction 120\n1.SA S7 S9 SK 2... HA").plays
    assert reject('[Rules "heerlen"]\n\n1. SA S7 S9 2. HA\n*').expected.startswith(
        "a card: trick 1"
    )
    assert reject('[Rules "heerlen"]\n\n1. SA S7 S9 SK 3. HA\n*').expected.startswith("2.")


# Fine print --------------------------------------------------------------------------------------


def test_blank_lines_may_stand_anywhere():
    text = HAND.format(id="a").replace("\n", "\n\n \t\n")
    assert write_phn(one(text)) + "\n" == HAND.format(id="a")


@pytest.mark.parametrize("opening", ["{", "( {", "( (", '[Site "', "{ ["])
def test_a_rules_tag_at_the_start_of_a_line_always_begins_a_hand(opening):
    cut = f'[Rules "heerlen"]\n[Id "b"]\n\n {opening} lost\n1. SA\n'
    if '"' in opening:
        cut = f'[Rules "heerlen"]\n[Id "b"]\n {opening} lost\n\n1. SA\n'
    text = HAND.format(id="a") + "\n" + cut + "\n" + HAND.format(id="c")
    result = read_phn(text, "t.phn")
    assert ids(result) == ["a", "c"]
    (found,) = result.rejects
    sign = '"' if '"' in opening else opening.split("[")[0].strip()[-1]
    line = text.split("\n")[found.line - 1]
    assert line.strip().startswith(opening)
    assert found.column == line.rindex(sign) + 1
    assert found.token[0] == sign
    assert found.raw.startswith('[Rules "heerlen"]\n[Id "b"]')
    assert "closing" in found.expected or "closes" in found.expected
    if '"' not in opening:
        assert (
            f"line {text[: text.index(HAND.format(id='c'))].count(chr(10)) + 1}" in found.expected
        )


def test_a_rules_tag_inside_a_line_begins_nothing():
    assert moves('1. SA { [Rules "x"] }').notes == (Note("1", "c", ' [Rules "x"] '),)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks(end, mark):
    body = (HAND.format(id="a") + "\n" + HAND.format(id="b")).replace("SK\n", "SK {two\nlines}\n")
    lines = [mark + line for line in body.split("\n")]
    result = read_phn(end.join(lines), "t.phn")
    assert (ids(result), result.rejects, result.warnings) == (["a", "b"], [], [])
    assert [h.line for h in result.hands] == [1, 9 + 1]
    assert result.records[0].notes == (Note("4", "c", "two\nlines"),)
    wrong = end.join(lines).replace("S7", "X7")
    assert [(r.line, r.column) for r in read_phn(wrong).rejects] == [(6, 7), (15, 7)]


def test_comments_before_and_behind_the_hands():
    text = "; of a\n" + HAND.format(id="a") + "{of b}\n" + HAND.format(id="b") + "{also of b}\n"
    result = read_phn(text)
    assert [[n.text for n in r.notes] for r in result.records] == [[" of a"], ["of b", "also of b"]]
    assert result.hands[1].raw.startswith("{of b}")
    assert result.hands[1].raw.endswith("{also of b}")
    assert one(result.hands[1].raw) == result.records[1]
    assert "belongs to no hand" in read_phn("{alone}").warnings[0].message


def test_a_hand_without_its_star_at_the_end_is_read_with_a_warning():
    result = read_phn(HAND.format(id="a").replace("*", ""))
    assert ids(result) == ["a"]
    assert "cut" in result.warnings[0].message


def test_empty_hands_are_counted_and_what_they_said_is_told():
    result = read_phn('[Rules "heerlen"]\n[Id "x"]\n*\n[Rules "heerlen"]\n*\n')
    assert (result.empty, result.hands, result.rejects) == (2, [], [])
    assert [w.line for w in result.warnings] == [1]
    assert read_phn("").empty == 0
    sheet = '[Rules "heerlen"]\n[Score "N+1 E0 S+1 W0"]\n\n*'
    assert one(sheet).result.score == (1, 0, 1, 0)


def test_raw_is_the_text_as_it_stood():
    texts = [HAND.format(id=i).replace("  -", "\t - ") for i in "abc"]
    result = read_phn("\n\n\n".join(texts))
    assert [h.raw for h in result.hands] == [t.strip() for t in texts]


# What cannot be read -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "token", "expected"),
    [
        ("S7", "S7 #", 6, 10, "#", "a card"),
        ("S7", "foo", 6, 7, "foo", "a card"),
        ("S7", "S6", 6, 7, "S6", "only six is H6"),
        ("S7", "S7 }", 6, 10, "}", "comment"),
        ("S7", "S7 )", 6, 10, ")", "comment"),
        ("S7", "130", 6, 7, "130", "a card"),
        ("S7", "N:130", 6, 7, "N:130", "a card"),
        ("S7", "N:foo", 6, 9, "foo", "roem=NUMBER"),
        ("S7", "N:roem50", 6, 9, "roem50", "roem=NUMBER"),
        ("S7", "N:show=S7S8", 6, 14, "S7S8", "one card"),
        ("S7", "N:run=S7X8", 6, 15, "X8", "a card"),
        ("S7", "$", 6, 7, "$", "a card"),
        ("S7", "S7 [Id", 6, 10, "[Id", "a card"),
        ("S7", "é", 6, 7, "é", "a card"),
        ("S7", "\xa0", 6, 7, "\xa0", "a card"),
        ("S7", "Auction", 6, 7, "Auction", "one auction"),
        ("120", "foo", 5, 10, "foo", "a call"),
        ("120", "? 120", 5, 12, "120", "no call"),
        ("Auction", "Bieding", 5, 1, "Bieding", "Auction"),
        ('"N"', '"X"', 2, 10, "X", "N, E, S or W"),
        ('"N"]', '"N"] [Dealer "N"]', 2, 14, "[Dealer", "one Dealer tag"),
        ('"N"]', '"N', 2, 9, '"N', "closing"),
        ('"N"]', "N]", 2, 1, "[Dealer N]", 'a tag: [Name "value"]'),
        ('"N"]', '"N"]\n[Deal "N:A.. E:- S:- W:-"]', 3, 10, "A..", "four suits"),
        ('"N"]', '"N"]\n[Deal "N:A... E:-"]', 3, 8, "N:A... E:-", "four hands"),
        ('"N"]', '"N"]\n[Deal "N:- E:- S:.6.6. W:-"]', 3, 21, "6", "a rank of D"),
        ('"N"]', '"N"]\n[Deal "N:- N:- S:- W:-"]', 3, 12, "N:-", "each hand once"),
        ('"N"]', '"N"]\n[Deal "A... - - -"]', 3, 8, "A...", "SEAT:"),
        ('"N"]', '"N"]\n[Middle "H6 X"]', 3, 13, "X", "a card"),
        ('"N"]', '"N"]\n[Trump "X"]', 3, 9, "X", "a suit"),
        ('"N"]', '"N"]\n[Called "X"]', 3, 10, "X", "a card"),
        ('"N"]', '"N"]\n[Result "won"]', 3, 10, "won", "made"),
        ('"N"]', '"N"]\n[Points "132"]', 3, 10, "132", "132-14"),
        ('"N"]', '"N"]\n[Score "N+1 E0 X0 W0"]', 3, 16, "X0", "such as N+1"),
        ('"N"]', '"N"]\n[Conceded "99"]', 3, 12, "99", "0-32"),
        ('"N"]', '"N"]\n[Partner "Q"]', 3, 11, "Q", "- for none"),
        ('"heerlen"', '"heerlen@xyz"', 1, 16, "@xyz", "8 hex digits"),
        ('"heerlen"', '"nosuch"', 1, 9, "nosuch", "--rules"),
    ],
)
def test_mistakes_are_rejected_and_the_hands_round_them_read(
    old, new, line, column, token, expected
):
    bad = HAND.format(id="bad").replace(old, new, 1)
    found = reject(bad)
    assert (found.line, found.column, found.token) == (line, column, token)
    assert expected in found.expected
    assert found.raw == bad.strip()
    result = read_phn(HAND.format(id="a") + "\n" + bad + "\n" + HAND.format(id="b"))
    assert (ids(result), len(result.rejects)) == (["a", "b"], 1)


def test_a_junk_line_among_the_tags_makes_no_hand_of_the_rest():
    text = HAND.format(id="b").replace("[Id", "junk\n[Id")
    assert reject(text).raw == text.strip()


def test_a_spoilt_hand_without_rules_tags_spares_its_neighbours():
    hands = [HAND.format(id=i).split("\n", 1)[1] for i in "abc"]
    spoilt = hands[1].replace("S7", "{ S7")
    result = read_phn(hands[0] + spoilt + hands[2])
    assert ids(result) == ["a", "c"]
    assert result.rejects[0].raw == spoilt.strip()


def test_more_than_32_cards_and_calls_for_unknown_contracts():
    cards = " ".join(["SA"] * 33)
    assert "no more than 32" in reject(f'[Rules "heerlen"]\n\n{cards}\n*').expected
    text = '[Rules "heerlen"]\n[Contract "x"]\n\nAuction ?\n*'
    assert "a contract" in reject(text).expected


def test_many_openings_take_no_time():
    assert reject('[Rules "heerlen"]\n\n' + "( " * 50_000).token == "("
    assert reject('[Rules "heerlen"]\n\n' + "{ " * 50_000).token == "{"


# Rule sets and files -----------------------------------------------------------------------------


def test_rules_of_the_user_go_before_those_of_the_log(tmp_path):
    text = HAND.format(id="a").replace("heerlen", "my-club")
    assert one(text, Options(rules="fiches")).rules == "my-club"
    broken = Options(rules=str(tmp_path / "none.toml"))
    assert "--rules" in read_phn(text, "t.phn", broken).rejects[0].expected


def test_another_hash_is_a_warning_on_the_import():
    right = load_ruleset("heerlen").content_hash
    text = HAND.format(id="a")
    assert read_phn(text.replace('heerlen"', f'heerlen@{right}"')).warnings == []
    assert right in read_phn(text.replace('heerlen"', 'heerlen@00000000"')).warnings[0].message


def test_the_parser_decodes_and_recognises():
    parser = PhnParser()
    sources = [
        Source("a.phn", b"\xef\xbb\xbf" + HAND.format(id="a").encode()),
        Source("b", b"\0\1"),
    ]
    result = parser.parse(sources, Options())
    assert (ids(result), [r.source for r in result.rejects]) == (["a"], ["b"])
    assert parser.recognise(HAND.format(id="a"), "x.txt")
    assert parser.recognise('[Dealer "N"]\n\nAuction  -  120\n', "x.txt")
    assert not parser.recognise('[Event "x"]\n[Dealer "N"]\n[Auction "N"]\n1C Pass\n', "x.pbn")
    assert not parser.recognise('[Event "x"]\n\n1. e4 e5 *\n', "x.pgn")


@pytest.mark.parametrize("end", ["", " ", "\t \n", " \r\n\n  \n", "\ufeff"])
def test_a_comment_at_the_end_of_the_file_is_read_again_with_its_blanks(end):
    text = f'[Rules "heerlen"]\n\nAuction - 120 ; to the end{end}'
    hand = read_phn(text, "x").hands[0]
    assert [h.record for h in read_phn(hand.raw, "x").hands] == [hand.record]
    assert "\n" not in hand.raw[len(text) - len(end) :]
