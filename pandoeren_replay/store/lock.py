"""The lock that importers take: one at a time, the others queue. Freed by the system on a kill."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pandoeren_replay.store.errors import StoreError

POLL_SECONDS = 0.1


@contextmanager
def exclusive(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock file ``path``; ``waiting`` is called once if somebody else holds it.

    Raises :class:`StoreError` where no lock file can be written.
    """
    try:
        lock = path.open("a+b")
    except OSError as e:
        raise StoreError(f"the store {path.parent} cannot be written ({e.strerror})") from None
    with lock as f:
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


if sys.platform == "win32":
    # Windows has no fcntl; its C runtime locks a range of bytes instead.
    import msvcrt

    def _try_lock(f: IO[bytes]) -> bool:
        f.seek(0)
        try:
            msvcrt.locking(f.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(f: IO[bytes]) -> None:
        f.seek(0)
        msvcrt.locking(f.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(f: IO[bytes]) -> bool:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(f: IO[bytes]) -> None:
        fcntl.flock(f, fcntl.LOCK_UN)
