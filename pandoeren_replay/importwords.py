"""What is to be said of an import, those of one kind together."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """Notes of one kind: the first of them and its place, how many, and in how many sources."""

    place: str
    sentence: str
    times: int
    sources: int


def by_kind(notes: Iterable[tuple[str, int, str]]) -> list[Kind]:
    """Notes as (source, line, sentence), in the order in which their kinds first came.

    >>> by_kind([("a", 1, "row 3 is odd"), ("a", 2, "no date"), ("b", 7, "row 12 is odd")])[0]
    Kind(place='a:1', sentence='row 3 is odd', times=2, sources=2)
    """
    groups: dict[str, list[tuple[str, int, str]]] = {}
    for note in notes:
        groups.setdefault(kind_of(note[2]), []).append(note)
    return [
        Kind(f"{found[0][0]}:{found[0][1]}", found[0][2], len(found), len({n[0] for n in found}))
        for found in groups.values()
    ]


def kind_of(sentence: str) -> str:
    """What sentences have in common that differ in numbers and in what was found.

    >>> kind_of("trick 3: found 'HB'") == kind_of("trick 12: found 'x'")
    True
    """
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "#", sentence)
