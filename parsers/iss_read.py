"""ISS-style SGF with ``GM[Pandoeren]``: the reader; one game a line.

``MV`` holds the whole hand: ``w`` is the world (the deal, later the middle card), ``0`` to ``3``
are the seats from forehand on, ``p`` passes, ``s`` takes the middle card, ``TRUMP.DISCARD.CALLED``
declares, ``??`` is unknown. Such a file knows no compass points: the dealer is read as North
(``[seats] order`` of a ``--map`` file gives other seats for 0 to 3). Files that
:mod:`parsers.iss_write` writes carry, in properties that other readers skip, what the style has
no place for: ``RU`` rule set, ``DL`` dealer, ``AU`` an auction of which only the outcome is known,
``RS`` the result and ``ME`` META as in the line form, and ``PL`` the hand's whole line where the
moves cannot tell it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from engine.cards import CARDS, SEATS
from engine.record import HandRecord, Outcome
from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Source
from parsers.build import BuildError, HandBuilder, resolve_rules
from parsers.canonical import is_empty, normalised
from parsers.fields import A_CARD, FieldError, read_card, read_claim
from parsers.jsontext import as_text, place
from parsers.mapping import Mapping, mapping_of
from parsers.phl import parse_line
from parsers.private import scrub_text
from parsers.servers import read_servers
from parsers.words import CallTextError, call_text

_HASH = re.compile(r"[0-9a-fA-F]{8}")
_START = re.compile(r"\(;")
_NEXT = re.compile(r"[\r\n]\s*\(;")
_PROPERTY = re.compile(r"\s*([A-Z][A-Z0-9]{0,7})\[((?:[^\]\\\r\n]|\\[^\r\n])*)(\]?)")
_END = re.compile(r"\s*;?\s*\)")
_TOKEN = re.compile(r"\S+")
_DECLARATION = re.compile(r"([SHDC]|-|\?\??)\.([^.\s]{1,4})\.([^.\s]{1,4})")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:/(\d\d:\d\d:\d\d)(/UTC)?)?")
_CLOCK = re.compile(r"\d\d:\d\d:\d\dZ?")
_CLAIM = re.compile(r"(?:roem|deny|stuk|show:|run:|set:)\S*")
_LEAVES = re.compile(r"(LE|TI)\.([0-3])")
_UNKNOWN = "??"
_KNOWN = frozenset(
    [
        "GM",
        "PC",
        "SE",
        "ID",
        "DT",
        "P0",
        "P1",
        "P2",
        "P3",
        "MV",
        "R",
        "CO",
        "RU",
        "DL",
        "AU",
        "RS",
        "ME",
        "PL",
    ]
)
_OUTCOMES: dict[str, Outcome] = {"win": "made", "loss": "lost", "passed": "void"}
_ACTION = "p, s, a bid, TRUMP.DISCARD.CALLED, a card, or an announcement"


class IssParser:
    """SGF files of an ISS-style server, and those that :func:`write_sgf` writes."""

    name = "iss"

    def recognise(self, text: str, name: str) -> bool:
        """An SGF game record that names its game; others than Pandoeren are refused by name."""
        head = text.lstrip("\ufeff \t\r\n")[:4000]
        return head.startswith("(;") and "GM[" in head

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All games of the sources."""
        return read_servers(sources, options, self.name, _read_all)


def _read_all(text: str, source: str, options: Options) -> ParseResult:
    result = ParseResult()
    for game in _games(source, text):
        _read(game, options, result)
    return result


@dataclass(slots=True)
class _Game:
    """One game: its properties with the offset of each value, and where it stands."""

    source: str
    text: str
    start: int
    end: int = 0
    values: dict[str, str] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    cut: str = ""
    fault: tuple[int, str] | None = None

    @property
    def raw(self) -> str:
        return scrub_text(self.text[self.start : self.end].rstrip("\r\n"))

    def reject(self, offset: int, token: str, expected: str, code: str = "unreadable") -> Reject:
        line, column = place(self.text, offset)
        return Reject(self.source, line, column, token[:200], expected, self.raw, code)

    def get(self, key: str) -> str | None:
        """A value without its escapes, ``None`` where there is none."""
        value = self.values.get(key)
        return None if value is None else re.sub(r"\\(.)", r"\1", value)


