"""Fair reviews in the store: as the review says, resumable, gone with the hand they judge."""

import json
from pathlib import Path

import pytest

from engine.cards import CARDS, SEATS
from pandoeren_replay import reviewed
from pandoeren_replay.correct import correct, text_of
from pandoeren_replay.fair_review import review, review_bid
from pandoeren_replay.maintenance import undo_import
from pandoeren_replay.reviewed import decision_of, missing, review_all, stored_reviews
from pandoeren_replay.sessions import stored_sheet
from pandoeren_replay.statistics.fair import player_reviews, session_review
from pandoeren_replay.store import Store
from tests.cli.conftest import Run, run

__all__ = ["run"]

HANDS = Path(__file__).parents[1] / "data" / "demo" / "evening.phl"
LINES = [x for x in HANDS.read_text("utf-8").splitlines() if not x.startswith("#")]
DEALS = 10


def club(folder: Path, lines: list[str]) -> Store:
    file = folder / "evening.phl"
    file.write_text("\n".join(lines) + "\n")
    store = Store(folder / "club")
    store.import_([file])
    return store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = club(tmp_path, LINES[:3])
    assert made.count() == 3
    return made


def test_every_decision_is_kept_as_the_review_says(store: Store) -> None:
    told: list[tuple[str, int, int]] = []
    found = review_all(store, "number=1", deals=DEALS, progress=lambda *at: told.append(at))
    assert (found.done, found.known, found.left_out) == (1, 0, {})
    assert told == [("review", 1, 1)]
    hand = store.replay(1)
    expected = review(hand, DEALS)
    rows = store.rows("SELECT * FROM reviews WHERE kind = 'card' ORDER BY ply")
    assert found.mistakes == len(expected.mistakes())
    for row, d in zip(rows, expected.decisions, strict=True):
        assert (row["ply"], row["seat"], row["choice"]) == (d.ply, SEATS[d.seat], CARDS[d.card])
        assert (row["verdict"], row["deals"], row["exact"]) == (d.verdict, d.deals, d.exact)
        assert row["best"] == (None if d.best is None else CARDS[d.best])
        assert row["loss"] == pytest.approx(d.loss, abs=1e-6)
        assert row["open_loss"] == d.open_loss
        chances = json.loads(row["chances"]) if row["chances"] else {}
        assert chances == pytest.approx({CARDS[c]: x for c, x in d.chances.items()}, abs=1e-4)
    bids = store.rows("SELECT * FROM reviews WHERE kind = 'bid'")
    bid = review_bid(hand)
    assert [(b["verdict"], b["choice"]) for b in bids] == (
        [] if bid is None else [(bid.verdict, bid.advice.call)]
    )
    back = [decision_of(r) for r in stored_reviews(store, [1])[1] if r.kind == "card"]
    assert [(d.ply, d.verdict, d.best, d.open_loss) for d in back] == [
        (d.ply, d.verdict, d.best, d.open_loss) for d in expected.decisions
    ]


def test_only_what_is_new_is_reviewed_and_a_stopped_run_keeps_what_it_finished(
    store: Store,
) -> None:
    def stop(what: str, done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        review_all(store, deals=DEALS, progress=stop)
    kept = store.rows("SELECT DISTINCT hand_id FROM reviews ORDER BY 1")
    assert [r["hand_id"] for r in kept] == [1, 2]
    assert missing(store) == ([3], 2)
    found = review_all(store, deals=DEALS)
    assert (found.done, found.known) == (1, 2)
    generation = store.generation()
    again = review_all(store, deals=DEALS)
    assert (again.done, again.known) == (0, 3)
    assert store.generation() == generation


def test_another_version_of_the_method_reviews_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    review_all(store, "number=1", deals=DEALS)
    before = store.rows("SELECT count(*) AS n FROM reviews")[0]["n"]
    monkeypatch.setattr(reviewed, "REVIEW_VERSION", "another")
    assert missing(store, "number=1") == ([1], 0)
    review_all(store, "number=1", deals=DEALS)
    assert store.rows("SELECT version, count(*) AS n FROM reviews GROUP BY 1") == [
        {"version": "another", "n": before}
    ]


def test_the_review_of_a_corrected_or_undone_hand_is_gone(store: Store) -> None:
    review_all(store, "number<=2", deals=DEALS)
    text = text_of(store, 1)
    new = correct(store, 1, text.replace('[West "Dirk"]', '[West "Dirk Jan"]'))
    left = store.rows("SELECT DISTINCT hand_id FROM review ORDER BY 1")
    assert [r["hand_id"] for r in left] == [2]
    assert new in missing(store)[0]
    undo_import(store, 1)
    assert store.rows("SELECT DISTINCT hand_id FROM review WHERE hand_id = 2") == []


def test_a_hand_of_which_nothing_can_be_judged_is_looked_at_once(tmp_path: Path) -> None:
    """The cards of one trick, nobody's hand known."""
    line = LINES[0].split(" ")
    line[2] = "?" * 33
    line[5] = line[5].split("/")[0]
    store = club(tmp_path, [" ".join(line)])
    found = review_all(store, deals=DEALS)
    assert found.done == 0
    assert sum(found.left_out.values()) == 1
    assert "recorded" in next(iter(found.left_out))
    assert store.rows("SELECT * FROM reviews") == []
    assert missing(store) == ([], 1)


def test_what_reviews_come_to(store: Store) -> None:
    review_all(store, deals=DEALS)
    rows = store.rows(
        "SELECT s.player, r.verdict, r.kind, r.open_loss FROM reviews r "
        "JOIN seats s USING (hand_id, seat)"
    )
    for p in player_reviews(store):
        own = [r for r in rows if r["player"] == p.name and r["kind"] == "card"]
        judged = [r for r in own if r["verdict"] in ("fine", "doubtful", "mistake")]
        wrong = [r for r in judged if r["verdict"] == "mistake"]
        assert (p.decisions, p.mistakes) == (len(judged), len(wrong))
        assert p.unlucky == sum(r["verdict"] == "fine" and r["open_loss"] == 1 for r in own)
        assert p.few == (len(judged) < 30)
        assert p.rate is not None
        assert p.interval is not None
        assert p.interval[0] <= p.rate <= p.interval[1]
    assert sum(p.mistakes for p in player_reviews(store)) == sum(
        r["verdict"] == "mistake" for r in rows
    )
    session = store.rows("SELECT session FROM sessions LIMIT 1")[0]["session"]
    found = session_review(store, stored_sheet(store, session))
    assert found.hands == found.of
    losses = [n.row.loss for n in found.mistakes]
    assert losses == sorted(losses, reverse=True)


def test_the_command_keeps_reviews(run: Run, tmp_path: Path, store: Store) -> None:
    db = str(store.path)
    ran = run("review", "--where", "number<=1", "--deals", "10", "--db", db)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("reviewed 1 hands (")
    assert "0 known already" in ran.out
    assert "1 known already" in run("review", "--where", "number<=1", "--db", db).out
    assert "name a hand, or give --all or --where" in run("review", "--db", db).err
    assert "name a hand" in run("review", "1", "--all", "--db", db).err
