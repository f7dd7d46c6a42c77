"""One hand of a boardgame.io match: its steps become a record, compared with the saved state."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from engine.cards import CARDS, SEATS, SUITS
from engine.record import ClaimKind
from parsers.base import Located, Reject
from parsers.boardgame_io_match import Entry, Match
from parsers.boardgame_io_moves import Step, View, Words
from parsers.build import BuildError, HandBuilder, Rules
from parsers.cardtext import EXPECTED, CardStyle, CardTextError, is_no_trump, is_unknown
from parsers.jsontext import as_int, dump
from parsers.mapping import Mapping
from parsers.private import scrub
from parsers.words import CallTextError, call_text

_CLAIMS: dict[str, ClaimKind] = {"roem": "roem", "stuk": "stuk", "deny": "deny"}
_ONCE_A_TURN = ("call", "discard", "declare", "play")


@dataclass(slots=True)
class Part:
    """The part of a match that tells one hand: log entries ``first`` up to ``last``.

    ``opening`` is the hand that the initial state deals, ``closing`` the one that the final state
    shows; ``alone`` means that there was no log and the state itself is all there is, ``cut`` that
    the file breaks off in or after this hand.
    """

    first: int
    last: int
    steps: list[Step]
    bad: tuple[int, object, str] | None = None
    alone: bool = False
    number: int = 1
    opening: bool = False
    closing: bool = False
    cut: bool = False
    undone: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Setting:
    """What holds for every hand of a match."""

    match: Match
    rules: Rules
    style: CardStyle
    words: Words
    user: Mapping
    start: View
    end: View
    first_hand: int

    def seat(self, player: Any) -> int | None:
        """Seat of a player id: the ``--map`` file, the match's seating order, or its number."""
        if player is None or isinstance(player, bool) or not isinstance(player, (str, int)):
            return None
        book = self.user.seat_book()
        ids = self.match.seat_ids
        if str(player) in ids and str(player).casefold() not in book.names:
            return book.order[ids.index(str(player))]
        return book.find(player)


class _Unreadable(ValueError):
    """A step that cannot go into a record."""

    def __init__(self, step: Step | None, found: str, expected: str) -> None:
        super().__init__(expected)
        self.step, self.found, self.expected = step, found, expected


def build_hand(part: Part, setting: Setting, raw: str) -> Located | Reject:
    """The record of one hand, or the reject that says what in it cannot be read."""
    match = setting.match
    at = [*match.path, part.first]
    builder = HandBuilder()
    try:
        _fill(builder, part, setting)
        record = builder.build(setting.rules)
    except _Unreadable as e:
        path = [*match.path, e.step.index] if e.step is not None else at
        expected = f"{e.expected} (hand {part.number})"
        return match.where.reject(path, e.found, expected, raw)
    except BuildError as e:
        return match.where.reject(at, "", f"{e} (hand {part.number})", raw)
    line, _ = match.where.place(list(at))
    return Located(record, match.where.source, line, raw, tuple(builder.warnings))


