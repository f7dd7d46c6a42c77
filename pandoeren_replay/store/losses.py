"""What the cards of valued hands cost, added up by seat and by trick.

The tables ``hand_value``, ``seat_loss`` and ``trick_loss`` follow from ``evaluation``, some hundred
rows a hand, and from the hand itself: statistics need not read all of them again for every figure.
Whoever takes values of a hand away, or writes others, forgets its sums (:func:`forget`);
:func:`settle`, at the end of every change of a store, adds those that are missing.

``cost`` is what a card costs the side that plays it, in what the hand is about (``goal``); cards
that break a rule may bring something. A choice ``mattered`` where legal cards differed in value
and no rule was broken; it was ``exact`` if it cost nothing, and it ``turned`` the contract if that
was made before it and lost after it, or the reverse, against the player's own side. ``led_…`` are
those of the first lead.
"""

from typing import Any

PORTION = 50_000
"""Hands whose cards are added up at once: so many of them take some hundred megabytes."""

MEASURES = {
    "cards": "count(*)",
    "cost": "coalesce(sum(cost), 0)",
    "squares": "coalesce(sum(cost::INTEGER * cost), 0)",
    "mattered": "count(*) FILTER (mattered)",
    "exact": "count(*) FILTER (mattered AND cost <= 0)",
    "turned": "count(*) FILTER (mattered AND turned)",
    "led_mattered": "count(*) FILTER (ply = 0 AND mattered)",
    "led_exact": "count(*) FILTER (ply = 0 AND mattered AND cost <= 0)",
}
"""Columns of the tables of losses, as SQL over :func:`choices`."""

_KEYS = {"seat_loss": "seat", "trick_loss": "trick"}
TABLES = ("hand_value", *_KEYS)

MADE = (
    "CASE WHEN {goal} = 'points' THEN {value} + coalesce(h.meld_side, 0) >= h.target "
    "ELSE {value} = 1 AND (h.contract NOT LIKE '%+%' OR coalesce(h.meld_side, 0) >= h.level) END"
)
"""Whether a contract is made when a hand ends with a value (as in the annotation of one hand)."""

_LEADER = "(CASE WHEN c.ply < 4 THEN h.leader ELSE winner_of(h.winners, c.ply // 4 - 1) END)"
_SEAT = (
    "(CASE WHEN h.play_seats IS NOT NULL "
    "THEN nullif(strpos('NESW', substr(h.play_seats, c.ply + 1, 1)), 0) - 1 "
    f"ELSE ({_LEADER} + c.ply % 4) % 4 END)::TINYINT"
)
# Records that another one stands for have values, too: they may be shown again.
_HANDS = (
    "hand_id, declarer, partner, leader, winners, play_seats, meld_side, target, level, contract"
)


def choices(which: str = "true") -> str:
    """SQL of the cards played in valued hands: what each cost, and whether the choice mattered.

    ``which`` is a condition on ``hand_id``. Columns: ``hand_id``, ``ply``, ``trick`` (from 1),
    ``seat`` (0–3), ``goal``, ``cost``, ``mattered``, ``turned``.
    """
    hands = (
        f"(SELECT {_HANDS} FROM hand WHERE {which} UNION ALL "
        f"SELECT {_HANDS} FROM hand_other WHERE {which})"
    )
    return (
        "SELECT hand_id, ply, ply // 4 + 1 AS trick, seat, goal, cost, mattered, "
        "cost > 0 AND made_before <> made_after AS turned FROM ("
        "SELECT *, CASE WHEN seat = declarer OR seat = partner THEN best - value "
        "ELSE value - best END AS cost FROM ("
        f"SELECT c.hand_id, c.ply, {_SEAT} AS seat, h.declarer, h.partner, c.goal, c.value, "
        "c.best, c.differ AND v.hand_id IS NULL AS mattered, "
        f"{MADE.format(goal='c.goal', value='c.best')} AS made_before, "
        f"{MADE.format(goal='c.goal', value='c.value')} AS made_after "
        "FROM (SELECT hand_id, ply::INTEGER AS ply, any_value(goal) AS goal, "
        "any_value(best) AS best, max(value) FILTER (played) AS value, "
        "min(value) <> max(value) AS differ FROM evaluation "
        f"WHERE {which} GROUP BY hand_id, ply) c JOIN {hands} h ON h.hand_id = c.hand_id "
        "LEFT JOIN (SELECT DISTINCT hand_id, ply FROM violation WHERE severity = 'error' "
        f"AND {which}) v ON v.hand_id = c.hand_id AND v.ply = c.ply))"
    )


