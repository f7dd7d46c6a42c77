"""Write the demo data: an evening and a season of a club that does not exist.

    python benchmarks/make_demo.py

Everything in these files is simulated and says so. The same program and seed give the same files.
"""

from datetime import date, timedelta
from pathlib import Path

import numpy as np

from pandoeren_replay import simulate
from parsers.phl import write_phl

FOLDER = Path(__file__).parent.parent / "data" / "demo"
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


def main() -> None:
    """Write ``evening.phl`` (one table, 32 hands) and ``season.phl`` (three tables a night)."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    simulators = {r: simulate.Simulator(r, SEED + i) for i, r in enumerate(dict.fromkeys(RULES))}
    head = "# Simulated hands: nobody played these. Made by benchmarks/make_demo.py\n"
    names = ["Anneke", "Bas", "Cor", "Dirk"]
    night = date(2026, 11, 26)
    hands = simulators["heerlen"].session(
        "2026-11-26-A", names, 32, night.isoformat(), tempers(names), 0.15, CLUB
    )
    (FOLDER / "evening.phl").write_text(head + "".join(write_phl(h) + "\n" for h in hands))
    rng = np.random.default_rng(SEED)
    lines = []
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
            lines += [write_phl(h) for h in hands]
    (FOLDER / "season.phl").write_text(head + "\n".join(lines) + "\n")
    print(f"{FOLDER}: 32 hands and {len(lines)} hands")


if __name__ == "__main__":
    main()
