"""docs/statistics.md says what the glossary says."""

from pathlib import Path

from pandoeren_replay.statistics.docs import glossary_markdown, sql_of
from pandoeren_replay.statistics.glossary import POPULATIONS, STATISTICS, TOPICS, chosen
from pandoeren_replay.store import Store

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


def test_the_page_holds_the_glossary() -> None:
    # After a change: python -m pandoeren_replay.statistics.docs docs/statistics.md
    assert PAGE.read_text("utf-8").endswith(glossary_markdown())


def test_every_statistic_is_fully_described() -> None:
    assert len({s.id for s in STATISTICS}) == len(STATISTICS)
    for s in STATISTICS:
        assert s.en != s.nl
        assert s.formula
        assert s.measure
        assert s.population in POPULATIONS
        assert s.topic in TOPICS
        assert s.unit in ("rate", "share", "mean")
    assert {s.population for s in STATISTICS} == set(POPULATIONS)


def test_topics_hold_all_statistics_once() -> None:
    by_topic = [s for t in TOPICS for s in chosen(t)]
    assert sorted(s.id for s in by_topic) == sorted(s.id for s in chosen("all"))


def test_the_printed_sql_runs(club: Store) -> None:
    for s in STATISTICS:
        sql = sql_of(club, s)
        assert sql.startswith(f"-- {s.id}: ")
        assert club.sql(sql).columns[-4:] == ["n0", "s0", "t0", "q0"]
