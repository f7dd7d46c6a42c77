"""The filter over the list of hands: one row of choices, kept in the address."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields

import streamlit as st

from pandoeren_replay.filters import FilterError, condition, parse, quote
from pandoeren_replay.notes import Notes
from pandoeren_replay.ui.source import Choices, Source, contract_name
from pandoeren_replay.ui.texts import Texts, typed_date

RESULTS = {
    "made": "made=yes",
    "lost": "made=no",
    "passed": "passed=yes",
    "unknown": "made=unknown and passed=no",
}
ROLES = ("declarer", "partner", "defender")
ANY_FAULT, NO_FAULT = "any", "none"
_MORE_LENGTH = 2000
"""Longest text of an address: a filter that leads to the hands behind a figure is long."""
_PLAIN = ("player", "role", "contract", "rules", "session", "simulated", "cards", "star", "tag")


@dataclass(frozen=True)
class Filter:
    """What the viewer filters by; empty = everything. ``more`` is text of docs/filters.md."""

    player: str = ""
    role: str = ""
    contract: str = ""
    rules: str = ""
    result: str = ""
    violation: str = ""
    session: str = ""
    first: str = ""
    last: str = ""
    simulated: str = ""
    cards: str = ""
    star: str = ""
    tag: str = ""
    more: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "Filter":
        """The filter an address asks for; what it does not know is left out.

        >>> Filter.from_query({"contract": "130", "role": "king", "x": "1"})
        Filter(player='', role='', contract='130', rules='', result='', violation='', session='', \
first='', last='', simulated='', cards='', star='', tag='', more='')
        """
        values = {f.name: query.get(f.name, "")[:_MORE_LENGTH] for f in fields(cls)}
        if values["role"] not in ROLES:
            values["role"] = ""
        if values["result"] not in RESULTS:
            values["result"] = ""
        for name in ("simulated", "cards", "star"):
            if values[name] not in ("yes", "no"):
                values[name] = ""
        return cls(**values)

    @classmethod
    def from_where(cls, where: str) -> "Filter":
        """The filter of a text of docs/filters.md; what has no choice of its own stays text.

        >>> Filter.from_where("declarer='Jan' and contract=130 and points<90").query()
        {'player': 'Jan', 'role': 'declarer', 'contract': '130', 'more': "points<'90'"}
        """
        values: dict[str, str] = {}
        rest = []
        conditions = parse(where)
        others = any(c.field.name in ("player", "role") for c in conditions)
        for c in conditions:
            name, value = c.field.name, c.values[0]
            single = c.op == "=" and len(c.values) == 1
            if single and name == "declarer" and not others and "player" not in values:
                values["player"], values["role"] = value, "declarer"
            elif single and name in _PLAIN and name not in values:
                values[name] = value
            else:
                rest.append(f"{name}{c.op}{','.join(quote(v) for v in c.values)}")
        return cls(**values, more=" and ".join(rest))

    def query(self) -> dict[str, str]:
        """The filter as it stands in an address."""
        return {k: v for k, v in asdict(self).items() if v}

    def where(self) -> str:
        """The filter in the language of docs/filters.md.

        >>> Filter(player="Jan and Piet", role="declarer", result="lost").where()
        "player='Jan and Piet' and role=declarer and made=no"
        """
        parts = [
            f"{name}={quote(value)}"
            for name in ("player", "contract", "rules", "session")
            if (value := getattr(self, name))
        ]
        if self.player and self.role:
            parts.insert(1, f"role={self.role}")
        if self.result:
            parts.append(RESULTS[self.result])
        if self.violation == ANY_FAULT:
            parts.append("errors>0")
        elif self.violation == NO_FAULT:
            parts.append("errors=0")
        elif self.violation:
            parts.append(f"violation={quote(self.violation)}")
        if self.first:
            parts.append(f"date>={quote(self.first)}")
        if self.last:
            parts.append(f"date<={quote(self.last)}")
        if self.simulated:
            parts.append(f"simulated={self.simulated}")
        if self.cards:
            parts.append(f"cards={self.cards}")
        if self.star:
            parts.append(f"star={self.star}")
        if self.tag:
            parts.append(f"tag={quote(self.tag)}")
        if self.more.strip():
            parts.append(self.more.strip())
        return " and ".join(parts)


def filter_bar(source: Source, text: Texts) -> Filter:
    """Shows the choices and gives the filter they make; the address follows.

    A filter that cannot be read is told to the viewer and left out.
    """
    asked = Filter.from_query(dict(st.query_params))
    if st.session_state.get("filter_shown") != asked.query() or "filter_contract" not in (
        st.session_state
    ):
        for name, value in asdict(asked).items():
            st.session_state[f"filter_{name}"] = value
    choices = source.choices()
    made = _widgets(source, choices, text)
    st.session_state["filter_shown"] = made.query()
    if made.query() != asked.query():
        others = {k: v for k, v in st.query_params.items() if k not in asdict(made)}
        st.query_params.from_dict({**others, **made.query()})
    return _checked(made, text)


def _checked(made: Filter, text: Texts) -> Filter:
    try:
        condition(made.where())
    except FilterError as e:
        st.warning(text("hands.filter_unreadable"), icon=":material/filter_alt_off:")
        st.text(str(e))
        return Filter(**{**asdict(made), "more": "", "first": "", "last": ""})
    return made


def _widgets(source: Source, choices: Choices, text: Texts) -> Filter:
    def pick(name: str, options: tuple[str, ...], label: Callable[[str], str]) -> str:
        key = f"filter_{name}"
        now = st.session_state.get(key) or ""
        # What an address asks for stays a choice, so that the viewer sees why the list is empty.
        offered = ("", *options) if now in ("", *options) else ("", now, *options)
        st.session_state[key] = now
        return st.selectbox(
            text(f"hands.f_{name}"),
            offered,
            key=key,
            format_func=lambda v: label(v) if v else text("hands.any"),
        )

    def known(section: str) -> Callable[[str], str]:
        return lambda v: text(f"hands.{section}_{v}")

    def contract(v: str) -> str:
        ids = choices.rules
        name = next((n for r in ids if (n := contract_name(source, text, r, v)) != v), v)
        return name if name == v or v in name else f"{name} ({v})"

    def fault(v: str) -> str:
        return text(f"hands.violation_{v}") if v in (ANY_FAULT, NO_FAULT) else v

    def rules_name(v: str) -> str:
        rules = source.rules(v)
        return text.of(rules.name) if rules else v

    one, two, three = st.columns(3)
    with one:
        player = pick("player", choices.players, str)
    with two:
        chosen = pick("contract", choices.contracts, contract)
    with three:
        result = pick("result", tuple(RESULTS), known("result"))
    hidden = Filter.from_query(dict(st.query_params))
    n = sum(
        bool(getattr(hidden, k))
        for k in asdict(hidden)
        if k not in ("player", "contract", "result")
    )
    label = text("hands.more_filters_on", n=n) if n else text("hands.more_filters")
    with st.expander(label, expanded=n > 0):
        one, two, three = st.columns(3)
        with one:
            role = pick("role", ROLES, known("role"))
            rules = pick("rules", choices.rules, rules_name)
        with two:
            violation = pick("violation", (ANY_FAULT, NO_FAULT, *choices.codes), fault)
            session = pick("session", choices.sessions, str)
        with three:
            simulated = ""
            if choices.has_simulated:
                simulated = pick("simulated", ("no", "yes"), known("simulated"))
            cards = ""
            if choices.has_sheets or hidden.cards:
                cards = pick("cards", ("yes", "no"), known("cards"))
            star = pick("star", ("yes",), known("star"))
            tags = tuple(Notes(source.path).tags())
            tag = pick("tag", tags, str) if tags or hidden.tag else ""
        one, two, three = st.columns(3)
        with one:
            first = st.text_input(
                text("hands.f_first"), key="filter_first", placeholder=text("hands.date_hint")
            )
        with two:
            last = st.text_input(
                text("hands.f_last"), key="filter_last", placeholder=text("hands.date_hint")
            )
        with three:
            more = st.text_input(
                text("hands.f_more"),
                key="filter_more",
                max_chars=_MORE_LENGTH,
                placeholder=text("hands.more_hint"),
            )
    return Filter(
        player=player,
        role=role if player else "",
        contract=chosen,
        rules=rules,
        result=result,
        violation=violation,
        session=session,
        first=typed_date(first),
        last=typed_date(last),
        simulated=simulated,
        cards=cards,
        star=star,
        tag=tag,
        more=more,
    )
