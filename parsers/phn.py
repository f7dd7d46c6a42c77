"""The text form of the notation (``.phn``): tags, auction, movetext, comments.

See docs/notation.md.
"""

import re
from collections.abc import Sequence

from parsers.base import Options, ParseResult, Source
from parsers.phn_read import read_phn
from parsers.phn_write import write_phn, write_phn_file
from parsers.text import read_texts

_RULES_TAG = re.compile(r'^[ \t\ufeff]*\[Rules "', re.MULTILINE)
_ANY_TAG = re.compile(
    r'^[ \t\ufeff]*\[(?:Dealer|Deal|Middle|Trump|Called|Declarer) "', re.MULTILINE
)
_AUCTION = re.compile(r"^[ \t\ufeff]*Auction[ \t]+(?:[-?]|[NESW]:|[a-z]{3}|[0-9])", re.MULTILINE)


class PhnParser:
    """Files of the text form."""

    name = "phn"

    def recognise(self, text: str, name: str) -> bool:
        """Whether there is a Rules tag, or an auction line under tags of this notation."""
        head = text[:50000].replace("\r", "\n")
        if _RULES_TAG.search(head):
            return True
        if _ANY_TAG.search(head) and _AUCTION.search(head):
            return True
        return name.lower().endswith(".phn")

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """Read each source by itself."""
        return read_texts(sources, options, self.name, read_phn)


__all__ = ["PhnParser", "read_phn", "write_phn", "write_phn_file"]
