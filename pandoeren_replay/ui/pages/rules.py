"""Rules: a readable page for each rule set, the differences between two, rules of one's own."""

from collections.abc import Sequence

import streamlit as st

from engine.rulefile import BUILTIN_IDS, DEFAULT_ID, RuleSetError, load_ruleset
from engine.ruleset import RuleSet
from pandoeren_replay.rules_page import rules_page
from pandoeren_replay.rules_text import difference
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.ui import session
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.own_rules import drop, keep, own_files, read
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts


def page() -> None:
    """Shows a rule set, alone or against another."""
    text = session.texts()
    source = session.source()
    st.header(text("rules.title"))
    if st.session_state.pop("rules_kept", None):
        st.success(text("rules.own_kept"), icon=":material/check_circle:")
    own = own_files(source.store)
    ids = list(dict.fromkeys([*BUILTIN_IDS, *own, *source.choices().rules]))
    # A file of one's own stands for itself, even where hands were read by an earlier state of it.
    sets = {i: load_ruleset(path) for i, path in own.items()}
    sets = {i: found for i in ids if (found := sets.get(i) or source.rules(i)) is not None}
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
    with st.expander(text("rules.own")):
        _own(list(own), source, text)
    if other:
        _compare(sets[chosen], sets[other], text)
    else:
        # The page escapes what a rule-set file says, so that it stays text.
        with st.container(key="rules_page"):
            st.markdown(rules_page(sets[chosen], text.lang))


def _own(own: Sequence[str], source: Source, text: Texts) -> None:
    """Takes a rule-set file in, shows what is wrong with one, takes one away."""
    st.markdown(text("rules.own_what"))
    sent = st.file_uploader(text("rules.own_file"), type="toml", key=f"rules_file_{_round()}")
    if sent is not None:
        _offer(sent.name, sent.getvalue(), own, source, text)
    if own:
        gone = st.selectbox(
            text("rules.own_drop"), own, index=None, placeholder=text("rules.nothing")
        )
        if gone and st.button(
            text("rules.own_drop_go"), key="rules_drop", icon=":material/delete:"
        ):
            drop(source.store, gone)
            st.rerun()


def _round() -> int:
    return int(st.session_state.get("rules_round", 0))


def _offer(name: str, data: bytes, own: Sequence[str], source: Source, text: Texts) -> None:
    try:
        rules = read(name, data)
    except RuleSetError as e:
        st.error(text("rules.own_wrong"), icon=":material/error:")
        st.text(str(e))
        return
    st.text(text("rules.own_read", name=text.of(rules.name), id=rules.id))
    if rules.id in own:
        st.warning(text("rules.own_replaces"), icon=":material/warning:")
    if st.button(text("rules.own_keep"), key="rules_keep", type="primary", icon=":material/save:"):
        try:
            keep(source.store, name, data)
        except (RuleSetError, StoreError, OSError) as e:
            st.error(text("rules.own_failed"), icon=":material/error:")
            st.text(str(e))
            return
        st.session_state["rules_round"] = _round() + 1
        st.query_params["rules"] = rules.id
        st.session_state["rules_kept"] = rules.id
        st.rerun()


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
