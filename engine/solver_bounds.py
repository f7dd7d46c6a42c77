"""What is known of a state without a search: sure tricks, and the last two tricks played out."""

from typing import Any

from engine.play import TRUMP_ALWAYS, TRUMP_WHEN_VOID, legal_mask
from engine.solver_tables import (
    BEATS,
    DUTY,
    ENDING_BITS,
    ENDINGS,
    HANDS,
    HIDDEN,
    JAS,
    LANE_MASK,
    LAST,
    MAXI,
    OPEN_SCORE,
    PER_TRICK,
    POINTS,
    RUN_LENGTH_SHIFT,
    RUN_POINTS_SHIFT,
    RUNS,
    SCORE,
    SLOTS,
    SURE,
    SURE_POINTS_SHIFT,
    THEIRS_SHIFT,
    TRUMP_LANE,
    TRUMPS,
    WIDTH,
    WORTHLESS,
    compiled,
    count,
    highest,
    lane_of,
    lowest,
)

NO_VALUE = 1 << 20


@compiled("int64(cells, int64, int64)")
def cheapest(c: Any, hand: int, n: int) -> int:
    """Points of the ``n`` cheapest cards of a hand."""
    out = 0
    while n > 0 and hand:
        least = 1 << 16
        left = hand
        card = 0
        while left:
            i = lowest(left)
            left &= left - 1
            if c[POINTS + i] < least:
                least = c[POINTS + i]
                card = i
                if least == 0:
                    break
        hand ^= 1 << card
        out += least
        n -= 1
    return out


@compiled("int64(cells, int64)")
def cards_of(c: Any, seats: int) -> int:
    """Cards dealt to some seats."""
    out = 0
    for seat in range(4):
        if (seats >> seat) & 1:
            out |= c[HANDS + seat]
    return out


@compiled("int64(cells, int64, int64, int64)")
def their_cheapest(c: Any, rem: int, seats: int, n: int) -> int:
    """Points of the ``n`` cheapest cards of each of some seats."""
    out = 0
    for seat in range(4):
        if (seats >> seat) & 1:
            hand = rem & c[HANDS + seat]
            if count(hand & c[WORTHLESS]) < n:
                out += cheapest(c, hand, n)
    return out


@compiled("int64(cells, int64, int64)")
def pick(c: Any, hand: int, rich: int) -> int:
    """The richest, or the cheapest, card of a hand."""
    best = -1
    card = 0
    while hand:
        i = lowest(hand)
        hand &= hand - 1
        p = c[POINTS + i] if rich else 8192 - c[POINTS + i]
        if p > best:
            best = p
            card = i
    return card


@compiled("int64(cells, int64, int64, int64, int64, int64, int64)")
def thrown(c: Any, rem: int, winner: int, enemies: int, lengths: int, n: int, rounds: int) -> int:
    """Points that the others add while a seat cashes ``n`` tricks.

    ``lengths`` is how many of each lane (four bits each). Everybody follows suit while he can;
    beyond that enemies throw their cheapest, friends their richest cards.
    """
    out = 0
    forced = c[DUTY] & (TRUMP_WHEN_VOID | TRUMP_ALWAYS)
    for seat in range(4):
        if seat == winner:
            continue
        hand = rem & c[HANDS + seat]
        friend = 1 ^ ((enemies >> seat) & 1)
        if friend and forced == 0 and count(hand & c[TRUMPS]) > rounds:
            # Void, he might have nothing but trumps to throw.
            out += cheapest(c, hand, n)
            continue
        free = n
        follows = lengths
        if friend == 0 and c[DUTY] & TRUMP_ALWAYS:
            # Such rules bind nobody to a plain suit.
            follows &= 15 << (4 * TRUMP_LANE) if c[TRUMPS] else 0
        for lane in range(4):
            length = (follows >> (4 * lane)) & 15
            if length:
                mine = hand & (LANE_MASK << (lane * WIDTH))
                while mine and length:
                    card = pick(c, mine, friend)
                    out += c[POINTS + card]
                    mine ^= 1 << card
                    hand ^= 1 << card
                    length -= 1
                    free -= 1
        if friend:
            while free > 0:
                card = pick(c, hand, 1)
                out += c[POINTS + card]
                hand ^= 1 << card
                free -= 1
        elif count(hand & c[WORTHLESS]) < free:
            out += cheapest(c, hand, free)
    return out


