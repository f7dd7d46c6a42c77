"""After the auction: discard, trumps, called card, and who is the partner (RULES 3 and 9)."""

from dataclasses import dataclass, field

from engine.auction import bid_params
from engine.cards import (
    CARDS,
    NO_TRUMP,
    RANK_OF,
    SUIT_MASK,
    SUIT_OF,
    SUITS,
    card,
    cards_in,
    mask_of,
)
from engine.record import HandRecord
from engine.ruleset import Bid, RuleSet
from engine.state import NOBODY
from engine.table import MIDDLE, Hands, Table, recorded_owners
from engine.violations import Violation


@dataclass(slots=True)
class Declaration:
    """Called card (``None``: none or unknown), partner and what was wrong."""

    called: int | None = None
    partner: int | None = None
    violations: list[Violation] = field(default_factory=list)


def effective_trump(record: HandRecord, bid: Bid | None) -> int | None:
    """The trump suit that the play is judged by; ``None`` where it is not known."""
    if bid is not None and not bid.contract.trump:
        return NO_TRUMP
    if record.trump in ("S", "H", "D", "C"):
        return SUITS.index(record.trump)
    return NO_TRUMP if record.trump == "-" and bid is None else None


def checked_discard(
    record: HandRecord, declarer: int | None, exchange: bool | None, trusted: bool
) -> tuple[int | None, list[Violation]]:
    """The discard, if declarer can have made it."""
    text = record.discard
    if not exchange or declarer is None:
        if exchange is False and text not in (None, "-", "?"):
            where = Violation("discard-not-held", seat=declarer, params={"card": text})
            return None, [where]
        return None, []
    if text in (None, "-", "?"):
        return None, [Violation("discard-missing")]
    c = card(str(text))
    owners = recorded_owners(record) if trusted else [None] * 33
    if owners[c] not in (None, declarer, MIDDLE):
        return None, [Violation("discard-not-held", seat=declarer, params={"card": text})]
    return c, []


def of_rank(rank: str) -> int:
    """The four (or fewer) cards of a rank.

    >>> of_rank("6").bit_count()
    1
    """
    return mask_of(c for c in range(33) if RANK_OF[c] == rank)


def callable_cards(rules: RuleSet, bid: Bid, own: int, trump: int | None) -> int:
    """Cards that a declarer who holds or discarded ``own`` may call."""
    kind = bid.contract.partner
    barred = own
    if not rules.calling.trump_allowed and trump is not None and trump != NO_TRUMP:
        barred |= SUIT_MASK[trump]
    if kind == "called-ace":
        return (of_rank("A") & ~barred) or (of_rank("K") & ~barred)
    if kind == "called-jack":
        return of_rank("J") & ~barred
    if kind == "called-card":
        return ((1 << 33) - 1) & ~barred
    if kind == "fourth-ace":
        missing = of_rank("A") & ~own
        if missing:
            return missing
        hearts = list(cards_in(SUIT_MASK[SUITS.index("H")] & ~own))
        hearts.sort(key=lambda c: rules.cards.plain_order.index(RANK_OF[c]))
        return mask_of(hearts[:1])
    return 0


