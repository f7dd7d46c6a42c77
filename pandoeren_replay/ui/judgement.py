"""What the engine says of a hand, in words: contract, outcome, what broke the rules."""

import streamlit as st

from engine.state import Replay
from engine.violations import Violation
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.payload import contract_label, player_name, result_of, seat_names
from pandoeren_replay.ui.texts import Texts

_KINDS = {"error": "bad", "warning": "badge", "info": "muted"}


def headline(replay: Replay, text: Texts) -> str:
    """``Cor (Zuid) speelt 130 punten: gehaald``, as far as it is known."""
    outcome = replay.outcome
    if outcome.passed_out:
        return text("replay.title_passed")
    title = text("replay.title_unknown")
    if outcome.declarer is not None:
        who = player_name(replay.record.player(outcome.declarer))
        who = who or seat_names(replay, text)[outcome.declarer]
        title = text("replay.title", name=who, contract=contract_label(replay, text))
    return f"{title}: {result_of(outcome, replay.record.result.outcome, text)[1]}"


def summary(replay: Replay, text: Texts, key: str) -> None:
    """Shows what became of a hand: contract, result, points, score."""
    # Names are data: a heading would read them as Markdown.
    with st.container(key=f"judged_{key}"):
        st.text(headline(replay, text))
    outcome = replay.outcome
    facts = []
    if outcome.points is not None and outcome.trump is not None and replay.record.plays:
        side, other = outcome.points
        facts.append(text("judged.points", side=side, other=other))
    if outcome.meld is not None and any(outcome.meld):
        facts.append(text("judged.meld", n=outcome.meld[0], other=outcome.meld[1]))
    if outcome.score is not None:
        changes = (f"{text.seat(i)} {text.change(n)}" for i, n in enumerate(outcome.score))
        facts.append(text("judged.score", list=", ".join(changes)))
    if facts:
        st.text(" · ".join(facts))


def faults(replay: Replay, text: Texts, key: str) -> None:
    """Shows what was wrong with a hand, rule by rule, and what its record lacks."""
    found = [v for v in replay.violations if v.severity != "info"]
    if not found:
        st.success(text("replay.no_violations"), icon=":material/check_circle:")
    shown = [*found, *(v for v in replay.violations if v.severity == "info")]
    if not shown:
        return
    columns = [
        Column(text("judged.c_kind"), lead=True),
        Column(text("judged.c_place")),
        Column(text("judged.c_what"), wide=True),
    ]
    rows = [
        Row(
            "",
            (
                Cell(text(f"replay.severity_{v.severity}"), kind=_KINDS[v.severity]),
                Cell(_place(v, text)),
                Cell(v.message(text.lang)),
            ),
            muted=v.severity == "info",
        )
        for v in shown
    ]
    table(
        columns, rows, text, key=f"faults_{key}", caption=text("judged.c_what"), action="",
        sortable=False,
    )  # fmt: skip


def _place(v: Violation, text: Texts) -> str:
    if v.call is not None:
        return text("replay.place_auction")
    if v.trick is not None:
        return text("replay.place_trick", n=v.trick)
    return text("replay.place_deal" if v.code.startswith("deal") else "replay.place_record")
