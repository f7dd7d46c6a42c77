"""The solver against the plain reading: written endings, random endings, full deals."""

import csv
import random
from pathlib import Path

import pytest

from engine.cards import CARDS, N_CARDS, NO_TRUMP, SEATS, SUITS, cards_in, mask_of
from engine.rulefile import load_ruleset
from engine.solver import OBJECTIVES, Position, solve, solve_position
from tests import brute

HERE = Path(__file__).parent
N_ENDINGS = 2000


def cards_of(text):
    return brute.cards_of(text)


def endings():
    with (HERE / "conformance" / "endings.csv").open(encoding="utf-8") as f:
        return list(csv.DictReader(f))


@pytest.mark.parametrize("row", endings(), ids=lambda r: f"{r['id']}-{r['rules']}-{r['goal']}")
def test_written_ending(row):
    value = solve_position(
        row["rules"],
        None if row["trump"] == "-" else row["trump"],
        {s: cards_of(row[s]) for s in SEATS},
        row["leader"],
        cards_of(row["trick"]),
        row["side"],
        row["goal"],
    )
    assert value == int(row["value"])


def random_ending(rng, rules_id):
    """A position of up to five cards a hand that can really arise: a deal played at random."""
    rules = load_ruleset(rules_id)
    trump = rng.choice([0, 1, 2, 3, NO_TRUMP])
    deck = rng.sample(range(N_CARDS), N_CARDS)
    hands = tuple(mask_of(deck[i * 8 : i * 8 + 8]) for i in range(4))
    declarer = rng.randrange(4)
    side = 1 << declarer
    if rng.random() < 0.6:
        side |= 1 << rng.randrange(4)
    others = [c for s in range(4) if s != declarer for c in cards_in(hands[s])]
    position = Position(
        rules, trump, hands, rng.randrange(4), side, declarer, called=rng.choice(others)
    )
    for _ in range(rng.randrange(12, 30)):
        position = position.after(rng.choice(list(cards_in(position.legal()))))
    return position


def past_of(position):
    """What the plain reading wants to know of the tricks before."""
    own = [w == position.declarer for w in position.winners]
    jas = int(position.rules.tables.jas[position.trump])
    side_won = mask_of(
        c for s in range(4) if position.side >> s & 1 for c in cards_in(position.won[s])
    )
    called = 0 if position.called is None else 1 << position.called
    return brute.Past(
        tricks=len(own),
        side=sum(position.side >> w & 1 for w in position.winners),
        declarer=sum(own),
        declarer_first=bool(own and own[0]),
        declarer_early=sum(own[:4]),
        declarer_jas=bool(position.won[position.declarer] & jas),
        side_jas=bool(side_won & jas),
        side_called=bool(side_won & called),
    )


def brute_value(position, objective):
    return brute.solve(
        position.rules.id,
        None if position.trump == NO_TRUMP else SUITS[position.trump],
        {s: [CARDS[c] for c in cards_in(position.hands[i])] for i, s in enumerate(SEATS)},
        SEATS[position.leader],
        [CARDS[c] for c in position.trick],
        "".join(s for i, s in enumerate(SEATS) if position.side >> i & 1),
        objective,
        SEATS[position.declarer],
        None if position.called is None else CARDS[position.called],
        past_of(position),
    )


@pytest.mark.parametrize("rules_id", brute.RULE_SETS)
def test_random_endings(rules_id):
    rng = random.Random(rules_id)
    for n in range(N_ENDINGS // len(brute.RULE_SETS) + 1):
        position = random_ending(rng, rules_id)
        objective = OBJECTIVES[n % len(OBJECTIVES)]
        found = solve(position, objective)
        assert found.value == brute_value(position, objective), (objective, position)
