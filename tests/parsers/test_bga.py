import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import CARDS, SEATS
from engine.replay import replay
from parsers.base import Options, ParseResult, Source
from parsers.bga import BgaParser
from parsers.mapping import parse_mapping
from tests.mutate import again, byte_mutants, check_sane, json_mutants, seats_and_cards

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data" / "samples" / "bga"
TRUTH = json.loads((ROOT / "tests" / "data" / "TRUTH.json").read_text("utf-8"))
ARCHIVE = "bga_archive_logs.json"
LIVE = "bga_live_history_viewer_seat2.json"
PAGE = "bga_replay_page.html"
PARSER = BgaParser()
SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def load(name: str) -> dict:
    return json.loads((SAMPLES / name).read_text("utf-8"))


def read_text(text: str, options: Options | None = None) -> ParseResult:
    return PARSER.parse([Source("x", text.encode("utf-8", "surrogatepass"))], options or Options())


def read(doc: object, options: Options | None = None) -> ParseResult:
    return read_text(json.dumps(doc), options)


def read_file(name: str) -> ParseResult:
    return PARSER.parse([Source(name, (SAMPLES / name).read_bytes())], Options())


def events(doc: dict, kind: str) -> list[dict]:
    return [e for p in doc["data"]["logs"] for e in p["data"] if e["type"] == kind]


@pytest.mark.parametrize("name", [ARCHIVE, PAGE])
def test_the_true_hand(name: str) -> None:
    result = read_file(name)
    (hand,) = result.hands
    r = hand.record
    play = replay(r, "butselaar")
    assert not result.rejects
    assert not hand.warnings
    for seat, cards in enumerate(TRUTH["hands"]):
        assert {CARDS[c] for c in range(33) if r.deal[c] == SEATS[seat]} == set(cards)
    assert CARDS[r.deal.index("M")] == TRUTH["middle"]
    assert r.dealer == TRUTH["dealer"]
    assert [c.text for c in r.auction] == ["-", "-", "-", "130"]
    assert (r.trump, r.called, r.discard) == ("S", "HA", "S9")
    assert seats_and_cards(r, play.seats) == TRUTH["plays"]
    assert list(play.outcome.winners) == TRUTH["winners"]
    assert play.outcome.points[0] == TRUTH["score"]
    assert play.outcome.made is TRUTH["made"]
    assert play.outcome.partner == TRUTH["partner"]
    assert [r.player(s) for s in range(4)] == TRUTH["names"]
    assert r.result.score == tuple(TRUTH["cents"])
    assert r.get("server_points") == str(TRUTH["score"])
    assert r.rules is None
    assert [v.code for v in play.violations if v.severity != "info"] == ["score-mismatch"]


def test_page_and_archive_are_one_hand() -> None:
    assert read_file(PAGE).records == read_file(ARCHIVE).records


def test_live_history_knows_one_hand_only() -> None:
    (hand,) = read_file(LIVE).hands
    r = hand.record
    assert {CARDS[c] for c in range(33) if r.deal[c] == "S"} == set(TRUTH["hands"][2])
    assert r.deal.count("?") == 24
    assert r.discard == "?"
    assert seats_and_cards(r, replay(r).seats) == TRUTH["plays"][:18]
    assert r.result.is_empty()


def test_the_bare_inner_array() -> None:
    assert read(load(ARCHIVE)["data"]["logs"]).records == read_file(ARCHIVE).records


def test_an_error_answer_is_quoted() -> None:
    (reject,) = read_file("bga_error_quota.json").rejects
    assert reject.code == "server-error"
    assert "You have reached a limit (replay)" in reject.message


@pytest.mark.parametrize("name", [ARCHIVE, LIVE, PAGE])
def test_raw_text_reads_back(name: str) -> None:
    for hand in read_file(name).hands:
        assert again(PARSER, hand) == [hand.record]


