"""Statistics that need evaluations (`pandoeren analyze`): play and bids against open cards.

All of it is hindsight. A value is for declarer's side at the end of the hand (docs/store.md): card
points without meld where the goal is points, else 1 if the goal is reached and 0 if not. ``best``
of a ply is what the hand was worth before the card, ``value`` of the card played what it was worth
after it; the difference is what the card cost its own side.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pandoeren_replay.statistics.model import Population, Statistic, Summed
from pandoeren_replay.statistics.populations import _NAME, _ROLE, _SEAT_OWN, _text
from pandoeren_replay.store.losses import MADE, MEASURES, OF_TRICK, PACKED, TRICKS, choices
from pandoeren_replay.store.scores import contract_scores
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    from engine.ruleset import RuleSet

NO_ANALYSIS = {
    "en": "no analysis yet: `pandoeren analyze` values the cards of stored hands",
    "nl": "nog geen analyse: `pandoeren analyze` waardeert de kaarten van opgeslagen spellen",
}

NO_DECLARATION = {
    "en": "no analysis of discard, trump suit and called card yet: "
    "`pandoeren analyze --all --declaration` values them",
    "nl": "nog geen analyse van weggelegde kaart, troef en meegevraagde kaart: "
    "`pandoeren analyze --all --declaration` waardeert ze",
}


def has_evaluations(store: Store) -> bool:
    """Whether any card of the store was valued."""
    return bool(store.rows("SELECT 1 AS x FROM evaluations LIMIT 1"))


def has_declarations(store: Store) -> bool:
    """Whether any discard, trump suit or called card of the store was valued."""
    return bool(store.rows("SELECT 1 AS x FROM declaration_evaluations LIMIT 1"))


def unanswerable(store: Store, wanted: Sequence[Statistic]) -> tuple[list[Statistic], list[str]]:
    """Those of some statistics that lack an analysis, and what is missing: keys of :data:`MISSING`.

    So that a figure that is empty for want of an analysis is not taken for one of no hands.
    """
    lacking: list[Statistic] = []
    missing: list[str] = []
    declared = [s for s in wanted if s.population == DECLARED.id]
    others = [s for s in wanted if s.topic == "analysis" and s.population != DECLARED.id]
    if others and not has_evaluations(store):
        lacking += others
        missing.append("cards")
    if declared and not has_declarations(store):
        lacking += declared
        missing.append("declaration")
    return lacking, missing


MISSING = {"cards": NO_ANALYSIS, "declaration": NO_DECLARATION}


def next_level(rules: "RuleSet", level: int) -> int | None:
    """The lowest points bid above a level, ``None`` if there is none.

    >>> from engine.rulefile import load_ruleset
    >>> [next_level(load_ruleset(r), n) for r, n in (("heerlen", 140), ("fiches", 100),
    ...                                              ("fiches", 170), ("heerlen", 230))]
    [150, 120, None, 240]
    """
    above: list[int] = []
    for key in rules.auction.order:
        c = rules.contracts[key]
        above += [n for n in c.levels if n > level]
        if c.step and c.levels[-1] <= level:
            above.append(level + c.step - (level - c.levels[-1]) % c.step)
    return min(above, default=None)


def _scores(store: Store) -> str:
    """Declarer's score made and lost, and the next points bid, by rule set, contract, company."""
    # Of all hands: to look which of them are valued takes longer than to work out a few contracts.
    rows = store.rows(
        "SELECT DISTINCT rules, rules_hash, contract, level, target FROM hand "
        "WHERE contract IS NOT NULL"
    )
    sets: dict[tuple[str, str], RuleSet] = {}
    values = []
    for r in rows:
        key = (r["rules"], r["rules_hash"])
        if key not in sets:
            sets[key] = store.rule_set(*key)
        rules = sets[key]
        worth = {
            (alone, won): "NULL" if by_points else str(score)
            for alone, won, by_points, score, *_ in contract_scores(rules, r["contract"])
        }
        above = next_level(rules, r["level"]) if r["target"] and r["level"] else None
        values += [
            f"({_text(key[1])}, {_text(r['contract'])}, {str(alone).lower()}, "
            f"{worth[alone, True]}, {worth[alone, False]}, {above or 'NULL'})"
            for alone in sorted({alone for alone, _ in worth})
        ]
    return ", ".join(values) or "('', '', false, 0, 0, 0)"


def _analysed(store: Store) -> str:
    made = MADE.format(goal="h.goal", value="h.start")
    return (
        f"SELECT *, CASE WHEN open_made THEN if_made ELSE if_lost END AS open_score FROM ("
        f"SELECT h.*, v.if_made, v.if_lost, v.above, {made} AS open_made, "
        "CASE WHEN h.goal = 'points' THEN h.start + coalesce(h.meld_side, 0) END AS open_points "
        "FROM (SELECT h.*, e.start, e.goal FROM hands h JOIN hand_value e "
        "ON e.hand_id = h.hand_id WHERE e.start IS NOT NULL AND h.partner IS NOT NULL "
        "AND ({where})) h "
        f"LEFT JOIN (VALUES {_scores(store)}) v(rules_hash, contract, alone, if_made, if_lost, "
        "above) ON v.rules_hash = h.rules_hash AND v.contract = h.contract "
        "AND v.alone = (h.partner = '-'))"
    )


