"""A rule set in words, and the difference between two."""

from collections.abc import Iterator
from typing import Any, Literal

from engine.ruleset import Contract, RuleSet

Language = Literal["en", "nl"]


def bid_text(contract: Contract, lang: Language = "en") -> str:
    """The bids of one row of the bid table.

    >>> from engine.rulefile import load_ruleset
    >>> row = load_ruleset("heerlen").contracts["points-200"]
    >>> bid_text(row), bid_text(row, "nl")
    ('200, 210 … (step 10)', '200, 210 … (stap 10)')
    """
    step = "stap" if lang == "nl" else "step"
    if contract.levels:
        text = ", ".join(map(str, contract.levels))
        if contract.step:
            text += f", {contract.levels[-1] + contract.step} … ({step} {contract.step})"
        return text
    if contract.plus_step:
        return f"{contract.code}+{contract.plus_step} … ({step} {contract.plus_step})"
    return str(contract.code)


def bid_table(rules: RuleSet, lang: Language = "en") -> list[list[str]]:
    """Rows: number, bids, name, partner, trumps, goal, score, exposure; low to high."""
    rows = []
    for n, key in enumerate(rules.auction.order, 1):
        c = rules.contracts[key]
        goal = c.goal if c.target is None else f"{c.goal} {c.target}"
        rows.append(
            [
                str(n), bid_text(c, lang), c.name.nl if lang == "nl" else c.name.en, c.partner,
                "yes" if c.trump else "no", goal, str(c.score),
                "" if c.exposure == "none" else c.exposure,
            ]
        )  # fmt: skip
    return rows


def flat(rules: RuleSet) -> dict[str, Any]:
    """Every value of a rule set by its dotted key.

    >>> from engine.rulefile import load_ruleset
    >>> flat(load_ruleset("fiches"))["cards.last_trick"]
    10
    """
    body = rules.model_dump(mode="json", exclude={"decisions"})
    return dict(_flat(body, ""))


def _flat(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for k, v in value.items():
            yield from _flat(v, f"{key}.{k}" if key else str(k))
    else:
        yield key, value


def difference(one: RuleSet, other: RuleSet) -> list[tuple[str, Any, Any]]:
    """(key, value in one, in the other) wherever they differ; ``None`` where a key is missing.

    >>> from engine.rulefile import load_ruleset
    >>> [k for k, _, _ in difference(load_ruleset("fiches"), load_ruleset("fiches-race"))
    ...  if k.startswith("match")]
    ['match.target']
    """
    a, b = flat(one), flat(other)
    return [(k, a.get(k), b.get(k)) for k in {**a, **b} if a.get(k) != b.get(k)]
