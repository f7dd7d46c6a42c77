"""Texts in Dutch and English: every string of the dashboard comes from ``i18n/*.toml``."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, cast

from engine.ruleset import Bid, RuleSet, Text
from engine.violations import Language, dutch_card, english_card

LANGUAGES: tuple[Language, ...] = ("nl", "en")


@lru_cache(maxsize=2)
def catalogue(lang: Language) -> dict[str, Any]:
    """All texts of one language, by section."""
    path = files("pandoeren_replay.ui.i18n") / f"{lang}.toml"
    return tomllib.loads(path.read_text("utf-8"))


def language(text: str | None) -> Language | None:
    """The language a code such as ``nl-BE`` asks for, or ``None`` if we do not speak it.

    >>> language("nl-BE"), language("en"), language("fr"), language(None)
    ('nl', 'en', None, None)
    """
    code = (text or "").lower().replace("_", "-").split("-")[0]
    return cast(Language, code) if code in LANGUAGES else None


class Texts:
    """The texts of one language.

    >>> Texts("nl")("replay.title", name="Cor", contract="130 punten")
    'Cor speelt 130 punten'
    """

    def __init__(self, lang: Language) -> None:
        self.lang = lang
        self._all = catalogue(lang)

    def raw(self, key: str) -> Any:
        """The value behind a key ``section.name``: a text, a list or a table."""
        section, _, name = key.partition(".")
        return self._all[section][name]

    def section(self, name: str) -> dict[str, Any]:
        """All texts of one section."""
        return dict(self._all[name])

    def __call__(self, key: str, **values: object) -> str:
        """The text behind a key, with values filled in."""
        text = str(self.raw(key))
        return text.format(**values) if values else text

    def seat(self, seat: int) -> str:
        """Name of a seat."""
        return str(self._all["seats"]["names"][seat])

    def card(self, name: str) -> str:
        """A card as players of this language write it."""
        return dutch_card(name) if self.lang == "nl" else english_card(name)

    def of(self, text: Text) -> str:
        """A text of a rule set."""
        return text.nl if self.lang == "nl" else text.en

    def number(self, value: float, digits: int = 0, *, sign: bool = False) -> str:
        """A number with the decimal sign of the language; below nought with a minus, as charts do.

        >>> Texts("nl").number(1234.5, 1), Texts("en").number(0.25, 1, sign=True)
        ('1.234,5', '+0.2')
        >>> Texts("nl").number(-14), Texts("en").number(-0.5, 1, sign=True)
        ('−14', '−0.5')
        """
        text = f"{value:{'+' if sign else ''},.{digits}f}".replace("-", "\N{MINUS SIGN}")
        if self.lang == "nl":
            text = text.translate(str.maketrans(",.", ".,"))
        return text

    def change(self, value: int) -> str:
        """A difference with its sign; nothing is plain 0.

        >>> Texts("nl").change(3), Texts("nl").change(0), Texts("nl").change(-1200)
        ('+3', '0', '−1.200')
        """
        return self.number(value, sign=value != 0)

    def percent(self, share: float, digits: int = 0) -> str:
        """A share from 0 to 1 as a percentage.

        >>> Texts("nl").percent(0.256, 1)
        '25,6 %'
        """
        return f"{self.number(share * 100, digits)} %"

    def date(self, iso: str) -> str:
        """An ISO date as it is written in the language; anything else as it stands.

        >>> Texts("nl").date("2026-11-28"), Texts("nl").date("gisteren")
        ('28-11-2026', 'gisteren')
        """
        head, rest = iso[:10], iso[10:]
        parts = head.split("-")
        if self.lang == "nl" and [len(p) for p in parts] == [4, 2, 2] and "".join(parts).isdigit():
            return "-".join(reversed(parts)) + rest.replace("T", " ")
        return iso.replace("T", " ") if head.replace("-", "").isdigit() else iso

    def contract(self, rules: RuleSet | None, text: str | None) -> str:
        """A contract as players say it: ``130 punten``, ``misère``, ``pandoer +20``.

        >>> from engine.rulefile import load_ruleset
        >>> Texts("nl").contract(load_ruleset("heerlen"), "szw")
        'solozwabber'
        """
        if text is None or text == "?":
            return self("replay.unknown")
        bid = rules.bid(text) if rules else None
        return self.bid(bid) if bid else text

    def bid(self, bid: Bid) -> str:
        """A bid as players say it."""
        if bid.contract.levels:
            return self("replay.points_contract", n=bid.level)
        name = self.of(bid.contract.name)
        return f"{name}{'' if name.endswith('+') else ' +'}{bid.plus}" if bid.plus else name


def typed_date(typed: str) -> str:
    """A date as typed in Dutch order or ISO, as ISO.

    >>> typed_date("28-11-2026"), typed_date("2026-11"), typed_date("3/1/2026")
    ('2026-11-28', '2026-11', '2026-01-03')
    >>> typed_date("11-2026")
    '2026-11'
    """
    parts = typed.strip().replace("/", "-").replace(".", "-").split("-")
    if len(parts) > 1 and len(parts[-1]) == 4 and all(p.isdigit() for p in parts):
        parts = [p.zfill(2) for p in reversed(parts)]
    return "-".join(parts)
