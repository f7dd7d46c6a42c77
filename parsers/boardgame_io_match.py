"""boardgame.io matches as they are saved: containers, states, the log with its undos folded.

Versions 0.38 and 0.50 of the framework; the containers are listed at :func:`containers`. What a
server's own game calls its moves and the fields of its state is for
:mod:`parsers.boardgame_io_moves`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from parsers.base import Reject, Warn
from parsers.jsontext import (
    Broken,
    Key,
    Places,
    as_dict,
    as_int,
    as_list,
    as_text,
    dump,
    public,
)
from parsers.private import scrub, scrub_text, scrub_token

SPINE = frozenset({"log", "value", "matches"})
"""Keys along which a cut document still gives its complete log entries."""

_SUFFIXES = ("log", "initial", "metadata")
_COPIES = ("_undo", "_redo", "deltalog", "log", "_initial")
_SILENT = ("GAME_EVENT", "PLUGIN", "UPDATE", "SYNC", "PATCH", "RESET", "STRIP_TRANSIENTS")


@dataclass(slots=True)
class Text:
    """One source's text, to find places in."""

    source: str
    text: str
    places: Places = field(init=False)

    def __post_init__(self) -> None:
        self.places = Places(self.text)

    def place(self, path: list[Key]) -> tuple[int, int]:
        """Line and column of a value."""
        return self.places.find(path)

    def reject(
        self,
        path: list[Key],
        token: Any,
        expected: str,
        raw: str | None = None,
        code: str = "unreadable",
    ) -> Reject:
        """A reject that names the place of ``path``; ``token`` is the value found there."""
        line, column = self.place(path)
        found = token if isinstance(token, str) else dump(scrub(token))
        clean = scrub_text(self.text)
        shown = scrub_token(found[:400], self.text, clean)
        whole = clean if raw is None else raw
        return Reject(self.source, line, column, shown, expected, whole, code)


@dataclass(slots=True)
class Match:
    """One match: its log and whatever else was saved with it.

    ``where`` is the text that holds the log and ``path`` the way to it there. ``legacy`` marks
    0.38, whose log keeps no trace of an undo.
    """

    where: Text
    path: list[Key]
    id: str | None = None
    log: list[Any] | None = None
    initial: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    legacy: bool = False
    first_hand: int | None = None
    broken: Broken | None = None

    @property
    def start(self) -> dict[str, Any]:
        """``G`` of the initial state."""
        return as_dict(self.initial.get("G"))

    @property
    def end(self) -> dict[str, Any]:
        """``G`` of the final state."""
        return as_dict(self.state.get("G"))

    @property
    def seat_ids(self) -> list[str]:
        """Player ids in seating order, empty where the match does not say."""
        for state in (self.initial, self.state):
            order = as_list(as_dict(state.get("ctx")).get("playOrder"))
            ids = [str(p) for p in order if isinstance(p, (str, int)) and not isinstance(p, bool)]
            if len(ids) == 4 == len(set(ids)):
                return ids
        return []

    @property
    def players(self) -> int | None:
        """Number of players, if the match says."""
        for state in (self.initial, self.state):
            n = as_int(as_dict(state.get("ctx")).get("numPlayers"))
            if n is not None:
                return n
        return None

    def names(self) -> dict[str, str]:
        """Player names by player id."""
        players = self.metadata.get("players")
        rows = (
            as_dict(players).items() if isinstance(players, dict) else enumerate(as_list(players))
        )
        out = {}
        for key, row in rows:
            name = as_text(as_dict(row).get("name"))
            ident = as_dict(row).get("id", key)
            if name and isinstance(ident, (str, int)) and not isinstance(ident, bool):
                out[str(ident)] = name
        return out

    def raw(self, first: int, last: int, number: int, opening: bool, closing: bool) -> str:
        """The part of the match that tells one hand, as a document this parser reads again.

        Entries ``first`` to ``last`` of the log, the initial state with the opening hand, the
        final state with the closing one; the framework's own copies of states (for undo) and
        everything private are left out.
        """
        doc: dict[str, Any] = {"boardgame.io": "0.38" if self.legacy else "0.50"}
        if self.id is not None:
            doc["matchID"] = self.id
        doc["handNo"] = number
        if self.metadata:
            doc["metadata"] = self.metadata
        if self.initial:
            doc["initialState"] = (
                self.initial if opening else {"ctx": as_dict(self.initial.get("ctx"))}
            )
        doc["log"] = (self.log or [])[first:last]
        if closing and self.state:
            doc["state"] = self.state
        for key in ("initialState", "state"):
            if key in doc:
                doc[key] = {k: v for k, v in doc[key].items() if k not in _COPIES}
        return public(doc)


