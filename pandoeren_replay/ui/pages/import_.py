"""Import: files or pasted text in, a look at what is in them, totals, rejects, undo."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from engine.rulefile import RuleSetError
from engine.violations import Language
from pandoeren_replay.importer import ImportTotals, RulesFinder, replay_located
from pandoeren_replay.importwords import by_kind
from pandoeren_replay.maintenance import undo_import
from pandoeren_replay.store.encode import is_empty
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.differences import differences
from pandoeren_replay.ui.fixing import bad_lines, put_right
from pandoeren_replay.ui.jobs import Job
from pandoeren_replay.ui.own_rules import rule_choices
from pandoeren_replay.ui.payload import contract_label, player_name, result_of, seat_names
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from parsers.base import Options, Reject
from parsers.base import Source as LogFile
from parsers.detect import read_sources
from parsers.dutch import said

PREVIEWED = 20
SHOWN_REJECTS = 50
PREVIEW_BYTES = 4 * 1024 * 1024
PASTE_LENGTH = 200_000
_JOB = "import_job"
_FIXED = "import_fixed"
_STEPS = ("read", "replay", "write")


@dataclass(frozen=True)
class Preview:
    """What is in some files: hands, the first of them in words, what cannot be read."""

    hands: int
    first: tuple[tuple[str, str, str, str], ...]
    rejects: tuple[Reject, ...]
    warnings: tuple[tuple[str, int, str], ...]


def page() -> None:
    """Takes files in and shows what came of it."""
    text = session.texts()
    source = session.source()
    st.header(text("import.title"))
    done = st.session_state.get("import_done")
    if done is not None:
        # They stay in sight, and nothing below them moves, until something else is brought in.
        _totals(done, text)
    if st.session_state.pop("import_stopped", False):
        st.info(text("import.stopped"), icon=":material/cancel:")
    st.markdown(text("import.what"))
    job = st.session_state.get(_JOB)
    if job is not None:
        _watch(job, text)
        return
    folder = st.toggle(text("import.folder"), key="import_folder")
    uploads = st.file_uploader(
        text("import.folder_files" if folder else "import.files"),
        accept_multiple_files="directory" if folder else True,
        key=f"{'folder' if folder else 'files'}_{_round()}",
    )
    pasted = st.text_area(
        text("import.paste"), height=140, max_chars=PASTE_LENGTH, key=f"paste_{_round()}"
    )
    choices = rule_choices(source.store)
    chosen = st.selectbox(
        text("import.rules"),
        ["", *choices],
        format_func=lambda i: text.of(choices[i][0].name) if i else text("import.rules_as_said"),
    )
    rules = choices[chosen][1] if chosen else ""
    files = [LogFile(f.name, f.getvalue()) for f in uploads or ()]
    if pasted.strip():
        files.append(LogFile(text("import.pasted_name"), pasted.encode()))
    if files:
        _offer(_corrected(files), rules, source, text)
    _imports(source, text)


def _round() -> int:
    """Number of the form: a new one after each import, so that its fields are empty again."""
    return int(st.session_state.get("import_round", 0))


def _offer(files: list[LogFile], rules: str, source: Source, text: Texts) -> None:
    if sum(len(f.data) for f in files) <= PREVIEW_BYTES:
        try:
            seen = _preview(tuple((f.name, f.data) for f in files), rules, text.lang)
        except RuleSetError as e:
            _failed(e, text)
            return
        _show_preview(seen, text)
        _fix(files, seen.rejects, text)
        if not seen.hands and not seen.rejects:
            st.info(text("import.nothing"), icon=":material/search_off:")
            return
    else:
        st.info(text("import.large"), icon=":material/hourglass:")
    if not st.button(
        text("import.go"), key="import_go", type="primary", icon=":material/download:"
    ):
        return
    options = Options(rules=rules or None)
    store = source.store
    st.session_state.pop("import_done", None)
    job = Job(lambda say: store.import_(files, options, "auto", say)).start()
    st.session_state[_JOB] = job
    _watch(job, text)


def _watch(job: Job, text: Texts) -> None:
    """Shows how far an import is until it is over; the viewer can stop it."""
    if st.button(text("import.stop"), key="import_stop", icon=":material/cancel:"):
        job.stop()
    bar = st.progress(0.0, text("import.reading"))
    while not job.wait(0.1):
        what, n, of = job.at
        label = text(f"import.step_{what}") if what in _STEPS else text("import.reading")
        if job.stopping.is_set():
            label = text("import.stopping")
        bar.progress(min(1.0, n / of) if of else 0.0, label)
    del st.session_state[_JOB]
    if job.error is None:
        st.session_state["import_done"] = job.result
        st.session_state["import_round"] = _round() + 1
        st.session_state.pop(_FIXED, None)
    elif job.cancelled:
        st.session_state["import_stopped"] = True
    elif isinstance(job.error, (StoreError, RuleSetError)):
        _failed(job.error, text)
        return
    else:
        raise job.error
    st.rerun()


def _failed(error: Exception, text: Texts) -> None:
    st.error(text("import.failed"), icon=":material/error:")
    st.text(str(error))


def _corrected(files: list[LogFile]) -> list[LogFile]:
    """The files with the lines that the viewer has put right."""
    fixed: dict[tuple[str, str], bytes] = st.session_state.get(_FIXED, {})
    return [LogFile(f.name, fixed.get((f.name, _digest(f.data)), f.data)) for f in files]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _fix(files: list[LogFile], rejects: Sequence[Reject], text: Texts) -> None:
    """Lets the viewer put unreadable lines right, and reads the files once more."""
    bad = bad_lines(files, rejects)
    if not bad:
        return
    with st.form("import_fix", border=True):
        st.markdown(text("import.fix"))
        # A new form for every state of the files: its fields start with what stands there now.
        stamp = hashlib.sha256(b"".join(f.data for f in files)).hexdigest()[:12]
        typed = []
        for i, b in enumerate(bad):
            st.text(
                text("import.fix_why", line=b.line, source=b.source, why=said(b.why, text.lang))
            )
            label = text("import.fix_line", line=b.line)
            field = st.text_area if b.count > 1 else st.text_input
            typed.append(field(label, b.text, key=f"fix_{stamp}_{i}"))
        if not st.form_submit_button(text("import.fix_read"), icon=":material/refresh:"):
            return
    fixed: dict[tuple[str, str], bytes] = dict(st.session_state.get(_FIXED, {}))
    for file in files:
        changes = [(b, t) for b, t in zip(bad, typed) if b.source == file.name and t != b.text]
        if changes:
            now = (file.name, _digest(file.data))
            known = (k for k, data in fixed.items() if (k[0], _digest(data)) == now)
            fixed[next(known, now)] = put_right(file, changes).data
    st.session_state[_FIXED] = fixed
    st.rerun()


@st.cache_data(
    show_spinner=False, max_entries=8, hash_funcs={bytes: lambda b: hashlib.sha256(b).digest()}
)
def _preview(files: tuple[tuple[str, bytes], ...], rules: str, lang: Language) -> Preview:
    text = Texts(lang)
    options = Options(rules=rules or None)
    result = read_sources([LogFile(n, d) for n, d in files], options)
    finder = RulesFinder(options)
    rejects = list(result.rejects)
    hands = [h for h in result.hands if not is_empty(h.record)]
    first = []
    for hand in hands[:PREVIEWED]:
        played = replay_located(hand, finder)
        if played.replay is None:
            if played.reject is not None:
                rejects.append(played.reject)
            continue
        r = played.replay
        who = r.outcome.declarer
        errors = sum(v.severity == "error" for v in r.violations)
        first.append(
            (
                seat_names(r, text)[who] if who is not None else text("hands.no_declarer"),
                contract_label(r, text),
                result_of(r.outcome, r.record.result.outcome, text)[1],
                str(errors) if errors else "",
            )
        )
    # What is to be said of one hand counts here too: it comes with the totals afterwards.
    warnings = [(w.source, w.line, w.message) for w in result.warnings]
    warnings += [(h.source, h.line, w) for h in hands for w in h.warnings]
    return Preview(len(hands), tuple(first), tuple(rejects), tuple(warnings))


def _show_preview(seen: Preview, text: Texts) -> None:
    st.subheader(text("import.preview"))
    st.text(text("import.preview_count", n=text.number(seen.hands)))
    if seen.first:
        columns = [
            Column(text("hands.c_declarer"), lead=True),
            Column(text("hands.c_contract"), wide=True),
            Column(text("hands.c_result")),
            Column(text("hands.c_errors"), number=True),
        ]
        rows = [Row("", tuple(Cell(c) for c in line)) for line in seen.first]
        table(columns, rows, text, key="import_preview", caption=text("import.preview"), action="")
        if seen.hands > len(seen.first):
            st.text(text("import.more", n=seen.hands - len(seen.first)))
    _rejects(seen.rejects, text, "preview")
    _warnings(seen.warnings, text)


def _warnings(notes: Sequence[tuple[str, int, str]], text: Texts) -> None:
    """What is to be said of the files and hands: of one kind once, with the first place."""
    for kind in by_kind(notes)[:SHOWN_REJECTS]:
        what = f"{kind.place}: {said(kind.sentence, text.lang)}"
        if kind.times > 1:
            what = text("import.times", what=what, n=kind.times)
        st.text(text("import.warning", what=what))


def _rejects(rejects: Sequence[Reject], text: Texts, key: str) -> None:
    if not rejects:
        return
    st.warning(text("import.rejects", n=len(rejects)), icon=":material/report:")
    columns = [
        Column(text("import.c_place"), lead=True),
        Column(text("import.c_why"), wide=True),
        Column(text("import.c_raw"), wide=True),
    ]
    rows = [
        Row(
            "",
            (
                Cell(f"{r.source}:{r.line}:{r.column}"),
                Cell(said(r.message, text.lang)),
                Cell(r.raw if len(r.raw) <= 160 else r.raw[:159] + "…"),
            ),
        )
        for r in rejects[:SHOWN_REJECTS]
    ]
    table(columns, rows, text, key=f"rejects_{key}", caption=text("import.c_why"), action="")


def _totals(t: ImportTotals, text: Texts) -> None:
    st.success(
        text(
            "import.totals",
            read=text.number(t.read),
            stored=text.number(t.stored),
            duplicate=text.number(t.duplicate),
            rejected=text.number(t.rejected),
            empty=text.number(t.empty),
        ),
        icon=":material/check_circle:",
    )
    if t.merged:
        st.text(text("import.merged", n=text.number(t.merged)))
    _disagreements(t, text)
    if t.with_errors:
        st.text(text("import.with_errors", n=text.number(t.with_errors)))
    _rejects(t.rejects, text, "done")
    _warnings([(w.source, w.line, w.message) for w in t.warnings], text)
    if t.stored:
        query = {"more": f"import={t.import_id}"} if t.import_id else {}
        navigation.link("hands", text, text("import.to_hands"), query)


def _disagreements(t: ImportTotals, text: Texts) -> None:
    """What the files say otherwise than what was known, beside each other."""
    numbers = sorted({d.hand_id for d in t.disagreements})
    if not numbers:
        return
    found = session.source().store.rows(
        "SELECT hand_id, date, hand, declarer_name FROM hands "
        "WHERE hand_id IN (SELECT unnest(?::BIGINT[]))",
        [numbers],
    )
    chosen = differences(
        [asdict(d) for d in t.disagreements],
        text,
        "import_differences",
        {r["hand_id"]: _hand_words(r, text) for r in found},
    )
    if chosen is not None:
        navigation.open_page("replay", text, {"hand": chosen})


def _hand_words(row: dict[str, Any], text: Texts) -> str:
    """A hand in a few words: its date, its number that evening, who played."""
    number = text("differences.hand", n=row["hand"] or row["hand_id"])
    date = text.date(str(row["date"])) if row["date"] else ""
    return " · ".join(x for x in (date, number, player_name(row["declarer_name"])) if x)


def _imports(source: Source, text: Texts) -> None:
    if source.generation == 0:
        return
    rows = source.sql(
        "SELECT i.import_id, i.imported_at, i.stored, i.duplicate, i.rejected, "
        "(SELECT string_agg(s.name, ', ') FROM (SELECT name FROM sources s "
        "WHERE s.import_id = i.import_id ORDER BY source_id LIMIT 3) s) AS names "
        "FROM imports i ORDER BY i.import_id DESC LIMIT 20"
    ).to_dicts()
    if not rows:
        return
    st.subheader(text("import.earlier"))
    columns = [
        Column(text("import.c_when"), lead=True),
        Column(text("import.c_files"), wide=True),
        Column(text("import.c_stored"), number=True),
        Column(text("import.c_known"), number=True),
        Column(text("import.c_rejected"), number=True),
    ]
    shown = [
        Row(
            str(r["import_id"]),
            (
                Cell(session.clock(r["imported_at"], text)),
                Cell(player_name(r["names"])),
                Cell(text.number(r["stored"]), r["stored"]),
                Cell(text.number(r["duplicate"]) if r["duplicate"] else "", r["duplicate"]),
                Cell(text.number(r["rejected"]) if r["rejected"] else ""),
            ),
        )
        for r in rows
    ]
    chosen = table(
        columns,
        shown,
        text,
        key="imports",
        caption=text("import.earlier"),
        action=text("import.show"),
    )
    if chosen is not None:
        navigation.open_page("hands", text, {"more": f"import={int(chosen)}"})
    with st.expander(text("import.undo_title")):
        _undo(rows[0]["import_id"], rows[0]["stored"], source, text)


def _undo(import_id: int, stored: int, source: Source, text: Texts) -> None:
    st.text(text("import.undo_text", n=text.number(stored)))
    sure = st.checkbox(text("import.undo_sure"), key=f"undo_sure_{import_id}")
    if st.button(text("import.undo"), key="import_undo", disabled=not sure, icon=":material/undo:"):
        try:
            hands, _ = undo_import(source.store, import_id)
        except StoreError as e:
            st.error(text("import.failed"), icon=":material/error:")
            st.text(str(e))
            return
        st.session_state.pop("import_done", None)
        st.toast(text("import.undone", n=text.number(hands)))
        st.rerun()
