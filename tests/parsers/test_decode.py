"""Encodings, archives and their limits, private texts."""

import contextlib
import gzip
import io
import zipfile

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers import archive
from parsers.archive import unpack
from parsers.base import Source
from parsers.decode import MAX_DEPTH, DecodeError, JsonError, decode, parse_json
from parsers.detect import read_sources
from parsers.private import is_private_key, scrub, scrub_text

TEXT = "Thérèse: ♥10, café\nJan-Willem\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"]
)
def test_unicode_encodings(encoding):
    found = decode(Source("x", TEXT.encode(encoding)))
    assert (found.text, found.warnings) == (TEXT, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_a_mark(encoding):
    assert decode(Source("x", ("\ufeff" + TEXT).encode(encoding))).text == TEXT


def test_windows_1252_with_a_warning():
    found = decode(Source("x", "een\ntwee €é\n".encode("cp1252")))
    assert found.text == "een\ntwee €é\n"
    assert (found.warnings[0].line, "Windows-1252" in found.warnings[0].message) == (2, True)
    # Five bytes mean nothing there: shown, not dropped.
    assert decode(Source("x", b"\xe9\x81\n")).text == "é\ufffd\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_cut_inside_a_character(encoding):
    data = ("é" * 40 + "\n" + "♥").encode(encoding)
    found = decode(Source("x", data[:-1]))
    assert found.text == "é" * 40 + "\n"
    assert "cut" in found.warnings[0].message
    assert found.warnings[0].line == 2


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02\x03", bytes(range(1, 256)) * 4, b"\xff\xfe\x00\xd8" + b"a\0" * 40]
)
def test_what_is_no_text(data):
    with pytest.raises(DecodeError, match=r"binary|not valid"):
        decode(Source("x", data))


def test_size_limit(monkeypatch):
    monkeypatch.setattr("parsers.decode.MAX_BYTES", 10)
    with pytest.raises(DecodeError, match="more than the limit of 10"):
        decode(Source("x", b"x" * 11))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_an_error(data):
    with contextlib.suppress(DecodeError):
        assert isinstance(decode(Source("x", data)).text, str)


@pytest.mark.parametrize(
    ("text", "line", "column", "match"),
    [
        ('{"a": 1,\n "b" 2}', 2, 6, "delimiter"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), 1, 1, "levels of nesting"),
        ('{"a": NaN}', 1, 1, "not a JSON number"),
        ("1" * 10000, 1, 1, "."),
        ("", 1, 1, "Expecting"),
    ],
)
def test_json_faults_name_their_place(text, line, column, match):
    with pytest.raises(JsonError, match=match) as e:
        parse_json(text)
    assert (e.value.line, e.value.column) == (line, column)


def test_json_at_the_limit_and_brackets_in_strings():
    parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert parse_json('["' + "[" * 1000 + '"]') == ["[" * 1000]


# Archives.


def zipped(files: dict[str, bytes], **kwargs) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **kwargs) as z:
        for name, data in files.items():
            z.writestr(name, data)
    return out.getvalue()


def test_zip_and_gzip():
    inner = zipped({"b/c.csv": b"c", "__MACOSX/._b": b"x", ".DS_Store": b"x", "leeg/": b""})
    data = zipped({"a.txt": b"a", "in.zip": inner, "d.txt.gz": gzip.compress(b"d")})
    out = unpack(Source("x.zip", data))
    assert [(s.name, s.data) for s in out.sources] == [
        ("x.zip!a.txt", b"a"),
        ("x.zip!in.zip!b/c.csv", b"c"),
        ("x.zip!d.txt", b"d"),
    ]
    assert out.rejects == []


def test_gzip_of_several_members():
    out = unpack(Source("x.gz", gzip.compress(b"a") + gzip.compress(b"b")))
    assert [(s.name, s.data) for s in out.sources] == [("x", b"ab")]


