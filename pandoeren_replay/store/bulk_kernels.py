"""Compiled parts of the bulk road into the store: hashes and string views."""

from typing import Any

import numpy as np
from numba import njit

from engine.cards import SEATS
from pandoeren_replay.store.hash import OFFSET, PRIME, absorb, finish
from parsers.phl_byte_fields import take
from parsers.phl_byte_lines import META_KEYS

INLINE = 12
"""Arrow string views are two words: up to 12 bytes stand in them, of longer texts the length and
the first 4 bytes, then buffer and offset. Null ones are zero."""
SLACK = 16
"""Bytes after the last text of a buffer that may be looked at."""

_KEY_LENGTHS = np.array([len(k) for k in META_KEYS])
_SEAT_BYTES = np.frombuffer(SEATS.encode(), np.uint8)
_LOWER = 32
_SPACE, _PERCENT, _DOT, _SEMICOLON = (ord(c) for c in " %.;")
LONGEST_ID = 64
_LANES = 4


@njit(cache=True, nogil=True)
def _view(v: Any, k: int, data: Any, buffer: int, at: int, length: int) -> None:
    if length > INLINE:
        v[k, 0] = length | take(data, at, 4) << 32
        v[k, 1] = buffer | at << 32
    else:
        v[k, 0] = length | take(data, at, min(length, 4)) << 32
        v[k, 1] = take(data, at + 4, length - 4) if length > 4 else 0


@njit(cache=True, nogil=True)
def _null(v: Any, k: int) -> None:
    v[k, 0] = 0
    v[k, 1] = 0


@njit(cache=True, nogil=True)
def field_views(
    data: Any, lines: Any, rows: Any, which: int, views: Any, valid: Any, dots: bool
) -> None:
    """Views of field ``which`` (0-7) of some lines; ``.`` is absent unless ``dots``."""
    for k in range(rows.size):
        line = lines[rows[k]]
        at = line.start + line.fields[which]
        length = int(line.fields[which + 1]) - int(line.fields[which]) - 1
        absent = length == 1 and data[at] == _DOT and not dots
        valid[k] = not absent
        if absent:
            _null(views, k)
        else:
            _view(views, k, data, 0, at, length)


@njit(cache=True, nogil=True)
def rest_views(data: Any, lines: Any, rows: Any, views: Any, valid: Any) -> None:
    """Views of the META keys without a column of their own."""
    for k in range(rows.size):
        line = lines[rows[k]]
        valid[k] = line.rest_len > 0
        if valid[k]:
            _view(views, k, data, 0, line.start + line.rest_at, int(line.rest_len))
        else:
            _null(views, k)


@njit(cache=True, nogil=True)
def _hex(b: int) -> int:
    return b - 48 if b <= 57 else b - 55


@njit(cache=True, nogil=True)
def meta_views(
    data: Any, lines: Any, rows: Any, key: int, views: Any, valid: Any, decoded: Any
) -> int:
    """Views of a META value; those with escapes are decoded into ``decoded`` (buffer 1).

    Returns how much of ``decoded`` is needed; where that is more than there is, nothing is decoded.
    """
    need = 0
    for k in range(rows.size):
        line = lines[rows[k]]
        if line.meta_len[key] >= 0 and line.escaped >> key & 1:
            need += line.meta_len[key]
    need += SLACK
    if need > decoded.size:
        return need
    out = 0
    for k in range(rows.size):
        line = lines[rows[k]]
        length = line.meta_len[key]
        valid[k] = length >= 0
        if length < 0:
            _null(views, k)
            continue
        at = line.start + line.meta_at[key]
        if not line.escaped >> key & 1:
            _view(views, k, data, 0, at, length)
            continue
        first = out
        p = at
        while p < at + length:
            if data[p] == _PERCENT:
                decoded[out] = 16 * _hex(data[p + 1]) + _hex(data[p + 2])
                p += 3
            else:
                decoded[out] = data[p]
                p += 1
            out += 1
        _view(views, k, decoded, 1, first, out - first)
    return need


