"""Puzzles: which decisions become one, the set of a day, what is right."""

import datetime as dt
from pathlib import Path

import pytest

from engine.cards import CARDS
from pandoeren_replay.fair_review import Decision
from pandoeren_replay.puzzles import SIZE, Puzzle, candidates, clear, daily
from pandoeren_replay.reviewed import review_all
from pandoeren_replay.store import Store
from tests.cli.conftest import Run, run

__all__ = ["run"]

EVENING = Path(__file__).parents[1] / "data" / "demo" / "evening.phl"
DAY = dt.date(2026, 11, 30)


def made(i: int, ply: int = 0, simulated: bool = False, loss: float = 0.5) -> Puzzle:
    d = Decision(ply, 0, 1, "mistake", 0, 0.4, 0.9, loss, chances={0: 0.9, 1: 0.4, 2: 0.88})
    return Puzzle(i, f"{i:016x}", d, "Anna", simulated)


def test_the_set_of_a_day_is_the_same_for_everybody_and_another_tomorrow() -> None:
    known = [made(i) for i in range(40)]
    today = daily(known, DAY)
    assert len(today) == SIZE
    assert daily(list(reversed(known)), DAY) == today
    days = [{p.id for p in daily(known, DAY + dt.timedelta(days=i))} for i in range(20)]
    assert len({frozenset(d) for d in days}) == 20
    assert len(set().union(*days)) > 35


def test_no_hand_twice_real_ones_first_the_clearest_in_front() -> None:
    twice = [made(1, ply) for ply in range(8)]
    assert len(daily(twice, DAY)) == 1
    mixed = [*(made(i, simulated=True) for i in range(30)), made(99), made(98)]
    assert {p.hand_id for p in daily(mixed, DAY) if not p.simulated} == {98, 99}
    steps = [made(i, loss=i / 10) for i in range(1, 6)]
    assert [p.hand_id for p in daily(steps, DAY)] == [5, 4, 3, 2, 1]
    assert daily([], DAY) == []


def test_what_is_as_good_as_the_best_is_right() -> None:
    p = made(1)
    assert p.right(0)
    assert p.right(2)  # 0.88 against 0.90: within the margin
    assert not p.right(1)
    assert not p.right(30)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(tmp_path_factory.mktemp("puzzles") / "store")
    made.import_([EVENING])
    review_all(made, "number<=8", deals=30)
    return made


def test_every_puzzle_is_a_mistake_that_mattered_with_a_clear_answer(store: Store) -> None:
    found = candidates(store)
    assert found
    for p in found:
        d = p.decision
        assert d.verdict == "mistake"
        assert not d.misled
        assert clear(d)
        assert p.simulated
        hand = store.replay(p.hand_id)
        assert hand.record.plays[p.ply].card == d.card
        assert hand.record.player(d.seat) == p.player
        assert d.best is not None
        assert p.right(d.best)
        assert not p.right(d.card)
        held = hand.at(p.ply).hands[d.seat]
        assert all(held >> c & 1 for c in d.chances)
        assert CARDS[d.best] in {CARDS[c] for c in d.chances}
    one = found[0].player
    assert candidates(store, player=one) == [p for p in found if p.player == one]
    assert candidates(store, "contract=none-such") == []


def test_puzzles_on_the_command_line(run: Run, store: Store, tmp_path: Path) -> None:
    db = str(store.path)
    asked = run("puzzles", "--day", "2026-11-30", "--db", db)
    assert asked.code == 0, asked.err
    of_day = daily(candidates(store), DAY)
    assert asked.out.count("Which card?") == len(of_day)
    assert "(simulated)" in asked.out
    assert "played:" not in asked.out
    told = run("puzzles", "--day", "2026-11-30", "--answers", "--db", db)
    assert f"played: {CARDS[of_day[0].decision.card]}" in told.out
    assert "expected a date" in run("puzzles", "--day", "soon", "--db", db).err
    empty = Store(tmp_path / "empty")
    empty.import_([EVENING])
    assert "review --all" in run("puzzles", "--db", str(empty.path)).err
