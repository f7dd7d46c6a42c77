"""What the replay page asks of the solver and of the notes, whatever a browser sends."""

import threading

import pytest

from pandoeren_replay.notes import Notes
from pandoeren_replay.ui.noting import carry_out, notes_data, place_words
from pandoeren_replay.ui.pages import replay as page
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.verdicts import Desk
from pandoeren_replay.ui.whatif import Line

NL = Texts("nl")


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk()
    monkeypatch.setattr(page, "DESK", made)
    monkeypatch.setattr(page, "_PATIENCE", 0.01)
    return made


def key_of(store, where: str) -> str:
    return str(store.hands(where, limit=1)["hash"][0])


def test_while_the_solver_works_the_page_says_so_and_can_be_stopped(pages, desk):
    key = key_of(pages, "plays=32 and rules=heerlen")
    source = Source(str(pages.path))
    gate = threading.Event()
    desk.ask("before", lambda: gate.wait(30))
    try:
        seen = page._verdicts(source, key, {"verdicts": True}, None, None, NL)
        assert seen["state"] == "running"
        assert seen["hint"] == NL("replay.review_cold")
        off = page._verdicts(source, key, {"verdicts": False, "cancelled": key}, None, None, NL)
        assert off == {"state": "off"}
        job = page._ask(source, key, Line(3, ("SA",)))
        assert page._waiting(job, NL)["running"]
    finally:
        gate.set()
    done = page._ask(source, key, None).wait(60)
    assert done.state == "done"
    seen = page._verdicts(source, key, {"verdicts": True}, None, None, NL)
    assert seen["state"] == "done"
    assert not seen["stored"]
    assert desk.warm


def test_nobody_asked_nobody_works(pages, desk):
    key = key_of(pages, "plays=32 and rules=heerlen")
    source = Source(str(pages.path))
    assert page._verdicts(source, key, {}, None, None, NL) == {"state": "off"}
    assert not desk._jobs


def test_stored_values_are_shown_without_asking_the_solver(pages, desk, monkeypatch):
    from engine.cards import CARDS
    from pandoeren_replay.annotate import annotate

    key = key_of(pages, "plays=32 and rules=heerlen")
    source = Source(str(pages.path))
    made = annotate(source.replay(key))
    rows = [
        {"ply": n.ply, "card": CARDS[c], "goal": "points", "value": v, "best": n.before,
         "played": c == n.card, "solver": "7"}
        for n in made.cards for c, v in n.values.items()
    ]  # fmt: skip
    monkeypatch.setattr(Source, "evaluations", lambda self, hand: rows)
    seen = page._verdicts(source, key, {}, None, None, NL)
    assert (seen["state"], seen["stored"], seen["solver"]) == ("done", True, "7")
    assert not desk._jobs


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"op": "note"},
        {"op": "note", "place": "h", "text": ["x"], "who": {}},
        {"op": "note", "place": "999", "text": "x"},
        {"op": "drop", "place": "h", "text": "x"},
        {"op": "remove", "id": "1 OR 1"},
        {"op": "remove", "id": 1e300},
        {"op": "study", "study": 99, "text": "x"},
        {"op": "study", "study": None, "name": ""},
        {"op": "tag", "place": "h", "text": "a]b"},
        {"op": "star", "place": "../x"},
    ],
)
def test_nonsense_from_a_browser_writes_nothing(tmp_path, asked):
    notes = Notes(tmp_path)
    mark = notes.add("0" * 16, "h", "note", "blijft", "Anna")
    said = carry_out(notes, "0" * 16, asked, NL)
    assert [m.id for m in notes.of_hand("0" * 16)] == [mark]
    assert notes.studies() == []
    if asked.get("op") in ("note", "study", "tag", "star"):
        assert said


def test_places_in_words(pages):
    key = key_of(pages, "plays=32 and calls>2")
    replay = Source(str(pages.path)).replay(key)
    assert place_words(replay, "h", NL) == NL("replay.place_hand")
    assert "slag 2" in place_words(replay, "5", NL)
    assert place_words(replay, "a1", NL).startswith("bieding: ")
    for far in ("a99", "99", "0"):
        assert place_words(replay, far, NL)


def test_damaged_notes_do_not_stop_the_replay(pages, tmp_path):
    key = key_of(pages, "plays=32")
    source = Source(str(pages.path))
    whole = page._notation(source, Notes(tmp_path), key)
    (tmp_path / "notes.sqlite").write_bytes(b"damaged" * 999)
    data = notes_data(Notes(tmp_path), key, source.replay(key), NL)
    assert page._notation(source, Notes(tmp_path), key) == whole
    assert data["marks"] == []
    assert data["message"] == NL("notes.err_storage")
