"""The one filter language, used by the command line, the Python API, the dashboard and its links.

A filter is ``field op value`` joined by ``and``; docs/filters.md lists fields and examples. It
becomes a condition on the view ``hands`` (as ``h``) with all values as parameters. The field
``counted`` (the hands behind a statistic) and what people wrote about hands (``star``, ``tag``,
``note``) depend on the store.
"""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pandoeren_replay.store.store import Store

Kind = Literal[
    "text", "number", "date", "yesno", "seat", "trump", "outcome", "role", "counted", "mark"
]
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "~"]

OPERATORS: tuple[Operator, ...] = ("!=", "<=", ">=", "=", "<", ">", "~")
_ALLOWED: dict[Kind, tuple[Operator, ...]] = {
    "text": ("=", "!=", "~"),
    "number": ("=", "!=", "<", "<=", ">", ">="),
    "date": ("=", "!=", "<", "<=", ">", ">="),
    "yesno": ("=", "!="),
    "seat": ("=", "!="),
    "trump": ("=", "!="),
    "outcome": ("=", "!="),
    "role": ("=",),
    "counted": ("=", "!="),
    "mark": ("=", "!=", "~"),
}


class FilterError(ValueError):
    """A filter that cannot be read; the text says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the language: what it means and the column or condition behind it.

    ``sql`` is an expression over ``h``; ``inside`` instead a query that gives the ids of hands
    (with ``{}`` for the comparison), for what a hand can have several of; ``marks`` a sort of
    what people write about hands, which stands beside the store (:mod:`.notes`).
    """

    name: str
    kind: Kind
    en: str
    nl: str
    sql: str = ""
    inside: str = ""
    lists: str = ""
    marks: Literal["", "star", "tag", "note"] = ""


POINTS_BID = "CASE WHEN {0}.target > 0 THEN nullif({0}.level, 0) END"
"""Points bid, of rows of the view ``hands``: its level is also the roem on top of pandoer."""

