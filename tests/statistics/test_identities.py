"""What must hold on any store, on a simulated season of 2,496 hands of three rule sets."""

from pathlib import Path

import pytest

from engine.cards import NO_TRUMP
from engine.meld import best_roem, stuk_cards
from pandoeren_replay.decisions import decision_tables
from pandoeren_replay.export import stored_records, stored_tables
from pandoeren_replay.lake import Lake
from pandoeren_replay.statistics.compute import figures
from pandoeren_replay.statistics.drill import hands_behind
from pandoeren_replay.statistics.glossary import POPULATIONS, STATISTICS, statistic
from pandoeren_replay.statistics.groupings import BY
from pandoeren_replay.statistics.intervals import FEW
from pandoeren_replay.statistics.queries import can_split, population_sql
from pandoeren_replay.stats import statistics
from pandoeren_replay.store import Store
from pandoeren_replay.ui.filterbar import Filter
from pandoeren_replay.ui.source import Source
from parsers.base import Source as ParserSource
from parsers.phl import write_phl


def one(store: Store, name: str, by: str, where: str | None = None) -> dict[str, int]:
    return {
        str(next(iter(f.group.values()))): f.n
        for f in figures(store, [statistic(name)], [by], where)
    }


@pytest.mark.parametrize("s", [s for s in STATISTICS if s.unit == "share"], ids=lambda s: s.id)
def test_shares_sum_to_one(season: Store, s: object) -> None:
    found = figures(season, [s])  # type: ignore[list-item]
    assert found
    assert sum(f.value or 0.0 for f in found) == pytest.approx(1)
    assert {f.n for f in found} == {sum(f.hits or 0 for f in found)}


@pytest.mark.parametrize("by", BY)
def test_groups_partition_the_hands(season: Store, by: str) -> None:
    rows = statistics(season, [by]).to_dicts()
    all_hands = season.count("played=yes")
    if by == "level":
        all_hands = season.count("played=yes and level>=1")
    elif by == "pair":
        all_hands = season.count("played=yes and partner~''")
    assert sum(r["n"] for r in rows) == all_hands
    for r in rows:
        assert r["decided"] <= r["n"]
        assert r["made"] <= r["decided"]
        assert r["small"] == (r["decided"] < FEW)
        assert (r["rate"] is None) == (r["decided"] == 0)


def test_roles_partition_the_hands(season: Store) -> None:
    known = season.rows(
        "SELECT count(*) AS n FROM hands WHERE partner IS NOT NULL AND NOT passed_out"
    )[0]["n"]
    assert known == season.count("played=yes")  # a simulated hand lacks nothing
    ids = ("score_as_declarer", "score_as_partner", "score_as_defender")
    by_player = [one(season, i, "player") for i in ids]
    whole = one(season, "score_per_hand", "player")
    for name, n in whole.items():
        assert sum(p.get(name, 0) for p in by_player) == n
    assert sum(whole.values()) == 4 * known
    assert sum(by_player[0].values()) == known


def test_scores_sum_to_what_the_rules_say(season: Store) -> None:
    # Heerlen and butselaar: declarer and partner each get the score, the defenders nothing.
    for rules in ("heerlen", "butselaar"):
        total = {
            f.group["role"]: (f.value or 0.0) * f.n
            for f in figures(season, [statistic("score_per_hand")], ["role"], f"rules={rules}")
        }
        assert total["defender"] == 0
        sums = season.rows(
            "SELECT sum(declarer_score) AS all_hands, "
            "sum(declarer_score) FILTER (partner <> '-') AS together FROM hands WHERE rules = ?",
            [rules],
        )[0]
        assert total["declarer"] == pytest.approx(sums["all_hands"])
        assert total["partner"] == pytest.approx(sums["together"])
    # Fiches, contracts paid by the opponents: what declarer's side gains the others lose.
    total = sum(
        (f.value or 0.0) * f.n
        for f in figures(
            season, [statistic("score_per_hand")], ["role"], "rules=fiches and contract=mis,pic,pan"
        )
    )
    assert total == pytest.approx(0)


def test_rates_of_groups_sum_to_the_rate_of_all(season: Store) -> None:
    for by in ("player", "contract"):
        rates = [s for s in STATISTICS if s.unit == "rate" and s.topic != "analysis" and s.by == by]
        assert rates
        split, whole = figures(season, rates, [by]), figures(season, rates, ["rules"])
        for s in rates:
            some, every = ([f for f in x if f.statistic is s] for x in (split, whole))
            assert sum(f.n for f in some) == sum(f.n for f in every) > 0, s.id
            assert sum(f.hits or 0 for f in some) == sum(f.hits or 0 for f in every), s.id


@pytest.mark.parametrize("s", [s for s in STATISTICS if s.topic != "analysis"], ids=lambda s: s.id)
def test_a_figure_leads_to_exactly_its_hands(season: Store, s: object) -> None:
    found = figures(season, [s])  # type: ignore[list-item]
    for f in found[:2]:
        behind = hands_behind(season, f.where)
        n = season.count(f.where)
        assert len(behind) == n
        expected = f.hits if f.statistic.unit == "share" else f.n
        assert expected is not None
        one_row = POPULATIONS[f.statistic.population].one
        # Rows of which a hand can have several.
        if one_row in ("card", "announcement", "broken rule", "disagreement"):
            assert 0 < n <= expected
        else:
            assert n == expected, f.where


