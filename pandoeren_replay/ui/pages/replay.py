"""Replay: one hand on the table, stepped in the browser; verdicts, other lines and notes."""

import re
import threading
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pandoeren_replay.annotate_stored import from_rows
from pandoeren_replay.notes import Notes, NotesError
from pandoeren_replay.studies import hand_text, stored_record
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.replayer import replayer
from pandoeren_replay.ui.differences import differences
from pandoeren_replay.ui.fairness import hand_verdicts
from pandoeren_replay.ui.noting import carry_out, notes_data
from pandoeren_replay.ui.pages.solve import contracts
from pandoeren_replay.ui.payload import Around, hand_payload
from pandoeren_replay.ui.solving import DealError, solving
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.verdicts import DESK, Job, verdict_data, verdicts
from pandoeren_replay.ui.whatif import Line, play_line
from parsers.phn import write_phn_file

_KEY = "replayer"
_RELOAD = "replayer_other_hand"
_MESSAGE = "replayer_message"
_ANSWERED = "replayer_answered"

# Longer than most hands take, short enough not to be felt; after that the browser asks again.
_PATIENCE = 0.15


def page() -> None:
    """Shows the hand that the address names, at the card it names."""
    text = session.texts()
    source = session.source()
    asked = st.query_params.get("hand") or st.session_state.get("last_hand")
    if not asked:
        st.info(text("replay_page.none"), icon=":material/touch_app:")
        navigation.link("hands", text, text("replay_page.to_hands"))
        return
    key = source.find(asked)
    if key is None:
        st.warning(text("replay_page.missing"), icon=":material/search_off:")
        st.text(asked[:200])
        navigation.link("hands", text, text("replay_page.to_hands"))
        return
    st.session_state["last_hand"] = key
    _table(key)
    _contracts(source, key, text)
    _disagreements(source, key, text)
    with st.container(horizontal=True):
        navigation.link("correct", text, text("replay_page.to_correct"), {"hand": key})
        navigation.link("solve", text, text("replay_page.to_solve"), {"hand": key})


def _contracts(source: Source, key: str, text: Texts) -> None:
    """On demand, what each player could make with the cards of this hand."""
    if not st.toggle(text("solve.in_replay"), key="replay_contracts"):
        return
    played = source.replay(key)
    try:
        found = solving(played.deal_text, played.dealer or 0, played.rules, played)
    except DealError:
        st.info(text("solve.not_whole"), icon=":material/help:")
        return
    st.text(text("solve.what"))
    contracts(found, played.rules, text)


def _disagreements(source: Source, key: str, text: Texts) -> None:
    """What another source of this hand says otherwise."""
    told = source.store.rows(
        "SELECT * FROM disagreements WHERE hand_id = ? ORDER BY ALL", [source.number(key)]
    )
    differences(told, text, "replay_differences")


@st.fragment
def _table(key: str) -> None:
    text = session.texts()
    source = session.source()
    want = _wanted(key)
    line, played = _line(key, want), None
    if line is not None:
        played = _ask(source, key, line)
    around = Around(*session.neighbours(key))
    payload = source.payload(key, text.lang, around)
    if line is not None and played is not None and played.state == "done":
        payload = _line_payload(source, key, line, played, text, payload)
    payload["waiting"] = _waiting(played, text)
    payload["verdicts"] = _verdicts(source, key, want, line, played, text)
    if payload["verdicts"]["state"] == "done" and line is None:
        # Of what was played both figures: with open cards, and with what the player could see.
        payload["verdicts"]["fair"] = hand_verdicts(source, key, text)
    notes = Notes(source.path)
    payload["notes"] = {
        **notes_data(notes, key, source.replay(key), text),
        "answered": st.session_state.get(_ANSWERED, 0),
    }
    if message := st.session_state.pop(_MESSAGE, ""):
        payload["notes"]["message"] = message
    payload["phn"] = _notation(source, notes, key)
    payload["start"] = _start(st.query_params.get("ply", ""))
    replayer(payload, key=_KEY, on_other=_other, on_do=_do)
    if st.session_state.pop(_RELOAD, False):
        st.rerun()


def _notation(source: Source, notes: Notes, key: str) -> str:
    """The hand as .phn with its notes; without them where they cannot be read (that is told)."""
    try:
        return hand_text(source.store, notes, key)
    except NotesError:
        record = stored_record(source.store, key)
        return write_phn_file([record]) if record else ""


