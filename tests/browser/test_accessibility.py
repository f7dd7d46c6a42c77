"""axe-core on every page, filled with the demo season, in both themes and widths."""

from pathlib import Path

import axe_playwright_python
import pytest

from pandoeren_replay.commands.serving import demo_sources
from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store
from pandoeren_replay.ui.navigation import PAGES
from parsers.base import Options

from .conftest import dashboard, settled, visitor

pytestmark = pytest.mark.browser

SCRIPT = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
DEAL = "NSEWWWMSNEWNWENWENENESNSSNWEESWSS"

# Inside of Streamlit's own widgets, which we neither draw nor style.
WIDGETS = (
    "stSelectbox", "stTextInput", "stTextArea", "stFileUploader", "stNumberInput", "stExpander",
    "stPagination", "stProgress", "stCheckbox", "stTabs", "stPopover", "stToast",
)  # fmt: skip

LOOK = """(widgets) => axe.run(document, {resultTypes: ['violations']}).then((found) =>
  found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).flatMap((v) =>
    v.nodes.map((n) => {
      const target = n.target[0];
      const within = Array.isArray(target);  // in a shadow tree: one of our components
      const node = within ? null : document.querySelector(target);
      const theirs = node && widgets.some((w) => node.closest(`[data-testid="${w}"]`));
      return {id: v.id, ours: !theirs, where: JSON.stringify(n.target), html: n.html.slice(0, 200),
              why: n.failureSummary};
    })))"""


@pytest.fixture(scope="module")
def season(tmp_path_factory) -> Store:
    """The demo, as `pandoeren demo` imports it."""
    store = Store(tmp_path_factory.mktemp("season") / "demo")
    for rules, sources in demo_sources():
        import_paths(store, sources, Options(rules=rules))
    assert store.count() > 2000
    return store


@pytest.fixture(scope="module")
def address(season, tmp_path_factory):
    with dashboard(season, tmp_path_factory.mktemp("season-server")) as url:
        yield url


@pytest.fixture
def visit(address, chrome):
    with visitor(address, chrome) as found:
        yield found


def paths(store: Store) -> dict[str, str]:
    """Every page with something on it."""
    hand = store.hands("errors>0 and plays=32", limit=1)["hash"][0]
    name = store.rows("SELECT name FROM players ORDER BY hands DESC LIMIT 1")[0]["name"]
    found = {n: f"/{n}" for n in PAGES}
    found |= {
        "evening": "/",
        "replay": f"/replay?hand={hand}", "correct": f"/correct?hand={hand}",
        "solve": f"/solve?deal={DEAL}&dealer=E&rules=heerlen", "player": f"/players?name={name}",
    }  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("width", "dark", "locale"), [(1280, False, "nl-NL"), (390, True, "en-GB")]
)
def test_no_serious_problem_in_what_we_draw(visit, season, width, dark, locale, record_property):
    page = visit.open("/about", until="[data-testid='stHeading']", width=width, dark=dark,
                      locale=locale)  # fmt: skip
    ours, theirs = [], []
    for name, path in paths(season).items():
        page.goto(visit.url + path)
        page.wait_for_selector("[data-testid='stHeading'], .pandoeren[data-step]", timeout=60_000)
        settled(page)
        page.wait_for_timeout(1500)
        page.evaluate(SCRIPT)
        for fault in page.evaluate(LOOK, list(WIDGETS)):
            (ours if fault["ours"] else theirs).append((name, fault))
    record_property("in_streamlit_widgets", [(n, f["id"], f["html"]) for n, f in theirs])
    assert ours == []


def test_entering_stays_accessible_while_a_hand_is_tapped(visit):
    page = visit.open("/enter", until=".entry[data-asks='setup']", width=390, dark=True)
    steps = [
        "[data-dealer='N']", "[data-call='120']", *["[data-call='-']"] * 3, "[data-trump='H']",
        "[data-card='SA']", "[data-do='unknown']", "[data-card='HJ']", "[data-card='H7']",
    ]  # fmt: skip
    page.evaluate(SCRIPT)
    for step in steps:
        page.locator(step).first.click()
        found = page.evaluate(LOOK, list(WIDGETS))
        assert [f for f in found if f["ours"]] == []
