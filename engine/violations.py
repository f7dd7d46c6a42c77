"""The catalogue of violations: code, severity, sentence in English and Dutch, rule cited."""

import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from engine.cards import SEATS

Severity = Literal["error", "warning", "info"]
Language = Literal["en", "nl"]

SEAT_NAMES: dict[Language, tuple[str, ...]] = {
    "en": ("North", "East", "South", "West"),
    "nl": ("Noord", "Oost", "Zuid", "West"),
}


@lru_cache(maxsize=1)
def catalogue() -> dict[str, dict[str, Any]]:
    """Every code with ``severity``, ``rule`` and the sentences ``en`` and ``nl``.

    >>> catalogue()["revoke"]["severity"]
    'error'
    """
    return tomllib.loads((files("engine") / "violations.toml").read_text("utf-8"))


def dutch_card(name: str) -> str:
    """A card as Dutch players write it: A H V B 10.

    >>> dutch_card("HT"), dutch_card("SJ")
    ('♥10', '♠B')
    """
    suit = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}[name[0]]
    return suit + {"K": "H", "Q": "V", "J": "B", "T": "10"}.get(name[1], name[1])


def english_card(name: str) -> str:
    """A card with its suit sign.

    >>> english_card("HT")
    '♥10'
    """
    suit = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}[name[0]]
    return suit + {"T": "10"}.get(name[1], name[1])


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule broken, or one thing the record lacks or contradicts.

    ``ply`` is the number of cards on the table before it (``None`` in the auction), ``call`` the
    index of a call in the auction, ``params`` what the sentence names: cards, numbers, texts
    (``KEY_nl`` is the Dutch for ``KEY``).
    """

    code: str
    ply: int | None = None
    call: int | None = None
    seat: int | None = None
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def severity(self) -> Severity:
        """``error``, ``warning`` or ``info``."""
        return catalogue()[self.code]["severity"]  # type: ignore[no-any-return]

    @property
    def rule(self) -> str:
        """The section of the rules it cites."""
        return str(catalogue()[self.code]["rule"])

    @property
    def trick(self) -> int | None:
        """Number of the trick (from 1) it belongs to, if any."""
        return None if self.ply is None else self.ply // 4 + 1

    def message(self, lang: Language = "en") -> str:
        """The sentence, naming card, trick and seat as a player would."""
        show = dutch_card if lang == "nl" else english_card
        values: dict[str, Any] = {}
        for key, value in self.params.items():
            if lang == "nl":
                value = self.params.get(f"{key}_nl", value)
            if key.startswith("card") and isinstance(value, str) and len(value) == 2:
                values[key] = show(value)
            elif key.startswith("cards") and isinstance(value, (list, tuple)):
                values[key] = " ".join(show(c) for c in value)
            elif key.startswith("seat") and isinstance(value, int):
                values[key] = SEAT_NAMES[lang][value]
            else:
                values[key] = value
        values["seat"] = "?" if self.seat is None else SEAT_NAMES[lang][self.seat]
        values["trick"] = self.trick
        return str(catalogue()[self.code][lang]).format(**values)

    def as_json(self) -> dict[str, Any]:
        """The object of ``check --json``."""
        return {
            "code": self.code,
            "severity": self.severity,
            "ply": self.ply,
            "call": self.call,
            "seat": None if self.seat is None else SEATS[self.seat],
            "message": self.message(),
        }
