"""What the solver's compiled search reads: the layout of its cards and the tables of one deal.

The search has its own order of cards: four lanes of nine bits, a suit each, weakest card lowest,
the trump suit in the last lane. Strength, points and who beats whom are taken from the rule set's
tables (:class:`engine.play.PlayTables`); nothing of the game is written down here again.

One flat array of integers, the *context*, carries everything a search needs besides the table of
positions. Its cells have the names below; a new cell goes in by name, never by number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import int64, njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from engine.cards import N_CARDS, NO_TRUMP, SUIT_OF
from engine.ruleset import RuleSet

LANES = 4
TRUMP_LANE = 3
WIDTH = 9
SLOTS = LANES * WIDTH
LANE_MASK = (1 << WIDTH) - 1

# Single cells of the context.
(
    DUTY,
    TRUMPS,  # mask of the trump lane, 0 without trumps
    JAS,  # mask of the trump jack, 0 without trumps
    HIDDEN,  # mask of the called card while its holder counts only from its fall, else 0
    MAXI,  # seats that want the value high
    SCORE,  # seats whose tricks count
    OPEN_SCORE,  # the same while the called card has not fallen
    PER_TRICK,  # what a trick is worth besides its cards
    LAST,  # what the last trick is worth on top
    NODES,
    BUDGET,  # a search that visits more tricks than this stops
    STOP,  # not 0: stop (1 = asked to, 2 = budget spent)
    STAMP,  # marks the table entries of this deal
    BITS,  # the table has 1 << BITS buckets
    ROOT_BEST,  # a search that starts within a trick: best card, its seat, led lane, points so far
    ROOT_SEAT,
    ROOT_LED,
    ROOT_POINTS,
    PAIR_TOP,  # cells of PAIRS in use
    GOAL,  # which goal the yes-or-no search decides
    DECLARER,  # mask of the declarer's seat
    PAST,  # tricks complete before the first one searched
    FIRST_JOINS,  # 1: who wins the first trick joins declarer
    WORTHLESS,  # mask of the cards without points
    DUCKS,  # 1: declarer is alone and may win no further trick but with the jas
    NARROW,  # not 0: try only so many moves (an estimate, nothing is proven)
    BY_MISTAKES,  # 1: what a card was good for is learnt only where another was tried before it
) = range(27)

HANDS = 32
BEATS = HANDS + 4
POINTS = BEATS + SLOTS
OWNER = POINTS + SLOTS
LANE_INFO = OWNER + SLOTS
RUNS = LANE_INFO + LANES * 512
SURE = RUNS + LANES * 512
LEADS = 48  # the situations from here on are leads
N_SITUATIONS = LEADS + 8
SAFE = SURE + 512
TIED = SAFE + LANES * 512
HISTORY = TIED + LANES * 512
REPLY = HISTORY + 9 * N_SITUATIONS * SLOTS
LEVELS = REPLY + 2 * SLOTS * SLOTS
LEVEL_CELLS = 32
KEYS = LEVELS + 9 * 4 * LEVEL_CELLS
ENDINGS = KEYS + 16  # values of states with two tricks to go, by a hash
ENDING_BITS = 14
PAIRS = ENDINGS + (1 << ENDING_BITS)
MAX_PAIRS = LANES * 48620  # a lane of nine cards in one hand has C(18, 9) pairs of equal structure
CONTEXT_CELLS = PAIRS + MAX_PAIRS

# Cells of one level of a trick.
(
    LEFT,
    MOVES,
    TRIED,
    TOP,  # not beside TOP_SEAT: read together they would have to wait for both stores
    VALUE,
    TOP_SEAT,
    CARD,
    SUM,
    CHOICE,
    NEXT_LEFT,
    NEXT_SEAT,
    GAIN,
    WORTH,
    N_TRIED,
    KNOWN,
) = range(15)
RESULTS = KNOWN + 8

MAX_POINTS = (1 << 13) - 1
"""Most points that a pack may hold for the solver: bounds are kept in 13 bits."""

# An entry of LANE_INFO: structure (9 bits), rank within the structure (9), first pair (from 18).
RANK_SHIFT = 9
PAIR_SHIFT = 18
# An entry of RUNS: seat that holds the top card, how many from the top are his, their points.
RUN_LENGTH_SHIFT = 2
RUN_POINTS_SHIFT = 6
# An entry of SURE: sure tricks (4 bits) and their points (from 4) of the side; the same from 20
# on for the others.
SURE_POINTS_SHIFT = 4
THEIRS_SHIFT = 20


F = TypeVar("F", bound=Callable[..., Any])


def compiled(signature: str) -> Callable[[F], F]:
    """Compile a function for one signature, kept on disk, without the interpreter lock.

    ``cells`` in a signature is a bare pointer to integers, got by :func:`cells_of`: passing it on
    costs one word, and an index is used as it is (an array would look for negative ones first).
    """
    signature = signature.replace("cells", "CPointer(int64)")
    decorator: Any = njit(signature, cache=True, nogil=True)
    return cast(Callable[[F], F], decorator)


def _lowest(typing_context: Any, mask: Any) -> Any:
    """Number of the lowest bit of a mask that is not 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return int64(int64), codegen


