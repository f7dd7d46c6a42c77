"""Rule sets as data: the model behind one TOML file, its bids, its content hash.

Loading, deriving and error messages with lines are in :mod:`engine.rulefile`. Every key is
documented in docs/house-rules.md; what the keys mean in the game is in docs/rules/.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from engine.cards import RANKS, SUITS
from engine.play import PlayTables, build_tables
from engine.record import CALL_CODES

Partner = Literal[
    "none",
    "called-ace",
    "called-card",
    "called-jack",
    "jas-holder",
    "first-trick-winner",
    "fourth-ace",
]
Goal = Literal[
    "points",
    "all",
    "none",
    "first-only",
    "exactly-one",
    "one-with-jas",
    "first-four-and-all",
    "called-card-and-four",
    "jas-and-all",
]
Exposure = Literal["none", "declarer-from-trick-2", "all-from-trick-1"]
Points = Annotated[int, Field(ge=0, le=1000)]


class Table(BaseModel):
    """A TOML table: unknown keys and wrong types are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Text(Table):
    """A text in English and Dutch."""

    en: str = Field(min_length=1)
    nl: str = Field(min_length=1)


class Cards(Table):
    """Order and points of the cards (RULES 1)."""

    plain_order: str
    trump_order: str
    sequence_order: str
    plain_points: dict[str, Points]
    trump_points: dict[str, Points]
    last_trick: Points

    @field_validator("plain_order", "trump_order", "sequence_order")
    @classmethod
    def _every_rank_once(cls, value: str) -> str:
        if sorted(value) != sorted(RANKS):
            raise ValueError(f"must name each of the ranks {' '.join(RANKS)} once, best first")
        return value

    @field_validator("plain_points", "trump_points")
    @classmethod
    def _ranks_only(cls, value: dict[str, int]) -> dict[str, int]:
        for rank in value:
            if len(rank) != 1 or rank not in RANKS:
                raise ValueError(f"{rank!r} is not a rank (allowed: {' '.join(RANKS)})")
        return value


class Deal(Table):
    """Deal and middle card (RULES 2)."""

    middle: Literal["taken", "dead"]
    first_dealer: Literal["lot", "lowest-cut"]
    all_pass: Literal["same-dealer", "next-dealer"]
    show_lowest: bool


class Auction(Table):
    """The auction (RULES 3): ``order`` lists contracts from low to high."""

    pass_is_final: bool
    order: list[str] = Field(min_length=1)


class Contract(Table):
    """One row of the bid table: either points ``levels`` or a ``code``."""

    name: Text
    levels: list[Annotated[int, Field(ge=1, le=9990)]] = Field(default_factory=list)
    step: Annotated[int, Field(ge=1, le=1000)] | None = None
    code: str | None = None
    plus_step: Annotated[int, Field(ge=1, le=1000)] | None = None
    target: Annotated[int, Field(ge=1, le=1000)] | None = None
    score: Annotated[int, Field(ge=1, le=1000)]
    partner: Partner
    trump: bool
    goal: Goal
    exposure: Exposure = "none"
    pays: Literal["pot", "opponents"] = "pot"
    aces_needed: Annotated[int, Field(ge=0, le=4)] = 0
    own_jas: Literal["alone", "forbidden"] = "alone"
    takes_middle: bool | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "Contract":
        if bool(self.levels) == (self.code is not None):
            raise ValueError("give either 'levels' (points) or 'code' (any other contract)")
        if self.code is not None and self.code not in CALL_CODES:
            raise ValueError(
                f"'code' is {self.code!r}, which the notation cannot write "
                f"(allowed: {', '.join(CALL_CODES)})"
            )
        if self.levels and self.goal != "points":
            raise ValueError("a contract with 'levels' needs goal = \"points\"")
        if self.levels != sorted(set(self.levels)):
            raise ValueError("'levels' must rise")
        if self.step is not None and not self.levels:
            raise ValueError("'step' goes with 'levels'")
        if self.code is not None and self.goal == "points" and self.target is None:
            raise ValueError("goal = \"points\" without 'levels' needs a 'target'")
        if self.plus_step is not None and (self.goal != "all" or self.code != "pan"):
            raise ValueError('\'plus_step\' needs goal = "all" and code = "pan"')
        if not self.trump and (
            self.goal in ("one-with-jas", "jas-and-all")
            or self.partner in ("jas-holder", "fourth-ace")
        ):
            raise ValueError("this goal or partner needs trump = true")
        if self.goal == "called-card-and-four" and not self.partner.startswith("called"):
            raise ValueError('goal = "called-card-and-four" needs a called partner')
        return self

    @property
    def calls_card(self) -> bool:
        """Whether declarer names a card to find his partner."""
        return self.partner in ("called-ace", "called-card", "called-jack", "fourth-ace")