def looks_like(text: str) -> bool:
    """Whether a text has the marks of a boardgame.io document."""
    head = text.lstrip("\ufeff \t\r\n")[:1]
    if head not in ("{", "["):
        return False
    if '"_stateID"' in text or '"initialState"' in text:
        return True
    if '"key"' in text[:400] and '"value"' in text:
        return any(f':{s}"' in text[:400] for s in _SUFFIXES)
    return '"players"' in text and any(
        f'"{k}"' in text for k in ("gameName", "setupData", "matchID", "gameID")
    )


def containers(value: Any, where: Text) -> Iterator[Match]:
    """Matches (or parts of one) in a decoded document.

    - ``{state, metadata, log, initialState}``: the server's ``db.fetch``;
    - ``{log, initialState, state, matchData}``: a client's copy;
    - ``{"key": "ID[:log|:initial|:metadata]", "value": …}``: one file of a FlatFile folder;
    - ``{G, ctx, log, _initial, …}``: a 0.38 state with the log inside;
    - ``{players, gameName, matchID …}``: the lobby's REST answer, without moves;
    - a list of any of these.
    """
    if isinstance(value, list):
        for i, item in enumerate(value[:10000]):
            yield from _one(as_dict(item), where, [i])
    else:
        doc = as_dict(value)
        if isinstance(doc.get("matches"), list):
            for i, item in enumerate(doc["matches"][:10000]):
                yield from _one(as_dict(item), where, ["matches", i])
        else:
            yield from _one(doc, where, [])


def _one(doc: dict[str, Any], where: Text, path: list[Key]) -> Iterator[Match]:
    key = doc.get("key")
    if isinstance(key, str) and "value" in doc:
        name, _, suffix = key.rpartition(":")
        if suffix not in _SUFFIXES:
            name, suffix = key, ""
        ident = as_text(name)
        value, at = doc["value"], [*path, "value"]
        if suffix == "log":
            yield Match(where, at, ident, log=as_list(value))
        elif suffix == "initial":
            yield Match(where, at, ident, initial=as_dict(value))
        elif suffix == "metadata":
            yield Match(where, at, ident, metadata=as_dict(value))
        else:
            yield _state(as_dict(value), where, at, ident)
    elif "log" in doc or "initialState" in doc or "state" in doc:
        yield _dump(doc, where, path)
    elif "G" in doc and "ctx" in doc:
        yield _state(doc, where, path, None)
    elif "players" in doc:
        yield Match(where, path, _ident(doc), metadata=doc)


def _ident(doc: dict[str, Any]) -> str | None:
    return as_text(doc.get("matchID")) or as_text(doc.get("gameID")) or as_text(doc.get("roomID"))


def _dump(doc: dict[str, Any], where: Text, path: list[Key]) -> Match:
    if "G" in doc and "ctx" in doc and "state" not in doc:
        match = _state(doc, where, path, _ident(doc))
    else:
        match = _state(as_dict(doc.get("state")), where, [*path, "state"], _ident(doc))
    log = doc.get("log")
    if isinstance(log, list):
        match.log, match.path = log, [*path, "log"]
    if isinstance(doc.get("initialState"), dict):
        match.initial = doc["initialState"]
    people = doc.get("metadata", doc.get("matchData"))
    match.metadata = {"players": people} if isinstance(people, list) else as_dict(people)
    match.first_hand = as_int(doc.get("handNo"))
    match.legacy = match.legacy or doc.get("boardgame.io") == "0.38"
    return match


def _state(state: dict[str, Any], where: Text, path: list[Key], ident: str | None) -> Match:
    match = Match(where, path, ident, state=state)
    if isinstance(state.get("log"), list):
        match.log, match.path = state["log"], [*path, "log"]
    initial = as_dict(state.get("_initial"))
    if initial:
        match.initial, match.legacy = initial, True
    return match