def _start(asked: str) -> str:
    """The step an address asks for; anything that is none is the first card."""
    return asked if re.fullmatch(r"a?\d{1,3}", asked) else "0"


def _wanted(key: str) -> Mapping[str, Any]:
    """What the browser asked for: verdicts or none, another line of this hand."""
    state = st.session_state.get(_KEY)
    want = getattr(state, "want", None)
    return want if isinstance(want, Mapping) else {}


def _line(key: str, want: Mapping[str, Any]) -> Line | None:
    """The line to show: what the browser asked for last, else what the address says."""
    asked = want.get("line")
    if isinstance(asked, Mapping) and asked.get("key") == key:
        return Line.parse(str(asked.get("text", ""))[:100])
    return Line.parse(st.query_params.get("line", "")[:100])


def _ask(source: Source, key: str, line: Line | None) -> Job:
    """The solver's job for a hand or a line of it."""

    stop = threading.Event()

    def work() -> Any:
        hand = source.replay(key)
        played = hand if line is None else play_line(hand, line)
        return played, verdicts(played, stop)

    name = (source.path, source.generation, key, line)
    return DESK.ask(name, work, stop).wait(_PATIENCE)


def _line_payload(
    source: Source, key: str, line: Line, played: Job, text: Texts, real: dict[str, Any]
) -> dict[str, Any]:
    around = Around(real["previous"], real["next"], None)
    hand, _ = played.answer
    made = hand_payload(
        hand, text.lang, key=key, simulated=real["simulated"], around=around, line=line
    )
    return {**made, "subtitle": real["subtitle"]}


def _waiting(job: Job | None, text: Texts) -> dict[str, Any] | None:
    """What to say while another line is not there yet, or why it will not come."""
    if job is None or job.state == "done":
        return None
    if job.state == "running":
        words = text("replay.whatif_waiting", n=round(job.seconds))
        return {"running": True, "words": words, "hint": _hint(text)}
    return {"running": False, "words": _why_not(job, text), "hint": ""}


def _why_not(job: Job, text: Texts) -> str:
    if job.state == "impossible":
        return text("replay.review_impossible", reason=job.reasons[text.lang == "nl"])
    return text("replay.review_failed")


def _hint(text: Texts) -> str:
    return "" if DESK.warm else text("replay.review_cold")


def _verdicts(
    source: Source,
    key: str,
    want: Mapping[str, Any],
    line: Line | None,
    played: Job | None,
    text: Texts,
) -> dict[str, Any]:
    """Verdicts of what is shown: asked for (by the address too), or shown by themselves where they
    are stored.
    """
    asked = want.get("verdicts")
    if asked is None and "verdicts" in st.query_params:
        asked = True
    stored = [] if line is not None else source.evaluations(key)
    if asked is False or (asked is None and not stored):
        if want.get("cancelled") == key:
            DESK.cancel((source.path, source.generation, key, line))
        return {"state": "off"}
    if stored:
        found = from_rows(source.replay(key), stored)
        if found is not None:
            return {"state": "done", **verdict_data(found, text.lang, stored=True)}
    job = played if played is not None else _ask(source, key, None)
    if job.state == "done":
        return {"state": "done", **verdict_data(job.answer[1], text.lang, stored=False)}
    if job.state == "running":
        words = text("replay.review_running", n=round(job.seconds))
        return {"state": "running", "words": words, "hint": _hint(text)}
    return {"state": job.state, "words": _why_not(job, text)}


def _other() -> None:
    wanted = st.session_state[_KEY].goto
    if isinstance(wanted, str) and session.source().find(wanted):
        st.query_params.from_dict({"hand": wanted})
        st.session_state["last_hand"] = wanted
        st.session_state[_RELOAD] = True


def _do() -> None:
    """Writes what the viewer asked to have written."""
    asked = st.session_state[_KEY].do
    key = st.session_state.get("last_hand")
    if not isinstance(asked, Mapping) or not key:
        return
    notes = Notes(session.source().path)
    st.session_state[_MESSAGE] = carry_out(notes, key, asked, session.texts())
    number = asked.get("n")
    st.session_state[_ANSWERED] = number if isinstance(number, (int, float)) else 0
