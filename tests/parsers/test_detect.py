"""Detection by content, folders and archives, what is refused, parsers of others."""

import gzip
import io
import json
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rulefile import RuleSetError
from parsers import detect
from parsers.base import Located, Options, ParseResult, Reject, Source
from parsers.detect import FormatError, parsers, read_path, read_sources
from parsers.mapping import MappingError, load_mapping, parse_mapping
from tests.parsers.told import RULES, SAMPLES, TRUTH, disagreements, sample

BY = Options(rules=RULES)
PHL = "heerlen N . -,-,-,- . . . void id=a\n"
SHEET = "Speler;Bod;Gehaald\nAnna;130;ja\n"
TYPED = "Zuid: 150, troef harten, mee: schoppenaas; 1. HB H9 H7 H8\n"


def test_every_parser_has_its_name():
    assert list(parsers()) == [
        "phl", "phn", "boardgame-io", "bga", "klaverlive", "iss", "other-game", "exported",
        "events", "table", "scoresheet", "typed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (PHL, "phl"),
        ('[Rules "heerlen"]\n[Result "void"]\n\nAuction - - - -\n*\n', "phn"),
        (SHEET, "scoresheet"),
        (TYPED, "typed"),
        (sample("generic.csv").decode(), "table"),
        (sample("generic_events.jsonl").decode(), "events"),
        (json.dumps(TRUTH), "events"),
        (json.dumps({"hand_id": 1, "phl": PHL.strip()}) + "\n", "exported"),
        (f'hand_id,phl\n1,"{PHL.strip()}"\n', "exported"),
    ],
)
@pytest.mark.parametrize("name", ["avond.dat", "x.phl.txt"])
def test_by_content_and_not_by_name(text, format, name):
    result = read_sources([Source(name, text.encode())], BY)
    assert result.format == format
    assert (len(result.hands), result.rejects) == (1, [])


def test_exported_tables_come_back_with_their_lines():
    text = f'hand_id;contract;phl\n7;130;"{PHL.strip()}"\n8;140;zomaar\n9;150;\n'
    result = read_sources([Source("x.csv", text.encode("utf-8-sig"))], BY)
    assert [h.line for h in result.hands] == [2]
    assert [r.line for r in result.rejects] == [3, 4]
    lines = json.dumps({"phl": PHL.strip()}) + '\n{"phl": 3}\n{"phl"\n\n'
    result = read_sources([Source("x.jsonl", lines.encode())], BY)
    assert ([h.line for h in result.hands], [r.line for r in result.rejects]) == ([1], [2, 3])


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "empty", "an empty file"),
        (b"\xef\xbb\xbf \r\n\t\n", "empty", "an empty file"),
        (b"\x7fELF\x02\x01\x01\x00\x00", "not-text", "a binary file"),
        (b"Lieve oma,\n\nhet was leuk.\n", "unrecognised", "a log in one of the formats"),
    ],
)
def test_what_is_no_log_is_one_reject(data, code, words, tmp_path):
    file = tmp_path / "x.txt"
    file.write_bytes(data)
    result = read_path(file)
    (reject,) = result.rejects
    assert (result.hands, reject.code) == ([], code)
    assert words in reject.expected
    assert reject.source == str(file)


def test_missing_paths_folders_without_logs_and_no_files(tmp_path):
    assert read_path(tmp_path / "weg").rejects[0].expected == "there is no such file or folder"
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.phl").write_text(PHL)
    assert read_path(tmp_path).rejects[0].code == "no-logs"
    (tmp_path / "README.md").write_text("Over deze map\n")
    result = read_path(tmp_path)
    assert [r.code for r in result.rejects] == ["no-logs"]
    assert "no log" in result.warnings[0].message
    import os

    os.mkfifo(tmp_path / "pijp")
    assert "not a regular file" in read_path(tmp_path / "pijp").rejects[0].expected


