"""What advice costs and how good it is: time, deals per second, matches (see also calibrate.py).

    python benchmarks/advice.py time [HANDS]         one core, processor time, compiling excluded
    python benchmarks/advice.py samples [N]          N deals drawn; each replayed and checked
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
from pandoeren_replay.matches import make_player, match
from pandoeren_replay.players.bidding import deal_cards
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


def matches(deals: int) -> None:
    loaded = load_ruleset("heerlen")
    found = match(
        make_player("solver", loaded), make_player("rules", loaded), loaded, deals, 7, "opposite"
    )
    print(f"{found.a} - {found.b}: {found.mean:+.3f} a deal, 95% {found.interval}")
    print(f"{found.hands} hands, {found.seconds / found.hands:.2f} s a hand")


JOBS = {"time": (times, 12), "samples": (samples, 100_000),
        "match": (matches, 1000)}  # fmt: skip

if __name__ == "__main__":
    job, default = JOBS[sys.argv[1] if len(sys.argv) > 1 else "time"]
    job(int(sys.argv[2]) if len(sys.argv) > 2 else default)
