"""The 64-bit content hash of a hand: what makes two records the same hand."""

from typing import Any

import numpy as np
from numba import types

from engine.compiled import kernel

OFFSET = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)

# The META keys that tell hands apart, in the order in which they enter the hash.
IDENTITY_KEYS = ("date", "session", "hand", "event", "id", "n", "e", "s", "w")

_BYTES = types.Array(types.uint8, 1, "C", readonly=True)


@kernel()
def absorb(h: Any, data: Any, start: int, end: int) -> Any:
    """FNV-1a over some bytes, from the state ``h`` on (at first :data:`OFFSET`)."""
    for i in range(start, end):
        h = (h ^ np.uint64(data[i])) * PRIME
    return h


@kernel()
def finish(h: Any) -> Any:
    """The finaliser of SplitMix64 (FNV alone mixes its end badly)."""
    h = (h ^ (h >> _S30)) * _MIX_1
    h = (h ^ (h >> _S27)) * _MIX_2
    return h ^ (h >> _S31)


@kernel(types.uint64(_BYTES))
def _hash_bytes(data: Any) -> Any:
    return finish(absorb(OFFSET, data, 0, data.size))


def hash_text(text: str) -> int:
    """64-bit hash of a text, the same on every machine and in every version.

    >>> hash_text("")
    17665956581633026203
    """
    return int(_hash_bytes(np.frombuffer(text.encode(), np.uint8)))


def content_text(fields: list[str], rules: str, has_cards: bool) -> str:
    """What of a hand is hashed, from the nine fields of its canonical line.

    Fields 1–7 (``rules`` is the id without a hash), the META keys of :data:`IDENTITY_KEYS`, and
    field 8 only where no card is recorded. ``src``, comments and other keys do not count, nor does
    a session that a score sheet does not name itself (``session_by=date``): the date says it.

    >>> content_text("heerlen N . 120,-,-,- . . . made w=x;src=y;n=z".split(), "heerlen", False)
    'heerlen N . 120,-,-,- . . . made n=z;w=x'
    """
    meta = dict(p.partition("=")[::2] for p in fields[8].split(";")) if fields[8] != "." else {}
    if not has_cards and meta.get("session_by") == "date":
        meta.pop("session", None)
    known = ";".join(f"{k}={meta[k]}" for k in IDENTITY_KEYS if k in meta)
    result = "." if has_cards else fields[7]
    return " ".join([rules, *fields[1:7], result, known])
