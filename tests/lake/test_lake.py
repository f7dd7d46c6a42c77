"""A lake holds what a store holds of the same files, in parts that any reader of Parquet reads."""

import json
import os
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

from pandoeren_replay import lake_import, lake_merge
from pandoeren_replay.importer import import_paths
from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_import import cut_lines, import_lake
from pandoeren_replay.statistics.queries import can_split
from pandoeren_replay.stats import STATISTICS, measure, statistics
from pandoeren_replay.store import Store, StoreError, losses
from parsers.base import Options, Source
from tests.lake.conftest import CASES, content, hands_file

COUNTS = "read stored duplicate rejected empty with_errors simulated".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, Store]:
    """The same files as a lake and as a store."""
    place = tmp_path_factory.mktemp("pair")
    files = [*sorted(CASES.glob("*.phl")), CASES / "sample.phn"]
    lake, store = Lake(place / "lake"), Store(place / "store")
    mine = import_lake(lake, files, part_rows=150)
    theirs = import_paths(store, files)
    assert mine.adds_up
    assert mine.read == theirs.read
    return lake, store


def test_same_hands_as_a_store(tmp_path: Path) -> None:
    file = hands_file(tmp_path / "mixed.phl", 700)
    file.write_text(file.read_text() + "heerlen X . . . . . . .\n\n# no hand\nheerlen N", "utf-8")
    lake, store = Lake(tmp_path / "lake"), Store(tmp_path / "store")
    mine = import_lake(lake, [file], part_rows=100)
    theirs = import_paths(store, [file])
    assert len(lake.files("import-*/hands-*.parquet")) > 5
    assert {n: getattr(mine, n) for n in COUNTS} == {n: getattr(theirs, n) for n in COUNTS}
    assert mine.rejects == theirs.rejects
    assert sorted(mine.warnings, key=str) == sorted(theirs.warnings, key=str)
    assert [(d.line, d.other) for d in mine.disagreements] == [
        (d.line, d.other) for d in theirs.disagreements
    ]
    assert content(lake) == content(store)


def test_texts_come_back(pair: tuple[Lake, Store]) -> None:
    lake, store = pair
    for row in store.rows("SELECT hash, hand_id FROM hands ORDER BY hash LIMIT 40 OFFSET 300"):
        assert lake.text(row["hash"]) == store.text(row["hand_id"])
        assert lake.record(row["hash"]) == store.record(row["hand_id"])


def test_statistics_are_those_of_a_store(pair: tuple[Lake, Store]) -> None:
    lake, store = pair
    mine, theirs = (
        statistics(hands, ["contract"]).select("contract", "n", "made", "rate", "margin", "score")
        for hands in (lake, store)
    )
    assert_frame_equal(mine, theirs)
    names = [s.id for s in STATISTICS if s.topic != "analysis" and can_split(s, ["rules"])]
    assert len(names) > 10
    mine, theirs = (
        measure(hands, names, ["rules"]).select("rules", "statistic", "n", "hits", "value", "where")
        for hands in (lake, store)
    )
    assert_frame_equal(mine, theirs)
    for view in ("plays", "calls", "tricks", "melds", "seats"):
        query = (
            f"SELECT h.hash, v.* EXCLUDE (hand_id) FROM {view} v JOIN hands h USING (hand_id) "
            "ORDER BY ALL"
        )
        assert lake.rows(query) == store.rows(query)


def test_parts_are_plain(pair: tuple[Lake, Store]) -> None:
    lake, store = pair
    parts = lake.files("import-*/hands-*.parquet")
    plain = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.bool_(), pa.string(), pa.date32())
    for part in parts:
        assert all(field.type in plain for field in pq.read_schema(part)), part
    frame = pl.scan_parquet(str(lake.path / "import-*/hands-*.parquet")).collect()
    assert frame.height == store.count()
    shown = set(store.sql("SELECT * FROM hands LIMIT 0").columns)
    assert shown <= set(frame.columns)
    made = "SELECT contract, count(*), count(*) FILTER (made) FROM {} GROUP BY ALL ORDER BY ALL"
    there = f"read_parquet('{lake.path}/import-*/hands-*.parquet')"
    assert duckdb.sql(made.format(there)).fetchall() == [
        tuple(r.values()) for r in store.rows(made.format("hands"))
    ]


