"""Parts of pages about play by what one could see: of an evening, of a player."""

from collections.abc import Sequence

import streamlit as st

from pandoeren_replay.filters import quote
from pandoeren_replay.luck import Parts, SessionLuck, stored_luck
from pandoeren_replay.statistics.fair import (
    PlayerReview,
    SessionReview,
    player_reviews,
    rounded_parts,
    session_review,
)
from pandoeren_replay.stats import FEW
from pandoeren_replay.store import Store
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.evenings import Evening, booked
from pandoeren_replay.ui.fairness import bid_words, reviewing, unreviewed
from pandoeren_replay.ui.payload import player_name
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

SHOWN = 12
"""Mistakes of an evening in sight at once, the dearest."""

PARTS = ("score", "luck", "own", "others", "table", "unjudged")


# -- an evening ------------------------------------------------------------------------------------


@st.cache_resource(show_spinner=False, max_entries=60)
def _session(
    path: str, generation: int, name: str, rules_id: str
) -> tuple[SessionReview, SessionLuck]:
    source = Source(path)
    sheet = booked(source, name, rules_id)
    return session_review(source.store, sheet), stored_luck(source.store, sheet)


def judged(source: Source, name: str, rules_id: str) -> None:
    """Makes ready what :func:`evening_part` shows of a session."""
    _session(source.path, source.generation, name, rules_id)
    unreviewed(source, _of_session(name))


def _of_session(name: str) -> str:
    return f"session={quote(name)}"


def evening_part(shown: Evening, rules_id: str, source: Source, text: Texts) -> None:
    """The true mistakes of an evening, its bids, luck and skill; offers to judge what is not."""
    if not any(p.declarer is not None for p in shown.played):
        return
    review, luck = _session(source.path, source.generation, shown.session, rules_id)
    if not review.of:
        return
    st.subheader(text("fair.evening"))
    st.text(text("fair.evening_what"))
    reviewing(source, _of_session(shown.session), text, "evening")
    if not review.hands:
        return
    st.text(
        text(
            "fair.evening_sum", mistakes=len(review.mistakes), doubtful=review.doubtful,
            n=text.number(review.decisions), hands=review.hands, of=review.of,
        )
    )  # fmt: skip
    _mistakes(shown, review, text)
    if review.bids:
        with st.expander(text("fair.bids")):
            for noted in review.bids:
                number = text("replay.hand_no", n=noted.line.number)
                who = shown.names[noted.row.seat]
                st.text(f"{number}, {who}: {bid_words(noted.line.replay, noted.row, text)}")
    _luck(shown, luck, text)


def _mistakes(shown: Evening, review: SessionReview, text: Texts) -> None:
    keys = {p.number: p.key for p in shown.played}
    columns = [
        Column(text("hands.c_hand"), lead=True),
        Column(text("fair.c_trick"), number=True),
        Column(text("fair.c_who"), wide=True),
        Column(text("fair.c_played")),
        Column(text("fair.c_better")),
        Column(text("fair.c_chance"), number=True),
        Column(text("fair.c_best_chance"), number=True),
    ]
    rows, places = [], {}
    for i, noted in enumerate(review.mistakes):
        row = noted.row
        if row.ply is None or row.value is None or row.best_value is None or row.best is None:
            continue
        places[str(i)] = (keys.get(noted.line.number, ""), row.ply)
        trick = row.ply // 4 + 1
        rows.append(
            Row(
                str(i),
                (
                    Cell(text("replay.hand_no", n=noted.line.number)),
                    Cell(str(trick), trick),
                    Cell(shown.names[row.seat]),
                    Cell(text.card(row.choice)),
                    Cell(text.card(row.best)),
                    Cell(text.percent(row.value), row.value),
                    Cell(text.percent(row.best_value), row.best_value),
                ),
            )
        )
    if not rows:
        st.text(text("fair.evening_clean"))
        return
    caption, action = text("fair.evening"), text("hands.open")
    chosen = table(columns, rows[:SHOWN], text, key="fair_mistakes", caption=caption, action=action)
    if rest := rows[SHOWN:]:
        with st.expander(text("fair.evening_more", n=len(rest))):
            chosen = chosen or table(
                columns, rest, text, key="fair_more", caption=caption, action=action
            )
    if chosen is not None and places[chosen][0]:
        hand, ply = places[chosen]
        session.keep_list(list(dict.fromkeys(k for k, _ in places.values() if k)))
        # The card itself lies on the table then, and its verdict stands beside it.
        at = {"hand": hand, "ply": str(ply + 1), "verdicts": "1"}
        navigation.open_page("replay", text, at)


