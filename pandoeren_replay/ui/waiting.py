"""What a page says while an answer is worked out that needs a look at very many hands."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import streamlit as st

from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts


def waiting(source: Source, text: Texts) -> AbstractContextManager[Any]:
    """Says so in the place where the answer will stand, in a store that is large; what is answered
    at once is not preceded by it.
    """
    if not source.is_large:
        return nullcontext()
    return st.spinner(text("waiting.hands", n=text.number(source.count())))
