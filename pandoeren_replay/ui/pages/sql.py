"""SQL: one's own questions to the store, read-only and within limits."""

import datetime as dt
from decimal import Decimal
from typing import Any

import streamlit as st

from pandoeren_replay.ui import session
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.navigation import open_page
from pandoeren_replay.ui.pages.hands import empty_store
from pandoeren_replay.ui.questions import (
    EXAMPLES,
    LONGEST,
    MEMORY,
    ROWS,
    SECONDS,
    Answer,
    QuestionError,
    as_csv,
    ask,
)
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

SHOWN = 200
_IN_ADDRESS = 1500
_VIEWS = """
SELECT table_name AS name, string_agg(column_name, ', ' ORDER BY ordinal_position) AS columns
FROM information_schema.columns WHERE table_name IN (
    'hands', 'calls', 'plays', 'tricks', 'melds', 'violations', 'seats', 'players', 'sessions',
    'evaluations', 'declaration_evaluations', 'imports', 'sources', 'rejects', 'disagreements',
    'rule_sets')
GROUP BY table_name ORDER BY table_name
"""


def page() -> None:
    """Takes a query and shows its answer."""
    text = session.texts()
    source = session.source()
    st.header(text("sql.title"))
    if source.is_empty:
        empty_store(text)
        return
    st.markdown(text("sql.what", seconds=round(SECONDS), memory=MEMORY, rows=text.number(ROWS)))
    if "sql_query" not in st.session_state:
        # An address only fills the field: what somebody else wrote runs when the viewer says so.
        st.session_state["sql_query"] = st.query_params.get("q", EXAMPLES[0][1])[:LONGEST]
    st.selectbox(
        text("sql.examples"),
        range(len(EXAMPLES)),
        index=None,
        placeholder=text("sql.pick"),
        format_func=lambda i: text(f"sql.example_{EXAMPLES[i][0]}"),
        key="sql_example",
        on_change=_example,
    )
    query = st.text_area(text("sql.query"), height=170, max_chars=LONGEST, key="sql_query")
    if st.button(text("sql.run"), key="sql_run", type="primary", icon=":material/play_arrow:"):
        st.session_state["sql_asked"] = query
    asked = st.session_state.get("sql_asked")
    if asked is not None and asked == query and query.strip():
        if len(query) <= _IN_ADDRESS and st.query_params.get("q") != query:
            st.query_params.from_dict({"q": query})
        _answer(query, source, text)
    with st.expander(text("sql.views")):
        rows = source.sql(_VIEWS).to_dicts()
        columns = [Column(text("sql.c_view"), lead=True), Column(text("sql.c_columns"), wide=True)]
        table(
            columns,
            [Row("", (Cell(r["name"]), Cell(r["columns"]))) for r in rows],
            text,
            key="sql_views",
            caption=text("sql.views"),
            action="",
        )


def _example() -> None:
    picked = st.session_state.get("sql_example")
    if picked is not None:
        st.session_state["sql_query"] = EXAMPLES[picked][1]
        st.session_state["sql_asked"] = None


@st.cache_data(show_spinner=False, max_entries=8, ttl=600)
def _asked(path: str, generation: int, query: str, _source: Source) -> Answer:
    return ask(_source.store, query)


def _answer(query: str, source: Source, text: Texts) -> None:
    try:
        answer = _asked(source.path, source.generation, query, source)
    except QuestionError as e:
        st.error(text(f"sql.error_{e.key}"), icon=":material/error:")
        if str(e):
            st.code(str(e), language=None)
        return
    if not answer.rows:
        st.info(text("sql.nothing"), icon=":material/search_off:")
        return
    n = text.number(len(answer.rows))
    st.text(text("sql.cut" if answer.cut else "sql.count", n=n))
    st.download_button(
        text("sql.download"),
        as_csv(answer, text.lang),
        file_name="pandoeren.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    numbers = [_is_number([r[i] for r in answer.rows]) for i in range(len(answer.columns))]
    columns = [
        Column(name or "–", number=number, lead=i == 0, wide=not number)
        for i, (name, number) in enumerate(zip(answer.columns, numbers))
    ]
    at = answer.columns.index("hash") if "hash" in answer.columns else -1
    rows = []
    for r in answer.rows[:SHOWN]:
        key = str(r[at]) if at >= 0 and r[at] is not None else ""
        rows.append(Row(key, tuple(_cell(v, text) for v in r)))
    if len(answer.rows) > SHOWN:
        st.text(text("sql.first", n=SHOWN))
    chosen = table(
        columns, rows, text, key="sql_answer", caption=text("sql.title"), action=text("hands.open")
    )
    if chosen is not None:
        open_page("replay", text, {"hand": chosen})


def _is_number(values: list[Any]) -> bool:
    known = [v for v in values if v is not None]
    return bool(known) and all(
        isinstance(v, (int, float, Decimal)) and not isinstance(v, bool) for v in known
    )


def _cell(value: Any, text: Texts) -> Cell:
    if value is None:
        return Cell("")
    if isinstance(value, bool):
        return Cell(text("rules.yes" if value else "rules.no"))
    if isinstance(value, int):
        return Cell(text.number(value), value)
    if isinstance(value, (float, Decimal)):
        return Cell(text.number(float(value), 0 if float(value).is_integer() else 2), float(value))
    if isinstance(value, (dt.date, dt.datetime)):
        return Cell(text.date(value.isoformat()[:16]), value.isoformat())
    shown = str(value)
    return Cell(shown if len(shown) <= 300 else shown[:299] + "…")
