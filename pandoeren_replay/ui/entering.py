"""Entering a hand by tapping: the tables that the browser looks things up in, and the way back.

The browser knows no rule. It walks through tables that are made here by asking the engine: who
calls next and when the auction is over, which card beats which, which cards are legal. What it
sends back is taken as what somebody typed: checked piece by piece, never trusted.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from datetime import date
from itertools import combinations
from typing import Any

from engine.auction import Auction
from engine.cards import CARD_INDEX, CARDS, N_CARDS, NO_TRUMP, SEATS, SUIT_OF, SUITS, cards_in
from engine.declaration import callable_cards
from engine.record import (
    UNKNOWN_DEAL,
    Call,
    Claim,
    HandRecord,
    Play,
    Result,
    is_call_text,
)
from engine.ruleset import Bid, RuleSet
from pandoeren_replay.ui.texts import Texts, typed_date

HIGHEST_LEVEL = 300
"""Points bids are offered up to here; what nobody bids need not be scrolled past."""
HIGHEST_PLUS = 200
NAME_LENGTH = 80
MIDDLE = 4
SITUATIONS = ("plain", "trumped", "trumps", "none")
"""What lies on the table: a plain lead, one that was trumped, a trump lead, a contract without."""


class EntryError(ValueError):
    """What came from the browser is no hand; the text says which part of it."""


# -- the way out -----------------------------------------------------------------------------------


def rule_tables(rules: RuleSet, text: Texts) -> dict[str, Any]:
    """All that the browser must know to lead somebody through a hand by these rules."""
    return {
        "name": text.of(rules.name),
        "calls": [
            {"text": b.text, "label": text.bid(b), "contract": b.key} for b in offered_bids(rules)
        ],
        "contracts": {
            key: {
                "trump": c.trump,
                "takes_middle": rules.takes_middle(c),
                "partner": c.partner != "none",
                "call": call_tiers(rules, key),
                "alone": rules.calling.optional,
                "meld": c.goal == "points" or bool(c.plus_step),
            }
            for key in rules.auction.order
            for c in (rules.contracts[key],)
        },
        "auction": [list(s) for s in auction_steps(rules)],
        "beats": beats(rules),
        "legal": legal_kinds(rules),
        "jas": [int(rules.tables.jas[t]).bit_length() - 1 for t in range(5)],
        "declarer_leads": rules.play.first_lead == "declarer",
        "meld": _meld(rules),
        "show": rules.deal.show_lowest,
    }


def offered_bids(rules: RuleSet) -> list[Bid]:
    """Every bid that is offered, from low to high.

    >>> from engine.rulefile import load_ruleset
    >>> [b.text for b in offered_bids(load_ruleset("heerlen"))][:6]
    ['120', '130', '140', 'pic', 'mis', '150']
    """
    texts: list[str] = []
    for key in rules.auction.order:
        c = rules.contracts[key]
        if c.levels:
            texts += [str(n) for n in c.levels]
            if c.step:
                texts += [str(n) for n in range(c.levels[-1] + c.step, HIGHEST_LEVEL + 1, c.step)]
        elif c.plus_step:
            steps = range(c.plus_step, HIGHEST_PLUS + 1, c.plus_step)
            texts += [f"{c.code}+{n}" for n in steps]
        else:
            texts.append(str(c.code))
    return sorted((b for t in texts if (b := rules.bid(t))), key=lambda b: b.rank)


def call_tiers(rules: RuleSet, key: str) -> dict[str, list[list[int]]]:
    """Cards that may be called, by trump suit (``4``: none): the first choice, then the second.

    The second holds only for somebody who has all of the first himself.
    """
    contract = rules.contracts[key]
    if not contract.calls_card:
        return {}
    bid = next(b for b in offered_bids(rules) if b.key == key)
    out = {}
    for trump in range(4) if contract.trump else (NO_TRUMP,):
        first = callable_cards(rules, bid, 0, trump)
        second = callable_cards(rules, bid, first, trump) & ~first
        out[str(trump)] = [list(cards_in(first)), list(cards_in(second))]
    return out


def auction_steps(rules: RuleSet) -> tuple[tuple[int, int, int, int, int], ...]:
    """The auction as a table: (who calls, after a pass, after a bid, over, who bid last).

    Seats count from forehand; ``-1`` is nobody, and no further step. How high a bid is does not
    matter here.

    >>> from engine.rulefile import load_ruleset
    >>> auction_steps(load_ruleset("heerlen"))[0][0]
    0
    """
    lowest = offered_bids(rules)[0].text
    places: dict[tuple[Any, ...], int] = {}
    rows: list[list[int]] = []
    todo: list[Auction] = []

    def place(a: Auction) -> int:
        key = (a.turn, a.best is None, a.bidder, frozenset(a.passed), a.passes, a.over)
        if key not in places:
            places[key] = len(rows)
            rows.append([a.turn, -1, -1, int(a.over), -1 if a.bidder is None else a.bidder])
            todo.append(a)
        return places[key]

    place(Auction(rules, 3))
    while todo:
        here = todo.pop()
        row = rows[place(here)]
        if here.over:
            continue
        for column, call in ((1, "-"), (2, lowest)):
            after = copy(here)
            after.passed = set(here.passed)
            if call != "-":
                after.best = None  # any bid may follow: the table leaves heights out
            _, _, fault = after.call(Call(call))
            if fault is None:
                row[column] = place(after)
    return tuple((r[0], r[1], r[2], r[3], r[4]) for r in rows)


def beats(rules: RuleSet) -> list[list[str]]:
    """For each trump suit (4: none) and card the cards that beat it, as 33 characters 0 or 1."""
    table = rules.tables.beats
    return [[f"{int(table[t, c]):0{N_CARDS}b}"[::-1] for c in range(N_CARDS)] for t in range(5)]


def kind_of(rules: RuleSet, trump: int, led: int, best: int, card: int) -> str:
    """What a card is to somebody who has to follow.

    ``F`` of the led plain suit, ``H`` a trump that beats the best card, ``L`` one that does not,
    ``J`` and ``K`` the jas likewise, ``O`` any other.
    """
    if SUIT_OF[card] == trump:
        higher = rules.tables.wins(trump, best, card)
        if int(rules.tables.jas[trump]) == 1 << card:
            return "J" if higher else "K"
        return "H" if higher else "L"
    return "F" if SUIT_OF[card] == SUIT_OF[led] else "O"


def situation_of(trump: int, led: int, best: int) -> str:
    """Which of :data:`SITUATIONS` lies on the table."""
    if trump == NO_TRUMP:
        return "none"
    if SUIT_OF[led] == trump:
        return "trumps"
    return "trumped" if SUIT_OF[best] == trump else "plain"


def legal_kinds(rules: RuleSet) -> dict[str, str]:
    """``situation:kinds held`` -> the kinds that may be played, asked of the engine one by one.

    The duties of RULES 5 tell no two cards of a kind apart (a test compares with every hand).

    >>> from engine.rulefile import load_ruleset
    >>> legal_kinds(load_ruleset("heerlen"))["plain:FHO"]
    'FH'
    """
    trump, led_suit = SUITS.index("S"), SUITS.index("D")
    out: dict[str, str] = {}
    for situation in SITUATIONS:
        t = NO_TRUMP if situation == "none" else trump
        led_card = next(
            c
            for c in range(N_CARDS)
            if SUIT_OF[c] == (trump if situation == "trumps" else led_suit)
        )
        for best in range(N_CARDS):
            led = best if situation == "trumps" else led_card
            if SUIT_OF[led] != SUIT_OF[best] and SUIT_OF[best] != t:
                continue
            if situation_of(t, led, best) != situation:
                continue
            held: dict[str, int] = {}
            for c in range(N_CARDS):
                if c not in (led, best):
                    held.setdefault(kind_of(rules, t, led, best, c), c)
            for n in range(1, len(held) + 1):
                for kinds in combinations(sorted(held), n):
                    hand = sum(1 << held[k] for k in kinds)
                    legal = rules.tables.legal(t, hand, led, best)
                    allowed = "".join(k for k in kinds if legal >> held[k] & 1)
                    out[f"{situation}:{''.join(kinds)}"] = allowed
    return out


def _meld(rules: RuleSet) -> dict[str, Any]:
    meld = rules.meld
    values = sorted({v for v in (*meld.runs.values(), *meld.fours.values()) if v})
    return {
        "values": values if meld.system == "roem" else [],
        "cards": meld.system == "best-at-table",
        "deny": meld.system == "roem" and meld.deny,
        "stuk": meld.stuk > 0,
    }


# -- the way back ----------------------------------------------------------------------------------


def record_of(sent: Mapping[str, Any], rules: RuleSet) -> HandRecord:
    """The record of a hand as the browser sent it; :class:`EntryError` if it is none."""
    claims = tuple(_claim(c) for c in _list(sent, "claims", 64))
    calls = _calls(sent)
    known = calls is None
    return HandRecord(
        rules=rules.id,
        dealer=_seat(sent, "dealer"),
        deal=_deal(sent),
        auction_state="unknown" if known else "calls",
        auction=calls or (),
        declarer=_seat(sent, "declarer") if known else None,
        contract=_contract(sent, rules) if known else None,
        trump=_choice(sent, "trump", (*SUITS, "-", "?")),
        called=_choice(sent, "called", (*CARDS, "-", "?")),
        discard=_choice(sent, "discard", (*CARDS, "-", "?")),
        plays=tuple(Play(_card(c)) for c in _list(sent, "plays", 32)),
        claims=claims,
        result=_result(sent),
        meta=_meta(sent),
    )


def _list(sent: Mapping[str, Any], name: str, most: int) -> list[Any]:
    value = sent.get(name) or []
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > most:
        raise EntryError(f"{name}: a list of at most {most}")
    return list(value)


def _card(value: Any) -> int:
    if not isinstance(value, str) or value not in CARD_INDEX:
        raise EntryError(f"a card: {str(value)[:20]!r}")
    return CARD_INDEX[value]


def _choice(sent: Mapping[str, Any], name: str, allowed: Sequence[str]) -> str | None:
    value = sent.get(name)
    if value is None:
        return None
    if value not in allowed:
        raise EntryError(f"{name}: {str(value)[:20]!r}")
    return str(value)


def _seat(sent: Mapping[str, Any], name: str) -> int | None:
    value = sent.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 4:
        raise EntryError(f"{name}: {str(value)[:20]!r}")
    return value


def _number(sent: Mapping[str, Any], name: str, most: int) -> int | None:
    value = sent.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise EntryError(f"{name}: {str(value)[:20]!r}")
    return value


def _deal(sent: Mapping[str, Any]) -> str:
    """The owners that were tapped; nothing is filled in that was not."""
    given = sent.get("deal") or {}
    if not isinstance(given, Mapping) or len(given) > N_CARDS:
        raise EntryError("deal")
    owners = list(UNKNOWN_DEAL)
    for name, owner in given.items():
        if isinstance(owner, bool) or owner not in range(5):
            raise EntryError(f"deal: {str(owner)[:20]!r}")
        owners[_card(name)] = "M" if owner == MIDDLE else SEATS[owner]
    return "".join(owners)


def _calls(sent: Mapping[str, Any]) -> tuple[Call, ...] | None:
    if sent.get("calls") is None:
        return None
    calls = _list(sent, "calls", 200)
    for c in calls:
        if not isinstance(c, str) or not is_call_text(c):
            raise EntryError(f"a call: {str(c)[:20]!r}")
    return tuple(Call(c) for c in calls)


def _contract(sent: Mapping[str, Any], rules: RuleSet) -> str | None:
    value = sent.get("contract")
    if value is None:
        return None
    if not isinstance(value, str) or rules.bid(value) is None:
        raise EntryError(f"contract: {str(value)[:20]!r}")
    return value


def _claim(given: Any) -> Claim:
    if not isinstance(given, Mapping):
        raise EntryError("an announcement")
    kind = given.get("kind")
    if kind not in ("roem", "deny", "stuk", "show", "run", "set"):
        raise EntryError(f"an announcement: {str(kind)[:20]!r}")
    seat, ply = _seat(given, "seat"), _number(given, "ply", 32)
    value = _number(given, "value", 9990)
    cards = tuple(_card(c) for c in _list(given, "cards", 8))
    if seat is None or ply is None or (kind == "roem") != bool(value):
        raise EntryError("an announcement")
    if (kind in ("show", "run", "set")) != bool(cards):
        raise EntryError("the cards of an announcement")
    return Claim(ply, seat, kind, value or None, cards)


def _result(sent: Mapping[str, Any]) -> Result:
    outcome = _choice(sent, "outcome", ("made", "lost"))
    partner = sent.get("partner")
    if partner is not None and (isinstance(partner, bool) or partner not in (-1, 0, 1, 2, 3)):
        raise EntryError(f"partner: {str(partner)[:20]!r}")
    return Result(
        outcome=outcome,  # type: ignore[arg-type]
        conceded=_number(sent, "conceded", 31),
        partner=partner,
    )


def _meta(sent: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Id, names, date, session and number of the hand, as far as they were given."""
    out: list[tuple[str, str]] = []
    draft = sent.get("draft")
    if not isinstance(draft, str) or not 8 <= len(draft) <= 40 or not draft.isalnum():
        raise EntryError("the number of the draft")
    out.append(("id", f"entered-{draft}"))
    names = _list(sent, "names", 4)
    for seat, name in zip("nesw", names):
        if line := _line(name):
            out.append((seat, line))
    day = _line(sent.get("date"))
    if day:
        try:
            iso = date.fromisoformat(typed_date(day)).isoformat()
        except ValueError:
            raise EntryError(
                f"date: {day[:20]!r} (expected one such as 28-11-2026 or 2026-11-28)"
            ) from None
        out.append(("date", iso))
    for key in ("session", "hand"):
        if line := _line(sent.get(key)):
            # An evening named by its date has one name, in whichever order the date was typed.
            out.append((key, iso if day and key == "session" and line == day else line))
    return tuple(out)


def _line(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise EntryError(f"a text: {str(value)[:20]!r}")
    # Half a character would make the whole hand unwritable.
    line = " ".join(value.encode("utf-8", "ignore").decode().split())
    return line[:NAME_LENGTH]
