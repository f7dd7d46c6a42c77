"""Compiled readers of the fields of a ``.phl`` line: strict, canonical spellings only."""

from typing import Any

import numpy as np
from numba import njit

from engine.batch_columns import (
    CLAIM_KINDS,
    CODE_BASE,
    DENY,
    OUTCOMES,
    PLUS_BASE,
    ROEM,
    RUN,
    SET,
    SHOW,
    STUK,
)
from engine.cards import CARD_INDEX, N_CARDS, SEATS, SUITS
from engine.record import CALL_CODES

META_KEYS = ("id", "n", "e", "s", "w", "date", "event", "site", "session", "hand", "src")
"""META keys whose values are found for every line."""
N_KEYS = len(META_KEYS)
OTHER_KEY = N_KEYS
NO_TOKEN = -1
CLAIMS_ROOM = 256
MOST_CALLS = 250
MOST_CLAIMS = 60

LINE = np.dtype(
    [
        ("start", np.int64),
        ("end", np.int64),
        ("order", np.int64),
        ("number", np.int32),
        ("fields", np.int32, (9,)),
        ("meta_at", np.int32, (N_KEYS,)),
        ("meta_len", np.int32, (N_KEYS,)),
        ("rest_at", np.int32),
        ("rest_len", np.int32),
        ("escaped", np.uint16),
        ("token", np.int16),
        ("odd", np.uint8),
    ],
    align=True,
)
"""One line that holds something: ``start`` and ``end`` (of its text) in the data, its ``number``
from 1, where its nine ``fields`` begin (from ``start``); META values as written (``meta_len`` -1:
absent; bit ``k`` of ``escaped``: holds escapes), the other keys in one piece (``rest_at``,
``rest_len``), and the ``order`` of the keys, 4 bits a key plus one, the first lowest. ``token``
tells which text of RULES it has. Only ``start``, ``end``, ``number`` and perhaps ``token`` mean
anything where ``odd``: such a line is for the general reader."""

SPACE, COMMA, DASH, DOT, SLASH, COLON, SEMICOLON, EQUALS, PERCENT, PLUS, QUERY, HASH = (
    ord(c) for c in " ,-./:;=%+?#"
)
ZERO, NINE, NEWLINE = ord("0"), ord("9"), 10

_CARDS = np.full(32 * 128, -1, np.int8)
for _name, _card in CARD_INDEX.items():
    _CARDS[(ord(_name[0]) & 31) * 128 + ord(_name[1])] = _card
_SEATS = np.full(256, -1, np.int8)
for _k, _letter in enumerate(SEATS + "M"):
    _SEATS[ord(_letter)] = _k
_SUITS = np.full(256, -1, np.int8)
for _k, _letter in enumerate(SUITS + "-?"):
    _SUITS[ord(_letter)] = _k


def _word(text: str) -> int:
    """A short ASCII text as a number, the first letter lowest."""
    return int.from_bytes(text.encode(), "little")


_CODE_WORDS = np.array([_word(c) for c in CALL_CODES])
_KEY_WORDS = np.array([_word(k) for k in META_KEYS])
_KEY_LENGTHS = np.array([len(k) for k in META_KEYS])
_PAN = _word("pan")
_ROEM, _DENY, _STUK, _SHOW = (_word(w) for w in ("roem", "deny", "stuk", "show"))
_RUN, _SET = _word("run"), _word("set")
_MADE, _LOST, _VOID = (_word(w) for w in ("made", "lost", "void"))
_PTS, _SCORE, _TRICKS, _CONCEDED, _PARTNER = (
    _word(w) for w in ("pts=", "score=", "tricks=", "conceded", "partner=")
)
_TEXT, _DEAL_EXTRA = _word("text"), _word("deal_ext")
assert (CLAIM_KINDS, OUTCOMES) == (
    ("roem", "deny", "stuk", "show", "run", "set"), ("lost", "made", "void"),
)  # fmt: skip


