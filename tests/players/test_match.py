"""Players at a table: legal, duplicate and fair; programs that answer well and badly."""

import sys
from pathlib import Path

import numpy as np
import pytest

from engine.cards import CARDS
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from pandoeren_replay.matches import ARRANGEMENTS, Table, make_player, match, simulate_by
from pandoeren_replay.players.bidding import bidder_for, deal_cards, want_of
from pandoeren_replay.players.protocol import PlayerError, ProcessPlayer
from tests.cli.conftest import Run, run

__all__ = ["run"]

HEERLEN = load_ruleset("heerlen")

BOT = """
import json, sys
for line in sys.stdin:
    q = json.loads(line)
    if q["ask"] == "call":
        out = {"call": "120" if not q["contract"] and q["number"] % 2 else "-"}
    elif q["ask"] == "declare":
        aces = [s + "A" for s in "SHDC" if s + "A" not in q["hand"]]
        kings = [s + "K" for s in "SHDC" if s + "K" not in q["hand"]]
        gone = [c for c in q["hand"] if c[1] != "A"][0]
        out = {"trump": "H", "discard": gone, "called": (aces or kings)[0]}
    else:
        assert len(q["hand"]) + len([p for p in q["plays"] if p[0] == q["seat"]]) == 8
        out = {"card": q["legal"][-1]}
    print(json.dumps(out), flush=True)
"""


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_hands_at_the_table_break_no_rule(rules: str) -> None:
    loaded = load_ruleset(rules)
    for name, n in (("rules", 10), ("solver:4", 2), ("random", 4)):
        for record in simulate_by(make_player(name, loaded), loaded, n, seed=9):
            done = replay(record, loaded)
            assert [v.message() for v in done.violations] == []
            assert record.result.score == done.outcome.score or done.outcome.passed_out


def test_one_card_at_a_time_the_simple_player_plays_as_in_the_simulator() -> None:
    bidder = bidder_for(HEERLEN)
    player = make_player("rules", HEERLEN, seed=3)
    compared = 0
    for record in simulate_by(player, HEERLEN, 60, seed=4):
        done = replay(record, HEERLEN)
        o = done.outcome
        if o.bid is None or o.declarer is None or o.trump is None or o.partner is None:
            continue
        cards, _, _, _ = bidder.eval.deck.play(
            list(done.playing), o.trump, done.seats[0] or 0, o.declarer, o.partner,
            -1 if done.called is None else done.called, want_of(o.bid.contract),
            np.array([1], np.uint64), first_four=o.bid.contract.goal == "first-four-and-all",
            exposed=False,
        )  # fmt: skip
        if o.bid.contract.exposure != "none":
            continue
        assert [CARDS[int(c)] for c in cards] == [CARDS[p.card] for p in record.plays]
        compared += 1
    assert compared > 20


def test_against_oneself_a_duplicate_match_is_even() -> None:
    a, b = make_player("rules", HEERLEN, 2), make_player("rules", HEERLEN, 2)
    found = match(a, b, HEERLEN, deals=12, seed=5)
    assert found.differences == (0.0,) * 12
    assert found.hands == 12 * len(ARRANGEMENTS["all"])


def test_every_seat_is_held_by_both_equally() -> None:
    for seatings in ARRANGEMENTS.values():
        for seat in range(4):
            assert sum(s[seat] == "A" for s in seatings) * 2 == len(seatings)
        assert all(s.count("A") == 2 for s in seatings)


def test_drawing_and_solving_beats_random_cards() -> None:
    found = match(
        make_player("solver:6", HEERLEN, 1), make_player("random", HEERLEN, 1), HEERLEN, 40, 3,
        "opposite",
    )  # fmt: skip
    assert found.interval is not None
    assert found.interval[0] > 0


def test_same_seed_same_hands() -> None:
    two = [list(simulate_by(make_player("solver:3", HEERLEN), HEERLEN, 3, 6)) for _ in range(2)]
    assert two[0] == two[1]


def script(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "bot.py"
    path.write_text(text, encoding="utf-8")
    return [sys.executable, str(path)]


def test_a_program_plays(tmp_path: Path) -> None:
    bot = ProcessPlayer(script(tmp_path, BOT))
    try:
        rng = np.random.default_rng(1)
        played = 0
        for i in range(6):
            hands, middle = deal_cards(rng)
            record = Table(HEERLEN, [bot] * 4).play(hands, middle, i % 4, i)
            assert replay(record).violations == ()
            played += len(record.plays) == 32
        assert played == 3
    finally:
        bot.close()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has ended"),
        ("print('hello', flush=True)\nimport time; time.sleep(9)", "which is no JSON"),
        ("print('[1]', flush=True)\nimport time; time.sleep(9)", "expected a JSON object"),
        ("print('{}', flush=True)\nimport time; time.sleep(9)", "'call' is missing"),
        ('print(\'{"call": "125"}\', flush=True)\nimport time; time.sleep(9)', "bid-unknown"),
        ("import time; time.sleep(9)", "gave no answer in 0.5 s"),
    ],
)
def test_a_program_that_answers_badly(tmp_path: Path, text: str, says: str) -> None:
    seconds = 0.5 if "0.5" in says else 8.0
    bot = ProcessPlayer(script(tmp_path, text), seconds=seconds)
    hands, middle = deal_cards(np.random.default_rng(1))
    try:
        with pytest.raises(PlayerError, match=says):
            Table(HEERLEN, [bot] * 4).play(hands, middle, 0)
    finally:
        bot._process.kill()
        bot.close()


def test_answers_that_the_rules_do_not_allow(tmp_path: Path) -> None:
    hands, middle = deal_cards(np.random.default_rng(1))
    for wrong, says in (
        (BOT.replace('q["legal"][-1]', '"H6" if "H6" not in q["hand"] else "H7"'), "not legal"),
        (BOT.replace('"trump": "H"', '"trump": "-"'), "names trumps '-'"),
        (BOT.replace('"discard": gone', '"discard": "-"'), "does not hold"),
        (BOT.replace("(aces or kings)[0]", "gone"), "does not allow"),
    ):
        bot = ProcessPlayer(script(tmp_path, wrong))
        try:
            with pytest.raises(PlayerError, match=says):
                Table(HEERLEN, [bot] * 4).play(hands, middle, 0, 1)
        finally:
            bot.close()


def test_no_such_player() -> None:
    for text in ("nobody", "solver:x", "solver:0", "cmd:"):
        with pytest.raises(PlayerError):
            make_player(text, HEERLEN)
    with pytest.raises(PlayerError, match="cannot be started"):
        ProcessPlayer(["/no/such/program"])


def test_commands(run: Run) -> None:
    ran = run("match", "rules", "random", "--deals", "3", "--seats", "opposite")
    assert ran.code == 0, ran.err
    assert "rules – random:" in ran.out
    assert "no player 'x'" in run("match", "x", "rules").err
    assert "expected all or opposite" in run("match", "rules", "rules", "--seats", "x").err
    ran = run("simulate", "-n", "2", "--players", "solver", "--seed", "3")
    assert ran.code == 0, ran.err
    assert len(ran.out.splitlines()) == 2
    assert "--players" in run("simulate", "-n", "2", "--players", "x").err
