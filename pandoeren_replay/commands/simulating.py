"""``simulate``: complete hands by the built-in players."""

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import CommandError, OutOption, output, progress, say

if TYPE_CHECKING:
    from engine.ruleset import RuleSet


def simulate(
    n: Annotated[
        int, typer.Option("-n", "--hands", min=1, max=100_000_000, help="How many hands.")
    ],
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed, the same hands.")] = 1,
    rules: Annotated[
        str, typer.Option("--rules", help="Rule set: an id, or a .toml file.")
    ] = "heerlen",
    players: Annotated[
        str,
        typer.Option(
            "--players",
            help="rules: simple and quick; solver: draw the hidden cards and solve each deal.",
        ),
    ] = "rules",
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Processes; the hands are the same.")
    ] = 1,
    out: OutOption = None,
) -> None:
    """Write hands that simulated players bid and played, as .phl; marked as simulated."""
    from engine.rulefile import load_ruleset

    if players not in ("rules", "solver"):
        raise CommandError(f"--players {players}: expected rules or solver", 2)
    if players == "solver" and jobs > 1:
        raise CommandError("--jobs: only --players rules can be made by several processes", 2)
    chosen = load_ruleset(rules)
    lines = _solved(n, seed, chosen) if players == "solver" else _quick(n, seed, chosen, jobs)
    with closing(lines), output(out) as f, progress() as update:
        for done, text in lines:
            f.write(text)
            update("simulate", done, n)
    if out is not None:
        say(f"{n} simulated hands written to {out}")


def _quick(
    n: int, seed: int, rules: "RuleSet", jobs: int
) -> Generator[tuple[int, str], None, None]:
    from pandoeren_replay.simulate import simulate_lines

    with closing(simulate_lines(n, seed, rules, jobs)) as blocks:
        for done, lines in blocks:
            yield done, lines.decode("ascii")


def _solved(n: int, seed: int, rules: "RuleSet") -> Generator[tuple[int, str], None, None]:
    from pandoeren_replay.export import named
    from pandoeren_replay.matches import make_player, simulate_by
    from parsers.phl import write_phl

    made = simulate_by(make_player("solver", rules, seed), rules, n, seed)
    for done, record in enumerate(made, 1):
        yield done, write_phl(named(record, rules.id, rules.content_hash)) + "\n"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("simulate", epilog="Example: `pandoeren simulate -n 1000 --seed 7 -o sim.phl`")(
        simulate
    )
