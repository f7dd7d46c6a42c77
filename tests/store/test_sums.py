"""Sums that a large store keeps give the figures that its hands give, whatever happened to it."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pandoeren_replay.analyze import analyze
from pandoeren_replay.importer import import_paths
from pandoeren_replay.maintenance import merge_players, split_players, undo_import, vacuum
from pandoeren_replay.simulate import simulate_lines
from pandoeren_replay.statistics import partners, queries
from pandoeren_replay.stats import measure, pairs, statistics
from pandoeren_replay.store import Store, bulk, bulk_source, sums
from pandoeren_replay.store.schema import players_view
from parsers.base import Source
from tests.statistics.conftest import SEASON, club_text
from tests.store.test_merging import evening, sheet, text

BY: dict[str | None, tuple[str, ...]] = {
    None: ("contract", "level", "family", "player", "pair", "seat", "dealer", "trump", "month",
           "session", "source", "rules"),
    "rules=heerlen and simulated=no and cards=yes": ("contract", "pair", "month"),
    "contract=120,mis and made=yes": ("trump", "player"),
    "date>=2026-03": ("session", "month"),
    "declarer=Anna and level>=130": ("player", "contract"),
}  # fmt: skip
"""What figures are split by, for each filter."""
FEW: dict[str | None, tuple[str, ...]] = {None: ("contract", "pair", "month", "session", "player")}
"""Enough to read every table of sums, after one change of many."""
OF_PLAYERS = (
    "declares", "score_per_hand", "score_as_declarer", "score_as_partner", "score_as_defender",
    "beaten",
)  # fmt: skip


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums in every store, and every file of lines in columns."""
    monkeypatch.setattr(sums, "LARGE", 1)
    monkeypatch.setattr(bulk, "ROW_GROUP", 500)
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1)


def everything(
    store: Store, asked: dict[str | None, tuple[str, ...]] = BY
) -> dict[str, list[dict[str, Any]]]:
    """All figures that sums may answer, and some that they cannot."""
    out = {}
    for where, names in asked.items():
        for by in names:
            out[f"{by} {where}"] = statistics(store, [by], where).to_dicts()
        out[f"players {where}"] = measure(store, OF_PLAYERS, ["player"], where).to_dicts()
        out[f"pairs {where}"] = pairs(store, where).to_dicts()
        out[f"bids {where}"] = measure(store, ["contracts", "margins"], [], where).to_dicts()
    out["rules, contract"] = statistics(store, ["rules", "contract"]).to_dicts()
    return out


def check(
    store: Store,
    by: dict[str | None, tuple[str, ...]] = BY,
    asked: Callable[..., Any] = queries.sums_for,
) -> None:
    """The figures out of the sums are those out of the hands."""
    assert store.rows("SELECT kept FROM sum_state") == [{"kept": False}]
    answered = []

    def told(*args: Any) -> str | None:
        found = asked(*args)
        answered.append(found)
        return found

    with pytest.MonkeyPatch.context() as change:
        for module in (queries, partners):
            change.setattr(module, "sums_for", told)
        out_of_sums = everything(store, by)
        assert set(answered) - {None} == set(sums.BY_NAME)
        for module in (queries, partners):
            change.setattr(module, "sums_for", lambda *args: None)
        out_of_hands = everything(store, by)
    for name, rows in out_of_hands.items():
        assert out_of_sums[name] == rows, name
    assert out_of_hands["rules, contract"]
    direct = players_view().split(" AS\n", 1)[1]
    shown = "SELECT * FROM ({}) ORDER BY name"
    assert store.rows(shown.format("FROM players")) == store.rows(shown.format(direct))


