"""The glossary: every statistic, defined in one place (docs/statistics.md is written from here)."""

from pandoeren_replay.statistics import analysis, cardsql, populations
from pandoeren_replay.statistics.model import Population, Statistic

_FAT = cardsql.rank_cards("A", "T")
_S = Statistic

_BIDDING = (
    _S("entry", "bidding", "entry rate", "biedt mee", "rate", "of auctions", "bidder",
       "share of a player's auctions in which he made at least one valid bid",
       "true", "u.own_bids > 0"),
    _S("declarer_rate", "bidding", "declarer rate", "wordt speler", "rate", "of auctions",
       "bidder", "share of a player's auctions after which he was declarer",
       "true", "coalesce(u.role = 'declarer', false)"),
    _S("won_when_bid", "bidding", "auctions won when bid", "bieding gewonnen na een bod", "rate",
       "of auctions with a bid of his", "bidder",
       "share of the auctions in which a player bid after which he was declarer",
       "u.own_bids > 0", "coalesce(u.role = 'declarer', false)"),
    _S("declares", "bidding", "declares, of hands with a contract",
       "speelt, van de spellen met een bod", "rate", "of hands with a contract", "place",
       "share of the hands with a contract of which the declarer is known that the player "
       "declared, auction recorded or not",
       "u.declarer IS NOT NULL", "coalesce(u.role = 'declarer', false)"),
    _S("raises", "bidding", "raises per auction", "verhogingen per bieding", "mean", "bids",
       "auction", "mean number of bids after the first, over auctions with a bid",
       "u.bids > 0", "u.bids - 1", by="contract"),
    _S("auction_length", "bidding", "calls per auction", "biedbeurten per bieding", "mean",
       "calls", "auction", "mean number of calls, passes included", "true", "u.calls",
       "calls>=1", by="session"),
    _S("passed_out", "bidding", "passed-out rate", "rondgepast", "rate", "of auctions",
       "auction", "share of auctions in which nobody bid", "true", "u.passed_out",
       "calls>=1", by="session"),
    _S("contracts", "bidding", "share of contracts", "aandeel van de biedingen", "share",
       "of hands", "hand", "hands of the group divided by all hands with a contract",
       filter="played=yes", by="contract"),
    _S("steps", "bidding", "steps above the last needed bid", "stappen boven het nodige bod",
       "mean", "bids", "steps",
       "mean number of bids between the lowest one that would have won and the one that did "
       "(rows of the bid table without an upper end count with the levels the rule set lists)",
       "true", "u.steps", by="player"),
    _S("score_over_field", "bidding", "score per bid against the field",
       "score per bod tegenover het veld", "mean", "points, chips or cents", "fielded",
       "mean of declarer's score minus the mean score of all declarers in the store with the "
       "same rule set and contract",
       "u.declarer_score IS NOT NULL", "u.declarer_score - u.field_score",
       "played=yes and score>=-100000", good=1),
)  # fmt: skip

