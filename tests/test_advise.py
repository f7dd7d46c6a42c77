"""Advice and fair review: the positions asked about, the figures, the verdicts, the commands."""

import json
import random
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from itertools import islice, product
from pathlib import Path

import pytest

from benchmarks import calibrate
from engine.cards import CARDS, card, cards_in, mask_of
from engine.inference import NotKnown, known, true_deal
from engine.record import HandRecord, Play
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.solver_position import Position, position_from_replay
from engine.state import Replay
from pandoeren_replay.advise import (
    AT_TABLE,
    SHUNNING,
    Chance,
    PlayAdvice,
    Scene,
    advise_play,
    at_table,
    drawn_deals,
    play_steps,
)
from pandoeren_replay.bid_advice import advise_bid, bid_steps
from pandoeren_replay.commands.advising import cards_of
from pandoeren_replay.fair_review import MARGIN, judge, review, review_bid
from pandoeren_replay.players.bid_model import bid_model
from pandoeren_replay.players.bidding import want_of
from pandoeren_replay.players.cardplay import WANT_NONE
from pandoeren_replay.statistics.intervals import wilson
from parsers.phl import read_phl
from tests.cli.conftest import Run, run
from tests.engine.dealing import random_record

__all__ = ["run"]

HEERLEN = load_ruleset("heerlen")
DATA = Path(str(files("data"))) / "demo"


@lru_cache(maxsize=1)
def season() -> tuple[HandRecord, ...]:
    return tuple(read_phl((DATA / "season.phl").read_text("utf-8")).records)


def hands(n: int, seed: int, rules: str = "heerlen") -> list[Replay]:
    """Random hands without any offence."""
    rng = random.Random(seed)
    loaded = load_ruleset(rules)
    out: list[Replay] = []
    while len(out) < n:
        full = replay(random_record(rng, loaded), loaded)
        if full.record.plays and not full.violations:
            out.append(full)
    return out


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_the_true_deal_gives_the_position_of_the_replay(rules: str) -> None:
    for full in hands(6, seed=5, rules=rules):
        for ply in range(32):
            scene = Scene(full, ply)
            assert scene.position(true_deal(full, ply)) == position_from_replay(full, ply)


def minimax(full: Replay, position: Position, plays: list[Play]) -> bool:
    """Whether declarer's side makes it: every line played out, each judged by the replay."""
    if len(plays) == 32:
        made = replay(replace(full.record, plays=tuple(plays)), full.rules).outcome.made
        assert made is not None
        return made
    lines = (
        minimax(full, position.after(c), [*plays, Play(c)]) for c in cards_in(position.legal())
    )
    return any(lines) if position.side >> position.to_play & 1 else all(lines)


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_wins_agrees_with_every_line_judged_by_the_replay(rules: str) -> None:
    """The last tricks, all announcements made: target, meld, goal and sides put together right."""
    checked = two_sided = 0
    for full in hands(25, seed=31, rules=rules):
        for ply in (23, 25, 26, 28):
            scene = Scene(full, ply)
            deal = true_deal(full, ply)
            meld = full.outcome.meld
            if scene.bid.uses_points and (meld is None or scene.meld(deal) != meld[0]):
                continue
            position = scene.position(deal)
            ours = bool(position.side >> scene.seat & 1)
            plays = list(full.record.plays[:ply])
            expected = {
                c: minimax(full, position.after(c), [*plays, Play(c)]) == ours
                for c in cards_in(position.legal())
            }
            assert scene.wins(deal) == expected
            checked += 1
            two_sided += len(set(expected.values())) > 1
    assert checked > 30


def test_all_that_may_still_be_announced_counts() -> None:
    """RULES 6.1: before declarer's first card nothing is said, but his roem will be."""
    for full in hands(40, seed=2):
        scene = Scene(full, 0, full.outcome.declarer, waiting=True)
        if not scene.bid.uses_points:
            continue
        silent = replace(full.record, claims=())
        later = replay(replace(silent, plays=full.record.plays[:1]), HEERLEN)
        deal = true_deal(later, 1)
        spoken = Scene(later, 1, full.outcome.declarer, waiting=True).meld(deal)
        assert scene.meld(true_deal(full, 0)) == spoken >= 0


