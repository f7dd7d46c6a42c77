"""One hand as the browser gets it: everything the replayer shows, per ply, ready to draw.

The browser computes nothing about the game. Cards are text (``"SA"``), seats 0–3 (N E S W).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.cards import CARDS, NO_TRUMP, RANK_OF, SUIT_OF, cards_in
from engine.record import Claim
from engine.state import NOBODY, Event, Outcome, Replay
from engine.violations import Language, Violation
from pandoeren_replay.ui.texts import Texts
from pandoeren_replay.ui.whatif import Line, legal_cards

# Suits of a hand side by side: black and red in turn, as players sort them.
_HAND_ORDER = (0, 1, 3, 2)
_NAME_LENGTH = 80
_CLAIM_CODES = ("roem-", "deny-", "stuk-", "show-")
_RECORD_CODES = ("result-mismatch", "points-mismatch", "tricks-mismatch", "score-mismatch")


@dataclass(frozen=True, slots=True)
class Around:
    """Where a hand stands in the list it was opened from: ids of its neighbours, its source."""

    previous: str | None = None
    next: str | None = None
    source: str | None = None


def hand_payload(
    replay: Replay,
    lang: Language,
    *,
    key: str = "",
    start: str = "0",
    simulated: bool = False,
    around: Around | None = None,
    line: Line | None = None,
) -> dict[str, Any]:
    """Everything the browser needs to show one hand, as JSON-ready data.

    ``key`` is the id the address bar keeps, ``start`` the step to open at: a ply (``"17"``) or a
    place in the auction (``"a3"``). ``line`` says that ``replay`` is not what was played but what
    would have followed.
    """
    around = around or Around()
    text = Texts(lang)
    names = seat_names(replay, text)
    base = len(replay.record.auction) + 1 if replay.record.auction else 0
    violations = _violations(replay, text, base)
    bid = replay.outcome.bid
    return {
        "key": key,
        "stamp": f"{key}|{lang}|{around.previous}|{around.next}|{line or ''}",
        "lang": lang,
        "start": start,
        "previous": around.previous,
        "next": around.next,
        "text": text.section("replay"),
        "simulated": simulated,
        **_headings(replay, text, names, around.source),
        "seats": _seats(replay, text, names),
        "dealer": replay.dealer,
        "forehand": 0 if replay.dealer is None else (replay.dealer + 1) % 4,
        "declarer": replay.outcome.declarer,
        "partner": replay.outcome.partner,
        "calls_partner": bool(bid and bid.contract.partner != "none"),
        "contract_label": contract_label(replay, text),
        "goal": _goal(replay, text),
        "target": bid.target if bid else 0,
        "total": _total(replay),
        "trump": replay.outcome.trump,
        "called": _card(replay.called),
        "middle": _card(replay.middle),
        "middle_shown": replay.middle is not None or bool(replay.record.auction),
        "middle_face_up": replay.rules.deal.middle == "taken",
        "middle_known_back": replay.rules.deal.middle != "taken",
        "discard": _card(replay.discard),
        "has_discard": replay.has_discard,
        "auction": _auction(replay, text, violations),
        "dealt": [sorted_hand(replay, mask, NO_TRUMP) for mask in replay.hands],
        "playing": [sorted_hand(replay, mask, replay.outcome.trump) for mask in replay.playing],
        "plays": _plays(replay, violations),
        "states": _states(replay),
        "legal": legal_cards(replay),
        "line": _line(replay, line, text, names),
        "tricks": _tricks(replay),
        "claims": _claims(replay, text, violations),
        "violations": violations,
        "outcome_label": _outcome_label(replay, text),
        "say_declared": _declared(replay, text, names),
        "remarks": _remarks(replay, text, names),
    }


def seat_names(replay: Replay, text: Texts) -> list[str]:
    """Each player as a sentence names him: ``Cor (Zuid)``, or the seat alone."""
    out = []
    for seat in range(4):
        name = player_name(replay.record.player(seat))
        out.append(f"{name} ({text.seat(seat)})" if name else text.seat(seat))
    return out


def player_name(name: str | None) -> str:
    """A player's name in one line of bearable length, otherwise as it was written."""
    line = " ".join((name or "").split())
    return line if len(line) <= _NAME_LENGTH else line[: _NAME_LENGTH - 1] + "…"


