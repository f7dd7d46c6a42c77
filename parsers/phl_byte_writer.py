"""Columns written as lines of the notation by compiled code: :func:`parsers.phl.write_phl` for
hands by the thousand.

Only for hands that columns express (none marked ``odd``); the bytes are those that the general
writer gives for the same records.
"""

from typing import Any

import numpy as np
from numba import njit

from engine.batch_columns import (
    CARD_ABSENT,
    CLAIM_KINDS,
    CODE_BASE,
    OUTCOMES,
    PLUS_BASE,
    ROEM,
    TRUMP_ABSENT,
    HandColumns,
)
from engine.cards import CARDS, N_CARDS, SEATS, SUITS
from engine.record import CALL_CODES
from parsers.meta import encode_rules

_WIDTH = 8


def _table(words: Any) -> Any:
    """Words as rows of bytes, each ending in 0."""
    out = np.zeros((len(words), _WIDTH), np.uint8)
    for row, word in zip(out, words):
        row[: len(word)] = list(word.encode())
    return out


# Cards as columns number them: also none, unknown; trumps likewise.
_CARDS = _table([*CARDS, "-", "?"])
_TRUMPS = _table([*SUITS, "-", "?"])
_CODES = _table(CALL_CODES)
_KINDS = _table(CLAIM_KINDS)
_OUTCOMES = _table(OUTCOMES)
_SEATS = np.frombuffer(SEATS.encode(), np.uint8)
_DASH, _PLUS, _COMMA, _DOT, _EQUALS, _COLON, _SLASH, _SPACE, _SEMICOLON = b"-+,.=:/ ;"
_MIDDLE, _ZERO = b"M0"
_PAN = _table(["pan+"])[0]
_PTS, _SCORE, _TRICKS = _table(["pts=", "score=", "tricks="])

_FIXED = 33 + 32 * 2 + 8 + 150
"""Most bytes of deal, play, declaration, result and separators."""
_A_CALL, _A_CLAIM = 10, 80


@njit(cache=True, nogil=True)
def _word(out: Any, at: int, word: Any) -> int:
    for k in range(word.size):
        if word[k] == 0:
            break
        out[at] = word[k]
        at += 1
    return at


@njit(cache=True, nogil=True)
def _byte(out: Any, at: int, b: int) -> int:
    out[at] = b
    return at + 1


@njit(cache=True, nogil=True)
def _number(out: Any, at: int, n: int) -> int:
    if n < 0:
        out[at] = _DASH
        at += 1
        n = -n
    size = 1
    rest = n // 10
    while rest:
        size += 1
        rest //= 10
    for k in range(at + size - 1, at - 1, -1):
        out[k] = _ZERO + n % 10
        n //= 10
    return at + size


@njit(cache=True, nogil=True)
def _call(out: Any, at: int, call: int) -> int:
    if call == 0:
        return _byte(out, at, _DASH)
    if call < CODE_BASE:
        return _number(out, at, call)
    if call < PLUS_BASE:
        return _word(out, at, _CODES[call - CODE_BASE])
    return _number(out, _word(out, at, _PAN), call - PLUS_BASE)


@njit(cache=True, nogil=True)
def _pair(out: Any, at: int, name: Any, one: int, other: int) -> int:
    at = _word(out, _byte(out, at, _SEMICOLON), name)
    at = _byte(out, _number(out, at, one), _DASH)
    return _number(out, at, other)


@njit(cache=True, nogil=True)
def _claim(out: Any, at: int, c: Any) -> int:
    at = _number(out, at, c.ply)
    at = _byte(out, at, _SEATS[c.seat])
    at = _word(out, _byte(out, at, _EQUALS), _KINDS[c.kind])
    if c.kind == ROEM:
        return _number(out, at, c.value)
    if c.cards:
        at = _byte(out, at, _COLON)
        for card in range(N_CARDS):
            if c.cards >> card & 1:
                at = _word(out, at, _CARDS[card])
    return at


@njit(cache=True, nogil=True)
def _result(out: Any, at: int, h: Any) -> int:
    begin = at
    if h.outcome >= 0:
        at = _word(out, _byte(out, at, _SEMICOLON), _OUTCOMES[h.outcome])
    if h.points[0] >= 0:
        at = _pair(out, at, _PTS, h.points[0], h.points[1])
    if h.has_score:
        at = _word(out, _byte(out, at, _SEMICOLON), _SCORE)
        for seat in range(4):
            if seat:
                at = _byte(out, at, _COMMA)
            at = _byte(out, at, _SEATS[seat])
            if h.score[seat] > 0:
                at = _byte(out, at, _PLUS)
            at = _number(out, at, h.score[seat])
    if h.tricks[0] >= 0:
        at = _pair(out, at, _TRICKS, h.tricks[0], h.tricks[1])
    if at == begin:
        return _byte(out, at, _DOT)
    for k in range(begin, at - 1):
        out[k] = out[k + 1]  # no semicolon before the first part
    return at - 1