def join(parts: list[Match]) -> list[Match]:
    """Matches whose parts were spread over several files (FlatFile), put together by their id."""
    out: list[Match] = []
    by_id: dict[str, Match] = {}
    for part in parts:
        whole = by_id.get(part.id) if part.id is not None else None
        if whole is None or (whole.log is not None and part.log is not None):
            out.append(part)
            if part.id is not None:
                by_id.setdefault(part.id, part)
            continue
        if part.log is not None:
            whole.log, whole.where, whole.path = part.log, part.where, part.path
        whole.initial = whole.initial or part.initial
        whole.state = whole.state or part.state
        whole.metadata = whole.metadata or part.metadata
        whole.legacy = whole.legacy or part.legacy
        whole.broken = whole.broken or part.broken
    return out


@dataclass(frozen=True, slots=True)
class Entry:
    """One move that stands: its index in the log, and what the log says of it.

    ``phase`` entries mark a phase that begins; ``bad`` holds what is wrong with an entry.
    """

    index: int
    name: str
    args: Any = None
    player: Any = None
    turn: int | None = None
    phase: bool = False
    bad: str = ""


@dataclass(slots=True)
class Folded:
    """The log with its undos folded: entries that stand, and what was taken back where."""

    entries: list[Entry] = field(default_factory=list)
    undone: list[tuple[int, Entry]] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)


def fold(match: Match) -> Folded:
    """Fold UNDO and REDO: 0.50 keeps the move that was undone **and** the entry that undoes it."""
    out = Folded()
    redo: list[Entry] = []
    seen: dict[int, Any] = {}
    for i, raw in enumerate(match.log or []):
        entry = _entry(i, raw)
        if entry is None:
            continue
        kind = entry.name if not entry.bad else ""
        if kind in ("UNDO", "REDO") and entry.phase:
            _undo_redo(kind, entry, out, redo, match)
            seen.clear()
            continue
        state_id = as_int(as_dict(raw).get("_stateID"))
        if not entry.phase and not entry.bad and state_id is not None:
            if seen.get(state_id) == raw:
                out.warnings.append(_warn(match, i, "log entry told twice: taken once"))
                continue
            seen[state_id] = raw
        if not entry.phase:
            redo.clear()
        out.entries.append(entry)
    return out


def _undo_redo(kind: str, entry: Entry, out: Folded, redo: list[Entry], match: Match) -> None:
    if kind == "REDO":
        if redo:
            out.entries.append(redo.pop())
            out.undone = [(i, e) for i, e in out.undone if e is not out.entries[-1]]
        else:
            out.warnings.append(_warn(match, entry.index, "a redo with nothing to do again"))
        return
    for at in range(len(out.entries) - 1, -1, -1):
        move = out.entries[at]
        if not move.phase:
            redo.append(out.entries.pop(at))
            out.undone.append((entry.index, move))
            return
    out.warnings.append(_warn(match, entry.index, "an undo with nothing before it to take back"))


def _warn(match: Match, index: int, text: str) -> Warn:
    line, _ = match.where.place([*match.path, index])
    return Warn(match.where.source, line, text)


def _entry(index: int, raw: Any) -> Entry | None:
    """One log entry; ``None`` for what says nothing about the hand."""
    action = as_dict(as_dict(raw).get("action"))
    kind = action.get("type")
    if not isinstance(kind, str):
        return Entry(index, "", bad='a log entry {"action": {"type": …}}')
    payload = as_dict(action.get("payload"))
    turn = as_int(as_dict(raw).get("turn"))
    if kind in ("UNDO", "REDO"):
        return Entry(index, kind, player=payload.get("playerID"), turn=turn, phase=True)
    if kind == "MAKE_MOVE":
        name = payload.get("type")
        if not isinstance(name, str) or not name:
            return Entry(index, "", bad='a move {"payload": {"type": NAME, "args": …}}')
        return Entry(index, name, payload.get("args"), payload.get("playerID"), turn)
    if kind == "GAME_EVENT" and payload.get("type") in ("endPhase", "setPhase"):
        args = payload.get("args")
        first = args[0] if isinstance(args, list) and args else args
        name = first.get("next") if isinstance(first, dict) else first
        return Entry(index, name if isinstance(name, str) else "", turn=turn, phase=True)
    if kind in _SILENT:
        return None
    return Entry(index, "", bad="an action MAKE_MOVE, UNDO, REDO or GAME_EVENT")
