"""Pairs against expectation, and two players beside each other."""

from pathlib import Path
from urllib.parse import quote

import pytest

from pandoeren_replay.statistics.compare import compare
from pandoeren_replay.statistics.partners import pairs
from pandoeren_replay.store import Store
from tests.statistics.conftest import P1, P3, A, C, make_store


def sheet(n: str, s: str, made: int, lost: int, start: int) -> list[str]:
    """Hands that N declared with S as partner; the deal and called card say who he is."""
    # Deal A with SA ... in N's hand; DA is called, so S is the partner.
    out = []
    for i in range(made + lost):
        result = "made" if i < made else "lost"
        meta = f"id=h{start + i};n={n};e=Eva;s={s};w=Wim;session=x"
        out.append(f"heerlen W {A} 120,-,-,- S:DA:H6 . . {result} {meta}")
    return out


def test_expected_is_what_both_do_with_others(tmp_path: Path) -> None:
    # Anna with Bob 8 of 10, with Cas 10 of 20; Dora with Bob 12 of 20, with Cas 30 of 50.
    lines = [
        *sheet("Anna", "Bob", 8, 2, 0), *sheet("Anna", "Cas", 10, 10, 10),
        *sheet("Dora", "Bob", 12, 8, 30), *sheet("Dora", "Cas", 30, 20, 50),
    ]  # fmt: skip
    store = make_store(tmp_path / "store", "\n".join(lines) + "\n")
    rows = {(r["declarer"], r["partner"]): r for r in pairs(store).to_dicts()}
    # All: 60 of 100. Anna without Bob 10/20, Bob without Anna 12/20: 0.5 + 0.6 - 0.6 = 0.5.
    first = rows["Anna", "Bob"]
    assert (first["n"], first["made"], first["rate"]) == (10, 8, 0.8)
    assert first["expected"] == pytest.approx(0.5)
    assert first["difference"] == pytest.approx(0.3)
    assert first["difference_low"] < 0 < first["difference_high"]
    assert first["small"]
    assert first["rank"] is None
    # Dora without Cas 12/20, Cas without Dora 10/20: 0.6 + 0.5 - 0.6 = 0.5, and 0.6 found.
    last = rows["Dora", "Cas"]
    assert last["difference"] == pytest.approx(0.1)
    assert not last["small"]
    assert last["rank"] == 1
    assert 0 <= last["shrunk"] <= last["difference"]
    for r in rows.values():
        assert store.count(r["where"]) == r["n"]
    only = pairs(store, "declarer=Anna").to_dicts()
    assert [r["partner"] for r in only] == ["Cas", "Bob"]
    assert only[0]["expected"] is None  # within this filter Bob and Cas play with Anna alone


def duplicate(first: str, second: str) -> str:
    """Two deals, each played once with ``first`` and once with ``second`` as North."""
    lines = []
    for name in (first, second):
        # Deal A, 120: 146 points, made (+1) whoever plays. Deal C, 140: 125 points; +20 only for
        # who says stuk (the first): made (+1), else lost (-1).
        claim = "20N=stuk" if name == first else "."
        meta = f"n={quote(name)};e=Eva;s=Sam;w=Wim;session={quote(name)}"
        lines.append(f"heerlen W {A} 120,-,-,- S:HA:H6 {P1} . . id={quote(name)}1;{meta}")
        lines.append(f"heerlen W {C} 140,-,-,- S:HA:H6 {P3} {claim} . id={quote(name)}2;{meta}")
    return "\n".join(lines) + "\n"


def test_the_same_deals_are_compared_in_pairs(tmp_path: Path) -> None:
    text = duplicate("Bot A", "Bot B")
    # A hand that only Bot B played does not count: +1 for 120 on deal C.
    text += f"heerlen N {C} -,-,-,120,-,-,- S:HA:H6 {P3} . . id=z;n=Bot%20B;session=z\n"
    store = make_store(tmp_path / "store", text)
    c = compare(store, "Bot A", "Bot B")
    # Differences 0 (deal A) and +2 (deal C).
    assert (c.paired, c.n, c.means, c.difference) == (True, (2, 2), (1.0, 0.0), 1.0)
    assert c.low is not None
    assert c.high is not None
    assert c.low <= 1.0 <= c.high
    assert c.small
    other = compare(store, "Bot B", "Bot A")
    assert other.difference == -1.0


def test_without_common_deals_all_hands_count(club: Store) -> None:
    # Over 26 hands Anna -3 and Cor +4 (test_by_hand.py); both 0 over four passed-out ones.
    c = compare(club, "Anna", "Cor")
    assert (c.paired, c.n) == (False, (30, 30))
    assert c.difference == pytest.approx(-7 / 30)
    assert not c.as_dict()["small"]
    c = compare(club, "Anna", "Cor", "cards=yes")  # -7 and 0 over the six that were played
    assert (c.n, c.difference, c.small) == ((6, 6), pytest.approx(-7 / 6), True)
    with pytest.raises(ValueError, match="no hand of 'Nobody' with a known score"):
        compare(club, "Anna", "Nobody")
    with pytest.raises(ValueError, match="needs two players"):
        compare(club, "Anna", "Anna")
