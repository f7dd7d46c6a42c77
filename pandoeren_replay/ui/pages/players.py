"""Players: everybody's figures, and one page each: strong and weak points, contracts, hands."""

from typing import Any

import streamlit as st

from pandoeren_replay.filters import quote
from pandoeren_replay.stats import FEW, wilson
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.charts import SETTINGS, Recent, form_chart, range_chart
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.fair_parts import player_part
from pandoeren_replay.ui.filterbar import Filter
from pandoeren_replay.ui.pages.contracts import figures, rules_name
from pandoeren_replay.ui.pages.hands import empty_store, sheet_notice, simulated_notice
from pandoeren_replay.ui.payload import player_name
from pandoeren_replay.ui.portrait import portrait
from pandoeren_replay.ui.source import Source, contract_name
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.waiting import waiting

RECENT = 20
"""Hands in a player's form."""
FEWEST = 3


def page() -> None:
    """Shows all players, or the one the address names."""
    text = session.texts()
    source = session.source()
    if source.is_empty:
        st.header(text("players.title"))
        empty_store(text)
        return
    known = source.players()
    asked = st.query_params.get("name")
    one = next((p for p in known if p["name"] == asked), None)
    if one is None:
        _everybody(known, text, asked)
    else:
        _one(one, known, source, text)


def _everybody(known: list[dict[str, Any]], text: Texts, asked: str | None) -> None:
    st.header(text("players.title"))
    if asked:
        st.warning(text("players.unknown"), icon=":material/person_off:")
        st.text(asked[:200])
    if not known:
        st.info(text("players.none"), icon=":material/person_off:")
        return
    columns = [
        Column(text("evening.c_player"), lead=True),
        *(
            Column(text(f"players.c_{n}"), number=True)
            for n in ("hands", "declarer", "rate", "interval", "partner", "defender", "score")
        ),
        Column(text("hands.c_simulated")),
    ]
    rows = []
    for i, p in enumerate(known):
        decided = p["made"] + p["lost"]
        rate, low = _rate(p["made"], decided, text)
        rows.append(
            Row(
                str(i),
                (
                    Cell(player_name(p["name"])),
                    Cell(text.number(p["hands"]), p["hands"]),
                    Cell(text.number(p["declarer"]), p["declarer"]),
                    Cell(rate, p["made"] / decided if decided else None),
                    Cell(low, p["made"] / decided if decided else None),
                    Cell(text.number(p["partner"]), p["partner"]),
                    Cell(text.number(p["defender"]), p["defender"]),
                    Cell("" if p["score"] is None else text.change(p["score"]), p["score"]),
                    Cell(_kind(p, text), kind="badge"),
                ),
                muted=decided < FEW,
            )
        )
    sheet_notice(sum(p["without_cards"] for p in known), sum(p["hands"] for p in known), text)
    st.text(text("players.click"))
    chosen = table(
        columns,
        rows,
        text,
        key="players_table",
        caption=text("players.title"),
        action=text("players.show"),
    )
    if chosen is not None:
        navigation.open_page("players", text, {"name": known[int(chosen)]["name"]})


def _kind(p: dict[str, Any], text: Texts) -> str:
    """How many of his hands are simulated, and how many are lines of a score sheet."""
    kinds = [text("replay.simulated")] if p["simulated"] else []
    if p["simulated_hands"] and not p["simulated"]:
        kinds.append(text("stats.some_simulated", n=text.number(p["simulated_hands"])))
    if p["without_cards"]:
        kinds.append(text("stats.some_sheets", n=text.number(p["without_cards"])))
    return ", ".join(kinds)


def _rate(made: int, decided: int, text: Texts) -> tuple[str, str]:
    interval = wilson(made, decided)
    if interval is None:
        return text("stats.none"), text("stats.none")
    low, high = interval
    return text.percent(made / decided), f"{text.percent(low)}–{text.percent(high)}"


def _one(p: dict[str, Any], known: list[dict[str, Any]], source: Source, text: Texts) -> None:
    navigation.link("players", text, text("players.back"))
    # A name is data: headings and metrics read Markdown, a text does not.
    with st.container(key="player_name"):
        st.text(player_name(p["name"]))
    if p["simulated"]:
        st.warning(text("players.simulated"), icon=":material/smart_toy:")
    else:
        simulated_notice(p["simulated_hands"], p["hands"], text)
    sheet_notice(p["without_cards"], p["hands"], text)
    _points(p, known, text)
    portrait(p["name"], source, text)
    player_part(p["name"], source, text)
    _form(p["name"], source, text)
    where = f"declarer={quote(p['name'])}"
    with waiting(source, text):
        rows = source.statistics(("rules", "contract"), where)
    if rows:
        st.subheader(text("players.contracts"))
        chosen = _contracts(rows, source, text)
        if chosen is not None:
            query = Filter.from_where(rows[int(chosen)]["where"]).query()
            navigation.open_page("hands", text, query)
    _range(p["name"], source, text)
    st.subheader(text("players.hands"))
    with st.container(horizontal=True):
        for role in ("declarer", "partner", "defender"):
            label = text(f"players.hands_{role}", n=text.number(p[role]))
            navigation.link("hands", text, label, {"player": p["name"], "role": role})


