"""What advice costs and how good it is: time, deals per second, calibration, matches.

    python benchmarks/advice.py time [HANDS]         one core, processor time, compiling excluded
    python benchmarks/advice.py samples [N]          N deals drawn; each replayed and checked
    python benchmarks/advice.py calibrate [HANDS]    predicted against observed; fits OPEN_WEIGHT
    python benchmarks/advice.py match [DEALS]        the sampling player against the simple one

The figures of docs/advice.md come from here.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from engine.inference import NotKnown, known
from engine.replay import replay
from engine.rulefile import load_ruleset
from engine.state import Replay
from pandoeren_replay.advise import advise_play
from pandoeren_replay.bid_advice import bid_steps
from pandoeren_replay.fair_review import review
from pandoeren_replay.matches import make_player, match, simulate_by
from pandoeren_replay.players.bidding import deal_cards, want_of
from pandoeren_replay.players.cardplay import WANT_NONE
from pandoeren_replay.players.sampling_player import SamplingPlayer
from parsers.phl import read_phl


def demo(n: int) -> list[Replay]:
    text = (files("data") / "demo" / "season.phl").read_text("utf-8")
    records = [r for r in read_phl(text).records if r.plays]
    step = max(1, len(records) // n)
    return [replay(r) for r in records[::step]][:n]


def line(name: str, values: Sequence[float], unit: str = "s") -> None:
    v = sorted(values)
    p90 = v[min(len(v) - 1, int(0.9 * len(v)))]
    middle = v[len(v) // 2]
    print(f"{name:42} median {middle:8.3f}  p90 {p90:8.3f}  worst {v[-1]:8.3f} {unit} (n={len(v)})")


def times(n: int) -> None:
    hands = demo(n)
    for ply in (0, 20):
        advise_play(hands[0], ply, 10)  # loads the compiled code
    by_trick: dict[int, list[float]] = defaultdict(list)
    rates = []
    for full in hands:
        for ply in range(32):
            begin = time.process_time()
            try:
                found = advise_play(full, ply, 100)
            except NotKnown:
                continue
            by_trick[ply // 4].append(time.process_time() - begin)
            rates.append(found.rate)
    line("one decision, 100 deals, trick 1", by_trick[0])
    line("one decision, 100 deals, later tricks", [x for t in range(1, 8) for x in by_trick[t]])
    line("deals solved a second (all decisions)", rates, "")
    spent = []
    for full in hands:
        begin = time.process_time()
        review(full, 100)
        spent.append(time.process_time() - begin)
    line("fair review of a hand, 100 deals a card", spent)
    for rules in ("heerlen", "fiches", "butselaar"):
        loaded, rng, first = load_ruleset(rules), np.random.default_rng(1), []
        for i in range(max(3, n // 3) + 1):
            dealt, middle = deal_cards(rng)
            face_up = middle if loaded.deal.middle == "taken" else None
            begin = time.process_time()
            next(bid_steps(loaded, dealt[0], face_up))
            if i:
                first.append(time.process_time() - begin)
        line(f"bidding, first answer, {rules}", first)


def samples(n: int) -> None:
    from tests.engine.test_inference import fits

    drawn = wrong = 0
    spent = 0.0
    per_moment = 50
    for i, full in enumerate(demo(max(1, n // (per_moment * 8)))):
        for ply in range(i % 4, 32, 4):
            knowledge = known(full, (i + ply) % 4, ply)
            begin = time.process_time()
            sampler = knowledge.sampler(i)
            deals = [sampler.draw() for _ in range(per_moment)]
            spent += time.process_time() - begin
            drawn += len(deals)
            wrong += sum(not fits(full, ply, d) for d in deals)
    print(f"{drawn} deals drawn, {wrong} contradict what was seen; {drawn / spent:.0f} a second")


def calibrate(n: int) -> None:
    cards: list[tuple[float, bool]] = []
    bids: list[tuple[bool, float, float, bool]] = []
    for rules in ("heerlen", "fiches", "butselaar"):
        loaded = load_ruleset(rules)
        player = SamplingPlayer(loaded, 5)
        for i, record in enumerate(simulate_by(player, loaded, n // 3, 11)):
            full = replay(record, loaded)
            o = full.outcome
            if o.made is None or o.bid is None or o.declarer is None:
                continue
            for ply in (3 + i % 4, 10 + i % 4, 17 + i % 4):
                found = advise_play(full, ply, 60, i)
                chance = found.cards[record.plays[ply].card].value
                cards.append((chance, o.made == found.side))
            if o.bid.contract.exposure == "all-from-trick-1":
                continue
            last = max(j for j, c in enumerate(record.auction) if c.text == o.bid.text)
            middle = full.middle if loaded.deal.middle == "taken" else None
            calls = [c.text for c in record.auction[:last]]
            steps = bid_steps(
                loaded, full.hands[o.declarer], middle, calls, record.dealer or 0, i, {o.bid.text}
            )
            next(steps)
            advice = next(steps).of(o.bid.text)
            if advice is not None and advice.open_cards is not None and advice.simple is not None:
                wants = want_of(o.bid.contract) < WANT_NONE
                bids.append((wants, advice.open_cards.value, advice.simple.value, o.made))
    print("cards: predicted chance of the side with the card played, against what came of it")
    table(cards)
    for wants in (True, False):
        rows = [(a, b, made) for w, a, b, made in bids if w == wants]
        if not rows:
            continue
        best = min(
            (sum((w * a + (1 - w) * b - made) ** 2 for a, b, made in rows), w)
            for w in np.linspace(0, 1, 21)
        )
        brier = {w: sum((w * a + (1 - w) * b - m) ** 2 for a, b, m in rows) / len(rows)
                 for w in (0.0, 0.5, 1.0)}  # fmt: skip
        print(
            f"\nbids that {'want' if wants else 'shun'} tricks: weight of open cards {best[1]:.2f}"
        )
        print("Brier score simple / half / open: " + ", ".join(f"{b:.3f}" for b in brier.values()))
        table([(best[1] * a + (1 - best[1]) * b, m) for a, b, m in rows])


def table(rows: Sequence[tuple[float, bool]]) -> None:
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for p, made in rows:
        bins[min(4, int(p * 5))].append((p, made))
    print("| predicted | observed | n |\n|---|---|---|")
    for _, inside in sorted(bins.items()):
        predicted = sum(p for p, _ in inside) / len(inside)
        observed = sum(m for _, m in inside) / len(inside)
        print(f"| {predicted:.0%} | {observed:.0%} | {len(inside)} |")


def matches(deals: int) -> None:
    loaded = load_ruleset("heerlen")
    found = match(
        make_player("solver", loaded), make_player("rules", loaded), loaded, deals, 7, "opposite"
    )
    print(f"{found.a} - {found.b}: {found.mean:+.3f} a deal, 95% {found.interval}")
    print(f"{found.hands} hands, {found.seconds / found.hands:.2f} s a hand")


JOBS = {"time": (times, 12), "samples": (samples, 100_000), "calibrate": (calibrate, 150),
        "match": (matches, 1000)}  # fmt: skip

if __name__ == "__main__":
    job, default = JOBS[sys.argv[1] if len(sys.argv) > 1 else "time"]
    job(int(sys.argv[2]) if len(sys.argv) > 2 else default)
