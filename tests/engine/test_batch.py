"""The batch replay agrees with the step replay on every field."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.batch import replay_columns
from engine.batch_columns import HandColumns, columns_from_records
from engine.batch_result import BatchResult, empty_result, put_replay, put_violations
from engine.record import Call, HandRecord, Play
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset, parse_ruleset
from engine.ruleset import RuleSet
from parsers.phl import read_phl, write_phl
from tests.engine.dealing import random_record, spoil, with_result

CASES = Path(__file__).parent.parent / "conformance"


def step_by_step(records: Sequence[HandRecord], rules: Sequence[RuleSet]) -> BatchResult:
    """What the step replay says, in the same columns."""
    out = empty_result(len(records))
    flags = []
    for i, (record, rule_set) in enumerate(zip(records, rules, strict=True)):
        flags += put_replay(out, i, replay(record, rule_set))
    put_violations(out, [flags])
    return out


def assert_agree(
    records: Sequence[HandRecord], rules: RuleSet, columns: HandColumns | None = None
) -> BatchResult:
    """Compare all fields of all hands; returns the batch result."""
    found = replay_columns(columns or columns_from_records(records), rules)
    wanted = step_by_step(records, [rules] * len(records))
    for i, record in enumerate(records):
        for name in wanted.hands.dtype.names:
            if name != "stepped":
                mine, theirs = found.hands[name][i], wanted.hands[name][i]
                assert np.array_equal(mine, theirs), (name, mine, theirs, write_phl(record))
        assert found.codes(i) == wanted.codes(i), write_phl(record)
    assert np.array_equal(found.violations, wanted.violations)
    return found


def conformance(name: str) -> list[HandRecord]:
    return read_phl((CASES / name).read_text("utf-8")).records


@pytest.mark.parametrize("file", sorted(p.name for p in CASES.glob("*.phl")))
def test_conformance_hands(file: str) -> None:
    records = conformance(file)
    for rules_id in sorted({r.rules or "" for r in records}):
        mine = [r for r in records if r.rules == rules_id]
        found = assert_agree(mine, load_ruleset(rules_id))
        if file.startswith("legal"):
            assert not found.hands["stepped"].any(), "legal hands must be carried"
            assert not found.violations.size


@pytest.mark.parametrize("rules_id", BUILTIN_IDS)
def test_random_hands(rules_id: str) -> None:
    rules, rng = load_ruleset(rules_id), random.Random(f"hands {rules_id}")
    records = [random_record(rng, rules) for _ in range(120)]
    records = [with_result(r, rules) if i % 2 else r for i, r in enumerate(records)]
    found = assert_agree(records, rules)
    assert not found.hands["stepped"][[not r.claims for r in records]].any()


@pytest.mark.parametrize("rules_id", BUILTIN_IDS)
def test_spoiled_hands(rules_id: str) -> None:
    rules, rng = load_ruleset(rules_id), random.Random(f"spoiled {rules_id}")
    records = []
    for _ in range(100):
        record = with_result(random_record(rng, rules), rules)
        for _ in range(rng.choice((1, 1, 2, 3))):
            record = spoil(rng, record)
        records.append(record)
    assert_agree(records, rules)


VARIANTS = {
    "runs in another order, with overlap": (
        "fiches",
        '[cards]\nsequence_order = "ATKQJ9876"\n[meld]\noverlap = true\npartial_runs = true\n',
    ),
    "roem in the chips game": (
        "fiches",
        '[meld]\nsystem = "roem"\nstuk = 20\nranking = ["run3", "run4", "run5", "run6", "run7", '
        '"run8", "fourJ", "four9", "fourA", "fourK", "fourQ", "fourT"]\ndeny = true\n',
    ),
    "melds at the table in the Heerlen game": (
        "heerlen",
        '[meld]\nsystem = "best-at-table"\nthrees = { A = 30 }\n',
    ),
    "no melds": ("butselaar", '[meld]\nsystem = "none"\n'),
    "a hidden partner": (
        "heerlen",
        '[partner]\ncounts_from = "reveal"\n[calling]\noptional = true\ntrump_allowed = false\n',
    ),
    "other strength": (
        "heerlen-literal",
        '[cards]\ntrump_order = "AJ9KQT876"\n[play]\nmust_overtrump = true\n'
        'overtrump_when_trump_led = true\n[meld]\nannounce = "before-last-card"\n',
    ),
    "race with a middle card": (
        "fiches-race",
        '[deal]\nmiddle = "taken"\n[auction]\npass_is_final = false\n'
        "[contracts.piccolo]\ntakes_middle = false\n",
    ),
    "overtrumping and the middle card": (
        "limburg",
        "[contracts.misere]\ntakes_middle = true\n[play]\novertrump_when_trump_led = true\n"
        'jas_exempt = true\nundertrump = "banned"\n',
    ),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_house_rules(variant: str) -> None:
    """Whatever a rule set of the user's own says, it is asked of the same functions."""
    base, keys = VARIANTS[variant]
    names = 'id = "own"\n' + f'base = "{base}"\n' + '[name]\nen = "Own"\nnl = "Eigen"\n'
    rules, rng = parse_ruleset(names + keys, "own.toml"), random.Random(variant)
    records = [with_result(random_record(rng, rules), rules) for _ in range(100)]
    assert_agree(records, rules)
    assert_agree([spoil(rng, r) for r in records[:50]], rules)


