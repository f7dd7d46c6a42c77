"""Streamlit's own words in the viewer's language, and the language of the page for its reader."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st

from pandoeren_replay.ui.components import source
from pandoeren_replay.ui.texts import LANGUAGES, Texts

ORIGINAL = {
    "upload": "Upload",
    "per_file": "{n} per file",
    "remove": "Remove {n}",
    "add_files": "Add files",
    "field": "file upload",
    "apply": "Press Enter to apply",
    "apply_long": "Press Ctrl+Enter to apply",
    "apply_mac": "Press ⌘+Enter to apply",
    "submit": "Press Enter to submit form",
    "no_results": "No results",
    "clear": "Clear value",
    "dismiss": "Dismiss",
    "close": "Close",
    "pages": "Pagination",
    "page": "Page {n}",
    "previous": "Previous page",
    "next": "Next page",
    "show_password": "Show password",
    "hide_password": "Hide password",
    "to_heading": "Link to heading",
    "copy": "Copy to clipboard",
    "no_connection": "Connection error",
    "no_answer": "Streamlit server is not responding. Are you connected to the internet?",
    "no_answer_here": (
        "Is Streamlit still running? If you accidentally stopped Streamlit, just restart it in "
        "your terminal:"
    ),
    "no_page": "Page not found",
    "no_page_here": (
        "The page that you have requested does not seem to exist. Running the app's main page."
    ),
    "skip": "Skip to main content",
}
"""What Streamlit says, by the key of what we say instead (section ``streamlit``)."""


def replacements(text: Texts) -> dict[str, Any]:
    """What becomes of which words: whole ones, and patterns with a part that stays.

    Words of the other language are among them, for a viewer who changes his.

    >>> found = replacements(Texts("nl"))
    >>> found["words"]["Next page"]
    'Volgende bladzijde'
    >>> [ours for pattern, ours in found["patterns"] if re.match(pattern, "Page 12")]
    ['Bladzijde {n}']
    """
    words, patterns = {}, []
    others = [Texts(lang) for lang in LANGUAGES if lang != text.lang]
    for key, original in ORIGINAL.items():
        ours = text(f"streamlit.{key}")
        for said in dict.fromkeys([original, *(other(f"streamlit.{key}") for other in others)]):
            if "{n}" in said:
                before, after = said.split("{n}")
                patterns.append((f"^{re.escape(before)}(.+){re.escape(after)}$", ours))
            else:
                words[said] = ours
    return {"lang": text.lang, "words": words, "patterns": patterns}


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    return st.components.v2.component("pandoeren_words", html="<i></i>", js=source("words.js"))


def own_words(text: Texts) -> None:
    """Puts Streamlit's words into the viewer's language, on the page that is shown."""
    with st.container(key="words"):
        _component()(data=replacements(text), key="own_words")


__all__ = ["ORIGINAL", "own_words", "replacements"]
