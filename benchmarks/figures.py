"""Every statistic over a million hands, timed one by one.

A store of simulated hands is multiplied: each copy of a hand has its players' names turned (by 0
to 3 places), another date and another session, so that groups are as many as in a big club; the
cards are the same. So the figures mean nothing; the times are those of so many rows. Values of
cards (`analyze`) of the store are multiplied with their hands.

    pandoeren simulate -n 20000 -o hands.phl; pandoeren import --db base hands.phl
    pandoeren analyze --db base --where "number<=2000" --declaration
    python -m benchmarks.figures base --hands 1000000
"""

import argparse
import datetime as dt
import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program has it

from benchmarks.timing import machine, peak_memory
from engine.record import HandRecord
from pandoeren_replay.export import named, stored_rows
from pandoeren_replay.statistics.queries import can_split
from pandoeren_replay.stats import BY, EXTRA, STATISTICS, figures, pairs
from pandoeren_replay.stats import statistics as overview
from pandoeren_replay.store import Store
from pandoeren_replay.store.decode import decode
from parsers.phl import write_phl

HANDS_OF_AN_EVENING = 40
EVENINGS_OF_A_DAY = 7
FIRST_DAY = dt.date(2000, 1, 1)
PORTION = 100_000
TABLES = 60
"""Tables of four players: 240 names."""


def multiply(base: Store, folder: Path, hands: int) -> Store:
    """A store of ``hands`` hands out of a smaller one, imported as any log is."""
    shutil.rmtree(folder, ignore_errors=True)
    lines = [(i, write_phl(r).rsplit(" ", 1)[0]) for i, r in stored_records_with_numbers(base)]
    text = folder.with_suffix(".phl")
    with text.open("w", encoding="utf-8", newline="\n") as f:
        for n in range(hands):
            copy, at = divmod(n, len(lines))
            evening = n // HANDS_OF_AN_EVENING
            names = (4 * (evening % TABLES) + (copy + k) % 4 for k in range(4))
            players = ";".join(f"{s}=player%20{x}" for s, x in zip("nesw", names, strict=True))
            day = FIRST_DAY + dt.timedelta(days=evening // EVENINGS_OF_A_DAY)
            number, fields = lines[at]
            f.write(
                f"{fields} id={copy}-{number};{players};date={day};session=evening{evening};"
                f"hand={n % HANDS_OF_AN_EVENING + 1};src=simulated\n"
            )
    store = Store(folder)
    store.import_([text])
    text.unlink()
    with store.writing() as con:
        con.execute(f"ATTACH '{base.file()}' AS base (READ_ONLY)")
        con.execute(
            "CREATE TEMP TABLE copies AS SELECT hand_id, split_part(record_id, '-', 2)::BIGINT "
            "AS number FROM hand"
        )
        for name in ("evaluation", "declaration_value"):
            # In portions, as an analysis writes them: a hundred million rows need not be sorted.
            for first in range(1, hands + 1, PORTION):
                con.execute(
                    f"INSERT INTO {name} SELECT v.* REPLACE (c.hand_id AS hand_id) "
                    f"FROM base.{name} v JOIN copies c ON c.number = v.hand_id "
                    f"WHERE c.hand_id BETWEEN {first} AND {first + PORTION - 1} ORDER BY c.hand_id"
                )
        con.execute("DROP TABLE copies")
    return store


def stored_records_with_numbers(store: Store) -> Iterator[tuple[int, HandRecord]]:
    """(hand_id, record) of all hands, each with its rules."""
    for row in stored_rows(store):
        yield int(row["hand_id"]), named(decode(row), row["rules"], row["rules_hash"])


def timed(what: str, run: object, rounds: int) -> float:
    """Best of some runs in seconds, printed with processor time."""
    best, used = 1e9, 1e9
    for _ in range(rounds):
        start, cpu = time.perf_counter(), time.process_time()
        run()  # type: ignore[operator]
        best = min(best, time.perf_counter() - start)
        used = min(used, time.process_time() - cpu)
    mark = "" if best < 1 else "  over a second"
    print(f"{what:44}{best:9.2f} s{used:9.2f} s cpu{mark}", flush=True)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", type=Path, help="a store of simulated hands")
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--of", default="", help="only these statistics, with commas")
    parser.add_argument("--keep", type=Path, help="folder of the multiplied store, used if there")
    args = parser.parse_args()
    folder = args.keep or args.base.with_name(args.base.name + "-many")
    store = Store(folder)
    if not (args.keep and store.exists()):
        store = multiply(Store(args.base), folder, args.hands)
    evaluated = store.rows("SELECT count(DISTINCT hand_id) AS n FROM evaluations")[0]["n"]
    print(f"{store.count()} hands (simulated and multiplied), {evaluated} of them with values")
    print(machine())
    wanted = [s for s in STATISTICS if not args.of or s.id in args.of.split(",")]
    times = []
    if not args.of:
        for by in (*BY, "rules"):
            times.append(timed(f"overview --by {by}", lambda b=by: overview(store, [b]),
                               args.rounds))  # fmt: skip
        times.append(timed("pairs", lambda: pairs(store), args.rounds))
    for s in wanted:
        times.append(timed(f"{s.id} --by {s.by}", lambda x=s: figures(store, [x]), args.rounds))
    for s in wanted:
        if s.id in ("entry", "made", "score_per_hand", "roem_missed") or args.of:
            for by in (*BY, *(e for e in EXTRA if can_split(s, [e]))):
                if by != s.by:
                    times.append(timed(f"{s.id} --by {by}",
                                       lambda x=s, b=by: figures(store, [x], [b]),
                                       args.rounds))  # fmt: skip
    for s in wanted:
        if s.population == "choice":
            times.append(timed(f"{s.id} --by trick,player",
                               lambda x=s: figures(store, [x], ["trick", "player"]),
                               args.rounds))  # fmt: skip
    over = sum(t >= 1 for t in times)
    print(
        f"median {statistics.median(times):.2f} s, longest {max(times):.2f} s, "
        f"{over} of {len(times)} over a second; {peak_memory()}"
    )
    print(machine())
    if not args.keep:
        shutil.rmtree(folder)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