class Calling(Table):
    """Calling a partner (RULES 3.1, 3.2)."""

    optional: bool
    trump_allowed: bool


class PlayRules(Table):
    """Duties of the follower and the first lead (RULES 5)."""

    first_lead: Literal["declarer", "forehand"]
    may_ruff_when_able_to_follow: bool
    must_trump: Literal["never", "when-void", "always"]
    must_overtrump: bool
    overtrump_when_trump_led: bool
    undertrump: Literal["allowed", "banned"]
    jas_exempt: bool


class PartnerRules(Table):
    """From when the partner counts for declarer's side (RULES 3.1, 3.2)."""

    counts_from: Literal["start", "reveal"]


class Meld(Table):
    """Roem and combinations (RULES 6)."""

    system: Literal["none", "roem", "best-at-table"]
    runs: dict[int, Points]
    threes: dict[str, Points]
    fours: dict[str, Points]
    ranking: list[str]
    stuk: Points
    stuk_before: Literal["first", "second"]
    deny: bool
    overlap: bool
    partial_runs: bool
    announce: Literal["window", "before-last-card"]

    @field_validator("runs", mode="before")
    @classmethod
    def _lengths(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for k in value:
                if str(k) not in "345678" or len(str(k)) != 1:
                    raise ValueError(f"{k!r} is not a length of a run (allowed: 3 to 8)")
            return {int(k): v for k, v in value.items()}
        return value

    @field_validator("threes", "fours")
    @classmethod
    def _ranks(cls, value: dict[str, int]) -> dict[str, int]:
        for rank in value:
            if len(rank) != 1 or rank not in RANKS[:-1]:
                raise ValueError(f"{rank!r} is not a rank (allowed: {' '.join(RANKS[:-1])})")
        return value

    @model_validator(mode="after")
    def _ranked(self) -> "Meld":
        known = {f"run{n}" for n in range(3, 9)} | {f"four{r}" for r in RANKS[:-1]}
        for kind in self.ranking:
            if kind not in known:
                raise ValueError(f"'ranking': {kind!r} is not run3 … run8 or fourA … four7")
        if self.system == "roem":
            for kind in [f"run{n}" for n in self.runs] + [f"four{r}" for r in self.fours]:
                if kind not in self.ranking:
                    raise ValueError(f"'ranking' lacks {kind}, which has a value")
        return self


class Score(Table):
    """Scoring and money (RULES 7)."""

    system: Literal["each", "chips", "race"]
    stake: Points
    ante: Points
    pot_contribution: Points


class Match(Table):
    """When a session is over; 0 means no such limit (RULES 7)."""

    target: Annotated[int, Field(ge=0, le=100000)]
    hands: Annotated[int, Field(ge=0, le=10000)]
    partnership: Literal["individual", "fixed-pairs"]


class Decision(Table):
    """A choice that no source settles, shown to the user with the key that changes it."""

    key: str
    en: str
    nl: str


@dataclass(frozen=True, slots=True)
class Bid:
    """A bid of a rule set: the row of the table it belongs to and its level.

    ``level`` is the points bid, or the roem asked on top of ``pandoer`` (0 for a plain code);
    bids compare by ``rank``.
    """

    text: str
    key: str
    contract: Contract
    row: int
    level: int

    def words(self) -> dict[str, str]:
        """How players say it, in English and Dutch.

        >>> from engine.rulefile import load_ruleset
        >>> load_ruleset("heerlen").bid("szw").words()["nl"]
        'solozwabber'
        """
        if self.contract.levels:
            return {"en": self.text, "nl": self.text}
        plus = str(self.level) if self.plus else ""
        return {"en": self.contract.name.en + plus, "nl": self.contract.name.nl + plus}

    @property
    def rank(self) -> tuple[int, int]:
        """Place in the order of bids."""
        return (self.row, self.level)

    @property
    def target(self) -> int:
        """Points that declarer's side needs (0 where points do not decide)."""
        if self.contract.goal != "points":
            return 0
        return self.contract.target or self.level

    @property
    def plus(self) -> int:
        """Roem and stuk asked on top of all tricks (``pandoer +n``)."""
        return self.level if self.contract.plus_step else 0

    @property
    def uses_points(self) -> bool:
        """Whether meld counts in this contract (RULES 6.1, 6.3)."""
        return self.contract.goal == "points" or self.plus > 0


class RuleSet(Table):
    """One rule set. Load it with :func:`engine.rulefile.load_ruleset`."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")
    name: Text
    source: Text
    cards: Cards
    deal: Deal
    auction: Auction
    contracts: dict[str, Contract]
    calling: Calling
    play: PlayRules
    partner: PartnerRules
    meld: Meld
    score: Score
    match: Match
    decisions: list[Decision] = Field(default_factory=list)

    @model_validator(mode="after")
    def _order_fits(self) -> "RuleSet":
        seen: dict[str, str] = {}
        for place, key in enumerate(self.auction.order):
            if key in self.auction.order[:place]:
                raise ValueError(f"'auction.order' names {key!r} twice")
            if key not in self.contracts:
                raise ValueError(
                    f"'auction.order' names {key!r}, which is not in [contracts] "
                    f"(there: {', '.join(self.contracts)})"
                )
            c = self.contracts[key]
            plus = f" +{c.plus_step}" if c.plus_step else ""
            for text in [str(n) for n in c.levels] if c.levels else [f"{c.code}{plus}"]:
                if text in seen:
                    raise ValueError(
                        f"'auction.order': {seen[text]!r} and {key!r} have the same bid {text!r}"
                    )
                seen[text] = key
        if self.score.system == "chips" and self.score.stake < self.score.ante:
            raise ValueError(
                f"'score.stake' is {self.score.stake}; it must cover the first ante "
                f"of {self.score.ante}"
            )
        return self

    def bid(self, text: str) -> Bid | None:
        """The bid written as ``text``, or ``None`` if this rule set has no such bid.

        >>> from engine.rulefile import load_ruleset
        >>> load_ruleset("heerlen").bid("230").key, load_ruleset("heerlen").bid("125")
        ('points-200', None)
        >>> [load_ruleset("heerlen").bid(x) for x in ("²", "pan+²", "9" * 5000)]
        [None, None, None]
        """
        return self._bids.get(text) or self._open_bid(text)

    @cached_property
    def _bids(self) -> dict[str, Bid]:
        out: dict[str, Bid] = {}
        for row, key in enumerate(self.auction.order):
            c = self.contracts[key]
            for level in c.levels:
                out[str(level)] = Bid(str(level), key, c, row, level)
            if c.code and not c.plus_step:
                out[c.code] = Bid(c.code, key, c, row, 0)
        return out

    def _open_bid(self, text: str) -> Bid | None:
        code, plus, number = text.partition("+")
        digits = number if plus else text
        if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
            return None
        level = int(digits)
        for row, key in enumerate(self.auction.order):
            c = self.contracts[key]
            if plus and c.plus_step and c.code == code and level and level % c.plus_step == 0:
                return Bid(text, key, c, row, level)
            if not plus and c.step and level > c.levels[-1]:
                if (level - c.levels[-1]) % c.step == 0:
                    return Bid(text, key, c, row, level)
        return None

    def takes_middle(self, contract: Contract) -> bool:
        """Whether declarer takes the middle card and discards in this contract."""
        if contract.takes_middle is None:
            return self.deal.middle == "taken"
        return contract.takes_middle

    @cached_property
    def tables(self) -> PlayTables:
        """Card tables for the compiled functions of :mod:`engine.play`."""
        return build_tables(self)

    @cached_property
    def content_hash(self) -> str:
        """First 8 hex digits of the SHA-256 of everything that decides how a hand is judged."""
        body = self.model_dump(mode="json", exclude={"id", "name", "source", "decisions"})
        for contract in body["contracts"].values():
            del contract["name"]
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    @property
    def total_points(self) -> dict[bool, int]:
        """Points of the pack and the last trick, with trumps (``True``) and without (``False``)."""
        plain = sum(self.cards.plain_points.values())
        trumps = sum(self.cards.trump_points.values())
        last = self.cards.last_trick
        n = len(SUITS)
        return {True: (n - 1) * plain + trumps + last, False: n * plain + last}
