"""The compiled simple players: they decide as the slow ones do, and write what they play."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from engine.batch import columns_from_records, replay_columns
from engine.cards import NO_TRUMP, mask_of
from engine.record import HandRecord
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from pandoeren_replay.export import named
from pandoeren_replay.players.bidding import Bidder, bidder_for
from pandoeren_replay.players.fitted import kept_models
from pandoeren_replay.players.valuation import want_of
from pandoeren_replay.simulate import BLOCK, Simulator, Temper, simulate, simulate_lines
from parsers.base import Options
from parsers.phl import read_phl, write_phl
from tests.cli.conftest import Run, run
from tests.players.judge import Judge, with_result

__all__ = ["run"]

CLUB = str(files("data") / "rules" / "zilveren-troef.toml")
MIXED = str(Path(__file__).with_name("half-exchange.toml"))
"""Contracts with and without the middle card in one rule set."""
RULES = [*BUILTIN_IDS, CLUB, MIXED]


@pytest.mark.parametrize("rules", RULES)
def test_every_decision_is_that_of_the_slow_players(rules: str) -> None:
    """Deals, calls, trumps, discards, called cards, announcements, cards and results."""
    loaded = load_ruleset(rules)
    judge = Judge(bidder_for(loaded))
    rng = np.random.default_rng(77)
    rng.integers(1, 2**63, 1)
    played = 0
    for made in simulate(60, 77, loaded):
        told = with_result(judge.hand(rng), loaded)
        assert replace(made, meta=()) == told
        played += len(made.plays) == 32
    assert played > 20


@pytest.mark.parametrize("rules", RULES)
def test_features_and_discards_of_any_hand(rules: str) -> None:
    loaded = load_ruleset(rules)
    bidder = bidder_for(loaded)
    judge = Judge(bidder)
    rng = np.random.default_rng(5)
    for _ in range(150):
        cards = [int(c) for c in rng.permutation(33)[:9]]
        hand, nine = mask_of(cards[:8]), mask_of(cards)
        for trump in range(NO_TRUMP + 1):
            assert bidder.eval.features(hand, trump).tolist() == judge.features(hand, trump)
            for c in loaded.contracts.values():
                if c.trump or trump == NO_TRUMP:
                    gone = bidder.eval.discard(nine, trump, want_of(c))
                    assert gone == judge.discard(nine, trump, c.goal)


@pytest.mark.parametrize("rules", RULES)
def test_one_question_at_a_time_as_in_the_loop(rules: str) -> None:
    """What a player at a table asks for (plans, wishes, choice) is what the loop uses."""
    loaded = load_ruleset(rules)
    simulator = Simulator(loaded, seed=9)
    judge = Judge(simulator.bidder)
    rng = np.random.default_rng(3)
    for i in range(40):
        order = [int(c) for c in rng.permutation(33)]
        hand = mask_of(order[:8])
        plans = simulator.bidder.plans(hand, order[32])
        told = judge.plans(hand, order[32])
        assert {k: (p.trump, p.hand, p.discard, p.mean) for k, p in plans.items()} == {
            k: (p.trump, p.hand, p.gone, p.z) for k, p in told.items()
        }
        simulator.rng, other = np.random.default_rng(i), np.random.default_rng(i)
        wishes = simulator._wishes(hand, plans, Temper(0.2))
        wanted = judge.wishes(other, told, 0.2)
        assert [b for b, _ in wishes] == [b for b, _ in wanted]
        assert [w for _, w in wishes] == pytest.approx([w for _, w in wanted])
        for best in (None, *(b for b, _ in wishes[::5])):
            assert simulator._choose(best, wishes) == judge.choose(other, best, wanted)


@pytest.mark.parametrize("rules", RULES)
def test_thousands_of_hands_break_no_rule(rules: str) -> None:
    loaded = load_ruleset(rules)
    text = b"".join(lines for _, lines in simulate_lines(2500, 6, loaded)).decode()
    records = records_of(text, rules)
    assert len({r.deal for r in records}) == len(records) == 2500
    assert {r.get("src") for r in records} == {"simulated"}
    result = replay_columns(columns_from_records(records), loaded)
    assert result.violations.size == 0
    for record in records[::50]:
        assert [v.message() for v in replay(record, loaded).violations] == []


def records_of(text: str, rules: str) -> list[HandRecord]:
    read = read_phl(text, options=Options(rules=None if rules in BUILTIN_IDS else rules))
    assert read.rejects == []
    return read.records


@pytest.mark.parametrize("rules", RULES)
def test_lines_are_those_of_the_general_writer(rules: str) -> None:
    loaded = load_ruleset(rules)
    lines = b"".join(lines for _, lines in simulate_lines(400, 12, loaded)).decode()
    told = [write_phl(named(r, loaded.id, loaded.content_hash)) for r in simulate(400, 12, loaded)]
    assert lines.splitlines() == told


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_kept_models_are_those_that_are_fitted(rules: str) -> None:
    """To the last bit on one machine; elsewhere a hand alike in two suits may turn out otherwise,
    and move a weight a little."""
    loaded = load_ruleset(rules)
    assert kept_models(loaded) is not None, "run python -m benchmarks.fit_players"
    kept, fitted = Bidder(loaded), Bidder(loaded, kept=False)
    rng = np.random.default_rng(2)
    hands = [mask_of(int(c) for c in rng.permutation(33)[:8]) for _ in range(300)]
    for number, key in enumerate(loaded.auction.order):
        trump = 0 if loaded.contracts[key].trump else NO_TRUMP
        x = np.array([kept.eval.features(hand, trump) for hand in hands])
        one, other = x @ kept.models[key].weights, x @ fitted.models[key].weights
        assert np.abs(one - other).mean() < 0.1 * one.std()
        assert kept.models[key].sigma == pytest.approx(fitted.models[key].sigma, rel=0.05)
        assert kept.rare[key] == pytest.approx(fitted.rare[key], abs=0.05)
        assert kept.rows["rare"][number] == kept.rare[key]


def test_a_seed_gives_these_hands_everywhere() -> None:
    """Written down once; a change of the players or of the rule set changes them."""
    hands = hashlib.sha256()
    for rules in BUILTIN_IDS:
        for _, lines in simulate_lines(200, 2, rules):
            hands.update(lines)
    assert hands.hexdigest()[:16] == "8d4aa628d37d6e8e"


def test_same_hands_however_many_processes_and_hands() -> None:
    n = BLOCK + 300
    alone = b"".join(lines for _, lines in simulate_lines(n, 4))
    done = []
    shared = b""
    for so_far, lines in simulate_lines(n, 4, jobs=2):
        done.append(so_far)
        shared += lines
    assert shared == alone
    assert done == [BLOCK, n]
    few = b"".join(lines for _, lines in simulate_lines(BLOCK + 7, 4))
    assert alone.startswith(few)
    assert few.count(b"\n") == BLOCK + 7
    assert len({line.split()[2] for line in alone.splitlines()}) == n


def test_a_hundred_million_hands_come_block_by_block() -> None:
    hands = simulate_lines(100_000_000, 8)
    first, second = next(hands), next(hands)
    hands.close()
    assert (first[0], second[0]) == (BLOCK, 2 * BLOCK)
    assert f"id=sim-8-{BLOCK + 1};".encode() in second[1].splitlines()[0]


def test_an_offence_is_planted_where_it_was_asked_for() -> None:
    simulator = Simulator("fiches", seed=3)
    codes = [{v.code for v in replay(simulator.hand(fault="revoke")).violations} for _ in range(30)]
    assert sum(bool(c) for c in codes) > 5


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_it_leaves_no_half_file(tmp_path: Path, jobs: int) -> None:
    program = "from pandoeren_replay.cli import main; main()"
    command = [sys.executable, "-c", program, "simulate", "-n", "50000000", "--jobs", str(jobs),
               "-o", str(tmp_path / "much.phl")]  # fmt: skip
    running = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 120
    while not any(f.stat().st_size for f in tmp_path.iterdir()):
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)
    _, told = running.communicate(timeout=120)
    assert running.returncode == 130
    assert b"Traceback" not in told
    assert list(tmp_path.iterdir()) == []


def test_command(run: Run, tmp_path: Path) -> None:
    one, other = tmp_path / "1.phl", tmp_path / "2.phl"
    assert run("simulate", "-n", "30", "--seed", "5", "--rules", CLUB, "-o", one).code == 0
    made = run("simulate", "-n", "30", "--seed", "5", "--rules", CLUB, "--jobs", "2", "-o", other)
    assert made.code == 0
    assert one.read_bytes() == other.read_bytes()
    refused = run("simulate", "-n", "2", "--players", "solver", "--jobs", "2")
    assert (refused.code, refused.out) == (2, "")
    assert "--jobs" in refused.err
