"""Warnings and rejects of the parsers in Dutch, by the list in ``dutch.toml``.

Parsers say everything in English; whoever shows it to a person asks for the other language here.
A sentence that is not in the list stays as it is, and so does whatever a file itself said.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files

from engine.cards import CARD_INDEX
from engine.violations import Language, dutch_card

_DEPTH = 4
_SEATS = {"N": "N", "E": "O", "S": "Z", "W": "W"}
_SLOT = re.compile(r"\{(say|seat|card|hands|word)?(\d+)\}")


@dataclass(frozen=True, slots=True)
class _Sentence:
    english: re.Pattern[str]
    dutch: str


@lru_cache(maxsize=1)
def _list() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("parsers") / "dutch.toml").read_text("utf-8"))


@lru_cache(maxsize=1)
def _sentences() -> tuple[_Sentence, ...]:
    """Sentences with slots: those around others, then those first that say most themselves."""
    around, say = _list()["around"], _list()["say"]
    open_ = sorted((e for e in say if "{}" in e), key=lambda e: -len(e.replace("{}", "")))
    return tuple(
        _Sentence(re.compile("(.*?)".join(map(re.escape, e.split("{}"))), re.DOTALL), dutch)
        for e, dutch in (*around.items(), *((e, say[e]) for e in open_))
    )


def in_dutch(sentence: str) -> str:
    """A sentence of a parser in Dutch; as it stands if the list does not have it.

    >>> in_dutch("a row of totals: passed over")
    'een rij met totalen: overgeslagen'
    >>> in_dutch("found 'x', expected four cards in trick 3")
    "gevonden: 'x'; verwacht: vier kaarten in slag 3"
    """
    return _dutch(sentence, _DEPTH)


def said(sentence: str, lang: Language) -> str:
    """A sentence of a parser in a language.

    >>> said("an empty file", "nl"), said("an empty file", "en")
    ('een leeg bestand', 'an empty file')
    """
    return in_dutch(sentence) if lang == "nl" else sentence


@lru_cache(maxsize=4096)
def _dutch(sentence: str, depth: int) -> str:
    plain = _list()["say"].get(sentence)
    if plain is not None:
        return plain
    for one in _sentences() if depth else ():
        found = one.english.fullmatch(sentence)
        if found is not None:
            return _SLOT.sub(partial(_slot, found, depth - 1), one.dutch)
    return sentence


def _slot(found: re.Match[str], depth: int, slot: re.Match[str]) -> str:
    """What stands in a slot, in Dutch where it is ours and not the file's."""
    text: str = found[int(slot[2]) + 1]
    match slot[1]:
        case "say":
            return _dutch(text, depth)
        case "seat":
            return _SEATS.get(text, text)
        case "card":
            return dutch_card(text) if text in CARD_INDEX else text
        case "hands":
            return text.replace("hands", "spellen").replace("hand", "spel")
        case "word":
            return _list()["word"].get(text, text)
    return text
