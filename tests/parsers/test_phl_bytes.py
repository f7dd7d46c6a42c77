"""The reader on bytes says of every line what the general reader says, and reads columns right."""

import io
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.batch_columns import columns_from_records
from engine.record import Call, Claim, HandRecord, Note, Result
from engine.rulefile import RuleSetError, load_ruleset
from parsers.base import Options, Reject, Warn
from parsers.phl import parse_line, read_phl, write_phl
from parsers.phl_bytes import SKIP, NotUtf8, PhlBytesReader, PhlChunk
from tests.engine.dealing import random_record, spoil, with_result

CASES = Path(__file__).parent.parent / "conformance"


def read_all(data: bytes, options: Options | None = None, rows: int = 1000) -> list[PhlChunk]:
    return list(PhlBytesReader("x", options or Options()).chunks(io.BytesIO(data), rows))


def assert_same(data: bytes, options: Options | None = None, rows: int = 1000) -> int:
    """Compare with the general reader; returns how many lines were read by compiled code."""
    options = options or Options()
    chunks = read_all(data, options, rows)
    wanted = read_phl(data.decode("utf-8-sig"), "x", options)
    hands: list[tuple[int, HandRecord, str]] = []
    rejects: list[Reject] = []
    warnings: list[Warn] = []
    carried = 0
    for chunk in chunks:
        rejects += chunk.rejects
        warnings += chunk.warnings
        for i in range(len(chunk)):
            if chunk.columns.hands["rules"][i] != SKIP:
                number = int(chunk.lines["number"][i])
                hands.append((number, chunk.record(i), chunk.text(i)))
                rules = chunk.rules[chunk.columns.hands["rules"][i]]
                name = chunk.record(i).rules or "heerlen"
                assert rules == load_ruleset(options.rules or name)
            if not chunk.lines["odd"][i]:
                assert_columns(chunk, i)
                carried += 1
    assert hands == [(h.line, h.record, h.raw) for h in wanted.hands]
    assert rejects == wanted.rejects
    assert sorted(warnings, key=lambda w: w.line) == wanted.warnings
    assert sum(c.empty for c in chunks) == wanted.empty
    return carried


def assert_columns(chunk: PhlChunk, i: int) -> None:
    text = chunk.text(i)
    record = parse_line(text)
    assert write_phl(record) == text, "only our own spelling may be read without the record"
    wanted = columns_from_records([record])
    mine = chunk.columns.hands[i]
    for name in mine.dtype.names:
        if name not in ("rules", "calls_at", "claims_at"):
            assert np.array_equal(mine[name], wanted.hands[name][0]), (name, text)
    assert np.array_equal(chunk.columns.calls_of(i), wanted.calls)
    at = int(mine["claims_at"])
    assert np.array_equal(chunk.columns.claims[at : at + int(mine["n_claims"])], wanted.claims)
    line = chunk.lines[i]
    fields = text.encode().split(b" ")
    for k, part in enumerate(fields):
        at = int(line["fields"][k])
        assert text.encode()[at : at + len(part)] == part


def some_records(seed: int, n: int) -> list[HandRecord]:
    """Hands of all kinds, META and notes of all kinds with them."""
    rng = random.Random(seed)
    out = []
    values = ["Anna", "Cor van Dijk", "50%", "a=b;c", "René", "", "2026-11-28", "x\u0085y", "|:#"]
    keys = ["id", "n", "e", "s", "w", "date", "event", "site", "session", "hand", "src", "elo",
            "tag.Elo (N)", "x_1", "text", "deal_extra", "a", "partners", "tables"]  # fmt: skip
    for _ in range(n):
        rules = load_ruleset(rng.choice(("heerlen", "limburg", "butselaar", "fiches-show-low")))
        record = with_result(random_record(rng, rules), rules)
        if rng.random() < 0.3:
            record = spoil(rng, record)
        chosen = rng.sample(keys, rng.randrange(6)) if rng.random() < 0.7 else keys[:5]
        if rng.random() < 0.5:
            chosen.sort(key=keys.index)
        meta = tuple((k, rng.choice(values)) for k in chosen)
        notes = (Note("3", "c", "a : | note"),) if rng.random() < 0.1 else ()
        out.append(replace(record, meta=meta, notes=notes))
    return out


@pytest.mark.parametrize("file", sorted(p.name for p in CASES.glob("*.phl")))
def test_conformance_files(file: str) -> None:
    data = (CASES / file).read_bytes()
    carried = assert_same(data)
    if file.startswith("legal"):
        assert carried == data.count(b"\n")