def kept(con: Any) -> dict[str, list[tuple[Any, ...]]]:
    """What the sums of a store come to: groups of every table, wherever their rows are from."""
    out = {"state": con.execute("SELECT * FROM sum_state").fetchall()}
    for s in sums.SUMS:
        columns = sums.columns_of(s)
        ends = ("first_date", "last_date")
        measures = [c for c, kind in columns.items() if kind.startswith("BIGINT")]
        groups = [c for c in columns if c not in measures and c not in ends]
        found = ", ".join([*groups, *(f"sum({m})" for m in measures), "min(first_date)"])
        out[s.name] = con.execute(
            f"SELECT {found}, max(last_date) FROM {s.name} GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    return out


def check_sums(store: Store) -> None:
    """The sums that are kept are those that would be worked out anew from all hands."""
    assert store.rows("SELECT kept FROM sum_state") == [{"kept": False}]
    with store.trying() as con:
        found = kept(con)
        sums.rebuild(con)
        assert found == kept(con)
    assert any(found["sum_contract"])


def season(part: slice) -> str:
    return "\n".join(SEASON.read_text("utf-8").splitlines()[part]) + "\n"


def put(store: Store, name: str, text: str) -> int:
    found = import_paths(store, [Source(name, text.encode())]).import_id
    assert found is not None
    return found


def test_whatever_happens_to_a_store(tmp_path: Path) -> None:
    """Imports of every kind, the same again, undone, names merged, values, vacuum."""
    store = Store(tmp_path / "store")
    put(store, "a.phl", season(slice(0, 900)))
    put(store, "simulated.phl", simulated(1200))
    second = put(store, "b.phl", season(slice(600, 1500)) + club_text())
    # All three added to the sums: a fault of the first would still be in them.
    check(store, FEW)
    # The same once more, and a sheet that tells hands of an evening in its own words.
    assert import_paths(store, [Source("b.phl", season(slice(600, 1500)).encode())]).stored == 0
    hands = evening()
    put(store, "server.phl", text(hands))
    check_sums(store)
    put(store, "sheet.csv", sheet(hands))
    assert store.rows("SELECT count(*) AS n FROM hand_other WHERE rule <> 'same'")[0]["n"] == 8
    check_sums(store)
    names = [r["name"] for r in store.rows("SELECT name FROM players ORDER BY hands DESC, name")]
    merge_players(store, names[0], [names[1]])
    analyze(store, "number=1")
    check_sums(store)
    undo_import(store, second)
    check_sums(store)
    split_players(store, [names[1]])
    put(store, "b.phl", season(slice(600, 1500)))
    check_sums(store)
    vacuum(store)
    check(store)


def test_more_sessions_than_blocks(tmp_path: Path) -> None:
    """From 201 sessions on they are dealt into blocks: those before are worked out anew."""
    store = Store(tmp_path / "store")
    lines = season(slice(0, 1300)).splitlines()
    random.Random(3).shuffle(lines)
    evenings = [
        " ".join((*x.split(" ")[:8], f"id=x{i};n=A{i % 7};e=B;s=C;w=D;session=s{i // 6}"))
        for i, x in enumerate(lines)
    ]
    put(store, "few.phl", "\n".join(evenings[:900]) + "\n")
    assert store.rows("SELECT few_sessions AS x FROM sum_state")[0]["x"]
    check(store, FEW)
    put(store, "many.phl", "\n".join(evenings[900:]) + "\n")
    assert not store.rows("SELECT few_sessions AS x FROM sum_state")[0]["x"]
    check(store, FEW)
    put(store, "more.phl", simulated(300) + club_text())
    check(store)


def test_a_store_that_grows_large_and_small_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "LARGE", 3000)  # names count for four
    store = Store(tmp_path / "store")
    put(store, "a.phl", season(slice(0, 500)))
    assert not store.rows("SELECT * FROM sum_state")
    second = put(store, "b.phl", season(slice(500, 1100)))
    check(store)
    undo_import(store, second)
    assert not store.rows("SELECT * FROM sum_state")
    assert not any(store.rows(f"SELECT 1 FROM {name}") for name in sums.BY_NAME)
    assert len(store.rows("SELECT * FROM players")) > 3


def test_an_import_that_fails_leaves_the_sums(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    put(store, "a.phl", season(slice(0, 600)))
    before = everything(store, FEW)

    def stop(what: str, done: int, of: int) -> None:
        if what == "import":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_paths(store, [Source("b.phl", simulated(1000).encode())], progress=stop)
    assert everything(store, FEW) == before
    check(store, FEW)


def simulated(hands: int) -> str:
    return "".join(text.decode() for _, text in simulate_lines(hands, seed=hands))
