"""Deals to solve: read from pasted text, valued beside the page, played out card by card."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

from engine.cards import CARDS, NO_TRUMP, SEATS, SUITS, card
from engine.record import UNKNOWN_DEAL, HandRecord, Play
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.solver import NotSolvable, Search
from engine.solver_position import position_from_replay
from engine.state import Replay
from pandoeren_replay.deal_table import ALONE, Deal, Line, deal_lines, deal_of
from pandoeren_replay.ui.jobs import Job
from parsers.base import Options
from parsers.base import Source as LogFile
from parsers.detect import read_sources
from parsers.phn import read_phn

LONGEST = 20_000
AT_ONCE = 2
"""So many deals are worked on at a time; others wait, so that pages stay quick for everybody."""
REMEMBERED = 20
MIDDLE = 4

_turn = threading.BoundedSemaphore(AT_ONCE)
_lock = threading.Lock()
_tables: "OrderedDict[tuple[str, str, int], Solving]" = OrderedDict()


class DealError(ValueError):
    """What was pasted is no whole deal; the text says what was found."""


@dataclass(slots=True)
class Solving:
    """The table of one deal as far as it has come: lines by seat and contract."""

    deal: Deal
    job: Job
    lines: dict[tuple[int, str], Line] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """How much of the work is done, from 0 to 1."""
        _, done, of = self.job.at
        return min(1.0, done / of) if of else 0.0


def read_deal(pasted: str, rules: RuleSet) -> tuple[str, int | None]:
    """Owners of the 33 cards and the dealer (if told) of pasted text.

    Taken are the 33 letters of the notation's DEAL field, the four hands of the ``Deal`` tag
    (``N:AJ98.T7.KQ. E:…``; the card that nobody has is the middle card), or a whole hand in any
    format that can be imported. Raises :class:`DealError`.

    >>> from engine.rulefile import load_ruleset
    >>> read_deal("n" * 8 + "e" * 8 + "s" * 8 + "w" * 8 + "m", load_ruleset("heerlen"))[0][-3:]
    'WWM'
    """
    text = pasted.strip()[:LONGEST]
    letters = "".join(text.split()).upper()
    if len(letters) == len(CARDS) and set(letters) <= set("NESWM"):
        return _whole(letters), None
    if text[:2].upper() in ("N:", "E:", "S:", "W:") and '"' not in text:
        line = " ".join(text.split())
        found = read_phn(f'[Rules "{rules.id}"]\n[Deal "{line}"]\n\n*\n', "deal")
    else:
        found = read_sources([LogFile("deal", text.encode("utf-8", "replace"))], Options(rules.id))
    if not found.hands:
        raise DealError(found.rejects[0].message if found.rejects else "")
    record = found.hands[0].record
    if any(owner is None for owner in replay(record, rules).owners):
        record = _with_middle(record)
    played = replay(record, rules)
    return _whole(played.deal_text), played.dealer


def _with_middle(record: HandRecord) -> HandRecord:
    """Four hands of eight leave one card, which is the middle card."""
    if record.deal.count("?") == 1 and "M" not in record.deal:
        return replace(record, deal=record.deal.replace("?", "M"))
    return record


def _whole(owners: str) -> str:
    for letter in (*SEATS, "M"):
        n, expected = owners.count(letter), 1 if letter == "M" else 8
        if n != expected:
            raise DealError(f"{letter}: {n} cards, expected {expected}")
    return owners


def deal_from(owners: str, dealer: int, rules: RuleSet) -> Deal:
    """The deal as the solver takes it; :class:`DealError` if it is not whole."""
    try:
        return deal_of(replay(HandRecord(dealer=dealer, deal=_whole(owners)), rules))
    except NotSolvable as e:
        raise DealError(str(e)) from None


def solving(owners: str, dealer: int, rules: RuleSet, played: Replay | None = None) -> Solving:
    """The table of a deal: begun, still at work, or done; everybody who asks sees the same one.

    Of a hand that was ``played`` the discard really made is tried first. Raises
    :class:`DealError` where the deal is not whole.
    """
    key = (rules.content_hash, owners, dealer)
    with _lock:
        known = _tables.get(key)
        if known is not None and not (known.job.over and known.job.stopping.is_set()):
            _tables.move_to_end(key)
            return known
        deal = deal_from(owners, dealer, rules)
        if played is not None:
            deal = replace(deal, discards=deal_of(played).discards)
        made = _begin(deal)
        _tables[key] = made
        while len(_tables) > REMEMBERED:
            _, oldest = _tables.popitem(last=False)
            oldest.job.stop()
        return made


def _begin(deal: Deal) -> Solving:
    stopping = threading.Event()
    lines: dict[tuple[int, str], Line] = {}
    of = 8 * len(deal.rules.auction.order)

    def work(say: Any) -> None:
        say("wait", 0, of)
        while not _turn.acquire(timeout=0.2):
            say("wait", 0, of)
        try:
            say("solve", 0, of)
            for i, line in enumerate(deal_lines(deal, True, stopping), 1):
                lines[line.seat, line.contract] = line
                say("solve", i, of)
        finally:
            _turn.release()

    return Solving(deal, Job(work, stopping).start(), lines)


# -- playing it out --------------------------------------------------------------------------------


def line_record(deal: Deal, owners: str, dealer: int, line: Line, plays: list[str]) -> HandRecord:
    """The hand of a line of the table when so much has been played."""
    assert line.bid is not None  # only what can be made is played out
    return HandRecord(
        rules=deal.rules.id,
        dealer=dealer,
        deal=owners or UNKNOWN_DEAL,
        auction_state="unknown",
        declarer=line.seat,
        contract=line.bid.text,
        trump="-" if line.trump == NO_TRUMP else SUITS[line.trump],
        called="-"
        if line.called == ALONE or not line.bid.contract.calls_card
        else CARDS[line.called],
        discard="-" if line.discard is None else CARDS[line.discard],
        plays=tuple(Play(card(c)) for c in plays),
    )


def line_actions(owners: str, line: Line, plays: list[str]) -> list[list[Any]]:
    """The taps that lead to that place, for the browser."""
    assert line.bid is not None
    middle = owners.index("M")
    out: list[list[Any]] = [
        ["deal", CARDS[c], SEATS.index(owners[c])] for c in range(len(CARDS)) if c != middle
    ]
    out += [["deal", CARDS[middle], MIDDLE], ["skip"], ["declarer", line.seat]]
    out.append(["contract", line.bid.text])
    if line.discard is not None:
        out.append(["discard", CARDS[line.discard]])
    if line.trump != NO_TRUMP:
        out.append(["trump", line.trump])
    if line.bid.contract.calls_card:
        out.append(["called", "-" if line.called == ALONE else CARDS[line.called]])
    return [*out, *(["play", c] for c in plays)]


def card_values(played: Replay) -> tuple[dict[str, int], list[str]]:
    """What the hand is worth after each legal card, and which of them are best.

    A value is the points of declarer's side at the end, or 1 / 0 where points do not decide.
    """
    bid = played.outcome.bid
    ply = len(played.record.plays)
    if bid is None or ply >= 32:
        return {}, []
    position = position_from_replay(played, ply)
    search = Search(position, bid.contract.goal)
    taken = position.points[0] if search.counting else 0
    found = {c: taken + v for c, v in search.values(position).items()}
    best = (max if search.maximises(position) else min)(found.values())
    return (
        {CARDS[c]: v for c, v in found.items()},
        [CARDS[c] for c, v in found.items() if v == best],
    )


def best_line(deal: Deal, owners: str, dealer: int, line: Line, plays: list[str]) -> list[str]:
    """The play to the end, from where it stands, with the best card of everybody."""
    out = list(plays)
    while len(out) < 32:
        _, best = card_values(replay(line_record(deal, owners, dealer, line, out), deal.rules))
        if not best:
            break
        out.append(best[0])
    return out
