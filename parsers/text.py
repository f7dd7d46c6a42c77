"""Sources of a text format: decoded, then read one by one."""

from collections.abc import Callable, Sequence

from parsers.base import Options, ParseResult, Reject, Source
from parsers.decode import DecodeError, decode

TextReader = Callable[[str, str, Options], ParseResult]
"""Reads a text, given the name of its source and the options."""


def read_texts(
    sources: Sequence[Source], options: Options, name: str, reader: TextReader
) -> ParseResult:
    """What a reader makes of each source; bytes that are no text are a reject."""
    result = ParseResult(format=name)
    for source in sources:
        try:
            decoded = decode(source)
        except DecodeError as e:
            result.rejects.append(Reject(source.name, 1, 1, "", str(e), "", "not-text"))
            continue
        result.warnings += decoded.warnings
        result.extend(reader(decoded.text, source.name, options))
    return result
