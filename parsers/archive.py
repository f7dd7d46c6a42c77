"""Archives, workbooks and Parquet tables become sources: zip, gzip, ``.xlsx``, with limits.

Nothing is ever written to disk, so a hostile member name can do no more than look odd; control
characters in it are shown as ``?``. Limits (also in docs/parsers.md): :data:`MAX_MEMBERS` files,
:data:`MAX_TOTAL` bytes unpacked in all, :data:`MAX_DEPTH` archives inside one another.
"""

import io
import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass, field

from parsers.base import Reject, Source, Warn

MAX_MEMBERS = 10_000
MAX_TOTAL = 1024 * 1024 * 1024
MAX_DEPTH = 3
_CHUNK = 1 << 20

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b"
# What the standard library raises for damaged archives, in one place or another.
_ZIP_FAULTS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, IndexError, KeyError,
    NotImplementedError, OSError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip
_OTHERS = (
    (b"\xfd7zXZ\x00", "an xz archive"), (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"), (b"Rar!", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"), (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls): save it as .xlsx or .csv"),
)  # fmt: skip


@dataclass(slots=True)
class Unpacked:
    """What came out: plain sources, and what could not be unpacked."""

    sources: list[Source] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)
    total: int = 0

    def refuse(self, name: str, why: str, code: str = "archive") -> None:
        """One source that cannot be unpacked."""
        self.rejects.append(Reject(name, 1, 1, "", why, "", code))


def unpack(source: Source) -> Unpacked:
    """The plain sources in a source, itself if it is no archive.

    >>> [s.name for s in unpack(Source("a.txt", b"text")).sources]
    ['a.txt']
    """
    out = Unpacked()
    _unpack(source, 0, out)
    return out


def shown(name: str) -> str:
    """A member's name fit to be shown: no control characters, at most 200 characters.

    >>> shown("../a\\n\\x1b[31mb")
    '../a??[31mb'
    """
    return "".join(c if c.isprintable() else "?" for c in name)[:200]


def _unpack(source: Source, depth: int, out: Unpacked) -> None:
    data = source.data
    if data.startswith(_ZIP):
        if depth >= MAX_DEPTH:
            out.refuse(source.name, f"more than {MAX_DEPTH} archives inside one another")
        else:
            _zip(source, depth, out)
    elif data.startswith(_GZIP):
        if depth >= MAX_DEPTH:
            out.refuse(source.name, f"more than {MAX_DEPTH} archives inside one another")
        else:
            _gzip(source, depth, out)
    elif data.startswith(b"PAR1"):
        _parquet(source, out)
    else:
        for magic, what in _OTHERS:
            if data.startswith(magic):
                out.refuse(
                    source.name, f"{what}, expected a log (text, .xlsx, .zip or .gz)", "not-text"
                )
                return
        if data[257:262] == b"ustar":
            out.refuse(
                source.name, "a tar archive, expected a log (text, .xlsx, .zip or .gz)", "not-text"
            )
            return
        out.sources.append(source)


def _gzip(source: Source, depth: int, out: Unpacked) -> None:
    """All members of a gzip file; one that was cut gives what can still be read."""
    parts: list[bytes] = []
    rest = source.data
    broken = ""
    while rest and not broken:
        stream = zlib.decompressobj(wbits=31)
        try:
            while rest and not stream.eof:
                piece = stream.decompress(rest, _CHUNK)
                rest = stream.unconsumed_tail
                out.total += len(piece)
                if out.total > MAX_TOTAL:
                    out.refuse(source.name, f"unpacks to more than {MAX_TOTAL} bytes")
                    return
                parts.append(piece)
        except zlib.error as e:
            broken = f"damaged ({e})"
            break
        if not stream.eof:
            broken = "cut"
        rest = stream.unused_data.lstrip(b"\0")
    data = b"".join(parts)
    if broken and not data:
        out.refuse(source.name, f"a gzip file that is {broken}: nothing of it can be read")
        return
    name = source.name.removesuffix(".gz")
    if broken:
        out.warnings.append(
            Warn(source.name, 1, f"the gzip file is {broken}: only its first part could be read")
        )
    _unpack(Source(name if name != source.name else f"{name}!content", data), depth + 1, out)


def _zip(source: Source, depth: int, out: Unpacked) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            infos = [i for i in archive.infolist() if not i.filename.endswith("/")]
            if any(i.filename == "xl/workbook.xml" for i in infos):
                _workbook(source, infos, out)
                return
            if len(infos) > MAX_MEMBERS:
                out.refuse(source.name, f"holds {len(infos)} files, the limit is {MAX_MEMBERS}")
                return
            before = len(out.sources) + len(out.rejects)
            for info in infos:
                _member(source, archive, info, depth, out)
            if len(out.sources) + len(out.rejects) == before:
                out.refuse(source.name, "a zip file without any file in it")
    except _ZIP_FAULTS as e:
        out.refuse(source.name, f"a zip file that cannot be read ({_why(e)})")


def _member(
    source: Source, archive: zipfile.ZipFile, info: zipfile.ZipInfo, depth: int, out: Unpacked
) -> None:
    name = f"{source.name}!{shown(info.filename)}"
    if is_litter(info.filename):
        return
    if info.flag_bits & 1:
        out.refuse(name, "encrypted: unpack it yourself and import the file")
        return
    parts: list[bytes] = []
    try:
        with archive.open(info) as stream:
            while piece := stream.read(_CHUNK):
                out.total += len(piece)
                if out.total > MAX_TOTAL:
                    out.refuse(name, f"the archive unpacks to more than {MAX_TOTAL} bytes")
                    return
                parts.append(piece)
    except _ZIP_FAULTS as e:
        out.refuse(name, f"damaged inside the zip file ({_why(e)})")
        return
    _unpack(Source(name, b"".join(parts)), depth + 1, out)


def is_litter(path: str) -> bool:
    """Whether a path is one that systems leave behind (``__MACOSX``, dot files), never a log.

    >>> is_litter("__MACOSX/._a.csv"), is_litter("evening/a.csv")
    (True, False)
    """
    parts = path.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1] in ("Thumbs.db",)


def _workbook(source: Source, infos: list[zipfile.ZipInfo], out: Unpacked) -> None:
    """Each sheet of an Excel workbook as a CSV source."""
    size = sum(i.file_size for i in infos)
    if len(infos) > MAX_MEMBERS or size > MAX_TOTAL // 4:
        out.refuse(source.name, f"a workbook of {size} bytes in {len(infos)} parts is too large")
        return
    from parsers.workbook import WorkbookError, sheets

    try:
        found = sheets(source.data)
    except WorkbookError as e:
        out.refuse(source.name, f"an Excel workbook that cannot be read ({e})")
        return
    for title, text in found:
        name = source.name if len(found) == 1 else f"{source.name}!{shown(title)}"
        data = text.encode("utf-8")
        out.total += len(data)
        out.sources.append(Source(name, data))
    if not found:
        out.refuse(source.name, "an Excel workbook without anything in it")


def _parquet(source: Source, out: Unpacked) -> None:
    """The hands of a Parquet table that this program exported."""
    from parsers.parquetfile import ParquetError, json_lines

    try:
        data = json_lines(source.data, MAX_TOTAL - out.total)
    except ParquetError as e:
        out.refuse(source.name, str(e))
        return
    out.total += len(data)
    if data:
        out.sources.append(Source(source.name, data))
    else:
        out.refuse(source.name, "a Parquet table with at least one row")


def _why(error: Exception) -> str:
    return shown(str(error)) or type(error).__name__
