"""Deals as in the papers: tag pairs in the manner of PBN, and the four hands round the table."""

from dataclasses import replace

from engine.cards import CARDS
from engine.record import HandRecord, Result
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.state import Replay
from engine.violations import SEAT_NAMES
from pandoeren_replay.table_text import hand_lines
from parsers.phn import write_phn

WIDTH = 20


def deal_diagram(done: Replay) -> list[str]:
    """The hands as dealt, as lines of text: north above, west and east beside, south below.

    Cards that nobody wrote down and that do not follow from the play are ``?``.
    """
    blocks = []
    for seat in range(4):
        mask = done.hands[seat]
        name = "".join(c if c.isprintable() else " " for c in done.record.player(seat) or "")
        head = SEAT_NAMES["en"][seat] + (f" ({name[:40]})" if name else "")
        blocks.append([head, *hand_lines(mask, mask.bit_count() >= 8)])
    north, east, south, west = blocks
    lines = [" " * WIDTH + line for line in north]
    for i in range(max(len(west), len(east))):
        left = west[i] if i < len(west) else ""
        right = east[i] if i < len(east) else ""
        lines.append(f"{left:<{2 * WIDTH}}{right}".rstrip())
    lines += [" " * WIDTH + line for line in south]
    middle = "?" if done.middle is None else CARDS[done.middle]
    return [*lines, f"Middle card: {middle}"]


def write_pbn(record: HandRecord, rules: RuleSet) -> str:
    """One deal as text that is read as ``.phn``: what was dealt, bid and made, and the diagram.

    The calls and the play are left out; the other formats have them.
    """
    done = replay(record, rules)
    owners = ["?"] * len(CARDS)
    for card, owner in enumerate(done.owners):
        if owner is not None:
            owners[card] = "NESWM"[owner]
    o = done.outcome
    bid = o.contract is not None and o.declarer is not None
    short = replace(
        record,
        deal="".join(owners),
        deal_extra=(),
        auction_state="unknown" if bid else record.auction_state,
        auction=() if bid else record.auction,
        declarer=o.declarer if bid else record.declarer,
        contract=o.contract if bid else record.contract,
        plays=(),
        claims=(),
        result=_result(record, done),
        notes=(),
    )
    text = write_phn(short)
    diagram = "".join(f"; {line}".rstrip() + "\n" for line in deal_diagram(done))
    return text.removesuffix("*") + diagram + "*"


def _result(record: HandRecord, done: Replay) -> Result:
    made = done.outcome.made
    if made is None or record.result.outcome is not None:
        return record.result
    return replace(record.result, outcome="made" if made else "lost")
