"""The script that Streamlit runs for every viewer.

It stands alone in its folder: Streamlit puts that folder first on the import path, where our own
module names would hide those of the standard library, and takes a folder ``pages`` beside it for
pages of its old kind.
"""

from pandoeren_replay.ui.main import run

run()
