"""What must hold for whatever a parser makes of a file, however damaged."""

import io
import os
import re
import signal
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.cards import N_CARDS
from engine.rulefile import RuleSetError
from parsers.base import Options, Parser, ParseResult, Reject, Source
from parsers.canonical import normalised
from parsers.detect import FormatError, parsers, read_path, read_sources
from parsers.iss import write_sgf
from parsers.mapping import MappingError, load_mapping, parse_mapping
from parsers.phl import read_phl
from parsers.phn import write_phn
from tests.fuzz.mutators import SECRET
from tests.mutate import check_sane
from tests.parsers.told import RULES

MAX_SECONDS = 3.0
"""Processor time that one input of at most 100 kB may take."""

_CONTEXT = ("events", "table", "scoresheet", "typed")
"""Formats in which letters of cards, dates or seats are settled by the whole file."""
_SHOWS_CARDS = re.compile(
    r"(?i)(?=[SHDCRK♠♥♦♣][️]?\s*(?:1[0-4]|[AKQJTHVB1-9])|(?:1[0-4]|[AKQJTHVB1-9])[SHDCRK♠♥♦♣]|"
    r"aas|heer|vrouw|boer|tien|negen|acht|zeven|zes|ace|king|queen|jack|ten|nine|eight|seven|six|"
    r"[🂡-🃞])"
)


class Fault(AssertionError):
    """Something that must never happen, with the input that made it happen."""


class TooSlow(Exception):
    """An input that took longer than it may."""


@dataclass(slots=True)
class Seen:
    """What one input gave."""

    hands: int
    rejects: int
    seconds: float


@contextmanager
def _alarm() -> Any:
    def stop(*_: object) -> None:
        raise TooSlow(f"more than {MAX_SECONDS} s")

    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


def reader(name: str) -> Callable[[bytes, Options], ParseResult]:
    """What reads the inputs of a campaign: one parser, or the detection of formats."""
    if name == "auto":
        return _whatever()
    if name == "phl-bytes":
        _both_readers(b"heerlen S . . . . . . .\n", Options())  # it is compiled when first used
        return _both_readers
    if name == "mapping":
        return _mapped()
    parser: Parser = parsers()[name]

    def read(data: bytes, options: Options) -> ParseResult:
        text = data[:20_000].decode("utf-8", "replace")
        assert parser.recognise(text, "x") in (True, False)
        return parser.parse([Source("x", data)], options)

    return read


class _Fails:
    """A parser of somebody else's that is broken: that may stop no import."""

    name = "fails"

    def recognise(self, text: str, name: str) -> bool:
        return False

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        raise ZeroDivisionError(sources[0].data[:20])


