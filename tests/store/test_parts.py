"""A store past a certain size keeps packed hands in Parquet parts, and nobody sees a difference."""

import errno
import shutil
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.maintenance import merge_players, undo_import, vacuum, verify
from pandoeren_replay.reparse import reparse_hands
from pandoeren_replay.stats import statistics
from pandoeren_replay.store import Store, StoreError, bulk, bulk_source, generations, parts
from parsers.base import Options, Source
from tests.store.test_merging import evening, sheet, text
from tests.store.test_sums import season, simulated

NEVER = 1 << 60


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file of lines in columns, in small row groups."""
    monkeypatch.setattr(bulk, "ROW_GROUP", 300)
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1)


def put(store: Store, name: str, data: str) -> int | None:
    return import_paths(store, [Source(name, data.encode())]).import_id


def whole(store: Store) -> dict[str, pl.DataFrame]:
    """All that a store shows."""
    orders = {
        "hand": "hand_id", "hands": "hand_id", "violations": "hand_id, seq", "players": "name",
        "hand_sources": "hand_id, record, source_id", "disagreements": "hand_id, line",
        "sources": "source_id", "versions": "hand_id, version",
    }  # fmt: skip
    out = {v: store.sql(f"SELECT * FROM {v} ORDER BY {o}") for v, o in orders.items()}
    out["sources"] = out["sources"].drop("imported_at")
    out["count"] = pl.DataFrame({"n": [store.count()]})
    out["by player"] = statistics(store, ["player"])
    return out


def same(mine: dict[str, pl.DataFrame], theirs: dict[str, pl.DataFrame]) -> None:
    for name, rows in theirs.items():
        assert mine[name].equals(rows), name


def in_parts(store: Store) -> int:
    found = store.rows("SELECT coalesce(sum(hands), 0) AS n FROM part")
    return int(found[0]["n"])


def part_names(store: Store) -> set[str]:
    return {f.name for f in (store.path / "parts").iterdir()}


def test_nobody_sees_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same changes to a store with parts and to one without."""
    one, other = Store(tmp_path / "parts"), Store(tmp_path / "whole")

    def both(change: Any) -> None:
        for store, size in ((one, 1), (other, NEVER)):
            monkeypatch.setattr(parts, "FROM_BYTES", size)
            change(store)
        same(whole(one), whole(other))

    both(lambda s: put(s, "a.phl", season(slice(0, 400))))
    assert in_parts(one) > 300
    assert not in_parts(other)
    both(lambda s: put(s, "b.phl", simulated(700)))
    both(lambda s: put(s, "c.phl", season(slice(200, 600)) + text(evening())))
    held = in_parts(one)
    assert held > 1200
    assert one.rows("SELECT count(*) AS n FROM hand_packed")[0]["n"] == 0
    # Known hands, a hand that is told otherwise by a sheet, names that are one.
    both(lambda s: put(s, "again.phl", season(slice(0, 300))))
    both(lambda s: put(s, "sheet.csv", sheet(evening())))
    both(lambda s: merge_players(s, "Anna", ["Bas"]))
    assert not one.rows("SELECT * FROM part_gone")
    # The text of a hand is read again by other rules: it leaves its part.
    both(lambda s: reparse_hands(s, Options(rules="heerlen-literal"), where="number<=5"))
    assert one.rows("SELECT count(*) AS n FROM part_gone")[0]["n"] > 0
    both(lambda s: undo_import(s, 3))
    gone = one.rows("SELECT count(*) AS n FROM part_gone")[0]["n"]
    assert gone > 100
    both(vacuum)
    both(lambda s: undo_import(s, 1))
    both(lambda s: put(s, "a.phl", season(slice(0, 400))))
    assert verify(one)[1] == []
    for number in (
        r["hand_id"] for r in one.rows("SELECT hand_id FROM hand ORDER BY hash LIMIT 9")
    ):
        assert one.text(number) == other.text(number)
        assert one.find(number) == other.find(number)


