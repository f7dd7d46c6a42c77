"""The simple players: legal, reproducible, better than random cards, sensible bids."""

from collections import Counter, defaultdict
from importlib.resources import files
from math import sqrt
from statistics import mean, stdev

import pytest

from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from pandoeren_replay.players.bidding import deal_cards
from pandoeren_replay.simulate import FAULTS, Simulator, Temper, simulate
from parsers.phl import read_phl


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_own_hands_break_no_rule(rules: str) -> None:
    simulator = Simulator(rules, seed=11)
    for _ in range(40):
        record = simulator.hand()
        assert [v.message() for v in replay(record).violations] == []
        assert record.get("src") == "simulated"


def test_same_seed_same_hands() -> None:
    assert list(simulate(5, seed=3)) == list(simulate(5, seed=3))
    assert list(simulate(5, seed=3)) != list(simulate(5, seed=4))


def test_they_beat_random_cards_on_duplicate_deals() -> None:
    """1,000 deals, each played twice with the same deal and dealer: once N-S, once E-W skilled."""
    simulator = Simulator("heerlen", seed=21)
    good, poor = Temper(), Temper(skilled=False)
    differences = []
    for i in range(1000):
        hands, middle = deal_cards(simulator.rng)
        total = 0
        for ns_good in (True, False):
            tempers = (good, poor, good, poor) if ns_good else (poor, good, poor, good)
            record = simulator.hand(i % 4, tempers, deal=([*hands], middle))
            score = replay(record).outcome.score
            assert score is not None
            ns = score[0] + score[2] - score[1] - score[3]
            total += ns if ns_good else -ns
        differences.append(total / 2)
    half_width = 1.96 * stdev(differences) / sqrt(len(differences))
    assert mean(differences) - half_width > 0


def test_no_contract_of_the_demo_is_hopeless_or_certain() -> None:
    made: dict[tuple[str, str], list[bool]] = defaultdict(list)
    records = read_phl((files("data") / "demo" / "season.phl").read_text("utf-8")).records
    assert len(records) >= 2000
    for record in records:
        outcome = replay(record).outcome
        if outcome.bid is not None:
            made[str(record.rules), outcome.bid.key].append(bool(outcome.made))
    for rules in ("heerlen", "butselaar", "fiches"):
        assert {k for r, k in made if r == rules} == set(load_ruleset(rules).auction.order)
    for (_, key), results in list(made.items()):
        made["all", key] = made.get(("all", key), []) + results
    rates = {k: sum(v) / len(v) for k, v in made.items() if len(v) >= 30}
    assert len(rates) >= 15
    assert {k: r for k, r in rates.items() if not 0.15 <= r <= 0.90} == {}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    codes = {
        "revoke": {"revoke", "undertrump"},
        "bid-too-low": {"bid-too-low"},
        "points": {"points-mismatch"},
        "result": {"result-mismatch"},
        "stuk": {"stuk-not-held", "stuk-too-late"},
    }[fault]
    simulator = Simulator("heerlen", seed=8)
    found: Counter[str] = Counter()
    for _ in range(60):
        codes_here = {v.code for v in replay(simulator.hand(fault=fault)).violations}
        assert codes_here <= codes
        found.update(codes_here)
    assert sum(found.values()) >= 10


def test_a_clubs_own_rules_are_played_too() -> None:
    rules = load_ruleset(str(files("data") / "rules" / "zilveren-troef.toml"))
    simulator = Simulator(rules, seed=2)
    bids = set()
    for _ in range(40):
        record = simulator.hand()
        r = replay(record, rules)
        assert [v.message() for v in r.violations] == []
        bids.add(r.outcome.contract)
    assert "100" in bids
