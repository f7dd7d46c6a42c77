"""What two sources say differently of one hand, taken apart into single points.

The view ``disagreements`` keeps two texts: what the shown record says and what another source
says. Each is a list as the notation writes a RESULT (``lost;pts=61-52``), or ``what=value`` for
each point in which two merged records differ (``outcome=made;partner=S``).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One point: what it is about, what is kept, what the other source says (``""`` nothing)."""

    what: str
    kept: str
    other: str


def parts(kept: str, other: str) -> list[Part]:
    """The points in which two texts differ, in their order.

    >>> parts("lost;pts=61-52", "made;pts=61-52;tricks=4-4")
    [Part(what='outcome', kept='lost', other='made'), Part(what='tricks', kept='', other='4-4')]
    >>> parts("outcome=made;score=N+1,E0,S+1,W0", "outcome=lost;score=N-1,E0,S-1,W0")[1].other
    'N-1,E0,S-1,W0'
    >>> parts(".", "made")
    [Part(what='outcome', kept='', other='made')]
    """
    one, two = _points(kept), _points(other)
    found = (Part(k, one.get(k, ""), two.get(k, "")) for k in dict.fromkeys([*one, *two]))
    return [p for p in found if p.kept != p.other]


def _points(text: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for piece in text.split(";"):
        what, equals, value = piece.partition("=")
        if equals:
            out[what] = value
        elif piece not in ("", "."):
            out["outcome"] = piece
    return out
