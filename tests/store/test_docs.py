"""The documentation names exactly what is there."""

import re
from pathlib import Path

from pandoeren_replay.filters import FIELDS
from pandoeren_replay.store import Store

DOCS = Path(__file__).parents[2] / "docs"


def ticked(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def test_every_view_and_column_is_documented(full: Store) -> None:
    documented: dict[str, set[str]] = {}
    view = ""
    for line in (DOCS / "store.md").read_text("utf-8").splitlines():
        if line.startswith("### "):
            view = ticked(line)[0] if "—" in line else ""
        elif line.startswith("| `"):
            first, second = line.strip("|").split("|")[:2]
            if view:
                documented.setdefault(view, set()).update(ticked(first))
            else:
                documented[ticked(first)[0]] = set(ticked(second))
        elif line.startswith("## "):
            view = ""
    views = full.rows(
        "SELECT view_name, list(column_name) AS columns FROM duckdb_views() v "
        "JOIN duckdb_columns() c ON c.table_name = v.view_name "
        "WHERE NOT v.internal AND v.view_name <> 'hand' GROUP BY 1"
    )
    assert documented == {v["view_name"]: set(v["columns"]) for v in views}


def test_every_filter_field_is_documented() -> None:
    text = (DOCS / "filters.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| (.+) \| (.+) \|$", text, re.M)
    assert [r[0] for r in rows] == list(FIELDS)
    assert [r[2] for r in rows] == [f.en for f in FIELDS.values()]
    assert [r[3] for r in rows] == [f.nl for f in FIELDS.values()]
