"""The rule set that a hand of the notation names: known or not, and still the same one?"""

from engine.rulefile import BUILTIN_IDS, RuleSetError, load_ruleset
from engine.ruleset import RuleSet
from parsers.base import Options


class RuleCheck:
    """Checks the RULES of hands against what can be loaded, once per name.

    A log may only name a rule set that is built in; a path is taken from the user's ``--rules``
    alone, so that reading a log never opens another file. ``problem`` says why ``--rules`` itself
    cannot be used.
    """

    def __init__(self, options: Options) -> None:
        self.problem: str | None = None
        self._override: RuleSet | None = None
        if options.rules is not None:
            try:
                self._override = load_ruleset(options.rules)
            except RuleSetError as e:
                self.problem = f"a usable rule set for --rules: {e}"

    def expected(self, name: str | None) -> str | None:
        """What a hand should have named instead; ``None`` where its rule set can be used.

        >>> RuleCheck(Options()).expected("heerlen") is None
        True
        >>> RuleCheck(Options()).expected("midden-nederland")
        'a built-in rule set (heerlen, heerlen-literal, fiches, fiches-mini, fiches-solo, \
fiches-race, limburg, fiches-show-low, butselaar); for another one, say which with --rules'
        >>> RuleCheck(Options(rules="butselaar")).expected("midden-nederland") is None
        True
        """
        if name is None or name in BUILTIN_IDS or self._override is not None:
            return None
        known = ", ".join(BUILTIN_IDS)
        return f"a built-in rule set ({known}); for another one, say which with --rules"

    def changed(self, name: str | None, content_hash: str | None) -> str | None:
        """A warning where a hand was recorded under another content of the same rule set."""
        if name is None or content_hash is None:
            return None
        rules = self._override
        if rules is None:
            rules = load_ruleset(name)
        elif rules.id != name:
            return None  # The user asked for other rules than the log's.
        if rules.content_hash == content_hash:
            return None
        return (
            f"recorded under {name}@{content_hash}; the rule set {name} used now has the hash "
            f"{rules.content_hash}, so the hand may be judged otherwise than when it was recorded"
        )
