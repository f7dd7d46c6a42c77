"""Reading once more what is stored: with a newer parser, other rules, or another mapping.

The text of every hand can be had again, so that a better reader, or a user who knows better, can
read it anew. What a text alone says less of than its file did (names at its head, say) is kept as
it was; a hand that cannot be read again, or only poorer, stays as it is and is told.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.record import HandRecord
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, UnknownRuleSet
from engine.ruleset import RuleSet
from pandoeren_replay.filters import condition
from pandoeren_replay.importer import ImportTotals, RulesFinder, import_paths
from pandoeren_replay.maintenance import undo_import
from pandoeren_replay.store import losses
from pandoeren_replay.store.columns import HAND, VIOLATION, arrow_table
from pandoeren_replay.store.decode import decode, original_text
from pandoeren_replay.store.encode import Row, encode, known_cards
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.generations import Unchanged
from pandoeren_replay.store.hash import hash_text
from pandoeren_replay.store.merging import join_copies, merge_sources
from pandoeren_replay.store.packed import delete_hands
from pandoeren_replay.store.store import Store
from pandoeren_replay.store.writer import insert_arrow, insert_rule_sets
from parsers.base import Options, Source
from parsers.detect import parsers, read_sources

Progress = Callable[[str, int, int], None]

_TABLES = ("table", "scoresheet", "exported", "klaverlive")
"""Formats of which a whole file must be seen, lest cards or dates be taken otherwise."""
_JOINED = {"phl": "\n", "phn": "\n\n"}
_NOT_TOLD = ("line", "raw", "raw_format", "meta_keys", "deal_known", "call_seats")
_PLAYED = ("p0", "p1", "p2", "p3", "play_text", "rules_hash", "declaration", "deal_n", "deal_text")


@dataclass(frozen=True, slots=True)
class Change:
    """One hand that is read otherwise now: what changed, as (column, old, new)."""

    hand_id: int
    place: str
    parts: tuple[tuple[str, Any, Any], ...]


@dataclass(slots=True)
class Reread:
    """What reading again came to. ``read = len(changed) + same + len(kept)``, always.

    ``kept`` are hands that were left as they are, as (place, why).
    """

    read: int = 0
    same: int = 0
    changed: list[Change] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)


def reparse_hands(
    store: Store,
    options: Options | None = None,
    format: str = "auto",
    where: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Reread:
    """Read the texts of stored hands once more; see the module. ``dry_run`` changes nothing.

    Without ``options.rules`` a hand keeps the rules that it was imported with.
    """
    options = options or Options()
    out = Reread()
    rows = _stored(store, where)
    out.read = len(rows)
    new: list[tuple[dict[str, Any], Row, RuleSet]] = []
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["source_id"], row["rules"], row["rules_hash"]].append(row)
    finder = RulesFinder(options)
    done = 0
    for group in groups.values():
        stored_rules = store.rule_set(group[0]["rules"], group[0]["rules_hash"])
        for row, record, why in _read(group, options, format):
            if record is None:
                out.kept.append((_place(row), why))
                continue
            old = decode(row)
            record = _with_meta(record, old)
            if _poorer(record, old):
                out.kept.append((_place(row), "its text alone says less than its file did"))
                continue
            try:
                rules = stored_rules
                if options.rules is not None or record.rules != old.rules:
                    rules = finder.find(record)
            except UnknownRuleSet as e:
                out.kept.append((_place(row), f"its rules are not known: expected {e}"))
                continue
            encoded = _encoded(row, record, rules)
            parts = _parts(row, encoded)
            if parts:
                out.changed.append(Change(row["hand_id"], _place(row), parts))
                new.append((row, encoded, rules))
            else:
                out.same += 1
        done += len(group)
        if progress:
            progress("reparse", done, len(rows))
    if new and not dry_run:
        with store.writing() as con:
            _write(con, new)
    return out


def _stored(store: Store, where: str | None) -> list[dict[str, Any]]:
    """Rows of all records of the hands that a filter lets through, with their source."""
    sql, params = condition(where, store)
    return store.rows(
        "WITH chosen AS (SELECT h.hand_id FROM hands h WHERE " + sql + ") "
        "SELECT b.*, s.name AS source_name, s.format AS source_format FROM ("
        "SELECT *, hand_id AS shown FROM hand UNION ALL BY NAME "
        "SELECT * EXCLUDE (merged_into, rule), merged_into AS shown FROM hand_other) b "
        "JOIN source s ON s.source_id = b.source_id "
        "WHERE b.shown IN (SELECT hand_id FROM chosen) ORDER BY b.source_id, b.line, b.hand_id",
        params,
    )


def _place(row: dict[str, Any]) -> str:
    return f"{row['source_name']}:{row['line']}"


def _read(
    group: Sequence[dict[str, Any]], options: Options, format: str
) -> Iterator[tuple[dict[str, Any], HandRecord | None, str]]:
    """Each row of one source with the record that its text gives now, or why there is none."""
    first = group[0]
    name, kind = first["source_name"], first["source_format"] or ""
    chosen = kind if format == "auto" and kind in parsers() else format
    texts = [original_text(row) for row in group]
    whole = joined(texts, kind)
    if whole is not None:
        result = read_sources([Source(name, whole.encode())], options, chosen)
        if len(result.hands) == len(group) and not (result.rejects or result.empty):
            for row, hand in zip(group, result.hands, strict=True):
                yield row, hand.record, ""
            return
    for row, text in zip(group, texts, strict=True):
        source = Source(name, text.encode())
        result = read_sources([source], options, chosen)
        if not result.hands and options.rules is None and row["rules"] in BUILTIN_IDS:
            # Some logs are read only if told by which rules, as at the import.
            result = read_sources([source], replace(options, rules=row["rules"]), chosen)
        if len(result.hands) == 1:
            yield row, result.hands[0].record, ""
        elif result.rejects:
            yield row, None, f"it cannot be read again: {result.rejects[0].message}"
        else:
            yield row, None, f"its text gives {len(result.hands)} hands now"


def joined(texts: Sequence[str], format: str) -> str | None:
    """Texts of hands of one file as a file again; ``None`` where each stands for itself.

    >>> joined(["a;b\\n1;2", "a;b\\n3;4"], "table")
    'a;b\\n1;2\\n3;4\\n'
    """
    if format in _JOINED:
        return "".join(t.rstrip("\n") + _JOINED[format] for t in texts)
    heads = {t.split("\n", 1)[0] for t in texts if "\n" in t.rstrip("\n")}
    if format in _TABLES and len(heads) == 1 and all("\n" in t.rstrip("\n") for t in texts):
        return heads.pop() + "\n" + "".join(t.split("\n", 1)[1].rstrip("\n") + "\n" for t in texts)
    return None


def _with_meta(new: HandRecord, old: HandRecord) -> HandRecord:
    """With what only the whole file said."""
    said = dict(old.meta)
    if all(said.get(k) == v for k, v in new.meta):
        return replace(new, meta=old.meta)
    mine = {k for k, _ in new.meta}
    return replace(new, meta=(*new.meta, *((k, v) for k, v in old.meta if k not in mine)))


def _poorer(new: HandRecord, old: HandRecord) -> bool:
    def size(r: HandRecord) -> tuple[int, ...]:
        outcome = r.contract is not None or r.auction_state == "calls"
        return known_cards(r), len(r.plays), int(outcome), int(not r.result.is_empty())

    return any(a < b for a, b in zip(size(new), size(old), strict=True))


def _encoded(row: dict[str, Any], record: HandRecord, rules: RuleSet) -> Row:
    from parsers.base import Located

    hand = Located(record, row["source_name"], row["line"] or 0, original_text(row))
    return encode(hand, replay(record, rules), row["source_format"] or "")


def _parts(row: dict[str, Any], new: Row) -> tuple[tuple[str, Any, Any], ...]:
    parts = [(c, row[c], v) for c, v in new.values.items() if c in row and row[c] != v]
    told = tuple(p for p in parts if p[0] not in _NOT_TOLD)
    return told or tuple(parts)


def _write(con: Any, new: Sequence[tuple[dict[str, Any], Row, RuleSet]]) -> None:
    found = con.execute(
        "SELECT hand_id, hash FROM hand UNION ALL SELECT hand_id, hash FROM hand_other"
    ).fetchall()
    there, hashes = dict(found), {h for _, h in found}
    insert_rule_sets(con, {(r.id, r.content_hash): r for _, _, r in new}.values())
    changed = 0
    for table in ("hand", "hand_other"):
        mine = {i for (i,) in con.execute(f"SELECT hand_id FROM {table}").fetchall()}
        rows, violations, played = [], [], []
        more = {}
        if table == "hand_other":
            more = {
                i: (into, rule)
                for i, into, rule in con.execute(
                    "SELECT hand_id, merged_into, rule FROM hand_other"
                ).fetchall()
            }
        for row, encoded, _ in new:
            i = row["hand_id"]
            # Another change may have come in between: only what is still as it was read.
            if i not in mine or there.get(i) != row["hash"]:
                continue
            fixed = {
                "hand_id": i, "hash": _hash(row, encoded, hashes), "source_id": row["source_id"],
                "line": row["line"],
            }  # fmt: skip
            rows.append(tuple(fixed[c] if c in fixed else encoded.values.get(c) for c in HAND))
            violations += [(i, *v) for v in encoded.violations]
            if any(row[c] != encoded.values.get(c) for c in _PLAYED):
                played.append(i)
        if not rows:
            continue
        ids = [r[0] for r in rows]
        changed += len(ids)
        chosen = "hand_id IN (SELECT unnest(?::BIGINT[]))"
        if table == "hand":
            delete_hands(con, chosen, [ids])
        else:
            con.execute(f"DELETE FROM {table} WHERE {chosen}", [ids]).fetchall()
        con.execute(f"DELETE FROM violation WHERE {chosen}", [ids]).fetchall()
        losses.forget(con, chosen, [ids])
        for valued in ("evaluation", "declaration_value", "review"):
            con.execute(f"DELETE FROM {valued} WHERE {chosen}", [played]).fetchall()
        data = arrow_table(HAND, rows)
        if more:
            data = data.append_column("merged_into", [[more[i][0] for i in ids]])
            data = data.append_column("rule", [[more[i][1] for i in ids]])
        insert_arrow(con, "hand_row" if table == "hand" else table, data)
        insert_arrow(con, "violation", arrow_table(VIOLATION, violations))
    if not changed:
        raise Unchanged
    join_copies(con)
    merge_sources(con)


def _hash(row: dict[str, Any], new: Row, hashes: set[int]) -> int:
    """The content hash; one that two bare lines may share is counted up, as at an import."""
    old = encode_content(row)
    if new.content == old:
        return int(row["hash"])
    content, n = hash_text(new.content), 0
    while not new.mergeable and content in hashes:
        n += 1
        content = hash_text(f"{new.content} #{n}")
    hashes.add(content)
    return content


def encode_content(row: dict[str, Any]) -> str:
    """What of a stored hand is hashed."""
    from pandoeren_replay.store.hash import content_text
    from parsers.phl import write_phl

    record = decode(row)
    return content_text(write_phl(record).split(" "), row["rules"], known_cards(record) > 0)


def reparse_rejects(
    store: Store, options: Options, format: str = "auto", dry_run: bool = False
) -> ImportTotals:
    """Read the texts of the kept rejects once more; those that are read now leave the rejects."""
    found = store.rows("SELECT * FROM rejects WHERE raw <> '' ORDER BY reject_id")
    if not found:
        raise StoreError(f"there are no rejects in {store.path}")
    by_source: dict[str, list[str]] = {}
    for r in found:
        by_source.setdefault(r["source"], []).append(r["raw"].rstrip("\n"))
    sources = []
    for name, texts in by_source.items():
        # Lines stand together; rows of one table under its head; all else by itself.
        if not any("\n" in t for t in texts):
            whole: str | None = "\n".join(texts) + "\n"
        else:
            whole = joined(texts, _TABLES[0])
        for text in texts if whole is None else [whole]:
            sources.append(Source(name, text.encode()))
    totals = import_paths(store, sources, options, format, dry_run=dry_run)
    if dry_run or totals.import_id is None:
        return totals
    still = {r.raw.rstrip("\n") for r in totals.rejects}
    gone = [r["reject_id"] for r in found if r["raw"].rstrip("\n") not in still]
    with store.writing() as con:
        # What cannot be read this time either is kept once: where it first came, with the reason
        # that is given now.
        same = "n.source = reject.source AND rtrim(n.raw, chr(10)) = rtrim(reject.raw, chr(10))"
        con.execute(
            "UPDATE reject SET code = n.code, token = n.token, expected = n.expected, "
            f"message = n.message FROM reject n WHERE {same} AND n.import_id = $run "
            "AND reject.import_id <> $run",
            {"run": totals.import_id},
        )
        con.execute(
            "DELETE FROM reject WHERE reject_id IN (SELECT unnest($gone::BIGINT[])) "
            "OR (import_id = $run AND EXISTS (SELECT 1 FROM reject n "
            f"WHERE {same} AND n.import_id <> $run))",
            {"gone": gone, "run": totals.import_id},
        ).fetchall()
    if not totals.stored + totals.duplicate + totals.empty:
        undo_import(store, totals.import_id)  # nothing came of it
        totals.import_id = None
    return totals