def _values(which: str = "true") -> str:
    """SQL of the rows of ``hand_value``: how many values a hand has, and its worth at the lead."""
    return (
        "SELECT hand_id, count(*)::UINTEGER AS cells, any_value(goal) AS goal, "
        "any_value(best) FILTER (ply = 0) AS start FROM evaluation "
        f"WHERE {which} GROUP BY hand_id"
    )


def _losses(table: str, rows: str) -> str:
    """SQL of a table of losses over :func:`choices`."""
    key = _KEYS[table]
    sums = ", ".join(f"{sql} AS {name}" for name, sql in MEASURES.items())
    return f"SELECT hand_id, {key}, goal, {sums} FROM ({rows}) GROUP BY hand_id, {key}, goal"


def loss_tables() -> str:
    """SQL that makes the tables."""
    out = (
        "CREATE TABLE hand_value (hand_id BIGINT NOT NULL, cells UINTEGER NOT NULL, "
        "goal VARCHAR NOT NULL, start SMALLINT);"
    )
    kinds = {"cost": "INTEGER", "squares": "INTEGER"}
    measures = ", ".join(f"{m} {kinds.get(m, 'UTINYINT')} NOT NULL" for m in MEASURES)
    for table, key in _KEYS.items():
        out += (
            f"CREATE TABLE {table} (hand_id BIGINT NOT NULL, {key} UTINYINT NOT NULL, "
            f"goal VARCHAR NOT NULL, {measures});"
        )
    return out


def loss_views(con: Any) -> None:
    """The same as views over ``evaluation``, where nothing can be written (a lake)."""
    for table, sql in (("hand_value", _values()), *((t, _losses(t, choices())) for t in _KEYS)):
        con.execute(f"DROP TABLE {table}")
        con.execute(f"CREATE VIEW {table} AS {sql}")


def forget(con: Any, where: str, params: list[Any]) -> None:
    """The values of some hands go or change: their sums are no longer right."""
    for table in TABLES:
        con.execute(f"DELETE FROM {table} WHERE {where}", params).fetchall()


def settle(con: Any) -> None:
    """At the end of a change: sums of all hands with values, and of no others."""
    # Two looks that cost nothing tell whether there is anything to do.
    known = con.execute("SELECT coalesce(sum(cells), 0) FROM hand_value").fetchall()[0][0]
    if known == con.execute("SELECT count(*) FROM evaluation").fetchall()[0][0]:
        return
    counted = con.execute(
        "SELECT coalesce(v.hand_id, e.hand_id) FROM (SELECT hand_id, count(*) AS cells "
        "FROM evaluation GROUP BY hand_id) e FULL JOIN hand_value v ON v.hand_id = e.hand_id "
        "WHERE e.cells IS DISTINCT FROM v.cells"
    ).fetchall()
    renew(con, [i for (i,) in counted])


def renew(con: Any, hands: list[int]) -> None:
    """Add up the values of some hands anew; those that have none have no sums."""
    hands = sorted(hands)
    for start in range(0, len(hands), PORTION):
        _renew(con, hands[start : start + PORTION])


def _renew(con: Any, hands: list[int]) -> None:
    import pyarrow as pa

    if not hands:
        return
    con.register("valued", pa.table({"hand_id": pa.array(hands, pa.int64())}))
    # The bounds let whole row groups be passed over.
    which = (
        f"hand_id BETWEEN {hands[0]} AND {hands[-1]} AND hand_id IN (SELECT hand_id FROM valued)"
    )
    forget(con, which, [])
    con.execute(f"INSERT INTO hand_value {_values(which)} ORDER BY hand_id").fetchall()
    con.execute(f"CREATE OR REPLACE TEMP TABLE valued_choice AS {choices(which)}").fetchall()
    for table, key in _KEYS.items():
        con.execute(
            f"INSERT INTO {table} {_losses(table, 'SELECT * FROM valued_choice')} "
            f"ORDER BY hand_id, {key}"
        ).fetchall()
    con.execute("DROP TABLE valued_choice").fetchall()
    con.unregister("valued")
