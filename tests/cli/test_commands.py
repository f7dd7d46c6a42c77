"""The commands as a user types them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer

from pandoeren_replay.cli import app
from pandoeren_replay.store import Store

from .conftest import CONFORMANCE, Run

SAMPLE = CONFORMANCE / "sample.phl"


def commands() -> list[list[str]]:
    root = typer.main.get_command(app)
    found = []
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        found += [[name, sub] for sub in getattr(command, "commands", {})] or [[name]]
    return found


COMMANDS = commands()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(run: Run, command: list[str]) -> None:
    code, out, _ = run(*command, "--help")
    assert code == 0
    assert re.search(r"Example: \S*pandoeren " + " ".join(command), out) or "db path" in out


def test_the_documented_commands_are_there() -> None:
    names = {c[0] for c in COMMANDS}
    assert names >= {
        "demo", "import", "check", "show", "stats", "export", "convert", "simulate", "rules",
        "db", "serve", "session",
    }  # fmt: skip


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; sys.argv = ['pandoeren', '--help']\n"
        "from pandoeren_replay.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'polars', 'duckdb', 'numba', 'numpy', 'pyarrow', 'streamlit', 'plotly',"
        " 'pydantic'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=root, check=False
    )
    assert done.returncode == 0, done.stderr


def test_import_prints_totals_and_where(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "club"
    code, out, _ = run("import", SAMPLE, "--db", db)
    assert code == 0
    assert "read 20 = stored 20 + duplicate 0 + rejected 0 + empty 0" in out
    assert f"store: {db}" in out
    code, out, _ = run("import", SAMPLE, "--db", db)
    assert code == 0
    assert "read 20 = stored 0 + duplicate 20 + rejected 0 + empty 0" in out


def test_import_prints_rejects_warnings_and_disagreements(run: Run, tmp_path: Path) -> None:
    line = SAMPLE.read_text().splitlines()[2]
    other = line.replace(" lost;", " made;")
    file = tmp_path / "two.phl"
    file.write_text(f"{line}\n{other}\nheerlen X . . . . . . .")
    code, out, err = run("import", file)
    assert code == 0
    assert f"reject: {file}:3:9: found 'X', expected a seat" in err
    assert f"warning: {file}:3: the last line has no line end" in err
    assert f"disagreement: {file}:2: hand 1 is known with the result lost;pts=61-52" in err
    assert "1 disagreements about the result of a known hand" in out


def test_import_of_rejects_alone_is_exit_1(run: Run) -> None:
    code, _, err = run("import", CONFORMANCE / "rejects.phl")
    assert code == 1
    assert "error: nothing was stored: all 12 hands were rejected" in err
    code, out, _ = run("rejects")
    assert code == 0
    assert "12 rejects" in out
    code, out, _ = run("rejects", "--json")
    assert len([json.loads(x) for x in out.splitlines()]) == 12


@pytest.mark.parametrize("command", ["import", "check", "convert"])
@pytest.mark.parametrize("kind", ["empty", "binary", "folder", "missing", "void-hands"])
def test_nothing_to_read_is_one_sentence_and_changes_nothing(
    run: Run, tmp_path: Path, command: str, kind: str
) -> None:
    path = tmp_path / "given"
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "binary":
        path.write_bytes(os.urandom(3000) + bytes(range(256)))
    elif kind == "folder":
        path.mkdir()
    elif kind == "void-hands":
        path = path.with_suffix(".phl")
        path.write_text("heerlen N . . . . . . .\n")
    db = tmp_path / "db"
    more = {"import": ["--db", db], "check": [], "convert": ["--to", "phn"]}[command]
    code, out, err = run(command, path, *more)
    assert code == 1
    said = [x for x in (out + err).splitlines() if "reject" in x or x.startswith("error")]
    assert said, (out, err)
    assert "Traceback" not in out + err
    assert not db.exists()
    if command == "import":
        assert [x.startswith("error: nothing was stored: ") for x in err.splitlines()] == [True]


def test_store_of_a_newer_version_is_one_sentence(run: Run, tmp_path: Path) -> None:
    import duckdb

    db = tmp_path / "db"
    run("import", SAMPLE, "--db", db)
    con = duckdb.connect(str(Store(db).file()))
    con.execute("UPDATE store_info SET value = '99'")
    con.close()
    before = Store(db).file().read_bytes()
    for command in (["import", CONFORMANCE / "partial.phl"], ["stats"], ["db", "info"]):
        code, _, err = run(*command, "--db", db)
        assert code == 1
        assert len(err.splitlines()) == 1
        assert "newer version of this program" in err
    assert Store(db).file().read_bytes() == before


def test_check_text_names_file_line_and_column(run: Run) -> None:
    path = CONFORMANCE / "corrupt.phl"
    code, out, _ = run("check", path)
    assert code == 1
    first = out.splitlines()[0]
    match = re.fullmatch(
        re.escape(str(path)) + r":(\d+):(\d+): error revoke \(trick 3, South\): .+", first
    )
    assert match, first
    line = path.read_text().splitlines()[int(match[1]) - 1]
    assert line[int(match[2]) - 1 :].startswith(line.split(" ")[5].split("/")[2][2:4])
    last = out.splitlines()[-1]
    assert re.fullmatch(r"200 hands, \d+ errors, \d+ warnings, 3 rejects", last), last


def test_check_of_good_hands_is_quiet(run: Run) -> None:
    code, out, err = run("check", SAMPLE)
    assert (code, out, err) == (0, "20 hands, 0 errors, 0 warnings, 0 rejects\n", "")


def test_check_reads_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    class Stdin:
        buffer = io.BytesIO(SAMPLE.read_bytes())

    monkeypatch.setattr(sys, "stdin", Stdin())
    code, out, _ = run("check", "--json", "-")
    assert code == 0
    assert {json.loads(x)["source"] for x in out.splitlines()} == {"<stdin>"}


def test_check_in_dutch_and_with_infos(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.phl"
    file.write_text("heerlen N . =S130 . . . made .\n")
    assert run("check", file).out == "1 hands, 0 errors, 0 warnings, 0 rejects\n"
    out = run("check", file, "--infos", "--nl").out
    assert "info auction-unknown" in out


def test_unknown_rules_and_format_are_explained(run: Run) -> None:
    code, _, err = run("check", SAMPLE, "--rules", "nosuch")
    assert code == 1
    assert err.startswith("error: there is no rule set 'nosuch'")
    code, _, err = run("check", SAMPLE, "--format", "nosuch")
    assert code == 1
    assert err.startswith("error: there is no format 'nosuch'")
    code, _, err = run("export", "--to", "doc")
    assert code == 2
    assert "expected one of phn, phl, jsonl, csv, parquet, sgf" in err
    code, _, err = run("stats", "--by", "weather")
    assert code == 2
    assert "--by weather: expected one of contract" in err


def test_show_from_file_and_store(run: Run) -> None:
    code, out, _ = run("show", f"{SAMPLE}:3")
    assert code == 0
    assert "szw by N, no trumps" in out
    assert "8. " in out
    run("import", SAMPLE)
    assert run("show", "sample-03").out == out
    assert run("show", "3").out == out
    code, shown, _ = run("show", "3", "--ply", "5", "--seat", "W")
    assert shown.count("(hidden)") == 3
    assert "discard" not in shown
    code, original, _ = run("show", "3", "--original")
    assert original == SAMPLE.read_text().splitlines()[2] + "\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["99"], "there is no hand '99'"),
        (["3", "--ply", "33"], "this hand has plies 0 to 32"),
        (["3", "--seat", "Q"], "expected N, E, S or W"),
        ([f"{CONFORMANCE / 'rejects.phl'}:2"], "that hand cannot be read"),
        ([f"{SAMPLE}:9999"], "there is no hand at line 9999"),
        ([f"{SAMPLE}"], "name the line of the hand too"),
        ([f"{SAMPLE}:²"], "there is no hand"),
        (["²"], "there is no hand '²'"),
        (["9" * 5000], "there is no hand"),
    ],
)
def test_show_says_what_is_wrong(run: Run, arguments: list[str], sentence: str) -> None:
    run("import", SAMPLE)
    code, out, err = run("show", *arguments)
    assert code != 0
    assert out == ""
    assert sentence in err


def test_export_then_import_is_the_same_hand(run: Run, tmp_path: Path) -> None:
    run("import", CONFORMANCE / "legal-heerlen.phl", CONFORMANCE / "legal-fiches.phl")
    for form in ("phl", "phn", "sgf"):
        file = tmp_path / f"out.{form}"
        code, _, err = run("export", "--to", form, "-o", file)
        assert code == 0
        assert f"400 hands written to {file}" in err
        code, out, _ = run("import", file)
        assert "read 400 = stored 0 + duplicate 400 + rejected 0 + empty 0" in out, form


def test_tables_hold_every_hand(run: Run, tmp_path: Path) -> None:
    run("import", SAMPLE)
    code, out, _ = run("export", "--to", "jsonl")
    rows = [json.loads(x) for x in out.splitlines()]
    assert [r["phl"] for r in rows] == SAMPLE.read_text().splitlines()
    file = tmp_path / "t.parquet"
    run("export", "--to", "parquet", "-o", file, "--where", "rules=heerlen")
    frame = pl.read_parquet(file)
    assert set(frame["rules"]) == {"heerlen"}
    code, out, _ = run("convert", SAMPLE, "--to", "csv")
    assert code == 0
    assert len(out.splitlines()) == 21
    code, out, _ = run("export", "--to", "csv", "--where", "rules=nosuch")
    assert (code, out) == (1, "")


def test_csv_neutralises_formulas(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "evil.phl"
    file.write_text("heerlen N . 120,-,-,- . . . . n=%3Dcmd()|x;e=+1;s=@x;w=-2;id=%09=1\n")
    run("import", file)
    _, out, _ = run("export", "--to", "csv")
    for cell in ("'=cmd()|x", "'+1", "'@x", "'-2", "'\t=1"):
        assert f",{cell}," in out
    _, out, _ = run("export", "--to", "csv", "--excel-nl")
    assert out.startswith("\ufeffhand_id;hash;")


def test_convert_keeps_every_hand_and_tells_rejects(run: Run, tmp_path: Path) -> None:
    line = SAMPLE.read_text().splitlines()[2]
    file = tmp_path / "a.phl"
    file.write_text(f"{line}\n{line}\nheerlen X . . . . . . .\n")
    code, out, err = run("convert", file, "--to", "jsonl")
    assert code == 1
    assert len(out.splitlines()) == 2
    assert f"reject: {file}:3:9" in err
    code, out, _ = run("convert", file, "--to", "phl", "--rules", "butselaar")
    assert out.splitlines() == [line.replace("heerlen", "butselaar", 1)] * 2


def test_convert_to_a_place_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    code, _, err = run("convert", SAMPLE, "--to", "phn", "-o", tmp_path / "no" / "a.phn")
    assert code == 1
    assert "cannot be written" in err


def test_stats_in_every_format(run: Run, tmp_path: Path) -> None:
    run("import", SAMPLE)
    code, out, _ = run("stats", "--by", "player")
    assert code == 0
    assert "Anna" in out
    assert "Figures from fewer than 30 hands" in out
    rows = [
        json.loads(x) for x in run("stats", "--by", "player", "--format", "json").out.splitlines()
    ]
    assert sum(r["n"] for r in rows) == 20
    assert "player,n,no_cards,decided" in run("stats", "--by", "player", "--format", "csv").out
    file = tmp_path / "s.parquet"
    run("stats", "--format", "parquet", "-o", file)
    assert pl.read_parquet(file)["n"].sum() == 20
    code, _, err = run("stats", "--where", "contract=999")
    assert code == 1
    assert "no hand with a contract fits 'contract=999'" in err


def test_a_table_names_contracts_as_players_do_and_files_keep_the_codes(run: Run) -> None:
    run("import", SAMPLE)
    codes = {r["contract"]: r["n"] for r in json_lines(run("stats", "--format", "json").out)}
    assert (codes["mio"], codes["szw"], codes["140"]) == (2, 1, 5)
    for lang, solo in (("en", "solo zwabber"), ("nl", "solozwabber")):
        out = run("stats", "--lang", lang).out
        for name, n in (("misère ouvert", 2), (solo, 1), ("140", 5)):
            assert re.search(rf"│ {name} +│ {n} │", out)
        assert not re.search(r"│ (mio|szw) ", out)
    assert "│ misère ouvert" in run("stats", "--of", "made", "--by", "contract").out
    hands = run("stats", "--hands", "--where", "contract=mio").out
    assert hands.count(" misère ouvert ") == 2
    assert " mio " not in hands
    assert "\nmio,2," in run("stats", "--format", "csv").out


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_simulated_hands_say_so(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "sim.phl"
    assert run("simulate", "-n", "12", "--seed", "5", "-o", file).code == 0
    assert run("simulate", "-n", "12", "--seed", "5").out == file.read_text()
    out = run("import", file).out
    assert "12 simulated" in out
    assert "of these" in run("stats").out
    assert "were played by simulated players" in run("stats").out
    assert "— simulated" in run("show", "1").out


def test_rules_commands(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "butselaar" in run("rules", "list").out
    out = run("rules", "show", "heerlen").out
    assert "200, 210 … (step 10)" in out
    assert "contracts.kereltje.own_jas" in out
    assert "match.target" in run("rules", "diff", "fiches", "fiches-race").out
    assert "judge every hand alike" in run("rules", "diff", "heerlen", "heerlen").out
    code, out, _ = run("rules", "new", "my-club", "--base", "fiches")
    assert code == 0
    assert "in order (id my-club" in run("rules", "check", "my-club.toml").out
    assert run("rules", "new", "my-club").code == 1
    # Every line of the template can be switched on as it stands.
    text = re.sub(r"^# (?!House)", "", Path("my-club.toml").read_text(), flags=re.M)
    Path("all.toml").write_text(text)
    code, out, err = run("rules", "check", "all.toml")
    assert code == 0, err
    assert "judge every hand alike" in run("rules", "diff", "fiches", "all.toml").out
    Path("bad.toml").write_text('id = "x"\nbase = "heerlen"\n[play]\nfirst_lead = "me"\n')
    code, _, err = run("rules", "check", "bad.toml")
    assert code == 1
    assert "bad.toml:4" in err


def test_own_rules_are_listed_from_the_store(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "club.toml"
    file.write_text('id = "club"\nbase = "heerlen"\n[contracts.piccolo]\nscore = 9\n')
    run("import", SAMPLE, "--rules", file)
    assert re.search(r"club .* of hands in", run("rules", "list").out)


def test_session_lists_and_prints(run: Run) -> None:
    run("import", CONFORMANCE / "sessions.phl")
    assert "heerlen-03" in run("session").out
    out = run("session", "fiches-mini-01").out
    assert "last hand" in out
    code, _, err = run("session", "nosuch")
    assert code == 1
    assert "there is no session 'nosuch'" in err


def test_undo_players_and_db(run: Run) -> None:
    run("import", SAMPLE)
    assert run("players", "merge", "Anna", "Bas").code == 0
    assert re.search(r"Anna .*40.*Bas", run("players", "list").out)
    assert run("players", "split", "Bas").code == 0
    assert "20 hands checked, 0 problems" in run("db", "verify").out
    assert "hands: 20" in run("db", "info").out
    assert run("db", "vacuum").code == 0
    path = run("db", "path").out.strip()
    assert path == str(Store().file())
    assert "20" in run("undo-import").out
    assert "import 1 taken back: 20 hands" in run("undo-import", "1").out
    assert Store().count() == 0


def test_a_file_that_is_not_there_is_told_with_a_store_and_without(run: Run) -> None:
    for command in ("solve", "show", "advise"):
        for name in ("nope.phl:1", "nope.phl"):
            ran = run(command, name)
            assert (ran.code, ran.err) == (1, "error: there is no file nope.phl\n")
    run("import", SAMPLE)
    ran = run("solve", "nope.phl:1")
    assert ran.code == 1
    assert ran.err.startswith(
        "error: there is no file nope.phl, and no hand 'nope.phl:1' in the store "
    )
    # A source of the store needs no file any more.
    assert run("show", f"{SAMPLE.name}:3").out == run("show", "3").out != ""


def test_no_store_is_one_sentence(run: Run) -> None:
    for command in (["stats"], ["show", "1"], ["db", "path"], ["session"], ["rejects"]):
        code, _, err = run(*command)
        assert code == 1
        assert re.fullmatch(r"error: there is no store at .* makes one\n", err)


def test_unexpected_errors_are_one_sentence_and_a_log(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from pandoeren_replay.cli import log_file

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the moon fell down")

    monkeypatch.setattr("pandoeren_replay.stats.statistics", broken)
    code, _, err = run("stats")
    assert code == 1
    assert len(err.splitlines()) == 1
    assert "RuntimeError: the moon fell down" in err
    assert "Traceback" in log_file().read_text()
    assert str(log_file()) in err


def test_a_defect_in_one_hand_loses_no_other(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandoeren_replay.importer as importer

    real = importer.replay

    def sometimes(record, rules):  # type: ignore[no-untyped-def]
        if record.get("id") == "sample-03":
            raise RuntimeError("the moon fell down")
        return real(record, rules)

    monkeypatch.setattr(importer, "replay", sometimes)
    _code, out, err = run("import", SAMPLE)
    assert "read 20 = stored 19 + duplicate 0 + rejected 1 + empty 0" in out
    assert "internal error RuntimeError" in err


def test_control_characters_of_a_log_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.phl"
    file.write_text(
        "heerlen N . 120,-,-,- . . . . n=%1B[31mred;id=x%1B]0;w=y\nheerlen \x1b[2J . . .\n"
    )
    run("import", file)
    outputs = [run(*c) for c in (["show", "1"], ["players", "list"], ["check", file], ["rejects"])]
    for result in outputs:
        assert "\x1b" not in result.out + result.err


def test_closed_pipe_is_silent(tmp_path: Path) -> None:
    script = "from pandoeren_replay.cli import main; main()"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        f"{sys.executable} -c '{script}' convert {SAMPLE} --to csv | head -1",
        shell=True, capture_output=True, text=True, cwd=root, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("hand_id,")
    assert done.stderr == ""


def test_demo_imports_everything_and_adds_up(run: Run) -> None:
    code, out, _err = run("demo", "--no-serve")
    assert code == 0
    match = re.search(r"read (\d+) = stored (\d+) \+ duplicate (\d+) \+ rejected (\d+)", out)
    assert match
    store = Store(Store().path.with_name("demo"))
    assert store.count() == int(match[2]) > 10
    assert store.count("rules=butselaar") > 0
    assert not Store().exists()  # the user's own store is not touched
    assert {r["name"].split("/")[0] for r in store.rows("SELECT name FROM sources")} == {"data"}
