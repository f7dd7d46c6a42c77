"""The commands with ``--lake`` and ``--per decision``."""

import io
from pathlib import Path

import polars as pl

from tests.cli.conftest import Run, run
from tests.lake.conftest import CASES

__all__ = ["run"]


def test_a_lake_from_the_command_line(run: Run, tmp_path: Path) -> None:
    lake = tmp_path / "hands"
    code, out, err = run("import", "--lake", lake, CASES / "sample.phl")
    assert (code, err) == (0, "")
    assert f"lake: {lake}" in out
    code, out, _ = run("stats", "--lake", lake, "--by", "contract", "--format", "csv")
    assert code == 0
    counted = pl.read_csv(io.BytesIO(out if isinstance(out, bytes) else out.encode()))
    assert counted["n"].sum() > 0
    place = tmp_path / "d.parquet"
    code, _, err = run(
        "export", "--lake", lake, "--to", "parquet", "--per", "decision", "-o", place
    )
    assert (code, err) == (0, f"{pl.read_parquet(place).height} decisions written to {place}\n")


def test_what_does_not_go_together(run: Run, tmp_path: Path) -> None:
    for arguments, told in (
        (("import", CASES / "sample.phl", "--scheduler", "tcp://h:1"), "goes with --lake"),
        (("import", CASES / "sample.phl", "--lake", "l", "--db", "d"), "not both"),
        (("import", CASES / "sample.phl", "--lake", "l", "--dry-run"), "for a store"),
        (("export", "--to", "phl", "--per", "decision"), "--per decision goes with"),
        (("export", "--to", "csv", "--per", "trick"), "expected hand or decision"),
        (("analyze", "3", "--lake", "l"), "with --where"),
        (("stats", "--lake", tmp_path / "none"), "there is no lake"),
    ):
        code, _, err = run(*arguments)
        assert code, arguments
        assert told in err
