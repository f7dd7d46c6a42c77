"""The bulk road into the store gives exactly what the general road gives."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.record import Result
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.store import bulk, bulk_source
from pandoeren_replay.store.store import Store
from parsers.base import Options, Source
from parsers.phl import write_phl
from tests.engine.dealing import random_record, spoil, with_result
from tests.parsers.test_phl_bytes import some_records

CASES = Path(__file__).parent.parent / "conformance"
NEVER = 1 << 60


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many row groups of few hands, and no file too small."""
    monkeypatch.setattr(bulk, "ROW_GROUP", 100)
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1)


def by(road: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1 if road == "bulk" else NEVER)


def tables(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in a store but the time of the import."""
    out = {}
    for name, order in (
        ("hand", "hand_id"), ("violation", "hand_id, seq"), ("reject", "line, col"),
        ("import_warning", "line, message"), ("disagreement", "hand_id, line"),
        ("source", "source_id"), ("rule_set", "rules"), ("card_value", "rules, trump, card"),
        ("import_run", "import_id"),
    ):  # fmt: skip
        rows = store.rows(f"SELECT * FROM {name} ORDER BY {order}")
        for row in rows:
            row.pop("imported_at", None)
            row.pop("reject_id", None)
        out[name] = [tuple(row.items()) for row in rows]
    return out


def both_roads(
    tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch, options: Options | None = None
) -> tuple[ImportTotals, Store]:
    file = tmp_path / "evening.phl"
    file.write_bytes(data)
    found = []
    for road in ("bulk", "general"):
        by(road, monkeypatch)
        store = Store(tmp_path / road)
        totals = import_paths(store, [file], options)
        assert totals.adds_up
        totals.rejects.sort(key=lambda r: (r.line, r.column))
        totals.warnings.sort(key=lambda w: (w.line, w.message))
        totals.disagreements.sort(key=lambda d: (d.hand_id, d.line))
        found.append((totals, tables(store), store))
    (mine, rows, store), (theirs, wanted, _) = found
    for name in wanted:
        assert len(rows[name]) == len(wanted[name]), name
        for a, b in zip(rows[name], wanted[name], strict=True):
            assert a == b, name
    assert mine == theirs
    return mine, store


def test_conformance_hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(p.read_bytes() for p in sorted(CASES.glob("*.phl")))
    totals, store = both_roads(tmp_path, data, monkeypatch)
    assert totals.stored > 800
    assert totals.rejected >= 12
    text = data.decode().splitlines()
    for row in store.rows("SELECT hand_id, line FROM hand WHERE hand_id % 7 = 0"):
        assert store.text(row["hand_id"]) == text[row["line"] - 1]


def test_hands_of_all_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META of all kinds, offences, losses, the same hand again with another result."""
    rng = random.Random(8)
    records = some_records(20, 250)
    records += [replace(r, meta=(("src", "simulated"),)) for r in records[:20]]
    again = [replace(r, result=replace(r.result, points=(70, 70))) for r in records[::5]]
    lines = [write_phl(spoil(rng, r) if rng.random() < 0.1 else r) for r in records + again]
    lines += ["heerlen N . 120,-,-,- . . . made ."] * 3 + ["# a comment", "", "nonsense"]
    lines += ["heerlen N . . . . . . id=empty", "fiches W . =S? . . . . ."]
    rng.shuffle(lines)
    totals, store = both_roads(tmp_path, "".join(f"{x}\n" for x in lines).encode(), monkeypatch)
    kept = in_tables(store)
    assert kept["hand_told"] > 10
    assert kept["hand_row"] > 10
    assert totals.duplicate
    assert totals.disagreements
    assert totals.simulated


def in_tables(store: Store) -> dict[str, int]:
    names = ("hand_packed", "hand_told", "hand_row")
    return {t: store.rows(f"SELECT count(*) AS n FROM {t}")[0]["n"] for t in names}


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_hands_as_the_simulator_writes_them(
    rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed, and the same columns come out of it."""
    rng = random.Random(rules)
    rule_set = load_ruleset(rules)
    lines = []
    for k in range(150):
        record = random_record(rng, rule_set)
        o = replay(record, rule_set).outcome
        outcome = "void" if o.passed_out else "made" if o.made else "lost"
        figures = {"points": o.points, "score": o.score, "tricks": o.tricks}
        result = Result(outcome, **({} if o.passed_out else figures))
        meta = (("id", f"sim-{k}"), ("src", "simulated"))[: rng.randrange(3)]
        named = rng.choice((rules, f"{rules}@{rule_set.content_hash}"))
        line = write_phl(replace(record, rules=rules, result=result, meta=meta))
        lines.append(line.replace(rules, named, 1))
    data = "".join(f"{x}\n" for x in lines).encode()
    totals, store = both_roads(tmp_path, data, monkeypatch)
    assert in_tables(store)["hand_packed"] > 40
    assert store.rows("SELECT count(*) AS n FROM hand_packed WHERE p0 = 0")[0]["n"] == sum(
        "void" in x for x in lines
    )
    assert [store.text(i) for i in range(1, totals.stored + 1)] == lines


def test_other_rules_and_a_cut_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [write_phl(replace(r, rules="club")) for r in some_records(30, 40)]
    data = "\r\n".join(lines).encode()
    totals, _ = both_roads(tmp_path, data, monkeypatch, Options(rules="limburg"))
    assert totals.warnings


def test_file_that_is_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found only far into the file: the general road reads it from the start."""
    lines = [write_phl(r) for r in some_records(40, 200)]
    data = "".join(f"{x}\n" for x in lines).encode() * 3
    assert len(data) > bulk_source._HEAD
    data += b"heerlen N . 120,-,-,- . . . made n=Ren\xe9\n"
    totals, _ = both_roads(tmp_path, data, monkeypatch)
    assert totals.warnings


def test_import_again_and_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by("bulk", monkeypatch)
    lines = [write_phl(r) + "\n" for r in some_records(50, 120)]
    first, second = tmp_path / "a.phl", tmp_path / "b.phl"
    first.write_text("".join(lines[:90]), "utf-8")
    second.write_text("".join(lines[60:]), "utf-8")
    store = Store(tmp_path / "club")
    one = import_paths(store, [first])
    generation = store.generation()
    again = import_paths(store, [first])
    assert (again.stored, again.duplicate) == (0, one.read)
    assert store.generation() == generation
    both = import_paths(
        store, [second, Source("upload.phl", first.read_bytes()), CASES / "README.md"]
    )
    assert both.adds_up
    assert both.stored == 30
    assert store.count() == 120


def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by("bulk", monkeypatch)
    rng = random.Random(1)
    rules = load_ruleset("heerlen")
    lines = [write_phl(with_result(random_record(rng, rules), rules)) + "\n" for _ in range(250)]
    file = tmp_path / "a.phl"
    file.write_text("".join(lines[:100]), "utf-8")
    store = Store(tmp_path / "club")
    import_paths(store, [file])
    before = tables(store)
    file.write_text("".join(lines), "utf-8")

    def stop(what: str, done: int, total: int) -> None:
        if what == "import" and done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_paths(store, [file], progress=stop)
    assert tables(store) == before
    assert import_paths(store, [file]).stored == 150


def test_defect_is_left_to_the_general_road(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    by("bulk", monkeypatch)

    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(bulk, "packed_table", broken)
    file = tmp_path / "a.phl"
    file.write_text("".join(write_phl(r) + "\n" for r in some_records(60, 20)), "utf-8")
    assert import_paths(Store(tmp_path / "club"), [file]).stored == 20
    assert "bulk import failed" in caplog.text
