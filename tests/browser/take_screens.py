"""Takes the pictures of docs/screens from a running dashboard (``pandoeren demo``).

``python tests/browser/take_screens.py [http://127.0.0.1:8501]``; needs playwright and Chromium.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parents[2] / "docs" / "screens"
WIDTHS = ((1280, 900), (390, 844))
IDLE = "[data-testid='stApp'][data-test-script-state='notRunning']"
PAGES = {
    "evening": ("/", "table"),
    "hands": ("/hands", "table"),
    "contracts": ("/contracts?rules=heerlen", "table"),
    "bidding": ("/bidding?rules=heerlen", "table"),
    "players": ("/players", "table"),
    "player": ("/players?name=Fons", "table"),
    "puzzles": ("/puzzles", "h2"),
    "partners": ("/partners?rules=heerlen", "table"),
    "enter": ("/enter", ".entry[data-asks]"),
    "solve": (
        "/solve?deal=NSEWWWMSNEWNWENWENENESNSSNWEESWSS&dealer=E&rules=heerlen",
        "text=Speel het uit",
    ),
    "sql": ("/sql", "textarea"),
    "correct": ("/correct?hand=17", "textarea"),
    "rules": ("/rules", "table"),
    "studies": ("/studies", "h2"),
    "import": ("/import", "table"),
    "about": ("/about", "h2"),
}


def main(url: str) -> None:
    """One picture of every page in both widths, and the replayer at a card that breaks a rule."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as p:
        browser = p.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for width, height in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": height}, locale="nl-NL")
            for name, (path, until) in PAGES.items():
                page.goto(url + path)
                page.wait_for_selector(until)
                page.wait_for_selector(IDLE)
                page.wait_for_selector("[data-testid='stSkeleton']", state="detached")
                page.wait_for_timeout(1200)
                page.screenshot(path=FOLDER / f"{name}-{width}.png")
            page.goto(f"{url}/hands?violation=revoke&rules=heerlen&simulated=yes")
            page.wait_for_selector("tr.leads button")
            page.locator("tr.leads button").first.click()
            page.wait_for_selector(".pandoeren[data-step]")
            page.keyboard.press("n")
            page.wait_for_timeout(800)
            page.screenshot(path=FOLDER / f"replay-{width}.png")
            review(page, url, width)
            entering(page, url, width)
            page.close()
        browser.close()


def entering(page: Page, url: str, width: int) -> None:
    """A hand half tapped in."""
    page.goto(f"{url}/enter")
    page.wait_for_selector(".entry[data-asks='setup']")
    page.select_option("[data-field='rules']", "heerlen")
    taps = ["[data-dealer='W']", "[data-call='-']", "[data-call='130']", *["[data-call='-']"] * 3]
    taps += ["[data-trump='H']", "[data-card='SA']", "[data-card='H6']"]
    taps += [f"[data-card='{c}']" for c in ("DJ", "DA", "DK", "D8", "S9", "SA", "S7")]
    for tap in taps:
        page.locator(tap).first.click()
    page.wait_for_timeout(400)
    shot(page, f"entering-{width}.png")


def review(page: Page, url: str, width: int) -> None:
    """The replayer with verdicts at the first mistake, another line, and playing along."""
    page.goto(f"{url}/hands?session=2026-11-26-A&result=lost&contract=120")
    page.wait_for_selector("tr.leads button")
    page.locator("tr.leads button").first.click()
    page.wait_for_selector(".pandoeren[data-step]")
    page.keyboard.press("m")
    page.wait_for_selector(".lossbar", timeout=60_000)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("w")
    page.wait_for_timeout(600)
    shot(page, f"review-{width}.png")
    page.locator("[data-pick]", has=page.locator(".worth", has_text="●")).first.click()
    page.wait_for_selector(".line", timeout=60_000)
    page.wait_for_timeout(600)
    shot(page, f"whatif-{width}.png")
    page.keyboard.press("Escape")
    page.wait_for_selector(".line", state="detached")
    page.keyboard.press("v")  # kept in this browser: the other pictures are without
    page.keyboard.press("q")
    page.wait_for_timeout(800)
    shot(page, f"quiz-{width}.png")


def shot(page: Page, name: str) -> None:
    """A picture of the whole page, as high as it is, at most two screens."""
    high = page.viewport_size["height"]
    page.set_viewport_size({"width": page.viewport_size["width"], "height": int(high * 1.6)})
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    page.wait_for_timeout(500)
    page.screenshot(path=FOLDER / name)
    page.set_viewport_size({"width": page.viewport_size["width"], "height": high})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8501")
