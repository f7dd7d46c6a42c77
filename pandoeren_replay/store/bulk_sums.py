"""Sums of packed hands, added up while they are imported; see :mod:`.sums`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from engine.compiled import fetch_ahead, kernel
from pandoeren_replay.store.packed import (
    FIELDS_0,
    FIELDS_1,
    LAST_SCORE_BIAS,
    PLAY_BITS,
    SCORE_BIAS,
    places,
)
from pandoeren_replay.store.packed_kernels import EMPTY, WORDS
from pandoeren_replay.store.sums import BLOCKS

_AT_0, _AT_1 = places(FIELDS_0), places(FIELDS_1)
_DECLARER, _TRUMP, _MADE, _RECORDED, _SIMULATED, _N_TRICKS = (
    _AT_0[name]
    for name in (
        "declarer", "trump", "made", "recorded", "simulated", "n_tricks",
    )
)  # fmt: skip
_POINTS, _MELD, _SCORE_W = (_AT_1[name] for name in ("points_side", "meld_side", "score_w"))
_MOST_POINTS, _MOST_MELD, _MOST_SCORE, _MOST_TRICKS = (
    (1 << width) - 1
    for width in (
        FIELDS_1["points_side"], FIELDS_1["meld_side"], FIELDS_1["score_w"], FIELDS_0["n_tricks"],
    )
)  # fmt: skip
_P0, _P1, _W0, _W1 = (WORDS.index(w) for w in ("p0", "p1", "w0", "w1"))
_NO_DECLARER = (1 << FIELDS_0["declarer"]) - 1
_UNKNOWN = 3
_FEW = 64
_WIDTH = 8  # of a cell: one line of the cache
_AHEAD = 16  # hands before one is added its cell is asked for

MEASURES = ("hands", "margin_n", "margin_t", "margin_q", "score_n", "score_t", "score_q")

# A key holds, from the lowest bits: simulated (1), success (2), trump (3), declarer (3); last the
# kind. Before them the table of sums has the block.
_WHO, _SUCCESS, _TRUMP_KEY, _DECLARER_KEY, _KIND = 0, 1, 3, 6, 9
_BLOCK_BITS = 8


@kernel()
def _score(words: Any, i: int, declarer: int) -> int:
    """Declarer's score."""
    if declarer < 3:
        return int((words[_P1 + declarer, i] >> PLAY_BITS) & 0xFFFF) - SCORE_BIAS
    return int((words[_W1, i] >> _SCORE_W) & _MOST_SCORE) - LAST_SCORE_BIAS


@kernel()
def find_cells(
    words: Any, kinds: Any, hashes: Any, rows: Any, places: Any, spots: Any, used: int, most: int,
    start: int,
) -> tuple[int, int]:  # fmt: skip
    """The cell of each of the hands ``rows[start:]``: (how far it came, groups used).

    ``places`` says for every key which group it has, :data:`EMPTY` where it has none; a group has
    a cell for each block. Stops where there would be more than ``most`` groups.
    """
    for k in range(start, rows.size):
        i = rows[k]
        w0 = words[_W0, i]
        success = int((w0 >> _MADE) & 3)
        if success > 1:
            success = int((w0 >> _RECORDED) & 3)
        if success > 1:
            success = _UNKNOWN
        key = int((w0 >> _SIMULATED) & 1) << _WHO | success << _SUCCESS
        key |= int((w0 >> _TRUMP) & 7) << _TRUMP_KEY
        key |= int((w0 >> _DECLARER) & _NO_DECLARER) << _DECLARER_KEY
        key |= int(kinds[i]) << _KIND
        at = places[key]
        if at == EMPTY:
            if used == most:
                return k, used
            places[key] = at = used
            used += 1
        spots[k] = at * BLOCKS + int(hashes[i] % np.uint64(BLOCKS))
    return rows.size, used


@kernel()
def add(words: Any, kinds: Any, rows: Any, targets: Any, spots: Any, cells: Any) -> None:
    """Add hands to their cells (:func:`find_cells`), flat in ``cells``."""
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            fetch_ahead(cells, spots[k + _AHEAD] * _WIDTH)  # type: ignore[call-arg]
        i = rows[k]
        at = spots[k] * _WIDTH
        w0, w1 = words[_W0, i], words[_W1, i]
        cells[at] += 1
        target = targets[kinds[i]]
        if target > 0 and (w0 >> _N_TRICKS) & _MOST_TRICKS == 8:
            margin = int((w1 >> _POINTS) & _MOST_POINTS) + int((w1 >> _MELD) & _MOST_MELD) - target
            cells[at + 1] += 1
            cells[at + 2] += margin
            cells[at + 3] += margin * margin
        declarer = int((w0 >> _DECLARER) & _NO_DECLARER)
        if declarer < 4:
            score = _score(words, i, declarer)
            cells[at + 4] += 1
            cells[at + 5] += score
            cells[at + 6] += score * score


