"""boardgame.io, versions 0.38 and 0.50: the saved matches of a small server.

:mod:`parsers.boardgame_io_match` reads the containers and folds undos,
:mod:`parsers.boardgame_io_moves` the game's own moves, :mod:`parsers.boardgame_io_hand` makes
records of them; here matches become hands.
"""

from collections import Counter
from collections.abc import Sequence

from engine.rulefile import RuleSetError
from parsers.base import Options, ParseResult, Reject, Source, Warn
from parsers.boardgame_io_hand import Part, Setting, build_hand
from parsers.boardgame_io_match import (
    SPINE,
    Folded,
    Match,
    Text,
    containers,
    fold,
    join,
    looks_like,
)
from parsers.boardgame_io_moves import BadMove, Step, View, Words, holds_card, step_of, view_of
from parsers.build import resolve_rules
from parsers.cardtext import StyleError, decide_style
from parsers.decode import DecodeError, decode
from parsers.jsontext import as_dict, as_text, load, place
from parsers.mapping import mapping_of
from parsers.private import scrub_text
from parsers.servers import say_default
from parsers.words import fold as plain_word

FLEMISH = (
    "Pandoeren with 33 cards; this is Flemish Pandoer (48 cards from a double pack, two teams), "
    "which is another game"
)
_FLEMISH_NAMES = ("vlaamspandoer", "flemishpandoer", "pandoervlaams", "pandoer48")
_CARDS = 33


class BoardgameIoParser:
    """Matches saved by boardgame.io servers and clients, one or many, in one or several files.

    The files of one FlatFile folder belong in one call of :meth:`parse`.
    """

    name = "boardgame-io"

    def recognise(self, text: str, name: str) -> bool:
        """By content: the state numbers, states and keys that only this framework writes."""
        return looks_like(text)

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """Every hand of every match in the sources."""
        result = ParseResult(format=self.name)
        parts: list[Match] = []
        for source in sources:
            parts += _read(source, result)
        for match in join(parts):
            _match(match, options, result)
        return say_default(result)


def _read(source: Source, result: ParseResult) -> list[Match]:
    """The parts of matches in one source; what cannot be read goes into the result."""
    try:
        decoded = decode(source)
    except DecodeError as e:
        result.rejects.append(Reject(source.name, 1, 1, "", str(e), "", "not-text"))
        return []
    result.warnings += decoded.warnings
    text = decoded.text
    loaded = load(text, SPINE)
    where = Text(source.name, text)
    parts = list(containers(loaded.value, where)) if loaded.value is not None else []
    broken = loaded.broken
    if broken is not None:
        line, column = place(text, broken.offset)
        if broken.cut and any(p.log for p in parts):
            result.warnings.append(
                Warn(source.name, line, f"the file breaks off at column {column}; the rest is lost")
            )
        else:
            token = scrub_text(text, broken.offset)[:20]
            lost = scrub_text(text, broken.offset if parts else 0)
            result.rejects.append(
                Reject(source.name, line, column, token, f"JSON ({broken.what})", lost)
            )
        for part in parts:
            part.broken = broken
    elif not parts:
        result.rejects.append(
            where.reject([], loaded.value, "a match, state or log of boardgame.io")
        )
    return parts


