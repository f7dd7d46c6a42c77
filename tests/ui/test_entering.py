"""The tables that the browser looks things up in, and records made of what it sends back."""

import random
import re

import pytest

from engine.auction import Auction
from engine.cards import CARDS, NO_TRUMP, cards_in, mask_of
from engine.record import Call
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from pandoeren_replay.ui.entering import (
    EntryError,
    auction_steps,
    beats,
    call_tiers,
    kind_of,
    legal_kinds,
    offered_bids,
    record_of,
    rule_tables,
    situation_of,
)
from pandoeren_replay.ui.pages.enter import entry_data
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from parsers.phl import parse_line, write_phl

from .conftest import HANDS

LINES = [x for x in HANDS.read_text("utf-8").splitlines() if not x.startswith("#")]


def best_of(rules, trump, trick):
    best = trick[0]
    for c in trick[1:]:
        if rules.tables.wins(trump, best, c):
            best = c
    return best


@pytest.mark.parametrize("rules_id", BUILTIN_IDS)
def test_the_table_of_legal_cards_says_what_the_engine_says(rules_id):
    rules = load_ruleset(rules_id)
    table = legal_kinds(rules)
    rng = random.Random(rules_id)
    for _ in range(1500):
        cards = list(range(33))
        rng.shuffle(cards)
        k = rng.randint(1, 3)
        trick, hand = cards[:k], cards[k : k + rng.randint(1, 9)]
        trump = rng.randrange(5)
        led, best = trick[0], best_of(rules, trump, trick)
        kinds = {c: kind_of(rules, trump, led, best, c) for c in hand}
        key = f"{situation_of(trump, led, best)}:{''.join(sorted(set(kinds.values())))}"
        legal = rules.tables.legal(trump, mask_of(hand), led, best)
        assert {c for c in hand if kinds[c] in table[key]} == set(cards_in(legal))


@pytest.mark.parametrize("rules_id", BUILTIN_IDS)
def test_the_table_of_the_auction_walks_as_the_engine_does(rules_id):
    rules = load_ruleset(rules_id)
    steps = auction_steps(rules)
    bids = [b.text for b in offered_bids(rules)]
    rng = random.Random(7)
    for _ in range(200):
        dealer = rng.randrange(4)
        auction, at, next_bid = Auction(rules, dealer), 0, 0
        while not auction.over:
            turn, passed, bid, over, _ = steps[at]
            assert not over
            assert (dealer + 1 + turn) % 4 == auction.turn
            say = rng.random() < 0.45 and next_bid < len(bids)
            auction.call(Call(bids[next_bid] if say else "-"))
            next_bid += say
            at = bid if say else passed
        assert steps[at][3] == 1
        last = steps[at][4]
        assert (None if last < 0 else (dealer + 1 + last) % 4) == auction.bidder


def test_what_beats_what_is_the_engine_s_table():
    rules = load_ruleset("heerlen")
    rows = beats(rules)
    for trump in range(5):
        for one in range(33):
            for other in range(33):
                assert (rows[trump][one][other] == "1") == rules.tables.wins(trump, one, other)


def test_kings_are_offered_only_to_who_has_every_ace():
    first, second = call_tiers(load_ruleset("heerlen"), "points-120")["1"]
    assert {CARDS[c] for c in first} == {"SA", "HA", "DA", "CA"}
    assert {CARDS[c] for c in second} == {"SK", "HK", "DK", "CK"}
    first, second = call_tiers(load_ruleset("butselaar"), "points-130")["1"]
    assert {CARDS[c] for c in first} == {"SA", "DA", "CA"}
    assert {CARDS[c] for c in second} == {"SK", "DK", "CK"}
    assert call_tiers(load_ruleset("heerlen"), "misere") == {}


@pytest.mark.parametrize("lang", ["nl", "en"])
@pytest.mark.parametrize("rules_id", BUILTIN_IDS)
def test_every_contract_of_a_rule_set_is_offered(rules_id, lang):
    rules = load_ruleset(rules_id)
    tables = rule_tables(rules, Texts(lang))
    assert {c["contract"] for c in tables["calls"]} == set(rules.auction.order)
    ranks = [rules.bid(c["text"]).rank for c in tables["calls"]]
    assert ranks == sorted(ranks)


def sent(line: str) -> dict:
    """What the browser would send of a hand of the notation, dealt and played."""
    r = parse_line(line)
    return {
        "draft": "0123456789abcdef", "rules": r.rules, "dealer": r.dealer,
        "date": "2026-11-28", "session": "don", "hand": "1",
        "names": ["Anna", "", "  Cor   van Dijk ", "<b>x</b>"],
        "deal": {CARDS[i]: "NESWM".index(o) for i, o in enumerate(r.deal)},
        "calls": [c.text for c in r.auction], "declarer": None, "contract": None,
        "trump": r.trump, "called": r.called, "discard": r.discard,
        "plays": [CARDS[p.card] for p in r.plays],
        "claims": [
            {"ply": c.ply, "seat": c.seat, "kind": c.kind, "value": c.value,
             "cards": [CARDS[x] for x in c.cards]} for c in r.claims
        ],
        "outcome": None, "conceded": None, "partner": None,
    }  # fmt: skip


