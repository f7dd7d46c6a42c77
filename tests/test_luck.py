"""Luck and skill: worked out by hand on hands of the club, and adding up on a demo evening."""

import math
from pathlib import Path

import pytest

from engine.replay import replay
from engine.state import Replay
from pandoeren_replay.luck import hand_luck, session_luck, stored_luck
from pandoeren_replay.review_files import read_reviews, take_over
from pandoeren_replay.reviewed import Row, review_all, stored_reviews
from pandoeren_replay.sessions import stored_sheet
from pandoeren_replay.store import Store
from parsers.phl import read_phl
from tests.statistics.conftest import PLAYED, club_text, make_store

DEMO = Path(__file__).parents[1] / "data" / "demo"
N, E, S, W = range(4)


def hand(i: int) -> Replay:
    """A hand of the club: N declares, E is his partner; (made, lost) is worth (+, −) to both."""
    return replay(read_phl(PLAYED[i] + " id=x").records[0])


def card(ply: int, seat: int, verdict: str, before: bool, after: bool, loss: float = 0.0) -> Row:
    """A card judged; ``before`` and ``after``: does the side of whoever played it win then."""
    return Row(
        1, "card", ply, None, seat, "SA", "SK", verdict, 0.5, 0.5, 0.5 + loss, loss, 0.0, 1.0,
        after, before, 100, False, False, None,
    )  # fmt: skip


def bid(verdict: str, chance: float, value: float, loss: float) -> Row:
    return Row(
        1, "bid", None, 0, N, "140", "-", verdict, chance, value, value + loss, loss, 0.0, 1.0,
        True, None, 24, False, False, None,
    )  # fmt: skip


def test_a_defender_gives_the_contract_away() -> None:
    """Hand 3: N with E makes 140, +1 each. With open cards it was lost until W's mistake.

    His card gave away half of the chance. Between made (+1 +1 0 0) and lost (−1 −1 0 0) lie two
    points for N and E: the mistake is worth +1 to each of them. The cards were worth −1, the rest
    of the turn (+2 − 1) nobody could know.
    """
    found = hand_luck(hand(2), [card(0, W, "mistake", True, False, 0.5)])
    assert found is not None
    assert found.score == (1, 1, 0, 0)
    assert found.deal == (-1, -1, 0, 0)
    assert found.luck == (0, 0, 0, 0)
    assert [found.own(s) for s in range(4)] == [0, 0, 0, 0]
    assert [found.others(s) for s in range(4)] == [1, 1, 0, 0]


def test_declarer_loses_what_was_made() -> None:
    """Hand 4: N loses 150 (−2 −2 0 0); it was made with open cards until his mistake of 0.4.

    Stake 4: his own decision −1.6, for his partner a decision of another; luck is +2 − 4 + 1.6.
    """
    found = hand_luck(hand(3), [card(4, N, "mistake", True, False, 0.4)])
    assert found is not None
    assert found.deal == (2, 2, 0, 0)
    assert found.own(N) == pytest.approx(-1.6)
    assert found.others(E) == pytest.approx(-1.6)
    assert found.own(E) == found.others(N) == 0
    assert found.luck == pytest.approx((-0.4, -0.4, 0, 0))


def test_nobody_could_know() -> None:
    """The same card judged fine or doubtful: all of it is luck."""
    for verdict in ("fine", "doubtful"):
        found = hand_luck(hand(3), [card(4, N, verdict, True, False, 0.4)])
        assert found is not None
        assert found.luck == (-2, -2, 0, 0)
        assert found.own(N) == 0


def test_a_card_against_the_rules_counts_for_all_that_it_changed() -> None:
    """W's card against the rules turns a hand that N would make into a lost one."""
    rows = [
        card(0, W, "fine", False, False),
        card(1, W, "illegal", False, False)._replace(open_won=None, open_best=None),
        card(2, N, "fine", False, False),
    ]
    found = hand_luck(hand(3), rows)
    assert found is not None
    assert found.deal == (2, 2, 0, 0)
    assert found.by[W] == (-4, -4, 0, 0)
    assert found.luck == (2, 2, 0, 0)
    # The last card of all, with nothing judged after it: it is his all the same.
    last = hand_luck(hand(3), rows[:2])
    assert last is not None
    assert last.by[W] == (-4, -4, 0, 0)


