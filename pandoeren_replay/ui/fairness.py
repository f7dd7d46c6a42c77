"""Verdicts by what a player could see, for the pages: read from the store, or worked out beside.

One hand is reviewed in a thread of its own when somebody looks at it, and kept in memory; many
hands (an evening, a player's) by a job that writes into the store, shows how far it is, and can be
stopped: what it has finished stays.
"""

import threading
from collections.abc import Sequence
from typing import Any

import streamlit as st

from engine.inference import NotKnown
from engine.state import Replay
from pandoeren_replay.fair_review import WORDS
from pandoeren_replay.players.stored_bids import stored_bids
from pandoeren_replay.reviewed import Row, missing, review_all, review_rows, stored_reviews
from pandoeren_replay.store import Store
from pandoeren_replay.ui.jobs import Job
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.verdicts import Desk

PATIENCE = 0.1
LOOK_EVERY = 1.0

_desk = Desk()
_at: dict[tuple[str, str], tuple[int, int]] = {}
_lock = threading.Lock()
_jobs: dict[tuple[str, str], Job] = {}


# -- one hand --------------------------------------------------------------------------------------


def hand_verdicts(source: Source, key: str, text: Texts) -> dict[str, Any]:
    """The fair verdicts of a hand for the replayer: there, or on their way with how far they are.

    ``state`` is ``done``, ``running`` (the browser asks again) or ``impossible``.
    """
    hand = source.replay(key)
    if not hand.record.plays:
        return {"state": "impossible", "words": text("fair.impossible")}
    rows = _stored(source, key)
    if rows:
        return {"state": "done", **verdict_data(hand, rows, text)}
    name = (source.path, key)

    def work() -> tuple[Row, ...] | None:
        try:
            bids = stored_bids(source.store, hand.rules).without(source.number(key))
            return review_rows(
                0, hand, progress=lambda n, of: _at.__setitem__(name, (n, of)), bids=bids
            )
        except NotKnown:
            return None
        finally:
            _at.pop(name, None)

    job = _desk.ask((source.path, source.generation, key), work).wait(PATIENCE)
    if job.state == "running":
        n, of = _at.get(name, (0, len(hand.record.plays)))
        return {"state": "running", "words": text("fair.running", n=n, of=of)}
    if job.state == "failed":
        return {"state": "impossible", "words": text("replay.review_failed")}
    if job.answer is None:
        return {"state": "impossible", "words": text("fair.impossible")}
    return {"state": "done", **verdict_data(hand, job.answer, text)}


def _stored(source: Source, key: str) -> tuple[Row, ...]:
    found = _stored_rows(source.path, source.generation, key)
    return tuple(Row(*r) for r in found)


@st.cache_data(show_spinner=False, max_entries=200)
def _stored_rows(path: str, generation: int, key: str) -> list[tuple[Any, ...]]:
    store = Store(path)
    hand_id = store.find(key)
    return [tuple(r) for r in stored_reviews(store, [hand_id]).get(hand_id, ())]


def verdict_data(hand: Replay, rows: Sequence[Row], text: Texts) -> dict[str, Any]:
    """Verdicts as the browser gets them: sentences in the viewer's language, cards by name."""
    cards: list[dict[str, Any] | None] = [None] * len(hand.record.plays)
    bid = ""
    rests_on = next((r.bids for r in rows if r.bids), None)
    for row in rows:
        if row.kind == "bid":
            bid = bid_words(hand, row, text)
        elif row.ply is not None:
            cards[row.ply] = {
                "ply": row.ply,
                "seat": row.seat,
                "card": row.choice,
                "best": row.best,
                "verdict": row.verdict,
                "words": card_words(row, text),
                "word": WORDS[row.verdict][text.lang],
                "lost": "" if row.loss is None else f"−{text.percent(row.loss)}",
            }
    weighed = "" if rests_on is None else text("fair.weighed", n=text.number(rests_on))
    return {"cards": cards, "bid": bid, "weighed": weighed}


def card_words(row: Row, text: Texts) -> str:
    """What the fair measure says of a card: verdict, its chance, the best one's."""
    verdict = WORDS[row.verdict][text.lang]
    if row.value is None or row.best is None or row.best_value is None:
        return text("fair.line_short", verdict=verdict)
    best = text.percent(row.best_value)
    said = text(
        "fair.line", verdict=verdict, chance=text.percent(row.value),
        best=text.card(row.best), best_chance=best,
    )  # fmt: skip
    if row.misled:
        said = f"{said} {text('fair.misled')}"
    return said


def bid_words(hand: Replay, row: Row, text: Texts) -> str:
    """What the fair measure says of the bid that was played."""
    value = row.value or 0.0
    said = text(
        f"fair.bid_{row.verdict}",
        bid=text.contract(hand.rules, row.choice),
        chance=text.percent(row.chance or 0.0),
        score=text.number(value, 1, sign=True),
    )
    if row.verdict == "underbid" and row.best is not None:
        better = text.number(row.best_value or 0.0, 1, sign=True)
        more = text("fair.bid_better", bid=text.contract(hand.rules, row.best), score=better)
        said = f"{said} {more}"
    return said


# -- many hands ------------------------------------------------------------------------------------


def begin(path: str, where: str) -> Job:
    """The job that reviews the hands of a filter; asked for twice it is one job."""
    with _lock:
        job = _jobs.get((path, where))
        if job is None or job.over:
            job = Job(lambda say: review_all(Store(path), where, progress=say)).start()
            _jobs[path, where] = job
        return job


def reviewing(source: Source, where: str, text: Texts, key: str) -> None:
    """Offers to review the hands of a filter that are not reviewed yet; shows how far it is."""
    job = _jobs.get((source.path, where))
    if job is not None and not job.over:
        _progress(source.path, where, text.lang, key)
        return
    if job is not None and job.error is not None and not job.cancelled:
        st.error(text("fair.failed"), icon=":material/error:")
    todo = unreviewed(source, where)
    if not todo:
        return
    st.text(text("fair.todo", n=text.number(todo)))
    if st.button(text("fair.begin"), key=f"fair_begin_{key}", icon=":material/balance:"):
        begin(source.path, where)
        st.rerun()


def unreviewed(source: Source, where: str) -> int:
    """How many hands of a filter are not reviewed yet."""
    return _unreviewed(source.path, source.generation, where)


@st.cache_data(show_spinner=False, max_entries=50)
def _unreviewed(path: str, generation: int, where: str) -> int:
    todo, _ = missing(Store(path), where)
    return len(todo)


def _progress(path: str, where: str, lang: str, key: str) -> None:
    text = Texts(lang)  # type: ignore[arg-type]

    @st.fragment(run_every=LOOK_EVERY)
    def look() -> None:
        job = _jobs[path, where]
        if job.over:
            st.rerun()
        _, done, of = job.at
        words = text("fair.job", n=text.number(done), of=text.number(of))
        st.progress(min(1.0, done / of) if of else 0.0, words)
        if st.button(text("fair.stop"), key=f"fair_stop_{key}", icon=":material/stop:"):
            job.stop()
            job.wait(10)
            st.rerun()

    look()


__all__ = [
    "begin",
    "bid_words",
    "card_words",
    "hand_verdicts",
    "reviewing",
    "unreviewed",
    "verdict_data",
]
