"""Pictures of a report as SVG text: the table at one moment, and the course of the balances.

Everything foreign in them is escaped; nothing in them needs a script or another file.
"""

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from engine.cards import CARDS, NO_TRUMP, RANK_OF, SUIT_OF, cards_in
from engine.state import Replay
from pandoeren_replay.ui.texts import Texts

_RED = "#b3261e"
_BLACK = "#1a1a1a"
_WIDTH, _HEIGHT = 620, 380
# Where each seat's cards stand (left edge, first line), and its card on the table (centre).
_PLACES = ((235, 22), (455, 142), (235, 272), (12, 142))
_TABLE = ((310, 140), (365, 185), (310, 230), (255, 185))
LINES = (
    ("#0a4fc0", ""),
    ("#b5521b", "8 4"),
    ("#1f7a4d", "2 4"),
    ("#8b2fa8", "10 4 2 4"),
)
"""Colour and dashes of the four lines, so that they differ in print too."""


def table_svg(
    hand: Replay,
    ply: int,
    names: Sequence[str],
    text: Texts,
    title: str,
    roles: tuple[str, str],
    card: int | None = None,
) -> str:
    """All four hands and the table when ``ply`` cards had been played; ``card`` is framed.

    ``names`` are those of N E S W, ``roles`` the words for declarer and partner.
    """
    state, trump = hand.at(ply), hand.outcome.trump
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(title, quote=True)}" font-family="sans-serif" font-size="15">',
        f"<title>{escape(title)}</title>",
        '<rect x="215" y="110" width="190" height="150" rx="14" fill="#e7f0ea" stroke="#1f7a4d"/>',
    ]
    for seat, (x, y) in enumerate(_PLACES):
        role = ""
        if seat == hand.outcome.declarer:
            role = f" ({roles[0]})"
        elif seat == hand.outcome.partner:
            role = f" ({roles[1]})"
        weight = "bold" if state.to_play == seat else "normal"
        out.append(
            f'<text x="{x}" y="{y}" font-weight="{weight}" font-size="13">'
            f"{escape(_short(names[seat]) + role)}</text>"
        )
        for line, suit in enumerate(_suits(trump)):
            cards = [c for c in cards_in(state.hands[seat]) if SUIT_OF[c] == suit]
            out.append(_suit_line(hand, cards, suit, x, y + 20 * (line + 1), text, card))
        if not state.complete[seat]:
            out.append(f'<text x="{x}" y="{y + 100}">?</text>')
    for seat, played in state.trick:
        if 0 <= seat < 4:
            x, y = _TABLE[seat]
            out.append(
                f'<rect x="{x - 22}" y="{y - 19}" width="44" height="28" rx="4" fill="#fff" '
                f'stroke="#555"/><text x="{x}" y="{y + 1}" text-anchor="middle" '
                f'fill="{_colour(SUIT_OF[played])}">{escape(text.card(CARDS[played]))}</text>'
            )
    out.append("</svg>")
    return "".join(out)


def _suits(trump: int | None) -> list[int]:
    """Trumps first, then the colours in turn."""
    order = [0, 1, 3, 2]
    if trump is not None and trump != NO_TRUMP:
        order.remove(trump)
        order.insert(0, trump)
    return order


def _colour(suit: int) -> str:
    return _RED if suit in (1, 2) else _BLACK


def _short(name: str) -> str:
    return name if len(name) <= 14 else name[:13] + "…"


def _suit_line(
    hand: Replay, cards: list[int], suit: int, x: int, y: int, text: Texts, framed: int | None
) -> str:
    trump = hand.outcome.trump
    orders = hand.rules.cards
    order = orders.trump_order if suit == trump else orders.plain_order
    cards.sort(key=lambda c: order.index(RANK_OF[c]))
    sign = "♠♥♦♣"[suit]
    parts = [
        f'<tspan font-weight="bold" text-decoration="underline">{escape(_rank(text, c))}</tspan>'
        if c == framed
        else escape(_rank(text, c))
        for c in cards
    ]
    shown = "\u2002".join(parts) or "–"
    star = "*" if suit == trump else ""
    return f'<text x="{x}" y="{y}" fill="{_colour(suit)}">{sign}{star}\u2002{shown}</text>'


def _rank(text: Texts, card: int) -> str:
    return text.card(CARDS[card])[1:]


def curve_svg(
    balances: Sequence[Sequence[int]],
    start: Sequence[int],
    names: Sequence[str],
    title: str,
    x_label: str,
) -> str:
    """The four balances after each hand as lines; ``start`` is before the first."""
    rows = [list(start), *map(list, balances)]
    low, high = min(map(min, rows)), max(map(max, rows))
    if low == high:
        low, high = low - 1, high + 1
    left, top, width, height = 48, 14, 560, 240

    def at(i: int, value: float) -> tuple[float, float]:
        x = left + width * i / max(1, len(rows) - 1)
        return round(x, 1), round(top + height * (high - value) / (high - low), 1)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height + 60}" role="img" '
        f'aria-label="{escape(title, quote=True)}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
    ]
    for value in sorted({low, high, *([0] if low < 0 < high else [])}):
        y = at(0, value)[1]
        out.append(
            f'<line x1="{left}" y1="{y}" x2="{left + width}" y2="{y}" stroke="#bbb"/>'
            f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{value}</text>'
        )
    last = rows[-1]
    labels = _spread([at(0, v)[1] for v in last], top + height)
    for seat in range(4):
        colour, dash = LINES[seat]
        points = " ".join("{},{}".format(*at(i, row[seat])) for i, row in enumerate(rows))
        out.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5" '
            f'stroke-dasharray="{dash}"/><text x="{left + width + 8}" y="{labels[seat] + 4}" '
            f'fill="{colour}">{escape(_short(names[seat]))} {last[seat]}</text>'
        )
    n = len(rows) - 1
    out.append(
        f'<text x="{left}" y="{top + height + 22}">1</text><text x="{left + width}" '
        f'y="{top + height + 22}" text-anchor="end">{n}</text><text x="{left + width / 2}" '
        f'y="{top + height + 22}" text-anchor="middle">{escape(x_label)}</text></svg>'
    )
    return "".join(out)


def _spread(places: Sequence[float], bottom: float, room: float = 16) -> list[float]:
    """Heights of labels moved apart so that none covers another.

    >>> _spread([10, 10, 50, 12], 100)
    [10, 26, 58, 42]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    out = list(places)
    for before, i in pairwise(order):
        out[i] = max(out[i], out[before] + room)
    over = max(0.0, out[order[-1]] - bottom) if order else 0.0
    return [x - over for x in out] if over else out