@njit(cache=True, nogil=True)
def cut_lines(d: Any, lines: Any, number: int) -> Any:
    """Find the lines that are neither blank nor comment: how many, and the next line's number."""
    n = 0
    start = 0
    for p in range(d.size):
        if d[p] != NEWLINE:
            continue
        if p > start and d[start] != HASH:
            blank = d[start] <= SPACE
            if blank:
                for q in range(start, p):
                    blank = blank and (d[q] == SPACE or 9 <= d[q] <= 13 or 28 <= d[q] <= 31)
            if not blank:
                lines[n].start = start
                lines[n].end = p
                lines[n].number = number
                n += 1
        number += 1
        start = p + 1
    return n, number


@njit(cache=True, nogil=True)
def _take(d: Any, p: int, n: int) -> int:
    """Up to 8 bytes as a number, the first lowest."""
    out = 0
    for k in range(n):
        out |= int(d[p + k]) << (8 * k)
    return out


@njit(cache=True, nogil=True)
def _card(d: Any, p: int) -> int:
    """The card written at ``p``, or -1."""
    suit, rank = d[p], d[p + 1]
    if not 64 < suit < 96 or rank >= 128:
        return -1
    return int(_CARDS[(suit & 31) * 128 + rank])


@njit(cache=True, nogil=True)
def _number(d: Any, p: int, most: int) -> Any:
    """A number without leading zeros, of at most ``most`` digits: (value or -1, where it ends)."""
    q = p
    value = 0
    while q - p <= most and ZERO <= d[q] <= NINE:
        value = 10 * value + int(d[q]) - ZERO
        q += 1
    if q == p or q - p > most or (d[p] == ZERO and q - p > 1):
        return -1, p
    return value, q


@njit(cache=True, nogil=True)
def _rules(d: Any, line: Any, tokens: Any, lengths: Any) -> int:
    """Field 1; returns where it ends."""
    p = line.start
    q = p
    while d[q] > SPACE:
        q += 1
    line.token = NO_TOKEN
    n = q - p
    for k in range(lengths.size):
        if lengths[k] == n:
            same = True
            for m in range(n):
                if d[p + m] != tokens[k, m]:
                    same = False
                    break
            if same:
                line.token = k
                return int(q)
    return -1


@njit(cache=True, nogil=True)
def _deal(d: Any, p: int, h: Any) -> bool:
    counts = 0
    for x in range(4):
        h.hands[x] = 0
    for c in range(N_CARDS):
        owner = int(_SEATS[d[p + c]])
        if owner < 0:
            return False
        counts += 1 << (8 * owner)
        if owner == 4:
            h.middle = c
        else:
            h.hands[owner] |= 1 << c
    return counts == 0x0108080808


@njit(cache=True, nogil=True)
def _auction(d: Any, p: int, h: Any, calls: Any, at: int) -> int:
    """Field 4; returns where it ends, or -1."""
    n = 0
    while True:
        if n == MOST_CALLS:
            return -1
        b = d[p]
        if b == DASH:
            calls[at + n] = 0
            p += 1
        elif ZERO < b <= NINE:
            value, q = _number(d, p, 4)
            if value < 0:
                return -1
            calls[at + n] = value
            p = q
        else:
            word = _take(d, p, 3)
            code = -1
            for k in range(_CODE_WORDS.size):
                if _CODE_WORDS[k] == word:
                    code = k
            if code < 0:
                return -1
            calls[at + n] = CODE_BASE + code
            p += 3
            if d[p] == PLUS:
                value, q = _number(d, p + 1, 4)
                if word != _PAN or value <= 0:
                    return -1
                calls[at + n] = PLUS_BASE + value
                p = q
        n += 1
        if d[p] == COMMA:
            p += 1
        elif d[p] == SPACE:
            break
        else:
            return -1
    h.calls_at = at
    h.n_calls = n
    return p


@njit(cache=True, nogil=True)
def _card_or_none(d: Any, p: int) -> Any:
    if d[p] == DASH:
        return N_CARDS, p + 1
    if d[p] == QUERY:
        return N_CARDS + 1, p + 1
    return _card(d, p), p + 2


