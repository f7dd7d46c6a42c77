"""What an import says: a trial first, few lines, and how to mend what was refused."""

import os
from pathlib import Path

import pytest

from pandoeren_replay.commands.importing import HINTS, WORDS
from pandoeren_replay.importwords import kind_of
from pandoeren_replay.store import Store

from .conftest import CONFORMANCE, Run

SAMPLE = CONFORMANCE / "sample.phl"
LINE = SAMPLE.read_text().splitlines()[2]


def state(folder: Path) -> dict[str, bytes]:
    if not folder.exists():
        return {}
    return {f.name: f.read_bytes() for f in folder.iterdir()}


def totals(out: str) -> list[str]:
    return [x for x in out.splitlines() if x.startswith(("read ", "of these: "))]


@pytest.mark.parametrize("before", ["nothing", "part", "all"])
def test_dry_run_says_what_the_import_would_and_changes_nothing(
    run: Run, tmp_path: Path, before: str
) -> None:
    db, folder = tmp_path / "club", tmp_path / "logs"
    folder.mkdir()
    (folder / "a.phl").write_text(SAMPLE.read_text() + LINE.replace(" lost;", " made;") + "\n")
    (folder / "b.phl").write_text("heerlen X . . . . . . .\nheerlen N . . . . . . .\n")
    (folder / "c.csv").write_text("datum;speler;bod;gehaald\n2026-11-28;Jan;120;ja\n")
    if before != "nothing":
        run("import", SAMPLE if before == "part" else folder, "--db", db)
    kept = state(db)
    code, out, err = run("import", folder, "--dry-run", "--db", db)
    assert state(db) == kept
    assert "(a dry run: nothing was changed)" in out
    real = run("import", folder, "--db", db)
    assert totals(out) == totals(real.out)
    assert code == real.code
    assert [x for x in err.splitlines() if "rejects are kept" not in x] == [
        x for x in real.err.splitlines() if "rejects are kept" not in x
    ]
    assert "reject: " in err


