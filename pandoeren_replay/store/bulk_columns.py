"""Hands read on bytes and replayed in columns, packed and as Arrow tables of the store.

The view ``hand`` then gives exactly the values that :func:`pandoeren_replay.store.encode.encode`
gives for each of them; only for lines that the compiled reader read whole and that have no
violation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from engine.batch import BatchResult, tables_of
from engine.batch_columns import call_text
from engine.ruleset import RuleSet
from pandoeren_replay.store import bulk_kernels as kernels
from pandoeren_replay.store import packed_kernels as packing
from pandoeren_replay.store.columns import PACKED, TOLD
from pandoeren_replay.store.encode import META_COLUMNS, USUAL_ORDER
from pandoeren_replay.store.hash import IDENTITY_KEYS
from pandoeren_replay.store.packed import MOST_KINDS
from parsers.phl_byte_lines import META_KEYS, OTHER_KEY
from parsers.phl_bytes import PhlChunk

_IDENTITY = np.array([META_KEYS.index(k) for k in IDENTITY_KEYS], np.int64)
_NO_KIND = MOST_KINDS - 1
_FEW = 256
_NOTHING = np.zeros(kernels.SLACK, np.uint8)

Kind = tuple[str, str, str | None, str | None, str | None, int | None, int | None]
"""Rules, their hash, field 1 where that is not just the id; contract, its key, level, target."""


def content_hashes(chunk: PhlChunk, rows: Any) -> Any:
    """The content hash of some lines, as :mod:`pandoeren_replay.store.hash` defines it."""
    raw = [r.id.encode() for r in chunk.rules]
    ids = np.zeros((len(raw), kernels.LONGEST_ID), np.uint8)
    for k, text in enumerate(raw):
        ids[k, : len(text)] = np.frombuffer(text, np.uint8)
    lengths = np.array([len(text) for text in raw], np.int64)
    heads = np.empty(len(raw), np.uint64)
    kernels.hash_ids(ids, lengths, heads)
    starts, sizes = np.empty((2, kernels.LANES), np.int64)
    out = np.zeros(rows.size, np.uint64)
    kernels.hash_lines(
        chunk.data, chunk.lines, chunk.columns.hands, rows, heads, _IDENTITY, starts, sizes, out
    )
    return out


class Kinds:
    """Numbers of the kinds of packed hands (table ``hand_kind``): those of a store and new ones.

    ``new`` are rows of that table which are not in it yet.
    """

    def __init__(self, known: Sequence[tuple[Any, ...]]) -> None:
        self._numbers: dict[Kind, int] = {row[1:]: row[0] for row in known}
        self.new: list[tuple[Any, ...]] = []
        self.next_source()

    def targets(self) -> list[int]:
        """The target of every kind by its number, 0 where it has none."""
        return [kind[-1] or 0 for kind in self._numbers]

    def next_source(self) -> None:
        """Forget what the keys of the last source meant."""
        self._known: dict[int, int] = {}
        self._make_table(_FEW)

    def number(self, chunk: PhlChunk, packed: "Packed", rows: Any) -> None:
        """Number the kinds of some packed hands; where numbers run out, a hand is kept wide."""
        at = 0
        while True:
            at = packing.number_kinds(packed.keys, rows, self._keys, self._values, packed.kinds, at)
            if at == rows.size:
                break
            key = int(packed.keys[rows[at]])
            self._known[key] = self._number(_kind(chunk, key))
            if 2 * len(self._known) > len(self._keys):
                self._make_table(4 * len(self._keys))
            else:
                packing.add_kind(key, self._known[key], self._keys, self._values)
        packed.fit[rows[packed.kinds[rows] == _NO_KIND]] = packing.WIDE

    def _number(self, kind: Kind) -> int:
        number = self._numbers.get(kind)
        if number is None:
            number = len(self._numbers)
            if number >= _NO_KIND:
                return _NO_KIND
            self._numbers[kind] = number
            self.new.append((number, *kind))
        return number

    def _make_table(self, size: int) -> None:
        self._keys = np.full(size, packing.EMPTY, np.int64)
        self._values = np.zeros(size, np.uint16)
        for key, number in self._known.items():
            packing.add_kind(key, number, self._keys, self._values)


def _kind(chunk: PhlChunk, key: int) -> Kind:
    rules: RuleSet = chunk.rules[key & 0xFF]
    token = chunk.tokens[key >> packing.KEY_TOKEN & 0xFFFF]
    contract = key >> packing.KEY_CONTRACT
    bid = None if contract == packing.NO_CONTRACT else rules.bid(call_text(contract))
    outcome = (None,) * 4 if bid is None else (bid.text, bid.key, bid.level, bid.target)
    return (rules.id, rules.content_hash, None if token == rules.id else token, *outcome)


@dataclass(slots=True)
class Packed:
    """The hands of a chunk as words, each in its place; see
    :mod:`pandoeren_replay.store.packed_kernels`."""

    words: Any
    keys: Any
    kinds: Any
    fit: Any
    simulated: Any


def pack(chunk: PhlChunk, result: BatchResult, rows: Any, kinds: Kinds) -> Packed:
    """Pack some hands of a chunk that the compiled reader read and that have no violation."""
    n = len(chunk)
    out = Packed(
        np.empty((len(packing.WORDS), n), np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.uint16),
        np.full(n, packing.WIDE, np.int8),
        np.zeros(n, np.bool_),
    )
    packing.pack(
        chunk.data, chunk.columns.hands, chunk.lines, result.hands, rows, out.words, out.keys,
        out.fit, out.simulated,
    )  # fmt: skip
    kinds.number(chunk, out, rows[out.fit[rows] != packing.WIDE])
    return out


def packed_table(
    chunk: PhlChunk, result: BatchResult, packed: Packed, rows: Any, told: bool
) -> Any:
    """Hands as rows of the table ``hand_packed`` (``told``: ``hand_told``).

    ``hand_id``, ``hash`` and ``source_id`` are for the caller to add. Columns that are empty are
    left out.
    """
    texts = _Texts(chunk, result, rows)
    columns = {
        "line": _numbers(chunk.lines["number"][rows], "line"),
        "kind": _numbers(packed.kinds[rows], "kind"),
        "record_id": texts.meta("id"),
        "auction": texts.field(3),
        "claims": texts.field(6),
    }
    every = rows.size == len(chunk)
    for name, words in zip(packing.WORDS, packed.words):
        columns[name] = _numbers(words if every else words[rows], name)
    if told:
        columns |= texts.told()
    return pa.table({k: v for k, v in columns.items() if v is not None})


class _Texts:
    def __init__(self, chunk: PhlChunk, result: BatchResult, rows: Any) -> None:
        self.chunk = chunk
        self.result = result
        self.rows = rows

    def told(self) -> dict[str, Any]:
        """The columns of :data:`pandoeren_replay.store.columns.TOLD`."""
        columns = {c: self.meta(key) for key, c in META_COLUMNS.items() if c in TOLD}
        at, length = self._room()
        kernels.rest_spans(self.chunk.lines, self.rows, at, length)
        columns["meta_rest"] = _strings(self.chunk.data, at, length)
        columns["meta_keys"] = self._orders()
        columns["call_seats"] = self._call_seats()
        hands, out = self.chunk.columns.hands, self.result.hands
        declared, resulted = np.empty((2, self.rows.size), np.bool_)
        packing.written_otherwise(hands, out, self.rows, declared, resulted)
        columns["declaration"] = self.field(4, declared)
        columns["result"] = self.field(7, resulted)
        claimed = _some(hands["n_claims"][self.rows] > 0)
        columns["claims_standing"] = _numbers(
            out["standing"][self.rows], "claims_standing", claimed
        )
        return columns

    def field(self, which: int, wanted: Any = None) -> Any:
        """A field as it is written, where ``wanted``; without that, ``.`` is nothing."""
        at, length = self._room()
        kernels.field_spans(
            self.chunk.data, self.chunk.lines, self.rows, which, at, length, wanted is not None
        )
        if wanted is not None:
            length[~wanted] = -1
        return _strings(self.chunk.data, at, length)

    def meta(self, key: str) -> Any:
        """The values of a key of META."""
        at, length = self._room()
        decoded = np.zeros(kernels.SLACK, np.uint8)
        while True:
            need = kernels.meta_spans(
                self.chunk.data, self.chunk.lines, self.rows, META_KEYS.index(key), at, length,
                decoded,
            )  # fmt: skip
            if need <= decoded.size:
                return _strings(self.chunk.data, at, length, decoded)
            decoded = np.zeros(need, np.uint8)

    def _call_seats(self) -> Any:
        at, length = self._room()
        columns = self.chunk.columns
        hands = columns.hands[self.rows]
        text = np.empty(int(hands["n_calls"].sum()) + kernels.SLACK, np.uint8)
        used = 0
        for number, rules in enumerate(self.chunk.rules):
            where = np.flatnonzero(hands["rules"] == number)
            if not where.size:
                continue
            auction = tables_of(rules).auction
            starts, sizes = at[where], length[where]
            used = kernels.call_seats(
                columns.hands, columns.calls, self.rows[where], auction.symbol, auction.steps,
                auction.states, text, used, starts, sizes,
            )  # fmt: skip
            at[where], length[where] = starts, sizes
        return _strings(text, at, length)

    def _orders(self) -> Any:
        """Order of the META keys where it is not the usual one."""
        order = self.chunk.lines["order"][self.rows]
        codes = np.full(self.rows.size, -1, np.int32)
        texts: list[str] = []
        kinds, which = np.unique(order, return_inverse=True) if len(order) else (order, order)
        for k, packed in enumerate(kinds.tolist()):
            text = _order_text(packed)
            if text is not None:
                codes[which == k] = len(texts)
                texts.append(text)
        return _words(codes, texts) if texts else None

    def _room(self) -> tuple[Any, Any]:
        """Where texts are, and how long."""
        return np.empty(self.rows.size, np.int64), np.empty(self.rows.size, np.int32)


def _order_text(packed: int) -> str | None:
    """``meta_keys`` for an order of keys (:data:`parsers.phl_byte_lines.LINE`)."""
    keys = []
    while packed:
        key = (packed & 15) - 1
        keys.append("*" if key == OTHER_KEY else META_KEYS[key])
        packed >>= 4
    usual = [k for k in USUAL_ORDER if k in keys] + ["*"] * keys.count("*")
    return None if keys == usual else ";".join(keys)


def _numbers(values: Any, name: str, bits: Any = None) -> Any:
    """An Arrow array of one column of numbers; ``bits`` is its validity."""
    kind = PACKED.get(name) or TOLD[name]
    dtype = np.dtype(kind.to_pandas_dtype())
    if values.dtype.itemsize == dtype.itemsize and values.flags.c_contiguous:
        data = values.view(dtype)
    else:
        data = np.ascontiguousarray(values, dtype)
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(data)])


def _some(flags: Any) -> Any:
    """A validity buffer, ``None`` where all are valid."""
    return None if flags.all() else pa.py_buffer(np.packbits(flags, bitorder="little"))


def _strings(data: Any, at: Any, length: Any, decoded: Any = _NOTHING) -> Any:
    """A string column of its own bytes, ``None`` where all of it is null (length -1)."""
    offsets = np.empty(length.size + 1, np.int32)
    there = kernels.text_offsets(length, offsets)
    if not there:
        return None
    out = np.empty(int(offsets[-1]) + kernels.SLACK, np.uint8)
    kernels.gather(data, decoded, at, offsets, out)
    bits = None if there == length.size else _some(length >= 0)
    parts = [bits, pa.py_buffer(offsets), pa.py_buffer(out)]
    return pa.Array.from_buffers(pa.string(), length.size, parts)


def _words(codes: Any, words: list[str]) -> Any:
    """A column of few different words; a negative code is null."""
    bits = _some(codes >= 0)
    data = pa.py_buffer(np.maximum(codes, 0) if bits is not None else codes)
    indices = pa.Array.from_buffers(pa.int32(), len(codes), [bits, data])
    return pa.DictionaryArray.from_arrays(indices, pa.array(words)).cast(pa.string())