def contract_label(replay: Replay, text: Texts) -> str:
    """The contract in words."""
    outcome = replay.outcome
    if outcome.passed_out:
        return text("replay.passed_out")
    return text.contract(replay.rules, outcome.contract or replay.record.contract)


def result_of(outcome: Outcome, recorded: str | None, text: Texts) -> tuple[str, str]:
    """Kind (``made``, ``lost``, ``open``) and words of a hand's result.

    What the cards prove comes first; where they prove nothing, what was written down, marked so.
    """
    if outcome.passed_out or (recorded == "void" and outcome.bid is None):
        return "open", text("replay.passed_out")
    if outcome.made is not None:
        kind = "made" if outcome.made else "lost"
        return kind, text(f"replay.{kind}")
    if recorded in ("made", "lost"):
        return recorded, text("replay.as_recorded", result=text(f"replay.{recorded}"))
    return "open", text("replay.open")


def _card(card: int | None) -> str | None:
    return None if card is None else CARDS[card]


def _headings(
    replay: Replay, text: Texts, names: Sequence[str], source: str | None
) -> dict[str, Any]:
    record, outcome = replay.record, replay.outcome
    kind, label = result_of(outcome, record.result.outcome, text)
    if outcome.passed_out:
        title = text("replay.title_passed")
    elif outcome.declarer is None:
        title = text("replay.title_unknown")
    else:
        title = text(
            "replay.title", name=names[outcome.declarer], contract=contract_label(replay, text)
        )
    parts = []
    if date := record.get("date"):
        parts.append(text.date(date))
    parts += [v for k in ("event", "site") if (v := record.get(k))]
    if session := record.get("session"):
        parts.append(text("replay.session", name=session))
    if number := record.get("hand"):
        parts.append(text("replay.hand_no", n=number))
    parts.append(text("replay.rules", name=text.of(replay.rules.name)))
    if source:
        name = source.replace("\\", "/").rsplit("/", 1)[-1]
        parts.append(text("replay.source", name=name))
    return {
        "title": title,
        "subtitle": " · ".join(parts),
        "result_kind": kind,
        "result_label": label,
    }


def _seats(replay: Replay, text: Texts, names: Sequence[str]) -> list[dict[str, str]]:
    letters = text.raw("seats.letters")
    out = []
    for seat in range(4):
        name = player_name(replay.record.player(seat))
        label = f"{text.seat(seat)} · {name}" if name else text.seat(seat)
        out.append({"short": letters[seat], "label": label, "name_long": names[seat]})
    return out


def _goal(replay: Replay, text: Texts) -> str | None:
    bid = replay.outcome.bid
    if bid is None:
        return None
    words = text(f"replay.goal_{bid.contract.goal}")
    if bid.target:
        words = words.format(target=bid.target)
    return f"{words} {text('replay.goal_plus', n=bid.plus)}" if bid.plus else words


def _total(replay: Replay) -> int:
    """Points the bar stands for: all of the pack, the best meld, or the target if that is more."""
    outcome = replay.outcome
    pack = replay.rules.total_points[outcome.trump != NO_TRUMP]
    meld = sum(outcome.meld) if outcome.meld else 0
    return max(pack + meld, outcome.bid.target if outcome.bid else 0)


def sorted_hand(replay: Replay, mask: int, trump: int | None) -> list[str]:
    orders = replay.rules.cards

    def place(card: int) -> tuple[int, int]:
        suit = SUIT_OF[card]
        order = orders.trump_order if suit == trump else orders.plain_order
        return _HAND_ORDER.index(suit), order.index(RANK_OF[card])

    return [CARDS[c] for c in sorted(cards_in(mask), key=place)]


def _violations(replay: Replay, text: Texts, base: int) -> list[dict[str, Any]]:
    out = []
    for v in replay.violations:
        en, nl = v.message("en"), v.message("nl")
        step, place = _where(replay, v, base, text)
        out.append(
            {
                "code": v.code,
                "severity": v.severity,
                "ply": v.ply,
                "call": v.call,
                "seat": v.seat,
                "rule": v.rule,
                "message": nl if text.lang == "nl" else en,
                "messages": {"en": en, "nl": nl},
                "step": step,
                "place": place if v.seat is None else f"{place}, {text.seat(v.seat)}",
                "on_card": _on_card(replay, v),
            }
        )
    return out


