"""What the pages ask of the store, kept per generation so that an import shows at once."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
import streamlit as st

from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.ruleset import RuleSet
from engine.state import Replay
from engine.violations import Language
from pandoeren_replay.filters import condition, marked, quote
from pandoeren_replay.notes import Notes
from pandoeren_replay.stats import measure, pairs, statistics
from pandoeren_replay.store import Store
from pandoeren_replay.store.errors import NotThere, StoreError
from pandoeren_replay.store.narrow import narrowed
from pandoeren_replay.ui.payload import Around, hand_payload
from pandoeren_replay.ui.texts import Texts

# Names offered in a list; beyond that the viewer types.
_OFFERED = 2000


@dataclass(frozen=True, slots=True)
class Choices:
    """What occurs in the store, for the filters: each list in a sensible order."""

    rules: tuple[str, ...]
    contracts: tuple[str, ...]
    players: tuple[str, ...]
    sessions: tuple[str, ...]
    codes: tuple[str, ...]
    has_simulated: bool
    has_sheets: bool
    """Whether there are hands without cards (score sheets)."""


class Source:
    """The store as the pages see it. Every answer belongs to the newest generation."""

    def __init__(self, path: str | None) -> None:
        self.store = Store(path)

    @property
    def path(self) -> str:
        """Folder of the store."""
        return str(self.store.path)

    @cached_property
    def generation(self) -> int:
        """Which generation this is: a key for caches; 0 where nothing was imported yet."""
        return self.store.stamp() if self.store.exists() else 0

    @property
    def is_empty(self) -> bool:
        """Whether there is no hand at all."""
        return self.generation == 0 or self.sql("SELECT 1 FROM hand LIMIT 1").is_empty()

    @property
    def is_large(self) -> bool:
        """Whether there are so many hands that to look at all of them takes seconds."""
        return bool(self.generation) and not self.sql("SELECT 1 FROM sum_state").is_empty()

    def _said(self, where: str) -> int:
        """What an answer depends on beside the generation: stars, tags, notes, if asked for."""
        return Notes(self.path).stamp() if marked(where) else 0

    def count(self, where: str = "") -> int:
        """Number of hands that a filter lets through."""
        return _count(self.path, self.generation, self._said(where), where)

    def hands(self, where: str, order: str, limit: int, offset: int = 0) -> pl.DataFrame:
        """Hands that a filter lets through (rows of the view ``hands``)."""
        return _hands(self.path, self.generation, self._said(where), where, order, limit, offset)

    def sql(self, query: str, params: Sequence[Any] = ()) -> pl.DataFrame:
        """Result of a query of ours (never a viewer's) over the views."""
        return _sql(self.path, self.generation, query, tuple(params))

    def players(self) -> list[dict[str, Any]]:
        """All players with their counts, the busiest first."""
        return (
            self.sql(f"SELECT * FROM players ORDER BY hands DESC, name LIMIT {_OFFERED}").to_dicts()
            if self.generation
            else []
        )

    def sessions(self) -> list[dict[str, Any]]:
        """Sessions, the latest first; those of fewer than 8 hands only after all others."""
        return (
            self.sql(
                "SELECT session, first_date, hands, rules, simulated FROM sessions "
                f"ORDER BY hands < 8, last_date DESC NULLS LAST, session DESC LIMIT {_OFFERED}"
            ).to_dicts()
            if self.generation
            else []
        )

    def statistics(self, by: Sequence[str], where: str) -> list[dict[str, Any]]:
        """Statistics of the hands that a filter lets through, a row for each group."""
        return _statistics(self.path, self.generation, self._said(where), tuple(by), where)

    def ranges(self, name: str) -> list[dict[str, Any]]:
        """How often a player bids, by the best trumps dealt to him (see docs/statistics.md)."""
        return _ranges(self.path, self.generation, name)

    def measured(self, names: Sequence[str], by: str, where: str) -> list[dict[str, Any]]:
        """Figures of the glossary, of the hands that a filter lets through, a row per group."""
        return _measured(self.path, self.generation, self._said(where), tuple(names), by, where)

    def pairs(self, where: str) -> list[dict[str, Any]]:
        """Pairs against what was expected of them, of the hands that a filter lets through."""
        return _pairs(self.path, self.generation, self._said(where), where)

    def filtered(self, query: str, where: str) -> list[dict[str, Any]]:
        """Rows of a query of ours; its ``{where}`` becomes a filter over ``hands h``."""
        if self.generation == 0:
            return []
        sql, params = condition(where, self.store)
        sql = narrowed(self.store, where, sql)
        return self.sql(query.format(where=sql), params).to_dicts()

    def choices(self) -> Choices:
        """What occurs in the store."""
        return _choices(self.path, self.generation)

    def find(self, hand: str) -> str | None:
        """Hash of the hand that an address names (hash, number or id), or ``None``."""
        return _find(self.path, self.generation, hand[:200])

    def number(self, key: str) -> int:
        """Number of a hand in this store, by its hash: what is asked by number is soon found."""
        return _number(self.path, self.generation, key)

    def payload(self, key: str, lang: Language, around: Around) -> dict[str, Any]:
        """One hand for the replayer, by its hash."""
        return _payload(self.path, self.generation, key, lang, around)

    def replay(self, key: str) -> Replay:
        """One hand replayed, by its hash."""
        return _replay(self.path, self.generation, key)

    def evaluations(self, key: str) -> list[dict[str, Any]]:
        """The stored values of a hand's cards (``pandoeren analyze``), by its hash."""
        return _evaluations(self.path, self.generation, key)

    def rules(self, rules_id: str) -> RuleSet | None:
        """A rule set that hands of this store were read by, the newest of that name."""
        return _rules(self.path, self.generation, rules_id)


@st.cache_data(show_spinner=False, max_entries=200)
def _count(path: str, generation: int, said: int, where: str) -> int:
    return Store(path).count(where) if generation else 0


@st.cache_data(show_spinner=False, max_entries=100)
def _hands(
    path: str, generation: int, said: int, where: str, order: str, limit: int, offset: int
) -> pl.DataFrame:
    return Store(path).hands(where, order, limit, offset)


@st.cache_data(show_spinner=False, max_entries=100)
def _sql(path: str, generation: int, query: str, params: tuple[Any, ...]) -> pl.DataFrame:
    return Store(path).sql(query, params)


@st.cache_data(show_spinner=False, max_entries=100)
def _statistics(
    path: str, generation: int, said: int, by: tuple[str, ...], where: str
) -> list[dict[str, Any]]:
    return statistics(Store(path), by, where).to_dicts() if generation else []


@st.cache_data(show_spinner=False, max_entries=50)
def _ranges(path: str, generation: int, name: str) -> list[dict[str, Any]]:
    if not generation:
        return []
    rows = measure(Store(path), ["entry"], ("player", "holding"), f"player={quote(name)}")
    return [
        r
        for r in rows.to_dicts()
        if r["player"] == name and r["holding"] is not None and r["value"] is not None
    ]


@st.cache_data(show_spinner=False, max_entries=20)
def _measured(
    path: str, generation: int, said: int, names: tuple[str, ...], by: str, where: str
) -> list[dict[str, Any]]:
    return measure(Store(path), names, (by,), where).to_dicts() if generation else []


@st.cache_data(show_spinner=False, max_entries=50)
def _pairs(path: str, generation: int, said: int, where: str) -> list[dict[str, Any]]:
    return pairs(Store(path), where).to_dicts() if generation else []


@st.cache_data(show_spinner=False, max_entries=20)
def _choices(path: str, generation: int) -> Choices:
    if not generation:
        return Choices((), (), (), (), (), False, False)
    source = Source(path)
    store = source.store
    # All of it in one look at the hands, which are many.
    kinds = store.rows(
        "SELECT rules, contract, count(*) AS hands, bool_or(simulated) AS simulated, "
        "bool_or(NOT with_cards) AS sheets FROM hands GROUP BY rules, contract"
    )
    hands: Counter[str] = Counter()
    for r in kinds:
        hands[r["rules"]] += r["hands"]
    contracts = {str(r["contract"]) for r in kinds if r["contract"] is not None}
    names = store.rows(f"SELECT name FROM players ORDER BY hands DESC, name LIMIT {_OFFERED}")
    codes = store.rows(
        "SELECT code FROM violations WHERE severity <> 'info' GROUP BY code "
        "ORDER BY count(*) DESC, code"
    )
    return Choices(
        rules=tuple(sorted(hands, key=lambda r: (-hands[r], r))),
        contracts=tuple(sorted(contracts, key=_contract_order)),
        players=tuple(r["name"] for r in names),
        sessions=tuple(r["session"] for r in source.sessions()),
        codes=tuple(r["code"] for r in codes),
        has_simulated=any(r["simulated"] for r in kinds),
        has_sheets=any(r["sheets"] for r in kinds),
    )


def _contract_order(contract: str) -> tuple[int, str]:
    """Points bids by what they ask, then the others.

    >>> sorted(["mis", "150", "90", "pic"], key=_contract_order)
    ['90', '150', 'mis', 'pic']
    """
    level = int(contract) if contract.isdecimal() else sys.maxsize
    return level, contract


@st.cache_data(show_spinner=False, max_entries=500)
def _find(path: str, generation: int, hand: str) -> str | None:
    if not generation:
        return None
    store = Store(path)
    try:
        row = store.rows("SELECT hash FROM hand WHERE hand_id = ?", [store.find(hand)])[0]
    except NotThere:
        return None
    return f"{int(row['hash']):016x}"


@st.cache_data(show_spinner=False, max_entries=1000)
def _number(path: str, generation: int, key: str) -> int:
    return Store(path).find(key)


@st.cache_data(show_spinner=False, max_entries=200)
def _payload(
    path: str, generation: int, key: str, lang: Language, around: Around
) -> dict[str, Any]:
    store = Store(path)
    number = _number(path, generation, key)
    # Not the view hands: to put together what it shows takes a third as long as all the rest.
    row = store.rows(
        "SELECT h.simulated, s.name AS source FROM hand h JOIN source s "
        "ON s.source_id = h.source_id WHERE h.hand_id = ?",
        [number],
    )[0]
    payload = hand_payload(
        _replay(path, generation, key),
        lang,
        key=key,
        simulated=bool(row["simulated"]),
        around=Around(around.previous, around.next, row["source"]),
    )
    payload["stamp"] += f"|{generation}"
    return payload


@st.cache_resource(show_spinner=False, max_entries=200)
def _replay(path: str, generation: int, key: str) -> Replay:
    return Store(path).replay(_number(path, generation, key))


@st.cache_data(show_spinner=False, max_entries=200)
def _evaluations(path: str, generation: int, key: str) -> list[dict[str, Any]]:
    number = _number(path, generation, key)
    return Store(path).rows(
        "SELECT ply, card, goal, value, best, played, solver FROM evaluations WHERE hand_id = ? "
        "AND solver = (SELECT max(solver) FROM evaluations WHERE hand_id = ?)",
        [number, number],
    )


@st.cache_data(show_spinner=False, max_entries=100)
def _rules(path: str, generation: int, rules_id: str) -> RuleSet | None:
    if generation:
        try:
            return Store(path).rule_set(rules_id)
        except StoreError:
            pass  # not one that a hand was read by: perhaps a built-in one
    return load_ruleset(rules_id) if rules_id in BUILTIN_IDS else None


def contract_name(source: Source, text: Texts, rules_id: str | None, contract: str | None) -> str:
    """A contract in words, by the rule set it was played under."""
    if not contract:
        return text("hands.no_contract")
    return text.contract(source.rules(rules_id) if rules_id else None, contract)