def _fill(b: HandBuilder, part: Part, setting: Setting) -> None:
    _labels(b, part, setting)
    steps = _once_a_turn(b, part, setting) if setting.match.legacy else list(part.steps)
    for entry in part.undone:
        b.warn(f"taken back: {entry.name} {dump(scrub(entry.args))}"[:200])
    if part.alone:
        b.warn("no log was saved: the hand is read from the state alone")
    if part.cut:
        b.warn("the file is cut or broken: what followed this part of it is lost")
    shown = setting.end if part.closing else View()
    _deal(b, part, setting, steps)
    plays = 0
    told_discard = False
    for step in steps:
        seat = setting.seat(step.player)
        if seat is None and step.player is not None:
            raise _Unreadable(step, str(step.player)[:60], "a player of the match")
        if step.kind == "call":
            b.call(_call(step, setting), seat)
        elif step.kind == "discard":
            told_discard = True
            card = _card(step, step.card, setting)
            b.discard(_find(shown.discard, setting) if card is None else card, seat)
        elif step.kind == "declare":
            b.declare(seat, _trump(step, setting), _card(step, step.called, setting))
        elif step.kind == "play":
            b.play(_card(step, step.card, setting), seat)
            plays += 1
            if plays % 4 == 0 and len(shown.winners) >= plays // 4:
                b.trick(setting.seat(shown.winners[plays // 4 - 1]))
        elif step.kind == "claim":
            if seat is None:
                b.warn(f"an announcement without a player is left out: {step.shown}")
            else:
                b.claim(seat, _CLAIMS[step.word], step.number)
    if part.closing:
        discard = _find(shown.discard, setting)
        if discard is not None and not told_discard and plays:
            b.discard(discard)
        _compare(b, steps, setting)
        _scores(b, setting)


def _labels(b: HandBuilder, part: Part, setting: Setting) -> None:
    match = setting.match
    for ident, name in match.names().items():
        seat = setting.seat(ident)
        if seat is not None:
            b.name(seat, name)
    created = as_int(match.metadata.get("createdAt"))
    moment = None
    if created is not None and 0 < created < 4102444800000:  # milliseconds, before 2100
        moment = datetime.fromtimestamp(created // 1000, UTC).isoformat().replace("+00:00", "Z")
    b.date(moment)
    # The saved copies of a match agree on when it began; only some of them name its id.
    b.meta("session", moment or match.id)
    b.meta("hand", part.number)
    b.meta("match", match.id)


def _deal(b: HandBuilder, part: Part, setting: Setting, steps: Sequence[Step]) -> None:
    """Dealer, hands and middle card, as far as the saved states and the log tell them."""
    dealer = setting.seat(setting.start.dealer) if part.opening else None
    if part.closing:
        late = setting.seat(setting.end.dealer)
        if dealer is not None and late is not None and dealer != late:
            b.warn(f"the initial state has {SEATS[dealer]} as dealer, the final {SEATS[late]}")
        dealer = late if dealer is None else dealer
    first = next((setting.seat(s.player) for s in steps if s.kind == "call"), None)
    if dealer is None and first is not None:
        dealer = (first - 1) % 4  # forehand calls first
    elif dealer is not None and first is not None and first != (dealer + 1) % 4:
        b.warn(f"{SEATS[dealer]} deals, yet {SEATS[first]} calls first")
    b.dealer(dealer)
    middle = _find(setting.start.middle, setting) if part.opening else None
    if middle is None and part.closing:
        middle = _find(setting.end.middle, setting)
    b.middle(middle)
    if part.opening and setting.start.hands:
        for ident, texts in setting.start.hands.items():
            seat = setting.seat(ident)
            if seat is None:
                continue
            b.hand(seat, [_dealt(t, setting) for t in texts])
    elif part.closing:
        _remaining(b, setting, middle, steps)


def _remaining(b: HandBuilder, setting: Setting, middle: int | None, steps: Sequence[Step]) -> None:
    """Cards still held in the final state were dealt to their holders, the middle card apart.

    Declarer's are only taken where the middle card is known, since he may hold it now.
    """
    taker = next((setting.seat(s.player) for s in steps if s.kind in ("discard", "declare")), None)
    for ident, texts in setting.end.hands.items():
        seat = setting.seat(ident)
        if seat is None or (middle is None and (taker is None or seat == taker)):
            continue
        b.hand(seat, [c for t in texts if (c := _find(t, setting)) is not None and c != middle])


def _once_a_turn(b: HandBuilder, part: Part, setting: Setting) -> list[Step]:
    """0.38 keeps no trace of an undo: of two like moves in one turn the later one stands.

    Only where turns belong to one player; else two cards in one "turn" mean nothing.
    """
    owner: dict[int, str] = {}
    for step in part.steps:
        if step.turn is not None and owner.setdefault(step.turn, str(step.player)) != str(
            step.player
        ):
            return list(part.steps)
    if len(owner) < 2:
        return list(part.steps)
    last: dict[tuple[int | None, str], int] = {}
    for i, step in enumerate(part.steps):
        last[(step.turn, step.kind)] = i
    out = []
    for i, step in enumerate(part.steps):
        later = last[(step.turn, step.kind)]
        if step.kind in _ONCE_A_TURN and step.turn is not None and later != i:
            b.warn(
                f"{step.shown} and then {part.steps[later].shown} in one turn: boardgame.io 0.38 "
                "keeps no trace of an undo; the later one is taken"
            )
            continue
        out.append(step)
    return out


def _call(step: Step, setting: Setting) -> str:
    try:
        return call_text(step.word, step.number, setting.words.calls)
    except CallTextError as e:
        raise _Unreadable(step, step.word or step.shown, f"a call: {e}") from None


def _card(step: Step | None, text: str | None, setting: Setting) -> int | None:
    if text is None or is_unknown(text):
        return None
    try:
        return setting.style.card(text)
    except CardTextError as e:
        raise _Unreadable(step, text, f"{EXPECTED}; {e}") from None


def _dealt(text: str | None, setting: Setting) -> int | None:
    """A card of the initial state; one that cannot be read makes the hand unreadable."""
    return _card(None, text, setting)


def _trump(step: Step, setting: Setting) -> int | str | None:
    if step.trump is None or is_unknown(step.trump):
        return None
    if is_no_trump(step.trump):
        return "-"
    try:
        return setting.style.suit(step.trump)
    except CardTextError as e:
        raise _Unreadable(step, step.trump, f"a trump suit; {e}") from None


def _find(text: str | None, setting: Setting) -> int | None:
    """A card of the final state; the state only confirms, so what is no card says nothing."""
    return None if text is None else setting.style.find(text)


def _compare(b: HandBuilder, steps: Sequence[Step], setting: Setting) -> None:
    """Each part of the final state that differs from the log leaves a warning."""
    end = setting.end

    def differ(what: str, log: str, state: str) -> None:
        b.warn(f"{what}: the log says {log}, the server's final state {state}")

    told = {s.kind: s for s in steps}
    discard, declared = told.get("discard"), told.get("declare")
    if discard is not None and discard.card is not None:
        mine, theirs = _find(discard.card, setting), _find(end.discard, setting)
        if theirs is not None and mine != theirs:
            differ("discard", discard.card, CARDS[theirs])
    trump = next((s.trump for s in reversed(steps) if s.trump), None)
    if declared is not None and end.trump and trump and setting.style.reads_suit(end.trump):
        mine, theirs = setting.style.suit(trump), setting.style.suit(end.trump)
        if mine != theirs:
            differ("trump", SUITS[mine], SUITS[theirs])
    called = next((s.called for s in reversed(steps) if s.called), None)
    if called is not None and (theirs := _find(end.called, setting)) is not None:
        if _find(called, setting) != theirs:
            differ("called card", called, CARDS[theirs])
    calls = [(setting.seat(s.player), _call(s, setting)) for s in steps if s.kind == "call"]
    if end.bids and calls and (state := _state_calls(setting)) and calls != state:
        differ("auction", _listed(calls), _listed(state))
    plays = [(setting.seat(s.player), _find(s.card, setting)) for s in steps if s.kind == "play"]
    saved = [(setting.seat(p), _find(c, setting)) for p, c in end.plays]
    if all(p is None for p, _ in end.plays):
        plays = [(None, c) for _, c in plays]
    if (saved or plays) and plays != saved and end.in_play:
        for i in range(max(len(plays), len(saved))):
            mine_play = plays[i] if i < len(plays) else None
            saved_play = saved[i] if i < len(saved) else None
            if mine_play != saved_play:
                differ(f"card {i + 1}", _said(mine_play), _said(saved_play))
                break


def _said(play: tuple[int | None, int | None] | None) -> str:
    if play is None:
        return "nothing"
    seat, card = play
    name = "?" if card is None else CARDS[card]
    return name if seat is None else f"{name} by {SEATS[seat]}"


def _state_calls(setting: Setting) -> list[tuple[int | None, str]]:
    try:
        return [
            (setting.seat(p), call_text(w, n, setting.words.calls)) for p, w, n in setting.end.bids
        ]
    except CallTextError:
        return []


def _listed(calls: Sequence[tuple[int | None, str]]) -> str:
    return " ".join(f"{'?' if s is None else SEATS[s]}:{c}" for s, c in calls)


def _scores(b: HandBuilder, setting: Setting) -> None:
    """The server's totals for the match so far: kept beside the hand, by seat."""
    scores = setting.end.scores
    ids = setting.match.seat_ids or ["0", "1", "2", "3"]
    if len(scores) != 4:
        return
    by_seat = {setting.seat(i): n for i, n in zip(ids, scores)}
    if None not in by_seat and len(by_seat) == 4:
        b.meta("server_total", ",".join(f"{s}{by_seat[i]:+d}" for i, s in enumerate(SEATS)))
