"""What docs/parsers.md shows is what happens; the events format and its schema agree."""

import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from engine.cards import CARDS
from parsers import archive, decode, detect, mapping, rows
from parsers.base import Options, Source
from parsers.events import read_events
from parsers.mapping import FIELDS, MOVES, parse_mapping
from parsers.scoresheet import read_scoresheet
from parsers.table import read_table
from parsers.typed import read_typed
from tests.parsers.test_refuse import JASS
from tests.parsers.told import SAMPLES, sample

DOC = (Path(__file__).parents[2] / "docs" / "parsers.md").read_text("utf-8")
SCHEMA = json.loads((files("parsers") / "events.schema.json").read_text("utf-8"))


def block(language: str, contains: str) -> str:
    blocks = [b for b in DOC.split("```")[1::2] if b.startswith(language + "\n")]
    (found,) = [b.partition("\n")[2] for b in blocks if contains in b]
    return found


def test_the_events_example_is_read():
    text = block("json", "pandoeren-log").replace('"t1",\n ', '"t1", ')
    result = read_events(text, "doc", Options())
    assert (len(result.hands), result.rejects) == (1, [])
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in text.splitlines():
        validator.validate(json.loads(line))


@pytest.mark.parametrize("name", ["generic_events.jsonl"])
def test_samples_fit_the_schema(name):
    lines = [json.loads(t) for t in (SAMPLES / name).read_text("utf-8").splitlines()]
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in lines:
        validator.validate(line)
    validator.validate(lines)
    validator.validate({**lines[0], "events": lines[1:]})


@pytest.mark.parametrize(
    "value", [{"e": "vliegt"}, {"e": "play"}, {"x": 1}, {"e": "deal", "hands": [[]]}, 3]
)
def test_the_schema_refuses(value):
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(value)


def test_every_event_of_the_schema_is_known():
    from parsers.items import Names

    names = Names(parse_mapping(""))
    kinds = SCHEMA["$defs"]["event"]["properties"]["e"]["enum"]
    assert all(names.kind(k) for k in kinds)
    assert {names.kind(k) for k in kinds} == set(MOVES) - {"players"}


def test_the_table_and_the_score_sheet():
    record = read_table(block("csv", "declare;S"), "doc", Options()).hands[0].record
    assert [CARDS[p.card] for p in record.plays] == ["HJ", "H9"]
    assert len(read_scoresheet(block("csv", "Datum;"), "doc", Options()).hands) == 2


def test_the_typed_examples():
    short, long = [b for b in DOC.split("```")[1::2] if b.startswith("\n")]
    assert len(read_typed(short).hands) == 1
    long = re.sub(r" +\([A-Z a-z,:]+\)$", "", long, flags=re.M).replace("…", "S8 SH")
    result = read_typed(long)
    assert (len(result.hands), [str(r) for r in result.rejects]) == (1, [])
    record = result.hands[0].record
    assert (record.rules, record.dealer, len(record.auction)) == ("butselaar", 3, 6)
    assert (len(record.plays), record.result.points) == (8, (152, 0))


def test_the_mapping_example_and_its_lists():
    assert parse_mapping(block("toml", "[moves]")).rules == "heerlen"
    flat = " ".join(DOC.split())
    assert f"Events: `{' '.join(MOVES)}`" in flat
    assert f"Fields and columns: `{' '.join(FIELDS)}`" in flat


def test_the_limits():
    mib = 1024 * 1024
    for text in (
        f"{decode.MAX_BYTES // mib} MiB; {decode.MAX_LINE // mib} Mi characters",
        f"{archive.MAX_MEMBERS:,} files, {archive.MAX_TOTAL // mib // 1024} GiB unpacked, "
        f"{archive.MAX_DEPTH} archives",
        f"{archive.MAX_TOTAL // 4 // mib} MiB unpacked",
        f"{rows.MAX_CELL // mib} MiB; {rows.MAX_COLUMNS:,}",
        f"{decode.MAX_DEPTH} levels",
        f"{detect.MAX_FILES:,} files",
        f"{mapping.MAX_BYTES // 1024} KiB",
    ):
        assert text in DOC, text


def test_every_format_is_named():
    table = DOC[DOC.index("| name | what |") : DOC.index("A log that names no rule set")]
    assert set(re.findall(r"`([a-z-]+)`(?=[, |])", table)) >= set(detect.parsers())


def test_the_worked_parsers():
    space: dict = {}
    exec(block("python", "class OneLiner"), space)
    exec(block("python", "class JassKit"), space)
    one, jass = space["OneLiner"](), space["JassKit"]()
    text = "#one-liner\nS 150 H SA HJ H9 H7 H8\nS 150 H SA HX\nS x H SA\n"
    assert one.recognise(text, "x")
    assert not one.recognise(sample("generic.csv").decode(), "x")
    result = one.parse([Source("x", text.encode())], Options())
    assert [h.line for h in result.hands] == [2]
    assert result.hands[0].record.declarer == 2
    assert [r.line for r in result.rejects] == [3, 4]
    assert jass.recognise(JASS, "x")
    (reject,) = jass.parse([Source("x", JASS.encode())], Options()).rejects
    assert "Jass" in reject.message
