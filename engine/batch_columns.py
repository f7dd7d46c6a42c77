"""Hands as columns: what :func:`engine.batch.replay_columns` takes, one array a field.

A column holds what the record says, nothing inferred. Hands that columns cannot express (written
seats, unknown cards, impossible deals and the like) are marked ``odd`` and carried as records.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from engine.cards import CARD_INDEX, CARDS, N_CARDS, NO_TRUMP, SEATS, SUITS, cards_in, mask_of
from engine.record import (
    CALL_CODES,
    Call,
    Claim,
    ClaimKind,
    HandRecord,
    Outcome,
    Play,
    Result,
)
from engine.table import deal_fault

PASS = 0
CODE_BASE = 10_000
PLUS_BASE = 20_000
N_CALLS = 30_000
"""Calls as numbers: 0 pass, 1–9999 a points bid, then the codes, then ``pan+`` and a number."""

TRUMP_UNKNOWN, TRUMP_ABSENT = NO_TRUMP + 1, NO_TRUMP + 2
"""Trump column after the suits and ``-``: ``?`` and not recorded."""
CARD_NONE, CARD_UNKNOWN, CARD_ABSENT = N_CARDS, N_CARDS + 1, N_CARDS + 2
"""Called card and discard after the 33 cards: ``-``, ``?`` and not recorded."""
ABSENT = -1
NO_PARTNER_TOLD = -2
"""Recorded partner: the source says nothing (-1 is its word that there was none)."""

CLAIM_KINDS: tuple[ClaimKind, ...] = get_args(ClaimKind)
ROEM, DENY, STUK, SHOW, RUN, SET = range(len(CLAIM_KINDS))
OUTCOMES: tuple[Outcome, ...] = ("lost", "made", "void")

_PLUS = "pan+"
_PLAYS = tuple(Play(c) for c in range(N_CARDS))


def call_code(text: str) -> int:
    """Number of a call's text.

    >>> [call_text(call_code(t)) for t in ("-", "130", "mis", "pan+20")]
    ['-', '130', 'mis', 'pan+20']
    """
    if text == "-":
        return PASS
    if text in CALL_CODES:
        return CODE_BASE + CALL_CODES.index(text)
    if text.startswith(_PLUS):
        return PLUS_BASE + int(text[len(_PLUS) :])
    return int(text)


def call_text(code: int) -> str:
    """Text of a call's number; see :func:`call_code`."""
    if code == PASS:
        return "-"
    if code >= PLUS_BASE:
        return f"{_PLUS}{code - PLUS_BASE}"
    return CALL_CODES[code - CODE_BASE] if code >= CODE_BASE else str(code)


HAND = np.dtype(
    [
        ("hands", np.int64, (4,)),
        ("calls_at", np.int64),
        ("claims_at", np.int64),
        ("points", np.int32, (2,)),
        ("tricks", np.int32, (2,)),
        ("score", np.int32, (4,)),
        ("n_calls", np.int16),
        ("n_claims", np.int16),
        ("rules", np.uint8),
        ("odd", np.uint8),
        ("dealer", np.int8),
        ("middle", np.int8),
        ("trump", np.int8),
        ("called", np.int8),
        ("discard", np.int8),
        ("n_plays", np.uint8),
        ("outcome", np.int8),
        ("has_score", np.uint8),
        ("conceded", np.int8),
        ("partner", np.int8),
        ("plays", np.uint8, (32,)),
    ],
    align=True,
)
"""One hand. ``rules`` is an index into the rule sets of the batch; ``odd`` marks a hand that only
its record tells, its other fields then mean nothing. ``hands`` are the dealt hands N E S W as card
sets, ``middle`` a card. ``calls_at`` and ``n_calls`` tell where its calls are, ``claims_at`` and
``n_claims`` its claims. ``trump``, ``called`` and ``discard`` have values of their own for none,
unknown and not recorded. Recorded results: ``outcome`` (index in ``OUTCOMES``), ``points``,
``tricks`` and ``conceded`` are -1 where nothing was recorded, ``score`` goes with ``has_score``,
``partner`` is a seat, -1 for the source's word that there was none, -2 for nothing said."""

CLAIM = np.dtype(
    [
        ("cards", np.int64),
        ("value", np.int16),
        ("ply", np.int8),
        ("seat", np.int8),
        ("kind", np.int8),
    ],
    align=True,
)
"""One claim: ``kind`` is an index in ``CLAIM_KINDS``, ``value`` -1 where there is none, ``cards``
the named cards as a set."""


def blank_hands(n: int) -> Any:
    """Hands of which nothing is recorded."""
    out = np.zeros(n, HAND)
    out["dealer"] = out["middle"] = out["outcome"] = out["conceded"] = ABSENT
    out["points"] = out["tricks"] = ABSENT
    out["trump"] = TRUMP_ABSENT
    out["called"] = out["discard"] = CARD_ABSENT
    out["partner"] = NO_PARTNER_TOLD
    return out


