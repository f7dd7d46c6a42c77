"""The line form of the notation (``.phl``): one hand a line, nine fields.

See docs/notation.md. :func:`read_phl` gives records and rejects, :func:`write_phl` the one
canonical line of a record.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.cards import CARD_INDEX, CARDS, SEATS
from engine.record import (
    UNKNOWN_DEAL,
    AuctionState,
    Call,
    Claim,
    HandRecord,
    Note,
    Play,
    Result,
    is_call_text,
)
from parsers.base import Located, Options, ParseResult, Reject, Source, Warn
from parsers.canonical import is_empty, normalised
from parsers.fields import (
    A_CALL,
    A_CARD,
    A_SEAT,
    MAX_PLY,
    PLAYS,
    FieldError,
    partner_text,
    read_card,
    read_card_or_none,
    read_claim,
    read_contract,
    read_deal_extra,
    read_outcome,
    read_pair,
    read_partner,
    read_ply,
    read_score,
    read_seat,
    read_suit,
    score_text,
    sorted_claims,
)
from parsers.fields import CARD_PATTERN as CARD
from parsers.meta import (
    decode,
    encode_name,
    encode_rules,
    encode_value,
    is_key,
    notes_text,
    read_notes,
)
from parsers.rulecheck import RuleCheck
from parsers.text import read_texts

FIELDS = ("RULES", "DEALER", "DEAL", "AUCTION", "DECLARATION", "PLAY", "CLAIMS", "RESULT", "META")
NO_RULES = (".", "?")

_BOM = "\ufeff"
_OWNERS = frozenset("NESWM?")
_RULES = re.compile("([^@]+)(?:@([0-9a-fA-F]{8}))?")
_SEATED = re.compile(r"\(([^)]*)\)(.*)", re.DOTALL)
_SEATED_CARD = re.compile(rf"\(([^)/]*)\)({CARD}|[^/]{{0,2}})|({CARD}|[^/]{{0,2}})")
_CLAIM = re.compile("([0-9]*)(.?)(=?)(.*)", re.DOTALL)
_CALLS: dict[str, Call] = {}


class PhlParser:
    """Files of the line form."""

    name = "phl"

    def recognise(self, text: str, name: str) -> bool:
        """Whether the first line that is neither blank nor comment has the shape of a hand."""
        for _, raw, _ in _lines(text[:20000]):
            line = raw.lstrip(_BOM)
            if line.strip() and line[0] != "#":
                fields = line.split(" ")
                return (
                    len(fields) == len(FIELDS)
                    and fields[1] in (*SEATS, "?", ".")
                    and (fields[2] == "." or len(fields[2]) == len(UNKNOWN_DEAL))
                ) or (name.lower().endswith(".phl") and len(fields) > 1)
        return name.lower().endswith(".phl")

    def parse(self, sources: Sequence[Source], options: Options) -> ParseResult:
        """Read each source by itself."""
        return read_texts(sources, options, self.name, read_phl)


# Reading ---------------------------------------------------------------------------------------


def read_phl(text: str, source: str = "-", options: Options | None = None) -> ParseResult:
    """The hands of a text in the line form; what cannot be read is a reject with its place.

    >>> read_phl("heerlen N . -,-,-,- . . . void .\\n").records[0].auction_state
    'calls'
    >>> print(read_phl("heerlen X . -,-,-,- . . . void .\\n", "evening.phl").rejects[0])
    evening.phl:1:9: found 'X', expected a seat (N, E, S or W) or ?
    """
    result = ParseResult(format=PhlParser.name)
    check = RuleCheck(options or Options())
    if check.problem:
        result.rejects.append(Reject(source, 1, 1, "", check.problem, "", "rules"))
        return result
    for number, raw, ended in _lines(text):
        line = raw.lstrip(_BOM)
        if not line or line[0] == "#" or line.isspace():
            continue
        if not ended:
            result.warnings.append(
                Warn(source, number, "the last line has no line end: it may have been cut short")
            )
        try:
            record = parse_line(line)
            expected = check.expected(record.rules)
            if expected:
                raise FieldError(0, record.rules or "", expected)
        except FieldError as e:
            result.rejects.append(Reject(source, number, e.offset + 1, e.token, e.expected, raw))
            continue
        if record.rules_hash:
            changed = check.changed(record.rules, record.rules_hash)
            if changed:
                result.warnings.append(Warn(source, number, changed))
        if record.auction or record.plays or not is_empty(record):
            result.hands.append(Located(record, source, number, raw))
        else:
            result.empty += 1
    return result


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Number, text and whether it was ended, of each line; LF, CRLF and a lone CR end one."""
    lines = (text if "\r" not in text else re.sub("\r\n?", "\n", text)).split("\n")
    last = lines.pop()
    for number, line in enumerate(lines, 1):
        yield number, line, True
    if last:
        yield len(lines) + 1, last, False


