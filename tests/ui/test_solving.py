"""Deals to solve: read from what people paste, worked out beside the page, played out."""

import time

import pytest

from engine.cards import CARDS
from engine.replay import replay
from engine.rulefile import load_ruleset
from pandoeren_replay.deal_table import deal_table
from pandoeren_replay.ui.solving import (
    DealError,
    best_line,
    card_values,
    deal_from,
    line_actions,
    line_record,
    read_deal,
    solving,
)
from parsers.phl import parse_line
from parsers.phn import write_phn

from .conftest import HANDS
from .test_pages import open_page, words

LINES = [x for x in HANDS.read_text("utf-8").splitlines() if not x.startswith("#")]
LINE = next(x for x in LINES if x.startswith("heerlen "))
DEAL = LINE.split()[2]
RULES = load_ruleset("heerlen")


@pytest.fixture(scope="module")
def solved():
    found = solving(DEAL, 1, RULES)
    assert found.job.wait(180)
    assert found.job.error is None
    return found


def test_a_deal_is_read_in_every_shape():
    record = parse_line(LINE)
    text = write_phn(record)
    tag = next(x for x in text.splitlines() if x.startswith("[Deal "))
    hands = tag.split('"')[1]
    for pasted in (DEAL, DEAL.lower(), f" {DEAL[:10]} {DEAL[10:]}\n", hands, LINE, text):
        assert read_deal(pasted, RULES)[0] == DEAL
    assert read_deal(LINE, RULES)[1] == record.dealer
    assert read_deal(DEAL, RULES)[1] is None


@pytest.mark.parametrize(
    "pasted", ["", "x", "N:AK E:-", "N" * 33, DEAL[:-1], "heerlen N . . . . . . ."]
)
def test_what_is_no_whole_deal_is_told(pasted):
    with pytest.raises(DealError):
        read_deal(pasted, RULES)


def test_the_table_is_that_of_the_solver_and_is_worked_out_once(solved):
    assert solving(DEAL, 1, RULES) is solved
    assert solved.lines == deal_table(deal_from(DEAL, 1, RULES)).lines
    assert solved.share == 1


def test_work_that_was_stopped_begins_anew_when_asked_again():
    other = DEAL[::-1]
    first = solving(other, 0, RULES)
    first.job.stop()
    assert first.job.wait(60)
    again = solving(other, 0, RULES)
    assert again is not first
    again.job.stop()
    assert again.job.wait(60)


def test_a_line_is_played_out_to_what_the_table_promised(solved):
    line = max((x for x in solved.lines.values() if x.bid and x.bid.target), key=lambda x: x.value)
    plays = best_line(solved.deal, DEAL, 1, line, [])
    assert len(plays) == 32
    done = replay(line_record(solved.deal, DEAL, 1, line, plays), RULES)
    assert [v.code for v in done.violations if v.severity == "error"] == []
    assert done.outcome.points[0] == line.value
    values, best = card_values(replay(line_record(solved.deal, DEAL, 1, line, []), RULES))
    assert max(values.values()) == line.value
    assert set(best) == {c for c, v in values.items() if v == line.value}


def test_the_taps_of_a_line_name_every_card_once(solved):
    line = next(x for x in solved.lines.values() if x.bid and x.discard is not None)
    actions = line_actions(DEAL, line, [])
    dealt = [a[1] for a in actions if a[0] == "deal"]
    assert sorted(dealt) == sorted(CARDS)
    assert ["declarer", line.seat] in actions


def test_the_page_takes_a_deal_from_the_address_or_says_what_is_wrong(pages):
    test = open_page("solve", deal=DEAL, dealer="E", rules="heerlen")
    assert not test.exception
    test = open_page("solve", deal="N" * 33, dealer="Q", rules="../x", line="Z-z")
    assert not test.exception
    assert len(test.error) == 1


def test_a_stored_hand_is_solved_by_its_link(pages, solved):
    hand = pages.hands("id=sample-03", limit=1)["hash"][0]
    test = open_page("solve", hand=hand)
    assert not test.exception
    end = time.monotonic() + 60
    while "kan halen" not in words(test) and time.monotonic() < end:
        time.sleep(0.5)
        test.run()
    assert "kan halen" in words(test)
