"""Every page, without a browser: full, empty, asked for nonsense, in both languages."""

import datetime as dt

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import bulk_source, parts
from pandoeren_replay.ui import session
from pandoeren_replay.ui.navigation import PAGES
from pandoeren_replay.ui.server import PASSWORD_VARIABLE, SCRIPT, STORE_VARIABLE
from pandoeren_replay.ui.texts import Texts
from parsers.base import Source as LogFile

from .conftest import HANDS

LINES = [x for x in HANDS.read_text("utf-8").splitlines() if not x.startswith("#")]
TIMEOUT = 60


def show(name: str, lang: str) -> None:
    """Runs as a Streamlit script: one page within the navigation of all."""
    import streamlit as st

    from pandoeren_replay.ui import navigation, session

    st.session_state["language"] = lang
    text = session.texts()
    st.navigation(navigation.pages(text), position="hidden")
    from importlib import import_module

    import_module(f"pandoeren_replay.ui.pages.{navigation.PAGES[name][0]}").page()


def open_page(name: str, lang: str = "nl", /, **query: str) -> AppTest:
    test = AppTest.from_function(show, kwargs={"name": name, "lang": lang}, default_timeout=TIMEOUT)
    for key, value in query.items():
        test.query_params[key] = value
    return test.run()


def words(test: AppTest) -> str:
    return "\n".join(str(e.value) for e in [*test.text, *test.markdown, *test.info, *test.warning])


@pytest.mark.parametrize("lang", ["nl", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_shows_itself(pages, name, lang):
    test = open_page(name, lang)
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize("name", PAGES)
def test_without_hands_a_page_says_how_to_get_some(own_store, name):
    test = open_page(name)
    assert not test.exception
    if name in ("evening", "hands", "contracts", "players"):
        assert Texts("nl")("hands.empty") in words(test)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("replay", {"hand": "0" * 500}),
        ("replay", {"hand": "'; DROP TABLE hand; --"}),
        ("hands", {"player": "<b>x</b>", "contract": "\x00", "rules": "../x"}),
        ("hands", {"more": "nonsense"}),
        ("hands", {"first": "31-31-31", "last": "soon"}),
        ("contracts", {"rules": "no-such", "player": "'"}),
        ("players", {"name": "<script>"}),
        ("evening", {"session": "none"}),
        ("rules", {"rules": "/etc/passwd"}),
    ],
)
def test_nonsense_in_the_address_is_no_error(pages, name, query):
    test = open_page(name, **query)
    assert not test.exception


def test_a_filter_narrows_the_list_and_can_be_cleared(pages):
    test = open_page("hands", result="lost")
    lost = pages.count("made=no")
    assert f"**{lost}** spellen" in words(test)
    test.selectbox(key="filter_result").set_value("made").run()
    assert f"**{pages.count('made=yes')}** spellen" in words(test)
    assert test.query_params["result"] == "made"
    test = open_page("hands", contract="999")
    assert Texts("nl")("hands.nothing") in words(test)


def test_a_filter_that_cannot_be_read_is_told(pages):
    test = open_page("hands", "en", more="points >")
    assert Texts("en")("hands.filter_unreadable") in words(test)
    assert "expected a value" in words(test)


def test_paste_import_look_and_take_back(own_store):
    test = open_page("import", "en")
    test.text_area[0].set_value("\n".join([*LINES[:3], "heerlen N rubbish"])).run()
    assert not test.exception
    assert Texts("en")("import.preview_count", n="3") in words(test)
    assert not own_store.exists()
    test.button(key="import_go").click().run()
    assert not test.exception
    assert "Read 4 = stored 3 + known already 0 + rejected 1 + empty 0" in test.success[0].value
    assert own_store.count() == 3
    test.checkbox[0].check().run()
    test.button(key="import_undo").click().run()
    assert not test.exception
    assert own_store.count() == 0


def test_what_cannot_be_read_changes_nothing(own_store):
    test = open_page("import")
    test.text_area[0].set_value("zomaar wat woorden").run()
    assert not test.exception
    assert Texts("nl")("import.rejects", n=1) in words(test)
    assert not own_store.exists()


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("nl", "het blad noemt spelers en geen plaatsen: wie waar zit is aangenomen "
               "(en nog zo: in totaal 2 keer)"),
        ("en", "the sheet names players and no seats: the seats are assumed "
               "(and more such: 2 in all)"),
    ],
)  # fmt: skip
def test_what_is_odd_in_a_sheet_is_told_in_the_language_of_the_page(own_store, lang, said):
    test = open_page("import", lang)
    sheet = "Speler;Maat;Bod;Gehaald\nAnna;Cor;150;ja\nBas;;misère;nee\n"
    test.text_area[0].set_value(sheet).run()
    name = Texts(lang)("import.pasted_name")
    told = Texts(lang)("import.warning", what=f"{name}:2: {said}")
    assert words(test).splitlines().count(told) == 1
    test.button(key="import_go").click().run()
    assert not test.exception
    assert words(test).splitlines().count(told) == 1


