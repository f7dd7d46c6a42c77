"""A viewer's own SQL: read-only, without files and network, limited in time, memory and rows."""

import csv
import datetime as dt
import io
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from engine.violations import Language
from pandoeren_replay.export import neutralise
from pandoeren_replay.store import Store
from pandoeren_replay.store.parts import files

SECONDS = 10.0
MEMORY = "512MB"
ROWS = 10_000
LONGEST = 20_000

_READING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}


class QuestionError(ValueError):
    """A query that is not run, or that failed; ``key`` names the sentence, the text the details."""

    def __init__(self, key: str, details: str = "") -> None:
        super().__init__(details)
        self.key = key


@dataclass(frozen=True, slots=True)
class Answer:
    """Names of the columns and rows; ``cut`` if there were more than :data:`ROWS`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool


def ask(store: Store, query: str, seconds: float = SECONDS) -> Answer:
    """Runs one query over the views of docs/store.md; raises :class:`QuestionError`.

    The store is attached read-only to a database of the query's own, which may neither open files
    nor load anything nor change that. A timer stops it.
    """
    _check(query)
    con = duckdb.connect(":memory:", config={"threads": 1, "memory_limit": MEMORY})
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        con.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    try:
        _attach(con, store)
        timer.start()
        con.execute(query)
        rows = con.fetchmany(ROWS + 1)
        names = tuple(str(d[0]) for d in con.description)
    except duckdb.OutOfMemoryException as e:
        raise QuestionError("memory", _first(e)) from None
    except duckdb.Error as e:
        raise QuestionError("time" if stopped.is_set() else "failed", _first(e)) from None
    finally:
        timer.cancel()
        con.close()
    return Answer(names, tuple(tuple(r) for r in rows[:ROWS]), len(rows) > ROWS)


def _attach(con: Any, store: Store) -> None:
    # Two imports may be published between reading the pointer and opening the file.
    for attempt in range(3):
        place = str(store.file()).replace("'", "''")
        try:
            con.execute(f"ATTACH '{place}' AS club (READ_ONLY)")
            break
        except duckdb.Error:
            if attempt == 2:
                raise
    con.execute("USE club")
    # A very large store keeps most of its hands in files beside this one.
    beside = [name for _, name in files(con)]
    con.execute("SET allowed_paths = ?", [beside])
    for setting in (
        "temp_directory = ''",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        con.execute(f"SET {setting}")


def _check(query: str) -> None:
    if len(query) > LONGEST:
        raise QuestionError("long")
    try:
        statements = duckdb.extract_statements(query)
    except duckdb.Error as e:
        raise QuestionError("failed", _first(e)) from None
    if len(statements) != 1:
        raise QuestionError("one")
    if statements[0].type not in _READING:
        raise QuestionError("reading")


def _first(error: Exception) -> str:
    """The message without the library's own chatter, a few lines at most."""
    lines = [x for x in str(error).strip().splitlines() if x.strip()]
    return "\n".join(lines[:6])[:600]


def as_csv(answer: Answer, lang: Language) -> bytes:
    """The answer for a spreadsheet: no text in it is taken for a formula.

    Dutch Excel wants semicolons and decimal commas; the mark at the start tells it that this is
    UTF-8.

    >>> as_csv(Answer(("a",), (("=1+1",), (0.5,)), False), "nl").decode("utf-8-sig").split()
    ['a', "'=1+1", '0,5']
    """
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if lang == "nl" else ",", lineterminator="\r\n")
    writer.writerow([neutralise(c) for c in answer.columns])
    for row in answer.rows:
        writer.writerow([_field(v, lang) for v in row])
    return out.getvalue().encode("utf-8-sig")


def _field(value: Any, lang: Language) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        text = repr(value)
        return text.replace(".", ",") if lang == "nl" else text
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (dt.date, dt.datetime)):
        return value.isoformat()
    return neutralise(str(value))


EXAMPLES: Sequence[tuple[str, str]] = (
    (
        "made",
        "SELECT contract, count(*) AS hands, round(avg(success::INT), 2) AS made\n"
        "FROM hands WHERE success IS NOT NULL\nGROUP BY contract ORDER BY hands DESC",
    ),
    (
        "players",
        "SELECT name, hands, declarer, made, lost, score\nFROM players ORDER BY score DESC",
    ),
    (
        "jas",
        "SELECT trick, count(*) AS times\n"
        "FROM plays p JOIN hands h USING (hand_id)\n"
        "WHERE p.card = h.trump || 'J'\nGROUP BY trick ORDER BY trick",
    ),
    (
        "faults",
        "SELECT code, count(*) AS times, count(DISTINCT hand_id) AS hands\n"
        "FROM violations WHERE severity = 'error'\nGROUP BY code ORDER BY times DESC",
    ),
    (
        "close",
        "SELECT date, declarer_name, contract, margin, hash\n"
        "FROM hands WHERE margin BETWEEN -5 AND 5\nORDER BY abs(margin), date LIMIT 50",
    ),
    (
        "sessions",
        "SELECT session, first_date, hands, passed_out, errors\n"
        "FROM sessions ORDER BY last_date DESC NULLS LAST LIMIT 50",
    ),
)
"""Queries to begin with, by the name of their text."""
