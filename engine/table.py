"""Who played which card: seats, trick winners, and what is known of every hand.

Nothing is invented: a hand is *complete* only where its eight cards follow from the record.
"""

from dataclasses import dataclass, field

from engine.cards import N_CARDS, PACK, cards_in, mask_of
from engine.play import PlayTables
from engine.record import HandRecord, Play

MIDDLE = 4
_OWNERS = {letter: place for place, letter in enumerate("NESWM")}
_ROUND = tuple(tuple((first + i) % 4 for i in range(4)) for first in range(4))


@dataclass(slots=True)
class Table:
    """The cards on the table, by ply.

    ``seats[i]`` is who played card ``i`` (``None`` where nobody can know), ``turn[i]`` whether it
    was his turn, ``best[i]`` and ``led[i]`` the best and the led card before it (-1 when leading),
    ``winners`` the winner of each complete trick (``None`` unknown), ``winning`` its card.
    """

    seats: list[int | None] = field(default_factory=list)
    turn: list[bool] = field(default_factory=list)
    led: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    winners: list[int | None] = field(default_factory=list)
    winning: list[int] = field(default_factory=list)
    leaders: list[int | None] = field(default_factory=list)


def lay_table(
    plays: tuple[Play, ...],
    leader: int | None,
    trump: int | None,
    tables: PlayTables,
    owner: dict[int, int],
) -> Table:
    """Seats and winners of all plays.

    ``trump`` is ``None`` where it is not known: winners are then unknown, and who leads is taken
    from a written seat or from ``owner`` (card → seat, as far as the deal is known).
    """
    out = Table()
    for start in range(0, len(plays), 4):
        trick = plays[start : start + 4]
        first = trick[0].seat
        if first is None:
            first = leader if leader is not None else owner.get(trick[0].card)
        out.leaders.append(first)
        seats, turn = _seats_of(trick, first, leader)
        out.seats += seats
        out.turn += turn
        led = best = -1
        best_seat: int | None = None
        for play, seat in zip(trick, seats):
            out.led.append(led)
            out.best.append(best)
            if led < 0:
                led = best = play.card
                best_seat = seat
            elif trump is not None and tables.wins(trump, best, play.card):
                best, best_seat = play.card, seat
        if len(trick) == 4:
            leader = best_seat if trump is not None else None
            out.winners.append(leader)
            out.winning.append(best if trump is not None else -1)
    return out


def _seats_of(
    trick: tuple[Play, ...], first: int | None, expected: int | None
) -> tuple[list[int | None], list[bool]]:
    """Seats of one trick: a written seat plays out of order, the others keep theirs."""
    if first is None:
        return [p.seat for p in trick], [True] * len(trick)
    written = {p.seat for p in trick[1:] if p.seat is not None}
    turn = [expected is None or first == expected]
    if not written:
        return list(_ROUND[first][: len(trick)]), turn + [True] * (len(trick) - 1)
    order = _ROUND[first][1:]
    seats: list[int | None] = [first]
    for play in trick[1:]:
        waiting = [s for s in order if s not in seats]
        if play.seat is not None:
            turn.append(bool(waiting) and play.seat == waiting[0])
            seats.append(play.seat)
        else:
            free = [s for s in waiting if s not in written] or waiting or order
            turn.append(True)
            seats.append(free[0])
    return seats, turn


@dataclass(slots=True)
class Hands:
    """What is known of the cards.

    ``owners`` is the deal as recorded plus what a complete play fixes (seat, 4 = middle card,
    ``None`` unknown); ``dealt`` and ``playing`` are the known cards of each seat before and after
    the exchange, ``complete`` whether ``playing`` is all of it; ``possible`` the cards that a seat
    may have played from: ``playing`` and all that is not known to be elsewhere; ``inferred`` is the
    set of cards whose owner was not recorded; ``nowhere`` the cards known to be in no playing hand.
    """

    owners: list[int | None]
    dealt: list[int]
    playing: list[int]
    complete: list[bool]
    possible: list[int]
    middle: int | None
    discard: int | None
    inferred: int
    nowhere: int


def recorded_owners(record: HandRecord) -> list[int | None]:
    """Owners as the record names them."""
    return [_OWNERS.get(letter) for letter in record.deal]


def deal_fault(record: HandRecord) -> tuple[str, str] | None:
    """What makes the recorded deal impossible, in English and Dutch, or ``None``."""
    from engine.cards import CARDS
    from engine.violations import SEAT_NAMES, dutch_card, english_card

    for c, owner in record.deal_extra:
        name = CARDS[c]
        return (
            f"{english_card(name)} stands in two places ({record.deal[c]} and {owner})",
            f"{dutch_card(name)} staat op twee plaatsen ({record.deal[c]} en {owner})",
        )
    complete = "?" not in record.deal
    for i, letter in enumerate("NESWM"):
        n, want = record.deal.count(letter), 1 if letter == "M" else 8
        if n > want or (complete and n != want):
            if letter == "M":
                return f"{n} middle cards instead of 1", f"{n} kijkkaarten in plaats van 1"
            return (
                f"{SEAT_NAMES['en'][i]} has {n} cards instead of 8",
                f"{SEAT_NAMES['nl'][i]} heeft {n} kaarten in plaats van 8",
            )
    return None


