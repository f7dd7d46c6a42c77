"""The simple players written slowly and plainly: the judge of the compiled ones.

Cards are looked at one by one, sets of cards are Python sets of numbers, and every question of the
game is put to the engine's own functions. Random numbers are drawn in the order in which the
compiled players draw them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import erf, exp, sqrt

import numpy as np

from engine.auction import Auction
from engine.cards import CARDS, NO_TRUMP, RANK_OF, SEATS, SUIT_OF, SUITS, cards_in, mask_of
from engine.declaration import callable_cards
from engine.meld import best_roem, combinations, lowest_cards, named_combination, stuk_cards
from engine.record import Call, Claim, HandRecord, Play, Result
from engine.replay import replay
from engine.ruleset import Bid, Contract, RuleSet
from pandoeren_replay.players.bidding import Bidder
from pandoeren_replay.players.valuation import weighed

TAKERS = ("points", "called-card-and-four", "all", "first-four-and-all", "jas-and-all")
"""Goals for which tricks are wanted."""
ALL = ("all", "first-four-and-all", "jas-and-all")


@dataclass
class Found:
    """A plan: trumps, eight cards, discard (None: none), what the model says."""

    trump: int
    hand: int
    gone: int | None
    z: float


class Judge:
    """Plans, bids and plays hands of one rule set; models are those of the bidder under test."""

    def __init__(self, bidder: Bidder) -> None:
        self.bidder = bidder
        self.rules: RuleSet = bidder.rules

    # What a hand is worth ---------------------------------------------------------------------

    def height(self, c: int, trump: int) -> int:
        return int(self.rules.tables.strength[trump, c])

    def power(self, c: int, trump: int) -> int:
        return self.height(c, trump) + (20 if SUIT_OF[c] == trump else 0)

    def points(self, c: int, trump: int) -> int:
        return int(self.rules.tables.points[trump, c])

    def danger(self, hand: int, trump: int) -> float:
        total = 0.0
        for suit in range(4):
            heights = sorted(self.height(c, trump) for c in cards_in(hand) if SUIT_OF[c] == suit)
            for below, height in enumerate(heights):
                d = height - 2.0 * below - 0.5
                if d > 0:
                    total += 1.5 * d if suit == trump else d
        return total

    def features(self, hand: int, trump: int) -> list[float]:
        suits = [[c for c in cards_in(hand) if SUIT_OF[c] == s] for s in range(4)]
        plain = [suits[s] for s in range(4) if s != trump]
        mine = suits[trump] if trump != NO_TRUMP else []
        side = [RANK_OF[c] for cards in plain for c in cards]
        high = [RANK_OF[c] for c in mine]
        with_ace = [cards for cards in plain if any(RANK_OF[c] == "A" for c in cards)]
        tenths = 0.0
        for c in cards_in(hand):
            tenths += self.points(c, trump) / 10.0
        d = self.danger(hand, trump)
        return [
            1.0,
            len(mine),
            len(mine) ** 2 / 8.0,
            sum(not cards for cards in plain),
            sum(len(cards) == 1 for cards in plain),
            sum(bool(cards) and min(self.height(c, trump) for c in cards) > 1 for cards in plain),
            side.count("A"),
            sum(len(cards) > 1 for cards in with_ace),
            high.count("J"), high.count("9"), high.count("A"),
            sum(high.count(r) for r in "KQT"),
            side.count("K"), side.count("T"),
            tenths, d, sqrt(d), d * d / 20.0,
        ]  # fmt: skip

    def discard(self, nine: int, trump: int, goal: str) -> int:
        cards = list(cards_in(nine))
        keep = set()
        if goal in ("first-only", "exactly-one", "one-with-jas"):
            keep.add(max(cards, key=lambda c: self.power(c, trump)))
        if goal == "one-with-jas":
            keep |= {c for c in cards if SUIT_OF[c] == trump and RANK_OF[c] == "J"}
        options = [c for c in cards if c not in keep]
        if goal not in TAKERS:
            return min(options, key=lambda c: self.danger(nine & ~(1 << c), trump))
        options = [c for c in options if SUIT_OF[c] != trump] or options
        suit = [SUIT_OF[c] for c in cards]
        return min(options, key=lambda c: 2 * self.height(c, trump) + suit.count(SUIT_OF[c]))

    def may_name(self, c: Contract, hand: int, trump: int) -> bool:
        jas = any(RANK_OF[x] == "J" and SUIT_OF[x] == trump for x in cards_in(hand))
        if (c.own_jas == "forbidden" and jas) or (c.goal == "one-with-jas" and not jas):
            return False
        if c.partner == "fourth-ace":
            missing = [x for x in range(33) if RANK_OF[x] == "A" and not hand >> x & 1]
            suit = SUIT_OF[missing[0]] if missing else SUITS.index("H")
            return len(missing) <= 1 and suit == trump
        return True

    def plans(self, hand: int, middle: int) -> dict[str, Found]:
        out: dict[str, Found] = {}
        for key in self.rules.auction.order:
            c = self.rules.contracts[key]
            for trump in range(4) if c.trump else [NO_TRUMP]:
                held, gone = hand, None
                if self.rules.takes_middle(c):
                    gone = self.discard(hand | 1 << middle, trump, c.goal)
                    held = (hand | 1 << middle) & ~(1 << gone)
                if not self.may_name(c, held, trump):
                    continue
                # The sum is taken in the same order: of two like suits rounding decides.
                x = np.array(self.features(held, trump))
                z = float(weighed(x, self.bidder.models[key].weights))
                if key not in out or z > out[key].z:
                    out[key] = Found(trump, held, gone, z)
        return out

    def stuk(self, hand: int, trump: int) -> bool:
        return trump != NO_TRUMP and all(hand >> c & 1 for c in stuk_cards(trump))

    def own_meld(self, plan: Found) -> int:
        if self.rules.meld.system == "roem":
            stuk = self.rules.meld.stuk if self.stuk(plan.hand, plan.trump) else 0
            return best_roem(plan.hand, self.rules) + stuk
        if self.rules.meld.system == "none":
            return 0
        return max((c.value for c in combinations(plan.hand, self.rules)), default=0) // 2

    # The auction ------------------------------------------------------------------------------

    def wishes(
        self, rng: np.random.Generator, plans: dict[str, Found], bold: float
    ) -> list[tuple[Bid, float]]:
        out: list[tuple[Bid, float]] = []
        floor = (0.32 if rng.random() < 0.06 else 0.5) - bold + float(rng.normal(0, 0.03))
        foolhardy = rng.random() < 0.02
        nerve = abs(float(rng.normal(0, 0.08)))
        for key, plan in plans.items():
            c = self.rules.contracts[key]
            taste = exp(rng.normal(0, 0.9))
            meld = self.own_meld(plan) if c.goal == "points" or c.plus_step else 0
            sigma = self.bidder.models[key].sigma
            rare = self.bidder.rare[key]
            sure = 1 / (1 + exp(-plan.z))

            tried: list[tuple[str, float, float]] = []
            if c.levels:
                levels = list(c.levels)
                while c.step and len(levels) < len(c.levels) + 19:
                    levels.append(levels[-1] + c.step)
                tried = [(str(n), normal(plan.z + meld - n, sigma), floor) for n in levels]
            elif c.plus_step:
                extra = [c.plus_step * k for k in (1, 2, 3)]
                bar = max(0.3, 0.8 * rare)
                tried = [(f"{c.code}+{n}", sure, bar) for n in extra if meld >= n]
            elif c.goal == "points":
                p = normal(plan.z + meld - (c.target or 0), sigma)
                tried = [(str(c.code), p, floor - 0.1)]
            else:
                bar = 0.7 * rare if foolhardy else max(0.5 if c.goal == "all" else 0.42, rare)
                tried = [(str(c.code), sure, bar + (floor - 0.5) / 2 - nerve)]
            for text, p, bar in tried:
                bid = self.rules.bid(text)
                if bid is not None and p >= bar:
                    out.append((bid, c.score * max(0.2, 2 * p - 0.6) * taste))
        return out

    def choose(
        self, rng: np.random.Generator, best: Bid | None, wishes: list[tuple[Bid, float]]
    ) -> str:
        higher = [(b, w) for b, w in wishes if best is None or b.rank > best.rank]
        if not higher:
            return "-"
        bid = max(higher, key=lambda bw: bw[1])[0]
        if bid.contract.goal == "points" and rng.random() < 0.5:
            bid = min((b for b, _ in higher if b.contract.goal == "points"), key=lambda b: b.rank)
        return bid.text

    # A whole hand -----------------------------------------------------------------------------

    def call(self, bid: Bid, own: int, hand: int, trump: int) -> int | None:
        options = list(cards_in(callable_cards(self.rules, bid, own, trump)))
        if not options:
            return None
        if bid.contract.partner == "called-card":
            return max(options, key=lambda c: self.power(c, trump))
        held = [SUIT_OF[c] for c in cards_in(hand)]
        return min(options, key=lambda c: (SUIT_OF[c] == trump, -held.count(SUIT_OF[c])))

    def hand(self, rng: np.random.Generator) -> HandRecord:
        """A hand without results."""
        dealer = int(rng.integers(4))
        order = [int(c) for c in rng.permutation(33)]
        hands, middle = [mask_of(order[8 * s : 8 * s + 8]) for s in range(4)], order[32]
        plans = [self.plans(h, middle) for h in hands]
        wishes = [self.wishes(rng, p, 0.0) for p in plans]
        auction, calls = Auction(self.rules, dealer), []
        while not auction.over:
            calls.append(Call(self.choose(rng, auction.best, wishes[auction.turn])))
            auction.call(calls[-1])
        deal = "".join(
            next((SEATS[s] for s in range(4) if hands[s] >> c & 1), "M") for c in range(33)
        )
        claims = []
        if self.rules.deal.show_lowest:
            low = [next(cards_in(lowest_cards(h, self.rules))) for h in hands]
            claims = [Claim(0, s, "show", cards=(low[s],)) for s in range(4)]
        made = HandRecord(
            self.rules.id, None, dealer, deal, (), "calls", tuple(calls), claims=tuple(claims)
        )
        if auction.best is None or auction.bidder is None:
            return made
        bid, declarer = auction.best, auction.bidder
        plan = plans[declarer][bid.key]
        held = list(hands)
        held[declarer] = plan.hand
        own = plan.hand | (0 if plan.gone is None else 1 << plan.gone)
        called = None
        if bid.contract.calls_card:
            called = self.call(bid, own, plan.hand, plan.trump)
        key_card = called
        if bid.contract.partner == "jas-holder":
            key_card = next(c for c in range(33) if RANK_OF[c] == "J" and SUIT_OF[c] == plan.trump)
        partner = -1
        for s in range(4):
            if s != declarer and key_card is not None and held[s] >> key_card & 1:
                partner = s
        leader = declarer if self.rules.play.first_lead == "declarer" else (dealer + 1) % 4
        cards, seats, winners = self.play(
            held, bid, plan.trump, leader, declarer, partner, key_card
        )
        claims += self.says(rng, held, bid, plan.trump, declarer, partner, key_card, cards, seats,
                            winners)  # fmt: skip
        return HandRecord(
            self.rules.id, None, dealer, deal, (), "calls", tuple(calls),
            trump="-" if plan.trump == NO_TRUMP else SUITS[plan.trump],
            called="-" if called is None else CARDS[called],
            discard="-" if plan.gone is None else CARDS[plan.gone],
            plays=tuple(Play(c) for c in cards), claims=tuple(claims),
        )  # fmt: skip

    def says(
        self, rng: np.random.Generator, held: list[int], bid: Bid, trump: int, declarer: int,
        partner: int, key_card: int | None, cards: list[int], seats: list[int],
        winners: list[int],
    ) -> list[Claim]:  # fmt: skip
        out: list[Claim] = []
        if not bid.uses_points:
            return out
        side = [declarer] if partner < 0 else [declarer, partner]
        for s in side if self.rules.meld.system == "roem" else []:
            ply = seats.index(s) + 1
            if s == partner and self.rules.meld.announce == "before-last-card":
                ply = seats.index(s)
            elif s == partner:
                opens = [4 * t + 4 for t in range(8) if winners[t] == declarer][:1]
                opens += [cards.index(key_card) + 1] if key_card in cards else []
                ply = min(opens, default=99)
                if s not in seats[ply:]:
                    continue
            value = best_roem(held[s], self.rules)
            if value and rng.random() < 0.97:
                out.append(Claim(ply, s, "roem", value))
        for s in range(4) if self.rules.meld.system == "best-at-table" else []:
            found = [(c.value, c.length, c.cards) for c in combinations(held[s], self.rules)]
            for rank in self.rules.meld.threes:
                three = tuple(c for c in cards_in(held[s]) if RANK_OF[c] == rank)
                named = named_combination(three, "set", self.rules) if len(three) == 3 else None
                found += [] if named is None else [(named.value, 3, named.cards)]
            found = [f for f in found if f[0]]
            if found and rng.random() < 0.97:
                best = tuple(cards_in(max(found)[2]))
                kind = "run" if len({SUIT_OF[c] for c in best}) == 1 else "set"
                out.append(Claim(seats.index(s), s, kind, cards=best))  # type: ignore[arg-type]
        for s in side if self.rules.meld.stuk else []:
            if self.stuk(held[s], trump) and rng.random() < 0.95:
                first = min(cards.index(c) for c in stuk_cards(trump))
                out.append(Claim(first, s, "stuk"))
        return sorted(out, key=lambda c: c.ply)

    def play(
        self, held: list[int], bid: Bid, trump: int, leader: int, declarer: int, partner: int,
        key_card: int | None,
    ) -> tuple[list[int], list[int], list[int]]:  # fmt: skip
        left = [set(cards_in(h)) for h in held]
        cards: list[int] = []
        seats: list[int] = []
        winners: list[int] = []
        for _ in range(8):
            trick: list[tuple[int, int]] = []
            for k in range(4):
                seat = (leader + k) % 4
                known = partner < 0 or key_card in cards
                c = self.card(left, seat, trick, cards, winners, bid, trump, leader, declarer,
                              partner, known)  # fmt: skip
                left[seat].remove(c)
                trick.append((seat, c))
                cards.append(c)
                seats.append(seat)
            leader = self.winning(trick, trump)[0]
            winners.append(leader)
        return cards, seats, winners

    def winning(self, trick: list[tuple[int, int]], trump: int) -> tuple[int, int]:
        best = trick[0]
        for seat, c in trick[1:]:
            if self.rules.tables.wins(trump, best[1], c):
                best = (seat, c)
        return best

    def card(
        self, left: list[set[int]], seat: int, trick: list[tuple[int, int]], seen: list[int],
        winners: list[int], bid: Bid, trump: int, leader: int, declarer: int, partner: int,
        known: bool,
    ) -> int:  # fmt: skip
        """The card that a simple player chooses."""
        tables, goal = self.rules.tables, bid.contract.goal
        mine = sorted(left[seat])
        unseen = [c for c in range(33) if c not in seen and c not in mine]
        turn, last = len(winners), len(trick) == 3
        best_seat, best = self.winning(trick, trump) if trick else (-1, -1)
        led = trick[0][1] if trick else -1
        legal = list(cards_in(tables.legal(trump, mask_of(mine), led, best)))

        def power(c: int) -> int:
            return self.power(c, trump)

        def worth(c: int) -> int:
            return 16 * self.points(c, trump) + power(c)

        def dear(c: int) -> int:
            return -worth(c)

        def high(c: int) -> int:
            return -power(c)

        def master(c: int) -> bool:
            return not any(tables.wins(trump, c, u) for u in unseen)

        def duck(options: list[int]) -> int:
            under = [c for c in options if not tables.wins(trump, best, c)]
            return max(under, key=power) if under else max(options, key=power if last else high)

        over = [c for c in legal if trick and tables.wins(trump, best, c)]
        under = [c for c in legal if c not in over]
        side = seat in (declarer, partner)
        won = winners.count(declarer)
        if goal in TAKERS:
            opening = goal == "first-four-and-all" and turn < 4
            if side:
                friend = best_seat == declarer or (best_seat == partner and known)
            else:
                friend = best_seat != declarer and (best_seat != partner or not known)
            friend = friend and bool(trick)
            if not trick:
                attack = seat == declarer or (side and goal in ALL)
                return self.lead(mine, trump, unseen, attack, not side, master)
            if (goal in ALL and side) or (opening and seat == declarer):
                # Wins whatever he can, unless the last hand finds the trick won by a friend.
                if over and not (friend and last and not opening):
                    return max(over, key=high if last else power)
                return max(legal, key=dear)
            if friend and (last or not any(tables.wins(trump, best, u) for u in unseen)):
                return max(under or legal, key=worth)
            if over and not friend:
                sure = [c for c in over if last or master(c)]
                if sure:
                    return max(sure, key=high)
                if sum(self.points(c, trump) for _, c in trick) >= 10:
                    return max(over, key=power)
            return max(under or legal, key=dear)
        need = (goal == "first-only" and turn == 0) or (goal == "exactly-one" and won == 0)
        jas = [c for c in legal if RANK_OF[c] == "J" and SUIT_OF[c] == trump]
        save = jas if goal == "one-with-jas" and won == 0 else []
        if seat == declarer:
            if not trick:
                return save[0] if save else max(mine, key=power if need else high)
            if save and save[0] in over:
                return save[0]
            if need and over:
                return max(over, key=power)
            return duck([c for c in legal if c not in save] or legal)
        if need:
            if not trick:
                return max(mine, key=power)
            return max(over, key=power) if over and best_seat == declarer else max(legal, key=high)
        if not trick:
            if bid.contract.exposure != "none":
                for c in mine:
                    same = [d for d in left[declarer] if SUIT_OF[d] == SUIT_OF[c]]
                    if same and all(tables.wins(trump, c, d) for d in same):
                        return c
            return max(mine, key=high)
        if declarer not in [s for s, _ in trick]:
            return max(legal, key=high)
        if best_seat == declarer:
            return max(under or legal, key=power)
        return max(legal, key=power)

    def lead(
        self, mine: list[int], trump: int, unseen: list[int], attack: bool, away: bool,
        master: Callable[[int], bool],
    ) -> int:  # fmt: skip
        """A lead of a player who wants tricks."""

        def power(c: int) -> int:
            return self.power(c, trump)

        def worth(c: int) -> int:
            return 16 * self.points(c, trump) + power(c)

        trumps = [c for c in mine if SUIT_OF[c] == trump]
        plain = [c for c in mine if SUIT_OF[c] != trump]
        theirs = [c for c in unseen if SUIT_OF[c] == trump]
        if attack and trumps and theirs:
            high = [c for c in trumps if master(c)]
            if high:
                return max(high, key=power)
            if len(trumps) >= 4:
                return min(trumps, key=power)
        masters = [c for c in plain if master(c)]
        if masters:
            return max(masters, key=worth)
        if not theirs and any(master(c) for c in mine):
            return min((c for c in mine if master(c)), key=power)
        if not plain:
            return min(mine, key=power)
        suit = [SUIT_OF[c] for c in plain]
        sign = 1 if away else -1
        return min(plain, key=lambda c: 4 * worth(c) + power(c) + sign * suit.count(SUIT_OF[c]))


def normal(over: float, sigma: float) -> float:
    """Chance that whole points come to the target that they are ``over`` on average."""
    return 0.5 * (1 + erf((over + 0.5) / sigma / sqrt(2)))


def with_result(record: HandRecord, rules: RuleSet) -> HandRecord:
    """The record with what the step replay makes of it."""
    o = replay(record, rules).outcome
    if o.passed_out:
        return replace(record, result=Result("void"))
    made = None if o.made is None else ("made" if o.made else "lost")
    return replace(record, result=Result(made, o.points, o.score, o.tricks))  # type: ignore[arg-type]
