"""Analysis of a store: complete, resumable, only what is new."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.solver import SOLVER_VERSION
from pandoeren_replay.analyze import analyze
from pandoeren_replay.annotate import annotate
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
