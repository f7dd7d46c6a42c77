"""What was written down about one hand, unknowns included.

A :class:`HandRecord` holds exactly what its source said; nothing in it is inferred, corrected or
guessed. Unknown is a value of its own (``None`` or ``"?"``), never zero. The field names follow
the notation (docs/notation.md).
"""

from dataclasses import dataclass, field, replace
from typing import Literal

from engine.cards import CARDS, SEATS

UNKNOWN_DEAL = "?" * 33

AuctionState = Literal["calls", "unknown", "absent"]
Outcome = Literal["made", "lost", "void"]
ClaimKind = Literal["roem", "deny", "stuk", "show", "run", "set"]

CALL_CODES = tuple("pic mis ker zwa szw pio mio sti pan pra pri tro spp ppr".split())  # noqa: SIM905


def is_call_text(text: str) -> bool:
    """Whether a text has the form of a call: pass, a number, a code, or ``pan+20`` and the like.

    >>> [is_call_text(t) for t in ("-", "130", "pan+20", "mis", "x", "+20")]
    [True, True, True, True, False, False]
    """
    if text == "-" or text in CALL_CODES:
        return True
    number = text[4:] if text.startswith("pan+") else text
    return number.isascii() and number.isdigit() and len(number) <= 4 and number[0] != "0"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the auction: ``-``, a number or a code; ``seat`` only where it was written."""

    text: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """One card put on the table; ``seat`` only where it was written (out of turn, or unclear)."""

    card: int
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """An announcement, said when ``ply`` cards were on the table.

    ``value`` is the number of a ``roem`` (``None`` for the other kinds); ``cards`` are those
    named by ``show``, ``run`` and ``set``.
    """

    ply: int
    seat: int
    kind: ClaimKind
    value: int | None = None
    cards: tuple[int, ...] = ()

    def what(self) -> str:
        """The claim without ply and seat, as the notation writes it.

        >>> Claim(1, 0, "roem", 50).what(), Claim(0, 3, "show", cards=(7,)).what()
        ('roem50', 'show:S7')
        """
        if self.kind == "roem":
            return f"roem{self.value}"
        if self.cards:
            return f"{self.kind}:" + "".join(CARDS[c] for c in self.cards)
        return self.kind


@dataclass(frozen=True, slots=True)
class Note:
    """A comment, glyph or variation of the text form; ``where`` is a ply, ``aN`` or ``h``."""

    where: str
    kind: Literal["c", "g", "v"]
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """What the source recorded about the outcome; every part may be missing (``None``).

    ``points`` and ``tricks`` are (declarer side, defenders); ``score`` is per seat N E S W;
    ``conceded`` is a ply; ``partner`` a seat, or -1 where the source says there was none.
    """

    outcome: Outcome | None = None
    points: tuple[int, int] | None = None
    score: tuple[int, int, int, int] | None = None
    tricks: tuple[int, int] | None = None
    conceded: int | None = None
    partner: int | None = None

    def is_empty(self) -> bool:
        """Whether nothing at all was recorded."""
        return self == Result()


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand as recorded.

    ``rules`` is a rule-set id as the source names it, or ``None``; ``deal`` the owner of each of
    the 33 cards (``N E S W``, ``M`` the middle card, ``?`` unknown) in pack order, ``deal_extra``
    further owners where a text gave a card to two hands, as (card, owner letter); ``auction`` the
    calls from forehand on when ``auction_state`` is ``"calls"``, else ``declarer`` and
    ``contract`` may say what became of it. ``trump`` is a suit letter, ``called`` and ``discard``
    card names; for all three ``-`` is none, ``?`` unknown, ``None`` not recorded.
    """

    rules: str | None = None
    rules_hash: str | None = None
    dealer: int | None = None
    deal: str = UNKNOWN_DEAL
    deal_extra: tuple[tuple[int, str], ...] = ()
    auction_state: AuctionState = "absent"
    auction: tuple[Call, ...] = ()
    declarer: int | None = None
    contract: str | None = None
    trump: str | None = None
    called: str | None = None
    discard: str | None = None
    plays: tuple[Play, ...] = ()
    claims: tuple[Claim, ...] = ()
    result: Result = field(default_factory=Result)
    meta: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()

    def get(self, key: str) -> str | None:
        """Value of a META key, or ``None``.

        >>> HandRecord(meta=(("id", "x1"),)).get("id")
        'x1'
        """
        for k, v in self.meta:
            if k == key:
                return v
        return None

    def player(self, seat: int) -> str | None:
        """Name of the player at a seat, or ``None``."""
        return self.get(SEATS[seat].lower())

    def with_meta(self, **values: str) -> "HandRecord":
        """A copy with META keys set (existing keys keep their place)."""
        left = dict(values)
        meta = [(k, left.pop(k, v)) for k, v in self.meta]
        return replace(self, meta=(*meta, *left.items()))
