"""A row of the store as the record it came from, and its original text."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.cards import CARDS, SEATS
from engine.record import HandRecord
from pandoeren_replay.store.encode import META_COLUMNS, USUAL_ORDER
from pandoeren_replay.store.errors import StoreError
from parsers.fields import FieldError
from parsers.phl import parse_line, write_phl


def decode(row: Mapping[str, Any]) -> HandRecord:
    """The record of one row of the table ``hand``, exactly as it was read."""
    line = " ".join(
        [
            row["rules_named"] or row["rules"],
            "?" if row["dealer"] is None else SEATS[row["dealer"]],
            _deal(row),
            row["auction"] or ".",
            row["declaration"] or ".",
            _plays(row),
            row["claims"] or ".",
            row["result"] or ".",
            row["meta_rest"] or ".",
        ]
    )
    try:
        record = parse_line(line)
    except FieldError as e:
        raise StoreError(
            f"hand {row['hand_id']} of the store cannot be read back: "
            f"found {e.token!r}, expected {e.expected}"
        ) from e
    return replace(record, meta=_meta(row, record.meta))


def original_text(row: Mapping[str, Any]) -> str:
    """The text of the hand as its source had it, byte for byte."""
    if row["raw"] is not None:
        return str(row["raw"])
    record = decode(row)
    if row["raw_format"] == "phn":
        from parsers.phn import write_phn

        return write_phn(record)
    return write_phl(record)


def _deal(row: Mapping[str, Any]) -> str:
    if row["deal_n"] is None:
        return row["deal_text"] or "."
    owners = ["W"] * len(CARDS)
    for seat in "NES":
        mask = row[f"deal_{seat.lower()}"]
        for i in range(len(CARDS)):
            if mask >> i & 1:
                owners[i] = seat
    owners[row["middle"]] = "M"
    return "".join(owners)


def _plays(row: Mapping[str, Any]) -> str:
    if row["play_text"] is not None:
        return str(row["play_text"])
    cards = [CARDS[row[f"p{i // 8}"] >> 6 * (i % 8) & 63] for i in range(row["n_plays"])]
    tricks = ["".join(cards[i : i + 4]) for i in range(0, len(cards), 4)]
    return "/".join(tricks) or "."


def _meta(row: Mapping[str, Any], rest: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    keys = row["meta_keys"]
    if keys == "all":
        return rest
    columns = {k: row[c] for k, c in META_COLUMNS.items() if row[c] is not None}
    if keys is None:
        return (*((k, columns[k]) for k in USUAL_ORDER if k in columns), *rest)
    others = iter(rest)
    return tuple(next(others) if k == "*" else (k, columns[k]) for k in keys.split(";"))
