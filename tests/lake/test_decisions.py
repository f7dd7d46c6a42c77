"""One row a decision says what the replay says, and nothing that its player could not see."""

import random
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from engine.cards import CARDS, SEATS, cards_in
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.state import hand_text
from pandoeren_replay import legal_cards
from pandoeren_replay.analyze import analyze
from pandoeren_replay.decisions import COLUMNS, decision_tables, decisions, write_parquet
from pandoeren_replay.importer import import_paths
from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_import import import_lake
from pandoeren_replay.store import Store
from tests.engine.dealing import random_record
from tests.lake.conftest import CASES


def cards(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def test_rows_are_the_states_of_the_replay(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    import_paths(store, sorted(CASES.glob("*.phl")))
    frame = pl.concat(list(decision_tables(store, part=100)))
    assert frame.columns == list(COLUMNS)
    seen = 0
    for (hand_id,), rows in frame.group_by("hand_id", maintain_order=True):
        if int(hand_id) % 3:  # type: ignore[call-overload]
            continue  # one in three of these kinds of hands: the plain reading is slow
        done = store.replay(int(hand_id))  # type: ignore[call-overload]
        assert rows["card"].to_list() == [CARDS[p.card] for p in done.record.plays[:32]]
        for row in rows.iter_rows(named=True):
            state = done.at(row["ply"])
            assert row["table"] == "".join(CARDS[c] for _, c in state.trick)
            played = "".join(CARDS[p.card] for p in done.record.plays[: row["ply"]])
            assert row["played"] + row["table"] == played
            assert row["exposed"] == "".join(SEATS[s] for s in state.exposed)
            if row["seat"] is None:
                assert row["hand"] is None
                continue
            seat = SEATS.index(row["seat"])
            assert seat == state.to_play
            assert row["hand"] == hand_text(state.hands[seat])
            if row["legal"] is None:
                continue
            seen += 1
            trump = None if row["trump"] == "-" else row["trump"]
            legal = legal_cards(row["rules"], trump, cards(row["hand"]), cards(row["table"]))
            assert sorted(cards(row["legal"])) == sorted(legal)
            assert row["choices"] == len(legal)
            assert row["regular"] == (row["card"] in legal)
            told = {v.code for v in done.violations if v.ply == row["ply"]}
            broken = {"revoke", "undertrump", "must-trump", "must-overtrump", "not-held",
                      "played-twice"}  # fmt: skip
            assert row["regular"] == (not told & broken)
    assert seen > 10_000


@pytest.mark.parametrize("rules_id", BUILTIN_IDS)
def test_hidden_cards_do_not_show(rules_id: str) -> None:
    """Two unseen hands change a card that is still to be played: the row stays as it is."""
    rules = load_ruleset(rules_id)
    rng = random.Random(5)
    changed = 0
    for _ in range(60):
        record = replace(random_record(rng, rules), claims=())
        if not record.plays:
            continue
        ply = rng.randrange(len(record.plays))
        record = replace(record, plays=record.plays[: ply + 1])
        done = replay(record, rules)
        seat, state = done.seats[ply], done.at(ply)
        assert seat is not None
        others = [s for s in range(4) if s != seat and s not in state.exposed]
        others = [s for s in others if s != done.outcome.declarer and state.hands[s]]
        if len(others) < 2 or any(v.severity == "error" for v in done.violations):
            continue
        one, two = rng.sample(others, 2)
        a = rng.choice(list(cards_in(state.hands[one])))
        b = rng.choice(list(cards_in(state.hands[two])))
        deal = list(record.deal)
        deal[a], deal[b] = deal[b], deal[a]
        other = replay(replace(record, deal="".join(deal)), rules)
        if any(v.severity == "error" for v in other.violations):
            continue  # the cards played so far would have been illegal
        assert list(decisions(done))[ply] == list(decisions(other))[ply]
        changed += 1
    assert changed > 5


def test_values_and_files(tmp_path: Path) -> None:
    store, lake = Store(tmp_path / "store"), Lake(tmp_path / "lake")
    import_paths(store, [CASES / "sample.phl"])
    import_lake(lake, [CASES / "sample.phl"])
    analyze(store)
    place = tmp_path / "d.parquet"
    with place.open("wb") as f:
        count = write_parquet(decision_tables(store, part=2), f)
    frame = pl.read_parquet(place)
    assert frame.height == count == store.rows("SELECT sum(plays)::INT AS n FROM hands")[0]["n"]
    assert pq.ParquetFile(place).num_row_groups > 1
    valued = frame.filter(pl.col("values").is_not_null())
    assert valued.height > 30
    for row in valued.iter_rows(named=True):
        worth = {k: int(v) for k, v in (x.split(":") for x in row["values"].split(" "))}
        assert worth[row["card"]] == row["value"]
        assert row["loss"] == abs(row["best"] - row["value"])
        assert set(cards(row["legal"])) <= set(worth)
        assert row["best"] in [worth[c] for c in cards(row["legal"])]
    ours = pl.concat(list(decision_tables(store))).drop(
        "hand_id", "goal", "value", "best", "loss", "values"
    )
    theirs = pl.concat(list(decision_tables(lake))).select(ours.columns)
    by = ["auction", "card", "ply", "hand"]
    assert ours.sort(by).equals(theirs.sort(by))


def test_columns_are_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "scale.md").read_text("utf-8")
    for name, (_, meaning) in COLUMNS.items():
        assert f"| `{name}` | {meaning} |" in text
