"""Many distinct hands from fewer: each turned round the table, its suits exchanged.

python -m benchmarks.multiply hands.phl many.phl --hands 10000000

Simulating ten million hands takes an hour; this takes minutes. The table is turned by 0 to 3 seats
and spades, diamonds and clubs (which have the same eight cards) change places: up to 24 hands of
one, as legal and with the same points as the first. They are distinct, but no new play: good for
figures of speed and size, for nothing else.
"""

import argparse
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from engine.cards import CARDS, SEATS

SUIT_ORDERS = list(itertools.permutations("SDC"))
COPIES = len(SEATS) * len(SUIT_ORDERS)
_ID = re.compile(r"\bid=([^;\n]*)")


class Change:
    """One way to change hands.

    >>> line = "heerlen N " + "N" * 8 + "E" * 9 + "S" * 8 + "W" * 8
    >>> line += " 120,-,-,- D:SA:C7 SADA 1N=roem20 made;score=N+2,E-1,S0,W-1 id=a"
    >>> Change(1, ("D", "S", "C")).line(line).split(" ")[4:]
    ['S:DA:C7', 'DASA', '1E=roem20', 'made;score=N-1,E+2,S-1,W0', 'id=a-1DSC']
    """

    def __init__(self, turn: int, suits: tuple[str, ...]) -> None:
        self._turn = turn
        self._seats = str.maketrans(SEATS, SEATS[turn:] + SEATS[:turn])
        self._suits = str.maketrans("SDC", "".join(suits))
        self._from = [CARDS.index(c.translate(self._back(suits))) for c in CARDS]
        self._name = f"{turn}{''.join(suits)}"

    @staticmethod
    def _back(suits: tuple[str, ...]) -> dict[int, int]:
        return str.maketrans("".join(suits), "SDC")

    def line(self, line: str) -> str:
        """The changed hand; its id says which change it was."""
        rules, dealer, deal, auction, declared, play, claims, result, meta = line.split(" ")
        deal = "".join([deal[i] for i in self._from]).translate(self._seats)
        if claims != ".":
            claims = ",".join(map(self._claim, claims.split(",")))
        before, score, rest = result.partition("score=")
        if score:
            figures, semicolon, rest = rest.partition(";")
            told = [f[1:] for f in figures.split(",")]
            turned = told[-self._turn :] + told[: -self._turn] if self._turn else told
            figures = ",".join(s + f for s, f in zip(SEATS, turned))
            result = before + score + figures + semicolon + rest
        meta = _ID.sub(lambda m: f"id={m[1]}-{self._name}", meta)
        suits, seats = self._suits, self._seats
        return (
            f"{rules} {dealer.translate(seats)} {deal} {auction} {declared.translate(suits)} "
            f"{play.translate(suits)} {claims} {result} {meta}"
        )

    def _claim(self, claim: str) -> str:
        head, equals, said = claim.partition("=")
        word, colon, cards = said.partition(":")
        return head.translate(self._seats) + equals + word + colon + cards.translate(self._suits)


def copies(lines: list[str], hands: int) -> Iterator[str]:
    """``hands`` lines, as many of each change as there are lines."""
    changes = [Change(turn, suits) for suits in SUIT_ORDERS for turn in range(len(SEATS))]
    if hands > len(lines) * COPIES:
        raise SystemExit(f"of {len(lines)} hands there are at most {len(lines) * COPIES}")
    made = (change.line(line) for change in changes for line in lines)
    return itertools.islice(made, hands)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="a .phl file of distinct hands with ids")
    parser.add_argument("out", type=Path)
    parser.add_argument("--hands", type=int, default=10_000_000)
    asked = parser.parse_args()
    lines = asked.file.read_text("utf-8").splitlines()
    with asked.out.open("w", encoding="utf-8", newline="\n") as f:
        f.writelines(f"{line}\n" for line in copies(lines, asked.hands))


if __name__ == "__main__":
    main()
