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
    TIED,
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
# A cell of what was learnt: how often it was learnt (0 to 7), and the rate of success above that.
AGE_BITS = 3
OLDEST = (1 << AGE_BITS) - 1
SETTLED_AGE = 6


@compiled("int64(cells, int64, int64, int64, int64, int64)")
def history_row(c: Any, k: int, p: int, led: int, own: int, kind: int) -> int:
    """First of the cells that count how often a card, in this situation, settled the matter.

    ``kind`` is whether the card beats the one that is winning; for a lead its :func:`lead_kind`.
    """
    situation = LEADS + kind if p == 0 else (p - 1) * 16 + led * 4 + own * 2 + kind
    return HISTORY + (k * N_SITUATIONS + situation) * SLOTS


@compiled("int64(cells, int64, int64)")
def can_be_ruffed(c: Any, rem: int, seat: int) -> int:
    """4 where an enemy of a seat has a trump left, else 0."""
    trumps = rem & c[TRUMPS]
    if trumps:
        maxi = c[MAXI]
        for s in range(4):
            if (maxi >> s) & 1 != (maxi >> seat) & 1 and trumps & c[HANDS + s]:
                return 4
    return 0


@compiled("int64(cells, int64, int64, int64, int64)")
def lead_kind(c: Any, rem: int, seat: int, card: int, ruffed: int) -> int:
    """What kind of lead a card is: who holds the top of its suit, and can an enemy ruff."""
    maxi = c[MAXI]
    lane = lane_of(card)
    sub = (rem >> (lane * WIDTH)) & LANE_MASK
    boss = c[RUNS + lane * 512 + sub] & 3
    kind = 0
    if boss == seat:
        kind = 1 if sub >> (card - lane * WIDTH + 1) else 2
    elif (maxi >> boss) & 1 == (maxi >> seat) & 1:
        kind = 3
    if lane != TRUMP_LANE or c[TRUMPS] == 0:
        kind += ruffed
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


@compiled("int64(cells, int64)")
def tied(c: Any, cards: int) -> int:
    """Those of the cards left whose next higher one is in the same hand."""
    out = 0
    for lane in range(4):
        sub = (cards >> (lane * WIDTH)) & LANE_MASK
        out |= c[TIED + lane * 512 + sub] << (lane * WIDTH)
    return out


@compiled("int64(cells, int64, int64, int64)")
def ranked(c: Any, n: int, ranks: int, key: int) -> int:
    """Add the key of one more card to the ``n`` in the cells ``KEYS``, without a branch.

    ``ranks`` says how many keys are greater than each, four bits a card. The cell after the last
    key is 0: a loop of which the end is not known beforehand is not turned into one of vectors,
    which two or three cards do not pay for.
    """
    i = 0
    while c[KEYS + i]:
        less = 1 if c[KEYS + i] < key else 0
        ranks += (less << (4 * i)) + ((1 - less) << (4 * n))
        i += 1
    c[KEYS + n] = key
    c[KEYS + n + 1] = 0
    return ranks


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
    chosen = legal
    pairs = tied(c, occupied) & legal
    dropped = -1
    kept = -1
    while pairs:
        # The card right above this one is in the same hand, with nothing left between.
        lower = lowest(pairs)
        pairs &= pairs - 1
        card = lowest(occupied & ~((2 << lower) - 1))
        if lower == dropped:
            lower = kept
        d = c[POINTS + card] - c[POINTS + lower]
        if d == 0:
            chosen ^= 1 << lower
        elif c[HIDDEN] == 0:
            best = card
            holder = seat
            if p > 0 and (c[BEATS + top] >> card) & 1 == 0:
                best = top
                holder = top_seat
            against = 0
            for i in range(p + 1, 4):
                s = (leader + i) & 3
                if (maxi >> s) & 1 != (maxi >> holder) & 1:
                    against |= rem & c[HANDS + s]
            if c[BEATS + best] & against == 0:
                counts = (c[SCORE] >> holder) & 1
                if (counts == mine) == (d > 0):
                    chosen ^= 1 << lower
                else:
                    # The lower one is the better: keep it as the last of the run.
                    chosen ^= 1 << card
                    dropped = card
                    kept = lower
    if p > 0 and c[DUCKS] and mine:
        chosen = highest_losers(c, chosen, top)
    if chosen & (chosen - 1) == 0:
        return lowest(chosen) + 1
    n = 0
    out = 0
    ranks = 0  # how many cards are likelier, four bits each
    c[KEYS] = 0
    if p == 0:
        ruffed = can_be_ruffed(c, rem, seat)
        row = history_row(c, k, p, led, p, p)
        while chosen:
            card = lowest(chosen)
            chosen &= chosen - 1
            rate = c[row + lead_kind(c, rem, seat, card, ruffed) * SLOTS + card]
            if card + 1 == first:
                rate = 1 << 20
            ranks = ranked(c, n, ranks, (rate << 6) | (card + 1))
            n += 1
    else:
        own = 1 if (maxi >> top_seat) & 1 == mine else 0
        row = history_row(c, k, p, led, own, 0)
        replies = reply_cell(c, points, top, 0)
        beats = c[BEATS + top]
        while chosen:
            card = lowest(chosen)
            chosen &= chosen - 1
            rate = c[row + ((beats >> card) & 1) * SLOTS + card] + c[replies + card]
            ranks = ranked(c, n, ranks, (rate << 6) | (card + 1))
            n += 1
    n = 0
    while c[KEYS + n]:
        out |= (c[KEYS + n] & 63) << (6 * ((ranks >> (4 * n)) & 15))
        n += 1
    if c[NARROW]:
        out &= (1 << (6 * c[NARROW])) - 1
    return out


