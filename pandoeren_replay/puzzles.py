"""Puzzles from one's own games: decisions that mattered, were missed, and have a clear answer.

A decision becomes a puzzle when a card was played that was a *mistake* by what the player could
see (view ``reviews``), nobody's offence misled him, and the best card stands out: it is better by
:data:`CLEAR` than any card that is not as good as the best. Every date has its own set, the same
for everybody who looks at the same hands: the order of the candidates follows from the date.
"""

import datetime as dt
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from engine.cards import CARD_INDEX, CARDS
from pandoeren_replay.fair_review import MARGIN, Decision
from pandoeren_replay.filters import condition
from pandoeren_replay.reviewed import REVIEW_VERSION, Row, decision_of
from pandoeren_replay.store import Store

SIZE = 5
"""Puzzles of a day."""

CLEAR = 0.10
"""So much better (of the chance) the best card is than the best of the others."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A decision to think about: the hand (by number and hash), when ``ply`` cards lay.

    ``decision`` holds what was played, the chances and the verdict; ``simulated``: nobody played
    this hand.
    """

    hand_id: int
    hand: str
    decision: Decision
    player: str | None
    simulated: bool

    @property
    def id(self) -> str:
        """Hash of the hand and ply: the same puzzle in every store."""
        return f"{self.hand}-{self.decision.ply}"

    @property
    def ply(self) -> int:
        """Cards on the table."""
        return self.decision.ply

    def right(self, card: int) -> bool:
        """Whether a card is as good as the best (within :data:`fair_review.MARGIN`)."""
        chances = self.decision.chances
        return card in chances and max(chances.values()) - chances[card] <= MARGIN


def clear(decision: Decision, gap: float = CLEAR) -> bool:
    """Whether the best card stands out from all that are not as good.

    >>> def decided(*chances):
    ...     return Decision(0, 0, 1, "mistake", 0, chances={i: c for i, c in enumerate(chances)})
    >>> clear(decided(0.9, 0.4)), clear(decided(0.9, 0.89, 0.5)), clear(decided(0.9, 0.83))
    (True, True, False)
    """
    chances = sorted(decision.chances.values(), reverse=True)
    others = [c for c in chances if chances[0] - c > MARGIN]
    return bool(others) and chances[0] - others[0] >= gap


def candidates(store: Store, where: str | None = None, player: str | None = None) -> list[Puzzle]:
    """All puzzles of the hands that a filter lets through, of one player's cards if named."""
    sql, params = condition(where, store)
    whose = "" if player is None else "AND s.player = ? "
    rows = store.rows(
        "SELECT r.* EXCLUDE (seat, open_loss, version), strpos('NESW', r.seat) - 1 AS seat, "
        "h.hash, h.simulated, s.player FROM reviews r JOIN hands h ON h.hand_id = r.hand_id "
        "JOIN seats s ON s.hand_id = r.hand_id AND s.seat = r.seat "
        "WHERE r.version = ? AND r.kind = 'card' AND r.verdict = 'mistake' AND NOT r.misled "
        f"{whose}AND {sql} ORDER BY h.hash, r.ply",
        [REVIEW_VERSION, *([] if player is None else [player]), *params],
    )
    found = []
    for r in rows:
        decision = decision_of(Row(**{k: r[k] for k in Row._fields}))
        if clear(decision):
            found.append(
                Puzzle(r["hand_id"], r["hash"], decision, r["player"], bool(r["simulated"]))
            )
    return found


def daily(found: Sequence[Puzzle], day: dt.date, size: int = SIZE) -> list[Puzzle]:
    """The set of a day: an order that follows from the date, no hand twice; easier ones first.

    Hands that people played come before simulated ones.
    """
    ordered = sorted(found, key=lambda p: (p.simulated, _draw(f"{day.isoformat()} {p.id}")))
    out: list[Puzzle] = []
    for p in ordered:
        if len(out) < size and all(p.hand != other.hand for other in out):
            out.append(p)
    return sorted(out, key=lambda p: (-(p.decision.loss or 0.0), p.id))


def _draw(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def card_of(name: str) -> int | None:
    """The card of a name, ``None`` where it is none.

    >>> card_of("SK"), card_of("??")
    (1, None)
    """
    return CARD_INDEX.get(name) if name in CARDS else None


__all__ = ["CLEAR", "SIZE", "Puzzle", "candidates", "card_of", "clear", "daily"]
