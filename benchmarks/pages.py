"""How long a page of the dashboard takes, in a real browser, over a store of any size.

    python -m benchmarks.pages --hands 1000000
    python -m benchmarks.pages --hands 1000000 --keep folder     once more on the same store

The hands are simulated, and get names, dates and sessions: sixty clubs of eight players, evenings
of 32 hands. Every page is opened from another one by its link in the menu, as a viewer does, until
it has drawn what it is about and nothing on it moves any more. ``start``: the first look, ten
seconds after the server was started; ``import``: the first look, five seconds after more hands came
in from the command line, while the server ran; ``again``: the median of later looks (answers are
kept until the next import); each on the clock and, where Linux tells it, in processor time of the
server. The replayer is opened by a hand of the list.
"""

import argparse
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.timing import machine
from pandoeren_replay.simulate import simulate_lines
from pandoeren_replay.ui.navigation import DEFAULT, IN_SIGHT, PAGES

UNTIL = {
    "evening": "table", "hands": "tbody tr", "contracts": "table", "bidding": "table",
    "players": "table", "partners": "table", "replay": ".pandoeren[data-step]",
}  # fmt: skip
"""What must stand on a page before it counts as drawn, beside its heading."""

AGAIN = 5
AFTER_START, AFTER_IMPORT = 10_000, 5_000
"""Milliseconds that the server has for making answers ready, before the first viewer comes."""

READY = 60.0
CLUBS, MEMBERS, EVENING = 60, 8, 32
IDLE = "[data-testid='stApp'][data-test-script-state='notRunning']"
THERE = "name => location.pathname.replace(/^.*[/]/, '') == name"
RUN = [sys.executable, "-c", "from pandoeren_replay.cli import main; main()"]


def named(lines: bytes, first: int, rng: random.Random) -> Iterator[str]:
    """Simulated hands as those of clubs: players, date, session and number of the hand."""
    for i, line in enumerate(lines.decode().splitlines(), first):
        evening, hand = divmod(i, EVENING)
        if hand == 0 or i == first:
            club = evening % CLUBS
            names = rng.sample(range(MEMBERS), 4)
            day = date(2000, 1, 1) + timedelta(7 * (evening // CLUBS))
            seats = ";".join(f"{s}=speler%20{club}.{n}" for s, n in zip("nesw", names))
            meta = f"{seats};date={day.isoformat()};session={day.isoformat()}%20club%20{club}"
        yield f"{line};{meta};hand={hand + 1}\n"


def write_hands(file: Path, n: int, seed: int) -> None:
    """``n`` hands of clubs into a file."""
    rng, first = random.Random(seed), 0
    with file.open("w", encoding="utf-8", newline="\n") as out:
        for count, lines in simulate_lines(n, seed, "heerlen"):
            out.writelines(named(lines, first, rng))
            first += count


def import_hands(store: Path, n: int, seed: int) -> None:
    """Simulate hands and import them by the command line."""
    with tempfile.TemporaryDirectory(prefix="pandoeren-") as folder:
        file = Path(folder) / f"clubs-{seed}.phl"
        write_hands(file, n, seed)
        command = [*RUN, "import", "--db", str(store), str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def serving(store: Path) -> Iterator[tuple[str, int]]:
    """The dashboard in a process of its own; its address and the number of the process."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = int(s.getsockname()[1])
    command = [*RUN, "serve", "--db", str(store), "--port", str(port), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + READY
        while True:
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        yield url, server.pid
    finally:
        server.terminate()
        server.wait()


def processor(pid: int) -> float:
    """Processor seconds of a process so far; 0 where that is not told."""
    told = Path(f"/proc/{pid}/stat")
    if not told.exists():
        return 0.0
    fields = told.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def change(page: Page, name: str, pid: int) -> tuple[float, float]:
    """Seconds from the click on a page's link until it stands there, and of the processor."""
    if name == "replay":
        link = page.locator("tr.leads button").first
    elif name in IN_SIGHT:
        link = page.locator(".st-key-pages a").nth(IN_SIGHT.index(name))
    else:
        page.locator(".st-key-pages [data-testid='stPopover'] button").click()
        link = page.locator("[data-testid='stPopoverBody'] a").nth(list(PAGES).index(name))
    link.wait_for()
    address = "" if name == DEFAULT else name
    start, used = time.perf_counter(), processor(pid)
    link.click()
    page.wait_for_function(THERE, arg=address, timeout=READY * 1000, polling=10)
    # Until then parts of the page before it still stand there.
    page.wait_for_selector(IDLE, timeout=READY * 1000)
    page.locator(UNTIL.get(name, "h2")).first.wait_for(timeout=READY * 1000)
    return time.perf_counter() - start, processor(pid) - used


def look(page: Page, names: list[str], pid: int) -> dict[str, tuple[float, float]]:
    """Every page once, in order."""
    out = {}
    for name in names:
        out[name] = change(page, name, pid)
        page.wait_for_timeout(300)
    return out


def measure(store: Path, chromium: str, more: int) -> dict[str, list[tuple[float, float]]]:
    """For each page: seconds at the first look, after an import (``more`` hands), later (median),
    each with processor seconds of the server.

    Ends with the page it began with, so that each is reached from another one.
    """
    names = [n for n in PAGES if n != "about"]
    with serving(store) as (url, pid), sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="nl-NL")
        page.goto(f"{url}/about")
        page.wait_for_selector("h2", timeout=READY * 1000)
        page.wait_for_selector(IDLE, timeout=READY * 1000)
        page.wait_for_timeout(AFTER_START)
        first = look(page, names, pid)
        change(page, "about", pid)
        import_hands(store, more, 2)
        page.wait_for_timeout(AFTER_IMPORT)
        imported = look(page, names, pid)
        rounds = [look(page, names, pid) for _ in range(AGAIN)]
        browser.close()
    out = {}
    for n in names:
        wall, cpu = zip(*(r[n] for r in rounds), strict=True)
        out[n] = [first[n], imported[n], (statistics.median(wall), statistics.median(cpu))]
    return out


def main() -> None:
    """Make the store, look at every page, print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="folder of the store; used again if it is there")
    parser.add_argument("--more", type=int, default=64, help="hands that come in meanwhile")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pandoeren-") as folder:
        made = asked.keep or Path(folder) / "made"
        if not made.exists():
            import_hands(made, asked.hands, 1)
        # Hands come in while it is measured: into a copy, so that what is kept stays as it is.
        store = Path(folder) / "measured"
        shutil.copytree(made, store)
        found = measure(store, asked.chromium, asked.more)
    print(f"{machine()}, {asked.hands:,} hands")
    heads = "".join(f"{h:>9}{'cpu':>7}" for h in ("start", "import", "again"))
    print(f"{'page':12}{heads}")
    for name, times in found.items():
        print(f"{name:12}" + "".join(f"{wall:9.2f}{cpu:7.2f}" for wall, cpu in times))


if __name__ == "__main__":
    main()
