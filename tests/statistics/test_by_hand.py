"""Every statistic on a store made by hand; the values are worked out in the comments.

The hands are described in conftest.py: 24 of a score sheet (six auctions, four times over) and the
six played hands P1 to P6.
"""

from pathlib import Path
from typing import Any

import pytest

from pandoeren_replay.statistics.compute import figures
from pandoeren_replay.statistics.glossary import STATISTICS, statistic
from pandoeren_replay.stats import pairs
from pandoeren_replay.stats import statistics as overview
from pandoeren_replay.store import Store


def table(store: Store, name: str, by: str = "player", where: str | None = None) -> dict[Any, Any]:
    """``{group: (hits, n)}`` of a rate or share, ``{group: (mean, n)}`` of a mean."""
    s = statistic(name)
    out = {}
    for f in figures(store, [s], [by], where):
        (key,) = f.group.values()
        if s.unit == "mean":
            out[key] = (f.value, f.n)
        else:
            assert f.value == pytest.approx((f.hits or 0) / f.n)
            out[key] = (f.hits, f.n)
    return out


def mean(total: float, n: int) -> Any:
    return (pytest.approx(total / n), n)


def test_entry(club: Store) -> None:
    # Sheet: N bids in 1 5 6, E in 6, S in 2 3, W in 2; four times. Played: N in all six, S in P6.
    assert table(club, "entry") == {
        "Anna": (18, 30), "Bas": (4, 30), "Cor": (9, 30), "Dirk": (4, 30),
    }  # fmt: skip
    # Place 1 (forehand) bids in 1 3 5 6 and P1-P6: 16 + 6; place 2 in 2: 4;
    # place 3 in 2 and P6 (S, dealer W): 4 + 1; place 4 (N in 6, the dealer): 4.
    assert table(club, "entry", "position") == {1: (22, 30), 2: (4, 30), 3: (5, 30), 4: (4, 30)}
    assert table(club, "entry", "seat") == {
        "N": (18, 30), "E": (4, 30), "S": (9, 30), "W": (4, 30),
    }  # fmt: skip


def test_entry_by_hand_features(club: Store) -> None:
    # Deals are known of P1-P6: 24 hands dealt, each with one ace; N bids six times, S once.
    assert table(club, "entry", "aces") == {1: (7, 24)}
    # A: all four have eight of a suit (2 hands). C (4 hands): N and E seven, S eight, W six.
    assert table(club, "entry", "longest") == {6: (0, 4), 7: (4, 8), 8: (3, 12)}
    assert table(club, "entry", "holding") == {
        "J 9 A, 8": (3, 12), "J 9 A, 7": (4, 8), "J 9 A, 6": (0, 4),
    }  # fmt: skip
    # King and queen of one suit: everybody, in both deals.
    assert table(club, "entry", "stuk") == {1: (7, 24)}
    # A: 8-0-0-0 for all. C: N, E 7-1-0-0; S 8-0-0-0; W 6-1-1-0.
    assert table(club, "entry", "shape") == {
        "6-1-1-0": (0, 4), "7-1-0-0": (4, 8), "8-0-0-0": (3, 12),
    }  # fmt: skip


def test_declarer_rate_and_auctions_won(club: Store) -> None:
    # N declares 1 5 6 and P1-P6: 12 + 6; S declares 3; W declares 2.
    assert table(club, "declarer_rate") == {
        "Anna": (18, 30), "Bas": (0, 30), "Cor": (4, 30), "Dirk": (4, 30),
    }  # fmt: skip
    # S bid in 2 (lost the auction), 3 (won it) and P6 (lost it): 4 of 9.
    assert table(club, "won_when_bid") == {
        "Anna": (18, 18), "Bas": (0, 4), "Cor": (4, 9), "Dirk": (4, 4),
    }  # fmt: skip


