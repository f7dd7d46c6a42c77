"""The shared builder: conflicts are warnings, what is missing stays unknown, seats that follow."""

import pytest

from engine.cards import CARDS, card
from engine.record import Call, HandRecord, Result
from parsers.base import Options
from parsers.build import BuildError, HandBuilder, resolve_rules
from parsers.events import read_events
from parsers.phl import parse_line, write_phl

HEERLEN = resolve_rules("heerlen", Options())
FICHES = resolve_rules("fiches", Options())


def built(builder: HandBuilder, rules=HEERLEN) -> HandRecord:
    return builder.build(rules)


def test_hands_told_twice():
    b = HandBuilder()
    b.hand(0, [card("SA"), None])
    b.hand(0, [card("SA"), card("SK"), None])
    b.hand(0, [card("SK")])
    assert b.warnings == []
    b.hand(0, [card("HA")])
    b.hand(1, [card("DA"), card("DA")])
    b.middle(card("SA"))
    b.middle(None)
    record = built(b)
    assert record.deal[:2] == "NN"
    assert record.deal_extra == ((0, "M"),)
    assert [w.partition(";")[0] for w in b.warnings] == [
        "the hand of N is told twice and differs",
        "the hand of E names a card twice",
    ]


def test_names_dates_and_meta():
    b = HandBuilder()
    b.name(1, " Bas ")
    b.name(2, "")
    b.name(3, "dirk@club.nl")
    b.date("2026-11-28 20:15")
    b.meta("id", "x1")
    b.meta("site", None)
    b.meta("session", "avond van a@b.nl")
    b.meta("event", "a@b.nl")
    b.note(" mooi spel ")
    b.note("a@b.nl")
    b.note("vraag a@b.nl ernaar")
    record = built(b)
    assert record.meta == (
        ("id", "x1"),
        ("e", "Bas"),
        ("date", "2026-11-28"),
        ("time", "20:15"),
        ("session", "avond van [removed]"),
    )
    told = "an e-mail address is taken out of {!r}"
    assert [told.format(k) in b.warnings for k in ("session", "event", "id")] == [True, True, False]
    assert [n.text for n in record.notes] == ["mooi spel", "vraag [removed] ernaar"]
    assert "e-mail" in b.warnings[0]
    other = HandBuilder()
    other.date("vorige week")
    assert built(other).get("date") == "vorige week"


def test_two_dealers():
    b = HandBuilder()
    b.dealer(None)
    b.dealer(2)
    b.dealer(2)
    b.dealer(0)
    assert built(b).dealer == 2
    assert b.warnings == ["the log names two dealers, S and N"]


def test_calls_in_turn_lose_their_seat_and_others_keep_it():
    b = HandBuilder()
    b.dealer(3)
    for seat, text in ((0, "-"), (1, "120"), (3, "130"), (2, "-"), (3, "-"), (0, "-")):
        b.call(text, seat)
    record = built(b)
    assert record.auction == (
        Call("-"), Call("120"), Call("130", 3), Call("-"), Call("-"), Call("-"),
    )  # fmt: skip
    with pytest.raises(BuildError, match="is not a call"):
        b.call("zwembad")


def test_declarer_that_the_calls_contradict():
    b = HandBuilder()
    b.dealer(3)
    for text in ("120", "-", "-", "-"):
        b.call(text)
    b.declare(2, 1, card("SA"))
    built(b)
    assert b.warnings == ["the calls make N declarer, the log S"]
    b = HandBuilder()
    b.contract(1, "150")
    b.declare(2, 1, card("SA"))
    record = built(b)
    assert (record.declarer, record.contract) == (1, "150")
    assert b.warnings == ["declared by S, while E is declarer"]


def test_parts_of_a_declaration_that_a_contract_does_not_have():
    b = HandBuilder()
    b.contract(0, "mis")
    b.declare(0, 1, None)
    record = built(b)
    assert (record.trump, record.called, record.discard) == ("H", "-", "?")
    b = HandBuilder()
    b.contract(0, "120")
    b.declare(0, None, None)
    record = built(b, FICHES)
    assert (record.trump, record.called, record.discard) == ("?", "?", "-")
    assert built(HandBuilder()).trump is None


