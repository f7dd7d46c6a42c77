"""What people write about hands: notes, stars and tags, and studies (lists of hands).

They stand in ``notes.sqlite`` in the folder of the store, beside its generations, so that writing
a note never touches the hands and an import never touches the notes. A hand is named by its
content hash, so notes stay with it whatever else is imported. Every entry says who and when.
"""

import datetime as dt
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["note", "star", "tag"]
KINDS: tuple[Kind, ...] = ("note", "star", "tag")

FILE = "notes.sqlite"
VERSION = 1
LONGEST = {"note": 4000, "tag": 40, "who": 60, "name": 120, "comment": 4000}
"""Most characters that a text of each sort may have."""

HAND = "h"
"""The place of what is said about a hand as a whole; else a ply (``17``) or a call (``a3``)."""

_PLACE = re.compile(r"h|a?\d{1,2}")
_HASH = re.compile(r"[0-9a-f]{16}")
# Square brackets and braces would end a command of the notation, in which tags travel.
_TAG = re.compile(r"[^\[\]{}%\s](?:[^\[\]{}%\n]*[^\[\]{}%\s])?")
_PATIENCE = 20.0  # seconds that a writer waits for another

_SCHEMA = """
CREATE TABLE IF NOT EXISTS mark (
    id INTEGER PRIMARY KEY,
    hand TEXT NOT NULL,
    place TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('note', 'star', 'tag')),
    text TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    removed_by TEXT,
    removed_at TEXT
);
CREATE INDEX IF NOT EXISTS mark_hand ON mark (hand);
CREATE TABLE IF NOT EXISTS study (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    who TEXT NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS study_hand (
    study INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    hand TEXT NOT NULL,
    comment TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (study, hand)
);
"""