@compiled("void(cells, int64, int64)")
def adjust(c: Any, cell: int, good: int) -> None:
    """Move a rate towards 0 or 1: the first times by a half, in the end by a sixteenth of the way.

    What was expected before anything was learnt gives way so, and what is learnt lasts.
    """
    age = c[cell] & OLDEST
    rate = c[cell] >> AGE_BITS
    shift = (age >> 1) + 1 if age < SETTLED_AGE else 4
    if good:
        rate += (FULL_RATE - rate) >> shift
    else:
        rate -= rate >> shift
    c[cell] = (rate << AGE_BITS) | min(age + 1, OLDEST)


@compiled("void(cells, int64, int64, int64, int64, int64, int64)")
def learn(c: Any, at: int, k: int, p: int, led: int, seat: int, card: int) -> None:
    """A card settled the matter at a level, those tried there before it did not."""
    top = c[at + TOP]
    tried = c[at + TRIED]
    if p == 0:
        ruffed = can_be_ruffed(c, c[at + LEFT], seat)
        row = history_row(c, k, p, led, p, p)
        cell = row + lead_kind(c, c[at + LEFT], seat, card, ruffed) * SLOTS + card
        adjust(c, cell, 1)
        while tried:
            other = (tried & 63) - 1
            tried >>= 6
            cell = row + lead_kind(c, c[at + LEFT], seat, other, ruffed) * SLOTS + other
            adjust(c, cell, 0)
        return
    own = 1 if (c[MAXI] >> c[at + TOP_SEAT]) & 1 == (c[MAXI] >> seat) & 1 else 0
    row = history_row(c, k, p, led, own, 0)
    replies = reply_cell(c, c[at + SUM], top, 0)
    beats = c[BEATS + top]
    cell = row + ((beats >> card) & 1) * SLOTS + card
    adjust(c, cell, 1)
    cell = replies + card
    adjust(c, cell, 1)
    while tried:
        other = (tried & 63) - 1
        tried >>= 6
        cell = row + ((beats >> other) & 1) * SLOTS + other
        adjust(c, cell, 0)
        cell = replies + other
        adjust(c, cell, 0)


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
    """Whether one of the neighbours already tried spares the search of a card; its bound is noted.

    Two cards of one hand with nothing left between them have the same play after them; what it
    brings differs by no more than their points.
    """
    n = c[at + N_TRIED]
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
