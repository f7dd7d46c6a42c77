"""What cards cost, added up when they are valued: the same as looking at every card again."""

import random
import shutil
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.cards import CARD_INDEX
from pandoeren_replay.correct import correct, text_of
from pandoeren_replay.importer import import_paths
from pandoeren_replay.maintenance import undo_import
from pandoeren_replay.reparse import reparse_hands
from pandoeren_replay.statistics import queries
from pandoeren_replay.statistics.compute import figures
from pandoeren_replay.statistics.drill import hands_behind
from pandoeren_replay.statistics.glossary import STATISTICS, statistic
from pandoeren_replay.store import Store, losses, schema
from parsers.base import Options, Source
from tests.statistics.conftest import club_text, make_store

SUMMED = [s for s in STATISTICS if s.summed or s.population in ("judged", "analysed")]


def invent(store: Store) -> None:
    """Three values for every card played: its own and those of two others.

    Whoever is to play wants the best of them for his side; after a broken rule (the revoke of P5)
    a card may bring more than any allowed one. P4 is about reaching something instead of points.
    """
    draw = random.Random(6)
    rows = []
    for hand in store.rows("SELECT * FROM hands WHERE plays > 0 ORDER BY hand_id"):
        points = hand["id"] != "played-4"
        revoked = {v["ply"] for v in store.violations(hand["hand_id"])}
        for p in store.rows("SELECT * FROM plays WHERE hand_id = ?", [hand["hand_id"]]):
            values = [draw.choice((100, 125, 146, 150)) if points else draw.randint(0, 1)
                      for _ in range(3)]  # fmt: skip
            own = p["seat"] in (hand["declarer"], hand["partner"])
            best = (max if own else min)(values)
            if p["ply"] in revoked:
                values[0] = best + 20 if own else best - 20
            other = [c for c in CARD_INDEX if c != p["card"]][:2]
            rows += [
                (hand["hand_id"], p["ply"], CARD_INDEX[card], "points" if points else "all",
                 value, best, card == p["card"], "invented")
                for card, value in zip((p["card"], *other), values, strict=True)
            ]  # fmt: skip
    with store.writing() as con:
        con.executemany("INSERT INTO evaluation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


@pytest.fixture(scope="module")
def valued(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = make_store(tmp_path_factory.mktemp("valued") / "store", club_text())
    invent(store)
    return store


def made(hand: dict[str, Any], goal: str, value: int) -> bool:
    """Does a hand that ends so make its contract?"""
    return value + hand["meld_side"] >= hand["target"] if goal == "points" else value == 1


def by_hand(store: Store, query: str) -> dict[int, list[dict[str, Any]]]:
    out: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in store.rows(query):
        out[row["hand_id"]].append(row)
    return out


@pytest.fixture(scope="module")
def cards(valued: Store) -> list[dict[str, Any]]:
    """The obvious way: every card played, one by one, from the views."""
    plays = by_hand(valued, "SELECT * FROM plays")
    values = by_hand(valued, "SELECT * FROM evaluations")
    errors = by_hand(valued, "SELECT * FROM violations WHERE severity = 'error'")
    out = []
    for hand in valued.rows("SELECT * FROM hands WHERE plays > 0"):
        wrong = {v["ply"] for v in errors[hand["hand_id"]]}
        for p in plays[hand["hand_id"]]:
            rows = [v for v in values[hand["hand_id"]] if v["ply"] == p["ply"]]
            (own,) = (r for r in rows if r["played"])
            side = p["seat"] in (hand["declarer"], hand["partner"])
            cost = own["best"] - own["value"] if side else own["value"] - own["best"]
            role = ("declarer" if p["seat"] == hand["declarer"] else
                    "partner" if p["seat"] == hand["partner"] else "defender")  # fmt: skip
            turned = made(hand, own["goal"], own["best"]) != made(hand, own["goal"], own["value"])
            name = hand[{"N": "north", "E": "east", "S": "south", "W": "west"}[p["seat"]]]
            out.append({
                "hand": hand["hand_id"], "contract": hand["contract"], "player": name,
                "role": role, "session": hand["session"], "trick": p["trick"], "ply": p["ply"],
                "goal": own["goal"],
                "cost": cost, "turned": cost > 0 and turned,
                "mattered": len({r["value"] for r in rows}) > 1 and p["ply"] not in wrong,
            })  # fmt: skip
    return out


COUNTS: dict[str, tuple[Callable[[dict[str, Any]], bool], Callable[[dict[str, Any]], int]]] = {
    "lost_by_trick": (lambda c: c["goal"] == "points", lambda c: c["cost"]),
    "accuracy": (lambda c: c["mattered"], lambda c: c["cost"] <= 0),
    "blunders": (lambda c: c["mattered"], lambda c: c["turned"]),
    "lead_accuracy": (lambda c: c["mattered"] and c["ply"] == 0, lambda c: c["cost"] <= 0),
}


@pytest.mark.parametrize(
    "by",
    [
        ["player"],
        ["role"],
        ["trick"],
        ["contract"],
        ["trick", "contract"],
        ["trick", "role"],
        ["player", "trick"],
        ["trick", "session"],
    ],
)
def test_as_counted_card_by_card(valued: Store, cards: list[dict[str, Any]], by: list[str]) -> None:
    assert len(cards) == 6 * 32
    for name, (over, value) in COUNTS.items():
        wanted: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        behind: dict[tuple[Any, ...], set[int]] = defaultdict(set)
        for c in filter(over, cards):
            key = tuple(c[g] for g in by)
            wanted[key].append(value(c))
            behind[key].add(c["hand"])
        found = {tuple(f.group.values()): f for f in figures(valued, [statistic(name)], by)}
        assert {k: (f.n, f.value) for k, f in found.items()} == {
            k: (len(v), pytest.approx(sum(v) / len(v))) for k, v in wanted.items()
        }
        for key, f in list(found.items())[:2]:
            assert set(hands_behind(valued, f.where)) == behind[key]


def test_the_way_to_hits_and_misses(valued: Store, cards: list[dict[str, Any]]) -> None:
    mine = [c for c in cards if c["player"] == "Bas" and c["mattered"]]
    for hit in ("yes", "no"):
        wanted = {c["hand"] for c in mine if (c["cost"] <= 0) == (hit == "yes")}
        found = hands_behind(valued, f"counted='accuracy;player=Bas;hit={hit}'")
        assert set(found) == wanted


def test_points_lost_by_hand_and_role(valued: Store, cards: list[dict[str, Any]]) -> None:
    for role in ("declarer", "partner", "defender"):
        lost: dict[tuple[str, int], int] = defaultdict(int)
        for c in cards:
            if c["role"] == role and c["goal"] == "points":
                lost[c["player"], c["hand"]] += c["cost"]
        for f in figures(valued, [statistic(f"lost_as_{role}")], ["player"]):
            mine = [v for (name, _), v in lost.items() if name == f.group["player"]]
            assert (f.n, f.value) == (len(mine), pytest.approx(sum(mine) / len(mine)))


def every_figure(store: Store) -> list[dict[str, Any]]:
    out = []
    for by in (["player"], ["contract"], ["session"]):
        out += [replace(f).as_dict() for f in figures(store, SUMMED, by)]
    out += [f.as_dict() for f in figures(store, [statistic("lost_by_trick")])]
    by_trick = [s for s in SUMMED if s.summed]
    return out + [f.as_dict() for f in figures(store, by_trick, ["player", "trick"])]


def test_intervals_and_all_else_are_those_of_the_cards(
    valued: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = every_figure(valued)
    assert {f["statistic"] for f in quick} == {s.id for s in SUMMED}
    monkeypatch.setattr(queries, "summed_sql", lambda population, sql: None)
    assert quick == every_figure(valued)


def tables(store: Store) -> dict[str, list[dict[str, Any]]]:
    return {t: store.rows(f"SELECT * FROM {t} ORDER BY ALL") for t in losses.TABLES}


def worked_out_anew(store: Store) -> dict[str, list[dict[str, Any]]]:
    """The tables as views over the values, as a lake has them."""
    with duckdb.connect(str(shutil.copyfile(store.file(), store.path / "copy.duckdb"))) as con:
        losses.loss_views(con)
        out = {}
        for t in losses.TABLES:
            found = con.execute(f"SELECT * FROM {t} ORDER BY ALL")
            names = [d[0] for d in found.description]
            out[t] = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    return out


def test_a_store_of_an_older_version_gets_them(valued: Store, tmp_path: Path) -> None:
    older = Store(shutil.copytree(valued.path, tmp_path / "older"))
    with duckdb.connect(str(older.file())) as con:
        for table in (*losses.TABLES, "contract_score"):
            con.execute(f"DROP TABLE {table}")
        con.execute("UPDATE store_info SET value = '10' WHERE key = 'schema_version'")
    assert tables(older) == tables(valued)
    # Before 13 there were two other tables instead of the packed one.
    older = Store(shutil.copytree(valued.path, tmp_path / "of-12"))
    with duckdb.connect(str(older.file())) as con:
        con.execute("DROP TABLE card_loss")
        for table in ("seat_loss", "trick_loss"):
            con.execute(f"CREATE TABLE {table} (hand_id BIGINT NOT NULL)")
        con.execute("UPDATE store_info SET value = '12' WHERE key = 'schema_version'")
    assert tables(older) == tables(valued)
    there = {r["name"] for r in older.rows("SELECT table_name AS name FROM duckdb_tables()")}
    assert not there & {"seat_loss", "trick_loss"}
    assert schema.SCHEMA_VERSION > 12


def test_they_go_and_change_with_their_hands(tmp_path: Path) -> None:
    first, *rest = club_text().splitlines()[-6:]
    store = make_store(tmp_path / "store", "\n".join([first, *rest[:3]]) + "\n")
    import_paths(store, [Source("more.phl", "\n".join(rest[3:]).encode())])
    invent(store)
    assert len(tables(store)["card_loss"]) == 6 * 4
    assert tables(store) == worked_out_anew(store)
    # Another name: the corrected hand is not valued yet.
    old = store.find("played-1")
    correct(store, old, text_of(store, old).replace('[West "Dirk"]', '[West "Dirk Jan"]'))
    assert {r["hand_id"] for r in tables(store)["hand_value"]} == set(range(1, 7)) - {old}
    assert tables(store) == worked_out_anew(store)
    # P5 and P6 go with their import.
    undo_import(store, 2)
    assert len(tables(store)["card_loss"]) == 3 * 4
    assert tables(store) == worked_out_anew(store)
    # What the cards are worth by other rules is not known yet.
    reparse_hands(store, Options(rules="heerlen-literal"), where="id=played-2")
    assert store.rows("SELECT rules FROM hands WHERE id = 'played-2'")[0]["rules"] != "heerlen"
    assert {r["hand_id"] for r in tables(store)["hand_value"]} == {3, 4}
    assert tables(store) == worked_out_anew(store)


def test_values_that_are_replaced(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", club_text())
    invent(store)
    before = tables(store)
    with store.writing() as con:
        con.execute("UPDATE evaluation SET value = best, solver = 'newer' WHERE hand_id = 25")
        losses.renew(con, [25])
    assert tables(store) == worked_out_anew(store) != before
    packed = [r for r in tables(store)["card_loss"] if r["hand_id"] == 25]
    assert {r[f"c{t}"] for r in packed for t in range(1, 9)} == {0}


def test_two_cards_of_one_player_to_a_trick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card out of turn: the first two cards of trick 2 are of one player, who so has two rows."""
    store = make_store(tmp_path / "store", club_text())
    invent(store)
    hand = store.find("played-1")
    seats = "".join(
        r["seat"]
        for r in store.rows("SELECT seat FROM plays WHERE hand_id = ? ORDER BY ply", [hand])
    )
    assert sorted(seats[4:8]) == sorted("NESW")
    twice = seats[:5] + seats[4] + seats[6:]
    with store.writing() as con:
        assert con.execute("SELECT 1 FROM hand_row WHERE hand_id = ?", [hand]).fetchall()
        con.execute("UPDATE hand_row SET play_seats = ? WHERE hand_id = ?", [twice, hand])
        losses.renew(con, [hand])
    packed = store.rows("SELECT * FROM card_loss WHERE hand_id = ? ORDER BY seat, layer", [hand])
    own, other = "NESW".index(seats[4]), "NESW".index(seats[5])
    assert [(r["seat"], r["layer"]) for r in packed] == sorted(
        [(s, 0) for s in range(4)] + [(own, 1)]
    )
    by_place = {(r["seat"], r["layer"]): [r[f"c{t}"] for t in range(1, 9)] for r in packed}
    assert [c is None for c in by_place[own, 1]] == [t != 2 for t in range(1, 9)]
    assert [c is None for c in by_place[other, 0]] == [t == 2 for t in range(1, 9)]
    quick = every_figure(store)
    monkeypatch.setattr(queries, "summed_sql", lambda population, sql: None)
    assert quick == every_figure(store)
    one_by_one = store.rows(
        f"SELECT seat, sum(cost) AS cost FROM ({losses.choices()}) WHERE hand_id = ? GROUP BY seat",
        [hand],
    )
    monkeypatch.undo()
    only = f"number={hand}"
    told = {
        "NESW".index(f.group["seat"]): f.value
        for role in ("declarer", "partner", "defender")
        for f in figures(store, [statistic(f"lost_as_{role}")], ["seat"], only)
    }
    assert told == {r["seat"]: r["cost"] for r in one_by_one}