def test_auctions(club: Store) -> None:
    # Bids after the first: one in 2 and in 6, two in P6: 8 + 2 over 26 auctions with a bid.
    assert table(club, "raises", "rules") == {"heerlen": mean(10, 26)}
    # Calls: (4 + 6 + 4 + 4 + 4 + 7) x 4 + 5 x 4 + 8 = 144.
    assert table(club, "auction_length", "rules") == {"heerlen": mean(144, 30)}
    assert table(club, "passed_out", "rules") == {"heerlen": (4, 30)}


def test_contracts(club: Store) -> None:
    # 26 hands with a contract.
    assert table(club, "contracts", "contract") == {
        "120": (4, 26), "130": (4, 26), "140": (1, 26), "150": (5, 26), "160": (2, 26),
        "180": (1, 26), "190": (1, 26), "mis": (8, 26),
    }  # fmt: skip


def test_steps_above_the_last_needed_bid(club: Store) -> None:
    # Order: 120 130 140 pic mis 150 160 ker zwa 170 180 190.
    # N: 1 nothing; 5 misère at once: 120 130 140 pic = 4; 6 misère over 120: 130 140 pic = 3;
    # four times: 28. P1 160: 6, P2 160: 6, P3 140: 2, P4 150: 5, P5 180: 10,
    # P6 190 over 130: 140 pic mis 150 160 ker zwa 170 180 = 9. Together 66 over 18.
    # S: 3 150 at once: 5. W: 2 130 over 120: 0.
    assert table(club, "steps") == {
        "Anna": mean(66, 18), "Cor": mean(20, 4), "Dirk": mean(0, 4),
    }  # fmt: skip


def test_made(club: Store) -> None:
    # 150: made in 3 (four times), lost in P4. P5 is lost, whatever is recorded.
    assert table(club, "made", "contract") == {
        "120": (4, 4), "130": (0, 4), "140": (1, 1), "150": (4, 5), "160": (1, 2),
        "180": (0, 1), "190": (0, 1), "mis": (4, 8),
    }  # fmt: skip
    # N: 1 and 6 of 1 5 6, four times, and P1, P3 of six.
    assert table(club, "made")["Anna"] == (10, 18)


def test_margins(club: Store) -> None:
    # Only the played hands: 166 - 14 + 5 - 25 - 34 - 65 = 33.
    assert table(club, "margin") == {"Anna": mean(33, 6)}
    # -65 | -34 | -25 | -14 | 5 | 166, in tens.
    assert table(club, "margins", "margin") == {
        -70: (1, 6), -40: (1, 6), -30: (1, 6), -20: (1, 6), 0: (1, 6), 160: (1, 6),
    }  # fmt: skip


def test_scores(club: Store) -> None:
    # N as declarer: 1 -3 +3 in 1 5 6, four times, and 2 - 2 + 1 - 2 - 3 - 3 played: 4 - 7.
    # W in 2: -1; S in 3: +2.
    declarer = {"Anna": mean(-3, 18), "Cor": mean(8, 4), "Dirk": mean(-4, 4)}
    assert table(club, "score") == declarer
    assert table(club, "score_as_declarer") == declarer
    # E is partner in 1 (+1) and in P1-P6; S in 2; W in 3.
    assert table(club, "score_as_partner") == {
        "Bas": mean(4 - 7, 10), "Cor": mean(-4, 4), "Dirk": mean(8, 4),
    }  # fmt: skip
    # Heerlen: defenders never score. N defends 2 3; E 2 3 5 6; S and W 1 5 6 and P1-P6.
    assert table(club, "score_as_defender") == {
        "Anna": mean(0, 8), "Bas": mean(0, 16), "Cor": mean(0, 18), "Dirk": mean(0, 18),
    }  # fmt: skip
    assert table(club, "score_per_hand") == {
        "Anna": mean(-3, 26), "Bas": mean(-3, 26), "Cor": mean(4, 26), "Dirk": mean(4, 26),
    }  # fmt: skip