def test_again_adds_nothing_and_more_adds_more(tmp_path: Path) -> None:
    first, more = hands_file(tmp_path / "a.phl", 200), hands_file(tmp_path / "b.phl", 300, seed=2)
    lake = Lake(tmp_path / "lake")
    one = import_lake(lake, [first], part_rows=64)
    again = import_lake(lake, [first], part_rows=50)
    assert (again.stored, again.duplicate, again.import_id) == (0, one.stored + one.duplicate, None)
    two = import_lake(lake, [more, first], part_rows=64)
    assert two.adds_up
    assert lake.count() == one.stored + two.stored
    assert lake.rows("SELECT count(DISTINCT hand_id) AS n FROM hands")[0]["n"] == lake.count()
    numbers = [i["import_id"] for i in lake.rows("SELECT import_id FROM imports ORDER BY 1")]
    assert numbers == [1, 2]
    store = Store(tmp_path / "store")
    import_paths(store, [first])
    import_paths(store, [more, first])
    assert content(lake)["hand"] == content(store)["hand"]


def test_hands_that_say_too_little_are_counted_over_all_parts(tmp_path: Path) -> None:
    file = tmp_path / "sheet.phl"
    file.write_text(
        "heerlen N . =S130 . . . made n=A;s=B\n" * 25 + "heerlen N . =S140 . . . lost .\n"
    )
    lake = Lake(tmp_path / "lake")
    totals = import_lake(lake, [file], part_rows=10)
    assert (totals.read, totals.stored) == (26, 26)
    assert import_lake(lake, [file], part_rows=7).duplicate == 26
    store = Store(tmp_path / "store")
    import_paths(store, [file])
    assert content(lake) == content(store)


def test_another_result_is_told_and_the_first_kept(tmp_path: Path) -> None:
    line = next(x for x in (CASES / "legal-heerlen.phl").read_text().splitlines() if " made" in x)
    other = " ".join([*line.split(" ")[:7], "lost", line.split(" ")[8]])
    lake = Lake(tmp_path / "lake")
    import_lake(lake, [Source("a.phl", f"{line}\n".encode())])
    for _ in range(2):
        totals = import_lake(lake, [Source("b.phl", f"{other}\n".encode())])
        assert totals.duplicate == 1
    told = lake.rows("SELECT source, kept, other FROM disagreements")
    assert [(r["source"], r["other"]) for r in told] == [("b.phl", "lost")]
    both = Source("c.phl", f"{line}\n{other}\n".encode())
    again = import_lake(lake, [both])
    assert (again.duplicate, again.disagreements, again.import_id) == (2, [], None)
    assert lake.rows("SELECT recorded FROM hands")[0]["recorded"] == "made"
    assert not lake.rows("SELECT 1 AS x FROM violations WHERE code = 'result-mismatch'")


def test_rules_of_ones_own_are_kept(tmp_path: Path) -> None:
    rules = tmp_path / "club.toml"
    rules.write_text('base = "heerlen"\nid = "club"\n[name]\nen = "Club"\nnl = "Club"\n')
    lake = Lake(tmp_path / "lake")
    import_lake(lake, [CASES / "legal-heerlen.phl"], Options(rules=str(rules)), part_rows=80)
    assert {r["rules"] for r in lake.rows("SELECT rules FROM hands")} == {"club"}
    assert lake.rule_set("club").id == "club"


