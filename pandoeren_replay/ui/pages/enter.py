"""Enter: a hand that was played at the table, tapped in on a phone; or a line of a score sheet."""

import datetime as dt
import json
from typing import Any

import streamlit as st

from engine.replay import replay
from engine.rulefile import DEFAULT_ID
from engine.ruleset import RuleSet
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.enter import enter
from pandoeren_replay.ui.entering import EntryError, record_of, rule_tables
from pandoeren_replay.ui.judgement import faults, summary
from pandoeren_replay.ui.own_rules import rule_choices
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from parsers.base import Options
from parsers.base import Source as LogFile
from parsers.phl import write_phl

_KEY = "enter"
_DONE = "entered_drafts"
_LAST = "entered_last"
_NAMES = 300


def page() -> None:
    """Shows the panels, judges what was entered and stores it."""
    st.header(session.texts()("entry.title"))
    _enter()


@st.fragment
def _enter() -> None:
    text = session.texts()
    source = session.source()
    choices = rule_choices(source.store)
    sent = enter(entry_data("enter", text, source, choices), key=_KEY)
    hand = _read(sent, choices, text) if sent else None
    if hand is not None:
        record, rules, draft = hand
        played = replay(record, rules)
        summary(played, text, "enter")
        if st.button(text("entry.save"), key="enter_save", type="primary", icon=":material/save:"):
            _store(write_phl(record), choices[rules.id][1], draft, source, text)
        faults(played, text, "enter")
    last = st.session_state.get(_LAST)
    if last is not None and hand is None:
        _stored(last, source, text)


def entry_data(
    kind: str, text: Texts, source: Source, choices: dict[str, tuple[RuleSet, str]]
) -> dict[str, Any]:
    """What the browser gets: tables of every rule set, words, names that are known."""
    words = text.section("entry")
    return {
        "kind": kind,
        "lang": text.lang,
        "text": {
            n: text.raw(f"replay.{n}")
            for n in ("ranks", "rank_names", "suits", "card_words", "no_trump")
        },
        "words": {k: v for k, v in words.items() if isinstance(v, str)},
        "seats": text.raw("seats.names"),
        "letters": text.raw("seats.letters"),
        "rules": {i: _tables(r.content_hash, text.lang, r) for i, (r, _) in choices.items()},
        "rule_names": [[i, text.of(r.name)] for i, (r, _) in choices.items()],
        "first_rules": _usual(source, choices),
        "players": [p["name"] for p in source.players()[:_NAMES] if not p["simulated"]],
        "today": text.date(dt.date.today().isoformat()),
        "date_hint": text("hands.date_hint"),
        "done": list(st.session_state.get(_DONE, ())),
    }


@st.cache_data(show_spinner=False, max_entries=200)
def _tables(content_hash: str, lang: str, _rules: RuleSet) -> dict[str, Any]:
    return rule_tables(_rules, Texts("nl" if lang == "nl" else "en"))


def _usual(source: Source, choices: dict[str, tuple[RuleSet, str]]) -> str:
    """The rules that this club's own hands were mostly played by."""
    if source.generation:
        rows = source.sql(
            "SELECT rules FROM hands WHERE NOT simulated GROUP BY rules "
            "ORDER BY count(*) DESC, rules"
        )["rules"].to_list()
        for rules_id in rows:
            if rules_id in choices:
                return str(rules_id)
    return DEFAULT_ID


def _read(sent: str, choices: dict[str, tuple[RuleSet, str]], text: Texts) -> Any:
    try:
        given = json.loads(sent)
        rules = choices[given["rules"]][0]
        return record_of(given, rules), rules, given["draft"]
    except (EntryError, ValueError, KeyError, TypeError) as e:
        st.error(text("entry.unreadable"), icon=":material/error:")
        st.text(str(e)[:200])
        return None


def _store(line: str, rules: str, draft: str, source: Source, text: Texts) -> None:
    file = LogFile(text("entry.source"), f"{line}\n".encode())
    try:
        totals = source.store.import_([file], Options(rules=rules), "phl")
    except StoreError as e:
        st.error(text("entry.failed"), icon=":material/error:")
        st.text(str(e))
        return
    if totals.rejects:
        st.error(text("entry.failed"), icon=":material/error:")
        st.text(str(totals.rejects[0]))
        return
    st.session_state[_DONE] = [*st.session_state.get(_DONE, ()), draft][-50:]
    st.session_state[_LAST] = {"draft": draft, "new": totals.stored > 0}
    st.rerun(scope="fragment")


def _stored(last: dict[str, Any], source: Source, text: Texts) -> None:
    words = text("entry.stored" if last["new"] else "entry.stored_before")
    st.success(words, icon=":material/check_circle:")
    key = source.find(f"entered-{last['draft']}")
    if key is not None:
        navigation.link("replay", text, text("entry.look"), {"hand": key})
