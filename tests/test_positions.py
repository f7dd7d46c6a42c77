"""Which cards may be played: worked positions, and the product against the plain reading."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import CARDS, N_CARDS, NO_TRUMP, PACK, SUITS, card, cards_in, mask_of, names
from engine.play import (
    JAS_EXEMPT,
    LEGAL,
    MUST_OVERTRUMP,
    MUST_TRUMP,
    REVOKE,
    UNDERTRUMP,
)
from engine.rulefile import BUILTIN_IDS, load_ruleset
from tests import brute

POSITIONS = list(
    csv.DictReader(
        (Path(__file__).parent / "conformance" / "legal-positions.csv").open(encoding="utf-8")
    )
)
BY_HAND = 34  # the first positions were worked out by hand and say why


def engine_best(rules: str, trump: int, trick: list[int]) -> int:
    """The card that wins a trick by the engine's tables, or -1."""
    tables = load_ruleset(rules).tables
    best = trick[0] if trick else -1
    for c in trick[1:]:
        if tables.wins(trump, best, c):
            best = c
    return best


def engine_legal(rules: str, trump: str | None, hand: list[str], trick: list[str]) -> list[str]:
    """Legal cards by the engine, as text in pack order."""
    t = SUITS.index(trump) if trump else NO_TRUMP
    table = [card(c) for c in trick]
    mask = load_ruleset(rules).tables.legal(
        t, mask_of(card(c) for c in hand), table[0] if table else -1, engine_best(rules, t, table)
    )
    return names(mask)


def in_pack_order(cards: list[str]) -> list[str]:
    return sorted(cards, key=brute.PACK.index)


def test_the_positions_are_all_there():
    assert len(POSITIONS) == 94
    assert all(row["reason"] for row in POSITIONS[:BY_HAND])


@pytest.mark.parametrize("row", POSITIONS, ids=[f"{r['id']}-{r['rules']}" for r in POSITIONS])
def test_position(row):
    trump = None if row["trump"] == "-" else row["trump"]
    hand, trick = brute.cards_of(row["hand"]), brute.cards_of(row["trick"])
    expected = in_pack_order(brute.cards_of(row["legal"]))
    assert engine_legal(row["rules"], trump, hand, trick) == expected, row["reason"]
    assert in_pack_order(brute.legal_cards(row["rules"], trump, hand, trick)) == expected


def test_both_know_the_same_rule_sets_and_cards():
    assert sorted(BUILTIN_IDS) == sorted(brute.RULE_SETS)
    assert list(CARDS) == brute.PACK


@pytest.mark.parametrize("rules", brute.RULE_SETS)
@pytest.mark.parametrize("trump", [*SUITS, None])
def test_points_of_the_pack(rules, trump):
    """Section 1: 146 / 113 and 162 / 130, card by card and in total."""
    t = SUITS.index(trump) if trump else NO_TRUMP
    loaded = load_ruleset(rules)
    tables = loaded.tables
    points = [int(tables.points[t, c]) for c in range(N_CARDS)]
    assert points == [brute.card_points(rules, trump, c) for c in brute.PACK]
    if rules in brute.HEERLEN_FAMILY:
        expected = 146 if trump else 113
    else:
        expected = 162 if trump else 130
    assert sum(points) + tables.last_trick == expected
    assert brute.total_points(rules, trump) == expected
    assert loaded.total_points[trump is not None] == expected


@pytest.mark.parametrize("rules", brute.RULE_SETS)
@pytest.mark.parametrize("trump", [*SUITS, None])
def test_which_card_beats_which(rules, trump):
    t = SUITS.index(trump) if trump else NO_TRUMP
    tables = load_ruleset(rules).tables
    for best in range(N_CARDS):
        by_engine = names(int(tables.beats[t, best]))
        by_brute = [c for c in brute.PACK if brute.beats(rules, trump, c, CARDS[best])]
        assert by_engine == by_brute, CARDS[best]


rule_sets = st.sampled_from(brute.RULE_SETS)
trump_suits = st.sampled_from([*SUITS, None])


@st.composite
def positions(draw):
    """A hand of 1 to 8 cards and 0 to 3 cards on the table, none of them twice.

    Half the hands come from two suits, so that undertrumping and overtrumping happen often.
    """
    rules, trump = draw(rule_sets), draw(trump_suits)
    n_table, n_hand = draw(st.integers(0, 3)), draw(st.integers(1, 8))
    pack = list(brute.PACK)
    if draw(st.booleans()):
        suits = draw(st.permutations(SUITS))[:2]
        pack = [c for c in pack if c[0] in suits]
    cards = draw(st.permutations(pack))
    return rules, trump, cards[n_table : n_table + n_hand], cards[:n_table]


@settings(max_examples=1500, deadline=None)
@given(positions())
def test_engine_and_plain_reading_agree(position):
    rules, trump, hand, trick = position
    legal = engine_legal(rules, trump, hand, trick)
    assert legal == in_pack_order(brute.legal_cards(rules, trump, hand, trick))
    assert legal
    assert set(legal) <= set(hand)


