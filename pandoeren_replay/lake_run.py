"""Running the tasks of a lake: here, in processes of this machine, or on a Dask cluster."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

RETRIES = 3
"""How often a task that failed is tried again on a cluster; one that lost its worker always is,
up to the cluster's own limit (``distributed.scheduler.allowed-failures``)."""
CONNECT_SECONDS = 30


class SchedulerError(RuntimeError):
    """The cluster cannot be reached or used, in one sentence."""


def run(
    work: Callable[[T], R], tasks: Iterable[T], jobs: int = 1, scheduler: str | None = None
) -> Iterator[R]:
    """Results of ``work`` on each task, as they come (in no order).

    ``jobs`` processes share the work; with ``scheduler`` (``tcp://host:8786``) the workers of a
    Dask cluster do. Tasks are drawn as there is room for them. ``work`` must be safe to do twice.

    >>> sorted(run(abs, [-1, 2]))
    [1, 2]
    """
    if scheduler is not None:
        yield from _cluster(work, tasks, scheduler)
    elif jobs > 1:
        yield from _processes(work, tasks, jobs)
    else:
        yield from map(work, tasks)


def _processes(work: Callable[[T], R], tasks: Iterable[T], jobs: int) -> Iterator[R]:
    waiting = iter(tasks)
    # Fresh processes: a fork of one that has database threads can hang.
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        running = {pool.submit(work, task) for task in islice(waiting, 2 * jobs)}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(work, task) for task in islice(waiting, len(done))}
                for future in done:
                    yield future.result()
        finally:
            for future in running:
                future.cancel()


def _cluster(work: Callable[[T], R], tasks: Iterable[T], address: str) -> Iterator[R]:
    try:
        import distributed
    except ImportError:
        raise SchedulerError(
            "--scheduler needs Dask: pip install 'pandoeren-replay[scale]'"
        ) from None
    dask: Any = distributed  # which has no types of its own
    try:
        client = dask.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as e:
        raise SchedulerError(f"no Dask scheduler answers at {address} ({e})") from None
    waiting = iter(tasks)
    with client:
        pending = dask.as_completed(loop=client.loop)

        def fill() -> None:
            # Workers may come and go; each has a task at hand and one to go on with.
            room = 2 * max(1, sum(client.nthreads().values())) - pending.count()
            for task in islice(waiting, max(0, room)):
                pending.add(client.submit(work, task, pure=False, retries=RETRIES))

        fill()
        for future in pending:
            try:
                found: Any = future.result()
            except dask.KilledWorker as e:
                raise SchedulerError(
                    f"a task lost its worker too often ({e}); is there memory enough?"
                ) from None
            future.release()
            fill()
            yield found
