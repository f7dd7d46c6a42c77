"""Files, folders and archives in; the hands of all of them out. Formats are told by content.

:func:`read_path` and :func:`read_sources` are the only two functions that an application needs.
Third parties add a parser by an entry point of the group ``pandoeren_replay.parsers``.
"""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from engine.rulefile import load_ruleset
from parsers.archive import is_litter, shown, unpack
from parsers.base import Options, Parser, ParseResult, Reject, Source, Warn
from parsers.decode import MAX_BYTES, DecodeError, decode
from parsers.private import scrub_text, scrub_token
from parsers.rows import head_of, public_text

ENTRY_POINTS = "pandoeren_replay.parsers"
MAX_FILES = 100_000
_HEAD = 1 << 20

# In the order in which they are asked; the more particular come first.
_BUILT_IN = (
    ("parsers.phl", "PhlParser"),
    ("parsers.phn", "PhnParser"),
    ("parsers.boardgame_io", "BoardgameIoParser"),
    ("parsers.bga", "BgaParser"),
    ("parsers.klaverlive", "KlaverliveParser"),
    ("parsers.iss", "IssParser"),
    ("parsers.refuse", "OtherGames"),
    ("parsers.exported", "ExportedParser"),
    ("parsers.events", "EventsParser"),
    ("parsers.table", "TableParser"),
    ("parsers.scoresheet", "ScoresheetParser"),
    ("parsers.typed", "TypedParser"),
)
_OWN_FORMATS = ("phl", "phn")  # the user's own notation: its raw text is kept to the letter
_WHOLE_FOLDER = ("boardgame-io",)  # formats that spread one match over several files
_NO_LOGS = ("readme", "license", "licence", "changelog", "copying")


class FormatError(ValueError):
    """A format that does not exist (``--format``)."""


@lru_cache(maxsize=1)
def parsers() -> dict[str, Parser]:
    """Every parser by its name, those of other packages included (they are asked first).

    >>> "phl" in parsers(), "events" in parsers()
    (True, True)
    """
    found: dict[str, Parser] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        parser: Parser = entry.load()()
        found[parser.name] = parser
    for module, name in _BUILT_IN:
        own: Parser = getattr(import_module(module), name)()
        found.setdefault(own.name, own)
    return found


def read_path(
    path: str | Path, options: Options | None = None, format: str = "auto"
) -> ParseResult:
    """All hands of a file, an archive, or a folder with everything below it.

    A path that is missing, empty, binary or holds no log gives one reject that says so. Raises
    :class:`FormatError` for an unknown ``format`` and :class:`engine.rulefile.RuleSetError` for
    ``options.rules`` that cannot be loaded.
    """
    result = ParseResult()
    sources = list(_files(Path(path), result))
    got = read_sources(sources, options, format, folder=os.path.isdir(path))
    result.extend(got)
    result.format = got.format
    if not (result.hands or result.rejects or result.empty):
        why = "a folder without logs" if os.path.isdir(path) else "nothing that could be read"
        result.rejects.append(Reject(str(path), 1, 1, "", why, "", "no-logs"))
    return result


def _files(path: Path, result: ParseResult) -> Iterable[Source]:
    if os.path.isdir(path):
        n = 0
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if not is_litter(f))
            for name in sorted(names):
                if is_litter(name):
                    continue
                n += 1
                if n > MAX_FILES:
                    why = f"more than {MAX_FILES} files in one folder: import it in parts"
                    result.rejects.append(Reject(str(path), 1, 1, "", why, "", "limit"))
                    return
                yield from _file(Path(folder) / name, result)
    else:
        yield from _file(path, result)


def _file(path: Path, result: ParseResult) -> Iterable[Source]:
    name = shown(str(path))
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            why, code = "not a regular file", "no-file"
        elif info.st_size > MAX_BYTES:
            why, code = f"{info.st_size} bytes, more than the limit of {MAX_BYTES}", "limit"
        else:
            yield Source(name, path.read_bytes())
            return
    except FileNotFoundError:
        why, code = "there is no such file or folder", "no-file"
    except OSError as e:
        why, code = f"cannot be read ({e.strerror})", "no-file"
    result.rejects.append(Reject(name, 1, 1, "", why, "", code))


