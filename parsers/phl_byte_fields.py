"""Compiled readers of the fields of a ``.phl`` line: strict, canonical spellings only.

Each takes the bytes and the place of its field, writes into a hand of
:data:`engine.batch_columns.HAND`, and returns where the field ends, or -1.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

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
from engine.cards import CARD_INDEX, N_CARDS, PACK, SEATS, SUITS
from engine.compiled import kernel
from engine.record import CALL_CODES

MOST_CALLS = 250
MOST_CLAIMS = 60

SPACE, COMMA, DASH, DOT, SLASH, COLON, SEMICOLON, EQUALS, PERCENT, PLUS, QUERY, HASH = (
    ord(c) for c in " ,-./:;=%+?#"
)
ZERO, NINE, NEWLINE = ord("0"), ord("9"), 10

_ALL_CARDS = int(PACK)
_CARDS = np.full(32 * 128, -1, np.int8)
for _name, _index in CARD_INDEX.items():
    _CARDS[(ord(_name[0]) & 31) * 128 + ord(_name[1])] = _index
SEAT_OF = np.full(256, -1, np.int8)
for _k, _letter in enumerate(SEATS + "M"):
    SEAT_OF[ord(_letter)] = _k
_SUITS = np.full(256, -1, np.int8)
for _k, _letter in enumerate(SUITS + "-?"):
    _SUITS[ord(_letter)] = _k


def _eight(byte: int) -> int:
    """A byte eight times, as the number that an int64 of it is."""
    return int.from_bytes(bytes([byte]) * 8, "little", signed=True)


_ZEROS, _HIGHEST, _LOWEST = _eight(ord("0")), _eight(128), _eight(1)
_TO_HIGHEST = _eight(128 - 10)
_PAIRS = 0x000000FF000000FF
_SIDE_BY_SIDE = 0x0102040810204080
_ALL_N = _eight(ord("N"))
_N_TO = np.array([ord(_letter) ^ ord("N") for _letter in SEATS + "M"])
assert SEATS + "M" == "NESWM"  # read_deal tells them apart by bits 1 to 4 of their letters


def word(text: str) -> int:
    """A short ASCII text as a number, the first letter lowest."""
    return int.from_bytes(text.encode(), "little")


_CODE_WORDS = np.array([word(c) for c in CALL_CODES])
_PAN = word("pan")
_ROEM, _DENY, _STUK, _SHOW = (word(w) for w in ("roem", "deny", "stuk", "show"))
_RUN, _SET = word("run"), word("set")
_MADE, _LOST, _VOID = (word(w) for w in ("made", "lost", "void"))
_PTS, _SCORE, _TRICKS, _CONCEDED, _PARTNER = (
    word(w) for w in ("pts=", "score=", "tricks=", "conceded", "partner=")
)
assert (CLAIM_KINDS, OUTCOMES) == (
    ("roem", "deny", "stuk", "show", "run", "set"), ("lost", "made", "void"),
)  # fmt: skip


@intrinsic
def _eight_bytes(typing_context: Any, data: Any, at: Any) -> Any:
    """Eight bytes of an array at any place as an int64 (little-endian)."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]], source_etype=ir.IntType(8))
        load = builder.load(place, typ=ir.IntType(64))
        load.align = 1
        return load

    return types.int64(data, types.intp), code


@intrinsic
def put_eight(typing_context: Any, data: Any, at: Any, value: Any) -> Any:
    """Write a number as eight bytes at any place of an array of bytes, the lowest first."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]], source_etype=ir.IntType(8))
        store = builder.store(args[2], builder.bitcast(place, ir.IntType(64).as_pointer()))
        store.align = 1
        return context.get_dummy_value()

    return types.void(data, types.intp, types.int64), code


@intrinsic
def _zeros_below(typing_context: Any, number: Any) -> Any:
    """How many bits of a number, not 0, are 0 before the first that is 1, from the lowest on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@intrinsic
