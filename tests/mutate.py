"""Damaged copies of valid files, and what must hold for whatever a parser makes of them."""

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from engine.record import HandRecord
from parsers.base import Options, Parser, ParseResult, Source
from parsers.canonical import normalised
from parsers.phl import parse_line, write_phl

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.sampled_from(["", "?", "S", "HA", "x9", "0", "7", "pas", "MAKE_MOVE", "UNDO", "\ud800"]),
    st.sampled_from([[], {}, [None], {"suit": "s"}, {"suit": None, "rank": None}, [[[]]], 1e999]),
    st.text(max_size=5),
)


@st.composite
def json_mutants(draw: st.DrawFn, value: Any) -> Any:
    """A copy of a JSON value with one to three places replaced, removed, doubled or swapped.

    What is put in is copied: a later change must not reach the strategy's own junk, or the same
    example is another one when it is drawn again.
    """
    doc = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(1, 3))):
        node = doc
        for _ in range(draw(st.integers(0, 9))):
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            child = node[draw(st.sampled_from(keys))]
            if not isinstance(child, (dict, list)):
                break
            node = child
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            continue
        key = draw(st.sampled_from(keys))
        action = draw(st.sampled_from(["replace", "replace", "remove", "double", "swap"]))
        if action == "remove":
            del node[key]
        elif action == "replace":
            node[key] = deepcopy(draw(JUNK))
        elif action == "swap":
            other = draw(st.sampled_from(keys))
            node[key], node[other] = node[other], node[key]
        elif isinstance(node, list):
            node.insert(key, deepcopy(node[key]))
        else:
            node[f"{key}2"] = deepcopy(node[key])
    return doc


@st.composite
def byte_mutants(draw: st.DrawFn, data: bytes) -> bytes:
    """A copy of a file with bytes changed, removed or put in, or its end cut off."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        if not out:
            break
        at = draw(st.integers(0, len(out) - 1))
        action = draw(st.sampled_from(["set", "set", "cut", "drop", "insert"]))
        if action == "cut":
            del out[at:]
        elif action == "drop":
            del out[at : at + draw(st.integers(1, 30))]
        elif action == "insert":
            out[at:at] = draw(
                st.sampled_from([b'"', b"{", b"]", b",", b"\\", b"HA", b"\xff", b"\n"])
            )
        else:
            out[at] = draw(st.integers(1, 255))
    return bytes(out)


def check_sane(result: ParseResult) -> None:
    """Every hand can be written down and read again, every reject names a place and a reason."""
    for hand in result.hands:
        assert len(hand.record.plays) <= 32
        assert hand.line >= 1
        assert hand.raw
        assert parse_line(write_phl(hand.record)) == normalised(hand.record)
        hand.raw.encode("utf-8")
    for reject in result.rejects:
        assert reject.expected
        assert reject.line >= 1
        assert reject.column >= 1
        assert str(reject)


def again(parser: Parser, hand: Any, options: Options | None = None) -> list[HandRecord]:
    """The records that the raw text of a hand gives when it is read by itself."""
    source = Source(hand.source, hand.raw.encode("utf-8"))
    return parser.parse([source], options or Options()).records


def seats_and_cards(record: HandRecord, seats: Sequence[int | None]) -> list[list[Any]]:
    """The plays as ``TRUTH.json`` writes them."""
    from engine.cards import CARDS

    return [[s, CARDS[p.card]] for p, s in zip(record.plays, seats, strict=True)]
