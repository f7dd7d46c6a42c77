"""Compiled packing of regular hands into the words of :mod:`pandoeren_replay.store.packed`."""

from typing import Any

import numpy as np

from engine.batch_columns import CARD_ABSENT, NO_PARTNER_TOLD, TRUMP_ABSENT
from engine.batch_result import PARTNER_UNKNOWN, STATUSES
from engine.cards import N_CARDS
from engine.compiled import kernel
from engine.state import NOBODY
from pandoeren_replay.store.encode import SIMULATED, USUAL_ORDER
from pandoeren_replay.store.packed import (
    FIELDS_0,
    FIELDS_1,
    LAST_SCORE_BIAS,
    PLAY_BITS,
    SCORE_BIAS,
    places,
)
from parsers.phl_byte_lines import META_KEYS

PLAIN, TOLD, WIDE = range(3)
"""How a hand is kept: as words alone, with texts besides, or as a row of the wide table."""
WORDS = ("deal", "p0", "p1", "p2", "p3", "w0", "w1")
"""The rows of the array of words."""
NO_CONTRACT = 0xFFFF
KEY_TOKEN, KEY_ROW, KEY_CONTRACT = 8, 24, 32
"""Where token, row and contract stand in the key of a kind; rules are the low bits."""
EMPTY = -1

(
    _DEALER, _DECLARER, _PARTNER, _LEADER, _TRUMP, _CALLED, _DISCARD, _MIDDLE, _LAST_OWNER,
    _MADE, _PASSED_OUT, _SIMULATED, _FROM_SIMULATOR, _N_TRICKS, _TRICKS_SIDE, _N_CALLS, _RECORDED,
    _EXCHANGED, _ANNOUNCED, _RESULTED, _SAYS_ALL,
) = places(FIELDS_0).values()  # fmt: skip
(
    _POINTS_SIDE, _POINTS_DEFENDERS, _POINTS_OUT, _MELD_SIDE, _MELD_DEFENDERS, _SCORE_W,
) = places(FIELDS_1).values()  # fmt: skip
_MOST_POINTS = (1 << FIELDS_1["points_side"]) - 1
_MOST_OUT = (1 << FIELDS_1["points_out"]) - 2
_MOST_MELD = (1 << FIELDS_1["meld_side"]) - 1
_RECORDED_STATUS, _UNKNOWN_STATUS, _NONE_STATUS = (
    STATUSES.index(w) for w in ("recorded", "unknown", "none")
)
_ID, _SRC, _EVENT = (META_KEYS.index(k) for k in ("id", "src", "event"))
_WORD = np.frombuffer(SIMULATED.encode(), np.uint8)
_ID_ONLY, _SRC_ONLY = _ID + 1, _SRC + 1
_ID_AND_SRC = (_ID + 1) | (_SRC + 1) << 4
assert USUAL_ORDER.index("id") < USUAL_ORDER.index("src")
_LOW_HALF = (1 << 32) - 1


@kernel()
def _declaration_fits(h: Any, o: Any) -> bool:
    """Whether field 5 is what the outcome gives."""
    if o.passed_out:
        return bool(
            h.trump == TRUMP_ABSENT and h.called == CARD_ABSENT and h.discard == CARD_ABSENT
        )
    called = o.called if o.called >= 0 else N_CARDS
    discard = o.discard if o.discard >= 0 else N_CARDS
    return bool(h.trump == o.trump and h.called == called and h.discard == discard)


@kernel()
def _result_fits(h: Any, o: Any) -> bool:
    """Whether the recorded result is an outcome alone or none, or that and all figures, as the
    outcome of the replay gives them.
    """
    if h.conceded >= 0 or h.partner != NO_PARTNER_TOLD:
        return False
    if not h.has_score:
        return bool(h.points[0] < 0 and h.tricks[0] < 0)
    for x in range(2):
        if h.points[x] != o.points[x] or h.tricks[x] != o.tricks[x]:
            return False
    for x in range(4):
        if h.score[x] != o.score[x]:
            return False
    return bool(h.outcome >= 0)


@kernel()
def _goes(h: Any, o: Any) -> bool:
    """Whether the words can hold the hand."""
    if o.dealer < 0 or o.middle < 0 or o.middle != h.middle or o.partner == PARTNER_UNKNOWN:
        return False
    if not o.has_score or o.errors or o.warnings:
        return False
    if o.passed_out:
        if h.n_plays or o.n_tricks:
            return False
    elif h.n_plays != 4 * o.n_tricks or o.n_tricks != 8 or o.made < 0 or o.points_out < 0:
        return False
    for x in range(2):
        if not (0 <= o.points[x] <= _MOST_POINTS and 0 <= o.meld[x] <= _MOST_MELD):
            return False
    if o.points_out > _MOST_OUT or o.tricks[0] + o.tricks[1] != o.n_tricks or o.tricks[0] < 0:
        return False
    for x in range(3):
        if not -SCORE_BIAS <= o.score[x] < SCORE_BIAS:
            return False
        if o.completeness[x] != _RECORDED_STATUS:
            return False
    if not -LAST_SCORE_BIAS <= o.score[3] < LAST_SCORE_BIAS:
        return False
    exchange = _RECORDED_STATUS if o.discard >= 0 else _NONE_STATUS
    if o.completeness[3] != exchange:
        return False
    if o.completeness[4] not in (_RECORDED_STATUS, _NONE_STATUS):
        return False
    return bool(o.completeness[5] in (_RECORDED_STATUS, _UNKNOWN_STATUS))