def test_suit_numbers_are_learned_from_signs() -> None:
    text = (SAMPLES / ARCHIVE).read_text("utf-8")
    doc = json.loads(text)
    turn = {1: 4, 2: 3, 3: 2, 4: 1}

    def renumber(value: object) -> None:
        if isinstance(value, list):
            for v in value:
                renumber(v)
        elif isinstance(value, dict):
            for key, v in value.items():
                number = key in ("color", "card_color") and "name" not in value
                if number or (key == "type" and "type_arg" in value):
                    value[key] = turn[int(v)]
                renumber(v)

    renumber(doc)
    assert read(doc).records == read_file(ARCHIVE).records


def test_suits_without_signs_are_not_guessed() -> None:
    doc = load(ARCHIVE)
    for packet in doc["data"]["logs"]:
        for event in packet["data"]:
            if isinstance(event["args"], dict):
                event["args"].pop("card_type", None)
    (reject,) = read(doc).rejects
    assert "suit number" in reject.expected
    suits = '[cards.suits]\n1 = "S"\n2 = "H"\n3 = "C"\n4 = "D"'
    options = Options(mapping=parse_mapping(suits))
    assert read(doc, options).records == read_file(ARCHIVE).records


def test_two_signs_for_one_number_are_ambiguous() -> None:
    doc = load(ARCHIVE)
    events(doc, "playCard")[0]["args"]["card_type"] = "♣"
    (reject,) = read(doc).rejects
    assert reject.code == "ambiguous"


def test_private_and_public_copies_count_once() -> None:
    doc = load(ARCHIVE)
    logs = doc["data"]["logs"]
    for packet in list(logs):
        if any(e["type"] == "playCard" for e in packet["data"]):
            copy = json.loads(json.dumps(packet))
            copy["channel"] = "/player/p91000001"
            for event in copy["data"]:
                event["uid"] += "x"
            logs.insert(logs.index(packet) + 1, copy)
    assert read(doc).records == read_file(ARCHIVE).records


def test_a_cancelled_turn_is_taken_back() -> None:
    doc = load(ARCHIVE)
    logs = doc["data"]["logs"]
    at = next(i for i, p in enumerate(logs) if any(e["type"] == "playCard" for e in p["data"]))
    wrong = json.loads(json.dumps(logs[at]))
    wrong["data"][0]["uid"] = "wrong"
    wrong["move_id"] = "777"
    wrong["data"][0]["args"] |= {"color": "1", "value": "14", "card_value": "A", "card_type": "♠"}
    clear = {
        "channel": "/table/t1",
        "move_id": "778",
        "data": [{"uid": "c", "type": "clearTurn", "args": {"notifIds": ["wrong"]}}],
    }
    logs[at:at] = [wrong, clear]
    assert read(doc).records == read_file(ARCHIVE).records
    del logs[at + 1]
    assert read(doc).records != read_file(ARCHIVE).records


def test_a_lost_card_ends_the_play_before_its_trick() -> None:
    doc = load(ARCHIVE)
    logs = doc["data"]["logs"]
    plays = [i for i, p in enumerate(logs) if any(e["type"] == "playCard" for e in p["data"])]
    del logs[plays[9]]
    (hand,) = read(doc).hands
    assert seats_and_cards(hand.record, replay(hand.record).seats) == TRUTH["plays"][:8]
    assert any("trick 3" in w for w in hand.warnings)


def test_a_winner_that_differs_is_a_warning() -> None:
    doc = load(ARCHIVE)
    events(doc, "trickWin")[0]["args"]["player_id"] = "91000001"
    (hand,) = read(doc).hands
    assert any("trick 1" in w for w in hand.warnings)


