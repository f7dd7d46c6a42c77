"""``solve`` and ``analyze``: what a deal was worth, and what every card cost, with open cards."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    RulesOption,
    WhereOption,
    print_json,
    printable,
    progress,
    say,
    table,
)
from pandoeren_replay.commands.scaling import (
    LakeOption,
    SchedulerOption,
    analyze_in,
    needs_lake,
    open_hands,
    open_lake,
)

if TYPE_CHECKING:
    from engine.state import Replay
    from pandoeren_replay.deal_table import Line

FIRST_USE = "preparing the solver (the first time takes some 20 seconds) …"


def prepare() -> None:
    """Compile or load the solver; say so where that takes a while."""
    import threading

    from engine.solver import solve_position

    timer = threading.Timer(1.5, lambda: say(FIRST_USE))
    timer.start()
    try:
        hands = {"N": ["SA"], "E": ["SK"], "S": ["SQ"], "W": ["SJ"]}
        solve_position("heerlen", None, hands, "N", [], "NS", "points")
    finally:
        timer.cancel()


def solve(
    deal: Annotated[
        str,
        typer.Argument(help="A deal of 33 letters N E S W M, a stored hand, or FILE:LINE."),
    ],
    rules: RulesOption = None,
    dealer: Annotated[str, typer.Option("--dealer", help="N, E, S or W (for a deal).")] = "N",
    quick: Annotated[
        bool, typer.Option("--quick", help="Only the discard really made, or the cheapest.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One object a line.")] = False,
    db: DbOption = None,
) -> None:
    """What each seat can make of every contract, with open cards (meld left out)."""
    from engine.solver import NotSolvable
    from pandoeren_replay.deal_table import deal_lines, deal_of

    replay = _replay(deal, rules, dealer, db)
    prepare()
    try:
        target = deal_of(replay)
    except NotSolvable as e:
        raise CommandError(f"{deal}: {e}") from None
    lines: dict[tuple[int, str], Line] = {}
    count = 4 * len(target.rules.auction.order) * (1 if quick else 2)
    with progress() as update:
        for i, line in enumerate(deal_lines(target, not quick), 1):
            lines[line.seat, line.contract] = line
            update("solve", i, count)
    if as_json:
        for line in lines.values():
            print_json(line.as_json())
        return
    _show(lines)


def _show(lines: "dict[tuple[int, str], Line]") -> None:
    rows = []
    for (seat, _), line in lines.items():
        if line.bid is None:
            continue
        data = line.as_json()
        discard = data["discard"] or "-"
        points = str(line.value) if line.bid.target else ""
        rows.append(
            ["NESW"[seat], line.bid.words()["en"], points, data["trump"], data["called"], discard]
        )
    rows.sort(key=lambda r: "NESW".index(r[0]))
    heads = ["seat", "makes", "points", "trumps", "calls", "discards"]
    table("With open cards", heads, rows, right={"points"})
    if not rows:
        print("No seat makes any contract.")


def _replay(deal: str, rules: str | None, dealer: str, db: Path | None) -> "Replay":
    from engine.record import HandRecord
    from engine.replay import replay
    from engine.rulefile import DEFAULT_ID, load_ruleset
    from pandoeren_replay.commands.showing import find_hand

    if len(deal) == 33 and set(deal.upper()) <= set("NESWM"):
        seat = "NESW".find(dealer.upper()) if len(dealer) == 1 else -1
        if seat < 0:
            raise CommandError(f"--dealer {dealer}: expected N, E, S or W", 2)
        record = HandRecord(dealer=seat, deal=deal.upper())
        found = replay(record, load_ruleset(rules or DEFAULT_ID))
        faults = [v.message() for v in found.violations if v.code == "deal-invalid"]
        if faults:
            raise CommandError(faults[0])
        return found
    return find_hand(deal, rules, db)[0]


def analyze(
    hands: Annotated[list[str] | None, typer.Argument(help="Stored hands by number or id.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every hand not valued yet.")] = False,
    where: WhereOption = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes.")] = 1,
    declaration: Annotated[
        bool,
        typer.Option(
            "--declaration", help="Discard, trump and called card too (ten times slower)."
        ),
    ] = False,
    nl: Annotated[bool, typer.Option("--nl", help="In Dutch.")] = False,
    db: DbOption = None,
    lake: LakeOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Value every card with open cards; what is found is kept in the store (`evaluations`).

    With `--declaration` discard, trump suit and called card too (`declaration_evaluations`).
    """
    if not hands and not all_ and where is None:
        raise CommandError("name hands, or give --all or --where", 2)
    from pandoeren_replay.analyze import analyze as run

    needs_lake(lake, scheduler)
    if hands and lake is not None:
        raise CommandError("of a lake, say which hands with --where", 2)
    store = open_hands(db, lake)
    if scheduler is None:
        prepare()
    if hands:
        for number in [store.find(name) for name in hands]:
            _one(store.replay(number), nl)
            run(store, f"number={number}", declaration=True)
        return
    with progress() as update:
        if lake is None:
            totals = run(store, where, jobs, update, declaration=declaration)
        else:
            totals = analyze_in(open_lake(lake, db), where, jobs, scheduler, update, declaration)
    print(f"valued {totals.done} hands ({totals.cards} cards), {totals.known} known already")
    for reason, n in sorted(totals.left_out.items()):
        print(printable(f"left out {n}: {reason}"))


def _one(replay: "Replay", nl: bool) -> None:
    from engine.solver import NotSolvable
    from pandoeren_replay.annotate import annotate

    try:
        done = annotate(replay, declaration=True)
    except NotSolvable as e:
        raise CommandError(str(e)) from None
    lang = "nl" if nl else "en"
    for judged in done.declaration:
        print(printable(judged.text(lang)))
    for note in done.cards:
        if note.loss:
            print(printable(f"{note.trick}. {note.text(lang)}"))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("solve", epilog="Example: `pandoeren solve evening.phl:2`")(solve)
    app.command("analyze", epilog="Example: `pandoeren analyze --all --jobs 2`")(analyze)
