"""The generic events format: JSON Lines, or one JSON document, of what happened at the table.

Described in docs/parsers.md and by ``events.schema.json``. Read are: one object a line; a list of
events; an object with ``events``; an object with ``games`` (or ``hands``) that hold ``events``;
and hands written compactly, with ``auction`` and ``plays`` as lists.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from parsers.base import Options, ParseResult, Reject, Source, Warn
from parsers.decode import (
    MAX_LINE,
    DecodeError,
    JsonError,
    decode,
    finite,
    no_constant,
    parse_json,
)
from parsers.fold import Folder
from parsers.items import Group, Item, Names
from parsers.jsontext import dump
from parsers.mapping import mapping_of
from parsers.private import scrub, scrub_text

FORMAT = "pandoeren-log"
_FORMAT_RE = re.compile(r'"format"\s*:\s*"pandoeren-log"')
_EVENT_RE = re.compile(
    r'"(?:e|event|type|action|gebeurtenis|actie|zet|move)"\s*:\s*"([^"\\]{1,40})"'
)
_COMPACT_RE = re.compile(r'"(?:plays|auction|bieding|gespeeld)"\s*:\s*\[')
_ARRAY_RE = re.compile(r'"(?:events"\s*:\s*\[|(?:games|hands)"\s*:\s*\[(?=\s*\{))')
_TELLING = {"deal", "call", "pass", "discard", "declare", "play", "middle", "undo"}
_BREAK = re.compile(r"[\r\n]")
_HEAD = 200_000

_CUT = "the file ends in the middle of this hand: what stood before is kept"


class EventsParser:
    """Reads the generic events format."""

    name = "events"

    def recognise(self, text: str, name: str) -> bool:
        """JSON whose objects carry events of this game."""
        head = text[:_HEAD].lstrip("\ufeff \t\r\n")
        if not head.startswith(("{", "[")):
            return False
        if _FORMAT_RE.search(head):
            return True
        names = Names(mapping_of(None))
        found = {names.kind(m[1]) for m in _EVENT_RE.finditer(head)}
        if len(found & _TELLING) >= 2 or (found & _TELLING and '"card"' in head):
            return True
        return bool(_COMPACT_RE.search(head)) and ('"dealer"' in head or '"plays"' in head)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        result = ParseResult(format=self.name)
        for source in sources:
            try:
                decoded = decode(source)
            except DecodeError as e:
                result.rejects.append(Reject(source.name, 1, 1, "", str(e), ""))
                continue
            result.warnings += decoded.warnings
            result.extend(read_events(decoded.text, source.name, options))
        return result


def read_events(text: str, source: str, options: Options) -> ParseResult:
    """Hands of one text of the events format."""
    text = text.lstrip("\ufeff")
    names = Names(mapping_of(options.mapping))
    if _by_lines(text):
        return _read_lines(text, source, options, names)
    return _read_document(text, source, options, names)


def _by_lines(text: str) -> bool:
    """Whether the first line that is not blank is an object of its own."""
    first = next((line for line in text.split("\n", 50) if line.strip()), "")
    rest = text[text.find(first) + len(first) :].strip()
    stripped = first.strip()
    if not rest:
        return stripped.startswith("{") and not _ARRAY_RE.search(stripped)
    return stripped.startswith("{") and (stripped.endswith("}") or rest.startswith("{"))


def _read_lines(text: str, source: str, options: Options, names: Names) -> ParseResult:
    items: list[Item] = []
    broken: list[tuple[Item, int, str]] = []
    lines = re.split(r"\r\n|\n|\r", text)
    warnings: list[Warn] = []
    last = max((i for i, t in enumerate(lines) if t.strip()), default=-1)
    cut = False
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            if len(line) > MAX_LINE:
                raise JsonError(f"a line of {len(line)} characters (limit {MAX_LINE})", i + 1, 1)
            value = parse_json(line, i + 1)
            if not isinstance(value, dict):
                raise JsonError("expected a JSON object", i + 1, 1)
        except JsonError as e:
            if i == last and i == len(lines) - 1 and items:
                cut = True
                shown = scrub_text(line.strip())[:60]
                warnings.append(
                    Warn(source, i + 1, f"the last line is cut and was lost: {shown!r}")
                )
                continue
            item = Item(i + 1, "ignore", {}, line[:2000], names)
            items.append(item)
            broken.append((item, e.column, str(e)))
            continue
        items += _items_of(value, i + 1, line, names)

    def finish(groups: list[Group]) -> None:
        bad = {id(item): (column, what) for item, column, what in broken}
        for group in groups:
            for item in group.items:
                if id(item) in bad and group.error is None:
                    column, what = bad[id(item)]
                    token = scrub_text(item.raw.strip())[:60]
                    group.error = (item.line, column, token, f"a JSON object ({what})")
        if cut and groups and not groups[-1].closed:
            groups[-1].cut = _CUT

    result = Folder(source, options).read(items, finish)
    result.warnings[:0] = warnings
    return result


def _items_of(value: dict[str, Any], line: int, raw: str, names: Names) -> list[Item]:
    """Items of one object: an event, a header, or a whole hand written compactly."""
    value = scrub(value)
    item = names.item(value, line, raw)
    if item.kind or item.word:
        return [item]
    if isinstance(value.get("events"), list):
        head = {k: v for k, v in value.items() if k != "events"}
        out = [_header(head, line, dump({**head, "format": head.get("format", FORMAT)}), names)]
        for event in value["events"]:
            if isinstance(event, dict):
                out.append(names.item(event, line, dump(event)))
        return out
    compact = _expand(value)
    if compact:
        # The players stand in the text of the hand and are no entry of their own.
        items = [names.item(e, line, "" if e["e"] == "players" else raw) for e in compact]
        for item in items:
            item.joined = item.kind not in ("players", "deal")
        return items
    if "format" in value or "players" in value or "rules" in value:
        return [_header(value, line, raw, names)]
    return [item]


def _header(head: dict[str, Any], line: int, raw: str, names: Names) -> Item:
    fields = {**head, "format": head.get("format", FORMAT)}
    return Item(line, "players", fields, raw, names)


def _expand(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a hand that is written as one object with lists."""
    lower = {k.lower(): v for k, v in value.items()}
    auction = lower.get("auction", lower.get("bieding", lower.get("calls")))
    plays = lower.get("plays", lower.get("gespeeld"))
    if not isinstance(auction, list) and not isinstance(plays, list):
        return []
    keep = ("dealer", "hands", "middle", "hand", "id", "date", "time", "rules", "game", "session")
    deal = {k: lower[k] for k in keep if k in lower}
    out: list[dict[str, Any]] = []
    players = lower.get("players", lower.get("names"))
    if players is not None:
        out.append({"e": "players", "players": players})
    out.append({"e": "deal", **deal})
    for call in auction if isinstance(auction, list) else []:
        if isinstance(call, list) and len(call) in (2, 3):
            points = {"points": call[2]} if len(call) == 3 and call[2] is not None else {}
            out.append({"e": "call", "seat": call[0], "bid": call[1], **points})
        else:
            out.append({"e": "call", "bid": str(call)})
    declaration: dict[str, Any] = {k: lower[k] for k in ("trump", "called") if k in lower}
    seat = {"seat": lower["declarer"]} if lower.get("declarer") is not None else {}
    if "discard" in lower:
        out.append({"e": "discard", "card": lower["discard"], **seat})
    if declaration or seat:
        contract = {} if auction else {"contract": lower.get("contract")}
        out.append({"e": "declare", **declaration, **seat, **contract})
    for play in plays if isinstance(plays, list) else []:
        if isinstance(play, list) and len(play) == 2:
            out.append({"e": "play", "seat": play[0], "card": play[1]})
        else:
            out.append({"e": "play", "card": play})
    told = ("made", "points", "score", "partner", "tricks")
    result: dict[str, Any] = {k: lower[k] for k in told if k in lower}
    if isinstance(result.get("score"), int):  # one number: the points of declarer's side
        result.setdefault("points", result.pop("score"))
    if "score" not in result and "cents" in lower:
        result["score"] = lower["cents"]
    if result:
        out.append({"e": "result", **result})
    return out