def test_best_combination_at_the_table_counts_for_its_side() -> None:
    rules = load_ruleset("fiches")
    seen = 0
    for full in hands(60, seed=4, rules="fiches"):
        scene = Scene(full, 0, waiting=True)
        if not scene.bid.uses_points:
            continue
        meld = scene.meld(true_deal(full, 0))
        assert meld in {0, *rules.meld.runs.values(), *rules.meld.threes.values(),
                        *rules.meld.fours.values()}  # fmt: skip
        seen += meld > 0
    assert seen > 5


def test_advice_is_the_same_for_the_same_seed_and_gets_better() -> None:
    full = hands(1, seed=8)[0]
    steps = list(play_steps(full, 2, deals=30, seed=3))
    assert [s.n for s in steps] == [10, 20, 30]
    assert steps[-1].results == advise_play(full, 2, 30, 3).results
    assert steps[0].results == steps[-1].results[:10]
    assert set(steps[-1].cards) == set(cards_in(position_from_replay(full, 2).legal()))
    assert advise_play(full, 2, 1000, 3, seconds=0.0).n == 10


def test_nothing_is_drawn_where_few_deals_are_left() -> None:
    full = hands(1, seed=8)[0]
    advice = advise_play(full, 30, deals=100)
    assert advice.exact
    assert advice.n == len(list(known(full, advice.seat, 30).every()))
    for chance in advice.cards.values():
        assert chance.interval == (chance.value, chance.value)


def test_where_all_is_known_the_two_measures_agree() -> None:
    """Praatje: from the first card on everything lies face up."""
    judged = 0
    for record in season():
        full = replay(record)
        if full.outcome.contract not in ("pra", "sti") or full.violations:
            continue
        found = review(full, deals=20)
        for d in found.decisions:
            if d.ply and d.verdict != "forced":
                assert d.exact
                assert d.loss == d.open_loss
                assert (d.verdict == "mistake") == (d.open_loss == 1)
                judged += 1
        if judged > 60:
            return
    raise AssertionError("too few praatjes in the demo season")


def test_weighed_by_the_bid_declarer_holds_what_he_would_bid_on() -> None:
    """Piccolo and misère are bid on low cards: weighed, the defenders win less often."""
    model = bid_model(HEERLEN)
    shown = 0
    some = [
        r for r in season() if r.rules == "heerlen" and {"mis", "pic"} & {c.text for c in r.auction}
    ]
    for full in map(replay, some):
        if full.outcome.contract not in ("mis", "pic"):
            continue
        scene = Scene(full, 1)
        if scene.knowledge.fixed[scene.declarer] or scene.seat == scene.declarer:
            continue
        even, _, _ = drawn_deals(scene, 150, 1)
        weighed, _, exact = drawn_deals(scene, 150, 1, model.weigher)
        assert not exact
        chance = [
            sum(model.chance(scene, d.hands[scene.declarer] | scene.imagined.played[scene.declarer])
                for d in islice(source, 150)) / 150
            for source in (even, weighed)
        ]  # fmt: skip
        assert chance[1] > 1.2 * chance[0]
        for deal in islice(drawn_deals(scene, 5, 2, model.weigher)[0], 5):
            assert scene.knowledge.admits(deal)
        shown += 1
        if shown == 4:
            break
    assert shown == 4
    assert model.weigher(Scene(full, 0, full.outcome.declarer, waiting=True)) is None


def advice(results: list[dict[int, bool]], exact: bool = False) -> PlayAdvice:
    return PlayAdvice(0, 0, "120", True, len(results), exact, 1.0, tuple(results))


