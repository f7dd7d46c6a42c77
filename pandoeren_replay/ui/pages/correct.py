"""Correct: edit the text of a stored hand, judge it again, store it as a new version."""

from typing import Any

import streamlit as st

from pandoeren_replay.correct import LONGEST, CorrectionError, Draft, correct, read_draft, text_of
from pandoeren_replay.notes import Notes, NotesError
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.versions import versions
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.judgement import faults, summary
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from parsers.dutch import said


def page() -> None:
    """Shows the text of the hand that the address names, and what became of its changes."""
    text = session.texts()
    source = session.source()
    st.header(text("correct.title"))
    stored = st.session_state.pop("correct_stored", None)
    if stored is not None:
        st.success(text("correct.stored"), icon=":material/check_circle:")
        navigation.link("replay", text, text("correct.look"), {"hand": stored})
    asked = st.query_params.get("hand") or st.session_state.get("last_hand")
    key = source.find(asked) if asked else None
    if key is None:
        if asked:
            st.warning(text("replay_page.missing"), icon=":material/search_off:")
            st.text(str(asked)[:200])
        st.info(text("correct.none"), icon=":material/touch_app:")
        navigation.link("hands", text, text("replay_page.to_hands"))
        return
    if st.query_params.get("hand") != key:
        st.query_params["hand"] = key
    _edit(key, source, text)
    _versions(key, source, text)


def _edit(key: str, source: Source, text: Texts) -> None:
    store = source.store
    hand = source.number(key)
    st.markdown(text("correct.what"))
    field = f"correct_{key}"
    if field not in st.session_state:
        st.session_state[field] = text_of(store, hand)
    typed = st.text_area(text("correct.field"), height=340, max_chars=LONGEST, key=field)
    with st.container(horizontal=True):
        st.button(text("correct.check"), key="correct_check", icon=":material/rule:")
        st.button(
            text("correct.reset"), key="correct_reset", icon=":material/undo:",
            on_click=_forget, args=(field,),
        )  # fmt: skip
        navigation.link("replay", text, text("correct.look"), {"hand": key})
    draft = _read(hand, typed, source, text)
    if draft is None:
        return
    summary(draft.played, text, "correct")
    if typed != text_of(store, hand):
        st.text(text("correct.changed"))
        if st.button(text("correct.save"), key="correct_save", type="primary"):
            _save(hand, key, typed, source, text)
    faults(draft.played, text, "correct")


def _forget(field: str) -> None:
    st.session_state.pop(field, None)


def _read(hand: int, typed: str, source: Source, text: Texts) -> Draft | None:
    try:
        return read_draft(source.store, hand, typed)
    except CorrectionError as e:
        _refused(e, text)
        return None


def _refused(error: CorrectionError, text: Texts) -> None:
    reject = error.reject
    if error.code == "unreadable" and reject is not None:
        st.error(
            text("correct.error_place", line=reject.line, column=reject.column),
            icon=":material/error:",
        )
    else:
        st.error(text(f"correct.error_{error.code}"), icon=":material/error:")
    if error.code in ("unreadable", "rules"):
        st.text(said(reject.message if reject is not None else str(error), text.lang))


def _save(hand: int, key: str, typed: str, source: Source, text: Texts) -> None:
    store = source.store
    try:
        number = correct(store, hand, typed)
    except CorrectionError as e:
        _refused(e, text)
        return
    except StoreError as e:
        st.error(text("correct.failed"), icon=":material/error:")
        st.text(str(e))
        return
    new = f"{int(store.row(number)['hash']):016x}"
    try:
        Notes(store.path).follow(key, new)
    except NotesError as e:
        st.session_state["correct_notes"] = str(e)
    st.session_state["correct_stored"] = new
    st.session_state["last_hand"] = new
    st.query_params["hand"] = new
    st.rerun()


def _versions(key: str, source: Source, text: Texts) -> None:
    if problem := st.session_state.pop("correct_notes", None):
        st.warning(text("correct.notes_left"), icon=":material/warning:")
        st.text(problem)
    kept: list[dict[str, Any]] = versions(source.store, source.store.find(key))
    if not kept:
        return
    st.subheader(text("correct.versions"))
    for v in kept:
        when = session.clock(v["replaced_at"], text)
        with st.expander(text("correct.version", n=v["version"], when=when)):
            st.code(v["text"], language=None, wrap_lines=True)
            st.button(
                text("correct.take"), key=f"correct_take_{v['hand_id']}",
                on_click=_take, args=(f"correct_{key}", source.path, v["hand_id"]),
            )  # fmt: skip


def _take(field: str, path: str, version: int) -> None:
    """Puts an old version in the field; it counts only once it is stored."""
    st.session_state[field] = version_text(Source(path), version)


def version_text(source: Source, version: int) -> str:
    """The text of an old version as it can be edited."""
    from pandoeren_replay.export import named
    from pandoeren_replay.store.decode import decode
    from parsers.phn import write_phn

    row = source.store.rows("SELECT * FROM hand_version WHERE hand_id = ?", [version])[0]
    return write_phn(named(decode(row), row["rules"], row["rules_hash"]))
