"""The ``--map FILE``: how one server or club names moves, columns, suits, seats and contracts.

A TOML file; every table and key is optional and documented in docs/parsers.md. An unknown key, a
wrong type or an impossible value is an error that names file, line, key and what is allowed.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from engine.cards import RANKS, SEATS, SUITS
from engine.record import is_call_text
from engine.rulefile import line_of
from parsers.dates import DateOrder
from parsers.words import SeatBook

MAX_BYTES = 256 * 1024

SeatLetter = Literal["N", "E", "S", "W"]
Words = Annotated[list[str], Field(min_length=1)]


class MappingError(ValueError):
    """A ``--map`` file that cannot be used; the text names file, line and key."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class CardMap(_Table):
    """``[cards]``: language and order of card texts; own suit and rank texts."""

    language: Literal["en", "nl"] | None = None
    order: Literal["suit-first", "rank-first"] | None = None
    suits: dict[str, str] = Field(default_factory=dict)
    ranks: dict[str, str] = Field(default_factory=dict)

    @field_validator("suits")
    @classmethod
    def _suits(cls, value: dict[str, str]) -> dict[str, str]:
        return _letters(value, SUITS, "suit")

    @field_validator("ranks")
    @classmethod
    def _ranks(cls, value: dict[str, str]) -> dict[str, str]:
        return _letters(value, RANKS, "rank")


class SeatMap(_Table):
    """``[seats]``: what the file's seat numbers and names are."""

    order: list[SeatLetter] = ["N", "E", "S", "W"]
    first: Literal[0, 1] | None = None
    names: dict[str, SeatLetter] = Field(default_factory=dict)

    @field_validator("order")
    @classmethod
    def _four(cls, value: list[str]) -> list[str]:
        if sorted(value) != sorted(SEATS):
            raise ValueError("must name each of N E S W once")
        return value


class DateMap(_Table):
    """``[dates]``: whether ``4-2-2026`` is of February or of April."""

    order: DateOrder | None = None


class Mapping(_Table):
    """A whole mapping file.

    ``moves`` maps our name of an event to the file's own words for it, ``fields`` our name of a
    field to the file's own, ``columns`` the same for the columns of tables and score sheets,
    ``calls`` the file's own words to calls of the notation, ``results`` to made, lost or void.
    """

    name: str | None = None
    rules: str | None = None
    format: str | None = None
    cards: CardMap = Field(default_factory=CardMap)
    seats: SeatMap = Field(default_factory=SeatMap)
    dates: DateMap = Field(default_factory=DateMap)
    moves: dict[str, Words] = Field(default_factory=dict)
    fields: dict[str, Words] = Field(default_factory=dict)
    columns: dict[str, Words] = Field(default_factory=dict)
    calls: dict[str, str] = Field(default_factory=dict)
    results: dict[str, Literal["made", "lost", "void"]] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _single_words(cls, value: Any) -> Any:
        """A single word may stand without its brackets: ``play = "speelKaart"``."""
        if not isinstance(value, dict):
            return value
        out = dict(value)
        for key in ("moves", "fields", "columns"):
            table = out.get(key)
            if isinstance(table, dict):
                out[key] = {k: [v] if isinstance(v, str) else v for k, v in table.items()}
        return out

    @field_validator("moves")
    @classmethod
    def _known_moves(cls, value: dict[str, list[str]]) -> dict[str, list[str]]:
        return _known(value, MOVES, "move")

    @field_validator("fields", "columns")
    @classmethod
    def _known_fields(cls, value: dict[str, list[str]]) -> dict[str, list[str]]:
        return _known(value, FIELDS, "field")

    @field_validator("calls")
    @classmethod
    def _calls(cls, value: dict[str, str]) -> dict[str, str]:
        for word, call in value.items():
            if not is_call_text(call):
                raise ValueError(
                    f"{word!r} maps to {call!r}, which is no call (expected '-', a number, "
                    "pan+20, or a code such as pic, mis, ker, zwa, pan)"
                )
        return value

    def seat_book(self) -> SeatBook:
        """The seats as this file names them."""
        book = SeatBook(tuple(SEATS.index(s) for s in self.seats.order), self.seats.first or 0)
        for name, letter in self.seats.names.items():
            book.learn(name, SEATS.index(letter))
        return book


