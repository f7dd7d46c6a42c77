"""What is stored is read once more: nothing changes by itself, and what does is told."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from pandoeren_replay.commands.serving import demo_sources
from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.maintenance import undo_import, verify
from pandoeren_replay.reparse import Reread, joined, reparse_hands, reparse_rejects
from pandoeren_replay.store import Store
from parsers.base import Options, Source
from parsers.mapping import load_mapping, parse_mapping

from .conftest import CONFORMANCE

Put = Callable[..., ImportTotals]
HAND = (CONFORMANCE / "sample.phl").read_text().splitlines()[2]
SHEET = "datum;speler;bod;uitslag\n1-2-2026;Jan;120;gehaald\n3-2-2026;Piet;mis;nat\n"


def counted(r: Reread) -> tuple[int, int, int, int]:
    assert r.read == len(r.changed) + r.same + len(r.kept)
    return r.read, len(r.changed), r.same, len(r.kept)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Every sample log, each in the format that it came in."""
    store = Store(tmp_path_factory.mktemp("samples") / "store")
    for rules, sources in demo_sources():
        import_paths(
            store, [s for s in sources if not s.name.startswith("data/demo")], Options(rules=rules)
        )
    import_paths(store, [Source("blad.csv", SHEET.encode()), *sorted(CONFORMANCE.glob("*.phl"))])
    return store


def test_the_same_reader_reads_the_same_in_every_format(samples: Store) -> None:
    formats = {r["format"] for r in samples.rows("SELECT format FROM sources")}
    assert formats >= {"bga", "boardgame-io", "iss", "klaverlive", "table", "events", "scoresheet"}
    generation = samples.generation()
    done = reparse_hands(samples)
    assert done.changed == []
    assert done.kept == []
    assert (
        done.same
        == samples.rows("SELECT count(*) AS n FROM hand_sources WHERE kind <> 'copy'")[0]["n"]
    )
    assert samples.generation() == generation


def test_a_newer_reader_mends_what_an_older_one_read(put: Put, store: Store) -> None:
    bga = files("data") / "samples" / "bga" / "bga_archive_logs.json"
    import_paths(store, [Source("bga.json", bga.read_bytes())])
    good = store.rows("SELECT * FROM hand")
    with store.writing() as con:  # as an older reader might have had it
        con.execute("UPDATE hand_row SET trump = 2, declaration = 'D:?:?', points_side = 1")
    trial = reparse_hands(store, dry_run=True)
    assert counted(trial) == (1, 1, 0, 0)
    assert store.rows("SELECT trump FROM hands") == [{"trump": "D"}]
    done = reparse_hands(store)
    assert done == trial
    [change] = done.changed
    parts = {c: (old, new) for c, old, new in change.parts}
    assert parts["points_side"] == (1, good[0]["points_side"])
    now = store.rows("SELECT * FROM hand")
    for row in (now[0], good[0]):
        row.pop("hash")
    assert now == good
    assert verify(store) == (1, [])


def test_other_rules_are_taken_when_they_are_named(put: Put, store: Store) -> None:
    put(HAND + "\n" + HAND.replace("sample-03", "other") + "\n")
    assert reparse_hands(store).changed == []
    done = reparse_hands(store, Options(rules="butselaar"), where="id=other", dry_run=False)
    assert counted(done) == (1, 1, 0, 0)
    assert ("rules", "heerlen", "butselaar") in done.changed[0].parts
    assert store.hands()["rules"].to_list() == ["heerlen", "butselaar"]
    assert store.text(2) == HAND.replace("sample-03", "other")
    assert verify(store) == (2, [])
    # What has been changed so stays, until somebody says otherwise.
    assert reparse_hands(store).changed == []


