"""Charts: Plotly figures from plain numbers. Foreign text in them is escaped, never markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pandoeren_replay.statistics.cardsql import HONOURS
from pandoeren_replay.ui.texts import Texts

SURE, FEW_HANDS = "#1f7a4d", "#8a8f98"
# Four lines that differ by colour, dash and marker.
_LINES = (
    ("#0a4fc0", "solid", "circle"),
    ("#b5521b", "dash", "square"),
    ("#1f7a4d", "dot", "diamond"),
    ("#8b2fa8", "dashdot", "triangle-up"),
)
SETTINGS = {"displayModeBar": False, "scrollZoom": False}


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate with its interval (from 0 to 1); ``few``: too few hands to conclude from."""

    label: str
    rate: float
    low: float
    high: float
    n: int
    few: bool


def label(name: str) -> str:
    """Foreign text for Plotly, which reads some HTML in its labels.

    >>> label("<b>Jan</b>")
    '&lt;b&gt;Jan&lt;/b&gt;'
    """
    return escape(name if len(name) <= 40 else name[:39] + "…")


def rate_chart(rates: Sequence[Rate], text: Texts) -> go.Figure:
    """Rates as points with their intervals, the first on top; grey where few hands stand behind."""
    figure = go.Figure()
    for few in (False, True):
        some = [r for r in rates if r.few == few]
        if not some:
            continue
        figure.add_trace(
            go.Scatter(
                x=[r.rate for r in some],
                y=[label(r.label) for r in some],
                mode="markers",
                name=text("charts.few" if few else "charts.enough"),
                marker={
                    "size": 13,
                    "color": FEW_HANDS if few else SURE,
                    "symbol": "circle-open" if few else "circle",
                },
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [r.high - r.rate for r in some],
                    "arrayminus": [r.rate - r.low for r in some],
                    "thickness": 3,
                },
                customdata=[
                    [
                        text.percent(r.rate),
                        text.percent(r.low),
                        text.percent(r.high),
                        text.number(r.n),
                    ]
                    for r in some
                ],
                hovertemplate=text("charts.rate_hover"),
            )
        )
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[label(r.label) for r in reversed(rates)],
        tickfont={"size": 16},
        automargin=True,
    )
    figure.update_xaxes(
        range=[0, 1], tickformat=".0%", tickfont={"size": 15}, title=text("charts.rate_axis")
    )
    return _finish(figure, height=90 + 38 * len(rates))


def difference_chart(differences: Sequence[Rate], text: Texts) -> go.Figure:
    """Differences between rates with their intervals, and the line of no difference."""
    figure = rate_chart(differences, text)
    figure.update_xaxes(
        range=None,
        tickformat="+.0%",
        title=text("charts.difference_axis"),
        zeroline=True,
        zerolinewidth=3,
        zerolinecolor="#7d8780",
    )
    figure.update_traces(hovertemplate=text("charts.difference_hover"))
    return figure


def balance_chart(
    names: Sequence[str], balances: Sequence[Sequence[int]], hands: Sequence[str], text: Texts
) -> go.Figure:
    """Balance of each seat after each hand."""
    figure = go.Figure()
    for i, name in enumerate(names):
        colour, dash, symbol = _LINES[i]
        figure.add_trace(
            go.Scatter(
                x=list(range(1, len(balances) + 1)),
                y=[b[i] for b in balances],
                mode="lines+markers",
                name=label(name),
                line={"color": colour, "dash": dash, "width": 3},
                marker={"symbol": symbol, "size": 8},
                customdata=[escape(h) for h in hands],
                hovertemplate=text("charts.balance_hover"),
            )
        )
    step = 1 if len(balances) <= 20 else None
    figure.update_xaxes(title=text("charts.hand_axis"), tickfont={"size": 15}, dtick=step)
    figure.update_yaxes(title=text("charts.balance_axis"), tickfont={"size": 15}, zeroline=True)
    return _finish(figure, height=420)


@dataclass(frozen=True, slots=True)
class Recent:
    """One of a player's latest hands as declarer."""

    contract: str
    date: str
    made: bool
    score: int


def form_chart(recent: Sequence[Recent], text: Texts) -> go.Figure:
    """The latest hands as bars, the oldest first: up what they brought, down what they cost."""
    figure = go.Figure()
    for made, colour, pattern in ((True, SURE, ""), (False, "#b5521b", "/")):
        some = [(i, r) for i, r in enumerate(recent, 1) if r.made == made]
        figure.add_trace(
            go.Bar(
                x=[i for i, _ in some],
                y=[r.score for _, r in some],
                name=text("replay.made" if made else "replay.lost"),
                marker={"color": colour, "pattern": {"shape": pattern}},
                customdata=[[escape(r.contract), escape(r.date)] for _, r in some],
                hovertemplate=text("charts.form_hover"),
            )
        )
    figure.update_xaxes(title=text("charts.form_axis"), dtick=1, range=[0.4, len(recent) + 0.6])
    figure.update_yaxes(title=text("hands.c_score"), zeroline=True)
    return _finish(figure, height=300)


def range_chart(rows: Sequence[dict[str, Any]], text: Texts) -> go.Figure:
    """How often a player bids, by the best trumps in his hand: honours across, length down."""
    ranks = text.raw("replay.ranks")
    cells = {tuple(r["holding"].split(", ")): r for r in rows}
    honours = [h for h in HONOURS if any(key[0] == h for key in cells)]
    lengths = sorted({key[1] for key in cells}, key=int)
    share = [[cells[h, n]["value"] if (h, n) in cells else None for h in honours] for n in lengths]
    words = [
        [
            f"{text.percent(cells[h, n]['value'])}<br>{cells[h, n]['hits']}/{cells[h, n]['n']}"
            if (h, n) in cells
            else ""
            for h in honours
        ]
        for n in lengths
    ]
    names = [
        text("charts.range_none") if h == "-" else " ".join(ranks[c] for c in h.split())
        for h in honours
    ]
    figure = go.Figure(
        go.Heatmap(
            z=share,
            x=names,
            y=[text("charts.range_length", n=n) for n in lengths],
            text=words,
            texttemplate="%{text}",
            hovertemplate="%{x}, %{y}: %{text}<extra></extra>",
            zmin=0,
            zmax=1,
            colorscale=[[0, "#f3efe2"], [1, "#6fbf92"]],
            showscale=False,
            xgap=2,
            ygap=2,
            textfont={"color": "#15181c"},
        )
    )
    figure.update_xaxes(title=text("charts.range_axis"), type="category")
    figure.update_yaxes(autorange="reversed", type="category")
    return _finish(figure, height=120 + 52 * len(lengths))


def _finish(figure: go.Figure, height: int) -> go.Figure:
    # Streamlit's own grey of axis labels is too faint to read.
    ink = "#d5dae1" if st.context.theme.type == "dark" else "#333a36"
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": {"size": 15}},
        hoverlabel={"font": {"size": 16}},
        dragmode=False,
        font={"color": ink},
    )
    figure.update_xaxes(tickfont={"color": ink}, title={"font": {"color": ink, "size": 16}})
    figure.update_yaxes(tickfont={"color": ink}, title={"font": {"color": ink, "size": 16}})
    return figure
