"""Hands out of the store or out of files, in every format we write."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, Literal

from engine.record import HandRecord
from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.ruleset import RuleSet
from pandoeren_replay.anonymous import Anonymiser
from pandoeren_replay.filters import condition
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.encode import known_cards
from pandoeren_replay.store.hash import content_text, hash_text
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

Format = Literal["phn", "phl", "jsonl", "csv", "parquet", "sgf", "pbn"]
FORMATS: tuple[Format, ...] = ("phn", "phl", "jsonl", "csv", "parquet", "sgf", "pbn")
TEXT_FORMATS: tuple[Format, ...] = ("phn", "phl", "sgf", "pbn")

PART = 20_000  # hands held at once when tables are written

# A spreadsheet takes a text that starts so for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@")


def neutralise(text: str) -> str:
    """A text as a spreadsheet may have it: what would be a formula gets a ``'`` in front.

    >>> neutralise("=1+1"), neutralise("Anna"), neutralise("\\t=1")
    ("'=1+1", 'Anna', "'\\t=1")
    """
    if text.startswith(_FORMULA_STARTS) or (text and ord(text[0]) < 32):
        return "'" + text
    return text


def named(record: HandRecord, rules: str, rules_hash: str) -> HandRecord:
    """The record with the rules it was read by written down, so that it keeps its meaning.

    The hash is added where the id alone would not say it: a rule set that is not built in, or a
    built-in one that has changed since.
    """
    known = rules in BUILTIN_IDS and load_ruleset(rules).content_hash == rules_hash
    if record.rules == rules and (known or record.rules_hash == rules_hash):
        return record
    return replace(record, rules=rules, rules_hash=None if known else rules_hash)


def stored_records(store: Store, where: str | None = None) -> Iterator[HandRecord]:
    """Records of all stored hands that a filter lets through, each with its rules."""
    for row in stored_rows(store, where):
        yield named(decode(row), row["rules"], row["rules_hash"])


def valued_records(store: Store, where: str | None = None) -> Iterator[HandRecord]:
    """As :func:`stored_records`, with the value of each card in comments (docs/solver.md).

    Values are those of the store where it has them, else worked out now; a hand that cannot be
    valued comes as it is.
    """
    from engine.replay import replay
    from engine.solver import NotSolvable
    from pandoeren_replay.analyze import open_card_values
    from pandoeren_replay.annotate import annotate
    from pandoeren_replay.annotate_stored import from_rows, with_values

    rules: dict[tuple[str, str], RuleSet] = {}
    for row in stored_rows(store, where):
        key = (row["rules"], row["rules_hash"])
        if key not in rules:
            rules[key] = store.rule_set(*key)
        played = replay(decode(row), rules[key])
        record = played.record
        try:
            rows = open_card_values(store, int(row["hand_id"]))
            found = from_rows(played, rows) or annotate(played)
        except NotSolvable:
            pass
        else:
            record = with_values(found)
        yield named(record, *key)


def stored_rows(store: Store, where: str | None = None) -> Iterator[dict[str, Any]]:
    """Rows of the base table ``hand`` that a filter lets through, in order of import."""
    sql, params = condition(where, store)
    cur = store.cursor()
    cur.execute(
        "SELECT b.* FROM hand b WHERE b.hand_id IN "
        f"(SELECT h.hand_id FROM hands h WHERE {sql}) ORDER BY b.hand_id",
        params,
    )
    names = [d[0] for d in cur.description]
    while part := cur.fetchmany(1000):
        for values in part:
            yield dict(zip(names, values, strict=True))


def anonymiser(store: Store) -> Anonymiser:
    """Other names for all players of a store, numbered in the order of the hands."""
    merged = {r["alias"]: r["name"] for r in store.rows("SELECT * FROM player_alias")}
    names = store.rows(
        "SELECT name FROM (SELECT hand_id, unnest([n, e, s, w]) AS name, unnest(range(4)) AS seat "
        "FROM (SELECT hand_id, n, e, s, w FROM hand UNION ALL SELECT hand_id, n, e, s, w "
        "FROM hand_other UNION ALL SELECT hand_id, n, e, s, w FROM hand_version)) "
        "WHERE name IS NOT NULL GROUP BY name ORDER BY min(hand_id), min(seat)"
    )
    return Anonymiser([r["name"] for r in names], merged)


def write_records(
    records: Iterable[HandRecord],
    format: Format,
    out: IO[str],
    rules_of: Callable[[HandRecord], RuleSet] | None = None,
) -> int:
    """Write records as ``phn``, ``phl``, ``sgf`` or ``pbn``; gives how many.

    ``rules_of`` finds the rules of a record; only ``pbn`` needs it.
    """
    write = _writer(format, rules_of)
    count = 0
    for record in records:
        out.write(write(record))
        count += 1
    return count


def _writer(
    format: Format, rules_of: Callable[[HandRecord], RuleSet] | None
) -> Callable[[HandRecord], str]:
    if format == "phl":
        from parsers.phl import write_phl

        return lambda record: write_phl(record) + "\n"
    if format == "phn":
        from parsers.phn import write_phn

        return lambda record: write_phn(record) + "\n\n"
    if format == "sgf":
        from parsers.iss import write_sgf

        return lambda record: write_sgf(record).rstrip("\n") + "\n"
    if format == "pbn" and rules_of is not None:
        from pandoeren_replay.diagram import write_pbn

        return lambda record: write_pbn(record, rules_of(record)) + "\n\n"
    raise ValueError(f"{format!r} is a table, not a text of one hand after the other")


def stored_tables(
    store: Store, where: str | None = None, names: Anonymiser | None = None
) -> "Iterator[pl.DataFrame]":
    """The view ``hands`` with the column ``phl`` (the whole hand as a line), in parts.

    With ``names`` nothing in it names a player. One import may add hands between two parts; every
    part is read from the same generation.
    """
    sql, params = condition(where, store)
    cur = store.cursor()
    ids = [
        i
        for (i,) in cur.execute(
            f"SELECT h.hand_id FROM hands h WHERE {sql} ORDER BY h.hand_id", params
        ).fetchall()
    ]
    for start in range(0, max(len(ids), 1), PART):
        yield tables_of(cur, ids[start : start + PART], names)


def tables_of(cur: Any, ids: Sequence[int], names: Anonymiser | None = None) -> "pl.DataFrame":
    """Rows of the view ``hands`` by number, with the column ``phl``."""
    import polars as pl

    from parsers.phl import write_phl

    frame: pl.DataFrame = cur.sql(
        "SELECT h.* FROM hands h WHERE h.hand_id IN (SELECT unnest(?::BIGINT[])) "
        "ORDER BY h.hand_id",
        params=[list(ids)],
    ).pl()
    cur.execute(
        "SELECT * FROM hand WHERE hand_id IN (SELECT unnest(?::BIGINT[])) ORDER BY hand_id",
        [list(ids)],
    )
    columns = [d[0] for d in cur.description]
    rows = [dict(zip(columns, v, strict=True)) for v in cur.fetchall()]
    records = [named(decode(r), r["rules"], r["rules_hash"]) for r in rows]
    if names is not None:
        records = [names.record(r) for r in records]
        frame = _anonymous(frame, records, rows, names)
    return frame.with_columns(pl.Series("phl", [write_phl(r) for r in records], pl.String))


_NAMES = ("north", "east", "south", "west", "declarer_name", "partner_name")
_TEXTS = ("id", "event", "site", "session", "hand", "date_text")


def _anonymous(
    frame: "pl.DataFrame",
    records: Sequence[HandRecord],
    rows: Sequence[dict[str, Any]],
    names: Anonymiser,
) -> "pl.DataFrame":
    """Without names of players, also in texts and files; with the hash that is then due."""
    import polars as pl

    from parsers.phl import write_phl

    hashes = [
        f"{hash_text(content_text(write_phl(r).split(' '), row['rules'], known_cards(r) > 0)):016x}"
        for r, row in zip(records, rows, strict=True)
    ]
    sources: dict[str, str] = {}
    for source in frame["source"].to_list():
        sources.setdefault(source, f"source {len(sources) + 1}")
    return frame.with_columns(
        *(pl.col(c).map_elements(names.name, return_dtype=pl.String) for c in _NAMES),
        *(pl.col(c).map_elements(names.text, return_dtype=pl.String) for c in _TEXTS),
        pl.Series("hash", hashes, pl.String),
        pl.col("source").replace_strict(sources, return_dtype=pl.String),
    )


def write_tables(
    frames: "Iterable[pl.DataFrame]", format: Format, out: IO[bytes], excel_nl: bool = False
) -> int:
    """Write tables of hands as ``jsonl``, ``csv`` or ``parquet``; gives how many rows.

    ``excel_nl`` writes the CSV for a Dutch Excel: ``;`` between columns and a byte order mark.
    """
    import polars as pl

    count = 0
    held = []
    for frame in frames:
        count += frame.height
        if format == "parquet":
            held.append(frame)
        elif format == "jsonl":
            for row in frame.iter_rows(named=True):
                text = json.dumps(row, ensure_ascii=False, default=str)
                out.write(text.encode() + b"\n")
        elif format == "csv":
            write_csv(frame, out, first=count == frame.height, excel_nl=excel_nl)
        else:
            raise ValueError(f"{format!r} is no table format")
    if held:
        pl.concat(held).write_parquet(out)
    return count


def write_csv(
    frame: "pl.DataFrame", out: IO[bytes], first: bool = True, excel_nl: bool = False
) -> None:
    """One table as CSV, formulas neutralised; ``first`` writes the header."""
    import polars as pl

    texts = [n for n, t in frame.schema.items() if t == pl.String]
    safe = frame.with_columns(
        pl.col(n).map_elements(neutralise, return_dtype=pl.String) for n in texts
    )
    safe.write_csv(
        out,
        include_header=first,
        include_bom=first and excel_nl,
        separator=";" if excel_nl else ",",
        decimal_comma=excel_nl,
    )
