"""Puzzles: the day's decisions from one's own games, answered by choosing a card."""

import datetime as dt

import streamlit as st

from engine.cards import CARDS
from pandoeren_replay.puzzles import Puzzle, candidates, daily
from pandoeren_replay.store import Store
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.puzzle import puzzle as show_puzzle
from pandoeren_replay.ui.fairness import reviewing
from pandoeren_replay.ui.pages.hands import empty_store
from pandoeren_replay.ui.payload import player_name
from pandoeren_replay.ui.puzzling import puzzle_data, role_of
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

_ANSWERS = "puzzle_answers"
_AT = "puzzle_at"
FIRST_HANDS = 40
"""Hands to begin with where none is judged: some minutes of work."""


def page() -> None:
    """Shows the day's set, or how to get one."""
    text = session.texts()
    source = session.source()
    st.header(text("puzzles.title"))
    if source.is_empty:
        empty_store(text)
        return
    st.text(text("puzzles.what"))
    found = _candidates(source.path, source.generation)
    if not found:
        _nothing(source, text)
        return
    chosen = _whose(found, text)
    day = _day()
    of_day = daily([p for p in found if chosen is None or p.player == chosen], day)
    _set(of_day, day, source, text)


@st.cache_data(show_spinner=False, max_entries=20)
def _candidates(path: str, generation: int) -> list[Puzzle]:
    return candidates(Store(path))


def _nothing(source: Source, text: Texts) -> None:
    judged = source.sql("SELECT count(*) AS n FROM reviews").item()
    st.info(text("puzzles.none_found" if judged else "puzzles.none"), icon=":material/extension:")
    latest = source.sql(
        f"SELECT max(hand_id) - {FIRST_HANDS} AS n FROM hands WHERE plays > 0"
    ).item()
    if not judged and latest is not None and latest > 0:
        st.text(text("puzzles.part", n=FIRST_HANDS))
        reviewing(source, f"number>{latest}", text, "puzzles")
    else:
        reviewing(source, "", text, "puzzles")


def _whose(found: list[Puzzle], text: Texts) -> str | None:
    """Whose puzzles; ``None`` for everybody's. Names are data: a list shows them as text."""
    names = sorted({p.player for p in found if p.player})
    if len(names) < 2:
        return None
    asked = st.query_params.get("name", "")
    picked = st.selectbox(
        text("puzzles.whose"),
        ["", *names],
        index=names.index(asked) + 1 if asked in names else 0,
        format_func=lambda n: player_name(n) if n else text("puzzles.everybody"),
        key="puzzle_whose",
    )
    return picked or None


def _day() -> dt.date:
    """Today, or the day of the address."""
    try:
        return dt.date.fromisoformat(st.query_params.get("day", ""))
    except ValueError:
        return dt.date.today()


def _set(of_day: list[Puzzle], day: dt.date, source: Source, text: Texts) -> None:
    answers: dict[str, str] = st.session_state.setdefault(_ANSWERS, {})
    at = min(int(st.session_state.get(_AT, 0)), len(of_day) - 1)
    right = sum(p.id in answers and p.right(CARDS.index(answers[p.id])) for p in of_day)
    answered = sum(p.id in answers for p in of_day)
    heading = [
        text("puzzles.day", date=text.date(day.isoformat())),
        text("puzzles.number", n=at + 1, of=len(of_day)),
    ]
    if answered:
        heading.append(text("puzzles.score", n=right, of=answered))
    st.text(" · ".join(heading))
    one = of_day[at]
    if one.simulated:
        st.warning(text("puzzles.simulated"), icon=":material/smart_toy:")
    st.subheader(text("puzzles.ask", seat=text.seat(one.decision.seat)))
    data = puzzle_data(source.replay(one.hand), one, text, answers.get(one.id))
    answer = show_puzzle(data, key=f"puzzle_{one.id}")
    if answer is not None and one.id not in answers:
        answers[one.id] = answer
        st.rerun()
    if one.id in answers:
        _explanation(one, answers[one.id], source, text)
    with st.container(horizontal=True):
        if st.button(text("puzzles.previous"), icon=":material/arrow_back:", disabled=at == 0):
            st.session_state[_AT] = at - 1
            st.rerun()
        last = at == len(of_day) - 1
        if st.button(text("puzzles.next"), icon=":material/arrow_forward:", disabled=last):
            st.session_state[_AT] = at + 1
            st.rerun()


def _explanation(one: Puzzle, answer: str, source: Source, text: Texts) -> None:
    d = one.decision
    assert d.best is not None
    card = CARDS.index(answer)
    if one.right(card):
        st.success(text("puzzles.right"), icon=":material/check_circle:")
    else:
        st.error(text("puzzles.wrong"), icon=":material/cancel:")
    st.text(
        text(
            "puzzles.best", card=text.card(CARDS[d.best]), chance=text.percent(d.chances[d.best]),
            played=text.card(CARDS[d.card]), played_chance=text.percent(d.chances[d.card]),
        )
    )  # fmt: skip
    if card not in (d.best, d.card):
        st.text(text("puzzles.yours", card=text.card(answer), chance=text.percent(d.chances[card])))
    side = role_of(source.replay(one.hand), d.seat, one.ply) != "defender"
    st.text(text(f"puzzles.wants_{'made' if side else 'beaten'}", n=text.number(d.deals)))
    if d.open_loss is not None:
        st.text(text("puzzles.open_turned" if d.open_loss > 0 else "puzzles.open_same"))
    navigation.link(
        "replay", text, text("puzzles.to_hand"), {"hand": one.hand, "ply": str(one.ply)}
    )
