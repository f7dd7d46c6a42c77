"""Play a record through a rule set: states by ply, events, violations, outcome."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from engine.auction import AuctionResult, bid_params, infer_dealer, run_auction
from engine.cards import CARDS, SEATS, cards_in, names
from engine.claims import Judged, Situation, judge_claims
from engine.declaration import (
    Declaration,
    checked_discard,
    effective_trump,
    judge_declaration,
    of_rank,
)
from engine.history import build_events, build_state
from engine.outcome import settle
from engine.play import MUST_OVERTRUMP, MUST_TRUMP, REVOKE, UNDERTRUMP
from engine.record import UNKNOWN_DEAL, HandRecord
from engine.rulefile import DEFAULT_ID, load_ruleset
from engine.ruleset import RuleSet
from engine.state import NOBODY, Completeness, Outcome, Replay, State
from engine.table import Hands, Table, deal_fault, lay_table, recorded_owners, work_out_hands
from engine.violations import Violation

T = TypeVar("T")

OFFENCE_CODES = {
    REVOKE: "revoke",
    UNDERTRUMP: "undertrump",
    MUST_TRUMP: "must-trump",
    MUST_OVERTRUMP: "must-overtrump",
}


class Lazy(Sequence[T]):
    """A sequence whose items are built when they are asked for."""

    def __init__(self, n: int, build: Callable[[int], T]) -> None:
        self._n = n
        self._build = build
        self._items: dict[int, T] = {}

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, i: int) -> T: ...
    @overload
    def __getitem__(self, i: slice) -> list[T]: ...
    def __getitem__(self, i: int | slice) -> T | list[T]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(self._n))]
        if i < 0:
            i += self._n
        if not 0 <= i < self._n:
            raise IndexError(i)
        if i not in self._items:
            self._items[i] = self._build(i)
        return self._items[i]

    def __iter__(self) -> Iterator[T]:
        return (self[i] for i in range(self._n))


def replay(record: HandRecord, rules: RuleSet | str | None = None) -> Replay:
    """Replay a record.

    ``rules`` is a rule set, an id or a path; without it the record's own id is used, else
    ``heerlen``. Nothing a record holds makes this fail: what is wrong becomes a violation, what
    is missing stays unknown. Raises :class:`engine.rulefile.RuleSetError` only for rules that
    cannot be loaded.

    >>> r = replay(HandRecord())
    >>> r.outcome.made, [v.code for v in r.violations][:2]
    (None, ['deal-incomplete', 'auction-unknown'])
    """
    if not isinstance(rules, RuleSet):
        rules = load_ruleset(rules or record.rules or DEFAULT_ID)
    dealer = infer_dealer(record, rules)
    fault = deal_fault(record)
    trusted = fault is None
    auction = run_auction(record, rules, dealer)
    bid, declarer = auction.bid, auction.declarer
    exchange = _exchange(rules, auction)
    trump = effective_trump(record, bid)
    discard, discard_faults = checked_discard(record, declarer, exchange, trusted)
    forehand = None if dealer is None else (dealer + 1) % 4
    leader = declarer if rules.play.first_lead == "declarer" else forehand
    owner = _owner_map(record, trusted, declarer, exchange)
    table = lay_table(record.plays, leader, trump, rules.tables, owner)
    hands = work_out_hands(record, table, declarer, exchange, discard, trusted)
    declaration = judge_declaration(record, rules, bid, declarer, trump, discard, hands, table)
    situation = Situation(
        record=record,
        rules=rules,
        bid=bid,
        declarer=declarer,
        partner=declaration.partner,
        trump=trump,
        called=declaration.called,
        forehand=forehand,
        bidders=auction.bidders,
        table=table,
        hands=hands,
    )
    judged = judge_claims(situation)
    outcome = settle(situation, judged, auction.passed_out)
    violations = [
        *_deal_violations(record, fault),
        *auction.violations,
        *_requirement(auction, rules, hands),
        *discard_faults,
        *declaration.violations,
        *sorted([*_play_violations(situation), *judged.violations], key=lambda v: v.ply or 0),
        *_incomplete(record, auction, outcome),
        *_record_violations(record, outcome),
    ]
    n = len(record.plays)
    events = Lazy(1, lambda _: build_events(situation, auction, judged))
    return Replay(
        record=record,
        rules=rules,
        dealer=dealer,
        owners=tuple(hands.owners),
        inferred=hands.inferred,
        hands=_four(hands.dealt),
        playing=_four(hands.playing),
        middle=hands.middle,
        discard=hands.discard,
        has_discard=bool(exchange),
        called=declaration.called,
        seats=tuple(table.seats),
        states=Lazy(n + 1, lambda ply: build_state(situation, judged, ply)),
        lazy_events=events,
        violations=tuple(violations),
        outcome=outcome,
        completeness=_completeness(record, auction, hands, exchange),
    )


def _exchange(rules: RuleSet, auction: AuctionResult) -> bool | None:
    """Whether declarer takes the middle card; ``None`` where the contract is needed to tell."""
    if auction.passed_out:
        return False
    if auction.bid is not None:
        return rules.takes_middle(auction.bid.contract)
    possible = {rules.takes_middle(rules.contracts[k]) for k in rules.auction.order}
    return None if True in possible else False


def _four(values: list[int]) -> tuple[int, int, int, int]:
    return (values[0], values[1], values[2], values[3])


def _owner_map(
    record: HandRecord, trusted: bool, declarer: int | None, exchange: bool | None
) -> dict[int, int]:
    if not trusted or record.deal == UNKNOWN_DEAL:
        return {}
    out = {}
    for c, o in enumerate(recorded_owners(record)):
        if o is not None and o < 4:
            out[c] = o
        elif o == 4 and exchange and declarer is not None:
            out[c] = declarer
    return out


def _deal_violations(record: HandRecord, fault: tuple[str, str] | None) -> list[Violation]:
    out = []
    if fault is not None:
        out.append(Violation("deal-invalid", params={"what": fault[0], "what_nl": fault[1]}))
    if "?" in record.deal:
        out.append(Violation("deal-incomplete", params={"n": record.deal.count("?")}))
    return out


def _requirement(auction: AuctionResult, rules: RuleSet, hands: Hands) -> list[Violation]:
    out = []
    for call in auction.calls:
        if not call.counts or call.bid is None or call.seat is None:
            continue
        needed = call.bid.contract.aces_needed
        hand = hands.dealt[call.seat]
        if needed and hand.bit_count() == 8 and (hand & of_rank("A")).bit_count() < needed:
            n = (hand & of_rank("A")).bit_count()
            params: dict[str, Any] = {"n": n, "needed": needed}
            params |= bid_params(call.text, call.bid)
            out.append(Violation("bid-requirement", call=call.index, seat=call.seat, params=params))
    return out


def _play_violations(s: Situation) -> list[Violation]:
    out: list[Violation] = []
    left = list(s.hands.playing)
    gone = 0
    tables = s.rules.tables
    for i, (play, seat, in_turn) in enumerate(zip(s.record.plays, s.table.seats, s.table.turn)):
        c = play.card
        bit = 1 << c
        params: dict[str, Any] = {"card": CARDS[c]}
        if not in_turn:
            out.append(Violation("out-of-turn", i, seat=seat, params=params))
        if seat is None:
            if gone & bit:
                out.append(Violation("played-twice", i, params=params))
            gone |= bit
            continue
        if not left[seat] & bit:
            others = sum(left[o] for o in range(4) if o != seat) | s.hands.nowhere
            if gone & bit:
                out.append(Violation("played-twice", i, seat=seat, params=params))
                continue
            if s.hands.complete[seat] or others & bit:
                out.append(Violation("not-held", i, seat=seat, params=params))
                continue
        if s.trump is not None and in_turn:
            led, best = s.table.led[i], s.table.best[i]
            hands = [hand | bit for hand in _hands_left(s, seat, left[seat])]
            kinds = [tables.offence(s.trump, hand, led, best, c) for hand in hands]
            if all(kinds):
                legal = 0
                for hand in hands:
                    legal |= tables.legal(s.trump, hand, led, best)
                params["cards"] = names(legal)
                out.append(Violation(OFFENCE_CODES[kinds[0]], i, seat=seat, params=params))
        left[seat] &= ~bit
        gone |= bit
    return out


def _hands_left(s: Situation, seat: int, left: int) -> list[int]:
    """What a seat may hold: ``left`` of what he is known to play, for declarer without a known
    discard each choice of it among his nine cards."""
    hands = s.hands
    if seat != s.declarer or hands.complete[seat] or hands.discard is not None:
        return [left]
    if hands.dealt[seat].bit_count() < 8 or hands.middle is None:
        return [left]
    unplayed = (hands.dealt[seat] | 1 << hands.middle) & ~hands.playing[seat]
    return [left | unplayed & ~(1 << c) for c in cards_in(unplayed)] or [left]


def _incomplete(record: HandRecord, auction: AuctionResult, outcome: Outcome) -> list[Violation]:
    n = len(record.plays)
    if outcome.passed_out or n >= 32:
        return []
    return [Violation("play-incomplete", params={"n": n})]


def _record_violations(record: HandRecord, outcome: Outcome) -> list[Violation]:
    out: list[Violation] = []
    r = record.result

    def differ(code: str, recorded: str, found: str, **more: str) -> None:
        out.append(Violation(code, params={"recorded": recorded, "found": found, **more}))

    if r.partner is not None and outcome.partner is not None and r.partner != outcome.partner:
        en, nl = ("North", "East", "South", "West", "nobody"), (
            "Noord", "Oost", "Zuid", "West", "niemand",
        )  # fmt: skip
        differ(
            "partner-mismatch",
            en[r.partner],
            en[outcome.partner],
            recorded_nl=nl[r.partner],
            found_nl=nl[outcome.partner],
        )
    if r.outcome is not None:
        dutch = {"made": "gemaakt", "lost": "verloren", "void": "gepast"}
        found = "void" if outcome.passed_out else {True: "made", False: "lost"}.get(outcome.made)  # type: ignore[arg-type]
        if found is None and r.outcome == "void" and outcome.bid is not None:
            found = "bid"
            dutch["bid"] = "is er geboden"
        if found is not None and found != r.outcome:
            differ(
                "result-mismatch",
                r.outcome,
                "it was bid" if found == "bid" else found,
                recorded_nl=dutch[r.outcome],
                found_nl=dutch[found],
            )
    if len(record.plays) == 32 and not outcome.passed_out:
        for code, mine, theirs in (
            ("points-mismatch", outcome.points, r.points),
            ("tricks-mismatch", outcome.tricks, r.tricks),
        ):
            if mine is not None and theirs is not None and mine != theirs:
                differ(code, f"{theirs[0]}-{theirs[1]}", f"{mine[0]}-{mine[1]}")
    if r.score is not None and outcome.score is not None and r.score != outcome.score:
        differ(
            "score-mismatch",
            _score_text(r.score, SEATS),
            _score_text(outcome.score, SEATS),
            recorded_nl=_score_text(r.score, "NOZW"),
            found_nl=_score_text(outcome.score, "NOZW"),
        )
    return out


def _score_text(score: tuple[int, int, int, int], letters: str) -> str:
    return " ".join(f"{s}{n:+d}" if n else f"{s}0" for s, n in zip(letters, score))


def _completeness(
    record: HandRecord, auction: AuctionResult, hands: Hands, exchange: bool | None
) -> Completeness:
    known = sum(o is not None for o in hands.owners)
    recorded = 33 - record.deal.count("?")

    def status(was: bool, is_now: bool) -> str:
        return "recorded" if was else "inferred" if is_now else "unknown"

    deal = status(recorded == 33, known == 33)
    if deal == "unknown" and known:
        deal = "partial"
    auction_state = {"calls": "recorded", "unknown": "partial", "absent": "unknown"}
    if exchange:
        gone = status(record.discard not in (None, "-", "?"), hands.discard is not None)
    else:
        gone = "none" if exchange is False or auction.passed_out else "unknown"
    return Completeness(
        deal=deal,
        auction=auction_state[record.auction_state],
        middle=status("M" in record.deal, hands.middle is not None),
        discard=gone,
        plays=len(record.plays),
        meld="recorded" if record.claims else "none",
        result="unknown" if record.result.is_empty() else "recorded",
    )


__all__ = ["NOBODY", "Declaration", "Judged", "Lazy", "State", "Table", "replay"]
