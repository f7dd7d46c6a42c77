"""Writer of the text form of the notation (``.phn``)."""

from collections.abc import Iterable, Iterator

from engine.cards import CARDS, SEATS
from engine.record import Claim, HandRecord, Note
from parsers.canonical import normalised, owners_of
from parsers.fields import partner_text, score_text
from parsers.meta import OUTCOME_TAGS, STRUCTURAL_TAGS, encode_rules, key_to_tag
from parsers.phn_scan import written_text
from parsers.phn_tags import NO_RULES, deal_text, quoted

TOKENS_A_LINE = 24
"""Movetext is broken after so many tokens: four tricks with their numbers, and four more."""


def write_phn(record: HandRecord) -> str:
    """The canonical text of a record, from its first tag to its ``*``, without a line end.

    >>> print(write_phn(HandRecord("heerlen", dealer=0, auction_state="unknown", declarer=2)))
    [Rules "heerlen"]
    [Dealer "N"]
    [Declarer "S"]
    <BLANKLINE>
    Auction ?
    *
    """
    r = normalised(record)
    lines = [f"[{name} {quoted(value)}]" for name, value in _tags(r)]
    lines.append("")
    notes = _by_place(r.notes)
    before = _note_tokens(notes.pop("h", []))
    if before:
        lines.append(" ".join(before))
    if r.auction_state != "absent":
        lines.append(_auction_line(r, notes))
    tokens = list(_movetext(r, notes))
    lines += [" ".join(tokens[i : i + TOKENS_A_LINE]) for i in range(0, len(tokens), TOKENS_A_LINE)]
    lines.append("*")
    return "\n".join(lines)


def write_phn_file(records: Iterable[HandRecord]) -> str:
    """A whole ``.phn`` file: a blank line after each hand."""
    return "".join(f"{write_phn(r)}\n\n" for r in records)


def _tags(r: HandRecord) -> Iterator[tuple[str, str]]:
    rules = encode_rules(r.rules) if r.rules else NO_RULES[0]
    yield "Rules", f"{rules}@{r.rules_hash}" if r.rules_hash else rules
    if r.dealer is not None:
        yield "Dealer", SEATS[r.dealer]
    calls = r.auction_state == "calls"
    structural = STRUCTURAL_TAGS - OUTCOME_TAGS if calls else STRUCTURAL_TAGS
    for key, value in r.meta:
        yield key_to_tag(key, structural), value
    owners = owners_of(r)
    deal = deal_text(owners)
    if deal:
        yield "Deal", deal
    middle = [CARDS[c] for c in sorted(owners) for owner in owners[c] if owner == "M"]
    if middle:
        yield "Middle", " ".join(middle)
    if r.declarer is not None:
        yield "Declarer", SEATS[r.declarer]
    if r.contract is not None:
        yield "Contract", r.contract
    if r.trump and r.called and r.discard:
        yield "Trump", r.trump
        yield "Called", r.called
        yield "Discard", r.discard
    yield from _result_tags(r)


def _result_tags(r: HandRecord) -> Iterator[tuple[str, str]]:
    result = r.result
    if result.outcome:
        yield "Result", result.outcome
    if result.points:
        yield "Points", "{}-{}".format(*result.points)
    if result.score:
        yield "Score", score_text(result.score, " ")
    if result.tricks:
        yield "Tricks", "{}-{}".format(*result.tricks)
    if result.conceded is not None:
        yield "Conceded", str(result.conceded)
    if result.partner is not None:
        yield "Partner", partner_text(result.partner)


def _by_place(notes: Iterable[Note]) -> dict[str, list[Note]]:
    places: dict[str, list[Note]] = {}
    for note in notes:
        places.setdefault(note.where, []).append(note)
    return places


def _note_tokens(notes: Iterable[Note]) -> list[str]:
    return [
        n.text if n.kind == "g" else written_text(n.text, "{" if n.kind == "c" else "(")
        for n in notes
    ]


def _with_notes(token: str, notes: list[Note]) -> list[str]:
    """A card or call and its notes; a first glyph of signs is written on to it."""
    if notes and notes[0].kind == "g" and notes[0].text[0] != "$":
        return [token + notes[0].text, *_note_tokens(notes[1:])]
    return [token, *_note_tokens(notes)]


def _seated(text: str, seat: int | None) -> str:
    return text if seat is None else f"{SEATS[seat]}:{text}"


def _auction_line(r: HandRecord, notes: dict[str, list[Note]]) -> str:
    if r.auction_state == "unknown":
        return "Auction ?"
    parts = ["Auction"]
    for i, call in enumerate(r.auction, 1):
        written = _with_notes(_seated(call.text, call.seat), notes.pop(f"a{i}", []))
        parts.append(" ".join(written))
    return "  ".join(parts)


def _claim_text(claim: Claim) -> str:
    what = f"roem={claim.value}" if claim.kind == "roem" else claim.what().replace(":", "=")
    return f"{SEATS[claim.seat]}:{what}"


def _movetext(r: HandRecord, notes: dict[str, list[Note]]) -> Iterator[str]:
    claims: dict[int, list[str]] = {}
    for claim in r.claims:
        claims.setdefault(claim.ply, []).append(_claim_text(claim))
    # Notes at calls that are not there, then the announcements before the first card.
    for place in [p for p in notes if p[0] == "a"]:
        yield f"{{[%ply {place}]}}"
        yield from _note_tokens(notes.pop(place))
    yield from claims.pop(0, ())
    first = notes.pop("0", [])
    if first and not r.plays:
        yield "1."
        yield from _note_tokens(first)
    for i, play in enumerate(r.plays):
        if i % 4 == 0:
            yield f"{i // 4 + 1}."
        if i == 0:
            yield from _note_tokens(first)
        at = i + 1
        yield from _with_notes(_seated(CARDS[play.card], play.seat), notes.pop(str(at), []))
        yield from claims.pop(at, ())
    for ply in sorted({*claims, *map(int, notes)}):
        yield f"{{[%ply {ply}]}}"
        yield from _note_tokens(notes.pop(str(ply), []))
        yield from claims.pop(ply, ())
