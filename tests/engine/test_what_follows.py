"""What follows from an unfinished play or a hand known in part: RULES 8 and 9, worked out by hand.

"A play that stops early proves made or lost only if it already follows from what was played (points
still in play, meld and stuk that could still be announced included)."
"""

import pytest

from engine.replay import replay
from engine.state import NOBODY, Replay
from parsers.phl import read_phl


def judged(line: str) -> Replay:
    return replay(read_phl(line + "\n").records[0])


def outcome(line: str) -> tuple[bool | None, tuple[int, int, int, int] | None]:
    found = judged(line).outcome
    return found.made, found.score


def flags(line: str) -> list[tuple[str, int | None, int | None]]:
    return [(v.code, v.ply, v.seat) for v in judged(line).violations if v.severity == "error"]


# fiches, hearts. South (SK S8 S7 HT H7 H6 D8 CJ) called H9, West (SQ ST HA H9 DA DT D9 CA) has it:
# neither has a run or three of a kind that counts, three aces are no meld. The pack is 162.
NO_MELD = "fiches N ESWEWESSWENESWNSSWENNWWSNWEESNMNN {} H:H9:- {} {} . ."


def test_fiches_a_side_without_meld_cannot_make_170_of_162() -> None:
    assert outcome(NO_MELD.format("=S170", "SA", "0E=set:HKDKCK")) == (False, (3, 3, -3, -3))


def test_fiches_150_of_162_is_open_after_one_card() -> None:
    assert outcome(NO_MELD.format("=S150", "SA", ".")) == (None, None)


# zwabber, North has four jacks (160) and called DK, which South has. East (SA S9 S7 HA H7 D7 CT C7)
# and West (S8 HQ HT H8 DT D8 CK C8) have nothing to declare.
JACKS = "fiches-mini W {} zwa,-,-,- -:DK:- CJC7 0N=set:SJHJDJCJ . ."


def test_fiches_a_meld_that_nobody_can_beat_makes_the_contract_at_once() -> None:
    deal = "ESSNNEWEESWNWSWENMSNNWSWESWNNESWE"
    assert outcome(JACKS.format(deal)) == (True, (4, 0, 4, 0))


def test_fiches_four_jacks_may_be_beaten_by_four_nines_of_a_hand_not_known() -> None:
    assert outcome(JACKS.format("."))[0] is None


# limburg: four jacks are 200, and 200 is the most that there is.
def test_limburg_four_jacks_make_170_whatever_the_others_hold() -> None:
    line = "limburg E EWWSWNSMWSWSWNENNWESSENENWESSENEN -,-,100,140,170,- H:CQ:- CJCA {} . ."
    assert outcome(line.format("0S=set:SJHJDJCJ")) == (True, (3, 0, 3, 0))
    assert outcome(line.format(".")) == (None, None)


# butselaar, clubs: South needs just one trick, with his own jas; West has CJ and plays it.
@pytest.mark.parametrize(("play", "made"), [("D7", None), ("D7CJ", False), ("D7CJDJ", False)])
def test_butselaar_a_piccolo_is_lost_once_another_played_the_jas(
    play: str, made: bool | None
) -> None:
    line = f"butselaar W SEEEENNNEEEEWWWWNNNNNSWSSMWWWSSSS 130,spp,ppr,-,-,- C:-:C8 {play} . . ."
    assert judged(line).outcome.made is made


# butselaar, hearts, South 130 with East, who has four aces (100, sayable until the last is played).
# North took 48 in trick 1 and HT is discarded: 146 - 10 - 48 = 88 is the most in cards.
ACES = "butselaar N EWWNNESNEWWNSMSWSEEWNSESWEWNNESNS -,130,-,- H:DA:HT {} . . ."


def test_butselaar_a_meld_wholly_played_can_no_longer_be_announced() -> None:
    play = "H9HKHJHA/CQCAC9CK/SAH8SKSJ/DTDQDJ"
    assert outcome(ACES.format(play)) == (None, None)
    assert outcome(ACES.format(play + "DA")) == (False, (0, -1, -1, 0))


# heerlen: declarer East has nine cards, SA SJ S9 S8 S7 HK DT D9 CJ; which one he put away is open.
NINE = "heerlen W EWSENEEEWEWWSSSWNNNNWEESSWSWMNNNS -,150,-,-,- S:HA:? SJSQSKST/DT {} . ."


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("1E=roem20", []),  # S9 S8 S7
        ("1E=roem50", [("roem-not-held", 1, 1)]),  # no run of four among the nine
        ("4E=stuk", [("stuk-not-held", 4, 1)]),  # SK is West's, SQ South's
    ],
)
def test_an_announcement_that_no_discard_explains(
    claim: str, found: list[tuple[str, int, int]]
) -> None:
    assert flags(NINE.format(claim)) == found