@njit(cache=True, nogil=True)
def call_seats(
    hands: Any, calls: Any, rows: Any, symbol: Any, steps: Any, states: Any, text: Any, at: int,
    views: Any, valid: Any,
) -> int:  # fmt: skip
    """Who made each call (lower case: without effect), where that is not just round the table.

    The letters go into ``text`` from ``at`` on; returns where they end.
    """
    for k in range(rows.size):
        h = hands[rows[k]]
        state = 0
        usual = True
        for n in range(h.n_calls):
            step = steps[state, symbol[calls[h.calls_at + n]]]
            usual = usual and not step.fault and states[state].turn == n & 3
            state = step.following
        valid[k] = not usual
        if usual:
            _null(views, k)
            continue
        state = 0
        for n in range(h.n_calls):
            step = steps[state, symbol[calls[h.calls_at + n]]]
            seat = (h.dealer + 1 + states[state].turn) & 3
            text[at + n] = _SEAT_BYTES[seat] + (_LOWER if step.fault else 0)
            state = step.following
        _view(views, k, text, 0, at, int(h.n_calls))
        at += h.n_calls
    return at


@njit(cache=True, nogil=True)
def _absorb_identity(h: Any, data: Any, line: Any, order: Any) -> Any:
    """What comes after fields 2 to 7 of a line with cards: no result, and some of META."""
    h = (h ^ np.uint64(_DOT)) * PRIME
    h = (h ^ np.uint64(_SPACE)) * PRIME
    first = True
    for j in range(order.size):
        key = order[j]
        length = line.meta_len[key]
        if length < 0:
            continue
        if not first:
            h = (h ^ np.uint64(_SEMICOLON)) * PRIME
        first = False
        start = line.start + line.meta_at[key]
        h = absorb(h, data, start - 1 - _KEY_LENGTHS[key], start + length)
    return h


@njit(cache=True, nogil=True)
def hash_lines(
    data: Any, lines: Any, hands: Any, rows: Any, ids: Any, id_lengths: Any, order: Any, out: Any
) -> None:
    """Content hashes of some lines with cards, of what
    :func:`pandoeren_replay.store.hash.content_text` says.

    Four lines go side by side: each step of the hash waits for the one before it.
    """
    heads = np.empty(id_lengths.size, np.uint64)
    for r in range(id_lengths.size):
        heads[r] = absorb(OFFSET, ids[r], 0, id_lengths[r])
    starts = np.zeros(_LANES, np.int64)
    sizes = np.zeros(_LANES, np.int64)
    for first in range(0, rows.size, _LANES):
        n = min(_LANES, rows.size - first)
        for k in range(n):
            line = lines[rows[first + k]]
            # The space before field 2 is hashed too.
            starts[k] = line.start + line.fields[1] - 1
            sizes[k] = line.start + line.fields[7] - starts[k]
        for k in range(n, _LANES):
            starts[k], sizes[k] = starts[0], sizes[0]
        common = sizes.min()
        a, b, c, d = starts
        one = heads[hands[rows[first]].rules]
        two = heads[hands[rows[first + min(1, n - 1)]].rules]
        three = heads[hands[rows[first + min(2, n - 1)]].rules]
        four = heads[hands[rows[first + min(3, n - 1)]].rules]
        for j in range(common):
            one = (one ^ np.uint64(data[a + j])) * PRIME
            two = (two ^ np.uint64(data[b + j])) * PRIME
            three = (three ^ np.uint64(data[c + j])) * PRIME
            four = (four ^ np.uint64(data[d + j])) * PRIME
        states = (one, two, three, four)
        for k in range(n):
            h = absorb(states[k], data, starts[k] + common, starts[k] + sizes[k])
            out[first + k] = finish(_absorb_identity(h, data, lines[rows[first + k]], order))


@njit(cache=True, nogil=True)
def add_new(table: Any, hashes: Any, new: Any) -> int:
    """Put hashes into a table (open addressing, 0 = free); marks and counts the new ones.

    The hash 0 itself is kept as 1 in the table, as is 1: either is then taken for the other.
    """
    mask = np.uint64(table.size - 1)
    one = np.uint64(1)
    added = 0
    for k in range(hashes.size):
        h = hashes[k] if hashes[k] > one else one
        i = h & mask
        while table[i] != 0 and table[i] != h:
            i = (i + one) & mask
        new[k] = table[i] == 0
        if new[k]:
            table[i] = h
            added += 1
    return added
