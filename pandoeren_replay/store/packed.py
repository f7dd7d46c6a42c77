"""Regular hands as a few whole words: how the tables ``hand_packed`` and ``hand_told`` hold them.

A hand with a complete deal, played to the end or passed out and without a violation, needs of the
seventy-odd columns of the table ``hand_row`` only some bits each. Twelve columns cost DuckDB a
fifth of what the wide table does, in time as in bytes. The view ``hand`` unpacks them
(:func:`unpacked`), so that nobody else need know.

``hand_told`` has the columns of ``hand_packed`` and texts besides, for hands with more META than an
id and ``src=simulated``; ``hand_row`` has all other hands. Words are unsigned 64-bit numbers:

- ``deal``: cards 0 to 31, whose hand: N 0, E 1, S 2, W 3; the low bits of all, then the high ones.
- ``p0``–``p3``: eight plays each, 6 bits a card, the first lowest. Their upper 16 bits hold the
  winners of the tricks (``p0``, 2 bits a trick) and the scores of N, E and S.
- ``w0`` and ``w1``: the fields of :data:`FIELDS_0` and :data:`FIELDS_1`.

``kind`` is a row of the table ``hand_kind``: rule set and contract.
"""

from collections.abc import Sequence
from typing import Any

from pandoeren_replay.store.columns import HAND, PACKED, TOLD, sql_type

FIELDS_0 = {
    "dealer": 2, "declarer": 3, "partner": 3, "leader": 3, "trump": 3, "called": 6, "discard": 6,
    "middle": 6, "last_owner": 2, "made": 2, "passed_out": 1, "simulated": 1, "from_simulator": 1,
    "n_tricks": 4, "tricks_side": 4, "n_calls": 8, "recorded": 2, "exchanged": 1, "announced": 1,
    "resulted": 1, "says_all": 1,
}  # fmt: skip
"""Fields of ``w0`` with their widths in bits, the first lowest. All bits of a field set: nothing.

``partner`` is counted from 1, 0 is nobody; ``last_owner``: whose card 32 is; ``from_simulator``:
META has ``src=simulated``; ``exchanged``,
``announced`` and ``resulted``: a discard, claims and a result are recorded; ``says_all``: the
recorded result has outcome, points, score and tricks, else at most an outcome."""
FIELDS_1 = {
    "points_side": 10, "points_defenders": 10, "points_out": 10, "meld_side": 10,
    "meld_defenders": 10, "score_w": 14,
}  # fmt: skip
"""Fields of ``w1``."""

SCORE_BIAS = 1 << 15
"""Added to the scores above the plays, so that they are not negative."""
LAST_SCORE_BIAS = 1 << FIELDS_1["score_w"] - 1
"""Added to the score of W."""
PLAY_BITS = 48
MOST_KINDS = 1 << 16
"""Numbers that there are for kinds."""


def places(fields: dict[str, int]) -> dict[str, int]:
    """Where each field begins.

    >>> places(FIELDS_0)["partner"], sum(FIELDS_0.values()), sum(FIELDS_1.values())
    (5, 61, 64)
    """
    at, out = 0, {}
    for name, width in fields.items():
        out[name] = at
        at += width
    return out


def _field(name: str) -> str:
    """A field as an unsigned number."""
    for word, fields in (("w0", FIELDS_0), ("w1", FIELDS_1)):
        if name in fields:
            mask = (1 << fields[name]) - 1
            return f"(b.{word} >> {places(fields)[name]} & {mask})"
    raise KeyError(name)


def _or_null(name: str) -> str:
    width = {**FIELDS_0, **FIELDS_1}[name]
    return f"nullif({_field(name)}, {(1 << width) - 1})"


def _is(name: str) -> str:
    return f"({_field(name)} = 1)"


