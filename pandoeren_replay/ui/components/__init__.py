"""Parts that run in the browser: one Python module and its JavaScript and CSS each.

Inline scripts of Streamlit's components v2: no build step, no iframe, nothing from outside.
"""

from importlib.resources import files


def source(*names: str) -> str:
    """The text of files of this folder, one after the other."""
    here = files("pandoeren_replay.ui.components")
    return "\n".join((here / name).read_text("utf-8") for name in names)
