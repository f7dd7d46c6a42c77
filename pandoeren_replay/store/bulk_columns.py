"""Hands read on bytes and replayed in columns, as an Arrow table of the store.

Gives exactly the values that :func:`pandoeren_replay.store.encode.encode` gives for each of them;
only for lines that the compiled reader read whole and that have no violation.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from engine.batch import BatchResult, tables_of
from engine.batch_columns import OUTCOMES, call_text
from engine.batch_result import COMPLETENESS, STATUSES
from engine.ruleset import RuleSet
from pandoeren_replay.store import bulk_kernels as kernels
from pandoeren_replay.store.columns import HAND
from pandoeren_replay.store.encode import META_COLUMNS, SIMULATED, USUAL_ORDER
from pandoeren_replay.store.hash import IDENTITY_KEYS
from parsers.phl_byte_lines import META_KEYS, OTHER_KEY
from parsers.phl_bytes import PhlChunk

_IDENTITY = np.array([META_KEYS.index(k) for k in IDENTITY_KEYS], np.int64)
_FORMAT = "phl"


def content_hashes(chunk: PhlChunk, rows: Any) -> Any:
    """The content hash of some lines, as :mod:`pandoeren_replay.store.hash` defines it."""
    raw = [r.id.encode() for r in chunk.rules]
    ids = np.zeros((len(raw), kernels.LONGEST_ID), np.uint8)
    for k, text in enumerate(raw):
        ids[k, : len(text)] = np.frombuffer(text, np.uint8)
    lengths = np.array([len(text) for text in raw], np.int64)
    out = np.zeros(rows.size, np.uint64)
    kernels.hash_lines(
        chunk.data, chunk.lines, chunk.columns.hands, rows, ids, lengths, _IDENTITY, out
    )
    return out


def hand_table(chunk: PhlChunk, result: BatchResult, rows: Any) -> tuple[Any, int]:
    """The columns of :data:`pandoeren_replay.store.columns.HAND` that come from the hand itself,
    and how many of the hands are simulated.

    ``hand_id``, ``hash`` and ``source_id`` are for the caller to add. The table holds views into
    ``chunk.data``, which must live as long as it.
    """
    columns = _Columns(chunk, result, rows)
    return pa.table(columns.all()), columns.n_simulated


class _Columns:
    def __init__(self, chunk: PhlChunk, result: BatchResult, rows: Any) -> None:
        self.chunk = chunk
        self.rows = rows
        every = rows.size == len(chunk)
        self.hands = chunk.columns.hands if every else chunk.columns.hands[rows]
        self.lines = chunk.lines if every else chunk.lines[rows]
        self.out = result.hands if every else result.hands[rows]
        self.data = pa.py_buffer(chunk.data)
        self.played = self.out["row"] >= 0
        self.bits = None if self.played.all() else _bitmap(self.played)
        self.rules = self.hands["rules"]
        self.n_simulated = 0

    def all(self) -> dict[str, Any]:
        """Columns by name; those that are always null here are left out."""
        columns: dict[str, Any] = {"line": self._lined(self.lines["number"], "line")}
        columns |= self._named()
        columns |= self._meta()
        columns |= self._texts()
        columns |= self._numbers()
        columns |= self._plays()
        for k, name in enumerate(COMPLETENESS):
            codes = np.ascontiguousarray(self.out["completeness"][:, k])
            columns[f"has_{name}"] = _words(codes, list(STATUSES))
        return columns

    # -- plain values

    def _lined(self, values: Any, name: str, bits: Any = None) -> Any:
        """An Arrow array of one column; ``bits`` is its validity."""
        kind = HAND[name]
        if pa.types.is_boolean(kind):
            data = _bitmap(values.astype(np.bool_))
        else:
            data = pa.py_buffer(np.ascontiguousarray(values, kind.to_pandas_dtype()))
        return pa.Array.from_buffers(kind, len(values), [bits, data])

    def _numbers(self) -> dict[str, Any]:
        out, bits = self.out, self.bits
        columns = {
            "dealer": self._lined(self.hands["dealer"], "dealer"),
            "middle": self._lined(out["middle"], "middle"),
            "n_calls": self._lined(self.hands["n_calls"], "n_calls"),
            "n_plays": self._lined(self.hands["n_plays"], "n_plays"),
            "passed_out": self._lined(out["passed_out"], "passed_out"),
            "winners": self._lined(out["winners"], "winners"),
            "n_tricks": self._lined(out["n_tricks"], "n_tricks"),
            "partner": self._lined(out["partner"], "partner"),
            "errors": self._lined(out["errors"], "errors"),
            "warnings": self._lined(out["warnings"], "warnings"),
        }
        for k, seat in enumerate("nes"):
            columns[f"deal_{seat}"] = self._lined(self.hands["hands"][:, k], f"deal_{seat}")
        for k, seat in enumerate("nesw"):
            columns[f"score_{seat}"] = self._lined(out["score"][:, k], f"score_{seat}")
        for k, side in enumerate(("side", "defenders")):
            for name in ("points", "tricks", "meld"):
                columns[f"{name}_{side}"] = self._lined(out[name][:, k], f"{name}_{side}")
        for name in ("declarer", "level", "trump", "points_out", "leader"):
            columns[name] = self._lined(out[name], name, bits)
        for name in ("called", "discard"):
            columns[name] = self._lined(out[name], name, _some(out[name] >= 0))
        columns["made"] = self._lined(out["made"] > 0, "made", bits)
        claimed = _some(self.hands["n_claims"] > 0)
        columns["claims_standing"] = self._lined(out["standing"], "claims_standing", claimed)
        columns["target"] = self._lined(self._targets(), "target", bits)
        return columns

    def _targets(self) -> Any:
        """Points needed: of the contract, or the level bid (-1 here), 0 without points."""
        widest = max(len(r.auction.order) for r in self.chunk.rules)
        fixed = np.zeros((len(self.chunk.rules), widest), np.int16)
        for k, rules in enumerate(self.chunk.rules):
            for row, key in enumerate(rules.auction.order):
                c = rules.contracts[key]
                fixed[k, row] = 0 if c.goal != "points" else c.target or -1
        found = fixed[self.rules, self.out["row"]]
        return np.where(found < 0, self.out["level"], found)

    def _plays(self) -> dict[str, Any]:
        words = np.zeros((4, self.rows.size), np.int64)
        kernels.pack_plays(self.chunk.columns.hands, self.rows, words)
        return {f"p{w}": self._lined(words[w], f"p{w}", self.bits) for w in range(4)}

    # -- words that come again and again

    def _named(self) -> dict[str, Any]:
        rule_sets, out = self.chunk.rules, self.out
        first = np.cumsum([0, *(len(r.auction.order) for r in rule_sets)])
        keys = [key for r in rule_sets for key in r.auction.order]
        key = first[self.rules] + out["row"]
        present = np.zeros(1 << 16, np.bool_)
        present[out["contract"]] = True
        present[-1] = False
        place = np.cumsum(present) - 1
        contracts = [call_text(int(c)) for c in np.flatnonzero(present)]
        columns = {
            "rules": _words(self.rules, [r.id for r in rule_sets]),
            "rules_hash": _words(self.rules, [r.content_hash for r in rule_sets]),
            "raw_format": _words(np.zeros(self.rows.size, np.int8), [_FORMAT]),
            "recorded": _words(self.hands["outcome"], list(OUTCOMES)),
            "contract": _words(np.where(self.played, place[out["contract"]], -1), contracts),
            "contract_key": _words(np.where(self.played, key, -1), keys),
        }
        named = self._rules_named(rule_sets)
        if named is not None:
            columns["rules_named"] = named
        return columns

    def _rules_named(self, rule_sets: list[RuleSet]) -> Any:
        """Field 1 where it is not just the id."""
        ids = [r.id for r in rule_sets]
        tokens = self.chunk.tokens
        plain = np.array([[t == i for t in tokens] for i in ids])
        token = self.lines["token"]
        named = np.where(plain[self.rules, token], -1, token)
        return _words(named, tokens) if (named >= 0).any() else None

    # -- texts

    def _texts(self) -> dict[str, Any]:
        columns = {}
        for name, field in (("auction", 3), ("declaration", 4), ("claims", 6), ("result", 7)):
            views, valid = self._room()
            kernels.field_views(self.chunk.data, self.chunk.lines, self.rows, field, views, valid)
            columns[name] = _strings(views, valid, [self.data])
        columns["call_seats"] = self._call_seats()
        return {k: v for k, v in columns.items() if v is not None}

    def _call_seats(self) -> Any:
        views, valid = self._room()
        text = np.empty(int(self.hands["n_calls"].sum()) + kernels.SLACK, np.uint8)
        columns = self.chunk.columns
        used = 0
        for number, rules in enumerate(self.chunk.rules):
            where = np.flatnonzero(self.rules == number)
            if not where.size:
                continue
            auction = tables_of(rules).auction
            mine, ok = views[where], valid[where]
            used = kernels.call_seats(
                columns.hands, columns.calls, self.rows[where], auction.symbol, auction.steps,
                auction.states, text, used, mine, ok,
            )  # fmt: skip
            views[where], valid[where] = mine, ok
        return _strings(views, valid, [pa.py_buffer(text)])

    def _meta(self) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        simulated = np.zeros(self.rows.size, np.bool_)
        for k, key in enumerate(META_KEYS):
            views, valid = self._room()
            decoded = np.zeros(0, np.uint8)
            while True:
                need = kernels.meta_views(
                    self.chunk.data, self.chunk.lines, self.rows, k, views, valid, decoded
                )
                if need <= decoded.size:
                    break
                decoded = np.zeros(need, np.uint8)
            strings = _strings(views, valid, [self.data, pa.py_buffer(decoded)])
            if strings is None:
                continue
            columns[META_COLUMNS[key]] = strings
            if key in ("src", "event"):
                simulated |= kernels.equal_to(views, _SIMULATED)
        self.n_simulated = int(simulated.sum())
        columns["simulated"] = self._lined(simulated, "simulated")
        views, valid = self._room()
        kernels.rest_views(self.chunk.data, self.chunk.lines, self.rows, views, valid)
        columns["meta_rest"] = _strings(views, valid, [self.data])
        columns["meta_keys"] = self._orders()
        return {k: v for k, v in columns.items() if v is not None}

    def _orders(self) -> Any:
        """Order of the META keys where it is not the usual one."""
        order = self.lines["order"]
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
        return np.empty((self.rows.size, 2), np.int64), np.empty(self.rows.size, np.bool_)


_SIMULATED = np.frombuffer(SIMULATED.encode() + bytes(kernels.SLACK), np.uint8).copy()


def _order_text(packed: int) -> str | None:
    """``meta_keys`` for an order of keys (:data:`parsers.phl_byte_lines.LINE`)."""
    keys = []
    while packed:
        key = (packed & 15) - 1
        keys.append("*" if key == OTHER_KEY else META_KEYS[key])
        packed >>= 4
    usual = [k for k in USUAL_ORDER if k in keys] + ["*"] * keys.count("*")
    return None if keys == usual else ";".join(keys)


def _bitmap(flags: Any) -> Any:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def _some(flags: Any) -> Any:
    """A validity buffer, ``None`` where all are valid."""
    return None if flags.all() else _bitmap(flags)


def _strings(views: Any, valid: Any, buffers: list[Any]) -> Any:
    """A string column, ``None`` where all of it is null."""
    if not valid.any():
        return None
    parts = [_some(valid), pa.py_buffer(views), *buffers]
    return pa.Array.from_buffers(pa.string_view(), len(views), parts)


def _words(codes: Any, words: list[str]) -> Any:
    """A column of few different words; a negative code is null."""
    codes = np.ascontiguousarray(codes, np.int32)
    bits = _some(codes >= 0)
    data = pa.py_buffer(np.maximum(codes, 0) if bits is not None else codes)
    indices = pa.Array.from_buffers(pa.int32(), len(codes), [bits, data])
    return pa.DictionaryArray.from_arrays(indices, pa.array(words or [""]))
