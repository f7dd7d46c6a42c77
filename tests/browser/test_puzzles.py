"""Puzzles, and both figures of a card in the replayer, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cards import CARDS
from pandoeren_replay.puzzles import candidates
from pandoeren_replay.reviewed import review_all, stored_reviews
from pandoeren_replay.store import Store

from .conftest import Visit, dashboard, settled, visitor

pytestmark = pytest.mark.browser

EVENING = Path(__file__).parents[2] / "data" / "demo" / "evening.phl"
SHOWN = ".puzzle[data-puzzle]"
ANSWERED = ".puzzle[data-answered]:not([data-answered=''])"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The demo evening; a few of its hands are reviewed."""
    store = Store(tmp_path_factory.mktemp("fair") / "store")
    store.import_([EVENING])
    review_all(store, "number<=8", deals=30)
    assert candidates(store)
    return store


@pytest.fixture(scope="module")
def address(judged: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with dashboard(judged, tmp_path_factory.mktemp("server")) as url:
        yield url


@pytest.fixture
def visit(address, chrome) -> Iterator[Visit]:
    with visitor(address, chrome) as found:
        yield found


@pytest.mark.parametrize("width", [1280, 390])
def test_a_puzzle_is_answered_by_a_click_or_a_key(visit, judged, width):
    page = visit.open("/puzzles?day=2026-11-30", width=width, until=SHOWN)
    shown = page.get_attribute(SHOWN, "data-puzzle")
    one = next(p for p in candidates(judged) if p.id == shown)
    hand = judged.replay(one.hand_id).at(one.ply).hands[one.decision.seat]
    picks = page.eval_on_selector_all(
        "[data-pick]", "l => l.map(e => [e.dataset.pick, e.disabled])"
    )
    assert {c for c, _ in picks} == {CARDS[c] for c in range(33) if hand >> c & 1}
    assert {c for c, off in picks if not off} == {CARDS[c] for c in one.decision.chances}
    sizes = page.eval_on_selector_all(
        "[data-pick]", "l => l.map(e => e.getBoundingClientRect()).map(r => [r.width, r.height])"
    )
    assert min(min(s) for s in sizes) >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    best = CARDS[one.decision.best or 0]
    if width == 1280:
        page.keyboard.press(str([c for c, _ in picks].index(best) + 1))
    else:
        page.locator(f"[data-pick='{best}']").click()
    page.wait_for_selector(ANSWERED)
    settled(page)
    assert page.get_attribute(SHOWN, "data-answered") == best
    assert "beste" in page.inner_text(f"[data-pick='{best}']")
    assert page.locator("text=Goed!").count() == 1
    assert page.locator("text=Bekijk het hele spel").count() == 1


def test_the_replayer_shows_both_figures(visit, judged):
    found = stored_reviews(judged, range(1, 33))
    hand_id, row = next(
        (i, r) for i, rows in found.items() for r in rows
        if r.verdict == "mistake" and r.open_best is not None
    )  # fmt: skip
    key = judged.rows("SELECT hash FROM hands WHERE hand_id = ?", [hand_id])[0]["hash"]
    page = visit.open(f"/replay?hand={key}&ply={row.ply + 1}")
    page.keyboard.press("v")
    page.wait_for_selector(".fairline:not(:empty)", timeout=90_000)
    assert "met open kaarten" in page.inner_text(".verdict")
    told = page.inner_text(".fairline")
    assert told.startswith("Met wat je kon zien: fout.")
    assert f"{row.value * 100:.0f} %" in told
    marked = page.eval_on_selector_all("[data-fair]", "l => l.map(e => +e.dataset.fair)")
    wanted = [r.ply for r in found[hand_id] if r.verdict in ("mistake", "doubtful")]
    assert marked == wanted
    page.locator(f"[data-fair='{wanted[-1]}']").click()
    page.wait_for_selector(f".pandoeren[data-step='{wanted[-1] + 1}']")


def test_a_hand_that_is_not_reviewed_yet_is_worked_out_beside_the_page(visit, judged):
    key = judged.rows(
        "SELECT hash FROM hands WHERE plays = 32 AND errors = 0 AND hand_id NOT IN "
        "(SELECT hand_id FROM reviews) ORDER BY hand_id LIMIT 1"
    )[0]["hash"]
    page = visit.open(f"/replay?hand={key}&ply=1")
    page.keyboard.press("v")
    page.wait_for_selector(".fairline:not(:empty)", timeout=120_000)
    assert page.inner_text(".fairline").startswith("Met wat je kon zien")
