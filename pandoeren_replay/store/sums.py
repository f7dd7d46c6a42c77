"""Sums of hands that large stores keep, so that their statistics need not read every hand.

Each table ``sum_…`` is the view ``hands``, grouped: rows carry the columns they are grouped by,
under the names of that view, ``hands`` (how many), and of margin and score how many are known,
their sum and the sum of their squares. All are whole numbers, so that sums of parts are exact and
an import only adds rows. They are written in the transaction that changes the hands: an import
adds what it brought, one that is undone takes that out again (``import_id``), after any other
change they are worked out anew, and a store that is not :data:`LARGE` has none. ``sum_state`` has
a row while they are there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pandoeren_replay.store.columns import HAND, PACKED, TOLD
from pandoeren_replay.store.packed import unpacked
from pandoeren_replay.store.parts import count_hands, shown
from pandoeren_replay.store.scores import fill as fill_scores

if TYPE_CHECKING:
    from pandoeren_replay.store.bulk_sums import PackedSums

LARGE = 2_000_000
"""Hands from which on a store keeps sums: below, reading them takes less than a second. A hand with
names counts for four: there are more groups."""
BLOCKS = 200
"""Sessions beyond this number are dealt into so many blocks for the bootstrap, by their names."""

PLAYED = "NOT passed_out AND contract IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Sum:
    """One table of sums: its groups with the SQL of each over ``hands h``, and which hands it is
    about. ``needs`` is the column that all of those have: whoever does not ask about it cannot be
    answered. ``exact`` are the columns that mean what they do in the view ``hands``.
    """

    name: str
    groups: dict[str, str]
    over: str
    needs: str = ""
    score: str = "declarer_score"
    rows: str = "hands h"
    rough: tuple[str, ...] = ()

    @property
    def exact(self) -> frozenset[str]:
        """Columns that a filter may ask about."""
        return frozenset(c for c in (*self.groups, *_COMMON) if c not in self.rough)


_TYPES = {
    "level": "SMALLINT", "target": "SMALLINT", "date": "DATE", "simulated": "BOOLEAN",
    "with_cards": "BOOLEAN", "success": "BOOLEAN", "played": "BOOLEAN", "declared": "BOOLEAN",
    "block_nr": "UTINYINT", "import_id": "INTEGER",
}  # fmt: skip
_COMMON = ("simulated", "with_cards", "success")
_MEASURES = (
    "hands", "margin_n", "margin_t", "margin_q", "score_n", "score_t", "score_q",
)  # fmt: skip
_PLAYED = {"played": f"({PLAYED})"}


def _named(*names: str) -> dict[str, str]:
    return {n: f"h.{n}" for n in names}


SUMS = (
    Sum("sum_contract", _named("rules", "rules_hash", "contract", "contract_key", "level",
                               "target", "declarer", "trump"), PLAYED),
    Sum("sum_pair", _named("rules", "declarer_name", "partner_name"),
        f"{PLAYED} AND declarer_name IS NOT NULL", "declarer_name"),
    Sum("sum_origin", _named("rules", "source")
        | {"date": "date_trunc('month', h.date)::DATE"} | _PLAYED, "true", rough=("date",)),
    Sum("sum_session", _named("rules", "session", "date") | _PLAYED, "session IS NOT NULL",
        "session"),
    Sum("sum_player", _named("rules") | {"who": "h.who", "role": "h.role",
        "declared": "h.declarer IS NOT NULL"} | _PLAYED, "who IS NOT NULL", "who", "own_score",
        "(SELECT *, CASE WHEN passed_out OR declarer IS NULL THEN NULL "
        "WHEN seat = declarer THEN 'declarer' WHEN partner IS NULL THEN NULL "
        "WHEN seat = partner THEN 'partner' ELSE 'defender' END AS role FROM (SELECT h.*, "
        "unnest(['N', 'E', 'S', 'W']) AS seat, unnest([h.north, h.east, h.south, h.west]) AS who, "
        "unnest([h.score_n, h.score_e, h.score_s, h.score_w]) AS own_score FROM hands h "
        "WHERE coalesce(h.north, h.east, h.south, h.west) IS NOT NULL)) h"),
)  # fmt: skip
"""Beside their own groups all have :data:`_COMMON`, the block of the bootstrap and the measures."""

BY_NAME = {s.name: s for s in SUMS}


def session_block(session: str) -> str:
    """SQL of the block of a session, where they are dealt into blocks."""
    return f"hash({session}) % {BLOCKS}"


def block_number(table: str) -> str:
    """SQL of the block of a hand, where sessions are dealt into blocks."""
    # DuckDB has a hash for NULL, too.
    session = session_block(f"{table}.session")
    return f"(CASE WHEN {table}.session IS NULL THEN {table}.draw ELSE {session} END)::UTINYINT"


def columns_of(s: Sum) -> dict[str, str]:
    """Columns of a table of sums with their types."""
    groups = (*s.groups, *_COMMON, "block_session", "block_nr", "import_id")
    out = {c: _TYPES.get(c, "VARCHAR") for c in groups}
    out |= dict.fromkeys(_MEASURES, "BIGINT NOT NULL")
    return out | {"first_date": "DATE", "last_date": "DATE"}


def sum_tables() -> str:
    """SQL that makes the tables of sums."""
    out = "CREATE TABLE sum_state (few_sessions BOOLEAN NOT NULL, kept BOOLEAN NOT NULL);"
    for s in SUMS:
        columns = ", ".join(f"{c} {kind}" for c, kind in columns_of(s).items())
        out += f"CREATE TABLE {s.name} ({columns});"
    return out


def import_columns() -> str:
    """SQL that adds the import to tables of sums without it; of what is in them it is unknown."""
    return "".join(
        f"ALTER TABLE {s.name} ADD COLUMN IF NOT EXISTS import_id {_TYPES['import_id']};"
        for s in SUMS
    )


def _show_beside(con: Any) -> None:
    """A view ``hands_beside``: as ``hands``, of the hands that are not just words: all that have
    names or a session, where no other source tells them.
    """
    texts = ", ".join(PACKED | TOLD)
    told = " UNION ALL ".join(
        f"SELECT {texts} FROM {table}"
        for table in ("hand_told", *(sql for kind, sql in shown(con) if kind == "hand_told"))
    )
    wide = f"SELECT {', '.join(HAND)} FROM hand_row UNION ALL {unpacked(f'({told})')}"
    con.execute(f"CREATE OR REPLACE TEMP VIEW hand_beside AS {wide}")
    views = (files("pandoeren_replay.store") / "views.sql").read_text("utf-8")
    start = views.index("CREATE OR REPLACE VIEW hands AS")
    query = views[views.index("SELECT", start) : views.index(";\n\n", start)]
    assert "\nFROM hand h\n" in query
    query = query.replace("\nFROM hand h\n", "\nFROM hand_beside h\n")
    con.execute(f"CREATE OR REPLACE TEMP VIEW hands_beside AS {query}")


def _hide_beside(con: Any) -> None:
    con.execute("DROP VIEW hands_beside; DROP VIEW hand_beside")


def _insert(con: Any, s: Sum, few: bool, which: str, hands: str = "hands") -> None:
    """Add the sums of some hands (a condition on the view ``hands``, whose columns it names)."""
    groups = {**s.groups, **_named(*_COMMON, "import_id")}
    if few:
        groups["block_session"] = "h.session"
        groups["block_nr"] = "CASE WHEN h.session IS NULL THEN h.draw END::UTINYINT"
    else:
        groups["block_session"] = "NULL::VARCHAR"
        groups["block_nr"] = block_number("h")
    shown = ", ".join(f"{sql} AS {c}" for c, sql in groups.items())
    rows = s.rows.replace("hands h", f"{hands} h")
    measures = "count(*) AS hands"
    for name, sql in (("margin", "h.margin"), ("score", f"h.{s.score}")):
        measures += (
            f", count({sql}) AS {name}_n, coalesce(sum({sql}), 0)::BIGINT AS {name}_t, "
            f"coalesce(sum({sql}::BIGINT * {sql}), 0)::BIGINT AS {name}_q"
        )
    con.execute(
        f"INSERT INTO {s.name} BY NAME SELECT {shown}, {measures}, min(h.date) AS first_date, "
        f"max(h.date) AS last_date FROM {rows} WHERE ({s.over}) AND ({which}) "
        f"GROUP BY {', '.join(str(i + 1) for i in range(len(groups)))}"
    ).fetchall()


def is_large(con: Any, coming: int = 0) -> bool:
    """Whether a store keeps sums; ``coming`` hands are about to be added."""
    named = con.execute("SELECT count(*) FROM hand_told").fetchall()[0][0]
    return bool(count_hands(con) + 3 * named + coming >= LARGE)


def are_there(con: Any) -> bool:
    """Whether the store has sums."""
    return bool(con.execute("SELECT 1 FROM sum_state").fetchall())


def clear(con: Any) -> None:
    """Take all sums away."""
    for table in ("sum_state", *BY_NAME):
        con.execute(f"DELETE FROM {table}").fetchall()


def rebuild(con: Any) -> None:
    """Work all sums out anew, from all hands."""
    clear(con)
    sessions = con.execute("SELECT count(DISTINCT session) FROM hands").fetchall()[0][0]
    few = sessions <= BLOCKS
    # Hands that are just words need not be read for sums that are about names or sessions.
    alone = not con.execute("SELECT 1 FROM hand_other LIMIT 1").fetchall()
    if alone:
        _show_beside(con)
    for s in SUMS:
        _insert(con, s, few, "true", "hands_beside" if alone and s.needs else "hands")
    if alone:
        _hide_beside(con)
    con.execute("INSERT INTO sum_state VALUES (?, false)", [few]).fetchall()


def keep(con: Any) -> None:
    """Say that the change at hand leaves the hands as they are, or has added what it brought."""
    con.execute("UPDATE sum_state SET kept = true").fetchall()


def take_out(con: Any, import_id: int) -> None:
    """Take the hands of an import out, which has just been undone; no other hand has changed.

    Nothing is done where the sums must be worked out anew (see :func:`settle`): where those of an
    older program do not say what is whose, and where few sessions are left of many.
    """
    state = con.execute("SELECT few_sessions FROM sum_state").fetchall()
    if not state or not is_large(con):
        return
    for s in SUMS:
        if con.execute(f"SELECT 1 FROM {s.name} WHERE import_id IS NULL LIMIT 1").fetchall():
            return
        con.execute(f"DELETE FROM {s.name} WHERE import_id = ?", [import_id]).fetchall()
    sessions = con.execute("SELECT count(DISTINCT session) FROM sum_session").fetchall()[0][0]
    if state[0][0] == (sessions <= BLOCKS):
        keep(con)


def settle(con: Any, players_of_hands: str) -> None:
    """At the end of a change: sums that are right again, or none where the store is small.

    ``players_of_hands`` is the SQL of the view ``players`` where there are none.
    """
    kept = con.execute("SELECT kept FROM sum_state").fetchall()
    if kept and kept[0][0]:
        con.execute("UPDATE sum_state SET kept = false").fetchall()
    elif is_large(con):
        rebuild(con)
    else:
        if kept:
            clear(con)
        if con.execute(_SHOWN).fetchall():
            con.execute(players_of_hands)
        return
    show_players(con)


def extend(con: Any, first: int, packed: "Iterable[PackedSums] | None") -> None:
    """Add the hands of an import, those from number ``first`` on; no other hand has changed.

    ``packed`` are the sums of those of them in the table ``hand_packed``, ``None`` if they were not
    added up. Nothing is done where the
    store is still small, or where its sums must be worked out anew (see :func:`settle`).
    """
    if packed is None or not is_large(con):
        return
    fill_scores(con)  # the view below shows them
    state = con.execute("SELECT few_sessions FROM sum_state").fetchall()
    others = " UNION ALL ".join(
        f"SELECT hand_id FROM {t} WHERE hand_id >= {first}" for t in ("hand_row", "hand_told")
    )
    beside = bool(con.execute(f"SELECT 1 FROM ({others}) LIMIT 1").fetchall())
    few = bool(state[0][0]) if state else True
    if few and (beside or not state):
        sessions = con.execute("SELECT count(DISTINCT session) FROM hands").fetchall()[0][0]
        if state and sessions > BLOCKS:
            return
        few = sessions <= BLOCKS
    if beside:
        _show_beside(con)
    for s in SUMS:
        if beside:
            _insert(con, s, few, f"h.hand_id >= {first}", "hands_beside")
        if not state and first > 1:
            _insert(con, s, few, f"h.hand_id < {first}")
    if beside:
        _hide_beside(con)
    for part in packed:
        part.insert(con)
    if not state:
        con.execute("INSERT INTO sum_state VALUES (?, false)", [few]).fetchall()
    keep(con)


_SHOWN = (
    "SELECT 1 FROM duckdb_views() WHERE view_name = 'players' AND contains(sql, 'FROM sum_player')"
)
_PLAYERS = """
CREATE OR REPLACE VIEW players AS
SELECT
    who AS name,
    sum(hands)::BIGINT AS hands,
    coalesce(sum(hands) FILTER (role = 'declarer'), 0)::BIGINT AS declarer,
    coalesce(sum(hands) FILTER (role = 'partner'), 0)::BIGINT AS partner,
    coalesce(sum(hands) FILTER (role = 'defender'), 0)::BIGINT AS defender,
    coalesce(sum(hands) FILTER (role = 'declarer' AND success), 0)::BIGINT AS made,
    coalesce(sum(hands) FILTER (role = 'declarer' AND NOT success), 0)::BIGINT AS lost,
    CASE WHEN sum(score_n) > 0 THEN sum(score_t)::BIGINT END AS score,
    min(first_date) AS first_date,
    max(last_date) AS last_date,
    bool_and(simulated) AS simulated,
    coalesce(sum(hands) FILTER (NOT with_cards), 0)::BIGINT AS without_cards,
    coalesce(sum(hands) FILTER (simulated), 0)::BIGINT AS simulated_hands
FROM sum_player
GROUP BY who
"""
"""The view of that name, out of the sums."""


def show_players(con: Any) -> None:
    """Let the view ``players`` read the sums; only where they are there."""
    con.execute(_PLAYERS)
