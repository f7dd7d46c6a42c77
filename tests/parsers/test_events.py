"""The generic events format: samples against the answer, every container, faults, fuzz."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import CARDS
from parsers.base import Options, ParseResult, Source
from parsers.detect import parsers, read_sources
from parsers.events import EventsParser, read_events
from parsers.mapping import parse_mapping
from parsers.words import CallTextError, call_text
from tests.parsers.told import RULES, TRUTH, codes, disagreements, names, sample

BY = Options(rules=RULES)


def lines() -> list[dict]:
    return [json.loads(t) for t in sample("generic_events.jsonl").decode().splitlines()]


def jsonl(objects: list[dict]) -> str:
    return "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects)


def read(text: str, options: Options = BY) -> ParseResult:
    assert EventsParser().recognise(text, "x"), text[:200]
    return read_events(text, "x", options)


def one(text: str, options: Options = BY):
    result = read(text, options)
    assert [str(r) for r in result.rejects] == []
    assert len(result.hands) == 1
    return result.hands[0]


def test_sample_is_the_hand_of_the_answer():
    hand = one(sample("generic_events.jsonl").decode())
    assert disagreements(hand.record) == {}
    assert codes(hand.record) == ["score-mismatch"]
    assert names(hand.record) == TRUTH["names"]
    assert hand.warnings == ("taken back: the discard HT by N",)
    assert hand.line == 2
    assert hand.raw.count("\n") == 51
    assert hand.record.get("date") == "2026-11-29"


def test_raw_text_of_a_hand_is_read_again_by_itself():
    hand = one(sample("generic_events.jsonl").decode())
    assert one(hand.raw).record == hand.record


def test_a_rule_set_that_is_not_built_in_needs_the_option():
    result = read(sample("generic_events.jsonl").decode(), Options())
    assert result.hands == []
    assert "--rules" in str(result.rejects[0])
    assert "midden-nederland" in str(result.rejects[0])
    assert result.rejects[0].line == 2


def test_a_rule_set_named_in_a_log_never_opens_a_file(tmp_path):
    file = tmp_path / "club.toml"
    file.write_text('base = "heerlen"\nid = "club"\n')
    objects = lines()
    objects[0]["rules"] = str(file)
    assert "--rules" in str(read(jsonl(objects), Options()).rejects[0])
    assert one(jsonl(objects), Options(rules=str(file))).record.rules == "club"


def test_no_rule_set_is_said():
    objects = lines()
    del objects[0]["rules"]
    result = read(jsonl(objects), Options())
    assert result.hands[0].record.rules is None
    assert [w.message for w in result.warnings if "heerlen" in w.message] != []


def test_unfinished_sample_keeps_what_stands_and_says_what_was_lost():
    result = read(sample("generic_unfinished.jsonl").decode())
    (hand,) = result.hands
    plays = len(hand.record.plays)
    assert plays == sample("generic_unfinished.jsonl").decode().count('"e": "play"')
    assert disagreements(hand.record, plays) == {}
    assert any("ends in the middle" in w for w in hand.warnings)
    assert any("cut" in w.message and w.line == 25 for w in result.warnings)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("shape", ["list", "events", "games", "jsonl-crlf", "cr"])
def test_every_container(shape, indent):
    head, *events = lines()
    if shape == "list":
        text = json.dumps([head, *events], indent=indent)
    elif shape == "events":
        text = json.dumps({**head, "events": events}, indent=indent)
    elif shape == "games":
        text = json.dumps({"format": "pandoeren-log", "games": [{**head, "events": events}]},
                          indent=indent)  # fmt: skip
    else:
        text = jsonl([head, *events]).replace("\n", "\r\n" if shape == "jsonl-crlf" else "\r")
    hand = one(text)
    assert disagreements(hand.record) == {}
    assert names(hand.record) == TRUTH["names"]


def test_a_hand_written_compactly():
    hand = one(json.dumps(TRUTH))
    assert disagreements(hand.record) == {}
    assert hand.record.result.partner == TRUTH["partner"]
    assert hand.record.get("server_points") == str(TRUTH["score"])


def test_what_a_server_counted_is_compared():
    hand = one(json.dumps({**TRUTH, "score": 51}))
    assert "the log counts 51 points" in hand.warnings[0]


def test_several_hands_and_a_bad_one_between():
    head, *events = lines()
    second = [dict(e, hand=2) if e["e"] == "deal" else e for e in events]
    broken = [dict(e, hand=3) if e["e"] == "deal" else e for e in events]
    broken[20] = {**broken[20], "card": "S5"}
    third = [dict(e, hand=4) if e["e"] == "deal" else e for e in events]
    result = read(jsonl([head, *events, *second, *broken, *third]))
    assert [h.record.get("hand") for h in result.hands] == ["1", "2", "4"]
    (reject,) = result.rejects
    assert reject.token == "S5"
    assert "a card" in reject.expected
    assert reject.line == 2 + 2 * len(events) + 20
    assert json.loads(reject.raw.splitlines()[1])["hand"] == 3


def test_a_line_that_is_no_json_spoils_its_hand_only():
    head, *events = lines()
    text = jsonl([head, *events, *events])
    parts = text.splitlines()
    parts[10] = parts[10][:-9]
    result = read("\n".join(parts) + "\n")
    assert len(result.hands) == len(result.rejects) == 1
    assert (result.rejects[0].line, result.rejects[0].column > 1) == (11, True)


def test_a_document_that_breaks_off():
    head, *events = lines()
    text = json.dumps({**head, "events": events})
    result = read(text[: text.index('"n": 40')])
    (hand,) = result.hands
    assert disagreements(hand.record, len(hand.record.plays)) == {}
    assert "breaks off" in result.warnings[0].message


def test_undo_takes_back_the_trick_after_it():
    objects = lines()
    i = next(k for k, o in enumerate(objects) if o["e" if "e" in o else "format"] == "trick")
    again = [{"e": "undo", "seat": 3}, objects[i - 1], objects[i]]
    hand = one(jsonl([*objects[: i + 1], *again, *objects[i + 1 :]]))
    assert disagreements(hand.record) == {}
    assert "taken back: the card HK by W" in hand.warnings
    # An undone trick that is not played again would be one card short.
    assert one(jsonl([*objects[: i + 1], again[0]])).record.plays[-1].card == CARDS.index("H8")


def test_undo_by_another_and_of_nothing_are_warned_of():
    objects = lines()
    assert (
        "an undo with nothing"
        in one(jsonl([*objects[:2], {"e": "undo"}, *objects[2:]])).warnings[0]
    )
    hand = one(jsonl([*objects[:6], {"e": "undo", "seat": 2}, *objects[5:]]))
    assert any("S took back what N had done" in w for w in hand.warnings)


def test_a_trick_given_to_another_is_warned_of():
    objects = lines()
    trick = next(o for o in objects if o.get("e") == "trick")
    trick["winner"] = 0
    hand = one(jsonl(objects))
    assert any("trick 1: the log gives it to N" in w for w in hand.warnings)
    assert disagreements(hand.record) == {}


def test_a_card_out_of_turn_keeps_its_seat():
    objects = lines()
    plays = [o for o in objects if o.get("e") == "play"]
    plays[1]["seat"], plays[2]["seat"] = plays[2]["seat"], plays[1]["seat"]
    hand = one(jsonl([o for o in objects if o.get("e") != "trick"]))
    assert [p.seat for p in hand.record.plays[:4]] == [None, 2, None, None]
    assert "out-of-turn" in codes(hand.record)


def test_unknown_cards_are_unknown():
    objects = lines()
    objects[1]["hands"] = [objects[1]["hands"][0], None, ["?"] * 8, [None] * 8]
    objects[1]["middle"] = None
    record = one(jsonl(objects)).record
    assert record.deal.count("?") == 25
    assert "M" not in record.deal
    discard = next(o for o in objects if o.get("e") == "discard" and o["card"] == "S9")
    discard["card"] = None
    assert one(jsonl(objects)).record.discard == "?"


def test_a_play_that_is_not_shown_ends_what_can_be_kept():
    objects = lines()
    [o for o in objects if o.get("e") == "play"][9]["card"] = "?"
    hand = one(jsonl(objects))
    assert len(hand.record.plays) == 9
    assert any("card 10 of the play is not shown" in w for w in hand.warnings)


def test_announcements():
    objects = lines()
    i = next(k for k, o in enumerate(objects) if o.get("e") == "play")
    said = [
        {"e": "roem", "seat": 0, "value": 50},
        {"e": "claim", "kind": "deny", "seat": 2},
        {"e": "show", "seat": 3, "cards": ["S7"]},
        {"e": "run", "seat": 1, "cards": "HA HK HQ"},
    ]
    record = one(jsonl([*objects[: i + 1], *said, *objects[i + 1 :]])).record
    assert [(c.ply, c.seat, c.what()) for c in record.claims] == [
        (1, 0, "roem50"),
        (1, 2, "deny"),
        (1, 3, "show:S7"),
        (1, 1, "run:HAHKHQ"),
    ]


def test_only_the_outcome_of_the_auction():
    objects = [o for o in lines() if o.get("bid") != "pas" and o.get("e") != "undo"]
    hand = one(jsonl([o for o in objects if o.get("card") != "HT" or o["e"] != "discard"]))
    assert (hand.record.auction_state, hand.record.declarer) == ("unknown", 0)
    assert hand.record.contract == "130"
    assert any("no passes" in w for w in hand.warnings)


def test_private_fields_never_come_through():
    objects = lines()
    for p in objects[0]["players"]:
        p.update(credentials="geheim123", email="anneke@club.nl")
    objects[0]["players"][1]["name"] = "kees@club.nl"
    objects[3]["token"] = "geheim456"
    result = read_sources([Source("x.jsonl", jsonl(objects).encode())], BY)
    (hand,) = result.hands
    everything = repr(hand)
    for secret in ("geheim", "anneke@club.nl", "kees@club.nl"):
        assert secret not in everything
    assert hand.record.player(1) is None
    assert any("e-mail" in w for w in hand.warnings)


def test_own_words_by_a_map():
    club = parse_mapping(
        """
        [moves]
        play = "gooit"
        call = ["roept"]
        [fields]
        card = "kaartje"
        seat = "wie"
        [seats]
        order = ["E", "S", "W", "N"]
        [calls]
        "een dertigje" = "130"
        """
    )
    objects = lines()
    for o in objects:
        if "seat" in o:
            o["wie"] = (o.pop("seat") - 1) % 4
        if o.get("e") == "play":
            o["e"], o["kaartje"] = "gooit", o.pop("card")
        if o.get("e") == "bid":
            o["e"] = "roept"
            if o["bid"] != "pas":
                o["bid"] = "een dertigje"
                del o["points"]
    objects = [o for o in objects if o.get("e") != "trick"]
    objects[0]["players"] = objects[0]["players"][1:] + objects[0]["players"][:1]
    for i, p in enumerate(objects[0]["players"]):
        p["seat"] = i
    deal = objects[1]
    deal["dealer"] = 3
    deal["hands"] = deal["hands"][1:] + deal["hands"][:1]
    last = next(o for o in objects if o.get("e") == "result")
    last["cents"] = last["cents"][1:] + last["cents"][:1]
    record = one(jsonl(objects), Options(RULES, club)).record
    assert disagreements(record) == {}
    assert names(record) == TRUTH["names"]


@pytest.mark.parametrize(
    ("change", "found", "expected"),
    [
        ({"e": "bid", "seat": 1, "bid": "zwembad"}, "zwembad", "a call"),
        ({"e": "bid", "seat": 7, "bid": "pas"}, "7", "a seat"),
        ({"e": "bid", "seat": 1}, "", "a call"),
        ({"e": "play", "seat": 1, "card": {"x": 1}}, "{'x': 1}", "a card"),
        ({"e": "play", "seat": 1}, "", "a card"),
        ({"e": "declare", "seat": 0, "trump": "X1"}, "X1", "a trump suit"),
        ({"e": "result", "made": "misschien"}, "misschien", "made, lost or void"),
        ({"e": "result", "score": [1, 2]}, "[1, 2]", "four scores"),
        ({"e": "result", "points": [1, 2, 3]}, "[1, 2, 3]", "two numbers"),
        ({"e": "roem", "seat": 0, "value": "veel"}, "veel", "a whole number"),
        ({"e": "claim", "seat": 0, "kind": "lied"}, "lied", "an announcement"),
        ({"e": "deal", "hands": [["SA"]]}, "1 hands", "four hands"),
        ({"e": "deal", "hands": [["SA"] * 12] * 4}, "four hands of 12 cards", "Flemish"),
    ],
)
def test_faults_name_place_token_and_expectation(change, found, expected):
    objects = lines()
    text = jsonl([objects[0], change, *objects[2:]])
    reject = next(r for r in read(text).rejects)
    assert (reject.line, reject.token) == (2, found)
    assert expected in reject.expected


def test_more_than_32_cards():
    objects = [o for o in lines() if o.get("e") not in ("result", "end")]
    for o in objects[1:]:
        o["hand"] = 1
    result = read(jsonl([*objects, {"e": "play", "seat": 0, "card": "SA", "hand": 1}]))
    assert "33 cards are played" in result.rejects[0].expected


def test_nothing_of_this_game():
    text = '[{"format":"pandoeren-log"},{"type":"ping"},{"type":"pong"}]'
    result = read_events(text, "x", BY)
    assert "events of this game" in result.rejects[0].expected


def test_unknown_events_are_counted():
    objects = lines()
    objects[5:5] = [{"e": "zwaait", "seat": 1}] * 3
    result = read(jsonl(objects))
    assert len(result.hands) == 1
    assert "'zwaait' is not known and was not read (3 time(s))" in result.warnings[0].message


def test_deep_nesting_is_a_reject():
    text = '{"e":"deal","hands":' + "[" * 5000 + "]" * 5000 + "}\n"
    result = read_events(text + '{"e":"play","card":"SA"}\n', "x", BY)
    assert "levels of nesting" in result.rejects[0].expected


def test_a_deal_that_nothing_became_of_is_empty():
    result = read(jsonl(lines()[:2]) + '{"e": "end"}\n')
    assert (result.hands, result.rejects, result.empty) == ([], [], 1)


# Fuzz: mutations of valid files give rejects, never exceptions, and no hand that was not there.

TEXTS = [sample("generic_events.jsonl").decode(), json.dumps(TRUTH, indent=1)]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mutations(data):
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        n = data.draw(st.integers(0, 40))
        text = text[:at] + data.draw(st.text(max_size=6)) + text[at + n :] or "{"
    result = parsers()["events"].parse([Source("x", text.encode("utf-8", "replace"))], BY)
    assert len(result.hands) <= 3
    for hand in result.hands:
        assert len(hand.record.plays) <= 32
        # No card on the table that the text does not name.
        for play in hand.record.plays:
            assert CARDS[play.card][1].replace("T", "1") in hand.raw.upper().replace("T", "1")


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["e", "seat", "card", "hands", "bid", "events", "players", "plays"])
                | st.text(max_size=4),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_any_json(value):
    result = read_events(json.dumps(value), "x", BY)
    assert len(result.hands) <= 20


def test_a_hand_written_compactly_is_one_hand_however_many_cards_it_names():
    plays = [*TRUTH["plays"][:12], TRUTH["plays"][11], *TRUTH["plays"][12:]]
    result = read(json.dumps({**TRUTH, "plays": plays}))
    assert result.hands == []
    (reject,) = result.rejects
    assert "33 cards are played" in str(reject)


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e999"])
def test_numbers_that_json_does_not_know(number):
    head, *events = lines()
    text = json.dumps({**head, "events": events}).replace('"n": 20', f'"n": {number}')
    listed = read(text)
    assert any(number in w.message for w in listed.warnings)
    single = read(jsonl([head, *events]).replace('"n": 20', f'"n": {number}'))
    assert number in str(single.rejects[0])
    for hand in [*listed.hands, *single.hands]:
        assert one(hand.raw).record == hand.record


def test_text_of_a_hand_reads_back_whatever_the_container():
    head, *events = lines()
    twice = [*events[:14], events[13], *events[14:]]  # a line that stands there twice
    for text in (
        json.dumps({**head, "events": events}, indent=1),
        json.dumps({"format": "pandoeren-log", "games": [{**head, "events": events}]}, indent=2),
        json.dumps([{"format": "pandoeren-log", "events": events}, events[0]]),
        jsonl([head, *twice]),
        jsonl([{**head, "events": [*events, *events]}]),
    ):
        for hand in read(text).hands:
            assert [h.record for h in read(hand.raw).hands] == [hand.record]


def test_one_card_is_shown_and_no_more():
    """The notation has a place for one; two would make a line that nobody can read again."""
    log = (
        '{"e":"declare","seat":0,"trump":"H","call":"SA"}\n{"e":"play","seat":0,"card":"HJ"}\n'
        '{"e":"show","seat":1,"cards":["S7","S8"]}\n'
    )
    result = read_events(log, "x", BY)
    assert result.hands == []
    assert (result.rejects[0].line, result.rejects[0].expected) == (
        3,
        "one card that is shown (his lowest)",
    )


@pytest.mark.parametrize("word", ["?", "!", "...", "/", "??"])
def test_signs_are_no_pass(word):
    """Only a word or a dash says pass; a call that is not known is not guessed at."""
    with pytest.raises(CallTextError):
        call_text(word)
    with pytest.raises(CallTextError):
        call_text("")
    log = f'{{"e":"bid","seat":0,"bid":"130"}}\n{{"e":"bid","seat":1,"bid":"{word}"}}\n'
    result = read_events(log, "x", BY)
    assert result.hands == []
    assert (result.rejects[0].line, result.rejects[0].token) == (2, word)


def test_a_declarer_whose_contract_is_not_known_or_is_a_pass():
    log = (
        '{{"e":"declare","declarer":"Z","contract":"{}","trump":"H","called":"DA"}}\n'
        '{{"e":"play","card":"HJ"}}\n'
    )
    record = read_events(log.format("?"), "x", BY).hands[0].record
    assert (record.declarer, record.contract, record.trump) == (2, None, "H")
    result = read_events(log.format("pas"), "x", BY)
    assert result.hands == []
    assert (result.rejects[0].line, result.rejects[0].token) == (1, "pas")