FIELDS: dict[str, Field] = {
    f.name: f
    for f in (
        Field("player", "text", "name of any player", "naam van een speler",
              lists="[h.north, h.east, h.south, h.west]"),
        Field("declarer", "text", "name of the declarer", "naam van de speler",
              "h.declarer_name"),
        Field("partner", "text", "name of declarer's partner", "naam van de maat",
              "h.partner_name"),
        Field("role", "role", "what `player` was: declarer, partner, defender",
              "wat `player` was: declarer, partner, defender"),
        Field("seat", "seat", "declarer's seat: N E S W", "plaats van de speler", "h.declarer"),
        Field("dealer", "seat", "dealer's seat: N E S W", "plaats van de gever", "h.dealer"),
        Field("contract", "text", "contract as written: 130, mis, pan+20",
              "bod zoals geschreven: 130, mis, pan+20", "h.contract"),
        Field("family", "text", "row of the bid table: points-120, misere",
              "regel van de biedtabel: points-120, misere", "h.contract_key"),
        Field("level", "number", "points bid (not the roem on top of pandoer)",
              "geboden punten (niet de roem boven op pandoer)", POINTS_BID.format("h")),
        Field("trump", "trump", "trump suit: S H D C, none", "troef: S H D C, none", "h.trump"),
        Field("rules", "text", "rule set", "spelregels", "h.rules"),
        Field("made", "yesno", "made (proven, else recorded): yes, no, unknown",
              "gehaald (bewezen, anders genoteerd): yes, no, unknown", "h.success"),
        Field("recorded", "outcome", "result as recorded: made, lost, void, none",
              "uitslag zoals genoteerd: made, lost, void, none", "h.recorded"),
        Field("cards", "yesno", "any card is recorded: yes, no (score sheets)",
              "er zijn kaarten genoteerd: yes, no (scorelijsten)", "h.with_cards"),
        Field("passed", "yesno", "passed out: yes, no", "rondgepast: yes, no", "h.passed_out"),
        Field("played", "yesno", "has a contract: yes, no", "er is een bod: yes, no",
              "(NOT h.passed_out AND h.contract IS NOT NULL)"),
        Field("points", "number", "card points of declarer's side",
              "punten van de spelende partij", "h.points_side"),
        Field("margin", "number", "points and meld above the bid",
              "punten en roem boven het bod", "h.margin"),
        Field("score", "number", "declarer's score", "score van de speler", "h.declarer_score"),
        Field("meld", "number", "meld of declarer's side", "roem van de spelende partij",
              "h.meld_side"),
        Field("tricks", "number", "tricks of declarer's side", "slagen van de spelende partij",
              "h.tricks_side"),
        Field("plays", "number", "cards played, 0 to 32", "gespeelde kaarten, 0 tot 32",
              "h.plays"),
        Field("calls", "number", "calls in the auction", "biedingen", "h.calls"),
        Field("errors", "number", "rules broken", "overtredingen", "h.errors"),
        Field("warnings", "number", "disagreements of the record with the replay",
              "verschillen tussen notitie en spel", "h.warnings"),
        Field("violation", "text", "code of a violation: revoke, not-held",
              "code van een overtreding: revoke, not-held",
              inside="SELECT hand_id FROM violation WHERE {}", sql="code"),
        Field("date", "date", "date of the hand: 2026-11-28, 2026-11, 2026",
              "datum: 2026-11-28, 2026-11, 2026", "h.date"),
        Field("session", "text", "session", "avond", "h.session"),
        Field("event", "text", "event", "evenement", "h.event"),
        Field("site", "text", "place", "plaats", "h.site"),
        Field("hand", "text", "number of the hand in its session", "nummer van het spel",
              "h.hand"),
        Field("id", "text", "id of the record", "id van het spel", "h.id"),
        Field("number", "number", "number of the hand in the store",
              "nummer van het spel in de opslag", "h.hand_id"),
        Field("source", "text", "file it came from", "bestand van herkomst", "h.source"),
        Field("format", "text", "format of that file", "formaat van dat bestand", "h.format"),
        Field("import", "number", "number of the import", "nummer van de import", "h.import_id"),
        Field("simulated", "yesno", "played by simulated players: yes, no",
              "door gesimuleerde spelers gespeeld: yes, no", "h.simulated"),
        Field("star", "yesno", "has a star: yes, no", "heeft een ster: yes, no", marks="star"),
        Field("tag", "mark", "a tag that it was given", "een label dat het kreeg",
              marks="tag"),
        Field("note", "mark", "text of a note on it", "tekst van een notitie erbij",
              marks="note"),
        Field("counted", "counted", "hands behind a statistic: 'entry;player=Anna;hit=yes'",
              "spellen achter een statistiek: 'entry;player=Anna;hit=yes'"),
    )
}  # fmt: skip

ROLES = ("declarer", "partner", "defender")
_YESNO = {"yes": True, "ja": True, "true": True, "1": True, "no": False, "nee": False,
          "false": False, "0": False, "unknown": None, "onbekend": None}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """One ``field op value``; ``values`` are the alternatives that commas separate."""

    field: Field
    op: Operator
    values: tuple[str, ...]


