"""When a search gives up: nodes, seconds, or because it is asked to."""

import threading
import time
from dataclasses import dataclass
from typing import Any

from engine import solver_tables as tab


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give up: after so many ``nodes`` (tricks visited), ``seconds``, or at ``stop``.

    A node limit gives the same bounds on every machine; the others do not.
    """

    nodes: int | None = None
    seconds: float | None = None
    stop: threading.Event | None = None


class Interrupted(Exception):
    """A limit came before the answer."""


class Budget:
    """Limits shared by many searches: what one has spent is not there for the next."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._began = time.monotonic()
        self.nodes = 0

    def left(self) -> Limits | None:
        """What is left (``None``: no limit); raises :class:`Interrupted` where nothing is.

        >>> purse = Budget(Limits(nodes=100))
        >>> purse.nodes += 30
        >>> purse.left()
        Limits(nodes=70, seconds=None, stop=None)
        """
        limits = self._limits
        if limits == Limits():
            return None
        nodes = None if limits.nodes is None else limits.nodes - self.nodes
        seconds = None
        if limits.seconds is not None:
            seconds = limits.seconds - (time.monotonic() - self._began)
        stopped = limits.stop is not None and limits.stop.is_set()
        if stopped or (nodes is not None and nodes <= 0) or (seconds is not None and seconds <= 0):
            raise Interrupted("the limit came before the answer")
        return Limits(nodes, seconds, limits.stop)


class watched:
    """Sets the stop cell of a context when time is up or the event is set."""

    def __init__(self, limits: Limits | None, context: Any) -> None:
        self.limits, self.context = limits, context
        self.done = threading.Event()
        self.thread: threading.Thread | None = None

    def __enter__(self) -> None:
        limits = self.limits
        if limits is None or (limits.seconds is None and limits.stop is None):
            return
        self.thread = threading.Thread(target=self._watch, args=(limits,), daemon=True)
        self.thread.start()

    def _watch(self, limits: Limits) -> None:
        end = None if limits.seconds is None else time.monotonic() + limits.seconds
        while not self.done.wait(0.005):
            late = end is not None and time.monotonic() >= end
            if late or (limits.stop is not None and limits.stop.is_set()):
                self.context[tab.STOP] = 1

    def __exit__(self, *_: object) -> None:
        if self.thread is not None:
            self.done.set()
            self.thread.join()
