"""Random hands for property tests: any contract, any legal play, announcements true and false.

Not how people play: contracts and cards are drawn at random, so that rare ones come up as often
as common ones. :func:`spoil` then changes something at random.
"""

import random
from dataclasses import replace

from engine.auction import Auction
from engine.cards import CARDS, NO_TRUMP, RANK_OF, SEATS, SUIT_OF, SUITS, cards_in
from engine.declaration import callable_cards, of_rank
from engine.meld import announceable, combinations, lowest_cards, stuk_cards
from engine.record import CALL_CODES, UNKNOWN_DEAL, Call, Claim, HandRecord, Play, Result
from engine.replay import replay
from engine.ruleset import Bid, RuleSet
from parsers.fields import sorted_claims


def bids_of(rules: RuleSet) -> list[Bid]:
    """Bids from low to high, some of the open-ended ones among them."""
    texts = [*map(str, range(80, 300, 10)), *CALL_CODES, "pan+20", "pan+40", "pan+60"]
    found = [bid for bid in map(rules.bid, texts) if bid is not None]
    return sorted(found, key=lambda bid: bid.rank)


def _auction(rng: random.Random, rules: RuleSet, dealer: int) -> tuple[list[Call], Auction]:
    bids = bids_of(rules)
    auction = Auction(rules, dealer)
    calls: list[Call] = []
    eager = rng.choice((0.1, 0.3, 0.6))
    while not auction.over:
        higher = [b for b in bids if auction.best is None or b.rank > auction.best.rank]
        text = "-"
        if higher and rng.random() < eager:
            text = rng.choice(higher[: rng.choice((2, 5, 30))]).text
        calls.append(Call(text))
        auction.call(calls[-1])
    return calls, auction


def _claims(
    rng: random.Random, rules: RuleSet, playing: list[int], dealt: list[int], trump: int,
    plays: list[int], seats: list[int],
) -> list[Claim]:  # fmt: skip
    out: list[Claim] = []
    if rules.deal.show_lowest and rng.random() < 0.5:
        for seat in range(4):
            low = rng.choice(list(cards_in(lowest_cards(dealt[seat], rules))))
            out.append(Claim(0, seat, "show", cards=(low,)))
    for seat in range(4):
        hand = playing[seat]
        first = seats.index(seat)
        if rules.meld.system == "best-at-table":
            named = [("run", tuple(cards_in(c.cards))) for c in combinations(hand, rules)
                     if c.kind.startswith("run")]  # fmt: skip
            for rank in dict.fromkeys(RANK_OF):
                cards = tuple(cards_in(hand & of_rank(rank)))
                named += [("set", cards)] * (len(cards) in (3, 4))
            for kind, cards in named:
                if rng.random() < 0.7:
                    out.append(Claim(rng.randint(0, first), seat, kind, cards=cards))
        else:
            for value in announceable(hand, rules):
                if rng.random() < 0.8:
                    ply = first + 1 if rng.random() < 0.5 else rng.randint(0, 20)
                    out.append(Claim(ply, seat, "roem", value))
        if rules.meld.stuk and trump < NO_TRUMP:
            pair = stuk_cards(trump)
            if all(hand >> c & 1 for c in pair) and rng.random() < 0.8:
                out.append(Claim(rng.randint(0, 1 + max(map(plays.index, pair))), seat, "stuk"))
        if rules.meld.deny and rng.random() < 0.15:
            out.append(Claim(rng.randint(1, 12), seat, "deny"))
    return list(sorted_claims(out))


