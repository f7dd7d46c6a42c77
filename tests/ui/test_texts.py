"""Both languages say the same things, and no page says anything of its own."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from pandoeren_replay.ui.texts import LANGUAGES, Texts, catalogue

UI = Path(__file__).parents[2] / "pandoeren_replay" / "ui"
MODULES = sorted([*UI.glob("*.py"), *UI.glob("pages/*.py"), *UI.glob("components/*.py")])
SAYING = {
    "button", "caption", "checkbox", "error", "expander", "file_uploader", "form_submit_button",
    "header", "info", "link", "markdown", "metric", "page_link", "progress", "selectbox",
    "subheader", "success", "text", "text_area", "text_input", "title", "toast", "warning",
    "Cell", "Column",
}  # fmt: skip


def flat(value: object, key: str = "") -> dict[str, object]:
    if isinstance(value, dict):
        return {k: v for n, part in value.items() for k, v in flat(part, f"{key}.{n}").items()}
    if isinstance(value, list):
        return {k: v for n, part in enumerate(value) for k, v in flat(part, f"{key}.{n}").items()}
    return {key: value}


def fields(text: object) -> set[str]:
    # Plotly's own %{…} marks are the same in both languages and none of ours.
    plain = re.sub(r"%\{[^}]*\}", "", str(text))
    return {name for _, name, _, _ in Formatter().parse(plain) if name}


def test_both_languages_have_the_same_keys_and_places_to_fill():
    nl, en = (flat(catalogue(lang)) for lang in LANGUAGES)
    assert nl.keys() == en.keys()
    assert {k for k in nl if fields(nl[k]) != fields(en[k])} == set()
    assert [k for d in (nl, en) for k, v in d.items() if not str(v)] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.name)
def test_no_page_has_a_text_of_its_own(path):
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        # What goes to the log is for the one who runs the program, in English.
        logged = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "log"
        if name not in SAYING or logged:
            continue
        given = [*node.args[:1], *(k.value for k in node.keywords if k.arg in ("help", "label"))]
        for argument in given:
            parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            found += [
                p.value
                for p in parts
                if isinstance(p, ast.Constant) and isinstance(p.value, str)
                if re.search(r"[A-Za-z]{2}", p.value) and " " in p.value.strip()
            ]
    assert found == []


@pytest.mark.parametrize("path", sorted(UI.glob("components/*.js")), ids=lambda p: p.name)
def test_no_script_has_a_text_of_its_own(path):
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)
    literals = re.findall(r'"([^"\n]*)"', code)
    assert [s for s in literals if re.search(r"\b[A-Z][a-z]+ [a-z]+ ", s)] == []
    assert "innerHTML" not in code
    assert "insertAdjacentHTML" not in code
    wanted = set(re.findall(r"\btext\.(\w+)", code)) - {"replace", "length", "trim", "slice"}
    assert wanted - set(catalogue("nl")["replay"]) == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.name)
def test_every_key_that_a_page_names_is_there(path):
    sections = "|".join(catalogue("nl"))
    named = re.findall(rf'"((?:{sections})\.[a-z_]+)"', path.read_text("utf-8"))
    text = Texts("nl")
    for key in named:
        assert text.raw(key)


def test_no_html_from_data():
    for path in MODULES:
        assert "unsafe_allow_html" not in path.read_text("utf-8")


def test_numbers_and_dates():
    nl, en = Texts("nl"), Texts("en")
    assert nl.number(1234567) == "1.234.567"
    assert en.number(1234567) == "1,234,567"
    assert nl.percent(0.5) == "50 %"
    assert nl.date("2026-11-28T20:15") == "28-11-2026 20:15"
    assert en.date("2026-11-28") == "2026-11-28"
    assert nl.date("<b>") == "<b>"
