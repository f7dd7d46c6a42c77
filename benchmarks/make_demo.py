"""Write the demo data: an evening and a season of a club that does not exist.

    python benchmarks/make_demo.py
    python benchmarks/make_demo.py reviews

Everything in these files is simulated and says so. The same program and seed give the same files.
The second command judges the evening and the last night of the season by what each player could
see, so that a newcomer finds mistakes and puzzles without waiting: some minutes of work.
"""

import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from pandoeren_replay import simulate
from pandoeren_replay.commands.serving import demo_sources
from pandoeren_replay.importer import import_paths
from pandoeren_replay.review_files import write_reviews
from pandoeren_replay.reviewed import review_all
from pandoeren_replay.store import Store
from parsers.base import Options
from parsers.phl import write_phl

FOLDER = Path(__file__).parent.parent / "data" / "demo"
REVIEWS = FOLDER.with_name("reviews") / "demo.parquet"
REVIEWED = "date>=2026-11-19 and date<=2026-11-26 and simulated=yes and plays>0"
"""Which hands are judged beforehand."""
SEED = 33
CLUB = "Club De Kijkkaart (simulated)"
MEMBERS = {
    "Anneke": 0.02, "Bas": -0.02, "Cor": 0.06, "Dirk": -0.06, "Els": 0.0, "Fons": 0.08,
    "Greet": -0.03, "Harrie": 0.03, "Ine": 0.0, "Jo": -0.08, "Kitty": 0.04, "Leo": 0.01,
}  # fmt: skip
EVENINGS = 26
RULES = ("heerlen", "heerlen", "heerlen", "butselaar", "fiches")


def tempers(names: list[str]) -> tuple[simulate.Temper, ...]:
    """Every member dares to bid a little more or less than another."""
    return tuple(simulate.Temper(bold=MEMBERS[n]) for n in names)


def texts() -> dict[str, str]:
    """Name and text of each file: the evening (one table, 32 hands), the season (three tables a
    night).
    """
    simulators = {r: simulate.Simulator(r, SEED + i) for i, r in enumerate(dict.fromkeys(RULES))}
    head = "# Simulated hands: nobody played these. Made by benchmarks/make_demo.py\n"
    names = ["Anneke", "Bas", "Cor", "Dirk"]
    night = date(2026, 11, 26)
    hands = simulators["heerlen"].session(
        "2026-11-26-A", names, 32, night.isoformat(), tempers(names), 0.15, CLUB
    )
    evening = [write_phl(h) for h in hands]
    rng = np.random.default_rng(SEED)
    season = []
    for week in range(EVENINGS):
        day = night - timedelta(weeks=EVENINGS - week)
        order = [str(n) for n in rng.permutation(list(MEMBERS))]
        rules = RULES[week % len(RULES)]
        for table in range(3):
            four = order[4 * table : 4 * table + 4]
            name = f"{day.isoformat()}-{'ABC'[table]}"
            hands = simulators[rules].session(
                name, four, 32, day.isoformat(), tempers(four), 0.03, CLUB
            )
            season += [write_phl(h) for h in hands]
    return {
        name: head + "".join(f"{line}\n" for line in lines)
        for name, lines in (("evening.phl", evening), ("season.phl", season))
    }


def demo_store(folder: Path) -> Store:
    """The whole demo, as ``pandoeren demo`` imports it."""
    store = Store(folder)
    for rules, sources in demo_sources():
        import_paths(store, sources, Options(rules=rules))
    return store


def reviews() -> None:
    """Write the reviews of :data:`REVIEWED`."""
    with tempfile.TemporaryDirectory() as folder:
        store = demo_store(Path(folder) / "demo")
        review_all(store, REVIEWED, jobs=2, progress=lambda what, n, of: print(n, of, flush=True))
        REVIEWS.parent.mkdir(exist_ok=True)
        print(f"{REVIEWS}: {write_reviews(store, REVIEWED, REVIEWS)} hands")


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, "utf-8")
        print(f"{FOLDER / name}: {text.count(chr(10)) - 1} hands")


if __name__ == "__main__":
    reviews() if sys.argv[1:] == ["reviews"] else main()
