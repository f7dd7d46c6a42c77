"""``stats`` and ``report`` from the command line."""

import json
from pathlib import Path

import polars as pl
import pytest

from pandoeren_replay.stats import measure, statistics
from pandoeren_replay.store import Store
from tests.cli.conftest import Run, run  # noqa: F401
from tests.statistics.conftest import make_store


def test_any_figures_in_every_format(run: Run, club: Store, tmp_path: Path) -> None:  # noqa: F811
    db = ("--db", club.path)
    out = run("stats", *db, "--of", "entry", "--by", "player").out
    assert "18 of 30" in out
    assert "60.0%" in out
    assert "no cards: of n, from score sheets" in out
    out = run("stats", *db).out
    assert "20 of these 26 hands are from score sheets, without cards" in out
    assert "score sheets" not in run("stats", *db, "--where", "cards=yes").out
    assert "12 of these 18 hands are from score sheets" in run("stats", *db, "--partners").out
    rows = [
        json.loads(x)
        for x in run("stats", *db, "--of", "entry,made", "--format", "json").out.splitlines()
    ]
    assert {r["statistic"] for r in rows} == {"entry", "made"}
    # P1 was 166 above its bid (+160 to +169), P2 14 below (-20 to -11): the tens, beside the means.
    rows = [
        json.loads(x)
        for x in run("stats", *db, "--by", "margin", "--format", "json").out.splitlines()
    ]
    assert [(r["margin_tens"], r["margin"]) for r in rows if r["margin_tens"] in (160, -20)] == [
        (-20, -14.0),
        (160, 166.0),
    ]
    assert "+160 to +169" in run("stats", *db, "--by", "margin").out
    assert all({"n", "low", "high", "small", "more", "where"} <= r.keys() for r in rows)
    file = tmp_path / "x.parquet"
    assert run("stats", *db, "--of", "entry", "--format", "parquet", "-o", file).code == 0
    assert pl.read_parquet(file)["hits"].sum() == 18 + 4 + 9 + 4
    lines = run("stats", *db, "--of", "beaten", "--format", "csv").out.splitlines()
    assert lines[0].startswith("player,statistic,n,no_cards,hits,value,low,high,small")


def test_a_topic_keeps_what_can_be_split(run: Run, club: Store) -> None:  # noqa: F811
    out = run("stats", "--db", club.path, "--of", "bidding", "--by", "position").out
    assert "(entry)" in out
    assert "(raises)" not in out
    code, _, err = run("stats", "--db", club.path, "--of", "made", "--by", "position")
    assert code == 2
    assert "cannot be split by it" in err


def test_analysis_that_is_not_there_says_so(run: Run, club: Store) -> None:  # noqa: F811
    code, _, err = run("stats", "--db", club.path, "--of", "analysis")
    assert code == 1
    assert "no analysis yet" in err
    err = run("stats", "--db", club.path, "--of", "accuracy", "--lang", "nl").err
    assert "nog geen analyse" in err


def test_hands_behind_a_figure(run: Run, club: Store) -> None:  # noqa: F811
    where = "counted='leads_called_suit;player=Dirk;hit=no'"
    rows = run("stats", "--db", club.path, "--hands", "--where", where, "--format", "json").out
    assert [json.loads(x)["id"] for x in rows.splitlines()] == ["played-4"]
    code, _, err = run("stats", "--db", club.path, "--hands", "--where", "counted=speed")
    assert code == 1
    assert "'speed' is no statistic" in err
    code, _, err = run(
        "stats", "--db", club.path, "--hands", "--where", "counted='entry;weather=x'"
    )
    assert code == 1
    assert "--by weather" in err


def test_pairs_comparison_sql_and_glossary(run: Run, club: Store) -> None:  # noqa: F811
    db = ("--db", club.path)
    assert "Anna" in run("stats", *db, "--partners").out
    out = run("stats", *db, "--compare", "Anna", "--compare", "Cor").out
    assert "Difference over 30 and 30 hands: -0.23" in out
    out = run("stats", *db, "--compare", "Anna", "--compare", "Cor", "--where", "cards=yes").out
    assert "Difference over 6 and 6 hands: -1.17" in out
    assert "Fewer than 30" in out
    assert run("stats", *db, "--compare", "Anna").code == 2
    assert "FROM hands h" in run("stats", *db, "--of", "made", "--sql").out
    assert run("stats", *db, "--sql").code == 2
    assert "wordt speler" in run("stats", "--glossary", "--lang", "nl").out
    assert run("stats", *db, "--partners", "--hands").code == 2


