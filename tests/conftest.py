"""What holds for every test."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """AppTest leaves its script as ``__main__``, which processes spawned later would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
