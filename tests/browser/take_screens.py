"""Takes the pictures of docs/screens from a running dashboard (``pandoeren demo``).

``python tests/browser/take_screens.py [http://127.0.0.1:8501]``; needs playwright and Chromium.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[2] / "docs" / "screens"
WIDTHS = ((1280, 900), (390, 844))
PAGES = {
    "evening": ("/", "table"),
    "hands": ("/hands", "table"),
    "contracts": ("/contracts?rules=heerlen", "table"),
    "bidding": ("/bidding?rules=heerlen", "table"),
    "players": ("/players", "table"),
    "rules": ("/rules", "table"),
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
                page.wait_for_timeout(1200)
                page.screenshot(path=FOLDER / f"{name}-{width}.png")
            page.goto(f"{url}/hands?violation=revoke&rules=heerlen&simulated=yes")
            page.wait_for_selector("tr.leads button")
            page.locator("tr.leads button").first.click()
            page.wait_for_selector(".pandoeren[data-step]")
            page.keyboard.press("n")
            page.wait_for_timeout(800)
            page.screenshot(path=FOLDER / f"replay-{width}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8501")
