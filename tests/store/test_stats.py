"""Statistics on a store made by hand, values worked out by hand."""

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.stats import GROUPINGS, statistics, wilson
from pandoeren_replay.store import Store
from parsers.base import Source

# A score sheet of eight hands, heerlen. Scores: 130 counts 1, piccolo 3, 150 counts 2.
#   declarer  contract  result          who                  declarer's score
SHEET = """\
heerlen . . =N130 . . . made;score=N+1,E0,S+1,W0;partner=S id=1;n=Anna;s=Cor;date=2026-10-01
heerlen . . =N130 . . . lost;score=N-1,E0,S-1,W0;partner=S id=2;n=Anna;s=Cor;date=2026-10-01
heerlen . . =N130 . . . made;score=N+1,E0,S+1,W0;partner=S id=3;n=Anna;s=Cor;date=2026-11-05
heerlen . . =Npic . . . lost;score=N-3,E0,S0,W0;partner=- id=4;n=Anna;s=Cor;date=2026-11-05
heerlen . . =S150 . . . made;score=N+2,E0,S+2,W0;partner=N id=5;n=Anna;s=Cor;date=2026-11-05
heerlen . . =S150 . . . . id=6;n=Anna;s=Cor
heerlen N . -,-,-,- . . . void id=7;n=Anna;s=Cor
heerlen . . =?? . . . made id=8;n=Anna;s=Cor
"""


@pytest.fixture
def sheet(store: Store) -> Store:
    totals = import_paths(store, [Source("sheet.phl", SHEET.encode())])
    assert (totals.stored, totals.rejected) == (8, 0)
    return store


def test_per_contract(sheet: Store) -> None:
    rows = statistics(sheet).to_dicts()
    # Six hands have a contract; hand 6 is undecided; the passed-out and the unknown one are out.
    got = [(r["contract"], r["n"], r["decided"], r["made"]) for r in rows]
    assert got == [("130", 3, 3, 2), ("150", 2, 1, 1), ("pic", 1, 1, 0)]
    assert rows[0]["rate"] == pytest.approx(2 / 3)
    # Wilson for 2 of 3 at 95%, by hand: z = 1.96, (0.6667 + 0.6403 ± 0.6972) / 2.2805
    assert rows[0]["low"] == pytest.approx(0.2077, abs=5e-4)
    assert rows[0]["high"] == pytest.approx(0.9385, abs=5e-4)
    assert rows[0]["margin"] is None  # no cards, no points


def test_per_player_pair_month_seat(sheet: Store) -> None:
    players = {r["player"]: r for r in statistics(sheet, ["player"]).to_dicts()}
    assert (players["Anna"]["n"], players["Anna"]["made"]) == (4, 2)
    assert (players["Cor"]["n"], players["Cor"]["decided"]) == (2, 1)
    months = {r["month"]: r["n"] for r in statistics(sheet, ["month"]).to_dicts()}
    assert months == {"2026-10": 2, "2026-11": 3}
    seats = {r["seat"]: r["n"] for r in statistics(sheet, ["seat"]).to_dicts()}
    assert seats == {"N": 4, "S": 2}
    both = statistics(sheet, ["player", "contract"], "date=2026-11").to_dicts()
    assert [(r["player"], r["contract"], r["n"]) for r in both] == [
        ("Anna", "130", 1), ("Anna", "pic", 1), ("Cor", "150", 1),
    ]  # fmt: skip


@pytest.mark.parametrize("by", sorted(GROUPINGS))
def test_every_row_leads_to_exactly_its_hands(full: Store, by: str) -> None:
    rows = statistics(full, [by]).to_dicts()
    assert rows
    for row in rows:
        assert full.count(row["where"]) == row["n"], row["where"]


def test_rows_add_up_to_all_hands(full: Store) -> None:
    for by in ("contract", "rules", "source"):
        assert statistics(full, [by])["n"].sum() == full.count("played=yes")


def test_margin_is_points_and_meld_above_the_bid(full: Store) -> None:
    row = statistics(full, ["rules"], "id=sample-17").to_dicts()[0]
    # sample-17: 150 bid, 120 points and 20 roem: 10 short.
    assert (row["margin"], row["margin_n"], row["score"]) == (-10.0, 1, -2.0)


def test_wilson_stays_between_nought_and_one() -> None:
    low, high = wilson(0, 5) or (9.0, 9.0)
    assert low == 0
    assert high == pytest.approx(0.4345, abs=5e-4)
    low, high = wilson(5, 5) or (9.0, 9.0)
    assert high == 1
    assert low == pytest.approx(0.5655, abs=5e-4)


def test_unknown_grouping_is_named(sheet: Store) -> None:
    with pytest.raises(ValueError, match="--by weather: expected one of contract, "):
        statistics(sheet, ["weather"])
