"""Undoing an import of a store that keeps sums: they are those of the hands that are left."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from pandoeren_replay.correct import correct, text_of
from pandoeren_replay.maintenance import undo_import
from pandoeren_replay.store import Store, bulk, bulk_source, sums
from tests.store.test_merging import evening, sheet, text
from tests.store.test_sums import check_sums, put, season, simulated


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums in every store, and every file of lines in columns."""
    monkeypatch.setattr(sums, "LARGE", 1)
    monkeypatch.setattr(bulk, "ROW_GROUP", 500)
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1)


@pytest.fixture
def rebuilt(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Has an entry for every time that all sums were worked out anew."""
    times: list[int] = []
    anew = sums.rebuild

    def told(con: Any) -> None:
        times.append(1)
        anew(con)

    monkeypatch.setattr(sums, "rebuild", told)
    return times


def test_an_import_takes_its_sums_with_it(tmp_path: Path, rebuilt: list[int]) -> None:
    """Whether its hands were read one by one or in columns, and where it told some again."""
    store = Store(tmp_path / "store")
    first = put(store, "a.phl", season(slice(0, 300)))
    second = put(store, "simulated.phl", simulated(700))
    third = put(store, "b.phl", season(slice(200, 500)))
    put(store, "c.phl", simulated(600))
    hands = store.count()
    rebuilt.clear()
    before = store.rows("SELECT * FROM players ORDER BY name")
    assert undo_import(store, second) == (700, 0)
    assert undo_import(store, third) == (200, 0)
    assert not rebuilt
    assert store.count() == hands - 900
    check_sums(store)
    assert store.rows("SELECT * FROM players ORDER BY name") != before
    # Hands that another import holds as well go over to that.
    third = put(store, "b.phl", season(slice(200, 500)))
    rebuilt.clear()
    assert undo_import(store, first) == (199, 0)  # its first line is a remark
    assert rebuilt
    check_sums(store)


def test_sums_that_do_not_say_whose_they_are(tmp_path: Path, rebuilt: list[int]) -> None:
    """Those of an older program are worked out anew once."""
    store = Store(tmp_path / "store")
    put(store, "a.phl", season(slice(0, 300)))
    second = put(store, "b.phl", season(slice(300, 500)))
    third = put(store, "c.phl", season(slice(500, 700)))
    with store.writing() as con:
        for s in sums.SUMS:
            con.execute(f"UPDATE {s.name} SET import_id = NULL").fetchall()
        sums.keep(con)
    rebuilt.clear()
    undo_import(store, third)
    assert len(rebuilt) == 1
    check_sums(store)
    rebuilt.clear()
    undo_import(store, second)
    assert not rebuilt
    check_sums(store)


def test_imports_and_undoing_in_any_order(tmp_path: Path) -> None:
    """Evenings that overlap, a sheet that tells one in its own words, corrections."""
    rng = random.Random(1)
    store = Store(tmp_path / "store")
    put(store, "start.phl", season(slice(0, 40)))
    hands = evening()
    imports = []
    for step, what in enumerate((1, 2, 5, 0, 3, 4, 6, 0, 1)):
        if what == 0:
            undo_import(store, imports.pop(rng.randrange(len(imports))))
            check_sums(store)
        elif what == 1:
            imports.append(put(store, f"server{step}.phl", text(hands[: rng.randrange(4, 9)])))
        elif what == 2:
            imports.append(put(store, f"sheet{step}.csv", sheet(hands)))
        elif what == 3:
            imports.append(put(store, f"simulated{step}.phl", simulated(30 + step)))
        elif what == 4:
            hand = rng.choice(store.rows("SELECT hand_id FROM hand WHERE n IS NOT NULL"))["hand_id"]
            name = f'[North "Who {step}"]'
            correct(store, hand, re.sub(r'\[North "[^"]*"\]', name, text_of(store, hand)))
            imports.append(store.rows("SELECT max(import_id) AS n FROM imports")[0]["n"])
        else:
            at = rng.randrange(0, 200, 20)
            imports.append(put(store, f"a{step}.phl", season(slice(at, at + 60))))
    while imports:
        undo_import(store, imports.pop(rng.randrange(len(imports))))
        check_sums(store)
    assert store.count() == 39
