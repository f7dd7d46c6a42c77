"""Interleaved runs and their medians, so that a busy machine is unfair to all alike."""

import argparse
import gc
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Timed:
    """Medians of one contestant, in seconds: on the clock, and of all processors."""

    wall: float
    cpu: float


def interleaved(contestants: dict[str, Callable[[], object]], rounds: int) -> dict[str, Timed]:
    """Run all contestants in turn, ``rounds`` times after one round of warming up."""
    wall: dict[str, list[float]] = {name: [] for name in contestants}
    cpu: dict[str, list[float]] = {name: [] for name in contestants}
    for n in range(rounds + 1):
        for name, run in contestants.items():
            gc.collect()  # what one leaves behind is not the next one's work
            start, used = time.perf_counter(), time.process_time()
            run()
            if n:
                wall[name].append(time.perf_counter() - start)
                cpu[name].append(time.process_time() - used)
    return {
        name: Timed(statistics.median(wall[name]), statistics.median(cpu[name]))
        for name in contestants
    }


def report(times: dict[str, Timed], hands: dict[str, int], base: str) -> None:
    """One line a contestant: rates, and its time a hand as a multiple of that of ``base``."""
    print(f"{'':24}{'hands':>9}{'hands/s':>12}{'us/hand':>9}{'cpu us':>9}{'x':>8}{'cpu x':>8}")
    one = times[base]
    for name, t in times.items():
        n = hands[name]
        wall, cpu = t.wall / n, t.cpu / n
        print(
            f"{name:24}{n:>9}{1 / wall:>12,.0f}{wall * 1e6:>9.2f}{cpu * 1e6:>9.2f}"
            f"{wall / (one.wall / hands[base]):>8.2f}{cpu / (one.cpu / hands[base]):>8.2f}"
        )


def peak_memory() -> str:
    """Most memory this process has used."""
    return f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB"


def machine() -> str:
    """What it ran on, and how busy that was."""
    load = os.getloadavg()[0]
    python = platform.python_version()
    return f"{platform.machine()}, {os.cpu_count()} processors, Python {python}, load {load:.1f}"


def arguments(about: str) -> argparse.Namespace:
    """FILE, ``--hands`` (how many are simulated where there is no file) and ``--rounds``."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("file", nargs="?", type=Path, help="a .phl file of distinct hands")
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--rules", default="heerlen")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    return parser.parse_args()


def hands_file(given: Path | None, n: int, rules: str, folder: Path) -> Path:
    """The file given, or one of simulated hands."""
    if given is not None:
        return given
    from pandoeren_replay.simulate import simulate_lines

    file = folder / "simulated.phl"
    with file.open("wb") as f:
        for _, lines in simulate_lines(n, 1, rules):
            f.write(lines)
    return file