class NotesError(ValueError):
    """Why nothing was written; ``code`` names the sentence, ``str()`` says it in English.

    Codes: ``empty``, ``too-long``, ``tag``, ``place``, ``hand``, ``study``, ``name-taken``,
    ``newer``, ``storage``.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True, slots=True)
class Mark:
    """A note, star or tag at a place of a hand; ``at`` is UTC in ISO 8601."""

    id: int
    hand: str
    place: str
    kind: Kind
    text: str
    who: str
    at: str


@dataclass(frozen=True, slots=True)
class Study:
    """A list of hands with a name."""

    id: int
    name: str
    who: str
    at: str
    hands: int


@dataclass(frozen=True, slots=True)
class StudyHand:
    """A hand in a study, with what the study says of it."""

    hand: str
    comment: str
    who: str
    at: str


def now() -> str:
    """The time as notes write it: UTC, whole seconds."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Notes:
    """The notes beside a store. Reading makes no file; the first note does.

    Several people and programs may read and write at once: SQLite keeps them apart, a writer
    waits for another. All methods raise :class:`NotesError` with one sentence.
    """

    def __init__(self, folder: str | Path) -> None:
        self.file = Path(folder) / FILE

    # -- notes, stars, tags ------------------------------------------------------------------

    def of_hand(self, hand: str) -> list[Mark]:
        """Everything said about a hand, in the order it was said."""
        return self._marks("hand = ?", [hand])

    def latest(self, limit: int = 200) -> list[Mark]:
        """What was said last, of all hands; a negative limit gives everything."""
        return self._marks("1", [], f"id DESC LIMIT {int(limit)}")

    def tags(self) -> list[str]:
        """The tags in use, the commonest first."""
        with self._reading() as con:
            rows = con.execute(
                "SELECT text FROM mark WHERE kind = 'tag' AND removed_at IS NULL "
                "GROUP BY text ORDER BY count(*) DESC, text"
            ).fetchall()
        return [str(r[0]) for r in rows]

    def marked(
        self, kind: Kind, texts: Sequence[str | None] = (None,), *, contains: bool = False
    ) -> list[str]:
        """Hashes of the hands that have a mark of this kind, with one of these texts.

        ``None`` as a text means any. Upper and lower case are the same.
        """
        wanted = [None if t is None else t.casefold() for t in texts]
        with self._reading() as con:
            rows = con.execute(
                "SELECT DISTINCT hand, text FROM mark WHERE kind = ? AND removed_at IS NULL "
                "ORDER BY hand",
                [kind],
            ).fetchall()
        found = (
            hand
            for hand, text in rows
            if any(
                w is None or (w in text.casefold() if contains else w == text.casefold())
                for w in wanted
            )
        )
        return list(dict.fromkeys(found))

    def stamp(self) -> int:
        """A number for what stands there now: another one after a change, within one process."""
        return hash(tuple(self.latest(-1)))

    def add(
        self, hand: str, place: str, kind: Kind, text: str, who: str, at: str | None = None
    ) -> int:
        """Adds a note, star or tag; gives its id. The same star or tag twice is one."""
        _check_hand(hand)
        if not _PLACE.fullmatch(place):
            raise NotesError("place", f"{place!r} is no place in a hand (a ply, a call or h)")
        if kind not in KINDS:
            raise NotesError("place", f"{kind!r} is none of {', '.join(KINDS)}")
        text = _text(text, kind) if kind != "star" else ""
        if kind == "tag" and not _TAG.fullmatch(text):
            raise NotesError("tag", f"the tag {text!r} has a bracket, brace or percent sign in it")
        who = _text(who, "who", may_be_empty=True)
        with self._writing() as con:
            same = con.execute(
                "SELECT id FROM mark WHERE hand = ? AND place = ? AND kind = ? AND text = ? "
                "AND who = ? AND removed_at IS NULL AND (kind <> 'note' OR at = ?)",
                [hand, place, kind, text, who, at],
            ).fetchone()
            if same:
                return int(same[0])
            done = con.execute(
                "INSERT INTO mark (hand, place, kind, text, who, at) VALUES (?, ?, ?, ?, ?, ?)",
                [hand, place, kind, text, who, at or now()],
            )
            return int(done.lastrowid or 0)

    def remove(self, mark: int, who: str) -> None:
        """Takes an entry away; it stays in the file with who took it away and when."""
        with self._writing() as con:
            con.execute(
                "UPDATE mark SET removed_by = ?, removed_at = ? "
                "WHERE id = ? AND removed_at IS NULL",
                [_text(who, "who", may_be_empty=True), now(), mark],
            )

    def follow(self, old: str, new: str) -> None:
        """Let everything said of one hand be said of another: the hand was corrected."""
        _check_hand(old)
        _check_hand(new)
        if not self.file.exists():
            return
        with self._writing() as con:
            con.execute("UPDATE mark SET hand = ? WHERE hand = ?", (new, old))
            con.execute("UPDATE OR IGNORE study_hand SET hand = ? WHERE hand = ?", (new, old))

    def restore(self, mark: int) -> None:
        """Puts back what was taken away."""
        with self._writing() as con:
            con.execute("UPDATE mark SET removed_by = NULL, removed_at = NULL WHERE id = ?", [mark])

    def _marks(self, where: str, params: Sequence[object], order: str = "id") -> list[Mark]:
        with self._reading() as con:
            rows = con.execute(
                "SELECT id, hand, place, kind, text, who, at FROM mark "
                f"WHERE removed_at IS NULL AND {where} ORDER BY {order}",
                list(params),
            ).fetchall()
        return [Mark(*r) for r in rows]

    # -- studies -----------------------------------------------------------------------------

    def studies(self) -> list[Study]:
        """All studies by name."""
        with self._reading() as con:
            rows = con.execute(
                "SELECT s.id, s.name, s.who, s.at, count(h.hand) FROM study s "
                "LEFT JOIN study_hand h ON h.study = s.id GROUP BY s.id ORDER BY s.name"
            ).fetchall()
        return [Study(*r) for r in rows]

    def study(self, study: int) -> Study:
        """One study."""
        found = next((s for s in self.studies() if s.id == study), None)
        if found is None:
            raise NotesError("study", f"there is no study {study}")
        return found

    def hands_of(self, study: int) -> list[StudyHand]:
        """The hands of a study in its order."""
        with self._reading() as con:
            rows = con.execute(
                "SELECT hand, comment, who, at FROM study_hand WHERE study = ? ORDER BY position",
                [study],
            ).fetchall()
        return [StudyHand(*r) for r in rows]

    def new_study(self, name: str, who: str) -> int:
        """Makes an empty study; gives its id."""
        name = _text(name, "name")
        with self._writing() as con:
            try:
                done = con.execute(
                    "INSERT INTO study (name, who, at) VALUES (?, ?, ?)",
                    [name, _text(who, "who", may_be_empty=True), now()],
                )
            except sqlite3.IntegrityError:
                raise NotesError("name-taken", f"there is a study {name!r} already") from None
            return int(done.lastrowid or 0)

    def rename_study(self, study: int, name: str) -> None:
        """Gives a study another name."""
        name = _text(name, "name")
        with self._writing() as con:
            try:
                con.execute("UPDATE study SET name = ? WHERE id = ?", [name, study])
            except sqlite3.IntegrityError:
                raise NotesError("name-taken", f"there is a study {name!r} already") from None

    def remove_study(self, study: int) -> None:
        """Removes a study; its hands and their notes stay."""
        with self._writing() as con:
            con.execute("DELETE FROM study WHERE id = ?", [study])

    def put(
        self, study: int, hand: str, comment: str = "", who: str = "", at: str | None = None
    ) -> None:
        """Puts a hand at the end of a study, or gives the one there another comment."""
        _check_hand(hand)
        comment = _text(comment, "comment", may_be_empty=True)
        who = _text(who, "who", may_be_empty=True)
        with self._writing() as con:
            if not con.execute("SELECT 1 FROM study WHERE id = ?", [study]).fetchone():
                raise NotesError("study", f"there is no study {study}")
            con.execute(
                "INSERT INTO study_hand VALUES (?, (SELECT coalesce(max(position), 0) + 1 "
                "FROM study_hand WHERE study = ?), ?, ?, ?, ?) ON CONFLICT DO UPDATE "
                "SET comment = excluded.comment, who = excluded.who, at = excluded.at",
                [study, study, hand, comment, who, at or now()],
            )

    def take_out(self, study: int, hand: str) -> None:
        """Takes a hand out of a study."""
        with self._writing() as con:
            con.execute("DELETE FROM study_hand WHERE study = ? AND hand = ?", [study, hand])

    def move(self, study: int, hand: str, by: int) -> None:
        """Moves a hand ``by`` places down (negative: up), no further than the ends."""
        with self._writing() as con:
            rows = con.execute(
                "SELECT hand FROM study_hand WHERE study = ? ORDER BY position", [study]
            ).fetchall()
            order = [str(r[0]) for r in rows]
            if hand not in order:
                return
            at = order.index(hand)
            order.insert(max(0, min(len(order) - 1, at + by)), order.pop(at))
            con.executemany(
                "UPDATE study_hand SET position = ? WHERE study = ? AND hand = ?",
                [(i, study, h) for i, h in enumerate(order, 1)],
            )

    # -- the file ----------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if not self.file.exists():
            with closing(sqlite3.connect(":memory:")) as empty:
                empty.executescript(_SCHEMA)
                yield empty
            return
        with self._opened() as con:
            yield con

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._opened() as con:
            con.execute("BEGIN IMMEDIATE")
            try:
                yield con
            except BaseException:
                con.execute("ROLLBACK")
                raise
            con.execute("COMMIT")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(self.file, timeout=_PATIENCE, isolation_level=None)
            with closing(opened) as con:
                _prepare(con)
                yield con
        except (sqlite3.Error, OSError) as e:
            raise NotesError("storage", f"the notes {self.file} cannot be used: {e}") from e


