import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import CARDS, SEATS
from engine.replay import replay
from parsers.base import Options, ParseResult, Source
from parsers.boardgame_io import FLEMISH, BoardgameIoParser
from parsers.mapping import parse_mapping
from tests.mutate import again, byte_mutants, check_sane, json_mutants, seats_and_cards

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data" / "samples" / "boardgame-io"
TRUTH = json.loads((ROOT / "tests" / "data" / "TRUTH.json").read_text("utf-8"))
PARSER = BoardgameIoParser()
SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
DUMPS = [
    "local_complete.json",
    "local_undo_2hands.json",
    "server_complete_dbfetch.json",
    "server_unfinished_dbfetch.json",
]


def load(name: str) -> dict:
    return json.loads((SAMPLES / name).read_text("utf-8"))


def small(name: str) -> dict:
    """A sample without the framework's own copies of states."""
    doc = load(name)
    for key in ("state", "initialState"):
        doc[key] = {k: v for k, v in doc[key].items() if k in ("G", "ctx", "_stateID")}
    return doc


def read(*docs: object, options: Options | None = None) -> ParseResult:
    sources = [Source(f"{i}.json", json.dumps(d).encode()) for i, d in enumerate(docs)]
    return PARSER.parse(sources, options or Options())


def read_files(*names: str) -> ParseResult:
    return PARSER.parse([Source(n, (SAMPLES / n).read_bytes()) for n in names], Options())


def folder(name: str) -> ParseResult:
    return read_files(*(f"{name}/{p.name}" for p in sorted((SAMPLES / name).iterdir())))


def name_of(card: dict) -> str:
    return card["suit"].upper() + card["rank"].replace("10", "T")


def agrees_with_final_state(result: ParseResult, game: dict) -> None:
    """The last hand against the dump's own final state; the totals against all hands."""
    r = result.records[-1]
    play = replay(r)
    assert r.dealer == game["dealer"]
    assert r.trump == game["trump"].upper()
    assert r.called == name_of(game["ace"])
    if "secret" in game:
        assert r.discard == name_of(game["secret"]["discard"])
    assert CARDS[r.deal.index("M")] == name_of(game["middle"])
    told = [t["cards"] for t in game["tricks"]] + [game["trick"]]
    expected = [[int(c["player"]), name_of(c["card"])] for t in told for c in t]
    assert seats_and_cards(r, play.seats) == expected
    assert list(play.outcome.winners) == [int(t["winner"]) for t in game["tricks"]]
    words = {"pas": "-", "misere": "mis"}
    calls = [words.get(b["contract"]) or str(b["points"]) for b in game["bids"]]
    assert [c.text for c in r.auction] == calls
    seats = [e.seat for e in play.events if e.kind == "call"]
    assert seats == [int(b["player"]) for b in game["bids"]]
    for seat in range(4):
        held = {name_of(c) for c in game["players"].get(str(seat), {}).get("hand", [])}
        played = {CARDS[p.card] for p, s in zip(r.plays, play.seats) if s == seat}
        known = {CARDS[c] for c in range(33) if play.playing[seat] >> c & 1}
        assert held <= known - played


@pytest.mark.parametrize("name", DUMPS)
def test_dump_agrees_with_its_final_state(name: str) -> None:
    result = read_files(name)
    game = load(name)["state"]["G"]
    assert not result.rejects
    assert len(result.hands) == game["handNo"]
    agrees_with_final_state(result, game)
    finished = [r for r in result.records if len(r.plays) == 32]
    tricks = [w for r in finished for w in replay(r).outcome.winners]
    assert [tricks.count(s) for s in range(4)] == game["scores"]
    total = ",".join(f"{SEATS[i]}{n:+d}" for i, n in enumerate(game["scores"]))
    assert result.records[-1].get("server_total") == total


