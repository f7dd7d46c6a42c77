"""Each code on a hand where the rules ask for it, its seat and place worked out by hand.

The hand is line 17 of the conformance sample: heerlen, East plays 150 with trumps spades, called
the ace of hearts, which West holds; East holds SA SJ S9 S8 S7 HK DT CJ after the exchange
(discarded D9) and truly announced a run of three, roem 20, after his first card.
"""

from dataclasses import replace

import pytest

from engine.cards import card
from engine.record import Claim, HandRecord, Result
from engine.replay import replay
from engine.violations import catalogue
from parsers.phl import read_phl

LINE = (
    "heerlen W EWSENEEEWEWWSSSWNNNNWEESSWSWMNNNS -,150,-,-,- S:HA:D9 "
    "SJSQSKST/DTD8DJDQ/DACJD7HJ/DKS9C7H7/SAH8CQH6/HKH9HAC8/CAC9S8CK/S7HTHQCT 1E=roem20 "
    "lost;pts=120-26;score=N0,E-2,S0,W-2;tricks=6-2 .\n"
)
HAND: HandRecord = read_phl(LINE).records[0]


def codes(record: HandRecord) -> list[tuple[str, int | None, int | None]]:
    return [(v.code, v.ply, v.seat) for v in replay(record).violations]


def test_the_hand_itself_breaks_nothing() -> None:
    assert codes(HAND) == []


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        (Claim(0, 1, "roem", 20), "roem-not-allowed"),  # declarer before his first card
        (Claim(2, 1, "roem", 20), "roem-too-late"),  # and after the next one lies there
        (Claim(5, 0, "roem", 20), "roem-not-allowed"),  # a defender
        (Claim(3, 3, "roem", 20), "roem-not-allowed"),  # West, before trick 1 is won by East
        (Claim(8, 3, "roem", 20), "roem-too-late"),  # West has played to trick 2
        (Claim(1, 1, "roem", 50), "roem-not-held"),  # S9 S8 S7 is all he has
        (Claim(4, 0, "stuk"), "roem-not-allowed"),  # stuk of a defender
        (Claim(0, 1, "stuk"), "stuk-not-held"),  # East has neither SK nor SQ
        (Claim(2, 3, "deny"), "roem-not-allowed"),  # the partner may not deny
        (Claim(2, 0, "deny"), "deny-without-bid"),
        (Claim(0, 0, "show", cards=(card("SA"),)), "show-not-held"),
    ],
)
def test_claims(claim: Claim, code: str) -> None:
    claims = HAND.claims if claim.kind == "deny" else ()
    record = replace(HAND, claims=(*claims, claim), result=Result())
    assert codes(record) == [(code, claim.ply, claim.seat)]


def test_the_partner_may_announce_from_the_moment_declarer_wins_a_trick() -> None:
    """East won trick 1, so West may speak at ply 4 to his next card; he holds no run: not held."""
    record = replace(HAND, claims=(Claim(4, 3, "roem", 20),), result=Result())
    assert codes(record) == [("roem-not-held", 4, 3)]


def test_a_card_called_where_none_is_called() -> None:
    misere = replace(HAND, auction=(*HAND.auction[:1], replace(HAND.auction[1], text="mis"),
                                    *HAND.auction[2:]), claims=(), result=Result())  # fmt: skip
    assert codes(misere) == [("call-not-allowed", None, 1)]
    assert codes(replace(misere, called="-")) == []


def test_a_recorded_partner_is_checked() -> None:
    assert codes(replace(HAND, result=replace(HAND.result, partner=3))) == []
    wrong = replace(HAND, result=replace(HAND.result, partner=0))
    assert codes(wrong) == [("partner-mismatch", None, None)]
    nobody = replay(replace(HAND, result=replace(HAND.result, partner=-1))).violations[0]
    assert nobody.message("nl") == "Genoteerde maat: niemand; volgens de kaarten is het West."


def test_recorded_as_passed_out_but_it_was_bid() -> None:
    assert codes(replace(HAND, result=Result(outcome="void"))) == [("result-mismatch", None, None)]


def test_what_a_record_lacks_is_information_not_an_error() -> None:
    record = replace(
        HAND, deal="?" * 33, discard="?", auction_state="unknown", auction=(), declarer=1,
        contract="150", plays=HAND.plays[:8], result=Result(),
    )  # fmt: skip
    found = replay(record).violations
    assert [v.code for v in found] == [
        "deal-incomplete", "auction-unknown", "discard-missing", "play-incomplete",
    ]  # fmt: skip
    assert {v.severity for v in found} == {"info"}


def test_a_card_in_two_hands() -> None:
    record = replace(HAND, deal_extra=((card("SA"), "N"),))
    assert [c for c, *_ in codes(record)] == ["deal-invalid"]


def test_a_wrong_leader_leads() -> None:
    """South leads to trick 2 though East won trick 1: flagged, and the seats go on from South."""
    plays = list(HAND.plays[:5])
    plays[4] = replace(plays[4], card=card("D8"), seat=2)
    r = replay(replace(HAND, plays=tuple(plays), result=Result()))
    assert [(v.code, v.ply, v.seat) for v in r.violations if v.severity == "error"] == [
        ("out-of-turn", 4, 2)
    ]
    assert r.at(5).to_play == 3


def test_the_severities_of_the_catalogue() -> None:
    by = {"error": set(), "warning": set(), "info": set()}  # type: dict[str, set[str]]
    for code, entry in catalogue().items():
        by[entry["severity"]].add(code)
    assert by["info"] == {
        "deal-incomplete", "auction-unknown", "discard-missing", "play-incomplete",
    }  # fmt: skip
    assert by["warning"] == {c for c in catalogue() if c.endswith("-mismatch")}
    assert len(by["warning"]) == 5
