"""Cards, suits and seats: the 33-card pack in its fixed order, and sets of cards as bit masks.

A card is an ``int`` from 0 to 32 in the order of the notation's DEAL field
(``SK`` is 1, ``H6`` is 16); a set of cards is an ``int`` with bit ``1 << card`` set.
A suit is 0–3 in the order ``S H D C``, a seat 0–3 in the order ``N E S W`` (clockwise).
The order says nothing about strength: that comes from the rule set.
"""

from collections.abc import Iterable, Iterator

SUITS = "SHDC"
RANKS = "AKQJT9876"
SEATS = "NESW"
NO_TRUMP = 4

CARDS: tuple[str, ...] = tuple(s + r for s in SUITS for r in RANKS if r != "6" or s == "H")
N_CARDS = len(CARDS)
PACK = (1 << N_CARDS) - 1

CARD_INDEX: dict[str, int] = {name: i for i, name in enumerate(CARDS)}
SUIT_OF: tuple[int, ...] = tuple(SUITS.index(c[0]) for c in CARDS)
RANK_OF: tuple[str, ...] = tuple(c[1] for c in CARDS)
SUIT_MASK: tuple[int, ...] = tuple(
    sum(1 << i for i in range(N_CARDS) if SUIT_OF[i] == s) for s in range(4)
)


def card(text: str) -> int:
    """Index of a card written as suit letter and rank, e.g. ``"HT"``.

    >>> card("SA"), card("H6")
    (0, 16)
    >>> card("S6")
    Traceback (most recent call last):
    ...
    ValueError: 'S6' is not a card of this pack (expected suit S H D C and rank
    A K Q J T 9 8 7, or H6)
    """
    try:
        return CARD_INDEX[text]
    except KeyError:
        raise ValueError(
            f"{text!r} is not a card of this pack "
            "(expected suit S H D C and rank A K Q J T 9 8 7, or H6)"
        ) from None


def mask_of(cards: Iterable[int]) -> int:
    """Bit set of the given cards.

    >>> mask_of([0, 2])
    5
    """
    mask = 0
    for c in cards:
        mask |= 1 << c
    return mask


def cards_in(mask: int) -> Iterator[int]:
    """The cards of a bit set, in pack order.

    >>> list(cards_in(5))
    [0, 2]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def names(mask: int) -> list[str]:
    """Names of the cards of a bit set, in pack order.

    >>> names(5)
    ['SA', 'SQ']
    """
    return [CARDS[c] for c in cards_in(mask)]


def seat(text: str) -> int:
    """Index of a seat letter.

    >>> seat("S")
    2
    """
    i = SEATS.find(text) if len(text) == 1 else -1
    if i < 0:
        raise ValueError(f"{text!r} is not a seat (expected N, E, S or W)")
    return i
