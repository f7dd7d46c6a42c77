"""Names taken out of hands, each player under one other name throughout an export."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine.record import HandRecord

ALIAS = "Player {}"
SHARED = "Player"
"""What stands for a part of a name that more than one player has."""

_SEATS = ("n", "e", "s", "w")
_PART = re.compile(r"[^\W\d_]+")
_SHORTEST_PART = 3
_SHORTEST = 2  # a name of one letter is replaced as a name, not in texts
_JOINT = r"(?:\s|[-_.+]|%20)*"  # between the words of a name: anna_de_vries, AnnaDeVries


class Anonymiser:
    """Other names for players: the same for the same player, also inside texts.

    ``names`` are all names, in the order in which they are numbered; ``merged`` says which name
    goes by which other one (``players merge``). Names are found in any case, without accents, and
    joined in other ways; of a name of several words each that begins with a capital and has three
    letters or more.

    >>> a = Anonymiser(["Anna de Vries", "Bas", "A. de Vries"], {"A. de Vries": "Anna de Vries"})
    >>> a.name("Bas"), a.name("A. de Vries"), a.text("anna_de_vries-3: well done, BAS! (Basel)")
    ('Player 2', 'Player 1', 'Player 1-3: well done, Player 2! (Basel)')
    """

    def __init__(self, names: Iterable[str], merged: Mapping[str, str] | None = None) -> None:
        merged = merged or {}
        self._alias: dict[str, str] = {}
        players: dict[str, str] = {}
        every = [n for n in dict.fromkeys((*names, *merged, *merged.values())) if n.strip()]
        for name in every:
            player = _key(merged.get(name, name))
            players.setdefault(player, ALIAS.format(len(players) + 1))
            self._alias[_key(name)] = players[player]
        parts: dict[str, set[str]] = {}
        found = {w for name in every for w in (name, _plain(name))}
        for name in every:
            words = _PART.findall(name)
            for part in words if len(words) > 1 else ():
                if len(part) >= _SHORTEST_PART and part[0].isupper():
                    for word in (part, _plain(part)):
                        found.add(word)
                        parts.setdefault(_key(word), set()).add(self._alias[_key(name)])
        self._words = {k: a.pop() if len(a) == 1 else SHARED for k, a in parts.items()}
        self._words |= {_key(_plain(n)): self._alias[_key(n)] for n in every}
        self._words |= self._alias
        patterns = [
            _pattern(w) for w in sorted(found, key=len, reverse=True) if len(w) >= _SHORTEST
        ]
        self._pattern = (
            re.compile(rf"(?<![^\W\d_])(?:{'|'.join(patterns)})(?![^\W\d_])", re.IGNORECASE)
            if patterns
            else None
        )

    def name(self, name: str) -> str:
        """What a player is called."""
        return self._alias.get(_key(name)) or self.text(name)

    def text(self, text: str) -> str:
        """A text with every name in it replaced."""
        if self._pattern is None:
            return text
        text = unicodedata.normalize("NFC", text)
        return self._pattern.sub(lambda m: self._words.get(_key(m[0]), SHARED), text)

    def record(self, record: HandRecord) -> HandRecord:
        """A record with every name in it replaced: players, ids, all other data, comments."""
        meta = tuple(
            (key, self.name(value)) if key in _SEATS else (self._tag(key), self.text(value))
            for key, value in record.meta
        )
        notes = tuple(replace(n, text=self.text(n.text)) for n in record.notes)
        return replace(record, meta=meta, notes=notes)

    def _tag(self, key: str) -> str:
        return self.text(key) if key.startswith("tag.") else key


def _key(name: str) -> str:
    """What two ways to write one name have in common."""
    folded = unicodedata.normalize("NFC", name).casefold()
    return re.sub(r"\s|[-_.+]|%20", "", folded) or folded


def _plain(text: str) -> str:
    """Without accents."""
    split = unicodedata.normalize("NFKD", text)
    return "".join(c for c in split if not unicodedata.combining(c))


def _pattern(name: str) -> str:
    words = [w for w in re.split(r"\s|[-_.+]|%20", unicodedata.normalize("NFC", name)) if w]
    return _JOINT.join(map(re.escape, words)) or re.escape(name)
