"""Whose turn it was: seats are written in a record only where they do not follow."""

from collections.abc import Sequence

from engine.auction import run_auction
from engine.cards import NO_TRUMP, SUITS
from engine.record import HandRecord, Play
from engine.ruleset import RuleSet
from engine.table import lay_table


def leader_and_trump(record: HandRecord, ruleset: RuleSet) -> tuple[int | None, int | None]:
    """Who leads to the first trick, and the trump suit, as far as the record settles them."""
    auction = run_auction(record, ruleset, record.dealer)
    if ruleset.play.first_lead == "forehand":
        leader = None if record.dealer is None else (record.dealer + 1) % 4
    else:
        leader = auction.declarer
    if auction.bid is not None and not auction.bid.contract.trump:
        return leader, NO_TRUMP
    if record.trump == "-":
        return leader, NO_TRUMP
    return leader, None if record.trump in (None, "?") else SUITS.index(str(record.trump))


def write_seats(
    plays: Sequence[Play], leader: int | None, trump: int | None, ruleset: RuleSet
) -> tuple[Play, ...]:
    """The plays with a seat only where it does not follow from who leads and who won."""
    out = [Play(p.card) for p in plays]
    for _ in range(len(out)):
        seats = lay_table(tuple(out), leader, trump, ruleset.tables, {}).seats
        for i, play in enumerate(plays):
            if play.seat is not None and seats[i] != play.seat and out[i].seat is None:
                out[i] = play
                break
        else:
            break
    return tuple(out)
