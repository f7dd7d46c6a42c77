"""The lock that importers take: one at a time, the others queue. Freed by the system on a kill."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no fcntl; its C runtime locks a byte range instead.
    fcntl = None  # type: ignore[assignment]

POLL_SECONDS = 0.1


@contextmanager
def exclusive(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock file ``path``; ``waiting`` is called once if somebody else holds it."""
    with path.open("a+b") as f:
        told = False
        while not _try_lock(f):
            if not told and waiting:
                waiting()
            told = True
            time.sleep(POLL_SECONDS)
        try:
            yield
        finally:
            _unlock(f)


if fcntl is not None:

    def _try_lock(f) -> bool:  # type: ignore[no-untyped-def]
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(f) -> None:  # type: ignore[no-untyped-def]
        fcntl.flock(f, fcntl.LOCK_UN)

else:
    import msvcrt

    def _try_lock(f) -> bool:  # type: ignore[no-untyped-def]
        f.seek(0)
        try:
            msvcrt.locking(f.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True

    def _unlock(f) -> None:  # type: ignore[no-untyped-def]
        f.seek(0)
        msvcrt.locking(f.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
