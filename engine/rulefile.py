"""Rule-set files: find, read, derive by ``base``, and say clearly what is wrong with one."""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
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
    if not path.suffix == ".toml" and not os.path.isfile(path):
        raise UnknownRuleSet(
            f"there is no rule set {name!r} (built in: {', '.join(BUILTIN_IDS)}; "
            "or give the path of a .toml file with --rules)"
        )
    return parse_ruleset(_read(path), name, path.parent)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as f:
            data = f.read(MAX_BYTES + 1)
    except OSError as e:
        raise RuleSetError(f"{path}: cannot be read ({e.strerror})") from None
    except ValueError as e:
        raise RuleSetError(f"{str(path)!r}: not the name of a file ({e})") from None
    if len(data) > MAX_BYTES:
        raise RuleSetError(f"{path}: too large for a rule-set file (over {MAX_BYTES} bytes)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = data[: e.start].count(b"\n") + 1
        raise RuleSetError(
            f"{path}:{line}: not a UTF-8 text (byte 0x{data[e.start]:02X} at offset {e.start}); "
            "save the file as UTF-8"
        ) from None


def parse_ruleset(text: str, name: str, folder: Path | None = None) -> RuleSet:
    """Build a rule set from TOML text; ``name`` is what errors call the file.

    >>> parse_ruleset('id = "club"\\nbase = "heerlen"\\n[play]\\nmust_trump = "no"\\n', "club.toml")
    Traceback (most recent call last):
    ...
    engine.rulefile.RuleSetError: club.toml:4: 'play.must_trump' is "no"; allowed: 'never', \
'when-void' or 'always'
    """
    merged, files_read = _resolve(text, name, folder, ())
    if "base" in merged and "id" not in files_read[0].own:
        merged["id"] = _id_from(name)  # else it would pass for the rule set that it changes
    merged.pop("base", None)
    try:
        return RuleSet.model_validate(merged)
    except ValidationError as e:
        raise RuleSetError("\n".join(_explain_all(e.errors(), merged, files_read))) from None


@dataclass(frozen=True, slots=True)
class _File:
    """A file that took part in a rule set: its name in errors, its text, what it says."""

    name: str
    text: str
    own: dict[str, Any]


def _resolve(
    text: str, name: str, folder: Path | None, chain: tuple[str, ...]
) -> tuple[dict[str, Any], list[_File]]:
    """The keys of a file and its bases in one, and the files, the user's own first.

    A built-in base is not among the files: what is wrong is wrong in the file that changes it.
    """
    own = _toml(text, name)
    file = _File(name, text, own)
    base = own.get("base")
    if base is None:
        return own, [file]
    where = _where([file], ("base",))
    if not isinstance(base, str):
        raise RuleSetError(f"{where}'base' is {_show(base)}; expected a text")
    if base in chain or len(chain) > 8:
        raise RuleSetError(f"{where}'base' goes round in a circle ({' -> '.join((*chain, base))})")
    if base in BUILTIN_IDS:
        parent, _ = _resolve(builtin_text(base), f"{base}.toml", None, (*chain, base))
        return _merge(parent, own), [file]
    path = (folder or Path()) / base
    if folder is None or not os.path.isfile(path):
        raise RuleSetError(
            f"{where}'base' names {base!r}, which is neither built in "
            f"({', '.join(BUILTIN_IDS)}) nor a file beside this one"
        )
    parent, rest = _resolve(_read(path), str(path), path.parent, (*chain, base))
    return _merge(parent, own), [file, *rest]


def _id_from(name: str) -> str:
    """The id of a rule set that gives none: the name of its file.

    >>> _id_from("rules/My Club.toml")
    'my-club'
    """
    return re.sub(r"[^a-z0-9]+", "-", Path(name).stem.lower()).strip("-")[:40]


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise RuleSetError(f"{name}: not valid TOML: brackets nested too deeply") from None
    except tomllib.TOMLDecodeError as e:
        what, _, place = str(e).partition(" (at ")
        at = re.match(r"line (\d+), column (\d+)", place)
        if at:
            where = f"{name}:{at[1]}:{at[2]}"
        else:
            where = f"{name}:{len(text.splitlines())}" if place else name
        raise RuleSetError(f"{where}: not valid TOML: {what}") from None
    except ValueError:
        raise RuleSetError(f"{name}: not valid TOML: a number of thousands of digits") from None


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


def _explain_all(errors: Sequence[Any], merged: dict[str, Any], read: Sequence[_File]) -> list[str]:
    """One sentence an error; the tables that a file without base lacks go into one."""
    lacking = [str(e["loc"][0]) for e in errors if e["type"] == "missing" and len(e["loc"]) == 1]
    out = [_explain(e, merged, read) for e in errors if e["type"] != "missing" or len(e["loc"]) > 1]
    if lacking:
        what = f"key {lacking[0]!r} is" if len(lacking) == 1 else f"keys {', '.join(lacking)} are"
        out.insert(0, f'{read[0].name}: {what} missing (or set base = "heerlen" and give changes)')
    return out


def _explain(err: Any, merged: dict[str, Any], read: Sequence[_File]) -> str:
    loc, read = _own_place(err["loc"], merged, read)
    key = _dotted(loc)
    kind, ctx = err["type"], err.get("ctx", {})
    found = _show(err.get("input"))
    where = _where(read, loc)
    if kind == "extra_forbidden":
        allowed = _allowed(loc[:-1])
        close = difflib.get_close_matches(str(loc[-1]), allowed, 1)
        hint = f"did you mean '{close[0]}'? " if close else ""
        return f"{where}unknown key '{key}' ({hint}allowed here: {', '.join(allowed)})"
    if kind == "missing":
        return f"{where}key '{key}' is missing"
    if kind == "literal_error":
        return f"{where}'{key}' is {found}; allowed: {ctx['expected']}"
    if kind == "value_error":
        # The sentence names the key that is wrong; it may stand deeper than the table judged.
        named = re.search(r"'([\w.-]+)'", str(ctx["error"]))
        if named:
            where = _where(read, (*loc, *named[1].split(".")))
        return where + (f"'{key}': " if key else "") + str(ctx["error"])
    return f"{where}'{key}' is {found}; expected {_expected(kind, ctx, err['msg'])}"


def _expected(kind: str, ctx: dict[str, Any], message: str) -> str:
    """What a value should have been, in words for people who do not program."""
    if kind.startswith("int"):
        return "a whole number, without quotes"
    words = {
        "bool": "true or false, without quotes",
        "string_type": 'a text in quotes, as in "heerlen"',
        "string_too_short": "a text that is not empty",
        "string_pattern_mismatch": "small letters, digits, - and _ only, at most 40, "
        "a letter or digit first",
        "list": "a list in square brackets",
        "too_short": "a list with at least one item",
        "model_type": "a table",
        "dict": "a table",
        "greater_than_equal": f"{ctx.get('ge')} or more",
        "less_than_equal": f"{ctx.get('le')} or less",
    }
    for start, text in words.items():
        if kind.startswith(start):
            return text
    return message


def _show(value: Any) -> str:
    """A value as the file would write it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _allowed(loc: tuple[str | int, ...]) -> list[str]:
    model: Any = RuleSet
    for part in loc:
        fields = getattr(model, "model_fields", {})
        if part in fields:
            model = fields[part].annotation
            args = getattr(model, "__args__", ())
            if args:
                model = args[-1]
        # A part that is no field is the key of a contract: the model stays.
    names = list(getattr(model, "model_fields", {}))
    return ["base", *names] if model is RuleSet else names


def _dotted(loc: Sequence[str | int]) -> str:
    """``('levels', 1)`` -> ``levels[2]``: items are counted from 1, as people count."""
    text = ""
    for part in loc:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _own_place(
    loc: tuple[str | int, ...], merged: dict[str, Any], read: Sequence[_File]
) -> tuple[tuple[str | int, ...], Sequence[_File]]:
    """``loc`` with a decision counted as in the file that it stands in, and that file."""
    if len(loc) > 1 and loc[0] == "decisions" and isinstance(loc[1], int):
        wrong = merged["decisions"][loc[1]]
        for file in read:
            own = file.own.get("decisions", [])
            for n, decision in enumerate(own if isinstance(own, list) else []):
                if decision is wrong:
                    return ("decisions", n, *loc[2:]), [file]
    return loc, read


def _where(read: Sequence[_File], loc: Sequence[str | int]) -> str:
    """``file:line: `` of a key, or of the innermost table round it that a file holds."""
    for end in range(len(loc), 0, -1):
        for file in read:
            if _holds(file.own, loc[:end]):
                line = line_of(file.text, loc[:end])
                return f"{file.name}:{line}: " if line else f"{file.name}: "
    return f"{read[0].name}: "


def _holds(value: Any, loc: Sequence[str | int]) -> bool:
    for part in loc:
        if isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif isinstance(value, dict) and str(part) in value:
            value = value[str(part)]
        else:
            return False
    return True


def line_of(text: str, loc: Sequence[str | int]) -> int | None:
    """Line (from 1) on which the key ``loc`` stands, or the nearest enclosing one that does.

    >>> line_of('id = "x"\\n[play]\\nfirst_lead = "me"\\n', ("play", "first_lead"))
    3
    """
    for end in range(len(loc), 0, -1):
        line = _exact_line(text, tuple(loc[:end]))
        if line:
            return line
    return None


def _exact_line(text: str, loc: tuple[str | int, ...]) -> int | None:
    """Line of a key or table header; numbers in ``loc`` count the items of ``[[tables]]``."""
    table: list[str | int] = []
    seen: dict[str, int] = {}
    quoted = False
    for n, line in enumerate(text.split("\n"), 1):
        inside = quoted
        if (line.count('"""') + line.count("'''")) % 2:
            quoted = not quoted
        if inside:
            continue
        head = re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line)
        key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if head:
            table = list(_parts(head[2]))
            if head[1] == "[[":
                index = seen[head[2]] = seen.get(head[2], -1) + 1
                if tuple(table) == loc:
                    return n
                table.append(index)
            if tuple(table) == loc:
                return n
        elif key and [str(p) for p in (*table, *_parts(key[1]))] == [str(p) for p in loc]:
            return n
    return None


def _parts(dotted: str) -> list[str]:
    """The parts of a dotted key; a quoted part may hold dots."""
    return [p.strip("\"'") for p in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", dotted)]
