"""Ctrl-C while numba takes an argument over."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def held_back() -> Iterator[None]:
    """Ctrl-C is acted on when the block is done, not in it.

    Numba (0.68) reads the attributes of a ``numpy.random.Generator`` through Python when it is
    passed to a compiled function; where an exception comes out of that, which Ctrl-C can bring
    about at any point, it releases a null pointer and the process ends on a segmentation fault.
    A handler that is not Python's (none, or ignored) is left as it is, and so is everything
    outside the main thread, where no signals are handled.

    >>> done = []
    >>> try:
    ...     with held_back():
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("the block")
    ... except KeyboardInterrupt:
    ...     done.append("the interrupt")
    >>> done
    ['the block', 'the interrupt']
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[0])