_ALL = "8589934591::UBIGINT"  # 33 cards
_LOW = f"((b.deal & 4294967295::UBIGINT) | (({_field('last_owner')} & 1::UBIGINT) << 32))"
_HIGH = f"((b.deal >> 32) | (({_field('last_owner')} >> 1) << 32))"
_PLAYED = f"({_field('passed_out')} = 0)"
_SCORES = {
    **{s: f"((b.p{k} >> {PLAY_BITS})::INTEGER - {SCORE_BIAS})" for k, s in enumerate("nes", 1)},
    "w": f"({_field('score_w')}::INTEGER - {LAST_SCORE_BIAS})",
}
_DEFENDERS_TRICKS = f"({_field('n_tricks')} - {_field('tricks_side')})"
_OUTCOME = f"CASE {_field('recorded')} WHEN 0 THEN 'lost' WHEN 1 THEN 'made' WHEN 2 THEN 'void' END"
# Only a score of nothing is written as +0 by that.
_RESULT = (
    f"CASE WHEN {_is('says_all')} THEN replace(printf("
    f"'%s;pts=%d-%d;score=N%+d,E%+d,S%+d,W%+d;tricks=%d-%d', {_OUTCOME}, {_field('points_side')}, "
    f"{_field('points_defenders')}, {', '.join(_SCORES.values())}, {_field('tricks_side')}, "
    f"{_DEFENDERS_TRICKS}), '+0', '0') ELSE {_OUTCOME} END"
)
_DECLARATION = (
    f"CASE WHEN {_PLAYED} THEN concat(trump_name({_field('trump')}), ':', "
    f"coalesce(card_name({_or_null('called')}), '-'), ':', "
    f"coalesce(card_name({_or_null('discard')}), '-')) END"
)

# Columns of the table ``hand_row`` by what they are for a packed hand; those that are in neither
# dictionary are empty.
_COLUMNS = {
    "hand_id": "b.hand_id", "hash": "b.hash", "source_id": "b.source_id", "line": "b.line",
    "simulated": _is("simulated"),
    "rules": "k.rules", "rules_hash": "k.rules_hash", "rules_named": "k.rules_named",
    "record_id": "b.record_id",
    "src": f"CASE WHEN {_is('from_simulator')} THEN 'simulated' END",
    "dealer": _field("dealer"),
    "deal_n": f"(~({_LOW} | {_HIGH} | (1::UBIGINT << {_field('middle')})) & {_ALL})",
    "deal_e": f"({_LOW} & ~{_HIGH})",
    "deal_s": f"({_HIGH} & ~{_LOW})",
    "auction": "b.auction",
    "n_calls": _field("n_calls"),
    **{
        f"p{k}": f"CASE WHEN {_PLAYED} THEN b.p{k} & {(1 << PLAY_BITS) - 1}::UBIGINT END"
        for k in range(4)
    },
    "n_plays": f"({_field('n_tricks')} * 4)",
    "claims": "b.claims",
    # All of them: 1 bit a claim, and one comma fewer than there are claims.
    "claims_standing": "CASE WHEN b.claims IS NOT NULL THEN "
    "(2::UBIGINT << (length(b.claims) - length(replace(b.claims, ',', '')))::UBIGINT) - 1 END",
    "recorded": _OUTCOME,
    "raw_format": "'phl'",
    "declarer": _or_null("declarer"),
    "partner": f"({_field('partner')}::TINYINT - 1)",
    "contract": "k.contract", "contract_key": "k.contract_key", "level": "k.level",
    "target": "k.target",
    "trump": _or_null("trump"), "called": _or_null("called"), "discard": _or_null("discard"),
    "middle": _field("middle"),
    "passed_out": _is("passed_out"),
    "leader": _or_null("leader"),
    "winners": f"(b.p0 >> {PLAY_BITS})",
    "n_tricks": _field("n_tricks"),
    "points_side": _field("points_side"), "points_defenders": _field("points_defenders"),
    "points_out": _or_null("points_out"),
    "tricks_side": _field("tricks_side"), "tricks_defenders": _DEFENDERS_TRICKS,
    "meld_side": _field("meld_side"), "meld_defenders": _field("meld_defenders"),
    "made": f"CASE {_field('made')} WHEN 0 THEN false WHEN 1 THEN true END",
    **{f"score_{s}": x for s, x in _SCORES.items()},
    "errors": "0", "warnings": "0",
    "has_deal": "'recorded'", "has_auction": "'recorded'", "has_middle": "'recorded'",
    "has_discard": f"CASE WHEN {_is('exchanged')} THEN 'recorded' ELSE 'none' END",
    "has_meld": f"CASE WHEN {_is('announced')} THEN 'recorded' ELSE 'none' END",
    "has_result": f"CASE WHEN {_is('resulted')} THEN 'recorded' ELSE 'unknown' END",
}  # fmt: skip
_COLUMNS |= {
    **{c: f"b.{c}" for c in TOLD if c not in _COLUMNS},
    "src": f"coalesce(b.src, {_COLUMNS['src']})",
    "claims_standing": f"coalesce(b.claims_standing, {_COLUMNS['claims_standing']})",
    # As written where that is not what the outcome gives; '.' is nothing.
    "declaration": f"nullif(coalesce(b.declaration, {_DECLARATION}), '.')",
    "result": f"nullif(coalesce(b.result, {_RESULT}), '.')",
}
_REQUIRED = tuple(c for c in PACKED if c not in ("record_id", "auction", "claims"))
# How DuckDB keeps the columns that cost most. Left to itself it tries all ways there are, which
# takes longer than the writing; and its own choice for texts, dictionaries of symbols, takes three
# times as long as Zstandard for a tenth fewer bytes.
_COMPRESSION = {
    **dict.fromkeys(("hash", "deal", "p0", "w0"), "uncompressed"),
    **dict.fromkeys(("hand_id", "source_id", "line", "kind"), "bitpacking"),
    **dict.fromkeys(("p1", "p2", "p3", "w1"), "bitpacking"),
    **dict.fromkeys(("record_id", "auction"), "zstd"),
}


