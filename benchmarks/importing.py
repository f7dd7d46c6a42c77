"""Import of a .phl file into a new store against DuckDB's own read_csv of the same file.

python -m benchmarks.importing hands.phl
"""

import shutil
import tempfile
from pathlib import Path

import duckdb

from benchmarks.timing import arguments, hands_file, interleaved, machine, peak_memory, report
from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import generations
from pandoeren_replay.store.store import Store
from parsers.phl import FIELDS


def read_csv(file: Path, place: Path, threads: int) -> None:
    """Nine texts a line into a table of a DuckDB file."""
    place.unlink(missing_ok=True)
    columns = dict.fromkeys(FIELDS, "VARCHAR")
    con = duckdb.connect(str(place), config={"threads": threads})
    con.execute(
        f"CREATE TABLE hand AS SELECT * FROM read_csv(?, delim=' ', header=false, quote='', "
        f"escape='', comment='#', columns={columns})",
        [str(file)],
    ).fetchall()
    con.close()


def main() -> None:
    asked = arguments(__doc__ or "")
    connect = generations.connect

    def with_threads(*args: object, **more: object) -> object:
        con = connect(*args, **more)  # type: ignore[arg-type]
        con.execute(f"SET threads = {asked.threads}")
        return con

    generations.connect = with_threads
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = hands_file(asked.file, asked.hands, asked.rules, folder)
        csv, club = folder / "csv.duckdb", folder / "club"

        def bring_in() -> None:
            shutil.rmtree(club, ignore_errors=True)
            import_paths(Store(club), [file])

        times = interleaved(
            {"read_csv to a file": lambda: read_csv(file, csv, asked.threads), "import": bring_in},
            asked.rounds,
        )
        n = Store(club).count()
        print(machine(), f"threads {asked.threads}")
        report(times, {"read_csv to a file": n, "import": n}, "read_csv to a file")
        sizes = {"read_csv": csv, "store": Store(club).file(), "text": file}
        told = ", ".join(f"{k} {p.stat().st_size / n:.0f}" for k, p in sizes.items())
        print(f"bytes a hand: {told}; {peak_memory()}")


if __name__ == "__main__":
    main()