def test_score_against_the_field(club: Store) -> None:
    # Field: 120 +1; 140 +1; 150 (4 x 2 - 2) / 5 = 1.2; 160 (2 - 2) / 2 = 0; misère 0.
    # N made 1 (1 - 1) and 6 (3 - 0) four times, P1 (2 - 0) and P3 (1 - 1); S made 3: 2 - 1.2.
    assert table(club, "score_over_field", where="made=yes") == {
        "Anna": mean(4 * 3 + 2, 10), "Cor": mean(4 * 0.8, 4),
    }  # fmt: skip


def test_tricks_and_last_trick(club: Store) -> None:
    # P1 P2 all eight, P3-P6 seven; the last one always.
    assert table(club, "tricks", "rules") == {"heerlen": mean(8 + 8 + 4 * 7, 6)}
    assert table(club, "last_trick", "rules") == {"heerlen": (6, 6)}


def test_discard_and_called_card(club: Store) -> None:
    # H6, the middle card and N's only heart, is put away in all but P2 (S7, of eight spades).
    assert table(club, "discard_middle") == {"Anna": (5, 6)}
    assert table(club, "discard_void") == {"Anna": (5, 6)}
    assert table(club, "discard_fat") == {"Anna": (0, 6)}
    # HA is called; in P2 hearts are trumps, and N keeps H6.
    assert table(club, "called_trump") == {"Anna": (1, 6)}
    assert table(club, "called_held_suit") == {"Anna": (1, 6)}


def test_roem(club: Store) -> None:
    # N: run of eight (160) in P1, of seven (140) in the others. E: eight in P1 P2, else seven.
    assert table(club, "roem_held") == {"Anna": (6, 6), "Bas": (6, 6)}
    assert table(club, "roem_value") == {"Anna": mean(160 + 5 * 140, 6),
                                         "Bas": mean(2 * 160 + 4 * 140, 6)}  # fmt: skip
    # N says it in P1 and P6, E never.
    assert table(club, "roem_said") == {"Anna": (2, 6), "Bas": (0, 6)}
    assert table(club, "roem_missed") == {"Anna": mean(4 * 140, 6),
                                          "Bas": mean(2 * 160 + 4 * 140, 6)}  # fmt: skip
    assert table(club, "roem_denied") == {"Anna": (1, 2)}
    # King and queen of trumps: N in all but P2, said in P1 and P3; E in P2, not said.
    assert table(club, "stuk_forgotten") == {"Anna": (3, 5), "Bas": (1, 1)}


def test_contracts_beaten(club: Store) -> None:
    # Defended, in 2 (beaten) and 3 by N and E, in 1 by S and W, in 5 (beaten) and 6 by E S W,
    # four times; P1-P6 (four beaten) by S and W.
    assert table(club, "beaten") == {
        "Anna": (4, 8), "Bas": (8, 16), "Cor": (8, 18), "Dirk": (8, 18),
    }  # fmt: skip
    # All 130s were lost, and half of the misères: on those lost E is 0 and 1 - 1/2 above that.
    assert table(club, "beaten_over_field", where="made=no")["Bas"] == mean(4 * 0.5, 8)


def test_who_declares(club: Store) -> None:
    # Of 26 hands with a contract N declares 1 5 6 four times and P1-P6.
    assert table(club, "declares") == {
        "Anna": (18, 26), "Bas": (0, 26), "Cor": (4, 26), "Dirk": (4, 26),
    }  # fmt: skip