def _prepare(con: sqlite3.Connection) -> None:
    """Makes the tables where they are not there yet."""
    con.execute("PRAGMA foreign_keys = ON")
    version = con.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise NotesError("newer", "the notes were written by a newer version of this program")
    if version == VERSION:
        return
    _use_wal(con)
    con.execute("BEGIN IMMEDIATE")
    for statement in filter(str.strip, _SCHEMA.split(";")):
        con.execute(statement)
    con.execute(f"PRAGMA user_version = {VERSION}")
    con.execute("COMMIT")


def _use_wal(con: sqlite3.Connection) -> None:
    # Changing to WAL does not wait for others by itself, as everything else here does.
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            con.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def _check_hand(hand: str) -> None:
    if not _HASH.fullmatch(hand):
        raise NotesError("hand", f"{hand[:40]!r} is not the hash of a hand (16 hex digits)")


def _text(text: str, sort: str, *, may_be_empty: bool = False) -> str:
    """A text without blanks round it; half a character (a lone surrogate) becomes ``?``."""
    clean = text.encode("utf-8", "replace").decode().replace("\0", "").strip()
    if sort != "note" and sort != "comment":
        clean = " ".join(clean.split())
    if not clean and not may_be_empty:
        raise NotesError("empty", f"a {sort} without text")
    if len(clean) > LONGEST[sort]:
        raise NotesError("too-long", f"a {sort} has at most {LONGEST[sort]} characters")
    return clean


__all__ = ["FILE", "HAND", "Mark", "Notes", "NotesError", "Study", "StudyHand", "now"]
