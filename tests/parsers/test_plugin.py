"""A parser of somebody else's, installed as a package: found by its entry point, asked first."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "tests" / "data" / "plugin"
ASK = """
import json, sys
from parsers.detect import parsers, read_path
names = list(parsers())
out = []
for path in sys.argv[1:]:
    r = read_path(path)
    out.append([r.format, len(r.hands), [[x.line, x.code, x.message] for x in r.rejects]])
print(json.dumps([names, out]))
"""


def wheel(folder: Path) -> Path:
    """The plug-in as a wheel: its module, and what its pyproject.toml says of it.

    Made here, since a build backend need not be there where the tests run.
    """
    told = tomllib.loads((PLUGIN / "pyproject.toml").read_text("utf-8"))["project"]
    name, version = told["name"].replace("-", "_"), told["version"]
    info = f"{name}-{version}.dist-info"
    entries = "".join(
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items())
        for group, points in told["entry-points"].items()
    )
    parts = {
        "pandoeren_jasskit.py": (PLUGIN / "pandoeren_jasskit.py").read_text("utf-8"),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entries,
    }
    parts[f"{info}/RECORD"] = "".join(f"{p},,\n" for p in [*parts, f"{info}/RECORD"])
    file = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as z:
        for path, text in parts.items():
            z.writestr(path, text)
    return file


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder into which the plug-in was installed."""
    file = wheel(tmp_path_factory.mktemp("wheel"))
    target = tmp_path_factory.mktemp("site")
    told = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--disable-pip-version-check", "--target", target, file],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return target


def ask(paths, extra):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *map(str, extra)])}
    told = subprocess.run(
        [sys.executable, "-c", ASK, *map(str, paths)],
        capture_output=True, text=True, timeout=120, env=env, cwd=ROOT.parent,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def test_an_installed_package_adds_its_parser(site, tmp_path):
    ours = tmp_path / "a.phl"
    ours.write_text("heerlen N . -,-,-,- . . . void id=a\n")
    rounds = PLUGIN / "rounds.jsonl"
    names, (jass, phl) = ask([rounds, ours], [site])
    assert names[0] == "jass-kit"
    assert jass[:2] == ["jass-kit", 0]
    assert [(line, code) for line, code, _ in jass[2]] == [(1, "other-game"), (2, "other-game")]
    assert "36 cards, two fixed teams" in jass[2][0][2]
    assert phl == ["phl", 1, []]
    # Without it the built-in refusal has the last word, once for the file.
    names, (jass,) = ask([rounds], [])
    assert "jass-kit" not in names
    assert (jass[0], len(jass[2])) == ("other-game", 1)