def test_bids() -> None:
    """140 bid on a chance of 1 in 4: −1 + 0.25 × 2 = −0.5 expected for N and E, though it was made.

    A bid that was 0.3 too low costs the bidder alone.
    """
    sound = card(0, W, "fine", False, False)
    found = hand_luck(hand(2), [bid("lucky", 0.25, -0.5, 0.5), sound])
    assert found is not None
    assert (found.own(N), found.others(E)) == (-0.5, -0.5)
    assert found.luck == (1.5, 1.5, 0, 0)
    low = hand_luck(hand(2), [bid("underbid", 0.9, 0.8, 0.3), sound])
    assert low is not None
    assert low.own(N) == pytest.approx(-0.3)
    assert low.others(E) == 0
    assert low.luck == pytest.approx((1.3, 1, 0, 0))
    for verdict in ("fine", "unlucky"):
        fine = hand_luck(hand(2), [bid(verdict, 0.9, 0.8, 0.0), sound])
        assert fine is not None
        assert fine.luck == (1, 1, 0, 0)


def test_what_cannot_be_taken_apart_is_said() -> None:
    assert hand_luck(hand(2), []) is None
    unplayed = replay(read_phl("heerlen W . 120,-,-,- . . . made id=x").records[0])
    assert hand_luck(unplayed, [card(0, W, "fine", True, True)]) is None


def test_a_session_of_by_hand_adds_up(tmp_path: Path) -> None:
    """Six hands, one of them reviewed: N gets 2 −2 1 −2 −3 −3."""
    store = make_store(tmp_path / "club", club_text())
    sheet = stored_sheet(store, "played")
    third = sheet.lines[2].hand_id
    assert third is not None
    found = session_luck(sheet, {third: (card(0, W, "mistake", True, False, 0.5),)})
    anna = found.parts[N]
    assert (anna.score, anna.luck, anna.own, anna.others) == (-7, 0, 0, 1)
    assert (anna.table, anna.unjudged, anna.total) == (0, -8, -7)
    assert (found.judged, found.hands) == (1, 6)


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The whole demo evening with the reviews that come with it, and hands of fiches (ante and
    pot), reviewed with few deals.
    """
    store = Store(tmp_path_factory.mktemp("luck") / "store")
    season = (DEMO / "season.phl").read_text("utf-8").splitlines()
    chips = [line for line in season if line.startswith("fiches ")][:8]
    path = tmp_path_factory.mktemp("logs") / "chips.phl"
    path.write_text("\n".join(chips) + "\n")
    store.import_([DEMO / "evening.phl", path])
    assert take_over(store, read_reviews(DEMO.with_name("reviews") / "demo.parquet"))
    review_all(store, "rules=fiches", deals=12)
    return store


def test_every_hand_and_the_evening_add_up(reviewed: Store) -> None:
    for session in ("2026-11-26-A", None):
        if session is None:
            found = reviewed.rows(
                "SELECT session FROM sessions WHERE list_contains(rules, 'fiches')"
            )
            session = str(found[0]["session"])
        sheet = stored_sheet(reviewed, session)
        ids = [x.hand_id for x in sheet.lines if x.hand_id is not None]
        reviews = stored_reviews(reviewed, ids)
        apart = 0
        for line in sheet.lines:
            one = hand_luck(line.replay, reviews.get(line.hand_id or -1, ()))
            if one is None:
                continue
            apart += 1
            assert one.score == line.replay.outcome.score
            for s in range(4):
                parts = one.luck[s] + one.own(s) + one.others(s)
                assert math.isclose(parts, one.score[s], abs_tol=1e-9)
                assert one.deal is not None
        assert apart > 3
        if session == "2026-11-26-A":
            # The whole evening: all that was played and of which the outcome is proven.
            assert apart == sum(
                not x.replay.outcome.passed_out and x.replay.outcome.made is not None
                for x in sheet.lines
            )
            assert len(sheet.lines) == 32
        whole = stored_luck(reviewed, sheet)
        assert whole.judged == apart
        for s in range(4):
            assert math.isclose(whole.parts[s].total, whole.parts[s].score, abs_tol=1e-9)
            assert whole.parts[s].score == sum(x.booked.change[s] for x in sheet.lines)