def test_verdicts() -> None:
    """A mistake needs a loss that matters and an interval without zero."""
    rows = [{0: True, 1: i % 10 > 0} for i in range(100)]
    assert judge(advice(rows), 0) == "fine"
    assert judge(advice(rows), 1) == "mistake"
    assert judge(advice(rows[:20]), 1) == "doubtful"
    few = [{0: True, 1: i % 50 > 0} for i in range(1000)]
    assert 0 < advice(few).loss(1)[0] < MARGIN
    assert judge(advice(few), 1) == "fine"
    assert judge(advice([{0: True, 1: False}], exact=True), 1) == "mistake"
    low, high = Chance(3, 10, False).interval
    assert 0.1 < low < 0.3 < high < 0.61


def test_a_forecast_keeps_the_order_and_is_lower_for_the_defence() -> None:
    """Who sees everything finds more, defenders above all: their shares flatter them."""
    for rules in map(load_ruleset, BUILTIN_IDS):
        for contract in rules.contracts.values():
            assert (contract.goal in SHUNNING) == (want_of(contract) >= WANT_NONE)
    shares = [i / 50 for i in range(51)]
    for shuns, weighed in product((True, False), (True, False)):
        ours, theirs = ([at_table(p, 50, AT_TABLE[shuns, side, weighed]) for p in shares]
                        for side in (True, False))  # fmt: skip
        for told in (ours, theirs):
            assert told == sorted(told)
            assert 0 < told[0] < 0.2
            assert 0.6 < told[-1] < 1
        assert all(a > b for a, b in zip(ours, theirs))


def test_the_curves_are_those_of_the_rows_that_are_kept() -> None:
    for (shuns, side, weighed), used in AT_TABLE.items():
        kind = "store" if weighed else "even", "0" if shuns else "1", side
        assert tuple(round(x, 2) for x in calibrate.curve(*kind)) == used
        told, raw = calibrate.forecasts(*kind), calibrate.shares(*kind)
        assert calibrate.brier(told) < calibrate.brier(raw) - 0.002
        # Calibrated, on hands that they were not fitted on: all in all as often as predicted.
        predicted, seen = sum(p for p, _ in told), sum(won for _, won in told)
        low, high = wilson(seen, len(told)) or (0.0, 1.0)
        assert low < predicted / len(told) < high


def test_against_misere_all_figures_are_those_at_the_table() -> None:
    """90 of 100 deals beaten, or 10: logit(90.5 of 101) is 2.15, and logit(10.5 of 101) -2.15.

    At the table -0.99 + 0.47 x 2.15 = 0.02 and -2.00 (logits), so 0.505 and 0.119.
    """
    rows = [{0: i < 90, 1: i < 10} for i in range(100)]
    curve = AT_TABLE[True, False, True]
    assert curve == (-0.99, 0.47)
    found = PlayAdvice(0, 0, "mis", False, 100, False, 1.0, tuple(rows), curve)
    assert found.cards[0].value == pytest.approx(0.505, abs=0.002)
    assert found.cards[1].value == pytest.approx(0.119, abs=0.002)
    assert found.cards[0].share == 0.9
    low, high = found.cards[0].interval
    assert low < 0.505 < high < 0.7
    loss, least, most = found.loss(1)
    assert loss == pytest.approx(0.505 - 0.119, abs=0.003)
    assert 0 < least < loss < most < 0.505
    assert judge(found, 1) == "mistake"
    assert [round(c["chance"], 2) for c in found.as_json()["cards"]] == [0.51, 0.12]
    # Two deals of a hundred are no fault, though near 100% they are much at the table.
    close = [{0: True, 1: i >= 2} for i in range(100)]
    near = PlayAdvice(0, 0, "mis", False, 100, False, 1.0, tuple(close), curve)
    assert near.loss(1)[0] > MARGIN
    assert judge(near, 1) == "fine"
    # All deals looked at: nothing is left to guess.
    known_all = PlayAdvice(0, 0, "mis", False, 100, True, 1.0, tuple(rows), curve)
    assert known_all.cards[0].value == 0.9
    assert known_all.loss(1)[0] == pytest.approx(0.8)


