"""What holds for every test."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

BROWSER = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Elsewhere nobody looks for tests that need a browser (``python -m tests``)."""
    for item in items:
        if item.get_closest_marker("browser") and BROWSER not in item.path.parents:
            raise pytest.UsageError(f"{item.nodeid} needs a browser: it belongs in {BROWSER}")


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """AppTest leaves its script as ``__main__``, which processes spawned later would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
