"""The web server round the pages: address, headers, settings, what happens on an error."""

import ipaddress
import logging
import os
import webbrowser
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from threading import Timer
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from pandoeren_replay.ui.warming import while_serving

log = logging.getLogger(__name__)

SCRIPT = Path(__file__).with_name("start") / "dashboard.py"
STORE_VARIABLE = "PANDOEREN_DB"
PASSWORD_VARIABLE = "PANDOEREN_PASSWORD"

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        # Plotly and the tables compile code; components are modules from blob: addresses.
        "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss:",
        "frame-src 'none'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)

# The same settings as .streamlit/config.toml of a checkout; an installed copy has no such file.
SETTINGS: dict[str, Any] = {
    "server.address": "127.0.0.1",
    "server.headless": True,
    "server.fileWatcherType": "none",
    "server.maxUploadSize": 50,
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.disableDataExport": True,
    "client.toolbarMode": "minimal",
    "theme.baseFontSize": 18,
    "theme.light.primaryColor": "#14573a",
    "theme.dark.primaryColor": "#2a7f50",
}

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class ServeError(ValueError):
    """The dashboard cannot be served like this; the text says why and what would do."""


class SecurityHeaders:
    """Adds the headers that keep a browser from running what is not ours."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on; every answer gets the headers."""

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


MIDDLEWARE = [Middleware(SecurityHeaders)]


def on_script_error(error: Exception) -> bool:
    """What a viewer sees when a page fails: a sentence with a way on. Details go to the log."""
    from pandoeren_replay.ui.session import texts

    log.error("a page of the dashboard failed", exc_info=error)
    st.error(texts()("app.page_failed"), icon=":material/error:")
    return True


def application() -> Any:
    """The dashboard as a web application."""
    return st.App(
        SCRIPT, middleware=MIDDLEWARE, on_script_error=on_script_error, lifespan=while_serving
    )


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0"), is_local("club")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str) -> None:
    """Raises :class:`ServeError` for an address that others reach while no password is set."""
    if not is_local(host) and not os.environ.get(PASSWORD_VARIABLE):
        raise ServeError(
            f"others could reach {host}: set a password in the environment variable "
            f"{PASSWORD_VARIABLE} first, or listen on 127.0.0.1"
        )


def serve(
    store: str | Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8501,
    *,
    open_browser: bool = True,
) -> None:
    """Serves the dashboard until it is stopped.

    ``store`` is the folder of the store (default: the user's own). Raises :class:`ServeError`
    for an address that others could reach without a password.
    """
    check_host(host)
    if store is not None:
        os.environ[STORE_VARIABLE] = str(store)
    app = application()
    if open_browser:
        shown = "127.0.0.1" if host == "0.0.0.0" else host
        Timer(1.5, webbrowser.open, [f"http://{shown}:{port}"]).start()
    app.run(config={**SETTINGS, "server.address": host, "server.port": port})
