"""The conformance files through ``check --json``: every column, every code, every reject."""

import csv
import json
from typing import Any

import pytest

from .conftest import CONFORMANCE, Run

LEGAL = sorted(p.name.removesuffix(".phl") for p in CONFORMANCE.glob("legal-*.phl"))
RECORD_CODES = ("partner-mismatch", "result-mismatch", "points-mismatch", "tricks-mismatch",
                "score-mismatch")  # fmt: skip


def expected(name: str) -> dict[int, dict[str, str]]:
    with (CONFORMANCE / f"{name}.expected.csv").open(encoding="utf-8", newline="") as f:
        return {int(row["line"]): row for row in csv.DictReader(f)}


def hand_lines(name: str) -> list[int]:
    """Line of the n-th hand: the tables count hands, the files may hold comments."""
    lines = (CONFORMANCE / f"{name}.phl").read_text("utf-8").splitlines()
    return [i for i, text in enumerate(lines, 1) if text.strip() and not text.startswith("#")]


def checked(run: Run, name: str) -> tuple[int, dict[int, dict[str, Any]]]:
    path = CONFORMANCE / f"{name}.phl"
    code, out, _ = run("check", "--json", path)
    rows = [json.loads(line) for line in out.splitlines()]
    assert all(r["source"] == str(path) for r in rows)
    number = {line: n for n, line in enumerate(hand_lines(name), 1)}
    return code, {number[r["line"]]: r for r in rows}


def num(text: str) -> int | None:
    return int(text) if text else None


def same_figures(got: dict[str, Any], want: dict[str, str]) -> None:
    assert got["points"] == {
        "side": num(want["side_points"]),
        "defenders": num(want["other_points"]),
        "out": num(want["out_of_play"]),
    }
    assert got["tricks"] == {
        "side": num(want["side_tricks"]), "defenders": num(want["other_tricks"])
    }  # fmt: skip
    assert got["meld"] == {"side": num(want["side_meld"]), "defenders": num(want["other_meld"])}
    assert got["score"] == {s: num(want[s]) for s in "NESW"}
    assert "".join(got["winners"]) == want["winners"]


@pytest.mark.parametrize("name", LEGAL)
def test_legal_hands_agree_in_all_columns(run: Run, name: str) -> None:
    code, hands = checked(run, name)
    table = expected(name)
    assert hands.keys() == table.keys()
    for line, want in table.items():
        got = hands[line]
        assert got["violations"] == [], line
        assert got["contract"] == (want["contract"] or None), line
        for key in ("declarer", "trump", "partner"):
            assert got[key] == (None if want[key] in ("", "-") else want[key]), (line, key)
        assert got["made"] is {"made": True, "lost": False, "void": None}[want["result"]]
        assert got["recorded"] == want["result"]
        if want["result"] != "void":
            same_figures(got, want)
        else:
            assert set(got["score"].values()) == {0}
    assert code == 0


def test_corrupt_hands_give_exactly_their_violation(run: Run) -> None:
    code, hands = checked(run, "corrupt")
    assert code == 1
    table = expected("corrupt")
    assert hands.keys() == table.keys()
    for line, want in table.items():
        got = hands[line]
        if want["code"] == "reject":
            assert got["reject"], line
            assert got["column"] >= 1
            continue
        found = [v for v in got["violations"] if v["severity"] != "info"]
        assert [v["code"] for v in found] == [want["code"]], line
        assert found[0]["ply"] == num(want["ply"]), line
        assert found[0]["call"] == num(want["call"]), line
        assert found[0]["seat"] == (want["seat"] or None), line
        assert found[0]["severity"] == ("warning" if want["code"] in RECORD_CODES else "error")


def test_partial_hands_prove_what_they_prove(run: Run) -> None:
    _, hands = checked(run, "partial")
    made = {"made": True, "lost": False, "unknown": None}
    for line, want in expected("partial").items():
        got = hands[line]
        assert got["made"] is made[want["result"]], line
        same_figures(got, want)
        assert not [v for v in got["violations"] if v["severity"] != "info"], line


def test_rejects_name_place_and_text(run: Run) -> None:
    code, out, _ = run("check", "--json", CONFORMANCE / "rejects.phl")
    assert code == 1
    lines = (CONFORMANCE / "rejects.phl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in out.splitlines()]
    assert [r["line"] for r in rows] == list(range(1, len(lines) + 1))
    for row in rows:
        assert set(row) == {"source", "line", "column", "reject", "raw"}
        assert row["raw"] == lines[row["line"] - 1]
        assert 1 <= row["column"] <= len(row["raw"]) + 1


def test_keys_of_a_hand_are_as_documented(run: Run) -> None:
    _, hands = checked(run, "sample")
    assert list(hands[1]) == [
        "source", "line", "id", "rules", "dealer", "contract", "declarer", "partner", "trump",
        "winners", "points", "meld", "tricks", "made", "recorded", "score", "violations",
        "completeness",
    ]  # fmt: skip
    assert list(hands[1]["completeness"]) == [
        "deal", "auction", "middle", "discard", "plays", "meld", "result"
    ]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), [("phl", "phn"), ("phn", "phl")])
def test_the_sample_converts_into_the_other_form_unchanged(run: Run, one: str, other: str) -> None:
    code, out, _ = run("convert", CONFORMANCE / f"sample.{one}", "--to", other)
    assert code == 0
    assert out.rstrip("\n") == (CONFORMANCE / f"sample.{other}").read_text("utf-8").rstrip("\n")


def test_sessions_balance_as_expected(run: Run) -> None:
    """The score sheet of every session, against the balances worked out elsewhere."""
    from pandoeren_replay.sessions import stored_sheet
    from pandoeren_replay.store import Store

    assert run("import", CONFORMANCE / "sessions.phl").code == 0
    store = Store()
    rows = list(expected("sessions").values())
    for name in dict.fromkeys(r["session"] for r in rows):
        sheet = stored_sheet(store, name)
        want = [r for r in rows if r["session"] == name]
        got = [(*b.booked.balance, b.booked.pot) for b in sheet.lines]
        assert got == [tuple(int(r[k]) for k in (*"NESW", "pot")) for r in want], name
        assert [b.booked.over for b in sheet.lines] == [r["over"] == "yes" for r in want], name
        assert sheet.conserved
        code, out, _ = run("session", name)
        assert code == 0
        assert name in out
