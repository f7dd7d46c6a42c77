"""A score sheet with one figure a hand: what it gives in views, statistics and sessions."""

from pathlib import Path

import duckdb
import pytest

from engine.rulefile import load_ruleset
from engine.score import hand_score
from pandoeren_replay.importer import import_paths
from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_import import import_lake
from pandoeren_replay.report import evening_report
from pandoeren_replay.sessions import stored_sheet
from pandoeren_replay.stats import measure
from pandoeren_replay.store import Store
from pandoeren_replay.store.scores import contract_scores
from parsers.base import Source

# The players sit in the order of mention: Anna N, Cor E, Bas S, Dirk W. By the rules of heerlen:
#                                     N   E   S   W
#   150 made by N with E             +2  +2   0   0
#   misère lost by S, alone           0   0  -3   0
#   130 made by N, partner unknown   +1   ?   ?   ?
#   170 lost by W with E: the sheet says -4 and the rules -3 for both; the rules count, as a session
#   books them                        0  -3   0  -3
PUNTEN = """\
Avond;Speler;Maat;Bod;Gehaald;Punten
a;Anna;Cor;150;ja;2
a;Bas;;misère;nee;-3
a;Anna;;130;ja;1
a;Dirk;Cor;170;nee;-4
"""
SCORES = [(2, 2, 0, 0), (0, 0, -3, 0), (1, None, None, None), (0, -3, 0, -3)]


def _columns(rows: list[dict[str, object]]) -> list[tuple[object, ...]]:
    return [tuple(r[f"score_{s}"] for s in "nesw") for r in rows]


def test_in_a_store(store: Store) -> None:
    totals = import_paths(store, [Source("blad.csv", PUNTEN.encode())])
    assert (totals.stored, totals.rejected) == (4, 0)
    rows = store.rows("SELECT * FROM hands ORDER BY hand_id")
    assert _columns(rows) == SCORES
    assert [r["declarer_score"] for r in rows] == [2, -3, 1, -3]
    assert [r["score_from"] for r in rows] == [*["recorded"] * 3, "rules"]
    sums = {r["name"]: r["score"] for r in store.rows("SELECT name, score FROM players")}
    assert sums == {"Anna": 2 + 0 + 1, "Cor": 2 + 0 - 3, "Bas": 0 - 3 + 0, "Dirk": 0 + 0 - 3}


def test_in_statistics(store: Store) -> None:
    import_paths(store, [Source("blad.csv", PUNTEN.encode())])
    mean = {r["player"]: r for r in measure(store, ["score_per_hand"], ["player"]).to_dicts()}
    assert {name: (r["n"], r["value"]) for name, r in mean.items()} == {
        "Anna": (4, pytest.approx((2 + 0 + 1 + 0) / 4)),
        "Bas": (3, pytest.approx((0 - 3 + 0) / 3)),
        "Cor": (3, pytest.approx((2 + 0 - 3) / 3)),
        "Dirk": (3, pytest.approx((0 + 0 - 3) / 3)),
    }
    declared = measure(store, ["score_as_declarer"], ["player"]).to_dicts()
    assert {r["player"]: r["value"] for r in declared} == {"Anna": 1.5, "Bas": -3, "Dirk": -3}


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
    # Dirk's -4 is on the sheet; in statistics, players and balances alike it is -3. That is said.
    assert sheet.otherwise == (("4", -4, -3),)


