"""Long work beside the page: it goes on while the viewer looks on, and he can stop it."""

import threading
from collections.abc import Callable
from typing import Any


class Cancelled(Exception):
    """The viewer stopped the work; nothing was changed."""


class Job:
    """One piece of work in a thread of its own.

    ``work`` gets a function to report progress with (what, done, of); stopping makes that function
    raise :class:`Cancelled` there, so that whatever was begun is rolled back. ``stopping`` is an
    event that the work looks at itself, if it can.

    >>> job = Job(lambda say: say("count", 1, 2) or 42).start()
    >>> job.wait(10), job.result
    (True, 42)
    """

    def __init__(
        self,
        work: Callable[[Callable[[str, int, int], None]], Any],
        stopping: threading.Event | None = None,
    ) -> None:
        self._work = work
        self._over = threading.Event()
        self.stopping = stopping or threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None
        self.at: tuple[str, int, int] = ("", 0, 0)

    def start(self) -> "Job":
        """Begins; the program does not wait for the work when it ends."""
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def stop(self) -> None:
        """Asks the work to end soon."""
        self.stopping.set()

    def wait(self, seconds: float) -> bool:
        """Waits for the end; whether it has come."""
        return self._over.wait(seconds)

    @property
    def over(self) -> bool:
        """Whether the work has ended, well or not."""
        return self._over.is_set()

    @property
    def cancelled(self) -> bool:
        """Whether the viewer stopped it."""
        return isinstance(self.error, Cancelled)

    def _say(self, what: str, done: int, of: int) -> None:
        self.at = (what, done, of)
        # What is complete stands: there is nothing left to roll back.
        if self.stopping.is_set() and not (of and done >= of):
            raise Cancelled

    def _run(self) -> None:
        try:
            self.result = self._work(self._say)
        except BaseException as e:  # told to the viewer by the page that waits for it
            self.error = e
        finally:
            self._over.set()
