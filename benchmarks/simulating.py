"""How many distinct hands a second the simple players make on one core, lines of `.phl` included.

    python -m benchmarks.simulating                      every built-in rule set
    python -m benchmarks.simulating heerlen --hands 100000

Times are processor time of this thread, the best of ``--rounds`` interleaved runs; what is done
once (loading compiled code, fitting the players, asking the rule set what it is told to remember)
is timed apart. Ratios are to the calibrating kernel of benchmarks/solver.py. ``--check`` fails
where fewer than 20,000 hands a second are made.
"""

import argparse
import os
import sys
import time

from benchmarks.solver import calibrate
from engine.rulefile import BUILTIN_IDS, load_ruleset
from pandoeren_replay.simulate import BLOCK, simulate_lines

LEAST = 20_000
"""Hands a second on one core that are promised."""


def made(rules: str, n: int, seed: int) -> tuple[float, int, int]:
    """Seconds of processor time, distinct deals and bytes of ``n`` hands."""
    start = time.thread_time()
    lines = b"".join(lines for _, lines in simulate_lines(n, seed, load_ruleset(rules)))
    spent = time.thread_time() - start
    return spent, len({line.split(b" ", 3)[2] for line in lines.splitlines()}), len(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rules", nargs="*", default=list(BUILTIN_IDS), metavar="RULES")
    parser.add_argument("--hands", type=int, default=5 * BLOCK)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    first = {}
    for rules in args.rules:
        start = time.thread_time()
        list(simulate_lines(BLOCK, 1, load_ruleset(rules)))
        first[rules] = time.thread_time() - start
    times: dict[str, list[float]] = {rules: [] for rules in args.rules}
    kernels = []
    told: dict[str, tuple[int, int]] = {}
    for turn in range(args.rounds):
        kernels.append(calibrate())
        for rules in args.rules:
            spent, deals, size = made(rules, args.hands, 2 + turn)
            assert deals == args.hands
            times[rules].append(spent)
            told[rules] = (deals, size)
    kernel = min(kernels)
    print(f"calibrating kernel {kernel:.2f} ms, load {os.getloadavg()[0]:.1f}, {args.hands} hands")
    print(f"{'':18}{'hands/s':>10}{'us a hand':>11}{'hands a kernel':>16}{'bytes':>7}"
          f"{'first 4,096':>13}")  # fmt: skip
    slow = []
    for rules, spent_all in times.items():
        spent = min(spent_all)
        rate = args.hands / spent
        print(
            f"{rules:18}{rate:>10,.0f}{spent / args.hands * 1e6:>11.1f}"
            f"{rate * kernel / 1e3:>16.1f}{told[rules][1] / args.hands:>7.0f}"
            f"{first[rules]:>11.1f} s"
        )
        if rate < LEAST:
            slow.append(rules)
    if args.check and slow:
        print(f"fewer than {LEAST:,} hands a second: {', '.join(slow)}", file=sys.stderr)
    return 1 if args.check and slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
