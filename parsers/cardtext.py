"""Cards as servers and people write them: suit or rank first, English or Dutch, signs and words.

Over English letters (suits S H D C, ranks A K Q J T) and Dutch ones (S H R K, A H V B T) exactly
two texts mean different cards, ``HK`` and ``KH``. So a card is never read alone: all card texts
of a file go to :func:`decide_style`, which finds the one :class:`CardStyle` that fits the file (or
says which two readings are left), and that style then reads every card.

Accepted besides the letters, in every style: ``10`` for T, ``1`` and ``14`` for the ace, ``11``
``12`` ``13`` for jack, queen and king; ``♠♤ ♥♡❤ ♦♢ ♣♧☘`` with or without U+FE0F; the playing-card
signs (``🂡``); words (``schoppenaas``, ``harten boer``, ``ace of spades``); lower case.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.cards import CARD_INDEX, RANK_OF, SUIT_OF, SUITS

Language = Literal["en", "nl"]
Order = Literal["suit-first", "rank-first"]

_SUIT_LETTERS: dict[Language, dict[str, str]] = {
    "en": {"S": "S", "H": "H", "D": "D", "C": "C"},
    "nl": {"S": "S", "H": "H", "R": "D", "K": "C"},
}
_RANK_LETTERS: dict[Language, dict[str, str]] = {
    "en": {"A": "A", "K": "K", "Q": "Q", "J": "J"},
    "nl": {"A": "A", "H": "K", "V": "Q", "B": "J"},
}
_RANK_NUMBERS = {"1": "A", "14": "A", "13": "K", "12": "Q", "11": "J", "10": "T", "T": "T"} | {
    n: n for n in "9876"
}
_SUIT_SIGNS = (
    dict.fromkeys("♠♤", "S") | dict.fromkeys("♥♡❤", "H")
    | dict.fromkeys("♦♢", "D") | dict.fromkeys("♣♧☘", "C")
)  # fmt: skip
_SUIT_WORDS = {
    "SCHOPPEN": "S", "SCHOPPE": "S", "HARTEN": "H", "HART": "H", "RUITEN": "D", "RUIT": "D",
    "KLAVEREN": "C", "KLAVER": "C",
    "SPADES": "S", "SPADE": "S", "HEARTS": "H", "HEART": "H", "DIAMONDS": "D", "DIAMOND": "D",
    "CLUBS": "C", "CLUB": "C",
}  # fmt: skip
_RANK_WORDS = {
    "AAS": "A", "HEER": "K", "KONING": "K", "VROUW": "Q", "DAME": "Q", "BOER": "J", "TIEN": "T",
    "NEGEN": "9", "ACHT": "8", "ZEVEN": "7", "ZES": "6",
    "ACE": "A", "KING": "K", "QUEEN": "Q", "JACK": "J", "TEN": "T", "NINE": "9", "EIGHT": "8",
    "SEVEN": "7", "SIX": "6",
}  # fmt: skip
_SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_RANK_NAMES = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}
_NO_TRUMP = {
    "-", "NONE", "GEEN", "ZONDER", "ZONDERTROEF", "GEENTROEF", "NOTRUMP", "NOTRUMPS", "NT", "SANS",
    "SANSATOUT", "SANSATOUTS",
}  # fmt: skip
_UNKNOWN = {"", "?", "??", "X", "XX", "NULL", "UNKNOWN", "ONBEKEND"}

EXPECTED = "a card: suit and rank, such as HT, H10, harten 10 or ♥10"


class CardTextError(ValueError):
    """A text that is no card (or suit) in the style of its file."""


class StyleError(ValueError):
    """The card texts of a file do not settle how they are to be read."""


def normal(text: str) -> str:
    """A card text in capitals without spaces, hyphens and variation selectors.

    >>> normal("\\u2764\\ufe0f 10"), normal("harten-boer")
    ('❤10', 'HARTENBOER')
    """
    return _normal(text) if len(text) <= 64 else text  # no card is that long


@lru_cache(maxsize=8192)
def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).upper()
    bare = re.sub("[\\s_\u200d\ufe0e\ufe0f\u200b]+|(?<=.)-(?=.)", "", folded)
    return re.sub(
        r"^([A-Z0-9]+)(?:OF|VAN)(?=SPADE|HEART|DIAMOND|CLUB|SCHOP|HART|RUIT|KLAV)", r"\1", bare
    )


def is_unknown(text: str | None) -> bool:
    """Whether a text stands for a card that the log does not show.

    >>> is_unknown(None), is_unknown("??"), is_unknown("H9")
    (True, True, False)
    """
    return text is None or normal(text) in _UNKNOWN


def is_no_trump(text: str) -> bool:
    """Whether a trump field says that there are no trumps.

    >>> is_no_trump("geen"), is_no_trump("-"), is_no_trump("S")
    (True, True, False)
    """
    return normal(text) in _NO_TRUMP


def describe(card: int) -> str:
    """A card in words, for messages.

    >>> describe(CARD_INDEX["HK"])
    'king of hearts'
    """
    rank = RANK_OF[card]
    return f"{_RANK_NAMES.get(rank, rank)} of {_SUIT_NAMES[SUITS[SUIT_OF[card]]]}"


@dataclass(frozen=True, slots=True)
class CardStyle:
    """How one file writes its cards: language of suit and rank letters, and which comes first.

    ``own_suits`` and ``own_ranks`` are texts of the user's own (from a ``--map`` file), as pairs
    (text, our letter); they come on top of what every style reads.

    >>> [describe(CardStyle("nl", "nl").card(t)) for t in ("kh", "harten boer", "10♥")]
    ['king of clubs', 'jack of hearts', 'ten of hearts']
    """

    suits: Language = "en"
    ranks: Language = "en"
    order: Order = "suit-first"
    own_suits: tuple[tuple[str, str], ...] = ()
    own_ranks: tuple[tuple[str, str], ...] = ()

    def card(self, text: str) -> int:
        """The card that ``text`` stands for; raises :class:`CardTextError`."""
        found = self.find(text)
        if found is None:
            raise CardTextError(f"{text!r} is not a card as this file writes them ({self.label})")
        return found

    def find(self, text: str) -> int | None:
        """The card that ``text`` stands for, or ``None``."""
        return _table(self).get(normal(text))

    def suit(self, text: str) -> int:
        """The suit (0–3) that ``text`` stands for; raises :class:`CardTextError`.

        >>> CardStyle("nl", "nl").suit("K"), CardStyle().suit("harten")
        (3, 1)
        """
        found = _suit_tokens(self).get(normal(text))
        if found is None:
            raise CardTextError(f"{text!r} is not a suit as this file writes them ({self.label})")
        return SUITS.index(found)

    def reads_suit(self, text: str) -> bool:
        """Whether ``text`` is a suit in this style."""
        return normal(text) in _suit_tokens(self)

    @property
    def label(self) -> str:
        """The style in words, for messages."""
        names = {"en": "English", "nl": "Dutch"}
        if self.suits == self.ranks:
            letters = f"{names[self.suits]} letters"
        else:
            letters = f"{names[self.suits]} suits with {names[self.ranks]} ranks"
        return f"{letters}, {self.order.replace('-', ' ')}"


def _suit_letters(style: CardStyle) -> dict[str, str]:
    own = {normal(k): v for k, v in style.own_suits}
    return _SUIT_LETTERS[style.suits] | own


def _suit_tokens(style: CardStyle) -> dict[str, str]:
    return _SUIT_SIGNS | _SUIT_WORDS | _suit_letters(style)


@lru_cache(maxsize=64)
def _table(style: CardStyle) -> dict[str, int]:
    """Every text of this style and its card.

    A suit or rank that is a word or sign may stand on either side, since it cannot be mistaken.
    """
    letters = _suit_letters(style)
    plain_suits = _SUIT_SIGNS | _SUIT_WORDS
    own = {normal(k): v for k, v in style.own_ranks}
    ranks = _RANK_LETTERS[style.ranks] | _RANK_NUMBERS | own
    table: dict[str, int] = {}

    def add(suit: str, rank: str, card: int | None, both: bool) -> None:
        if card is None:
            return
        first = suit + rank if style.order == "suit-first" else rank + suit
        table.setdefault(first, card)
        if both:
            table.setdefault(rank + suit if style.order == "suit-first" else suit + rank, card)

    for suit_tokens, suit_clear in ((letters, False), (plain_suits, True)):
        for rank_tokens, rank_clear in ((ranks, False), (_RANK_WORDS, True)):
            for s, suit in suit_tokens.items():
                for r, rank in rank_tokens.items():
                    add(s, r, CARD_INDEX.get(suit + rank), suit_clear or rank_clear)
    # Playing-card signs: blocks of 16, spades first, ace = 1, knight (12) skipped.
    for block, suit in enumerate("SHDC"):
        for number, rank in zip((1, 6, 7, 8, 9, 10, 11, 13, 14), "A6789TJQK"):
            card = CARD_INDEX.get(suit + rank)
            if card is not None:
                table.setdefault(chr(0x1F0A0 + 16 * block + number), card)
    return table


def styles(
    language: Language | None = None,
    order: Order | None = None,
    own_suits: Mapping[str, str] | None = None,
    own_ranks: Mapping[str, str] | None = None,
) -> tuple[list[CardStyle], list[CardStyle]]:
    """The styles that a file may have: those of one language, and those that mix the two."""
    suits = tuple(sorted((own_suits or {}).items()))
    ranks = tuple(sorted((own_ranks or {}).items()))
    orders: tuple[Order, ...] = (order,) if order else ("suit-first", "rank-first")
    langs: tuple[Language, ...] = (language,) if language else ("en", "nl")
    pure = [CardStyle(x, x, o, suits, ranks) for x in langs for o in orders]
    mixed: list[CardStyle] = []
    if language is None:
        pairs: tuple[tuple[Language, Language], ...] = (("nl", "en"), ("en", "nl"))
        mixed = [CardStyle(x, y, o, suits, ranks) for x, y in pairs for o in orders]
    return pure, mixed


def decide_style(
    texts: Iterable[str],
    suits: Iterable[str] = (),
    language: Language | None = None,
    order: Order | None = None,
    own_suits: Mapping[str, str] | None = None,
    own_ranks: Mapping[str, str] | None = None,
) -> CardStyle:
    """The one style in which all card ``texts`` (and trump ``suits``) of a file can be read.

    ``language`` and ``order`` are what the file or the user says; ``own_suits`` and ``own_ranks``
    come from a ``--map`` file. Texts that are a card in no style do not count: they are errors of
    their own hands. Where the file contradicts itself, a style that reads more than half of its
    texts, and more than any other, is taken, and what it cannot read is an error of that hand.

    Raises :class:`StyleError`, which names both readings, when two are left.

    >>> decide_style(["SA", "HK"]).label, decide_style(["KA", "RH", "HK"], ["R"]).label
    ('English letters, suit first', 'Dutch letters, suit first')
    >>> decide_style(["HK", "S"])
    Traceback (most recent call last):
    ...
    parsers.cardtext.StyleError: 'HK' is the king of hearts (English letters, suit first) or the \
