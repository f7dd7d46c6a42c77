"""The solver against the plain reading: written endings, random endings, full deals."""

import csv
import random
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import CARDS, N_CARDS, NO_TRUMP, SEATS, SUITS, cards_in, mask_of
from engine.rulefile import load_ruleset
from engine.solver import (
    OBJECTIVES,
    Interrupted,
    Limits,
    Position,
    Search,
    reaches,
    solve,
    solve_position,
    values,
)
from tests import brute

HERE = Path(__file__).parent
# How many random endings of each length: the plain reading takes seconds for five cards.
ENDINGS = {1: 300, 2: 650, 3: 850, 4: 190, 5: 12}


def endings():
    with (HERE / "conformance" / "endings.csv").open(encoding="utf-8") as f:
        return list(csv.DictReader(f))


@pytest.mark.parametrize("row", endings(), ids=lambda r: f"{r['id']}-{r['rules']}-{r['goal']}")
def test_written_ending(row):
    value = solve_position(
        row["rules"],
        None if row["trump"] == "-" else row["trump"],
        {s: brute.cards_of(row[s]) for s in SEATS},
        row["leader"],
        brute.cards_of(row["trick"]),
        row["side"],
        row["goal"],
    )
    assert value == int(row["value"])


def random_deal(rng, rules_id):
    """A deal with a declarer, a trump suit, perhaps a partner, and a card called."""
    rules = load_ruleset(rules_id)
    deck = rng.sample(range(N_CARDS), N_CARDS)
    hands = tuple(mask_of(deck[i * 8 : i * 8 + 8]) for i in range(4))
    declarer = rng.randrange(4)
    others = [c for s in range(4) if s != declarer for c in cards_in(hands[s])]
    called = rng.choice(others)
    side = 1 << declarer
    if rng.random() < 0.7:
        side |= next(1 << s for s in range(4) if hands[s] >> called & 1)
    return Position(
        rules,
        rng.choice([0, 1, 2, 3, NO_TRUMP]),
        hands,
        rng.randrange(4),
        side,
        declarer,
        called=called,
    )


def played(rng, position, plies):
    """A position that can really arise: played on at random."""
    for _ in range(plies):
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


@pytest.mark.parametrize("cards", ENDINGS)
def test_random_endings(cards):
    rng = random.Random(cards)
    combinations = [(r, o) for o in OBJECTIVES for r in brute.RULE_SETS]
    rng.shuffle(combinations)
    for n in range(ENDINGS[cards]):
        rules_id, objective = combinations[n % len(combinations)]
        position = played(rng, random_deal(rng, rules_id), 32 - 4 * cards + rng.randrange(4))
        expected = brute_value(position, objective)
        solution = solve(position, objective)
        assert solution.value == expected, (objective, position)
        if objective in ("points", "tricks"):
            assert reaches(position, expected, objective)
            assert not reaches(position, expected + 1, objective)


@pytest.mark.parametrize("rules_id", brute.RULE_SETS)
def test_what_is_said_without_a_search_is_so(rules_id):
    """Sure tricks, and what is thrown on them, never promise too much to either side."""
    rng = random.Random(rules_id)
    said = 0
    for n in range(240):
        position = played(rng, random_deal(rng, rules_id), 32 - 4 * (2 + n % 2))
        value = brute_value(position, "points")
        search = Search(position)
        for need in range(1, search.total(position) + 1):
            try:
                answer = search.reaches(position, need, Limits(nodes=0))
            except Interrupted:
                continue
            assert answer == (value >= need), (need, value, position)
            said += 1
    assert said > 1000


def hidden_value(position, objective):
    """Plain minimax where the partner counts from the fall of the called card (RULES 3.2)."""
    if not any(position.hands) and not position.trick:
        return 0
    found = []
    for c in cards_in(position.legal()):
        then = position.after(c)
        gain = (
            then.points[0] - position.points[0]
            if objective == "points"
            else then.tricks[0] - position.tricks[0]
        )
        found.append(gain + hidden_value(then, objective))
    return max(found) if position.side >> position.to_play & 1 else min(found)


def test_partner_counts_from_the_fall_of_the_called_card():
    rng = random.Random(31)
    differs = checked = 0
    while checked < 140:
        deal = random_deal(rng, rng.choice(brute.RULE_SETS))
        position = played(rng, replace(deal, from_reveal=True), 20 + rng.randrange(5))
        if position.hidden is None or position.side.bit_count() == 1:
            continue
        checked += 1
        objective = "points" if checked % 4 else "tricks"
        expected = hidden_value(position, objective)
        assert solve(position, objective).value == expected, position
        differs += expected != solve(replace(position, from_reveal=False), objective).value
    assert differs >= 5


def joining_value(position, objective):
    """Plain minimax where the winner of the first trick joins declarer (RULES 3.3)."""
    if not any(position.hands) and not position.trick:
        return int(position.tricks[1] == 0)
    found = [joining_value(position.after(c), objective) for c in cards_in(position.legal())]
    return max(found) if position.side >> position.to_play & 1 else min(found)


def test_winner_of_the_first_trick_joins():
    rng = random.Random(7)
    made = 0
    for _ in range(200):
        deal = random_deal(rng, "butselaar")
        # Three cards a hand stand for the whole: the first trick is still to come.
        hands = tuple(mask_of(rng.sample(list(cards_in(h)), 3)) for h in deal.hands)
        start = replace(
            deal,
            hands=hands,
            trump=NO_TRUMP,
            side=1 << deal.declarer,
            called=None,
            first_joins=True,
        )
        expected = joining_value(start, "all")
        assert solve(start, "all").value == expected
        made += expected
        later = played(rng, start, 5)
        assert later.side >> later.winners[0] & 1
        assert solve(later, "all").value == joining_value(later, "all")
    assert 0 < made < 200


