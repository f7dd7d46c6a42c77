"""Partner and score that only a second source of a hand records."""

from collections.abc import Callable
from typing import Any

import pytest

from pandoeren_replay.maintenance import undo_import
from pandoeren_replay.stats import measure, statistics
from pandoeren_replay.store import Store

Put = Callable[..., Any]
NAMES = "n=Anna;e=Bas;s=Cor;w=Dirk;date=2026-11-28;session=club;hand=1"
# N's bid stands at 130; the server lost the cards. N's side lost, says the sheet, E was with N,
# and each of them pays one.
SERVER = f"heerlen W . 130,-,-,- . . . . id=server-1;{NAMES}"
SHEET = f"heerlen W . =N130 . . . lost;score=N-1,E-1,S0,W0;partner=E {NAMES}"


@pytest.fixture
def told(put: Put, store: Store) -> Store:
    put(SERVER + "\n", name="server.phl")
    assert put(SHEET + "\n", name="sheet.phl").merged == 1
    assert store.count() == 1
    return store


def test_what_a_second_source_records_counts(told: Store) -> None:
    (hand,) = told.rows("SELECT * FROM hands")
    assert (hand["partner"], hand["partner_name"], hand["partner_from"]) == ("E", "Bas", "recorded")
    assert [hand[f"score_{s}"] for s in "nesw"] == [-1, -1, 0, 0]
    assert (hand["declarer_score"], hand["score_from"], hand["success"]) == (-1, "recorded", False)
    roles = told.rows("SELECT player, role, score FROM seats ORDER BY player")
    assert [tuple(r.values()) for r in roles] == [
        ("Anna", "declarer", -1), ("Bas", "partner", -1), ("Cor", "defender", 0),
        ("Dirk", "defender", 0),
    ]  # fmt: skip
    (row,) = statistics(told, ["pair"]).to_dicts()
    assert (row["pair"], row["n"], row["made"], row["score"]) == ("Anna – Bas", 1, 0, -1)
    beaten = measure(told, ["beaten"], ["player"]).to_dicts()
    assert {(r["player"], r["hits"], r["n"]) for r in beaten} == {("Cor", 1, 1), ("Dirk", 1, 1)}


def test_it_goes_with_that_source(told: Store) -> None:
    undo_import(told, 2)
    (hand,) = told.rows("SELECT * FROM hands")
    assert hand["id"] == "server-1"
    assert (hand["partner"], hand["score_n"], hand["score_from"], hand["success"]) == (
        None, None, None, None,
    )  # fmt: skip


def test_two_that_say_otherwise_leave_it_open(put: Put, told: Store) -> None:
    """A third source with another partner: what they do not agree on is not known."""
    other = SHEET.replace("partner=E", "partner=S").replace("E-1,S0", "E0,S-1")
    put(other + "\n", name="other.phl")
    (hand,) = told.rows("SELECT * FROM hands")
    assert (hand["partner"], hand["score_e"], hand["score_s"]) == (None, None, None)
    assert (hand["score_n"], hand["success"]) == (-1, False)
    assert len(told.sources_of(hand["hand_id"])) == 3