def random_record(rng: random.Random, rules: RuleSet) -> HandRecord:
    """A complete hand without offences of call, declaration or card; claims may be wrong."""
    pack = list(range(33))
    rng.shuffle(pack)
    dealt = [sum(1 << c for c in pack[8 * s : 8 * s + 8]) for s in range(4)]
    middle = pack[32]
    deal = ["M"] * 33
    for s in range(4):
        for c in cards_in(dealt[s]):
            deal[c] = SEATS[s]
    dealer = rng.randrange(4)
    calls, auction = _auction(rng, rules, dealer)
    record = HandRecord(rules.id, None, dealer, "".join(deal), (), "calls", tuple(calls))
    bid, declarer = auction.best, auction.bidder
    if bid is None or declarer is None:
        return replace(record, result=Result("void"))
    contract = bid.contract
    playing = list(dealt)
    discard = None
    if rules.takes_middle(contract):
        nine = [*cards_in(dealt[declarer]), middle]
        discard = rng.choice(nine)
        playing[declarer] = sum(1 << c for c in nine if c != discard)
    own = playing[declarer] | (0 if discard is None else 1 << discard)
    trump = rng.randrange(4) if contract.trump else NO_TRUMP
    called = "-"
    if contract.calls_card:
        if contract.partner == "fourth-ace":
            card = rng.choice(list(cards_in(callable_cards(rules, bid, own, None))))
            trump, called = SUIT_OF[card], CARDS[card]
        else:
            allowed = list(cards_in(callable_cards(rules, bid, own, trump)))
            called = CARDS[rng.choice(allowed)] if allowed else "-"
    tables = rules.tables
    left = list(playing)
    forehand = (dealer + 1) % 4
    leader = declarer if rules.play.first_lead == "declarer" else forehand
    plays: list[int] = []
    seats: list[int] = []
    for _ in range(8):
        led = best = -1
        winner = leader
        for k in range(4):
            seat = (leader + k) % 4
            card = rng.choice(list(cards_in(tables.legal(trump, left[seat], led, best))))
            if led < 0:
                led = best = card
            elif tables.wins(trump, best, card):
                best, winner = card, seat
            left[seat] &= ~(1 << card)
            plays.append(card)
            seats.append(seat)
        leader = winner
    return replace(
        record,
        trump=(SUITS + "-")[trump],
        called=called,
        discard="-" if discard is None else CARDS[discard],
        plays=tuple(map(Play, plays)),
        claims=tuple(_claims(rng, rules, playing, dealt, trump, plays, seats)),
    )


def with_result(record: HandRecord, rules: RuleSet) -> HandRecord:
    """The record with the true result in it."""
    o = replay(record, rules).outcome
    word = "void" if o.passed_out else {True: "made", False: "lost", None: None}[o.made]
    return replace(
        record,
        result=Result(word, o.points, o.score, o.tricks, None, o.partner),  # type: ignore[arg-type]
    )


def spoil(rng: random.Random, record: HandRecord) -> HandRecord:
    """The record with one thing changed at random: mostly an offence, at times a loss of data."""
    plays, calls, claims = list(record.plays), list(record.auction), list(record.claims)
    deal = list(record.deal)
    what = rng.randrange(16)
    if what <= 2 and len(plays) > 4:
        i, j = rng.sample(range(len(plays)), 2)
        plays[i], plays[j] = plays[j], plays[i]
    elif what == 3 and plays:
        plays[rng.randrange(len(plays))] = Play(rng.randrange(33))
    elif what == 4:
        del plays[rng.randrange(len(plays) + 1) :]
    elif what == 5 and plays:
        i = rng.randrange(len(plays))
        plays[i] = replace(plays[i], seat=rng.randrange(4))
    elif what <= 7 and calls:
        i = rng.randrange(len(calls))
        text = rng.choice(["-", "100", "120", "125", "150", "pic", "mis", "tro", "pan", "pan+20"])
        calls[i] = Call(text, rng.choice((None, None, rng.randrange(4))))
    elif what == 8:
        del calls[rng.randrange(len(calls) + 1) :]
    elif what == 9:
        calls.append(Call(rng.choice(("-", "240"))))
    elif what == 10:
        i, j = rng.sample(range(33), 2)
        deal[i], deal[j] = deal[j], rng.choice("NESWM?")
    elif what == 11:
        return replace(record, **{rng.choice(("called", "discard")): rng.choice(
            (*CARDS, "-", "?", None))})  # fmt: skip
    elif what == 12:
        return replace(record, trump=rng.choice((*SUITS, "-", "?", None)))
    elif what == 13:
        kind = rng.choice(("roem", "stuk", "deny", "show", "run", "set"))
        cards: tuple[int, ...] = ()
        if kind in ("show", "run", "set"):
            cards = tuple(rng.sample(range(33), {"show": 1}.get(kind, 3)))
        value = rng.choice((20, 50, 100)) if kind == "roem" else None
        claims.append(Claim(rng.randint(0, 32), rng.randrange(4), kind, value, cards))  # type: ignore[arg-type]
        claims = list(sorted_claims(claims))
    elif what == 14:
        r = record.result
        return replace(record, result=rng.choice((
            replace(r, points=(73, 73)), replace(r, outcome=rng.choice(("made", "lost", "void"))),
            replace(r, score=(1, 2, 3, 4)), replace(r, tricks=(3, 5)),
            replace(r, partner=rng.randrange(-1, 4)), replace(r, conceded=7),
        )))  # fmt: skip
    else:
        return replace(record, dealer=rng.choice((None, 0, 1, 2, 3)),
                       deal=rng.choice((UNKNOWN_DEAL, record.deal)))  # fmt: skip
    return replace(record, plays=tuple(plays), auction=tuple(calls), claims=tuple(claims),
                   deal="".join(deal))  # fmt: skip