def test_several_hands_at_one_table() -> None:
    doc = load(ARCHIVE)
    logs = doc["data"]["logs"]
    more = json.loads(json.dumps(logs))
    for packet in more:
        for event in packet["data"]:
            event["uid"] += "-2"
        packet["move_id"] = str(int(packet["move_id"]) + 100)
    logs += more
    first, second = read(doc).records
    assert (first.get("hand"), second.get("hand")) == ("1", "2")
    assert first.plays == second.plays
    assert second.result.score is None
    assert second.get("server_total") == "N-1,E-1,S+1,W+1"


def test_a_deal_without_a_call_is_empty() -> None:
    doc = load(ARCHIVE)
    doc["data"]["logs"] = doc["data"]["logs"][:5]
    result = read(doc)
    assert (len(result.hands), len(result.rejects), result.empty) == (0, 0, 1)


def test_a_page_of_another_game_is_refused() -> None:
    text = (SAMPLES / PAGE).read_text("utf-8").replace('"pandoeren", "pandoeren"', '"belote", "b"')
    (reject,) = read_text(text).rejects
    assert reject.code == "other-game"
    assert reject.token == "belote"


def test_a_place_for_every_fault() -> None:
    doc = load(ARCHIVE)
    events(doc, "playCard")[3]["args"]["value"] = "3"
    events(doc, "playCard")[3]["args"]["card_value"] = "3"
    text = json.dumps(doc, indent=1)
    (reject,) = read_text(text).rejects
    assert '"type": "playCard"' in "".join(text.split("\n")[reject.line - 1 : reject.line + 3])
    assert "6 to 14" in reject.expected


