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


def _zeros(dtype: Any, width: int = 0) -> Any:
    return field(default_factory=lambda: np.zeros((0, width) if width else 0, dtype))


@dataclass(slots=True)
class HandColumns:
    """``n`` hands in columns.

    ``rules[i]`` is an index into the rule sets given to the batch. ``odd[i]`` marks a hand that
    only its record tells; its other columns then mean nothing. ``hands[i]`` are the dealt hands
    N E S W as card sets, ``middle`` a card. ``calls[call_start[i]:call_start[i+1]]`` is the
    auction; ``claim_*`` likewise by ``claim_start``: ply, seat, kind (index in ``CLAIM_KINDS``),
    value (-1 where there is none) and named cards as a set. ``trump``, ``called`` and ``discard``
    have values of their own for none, unknown and not recorded. Recorded results: ``outcome``
    (index in ``OUTCOMES``), ``points``, ``tricks``, ``conceded`` are -1 where nothing was
    recorded, ``score`` goes with ``has_score``, ``partner`` is a seat, -1 for the source's word
    that there was none, -2 for nothing said.

    ``record_of`` gives the record of a hand; it is asked for the odd ones at least.
    """

    rules: Any = _zeros(np.uint8)
    odd: Any = _zeros(np.bool_)
    dealer: Any = _zeros(np.int8)
    hands: Any = _zeros(np.int64, 4)
    middle: Any = _zeros(np.int8)
    call_start: Any = field(default_factory=lambda: np.zeros(1, np.int64))
    calls: Any = _zeros(np.int16)
    trump: Any = _zeros(np.int8)
    called: Any = _zeros(np.int8)
    discard: Any = _zeros(np.int8)
    n_plays: Any = _zeros(np.uint8)
    plays: Any = _zeros(np.uint8, 32)
    claim_start: Any = field(default_factory=lambda: np.zeros(1, np.int64))
    claim_ply: Any = _zeros(np.int8)
    claim_seat: Any = _zeros(np.int8)
    claim_kind: Any = _zeros(np.int8)
    claim_value: Any = _zeros(np.int16)
    claim_cards: Any = _zeros(np.int64)
    outcome: Any = _zeros(np.int8)
    points: Any = _zeros(np.int32, 2)
    tricks: Any = _zeros(np.int32, 2)
    has_score: Any = _zeros(np.bool_)
    score: Any = _zeros(np.int32, 4)
    conceded: Any = _zeros(np.int8)
    partner: Any = _zeros(np.int8)
    record_of: Callable[[int], HandRecord] | None = None

    def __len__(self) -> int:
        return len(self.rules)

    def record(self, i: int, rules: str | None = None) -> HandRecord:
        """The record of hand ``i``: the given one, else rebuilt from the columns (without META).

        ``rules`` is the id to write into a rebuilt record.
        """
        if self.record_of is not None:
            return self.record_of(i)
        calls = self.calls[self.call_start[i] : self.call_start[i + 1]]
        deal = ["?"] * N_CARDS
        for seat in range(4):
            for c in cards_in(int(self.hands[i, seat])):
                deal[c] = SEATS[seat]
        deal[int(self.middle[i])] = "M"
        return HandRecord(
            rules=rules,
            dealer=int(self.dealer[i]) if self.dealer[i] >= 0 else None,
            deal="".join(deal),
            auction_state="calls",
            auction=tuple(Call(call_text(int(c))) for c in calls),
            trump=_trump_text(int(self.trump[i])),
            called=_card_text(int(self.called[i])),
            discard=_card_text(int(self.discard[i])),
            plays=tuple(_PLAYS[c] for c in self.plays[i, : self.n_plays[i]]),
            claims=tuple(
                self._claim(k)
                for k in range(int(self.claim_start[i]), int(self.claim_start[i + 1]))
            ),
            result=self._result(i),
        )

    def _claim(self, k: int) -> Claim:
        kind = CLAIM_KINDS[self.claim_kind[k]]
        value = int(self.claim_value[k])
        return Claim(
            int(self.claim_ply[k]),
            int(self.claim_seat[k]),
            kind,
            value if value >= 0 else None,
            tuple(cards_in(int(self.claim_cards[k]))),
        )

    def _result(self, i: int) -> Result:
        points, tricks, score = self.points[i], self.tricks[i], self.score[i]
        return Result(
            outcome=OUTCOMES[self.outcome[i]] if self.outcome[i] >= 0 else None,
            points=(int(points[0]), int(points[1])) if points[0] >= 0 else None,
            score=(int(score[0]), int(score[1]), int(score[2]), int(score[3]))
            if self.has_score[i]
            else None,
            tricks=(int(tricks[0]), int(tricks[1])) if tricks[0] >= 0 else None,
            conceded=int(self.conceded[i]) if self.conceded[i] >= 0 else None,
            partner=int(self.partner[i]) if self.partner[i] > NO_PARTNER_TOLD else None,
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
    >>> len(c), bool(c.odd[0])
    (1, True)
    """
    n = len(records)
    out = HandColumns(
        rules=np.zeros(n, np.uint8) if rules is None else np.asarray(rules, np.uint8),
        odd=np.zeros(n, np.bool_),
        dealer=np.full(n, ABSENT, np.int8),
        hands=np.zeros((n, 4), np.int64),
        middle=np.zeros(n, np.int8),
        trump=np.full(n, TRUMP_ABSENT, np.int8),
        called=np.full(n, CARD_ABSENT, np.int8),
        discard=np.full(n, CARD_ABSENT, np.int8),
        n_plays=np.zeros(n, np.uint8),
        plays=np.zeros((n, 32), np.uint8),
        outcome=np.full(n, ABSENT, np.int8),
        points=np.full((n, 2), ABSENT, np.int32),
        tricks=np.full((n, 2), ABSENT, np.int32),
        has_score=np.zeros(n, np.bool_),
        score=np.zeros((n, 4), np.int32),
        conceded=np.full(n, ABSENT, np.int8),
        partner=np.full(n, NO_PARTNER_TOLD, np.int8),
        record_of=records.__getitem__,
    )
    call_start, claim_start = [0], [0]
    calls: list[int] = []
    claims: list[tuple[int, int, int, int, int]] = []
    for i, record in enumerate(records):
        if is_odd(record):
            out.odd[i] = True
        else:
            _fill(out, i, record)
            calls += [call_code(c.text) for c in record.auction]
            claims += [_claim_numbers(c) for c in record.claims]
        call_start.append(len(calls))
        claim_start.append(len(claims))
    out.call_start = np.array(call_start, np.int64)
    out.calls = np.array(calls, np.int16)
    out.claim_start = np.array(claim_start, np.int64)
    table = np.array(claims, np.int64).reshape(-1, 5)
    out.claim_ply = table[:, 0].astype(np.int8)
    out.claim_seat = table[:, 1].astype(np.int8)
    out.claim_kind = table[:, 2].astype(np.int8)
    out.claim_value = table[:, 3].astype(np.int16)
    out.claim_cards = table[:, 4].copy()
    return out


def _claim_numbers(claim: Claim) -> tuple[int, int, int, int, int]:
    value = ABSENT if claim.value is None else claim.value
    return claim.ply, claim.seat, CLAIM_KINDS.index(claim.kind), value, mask_of(claim.cards)


def _fill(out: HandColumns, i: int, record: HandRecord) -> None:
    out.dealer[i] = record.dealer
    for c, owner in enumerate(record.deal):
        if owner == "M":
            out.middle[i] = c
        else:
            out.hands[i, SEATS.index(owner)] |= 1 << c
    out.trump[i] = _trump_number(record.trump)
    out.called[i] = _card_number(record.called)
    out.discard[i] = _card_number(record.discard)
    out.n_plays[i] = len(record.plays)
    out.plays[i, : len(record.plays)] = [p.card for p in record.plays]
    r = record.result
    if r.outcome is not None:
        out.outcome[i] = OUTCOMES.index(r.outcome)
    if r.points is not None:
        out.points[i] = r.points
    if r.tricks is not None:
        out.tricks[i] = r.tricks
    if r.score is not None:
        out.has_score[i] = True
        out.score[i] = r.score
    if r.conceded is not None:
        out.conceded[i] = r.conceded
    if r.partner is not None:
        out.partner[i] = r.partner
