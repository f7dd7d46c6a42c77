"""The field that takes files in, in the viewer's language: Streamlit's own speaks English."""

import json
from typing import Any

import streamlit as st

from pandoeren_replay.ui.texts import Texts

_STYLE = """
[data-testid="stFileUploaderDropzone"] > button [data-testid="stMarkdownContainer"],
[data-testid="stFileUploaderDropzone"] > span > button [data-testid="stMarkdownContainer"] {{
  font-size: 0;
}}
[data-testid="stFileUploaderDropzone"] > button [data-testid="stMarkdownContainer"]::after,
[data-testid="stFileUploaderDropzone"] > span > button [data-testid="stMarkdownContainer"]::after {{
  content: {choose}; font-size: 1rem;
}}
[data-testid="stFileUploaderDropzoneInstructions"] span {{ display: none; }}
[data-testid="stFileUploaderDropzoneInstructions"]::after {{ content: {drop}; }}
"""


def uploader(label: str, text: Texts, **options: Any) -> Any:
    """A file uploader whose words are ours."""
    # Our own texts and nothing else: no data ever stands in a style.
    words = {k: json.dumps(text(f"upload.{k}"), ensure_ascii=False) for k in ("choose", "drop")}
    st.html(f"<style>{_STYLE.format(**words)}</style>")
    return st.file_uploader(label, **options)
