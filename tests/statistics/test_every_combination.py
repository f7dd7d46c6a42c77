"""Every grouping in every format, every name that the glossary must have, every figure's hands."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pandoeren_replay.statistics.compute import figures
from pandoeren_replay.statistics.drill import hands_behind
from pandoeren_replay.statistics.glossary import POPULATIONS, STATISTICS, statistic
from pandoeren_replay.statistics.groupings import EXTRA, GROUPINGS
from pandoeren_replay.statistics.queries import can_split, population_sql
from pandoeren_replay.stats import statistics
from pandoeren_replay.store import Store
from tests.cli.conftest import Run, run  # noqa: F401

OFFERED = ("contract", "level", "player", "pair", "seat", "trump", "month", "session", "source")

# What players and researchers ask for, and the figure or grouping that answers.
ASKED = {
    "entry rate by seat and by position": ("entry", "seat", "position"),
    "declarer rate": ("declarer_rate", "declares"),
    "auctions won when bid": ("won_when_bid",),
    "raises per auction": ("raises",),
    "average auction length": ("auction_length",),
    "passed-out rate": ("passed_out",),
    "distribution of contracts and levels": ("contracts", "contract", "level"),
    "bid given hand features": ("entry", "holding", "aces", "stuk", "longest", "shape"),
    "steps above the last needed bid": ("steps",),
    "score per bid against the field": ("score_over_field",),
    "made rate per contract and level": ("made", "contract", "level"),
    "points minus bid and its distribution": ("margin", "margins"),
    "score per hand and per role": ("score_per_hand", "score_as_declarer", "score_as_partner",
                                    "score_as_defender", "role"),
    "by trump suit": ("trump",),
    "discard habits": ("discard_middle", "discard_void", "discard_fat"),
    "called-card habits": ("called_trump", "called_held_suit"),
    "roem held, announced, missed, denied": ("roem_held", "roem_value", "roem_said",
                                             "roem_missed", "roem_denied"),
    "stuk forgotten": ("stuk_forgotten",),
    "last trick": ("last_trick",),
    "tricks taken": ("tricks",),
    "contracts beaten": ("beaten", "beaten_over_field"),
    "overbid and underbid rate": ("overbid", "underbid"),
    "margin with open cards": ("open_margin",),
    "trump, called card, discard loss": ("trump_loss", "called_loss", "discard_loss"),
    "points lost as declarer, partner, defender": ("lost_as_declarer", "lost_as_partner",
                                                   "lost_as_defender"),
    "points lost by trick number": ("lost_by_trick", "trick"),
    "accuracy": ("accuracy",),
    "blunders that turned the contract": ("blunders",),
    "opening-lead accuracy": ("lead_accuracy",),
    "contracts stolen and given away": ("stolen", "given_away"),
    "luck-adjusted score beside the score": ("luck_adjusted", "cards_score", "score"),
    "defender's lead in the called card's suit": ("leads_called_suit",),
    "a trump kept for the last trick": ("trump_kept",),
    "declarer holding jas or nine": ("top_trumps",),
    "tens and aces given to the partner's trick": ("fat_to_partner",),
    "shapes on which misère and piccolo were tried": ("shapes", "shape_made", "shape", "family"),
    "violations per player and kind": ("broke_rule", "violations", "violation_kinds", "code"),
    "records that disagree with themselves": ("mismatch", "mismatch_kinds"),
}  # fmt: skip


def test_every_name_is_there() -> None:
    known = {s.id for s in STATISTICS} | set(GROUPINGS) | set(EXTRA)
    missing = {what: [n for n in names if n not in known] for what, names in ASKED.items()}
    assert not {what: names for what, names in missing.items() if names}
    for s in STATISTICS:
        assert all((s.en, s.nl, s.formula, s.measure))
        assert s.population in POPULATIONS


def flat(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Rows with every value as the same text whatever format it came in."""
    out = []
    for row in rows:
        told = {}
        for key, value in row.items():
            if value is None or value == "":
                told[key] = ""
            elif isinstance(value, bool) or str(value).lower() in ("true", "false"):
                told[key] = str(value).lower()
            else:
                try:
                    told[key] = f"{float(value):.9g}"
                except ValueError:
                    told[key] = str(value).lstrip("'")
        out.append(told)
    return out


