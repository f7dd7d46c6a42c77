"""Corrected hands: a new version stands, the old one is kept, and every step can be taken back."""

from pathlib import Path

import pytest

from pandoeren_replay.correct import CorrectionError, correct, read_draft, text_of
from pandoeren_replay.importer import import_paths
from pandoeren_replay.maintenance import undo_import, verify
from pandoeren_replay.store import Store
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.versions import versions

HANDS = Path(__file__).parents[1] / "ui" / "hands.phl"
LINES = [x for x in HANDS.read_text("utf-8").splitlines() if not x.startswith("#")]


@pytest.fixture
def club(tmp_path: Path) -> tuple[Store, Path]:
    file = tmp_path / "evening.phl"
    file.write_text("\n".join(LINES[:6]) + "\n")
    store = Store(tmp_path / "club")
    import_paths(store, [file])
    return store, file


def test_a_correction_stands_and_the_old_version_is_kept(club):
    store, file = club
    old = store.find("sample-01")
    before = store.row(old)
    text = text_of(store, old)
    new = correct(store, old, text.replace('[West "Dirk"]', '[West "Dirk Jan"]'))
    assert store.count() == 6
    assert store.find("sample-01") == new != old
    assert store.record(new).player(3) == "Dirk Jan"
    assert store.find(f"{before['hash']:016x}") == new
    kept = versions(store, new)
    assert [(v["version"], v["hash"]) for v in kept] == [(1, f"{before['hash']:016x}")]
    assert kept[0]["text"] == LINES[0]
    assert [r["hand_id"] for r in store.rows("SELECT * FROM versions")] == [new]
    assert import_paths(store, [file]).stored == 0
    assert store.count() == 6
    assert verify(store) == (6, [])


def test_a_changed_card_is_judged_anew(club):
    store, _ = club
    old = store.find("sample-01")
    text = text_of(store, old)
    # Two cards of the first trick change places: somebody now plays what he does not hold.
    broken = text.replace("H7", "XX", 1).replace("D7", "H7", 1).replace("XX", "D7", 1)
    draft = read_draft(store, old, broken)
    assert any(v.severity == "error" for v in draft.played.violations)
    new = correct(store, old, broken)
    assert store.rows("SELECT errors FROM hands WHERE hand_id = ?", [new])[0]["errors"] > 0
    assert not store.rows("SELECT 1 FROM violations WHERE hand_id = ?", [old])


def test_undo_brings_the_latest_version_back(club):
    store, _ = club
    first = store.find("sample-02")
    text = text_of(store, first)
    second = correct(store, first, text.replace('[North "Anna"]', '[North "An"]'))
    third = correct(store, second, text.replace('[North "Anna"]', '[North "Ans"]'))
    assert [v["version"] for v in versions(store, third)] == [2, 1]
    runs = [r["import_id"] for r in store.rows("SELECT import_id FROM imports ORDER BY import_id")]
    undo_import(store, runs[2])
    assert store.find("sample-02") == second
    assert [v["version"] for v in versions(store, second)] == [1]
    undo_import(store, runs[1])
    assert store.find("sample-02") == first
    assert versions(store, first) == []
    assert store.count() == 6
    assert verify(store) == (6, [])


def test_undo_of_a_correction_in_between_leaves_the_last(club):
    store, _ = club
    first = store.find("sample-02")
    text = text_of(store, first)
    second = correct(store, first, text.replace('[North "Anna"]', '[North "An"]'))
    third = correct(store, second, text.replace('[North "Anna"]', '[North "Ans"]'))
    undo_import(store, 2)
    assert store.find("sample-02") == third
    assert [v["hand_id"] for v in versions(store, third)] == [first]
    undo_import(store, 1)
    assert store.count() == 1
    assert versions(store, third) == []


def test_an_old_version_can_be_made_the_hand_again(club):
    store, _ = club
    first = store.find("sample-01")
    text = text_of(store, first)
    second = correct(store, first, text.replace('[West "Dirk"]', '[West "Dick"]'))
    assert correct(store, second, text) == first
    assert store.find("sample-01") == first
    assert [v["hand_id"] for v in versions(store, first)] == [second]
    assert store.count() == 6
    assert verify(store) == (6, [])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda t: t, "same"),
        (lambda t: "words", "unreadable"),
        (lambda t: t.replace("DJ", "DX", 1), "unreadable"),
        (lambda t: f"{t}\n\n{t}", "several"),
        (lambda t: t.replace('[Rules "butselaar"]', '[Rules "no-such"]'), "rules"),
    ],
)
def test_what_cannot_be_stored_is_told_and_changes_nothing(club, change, code):
    store, _ = club
    hand = store.find("sample-01")
    generation = store.generation()
    with pytest.raises(CorrectionError) as e:
        correct(store, hand, change(text_of(store, hand)))
    assert e.value.code == code
    assert store.generation() == generation


def test_two_people_at_once_do_not_overwrite_each_other(club):
    store, _ = club
    hand = store.find("sample-01")
    text = text_of(store, hand)
    correct(store, hand, text.replace('[West "Dirk"]', '[West "Dick"]'))
    with pytest.raises((CorrectionError, StoreError)):
        correct(store, hand, text.replace('[West "Dirk"]', '[West "Dirck"]'))


def test_what_other_sources_said_is_corrected_with_it(tmp_path):
    one, two = tmp_path / "one.phl", tmp_path / "two.csv"
    evening = [x.replace("hand=", "session=thu;hand=") for x in LINES[:6]]
    one.write_text("\n".join(evening) + "\n")
    two.write_text("session;hand;declarer;contract;made\nthu;3;Cor van Dijk;szw;no\n")
    store = Store(tmp_path / "club")
    import_paths(store, [one])
    import_paths(store, [two])
    hand = store.find("sample-03")
    n = store.count()
    new = correct(store, hand, text_of(store, hand).replace('[Hand "3"]', '[Hand "33"]'))
    assert store.count() == n
    undo_import(store, max(r["import_id"] for r in store.rows("SELECT import_id FROM imports")))
    assert store.find("sample-03") == hand != new
    assert store.count() == n