def test_written_records() -> None:
    lines = [write_phl(r) for r in some_records(1, 300)]
    carried = assert_same("".join(f"{line}\n" for line in lines).encode())
    assert carried > 100


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes(seed: int) -> None:
    """One or two characters changed, lost or added anywhere."""
    rng = random.Random(seed)
    letters = "NESWM?SHDCAKQJT98760123-+,./:;=%() #abcdefroemstukpan\té\ufeff"
    out = []
    for record in some_records(seed + 10, 120):
        line = write_phl(record)
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(line))
            line = line[:at] + rng.choice(("", rng.choice(letters))) + line[at + rng.randrange(2) :]
        out.append(line)
    assert_same(("\n".join(out) + "\n").encode())


def test_every_place_of_one_line() -> None:
    """Each character in turn replaced by each of those that matter."""
    line = (
        "heerlen W NSNSNSWWNESWESSSNNNSWWWNWEEEEWEME -,150,-,-,- C:DA:HT "
        "CJH7CTDK/C9H8D7H6/CAH9S7DA/CKS9S8D8/C8SJHJST/CQDQD9SQ/C7SKDTHA/HKHQDJSA "
        "1E=roem70,12E=stuk made;pts=136-0;score=N0,E+2,S0,W-2;tricks=8-0 id=a-02;n=C%20D;elo=9"
    )
    lines = [line]
    for at in range(len(line)):
        lines += [line[:at] + c + line[at + 1 :] for c in "0?S-;=%, "]
        lines.append(line[:at])
    assert_same("".join(f"{x}\n" for x in lines).encode())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_line_ends_and_blocks(end: str, rows: int) -> None:
    lines = ["# comment", "", "   ", *(write_phl(r) for r in some_records(3, 30))]
    lines.insert(7, "\ufeff" + lines[5])
    data = end.join(lines).encode()
    assert_same(data, rows=rows)
    assert_same(b"\xef\xbb\xbf" + data + end.encode(), rows=rows)


def test_last_line_without_its_end() -> None:
    line = write_phl(some_records(4, 1)[0])
    chunks = read_all(f"{line}\n{line}".encode())
    assert [w.line for chunk in chunks for w in chunk.warnings] == [2]
    assert sum(map(len, chunks)) == 2


@pytest.mark.parametrize("end", ["\ufeff", "\u2028", "\u00a0 ", "# remark", "\ufeff# remark"])
def test_a_last_line_that_is_no_hand_was_not_cut(end: str) -> None:
    line = (CASES / "sample.phl").read_text("utf-8").splitlines()[2]
    for data in (end.encode(), f"{line}\n{end}".encode()):
        assert_same(data)
        assert [w for c in read_all(data) for w in c.warnings if "cut short" in w.message] == []


def test_not_utf8() -> None:
    with pytest.raises(NotUtf8):
        read_all(b"heerlen N . -,-,-,- . . . void n=Ren\xe9\n")


def test_rules_named_and_overridden() -> None:
    record = random_record(random.Random(3), load_ruleset("heerlen"))
    good = load_ruleset("heerlen").content_hash
    named = [
        replace(record, rules="club", rules_hash=None),
        replace(record, rules="heerlen", rules_hash=good),
        replace(record, rules="heerlen", rules_hash="00000000"),
        replace(record, rules=None),
        replace(record, rules="butselaar"),
    ]
    data = "".join(write_phl(r) + "\n" for r in named * 2).encode()
    assert assert_same(data) == 4
    assert_same(data, Options(rules="butselaar"))
    # A name that is known from an earlier chunk is read by compiled code.
    chunks = read_all(data, Options(rules="butselaar"), rows=3)
    assert len(chunks) > 2
    assert not chunks[-1].lines["odd"].any()


def test_unusable_rules() -> None:
    with pytest.raises(RuleSetError):
        PhlBytesReader("x", Options(rules="no-such-rules"))


def test_many_calls_and_claims() -> None:
    record = random_record(random.Random(3), load_ruleset("heerlen"))
    long = replace(
        record,
        auction=(Call("120"),) * 240,
        claims=tuple(Claim(k // 2, k % 4, "roem", 20) for k in range(50)),
        result=Result("lost", (0, 146), (-1, 0, 0, 0), (0, 8), 12, -1),
    )
    longer = replace(record, auction=(Call("-"),) * 400)
    data = (write_phl(long) + "\n" + write_phl(longer) + "\n").encode() * 40
    assert assert_same(data) == 40
