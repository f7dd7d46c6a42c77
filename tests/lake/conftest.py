"""What the tests of the lake share."""

from pathlib import Path
from typing import Any

import pytest

from pandoeren_replay.store import bulk_source
from pandoeren_replay.store.store import Store
from parsers.phl import write_phl
from tests.parsers.test_phl_bytes import some_records

CASES = Path(__file__).parent.parent / "conformance"


@pytest.fixture(autouse=True)
def no_file_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are cut into parts too."""
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1)


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Hands and violations by what they are, without the numbers that a store gave them."""
    hands = store.rows("SELECT * EXCLUDE (hand_id, import_id) FROM hands ORDER BY hash")
    base = store.rows("SELECT * EXCLUDE (hand_id, source_id) FROM hand ORDER BY hash")
    violations = store.rows(
        "SELECT h.hash, v.* EXCLUDE (hand_id) FROM violations v JOIN hands h USING (hand_id) "
        "ORDER BY ALL"
    )
    found = {"hands": hands, "hand": base, "violations": violations}
    return {name: [tuple(r.items()) for r in rows] for name, rows in found.items()}


def hands_file(place: Path, n: int, seed: int = 1) -> Path:
    """Random hands of all kinds in the line form, mistakes included."""
    lines = [write_phl(r) for r in some_records(seed, n)]
    place.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return place
