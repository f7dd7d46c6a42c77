"""The filter of the list: from the address, to the address, to the store."""

from pandoeren_replay.filters import parse
from pandoeren_replay.stats import statistics
from pandoeren_replay.ui.filterbar import Filter


def test_there_and_back_again():
    made = Filter(
        player='Jo "de Boer" O\'Neill & Zn',
        role="partner",
        contract="pan+20",
        rules="heerlen",
        result="unknown",
        violation="revoke",
        session="a and b",
        first="2026-01",
        last="2026-12-31",
        simulated="no",
        star="yes",
        tag="mooi, leerzaam",
        more="points<90",
    )
    assert Filter.from_query(made.query()) == made
    names = [c.field.name for c in parse(made.where())]
    assert names == [
        "player", "role", "contract", "rules", "session", "made", "passed", "violation",
        "date", "date", "simulated", "star", "tag", "points",
    ]  # fmt: skip


def test_rows_of_the_statistics_lead_to_exactly_their_hands(store):
    rows = statistics(store, ("rules", "contract"), "").to_dicts()
    rows += statistics(store, ("player",), "").to_dicts()
    assert len(rows) > 20
    for row in rows:
        assert store.count(Filter.from_where(row["where"]).where()) == row["n"], row


def test_what_an_address_may_not_ask_is_left_out():
    asked = Filter.from_query(
        {"result": "won'", "simulated": "x", "role": "", "player": "a" * 2900}
    )
    assert (asked.result, asked.simulated) == ("", "")
    assert len(asked.player) == 2000
