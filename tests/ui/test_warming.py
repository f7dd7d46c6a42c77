"""Answers made ready before anybody asks."""

import threading

import duckdb
import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.ui import warming
from pandoeren_replay.ui.source import Source

from .conftest import HANDS
from .test_pages import open_page


@pytest.mark.parametrize("name", ["hands", "bidding", "evening"])
def test_a_page_made_ready_looks_at_no_list_of_hands(pages, monkeypatch, name):
    """What takes long in a large store is asked of the view ``hands``."""
    warming.warm()
    asked = []
    cursor = Store.cursor

    class Told:
        def __init__(self, inner):
            self._inner = inner

        def __getattr__(self, what):
            return getattr(self._inner, what)

        def sql(self, query, **given):
            asked.append(query)
            return self._inner.sql(query, **given)

        def execute(self, query, *given):
            asked.append(query)
            return self._inner.execute(query, *given)

    monkeypatch.setattr(Store, "cursor", lambda store: Told(cursor(store)))
    assert not open_page(name).exception
    assert [q for q in asked if "FROM hands" in q and "count(*)" not in q] == []


def test_without_a_store_there_is_nothing_to_do(own_store):
    warming.warm()


@pytest.mark.parametrize("error", [StoreError, duckdb.IOException])
def test_it_begins_at_the_start_and_after_every_import(own_store, monkeypatch, error):
    told = threading.Semaphore(0)
    seen = []

    def warm():
        seen.append(Source(str(own_store.path)).generation)
        told.release()
        raise error("that it fails once stops nothing")

    monkeypatch.setattr(warming, "warm", warm)
    monkeypatch.setattr(warming, "LOOK_EVERY", 0.01)
    with warming.warming():
        assert told.acquire(timeout=30)
        assert seen == [0]
        import_paths(own_store, [HANDS])
        newest = Source(str(own_store.path)).generation
        while seen[-1] != newest:
            assert told.acquire(timeout=30)
    assert len(set(seen)) == len(seen)
