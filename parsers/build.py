"""The shared builder: what happened at the table, in the order of the log, becomes a HandRecord.

A parser creates one :class:`HandBuilder` a hand, calls its methods in the order of its log, and
ends with :meth:`HandBuilder.build`. The builder knows cards as numbers (``None`` = a card the log
does not show), seats as 0–3 (N E S W) and calls as the notation writes them; texts are for
:mod:`parsers.cardtext` and :mod:`parsers.words`.

Nothing is repaired in silence: an undo that was folded, a hand told twice in two ways, a trick
that the log gives to another player each leave a warning. What is left out stays unknown.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as with_
from typing import Any

from engine.auction import Auction, run_auction
from engine.cards import CARDS, N_CARDS, SEATS, SUITS
from engine.record import (
    Call,
    Claim,
    ClaimKind,
    HandRecord,
    Note,
    Play,
    Result,
    is_call_text,
)
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.state import Replay
from engine.table import lay_table
from parsers.canonical import normalised
from parsers.dates import Dates, clock_text
from parsers.fields import unwritable
from parsers.private import REMOVED, is_email, scrub_text
from parsers.rulechoice import Rules, resolve_rules
from parsers.turns import leader_and_trump, write_seats
from parsers.words import letters

MAX_PLAYS = 32
MAX_ROEM = 9999
_SEAT_KEYS = ("n", "e", "s", "w")


class BuildError(ValueError):
    """A hand that cannot be written down as a record; the text says what was found."""


@dataclass(slots=True)
class _Event:
    kind: str  # call, discard, trump, called, play, trick, claim, result
    seat: int | None
    value: Any = None


_UNDOABLE = ("call", "discard", "declare", "play")
_AFTER = ("trick", "result", "claim")


@dataclass(slots=True)
class HandBuilder:
    """One hand in the making. See the module text; methods may be called in any sensible order."""

    warnings: list[str] = field(default_factory=list)
    _dealer: int | None = None
    _owner: dict[int, str] = field(default_factory=dict)
    _extra: list[tuple[int, str]] = field(default_factory=list)
    _told: dict[int, frozenset[int]] = field(default_factory=dict)
    _events: list[_Event] = field(default_factory=list)
    _declarer: int | None = None
    _contract: str | None = None
    _auction_unknown: bool = False
    _names: dict[int, str] = field(default_factory=dict)
    _meta: dict[str, str] = field(default_factory=dict)
    _notes: list[Note] = field(default_factory=list)

    # --- who and what ------------------------------------------------------------------------

    def warn(self, text: str) -> None:
        """Add a warning about this hand (once)."""
        if text not in self.warnings:
            self.warnings.append(text)

    def name(self, seat: int, name: str | None) -> None:
        """The player at a seat. An e-mail address is no name: it is left out."""
        if not name or not name.strip():
            return
        if is_email(name):
            self.warn(f"the name of {SEATS[seat]} is an e-mail address and is left out")
            return
        self._names[seat] = name.strip()

    def meta(self, key: str, value: object) -> None:
        """A META key (``[a-z][a-z0-9_]*``); empty values are left out.

        E-mail addresses are taken out of it, and that is said; an ``id`` is left out with them.
        """
        text = "" if value is None else str(value).strip()
        if is_email(text):
            self.warn(f"an e-mail address is taken out of {key!r}")
            text = "" if key == "id" else scrub_text(text).strip()
        if text not in ("", REMOVED):
            self._meta[key] = text

    def date(self, text: str | None) -> None:
        """The moment of the hand: the date goes to META ``date``, the time of day to ``time``.

        Only ISO 8601 dates are taken apart; anything else, and a day or time that does not exist,
        is kept as it stands in ``date`` with a warning.
        """
        if text is None or not text.strip():
            return
        day, _, clock = text.strip().replace(" ", "T", 1).partition("T")
        if re.fullmatch(r"\d{4}-\d\d-\d\d", day, re.ASCII):
            if Dates(()).iso(day) is not None and (not clock or clock_text(clock) is not None):
                self.meta("date", day)
                self.meta("time", clock)
                return
            self.warn(f"{text.strip()[:40]!r} is no day of the calendar with a time of day")
        elif text.strip() != "?":
            self.warn(f"the date {text.strip()[:40]!r} is not read; expected one as 2026-11-28")
        self.meta("date", text)

    def dealer(self, seat: int | None) -> None:
        """The dealer; a second, different dealer is a conflict."""
        if seat is None:
            return
        if self._dealer is not None and self._dealer != seat:
            self.warn(f"the log names two dealers, {SEATS[self._dealer]} and {SEATS[seat]}")
            return
        self._dealer = seat

    # --- cards as dealt ----------------------------------------------------------------------

    def hand(self, seat: int, cards: Iterable[int | None]) -> None:
        """The cards dealt to a seat, before the exchange; ``None`` for each card not shown.

        The same hand told again is ignored; told differently, the first stays and is warned of.
        """
        known = [c for c in cards if c is not None]
        cards_set = frozenset(known)
        old = self._told.get(seat)
        if old is not None:
            if cards_set <= old:
                return
            if not old <= cards_set:
                self.warn(f"the hand of {SEATS[seat]} is told twice and differs; the first stays")
                return
        self._told[seat] = cards_set
        for c in known:
            self._own(c, SEATS[seat])
        if len(known) != len(cards_set):
            self.warn(f"the hand of {SEATS[seat]} names a card twice")

    def middle(self, card: int | None) -> None:
        """The middle card, ``None`` if it is not shown."""
        if card is not None:
            self._own(card, "M")

    def _own(self, card: int, owner: str) -> None:
        first = self._owner.setdefault(card, owner)
        if first != owner and (card, owner) not in self._extra:
            self._extra.append((card, owner))

    # --- what happened -----------------------------------------------------------------------

    def call(self, text: str, seat: int | None = None) -> None:
        """A call in the notation's form (see :func:`parsers.words.call_text`)."""
        if not is_call_text(text):
            raise BuildError(f"{text!r} is not a call")
        self._events.append(_Event("call", seat, text))

    def contract(self, declarer: int | None, contract: str | None) -> None:
        """Declarer and contract where the log has no calls but says what became of them."""
        self._declarer = declarer if declarer is not None else self._declarer
        self._contract = contract if contract is not None else self._contract

    def discard(self, card: int | str | None, seat: int | None = None) -> None:
        """The card that declarer lays away; ``None`` if the log does not show it, ``-`` none."""
        self._events.append(_Event("discard", seat, _text(card)))

    def declare(
        self,
        seat: int | None = None,
        trump: int | str | None = None,
        called: int | str | None = None,
    ) -> None:
        """Trump (a suit 0–3, or ``-`` for none) and called card (or ``-``); ``None`` not said."""
        suit = SUITS[trump] if isinstance(trump, int) else trump
        self._events.append(_Event("declare", seat, (suit, _text(called))))

    def play(self, card: int | None, seat: int | None = None) -> None:
        """A card on the table, ``None`` if the log does not show it."""
        self._events.append(_Event("play", seat, card))

    def trick(self, winner: int | None) -> None:
        """A complete trick as the log gives it away; compared with the rules, never used."""
        self._events.append(_Event("trick", winner))

    def claim(
        self, seat: int, kind: ClaimKind, value: int | None = None, cards: Sequence[int] = ()
    ) -> None:
        """An announcement, said at this point of the log."""
        self._events.append(_Event("claim", seat, (kind, value, tuple(cards))))

    def result(self, **parts: Any) -> None:
        """What the log records of the outcome: the fields of :class:`engine.record.Result`.

        Later parts are added; a part told twice in two ways is a conflict and the first stays.
        """
        self._events.append(_Event("result", None, parts))

    def note(self, text: str) -> None:
        """A comment on the hand as a whole; e-mail addresses are taken out of it."""
        told = scrub_text(text).strip()
        if told and told != REMOVED:
            self._notes.append(Note("h", "c", told))

    def undo(self, seat: int | None = None) -> None:
        """Take back the last call, declaration or card, and what stood after it."""
        for i in range(len(self._events) - 1, -1, -1):
            event = self._events[i]
            if event.kind in _UNDOABLE:
                after = self._events[i + 1 :]
                self._events[i:] = [e for e in after if e.kind not in _AFTER]
                lost = sum(e.kind == "claim" for e in after)
                self.warn(
                    f"taken back: {_say(event)}" + (f" and {lost} announcement(s)" if lost else "")
                )
                if seat is not None and event.seat is not None and seat != event.seat:
                    self.warn(
                        f"{SEATS[seat]} took back what {SEATS[event.seat]} had done ({_say(event)})"
                    )
                return
        self.warn("an undo with nothing before it to take back")

    @property
    def plays(self) -> int:
        """Cards on the table so far."""
        return sum(e.kind == "play" for e in self._events)

    @property
    def calls(self) -> int:
        """Calls made so far."""
        return sum(e.kind == "call" for e in self._events)

    def is_empty(self) -> bool:
        """Neither call nor card nor outcome: a deal that nothing became of."""
        return (
            not any(e.kind in ("call", "play", "result") for e in self._events)
            and self._contract is None
        )

    # --- the record --------------------------------------------------------------------------

    def build(self, rules: Rules) -> HandRecord:
        """The record. ``rules`` settle whose turn it was; seats that follow are not written.

        Raises :class:`BuildError` for what no record can hold (more than 32 cards played).
        """
        plays = self._plays()
        record = HandRecord(
            rules=rules.id,
            dealer=self._dealer,
            deal="".join(self._owner.get(c, "?") for c in range(N_CARDS)),
            deal_extra=tuple(self._extra),
            result=self._result(),
            meta=self._all_meta(),
            notes=tuple(self._notes),
        )
        record = self._with_auction(record, rules.ruleset)
        record = self._with_declaration(record, rules.ruleset)
        leader, trump = leader_and_trump(record, rules.ruleset)
        written = write_seats(plays, leader, trump, rules.ruleset)
        record = with_(record, plays=written, claims=self._claims(len(plays)))
        self._check_tricks(record, leader, trump, rules.ruleset)
        self._check_points(record, rules.ruleset)
        return normalised(record)

    def _plays(self) -> list[Play]:
        plays: list[Play] = []
        for e in self._events:
            if e.kind != "play":
                continue
            if e.value is None:
                rest = self.plays - len(plays)
                self.warn(
                    f"card {len(plays) + 1} of the play is not shown: it and what follows "
                    f"({rest} card(s)) cannot be kept"
                )
                break
            plays.append(Play(e.value, e.seat))
        if len(plays) > MAX_PLAYS:
            raise BuildError(f"{len(plays)} cards are played, a hand has {MAX_PLAYS}")
        return plays

    def _with_auction(self, record: HandRecord, ruleset: RuleSet) -> HandRecord:
        calls = [Call(e.value, e.seat) for e in self._events if e.kind == "call"]
        later = any(e.kind in ("declare", "discard", "play") for e in self._events)
        said = [e.seat for e in self._events if e.kind in ("declare", "discard")]
        declarer = self._declarer
        for seat in said:
            if seat is None:
                continue
            if declarer is not None and declarer != seat:
                self.warn(f"declared by {SEATS[seat]}, while {SEATS[declarer]} is declarer")
            else:
                declarer = seat
        if calls and later and all(c.text != "-" for c in calls) and self._contract is None:
            last = calls[-1]
            self.warn("the log has no passes: of the auction only its outcome is kept")
            self._contract = last.text
            declarer = declarer if last.seat is None else last.seat
            calls = []
        first = calls[0].seat if calls else None
        if record.dealer is None and first is not None:
            # Who calls first is forehand (RULES 3): a log that shows it shows the dealer too.
            record = with_(record, dealer=(first - 1) % 4)
            self.warn(f"the log names no dealer: {SEATS[first]} calls first and is forehand")
        if calls:
            # Without a dealer nobody's turn is known: every seat stays written.
            auction = None if record.dealer is None else Auction(ruleset, record.dealer)
            out = []
            for call in calls:
                if auction is not None:
                    if call.seat == auction.turn:
                        call = Call(call.text)
                    auction.call(call)
                out.append(call)
            record = with_(record, auction_state="calls", auction=tuple(out))
            if declarer is not None:
                highest = run_auction(record, ruleset, record.dealer).declarer
                if highest is not None and highest != declarer:
                    self.warn(
                        f"the calls make {SEATS[highest]} declarer, the log {SEATS[declarer]}"
                    )
            return record
        if declarer is None and self._contract is None:
            return with_(record, auction_state="unknown" if later else "absent")
        return with_(record, auction_state="unknown", declarer=declarer, contract=self._contract)

    def _with_declaration(self, record: HandRecord, ruleset: RuleSet) -> HandRecord:
        trump = called = discard = None
        told = False
        for e in self._events:
            if e.kind == "discard":
                told = True
                discard = self._one("discard", discard, e.value)
            elif e.kind == "declare":
                told = True
                trump = self._one("trump", trump, e.value[0])
                called = self._one("called card", called, e.value[1])
        if not told:
            return record
        bid = run_auction(record, ruleset, record.dealer).bid
        contract = bid.contract if bid else None
        no_trump = contract is not None and not contract.trump
        no_call = contract is not None and not contract.calls_card
        no_discard = contract is not None and not ruleset.takes_middle(contract)
        return with_(
            record,
            trump=_or_none(trump, no_trump),
            called=_or_none(called, no_call),
            discard=_or_none(discard, no_discard),
        )

    def _one(self, what: str, old: str | None, new: str | None) -> str | None:
        if old in (None, "?") or new in (None, "?"):
            return old if new in (None, "?") else new
        if old != new:
            self.warn(f"the {what} is {old} and later {new}; the later one is kept")
        return new

    def _claims(self, n_plays: int) -> tuple[Claim, ...]:
        claims = []
        ply = 0
        for e in self._events:
            if e.kind == "play":
                ply += 1
            elif e.kind == "claim" and e.seat is not None:
                kind, value, cards = e.value
                if kind == "roem" and not 0 <= (value or 0) <= MAX_ROEM:
                    self.warn(f"the log records roem {value}, which no hand can have: left out")
                    continue
                claims.append(Claim(min(ply, n_plays), e.seat, kind, value, cards))
        return tuple(claims)

    def _result(self) -> Result:
        parts: dict[str, Any] = {}
        for e in self._events:
            if e.kind == "result":
                for key, value in e.value.items():
                    if value is None:
                        continue
                    if key in parts and parts[key] != value:
                        self.warn(f"the log gives two results ({key}): the first is kept")
                    else:
                        parts[key] = value
        for key in unwritable(Result(**parts)):
            self.warn(f"the log records {key} {parts.pop(key)}, which no hand can have: left out")
        return Result(**parts)

    def _all_meta(self) -> tuple[tuple[str, str], ...]:
        names = [(_SEAT_KEYS[s], self._names[s]) for s in sorted(self._names)]
        first = [(k, self._meta[k]) for k in ("id",) if k in self._meta]
        rest = [(k, v) for k, v in self._meta.items() if k != "id"]
        return (*first, *names, *rest)

    def _check_points(self, record: HandRecord, ruleset: RuleSet) -> None:
        """What a server counted for declarer's side alone fits no RESULT: compared here."""
        if record.get("server_points") is not None:
            note = points_differ(record, replay(record, ruleset))
            if note is not None:
                self.warn(note)

    def _check_tricks(
        self, record: HandRecord, leader: int | None, trump: int | None, ruleset: RuleSet
    ) -> None:
        told: list[tuple[int, int]] = []
        ply = 0
        for e in self._events:
            if e.kind == "play":
                ply += 1
            elif e.kind == "trick" and e.seat is not None:
                told.append((ply, e.seat))
        if not told:
            return
        winners = lay_table(record.plays, leader, trump, ruleset.tables, {}).winners
        for ply, winner in told:
            if ply % 4 or not ply:
                self.warn(f"a trick is given to {SEATS[winner]} when {ply % 4} cards lie there")
                continue
            number = ply // 4
            found = winners[number - 1] if number <= len(winners) else None
            if found is not None and found != winner:
                self.warn(
                    f"trick {number}: the log gives it to {SEATS[winner]}, "
                    f"by the rules {ruleset.id} {SEATS[found]} wins it"
                )


