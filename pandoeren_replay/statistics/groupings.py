"""What figures can be split by."""

from collections.abc import Sequence

from pandoeren_replay.filters import POINTS_BID
from pandoeren_replay.statistics import cardsql
from pandoeren_replay.statistics.model import Grouping

_ALL = (
    Grouping("contract", "contract", "bod", "u.contract", "contract",
             ("CASE WHEN u.target > 0 AND u.level > 0 THEN u.level END", "u.contract_key",
              "u.level")),
    Grouping("family", "row of the bid table", "regel van de biedtabel", "u.contract_key",
             "family", ("u.contract_key",)),
    Grouping("level", "points bid (not the roem on top of pandoer)",
             "geboden punten (niet de roem boven op pandoer)", POINTS_BID.format("u"), "level",
             ("u.level",)),
    Grouping("player", "declarer, or the player of the row", "speler, of wie het betreft",
             "u.declarer_name", "declarer", by_size=True),
    Grouping("pair", "declarer and partner", "speler en maat",
             "CASE WHEN u.partner_name IS NOT NULL "
             "THEN [u.declarer_name, u.partner_name] END", by_size=True,
             parts=("u.declarer_name", "u.partner_name")),
    Grouping("seat", "seat of declarer, or of the row",
             "plaats van de speler, of van wie het betreft",
             "u.declarer", "seat", ("strpos('NESW', u.declarer)",)),
    Grouping("dealer", "dealer", "gever", "u.dealer", "dealer", ("strpos('NESW', u.dealer)",)),
    Grouping("trump", "trump", "troef", "u.trump", "trump", ("strpos('SHDC-', u.trump)",)),
    Grouping("month", "month", "maand", "strftime(u.date, '%Y-%m')", "date", ("u.date",)),
    Grouping("session", "session", "avond", "u.session", "session",
             ("u.date",)),
    Grouping("source", "source", "bron", "u.source", "source", ("u.source",)),
    Grouping("rules", "rule set", "spelregels", "u.rules", "rules", ("u.rules",)),
    Grouping("margin", "points above the bid, in tens", "punten boven het bod, in tientallen",
             "(floor(u.margin / 10) * 10)::INTEGER", "margin", ("u.margin",)),
)  # fmt: skip

GROUPINGS: dict[str, Grouping] = {g.name: g for g in _ALL}
"""Groupings that every population has."""

_ONE_SEAT = (
    Grouping("role", "role", "rol", "u.role", "", ("strpos('dec par def', left(u.role, 3))",)),
    Grouping("position", "place in the auction (1 = forehand)",
             "plaats in de bieding (1 = voorhand)", "u.position", "", ("u.position",)),
    Grouping("aces", "aces dealt", "azen gekregen",
             cardsql.count(f"u.cards & {cardsql.rank_cards('A')}"), "",
             (cardsql.count(f"u.cards & {cardsql.rank_cards('A')}"),)),
    Grouping("longest", "longest suit dealt", "langste kleur gekregen",
             cardsql.longest("u.cards"), "", (cardsql.longest("u.cards"),)),
    Grouping("holding", "best trumps dealt: jack, nine, ace, length",
             "beste troeven gekregen: boer, negen, aas, lengte",
             cardsql.holding("u.cards"), by_size=True),
    Grouping("stuk", "suits with king and queen dealt", "kleuren met heer en vrouw gekregen",
             cardsql.stuk_suits("u.cards"), "", (cardsql.stuk_suits("u.cards"),)),
    Grouping("shape", "suit lengths", "kleurlengtes", cardsql.shape("u.cards")),
    Grouping("code", "code", "code", "u.code", "", ("u.code",)),
    Grouping("kind", "discard, trump or called", "discard (weggelegd), trump (troef) of called "
             "(meegevraagd)", "u.kind", "", ("u.kind",)),
    Grouping("trick", "trick", "slag", "u.trick", "", ("u.trick",)),
)  # fmt: skip

EXTRA: dict[str, Grouping] = {g.name: g for g in _ONE_SEAT}
"""Groupings that only some populations have (see :attr:`Population.own`)."""

BY = ("contract", "level", "player", "pair", "seat", "trump", "month", "session", "source")
"""Groupings that always make sense, in the order in which they are offered."""


def grouping(name: str) -> Grouping:
    """The grouping of that name; :class:`ValueError` if there is none.

    >>> grouping("contract").field
    'contract'
    """
    found = GROUPINGS.get(name) or EXTRA.get(name)
    if found is None:
        raise ValueError(f"--by {name}: expected one of {', '.join((*GROUPINGS, *EXTRA))}")
    return found


def groupings(names: Sequence[str], default: str) -> list[Grouping]:
    """Groupings by name, each once; the default one if none is named."""
    return [grouping(n) for n in dict.fromkeys(names)] or [grouping(default)]
