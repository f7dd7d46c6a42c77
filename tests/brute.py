"""A second, slow and plain reading of the rules, written to be checked by eye against RULES.md.

It shares nothing with the product: no import of ``engine`` or ``parsers``, cards are texts, hands
are lists, and every rule is an ``if`` with the section it comes from. Tests compare the product
with it. Where the two disagree one of them misreads the rules.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

SEATS = "NESW"

HEERLEN_FAMILY = ("heerlen", "heerlen-literal", "butselaar")
FICHES_FAMILY = (
    "fiches",
    "fiches-mini",
    "fiches-solo",
    "fiches-race",
    "limburg",
    "fiches-show-low",
)
RULE_SETS = HEERLEN_FAMILY + FICHES_FAMILY

# Section 1: A K Q J T 9 8 7 in four suits, and the six of hearts.
PACK = [suit + rank for suit in "SHDC" for rank in "AKQJT9876" if rank != "6" or suit == "H"]

GOALS = (
    "points",
    "tricks",
    "all",
    "none",
    "first-only",
    "exactly-one",
    "one-with-jas",
    "first-four-and-all",
    "called-card-and-four",
    "jas-and-all",
)


def cards_of(text: str) -> list[str]:
    """``"SAHT"`` -> ``["SA", "HT"]``; ``"-"`` is no card."""
    if text == "-":
        return []
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def hands_of(deal: str) -> dict[str, list[str]]:
    """The four hands of a deal of 33 owner letters (the notation's DEAL field)."""
    return {
        seat: [c for c, owner in zip(PACK, deal, strict=True) if owner == seat] for seat in SEATS
    }


# --- Section 1: order and points -----------------------------------------------------------------


def plain_order(rules: str) -> str:
    """Ranks of a plain suit, best first."""
    return "ATKQJ9876" if rules in FICHES_FAMILY else "AKQJT9876"


def trump_order(rules: str) -> str:
    """Ranks of the trump suit, best first."""
    return "J9ATKQ876" if rules in FICHES_FAMILY else "J9AKQT876"


def card_points(rules: str, trump: str | None, card: str) -> int:
    """Points of one card; ``trump`` is a suit letter or ``None``."""
    suit, rank = card
    if suit == trump and rank == "J":
        return 20
    if suit == trump and rank == "9":
        return 14
    if rank == "A":
        return 11
    if rank == "T":
        return 10
    if rules in FICHES_FAMILY:
        return {"K": 4, "Q": 3, "J": 2}.get(rank, 0)
    return {"K": 3, "Q": 2, "J": 1}.get(rank, 0)


def last_trick_points(rules: str) -> int:
    """What the last trick is worth on top of its cards."""
    return 10 if rules in FICHES_FAMILY else 5


def total_points(rules: str, trump: str | None) -> int:
    """All 33 cards and the last trick."""
    return sum(card_points(rules, trump, c) for c in PACK) + last_trick_points(rules)


# --- Section 5: who wins a trick -----------------------------------------------------------------


def beats(rules: str, trump: str | None, card: str, other: str) -> bool:
    """Whether ``card``, played after ``other`` was the best so far, takes the trick from it."""
    if card[0] == other[0]:
        order = trump_order(rules) if card[0] == trump else plain_order(rules)
        return order.index(card[1]) < order.index(other[1])
    return card[0] == trump


def best_of(rules: str, trump: str | None, trick: Sequence[str]) -> int:
    """Place in ``trick`` of the card that wins it: highest trump, else highest of the led suit."""
    best = 0
    for i in range(1, len(trick)):
        if beats(rules, trump, trick[i], trick[best]):
            best = i
    return best


def winner(rules: str, trump: str | None, leader: str, trick: Sequence[str]) -> str:
    """Seat that wins ``trick``, whose first card ``leader`` played."""
    return SEATS[(SEATS.index(leader) + best_of(rules, trump, trick)) % 4]


# --- Section 5: what may be played ---------------------------------------------------------------


def legal_cards(
    rules: str, trump: str | None, hand: Sequence[str], trick: Sequence[str]
) -> list[str]:
    """Cards of ``hand`` that may be played to ``trick`` (the cards on the table, in order)."""
    if not trick:
        return list(hand)  # whoever leads may lead anything
    if rules in FICHES_FAMILY:
        return _fiches(rules, trump, hand, trick)
    legal = _heerlen(rules, trump, hand, trick)
    # 5.1, 5.2: the jas is never forced. A player may act as if he did not hold it, so whatever
    # would be legal without it is legal too; if it is his only card there is nothing to act with.
    jas = f"{trump}J"
    if trump and jas in hand and len(hand) > 1:
        without = _heerlen(rules, trump, [c for c in hand if c != jas], trick)
        return [c for c in hand if c in legal or c in without]
    return legal


def _heerlen(rules: str, trump: str | None, hand: Sequence[str], trick: Sequence[str]) -> list[str]:
    """5.1, 5.2 and 5.4 for a hand whose jas, if any, is a trump like the others."""
    led = trick[0][0]
    follow = [c for c in hand if c[0] == led]
    trumps = [c for c in hand if c[0] == trump]
    if trump is None:  # 5.1, 5.2: no trumps: follow if possible, else anything
        return follow or list(hand)
    if rules == "heerlen-literal":  # 5.2: whatever is led, a trump must be played if held
        return trumps or list(hand)  # section 9: without a trump any card, no undertrump ban
    if led == trump:  # 5.1: trump led -> play a trump if held
        return trumps or list(hand)
    # 5.1: the led suit held -> follow or play any trump; not held -> anything
    legal = follow + trumps if follow else list(hand)
    if rules == "heerlen":  # the ban; 5.4: butselaar has none
        best = trick[best_of(rules, trump, trick)]
        if best[0] == trump:  # a plain suit was led and has been trumped
            lower = [c for c in legal if c[0] == trump and not beats(rules, trump, c, best)]
            others = [c for c in legal if c not in lower]
            if others:  # section 9: illegal if another legal card is there
                return others
    return legal


def _fiches(rules: str, trump: str | None, hand: Sequence[str], trick: Sequence[str]) -> list[str]:
    """5.3: the jas is a trump like the others."""
    led = trick[0][0]
    follow = [c for c in hand if c[0] == led]
    if follow:  # follow suit; trump led: follow, overtrumping it is not required
        return follow
    trumps = [c for c in hand if c[0] == trump]
    if not trumps:
        return list(hand)
    best = trick[best_of(rules, trump, trick)]
    if best[0] == trump:  # the trick has a trump: overtrump if a higher one is held
        higher = [c for c in trumps if beats(rules, trump, c, best)]
        if higher:
            return higher
    return trumps  # void: trump; if none is higher, any trump


def perft(
    rules: str, trump: str | None, hands: dict[str, list[str]], leader: str, depth: int
) -> int:
    """Number of legal continuations of ``depth`` cards, from the lead of ``leader`` on.

    The last level is counted, not walked.
    """
    return _perft(rules, trump, hands, leader, [], depth)


def _perft(
    rules: str,
    trump: str | None,
    hands: dict[str, list[str]],
    leader: str,
    trick: list[str],
    depth: int,
) -> int:
    seat = SEATS[(SEATS.index(leader) + len(trick)) % 4]
    legal = legal_cards(rules, trump, hands[seat], trick)
    if depth == 1:
        return len(legal)
    count = 0
    for card in legal:
        rest = {**hands, seat: [c for c in hands[seat] if c != card]}
        table = [*trick, card]
        if len(table) == 4:
            count += _perft(rules, trump, rest, winner(rules, trump, leader, table), [], depth - 1)
        else:
            count += _perft(rules, trump, rest, leader, table, depth - 1)
    return count


# --- Section 3: goals, and the exact value of an ending ------------------------------------------


@dataclass(frozen=True)
class Past:
    """What matters of the tricks so far. ``side`` and ``declarer`` count tricks won."""

    tricks: int = 0
    side: int = 0
    declarer: int = 0
    declarer_first: bool = False  # declarer won trick 1
    declarer_early: int = 0  # how many of tricks 1 to 4 declarer won
    declarer_jas: bool = False  # declarer won a trick with the jas
    side_jas: bool = False  # the jas lay in a trick that the side won
    side_called: bool = False  # the called card lay in a trick that the side won

    def after(
        self,
        won_by: str,
        won_with: str,
        cards: Sequence[str],
        side: str,
        declarer: str,
        jas: str | None,
        called: str | None,
    ) -> "Past":
        """The past with one more trick in it."""
        past = replace(self, tricks=self.tricks + 1)
        if won_by == declarer:
            past = replace(
                past,
                declarer=past.declarer + 1,
                declarer_first=past.declarer_first or self.tricks == 0,
                declarer_early=past.declarer_early + (self.tricks < 4),
                declarer_jas=past.declarer_jas or won_with == jas,
            )
        if won_by in side:
            past = replace(
                past,
                side=past.side + 1,
                side_jas=past.side_jas or jas in cards,
                side_called=past.side_called or called in cards,
            )
        return past


def reached(goal: str, past: Past) -> bool:
    """Whether a hand whose tricks are all in ``past`` reached ``goal`` (RULES 3.1 to 3.3).

    ``side`` is declarer with his partner, or declarer alone.

    all                   the side won all tricks (kereltje, pandoer, privé, solo-zwabber)
    none                  the side won no trick (misère: the side is declarer)
    first-only            declarer won the first trick and no other (piccolo, heerlen)
    exactly-one           declarer won exactly one trick, any (piccolo, fiches)
    one-with-jas          declarer won exactly one trick, with the jas (piccolo, butselaar)
    first-four-and-all    declarer won tricks 1 to 4 himself, the side all (zwabber, heerlen)
    called-card-and-four  the called card in a trick of the side, four or more tricks
                          (zwabber, heerlen-literal)
    jas-and-all           the jas in a trick of the side, all tricks (kereltje, heerlen-literal;
                          a discarded jas is in no trick: lost)
    """
    if goal == "all":
        return past.side == past.tricks
    if goal == "none":
        return past.side == 0
    if goal == "first-only":
        return past.declarer_first and past.declarer == 1
    if goal == "exactly-one":
        return past.declarer == 1
    if goal == "one-with-jas":
        return past.declarer_jas and past.declarer == 1
    if goal == "first-four-and-all":
        return past.declarer_early == min(4, past.tricks) and past.side == past.tricks
    if goal == "called-card-and-four":
        return past.side_called and past.side >= 4
    if goal == "jas-and-all":
        return past.side_jas and past.side == past.tricks
    raise ValueError(f"no goal {goal!r} (there are: {', '.join(GOALS)})")


def lost_already(goal: str, past: Past) -> bool:
    """Whether tricks won or lost so far put ``goal`` out of reach, whatever is still played."""
    if goal in ("all", "first-four-and-all", "jas-and-all"):
        return past.side < past.tricks
    if goal == "none":
        return past.side > 0
    if goal in ("first-only", "exactly-one", "one-with-jas"):
        return past.declarer > 1
    return False


@dataclass
class Ending:
    """A position to be solved: what stays the same while it is played out."""

    rules: str
    trump: str | None
    side: str
    goal: str
    declarer: str
    called: str | None

    def __post_init__(self) -> None:
        self.jas = f"{self.trump}J" if self.trump else None
        self.known: dict[object, int] = {}
        # The same hand meets the same trick in many lines: remember, only to be quicker.
        self.legal = cache(partial(legal_cards, self.rules, self.trump))
        self.best = cache(partial(best_of, self.rules, self.trump))
        self.worth = cache(self._worth)

    def value(
        self, hands: tuple[tuple[str, ...], ...], leader: str, trick: tuple[str, ...], past: Past
    ) -> int:
        """Best value that the side can force: it maximises, the others minimise."""
        if not any(hands) and not trick:
            if self.goal in ("points", "tricks"):
                return 0
            return int(reached(self.goal, past))
        if self.goal not in ("points", "tricks") and lost_already(self.goal, past):
            return 0
        key = (hands, leader, trick, past)
        if key not in self.known:
            to_play = SEATS[(SEATS.index(leader) + len(trick)) % 4]
            values = self._values(hands, leader, trick, past, to_play)
            if self.goal in ("points", "tricks"):
                best = max(values) if to_play in self.side else min(values)
            elif to_play in self.side:
                best = int(any(values))  # one card that reaches the goal is enough
            else:
                best = int(all(values))  # no card of theirs may spoil it
            self.known[key] = best
        return self.known[key]

    def _worth(self, table: tuple[str, ...]) -> int:
        return sum(card_points(self.rules, self.trump, c) for c in table)

    def _values(
        self,
        hands: tuple[tuple[str, ...], ...],
        leader: str,
        trick: tuple[str, ...],
        past: Past,
        to_play: str,
    ) -> Iterator[int]:
        seat = SEATS.index(to_play)
        for card in self.legal(hands[seat], trick):
            mine = tuple(c for c in hands[seat] if c != card)
            rest = (*hands[:seat], mine, *hands[seat + 1 :])
            table = (*trick, card)
            if len(table) < 4:
                yield self.value(rest, leader, table, past)
                continue
            best = self.best(table)
            won_by = SEATS[(SEATS.index(leader) + best) % 4]
            if self.goal == "points":
                gain = self.worth(table)
                if not any(rest):
                    gain += last_trick_points(self.rules)
                gain = gain if won_by in self.side else 0
                yield gain + self.value(rest, won_by, (), past)
            elif self.goal == "tricks":
                yield (won_by in self.side) + self.value(rest, won_by, (), past)
            else:
                then = past.after(
                    won_by, table[best], table, self.side, self.declarer, self.jas, self.called
                )
                yield self.value(rest, won_by, (), then)


def solve(
    rules: str,
    trump: str | None,
    hands: dict[str, list[str]],
    leader: str,
    trick: Sequence[str],
    side: str,
    goal: str,
    declarer: str | None = None,
    called: str | None = None,
    past: Past | None = None,
) -> int:
    """Exact value of an ending (meant for up to five cards a hand) for ``side``.

    ``trick`` holds the cards on the table in order, the first by ``leader``; those cards are no
    longer in ``hands``. ``points`` = card points and the last trick still to come for the side,
    the table included; ``tricks`` = tricks still to come, the one on the table included; any other
    goal = 1 if the side can force it over the whole hand (tricks of ``past`` included), else 0.
    Without ``past`` the position stands for a whole hand: its next (or open) trick is trick 1.
    ``declarer`` is the first of ``side`` unless given.
    """
    if goal not in GOALS:
        raise ValueError(f"no goal {goal!r} (there are: {', '.join(GOALS)})")
    tricks = len(hands[SEATS[(SEATS.index(leader) + 3) % 4]])  # the last to play
    for turn in range(4):
        seat = SEATS[(SEATS.index(leader) + turn) % 4]
        expected = tricks - (turn < len(trick))
        if len(hands[seat]) != expected:
            names = {"N": "North", "E": "East", "S": "South", "W": "West"}
            raise ValueError(f"{names[seat]} holds {len(hands[seat])}, expected {expected}")
    ending = Ending(rules, trump, side, goal, declarer or side[0], called)
    held = tuple(tuple(hands[s]) for s in SEATS)
    return ending.value(held, leader, tuple(trick), past or Past())
