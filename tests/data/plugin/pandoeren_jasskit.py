"""A plug-in for pandoeren-replay: the rounds that jass-kit writes, one JSON object a line.

They are another game (36 cards, two fixed teams, no auction), so that no hand comes out of them:
the plug-in recognises a file by its content and refuses it with the reason, at the line and the
field that show it. A parser of a log of Pandoeren differs in one thing only: it fills
``result.hands`` through :class:`parsers.build.HandBuilder`.
"""

import json
from collections.abc import Sequence

from parsers.base import Options, ParseResult, Reject, Source
from parsers.decode import DecodeError, JsonError, decode, parse_json


class JassKit:
    """jass-kit's rounds: recognised, and refused with the reason."""

    name = "jass-kit"

    def recognise(self, text: str, name: str) -> bool:
        """A first line that is an object with ``jassTyp``, or with tricks as jass-kit has them.

        >>> JassKit().recognise('{"jassTyp": "SCHIEBER_2500", "tricks": []}', "x")
        True
        >>> JassKit().recognise("heerlen N . . . . . . .", "x")
        False
        """
        try:
            first = json.loads(text.lstrip("\ufeff").split("\n", 1)[0])
        except (ValueError, RecursionError):
            return False
        if not isinstance(first, dict):
            return False
        tricks = first.get("tricks")
        trick = tricks[0] if isinstance(tricks, list) and tricks else None
        return "jassTyp" in first or (isinstance(trick, dict) and {"win", "first"} <= trick.keys())

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """One reject a round, so that the totals of an import add up."""
        result = ParseResult(format=self.name)
        for source in sources:
            try:
                decoded = decode(source)
            except DecodeError as e:
                result.rejects.append(Reject(source.name, 1, 1, "", str(e), "", "not-text"))
                continue
            result.warnings += decoded.warnings
            for number, line in enumerate(decoded.text.splitlines(), 1):
                if line.strip():
                    result.rejects.append(self._round(source.name, number, line))
        return result

    def _round(self, source: str, number: int, line: str) -> Reject:
        try:
            value = parse_json(line, number)
        except JsonError as e:
            return Reject(source, e.line, e.column, line[:60], f"a round as JSON ({e})", line)
        found = value.get("jassTyp", "a round") if isinstance(value, dict) else "a round"
        column = line.find("jassTyp") + 1 or 1
        why = "a log of Pandoeren; this is Jass (36 cards, two fixed teams, no auction)"
        return Reject(source, number, column, str(found)[:60], why, line, "other-game")