def test_local_match_tells_the_true_hand() -> None:
    (record,) = read_files("local_complete.json").records
    play = replay(record, "butselaar")
    for seat, cards in enumerate(TRUTH["hands"]):
        assert {CARDS[c] for c in range(33) if record.deal[c] == SEATS[seat]} == set(cards)
    assert seats_and_cards(record, play.seats) == TRUTH["plays"]
    assert list(play.outcome.winners) == TRUTH["winners"]
    assert play.outcome.points[0] == TRUTH["score"]
    assert play.outcome.made is TRUTH["made"]
    assert play.outcome.partner == TRUTH["partner"]
    assert (record.trump, record.called, record.discard) == ("S", "HA", "S9")
    assert not [v for v in play.violations if v.severity == "error"]
    assert record.rules is None


def test_flatfile_folder_is_put_together_by_id() -> None:
    result = folder("0.50-flatfile")
    assert not result.rejects
    by_match: dict[str, list] = {}
    for record in result.records:
        by_match.setdefault(record.get("match"), []).append(record)
    assert {k: len(v) for k, v in by_match.items()} == {
        "KWdIPpKyyvC": 2,
        "UYW5GFpKMWM": 2,
        "ifXrI8OS5HQ": 1,
    }
    for path in (SAMPLES / "0.50-flatfile").iterdir():
        doc = json.loads(path.read_text("utf-8"))
        if ":" not in doc["key"]:
            part = ParseResult(
                hands=[h for h in result.hands if h.record.get("match") == doc["key"]]
            )
            agrees_with_final_state(part, doc["value"]["G"])


def test_dump_and_folder_tell_the_same_hands() -> None:
    dump = read_files("server_complete_dbfetch.json").records
    same = [r for r in folder("0.50-flatfile").records if r.get("match") == "KWdIPpKyyvC"]
    strip = [
        tuple((k, v) for k, v in r.meta if k != "match")
        for records in (dump, same)
        for r in records
    ]
    assert strip[:2] == strip[2:]
    assert [r.plays for r in dump] == [r.plays for r in same]
    assert [r.deal for r in dump] == [r.deal for r in same]


def test_first_deal_only_is_recorded() -> None:
    first, second = read_files("server_complete_dbfetch.json").records
    assert "?" not in first.deal
    assert first.deal.count("M") == 1
    assert second.deal.replace("M", "") == "?" * 32


def test_undo_and_redo_are_folded() -> None:
    result = read_files("local_undo_2hands.json")
    # discard S7, undo, discard CA, undo, redo: CA stands
    assert result.records[0].discard == "CA"
    assert [w for w in result.hands[0].warnings if "taken back" in w] == [
        'taken back: discard [{"suit":"s","rank":"7"}]'
    ]
    assert not result.hands[1].warnings


def test_undo_of_a_card_and_a_call() -> None:
    doc = small("local_complete.json")
    moves = [i for i, e in enumerate(doc["log"]) if e["action"]["type"] == "MAKE_MOVE"]
    card = moves[10]
    undo = {"action": {"type": "UNDO", "payload": {"type": None, "playerID": "0"}}}
    extra = json.loads(json.dumps(doc["log"][card]))
    extra["action"]["payload"]["args"] = [{"suit": "c", "rank": "7"}]
    doc["log"][card:card] = [extra, undo]
    bid = json.loads(json.dumps(doc["log"][moves[0]]))
    doc["log"][moves[0] : moves[0]] = [bid, undo]
    result = read(doc)
    assert result.records[0].plays == read_files("local_complete.json").records[0].plays
    assert result.records[0].auction == read_files("local_complete.json").records[0].auction
    assert sum("taken back" in w for w in result.hands[0].warnings) == 2


def test_old_version_keeps_no_trace_of_an_undo() -> None:
    result = folder("0.38-flatfile")
    (hand,) = result.hands
    r = hand.record
    assert (r.trump, r.called, r.discard) == ("H", "DA", "C9")
    assert [CARDS[p.card] for p in r.plays] == ["HA", "D9"]
    assert (r.declarer, r.contract, r.dealer) == (0, None, None)
    assert r.deal == "?" * 33
    assert r.player(2) == "speler2"
    assert any("no trace of an undo" in w for w in hand.warnings)


