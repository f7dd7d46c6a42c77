"""On a Dask cluster: the same lake as here, also when a worker is killed in the middle."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_analyze import analyze_lake
from pandoeren_replay.lake_import import import_lake
from pandoeren_replay.lake_run import SchedulerError, run
from tests.lake.conftest import content, hands_file


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


def workers(cluster: Any) -> list[int]:
    with Client(cluster, set_as_default=False) as client:
        return sorted(client.run(os.getpid).values())


def test_a_killed_worker_costs_a_retry_and_no_hand(cluster: Any, tmp_path: Path) -> None:
    file = hands_file(tmp_path / "a.phl", 240)
    here, there = Lake(tmp_path / "here"), Lake(tmp_path / "there")
    mine = import_lake(here, [file], part_rows=20)
    victims = workers(cluster)
    assert len(victims) == 3
    killed = []

    def kill_one(what: str, done: int, total: int) -> None:
        if what == "import" and not killed:
            killed.append(victims[0])
            os.kill(victims[0], signal.SIGKILL)

    theirs = import_lake(
        there, [file], progress=kill_one, scheduler=cluster.scheduler_address, part_rows=20
    )
    assert killed
    assert victims[0] not in workers(cluster)
    assert theirs.adds_up
    assert (theirs.read, theirs.stored, theirs.duplicate) == (
        mine.read, mine.stored, mine.duplicate,
    )  # fmt: skip
    assert theirs.rejects == mine.rejects
    assert content(there) == content(here)


def test_values_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    file = Path(__file__).parent.parent / "conformance" / "sample.phl"
    here, there = Lake(tmp_path / "here"), Lake(tmp_path / "there")
    for lake in (here, there):
        import_lake(lake, [file])
    mine = analyze_lake(here)
    theirs = analyze_lake(there, scheduler=cluster.scheduler_address, slice_hands=2)
    assert theirs == mine
    query = "SELECT * FROM evaluations ORDER BY ALL"
    assert there.rows(query) == here.rows(query)


def test_nobody_there() -> None:
    import pandoeren_replay.lake_run as runner

    before = runner.CONNECT_SECONDS
    runner.CONNECT_SECONDS = 1
    try:
        with pytest.raises(SchedulerError, match="no Dask scheduler answers at tcp://127"):
            list(run(abs, [1], scheduler="tcp://127.0.0.1:9"))
    finally:
        runner.CONNECT_SECONDS = before


def test_processes_of_this_machine() -> None:
    assert sorted(run(abs, iter(range(-7, 0)), jobs=2)) == [1, 2, 3, 4, 5, 6, 7]
