"""Analysis of a store: complete, resumable, only what is new."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import names
from engine.record import Note
from engine.replay import replay
from engine.solver import SOLVER_VERSION, Search, position_from_replay
from pandoeren_replay.analyze import analyze
from pandoeren_replay.annotate import annotate
from pandoeren_replay.annotate_stored import with_values
from pandoeren_replay.export import valued_records, write_records
from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store

ROOT = Path(__file__).parent.parent
EVENING = ROOT / "data" / "demo" / "evening.phl"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "club")
    assert import_paths(made, [EVENING]).stored == 32
    return made


def table(store: Store) -> list[dict[str, object]]:
    return store.rows("SELECT * FROM evaluations ORDER BY hand_id, ply, card")


def test_every_legal_card_is_valued_as_the_annotation_says(store: Store) -> None:
    totals = analyze(store, "number<=3")
    assert (totals.done, totals.known, totals.left_out) == (3, 0, {})
    rows = table(store)
    assert len(rows) == totals.cards
    note = annotate(store.replay(1)).cards[5]
    found = {r["card"]: r["value"] for r in rows if r["hand_id"] == 1 and r["ply"] == 5}
    assert found == note.as_json()["values"]
    assert {r["solver"] for r in rows} == {SOLVER_VERSION}
    played = [r for r in rows if r["played"]]
    assert len(played) == sum(len(store.record(i).plays) for i in (1, 2, 3))


def test_only_what_is_new_is_computed(store: Store) -> None:
    analyze(store, "number<=2")
    generation = store.generation()
    again = analyze(store, "number<=2")
    assert (again.done, again.known) == (0, 2)
    assert store.generation() == generation
    played = sum(bool(store.record(i).plays) for i in (3, 4, 5, 6))
    assert played > 0
    more = analyze(store, "number<=6")
    assert (more.done, more.known) == (played, 2)


def test_a_killed_run_goes_on_to_the_same_table(store: Store, tmp_path: Path) -> None:
    whole = Store(tmp_path / "undisturbed")
    import_paths(whole, [EVENING])
    analyze(whole)
    code = (
        "import sys; from pandoeren_replay.analyze import analyze; "
        "from pandoeren_replay.store import Store; "
        "analyze(Store(sys.argv[1]), portion_seconds=0.0)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(store.path)], cwd=ROOT)
    deadline = time.monotonic() + 120
    while not table(store) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    started = {r["hand_id"] for r in table(store)}
    assert started
    analyze(store)
    assert table(store) == table(whole)


def test_several_processes_find_the_same(store: Store, tmp_path: Path) -> None:
    one = Store(tmp_path / "one")
    import_paths(one, [EVENING])
    analyze(one, "number<=8")
    assert analyze(store, "number<=8", jobs=2).done == len({r["hand_id"] for r in table(one)})
    assert table(store) == table(one)


def test_hands_that_cannot_be_solved_are_left_out_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "part.phl"
    path.write_text("heerlen N . -,120,-,-,- S:?:? SASK . . id=x\n")
    store = Store(tmp_path / "club")
    import_paths(store, [path])
    totals = analyze(store)
    assert totals.done == 0
    assert sum(totals.left_out.values()) == 1


def choices(store: Store) -> list[dict[str, object]]:
    return store.rows("SELECT * FROM declaration_evaluations ORDER BY hand_id, kind, choice")


def test_declarations_are_valued_where_asked(store: Store) -> None:
    assert analyze(store, "number<=6").done > 0
    assert choices(store) == []
    before = table(store)
    totals = analyze(store, "number<=6", declaration=True)
    assert totals.done > 0
    assert totals.cards == 0  # the cards had been valued
    assert table(store) == before
    found = choices(store)
    assert {r["kind"] for r in found} == {"discard", "trump", "called"}
    start = {r["hand_id"]: r["best"] for r in before if r["ply"] == 0}
    for r in found:
        same = [x for x in found if (x["hand_id"], x["kind"]) == (r["hand_id"], r["kind"])]
        assert sum(x["chosen"] for x in same) == 1
        assert max(x["value"] for x in same if x["value"] is not None) == r["best"]
        if r["chosen"]:
            assert r["value"] == start[r["hand_id"]]
            assert r["loss"] == r["best"] - r["value"]
            hand = store.rows("SELECT * FROM hands WHERE hand_id = ?", [r["hand_id"]])[0]
            assert r["choice"] == hand[r["kind"]]
    again = analyze(store, "number<=6", declaration=True)
    assert (again.done, again.known) == (0, totals.done)


def test_values_of_another_discard_and_trump_suit_are_those_of_that_hand(store: Store) -> None:
    analyze(store, "number<=3", declaration=True)
    seen = set()
    for r in choices(store):
        played = store.replay(r["hand_id"])
        if r["chosen"] or r["kind"] == "called" or r["goal"] != "points":
            continue
        record = replace(played.record, plays=())
        if r["kind"] == "discard":
            there = replay(replace(record, discard=r["choice"]), played.rules)
        elif played.record.called in ("-", None) or played.record.called[0] == r["choice"]:
            continue  # another card would have to be called
        else:
            there = replay(replace(record, trump=r["choice"]), played.rules)
        value = Search(position_from_replay(there, 0)).value(position_from_replay(there, 0))
        assert value <= r["best"]
        assert value == r["value"] if r["value"] is not None else value < r["best"]
        seen.add((r["kind"], r["value"] is None))
    assert any(kind == "discard" for kind, _ in seen)
    assert any(kind == "trump" for kind, _ in seen)


def test_a_hand_without_choices_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "alone.phl"
    # No trumps, nobody called, nothing exchanged.
    lines = (ROOT / "tests/conformance/legal-fiches-solo.phl").read_text().splitlines()
    path.write_text(next(x for x in lines if " -:-:- " in x) + "\n")
    store = Store(tmp_path / "club")
    import_paths(store, [path])
    first = analyze(store, declaration=True)
    assert first.done == 1
    assert choices(store) == []
    assert analyze(store, declaration=True).known == 1


def test_export_with_values_is_the_same_hand_with_comments(store: Store, tmp_path: Path) -> None:
    analyze(store, "number<=2")
    out = tmp_path / "valued.phn"
    with out.open("w") as f:
        write_records(valued_records(store, "number<=3"), "phn", f)
    text = out.read_text()
    assert "[%eval " in text
    assert "[%best " in text
    back = Store(tmp_path / "back")
    import_paths(back, [out])
    query = "SELECT hash FROM hands ORDER BY 1"
    wanted = [r["hash"] for r in store.rows(query.replace("ORDER", "WHERE hand_id <= 3 ORDER"))]
    assert [r["hash"] for r in back.rows(query)] == wanted
    for i in (1, 2, 3):
        played = store.replay(i)
        if not played.record.plays:
            continue
        found = annotate(played)
        notes = {n.where: n.text for n in back.record(i).notes}
        for card in found.cards:
            said = notes[str(card.ply + 1)]
            assert said.startswith(f"[%eval {card.after}]")
            better = said.partition("[%best ")[2].rstrip("]").split()
            assert better == (names(card.best) if card.loss > 0 else [])
    # Once more: nothing is doubled, and what people wrote stays.
    record = replace(back.record(1), notes=(*back.record(1).notes, Note("1", "c", "too early")))
    again = with_values(annotate(replay(record, store.replay(1).rules)))
    assert len(again.notes) == len(record.plays) + 1
    assert Note("1", "c", "too early") in again.notes