def test_old_version_conflict_with_the_final_state_is_reported() -> None:
    main, *rest = sorted((SAMPLES / "0.38-flatfile").iterdir())
    doc = json.loads(main.read_text("utf-8"))
    doc["value"]["G"]["disc"] = "s7"
    (hand,) = read(doc).hands
    assert any("final state S7" in w for w in hand.warnings)
    assert len(rest) == 1


def test_unfinished_match_keeps_what_was_played() -> None:
    (record,) = read_files("server_unfinished_dbfetch.json").records
    play = replay(record)
    assert len(record.plays) == 17
    assert len(play.outcome.winners) == 4
    assert play.completeness.plays == 17
    assert record.result.is_empty()


def test_remaining_cards_of_a_later_hand_are_dealt_cards() -> None:
    doc = small("server_complete_dbfetch.json")
    last = [i for i, e in enumerate(doc["log"]) if e["action"]["payload"]["type"] == "playCard"]
    game = doc["state"]["G"]
    doc["log"] = doc["log"][: last[-8]]
    taken = [c for t in game["tricks"][-2:] for c in t["cards"]]
    game["tricks"] = game["tricks"][:-2]
    for c in taken:
        game["players"][c["player"]]["hand"].append(c["card"])
    result = read(doc)
    record = result.records[-1]
    assert len(record.plays) == 24
    for c in taken:
        owner = record.deal[CARDS.index(name_of(c["card"]))]
        assert owner == (SEATS[int(c["player"])] if name_of(c["card"]) != "HQ" else "M")


def test_conflicts_with_the_final_state_are_warnings() -> None:
    doc = small("local_complete.json")
    game = doc["state"]["G"]
    game["trump"] = "h"
    game["ace"] = {"suit": "c", "rank": "A"}
    game["dealer"] = 3
    game["bids"][3]["points"] = 140
    game["tricks"][0]["winner"] = "1"
    game["tricks"][7]["cards"][0]["card"] = {"suit": "s", "rank": "9"}
    game["scores"] = [9, 9, 9, 9]
    (hand,) = read(doc).hands
    said = " | ".join(hand.warnings)
    for part in ("trump", "called card", "dealer", "auction", "trick 1", "card 29"):
        assert part in said
    assert hand.record.trump == "S"
    assert hand.record.get("server_total") == "N+9,E+9,S+9,W+9"


def test_client_dump_without_the_discard() -> None:
    doc = small("server_complete_dbfetch.json")
    doc["matchData"] = [{"id": i, "name": n} for i, n in enumerate(TRUTH["names"])]
    del doc["metadata"]
    for entry in doc["log"]:
        if entry.get("redact"):
            entry["action"]["payload"]["args"] = None
    del doc["state"]["G"]["secret"], doc["initialState"]["G"]["secret"]
    for seat in "123":
        doc["initialState"]["G"]["players"][seat]["hand"] = [None] * 8
    first, second = read(doc).records
    assert (first.discard, second.discard) == ("?", "?")
    assert first.player(3) == "Thérèse"
    assert first.deal.count("N") == 8
    assert first.deal.count("?") == 24


def test_redacted_discard_is_filled_from_the_final_state() -> None:
    doc = small("server_complete_dbfetch.json")
    for entry in doc["log"]:
        if entry.get("redact"):
            entry["action"]["payload"]["args"] = None
    assert [r.discard for r in read(doc).records] == ["?", "CJ"]


def test_credentials_never_leave_the_parser() -> None:
    secrets = []
    for path in SAMPLES.rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            secrets += [part.split('"')[2] for part in text.split("credentials")[1:]]
    assert len(secrets) >= 24
    results = [read_files(n) for n in DUMPS]
    results += [folder("0.38-flatfile"), folder("0.50-flatfile")]
    broken = (SAMPLES / "server_complete_dbfetch.json").read_bytes().replace(b'"log"', b'"log" !')
    results += [PARSER.parse([Source("x", broken)], Options())]
    assert results[-1].rejects
    everything = repr(results)
    for secret in secrets:
        assert secret not in everything