class _Fault(ValueError):
    def __init__(self, offset: int, token: str, expected: str) -> None:
        super().__init__(expected)
        self.offset, self.token, self.expected = offset, token, expected


def _games(source: str, text: str) -> Iterator[_Game]:
    """The games of a text; after a broken one the next begins at the next line with ``(;``."""
    at = 0
    while True:
        start = _START.search(text, at)
        between = text[at : start.start() if start else len(text)]
        if between.strip("\ufeff \t\r\n"):
            offset = at + len(between) - len(between.lstrip("\ufeff \t\r\n"))
            game = _Game(source, text, offset, start.start() if start else len(text))
            game.fault = (offset, "a game, which begins with (;")
            yield game
        if start is None:
            return
        game = _one(source, text, start.start())
        yield game
        at = game.end


def _one(source: str, text: str, start: int) -> _Game:
    game = _Game(source, text, start)
    following = _NEXT.search(text, start + 2)
    limit = following.start() if following else len(text)
    at = start + 2
    while True:
        done = _END.match(text, at, limit)
        if done:
            game.end = done.end()
            return game
        prop = _PROPERTY.match(text, at, limit)
        if prop is None:
            break
        key = prop[1]
        if key not in game.values:
            game.values[key], game.offsets[key] = prop[2], prop.start(2)
        at = prop.end()
        if not prop[3]:
            game.cut = key
            break
    game.end = limit
    rest = text[at:limit].strip()
    if rest:
        game.fault = (at, "a property NAME[value], or ;) at the end of the game")
    elif not game.cut:
        game.cut = "end"
    return game


def _read(game: _Game, options: Options, result: ParseResult) -> None:
    named = game.get("GM")
    if game.fault is not None:
        offset, expected = game.fault
        token = game.text[offset : offset + 20].split("\n")[0]
        result.rejects.append(game.reject(offset, token, expected))
        return
    if named is None or named.strip().lower() not in ("pandoeren", "pandoer"):
        offset = game.offsets.get("GM", game.start)
        expected = "GM[Pandoeren]; this is the record of another game"
        result.rejects.append(game.reject(offset, named or "", expected, "other-game"))
        return
    try:
        made = _record(game, options)
    except _Fault as e:
        result.rejects.append(game.reject(e.offset, e.token, e.expected))
        return
    except RuleSetError as e:
        offset = game.offsets.get("RU", game.start)
        result.rejects.append(game.reject(offset, game.get("RU") or "", str(e), "unknown-rules"))
        return
    except BuildError as e:
        result.rejects.append(game.reject(game.start, "", str(e)))
        return
    if made is None or is_empty(replace(made.record, deal="?" * len(CARDS))):
        result.empty += 1
    else:
        result.hands.append(made)


def _record(game: _Game, options: Options) -> Located | None:
    user = mapping_of(options.mapping)
    line, _ = place(game.text, game.start)
    rules_text = game.get("RU")
    rules_id, _, rules_hash = (rules_text or "").partition("@")
    rules = resolve_rules(rules_id or None, options)
    if rules_hash and options.rules is None and not _HASH.fullmatch(rules_hash):
        at = game.offsets["RU"] + len(rules_id)
        raise _Fault(at, f"@{rules_hash}", "ID or ID@HASH (8 hex digits)")
    whole = game.get("PL")
    if whole is not None and game.cut != "PL":
        record = _field_line(game, "PL", whole)
        resolve_rules(record.rules, options)  # which must be known, whatever RU says
        if options.rules is not None:
            record = replace(record, rules=rules.id, rules_hash=None)
        return Located(record, game.source, line, game.raw)
    b = HandBuilder()
    seats, dealer = _seats(game, user)
    b.dealer(dealer)
    for number, seat in enumerate(seats):
        b.name(seat, as_text(game.get(f"P{number}")))
    _labels(game, b)
    outcome = game.get("AU")
    if outcome is not None and game.cut != "AU":
        told = _field_line(game, "AU", f". ? . {outcome} . . . . .")
        b.contract(told.declarer, told.contract)
    if "MV" in game.values:
        _moves(game, b, seats, user)
    extra = _extra(game)
    if extra.result.is_empty():
        _result(game, b, seats)
    else:
        r = extra.result
        b.result(
            outcome=r.outcome,
            points=r.points,
            score=r.score,
            tricks=r.tricks,
            conceded=r.conceded,
            partner=r.partner,
        )
    if game.cut:
        b.warn("the game is cut off: what stood before is kept")
    record = b.build(rules)
    record = record.with_meta(**{k: v for k, v in extra.meta if k not in ("n", "e", "s", "w")})
    record = record.with_meta(**{k: v for k, v in extra.meta if record.get(k) is None})
    if rules_hash and options.rules is None:
        record = replace(record, rules_hash=rules_hash.lower())
    record = replace(record, notes=extra.notes)
    return Located(normalised(record), game.source, line, game.raw, tuple(b.warnings))


