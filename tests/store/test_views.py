"""The views say what the replay says."""

import json
from typing import Any

import pytest

from engine.cards import CARDS, SEATS
from engine.replay import replay
from engine.state import Replay, suit_json
from pandoeren_replay.store import Store


@pytest.fixture(scope="module")
def replays(full: Store) -> dict[int, Replay]:
    read_by = {r["hand_id"]: (r["rules"], r["rules_hash"]) for r in full.rows("TABLE hands")}
    rules = {key: full.rule_set(*key) for key in set(read_by.values())}
    return {i: replay(record, rules[read_by[i]]) for i, record in full.records()}


def test_hands(full: Store, replays: dict[int, Replay]) -> None:
    for row in full.rows("SELECT * FROM hands"):
        r, o = replays[row["hand_id"]], replays[row["hand_id"]].outcome
        assert row["deal"] == (None if set(r.record.deal) == {"?"} else r.record.deal)
        assert row["contract"] == o.contract
        assert row["declarer"] == (None if o.declarer is None else SEATS[o.declarer])
        partner = None if o.partner is None else "-" if o.partner < 0 else SEATS[o.partner]
        assert row["partner"] == partner
        trump = None if o.trump is None else "-" if o.trump == 4 else suit_json(o.trump)
        assert row["trump"] == trump
        assert row["made"] is o.made
        side = None if o.points is None else o.points[0]
        assert row["points_side"] == side
        assert row["errors"] == sum(v.severity == "error" for v in r.violations)
        if o.score and o.declarer is not None:
            assert row["declarer_score"] == o.score[o.declarer]
        if row["margin"] is not None:
            assert o.bid is not None
            assert o.points is not None
            assert o.meld is not None
            assert row["margin"] == o.points[0] + o.meld[0] - o.bid.target


def test_plays(full: Store, replays: dict[int, Replay]) -> None:
    got: dict[int, list[tuple[object, object]]] = {i: [] for i in replays}
    for row in full.rows("SELECT hand_id, seat, card FROM plays ORDER BY hand_id, ply"):
        got[row["hand_id"]].append((row["seat"], row["card"]))
    for i, r in replays.items():
        want = [
            (None if s is None else SEATS[s], CARDS[p.card])
            for s, p in zip(r.seats, r.record.plays, strict=True)
        ]
        assert got[i] == want, i


def test_tricks_add_up_to_the_points(full: Store, replays: dict[int, Replay]) -> None:
    winners: dict[int, list[str]] = {i: [] for i in replays}
    points: dict[int, int] = dict.fromkeys(replays, 0)
    for row in full.rows("SELECT hand_id, winner, points FROM tricks ORDER BY hand_id, trick"):
        winners[row["hand_id"]].append(row["winner"])
        points[row["hand_id"]] += row["points"] or 0
    for i, r in replays.items():
        assert winners[i] == [SEATS[w] for w in r.outcome.winners]
        if r.outcome.points is not None:
            assert points[i] == sum(r.outcome.points), i


def test_calls(full: Store, replays: dict[int, Replay]) -> None:
    rows = full.rows("SELECT * FROM calls ORDER BY hand_id, call")
    got: dict[int, list[dict[str, object]]] = {i: [] for i in replays}
    for row in rows:
        got[row["hand_id"]].append(row)
    for i, r in replays.items():
        events = [e for e in r.events if e.kind == "call"]
        assert [c["text"] for c in got[i]] == [c.text for c in r.record.auction]
        assert [c["valid"] for c in got[i]] == [e.data["valid"] for e in events]
        seats = [None if e.seat is None else SEATS[e.seat] for e in events]
        assert [c["seat"] for c in got[i]] == seats


def test_melds(full: Store, replays: dict[int, Replay]) -> None:
    got: dict[int, list[tuple[object, ...]]] = {i: [] for i in replays}
    for m in full.rows("SELECT * FROM melds ORDER BY hand_id, claim"):
        got[m["hand_id"]].append((m["ply"], m["seat"], m["kind"], m["value"], m["cards"]))
    for i, r in replays.items():
        want = [
            (c.ply, SEATS[c.seat], c.kind, c.value, "".join(CARDS[x] for x in c.cards) or None)
            for c in r.record.claims
        ]
        assert got[i] == want
    stands = full.rows("SELECT count(*) FILTER (stands) AS yes, count(*) AS n FROM melds")[0]
    events = [e for r in replays.values() for e in r.events if e.kind == "claim"]
    assert stands["n"] == len(events)
    assert stands["yes"] == sum(bool(e.data["stands"]) for e in events)


def test_violations(full: Store, replays: dict[int, Replay]) -> None:
    got: dict[int, list[dict[str, Any]]] = {i: [] for i in replays}
    for row in full.rows("SELECT * FROM violations ORDER BY hand_id, seq"):
        got[row["hand_id"]].append(row | {"params": json.loads(row["params"] or "{}")})
    seen: set[str] = set()
    for i, r in replays.items():
        assert [v["code"] for v in got[i]] == [v.code for v in r.violations]
        assert [v["message"] for v in got[i]] == [v.message() for v in r.violations]
        assert [v["params"].keys() for v in got[i]] == [v.params.keys() for v in r.violations]
        if new := {v.code for v in r.violations} - seen:
            assert full.violations(i) == got[i]
            seen |= new
    assert len(seen) > 20


def test_roles_partition_the_hands(full: Store) -> None:
    row = full.rows(
        "SELECT count(*) AS seats, count(DISTINCT hand_id) AS hands, "
        "count(*) FILTER (role = 'declarer') AS declarers FROM seats"
    )[0]
    assert row["seats"] == 4 * row["hands"]
    known = full.rows("SELECT count(*) AS n FROM hands WHERE NOT passed_out AND declarer <> ''")
    assert row["declarers"] == known[0]["n"]


def test_players_and_sessions(full: Store) -> None:
    players = {r["name"]: r["hands"] for r in full.rows("SELECT * FROM players")}
    assert players == {"Anna": 20, "Bas": 20, "Cor van Dijk": 20, "Dirk": 20}
    sessions = {r["session"]: r["hands"] for r in full.rows("SELECT * FROM sessions")}
    assert sessions["heerlen-03"] == 16
    assert sum(sessions.values()) == full.count("session!=none-such and session~-")