@settings(max_examples=1500, deadline=None)
@given(positions())
def test_offence_is_named_exactly_when_a_card_is_illegal(position):
    rules, trump, hand, trick = position
    t = SUITS.index(trump) if trump else NO_TRUMP
    tables = load_ruleset(rules).tables
    table = [card(c) for c in trick]
    led = table[0] if table else -1
    best = engine_best(rules, t, table)
    legal = brute.legal_cards(rules, trump, hand, trick)
    mask = mask_of(card(c) for c in hand)
    for played in hand:
        code = tables.offence(t, mask, led, best, card(played))
        if played in legal:
            assert code == LEGAL
            continue
        suit, led_suit, best_card = played[0], trick[0][0], CARDS[best]
        holds_led = any(c[0] == led_suit for c in hand)
        higher = [c for c in hand if c[0] == trump and brute.beats(rules, trump, c, best_card)]
        undercuts = suit == trump and best_card[0] == trump and led_suit != trump
        if code == REVOKE:
            assert suit != led_suit
            assert holds_led
        elif code == UNDERTRUMP:
            assert rules == "heerlen"
            assert undercuts
        elif code == MUST_TRUMP:
            assert suit != trump
            assert led_suit != trump
            assert any(c[0] == trump for c in hand)
            assert rules == "heerlen-literal" or (rules in brute.FICHES_FAMILY and not holds_led)
        elif code == MUST_OVERTRUMP:
            assert rules in brute.FICHES_FAMILY
            assert undercuts
            assert higher
            assert not holds_led
        else:
            pytest.fail(f"offence {code} is none of the four")


@settings(max_examples=600, deadline=None)
@given(positions(), st.integers(1, 8))
def test_an_offence_of_part_of_a_hand_is_one_of_the_whole(position, known):
    """The replay judges by the cards it knows: what those forbid, more cards never allow."""
    rules, trump, hand, trick = position
    t = SUITS.index(trump) if trump else NO_TRUMP
    tables = load_ruleset(rules).tables
    table = [card(c) for c in trick]
    led = table[0] if table else -1
    best = engine_best(rules, t, table)
    part = mask_of(card(c) for c in hand[:known])
    whole = mask_of(card(c) for c in hand)
    for played in cards_in(part):
        if tables.offence(t, part, led, best, played) != LEGAL:
            assert tables.offence(t, whole, led, best, played) != LEGAL


@settings(max_examples=60, deadline=None)
@given(rule_sets, trump_suits, st.permutations(range(N_CARDS)), st.randoms(use_true_random=False))
def test_no_point_appears_or_vanishes_in_play(rules, trump, order, rng):
    """Tricks of both sides, last trick and card out of play make the total (section 1)."""
    t = SUITS.index(trump) if trump else NO_TRUMP
    tables = load_ruleset(rules).tables
    hands = [mask_of(order[i * 8 : i * 8 + 8]) for i in range(4)]
    assert sum(hands) | 1 << order[32] == PACK
    leader, won = 0, [0, 0, 0, 0]
    for number in range(8):
        best, best_seat, led, trick = -1, leader, -1, []
        for turn in range(4):
            seat = (leader + turn) % 4
            played = rng.choice(list(cards_in(tables.legal(t, hands[seat], led, best))))
            hands[seat] ^= 1 << played
            trick.append(played)
            if best < 0 or tables.wins(t, best, played):
                best, best_seat = played, seat
            led = trick[0]
        assert best_seat == "NESW".index(
            brute.winner(rules, trump, "NESW"[leader], [CARDS[c] for c in trick])
        )
        won[best_seat] += sum(int(tables.points[t, c]) for c in trick)
        won[best_seat] += tables.last_trick if number == 7 else 0
        leader = best_seat
    out = int(tables.points[t, order[32]])
    assert sum(won) + out == brute.total_points(rules, trump)


@settings(max_examples=1500, deadline=None)
@given(positions(), st.integers(0, 127))
def test_any_mix_of_duties_leaves_a_card_and_never_forces_the_jas(position, duty):
    """House rules may mix duties at will. With the exemption exactly those cards are legal that
    are legal with the jas or would be without it (5.1)."""
    _, trump, hand, trick = position
    t = SUITS.index(trump) if trump else NO_TRUMP
    tables = replace(load_ruleset("heerlen").tables, duty=duty)
    plain = replace(tables, duty=duty & ~JAS_EXEMPT)
    table = [card(c) for c in trick]
    led = table[0] if table else -1
    best = engine_best("heerlen", t, table)
    held = mask_of(card(c) for c in hand)
    legal = tables.legal(t, held, led, best)
    assert legal
    assert legal & ~held == 0
    for c in cards_in(held):
        assert (tables.offence(t, held, led, best, c) == LEGAL) == bool(legal >> c & 1)
    if duty & JAS_EXEMPT:
        without = held & ~int(tables.jas[t])
        expected = plain.legal(t, held, led, best)
        if without:
            expected |= plain.legal(t, without, led, best)
        assert legal == expected
