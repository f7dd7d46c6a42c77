"""Hands typed by a person: the worked examples, every statement, faults with their place."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import CARDS
from parsers.base import Options
from parsers.mapping import parse_mapping
from parsers.typed import TypedParser, cut_hands, read_typed
from tests.parsers.told import RULES, TRUTH, codes, disagreements, dutch, names, signs

BY = Options(rules=RULES)
SHORT = "Zuid: 150, troef harten, mee: schoppenaas; 1. HB H9 H7 H8"
SEATS_NL = ("Noord", "Oost", "Zuid", "West")
WORDS = {
    "S": "schoppen", "H": "harten", "D": "ruiten", "C": "klaver",
    "A": "aas", "K": "heer", "Q": "vrouw", "J": "boer", "T": "tien", "9": "negen", "8": "acht",
    "7": "zeven", "6": "zes",
}  # fmt: skip


def word(card: str) -> str:
    return f"{WORDS[card[0]]} {WORDS[card[1]]}"


def told(card, tricks: str = "\n", seats: tuple[str, ...] = SEATS_NL) -> str:
    """The hand of the answer as a person would type it."""
    lines = [
        "Spel 3", "datum 29-11-2026", f"spelers: {', '.join(TRUTH['names'])}",
        f"gever: {seats[TRUTH['dealer']]}",
    ]  # fmt: skip
    for s, hand in enumerate(TRUTH["hands"]):
        lines.append(f"{seats[s]}: " + ", ".join(card(c) for c in hand))
    lines.append("kijkkaart: " + card(TRUTH["middle"]))
    calls = [f"{seats[s]}: {w if p is None else p}" for s, w, p in TRUTH["auction"]]
    lines.append(", ".join(calls))
    suit = card(TRUTH["trump"] + "A")
    trump = {"S": "schoppen"}[TRUTH["trump"]] if suit[-1] != "A" or suit[0] == "s" else suit[0]
    lines.append(f"weg: {card(TRUTH['discard'])}; troef {trump}; mee: {card(TRUTH['called'])}")
    played = [card(c) for _, c in TRUTH["plays"]]
    numbered = [f"{i + 1}. " + " ".join(played[4 * i : 4 * i + 4]) for i in range(8)]
    lines.append(tricks.join(numbered))
    lines.append("verloren, punten 50-82")
    return "\n".join(lines) + "\n"


def one(text: str, options: Options = BY):
    assert TypedParser().recognise(text, "x"), text
    result = read_typed(text, "x", options)
    assert [str(r) for r in result.rejects] == []
    assert len(result.hands) == 1
    return result.hands[0]


@pytest.mark.parametrize("card", [str, dutch, signs, word], ids=lambda f: f.__name__)
@pytest.mark.parametrize("tricks", ["\n", "  ", "; "])
def test_the_hand_of_the_answer(card, tricks):
    hand = one(told(card, tricks))
    assert disagreements(hand.record) == {}
    assert codes(hand.record) == []
    assert names(hand.record) == TRUTH["names"]
    assert (hand.record.get("date"), hand.record.get("hand")) == ("2026-11-29", "3")
    assert hand.record.result.points == (50, 82)


def test_line_ends_of_other_systems():
    for end in ("\r\n", "\r"):
        assert disagreements(one(told(dutch).replace("\n", end)).record) == {}


def test_the_short_form():
    record = one(SHORT).record
    assert (record.auction_state, record.declarer, record.contract) == ("unknown", 2, "150")
    assert (record.trump, record.called) == ("H", "SA")
    assert [CARDS[p.card] for p in record.plays] == ["HJ", "H9", "H7", "H8"]
    assert all(p.seat is None for p in record.plays)


def test_in_english():
    record = one(
        "South (Cor) plays 150; trumps: hearts; calling ace of spades; discards D7;\n"
        "dealer West; rules: heerlen; result: made 152-0\n"
        "1. jack of hearts H9 H7 H8\n2. SA S7 SK S8\n{the rest was mine}\n",
        Options(),
    ).record
    assert (record.declarer, record.contract, record.trump) == (2, "150", "H")
    assert (record.called, record.discard, record.dealer) == ("SA", "D7", 3)
    assert (record.rules, record.result.outcome, record.result.points) == (
        "heerlen",
        "made",
        (152, 0),
    )
    assert record.player(2) == "Cor"
    assert len(record.plays) == 8
    assert record.notes[0].text == "the rest was mine"


def test_contracts_without_partner_or_trump():
    solo = one("Oost: solo-zwabber, zonder troef, alleen; 1. SA S7 S8 S9", BY).record
    assert (solo.contract, solo.trump, solo.called) == ("szw", "-", "-")
    assert one("West: misère, troef ruiten\nuitslag: gehaald", BY).record.result.outcome == "made"


@pytest.mark.parametrize(
    ("text", "contract", "trump", "called", "outcome"),
    [
        ("Zuid speelt 150 in harten met schoppenaas, gehaald", "150", "H", "SA", "made"),
        ("Zuid speelt 150 in harten, mee: schoppenaas, gehaald", "150", "H", "SA", "made"),
        ("South plays 150 in hearts with ace of spades, lost", "150", "H", "SA", "lost"),
        ("Zuid: 150 harten vraagt SA; 1. HB H9 H7 H8", "150", "H", "SA", None),
        ("Zuid speelt misère in ruiten, verloren", "mis", "D", "-", "lost"),
        ("Zuid speelt pandoer met 20 in harten met SA, gehaald", "pan+20", "H", "SA", "made"),
    ],
)
def test_call_suit_and_card_in_one_breath(text, contract, trump, called, outcome):
    record = one(text, Options("heerlen")).record
    assert (record.declarer, record.contract, record.trump, record.called) == (
        2, contract, trump, called,
    )  # fmt: skip
    assert record.result.outcome == outcome
    assert record.notes == ()


@pytest.mark.parametrize(
    ("text", "column", "token", "expected"),
    [
        ("Zuid speelt 150 op zijn sloffen", 17, "op zijn sloffen", "after the call a trump suit"),
        ("Zuid speelt 150 in blauw met SA", 17, "in blauw", "after the call a trump suit"),
        ("Zuid speelt 150 in harten met iets", 31, "iets", "a card"),
        ("Zuid speelt zwembad in harten", 13, "zwembad in harten", "a call: pass, a number"),
        ("Zuid past in harten", 14, "harten", "after the call a trump suit"),
        ("Zuid: 150, troef harten, gehaald verloren", 26, "gehaald verloren", "one outcome"),
        ("Zuid: 150, troef harten, nat/gehaald", 26, "nat/gehaald", "one outcome"),
    ],
)
def test_the_part_that_is_not_understood_is_named(text, column, token, expected):
    result = read_typed(text, "x", BY)
    assert result.hands == []
    (reject,) = result.rejects
    assert (reject.column, reject.token) == (column, token)
    assert expected in reject.expected


def test_announcements_among_the_cards():
    record = one(
        "Zuid: 150, troef harten, mee SA; 1. HB Z:roem 50 H9 N:stuk H7 H8 2. W:SA S7 S8 S9"
    ).record
    assert [(c.ply, c.seat, c.what()) for c in record.claims] == [
        (1, 2, "roem50"),
        (2, 0, "stuk"),
    ]
    assert [p.seat for p in record.plays][4:] == [3, None, None, None]


def test_a_leader_before_the_cards():
    record = one("Zuid: 150, troef harten; 1. West: HB H9 H7 H8 2. Zuid SA S7").record
    assert [p.seat for p in record.plays] == [3, None, None, None, 2, None]


def test_players_by_name_and_own_words():
    mapped = Options(RULES, parse_mapping('[calls]\n"de grote" = "200"\n'))
    record = one("spelers: An, Bo, Co, Di\nZuid: pas, Bo: de grote; troef H\n1. HA", mapped).record
    # The first caller is forehand; the second calls out of turn and keeps his seat.
    assert record.dealer == 1
    assert [(c.text, c.seat) for c in record.auction] == [("-", None), ("200", 1)]


def test_cards_in_a_row():
    record = one("Zuid: 150, troef harten, gespeeld: HB H9 H7 H8 / SA S7").record
    assert len(record.plays) == 6


def test_several_hands_and_a_bad_one():
    text = f"{SHORT}\n\n{SHORT.replace('H7', 'H5')}\n---\n{SHORT}\nSpel 4:\n{SHORT}\n"
    result = read_typed(text, "x", BY)
    assert [h.line for h in result.hands] == [1, 5, 6]
    assert result.hands[2].record.get("hand") == "4"
    (reject,) = result.rejects
    assert (reject.line, reject.token) == (3, "H5")
    assert reject.column == SHORT.index("H7") + 1
    assert reject.raw == SHORT.replace("H7", "H5")


@pytest.mark.parametrize(
    ("text", "line", "column", "token", "expected"),
    [
        ("Zuid: 150\ntroef rood", 2, 7, "rood", "a trump suit"),
        ("Zuid: 150, troef harten, en toen H9", 1, 26, "en toen H9", "a statement such as"),
        ("Zuid: 150, troef harten, toen 7", 1, 26, "toen 7", "a statement such as"),
        ("Zuid: 150, wat een avond, en toen", 1, 12, "wat een avond", "a statement such as"),
        ("Zuid: 150; troef H; 1. HB H9 H7 H8 HA", 1, 36, "HA", "four cards in trick 1"),
        ("Zuid: 150; troef H; 1. HB H9 H7 2. HA", 1, 36, "HA", "four cards in trick 1"),
        ("Zuid: 150; troef H; 1. HB H9 H7 H8 3. HA", 1, 36, "3.", "trick 2"),
        ("Zuid: 150; troef H; weg: Q9", 1, 26, "Q9", "a card"),
        ("Zuid: 150; troef H; gever: Piet", 1, 28, "Piet", "the seat of the dealer"),
        ("Zuid: 150; troef H; datum 31-2-2026", 1, 27, "31-2-2026", "a date"),
        ("Zuid: 150; troef H; spelers: An, Bo", 1, 30, "An, Bo", "four names"),
        ("Zuid: 150; troef H; punten veel", 1, 28, "veel", "points, such as"),
        ("Zuid: 150; troef H; 1. HB roem 50 Q:H9", 1, 35, "Q:H9", "a seat before the card"),
        ("Zuid: 150; troef H {open", 1, 20, "{", "a comment between"),
        ("Zuid: zwembad; troef H", 1, 7, "zwembad", "a call"),
    ],
)
def test_faults_name_their_place(text, line, column, token, expected):
    (reject,) = read_typed(text, "x", BY).rejects
    assert (reject.line, reject.column, reject.token) == (line, column, token)
    assert expected in reject.expected


def test_a_remark_in_plain_words_is_kept_and_said():
    hand = one("Zuid: 150, troef harten, mooi gespeeld; 1. HB H9 H7 H8\nnet aan gehaald, zei Oom")
    assert [n.text for n in hand.record.notes] == ["mooi gespeeld", "net aan gehaald", "zei Oom"]
    assert "line 1: 'mooi gespeeld' is not understood: kept as a comment" in hand.warnings
    assert hand.record.result.outcome is None
    assert [CARDS[p.card] for p in hand.record.plays] == ["HJ", "H9", "H7", "H8"]
    assert read_typed(hand.raw, "x", BY).hands[0].record == hand.record


def test_ambiguous_cards_are_said():
    result = read_typed("Zuid: 150; troef harten; 1. HK", "x", BY)
    assert "king of hearts" in result.rejects[0].expected
    assert "king of clubs" in result.rejects[0].expected


def test_unknown_rules_need_the_option():
    text = "regels: midden-nederland\n" + SHORT
    assert "--rules" in str(read_typed(text, "x", Options()).rejects[0])
    assert one(text).record.rules == RULES


@pytest.mark.parametrize(
    "text",
    [
        "Beste Zuid: 150 maal dank.",
        "Troef is harten, en dat weet u.",
        '{"Zuid": 150, "troef": "harten"}',
        "# Titel\n\n1. eerste punt\n2. tweede punt\n",
        "",
    ],
)
def test_other_texts_are_left_alone(text):
    assert not TypedParser().recognise(text, "x")


def test_nothing_told_is_empty():
    result = read_typed("gever: Noord", "x", BY)
    assert (result.hands, result.rejects, result.empty) == ([], [], 1)


def test_cutting_keeps_tricks_after_blank_lines():
    assert [n for n, _ in cut_hands("a\n\n1. x\n\n2. y\n\nb\n1. z")] == [1, 7]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mutations(data):
    text = data.draw(st.sampled_from([told(dutch), told(word), SHORT]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        n = data.draw(st.integers(0, 30))
        text = text[:at] + data.draw(st.text(max_size=6)) + text[at + n :] or "x"
    TypedParser().recognise(text, "x")
    result = read_typed(text, "x", BY)
    assert all(len(h.record.plays) <= 32 for h in result.hands)
    for hand in result.hands:
        assert hand.raw in text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")


def test_a_hand_without_cards_keeps_its_auction():
    """Who plays what is a hand for the bidding statistics, also if nothing became of it."""
    hand = read_typed("Zuid: 150; troef harten; mee SA").hands[0].record
    assert (hand.declarer, hand.contract, hand.trump, hand.called) == (2, "150", "H", "SA")
    calls = read_typed("gever: West; Noord: pas, Oost: 120, Zuid: pas, West: pas").hands[0].record
    assert [c.text for c in calls.auction] == ["-", "120", "-", "-"]


@pytest.mark.parametrize("sign", ["?", "!", "/"])
def test_a_sign_after_a_seat_is_no_pass(sign):
    result = read_typed(f"Zuid: 130, West: {sign}, troef harten, mee SA; 1. HB H9 H7 H8", "x")
    assert result.hands == []
    (reject,) = result.rejects
    assert (reject.line, reject.column, reject.token) == (1, 18, sign)
    assert reject.expected.startswith("a call: pass, a number")


@pytest.mark.parametrize(
    "said",
    ["Gehaald, 140-22", "gehaald met 140-22", "made with 140 - 22", "gehaald; punten 140-22"],
)
def test_points_beside_made_or_lost(said):
    record = read_typed(f"Zuid: 130, troef harten, mee SA; 1. HB H9 H7 H8; {said}", "x").records[0]
    assert (record.result.outcome, record.result.points) == ("made", (140, 22))


def test_two_numbers_alone_are_no_points():
    result = read_typed("Zuid: 130, troef harten, mee SA, 140-22; 1. HB H9 H7 H8", "x")
    assert result.hands == []
    assert result.rejects[0].token == "140-22"