def test_an_import_elsewhere_shows_at_the_next_look(own_store, tmp_path):
    file = tmp_path / "one.phl"
    file.write_text(LINES[0] + "\n")
    import_paths(own_store, [file])
    test = open_page("hands")
    assert "**1** spellen" in words(test)
    file.write_text("\n".join(LINES[:5]) + "\n")
    import_paths(own_store, [file])
    assert "**5** spellen" in words(test.run())


def addresses() -> None:
    """Runs as a Streamlit script: where every page can be reached."""
    import streamlit as st

    from pandoeren_replay.ui import navigation, session

    for page in navigation.pages(session.texts()):
        st.text(f"/{page.url_path}")


def test_every_page_has_its_name_for_an_address_the_first_one_too(pages):
    found = [t.value for t in AppTest.from_function(addresses, default_timeout=TIMEOUT).run().text]
    assert sorted(found) == sorted(["/", *(f"/{name}" for name in PAGES)])


def test_the_first_page_is_shown_at_its_name(pages):
    test = AppTest.from_file(str(SCRIPT), default_timeout=TIMEOUT)
    test.session_state["language"] = "nl"
    assert [h.value for h in test.run().header] == [Texts("nl")("evening.title")]
    test._page_hash = calc_hash("evening")  # the alias: the default page is the hash of ""
    assert [h.value for h in test.run().header] == [Texts("nl")("evening.title")]
    assert not test.exception


def test_an_import_of_what_was_known_says_so(own_store, monkeypatch):
    shown = {}

    def table(columns, rows, *rest, key, **more):
        shown[key] = [[c.label for c in columns], *([c.text for c in r.cells] for r in rows)]

    monkeypatch.setattr("pandoeren_replay.ui.pages.import_.table", table)
    import_paths(own_store, [LogFile("one.phl", "\n".join(LINES[:3]).encode())])
    import_paths(own_store, [LogFile("again.phl", "\n".join(LINES[:3]).encode())])
    assert not open_page("import").exception
    head, second, first = shown["imports"]
    assert head[1:] == ["Bestanden", "Opgeslagen", "Al bekend", "Niet te lezen"]
    assert (first[1:], second[1:]) == (["one.phl", "3", "", ""], ["again.phl", "0", "3", ""])


def test_below_nought_the_evening_has_the_sign_of_its_chart(pages, monkeypatch):
    shown = {}

    def table(columns, rows, *rest, key, **more):
        shown[key] = [[c.text for c in r.cells] for r in rows]

    monkeypatch.setattr("pandoeren_replay.ui.pages.evening.table", table)
    assert not open_page("evening").exception
    totals = [row[2] for row in shown["standings"]]
    assert any(t.startswith("−") for t in totals)  # somebody lost
    assert not any("-" in t for t in totals)


def test_the_password_is_asked_for(pages, monkeypatch):
    monkeypatch.setenv(PASSWORD_VARIABLE, "kijkkaart")
    test = AppTest.from_file(str(SCRIPT), default_timeout=TIMEOUT).run()
    assert len(test.text_input) == 1
    assert not test.header
    test.text_input[0].set_value("fout")
    test.button[0].click().run()
    assert test.error
    test.text_input[0].set_value("kijkkaart")
    test.button[0].click().run()
    assert test.header


def test_a_damaged_store_is_one_sentence(tmp_path, monkeypatch):
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "CURRENT").write_text("hands-000001.duckdb\n")
    (folder / "hands-000001.duckdb").write_bytes(b"no database")
    monkeypatch.setenv(STORE_VARIABLE, str(folder))
    test = AppTest.from_file(str(SCRIPT), default_timeout=TIMEOUT).run()
    assert not test.exception
    assert len(test.error) == 1


