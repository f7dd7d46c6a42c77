"""What can go wrong around a store: kills, two at once, full and read-only disks, hostile files."""

import gzip
import io
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.maintenance import undo_import, vacuum, verify
from pandoeren_replay.store import Store, StoreError, losses, schema
from pandoeren_replay.store.sums import BY_NAME
from parsers.base import Source

from .conftest import CONFORMANCE
from .test_merging import evening, sheet, text

Put = Callable[..., ImportTotals]
HAND = (CONFORMANCE / "sample.phl").read_text().splitlines()[2]

WORKER = """
    import random, sys
    from pathlib import Path
    from pandoeren_replay.importer import import_paths
    from pandoeren_replay.maintenance import merge_players, split_players, undo_import, vacuum
    from pandoeren_replay.reparse import reparse_hands
    from pandoeren_replay.store import Store, StoreError

    root, rng = Path(sys.argv[1]), random.Random(sys.argv[2])
    store, logs = Store(root / "db"), sorted(root.glob("*.*"))
    print("ready", flush=True)
    while True:
        kind = rng.random()
        try:
            if kind < 0.5:
                assert import_paths(store, [rng.choice(logs)]).adds_up
            elif kind < 0.75:
                runs = [r["import_id"] for r in store.rows("SELECT import_id FROM imports")]
                if runs:
                    undo_import(store, rng.choice(runs))
            elif kind < 0.82:
                merge_players(store, "Anna", ["An"])
            elif kind < 0.89:
                split_players(store, ["An"])
            elif kind < 0.95:
                reparse_hands(store)
            else:
                vacuum(store)
            print("done", flush=True)
        except StoreError as e:
            print(e, flush=True)
"""
EXPECTED = ("no hand in", "is not merged", "there is no import", "there is no store")


def whole(store: Store) -> None:
    """Every table agrees with every other one, and with a replay of every hand."""
    assert verify(store)[1] == []
    for query in (
        "SELECT * FROM hand_other WHERE merged_into NOT IN (SELECT hand_id FROM hand)",
        "SELECT hand_id FROM (SELECT hand_id FROM hand UNION ALL SELECT hand_id FROM hand_other) "
        "GROUP BY 1 HAVING count(*) > 1",
        "SELECT hash FROM hand GROUP BY 1 HAVING count(*) > 1",
        *(
            f"SELECT * FROM {t} WHERE source_id NOT IN (SELECT source_id FROM source)"
            for t in ("hand", "hand_other", "hand_source")
        ),
        *(
            f"SELECT * FROM {t} WHERE hand_id NOT IN "
            "(SELECT hand_id FROM hand UNION ALL SELECT hand_id FROM hand_other)"
            for t in ("violation", "disagreement", "hand_source")
        ),
        "SELECT * FROM source WHERE import_id NOT IN (SELECT import_id FROM import_run)",
    ):
        assert store.rows(query) == [], query


def test_kills_at_any_moment_leave_a_whole_store(tmp_path: Path) -> None:
    """Two processes import, undo, merge and split; both are killed; again and again."""
    rng = random.Random(4)
    for k in range(3):
        hands = evening(3, seed=k, date=f"2026-11-0{k + 1}")
        (tmp_path / f"a{k}.phl").write_text(text(hands))
        (tmp_path / f"b{k}.csv").write_text(sheet(hands, k % 3))
        (tmp_path / f"c{k}.phl").write_text(text(hands).replace("Anna", "An"))
    store = Store(tmp_path / "db")
    done = 0
    for _ in range(4):
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(WORKER), str(tmp_path), str(rng.random())],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            )
            for _ in range(2)
        ]  # fmt: skip
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        time.sleep(0.5 + rng.random() * 3)
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
        for worker in workers:
            out = worker.communicate()[0].splitlines()
            done += out.count("done")
            odd = [x for x in out if x != "done" and not any(e in x for e in EXPECTED)]
            assert odd == []
        if store.exists():
            whole(store)
    assert done > 0
    import_paths(store, [tmp_path / "a0.phl"])
    assert not [f for f in store.path.iterdir() if f.name.startswith("build-")]
    whole(store)


