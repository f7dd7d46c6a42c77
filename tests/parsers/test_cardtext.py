"""Card texts: every way of writing, the two ambiguous ones, one decision a file."""

import contextlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import CARDS, RANK_OF, SUIT_OF
from parsers import cardtext
from parsers.cardtext import (
    CardStyle,
    CardTextError,
    StyleError,
    decide_style,
    describe,
    is_no_trump,
    is_unknown,
    split_cards,
)

EN, NL = dict(zip("SHDC", "SHDC")), dict(zip("SHDC", "SHRK"))
RANK_NL = {"A": "A", "K": "H", "Q": "V", "J": "B", "T": "10"}
NUMBERS = {"A": "14", "K": "13", "Q": "12", "J": "11", "T": "10"}
SIGNS = {"S": "♠", "H": "❤\ufe0f", "D": "♦", "C": "☘"}
WORDS_NL = {"S": "schoppen", "H": "harten", "D": "ruiten", "C": "klaveren"}
RANK_WORDS_NL = {
    "A": "aas", "K": "heer", "Q": "vrouw", "J": "boer", "T": "tien", "9": "negen", "8": "acht",
    "7": "zeven", "6": "zes",
}  # fmt: skip


def write(card: int, suits: dict[str, str], ranks: dict[str, str], rank_first: bool) -> str:
    suit, rank = suits["SHDC"[SUIT_OF[card]]], ranks.get(RANK_OF[card], RANK_OF[card])
    return rank + suit if rank_first else suit + rank


WAYS = [
    pytest.param(suits, ranks, first, id=f"{s}-{r}-{'rank' if first else 'suit'}-first")
    for s, suits in (("en", EN), ("nl", NL), ("signs", SIGNS))
    for r, ranks in (("en", {}), ("nl", RANK_NL), ("numbers", NUMBERS))
    for first in (False, True)
]


@pytest.mark.parametrize(("suits", "ranks", "first"), WAYS)
@pytest.mark.parametrize("lower", [False, True])
def test_a_whole_pack_in_any_way_of_writing(suits, ranks, first, lower):
    texts = [write(c, suits, ranks, first) for c in range(33)]
    if lower:
        texts = [t.lower() for t in texts]
    style = decide_style(texts)
    assert [style.card(t) for t in texts] == list(range(33))


def test_words_in_dutch_and_english():
    style = decide_style(["schoppenaas", "ace of spades"])
    for c in range(33):
        suit, rank = "SHDC"[SUIT_OF[c]], RANK_OF[c]
        for text in (f"{WORDS_NL[suit]}{RANK_WORDS_NL[rank]}",
                     f"{WORDS_NL[suit].upper()} {RANK_WORDS_NL[rank]}", describe(c)):  # fmt: skip
            assert style.card(text) == c, text


def test_playing_card_signs():
    style = CardStyle()
    assert [CARDS[style.card(t)] for t in "🂡🂾🃋🃊"] == ["SA", "HK", "DJ", "DT"]


def test_exactly_two_letter_texts_are_ambiguous():
    """Over English and Dutch letters, as single languages."""
    pure, _ = cardtext.styles()
    ambiguous = set()
    for a, b in itertools.product("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", repeat=2):
        found = {s.find(a + b) for s in pure} - {None}
        if len(found) > 1:
            ambiguous.add(a + b)
    assert ambiguous == {"HK", "KH"}


def test_no_text_has_two_meanings_in_one_style():
    """The tables are built with setdefault: a clash would hide there."""
    pure, mixed = cardtext.styles()
    for style in [*pure, *mixed]:
        suits = {**cardtext._SUIT_SIGNS, **cardtext._SUIT_WORDS}
        letters = cardtext._SUIT_LETTERS[style.suits]
        ranks = cardtext._RANK_LETTERS[style.ranks] | cardtext._RANK_NUMBERS
        meanings: dict[str, set[str]] = {}
        for (s, suit), (r, rank) in itertools.product(
            {**suits, **letters}.items(), {**ranks, **cardtext._RANK_WORDS}.items()
        ):
            if suit + rank not in CARDS:
                continue
            plain = s in letters and r in ranks
            both = (True, False) if not plain else (style.order == "suit-first",)
            for suit_first in both:
                meanings.setdefault(s + r if suit_first else r + s, set()).add(suit + rank)
        assert {t for t, m in meanings.items() if len(m) > 1} == set()


