"""Evening: one session's standings, its course, the hands that decided it."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.charts import SETTINGS, balance_chart
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.evenings import Evening, Played, evening
from pandoeren_replay.ui.fair_parts import evening_part
from pandoeren_replay.ui.pages.contracts import rules_name
from pandoeren_replay.ui.pages.hands import empty_store
from pandoeren_replay.ui.texts import Texts

TURNING_POINTS = 5


def page() -> None:
    """Shows the latest session, or the one the viewer picks."""
    text = session.texts()
    source = session.source()
    st.header(text("evening.title"))
    if source.is_empty:
        empty_store(text)
        return
    sessions = source.sessions()
    if not sessions:
        st.info(text("evening.no_sessions"), icon=":material/event_busy:")
        navigation.link("hands", text, text("replay_page.to_hands"))
        return
    names = [s["session"] for s in sessions]
    asked = st.query_params.get("session")
    labels = {s["session"]: _label(s, text) for s in sessions}
    name = st.selectbox(
        text("evening.pick"),
        names,
        index=names.index(asked) if asked in names else 0,
        format_func=lambda n: labels[n],
    )
    rules_ids = next(s["rules"] for s in sessions if s["session"] == name)
    rules_id = rules_ids[0]
    if len(rules_ids) > 1:
        st.info(text("evening.several_rules"), icon=":material/rule:")
        rules_id = st.selectbox(
            text("hands.f_rules"),
            rules_ids,
            format_func=lambda i: rules_name(source, text, i),
        )
    shown = evening(source, name, rules_id, text.lang)
    if shown.simulated:
        st.warning(text("evening.simulated"), icon=":material/smart_toy:")
    _standings(shown, text)
    _turning_points(shown, text)
    _faults(shown, text)
    evening_part(shown, rules_id, source, text)
    if len(shown.played) > 1:
        st.subheader(text("evening.course"))
        chart = balance_chart(
            shown.names,
            [p.balance for p in shown.played],
            [p.number for p in shown.played],
            text,
        )
        st.plotly_chart(chart, config=SETTINGS, key="balances")
    _sheet(shown, text)


def _label(row: dict[str, Any], text: Texts) -> str:
    parts = [row["session"]]
    if row["first_date"] is not None and str(row["first_date"]) not in row["session"]:
        parts.insert(0, text.date(str(row["first_date"])))
    parts.append(text("evening.hands", n=row["hands"]))
    if row["simulated"]:
        parts.append(text("replay.simulated"))
    return " · ".join(parts)


def _standings(shown: Evening, text: Texts) -> None:
    st.subheader(text("evening.standings"))
    order = sorted(range(4), key=lambda s: -shown.final[s])
    columns = [
        Column(text("evening.c_place"), number=True),
        Column(text("evening.c_player"), lead=True),
        Column(text("evening.c_total"), number=True),
        Column(text("evening.c_declared"), number=True),
        Column(text("evening.c_made"), number=True),
    ]
    rows = []
    for seat in order:
        place = 1 + sum(total > shown.final[seat] for total in shown.final)
        declared = [p for p in shown.played if p.declarer == seat]
        made = sum(p.made is True for p in declared)
        rows.append(
            Row(
                str(seat),
                (
                    Cell(f"{place}."),
                    Cell(shown.names[seat]),
                    Cell(text.number(shown.final[seat]), shown.final[seat]),
                    Cell(str(len(declared)), len(declared)),
                    Cell(str(made), made),
                ),
            )
        )
    chosen = table(
        columns,
        rows,
        text,
        key="standings",
        caption=text("evening.standings"),
        action=text("evening.show_player"),
    )
    if shown.pairs:
        st.text(text("evening.pairs", ns=shown.pairs[0], ew=shown.pairs[1]))
    if shown.pot:
        st.text(text("evening.pot", n=shown.pot))
    if shown.by_seat:
        st.warning(text("evening.by_seat"), icon=":material/help:")
    for hand, written, booked in shown.otherwise:
        told = {"written": written, "booked": booked}
        said = {k: text.number(n, sign=True) for k, n in told.items()}
        st.warning(text("evening.otherwise", hand=hand, **said), icon=":material/help:")
    if shown.incomplete:
        st.warning(text("evening.incomplete"), icon=":material/help:")
    if chosen is not None and (player := shown.players[int(chosen)]):
        navigation.open_page("hands", text, {"player": player, "session": shown.session})


def _open(chosen: str | None, played: Sequence[Played], text: Texts) -> None:
    if chosen is None:
        return
    session.keep_list([p.key for p in played])
    navigation.open_page("replay", text, {"hand": chosen})


def _turning_points(shown: Evening, text: Texts) -> None:
    swings = sorted(shown.played, key=lambda p: -p.swing)[:TURNING_POINTS]
    swings = [p for p in swings if p.swing]
    if not swings:
        return
    st.subheader(text("evening.turning_points"))
    st.text(text("evening.turning_points_text"))
    columns = [
        Column(text("hands.c_hand"), lead=True),
        Column(text("evening.c_who"), wide=True),
        Column(text("hands.c_result")),
        Column(text("evening.c_swing"), number=True),
        Column(text("evening.c_winner"), wide=True),
        Column(text("evening.c_loser"), wide=True),
    ]
    rows = []
    for p in swings:
        best, worst = p.change.index(max(p.change)), p.change.index(min(p.change))
        rows.append(
            Row(
                p.key,
                (
                    Cell(text("replay.hand_no", n=p.number)),
                    Cell(p.title),
                    _result(p, text),
                    Cell(text.number(p.swing), p.swing),
                    _mover(shown, p, best, text) if p.change[best] > 0 else Cell(""),
                    _mover(shown, p, worst, text) if p.change[worst] < 0 else Cell(""),
                ),
            )
        )
    chosen = table(
        columns,
        rows,
        text,
        key="turning_points",
        caption=text("evening.turning_points"),
        action=text("hands.open"),
    )
    _open(chosen, swings, text)


def _mover(shown: Evening, p: Played, seat: int, text: Texts) -> Cell:
    return Cell(f"{shown.names[seat]} {text.change(p.change[seat])}")


def _faults(shown: Evening, text: Texts) -> None:
    faulty = [p for p in shown.played if p.faults]
    if not faulty:
        return
    st.subheader(text("evening.faults"))
    columns = [
        Column(text("hands.c_hand"), lead=True),
        Column(text("evening.c_what"), wide=True),
    ]
    rows = [
        Row(p.key, (Cell(text("replay.hand_no", n=p.number)), Cell(" ".join(p.faults))))
        for p in faulty
    ]
    chosen = table(
        columns,
        rows,
        text,
        key="faults",
        caption=text("evening.faults"),
        action=text("hands.open"),
    )
    _open(chosen, faulty, text)


def _sheet(shown: Evening, text: Texts) -> None:
    st.subheader(text("evening.sheet"))
    columns = [
        Column(text("hands.c_hand"), lead=True),
        Column(text("evening.c_who"), wide=True),
        Column(text("hands.c_result")),
        *(Column(name, number=True) for name in shown.names),
    ]
    rows = [
        Row(
            p.key,
            (
                Cell(text("replay.hand_no", n=p.number)),
                Cell(p.title),
                _result(p, text),
                *(_balance(p, seat, text) for seat in range(4)),
            ),
        )
        for p in shown.played
    ]
    chosen = table(
        columns,
        rows,
        text,
        key="sheet",
        caption=text("evening.sheet"),
        action=text("hands.open"),
        sortable=False,
    )
    _open(chosen, shown.played, text)


def _balance(p: Played, seat: int, text: Texts) -> Cell:
    change = f" ({text.change(p.change[seat])})" if p.change[seat] else ""
    return Cell(f"{text.number(p.balance[seat])}{change}")


def _result(p: Played, text: Texts) -> Cell:
    kind = {True: "good", False: "bad", None: "muted"}[p.made]
    label = p.result if not p.simulated else f"{p.result} · {text('replay.simulated')}"
    return Cell(label, kind=kind)
