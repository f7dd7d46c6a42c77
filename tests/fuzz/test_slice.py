"""A slice of the fuzz campaign that runs with the tests, and what the campaign itself must do."""

import json
from random import Random

import pytest

from parsers.base import Located, Options, ParseResult, Source
from parsers.detect import parsers, read_sources
from parsers.phl import parse_line
from tests.fuzz.campaign import MODULES, Campaign, main
from tests.fuzz.invariants import Fault, check, reader
from tests.fuzz.mutators import SECRET, mutate, with_secret
from tests.fuzz.seeds import names, seeds

SLICE = {"bga": 12, "boardgame-io": 25, "auto": 60}


def test_every_parser_is_fuzzed():
    assert set(names()) == {*parsers(), "auto", "phl-bytes", "mapping"} == set(MODULES)


@pytest.mark.parametrize("parser", names())
def test_a_slice_of_the_campaign(parser):
    campaign = Campaign(parser, seed=1)
    for data in campaign.seeds:
        campaign.one(data)
    whole = campaign.tally.with_hand
    # How the detection is asked, and so whether it finds a hand, depends on the input.
    good = sum(bool(read_sources([Source("x", d)]).hands) for d in campaign.seeds)
    assert parser == "other-game" or 2 * (good if parser == "auto" else whole) > len(campaign.seeds)
    tally = campaign.run(SLICE.get(parser, 100))
    assert tally.faults == []
    if parser != "other-game":
        assert 10 * (tally.with_hand - whole) >= SLICE.get(parser, 100)


def test_inputs_follow_from_their_number():
    one, two = Campaign("table", seed=3), Campaign("table", seed=3)
    assert [one.damaged(n) for n in range(30)] == [two.damaged(n) for n in range(30)]
    assert one.damaged(1) != Campaign("table", seed=4).damaged(1)


def test_damage_is_of_every_kind():
    rng = Random(5)
    data = seeds("events")[0]
    seen = {mutate(rng, data, True, False) for _ in range(200)}
    assert len(seen) > 150
    assert any(len(d) < len(data) for d in seen)
    assert any(len(d) > len(data) for d in seen)
    told = [with_secret(rng, '{"a": {"b": 1}}') for _ in range(30)]
    assert all(t is not None and SECRET[:4] in t for t in told)
    assert with_secret(rng, "geen json") is None


def test_faults_are_found():
    """A reader that fails, invents a hand, or keeps a secret does not get through."""
    record = parse_line("heerlen N . -,130,-,-,- H:SA:D7 SAS7S9SK . . .")
    invented = Located(record, "x", 1, "heerlen N . . . . . . .")

    def fails(data: bytes, options: Options) -> ParseResult:
        raise KeyError("x")

    with pytest.raises(Fault, match="KeyError"):
        check("phl", fails, b"x", Options())
    text = b"SA S7 S9 SK"

    def invents(data: bytes, options: Options) -> ParseResult:
        return ParseResult([invented]) if data == text else reader("phl")(data, options)

    with pytest.raises(Fault, match="read again"):
        check("phl", invents, text, Options())
    own = Located(record, "x", 1, "heerlen N . -,130,-,-,- H:SA:D7 SAS7S9SK . . .")
    with pytest.raises(Fault, match="more cards"):
        check("phl", lambda d, o: ParseResult([own]), b"SA", Options())
    told = Located(record, "x", 1, f"heerlen {SECRET}")
    with pytest.raises(Fault, match="private"):
        check("events", lambda d, o: ParseResult([told]), text, Options(), secret=True)
    assert check("phl", reader("phl"), seeds("phl")[0], Options()).hands == 1


def test_the_command_line(capsys):
    assert main(["--parser", "phl", "--inputs", "40", "--seed", "2"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["inputs"], said["faults"], said["parser"]) == (40, 0, "phl")
    assert 0 < said["share"] <= 1
