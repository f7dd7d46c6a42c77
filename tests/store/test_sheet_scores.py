"""A score sheet with one figure a hand: what it gives in views, statistics and sessions."""

from pathlib import Path

import pytest

from engine.rulefile import load_ruleset
from pandoeren_replay.importer import import_paths
from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_import import import_lake
from pandoeren_replay.report import evening_report
from pandoeren_replay.sessions import stored_sheet
from pandoeren_replay.stats import measure
from pandoeren_replay.store import Store
from parsers.base import Source

# The players sit in the order of mention: Anna N, Cor E, Bas S, Dirk W. By the rules of heerlen:
#                                     N   E   S   W
#   150 made by N with E             +2  +2   0   0
#   misère lost by S, alone           0   0  -3   0
#   130 made by N, partner unknown   +1   ?   ?   ?
#   170 lost by W with E: the sheet says -4 and the rules -3, so that only W's is known: -4
PUNTEN = """\
Avond;Speler;Maat;Bod;Gehaald;Punten
a;Anna;Cor;150;ja;2
a;Bas;;misère;nee;-3
a;Anna;;130;ja;1
a;Dirk;Cor;170;nee;-4
"""
SCORES = [(2, 2, 0, 0), (0, 0, -3, 0), (1, None, None, None), (None, None, None, -4)]


def _columns(rows: list[dict[str, object]]) -> list[tuple[object, ...]]:
    return [tuple(r[f"score_{s}"] for s in "nesw") for r in rows]


def test_in_a_store(store: Store) -> None:
    totals = import_paths(store, [Source("blad.csv", PUNTEN.encode())])
    assert (totals.stored, totals.rejected) == (4, 0)
    rows = store.rows("SELECT * FROM hands ORDER BY hand_id")
    assert _columns(rows) == SCORES
    assert [r["declarer_score"] for r in rows] == [2, -3, 1, -4]
    assert {r["score_from"] for r in rows} == {"recorded"}
    sums = {r["name"]: r["score"] for r in store.rows("SELECT name, score FROM players")}
    assert sums == {"Anna": 2 + 0 + 1, "Cor": 2 + 0, "Bas": 0 - 3, "Dirk": 0 + 0 - 4}


def test_in_statistics(store: Store) -> None:
    import_paths(store, [Source("blad.csv", PUNTEN.encode())])
    mean = {r["player"]: r for r in measure(store, ["score_per_hand"], ["player"]).to_dicts()}
    assert {name: (r["n"], r["value"]) for name, r in mean.items()} == {
        "Anna": (3, pytest.approx((2 + 0 + 1) / 3)),
        "Bas": (2, pytest.approx((0 - 3) / 2)),
        "Cor": (2, pytest.approx((2 + 0) / 2)),
        "Dirk": (3, pytest.approx((0 + 0 - 4) / 3)),
    }
    declared = measure(store, ["score_as_declarer"], ["player"]).to_dicts()
    assert {r["player"]: r["value"] for r in declared} == {"Anna": 1.5, "Bas": -3, "Dirk": -4}


def test_in_a_session(store: Store) -> None:
    """Hands of which one score is known are booked by no more than RULES says: 0, incomplete."""
    import_paths(store, [Source("blad.csv", PUNTEN.encode())])
    sheet = stored_sheet(store, "a", load_ruleset("heerlen"))
    booked = [(line.booked.change, line.booked.basis) for line in sheet.lines]
    assert booked == [
        ((2, 2, 0, 0), "recorded-score"),
        ((0, 0, -3, 0), "recorded-score"),
        ((0, 0, 0, 0), "unknown"),
        # Made or lost, declarer and partner are recorded: the contract's own score, "as recorded".
        ((0, -3, 0, -3), "as-recorded"),
    ]
    assert sheet.incomplete
    # Dirk's -4 is in the statistics and -3 in the balances: that is said.
    assert sheet.otherwise == (("4", -4, -3),)


def test_a_score_that_the_rules_do_not_give_is_in_the_report(store: Store) -> None:
    import_paths(store, [Source("blad.csv", PUNTEN.encode())])
    dutch, english = evening_report(store, "a", "nl"), evening_report(store, "a", "en")
    for said in (dutch.markdown(), dutch.html()):
        assert "Spel 4: genoteerd is −4 voor de speler, volgens de spelregels is het −3" in said
    assert "is written down as −4, by the rules it is −3" in english.markdown()


