"""Which cards are worth trying, and in what order: legal, not dominated, likeliest first."""

from typing import Any

from engine.play import legal_mask
from engine.solver_tables import (
    BEATS,
    CHOICE,
    DUCKS,
    DUTY,
    HANDS,
    HIDDEN,
    HISTORY,
    JAS,
    KEYS,
    LANE_MASK,
    LEADS,
    LEFT,
    MAXI,
    N_SITUATIONS,
    N_TRIED,
    NARROW,
    POINTS,
    REPLY,
    RESULTS,
    RUNS,
    SCORE,
    SLOTS,
    SUM,
    TOP,
    TOP_SEAT,
    TRIED,
    TRUMP_LANE,
    TRUMPS,
    VALUE,
    WIDTH,
    compiled,
    lane_of,
    lowest,
)

FULL_RATE = 4096
LEARNING = 3  # a rate moves by an eighth of the way to 0 or 1


@compiled("int64(cells, int64, int64, int64, int64, int64, int64)")
def history_cell(c: Any, k: int, p: int, led: int, top: int, own: int, card: int) -> int:
    """Cell that counts how often a card, in this kind of situation, settled the matter.

    ``top`` is the card that is winning the trick; for a lead it is its :func:`lead_kind`.
    """
    if p == 0:
        situation = LEADS + top
    else:
        situation = (p - 1) * 16 + led * 4 + own * 2 + ((c[BEATS + top] >> card) & 1)
    return HISTORY + (k * N_SITUATIONS + situation) * SLOTS + card


@compiled("int64(cells, int64, int64, int64)")
def lead_kind(c: Any, rem: int, seat: int, card: int) -> int:
    """What kind of lead a card is: who holds the top of its suit, and can an enemy ruff."""
    maxi = c[MAXI]
    mine = (maxi >> seat) & 1
    lane = lane_of(card)
    boss = c[RUNS + lane * 512 + ((rem >> (lane * WIDTH)) & LANE_MASK)] & 3
    kind = 0
    if boss == seat:
        higher = rem & c[BEATS + card] & (LANE_MASK << (lane * WIDTH))
        kind = 1 if higher else 2
    elif (maxi >> boss) & 1 == mine:
        kind = 3
    trumps = rem & c[TRUMPS]
    if trumps and lane != TRUMP_LANE:
        for s in range(4):
            if (maxi >> s) & 1 != mine and trumps & c[HANDS + s]:
                return kind + 4
    return kind


@compiled("int64(cells, int64, int64, int64)")
def reply_cell(c: Any, points: int, top: int, card: int) -> int:
    """Cell that counts how often a card was the right answer to another."""
    rich = 1 if points >= 8 else 0
    return REPLY + (rich * SLOTS + top) * SLOTS + card


@compiled("int64(cells, int64, int64)")
def highest_losers(c: Any, cards: int, top: int) -> int:
    """Of a declarer who must not win: of the cards of a plain suit that cannot, the highest.

    A lower card can always stand in for a higher one of its suit and wins no trick that the higher
    one would not, so the higher one goes first. Trumps are left alone: duties tell them apart.
    """
    beaten = cards & ~c[BEATS + top] & ~c[TRUMPS]
    for lane in range(4):
        mine = beaten & (LANE_MASK << (lane * WIDTH))
        while mine & (mine - 1):
            cards &= ~(mine & -mine)
            mine &= mine - 1
    return cards


@compiled("int64(cells, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def moves_of(
    c: Any,
    rem: int,
    leader: int,
    p: int,
    k: int,
    led: int,
    top: int,
    top_seat: int,
    points: int,
    first: int,
) -> int:
    """Cards worth trying, likeliest first, packed six bits each (place + 1; 0 ends the list)."""
    seat = (leader + p) & 3
    hand = rem & c[HANDS + seat]
    occupied = rem
    if p == 0:
        legal = hand
    else:
        legal = legal_mask(
            c[DUTY], hand, LANE_MASK << (led * WIDTH), c[TRUMPS], c[BEATS + top], c[JAS]
        )
        occupied |= 1 << top
    if legal & (legal - 1) == 0:
        return lowest(legal) + 1
    maxi = c[MAXI]
    mine = (maxi >> seat) & 1
    own = 0
    if p > 0 and (maxi >> top_seat) & 1 == mine:
        own = 1
    later_maxi = 0
    later_mini = 0
    for i in range(p + 1, 4):
        s = (leader + i) & 3
        if (maxi >> s) & 1:
            later_maxi |= rem & c[HANDS + s]
        else:
            later_mini |= rem & c[HANDS + s]
    loose = c[HIDDEN] == 0
    alone = c[JAS] | c[HIDDEN]
    chosen = 0
    previous = -1
    left = legal
    while left:
        card = lowest(left)
        bit = 1 << card
        left ^= bit
        # Is the card right above the last one of the same hand, with nothing left between?
        if previous >= 0 and lane_of(card) == lane_of(previous):
            between = occupied & (bit - 1) & ~((2 << previous) - 1) & ~(hand & ~alone)
            if between == 0 and (bit & alone) == 0 and ((1 << previous) & alone) == 0:
                d = c[POINTS + card] - c[POINTS + previous]
                if d == 0:
                    chosen ^= 1 << previous
                elif loose:
                    best = card
                    holder = seat
                    if p > 0 and (c[BEATS + top] >> card) & 1 == 0:
                        best = top
                        holder = top_seat
                    against = later_mini if (maxi >> holder) & 1 else later_maxi
                    if c[BEATS + best] & against == 0:
                        counts = (c[SCORE] >> holder) & 1
                        if (counts == mine) == (d > 0):
                            chosen ^= 1 << previous
                        else:
                            # The lower one is the better: keep it as the last of the run.
                            continue
        chosen |= bit
        previous = card
    if p > 0 and c[DUCKS] and mine:
        chosen = highest_losers(c, chosen, top)
    n = 0
    out = 0
    while chosen:
        card = lowest(chosen)
        chosen &= chosen - 1
        if p == 0:
            top = lead_kind(c, rem, seat, card)
        rate = c[history_cell(c, k, p, led, top, own, card)]
        if p > 0:
            rate += c[reply_cell(c, points, top, card)]
        if card + 1 == first:
            rate = 1 << 20
        value = (rate << 6) | (card + 1)
        i = n
        while i > 0 and c[KEYS + i - 1] < value:
            c[KEYS + i] = c[KEYS + i - 1]
            i -= 1
        c[KEYS + i] = value
        n += 1
    for i in range(n):
        out = (out << 6) | (c[KEYS + n - 1 - i] & 63)
    if c[NARROW]:
        out &= (1 << (6 * c[NARROW])) - 1
    return out


