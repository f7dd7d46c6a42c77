"""What figures are counted over: each population as SQL over the views of the store.

``{where}`` is the filter on ``hands h``. Populations that look at cards also read the base table
``hand`` (as ``b``), where cards are bit sets; :mod:`pandoeren_replay.statistics.cardsql` makes
those expressions.
"""

from typing import TYPE_CHECKING

from engine.cards import SEATS, SUIT_MASK
from pandoeren_replay.statistics import cardsql
from pandoeren_replay.statistics.model import Population
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    from engine.ruleset import RuleSet

PLAYED = "h.contract IS NOT NULL"
"""Hands with a contract; those that were passed out have none."""

_HAND_FIELDS = {
    name: name for name in ("contract", "family", "level", "player", "pair", "seat", "dealer",
                            "trump", "month", "session", "source", "rules", "margin")
}  # fmt: skip
_SEAT_OWN = {"player": "u.who", "seat": "u.own_seat"}
_SEAT_FIELDS = {n: n for n in _HAND_FIELDS if n not in ("seat", "player", "pair")}

_NAME = "CASE {} WHEN 0 THEN h.north WHEN 1 THEN h.east WHEN 2 THEN h.south WHEN 3 THEN h.west END"
_SCORE = (
    "CASE {} WHEN 0 THEN h.score_n WHEN 1 THEN h.score_e WHEN 2 THEN h.score_s ELSE h.score_w END"
)
_ROLE = (
    "CASE WHEN h.declarer IS NULL THEN NULL "
    "WHEN seat_name({k}) = h.declarer THEN 'declarer' WHEN h.partner IS NULL THEN NULL "
    "WHEN seat_name({k}) = h.partner THEN 'partner' ELSE 'defender' END"
)

FIELD = (
    "(SELECT rules, contract, avg(declarer_score) AS field_score, "
    "avg(success::INTEGER) AS field_made FROM hands WHERE contract IS NOT NULL "
    "GROUP BY rules, contract)"
)
"""What all hands of the store came to, by rule set and contract: a filter does not change it."""

HAND = Population(
    "hand", "hands with a contract", "spellen met een bod", "hand",
    f"SELECT h.* FROM hands h WHERE {PLAYED} AND ({{where}})",
    plain=_HAND_FIELDS, filter="played=yes",
)  # fmt: skip

AUCTION = Population(
    "auction", "hands whose auction is recorded", "spellen waarvan de bieding genoteerd is",
    "hand",
    "SELECT h.*, len(list_filter(string_split(h.auction, ','), lambda c: right(c, 1) <> '-')) "
    "AS bids FROM hands h WHERE h.calls > 0 AND ({where})",
    plain=_HAND_FIELDS, filter="calls>=1",
)  # fmt: skip

FIELDED = Population(
    "fielded", "hands with a contract, beside all hands of the store with the same rule set and "
    "contract", "spellen met een bod, naast alle spellen van de opslag met dezelfde regels en bod",
    "hand",
    f"SELECT h.*, f.field_score, f.field_made FROM hands h JOIN {FIELD} f "
    f"ON f.rules = h.rules AND f.contract = h.contract WHERE {PLAYED} AND ({{where}})",
    plain=_HAND_FIELDS, filter="played=yes",
)  # fmt: skip

PLACE = Population(
    "place", "each of the four players at every hand with a contract",
    "elk van de vier spelers bij elk spel met een bod", "player at a hand",
    f"SELECT h.*, k, seat_name(k) AS own_seat, {_NAME.format('k')} AS who, "
    f"{_SCORE.format('k')} AS own_score, {_ROLE.format(k='k')} AS role "
    f"FROM hands h, range(4) s(k) WHERE {PLAYED} AND ({{where}})",
    own={**_SEAT_OWN, "role": ""}, plain=_SEAT_FIELDS | {"player": "player"}, filter="played=yes",
)  # fmt: skip

DEFENDED = Population(
    "defended", "each defender at every decided hand, beside all hands of the store with the same "
    "rule set and contract", "elke tegenspeler bij elk beslist spel, naast alle spellen van de "
    "opslag met dezelfde regels en bod", "player at a hand",
    "SELECT h.*, seat_name(k) AS own_seat, "
    f"{_NAME.format('k')} AS who FROM (SELECT h.*, f.field_made FROM hands h JOIN {FIELD} f "
    "ON f.rules = h.rules AND f.contract = h.contract "
    f"WHERE {PLAYED} AND h.success IS NOT NULL AND ({{where}})) h, range(4) s(k) "
    f"WHERE {_ROLE.format(k='k')} = 'defender'",
    own=_SEAT_OWN,
)  # fmt: skip

