"""Part of the evening's report: the true mistakes, the bids, luck and skill.

Read from the reviews that the store holds (`pandoeren review --where session=…`); left out where
there are none.
"""

from collections.abc import Callable
from html import escape

from engine.cards import CARD_INDEX
from pandoeren_replay.luck import Parts
from pandoeren_replay.statistics.evening import Evening, card_text
from pandoeren_replay.statistics.fair import Noted, rounded_parts

NAMED = 15
"""Mistakes that a report names, the dearest first; of more it says how many."""

PARTS = ("luck", "own", "others", "table", "unjudged")


def _mistake(e: Evening, noted: Noted) -> str:
    row = noted.row
    assert row.ply is not None
    assert row.best is not None
    return e.say(
        "fair_line", number=noted.line.number, trick=row.ply // 4 + 1, name=e.name(row.seat),
        card=card_text(e.text, CARD_INDEX[row.choice]), chance=e.text.percent(row.value or 0.0),
        best=card_text(e.text, CARD_INDEX[row.best]),
        best_chance=e.text.percent(row.best_value or 0.0),
    )  # fmt: skip


def _bid(e: Evening, noted: Noted) -> str:
    row, rules = noted.row, noted.line.replay.rules
    return e.say(
        f"bid_{row.verdict}", number=noted.line.number, name=e.name(row.seat),
        bid=e.text.contract(rules, row.choice), chance=e.text.percent(row.chance or 0.0),
        best=e.text.contract(rules, row.best),
    )  # fmt: skip


def _sum(e: Evening) -> str:
    f = e.fair
    return e.say(
        "fair_sum", mistakes=len(f.mistakes), doubtful=f.doubtful, n=f.decisions,
        hands=f.hands, of=f.of,
    )  # fmt: skip


def _lines(e: Evening) -> list[str]:
    """The mistakes in words, the dearest first."""
    out = [_mistake(e, m) for m in e.fair.mistakes[:NAMED]]
    if len(e.fair.mistakes) > NAMED:
        out.append(e.say("fair_more", n=len(e.fair.mistakes) - NAMED))
    return out


def _luck_rows(e: Evening) -> tuple[list[str], list[list[str]]]:
    told = [k for k in PARTS if k in PARTS[:3] or any(getattr(p, k) for p in e.luck.parts)]
    head = [e.say("player"), e.say("total"), *(e.say(f"luck_{k}") for k in told)]
    return head, [[e.name(s.seat), *_numbers(e, e.luck.parts[s.seat], told)] for s in e.standings]


def _numbers(e: Evening, part: Parts, told: list[str]) -> list[str]:
    rounded = rounded_parts({k: getattr(part, k) for k in told}, part.score)
    whole = e.text.change(round(part.score))
    return [whole, *(e.text.number(v, 1, sign=v != 0) for v in rounded.values())]


def fair_html(e: Evening, table: Callable[..., str]) -> list[str]:
    """The sections as HTML; none where no hand of the session was reviewed."""
    if not e.fair.hands:
        return []

    def items(lines: list[str]) -> str:
        return "<ul>" + "".join(f"<li>{escape(x)}</li>" for x in lines) + "</ul>"

    out = [f"<h2>{escape(e.say('fair'))}</h2><p>{escape(_sum(e))}</p>"]
    if e.fair.mistakes:
        out.append(items(_lines(e)))
    if e.fair.bids:
        out.append(f"<h3>{escape(e.say('fair_bids'))}</h3>")
        out.append(items([_bid(e, b) for b in e.fair.bids]))
    out.append(f"<h2>{escape(e.say('luck'))}</h2><p>{escape(e.say('luck_what'))}</p>")
    return [*out, table(*_luck_rows(e), {0})]


def fair_markdown(
    e: Evening, plain: Callable[[str], str], table: Callable[..., list[str]]
) -> list[str]:
    """The same as Markdown."""
    if not e.fair.hands:
        return []
    out = [f"## {plain(e.say('fair'))}", "", plain(_sum(e)), ""]
    if e.fair.mistakes:
        out += [*(f"- {plain(x)}" for x in _lines(e)), ""]
    if e.fair.bids:
        bids = [f"- {plain(_bid(e, b))}" for b in e.fair.bids]
        out += [f"### {plain(e.say('fair_bids'))}", "", *bids, ""]
    out += [f"## {plain(e.say('luck'))}", "", plain(e.say("luck_what")), ""]
    return [*out, *table(*_luck_rows(e))]


__all__ = ["NAMED", "fair_html", "fair_markdown"]