def _whatever() -> Callable[[bytes, Options], ParseResult]:
    """What an application does: bytes, a file, a folder, a format or a ``--map`` file named.

    Which of them follows from the input, so that a find can be read again.
    """
    folder = Path(tempfile.mkdtemp(prefix="read-"))
    file = folder / "evening" / "x.txt"
    file.parent.mkdir()
    (file.parent / "README").write_text("an evening", "utf-8")
    (file.parent / ".DS_Store").write_bytes(b"\0")
    (folder / "gone").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe")
    formats = list(parsers())
    mapped = parse_mapping('rules = "heerlen"\n[columns]\ndeclarer = "Baas"\n')

    def read(data: bytes, options: Options) -> ParseResult:
        draw = zlib.crc32(data)
        match draw % 10:
            case 0:
                file.write_bytes(data)
                return read_path(file, options)
            case 1:
                file.write_bytes(data)
                return read_path(folder, options)
            case 2:
                return read_sources(
                    [Source("x", data)], options, formats[draw // 10 % len(formats)]
                )
            case 3:
                return read_sources([Source("x", data)], Options(rules="fiches", mapping=mapped))
            case 4:
                name = ("x.toml", "README.md", "x.csv")[draw // 10 % 3]
                return read_sources([Source(name, data)], options, folder=draw // 30 % 2 == 1)
            case 5:
                parsers()[_Fails.name] = _Fails()
                try:
                    return read_sources([Source("x", data)], options, _Fails.name)
                finally:
                    del parsers()[_Fails.name]
        return read_sources([Source("x", data)], options)

    return read


_TOLD = (
    Source("blad.csv", b"Wie;Maat;Wat;Hoe\nAnna;Cor;de grote;binnen\nBas;-;130;ja\n"),
    Source("spel.csv", b"gebeurt,plaats,kaart,troef\nkiest,1,,2\nlegt,1,H11\nlegt,2,H9\n"),
    Source("spel.txt", b"Zuid: 150, troef harten, mee SA; 1. HB H9 H7 H8\n"),
    Source("e.jsonl", b'{"e":"declare","seat":0,"trump":"H","call":"SA"}\n'
                      b'{"e":"legt","seat":0,"card":"HJ"}\n'),
)  # fmt: skip
"""Files that are read by a damaged ``--map`` file."""


def _mapped() -> Callable[[bytes, Options], ParseResult]:
    """A ``--map`` file is refused with a sentence, or files can be read by it."""
    file = Path(tempfile.mkdtemp(prefix="map-")) / "club.toml"

    def read(data: bytes, options: Options) -> ParseResult:
        try:
            if zlib.crc32(data) % 4:
                mapping = parse_mapping(data.decode("utf-8", "replace"))
            else:
                file.write_bytes(data)
                mapping = load_mapping(file)
            return read_sources(_TOLD, Options(mapping=mapping))
        except (MappingError, FormatError, RuleSetError) as e:  # FormatError: the one it names
            return ParseResult(rejects=[Reject("map", 1, 1, "", str(e), "")])

    return read


def _both_readers(data: bytes, options: Options) -> ParseResult:
    """The reader on bytes must say of every line what the general reader says."""
    from parsers.phl_bytes import NotUtf8
    from tests.parsers.test_phl_bytes import assert_same

    rows = (2, 1000)[zlib.crc32(data) % 2]  # in pieces, or all at once
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        with suppress(NotUtf8):
            assert_same(data, options, rows)
    else:
        assert_same(data, options, rows)
        _in_rooms(data, options)
    return parsers()["phl"].parse([Source("x", data)], options)


def _in_rooms(data: bytes, options: Options) -> None:
    """Memory that is used again, and lines that are given as bytes, change nothing."""
    from parsers.phl_bytes import SKIP, PhlBytesReader

    wanted = [h.record for h in read_phl(data.decode("utf-8-sig"), "x", options).hands]
    ways = [PhlBytesReader("x", options, rooms=2).chunks(io.BytesIO(data), 3)]
    if data.isascii() and b"\r" not in data:  # it is given lines that end in LF alone
        ways.append(iter([PhlBytesReader("x", options).parse(data)]))
    for chunks in ways:
        found = []
        for chunk in chunks:
            known = chunk.columns.hands["rules"]
            found += [chunk.record(i) for i in range(len(chunk)) if known[i] != SKIP]
        assert found == wanted


def check(
    name: str,
    read: Callable[[bytes, Options], ParseResult],
    data: bytes,
    options: Options,
    secret: bool = False,
) -> Seen:
    """Read one input; raises :class:`Fault` for anything that must not be."""
    start = time.process_time()
    try:
        with _alarm():
            result = read(data, options)
        seconds = time.process_time() - start
        check_sane(result)
        if not secret and name not in ("auto", "mapping"):
            _rereads(name, read, result, options)
        if name in ("phn", "iss"):
            _rewrites(name, result)
    except (Exception, TooSlow) as e:
        raise Fault(f"{name}: {type(e).__name__}: {e}\n{data!r}") from e
    if sum(len(h.record.plays) for h in result.hands) > _cards(name, data):
        raise Fault(f"{name}: more cards than the file holds\n{data!r}")
    if name == "scoresheet" and len(result.hands) > data.count(b"\n") + data.count(b"\r") + 1:
        raise Fault(f"{name}: more hands than the file has lines\n{data!r}")
    if secret:
        _kept_private(name, result, data)
    return Seen(len(result.hands), len(result.rejects), seconds)


def _cards(name: str, data: bytes) -> int:
    """How many cards a file shows at most, by an eye that knows no format."""
    if name == "mapping":
        return _cards("", b"".join(s.data for s in _TOLD))
    if data[:2] in (b"PK", b"\x1f\x8b") or data[:4] == b"PAR1":
        return 10**9
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff") or 4 * data.count(0) > len(data)
    big = wide and (data[:2] == b"\xfe\xff" or data[0::2].count(0) > data[1::2].count(0))
    encoding = ("utf-16-be" if big else "utf-16-le") if wide else "utf-8"
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        encoding = "utf-32-be" if data[0] == 0 else "utf-32-le"
    text = data.decode(encoding, "replace")
    # Found wherever one begins, since cards may stand without anything between them.
    shown = len(_SHOWS_CARDS.findall(text))
    return shown + text.count('"type_arg"') + text.count('"rank"')


def _rereads(
    name: str,
    read: Callable[[bytes, Options], ParseResult],
    result: ParseResult,
    options: Options,
) -> None:
    """The text that is kept of a hand gives that hand, and never another one."""
    for hand in result.hands[:4]:
        text = hand.raw.encode("utf-8", "surrogatepass")
        again = read(text, options)
        if name == "klaverlive" and [r.code for r in again.rejects] == ["other-game"]:
            # Another hand of the file had the six of hearts: without it only --rules can say that
            # this is no Klaverjas, as `reparse` does.
            again = read(text, replace(options, rules=RULES))
            bare = [replace(h.record, rules=None, rules_hash=None) for h in again.hands]
            assert bare == [replace(hand.record, rules=None, rules_hash=None)], again.rejects
            continue
        if name in _CONTEXT and (
            len(result.hands) > 1 or result.rejects or result.warnings or result.empty
        ):
            # Whatever the whole file settles may be open in a part of it, but no hand comes out
            # that names more cards.
            assert len(again.hands) <= 1, f"{len(again.hands)} hands from the text of one"
            continue
        assert [h.record for h in again.hands] == [hand.record], (
            f"read again: {[h.record for h in again.hands]} {[str(r) for r in again.rejects]}\n"
            f"first: {hand.record}"
        )


def _rewrites(name: str, result: ParseResult) -> None:
    """What is written in the form of a parser says the same when it is read again."""
    for hand in result.hands[:1]:
        record = normalised(hand.record)
        text = write_phn(record) if name == "phn" else write_sgf(record)
        again = parsers()[name].parse([Source("x", text.encode())], Options()).records
        # The order of META says nothing; in SGF it is that of its own fields.
        told = [replace(r, meta=tuple(sorted(r.meta))) for r in (record, *again)]
        assert told[1:] == told[:1], f"written and read again: {again}\nfirst: {record}"


def _kept_private(name: str, result: ParseResult, data: bytes) -> None:
    from parsers.detect import _private
    from parsers.phl import write_phl

    clean = _private(parsers()[name], result)
    for text in (
        *(h.raw for h in clean.hands),
        *(write_phl(h.record) for h in clean.hands),
        *(r.raw + r.token for r in clean.rejects),
        *(w for h in clean.hands for w in h.warnings),
        *(w.message for w in clean.warnings),
    ):
        if SECRET[:4] in text:
            raise Fault(f"{name}: a private value is kept: {text[:300]!r}\n{data!r}")


__all__ = ["MAX_SECONDS", "N_CARDS", "Fault", "Seen", "check", "reader"]
