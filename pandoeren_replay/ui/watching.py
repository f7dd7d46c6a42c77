"""An import elsewhere shows by itself: pages that list and count look for a new generation."""

import streamlit as st

from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.ui import session

SECONDS = 3.0
_SEEN = "generation_seen"

# Pages that only show what is in the store. The others hold something of the viewer's own, which
# must not move under his hands; they see new hands at his next step.
WATCHED = frozenset({"", "evening", "hands", "contracts", "bidding", "players", "partners"})


def watch(address: str) -> None:
    """Draws the page anew when the store has changed since; nothing else of it moves."""
    if address not in WATCHED:
        return
    st.session_state[_SEEN] = _generation()
    _look()


@st.fragment(run_every=SECONDS)
def _look() -> None:
    if _generation() != st.session_state.get(_SEEN):
        st.rerun()


def _generation() -> int:
    """The store's generation; one that cannot be read now is no reason to draw anything."""
    try:
        return session.source().generation
    except StoreError:
        return -1