def parse_line(line: str) -> HandRecord:
    """The record of one line (without line end).

    Raises :class:`parsers.fields.FieldError` with the offset of the offending token in the line.
    The rule set is not looked up.
    """
    fields = line.split(" ")
    if len(fields) != len(FIELDS) or "" in fields:
        raise _field_count_error(fields)
    step = 0
    try:
        rules, rules_hash = _read_rules(fields[0])
        step = 1
        dealer = (
            None if fields[1] in ("?", ".") else read_seat(fields[1], expected=A_SEAT + " or ?")
        )
        step = 2
        deal = _read_deal(fields[2])
        step = 3
        state, calls, declarer, contract = _read_auction(fields[3])
        step = 4
        trump, called, discard = _read_declaration(fields[4])
        step = 5
        plays = _read_play(fields[5])
        step = 6
        claims = _read_claims(fields[6])
        step = 7
        result = _read_result(fields[7])
        step = 8
        meta, notes, extra = _read_meta(fields[8])
    except FieldError as e:
        e.offset += sum(len(f) + 1 for f in fields[:step])
        raise
    record = HandRecord(
        rules, rules_hash, dealer, deal, extra, state, calls, declarer, contract,
        trump, called, discard, plays, claims, result, meta, notes,
    )  # fmt: skip
    return normalised(record) if extra else record


def _field_count_error(fields: list[str]) -> FieldError:
    def start(i: int) -> int:
        return sum(len(f) + 1 for f in fields[:i])

    if "" in fields:
        return FieldError(
            max(start(fields.index("")) - 1, 0),
            " ",
            "exactly one space between fields and none at the ends",
        )
    if len(fields) > len(FIELDS):
        i = len(FIELDS)
        return FieldError(
            start(i), fields[i], "the end of the line after META (a space in a value is %20)"
        )
    end = start(len(fields)) - 1
    missing = ", ".join(FIELDS[len(fields) :])
    return FieldError(
        end, "", f"nine fields, found {len(fields)} ({missing} missing; an absent field is .)"
    )


def _read_rules(text: str) -> tuple[str | None, str | None]:
    if text in NO_RULES:
        return None, None
    m = _RULES.fullmatch(text)
    if not m:
        at = text.find("@")
        raise FieldError(max(at, 0), text[at:] if at > 0 else text, "ID or ID@HASH (8 hex digits)")
    return decode(m[1]), m[2] and m[2].lower()


def _read_deal(text: str) -> str:
    if text == ".":
        return UNKNOWN_DEAL
    if len(text) == len(UNKNOWN_DEAL) and _OWNERS.issuperset(text):
        return text
    letters = "N E S W, M (middle card) or ? (unknown)"
    if len(text) != len(UNKNOWN_DEAL):
        raise FieldError(
            0, text, f"33 letters, one a card (found {len(text)}), each of {letters}, or . alone"
        )
    at = next(i for i, c in enumerate(text) if c not in _OWNERS)
    raise FieldError(at, text[at], f"the owner of {CARDS[at]}: {letters}")


def _read_auction(
    text: str,
) -> tuple[AuctionState, tuple[Call, ...], int | None, str | None]:
    if text == ".":
        return "absent", (), None, None
    if text[0] == "=":
        seat = text[1:2]
        declarer = None if seat == "?" else read_seat(seat, 1, A_SEAT + " or ?")
        return "unknown", (), declarer, read_contract(text[2:], 2)
    calls = []
    at = 0
    for part in text.split(","):
        call = _CALLS.get(part)
        if call is None:
            call = _read_call(part, at)
            if call.seat is None:
                _CALLS[part] = call
        calls.append(call)
        at += len(part) + 1
    return "calls", tuple(calls), None, None


