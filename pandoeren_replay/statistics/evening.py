"""What a session's report tells: standings, swings, what decided a hand, meld, broken rules."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from engine.cards import CARDS, SEATS
from engine.record import Result
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.state import NOBODY, Replay
from engine.violations import Language, Violation
from pandoeren_replay.luck import SessionLuck, stored_luck
from pandoeren_replay.sessions import Sheet, SheetLine, stored_sheet
from pandoeren_replay.statistics.fair import SessionReview, session_review
from pandoeren_replay.store.encode import is_simulated
from pandoeren_replay.store.store import Store
from pandoeren_replay.ui.texts import Texts

TURNING_HANDS = 3
LAST_TRICK = 8
NAME_LENGTH = 40


@lru_cache(maxsize=2)
def words(lang: Language) -> dict[str, str]:
    """Texts of the report."""
    path = files("pandoeren_replay.statistics") / "report.toml"
    return dict(tomllib.loads(path.read_text("utf-8"))[lang])


@dataclass(frozen=True, slots=True)
class Standing:
    """One player at the end: place (equals share one), balance, hands declared and made."""

    place: int
    seat: int
    name: str
    total: int
    declared: int
    made: int
    as_partner: int


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment that decided a hand: when ``ply`` cards lay, before ``card`` (or a whole trick).

    ``turned`` tells, where the hand was analysed, what the card made of the contract.
    """

    ply: int
    trick: int
    card: int | None = None
    seat: int | None = None
    turned: str | None = None

    @property
    def picture(self) -> int:
        """The ply to show: a last trick tells nothing, so all cards then."""
        return 0 if self.card is None and self.trick == LAST_TRICK else self.ply


@dataclass(frozen=True, slots=True)
class Turning:
    """A hand that moved the balances most; ``leader`` is who took the lead in it."""

    line: SheetLine
    moment: Moment | None
    leader: int | None


@dataclass(frozen=True, slots=True)
class Roem:
    """The biggest meld that counted."""

    line: SheetLine
    value: int
    side: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evening:
    """Everything a report tells, in one language."""

    sheet: Sheet
    text: Texts
    date: str | None
    event: str | None
    simulated: int
    standings: tuple[Standing, ...]
    best: tuple[SheetLine, int] | None
    worst: tuple[SheetLine, int] | None
    turning: tuple[Turning, ...]
    roem: Roem | None
    mattered: tuple[tuple[SheetLine, Violation], ...]
    other_faults: tuple[tuple[SheetLine, Violation], ...]
    mismatches: tuple[tuple[SheetLine, Violation], ...]
    analysed: bool
    fair: SessionReview
    luck: SessionLuck

    def say(self, key: str, **values: object) -> str:
        """A text of the report."""
        return words(self.text.lang)[key].format(**values)

    def name(self, seat: int) -> str:
        """A player's name in one line of bearable length, or the seat."""
        found = " ".join((self.sheet.names[seat] or "").split())
        if not found or found == SEATS[seat]:
            return self.text.seat(seat)
        return found if len(found) <= NAME_LENGTH else found[: NAME_LENGTH - 1] + "…"

    def what(self, line: SheetLine) -> str:
        """Contract and who played it: ``pandoer, Dirk met Anneke``."""
        o = line.replay.outcome
        if was_passed(line):
            return self.say("passed")
        contract = self.text.contract(line.replay.rules, o.contract or line.replay.record.contract)
        return f"{contract}, {self.who(line)}" if o.declarer is not None else contract

    def who(self, line: SheetLine) -> str:
        """Declarer and partner."""
        declarer, partner = line.replay.outcome.declarer, partner_of(line)
        if declarer is None:
            return ""
        if partner is None:
            return self.name(declarer)
        if partner in (NOBODY, declarer):
            return self.say("alone", name=self.name(declarer))
        return self.say("with_partner", name=self.name(declarer), partner=self.name(partner))

    def result(self, line: SheetLine) -> str:
        """Made, lost or not known; what was only written down says so."""
        made, recorded = line.replay.outcome.made, line.replay.record.result.outcome
        if made is not None:
            return self.say("is_made" if made else "is_lost")
        if recorded in ("made", "lost"):
            return self.say("recorded", result=self.say(f"is_{recorded}"))
        return "" if was_passed(line) else self.say("is_open")

    def message(self, violation: Violation) -> str:
        """What was broken, as a sentence."""
        return violation.message(self.text.lang)