def _ones(typing_context: Any, number: Any) -> Any:
    """How many bits of a number are 1."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), code


_MASKS = np.array([(1 << 8 * n) - 1 if n < 8 else -1 for n in range(9)])


@kernel(forceinline=True)
def take(d: Any, p: int, n: int) -> Any:
    """Up to 8 bytes as a number, the first lowest."""
    return _eight_bytes(d, p) & _MASKS[n]  # type: ignore[call-arg]


@kernel(forceinline=True)
def read_card(d: Any, p: int) -> int:
    """The card written at ``p``, or -1."""
    suit, rank = d[p], d[p + 1]
    if not 64 < suit < 96 or rank >= 128:
        return -1
    return int(_CARDS[(suit & 31) * 128 + rank])


@kernel(forceinline=True)
def read_number(d: Any, p: int, most: int) -> Any:
    """A number without leading zeros, of at most ``most`` (up to 7) digits: (value or -1, where it
    ends).

    Eight bytes at once, because how many digits there are cannot be foreseen.
    """
    x = _eight_bytes(d, p) ^ _ZEROS  # type: ignore[call-arg]
    # The highest bit of every byte from the first on that is no digit. (Unsigned: sums of signed
    # numbers are compiled as if they never ran over.)
    others = np.int64((np.uint64(x) + np.uint64(_TO_HIGHEST)) | np.uint64(x)) & _HIGHEST
    if others == 0:
        return -1, p
    n = _zeros_below(others) >> 3
    if n == 0 or n > most or (n > 1 and x & 255 == 0):
        return -1, p
    # The last digit in the highest byte; then pairs of digits, and all of them.
    x <<= 64 - 8 * n
    x = 10 * x + (x >> 8)
    x = (x & _PAIRS) * (100 + (1000000 << 32)) + (x >> 16 & _PAIRS) * (1 + (10000 << 32))
    return x >> 32, p + n


@kernel(forceinline=True)
def _eight_bits(x: Any) -> Any:
    """The lowest bits of eight bytes side by side, the first byte's lowest."""
    spread = np.uint64(x & _LOWEST) * np.uint64(_SIDE_BY_SIDE)
    return np.int64(spread >> np.uint64(56))


@kernel()
def read_deal(d: Any, p: int, h: Any) -> bool:
    """Field 3, a complete deal of eight cards each and a middle card; whether it is one."""
    e_cards, s_cards, w_cards, middle = 0, 0, 0, 0
    wrong = 0
    for k in range(0, N_CARDS, 8):
        # Eight letters at once, told apart by their bits; after the last card as if there were N.
        w: Any = _eight_bytes(d, p + k)  # type: ignore[call-arg]
        if k + 8 > N_CARDS:
            w = (w & _MASKS[N_CARDS - k]) | (_ALL_N & ~_MASKS[N_CARDS - k])
        b1, b2, b3, b4 = w >> 1, w >> 2, w >> 3, w >> 4
        e, s = ~b4 & ~b3 & _LOWEST, b4 & ~b2 & _LOWEST
        west, m = b4 & b2 & _LOWEST, ~b4 & b3 & ~b1 & _LOWEST
        wrong |= w ^ _ALL_N ^ e * _N_TO[1] ^ s * _N_TO[2] ^ west * _N_TO[3] ^ m * _N_TO[4]
        e_cards |= _eight_bits(e) << k
        s_cards |= _eight_bits(s) << k
        w_cards |= _eight_bits(west) << k
        middle |= _eight_bits(m) << k
    if wrong or _ones(middle) != 1:  # type: ignore[call-arg]
        return False
    h.hands[0] = _ALL_CARDS & ~(e_cards | s_cards | w_cards | middle)
    h.hands[1] = e_cards
    h.hands[2] = s_cards
    h.hands[3] = w_cards
    h.middle = _zeros_below(middle)  # type: ignore[call-arg]
    eight = True
    for x in range(4):
        eight = eight and _ones(h.hands[x]) == 8
    return eight


