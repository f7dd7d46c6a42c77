"""Merged hands and what two sources say differently: on the import page and with the hand."""

import pytest

from pandoeren_replay.disagreeing import Part, parts
from pandoeren_replay.importer import import_paths
from pandoeren_replay.ui.differences import value_words
from pandoeren_replay.ui.texts import Texts
from parsers.base import Source
from tests.store.test_merging import evening, sheet, text
from tests.ui.test_pages import open_page, words


def test_points_of_two_texts():
    assert parts("made;pts=132-14;score=N+1,E0,S+1,W0", "lost;pts=132-14") == [
        Part("outcome", "made", "lost"),
        Part("score", "N+1,E0,S+1,W0", ""),
    ]
    assert parts("outcome=made;trump=H", "outcome=made;trump=-") == [Part("trump", "H", "-")]
    assert parts(".", ".") == parts("", "") == []


@pytest.mark.parametrize(
    ("what", "value", "nl", "en"),
    [
        ("outcome", "lost", "verloren", "lost"),
        ("outcome", "", "niets", "nothing"),
        ("partner", "E", "Oost", "East"),
        ("partner", "-", "alleen", "alone"),
        ("partner", "anna", "anna", "anna"),
        ("score", "N+1,E0,S+1,W-2", "N +1, O 0, Z +1, W −2", "N +1, E 0, S +1, W −2"),
        ("called", "SJ", "♠B", "♠J"),
        ("trump", "H", "harten", "hearts"),
        ("trump", "-", "geen", "none"),
        ("points", "132", "132", "132"),
        ("iets nieuws", "<b>x</b>", "<b>x</b>", "<b>x</b>"),
    ],
)
def test_values_in_words(what, value, nl, en):
    part = Part(what, value, "x")
    assert value_words(part, value, Texts("nl")) == nl
    assert value_words(part, value, Texts("en")) == en


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_the_secretary_and_the_server(own_store, monkeypatch, lang):
    """The server's dump is known; the sheet pasted beside it says otherwise of its third hand."""
    from pandoeren_replay.ui import differences as module

    shown = []
    monkeypatch.setattr(module, "table", lambda columns, rows, *a, **k: shown.append(rows))
    hands = evening()
    import_paths(own_store, [Source("server.phl", text(hands).encode())])
    test = open_page("import", lang)
    test.text_area[0].set_value(sheet(hands, 2)).run()
    test.button(key="import_go").click().run()
    assert not test.exception
    t = Texts(lang)
    assert t("import.merged", n="8") in words(test)
    assert t("differences.title", n="1") in words(test)
    [row, *_] = shown[-1]
    third = own_store.rows("SELECT hand_id, made FROM hands ORDER BY hand_id")[2]
    assert row.id == str(third["hand_id"])
    cells = [c.text for c in row.cells]
    kept, other = (t(f"differences.{x}") for x in (("made", "lost")[:: 1 if third["made"] else -1]))
    assert cells[1:4] == [t("differences.outcome"), kept, other]
    # The sheet has a head: its third hand is in its fourth line.
    assert cells[4] == f"{t('import.pasted_name')}:4"
    # The hand itself says so too, and another one of the evening does not.
    shown.clear()
    page = open_page("replay", lang, hand=str(third["hand_id"]))
    assert not page.exception
    assert t("differences.title", n="1") in words(page)
    assert [c.text for c in shown[-1][0].cells][:3] == [t("differences.outcome"), kept, other]
    other_page = open_page("replay", lang, hand="1")
    assert t("differences.title", n="1") not in words(other_page)