def test_an_unreadable_file(tmp_path, monkeypatch):
    file = tmp_path / "x.phl"
    file.write_text(PHL)

    def denied(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", denied)
    assert "Permission denied" in read_path(file).rejects[0].expected


def test_size_and_count_limits(tmp_path, monkeypatch):
    for i in range(3):
        (tmp_path / f"{i}.phl").write_text(PHL)
    monkeypatch.setattr(detect, "MAX_FILES", 2)
    result = read_path(tmp_path)
    assert (len(result.hands), result.rejects[0].code) == (2, "limit")
    monkeypatch.setattr(detect, "MAX_BYTES", 5)
    assert "more than the limit of 5" in read_path(tmp_path / "0.phl").rejects[0].expected


def test_a_folder_with_everything_mixed(tmp_path):
    (tmp_path / "a.phl").write_text(PHL + "kapot\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.csv").write_bytes(sample("generic.csv"))
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(sample("generic_events.jsonl")))
    (tmp_path / "d.csv").write_text(SHEET)
    (tmp_path / "e.bin").write_bytes(b"\0\1\2\3")
    (tmp_path / "f.txt").write_text("zomaar wat\n")
    with zipfile.ZipFile(tmp_path / "g.zip", "w") as z:
        z.writestr("oud/h.txt", TYPED)
        z.writestr("oud/i.sgf", "(;GM[Skat]PC[x])")
        z.writestr("LICENSE", "tekst")
    result = read_path(tmp_path, BY)
    assert result.format == "mixed"
    names = [h.source.removeprefix(str(tmp_path) + "/") for h in result.hands]
    assert names == ["a.phl", "c.jsonl", "d.csv", "g.zip!oud/h.txt", "sub/b.csv"]
    codes = sorted(r.code for r in result.rejects)
    assert codes == ["not-text", "other-game", "unreadable", "unrecognised"]
    assert any("LICENSE" in w.source for w in result.warnings)


def test_the_samples_folder_as_a_whole():
    result = read_path(SAMPLES, BY)
    assert (len(result.hands), result.rejects, result.empty) == (3, [], 0)
    assert [disagreements(h.record, len(h.record.plays)) for h in result.hands] == [{}, {}, {}]
    assert len({h.record.get("session") for h in result.hands}) == 1


def test_files_of_one_folder_that_belong_together():
    folder = SAMPLES.parent / "boardgame-io" / "0.50-flatfile"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for file in sorted(folder.iterdir()):
            z.write(file, f"db/{file.name}")
    alone = read_path(folder)
    packed = read_sources([Source("db.zip", out.getvalue())])
    assert len(alone.hands) > 1
    assert [h.record for h in packed.hands] == [h.record for h in alone.hands]


def test_format_overrides_and_unknown_ones_are_refused():
    assert read_sources([Source("x", TYPED.encode())], format="phl").rejects
    with pytest.raises(FormatError, match=r"'foo'.*auto, phl"):
        read_sources([Source("x", b"x")], format="foo")
    mapped = Options(mapping=parse_mapping('format = "phl"'))
    assert read_sources([Source("x", TYPED.encode())], mapped).rejects


def test_rules_that_cannot_be_loaded():
    with pytest.raises(RuleSetError, match="there is no rule set 'foo'"):
        read_sources([Source("x", PHL.encode())], Options(rules="foo"))


def test_rules_of_a_map():
    mapped = Options(mapping=parse_mapping('rules = "fiches"'))
    assert read_sources([Source("x", SHEET.encode())], mapped).records[0].rules == "fiches"


# Parsers of others.


class Toepen:
    """A plug-in that refuses a format and fails on another."""

    name = "toepen"

    def recognise(self, text: str, name: str) -> bool:
        return text.startswith("TOEPEN")

    def parse(self, sources, options) -> ParseResult:
        if b"kapot" in sources[0].data:
            raise RuntimeError("kan niet")
        result = ParseResult(format=self.name)
        raw = sources[0].data.decode()
        reject = Reject(sources[0].name, 1, 1, "TOEPEN", "Pandoeren", raw, "other-game")
        result.rejects.append(reject)
        return result


