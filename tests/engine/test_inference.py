"""What a seat could know: against the replay itself and full enumeration; no contradictions.

A deal fits what was seen exactly when replaying what was seen with that deal flags nothing that
was not flagged anyway. That definition shares no code with the inference; the tests use it.
"""

import random
from collections import Counter
from dataclasses import replace
from itertools import product
from math import sqrt

import pytest

from engine.cards import CARDS, SEATS, cards_in, mask_of
from engine.inference import OUT, Deal, Knowledge, NotKnown, known, known_before_play, true_deal
from engine.play import legal_mask, offence
from engine.record import HandRecord, Result
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.state import Replay
from pandoeren_replay.simulate import Simulator
from tests.engine.dealing import random_record, spoil

IGNORED = {"deal-incomplete", "auction-unknown", "discard-missing", "play-incomplete"}


def seen_record(full: Replay, ply: int, deal: Deal) -> HandRecord | None:
    """What was recorded up to a ply, had the cards lain so; None where they cannot have."""
    record = full.record
    played = [0, 0, 0, 0]
    for i in range(ply):
        played[full.seats[i]] |= 1 << record.plays[i].card
    dealt = [deal.hands[s] | played[s] for s in range(4)]
    middle = deal.out
    discard = record.discard
    if full.has_discard:
        middle, discard = full.middle, CARDS[deal.out]
        nine = dealt[full.outcome.declarer] | 1 << deal.out
        if not nine >> middle & 1:
            return None
        dealt[full.outcome.declarer] = nine & ~(1 << middle)
    owners = ["?"] * 33
    for s in range(4):
        for c in cards_in(dealt[s]):
            owners[c] = SEATS[s]
    owners[middle] = "M"
    return replace(
        record,
        deal="".join(owners),
        discard=discard,
        plays=record.plays[:ply],
        claims=tuple(c for c in record.claims if c.ply <= ply),
        result=Result(),
        rules=full.rules.id,
    )


CLASSES = {
    "play": ("revoke", "undertrump", "must-trump", "must-overtrump"),
    "claim": ("roem-", "deny-", "stuk-", "show-"),
}


def kind(code: str) -> str:
    """What was flagged: which of its rules a card or a claim breaks depends on the deal."""
    return next((k for k, codes in CLASSES.items() if code.startswith(codes)), code)


def faults(r: Replay) -> set[tuple[object, ...]]:
    return {
        (kind(v.code), v.ply, v.seat, v.call)
        for v in r.violations
        if v.code not in IGNORED and not v.code.endswith("-mismatch")
    }


def fits(full: Replay, ply: int, deal: Deal) -> bool:
    record = seen_record(full, ply, deal)
    return record is not None and faults(replay(record, full.rules)) <= faults(full)


def ways(knowledge: Knowledge) -> int:
    """Ways to lay the hidden cards when nothing but their number is known."""
    open_ = replace_allowed(knowledge)
    return open_.bound()


def replace_allowed(knowledge: Knowledge) -> Knowledge:
    every = tuple(knowledge.hidden if room else 0 for room in knowledge.room)
    return Knowledge(
        knowledge.seat, knowledge.ply, knowledge.fixed, knowledge.out, knowledge.hidden,
        knowledge.room, every,
    )  # fmt: skip


def endings(seed: int, most: int) -> list[tuple[Replay, Knowledge]]:
    """One moment of each of many random hands at which few deals are possible."""
    rng = random.Random(seed)
    out = []
    while True:
        rules = load_ruleset(rng.choice(BUILTIN_IDS))
        record = random_record(rng, rules)
        if not record.plays:
            continue
        if rng.random() < 0.3:
            record = spoil(rng, record)
        full = replay(record, rules)
        seat = rng.randrange(4)
        for ply in range(rng.randrange(12, 20), 31):
            try:
                knowledge = known(full, seat, ply)
                true_deal(full, ply)
            except (NotKnown, IndexError):
                break
            if 1 < ways(knowledge) <= most:
                out.append((full, knowledge))
                break
        if len(out) == 300:
            return out


