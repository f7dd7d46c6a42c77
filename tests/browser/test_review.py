"""Verdicts, other lines, playing along, notes and sharing in a real browser."""

import re
import statistics
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from engine.cards import CARDS
from pandoeren_replay.annotate import annotate
from pandoeren_replay.notes import Notes
from pandoeren_replay.studies import hand_text
from pandoeren_replay.ui.whatif import Line, legal_cards, play_line

from .test_replayer import CLOCK, HOSTILE, key_of, step

pytestmark = pytest.mark.browser

NOTE = "<img src=x onerror=window.hit=1> **vet** {met} [haken] & 'tekens'"
DONE = ".lossbar"


@pytest.fixture(scope="module")
def hand(store):
    """A complete hand of points in which a card cost something: key, replay, review."""
    for row in store.hands("plays=32 and rules=heerlen").iter_rows(named=True):
        replay = store.replay(row["hand_id"])
        bid = replay.outcome.bid
        if bid is None or bid.contract.goal != "points" or row["errors"]:
            continue
        found = annotate(replay)
        if found.mistakes():
            return row["hash"], replay, found
    raise AssertionError("no such hand in the test file")


def reviewed(visit, hand, ply: int, **options):
    page = visit.open(f"/replay?hand={hand[0]}&ply={ply}", **options)
    page.keyboard.press("v")
    page.wait_for_selector(DONE, timeout=60_000)
    return page


def test_every_legal_card_shows_its_value_and_every_played_one_its_verdict(visit, hand):
    found = hand[2]
    page = reviewed(visit, hand, 0)
    for ply in range(32):
        shown = page.eval_on_selector_all(
            "[data-value]", "l => l.map(e => [e.dataset.value, e.textContent])"
        )
        note = found.cards[ply]
        expected = {
            CARDS[c]: f"{'●' if note.best >> c & 1 else ''}{v}" for c, v in note.values.items()
        }
        assert dict(shown) == expected
        if ply:
            told = page.inner_text(".verdict")
            assert told == found.cards[ply - 1].text("nl")
            assert "met open kaarten" in told
        page.keyboard.press("ArrowRight")
    assert page.locator(".loss").count() == 32
    assert "met open kaarten" in page.inner_text(".barkey")


def test_the_next_mistake_is_one_key_away_and_listed_by_cost(visit, hand):
    _, _, found = hand
    wrong = [n.ply for n in found.mistakes()]
    page = visit.open(f"/replay?hand={hand[0]}")
    page.keyboard.press("m")  # asks for the verdicts first
    page.wait_for_selector(f".pandoeren[data-step='{wrong[0] + 1}']", timeout=60_000)
    page.keyboard.press("m")
    assert step(page) == str(wrong[1 % len(wrong)] + 1)
    costs = {n.ply: n.loss for n in found.mistakes()}
    listed = page.eval_on_selector_all("[data-mistake]", "l => l.map(e => +e.dataset.mistake)")
    assert sorted(listed) == wrong
    assert [costs[p] for p in listed] == sorted(costs.values(), reverse=True)
    page.locator(f"[data-mistake='{listed[0]}']").click()
    assert step(page) == str(listed[0] + 1)


def test_verdicts_stay_on_for_the_next_hand_and_go_at_a_key(visit, hand):
    page = reviewed(visit, hand, 5)
    page.reload()
    page.wait_for_selector(DONE, timeout=30_000)
    page.keyboard.press("v")
    page.wait_for_selector(DONE, state="detached")
    assert page.locator("[data-value]").count() == 0
    page.reload()
    page.wait_for_selector(".pandoeren[data-step]")
    page.wait_for_timeout(700)
    assert page.locator(DONE).count() == 0


def test_what_cannot_be_judged_says_why(visit, store):
    key = key_of(store, "violation=not-held")
    page = visit.open(f"/replay?hand={key}")
    page.keyboard.press("v")
    page.wait_for_selector(".solver")
    assert "kan niet beoordeeld worden" in page.inner_text(".solver")