def test_a_cut_file_keeps_what_stood_before() -> None:
    for name in (ARCHIVE, PAGE):
        text = (SAMPLES / name).read_text("utf-8")
        result = read_text(text[: len(text) * 2 // 3])
        (hand,) = result.hands
        played = seats_and_cards(hand.record, replay(hand.record).seats)
        assert 0 < len(played) < 32
        assert played == TRUTH["plays"][: len(played)]
        assert "breaks off" in result.warnings[0].message
        assert any("cut" in w for w in hand.warnings)
        assert not result.rejects


def test_names_by_a_mapping_seat_the_table() -> None:
    options = Options(mapping=parse_mapping('[seats.names]\n"Kees van Dam" = "N"'))
    (record,) = PARSER.parse([Source("x", (SAMPLES / ARCHIVE).read_bytes())], options).records
    assert record.player(0) == "Kees van Dam"
    assert record.dealer == 3


def test_recognised_by_content() -> None:
    for path in SAMPLES.iterdir():
        assert PARSER.recognise(path.read_text("utf-8"), "x")
    for path in (ROOT / "data" / "samples").rglob("*"):
        if path.is_file() and "bga" not in path.parts:
            assert not PARSER.recognise(path.read_bytes().decode("utf-8", "replace"), "a.json")


def test_not_a_log() -> None:
    for text in ("", "{}", "[]", '{"data": 3}', "g_gamelogs = {", '{"packet_id" "move_id"'):
        result = read_text(text)
        assert not result.hands
        assert result.rejects


def test_announcements() -> None:
    doc = load(ARCHIVE)
    logs = doc["data"]["logs"]
    at = next(i for i, p in enumerate(logs) if any(e["type"] == "playCard" for e in p["data"]))
    said = [
        {"type": "declareRoem", "args": {"player_id": "91000001", "value": "50"}},
        {"type": "stuk", "args": {"player_id": 91000001}},
    ]
    logs.insert(at + 1, {"channel": "/table/t1", "move_id": "900", "data": said})
    (record,) = read(doc).records
    assert [(c.ply, c.seat, c.what()) for c in record.claims] == [(1, 0, "roem50"), (1, 0, "stuk")]
    said[0]["args"]["value"] = "veel"
    assert "roem" in read(doc).rejects[0].expected


def test_rules_of_the_user() -> None:
    doc = load(ARCHIVE)
    assert read(doc, Options(rules="butselaar")).records[0].rules == "butselaar"
    (reject,) = read(doc, Options(rules="no-such-rules")).rejects
    assert reject.code == "unknown-rules"


def test_notifications_with_a_card_are_not_passed_over_in_silence() -> None:
    doc = load(ARCHIVE)
    for event in events(doc, "discardCard"):
        event["type"] = "putAway"
    result = read(doc)
    assert result.records[0].discard == "?"
    assert any("putAway (1x)" in w.message for w in result.warnings)
    options = Options(mapping=parse_mapping('[moves]\ndiscard = "putAway"'))
    assert read(doc, options).records[0].discard == "S9"


@pytest.mark.parametrize(
    ("kind", "args", "expected"),
    [
        ("playCard", {"color": 1, "value": 14}, "player_id"),
        ("playCard", {"player_id": 5, "color": 1, "value": 14}, "four players"),
        ("updateBid", {"player_id": 91000001, "bid": "zwembad"}, "a call"),
        ("newTrump", {"player_id": 91000001}, "a trump suit"),
        ("newHand", {"cards": [{"type": 1, "type_arg": 9}]}, "whose hand"),
    ],
)
def test_what_a_notification_should_have_been(kind: str, args: dict, expected: str) -> None:
    doc = load(ARCHIVE)
    packet = {"channel": "/table/t1", "move_id": "5", "data": [{"type": kind, "args": args}]}
    doc["data"]["logs"].insert(52, packet)
    (reject,) = read(doc).rejects
    assert expected in reject.expected


def test_an_auction_cut_short_takes_the_list_of_players() -> None:
    doc = load(ARCHIVE)
    doc["data"]["logs"] = doc["data"]["logs"][:7]
    result = read(doc)
    assert [c.text for c in result.records[0].auction] == ["-", "-"]
    assert any("list of players" in w.message for w in result.warnings)
    assert result.records[0].deal == "?" * 33
    assert any("stay unknown" in w for w in result.hands[0].warnings)
    del doc["data"]["players"]
    assert "four players" in read(doc).rejects[0].expected


FUZZED = [load(ARCHIVE), load(LIVE)]


@SLOW
@given(st.data())
def test_fuzz_json(data: st.DataObject) -> None:
    check_sane(read(data.draw(json_mutants(data.draw(st.sampled_from(FUZZED))))))


@SLOW
@given(st.data())
def test_fuzz_bytes(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([ARCHIVE, LIVE, PAGE]))
    mutant = data.draw(byte_mutants((SAMPLES / name).read_bytes()))
    check_sane(PARSER.parse([Source("x", mutant)], Options()))


def two_hands(shared: bool) -> dict:
    """A table of two hands whose second one shows neither signs of suits nor a whole trick."""
    doc = load(ARCHIVE)
    logs = doc["data"]["logs"]
    bare = json.loads(json.dumps(logs[:16]))
    for packet in bare:
        packet["packet_id"] = str(int(packet["packet_id"]) + 1000)
        packet["move_id"] = str(int(packet["move_id"] or 0) + 1000)
        for note in packet["data"]:
            note["uid"] = f"{note.get('uid')}b"
            if isinstance(note["args"], dict):
                note["args"].pop("card_type", None)
    if shared:  # the first hand ends and the second begins in one packet
        logs[-1]["data"] += bare[0]["data"]
        bare = bare[1:]
    doc["data"]["logs"] = logs + bare
    return doc


@pytest.mark.parametrize("shared", [False, True])
def test_the_text_of_a_hand_carries_what_the_whole_file_settled(shared: bool) -> None:
    """Who sits where, what suit numbers stand for, and which of a packet is another hand's."""
    result = read(two_hands(shared))
    assert [h.record.get("hand") for h in result.hands] == ["1", "2"]
    second = result.hands[1]
    assert sum(c != "?" for c in second.record.deal) >= 8
    for hand in result.hands:
        assert again(PARSER, hand) == [hand.record]
