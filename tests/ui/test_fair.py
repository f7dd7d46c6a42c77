"""Puzzles and play by what one could see, on the pages."""

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.cards import CARDS
from pandoeren_replay.puzzles import candidates
from pandoeren_replay.reviewed import review_all, stored_reviews
from pandoeren_replay.store import Store
from pandoeren_replay.ui import fair_parts, fairness
from pandoeren_replay.ui.pages import puzzles as puzzles_page
from pandoeren_replay.ui.puzzling import puzzle_data, role_of
from pandoeren_replay.ui.server import PASSWORD_VARIABLE, STORE_VARIABLE
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

from .test_pages import open_page, words

EVENING = Path(__file__).parents[2] / "data" / "demo" / "evening.phl"
SESSION = "2026-11-26-A"
NL = Texts("nl")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The demo evening, its first hands reviewed with few deals."""
    made = Store(tmp_path_factory.mktemp("fair") / "store")
    made.import_([EVENING])
    review_all(made, "number<=8", deals=30)
    return made


@pytest.fixture
def club(judged: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv(STORE_VARIABLE, str(judged.path))
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    st.cache_data.clear()
    st.cache_resource.clear()
    return judged


def labels(test: AppTest) -> list[str]:
    return [b.label for b in test.button]


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_a_puzzle_is_shown_answered_and_explained(
    club: Store, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    shown: list[dict[str, Any]] = []
    reply: list[str] = []

    def component(data: dict[str, Any], *, key: str) -> str | None:
        shown.append(data)
        return reply[0] if reply else None

    monkeypatch.setattr(puzzles_page, "show_puzzle", component)
    text = Texts(lang)  # type: ignore[arg-type]
    test = open_page("puzzles", lang, day="2026-11-30")
    assert not test.exception
    assert text("puzzles.simulated") in words(test)
    asked = shown[-1]
    assert asked["answer"] is None
    one = next(p for p in candidates(club) if p.id == asked["id"])
    # A wrong card first: what was played at the table.
    reply.append(CARDS[one.decision.card])
    test = test.run()
    assert shown[-1]["answer"]["chosen"] == CARDS[one.decision.card]
    assert [e.value for e in test.error] == [text("puzzles.wrong")]
    best = CARDS[one.decision.best or 0]
    assert text.card(best) in words(test)
    assert text("puzzles.score", n=0, of=1) in words(test)
    following = next((b for b in test.button if b.label == text("puzzles.next")), None)
    assert following is not None
    if not following.disabled:
        reply.clear()
        test = following.click().run()
        assert shown[-1]["id"] != asked["id"]
        assert shown[-1]["answer"] is None


def test_the_browser_gets_only_what_the_seat_could_see(club: Store) -> None:
    for p in candidates(club):
        hand = club.replay(p.hand_id)
        state = hand.at(p.ply)
        data = puzzle_data(hand, p, NL)
        seen = {CARDS[x.card] for x in hand.record.plays[: p.ply]}
        seen |= {CARDS[c] for c in range(33) if state.hands[p.decision.seat] >> c & 1}
        for s in state.exposed:
            seen |= {CARDS[c] for c in range(33) if state.hands[s] >> c & 1}
        told = {c for t in data["tricks"] for _, c in t["cards"]}
        told |= {s["card"] for s in data["seats"] if s["card"]} | set(data["hand"])
        told |= {c for h in data["open"] for c in h["cards"]}
        assert told <= seen
        assert set(data["legal"]) <= set(data["hand"])
        assert [s["you"] for s in data["seats"]].count(True) == 1
        assert role_of(hand, p.decision.seat, p.ply) in ("declarer", "partner", "defender")
        roles = [s["role"] for s in data["seats"]]
        partner = roles.count(NL("hands.role_partner"))
        knows = state.partner_known or p.decision.seat == hand.outcome.partner
        assert partner <= int(knows)


def test_without_reviews_the_page_says_how_to_get_some(pages: Store) -> None:
    test = open_page("puzzles")
    assert NL("puzzles.none") in words(test)
    assert NL("fair.begin") in labels(test)


def test_the_evening_names_its_mistakes_and_takes_the_totals_apart(club: Store) -> None:
    test = open_page("evening", session=SESSION)
    assert not test.exception
    told = words(test)
    assert NL("fair.evening_what") in told
    assert NL("fair.luck_what") in told
    mistakes = club.rows("SELECT count(*) AS n FROM reviews WHERE verdict = 'mistake'")[0]["n"]
    assert f"{mistakes} fouten" in told
    assert NL("fair.begin") in labels(test)  # the other hands


def test_a_mistake_leads_to_the_card_on_the_table_with_its_verdict(
    club: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dearest mistake of the evening; the address names the moment after the card."""
    opened: list[tuple[str, dict[str, str]]] = []

    def table(*_: Any, key: str, **__: Any) -> str | None:
        return "0" if key == "fair_mistakes" else None

    def open_page_(name: str, text: Texts, query: dict[str, str]) -> None:
        opened.append((name, query))

    monkeypatch.setattr(fair_parts, "table", table)
    monkeypatch.setattr(fair_parts.navigation, "open_page", open_page_)
    assert not open_page("evening", session=SESSION).exception
    worst = club.rows(
        "SELECT h.hash, r.ply FROM reviews r JOIN hands h USING (hand_id) "
        "WHERE r.verdict = 'mistake' AND r.kind = 'card' ORDER BY r.loss DESC, r.hand_id LIMIT 1"
    )[0]
    at = {"hand": worst["hash"], "ply": str(worst["ply"] + 1), "verdicts": "1"}
    assert opened == [("replay", at)]