def test_an_import_copies_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file begins anew, and the parts stay as they are."""
    monkeypatch.setattr(parts, "FROM_BYTES", 1 << 20)
    store = Store(tmp_path / "store")
    put(store, "a.phl", simulated(6000))
    assert in_parts(store) > 5000
    sealed = sorted((store.path / "parts").iterdir())
    stamps = [(f.name, f.stat().st_mtime_ns, f.stat().st_size) for f in sealed]
    monkeypatch.setattr(parts, "FROM_BYTES", NEVER)
    empty = Store(tmp_path / "empty")
    put(empty, "b.phl", simulated(50))
    copied = []

    def copy(source: Path, target: Path) -> None:
        copied.append(source.stat().st_size)
        target.write_bytes(source.read_bytes())

    monkeypatch.setattr(generations.shutil, "copyfile", copy)
    put(store, "b.phl", simulated(50))
    assert copied[-1] <= empty.file().stat().st_size + (1 << 19)
    assert [(f.name, f.stat().st_mtime_ns, f.stat().st_size) for f in sealed] == stamps
    assert store.count() == 6050


def test_a_store_that_is_moved_finds_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    store = Store(tmp_path / "here")
    put(store, "a.phl", simulated(300))
    before = store.rows("SELECT * FROM hands ORDER BY hand_id")
    moved = Store(tmp_path / "Anna's")
    shutil.copytree(store.path, moved.path)
    shutil.rmtree(store.path)
    assert moved.rows("SELECT * FROM hands ORDER BY hand_id") == before
    # As anybody's own DuckDB sees it.
    with duckdb.connect(str(moved.file()), read_only=True) as con:
        assert con.execute("SELECT count(*) FROM hands").fetchall() == [(300,)]


def test_a_moved_store_is_read_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    store = Store(tmp_path / "here")
    put(store, "a.phl", simulated(300))
    views = ("hands", "players", "tricks", "sessions", "sources")
    before = {v: store.rows(f"SELECT * FROM {v} ORDER BY ALL") for v in views}
    moved = Store(tmp_path / "Anna's")
    shutil.copytree(store.path, moved.path)
    shutil.rmtree(store.path)
    there = sorted((f.name, f.stat().st_mtime_ns) for f in moved.path.iterdir())

    def refused(self: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        if mode.startswith("r"):
            return opened(self, mode, *rest, **more)
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    opened = Path.open
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(StoreError, match="cannot be written"):
        put(moved, "b.phl", simulated(5))
    assert {v: moved.rows(f"SELECT * FROM {v} ORDER BY ALL") for v in views} == before
    assert moved.count("seat=N") == sum(h["declarer"] == "N" for h in before["hands"])
    assert moved.record(7).deal == before["hands"][6]["deal"]
    assert sorted((f.name, f.stat().st_mtime_ns) for f in moved.path.iterdir()) == there
    # What is gone is told all the same.
    next((moved.path / "parts").glob("hand_packed-*")).unlink()
    with pytest.raises(StoreError, match="a part of the store is gone: put back"):
        moved.count()


@pytest.mark.parametrize(
    ("content", "why"), [(None, "is gone"), (b"PAR1", "cannot be read"), (b"", "cannot be read")]
)
def test_a_part_that_goes_while_it_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, why: str
) -> None:
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    store = Store(tmp_path / "here")
    put(store, "a.phl", simulated(300))
    assert store.count() == 300  # the connection is open from here on
    part = next((store.path / "parts").glob("hand_packed-*"))
    part.unlink()
    if content is not None:
        part.write_bytes(content)
    sentence = f"a part of the store {why}: put back .*{part.name}"
    asked = (
        lambda: store.rows("SELECT * FROM hands"),
        lambda: store.sql("SELECT * FROM hands"),
        lambda: list(store.records()),
        lambda: store.replay(3),
        lambda: store.find("nosuch"),
    )
    for ask in asked:
        with pytest.raises(StoreError, match=sentence):
            ask()


def test_a_wrong_query_stays_one_where_the_files_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    store = Store(tmp_path / "here")
    put(store, "a.phl", simulated(30))
    with pytest.raises(duckdb.BinderException):
        store.rows("SELECT nosuch FROM hands")
    with pytest.raises(StoreError, match=r"the query failed: .*nosuch\.csv"):
        store.sql("SELECT * FROM read_csv('nosuch.csv')")


def test_a_part_that_is_gone_or_damaged_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    here = Store(tmp_path / "here")
    put(here, "a.phl", simulated(300))
    name = next((here.path / "parts").glob("hand_packed-*")).name
    for place in ("gone", "cut"):
        shutil.copytree(here.path, tmp_path / place)
    (tmp_path / "gone" / "parts" / name).unlink()
    (tmp_path / "cut" / "parts" / name).write_bytes(b"PAR1")
    for place, why in (("gone", "is gone"), ("cut", "cannot be read")):
        store = Store(tmp_path / place)
        with pytest.raises(StoreError, match=f"a part of the store {why}: put back .*{name}"):
            store.count()
        with pytest.raises(StoreError, match=f"a part of the store {why}: put back .*{name}"):
            put(store, "b.phl", simulated(5))


def test_a_part_in_the_place_of_another_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    store = Store(tmp_path / "store")
    put(store, "a.phl", simulated(300))
    put(store, "b.phl", simulated(250))
    first, second = sorted((store.path / "parts").glob("hand_packed-*"))
    assert verify(store)[1] == []
    shutil.copyfile(first, second)
    problems = verify(store)[1]
    assert second.name in problems[0]
    assert "hands up to number 300, expected" in problems[0]


def test_an_import_that_fails_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts that were written before a stop are swept by the next import."""
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    store = Store(tmp_path / "store")
    put(store, "a.phl", simulated(300))
    before, there = whole(store), part_names(store)
    publish = generations._publish

    def stop(*args: Any) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(generations, "_publish", stop)
    with pytest.raises(StoreError, match="no space left"):
        put(store, "b.phl", season(slice(0, 300)))
    same(whole(store), before)
    assert part_names(store) > there
    monkeypatch.setattr(generations, "_publish", publish)
    with store.writing():
        raise generations.Unchanged
    assert part_names(store) == there
    put(store, "b.phl", season(slice(0, 300)))
    assert store.count() == len(before["hand"]) + len(season(slice(1, 300)).splitlines())


def test_questions_in_sql_see_the_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pandoeren_replay.ui.questions import ask

    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    store = Store(tmp_path / "store")
    put(store, "a.phl", simulated(300))
    assert ask(store, "SELECT count(*) FROM hands").rows == ((300,),)