def packed_tables() -> str:
    """SQL that makes the tables of packed hands."""
    out = ""
    for name, columns in (("hand_packed", PACKED), ("hand_told", PACKED | TOLD)):
        parts = []
        for column, kind in columns.items():
            part = f"{column} {sql_type(kind)}"
            if column in _REQUIRED:
                part += " NOT NULL"
            if column in _COMPRESSION:
                part += f" USING COMPRESSION {_COMPRESSION[column]}"
            parts.append(part)
        out += f"CREATE TABLE {name} ({', '.join(parts)});"
    return out


def unpacked(table: str) -> str:
    """A query that gives packed hands as rows of ``hand_row``.

    ``table`` has the columns of ``hand_told``.
    """
    shown = ", ".join(
        f"({_COLUMNS.get(c, 'NULL')})::{sql_type(kind)} AS {c}" for c, kind in HAND.items()
    )
    return f"SELECT {shown} FROM {table} b JOIN hand_kind k ON k.kind = b.kind"


def hand_view(parts: Sequence[tuple[str, str]] = ()) -> str:
    """SQL that makes the view ``hand``: every hand that is shown, as rows of ``hand_row``.

    ``parts`` are what else to read (:mod:`.parts`): the table whose columns it has, and the SQL.
    """
    names, kept, texts = ", ".join(HAND), ", ".join(PACKED), ", ".join(TOLD)
    nothing = ", ".join(f"NULL::{sql_type(kind)}" for kind in TOLD.values())
    # Both are unpacked at once: binding so many expressions twice would be felt in every query.
    every = (
        f"SELECT {kept}, {texts} FROM hand_told UNION ALL SELECT {kept}, {nothing} FROM hand_packed"
    )
    for table, source in parts:
        more = texts if table == "hand_told" else nothing
        every += f" UNION ALL SELECT {kept}, {more} FROM {source}"
    every = f"({every})"
    return (
        f"CREATE OR REPLACE VIEW hand AS SELECT {names} FROM hand_row UNION ALL {unpacked(every)}"
    )


HAND_TABLES = ("hand_row", "hand_packed", "hand_told")
"""The tables that the view ``hand`` shows; a hand is in one of them."""


def delete_hands(con: Any, where: str, params: Sequence[Any]) -> None:
    """Delete hands; ``where`` is about columns that all three tables have."""
    from pandoeren_replay.store.parts import bring_back

    bring_back(con, where, params)
    for table in HAND_TABLES:
        con.execute(f"DELETE FROM {table} WHERE {where}", list(params)).fetchall()