_BIDS = """
SELECT dealer, auction, call_seats,
    list_sum(list_transform(range(n_calls), lambda i:
        CASE WHEN right(calls[i + 1], 1) = '-' THEN 0
             ELSE CASE coalesce(substr(call_seats, i + 1, 1), seat_name((dealer + 1 + i) % 4))
                 WHEN 'N' THEN 1 WHEN 'E' THEN 256 WHEN 'S' THEN 65536 WHEN 'W' THEN 16777216
                 ELSE 0 END
        END))::BIGINT AS bids
FROM (SELECT *, string_split(auction, ',') AS calls
      FROM (SELECT DISTINCT dealer, auction, call_seats, n_calls
            FROM hand WHERE n_calls > 0 AND dealer IS NOT NULL))
"""
"""Valid bids of each seat, eight bits a seat, once for every auction that occurs."""

BIDDER = Population(
    "bidder", "each of the four players at every hand whose calls and dealer are recorded",
    "elk van de vier spelers bij elk spel waarvan biedingen en gever genoteerd zijn",
    "player at a hand",
    f"SELECT h.*, k, seat_name(k) AS own_seat, {_NAME.format('k')} AS who, "
    "(bids.bids >> (8 * k)) & 255 AS own_bids, (k + 7 - b.dealer) % 4 + 1 AS position, "
    f"{_ROLE.format(k='k')} AS role, "
    f"CASE WHEN {cardsql.COMPLETE} THEN {cardsql.dealt('k')} END AS cards "
    f"FROM hands h JOIN hand b ON b.hand_id = h.hand_id JOIN ({_BIDS}) bids "
    "ON bids.auction = b.auction AND bids.dealer = b.dealer "
    "AND bids.call_seats IS NOT DISTINCT FROM b.call_seats, range(4) s(k) WHERE ({where})",
    own={**_SEAT_OWN, "role": "", "position": "", "aces": "", "longest": "", "holding": "",
         "stuk": "", "shape": ""},
    plain={},
)  # fmt: skip

_LAST_OF_DECLARER = cardsql.play("28 + ((b.declarer::INTEGER - winner_of(b.winners, 6) + 4) % 4)")

PLAYING = Population(
    "playing", "hands with a contract and a complete deal, the exchange known",
    "spellen met een bod en een volledige gift, ruil bekend", "hand",
    f"SELECT h.*, {cardsql.played_hand('b.declarer')} AS cards, "
    f"{cardsql.suit_cards('b.trump')} AS trumps, {cardsql.bit('b.trump', 'J')} AS jas, "
    f"{cardsql.bit('b.trump', '9')} AS nine, b.called AS called_nr, b.discard AS discard_nr, "
    f"b.middle AS middle_nr, "
    f"{cardsql.by_suit(cardsql.suit_of('b.called'), SUIT_MASK)} AS called_suit, "
    f"{cardsql.by_suit(cardsql.suit_of('b.discard'), SUIT_MASK)} AS discard_suit, "
    f"CASE WHEN b.n_plays = 32 AND {cardsql.REGULAR} "
    f"THEN 1::BIGINT << {_LAST_OF_DECLARER} END AS last_card "
    f"FROM hands h JOIN hand b ON b.hand_id = h.hand_id WHERE {PLAYED} AND b.declarer IS NOT NULL "
    f"AND {cardsql.COMPLETE} AND {cardsql.EXCHANGE_KNOWN} AND ({{where}})",
    own={"shape": ""},
)  # fmt: skip

TRICKS = Population(
    "tricks", "hands with a contract of which all eight tricks were played",
    "spellen met een bod waarvan alle acht slagen gespeeld zijn", "hand",
    "SELECT h.*, winner_of(b.winners, 7) = b.declarer "
    "OR winner_of(b.winners, 7) = b.partner AS last_trick "
    f"FROM hands h JOIN hand b ON b.hand_id = h.hand_id WHERE {PLAYED} AND b.n_tricks = 8 "
    "AND b.partner IS NOT NULL AND ({where})",
)  # fmt: skip

