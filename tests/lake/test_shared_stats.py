"""Figures of a lake, worked out in parts by processes or a cluster, are those of a store."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from pandoeren_replay import lake_stats
from pandoeren_replay.filters import FilterError
from pandoeren_replay.importer import import_paths
from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_analyze import analyze_lake
from pandoeren_replay.lake_import import import_lake
from pandoeren_replay.lake_run import run
from pandoeren_replay.lake_stats import SharedLake
from pandoeren_replay.stats import STATISTICS, compare, measure, pairs, statistics
from pandoeren_replay.store import Store, bulk_source
from tests.statistics.conftest import SEASON, club_text
from tests.statistics.test_same_everywhere import rounded

WHERE = "level>=120 and made=yes,no"


def hands(evenings: int) -> str:
    """A season of some evenings, hands that name no session, and a score sheet."""
    lines = SEASON.read_text("utf-8").splitlines()[1:601]
    for i in range(evenings):
        lines.append(lines[i].split(" id=")[0] + f" id=e{i};n=Anna;e=Bas;s=Cor;w=D;session=e{i}")
    lines += [x.split(" id=")[0] + f" id=lone{i};n=Anna" for i, x in enumerate(lines[:120])]
    return "\n".join([*lines, *club_text().splitlines()]) + "\n"


def pair(folder: Path, evenings: int, part_rows: int) -> tuple[Store, Lake]:
    """The same hands in a store and in a lake of some parts."""
    file = folder / "club.phl"
    file.write_text(hands(evenings), "utf-8")
    store, lake = Store(folder / "store"), Lake(folder / "lake")
    import_paths(store, [file])
    with pytest.MonkeyPatch.context() as change:
        change.setattr(bulk_source, "BULK_FROM", 1)
        import_lake(lake, [file], part_rows=part_rows)
    assert len(lake.files("import-*/hands-*.parquet")) > 2
    return store, lake


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A store and a lake of many sessions."""
    return pair(tmp_path_factory.mktemp("both"), 240, 400)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_stats, "FILES", 1)


def everything(store: Store, topics: bool) -> dict[str, list[dict[str, Any]]]:
    out = {
        "overview": rounded(statistics(store, ["rules", "contract"], WHERE).to_dicts()),
        "field": rounded(measure(store, ["score_over_field"]).to_dicts()),
    }
    if topics:
        out["months"] = rounded(statistics(store, ["month"]).to_dicts())
        ids = [s.id for s in STATISTICS if s.topic != "analysis"]
        out["all"] = rounded(measure(store, ids).to_dicts())
        out["pairs"] = rounded(pairs(store).to_dicts())
        out["compare"] = rounded([compare(store, "Anna", "Bas").as_dict()])
    return out


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name, rows in one.items():
        assert rows
        assert other[name] == rows, name


def test_every_figure_in_parts(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store, lake = both
    asked = []

    def told(work: Any, tasks: Any, *how: Any) -> Any:
        asked.append(tasks)
        return run(work, tasks, *how)

    monkeypatch.setattr(lake_stats, "run", told)
    same(everything(store, True), everything(SharedLake(lake.path), True))
    assert all(len(tasks) > 2 for tasks in asked)


def test_few_sessions(tmp_path: Path) -> None:
    """The bootstrap draws sessions, where there are few of them, by their names."""
    store, lake = pair(tmp_path, 0, 300)
    same(everything(store, False), everything(SharedLake(lake.path), False))


def test_on_a_cluster_of_which_a_worker_is_killed(both: Any, cluster: Any) -> None:
    store, lake = both
    shared = SharedLake(lake.path, scheduler=cluster.scheduler_address)
    mine = everything(store, False)
    same(mine, everything(shared, False))
    with Client(cluster, set_as_default=False) as client:
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
    same(mine, everything(shared, False))


def test_in_processes(both: Any) -> None:
    store, lake = both
    same(everything(store, False), everything(SharedLake(lake.path, jobs=2), False))


def test_figures_of_values(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    file = tmp_path / "some.phl"
    file.write_text("\n".join(SEASON.read_text("utf-8").splitlines()[1:25]) + "\n", "utf-8")
    import_lake(lake, [file], part_rows=6)
    analyze_lake(lake)
    ids = [s.id for s in STATISTICS if s.topic == "analysis" and s.population != "declared"]
    mine, shared = (measure(x, ids).to_dicts() for x in (lake, SharedLake(lake.path)))
    assert rounded(shared) == rounded(mine)
    assert any(r["n"] for r in mine)


def test_what_cannot_be_asked_is_told_before_anything_is_sent(both: Any) -> None:
    with pytest.raises(FilterError, match="expected one of"):
        statistics(SharedLake(both[1].path, jobs=2), ["player"], "level is 120")
