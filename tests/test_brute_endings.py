"""Worked endings: the plain reading gives the written values, its goals mean what they say."""

import csv
from pathlib import Path

import pytest

from tests import brute
from tests.brute import Past, solve

ENDINGS = list(
    csv.DictReader((Path(__file__).parent / "conformance" / "endings.csv").open(encoding="utf-8"))
)


def hands_in(row: dict[str, str]) -> dict[str, list[str]]:
    return {seat: brute.cards_of(row[seat]) for seat in brute.SEATS}


def test_the_endings_are_all_there():
    assert len(ENDINGS) == 60
    assert {row["goal"] for row in ENDINGS} == {"points", "all", "none"}


@pytest.mark.parametrize(
    "row", ENDINGS, ids=[f"{r['id']}-{r['rules']}-{r['goal']}" for r in ENDINGS]
)
def test_ending(row):
    trump = None if row["trump"] == "-" else row["trump"]
    value = solve(
        row["rules"],
        trump,
        hands_in(row),
        row["leader"],
        brute.cards_of(row["trick"]),
        row["side"],
        row["goal"],
    )
    assert value == int(row["value"])


# Hearts trumps, North leads: he has the jas and an ace that nobody can ruff after it.
TOP = {"N": ["HJ", "SA"], "E": ["H7", "SK"], "S": ["H8", "SQ"], "W": ["D7", "S7"]}
# No trumps: North wins the spade, East the heart, whichever is led first.
SHARED = {"N": ["SA", "H7"], "E": ["SK", "HA"], "S": ["SQ", "HK"], "W": ["SJ", "HQ"]}
# Hearts trumps: North wins with his jas and with nothing else.
JAS = {"N": ["HJ", "D7"], "E": ["HT", "D8"], "S": ["H8", "D9"], "W": ["HK", "DT"]}


def test_points_count_table_and_last_trick():
    # North: jas 20, SA 11, SK 3, SQ 2, last trick 5.
    assert solve("heerlen", "H", TOP, "N", [], "N", "points") == 41
    after_lead = {**TOP, "N": ["SA"]}
    assert solve("heerlen", "H", after_lead, "N", ["HJ"], "N", "points") == 41
    assert solve("heerlen", "H", TOP, "N", [], "ESW", "points") == 0
    # The same tricks by the other table: K 4, Q 3, last trick 10.
    assert solve("fiches", "H", TOP, "N", [], "N", "points") == 48


def test_all_none_and_tricks():
    assert solve("heerlen", "H", TOP, "N", [], "N", "tricks") == 2
    assert solve("heerlen", "H", TOP, "N", [], "N", "all") == 1
    assert solve("heerlen", "H", TOP, "N", [], "EW", "none") == 1
    # The whole hand counts, not the ending alone: one trick went the other way before.
    assert solve("heerlen", "H", TOP, "N", [], "N", "all", past=Past(tricks=6, side=5)) == 0
    assert solve("heerlen", "H", TOP, "N", [], "E", "none", past=Past(tricks=6, side=1)) == 0


def test_first_only_and_exactly_one():
    assert solve("heerlen", None, SHARED, "N", [], "N", "first-only") == 1
    assert solve("heerlen", None, SHARED, "N", [], "N", "exactly-one") == 1
    # East always wins his heart, but North decides whether in the first or the second trick.
    assert solve("heerlen", None, SHARED, "N", [], "E", "exactly-one") == 1
    assert solve("heerlen", None, SHARED, "N", [], "E", "first-only") == 0
    one = Past(tricks=6, side=1, declarer=1, declarer_first=True, declarer_early=1)
    assert solve("heerlen", None, SHARED, "N", [], "W", "first-only", past=one) == 1
    assert solve("heerlen", None, SHARED, "N", [], "N", "first-only", past=one) == 0
    later = Past(tricks=6, side=1, declarer=1)
    assert solve("heerlen", None, SHARED, "N", [], "W", "first-only", past=later) == 0
    assert solve("heerlen", None, SHARED, "N", [], "W", "exactly-one", past=later) == 1


def test_one_with_jas():
    assert solve("butselaar", "H", JAS, "N", [], "N", "one-with-jas") == 1
    with_ace = {**JAS, "N": ["HA", "D7"]}
    assert solve("butselaar", "H", with_ace, "N", [], "N", "exactly-one") == 1
    assert solve("butselaar", "H", with_ace, "N", [], "N", "one-with-jas") == 0
    before = Past(tricks=6, side=1, declarer=1)
    assert solve("butselaar", "H", JAS, "N", [], "N", "one-with-jas", past=before) == 0


def test_first_four_and_all():
    three = Past(tricks=3, side=3, declarer=3, declarer_first=True, declarer_early=3)
    goal = "first-four-and-all"
    assert solve("heerlen", None, SHARED, "N", [], "NE", goal, past=three) == 1
    assert solve("heerlen", None, SHARED, "N", [], "N", goal, past=three) == 0
    # The partner won one of the first four: lost, although the side wins them all.
    two = Past(tricks=3, side=3, declarer=2, declarer_early=2)
    assert solve("heerlen", None, SHARED, "N", [], "NE", goal, past=two) == 0
    assert solve("heerlen", None, SHARED, "N", [], "NE", goal, "E", past=three) == 1


def test_called_card_and_four():
    def value(called: str, before: int, taken: bool = False) -> int:
        past = Past(tricks=6, side=before, side_called=taken)
        goal = "called-card-and-four"
        return solve("heerlen-literal", None, SHARED, "N", [], "NE", goal, "N", called, past)

    assert value("HA", 2) == 1
    assert value("HA", 1) == 0  # three tricks are not four
    assert value("CA", 2) == 0  # the called card is in no trick of the side
    assert value("CA", 2, taken=True) == 1


def test_jas_and_all():
    six = Past(tricks=6, side=6)
    assert solve("heerlen-literal", "H", TOP, "N", [], "N", "jas-and-all", past=six) == 1
    without = {**TOP, "N": ["H9", "SA"]}
    assert solve("heerlen-literal", "H", without, "N", [], "N", "jas-and-all", past=six) == 0
    had_it = Past(tricks=6, side=6, side_jas=True)
    assert solve("heerlen-literal", "H", without, "N", [], "N", "jas-and-all", past=had_it) == 1


def test_a_hand_that_is_no_position_is_refused():
    with pytest.raises(ValueError, match="South holds 1, expected 2"):
        solve("heerlen", None, {**SHARED, "S": ["SQ"]}, "N", [], "N", "all")
    with pytest.raises(ValueError, match="no goal 'most'"):
        solve("heerlen", None, SHARED, "N", [], "N", "most")
