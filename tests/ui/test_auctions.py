"""Auctions counted, against a count of every hand by itself."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from engine.replay import replay
from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store
from pandoeren_replay.ui.auctions import auctions
from pandoeren_replay.ui.source import Source

from .conftest import HANDS

EVENING = Path(__file__).parents[2] / "data" / "demo" / "evening.phl"


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Source:
    """Hands of several rule sets; in the demo evening some bids are too low."""
    made = Store(tmp_path_factory.mktemp("auctions") / "store")
    assert import_paths(made, [HANDS, EVENING]).rejected == 0
    return Source(str(made.path))


def judge(source: Source, where: str):
    """Hand by hand from the replay: places, openings, players."""
    places, players = defaultdict(Counter), defaultdict(Counter)
    openings = defaultdict(Counter)
    hands = 0
    for number, record in source.store.records(where):
        if source.store.row(number)["has_auction"] != "recorded":
            continue
        hands += 1
        made = source.store.rows("SELECT success FROM hands WHERE hand_id = ?", [number])[0]
        played = replay(record, source.store.rules_of(number))
        calls = [e for e in played.events if e.kind == "call" and e.data["valid"]]
        bids = [(e.seat, e.data["text"]) for e in calls if e.data["text"] != "-"]
        o = played.outcome
        counts = []
        for seat in range(4):
            one = Counter(n=1, bids=any(s == seat for s, _ in bids), wins=o.declarer == seat)
            if one["wins"] and made["success"] is not None:
                one += Counter(decided=1, made=made["success"])
            counts.append(one)
            if played.dealer is not None:
                places[(seat - played.dealer - 1) % 4] += one
            if record.player(seat):
                players[record.player(seat)] += one
        if bids:
            stood = o.bid is not None and o.bid.text == bids[0][1]
            one = Counter(n=1, stood=stood)
            if stood and made["success"] is not None:
                one += Counter(decided=1, made=made["success"])
            openings[played.rules.id, bids[0][1]] += one
    return hands, places, openings, players


@pytest.mark.parametrize("where", ["", "rules=heerlen", "made=no", "simulated=yes"])
def test_auctions_are_counted_as_hand_by_hand(source, where):
    hands, places, openings, players = judge(source, where)
    found = auctions(source, where)
    assert found.hands == hands > 0
    assert {p["place"]: +Counter({k: v for k, v in p.items() if k != "place"})
            for p in found.places} == places  # fmt: skip
    shown = {}
    for o in found.openings:
        names = ("n", "stood", "made", "decided")
        shown[o["rules"], o["opening"]] = +Counter({k: o[k] for k in names})
    assert shown == openings
    names = ("n", "bids", "wins", "made", "decided")
    assert {p["player"]: +Counter({k: p[k] for k in names}) for p in found.players} == players


def test_too_low_a_bid_is_none(source):
    """Of hand 8 of the demo evening (150, then a 120 by E that does not count)."""
    low = source.store.rows("SELECT hand_id FROM violations WHERE code = 'bid-too-low' LIMIT 1")
    number = low[0]["hand_id"]
    calls = source.store.rows("SELECT * FROM calls WHERE hand_id = ? ORDER BY call", [number])
    wrong = next(c for c in calls if not c["valid"])
    found = auctions(source, f"number={number}")
    bidders = {c["seat"] for c in calls if c["valid"] and c["is_bid"]}
    assert sum(p["bids"] for p in found.places) == len(bidders)
    assert wrong["seat"] not in bidders