def test_a_reviewed_misere_has_the_figures_of_the_advice() -> None:
    full = next(
        r for r in map(replay, season())
        if r.outcome.bid is not None and r.outcome.bid.contract.goal in SHUNNING
        and r.outcome.bid.contract.exposure != "all-from-trick-1"
        and len(r.record.plays) == 32 and not r.violations
    )  # fmt: skip
    found = review(full, deals=40)
    judged = [d for d in found.decisions if d.chance is not None and not d.exact]
    assert judged
    for d in judged:
        assert d.best_chance is not None
        assert d.chance is not None
        assert d.loss == pytest.approx(d.best_chance - d.chance, abs=1e-9)
        assert d.best_chance == max(d.chances.values())
        side = d.seat == full.outcome.declarer
        assert d.best_chance <= at_table(1.0, d.deals, AT_TABLE[True, side, False])


def test_nobody_could_know() -> None:
    """Cards that lost the contract with open cards and were right by what could be seen."""
    fine = blamed = 0
    for record in season()[:40:4]:
        full = replay(record)
        if not record.plays or full.outcome.trump is None:
            continue
        found = review(full, deals=40)
        fine += len(found.unlucky())
        blamed += len(found.mistakes())
        for d in found.mistakes():
            assert d.low is not None
            assert d.low > 0
        assert found.rate > 0
    assert fine > 0
    assert blamed > 0


def test_a_card_against_the_rules_is_no_mistake_of_judgement_and_misleads() -> None:
    for record in season():
        full = replay(record)
        codes = [v for v in full.violations if v.code == "revoke"]
        if not codes:
            continue
        found = review(full, deals=20)
        at = {d.ply: d for d in found.decisions}
        assert at[codes[0].ply or 0].verdict == "illegal"
        for d in found.decisions:
            if d.misled:
                assert d.verdict != "mistake"
        assert any(d.misled for d in found.decisions)
        return
    raise AssertionError("no revoke in the demo season")


def test_what_cannot_be_judged_is_said() -> None:
    full = replay(replace(hands(1, seed=3)[0].record, deal="?" * 33), HEERLEN)
    partial = replay(replace(full.record, plays=full.record.plays[:9]), HEERLEN)
    with pytest.raises(NotKnown, match="not all recorded"):
        review(partial)
    with pytest.raises(NotKnown, match="nobody is to play"):
        Scene(full, 32)


# --- Bidding --------------------------------------------------------------------------------------


def cards(text: str) -> int:
    return mask_of(map(card, text.split()))


def test_certain_hands() -> None:
    spades = cards("SA SK SQ SJ ST S9 S8 S7")
    found = advise_bid(HEERLEN, spades, card("HA"), rounds=1)
    assert found.best.call == "pri"
    best = found.of("pri")
    assert best is not None
    assert best.plan is not None
    assert best.plan.as_json()["trump"] == "S"
    assert best.open_cards is not None
    assert best.open_cards.value == 1.0
    assert best.score is not None
    assert best.score[0] > 9
    misere = found.of("pra")
    assert misere is not None
    assert misere.chance is not None
    assert misere.chance[0] < 0.2


def test_calls_that_are_open_and_answers_that_get_better() -> None:
    hand = cards("SJ S8 S7 HJ DT CQ CJ C9")
    steps = bid_steps(HEERLEN, hand, card("H9"), ("-", "150"), dealer=3, seed=2)
    first, second = next(steps), next(steps)
    assert first.seat == 2
    assert {c.call for c in first.calls} >= {"-", "160", "ker", "pan", "pri"}
    assert first.of("150") is None
    assert first.of("mis") is None
    for one, two in zip(first.calls[1:4], second.calls[1:4]):
        assert one.open_cards is not None
        assert two.open_cards is not None
        assert two.open_cards.n >= one.open_cards.n
    called = second.of("160")
    assert called is not None
    assert called.plan is not None
    assert called.plan.called is not None
    assert CARDS[called.plan.called][1] == "A"
    assert not hand >> called.plan.called & 1


