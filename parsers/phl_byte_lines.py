"""Compiled reader of whole ``.phl`` lines; :mod:`parsers.phl_byte_fields` reads the fields."""

from typing import Any

import numpy as np

from engine.batch_columns import ABSENT, CARD_ABSENT, NO_PARTNER_TOLD, TRUMP_ABSENT
from engine.cards import N_CARDS
from engine.compiled import kernel
from parsers.phl_byte_fields import (
    DOT,
    EQUALS,
    HASH,
    MOST_CALLS,
    MOST_CLAIMS,
    NEWLINE,
    NINE,
    PERCENT,
    SEAT_OF,
    SEMICOLON,
    SPACE,
    ZERO,
    read_auction,
    read_claims,
    read_deal,
    read_declaration,
    read_play,
    read_result,
    take,
    word,
)

META_KEYS = ("id", "n", "e", "s", "w", "date", "event", "site", "session", "hand", "src")
"""META keys whose values are found for every line."""
N_KEYS = len(META_KEYS)
OTHER_KEY = N_KEYS
NO_TOKEN = -1
SLACK = 256
"""Calls or claims that one line at most has."""
LINE = np.dtype(
    [
        ("start", np.int64),
        ("order", np.int64),
        ("length", np.int32),
        ("number", np.int32),
        ("fields", np.uint16, (9,)),
        ("meta_at", np.uint16, (N_KEYS,)),
        ("meta_len", np.int32, (N_KEYS,)),
        ("rest_at", np.uint16),
        ("rest_len", np.uint16),
        ("escaped", np.uint16),
        ("token", np.int16),
        ("odd", np.uint8),
    ],
    align=True,
)
"""One line that holds something: where it starts in the data and how long it is, its ``number``
from 1, where its nine ``fields`` begin (from ``start``); META values as written (``meta_len`` -1:
absent; bit ``k`` of ``escaped``: holds escapes), the other keys in one piece (``rest_at``,
``rest_len``), and the ``order`` of the keys, 4 bits a key plus one, the first lowest. ``token``
tells which text of RULES it has. Only ``start``, ``length``, ``number`` and perhaps ``token`` mean
anything where ``odd``: such a line is for the general reader."""
LONGEST = 60_000
"""Length of a line in bytes, from which on it is left to the general reader."""
PADDING = 64
"""Bytes after the last line end that the compiled reader may look at."""

_KEY_WORDS = np.array([word(k) for k in META_KEYS])
_KEY_LENGTHS = np.array([len(k) for k in META_KEYS])
_TEXT, _DEAL_EXTRA = word("text"), word("deal_ext")


@kernel()
def _rules(d: Any, line: Any, tokens: Any, lengths: Any) -> int:
    """Field 1; returns where it ends. ``line.token`` holds a first guess."""
    p = line.start
    q = p
    while d[q] > SPACE:
        q += 1
    n = q - p
    guess = line.token
    for k in range(-1, lengths.size):
        at = guess if k < 0 else k
        if lengths[at] == n:
            same = True
            for m in range(n):
                if d[p + m] != tokens[at, m]:
                    same = False
                    break
            if same:
                line.token = at
                return int(q)
    line.token = NO_TOKEN
    return -1


@kernel(forceinline=True)
def _hex(b: int) -> int:
    if ZERO <= b <= NINE:
        return b - ZERO
    return b - 55 if 65 <= b <= 70 else -1


@kernel(forceinline=True)
def _value(d: Any, p: int) -> Any:
    """A META value as the writer encodes it: (where it ends or -1, whether it holds escapes)."""
    escaped = False
    while True:
        b = int(d[p])
        if b == SEMICOLON or b == NEWLINE:  # noqa: SIM109
            return p, escaped
        if b == PERCENT:
            high, low = _hex(int(d[p + 1])), _hex(int(d[p + 2]))
            code = 16 * high + low
            if high < 0 or low < 0:
                return -1, escaped
            if not (code <= SPACE or code in (SEMICOLON, EQUALS, PERCENT, 127)):
                return -1, escaped
            escaped = True
            p += 3
            continue
        # Space, = and control characters (U+0080 to U+009F too) are always escaped.
        if b <= SPACE or b == EQUALS or b == 127 or (b == 0xC2 and d[p + 1] < 0xA0):
            return -1, escaped
        p += 1