@pytest.mark.parametrize(
    ("texts", "suits", "expected"),
    [
        (["HK", "SQ"], [], "HK"),
        (["HK", "VS"], [], "CK"),
        (["HK", "S9"], ["D"], "HK"),
        (["KH", "RA"], [], "CK"),
        (["KH", "QD"], [], "HK"),
    ],
)
def test_the_rest_of_the_file_settles_the_ambiguous_ones(texts, suits, expected):
    assert CARDS[decide_style(texts, suits).card(texts[0])] == expected


@pytest.mark.parametrize("text", ["HK", "KH", "hk"])
def test_ambiguity_names_both_readings(text):
    with pytest.raises(StyleError, match=r"king of hearts.*king of clubs|king of clubs.*king of h"):
        decide_style([text, "??"])
    assert decide_style([text], language="nl").card(text) == CARDS.index("CK")


def test_texts_that_do_not_matter_leave_the_style_open():
    assert decide_style([]) == CardStyle()
    assert decide_style(["XX", "zomaar", "?"]) == CardStyle()


def test_a_file_that_contradicts_itself():
    for texts in (["RA", "DA"], ["HK", "HV"]):
        with pytest.raises(StyleError, match="cannot both be cards"):
            decide_style(texts)
    # One foreign card in a file does not stop the others.
    style = decide_style(["RA", "KB", "R7", "HV", "DA"])
    assert style.label == "Dutch letters, suit first"
    with pytest.raises(CardTextError, match="Dutch letters"):
        style.card("DA")


def test_own_suits_and_ranks():
    style = decide_style(["1/14", "4/10"], own_suits={"1/": "S", "4/": "C"}, own_ranks={"14": "A"})
    assert [CARDS[style.card(t)] for t in ("1/14", "4/10")] == ["SA", "CT"]


@pytest.mark.parametrize("text", ["S6", "D6", "C6", "SX", "A", "S", "15S", "S5", "", "S9S9"])
def test_no_cards(text):
    with pytest.raises(CardTextError):
        CardStyle().card(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("S9 HT D8", ["S9", "HT", "D8"]),
        ("S9,HT;D8|C7/CA", ["S9", "HT", "D8", "C7", "CA"]),
        ("S9HTD8", ["S9", "HT", "D8"]),
        ("10S9H8D", ["10S", "9H", "8D"]),
        ("♠9 ♠10 ♥️ A", ["♠9", "♠10", "♥A"]),
        ("schoppen aas, harten 10 klaver boer", ["schoppenaas", "harten10", "klaverboer"]),
        ("ace of spades ten of hearts", ["acespades", "tenhearts"]),
        ("", []),
    ],
)
def test_lists_of_cards(text, parts):
    assert split_cards(text) == parts


@given(st.lists(st.sampled_from(range(33)), min_size=1, max_size=8))
def test_lists_come_back_as_they_went_in(cards):
    style = CardStyle()
    for glue in (" ", ", ", "", "."):
        text = glue.join(CARDS[c] for c in cards)
        assert [style.card(t) for t in split_cards(text)] == cards


@given(st.text(max_size=12))
def test_any_text_is_a_card_or_an_error(text):
    with contextlib.suppress(CardTextError):
        assert 0 <= CardStyle().card(text) < 33
    assert isinstance(split_cards(text), list)
    assert is_unknown(text) in (True, False)
    assert is_no_trump(text) in (True, False)
