"""Replay: states, events, and what no record may make it do."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import PACK, mask_of
from engine.record import Call, HandRecord, Play, Result
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.state import NOBODY
from parsers.phl import read_phl
from tests.engine.test_conformance import FOLDER, LEGAL

RECORDS = [
    h.record
    for name in LEGAL
    for h in read_phl((FOLDER / name).read_text("utf-8"), name).hands[:40]
]


@given(st.sampled_from(RECORDS))
@settings(max_examples=150, deadline=None)
def test_points_and_cards_are_conserved(record: HandRecord) -> None:
    r = replay(record)
    o = r.outcome
    if o.passed_out:
        return
    assert o.points is not None
    assert o.tricks is not None
    assert o.out is not None
    assert o.trump is not None
    assert sum(o.points) + o.out == r.rules.total_points[o.trump < 4]
    assert sum(o.tricks) == 8
    for ply, state in enumerate(r.states):
        assert sum(m.bit_count() for m in state.hands) == 32 - ply
        on_table = mask_of(p.card for p in record.plays[:ply])
        assert not any(m & on_table for m in state.hands)
    nowhere = PACK & ~sum(r.playing)
    assert nowhere.bit_count() == 1


@given(st.sampled_from(RECORDS), st.integers(0, 32))
@settings(max_examples=150, deadline=None)
def test_a_shorter_play_never_proves_the_opposite(record: HandRecord, n: int) -> None:
    whole = replay(record).outcome
    if len(record.plays) < 32 or any(c.ply > n for c in record.claims):
        return
    part = replay(replace(record, plays=record.plays[:n])).outcome
    assert part.made in (None, whole.made)
    assert part.winners == whole.winners[: n // 4]


@given(st.sampled_from(RECORDS))
@settings(max_examples=80, deadline=None)
def test_states_fold_to_the_outcome(record: HandRecord) -> None:
    r = replay(record)
    last = r.at(len(record.plays))
    assert last.points == r.outcome.points or r.outcome.passed_out
    assert last.winners == r.outcome.winners
    plays = [e for e in r.events if e.kind == "play"]
    assert [e.seat for e in plays] == list(r.seats)
    reveals = [e for e in r.events if e.kind == "reveal"]
    assert len(reveals) <= 1
    if r.outcome.partner == NOBODY:
        assert reveals == []


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_record_makes_it_fail(data: st.DataObject) -> None:
    """Any fields at all: cards twice, odd seats, unknown contracts, calls after the end."""
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    base = data.draw(st.sampled_from(RECORDS))
    plays = list(base.plays)
    for _ in range(rng.randrange(4)):
        if plays:
            i = rng.randrange(len(plays))
            seat = rng.choice([None, 0, 1, 2, 3])
            plays[i] = Play(rng.randrange(33), seat)
    calls = list(base.auction)
    for _ in range(rng.randrange(3)):
        text = rng.choice(["-", "130", "mis", "zwa", "pan+20", "999", "tro", "szw"])
        calls.insert(rng.randrange(len(calls) + 1), Call(text, rng.choice([None, 1, 3])))
    deal = list(base.deal)
    for _ in range(rng.randrange(3)):
        deal[rng.randrange(33)] = rng.choice("NESWM?")
    record = replace(
        base,
        dealer=rng.choice([base.dealer, None]),
        deal="".join(deal),
        plays=tuple(plays[: rng.choice([len(plays), rng.randrange(33)])]),
        auction=tuple(calls),
        auction_state=rng.choice(["calls", "calls", "unknown", "absent"]),
        declarer=rng.choice([None, 2]),
        contract=rng.choice([None, "130", "nothing", "ker"]),
        trump=rng.choice([base.trump, None, "-", "?", "S"]),
        called=rng.choice([base.called, None, "-", "?", "SJ", "HA"]),
        discard=rng.choice([base.discard, None, "-", "?", "H6"]),
        result=rng.choice([base.result, Result(), Result(partner=-1, outcome="void")]),
    )
    r = replay(record, load_ruleset(data.draw(st.sampled_from(BUILTIN_IDS))))
    assert len(r.states) == len(record.plays) + 1
    for state in r.states:
        assert sum(m.bit_count() for m in state.hands) <= 33
    for violation in r.violations:
        assert violation.message("en")
        assert violation.message("nl")
        assert "None" not in violation.message("en")
    assert list(r.as_json())
    assert r.events is not None