@compiled("void(cells, int64, int64, int64, int64, int64, int64)")
def learn(c: Any, at: int, k: int, p: int, led: int, seat: int, card: int) -> None:
    """A card settled the matter at a level, those tried there before it did not."""
    top = c[at + TOP]
    own = 0
    if p > 0 and (c[MAXI] >> c[at + TOP_SEAT]) & 1 == (c[MAXI] >> seat) & 1:
        own = 1
    if p == 0:
        top = lead_kind(c, c[at + LEFT], seat, card)
    cell = history_cell(c, k, p, led, top, own, card)
    c[cell] += (FULL_RATE - c[cell]) >> LEARNING
    if p > 0:
        cell = reply_cell(c, c[at + SUM], top, card)
        c[cell] += (FULL_RATE - c[cell]) >> LEARNING
    tried = c[at + TRIED]
    while tried:
        other = (tried & 63) - 1
        tried >>= 6
        if p == 0:
            top = lead_kind(c, c[at + LEFT], seat, other)
        cell = history_cell(c, k, p, led, top, own, other)
        c[cell] -= c[cell] >> LEARNING
        if p > 0:
            cell = reply_cell(c, c[at + SUM], top, other)
            c[cell] -= c[cell] >> LEARNING


@compiled("int64(cells, int64, int64, int64, int64, int64)")
def noted(c: Any, at: int, wants: int, card: int, value: int, need: int) -> int:
    """Note what a card brought at a level; returns whether that settles the matter there."""
    if wants:
        if value > c[at + VALUE]:
            c[at + VALUE] = value
            c[at + CHOICE] = card + 1
        settled = 1 if value >= need else 0
    else:
        if value < c[at + VALUE]:
            c[at + VALUE] = value
            c[at + CHOICE] = card + 1
        settled = 1 if value < need else 0
    if settled == 0:
        c[at + TRIED] = (c[at + TRIED] << 6) | (card + 1)
        c[at + RESULTS + c[at + N_TRIED]] = value
        c[at + N_TRIED] += 1
    return settled


@compiled("int64(cells, int64, int64, int64, int64, int64)")
def spared(c: Any, at: int, p: int, seat: int, card: int, need: int) -> int:
    """Whether a neighbour already tried spares the search of a card; its bound is noted then.

    Two cards of one hand with nothing left between them have the same play after them; what it
    brings differs by no more than their points.
    """
    n = c[at + N_TRIED]
    if n == 0:
        return 0
    alone = c[JAS] | c[HIDDEN]
    if (1 << card) & alone:
        return 0
    wants = (c[MAXI] >> seat) & 1
    blocked = c[at + LEFT] & ~(c[HANDS + seat] & ~alone)
    if p > 0:
        blocked |= 1 << c[at + TOP]
    tried = c[at + TRIED]
    while tried:
        other = (tried & 63) - 1
        tried >>= 6
        n -= 1
        if lane_of(other) != lane_of(card) or (1 << other) & alone:
            continue
        low = min(other, card)
        high = max(other, card)
        if blocked & ((1 << high) - 1) & ~((2 << low) - 1):
            continue
        apart = abs(c[POINTS + card] - c[POINTS + other])
        value = c[at + RESULTS + n]
        if wants:
            if value + apart < need:
                c[at + VALUE] = max(c[at + VALUE], value + apart)
                return 1
        elif value - apart >= need:
            c[at + VALUE] = min(c[at + VALUE], value - apart)
            return 1
    return 0