def test_a_cut_gzip_keeps_its_first_part():
    data = gzip.compress(b"".join(b"regel %d\n" % i for i in range(5000)))
    out = unpack(Source("x.gz", data[: len(data) // 2]))
    assert out.sources[0].data.startswith(b"regel 0\nregel 1\n")
    assert "cut" in out.warnings[0].message
    assert "nothing of it can be read" in unpack(Source("x.gz", data[:12])).rejects[0].expected
    broken = bytearray(data)
    broken[40] ^= 0xFF
    assert (
        unpack(Source("x.gz", bytes(broken))).rejects
        + unpack(Source("x.gz", bytes(broken))).warnings
    )


def test_hostile_names_are_only_shown():
    out = unpack(Source("x.zip", zipped({"../../etc/pass\x1bwd": b"a", "C:\\x": b"b"})))
    assert [s.name for s in out.sources] == ["x.zip!../../etc/pass?wd", "x.zip!C:\\x"]


def test_a_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(archive, "MAX_TOTAL", 1 << 20)
    data = zipped({"a": b"0" * (1 << 21), "b": b"1"})
    out = unpack(Source("x.zip", data))
    assert out.sources == []
    assert all("unpacks to more than" in r.expected for r in out.rejects)
    out = unpack(Source("x.gz", gzip.compress(b"0" * (1 << 21))))
    assert "more than 1048576" in out.rejects[0].expected


def test_too_many_members_and_too_deep(monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    out = unpack(Source("x.zip", zipped({str(i): b"a" for i in range(4)})))
    assert "holds 4 files, the limit is 3" in out.rejects[0].expected
    data = b"a"
    for i in range(archive.MAX_DEPTH + 1):
        data = zipped({f"{i}.zip": data})
    assert "inside one another" in unpack(Source("x.zip", data)).rejects[0].expected
    data = b"a"
    for _ in range(archive.MAX_DEPTH + 1):
        data = gzip.compress(data)
    assert "inside one another" in unpack(Source("x.gz", data)).rejects[0].expected


def test_damaged_archives():
    data = bytearray(zipped({"a.txt": b"hallo" * 1000, "b.txt": b"goed"}))
    at = data.index(b"a.txt") + 12
    data[at] ^= 0xFF
    out = unpack(Source("x.zip", bytes(data)))
    assert [s.name for s in out.sources] == ["x.zip!b.txt"]
    assert "damaged" in out.rejects[0].expected
    assert "cannot be read" in unpack(Source("x.zip", bytes(data[:50]))).rejects[0].expected


def test_an_encrypted_member():
    data = bytearray(zipped({"a.txt": b"geheim"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    assert "encrypted" in unpack(Source("x.zip", bytes(data))).rejects[0].expected


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%PDF-1.7", "PDF"),
        (b"\x89PNG\r\n", "PNG"),
        (b"Rar!\x1a", "RAR"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
        (b"\xd0\xcf\x11\xe0", "save it as .xlsx"),
        (b"\0" * 257 + b"ustar" + b"\0" * 250, "tar archive"),
    ],
)
def test_other_binary_files_are_named(data, what):
    (reject,) = unpack(Source("x", data)).rejects
    assert what in reject.expected
    assert reject.code == "not-text"


def test_broken_workbooks():
    data = zipped({"xl/workbook.xml": b"<workbook/>", "[Content_Types].xml": b"<Types/>"})
    assert "cannot be read" in unpack(Source("x.xlsx", data)).rejects[0].expected


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_mutated_archives(data):
    base = data.draw(st.sampled_from([zipped({"a": b"tekst" * 50}), gzip.compress(b"tekst" * 50)]))
    broken = bytearray(base)
    for _ in range(data.draw(st.integers(1, 5))):
        broken[data.draw(st.integers(2, len(broken) - 1))] = data.draw(st.integers(0, 255))
    out = unpack(Source("x", bytes(broken)))
    assert out.sources or out.rejects


# Private fields.


def test_private_fields_are_scrubbed():
    value = {
        "players": [{"name": "Anna", "credentials": "x", "E-Mail": "a@b.nl", "access_token": 1}]
    }
    assert scrub(value) == {"players": [{"name": "Anna"}]}
    text = '{"name":"Anna","credentials":"a\\"b", "auth_token" : 12,"mail":"x"} <jan@club.nl>'
    clean = scrub_text(text)
    assert clean.startswith('{"name":"Anna","credentials":"[removed]"')
    for secret in ('a\\"b', "12", "jan@club.nl"):
        assert secret not in clean
    assert [is_private_key(k) for k in ("password", "secret", "speler", "ip_address")] == [
        True,
        False,
        False,
        True,
    ]


def test_zero_bytes_are_no_text_with_a_mark_either():
    for data in (
        b"a\0b",
        b"\xef\xbb\xbfa\0b",
        "a\0b".encode("utf-16"),
        "a\0b".encode("utf-16") + b"x",
    ):
        with pytest.raises(DecodeError, match="binary"):
            decode(Source("x", data))


def parquet(columns: dict[str, list[object]]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def test_a_parquet_table_that_was_exported():
    hand = "heerlen N . -,130,-,-,- H:SA:D7 SAS7S9SK . . ."
    result = read_sources([Source("x.parquet", parquet({"id": ["a", "b"], "phl": [hand, "x"]}))])
    assert [len(h.record.plays) for h in result.hands] == [4]
    assert [(r.source, r.line) for r in result.rejects] == [("x.parquet", 2)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (parquet({"id": ["a"]}), "a column phl"),
        (parquet({"phl": [1, 2]}), "a column phl of texts"),
        (parquet({"phl": []}), "a column phl of texts"),
        (parquet({"phl": ["x"]})[:-9], "can be read"),
        (b"PAR1" + bytes(40), "can be read"),
        (b"PAR1", "can be read"),
    ],
)
def test_other_parquet_files_are_rejects(data, words):
    (reject,) = read_sources([Source("x.parquet", data)]).rejects
    assert words in reject.expected


def test_a_parquet_file_that_unpacks_to_too_much(monkeypatch):
    data = parquet({"phl": ["x" * 100] * 50_000})
    assert len(data) < 20_000
    monkeypatch.setattr(archive, "MAX_TOTAL", 1_000_000)
    (reject,) = read_sources([Source("x.parquet", data)]).rejects
    assert "unpacks to more than 1000000 bytes" in reject.expected


def test_damage_inside_a_parquet_file_is_a_reject_or_other_hands():
    whole = parquet({"phl": ["heerlen N . -,130,-,-,- H:SA:D7 SAS7S9SK . . ."] * 20})
    for at in range(4, len(whole) - 4, 7):
        hurt = bytearray(whole)
        hurt[at] ^= 0x55
        result = read_sources([Source("x.parquet", bytes(hurt))])
        assert len(result.hands) + len(result.rejects) + result.empty <= 20
        assert result.hands or result.rejects