def _points(p: dict[str, Any], known: list[dict[str, Any]], text: Texts) -> None:
    """Strong and weak points in words: only what its interval sets apart from the others."""
    decided = p["made"] + p["lost"]
    made = sum(o["made"] for o in known)
    all_decided = made + sum(o["lost"] for o in known)
    share = p["declarer"] / p["hands"] if p["hands"] else 0.0
    hands = sum(o["hands"] for o in known)
    usual = sum(o["declarer"] for o in known) / hands if hands else 0.0
    one, two, three = st.columns(3)
    one.metric(text("players.c_hands"), text.number(p["hands"]))
    rate, interval = _rate(p["made"], decided, text)
    two.metric(text("players.m_rate"), rate, help=text("players.m_rate_help", interval=interval))
    three.metric(text("players.m_share"), text.percent(share))
    said = []
    club = made / all_decided if all_decided else None
    own = wilson(p["made"], decided)
    if decided < FEW or own is None or club is None:
        said.append(text("players.too_few", n=decided, few=FEW))
    elif own[0] > club:
        said.append(text("players.strong_rate", rate=rate, club=text.percent(club)))
    elif own[1] < club:
        said.append(text("players.weak_rate", rate=rate, club=text.percent(club)))
    else:
        said.append(text("players.usual_rate", rate=rate, club=text.percent(club)))
    bids = wilson(p["declarer"], p["hands"])
    if bids is not None and p["hands"] >= FEW:
        words = "often" if bids[0] > usual else "seldom" if bids[1] < usual else "usual"
        said.append(
            text(f"players.bids_{words}", share=text.percent(share), club=text.percent(usual))
        )
    for sentence in said:
        st.text(sentence)


def _form(name: str, source: Source, text: Texts) -> None:
    """The latest hands that he declared: what they brought, made or lost."""
    rows = source.hands(f"declarer={quote(name)} and made=yes,no", "-date", RECENT).to_dicts()
    if len(rows) < FEWEST:
        return
    rows.reverse()
    st.subheader(text("players.form"))
    made = sum(r["success"] for r in rows)
    total = sum(r["declarer_score"] or 0 for r in rows)
    st.text(
        text(
            "players.form_words",
            n=len(rows), made=made, lost=len(rows) - made, score=text.change(total),
        )
    )  # fmt: skip
    recent = [
        Recent(
            contract_name(source, text, r["rules"], r["contract"]),
            text.date(r["date_text"] or ""),
            bool(r["success"]),
            r["declarer_score"] or 0,
        )
        for r in rows
    ]
    st.plotly_chart(form_chart(recent, text), config=SETTINGS, key="player_form")


def _range(name: str, source: Source, text: Texts) -> None:
    """With which trumps he bids: worked out when asked for, since it looks at every card."""
    st.subheader(text("players.range"))
    st.text(text("players.range_what"))
    if not st.toggle(text("players.range_show"), key="player_range_on"):
        return
    rows = source.ranges(name)
    if not rows:
        st.info(text("players.range_none"), icon=":material/help:")
        return
    st.plotly_chart(range_chart(rows, text), config=SETTINGS, key="player_range")


def _contracts(rows: list[dict[str, Any]], source: Source, text: Texts) -> str | None:
    columns = [
        Column(text("hands.c_contract"), lead=True),
        Column(text("hands.c_rules"), wide=True),
        *(
            Column(text(f"stats.c_{n}"), number=True, hint=text(f"stats.hint_{n}"))
            for n in ("n", "made", "rate", "interval", "margin", "score")
        ),
        Column(text("hands.c_simulated")),
    ]
    shown = [
        Row(
            str(i),
            (
                Cell(contract_name(source, text, r["rules"], r["contract"]), sort=i),
                Cell(rules_name(source, text, r["rules"])),
                *figures(r, text),
            ),
            muted=r["decided"] < FEW,
        )
        for i, r in enumerate(rows)
    ]
    return table(
        columns,
        shown,
        text,
        key="player_contracts",
        caption=text("players.contracts"),
        action=text("stats.show_hands"),
    )