def test_a_player_has_his_decisions_and_few_are_said_to_be_few(club: Store) -> None:
    test = open_page("players", name="Anneke")
    assert not test.exception
    assert NL("fair.player_what") in words(test)
    n = club.rows(
        "SELECT count(*) AS n FROM reviews r JOIN seats s USING (hand_id, seat) "
        "WHERE s.player = 'Anneke' AND r.kind = 'card' "
        "AND r.verdict IN ('fine', 'doubtful', 'mistake')"
    )[0]["n"]
    few = NL("fair.few", n=n, few=30)
    assert (few in words(test)) == (n < 30)


def test_stored_verdicts_are_read_and_missing_ones_worked_out(club: Store) -> None:
    source = Source(str(club.path))
    rows = stored_reviews(club, range(1, 33))  # type: ignore[arg-type]
    known = next(iter(rows))
    key = club.rows("SELECT hash FROM hands WHERE hand_id = ?", [known])[0]["hash"]
    found = fairness.hand_verdicts(source, key, NL)
    assert found["state"] == "done"
    cards = [r for r in rows[known] if r.kind == "card"]
    assert [c["verdict"] for c in found["cards"] if c] == [r.verdict for r in cards]
    for shown, r in zip([c for c in found["cards"] if c], cards):
        assert "Met wat je kon zien" in shown["words"]
        if r.best:
            assert NL.card(r.best) in shown["words"]
    other = club.rows(
        "SELECT hash FROM hands WHERE plays = 32 AND hand_id NOT IN "
        "(SELECT hand_id FROM reviews) ORDER BY hand_id LIMIT 1"
    )[0]["hash"]
    state = fairness.hand_verdicts(source, other, NL)
    assert state["state"] in ("running", "done")
    for _ in range(600):
        if state["state"] != "running":
            break
        assert " van 32" in state["words"]
        fairness._desk.ask((source.path, source.generation, other), lambda: None).wait(1)
        state = fairness.hand_verdicts(source, other, NL)
    assert state["state"] == "done"
    assert len([c for c in state["cards"] if c]) == 32


def test_a_job_reviews_into_the_store_and_can_be_stopped(tmp_path: Path) -> None:
    store = Store(tmp_path / "club")
    store.import_([EVENING])
    job = fairness.begin(str(store.path), "number<=3")
    assert fairness.begin(str(store.path), "number<=3") is job
    assert job.wait(120)
    assert job.error is None
    assert store.rows("SELECT count(DISTINCT hand_id) AS n FROM reviews")[0]["n"] == 3
    stopped = fairness.begin(str(store.path), "number<=30")
    stopped.stop()
    assert stopped.wait(120)
    assert stopped.cancelled
    kept = store.rows("SELECT count(DISTINCT hand_id) AS n FROM reviews")[0]["n"]
    assert 3 < kept < 25
