"""Compiled parts of the bulk road into the store: hashes and texts."""

from typing import Any

import numpy as np

from engine.cards import SEATS
from engine.compiled import fetch_ahead, kernel
from pandoeren_replay.store.hash import OFFSET, PRIME, absorb, finish
from parsers.phl_byte_fields import put_eight, take
from parsers.phl_byte_lines import META_KEYS

SLACK = 16
"""Bytes after the last text of a buffer that may be looked at, or written over."""

_KEY_LENGTHS = np.array([len(k) for k in META_KEYS])
_SEAT_BYTES = np.frombuffer(SEATS.encode(), np.uint8)
_LOWER = 32
_SPACE, _PERCENT, _DOT, _SEMICOLON = (ord(c) for c in " %.;")
LONGEST_ID = 64
LANES = 4
_AHEAD = 16
"""Looks into a large table that are announced."""


@kernel()
def field_spans(
    data: Any, lines: Any, rows: Any, which: int, at: Any, length: Any, dots: bool
) -> None:
    """Where field ``which`` (0-7) of some lines is; ``.`` is absent (-1) unless ``dots``."""
    for k in range(rows.size):
        line = lines[rows[k]]
        start = line.start + line.fields[which]
        n = int(line.fields[which + 1]) - int(line.fields[which]) - 1
        at[k] = start
        length[k] = -1 if n == 1 and data[start] == _DOT and not dots else n


@kernel()
def rest_spans(lines: Any, rows: Any, at: Any, length: Any) -> None:
    """Where the META keys without a column of their own are."""
    for k in range(rows.size):
        line = lines[rows[k]]
        at[k] = line.start + line.rest_at
        length[k] = line.rest_len if line.rest_len > 0 else -1


@kernel()
def text_offsets(length: Any, offsets: Any) -> int:
    """Where texts of these lengths (-1: none) begin and end in one buffer; how many there are."""
    n = 0
    offsets[0] = 0
    for k in range(length.size):
        n += length[k] >= 0
        offsets[k + 1] = offsets[k] + max(length[k], 0)
    return n


@kernel()
def gather(data: Any, decoded: Any, at: Any, offsets: Any, out: Any) -> None:
    """Put texts one after the other; those before place 0 are in ``decoded``."""
    for k in range(at.size):
        p, to, end = at[k], int(offsets[k]), int(offsets[k + 1])
        source = data if p >= 0 else decoded
        if p < 0:
            p = ~p
        while to < end:
            put_eight(out, to, take(source, p, 8))  # type: ignore[call-arg]
            to += 8
            p += 8


@kernel()
def _hex(b: int) -> int:
    return b - 48 if b <= 57 else b - 55


@kernel()
def meta_spans(
    data: Any, lines: Any, rows: Any, key: int, at: Any, length: Any, decoded: Any
) -> int:
    """Where a META value is; those with escapes are decoded into ``decoded`` (see :func:`gather`).

    Returns how much of ``decoded`` is needed; where that is more than there is, nothing is decoded.
    """
    need = SLACK
    for k in range(rows.size):
        line = lines[rows[k]]
        at[k] = line.start + line.meta_at[key]
        length[k] = line.meta_len[key]
        if length[k] >= 0 and line.escaped >> key & 1:
            need += length[k]
    if need == SLACK or need > decoded.size:
        return need
    out = 0
    for k in range(rows.size):
        if length[k] < 0 or not lines[rows[k]].escaped >> key & 1:
            continue
        first = out
        p = at[k]
        end = p + length[k]
        while p < end:
            if data[p] == _PERCENT:
                decoded[out] = 16 * _hex(data[p + 1]) + _hex(data[p + 2])
                p += 3
            else:
                decoded[out] = data[p]
                p += 1
            out += 1
        at[k] = ~first
        length[k] = out - first
    return need


@kernel()
def call_seats(
    hands: Any, calls: Any, rows: Any, symbol: Any, steps: Any, states: Any, text: Any, used: int,
    at: Any, length: Any,
) -> int:  # fmt: skip
    """Who made each call (lower case: without effect), where that is not just round the table.

    The letters go into ``text`` from ``used`` on; returns where they end.
    """
    for k in range(rows.size):
        h = hands[rows[k]]
        state = 0
        usual = True
        for n in range(h.n_calls):
            step = steps[state, symbol[calls[h.calls_at + n]]]
            usual = usual and not step.fault and states[state].turn == n & 3
            state = step.following
        at[k] = used
        length[k] = -1 if usual else h.n_calls
        if usual:
            continue
        state = 0
        for n in range(h.n_calls):
            step = steps[state, symbol[calls[h.calls_at + n]]]
            seat = (h.dealer + 1 + states[state].turn) & 3
            text[used + n] = _SEAT_BYTES[seat] + (_LOWER if step.fault else 0)
            state = step.following
        used += h.n_calls
    return used


@kernel()
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


@kernel()
def hash_ids(ids: Any, lengths: Any, heads: Any) -> None:
    """How the content hashes of the hands of each rule set begin."""
    for r in range(lengths.size):
        heads[r] = absorb(OFFSET, ids[r], 0, lengths[r])


@kernel()
def hash_lines(
    data: Any, lines: Any, hands: Any, rows: Any, heads: Any, order: Any, starts: Any, sizes: Any,
    out: Any,
) -> None:  # fmt: skip
    """Content hashes of some lines with cards, of what
    :func:`pandoeren_replay.store.hash.content_text` says, from their beginnings (``heads``) on.

    Four lines go side by side: each step of the hash waits for the one before it. ``starts`` and
    ``sizes`` are room for as many numbers.
    """
    for first in range(0, rows.size, LANES):
        n = min(LANES, rows.size - first)
        for k in range(n):
            line = lines[rows[first + k]]
            # The space before field 2 is hashed too.
            starts[k] = line.start + line.fields[1] - 1
            sizes[k] = line.start + line.fields[7] - starts[k]
        for k in range(n, LANES):
            starts[k], sizes[k] = starts[0], sizes[0]
        common = min(sizes[0], sizes[1], sizes[2], sizes[3])
        a, b, c, d = starts[0], starts[1], starts[2], starts[3]
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


@kernel()
def add_new(table: Any, hashes: Any, new: Any) -> int:
    """Put hashes into a table (open addressing, 0 = free); marks and counts the new ones.

    The hash 0 itself is kept as 1 in the table, as is 1: either is then taken for the other.
    """
    mask = np.uint64(table.size - 1)
    one = np.uint64(1)
    added = 0
    for k in range(hashes.size):
        if k + _AHEAD < hashes.size:
            fetch_ahead(table, np.int64(hashes[k + _AHEAD] & mask))  # type: ignore[call-arg]
        h = hashes[k] if hashes[k] > one else one
        i = h & mask
        while table[i] != 0 and table[i] != h:
            i = (i + one) & mask
        new[k] = table[i] == 0
        if new[k]:
            table[i] = h
            added += 1
    return added