def test_another_card_is_played_out_and_the_real_hand_comes_back(visit, hand):
    _, replay, found = hand
    ply = found.mistakes()[0].ply
    best = next(c for c in CARDS if found.cards[ply].best >> CARDS.index(c) & 1)
    line = play_line(replay, Line(ply, (best,)))
    page = reviewed(visit, hand, ply)
    page.keyboard.press("w")
    offered = page.eval_on_selector_all("[data-pick]", "l => l.map(e => e.dataset.pick)")
    assert set(offered) == set(legal_cards(replay)[ply])
    page.locator(f"[data-pick='{best}']").click()
    page.wait_for_selector(".line", timeout=30_000)
    assert step(page) == str(ply + 1)
    assert "met open kaarten" in page.inner_text(".line")
    cards = page.eval_on_selector_all(".trickrow [data-chip]", "l => l.map(e => e.dataset.chip)")
    assert cards == [CARDS[p.card] for p in line.record.plays]
    page.wait_for_function(f"location.search.includes('line={ply}{best}')")
    page.reload()
    page.wait_for_selector(".line", timeout=30_000)
    page.keyboard.press("End")
    assert page.inner_text(".num >> nth=0") == str(line.outcome.points[0])
    page.keyboard.press("Escape")
    page.wait_for_selector(".line", state="detached")
    cards = page.eval_on_selector_all(".trickrow [data-chip]", "l => l.map(e => e.dataset.chip)")
    assert cards == [CARDS[p.card] for p in replay.record.plays]
    assert "line=" not in page.url


def test_a_card_can_be_chosen_on_the_table_and_again_within_the_line(visit, hand):
    found = hand[2]
    ply = next(n.ply for n in found.cards if n.ply > 3 and len(n.values) > 1 and n.regular)
    other = next(CARDS[c] for c in found.cards[ply].values if c != found.cards[ply].card)
    page = reviewed(visit, hand, ply)
    page.keyboard.press("w")
    # In a fan only the upper edge of a card is in sight.
    page.locator(f".hands .can[data-card='{other}']").click(position={"x": 8, "y": 8})
    page.wait_for_selector(".line", timeout=30_000)
    for _ in range(20):
        names = page.eval_on_selector_all("[data-pick]", "l => l.map(e => e.dataset.pick)")
        if len(names) > 1:
            break
        page.keyboard.press("ArrowRight")
    at = int(step(page))
    played = page.eval_on_selector_all(".trickrow [data-chip]", "l => l.map(e => e.dataset.chip)")
    second = next(n for n in names if n != played[at])
    page.locator(f"[data-pick='{second}']").click()
    page.wait_for_function(f"location.search.includes('{second}')", timeout=30_000)
    page.wait_for_function(
        "(want) => [...document.querySelectorAll('*')].filter(e => e.shadowRoot)"
        ".some(h => h.shadowRoot.querySelectorAll('.trickrow [data-chip]')[want[0]]"
        "?.dataset.chip === want[1])",
        arg=[at, second],
    )
    again = page.eval_on_selector_all(".trickrow [data-chip]", "l => l.map(e => e.dataset.chip)")
    assert again[:at] == played[:at]


@pytest.mark.parametrize("line", ["3ZZ", "99SA", "5SASA", "<b>", "0"])
def test_an_address_with_an_impossible_line_shows_the_real_hand(visit, hand, line):
    page = visit.open(f"/replay?hand={hand[0]}&ply=3&line={line}")
    page.wait_for_timeout(500)
    assert page.locator(".line").count() == 0
    assert page.locator(".trickrow").count() == 8