def test_a_declaration_told_twice():
    b = HandBuilder()
    b.contract(0, "150")
    b.declare(0, 1, card("SA"))
    b.declare(0, None, card("DA"))
    b.discard(card("C7"), 0)
    record = built(b)
    assert (record.trump, record.called, record.discard) == ("H", "DA", "C7")
    assert b.warnings == ["the called card is SA and later DA; the later one is kept"]


def test_undo_of_every_kind():
    b = HandBuilder()
    b.dealer(3)
    b.call("120", 0)
    b.undo()
    b.call("130", 0)
    for seat in (1, 2, 3):
        b.call("-", seat)
    b.declare(0, 1, card("SA"))
    b.undo(0)
    b.declare(0, 0, card("HA"))
    b.play(card("S7"), 0)
    b.claim(0, "roem", 20)
    b.undo()
    b.play(None, 0)
    b.undo()
    b.play(card("S8"), 0)
    record = built(b)
    assert [c.text for c in record.auction] == ["130", "-", "-", "-"]
    assert (record.trump, record.called, record.claims) == ("S", "HA", ())
    assert [CARDS[p.card] for p in record.plays] == ["S8"]
    assert b.warnings == [
        "taken back: the call 120 by N",
        "taken back: the declaration by N",
        "taken back: the card S7 by N and 1 announcement(s)",
        "taken back: the card ? by N",
    ]


def test_first_lead_by_rule_set():
    for rules, leader, written in ((HEERLEN, 0, None), (HEERLEN, 1, 1), (FICHES, 1, None)):
        b = HandBuilder()
        b.dealer(0)
        b.contract(0, "120")
        b.declare(0, 1, card("SA"))
        b.play(card("S7"), leader)
        assert built(b, rules).plays[0].seat == written


def test_without_a_known_trump_every_lead_is_written():
    b = HandBuilder()
    for i, name in enumerate(("SA", "SK", "SQ", "SJ", "HA", "HK")):
        b.play(card(name), i % 4)
    assert [p.seat for p in built(b).plays] == [0, None, None, None, 0, None]


def test_tricks_and_results_in_conflict():
    b = HandBuilder()
    b.contract(0, "150")
    b.declare(0, 1, card("SA"))
    b.trick(1)
    for i, name in enumerate(("S7", "S8", "S9", "ST")):
        b.play(card(name), i)
    b.trick(3)
    b.trick(None)
    b.result(outcome="made", points=None)
    b.result(outcome="lost", tricks=(5, 3))
    record = built(b)
    assert (record.result.outcome, record.result.tricks) == ("made", (5, 3))
    assert b.warnings[0] == "the log gives two results (outcome): the first is kept"
    assert "a trick is given to E when 0 cards lie there" in b.warnings
    assert len(b.warnings) == 2


def test_emptiness():
    b = HandBuilder()
    b.hand(0, [card("SA")])
    assert b.is_empty()
    b.result(outcome="void")
    assert not b.is_empty()


# Items that the samples do not hold.


def hand_of(*events: str):
    text = "".join(e.replace("'", '"') + "\n" for e in events)
    result = read_events(text, "x", Options())
    assert [str(r) for r in result.rejects] == []
    return result.hands[0]


def test_hands_by_seat_and_everything_in_the_declaration():
    hand = hand_of(
        "{'e': 'deal', 'dealer': 'W', 'hands': {'N': 'SA SK', 'Oost': ['HA']}, 'middle': 'H6'}",
        "{'e': 'declare', 'declarer': 'Z', 'contract': 'pandoer +20', 'trump': 'H',"
        " 'called': 'DA', 'discard': 'S7'}",
        "{'e': 'play', 'card': ['HJ']}",
        "{'e': 'result', 'made': 'ja', 'score': {'N': 5, 'S': 5, 'E': 0, 'W': '0'},"
        " 'tricks': [8, 0], 'partner': 'N', 'conceded': 1}",
    )
    record = hand.record
    assert (record.declarer, record.contract, record.discard) == (2, "pan+20", "S7")
    assert record.deal[:2] == "NN"
    assert record.result.score == (5, 0, 5, 0)
    assert (record.result.partner, record.result.conceded) == (0, 1)
    assert record.result.tricks == (8, 0)


