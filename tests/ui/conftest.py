"""A store for the pages, imported from a file of this repository."""

from pathlib import Path

import pytest
import streamlit as st

from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store
from pandoeren_replay.ui.server import PASSWORD_VARIABLE, STORE_VARIABLE

HANDS = Path(__file__).parent / "hands.phl"


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with the hands of hands.phl."""
    made = Store(tmp_path_factory.mktemp("ui") / "store")
    assert import_paths(made, [HANDS]).rejected == 0
    return made


@pytest.fixture
def pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The pages look at that store."""
    monkeypatch.setenv(STORE_VARIABLE, str(store.path))
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    st.cache_data.clear()
    return store


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The pages look at a store of their own that is not there yet."""
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "own"))
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    st.cache_data.clear()
    return Store(tmp_path / "own")
