"""Answers that pages begin with, made ready before anybody asks: at the start, after an import.

The answers themselves are kept by :mod:`pandoeren_replay.ui.source`, a generation of the store at
a time. A thread of the server looks whether there is a new one and asks what the first pages ask,
so that the first viewer after an import of a large store does not wait for it.
"""

import logging
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import Any

from pandoeren_replay.store.errors import StoreError

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0


def warm() -> None:
    """Asks what the pages ask that a viewer opens first; :class:`StoreError` where that fails."""
    from pandoeren_replay.ui import navigation, session
    from pandoeren_replay.ui.auctions import auctions
    from pandoeren_replay.ui.evenings import evening
    from pandoeren_replay.ui.fair_parts import judged
    from pandoeren_replay.ui.pages.hands import ORDERS, PAGE
    from pandoeren_replay.ui.texts import LANGUAGES

    for module, _ in navigation.PAGES.values():
        import_module(f"pandoeren_replay.ui.pages.{module}")
    source = session.source()
    if source.is_empty:
        return
    sessions = source.sessions()
    if sessions:
        name, rules_id = sessions[0]["session"], sessions[0]["rules"][0]
        for lang in LANGUAGES:
            evening(source, name, rules_id, lang)
        judged(source, name, rules_id)
    source.count()
    source.choices()
    source.hands("", next(iter(ORDERS.values())), PAGE)
    auctions(source, "")


def _generation() -> int | None:
    """The store's generation; ``None`` where it cannot be read."""
    from pandoeren_replay.ui import session

    try:
        return session.source().generation
    except StoreError:
        return None


def _look(stopping: threading.Event) -> None:
    import duckdb

    seen: int | None = None
    while not stopping.is_set():
        found = _generation()
        if found is not None and found != seen:
            seen = found
            try:
                warm()
            except (StoreError, duckdb.Error) as e:
                # The pages tell it to whoever opens one; the next generation may be whole.
                log.warning("nothing was made ready: %s", e)
        stopping.wait(LOOK_EVERY)


@contextmanager
def warming() -> Iterator[None]:
    """Keeps the answers ready while it lasts."""
    stopping = threading.Event()
    threading.Thread(target=_look, args=(stopping,), name="warming", daemon=True).start()
    try:
        yield
    finally:
        stopping.set()


@asynccontextmanager
async def while_serving(_app: Any) -> AsyncIterator[None]:
    """The same, as the server wants it for its life span."""
    with warming():
        yield


__all__ = ["LOOK_EVERY", "warm", "warming", "while_serving"]