def _read_document(text: str, source: str, options: Options, names: Names) -> ParseResult:
    items: list[Item] = []
    head: dict[str, Any] = {}
    start = text.find("[")
    if text.lstrip().startswith("{"):
        array = _ARRAY_RE.search(text)
        if array is None:
            return _whole(text, source, options, names)
        start = array.end() - 1
        head = _head_of(text, start)
    stop = _Stop()
    for offset, end, value in _elements(text, start, stop):
        line = text.count("\n", 0, offset) + 1
        if isinstance(value, dict):
            raw = text[offset:end]  # one line, since the text of a hand is read by the line
            items += _items_of(value, line, dump(value) if _BREAK.search(raw) else raw, names)
        else:
            items.append(Item(line, "", {}, text[offset:end][:2000], names))
    head_raw = dump(head) if head else ""

    def finish(groups: list[Group]) -> None:
        if stop.at is not None and groups and not groups[-1].closed:
            groups[-1].cut = _CUT

    result = Folder(source, options, head, head_raw).read(items, finish)
    if stop.at is not None:
        line = text.count("\n", 0, stop.at) + 1
        column = stop.at - (text.rfind("\n", 0, stop.at) + 1) + 1
        rest = scrub_text(text, stop.at)[:60]
        message = f"the JSON breaks off here ({stop.why}): what follows was lost"
        if items:
            result.warnings.append(Warn(source, line, message))
        else:
            result.rejects.append(
                Reject(source, line, column, rest, stop.why, scrub_text(text[:2000]))
            )
    return result


def _whole(text: str, source: str, options: Options, names: Names) -> ParseResult:
    try:
        value = parse_json(text)
    except JsonError as e:
        result = ParseResult()
        result.rejects.append(
            Reject(source, e.line, e.column, "", f"a JSON document ({e})", scrub_text(text[:4000]))
        )
        return result
    items = _items_of(value, 1, text.strip(), names) if isinstance(value, dict) else []
    return Folder(source, options).read(items, lambda groups: None)


def _head_of(text: str, start: int) -> dict[str, Any]:
    """What the document says before its list of events (and after it, if it is whole)."""
    try:
        value = parse_json(text)
    except JsonError:
        try:
            value = parse_json(text[:start] + "null}")
        except JsonError:
            return {}
    if not isinstance(value, dict):
        return {}
    kept = {k: v for k, v in value.items() if k not in ("events", "games", "hands")}
    scrubbed: dict[str, Any] = scrub(kept)
    return scrubbed


class _Stop:
    """Where a list could not be read on."""

    at: int | None = None
    why: str = ""


_SPACE = re.compile(r"[\s,]*")


def _elements(text: str, start: int, stop: _Stop) -> Iterator[tuple[int, int, Any]]:
    """Elements of the JSON list that opens at ``start``, with their places, until it breaks."""
    decoder = json.JSONDecoder(parse_constant=no_constant, parse_float=finite)
    at = start + 1
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if at >= len(text):
            stop.at, stop.why = at, "the file ends before the list does"
            return
        if text[at] == "]":
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as e:
            why = e.msg if isinstance(e, json.JSONDecodeError) else str(e) or type(e).__name__
            stop.at, stop.why = at, f"expected an event, {why}"
            return
        yield at, end, value
        at = end