@compiled("int64(cells, int64, int64, int64, int64, int64, int64)")
def runs_worth(c: Any, rem: int, leader: int, enemies: int, total: int, k: int, enough: int) -> int:
    """Points that the leader's team is sure of by his cards at the top of each lane.

    They count where nobody can ruff, or where he can draw the trumps first. More than ``enough``
    is not looked for.
    """
    trumps = c[TRUMPS] & rem
    rounds = 0
    if trumps:
        run = c[RUNS + TRUMP_LANE * 512 + (trumps >> (TRUMP_LANE * WIDTH))]
        rounds = (run >> RUN_LENGTH_SHIFT) & 15 if run & 3 == leader else 0
        # A friend who must ruff would take the lead.
        others = 15 if c[DUTY] & (TRUMP_WHEN_VOID | TRUMP_ALWAYS) else enemies
        for seat in range(4):
            if (others >> seat) & 1 and seat != leader:
                if count(trumps & c[HANDS + seat]) > rounds:
                    return 0
    n = 0
    points = 0
    lengths = 0
    for lane in range(4):
        sub = (rem >> (lane * WIDTH)) & LANE_MASK
        if sub:
            run = c[RUNS + lane * 512 + sub]
            if run & 3 == leader:
                length = (run >> RUN_LENGTH_SHIFT) & 15
                n += length
                points += run >> RUN_POINTS_SHIFT
                lengths |= length << (4 * lane)
    if n >= k:
        return total
    if n == 0:
        return 0
    points += n * c[PER_TRICK]
    least: int = points + their_cheapest(c, rem, 15 ^ (1 << leader), n)
    if least >= enough:
        return least
    thrown_too: int = points + thrown(c, rem, leader, enemies, lengths, n, rounds)
    return thrown_too


@compiled("int64(cells, int64, int64, int64, int64, int64)")
def through_friend(c: Any, rem: int, leader: int, enemies: int, total: int, k: int) -> int:
    """As :func:`runs_worth`, going on with the runs of a friend whom the leader can reach.

    Only where no other seat has a trump. The leader cashes his own cards first; his friend keeps
    the tops of other lanes meanwhile, or has nothing else left and takes all the rest.
    """
    friends = 15 ^ enemies ^ (1 << leader)
    if friends == 0 or c[TRUMPS] & rem & ~c[HANDS + leader]:
        return 0
    best = 0
    for seat in range(4):
        if (friends >> seat) & 1 == 0:
            continue
        n = 0
        points = 0
        entry = 0
        for lane in range(4):
            sub = (rem >> (lane * WIDTH)) & LANE_MASK
            if sub:
                run = c[RUNS + lane * 512 + sub]
                if run & 3 == seat or run & 3 == leader:
                    n += (run >> RUN_LENGTH_SHIFT) & 15
                    points += run >> RUN_POINTS_SHIFT
                    if run & 3 == seat and c[HANDS + leader] & rem & (LANE_MASK << (lane * WIDTH)):
                        entry = 1
        if entry == 0:
            continue
        if n >= k:
            return total
        points += n * c[PER_TRICK] + their_cheapest(c, rem, enemies, n)
        best = max(best, points)
    return best


@compiled("int64(cells, int64, int64, int64, int64, int64)")
def sure_bounds(c: Any, rem: int, leader: int, total: int, k: int, need: int) -> int:
    """Bounds that follow from sure tricks alone: low | (high << 13); ``need`` is the question."""
    low = 0
    high = total
    score = c[SCORE]
    trumps = c[TRUMPS]
    if trumps:
        sure = c[SURE + (rem >> (TRUMP_LANE * WIDTH))]
        # The last of the trumps waits for the last trick, where nobody is made to ruff.
        lasting = c[DUTY] & (TRUMP_WHEN_VOID | TRUMP_ALWAYS) == 0
        n = sure & 15
        if n >= k:
            low = total
        elif n:
            low = (sure >> SURE_POINTS_SHIFT) & 0xFFFF
            low += n * c[PER_TRICK] + their_cheapest(c, rem, 15 ^ c[OPEN_SCORE], n)
            if lasting and trumps & rem & ~cards_of(c, c[OPEN_SCORE]) == 0:
                low += c[LAST]
        sure >>= THEIRS_SHIFT
        n = sure & 15
        if n >= k:
            high = 0
        elif n:
            high -= sure >> SURE_POINTS_SHIFT
            high -= n * c[PER_TRICK] + their_cheapest(c, rem, score, n)
            if lasting and trumps & rem & cards_of(c, score) == 0:
                high -= c[LAST]
    ours = (score >> leader) & 1
    if c[HIDDEN] & rem and ours and not (c[OPEN_SCORE] >> leader) & 1:
        return low | (high << 13)
    enemies = 15 ^ score if ours else score
    enough = need if ours else total - need + 1
    points = runs_worth(c, rem, leader, enemies, total, k, enough)
    if points < enough and c[HIDDEN] & rem == 0:
        points = max(points, through_friend(c, rem, leader, enemies, total, k))
    if ours:
        low = max(low, points)
    else:
        high = min(high, total - points)
    return low | (high << 13)


@compiled("int64(cells, int64, int64)")
def last_trick(c: Any, rem: int, leader: int) -> int:
    """Winner of a trick in which each hand has one card left."""
    seat = leader
    best = lowest(rem & c[HANDS + leader])
    for i in range(1, 4):
        s = (leader + i) & 3
        card = lowest(rem & c[HANDS + s])
        if (c[BEATS + best] >> card) & 1:
            best = card
            seat = s
    return seat


