"""Entering a hand by tapping; also a deal for the solver, and a position to play out."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st

from pandoeren_replay.ui.components import source

SCRIPTS = ("1_dom.js", "tapped_hand.js", "tapped_claims.js", "tapping.js")


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "pandoeren_enter",
        html='<div class="mount"></div>',
        css=source("enter.css"),
        js=source(*SCRIPTS),
    )


def enter(data: dict[str, Any], *, key: str) -> str | None:
    """Shows the panels; the result is the finished hand as JSON text, ``None`` before that."""
    result = _component()(data=data, key=key, on_record_change=lambda: None)
    found = result.record
    return found if isinstance(found, str) and len(found) < 20_000 else None
