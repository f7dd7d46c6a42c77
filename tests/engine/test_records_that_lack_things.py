"""Records that lack things: what follows is used, what does not stays unknown (RULES 8, 9)."""

from dataclasses import replace

from engine.record import Call, HandRecord, Play, Result
from engine.replay import replay
from engine.rulefile import load_ruleset
from engine.score import Ledger


def calls(text: str) -> tuple[Call, ...]:
    return tuple(Call(t) for t in text.split())


def test_without_the_dealer_an_auction_can_still_be_over() -> None:
    """fiches: a pass is final, so - 120 - - closes it; nobody can say who declarer is."""
    r = replay(HandRecord(rules="fiches", auction_state="calls", auction=calls("- 120 - -")))
    assert r.outcome.declarer is None
    assert r.outcome.contract == "120"
    assert [v.code for v in r.violations if v.severity == "error"] == []


def test_the_dealer_follows_from_calls_and_a_written_first_lead() -> None:
    """heerlen: declarer leads; the second caller bid 120 and East led, so North is forehand."""
    r = replay(
        HandRecord(auction_state="calls", auction=calls("- 120 - - -"), plays=(Play(0, seat=1),))
    )
    assert (r.dealer, r.outcome.declarer) == (3, 1)
    assert "out-of-turn" not in [v.code for v in r.violations]


def test_forehand_leads_in_fiches_so_the_first_seat_names_the_dealer() -> None:
    r = replay(
        HandRecord(
            rules="fiches", auction_state="calls", auction=calls("120 - - -"), plays=(Play(0, 2),)
        )
    )
    assert (r.dealer, r.outcome.declarer) == (1, 2)


def test_a_score_line_is_booked_as_recorded_with_its_partner() -> None:
    """heerlen 130 is worth 1: South and North, who made it by the sheet, get 1 each."""
    record = HandRecord(
        auction_state="unknown",
        declarer=2,
        contract="130",
        result=Result(outcome="made", partner=0),
    )
    outcome = replay(record).outcome
    assert outcome.made is None
    booked = Ledger(load_ruleset("heerlen")).book_hand(outcome, None, True, None, 0)
    assert booked.change == (1, 0, 1, 0)
    assert booked.basis == "as-recorded"
    # Cards that prove it lost go before the sheet, though only that names the partner.
    lost = replace(outcome, made=False)
    booked = Ledger(load_ruleset("heerlen")).book_hand(lost, None, True, None, 0)
    assert (booked.change, booked.basis) == ((-1, 0, -1, 0), "as-recorded")


def test_nothing_known_books_nothing_and_says_so() -> None:
    ledger = Ledger(load_ruleset("heerlen"))
    booked = ledger.book_hand(replay(HandRecord()).outcome)
    assert (booked.change, booked.basis, ledger.incomplete) == ((0, 0, 0, 0), "unknown", True)


def test_a_pot_that_is_too_small_is_split_the_odd_chip_to_declarer() -> None:
    """RULES 7: fiches, ante 1 each makes a pot of 4; 170 is worth 3 to each of two: 2 and 2.

    After a lost hand alone the pot is 4 again plus nothing; with 5 in it declarer gets 3.
    """
    rules = load_ruleset("fiches")
    bid = rules.bid("170")
    assert bid is not None
    even = Ledger(rules).book(bid, 0, 2, True)
    assert (even.change, even.pot) == ((1, -1, 1, -1), 0)
    odd = Ledger(rules, pot=1).book(bid, 0, 2, True)
    assert (odd.change, odd.pot) == ((2, -1, 1, -1), 0)


def test_the_butselaar_pot_is_refilled_in_the_middle_of_a_payment() -> None:
    """40 in the pot: three times 10 and 4 + 4 leave 2; the next 10 takes 2, refills 40, takes 8."""
    rules = load_ruleset("butselaar")
    ledger = Ledger(rules)
    alone, points = rules.bid("pri"), rules.bid("200")
    assert alone is not None
    assert points is not None
    total = ledger.total()
    for _ in range(3):
        ledger.book(alone, 1, -1, True)
    ledger.book(points, 1, 3, True)
    assert ledger.pot == 2
    ledger.book(alone, 1, -1, True)
    assert ledger.pot == 40 - 8
    assert ledger.balance == [-20, -10 + 30 + 4 + 10 - 10, -20, -10 + 4 - 10]
    assert ledger.total() == total


def test_fixed_pairs_reach_the_target_together() -> None:
    rules = load_ruleset("heerlen")
    rules = rules.model_copy(
        update={"match": rules.match.model_copy(update={"target": 4, "partnership": "fixed-pairs"})}
    )
    bid = rules.bid("150")
    assert bid is not None
    ledger = Ledger(rules)
    assert ledger.book(bid, 0, 2, True).over
    assert ledger.pairs() == (4, 0)
