"""A player's figures beside those of the others: with their range, and what stands out in words."""

from statistics import NormalDist
from typing import Any

import streamlit as st

from pandoeren_replay.filters import quote
from pandoeren_replay.stats import CONFIDENCE, FEW, statistic
from pandoeren_replay.ui import navigation
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.filterbar import Filter
from pandoeren_replay.ui.pages.contracts import rules_name
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

FIGURES = (
    "entry", "declarer_rate", "won_when_bid", "steps", "score_per_hand", "score_as_declarer",
    "score_as_partner", "score_as_defender", "beaten", "roem_missed", "stuk_forgotten",
    "leads_called_suit", "trump_kept", "fat_to_partner", "accuracy", "blunders", "broke_rule",
)  # fmt: skip
"""Figures of the glossary that say something of one player."""

AT_ONCE = 100_000
"""Hands up to which the figures stand there at once; beyond, they are worked out when asked."""

_KINDS = {"strong": "good", "weak": "bad", "few": "muted"}


def portrait(name: str, source: Source, text: Texts) -> None:
    """Shows the figures of a player, under the rules that he plays most."""
    usual = source.filtered(
        "SELECT h.rules, count(*) AS n FROM hands h WHERE {where} "
        "GROUP BY ALL ORDER BY n DESC, h.rules LIMIT 1",
        f"player={quote(name)} and played=yes",
    )
    if not usual:
        return
    rules = usual[0]["rules"]
    st.subheader(text("portrait.title"))
    st.text(text("portrait.what", rules=rules_name(source, text, rules)))
    where = f"rules={quote(rules)}"
    if source.count(where) > AT_ONCE and not st.toggle(
        text("portrait.show"), key="player_figures_on"
    ):
        return
    found = source.measured(FIGURES, "player", where)
    mine = [r for r in found if r["player"] == name and r["value"] is not None]
    judged = [(r, verdict(r)) for r in mine]
    for word in ("strong", "weak"):
        points = [
            text("portrait.point", what=label(r["statistic"], text), own=value_words(r, text),
                 others=amount(r["statistic"], r["others"], text))
            for r, v in judged
            if v == word
        ]  # fmt: skip
        if points:
            st.text(text(f"portrait.{word}_points", points="; ".join(points)))
    chosen = _table(judged, found, text)
    if chosen is not None:
        query = Filter.from_where(mine[int(chosen)]["where"]).query()
        navigation.open_page("hands", text, query)


def verdict(row: dict[str, Any]) -> str:
    """What a figure says: ``few``, ``usual``, ``strong`` or ``weak``, ``more`` or ``less``.

    Only a range that leaves the figure of all others outside says anything. Who looks at many
    figures always finds one by chance, so each range is widened for their number (Bonferroni).

    >>> row = {"statistic": "beaten", "n": 50, "value": 0.5, "low": 0.4, "high": 0.6, "others": 0.3}
    >>> verdict(row), verdict(row | {"others": 0.38}), verdict(row | {"n": 12})
    ('strong', 'usual', 'few')
    >>> verdict(row | {"statistic": "entry", "others": 0.7})
    'less'
    """
    low, high, others = row["low"], row["high"], row["others"]
    if row["n"] < FEW or low is None or high is None or others is None:
        return "few"
    value, wider = row["value"], _widening(len(FIGURES))
    low, high = value - wider * (value - low), value + wider * (high - value)
    side = 1 if low > others else -1 if high < others else 0
    if not side:
        return "usual"
    good = statistic(row["statistic"]).good
    if good:
        return "strong" if side == good else "weak"
    return "more" if side > 0 else "less"


def _widening(figures: int) -> float:
    """How many times wider a 95% interval becomes when that many are looked at together."""
    z = NormalDist().inv_cdf
    return z(1 - (1 - CONFIDENCE) / 2 / figures) / z(1 - (1 - CONFIDENCE) / 2)


def label(name: str, text: Texts) -> str:
    """Name of a figure in the viewer's language."""
    s = statistic(name)
    return s.nl if text.lang == "nl" else s.en


def amount(name: str, value: float | None, text: Texts) -> str:
    """A value in the unit of its figure."""
    if value is None:
        return text("stats.none")
    if statistic(name).unit == "mean":
        return text.number(value, 2)
    return text.percent(value)


def value_words(row: dict[str, Any], text: Texts) -> str:
    """A value with its range in words: ``69 %, tussen 61 % en 75 %``."""
    own = amount(row["statistic"], row["value"], text)
    if row["low"] is None or row["high"] is None:
        return own
    low, high = (amount(row["statistic"], row[k], text) for k in ("low", "high"))
    return text("portrait.between", own=own, low=low, high=high)


def _table(
    judged: list[tuple[dict[str, Any], str]], found: list[dict[str, Any]], text: Texts
) -> str | None:
    columns = [
        Column(text("portrait.c_what"), lead=True, wide=True),
        Column(text("portrait.c_n"), number=True),
        Column(text("portrait.c_own"), wide=True),
        Column(text("portrait.c_others"), number=True),
        Column(text("portrait.c_spread"), wide=True),
        Column(text("portrait.c_says"), wide=True),
    ]
    rows = []
    for i, (r, word) in enumerate(judged):
        name = r["statistic"]
        all_of_them = [
            o["value"] for o in found
            if o["statistic"] == name and o["n"] >= FEW and o["value"] is not None
        ]  # fmt: skip
        spread = ""
        if len(all_of_them) > 1:
            low, high = (amount(name, f(all_of_them), text) for f in (min, max))
            spread = text("portrait.spread", low=low, high=high)
        rows.append(
            Row(
                str(i),
                (
                    Cell(label(name, text)),
                    Cell(text.number(r["n"]), r["n"]),
                    Cell(value_words(r, text)),
                    Cell(amount(name, r["others"], text)),
                    Cell(spread),
                    Cell(text(f"portrait.is_{word}"), kind=_KINDS.get(word, "")),
                ),
                muted=word == "few",
            )
        )
    return table(
        columns,
        rows,
        text,
        key="player_figures",
        caption=text("portrait.title"),
        action=text("stats.show_hands"),
        sortable=False,
    )
