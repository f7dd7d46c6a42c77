"""The review of a hand from what the store holds of it, and as comments in the text form."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.cards import CARD_INDEX, mask_of, names
from engine.record import HandRecord, Note
from engine.solver_position import position_from_replay
from engine.state import Replay
from pandoeren_replay.annotate import Annotation, CardNote, Terms

_OURS = re.compile(r"\[%eval -?\d+\](?: \[%best (?:[SHDC][AKQJT6-9] ?)+\])?")


def from_rows(replay: Replay, rows: Sequence[dict[str, Any]]) -> Annotation | None:
    """The review that rows of the view ``evaluations`` hold; ``None`` if cards are missing in it.

    Raises :class:`NotSolvable` for a hand that cannot be valued.
    """
    by_ply: dict[int, list[dict[str, Any]]] = {}
    for r in rows:
        by_ply.setdefault(int(r["ply"]), []).append(r)
    n = len(replay.record.plays)
    if not n or sorted(p for p in by_ply if p < n) != list(range(n)):
        return None
    bid, meld = replay.outcome.bid, replay.outcome.meld
    if bid is None:
        return None
    terms = Terms.of(bid, meld[0] if meld else 0)
    notes = tuple(_note(replay, ply, by_ply[ply], terms) for ply in range(n))
    return Annotation(
        replay, terms, notes[0].before, notes[-1].after, notes, (), 0, str(rows[0]["solver"])
    )


def _note(replay: Replay, ply: int, rows: Sequence[dict[str, Any]], terms: Terms) -> CardNote:
    position = position_from_replay(replay, ply)
    play, seat = replay.record.plays[ply].card, replay.seats[ply]
    assert seat is not None  # the position has seen to it
    values = {CARD_INDEX[r["card"]]: int(r["value"]) for r in rows}
    before, after = int(rows[0]["best"]), values[play]
    regular = seat == position.to_play
    legal = position.legal() if regular else 0
    lawful = [values[c] for c in values if legal >> c & 1]
    side = bool(position.side >> seat & 1)
    return CardNote(
        ply, seat, play, side, values,
        best=mask_of(c for c, v in values.items() if legal >> c & 1 and v == before),
        loss=before - after if side else after - before,
        forced=legal == 1 << play,
        mattered=len(set(lawful)) > 1,
        regular=bool(legal >> play & 1),
        before=before,
        after=after,
        terms=terms,
    )  # fmt: skip


def with_values(found: Annotation) -> HandRecord:
    """The record with the value of each card, and the better ones, as comments of the text form.

    ``[%eval 132]`` is what the hand comes to after the card with open cards: points of declarer's
    side without roem, or 1 / 0 where the contract is not about points. ``[%best SA S9]`` follows
    where other cards were worth more to the player's side. Comments of the record stay; values that
    an earlier export wrote are replaced.
    """
    record = found.replay.record
    kept = [n for n in record.notes if n.kind != "c" or not _OURS.fullmatch(n.text)]
    values = []
    for note in found.cards:
        text = f"[%eval {note.after}]"
        if note.loss > 0 and note.best:
            text += f" [%best {' '.join(names(note.best))}]"
        values.append(Note(str(note.ply + 1), "c", text))
    return replace(record, notes=(*kept, *values))
