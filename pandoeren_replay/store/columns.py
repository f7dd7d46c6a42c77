"""The columns of the base tables as Arrow types, and batches of rows ready for DuckDB."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

ROW_GROUP = 122_880  # rows of one DuckDB row group; other batch sizes leave half-filled groups

_STR, _BOOL = pa.string(), pa.bool_()
_U8, _U16, _U32, _U64 = pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()
_I8, _I16, _I32, _I64 = pa.int8(), pa.int16(), pa.int32(), pa.int64()

HAND: dict[str, pa.DataType] = {
    "hand_id": _I64, "hash": _U64, "source_id": _I32, "line": _I32, "simulated": _BOOL,
    "rules": _STR, "rules_hash": _STR, "rules_named": _STR,
    "record_id": _STR, "date": _STR, "session": _STR, "hand_no": _STR, "event": _STR,
    "site": _STR, "src": _STR, "n": _STR, "e": _STR, "s": _STR, "w": _STR,
    "meta_keys": _STR, "meta_rest": _STR,
    "dealer": _U8, "deal_n": _U64, "deal_e": _U64, "deal_s": _U64,
    "deal_text": _STR, "deal_known": _STR,
    "auction": _STR, "n_calls": _U32, "call_seats": _STR, "declaration": _STR,
    "p0": _U64, "p1": _U64, "p2": _U64, "p3": _U64,
    "n_plays": _U16, "play_text": _STR, "play_seats": _STR,
    "claims": _STR, "claims_standing": _U64, "result": _STR, "recorded": _STR,
    "raw": _STR, "raw_format": _STR,
    "declarer": _U8, "partner": _I8, "contract": _STR, "contract_key": _STR,
    "level": _I16, "target": _I16, "trump": _U8, "called": _U8, "discard": _U8, "middle": _U8,
    "passed_out": _BOOL, "leader": _U8, "winners": _U32, "n_tricks": _U8,
    "points_side": _I16, "points_defenders": _I16, "points_out": _I16,
    "tricks_side": _I8, "tricks_defenders": _I8, "meld_side": _I16, "meld_defenders": _I16,
    "made": _BOOL, "score_n": _I16, "score_e": _I16, "score_s": _I16, "score_w": _I16,
    "errors": _U32, "warnings": _U32,
    "has_deal": _STR, "has_auction": _STR, "has_middle": _STR, "has_discard": _STR,
    "has_meld": _STR, "has_result": _STR,
}  # fmt: skip

PACKED: dict[str, pa.DataType] = {
    "hand_id": _I64, "hash": _U64, "source_id": _I32, "line": _I32, "kind": _U16,
    "deal": _U64, "p0": _U64, "p1": _U64, "p2": _U64, "p3": _U64, "w0": _U64, "w1": _U64,
    "record_id": _STR, "auction": _STR, "claims": _STR,
}  # fmt: skip
"""See :mod:`pandoeren_replay.store.packed`."""

TOLD: dict[str, pa.DataType] = {
    "date": _STR, "session": _STR, "hand_no": _STR, "event": _STR, "site": _STR, "src": _STR,
    "n": _STR, "e": _STR, "s": _STR, "w": _STR, "meta_keys": _STR, "meta_rest": _STR,
    "call_seats": _STR, "declaration": _STR, "claims_standing": _U64, "result": _STR,
}  # fmt: skip
"""What ``hand_told`` has besides."""

_NAMES = {
    _STR: "VARCHAR", _BOOL: "BOOLEAN", _U8: "UTINYINT", _U16: "USMALLINT", _U32: "UINTEGER",
    _U64: "UBIGINT", _I8: "TINYINT", _I16: "SMALLINT", _I32: "INTEGER", _I64: "BIGINT",
}  # fmt: skip


def sql_type(kind: pa.DataType) -> str:
    """The name that DuckDB has for an Arrow type of this module."""
    return _NAMES[kind]


VIOLATION: dict[str, pa.DataType] = {
    "hand_id": _I64, "seq": _U32, "code": _STR, "severity": _STR, "ply": _U16, "call": _U32,
    "seat": _U8, "params": _STR, "message": _STR,
}  # fmt: skip


def arrow_table(columns: dict[str, pa.DataType], rows: Sequence[Sequence[Any]]) -> pa.Table:
    """Rows (tuples in the order of ``columns``) as an Arrow table."""
    names = list(columns)
    by_column = zip(*rows, strict=True) if rows else ((),) * len(names)
    arrays = [pa.array(v, t) for v, t in zip(by_column, columns.values(), strict=True)]
    return pa.Table.from_arrays(arrays, names=names)
