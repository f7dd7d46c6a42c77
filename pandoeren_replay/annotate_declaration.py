"""Discard, trump suit and called card against what else could have been chosen, with open cards."""

from collections.abc import Iterator
from dataclasses import replace

from engine.cards import NO_TRUMP, SUITS, cards_in
from engine.declaration import callable_cards
from engine.ruleset import Bid
from engine.solver import Budget, Search
from engine.solver_position import Position
from engine.state import Replay
from pandoeren_replay.annotate_notes import DeclarationNote, Kind, Terms


def judge_declaration(
    replay: Replay, start: Position, value: int, terms: Terms, budget: Budget
) -> Iterator[DeclarationNote]:
    """Each choice of declarer, all else kept as it was; ``value`` is what the hand was worth.

    ``start`` is the position before the first card. Raises :class:`engine.solver.Interrupted` where
    the budget is spent first.
    """
    bid = replay.outcome.bid
    assert bid is not None
    choices: list[tuple[Kind, int, dict[int, list[Position]]]] = []
    if replay.has_discard and replay.discard is not None:
        choices.append(("discard", replay.discard, _other_discards(start, replay.discard)))
    if bid.contract.trump and bid.contract.partner != "fourth-ace":
        choices.append(("trump", start.trump, _other_trumps(replay, start, bid)))
    if bid.contract.calls_card and bid.contract.partner != "fourth-ace":
        chosen = -1 if start.called is None else start.called
        choices.append(("called", chosen, _other_calls(replay, start, bid)))
    has_meld = bid.uses_points and replay.rules.meld.system != "none"
    for kind, chosen, others in choices:
        options: dict[int, int | None] = {chosen: value}
        best = value
        for choice, positions in others.items():
            found = None
            for position in positions:
                search = Search(position, terms.objective)
                # A threshold first: most choices are worse, and that is quickly shown.
                worth = _worth_if_best(search, position, best, budget)
                if worth is not None:
                    found = best = worth
            options[choice] = found
        yield DeclarationNote(kind, chosen, value, best, options, terms, has_meld)


def _worth_if_best(search: Search, position: Position, best: int, budget: Budget) -> int | None:
    """The value of a position if it is no less than the best so far."""
    limits = budget.left()
    try:
        if not search.reaches(position, best, limits):
            return None
        if search.reaches(position, best + 1, limits):
            return search.value(position, best + 1, limits)
        return best
    finally:
        budget.nodes += search.nodes


def _other_discards(start: Position, discard: int) -> dict[int, list[Position]]:
    d = start.declarer
    nine = start.hands[d] | 1 << discard
    return {
        c: [replace(start, hands=_with(start.hands, d, nine & ~(1 << c)))]
        for c in cards_in(start.hands[d])
    }


def _with(hands: tuple[int, int, int, int], seat: int, hand: int) -> tuple[int, int, int, int]:
    out = list(hands)
    out[seat] = hand
    return (out[0], out[1], out[2], out[3])


def called_position(start: Position, called: int | None) -> Position:
    """The position with another card called; ``None``: declarer plays alone."""
    side = 1 << start.declarer
    for s in range(4):
        if called is not None and start.hands[s] >> called & 1:
            side |= 1 << s
    return replace(start, called=called, side=side)


def _other_trumps(replay: Replay, start: Position, bid: Bid) -> dict[int, list[Position]]:
    out: dict[int, list[Position]] = {}
    tables = start.rules.tables
    own = _own(replay, start)
    for t in range(len(SUITS)):
        if t == start.trump:
            continue
        there = replace(start, trump=t)
        if bid.contract.partner == "jas-holder":
            jas = int(tables.jas[t]).bit_length() - 1
            if bid.contract.own_jas == "forbidden" and start.hands[start.declarer] >> jas & 1:
                continue
            out[t] = [called_position(there, jas)]
        elif not bid.contract.calls_card:
            out[t] = [there]
        else:
            allowed = callable_cards(start.rules, bid, own, t)
            if start.called is not None and allowed >> start.called & 1:
                out[t] = [there]
            else:
                out[t] = [called_position(there, c) for c in cards_in(allowed)] or [
                    called_position(there, None)
                ]
    return out


def _own(replay: Replay, start: Position) -> int:
    return start.hands[start.declarer] | (0 if replay.discard is None else 1 << replay.discard)


def _other_calls(replay: Replay, start: Position, bid: Bid) -> dict[int, list[Position]]:
    trump = None if start.trump == NO_TRUMP else start.trump
    allowed = callable_cards(start.rules, bid, _own(replay, start), trump)
    out = {c: [called_position(start, c)] for c in cards_in(allowed) if c != start.called}
    if start.rules.calling.optional and start.called is not None:
        out[-1] = [called_position(start, None)]
    return out
