"""About: what is in the store, how hands get in, what this is."""

import streamlit as st

from pandoeren_replay import __version__
from pandoeren_replay.ui import session


def page() -> None:
    """Shows where the hands are and where they came from."""
    text = session.texts()
    source = session.source()
    st.header(text("about.title"))
    st.markdown(text("about.what"))
    st.subheader(text("about.store"))
    st.text(text("about.path", path=source.path))
    st.text(text("about.count", n=text.number(source.count())))
    st.text(text("about.version", version=__version__))