def _no_cells(groups: int) -> Any:
    """Cells of new groups, flat, each in a line of the cache."""
    size = groups * BLOCKS * _WIDTH
    room = np.zeros(size + _WIDTH, np.int64)
    first = -room.ctypes.data % (8 * _WIDTH) // 8
    return room[first : first + size]


class _Cells:
    """Sums by key and block: an array of cells for every key that occurs."""

    def __init__(self) -> None:
        self.places = np.full(0, EMPTY, np.int32)
        self.cells = _no_cells(_FEW)
        self.groups = _FEW
        self.used = 0

    def add(self, words: Any, kinds: Any, hashes: Any, rows: Any, targets: Any) -> None:
        size = targets.size << _KIND
        if self.places.size < size:
            more = np.full(size - self.places.size, EMPTY, np.int32)
            self.places = np.concatenate([self.places, more])
        spots = np.empty(rows.size, np.int64)
        at = 0
        while True:
            at, self.used = find_cells(
                words, kinds, hashes, rows, self.places, spots, self.used, self.groups, at,
            )  # fmt: skip
            if at == rows.size:
                break
            self.groups *= 2
            cells = _no_cells(self.groups)
            cells[: self.cells.size] = self.cells
            self.cells = cells
        add(words, kinds, rows, targets, spots, self.cells)

    def table(self) -> Any:
        """As an Arrow table: key (the block lowest) and measures, in the order of keys."""
        keys = np.flatnonzero(self.places != EMPTY)
        cells = self.cells.reshape(-1, BLOCKS, _WIDTH)[self.places[keys]].reshape(-1, _WIDTH)
        keys = (keys[:, np.newaxis] << _BLOCK_BITS | np.arange(BLOCKS)).ravel()
        there = cells[:, 0] > 0
        columns = {"key": keys[there]}
        columns |= {m: cells[there, k] for k, m in enumerate(MEASURES)}
        return pa.table(columns)


def _bits(at: int, width: int) -> str:
    return f"((s.key >> {_BLOCK_BITS + at}) & {(1 << width) - 1})"


_SHARED = (
    f"{_bits(_WHO, 1)} = 1 AS simulated, true AS with_cards, "
    f"CASE {_bits(_SUCCESS, 2)} WHEN 0 THEN false WHEN 1 THEN true END AS success, "
    f"(s.key & {(1 << _BLOCK_BITS) - 1})::UTINYINT AS block_nr, o.import_id, "
    f"{', '.join(f'sum(s.{m})::BIGINT AS {m}' for m in MEASURES)}"
)
_SUMMED = (
    f"incoming_sums s JOIN hand_kind k ON k.kind = s.key >> {_BLOCK_BITS + _KIND} "
    "JOIN source o ON o.source_id = ?"
)
_CONTRACTS = (
    "INSERT INTO sum_contract BY NAME SELECT k.rules, k.rules_hash, k.contract, k.contract_key, "
    f"k.level, k.target, nullif(seat_name({_bits(_DECLARER_KEY, 3)}), '') AS declarer, "
    f"nullif(trump_name({_bits(_TRUMP_KEY, 3)}), '') AS trump, {_SHARED} "
    f"FROM {_SUMMED} WHERE k.contract IS NOT NULL GROUP BY ALL"
)
_ORIGINS = (
    "INSERT INTO sum_origin BY NAME SELECT k.rules, o.name AS source, "
    f"k.contract IS NOT NULL AS played, {_SHARED} FROM {_SUMMED} GROUP BY ALL"
)


class PackedSums:
    """Sums of the hands of one source that go into the table ``hand_packed``."""

    def __init__(self, source_id: int) -> None:
        self._source_id = source_id
        self._cells: _Cells | None = _Cells()
        self._table: Any = None

    def add(self, words: Any, kinds: Any, hashes: Any, rows: Any, targets: Sequence[int]) -> None:
        """Add packed hands; ``targets`` by number of the kind. Not after :meth:`finish`."""
        assert self._cells is not None
        self._cells.add(words, kinds, hashes, rows, np.array(targets, np.int64))

    def finish(self) -> None:
        """That was all of the source: keep no more memory than what was added up needs."""
        if self._cells is not None:
            self._table, self._cells = self._cells.table(), None

    def insert(self, con: Any) -> None:
        """Add them to the tables of sums; the kinds and the source must be in the store."""
        self.finish()
        con.register("incoming_sums", self._table)
        for added in (_CONTRACTS, _ORIGINS):
            con.execute(added, [self._source_id]).fetchall()
        con.unregister("incoming_sums")