_RESULTS = (
    _S("made", "results", "made rate", "gehaald", "rate", "of decided hands", "hand",
       "hands made divided by hands made or lost: proven by the cards, else as recorded",
       "u.success IS NOT NULL", "u.success", "played=yes and made=yes,no", by="contract", good=1),
    _S("margin", "results", "points − bid", "punten − bod", "mean", "points", "hand",
       "mean of card points and meld of declarer's side minus the target, over hands with a "
       "points target and all eight tricks known",
       "u.margin IS NOT NULL", "u.margin", "played=yes and margin>=-100000", by="contract",
       good=1),
    _S("margins", "results", "distribution of points − bid", "verdeling van punten − bod",
       "share", "of hands", "hand",
       "hands of the group (points above the bid, in tens) divided by all hands whose margin "
       "is known", "u.margin IS NOT NULL", filter="played=yes and margin>=-100000", by="margin"),
    _S("score", "results", "declarer's score", "score van de speler", "mean",
       "points, chips or cents", "hand",
       "mean of what the hand changes for declarer, over hands where it is known",
       "u.declarer_score IS NOT NULL", "u.declarer_score", "played=yes and score>=-100000",
       by="contract", good=1),
    _S("score_per_hand", "results", "score per hand", "score per spel", "mean",
       "points, chips or cents", "place",
       "mean of what the hand changes for the player, in every role, over hands with a "
       "contract where it is known",
       "u.own_score IS NOT NULL", "u.own_score", good=1),
    _S("score_as_declarer", "results", "score as declarer", "score als speler", "mean",
       "points, chips or cents", "place", "score per hand over the hands he declared",
       "u.own_score IS NOT NULL AND u.role = 'declarer'", "u.own_score", good=1),
    _S("score_as_partner", "results", "score as partner", "score als maat", "mean",
       "points, chips or cents", "place", "score per hand over the hands he was partner in",
       "u.own_score IS NOT NULL AND u.role = 'partner'", "u.own_score", good=1),
    _S("score_as_defender", "results", "score as defender", "score als tegenspeler", "mean",
       "points, chips or cents", "place", "score per hand over the hands he defended",
       "u.own_score IS NOT NULL AND u.role = 'defender'", "u.own_score", good=1),
    _S("tricks", "results", "tricks taken", "gehaalde slagen", "mean", "tricks", "tricks",
       "mean tricks of declarer's side, over hands of which all eight tricks were played",
       "u.tricks_side IS NOT NULL", "u.tricks_side", by="contract"),
    _S("last_trick", "results", "last trick", "laatste slag", "rate", "of hands played out",
       "tricks", "share of hands in which declarer's side won the eighth trick",
       "true", "u.last_trick", by="contract"),
    _S("discard_middle", "results", "middle card put away again", "kijkkaart weer weggelegd",
       "rate", "of exchanges", "playing",
       "share of exchanges in which the discard was the middle card itself",
       "u.discard_nr IS NOT NULL", "u.discard_nr = u.middle_nr"),
    _S("discard_void", "results", "discard that empties a suit", "kleur leeggelegd", "rate",
       "of exchanges", "playing",
       "share of exchanges after which declarer had no card left of the suit he put away",
       "u.discard_nr IS NOT NULL", "(u.cards & u.discard_suit) = 0"),
    _S("discard_fat", "results", "ten or ace put away", "tien of aas weggelegd", "rate",
       "of exchanges", "playing", "share of exchanges in which the discard was a ten or an ace",
       "u.discard_nr IS NOT NULL", f"((1::BIGINT << u.discard_nr) & {_FAT}) <> 0"),
    _S("called_trump", "results", "called a trump", "troef meegevraagd", "rate", "of calls",
       "playing", "share of called cards that were trumps", "u.called_nr IS NOT NULL",
       "((1::BIGINT << u.called_nr) & u.trumps) <> 0"),
    _S("called_held_suit", "results", "called in a suit held", "meegevraagd in eigen kleur",
       "rate", "of calls", "playing",
       "share of called cards in whose suit declarer held at least one card",
       "u.called_nr IS NOT NULL", "(u.cards & u.called_suit) <> 0"),
)  # fmt: skip

_ROEM = (
    _S("roem_held", "roem", "roem held", "roem in handen", "rate", "of hands", "member",
       "share of hands in which the player held roem", "true", "u.held > 0"),
    _S("roem_value", "roem", "roem held, points", "roem in handen, punten", "mean", "points",
       "member", "mean of the most that the player could announce", "true", "u.held"),
    _S("roem_said", "roem", "roem announced when held", "roem gemeld indien in handen", "rate",
       "of hands with roem", "member",
       "share of the hands with roem in which the player announced any",
       "u.held > 0", "u.said > 0"),
    _S("roem_missed", "roem", "roem missed, points", "roem gemist, punten", "mean", "points",
       "member", "mean of what the player could announce and did not, over hands with roem",
       "u.held > 0", "greatest(u.held - u.said, 0)", good=-1),
    _S("roem_denied", "roem", "roem denied", "roem afgekeurd", "rate", "of announcements",
       "announced", "share of announcements that an opponent denied with better roem",
       "true", "u.denied"),
    _S("stuk_forgotten", "roem", "stuk forgotten", "stuk vergeten", "rate",
       "of hands with king and queen of trumps", "member",
       "share of the hands with king and queen of trumps in which no valid stuk was said",
       "u.stuk_held", "NOT u.stuk_said", good=-1),
)  # fmt: skip

_DEFENCE = (
    _S("beaten", "defence", "contracts beaten", "bod verslagen", "rate", "of contracts defended",
       "place", "share of the decided hands a player defended that declarer lost",
       "u.role = 'defender' AND u.success IS NOT NULL", "NOT u.success", good=1),
    _S("beaten_over_field", "defence", "contracts beaten against the field",
       "bod verslagen tegenover het veld", "mean", "of contracts defended", "defended",
       "mean of (1 if lost, else 0) minus the lost rate of all hands in the store with the same "
       "rule set and contract, over the decided hands a player defended",
       "true", "u.field_made - u.success::INTEGER", good=1),
)  # fmt: skip