def test_players_and_statistics_say_what_the_session_says(store: Store) -> None:
    """Cor's -2 on the sheet is -1 by the rules (130 lost, with a partner), everywhere.

    Anna 0 + 2 + 0, Bas -1 + 2 + 0, Cor -1 + 0 + 0, Dirk 0 + 0 + 0: the last hand was passed out.
    """
    sheet = (
        "Avond;Spel;Speler;Maat;Bod;Gehaald;Punten\na;1;Cor;Bas;130;nee;-2\n"
        "a;2;Anna;Bas;150;ja;2\na;3;Dirk;;pas;;\n"
    )
    import_paths(store, [Source("blad.csv", sheet.encode())])
    booked = stored_sheet(store, "a", load_ruleset("heerlen"))
    balances = dict(zip(booked.names, booked.lines[-1].booked.balance, strict=True))
    assert balances == {"Anna": 2, "Bas": -1 + 2, "Cor": -1, "Dirk": 0}
    assert booked.otherwise == (("1", -2, -1),)
    listed = {r["name"]: r["score"] for r in store.rows("SELECT name, score FROM players")}
    assert listed == balances
    means = measure(store, ["score_per_hand"], ["player"]).to_dicts()
    assert {r["player"]: (r["n"], r["value"]) for r in means} == {
        "Anna": (2, 1.0), "Bas": (2, 0.5), "Cor": (2, -0.5), "Dirk": (2, 0.0),
    }  # fmt: skip
    # Passed out: one thing in view, filter, session list and session.
    assert [line.booked.basis for line in booked.lines] == ["as-recorded", "recorded-score", "void"]
    rows = store.rows("SELECT * FROM hands ORDER BY hand_id")
    assert [r["passed_out"] for r in rows] == [False, False, True]
    assert _columns(rows)[2] == (0, 0, 0, 0)
    assert (rows[2]["score_from"], rows[2]["recorded"], rows[2]["contract"]) == (
        "recorded", "void", None,
    )  # fmt: skip
    assert (store.count("passed=yes"), store.count("played=yes")) == (1, 2)
    (session,) = store.rows("SELECT hands, passed_out FROM sessions")
    assert session == {"hands": 3, "passed_out": 1}
    roles = store.rows("SELECT DISTINCT role FROM seats WHERE hand_id = ?", [rows[2]["hand_id"]])
    assert roles == [{"role": None}]


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
    assert [r["declarer_score"] for r in rows] == [2, -3, 1, -3]
    assert [r["score_from"] for r in rows] == [*["recorded"] * 3, "rules"]


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


# A sheet that has no column of scores. By the rules of heerlen, as in SCORES:
#                                     N   E   S   W
#   150 made by N with E             +2  +2   0   0
#   misère lost by S, alone           0   0  -3   0
#   130 made by N, partner unknown    ?   ?   ?   ?
#   170 lost by W with E              0  -3   0  -3
UNSCORED = """\
Avond;Speler;Maat;Bod;Gehaald
a;Anna;Cor;150;ja
a;Bas;;misère;nee
a;Anna;;130;ja
a;Dirk;Cor;170;nee
"""
BY_RULES = [(2, 2, 0, 0), (0, 0, -3, 0), (None,) * 4, (0, -3, 0, -3)]


def test_without_a_column_of_scores_the_rules_give_them(store: Store) -> None:
    import_paths(store, [Source("blad.csv", UNSCORED.encode())])
    rows = store.rows("SELECT * FROM hands ORDER BY hand_id")
    assert _columns(rows) == BY_RULES
    assert [r["declarer_score"] for r in rows] == [2, -3, None, -3]
    assert [r["score_from"] for r in rows] == ["rules", "rules", None, "rules"]
    sums = {r["name"]: r["score"] for r in store.rows("SELECT name, score FROM players")}
    assert sums == {"Anna": 2, "Cor": 2 - 3, "Bas": -3, "Dirk": -3}
    mean = {r["player"]: r for r in measure(store, ["score_per_hand"], ["player"]).to_dicts()}
    # The third hand is not counted: nobody knows who Anna's partner was.
    assert {name: (r["n"], r["value"]) for name, r in mean.items()} == {
        "Anna": (3, pytest.approx(2 / 3)), "Bas": (3, -1.0),
        "Cor": (3, pytest.approx(-1 / 3)), "Dirk": (3, -1.0),
    }  # fmt: skip
    # The same as in the session, hand by hand and in the end.
    sheet = stored_sheet(store, "a", load_ruleset("heerlen"))
    for line, scores in zip(sheet.lines, BY_RULES, strict=True):
        assert line.booked.change == tuple(s or 0 for s in scores)
    totals = dict(zip(sheet.names, sheet.lines[-1].booked.balance, strict=True))
    assert totals == sums
    assert sheet.incomplete


