"""Which records of different sources tell the same hand. Pure; docs/store.md states the rule.

Nothing is ever matched within one source: a source tells each hand once. Two records of different
sources are the same hand

- ``session``: if session and hand number are the same, or
- ``players``: if date and the four players are the same, and there is exactly one way to lay the
  hands of the shorter source along those of the longer one in order,

and nothing that both say about deal, play, players, declarer and contract differs. What is not
settled so stays apart, and is told (:class:`Apart`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

Rule = Literal["session", "players"]

ENOUGH_CARDS = 8
"""Cards that two records have in common from which on they are known by them alone."""
CONTRADICTIONS = 4
"""One hand in so many may differ before two lists are not taken for the same evening."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one record says, as far as it matters here.

    ``sources`` are the sources that hold it, with the line in each. ``players`` are names N E S W
    ready to be compared; ``seated`` is false where a score sheet names players and no seats.
    ``deal`` is the owner of each card (``?`` unknown), ``plays`` the cards in order. ``outcome``
    is what the source says, else what the cards prove; ``score`` what the source says.
    """

    hand_id: int
    sources: dict[int, int]
    id: str | None = None
    session: str | None = None
    number: str | None = None
    date: str | None = None
    players: tuple[str | None, str | None, str | None, str | None] = (None,) * 4
    seated: bool = True
    rules: str | None = None
    dealer: int | None = None
    declarer: int | None = None
    contract: str | None = None
    passed_out: bool = False
    deal: str = "?" * 33
    plays: tuple[int, ...] = ()
    outcome: str | None = None
    score: tuple[int, ...] | None = None
    simulated: bool = False

    @property
    def declarer_name(self) -> str | None:
        """Name of the declarer, if known."""
        return None if self.declarer is None else self.players[self.declarer]

    @property
    def place(self) -> int | None:
        """The hand number as a number, if it is one."""
        text = self.number or ""
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

    @property
    def key(self) -> tuple[str, str] | None:
        """Session and hand number, if both are known."""
        if self.session is None or self.number is None:
            return None
        return self.session, self.number if self.place is None else str(self.place)


@dataclass(frozen=True, slots=True)
class Apart:
    """Two records that look like one hand and were kept apart, with the reason."""

    hand_id: int
    other_id: int
    why: str


@dataclass(slots=True)
class Matches:
    """The outcome: pairs that are one hand, and what was kept apart."""

    pairs: list[tuple[int, int, Rule]] = field(default_factory=list)
    apart: list[Apart] = field(default_factory=list)


def contradiction(a: Told, b: Told) -> str | None:
    """What two records say that cannot both be true of one hand; ``None`` if nothing.

    >>> x = Told(1, {1: 1}, contract="120", declarer=0)
    >>> contradiction(x, Told(2, {2: 1}, contract="130", declarer=0))
    'the contract is 120 in one and 130 in the other'
    >>> contradiction(x, Told(2, {2: 1}, contract="120")) is None
    True
    """
    both = a.seated and b.seated
    for what, one, other in (
        ("id", a.id, b.id),
        ("date", a.date, b.date),
        ("rule set", a.rules, b.rules),
        ("contract", a.contract, b.contract),
        ("dealer", _seat(a.dealer), _seat(b.dealer)) if both else ("dealer", None, None),
        ("declarer", _seat(a.declarer), _seat(b.declarer)) if both else ("declarer", None, None),
        ("declarer", a.declarer_name, b.declarer_name),
    ):
        if one is not None and other is not None and one != other:
            return f"the {what} is {one} in one and {other} in the other"
    if (a.passed_out and b.contract) or (b.passed_out and a.contract):
        return "it is passed out in one and has a contract in the other"
    return _players_differ(a, b) or (_cards_differ(a, b) if both else None)


def _seat(seat: int | None) -> str | None:
    return None if seat is None else "NESW"[seat]


def _players_differ(a: Told, b: Told) -> str | None:
    if a.seated and b.seated:
        pairs = zip(a.players, b.players, strict=True)
        found = next(((p, q) for p, q in pairs if p and q and p != q), None)
        return f"{found[0]} in one sits where {found[1]} sits in the other" if found else None
    fewer, more = sorted(({p for p in t.players if p} for t in (a, b)), key=len)
    if len(more) == 4 and not fewer <= more:
        return f"{', '.join(sorted(fewer - more))} does not play in the other"
    return None


def _cards_differ(a: Told, b: Told) -> str | None:
    if any(x != y and "?" not in (x, y) for x, y in zip(a.deal, b.deal, strict=True)):
        return "the cards were dealt otherwise"
    n = min(len(a.plays), len(b.plays))
    return None if a.plays[:n] == b.plays[:n] else "other cards were played"


def known_by_itself(a: Told, b: Told) -> bool:
    """Whether two records agree on so much that they can be recognised: contract, or cards."""
    if a.passed_out and b.passed_out:
        return True
    if a.contract is not None and a.contract == b.contract:
        if a.seated and b.seated and a.declarer is not None and a.declarer == b.declarer:
            return True
        if a.declarer_name is not None and a.declarer_name == b.declarer_name:
            return True
    dealt = sum(x == y != "?" for x, y in zip(a.deal, b.deal, strict=True))
    return max(dealt, min(len(a.plays), len(b.plays))) >= ENOUGH_CARDS


def _supported(a: Told, b: Told) -> bool:
    """Whether id, date or players speak for two records being one hand."""
    named = {p for p in a.players if p} & {p for p in b.players if p}
    same = [x is not None and x == y for x, y in ((a.id, b.id), (a.date, b.date))]
    return any(same) or len(named) >= 2


def results_differ(a: Told, b: Told) -> bool:
    """Whether two records disagree on made or lost, or on the score that their sources give."""
    if a.outcome and b.outcome and a.outcome != b.outcome:
        return True
    if a.score is None or b.score is None:
        return False
    if a.seated and b.seated:
        return a.score != b.score
    return sorted(a.score) != sorted(b.score)


def match(records: Iterable[Told]) -> Matches:
    """All pairs of records that tell the same hand."""
    by_source: dict[int, list[Told]] = defaultdict(list)
    for told in records:
        for source in told.sources:
            by_source[source].append(told)
    out = Matches()
    near = defaultdict(set)
    for source, mine in by_source.items():
        for told in mine:
            for key in (("session", told.session), ("date", told.date)):
                if key[1] is not None:
                    near[key].add(source)
    pairs = {p for sources in near.values() for p in combinations(sorted(sources), 2)}
    for a, b in sorted(pairs):
        one = [t for t in by_source[a] if b not in t.sources]
        other = [t for t in by_source[b] if a not in t.sources]
        common = [t for t in by_source[a] if b in t.sources]
        _by_session(one, other, common, out)
        _by_players(a, b, one, other, out)
    return _consistent(out, records)


def _by_session(
    one: Sequence[Told], other: Sequence[Told], common: Sequence[Told], out: Matches
) -> None:
    mine, theirs = _keyed(one), _keyed(other)
    sessions: dict[str, list[tuple[Told, Told]]] = defaultdict(list)
    for key, a in mine.items():
        b = theirs.get(key)
        if a is not None and b is not None and not (a.simulated and b.simulated):
            sessions[key[0]].append((a, b))
    same = [t.key[0] for t in common if t.key]
    for session, pairs in sessions.items():
        faults = [contradiction(a, b) for a, b in pairs]
        wrong = sum(why is not None for why in faults)
        too_many = wrong * CONTRADICTIONS > len(pairs) + same.count(session)
        for (a, b), fault in zip(pairs, faults, strict=True):
            why = fault
            if why is None and too_many:
                why = f"too many other hands of session {session} differ"
            elif why is None and not (known_by_itself(a, b) or _supported(a, b)):
                why = "too little is known of it in one of them"
            if why is None:
                out.pairs.append((a.hand_id, b.hand_id, "session"))
            else:
                out.apart.append(Apart(a.hand_id, b.hand_id, why))


def _keyed(records: Sequence[Told]) -> dict[tuple[str, str], Told | None]:
    """Records by session and hand; ``None`` where a source has two of them."""
    out: dict[tuple[str, str], Told | None] = {}
    for told in records:
        if told.key is not None:
            out[told.key] = None if told.key in out else told
    return out


def _by_players(a: int, b: int, one: Sequence[Told], other: Sequence[Told], out: Matches) -> None:
    mine, theirs = _evenings(one), _evenings(other)
    for evening in mine.keys() & theirs.keys():
        first, second = mine[evening], theirs[evening]
        if {t.key for t in first if t.key} & {t.key for t in second if t.key}:
            continue  # both name sessions and hands alike: that rule has settled it
        if all(t.simulated for t in (*first, *second)):
            continue
        _lay(_ordered(first, a), _ordered(second, b), out)


def _evenings(records: Sequence[Told]) -> dict[tuple[str, frozenset[str]], list[Told]]:
    """Records by date and players, where all four are known."""
    out: dict[tuple[str, frozenset[str]], list[Told]] = defaultdict(list)
    for told in records:
        players = frozenset(p for p in told.players if p)
        if told.date is not None and len(players) == 4:
            out[told.date, players].append(told)
    return out


def _ordered(records: Sequence[Told], source: int) -> list[Told]:
    """In the order of the hand numbers where all have one, else of the lines."""
    if all(t.place is not None for t in records):
        return sorted(records, key=lambda t: (t.place or 0, t.sources[source]))
    return sorted(records, key=lambda t: t.sources[source])


def _lay(first: list[Told], second: list[Told], out: Matches) -> None:
    one = [t for t in first if t.contract and t.declarer_name]
    other = [t for t in second if t.contract and t.declarer_name]
    short, long = sorted((one, other), key=len)
    if not short or 2 * len(short) < len(long):
        return
    numbered = all(t.place is not None for t in (*short, *long))

    def fits(a: Told, b: Told) -> bool:
        if numbered and a.place != b.place:
            return False
        return known_by_itself(a, b) and contradiction(a, b) is None

    forced = embed(short, long, lambda a, b: fits(a, b) and not results_differ(a, b))
    if forced is None:
        forced = embed(short, long, fits)
        wrong = sum(results_differ(short[i], long[j]) for i, j in (forced or {}).items())
        if forced is not None and wrong * CONTRADICTIONS > len(short):
            forced = None
    if forced is None:
        alike = sum(any(fits(a, b) for b in long) for a in short)
        if 2 * alike < len(short):
            return  # another evening of the same players
        why = "date and players are the same, but the hands do not follow each other alike"
        out.apart.append(Apart(short[0].hand_id, long[0].hand_id, why))
        return
    for i, told in enumerate(short):
        if i in forced:
            out.pairs.append((told.hand_id, long[forced[i]].hand_id, "players"))
        else:
            out.apart.append(
                Apart(told.hand_id, long[0].hand_id, "it could be more than one hand of the other")
            )
    if len(forced) == len(short) == len(long):
        _passed_out(first, second, [(short[i], long[j]) for i, j in forced.items()], out)


def embed(
    short: Sequence[Told], long: Sequence[Told], fits: Callable[[Told, Told], bool]
) -> dict[int, int] | None:
    """Where each of ``short`` must stand in ``long``, in order; ``None`` if they do not fit.

    An element that can stand in more than one place, with all others placed, is left out.
    """
    earliest = _greedy(range(len(short)), range(len(long)), short, long, fits)
    if earliest is None:
        return None
    latest = _greedy(range(len(short) - 1, -1, -1), range(len(long) - 1, -1, -1), short, long, fits)
    return {i: j for i, j in earliest.items() if latest is not None and latest[i] == j}


def _greedy(
    order: Iterable[int],
    places: Iterable[int],
    short: Sequence[Told],
    long: Sequence[Told],
    fits: Callable[[Told, Told], bool],
) -> dict[int, int] | None:
    left = iter(places)
    out: dict[int, int] = {}
    for i in order:
        found = next((j for j in left if fits(short[i], long[j])), None)
        if found is None:
            return None
        out[i] = found
    return out


def _passed_out(
    first: list[Told], second: list[Told], anchors: list[tuple[Told, Told]], out: Matches
) -> None:
    """Hands that were passed out have no mark of their own: they go by their neighbours."""
    known = {t.hand_id: i for i, pair in enumerate(anchors) for t in pair}
    gaps = [_gaps(records, known) for records in (first, second)]
    for gap in gaps[0].keys() & gaps[1].keys():
        one, other = gaps[0][gap], gaps[1][gap]
        if len(one) == len(other):
            for a, b in zip(one, other, strict=True):
                if contradiction(a, b) is None:
                    out.pairs.append((a.hand_id, b.hand_id, "players"))


def _gaps(records: list[Told], known: dict[int, int]) -> dict[int, list[Told]]:
    """Passed-out hands after the n-th anchor; nothing for a gap that holds other hands too."""
    out: dict[int, list[Told]] = defaultdict(list)
    mixed = set()
    gap = -1
    for told in records:
        if told.hand_id in known:
            gap = known[told.hand_id]
        elif told.passed_out:
            out[gap].append(told)
        else:
            mixed.add(gap)
    return {g: hands for g, hands in out.items() if g not in mixed}


def _consistent(found: Matches, records: Iterable[Told]) -> Matches:
    """Without the chains that would make two hands of one source the same."""
    told = {t.hand_id: t for t in records}
    root = {i: i for i in told}

    def top(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for a, b, _ in found.pairs:
        root[top(a)] = top(b)
    groups: dict[int, set[int]] = defaultdict(set)
    for i in told:
        groups[top(i)].add(i)
    bad = set()
    for group in groups.values():
        sources = [s for i in group for s in told[i].sources]
        if len(sources) > len(set(sources)):
            bad |= group
    for a, b, _ in found.pairs:
        if a in bad:
            found.apart.append(Apart(a, b, "it would be two hands of one source at once"))
    found.pairs = [p for p in found.pairs if p[0] not in bad]
    return found