_FIRST_LEAD = (
    f"list_filter(range(8), lambda t: t * 4 < b.n_plays "
    f"AND {cardsql.leader('t')} <> b.declarer AND {cardsql.leader('t')} <> b.partner)[1]"
)

LEAD = Population(
    "lead", "first leads of the defenders while the called card is still hidden",
    "eerste uitkomsten van de tegenpartij terwijl de meegevraagde kaart nog verborgen is", "lead",
    f"SELECT u.*, t + 1 AS trick, {_NAME.format('k').replace('h.', 'u.')} AS who, "
    "seat_name(k) AS own_seat FROM ("
    f"SELECT b.*, h.* EXCLUDE (hand_id), {cardsql.leader('t')} AS k, "
    f"{cardsql.suit_of(cardsql.play('4 * t'))} = {cardsql.suit_of('b.called')} AS in_suit, "
    f"len(list_filter(range(4 * t), lambda p: {cardsql.play('p')} = b.called)) = 0 AS hidden, t "
    f"FROM (SELECT hand_id, p0, p1, p2, p3, winners, leader, called, {_FIRST_LEAD} AS t "
    f"FROM hand b WHERE b.called IS NOT NULL AND b.partner IS NOT NULL AND {cardsql.REGULAR}) b "
    f"JOIN hands h ON h.hand_id = b.hand_id WHERE t IS NOT NULL AND ({{where}})) u WHERE hidden",
    own={**_SEAT_OWN, "trick": ""},
)  # fmt: skip

_WINNER = "winner_of(b.winners, t)"
_LAST = f"(({cardsql.leader('t')} + 3) % 4)"
_IN_SIDE = "({0} = b.declarer OR {0} = b.partner)"

FOURTH = Population(
    "fourth", "last cards to a trick that another player of the same side was winning",
    "laatste kaarten in een slag die een ander van dezelfde partij aan het winnen was", "card",
    f"SELECT h.*, t + 1 AS trick, x.k, seat_name(x.k) AS own_seat, {_NAME.format('x.k')} AS who, "
    f"{_ROLE.format(k='x.k')} AS role, 1::BIGINT << x.card AS card, "
    f"{cardsql.suit_cards('x.trump')} AS trumps FROM ("
    f"SELECT b.hand_id, b.trump, t, {_LAST} AS k, {cardsql.play('4 * t + 3')} AS card FROM ("
    "SELECT hand_id, trump, declarer, partner, leader, winners, p0, p1, p2, p3, "
    "unnest(range(n_tricks::BIGINT)) AS t "
    f"FROM hand b WHERE partner IS NOT NULL AND {cardsql.REGULAR}) b WHERE "
    f"{_WINNER} <> {_LAST} AND {_IN_SIDE.format(_WINNER)} = {_IN_SIDE.format(_LAST)}) x "
    "JOIN hands h ON h.hand_id = x.hand_id WHERE ({where})",
    own={**_SEAT_OWN, "role": "", "trick": ""},
)  # fmt: skip


def roem_rules(store: Store) -> "list[RuleSet]":
    """The store's rule sets with roem in which a run may be cut or a card count twice."""
    from engine.ruleset import RuleSet

    rows = store.rows("SELECT DISTINCT rules_hash, content FROM rule_sets ORDER BY 1")
    found = {r["rules_hash"]: RuleSet.model_validate_json(r["content"]) for r in rows}
    return [
        r
        for r in found.values()
        if r.meld.system == "roem" and (r.meld.overlap or r.meld.partial_runs)
    ]


_CLAIMS = "string_split(b.claims, ',')"


