"""What stands in the cells of a score sheet: ticks, amounts, two names, a bid with its suit."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.record import Outcome
from parsers.cardtext import CardStyle, is_unknown
from parsers.words import fold, outcome_word

_TICKS = ("x", "v", "*")  # a mark that means nothing by itself
_MONEY = re.compile(r"[-+]?\d+[.,]\d\d")
_SPLIT = re.compile(r"\s*(?:[+&/]|\bmet\b|\ben\b|\band\b|\bwith\b)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amounts:
    """How one sheet writes its scores: as whole numbers, or as euros that are kept as cents.

    >>> Amounts.of(["€ 0,03", "-0,01"]).number("- € 0,03"), Amounts.of(["1,0"]).number("−3")
    (-3, -3)
    """

    euros: bool

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Amounts":
        """Euros where a cell has their sign, or two decimals that are not both zero."""
        plain = [(t, _bare(t)) for t in texts]
        money = [b for _, b in plain if _MONEY.fullmatch(b) and not b.endswith("00")]
        return cls(any("€" in t for t, _ in plain) or bool(money))

    def number(self, text: str) -> int | None:
        """A score as a whole number, ``None`` for what is none."""
        bare = _bare(text)
        if self.euros and re.fullmatch(r"[-+]?\d{1,5}(?:[.,]\d{1,2})?", bare):
            whole, _, part = bare.replace(",", ".").partition(".")
            cents = int(whole.lstrip("+-") + part.ljust(2, "0"))
            return -cents if bare.startswith("-") else cents
        bare = re.sub(r"[.,]0{1,2}$", "", bare)
        return int(bare) if re.fullmatch(r"[-+]?[0-9]{1,7}", bare) else None


def _bare(text: str) -> str:
    bare = re.sub(r"[\s€]", "", text).replace("−", "-").replace("–", "-")
    return bare if bare.isascii() else "?"


@dataclass(frozen=True, slots=True)
class Ticks:
    """How one column of outcomes is marked: what ``x``, ``v`` and ``n`` mean in it.

    ``x`` is lost beside a tick, and a tick by itself in a column headed "gehaald"; ``v`` is a tick,
    but "verloren" beside ``g`` or ``w``; ``n`` is "nat" or "nee", lost either way.

    >>> Ticks.of("Gehaald?", ["✓", "x"]).outcome("x"), Ticks.of("Gehaald", ["x", ""]).outcome("x")
    ('lost', 'made')
    >>> Ticks.of("g/v", ["g", "v"]).outcome("v"), Ticks.of("Uitslag", ["x"]).outcome("x")
    ('lost', None)
    """

    meaning: dict[str, Outcome]

    @classmethod
    def of(cls, title: str, texts: Iterable[str]) -> "Ticks":
        """Settled by all cells of the column, and by its title."""
        seen = {t.strip().casefold() for t in texts} - {""}
        meaning: dict[str, Outcome] = {}
        letters = bool(seen & {"g", "w"})
        ticked = any(outcome_word(t) == "made" for t in seen) or ("v" in seen and not letters)
        if "v" in seen:
            meaning["v"] = "lost" if letters else "made"
        headed = outcome_word(title.rstrip("?! "))
        if "x" in seen and ticked:
            meaning["x"] = "lost"
        elif headed in ("made", "lost") and seen <= {"x", "*", "v"}:
            meaning |= dict.fromkeys(seen, headed)
        return cls(meaning)

    def outcome(self, text: str) -> Outcome | None:
        """What a mark means, ``None`` for what is no mark here."""
        return self.meaning.get(text.strip().casefold())


def is_tick(text: str) -> bool:
    """Whether a cell holds a mark that says yes (in a column of its own).

    >>> is_tick("x"), is_tick("✓"), is_tick("ja"), is_tick("nee")
    (True, True, True, False)
    """
    return text.strip().casefold() in _TICKS or outcome_word(text) == "made"


def two_names(text: str) -> tuple[str, str] | None:
    """Declarer and partner who stand in one cell.

    >>> two_names("Anna + Cor"), two_names("Anna en Cor"), two_names("Anna")
    (('Anna', 'Cor'), ('Anna', 'Cor'), None)
    """
    parts = [p for p in _SPLIT.split(text.strip()) if p]
    return (parts[0], parts[1]) if len(parts) == 2 else None


def bid_and_suit(text: str, style: CardStyle) -> tuple[str, str] | None:
    """A bid with its trump suit in one cell; only words and signs, which cannot be mistaken.

    >>> bid_and_suit("150 harten", CardStyle()), bid_and_suit("130♠", CardStyle())
    (('150', 'harten'), ('130', '♠'))
    """
    m = re.fullmatch(r"(.*?\S)\s*(?:in\s+)?([♠♤♥♡❤♦♢♣♧☘][️]?|[A-Za-z]{4,})", text.strip())
    if m is None or is_unknown(m[2]) or not style.reads_suit(m[2]) or not fold(m[1]):
        return None
    return m[1], m[2]
