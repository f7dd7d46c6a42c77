"""The whole test run: ``python -m tests``.

Runs the unit tests, doctests and, where a Chromium is there or can be installed, the browser
tests. Without a Chromium it says so and leaves them out; with ``CI=true`` that is a failure.
"""

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which
from typing import IO

ROOT = Path(__file__).parent.parent
TESTS_FAILED, NONE_CHOSEN = 1, 5  # pytest's exit status
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser() -> str | None:
    """Path of a Chromium, installed as a Debian package first where that is possible."""
    named = os.environ.get("PANDOEREN_CHROMIUM")
    if named:
        return named
    found = next((path for name in BROWSERS if (path := which(name))), None)
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if found is None and is_root and which("apt-get"):
        print("Installing Chromium for the browser tests …", flush=True)
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=env, check=False)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"],
            env=env,
            check=False,
            stdout=subprocess.DEVNULL,
        )
        found = which("chromium")
    return found


def compile_all() -> None:
    """Everything that is compiled once, so that test processes find it compiled."""
    parts = [
        subprocess.Popen([sys.executable, "-m", "tests.compiled", part], cwd=ROOT)
        for part in ("play", "solve")
    ]
    for part in parts:
        part.wait()


def run(arguments: list[str], told: IO[bytes] | None = None) -> int:
    """One run of pytest; gives its exit status. A choice of the caller's may be in another run."""
    pytest = [sys.executable, "-m", "pytest", *arguments]
    status = subprocess.run(pytest, cwd=ROOT, check=False, stdout=told).returncode
    return 0 if len(sys.argv) > 1 and status == NONE_CHOSEN else status


def main(arguments: list[str]) -> int:
    """Run everything that needs no browser on all cores and the browser tests beside it, as they
    mostly wait; then by themselves those that measure how fast a key is answered.

    Returns the exit status, 0 when all runs passed.
    """
    # Whatever a shell starts in the background ignores interrupts, and so would the tests of them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chromium = browser()
    compile_all()
    # In the order of their folders: what takes long is not left to one process at the end.
    spread = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
    unit = [*arguments, "-m", "not browser", *spread]
    if chromium is None:
        status = run(unit)
        print("No Chromium found: the browser tests are left out.", flush=True)
        if os.environ.get("CI") == "true":
            print("In CI that is a failure: install Chromium or name it in PANDOEREN_CHROMIUM.")
            return 1
        return status
    os.environ["PANDOEREN_CHROMIUM"] = chromium
    # Of their own, so that neither run forgets what failed in the other.
    cache = ["-o", f"cache_dir={ROOT / '.pytest_cache' / 'browser'}"]
    in_browser = [*(arguments or ["tests/browser"]), *cache]
    screens = [*in_browser, "-m", "browser and not timed"]
    with ThreadPoolExecutor(1) as beside, tempfile.TemporaryFile() as told:
        shown = beside.submit(run, screens, told)
        status = run(unit)
        screen = shown.result()
        told.seek(0)
        print(f"Browser tests with {chromium}", flush=True)
        print(told.read().decode("utf-8", "replace"), flush=True)
    if screen == TESTS_FAILED:
        # A browser on a busy machine can miss a time limit; what fails twice is broken.
        print("Some browser tests failed: these are run once more.", flush=True)
        screen = run([*screens, "--last-failed", "--last-failed-no-failures", "none"])
    timed = run([*in_browser, "-m", "browser and timed"])
    return status or screen or timed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
