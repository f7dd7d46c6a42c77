"""Whether the value of every card in an annotation is that of a fresh solve with an empty table.

    python benchmarks/fresh.py              200 deals of the kept file, some minutes
    python benchmarks/fresh.py --deals 10

The annotation asks one table hundreds of questions, from the last card back; a fresh solve asks an
empty one a single question. Prints how many values were compared and fails at the first that
differs.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from solver import _played_replays

from engine.cards import CARDS
from engine.solver import Search, position_from_replay
from pandoeren_replay.annotate import annotate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--deals", type=int, default=200)
    args = parser.parse_args()
    compared = 0
    hands = _played_replays()[: args.deals]
    for i, played in enumerate(hands, 1):
        found = annotate(played)
        goal = found.terms.objective
        for note in found.cards:
            position = position_from_replay(played, note.ply)
            for c, value in note.values.items():
                then = position.after(c)
                taken = then.points[0] if goal == "points" else 0
                fresh = taken + Search(then, goal).value(then)
                if fresh != value:
                    print(f"deal {i}, card {note.ply + 1}, {CARDS[c]}: {value}, fresh {fresh}")
                    return 1
                compared += 1
    print(f"{len(hands)} deals, {compared} values: all equal to a fresh solve")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