def test_a_drill_down_is_a_filter_everywhere(season: Store, tmp_path: Path) -> None:
    (figure, *_) = figures(
        season, [statistic("won_when_bid")], ["player", "position"], "level>=150"
    )
    where = figure.where
    numbers = hands_behind(season, where)
    assert len(numbers) == figure.n > 0
    assert season.hands(where)["hand_id"].to_list() == numbers
    assert [i for i, _ in season.records(where)] == numbers
    assert len(list(stored_records(season, where))) == figure.n
    assert sum(len(t) for t in stored_tables(season, where)) == figure.n
    decided = {i for part in decision_tables(season, where) for i in part["hand_id"]}
    played = season.count(f"{where} and plays>=1")
    assert len(decided) == played > 0
    again = Filter.from_query(Filter.from_where(where).query()).where()
    assert Source(str(season.path)).count(again) == figure.n
    # The same in a lake, where hands have other numbers.
    text = "".join(write_phl(r) + "\n" for r in stored_records(season, where))
    lake = Lake(tmp_path / "lake")
    lake.import_([ParserSource("again.phl", text.encode())])
    assert lake.count(where) == figure.n


def test_hits_and_misses_make_up_a_rate(season: Store) -> None:
    figure = figures(season, [statistic("entry")], ["player", "position"])[0]
    inside = figure.where.removesuffix("'")
    yes = hands_behind(season, inside + ";hit=yes'")
    no = hands_behind(season, inside + ";hit=no'")
    assert len(yes) == figure.hits
    assert sorted([*yes, *no]) == hands_behind(season, figure.where)


def test_a_drill_down_keeps_the_filter_it_came_from(season: Store) -> None:
    where = "rules=fiches and date>=2026-08"
    for f in figures(season, [statistic("entry"), statistic("made")], ["player"], where)[:3]:
        assert len(hands_behind(season, f.where)) == f.n
        # and can be the filter of other figures
        again = figures(season, [statistic("contracts")], ["rules"], f.where)
        assert [x.group["rules"] for x in again] == ["fiches"]


def test_entries_are_the_calls_of_the_view(season: Store) -> None:
    said = season.rows(
        "SELECT seat, count(DISTINCT hand_id) AS n FROM calls WHERE is_bid AND valid GROUP BY seat"
    )
    found = figures(season, [statistic("entry")], ["seat"])
    assert {f.group["seat"]: f.hits for f in found} == {r["seat"]: r["n"] for r in said}


def test_leads_tens_and_last_tricks_are_those_of_the_views(season: Store) -> None:
    last = season.rows(
        "SELECT h.contract, count(*) FILTER (t.won_by = 'side') AS side, count(*) AS n "
        "FROM tricks t JOIN hands h USING (hand_id) WHERE t.trick = 8 GROUP BY 1"
    )
    found = figures(season, [statistic("last_trick")], ["contract"])
    assert {f.group["contract"]: (f.hits, f.n) for f in found} == {
        r["contract"]: (r["side"], r["n"]) for r in last
    }
    fourth = season.rows(
        "WITH c AS (SELECT p.*, s.role, s.player, h.trump, t.winner FROM plays p "
        "JOIN seats s ON s.hand_id = p.hand_id AND s.seat = p.seat JOIN hands h "
        "ON h.hand_id = p.hand_id JOIN tricks t ON t.hand_id = p.hand_id AND t.trick = p.trick "
        "WHERE p.place = 3) SELECT c.player, count(*) AS n, count(*) FILTER "
        "(right(c.card, 1) IN ('A', 'T') AND left(c.card, 1) <> c.trump) AS fat "
        "FROM c JOIN seats w ON w.hand_id = c.hand_id AND w.seat = c.winner "
        "WHERE w.seat <> c.seat AND (w.role = 'defender') = (c.role = 'defender') GROUP BY 1"
    )
    found = figures(season, [statistic("fat_to_partner")], ["player"])
    assert {f.group["player"]: (f.hits, f.n) for f in found} == {
        r["player"]: (r["fat"], r["n"]) for r in fourth
    }


def test_roem_in_the_database_is_the_engines(season: Store) -> None:
    population = POPULATIONS["member"]
    rows = season.rows(
        "SELECT hand_id, own_seat, held, stuk_held FROM ("
        + population_sql(season, population).replace("{where}", "h.session < '2026-06-20'")
        + ")"
    )
    assert len(rows) > 200
    fours = 0
    for r in rows:
        hand = season.replay(r["hand_id"])
        mask = hand.playing["NESW".index(r["own_seat"])]
        held = best_roem(mask, hand.rules)
        assert r["held"] == held, r
        fours += held >= 100
        assert hand.outcome.trump not in (None, NO_TRUMP)
        king, queen = stuk_cards(hand.outcome.trump or 0)
        assert r["stuk_held"] == bool(mask >> king & 1 and mask >> queen & 1)
    assert fours


def test_what_cannot_be_split_says_so(season: Store) -> None:
    assert not can_split(statistic("made"), ["position"])
    with pytest.raises(ValueError, match="--by position: hands with a contract cannot be split"):
        figures(season, [statistic("made")], ["position"])
    with pytest.raises(ValueError, match="'speed' is no statistic"):
        statistic("speed")


def test_small_figures_are_never_ranked(season: Store) -> None:
    where = "date<2026-06-12"
    found = figures(season, [statistic("beaten"), statistic("score")], ["player"], where)
    assert any(f.small for f in found)
    for f in found:
        assert f.small == (f.n < FEW)
        assert not (f.small and f.rank)
        assert not f.small or f.more is None or f.n + f.more >= FEW
