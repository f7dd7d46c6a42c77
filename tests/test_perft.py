"""Exact counts: how many legal ways three fixed deals can go, card by card, in each rule set.

A count pins lead, duties and trick winner at once: one card too many or too few anywhere in the
first two tricks changes it. The pinned numbers are reached twice, by the plain reading of the rules
and by the product's own primitives.
"""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import NO_TRUMP, SUITS, card, cards_in, mask_of, seat
from engine.play import (
    JAS_EXEMPT,
    MAY_RUFF,
    NO_UNDERTRUMP,
    OVERTRUMP,
    OVERTRUMP_LED,
    TRUMP_ALWAYS,
    TRUMP_WHEN_VOID,
    PlayTables,
)
from engine.rulefile import BUILTIN_IDS, load_ruleset
from tests import brute

DEALS = list(
    csv.DictReader((Path(__file__).parent / "golden" / "perft.csv").open(encoding="utf-8"))
)
DEPTHS = range(1, 9)
ids = [f"{row['rules']}-{row['shape']}" for row in DEALS]


def engine_perft(
    tables: PlayTables,
    trump: int,
    hands: tuple[int, ...],
    leader: int,
    table: tuple[int, ...],
    depth: int,
) -> int:
    """Legal continuations of ``depth`` cards by the product's primitives."""
    turn, best, led = leader, -1, -1
    winner = leader
    for c in table:
        if best < 0 or tables.wins(trump, best, c):
            best, winner = c, turn
        turn = (turn + 1) % 4
    if len(table) == 4:
        return engine_perft(tables, trump, hands, winner, (), depth)
    if table:
        led = table[0]
    legal = tables.legal(trump, hands[turn], led, best)
    if depth == 1:
        return legal.bit_count()
    count = 0
    for c in cards_in(legal):
        rest = (*hands[:turn], hands[turn] ^ (1 << c), *hands[turn + 1 :])
        count += engine_perft(tables, trump, rest, leader, (*table, c), depth - 1)
    return count


def count_by_engine(row: dict[str, str], tables: PlayTables, depth: int) -> int:
    trump = NO_TRUMP if row["trump"] == "-" else SUITS.index(row["trump"])
    held = brute.hands_of(row["deal"])
    hands = tuple(mask_of(card(c) for c in held[s]) for s in brute.SEATS)
    return engine_perft(tables, trump, hands, seat(row["leader"]), (), depth)


def test_three_deals_for_every_rule_set():
    assert sorted(row["rules"] for row in DEALS) == sorted(3 * list(BUILTIN_IDS))
    for row in DEALS:
        assert sorted(row["deal"]) == sorted("NESW" * 8 + "M")


# Duties that change nothing beside the others of a rule set (any one more would be seen): a ban on
# undertrumping beside a duty to overtrump and the reverse, ruffing rules beside "always trump".
NO_EFFECT = {"heerlen": OVERTRUMP, "heerlen-literal": MAY_RUFF | TRUMP_WHEN_VOID}
FICHES_NO_EFFECT = NO_UNDERTRUMP
ALL_DUTIES = (
    MAY_RUFF,
    TRUMP_WHEN_VOID,
    TRUMP_ALWAYS,
    OVERTRUMP,
    OVERTRUMP_LED,
    NO_UNDERTRUMP,
    JAS_EXEMPT,
)


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_one_duty_more_or_less_changes_a_count(rules):
    """The deals are telling: with any single duty flipped a pinned number comes out wrong."""
    row = next(r for r in DEALS if r["rules"] == rules and r["shape"] == "long-short")
    right = load_ruleset(rules).tables
    idle = FICHES_NO_EFFECT if rules in brute.FICHES_FAMILY else NO_EFFECT.get(rules, 0)
    for duty in ALL_DUTIES:
        wrong = replace(right, duty=right.duty ^ duty)
        counts = [count_by_engine(row, wrong, d) for d in range(1, 7)]
        same = counts == [int(row[f"depth{d}"]) for d in range(1, 7)]
        assert same == bool(idle & duty), duty


@pytest.mark.parametrize("row", DEALS, ids=ids)
def test_plain_reading(row):
    trump = None if row["trump"] == "-" else row["trump"]
    hands = brute.hands_of(row["deal"])
    counts = [brute.perft(row["rules"], trump, hands, row["leader"], d) for d in DEPTHS]
    assert counts == [int(row[f"depth{d}"]) for d in DEPTHS]


@pytest.mark.parametrize("row", DEALS, ids=ids)
def test_engine(row):
    tables = load_ruleset(row["rules"]).tables
    counts = [count_by_engine(row, tables, d) for d in DEPTHS]
    assert counts == [int(row[f"depth{d}"]) for d in DEPTHS]
