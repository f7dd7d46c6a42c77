"""What contracts are worth by their rule sets, for hands of which nobody wrote down a score.

A line of a score sheet may say contract, declarer, partner and made or lost, and no score: a
session books it at the contract's score (RULES 9), and the view ``hands`` shows the same. The table
``contract_score`` holds what the engine's :func:`engine.score.hand_score` says of every contract
that such a hand has; so no rule of scoring is written down here.

Where winners score the points they took (``by_points``: a race), a row has for each role how much
of each point it gets; the hand must tell the points.
"""

from typing import Any

_ROLES = {"declarer": 0, "partner": 2, "defender": 1}
"""A seat of each role, with N as declarer and S as partner."""


def score_tables() -> str:
    """SQL that makes the table."""
    roles = ", ".join(f"{r} SMALLINT NOT NULL, {r}_points SMALLINT NOT NULL" for r in _ROLES)
    return (
        "CREATE TABLE contract_score (rules VARCHAR NOT NULL, rules_hash VARCHAR NOT NULL, "
        "contract VARCHAR NOT NULL, alone BOOLEAN NOT NULL, made BOOLEAN NOT NULL, "
        f"by_points BOOLEAN NOT NULL, {roles});"
    )


def fill(con: Any) -> None:
    """Add the contracts of hands without a proven score that are not there yet."""
    missing = con.execute(
        "SELECT rules, rules_hash, contract FROM hand_row WHERE score_n IS NULL "
        "AND contract IS NOT NULL AND (made IS NOT NULL OR recorded IN ('made', 'lost')) "
        "EXCEPT SELECT rules, rules_hash, contract FROM contract_score ORDER BY ALL"
    ).fetchall()
    if not missing:
        return
    from engine.ruleset import RuleSet

    contents = con.execute("SELECT rules, rules_hash, content FROM rule_set").fetchall()
    known = {(rules, key): content for rules, key, content in contents}
    sets: dict[tuple[str, str], RuleSet] = {}
    rows = []
    for rules_id, key, contract in missing:
        rules = sets.get((rules_id, key))
        if rules is None:
            rules = RuleSet.model_validate_json(known[rules_id, key])
            sets[rules_id, key] = rules
        rows += [(rules_id, key, contract, *row) for row in contract_scores(rules, contract)]
    if rows:
        con.executemany(
            f"INSERT INTO contract_score VALUES ({', '.join('?' * len(rows[0]))})", rows
        ).fetchall()


def contract_scores(rules: Any, contract: str) -> list[tuple[bool | int, ...]]:
    """Rows of ``contract_score`` of one contract: alone and made or not, and what each role scores.

    >>> from engine.rulefile import load_ruleset
    >>> contract_scores(load_ruleset("heerlen"), "150")[0]  # with a partner, made
    (False, True, False, 2, 0, 2, 0, 0, 0)
    """
    # Loaded when asked for: compiled code takes its time, and most stores need none of it.
    from engine.score import hand_score
    from engine.state import NOBODY

    bid = rules.bid(contract)
    if bid is None:
        return []
    rows: list[tuple[bool | int, ...]] = []
    for alone in (False, True):
        partner = NOBODY if alone else _ROLES["partner"]
        for made in (True, False):
            none, one = (
                hand_score(rules, bid, _ROLES["declarer"], partner, made, (p, p)) for p in (0, 1)
            )
            assert none is not None
            assert one is not None
            by_points = hand_score(rules, bid, _ROLES["declarer"], partner, made) is None
            figures = ((none[k], one[k] - none[k]) for k in _ROLES.values())
            rows.append((alone, made, by_points, *(x for pair in figures for x in pair)))
    return rows