def test_another_mapping_reads_a_sheet_otherwise(put: Put, store: Store, tmp_path: Path) -> None:
    put(SHEET.replace("gehaald", "made").replace("nat", "lost"), name="blad.csv")
    file = tmp_path / "map.toml"
    file.write_text('[results]\nmade = "lost"\nlost = "made"\n')
    options = Options(mapping=load_mapping(file))
    done = reparse_hands(store, options)
    assert counted(done) == (2, 2, 0, 0)
    assert store.hands()["recorded"].to_list() == ["lost", "made"]
    assert [c.hand_id for c in done.changed] == [1, 2]


def test_a_poorer_text_leaves_the_hand_as_it_was(put: Put, store: Store) -> None:
    put(HAND + "\n")
    with store.writing() as con:
        con.execute(
            "UPDATE hand_row SET raw = 'heerlen N . =S130 . . . made id=x', raw_format = 'phl'"
        )
    done = reparse_hands(store)
    assert counted(done) == (1, 0, 0, 1)
    assert "says less" in done.kept[0][1]
    with store.writing() as con:
        con.execute("UPDATE hand_row SET raw = 'nonsense'")
    assert "cannot be read again" in reparse_hands(store).kept[0][1]
    assert store.hands()["plays"].to_list() == [32]


def test_hands_that_have_become_the_same_are_one(put: Put, store: Store) -> None:
    put(HAND + "\n" + HAND.replace("sample-03", "x") + "\n")
    with store.writing() as con:
        con.execute(f"UPDATE hand_row SET raw = '{HAND}' WHERE hand_id = 2")
    assert counted(reparse_hands(store)) == (2, 1, 1, 0)
    assert store.count() == 1
    assert [r["kind"] for r in store.rows("SELECT kind FROM hand_sources ORDER BY record")] == [
        "shown", "same",
    ]  # fmt: skip
    undo_import(store, 1)
    assert store.count() == 0


def test_rejected_rows_of_a_table_are_read_under_their_head(put: Put, store: Store) -> None:
    bad = SHEET.replace("120", "honderd").replace("mis", "paard")
    assert put(bad + "4-2-2026;Kees;130;gehaald\n", name="blad.csv").rejected == 2
    options = Options(mapping=None)
    trial = reparse_rejects(store, options, dry_run=True)
    assert (trial.read, trial.rejected) == (2, 2)
    with store.writing() as con:
        con.execute(
            "UPDATE reject SET raw = replace(replace(raw, 'honderd', '120'), 'paard', 'mis')"
        )
    trial = reparse_rejects(store, options, dry_run=True)
    assert (trial.read, trial.stored) == (2, 2)
    assert store.count() == 1
    done = reparse_rejects(store, options)
    assert (done.read, done.stored) == (2, 2)
    assert store.rows("SELECT * FROM rejects") == []
    assert store.count() == 3


def test_what_cannot_be_read_again_either_is_kept_once(put: Put, store: Store) -> None:
    bad = SHEET.replace("120", "honderd").replace("mis", "paard")
    assert put(bad + "4-2-2026;Kees;130;gehaald\n", name="blad.csv").rejected == 2
    before = store.rows("SELECT source, line, raw FROM rejects ORDER BY line")
    with store.writing() as con:
        con.execute("UPDATE reject SET message = 'as an older version said it'")
    options = Options(mapping=parse_mapping('[calls]\nhonderd = "120"\n'))
    for stored in (1, 0, 0):
        totals = reparse_rejects(store, options)
        assert (totals.read, totals.stored, totals.rejected) == (1 + stored, stored, 1)
        left = store.rows("SELECT source, line, raw, message FROM rejects")
        assert [{k: r[k] for k in ("source", "line", "raw")} for r in left] == [
            r for r in before if "paard" in r["raw"]
        ]
        assert "'paard'" in left[0]["message"]
    assert store.count() == 2
    assert store.rows("SELECT stored FROM imports") == [{"stored": 1}, {"stored": 1}]
    assert verify(store)[1] == []


def test_files_are_put_together_again() -> None:
    assert joined(["a", "b\n"], "phl") == "a\nb\n"
    assert joined(["{}", "{}"], "bga") is None
    assert joined(["h\n1", "k\n2"], "table") is None