@njit(cache=True, nogil=True)
def _declaration(d: Any, p: int, h: Any) -> int:
    if d[p] == DOT:
        return p + 1
    trump = _SUITS[d[p]]
    if trump < 0 or d[p + 1] != COLON:
        return -1
    called, p = _card_or_none(d, p + 2)
    if called < 0 or d[p] != COLON:
        return -1
    discard, p = _card_or_none(d, p + 1)
    if discard < 0:
        return -1
    h.trump = trump
    h.called = called
    h.discard = discard
    return int(p)


@njit(cache=True, nogil=True)
def _play(d: Any, p: int, h: Any) -> int:
    if d[p] == DOT:
        return p + 1
    n = 0
    while n < 32:
        card = _card(d, p)
        if card < 0:
            return -1
        h.plays[n] = card
        n += 1
        p += 2
        if d[p] == SPACE:
            break
        if n & 3 == 0:
            if d[p] != SLASH:
                return -1
            p += 1
    h.n_plays = n
    return p


@njit(cache=True, nogil=True)
def _claims(d: Any, p: int, h: Any, claims: Any, at: int) -> int:
    h.claims_at = at
    if d[p] == DOT:
        return p + 1
    n = 0
    before = 0
    while True:
        if n == MOST_CLAIMS:
            return -1
        ply, p = _number(d, p, 2)
        if ply < before or ply > 32:
            return -1
        before = ply
        seat = int(_SEATS[d[p]])
        if seat < 0 or seat > 3 or d[p + 1] != EQUALS:
            return -1
        p += 2
        kind = -1
        value = -1
        cards = 0
        word = _take(d, p, 4)
        if word == _ROEM:
            kind = ROEM
            value, p = _number(d, p + 4, 4)
            if value < 0:
                return -1
        elif word == _DENY or word == _STUK:  # noqa: SIM109
            kind = DENY if word == _DENY else STUK
            p += 4
        else:
            if word == _SHOW:
                kind = SHOW
                p += 4
            else:
                word = _take(d, p, 3)
                if word != _RUN and word != _SET:  # noqa: SIM109
                    return -1
                kind = RUN if word == _RUN else SET
                p += 3
            if d[p] != COLON:
                return -1
            p += 1
            many = 0
            while d[p] != COMMA and d[p] != SPACE:
                card = _card(d, p)
                if card < 0 or cards >> card & 1 or (kind == SHOW and many):
                    return -1
                cards |= 1 << card
                many += 1
                p += 2
            if many == 0:
                return -1
        claim = claims[at + n]
        claim.cards = cards
        claim.value = value
        claim.ply = ply
        claim.seat = seat
        claim.kind = kind
        n += 1
        if d[p] == SPACE:
            break
        if d[p] != COMMA:
            return -1
        p += 1
    h.n_claims = n
    return int(p)


@njit(cache=True, nogil=True)
def _result(d: Any, p: int, h: Any) -> int:
    """Field 8, its parts in the order in which they are written."""
    if d[p] == DOT:
        return p + 1
    last = 0
    while True:
        word = _take(d, p, 4)
        part = 0
        if word == _MADE or word == _LOST or word == _VOID:  # noqa: SIM109
            part = 1
            h.outcome = 1 if word == _MADE else 0 if word == _LOST else 2
            p += 4
        elif word == _PTS:
            part = 2
            a, p = _number(d, p + 4, 6)
            if a < 0 or d[p] != DASH:
                return -1
            b, p = _number(d, p + 1, 6)
            if b < 0:
                return -1
            h.points[0] = a
            h.points[1] = b
        elif _take(d, p, 6) == _SCORE:
            part = 3
            p += 6
            for seat in range(4):
                if _SEATS[d[p]] != seat:
                    return -1
                sign = d[p + 1]
                signed = sign == PLUS or sign == DASH  # noqa: SIM109
                value, p = _number(d, p + (2 if signed else 1), 6)
                if value < 0 or signed != (value > 0):
                    return -1
                h.score[seat] = -value if sign == DASH else value
                if seat < 3:
                    if d[p] != COMMA:
                        return -1
                    p += 1
            h.has_score = 1
        elif _take(d, p, 7) == _TRICKS:
            part = 4
            a, p = _number(d, p + 7, 6)
            if a < 0 or d[p] != DASH:
                return -1
            b, p = _number(d, p + 1, 6)
            if b < 0:
                return -1
            h.tricks[0] = a
            h.tricks[1] = b
        elif _take(d, p, 8) == _CONCEDED and d[p + 8] == EQUALS:
            part = 5
            a, p = _number(d, p + 9, 2)
            if a < 0 or a > 32:
                return -1
            h.conceded = a
        elif _take(d, p, 8) == _PARTNER:
            part = 6
            seat = -1 if d[p + 8] == DASH else int(_SEATS[d[p + 8]])
            if seat > 3 or (seat < 0 and d[p + 8] != DASH):
                return -1
            h.partner = seat
            p += 9
        if part <= last:
            return -1
        last = part
        if d[p] == SPACE:
            return int(p)
        if d[p] != SEMICOLON:
            return -1
        p += 1


