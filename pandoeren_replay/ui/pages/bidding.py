"""Bidding: who bids from where, what hands are opened with, and what becomes of it."""

from typing import Any

import streamlit as st

from pandoeren_replay.filters import quote
from pandoeren_replay.stats import FEW, wilson
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.auctions import auctions
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.filterbar import Filter
from pandoeren_replay.ui.pages.contracts import rules_name
from pandoeren_replay.ui.pages.hands import empty_store, sheet_notice, simulated_notice
from pandoeren_replay.ui.payload import player_name
from pandoeren_replay.ui.source import Source, contract_name
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.waiting import waiting

# Hands of which only the contract is known, as score sheets have them.
_UNCALLED = """
SELECT count(*) AS n FROM hands h
WHERE h.has_auction <> 'recorded' AND h.contract IS NOT NULL AND ({where})
"""


def page() -> None:
    """Shows how auctions go."""
    text = session.texts()
    source = session.source()
    st.header(text("bidding.title"))
    if source.is_empty:
        empty_store(text)
        return
    where = _choices(source, text)
    with waiting(source, text):
        counted = auctions(source, where)
        uncalled = source.filtered(_UNCALLED, where)[0]["n"]
    if not counted.hands:
        st.info(text("bidding.nothing"), icon=":material/filter_alt:")
        _declarers(uncalled, where, source, text)
        return
    st.text(
        text(
            "bidding.summary",
            n=text.number(counted.hands),
            passed=text.number(counted.passed),
            share=text.percent(counted.passed / counted.hands),
        )
    )
    simulated_notice(counted.simulated, counted.hands, text)
    sheet_notice(counted.sheets, counted.hands, text)
    st.subheader(text("bidding.places"))
    names = [text(f"bidding.place_{r['place']}") for r in counted.places]
    _counts(counted.places, names, text, "c_place", "places", leads=False)
    st.subheader(text("bidding.openings"))
    _openings(counted.openings, source, text)
    players = counted.players
    if players:
        st.subheader(text("bidding.players"))
        names = [player_name(r["player"]) for r in players]
        chosen = _counts(players, names, text, "c_player", "bidders", leads=True)
        if chosen is not None:
            navigation.open_page("players", text, {"name": players[int(chosen)]["player"]})
    _declarers(uncalled, where, source, text)


def _declarers(uncalled: int, where: str, source: Source, text: Texts) -> None:
    """Who declares, over all hands with a contract: where sheets tell no more of the bidding."""
    if not uncalled:
        return
    st.subheader(text("bidding.declarers"))
    st.text(text("bidding.uncalled", n=text.number(uncalled)))
    rows = source.measured(["declares"], "player", where)
    columns = [
        Column(text("evening.c_player"), lead=True),
        *_number_columns(text, "contracts", "declares"),
        Column(text("bidding.c_interval"), number=True),
        Column(text("hands.c_simulated")),
    ]
    shown = []
    for i, r in enumerate(rows):
        interval = f"{text.percent(r['low'])}–{text.percent(r['high'])}"
        sheets = text("stats.some_sheets", n=text.number(r["no_cards"])) if r["no_cards"] else ""
        shown.append(
            Row(
                str(i),
                (
                    Cell(player_name(r["player"])),
                    Cell(text.number(r["n"]), r["n"]),
                    Cell(text.percent(r["value"]), r["value"]),
                    Cell(interval, r["low"]),
                    Cell(sheets, kind="badge"),
                ),
                muted=r["small"],
            )
        )
    chosen = table(
        columns,
        shown,
        text,
        key="declarers",
        caption=text("bidding.declarers"),
        action=text("stats.show_hands"),
    )
    if chosen is not None:
        navigation.open_page("hands", text, Filter.from_where(rows[int(chosen)]["where"]).query())


def _choices(source: Source, text: Texts) -> str:
    choices = source.choices()
    one, two = st.columns(2)
    with one:
        rules = st.selectbox(
            text("hands.f_rules"),
            ["", *choices.rules],
            format_func=lambda i: rules_name(source, text, i) if i else text("hands.any"),
        )
    simulated = ""
    with two:
        if choices.has_simulated:
            simulated = st.selectbox(
                text("hands.f_simulated"),
                ["", "no", "yes"],
                format_func=lambda v: text(f"hands.simulated_{v}") if v else text("hands.any"),
            )
    return Filter(rules=rules, simulated=simulated).where()


def _share(part: int, whole: int, text: Texts) -> Cell:
    return Cell(text.percent(part / whole), part / whole) if whole else Cell(text("stats.none"))


def _made(r: dict[str, Any], text: Texts) -> tuple[Cell, Cell]:
    interval = wilson(r["made"], r["decided"])
    if interval is None:
        return Cell(text("stats.none")), Cell(text("stats.none"))
    low, high = interval
    shown = f"{text.percent(low)}–{text.percent(high)}"
    return _share(r["made"], r["decided"], text), Cell(shown, low)


def _number_columns(text: Texts, *names: str) -> list[Column]:
    return [
        Column(
            text(f"bidding.c_{n}"),
            number=True,
            hint="" if n == "interval" else text(f"bidding.hint_{n}"),
        )
        for n in names
    ]


def _counts(
    rows: list[dict[str, Any]],
    names: list[str],
    text: Texts,
    head: str,
    key: str,
    *,
    leads: bool,
) -> str | None:
    heading = text("evening.c_player") if head == "c_player" else text(f"bidding.{head}")
    columns = [
        Column(heading, lead=True),
        *_number_columns(text, "hands", "bids", "wins", "made", "interval"),
    ]
    shown = [
        Row(
            str(i) if leads else "",
            (
                Cell(name, sort=None if leads else i),
                Cell(text.number(r["n"]), r["n"]),
                _share(r["bids"], r["n"], text),
                _share(r["wins"], r["n"], text),
                *_made(r, text),
            ),
            muted=r["decided"] < FEW,
        )
        for i, (r, name) in enumerate(zip(rows, names, strict=True))
    ]
    return table(columns, shown, text, key=key, caption=heading, action=text("players.show"))


def _openings(rows: list[dict[str, Any]], source: Source, text: Texts) -> None:
    columns = [
        Column(text("bidding.c_opening"), lead=True),
        Column(text("hands.c_rules"), wide=True),
        *_number_columns(text, "hands", "stood", "made", "interval"),
    ]
    shown = [
        Row(
            str(i),
            (
                Cell(contract_name(source, text, r["rules"], r["opening"]), sort=i),
                Cell(rules_name(source, text, r["rules"])),
                Cell(text.number(r["n"]), r["n"]),
                _share(r["stood"], r["n"], text),
                *_made(r, text),
            ),
            muted=r["decided"] < FEW,
        )
        for i, r in enumerate(rows)
    ]
    chosen = table(
        columns,
        shown,
        text,
        key="openings",
        caption=text("bidding.openings"),
        action=text("stats.show_hands"),
    )
    if chosen is not None:
        r = rows[int(chosen)]
        where = f"rules={quote(r['rules'])} and contract={quote(r['opening'])}"
        navigation.open_page("hands", text, Filter.from_where(where).query())