def test_the_report_of_such_a_sheet_names_partners_and_no_points(store: Store) -> None:
    text = "Avond;Spel;" + UNSCORED.partition(";")[2].replace("\na;", "\na;#;")
    for n in range(1, 5):
        text = text.replace("#", str(n), 1)
    import_paths(store, [Source("blad.csv", (text + "a;5;Dirk;;pas;\n").encode())])
    found = evening_report(store, "a", "nl").markdown()
    for row in (
        "| 1 | Anna met Cor | 150 punten | gehaald \\(zoals genoteerd\\) |  | 2 \\(+2\\) ",
        "| 2 | Bas alleen | misère | verloren \\(zoals genoteerd\\) |  | 2 | 2 | −3 \\(−3\\) | 0 |",
        "| 5 |  |  | rondgepast |  | 2 | −1 | −3 | −3 |",
        "| 2 | Cor | −1 | 0 | 0 | 2 |",  # place, player, total, declared, made, as partner
    ):
        assert row in found
    assert "niet bekend wie wat scoorde" in found


def test_the_rules_give_them_in_a_lake_and_in_an_older_store(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "blad.csv"
    file.write_text(UNSCORED, "utf-8")
    lake = Lake(tmp_path / "lake")
    import_lake(lake, [file])
    rows = lake.rows("SELECT * FROM hands ORDER BY line")
    assert _columns(rows) == BY_RULES
    assert lake.rows("SELECT count(score_n) AS n FROM hand") == [{"n": 0}]  # nothing is proven
    import_paths(store, [file])
    with duckdb.connect(str(store.file())) as con:
        con.execute("DROP TABLE contract_score")
        con.execute("UPDATE store_info SET value = '11' WHERE key = 'schema_version'")
    assert _columns(store.rows("SELECT * FROM hands ORDER BY hand_id")) == BY_RULES


# In fiches a misère of 5 chips pays as many to each opponent, or brings them; a 140 of 2 chips
# is paid out of the pot, or each of the side pays one defender. In the race a 120 brings winners
# the points they took, which somebody must have written down; a piccolo ten times its 3 chips.
LOGGED = {
    "fiches N . =Nmis . . . lost;partner=-": (-15, 5, 5, 5),
    "fiches N . =Nmis . . . made;partner=-": (15, -5, -5, -5),
    "fiches N . =N140 . . . made;partner=S": (2, 0, 2, 0),
    "fiches N . =N140 . . . lost;partner=S": (-2, 2, -2, 2),
    "fiches-race N . =N120 . . . made;partner=S;pts=130-22": (130, 0, 130, 0),
    "fiches-race N . =N120 . . . lost;partner=S;pts=100-52": (0, 52, 0, 52),
    "fiches-race N . =N120 . . . lost;partner=S": (None, None, None, None),
    "fiches-race N . =Npic . . . made;partner=-": (30, 0, 0, 0),
    # What is written down stands: by heerlen it would be one each.
    "heerlen N . =N120 . . . made;partner=S;score=N5,E0,S5,W0": (5, 0, 5, 0),
    "heerlen N . =N120 . . . made": (None, None, None, None),
    "heerlen N . =N120 . . . .": (None, None, None, None),
}


def test_the_rules_of_other_games(store: Store) -> None:
    text = "".join(f"{line} id=h{i}\n" for i, line in enumerate(LOGGED))
    assert import_paths(store, [Source("log.phl", text.encode())]).stored == len(LOGGED)
    rows = store.rows("SELECT * FROM hands ORDER BY hand_id")
    assert dict(zip(LOGGED, _columns(rows), strict=True)) == LOGGED
    assert [r["declarer_score"] for r in rows] == [scores[0] for scores in LOGGED.values()]


@pytest.mark.parametrize("rules_id", ["heerlen", "fiches", "fiches-race"])
def test_every_contract_scores_what_the_engine_says(rules_id: str) -> None:
    """Each row of the table gives the engine's score for any points taken."""
    rules = load_ruleset(rules_id)
    for contract in rules.contracts.values():
        name = contract.code or str(contract.levels[0])
        for alone, made, by_points, *figures in contract_scores(rules, name):
            for points in ((130, 22), (60, 92)):
                found = hand_score(rules, rules.bid(name), 0, -1 if alone else 2, made, points)
                won = points[0 if made else 1]
                own, partner, other = (figures[i] + figures[i + 1] * won for i in (0, 2, 4))
                assert found == (own, other, other if alone else partner, other)
                assert bool(any(figures[1::2])) == by_points
