"""The pages in docs/rules are what the rule-set files say."""

from pathlib import Path

import pytest

from engine.rulefile import BUILTIN_IDS, load_ruleset, parse_ruleset
from pandoeren_replay.rules_page import rules_page

DOCS = Path(__file__).parent.parent / "docs" / "rules"


@pytest.mark.parametrize("rules_id", BUILTIN_IDS)
def test_pages_are_current(rules_id: str) -> None:
    rules = load_ruleset(rules_id)
    for lang, name in (("en", f"{rules_id}.md"), ("nl", f"{rules_id}.nl.md")):
        page = (DOCS / name).read_text("utf-8")
        assert page == rules_page(rules, lang), (
            "run: python -m pandoeren_replay.rules_page docs/rules"
        )  # type: ignore[arg-type]


def test_no_page_is_left_over() -> None:
    names = {f"{i}{end}" for i in BUILTIN_IDS for end in (".md", ".nl.md")}
    assert {p.name for p in DOCS.iterdir()} == names


def test_texts_of_a_users_file_are_no_markup() -> None:
    rules = parse_ruleset(
        'id = "x"\nbase = "heerlen"\n[name]\nen = "<script>[a](b)"\nnl = "*x*"\n', "x.toml"
    )
    assert "\\<script\\>\\[a\\](b)" in rules_page(rules)
    assert "# \\*x\\*" in rules_page(rules, "nl")
