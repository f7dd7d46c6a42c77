"""Logs of other games: recognised by content and refused by name, in one sentence."""

import re
from collections.abc import Sequence

from parsers.base import Options, ParseResult, Reject, Source
from parsers.private import scrub_text
from parsers.text import read_texts

# Each: what it is, and patterns that must all be found in the first part of the text.
_GAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Skat (a three-handed game)", (r"\bGM\[Skat\]",)),
    ("Klaverjas (a game of 32 cards with fixed partners)", (r"\bGM\[Klaverjas[a-z]*\]",)),
    (
        "Klaverjas (a game of 32 cards with fixed partners)",
        (r'"(?:game|gameName|spel|game_name)"\s*:\s*"klaverjas(?:sen)?[^"]*"',),
    ),
    (
        "Klaverjas (a game of 32 cards with fixed partners)",
        (
            r"(?i)\A\W{0,20}(?:\w+\W+)?klaverjas(?:sen|avond|competitie)?\b",
            r"(?i)\b(?:troef|pit|nat|slag|roem)\b",
        ),
    ),
    (
        "bridge (PBN)",
        (r'(?m)^%\s*PBN\b|^\[Board\s+"', r'(?m)^\[(?:Deal|Contract|Auction|Event)\s+"'),
    ),
    ("bridge (PBN)", (r'(?m)^\[Deal\s+"[NESW]:\s*(?:[AKQJTX2-9]*\.){3}',)),
    ("bridge (LIN)", (r"(?:^|\|)(?:md|qx|pn|vg|rs)\|[^|]*\|", r"\|(?:md|mb|sv|pc|pg|an)\|")),
    ("Jass, as jass-kit writes it (36 cards, two teams)", (r'"jassTyp"\s*:\s*"',)),
    (
        "Jass, as jass-kit writes it (36 cards, two teams)",
        (r'"tricks"\s*:\s*\[\s*\{\s*"cards"', r'"win"\s*:\s*\d', r'"first"\s*:\s*\d'),
    ),
    (
        "poker (PHH)",
        (r'(?m)^variant\s*=\s*["\'][A-Z0-9/_]{1,10}["\']', r"(?m)^actions\s*=\s*\["),
    ),
    (
        "Flemish Pandoer (48 cards from a double pack, two teams)",
        (
            r"(?i)(?:vlaams|flemish)[ _-]?pandoer|\bpandoer[ _-]?(?:vlaams|flemish|48)\b|"
            r'"(?:game|gameName|variant|spel)"\s*:\s*"pandoer48"',
        ),
    ),
)
_PATTERNS = tuple((what, tuple(re.compile(p) for p in needs)) for what, needs in _GAMES)
_HEAD = 100_000
_OURS = re.compile(r'GM\[Pandoeren\]|^\s*\[Rules "|"format"\s*:\s*"pandoeren-log"', re.MULTILINE)


def other_game(text: str) -> str | None:
    """The other game that a text is a log of, or ``None``.

    >>> other_game("(;GM[Skat]PC[ISS])"), other_game("heerlen N . . . . . . .")
    ('Skat (a three-handed game)', None)
    """
    head = text[:_HEAD]
    if _OURS.search(head):
        return None
    for what, needs in _PATTERNS:
        if all(p.search(head) for p in needs):
            return what
    return None


class OtherGames:
    """Recognises logs of other games and refuses them."""

    name = "other-game"

    def recognise(self, text: str, name: str) -> bool:
        """Whether this is a log of another game that we know."""
        return other_game(text) is not None

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """One reject a source, with the name of the game."""
        return read_texts(sources, options, self.name, _refuse)


def _refuse(text: str, source: str, options: Options) -> ParseResult:
    what = other_game(text) or "another game"
    first = next((t.strip() for t in text.splitlines() if t.strip()), "")
    sentence = f"a log of Pandoeren; this is {what}, which is another game"
    result = ParseResult()
    result.rejects.append(
        Reject(
            source, 1, 1, scrub_text(first[:60]), sentence, scrub_text(text[:4000]), "other-game"
        )
    )
    return result
