"""Studies: lists of hands with comments, in and out as .phn; the latest notes of all hands."""

import streamlit as st

from engine.violations import Language
from pandoeren_replay.notes import Mark, Notes, NotesError, Study, StudyHand
from pandoeren_replay.store import Store
from pandoeren_replay.studies import export_study, import_study
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.noting import local_time, place_words
from pandoeren_replay.ui.payload import contract_label, seat_names
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

LARGEST = 5_000_000
"""Bytes of a study file; what is larger is no list that somebody made by hand."""

_WHO = "notes_who"
_SAID = "studies_said"


def page() -> None:
    """Shows the studies and the latest notes."""
    text = session.texts()
    source = session.source()
    notes = Notes(source.path)
    st.header(text("studies.title"))
    try:
        _page(source, notes, text)
    except NotesError as e:
        st.error(text(f"notes.err_{e.code}"), icon=":material/edit_off:")


def _page(source: Source, notes: Notes, text: Texts) -> None:
    studies = notes.studies()
    if said := st.session_state.pop(_SAID, ""):
        st.text(said)  # names of studies are in it: text, not Markdown
    chosen = _pick(studies, text)
    if chosen is None:
        st.info(text("studies.what"), icon=":material/school:")
        st.text(text("studies.none"))
    else:
        _study(source, notes, chosen, text)
    _new(notes, text)
    _bring_in(source, notes, text)
    _latest(source, notes, text)


def _pick(studies: list[Study], text: Texts) -> Study | None:
    if not studies:
        return None
    by_id = {s.id: s for s in studies}
    asked = st.query_params.get("study", "")
    ids = list(by_id)
    at = ids.index(int(asked)) if asked.isdecimal() and int(asked) in by_id else 0
    # Names are data: in a selection list they are shown as text.
    picked = st.selectbox(
        text("studies.pick"),
        ids,
        index=at,
        format_func=lambda i: by_id[i].name if i in by_id else "",
    )
    if str(picked) != asked:
        st.query_params["study"] = str(picked)
    return by_id[picked]


def _study(source: Source, notes: Notes, study: Study, text: Texts) -> None:
    at = local_time(study.at, text)
    who = study.who or text("replay.note_somebody")
    st.text(text("studies.by", who=who, at=at, n=study.hands))
    hands = notes.hands_of(study.id)
    if not hands:
        st.info(text("studies.empty"), icon=":material/playlist_add:")
    labels = {h.hand: _label(source, h.hand, text) for h in hands}
    columns = [
        Column(text("studies.c_no"), number=True),
        Column(text("studies.c_hand"), lead=True),
        Column(text("studies.c_comment"), wide=True),
    ]
    rows = [
        Row(
            h.hand if labels[h.hand] else "",
            (
                Cell(str(i), i),
                Cell(
                    labels[h.hand] or text("studies.gone"), kind="" if labels[h.hand] else "muted"
                ),
                Cell(h.comment),
            ),
        )
        for i, h in enumerate(hands, 1)
    ]
    if rows:
        opened = table(
            columns, rows, text,
            key="study_hands", caption=study.name, action=text("studies.open"), sortable=False,
        )  # fmt: skip
        if opened:
            session.keep_list([h.hand for h in hands if labels[h.hand]])
            navigation.open_page("replay", text, {"hand": opened})
        st.download_button(
            text("studies.export"),
            export_study(source.store, notes, study.id) if source.generation else "",
            file_name=f"{_file_name(study.name)}.phn",
            mime="text/plain",
            icon=":material/download:",
        )
    _edit(notes, study, hands, labels, text)


def _file_name(name: str) -> str:
    """A name that every file system takes.

    >>> _file_name("Les 3: verzaken / troef")
    'Les-3-verzaken-troef'
    """
    kept = "".join(c if c.isalnum() else " " for c in name)
    return "-".join(kept.split())[:60] or "studie"


def _label(source: Source, hand: str, text: Texts) -> str:
    """A hand in words; empty where it is not in the store."""
    if not source.generation or source.find(hand) is None:
        return ""
    return _in_words(source.path, source.generation, hand, text.lang)


@st.cache_data(show_spinner=False, max_entries=2000)
def _in_words(path: str, generation: int, hand: str, lang: Language) -> str:
    text = Texts(lang)
    replay = Store(path).replay(hand)
    o = replay.outcome
    label = contract_label(replay, text)
    if not o.passed_out and o.declarer is not None:
        label = text("replay.title", name=seat_names(replay, text)[o.declarer], contract=label)
    parts = [label]
    if date := replay.record.get("date"):
        parts.append(text.date(date))
    if number := replay.record.get("hand"):
        parts.append(text("replay.hand_no", n=number))
    return " · ".join(parts)


def _who(text: Texts, key: str) -> str:
    given = st.text_input(
        text("studies.who"), value=st.session_state.get(_WHO, ""), max_chars=60, key=key
    )
    st.session_state[_WHO] = given
    return given


