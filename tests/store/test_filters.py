"""The filter language against plain Python over the same hands."""

from collections.abc import Callable
from typing import Any

import pytest

from pandoeren_replay.filters import FIELDS, FilterError, condition
from pandoeren_replay.notes import Notes
from pandoeren_replay.store import Store

Hand = dict[str, Any]

CASES: list[tuple[str, Callable[[Hand], bool]]] = [
    ("", lambda h: True),
    ("contract=130", lambda h: h["contract"] == "130"),
    ("contract = PIC , mis", lambda h: h["contract"] in ("pic", "mis")),
    ("contract!=pic", lambda h: h["contract"] != "pic"),
    ("family~points", lambda h: "points" in (h["contract_key"] or "")),
    (
        "level>=150 and level<200",
        lambda h: bool(h["target"]) and 150 <= (h["level"] or 0) < 200,
    ),
    ("trump=H", lambda h: h["trump"] == "H"),
    ("trump=none", lambda h: h["trump"] == "-"),
    ("rules=fiches and made=no", lambda h: h["rules"] == "fiches" and h["success"] is False),
    ("made=unknown", lambda h: h["success"] is None),
    ("made!=yes", lambda h: h["success"] is not True),
    ("recorded=none", lambda h: h["recorded"] is None),
    ("seat=s and dealer=N,E", lambda h: h["declarer"] == "S" and h["dealer"] in ("N", "E")),
    ("score<-4", lambda h: h["declarer_score"] is not None and h["declarer_score"] < -4),
    ("errors>0", lambda h: h["errors"] > 0),
    ("plays<32", lambda h: h["plays"] < 32),
    ("player=anna", lambda h: h["north"] == "Anna"),
    ("player='Cor van Dijk' and declarer=Bas", lambda h: h["declarer_name"] == "Bas"),
    ("player=Cor van Dijk and declarer=Bas", lambda h: h["declarer_name"] == "Bas"),
    ("player!=Anna", lambda h: h["north"] != "Anna"),
    ("player=Anna and role=declarer", lambda h: h["declarer_name"] == "Anna"),
    ("player=Anna and role=partner", lambda h: h["partner_name"] == "Anna"),
    (
        "role=declarer and player=Anna and player=Bas",
        lambda h: h["declarer_name"] == "Anna" and "Bas" in (h["east"], h["south"], h["west"]),
    ),
    (
        "counted='made;contract=130;hit=yes'",
        lambda h: h["contract"] == "130" and h["success"] is True,
    ),
    (
        "counted=made;contract=130;hit=yes,made;contract=pic and level>=130",
        lambda h: h["contract"] == "130" and h["success"] is True,
    ),
    (
        "counted!=made and played=yes",
        lambda h: h["success"] is None and h["contract"] is not None and not h["passed_out"],
    ),
    ("date=2026-11-28", lambda h: h["date"] is not None),
    ("date=2026-11", lambda h: h["date"] is not None),
    ("date<2026-11-28", lambda h: False),
    ("date<=2026", lambda h: h["date"] is not None),
    ("date>2026-10", lambda h: h["date"] is not None),
    ("date>2026-11", lambda h: False),
    ("date!=2026", lambda h: h["date"] is None),
    ("source~corrupt", lambda h: "corrupt" in h["source"]),
    ("passed=yes", lambda h: h["passed_out"]),
    ("number=3,5", lambda h: h["hand_id"] in (3, 5)),
    ("id~sample-0", lambda h: "sample-0" in (h["id"] or "")),
]


@pytest.mark.parametrize(("where", "want"), CASES, ids=[c[0] for c in CASES])
def test_filter(full: Store, where: str, want: Callable[[Hand], bool]) -> None:
    every = full.hands().to_dicts()
    chosen = [h["hand_id"] for h in every if want(h)]
    assert full.hands(where)["hand_id"].to_list() == chosen
    assert full.count(where) == len(chosen)


def test_violation_filter(full: Store) -> None:
    found = {
        r["hand_id"]
        for r in full.rows("SELECT hand_id FROM violations WHERE code IN ('revoke', 'not-held')")
    }
    assert set(full.hands("violation=revoke,not-held")["hand_id"]) == found
    assert len(found) > 5
    assert full.count("violation!=revoke,not-held") == full.count() - len(found)