def condition(where: str | None, store: "Store | None" = None) -> tuple[str, list[Any]]:
    """SQL condition on ``h`` (the view ``hands``) and its parameters.

    ``store`` is where it will be asked; without one the fields that depend on it are
    checked, and let every hand through.

    >>> condition("contract=130 and score>0")
    ('lower(h.contract) IN (lower(?)) AND h.declarer_score > ?', ['130', 0])
    >>> condition("")
    ('true', [])
    >>> condition("contract is 130")
    Traceback (most recent call last):
    ...
    pandoeren_replay.filters.FilterError: filter, column 10: found 'is 130', \
expected one of != <= >= = < > ~
    """
    conditions = parse(where or "")
    parts: list[str] = []
    params: list[Any] = []
    roles = [c for c in conditions if c.field.name == "role"]
    # A role is that of the first player named; more of them are as without it.
    player = next((c for c in conditions if c.field.name == "player"), None) if roles else None
    if roles:
        if player is None or player.op != "=" or len(roles) > 1:
            raise FilterError(
                "filter: 'role' says what one player was; give it once, together with player=NAME"
            )
        marks = ", ".join("lower(?)" for _ in player.values)
        role_marks = ", ".join("?" for _ in roles[0].values)
        asked = [_role(v) for v in roles[0].values]
        seats = []
        for seat, name in zip("NESW", ("north", "east", "south", "west")):
            role = f"role_of('{seat}', h.declarer, h.partner, h.passed_out)"
            seats.append(f"(lower(h.{name}) IN ({marks}) AND {role} IN ({role_marks}))")
            params += [*player.values, *asked]
        # NULL of a seat without a name must not hide what the others say.
        parts.append(f"coalesce({' OR '.join(seats)}, false)")
    for c in conditions:
        if c.field.name == "role" or c is player:
            continue
        if c.field.kind == "counted":
            sql, values = _counted(c, store)
        elif c.field.marks:
            sql, values = _marked(c, store)
        else:
            sql, values = _one(c)
        parts.append(sql)
        params += values
    return " AND ".join(parts) or "true", params


def parse(where: str) -> list[Condition]:
    """The conditions of a filter, in order.

    >>> [c.values for c in parse("player='Jan and Piet' and contract=pic,mis")]
    [('Jan and Piet',), ('pic', 'mis')]
    """
    out: list[Condition] = []
    at = _skip(where, 0)
    while at < len(where):
        if out:
            word = re.compile(r"and\b", re.I).match(where, at)
            if not word:
                raise _error(where, at, "'and' between two conditions")
            at = _skip(where, word.end())
        name = re.compile(r"[A-Za-z_]+").match(where, at)
        if not name or name[0].lower() not in FIELDS:
            raise _error(where, at, "a field: " + ", ".join(FIELDS))
        field = FIELDS[name[0].lower()]
        at = _skip(where, name.end())
        op = next((o for o in OPERATORS if where.startswith(o, at)), None)
        if op is None:
            raise _error(where, at, "one of " + " ".join(OPERATORS))
        if op not in _ALLOWED[field.kind]:
            allowed = " ".join(_ALLOWED[field.kind])
            raise _error(where, at, f"one of {allowed} with the field {field.name!r}")
        at = _skip(where, at + len(op))
        values, at = _values(where, at)
        out.append(Condition(field, op, tuple(values)))
    return out


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _values(text: str, at: int) -> tuple[list[str], int]:
    values: list[str] = []
    while True:
        at = _skip(text, at)
        quote = text[at] if at < len(text) and text[at] in "'\"" else ""
        if quote:
            value, at = _quoted(text, at)
        else:
            # A bare value runs to a comma or the next condition, so names may have spaces.
            end = re.compile(r",|\s+and\b|$", re.I | re.M).search(text, at)
            stop = end.start() if end else len(text)
            value, at = text[at:stop].strip(), stop
            if not value:
                raise _error(text, at, "a value")
        values.append(value)
        at = _skip(text, at)
        if not text.startswith(",", at):
            return values, at
        at += 1


def _quoted(text: str, at: int) -> tuple[str, int]:
    quote, start, out = text[at], at, []
    at += 1
    while at < len(text):
        if text[at] == quote:
            if text.startswith(quote, at + 1):  # a doubled quote stands for itself
                out.append(quote)
                at += 2
                continue
            return "".join(out), at + 1
        out.append(text[at])
        at += 1
    raise _error(text, start, f"a closing {quote}")


def _error(text: str, at: int, expected: str) -> FilterError:
    found = repr(text[at : at + 30]) if at < len(text) else "the end"
    return FilterError(f"filter, column {at + 1}: found {found}, expected {expected}")


