"""``session``: an evening's score sheet."""

from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    RulesOption,
    open_store,
    printable,
    table,
)

if TYPE_CHECKING:
    from pandoeren_replay.sessions import Sheet

_BASIS = {
    "proven": "",
    "void": "",
    "recorded-score": "as recorded",
    "as-recorded": "as recorded",
    "unknown": "not known",
}


def session(
    name: Annotated[
        str | None, typer.Argument(help="Name of the session (default: list the sessions).")
    ] = None,
    rules: RulesOption = None,
    db: DbOption = None,
) -> None:
    """Print an evening's score sheet: each hand, what it changed, the balances, the pot."""
    store = open_store(db)
    if name is None:
        rows = store.rows(
            "SELECT session, first_date, hands, players, rules, simulated FROM sessions "
            "ORDER BY first_date NULLS LAST, first_hand_id"
        )
        if not rows:
            raise CommandError("no stored hand names a session")
        table(
            "",
            ["session", "date", "hands", "players", "rules", ""],
            [
                [
                    r["session"], str(r["first_date"] or ""), str(r["hands"]),
                    ", ".join(p for p in r["players"] if p), ", ".join(r["rules"]),
                    "simulated" if r["simulated"] else "",
                ]
                for r in rows
            ],
        )  # fmt: skip
        return
    from pandoeren_replay.sessions import stored_sheet

    chosen = None
    if rules is not None:
        from engine.rulefile import load_ruleset

        chosen = load_ruleset(rules)
    _print(stored_sheet(store, name, chosen))


def _print(sheet: "Sheet") -> None:
    from engine.state import NOBODY
    from pandoeren_replay.statistics.evening import partner_of

    pot = sheet.pot or any(line.booked.pot for line in sheet.lines)
    columns = [
        "hand",
        "declarer",
        "contract",
        "result",
        *sheet.names,
        *(["pot"] if pot else []),
        "",
    ]
    rows = []
    for line in sheet.lines:
        o = line.replay.outcome
        passed = line.booked.basis == "void"
        side = [] if passed or o.declarer is None else [sheet.names[o.declarer]]
        partner = partner_of(line)
        if side and partner is not None and partner not in (NOBODY, o.declarer):
            side.append(sheet.names[partner])
        result = {True: "made", False: "lost", None: line.replay.record.result.outcome or "?"}[
            o.made
        ]
        marks = [_BASIS[line.booked.basis]]
        marks.append("after the end" if line.after_end else "")
        marks.append("last hand" if line.booked.over and not line.after_end else "")
        rows.append(
            [
                line.number,
                "" if passed else " + ".join(side) or "?",
                "passed" if passed else (o.bid.words()["en"] if o.bid else o.contract or "?"),
                "" if passed else result,
                *(
                    f"{b} ({c:+d})" if c else str(b)
                    for b, c in zip(line.booked.balance, line.booked.change, strict=True)
                ),
                *([str(line.booked.pot)] if pot else []),
                ", ".join(m for m in marks if m),
            ]
        )
    table(
        f"Session {sheet.session}, rules {sheet.rules.id}", columns, rows,
        right={*sheet.names, "pot"},
    )  # fmt: skip
    if sheet.pairs is not None:
        print(f"Pairs: N–S {sheet.pairs[0]}, E–W {sheet.pairs[1]}")
    for hand, written, booked in sheet.otherwise:
        print(
            f"hand {printable(hand)}: declarer's score is written down as {written:+d}; "
            f"by the rules, and here as in the statistics, it is {booked:+d}"
        )
    for note in sheet.notes:
        print(printable(note))
    if sheet.incomplete:
        print(
            "This session is incomplete: some hands do not say who scored what (result, partner or "
            "score is missing); they count as 0."
        )
    if not sheet.conserved:
        raise CommandError("players and pot do not add up to what they started with")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("session", epilog="Example: `pandoeren session 2026-11-28`")(session)
