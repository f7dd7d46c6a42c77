"""Studies as ``.phn`` files: out of one store, into another, with everything said about the hands.

A study is an ordinary ``.phn`` file. Each hand carries the tag ``[Study "…"]``; comments that
begin with ``[%by WHO WHEN]`` are our notes: what follows is ``[%study]`` and the study's comment,
``[%star]``, ``[%tag WORD]``, or the text of a note. Other programs read them as comments.
"""

import re
from dataclasses import dataclass, replace

from engine.record import HandRecord
from engine.record import Note as Comment
from engine.rulefile import DEFAULT_ID
from pandoeren_replay.export import named
from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.notes import HAND, Mark, Notes, NotesError, now
from pandoeren_replay.store import Store
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.encode import known_cards
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.hash import content_text, hash_text
from parsers.base import Options, Reject, Source
from parsers.fields import FieldError
from parsers.meta import decode as decode_text
from parsers.meta import encode_all
from parsers.phl import write_phl
from parsers.phn import PhnParser
from parsers.phn_write import write_phn_file

STUDY = "study"
_BY = re.compile(r"\[%by (\S*) (\S+?)\](?:\[%(study|star|tag)(?: ([^\]]*))?\])?", re.S)


@dataclass(frozen=True, slots=True)
class StudyImport:
    """What came of a study file: the study, how many hands are in it, what was not readable.

    ``totals`` is ``None`` where all hands were in the store already.
    """

    study: int
    name: str
    hands: int
    rejects: tuple[Reject, ...]
    totals: ImportTotals | None


def export_study(store: Store, notes: Notes, study: int) -> str:
    """The text of a study: its hands in order, with comments, notes, stars and tags.

    Hands that are no longer in the store are left out.
    """
    found = notes.study(study)
    records = []
    for entry in notes.hands_of(study):
        record = stored_record(store, entry.hand)
        if record is None:
            continue
        said = [_written(m) for m in notes.of_hand(entry.hand)]
        head = f"{_by(entry.who, entry.at)}[%study]"
        said.insert(0, Comment(HAND, "c", f"{head} {entry.comment}".rstrip()))
        others = tuple(n for n in record.notes if not _BY.match(n.text))
        record = replace(record, notes=(*said, *others)).with_meta(**{STUDY: found.name})
        records.append(record)
    return write_phn_file(records)


def hand_text(store: Store, notes: Notes, hand: str) -> str:
    """One hand as ``.phn``, with what was said about it."""
    record = stored_record(store, hand)
    if record is None:
        raise NotesError("hand", f"there is no hand {hand}")
    said = tuple(_written(m) for m in notes.of_hand(hand))
    others = tuple(n for n in record.notes if not _BY.match(n.text))
    return write_phn_file([replace(record, notes=(*said, *others))])


def stored_record(store: Store, hand: str) -> HandRecord | None:
    """The record of a hand by its hash, with its rules named; ``None`` where it is not there."""
    try:
        row = store.row(hand)
    except StoreError:
        return None
    return named(decode(row), row["rules"], row["rules_hash"])


def import_study(
    store: Store, notes: Notes, text: str, who: str, fallback: str = "study"
) -> StudyImport:
    """Reads a study file: stores the hands that are new and makes the study.

    The name is that of the file's first ``[Study]`` tag, else ``fallback``; one that is taken gets
    a number. Raises :class:`NotesError` where the file holds no hand that can be read.
    """
    parsed = PhnParser().parse([Source(fallback, text.encode())], Options())
    if not parsed.hands:
        raise NotesError("empty", "there is no hand in this file")
    hashes = [find(store, h.record) for h in parsed.hands]
    totals = None
    if not all(hashes):
        totals = import_paths(store, [Source(f"{fallback}.phn", text.encode())])
        hashes = [find(store, h.record) for h in parsed.hands]
    name = next((n for h in parsed.hands if (n := h.record.get(STUDY))), fallback)
    study, name = _new(notes, name, who)
    kept = 0
    for found, hand in zip(hashes, parsed.hands):
        if found is None:
            continue
        comment, by, at = _take(notes, found, hand.record)
        notes.put(study, found, comment, who if at is None else by, at)
        kept += 1
    return StudyImport(study, name, kept, tuple(parsed.rejects), totals)


def find(store: Store, record: HandRecord) -> str | None:
    """Hash of the stored hand that a record is, or ``None``."""
    if not store.exists():
        return None
    fields = write_phl(record).split(" ")
    rules = record.rules or DEFAULT_ID
    number = hash_text(content_text(fields, rules, bool(known_cards(record))))
    rows = store.rows(
        "SELECT hash FROM hands WHERE hand_id IN (SELECT hand_id FROM hand WHERE hash = ? "
        "UNION SELECT merged_into FROM hand_other WHERE hash = ?)",
        [number, number],
    )
    return str(rows[0]["hash"]) if rows else None


def _new(notes: Notes, name: str, who: str) -> tuple[int, str]:
    taken = {s.name for s in notes.studies()}
    free, n = name[:110], 1
    while free in taken:
        n += 1
        free = f"{name[:110]} ({n})"
    return notes.new_study(free, who), free


def _by(who: str, at: str) -> str:
    return f"[%by {encode_all(who)} {at}]"


def _written(mark: Mark) -> Comment:
    head = _by(mark.who, mark.at)
    if mark.kind == "star":
        return Comment(mark.place, "c", f"{head}[%star]")
    if mark.kind == "tag":
        return Comment(mark.place, "c", f"{head}[%tag {mark.text}]")
    return Comment(mark.place, "c", f"{head} {mark.text}")


def _take(notes: Notes, hand: str, record: HandRecord) -> tuple[str, str, str | None]:
    """Puts the notes of a record into ours; gives the study's comment, by whom and when."""
    comment, by, when = "", "", None
    for note in record.notes:
        m = _BY.match(note.text) if note.kind == "c" else None
        if m is None:
            continue
        try:
            who = decode_text(m[1])
        except FieldError:
            continue  # somebody else's command of the same name: it stays a comment of the hand
        at = m[2] if re.fullmatch(r"[0-9TZ:.+-]{10,32}", m[2]) else now()
        rest = note.text[m.end() :].strip()
        if m[3] == "study":
            comment, by, when = rest, who, at
        elif m[3] == "star":
            notes.add(hand, note.where, "star", "", who, at)
        elif m[3] == "tag":
            notes.add(hand, note.where, "tag", m[4] or "", who, at)
        elif rest:
            notes.add(hand, note.where, "note", rest, who, at)
    return comment, by, when


__all__ = ["StudyImport", "export_study", "find", "hand_text", "import_study", "stored_record"]
