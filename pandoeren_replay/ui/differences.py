"""What two sources say differently of one hand, in words and as a table."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from engine.cards import CARDS, SEATS, SUITS
from pandoeren_replay.disagreeing import Part, parts
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.texts import Texts

SHOWN = 200
_OUTCOMES = ("made", "lost", "void")
_WHATS = (
    "outcome", "partner", "score", "declarer_score", "trump", "called", "pts", "tricks", "points",
    "conceded",
)  # fmt: skip


def value_words(part: Part, value: str, text: Texts) -> str:
    """One value of a disagreement as a person reads it; what is not known is shown as it is."""
    if not value:
        return text("differences.nothing")
    if part.what == "outcome" and value in _OUTCOMES:
        return text(f"differences.{value}")
    if part.what == "partner":
        if value == "-":
            return text("differences.alone")
        return text.seat(SEATS.index(value)) if value in tuple(SEATS) else value
    if value == "-" and part.what in ("called", "trump"):
        return text("differences.none")
    if part.what == "trump" and value in tuple(SUITS):
        return str(text.raw("replay.suits")[SUITS.index(value)])
    if part.what == "called" and value in CARDS:
        return text.card(value)
    if part.what == "score":
        letters = text.raw("seats.letters")
        spaced = re.sub(r"\b([NESW])(?=[-+0])", lambda m: f"{letters[SEATS.index(m[1])]} ", value)
        return re.sub(r" -(?=\d)", " \N{MINUS SIGN}", spaced).replace(",", ", ")
    return value


def differences(
    told: Sequence[Mapping[str, Any]], text: Texts, key: str, hands: Mapping[int, str] | None = None
) -> str | None:
    """Shows rows of the view ``disagreements``; gives the number of the hand that was chosen.

    ``hands`` are words for each hand by its number; without them the table is of one hand and
    leads nowhere.
    """
    if not told:
        return None
    rows = [
        Row(
            "" if hands is None else str(d["hand_id"]),
            (
                *(() if hands is None else (Cell(hands.get(d["hand_id"], str(d["hand_id"]))),)),
                Cell(text(f"differences.{p.what}") if p.what in _WHATS else p.what),
                Cell(value_words(p, p.kept, text)),
                Cell(value_words(p, p.other, text)),
                Cell(f"{d['source']}:{d['line']}" if d["line"] else str(d["source"])),
            ),
        )
        for d in told
        for p in parts(d["kept"], d["other"])
    ]
    columns = [
        *([] if hands is None else [Column(text("differences.c_hand"), lead=True)]),
        Column(text("differences.c_what"), lead=hands is None),
        Column(text("differences.c_kept")),
        Column(text("differences.c_other")),
        Column(text("differences.c_place"), wide=True),
    ]
    st.warning(text("differences.title", n=text.number(len(told))), icon=":material/rule:")
    chosen = table(
        columns,
        rows[:SHOWN],
        text,
        key=key,
        caption=text("differences.caption"),
        action="" if hands is None else text("differences.open"),
    )
    if len(rows) > SHOWN:
        st.text(text("import.more", n=text.number(len(rows) - SHOWN)))
    return chosen
