"""``check``: replay files without storing them, and say what is wrong."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pandoeren_replay.commands.common import (
    FormatOption,
    MapOption,
    RulesOption,
    print_json,
    printable,
    progress,
    read_options,
    say,
)

if TYPE_CHECKING:
    from engine.violations import Violation
    from parsers.base import Located, Reject

EXAMPLE = "Example: `pandoeren check evening.phl --json`"


def check(
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders, zip or gz; - is standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each hand.")] = False,
    infos: Annotated[
        bool, typer.Option("--infos", help="Also what a record merely lacks (text output).")
    ] = False,
    nl: Annotated[bool, typer.Option("--nl", help="Sentences in Dutch (text output).")] = False,
    format: FormatOption = "auto",
    rules: RulesOption = None,
    mapping: MapOption = None,
) -> None:
    """Replay files without storing them; exit status 1 on any error or reject."""
    from pandoeren_replay.commands.importing import sources
    from pandoeren_replay.importer import RulesFinder, read_all, replay_located
    from parsers.base import Located

    options = read_options(rules, mapping)
    finder = RulesFinder(options)
    counts = {"hands": 0, "error": 0, "warning": 0, "info": 0, "rejects": 0, "empty": 0}
    with progress() as update:
        for result in read_all(sources(paths), options, format):
            counts["empty"] += result.empty
            for w in result.warnings:
                say(f"{w.source}:{w.line}: warning: {w.message}")
            items: list[tuple[str, int, Located | Reject]] = [
                (h.source, h.line, h) for h in result.hands
            ]
            items += [(r.source, r.line, r) for r in result.rejects]
            order = {name: n for n, name in enumerate(dict.fromkeys(i[0] for i in items))}
            items.sort(key=lambda i: (order[i[0]], i[1]))
            for n, (_, _, item) in enumerate(items):
                if isinstance(item, Located):
                    replayed = replay_located(item, finder)
                    if replayed.replay is not None:
                        counts["hands"] += 1
                        for v in replayed.replay.violations:
                            counts[v.severity] += 1
                        if as_json:
                            print_json(
                                {"source": item.source, "line": item.line}
                                | replayed.replay.as_json()
                            )
                        else:
                            _print_hand(item, replayed.replay.violations, infos, nl)
                        update("check", n + 1, len(items))
                        continue
                    assert replayed.reject is not None
                    item = replayed.reject
                counts["rejects"] += 1
                _print_reject(item, as_json)
    if not as_json:
        print(
            f"{counts['hands']} hands, {counts['error']} errors, {counts['warning']} warnings, "
            f"{counts['rejects']} rejects"
            + (f", {counts['empty']} empty" if counts["empty"] else "")
        )
    sys.stdout.flush()
    if counts["hands"] + counts["rejects"] == 0:
        say("error: there is no hand in what was given")
        raise typer.Exit(1)
    if counts["error"] or counts["rejects"]:
        raise typer.Exit(1)


def _print_hand(
    hand: "Located", violations: "tuple[Violation, ...]", infos: bool, nl: bool
) -> None:
    for text in hand.warnings:
        print(printable(f"{hand.source}:{hand.line}:1: warning: {text}"))
    for v in violations:
        if v.severity == "info" and not infos:
            continue
        place = f"{hand.source}:{hand.line}:{column_of(hand.raw, v)}"
        print(
            printable(
                f"{place}: {v.severity} {v.code}{where(v)}: {v.message('nl' if nl else 'en')}"
            )
        )


def where(violation: "Violation") -> str:
    """Trick or call and seat of a violation, in parentheses; empty where it has neither.

    >>> from engine.violations import Violation
    >>> where(Violation("revoke", ply=9, seat=1)), where(Violation("bid-too-low", call=3, seat=0))
    (' (trick 3, East)', ' (call 4, North)')
    """
    from engine.violations import SEAT_NAMES

    parts = []
    if violation.call is not None:
        parts.append(f"call {violation.call + 1}")
    elif violation.ply is not None:
        parts.append(f"trick {violation.trick}")
    if violation.seat is not None:
        parts.append(SEAT_NAMES["en"][violation.seat])
    return f" ({', '.join(parts)})" if parts else ""


def column_of(raw: str, violation: "Violation") -> int:
    """Column (from 1) of the call or card in a hand of one line; 1 where that cannot be said.

    >>> from engine.violations import Violation
    >>> column_of("heerlen N . -,120,-,- S:CA:- SAS7/ . . .", Violation("x", call=1))
    15
    >>> column_of("heerlen N . -,120,-,- S:CA:- SAS7/ . . .", Violation("x", ply=1))
    32
    """
    import re

    fields = raw.lstrip("\ufeff").rstrip("\r\n").split(" ")
    if "\n" in raw.strip("\n") or len(fields) != 9:
        return 1
    starts = [sum(len(f) + 1 for f in fields[:i]) + 1 for i in range(9)]
    if violation.call is not None:
        calls = fields[3].split(",")
        return starts[3] + sum(len(c) + 1 for c in calls[: violation.call])
    if violation.ply is not None:
        cards = list(re.finditer(r"(\([^)]*\))?(10|[^/(]){2}", fields[5]))
        if violation.ply < len(cards):
            return starts[5] + cards[violation.ply].start()
        return starts[5]
    return 1


def _print_reject(reject: Any, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "source": reject.source,
                "line": reject.line,
                "column": reject.column,
                "reject": reject.message,
                "raw": reject.raw,
            }
        )
    else:
        place = f"{reject.source}:{reject.line}:{reject.column}"
        print(printable(f"{place}: reject {reject.code}: {reject.message}"))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("check", epilog=EXAMPLE)(check)