def points_differ(record: HandRecord, done: Replay) -> str | None:
    """The sentence, if a server counted other points for declarer's side than the rules give.

    ``done`` is the replay of ``record``; the server's count is its META key ``server_points``.
    """
    told, points = record.get("server_points"), done.outcome.points
    whole = len(record.plays) == MAX_PLAYS  # points of a part of the play say nothing yet
    if told is None or points is None or not whole or told == str(points[0]):
        return None
    return (
        f"the log counts {told} points for declarer's side, "
        f"the rules {done.rules.id} give {points[0]}"
    )


def _text(card: int | str | None) -> str | None:
    return CARDS[card] if isinstance(card, int) else card


def _say(event: _Event) -> str:
    who = f" by {letters([event.seat])}" if event.seat is not None else ""
    if event.kind == "call":
        return f"the call {event.value}{who}"
    if event.kind == "play":
        return f"the card {'?' if event.value is None else CARDS[event.value]}{who}"
    if event.kind == "discard":
        return f"the discard {event.value or '?'}{who}"
    return f"the declaration{who}"


def _or_none(value: str | None, none: bool) -> str:
    """A part of a declaration: ``-`` where the contract has no such thing and none was named."""
    if value in (None, "?"):
        return "-" if none else "?"
    return str(value)


__all__ = [
    "MAX_PLAYS",
    "BuildError",
    "HandBuilder",
    "Rules",
    "points_differ",
    "resolve_rules",
]
