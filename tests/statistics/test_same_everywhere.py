"""The same figures whatever the order of the hands, and in a lake as in a store."""

import random
from pathlib import Path
from typing import Any

import pytest

from pandoeren_replay.lake import Lake
from pandoeren_replay.stats import STATISTICS, compare, measure, pairs, statistics
from pandoeren_replay.store import Store
from parsers.base import Source
from tests.statistics.conftest import SEASON, club_text, make_store

GROUPS = (["player"], ["contract"], ["session"], ["rules", "month"])


def text() -> str:
    """Hands with sessions, hands without (the last of these), and a score sheet."""
    lines = SEASON.read_text("utf-8").splitlines()[:600]
    lines += [x.split(" id=")[0] + f" id=lone{i};n=Anna" for i, x in enumerate(lines[:120])]
    return "\n".join([*lines, *club_text().splitlines()]) + "\n"


def rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # Sums of fractions depend on their order in the last digits.
    return [
        {k: round(v, 9) if isinstance(v, float) else v for k, v in r.items() if k != "where"}
        for r in rows
    ]


def everything(store: Store) -> dict[str, list[dict[str, Any]]]:
    out = {"pairs": rounded(pairs(store).to_dicts())}
    for by in GROUPS:
        out[f"overview {by}"] = rounded(statistics(store, by).to_dicts())
    ids = [s.id for s in STATISTICS if s.topic != "analysis"]
    out["all"] = rounded(measure(store, ids).to_dicts())
    names = [r["name"] for r in store.rows("SELECT name FROM players ORDER BY hands DESC, name")]
    out["compare"] = rounded([compare(store, names[0], names[1]).as_dict()])
    return out


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    return everything(make_store(tmp_path_factory.mktemp("order") / "store", text()))


def test_the_order_of_the_hands_changes_nothing(
    tmp_path: Path, told: dict[str, list[dict[str, Any]]]
) -> None:
    lines = text().splitlines()
    random.Random(6).shuffle(lines)
    other = everything(make_store(tmp_path / "store", "\n".join(lines) + "\n"))
    for name, rows in told.items():
        assert other[name] == rows, name


def test_a_lake_has_the_same_figures(tmp_path: Path, told: dict[str, list[dict[str, Any]]]) -> None:
    lake = Lake(tmp_path / "lake")
    lake.import_([Source("club.phl", text().encode())])
    other = everything(lake)
    for name, rows in told.items():
        assert other[name] == rows, name
    assert any(r["margin_low"] is not None for r in told["overview ['contract']"])
    assert any(r["no_cards"] for r in told["overview ['contract']"])
