from collections.abc import Callable
from pathlib import Path

import pytest

from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.store import Store
from parsers.base import Options, Source

CONFORMANCE = Path(__file__).parents[1] / "conformance"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def put(store: Store) -> Callable[..., ImportTotals]:
    """Import texts: put("line\\nline\\n", name="a.phl")."""

    def run(text: str, name: str = "a.phl", **options: str) -> ImportTotals:
        return import_paths(store, [Source(name, text.encode())], Options(**options))

    return run


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """All conformance files, and the sample in its text form with comments."""
    store = Store(tmp_path_factory.mktemp("full") / "store")
    import_paths(store, sorted(CONFORMANCE.glob("*.phl")))
    return store
