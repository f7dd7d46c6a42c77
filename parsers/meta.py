"""META of the notation: percent encoding, keys and the tags they stand for, notes."""

import re
from collections.abc import Iterable

from engine.record import Note
from parsers.fields import MAX_PLY, FieldError

GLYPH_PATTERN = r"[!?]{1,2}|\$[0-9]{1,3}"
A_PLACE = f"a place: a ply 0-{MAX_PLY}, aN (after the Nth call) or h (the whole hand)"

_PLACE = re.compile("h|a(?:0|[1-9][0-9]{0,2})|0|[1-9][0-9]?")
_GLYPH = re.compile(GLYPH_PATTERN)


# Percent encoding ------------------------------------------------------------------------------

# Lone surrogates cannot be written as UTF-8, yet JSON logs can bring them in.
_CONTROL = "\x00-\x1f\x7f-\x9f\ud800-\udfff"
_IN_VALUE = re.compile(f"[ ;=%{_CONTROL}]")
_IN_NOTE = re.compile(f"[ ;=%|:{_CONTROL}]")
_IN_NAME = re.compile(f'[\\s;=%"\\[\\]{_CONTROL}]')
_IN_RULES = re.compile(f"[\\s;=%#@\ufeff{_CONTROL}]")
_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_ESCAPES = re.compile("(?:%[0-9A-Fa-f]{2})+")


def _escape(m: re.Match[str]) -> str:
    return "".join(f"%{b:02X}" for b in m[0].encode("utf-8", "surrogatepass"))


def encode_value(text: str) -> str:
    """A META value as written: space, ``;``, ``=``, ``%`` and control characters encoded.

    >>> encode_value("Cor van Dijk; 50%")
    'Cor%20van%20Dijk%3B%2050%25'
    """
    return _IN_VALUE.sub(_escape, text)


def encode_note(text: str) -> str:
    """The text of a note: as a META value, and ``|`` and ``:`` too."""
    return _IN_NOTE.sub(_escape, text)


def encode_name(text: str) -> str:
    """The name of a tag or META key."""
    return _IN_NAME.sub(_escape, text)


def encode_rules(text: str) -> str:
    """A rule-set id in the RULES field."""
    return _IN_RULES.sub(_escape, text)


def encode_all(text: str) -> str:
    """Everything but ASCII letters and digits encoded."""
    return re.sub("[^A-Za-z0-9]", _escape, text)


def decode(text: str, offset: int = 0) -> str:
    """Undo percent encoding; UTF-8.

    >>> decode("Ren%C3%A9")
    'René'
    >>> decode("50%")
    Traceback (most recent call last):
    ...
    parsers.fields.FieldError: found '%', expected % and two hex digits (a percent sign itself is \
%25)
    """
    if "%" not in text:
        return text
    bad = _BAD_ESCAPE.search(text)
    if bad:
        raise FieldError(
            offset + bad.start(), bad[0], "% and two hex digits (a percent sign itself is %25)"
        )

    def plain(m: re.Match[str]) -> str:
        try:
            return bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise FieldError(offset + m.start(), m[0], "UTF-8 bytes in percent encoding") from None

    return _ESCAPES.sub(plain, text)


# META keys and tags ----------------------------------------------------------------------------

RESERVED_KEYS = frozenset({"text", "deal_extra"})
"""META keys that carry a field of the record and are never free values."""

OUTCOME_TAGS = frozenset({"Declarer", "Contract"})
"""Tags that are plain META where the calls themselves are recorded."""

STRUCTURAL_TAGS = OUTCOME_TAGS | {
    *("Rules", "Dealer", "Deal", "Middle", "Trump", "Called", "Discard", "Result"),
    *("Points", "Score", "Tricks", "Conceded", "Partner"),
}
"""Tags that are fields of the record."""

PLAYER_TAGS = {"North": "n", "East": "e", "South": "s", "West": "w"}
_PLAYER_KEYS = {key: tag for tag, key in PLAYER_TAGS.items()}
_KEY = re.compile("[a-z][a-z0-9_]*")