@njit(cache=True, nogil=True)
def _line(
    out: Any, at: int, h: Any, calls: Any, claims: Any, rules: Any, before: Any, number: int,
    after: Any,
) -> int:  # fmt: skip
    at = _byte(out, _word(out, at, rules), _SPACE)
    at = _byte(out, _byte(out, at, _SEATS[h.dealer]), _SPACE)
    out[at : at + N_CARDS] = _MIDDLE
    for seat in range(4):
        for card in range(N_CARDS):
            if h.hands[seat] >> card & 1:
                out[at + card] = _SEATS[seat]
    at = _byte(out, at + N_CARDS, _SPACE)
    for k in range(h.n_calls):
        if k:
            at = _byte(out, at, _COMMA)
        at = _call(out, at, calls[h.calls_at + k])
    at = _byte(out, at, _SPACE)
    if h.trump == TRUMP_ABSENT:
        at = _byte(out, at, _DOT)
    else:
        at = _byte(out, _word(out, at, _TRUMPS[h.trump]), _COLON)
        at = _byte(out, _word(out, at, _CARDS[h.called]), _COLON)
        at = _word(out, at, _CARDS[h.discard])
    at = _byte(out, at, _SPACE)
    for k in range(h.n_plays):
        if k and k & 3 == 0:
            at = _byte(out, at, _SLASH)
        at = _word(out, at, _CARDS[h.plays[k]])
    if h.n_plays == 0:
        at = _byte(out, at, _DOT)
    at = _byte(out, at, _SPACE)
    for k in range(h.n_claims):
        if k:
            at = _byte(out, at, _COMMA)
        at = _claim(out, at, claims[h.claims_at + k])
    if h.n_claims == 0:
        at = _byte(out, at, _DOT)
    at = _result(out, _byte(out, at, _SPACE), h)
    at = _word(out, _byte(out, at, _SPACE), before)
    return _word(out, _number(out, at, number), after)


@njit(cache=True, nogil=True)
def _lines(
    out: Any, hands: Any, calls: Any, claims: Any, rules: Any, before: Any, first: int, after: Any
) -> int:
    at = 0
    for i in range(hands.size):
        at = _line(out, at, hands[i], calls, claims, rules, before, first + i, after)
    return at


def write_lines(
    columns: HandColumns, rules: str, rules_hash: str | None, before: str, first: int, after: str
) -> Any:
    """Lines (uint8 bytes) of hands with a complete deal, each with its line end.

    META of hand ``i`` is ``before``, the number ``first + i`` and ``after``, as they are written.
    Of a recorded result the outcome, points, score and tricks are written. Raises ``ValueError``
    where columns do not say all that the line must.

    >>> from engine.batch_columns import columns_from_records
    >>> from parsers.phl import parse_line
    >>> line = "heerlen N " + "N" * 8 + "E" * 8 + "S" * 8 + "W" * 8 + "M -,-,-,- . . . void id=a1"
    >>> out = write_lines(columns_from_records([parse_line(line)]), "heerlen", None, "id=a", 1, "")
    >>> out.tobytes().decode() == line + "\\n"
    True
    """
    hands = columns.hands
    told = (hands["trump"] == TRUMP_ABSENT) == (hands["called"] == CARD_ABSENT)
    told &= (hands["trump"] == TRUMP_ABSENT) == (hands["discard"] == CARD_ABSENT)
    if hands["odd"].any() or not told.all() or (hands["dealer"] < 0).any():
        raise ValueError("hands that columns do not express cannot be written from them")
    name = encode_rules(rules) + (f"@{rules_hash}" if rules_hash else "")
    words = [np.frombuffer(w.encode(), np.uint8).copy() for w in (name, before, f"{after}\n")]
    room = (_FIXED + sum(w.size for w in words) + 20) * len(hands)
    room += _A_CALL * len(columns.calls) + _A_CLAIM * len(columns.claims)
    out = np.empty(room, np.uint8)
    size = _lines(out, hands, columns.calls, columns.claims, words[0], words[1], first, words[2])
    return out[:size]


__all__ = ["write_lines"]
