"""Another line of a hand is a hand like any other; verdicts out of the store are the solver's."""

import json
import threading
import time

import pytest

from engine.cards import CARDS
from engine.replay import replay
from engine.solver_position import NotSolvable, position_from_replay
from pandoeren_replay.annotate import annotate
from pandoeren_replay.annotate_stored import from_rows
from pandoeren_replay.ui.verdicts import Desk, verdict_data, verdicts
from pandoeren_replay.ui.whatif import Line, legal_cards, play_line
from parsers.phl import read_phl

from .conftest import HANDS

RECORDS = read_phl(HANDS.read_text("utf-8")).records


def solvable() -> list:
    out = []
    for record in RECORDS:
        r = replay(record)
        try:
            position_from_replay(r, len(record.plays))
        except NotSolvable:
            continue
        if len(record.plays) == 32:
            out.append(r)
    return out


HANDS_PLAYED = solvable()


def test_the_real_cards_as_a_line_end_as_the_hand_did():
    assert len(HANDS_PLAYED) > 40
    for r in HANDS_PLAYED:
        if any(v.severity == "error" for v in r.violations):
            continue
        cards = tuple(CARDS[p.card] for p in r.record.plays[9:])
        line = play_line(r, Line(9, cards))
        assert line.record.plays[9:] == r.record.plays[9:]
        assert [s.hands for s in line.states] == [s.hands for s in r.states]
        assert (line.outcome.points, line.outcome.winners) == (r.outcome.points, r.outcome.winners)
        assert line.outcome.meld == r.outcome.meld


def test_the_solver_ends_a_line_at_the_value_of_its_card():
    for r in HANDS_PLAYED[:12]:
        ply = 14
        note = annotate(r).cards[ply]
        for card, value in note.values.items():
            if not note.regular:
                continue
            line = play_line(r, Line(ply, (CARDS[card],)))
            assert len(line.record.plays) == 32
            end = annotate(line)
            assert end.result == value
            assert sum(n.loss for n in end.cards[ply + 1 :]) == 0
            assert [v for v in line.violations if v.severity == "error"] == [
                v for v in r.violations if v.severity == "error" and (v.ply or 0) < ply
            ]


def test_a_card_that_may_not_be_played_is_refused():
    r = HANDS_PLAYED[0]
    illegal = next(c for c in CARDS if c not in legal_cards(r)[5])
    with pytest.raises(NotSolvable):
        play_line(r, Line(5, (illegal,)))
    with pytest.raises(NotSolvable):
        play_line(r, Line(40, ("SA",)))


def test_legal_cards_hold_what_was_played_by_the_rules():
    for r in HANDS_PLAYED:
        bad = {v.ply for v in r.violations if v.severity == "error"}
        for ply, cards in enumerate(legal_cards(r)[:-1]):
            if ply not in bad:
                assert CARDS[r.record.plays[ply].card] in cards


def test_a_review_out_of_the_store_is_the_review_itself():
    for r in HANDS_PLAYED[:15]:
        made = annotate(r)
        rows = [
            {
                "ply": n.ply, "card": CARDS[c], "goal": made.terms.objective, "value": v,
                "best": n.before, "played": c == n.card, "solver": made.solver,
            }
            for n in made.cards
            for c, v in n.values.items()
        ]  # fmt: skip
        again = from_rows(r, rows)
        assert again.cards == made.cards
        assert (again.start, again.result) == (made.start, made.result)
        assert from_rows(r, rows[1:-40]) is None


@pytest.mark.parametrize(("lang", "label"), [("nl", "met open kaarten"), ("en", "with open cards")])
def test_every_verdict_says_that_the_cards_lay_open(lang, label):
    made = annotate(HANDS_PLAYED[0], declaration=True)
    data = json.loads(json.dumps(verdict_data(made, lang, stored=False)))
    texts = [c["text"] for c in data["cards"]] + [d["text"] for d in data["declaration"]]
    assert len(texts) > 32
    assert all(label in t for t in texts)


@pytest.mark.parametrize("text", ["", "x", "12", "12SAx", "12ZZ", "²SA", "1" + "SA" * 40, "-3SA"])
def test_an_address_that_names_no_line(text):
    assert Line.parse(text) is None


def test_the_desk_answers_in_turn_forgets_and_says_why_not():
    desk = Desk(kept=2)
    gate = threading.Event()
    slow = desk.ask("slow", lambda: gate.wait(20))
    waiting = desk.ask("waiting", lambda: 1)
    assert desk.ask("slow", lambda: 3) is slow
    desk.cancel("waiting")
    assert slow.wait(0.01).state == "running"
    gate.set()
    assert slow.wait(5).state == "done"
    time.sleep(0.05)
    assert waiting.state == "running"  # nobody wanted it any more
    assert desk.ask("waiting", lambda: 4).wait(5).answer == 4

    def refuse() -> None:
        raise NotSolvable("no", "nee")

    assert desk.ask("refused", refuse).wait(5).reasons == ("no", "nee")
    assert desk.ask("broken", lambda: 1 / 0).wait(5).state == "failed"
    assert desk.ask("slow", lambda: 5).wait(5).answer == 5  # forgotten meanwhile


def test_a_review_that_nobody_waits_for_stops() -> None:
    hand = HANDS_PLAYED[0]
    desk, stop = Desk(), threading.Event()
    begun = threading.Event()

    def work() -> object:
        begun.set()
        stop.wait(20)
        return verdicts(hand, stop)

    job = desk.ask("hand", work, stop)
    assert begun.wait(10)
    desk.cancel("hand")
    assert job.wait(20).state == "failed"
    assert job.answer is None
    again = desk.ask("hand", lambda: verdicts(hand, threading.Event()))
    assert again.wait(60).answer.start == annotate(hand).start
