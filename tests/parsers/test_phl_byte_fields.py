"""Readers that take eight bytes at once, against ones that look at each."""

import random
import re

import numpy as np
import pytest

from engine.batch_columns import HAND
from engine.cards import N_CARDS, SEATS
from parsers.phl_byte_fields import read_deal, read_number
from parsers.phl_byte_lines import PADDING

ANY = bytes(range(256))


def number(text: bytes, most: int) -> tuple[int, int]:
    """The number that a text begins with and its length; (-1, 0) where it begins with none."""
    digits = re.match(rb"[0-9]*", text)[0]  # type: ignore[index]
    if not digits or len(digits) > most or (digits[:1] == b"0" and len(digits) > 1):
        return -1, 0
    return int(digits), len(digits)


@pytest.mark.parametrize("most", [2, 4, 6, 7])
def test_numbers(most: int) -> None:
    rng = random.Random(most)
    texts = [b"0;", b"00", b"07-", b"1234567", b"12345678", b"123456789", b"9", b"", b"/1", b":1"]
    for _ in range(3000):
        digits = bytes(rng.choices(b"0123456789", k=rng.randrange(9)))
        texts.append(digits + bytes(rng.choices(ANY, k=2)) + bytes(rng.choices(b"059/:", k=4)))
    found = 0
    for text in texts:
        wanted = number(text, most)
        data = np.frombuffer(b"x" * 5 + text + b"\n" + bytes(PADDING), np.uint8)
        value, end = read_number(data, 5, most)
        assert (value, end - 5) == wanted, text
        found += value >= 0
    assert found > 500


def test_deals() -> None:
    rng = random.Random(3)
    whole = [*"NESW" * 8, "M"]
    fine = 0
    for k in range(2000):
        rng.shuffle(whole)
        text = bytearray("".join(whole).encode())
        if k % 2:
            text[rng.randrange(N_CARDS)] = rng.choice(ANY)
        # What follows it is no part of it.
        data = np.frombuffer(bytes(text) + bytes(rng.choices(ANY, k=PADDING)), np.uint8)
        hands = np.zeros(1, HAND)
        read = read_deal(data, 0, hands[0])
        assert read == (sorted(text) == sorted(b"NESW" * 8 + b"M")), bytes(text)
        if read:
            fine += 1
            for seat, letter in enumerate(SEATS):
                mine = sum(1 << c for c in range(N_CARDS) if text[c] == ord(letter))
                assert hands["hands"][0][seat] == mine
            assert hands["middle"][0] == text.index(b"M")
    assert 1000 <= fine < 1050


def test_every_letter_that_is_not_one_of_a_deal() -> None:
    deal = b"NESW" * 8 + b"M"
    for place in (0, 7, 8, 31, 32):
        for byte in ANY:
            text = deal[:place] + bytes([byte]) + deal[place + 1 :]
            data = np.frombuffer(text + bytes(PADDING), np.uint8)
            assert read_deal(data, 0, np.zeros(1, HAND)[0]) == (byte == deal[place])