def test_sampler_against_enumeration_in_300_endings() -> None:
    chi_total, freedom = 0.0, 0
    narrowed = demanded = 0
    for n, (full, knowledge) in enumerate(endings(seed=5, most=90)):
        every = list(replace_allowed(knowledge).every())
        right = {d for d in every if fits(full, knowledge.ply, d)}
        assert true_deal(full, knowledge.ply) in right
        assert set(knowledge.every()) == right
        assert {d for d in every if knowledge.admits(d)} == right
        narrowed += len(right) < len(every)
        demanded += bool(knowledge.demands)
        draws = 30 * len(right)
        sampler = knowledge.sampler(seed=n)
        counts = Counter(sampler.draw() for _ in range(draws))
        assert set(counts) <= right
        if len(right) > 1:
            chi = sum((counts[d] - 30) ** 2 / 30 for d in right)
            chi_total += chi
            freedom += len(right) - 1
            assert chi < len(right) - 1 + 6 * sqrt(2 * (len(right) - 1)) + 20
    assert narrowed > 150
    assert demanded >= 5
    assert abs(chi_total - freedom) < 3.5 * sqrt(2 * freedom)


def test_the_union_of_announced_melds_is_drawn_evenly() -> None:
    """Roem of unknown cards: the deals that have several such melds are not drawn more often."""
    rng = random.Random(3)
    rules = load_ruleset("heerlen")
    found = 0
    while found < 3:
        record = random_record(rng, rules)
        full = replay(record, rules)
        claims = [c for c in record.claims if c.kind == "roem"]
        if not record.plays or not claims or full.violations:
            continue
        for ply in range(4, 24):
            for seat in range(4):
                knowledge = known(full, seat, ply)
                if not knowledge.demands or not 20 < knowledge.bound() < 4000:
                    continue
                right = list(knowledge.every())
                if not 10 < len(right) < knowledge.bound():
                    continue
                sampler = knowledge.sampler(seed=found)
                counts = Counter(sampler.draw() for _ in range(20 * len(right)))
                assert set(counts) <= set(right)
                chi = sum((counts[d] - 20) ** 2 / 20 for d in right)
                assert abs(chi - len(right) + 1) < 5 * sqrt(2 * len(right))
                found += 1
                break
            else:
                continue
            break


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_true_deal_admissible_and_no_sample_contradicts(rules: str) -> None:
    rng = random.Random(17)
    loaded = load_ruleset(rules)
    drawn = moments = 0
    for i in range(60):
        record = random_record(rng, loaded)
        if i % 2:
            record = spoil(rng, record)
        full = replay(record, loaded)
        for ply in range(len(record.plays)):
            seat = rng.randrange(4)
            if full.has_discard and full.middle is None:
                continue
            try:
                knowledge = known(full, seat, ply)
                truth = true_deal(full, ply)
            except NotKnown:
                continue
            moments += 1
            assert knowledge.admits(truth), (record, seat, ply)
            if ply % 8 == i % 8:
                sampler = knowledge.sampler(seed=i)
                for _ in range(2):
                    drawn += 1
                    assert fits(full, ply, sampler.draw()), (record, seat, ply)
    assert moments > 400
    assert drawn > 100


def test_a_void_from_a_card_flagged_later_is_withdrawn() -> None:
    simulator = Simulator("heerlen", seed=4)
    withdrawn = 0
    for _ in range(15):
        record = simulator.hand(fault="revoke")
        full = replay(record)
        for v in full.violations:
            if v.code not in ("revoke", "undertrump"):
                continue
            for ply in range(v.ply + 1, 32, 3):
                for seat in {0, 1, 2, 3} - {v.seat}:
                    assert known(full, seat, ply).admits(true_deal(full, ply))
                    withdrawn += 1
    assert withdrawn > 50


def test_an_unflagged_discard_of_another_suit_proves_a_void() -> None:
    """RULES 5.1: neither the led suit nor a trump: void of the suit, trumps may be there."""
    rules = load_ruleset("heerlen")
    rng = random.Random(1)
    checked = 0
    while checked < 20:
        record = random_record(rng, rules)
        full = replay(record, rules)
        if len(record.plays) < 4 or full.outcome.trump is None or full.outcome.trump > 3:
            continue
        led, second = record.plays[0].card, record.plays[1].card
        trumps = int(rules.tables.trumps[full.outcome.trump])
        suit = int(rules.tables.suit[led])
        if suit == trumps or (suit | trumps) >> second & 1:
            continue
        follower, observer = full.seats[1], full.seats[2]
        knowledge = known(full, observer, 2)
        if knowledge.fixed[follower]:
            continue
        assert knowledge.allowed[follower] & suit == 0
        if full.called is None and full.middle is not None:
            other = trumps & knowledge.hidden & ~(1 << full.middle)
            assert knowledge.allowed[follower] & other == other
        checked += 1