def _luck(shown: Evening, luck: SessionLuck, text: Texts) -> None:
    st.subheader(text("fair.luck"))
    st.text(text("fair.luck_what"))
    if luck.judged < luck.hands:
        st.text(text("fair.luck_part", n=luck.judged, of=luck.hands))
    told = [k for k in PARTS if k in PARTS[:4] or any(getattr(p, k) for p in luck.parts)]
    columns = [Column(text("evening.c_player"), lead=True)]
    columns += [Column(text(f"fair.c_{k}"), number=True) for k in told]
    rows = [Row("", (Cell(shown.names[s]), *_parts(luck.parts[s], told, text))) for s in range(4)]
    table(columns, rows, text, key="fair_luck", caption=text("fair.luck"), action="")


def _parts(part: Parts, told: Sequence[str], text: Texts) -> list[Cell]:
    """A player's parts, rounded so that they still add up to his score."""
    rounded = rounded_parts({k: getattr(part, k) for k in told if k != "score"}, part.score)
    values = {"score": part.score, **rounded}
    digits = {"score": 0}
    return [
        Cell(text.number(values[k], digits.get(k, 1), sign=values[k] != 0), values[k]) for k in told
    ]


# -- a player --------------------------------------------------------------------------------------


@st.cache_data(show_spinner=False, max_entries=20)
def _players(path: str, generation: int) -> list[PlayerReview]:
    return player_reviews(Store(path))


def player_part(name: str, source: Source, text: Texts) -> None:
    """A player's mistakes per hundred decisions, beside everybody's; his bids in words."""
    st.subheader(text("fair.player"))
    st.text(text("fair.player_what"))
    known = _players(source.path, source.generation)
    one = next((p for p in known if p.name == name), None)
    if one is None:
        st.text(text("fair.player_none"))
    else:
        _player_table(one, known, text)
        if one.few:
            st.text(text("fair.few", n=one.decisions, few=FEW))
        if any(one.bids.values()):
            st.text(text("fair.player_bids", **one.bids))
    reviewing(source, f"player={quote(name)}", text, "player")


def _player_table(one: PlayerReview, known: Sequence[PlayerReview], text: Texts) -> None:
    columns = [
        Column(text("evening.c_player"), lead=True),
        Column(text("fair.c_decisions"), number=True),
        Column(text("fair.c_mistakes"), number=True),
        Column(text("players.c_interval"), number=True),
        Column(text("fair.c_doubtful"), number=True),
        Column(text("fair.c_unlucky"), number=True, hint=text("fair.hint_unlucky")),
    ]
    everybody = PlayerReview(
        "", sum(p.decisions for p in known), sum(p.mistakes for p in known),
        sum(p.doubtful for p in known), sum(p.unlucky for p in known), 0, False,
    )  # fmt: skip
    rows = [
        Row("", (Cell(player_name(one.name)), *_figures(one, text)), muted=one.few),
        Row("", (Cell(text("fair.everybody")), *_figures(everybody, text)), muted=everybody.few),
    ]
    table(
        columns, rows, text,
        key="fair_player", caption=text("fair.player"), action="", sortable=False,
    )  # fmt: skip


def _figures(p: PlayerReview, text: Texts) -> list[Cell]:
    if p.rate is None or p.interval is None:
        return [Cell("0", 0), *(Cell(text("stats.none")) for _ in range(4))]
    low, high = p.interval
    return [
        Cell(text.number(p.decisions), p.decisions),
        Cell(text.number(p.rate, 1), p.rate),
        Cell(f"{text.number(low, 1)}–{text.number(high, 1)}", low),
        Cell(text.number(100 * p.doubtful / p.decisions, 1), p.doubtful / p.decisions),
        Cell(text.number(100 * p.unlucky / p.decisions, 1), p.unlucky / p.decisions),
    ]


__all__ = ["evening_part", "judged", "player_part"]
