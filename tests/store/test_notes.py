"""Notes, stars, tags and studies: kept, shared, told apart, never in each other's way."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pandoeren_replay.notes import LONGEST, Notes, NotesError

HAND = "0123456789abcdef"
OTHER = "fedcba9876543210"
HOSTILE = "<img src=x onerror=alert(1)> '; DROP TABLE mark; -- {} [%x] \u202e"


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "club")


def test_reading_makes_no_file(notes: Notes) -> None:
    assert notes.of_hand(HAND) == []
    assert notes.studies() == []
    assert not notes.file.exists()


def test_what_is_said_can_be_read_again(notes: Notes) -> None:
    notes.add(HAND, "17", "note", f"  {HOSTILE}\n ", "Anna")
    notes.add(HAND, "h", "star", "", "Bas")
    notes.add(HAND, "a3", "tag", "te  hoog", "")
    notes.add(OTHER, "h", "note", "x", "Cor", "2026-11-28T20:00:00Z")
    said = [(m.place, m.kind, m.text, m.who) for m in notes.of_hand(HAND)]
    assert said == [
        ("17", "note", HOSTILE, "Anna"),
        ("h", "star", "", "Bas"),
        ("a3", "tag", "te hoog", ""),
    ]
    assert [m.at for m in notes.of_hand(OTHER)] == ["2026-11-28T20:00:00Z"]
    assert notes.tags() == ["te hoog"]
    assert [m.hand for m in notes.latest(2)] == [OTHER, HAND]


def test_a_star_twice_is_one_and_notes_are_not(notes: Notes) -> None:
    first = notes.add(HAND, "h", "star", "", "Anna")
    assert notes.add(HAND, "h", "star", "", "Anna") == first
    assert notes.add(HAND, "h", "star", "", "Bas") != first
    assert notes.add(HAND, "h", "note", "x", "Anna") != notes.add(HAND, "h", "note", "x", "Anna")


def test_removed_is_gone_but_not_lost(notes: Notes) -> None:
    mark = notes.add(HAND, "3", "note", "weg", "Anna")
    notes.remove(mark, "Bas")
    assert notes.of_hand(HAND) == []
    with sqlite3.connect(notes.file) as con:
        assert con.execute("SELECT text, removed_by FROM mark").fetchall() == [("weg", "Bas")]
    notes.restore(mark)
    assert [m.text for m in notes.of_hand(HAND)] == ["weg"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("x", "h", "note", "t", "w"), "hand"),
        ((HAND, "99x", "note", "t", "w"), "place"),
        ((HAND, "h", "shout", "t", "w"), "place"),
        ((HAND, "h", "note", " \n", "w"), "empty"),
        ((HAND, "h", "note", "x" * (LONGEST["note"] + 1), "w"), "too-long"),
        ((HAND, "h", "tag", "a]b", "w"), "tag"),
        ((HAND, "h", "note", "t", "w" * 99), "too-long"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_reason(
    notes: Notes, given: tuple[str, str, str, str, str], code: str
) -> None:
    with pytest.raises(NotesError) as e:
        notes.add(*given)  # type: ignore[arg-type]
    assert e.value.code == code
    assert notes.of_hand(HAND) == []


def test_half_a_character_does_no_harm(notes: Notes) -> None:
    notes.add(HAND, "h", "note", "a\ud800b\0", "Anna")
    assert notes.of_hand(HAND)[0].text == "a?b"


def test_a_study_keeps_its_order(notes: Notes) -> None:
    study = notes.new_study("Verzaken", "Anna")
    hands = [f"{i:016x}" for i in range(4)]
    for h in hands:
        notes.put(study, h, f"bij {h[-1]}", "Anna")
    notes.move(study, hands[3], -2)
    notes.move(study, hands[0], 99)
    notes.put(study, hands[2], "anders", "Bas")
    notes.take_out(study, hands[1])
    found = [(h.hand, h.comment, h.who) for h in notes.hands_of(study)]
    assert found == [
        (hands[3], "bij 3", "Anna"), (hands[2], "anders", "Bas"), (hands[0], "bij 0", "Anna"),
    ]  # fmt: skip
    assert notes.study(study).hands == 3
    with pytest.raises(NotesError) as e:
        notes.new_study("Verzaken", "Bas")
    assert e.value.code == "name-taken"
    notes.rename_study(study, "Troef trekken")
    assert [s.name for s in notes.studies()] == ["Troef trekken"]
    notes.remove_study(study)
    assert notes.studies() == []
    assert notes.hands_of(study) == []


def test_a_hand_in_no_study(notes: Notes) -> None:
    with pytest.raises(NotesError) as e:
        notes.put(7, HAND)
    assert e.value.code == "study"


def test_many_write_at_once_and_nothing_is_lost(notes: Notes) -> None:
    def write(who: int) -> None:
        for i in range(25):
            Notes(notes.file.parent).add(HAND, str(i), "note", f"{who} {i}", f"p{who}")
            assert Notes(notes.file.parent).of_hand(HAND)

    code = (
        "import sys; from pandoeren_replay.notes import Notes\n"
        f"for i in range(25): Notes(sys.argv[1]).add({HAND!r}, 'h', 'note', str(i), 'other')\n"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(notes.file.parent)])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert other.wait(60) == 0
    assert len(notes.of_hand(HAND)) == 5 * 25


def test_notes_of_a_newer_program_are_left_alone(notes: Notes) -> None:
    notes.add(HAND, "h", "note", "t", "w")
    with sqlite3.connect(notes.file) as con:
        con.execute("PRAGMA user_version = 99")
    con.close()
    with pytest.raises(NotesError) as e:
        notes.of_hand(HAND)
    assert e.value.code == "newer"


def test_a_damaged_file_is_one_sentence(notes: Notes) -> None:
    notes.file.parent.mkdir()
    notes.file.write_bytes(b"no database at all" * 100)
    with pytest.raises(NotesError) as e:
        notes.of_hand(HAND)
    assert e.value.code == "storage"
    assert "\n" not in str(e.value)