def test_every_field_can_be_asked(full: Store) -> None:
    values = {
        "text": "x", "number": "1", "date": "2026", "yesno": "yes", "seat": "N", "trump": "S",
        "outcome": "made", "counted": "made;contract=130", "mark": "x",
    }  # fmt: skip
    for field in FIELDS.values():
        if field.name != "role":
            value = values[field.kind]
            alike, other = (full.count(f"{field.name}{sign}{value}") for sign in ("=", "!="))
            assert alike + other == full.count(), field.name


BROKEN = [
    ("colour=red", "column 1: found 'colour=red', expected a field: player"),
    ("contract", "column 9: found the end, expected one of"),
    ("contract=", "column 10: found the end, expected a value"),
    ("contract=130 or made=yes and", "column 29: found the end, expected a field"),
    ("contract='130", "column 10: found \"'130\", expected a closing '"),
    ("contract>130", "expected one of = != ~ with the field 'contract'"),
    ("level~1", "expected one of = != < <= > >= with the field 'level'"),
    ("level=high", "level is 'high'; expected a whole number"),
    ("level>1,2", "level> takes one value"),
    ("made=perhaps", "made is 'perhaps'; expected yes, no or unknown"),
    ("seat=Z", "seat is 'Z'; expected N, E, S or W"),
    ("trump=X", "trump is 'X'; expected S, H, D, C or none"),
    ("date=yesterday", "date is 'yesterday'; expected a date such as"),
    ("date=2026-13", "date is '2026-13'; expected a date such as"),
    ("role=declarer", "'role' says what one player was"),
    ("player=A and role=boss", "role is 'boss'; expected declarer, partner, defender"),
    ("counted=entry;king=1", "counted is 'entry;king=1'; --by king: expected one of contract,"),
    ("counted=entri", "counted is 'entri'; 'entri' is no statistic (there are: entry,"),
    ("counted=margin;hit=yes", "hit is yes or no, and goes with rates"),
    ("counted~entry", "expected one of = != with the field 'counted'"),
    ("star=unknown", "star is yes or no, found unknown"),
    ("star~yes", "expected one of = != with the field 'star'"),
    ("tag<x", "expected one of = != ~ with the field 'tag'"),
    ("contract='130' made=yes", "found 'made=yes', expected 'and' between two conditions"),
]


@pytest.mark.parametrize(("where", "message"), BROKEN)
def test_broken_filter_is_explained(where: str, message: str) -> None:
    with pytest.raises(FilterError) as e:
        condition(where)
    assert message in str(e.value)


def test_what_people_wrote_chooses_hands(full: Store) -> None:
    hashes = full.hands()["hash"].to_list()
    notes = Notes(full.path)
    notes.add(hashes[0], "h", "star", "", "Anna")
    notes.add(hashes[1], "17", "tag", "Mooi, leerzaam", "Anna")
    notes.add(hashes[2], "h", "tag", "mooi", "Bas")
    notes.add(hashes[2], "a3", "note", "Waarom geen 140?", "Bas")
    gone = notes.add(hashes[3], "h", "star", "", "Bas")
    notes.remove(gone, "Bas")

    def found(where: str) -> list[str]:
        assert full.count(where) == len(full.hands(where))
        return full.hands(where)["hash"].to_list()

    assert found("star=yes") == hashes[:1]
    assert found("star!=yes") == found("star=no") == hashes[1:]
    assert found("star!=no") == hashes[:1]
    assert found("tag='mooi, leerzaam'") == hashes[1:2]
    assert found("tag=MOOI") == hashes[2:3]
    assert found("tag~mooi") == hashes[1:3]
    assert found("tag!=mooi and star=no") == [hashes[1], *hashes[3:]]
    assert found("note~'geen 140'") == hashes[2:3]
    assert found("note='geen 140'") == []
    notes.remove(next(m.id for m in notes.of_hand(hashes[0])), "Anna")
    assert found("star=yes") == []


def test_values_are_never_sql(full: Store) -> None:
    evil = "'x'') OR (1=1'"
    for field in ("contract", "player", "violation", "source"):
        assert full.count(f"{field}={evil}") == 0
