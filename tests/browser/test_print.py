"""The evening report on paper: A4 pages, nothing cut off at the right."""

import re
from pathlib import Path

import pytest

from engine.violations import Language
from pandoeren_replay.importer import import_paths
from pandoeren_replay.report import evening_report
from pandoeren_replay.store import Store
from tests.browser.conftest import ARGUMENTS, chromium, sync_api

SEASON = Path(__file__).parents[2] / "data" / "demo" / "season.phl"
A4 = (595.3, 841.9)  # points
WIDE = 688  # pixels of CSS: 210 mm without the two margins of 14


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_the_report_fits_on_a4(lang: Language, tmp_path: Path) -> None:
    path = chromium()
    if path is None:
        pytest.skip("no Chromium")
    store = Store(tmp_path / "store")
    import_paths(store, [SEASON])
    session = store.rows("SELECT session FROM sessions ORDER BY hands DESC, session LIMIT 1")
    page_file = tmp_path / "evening.html"
    page_file.write_text(evening_report(store, session[0]["session"], lang).html(), "utf-8")
    with sync_api.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": WIDE, "height": 1123})
        page.goto(page_file.as_uri())
        page.emulate_media(media="print")
        # Nothing is wider than what is printed of it, nor scrolls within itself.
        cut = page.evaluate(
            """() => [...document.querySelectorAll('body *')].filter(e => {
                const box = e.getBoundingClientRect();
                return box.right > document.documentElement.clientWidth + 1
                    || (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
                        && getComputedStyle(e).overflowX !== 'visible');
            }).map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))"""
        )
        assert cut == []
        words = page.evaluate("document.body.innerText")
        pdf = page.pdf(prefer_css_page_size=True, print_background=True)
        browser.close()
    boxes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]", pdf)
    assert boxes
    for width, height in boxes:
        assert abs(float(width) - A4[0]) < 2
        assert abs(float(height) - A4[1]) < 2
    assert len(boxes) < 12
    assert len(words) > 500