@pytest.mark.parametrize("number", range(10))
def test_a_hand_that_was_tapped_is_the_hand_of_the_notation(number):
    line = LINES[number]
    told = parse_line(line)
    record = record_of(sent(line), load_ruleset(told.rules))
    assert write_phl(record).split()[:7] == line.split()[:7]
    assert record.get("w") == "<b>x</b>"
    assert record.get("s") == "Cor van Dijk"
    assert record.player(1) is None
    one = replay(record, load_ruleset(told.rules))
    two = replay(told, load_ruleset(told.rules))
    assert one.outcome == two.outcome


def test_the_play_alone_fixes_the_hands_and_says_nothing_more():
    given = sent(LINES[0])
    told = parse_line(LINES[0])
    middle = CARDS[told.deal.index("M")]
    given |= {"deal": {middle: 4}, "discard": "?"}
    record = record_of(given, load_ruleset(told.rules))
    assert record.deal.count("?") == 32
    played = replay(record, load_ruleset(told.rules))
    assert played.deal_text == told.deal
    assert CARDS[played.discard] == told.discard


@pytest.mark.parametrize("typed", ["28-11-2026", "2026-11-28", "28/11/2026", "28.11.2026"])
def test_a_date_is_read_in_the_order_in_which_it_was_typed(typed):
    rules = load_ruleset("butselaar")
    record = record_of(sent(LINES[0]) | {"date": typed}, rules)
    assert (record.get("date"), record.get("session")) == ("2026-11-28", "don")
    # An evening that is named by its date is the same one, however it was typed.
    record = record_of(sent(LINES[0]) | {"date": typed, "session": typed}, rules)
    assert record.get("session") == "2026-11-28"


@pytest.mark.parametrize(
    ("lang", "shown"), [("nl", r"\d\d-\d\d-\d{4}"), ("en", r"\d{4}-\d\d-\d\d")]
)
def test_the_date_stands_in_the_viewers_order(pages, lang, shown):
    data = entry_data(
        "enter",
        Texts(lang),
        Source(str(pages.path)),
        {"heerlen": (load_ruleset("heerlen"), "heerlen")},
    )
    assert re.fullmatch(shown, data["today"])
    assert re.fullmatch(shown, data["date_hint"])


def test_a_line_of_a_score_sheet_has_no_cards():
    given = {
        "draft": "0123456789abcdef", "rules": "heerlen", "dealer": None, "names": list("ABCD"),
        "date": "2026-11-28", "calls": None, "declarer": 2, "contract": "130", "deal": {},
        "outcome": "made", "partner": 0,
    }  # fmt: skip
    record = record_of(given, load_ruleset("heerlen"))
    assert write_phl(record).startswith("heerlen ? . =S130 . . . made;partner=N id=entered-")
    played = replay(record, load_ruleset("heerlen"))
    assert [v.code for v in played.violations if v.severity == "error"] == []


@pytest.mark.parametrize(
    "change",
    [
        {"dealer": 4}, {"dealer": True}, {"plays": ["SA"] * 33}, {"plays": "SA"}, {"plays": ["S6"]},
        {"plays": [None]}, {"deal": {"SA": 7}}, {"deal": [1]}, {"calls": ["x"]}, {"calls": [1]},
        {"calls": None, "contract": "999999"}, {"trump": "X"}, {"called": "6S"},
        {"names": ["A"] * 5}, {"names": [3]}, {"date": "soon"}, {"draft": "../../x"},
        {"draft": None}, {"claims": [{"kind": "roem"}]}, {"claims": [{}]}, {"claims": [1]},
        {"claims": [{"kind": "roem", "seat": 0, "ply": 99, "value": 20}]}, {"outcome": "maybe"},
        {"partner": 9}, {"conceded": -1},
    ],
)  # fmt: skip
def test_nonsense_from_a_browser_is_refused(change):
    given = sent(LINES[0]) | change
    with pytest.raises(EntryError):
        record_of(given, load_ruleset("butselaar"))


def test_half_a_character_in_a_name_does_not_break_the_hand():
    given = sent(LINES[0]) | {"names": ["An\ud83dna"]}
    record = record_of(given, load_ruleset("butselaar"))
    assert record.get("n") == "Anna"
    write_phl(record).encode()


def test_no_trump_has_its_own_table():
    rules = load_ruleset("heerlen")
    assert call_tiers(rules, "zwabber").keys() == {str(NO_TRUMP)}