# Of all cards only the owners of SJ (North) and S7 (North) are known.
TWO_KNOWN = "fiches-show-low N ???N???N????????????????????????? 100,-,-,- S:HA:- . {} . ."


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("0W=set:SJHJDJCJ", [("roem-not-held", 0, 3)]),  # North has SJ
        ("0N=set:SJHJDJCJ", []),
        ("0W=run:HJHTH9", []),
        ("0W=show:S7", [("show-not-held", 0, 3)]),  # North has S7
        ("0N=show:SJ", [("show-not-lowest", 0, 0)]),  # he has S7
        ("0N=show:S7", []),  # H6 may be another's
        ("0N=show:H6", []),
    ],
)
def test_what_is_known_of_other_hands_speaks_against_a_claim(
    claim: str, found: list[tuple[str, int, int]]
) -> None:
    assert flags(TWO_KNOWN.format(claim)) == found


# heerlen, East's nine cards: SA HA HJ DA DJ CA CJ CT and, from the middle, D8. All aces are his.
ALL_ACES = "heerlen N ENWSNSSNESWEWNSNWESWEWNMWESNEESNW pic,ker,-,-,230,-,-,- C:{}:? {} . . ."
ALL_PLAYED = (
    "DJDKDQD9/HKHTH7CJ/D8S9C7SK/DTS7CTSJ/DACKD7H9/H8HQSTHA/HJS8H6C8/CQSAC9SQ"  # all his but CA
)


@pytest.mark.parametrize("play", [ALL_PLAYED, "."])
def test_a_king_may_be_called_when_the_fourth_ace_was_put_away(play: str) -> None:
    """RULES 3.1: "three with the fourth discarded, he calls a king"; South has DK."""
    assert flags(ALL_ACES.format("DK", play)) == []
    assert judged(ALL_ACES.format("DK", play)).outcome.partner == 2


@pytest.mark.parametrize("play", [ALL_PLAYED, "."])
def test_neither_own_cards_nor_the_own_discard_can_be_called(play: str) -> None:
    """RULES 9; whether CA was put away need not be known."""
    assert flags(ALL_ACES.format("CA", play)) == [("call-own-card", None, 1)]
    assert judged(ALL_ACES.format("CA", play)).outcome.partner == NOBODY


def test_kereltje_is_played_alone_whether_the_own_jas_is_held_or_put_away() -> None:
    """RULES 3.1: "if declarer himself holds or discards the jas there is no partner"."""
    line = "heerlen N WWWWWWWNNEEEEESNNNNNNEEEMWSSSSSSS mis,-,ker,-,-,- S:SJ:? S9S7DTCK . . ."
    assert judged(line).outcome.partner == NOBODY


@pytest.mark.parametrize(
    ("card", "found"),
    [
        ("HK", [("revoke", 10, 1)]),
        ("D9", []),
        ("S7", []),  # any trump may be played instead
    ],
)
def test_declarer_cannot_have_put_away_both_cards_of_the_suit_led(
    card: str, found: list[tuple[str, int, int]]
) -> None:
    """East has DT and D9 among his nine: one at most is the discard, so he can follow to DJ."""
    line = NINE.replace("SJSQSKST/DT", f"SJSQSKST/CJC7CQCT/DJDQ{card}").format(".")
    assert flags(line) == found


# heerlen, North 160. He says roem 20 (SJ ST S9); South has the run of four CQ CJ CT C9.
DENIED = "heerlen S NNSNNNEEEEMWWWWEEEENSSSWWWWSSSSNN {} S:CA:C7 SJS7SQD7 1N=roem20,1S=deny . ."


def test_who_bid_in_an_auction_that_is_not_recorded_is_unknown() -> None:
    """RULES 6.1: only who bid may deny. South passed; without the calls he may have bid."""
    passed = DENIED.format("pic,mis,150,-,-,160,-,-,-")
    assert flags(passed) == [("deny-without-bid", 1, 2)]
    assert judged(passed).outcome.meld == (20, 0)
    unknown = DENIED.format("=N160")
    assert flags(unknown) == []
    assert judged(unknown).outcome.meld == (0, 0)


def test_a_piccolo_with_two_tricks_is_lost_even_if_the_jas_is_written_in_both() -> None:
    """RULES 3.3 "exactly one trick", 9 "scored as it was played": DJ wins tricks 1 and 2."""
    line = "butselaar S WSNSEENEESSMNNEWSNWESNWWWENWESNSW -,130,140,pic,-,- D:-:HJ {} . . ."
    assert judged(line.format("DJD9DTDQ")).outcome.made is None
    twice = line.format("DJD9DTDQ/DJD8DAH8")
    assert flags(twice) == [("played-twice", 4, 2)]
    assert judged(twice).outcome.winners == (2, 2)
    assert judged(twice).outcome.made is False
