"""One form for what can be recorded in several: the record as both encodings tell it."""

from dataclasses import replace

from engine.record import UNKNOWN_DEAL, Call, HandRecord
from parsers.fields import OWNERS, sorted_claims
from parsers.meta import free_key, sorted_notes


def settle_owners(owners: dict[int, list[str]]) -> tuple[str, tuple[tuple[int, str], ...]]:
    """DEAL and ``deal_extra`` from the owners of each card.

    A card given to several hands belongs, by convention, to the first in the order N E S W M;
    the others are kept beside the deal, so that both forms tell the same.

    >>> settle_owners({0: ["W", "E"]})[1]
    ((0, 'W'),)
    """
    deal = list(UNKNOWN_DEAL)
    extra = []
    for card in sorted(owners):
        first, *rest = sorted(owners[card], key=OWNERS.index)
        deal[card] = first
        extra += [(card, owner) for owner in rest]
    return "".join(deal), tuple(extra)


def owners_of(record: HandRecord) -> dict[int, list[str]]:
    """Every owner that a record names for each card; cards of which nothing is known are left."""
    owners: dict[int, list[str]] = {}
    for card, owner in enumerate(record.deal):
        if owner != "?":
            owners[card] = [owner]
    for card, owner in record.deal_extra:
        owners.setdefault(card, []).append(owner)
    return owners


def is_empty(record: HandRecord) -> bool:
    """Whether a record tells of nothing: no call, no card, no outcome, no result."""
    return record.deal == UNKNOWN_DEAL and (
        replace(record, rules=None, rules_hash=None, dealer=None, meta=(), notes=()) == HandRecord()
    )


def normalised(record: HandRecord) -> HandRecord:
    """The record as both encodings tell it.

    Claims and notes by place, a card of two hands by the convention of :func:`settle_owners`,
    a declaration whole or absent, keys that the notation can write. Readers only ever yield
    such records; one built elsewhere means the same before and after.
    """
    state = record.auction_state
    calls: tuple[Call, ...] = record.auction if state == "calls" else ()
    declarer, contract = (None, None) if calls else (record.declarer, record.contract)
    known = declarer is not None or contract is not None
    if not calls:
        state = "unknown" if state == "unknown" or known else "absent"
    deal, extra = record.deal, record.deal_extra
    if extra:
        deal, extra = settle_owners(owners_of(record))
    trump, called, discard = record.trump, record.called, record.discard
    if trump or called or discard:
        trump, called, discard = trump or "?", called or "?", discard or "?"
    named = record.rules not in (None, "", "?", ".")
    return replace(
        record,
        rules=record.rules if named else None,
        rules_hash=record.rules_hash if named else None,
        deal=deal,
        deal_extra=extra,
        auction_state=state,
        auction=calls,
        declarer=declarer,
        contract=contract,
        trump=trump,
        called=called,
        discard=discard,
        claims=sorted_claims(record.claims),
        meta=tuple((free_key(k), v) for k, v in record.meta),
        notes=sorted_notes(record.notes),
    )
