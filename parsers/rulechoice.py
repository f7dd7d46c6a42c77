"""Which rule set a log is read by: ``--rules``, what the log names, or the default."""

from dataclasses import dataclass

from engine.rulefile import BUILTIN_IDS, DEFAULT_ID, RuleSetError, load_ruleset
from engine.ruleset import RuleSet
from parsers.base import Options

DEFAULT_RULES = (
    f"the log names no rule set: it is read by the default, {DEFAULT_ID} (--rules says otherwise)"
)
"""Warning of a file that does not say by which rules was played."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a log: ``id`` as recorded (``None``: the log names none), and the rule set."""

    id: str | None
    ruleset: RuleSet


def resolve_rules(named: str | None, options: Options) -> Rules:
    """The rule set of a log: ``--rules`` if given, else what the log names, else the default.

    Raises :class:`engine.rulefile.RuleSetError` whose text mentions ``--rules`` when the log names
    a rule set that is not built in. A log never makes a file be opened: only ``--rules`` may name
    a path.

    >>> resolve_rules(None, Options()).ruleset.id, resolve_rules("x", Options(rules="fiches")).id
    ('heerlen', 'fiches')
    >>> resolve_rules("midden-nederland", Options())
    Traceback (most recent call last):
    ...
    engine.rulefile.RuleSetError: the log names the rule set 'midden-nederland', which is not \
built in; say with --rules which rules it was played by
    """
    if options.rules is not None:
        loaded = load_ruleset(options.rules)
        return Rules(loaded.id, loaded)
    if named is None or not named.strip():
        mapped = getattr(options.mapping, "rules", None)
        if mapped:
            loaded = load_ruleset(mapped)
            return Rules(loaded.id, loaded)
        return Rules(None, load_ruleset(DEFAULT_ID))
    name = named.strip().lower()
    if not is_builtin(name):
        raise RuleSetError(
            f"the log names the rule set {named.strip()[:60]!r}, which is not built in; "
            "say with --rules which rules it was played by"
        )
    return Rules(name, load_ruleset(name))


def is_builtin(name: str) -> bool:
    """Whether a rule set of this id comes with the program."""
    return name in BUILTIN_IDS