def _match(match: Match, options: Options, result: ParseResult) -> None:
    where = match.where
    words = Words.of(mapping_of(options.mapping))
    start, end = view_of(match.start, words), view_of(match.end, words)
    if match.players not in (None, 4):
        result.rejects.append(
            where.reject([], f"{match.players} players", "a match of 4 players", code="other-game")
        )
        return
    folded = fold(match)
    steps, bad, unknown = _steps(folded, words)
    refusal = _other_game(match, start, steps)
    if refusal:
        result.rejects.append(where.reject([], "", refusal, code="other-game"))
        return
    result.warnings += folded.warnings
    if unknown:
        names = ", ".join(f"{n} ({k}x)" for n, k in sorted(unknown.items()))
        if not steps and not bad:
            expected = (
                "moves such as bid, pass, discard, declare and playCard; name the file's own "
            )
            expected += "under [moves] in a --map file"
            result.rejects.append(where.reject(list(match.path), names, expected))
            return
        result.warnings.append(
            Warn(where.source, 1, f"moves not understood and left out: {names} (see --map)")
        )
    parts = split(steps, bad, len(match.log or []))
    if not parts and end.in_play:
        parts = [Part(0, len(match.log or []), from_state(end), alone=True)]
    if not parts:
        result.empty += 1
        result.warnings.append(Warn(where.source, 1, "a match without moves: nothing to replay"))
        return
    try:
        setting = _setting(match, options, words, start, end, steps)
    except (RuleSetError, StyleError) as e:
        code = "unknown-rules" if isinstance(e, RuleSetError) else "ambiguous"
        result.rejects.append(where.reject(list(match.path), "", str(e), code=code))
        return
    fresh = not end.in_play and bool(end.hands) and len(parts) > 0 and bool(parts[-1].steps)
    for i, part in enumerate(parts):
        part.number = setting.first_hand + i
        part.opening = i == 0
        last = i == len(parts) - 1
        part.closing = last and not fresh and (match.broken is None or part.alone)
        part.cut = last and match.broken is not None
        _hand(part, setting, folded, result)
    if fresh and end.hand_no is not None and end.hand_no >= setting.first_hand + len(parts):
        result.empty += 1  # the next hand, dealt and not begun


def _steps(
    folded: Folded, words: Words
) -> tuple[list[Step], dict[int, tuple[object, str]], Counter[str]]:
    """Steps of the log, entries that cannot be read (found, expected), and unknown moves."""
    steps: list[Step] = []
    bad: dict[int, tuple[object, str]] = {}
    unknown: Counter[str] = Counter()
    for entry in folded.entries:
        try:
            step = step_of(entry, words)
        except BadMove as e:
            bad[entry.index] = (entry.args if not entry.bad else entry.name, str(e))
            steps.append(Step("bad", entry.index, turn=entry.turn))
            continue
        except KeyError:
            if holds_card(entry.args):
                expected = "a known move with a card (name it under [moves] in a --map file)"
                bad[entry.index] = (entry.name, expected)
                steps.append(Step("bad", entry.index, turn=entry.turn))
            else:
                unknown[as_text(entry.name, 40) or "?"] += 1
            continue
        if step is not None and step.kind == "undo":
            _take_back(steps, entry.index, folded)
        elif step is not None:
            steps.append(step)
    if all(s.kind in ("bad", "phase") for s in steps) and any(not e.bad for e in folded.entries):
        for step in steps:
            if step.kind == "bad":
                unknown[str(bad[step.index][0])[:40]] += 1
        bad.clear()
        steps.clear()
    return steps, bad, unknown


def _take_back(steps: list[Step], index: int, folded: Folded) -> None:
    """A move of the game's own that takes back the move before it."""
    for at in range(len(steps) - 1, -1, -1):
        if steps[at].kind != "phase":
            gone = steps.pop(at).index
            folded.undone += [(index, e) for e in folded.entries if e.index == gone]
            return