@kernel()
def read_auction(d: Any, p: int, h: Any, calls: Any, at: int) -> int:
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
            value, q = read_number(d, p, 4)
            if value < 0:
                return -1
            calls[at + n] = value
            p = q
        else:
            word = take(d, p, 3)
            code = -1
            for k in range(_CODE_WORDS.size):
                if _CODE_WORDS[k] == word:
                    code = k
            if code < 0:
                return -1
            calls[at + n] = CODE_BASE + code
            p += 3
            if d[p] == PLUS:
                value, q = read_number(d, p + 1, 4)
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


@kernel(forceinline=True)
def _card_or_none(d: Any, p: int) -> Any:
    if d[p] == DASH:
        return N_CARDS, p + 1
    if d[p] == QUERY:
        return N_CARDS + 1, p + 1
    return read_card(d, p), p + 2


@kernel()
def read_declaration(d: Any, p: int, h: Any) -> int:
    """Field 5."""
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


@kernel()
def read_play(d: Any, p: int, h: Any) -> int:
    """Field 6, without written seats."""
    if d[p] == DOT:
        return p + 1
    n = 0
    while n < 32:
        card = read_card(d, p)
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


@kernel()
def read_claims(d: Any, p: int, h: Any, claims: Any, at: int) -> int:
    """Field 7, by ply; ``at`` is where its claims go."""
    h.claims_at = at
    if d[p] == DOT:
        return p + 1
    n = 0
    before = 0
    while True:
        if n == MOST_CLAIMS:
            return -1
        ply, p = read_number(d, p, 2)
        if ply < before or ply > 32:
            return -1
        before = ply
        seat = int(SEAT_OF[d[p]])
        if seat < 0 or seat > 3 or d[p + 1] != EQUALS:
            return -1
        p += 2
        kind = -1
        value = -1
        cards = 0
        word = take(d, p, 4)
        if word == _ROEM:
            kind = ROEM
            value, p = read_number(d, p + 4, 4)
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
                word = take(d, p, 3)
                if word != _RUN and word != _SET:
                    return -1
                kind = RUN if word == _RUN else SET
                p += 3
            if d[p] != COLON:
                return -1
            p += 1
            many = 0
            while d[p] != COMMA and d[p] != SPACE:
                card = read_card(d, p)
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


@kernel()
def read_result(d: Any, p: int, h: Any) -> int:
    """Field 8, its parts in the order in which they are written."""
    if d[p] == DOT:
        return p + 1
    last = 0
    while True:
        word = take(d, p, 4)
        part = 0
        if word == _MADE or word == _LOST or word == _VOID:  # noqa: SIM109
            part = 1
            h.outcome = 1 if word == _MADE else 0 if word == _LOST else 2
            p += 4
        elif word == _PTS:
            part = 2
            a, p = read_number(d, p + 4, 6)
            if a < 0 or d[p] != DASH:
                return -1
            b, p = read_number(d, p + 1, 6)
            if b < 0:
                return -1
            h.points[0] = a
            h.points[1] = b
        elif take(d, p, 6) == _SCORE:
            part = 3
            p += 6
            for seat in range(4):
                if SEAT_OF[d[p]] != seat:
                    return -1
                sign = d[p + 1]
                signed = sign in (PLUS, DASH)
                value, p = read_number(d, p + (2 if signed else 1), 6)
                if value < 0 or signed != (value > 0):
                    return -1
                h.score[seat] = -value if sign == DASH else value
                if seat < 3:
                    if d[p] != COMMA:
                        return -1
                    p += 1
            h.has_score = 1
        elif take(d, p, 7) == _TRICKS:
            part = 4
            a, p = read_number(d, p + 7, 6)
            if a < 0 or d[p] != DASH:
                return -1
            b, p = read_number(d, p + 1, 6)
            if b < 0:
                return -1
            h.tricks[0] = a
            h.tricks[1] = b
        elif take(d, p, 8) == _CONCEDED and d[p + 8] == EQUALS:
            part = 5
            a, p = read_number(d, p + 9, 2)
            if a < 0 or a > 32:
                return -1
            h.conceded = a
        elif take(d, p, 8) == _PARTNER:
            part = 6
            seat = -1 if d[p + 8] == DASH else int(SEAT_OF[d[p + 8]])
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
