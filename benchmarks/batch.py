"""Batch replay of columns against the replay of one hand at a time.

python -m benchmarks.batch hands.phl
"""

import io
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import arguments, hands_file, interleaved, machine, peak_memory, report
from engine.batch import replay_columns
from engine.batch_result import RESULT
from engine.replay import replay
from pandoeren_replay.store.bulk import CHUNKS
from pandoeren_replay.store.columns import ROW_GROUP
from parsers.base import Options
from parsers.phl_bytes import PhlBytesReader

SAMPLE = 500


def main() -> None:
    asked = arguments(__doc__ or "")
    with tempfile.TemporaryDirectory() as folder:
        file = hands_file(asked.file, asked.hands, asked.rules, Path(folder))
        with file.open("rb", buffering=0) as f:
            chunk = next(PhlBytesReader(file.name, Options()).chunks(f))
        room = np.empty(len(chunk), RESULT)
        few = [
            (chunk.record(i), chunk.rules[chunk.columns.hands["rules"][i]])
            for i in range(min(SAMPLE, len(chunk)))
        ]
        data = bytes(chunk.data[: chunk.size])
        reader = PhlBytesReader(file.name, Options(), rooms=3)

        def read() -> None:
            for _ in reader.chunks(io.BytesIO(data), ROW_GROUP // CHUNKS):
                pass

        times = interleaved(
            {
                "batch replay": lambda: replay_columns(chunk.columns, chunk.rules, room=room),
                "reading .phl on bytes": read,
                "step replay": lambda: [replay(record, rules) for record, rules in few],
            },
            asked.rounds,
        )
        n = len(chunk)
        hands = {"batch replay": n, "reading .phl on bytes": n, "step replay": len(few)}
        result = replay_columns(chunk.columns, chunk.rules, room=room)
        print(machine())
        report(times, hands, "batch replay")
        stepped = int(result.hands["stepped"].sum())
        print(f"{stepped} of {n} hands went to the step replay; {peak_memory()}")


if __name__ == "__main__":
    main()