def test_an_address_is_no_name() -> None:
    doc = small("server_complete_dbfetch.json")
    doc["metadata"]["players"]["0"]["name"] = "anneke@example.nl"
    result = read(doc)
    assert result.records[0].player(0) is None
    assert "example.nl" not in repr(result)


@pytest.mark.parametrize("name", DUMPS)
def test_raw_text_of_a_hand_reads_back_as_that_hand(name: str) -> None:
    for hand in read_files(name).hands:
        assert again(PARSER, hand) == [hand.record]


def test_raw_text_of_a_folder_reads_back() -> None:
    for name in ("0.38-flatfile", "0.50-flatfile"):
        for hand in folder(name).hands:
            assert again(PARSER, hand) == [hand.record]


def test_rest_answer_has_no_moves() -> None:
    result = read_files("server_complete_rest.json")
    assert (len(result.hands), len(result.rejects), result.empty) == (0, 0, 1)
    assert "without moves" in result.warnings[0].message


def test_a_state_without_its_log_gives_the_hand_in_play() -> None:
    doc = small("server_unfinished_dbfetch.json")
    del doc["log"], doc["initialState"]
    (hand,) = read(doc).hands
    whole = read_files("server_unfinished_dbfetch.json").records[0]
    assert hand.record.plays == whole.plays
    assert hand.record.trump == whole.trump
    assert any("no log" in w for w in hand.warnings)


def test_rule_set_is_named_by_the_user_only() -> None:
    doc = small("local_complete.json")
    assert read(doc, options=Options(rules="fiches")).records[0].rules == "fiches"
    assert read(doc).records[0].rules is None
    doc["metadata"] = {"setupData": {"rules": "midden-nederland"}}
    (reject,) = read(doc).rejects
    assert "--rules" in reject.expected
    assert read(doc, options=Options(rules="butselaar")).records[0].rules == "butselaar"


def test_own_names_of_moves_cards_and_seats() -> None:
    doc = small("local_complete.json")
    text = json.dumps(doc)
    for old, new in (("playCard", "gooi"), ("discard", "weg"), ('"pass"', '"ik pas"')):
        text = text.replace(old, new)
    for old, new in (("h", "2"), ("s", "1"), ("d", "3"), ("c", "4")):
        text = text.replace(f'"suit": "{old}"', f'"suit": "{new}"')
    text = text.replace('"trump": "s"', '"trump": "1"')
    options = Options(
        mapping=parse_mapping(
            '[moves]\nplay = "gooi"\ndiscard = "weg"\npass = "ik pas"\n'
            '[cards.suits]\n1 = "S"\n2 = "H"\n3 = "D"\n4 = "C"\n[seats]\norder = ["E","S","W","N"]'
        )
    )
    result = PARSER.parse([Source("x", text.encode())], options)
    (record,) = result.records
    plain = read(doc).records[0]
    assert [p.card for p in record.plays] == [p.card for p in plain.plays]
    assert record.deal == plain.deal.translate(str.maketrans("NESW", "ESWN"))
    assert record.dealer == 1


def test_unknown_moves_are_rejected_by_name() -> None:
    doc = small("local_complete.json")
    text = json.dumps(doc)
    for old in ("playCard", "discard", "declare", '"pass"', '"bid"'):
        text = text.replace(old, '"zzz"' if old[0] == '"' else f"zzz{old}")
    (reject,) = PARSER.parse([Source("x", text.encode())], Options()).rejects
    assert "zzzplayCard" in reject.token
    assert "--map" in reject.expected


def test_one_bad_entry_spoils_one_hand() -> None:
    doc = small("server_complete_dbfetch.json")
    for entry in doc["log"]:
        if entry["action"]["payload"]["type"] == "playCard":
            entry["action"]["payload"]["args"] = [{"suit": "x", "rank": "10"}]
            break
    text = json.dumps(doc, indent=1)
    result = PARSER.parse([Source("x", text.encode())], Options())
    (reject,) = result.rejects
    assert [r.get("hand") for r in result.records] == ["2"]
    assert reject.token == "x10"
    lines = text.split("\n")
    assert any('"x"' in line for line in lines[reject.line - 1 : reject.line + 16])
    assert json.loads(reject.raw)["handNo"] == 1


