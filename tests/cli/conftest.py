import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pandoeren_replay import cli

CONFORMANCE = Path(__file__).parents[1] / "conformance"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run one command; --db is a store of the test unless the command names one."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["pandoeren", *map(str, arguments)])
        capfdbinary.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as e:
            code = e.code if isinstance(e.code, int) else int(e.code is not None)
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return call
