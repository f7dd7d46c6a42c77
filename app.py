"""Entry point of ``streamlit run app.py``: hands over to the pages of the dashboard."""

from pandoeren_replay.ui.server import application

app = application()
