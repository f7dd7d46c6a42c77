"""``report``: an evening on paper."""

from pathlib import Path
from typing import Annotated

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    OutOption,
    RulesOption,
    open_store,
    output,
)


def report(
    session: Annotated[str, typer.Argument(help="Name of the session.")],
    to: Annotated[
        str, typer.Option("--to", help="html or markdown (default: by the file's ending; html).")
    ] = "",
    lang: Annotated[str, typer.Option("--lang", help="nl or en.")] = "nl",
    rules: RulesOption = None,
    out: OutOption = None,
    db: DbOption = None,
) -> None:
    """Write an evening's report: standings, deciding hands, biggest roem, broken rules, balances.

    The HTML page needs nothing else, and prints on A4.
    """
    if lang not in ("nl", "en"):
        raise CommandError(f"--lang {lang}: expected nl or en", 2)
    kind = to or _kind_of(out)
    if kind not in ("html", "markdown"):
        raise CommandError(f"--to {to}: expected html or markdown", 2)
    from pandoeren_replay.report import evening_report

    chosen = None
    if rules is not None:
        from engine.rulefile import load_ruleset

        chosen = load_ruleset(rules)
    made = evening_report(open_store(db), session, "en" if lang == "en" else "nl", chosen)
    text = made.html() if kind == "html" else made.markdown()
    with output(out) as f:
        f.write(text)


def _kind_of(out: Path | None) -> str:
    return "markdown" if out is not None and out.suffix.lower() in (".md", ".markdown") else "html"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("report", epilog="Example: `pandoeren report 2026-11-26-A -o avond.html`")(report)
