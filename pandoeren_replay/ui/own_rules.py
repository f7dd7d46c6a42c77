"""Rule sets of one's own: files kept beside the store, offered wherever rules are chosen."""

from pathlib import Path

from engine.rulefile import (
    BUILTIN_IDS,
    MAX_BYTES,
    RuleSetError,
    load_ruleset,
    parse_ruleset,
)
from engine.ruleset import RuleSet
from pandoeren_replay.store import Store
from pandoeren_replay.store.generations import Unchanged

FOLDER = "rules"
MOST = 50


def folder(store: Store) -> Path:
    """Where the rule-set files of a store are."""
    return store.path / FOLDER


def own_files(store: Store) -> dict[str, Path]:
    """Rule-set files by id, only those that can be used."""
    found = {}
    for path in sorted(folder(store).glob("*.toml"))[:MOST]:
        try:
            found[load_ruleset(path).id] = path
        except RuleSetError:
            continue  # damaged by hand: it is offered again once it can be read
    return found


def rule_choices(store: Store) -> dict[str, tuple[RuleSet, str]]:
    """Every rule set that can be chosen, by id: the rule set, and what ``--rules`` would say."""
    out = {i: (load_ruleset(i), i) for i in BUILTIN_IDS}
    for rules_id, path in own_files(store).items():
        out.setdefault(rules_id, (load_ruleset(path), str(path)))
    return out


def read(name: str, data: bytes) -> RuleSet:
    """A rule set out of an uploaded file; :class:`RuleSetError` says what is wrong with it."""
    if len(data) > MAX_BYTES:
        raise RuleSetError(f"{name}: too large for a rule-set file (over {MAX_BYTES} bytes)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = data[: e.start].count(b"\n") + 1
        raise RuleSetError(f"{name}:{line}: not a UTF-8 text; save the file as UTF-8") from None
    rules = parse_ruleset(text, name)
    if rules.id in BUILTIN_IDS:
        raise RuleSetError(
            f"{name}: 'id' is {rules.id!r}, which is built in; give your rules an id of their own"
        )
    return rules


def keep(store: Store, name: str, data: bytes) -> RuleSet:
    """Keep an uploaded rule set; one of the same id is replaced."""
    rules = read(name, data)
    place = folder(store)
    if not store.exists():
        # A store is a folder of its own: it is made before anything else is put there.
        with store.writing():
            raise Unchanged
    if rules.id not in own_files(store) and len(own_files(store)) >= MOST:
        raise RuleSetError(f"there are {MOST} rule sets already; take one away first")
    place.mkdir(exist_ok=True)
    build = place / f"{rules.id}.tmp"
    build.write_bytes(data)
    build.replace(place / f"{rules.id}.toml")
    return rules


def drop(store: Store, rules_id: str) -> None:
    """Take a rule set away; hands that were read by it keep it (see docs/store.md)."""
    path = own_files(store).get(rules_id)
    if path is not None:
        path.unlink(missing_ok=True)
