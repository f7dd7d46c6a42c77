"""The words of logs and score sheets: seats, calls and outcomes in English and Dutch."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.cards import SEATS
from engine.record import CALL_CODES, Outcome, is_call_text

_SEAT_WORDS = {
    "N": 0, "NORTH": 0, "NOORD": 0,
    "E": 1, "EAST": 1, "O": 1, "OOST": 1,
    "S": 2, "SOUTH": 2, "Z": 2, "ZUID": 2,
    "W": 3, "WEST": 3,
}  # fmt: skip
_PASS = {"p", "pas", "pass", "past", "passe", "passen", "passed", "gepast", "ikpas"}
_POINTS = {"punten", "points", "point", "punt", "pt", "pts", "bod", "bid", "number", "getal"}
_CALL_WORDS = {
    "piccolo": "pic", "picolo": "pic", "pico": "pic",
    "misere": "mis", "miserie": "mis", "miseria": "mis",
    "kereltje": "ker", "kerel": "ker",
    "zwabber": "zwa", "zwabberen": "zwa",
    "solozwabber": "szw", "zwabbersolo": "szw",
    "piccoloouvert": "pio", "piccoloouverte": "pio", "openpiccolo": "pio", "piccoloopen": "pio",
    "misereouvert": "mio", "misereouverte": "mio", "openmisere": "mio", "misereopen": "mio",
    "stilpraatje": "sti", "stillepraatje": "sti", "praatjestil": "sti",
    "pandoer": "pan", "praatje": "pra", "prive": "pri", "troela": "tro", "troel": "tro",
    "stilpiccolopraatje": "spp", "stilpicolopraatje": "spp",
    "piccolopraatje": "ppr", "picolopraatje": "ppr",
}  # fmt: skip
_MADE = {
    "made", "won", "win", "success", "yes", "true", "ok", "1", "+", "y",
    "gehaald", "gemaakt", "gewonnen", "ja", "j", "gelukt", "gehaalt", "waar", "goed", "binnen", "g",
}  # fmt: skip
_LOST = {
    "lost", "failed", "fail", "loss", "no", "false", "down", "0", "-", "n",
    "verloren", "nat", "nietgehaald", "mislukt", "nee", "gezakt", "af", "nietgemaakt", "onwaar",
    "fout", "nietgelukt", "eraf", "onderuit", "gevallen",
}  # fmt: skip
_VOID = {
    "void", "passedout", "passed", "allpass", "pas", "gepast", "allenpas", "rondpas", "rondgepast",
    "vervallen",
}  # fmt: skip


_SIGNS: dict[str, Outcome] = dict.fromkeys("+✓✔☑√👍", "made")
_SIGNS |= dict.fromkeys("-−–✗✘☒❌👎", "lost")


CALL_EXPECTED = (
    "a call: pass, a number, or a contract such as piccolo or pandoer (your own words for them go "
    "under [calls] in a --map file)"
)


class CallTextError(ValueError):
    """A text that is no call in any known wording."""


class SeatError(ValueError):
    """A text that is no seat and no player of the table."""


def fold(text: str) -> str:
    """A word in lower case without accents, spaces and punctuation (suit signs stay).

    >>> fold("Misère Ouvert"), fold("niet-gehaald")
    ('misereouvert', 'nietgehaald')
    """
    bare = unicodedata.normalize("NFKD", text[:200]).casefold()
    return re.sub(r"[^\w♠♤♥♡❤♦♢♣♧☘]+|_+", "", bare)


def call_text(text: str, points: int | None = None, own: Mapping[str, str] | None = None) -> str:
    """A call as the notation writes it: ``-``, a number, a code, ``pan+20``.

    ``points`` is the number that stands beside a word for a points bid; ``own`` are the user's
    own words (``[calls]`` of a ``--map`` file). Raises :class:`CallTextError`.

    >>> call_text("pas"), call_text("punten", 130), call_text("Misère"), call_text("pandoer +20")
    ('-', '130', 'mis', 'pan+20')
    >>> call_text("zwembad")
    Traceback (most recent call last):
    ...
    parsers.words.CallTextError: 'zwembad' is not a call; expected a call: pass, a number, or a \
