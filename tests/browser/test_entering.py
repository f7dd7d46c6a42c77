"""Stories of the club: a member enters a hand on a phone, the secretary brings a file in."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cards import CARDS, SUIT_OF, cards_in
from engine.replay import replay
from engine.rulefile import load_ruleset
from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store
from parsers.base import Source
from parsers.phl import parse_line

from .conftest import HANDS, dashboard, settled, visitor

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

LINES = [x for x in HANDS.read_text("utf-8").splitlines() if not x.startswith("#")]
ROOT = Path(__file__).parents[2]
PHONE = {"width": 390, "height": 844}
MOST_TAPS = 90

SHEET = """Datum;Spel;Speler;Maat;Bod;Gehaald;Anna;Bas;Cor;Dirk
28-11-2026;1;Anna;Cor;130;ja;1;0;1;0
28-11-2026;2;Bas;Dirk;13O;nee;0;-1;0;-1
28-11-2026;3;Cor;Anna;150;misschien;2;0;2;0
28-11-2026;4;Dirk;;misère;ja;0;0;0;3
28-11-2026;5;Anna;Bas;hondertwintig;ja;1;1;0;0
28-11-2026;6;Bas;Cor;140;nee;0;-1;-1;0
"""


@pytest.fixture(scope="module")
def club(tmp_path_factory) -> Store:
    made = Store(tmp_path_factory.mktemp("club") / "club")
    import_paths(made, [Source("first.phl", f"{LINES[0]}\n".encode())])
    return made


@pytest.fixture(scope="module")
def address(club, tmp_path_factory):
    with dashboard(club, tmp_path_factory.mktemp("club-server")) as url:
        yield url


@pytest.fixture
def visit(address, chrome):
    with visitor(address, chrome) as found:
        yield found


class Phone:
    """Taps, and counts them."""

    def __init__(self, page) -> None:
        self.page, self.taps = page, 0

    def tap(self, selector: str) -> None:
        self.page.locator(selector).first.click()
        self.taps += 1

    def name(self, seat: str, name: str) -> None:
        self.page.fill(f"[data-name='{seat}']", name)


def heerlen(visit) -> Phone:
    """The page, with the rules of Heerlen chosen."""
    page = visit.open("/enter", until=".entry[data-asks='setup']", **PHONE)
    page.select_option("[data-field='rules']", "heerlen")
    return Phone(page)


def legal_hand() -> tuple[str, str]:
    """A complete hand of the test file under `heerlen` without a fault: its id and its line."""
    for line in LINES:
        record = parse_line(line)
        if (
            record.rules == "heerlen"
            and len(record.plays) == 32
            and record.called not in (None, "-")
        ):
            done = replay(record, load_ruleset("heerlen"))
            if not [v for v in done.violations if v.severity == "error"]:
                return str(record.get("id")), line
    raise AssertionError("no such hand in the test file")


def declare(phone: Phone, record, *, dealt: bool) -> None:
    for call in record.auction:
        if phone.page.locator(f"[data-call='{call.text}']").count() == 0:
            phone.tap("[data-do='more']")
        phone.tap(f"[data-call='{call.text}']")
    if dealt:
        phone.tap(f"[data-card='{record.discard}']")
    phone.tap(f"[data-trump='{record.trump}']")
    phone.tap(f"[data-card='{record.called}']")


def test_a_member_enters_a_played_hand_on_a_phone_in_under_90_taps(visit, club):
    _, line = legal_hand()
    record = parse_line(line)
    phone = heerlen(visit)
    page = phone.page
    for seat, name in zip("NESW", ("Anna", "Bas", "<b>Cor</b>", "Dirk")):
        phone.name(seat, name)
    phone.tap(f"[data-dealer='{'NESW'[record.dealer]}']")
    declare(phone, record, dealt=False)
    phone.tap(f"[data-card='{CARDS[record.deal.index('M')]}']")
    for play in record.plays:
        phone.tap(f"[data-card='{CARDS[play.card]}']")
    page.wait_for_selector(".entry[data-asks='done']")
    page.get_by_role("button", name="Opslaan").click()
    phone.taps += 1
    page.get_by_text("Het spel is opgeslagen").wait_for(timeout=60_000)
    assert phone.taps < MOST_TAPS
    row = club.rows("SELECT * FROM hands ORDER BY hand_id DESC LIMIT 1")[0]
    stored = club.replay(row["hand_id"])
    told = replay(record, load_ruleset("heerlen"))
    assert stored.deal_text == record.deal
    assert (stored.outcome.made, stored.outcome.points, stored.outcome.partner) == (
        told.outcome.made, told.outcome.points, told.outcome.partner,
    )  # fmt: skip
    assert row["south"] == "<b>Cor</b>"
    assert row["source"] == "ingevoerd"
    # The next hand is ready at the same table: names kept, the deal passed on.
    assert page.input_value("[data-name='E']") == "Bas"
    assert page.input_value("[data-field='hand']") == "2"
    assert "main" in page.get_attribute(
        f"[data-dealer='{'NESW'[(record.dealer + 1) % 4]}']", "class"
    )
    page.get_by_role("link", name="Naspelen").last.click()
    page.wait_for_selector(".pandoeren[data-step]", timeout=60_000)


def test_with_the_cards_dealt_only_legal_ones_are_offered(visit, club):
    _, line = legal_hand()
    record = parse_line(line)
    rules = load_ruleset("heerlen")
    told = replay(record, rules)
    phone = heerlen(visit)
    page = phone.page
    phone.tap("[data-mode='deal']")
    phone.tap(f"[data-dealer='{'NESW'[record.dealer]}']")
    for seat in "NES":
        for c in range(33):
            if record.deal[c] == seat:
                phone.tap(f"[data-card='{CARDS[c]}']")
    phone.tap(f"[data-card='{CARDS[record.deal.index('M')]}']")
    declare(phone, record, dealt=True)
    for ply, play in enumerate(record.plays):
        if ply == 13:
            page.reload()
            page.wait_for_selector(".entry[data-plays='13']", timeout=60_000)
        if ply == 20:
            phone.tap("[data-do='undo']")
            phone.tap(f"[data-card='{CARDS[record.plays[19].card]}']")
        if ply == 28:
            phone.tap("[data-do='last-trick']")
            break
        state = told.at(ply)
        led = state.trick[0][1] if state.trick else -1
        best = led
        for _, c in state.trick[1:]:
            if rules.tables.wins(told.outcome.trump, best, c):
                best = c
        legal = rules.tables.legal(told.outcome.trump, state.hands[state.to_play], led, best)
        offered = page.eval_on_selector_all(".key.legal", "l => l.map(e => e.dataset.card)")
        assert set(offered) == {CARDS[c] for c in cards_in(legal)}
        assert page.get_attribute(".place.turn", "data-place") == "NESW"[state.to_play]
        phone.tap(f"[data-card='{CARDS[play.card]}']")
    assert phone.taps < MOST_TAPS
    page.get_by_role("button", name="Opslaan").click()
    page.get_by_text("Het spel is opgeslagen").wait_for(timeout=60_000)
    row = club.rows("SELECT * FROM hands ORDER BY hand_id DESC LIMIT 1")[0]
    assert [p.card for p in club.record(row["hand_id"]).plays] == [p.card for p in record.plays]
    assert row["errors"] == 0


def test_a_card_against_the_rules_takes_two_taps_and_is_flagged(visit, club):
    record = parse_line(legal_hand()[1])
    phone = heerlen(visit)
    page = phone.page
    phone.tap("[data-mode='deal']")
    phone.tap(f"[data-dealer='{'NESW'[record.dealer]}']")
    for seat in "NES":
        for c in range(33):
            if record.deal[c] == seat:
                phone.tap(f"[data-card='{CARDS[c]}']")
    phone.tap(f"[data-card='{CARDS[record.deal.index('M')]}']")
    declare(phone, record, dealt=True)
    for play in record.plays:
        wrong = page.locator(".key.illegal")
        if wrong.count():
            code = wrong.first.get_attribute("data-card")
            before = page.get_attribute(".entry", "data-plays")
            phone.tap(f"[data-card='{code}']")
            assert page.get_attribute(".entry", "data-plays") == before
            assert page.locator(".doubt").count() == 1
            phone.tap(f"[data-card='{code}']")
            assert page.get_attribute(".entry", "data-plays") == str(int(before) + 1)
            break
        phone.tap(f"[data-card='{CARDS[play.card]}']")
    else:
        raise AssertionError("every card of this hand was forced")
    phone.tap("[data-do='stop']")
    phone.tap("[data-outcome='unknown']")
    page.locator("table", has_text="Fout").first.wait_for(timeout=60_000)


def test_a_line_of_the_score_sheet(visit, club):
    phone = heerlen(visit)
    page = phone.page
    phone.tap("[data-mode='score']")
    for seat, name in zip("NESW", "ABCD"):
        phone.name(seat, name)
    for selector in ("[data-do='start']", "[data-seat='S']", "[data-call='150']",
                     "[data-seat='E']", "[data-outcome='made']"):  # fmt: skip
        phone.tap(selector)
    page.get_by_role("button", name="Opslaan").click()
    page.get_by_text("Het spel is opgeslagen").wait_for(timeout=60_000)
    row = club.rows("SELECT * FROM hands ORDER BY hand_id DESC LIMIT 1")[0]
    found = (row["declarer_name"], row["contract"], row["success"], row["plays"])
    assert found == ("C", "150", True, 0)
    assert club.record(row["hand_id"]).result.partner == 1


def test_every_target_is_44_px_and_nothing_is_cut(visit):
    phone = heerlen(visit)
    page = phone.page
    sizes = "l => l.filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect())" \
        ".map(r => [r.width, r.height, r.right])"  # fmt: skip

    def check() -> None:
        boxes = page.eval_on_selector_all(".entry button, .entry input, .entry select", sizes)
        assert boxes
        assert min(min(w, h) for w, h, _ in boxes) >= 44
        assert max(right for _, _, right in boxes) <= PHONE["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

    check()
    phone.tap("[data-dealer='N']")
    check()
    phone.tap("[data-call='120']")
    for _ in range(3):
        phone.tap("[data-call='-']")
    check()
    phone.tap("[data-trump='H']")
    check()
    phone.tap("[data-card='SA']")
    check()
    phone.tap("[data-do='unknown']")
    check()
    phone.tap("[data-do='claim']")
    check()
    phone.tap(".claim [data-seat='E']")
    check()
    phone.tap("[data-claim='roem50']")
    assert "roem 50" in page.inner_text(".summary")


def test_the_words_follow_the_language_and_nothing_runs_over_a_hostile_draft(visit):
    page = visit.open("/enter", until=".entry[lang='en']", locale="en-GB", **PHONE)
    assert "Who is the dealer?" in page.inner_text(".entry")
    page.evaluate("sessionStorage.setItem('pandoeren.draftenter', '{\"setup\": {\"rules\": 7}}')")
    page.reload()
    page.wait_for_selector(".entry[data-asks='setup']", timeout=60_000)
    page.evaluate("sessionStorage.setItem('pandoeren.draftenter', 'nonsense')")
    page.reload()
    page.wait_for_selector(".entry[data-asks='setup']", timeout=60_000)


def test_the_secretary_brings_a_dutch_csv_in_and_takes_it_back(visit, club, tmp_path):
    file = tmp_path / "avond.csv"
    file.write_bytes(SHEET.replace("\n", "\r\n").encode("utf-8-sig"))
    before = club.count()
    page = visit.open("/import", until="[data-testid='stFileUploader']")
    page.set_input_files("[data-testid='stFileUploaderDropzoneInput']", file)
    page.get_by_text("Spellen die gelezen kunnen worden: 3").wait_for(timeout=60_000)
    page.get_by_text("Niet te lezen: 3").wait_for()
    for line, right in (
        (3, "28-11-2026;2;Bas;Dirk;130;nee;0;-1;0;-1"),
        (4, "28-11-2026;3;Cor;Anna;150;ja;2;0;2;0"),
        (6, "28-11-2026;5;Anna;Bas;120;ja;1;1;0;0"),
    ):
        page.get_by_label(f"Regel {line}", exact=True).fill(right)
    page.get_by_role("button", name="Opnieuw lezen").click()
    page.get_by_text("Spellen die gelezen kunnen worden: 6").wait_for(timeout=60_000)
    settled(page)  # what was there before stays until the whole page is drawn
    assert page.get_by_text("Niet te lezen:").count() == 0
    page.get_by_role("button", name="Binnenhalen", exact=True).click()
    page.get_by_text("Gelezen 6 = opgeslagen 6").wait_for(timeout=60_000)
    assert club.count() == before + 6
    settled(page)
    page.get_by_text("Laatste keer ongedaan maken").click()
    page.get_by_text("Ja, haal ze weg").click()
    settled(page)
    page.get_by_role("button", name="Ongedaan maken").click()
    page.get_by_text("Weggehaald: 6 spellen").wait_for(timeout=60_000)
    assert club.count() == before


def test_a_folder_comes_in_whole(visit, club, tmp_path):
    folder = tmp_path / "avonden"
    (folder / "oktober").mkdir(parents=True)
    (folder / "een.phl").write_text(LINES[0].replace("date=2026", "date=2019") + "\n")
    (folder / "oktober" / "twee.phl").write_text(LINES[1].replace("date=2026", "date=2018") + "\n")
    (folder / "foto.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    page = visit.open("/import", until="[data-testid='stFileUploader']")
    page.get_by_text("Een hele map in een keer").click()
    page.get_by_text("Map met bestanden").first.wait_for()
    settled(page)
    page.set_input_files("[data-testid='stFileUploaderDropzoneInput']", folder)
    page.get_by_text("Spellen die gelezen kunnen worden: 2").wait_for(timeout=60_000)
    page.get_by_text("Niet te lezen: 1").wait_for()
    before = club.count()
    page.get_by_role("button", name="Binnenhalen", exact=True).click()
    page.get_by_text("Gelezen 3 = opgeslagen 2").wait_for(timeout=60_000)
    assert club.count() == before + 2


def test_an_import_from_the_command_line_shows_in_an_open_page(visit, club, tmp_path):
    page = visit.open("/hands", until="tr.leads")
    shown = page.locator("tr.leads").count()
    file = tmp_path / "later.phl"
    file.write_text("\n".join(LINES[1:4]) + "\n")
    command = "from pandoeren_replay.cli import main; main()"
    arguments = ["import", str(file), "--db", str(club.path)]
    subprocess.run([sys.executable, "-c", command, *arguments], check=True, cwd=ROOT)
    sync_api.expect(page.locator("tr.leads")).to_have_count(shown + 3, timeout=60_000)


def test_two_people_at_once_never_see_an_error(visit, club, tmp_path):
    reader = visit.open("/hands", until="tr.leads")
    writer = visit.open("/import", until="textarea")
    settled(writer)
    bring_in = writer.get_by_role("button", name="Binnenhalen", exact=True)
    for n in range(3):
        line = LINES[5 + n].replace("date=", f"event=two-{n};date=")
        writer.locator("textarea").first.fill(line)
        writer.locator("textarea").first.press("Control+Enter")
        reader.goto(f"{visit.url}/hands")
        reader.wait_for_selector("tr.leads", timeout=60_000)
        settled(reader)
        reader.locator("tr.leads button").first.click()
        bring_in.click(timeout=60_000)
        reader.wait_for_selector(".pandoeren[data-step]", timeout=60_000)
        reader.keyboard.press("ArrowRight")
        # What is said of the import before may still stand there: its button goes with this one.
        bring_in.wait_for(state="hidden", timeout=60_000)
        writer.get_by_text(re.compile("Gelezen 1 = opgeslagen 1")).wait_for(timeout=60_000)
        for page in (reader, writer):
            assert page.locator("[data-testid='stException']").count() == 0
            assert page.get_by_text("Deze pagina kon niet getoond worden").count() == 0
            settled(page)


@pytest.mark.parametrize("name", ["enter", "correct", "solve", "sql", "partners"])
def test_a_phone_shows_the_new_pages_whole(visit, club, name):
    query = f"?hand={club.hands(limit=1)['hash'][0]}" if name == "correct" else ""
    page = visit.open(f"/{name}{query}", until="[data-testid='stHeading']", **PHONE)
    page.wait_for_timeout(800)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_suits_of_the_deck_stand_in_rows(visit):
    page = visit.open("/solve", until=".entry[data-asks='deal']", width=1280)
    rows = page.eval_on_selector_all(
        ".suitrow",
        "l => l.map(e => [...e.querySelectorAll('[data-card]')].map(c => c.dataset.card))",
    )
    assert rows == [[CARDS[c] for c in range(33) if SUIT_OF[c] == s] for s in range(4)]
