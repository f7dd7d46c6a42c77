"""Whether the value of every card in an annotation is that of a fresh solve with an empty table.

    python benchmarks/fresh.py              200 deals of the kept file, some minutes
    python benchmarks/fresh.py --deals 10
    python benchmarks/fresh.py --adds-up    files of hands given: do the losses add up in each?

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
from engine.replay import replay
from engine.solver import NotSolvable, Search, position_from_replay
from pandoeren_replay import read
from pandoeren_replay.annotate import annotate


def adds_up(files: list[str]) -> int:
    """Whether start - result is the losses of declarer's side less the defenders', in each hand."""
    hands = left_out = 0
    for file in files:
        for record in read(file).records:
            try:
                found = annotate(replay(record))
            except NotSolvable:
                left_out += 1
                continue
            signed = sum(n.loss if n.side else -n.loss for n in found.cards)
            points = found.replay.outcome.points
            whole = len(found.cards) == 32 and found.terms.objective == "points"
            wrong = whole and points is not None and found.result != points[0]
            if found.start - found.result != signed or wrong:
                print(f"{file}: {record.get('id')}: {found.start} - {found.result} is not {signed}")
                return 1
            hands += 1
    print(f"{hands} hands add up, {left_out} cannot be valued")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--adds-up", nargs="+", metavar="FILE", help="files of hands")
    args = parser.parse_args()
    if args.adds_up:
        return adds_up(args.adds_up)
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
