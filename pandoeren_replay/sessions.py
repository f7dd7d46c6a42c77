"""An evening's score sheet: the hands of a session booked in order."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.cards import SEATS
from engine.record import HandRecord
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.score import Booked, Ledger
from engine.state import Replay
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.store import Store


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One hand of a score sheet; ``balances`` is per player name after it."""

    hand_id: int | None
    number: str
    replay: Replay
    booked: Booked
    after_end: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole session. ``total`` is players plus pot, ``start`` what it was before the first hand:
    they are equal wherever chips or cents change hands (``conserved``).

    ``otherwise`` are hands for which declarer was written down another score than is booked by the
    rules: number of the hand, what was written, what is booked."""

    session: str
    rules: RuleSet
    names: tuple[str, str, str, str]
    lines: tuple[SheetLine, ...]
    pairs: tuple[int, int] | None
    pot: int
    incomplete: bool
    conserved: bool
    notes: tuple[str, ...]
    otherwise: tuple[tuple[str, int, int], ...]


def sheet(session: str, hands: Iterable[tuple[int | None, HandRecord]], rules: RuleSet) -> Sheet:
    """Book hands in order by one rule set."""
    ledger = Ledger(rules)
    start = ledger.total()
    lines: list[SheetLine] = []
    notes: list[str] = []
    seated: tuple[str | None, ...] | None = None
    over = False
    for n, (hand_id, record) in enumerate(_at_one_table(list(hands)), 1):
        done = replay(record, rules)
        result = record.result
        if result.outcome == "void" and done.outcome.bid is None and not record.plays:
            booked = ledger.book_passed_out()  # of a score sheet, which has no calls
        else:
            made = {"made": True, "lost": False}.get(result.outcome or "")
            booked = ledger.book_hand(
                done.outcome, result.score, made, result.points, result.partner
            )
        number = record.get("hand") or str(n)
        names = tuple(record.player(s) for s in range(4))
        if seated is None:
            seated = names
        if any(a and b and a != b for a, b in zip(names, seated, strict=True)):
            notes.append(f"hand {number}: other players than before; balances are by seat")
        seated = tuple(a or b for a, b in zip(names, seated, strict=True))
        lines.append(SheetLine(hand_id, number, done, booked, over))
        over = over or booked.over
    uses_pot = rules.score.system == "chips" or rules.score.pot_contribution > 0
    # What a pot takes and gives is booked with the hand and not written down with its score.
    told = [] if uses_pot else [_told(line) for line in lines]
    fixed = rules.match.partnership == "fixed-pairs"
    return Sheet(
        session,
        rules,
        tuple((seated[i] if seated else None) or SEATS[i] for i in range(4)),  # type: ignore[arg-type]
        tuple(lines),
        ledger.pairs() if fixed else None,
        ledger.pot,
        ledger.incomplete,
        not uses_pot or ledger.total() == start,
        tuple(notes),
        tuple(x for x in told if x is not None and x[1] != x[2]),
    )


def _told(line: SheetLine) -> tuple[str, int, int] | None:
    """Declarer's score as a score sheet has it, beside what is booked."""
    written, seat = line.replay.record.get("score_declarer"), line.replay.outcome.declarer
    if written is None or seat is None or line.booked.basis == "unknown" or line.after_end:
        return None
    return line.number, int(written), line.booked.change[seat]


def _at_one_table(
    hands: list[tuple[int | None, HandRecord]],
) -> list[tuple[int | None, HandRecord]]:
    """The hands of four players in all, with those of score sheets at the seats of the others.

    Two sheets of one evening name players and no seats (``seating=assumed``), each in its own
    order: a player keeps the seat that he has first, a recorded one before an assumed one. Hands
    of more than four players stay as they are.
    """
    home: dict[str, int] = {}
    for _, record in sorted(hands, key=lambda h: h[1].get("seating") == "assumed"):
        for seat in range(4):
            name = record.player(seat)
            if name is not None and name not in home:
                free = [s for s in (seat, *range(4)) if s not in home.values()]
                if not free:
                    return hands
                home[name] = free[0]
    return [
        (hand_id, _seated(record, home) if _is_of_a_sheet(record) else record)
        for hand_id, record in hands
    ]


def _is_of_a_sheet(record: HandRecord) -> bool:
    bare = record.auction_state != "calls" and not (record.plays or record.claims)
    return bare and record.get("seating") == "assumed" and set(record.deal) <= {"?"}


def _seated(record: HandRecord, home: dict[str, int]) -> HandRecord:
    """A record without cards with its players at the seats of ``home``."""
    names = [record.player(s) for s in range(4)]
    to: dict[int, int] = {s: home[n] for s, n in enumerate(names) if n is not None}
    free = [s for s in range(4) if s not in to.values()]
    to |= dict(zip((s for s in range(4) if s not in to), free, strict=True))
    if all(a == b for a, b in to.items()) or len(set(to.values())) < 4:
        return record

    def moved(seat: int | None) -> int | None:
        return seat if seat is None or seat < 0 else to[seat]

    keys = {SEATS[a].lower(): SEATS[b].lower() for a, b in to.items()}
    keys |= {f"score_{a}": f"score_{b}" for a, b in keys.items()}
    result, score = record.result, record.result.score
    if score is not None:
        back = {b: a for a, b in to.items()}
        score = (score[back[0]], score[back[1]], score[back[2]], score[back[3]])
    return replace(
        record,
        dealer=moved(record.dealer),
        declarer=moved(record.declarer),
        result=replace(result, partner=moved(result.partner), score=score),
        meta=tuple((keys.get(k, k), v) for k, v in record.meta),
    )


def stored_sheet(store: Store, session: str, rules: RuleSet | None = None) -> Sheet:
    """The score sheet of a stored session, by its own rules unless others are given.

    Raises :class:`StoreError` if there is no such session, or its hands were played by several
    rule sets and none is given.
    """
    rows = store.rows(
        "SELECT * FROM hand WHERE session = ? "
        "ORDER BY try_cast(hand_no AS BIGINT) NULLS LAST, hand_no, hand_id",
        [session],
    )
    if not rows:
        known = [
            r["session"] for r in store.rows("SELECT session FROM sessions ORDER BY 1 LIMIT 9")
        ]
        raise StoreError(
            f"there is no session {session!r} in {store.path}"
            + (f" (there: {', '.join(known)} …)" if known else " (no hand there names a session)")
        )
    if rules is None:
        kinds = sorted({(r["rules"], r["rules_hash"]) for r in rows})
        if len(kinds) > 1:
            raise StoreError(
                f"session {session!r} holds hands of several rule sets "
                f"({', '.join(f'{i}@{h}' for i, h in kinds)}); "
                "say which one to book by with --rules"
            )
        rules = store.rule_set(*kinds[0])
    return sheet(session, ((r["hand_id"], decode(r)) for r in rows), rules)