def work_out_hands(
    record: HandRecord,
    table: Table,
    declarer: int | None,
    exchange: bool | None,
    discard: int | None,
    trusted: bool,
) -> Hands:
    """What follows about every hand from the deal, the exchange and the play.

    ``exchange`` is whether declarer took the middle card (``None``: the contract is unknown);
    ``trusted`` is false where the recorded deal is impossible: then only the play counts.
    """
    owners: list[int | None] = recorded_owners(record) if trusted else [None] * N_CARDS
    known_before = _known(owners)
    plays = record.plays
    shown = [0, 0, 0, 0]
    seen = 0
    clean = True
    for play, seat in zip(plays, table.seats):
        bit = 1 << play.card
        if seat is None or seen & bit:
            clean = False
        else:
            shown[seat] |= bit
            seen |= bit
    full = len(plays) == 32 and clean and all(m.bit_count() == 8 for m in shown)
    # A play that contradicts the recorded deal proves nothing about it.
    for s in range(4):
        for c in cards_in(shown[s]):
            o = owners[c]
            if o is not None and o != s and not (o == MIDDLE and exchange and s == declarer):
                full = False
    if full and exchange is not None and (not exchange or declarer is not None):
        rest = (PACK ^ seen).bit_length() - 1
        for s in range(4):
            if exchange and s == declarer:
                continue
            for c in cards_in(shown[s]):
                owners[c] = s
        if not exchange:
            owners[rest] = MIDDLE
        elif discard is None or discard == rest:
            discard = rest
            nine = [*cards_in(shown[declarer or 0]), rest]
            unknown = [c for c in nine if owners[c] is None]
            if MIDDLE in owners:
                for c in unknown:
                    owners[c] = declarer
            elif len(unknown) == 1:
                owners[unknown[0]] = MIDDLE
    owners = _fill(owners)
    middle = owners.index(MIDDLE) if MIDDLE in owners else None
    dealt = [0, 0, 0, 0]
    for c, o in enumerate(owners):
        if o is not None and o != MIDDLE:
            dealt[o] |= 1 << c
    playing = list(dealt)
    complete = [m.bit_count() == 8 for m in dealt]
    nowhere = 0
    if exchange and declarer is not None:
        holding = dealt[declarer] | (1 << middle if middle is not None else 0)
        whole = complete[declarer] and middle is not None
        played = shown[declarer] & holding
        if whole and discard is None and played.bit_count() == 8:
            discard = (holding ^ played).bit_length() - 1
        if discard is not None:
            nowhere |= 1 << discard
            playing[declarer] = holding & ~nowhere
            complete[declarer] = whole
        else:
            playing[declarer] = played if whole else holding & shown[declarer]
            complete[declarer] = False
    elif exchange is False:
        nowhere |= 1 << middle if middle is not None else 0
    else:
        # Somebody may have exchanged a card: only what was played is certain.
        playing, complete = [0, 0, 0, 0], [False] * 4
    elsewhere = [sum(playing[o] for o in range(4) if o != s) | nowhere for s in range(4)]
    for s in range(4):
        if not complete[s]:
            playing[s] |= shown[s] & ~elsewhere[s]
            complete[s] = playing[s].bit_count() == 8
    possible = [
        playing[s]
        if complete[s]
        else _possible(owners, playing, nowhere, s, exchange is not False and declarer in (s, None))
        for s in range(4)
    ]
    inferred = _known(owners) & ~known_before
    return Hands(owners, dealt, playing, complete, possible, middle, discard, inferred, nowhere)


def _possible(
    owners: list[int | None], playing: list[int], nowhere: int, seat: int, takes_middle: bool
) -> int:
    """The cards that a seat whose hand is not known may have had when the play began."""
    places = {seat, MIDDLE} if takes_middle else {seat}
    theirs = sum(playing[o] for o in range(4) if o != seat) | nowhere
    if sum(owners.count(place) for place in places) < 8 + takes_middle:
        return mask_of(c for c, o in enumerate(owners) if o is None or o in places) & ~theirs
    return mask_of(c for c, o in enumerate(owners) if o in places) & ~theirs


def _known(owners: list[int | None]) -> int:
    """The cards whose owner is known."""
    return PACK if None not in owners else mask_of(c for c, o in enumerate(owners) if o is not None)


def _fill(owners: list[int | None]) -> list[int | None]:
    """Give the unknown cards to the one place that still lacks cards, if there is just one."""
    unknown = [c for c in range(N_CARDS) if owners[c] is None]
    if not unknown:
        return owners
    lacking = {o: (1 if o == MIDDLE else 8) - owners.count(o) for o in range(5)}
    places = [o for o, n in lacking.items() if n > 0]
    if len(places) == 1 and lacking[places[0]] == len(unknown):
        return [places[0] if o is None else o for o in owners]
    return owners