@pytest.fixture
def plugin(monkeypatch):
    entry = EntryPoint("toepen", "tests.parsers.test_detect:Toepen", detect.ENTRY_POINTS)
    monkeypatch.setattr(
        detect, "entry_points", lambda group: [entry] if group == detect.ENTRY_POINTS else []
    )
    parsers.cache_clear()
    yield
    parsers.cache_clear()


@pytest.mark.usefixtures("plugin")
def test_a_parser_of_another_package_is_asked_first_and_may_fail():
    assert next(iter(parsers())) == "toepen"
    good, bad = Source("a", b"TOEPEN a@b.nl"), Source("b", b"TOEPEN kapot")
    result = read_sources([good, bad, Source("c", PHL.encode())])
    assert [r.code for r in result.rejects] == ["other-game", "failed"]
    assert "RuntimeError: kan niet" in result.rejects[1].expected
    assert "a@b.nl" not in result.rejects[0].raw
    assert len(result.hands) == 1


# Mapping files.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "m.toml:1: unknown key 'x'"),
        ("[cards]\n\nkleur = 1", "m.toml:3: unknown key 'cards.kleur' (allowed here: language"),
        ('[cards]\nlanguage = "fr"', "m.toml:2: 'cards.language' is 'fr'; allowed: 'en' or 'nl'"),
        ('[cards.suits]\n"1" = "Z"', "a suit is one of S H D C"),
        ('[seats]\norder = ["N", "E"]', "must name each of N E S W once"),
        ("[seats]\nfirst = 2", "allowed: 0 or 1"),
        ('[moves]\nvlieg = "x"', "'vlieg' is no move (allowed: deal"),
        ("x = " + "9" * 5000, "m.toml: not valid TOML: a number of thousands of digits"),
        ("x = " + "[" * 50_000, "m.toml: not valid TOML: brackets nested too deeply"),
        ('[columns]\nkleur = "x"', "'kleur' is no field (allowed: event"),
        ('[calls]\nx = "zwembad"', "which is no call"),
        ('[results]\nx = "misschien"', "allowed: 'made', 'lost' or 'void'"),
        ("[cards", "m.toml: not valid TOML"),
    ],
)
def test_faulty_maps(text, message):
    with pytest.raises(MappingError) as e:
        parse_mapping(text, "m.toml")
    assert message in str(e.value)


def test_maps_from_files(tmp_path):
    file = tmp_path / "m.toml"
    file.write_text('\ufeff[moves]\nplay = ["legt", "gooit"]\n', "utf-8")
    assert load_mapping(file).moves == {"play": ["legt", "gooit"]}
    with pytest.raises(MappingError, match="cannot be read"):
        load_mapping(tmp_path / "weg.toml")
    file.write_bytes(b"\xff\xff")
    with pytest.raises(MappingError, match="not a UTF-8 text"):
        load_mapping(file)
    file.write_bytes(b"#" * 300_000)
    with pytest.raises(MappingError, match="too large"):
        load_mapping(file)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace")))
def test_any_bytes_are_hands_or_rejects(data):
    result = read_sources([Source("x", data)])
    assert result.hands or result.rejects or result.empty or result.warnings
    assert all(isinstance(h, Located) for h in result.hands)


def test_a_member_without_a_name():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("a", PHL)
    # Some archivers leave a name of no characters behind: the length fields are set to 0.
    data = out.getvalue().replace(b"\x01\x00\x00\x00a", b"\x00\x00\x00\x00a")
    at = data.index(b"PK\x01\x02")
    data = data[: at + 28] + b"\x00\x00" + data[at + 30 :]
    result = read_sources([Source("x.zip", data)])
    assert result.hands or result.rejects


def test_a_rule_set_beside_logs_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text('id = "club"\nbase = "heerlen"\n')
    alone = read_path(tmp_path / "club.toml", Options())
    assert [r.expected for r in alone.rejects] == [
        "a rule set or mapping file and no log (it goes with --rules or --map)"
    ]
    (tmp_path / "a.phl").write_text("heerlen N . -,120,-,-,- . . . . .\n")
    both = read_path(tmp_path, Options())
    assert (len(both.hands), both.rejects) == (1, [])
    assert any("passed over" in w.message for w in both.warnings)
