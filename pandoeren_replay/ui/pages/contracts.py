"""Statistics: what was played, how often it was made, what it brought."""

from typing import Any

import streamlit as st

from pandoeren_replay.stats import FEW, GROUPINGS
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.charts import SETTINGS, Rate, rate_chart
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.filterbar import Filter
from pandoeren_replay.ui.pages.hands import empty_store, sheet_notice, simulated_notice, trump_words
from pandoeren_replay.ui.payload import player_name
from pandoeren_replay.ui.source import Source, contract_name
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.waiting import waiting

BY = ("contract", "player", "pair", "seat", "trump", "rules", "session", "month")
IN_CHART = 25


def page() -> None:
    """Shows the statistics, grouped as the viewer asks."""
    text = session.texts()
    source = session.source()
    st.header(text("stats.title"))
    if source.is_empty:
        empty_store(text)
        return
    by, where = _choices(source, text)
    groups = ("rules", "contract") if by == "contract" and "rules=" not in where else (by,)
    with waiting(source, text):
        rows = source.statistics(groups, where)
    if not rows:
        st.info(text("stats.nothing"), icon=":material/filter_alt:")
        return
    if by == "contract":
        rows.sort(key=lambda r: _bid_order(source, r))
    simulated_notice(sum(r["simulated"] for r in rows), sum(r["n"] for r in rows), text)
    sheet_notice(sum(r["no_cards"] for r in rows), sum(r["n"] for r in rows), text)
    names = [group_name(source, text, by, r) for r in rows]
    several = len(groups) > 1 and len({r["rules"] for r in rows}) > 1
    _chart(rows, names, several, source, text)
    chosen = _table(rows, names, several, source, text, by)
    if chosen is not None:
        where = rows[int(chosen)]["where"]
        navigation.open_page("hands", text, Filter.from_where(where).query())
    with st.expander(text("stats.how")):
        st.markdown(text("stats.how_text", few=FEW))


def _choices(source: Source, text: Texts) -> tuple[str, str]:
    choices = source.choices()
    asked = Filter.from_query(dict(st.query_params))
    any_one = text("hands.any")

    def pick(name: str, options: tuple[str, ...], label: Any) -> str:
        now = getattr(asked, name)
        offered = ("", *options) if now in ("", *options) else ("", now, *options)
        return str(
            st.selectbox(
                text(f"stats.f_{name}"),
                offered,
                index=offered.index(now),
                format_func=lambda v: label(v) if v else any_one,
            )
        )

    one, two, three, four = st.columns(4)
    with one:
        by = st.selectbox(
            text("stats.by"),
            BY,
            key="stats_by",
            format_func=lambda b: GROUPINGS[b].nl if text.lang == "nl" else GROUPINGS[b].en,
        )
    with two:
        rules = pick("rules", choices.rules, lambda v: rules_name(source, text, v))
    with three:
        player = pick("player", choices.players, str)
    simulated = ""
    if choices.has_simulated:
        with four:
            simulated = pick("simulated", ("no", "yes"), lambda v: text(f"hands.simulated_{v}"))
    cards = ""
    if choices.has_sheets or asked.cards:
        with four:
            cards = pick("cards", ("yes", "no"), lambda v: text(f"hands.cards_{v}"))
    chosen = Filter(
        rules=rules,
        player=player,
        role="declarer" if player else "",
        simulated=simulated,
        cards=cards,
    )
    return by, chosen.where()


def rules_name(source: Source, text: Texts, rules_id: str) -> str:
    """A rule set by its name."""
    rules = source.rules(rules_id)
    return text.of(rules.name) if rules else rules_id


def group_name(source: Source, text: Texts, by: str, row: dict[str, Any]) -> str:
    """What a row stands for, in words."""
    value = row[by]
    if by == "contract":
        return contract_name(source, text, row.get("rules") or _one_rules(source), value)
    if by == "trump":
        return trump_words(value, text)
    if by == "seat":
        return text.seat("NESW".index(value))
    if by == "rules":
        return rules_name(source, text, value)
    return player_name(str(value))


def _one_rules(source: Source) -> str | None:
    asked = st.query_params.get("rules")
    known = source.choices().rules
    return asked or (known[0] if known else None)


def _bid_order(source: Source, row: dict[str, Any]) -> tuple[Any, ...]:
    rules_id = row.get("rules") or _one_rules(source)
    rules = source.rules(rules_id) if rules_id else None
    bid = rules.bid(row["contract"]) if rules else None
    return (rules_id or "", *(bid.rank if bid else (999, 0)))


def _chart(
    rows: list[dict[str, Any]], names: list[str], several: bool, source: Source, text: Texts
) -> None:
    rates = []
    for r, name in zip(rows, names, strict=True):
        if r["rate"] is None:
            continue
        label = f"{name} · {rules_name(source, text, r['rules'])}" if several else name
        rates.append(Rate(label, r["rate"], r["low"], r["high"], r["decided"], r["decided"] < FEW))
    if not rates:
        return
    most = sorted(rates, key=lambda r: -r.n)[:IN_CHART]
    shown = [r for r in rates if r in most]
    st.subheader(text("stats.chart"))
    if len(shown) < len(rates):
        st.text(text("stats.chart_some", n=len(shown), all=len(rates)))
    st.plotly_chart(rate_chart(shown, text), config=SETTINGS, key="rate_chart")


def _table(
    rows: list[dict[str, Any]],
    names: list[str],
    several: bool,
    source: Source,
    text: Texts,
    by: str,
) -> str | None:
    columns = [
        Column(GROUPINGS[by].nl if text.lang == "nl" else GROUPINGS[by].en, lead=True),
        *([Column(text("hands.c_rules"), wide=True)] if several else []),
        *(
            Column(text(f"stats.c_{n}"), number=True, hint=text(f"stats.hint_{n}"))
            for n in ("n", "made", "rate", "interval", "margin", "score")
        ),
        Column(text("hands.c_simulated")),
    ]
    shown = []
    for i, (r, name) in enumerate(zip(rows, names, strict=True)):
        cells = [Cell(name, sort=i)]
        if several:
            cells.append(Cell(rules_name(source, text, r["rules"])))
        cells += figures(r, text)
        shown.append(Row(str(i), tuple(cells), muted=r["decided"] < FEW))
    return table(
        columns,
        shown,
        text,
        key="stats_table",
        caption=text("stats.title"),
        action=text("stats.show_hands"),
    )


def figures(r: dict[str, Any], text: Texts) -> list[Cell]:
    """The figures of a row: played, made, rate, interval, points − bid, score, simulated."""
    none = text("stats.none")
    rate, low = r["rate"], r["low"]
    interval = none if low is None else f"{text.percent(low)}–{text.percent(r['high'])}"
    margin, score = r["margin"], r["score"]
    all_simulated = r["simulated"] == r["n"]
    kinds = [text("replay.simulated")] if all_simulated else []
    if r["simulated"] and not all_simulated:
        kinds.append(text("stats.some_simulated", n=text.number(r["simulated"])))
    if r["no_cards"]:
        kinds.append(text("stats.some_sheets", n=text.number(r["no_cards"])))
    return [
        Cell(text.number(r["n"]), r["n"]),
        Cell(text.number(r["made"]), r["made"]),
        Cell(none if rate is None else text.percent(rate), rate),
        Cell(interval, low),
        Cell(none if margin is None else text.number(margin, 1, sign=True), margin),
        Cell(none if score is None else text.number(score, 2, sign=True), score),
        Cell(", ".join(kinds), kind="badge"),
    ]