def test_an_interrupted_import_leaves_nothing_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = hands_file(tmp_path / "a.phl", 300)
    lake = Lake(tmp_path / "lake")

    def stop(what: str, done: int, total: int) -> None:
        if what == "import" and done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_lake(lake, [file], part_rows=50, progress=stop)
    assert not lake.exists()
    (staging,) = lake.path.glob("staging-*")
    made = {f: f.stat().st_mtime_ns for f in staging.glob("hands-*.parquet")}
    assert made
    rewritten = []
    monkeypatch.setattr(
        lake_import, "drop_doubles",
        lambda lake, staging: (
            rewritten.extend(f.stat().st_mtime_ns == made.get(f) for f in made if f.exists()),
            lake_merge.drop_doubles(lake, staging),
        )[1],
    )  # fmt: skip
    totals = import_lake(lake, [file], part_rows=50)
    assert rewritten
    assert all(rewritten)
    store = Store(tmp_path / "store")
    assert totals.stored == import_paths(store, [file]).stored
    assert content(lake) == content(store)
    assert not list(lake.path.glob("staging-*"))


def test_stopped_while_dropping_doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, both = hands_file(tmp_path / "a.phl", 150), tmp_path / "both.phl"
    more = hands_file(tmp_path / "b.phl", 150, seed=3)
    both.write_text(first.read_text() + more.read_text(), "utf-8")
    lake = Lake(tmp_path / "lake")
    import_lake(lake, [first], part_rows=40)
    rewrite = lake_merge._rewrite
    calls = []

    def once(*args: object) -> None:
        calls.append(args)
        if len(calls) > 2:
            raise OSError("no space left")
        rewrite(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(lake_merge, "_rewrite", once)
    with pytest.raises(OSError, match="no space"):
        import_lake(lake, [both], part_rows=40)
    monkeypatch.setattr(lake_merge, "_rewrite", rewrite)
    totals = import_lake(lake, [both], part_rows=40)
    assert totals.adds_up
    store = Store(tmp_path / "store")
    import_paths(store, [first])
    assert totals.stored == import_paths(store, [both]).stored
    assert content(lake)["hand"] == content(store)["hand"]


def test_a_file_that_is_not_utf8_is_read_after_all(tmp_path: Path) -> None:
    file = hands_file(tmp_path / "a.phl", 200)
    data = file.read_bytes() + b"heerlen N . -,-,-,- . . . void n=Ren\xe9\n"
    file.write_bytes(data)
    lake, store = Lake(tmp_path / "lake"), Store(tmp_path / "store")
    mine, theirs = import_lake(lake, [file], part_rows=60), import_paths(store, [file])
    assert (mine.read, mine.stored) == (theirs.read, theirs.stored)
    assert content(lake) == content(store)


def test_pieces_are_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "x.phl"
    lines = [b"a" * n + (b"\r\n" if n % 3 else b"\n") for n in range(25)]
    file.write_bytes(b"".join(lines) + b"end")
    data = file.read_bytes()
    pieces = list(cut_lines(file, 7))
    assert b"".join(data[s : s + n] for s, n, _ in pieces) == data
    assert [before for *_, before in pieces] == [0, 7, 14, 21]
    assert all(data[s : s + n].endswith(b"\n") for s, n, _ in pieces[:-1])


def test_places_that_are_no_lake(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no lake"):
        Lake(tmp_path / "none").count()
    other = tmp_path / "photos"
    other.mkdir()
    (other / "a.jpg").write_bytes(b"x")
    with pytest.raises(StoreError, match="other files in it and no lake"):
        import_lake(Lake(other), [CASES / "sample.phl"])
    store = Store(tmp_path / "store")
    import_paths(store, [CASES / "sample.phl"])
    with pytest.raises(StoreError, match="is a store"):
        import_lake(Lake(store.path), [CASES / "sample.phl"])
    with pytest.raises(StoreError, match="cannot be changed in place"):
        Lake(tmp_path / "x").writing()
    with pytest.raises(StoreError, match="copy that folder"):
        import_lake(Lake("s3://club/lake"), [CASES / "sample.phl"])


def test_a_path_that_holds_nothing_leaves_no_lake(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    totals = import_lake(lake, [tmp_path / "nowhere.phl"])
    assert totals.read == totals.rejected == 1
    assert not lake.exists()
    assert os.listdir(lake.path) == ["import.lock"]


def test_values_of_cards(tmp_path: Path) -> None:
    from pandoeren_replay.analyze import analyze
    from pandoeren_replay.lake_analyze import analyze_lake
    from pandoeren_replay.lake_losses import pack

    files = [CASES / "sample.phl"]
    lake, store = Lake(tmp_path / "lake"), Store(tmp_path / "store")
    import_lake(lake, files)
    import_paths(store, files)
    mine, theirs = analyze_lake(lake, slice_hands=2), analyze(store)
    assert (mine.done, mine.cards, mine.left_out) == (theirs.done, theirs.cards, theirs.left_out)
    assert mine.done > 0
    query = (
        "SELECT h.hash, v.* EXCLUDE (hand_id) FROM evaluations v JOIN hands h USING (hand_id) "
        "ORDER BY ALL"
    )
    assert lake.rows(query) == store.rows(query)
    for s in STATISTICS:
        if s.topic == "analysis":
            for by in ([s.by], ["role", "trick"] if can_split(s, ["role", "trick"]) else ["rules"]):
                own = measure(lake, [s.id], by)
                assert_frame_equal(own, measure(store, [s.id], by), check_row_order=False)
    # What cards cost is in files beside the values. Without one of them every value is looked at,
    # which comes to the same, and the next analysis writes it again.
    files = {k: lake.files(f"{k}-*/*.parquet") for k in ("evaluations", "losses", "worths")}
    names = [[Path(f).name for f in found] for found in files.values()]
    assert names[0] == names[1] == names[2] != []
    packed = {t: lake.rows(f"SELECT * FROM {t} ORDER BY ALL") for t in losses.TABLES}
    kept = Path(files["losses"][0]).read_bytes()
    Path(files["losses"][0]).unlink()
    for t in losses.TABLES:
        assert Lake(lake.path).rows(f"SELECT * FROM {t} ORDER BY ALL") == packed[t], t
    again = analyze_lake(lake)
    assert (again.done, again.known) == (0, mine.done)
    assert Path(files["losses"][0]).read_bytes() == kept
    # Of a hand that another solver valued as well, the newest one's counts: here nothing costs.
    newer = Path(files["evaluations"][0])
    newer = newer.parent.with_name("evaluations-9") / newer.name
    newer.parent.mkdir()
    frame = pl.read_parquet(files["evaluations"][0])
    hands = frame["hand_id"].unique().to_list()
    same = frame.with_columns(value=pl.col("best"), loss=pl.lit(0, pl.Int16), solver=pl.lit("9"))
    same.write_parquet(newer)
    pack(str(lake.path), str(newer))
    both = Lake(lake.path)
    marks = ", ".join(map(str, hands))
    of_them = f"FROM card_loss WHERE hand_id IN ({marks})"
    costs = both.rows(f"SELECT DISTINCT {', '.join(f'c{t}' for t in range(1, 9))} {of_them}")
    assert {cost for row in costs for cost in row.values()} <= {0, None}
    assert any(0 in row.values() for row in costs)
    rest = both.rows(f"SELECT * FROM card_loss WHERE hand_id NOT IN ({marks}) ORDER BY ALL")
    assert rest == [r for r in packed["card_loss"] if r["hand_id"] not in hands]
    for kind in files:
        shutil.rmtree(lake.path / f"{kind}-9")
    assert json.dumps(again.left_out) == json.dumps(mine.left_out)
    told = analyze_lake(lake, slice_hands=2, declaration=True)
    assert (told.done, told.cards) == (analyze(store, declaration=True).done, 0)
    assert lake.rows(query) == store.rows(query)
    query = query.replace("evaluations", "declaration_evaluations")
    assert len(lake.rows(query)) > 0
    assert lake.rows(query) == store.rows(query)
    assert analyze_lake(lake, declaration=True).done == 0
