"""Annotation: values, losses, verdicts, declaration, and the table of a deal."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import CARDS, NO_TRUMP, SEATS, card, cards_in, names
from engine.record import HandRecord, Play
from engine.replay import replay
from engine.rulefile import load_ruleset
from engine.solver import (
    Limits,
    NotSolvable,
    Position,
    Search,
    position_from_replay,
    solve,
)
from engine.state import NOBODY
from pandoeren_replay import read
from pandoeren_replay.annotate import Annotation, Terms, Unfinished, annotate, annotate_within
from pandoeren_replay.deal_table import ALONE, deal_lines, deal_of, deal_table, pair_values

FILES = sorted((Path(__file__).parent / "conformance").glob("legal-*.phl"))


def hands(path, every=1):
    return [replay(r) for r in read(path).records[::every]]


def identity(annotation):
    return sum(n.loss if n.side else -n.loss for n in annotation.cards)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_losses_lead_from_start_to_result(path):
    for r in hands(path, 7):
        a = annotate(r)
        assert len(a.cards) == 32
        assert a.start - a.result == identity(a)
        assert a.terms.made(a.result) == r.outcome.made
        if a.terms.objective == "points":
            assert a.result == r.outcome.points[0]
        for n in a.cards:
            # Nobody broke a rule here: no card brings more than the best one.
            assert n.loss >= 0
            assert n.values[n.card] == n.after
            assert (n.loss == 0) == bool(n.best >> n.card & 1)
            assert n.forced == (len(n.values) == 1)
            assert not (n.forced and n.mattered)
            if n.forced:
                assert n.verdict == "forced"
        assert sum(a.lost_by(s) for s in range(4)) == sum(n.loss for n in a.cards)
        assert all(n in a.mistakes() for n in a.turning_points())


def test_values_equal_a_fresh_solve():
    for name in ("legal-heerlen", "legal-fiches", "legal-butselaar"):
        for r in hands(Path(__file__).parent / "conformance" / f"{name}.phl", 60):
            a = annotate(r)
            for n in a.cards[::3]:
                position = position_from_replay(r, n.ply)
                taken = position.points[0] if a.terms.objective == "points" else 0
                for c, v in n.values.items():
                    then = position.after(c)
                    now = then.points[0] if a.terms.objective == "points" else 0
                    assert v == now + Search(then, a.terms.objective).value(then)
                best = solve(position, a.terms.objective)
                assert n.before == taken + best.value
                assert n.best == best.best


# Hearts trumps, North plays alone for 120 (nothing called); he holds the top of everything.
DEAL = {
    "N": ["HJ", "H9", "HA", "SA", "SK", "SQ", "DA", "CA"],
    "E": ["HK", "HQ", "ST", "S9", "DK", "DQ", "CK", "CQ"],
    "S": ["HT", "H8", "S8", "S7", "DJ", "DT", "CJ", "CT"],
    "W": ["H7", "H6", "SJ", "D9", "D8", "C9", "C8", "C7"],
}


def record_of(line, **changes):
    owner = {c: s for s, cards in DEAL.items() for c in cards}
    deal = "".join(owner.get(c, "M") for c in CARDS)
    base = HandRecord(
        rules="heerlen",
        dealer=3,
        deal=deal,
        auction_state="unknown",
        declarer=0,
        contract="120",
        trump="H",
        called="CK",
        discard="D7",
        plays=tuple(Play(card(c)) for c in line.split()),
    )
    return replace(base, **changes)


def test_verdicts_in_the_terms_of_the_contract():
    # North must not lead small: with HJ, H9, HA he draws trumps and takes everything.
    a = annotate(replay(record_of("HJ HQ H8 H6 H9 HK HT H7")))
    assert a.start == a.result == 146 - 0
    assert [n.verdict for n in a.cards] == [
        n.verdict for n in a.cards if n.verdict in ("best", "no-difference", "forced")
    ]
    assert a.cards[0].text("en").startswith("North, ♥J: with open cards ")
    assert a.cards[0].text("nl").startswith("Noord, ♥B: met open kaarten ")
    assert a.accuracy(0) in (None, 1.0)
    # The last trump of West is the only card that he may play to the second round.
    forced = a.cards[7]
    assert forced.forced
    assert forced.text("nl") == "West, ♥7: met open kaarten de enige kaart."


def test_turned_cost_and_their_sentences():
    seen = {}
    for path in FILES:
        for r in hands(path, 9):
            for n in annotate(r).cards:
                if n.loss:
                    key = (n.verdict, n.side, n.terms.made(n.after), n.terms.objective == "points")
                    seen.setdefault(key, n)
    turned = seen["turned", True, False, True]
    assert "this card turned a made contract into a lost one (better: " in turned.text("en")
    assert "maakte deze kaart van een gemaakt bod een verloren bod (beter: " in turned.text("nl")
    given = seen["turned", False, True, True]
    assert "turned a lost contract into a made one" in given.text("en")
    still = seen["cost", True, True, True]
    assert f"cost {still.loss} point" in still.text("en")
    assert "contract still made" in still.text("en")
    assert "het bod blijft gemaakt" in still.text("nl")
    assert "contract lost anyway" in seen["cost", True, False, True].text("en")
    assert ("turned", True, False, False) in seen
    for n in seen.values():
        assert "with open cards" in n.text("en")
        assert "met open kaarten" in n.text("nl")
        assert n.as_json()["best"] == names(n.best)


def test_a_card_that_breaks_a_rule_is_judged_too():
    # East revokes on the third round of spades (he has S9) and discards; South plays out of turn.
    line = "SA ST S7 SJ SK DK S8 C9"
    a = annotate(replay(record_of(line)))
    revoke = a.cards[5]
    assert not revoke.regular
    assert CARDS[revoke.card] == "DK"
    assert a.start - a.result == identity(a)
    plays = [Play(card(c)) for c in ["SA", "S7", "ST", "SJ"]]
    plays[1] = Play(card("S7"), 2)
    turned = replay(record_of("", plays=tuple(plays)))
    assert [v.code for v in turned.violations if v.code == "out-of-turn"]
    b = annotate(turned)
    assert b.cards[1].seat == 2
    assert not b.cards[1].regular
    assert b.start - b.result == identity(b)


def test_a_hand_that_stopped_early():
    full = annotate(replay(record_of("HJ HQ H8 H6 H9 HK HT H7")))
    part = annotate(replay(record_of("HJ HQ H8")))
    assert part.cards == full.cards[:3]
    none = annotate(replay(record_of("")))
    assert none.cards == ()
    assert none.start == none.result == full.start


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"deal": "?" * 33}, "hands are not known"),
        ({"contract": None, "declarer": None}, "contract is not known"),
        ({"trump": "?"}, "trump"),
        ({"plays": tuple(Play(card(c)) for c in ["HJ", "HQ", "HJ", "H6", "H9"])}, "not held"),
    ],
)
def test_what_cannot_be_solved_is_said(changes, words):
    r = replay(record_of("", **changes))
    with pytest.raises(NotSolvable) as caught:
        annotate(r)
    text = f"{caught.value.en} / {caught.value.nl}"
    assert any(w in text for w in (words, "not all four hands are known", "not known"))
    assert caught.value.nl != caught.value.en


def test_passed_out():
    r = replay(HandRecord(rules="heerlen", result=HandRecord().result, auction_state="absent"))
    with pytest.raises(NotSolvable):
        annotate(r)


def exhaustive(r, kind):
    """Values of all choices by solving each from scratch."""
    start = position_from_replay(r, 0)
    out = {}
    d = start.declarer
    if kind == "discard":
        nine = start.hands[d] | 1 << r.discard
        for c in cards_in(nine):
            changed = list(start.hands)
            changed[d] = nine & ~(1 << c)
            out[c] = solve(replace(start, hands=tuple(changed)), r.outcome.bid.contract.goal).value
    if kind == "called":
        own = start.hands[d] | (0 if r.discard is None else 1 << r.discard)
        for c in cards_in(((1 << 33) - 1) & ~own):
            side = 1 << d
            side |= sum(1 << s for s in range(4) if start.hands[s] >> c & 1)
            there = replace(start, called=c, side=side)
            out[c] = solve(there, r.outcome.bid.contract.goal).value
    return out


def test_discard_and_call_against_trying_each():
    kinds = set()
    for name, every in (("legal-heerlen", 40), ("legal-fiches", 60)):
        for r in hands(Path(__file__).parent / "conformance" / f"{name}.phl", every):
            a = annotate(r, declaration=True)
            for n in a.declaration:
                kinds.add(n.kind)
                assert n.value == a.start
                assert n.best >= n.value
                assert n.chosen in n.options
                assert "with open cards" in n.text("en")
                assert "met open kaarten" in n.text("nl")
                if n.kind == "trump" or (n.kind == "called" and name == "legal-heerlen"):
                    continue
                each = exhaustive(r, n.kind)
                assert n.best == max(each.values())
                for c in n.best_choices:
                    assert each[c] == n.best
    assert kinds == {"discard", "trump", "called"}


@pytest.mark.parametrize("rules_id", ["heerlen", "fiches", "butselaar", "limburg"])
def test_table_of_a_deal(rules_id):
    path = Path(__file__).parent / "conformance" / f"legal-{rules_id}.phl"
    r = hands(path)[1]
    deal = deal_of(r)
    rules = r.rules
    quick = deal_table(deal, best_discard=False)
    whole = deal_table(deal)
    keys = {(s, k) for s in range(4) for k in rules.auction.order}
    assert set(quick.lines) == set(whole.lines) == keys
    for key, line in whole.lines.items():
        assert line.final
        assert line.value >= quick.lines[key].value
        contract = rules.contracts[line.contract]
        assert (line.trump != NO_TRUMP) == contract.trump or line.value == 0
        if line.bid is None:
            continue
        assert line.bid.key == line.contract
        if contract.goal == "points":
            assert line.value >= line.bid.target
        # The line says how: played so, it is worth what it says.
        start = made_position(deal, line)
        assert solve(start, contract.goal).value == line.value
    best = whole.highest_bid()
    assert best is None or all(
        x.bid is None or x.bid.rank <= best.bid.rank for x in whole.lines.values()
    )
    for s in range(4):
        top = whole.best_score(s)
        scores = [
            rules.contracts[x.contract].score
            for (seat, _), x in whole.lines.items()
            if seat == s and x.bid
        ]
        assert (top is None) == (not scores)
        assert top is None or rules.contracts[top.contract].score == max(scores)


def made_position(deal, line):
    rules = deal.rules
    contract = rules.contracts[line.contract]
    held = list(deal.hands)
    if line.discard is not None:
        held[line.seat] = (held[line.seat] | 1 << deal.middle) & ~(1 << line.discard)
    side = 1 << line.seat
    called = None if line.called == ALONE else line.called
    for s in range(4):
        if called is not None and held[s] >> called & 1:
            side |= 1 << s
    return Position(
        rules,
        line.trump,
        tuple(held),
        line.seat if rules.play.first_lead == "declarer" else deal.forehand,
        side,
        line.seat,
        called=called,
        from_reveal=rules.partner.counts_from == "reveal" and contract.goal == "points",
        first_joins=contract.partner == "first-trick-winner",
    )


def test_the_table_uses_the_discard_really_made():
    r = hands(Path(__file__).parent / "conformance" / "legal-heerlen.phl")[4]
    deal = deal_of(r)
    declarer = r.outcome.declarer
    lines = deal_table(deal, best_discard=False).lines
    for (s, _), line in lines.items():
        if s == declarer and line.value:
            assert line.discard == r.discard


def test_the_table_can_be_stopped_and_keeps_what_it_has():
    r = hands(Path(__file__).parent / "conformance" / "legal-heerlen.phl")[6]
    deal = deal_of(r)
    stop = threading.Event()
    found = []
    for line in deal_lines(deal, stop=stop):
        found.append(line)
        if len(found) == 9:
            stop.set()
    assert 9 <= len(found) < 4 * len(r.rules.auction.order)
    whole = deal_table(deal, best_discard=False).lines
    for line in found:
        assert whole[line.seat, line.contract].value == line.value


@pytest.mark.parametrize("rules_id", ["butselaar", "fiches"])
def test_values_of_all_pairs(rules_id):
    path = Path(__file__).parent / "conformance" / f"legal-{rules_id}.phl"
    deal = deal_of(hands(path)[2])
    found = pair_values(deal.rules, deal.hands, deal.forehand)
    assert len(found) == 48
    for (trump, declarer, partner), value in list(found.items())[::5]:
        first = deal.rules.play.first_lead
        start = Position(
            deal.rules,
            trump,
            deal.hands,
            declarer if first == "declarer" else deal.forehand,
            1 << declarer | 1 << partner,
            declarer,
        )
        assert solve(start).value == value


def test_terms():
    rules = load_ruleset("heerlen")
    points = Terms.of(rules.bid("130"), 20)
    assert points.made(110)
    assert not points.made(109)
    plus = Terms.of(rules.bid("pan+20"), 0)
    assert not plus.made(1), "all tricks without the roem asked for"
    assert Terms.of(rules.bid("pan+20"), 20).made(1)
    assert NOBODY == ALONE
    assert SEATS == "NESW"


def test_a_review_within_a_limit_keeps_what_is_proven():
    played = hands(Path(__file__).parent / "conformance" / "legal-heerlen.phl", 10)
    hand = next(r for r in played if annotate(r).nodes > 25_000)
    whole = annotate(hand, declaration=True)
    counts = []
    for nodes in (1, 200, 2_000, 20_000):
        cut = annotate_within(hand, Limits(nodes=nodes), declaration=True)
        assert isinstance(cut, Unfinished)
        assert cut.lower <= whole.start <= cut.upper
        assert cut.cards == whole.cards[len(whole.cards) - len(cut.cards) :]
        counts.append(len(cut.cards))
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    stop = threading.Event()
    stop.set()
    stopped = annotate_within(hand, Limits(stop=stop))
    assert isinstance(stopped, Unfinished)
    assert stopped.cards == ()
    full = annotate_within(hand, Limits(nodes=10**9, seconds=600), declaration=True)
    assert isinstance(full, Annotation)
    assert full.cards == whole.cards
    assert full.declaration == whole.declaration


def test_roem_is_said_to_be_left_out_of_a_declaration():
    for rules_id in ("heerlen", "fiches"):
        path = Path(__file__).parent / "conformance" / f"legal-{rules_id}.phl"
        for r in hands(path, 40):
            done = annotate(r, declaration=True)
            for note in done.declaration:
                counts = r.outcome.bid.uses_points
                assert ("roem" in note.text("en")) == ("roem" in note.text("nl")) == counts
                if counts:
                    said = "as it was announced" if done.terms.meld else "left out"
                    assert said in note.text("en")


OTHERS = ("corrupt", "partial", "sample", "sessions")


@pytest.mark.parametrize("name", OTHERS)
def test_losses_add_up_in_hands_with_claims_revokes_and_gaps(name):
    seen = irregular = claims = 0
    for r in hands(Path(__file__).parent / "conformance" / f"{name}.phl"):
        try:
            a = annotate(r)
        except NotSolvable:
            continue
        seen += 1
        claims += bool(r.record.claims)
        irregular += any(not n.regular for n in a.cards)
        assert a.start - a.result == identity(a)
        if len(a.cards) == 32 and a.terms.objective == "points":
            assert a.result == r.outcome.points[0]
    assert seen
    assert irregular or name != "corrupt"
    assert claims or name != "sessions"


def test_losses_add_up_in_simulated_hands():
    path = Path(__file__).parent.parent / "data" / "demo" / "evening.phl"
    for r in hands(path):
        if r.record.plays:
            a = annotate(r)
            assert a.start - a.result == identity(a)
            if a.terms.objective == "points" and len(a.cards) == 32:
                assert a.result == r.outcome.points[0]
