"""Rules: a readable page for each rule set, and the differences between two."""

import streamlit as st

from engine.rulefile import BUILTIN_IDS, DEFAULT_ID
from engine.ruleset import RuleSet
from pandoeren_replay.rules_page import rules_page
from pandoeren_replay.rules_text import difference
from pandoeren_replay.ui import session
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.texts import Texts


def page() -> None:
    """Shows a rule set, alone or against another."""
    text = session.texts()
    source = session.source()
    st.header(text("rules.title"))
    ids = list(dict.fromkeys([*BUILTIN_IDS, *source.choices().rules]))
    sets = {i: found for i in ids if (found := source.rules(i)) is not None}
    asked = st.query_params.get("rules")
    names = list(sets)

    def label(i: str) -> str:
        return text.of(sets[i].name)

    one, two = st.columns(2)
    with one:
        chosen = st.selectbox(
            text("rules.pick"),
            names,
            index=names.index(asked if asked in names else DEFAULT_ID),
            format_func=label,
        )
    with two:
        other = st.selectbox(
            text("rules.compare"),
            ["", *(n for n in names if n != chosen)],
            format_func=lambda i: label(i) if i else text("rules.nothing"),
        )
    if other:
        _compare(sets[chosen], sets[other], text)
    else:
        # The page escapes what a rule-set file says, so that it stays text.
        st.markdown(rules_page(sets[chosen], text.lang))


def _compare(one: RuleSet, other: RuleSet, text: Texts) -> None:
    rows = difference(one, other)
    if not rows:
        st.success(text("rules.same"), icon=":material/check:")
        return
    columns = [
        Column(text("rules.c_key"), lead=True),
        Column(text.of(one.name), wide=True),
        Column(text.of(other.name), wide=True),
    ]
    shown = [
        Row("", (Cell(key), Cell(_words(a, text)), Cell(_words(b, text)))) for key, a, b in rows
    ]
    table(
        columns,
        shown,
        text,
        key="rules_difference",
        caption=text("rules.compare"),
        action="",
    )


def _words(value: object, text: Texts) -> str:
    if value is None:
        return text("rules.absent")
    if isinstance(value, bool):
        return text("rules.yes" if value else "rules.no")
    if isinstance(value, (list, tuple)):
        return ", ".join(str(v) for v in value)
    return str(value)