def _read_call(text: str, at: int) -> Call:
    m = _SEATED.fullmatch(text)
    if m:
        seat, word = read_seat(m[1], at + 1), m[2]
        at += 2 + len(m[1])
    else:
        seat, word = None, text
    if not is_call_text(word):
        raise FieldError(at, word, A_CALL)
    return Call(word, seat)


def _read_declaration(text: str) -> tuple[str | None, str | None, str | None]:
    if text == ".":
        return None, None, None
    parts = text.split(":")
    if len(parts) != 3:
        raise FieldError(0, text, "TRUMP:CALLED:DISCARD, such as H:SA:D7 or S:-:-")
    trump, called, discard = parts
    return (
        read_suit(trump),
        read_card_or_none(called, len(trump) + 1),
        read_card_or_none(discard, len(trump) + len(called) + 2),
    )


def _read_play(text: str) -> tuple[Play, ...]:
    if text == ".":
        return ()
    index = CARD_INDEX
    plays: list[Play] = []
    try:
        tricks = text.split("/")
        for trick in tricks:
            if len(trick) != 8:
                if trick is not tricks[-1] or len(trick) not in (2, 4, 6):
                    raise KeyError(trick)
            plays += [PLAYS[index[trick[i : i + 2]]] for i in range(0, len(trick), 2)]
    except KeyError:
        return _read_play_slowly(text)
    if len(plays) > MAX_PLY:
        return _read_play_slowly(text)
    return tuple(plays)


def _read_play_slowly(text: str) -> tuple[Play, ...]:
    """Cards with seats, unusual spellings and mistakes."""
    plays: list[Play] = []
    at = 0
    while at < len(text) or not plays:
        if plays and len(plays) % 4 == 0:
            if text[at] != "/":
                raise FieldError(at, text[at : at + 2], "/ after the fourth card of a trick")
            at += 1
        if len(plays) == MAX_PLY:
            raise FieldError(at, text[at : at + 2], f"no more than {MAX_PLY} cards")
        m = _SEATED_CARD.match(text, at)
        if m is None or not m[0]:
            raise FieldError(
                at, text[at : at + 1], A_CARD + "; a / stands only between tricks of four"
            )
        seat = None
        if m[1] is not None:
            seat = read_seat(m[1], at + 1)
        card = m[3] if m[1] is None else m[2]
        plays.append(Play(read_card(card, m.end() - len(card)), seat))
        at = m.end()
    return tuple(plays)


def _read_claims(text: str) -> tuple[Claim, ...]:
    if text == ".":
        return ()
    claims = []
    at = 0
    for part in text.split(","):
        m = _CLAIM.fullmatch(part)
        number, seat, equals, what = m.groups() if m else ("", "", "", "")
        if not number:
            raise FieldError(at, part, "PLY SEAT = WHAT, such as 1N=roem50")
        ply = read_ply(number, at)
        who = read_seat(seat, at + len(number))
        if not equals:
            raise FieldError(at + len(number) + 1, what, "= between the seat and what was said")
        claims.append(read_claim(ply, who, what, at + len(number) + 2))
        at += len(part) + 1
    return sorted_claims(claims)


def _read_result(text: str) -> Result:
    if text == ".":
        return Result()
    parts: dict[str, str] = {}
    outcome = points = score = tricks = conceded = partner = None
    at = 0
    for part in text.split(";"):
        key, equals, value = part.partition("=")
        name = key if equals else "outcome"
        start = at + len(key) + 1
        if not equals:
            outcome = read_outcome(part, at)
        elif key == "pts":
            points = read_pair(value, start)
        elif key == "score":
            score = read_score(value, ",", start)
        elif key == "tricks":
            tricks = read_pair(value, start)
        elif key == "conceded":
            conceded = read_ply(value, start)
        elif key == "partner":
            partner = read_partner(value, start)
        else:
            raise FieldError(
                at, part, "made, lost, void, pts=, score=, tricks=, conceded= or partner="
            )
        if name in parts:
            raise FieldError(at, part, f"each part once; there was already {parts[name]!r}")
        parts[name] = part
        at += len(part) + 1
    return Result(outcome, points, score, tricks, conceded, partner)


