"""Rule-set files: find, read, derive by ``base``, and say clearly what is wrong with one."""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.ruleset import RuleSet

BUILTIN_IDS = (
    "heerlen",
    "heerlen-literal",
    "fiches",
    "fiches-mini",
    "fiches-solo",
    "fiches-race",
    "limburg",
    "fiches-show-low",
    "butselaar",
)
DEFAULT_ID = "heerlen"
MAX_BYTES = 256 * 1024


class RuleSetError(ValueError):
    """A rule-set file that cannot be used; the text names file, line, key and what is allowed."""


class UnknownRuleSet(RuleSetError):
    """No built-in rule set has this id and no file stands at this path."""


def builtin_text(rules_id: str) -> str:
    """The TOML text of a built-in rule set."""
    return (files("engine") / "rulesets" / f"{rules_id}.toml").read_text("utf-8")


@lru_cache(maxsize=64)
def _builtin(rules_id: str) -> RuleSet:
    return parse_ruleset(builtin_text(rules_id), f"{rules_id}.toml")


def load_ruleset(id_or_path: str | Path) -> RuleSet:
    """A built-in rule set by id, or one of the user's own by path.

    Raises :class:`UnknownRuleSet` for a name that is neither, :class:`RuleSetError` for a file
    that cannot be used.

    >>> load_ruleset("heerlen").cards.last_trick
    5
    >>> load_ruleset("midden-nederland")
    Traceback (most recent call last):
    ...
    engine.rulefile.UnknownRuleSet: there is no rule set 'midden-nederland' (built in: heerlen, \
heerlen-literal, fiches, fiches-mini, fiches-solo, fiches-race, limburg, fiches-show-low, \
butselaar; or give the path of a .toml file with --rules)
    """
    name = str(id_or_path)
    if name in BUILTIN_IDS:
        return _builtin(name)
    path = Path(name)
    if not path.suffix == ".toml" and not path.is_file():
        raise UnknownRuleSet(
            f"there is no rule set {name!r} (built in: {', '.join(BUILTIN_IDS)}; "
            "or give the path of a .toml file with --rules)"
        )
    return parse_ruleset(_read(path), name, path.parent)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RuleSetError(f"{path}: too large for a rule-set file (over {MAX_BYTES} bytes)")
        return path.read_text("utf-8-sig")
    except OSError as e:
        raise RuleSetError(f"{path}: cannot be read ({e.strerror})") from None
    except UnicodeDecodeError as e:
        raise RuleSetError(f"{path}: not a UTF-8 text (byte {e.start})") from None


def parse_ruleset(text: str, name: str, folder: Path | None = None) -> RuleSet:
    """Build a rule set from TOML text; ``name`` is what errors call the file."""
    merged = _resolve(text, name, folder, ())
    merged.pop("base", None)
    try:
        return RuleSet.model_validate(merged)
    except ValidationError as e:
        raise RuleSetError("\n".join(_explain(err, text, name) for err in e.errors())) from None


def _resolve(
    text: str, name: str, folder: Path | None, chain: tuple[str, ...]
) -> dict[str, Any]:
    try:
        own = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise RuleSetError(f"{name}: not valid TOML: {e}") from None
    base = own.get("base")
    if base is None:
        return own
    if not isinstance(base, str):
        raise RuleSetError(_at(text, name, ("base",)) + "'base' must be a text")
    if base in chain or len(chain) > 8:
        raise RuleSetError(_at(text, name, ("base",)) + f"'base' goes round in a circle ({base})")
    if base in BUILTIN_IDS:
        parent = _resolve(builtin_text(base), f"{base}.toml", None, (*chain, base))
    else:
        path = (folder or Path()) / base
        if folder is None or not path.is_file():
            raise RuleSetError(
                _at(text, name, ("base",))
                + f"'base' names {base!r}, which is neither built in ({', '.join(BUILTIN_IDS)}) "
                "nor a file beside this one"
            )
        parent = _resolve(_read(path), str(path), path.parent, (*chain, base))
    return _merge(parent, own)


# Tables that are values of their own: a house rule replaces them as a whole.
_WHOLE = {"plain_points", "trump_points", "runs", "threes", "fours"}


def _merge(parent: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    out = dict(parent)
    for key, value in own.items():
        old = out.get(key)
        if key == "decisions" and isinstance(old, list) and isinstance(value, list):
            mine = {d.get("key") for d in value if isinstance(d, dict)}
            out[key] = [d for d in old if d.get("key") not in mine] + value
        elif isinstance(old, dict) and isinstance(value, dict) and key not in _WHOLE:
            out[key] = _merge(old, value)
        else:
            out[key] = value
    return out


def _explain(err: Any, text: str, name: str) -> str:
    loc = tuple(str(p) for p in err["loc"])
    key = ".".join(loc)
    kind, ctx = err["type"], err.get("ctx", {})
    found = repr(err.get("input"))
    found = found if len(found) <= 60 else found[:57] + "..."
    where = _at(text, name, loc)
    if kind == "extra_forbidden":
        return where + f"unknown key '{key}' (allowed here: {', '.join(_allowed(loc[:-1]))})"
    if kind == "missing":
        return where + f"key '{key}' is missing (or set base = \"heerlen\" and give only changes)"
    if kind == "literal_error":
        return where + f"'{key}' is {found}; allowed: {ctx['expected']}"
    if kind == "value_error":
        return where + (f"'{key}': " if key else "") + str(ctx["error"])
    if kind in ("model_type", "dict_type"):
        return where + f"'{key}' is {found}; expected a table"
    return where + f"'{key}' is {found}; {err['msg'][0].lower()}{err['msg'][1:]}"


def _allowed(loc: tuple[str, ...]) -> list[str]:
    model: Any = RuleSet
    for part in loc:
        if isinstance(model, type) and part in getattr(model, "model_fields", {}):
            model = model.model_fields[part].annotation
            args = getattr(model, "__args__", ())
            if args:
                model = args[-1]
        # A part that is no field is the key of a contract: the model stays.
    names = list(getattr(model, "model_fields", {}))
    return ["base", *names] if model is RuleSet else names


def _at(text: str, name: str, loc: tuple[str, ...]) -> str:
    line = line_of(text, loc)
    return f"{name}:{line}: " if line else f"{name}: "


def line_of(text: str, loc: tuple[str, ...]) -> int | None:
    """Line (from 1) on which the key ``loc`` stands, or the nearest enclosing one that does.

    >>> line_of('id = "x"\\n[play]\\nfirst_lead = "me"\\n', ("play", "first_lead"))
    3
    """
    wanted = [p for p in loc if not p.isdigit()]
    while wanted:
        table: list[str] = []
        for n, line in enumerate(text.splitlines(), 1):
            head = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
            key = re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line)
            if head:
                table = [p.strip(" \"'") for p in head[1].split(".")]
                if table == wanted:
                    return n
            elif key and table + [p.strip(" \"'") for p in key[1].split(".")] == wanted:
                return n
        wanted.pop()
    return None
