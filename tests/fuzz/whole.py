"""The whole fuzz campaign: every parser with every engine, one process after another.

``python tests/fuzz/whole.py --out figures.jsonl`` runs what :data:`PLAN` asks (over a million
inputs) and adds the figures of each run to ``figures.jsonl`` as one line; a run that stands there
already is not done again, so that the campaign may be broken off and taken up. After the engines a
run of its own measures the lines that are reached. ``--table`` only shows what the file holds, as
the table of docs/fuzzing.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CAMPAIGN = Path(__file__).with_name("campaign.py")

PLAN = {
    "table": {"atheris": 20_000, "hypothesis": 15_000, "random": 4_000},
    "scoresheet": {"atheris": 8_000, "hypothesis": 10_000, "random": 4_000},
    "typed": {"atheris": 70_000, "hypothesis": 20_000, "random": 10_000},
    "events": {"atheris": 12_000, "hypothesis": 5_000, "random": 4_000},
    "auto": {"atheris": 15_000, "hypothesis": 8_000, "random": 4_000},
    "mapping": {"atheris": 10_000, "hypothesis": 8_000, "random": 4_000},
    "phl": {"atheris": 250_000, "hypothesis": 25_000, "random": 50_000},
    "phn": {"atheris": 120_000, "hypothesis": 25_000, "random": 25_000},
    "phl-bytes": {"hypothesis": 10_000, "random": 6_000},
    "iss": {"atheris": 60_000, "hypothesis": 20_000, "random": 12_000},
    "klaverlive": {"atheris": 15_000, "hypothesis": 8_000, "random": 4_000},
    "bga": {"atheris": 3_000, "hypothesis": 4_000, "random": 1_000},
    "boardgame-io": {"atheris": 3_000, "hypothesis": 4_000, "random": 1_500},
    "exported": {"atheris": 120_000, "hypothesis": 20_000, "random": 30_000},
    "other-game": {"atheris": 120_000, "hypothesis": 15_000, "random": 40_000},
}
"""Inputs of each run: about as much time for each, whatever the speed of the parser."""

COVERAGE = {"auto": 3000, "phn": 3000, "phl": 3000, "bga": 300, "boardgame-io": 700}
"""Inputs of the run that measures the lines reached (1,500 for the others)."""
ENGINES = ("hypothesis", "atheris", "random", "coverage")


def figures(file: Path) -> list[dict[str, Any]]:
    """The runs that a file of figures holds."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def run(parser: str, engine: str, inputs: int, seed: int) -> dict[str, Any]:
    """One run in a process of its own; its faults, if any, are told on standard error."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        out = Path(folder) / "figures.json"
        how = ["--coverage"] if engine == "coverage" else ["--engine", engine]
        argv = [sys.executable, str(CAMPAIGN), "--parser", parser, *how]
        argv += ["--inputs", str(inputs), "--seed", str(seed), "--out", str(out)]
        # libFuzzer leaves its corpus behind: it goes with the folder.
        told = subprocess.run(argv, cwd=folder, env={**os.environ, "TMPDIR": folder},
                              capture_output=True, text=True, check=False)  # fmt: skip
        if not out.exists():
            raise RuntimeError(f"{parser} with {engine} gave no figures: {told.stderr[-2000:]}")
        tally: dict[str, Any] = json.loads(out.read_text("utf-8")) | {"engine": engine}
        if tally["faults"] or tally["inputs"] < inputs:
            print(told.stderr[-20_000:], file=sys.stderr)
        return tally


def table(runs: list[dict[str, Any]]) -> str:
    """The figures as the table of docs/fuzzing.md, the parsers in the order of the plan.

    The share that gave a hand is the lowest of the engines'; of the lines reached the second figure
    is that of the module of which the fewest were.

    >>> run = {"parser": "phl", "inputs": 2000, "with_hand": 500, "share": 0.25, "faults": 0}
    >>> print(table([run | {"engine": "random"}]).splitlines()[-2])
    | `phl` |  |  | 2,000 | 25% |  |
    """
    lines = [
        "| parser | hypothesis | atheris | random | gave a hand | lines reached |",
        "|---|---|---|---|---|---|",
    ]
    engines = ("hypothesis", "atheris", "random")
    totals = dict.fromkeys(engines, 0)
    for parser in PLAN:
        mine = {r["engine"]: r for r in runs if r["parser"] == parser}
        if not mine:
            continue
        for e in engines:
            totals[e] += mine[e]["inputs"] if e in mine else 0
        counts = [f"{mine[e]['inputs']:,}" if e in mine else "" for e in engines]
        share = min((mine[e]["share"] for e in engines if e in mine), default=0.0)
        reached = mine.get("coverage", {}).get("lines", {})
        least = min((n for module, n in reached.items() if module != "all"), default=0.0)
        told = f"{reached['all']:.0f}% ({least:.0f}%)" if reached else ""
        lines.append(f"| `{parser}` | {' | '.join(counts)} | {100 * share:.0f}% | {told} |")
    whole = " | ".join(f"{totals[e]:,}" for e in engines)
    return "\n".join([*lines, f"| all | {whole} | | |"])


def main(argv: list[str] | None = None) -> int:
    """Command line."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    ask.add_argument("--out", type=Path, required=True, help="file of figures, added to")
    ask.add_argument("--parser", action="append", choices=list(PLAN), help="only this one")
    ask.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    ask.add_argument("--share", type=float, default=1.0, help="part of the inputs of the plan")
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--table", action="store_true", help="show what the file holds")
    said = ask.parse_args(argv)
    if said.table:
        print(table(figures(said.out)))
        return 0
    faults = 0
    for parser in said.parser or PLAN:
        for engine, inputs in (PLAN[parser] | {"coverage": COVERAGE.get(parser, 1500)}).items():
            done = {(r["parser"], r["engine"]) for r in figures(said.out)}
            if (parser, engine) in done or engine not in (said.engine or ENGINES):
                continue
            tally = run(parser, engine, max(1, round(inputs * said.share)), said.seed)
            faults += tally["faults"]
            with said.out.open("a", encoding="utf-8") as f:
                f.write(json.dumps(tally) + "\n")
            print(json.dumps(tally), flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
