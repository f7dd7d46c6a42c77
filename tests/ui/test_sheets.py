"""Score sheets on the pages: they count, and every page says that they have no cards."""

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.ui.evenings import evening
from pandoeren_replay.ui.filterbar import Filter
from pandoeren_replay.ui.source import Source
from parsers.base import Source as Text

from .test_pages import open_page, words

# Twelve hands, six with auction and six without; Anna (N) declares all, with Bas (E).
SHEET = "\n".join(
    f"heerlen W . {'120,-,-,-' if i % 2 else '=N120'} . . . "
    f"{'made;score=N+1,E+1,S0,W0' if i < 8 else 'lost;score=N-1,E-1,S0,W0'};partner=E "
    f"id={i};n=Anna;e=Bas;s=Cor;w=Dirk;session=x"
    for i in range(12)
)


@pytest.fixture
def sheet(own_store):
    totals = import_paths(own_store, [Text("sheet.phl", (SHEET + "\n").encode())])
    assert (totals.stored, totals.rejected) == (12, 0)
    return own_store


@pytest.mark.parametrize(
    ("name", "query", "of"),
    [
        ("contracts", {}, "12 van deze 12"),
        ("partners", {}, "12 van deze 12"),
        ("bidding", {}, "6 van deze 6"),
        ("players", {}, "48 van deze 48"),
        ("players", {"name": "Bas"}, "12 van deze 12"),
    ],
)
def test_pages_say_that_there_are_no_cards(sheet, name, query, of):
    test = open_page(name, **query)
    assert not test.exception
    assert f"{of} komen van scorelijsten, zonder kaarten" in words(test)


def test_hands_without_an_auction_count_on_the_bidding_page(sheet):
    test = open_page("bidding", "en")
    assert "Of 6 hands only the contract is known, not the auction" in words(test)
    (row,) = [r for r in Source(str(sheet.path)).measured(["declares"], "player", "")
              if r["player"] == "Anna"]  # fmt: skip
    assert (row["hits"], row["n"], row["no_cards"]) == (12, 12, 12)


def test_the_list_can_be_limited_to_hands_with_cards(sheet):
    asked = Filter.from_query({"cards": "no", "player": "Bas", "role": "partner"})
    assert asked.where() == "player='Bas' and role=partner and cards=no"
    assert Filter.from_where("cards=no").query() == {"cards": "no"}
    assert Filter.from_query({"cards": "perhaps"}).cards == ""
    assert Source(str(sheet.path)).count(asked.where()) == 12
    assert Source(str(sheet.path)).count(Filter(cards="yes").where()) == 0


def test_standings_hold_recorded_scores(sheet):
    # +1 eight times, -1 four times, for declarer and partner.
    players = {p["name"]: p for p in Source(str(sheet.path)).players()}
    assert {n: p["score"] for n, p in players.items()} == {
        "Anna": 4, "Bas": 4, "Cor": 0, "Dirk": 0,
    }  # fmt: skip
    assert (players["Bas"]["partner"], players["Cor"]["defender"]) == (12, 12)
    assert players["Anna"]["without_cards"] == 12


def test_a_hand_passed_out_on_a_sheet_is_called_so(own_store):
    text = "heerlen W . . . . . void id=p;n=Anna;e=Bas;s=Cor;w=Dirk;session=x\n" + SHEET + "\n"
    import_paths(own_store, [Text("sheet.phl", text.encode())])
    first = evening(Source(str(own_store.path)), "x", "heerlen", "nl").played[0]
    assert (first.title, first.made, first.change) == (
        "Rondgepast: niemand bood",
        None,
        (0, 0, 0, 0),
    )
