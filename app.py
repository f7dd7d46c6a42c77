"""Entry point of ``streamlit run app.py``: hands over to the pages of the dashboard."""

import streamlit as st

from pandoeren_replay.ui.server import MIDDLEWARE, SCRIPT, on_script_error

app = st.App(SCRIPT, middleware=MIDDLEWARE, on_script_error=on_script_error)