def _field_line(game: _Game, key: str, line: str) -> HandRecord:
    try:
        return parse_line(line)
    except FieldError as e:
        raise _Fault(game.offsets[key], e.token, f"{e.expected} (in {key})") from None


def _extra(game: _Game) -> HandRecord:
    """Result, META and notes in the spelling of the line form."""
    result, meta = game.get("RS") or ".", game.get("ME") or "."
    if game.cut in ("RS", "ME"):
        return HandRecord()
    key = "RS" if meta == "." else "ME"
    if result == meta == ".":
        return HandRecord()
    if " " in result or " " in meta:
        raise _Fault(game.offsets[key], " ", f"no space (in {key}; a space is %20)")
    return _field_line(game, key, f". ? . . . . . {result} {meta}")


def _seats(game: _Game, user: Mapping) -> tuple[list[int], int | None]:
    """Seats of the numbers 0 to 3, and the dealer."""
    letter = game.get("DL")
    if letter == "?":
        return [0, 1, 2, 3], None
    if letter is not None and game.cut != "DL":
        if len(letter) != 1 or letter not in SEATS:
            raise _Fault(game.offsets["DL"], letter, "the dealer: N, E, S, W or ?")
        dealer = SEATS.index(letter)
    elif "order" in user.seats.model_fields_set:
        order = list(user.seat_book().order)
        return order, order[3]
    else:
        dealer = 0
    return [(dealer + 1 + i) % 4 for i in range(4)], dealer


def _labels(game: _Game, b: HandBuilder) -> None:
    b.meta("site", as_text(game.get("PC")))
    b.meta("session", as_text(game.get("SE")))
    b.meta("hand", as_text(game.get("ID")))
    b.meta("comment", as_text(game.get("CO"), 2000))
    moment = _DATE.fullmatch((game.get("DT") or "").strip())
    if moment:
        clock = f"T{moment[2]}{'Z' if moment[3] else ''}" if moment[2] else ""
        b.date(moment[1] + clock)
    else:
        b.meta("date", as_text(game.get("DT")))
    for key in game.values:
        if key not in _KNOWN:
            b.meta(f"tag.{key}", as_text(game.get(key), 2000))


# Moves -----------------------------------------------------------------------------------------


def _moves(game: _Game, b: HandBuilder, seats: list[int], user: Mapping) -> None:
    text, base = game.values["MV"], game.offsets["MV"]
    tokens = [(m.group(), base + m.start()) for m in _TOKEN.finditer(text)]
    if game.cut == "MV" and tokens and not text[-1:].isspace():
        tokens.pop()  # perhaps only half of it is there
    at, dealt = 0, False
    while at < len(tokens):
        who, offset = tokens[at]
        if who not in ("w", "?", "0", "1", "2", "3"):
            raise _Fault(offset, who, "w (the world), or a seat 0 to 3")
        if at + 1 >= len(tokens):
            if not game.cut:
                raise _Fault(offset, who, "something that is done after it")
            return
        what, offset = tokens[at + 1]
        at += 2
        if who == "w":
            if "." in what or "|" in what:
                if dealt:
                    raise _Fault(offset, what, "the deal only once")
                _deal(what, offset, b, seats)
                dealt = True
            else:
                b.middle(_card(what, offset))
        else:
            _act(what, offset, None if who == "?" else seats[int(who)], b, seats, user)