def split(steps: Sequence[Step], bad: dict[int, tuple[object, str]], log_length: int) -> list[Part]:
    """The hands of a match: where one ends and the next begins.

    A new hand begins with a call after anything was declared or played, after four opening
    passes, after 32 cards, with a ``deal`` move, and when the server announces a bidding phase
    after play (a hand that was given up).
    """
    parts: list[Part] = []
    steps_now: list[Step] = []
    begin = 0

    kinds: Counter[str] = Counter()

    def close(at: int) -> None:
        nonlocal steps_now, begin
        kinds.clear()
        if any(s.kind != "deal" for s in steps_now):
            parts.append(Part(begin, at, steps_now, bad=_first_bad(steps_now, bad)))
        steps_now, begin = [], at

    for step in steps:
        passers = {str(s.player) for s in steps_now[:4] if s.word == "pas"}
        thrown_in = len(passers) == 4 and kinds["call"] == kinds.total() == 4
        if step.kind in ("deal", "phase"):
            if kinds["play"] or thrown_in or (step.kind == "deal" and steps_now):
                close(step.index)
            if step.kind == "deal":
                steps_now.append(step)
            continue
        begun = kinds["play"] + kinds["declare"] + kinds["discard"] > 0
        if step.kind == "call":
            over = begun or thrown_in
        else:
            over = step.kind == "play" and kinds["play"] >= 32
        if over:
            close(step.index)
        kinds[step.kind] += 1
        steps_now.append(step)
    close(log_length)
    return parts


def _first_bad(
    steps: Sequence[Step], bad: dict[int, tuple[object, str]]
) -> tuple[int, object, str] | None:
    for step in steps:
        if step.kind == "bad":
            return (step.index, *bad[step.index])
    return None


def from_state(view: View) -> list[Step]:
    """The steps of the hand in play, from a state that was saved without its log."""
    steps = [Step("call", 0, player, word=w, number=n) for player, w, n in view.bids]
    if view.discard:
        steps.append(Step("discard", 0, card=view.discard))
    if view.trump or view.called:
        steps.append(Step("declare", 0, trump=view.trump, called=view.called))
    return steps + [Step("play", 0, player, card=card) for player, card in view.plays]


def _setting(
    match: Match, options: Options, words: Words, start: View, end: View, steps: Sequence[Step]
) -> Setting:
    """What holds for all hands of a match: rules, way of writing cards, seats, numbers."""
    user = mapping_of(options.mapping)
    named = as_text(as_dict(match.metadata.get("setupData")).get("rules"))
    rules = resolve_rules(named or as_text(match.start.get("rules")), options)
    texts = [*start.texts(), *end.texts()]
    suits = [t for t in (start.trump, end.trump) if t]
    for step in steps:
        texts += [t for t in (step.card, step.called) if t]
        suits += [step.trump] if step.trump else []
    style = decide_style(
        texts, suits, user.cards.language, user.cards.order, user.cards.suits, user.cards.ranks
    )
    first = match.first_hand or start.hand_no or 1
    return Setting(match, rules, style, words, user, start, end, first)


def _hand(part: Part, setting: Setting, folded: Folded, result: ParseResult) -> None:
    match = setting.match
    part.undone = [e for i, e in folded.undone if part.first <= i < part.last]
    raw = match.raw(part.first, part.last, part.number, part.opening, part.closing)
    if part.bad is not None:
        index, found, expected = part.bad
        result.rejects.append(
            match.where.reject([*match.path, index], found, f"{expected} (hand {part.number})", raw)
        )
        return
    made = build_hand(part, setting, raw)
    if isinstance(made, Reject):
        result.rejects.append(made)
    else:
        result.hands.append(made)


def _other_game(match: Match, start: View, steps: Sequence[Step]) -> str:
    """Why the match is another game, or nothing."""
    game = plain_word(str(match.metadata.get("gameName", "")))
    cards = [c for hand in start.hands.values() for c in hand]
    longest = max((len(hand) for hand in start.hands.values()), default=0)
    if game in _FLEMISH_NAMES or len(cards) == 48:
        return FLEMISH
    known = [c for c in cards if c is not None]
    if longest > 9 or len(cards) > _CARDS:
        twice = len(known) - len(set(known))
        if longest == 12 and twice:
            return FLEMISH
        return f"hands of 8 cards from a pack of {_CARDS}; {longest} cards each is another game"
    run: list[str | None] = []
    for step in steps:
        if step.kind == "play":
            run.append(step.card)
        elif step.kind in ("call", "deal", "phase"):
            run = []
        if len(run) > 40 and len(set(run)) < len(run) - 4:
            return FLEMISH
    return ""
