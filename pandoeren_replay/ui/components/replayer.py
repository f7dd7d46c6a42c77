"""The replayer: gets a whole hand once and steps through it in the browser."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st

from pandoeren_replay.ui.components import source

SCRIPTS = (
    "1_dom.js",
    "2_table.js",
    "3_panels.js",
    "4_verdicts.js",
    "5_choosing.js",
    "6_notes.js",
    "7_sharing.js",
    "9_replayer.js",
)


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "pandoeren_replayer",
        html='<div class="mount"></div>',
        css=source("replayer.css"),
        js=source(*SCRIPTS),
    )


def replayer(
    payload: dict[str, Any],
    *,
    key: str,
    on_other: Callable[[], None],
    on_do: Callable[[], None],
) -> Any:
    """Shows a hand (see :func:`pandoeren_replay.ui.payload.hand_payload`).

    The result's ``ply`` is the step the viewer rests at, ``want`` what he wants to see (verdicts,
    another line), ``goto`` the id of another hand that he asked for, ``do`` something to write;
    ``on_other`` and ``on_do`` are called when he asks. ``poll`` asks whether the solver is done.
    """
    return _component()(
        data=payload,
        key=key,
        on_ply_change=lambda: None,
        on_want_change=lambda: None,
        on_poll_change=lambda: None,
        on_goto_change=on_other,
        on_do_change=on_do,
    )
