"""What the cards of valued hands cost, packed: a row for each player at each hand.

The tables ``hand_value`` and ``card_loss`` follow from ``evaluation``, some hundred rows a hand,
and from the hand itself: statistics need not read all of them again for every figure. Whoever takes
values of a hand away, or writes others, forgets its rows (:func:`forget`); :func:`settle`, at the
end of every change of a store, adds those that are missing.

``c1`` … ``c8`` of ``card_loss`` are what the card that a seat played to a trick cost its side, in
what the hand is about (``goal``); NULL where it played none. Cards that break a rule may bring
something. ``mattered``, ``exact`` and ``turned`` have a bit for each trick (the lowest for the
first): a choice mattered where legal cards differed in value and no rule was broken; it was exact
if it cost nothing, and it turned the contract if that was made before it and lost after it, or the
reverse, against the player's own side. ``led``: the card of the first trick was the first of the
hand. Where seats do not follow from who leads and wins, somebody may play twice to a trick: then
``layer`` keeps his cards apart: a second one is in a row of its own.
"""

from typing import Any

PORTION = 50_000
"""Hands whose cards are added up at once: so many of them take some hundred megabytes."""

TRICKS = range(1, 9)

_MASKS = {
    "mattered": "mattered", "exact": "mattered AND cost <= 0", "turned": "mattered AND turned",
}  # fmt: skip
"""Columns with a bit for each trick, by what sets it."""

TABLES = ("hand_value", "card_loss")


def _over_tricks(of_trick: str) -> str:
    return "(" + " + ".join(of_trick.format(t=t) for t in TRICKS) + ")"


def _set_bits(mask: str) -> str:
    return f"bit_count({mask}::INTEGER)::INTEGER"


MEASURES = {
    "cards": _over_tricks("(l.c{t} IS NOT NULL)::INTEGER"),
    # A NULL is no card and costs nothing.
    "cost": _over_tricks("coalesce(l.c{t}, 0)::INTEGER"),
    "squares": _over_tricks("coalesce(l.c{t}::INTEGER * l.c{t}, 0)"),
    "mattered": _set_bits("l.mattered"),
    "exact": _set_bits("l.exact"),
    "turned": _set_bits("l.turned"),
    "led_mattered": "CASE WHEN l.led THEN (l.mattered & 1)::INTEGER ELSE 0 END",
    "led_exact": "CASE WHEN l.led THEN (l.exact & 1)::INTEGER ELSE 0 END",
}
"""What is counted of a seat at a hand, as SQL over ``card_loss l``."""

OF_TRICK = {
    "cards": "(u.c{t} IS NOT NULL)::INTEGER",
    "cost": "u.c{t}",
    "squares": "u.c{t}::INTEGER * u.c{t}",
    **{name: f"((u.{name}_bits >> {{t}} - 1) & 1)::INTEGER" for name in _MASKS},
    "led_mattered": "CASE WHEN {t} = 1 AND u.led THEN (u.mattered_bits & 1)::INTEGER ELSE 0 END",
    "led_exact": "CASE WHEN {t} = 1 AND u.led THEN (u.exact_bits & 1)::INTEGER ELSE 0 END",
}
"""The same of one trick ``t``, over rows ``u`` with :data:`PACKED`."""

PACKED = ", ".join(
    [*(f"l.c{t}" for t in TRICKS), *(f"l.{name} AS {name}_bits" for name in _MASKS), "l.led"]
)
"""The columns of ``card_loss l`` as :data:`OF_TRICK` names them."""

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
_BEFORE = "substr(h.play_seats, c.ply - c.ply % 4 + 1, c.ply % 4)"
"""Who played before a card to its trick."""
_LAYER = (
    f"(CASE WHEN h.play_seats IS NULL THEN 0 ELSE length({_BEFORE}) "
    f"- length(replace({_BEFORE}, substr(h.play_seats, c.ply + 1, 1), '')) END)::UTINYINT"
)
# Records that another one stands for have values, too: they may be shown again.
_HANDS = (
    "hand_id, declarer, partner, leader, winners, play_seats, meld_side, target, level, contract"
)