def partner_of(line: SheetLine) -> int | None:
    """Declarer's partner as the cards prove it, else as recorded: what was booked by."""
    proven, recorded = line.replay.outcome.partner, line.replay.record.result.partner
    return recorded if proven is None else proven


def was_passed(line: SheetLine) -> bool:
    """Whether nobody bid, by the auction or by a score sheet."""
    return line.replay.outcome.passed_out or line.booked.basis == "void"


def evening(
    store: Store, session: str, lang: Language = "nl", rules: RuleSet | None = None
) -> Evening:
    """Collect the report of a stored session.

    Raises :class:`~pandoeren_replay.store.StoreError` if there is no such session, or its hands
    follow several rule sets and none is given.
    """
    sheet = stored_sheet(store, session, rules)
    lines = [x for x in sheet.lines if not x.after_end]
    changes = [(x, seat) for x in lines for seat in range(4)]
    best = max(changes, key=lambda c: c[0].booked.change[c[1]], default=None)
    worst = min(changes, key=lambda c: c[0].booked.change[c[1]], default=None)
    evaluations = _evaluations(store, [x.hand_id for x in lines if x.hand_id is not None])
    mattered, other = _faults(lines)
    first = sheet.lines[0].replay.record
    return Evening(
        sheet=sheet,
        text=Texts(lang),
        date=first.get("date"),
        event=first.get("event"),
        simulated=sum(is_simulated(x.replay.record) for x in sheet.lines),
        standings=_standings(sheet, lines),
        best=best if best and best[0].booked.change[best[1]] > 0 else None,
        worst=worst if worst and worst[0].booked.change[worst[1]] < 0 else None,
        turning=_turning(lines, evaluations),
        roem=_roem(lines),
        mattered=mattered,
        other_faults=other,
        mismatches=tuple(
            (x, v) for x in lines for v in x.replay.violations if v.severity == "warning"
        ),
        analysed=bool(evaluations),
        fair=session_review(store, sheet),
        luck=stored_luck(store, sheet),
    )


def _standings(sheet: Sheet, lines: Sequence[SheetLine]) -> tuple[Standing, ...]:
    total = lines[-1].booked.balance
    out = []
    for seat in range(4):
        declared = [x for x in lines if x.replay.outcome.declarer == seat]
        partner = sum(partner_of(x) == seat and x.replay.outcome.declarer != seat for x in lines)
        out.append(
            Standing(
                1 + sum(t > total[seat] for t in total),
                seat,
                sheet.names[seat],
                total[seat],
                len(declared),
                sum(_success(x) is True for x in declared),
                partner,
            )
        )
    return tuple(sorted(out, key=lambda s: (s.place, s.seat)))


def _success(line: SheetLine) -> bool | None:
    made = line.replay.outcome.made
    recorded = {"made": True, "lost": False}.get(line.replay.record.result.outcome or "")
    return recorded if made is None else made


def _swing(line: SheetLine) -> int:
    return max(line.booked.change) - min(line.booked.change)


def _turning(
    lines: Sequence[SheetLine], evaluations: dict[int, list[dict[str, Any]]]
) -> tuple[Turning, ...]:
    """The hands with the widest swing; of equals those that changed the lead, then the later."""
    found = []
    leaders: set[int] = set()
    for i, line in enumerate(lines):
        balance = line.booked.balance
        now = {s for s in range(4) if balance[s] == max(balance)}
        leader = next(iter(now)) if len(now) == 1 and not now & leaders and i else None
        found.append((_swing(line), leader is not None, i, line, leader))
        leaders = now
    found.sort(key=lambda f: f[:3], reverse=True)
    chosen = sorted((f for f in found[:TURNING_HANDS] if f[0] > 0), key=lambda f: f[2])
    return tuple(
        Turning(line, moment(line.replay, evaluations.get(line.hand_id or -1, [])), leader)
        for _, _, _, line, leader in chosen
    )