@pytest.mark.parametrize("gone", ["part", "file"])
def test_a_store_that_goes_while_a_hand_is_looked_at_is_told(
    own_store, tmp_path, monkeypatch, gone
):
    monkeypatch.setattr(parts, "FROM_BYTES", 1)
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1)  # in columns, as a large file
    file = tmp_path / "some.phl"
    file.write_text("\n".join(LINES[:6]) + "\n")
    import_paths(own_store, [file])
    key = str(own_store.hands("plays=32", limit=1)["hash"][0])
    test = AppTest.from_file(str(SCRIPT), default_timeout=TIMEOUT)
    test.session_state["language"] = "nl"
    test.run()  # the connection is open from here on
    if gone == "part":
        lost = sorted((own_store.path / "parts").iterdir())[0]
        told = f"a part of the store is gone: put back {lost} as it was, from a copy of the store"
    else:
        lost = own_store.file()
        told = f"the store {own_store.path} points to {lost.name}, which is not there"
    lost.unlink()
    test._page_hash = calc_hash("replay")
    test.query_params["hand"] = key
    test.run()
    assert not test.exception
    assert [e.value for e in test.error] == [Texts("nl")("app.store_failed")]
    assert told in [t.value for t in test.text]


def test_what_stands_out_of_a_player_is_said_with_its_range(own_store, tmp_path):
    # South revokes in this hand and in no other way; 40 copies of it on 40 days.
    revoke = next(x for x in LINES if "id=corrupt-0006" in x).split("id=")[0]
    copies = [
        f"{revoke}n=Anna;e=Bas;s=Cor;w=Dirk;date=2026-{m:02}-{d:02}"
        for m in (1, 2)
        for d in range(1, 21)
    ]
    told = tmp_path / "revokes.phl"
    told.write_text("\n".join(copies) + "\n", "utf-8")
    assert import_paths(own_store, [told]).stored == 40
    seen = words(open_page("players", name="Cor"))
    # 40 of 40: Wilson's lower bound is 1 / (1 + 1.96² / 40) = 91%.
    assert "Zwak: spellen met een overtreding (100 %, tussen 91 % en 100 %; de anderen 0 %)" in seen
    other = words(open_page("players", name="Anna"))
    assert "Zwak: spellen met een overtreding" not in other


def test_the_table_of_contracts_stands_beside_a_hand_and_can_be_stopped(pages):
    text = Texts("nl")
    key = str(pages.hands("plays=32 and rules=heerlen", limit=1)["hash"][0])
    test = open_page("replay", hand=key)
    assert text("solve.what") not in words(test)
    test.toggle(key="replay_contracts").set_value(True).run()
    assert not test.exception
    assert text("solve.what") in words(test)
    stop = [b for b in test.button if b.key == "solve_stop"]
    for button in stop:  # unless the whole table is there by now
        button.click().run()
        assert not test.exception
    test.toggle(key="replay_contracts").set_value(False).run()
    assert text("solve.what") not in words(test)


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("Europe/Amsterdam", "28-11-2026 21:05"), ("America/New_York", "28-11-2026 15:05")],
)
def test_moments_are_told_by_the_viewers_own_clock(monkeypatch, zone, shown):
    monkeypatch.setattr(type(st.context), "timezone", zone)
    assert session.clock(dt.datetime(2026, 11, 28, 20, 5, 59), Texts("nl")) == shown


@pytest.mark.parametrize("zone", [None, "Mars/Olympus", "../etc"])
def test_a_browser_that_names_no_known_zone_gets_our_clock(monkeypatch, zone):
    monkeypatch.setattr(type(st.context), "timezone", zone)
    moment = dt.datetime(2026, 11, 28, 20, 5)
    here = moment.replace(tzinfo=dt.UTC).astimezone()
    assert session.clock(moment, Texts("en")) == f"{here:%Y-%m-%d %H:%M}"


def test_a_player_of_whom_some_hands_are_simulated_is_said_to_be(own_store, tmp_path):
    played = next(x for x in LINES if ";n=Anna;" in x)
    simulated = next(x for x in LINES if ";n=Anna;" in x and x != played) + ";src=simulated"
    file = tmp_path / "evening.phl"
    file.write_text(f"{played}\n{simulated}\n", "utf-8")
    assert import_paths(own_store, [file]).stored == 2
    (anna,) = own_store.rows("SELECT * FROM players WHERE name = 'Anna'")
    assert (anna["hands"], anna["simulated_hands"], anna["simulated"]) == (2, 1, False)
    page = words(open_page("players", "nl", name="Anna"))
    assert Texts("nl")("hands.simulated_notice", n="1", of="2") in page