ANALYSED = Population(
    "analysed", "analysed hands", "geanalyseerde spellen", "hand", _analysed,
)  # fmt: skip

_SEATED = (
    f"{_NAME.format('l.seat')} AS who, seat_name(l.seat) AS own_seat, "
    "CASE WHEN h.declarer IS NULL THEN NULL WHEN l.seat = h.declarer_nr THEN 'declarer' "
    "WHEN h.partner IS NULL THEN NULL WHEN l.seat = h.partner_nr THEN 'partner' "
    "ELSE 'defender' END AS role"
)
# The numbers of the seats are worked out once a hand, not once a player.
_LOSSES = (
    "FROM (SELECT *, strpos('NESW', declarer) - 1 AS declarer_nr, "
    "strpos('NESW', partner) - 1 AS partner_nr FROM hands) h "
    "JOIN card_loss l ON l.hand_id = h.hand_id"
)
_OF_SEAT = (
    f"SELECT h.*, l.goal, {', '.join(f'{sql} AS {m}' for m, sql in MEASURES.items())}, "
    f"{_SEATED} {_LOSSES} WHERE ({{where}})"
)
_PACKED = f"SELECT h.*, l.goal, {PACKED}, {_SEATED} {_LOSSES} WHERE ({{where}})"

CHOICE = Population(
    "choice", "cards played in analysed hands", "gespeelde kaarten in geanalyseerde spellen",
    "card",
    f"SELECT h.*, c.ply, c.trick, c.goal, c.cost, c.mattered, c.turned, {_NAME.format('c.seat')} "
    f"AS who, seat_name(c.seat) AS own_seat, {_ROLE.format(k='c.seat')} AS role "
    f"FROM ({choices()}) c JOIN hands h ON h.hand_id = c.hand_id WHERE ({{where}})",
    own={**_SEAT_OWN, "role": "", "trick": ""},
    summed=Summed(_OF_SEAT, _PACKED, OF_TRICK, tuple(TRICKS)),
)  # fmt: skip

JUDGED = Population(
    "judged", "each player who played cards in an analysed hand that is about points",
    "elke speler die kaarten speelde in een geanalyseerd spel om punten", "player at a hand",
    f"SELECT h.*, {MEASURES['cost']} + coalesce(e.cost, 0) AS cost, {_SEATED} {_LOSSES} "
    # Second cards to a trick, of which there are hardly any.
    f"LEFT JOIN (SELECT hand_id, seat, sum({MEASURES['cost']}) AS cost FROM card_loss l "
    "WHERE layer > 0 GROUP BY hand_id, seat) e ON e.hand_id = l.hand_id AND e.seat = l.seat "
    "WHERE l.goal = 'points' AND l.layer = 0 AND ({where})",
    own={**_SEAT_OWN, "role": ""}, narrow=True,
)  # fmt: skip

DECLARED = Population(
    "declared", "declarer's choices of discard, trump suit and called card in analysed hands",
    "keuzes van de speler (weggelegde kaart, troef, meegevraagde kaart) in geanalyseerde spellen",
    "choice of declarer",
    "SELECT h.*, d.kind, d.goal, d.cost, d.cost > 0 AND "
    f"({MADE.format(goal='d.goal', value='d.best')}) <> "
    f"({MADE.format(goal='d.goal', value='d.value')}) AS turned "
    "FROM (SELECT hand_id, kind, goal, value, best, best - value AS cost "
    "FROM declaration_value WHERE chosen AND kind <> 'none') d "
    "JOIN hands h ON h.hand_id = d.hand_id WHERE ({where})",
    own={"kind": ""}, narrow=True,
)  # fmt: skip

POPULATIONS = (ANALYSED, CHOICE, JUDGED, DECLARED)

