"""What holds for every test."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """Streamlit's AppTest leaves its script as ``__main__``; processes spawned later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