contract such as piccolo or pandoer (your own words for them go under [calls] in a --map file)
    """
    plain = text.strip()
    word = fold(plain)
    for key, value in (own or {}).items():
        if key.strip().casefold() == plain.casefold():
            return value
    if plain in ("-", "–", "—"):
        return "-"
    if word in _POINTS or (not word and points is not None):
        if points is not None and is_call_text(str(points)):
            return str(points)
        raise CallTextError(f"{plain!r} is a points bid without its number")
    if word in _PASS:
        return "-"
    lower = plain.casefold()
    number = re.fullmatch(r"(\d{1,4})\s*(?:punten|points|pts?\.?|p)?", lower) or re.fullmatch(
        r"(?:punten|points|pts?|p)\s*(\d{1,4})", lower
    )
    if number and is_call_text(number[1]):
        return number[1]
    plus = re.fullmatch(r"pan(?:doer)?\s*(?:\+|plus|met|with)\s*(\d{1,4})", lower)
    if plus and is_call_text(f"pan+{plus[1]}"):
        return f"pan+{plus[1]}"
    if word in CALL_CODES:
        return word
    if word in _CALL_WORDS:
        return _CALL_WORDS[word]
    shown = plain if len(plain) <= 40 else plain[:37] + "..."
    raise CallTextError(f"{shown!r} is not a call; expected {CALL_EXPECTED}")


def outcome_word(text: str, own: Mapping[str, Outcome] | None = None) -> Outcome | None:
    """What a word says about the outcome, or ``None`` if it says nothing about it.

    >>> outcome_word("Gehaald"), outcome_word("failed"), outcome_word("regen")
    ('made', 'lost', None)
    """
    plain = text.strip()
    for key, value in (own or {}).items():
        if key.strip().casefold() == plain.casefold():
            return value
    if plain.rstrip("\ufe0e\ufe0f") in _SIGNS:
        return _SIGNS[plain.rstrip("\ufe0e\ufe0f")]
    word = fold(plain)
    if word in _MADE:
        return "made"
    if word in _LOST:
        return "lost"
    if word in _VOID:
        return "void"
    return None


def compass(text: str) -> int | None:
    """The seat that a compass word names, or ``None``.

    >>> compass("Zuid"), compass("O"), compass("Anna")
    (2, 1, None)
    """
    return _SEAT_WORDS.get(text.strip().rstrip(".").upper())


@dataclass(slots=True)
class SeatBook:
    """What the seats of one file are called: numbers, compass words, player names.

    ``order`` is the seats (0–3) of the file's numbers from ``base`` on, clockwise by default;
    ``names`` maps player names (case ignored) to seats.
    """

    order: tuple[int, ...] = (0, 1, 2, 3)
    base: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def learn(self, name: str, seat: int) -> None:
        """Remember that the player ``name`` sits at ``seat``."""
        if name.strip():
            self.names[name.strip().casefold()] = seat

    def find(self, value: object) -> int | None:
        """The seat that ``value`` names, or ``None``."""
        if isinstance(value, bool) or value is None:
            return None
        text = str(value).strip()
        if text.casefold() in self.names:
            return self.names[text.casefold()]
        if text.isascii() and text.isdigit() and len(text) <= 2:
            number = int(text) - self.base
            return self.order[number] if 0 <= number < 4 else None
        return compass(text)

    def seat(self, value: object) -> int:
        """The seat that ``value`` names; raises :class:`SeatError`.

        >>> SeatBook().seat(2), SeatBook(base=1).seat("1"), SeatBook(names={"anna": 3}).seat("Anna")
        (2, 0, 3)
        """
        found = self.find(value)
        if found is None:
            raise SeatError(f"{str(value)[:40]!r} is not a seat; expected {self.expected}")
        return found

    @property
    def expected(self) -> str:
        """What a seat may be in this file, for messages."""
        known = ", ".join(self.names) or "none named"
        return (
            f"a seat: {self.base} to {self.base + 3}, N E S W, or a player ({known}); "
            "see [seats] of a --map file"
        )

    def see_numbers(self, values: Iterable[object]) -> None:
        """Find out whether the file counts its seats from 0 or from 1.

        Counting from 1 shows by a 4 and no 0; otherwise seats count from 0.

        >>> book = SeatBook(); book.see_numbers([1, "2", 3, 4]); book.base
        1
        """
        seen = {str(v).strip() for v in values if not isinstance(v, bool)}
        if "4" in seen:
            if "0" in seen:
                raise SeatError("seat numbers run from 0 to 4, which are five seats")
            self.base = 1


def letters(seats: Iterable[int]) -> str:
    """Seat letters of several seats, for messages.

    >>> letters([0, 2])
    'N S'
    """
    return " ".join(SEATS[s] for s in seats)
