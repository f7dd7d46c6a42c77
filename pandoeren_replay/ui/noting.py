"""Notes as the replayer shows and changes them: places in words, times of this machine."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from engine.cards import CARDS
from engine.state import Replay
from pandoeren_replay.notes import HAND, Notes, NotesError
from pandoeren_replay.ui.payload import call_label, seat_names
from pandoeren_replay.ui.texts import Texts


def notes_data(notes: Notes, key: str, replay: Replay, text: Texts) -> dict[str, Any]:
    """All that was said about a hand, and the studies there are, for the browser."""
    try:
        marks, studies = notes.of_hand(key), notes.studies()
        inside = {s.id for s in studies for h in notes.hands_of(s.id) if h.hand == key}
        tags = notes.tags()
    except NotesError as e:
        return {"marks": [], "studies": [], "tags": [], "message": text(f"notes.err_{e.code}")}
    return {
        "marks": [
            {
                "id": m.id,
                "place": m.place,
                "kind": m.kind,
                "text": m.text,
                "who": m.who,
                "at": local_time(m.at, text),
                "where": place_words(replay, m.place, text),
            }
            for m in marks
        ],
        "studies": [{"id": s.id, "name": s.name, "has": s.id in inside} for s in studies],
        "tags": tags[:50],
        "message": "",
    }


def local_time(at: str, text: Texts) -> str:
    """A time of a note as people here read it; anything else as it stands.

    >>> local_time("yesterday", Texts("en"))
    'yesterday'
    """
    try:
        when = dt.datetime.fromisoformat(at)
    except ValueError:
        return at
    return text.date(when.astimezone().strftime("%Y-%m-%d %H:%M"))


def place_words(replay: Replay, place: str, text: Texts) -> str:
    """A place in a hand in words."""
    names = seat_names(replay, text)
    if place == HAND:
        return text("replay.place_hand")
    if place == "0":
        return text("replay.place_start")
    calls = [e for e in replay.events if e.kind == "call"]
    if place.startswith("a"):
        n = int(place[1:])
        if not 0 < n <= len(calls):
            return text("replay.place_auction")
        call, seat = str(calls[n - 1].data["text"]), calls[n - 1].seat
        said = text("replay.pass") if call == "-" else call_label(replay, text, call)
        name = "?" if seat is None else names[seat]
        return text("replay.place_call", name=name, call=said)
    ply = int(place) - 1
    if ply >= len(replay.seats):
        return text("replay.place_trick", n=ply // 4 + 1)
    seat = replay.seats[ply]
    card = text.card(CARDS[replay.record.plays[ply].card])
    name = "?" if seat is None else names[seat]
    return text("replay.place_card", trick=ply // 4 + 1, name=name, card=card)


def carry_out(notes: Notes, key: str, asked: Mapping[str, Any], text: Texts) -> str:
    """Does what the viewer asked of the notes; gives the sentence to show if it was not possible.

    What comes from a browser may be anything; what is not understood is not done.
    """

    def word(name: str) -> str:
        value = asked.get(name, "")
        return value if isinstance(value, str) else ""

    def number(name: str) -> int:
        value = asked.get(name)
        return int(value) if isinstance(value, (int, float)) and abs(value) < 1 << 53 else -1

    who, op = word("who"), word("op")
    try:
        if op in ("note", "star", "tag"):
            notes.add(key, word("place"), op, word("text"), who)  # type: ignore[arg-type]
        elif op == "remove":
            notes.remove(number("id"), who)
        elif op == "restore":
            notes.restore(number("id"))
        elif op == "study":
            study = number("study")
            if study < 0:
                study = notes.new_study(word("name"), who)
            notes.put(study, key, word("text"), who)
    except NotesError as e:
        return text(f"notes.err_{e.code}")
    return ""


__all__ = ["carry_out", "local_time", "notes_data", "place_words"]
