"""What belongs to one viewer: language, the store he looks at, the list he came from."""

import datetime as dt
import hmac
import os
from collections.abc import Sequence
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from engine.violations import Language
from pandoeren_replay.ui.server import PASSWORD_VARIABLE, STORE_VARIABLE
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts, language

_LIST = "hands_in_list"


def current_language() -> Language:
    """The viewer's language: what he chose, else the address, else his browser, else English."""
    chosen = st.session_state.get("language")
    asked = language(st.query_params.get("lang"))
    found: Language = language(chosen) or asked or language(st.context.locale) or "en"
    st.session_state["language"] = found
    return found


def texts() -> Texts:
    """The texts in the viewer's language."""
    return Texts(current_language())


def source() -> Source:
    """The store of this dashboard, at its newest generation."""
    return Source(os.environ.get(STORE_VARIABLE) or None)


def clock(moment: dt.datetime, text: Texts) -> str:
    """A moment that the store keeps (UTC) as the viewer's clock showed it: date and time."""
    try:
        zone = ZoneInfo(st.context.timezone or "")
    except (ValueError, ZoneInfoNotFoundError):
        zone = None  # a browser that does not say, or says what we do not know: our own clock
    local = moment.replace(tzinfo=dt.UTC).astimezone(zone)
    return text.date(f"{local:%Y-%m-%d %H:%M}")


def keep_list(hashes: Sequence[str]) -> None:
    """Remembers the hands of the list that a hand is opened from."""
    st.session_state[_LIST] = tuple(hashes)


def neighbours(key: str) -> tuple[str | None, str | None]:
    """Previous and next hand of the list that a hand was opened from."""
    hashes: tuple[str, ...] = st.session_state.get(_LIST, ())
    if key not in hashes:
        return None, None
    i = hashes.index(key)
    return (hashes[i - 1] if i else None), (hashes[i + 1] if i + 1 < len(hashes) else None)


def allowed() -> bool:
    """Whether the viewer may see the pages: no password is set, or he gave the right one."""
    secret = os.environ.get(PASSWORD_VARIABLE)
    if not secret or st.session_state.get("password_given"):
        return True
    text = texts()
    with st.form("password"):
        given = st.text_input(text("app.password"), type="password")
        sent = st.form_submit_button(text("app.enter"), type="primary")
    if sent:
        if hmac.compare_digest(given.encode(), secret.encode()):
            st.session_state["password_given"] = True
            st.rerun()
        st.error(text("app.password_wrong"))
    return False
