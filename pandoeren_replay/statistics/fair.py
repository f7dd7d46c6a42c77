"""What fair reviews come to: a player's mistakes per hundred decisions, a session's mistakes.

Read from the view ``reviews`` (`pandoeren review --all`); nothing is worked out here. A decision is
a card that was not forced and not against the rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pandoeren_replay.filters import condition
from pandoeren_replay.reviewed import REVIEW_VERSION, Row, stored_reviews
from pandoeren_replay.sessions import Sheet, SheetLine
from pandoeren_replay.statistics.intervals import FEW, wilson
from pandoeren_replay.store import Store

BID_VERDICTS = ("fine", "overbid", "lucky", "unlucky", "underbid")


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """One player's decisions by the fair measure.

    ``unlucky`` are cards that lost the contract with open cards though they were right;
    ``bids`` counts the bids that he played by verdict.
    """

    name: str
    decisions: int
    mistakes: int
    doubtful: int
    unlucky: int
    hands: int
    simulated: bool
    bids: dict[str, int] = field(default_factory=dict)

    @property
    def few(self) -> bool:
        """Whether these are too few decisions to say much."""
        return self.decisions < FEW

    @property
    def rate(self) -> float | None:
        """Mistakes per hundred decisions."""
        return 100 * self.mistakes / self.decisions if self.decisions else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95% interval (Wilson)."""
        found = wilson(self.mistakes, self.decisions)
        return None if found is None else (100 * found[0], 100 * found[1])


def player_reviews(store: Store, where: str | None = None) -> list[PlayerReview]:
    """Everybody's decisions in the hands that a filter lets through, the most decisions first."""
    sql, params = condition(where, store)
    rows = store.rows(
        "SELECT s.player AS name, count(*) FILTER (r.kind = 'card' AND r.verdict IN "
        "('fine', 'doubtful', 'mistake')) AS decisions, "
        "count(*) FILTER (r.kind = 'card' AND r.verdict = 'mistake') AS mistakes, "
        "count(*) FILTER (r.kind = 'card' AND r.verdict = 'doubtful') AS doubtful, "
        "count(*) FILTER (r.kind = 'card' AND r.verdict = 'fine' AND r.open_loss > 0) AS unlucky, "
        "count(DISTINCT r.hand_id) AS hands, bool_and(h.simulated) AS simulated, "
        + ", ".join(
            f"count(*) FILTER (r.kind = 'bid' AND r.verdict = '{v}') AS bid_{v}"
            for v in BID_VERDICTS
        )
        + " FROM reviews r JOIN seats s ON s.hand_id = r.hand_id AND s.seat = r.seat "
        "JOIN hands h ON h.hand_id = r.hand_id "
        f"WHERE r.version = ? AND s.player IS NOT NULL AND {sql} "
        "GROUP BY s.player ORDER BY decisions DESC, name",
        [REVIEW_VERSION, *params],
    )
    return [
        PlayerReview(
            r["name"], r["decisions"], r["mistakes"], r["doubtful"], r["unlucky"], r["hands"],
            bool(r["simulated"]), {v: r[f"bid_{v}"] for v in BID_VERDICTS},
        )
        for r in rows
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Noted:
    """A decision of a session that a report names, with the hand it belongs to."""

    line: SheetLine
    row: Row


@dataclass(frozen=True, slots=True)
class SessionReview:
    """What the reviews say of a session: mistakes, bids that were not fine, hands reviewed."""

    mistakes: tuple[Noted, ...]
    bids: tuple[Noted, ...]
    doubtful: int
    decisions: int
    hands: int
    of: int


def session_review(store: Store, sheet: Sheet) -> SessionReview:
    """Collect the true mistakes of a stored session, the dearest first, and its bids in order."""
    lines = [x for x in sheet.lines if x.hand_id is not None and x.replay.record.plays]
    found = stored_reviews(store, [x.hand_id for x in lines if x.hand_id is not None])
    noted = [Noted(x, r) for x in lines for r in found.get(x.hand_id or -1, ())]
    cards = [n for n in noted if n.row.kind == "card"]
    mistakes = [n for n in cards if n.row.verdict == "mistake"]
    mistakes.sort(key=lambda n: -(n.row.loss or 0.0))
    return SessionReview(
        tuple(mistakes),
        tuple(n for n in noted if n.row.kind == "bid" and n.row.verdict != "fine"),
        _count(cards, ("doubtful",)),
        _count(cards, ("fine", "doubtful", "mistake")),
        len(found),
        len(lines),
    )


def rounded_parts(parts: dict[str, float], total: float) -> dict[str, float]:
    """Parts with one decimal that add up to a whole total: what rounding leaves goes to luck.

    >>> rounded_parts({"luck": 1.25, "own": -0.14, "others": -0.11}, 1)
    {'luck': 1.2, 'own': -0.1, 'others': -0.1}
    """
    out = {k: round(v, 1) + 0.0 for k, v in parts.items()}
    out["luck"] = round(out["luck"] + total - sum(out.values()), 1) + 0.0
    return out


def _count(cards: Sequence[Noted], verdicts: tuple[str, ...]) -> int:
    return sum(n.row.verdict in verdicts for n in cards)


__all__ = ["BID_VERDICTS", "Noted", "PlayerReview", "SessionReview", "player_reviews",
           "rounded_parts", "session_review"]  # fmt: skip