_S = Statistic
STATISTICS = (
    _S("overbid", "analysis", "overbid rate", "te hoog geboden", "rate", "of analysed hands",
       "analysed", "share of contracts that could not be made with open cards, best play of both "
       "sides from the first lead",
       "u.open_made IS NOT NULL", "NOT u.open_made", good=-1),
    _S("underbid", "analysis", "underbid rate", "te laag geboden", "rate",
       "of analysed points contracts", "analysed",
       "share of points contracts in which open cards reach the next points bid as well",
       "u.open_points IS NOT NULL AND u.above IS NOT NULL", "u.open_points >= u.above"),
    _S("open_margin", "analysis", "points − bid with open cards", "punten − bod met open kaarten",
       "mean", "points", "analysed",
       "mean of what the side takes with open cards, and its meld, minus the target",
       "u.open_points IS NOT NULL", "u.open_points - u.target"),
    _S("stolen", "analysis", "contracts stolen", "gestolen", "rate",
       "of contracts that open cards lose", "analysed",
       "share of the contracts lost with open cards that were made at the table",
       "NOT u.open_made AND u.success IS NOT NULL", "u.success", good=1),
    _S("given_away", "analysis", "contracts given away", "weggegeven", "rate",
       "of contracts that open cards make", "analysed",
       "share of the contracts made with open cards that were lost at the table",
       "u.open_made AND u.success IS NOT NULL", "NOT u.success", good=-1),
    _S("cards_score", "analysis", "score the cards alone were worth",
       "score die de kaarten waard waren", "mean", "points, chips or cents", "analysed",
       "mean of declarer's score had the hand ended as with open cards (race rules: not for "
       "points contracts)", "u.open_score IS NOT NULL AND u.declarer_score IS NOT NULL",
       "u.open_score"),
    _S("luck_adjusted", "analysis", "score beyond the cards", "score boven de kaarten", "mean",
       "points, chips or cents", "analysed",
       "mean of declarer's score minus the score the cards alone were worth",
       "u.open_score IS NOT NULL AND u.declarer_score IS NOT NULL",
       "u.declarer_score - u.open_score", good=1),
    _S("lost_as_declarer", "analysis", "points lost per hand as declarer",
       "punten verspeeld per spel als speler", "mean", "points", "judged",
       "mean per hand of what declarer's cards cost his side", "u.role = 'declarer'", "u.cost",
       good=-1),
    _S("lost_as_partner", "analysis", "points lost per hand as partner",
       "punten verspeeld per spel als maat", "mean", "points", "judged",
       "mean per hand of what the partner's cards cost his side", "u.role = 'partner'", "u.cost",
       good=-1),
    _S("lost_as_defender", "analysis", "points lost per hand as defender",
       "punten verspeeld per spel als tegenspeler", "mean", "points", "judged",
       "mean per hand of what a defender's cards cost his side", "u.role = 'defender'", "u.cost",
       good=-1),
    _S("lost_by_trick", "analysis", "points lost per card by trick",
       "punten verspeeld per kaart per slag", "mean", "points", "choice",
       "mean of what a card cost its side, in hands about points",
       "u.goal = 'points'", "u.cost", by="trick", summed=("u.cards", "u.cost", "u.squares")),
    _S("accuracy", "analysis", "accuracy", "trefzekerheid", "rate", "of choices that mattered",
       "choice", "share of the cards that cost nothing, where legal cards differed in value",
       "u.mattered", "u.cost <= 0", good=1, summed=("u.mattered", "u.exact", "0")),
    _S("blunders", "analysis", "cards that turned the contract", "kaarten die het bod omdraaiden",
       "rate", "of choices that mattered", "choice",
       "share of the cards by which a made contract was lost, or the reverse, against the "
       "player's own side", "u.mattered", "u.turned", good=-1,
       summed=("u.mattered", "u.turned", "0")),
    _S("discard_loss", "analysis", "points lost by the discard",
       "punten verspeeld met de weggelegde kaart", "mean", "points", "declared",
       "mean of what the discard cost declarer's side against the best one, in hands about points",
       "u.kind = 'discard' AND u.goal = 'points'", "u.cost", good=-1),
    _S("trump_loss", "analysis", "points lost by the trump suit",
       "punten verspeeld met de troefkleur", "mean", "points", "declared",
       "mean of what the trump suit cost declarer's side against the best one, in hands about "
       "points", "u.kind = 'trump' AND u.goal = 'points'", "u.cost", good=-1),
    _S("called_loss", "analysis", "points lost by the called card",
       "punten verspeeld met de meegevraagde kaart", "mean", "points", "declared",
       "mean of what the called card (or calling nobody) cost declarer's side against the best "
       "one, in hands about points", "u.kind = 'called' AND u.goal = 'points'", "u.cost",
       good=-1),
    _S("declaration_best", "analysis", "best choice of discard, trumps, called card",
       "beste keuze van weggelegde kaart, troef, meegevraagde kaart", "rate",
       "of choices", "declared", "share of declarer's choices that cost nothing", "true",
       "u.cost <= 0", by="kind", good=1),
    _S("declaration_blunders", "analysis", "discard, trumps, called card that lost the contract",
       "weggelegde kaart, troef, meegevraagde kaart die het bod kostte", "rate", "of choices",
       "declared", "share of declarer's choices by which a contract that another choice makes "
       "could not be made any more", "true", "u.turned", by="kind", good=-1),
    _S("lead_accuracy", "analysis", "opening-lead accuracy", "trefzekerheid van de uitkomst",
       "rate", "of opening leads that mattered", "choice",
       "accuracy over the first card of the hand", "u.mattered AND u.ply = 0", "u.cost <= 0",
       good=1, summed=("u.led_mattered", "u.led_exact", "0")),
)  # fmt: skip
