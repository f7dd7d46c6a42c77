"""The page that corrects a hand, and lines put right before an import."""

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.notes import Notes
from pandoeren_replay.ui.fixing import bad_lines, put_right
from pandoeren_replay.ui.jobs import Cancelled, Job
from parsers.base import Reject, Source

from .conftest import HANDS
from .test_pages import LINES, open_page, words


@pytest.fixture
def club(own_store):
    import_paths(own_store, [HANDS])
    return own_store


def test_a_hand_is_corrected_and_its_notes_go_along(club):
    key = club.hands("id=sample-01", limit=1)["hash"][0]
    Notes(club.path).add(key, "h", "note", "look at this", "Anna")
    test = open_page("correct", hand=key)
    assert not test.exception
    field = test.text_area[0]
    field.set_value(field.value.replace('[West "Dirk"]', '[West "Dirk Jan"]')).run()
    test.button(key="correct_save").click().run()
    assert not test.exception
    assert test.success
    new = club.hands("id=sample-01", limit=1)["hash"][0]
    assert new != key
    assert test.query_params["hand"] == new
    assert [m.text for m in Notes(club.path).of_hand(new)] == ["look at this"]
    assert club.count() == len(LINES)


def test_what_is_wrong_is_told_with_its_place(club):
    key = club.hands("id=sample-01", limit=1)["hash"][0]
    test = open_page("correct", "en", hand=key)
    field = test.text_area[0]
    line = 1 + field.value[: field.value.index("DJ H7")].count("\n")
    field.set_value(field.value.replace("DJ H7", "DX H7", 1)).run()
    assert f"Line {line}, character" in test.error[0].value
    assert not [b for b in test.button if b.key == "correct_save"]


@pytest.mark.parametrize("hand", ["", "0" * 16, "<b>", "../x"])
def test_without_a_hand_the_page_says_where_to_find_one(club, hand):
    test = open_page("correct", hand=hand) if hand else open_page("correct")
    assert not test.exception
    assert "Kies eerst een spel" in words(test)


def test_bad_lines_are_found_once_and_put_right():
    file = Source("a.csv", b"\xef\xbb\xbfa;b\r\nbad\r\ngood;1\r\nworse\r\n")
    rejects = [Reject("a.csv", n, 1, "", "a row", t) for n, t in ((2, "bad"), (2, "x"), (4, "w"))]
    rejects.append(Reject("else.csv", 2, 1, "", "a row", "x"))
    found = bad_lines([file], rejects)
    assert [(b.line, b.text) for b in found] == [(2, "bad"), (4, "worse")]
    fixed = put_right(file, [(found[0], "fine;0"), (found[1], "")])
    assert fixed.data == b"a;b\r\nfine;0\r\ngood;1\r\n"


def test_what_is_no_text_is_not_put_right_here():
    file = Source("a.xlsx", b"PK\x03\x04\x00\x00")
    assert bad_lines([file], [Reject("a.xlsx", 1, 1, "", "x", "")]) == []


def test_work_that_is_stopped_changes_nothing(club):
    before = club.generation()
    lines = "\n".join(x.replace("id=sample", "id=other") for x in LINES) + "\n"
    seen = []

    def work(say):
        def slow(what, done, of):
            seen.append(what)
            job.stop()
            say(what, done, of)

        return import_paths(club, [Source("b.phl", lines.encode())], progress=slow)

    job = Job(work)
    job.start()
    assert job.wait(60)
    assert seen
    assert isinstance(job.error, Cancelled)
    assert job.cancelled
    assert club.generation() == before


def test_what_is_complete_is_not_stopped():
    job = Job(lambda say: say("write", 1, 1) or "done")
    job.stop()
    job.start()
    assert job.wait(10)
    assert job.result == "done"


def test_a_row_is_put_right_without_the_head_that_its_reader_shows():
    file = Source("a.csv", b"Speler;Bod\nAnna;13O\nBas;120\n")
    reject = Reject("a.csv", 2, 1, "13O", "a call", "Speler;Bod\nAnna;13O")
    assert [(b.line, b.count, b.text) for b in bad_lines([file], [reject])] == [(2, 1, "Anna;13O")]


def test_a_hand_of_several_lines_is_put_right_as_a_whole():
    file = Source("a.phn", b'[Rules "x"]\n\nAuction\n*\n')
    reject = Reject("a.phn", 1, 1, "x", "rules", '[Rules "x"]\n\nAuction\n*')
    found = bad_lines([file], [reject])
    assert [(b.line, b.count) for b in found] == [(1, 4)]
    assert put_right(file, [(found[0], "one\ntwo")]).data == b"one\ntwo\n"