def test_a_full_disk_leaves_the_store_as_it_was(put: Put, store: Store) -> None:
    """The system refuses to write more than a few bytes more than the store has."""
    put(HAND + "\n")
    before = {f.name: f.read_bytes() for f in store.path.iterdir()}
    script = """
        import resource, signal, sys
        from pandoeren_replay.cli import main
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
        main()
    """
    size = max(map(len, before.values()))
    for limit in (0, 4096, size // 2, size):
        for command in (
            ["import", str(CONFORMANCE / "legal-heerlen.phl")],
            ["undo-import", "1"],
            ["export", "--to", "csv", "-o", str(store.path.with_name("out.csv"))],
        ):
            if limit > {"import": size, "undo-import": 4096, "export": 0}[command[0]]:
                continue  # that is enough for it
            ran = subprocess.run(
                [
                    sys.executable, "-c", textwrap.dedent(script), str(limit), *command,
                    "--db", str(store.path),
                ],
                capture_output=True, text=True, check=False,
                env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            )  # fmt: skip
            last = ran.stderr.strip().splitlines()[-1]
            assert ran.returncode == 1, (limit, command, ran.stdout, ran.stderr)
            assert last.startswith("error: "), last
            assert "should not have" not in last
            assert {f.name: f.read_bytes() for f in store.path.iterdir()} == before
            assert not store.path.with_name("out.csv").exists()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 0
    assert put(HAND.replace("-03", "-04") + "\n").stored == 1


def test_a_store_that_may_not_be_written_says_so(
    put: Put, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(HAND + "\n")
    real = Path.open

    def refuse(self: Path, mode: str = "r", *rest: object, **more: object) -> object:
        if self.parent == store.path and any(c in mode for c in "wa+"):
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, mode, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    changes: list[Callable[[], object]] = [
        lambda: put(HAND.replace("-03", "-77") + "\n"),
        lambda: undo_import(store, 1),
        lambda: vacuum(store),
    ]
    for change in changes:
        with pytest.raises(StoreError, match=r"cannot be written \(Permission denied\)"):
            change()
    # Reading and trying go on.
    again = import_paths(
        store, [Source("a.phl", HAND.replace("-03", "-77").encode())], dry_run=True
    )
    assert again.stored == 1
    assert store.count() == 1


def test_a_name_that_no_disk_takes_is_one_sentence(tmp_path: Path) -> None:
    long = tmp_path / ("a" * 300)
    totals = import_paths(Store(tmp_path / "db"), [long])
    assert [r.code for r in totals.rejects] == ["no-file"]
    with pytest.raises(StoreError, match="too long"):
        Store(long).count()
    with pytest.raises(StoreError, match="too long"):
        import_paths(Store(long), [Source("a.phl", HAND.encode())])


def test_file_names_that_are_no_text(store: Store, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "logs")
    os.mkdir(folder)
    for k, name in enumerate((b"a\xff\xfe.phl", b"b\x1b[31m\n.phl", "名前 ♠.phl".encode())):
        with open(folder + b"/" + name, "wb") as f:
            f.write(HAND.replace("-03", f"-{k}").encode() + b"\n")
    totals = import_paths(store, [tmp_path / "logs"])
    assert (totals.read, totals.stored) == (3, 3)
    for name in store.hands()["source"].to_list():
        assert name.isprintable()


def bomb(levels: int, size: int) -> bytes:
    data = b"\0" * size
    for _ in range(levels):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
            for k in range(4):
                z.writestr(f"{k}.zip", data)
        data = out.getvalue()
    return data


def test_bombs_are_refused_and_the_rest_is_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import parsers.archive as archive

    monkeypatch.setattr(archive, "MAX_TOTAL", 1 << 20)
    sources = [
        Source("deep.zip", bomb(5, 1000)),
        Source("wide.zip", bomb(1, 1 << 20)),
        Source("bomb.gz", gzip.compress(b"x" * (4 << 20))),
        Source("good.phl.gz", gzip.compress(HAND.encode() + b"\n")),
    ]
    totals = import_paths(store, sources)
    assert totals.adds_up
    assert totals.stored == 1
    assert {r.source.split("!")[0] for r in totals.rejects} == {"deep.zip", "wide.zip", "bomb.gz"}


def test_huge_fields_are_kept_or_refused_but_end(store: Store) -> None:
    name = "A" * 2_000_000
    lines = [
        HAND.replace("n=Anna", f"n={name}").replace("-03", "-name"),
        HAND.replace("-03", "-note") + ";text=h:c:" + "x" * 1_000_000,
        "heerlen N . " + ",".join(["-"] * 100_000) + " . . . . id=calls",
        "heerlen " * 200_000,
        HAND,
    ]
    totals = import_paths(store, [Source("huge.phl", "\n".join(lines).encode() + b"\n")])
    assert totals.adds_up
    assert totals.read == 5
    assert totals.rejected >= 1
    assert store.count("id=sample-03") == 1
    assert verify(store)[1] == []


@pytest.mark.parametrize("name", ["%", "_", "a%b", "'; DROP TABLE hand; --", "x:1", "{}"])
def test_odd_names_of_sources_find_their_hands(put: Put, store: Store, name: str) -> None:
    put(HAND + "\n", name=name)
    put(HAND.replace("-03", "-04") + "\n", name="axb")
    assert store.find(f"{name}:1") == 1


# From version n + 1 back to n: what the older program's store did not have.
OLDER = {
    12: ["DROP TABLE card_loss", *(f"ALTER TABLE {t} DROP COLUMN import_id" for t in BY_NAME)],
    11: ["DROP TABLE contract_score"],
    10: [f"DROP TABLE IF EXISTS {t}" for t in losses.TABLES],
    9: ["DROP TABLE part", "DROP TABLE part_gone"],
    8: [f"DROP TABLE {t}" for t in ("sum_state", *BY_NAME)],
    7: [],
    6: ["DROP VIEW hand", "DROP TABLE hand_packed", "DROP TABLE hand_told", "DROP TABLE hand_kind",
        "ALTER TABLE hand_row RENAME TO hand"],
    5: ["DROP TABLE review"],
    4: ["DROP TABLE declaration_value"],
    3: ["DROP TABLE hand_version"],
    2: ["DROP TABLE player_merge"],
    1: ["DROP TABLE hand_source", "DROP TABLE hand_other",
        "ALTER TABLE disagreement DROP COLUMN other_id"],
}  # fmt: skip


@pytest.mark.parametrize("version", range(1, schema.SCHEMA_VERSION))
def test_a_store_of_every_older_version_is_brought_up_to_date(
    version: int, put: Put, store: Store
) -> None:
    assert set(OLDER) == set(range(1, schema.SCHEMA_VERSION))
    put((CONFORMANCE / "sample.phl").read_text())
    rows = store.rows("SELECT * FROM hand ORDER BY hand_id")
    violations = store.rows("SELECT * FROM violations ORDER BY hand_id, seq")
    older = shutil.copytree(store.path, store.path.with_name("older"))
    file = older / store.file().name
    with duckdb.connect(str(file)) as con:
        con.execute("INSERT INTO player_alias VALUES ('Bas', 'Anna')")
        con.execute("INSERT INTO player_merge VALUES ('Bas', 'Anna')")
        # A newer program's views know tables that the older one does not have.
        views = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        for (view,) in views:
            if view != "hand":
                con.execute(f"DROP VIEW {view}")
        for step in range(schema.SCHEMA_VERSION - 1, version - 1, -1):
            for sql in OLDER[step]:
                con.execute(sql)
        con.execute("UPDATE store_info SET value = ? WHERE key = 'schema_version'", [str(version)])
    opened = Store(older)
    assert opened.rows("SELECT * FROM hand ORDER BY hand_id") == rows
    assert opened.rows("SELECT * FROM violations ORDER BY hand_id, seq") == violations
    assert opened.file().name != file.name
    found = opened.rows("SELECT value FROM store_info WHERE key = 'schema_version'")
    assert found == [{"value": str(schema.SCHEMA_VERSION)}]
    for view in ("reviews", "evaluations", "declaration_evaluations", "versions", "hand_sources"):
        assert opened.rows(f"SELECT count(*) AS n FROM {view}")[0]["n"] >= 0, view
    assert opened.count("player=Bas") == 0
    from pandoeren_replay.maintenance import split_players
    from pandoeren_replay.reviewed import review_all

    split_players(opened, ["Bas"])
    assert opened.count("player=Bas") > 0
    review_all(opened, "number=2", deals=2)
    assert opened.rows("SELECT count(*) AS n FROM review")[0]["n"] > 0
    vacuum(opened)
    whole(opened)
    assert opened.rows("SELECT * FROM hand ORDER BY hand_id") == rows
