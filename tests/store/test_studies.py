"""A study goes out as .phn and comes into another store as it was."""

from pathlib import Path

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.notes import Notes, NotesError
from pandoeren_replay.store import Store
from pandoeren_replay.studies import export_study, find, hand_text, import_study
from parsers.phn import read_phn

HANDS = Path(__file__).parents[1] / "ui" / "hands.phl"
HOSTILE = '} * [Rules "x"]\n; ( {[%by X Y]} \u00e9 100% ]'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(tmp_path_factory.mktemp("studies") / "store")
    assert import_paths(made, [HANDS]).rejected == 0
    return made


def filled(store: Store, folder: Path) -> tuple[Notes, int, list[str]]:
    notes = Notes(folder)
    hashes = store.hands("plays>20")["hash"].to_list()[:6][::-1]
    study = notes.new_study('Om "te" onthouden', "Jo de Boer")
    for i, h in enumerate(hashes):
        notes.put(study, h, f"{HOSTILE} {i}" if i % 2 else "", "Jo de Boer")
        notes.add(h, str(i), "note", f"{HOSTILE} kaart", "Bas B")
        notes.add(h, "h", "star", "", "Anna")
        notes.add(h, "a1", "tag", "te hoog", "")
    return notes, study, hashes


def said(notes: Notes, hands: list[str]) -> list[tuple[str, ...]]:
    found = [
        (m.hand, m.place, m.kind, m.text, m.who, m.at) for h in hands for m in notes.of_hand(h)
    ]
    return sorted(found)


def test_every_stored_hand_is_found_by_its_record(store: Store) -> None:
    for row in store.hands().iter_rows(named=True):
        assert find(store, store.record(row["hand_id"])) == row["hash"]


def test_out_of_one_store_into_an_empty_one(store: Store, tmp_path: Path) -> None:
    notes, study, hashes = filled(store, tmp_path / "a")
    text = export_study(store, notes, study)
    parsed = read_phn(text)
    assert not parsed.rejects
    assert [r.get("study") for r in parsed.records] == ['Om "te" onthouden'] * 6
    there, other = Store(tmp_path / "b"), Notes(tmp_path / "b")
    made = import_study(there, other, text, "Cor")
    assert (made.name, made.hands, made.rejects) == ('Om "te" onthouden', 6, ())
    assert made.totals is not None
    assert made.totals.stored == 6
    assert other.hands_of(made.study) == notes.hands_of(study)
    assert said(other, hashes) == said(notes, hashes)
    # Out again: the same text, nothing doubled.
    assert export_study(there, other, made.study) == text


def test_into_the_same_store_it_is_a_second_study_and_no_second_note(
    store: Store, tmp_path: Path
) -> None:
    notes, study, hashes = filled(store, tmp_path)
    before = said(notes, hashes)
    made = import_study(store, notes, export_study(store, notes, study), "Cor")
    assert made.totals is None
    assert made.name == 'Om "te" onthouden (2)'
    assert said(notes, hashes) == before
    assert [h.hand for h in notes.hands_of(made.study)] == hashes


def test_a_file_of_somebody_else_is_a_study_too(store: Store, tmp_path: Path) -> None:
    text = hand_text(store, Notes(tmp_path), store.hands(limit=1)["hash"][0])
    text = text.replace("Auction", "{een opmerking} Auction", 1)
    made = import_study(store, Notes(tmp_path), text, "Cor", "van Piet")
    assert (made.name, made.hands) == ("van Piet", 1)


def test_a_file_without_hands_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotesError):
        import_study(store, Notes(tmp_path), "zomaar wat", "Cor")
    assert Notes(tmp_path).studies() == []
