"""Times and node counts of the solver on 240 deals kept as a file, a quarter of them played alone.

    python benchmarks/solver.py                 everything, a few minutes
    python benchmarks/solver.py exact bounds    only these parts

Every time is processor time of this thread, compilation excluded, and is given as a ratio to a
small calibrating kernel too (a random walk through two megabytes, run before and after). Node
counts are the same on every machine: ``--nodes`` prints nothing else, and ``--check`` compares
them with the bounds below and fails where one is exceeded.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from engine.cards import NO_TRUMP, cards_in
from engine.replay import replay
from engine.rulefile import load_ruleset
from engine.solver import Limits, Position, Search, position_from_replay
from engine.state import Replay
from pandoeren_replay import read
from pandoeren_replay.annotate import annotate
from pandoeren_replay.deal_table import Deal, deal_table, pairs_searched

DEALS = Path(__file__).with_name("deals240.phl")
# Regression bounds of the node counts (median, 99th percentile, worst) over all 240 deals.
PINNED = {
    "exact points, heerlen": (15_406, 142_118, 151_268),
    "  of which declarer alone": (828, 64_145, 68_160),
    "exact points, fiches": (1_016, 4_652, 7_748),
    "exact points, heerlen-literal": (7_631, 40_959, 56_777),
    "exact points, butselaar": (19_400, 152_545, 173_502),
    "exact points, no trumps": (813, 6_396, 7_617),
    ">= 120?": (1, 10_947, 21_759),
    "all tricks": (1, 3_867, 8_371),
    "misère": (6, 52_224, 108_351),
    "piccolo": (32, 21_366, 41_480),
    "annotation of a hand": (35_808, 303_189, 319_291),
    "48 exact values (4 trumps x 12 pairs)": (690_046, 1_782_401, 1_789_819),  # every eighth deal
}


@njit(cache=True)
def _walk(table: Any, steps: int) -> int:
    x = np.uint64(88172645463325252)
    total = 0
    for _ in range(steps):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        total += table[x & np.uint64(262143)]
    return total


def calibrate() -> float:
    """Milliseconds of the calibrating kernel, the best of seven runs."""
    table = np.arange(262144)
    _walk(table, 10)
    best = float("inf")
    for _ in range(7):
        start = time.thread_time()
        _walk(table, 1_000_000)
        best = min(best, time.thread_time() - start)
    return best * 1e3


def replays(rules: str = "heerlen") -> list[Replay]:
    return [replay(r, rules) for r in read(DEALS).records]


def position_of(r: Replay, rules: str, no_trump: bool = False) -> Position:
    """The cards of a deal of the file under other rules: same declarer, partner and trumps."""
    start = position_from_replay(r, 0)
    trump = NO_TRUMP if no_trump else start.trump
    return replace(start, rules=load_ruleset(rules), trump=trump, from_reveal=False)


class Report:
    """Collects times and nodes of one part and prints a line."""

    def __init__(self, kernel: float, only_nodes: bool, repeat: int = 1) -> None:
        self.kernel, self.only_nodes, self.repeat = kernel, only_nodes, repeat
        self.over: list[str] = []

    def run(self, name: str, items: list[Any], work: Callable[[Any], int]) -> None:
        """Time ``work`` on each item, the least of its runs; it returns the nodes it took."""
        if not items:
            return
        times, nodes = [], []
        for item in items:
            least = float("inf")
            for _ in range(self.repeat):
                start = time.thread_time()
                took = work(item)
                least = min(least, time.thread_time() - start)
            nodes.append(took)
            times.append(least * 1e3)
        ms = np.percentile(times, [50, 90, 99, 100])
        count = np.percentile(nodes, [50, 99, 100])
        shown = " / ".join(f"{x:,.0f}" for x in count)
        if self.only_nodes:
            print(f"{name:42s} nodes {shown}")
        else:
            text = " / ".join(f"{x:8.2f}" for x in ms)
            ratio = " / ".join(f"{x / self.kernel:7.1f}" for x in ms)
            print(f"{name:42s} ms {text}   ratio {ratio}   nodes {shown}", flush=True)
        for found, bound in zip(count, PINNED.get(name, ()), strict=False):
            if int(found) > bound:
                self.over.append(f"{name}: {found:,.0f} nodes, bound {bound:,}")


def _exact(position: Position) -> int:
    search = Search(position)
    search.value(position)
    return search.nodes


def _at_least(position: Position, n: int) -> int:
    search = Search(position)
    search.reaches(position, n)
    return search.nodes


def _bounds(position: Position, limit: int) -> int:
    search = Search(position)
    search.bounds(position, Limits(nodes=limit))
    return search.nodes


def _goal(position: Position, goal: str, alone: bool) -> int:
    if alone:
        position = replace(position, side=1 << position.declarer)
    search = Search(position, goal)
    search.value(position)
    return search.nodes


def _entries(position: Position) -> int:
    """4 trumps x 12 pairs of declarer and partner, all exact."""
    return pairs_searched(position.rules, position.hands, position.leader)[1]


def _played(position: Position) -> list[int]:
    """Thirty-two cards of two careless players and two careful ones, the same every time."""
    line = []
    rng = np.random.default_rng(int(position.hands[0]) % 2**32)
    while any(position.hands):
        legal = list(cards_in(position.legal()))
        points = position.rules.tables.points[position.trump]
        low = min(legal, key=lambda c: (int(points[c]), c))
        card = low if rng.random() < 0.5 else int(rng.choice(legal))
        line.append(card)
        position = position.after(card)
    return line


def _played_replays() -> list[Replay]:
    """The deals of the file with thirty-two cards played to each."""
    from engine.record import Play

    out = []
    for r in replays():
        plays = tuple(Play(c) for c in _played(position_from_replay(r, 0)))
        out.append(replay(replace(r.record, plays=plays), "heerlen"))
    return out


def _deal(r: Replay) -> Deal:
    declarer, discard = r.outcome.declarer, r.discard
    assert declarer is not None
    assert discard is not None
    assert r.middle is not None
    assert r.dealer is not None
    return Deal(r.rules, r.hands, r.middle, (r.dealer + 1) % 4, {declarer: discard})


def main() -> int:
    parts = ("exact", "rules", "reaches", "bounds", "goals", "annotate", "table")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", choices=[[], *parts], metavar="PART", default=[])
    parser.add_argument("--every", type=int, default=1, help="only every n-th deal")
    parser.add_argument("--nodes", action="store_true", help="node counts only")
    parser.add_argument("--check", action="store_true", help="fail where a node bound is exceeded")
    parser.add_argument(
        "--repeat", type=int, default=1, help="runs of each item, of which the least time counts"
    )
    args = parser.parse_args()
    if args.check and args.every > 1:
        parser.error("--check needs all deals (the bounds are those of all 240)")
    wanted = args.parts or parts
    hands = replays()[:: args.every]
    deals = [position_of(r, "heerlen") for r in hands]
    _exact(deals[0])  # load the compiled search
    kernel = calibrate()
    report = Report(kernel, args.nodes, max(args.repeat, 1))
    if not args.nodes:
        print(f"calibrating kernel {kernel:.2f} ms; median / p90 / p99 / worst; {len(deals)} deals")
    if "exact" in wanted:
        report.run("exact points, heerlen", deals, _exact)
        alone = [p for p in deals if p.side.bit_count() == 1]
        report.run("  of which declarer alone", alone, _exact)
    if "rules" in wanted:
        for rules in ("fiches", "heerlen-literal", "butselaar"):
            report.run(f"exact points, {rules}", [position_of(r, rules) for r in hands], _exact)
        flat = [position_of(r, "heerlen", no_trump=True) for r in hands]
        report.run("exact points, no trumps", flat, _exact)
    if "reaches" in wanted:
        report.run(">= 120?", deals, lambda p: _at_least(p, 120))
    if "bounds" in wanted:
        report.run("bounds with 20,000 nodes", deals, lambda p: _bounds(p, 20_000))
    if "goals" in wanted:
        report.run("all tricks", deals, lambda p: _goal(p, "all", False))
        report.run("misère", deals, lambda p: _goal(p, "none", True))
        report.run("piccolo", deals, lambda p: _goal(p, "first-only", True))
    if "annotate" in wanted:
        full = _played_replays()[:: args.every]
        report.run("annotation of a hand", full, lambda r: annotate(r).nodes)
    if "table" in wanted:
        some = deals[:: max(1, 8 // args.every)]
        report.run("48 exact values (4 trumps x 12 pairs)", some, _entries)
        tables = [_deal(r) for r in hands[:: max(1, 8 // args.every)]]
        report.run("table of a deal", tables, lambda d: len(deal_table(d, False).lines))
        report.run("table, every discard", tables, lambda d: len(deal_table(d).lines))
    if not args.nodes:
        print(f"calibrating kernel again {calibrate():.2f} ms")
    for line in report.over if args.check else ():
        print(line, file=sys.stderr)
    return 1 if args.check and report.over else 0


if __name__ == "__main__":
    raise SystemExit(main())