@pytest.mark.parametrize("rules_id", ["heerlen", "limburg"])
def test_columns_tell_the_whole_record(rules_id: str) -> None:
    rules, rng = load_ruleset(rules_id), random.Random(5)
    records = [with_result(random_record(rng, rules), rules) for _ in range(40)]
    columns = columns_from_records(records)
    columns.record_of = None
    rebuilt = [columns.record(i, rules_id) for i in range(len(records))]
    assert rebuilt == [
        replace(r, claims=tuple(replace(c, cards=tuple(sorted(c.cards))) for c in r.claims))
        for r in records
    ]
    assert_agree(records, rules, columns)


def test_several_rule_sets_in_one_batch() -> None:
    records = conformance("sample.phl") + conformance("sessions.phl")
    rules = [load_ruleset(i) for i in BUILTIN_IDS]
    numbers = [BUILTIN_IDS.index(r.rules or "") for r in records]
    found = replay_columns(columns_from_records(records, numbers), rules)
    wanted = step_by_step(records, [rules[n] for n in numbers])
    for name in wanted.hands.dtype.names:
        if name != "stepped":
            assert np.array_equal(found.hands[name], wanted.hands[name])
    assert np.array_equal(found.violations, wanted.violations)


def test_more_violations_than_room() -> None:
    """Hands with many offences each: the loop is resumed and nothing is lost or told twice."""
    record = next(r for r in conformance("legal-heerlen.phl") if len(r.auction) == 4)
    bad = replace(record, auction=(*record.auction, *[Call("120")] * 200))
    result = replay_columns(columns_from_records([bad] * 50), load_ruleset("heerlen"))
    assert not result.hands["stepped"].any()
    assert len(result.violations) == 50 * 200
    assert result.codes(49) == step_by_step([bad], [load_ruleset("heerlen")]).codes(0)


def test_stepped_hands_are_told() -> None:
    good = conformance("legal-heerlen.phl")[0]
    odd = replace(good, plays=(Play(good.plays[0].card, 3), *good.plays[1:]))
    told = []
    replay_columns(
        columns_from_records([good, odd, good]),
        load_ruleset("heerlen"),
        stepped=lambda i, record, r: told.append((i, record, r.outcome.made)),
    )
    assert [(i, record) for i, record, _ in told] == [(1, odd)]


def test_nothing_at_all() -> None:
    result = replay_columns(columns_from_records([]), load_ruleset("heerlen"))
    assert len(result) == 0
    assert len(result.violations) == 0