def _one(c: Condition) -> tuple[str, list[Any]]:
    f = c.field
    if f.inside:
        sql, params = _compare(f.sql, "text", "=" if c.op == "!=" else c.op, c.values, f.name)
        negate = "NOT " if c.op == "!=" else ""
        return f"h.hand_id {negate}IN ({f.inside.format(sql)})", params
    if f.lists:
        tests = {"=": "lower(x) = lower(?)", "~": "contains(lower(x), lower(?))"}
        test = tests["~" if c.op == "~" else "="]
        any_of = " OR ".join(f"len(list_filter({f.lists}, lambda x: {test})) > 0" for _ in c.values)
        return (f"NOT ({any_of})" if c.op == "!=" else f"({any_of})"), list(c.values)
    return _compare(f.sql, f.kind, c.op, c.values, f.name)


def _counted(c: Condition, store: "Store | None") -> tuple[str, list[Any]]:
    from pandoeren_replay.statistics.drill import check_counted, counted_sql

    if store is None:
        for value in c.values:
            check_counted(value)
        return "true", []
    found = [counted_sql(store, value) for value in c.values]
    any_of = " OR ".join(sql for sql, _ in found)
    params = [p for _, values in found for p in values]
    return (f"NOT ({any_of})" if c.op == "!=" else f"({any_of})"), params


def _marked(c: Condition, store: "Store | None") -> tuple[str, list[Any]]:
    from pandoeren_replay.notes import Notes, NotesError

    kind = c.field.marks
    assert kind
    texts: list[str | None] = [None]
    negate = c.op == "!="
    if kind == "star":
        starred = {_yesno(v, c.field.name) for v in c.values}
        if len(starred) > 1 or starred == {None}:
            raise FilterError(f"filter: {c.field.name} is yes or no, found {','.join(c.values)}")
        negate ^= starred == {False}
    else:
        texts = list(c.values)
    if store is None:
        return "true", []
    try:
        hands = Notes(store.path).marked(kind, texts, contains=c.op == "~")
    except NotesError as e:
        raise FilterError(f"filter: {c.field.name} cannot be looked up: {e}") from e
    return f"{'NOT ' if negate else ''}h.hash IN (SELECT unnest(?::VARCHAR[]))", [hands]


def marked(where: str) -> bool:
    """Whether a filter asks for what people wrote, which changes without an import.

    >>> marked("contract=130 and star=yes"), marked("contract=130"), marked("no filter")
    (True, False, False)
    """
    try:
        return any(c.field.marks for c in parse(where))
    except FilterError:
        return False


_Reader = Callable[[str, str], Any]


def _compare(
    sql: str, kind: Kind, op: Operator, values: Sequence[str], name: str
) -> tuple[str, list[Any]]:
    if kind == "date":
        return _compare_date(sql, op, values, name)
    reader: _Reader = _READERS[kind]
    read = [reader(v, name) for v in values]
    if op in ("<", "<=", ">", ">="):
        if len(read) > 1:
            raise FilterError(f"filter: {name}{op} takes one value, found {','.join(values)}")
        return f"{sql} {op} ?", read
    if op == "~":
        return (
            "(" + " OR ".join(f"contains(lower({sql}), lower(?))" for _ in read) + ")",
            read,
        )
    known = [v for v in read if v is not None]
    if kind == "text":
        tests = [f"lower({sql}) IN ({', '.join('lower(?)' for _ in known)})"] if known else []
    else:
        tests = [f"{sql} IN ({', '.join('?' for _ in known)})"] if known else []
    if len(known) < len(read):
        tests.append(f"{sql} IS NULL")
    joined = tests[0] if len(tests) == 1 else "(" + " OR ".join(tests) + ")"
    if op == "!=":
        return f"coalesce(NOT ({joined}), true)", known
    return joined, known


