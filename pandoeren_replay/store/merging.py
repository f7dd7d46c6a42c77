"""Records that tell one hand, kept as one hand with all its sources (see docs/store.md).

The fuller record stays in the table ``hand``; the others wait in ``hand_other``, whole and with
their own source, so that taking one source back leaves what the other said. What is merged follows
from what is stored and is worked out anew after each change: see :func:`merge_sources`.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.cards import CARDS, SEATS
from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import RuleSet
from pandoeren_replay.store.columns import VIOLATION, arrow_table
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.encode import violation_rows
from pandoeren_replay.store.holding import SAME
from pandoeren_replay.store.matching import Apart, Told, match
from pandoeren_replay.store.packed import delete_hands
from pandoeren_replay.store.writer import Disagreement, insert_arrow, insert_rows
from parsers.base import Warn

_RECORD = "hand_id, hash, source_id, line, session, left(date, 10) AS day, simulated"
_RECORDS = (
    f"(SELECT {_RECORD}, '' AS rule FROM hand UNION ALL SELECT {_RECORD}, rule FROM hand_other)"
)
_HELD = (
    f"(SELECT * FROM {_RECORDS} UNION ALL SELECT s.hand_id, r.hash, s.source_id, s.line, r.session,"
    f" r.day, r.simulated, r.rule FROM hand_source s JOIN {_RECORDS} r ON r.hand_id = s.hand_id)"
)


@dataclass(slots=True)
class Merged:
    """What merging did: records of this import that are hands of others, and what to tell."""

    known: int = 0
    looked: bool = False  # whether records were compared at all; else no hand has changed
    disagreements: list[Disagreement] = field(default_factory=list)
    warnings: list[Warn] = field(default_factory=list)


@dataclass(slots=True)
class _Record:
    """A record with all that is needed to compare it."""

    row: dict[str, Any]
    record: HandRecord
    told: Told

    @property
    def fullness(self) -> tuple[int, ...]:
        """The more, the fuller; of equally full ones the first that came."""
        t, row = self.told, self.row
        cards = max(sum(c != "?" for c in t.deal), len(t.plays))
        result = self.record.result
        said = (result.outcome, result.points, result.score, result.tricks, result.partner)
        return (
            cards, len(t.plays), row["n_calls"], t.contract is not None,
            len(self.record.claims), sum(s is not None for s in said),
            sum(p is not None for p in t.players), len(self.record.meta), -row["hand_id"],
        )  # fmt: skip


def merge_sources(con: Any, new: Collection[int] | None = None) -> Merged:
    """Bring the merges of a store up to date, inside the caller's transaction.

    ``new`` are the sources that were added; nothing is done if they come near no other source.
    ``None`` looks at all sources (after one was taken away, or names were merged).
    """
    out = Merged()
    if new is not None and not near_others(con, new):
        return out
    out.looked = True
    records = _records(con)
    found = match([r.told for r in records.values()])
    hidden: dict[int, tuple[int, str]] = {}
    rules = {(a, b): rule for a, b, rule in found.pairs}
    rules |= {(b, a): rule for (a, b), rule in rules.items()}
    for group in _groups(found.pairs):
        members = sorted((records[i] for i in group), key=lambda r: r.fullness, reverse=True)
        kept = members[0].row["hand_id"]
        for other in members[1:]:
            i = other.row["hand_id"]
            by = next((r for (a, _), r in rules.items() if a == i), "session")
            hidden[i] = (kept, rules.get((kept, i), by))
        if new is not None:
            fresh = [r for r in members if set(r.told.sources) <= set(new)]
            out.known += len(fresh) - (len(fresh) == len(members))
    _apply(con, hidden)
    _disagreements(con, hidden, records, new, out)
    if new is not None:
        out.warnings += _warnings(con, found.apart, records, new)
    return out


def near_others(con: Any, new: Collection[int]) -> bool:
    """Whether a source of these has a session or a day in common with another source."""
    ids = list(new)
    placed = " UNION ALL ".join(
        f"SELECT 1 FROM {t} WHERE source_id IN (SELECT unnest(?::INTEGER[])) "
        "AND coalesce(session, date) IS NOT NULL"
        for t in ("hand_row", "hand_told", "hand_other")  # a packed hand has neither
    )
    if not con.execute(f"SELECT 1 FROM ({placed}) LIMIT 1", [ids] * 3).fetchall():
        return False
    return bool(
        con.execute(
            f"WITH mine AS (SELECT DISTINCT source_id, session, day, simulated FROM {_RECORDS} "
            "WHERE source_id IN (SELECT unnest(?::INTEGER[]))) "
            f"SELECT 1 FROM {_HELD} h JOIN mine m ON (h.session = m.session OR h.day = m.day) "
            "AND h.source_id <> m.source_id AND NOT (h.simulated AND m.simulated) LIMIT 1",
            [ids],
        ).fetchall()
    )


def _records(con: Any) -> dict[int, _Record]:
    """One record for each content that more than one source may tell in its own way."""
    wheres = []
    for column in ("session", "day"):
        keys = [
            k
            for (k,) in con.execute(
                f"WITH held AS {_HELD}, per AS (SELECT {column} AS k, source_id, "
                f"count(DISTINCT hash) AS n, bool_and(simulated) AS simulated FROM held "
                f"WHERE {column} IS NOT NULL GROUP BY ALL), "
                f"whole AS (SELECT {column} AS k, count(DISTINCT hash) AS n FROM held GROUP BY ALL)"
                "SELECT whole.k FROM whole JOIN per ON per.k = whole.k GROUP BY whole.k, whole.n "
                "HAVING count(*) > 1 AND whole.n > max(per.n) AND NOT bool_and(per.simulated)"
            ).fetchall()
        ]
        wheres.append((column, keys))
    held = con.execute(
        f"SELECT hash, hand_id, source_id, line, rule FROM {_HELD} WHERE "
        + " OR ".join(f"{c} IN (SELECT unnest(?::VARCHAR[]))" for c, _ in wheres),
        [keys for _, keys in wheres],
    ).fetchall()
    sources: dict[int, dict[int, int]] = defaultdict(dict)
    chosen: dict[int, int] = {}
    for content, hand_id, source_id, line, rule in held:
        sources[content].setdefault(source_id, line)
        if rule != SAME:
            chosen[hand_id] = content
    names = _names(con)
    con.execute(
        "SELECT * FROM hand WHERE hand_id IN (SELECT unnest(?::BIGINT[])) UNION ALL BY NAME "
        "SELECT * EXCLUDE (merged_into, rule) FROM hand_other "
        "WHERE hand_id IN (SELECT unnest(?::BIGINT[])) ORDER BY hand_id",
        [list(chosen)] * 2,
    )
    columns = [d[0] for d in con.description]
    out = {}
    for values in con.fetchall():
        row = dict(zip(columns, values, strict=True))
        record = decode(row)
        told = _told(row, record, sources[chosen[row["hand_id"]]], names)
        out[row["hand_id"]] = _Record(row, record, told)
    return out


def _names(con: Any) -> dict[str, str]:
    return dict(con.execute("SELECT alias, name FROM player_alias").fetchall())


def comparable(name: str | None) -> str | None:
    """A name as it is compared: without regard to case, spaces and ways to write an accent.

    >>> comparable("  Jan  de VRIES"), comparable(" ")
    ('jan de vries', None)
    """
    if name is None:
        return None
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split()) or None


def _told(
    row: dict[str, Any], record: HandRecord, sources: dict[int, int], names: dict[str, str]
) -> Told:
    outcome = record.result.outcome
    if outcome not in ("made", "lost"):
        outcome = None if row["made"] is None else ("made" if row["made"] else "lost")
    n, e, s, w = (comparable(names.get(row[k] or "", row[k])) for k in "nesw")
    date = (row["date"] or "")[:10].strip()
    return Told(
        hand_id=row["hand_id"],
        sources=sources,
        id=row["record_id"],
        # A day that stands for an evening is compared as the day it is.
        session=None if record.get("session_by") == "date" else comparable(row["session"]),
        number=comparable(row["hand_no"]),
        date=date or None,
        players=(n, e, s, w),
        seated=record.get("seating") != "assumed",
        rules=record.rules,
        dealer=row["dealer"],
        declarer=row["declarer"],
        contract=row["contract"],
        passed_out=row["passed_out"],
        deal=row["deal_known"] or record.deal,
        plays=tuple(p.card for p in record.plays),
        outcome=outcome,
        score=record.result.score,
        simulated=row["simulated"],
    )


def _groups(pairs: Iterable[tuple[int, int, str]]) -> list[set[int]]:
    near: dict[int, set[int]] = defaultdict(set)
    for a, b, _ in pairs:
        near[a].add(b)
        near[b].add(a)
    out, seen = [], set()
    for start in sorted(near):
        if start in seen:
            continue
        group, todo = set(), [start]
        while todo:
            i = todo.pop()
            if i not in group:
                group.add(i)
                todo += near[i]
        seen |= group
        out.append(group)
    return out


# -- changing the tables ---------------------------------------------------------------------------


def _apply(con: Any, hidden: dict[int, tuple[int, str]]) -> None:
    """Move records between ``hand`` and ``hand_other`` until just ``hidden`` are in the latter."""
    found = con.execute(
        "SELECT hand_id, merged_into, rule FROM hand_other WHERE rule <> ?", [SAME]
    ).fetchall()
    now = {i: (into, rule) for i, into, rule in found}
    _show(con, [i for i in now if i not in hidden])
    _hide(con, {i: v for i, v in hidden.items() if i not in now})
    for i, (into, rule) in hidden.items():
        if i in now and now[i] != (into, rule):
            con.execute(
                "UPDATE hand_other SET merged_into = ?, rule = ? WHERE hand_id = ?", [into, rule, i]
            ).fetchall()
    point_copies(con)


def _show(con: Any, ids: Sequence[int]) -> None:
    if not ids:
        return
    chosen = "hand_id IN (SELECT unnest(?::BIGINT[]))"
    con.execute(
        "INSERT INTO hand_row BY NAME SELECT * EXCLUDE (merged_into, rule) FROM hand_other "
        f"WHERE {chosen}",
        [list(ids)],
    ).fetchall()
    con.execute(f"DELETE FROM hand_other WHERE {chosen}", [list(ids)]).fetchall()


def _hide(con: Any, hidden: dict[int, tuple[int, str]]) -> None:
    if not hidden:
        return
    con.execute(
        "INSERT INTO hand_other BY NAME SELECT h.*, m.merged_into, m.rule FROM hand h "
        "JOIN (SELECT unnest(?::BIGINT[]) AS hand_id, unnest(?::BIGINT[]) AS merged_into, "
        "unnest(?::VARCHAR[]) AS rule) m ON m.hand_id = h.hand_id",
        [list(hidden), [v[0] for v in hidden.values()], [v[1] for v in hidden.values()]],
    ).fetchall()
    delete_hands(con, "hand_id IN (SELECT unnest(?::BIGINT[]))", [list(hidden)])


def point_copies(con: Any) -> None:
    """Let records of the same content point to the hand that is shown for that content.

    Where none of a content is left but such records, the first of them takes its place.
    """
    orphans = con.execute(
        "SELECT min(hand_id) FROM hand_other o WHERE rule = ? AND NOT EXISTS "
        "(SELECT 1 FROM hand h WHERE h.hash = o.hash) AND NOT EXISTS "
        "(SELECT 1 FROM hand_other x WHERE x.hash = o.hash AND x.rule <> ?) GROUP BY hash",
        [SAME, SAME],
    ).fetchall()
    _show(con, [i for (i,) in orphans])
    judge_again(con, [i for (i,) in orphans])
    con.execute(
        "UPDATE hand_other SET merged_into = r.into_id FROM (SELECT hash, hand_id AS into_id "
        "FROM hand UNION ALL SELECT hash, merged_into FROM hand_other WHERE rule <> ?) r "
        "WHERE hand_other.rule = ? AND r.hash = hand_other.hash "
        "AND hand_other.merged_into <> r.into_id",
        [SAME, SAME],
    ).fetchall()


def join_copies(con: Any) -> None:
    """Records that have come to be of the same content are one hand, the first of them."""
    twice = con.execute(
        "WITH r AS (SELECT hand_id, hash, '' AS rule FROM hand UNION ALL "
        "SELECT hand_id, hash, rule FROM hand_other) SELECT hash, list(hand_id ORDER BY hand_id) "
        "FROM r WHERE rule <> ? GROUP BY hash HAVING count(*) > 1",
        [SAME],
    ).fetchall()
    for _, (first, *others) in twice:
        con.execute(
            "UPDATE hand_other SET rule = ?, merged_into = ? "
            "WHERE hand_id IN (SELECT unnest(?::BIGINT[]))",
            [SAME, first, others],
        ).fetchall()
        shown = con.execute(
            "SELECT hand_id FROM hand WHERE hand_id IN (SELECT unnest(?::BIGINT[]))", [others]
        ).fetchall()
        _hide(con, {i: (first, SAME) for (i,) in shown})
    # What was a copy until now may have become a hand of its own.
    con.execute(
        "UPDATE hand_other SET rule = '' WHERE rule = ? AND NOT EXISTS "
        "(SELECT 1 FROM hand h WHERE h.hash = hand_other.hash) AND NOT EXISTS "
        "(SELECT 1 FROM hand_other x WHERE x.hash = hand_other.hash AND x.rule <> ?)",
        [SAME, SAME],
    ).fetchall()


def judge_again(con: Any, ids: Sequence[int]) -> None:
    """Work out the violations of records that were out of sight until now."""
    if not ids:
        return
    con.execute(
        "SELECT h.*, r.content FROM hand h JOIN rule_set r ON r.rules = h.rules AND "
        "r.rules_hash = h.rules_hash WHERE h.hand_id IN (SELECT unnest(?::BIGINT[]))",
        [list(ids)],
    )
    columns = [d[0] for d in con.description]
    rows: list[tuple[Any, ...]] = []
    for values in con.fetchall():
        row = dict(zip(columns, values, strict=True))
        done = replay(decode(row), RuleSet.model_validate_json(row["content"]))
        rows += [(row["hand_id"], *v) for v in violation_rows(done)]
    insert_arrow(con, "violation", arrow_table(VIOLATION, rows))


# -- what they disagree about ----------------------------------------------------------------------


def _disagreements(
    con: Any,
    hidden: dict[int, tuple[int, str]],
    records: dict[int, _Record],
    new: Collection[int] | None,
    out: Merged,
) -> None:
    con.execute("DELETE FROM disagreement WHERE other_id IS NOT NULL").fetchall()
    places = {
        i: (import_id, name)
        for i, import_id, name in con.execute(
            "SELECT source_id, import_id, name FROM source"
        ).fetchall()
    }
    rows = []
    for i, (kept, _) in hidden.items():
        one, other = records[kept], records[i]
        parts = differences(one, other)
        if not parts:
            continue
        source, line = other.row["source_id"], other.row["line"]
        import_id = max(places[r.row["source_id"]][0] for r in (one, other))
        said = [";".join(f"{what}={p[k]}" for what, *p in parts) for k in (0, 1)]
        rows.append((kept, import_id, places[source][1], line, *said, i))
        fresh = {one.row["source_id"], source} & set(new or ())
        if fresh:
            out.disagreements.append(Disagreement(kept, places[source][1], line, *said))
    insert_rows(con, "disagreement", rows)


def differences(kept: _Record, other: _Record) -> list[tuple[str, str, str]]:
    """What two records of one hand say differently: (what, as kept, as the other has it)."""
    one, two = kept.record, other.record
    pairs: list[tuple[str, Any, Any]] = [("outcome", kept.told.outcome, other.told.outcome)]
    if kept.told.seated and other.told.seated:
        seats = [_seat_text(r.row["partner"]) for r in (kept, other)]
        pairs.append(("partner", *seats))
        pairs.append(("score", _score_text(kept.row, one), _score_text(other.row, two)))
    else:
        pairs.append(("partner", _partner_name(kept), _partner_name(other)))
    pairs += [
        ("declarer_score", _declarer_score(kept), _declarer_score(other)),
        ("trump", _trump(kept.row), _trump(other.row)),
        ("called", _card(kept.row["called"]), _card(other.row["called"])),
        ("pts", one.result.points, two.result.points),
        ("tricks", one.result.tricks, two.result.tricks),
        ("points", kept.row["points_side"], two.get("server_points")),
    ]
    if pairs[2][0] == "score" and None not in pairs[2][1:]:
        pairs = [p for p in pairs if p[0] != "declarer_score"]
    return [
        (what, _plain(a), _plain(b))
        for what, a, b in pairs
        if a is not None and b is not None and _plain(a) != _plain(b)
    ]


def _plain(value: Any) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _seat_text(seat: int | None) -> str | None:
    return None if seat is None else ("-" if seat < 0 else SEATS[seat])


def _partner_name(r: _Record) -> str | None:
    seat = r.row["partner"]
    if seat is None:
        return None
    return "-" if seat < 0 else r.told.players[seat]


def _scores(row: dict[str, Any], record: HandRecord) -> list[int] | None:
    """What the source says each seat scored, else what the replay gives."""
    if record.result.score is not None:
        return list(record.result.score)
    found = [row[f"score_{s.lower()}"] for s in SEATS]
    return None if None in found else found


def _score_text(row: dict[str, Any], record: HandRecord) -> str | None:
    scores = _scores(row, record)
    return scores and ",".join(f"{s}{n:+d}" if n else f"{s}0" for s, n in zip(SEATS, scores))


def _declarer_score(r: _Record) -> str | None:
    told = r.record.get("score_declarer")
    if told is not None:
        return told.removeprefix("+")
    scores, seat = _scores(r.row, r.record), r.row["declarer"]
    return None if scores is None or seat is None else str(scores[seat])


def _trump(row: dict[str, Any]) -> str | None:
    return None if row["trump"] is None else "SHDC-"[row["trump"]]


def _card(card: int | None) -> str | None:
    return None if card is None else CARDS[card]


def _warnings(
    con: Any, apart: Iterable[Apart], records: dict[int, _Record], new: Collection[int]
) -> list[Warn]:
    names = dict(con.execute("SELECT source_id, name FROM source").fetchall())
    out = []
    for note in apart:
        pair = (records[note.hand_id], records[note.other_id])
        fresh = [r for r in pair if set(r.told.sources) <= set(new)]
        if not fresh:
            continue
        mine = fresh[-1]
        other = pair[0] if mine is pair[1] else pair[1]
        where = f"{names[other.row['source_id']]}:{other.row['line']}"
        out.append(
            Warn(
                names[mine.row["source_id"]], mine.row["line"],
                f"may be the hand of {where!r}, but is kept apart: {note.why}",
            )
        )  # fmt: skip
    return out
