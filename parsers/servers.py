"""What the readers of servers' logs share: they name no rule set, and that is said once a file."""

from collections.abc import Sequence

from parsers.base import Options, ParseResult, Source, Warn
from parsers.rulechoice import DEFAULT_RULES
from parsers.text import TextReader, read_texts


def read_servers(
    sources: Sequence[Source], options: Options, name: str, reader: TextReader
) -> ParseResult:
    """What a reader makes of each source, with a warning where the default rules are taken."""
    return say_default(read_texts(sources, options, name, reader))


def say_default(result: ParseResult) -> ParseResult:
    """Warn, once a source, of hands that name no rule set."""
    told: set[str] = set()
    for hand in result.hands:
        if hand.record.rules is None and hand.source not in told:
            told.add(hand.source)
            result.warnings.append(Warn(hand.source, hand.line, DEFAULT_RULES))
    return result
