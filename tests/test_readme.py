"""The README's commands are run and its output is what they print."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", TEXT, re.S)


def test_console_blocks_are_real(tmp_path: Path) -> None:
    shutil.copy(ROOT / "data" / "demo" / "evening.phl", tmp_path)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}
    assert len(BLOCKS) == 3
    for block in BLOCKS:
        command, _, expected = block.removeprefix("$ ").partition("\n")
        program, *arguments = command.split()
        assert program == "pandoeren"
        done = subprocess.run(
            [sys.executable, "-c", "from pandoeren_replay.cli import main; main()", *arguments],
            cwd=tmp_path, env=env, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        shown = [line.rstrip() for line in done.stdout.splitlines()]
        assert shown == [line.rstrip() for line in expected.splitlines()], done.stderr


def test_python_example() -> None:
    found = doctest.DocTestParser().get_doctest(
        TEXT.split("```python\n")[1].split("```")[0], {}, "README", "README.md", 0
    )
    runner = doctest.DocTestRunner()
    runner.run(found)
    assert (runner.summarize().attempted > 0, runner.failures) == (True, 0)


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http)([^)]+)\)", TEXT))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
