"""What the browser gets: complete, consistent with the replay, in both languages."""

import json

import pytest

from engine.cards import CARDS
from engine.record import HandRecord
from engine.replay import replay
from pandoeren_replay.ui.payload import hand_payload
from parsers.phl import read_phl

from .conftest import HANDS

RECORDS = read_phl(HANDS.read_text("utf-8")).records


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_every_hand_becomes_a_payload_that_agrees_with_its_replay(lang):
    assert len(RECORDS) > 60
    for record in RECORDS:
        r = replay(record)
        p = json.loads(json.dumps(hand_payload(r, lang, key="k")))
        assert len(p["states"]) == len(record.plays) + 1
        assert [x["card"] for x in p["plays"]] == [CARDS[x.card] for x in record.plays]
        for state, sent in zip(r.states, p["states"], strict=True):
            assert [sum(1 << CARDS.index(c) for c in hand) for hand in sent["hands"]] == list(
                state.hands
            )
            assert sent["points"] == (list(state.points) if state.points else None)
        steps = len(p["states"]) + (len(p["auction"]) + 1 if p["auction"] else 0)
        assert len(p["violations"]) == len(r.violations)
        for v in p["violations"]:
            assert 0 <= v["step"] < steps
            assert v["message"] == v["messages"][lang]
            assert v["place"]
        for trick in p["tricks"]:
            assert len(trick["cards"]) == min(4, len(record.plays) - trick["start"])
        assert p["title"]
        assert p["result_kind"] in ("made", "lost", "open")


def test_a_fault_of_play_is_at_its_card_and_its_step_shows_it():
    base_of = {}
    for record in RECORDS:
        p = hand_payload(replay(record), "nl")
        base = len(p["auction"]) + 1 if p["auction"] else 0
        for i, v in enumerate(p["violations"]):
            if v["code"] in ("revoke", "undertrump", "must-trump", "not-held", "played-twice"):
                assert p["plays"][v["ply"]]["flags"].count(i) == 1
                assert v["step"] == base + v["ply"] + 1
                base_of[v["code"]] = True
            if v["call"] is not None:
                assert i in p["auction"][v["call"]]["flags"]
                assert v["step"] == v["call"] + 1
            if v["code"].startswith(("roem-", "stuk-", "deny-", "show-")):
                assert any(i in c["flags"] for c in p["claims"])
                base_of["claim"] = True
    assert set(base_of) >= {"revoke", "undertrump", "not-held", "played-twice", "claim"}


def test_meld_of_the_last_step_is_the_engine_s():
    seen = 0
    for record in RECORDS:
        r = replay(record)
        if r.outcome.meld and r.outcome.bid and r.outcome.bid.uses_points:
            assert hand_payload(r, "en")["states"][-1]["meld"] == r.outcome.meld[0]
            seen += r.outcome.meld[0] > 0
    assert seen > 2


def test_languages_write_cards_and_contracts_their_own_way():
    r = replay(RECORDS[0])
    nl, en = hand_payload(r, "nl"), hand_payload(r, "en")
    assert nl["text"]["ranks"]["K"] == "H"
    assert en["text"]["ranks"]["K"] == "K"
    assert (nl["contract_label"], en["contract_label"]) == ("220 punten", "220 points")


def test_an_empty_record_is_shown_as_unknown():
    p = hand_payload(replay(HandRecord()), "en")
    assert p["title"] == "Hand without a known contract"
    assert p["declarer"] is None
    assert len(p["states"]) == 1


@pytest.mark.parametrize(
    ("partner", "lang", "said"),
    [
        ("S", "nl", "Maat, zoals genoteerd: Cor (Zuid)."),
        ("S", "en", "Partner, as written down: Cor (South)."),
        ("-", "nl", "Alleen gespeeld, zoals genoteerd."),
        ("N", "en", "Played alone, as written down."),
    ],
)
def test_a_line_of_a_score_sheet_is_shown_as_written_down(partner, lang, said):
    line = f"heerlen . . =N150 . . . made;score=N+2,E0,S+2,W0;partner={partner} n=Anna;s=Cor"
    p = hand_payload(replay(read_phl(line, "x").hands[0].record), lang)
    assert said in p["remarks"]
    sheet = {"nl": "zijn geen kaarten bekend", "en": "No cards are known of this hand"}
    assert any(sheet[lang] in r for r in p["remarks"])
    noted = {"nl": "Score zoals genoteerd: N +2, O 0, Z +2, W 0",
             "en": "Score as written down: N +2, E 0, S +2, W 0"}  # fmt: skip
    assert p["outcome_label"].replace("\u00a0", " ").endswith(noted[lang])


def test_a_name_is_one_line_of_bearable_length():
    record = HandRecord().with_meta(n="a\nb" + "x" * 500)
    label = hand_payload(replay(record), "en")["seats"][0]["label"]
    assert "\n" not in label
    assert len(label) < 120
