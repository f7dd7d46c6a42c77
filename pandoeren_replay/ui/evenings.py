"""An evening as the pages show it: the score sheet of a session in words and plain numbers."""

from dataclasses import dataclass

import streamlit as st

from engine.state import Outcome
from engine.violations import Language
from pandoeren_replay.sessions import Sheet, SheetLine, stored_sheet
from pandoeren_replay.statistics.evening import was_passed
from pandoeren_replay.store import Store
from pandoeren_replay.store.encode import is_simulated
from pandoeren_replay.ui.payload import contract_label, player_name, result_of, seat_names
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

Four = tuple[int, int, int, int]


@dataclass(frozen=True)
class Played:
    """One hand of an evening. ``swing`` is the largest difference it made between two players."""

    key: str
    number: str
    title: str
    result: str
    made: bool | None
    declarer: int | None
    change: Four
    balance: Four
    faults: tuple[str, ...]
    simulated: bool

    @property
    def swing(self) -> int:
        """Points between who gained most and who lost most."""
        return max(self.change) - min(self.change)


@dataclass(frozen=True)
class Evening:
    """A session booked in order; ``names`` are as shown, ``players`` as stored (or ``None``).

    ``by_seat`` says that others sat there in some hand, so that a total is not one player's;
    ``otherwise`` is as in :class:`~pandoeren_replay.sessions.Sheet`.
    """

    session: str
    names: tuple[str, ...]
    players: tuple[str | None, ...]
    played: tuple[Played, ...]
    final: Four
    pairs: tuple[int, int] | None
    pot: int
    incomplete: bool
    by_seat: bool
    otherwise: tuple[tuple[str, int, int], ...]
    simulated: bool


def evening(source: Source, name: str, rules_id: str, lang: Language) -> Evening:
    """The score sheet of a session by one of the rule sets it was played under."""
    return _evening(source.path, source.generation, name, rules_id, lang)


@st.cache_data(show_spinner=False, max_entries=60)
def _evening(path: str, generation: int, name: str, rules_id: str, lang: Language) -> Evening:
    store = Store(path)
    text = Texts(lang)
    made = _sheet(path, generation, name, rules_id)
    keys = {
        r["hand_id"]: r["hash"]
        for r in store.rows("SELECT hand_id, hash FROM hands WHERE session = ?", [name])
    }
    played = tuple(
        _played(line, keys[line.hand_id], text) for line in made.lines if line.hand_id is not None
    )
    players = tuple(_player(made.lines, seat) for seat in range(4))
    return Evening(
        session=name,
        names=tuple(player_name(p) or text.seat(i) for i, p in enumerate(players)),
        players=players,
        played=played,
        final=made.lines[-1].booked.balance,
        pairs=made.pairs,
        pot=made.pot,
        incomplete=made.incomplete,
        by_seat=bool(made.notes),
        otherwise=made.otherwise,
        simulated=all(p.simulated for p in played),
    )


def booked(source: Source, name: str, rules_id: str) -> Sheet:
    """The score sheet of a session as it is booked, by one of its rule sets."""
    return _sheet(source.path, source.generation, name, rules_id)


@st.cache_resource(show_spinner=False, max_entries=20)
def _sheet(path: str, generation: int, name: str, rules_id: str) -> Sheet:
    store = Store(path)
    return stored_sheet(store, name, store.rule_set(rules_id))


def _player(lines: tuple[SheetLine, ...], seat: int) -> str | None:
    return next((p for x in reversed(lines) if (p := x.replay.record.player(seat))), None)


def _played(line: SheetLine, key: str, text: Texts) -> Played:
    r = line.replay
    o: Outcome = r.outcome
    _, result = result_of(o, r.record.result.outcome, text)
    title, passed = text("replay.title_passed"), was_passed(line)
    if not passed:
        title = contract_label(r, text)
        if o.declarer is not None:
            who = player_name(r.record.player(o.declarer)) or seat_names(r, text)[o.declarer]
            title = text("replay.title", name=who, contract=title)
    recorded = {"made": True, "lost": False}.get(r.record.result.outcome or "")
    return Played(
        key=key,
        number=line.number,
        title=title,
        result=result,
        made=None if passed else (o.made if o.made is not None else recorded),
        declarer=o.declarer,
        change=line.booked.change,
        balance=line.booked.balance,
        faults=tuple(v.message(text.lang) for v in r.violations if v.severity == "error"),
        simulated=is_simulated(r.record),
    )