def test_a_cut_file_keeps_its_good_hands() -> None:
    text = (SAMPLES / "local_undo_2hands.json").read_text("utf-8")
    at = text.index('"log"')
    end = text.index('"initialState"')
    cut = text[: at + (end - at) * 3 // 4]
    result = PARSER.parse([Source("x", cut.encode())], Options())
    whole = read_files("local_undo_2hands.json")
    assert not result.rejects
    assert "breaks off" in result.warnings[0].message
    first, second = result.records
    assert first.plays == whole.records[0].plays
    assert second.plays == whole.records[1].plays[: len(second.plays)]
    assert 0 < len(second.plays) < 32
    assert any("cut" in w for w in result.hands[1].warnings)


def test_not_json_and_not_a_match() -> None:
    for text, expected in (
        ('{"log": oops}', "JSON"),
        ('{"a": 1}', "boardgame.io"),
        ("[" * 5000, "JSON"),
        ('{"_stateID": ' + "9" * 5000 + "}", "JSON"),
    ):
        result = PARSER.parse([Source("x", text.encode())], Options())
        assert not result.hands
        assert expected in result.rejects[0].expected
    binary = PARSER.parse([Source("x", b"\x00\x01\x02{")], Options())
    assert "binary" in binary.rejects[0].expected


def flemish() -> dict:
    deck = [{"suit": s, "rank": r} for s in "shdc" for r in ("9", "10", "J", "Q", "K", "A")] * 2
    hands = {str(i): {"hand": deck[12 * i : 12 * i + 12]} for i in range(4)}
    return {
        "initialState": {"G": {"players": hands}, "ctx": {"numPlayers": 4}, "_stateID": 0},
        "log": [
            {"action": {"type": "MAKE_MOVE", "payload": {"type": "bid", "args": [25]}}, "turn": 1}
        ],
        "state": {"G": {}, "ctx": {"numPlayers": 4}},
    }


def test_flemish_pandoer_is_refused() -> None:
    (reject,) = read(flemish()).rejects
    assert reject.code == "other-game"
    assert reject.expected == FLEMISH


def test_flemish_pandoer_is_refused_without_its_deal() -> None:
    doc = flemish()
    deck = [c for p in doc["initialState"]["G"]["players"].values() for c in p["hand"]]
    doc["initialState"]["G"] = {}
    doc["log"] += [
        {"action": {"type": "MAKE_MOVE", "payload": {"type": "playCard", "args": [c]}}}
        for c in deck
    ]
    (reject,) = read(doc).rejects
    assert reject.expected == FLEMISH


def test_other_numbers_of_players_are_refused() -> None:
    doc = small("local_complete.json")
    doc["initialState"]["ctx"]["numPlayers"] = 2
    (reject,) = read(doc).rejects
    assert reject.code == "other-game"


@pytest.mark.parametrize(
    "path", [p for p in SAMPLES.rglob("*") if p.is_file()], ids=lambda p: p.name
)
def test_recognised_by_content(path: Path) -> None:
    assert PARSER.recognise(path.read_text("utf-8"), "x.txt")


def test_others_are_not_recognised() -> None:
    for path in (ROOT / "data" / "samples").rglob("*"):
        if path.is_file() and "boardgame-io" not in path.parts:
            text = path.read_bytes().decode("utf-8", "replace")
            assert not PARSER.recognise(text, "a.json"), path


def told(*moves: tuple[object, str, object], **more: object) -> dict:
    """A match of moves (player, name, args) and nothing else."""
    log = []
    for i, (player, name, args) in enumerate(moves):
        payload = {"type": name, "args": args, "playerID": player}
        entry = {"action": {"type": "MAKE_MOVE", "payload": payload}, "_stateID": i, "turn": i}
        log.append(entry)
    return {"initialState": {"G": {"dealer": 0}, "ctx": {"numPlayers": 4}}, "log": log, **more}


PASSES = [(str(i), "pas", None) for i in (1, 2, 3, 0)]


def test_other_shapes_of_moves() -> None:
    result = read(
        told(
            ("1", "bied", {"contract": "punten", "punten": 130}),
            ("2", "bid", 140),
            ("3", "call", ["misère"]),
            ("0", "bid", ["-"]),
            (1, "passen", []),
            ("2", "chat", ["hallo"]),
            ("2", "bid", "150"),
            *PASSES[2:],
            ("1", "pas", []),
            ("2", "legAf", ["hB"]),
            ("2", "kiesTroef", "ruiten"),
            ("2", "callAce", "k"),
            ("2", "speelKaart", {"kaart": {"kleur": "schoppen", "waarde": 14}}),
            ("2", "roem", 50),
            ("3", "speelKaart", ["♠9"]),
            ("3", "meldStuk", []),
            ("0", "deny", None),
            ("0", "play", ["s10"]),
            ("1", "wave", ["to all"]),
        )
    )
    (hand,) = result.hands
    r = hand.record
    assert [c.text for c in r.auction] == ["130", "140", "mis", "-", "-", "150", "-", "-", "-"]
    assert (r.trump, r.called, r.discard) == ("D", "CA", "HJ")
    assert [CARDS[p.card] for p in r.plays] == ["SA", "S9", "ST"]
    claims = [(c.ply, c.seat, c.what()) for c in r.claims]
    assert claims == [(1, 2, "roem50"), (2, 3, "stuk"), (2, 0, "deny")]
    assert any("wave (1x)" in w.message for w in result.warnings)


def test_declared_by_a_card_or_with_positions() -> None:
    card = {"suit": "C", "rank": "A"}
    moves = [("1", "bid", 130), *PASSES[1:], ("1", "declare", ["S", card]), ("1", "play", ["SA"])]
    assert read(told(*moves)).records[0].called == "CA"
    moves[4:5] = [("1", "setTrump", ["S"]), ("1", "call", [card])]
    r = read(told(*moves)).records[0]
    assert (r.trump, r.called) == ("S", "CA")


def test_hands_thrown_in_are_hands_of_their_own() -> None:
    result = read(told(*PASSES, *PASSES, ("1", "bid", 130), *PASSES[1:]))
    assert [len(r.auction) for r in result.records] == [4, 4, 4]
    assert [r.get("hand") for r in result.records] == ["1", "2", "3"]


def test_a_deal_begins_a_hand_and_a_fresh_one_is_empty() -> None:
    played = [("1", "bid", 130), *PASSES[1:], ("1", "declare", [{"trump": "s"}])]
    fresh = {"G": {"handNo": 3, "players": {"0": {"hand": ["SA"]}}, "bids": []}, "ctx": {}}
    deal = ("0", "nextHand", [])
    result = read(told(*played, deal, *played, deal, state=fresh))
    assert (len(result.hands), result.empty) == (2, 1)


def test_a_bidding_phase_after_play_begins_a_hand() -> None:
    played = [("1", "bid", 130), *PASSES[1:], ("1", "play", ["SA"]), ("2", "play", ["S9"])]
    doc = told(*played, ("2", "play", ["HA"]))
    event = {"type": "endPhase", "args": [{"next": "bidding"}]}
    doc["log"].insert(6, {"action": {"type": "GAME_EVENT", "payload": event}})
    assert [len(r.plays) for r in read(doc).records] == [2, 1]


def test_lists_of_documents() -> None:
    rest = load("server_complete_rest.json")
    assert read([small("local_complete.json"), rest]).empty == 1
    assert read({"matches": [rest, {**rest, "matchID": "another"}]}).empty == 2


@pytest.mark.parametrize(
    ("move", "token", "expected"),
    [
        (("1", "bid", [None]), "[null]", "a bid"),
        (("1", "bid", ["zwembad"]), "zwembad", "a call"),
        (("7", "play", ["HT"]), "7", "a player"),
        (("1", "play", [{"suit": "s"}]), "[{", "a card"),
        (("1", "play", [7]), "[7]", "a card"),
        (("1", "declare", [{"trump": ["s"]}]), "[{", "trump"),
        (("1", "declare", [{"trump": "q"}]), "q", "trump"),
        (("1", "roem", ["veel"]), "[", "number of points"),
        (("1", "throwCard", [{"suit": "s", "rank": "A"}]), "throwCard", "[moves]"),
    ],
)
def test_what_a_move_should_have_been(move: tuple, token: str, expected: str) -> None:
    moves = [("1", "bid", 130), *PASSES[1:], ("1", "play", ["SA"]), ("2", "play", ["S10"]), move]
    (reject,) = read(told(*moves)).rejects
    assert reject.token.startswith(token)
    assert expected in reject.expected


def test_log_entries_that_are_none() -> None:
    for entry in (7, {"action": 3}, {"action": {"type": "MAKE_MOVE"}}, {"action": {"type": "X"}}):
        doc = told(("1", "bid", 130), *PASSES[1:])
        doc["log"].insert(2, entry)
        assert len(read(doc).rejects) == 1


def test_undo_of_nothing_and_entries_told_twice() -> None:
    doc = told(("1", "bid", 130), *PASSES[1:])
    doc["log"].insert(0, {"action": {"type": "UNDO", "payload": {}}})
    doc["log"].insert(0, {"action": {"type": "REDO", "payload": {}}})
    doc["log"].append(doc["log"][-1])
    result = read(doc)
    assert len(result.records[0].auction) == 4
    said = " ".join(w.message for w in result.warnings)
    assert "nothing before it" in said
    assert "nothing to do again" in said
    assert "told twice" in said


def test_an_undo_that_is_a_move_of_the_game() -> None:
    options = Options(mapping=parse_mapping('[moves]\nundo = "oeps"'))
    moves = [("1", "bid", 130), ("1", "oeps", []), ("1", "bid", 140), *PASSES[1:]]
    (hand,) = read(told(*moves), options=options).hands
    assert [c.text for c in hand.record.auction] == ["140", "-", "-", "-"]
    assert hand.warnings == ("taken back: bid 130",)


def test_card_texts_with_two_readings() -> None:
    doc = told(("1", "bid", 130), *PASSES[1:], ("1", "play", ["HK"]))
    (reject,) = read(doc).rejects
    assert reject.code == "ambiguous"


FUZZED = [
    small("local_complete.json"),
    small("server_unfinished_dbfetch.json"),
    *(json.loads(p.read_text("utf-8")) for p in sorted((SAMPLES / "0.38-flatfile").iterdir())),
]


@SLOW
@given(st.data())
def test_fuzz_json(data: st.DataObject) -> None:
    doc = data.draw(json_mutants(data.draw(st.sampled_from(FUZZED))))
    check_sane(read(doc))


@SLOW
@given(st.data())
def test_fuzz_bytes(data: st.DataObject) -> None:
    source = json.dumps(data.draw(st.sampled_from(FUZZED))).encode()
    mutant = data.draw(byte_mutants(source))
    check_sane(PARSER.parse([Source("x", mutant)], Options()))


def test_names_of_matches_are_text_without_control_characters() -> None:
    log = load("server_unfinished_dbfetch.json")["log"]
    (hand,) = read({"key": "a\x85b:log", "value": log}).hands
    assert hand.record.get("match") == "a b"
    assert again(PARSER, hand) == [hand.record]


def test_the_text_of_a_later_hand_keeps_what_its_final_state_shows() -> None:
    """An initial state of another hand shows no cards of this one: the final state does."""
    doc = small("server_unfinished_dbfetch.json")
    first = next(iter(doc["log"]))
    doc["log"] = [e for e in doc["log"] if e is not first]
    doc["initialState"] = {"ctx": doc["initialState"]["ctx"]}
    (hand,) = read(doc).hands
    assert sum(c in "NESW" for c in hand.record.deal) > 0
    assert again(PARSER, hand) == [hand.record]
