"""``simulate``: complete hands by the built-in players."""

from typing import Annotated

import typer

from pandoeren_replay.commands.common import CommandError, OutOption, output, progress, say


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
    out: OutOption = None,
) -> None:
    """Write hands that simulated players bid and played, as .phl; marked as simulated."""
    from engine.rulefile import load_ruleset
    from pandoeren_replay.export import named
    from pandoeren_replay.simulate import simulate as hands
    from parsers.phl import write_phl

    if players not in ("rules", "solver"):
        raise CommandError(f"--players {players}: expected rules or solver", 2)
    chosen = load_ruleset(rules)
    if players == "solver":
        from pandoeren_replay.matches import make_player, simulate_by

        made = simulate_by(make_player("solver", chosen, seed), chosen, n, seed)
    else:
        made = hands(n, seed, chosen)
    with output(out) as f, progress() as update:
        for i, record in enumerate(made, 1):
            f.write(write_phl(named(record, chosen.id, chosen.content_hash)) + "\n")
            if i % 100 == 0:
                update("simulate", i, n)
    if out is not None:
        say(f"{n} simulated hands written to {out}")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("simulate", epilog="Example: `pandoeren simulate -n 1000 --seed 7 -o sim.phl`")(
        simulate
    )