def _compare_date(
    sql: str, op: Operator, values: Sequence[str], name: str
) -> tuple[str, list[Any]]:
    parts: list[str] = []
    params: list[Any] = []
    for value in values:
        first, after = _period(value, name)
        if op in ("=", "!="):
            parts.append(f"({sql} >= ? AND {sql} < ?)")
            params += [first, after]
        elif len(values) > 1:
            raise FilterError(f"filter: {name}{op} takes one value, found {','.join(values)}")
        else:
            # Later than a month means after its last day, up to a month includes its last day.
            edge = after if op in (">", "<=") else first
            parts.append(f"{sql} {'>=' if op in ('>', '>=') else '<'} ?")
            params.append(edge)
    joined = parts[0] if len(parts) == 1 else "(" + " OR ".join(parts) + ")"
    return (f"coalesce(NOT ({joined}), true)" if op == "!=" else joined), params


def years(op: Operator, text: str) -> tuple[int | None, int | None]:
    """First and last year that a condition on the date can mean, ``None`` where it has no end.

    >>> years("=", "2026-11"), years(">", "2026"), years("<", "2026"), years("<=", "2026")
    ((2026, 2026), (2027, None), (None, 2025), (None, 2026))
    """
    first, after = _period(text, "date")
    if op in (">=", ">"):
        return (first if op == ">=" else after).year, None
    edge = first if op == "<" else after
    # The edge itself is outside.
    last = edge.year - ((edge.month, edge.day) == (1, 1))
    return (first.year if op == "=" else None), last


def _period(text: str, name: str) -> tuple[dt.date, dt.date]:
    match = re.fullmatch(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?", text)
    try:
        if not match:
            raise ValueError
        year, month, day = (int(g) if g else None for g in match.groups())
        first = dt.date(year or 0, month or 1, day or 1)
        if day:
            return first, first + dt.timedelta(days=1)
        if month:
            return first, dt.date(first.year + month // 12, month % 12 + 1, 1)
        return first, dt.date(first.year + 1, 1, 1)
    except (ValueError, OverflowError):
        raise FilterError(
            f"filter: {name} is {text!r}; expected a date such as 2026-11-28, 2026-11 or 2026"
        ) from None


def _number(text: str, name: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,15}", text):
        raise FilterError(f"filter: {name} is {text!r}; expected a whole number")
    return int(text)


def _yesno(text: str, name: str) -> bool | None:
    if text.lower() not in _YESNO:
        raise FilterError(f"filter: {name} is {text!r}; expected yes, no or unknown")
    return _YESNO[text.lower()]


def _seat(text: str, name: str) -> str:
    if text.upper() not in ("N", "E", "S", "W"):
        raise FilterError(f"filter: {name} is {text!r}; expected N, E, S or W")
    return text.upper()


def _trump(text: str, name: str) -> str:
    if text.lower() in ("none", "-"):
        return "-"
    if text.upper() not in ("S", "H", "D", "C"):
        raise FilterError(f"filter: {name} is {text!r}; expected S, H, D, C or none")
    return text.upper()


def _outcome(text: str, name: str) -> str | None:
    if text.lower() not in ("made", "lost", "void", "none"):
        raise FilterError(f"filter: {name} is {text!r}; expected made, lost, void or none")
    return None if text.lower() == "none" else text.lower()


def _role(text: str, name: str = "role") -> str:
    if text.lower() not in ROLES:
        raise FilterError(f"filter: {name} is {text!r}; expected {', '.join(ROLES)}")
    return text.lower()


_READERS: dict[Kind, _Reader] = {
    "text": lambda text, name: text,
    "number": _number,
    "yesno": _yesno,
    "seat": _seat,
    "trump": _trump,
    "outcome": _outcome,
    "role": _role,
}


def quote(value: str) -> str:
    """A value as a filter may hold it, whatever is in it.

    >>> quote("Jan's"), quote("pic,mis")
    ("'Jan''s'", "'pic,mis'")
    """
    return "'" + value.replace("'", "''") + "'"
