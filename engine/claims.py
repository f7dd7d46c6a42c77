"""Announcements as they were made: judged in order, and what they add up to (RULES 6 and 9)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.cards import CARDS, NO_TRUMP, cards_in, mask_of, names
from engine.meld import (
    EARLY,
    LATE,
    NEVER,
    Announced,
    Combination,
    after_first_card,
    announceable,
    best_of_value,
    best_roem,
    best_single,
    lowest_cards,
    most_at_table,
    named_combination,
    stuk_cards,
    stuk_closes,
    table_rank,
    timing,
    window_opens,
)
from engine.record import Claim, HandRecord
from engine.ruleset import Bid, RuleSet
from engine.state import NOBODY
from engine.table import Hands, Table
from engine.violations import Violation, dutch_card, english_card

CLAIM_WORDS = {
    "roem": ("roem", "roem"),
    "deny": ("a denial", "een ontzegging"),
    "stuk": ("stuk", "stuk"),
    "show": ("a card shown", "een getoonde kaart"),
    "run": ("the run", "de reeks"),
    "set": ("the cards", "de kaarten"),
}


@dataclass(slots=True)
class Judged:
    """Melds of a hand: what stands for each seat and what was wrong.

    ``roem`` and ``stuk`` are the points standing per seat; ``stands[i]`` whether claim ``i`` does;
    ``revealed_by`` the ply at which the partner made himself known by a claim, with its kind.
    """

    roem: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    stuk: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    stands: list[bool] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    revealed_by: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a claim is judged by. ``partner``: seat, NOBODY or ``None`` (unknown)."""

    record: HandRecord
    rules: RuleSet
    bid: Bid | None
    declarer: int | None
    partner: int | None
    trump: int | None
    called: int | None
    forehand: int | None
    bidders: set[int]
    table: Table
    hands: Hands

    def side(self, seat: int) -> bool | None:
        """Whether a seat is on declarer's side; ``None`` where nobody can know."""
        if seat == self.declarer:
            return True
        if self.partner is None or self.declarer is None:
            return None
        return seat == self.partner

    def play_of(self, card: int, seat: int | None = None) -> int:
        """Ply at which a card was put on the table, NEVER if it was not."""
        for i, play in enumerate(self.record.plays):
            if play.card == card and (seat is None or self.table.seats[i] == seat):
                return i
        return NEVER

    def played_by(self, seat: int) -> int:
        """The cards that a seat has played."""
        mine = zip(self.record.plays, self.table.seats)
        return mask_of(play.card for play, s in mine if s == seat)

    def next_play(self, seat: int, from_ply: int) -> int:
        """Ply of a seat's first card at or after ``from_ply``."""
        for i in range(from_ply, len(self.record.plays)):
            if self.table.seats[i] == seat:
                return i
        return NEVER

    def window(self) -> tuple[int, int]:
        """First and last ply at which the partner may announce roem (``heerlen``)."""
        called_ply = -1 if self.called is None else self.play_of(self.called)
        winners = np.array([-1 if w is None else w for w in self.table.winners], np.int64)
        opens = int(
            window_opens(called_ply, -2 if self.declarer is None else self.declarer, winners)
        )
        if self.partner in (None, NOBODY) or opens == NEVER:
            return opens, NEVER
        return opens, self.next_play(int(self.partner or 0), opens)


def judge_claims(s: Situation) -> Judged:
    """Judge all claims of a record, in the order said."""
    out = Judged(stands=[False] * len(s.record.claims))
    said: list[tuple[int, Announced]] = []
    for i, claim in enumerate(s.record.claims):
        if claim.kind == "show":
            out.stands[i] = _show(s, claim, out)
        elif claim.kind == "stuk":
            out.stands[i] = _stuk(s, claim, out)
        elif claim.kind == "deny":
            out.stands[i] = _deny(s, claim, said, out)
        else:
            announced = _announce(s, claim, out)
            if announced is not None:
                said.append((i, announced))
        if out.stands[i] or (said and said[-1][0] == i):
            if claim.kind in ("stuk", "roem") and claim.seat == s.partner:
                if out.revealed_by is None:
                    out.revealed_by = (claim.ply, claim.kind)
    _settle(s, said, out)
    return out


def _add(out: Judged, code: str, claim: Claim, **params: object) -> None:
    cards = [CARDS[c] for c in claim.cards]
    english, dutch = CLAIM_WORDS[claim.kind]
    if claim.kind == "roem":
        english = dutch = f"roem {claim.value}"
    if cards:
        english += " " + " ".join(map(english_card, cards))
        dutch += " " + " ".join(map(dutch_card, cards))
    words = {"what": english, "what_nl": dutch}
    out.violations.append(
        Violation(code, ply=claim.ply, seat=claim.seat, params={**words, **params})
    )


