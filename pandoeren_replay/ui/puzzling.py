"""A puzzle as the browser gets it: what the seat could see, and nothing else."""

from typing import Any

from engine.cards import CARDS
from engine.state import Replay, State
from pandoeren_replay.puzzles import Puzzle
from pandoeren_replay.ui.payload import (
    call_label,
    claim_label,
    contract_label,
    seat_names,
    sorted_hand,
)
from pandoeren_replay.ui.texts import Texts

PLACES = ("bottom", "left", "top", "right")
"""Where a seat sits, counted clockwise from the player whose puzzle it is."""


def puzzle_data(
    hand: Replay, puzzle: Puzzle, text: Texts, chosen: str | None = None
) -> dict[str, Any]:
    """Everything the browser shows of a puzzle; with ``chosen`` the answer too."""
    ply, seat = puzzle.ply, puzzle.decision.seat
    state = hand.at(ply)
    names = seat_names(hand, text)
    trump = hand.outcome.trump
    return {
        "id": puzzle.id,
        "lang": text.lang,
        "text": text.section("replay"),
        "facts": _facts(hand, puzzle, state, names, text),
        "seats": _seats(hand, puzzle, state, names, text),
        "tricks": _tricks(hand, ply, text),
        "open": [
            {
                "title": text("puzzles.open_hand", name=names[s]),
                "cards": sorted_hand(hand, state.hands[s], trump),
            }
            for s in state.exposed
            if s != seat
        ],
        "hand": sorted_hand(hand, state.hands[seat], trump),
        "legal": [CARDS[c] for c in puzzle.decision.chances],
        "words": {
            k: text.raw(f"puzzles.{k}")
            for k in ("pick", "not_allowed", "hand", "table", "before", "none_before", "best_mark")
        } | {
            "turn": text("puzzles.empty_table") if not state.trick else "?",
            "keys": text("puzzles.keys", n=state.hands[seat].bit_count()),
        },
        "answer": None if chosen is None else _answer(puzzle, chosen, text),
    }  # fmt: skip


def _answer(puzzle: Puzzle, chosen: str, text: Texts) -> dict[str, Any]:
    chances = puzzle.decision.chances
    return {
        "chosen": chosen,
        "best": [CARDS[c] for c in chances if puzzle.right(c)],
        "chances": {CARDS[c]: text.percent(x) for c, x in chances.items()},
    }


def _facts(hand: Replay, puzzle: Puzzle, state: State, names: list[str], text: Texts) -> list[str]:
    o, seat, ply = hand.outcome, puzzle.decision.seat, puzzle.ply
    assert o.declarer is not None
    role = role_of(hand, seat, ply)
    said = [
        text(f"puzzles.role_{role}", name=names[o.declarer], contract=contract_label(hand, text))
    ]
    if o.trump is not None and o.trump < 4:
        said.append(text("puzzles.trump", trump=text.raw("replay.suits")[o.trump]))
    if hand.called is not None:
        said.append(text("puzzles.called", card=text.card(CARDS[hand.called])))
    if o.bid is not None and o.bid.target:
        said.append(text("puzzles.target", n=o.bid.target))
    calls = []
    for e in hand.events:
        if e.kind == "call":
            call = e.data["text"]
            said_so = text("replay.pass") if call == "-" else call_label(hand, text, call)
            calls.append(f"{'?' if e.seat is None else text.seat(e.seat)} {said_so}")
    if calls:
        said.append(text("puzzles.auction", calls=", ".join(calls)))
    claims = [
        f"{text.seat(c.seat)} {claim_label(c, text)}"
        for c in hand.record.claims
        if c.ply <= ply and c.seat is not None
    ]
    if claims:
        said.append(text("puzzles.said", claims=", ".join(claims)))
    return said


def role_of(hand: Replay, seat: int, ply: int) -> str:
    """``declarer``, ``partner`` or ``defender``, as far as the seat itself knows then.

    Whoever holds the called card knows; a partner by the first trick is none before it (RULES 3.3).
    """
    o = hand.outcome
    if seat == o.declarer:
        return "declarer"
    later = o.bid is not None and o.bid.contract.partner == "first-trick-winner" and ply < 4
    return "partner" if seat == o.partner and not later else "defender"


def _seats(
    hand: Replay, puzzle: Puzzle, state: State, names: list[str], text: Texts
) -> list[dict[str, Any]]:
    own, o = puzzle.decision.seat, hand.outcome
    laid = dict(state.trick)
    out = []
    for i in (2, 1, 3, 0):
        s = (own + i) % 4
        role = ""
        if s == o.declarer:
            role = text("hands.role_declarer")
        elif s == o.partner and (
            state.partner_known or (s == own and role_of(hand, s, state.ply) == "partner")
        ):
            role = text("hands.role_partner")
        out.append(
            {
                "place": PLACES[i],
                "name": names[s],
                "role": role,
                "you": s == own,
                "card": CARDS[laid[s]] if s in laid else None,
            }
        )
    return out


def _tricks(hand: Replay, ply: int, text: Texts) -> list[dict[str, Any]]:
    out = []
    for t in range(ply // 4):
        cards = [
            ("?" if s is None else text.seat(s)[0], CARDS[p.card])
            for s, p in zip(hand.seats[4 * t : 4 * t + 4], hand.record.plays[4 * t : 4 * t + 4])
        ]
        winner = hand.outcome.winners[t]
        out.append({"cards": cards, "words": f"→ {text.seat(winner)}"})
    return out


__all__ = ["puzzle_data", "role_of"]