_Meta = tuple[tuple[tuple[str, str], ...], tuple[Note, ...], tuple[tuple[int, str], ...]]


def _read_meta(text: str) -> _Meta:
    if text == ".":
        return (), (), ()
    meta: list[tuple[str, str]] = []
    notes: tuple[Note, ...] | None = None
    extra: tuple[tuple[int, str], ...] | None = None
    at = 0
    for part in text.split(";"):
        written, equals, value = part.partition("=")
        start = at + len(written) + 1
        if not equals:
            raise FieldError(at, part, "KEY=VALUE joined by ; (a ; in a value is %3B)")
        key = decode(written, at)
        if key == "text":
            if notes is not None:
                raise FieldError(at, part, "the key text once")
            notes = read_notes(value, start)
        elif key == "deal_extra":
            if extra is not None:
                raise FieldError(at, part, "the key deal_extra once")
            extra = read_deal_extra(value, start)
        elif is_key(key):
            meta.append((key, decode(value, start)))
        else:
            raise FieldError(
                at, written, "a key of lower-case letters, digits and _, or tag. and a name"
            )
        at += len(part) + 1
    return tuple(meta), notes or (), extra or ()


# Writing ---------------------------------------------------------------------------------------


def write_phl(record: HandRecord) -> str:
    """The canonical line of a record, without line end.

    >>> write_phl(HandRecord("heerlen", dealer=3, auction_state="unknown", declarer=2,
    ...                      contract="130", result=Result("made")))
    'heerlen W . =S130 . . . made .'
    """
    r = normalised(record)
    rules = encode_rules(r.rules) if r.rules else "."
    return " ".join(
        (
            f"{rules}@{r.rules_hash}" if r.rules_hash else rules,
            "?" if r.dealer is None else SEATS[r.dealer],
            "." if r.deal == UNKNOWN_DEAL else r.deal,
            _auction_text(r),
            f"{r.trump}:{r.called}:{r.discard}" if r.trump else ".",
            _play_text(r.plays),
            ",".join(f"{c.ply}{SEATS[c.seat]}={c.what()}" for c in r.claims) or ".",
            _result_text(r.result),
            _meta_text(r),
        )
    )


def write_phl_file(records: Iterable[HandRecord]) -> str:
    """A whole ``.phl`` file."""
    return "".join(f"{write_phl(r)}\n" for r in records)


def _seated(text: str, seat: int | None) -> str:
    return text if seat is None else f"({SEATS[seat]}){text}"


def _auction_text(r: HandRecord) -> str:
    if r.auction_state == "absent":
        return "."
    if r.auction_state == "unknown":
        declarer = "?" if r.declarer is None else SEATS[r.declarer]
        return f"={declarer}{r.contract or '?'}"
    return ",".join(_seated(c.text, c.seat) for c in r.auction)


def _play_text(plays: tuple[Play, ...]) -> str:
    cards = [_seated(CARDS[p.card], p.seat) for p in plays]
    return "/".join("".join(cards[i : i + 4]) for i in range(0, len(cards), 4)) or "."


def _result_text(result: Result) -> str:
    parts: list[str] = []
    if result.outcome:
        parts.append(result.outcome)
    if result.points:
        parts.append("pts={}-{}".format(*result.points))
    if result.score:
        parts.append(f"score={score_text(result.score, ',')}")
    if result.tricks:
        parts.append("tricks={}-{}".format(*result.tricks))
    if result.conceded is not None:
        parts.append(f"conceded={result.conceded}")
    if result.partner is not None:
        parts.append(f"partner={partner_text(result.partner)}")
    return ";".join(parts) or "."


def _meta_text(r: HandRecord) -> str:
    parts = [f"{encode_name(key)}={encode_value(value)}" for key, value in r.meta]
    if r.deal_extra:
        parts.append("deal_extra=" + ",".join(f"{CARDS[c]}:{o}" for c, o in r.deal_extra))
    if r.notes:
        parts.append(f"text={notes_text(r.notes)}")
    return ";".join(parts) or "."