@njit(cache=True, nogil=True)
def _hex(b: int) -> int:
    if ZERO <= b <= NINE:
        return b - ZERO
    return b - 55 if 65 <= b <= 70 else -1


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _meta(d: Any, p: int, line: Any) -> bool:
    """Field 9 up to the line's end."""
    line.order = 0
    line.escaped = 0
    line.rest_len = 0
    for k in range(N_KEYS):
        line.meta_len[k] = -1
    if d[p] == DOT:
        return p + 1 == line.end
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
        word = _take(d, start, min(length, 8))
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
            return p == line.end
        p += 1


@njit(cache=True, nogil=True)
def _line(
    d: Any, line: Any, h: Any, calls: Any, claims: Any, tokens: Any, lengths: Any, filled: Any
) -> bool:
    """Read one line; false where it is not exactly as the writer writes it."""
    # The shortest such line; so that fields of fixed width cannot run over the line's end.
    if line.end - line.start < 50:
        return False
    p = _rules(d, line, tokens, lengths)
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[0] = 0
    line.fields[1] = p + 1 - line.start
    dealer = _SEATS[d[p + 1]]
    if dealer < 0 or dealer > 3 or d[p + 2] != SPACE:
        return False
    h.dealer = dealer
    p += 3
    line.fields[2] = p - line.start
    if line.end - p < N_CARDS + 13 or not _deal(d, p, h) or d[p + N_CARDS] != SPACE:
        return False
    p += N_CARDS + 1
    line.fields[3] = p - line.start
    p = _auction(d, p, h, calls, filled[0])
    if p < 0:
        return False
    line.fields[4] = p + 1 - line.start
    p = _declaration(d, p + 1, h)
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[5] = p + 1 - line.start
    p = _play(d, p + 1, h)
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[6] = p + 1 - line.start
    p = _claims(d, p + 1, h, claims, filled[1])
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[7] = p + 1 - line.start
    p = _result(d, p + 1, h)
    if p < 0 or d[p] != SPACE:
        return False
    line.fields[8] = p + 1 - line.start
    return _meta(d, p + 1, line)


@njit(cache=True, nogil=True)
def parse_lines(
    d: Any, lines: Any, start: int, hands: Any, calls: Any, claims: Any, tokens: Any,
    lengths: Any, token_rules: Any, filled: Any,
) -> Any:  # fmt: skip
    """Read ``lines[start:]``; returns how far it came before ``calls`` or ``claims`` were full.

    ``filled`` counts the calls and claims so far.
    """
    for i in range(start, lines.size):
        if filled[0] + MOST_CALLS > calls.size or filled[1] + MOST_CLAIMS > claims.size:
            return i
        line, h = lines[i], hands[i]
        if _line(d, line, h, calls, claims, tokens, lengths, filled):
            h.rules = token_rules[line.token]
            filled[0] += h.n_calls
            filled[1] += h.n_claims
        else:
            line.odd = 1
    return lines.size
