"""Hands: the list, filtered and sorted; a click opens a hand."""

from typing import Any

import polars as pl
import streamlit as st

from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.filterbar import filter_bar
from pandoeren_replay.ui.payload import player_name
from pandoeren_replay.ui.source import Source, contract_name
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.waiting import waiting

PAGE = 50
ORDERS = {
    "newest": "-hand_id",
    "oldest": "hand_id",
    "date": "-date",
    "errors": "-errors",
    "score": "-declarer_score",
    "margin": "margin",
}
SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def page() -> None:
    """Shows the list of hands."""
    text = session.texts()
    source = session.source()
    st.header(text("hands.title"))
    if source.is_empty:
        empty_store(text)
        return
    where = filter_bar(source, text).where()
    with waiting(source, text):
        count = source.count(where)
    if not count:
        st.info(text("hands.nothing"), icon=":material/filter_alt:")
        if st.button(text("hands.clear")):
            st.query_params.clear()
            st.rerun()
        return
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        st.markdown(text("hands.count", n=text.number(count)))
    with right:
        order = st.selectbox(
            text("hands.order"),
            list(ORDERS),
            key="hands_order",
            format_func=lambda o: text(f"hands.order_{o}"),
        )
    pages = -(-count // PAGE)
    number = st.pagination(pages, key="hands_page") if pages > 1 else 1
    with waiting(source, text):
        rows = source.hands(where, ORDERS[order], PAGE, (min(number, pages) - 1) * PAGE)
    hashes = rows["hash"].to_list()
    chosen = _table(rows, source, text)
    if chosen is not None:
        session.keep_list(hashes)
        navigation.open_page("replay", text, {"hand": chosen})


def empty_store(text: Texts) -> None:
    """What a newcomer sees: how hands get in."""
    st.info(text("hands.empty"), icon=":material/inbox:")
    st.code("pandoeren demo", language=None)
    navigation.link("import", text, text("hands.to_import"))


def simulated_notice(simulated: int, of: int, text: Texts) -> None:
    """Says that figures rest on hands that nobody played, if they do."""
    if simulated:
        words = text("hands.simulated_notice", n=text.number(simulated), of=text.number(of))
        st.warning(words, icon=":material/smart_toy:")


def sheet_notice(sheets: int, of: int, text: Texts) -> None:
    """Says that figures rest on score sheets, without cards, if they do."""
    if sheets:
        words = text("hands.sheet_notice", n=text.number(sheets), of=text.number(of))
        st.info(words, icon=":material/edit_note:")


def _table(rows: pl.DataFrame, source: Source, text: Texts) -> str | None:
    names = ("date", "contract", "trump", "result", "points", "score", "errors", "partner")
    numbers = ("points", "score", "errors")
    wide = ("partner", "session")
    columns = [Column(text("hands.c_declarer"), lead=True)]
    columns += [
        Column(text(f"hands.c_{n}"), number=n in numbers, wide=n in wide)
        for n in (*names, "session", "simulated")
    ]
    shown = [hand_row(r, source, text) for r in rows.iter_rows(named=True)]
    return table(
        columns,
        shown,
        text,
        key="hands_table",
        caption=text("hands.title"),
        action=text("hands.open"),
        sortable=False,
    )


def hand_row(r: dict[str, Any], source: Source, text: Texts) -> Row:
    """A hand as a row: words, dates and numbers of the viewer's language."""
    kind, result = "muted", text("hands.result_unknown")
    if r["passed_out"]:
        result = text("hands.result_passed")
    elif r["success"] is not None:
        kind = "good" if r["success"] else "bad"
        result = text("hands.result_made" if r["success"] else "hands.result_lost")
    passed = r["passed_out"]
    side, score, errors = r["points_side"], r["declarer_score"], r["errors"]
    session_words = r["session"] or ""
    if r["hand"]:
        session_words = f"{session_words} · {text('replay.hand_no', n=r['hand'])}".strip(" ·")
    return Row(
        r["hash"],
        (
            Cell(declarer_words(r, text)),
            Cell(text.date(r["date_text"] or "")),
            Cell("" if passed else contract_name(source, text, r["rules"], r["contract"])),
            Cell(trump_words(r["trump"], text)),
            Cell(result, kind=kind),
            Cell("" if side is None or passed else f"{side}–{r['points_defenders']}"),
            Cell("" if score is None or passed else text.change(score)),
            Cell(str(errors) if errors else "", kind="bad"),
            Cell("" if passed else partner_words(r, text)),
            Cell(session_words),
            Cell(text("replay.simulated") if r["simulated"] else "", kind="badge"),
        ),
    )


def declarer_words(row: dict[str, Any], text: Texts) -> str:
    """Who played the hand: a name, else a seat, else that nobody did."""
    if row["passed_out"]:
        return text("hands.result_passed")
    seat = row["declarer"]
    spot = text.seat("NESW".index(seat)) if seat else text("hands.no_declarer")
    return player_name(row["declarer_name"]) or spot


def trump_words(trump: str | None, text: Texts) -> str:
    """The trump suit with its sign and name."""
    if trump is None:
        return ""
    if trump not in SUIT_SIGNS:
        return text("replay.no_trump")
    return f"{SUIT_SIGNS[trump]} {text.raw('replay.suits')['SHDC'.index(trump)]}"


def partner_words(row: dict[str, Any], text: Texts) -> str:
    """Declarer's partner by name, else by seat."""
    seat = row["partner"]
    if seat == "-":
        return text("hands.alone")
    return player_name(row["partner_name"]) or (text.seat("NESW".index(seat)) if seat else "")