def test_a_card_out_of_turn():
    rng = random.Random(3)
    for _ in range(40):
        deal = played(rng, random_deal(rng, "heerlen"), 20)
        a, b, c, d = ((deal.leader + i) % 4 for i in range(4))
        turned = replace(deal, order=(a, c, b, d)).after(rng.choice(list(cards_in(deal.legal()))))
        assert turned.to_play == c
        assert solve(turned).value == hidden_value(turned, "points")


@pytest.mark.parametrize("rules_id", ["heerlen", "fiches", "butselaar"])
def test_values_do_not_depend_on_what_was_solved_before(rules_id):
    rng = random.Random(11)
    for _ in range(3):
        start = random_deal(rng, rules_id)
        one, other = Search(start), Search(start, many=True)
        line = [start]
        for _ in range(30):
            line.append(played(rng, line[-1], 1))
        forwards = [one.value(p) for p in line[4:]]
        backwards = [other.value(p) for p in reversed(line[4:])]
        assert forwards == backwards[::-1]
        assert one.values(line[6]) == values(line[6]) == other.values(line[6])
        # Another deal in between takes the memory; the answers stay.
        solve(played(rng, random_deal(rng, rules_id), 12))
        assert [one.value(p) for p in line[4:]] == forwards


def test_two_searches_in_two_threads():
    rng = random.Random(5)
    deals = [played(rng, random_deal(rng, "heerlen"), 8) for _ in range(6)]
    expected = [solve(p).value for p in deals]
    found = {}

    def work(k):
        found[k] = [solve(p).value for p in (deals if k else deals[::-1])]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == {0: expected[::-1], 1: expected}


def test_both_sides_together_share_everything():
    rng = random.Random(23)
    for rules_id in ("heerlen", "fiches"):
        for _ in range(3):
            deal = played(rng, random_deal(rng, rules_id), 4)
            search = Search(deal)
            other = replace(deal, side=15 ^ deal.side, declarer=(deal.declarer + 1) % 4)
            other = replace(other, declarer=next(s for s in range(4) if other.side >> s & 1))
            assert search.value(deal) + Search(other).value(other) == search.total(deal)


def test_a_node_limit_gives_proven_bounds():
    rng = random.Random(2)
    exact = 0
    while not 30 < exact < 110:  # a deal that needs a search
        deal = random_deal(rng, "heerlen")
        exact = solve(deal).value
    cut = 0
    for nodes in (1, 50, 500, 5000):
        found = solve(deal, limits=Limits(nodes=nodes))
        assert found.lower <= exact <= found.upper
        assert found == solve(deal, limits=Limits(nodes=nodes)), "the same on every machine"
        cut += found.value is None
    assert cut
    assert solve(deal, limits=Limits(nodes=10**9)).value == exact
    with pytest.raises(Interrupted):
        reaches(deal, exact, limits=Limits(nodes=1))


def test_a_search_can_be_stopped():
    rng = random.Random(8)
    stop = threading.Event()
    stop.set()
    for _ in range(20):
        deal = random_deal(rng, "heerlen")
        found = solve(deal, limits=Limits(stop=stop))
        if found.value is None:
            break
    else:
        pytest.fail("twenty deals were solved before anybody looked at the event")
    assert 0 <= found.lower < found.upper
    assert solve(deal).value is not None, "a stopped search leaves nothing behind"


SECOND = """
from tests.test_solver import random_deal, played
from engine.solver import solve
import random
rng = random.Random(1)
for rules in ("heerlen", "fiches"):
    position = played(rng, random_deal(rng, rules), 8)
    print(solve(position).value, solve(position, "all").value, solve(position, "none").value)
"""


def test_a_second_process_with_the_compiled_search_at_hand():
    here = HERE.parent
    run = [
        subprocess.run(
            [sys.executable, "-c", SECOND], cwd=here, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    rng = random.Random(1)
    for line, rules in zip(run[1].splitlines(), ("heerlen", "fiches"), strict=True):
        position = played(rng, random_deal(rng, rules), 8)
        expected = [solve(position, o).value for o in ("points", "all", "none")]
        assert [int(x) for x in line.split()] == expected
    assert run[0] == run[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"goal": "most"}, "no goal 'most'"),
        ({"trump": "X"}, "'X' is not a trump suit"),
        ({"side": ""}, "names no seat"),
        ({"side": "Q"}, "'Q' is not a seat"),
        ({"leader": "X"}, "'X' is not a seat"),
        ({"hands": {"N": ["SA"]}}, "expected N, E, S and W"),
        ({"trick": ["SA"]}, "SA stands in two places"),
        ({"trick": ["CA"]}, "expected"),
        ({"trick": ["S2"]}, "'S2' is not a card"),
        ({"rules": "midden"}, "no rule set 'midden'"),
    ],
)
def test_what_is_no_position_is_said(change, words):
    given = {
        "rules": "heerlen",
        "trump": "H",
        "hands": {"N": ["SA"], "E": ["SK"], "S": ["SQ"], "W": ["SJ"]},
        "leader": "N",
        "trick": [],
        "side": "NS",
        "goal": "points",
    }
    assert solve_position(**given) == 22
    with pytest.raises(ValueError, match=words):
        solve_position(**{**given, **change})


def test_rules_by_path_and_object(tmp_path):
    house = tmp_path / "club.toml"
    house.write_text('id = "club"\nbase = "heerlen"\n[cards]\nlast_trick = 9\n', encoding="utf-8")
    hands = {"N": ["SA"], "E": ["SK"], "S": ["SQ"], "W": ["SJ"]}
    for rules in (str(house), house, load_ruleset(house)):
        assert solve_position(rules, None, hands, "N", [], "N", "points") == 11 + 3 + 2 + 1 + 9