@kernel()
def _meta(d: Any, p: int, line: Any) -> bool:
    """Field 9 up to the line's end; leaves the length of the line."""
    line.order = 0
    line.escaped = 0
    line.rest_len = 0
    for k in range(N_KEYS):
        line.meta_len[k] = -1
    if d[p] == DOT:
        line.length = p + 1 - line.start
        return bool(d[p + 1] == NEWLINE)
    n = 0
    rest_end = -1
    while True:
        start = p
        if not 97 <= d[p] <= 122:
            return False
        while 97 <= d[p] <= 122 or ZERO <= d[p] <= NINE or d[p] == 95:
            p += 1
        length = p - start
        if d[p] != EQUALS or n == 15:
            return False
        word = take(d, start, min(length, 8))
        key = OTHER_KEY
        for k in range(N_KEYS):
            if _KEY_LENGTHS[k] == length and _KEY_WORDS[k] == word:
                key = k
        if key == OTHER_KEY and (word in (_TEXT, _DEAL_EXTRA)):
            return False
        at = p + 1
        p, escaped = _value(d, at)
        if p < 0:
            return False
        if key == OTHER_KEY:
            if rest_end < 0:
                line.rest_at = start - line.start
            elif rest_end + 1 != start:
                return False
            rest_end = p
            line.rest_len = p - line.start - line.rest_at
        else:
            if line.meta_len[key] >= 0:
                return False
            line.meta_at[key] = at - line.start
            line.meta_len[key] = p - at
            if escaped:
                line.escaped |= 1 << key
        line.order |= (key + 1) << (4 * n)
        n += 1
        if d[p] == NEWLINE:
            line.length = p - line.start
            return True
        p += 1
        if p - line.start > LONGEST:
            return False


@kernel()
def _blank(h: Any) -> None:
    """Nothing recorded, as in :func:`engine.batch_columns.blank_hands`."""
    h.odd = 0
    h.n_plays = 0
    h.n_claims = 0
    h.trump = TRUMP_ABSENT
    h.called = CARD_ABSENT
    h.discard = CARD_ABSENT
    h.outcome = ABSENT
    h.conceded = ABSENT
    h.partner = NO_PARTNER_TOLD
    h.has_score = 0
    for x in range(2):
        h.points[x] = ABSENT
        h.tricks[x] = ABSENT
    for x in range(4):
        h.score[x] = 0
    for x in range(32):
        h.plays[x] = 0


@kernel()
def _line(
    d: Any, line: Any, h: Any, calls: Any, claims: Any, tokens: Any, lengths: Any, state: Any
) -> bool:
    """Read one line; false where it is not exactly as the writer writes it."""
    p = _rules(d, line, tokens, lengths)
    if p < 0 or d[p] != SPACE:
        return False
    _blank(h)
    line.fields[0] = 0
    line.fields[1] = p + 1 - line.start
    dealer = SEAT_OF[d[p + 1]]
    if dealer < 0 or dealer > 3 or d[p + 2] != SPACE:
        return False
    h.dealer = dealer
    p += 3
    line.fields[2] = p - line.start
    if not read_deal(d, p, h) or d[p + N_CARDS] != SPACE:
        return False
    p += N_CARDS + 1
    line.fields[3] = p - line.start
    p = read_auction(d, p, h, calls, state[3])
    if p < 0:
        return False
    line.fields[4] = p + 1 - line.start
    p = read_declaration(d, p + 1, h)
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[5] = p + 1 - line.start
    p = read_play(d, p + 1, h)
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[6] = p + 1 - line.start
    p = read_claims(d, p + 1, h, claims, state[4])
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[7] = p + 1 - line.start
    p = read_result(d, p + 1, h)
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[8] = p + 1 - line.start
    return _meta(d, p + 1, line)


@kernel()
def _is_blank(d: Any, start: int, end: int) -> bool:
    for p in range(start, end):
        b = d[p]
        if not (b == SPACE or 9 <= b <= 13 or 28 <= b <= 31):
            return False
    return True


@kernel()
def parse_lines(
    d: Any, size: int, lines: Any, hands: Any, calls: Any, claims: Any, tokens: Any,
    lengths: Any, token_rules: Any, state: Any,
) -> None:  # fmt: skip
    """Read the lines of the first ``size`` bytes, of which the last ends a line.

    ``state`` holds the place in the data, the number of the line there, and how many lines, calls
    and claims there are so far; it stops before any of the arrays is full.
    """
    p, number, n = state[0], state[1], state[2]
    token = 0
    while p < size:
        if n == lines.size or state[3] + MOST_CALLS > calls.size:
            break
        if state[4] + MOST_CLAIMS > claims.size:
            break
        start = p
        if d[p] == NEWLINE:
            p += 1
            number += 1
            continue
        comment = d[p] == HASH
        if not comment:
            line, h = lines[n], hands[n]
            line.start = start
            line.number = number
            line.token = token
            if _line(d, line, h, calls, claims, tokens, lengths, state):
                h.rules = token_rules[line.token]
                line.odd = 0
                token = line.token
                state[3] += h.n_calls
                state[4] += h.n_claims
                n += 1
                p = start + line.length + 1
                number += 1
                continue
        while d[p] != NEWLINE:
            p += 1
        if not comment and not _is_blank(d, start, p):
            lines[n].odd = 1
            lines[n].length = p - start
            n += 1
        p += 1
        number += 1
    state[0] = p
    state[1] = number
    state[2] = n