def _done(words: str = "") -> None:
    st.session_state[_SAID] = words
    st.rerun()


def _edit(
    notes: Notes, study: Study, hands: list[StudyHand], labels: dict[str, str], text: Texts
) -> None:
    with st.expander(text("studies.change")):
        if hands:
            _edit_hand(notes, study, hands, labels, text)
        name = st.text_input(
            text("studies.rename"), value=study.name, max_chars=110, key=f"rename_{study.id}"
        )
        if name.strip() and name.strip() != study.name:
            notes.rename_study(study.id, name)
            _done()
        sure = st.checkbox(text("studies.remove_sure"), key=f"sure_{study.id}")
        if st.button(text("studies.remove"), disabled=not sure):
            notes.remove_study(study.id)
            _done()


def _edit_hand(
    notes: Notes, study: Study, hands: list[StudyHand], labels: dict[str, str], text: Texts
) -> None:
    number = {h.hand: i for i, h in enumerate(hands, 1)}
    picked = st.selectbox(
        text("studies.which"),
        list(number),
        format_func=lambda h: f"{number.get(h, 0)}. {labels.get(h) or text('studies.gone')}",
        key=f"hand_{study.id}",
    )
    entry = next(h for h in hands if h.hand == picked)
    with st.container(horizontal=True):
        if st.button(
            text("studies.up"), icon=":material/arrow_upward:", disabled=number[picked] == 1
        ):
            notes.move(study.id, picked, -1)
            _done()
        last = number[picked] == len(hands)
        if st.button(text("studies.down"), icon=":material/arrow_downward:", disabled=last):
            notes.move(study.id, picked, 1)
            _done()
        if st.button(text("studies.take_out"), icon=":material/playlist_remove:"):
            notes.take_out(study.id, picked)
            _done()
    comment = st.text_area(
        text("studies.comment"), value=entry.comment, max_chars=4000, key=f"comment_{picked}"
    )
    if st.button(text("studies.save")):
        notes.put(study.id, picked, comment, st.session_state.get(_WHO, "") or entry.who)
        _done()


def _new(notes: Notes, text: Texts) -> None:
    with st.expander(text("studies.new")):
        who = _who(text, "new_who")
        name = st.text_input(text("studies.name"), max_chars=110, key="new_name")
        if st.button(text("studies.make"), type="primary", disabled=not name.strip()):
            st.query_params["study"] = str(notes.new_study(name, who))
            _done()


def _bring_in(source: Source, notes: Notes, text: Texts) -> None:
    with st.expander(text("studies.import")):
        who = _who(text, "import_who")
        file = st.file_uploader(text("studies.import_file"), type=["phn", "txt"])
        if file is None or not st.button(text("studies.import_go"), type="primary"):
            return
        if file.size > LARGEST:
            raise NotesError("too-long", f"a study of more than {LARGEST} bytes")
        name = file.name.rsplit(".", 1)[0][:100] or "studie"
        written = file.getvalue().decode("utf-8-sig", "replace")
        made = import_study(source.store, notes, written, who, name)
        st.query_params["study"] = str(made.study)
        words = text("studies.imported", name=made.name, n=made.hands)
        if made.rejects:
            words = f"{words} {text('studies.rejected', n=len(made.rejects))}"
        _done(words)


def _latest(source: Source, notes: Notes, text: Texts) -> None:
    st.subheader(text("studies.marks"))
    marks = notes.latest(100)
    if not marks:
        st.text(text("studies.marks_none"))
        return
    columns = [
        Column(text("studies.c_what"), lead=True, wide=True),
        Column(text("studies.c_hand"), wide=True),
        Column(text("studies.c_where"), wide=True),
        Column(text("studies.c_who"), wide=True),
        Column(text("studies.c_when")),
    ]
    rows = [_mark_row(source, m, text) for m in marks]
    opened = table(
        columns, rows, text,
        key="latest_marks", caption=text("studies.marks"), action=text("studies.open"),
        sortable=False,
    )  # fmt: skip
    if opened:
        mark = next(m for m in marks if str(m.id) == opened)
        session.keep_list([mark.hand])
        place = {} if mark.place == "h" else {"ply": mark.place}
        navigation.open_page("replay", text, {"hand": mark.hand, **place})


def _mark_row(source: Source, mark: Mark, text: Texts) -> Row:
    label = _label(source, mark.hand, text)
    where = place_words(source.replay(mark.hand), mark.place, text) if label else ""
    what = mark.text
    if mark.kind == "star":
        what = text("studies.star")
    elif mark.kind == "tag":
        what = text("studies.tag", tag=mark.text)
    return Row(
        str(mark.id) if label else "",
        (
            Cell(what),
            Cell(label or text("studies.gone"), kind="" if label else "muted"),
            Cell(where),
            Cell(mark.who),
            Cell(local_time(mark.at, text)),
        ),
    )