def test_solo_without_trump_and_scores_one_by_one():
    hand = hand_of(
        "{'e': 'deal', 'north': 'SA SK', 'dealer': 3}",
        "{'e': 'declare', 'seat': 0, 'bid': 'solozwabber', 'trump': 'geen', 'called': '-'}",
        "{'e': 'discard', 'seat': 0, 'card': '-'}",
        "{'e': 'result', 'seat': 0, 'score': -5, 'partner': 'geen'}",
        "{'e': 'result', 'seat': 0, 'score': -6}",
        "{'e': 'result', 'seat': 1, 'score': 2.0}",
    )
    record = hand.record
    assert (record.contract, record.trump, record.called, record.discard) == ("szw", "-", "-", "-")
    assert record.result.partner == -1
    assert record.result.score is None
    assert (record.get("score_n"), record.get("score_e")) == ("-5", "2")
    assert "the log gives N two scores, -5 and -6" in hand.warnings


def test_dealer_on_the_row_of_a_hand_and_numbers_as_cards():
    hand = hand_of(
        "{'e': 'hand', 'seat': 1, 'cards': ['S14', 'S13'], 'dealer': true}",
        "{'e': 'hand', 'seat': 2, 'cards': ['H1'], 'dealer': 1}",
        "{'e': 'stuk', 'seat': 2}",
        "{'e': 'play', 'seat': 2, 'card': 'S11'}",
    )
    assert hand.record.dealer == 1
    assert hand.record.deal[:2] == "EE"
    assert hand.record.claims[0].what() == "stuk"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("{'e': 'deal', 'hands': {'Q': ['SA']}}", "the seat of a hand"),
        ("{'e': 'deal', 'hands': 7}", "four hands"),
        ("{'e': 'hand', 'cards': ['SA']}", "the seat of this hand"),
        ("{'e': 'hand', 'seat': 0, 'cards': {'a': 1}}", "the cards of a hand"),
        ("{'e': 'declare', 'seat': 0, 'contract': 'zwembad'}", "a call"),
        ("{'e': 'stuk'}", "the seat that announces"),
        ("{'e': 'show', 'seat': 0}", "the cards that are shown"),
        ("{'e': 'result', 'score': {'Q': 1}}", "a seat"),
        ("{'e': 'result', 'score': 4}", "four scores"),
        ("{'e': 'result', 'points': true}", "a whole number"),
        ("{'e': 'result', 'points': '²'}", "a whole number"),
        ("{'e': 'result', 'points': '1-'}", "a whole number"),
    ],
)
def test_faults_of_items(event, expected):
    text = event.replace("'", '"') + '\n{"e": "play", "seat": 0, "card": "SA"}\n'
    (reject,) = read_events(text, "x", Options()).rejects
    assert expected in reject.expected


def test_numbers_that_no_hand_can_have_are_left_out_and_said():
    b = HandBuilder()
    b.contract(0, "130")
    b.play(card("SA"), 0)
    b.claim(0, "roem", 123456)
    b.claim(0, "roem", 50)
    b.result(
        outcome="made", points=(12345678, 1), conceded=150, score=(1, 10**9, 0, 0), tricks=(8, 0)
    )
    record = b.build(resolve_rules(None, Options()))
    assert record.result == Result(outcome="made", tricks=(8, 0))
    assert [c.value for c in record.claims] == [50]
    assert sum("no hand can have: left out" in w for w in b.warnings) == 4
    assert parse_line(write_phl(record)) == record
