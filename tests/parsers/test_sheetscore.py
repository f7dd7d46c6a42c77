"""What declarer's figure on a score sheet gives: worked out here by hand from the rules."""

import pytest

from engine.rulefile import load_ruleset
from parsers.base import Options, ParseResult
from parsers.scoresheet import read_scoresheet
from parsers.sheetscore import work_out

HEAD = "Speler;Maat;Bod;Gehaald;Punten\n"


def read(text: str, rules: str | None = None) -> ParseResult:
    result = read_scoresheet(text, "s.csv", Options(rules=rules))
    assert result.rejects == []
    return result


def scores(result: ParseResult) -> list[tuple[int, int, int, int] | None]:
    return [h.record.result.score for h in result.hands]


def test_the_others_follow_where_the_partner_is_known():
    """Declarer and partner each the score of the contract, the others 0; misère is played alone.

    The players sit in the order of mention: Anna, Cor, Bas, Dirk.
    """
    text = HEAD + "Anna;Cor;150;ja;2\nBas;;misère;nee;-3\nAnna;;130;ja;1\nDirk;alleen;130;nee;-1\n"
    result = read(text)
    assert scores(result) == [(2, 2, 0, 0), (0, 0, -3, 0), None, (0, 0, 0, -1)]
    records = [h.record for h in result.hands]
    assert [r.get("score_declarer") for r in records] == ["2", "-3", "1", "-1"]
    assert [r.get("score_by") for r in records] == ["rules", "rules", None, "rules"]
    assert (2, "the scores of the others follow from declarer's (3 hands)") in [
        (w.line, w.message) for w in result.warnings
    ]


def test_made_or_lost_follows_from_the_sign():
    result = read("Speler;Maat;Bod;Score\nAnna;Cor;170;-3\nBas;Cor;130;1\nCor;Bas;130;0\n")
    records = [h.record for h in result.hands]
    assert [r.result.outcome for r in records] == ["lost", "made", None]
    assert [r.get("outcome_by") for r in records] == ["score", "score", None]
    assert scores(result) == [(-3, -3, 0, 0), (0, 1, 1, 0), None]
    assert (2, "made or lost follows from the sign of the score (2 hands)") in [
        (w.line, w.message) for w in result.warnings
    ]


def test_a_sheet_without_odd_or_missing_scores_says_nothing():
    text = "Speler;Maat;Bod;Gehaald;Anna;Bas;Cor;Dirk\nAnna;Cor;130;ja;1;0;1;0\n"
    result = read(text, "heerlen")
    assert scores(result) == [(1, 0, 1, 0)]
    assert result.hands[0].record.get("score_by") is None
    assert result.warnings == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        # A running total: 1, then 1 + 2.
        (HEAD + "Anna;Cor;130;ja;+1\nAnna;Cor;150;ja;+3\n", 3,
         "declarer's score is 3, by the rules heerlen it is 2: kept as the sheet has it; "
         "where the rules give a score, that counts (1 hand)"),
        (HEAD + "Anna;Cor;130;nee;+1\nAnna;Cor;150;nee;+2\n", 2,
         "declarer's score is 1, by the rules heerlen it is -1: "
         "kept as the sheet has it; where the rules give a score, that counts (2 hands)"),
        ("Speler;Maat;Bod;Gehaald;N;E;S;W\nN;S;130;ja;1;1;;\n", 2,
         "the score of E is 1, by the rules heerlen it is 0: kept as the sheet has it; "
         "where the rules give a score, that counts (1 hand)"),
    ],
)  # fmt: skip
def test_figures_that_are_not_those_of_the_rules_are_told_of_and_not_spread(text, line, message):
    result = read(text)
    assert (line, message) in [(w.line, w.message) for w in result.warnings]
    assert scores(result)[line - 2] is None
    assert result.hands[line - 2].record.get("score_by") is None


