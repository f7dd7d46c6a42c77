"""The whole test run: ``python -m tests``.

Runs the unit tests, doctests and, where a Chromium is there or can be installed, the browser
tests. Without a Chromium it says so and leaves them out; with ``CI=true`` that is a failure.
"""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

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


def run(arguments: list[str], *options: str) -> int:
    """One run of pytest; gives its exit status. What was asked for may be in another run."""
    pytest = [sys.executable, "-m", "pytest", *arguments, *options]
    status = subprocess.run(pytest, cwd=ROOT, check=False).returncode
    return 0 if arguments and status == NONE_CHOSEN else status


def screens(arguments: list[str]) -> int:
    """The browser tests on all cores, then by themselves those that measure how fast a key is
    answered. Gives the first exit status that is not 0.
    """
    marked: tuple[tuple[str, list[str]], ...] = (
        ("browser and not timed", ["-n", "auto", "--dist", "loadfile"]),
        ("browser and timed", []),
    )
    for marks, spread in marked:
        status = run(arguments, "-m", marks, *spread)
        if status == TESTS_FAILED:
            # A browser on a busy machine can miss a time limit; what fails twice is broken.
            print("Some browser tests failed: these are run once more.", flush=True)
            again = ["--last-failed", "--last-failed-no-failures", "none"]
            status = run(arguments, "-m", marks, *again)
        if status:
            return status
    return 0


def main(arguments: list[str]) -> int:
    """Run everything that needs no browser on all cores, then the browser tests.

    Returns the exit status, 0 when all runs passed.
    """
    chromium = browser()
    compile_all()
    unit = run(arguments, "-m", "not browser", "-n", "auto", "--dist", "loadfile")
    if chromium is None:
        print("No Chromium found: the browser tests are left out.", flush=True)
        if os.environ.get("CI") == "true":
            print("In CI that is a failure: install Chromium or name it in PANDOEREN_CHROMIUM.")
            return 1
        return unit
    print(f"Browser tests with {chromium}", flush=True)
    os.environ["PANDOEREN_CHROMIUM"] = chromium
    return screens(arguments) or unit


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
