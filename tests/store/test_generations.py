"""The folder of generations: atomic, never blocking, nothing lost by a kill."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import duckdb
import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store, StoreError, generations
from parsers.base import Source

from .conftest import CONFORMANCE

LINE = "heerlen N . -,-,-,- . . . void id={}\n"
IMPORTER = """
    import sys, time
    from pandoeren_replay.importer import import_paths
    from pandoeren_replay.store import Store, writer
    from parsers.base import Source

    store, first, count, pause = Store(sys.argv[1]), *map(int, sys.argv[2:5])
    write = writer.write_batch
    if pause:
        import pandoeren_replay.importer as importer
        def slow(con, *rest):
            written = write(con, *rest)
            print("inside", flush=True)
            time.sleep(pause)
            return written
        importer.write_batch = slow
    line = "heerlen N . -,-,-,- . . . void id=h{}\\n"
    text = "".join(line.format(i) for i in range(first, first + count))
    totals = import_paths(store, [Source(f"{first}.phl", text.encode())])
    print(totals.stored, flush=True)
"""


def importer(store: Store, first: int, count: int, pause: int = 0) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(IMPORTER), str(store.path)]
        + [str(x) for x in (first, count, pause)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )


def one(store: Store, name: str) -> None:
    import_paths(store, [Source("a.phl", LINE.format(name).encode())])


def files(store: Store) -> list[str]:
    return sorted(f.name for f in store.path.iterdir())


def test_each_import_is_a_generation_and_the_last_two_stay(store: Store) -> None:
    for i in range(4):
        one(store, f"h{i}")
        assert store.count() == i + 1
    assert files(store) == ["CURRENT", "hands-000003.duckdb", "hands-000004.duckdb", "import.lock"]
    assert store.generation() == 4
    assert store.file().name == "hands-000004.duckdb"


def test_a_store_in_the_place_of_another_is_read(store: Store, tmp_path: Path) -> None:
    """The folder is removed and made again, as by restoring a backup, while it is being read."""
    one(store, "h")
    known = store.stamp()
    assert (store.generation(), store.rows("SELECT id FROM hands")[0]["id"]) == (1, "h")
    other = Store(tmp_path / "other")
    one(other, "x")
    shutil.rmtree(store.path)
    shutil.copytree(other.path, store.path)
    assert (store.generation(), store.rows("SELECT id FROM hands")[0]["id"]) == (1, "x")
    assert store.stamp() != known
    one(store, "y")
    assert store.count() == 2


def test_import_of_what_is_known_leaves_the_store_alone(store: Store) -> None:
    one(store, "h")
    before = {f.name: f.stat().st_mtime_ns for f in store.path.iterdir()}
    one(store, "h")
    assert {f.name: f.stat().st_mtime_ns for f in store.path.iterdir()} == before


def test_kill_9_in_the_transaction_leaves_the_store_as_it_was(store: Store) -> None:
    one(store, "before")
    published = store.file().read_bytes()
    process = importer(store, 0, 100, pause=60)
    assert process.stdout is not None
    assert process.stdout.readline() == "inside\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert store.generation() == 1
    assert store.file().read_bytes() == published
    assert any(name.startswith("build-") for name in files(store))
    # The lock is free, and the next import clears away what was left.
    one(store, "after")
    assert store.hands()["id"].to_list() == ["before", "after"]
    assert not any(name.startswith("build-") for name in files(store))


def test_two_importers_queue_and_lose_nothing(store: Store) -> None:
    slow = importer(store, 0, 50, pause=2)
    assert slow.stdout is not None
    assert slow.stdout.readline() == "inside\n"
    other = importer(store, 25, 50)
    assert slow.communicate()[0] == "50\n"
    assert other.communicate()[0] == "25\n"  # 25 of them were duplicates by then
    assert store.count() == 75
    runs = store.rows("SELECT stored, duplicate FROM imports ORDER BY import_id")
    assert runs == [{"stored": 50, "duplicate": 0}, {"stored": 25, "duplicate": 25}]


def test_waiting_is_told_once(store: Store) -> None:
    one(store, "h")
    told: list[int] = []
    slow = importer(store, 0, 5, pause=1)
    assert slow.stdout is not None
    assert slow.stdout.readline() == "inside\n"
    import_paths(
        store, [Source("b.phl", LINE.format("x").encode())], waiting=lambda: told.append(1)
    )
    slow.wait()
    assert told == [1]
    assert store.count() == 7


def test_readers_go_on_while_imports_publish(store: Store) -> None:
    one(store, "first")
    stop = threading.Event()
    seen: list[int] = []
    errors: list[Exception] = []

    def read() -> None:
        while not stop.is_set():
            try:
                row = store.rows("SELECT count(*) AS n, count(DISTINCT id) AS ids FROM hands")[0]
                assert row["n"] == row["ids"]
                seen.append(row["n"])
            except Exception as e:  # reported by the main thread
                errors.append(e)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for t in threads:
        t.start()
    process = importer(store, 100, 40, pause=1)
    for i in range(4):
        one(store, f"n{i}")
    process.wait()
    time.sleep(0.2)
    stop.set()
    for t in threads:
        t.join()
    assert errors == []
    assert seen[0] == 1
    assert max(seen) == 45
    assert seen.index(max(seen)) > 5


def test_a_reader_sees_the_old_rows_until_the_new_ones_are_published(store: Store) -> None:
    one(store, "first")
    slow = importer(store, 0, 9, pause=2)
    assert slow.stdout is not None
    assert slow.stdout.readline() == "inside\n"
    assert store.count() == 1
    slow.wait()
    assert store.count() == 10


def test_store_of_a_newer_version_is_refused_and_untouched(store: Store) -> None:
    one(store, "h")
    con = duckdb.connect(str(store.file()))
    con.execute("UPDATE store_info SET value = '99' WHERE key = 'schema_version'")
    con.close()
    published = store.file().read_bytes()
    with pytest.raises(StoreError, match=r"newer version of this program \(schema 99"):
        Store(store.path).count()
    with pytest.raises(StoreError, match="newer version of this program"):
        one(store, "x")
    assert store.file().read_bytes() == published
    assert "hands-000002.duckdb" not in files(store)


def test_places_that_are_no_store(tmp_path: Path) -> None:
    other = tmp_path / "photos"
    other.mkdir()
    (other / "cat.jpg").write_bytes(b"cat")
    with pytest.raises(StoreError, match="other files in it and no store"):
        one(Store(other), "h")
    assert [f.name for f in other.iterdir()] == ["cat.jpg"]
    with pytest.raises(StoreError, match="is a file; a store is a folder"):
        one(Store(other / "cat.jpg"), "h")
    with pytest.raises(StoreError, match="there is no store at"):
        Store(tmp_path / "none").count()
    assert not (tmp_path / "none").exists()


def test_damaged_pointer_is_told_and_nothing_deleted(store: Store) -> None:
    one(store, "h")
    pointer = store.path / generations.POINTER
    held = pointer.read_text()
    pointer.unlink()
    with pytest.raises(StoreError, match=r"pointer .* is gone; .* write hands-000001\.duckdb"):
        one(store, "x")
    pointer.write_text("../elsewhere.duckdb\n")
    with pytest.raises(StoreError, match="expected the name of a file such as"):
        one(store, "x")
    pointer.write_text(held)
    assert store.count() == 1


def test_file_that_is_no_store_of_hands(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    duckdb.connect(str(folder / "hands-000001.duckdb")).close()
    (folder / "CURRENT").write_text("hands-000001.duckdb\n")
    with pytest.raises(StoreError, match="not a store of hands"):
        Store(folder).count()
    (folder / "hands-000001.duckdb").write_bytes(b"not a database at all")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(folder).count()


def test_failed_write_leaves_the_store_as_it_was(store: Store) -> None:
    one(store, "h")
    published = store.file().read_bytes()
    with pytest.raises(StoreError, match="could not be written"), store.writing() as con:
        con.execute("INSERT INTO hand_row (hand_id) VALUES (1)")
    assert store.file().read_bytes() == published
    assert files(store) == ["CURRENT", "hands-000000.duckdb", "hands-000001.duckdb", "import.lock"]


def test_vacuum_keeps_every_row(store: Store) -> None:
    import_paths(store, [CONFORMANCE / "legal-heerlen.phl"])
    from pandoeren_replay.maintenance import vacuum

    tables = ["hand", "violation", "rule_set", "card_value", "import_run", "source", "store_info"]
    before = {t: store.rows(f"SELECT * FROM {t} ORDER BY ALL") for t in tables}
    vacuum(store)
    assert store.generation() == 2
    assert {t: store.rows(f"SELECT * FROM {t} ORDER BY ALL") for t in tables} == before


def test_older_store_is_brought_up_to_date_and_keeps_every_row(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pandoeren_replay.store import schema

    import_paths(store, [CONFORMANCE / "legal-heerlen.phl"])
    before = store.rows("SELECT * FROM hand_row ORDER BY hand_id")
    monkeypatch.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 1)
    step = "ALTER TABLE hand_row ADD COLUMN weather VARCHAR DEFAULT 'fair'"
    monkeypatch.setitem(schema.MIGRATIONS, schema.SCHEMA_VERSION - 1, step)
    opened = Store(store.path.rename(store.path.with_name("moved")))
    after = opened.rows("SELECT * FROM hand_row ORDER BY hand_id")
    assert after == [row | {"weather": "fair"} for row in before]
    assert opened.generation() == 2
    assert opened.rows("SELECT value FROM store_info") == [{"value": str(schema.SCHEMA_VERSION)}]
    assert opened.count() == len(before)
    assert opened.generation() == 2