@dataclass(slots=True)
class HandColumns:
    """Hands for a batch: ``hands`` (array of :data:`HAND`), ``calls`` (call numbers, int16) and
    ``claims`` (array of :data:`CLAIM`). ``record_of`` gives the record of a hand; it is asked for
    the odd ones at least.
    """

    hands: Any = field(default_factory=lambda: blank_hands(0))
    calls: Any = field(default_factory=lambda: np.zeros(0, np.int16))
    claims: Any = field(default_factory=lambda: np.zeros(0, CLAIM))
    record_of: Callable[[int], HandRecord] | None = None

    def __len__(self) -> int:
        return len(self.hands)

    def calls_of(self, i: int) -> Any:
        """Call numbers of hand ``i``."""
        at = int(self.hands["calls_at"][i])
        return self.calls[at : at + int(self.hands["n_calls"][i])]

    def record(self, i: int, rules: str | None = None) -> HandRecord:
        """The record of hand ``i``: the given one, else rebuilt from the columns (without META).

        ``rules`` is the id to write into a rebuilt record.
        """
        if self.record_of is not None:
            return self.record_of(i)
        h = self.hands[i]
        deal = ["?"] * N_CARDS
        for seat in range(4):
            for c in cards_in(int(h["hands"][seat])):
                deal[c] = SEATS[seat]
        deal[int(h["middle"])] = "M"
        at = int(h["claims_at"])
        return HandRecord(
            rules=rules,
            dealer=int(h["dealer"]) if h["dealer"] >= 0 else None,
            deal="".join(deal),
            auction_state="calls",
            auction=tuple(Call(call_text(int(c))) for c in self.calls_of(i)),
            trump=_trump_text(int(h["trump"])),
            called=_card_text(int(h["called"])),
            discard=_card_text(int(h["discard"])),
            plays=tuple(_PLAYS[c] for c in h["plays"][: h["n_plays"]]),
            claims=tuple(_claim(c) for c in self.claims[at : at + int(h["n_claims"])]),
            result=_result(h),
        )


def _claim(c: Any) -> Claim:
    value = int(c["value"])
    return Claim(
        int(c["ply"]),
        int(c["seat"]),
        CLAIM_KINDS[c["kind"]],
        value if value >= 0 else None,
        tuple(cards_in(int(c["cards"]))),
    )


def _result(h: Any) -> Result:
    points, tricks, score = h["points"], h["tricks"], h["score"]
    return Result(
        outcome=OUTCOMES[h["outcome"]] if h["outcome"] >= 0 else None,
        points=(int(points[0]), int(points[1])) if points[0] >= 0 else None,
        score=(int(score[0]), int(score[1]), int(score[2]), int(score[3]))
        if h["has_score"]
        else None,
        tricks=(int(tricks[0]), int(tricks[1])) if tricks[0] >= 0 else None,
        conceded=int(h["conceded"]) if h["conceded"] >= 0 else None,
        partner=int(h["partner"]) if h["partner"] > NO_PARTNER_TOLD else None,
    )


def _trump_text(trump: int) -> str | None:
    if trump == TRUMP_ABSENT:
        return None
    return (SUITS + "-?")[trump]


def _card_text(card: int) -> str | None:
    if card == CARD_ABSENT:
        return None
    return CARDS[card] if card < N_CARDS else "-?"[card - N_CARDS]


def _trump_number(text: str | None) -> int:
    return TRUMP_ABSENT if text is None else (SUITS + "-?").index(text)


def _card_number(text: str | None) -> int:
    if text is None:
        return CARD_ABSENT
    return CARD_INDEX[text] if text in CARD_INDEX else N_CARDS + "-?".index(text)


def is_odd(record: HandRecord) -> bool:
    """Whether columns cannot express a record.

    >>> is_odd(HandRecord())
    True
    """
    return (
        record.auction_state != "calls"
        or record.dealer is None
        or "?" in record.deal
        or len(record.plays) > 32
        or any(p.seat is not None for p in record.plays)
        or any(c.seat is not None for c in record.auction)
        or any(len(set(c.cards)) != len(c.cards) for c in record.claims)
        or deal_fault(record) is not None
    )


def columns_from_records(
    records: Sequence[HandRecord], rules: Sequence[int] | None = None
) -> HandColumns:
    """Columns of any records; ``rules`` says by which rule set of the batch each is played.

    >>> c = columns_from_records([HandRecord()])
    >>> len(c), int(c.hands["odd"][0])
    (1, 1)
    """
    hands = blank_hands(len(records))
    if rules is not None:
        hands["rules"] = rules
    calls: list[int] = []
    claims: list[tuple[int, int, int, int, int]] = []
    for h, record in zip(hands, records):
        if is_odd(record):
            h["odd"] = True
            continue
        h["calls_at"], h["n_calls"] = len(calls), len(record.auction)
        h["claims_at"], h["n_claims"] = len(claims), len(record.claims)
        calls += [call_code(c.text) for c in record.auction]
        claims += [_claim_numbers(c) for c in record.claims]
        _fill(h, record)
    return HandColumns(
        hands, np.array(calls, np.int16), np.array(claims, CLAIM), records.__getitem__
    )


def _claim_numbers(claim: Claim) -> tuple[int, int, int, int, int]:
    value = ABSENT if claim.value is None else claim.value
    return mask_of(claim.cards), value, claim.ply, claim.seat, CLAIM_KINDS.index(claim.kind)


def _fill(h: Any, record: HandRecord) -> None:
    hands = [0, 0, 0, 0]
    for c, owner in enumerate(record.deal):
        if owner == "M":
            h["middle"] = c
        else:
            hands[SEATS.index(owner)] |= 1 << c
    h["hands"] = hands
    h["dealer"] = record.dealer
    h["trump"] = _trump_number(record.trump)
    h["called"] = _card_number(record.called)
    h["discard"] = _card_number(record.discard)
    h["n_plays"] = len(record.plays)
    h["plays"][: len(record.plays)] = [p.card for p in record.plays]
    r = record.result
    if r.outcome is not None:
        h["outcome"] = OUTCOMES.index(r.outcome)
    if r.points is not None:
        h["points"] = r.points
    if r.tricks is not None:
        h["tricks"] = r.tricks
    if r.score is not None:
        h["has_score"] = True
        h["score"] = r.score
    if r.conceded is not None:
        h["conceded"] = r.conceded
    if r.partner is not None:
        h["partner"] = r.partner
