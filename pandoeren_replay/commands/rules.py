"""``rules``: list, show, check, compare and start rule sets."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pandoeren_replay.commands.common import CommandError, DbOption, open_store, printable, table

if TYPE_CHECKING:
    from engine.ruleset import RuleSet
    from engine.violations import Language

app = typer.Typer(help="Rule sets: list, show, check, diff, new.", no_args_is_help=True)

RuleSetArgument = Annotated[str, typer.Argument(help="Id of a rule set, or a .toml file.")]


@app.command("list", epilog="Example: `pandoeren rules list`")
def list_(db: DbOption = None) -> None:
    """List the built-in rule sets, and those that stored hands were read by."""
    from engine.rulefile import BUILTIN_IDS, load_ruleset

    rows = []
    for rules_id in BUILTIN_IDS:
        r = load_ruleset(rules_id)
        rows.append([r.id, r.content_hash, r.name.en, r.source.en])
    store = open_store(db)
    if store.exists():
        known = {(r[0], r[1]) for r in rows}
        for stored in store.rows("SELECT rules, rules_hash FROM rule_sets ORDER BY 1, 2"):
            key = (stored["rules"], stored["rules_hash"])
            if key not in known:
                r = store.rule_set(*key)
                rows.append([r.id, r.content_hash, r.name.en, f"of hands in {store.path}"])
    table("", ["id", "content", "name", "source"], rows)


@app.command("show", epilog="Example: `pandoeren rules show heerlen`")
def show(
    rules: RuleSetArgument,
    nl: Annotated[bool, typer.Option("--nl", help="In Dutch.")] = False,
) -> None:
    """Show a rule set: bids, cards, duties, meld, score, and the choices that no source settles."""
    from engine.rulefile import load_ruleset
    from pandoeren_replay.rules_text import bid_table, flat

    r = load_ruleset(rules)
    lang: Language = "nl" if nl else "en"
    print(printable(f"{r.id} ({r.content_hash}): {getattr(r.name, lang)}"))
    print(printable(getattr(r.source, lang)))
    heads = ["#", "bid", "name", "partner", "trumps", "goal", "score", "exposure"]
    table("", heads, bid_table(r, lang), right={"#", "score"})
    total = r.total_points
    print(f"Points in the pack: {total[True]} with trumps, {total[False]} without.")
    values = {
        k: v for k, v in flat(r).items()
        if not k.startswith(("contracts.", "name.", "source.", "id", "auction.order"))
    }  # fmt: skip
    table("", ["key", "value"], [[k, _text(v)] for k, v in values.items()])
    if r.decisions:
        print(
            "Choices that no source settles; each can be changed by its key in a file of your own:"
        )
        for d in r.decisions:
            print(printable(f"  {d.key}: {d.nl if nl else d.en}"))


@app.command("check", epilog="Example: `pandoeren rules check my-club.toml`")
def check(file: Annotated[Path, typer.Argument(help="A rule-set file (.toml).")]) -> None:
    """Check a rule-set file; says key, line and what is allowed where something is wrong."""
    from engine.rulefile import load_ruleset

    r = load_ruleset(str(file))
    contracts = len(r.auction.order)
    print(
        printable(f"{file}: in order (id {r.id}, content {r.content_hash}, {contracts} contracts)")
    )


@app.command("diff", epilog="Example: `pandoeren rules diff heerlen butselaar`")
def diff(one: RuleSetArgument, other: RuleSetArgument) -> None:
    """Show where two rule sets differ. Exit status 0 either way."""
    from engine.rulefile import load_ruleset
    from pandoeren_replay.rules_text import difference

    a, b = load_ruleset(one), load_ruleset(other)
    rows = [[k, _text(x), _text(y)] for k, x, y in difference(a, b)]
    if a.content_hash == b.content_hash:
        print(f"{a.id} and {b.id} judge every hand alike.")
    if rows:
        table("", ["key", a.id, b.id if b.id != a.id else f"{b.id} (2)"], rows)


@app.command("new", epilog="Example: `pandoeren rules new my-club --base heerlen`")
def new(
    name: Annotated[str, typer.Argument(help="Id of the new rule set (a-z, 0-9, -).")],
    base: Annotated[
        str, typer.Option("--base", help="Built-in rule set to start from.")
    ] = "heerlen",
    out: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write (default: NAME.toml).")
    ] = None,
) -> None:
    """Write a rule-set file to fill in: it names its base and shows what can be changed."""
    from engine.rulefile import BUILTIN_IDS, load_ruleset, parse_ruleset

    if base not in BUILTIN_IDS:
        raise CommandError(f"--base {base}: expected one of {', '.join(BUILTIN_IDS)}", 2)
    text = _template(name, load_ruleset(base))
    file = out or Path(f"{name}.toml")
    parse_ruleset(text, file.name)
    try:
        with file.open("x", encoding="utf-8", newline="\n") as f:
            f.write(text)
    except FileExistsError:
        raise CommandError(f"{file} is there already; nothing was written") from None
    except OSError as e:
        raise CommandError(f"{file} cannot be written ({e.strerror})") from None
    print(printable(f"{file} written; change what differs, then: pandoeren rules check {file}"))


def _template(name: str, base: "RuleSet") -> str:
    import json

    from pandoeren_replay.rules_text import flat

    lines = [
        f"# House rules, on top of {base.id}: what is not said here is as there.",
        f"id = {json.dumps(name)}",
        f'base = "{base.id}"',
        "",
        "[name]",
        f"en = {json.dumps(name)}",
        f"nl = {json.dumps(name)}",
    ]
    sections: dict[str, list[str]] = {}
    for key, value in flat(base).items():
        table_name, _, last = key.rpartition(".")
        if not table_name or table_name in ("name", "source") or key == "auction.order":
            continue
        if table_name.endswith(".name") or value is None:
            continue
        sections.setdefault(table_name, []).append(f"# {last} = {_toml(value)}")
    for table_name, values in sections.items():
        lines += ["", f"# [{table_name}]", *values]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    import json

    if isinstance(value, dict):
        return "{}"
    return json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "–"
    return "–" if value == {} else str(value)


def register(parent: typer.Typer) -> None:
    """Add the commands of this module."""
    parent.add_typer(app, name="rules")