def moment(hand: Replay, values: Sequence[dict[str, Any]] = ()) -> Moment | None:
    """The moment that decided a hand, ``None`` where its cards do not tell.

    With ``values`` (its rows of ``evaluations`` of cards played) the last card that turned the
    contract; else the trick after which the cards proved it made or lost.
    """
    bid, meld = hand.outcome.bid, hand.outcome.meld
    if bid is None or hand.outcome.made is None:
        return None

    def made(value: int, goal: str) -> bool:
        have = meld[0] if meld else 0
        return value + have >= bid.target if goal == "points" else value == 1 and have >= bid.plus

    for row in sorted(values, key=lambda r: -int(r["ply"])):
        before, after = made(row["best"], row["goal"]), made(row["value"], row["goal"])
        ply = int(row["ply"])
        if before != after and ply < len(hand.seats):
            turned = "turned_made" if after else "turned_lost"
            card = hand.record.plays[ply].card
            return Moment(ply, ply // 4 + 1, card, hand.seats[ply], turned)
    for trick in range(1, len(hand.outcome.winners) + 1):
        so_far = replace(
            hand.record, plays=hand.record.plays[: 4 * trick], result=Result(),
            claims=tuple(c for c in hand.record.claims if c.ply <= 4 * trick),
        )  # fmt: skip
        if replay(so_far, hand.rules).outcome.made == hand.outcome.made:
            return Moment(4 * (trick - 1), trick)
    return None


def _evaluations(store: Store, hands: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    if not hands:
        return {}
    marks = ", ".join("?" for _ in hands)
    rows = store.rows(
        "SELECT hand_id, ply, goal, value, best FROM evaluations "
        f"WHERE played AND hand_id IN ({marks}) ORDER BY hand_id, ply",
        list(hands),
    )
    out: dict[int, list[dict[str, Any]]] = {}
    for r in rows:
        out.setdefault(r["hand_id"], []).append(r)
    return out


def _roem(lines: Sequence[SheetLine]) -> Roem | None:
    best: Roem | None = None
    for line in lines:
        o = line.replay.outcome
        if o.meld is None or o.bid is None or not o.bid.uses_points:
            continue
        for side, value in enumerate(o.meld):
            if value and (best is None or value > best.value):
                ours = (o.declarer, o.partner)
                said = {
                    e.seat
                    for e in line.replay.events
                    if e.kind == "claim" and e.data.get("stands") and e.data.get("what") != "deny"
                    and not str(e.data.get("what")).startswith("show")
                    and e.seat is not None and (e.seat in ours) == (side == 0)
                }  # fmt: skip
                best = Roem(line, value, side, tuple(sorted(said)))
    return best


_Faults = tuple[tuple[SheetLine, Violation], ...]


def _faults(lines: Sequence[SheetLine]) -> tuple[_Faults, _Faults]:
    """Broken rules, those first that can have decided the contract."""
    mattered: list[tuple[SheetLine, Violation]] = []
    other: list[tuple[SheetLine, Violation]] = []
    for line in lines:
        for v in line.replay.violations:
            if v.severity == "error":
                (mattered if may_have_decided(line.replay, v) else other).append((line, v))
    return tuple(mattered), tuple(other)


def may_have_decided(hand: Replay, v: Violation) -> bool:
    """Whether the contract could have ended otherwise without a broken rule.

    A card: in a points contract, if the points of its trick are at least what made or lost the
    contract; in another, if the contract was not decided before its trick. An announcement: if
    declarer's side missed or passed the target by no more than it is worth. Deal, declaration, or a
    bid that stands though its hand lacks what it needs: always. Any other call: never, since a
    call that breaks the rules has no effect.
    """
    bid, points, meld = hand.outcome.bid, hand.outcome.points, hand.outcome.meld
    if bid is None or hand.outcome.made is None:
        return False
    if v.code.startswith("bid-"):
        return v.code == "bid-requirement"
    if v.ply is None:
        return True
    if v.code.startswith(("roem", "stuk", "deny", "show")):
        said = [c.value or hand.rules.meld.stuk for c in hand.record.claims
                if c.ply == v.ply and c.seat == v.seat]  # fmt: skip
        stake = max(said, default=0)
    else:
        sums = {e.data["trick"]: e.data["points"] for e in hand.events if e.kind == "trick"}
        stake = sums.get(v.ply // 4 + 1) or 0
    if bid.target:
        if points is None or meld is None:
            return False
        margin = points[0] + meld[0] - bid.target
        return -stake <= margin < stake
    decided = moment(hand)
    return decided is not None and v.ply // 4 + 1 <= decided.trick


def card_text(text: Texts, card: int) -> str:
    """A card as players of the language write it."""
    return text.card(CARDS[card])
