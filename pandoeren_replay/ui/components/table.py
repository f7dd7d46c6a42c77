"""A table whose rows lead somewhere: large type, whole rows to tap, cards on a phone.

Cells are text and only text, whatever stands in them.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

import streamlit as st

from pandoeren_replay.ui.components import source
from pandoeren_replay.ui.texts import Texts


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading; ``number`` aligns right; ``lead`` stands out and heads the card.

    ``wide`` may break into lines.
    """

    label: str
    number: bool = False
    lead: bool = False
    wide: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, what it sorts by, a kind that colours it (``good bad muted badge``)."""

    text: str
    sort: float | str | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: the id that a click reports (empty: leads nowhere) and its cells."""

    id: str
    cells: Sequence[Cell] = field(default_factory=tuple)
    muted: bool = False


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "pandoeren_table",
        html='<div class="mount"></div>',
        css=source("table.css"),
        js=source("table.js"),
    )


def table(
    columns: Sequence[Column],
    rows: Sequence[Row],
    text: Texts,
    *,
    key: str,
    caption: str,
    action: str,
    sortable: bool = True,
) -> str | None:
    """Shows a table and returns the id of the row that was just chosen, else ``None``.

    ``caption`` names the table for screen readers, ``action`` what choosing a row does.
    """
    data = {
        "columns": [asdict(c) for c in columns],
        "rows": [asdict(r) for r in rows],
        "caption": caption,
        "action": action,
        "sortable": sortable,
        "sort_label": text("app.sort_by"),
        "lang": text.lang,
    }
    result = _component()(data=data, key=key, on_open_change=lambda: None)
    chosen = result.open
    ids = {r.id for r in rows if r.id}
    return chosen if chosen in ids else None