def judge_declaration(
    record: HandRecord,
    rules: RuleSet,
    bid: Bid | None,
    declarer: int | None,
    trump: int | None,
    discard: int | None,
    hands: Hands,
    table: Table,
) -> Declaration:
    """Check trumps and call, and find the partner."""
    out = Declaration()
    if bid is None:
        out.called = _card_or_none(record.called)
        return out
    contract = bid.contract
    params = bid_params(bid.text, bid)

    def flag(code: str, **more: object) -> None:
        out.violations.append(Violation(code, seat=declarer, params={**params, **more}))

    if contract.trump and record.trump == "-":
        flag("trump-missing")
    if not contract.trump and record.trump in ("S", "H", "D", "C"):
        flag("trump-not-allowed")
    own = 0
    whole = False
    if declarer is not None:
        own, whole = _own_cards(declarer, discard, hands)
    called = _card_or_none(record.called)
    if contract.partner == "jas-holder":
        _judge_jas_holder(out, rules, bid, declarer, trump, called, own, hands, flag)
        return out
    if not contract.calls_card:
        if called is not None:
            flag("call-not-allowed", card=CARDS[called])
        if contract.partner == "first-trick-winner":
            first = table.winners[0] if table.winners else None
            out.partner = NOBODY if first == declarer and first is not None else first
        else:
            out.partner = NOBODY
        return out
    allowed = callable_cards(rules, bid, own, trump)
    if record.called == "-":
        out.partner = NOBODY
        if not rules.calling.optional and not (whole and not allowed):
            flag("call-missing")
        return out
    if called is None and contract.partner == "fourth-ace" and whole:
        if allowed.bit_count() == 1:
            called = next(cards_in(allowed))
    if called is None:
        return out
    if own >> called & 1:
        flag("call-own-card", card=CARDS[called])
    elif not _call_is_legal(rules, bid, own, whole, trump, called, hands, declarer):
        flag("call-illegal-card", card=CARDS[called])
    if contract.partner == "fourth-ace" and trump is not None and SUIT_OF[called] != trump:
        flag("trump-illegal")
    out.called = called
    out.partner = _holder(called, declarer, own, hands)
    return out


def _own_cards(declarer: int, discard: int | None, hands: Hands) -> tuple[int, bool]:
    """Declarer's cards, his discard among them, and whether these are all.

    The discard may have been recorded or follow from the play; where it is one of nine known cards
    that is enough, for neither his cards nor his discard can be called.
    """
    if discard is None:
        discard = hands.discard
    own = hands.playing[declarer] | (0 if discard is None else 1 << discard)
    dealt = hands.dealt[declarer]
    if discard is None and hands.middle is not None and dealt.bit_count() == 8:
        if not hands.complete[declarer]:
            return dealt | 1 << hands.middle, True
    return own, hands.complete[declarer]


def _card_or_none(text: str | None) -> int | None:
    return None if text in (None, "-", "?") else card(str(text))


def _call_is_legal(
    rules: RuleSet,
    bid: Bid,
    own: int,
    whole: bool,
    trump: int | None,
    called: int,
    hands: Hands,
    declarer: int | None,
) -> bool:
    """Whether a call is legal, or may be: without the whole hand only what is certain counts."""
    if callable_cards(rules, bid, own, trump) >> called & 1:
        return True
    if whole:
        return False
    # With cards of declarer unknown he may hold every ace that is not known to lie elsewhere.
    elsewhere = mask_of(
        c for c, o in enumerate(hands.owners) if o is not None and o not in (declarer, MIDDLE)
    )
    return bool(callable_cards(rules, bid, ((1 << 33) - 1) & ~elsewhere & ~(1 << called), trump)
                >> called & 1)  # fmt: skip


def _holder(called: int, declarer: int | None, own: int, hands: Hands) -> int | None:
    if own >> called & 1:
        return NOBODY
    for s in range(4):
        if hands.playing[s] >> called & 1:
            return NOBODY if s == declarer else s
    return NOBODY if hands.nowhere >> called & 1 else None


def _judge_jas_holder(
    out: Declaration,
    rules: RuleSet,
    bid: Bid,
    declarer: int | None,
    trump: int | None,
    called: int | None,
    own: int,
    hands: Hands,
    flag: object,
) -> None:
    assert callable(flag)
    if trump is None or trump == NO_TRUMP:
        return
    jas = int(rules.tables.jas[trump]).bit_length() - 1
    if called is not None and called != jas:
        flag("call-not-allowed", card=CARDS[called])
    if bid.contract.own_jas == "forbidden" and declarer is not None:
        if hands.playing[declarer] >> jas & 1:
            flag("trump-illegal")
    out.called = jas
    out.partner = _holder(jas, declarer, own, hands)
