"""Compiles what is otherwise compiled at its first use: ``python -m tests.compiled play|solve``.

Test processes that come to the same function at the same time would each compile it.
"""

import sys
import tempfile
from pathlib import Path

from engine.inference import known
from engine.replay import replay
from pandoeren_replay.commands.solving import prepare
from pandoeren_replay.importer import import_paths
from pandoeren_replay.simulate import simulate_lines
from pandoeren_replay.store import Store
from pandoeren_replay.store.bulk_source import BULK_FROM
from parsers.phl import read_phl

HANDS = Path(__file__).parent / "ui" / "hands.phl"


def play() -> None:
    """The simple players, the batch replay and the bulk road into a store."""
    lines = b"".join(lines for _, lines in simulate_lines(10_000, seed=1))
    assert len(lines) > BULK_FROM
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "simulated.phl"
        file.write_bytes(lines)
        import_paths(Store(Path(folder) / "store"), [file])


def solve() -> None:
    """The solver and the drawing of hidden cards."""
    prepare()
    records = read_phl(HANDS.read_text(encoding="utf-8")).records
    hand = next(r for r in records if r.rules == "heerlen" and len(r.plays) == 32)
    known(replay(hand, "heerlen"), seat=0, ply=8).sampler().draw()


if __name__ == "__main__":
    {"play": play, "solve": solve}[sys.argv[1]]()
