"""The demo data: made by the program that says so, judged as the program judges."""

from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

from benchmarks.make_demo import FOLDER, REVIEWED, demo_store, texts
from pandoeren_replay.players.stored_bids import stored_bids
from pandoeren_replay.review_files import read_reviews, take_over, write_reviews
from pandoeren_replay.reviewed import REVIEW_VERSION, missing, review_rows, stored_reviews
from pandoeren_replay.store import Store

EVENING = "session=2026-11-26-A"


@pytest.fixture(scope="module")
def packaged() -> pl.DataFrame:
    with (files("data") / "reviews" / "demo.parquet").open("rb") as f:
        return read_reviews(f)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, packaged: pl.DataFrame) -> Store:
    store = demo_store(tmp_path_factory.mktemp("demo") / "store")
    assert take_over(store, packaged) == packaged["hash"].n_unique() > 100
    return store


def test_the_files_are_what_the_program_makes() -> None:
    for name, text in texts().items():
        assert (FOLDER / name).read_text("utf-8") == text


def test_every_hand_of_the_evening_is_judged_beforehand(demo: Store) -> None:
    todo, known = missing(demo, EVENING)
    assert todo == []
    assert known == demo.count(f"{EVENING} and plays>0") >= 25
    assert missing(demo, REVIEWED)[0] == []


def test_it_was_judged_as_it_would_be_now(demo: Store) -> None:
    """Two hands, one of them with tricks shunned, judged once more: every row alike."""
    asked = ("contract=120", "contract=mis,pic,pio,mio")
    for where in asked:
        hands = demo.hands(f"{REVIEWED} and errors=0 and {where}", limit=1)
        number = int(hands["hand_id"][0])
        bids = stored_bids(demo, demo.rules_of(number)).without(number)
        new = review_rows(number, demo.replay(number), bids=bids)
        kept = stored_reviews(demo, [number])[number]
        assert len(new) == len(kept) == 33
        for a, b in zip(kept, new):
            assert (a.kind, a.ply, a.choice, a.best, a.verdict) == (
                b.kind, b.ply, b.choice, b.best, b.verdict
            )  # fmt: skip
            for name in ("chance", "value", "best_value", "loss", "low", "high"):
                x, y = getattr(a, name), getattr(b, name)
                assert x == (None if y is None else pytest.approx(y, abs=1e-4))


def test_taken_over_once_and_not_from_another_version(
    demo: Store, packaged: pl.DataFrame, tmp_path: Path
) -> None:
    assert take_over(demo, packaged) == 0
    other = Store(tmp_path / "other")
    other.import_([FOLDER / "evening.phl"])
    old = packaged.with_columns(pl.lit("older").alias("version"))
    assert take_over(other, old) == 0
    judged = demo.count(f"{EVENING} and plays>0")
    assert take_over(other, packaged) == judged
    file = tmp_path / "again.parquet"
    assert write_reviews(other, EVENING, file) == judged
    again = read_reviews(file)
    assert again["version"].unique().to_list() == [REVIEW_VERSION]
    first = packaged.filter(pl.col("hash").is_in(again["hash"].unique().to_list()))
    order = ["hash", "ply", "kind"]
    assert again.sort(order).equals(first.sort(order))