@pytest.fixture
def asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the commands of a test ask a store alike is read once: it does not change."""

    def once(ask: Any) -> Any:
        known: dict[Any, Any] = {}

        def asked(store: Store, query: str, params: Any = ()) -> Any:
            key = store.path, query, tuple(params)
            if key not in known:
                known[key] = ask(store, query, params)
            return known[key]

        return asked

    monkeypatch.setattr(Store, "rows", once(Store.rows))
    monkeypatch.setattr(Store, "sql", once(Store.sql))


@pytest.mark.usefixtures("asked_once")
@pytest.mark.parametrize("by", OFFERED)
@pytest.mark.parametrize("of", [(), ("--of", "made,score")], ids=["overview", "figures"])
def test_every_format_says_the_same(
    by: str,
    of: tuple[str, ...],
    run: Run,  # noqa: F811
    season: Store,
    tmp_path: Path,
) -> None:
    asked = ("stats", "--db", season.path, "--by", by, *of, "--where", "date<2026-09")
    rows = [json.loads(x) for x in run(*asked, "--format", "json").out.splitlines()]
    assert rows
    assert all(by in r for r in rows)
    if not of:
        assert flat(rows) == flat(statistics(season, [by], "date<2026-09").to_dicts())
    comma = run(*asked, "--format", "csv").out
    assert flat(list(csv.DictReader(io.StringIO(comma)))) == flat(rows)
    file = tmp_path / "figures.parquet"
    assert run(*asked, "--format", "parquet", "-o", file).code == 0
    assert flat(pl.read_parquet(file).to_dicts()) == flat(rows)
    table = run(*asked, "--format", "table").out
    shown = str(rows[0][by])
    assert shown[:6] in table
    assert f"{rows[0]['n']:,}" in table or str(rows[0]["n"]) in table


@pytest.fixture(scope="module")
def valued(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store in which cards and choices before the play have values."""
    from pandoeren_replay.analyze import analyze
    from tests.statistics.conftest import SEASON, make_store

    lines = SEASON.read_text("utf-8").splitlines()[1:31]
    store = make_store(tmp_path_factory.mktemp("valued") / "store", "\n".join(lines) + "\n")
    analyze(store, declaration=True)
    return store


ANALYSIS = [s for s in STATISTICS if s.topic == "analysis"]


@pytest.mark.parametrize("s", ANALYSIS, ids=lambda s: s.id)
def test_a_figure_of_values_leads_to_its_hands(s: Any, valued: Store) -> None:
    """The hands are those of its rows, counted by a query of our own over the population."""
    names = [g for g in ("player", "role", "trick", "kind", "contract") if can_split(s, [g])]
    rows = population_sql(valued, POPULATIONS[s.population]).replace("{where}", "true")
    seen = 0
    for name in names:
        for f in figures(valued, [s], [name])[:2]:
            key = POPULATIONS[s.population].own.get(name) or (GROUPINGS | EXTRA)[name].sql
            expected = valued.rows(
                f"SELECT u.hand_id, count(*) AS n FROM ({rows}) u WHERE ({s.over}) "
                f"AND ({key})::VARCHAR = ? GROUP BY 1 ORDER BY 1",
                [str(f.group[name])],
            )
            assert sum(r["n"] for r in expected) == f.n
            assert hands_behind(valued, f.where) == [r["hand_id"] for r in expected]
            assert valued.count(f.where) == len(expected)
            seen += f.n
            if s.unit == "rate" and f.n and "counted=" in f.where:
                parts = [
                    hands_behind(valued, f"{f.where[:-1]};hit={hit}'") for hit in ("yes", "no")
                ]
                assert set(parts[0]) | set(parts[1]) == set(hands_behind(valued, f.where))
    assert seen or statistic(s.id).id in ("underbid", "called_loss")