def _show(s: Situation, claim: Claim, out: Judged) -> bool:
    hand = s.hands.dealt[claim.seat]
    card = claim.cards[0]
    owner = s.hands.owners[card]
    if not hand >> card & 1 and (hand.bit_count() == 8 or owner is not None):
        _add(out, "show-not-held", claim, card=CARDS[card])
        return False
    # Of a hand known in part the lowest card shown may be the lowest, unless a known one is lower.
    low = lowest_cards(hand | 1 << card, s.rules)
    if not low >> card & 1:
        _add(out, "show-not-lowest", claim, card=CARDS[card], cards=names(low))
        return False
    return True


def _stuk(s: Situation, claim: Claim, out: Judged) -> bool:
    if s.bid is not None and (not s.bid.uses_points or not s.rules.meld.stuk):
        _add(out, "roem-not-allowed", claim)
        return False
    if s.side(claim.seat) is False:
        _add(out, "roem-not-allowed", claim)
        return False
    if s.trump is None:
        return False
    possible = s.hands.possible[claim.seat]
    pair = () if s.trump == NO_TRUMP else stuk_cards(s.trump)
    if not pair or not all(possible >> c & 1 for c in pair):
        _add(out, "stuk-not-held", claim)
        return False
    if timing(claim.ply, 0, _stuk_closes(s, pair, claim.seat)) == LATE:
        _add(out, "stuk-too-late", claim)
        return False
    out.stuk[claim.seat] = s.rules.meld.stuk
    return True


def _stuk_closes(s: Situation, pair: Sequence[int], seat: int | None) -> int:
    king, queen = (s.play_of(c, seat) for c in pair)
    return stuk_closes(king, queen, s.rules.meld.stuk_before == "first")


def _announce(s: Situation, claim: Claim, out: Judged) -> Announced | None:
    """A roem, run or set: ``None`` where it counts nothing."""
    table = s.rules.meld.system == "best-at-table"
    if s.rules.meld.system == "none":
        _add(out, "roem-not-allowed", claim)
        return None
    if not table and ((s.bid is not None and not s.bid.uses_points) or s.side(claim.seat) is False):
        _add(out, "roem-not-allowed", claim)
        return None
    code = _table_window(s, claim) if table else _roem_window(s, claim)
    if code:
        _add(out, code, claim)
        return None
    hand = s.hands.playing[claim.seat]
    if claim.kind == "roem":
        value = claim.value or 0
        combos = _worth(hand, value, s.rules)
        if not combos and not _may_be_worth(s, claim.seat, value):
            _add(out, "roem-not-held", claim)
            return None
    else:
        named = named_combination(claim.cards, claim.kind, s.rules)
        if named is None:
            _add(out, "roem-not-allowed", claim)
            return None
        if named.cards & ~s.hands.possible[claim.seat]:
            _add(out, "roem-not-held", claim)
            return None
        value, combos = named.value, (named,)
    if s.rules.meld.announce == "before-last-card" and not table:
        for combo in combos:
            last = max(s.play_of(c, claim.seat) for c in range(33) if combo.cards >> c & 1)
            if timing(claim.ply, 0, last) == LATE:
                _add(out, "roem-too-late", claim)
                return None
    return Announced(claim.seat, claim.ply, value, combos)


def _worth(hand: int, value: int, rules: RuleSet) -> tuple[Combination, ...]:
    """The combinations meant by a total: none where the hand has no such total."""
    if rules.meld.system == "best-at-table":
        single = best_of_value(hand, value, rules)
        return (single,) if single else ()
    return announceable(hand, rules).get(value, ())


def _may_be_worth(s: Situation, seat: int, value: int) -> bool:
    """Whether a seat may have had a total: certain only where at most the discard is open."""
    possible, playing = s.hands.possible[seat], s.hands.playing[seat]
    if possible.bit_count() > 9:
        return True
    if possible.bit_count() < 9:
        return bool(_worth(possible, value, s.rules))
    return any(_worth(possible & ~(1 << c), value, s.rules) for c in cards_in(possible & ~playing))


def _table_window(s: Situation, claim: Claim) -> str | None:
    closes = s.next_play(claim.seat, 0)
    return "roem-too-late" if timing(claim.ply, 0, closes) == LATE else None


def _roem_window(s: Situation, claim: Claim) -> str | None:
    if s.rules.meld.announce == "before-last-card":
        return None
    if claim.seat == s.declarer:
        opens = closes = after_first_card(s.next_play(claim.seat, 0))
    elif s.partner is None:
        return None
    else:
        opens, closes = s.window()
    when = timing(claim.ply, opens, closes)
    if when == EARLY:
        return "roem-not-allowed"
    return "roem-too-late" if when == LATE else None