@compiled("int64(cells, int64, int64, int64)")
def two_tricks(c: Any, rem: int, leader: int, total: int) -> int:
    """The exact value of a state with two tricks to go: played out on the spot.

    Exact whatever was asked: it then answers every later question too, and the bounds that are
    handed up are the best there are. The highest card comes first.
    """
    trumps = c[TRUMPS]
    if trumps:
        sure = c[SURE + (rem >> (TRUMP_LANE * WIDTH))]
        if sure & 15 >= 2:
            return total
        if (sure >> THEIRS_SHIFT) & 15 >= 2:
            return 0
    low0 = -1
    high0 = NO_VALUE
    duty = c[DUTY]
    jas = c[JAS]
    maxi = c[MAXI]
    score = c[SCORE]
    hidden = c[HIDDEN]
    s1 = (leader + 1) & 3
    s2 = (leader + 2) & 3
    s3 = (leader + 3) & 3
    max0 = (maxi >> leader) & 1
    max1 = (maxi >> s1) & 1
    max2 = (maxi >> s2) & 1
    max3 = (maxi >> s3) & 1
    hand1 = rem & c[HANDS + s1]
    hand2 = rem & c[HANDS + s2]
    hand3 = rem & c[HANDS + s3]
    value0 = -1 if max0 else NO_VALUE
    moves0 = rem & c[HANDS + leader]
    while moves0:
        card0 = highest(moves0)
        moves0 ^= 1 << card0
        led = LANE_MASK << (lane_of(card0) * WIDTH)
        rem0 = rem ^ (1 << card0)
        points0 = c[POINTS + card0] + c[PER_TRICK]
        beats0 = c[BEATS + card0]
        low1 = low0
        high1 = high0
        value1 = -1 if max1 else NO_VALUE
        moves1 = legal_mask(duty, hand1, led, trumps, beats0, jas)
        while moves1:
            card1 = highest(moves1)
            moves1 ^= 1 << card1
            rem1 = rem0 ^ (1 << card1)
            points1 = points0 + c[POINTS + card1]
            beats1 = beats0
            top1 = leader
            if (beats0 >> card1) & 1:
                beats1 = c[BEATS + card1]
                top1 = s1
            low2 = low1
            high2 = high1
            value2 = -1 if max2 else NO_VALUE
            moves2 = legal_mask(duty, hand2, led, trumps, beats1, jas)
            while moves2:
                card2 = highest(moves2)
                moves2 ^= 1 << card2
                rem2 = rem1 ^ (1 << card2)
                points2 = points1 + c[POINTS + card2]
                beats2 = beats1
                top2 = top1
                if (beats1 >> card2) & 1:
                    beats2 = c[BEATS + card2]
                    top2 = s2
                low3 = low2
                high3 = high2
                value3 = -1 if max3 else NO_VALUE
                moves3 = legal_mask(duty, hand3, led, trumps, beats2, jas)
                while moves3:
                    card3 = highest(moves3)
                    moves3 ^= 1 << card3
                    left = rem2 ^ (1 << card3)
                    points = points2 + c[POINTS + card3]
                    top = top2
                    if (beats2 >> card3) & 1:
                        top = s3
                    counted = c[OPEN_SCORE] if hidden & left else score
                    value = points if (counted >> top) & 1 else 0
                    if (score >> last_trick(c, left, top)) & 1:
                        value += total - points
                    if max3:
                        value3 = max(value3, value)
                        if value3 >= high3:
                            break
                    else:
                        value3 = min(value3, value)
                        if value3 <= low3:
                            break
                if max2:
                    value2 = max(value2, value3)
                    if value2 >= high2:
                        break
                    low2 = max(low2, value2)
                else:
                    value2 = min(value2, value3)
                    if value2 <= low2:
                        break
                    high2 = min(high2, value2)
            if max1:
                value1 = max(value1, value2)
                if value1 >= high1:
                    break
                low1 = max(low1, value1)
            else:
                value1 = min(value1, value2)
                if value1 <= low1:
                    break
                high1 = min(high1, value1)
        if max0:
            value0 = max(value0, value1)
            low0 = max(low0, value0)
        else:
            value0 = min(value0, value1)
            high0 = min(high0, value0)
    return value0


@compiled("int64(cells, int64, int64, int64)")
def ending(c: Any, rem: int, leader: int, total: int) -> int:
    """As :func:`two_tricks`, which is asked only for what it has not found lately in this deal."""
    key = rem | (leader << SLOTS)
    at = ENDINGS + (((key * 0x1E3779B97F4A7C15) >> (63 - ENDING_BITS)) & ((1 << ENDING_BITS) - 1))
    kept = c[at]
    if kept & ((4 << SLOTS) - 1) == key:
        found: int = kept >> (SLOTS + 2)
        return found
    value: int = two_tricks(c, rem, leader, total)
    c[at] = key | (value << (SLOTS + 2))
    return value
