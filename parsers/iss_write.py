"""ISS-style SGF with ``GM[Pandoeren]``: the writer; :mod:`parsers.iss_read` names the properties.

A line that does not read back as the same record carries the hand's line form besides (``PL``),
so an export loses nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from engine.cards import CARDS, SEATS
from engine.record import HandRecord
from engine.replay import replay
from engine.rulefile import DEFAULT_ID, RuleSetError, load_ruleset
from engine.ruleset import RuleSet
from parsers.base import Options, Source
from parsers.build import resolve_rules
from parsers.canonical import normalised, owners_of
from parsers.iss_read import IssParser
from parsers.jsontext import as_text
from parsers.phl import write_phl

_UNKNOWN = "??"
_CLOCK = re.compile(r"\d\d:\d\d:\d\dZ?")


def write_sgf(record: HandRecord, rules: RuleSet | None = None) -> str:
    """A record as one line of ISS-style SGF, without line end; :class:`IssParser` reads it back.

    ``rules`` are those the record was played by; by default the built-in ones that it names.

    >>> write_sgf(HandRecord("heerlen", dealer=3, auction_state="unknown", declarer=2,
    ...                      contract="130"))
    '(;GM[Pandoeren]RU[heerlen]DL[W]AU[=S130]MV[]R[d:2 unknown l:-1 to:-1 r:0] ;)'
    """
    r = normalised(record)
    line = _line(r, _ruleset(r, rules), None)
    again = IssParser().parse([Source("-", line.encode("utf-8", "surrogatepass"))], Options())
    if len(again.hands) == 1 and _same(again.hands[0].record, r):
        return line
    return _line(r, _ruleset(r, rules), write_phl(r))


def write_sgf_file(records: Iterable[HandRecord], rules: RuleSet | None = None) -> str:
    """Records as a file: one game a line."""
    return "".join(write_sgf(r, rules) + "\n" for r in records)


def _same(a: HandRecord, b: HandRecord) -> bool:
    return replace(a, meta=tuple(sorted(a.meta))) == replace(b, meta=tuple(sorted(b.meta)))


def _ruleset(record: HandRecord, rules: RuleSet | None) -> RuleSet:
    """The rules that settle whose turn it was; where they are not known the default will do,
    since a line that cannot be read back the same carries ``PL``."""
    if rules is not None:
        return rules
    try:
        return resolve_rules(record.rules, Options()).ruleset
    except RuleSetError:
        return load_ruleset(DEFAULT_ID)


def _line(r: HandRecord, ruleset: RuleSet, whole: str | None) -> str:
    base = r.dealer if r.dealer is not None else 3
    numbers = {(base + 1 + i) % 4: str(i) for i in range(4)}
    props: list[tuple[str, str]] = [("GM", "Pandoeren")]
    left = dict(r.meta)

    def take(key: str, name: str) -> None:
        value = left.get(key)
        if value and value == as_text(value) and value.isprintable():
            props.append((name, value))
            del left[key]

    take("site", "PC")
    if r.rules:
        props.append(("RU", r.rules + (f"@{r.rules_hash}" if r.rules_hash else "")))
    props.append(("DL", "?" if r.dealer is None else SEATS[r.dealer]))
    take("session", "SE")
    take("hand", "ID")
    day, clock = left.get("date", ""), left.get("time", "")
    if re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        told = bool(_CLOCK.fullmatch(clock))
        zone = "/UTC" if clock.endswith("Z") else ""
        props.append(("DT", f"{day}/{clock.removesuffix('Z')}{zone}" if told else day))
        for key in ("date", "time") if told else ("date",):
            left.pop(key)
    for i in range(4):
        take(SEATS[(base + 1 + i) % 4].lower(), f"P{i}")
    if r.auction_state == "unknown":
        props.append(("AU", write_phl(replace(r, meta=(), notes=())).split(" ")[3]))
    props.append(("MV", _moves_text(r, ruleset, numbers)))
    props.append(("R", _result_text(r, ruleset, numbers)))
    rest = replace(r, deal_extra=(), meta=tuple((k, v) for k, v in r.meta if k in left))
    fields = write_phl(rest).split(" ")
    props += [("RS", fields[7])] if fields[7] != "." else []
    props += [("ME", fields[8])] if fields[8] != "." else []
    props += [("PL", whole)] if whole is not None else []
    body = "".join(f"{k}[{_escape(v)}]" for k, v in props)
    return f"(;{body} ;)"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")


def _moves_text(r: HandRecord, ruleset: RuleSet, numbers: dict[int, str]) -> str:
    out = [f"w {_deal_text(r, numbers)}"] if r.deal.strip("?") or r.deal_extra else []
    played = replay(r, ruleset)

    def by(seat: int | None) -> str:
        return "?" if seat is None else numbers[seat]

    calls = [e for e in played.events if e.kind == "call"]
    out += [f"{by(e.seat)} {'p' if c.text == '-' else c.text}" for e, c in zip(calls, r.auction)]
    if r.trump is not None:
        who = by(played.outcome.declarer)
        if r.discard != "-":
            middle = r.deal.find("M")
            out.append(f"{who} s w {CARDS[middle] if middle >= 0 else _UNKNOWN}")
        parts = [r.trump, r.discard or "?", r.called or "?"]
        out.append(f"{who} " + ".".join(_UNKNOWN if p == "?" else p for p in parts))
    claims = list(r.claims)
    for ply, (play, seat) in enumerate(zip(r.plays, played.seats)):
        while claims and claims[0].ply <= ply:
            out.append(f"{numbers[claims[0].seat]} {claims.pop(0).what()}")
        out.append(f"{by(seat)} {CARDS[play.card]}")
    out += [f"{numbers[c.seat]} {c.what()}" for c in claims]
    return " ".join(out)


def _deal_text(r: HandRecord, numbers: dict[int, str]) -> str:
    owners = owners_of(r)
    hands: dict[str, list[str]] = {x: [] for x in "NESWM"}
    for card in sorted(owners):
        for owner in owners[card]:
            hands[owner].append(CARDS[card])
    groups = [hands[SEATS[s]] for s in sorted(numbers, key=lambda s: numbers[s])]
    if "?" not in r.deal and not r.deal_extra and all(len(g) == 8 for g in groups):
        return ".".join(c for g in (*groups, hands["M"]) for c in g)
    shown = [".".join(g + [_UNKNOWN] * (8 - len(g))) for g in groups]
    return "|".join([*shown, ".".join(hands["M"] or [_UNKNOWN])])


def _result_text(r: HandRecord, ruleset: RuleSet, numbers: dict[int, str]) -> str:
    """What the source recorded, in the words of the style; nothing that only follows from it."""
    declarer = replay(r, ruleset).outcome.declarer
    words = {"made": "win", "lost": "loss", "void": "passed", None: "unknown"}
    parts = [f"d:{-1 if declarer is None else numbers[declarer]}", words[r.result.outcome]]
    if r.result.score is not None and declarer is not None:
        parts.append(f"v:{r.result.score[declarer]}")
    if r.result.points is not None:
        parts.append(f"p:{r.result.points[0]}")
    if r.result.tricks is not None:
        parts.append(f"t:{r.result.tricks[0]}")
    return " ".join([*parts, "l:-1", "to:-1", f"r:{int(r.result.conceded is not None)}"])
