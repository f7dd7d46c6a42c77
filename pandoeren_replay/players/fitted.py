"""The models of the built-in rule sets, fitted beforehand and kept as numbers.

Fitting hangs on single hands that look alike in two suits, and there on the last bit of the
machine's linear algebra. Kept models make that the same seed gives the same hands on every
machine. `python -m benchmarks.fit_players` writes them; rule sets that are not there (a club's
own) are fitted when they are first used.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from engine.ruleset import RuleSet

FILE = "players.json"


@cache
def _kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files("data") / FILE).read_text("utf-8"))
    return found


def kept_models(rules: RuleSet) -> tuple[Any, Any, dict[str, float]] | None:
    """Weights (models x features) and sigma by model, and the rare chance by contract; ``None``
    for a rule set that is not kept.

    >>> from engine.rulefile import load_ruleset
    >>> weights, sigmas, rare = kept_models(load_ruleset("heerlen"))
    >>> weights.shape[1], len(sigmas) == len(weights), "misere" in rare
    (18, True, True)
    """
    found = _kept().get(rules.content_hash)
    if found is None:
        return None
    return np.array(found["weights"]), np.array(found["sigma"]), dict(found["rare"])


__all__ = ["FILE", "kept_models"]