def choices(which: str = "true") -> str:
    """SQL of the cards played in valued hands: what each cost, and whether the choice mattered.

    ``which`` is a condition on ``hand_id``. Columns: ``hand_id``, ``ply``, ``trick`` (from 1),
    ``seat`` (0–3), ``layer``, ``goal``, ``cost``, ``mattered``, ``turned``.
    """
    hands = (
        f"(SELECT {_HANDS} FROM hand WHERE {which} UNION ALL "
        f"SELECT {_HANDS} FROM hand_other WHERE {which})"
    )
    return (
        "SELECT hand_id, ply, ply // 4 + 1 AS trick, seat, layer, goal, cost, mattered, "
        "cost > 0 AND made_before <> made_after AS turned FROM ("
        "SELECT *, CASE WHEN seat = declarer OR seat = partner THEN best - value "
        "ELSE value - best END AS cost FROM ("
        f"SELECT c.hand_id, c.ply, {_SEAT} AS seat, {_LAYER} AS layer, "
        "h.declarer, h.partner, c.goal, c.value, c.best, "
        "c.differ AND v.hand_id IS NULL AS mattered, "
        f"{MADE.format(goal='c.goal', value='c.best')} AS made_before, "
        f"{MADE.format(goal='c.goal', value='c.value')} AS made_after "
        "FROM (SELECT hand_id, ply::INTEGER AS ply, any_value(goal) AS goal, "
        "any_value(best) AS best, max(value) FILTER (played) AS value, "
        "min(value) <> max(value) AS differ FROM evaluation "
        f"WHERE {which} GROUP BY hand_id, ply) c JOIN {hands} h ON h.hand_id = c.hand_id "
        "LEFT JOIN (SELECT DISTINCT hand_id, ply FROM violation WHERE severity = 'error' "
        f"AND {which}) v ON v.hand_id = c.hand_id AND v.ply = c.ply))"
    )


def hand_rows(which: str = "true") -> str:
    """SQL of the rows of ``hand_value``: how many values a hand has, and its worth at the lead."""
    return (
        "SELECT hand_id, count(*)::UINTEGER AS cells, any_value(goal) AS goal, "
        "any_value(best) FILTER (ply = 0) AS start FROM evaluation "
        f"WHERE {which} GROUP BY hand_id"
    )


def _losses(rows: str) -> str:
    """SQL of the rows of ``card_loss`` over :func:`choices`."""
    costs = ", ".join(f"(max(cost) FILTER (trick = {t}))::SMALLINT AS c{t}" for t in TRICKS)
    masks = ", ".join(
        f"coalesce(sum(1 << (trick - 1)) FILTER ({which}), 0)::UTINYINT AS {name}"
        for name, which in _MASKS.items()
    )
    return (
        f"SELECT hand_id, seat, layer, goal, {costs}, {masks}, bool_or(ply = 0) AS led "
        f"FROM ({rows}) GROUP BY hand_id, seat, layer, goal"
    )


def card_rows(which: str = "true") -> str:
    """SQL of the rows of ``card_loss`` of some hands (a condition on ``hand_id``)."""
    return _losses(choices(which))


def loss_tables() -> str:
    """SQL that makes the tables."""
    costs = ", ".join(f"c{t} SMALLINT" for t in TRICKS)
    masks = ", ".join(f"{name} UTINYINT NOT NULL" for name in _MASKS)
    return (
        "CREATE TABLE IF NOT EXISTS hand_value (hand_id BIGINT NOT NULL, cells UINTEGER NOT NULL, "
        "goal VARCHAR NOT NULL, start SMALLINT);"
        "CREATE TABLE IF NOT EXISTS card_loss (hand_id BIGINT NOT NULL, seat UTINYINT NOT NULL, "
        f"layer UTINYINT NOT NULL, goal VARCHAR NOT NULL, {costs}, {masks}, led BOOLEAN NOT NULL);"
    )


def losses_by_card() -> str:
    """SQL that brings a store of schema 12 or older to these tables.

    They are filled again at the end of the change, as ``hand_value`` is empty (:func:`settle`).
    """
    return (
        "DROP TABLE IF EXISTS seat_loss; DROP TABLE IF EXISTS trick_loss; "
        f"{loss_tables()} DELETE FROM hand_value;"
    )


def loss_views(con: Any) -> None:
    """The same as views over ``evaluation``, where nothing can be written (a lake)."""
    for table, sql in (("hand_value", hand_rows()), ("card_loss", card_rows())):
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
    con.execute(f"INSERT INTO hand_value {hand_rows(which)} ORDER BY hand_id").fetchall()
    con.execute(
        f"INSERT INTO card_loss {card_rows(which)} ORDER BY hand_id, seat, layer"
    ).fetchall()
    con.unregister("valued")