MOVES = (
    "deal", "hand", "middle", "call", "pass", "discard", "declare", "play", "trick", "claim",
    "roem", "deny", "stuk", "show", "run", "set", "undo", "result", "end", "players", "ignore",
)  # fmt: skip
"""Events that the generic formats know; docs/parsers.md says what each may carry."""

FIELDS = (
    "event", "seat", "player", "card", "cards", "hands", "middle", "dealer", "bid", "points",
    "trump", "called", "discard", "winner", "leader", "declarer", "partner", "contract", "outcome",
    "score", "tricks", "value", "kind", "game", "hand", "time", "id", "rules", "site", "session",
    "north", "east", "south", "west", "extra", "lost", "conceded",
    "score_declarer", "score_partner",
)  # fmt: skip
"""Fields (and columns) that the generic formats know."""


def _letters(value: dict[str, str], allowed: str, what: str) -> dict[str, str]:
    for text, letter in value.items():
        if len(letter) != 1 or letter not in allowed:
            raise ValueError(f"{text!r} maps to {letter!r}; a {what} is one of {' '.join(allowed)}")
    return value


def _known(
    value: dict[str, list[str]], allowed: tuple[str, ...], what: str
) -> dict[str, list[str]]:
    for key in value:
        if key not in allowed:
            raise ValueError(f"{key!r} is no {what} (allowed: {', '.join(allowed)})")
    return value


def load_mapping(path: str | Path) -> Mapping:
    """Read a ``--map`` file; raises :class:`MappingError`."""
    file = Path(path)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise MappingError(f"{path}: too large for a mapping file (over {MAX_BYTES} bytes)")
        text = file.read_text("utf-8-sig")
    except OSError as e:
        raise MappingError(f"{path}: cannot be read ({e.strerror})") from None
    except UnicodeDecodeError as e:
        raise MappingError(f"{path}: not a UTF-8 text (byte {e.start})") from None
    return parse_mapping(text, str(path))


def parse_mapping(text: str, name: str = "map") -> Mapping:
    """A mapping from its TOML text; ``name`` is what errors call the file.

    >>> parse_mapping('[moves]\\nplay = "speelKaart"').moves
    {'play': ['speelKaart']}
    >>> parse_mapping('[cards]\\nlanguage = "fr"', "club.toml")
    Traceback (most recent call last):
    ...
    parsers.mapping.MappingError: club.toml:2: 'cards.language' is 'fr'; allowed: 'en' or 'nl'
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise MappingError(f"{name}: not valid TOML: {e}") from None
    except RecursionError:
        raise MappingError(f"{name}: not valid TOML: brackets nested too deeply") from None
    except ValueError:
        raise MappingError(f"{name}: not valid TOML: a number of thousands of digits") from None
    try:
        return Mapping.model_validate(data)
    except ValidationError as e:
        raise MappingError("\n".join(_explain(err, text, name) for err in e.errors())) from None


def _explain(err: Any, text: str, name: str) -> str:
    loc = tuple(str(p) for p in err["loc"])
    key = ".".join(loc)
    line = line_of(text, loc)
    where = f"{name}:{line}: " if line else f"{name}: "
    found = repr(err.get("input"))
    found = found if len(found) <= 60 else found[:57] + "..."
    if err["type"] == "extra_forbidden":
        model: Any = {"cards": CardMap, "seats": SeatMap, "dates": DateMap}.get(loc[0], Mapping)
        return where + f"unknown key '{key}' (allowed here: {', '.join(model.model_fields)})"
    if err["type"] == "literal_error":
        return where + f"'{key}' is {found}; allowed: {err['ctx']['expected']}"
    if err["type"] == "value_error":
        return where + f"'{key}': {err['ctx']['error']}"
    return where + f"'{key}' is {found}; {err['msg'][0].lower()}{err['msg'][1:]}"


def mapping_of(value: object) -> Mapping:
    """The mapping of :class:`parsers.base.Options`, an empty one if there is none."""
    return value if isinstance(value, Mapping) else Mapping()
