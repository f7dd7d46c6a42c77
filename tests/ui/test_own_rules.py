"""Rules of one's own: kept beside the store, offered everywhere, refused with a sentence."""

import pytest

from engine.rulefile import BUILTIN_IDS, RuleSetError
from pandoeren_replay.importer import import_paths
from pandoeren_replay.ui.own_rules import MOST, drop, keep, own_files, read, rule_choices
from parsers.base import Options, Source

from .conftest import HANDS
from .test_pages import open_page, words

CLUB = b'id = "onze-club"\nbase = "heerlen"\n[name]\nen = "Ours"\nnl = "Onze **club**"\n'
LINES = [x for x in HANDS.read_text("utf-8").splitlines() if not x.startswith("#")]
HEERLEN = next(x for x in LINES if x.startswith("heerlen "))


def test_rules_are_kept_before_there_is_a_hand_and_hands_can_be_read_by_them(own_store):
    keep(own_store, "club.toml", CLUB)
    assert own_files(own_store).keys() == {"onze-club"}
    choices = rule_choices(own_store)
    assert list(choices) == [*BUILTIN_IDS, "onze-club"]
    data = Source("a.phl", f"{HEERLEN}\n".encode())
    totals = import_paths(own_store, [data], Options(rules=choices["onze-club"][1]))
    assert totals.stored == 1
    assert own_store.rows("SELECT rules FROM hands") == [{"rules": "onze-club"}]
    drop(own_store, "onze-club")
    assert own_files(own_store) == {}
    assert own_store.rule_set("onze-club").id == "onze-club"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'id = "x"\n', "missing"),
        (b"id = [\n", "not valid TOML"),
        (b"\xff\xfe", "UTF-8"),
        (b'id = "heerlen"\nbase = "heerlen"\n', "built in"),
        (b'id = "x"\nbase = "/etc/passwd"\n', "neither built in"),
        (b'id = "x"\nbase = "heerlen"\n[play]\nmust_trump = "no"\n', "must_trump"),
        (b"#" * 300_000, "too large"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_and_not_kept(own_store, data, said):
    with pytest.raises(RuleSetError, match=said):
        keep(own_store, "club.toml", data)
    assert own_files(own_store) == {}


def test_a_file_without_id_is_named_after_itself_and_not_after_its_base():
    assert read("Mijn Club.toml", b'base = "heerlen"\n').id == "mijn-club"


def test_a_damaged_file_does_not_stop_the_pages(own_store):
    keep(own_store, "club.toml", CLUB)
    (own_store.path / "rules" / "broken.toml").write_text("id = [")
    assert own_files(own_store).keys() == {"onze-club"}
    for name in ("rules", "import", "enter", "solve"):
        assert not open_page(name).exception


def test_there_is_an_end_to_how_many_are_kept(own_store, monkeypatch):
    monkeypatch.setattr("pandoeren_replay.ui.own_rules.MOST", 1)
    assert MOST > 1
    keep(own_store, "club.toml", CLUB)
    keep(own_store, "club.toml", CLUB)
    with pytest.raises(RuleSetError, match="already"):
        keep(own_store, "b.toml", CLUB.replace(b"onze-club", b"b"))


def test_the_page_shows_the_rules_of_one_s_own(own_store):
    keep(own_store, "club.toml", CLUB)
    test = open_page("rules", rules="onze-club")
    assert not test.exception
    assert test.selectbox[0].value == "onze-club"
    assert "onze" in words(test).lower()