def test_hands_without_cards_are_counted_apart(club: Store) -> None:
    def sheets(name: str, by: str = "player") -> dict[str, int]:
        found = figures(club, [statistic(name)], [by])
        return {str(f.group[by]): f.no_cards for f in found}

    # Of the sheet's 24 hands 20 have a contract: 120 130 150 mis mis; N declares three of five.
    assert sheets("made", "contract") == {
        "120": 4, "130": 4, "140": 0, "150": 4, "160": 0, "180": 0, "190": 0, "mis": 8,
    }  # fmt: skip
    assert sheets("made") == {"Anna": 12, "Cor": 4, "Dirk": 4}
    assert sheets("score_per_hand") == dict.fromkeys(("Anna", "Bas", "Cor", "Dirk"), 20)
    assert sheets("score_as_partner") == {"Bas": 4, "Cor": 4, "Dirk": 4}
    assert sheets("entry") == dict.fromkeys(("Anna", "Bas", "Cor", "Dirk"), 24)
    assert sheets("contracts", "rules") == {"heerlen": 20}
    assert sheets("trump_kept") == {"Anna": 0}
    rows = {r["contract"]: r for r in overview(club, ["contract"]).to_dicts()}
    assert (rows["150"]["n"], rows["150"]["no_cards"]) == (5, 4)
    together = {(r["declarer"], r["partner"]): (r["n"], r["no_cards"], r["made"])
                for r in pairs(club).to_dicts()}  # fmt: skip
    # N with E: 1 (made) four times and P1-P6, two made; W with S: 2, lost; S with W: 3, made.
    assert together == {
        ("Anna", "Bas"): (10, 4, 6), ("Dirk", "Cor"): (4, 4, 0), ("Cor", "Dirk"): (4, 4, 4),
    }  # fmt: skip
    # Without them only what the cards prove.
    assert table(club, "score", where="cards=yes") == {"Anna": mean(-7, 6)}
    assert table(club, "score_as_partner", where="cards=yes and declarer=Anna")["Bas"] == mean(
        -7, 6
    )
    assert club.count("cards=no") == 24
    assert club.count("cards=no and player=Bas and role=partner") == 4


def test_habits(club: Store) -> None:
    # W is first to lead for the defence in P3 P5 P6 (a heart, as called) and P4 (a club).
    assert table(club, "leads_called_suit") == {"Dirk": (3, 4)}
    # N's last card is a spade, trumps, in all but P2 (S8, hearts are trumps).
    assert table(club, "trump_kept") == {"Anna": (5, 6)}
    # N has jack and nine of spades; in P2 no trump but the six.
    assert table(club, "top_trumps") == {"Anna": (5, 6)}
    # P2, tricks 2-8: N is last, E wins: H6 SK ST SQ SJ S9 S8, one of them a ten.
    assert table(club, "fat_to_partner") == {"Anna": (1, 7)}
    assert table(club, "shapes", "shape") == {"8-0-0-0": (1, 6), "7-1-0-0": (5, 6)}
    # 8-0-0-0 is P1, made; of the others only P3 is.
    assert table(club, "shape_made", "shape") == {"8-0-0-0": (1, 1), "7-1-0-0": (1, 5)}


def test_violations_and_records(club: Store) -> None:
    # One revoke, by E in P5.
    assert table(club, "broke_rule") == {
        "Anna": (0, 30), "Bas": (1, 30), "Cor": (0, 30), "Dirk": (0, 30),
    }  # fmt: skip
    assert table(club, "violations")["Bas"] == mean(1, 30)
    assert table(club, "violation_kinds", "code") == {"revoke": (1, 1)}
    assert table(club, "violation_kinds") == {"Bas": (1, 1)}
    # Results are recorded of the 24 of the sheet and of P1 and P5; P5 says made, and is lost.
    assert table(club, "mismatch", "source") == {"club.phl": (1, 26)}
    assert table(club, "mismatch_kinds", "code") == {"result-mismatch": (1, 1)}
    assert table(club, "simulated", "source") == {"club.phl": (0, 26)}


def test_every_statistic_without_analysis_is_tested_here() -> None:
    text = Path(__file__).read_text("utf-8")
    missing = [s.id for s in STATISTICS if s.topic != "analysis" and f'"{s.id}"' not in text]
    assert missing == []
