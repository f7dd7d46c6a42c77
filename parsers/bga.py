"""Board Game Arena: saved logs become records. Packets are read by :mod:`parsers.bga_packets`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from engine.cards import SEATS, SUITS
from engine.record import ClaimKind
from engine.rulefile import RuleSetError
from parsers.base import Located, Options, ParseResult, Reject, Source, Warn
from parsers.bga_packets import (
    Code,
    Fault,
    Note,
    Page,
    learn,
    looks_like,
    notes_of,
    open_page,
    seating,
)
from parsers.build import BuildError, HandBuilder, Rules, resolve_rules
from parsers.jsontext import as_dict, as_int, as_list, place
from parsers.mapping import Mapping, mapping_of
from parsers.servers import read_servers
from parsers.words import CallTextError, call_text, fold

SITE = "Board Game Arena"
_END = 99  # id of the state in which a game ends
_ACTIVE = ("call", "pass", "discard", "declare", "play")


class BgaParser:
    """Logs of Board Game Arena that the user saved himself: one table a file."""

    name = "bga"

    def recognise(self, text: str, name: str) -> bool:
        """By its packets, by ``g_gamelogs``, or as its answer that is an error."""
        return looks_like(text)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """All hands of the sources; each source stands alone."""
        return read_servers(sources, options, self.name, _read)


def _read(text: str, source: str, options: Options) -> ParseResult:
    result = ParseResult()
    page, result.rejects = open_page(source, text)
    if page.packets:
        _table(page, options, result)
    return result


@dataclass(slots=True)
class _Hand:
    """The notifications of one hand."""

    notes: list[Note] = field(default_factory=list)
    number: int = 1
    last: bool = False

    @property
    def active(self) -> bool:
        return any(n.kind in _ACTIVE for n in self.notes)


@dataclass(frozen=True, slots=True)
class _Table:
    """What holds for all hands of a file."""

    page: Page
    seats: list[int]
    code: Code
    rules: Rules
    user: Mapping
    alone: bool

    def seat(self, ident: int | None) -> int | None:
        """Seat of a player id."""
        if ident is None:
            return None
        if ident not in self.seats:
            raise Fault(str(ident), "one of the four players of the table")
        return self.seats.index(ident)


def _table(page: Page, options: Options, result: ParseResult) -> None:
    user = mapping_of(options.mapping)
    notes, unknown = notes_of(page, user)
    raw = page.raw(page.packets, page.first_hand, page.listed)
    if unknown:
        names = ", ".join(f"{n} ({k}x)" for n, k in sorted(unknown.items()))
        result.warnings.append(
            Warn(page.source, 1, f"notifications with a card not understood: {names} (see --map)")
        )
    if page.broken is not None and page.broken.cut:
        line, column = place(page.text, page.start + page.broken.offset)
        result.warnings.append(
            Warn(page.source, line, f"the file breaks off at column {column}; the rest is lost")
        )
    hands = [_Hand(notes)] if page.of else _hands(notes)
    hands = [h for h in hands if h.notes and _counts(h, result)]
    if not hands:
        return
    try:
        rules = resolve_rules(None, options)
        code = learn(notes, user, page.suits)
    except RuleSetError as e:
        result.rejects.append(page.reject(None, "", str(e), raw, "unknown-rules"))
        return
    except Fault as e:
        result.rejects.append(page.reject(None, e.found, e.expected, raw, "ambiguous"))
        return
    seats, shown = seating(page, notes, user)
    if not seats:
        result.rejects.append(page.reject(None, "", "the ids of four players", raw))
        return
    if not shown:
        text = "who sits next to whom is not shown: the order of the list of players is taken"
        result.warnings.append(Warn(page.source, 1, text))
    page.suits = code.suits
    count = page.of or len(hands)
    page.seats = seats if shown else []
    table = _Table(page, seats, code, rules, user, count == 1)
    for i, hand in enumerate(hands):
        hand.number, hand.last = page.first_hand + i, i == len(hands) - 1
        before = hands[i - 1].notes[-1] if i else None
        after = None if hand.last else hands[i + 1].notes[0]
        raw = page.raw(page.between(hand.notes, before, after), hand.number, seats, count)
        made = _build(hand, table, raw)
        if isinstance(made, Reject):
            result.rejects.append(made)
        else:
            result.hands.append(made)


def _counts(hand: _Hand, result: ParseResult) -> bool:
    """Whether anything happened in a hand; a deal without call or card is counted as empty."""
    if hand.active or any(n.kind == "bad" for n in hand.notes):
        return True
    if any(n.kind in ("deal", "hand", "middle") for n in hand.notes):
        result.empty += 1
    return False


def _hands(notes: Sequence[Note]) -> list[_Hand]:
    """Cut at each deal that follows a call or a card.

    Where a log announces no deals the private hands do it; else these may be sent again.
    """
    hands = [_Hand()]
    mark = "deal" if any(n.kind == "deal" for n in notes) else "hand"
    for note in notes:
        if note.kind == mark and hands[-1].active:
            hands.append(_Hand())
        hands[-1].notes.append(note)
    return hands


def _build(hand: _Hand, table: _Table, raw: str) -> Located | Reject:
    page = table.page
    b = HandBuilder()
    note: Note | None = hand.notes[0]
    try:
        _labels(b, hand, table)
        for note in _without_gaps(hand.notes, b):
            _tell(b, note, table)
        _end(b, hand, table)
        note = hand.notes[0]
        record = b.build(table.rules)
    except Fault as e:
        return page.reject(note, e.found, f"{e.expected} (hand {hand.number})", raw)
    except BuildError as e:
        return page.reject(note, "", f"{e} (hand {hand.number})", raw)
    if hand.last and page.broken is not None:
        b.warn("the file is cut or broken: what followed this part of it is lost")
    line, _ = page.place(hand.notes[0])
    return Located(record, page.source, line, raw, tuple(b.warnings))


def _labels(b: HandBuilder, hand: _Hand, table: _Table) -> None:
    for seat, ident in enumerate(table.seats):
        b.name(seat, table.page.names.get(ident))
    b.meta("site", SITE)
    packet = as_dict(table.page.packets[hand.notes[0].packet])
    session = as_int(packet.get("table_id"))
    b.meta("session", session)
    b.meta("hand", hand.number)
    time = hand.notes[0].time
    if time is not None and 0 < time < 4102444800:  # seconds, before 2100
        b.date(datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z"))


def _without_gaps(notes: Sequence[Note], b: HandBuilder) -> list[Note]:
    """The notifications up to a trick of which cards are missing; from there on none is sure."""
    out: list[Note] = []
    waiting: list[Note] = []
    tricks = 0
    for note in notes:
        if note.kind == "play":
            waiting.append(note)
        elif note.kind == "trick":
            tricks += 1
            if len(waiting) != 4:
                b.warn(
                    f"trick {tricks} is taken when {len(waiting)} of its cards are in the log "
                    "(packets are hidden or lost): the play is kept up to the trick before it"
                )
                return [n for n in out if n not in waiting]
            waiting = []
        out.append(note)
    return out


def _tell(b: HandBuilder, note: Note, table: _Table) -> None:
    """One notification goes to the builder."""
    code, args = table.code, note.args
    seat = None if note.kind in ("hand", "state", "result") else table.seat(note.player)
    if note.kind == "bad":
        raise Fault("", note.bad)
    if note.kind == "deal":
        b.dealer(seat)
    elif note.kind == "hand":
        _dealt(b, note, table)
    elif note.kind == "middle":
        b.middle(_shown(b, args, code))
    elif note.kind == "pass":
        b.call("-", seat)
    elif note.kind == "call":
        b.call(_call(note, table), seat)
    elif note.kind == "discard":
        b.discard(code.card(args), seat)
    elif note.kind == "declare":
        card = code.card(args)
        if card is None:
            suit = code.suit(args)
            if suit is None:
                raise Fault(args, "a trump suit or a called card")
            b.declare(seat, SUITS[suit])
        else:
            b.declare(seat, None, card)
    elif note.kind == "play":
        if seat is None:
            raise Fault(args, "the player_id of a card played")
        b.play(code.card(args), seat)
    elif note.kind == "trick":
        b.trick(seat)
    elif note.kind == "claim":
        _claim(b, note, seat)
    elif note.kind == "result":
        points = as_int(args.get("taker_score"))
        b.meta("server_points", points)


def _dealt(b: HandBuilder, note: Note, table: _Table) -> None:
    rows = note.args.get("cards")
    cards = list(rows.values()) if isinstance(rows, dict) else as_list(rows)
    owners = {as_int(as_dict(c).get("location_arg")) for c in cards} - {None}
    ident = note.private or note.player or (owners.pop() if len(owners) == 1 else None)
    if ident is None:
        raise Fault(note.args, "the player whose hand this is")
    seat = table.seat(ident)
    if seat is not None:
        b.hand(seat, [_shown(b, as_dict(c), table.code) for c in cards])


def _shown(b: HandBuilder, args: dict[str, Any], code: Code) -> int | None:
    """A card of the deal; where its suit number stands beside no sign it stays unknown."""
    if code.knows(args):
        return code.card(args)
    b.warn("dealt cards whose suit number stands beside no suit sign in the file stay unknown")
    return None


def _call(note: Note, table: _Table) -> str:
    bid = note.args.get("bid", note.args.get("contract"))
    number = as_int(note.args.get("bid_value", note.args.get("points")))
    word = bid if isinstance(bid, str) else ""
    if as_int(bid) is not None:
        word, number = "", as_int(bid)
    try:
        return call_text(word, number, table.user.calls)
    except CallTextError as e:
        raise Fault(word or note.args, f"a call: {e}") from None


_WORDS: dict[str, ClaimKind] = {"stuk": "stuk", "deny": "deny"}


def _claim(b: HandBuilder, note: Note, seat: int | None) -> None:
    kind = next((k for w, k in _WORDS.items() if w in fold(note.type)), "roem")
    value = next((n for k in ("value", "points", "roem") if (n := as_int(note.args.get(k)))), None)
    if seat is None:
        raise Fault(note.args, "the player_id of an announcement")
    if kind == "roem" and (value is None or not 0 < value < 10000):
        raise Fault(note.args, "the number of points of a roem")
    b.claim(seat, "roem" if kind == "roem" else _WORDS[kind], value if kind == "roem" else None)


def _end(b: HandBuilder, hand: _Hand, table: _Table) -> None:
    """The final scores of the table: of this hand if it is the only one, else of the whole game."""
    for note in hand.notes:
        if note.kind != "state" or as_int(note.args.get("id")) != _END:
            continue
        scores: dict[int, int] = {}
        rows: Any = as_dict(note.args.get("args")).get("result")
        for row in as_list(rows):
            ident = as_int(as_dict(row).get("id", as_dict(row).get("player")))
            score = as_int(as_dict(row).get("score"))
            if ident in table.seats and score is not None and abs(score) < 1_000_000:
                scores[table.seats.index(ident)] = score
        if len(scores) != 4:
            continue
        from_start = hand.notes[0].move in (None, 0, 1) and table.page.first_hand == 1
        if table.alone and from_start:
            b.result(score=(scores[0], scores[1], scores[2], scores[3]))
        else:
            b.meta("server_total", ",".join(f"{s}{scores[i]:+d}" for i, s in enumerate(SEATS)))
