"""A real browser in front of a real server on a store imported from a file of this repository."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

HANDS = Path(__file__).parents[1] / "ui" / "hands.phl"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Streamlit's own page sets a flag for crawlers in an inline script; the policy rightly stops it.
KNOWN_COMPLAINTS = ("inline script violates", "404 (Not Found)")


def chromium() -> str | None:
    """Path of a Chromium, from PANDOEREN_CHROMIUM or the usual names."""
    named = os.environ.get("PANDOEREN_CHROMIUM")
    if named:
        return named
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for n in names if (path := shutil.which(n))), None)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with the hands of tests/ui/hands.phl."""
    made = Store(tmp_path_factory.mktemp("browser") / "store")
    totals = import_paths(made, [HANDS])
    assert totals.adds_up
    assert totals.rejected == 0
    return made


@contextmanager
def dashboard(store: Store, folder: Path) -> Iterator[str]:
    """Serves a store as `pandoeren serve` does; gives the address. A traceback in the log fails."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    code = (
        "import sys; from pandoeren_replay.ui.server import serve; "
        "serve(sys.argv[1], port=int(sys.argv[2]), open_browser=False)"
    )
    log = folder / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(store.path), str(port)],
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
    url = f"http://127.0.0.1:{port}"
    for _ in range(120):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=2).close()
            break
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    else:
        process.kill()
    assert process.poll() is None, f"the dashboard did not start: {log.read_text()}"
    yield url
    process.terminate()
    process.wait(20)
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="session")
def server(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the dashboard over the store of all tests."""
    with dashboard(store, tmp_path_factory.mktemp("server")) as url:
        yield url


@pytest.fixture(scope="session")
def chrome() -> Iterator["Contexts"]:
    """The browser."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium found; install it or name one in PANDOEREN_CHROMIUM")
    with sync_api.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield Contexts(browser)
        browser.close()


def settled(page: "sync_api.Page") -> None:
    """Waits until the server has drawn the page: what is clicked before that may be replaced."""
    page.wait_for_selector(
        "[data-testid='stApp'][data-test-script-state='notRunning']", timeout=60_000
    )


class Contexts:
    """Contexts of the browser by their options. Each is kept with what it has loaded and compiled
    of the page, for the next test that asks for the same; what the pages stored in it is not kept.
    """

    def __init__(self, browser: "sync_api.Browser") -> None:
        self.browser = browser
        self.free: dict[str, list[sync_api.BrowserContext]] = {}

    def take(self, options: dict[str, object]) -> "sync_api.BrowserContext":
        """A context that nobody else has."""
        free = self.free.get(repr(options))
        return free.pop() if free else self.browser.new_context(**options)

    def give_back(
        self, options: dict[str, object], context: "sync_api.BrowserContext", url: str
    ) -> None:
        """Closes the pages of an address and forgets what they stored."""
        # On a page without a program, so that nothing is stored after that.
        last = context.new_page()
        for page in context.pages:
            if page != last:
                page.close()
        last.goto(f"{url}/_stcore/health")
        last.evaluate("localStorage.clear()")
        last.close()
        context.clear_cookies()
        context.clear_permissions()
        self.free.setdefault(repr(options), []).append(context)


@dataclass
class Visit:
    """Opens pages as one visitor; what the browser complained of is kept."""

    url: str
    open_context: Callable[..., "sync_api.BrowserContext"]
    complaints: list[str]

    def open(
        self,
        path: str = "/",
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        locale: str = "nl-NL",
        until: str = ".pandoeren[data-step]",
    ) -> "sync_api.Page":
        """A page, waited for until an element is there."""
        context = self.open_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            locale=locale,
        )
        page = context.new_page()
        page.on("pageerror", lambda e: self.complaints.append(str(e)))
        page.on(
            "console",
            lambda m: self.complaints.append(m.text) if m.type == "error" else None,
        )
        page.goto(self.url + path)
        page.wait_for_selector(until, timeout=60_000)
        settled(page)
        return page


@contextmanager
def visitor(url: str, chrome: Contexts) -> Iterator[Visit]:
    """A visitor of an address; fails at the end if the browser reported an error."""
    taken: list[tuple[dict[str, object], sync_api.BrowserContext]] = []

    def open_context(**options: object) -> "sync_api.BrowserContext":
        context = chrome.take(options)
        taken.append((options, context))
        return context

    complaints: list[str] = []
    yield Visit(url, open_context, complaints)
    for options, context in taken:
        chrome.give_back(options, context, url)
    unknown = [c for c in complaints if not any(k in c for k in KNOWN_COMPLAINTS)]
    assert unknown == []


@pytest.fixture
def visit(server: str, chrome: Contexts) -> Iterator[Visit]:
    """A visitor of the dashboard over the store of all tests."""
    with visitor(server, chrome) as found:
        yield found