def test_playing_along_hides_what_the_seat_cannot_see_and_compares(visit, hand):
    _, replay, found = hand
    seat = replay.outcome.declarer
    page = visit.open(f"/replay?hand={hand[0]}&ply=0")
    page.keyboard.press("q")
    page.wait_for_timeout(800)
    for hidden in (".review", ".losses", ".violations", ".badge.made", ".badge.lost"):
        assert page.locator(hidden).filter(visible=True).count() == 0
    seats = page.eval_on_selector_all(".hands [data-card]", "l => l.map(e => e.dataset.seat)")
    assert set(seats) == {"NESW"[seat]}
    asked = 0
    for _ in range(70):
        if step(page) == "32":
            break
        picks = page.eval_on_selector_all("[data-pick]", "l => l.map(e => e.dataset.pick)")
        if not picks:
            page.keyboard.press("ArrowRight")
            continue
        at = int(step(page))
        page.keyboard.press("ArrowRight")
        assert step(page) == str(at)  # a card has to be chosen first
        page.locator(f"[data-pick='{picks[0]}']").click()
        assert step(page) == str(at + 1)
        asked += 1
        told = page.inner_text(".asking")
        note = found.cards[at]
        value = note.values[CARDS.index(picks[0])]
        assert f"Met open kaarten: uw kaart {value}, de gespeelde {note.after}" in told
        assert f"van {asked}." in told
    assert asked == sum(
        replay.seats[p] == seat and len(legal_cards(replay)[p]) > 1 for p in range(32)
    )
    page.keyboard.press("Escape")
    assert page.locator(".hands [data-card]").count() == 32


def test_a_note_is_text_says_who_and_is_seen_by_others(visit, store, hand):
    page = visit.open(f"/replay?hand={hand[0]}&ply=6")
    page.fill("[data-note='who']", "Anneke <b>")
    page.fill("[data-note='text']", NOTE)
    page.keyboard.press("n")  # in a field a key is a letter
    page.fill("[data-note='text']", NOTE)
    page.locator("[data-do='note']").click()
    page.wait_for_selector("[data-mark='note']")
    assert page.input_value("[data-note='text']") == ""
    assert step(page) == "6"
    page.locator("[data-do='star']").click()
    page.wait_for_selector("[data-mark='star']")
    marks = Notes(store.path).of_hand(hand[0])
    assert [(m.kind, m.place, m.text, m.who) for m in marks] == [
        ("note", "6", NOTE, "Anneke <b>"),
        ("star", "6", "", "Anneke <b>"),
    ]
    other = visit.open(f"/replay?hand={hand[0]}&ply=6")
    assert NOTE in other.inner_text(".noteshere")
    assert "Anneke <b>" in other.inner_text(".notes")
    assert other.evaluate("window.hit") is None
    other.locator("[data-mark='star'] button.small").click()
    other.wait_for_selector("[data-mark='star']", state="detached")
    other.locator(".message button").click()
    other.wait_for_selector("[data-mark='star']")
    assert len(Notes(store.path).of_hand(hand[0])) == 2
    page.fill("[data-note='tag']", "a]b")
    page.locator("[data-do='tag']").click()
    page.wait_for_selector(".message:has-text('label')")
    assert page.input_value("[data-note='tag']") == "a]b"  # nothing that was typed is lost


def test_into_a_study_and_out_of_it_again(visit, store, hand):
    page = visit.open(f"/replay?hand={hand[0]}")
    page.fill("[data-note='study-name']", HOSTILE[:100])
    page.fill("[data-note='study-text']", NOTE)
    page.locator("[data-do='study']").click()
    page.wait_for_selector("text=Staat in:")
    page.goto(f"{visit.url}/studies")
    page.wait_for_selector("tr.leads")
    assert NOTE in page.inner_text("table >> nth=0")
    assert page.locator("iframe").count() == 0
    with page.expect_download() as download:
        page.get_by_role("button", name="Bewaar als .phn").click()
    text = Path(download.value.path()).read_text("utf-8")
    assert "[Study " in text
    page.locator("tr.leads button").first.click()
    page.wait_for_url(re.compile(f"hand={hand[0]}"))
    page.goto(f"{visit.url}/studies")
    page.wait_for_selector("tr.leads")
    page.get_by_text("Studie binnenhalen").click()
    page.set_input_files(
        "[data-testid='stFileUploaderDropzoneInput']",
        [{"name": "les.phn", "mimeType": "text/plain", "buffer": text.encode()}],
    )
    page.get_by_role("button", name="Haal binnen").click()
    page.wait_for_selector("text=1 spellen.")
    assert {s.hands for s in Notes(store.path).studies()} == {1}
    assert page.evaluate("window.hit") is None


