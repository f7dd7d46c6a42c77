"""Both forms tell the same, whatever is recorded; and no text makes a reader fail."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.record import (
    CALL_CODES,
    UNKNOWN_DEAL,
    Call,
    Claim,
    HandRecord,
    Note,
    Play,
    Result,
)
from engine.rulefile import BUILTIN_IDS
from parsers.base import Options
from parsers.canonical import is_empty, normalised
from parsers.phl import read_phl, write_phl, write_phl_file
from parsers.phn import read_phn, write_phn, write_phn_file

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "conformance"
SAMPLE_PHL = (DATA / "sample.phl").read_text("utf-8")
SAMPLE_PHN = (DATA / "sample.phn").read_text("utf-8")
ANY_RULES = Options(rules="heerlen")

# Records -----------------------------------------------------------------------------------------

cards = st.integers(0, 32)
seats = st.integers(0, 3)
maybe_seat = st.none() | seats
numbers = st.integers(0, 9999)
# Text that bites: the signs of both forms, line ends, marks, commands, controls, surrogates.
SIGNS = [*'[]{}()|:;=,%"\\/*!?$#@&.-~ ', "\n", "\r", "\r\n", "\ufeff", "\n\ufeff", "\t", "\0"]
COMMANDS = ['\n[Rules "', "[%enc ", "[%ply 5]", "[%eval +12]", "%41", "\\u0041", "\n*\n", "tag."]
OTHERS = ["\x85", "\u2028", "\ud83d", "\ude00", "😀", "é", "\xa0", "1.", "SA", "Auction"]
bites = st.sampled_from([*SIGNS, *COMMANDS, *OTHERS])
texts = st.lists(bites | st.text(max_size=4), max_size=5).map("".join)
free_texts = texts | st.text(max_size=12)

call_texts = st.sampled_from(["-", *CALL_CODES]) | st.integers(1, 9999).map(str) | st.just("pan+20")
contracts = st.none() | call_texts.filter(lambda c: c != "-")
calls = st.builds(Call, call_texts, maybe_seat)
plays = st.builds(Play, cards, st.none() | seats)
plies = st.integers(0, 32)
roem = st.builds(lambda p, s, v: Claim(p, s, "roem", v), plies, seats, numbers)
bare = st.builds(Claim, plies, seats, st.sampled_from(["deny", "stuk"]))
show = st.builds(lambda p, s, c: Claim(p, s, "show", None, (c,)), plies, seats, cards)
melds = st.builds(
    lambda p, s, k, c: Claim(p, s, k, None, tuple(c)),
    plies,
    seats,
    st.sampled_from(["run", "set"]),
    st.lists(cards, min_size=1, max_size=8),
)
places = (
    st.just("h")
    | st.integers(0, 12).map(lambda n: f"a{n}")
    | st.integers(0, 32).map(str)
    | st.sampled_from(["a1", "a2", "0", "1", "4"])
)
glyphs = st.sampled_from(["!", "?", "!!", "??", "!?", "?!", "$1", "$6", "$140"])
notes = st.builds(Note, places, st.sampled_from(["c", "v"]), free_texts) | st.builds(
    Note, places, st.just("g"), glyphs
)
keys = (
    st.sampled_from(["id", "n", "e", "s", "w", "date", "session", "hand", "src", "club_no"])
    | st.sampled_from(["rules", "dealer", "declarer", "contract", "north", "text", "deal_extra"])
    | st.sampled_from(["tag.WhiteElo", "tag.Date", "tag.meta.x", "tag.Text", "Elo (N)", ""])
    | st.builds("tag.{}".format, st.text(min_size=1, max_size=4))
    | free_texts
)
pairs = st.none() | st.tuples(st.integers(0, 400), st.integers(0, 400))
scores = st.none() | st.tuples(*[st.integers(-999, 999)] * 4)
results = st.builds(
    Result,
    st.none() | st.sampled_from(["made", "lost", "void"]),
    pairs,
    scores,
    pairs,
    st.none() | plies,
    st.none() | st.integers(-1, 3),
)
builtin_ids = st.sampled_from(BUILTIN_IDS)
card_names = st.sampled_from([None, "-", "?", "SA", "HT", "H6", "C7"])


@st.composite
def records(draw, rules=builtin_ids):
    """Any record: every field, unknowns, seats out of turn, notes, odd META."""
    deal = draw(
        st.just(UNKNOWN_DEAL)
        | st.text("NESWM?", min_size=33, max_size=33)
        | st.text("N?", min_size=33, max_size=33)
    )
    return HandRecord(
        rules=draw(st.none() | rules),
        rules_hash=draw(st.none() | st.just("0123abcd")),
        dealer=draw(maybe_seat),
        deal=deal,
        deal_extra=tuple(
            draw(st.lists(st.tuples(cards, st.sampled_from("NESWM")), max_size=2) | st.just([]))
        ),
        auction_state=draw(st.sampled_from(["calls", "unknown", "absent"])),
        auction=tuple(draw(st.lists(calls, max_size=9))),
        declarer=draw(maybe_seat),
        contract=draw(contracts),
        trump=draw(st.sampled_from([None, "-", "?", "S", "H"])),
        called=draw(card_names),
        discard=draw(card_names),
        plays=tuple(draw(st.lists(plays, max_size=32))),
        claims=tuple(draw(st.lists(roem | bare | show | melds, max_size=4))),
        result=draw(st.just(Result()) | results),
        meta=tuple(draw(st.lists(st.tuples(keys, free_texts), max_size=4))),
        notes=tuple(draw(st.lists(notes, max_size=5))),
    )


def read_back(result, expected):
    """The one record of a result; nothing where nothing was recorded."""
    assert [str(r) for r in result.rejects] == []
    if is_empty(expected):
        assert (result.hands, result.empty) == ([], 1)
        return expected
    assert len(result.hands) == 1
    return result.records[0]


@settings(max_examples=200, deadline=None)
@given(records())
@example(HandRecord("heerlen", plays=(Play(0),), notes=(Note("1", "c", "} \n {"),)))
@example(HandRecord("heerlen", plays=(Play(0),), notes=(Note("1", "v", "(;)"),)))
@example(HandRecord("heerlen", plays=(Play(0),), notes=(Note("1", "c", "[%ply 5]"),)))
@example(HandRecord("heerlen", notes=(Note("h", "g", "?"),), auction_state="unknown"))
def test_any_record_survives_both_forms(record):
    wanted = normalised(record)
    assert normalised(wanted) == wanted
    line = write_phl(record)
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", line)
    assert "?" * 33 not in line
    from_line = read_back(read_phl(line + "\n", "t.phl"), wanted)
    assert from_line == wanted
    text = write_phn(from_line)
    assert "\r" not in text
    found = read_phn(text + "\n", "t.phn")
    from_text = read_back(found, wanted)
    assert from_text == wanted
    assert (write_phl(from_text), write_phn(from_text)) == (line, text)
    assert [h.raw for h in found.hands] in ([], [text])


@settings(max_examples=100, deadline=None)
@given(records(rules=free_texts.filter(lambda t: t not in ("", ".", "?"))))
def test_rule_sets_of_any_name_survive_where_the_user_says_which(record):
    wanted = normalised(record)
    line, text = write_phl(record), write_phn(record)
    assert read_back(read_phl(line + "\n", "t", ANY_RULES), wanted) == wanted
    assert read_back(read_phn(text + "\n", "t", ANY_RULES), wanted) == wanted


@settings(max_examples=60, deadline=None)
@given(st.lists(records().filter(lambda r: not is_empty(normalised(r))), max_size=4))
def test_files_of_several_hands(hands):
    wanted = [normalised(r) for r in hands]
    lines, text = write_phl_file(hands), write_phn_file(hands)
    from_lines, from_text = read_phl(lines), read_phn(text)
    assert from_lines.records == wanted
    assert from_text.records == wanted
    assert [h.raw for h in from_text.hands] == [write_phn(r) for r in wanted]
    for located in from_text.hands:
        place = text.split("\n")[located.line - 1 :]
        assert "\n".join(place).startswith(located.raw)


# The samples -------------------------------------------------------------------------------------


def test_the_samples_convert_into_each_other_byte_for_byte():
    from_lines, from_text = read_phl(SAMPLE_PHL), read_phn(SAMPLE_PHN)
    for result in (from_lines, from_text):
        assert (len(result.hands), result.rejects, result.warnings) == (20, [], [])
    assert write_phn_file(from_lines.records) == SAMPLE_PHN
    assert write_phl_file(from_text.records) == SAMPLE_PHL


@pytest.mark.parametrize("name", sorted(p.name for p in DATA.glob("*.phl")))
def test_conformance_hands_survive_the_text_form(name):
    hands = read_phl((DATA / name).read_text("utf-8")).records
    result = read_phn(write_phn_file(hands))
    assert (result.records, result.rejects) == (hands, [])


# Damage ------------------------------------------------------------------------------------------

LINES = SAMPLE_PHL.splitlines()[:12]
RICH = write_phn(
    read_phl(
        f"{LINES[0]};text=h:c:of%20the%20hand|a2:g:!?|0:c:x|3:g:!|3:v:SA%20(S7)|32:c:end;odd=%22%5D\n"
    ).records[0]
)
TEXTS = [RICH, *(t + "*" for t in SAMPLE_PHN.split("*\n\n")[1:8])]


@st.composite
def damaged(draw, originals):
    """A text with a few pieces cut out, doubled, overwritten or put in."""
    text = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 3) | st.integers(0, 60))
        new = draw(bites | st.text(max_size=3) | st.just("") | st.just(text[at : at + length]))
        text = text[:at] + new + text[at + length * draw(st.integers(0, 1)) :]
    return text


@settings(max_examples=200, deadline=None)
@given(damaged(LINES))
def test_a_damaged_line_is_read_or_rejected_and_its_neighbours_stay(line):
    result = read_phl(f"{LINES[0]}\n{line}\n{LINES[1]}\n", "t.phl")
    good = read_phl(f"{LINES[0]}\n{LINES[1]}\n").records
    assert result.records[0] == good[0]
    assert result.records[-1] == good[1]
    for found in result.rejects:
        assert found.expected
        assert found.column <= len(found.raw) + 1
        assert found.token in found.raw or "%" in found.raw
    for located in result.hands:
        again = read_phl(write_phl(located.record) + "\n")
        assert again.records == [located.record]


@settings(max_examples=200, deadline=None)
@given(damaged(TEXTS))
def test_a_damaged_text_is_read_or_rejected_and_its_neighbours_stay(text):
    whole = f"{TEXTS[1]}\n\n{text}\n\n{TEXTS[2]}\n"
    result = read_phn(whole, "t.phn")
    good = read_phn(f"{TEXTS[1]}\n\n{TEXTS[2]}\n").records
    plain = [write_phl(r).split(";text=")[0] for r in result.records]
    assert plain[0] == write_phl(good[0])
    assert plain[-1] == write_phl(good[1])
    lines = re.split("\r\n?|\n", whole)
    for found in result.rejects:
        assert found.expected
        line = lines[found.line - 1].lstrip("\ufeff")
        assert 1 <= found.column <= len(line) + 1
    for located in result.hands:
        assert located.raw in whole
        assert read_phn(write_phn(located.record)).records == [located.record]


@settings(max_examples=100, deadline=None)
@given(free_texts | st.text(max_size=200))
def test_any_text_at_all(text):
    for read in (read_phl, read_phn):
        result = read(text, "t")
        assert all(r.expected and r.line >= 1 and r.column >= 1 for r in result.rejects)


def test_a_file_cut_anywhere_keeps_its_whole_hands():
    lines = "\n".join(LINES[:2]) + "\n"
    whole = read_phl(lines).records
    for end in range(len(lines)):
        result = read_phl(lines[:end])
        kept = lines[:end].count("\n")
        assert result.records[:kept] == whole[:kept]
        if end and lines[end - 1] != "\n":
            assert len(result.warnings) == 1
            assert len(result.hands) + len(result.rejects) == kept + 1
    text = f"{TEXTS[1]}\n\n{RICH}\n\n"
    both = read_phn(text).records
    for end in range(len(text)):
        result = read_phn(text[:end])
        kept = text[:end].count("*\n\n")
        assert result.records[:kept] == both[:kept]
        left = text[:end].split("*\n\n")[-1].strip()
        if left and not left.endswith("*"):
            assert len(result.rejects) + len(result.warnings) >= 1


# The documentation -------------------------------------------------------------------------------


def blocks(kind):
    """The fenced examples of the documentation of one kind."""
    text = (ROOT / "docs" / "notation.md").read_text("utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_documentation_are_read():
    lines, texts = blocks("phl"), blocks("phn")
    assert lines
    assert texts
    for example_text in lines:
        result = read_phl(example_text)
        assert (result.rejects, result.warnings) == ([], [])
        assert write_phl_file(result.records) == "".join(
            line + "\n" for line in example_text.splitlines() if line[:1] not in ("", "#")
        )
    for example_text in texts:
        result = read_phn(example_text)
        assert (result.rejects, result.warnings) == ([], [])
        assert result.hands


def test_the_two_forms_of_the_documented_hand_are_the_same_hand():
    (line,) = read_phl(blocks("phl")[0]).records
    assert write_phn(line) == blocks("phn")[0].strip()


def test_the_documented_rejects_are_what_is_said():
    for block in blocks("phl-reject"):
        *lines, said = block.splitlines()
        (found,) = read_phl("\n".join(lines) + "\n", "evening.phl").rejects
        assert str(found) == said
    for block in blocks("phn-reject"):
        *lines, said = block.splitlines()
        (found,) = read_phn("\n".join(lines) + "\n", "evening.phn").rejects
        assert str(found) == said