_HABITS = (
    _S("leads_called_suit", "habits", "defender leads the called card's suit",
       "tegenspeler komt uit in de gevraagde kleur", "rate", "of first defenders' leads", "lead",
       "share of the defenders' first leads, while the called card is hidden, in its suit",
       "true", "u.in_suit"),
    _S("trump_kept", "habits", "a trump kept for the last trick",
       "troef bewaard voor de laatste slag", "rate", "of hands played out", "playing",
       "share of points contracts, played out, in which declarer's last card was a trump",
       "u.target > 0 AND u.trumps <> 0 AND u.last_card IS NOT NULL",
       "(u.last_card & u.trumps) <> 0"),
    _S("top_trumps", "habits", "declarer holds jack or nine of trumps",
       "speler heeft boer of negen van troef", "rate", "of points contracts", "playing",
       "share of points contracts in which declarer played with the jack or the nine of trumps",
       "u.target > 0 AND u.trumps <> 0", "(u.cards & (u.jas | u.nine)) <> 0"),
    _S("fat_to_partner", "habits", "ten or ace given to the partner's trick",
       "tien of aas in de slag van de maat", "rate", "of last cards to such tricks", "fourth",
       "share of the last cards to tricks that another of the same side was winning that were a "
       "ten or an ace, trumps not counted",
       "true", f"(u.card & {_FAT} & ~u.trumps) <> 0"),
    _S("shapes", "habits", "hand shapes on which a contract was tried",
       "kleurverdelingen waarop een bod geprobeerd is", "share", "of hands", "playing",
       "hands whose declarer played with these suit lengths divided by all (use --where "
       "family=misere or family=piccolo)", by="shape"),
    _S("shape_made", "habits", "made rate by hand shape", "gehaald per kleurverdeling", "rate",
       "of decided hands", "playing", "made rate over hands with a complete deal",
       "u.success IS NOT NULL", "u.success", by="shape"),
)  # fmt: skip

_VIOLATIONS = (
    _S("broke_rule", "violations", "hands with a broken rule", "spellen met een overtreding",
       "rate", "of hands", "offender",
       "share of a player's hands in which he broke at least one rule", "true", "u.broken > 0",
       good=-1),
    _S("violations", "violations", "broken rules per hand", "overtredingen per spel", "mean",
       "broken rules", "offender", "mean number of rules a player broke in a hand",
       "true", "u.broken", good=-1),
    _S("violation_kinds", "violations", "kinds of broken rules", "soorten overtredingen",
       "share", "of broken rules", "violation",
       "broken rules of this kind divided by all broken rules", by="code"),
)  # fmt: skip

_RECORDS = (
    _S("mismatch", "records", "records that disagree with themselves",
       "notities die zichzelf tegenspreken", "rate", "of recorded results", "record",
       "share of the hands with a recorded result in which it disagrees with the replay",
       "true", "u.warnings > 0", by="source"),
    _S("simulated", "records", "played by simulated players", "door gesimuleerde spelers", "rate",
       "of hands", "hand", "share of hands with a contract that simulated players played",
       "true", "u.simulated", "played=yes", by="source"),
    _S("mismatch_kinds", "records", "kinds of disagreement", "soorten verschillen", "share",
       "of disagreements", "mismatch", "disagreements of this kind divided by all", by="code"),
)  # fmt: skip

STATISTICS: tuple[Statistic, ...] = (
    *_BIDDING, *_RESULTS, *_ROEM, *_DEFENCE, *_HABITS, *_VIOLATIONS, *_RECORDS,
    *analysis.STATISTICS,
)  # fmt: skip
"""Every statistic, in the order of the documentation."""

POPULATIONS: dict[str, Population] = {p.id: p for p in (*populations.ALL, *analysis.POPULATIONS)}

TOPICS: dict[str, tuple[str, str]] = {
    "bidding": ("Bidding", "Bieden"),
    "results": ("Results", "Resultaten"),
    "roem": ("Roem and stuk", "Roem en stuk"),
    "defence": ("Defence", "Tegenspel"),
    "habits": ("Habits that the books advise", "Gewoonten die de boeken aanraden"),
    "violations": ("Broken rules", "Overtredingen"),
    "records": ("Records", "Notities"),
    "analysis": ("With analysis", "Met analyse"),
}

_BY_ID = {s.id: s for s in STATISTICS}


def statistic(name: str) -> Statistic:
    """The statistic of that id; :class:`ValueError` if there is none.

    >>> statistic("made").en
    'made rate'
    """
    if name not in _BY_ID:
        raise ValueError(f"{name!r} is no statistic (there are: {', '.join(_BY_ID)})")
    return _BY_ID[name]


def chosen(names: str) -> list[Statistic]:
    """Statistics by ids and topics, separated by commas; ``all`` is every one.

    >>> [s.id for s in chosen("made,defence")]
    ['made', 'beaten', 'beaten_over_field']
    """
    out: dict[str, Statistic] = {}
    for name in (n.strip() for n in names.split(",")):
        if name == "all":
            found = list(STATISTICS)
        elif name in TOPICS:
            found = [s for s in STATISTICS if s.topic == name]
        elif name in _BY_ID:
            found = [_BY_ID[name]]
        else:
            raise ValueError(
                f"{name!r} is neither a statistic ({', '.join(_BY_ID)}) "
                f"nor a topic ({', '.join(TOPICS)})"
            )
        out |= {s.id: s for s in found}
    return list(out.values())