def _highest(typing_context: Any, mask: Any) -> Any:
    """Number of the highest bit of a mask that is not 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        above = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), above)

    return int64(int64), codegen


def _count(typing_context: Any, mask: Any) -> Any:
    """Number of bits of a mask."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return int64(int64), codegen


def _cells_of(typing_context: Any, array: Any) -> Any:
    """Pointer to the first cell of an array, which the caller keeps alive."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        make: Any = make_array
        return make(signature.args[0])(context, builder, args[0]).data

    pointer: Any = types.CPointer
    return pointer(int64)(array), codegen


def _fetch(typing_context: Any, cells: Any, index: Any) -> Any:
    """Bring a cell near before it is needed."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        place = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
        builder.call(function, [place, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(cells, index), codegen


cells_of = cast(Callable[[Any], Any], intrinsic(_cells_of))
fetch = cast(Callable[[Any, int], None], intrinsic(_fetch))
highest = cast(Callable[[int], int], intrinsic(_highest))
lowest = cast(Callable[[int], int], intrinsic(_lowest))
count = cast(Callable[[int], int], intrinsic(_count))


@dataclass(frozen=True)
class Layout:
    """Where each of the 33 cards stands in the solver's order, for one rule set and trump suit.

    ``bit[c]`` is the place of card ``c``, ``card[b]`` the card at a place (-1: none); ``points``,
    ``beats`` and ``lane`` go by place.
    """

    bit: tuple[int, ...]
    card: tuple[int, ...]
    points: Any
    beats: Any
    trumps: int
    jas: int
    duty: int
    last_trick: int

    def mask(self, cards: int) -> int:
        """A set of cards in pack order as one in the solver's order."""
        out = 0
        while cards:
            low = cards & -cards
            out |= 1 << self.bit[low.bit_length() - 1]
            cards ^= low
        return out


_LAYOUTS: dict[tuple[str, int], Layout] = {}


def layout_of(rules: RuleSet, trump: int) -> Layout:
    """The layout for a rule set and a trump suit (0–3, or :data:`engine.cards.NO_TRUMP`)."""
    key = (rules.content_hash, trump)
    if key not in _LAYOUTS:
        _LAYOUTS[key] = _build(rules, trump)
    return _LAYOUTS[key]


def _build(rules: RuleSet, trump: int) -> Layout:
    tables = rules.tables
    most = max(rules.total_points.values())
    if most > MAX_POINTS:
        raise ValueError(
            f"rule set {rules.id}: {most} points in the pack; the solver counts to {MAX_POINTS}"
        )
    plain = [s for s in range(4) if s != trump]
    lanes = plain if trump == NO_TRUMP else [*plain, trump]
    bit = tuple(
        lanes.index(SUIT_OF[c]) * WIDTH + int(tables.strength[trump, c]) for c in range(N_CARDS)
    )
    card = [-1] * SLOTS
    points = np.zeros(SLOTS, np.int64)
    beats = np.zeros(SLOTS, np.int64)
    for c in range(N_CARDS):
        card[bit[c]] = c
        points[bit[c]] = tables.points[trump, c]
        for d in range(N_CARDS):
            if tables.wins(trump, c, d):
                beats[bit[c]] |= 1 << bit[d]
    trumps = 0 if trump == NO_TRUMP else LANE_MASK << TRUMP_LANE * WIDTH
    jas = 0
    if trump != NO_TRUMP:
        jas = 1 << bit[int(tables.jas[trump]).bit_length() - 1]
    return Layout(bit, tuple(card), points, beats, trumps, jas, tables.duty, tables.last_trick)


@compiled("int64(int64)")
def lane_of(card: int) -> int:
    """The lane of a place: a ninth, without the division."""
    return card * 57 >> 9


@compiled("int64(cells, int64, int64)")
def _run(c: Any, lane: int, sub: int) -> int:
    """The run from the top of one subset of a lane that is in one hand."""
    holder, length, points = -1, 0, 0
    for j in range(WIDTH):
        place = lane * WIDTH + WIDTH - 1 - j
        if not (sub >> (WIDTH - 1 - j)) & 1:
            continue
        if holder < 0:
            holder = c[OWNER + place]
        if c[OWNER + place] != holder:
            break
        length += 1
        points += c[POINTS + place]
    if holder < 0:
        return 0
    return holder | (length << RUN_LENGTH_SHIFT) | (points << RUN_POINTS_SHIFT)


@compiled("int64(cells, int64, int64)")
def _safe(c: Any, lane: int, sub: int) -> int:
    """Whether declarer cannot be made to win a trick in a suit that he does not lead himself.

    He is safe when his lowest card is under the others' lowest, his second under their second, and
    so on: to every card led he answers with the highest under it, and stays safe.
    """
    own = others = 0
    for i in range(WIDTH):
        if not (sub >> i) & 1:
            continue
        if (c[DECLARER] >> c[OWNER + lane * WIDTH + i]) & 1:
            own += 1
        else:
            others += 1
            if own < others:
                # None of his is under this one: he must have run out.
                higher = sub >> (i + 1)
                while higher:
                    j = i + 1 + lowest(higher)
                    if (c[DECLARER] >> c[OWNER + lane * WIDTH + j]) & 1:
                        return 0
                    higher &= higher - 1
                return 1
    return 1


@compiled("int64(cells, int64, int64)")
def _tied(c: Any, lane: int, sub: int) -> int:
    """Cards of a subset of a lane whose next higher one is in the same hand.

    Never the jas or a hidden called card: those are like no other card.
    """
    out = 0
    alone = (c[JAS] | c[HIDDEN]) >> (lane * WIDTH)
    below = -1
    for i in range(WIDTH):
        if not (sub >> i) & 1:
            continue
        if (alone >> i) & 1:
            below = -1
            continue
        if below >= 0 and c[OWNER + lane * WIDTH + i] == c[OWNER + lane * WIDTH + below]:
            out |= 1 << below
        below = i
    return out


@compiled("UniTuple(int64, 2)(cells, int64, int64)")
def _surely_taken(c: Any, lane: int, sub: int) -> tuple[int, int]:
    """The trumps at the top of a subset that the side, or the others, take whatever is played."""
    ours, theirs = 0, 0
    if lane != TRUMP_LANE or c[TRUMPS] == 0:
        return ours, theirs
    for j in range(WIDTH):
        i = WIDTH - 1 - j
        if not (sub >> i) & 1:
            continue
        seat = c[OWNER + lane * WIDTH + i]
        if (c[OPEN_SCORE] >> seat) & 1 and theirs == 0:
            ours |= 1 << i
        elif (c[SCORE] >> seat) & 1 == 0 and ours == 0:
            theirs |= 1 << i
        else:
            break
    return ours, theirs


@compiled("int64(cells, int64, int64)")
def _sure_trumps(c: Any, sub: int, team: int) -> int:
    """Tricks that a team is sure of with its trumps of one subset, and the points of those cards.

    Every card is played some time. A trump that does not win its trick for the team falls to a
    higher one of the others, another one each time: what cannot be matched so is sure.
    """
    base = TRUMP_LANE * WIDTH
    best = best_points = run_points = 0
    for seat in range(4):
        if not (team >> seat) & 1:
            continue
        free = sure = own_run = 0
        above = True
        run_points = 0
        rest = 0
        for j in range(WIDTH):
            i = WIDTH - 1 - j
            if not (sub >> i) & 1:
                continue
            holder = c[OWNER + base + i]
            if (team >> holder) & 1:
                if above:
                    run_points += c[POINTS + base + i]
                if holder == seat:
                    if above:
                        own_run += 1
                    else:
                        rest |= 1 << i
                    if free:
                        free -= 1
                    else:
                        sure += 1
            else:
                free += 1
                above = False
        points = run_points
        for _ in range(sure - own_run):
            least, at = 1 << 16, 0
            left = rest
            while left:
                i = lowest(left)
                left &= left - 1
                if c[POINTS + base + i] < least:
                    least, at = c[POINTS + base + i], i
            rest ^= 1 << at
            points += least
        if sure > best or (sure == best and points > best_points):
            best, best_points = sure, points
    return best | (best_points << SURE_POINTS_SHIFT)


@compiled("void(cells)")
def prepare(c: Any) -> None:
    """Fill the lane tables of a context whose single cells, hands, points and beats are set."""
    c[WORTHLESS] = 0
    for i in range(SLOTS):
        c[OWNER + i] = -1
        if c[POINTS + i] == 0:
            c[WORTHLESS] |= 1 << i
        for seat in range(4):
            if (c[HANDS + seat] >> i) & 1:
                c[OWNER + i] = seat
    top = 0
    slots = np.empty(1024, np.int64)  # structures by hash of their code
    codes = np.empty(512, np.int64)
    members = np.empty(512, np.int64)
    newest = np.empty(512, np.int64)  # the chain of a structure's subsets
    before = np.empty(512, np.int64)
    for lane in range(LANES):
        base = lane * WIDTH
        full = ((c[HANDS] | c[HANDS + 1] | c[HANDS + 2] | c[HANDS + 3]) >> base) & LANE_MASK
        special = ((c[JAS] | c[HIDDEN]) >> base) & LANE_MASK
        slots[:] = -1
        n = 0
        for sub in range(512):
            if sub & ~full:
                continue
            code = 1
            rest = sub
            while rest:
                i = lowest(rest)
                rest &= rest - 1
                code = code * 8 + c[OWNER + base + i] + 4 * ((special >> i) & 1)
            c[RUNS + lane * 512 + sub] = _run(c, lane, sub)
            c[SAFE + lane * 512 + sub] = _safe(c, lane, sub)
            c[TIED + lane * 512 + sub] = _tied(c, lane, sub)
            if lane == TRUMP_LANE and c[TRUMPS]:
                ours = _sure_trumps(c, sub, c[OPEN_SCORE])
                theirs = _sure_trumps(c, sub, 15 ^ c[SCORE])
                c[SURE + sub] = ours | (theirs << THEIRS_SHIFT)
            h = (code * 2654435761 >> 7) & 1023
            while slots[h] >= 0 and codes[slots[h]] != code:
                h = (h + 1) & 1023
            s = slots[h]
            if s < 0:
                s = n
                n += 1
                slots[h] = s
                codes[s] = code
                members[s] = 0
                newest[s] = -1
            before[sub] = newest[s]
            newest[s] = sub
            c[LANE_INFO + lane * 512 + sub] = s | (members[s] << RANK_SHIFT)
            members[s] += 1
        for s in range(n):
            a = newest[s]
            while a >= 0:
                info = c[LANE_INFO + lane * 512 + a]
                c[LANE_INFO + lane * 512 + a] = info | (top << PAIR_SHIFT)
                b = newest[s]
                while b >= 0:
                    gain = loss = 0
                    rest, other = a, b
                    ours, theirs = _surely_taken(c, lane, a)
                    while rest:
                        d = c[POINTS + base + lowest(other)] - c[POINTS + base + lowest(rest)]
                        first = rest & -rest
                        if first & ours:
                            # Always taken by the side: the value moves by just that much.
                            gain += d
                            loss -= d
                        elif first & theirs:
                            pass
                        elif d > 0:
                            gain += d
                        else:
                            loss -= d
                        rest &= rest - 1
                        other &= other - 1
                    rank = (c[LANE_INFO + lane * 512 + b] >> RANK_SHIFT) & LANE_MASK
                    c[PAIRS + top + rank] = (gain << 32) + loss
                    b = before[b]
                top += members[s]
                a = before[a]
    c[PAIR_TOP] = top
