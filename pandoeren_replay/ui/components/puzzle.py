"""A puzzle: what one seat could see at one moment, answered by choosing a card."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st

from pandoeren_replay.ui.components import source

SCRIPTS = ("1_dom.js", "puzzle.js")


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "pandoeren_puzzle",
        html='<div class="mount"></div>',
        css=source("table.css", "puzzle.css"),
        js=source(*SCRIPTS),
    )


def puzzle(data: dict[str, Any], *, key: str) -> str | None:
    """Shows a puzzle (see :func:`pandoeren_replay.ui.puzzling.puzzle_data`).

    The result is the name of the card that was just chosen, else ``None``.
    """
    result = _component()(data=data, key=key, on_answer_change=lambda: None)
    found = result.answer
    return found if isinstance(found, str) and found in data["legal"] else None
