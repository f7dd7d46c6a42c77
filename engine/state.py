"""What a replay yields: states by ply, events, outcome. All frozen."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.cards import CARDS, NO_TRUMP, SEATS, SUITS, names
from engine.record import HandRecord
from engine.ruleset import Bid, RuleSet
from engine.violations import Violation

NOBODY = -1
"""Partner: there is none (declarer plays alone)."""

EventKind = Literal["call", "declaration", "play", "trick", "claim", "reveal"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, in order.

    ``ply`` is the number of cards on the table before it; ``call`` the index of a call.
    ``data``: call → ``text``, ``valid``; declaration → ``trump``, ``called``, ``discard``;
    play → ``card``; trick → ``points``, ``trick``; claim → ``what``, ``stands``;
    reveal → ``how`` (``called-card``, ``roem``, ``stuk``, ``exposed``).
    """

    kind: EventKind
    ply: int
    seat: int | None
    call: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class State:
    """The table when ``ply`` cards have been played.

    ``hands`` are the cards known to be in each hand (bit sets, N E S W), ``complete`` whether all
    of a hand is known; ``trick`` the cards on the table as (seat, card) in the order played,
    empty right after a trick is taken (``last_trick`` then shows it); ``to_play`` who plays next
    (``None`` after the end or where nobody can know). ``points`` and ``tricks`` are (declarer's
    side, defenders) as the rule set counts them at that moment, ``None`` while not settled.
    ``exposed`` are the seats whose cards lie face up, ``partner_known`` whether the table knows
    who the partner is.
    """

    ply: int
    hands: tuple[int, int, int, int]
    complete: tuple[bool, bool, bool, bool]
    trick: tuple[tuple[int, int], ...]
    last_trick: tuple[tuple[int, int], ...]
    leader: int | None
    to_play: int | None
    winners: tuple[int, ...]
    points: tuple[int, int] | None
    tricks: tuple[int, int] | None
    partner_known: bool
    exposed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the cards prove about a hand.

    ``partner`` is a seat, :data:`NOBODY`, or ``None`` for unknown; ``trump`` a suit 0–3,
    :data:`engine.cards.NO_TRUMP`, or ``None``. ``points`` and ``tricks`` are (declarer's side,
    defenders) of the complete tricks as the rule set counts them, ``meld`` the best announced
    meld that stands plus stuk; each ``None`` where not settled. ``out`` is the points of all
    cards not played. ``made`` is ``None`` while the cards prove neither. ``score`` is what the
    hand changes for N E S W, ``None`` when unknown. ``passed_out``: nobody bid.
    """

    bid: Bid | None
    declarer: int | None
    partner: int | None
    trump: int | None
    passed_out: bool
    winners: tuple[int, ...]
    points: tuple[int, int] | None
    out: int | None
    tricks: tuple[int, int] | None
    meld: tuple[int, int] | None
    made: bool | None
    score: tuple[int, int, int, int] | None

    @property
    def contract(self) -> str | None:
        """The contract as its bid is written, or ``None``."""
        return self.bid.text if self.bid else None


@dataclass(frozen=True, slots=True)
class Completeness:
    """How much of a hand the record holds.

    ``deal``, ``auction``, ``middle``, ``discard``, ``meld`` and ``result`` are ``"recorded"``,
    ``"inferred"``, ``"partial"``, ``"unknown"`` or ``"none"`` (there is no such thing in this
    hand); ``plays`` is the number of cards played.
    """

    deal: str
    auction: str
    middle: str
    discard: str
    plays: int
    meld: str
    result: str

    def as_json(self) -> dict[str, Any]:
        """As in ``check --json``."""
        return {k: getattr(self, k) for k in self.__slots__}


@dataclass(frozen=True, slots=True)
class Replay:
    """A record played through a rule set.

    ``owners`` is the deal with what follows from the play (33 owners: seat, 4 = middle card,
    ``None`` unknown); ``inferred`` the cards whose owner was not recorded but follows.
    ``hands`` are the hands as dealt, ``playing`` as played (after the exchange), both bit sets of
    what is known. ``discard`` and ``middle`` are cards or ``None``; ``seats`` the seat of every
    play. ``dealer`` is the recorded one or what follows from the calls and the first lead.
    """

    record: HandRecord
    rules: RuleSet
    dealer: int | None
    owners: tuple[int | None, ...]
    inferred: int
    hands: tuple[int, int, int, int]
    playing: tuple[int, int, int, int]
    middle: int | None
    discard: int | None
    has_discard: bool
    called: int | None
    seats: tuple[int | None, ...]
    states: Sequence[State]
    lazy_events: Sequence[tuple[Event, ...]]
    violations: tuple[Violation, ...]
    outcome: Outcome
    completeness: Completeness

    def at(self, ply: int) -> State:
        """State when ``ply`` cards were on the table (0 = before the first card)."""
        if not 0 <= ply < len(self.states):
            raise IndexError(f"ply {ply}: this hand has plies 0 to {len(self.states) - 1}")
        return self.states[ply]

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened, in order."""
        return self.lazy_events[0]

    @property
    def deal_text(self) -> str:
        """The deal as the notation writes it, with what follows from the play filled in."""
        return "".join("?" if o is None else "NESWM"[o] for o in self.owners)

    def as_json(self) -> dict[str, Any]:
        """The object of ``check --json`` (without ``source`` and ``line``)."""
        o = self.outcome
        blank = o.passed_out
        return {
            "id": self.record.get("id"),
            "rules": self.rules.id,
            "dealer": None if self.dealer is None else SEATS[self.dealer],
            "contract": None if blank else (o.contract or "?"),
            "declarer": None if blank else seat_json(o.declarer),
            "partner": None if blank or o.partner == NOBODY else seat_json(o.partner),
            "trump": None if blank or o.trump == NO_TRUMP else suit_json(o.trump),
            "winners": [SEATS[w] for w in o.winners],
            "points": {**_sides(o.points), "out": o.out},
            "meld": _sides(o.meld),
            "tricks": _sides(o.tricks),
            "made": o.made,
            "recorded": self.record.result.outcome,
            "score": {s: (o.score[i] if o.score else None) for i, s in enumerate(SEATS)},
            "violations": [v.as_json() for v in self.violations],
            "completeness": self.completeness.as_json(),
        }


def seat_json(seat: int | None) -> str:
    """Seat letter, ``"?"`` for unknown."""
    return "?" if seat is None else SEATS[seat]


def suit_json(suit: int | None) -> str:
    """Suit letter, ``"?"`` for unknown."""
    return "?" if suit is None else SUITS[suit]


def _sides(pair: tuple[int, int] | None) -> dict[str, int | None]:
    side, defenders = pair if pair else (None, None)
    return {"side": side, "defenders": defenders}


def hand_text(mask: int) -> str:
    """A hand as text, suits in order.

    >>> hand_text(0b11)
    'SASK'
    """
    return "".join(names(mask))


__all__ = [
    "CARDS",
    "NOBODY",
    "Completeness",
    "Event",
    "Outcome",
    "Replay",
    "State",
    "hand_text",
    "seat_json",
    "suit_json",
]