king of clubs (Dutch letters, rank first), and nothing else in the file settles it; say which \
with language and order under [cards] in a --map file
    """
    cards = sorted({normal(t) for t in texts if not is_unknown(t)})
    named = sorted({normal(t) for t in suits if not is_unknown(t) and not is_no_trump(t)})
    tiers = styles(language, order, own_suits, own_ranks)
    every = [*tiers[0], *tiers[1]]
    cards = [t for t in cards if any(s.find(t) is not None for s in every)]
    named = [t for t in named if any(s.reads_suit(t) for s in every)]
    for tier in tiers:
        alive = [
            s
            for s in tier
            if all(s.find(t) is not None for t in cards) and all(s.reads_suit(t) for t in named)
        ]
        if alive:
            return _agreed(alive, cards, named)
    score = {
        s: sum(s.find(t) is not None for t in cards) + sum(s.reads_suit(t) for t in named)
        for s in every
    }
    best = max(score.values(), default=0)
    if 2 * best > len(cards) + len(named):
        first = [s for tier in tiers for s in tier if score[s] == best]
        return _agreed([s for s in first if s in tiers[0]] or first, cards, named)
    raise _conflict(every, cards, named)


def _agreed(alive: list[CardStyle], cards: list[str], named: list[str]) -> CardStyle:
    """The first of several styles, if no text of the file means two things among them."""
    first = alive[0]
    for other in alive[1:]:
        for t in cards:
            a, b = first.find(t), other.find(t)
            if a != b and a is not None and b is not None:
                raise StyleError(
                    f"{t!r} is the {describe(a)} ({first.label}) or the {describe(b)} "
                    f"({other.label}), and nothing else in the file settles it; say which with "
                    "language and order under [cards] in a --map file"
                )
        for t in named:
            if first.reads_suit(t) and other.reads_suit(t) and first.suit(t) != other.suit(t):
                raise StyleError(f"the suit {t!r} has two readings: give [cards] in a --map file")
    return first


def _conflict(every: list[CardStyle], cards: list[str], named: list[str]) -> StyleError:
    texts = [*cards, *named]
    for i, a in enumerate(texts):
        for b in texts[i + 1 :]:
            if not any(_reads(s, a) and _reads(s, b) for s in every):
                return StyleError(
                    f"{a!r} and {b!r} cannot both be cards of one way of writing (English or "
                    "Dutch letters, suit or rank first)"
                )
    return StyleError("the card texts of the file fit no single way of writing cards")


def _reads(style: CardStyle, text: str) -> bool:
    return style.find(text) is not None or style.reads_suit(text)


_SUIT_RE = "|".join([*sorted(_SUIT_WORDS, key=len, reverse=True), f"[{''.join(_SUIT_SIGNS)}]"])
_RANK_RE = "|".join([*sorted(_RANK_WORDS, key=len, reverse=True), "1[0-4]|[AKQJTHVB16-9]"])
_SIGN_SET = "".join(_SUIT_SIGNS)
_GLUE_OF = re.compile(
    rf"(?<![\w{_SIGN_SET}\ufe0f])({_RANK_RE})\s+(?:of|van)\s+(?=(?:{_SUIT_RE}))", re.IGNORECASE
)
_GLUE_SUIT = re.compile(
    rf"(?<!\w)({_SUIT_RE})[\s\ufe0e\ufe0f]+(?=(?:{_RANK_RE})(?![\w{_SIGN_SET}]))", re.IGNORECASE
)
_GLUE_RANK = re.compile(
    rf"(?<![\w{_SIGN_SET}\ufe0f])({_RANK_RE})\s+(?=(?:{_SUIT_RE}))", re.IGNORECASE
)
_RUN_SUIT = re.compile(rf"(?:[SHDCRK]|[{''.join(_SUIT_SIGNS)}]\ufe0f?)(?:1[0-4]|[AKQJTHVB16-9])")
_RUN_RANK = re.compile(rf"(?:1[0-4]|[AKQJTHVB16-9])(?:[SHDCRK]|[{''.join(_SUIT_SIGNS)}]\ufe0f?)")


def split_cards(text: str) -> list[str]:
    """The card texts of a list written in one field.

    Separators are spaces, commas, semicolons, full stops, slashes and bars; cards may also stand
    without any (``S9HTD8``).

    >>> split_cards("S9 HT, D8"), split_cards("SK.HJ.C7"), split_cards("S9H10D8")
    (['S9', 'HT', 'D8'], ['SK', 'HJ', 'C7'], ['S9', 'H10', 'D8'])
    >>> split_cards("harten boer, ♠ 10, ace of spades")
    ['hartenboer', '♠10', 'acespades']
    """
    if len(text) <= 3 and text.isalnum():
        return [text]
    glued = text
    for pattern in (_GLUE_OF, _GLUE_SUIT, _GLUE_RANK):
        glued = pattern.sub(r"\1", glued)
    out: list[str] = []
    for token in re.split(r"[\s,;.|/]+", glued):
        if token:
            out += _run(token)
    return out


def _run(token: str) -> list[str]:
    upper = token.upper()
    if len(token) > 3 and len(upper) == len(token):
        for pattern in (_RUN_SUIT, _RUN_RANK):
            parts = pattern.findall(upper)
            if len(parts) > 1 and "".join(parts) == upper:
                return parts
    return [token]


__all__ = [
    "EXPECTED",
    "CardStyle",
    "CardTextError",
    "Language",
    "Order",
    "StyleError",
    "decide_style",
    "describe",
    "is_no_trump",
    "is_unknown",
    "normal",
    "split_cards",
    "styles",
]