@pytest.mark.parametrize("rules", ["fiches", "fiches-race", "limburg", "butselaar"])
def test_other_rules_bid_too(rules: str) -> None:
    loaded = load_ruleset(rules)
    middle = card("C7") if loaded.deal.middle == "taken" else None
    found = advise_bid(loaded, cards("SA SK SJ S9 HA HK DA DK"), middle, rounds=1)
    assert found.best.bid is not None
    for c in found.calls[1:]:
        assert c.chance is not None
        assert 0 <= c.chance[1] <= c.chance[0] <= c.chance[2] <= 1
        assert c.score is not None
        assert c.score[1] <= c.score[0] <= c.score[2] or loaded.score.system == "race"


@pytest.mark.parametrize(
    ("hand", "middle", "calls", "says"),
    [
        (cards("SA SK SQ"), "HA", (), "3 different cards; expected 8"),
        (0xFF, None, (), "name it"),
        (0xFF, "SA", (), "in hand and in the middle"),
        (0xFF, "HA", ("150", "120"), "120 cannot be bid"),
        (0xFF, "HA", ("125",), "125 is no bid of these rules"),
        (0xFF, "HA", ("-", "-", "-", "-"), "auction is over"),
    ],
)
def test_what_cannot_be_advised(
    hand: int, middle: str | None, calls: tuple[str, ...], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        advise_bid(HEERLEN, hand, None if middle is None else card(middle), calls, rounds=1)


def test_bids_are_reviewed() -> None:
    words = set()
    for record in season()[:14]:
        found = review_bid(replay(record), rounds=1)
        if found is not None:
            words.add(found.verdict)
            assert found.text("nl")
            assert found.as_json()["verdict"] == found.verdict
    assert len(words) >= 2
    assert review_bid(replay(HandRecord())) is None


# --- Commands -------------------------------------------------------------------------------------


def test_cards_as_typed() -> None:
    assert cards_of("♠A s10,H6") == cards("SA ST H6")
    assert cards_of("♥\N{VARIATION SELECTOR-16}A") == cards("HA")
    assert cards_of("evening.phl:3") is None
    assert cards_of("SA HA HB HV H10 R9 K8 K7") == cards("SA HA HJ HQ HT D9 C8 C7")
    assert cards_of("♥B, kh") == cards("HJ CK")


def test_advise_command(run: Run) -> None:
    text = "SJ S8 S7 HJ DT CQ CJ C9"
    ran = run("advise", text, "--middle", "H9", "--calls", "-,120", "--seconds", "0.5")
    assert ran.code == 0, ran.err
    assert "Best:" in ran.out
    assert "│ 130" in ran.out
    assert "│ 120" not in ran.out
    ran = run("advise", text, "--middle", "H9", "--seconds", "0.5", "--json")
    assert json.loads(ran.out)["seat"] == "N"
    ran = run("advise", "SA SA", "--middle", "H9")
    assert (ran.code, ran.err) == (2, "error: SA is named twice\n")
    assert "name it (--middle H9)" in run("advise", text).err


def test_advise_says_which_card_is_none_and_what_was_expected(run: Run) -> None:
    ran = run("advise", "SA SK SX S9 HA HK DA DK", "--middle", "H9")
    assert ran.code == 2
    assert ran.err.startswith("error: 'SX' is no card: expected eight such as SA HT C7, first the")
    ran = run("advise", "x")
    assert ran.code == 1
    assert ran.err.startswith("error: 'x' is no list of cards (expected eight such as SA HT C7")
    assert "and as a hand: there is no store at" in ran.err
    ran = run("advise", "nope.phl:1")
    assert (ran.code, ran.err) == (1, "error: there is no file nope.phl\n")


def test_advise_and_review_a_recorded_hand(run: Run) -> None:
    where = f"{DATA / 'season.phl'}:40"
    ran = run("advise", where, "--ply", "9", "--deals", "20", "--bids", "players")
    assert ran.code == 0, ran.err
    assert "a second" in ran.out
    assert "say which moment" in run("advise", where).err
    assert "this hand has plies" in run("advise", where, "--ply", "40").err
    ran = run("review", where, "--deals", "20", "--every", "--lang", "nl")
    assert ran.code == 0, ran.err
    assert "Met wat hij kon zien" in ran.out
    ran = run("review", where, "--deals", "20", "--json")
    assert len(json.loads(ran.out)["decisions"]) == 32
