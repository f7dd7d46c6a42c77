"""Foreign text for places where Streamlit reads Markdown (labels, captions, messages)."""

import re

# Everything Markdown, Streamlit's directives (:red[…], :material/…:), emoji codes and maths use.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&@/=])")


def plain(text: str) -> str:
    """A text that Markdown shows letter by letter, on one line.

    >>> plain("**Jan** :red[x]")
    '\\\\*\\\\*Jan\\\\*\\\\* \\\\:red\\\\[x\\\\]'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
