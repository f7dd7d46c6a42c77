"""Pandoeren hands: read, replay, check, store, count.

The public API, re-exported by name; each name is loaded when it is first used, so that importing
the package is quick.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.record import HandRecord
    from engine.rulefile import load_ruleset
    from engine.ruleset import RuleSet
    from engine.state import Replay
    from pandoeren_replay.advise import advise_play
    from pandoeren_replay.bid_advice import advise_bid
    from pandoeren_replay.fair_review import review, review_bid
    from pandoeren_replay.matches import match
    from pandoeren_replay.store import Store
    from parsers.base import ParseResult

__version__ = "0.1.0"

__all__ = [
    "Store",
    "__version__",
    "advise_bid",
    "advise_play",
    "legal_cards",
    "load_ruleset",
    "match",
    "read",
    "replay",
    "review",
    "review_bid",
    "solve_position",
]


_FROM = {
    "Store": "pandoeren_replay.store",
    "advise_bid": "pandoeren_replay.bid_advice",
    "advise_play": "pandoeren_replay.advise",
    "load_ruleset": "engine.rulefile",
    "match": "pandoeren_replay.matches",
    "review": "pandoeren_replay.fair_review",
    "review_bid": "pandoeren_replay.fair_review",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _FROM:
        return getattr(import_module(_FROM[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def read(path: str | Path, rules: str | None = None, format: str = "auto") -> "ParseResult":
    """Read a file, folder or archive: records, rejects and warnings.

    ``rules`` (an id or the path of a file) overrides what the log names. What cannot be read is a
    reject in the result; only a path that is not there or holds no log raises.
    """
    from parsers.base import Options
    from parsers.detect import read_path

    return read_path(Path(path), Options(rules=rules), format)


def replay(record: "HandRecord", rules: "RuleSet | str | Path | None" = None) -> "Replay":
    """Replay a record by a rule set (an id, a path, or a loaded one; else the record's own).

    Raises :class:`engine.rulefile.RuleSetError` if the rule set cannot be found or used.
    """
    from engine.replay import replay as run
    from engine.rulefile import DEFAULT_ID, load_ruleset
    from engine.ruleset import RuleSet

    if not isinstance(rules, RuleSet):
        rules = load_ruleset(rules or record.rules or DEFAULT_ID)
    return run(record, rules)


def legal_cards(
    rules: "RuleSet | str | Path", trump: str | None, hand: Sequence[str], trick: Sequence[str]
) -> list[str]:
    """The cards of ``hand`` that may be played on ``trick`` (the cards on the table in order).

    Cards are texts such as ``"SA"``; ``trump`` is a suit letter, or ``None`` without trumps.
    Raises :class:`ValueError` for what is no card or suit.

    >>> legal_cards("heerlen", "H", ["SK", "H7", "CA"], ["SA"])
    ['SK', 'H7']
    """
    from engine.cards import NO_TRUMP, SUITS, card, mask_of, names
    from engine.rulefile import load_ruleset
    from engine.ruleset import RuleSet

    if not isinstance(rules, RuleSet):
        rules = load_ruleset(rules)
    if trump is not None and (len(trump) != 1 or trump not in SUITS):
        raise ValueError(f"{trump!r} is not a suit (expected S, H, D, C or None)")
    suit = NO_TRUMP if trump is None else SUITS.index(trump)
    on_table = [card(c) for c in trick]
    led = best = -1
    for c in on_table:
        if led < 0:
            led = best = c
        elif rules.tables.wins(suit, best, c):
            best = c
    return names(rules.tables.legal(suit, mask_of(card(c) for c in hand), led, best))


def solve_position(
    rules: "RuleSet | str | Path",
    trump: str | None,
    hands: Mapping[str, Sequence[str]],
    leader: str,
    trick: Sequence[str],
    side: str,
    goal: str,
) -> int:
    """Exact value of a position with all cards open; see :func:`engine.solver.solve_position`."""
    from engine.rulefile import load_ruleset
    from engine.ruleset import RuleSet
    from engine.solver import solve_position as solve

    if not isinstance(rules, RuleSet):
        rules = load_ruleset(rules)
    held = {seat: list(cards) for seat, cards in hands.items()}
    return int(solve(rules, trump, held, leader, list(trick), side, goal))