def saved(page, name: str) -> bytes:
    with page.expect_download() as download:
        page.locator(f"[data-do='{name}']").click()
    return Path(download.value.path()).read_bytes()


def test_the_hand_goes_out_as_notation_and_as_a_picture(visit, store):
    key = key_of(store, "violation=revoke")
    page = visit.open(f"/replay?hand={key}&ply=9")
    page.locator(".sharing summary").click()
    assert saved(page, "save-phn").decode() == hand_text(store, Notes(store.path), key)
    root = ET.fromstring(saved(page, "save-svg"))
    tags = [e.tag.rpartition("}")[2] for e in root.iter()]
    assert set(tags) <= {"svg", "g", "rect", "text", "path", "circle", "title"}
    assert len([e for e in root.iter() if e.get("data-card")]) >= 32
    assert HOSTILE in "".join(root.itertext())
    assert not any("var(" in v for e in root.iter() for v in e.attrib.values())
    png = saved(page, "save-png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert width == 2 * float(root.get("width"))
    assert height == 2 * float(root.get("height"))
    assert len(png) > 20_000


def test_on_paper_a_hand_is_one_sheet(visit, hand):
    page = visit.open(f"/replay?hand={hand[0]}&ply=9")
    sheet = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1
    page.emulate_media(media="print")
    assert page.locator(".steps").filter(visible=True).count() == 0
    assert page.locator(".paper .compass .seat").filter(visible=True).count() == 4
    assert page.locator(".paper td.wins").count() == 8
    assert page.locator(".st-key-pages").filter(visible=True).count() == 0


@pytest.mark.timed
def test_with_verdicts_a_key_is_still_answered_at_once(visit, hand, record_property):
    page = reviewed(visit, hand, 0)
    page.evaluate(CLOCK)
    for _ in range(32):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(40)
    times = page.evaluate("window.times")
    assert len(times) == 32
    record_property("median_ms", statistics.median(times))
    assert statistics.median(times) < 20


def test_a_phone_shows_verdicts_choices_and_notes_whole(visit, hand):
    page = reviewed(visit, hand, 9, width=390, height=844)
    page.keyboard.press("w")
    page.locator(".sharing summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = page.eval_on_selector_all(
        ".pandoeren button, .pandoeren input, .pandoeren select, .pandoeren textarea,"
        " .pandoeren section, .pill.value, .lossbar",
        "l => l.filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect())"
        ".map(r => [r.left, r.right])",
    )
    assert min(left for left, _ in boxes) >= 0
    assert max(right for _, right in boxes) <= 390
    small = page.eval_on_selector_all(
        ".pandoeren button", "l => l.filter(e => e.checkVisibility())"
        ".map(e => e.getBoundingClientRect().height).filter(h => h < 44)",
    )  # fmt: skip
    assert small == []


def test_the_pages_are_one_row_on_a_phone_and_the_menu_has_them_all(visit):
    page = visit.open("/", width=390, height=844, until="table")
    bar = page.locator(".st-key-pages").bounding_box()
    assert bar["height"] < 60
    page.locator(".st-key-pages [data-testid='stPopover'] button").click()
    body = page.locator("[data-testid='stPopoverBody']")
    body.get_by_text("Regels").click()
    page.wait_for_url(re.compile("/rules"))
