"""Partners: how often two make it together, against what was to be expected of the two singly."""

from typing import Any

import streamlit as st

from pandoeren_replay.stats import FEW
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.charts import SETTINGS, Rate, difference_chart
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.filterbar import Filter
from pandoeren_replay.ui.pages.contracts import rules_name
from pandoeren_replay.ui.pages.hands import empty_store, sheet_notice
from pandoeren_replay.ui.payload import player_name
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.waiting import waiting

IN_CHART = 20
SHOWN = 200


def page() -> None:
    """Shows the pairs, best first where enough hands stand behind them."""
    text = session.texts()
    source = session.source()
    st.header(text("partners.title"))
    if source.is_empty:
        empty_store(text)
        return
    where = _choices(source, text)
    with waiting(source, text):
        rows = source.pairs(where)
    if not rows:
        st.info(text("partners.nothing"), icon=":material/filter_alt:")
        return
    st.markdown(text("partners.what"))
    sheet_notice(sum(r["no_cards"] for r in rows), sum(r["n"] for r in rows), text)
    rows.sort(key=lambda r: (r["rank"] is None, r["rank"] or 0, -r["n"]))
    _said(rows, text)
    _chart(rows, text)
    chosen = _table(rows[:SHOWN], text)
    if chosen is not None:
        navigation.open_page("hands", text, Filter.from_where(rows[int(chosen)]["where"]).query())
    if len(rows) > SHOWN:
        st.text(text("partners.more", n=text.number(len(rows) - SHOWN)))
    with st.expander(text("stats.how")):
        st.markdown(text("partners.how", few=FEW))


def _choices(source: Source, text: Texts) -> str:
    """Which hands count; the address keeps it."""
    asked = Filter.from_query(dict(st.query_params))
    choices = source.choices()

    def pick(name: str, options: tuple[str, ...], label: Any) -> str:
        now = getattr(asked, name)
        offered = ("", *options) if now in ("", *options) else ("", now, *options)
        return str(
            st.selectbox(
                text(f"stats.f_{name}"),
                offered,
                index=offered.index(now),
                format_func=lambda v: label(v) if v else text("hands.any"),
            )
        )

    one, two, three = st.columns(3)
    with one:
        rules = pick("rules", choices.rules, lambda v: rules_name(source, text, v))
    with two:
        player = pick("player", choices.players, str)
    simulated = ""
    if choices.has_simulated:
        with three:
            simulated = pick("simulated", ("no", "yes"), lambda v: text(f"hands.simulated_{v}"))
    cards = ""
    if choices.has_sheets or asked.cards:
        with three:
            cards = pick("cards", ("yes", "no"), lambda v: text(f"hands.cards_{v}"))
    made = Filter(rules=rules, player=player, simulated=simulated, cards=cards)
    if made.query() != asked.query():
        st.query_params.from_dict(made.query())
    return made.where()


def pair_name(row: dict[str, Any], text: Texts) -> str:
    """Who played and who was his partner."""
    return text(
        "partners.pair",
        declarer=player_name(row["declarer"]),
        partner=player_name(row["partner"]),
    )


def _said(rows: list[dict[str, Any]], text: Texts) -> None:
    """In words only what its interval sets apart."""
    sure = [r for r in rows if not r["small"] and r["difference_low"] is not None]
    better = [r for r in sure if r["difference_low"] > 0]
    worse = [r for r in sure if r["difference_high"] < 0]
    if not better and not worse:
        st.text(text("partners.none_sure"))
    for key, some in (("better", better[:3]), ("worse", worse[-3:])):
        for r in some:
            st.text(
                text(
                    f"partners.{key}",
                    pair=pair_name(r, text),
                    rate=text.percent(r["rate"]),
                    expected=text.percent(r["expected"]),
                )
            )


def _chart(rows: list[dict[str, Any]], text: Texts) -> None:
    some = [r for r in rows if r["difference"] is not None]
    some = sorted(some, key=lambda r: -r["n"])[:IN_CHART]
    some.sort(key=lambda r: -r["difference"])
    if len(some) < 2:
        return
    st.subheader(text("partners.chart"))
    if len(some) < len(rows):
        st.text(text("stats.chart_some", n=len(some), all=text.number(len(rows))))
    points = [
        Rate(
            pair_name(r, text),
            r["difference"],
            r["difference_low"],
            r["difference_high"],
            r["n"],
            r["small"],
        )
        for r in some
    ]
    st.plotly_chart(difference_chart(points, text), config=SETTINGS, key="partners_chart")


def _table(rows: list[dict[str, Any]], text: Texts) -> str | None:
    columns = [
        Column(text("partners.c_pair"), lead=True),
        *(
            Column(text(f"partners.c_{n}"), number=True, hint=text(f"partners.hint_{n}"))
            for n in ("n", "rate", "expected", "difference", "interval", "shrunk")
        ),
    ]
    none = text("stats.none")

    def share(value: float | None, sign: bool = False) -> Cell:
        if value is None:
            return Cell(none)
        shown = text.number(value * 100, sign=sign and round(value * 100) != 0)
        return Cell(f"{shown} %", value)

    shown = []
    for i, r in enumerate(rows):
        low, high = r["difference_low"], r["difference_high"]
        interval = none
        if low is not None and high is not None:
            interval = text(
                "partners.interval",
                low=text.number(low * 100, sign=True),
                high=text.number(high * 100, sign=True),
            )
        shown.append(
            Row(
                str(i),
                (
                    Cell(pair_name(r, text)),
                    Cell(text.number(r["n"]), r["n"]),
                    share(r["rate"]),
                    share(r["expected"]),
                    share(r["difference"], sign=True),
                    Cell(interval, low),
                    share(r["shrunk"], sign=True),
                ),
                muted=r["small"],
            )
        )
    return table(
        columns,
        shown,
        text,
        key="partners_table",
        caption=text("partners.title"),
        action=text("stats.show_hands"),
    )