def test_dry_run_of_nothing_fails_as_the_import_would(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.phl"
    file.write_text("heerlen X . . . . . . .\n")
    code, _, err = run("import", "--dry-run", file, "--db", tmp_path / "db")
    assert code == 1
    assert "error: nothing would be stored: " in err
    assert not (tmp_path / "db").exists()


def test_dry_run_works_where_nothing_may_be_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "club"
    run("import", SAMPLE, "--db", db)
    lock = db / "import.lock"
    lock.unlink()
    db.chmod(0o555)
    try:
        code, out, _ = run("import", "--dry-run", CONFORMANCE / "partial.phl", "--db", db)
    finally:
        db.chmod(0o755)
    assert code == 0
    assert "stored" in out
    assert not lock.exists()


def test_equal_warnings_are_one_line(run: Run, tmp_path: Path) -> None:
    for i in range(12):
        (tmp_path / f"{i:02}.phl").write_text(LINE.replace("sample-03", f"h{i}"))
    code, out, err = run("import", *sorted(tmp_path.glob("*.phl")), "--db", tmp_path / "db")
    assert code == 0
    assert len(err.splitlines()) == 1
    assert "the last line has no line end" in err
    assert f"(12 files; the first: {tmp_path}/00.phl:1)" in err
    assert "12 warnings" in out


def test_rejects_of_one_kind_are_one_line_with_what_to_do(run: Run, tmp_path: Path) -> None:
    good, bad, odd = tmp_path / "good.phl", tmp_path / "bad.phl", tmp_path / "odd.txt"
    good.write_text(LINE + "\n")
    bad.write_text("".join(f"heerlen {x} . . . . . . .\n" for x in "ABCDFGH"))
    odd.write_text("dear diary, today we played cards\n")
    _, _, err = run("import", good, bad, odd, "--db", tmp_path / "db")
    lines = err.splitlines()
    assert lines[0].startswith(f"reject: {bad}:1:9: found 'A', expected a seat")
    assert lines[1] == f"  and 6 more such: {bad}:2, {bad}:3, {bad}:4, …"
    assert lines[2].startswith(f"reject: {odd}:1:1: ")
    assert "--format" in lines[2]
    assert lines[3].startswith("rejects are kept: `pandoeren rejects --raw`")
    assert len(lines) == 4


def test_the_demo_says_little(run: Run, tmp_path: Path) -> None:
    code, _, err = run("demo", "--no-serve", "--db", tmp_path / "demo")
    assert code == 0
    assert len(err.splitlines()) <= 14
    assert sum("names no rule set" in x for x in err.splitlines()) == 1
    store = Store(tmp_path / "demo")
    # Each file keeps the format that it was read in.
    formats = {r["format"] for r in store.rows("SELECT DISTINCT format FROM sources")}
    assert formats >= {"phl", "bga", "boardgame-io", "iss", "klaverlive", "table", "events"}


def test_in_dutch(run: Run, tmp_path: Path) -> None:
    sheet = tmp_path / "blad.csv"
    sheet.write_text(
        "Speler;Maat;Bod;Gehaald;Punten\nAnna;Cor;150;ja;+2\nBas;;misère;nee;-3\nBas;Bas;130;ja;1\n"
    )
    db = tmp_path / "club"
    code, out, err = run("import", sheet, tmp_path / "weg.phl", "--db", db, "--lang", "nl")
    assert code == 0
    assert "gelezen 4 = opgeslagen 2 + al bekend 0 + niet te lezen 2 + leeg 0" in out
    lines = err.splitlines()
    why = "gevonden: 'Bas'; verwacht: een maat die niet de speler zelf is"
    assert f"niet te lezen: {sheet}:4:1: {why}" in lines
    assert (
        f"niet te lezen: {tmp_path / 'weg.phl'}:1:1: zo'n bestand of map is er niet "
        "(kijk of de naam klopt)" in lines
    )
    assert (
        f"let op: {sheet}:2: de scores van de anderen volgen uit die van de speler (2 spellen)"
        in lines
    )
    assert (
        "let op: het blad noemt spelers en geen plaatsen: wie waar zit is aangenomen "
        f"(2 keer; de eerste: {sheet}:2)" in lines
    )
    code, _, err = run("import", sheet, "--db", db, "--lang", "fr")
    assert (code, "expected en or nl" in err) == (2, True)
    code, out, _ = run("rejects", "--db", db, "--lang", "nl")
    assert f"{sheet}:4:1: {why}" in out


def test_a_line_of_a_score_sheet_is_shown_as_written_down(run: Run, tmp_path: Path) -> None:
    sheet = tmp_path / "blad.csv"
    sheet.write_text(
        "Speler;Maat;Bod;Gehaald;Punten\nAnna;Cor;150;ja;+2\nBas;;misère;nee;-3\nAnna;;130;ja;1\n"
    )
    db = tmp_path / "club"
    run("import", sheet, "--db", db)
    one, two, three = (run("show", str(n), "--db", db).out for n in (1, 2, 3))
    assert "Contract: 150 by N, trumps ?, partner E (recorded)\n" in one
    assert "(recorded: made); score N+2 E+2 S+0 W+0 (recorded)\nNo cards are recorded" in one
    assert "Contract: mis by S, trumps ?, alone\n" in two
    assert "Contract: 130 by N, trumps ?, partner ?\n" in three
    assert "(recorded: made); declarer's score 1 (recorded)\nNo cards are recorded" in three


def test_both_languages_say_the_same_things() -> None:
    slots = {lang: {k: w.count("{}") for k, w in words.items()} for lang, words in WORDS.items()}
    assert slots["en"] == slots["nl"]
    assert all(set(hint) == {"en", "nl"} for hint in HINTS.values())


def test_kinds_of_sentences() -> None:
    assert kind_of("a 1 'x' b") == kind_of('a 22 "y" b') != kind_of("a 1 'x' c")


def test_every_source_of_a_hand_is_shown(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "db"
    other = LINE.replace(" lost;", " made;")
    (tmp_path / "club.phl").write_text(other + "\n")
    run("import", SAMPLE, "--db", db)
    run("import", tmp_path / "club.phl", "--db", db)
    code, out, _ = run("show", "sample-03", "--sources", "--db", db)
    assert code == 0
    assert f"{SAMPLE}:3 (phl, import 1, shown)\n    {LINE}\n" in out
    assert f"club.phl:1 (phl, import 2, same)\n    {other}\n" in out
    assert "disagreement: " in out
    assert "says made;" in out


def test_standard_input(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    class Input:
        buffer = io.BytesIO(LINE.encode() + b"\n")

    monkeypatch.setattr(sys, "stdin", Input())
    code, out, _ = run("import", "-", "--db", tmp_path / "db")
    assert code == 0
    assert "stored 1 " in out
    assert Store(tmp_path / "db").hands()["source"].to_list() == ["<stdin>"]


@pytest.mark.parametrize("name", ["een map/avond één.phl", "名前 ♠.phl", "-dash.phl", "a%20b.phl"])
def test_paths_with_spaces_and_signs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(LINE + "\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = run("import", "--db", tmp_path / "de store", "--", name)
    assert (code, err) == (0, "")
    assert "stored 1 " in out
    code, out, _ = run("show", "--original", "--db", tmp_path / "de store", "--", f"{name}:1")
    assert code == 0


def test_symbolic_links_and_loops(run: Run, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (tmp_path / "real.phl").write_text(LINE + "\n")
    (logs / "link.phl").symlink_to(tmp_path / "real.phl")
    (logs / "loop").symlink_to(logs)
    (logs / "gone.phl").symlink_to(tmp_path / "gone")
    (logs / "self.phl").symlink_to(logs / "self.phl")
    os.mkfifo(logs / "pipe.phl")
    code, out, err = run("import", logs, "--db", tmp_path / "db")
    assert code == 0
    assert "stored 1 " in out
    assert "rejected 3 " in out
    assert "not a regular file" in err
    link = tmp_path / "store"
    link.symlink_to(tmp_path / "db")
    assert run("import", logs / "link.phl", "--db", link).code == 0
    assert "duplicate 1 " in run("import", tmp_path / "real.phl", "--db", link).out


def test_reparse_of_stored_hands_says_what_changes(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "db"
    run("import", SAMPLE, "--db", db)
    code, out, err = run("reparse", "--hands", "--db", db)
    assert (code, err) == (0, "")
    assert out == "read again 20 = changed 0 + the same 20 + left as they are 0\n"
    kept = state(db)
    arguments = ["reparse", "--hands", "--rules", "butselaar", "--where", "id=sample-03"]
    code, out, _ = run(*arguments, "--dry-run", "--db", db)
    assert code == 0
    assert f"hand 3 ({SAMPLE}:3): rules heerlen -> butselaar; " in out
    assert "read again 1 = changed 1 + the same 0 + left as they are 0" in out
    assert state(db) == kept
    assert run(*arguments, "--db", db).code == 0
    assert Store(db).hands("id=sample-03")["rules"].to_list() == ["butselaar"]
    assert run("reparse", "--where", "id=x", "--db", db).code == 2


def test_reparse_of_rejects_can_be_tried(run: Run, tmp_path: Path) -> None:
    db, file = tmp_path / "db", tmp_path / "a.phl"
    file.write_text(f"{LINE}\n{LINE.replace('heerlen', 'club').replace('-03', '-99')}\n")
    run("import", file, "--db", db)
    kept = state(db)
    code, out, _ = run("reparse", "--rules", "heerlen", "--dry-run", "--db", db)
    assert code == 0
    assert "read 1 = stored 1 " in out
    assert state(db) == kept
    assert run("reparse", "--rules", "heerlen", "--db", db).code == 0
    assert Store(db).count() == 2


def test_players_merge_and_split_are_undone_by_each_other(run: Run, tmp_path: Path) -> None:
    db, file = tmp_path / "db", tmp_path / "a.phl"
    other = LINE.replace("n=Anna", "n=A.%20Smit").replace("-03", "-99")
    file.write_text(f"{LINE}\n{other}\n")
    run("import", file, "--db", db)
    before = run("players", "list", "--db", db).out
    assert run("players", "merge", "Anna", "A. Smit", "--db", db).code == 0
    merged = run("players", "list", "--db", db).out
    assert merged != before
    assert "A. Smit" in merged
    assert run("players", "split", "A. Smit", "--db", db).code == 0
    assert run("players", "list", "--db", db).out == before


def test_a_sheet_with_dates_and_no_evening_has_standings_and_a_report(
    run: Run, tmp_path: Path
) -> None:
    """Anna and Cor +1 and +2, Bas and Dirk -2, and one hand that was passed out."""
    db, file = tmp_path / "club", tmp_path / "blad.csv"
    file.write_text(
        "Datum;Spel;Speler;Maat;Bod;Punten\n28-11-2026;1;Anna;Cor;130;1\n"
        "28-11-2026;2;Bas;Dirk;150;-2\n28-11-2026;3;Cor;Bas;pas;\n28-11-2026;4;Cor;Anna;150;2\n"
    )
    code, _, err = run("import", file, "--db", db)
    assert code == 0
    assert "a hand that was passed out has no declarer: Cor, Bas left out" in err
    code, out, _ = run("session", "2026-11-28", "--db", db)
    assert code == 0
    rows = [[c.strip() for c in x.split("│")[1:-1]] for x in out.splitlines() if "│" in x]
    assert [r[:4] for r in rows] == [
        ["1", "Anna + Cor", "130", "made"], ["2", "Bas + Dirk", "150", "lost"],
        ["3", "", "passed", ""], ["4", "Cor + Anna", "150", "made"],
    ]  # fmt: skip
    assert [int(c.split()[0]) for c in rows[-1][4:8]] == [1 + 2, 1 + 2, -2, -2]
    assert "incomplete" not in out
    code, out, _ = run("report", "2026-11-28", "--db", db)
    assert code == 0
    assert all(name in out for name in ("Anna", "Bas", "Cor", "Dirk"))
