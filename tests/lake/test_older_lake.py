"""A lake whose parts an earlier version wrote: what they lack is worked out."""

from pathlib import Path

import duckdb
import pytest

from pandoeren_replay.lake import SINCE, Lake
from pandoeren_replay.lake_import import import_lake
from pandoeren_replay.stats import measure, pairs, statistics
from tests.statistics.conftest import SEASON, club_text

SHEETS = "heerlen W . 120,-,-,- . . . made;score=N+1,E+1,S0,W0;partner=E"


def older(lake: Lake) -> None:
    """Take away from its parts what earlier versions did not write."""
    for file in lake.files("import-*/hands-*.parquet"):
        place = Path(file)
        new = place.with_suffix(".new")
        with duckdb.connect() as con:
            con.execute(
                f"COPY (SELECT * EXCLUDE ({', '.join(SINCE)}) FROM '{place}') TO '{new}' "
                "(FORMAT parquet)"
            )
        new.replace(place)


def figures(lake: Lake) -> list[object]:
    return [
        statistics(lake, ["player"]).to_dicts(),
        statistics(lake, ["rules", "contract"], "cards=yes").to_dicts(),
        measure(lake, ["entry", "score_per_hand", "roem_missed", "beaten"]).to_dicts(),
        pairs(lake).to_dicts(),
        lake.rows("SELECT * FROM hands ORDER BY hand_id"),
        lake.rows("SELECT * FROM hand ORDER BY hand_id"),
    ]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Hands with cards alone: sheets were not told apart by earlier versions."""
    file = tmp_path / "a.phl"
    played = [x for x in club_text().splitlines() if " . 120" not in x and "sheet" not in x]
    lines = SEASON.read_text("utf-8").splitlines()[1:201]
    file.write_text("\n".join([*lines, *played]) + "\n", "utf-8")
    made = Lake(tmp_path / "lake")
    import_lake(made, [file])
    return made


def test_all_of_it_older(lake: Lake) -> None:
    before = figures(lake)
    older(lake)
    again = Lake(lake.path)
    names = {r["column_name"] for r in again.rows("DESCRIBE hands")}
    assert set(SINCE) <= names
    for mine, wanted in zip(figures(again), before, strict=True):
        assert mine == wanted


def test_older_and_newer_parts_in_one_lake(lake: Lake, tmp_path: Path) -> None:
    """A sheet that a newer version brought into a lake of an older one keeps what it records."""
    older(lake)
    sheet = tmp_path / "sheet.phl"
    sheet.write_text(f"{SHEETS} id=s1;n=Anna;e=Bas;s=Cor;w=Dirk;session=x;hand=1\n", "utf-8")
    import_lake(lake, [sheet])
    (row,) = lake.rows("SELECT * FROM hands WHERE id = 's1'")
    # Nothing proves who the partner was or what they scored: it is what the sheet says.
    assert (row["partner"], row["partner_from"]) == ("E", "recorded")
    assert (row["score_n"], row["declarer_score"], row["score_from"]) == (1, 1, "recorded")
    assert row["with_cards"] is False
    counts = lake.rows("SELECT count(*) AS n, count(*) FILTER (with_cards) AS c FROM hands")[0]
    assert counts["n"] == counts["c"] + 1
    assert lake.rows("SELECT count(*) AS n FROM hands WHERE draw <> "
                     "(as_unsigned(hand_id) % 200)") == [{"n": 0}]  # fmt: skip
