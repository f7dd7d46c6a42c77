"""What a player is: asked for a call, a declaration or a card, he answers from what he sees.

:class:`Player` is the protocol; anything with these three methods can sit at a table
(:mod:`pandoeren_replay.matches`). :class:`ProcessPlayer` is a program of its own that reads one
JSON object a line and answers with one (docs/advice.md). What a player may see is all in
:class:`View`.
"""

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from engine.cards import CARD_INDEX, CARDS, SEATS, names
from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import Bid, RuleSet
from engine.state import Replay


class PlayerError(Exception):
    """A player gave no answer, or one that the rules do not allow."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Trump suit, discard and called card as the notation writes them (``-``: none)."""

    trump: str = "-"
    discard: str = "-"
    called: str = "-"


@dataclass(frozen=True)
class View:
    """What a seat sees when it is asked.

    ``hand`` are its cards now, ``dealt`` the eight it was dealt, ``middle`` the middle card where
    it lies face up; ``calls`` the auction from forehand on, ``best`` the highest bid so far (after
    the auction: the contract); ``legal`` the cards that may be played, ``trick`` the cards on the
    table as (seat, card); ``plays`` all cards played as (seat, card), ``exposed`` the cards of
    hands face up by seat. ``number`` counts deals, so that a player can tell them apart.
    """

    number: int
    rules: RuleSet
    seat: int
    dealer: int
    hand: int
    dealt: int
    middle: int | None
    calls: tuple[str, ...] = ()
    best: Bid | None = None
    declarer: int | None = None
    trump: int | None = None
    called: int | None = None
    discard: int | None = None
    legal: int = 0
    leader: int = -1
    trick: tuple[tuple[int, int], ...] = ()
    plays: tuple[tuple[int, int], ...] = ()
    exposed: dict[int, int] = field(default_factory=dict)
    claims: tuple[str, ...] = ()
    _record: HandRecord | None = field(default=None, repr=False, compare=False)

    @cached_property
    def table(self) -> Replay:
        """The hand so far, for :class:`pandoeren_replay.advise.Scene`.

        The scene looks at it through :func:`engine.inference.known` only: it holds more than the
        seat may see.
        """
        if self._record is None:
            raise PlayerError("no card has been played yet")
        return replay(self._record, self.rules)

    def as_json(self, ask: str) -> dict[str, Any]:
        """The question as sent to a program: plain data, cards by name."""

        def name(card: int | None) -> str | None:
            return None if card is None else CARDS[card]

        return {
            "ask": ask,
            "number": self.number,
            "rules": self.rules.id,
            "seat": SEATS[self.seat],
            "dealer": SEATS[self.dealer],
            "hand": names(self.hand),
            "middle": name(self.middle),
            "calls": list(self.calls),
            "contract": self.best.text if self.best else None,
            "declarer": None if self.declarer is None else SEATS[self.declarer],
            "trump": None if self.trump is None else "SHDC-"[self.trump],
            "called": name(self.called),
            "discard": name(self.discard),
            "legal": names(self.legal),
            "trick": [[SEATS[s], CARDS[c]] for s, c in self.trick],
            "plays": [[SEATS[s], CARDS[c]] for s, c in self.plays],
            "exposed": {SEATS[s]: names(cards) for s, cards in self.exposed.items()},
            "claims": list(self.claims),
        }


class Player(Protocol):
    """Somebody who can sit at a table."""

    name: str

    def call(self, view: View) -> str:
        """A call: ``-`` or a bid higher than ``view.best``."""

    def declare(self, view: View) -> Declared:
        """Trumps, discard (of ``view.hand``, nine cards where the middle is taken), called card."""

    def play(self, view: View) -> int:
        """One of ``view.legal``."""


class ProcessPlayer:
    """A program that answers questions: one JSON object a line in, one out.

    Questions are :meth:`View.as_json`; answers ``{"call": "130"}``, ``{"trump": "H", "discard":
    "D7", "called": "SA"}`` or ``{"card": "SA"}``. Raises :class:`PlayerError` where the program
    ends, says something else, or thinks longer than ``seconds``.
    """

    def __init__(self, command: Sequence[str], seconds: float = 60.0) -> None:
        self.name = command[0]
        self.seconds = seconds
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                encoding="utf-8",
            )  # fmt: skip
        except OSError as e:
            raise PlayerError(f"{command[0]} cannot be started ({e.strerror or e})") from None
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _ask(self, ask: str, view: View) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(view.as_json(ask)) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self.seconds)
        except queue.Empty:
            raise PlayerError(f"{self.name} gave no answer in {self.seconds:g} s") from None
        except OSError:
            line = ""
        if not line:
            raise PlayerError(f"{self.name} has ended")
        try:
            answer = json.loads(line)
        except ValueError:
            raise PlayerError(f"{self.name} answered {line.strip()!r}, which is no JSON") from None
        if not isinstance(answer, dict):
            raise PlayerError(f"{self.name} answered {line.strip()!r}; expected a JSON object")
        return answer

    def _text(self, answer: dict[str, Any], key: str) -> str:
        value = answer.get(key)
        if not isinstance(value, str):
            raise PlayerError(f"{self.name} answered {json.dumps(answer)}; {key!r} is missing")
        return value

    def call(self, view: View) -> str:
        """The program's call."""
        return self._text(self._ask("call", view), "call")

    def declare(self, view: View) -> Declared:
        """The program's declaration."""
        answer = self._ask("declare", view)
        parts = (self._text(answer, key) for key in ("trump", "discard", "called"))
        return Declared(*parts)

    def play(self, view: View) -> int:
        """The program's card."""
        text = self._text(self._ask("play", view), "card")
        if text not in CARD_INDEX:
            raise PlayerError(f"{self.name} plays {text!r}, which is no card")
        return CARD_INDEX[text]

    def close(self) -> None:
        """End the program: its input is closed, and it is stopped if it goes on."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            self._process.kill()  # it has gone, or no longer reads
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
