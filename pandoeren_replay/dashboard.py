"""The script that Streamlit runs for every viewer.

It stands here and not in ``ui/`` because Streamlit would take a folder ``pages`` beside it for
pages of its own old kind, and show those to whoever opens one by its address first.
"""

from pandoeren_replay.ui.main import run

run()