def test_in_a_lake(tmp_path: Path) -> None:
    file = tmp_path / "blad.csv"
    file.write_text(PUNTEN, "utf-8")
    lake = Lake(tmp_path / "lake")
    assert import_lake(lake, [file]).stored == 4
    rows = lake.rows("SELECT * FROM hands ORDER BY line")
    assert _columns(rows) == SCORES
    assert [r["declarer_score"] for r in rows] == [2, -3, 1, -4]
    assert {r["score_from"] for r in rows} == {"recorded"}


def test_the_sheet_and_a_server_agree(store: Store) -> None:
    """The seats of a sheet are assumed: its figures go with the players, whoever sits where."""
    server = (
        "heerlen . . =S150 . . . made;partner=W;score=N0,E0,S+2,W+2 "
        "n=Bas;e=Dirk;s=Anna;w=Cor;session=a;hand=1\n"
    )
    sheet = (
        "Avond;Spel;Speler;Maat;Bod;Gehaald;Punten\na;1;Anna;Cor;150;ja;2\na;2;Bas;;mis;nee;-3\n"
    )
    totals = import_paths(
        store, [Source("a.phl", server.encode()), Source("blad.csv", sheet.encode())]
    )
    assert totals.disagreements == []
    sums = {r["name"]: r["score"] for r in store.rows("SELECT name, score FROM players")}
    assert (sums["Bas"], sums["Anna"]) == (0 - 3, 2)


# Two sheets of one evening, each with the players in its own order of mention:
#   blad 1: Anna, Cor, Bas, Dirk     blad 2: Dirk, Bas, Anna, Cor
#                                             Anna Bas Cor Dirk
#   1  150 made by Anna with Cor                +2   0  +2   0
#   2  misère lost by Bas, alone                 0  -3   0   0
#   3  everyone passed                           0   0   0   0
#   4  130 made by Dirk with Bas                 0  +1   0  +1
#   5  misère made by Anna, alone               +3   0   0   0
#   6  150 lost by Cor with Anna                -2   0  -2   0
EVENING = """\
Datum;Spel;Speler;Maat;Bod;Gehaald;Punten
28-11-2026;1;Anna;Cor;150;ja;2
28-11-2026;2;Bas;;misère;nee;-3
28-11-2026;3;Dirk;;pas;;
""", """\
Datum;Spel;Speler;Maat;Bod;Gehaald;Punten
28-11-2026;4;Dirk;Bas;130;ja;1
28-11-2026;5;Anna;;misère;ja;3
28-11-2026;6;Cor;Anna;150;nee;-2
"""  # fmt: skip


def test_an_evening_on_two_sheets_that_name_no_evening(store: Store) -> None:
    for n, text in enumerate(EVENING):
        import_paths(store, [Source(f"blad{n}.csv", text.encode())])
    sheet = stored_sheet(store, "2026-11-28", load_ruleset("heerlen"))
    assert dict(zip(sheet.names, sheet.lines[-1].booked.balance, strict=True)) == {
        "Anna": 2 + 3 - 2, "Bas": -3 + 1, "Cor": 2 - 2, "Dirk": 1,
    }  # fmt: skip
    assert [line.number for line in sheet.lines] == ["1", "2", "3", "4", "5", "6"]
    assert sheet.lines[2].booked.basis == "void"
    assert (sheet.notes, sheet.incomplete) == ((), False)
    # Who declared is said by the name, wherever he is put.
    who = [
        x.replay.record.player(o)
        for x in sheet.lines
        if (o := x.replay.outcome.declarer) is not None
    ]
    assert who == ["Anna", "Bas", "Dirk", "Anna", "Cor"]


def test_two_tables_on_one_date_are_told_of(store: Store) -> None:
    other = EVENING[1]
    for name, instead in (("Anna", "Eva"), ("Bas", "Fred"), ("Cor", "Gijs"), ("Dirk", "Hans")):
        other = other.replace(name, instead)
    for n, text in enumerate((EVENING[0], other)):
        import_paths(store, [Source(f"tafel{n}.csv", text.encode())])
    sheet = stored_sheet(store, "2026-11-28", load_ruleset("heerlen"))
    assert sheet.notes[0] == "hand 4: other players than before; balances are by seat"