def _act(
    what: str, offset: int, seat: int | None, b: HandBuilder, seats: list[int], user: Mapping
) -> None:
    declaration = _DECLARATION.fullmatch(what)
    leaves = _LEAVES.fullmatch(what)
    if declaration:
        trump, discard, called = declaration.groups()
        suit = None if trump[0] == "?" else trump
        b.discard(_named(discard, offset + len(trump) + 1), seat)
        at = offset + len(trump) + len(discard) + 2
        b.declare(seat, suit, _named(called, at))
    elif what == "p":
        b.call("-", seat)
    elif what == "s":
        return  # takes the middle card: the declaration tells what became of it
    elif leaves:
        verb = "leaves the table" if leaves[1] == "LE" else "runs out of time"
        b.warn(f"{SEATS[seats[int(leaves[2])]]} {verb} after {b.plays} cards")
    elif what == "RE":
        b.result(conceded=b.plays)
    elif _CLAIM.fullmatch(what):
        if seat is None:
            raise _Fault(offset, what, "the seat of an announcement")
        try:
            claim = read_claim(0, seat, what, 0)
        except FieldError as e:
            raise _Fault(offset + e.offset, e.token, e.expected) from None
        b.claim(seat, claim.kind, claim.value, claim.cards)
    elif what == _UNKNOWN:
        b.play(None, seat)
    else:
        _card_or_call(what, offset, seat, b, user)


def _card_or_call(what: str, offset: int, seat: int | None, b: HandBuilder, user: Mapping) -> None:
    try:
        b.play(read_card(what), seat)
        return
    except FieldError:
        pass  # then it is a call
    try:
        b.call(call_text(what, None, user.calls), seat)
    except CallTextError:
        raise _Fault(offset, what, _ACTION) from None


def _card(text: str, offset: int) -> int | None:
    if text == _UNKNOWN:
        return None
    try:
        return read_card(text)
    except FieldError:
        raise _Fault(offset, text, f"{A_CARD}, or ??") from None


def _named(text: str, offset: int) -> int | str | None:
    """A card of a declaration: ``-`` is none, ``??`` (or ``?``) unknown."""
    if text == "-":
        return "-"
    return None if text == "?" else _card(text, offset)


def _deal(text: str, offset: int, b: HandBuilder, seats: list[int]) -> None:
    """Four hands from forehand on and the middle card: 33 cards, or hands between bars."""
    if "|" in text:
        groups = [g.split(".") if g else [] for g in text.split("|")]
        if len(groups) != 5 or len(groups[4]) != 1:
            raise _Fault(offset, text, "four hands and the middle card, joined by |")
    else:
        cards = text.split(".")
        if len(cards) != len(CARDS):
            expected = f"{len(CARDS)} cards joined by dots (found {len(cards)})"
            raise _Fault(offset, text, expected)
        groups = [cards[8 * i : 8 * i + 8] for i in range(4)] + [cards[32:]]
    at = offset
    for i, group in enumerate(groups):
        read = []
        for card in group:
            read.append(_card(card, at))
            at += len(card) + 1
        at += not group
        if i < 4:
            b.hand(seats[i], read)
        else:
            b.middle(read[0])


def _result(game: _Game, b: HandBuilder, seats: list[int]) -> None:
    """``R[d:3 loss v:-1 p:50 t:3 …]``: declarer, outcome, value, points and tricks of the side."""
    if game.cut == "R":
        return
    numbers: dict[str, int] = {}
    for token in (game.get("R") or "").split():
        key, colon, value = token.partition(":")
        if colon and re.fullmatch(r"-?\d{1,6}", value):
            numbers[key] = int(value)
        elif not colon and key in _OUTCOMES:
            b.result(outcome=_OUTCOMES[key])
        elif not colon and key != "unknown":
            b.meta("server_result", as_text(key))
    declarer = numbers.get("d", -1)
    if 0 <= declarer < 4:
        b.contract(seats[declarer], None)
    if "p" in numbers:
        b.meta("server_points", numbers["p"])
    if "v" in numbers and 0 <= declarer < 4:
        b.meta("server_value", numbers["v"])
    won = numbers.get("t", -1)
    if b.plays == 32 and 0 <= won <= 8:
        b.result(tricks=(won, 8 - won))
