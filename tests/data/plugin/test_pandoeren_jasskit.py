"""The tests that go with a parser: a known file, a cut one, and damage."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from pandoeren_jasskit import JassKit

from parsers.base import Options, Source

ROUNDS = (Path(__file__).parent / "rounds.jsonl").read_bytes()


def read(data: bytes):
    return JassKit().parse([Source("rounds.jsonl", data)], Options())


def test_a_known_file():
    assert JassKit().recognise(ROUNDS.decode(), "x")
    result = read(ROUNDS)
    assert result.hands == []
    assert [(r.line, r.token, r.code) for r in result.rejects] == [
        (1, "SCHIEBER_2500", "other-game"),
        (2, "DIFFERENZLER", "other-game"),
    ]
    assert "Jass" in result.rejects[0].message


def test_a_cut_file_names_its_place():
    (one, two) = read(ROUNDS[:-40]).rejects
    assert (one.code, two.code, two.line) == ("other-game", "unreadable", 2)


@given(st.integers(0, len(ROUNDS) - 1), st.binary(max_size=8))
def test_damage_is_never_an_exception(at, junk):
    data = ROUNDS[:at] + junk + ROUNDS[at + len(junk) :]
    JassKit().recognise(data.decode("utf-8", "replace"), "x")
    result = read(data)
    assert result.hands == []
    assert len(result.rejects) <= data.count(b"\n") + data.count(b"\r") + 20