def _members(store: Store) -> str:
    rules = roem_rules(store)
    held = cardsql.roem_worth("b.cards", rules) if rules else "0"
    stuk = ", ".join(f"'{r.content_hash}'" for r in rules if r.meld.stuk) or "''"
    known = ", ".join(f"'{r.content_hash}'" for r in rules) or "''"
    king, queen = (cardsql.bit("b.trump", r) for r in "KQ")

    def seats(kind: str) -> str:
        return f"{[f'{seat}={kind}' for seat in SEATS]}[k + 1]"

    # Most hands have no such claim: a look at the text costs less than taking it to pieces.
    said = (
        "CASE WHEN contains(b.claims, '=roem') THEN "
        f"list_max(list_transform(list_filter({_CLAIMS}, lambda c: contains(c, b.said_roem)), "
        "lambda c: try_cast(split_part(c, '=roem', 2) AS INTEGER))) END"
    )
    said_stuk = (
        "CASE WHEN contains(b.claims, '=stuk') THEN "
        f"len(list_filter({_CLAIMS}, lambda c, i: contains(c, b.said_stuk) "
        "AND (b.claims_standing >> (i - 1)::INTEGER) & 1 = 1)) > 0 END"
    )
    return (
        f"SELECT h.*, x.* EXCLUDE (hand_id), {_NAME.format('x.k')} AS who, "
        f"seat_name(x.k) AS own_seat, {_ROLE.format(k='x.k')} AS role FROM ("
        f"SELECT b.hand_id, b.k, {held} AS held, coalesce({said}, 0) AS said, "
        f"b.rules_hash IN ({stuk}) AND (b.cards & ({king} | {queen})) = ({king} | {queen}) "
        f"AND b.trump < 4 AS stuk_held, coalesce({said_stuk}, false) AS stuk_said "
        "FROM (SELECT hand_id, rules_hash, k, trump, claims, claims_standing, "
        f"{seats('roem')} AS said_roem, {seats('stuk')} AS said_stuk, "
        f"{cardsql.played_hand('b.k')} AS cards "
        "FROM (SELECT *, unnest([declarer::INTEGER, partner::INTEGER]) AS k FROM hand "
        f"WHERE level > 0 AND n_plays = 32 AND declarer IS NOT NULL AND rules_hash IN ({known})) b "
        f"WHERE k >= 0 AND {cardsql.COMPLETE} AND {cardsql.EXCHANGE_KNOWN}) b) x "
        "JOIN hands h ON h.hand_id = x.hand_id WHERE ({where})"
    )


MEMBER = Population(
    "member", "declarer and partner at every fully played hand of a rule set with roem, in a "
    "contract of points (or pandoer +n), with a complete deal and the exchange known",
    "speler en maat bij elk uitgespeeld spel met roem, in een puntenbod (of pandoer +n), "
    "met volledige gift en bekende ruil",
    "player at a hand", _members, own={**_SEAT_OWN, "role": ""},
)  # fmt: skip

ANNOUNCED = Population(
    "announced", "announcements of roem", "meldingen van roem", "announcement",
    f"SELECT h.*, m.value AS worth, m.stands, {_NAME.format('m.k')} AS who, m.seat AS own_seat, "
    f"{_ROLE.format(k='m.k')} AS role, NOT m.stands AND EXISTS (SELECT 1 FROM melds d "
    "WHERE d.hand_id = m.hand_id AND d.kind = 'deny' AND d.stands AND d.claim > m.claim) AS denied "
    "FROM (SELECT *, strpos('NESW', seat) - 1 AS k FROM melds WHERE kind = 'roem') m "
    "JOIN hands h ON h.hand_id = m.hand_id WHERE ({where})",
    own={**_SEAT_OWN, "role": ""},
)  # fmt: skip

OFFENDER = Population(
    "offender", "each of the four players at every hand of which calls or cards are recorded",
    "elk van de vier spelers bij elk spel waarvan biedingen of kaarten genoteerd zijn",
    "player at a hand",
    f"SELECT h.*, k, seat_name(k) AS own_seat, {_NAME.format('k')} AS who, "
    f"{_ROLE.format(k='k')} AS role, coalesce(v.n, 0) AS broken "
    "FROM hands h CROSS JOIN range(4) s(k) LEFT JOIN (SELECT hand_id, seat, count(*) AS n "
    "FROM violations WHERE severity = 'error' GROUP BY hand_id, seat) v "
    "ON v.hand_id = h.hand_id AND v.seat = seat_name(k) "
    "WHERE (h.calls > 0 OR h.plays > 0) AND ({where})",
    own={**_SEAT_OWN, "role": ""},
)  # fmt: skip