def read_sources(
    sources: Sequence[Source],
    options: Options | None = None,
    format: str = "auto",
    folder: bool = False,
) -> ParseResult:
    """All hands of several sources, archives unpacked; see :func:`read_path`.

    ``folder`` says that the sources were found and not named: documents such as a README are then
    a warning and no reject.
    """
    options = options or Options()
    if options.rules is not None:
        load_ruleset(options.rules)
    chosen = _chosen(format, options)
    result = ParseResult()
    batches: list[tuple[Parser, list[Source]]] = []
    together: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        unpacked = unpack(source)
        result.rejects += unpacked.rejects
        result.warnings += unpacked.warnings
        for plain in unpacked.sources:
            found = folder or plain is not source
            parser = chosen if chosen is not None else _recognise(plain, options, result, found)
            if parser is None:
                continue
            if parser.name in _WHOLE_FOLDER:
                key = (parser.name, _folder_of(plain.name))
                if key in together:
                    together[key].append(plain)
                    continue
                together[key] = [plain]
                batches.append((parser, together[key]))
            else:
                batches.append((parser, [plain]))
    for parser, batch in batches:
        read = _private(parser, _parse(parser, batch, options))
        read.hands = [h if h.format else replace(h, format=parser.name) for h in read.hands]
        result.extend(read)
    names = {parser.name for parser, _ in batches}
    result.format = names.pop() if len(names) == 1 else ("mixed" if names else "")
    return result


def _folder_of(name: str) -> str:
    """Where a source stands: its folder, be it one inside an archive."""
    return re.split(r"[/!\\\\]", name[::-1], maxsplit=1)[-1][::-1]


def _chosen(format: str, options: Options) -> Parser | None:
    mapped = getattr(options.mapping, "format", None)
    name = mapped if format == "auto" and mapped else format
    if name == "auto":
        return None
    found = parsers().get(name)
    if found is None:
        raise FormatError(f"there is no format {name!r} (known: auto, {', '.join(parsers())})")
    return found


def _recognise(source: Source, options: Options, result: ParseResult, found: bool) -> Parser | None:
    """The parser of a source; ``None``, with a reject or warning, if there is none."""
    why, code, token, raw = "", "unrecognised", "", ""
    if source.name.lower().endswith(".toml"):
        why = "a rule set or mapping file and no log (it goes with --rules or --map)"
        if found:
            result.warnings.append(Warn(source.name, 1, f"{why}: passed over"))
        else:
            result.rejects.append(Reject(source.name, 1, 1, "", why, "", code))
        return None
    if not source.data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        why, code = "an empty file", "empty"
    else:
        try:
            text = decode(Source(source.name, source.data[:_HEAD])).text
        except DecodeError as e:
            why, code = str(e), "not-text"
        else:
            for parser in parsers().values():
                if _fits(parser, text, source.name, options):
                    return parser
            raw = public_text(text)
            token = next((t.strip() for t in raw.splitlines() if t.strip()), "")[:60]
            why = f"a log in one of the formats {', '.join(parsers())}"
            head = None if token.startswith(("{", "[", "<", "(")) else head_of(raw)
            if head is not None and len(head[0]) > 2:
                columns = ", ".join(c for c in head[0] if c)[:80]
                why += (
                    "; if this is a table of hands, a --map file says under [columns] which of its "
                    f"columns ({columns}) is which (docs/parsers.md)"
                )
    base = source.name.replace("!", "/").rpartition("/")[2].lower()
    if found and (base.startswith(_NO_LOGS) or base.endswith((".md", ".rst"))):
        result.warnings.append(Warn(source.name, 1, "a document and no log: passed over"))
        return None
    result.rejects.append(Reject(source.name, 1, 1, token, why, raw, code))
    return None


def _fits(parser: Parser, text: str, name: str, options: Options) -> bool:
    """Whether a parser takes a text; one that knows ``recognise_with`` is told the options."""
    asked = getattr(parser, "recognise_with", None)
    if asked is not None and options.mapping is not None:
        return bool(asked(text, name, options))
    return parser.recognise(text, name)


def _parse(parser: Parser, batch: list[Source], options: Options) -> ParseResult:
    if type(parser).__module__.partition(".")[0] == "parsers":
        return parser.parse(batch, options)
    try:
        return parser.parse(batch, options)
    except Exception as e:  # a parser of somebody else's must not stop the import of other files
        result = ParseResult(format=parser.name)
        for source in batch:
            why = f"the parser {parser.name!r} failed: {type(e).__name__}: {e}"
            raw = source.data[:4000].decode("utf-8", "replace")
            result.rejects.append(Reject(source.name, 1, 1, "", why, scrub_text(raw), "failed"))
        return result


def _private(parser: Parser, result: ParseResult) -> ParseResult:
    """Raw texts of other people's formats lose credentials and addresses here, once for all."""
    if parser.name in _OWN_FORMATS:
        return result
    result.hands = [
        replace(h, raw=scrub_text(h.raw), warnings=tuple(map(scrub_text, h.warnings)))
        for h in result.hands
    ]
    result.rejects = [_private_reject(r) for r in result.rejects]
    result.warnings = [replace(w, message=scrub_text(w.message)) for w in result.warnings]
    return result


def _private_reject(reject: Reject) -> Reject:
    clean = scrub_text(reject.raw)
    token = scrub_token(reject.token, reject.raw, clean)
    return replace(reject, raw=clean, token=token, expected=scrub_text(reject.expected))
