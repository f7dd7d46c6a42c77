"""Pages round the replayer in a real browser: names that try to be more, ways to a hand."""

import re
from urllib.parse import quote

import pytest

from pandoeren_replay.sessions import stored_sheet

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

HOSTILE = "<iframe srcdoc='<script>window.hit=1</script>'>"
MARKDOWN = "**Vet** [link](http://x.example) ![p](http://x.example/p.png)"


@pytest.mark.parametrize(
    "path",
    [
        "/?session=nacht",
        "/players",
        f"/players?name={quote(HOSTILE)}",
        f"/players?name={quote(MARKDOWN)}",
        "/contracts",
        "/bidding",
    ],
)
def test_hostile_names_are_text_on_every_page(visit, path):
    page = visit.open(path, until="table")
    if "contracts" in path:
        page.get_by_role("combobox").first.click()
        page.get_by_role("option", name=re.compile("^speler(,|$)")).click()
        page.wait_for_selector(".ytick text:has-text('iframe')")
        ticks = page.eval_on_selector_all(".ytick text", "l => l.map(e => e.textContent)")
        assert any("iframe" in t for t in ticks)
        assert any("**Vet**" in t for t in ticks)
    page.wait_for_timeout(500)
    shown = page.inner_text("[data-testid='stMain']")
    shown += " ".join(page.locator("table").all_inner_texts())
    assert HOSTILE in shown or MARKDOWN in shown
    for element in ("iframe", "a[href^='http://x.example']", "img[src*='x.example']"):
        assert page.locator(element).count() == 0
    assert page.evaluate("window.hit") is None


def test_from_the_evening_to_the_hand_that_cost_most_in_one_click(visit, store):
    page = visit.open("/", until="table")
    page.locator("table", has_text="Verloor het meest").locator("tbody button").first.click()
    page.wait_for_url(re.compile("/replay.*hand="))
    page.wait_for_selector(".pandoeren[data-step]", timeout=30_000)
    shown = re.search("hand=([0-9a-f]{16})", page.url)[1]
    # An evening by several rule sets is booked by the first of them.
    found = "SELECT session, rules FROM sessions s WHERE EXISTS (FROM hands h WHERE h.hash = ? "
    evening = store.rows(f"{found} AND h.session = s.session)", [shown])[0]
    lines = stored_sheet(store, evening["session"], store.rule_set(evening["rules"][0])).lines
    swings = {x.hand_id: max(x.booked.change) - min(x.booked.change) for x in lines}
    assert swings[store.find(shown)] == max(swings.values()) > 0


def test_a_row_of_the_statistics_leads_to_its_hands(visit, store):
    page = visit.open("/contracts?rules=heerlen", until="table")
    page.locator("tr.leads button", has_text="150 punten").click()
    page.wait_for_url(re.compile("contract=150"))
    n = store.count("rules=heerlen and contract=150 and played=yes")
    assert n > 1
    sync_api.expect(page.locator("tr.leads td[data-label='Bod']")).to_have_text(["150 punten"] * n)


@pytest.mark.parametrize("name", ["hands", "contracts", "players", "bidding", "rules", "import"])
def test_a_phone_shows_every_page_whole(visit, name):
    page = visit.open(f"/{name}", width=390, height=844, until="[data-testid='stHeading']")
    page.wait_for_timeout(800)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    right = page.eval_on_selector_all(
        # A table of the rule pages scrolls within its own frame.
        "[data-testid='stMain'] button, tr td, [data-testid='stPageLink-NavLink']",
        "l => l.filter(e => !e.closest('[data-testid=\"stMarkdownContainer\"] table'))"
        ".map(e => e.getBoundingClientRect().right)",
    )
    assert max(right) <= 390


@pytest.mark.parametrize(
    ("locale", "files", "apply", "nothing"),
    [
        ("nl-NL", "Kies bestanden", "Ctrl+Enter om toe te passen", "Niets gevonden"),
        ("en-GB", "Choose files", "Ctrl+Enter to apply", "Nothing found"),
    ],
)
def test_streamlits_own_words_are_in_the_viewers_language(visit, locale, files, apply, nothing):
    page = visit.open("/import", until="[data-testid='stFileUploader']", locale=locale)
    button = page.locator("[data-testid='stFileUploaderDropzone'] button")
    sync_api.expect(button).to_contain_text(files)
    page.locator("[data-testid='stTextArea'] textarea").first.fill("x")
    sync_api.expect(page.locator("[data-testid='InputInstructions']").first).to_contain_text(apply)
    box = page.get_by_role("combobox").first
    box.click()
    box.press_sequentially("qqqq")
    sync_api.expect(page.locator("[data-testid='stSelectboxVirtualDropdown']")).to_have_text(
        nothing
    )
    assert page.evaluate("document.documentElement.lang") == locale[:2]


def test_streamlits_words_follow_the_language_that_is_chosen(visit):
    page = visit.open("/hands", until="tr.leads")
    sync_api.expect(page.locator("[aria-label='Volgende bladzijde']")).to_have_count(1)
    page.get_by_role("button", name="English").click()
    sync_api.expect(page.locator("[aria-label='Next page']")).to_have_count(1)
    assert page.evaluate("document.documentElement.lang") == "en"