VIOLATION = Population(
    "violation", "broken rules", "overtredingen", "broken rule",
    f"SELECT h.*, v.code, v.seat AS own_seat, {_NAME.format('v.k')} AS who, v.trick "
    "FROM (SELECT *, strpos('NESW', seat) - 1 AS k FROM violations WHERE severity = 'error') v "
    "JOIN hands h ON h.hand_id = v.hand_id WHERE ({where})",
    own={**_SEAT_OWN, "code": "", "trick": ""},
)  # fmt: skip

RECORD = Population(
    "record", "hands that record a result", "spellen waarvan een uitslag genoteerd is", "hand",
    "SELECT h.* FROM hands h WHERE h.has_result = 'recorded' AND ({where})",
)  # fmt: skip

MISMATCH = Population(
    "mismatch", "points on which a record disagrees with its replay",
    "punten waarop een notitie van het naspelen verschilt", "disagreement",
    "SELECT h.*, v.code FROM violations v JOIN hands h ON h.hand_id = v.hand_id "
    "WHERE v.severity = 'warning' AND ({where})",
    own={"code": ""},
)  # fmt: skip


def _steps(store: Store) -> str:
    """Bids that the winner of an auction could have saved, worked out from the order of bids."""
    rows = store.rows(
        "SELECT DISTINCT rules, rules_hash, contract, below FROM ("
        "SELECT rules, rules_hash, contract, list_filter(string_split(auction, ','), "
        "lambda c: c <> '-')[-2] AS below FROM hands WHERE calls > 0 AND contract IS NOT NULL)"
    )
    sets: dict[tuple[str, str], RuleSet] = {}
    values = []
    for r in rows:
        key = (r["rules"], r["rules_hash"])
        if key not in sets:
            sets[key] = store.rule_set(*key)
        steps = steps_above(sets[key], r["contract"], r["below"])
        if steps is not None:
            below = "NULL" if r["below"] is None else _text(r["below"])
            values.append(f"({_text(key[1])}, {_text(r['contract'])}, {below}, {steps})")
    table = ", ".join(values) or "('', '', '', 0)"
    return (
        "SELECT h.*, t.steps FROM (SELECT *, list_filter(string_split(h.auction, ','), "
        "lambda c: c <> '-')[-2] AS below FROM hands h WHERE h.calls > 0 AND ({where})) h "
        f"JOIN (VALUES {table}) t(rules_hash, contract, below, steps) "
        "ON t.rules_hash = h.rules_hash AND t.contract = h.contract "
        "AND t.below IS NOT DISTINCT FROM h.below "
        "WHERE h.hand_id NOT IN (SELECT hand_id FROM violations WHERE code LIKE 'bid-%')"
    )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def steps_above(rules: "RuleSet", contract: str, below: str | None) -> int | None:
    """How many bids lie between the one that won and the lowest that would have been enough.

    ``below`` is the bid before it, ``None`` if there was none. Bids without an upper end count in
    their steps.

    >>> from engine.rulefile import load_ruleset
    >>> heerlen = load_ruleset("heerlen")
    >>> [steps_above(heerlen, *x) for x in (("120", None), ("150", "120"), ("pic", "130"))]
    [0, 4, 1]
    """
    bid, last = rules.bid(contract), rules.bid(below) if below else None
    if bid is None or (below and last is None):
        return None
    first = (0, 0) if last is None else (last.row, last.level + 1)
    total = 0
    for row in range(first[0], bid.row + 1):
        c = rules.contracts[rules.auction.order[row]]
        levels = list(c.levels) or [0]
        step = c.step or c.plus_step
        if c.plus_step:
            levels = [c.plus_step]
        if step and row == bid.row:
            levels += range(levels[-1] + step, bid.level + 1, step)
        low = first[1] if row == first[0] else 0
        high = bid.level if row == bid.row else levels[-1] + 1
        total += sum(low <= x < high for x in levels)
    return total


STEPS = Population(
    "steps", "hands with a contract whose auction is recorded and without faults",
    "spellen met een bod waarvan de bieding genoteerd en zonder fouten is", "hand", _steps,
)  # fmt: skip

ALL = (
    HAND, AUCTION, FIELDED, PLACE, DEFENDED, BIDDER, PLAYING, TRICKS, LEAD, FOURTH, MEMBER,
    ANNOUNCED,
    OFFENDER, VIOLATION, RECORD, MISMATCH, STEPS,
)  # fmt: skip