@pytest.mark.parametrize(
    ("rules", "contract", "partner", "outcome", "points", "told", "score"),
    [
        # Lost with a partner: each of the side pays one defender; alone: X to each defender.
        ("fiches", "140", 2, "lost", None, {0: -2}, (-2, 2, -2, 2)),
        ("fiches", "mis", None, "lost", None, {0: -15}, (-15, 5, 5, 5)),
        # Made: from the pot.
        ("fiches", "140", 2, "made", None, {0: 2}, (2, 0, 2, 0)),
        # Butselaar: cents, each of the side as much.
        ("butselaar", "160", 3, "made", None, {0: 2, 3: 2}, (2, 0, 0, 2)),
        # The race: his side's points to each of the side that made it.
        ("fiches-race", "100", 1, "made", (104, 42), {0: 104}, (104, 104, 0, 0)),
        ("fiches-race", "100", 1, "made", None, {0: 104}, None),
        ("fiches-race", "100", 1, "lost", None, {0: 0}, None),
        ("heerlen", "150", None, "made", None, {0: 2}, None),
        ("heerlen", None, 2, "made", None, {0: 2}, None),
        ("heerlen", "150", 2, "void", None, {0: 2}, None),
        ("heerlen", "150", 2, "made", None, {2: 2}, None),
        ("heerlen", "150", 2, "made", None, {0: 2, 2: 2, 1: 0}, (2, 0, 2, 0)),
        ("heerlen", "125", 2, "made", None, {0: 2}, None),
    ],
)
def test_by_rule_set(rules, contract, partner, outcome, points, told, score):
    found = work_out(load_ruleset(rules), contract, 0, partner, outcome, points, told)
    assert (found.score, found.odd) == (score, "")


def test_no_declarer_gives_nothing():
    found = work_out(load_ruleset("heerlen"), "150", None, 2, None, None, {0: 2})
    assert (found.score, found.outcome, found.odd) == (None, None, "")


def test_declarers_cell_among_blank_ones_is_his_score():
    """Pandoer has a partner, whom the row does not name: the others' scores do not follow."""
    head = "Speler;Maat;Bod;Gehaald;Jan;Piet;Kees;Klaas\n"
    text = f"{head}Jan;Kees;130;ja;1;0;1;0\nKlaas;;pandoer;nee;;;;-5\nPiet;Jan;150;ja;2;2;;\n"
    one, two, three = [h.record for h in read(text).hands]
    assert (one.result.score, one.get("score_by")) == ((1, 0, 1, 0), None)
    assert (two.result.score, two.get("score_declarer"), two.get("score_w")) == (None, "-5", "-5")
    assert (three.result.score, three.get("score_by")) == ((2, 2, 0, 0), "rules")


def test_where_a_sheet_has_all_four_scores_they_count():
    result = read("Speler;Maat;Bod;Gehaald;N;E;S;W\nN;S;130;ja;1;1;1;0\n")
    odd = "the score of E is 1, by the rules heerlen it is 0: kept as the sheet has it (1 hand)"
    assert (2, odd) in [(w.line, w.message) for w in result.warnings]
    assert scores(result) == [(1, 1, 1, 0)]


def test_only_rows_that_became_hands_are_counted():
    rows = "28-11-2026;Anna;Cor;130;ja;1\n31-02-2026;Bas;;mis;nee;-3\n28-11-2026;Bas;;mis;nee;9\n"
    text = f"Datum;Speler;Maat;Bod;Gehaald;Score\n{rows}"
    result = read_scoresheet(text, "s.csv", Options())
    assert [r.line for r in result.rejects] == [3]
    said = [(w.line, w.message) for w in result.warnings]
    assert (2, "the scores of the others follow from declarer's (1 hand)") in said
    odd = (
        "declarer's score is 9, by the rules heerlen it is -3: kept as the sheet has it; "
        "where the rules give a score, that counts (1 hand)"
    )
    assert (4, odd) in said


def test_points_that_are_all_what_the_contracts_score_are_scores():
    text = HEAD + "Anna;Cor;130;ja;1\nBas;;misère;ja;3\nCor;Bas;170;ja;3\n"
    result = read(text)
    assert scores(result) == [(1, 1, 0, 0), (0, 0, 3, 0), (0, 3, 3, 0)]
    assert [h.record.get("server_points") for h in result.hands] == [None] * 3
    # One number that is none of the contract's, and all are points of cards, as the title says.
    points = read(HEAD + "Anna;Cor;130;ja;1\nBas;;misère;ja;0\nCor;Bas;170;ja;171\n")
    assert [h.record.get("server_points") for h in points.hands] == ["1", "0", "171"]
    assert scores(points) == [None, None, None]
    # Zeros alone say nothing.
    zeros = read(HEAD + "Bas;;misère;ja;0\n")
    assert zeros.hands[0].record.get("server_points") == "0"