@pytest.mark.parametrize("duty", range(128))
def test_an_offence_never_needs_two_cards_together(duty: int) -> None:
    """For every combination of duties: a card is an offence from a hand exactly when it is one
    from that card and some single other card of the hand."""
    rng = random.Random(duty)
    tables = load_ruleset("heerlen").tables
    for _ in range(150):
        trump = rng.randrange(5)
        cards = rng.sample(range(33), rng.randint(3, 9))
        led, rest = cards[0], cards[1:]
        best = led
        table = rng.sample(range(33), 2)
        for c in table:
            if c not in cards and tables.wins(trump, best, c):
                best = c
        suit, trumps = int(tables.suit[led]), int(tables.trumps[trump])
        better, jas = int(tables.beats[trump, best]), int(tables.jas[trump])
        hand = mask_of(rest)
        for c in rest:
            whole = offence(duty, hand, suit, trumps, better, jas, 1 << c)
            single = any(
                offence(duty, 1 << x, suit, trumps, better, jas, 1 << c) for x in rest if x != c
            )
            assert bool(whole) == single, (duty, trump, cards, c)
        assert legal_mask(duty, hand, suit, trumps, better, jas) & ~hand == 0


def test_what_a_seat_knows_does_not_depend_on_what_it_cannot_see() -> None:
    """The knowledge from the whole record equals that from a record of what the seat saw."""
    rng = random.Random(23)
    compared = 0
    for rules in BUILTIN_IDS:
        loaded = load_ruleset(rules)
        for _ in range(8):
            record = replace(random_record(rng, loaded), claims=())
            full = replay(record, loaded)
            if full.violations or not record.plays:
                continue
            for ply, seat in product((0, 3, 9, 17, 26), range(4)):
                if full.at(ply).exposed:
                    continue
                whole = known(full, seat, ply)
                masked = seen_by(full, seat, ply)
                assert known(replay(masked, loaded), seat, ply) == whole
                compared += 1
    assert compared > 300


def seen_by(full: Replay, seat: int, ply: int) -> HandRecord:
    taken = full.has_discard and seat == full.outcome.declarer
    face_up = full.rules.deal.middle == "taken"
    owners = ["?"] * 33
    for c in cards_in(full.hands[seat]):
        owners[c] = SEATS[seat]
    if face_up and full.middle is not None:
        owners[full.middle] = "M"
    record = full.record
    return replace(
        record, deal="".join(owners), discard=record.discard if taken else None,
        plays=record.plays[:ply], result=Result(),
    )  # fmt: skip


def test_cards_face_up_leave_nothing_open_but_the_discard() -> None:
    rng = random.Random(2)
    rules = load_ruleset("heerlen")
    seen = 0
    while seen < 5:
        record = random_record(rng, rules)
        full = replay(record, rules)
        if full.outcome.contract not in ("pra", "sti"):
            continue
        for seat in range(4):
            deals, whole = known(full, seat, 1).deals(10)
            assert whole
            assert deals == [true_deal(full, 1)]
        seen += 1


def test_in_the_auction() -> None:
    fiches = load_ruleset("limburg")
    hand = mask_of(range(4, 12))  # HA is not among them
    bid = fiches.bid("tro")
    assert bid is not None
    knowledge = known_before_play(fiches, 0, hand & ~1, None, [(1, bid)])
    assert knowledge.room[OUT] == 1
    sampler = knowledge.sampler(1)
    for _ in range(200):
        aces = sum(CARDS[c][1] == "A" for c in cards_in(sampler.draw().hands[1]))
        assert aces >= 3
    with pytest.raises(NotKnown, match="7 cards in hand"):
        known_before_play(fiches, 0, 0b1111111, None)
    with pytest.raises(NotKnown, match="in hand and in the middle"):
        known_before_play(load_ruleset("heerlen"), 0, 0xFF, 0)


def test_what_a_record_lacks_is_said() -> None:
    rules = load_ruleset("heerlen")
    record = random_record(random.Random(8), rules)
    full = replay(replace(record, deal="?" * 33, plays=record.plays[:9]), rules)
    with pytest.raises(NotKnown, match="not all recorded"):
        known(full, 0, 5)
