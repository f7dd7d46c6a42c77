"""Bids modelled from stored hands: what was held, what counts, what may be drawn."""

import random
from pathlib import Path

import pytest

from engine.cards import card, mask_of
from engine.replay import replay
from engine.rulefile import load_ruleset
from pandoeren_replay.advise import Scene, drawn_deals
from pandoeren_replay.players.stored_bids import (
    LEAST,
    MIN_HANDS,
    counts,
    declared_hands,
    fit_hands,
    stored_bids,
)
from pandoeren_replay.store import Store
from parsers.phl import read_phl
from tests.statistics.conftest import PLAYED, club_text, make_store

HEERLEN = load_ruleset("heerlen")
SEASON = Path(__file__).parents[2] / "data" / "demo" / "season.phl"


def hands_where(wanted: bool, n: int, seed: int) -> list[int]:
    """Random hands of eight with four spades or more and the jack of them, or without that."""
    rng = random.Random(seed)
    out: list[int] = []
    spades = mask_of(map(card, ["SA", "SK", "SQ", "SJ", "ST", "S9", "S8", "S7"]))
    while len(out) < n:
        held = mask_of(rng.sample(range(33), 8))
        fits = (held & spades).bit_count() >= 4 and held >> card("SJ") & 1
        if bool(fits) == wanted:
            out.append(held)
    return out


def test_what_is_bid_on_counts_for_more() -> None:
    """Whoever bids 120 in this club holds the jack and three more trumps, always."""
    model = fit_hands(HEERLEN, [("120", 0, h) for h in hands_where(True, 300, 1)], "test")
    bid = HEERLEN.bid("120")
    assert bid is not None
    found = model.of(bid)
    assert found is not None
    assert found.hands == 300

    def mean(hands: list[int]) -> float:
        return sum(found.weight(counts(h, 0, HEERLEN)) for h in hands) / len(hands)

    usual, unusual = mean(hands_where(True, 300, 2)), mean(hands_where(False, 300, 3))
    assert usual > 8 * unusual
    for held in hands_where(False, 50, 4):
        assert LEAST <= found.weight(counts(held, 0, HEERLEN)) <= 1


def test_too_few_hands_make_no_model() -> None:
    few = fit_hands(HEERLEN, [("120", 0, h) for h in hands_where(True, MIN_HANDS - 1, 1)], "test")
    bid = HEERLEN.bid("120")
    assert bid is not None
    assert few.of(bid) is None
    hand = replay(read_phl(PLAYED[2] + " id=x").records[0])
    assert few.weigher(Scene(hand, 0)) is None


def test_the_cards_that_declarer_played_with(tmp_path: Path) -> None:
    """N has SA SK SQ SJ ST S9 S8 and C7 (deal C) and takes H6, which he discards again."""
    store = make_store(tmp_path / "club", club_text())
    found = list(declared_hands(store, store.rule_set("heerlen")).values())
    c = mask_of(map(card, ["SA", "SK", "SQ", "SJ", "ST", "S9", "S8", "C7"]))
    # Deal A with hearts trumps: he took H6 and put S7 away.
    a = mask_of(map(card, ["SA", "SK", "SQ", "SJ", "ST", "S9", "S8", "H6"]))
    assert ("140", 0, c) in found
    assert ("160", 1, a) in found
    assert len(found) == len(PLAYED)


def test_a_hand_is_left_out_of_the_model_that_judges_it() -> None:
    """As if it had never been there; of the least number of hands no model is left."""
    hands = [("120", 0, h) for h in hands_where(True, 80, 5)]
    odd = [("120", 0, h) for h in hands_where(False, 1, 6)]
    numbers = list(range(500, 581))
    whole = fit_hands(HEERLEN, [*hands, *odd], "test", numbers=numbers)
    bid = HEERLEN.bid("120")
    assert bid is not None
    left = whole.without(580).of(bid)
    never = fit_hands(HEERLEN, hands, "test").of(bid)
    assert left is not None
    assert never is not None
    assert left.hands == never.hands == 80
    assert left.weights == pytest.approx(never.weights, abs=1e-5)
    own = counts(odd[0][2], 0, HEERLEN)
    assert left.weight(own) < whole.models["120"].weight(own)
    assert whole.without(7).models == whole.models
    few = fit_hands(HEERLEN, hands[:MIN_HANDS], "test", numbers=numbers[:MIN_HANDS])
    assert few.of(bid) is not None
    assert few.without(numbers[3]).of(bid) is None


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp("bids") / "store")
    store.import_([SEASON])
    return store


def test_misere_of_the_season_is_low_cards_and_deals_stay_possible(season: Store) -> None:
    rules = season.rule_set("heerlen")
    model = stored_bids(season, rules)
    assert model is stored_bids(season, rules)
    bid = rules.bid("mis")
    assert bid is not None
    misere = model.of(bid)
    assert misere is not None
    low = mask_of(map(card, ["S7", "S8", "H6", "H7", "D7", "D8", "C7", "C8"]))
    high = mask_of(map(card, ["SA", "SK", "HA", "HK", "DA", "DK", "CA", "CK"]))
    assert misere.weight(counts(low, 0, rules)) > 10 * misere.weight(counts(high, 0, rules))
    hand_id = season.rows(
        "SELECT hand_id FROM hands WHERE rules = 'heerlen' AND contract = 'mis' AND errors = 0 "
        "AND plays = 32 ORDER BY 1 LIMIT 1"
    )[0]["hand_id"]
    hand = season.replay(hand_id)
    scene = Scene(hand, 1 if hand.seats[1] != hand.outcome.declarer else 2)
    source, n, exact = drawn_deals(scene, 40, 3, model.weigher)
    assert not exact
    for _ in range(n):
        assert scene.knowledge.admits(next(source))