@kernel()
def _is_simulated(data: Any, line: Any, key: int) -> bool:
    """Whether a value of META is the word for hands that nobody played (it needs no escapes)."""
    if line.meta_len[key] != _WORD.size:
        return False
    at = line.start + line.meta_at[key]
    same = True
    for j in range(_WORD.size):
        same = same and data[at + j] == _WORD[j]
    return same


@kernel()
def _plays(h: Any, words: Any, i: int) -> None:
    for w in range(4):
        word = 0
        for j in range(8):
            word |= int(h.plays[8 * w + j]) << (6 * j)
        words[1 + w, i] = word


@kernel()
def pack(
    data: Any, hands: Any, lines: Any, out: Any, rows: Any, words: Any, keys: Any, fit: Any,
    simulated: Any,
) -> None:  # fmt: skip
    """Pack the hands of some rows, in their places of ``words``, ``keys`` (of kinds), ``fit`` and
    ``simulated`` (whether META says so).
    """
    for k in range(rows.size):
        i = rows[k]
        h, o, line = hands[i], out[i], lines[i]
        if not _goes(h, o):
            fit[i] = WIDE
            continue
        from_simulator = _is_simulated(data, line, _SRC)
        simulated[i] = from_simulator or _is_simulated(data, line, _EVENT)
        order = line.order
        plain = order in (0, _ID_ONLY) or (order in (_ID_AND_SRC, _SRC_ONLY) and from_simulator)
        plain = plain and o.standing == (np.uint64(1) << np.uint64(h.n_claims)) - np.uint64(1)
        plain = plain and o.in_turn and _declaration_fits(h, o) and _result_fits(h, o)
        fit[i] = PLAIN if plain else TOLD
        low = (h.hands[1] | h.hands[3]) & _LOW_HALF
        high = (h.hands[2] | h.hands[3]) & _LOW_HALF
        words[0, i] = low | high << 32
        last = (h.hands[1] | h.hands[3]) >> 32 & 1 | ((h.hands[2] | h.hands[3]) >> 32 & 1) << 1
        if o.passed_out:
            for w in range(1, 5):
                words[w, i] = 0
        else:
            _plays(h, words, i)
        words[1, i] |= np.int64(o.winners) << PLAY_BITS
        for x in range(3):
            words[2 + x, i] |= np.int64(o.score[x] + SCORE_BIAS) << PLAY_BITS
        w0 = int(o.dealer) << _DEALER | (int(o.declarer) & 7) << _DECLARER
        w0 |= (
            int(o.partner - NOBODY) << _PARTNER
            | (int(o.leader) & 7) << _LEADER
            | (int(o.trump) & 7) << _TRUMP
        )
        w0 |= (int(o.called) & 63) << _CALLED | (int(o.discard) & 63) << _DISCARD
        w0 |= int(o.middle) << _MIDDLE | last << _LAST_OWNER | (int(o.made) & 3) << _MADE
        w0 |= int(o.passed_out) << _PASSED_OUT | int(simulated[i]) << _SIMULATED
        w0 |= int(from_simulator) << _FROM_SIMULATOR | int(o.n_tricks) << _N_TRICKS
        w0 |= int(o.tricks[0]) << _TRICKS_SIDE | int(h.n_calls) << _N_CALLS
        w0 |= (int(h.outcome) & 3) << _RECORDED | int(o.discard >= 0) << _EXCHANGED
        w0 |= int(o.completeness[4] == _RECORDED_STATUS) << _ANNOUNCED
        w0 |= int(o.completeness[5] == _RECORDED_STATUS) << _RESULTED
        words[5, i] = w0 | int(h.has_score) << _SAYS_ALL
        w1 = int(o.points[0]) << _POINTS_SIDE | int(o.points[1]) << _POINTS_DEFENDERS
        w1 |= (int(o.points_out) & _MOST_OUT + 1) << _POINTS_OUT
        w1 |= int(o.meld[0]) << _MELD_SIDE | int(o.meld[1]) << _MELD_DEFENDERS
        words[6, i] = w1 | int(o.score[3] + LAST_SCORE_BIAS) << _SCORE_W
        contract = NO_CONTRACT if o.passed_out else int(o.contract)
        key = int(h.rules) | int(line.token) << KEY_TOKEN | (int(o.row) + 1) << KEY_ROW
        keys[i] = key | contract << KEY_CONTRACT


@kernel()
def written_otherwise(hands: Any, out: Any, rows: Any, declarations: Any, results: Any) -> None:
    """Mark hands whose field 5 and field 8 are not what the outcome gives."""
    for k in range(rows.size):
        h, o = hands[rows[k]], out[rows[k]]
        declarations[k] = not _declaration_fits(h, o)
        results[k] = not _result_fits(h, o)


@kernel()
def number_kinds(keys: Any, rows: Any, known: Any, numbers: Any, kinds: Any, start: int) -> int:
    """Number of the kind of each row by its key, from ``rows[start]`` on.

    ``known`` is a table of keys (open addressing, a power of two, :data:`EMPTY` = free), their
    numbers are in ``numbers``. Stops at a key that is not there; returns how far it came.
    """
    mask = known.size - 1
    for k in range(start, rows.size):
        key = keys[rows[k]]
        i = (key ^ key >> 21 ^ key >> 37) & mask
        while known[i] != key:
            if known[i] == EMPTY:
                return k
            i = (i + 1) & mask
        kinds[rows[k]] = numbers[i]
    return int(rows.size)


@kernel()
def add_kind(key: int, number: int, known: Any, numbers: Any) -> None:
    """Put a key into such a table."""
    mask = known.size - 1
    i = (key ^ key >> 21 ^ key >> 37) & mask
    while known[i] != EMPTY:
        i = (i + 1) & mask
    known[i] = key
    numbers[i] = number