def _deny(s: Situation, claim: Claim, said: list[tuple[int, Announced]], out: Judged) -> bool:
    if not s.rules.meld.deny or s.side(claim.seat) is True:
        _add(out, "roem-not-allowed", claim)
        return False
    if claim.seat not in s.bidders:
        _add(out, "deny-without-bid", claim)
        return False
    standing = [a for _, a in said if a.stands]
    mine = best_single(s.hands.playing[claim.seat], s.rules)
    if not standing:
        _add(out, "deny-without-better", claim)
        return False
    struck = standing[-1].seat
    best = max(a.best() for a in standing if a.seat == struck)
    if s.hands.complete[claim.seat] and (mine is None or mine.strength <= best):
        _add(out, "deny-without-better", claim)
        return False
    for _, a in said:
        if a.seat == struck and a.ply <= claim.ply:
            a.stands, a.denied, a.denied_by = False, True, mine
    return True


def _settle(s: Situation, said: list[tuple[int, Announced]], out: Judged) -> None:
    """Restore declarer's denied roem where his partner's is better, then add up what stands."""
    partner = [b for _, b in said if b.seat != s.declarer and b.stands]
    for _, a in said:
        if a.denied and a.denied_by is not None and a.seat == s.declarer:
            a.stands = any(b.best() > a.denied_by.strength for b in partner)
    for i, a in said:
        out.stands[i] = a.stands
    if s.rules.meld.system == "best-at-table":
        ranked = [
            (table_rank(a.combos[0], a.seat, s.forehand, s.trump, s.rules), a)
            for _, a in said
            if a.stands and a.combos
        ]
        if ranked:
            best = max(ranked, key=lambda r: r[0])[1]
            out.roem[best.seat] = best.value
            for i, a in said:
                out.stands[i] = a is best
    else:
        for _, a in said:
            if a.stands:
                out.roem[a.seat] += a.value


def still_possible(s: Situation, ply: int, judged: Judged) -> int:
    """Most roem and stuk that declarer's side could still announce after ``ply`` cards.

    An upper bound: whatever is not known of a hand is taken to be worth the most.
    """
    rules = s.rules
    if s.bid is None or not s.bid.uses_points:
        return 0
    side = [x for x in range(4) if s.side(x) is not False]
    total = at_table = 0
    for seat in side:
        known = s.hands.complete[seat]
        hand = s.hands.playing[seat]
        if rules.meld.stuk and s.trump != NO_TRUMP and not judged.stuk[seat]:
            total += _possible_stuk(s, seat, ply)
        if rules.meld.system == "none" or not _may_still_announce(s, seat, ply):
            continue
        if rules.meld.system == "best-at-table":
            at_table = max(at_table, _most_at_table(s, seat))
        else:
            most = best_roem(hand, rules) if known else 8 * max(rules.meld.runs.values())
            more = most - judged.roem[seat]
            if known and rules.meld.announce == "before-last-card":
                more = min(more, best_roem(hand, rules, s.played_by(seat)))
            total += max(0, more)
    others = max((judged.roem[x] for x in range(4) if x not in side), default=0)
    if at_table < others:
        return total
    standing = sum(judged.roem) - others if s.partner is not None else 0
    return total + max(0, at_table - standing)


def _most_at_table(s: Situation, seat: int) -> int:
    """The most that a seat can declare at the table."""
    meld = s.rules.meld
    if s.hands.complete[seat]:
        return most_at_table(s.hands.playing[seat], s.rules)
    return max([*meld.runs.values(), *meld.threes.values(), *meld.fours.values()], default=0)


def meld_is_settled(s: Situation, ply: int, judged: Judged) -> bool:
    """Whether no opponent can still declare a meld that takes the place of what stands."""
    if s.rules.meld.system != "best-at-table":
        return True
    standing = sum(judged.roem)
    return not any(
        s.side(x) is not True
        and _may_still_announce(s, x, ply)
        and _most_at_table(s, x) >= standing > 0
        for x in range(4)
    )


def _possible_stuk(s: Situation, seat: int, ply: int) -> int:
    if s.trump is None:
        return s.rules.meld.stuk
    pair = stuk_cards(s.trump)
    hand = s.hands.playing[seat]
    if s.hands.complete[seat] and not all(hand >> c & 1 for c in pair):
        return 0
    return 0 if timing(ply, 0, _stuk_closes(s, pair, None)) == LATE else s.rules.meld.stuk


def _may_still_announce(s: Situation, seat: int, ply: int) -> bool:
    first = s.next_play(seat, 0)
    if s.rules.meld.system == "best-at-table":
        return timing(ply, 0, first) != LATE
    if s.rules.meld.announce == "before-last-card":
        return True
    if seat == s.declarer:
        return timing(ply, 0, after_first_card(first)) != LATE if first != NEVER else True
    opens, closes = s.window()
    return timing(ply, 0, closes) != LATE if opens != NEVER else True
