"""Replay: one hand on the table, stepped in the browser."""

import re

import streamlit as st

from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.replayer import replayer
from pandoeren_replay.ui.payload import Around

_KEY = "replayer"
_RELOAD = "replayer_other_hand"


def page() -> None:
    """Shows the hand that the address names, at the card it names."""
    text = session.texts()
    source = session.source()
    asked = st.query_params.get("hand") or st.session_state.get("last_hand")
    if not asked:
        st.info(text("replay_page.none"), icon=":material/touch_app:")
        navigation.link("hands", text, text("replay_page.to_hands"))
        return
    key = source.find(asked)
    if key is None:
        st.warning(text("replay_page.missing"), icon=":material/search_off:")
        st.text(asked[:200])
        navigation.link("hands", text, text("replay_page.to_hands"))
        return
    st.session_state["last_hand"] = key
    _table(key)


@st.fragment
def _table(key: str) -> None:
    text = session.texts()
    payload = session.source().payload(key, text.lang, Around(*session.neighbours(key)))
    payload["start"] = _start(st.query_params.get("ply", ""))
    replayer(payload, key=_KEY, on_other=_other)
    if st.session_state.pop(_RELOAD, False):
        st.rerun()


def _start(asked: str) -> str:
    """The step an address asks for; anything that is none is the first card."""
    return asked if re.fullmatch(r"a?\d{1,3}", asked) else "0"


def _other() -> None:
    wanted = st.session_state[_KEY].goto
    if wanted and session.source().find(wanted):
        st.query_params.from_dict({"hand": wanted})
        st.session_state["last_hand"] = wanted
        st.session_state[_RELOAD] = True