def _on_card(replay: Replay, v: Violation) -> bool:
    """Whether a violation is about the card played next, not about words said before it."""
    return (
        v.ply is not None
        and v.ply < len(replay.record.plays)
        and v.severity == "error"
        and not v.code.startswith(_CLAIM_CODES)
    )


def _where(replay: Replay, v: Violation, base: int, text: Texts) -> tuple[int, str]:
    """Step at which a violation can be seen (index of the browser's steps), and its place."""
    last = base + len(replay.states) - 1
    if v.call is not None:
        return min(v.call + 1, last), text("replay.place_auction")
    if v.ply is not None:
        step = base + v.ply + (1 if _on_card(replay, v) else 0)
        return min(step, last), text("replay.place_trick", n=v.trick)
    if v.code in _RECORD_CODES:
        return last, text("replay.place_record")
    if v.code.startswith("deal-"):
        return 0, text("replay.place_deal")
    if v.code.startswith(("bid-", "auction-")):
        return max(0, base - 1), text("replay.place_auction")
    return base, text("replay.place_declaration")


def _flags(violations: Sequence[dict[str, Any]], **where: Any) -> list[int]:
    return [
        i
        for i, v in enumerate(violations)
        if v["severity"] != "info" and all(v[k] == value for k, value in where.items())
    ]


def _auction(replay: Replay, text: Texts, violations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out = []
    for i, event in enumerate(e for e in replay.events if e.kind == "call"):
        call = str(event.data["text"])
        label = text("replay.pass") if call == "-" else call_label(replay, text, call)
        out.append(
            {
                "seat": event.seat,
                "text": call,
                "label": label,
                "valid": bool(event.data.get("valid", True)),
                "flags": _flags(violations, call=i),
            }
        )
    return out


def call_label(replay: Replay, text: Texts, call: str) -> str:
    """A call as it is said: a number alone, a contract by its name."""
    bid = replay.rules.bid(call)
    return call if bid is None or bid.contract.levels else text.bid(bid)


def _plays(replay: Replay, violations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "card": CARDS[play.card],
            "seat": replay.seats[ply],
            "flags": _flags(violations, ply=ply, on_card=True),
        }
        for ply, play in enumerate(replay.record.plays)
    ]


def _states(replay: Replay) -> list[dict[str, Any]]:
    melds = _running_meld(replay)
    return [
        {
            "ply": s.ply,
            "hands": [[CARDS[c] for c in cards_in(mask)] for mask in s.hands],
            "trick": _cards(s.trick),
            "last_trick": _cards(s.last_trick),
            "to_play": s.to_play,
            "points": s.points,
            "tricks": s.tricks,
            "partner_known": s.partner_known,
            "exposed": list(s.exposed),
            "meld": melds[s.ply],
        }
        for s in replay.states
    ]


def _line(
    replay: Replay, line: Line | None, text: Texts, names: Sequence[str]
) -> dict[str, Any] | None:
    if line is None:
        return None
    seat = replay.seats[line.at]
    return {
        "code": str(line),
        "at": line.at,
        "cards": list(line.cards),
        "label": text(
            "replay.whatif_line",
            name=names[seat] if seat is not None else "?",
            trick=line.at // 4 + 1,
            card=text.card(line.cards[0]),
        ),
    }


def _cards(trick: Sequence[tuple[int, int]]) -> list[tuple[int | None, str]]:
    # A card of which nobody can know who played it carries the seat -1.
    return [(None if seat < 0 else seat, CARDS[card]) for seat, card in trick]


def _running_meld(replay: Replay) -> list[int]:
    """Meld of declarer's side that stood at each ply.

    The engine settles what stands; here only the moment counts: it shows once the last
    announcement that stands has been made.
    """
    meld = replay.outcome.meld
    bid = replay.outcome.bid
    if not meld or not bid or not bid.uses_points:
        return [0] * len(replay.states)
    said = [e.ply for e in replay.events if e.kind == "claim" and e.data.get("stands")]
    since = max(said, default=0)
    return [meld[0] if s.ply >= since else 0 for s in replay.states]


