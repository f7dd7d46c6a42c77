"""Items of a generic log become hands: seats and card style settled per file, events folded."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from engine.record import HandRecord
from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Warn
from parsers.build import BuildError, HandBuilder, resolve_rules
from parsers.cardtext import (
    CardStyle,
    Language,
    StyleError,
    decide_style,
    split_cards,
)
from parsers.dates import (
    DAY_FIRST,
    Dates,
    clock_text,
    day_and_clock,
    epoch_text,
    looks_like_date,
)
from parsers.itemreader import ItemError, ItemReader
from parsers.items import Group, Item, Names, cut_groups, fold_key
from parsers.mapping import Mapping, mapping_of
from parsers.private import is_email, scrub_text
from parsers.rulechoice import DEFAULT_RULES
from parsers.words import SeatBook, SeatError, compass

_RAW = 4000
_CARD_FIELDS = ("card", "cards", "hands", "middle", "called", "discard")
_SEAT_FIELDS = ("seat", "winner", "dealer", "leader", "declarer", "partner")
_LANGUAGES: dict[str, Language] = {
    "en": "en", "english": "en", "engels": "en", "nl": "nl", "dutch": "nl", "nederlands": "nl",
}  # fmt: skip


@dataclass(slots=True)
class Folder:
    """Reads the items of one file.

    ``source`` is its name; ``head`` what a header line or the document says of all hands, and
    ``head_raw`` its text, which goes before the raw text of each hand so that it can be read
    again by itself; ``end`` goes after it.
    """

    source: str
    options: Options
    head: dict[str, Any] = field(default_factory=dict)
    head_raw: str = ""
    end: str = ""
    mapping: Mapping = field(init=False)
    style: CardStyle = field(init=False)
    book: SeatBook = field(init=False)
    dates: Dates = field(init=False)
    _defaulted: bool = False

    def __post_init__(self) -> None:
        self.mapping = mapping_of(self.options.mapping)
        self.style = CardStyle()
        self.book = self.mapping.seat_book()

    def read(self, items: Iterable[Item], finish: Callable[[list[Group]], None]) -> ParseResult:
        """All hands of the file. ``finish`` may mark groups that a broken line cut or spoilt."""
        result = ParseResult()
        everything = list(items)
        groups = cut_groups(everything, self.head, self.head_raw)
        finish(groups)
        if not everything:
            return result
        if not any(i.kind not in ("", "ignore", "players") for i in everything):
            first_item = everything[0]
            found = first_item.word or scrub_text(first_item.raw.strip())
            raw = scrub_text("\n".join(i.raw for i in everything)[:_RAW])
            expected = "events of this game; name the file's own words under [moves] of --map"
            result.rejects.append(
                Reject(self.source, first_item.line, 1, found[:80], expected, raw)
            )
            return result
        try:
            self.style = self._style(everything)
            if self.mapping.seats.first is None:
                self.book.see_numbers(_seat_values(everything, self.head))
        except (StyleError, SeatError) as e:
            first = everything[0].line
            raw = "\n".join(scrub_text(i.raw) for i in everything)
            result.rejects.append(Reject(self.source, first, 1, "", str(e), raw, "ambiguous"))
            return result
        self.dates = Dates(_days(everything, self.head), self.mapping.dates.order)
        if self.dates.assumed:
            result.warnings.append(Warn(self.source, everything[0].line, DAY_FIRST))
        self._note_unknown(everything, result)
        for group in groups:
            self._one(group, result)
        return result

    def _style(self, items: list[Item]) -> CardStyle:
        texts: list[str] = []
        suits: list[str] = []
        for item in items:
            for name in _CARD_FIELDS:
                texts += _texts(item.get(name))
            trump = item.text("trump")
            if trump is not None and item.kind == "declare":
                suits.append(trump)
        cards = self.mapping.cards
        said = self.head.get("cards")
        language = cards.language or (
            _LANGUAGES.get(said.strip().lower()) if isinstance(said, str) else None
        )
        return decide_style(texts, suits, language, cards.order, cards.suits, cards.ranks)

    def _note_unknown(self, items: list[Item], result: ParseResult) -> None:
        unknown: dict[str, tuple[int, int]] = {}
        for item in items:
            if not item.kind:
                line, n = unknown.get(item.word, (item.line, 0))
                unknown[item.word] = (line, n + 1)
        for word, (line, n) in unknown.items():
            what = f"the event {word[:40]!r} is" if word else "an entry without a kind of event is"
            result.warnings.append(
                Warn(
                    self.source,
                    line,
                    f"{what} not known and was not read ({n} time(s)); "
                    "name it under [moves] in a --map file",
                )
            )

    def _one(self, group: Group, result: ParseResult) -> None:
        line = group.items[0].line
        raw = _raw(group) + self.end
        try:
            if group.error is not None:
                where, column, token, expected = group.error
                result.rejects.append(Reject(self.source, where, column, token, expected, raw))
                return
            builder = HandBuilder()
            record = self._hand(group, builder)
        except ItemError as e:
            result.rejects.append(Reject(self.source, e.line, 1, e.token, e.expected, raw))
            return
        except RuleSetError as e:
            result.rejects.append(Reject(self.source, line, 1, "", str(e), raw, "unknown-rules"))
            return
        except BuildError as e:
            result.rejects.append(Reject(self.source, line, 1, "", str(e), raw))
            return
        if record is None:
            result.empty += 1
            return
        if group.cut:
            builder.warn(group.cut)
        result.hands.append(Located(record, self.source, line, raw, tuple(builder.warnings)))
        if record.rules is None and not self._defaulted:
            self._defaulted = True
            result.warnings.append(Warn(self.source, line, DEFAULT_RULES))

    def _hand(self, group: Group, builder: HandBuilder) -> HandRecord | None:
        named = group.head.get("rules")
        for item in group.items:
            named = item.text("rules") or named
        rules = resolve_rules(named if isinstance(named, str) else None, self.options)
        book = SeatBook(self.book.order, self.book.base, dict(self.book.names))
        self._people(group, book, builder)
        self._where(group, builder)
        reader = ItemReader(self.style, self.mapping, book, builder)
        for item in group.items:
            reader.item(item)
        reader.finish()
        return None if builder.is_empty() else builder.build(rules)

    def _people(self, group: Group, book: SeatBook, builder: HandBuilder) -> None:
        """Names of the players, and seats for logs that name players and no seats."""
        for seat, name in _players(group.head.get("players") or group.head.get("spelers"), book):
            builder.name(seat, name)
            if not is_email(name):
                book.learn(name, seat)
        nameless: dict[str, None] = {}
        for item in group.items:
            shown = item.text("player")
            value = item.get("seat")
            if shown is None or isinstance(value, (dict, list)):
                continue
            found = book.find(value)
            if found is not None and str(value) != shown and compass(shown) is None:
                builder.name(found, shown)
                if not is_email(shown):
                    book.learn(shown, found)
            elif found is None and value is not None and item.kind in ("hand", "call", "pass"):
                nameless.setdefault(str(value).strip())
        if not nameless:
            for item in group.items:
                value = item.get("seat")
                if isinstance(value, str) and item.kind == "play" and book.find(value) is None:
                    nameless.setdefault(value.strip())
        told = any(book.find(i.get("seat")) is not None for i in group.items)
        free = [s for s in range(4) if s not in book.names.values()]
        if nameless and not told and len(nameless) <= len(free):
            # Hands are dealt, and calls and cards come, clockwise.
            for seat, shown in zip(free, nameless):
                book.learn(shown, seat)
            order = ", ".join(nameless)
            builder.warn(f"no seats in the log: seated in the order of first mention ({order})")
            self.book.names.update(book.names)
            for name in nameless:
                builder.name(book.seat(name), name)

    def _where(self, group: Group, builder: HandBuilder) -> None:
        head = group.head
        first = group.items[0]

        def of(*names: str) -> str | None:
            for name in names:
                for item in group.items[:1]:
                    if item.text(name) is not None:
                        return item.text(name)
                value = head.get(name)
                if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
                    return str(value)
            return None

        builder.meta("id", first.text("id") if first.kind == "deal" else None)
        builder.date(self._moment(group))
        builder.meta("site", of("site", "server"))
        builder.meta("event", head.get("event") if isinstance(head.get("event"), str) else None)
        builder.meta("session", of("session", "game", "table"))
        builder.meta("hand", group.key[1] if group.key else of("hand"))

    def _moment(self, group: Group) -> str | None:
        """The day of a hand, and the time of day at which it began."""
        told = [t for i in group.items for t in _times(i.fields, i.names)]
        told += _times(_folded(group.head), group.items[0].names)
        day, clock = day_and_clock(t for t in told if _is_moment(t))
        found = epoch_text(day) or self.dates.iso(day)
        time = clock_text(clock) if clock and found and "T" not in found else ""
        return f"{found}T{time}" if time else found or day or None


def _times(fields: dict[str, Any], names: Names) -> list[str]:
    """What stands under the names of date and time."""
    found = [fields.get(alias) for alias in names.of("time")]
    told = (v for v in found if isinstance(v, (str, int, float)) and not isinstance(v, bool))
    return [t for t in map(str.strip, map(str, told)) if t]


def _is_moment(text: str) -> bool:
    """Whether a text may be a date; a bare number counts from the start of something else."""
    return epoch_text(text) is not None or re.fullmatch(r"[-+]?\d{0,9}(?:\.\d*)?", text) is None


def _days(items: list[Item], head: dict[str, Any]) -> list[str]:
    """The texts of all dates of a file."""
    names = items[0].names
    told = dict.fromkeys(t for i in items for t in _times(i.fields, i.names))
    return [t for t in [*told, *_times(_folded(head), names)] if looks_like_date(t)]


def _folded(head: dict[str, Any]) -> dict[str, Any]:
    return {fold_key(k): v for k, v in head.items()}


def _raw(group: Group) -> str:
    """The text of a hand: its head and its entries, each once, without private values."""
    lines = [group.head_raw]
    for item in group.items:
        # Entries that come of one text share it; two that merely look alike are two.
        if item.raw is not lines[-1]:
            lines.append(item.raw)
    return "\n".join(scrub_text(t) for t in lines if t)


def _players(value: object, book: SeatBook) -> list[tuple[int, str]]:
    """Seats and names of a ``players`` field: objects, plain names, or seat → name."""
    out: list[tuple[int, str]] = []
    if isinstance(value, dict):
        pairs: list[tuple[object, object]] = list(value.items())
    elif isinstance(value, list):
        pairs = []
        for i, entry in enumerate(value[:8]):
            if isinstance(entry, dict):
                lower = {str(k).lower(): v for k, v in entry.items()}
                pairs.append((lower.get("seat", i + book.base), lower.get("name")))
            else:
                pairs.append((i + book.base, entry))
    else:
        return out
    for seat, name in pairs:
        found = book.find(seat)
        if isinstance(name, dict):
            name = name.get("name")
        if found is not None and isinstance(name, str) and name.strip():
            out.append((found, name.strip()))
    return out


def _texts(value: object) -> list[str]:
    """All card texts in a field: a text, a list of texts, lists of lists."""
    if isinstance(value, str):
        return split_cards(value) if len(value) < 400 else []
    if isinstance(value, int) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, list):
        return [t for v in value[:64] for t in _texts(v)]
    if isinstance(value, dict):
        return [t for v in list(value.values())[:64] for t in _texts(v)]
    return []


def _seat_values(items: list[Item], head: dict[str, Any]) -> list[object]:
    out: list[object] = []
    for item in items:
        out += [item.text(name) for name in _SEAT_FIELDS]
    players = head.get("players")
    if isinstance(players, list):
        out += [str(p["seat"]) for p in players if isinstance(p, dict) and "seat" in p]
    return [v for v in out if v is not None]
