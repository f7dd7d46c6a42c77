"""Settings and headers of the dashboard."""

import tomllib
from pathlib import Path

import pytest

from pandoeren_replay.ui.server import (
    PASSWORD_VARIABLE,
    SCRIPT,
    SETTINGS,
    ServeError,
    check_host,
)

ROOT = Path(__file__).parents[2]


def test_a_checkout_has_the_same_settings_as_the_installed_command():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    flat = {}
    for section, values in config.items():
        for name, value in values.items():
            if isinstance(value, dict):
                flat |= {f"{section}.{name}.{k}": v for k, v in value.items()}
            else:
                flat[f"{section}.{name}"] = value
    assert flat == SETTINGS


def test_the_script_stands_alone_in_its_folder():
    beside = {p.name for p in SCRIPT.parent.iterdir()} - {"__pycache__"}
    assert beside == {"dashboard.py", "__init__.py"}


def test_others_need_a_password(monkeypatch):
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    check_host("127.0.0.1")
    check_host("localhost")
    with pytest.raises(ServeError, match=PASSWORD_VARIABLE):
        check_host("0.0.0.0")
    monkeypatch.setenv(PASSWORD_VARIABLE, "kijkkaart")
    check_host("0.0.0.0")