def _tricks(replay: Replay) -> list[dict[str, Any]]:
    sums = [e for e in replay.events if e.kind == "trick"]
    plays = replay.record.plays
    out = []
    for number, start in enumerate(range(0, len(plays), 4)):
        cards = [
            (replay.seats[i], CARDS[plays[i].card])
            for i in range(start, min(start + 4, len(plays)))
        ]
        done: Event | None = sums[number] if number < len(sums) and len(cards) == 4 else None
        out.append(
            {
                "start": start,
                "cards": cards,
                "winner": done.seat if done else None,
                "points": done.data.get("points") if done else None,
            }
        )
    return out


def _claims(replay: Replay, text: Texts, violations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    stands = {
        int(e.data["index"]): bool(e.data["stands"]) for e in replay.events if e.kind == "claim"
    }
    out = []
    for index, claim in enumerate(replay.record.claims):
        label = claim_label(claim, text)
        if not stands[index] and claim.kind in ("roem", "stuk", "run", "set"):
            label = text("replay.claim_void", what=label)
        flags = [
            i
            for i in _flags(violations, ply=claim.ply, seat=claim.seat)
            if violations[i]["code"].startswith((*_CLAIM_CODES, "roem", claim.kind))
        ]
        out.append({"ply": claim.ply, "seat": claim.seat, "label": label, "flags": flags})
    return out


def claim_label(claim: Claim, text: Texts) -> str:
    """An announcement in words."""
    cards = " ".join(text.card(CARDS[c]) for c in claim.cards)
    return text(f"replay.claim_{claim.kind}", n=claim.value, cards=cards)


def _outcome_label(replay: Replay, text: Texts) -> str:
    outcome = replay.outcome
    _, label = result_of(outcome, replay.record.result.outcome, text)
    parts = [label]
    if outcome.points and not outcome.passed_out:
        side, defenders = outcome.points
        parts = [text("replay.outcome_points", result=label, side=side, defenders=defenders)]
    score = outcome.score or replay.record.result.score
    if score:
        letters = text.raw("seats.letters")
        row = ", ".join(f"{letters[i]}\u00a0{text.change(n)}" for i, n in enumerate(score))
        parts.append(text("replay.score_line" if outcome.score else "replay.score_noted", list=row))
    return " · ".join(parts)


def _declared(replay: Replay, text: Texts, names: Sequence[str]) -> str:
    outcome = replay.outcome
    if outcome.passed_out:
        return text("replay.title_passed")
    if outcome.declarer is None:
        return text("replay.say_no_contract")
    said = [
        text(
            "replay.say_contract",
            name=names[outcome.declarer],
            contract=contract_label(replay, text),
        )
    ]
    if outcome.trump == NO_TRUMP:
        said.append(text("replay.say_no_trump"))
    elif outcome.trump is not None:
        said.append(text("replay.say_trump", suit=text.raw("replay.suits")[outcome.trump]))
    if replay.called is not None:
        said.append(text("replay.say_called", card=text.card(CARDS[replay.called])))
    return " ".join(said)


def _remarks(replay: Replay, text: Texts, names: Sequence[str]) -> list[str]:
    out = []
    have = replay.completeness
    partner = replay.record.result.partner
    if replay.outcome.partner is None and partner is not None:
        alone = partner in (NOBODY, replay.outcome.declarer)
        out.append(
            text("replay.remark_alone")
            if alone
            else text("replay.remark_partner", name=names[partner])
        )
    if have.deal == "unknown" and not have.plays:
        out.append(text("replay.remark_sheet"))
    elif have.deal in ("inferred", "partial", "unknown"):
        out.append(text(f"replay.remark_deal_{have.deal}"))
    conceded = replay.record.result.conceded
    if conceded is not None:
        out.append(text("replay.remark_conceded", n=conceded))
    elif 0 < have.plays < 32:
        out.append(text("replay.remark_stopped", n=have.plays))
    return out


__all__ = [
    "Around",
    "call_label",
    "claim_label",
    "contract_label",
    "hand_payload",
    "player_name",
    "result_of",
    "seat_names",
]
