"""Statistics over evaluations, on values put in by hand."""

from pathlib import Path
from typing import Any

import pytest

from engine.cards import CARD_INDEX
from pandoeren_replay.analyze import analyze
from pandoeren_replay.annotate import annotate
from pandoeren_replay.statistics.analysis import has_evaluations, unanswerable
from pandoeren_replay.statistics.compute import figures
from pandoeren_replay.statistics.evening import moment
from pandoeren_replay.statistics.glossary import STATISTICS, statistic
from pandoeren_replay.store import Store
from tests.statistics.conftest import club_text, make_store

# hand, ply, card, value, best, played: what declarer's side takes in the end after each card.
# First leads by N (points without meld). With open cards the hands are worth before them:
#   P1 146 (+180 meld), P2 146, P3 146 (+20), P4 146, P5 185 (an invented value).
VALUES = (
    ("P1", 0, "SJ", 146, 146, True), ("P1", 0, "S7", 140, 146, False),
    ("P2", 0, "SA", 146, 146, True), ("P2", 0, "SK", 146, 146, False),
    ("P3", 0, "C7", 125, 146, True), ("P3", 0, "SJ", 146, 146, False),
    ("P4", 0, "C7", 125, 146, True), ("P4", 0, "SJ", 146, 146, False),
    ("P5", 0, "C7", 140, 185, True), ("P5", 0, "SJ", 185, 185, False),
    # W's first card in P1: it gives the side 6 points.
    ("P1", 3, "C7", 146, 140, True), ("P1", 3, "C8", 140, 140, False),
)  # fmt: skip


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = make_store(tmp_path_factory.mktemp("analysed") / "store", club_text())
    rows = []
    for hand, ply, card, value, best, played in VALUES:
        hand_id = store.find(f"played-{hand[1]}")
        rows.append((hand_id, ply, CARD_INDEX[card], "points", value, best, played, "by hand"))
    with store.writing() as con:
        con.executemany("INSERT INTO evaluation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return store


def rows(store: Store, name: str, by: str = "player") -> dict[Any, Any]:
    s = statistic(name)
    return {
        next(iter(f.group.values())): (f.value if s.unit == "mean" else f.hits, f.n)
        for f in figures(store, [s], [by])
    }


# kind, choice, value, best, chosen in P1 (made: 160, meld 180) and P5 (180, no meld).
DECLARED = (
    ("P1", "discard", "H6", "points", 146, 146, True),
    ("P1", "discard", "SA", "points", 120, 146, False),
    ("P1", "trump", "S", "points", 140, 146, True),
    ("P1", "trump", "H", "points", 146, 146, False),
    ("P5", "discard", "H6", "points", 170, 185, True),
    ("P5", "discard", "S7", "points", 185, 185, False),
    ("P5", "called", "HA", "points", 180, 190, True),
    ("P5", "called", "-", "points", None, 190, False),
    ("P5", "called", "DA", "points", 190, 190, False),
    # P4 as if it were about all tricks: reached with another trump suit only.
    ("P4", "trump", "S", "all", 0, 1, True),
    ("P4", "trump", "D", "all", 1, 1, False),
)  # fmt: skip


def test_discard_trump_and_called_card(analysed: Store, tmp_path: Path) -> None:
    assert unanswerable(analysed, STATISTICS)[1] == ["declaration"]
    with analysed.writing() as con:
        con.executemany(
            "INSERT INTO declaration_value (hand_id, kind, choice, goal, value, best, chosen, "
            "solver) VALUES (?, ?, ?, ?, ?, ?, ?, 'by hand')",
            [(analysed.find(f"played-{h[1]}"), *rest) for h, *rest in DECLARED],
        )
    assert unanswerable(analysed, STATISTICS) == ([], [])
    # Discard: 0 in P1, 15 in P5. Trump: 6 in P1; P4 is not about points. Called card: 10 in P5.
    assert rows(analysed, "discard_loss") == {"Anna": (7.5, 2)}
    assert rows(analysed, "trump_loss") == {"Anna": (6.0, 1)}
    assert rows(analysed, "called_loss") == {"Anna": (10.0, 1)}
    assert rows(analysed, "declaration_best", "kind") == {
        "called": (0, 1), "discard": (1, 2), "trump": (0, 2),
    }  # fmt: skip
    # P5's discard takes 185 to 170 (180 was bid); 190 to 180 still makes it. P1 is 320 of 160.
    # P4: all tricks are there with another trump suit only.
    assert rows(analysed, "declaration_blunders", "kind") == {
        "called": (0, 1), "discard": (1, 2), "trump": (1, 2),
    }  # fmt: skip
    (found,) = figures(analysed, [statistic("declaration_blunders")], ["contract", "kind"],
                       "contract=180 and counted='discard_loss'")[:1]  # fmt: skip
    assert analysed.count(found.where) == 1


def test_bids_against_open_cards(analysed: Store) -> None:
    # Made with open cards: P1 326 for 160, P3 166 for 140, P5 185 for 180; not P2 (146 for 160)
    # and P4 (146 for 150).
    assert rows(analysed, "overbid") == {"Anna": (2, 5)}
    # The next bid too: P1 (170), P3 (150); P5 185 is less than 190.
    assert rows(analysed, "underbid") == {"Anna": (2, 5)}
    # 166 - 14 + 26 - 4 + 5 = 179.
    assert rows(analysed, "open_margin") == {"Anna": (pytest.approx(179 / 5), 5)}
    # P2 and P4, lost with open cards, were lost; of P1 P3 P5 only P5 was.
    assert rows(analysed, "stolen") == {"Anna": (0, 2)}
    assert rows(analysed, "given_away") == {"Anna": (1, 3)}


def test_score_of_the_cards(analysed: Store) -> None:
    # With open cards +2 -2 +1 -2 +3 = 2; at the table +2 -2 +1 -2 -3, so 6 less.
    assert rows(analysed, "cards_score") == {"Anna": (pytest.approx(2 / 5), 5)}
    assert rows(analysed, "luck_adjusted") == {"Anna": (pytest.approx(-6 / 5), 5)}


def test_points_lost(analysed: Store) -> None:
    # N: 0, 0, 21, 21, 45. W: 6 in P1.
    assert rows(analysed, "lost_as_declarer") == {"Anna": (pytest.approx(87 / 5), 5)}
    assert rows(analysed, "lost_as_defender") == {"Dirk": (6.0, 1)}
    assert rows(analysed, "lost_as_partner") == {}
    assert rows(analysed, "lost_by_trick", "trick") == {1: (pytest.approx(93 / 6), 6)}


def test_choices(analysed: Store) -> None:
    # Cards differed in P1 P3 P4 P5 (not in P2) for N, and for W in P1.
    assert rows(analysed, "accuracy") == {"Anna": (1, 4), "Dirk": (0, 1)}
    # P5: 185 makes 180, 140 does not. P3: 166 and 145 both make 140. W's 6 points change nothing.
    assert rows(analysed, "blunders") == {"Anna": (1, 4), "Dirk": (0, 1)}
    assert rows(analysed, "lead_accuracy") == {"Anna": (1, 4)}


def test_the_card_that_turned_a_hand(analysed: Store) -> None:
    hand = analysed.replay("played-5")
    values = analysed.rows(
        "SELECT ply, goal, value, best FROM evaluations WHERE played AND hand_id = ?",
        [analysed.find("played-5")],
    )
    found = moment(hand, values)
    assert found is not None
    assert (found.ply, found.trick, found.seat, found.turned) == (0, 1, 0, "turned_lost")


def test_the_solvers_own_values(tmp_path: Path) -> None:
    """What `pandoeren analyze` writes, counted here, is what the annotation of a hand says."""
    store = make_store(tmp_path / "store", club_text())
    analyze(store, "session=played and level<=180")
    names = ("lost_as_declarer", "lost_as_partner", "lost_as_defender")
    lost = {"Anna": 0.0, "Bas": 0.0, "Cor": 0.0, "Dirk": 0.0}
    for name in names:
        for player, (value, n) in rows(store, name).items():
            lost[player] += value * n
    told = dict.fromkeys(lost, 0)
    right: dict[str, tuple[int, int]] = {}
    for hand in ("1", "2", "3", "4", "5"):
        done = annotate(store.replay(f"played-{hand}"))
        for seat, player in enumerate(told):
            told[player] += done.lost_by(seat)
            mine = [c for c in done.cards if c.seat == seat and c.mattered and c.regular]
            hits, n = right.get(player, (0, 0))
            right[player] = (hits + sum(c.loss <= 0 for c in mine), n + len(mine))
    assert lost == told
    assert rows(store, "accuracy") == {p: x for p, x in right.items() if x[1]}
    # The first lead of every hand was valued.
    assert sum(n for _, n in rows(store, "overbid").values()) == 5


def test_without_evaluations_there_is_nothing(club: Store, tmp_path: Path) -> None:
    assert not has_evaluations(club)
    for s in STATISTICS:
        if s.topic == "analysis":
            assert figures(club, [s]) == []