def test_report(run: Run, club: Store, tmp_path: Path) -> None:  # noqa: F811
    page = run("report", "played", "--db", club.path)
    assert page.code == 0
    assert page.out.startswith("<!doctype html>")
    assert "Verslag van de avond played" in page.out
    file = tmp_path / "avond.md"
    assert run("report", "played", "--db", club.path, "--lang", "en", "-o", file).code == 0
    assert file.read_text("utf-8").startswith("# Report of the session played")
    assert "there is no session" in run("report", "x", "--db", club.path).err
    assert run("report", "played", "--to", "pdf", "--db", club.path).code == 2
    assert run("report", "played", "--lang", "fr", "--db", club.path).code == 2


# Two rule sets, no scores written down. By heerlen 150 made brings Anna 2, pandoer with
# 20 of roem on top, lost, costs her 5; who was her partner at 130 is not known. By fiches 140 made
# brings 2 chips. So (2 - 5 + 2) / 3 of four hands.
MIXED = (
    "heerlen N . =N150 . . . made;partner=E id=1;n=Anna;e=Cor;s=Bas;w=Dirk",
    "heerlen N . =N130 . . . made id=2;n=Anna;e=Cor;s=Bas;w=Dirk",
    "heerlen N . =Npan+20 . . . lost;partner=- id=3;n=Anna;e=Cor;s=Bas;w=Dirk",
    "fiches N . =N140 . . . made;partner=E id=4;n=Anna;e=Cor;s=Bas;w=Dirk",
)


def test_what_a_mean_score_is_of(run: Run, tmp_path: Path) -> None:  # noqa: F811
    store = make_store(tmp_path / "store", "\n".join(MIXED) + "\n")
    out = run("stats", "--db", store.path, "--by", "player").out
    assert "-0.33 (of 3)" in out
    assert "mix points, chips or cents of fiches, heerlen: --by rules,player" in out
    out = run("stats", "--db", store.path, "--by", "rules,player").out
    assert "-1.50 (of 2)" in out
    assert "mix points" not in out
    out = run("stats", "--db", store.path, "--by", "level", "--where", "rules=heerlen").out
    assert "150" in out
    assert "mix points" not in out


def test_level_is_points_bid_and_nothing_else(tmp_path: Path) -> None:
    """120 made, 120 lost, pandoer with 120 of roem on top lost, misère made, 130 made.

    So of 120 one of two was made; the roem on top of pandoer is no points bid.
    """
    store = make_store(
        tmp_path / "store",
        "heerlen N . =N120 . . . made;partner=E id=1\n"
        "heerlen N . =N120 . . . lost;partner=E id=2\n"
        "heerlen N . =Npan+120 . . . lost;partner=- id=3\n"
        "heerlen N . =Nmis . . . made id=4\n"
        "heerlen N . =N130 . . . made;partner=E id=5\n",
    )
    (found,) = store.rows("SELECT level FROM hands WHERE contract = 'pan+120'")
    assert found["level"] == 120  # the column of the view stays what it is
    rows = statistics(store, ["level"]).to_dicts()
    assert [(r["level"], r["n"], r["made"]) for r in rows] == [(120, 2, 1), (130, 1, 1)]
    assert [store.count(r["where"]) for r in rows] == [2, 1]
    by_level = measure(store, ["made"], ["level"]).to_dicts()
    assert [(r["level"], r["hits"], r["n"]) for r in by_level] == [(120, 1, 2), (130, 1, 1)]
    assert [store.count(f"level{x}") for x in ("=120", ">=100", "<=120", ">120")] == [2, 3, 2, 1]
    assert store.count("counted='made;level=120'") == 2
    assert store.count("contract=pan+120") == 1


@pytest.mark.parametrize(
    "asked",
    [
        ("--by", "seat"), ("--by", "seat", "--format", "json"), ("--of", "made", "--lang", "nl"),
        ("--by", "seat", "--format", "csv"), ("--partners",),
        ("--compare", "Anna", "--compare", "Bas"), ("--hands", "--where", "seat=N"),
        ("--glossary",), ("--of", "made", "--sql"),
    ],
)  # fmt: skip
def test_whatever_is_asked_goes_to_the_file(
    run: Run,  # noqa: F811
    club: Store,
    tmp_path: Path,
    asked: tuple[str, ...],
) -> None:
    shown = run("stats", "--db", club.path, *asked)
    file = tmp_path / "figures.txt"
    written = run("stats", "--db", club.path, *asked, "-o", file)
    assert (shown.code, written.code, written.out) == (0, 0, "")
    assert file.read_text("utf-8") == shown.out != ""


def test_nothing_is_written_where_nothing_fits(run: Run, club: Store, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "figures.txt"
    ran = run("stats", "--db", club.path, "--where", "player=Niemand", "-o", file)
    assert ran.code == 1
    assert "no hand" in ran.err
    assert list(tmp_path.glob("*figures*")) == []