def is_key(key: str) -> bool:
    """Whether a META key has a form that both encodings can write as it is."""
    return bool(_KEY.fullmatch(key)) or (key.startswith("tag.") and len(key) > len("tag."))


def free_key(key: str) -> str:
    """A key as the writers use it: one of another form, or a reserved one, becomes ``tag.KEY``.

    >>> free_key("date"), free_key("Elo (N)"), free_key("text")
    ('date', 'tag.Elo (N)', 'tag.text')
    """
    return key if is_key(key) and key not in RESERVED_KEYS else f"tag.{key or '_'}"


def tag_to_key(name: str) -> str:
    """The META key of a tag that is no field of its own.

    >>> [tag_to_key(t) for t in ("North", "Date", "WhiteElo", "Text", "meta.dealer")]
    ['n', 'date', 'tag.WhiteElo', 'tag.Text', 'dealer']
    """
    if name in PLAYER_TAGS:
        return PLAYER_TAGS[name]
    if name.startswith("meta."):
        key = name.removeprefix("meta.")
        if is_key(key) and key not in RESERVED_KEYS:
            return key
    key = name[:1].lower() + name[1:]
    natural = key != name and _KEY.fullmatch(key)
    if natural and key not in RESERVED_KEYS and key not in _PLAYER_KEYS:
        return key
    return f"tag.{name}"


def key_to_tag(key: str, structural: frozenset[str] = STRUCTURAL_TAGS) -> str:
    """The name of the tag that brings a META key back, whatever the key.

    >>> [key_to_tag(k) for k in ("n", "date", "tag.WhiteElo", "dealer", "tag.Date")]
    ['North', 'Date', 'WhiteElo', 'meta.dealer', 'meta.tag.Date']
    """
    if key in _PLAYER_KEYS:
        return _PLAYER_KEYS[key]
    name = key.removeprefix("tag.") if key.startswith("tag.") else key[:1].upper() + key[1:]
    if name not in structural and tag_to_key(name) == key:
        return encode_name(name)
    return encode_name(f"meta.{key}")


# Notes -----------------------------------------------------------------------------------------


def place_key(where: str) -> int:
    """Rank of a note's place: the hand, then the calls, then the cards."""
    if where == "h":
        return -2000
    return int(where[1:]) - 1000 if where[0] == "a" else int(where)


def is_place(where: str) -> bool:
    """Whether a text names a place of the hand.

    >>> [is_place(t) for t in ("h", "a3", "32", "33", "x")]
    [True, True, True, False, False]
    """
    return bool(_PLACE.fullmatch(where)) and place_key(where) <= MAX_PLY


def is_glyph(text: str) -> bool:
    """Whether a text is a glyph: ``!``, ``?!``, ``$3`` …"""
    return bool(_GLYPH.fullmatch(text))


def sorted_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Notes by place; those at one place stay in their order."""
    return tuple(sorted(notes, key=lambda n: place_key(n.where)))


def read_notes(text: str, offset: int) -> tuple[Note, ...]:
    """The META key ``text``: ``PLY:KIND:TEXT`` joined by ``|``, as it stands (still encoded)."""
    notes = []
    for part in text.split("|"):
        where, _, rest = part.partition(":")
        kind, colon, body = rest.partition(":")
        if not is_place(where):
            raise FieldError(offset, where or part, A_PLACE)
        at = offset + len(where) + 1
        if not colon or kind not in ("c", "g", "v"):
            raise FieldError(at, kind, "c (comment), g (glyph) or v (variation), then : and a text")
        at += 2
        value = decode(body, at)
        if kind == "g" and not is_glyph(value):
            raise FieldError(at, value, "a glyph (! ? !! ?? !? ?! or $ and a number)")
        notes.append(Note(where, "c" if kind == "c" else "g" if kind == "g" else "v", value))
        offset += len(part) + 1
    return sorted_notes(notes)


def notes_text(notes: Iterable[Note]) -> str:
    """Notes as the META key ``text`` holds them, encoded.

    >>> notes_text([Note("4", "c", "too early: a pity")])
    '4:c:too%20early%3A%20a%20pity'
    """
    return "|".join(f"{n.where}:{n.kind}:{encode_note(n.text)}" for n in sorted_notes(notes))
