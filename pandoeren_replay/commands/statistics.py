"""``stats``: what was bid and made, and every figure of the glossary."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    OutOption,
    WhereOption,
    output,
    print_json,
    table,
)
from pandoeren_replay.commands.scaling import LakeOption, SchedulerOption, open_shared

if TYPE_CHECKING:
    import polars as pl

    from pandoeren_replay.store import Store

FORMATS = ("table", "csv", "json", "parquet")


def stats(
    by: Annotated[
        str,
        typer.Option(
            "--by",
            help="contract, family, level, player, pair, seat, trump, month, session, source, "
            "rules …; several with commas (docs/statistics.md).",
        ),
    ] = "",
    of: Annotated[
        str,
        typer.Option(
            "--of",
            help="Statistics or topics of the glossary, with commas: made,entry or bidding; all.",
        ),
    ] = "",
    where: WhereOption = None,
    partners: Annotated[
        bool, typer.Option("--partners", help="Pairs: observed against expected.")
    ] = False,
    compare: Annotated[
        list[str] | None,
        typer.Option("--compare", help="Give two players: --compare Anna --compare Bas."),
    ] = None,
    hands: Annotated[
        bool, typer.Option("--hands", help="List the hands behind a figure (its `where`).")
    ] = False,
    glossary: Annotated[
        bool, typer.Option("--glossary", help="List the statistics and what they mean.")
    ] = False,
    sql: Annotated[
        bool, typer.Option("--sql", help="With --of: print the SQL instead of the figures.")
    ] = False,
    format: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    out: OutOption = None,
    excel_nl: Annotated[
        bool, typer.Option("--excel-nl", help="CSV for a Dutch Excel (; , BOM).")
    ] = False,
    lang: Annotated[
        str, typer.Option("--lang", help="en or nl: names of figures and contracts.")
    ] = "en",
    db: DbOption = None,
    lake: LakeOption = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="With --lake: processes.")] = 1,
    scheduler: SchedulerOption = None,
) -> None:
    """Statistics per contract, player, pair …: hands, made with its 95% interval, points, score."""
    from pandoeren_replay.statistics.groupings import grouping

    names = [n.strip() for n in by.split(",") if n.strip()]
    try:
        for name in names:
            grouping(name)
    except ValueError as e:
        raise CommandError(str(e), 2) from None
    if format not in FORMATS:
        raise CommandError(f"--format {format}: expected table, csv, json or parquet", 2)
    if lang not in ("en", "nl"):
        raise CommandError(f"--lang {lang}: expected en or nl", 2)
    if sum((bool(of), partners, bool(compare), hands, glossary)) > 1:
        raise CommandError("give one of --of, --partners, --compare, --hands, --glossary", 2)
    from pandoeren_replay.lake_run import SchedulerError

    with output(out) as f, redirect_stdout(f):
        if glossary:
            _glossary(lang)
            return
        store = open_shared(db, lake, jobs, scheduler)
        if sql:
            _sql(store, of, names, where)
            return
        try:
            _answer(store, names, of, where, partners, compare, hands, lang, (format, excel_nl))
        except SchedulerError as e:
            raise CommandError(str(e)) from None


def _answer(
    store: "Store",
    names: list[str],
    of: str,
    where: str | None,
    partners: bool,
    compare: list[str] | None,
    hands: bool,
    lang: str,
    how: "_Output",
) -> None:
    """Work out what was asked for, and show it."""
    if of:
        _of(store, of, names, where, lang, how)
        return
    if hands:
        _hands(store, where, lang, how)
        return
    if compare:
        _compare(store, compare, where, how)
        return
    if partners:
        from pandoeren_replay.statistics.partners import pairs

        _show(pairs(store, where), _print_pairs, where, how)
        return
    from pandoeren_replay.stats import statistics

    names = names or ["contract"]
    frame = statistics(store, names, where)
    named = contract_names(store, lang)
    kinds = [] if "rules" in names or how[0] != "table" else _rule_sets(store, where)
    _show(frame, lambda f: _print(f, names, named, kinds), where, how)


_Output = tuple[str, bool]
"""The format, and whether CSV is for a Dutch Excel; it goes to the standard output."""


def _show(frame: "pl.DataFrame", show: Any, where: str | None, how: _Output) -> None:
    format, excel_nl = how
    if frame.is_empty():
        raise CommandError("no hand with a contract fits" + (f" {where!r}" if where else ""))
    if format == "table":
        show(frame)
    elif format == "json":
        for row in frame.iter_rows(named=True):
            print_json(row)
    else:
        _write(frame, format, excel_nl)


def _write(frame: "pl.DataFrame", format: str, excel_nl: bool) -> None:
    from pandoeren_replay.export import write_csv

    sys.stdout.flush()
    if format == "csv":
        write_csv(frame, sys.stdout.buffer, excel_nl=excel_nl)
    else:
        frame.write_parquet(sys.stdout.buffer)


def _of(
    store: "Store", of: str, names: list[str], where: str | None, lang: str, how: _Output
) -> None:
    import polars as pl

    from pandoeren_replay.statistics.analysis import MISSING, unanswerable
    from pandoeren_replay.statistics.compute import figures
    from pandoeren_replay.statistics.glossary import chosen
    from pandoeren_replay.statistics.queries import can_split

    try:
        wanted = chosen(of)
        lacking, missing = unanswerable(store, wanted)
        if len(lacking) == len(wanted):
            raise CommandError("; ".join(MISSING[m][lang] for m in missing))
        if how[0] == "table":
            for m in missing:
                print(MISSING[m][lang])
        wanted = [s for s in wanted if s not in lacking]
        able = [s for s in wanted if can_split(s, names)]
        if able:  # of a topic, those that can be; if none can, the error below says so
            wanted = able
        if how[0] == "table":
            shown, sheets = 0, False
            named = contract_names(store, lang)
            for s in wanted:
                found = figures(store, [s], names, where)
                shown += len(found)
                sheets = sheets or any(f.no_cards for f in found)
                if found:
                    _print_figures(found, lang, named)
            if not shown:
                raise CommandError("no hand fits" + (f" {where!r}" if where else ""))
            _say_few(sheets)
            return
        rows = [f.as_dict() for f in figures(store, wanted, names, where)]
    except ValueError as e:
        raise CommandError(str(e), 2) from None
    _show(pl.DataFrame(rows, infer_schema_length=None), None, where, how)


def _sql(store: "Store", of: str, names: list[str], where: str | None) -> None:
    from pandoeren_replay.statistics.docs import sql_of
    from pandoeren_replay.statistics.glossary import chosen

    if not of:
        raise CommandError("--sql goes with --of: say which statistic", 2)
    try:
        queries = [sql_of(store, s, names, where) for s in chosen(of)]
    except ValueError as e:
        raise CommandError(str(e), 2) from None
    print(";\n\n".join(queries) + ";")


def amount(value: float | None, unit: str) -> str:
    """A figure as text: rates in percent, means with two decimals.

    >>> amount(0.686, "rate"), amount(1.756, "mean"), amount(None, "mean")
    ('68.6%', '1.76', '')
    """
    if value is None:
        return ""
    return f"{value:.1%}" if unit != "mean" else f"{value:.2f}"


Named = Callable[[str, Any], str]
"""Gives what a table shows in a column of that name for a value of it."""


def contract_names(store: "Store", lang: str) -> Named:
    """How a table shows values: contracts as players say them, ``-`` for what is not known.

    Where the rule sets of a store have different names for one bid, all of them.
    """
    sets = [
        store.rule_set(r["rules"], r["rules_hash"])
        for r in store.rows("SELECT DISTINCT rules, rules_hash FROM rule_set ORDER BY ALL")
    ]

    @lru_cache
    def contract(code: str) -> str:
        bids = [bid for rules in sets if (bid := rules.bid(code)) is not None]
        return " / ".join(dict.fromkeys(bid.words()[lang] for bid in bids)) or code

    def named(column: str, value: Any) -> str:
        if value is None:
            return "-"
        if column == "margin":
            return f"{value:+d} to {value + 9:+d}"
        return contract(str(value)) if column == "contract" else str(value)

    return named


def _print_figures(found: list[Any], lang: str, named: Named) -> None:
    from pandoeren_replay.statistics.compute import shown

    s = found[0].statistic
    ranked = any(f.rank for f in found)
    sheets = any(f.no_cards for f in found)
    columns = [*found[0].group, "n", *(["no cards"] if sheets else []), s.unit]
    columns += ["95% interval", "others"]
    columns += (["shrunk", "rank"] if ranked else []) + ["more hands", ""]
    rows = []
    for f in found:
        rows.append(
            [
                *(named(column, v) for column, v in shown(f.group).items()),
                str(f.n) if f.hits is None else f"{f.hits} of {f.n}",
                *([str(f.no_cards or "")] if sheets else []),
                amount(f.value, s.unit),
                f"{amount(f.low, s.unit)} – {amount(f.high, s.unit)}" if f.low is not None else "",
                amount(f.others, s.unit),
                *([amount(f.shrunk, s.unit), str(f.rank or "")] if ranked else []),
                "" if f.more is None else str(f.more),
                "small" if f.small else "",
            ]
        )
    table(
        f"{s.nl if lang == 'nl' else s.en} ({s.id}), {s.measure}: {s.formula}",
        columns, rows, right=set(columns[len(found[0].group):-1]),
    )  # fmt: skip


def _say_few(sheets: bool) -> None:
    from pandoeren_replay.statistics.intervals import FEW

    if sheets:
        print(
            "no cards: of n, from score sheets; what they say of result and score was not checked."
        )
    print(
        f"small: fewer than {FEW}, never ranked. more hands: how many more until the difference "
        "from the others means something (0: it does; empty: no number will do)."
    )


def _glossary(lang: str) -> None:
    from pandoeren_replay.statistics.glossary import POPULATIONS, STATISTICS

    table(
        "", ["id", "topic", "name", "unit", "counted over", "formula"],
        [
            [
                s.id, s.topic, s.nl if lang == "nl" else s.en, f"{s.unit}, {s.measure}",
                getattr(POPULATIONS[s.population], lang), s.formula,
            ]
            for s in STATISTICS
        ],
    )  # fmt: skip


def _hands(store: "Store", where: str | None, lang: str, how: _Output) -> None:
    from pandoeren_replay.filters import condition

    sql, params = condition(where, store)
    frame = store.sql(
        "SELECT hand_id, id, date, session, hand, declarer_name, contract, success, source, line "
        f"FROM hands h WHERE {sql} ORDER BY hand_id",
        params,
    )
    if frame.is_empty():
        raise CommandError("no hand fits" + (f" {where!r}" if where else ""))

    def show(found: "pl.DataFrame") -> None:
        named = contract_names(store, lang)
        rows = [
            ["" if v is None else named(column, v) for column, v in r.items()]
            for r in found.iter_rows(named=True)
        ]
        table(f"{len(rows)} hands", found.columns, rows, right={"hand_id", "line"})

    _show(frame, show, where, how)


def _compare(store: "Store", names: list[str], where: str | None, how: _Output) -> None:
    import polars as pl

    from pandoeren_replay.statistics.compare import compare

    if len(names) != 2:
        raise CommandError(f"--compare takes two players, found {len(names)}", 2)
    try:
        c = compare(store, names[0], names[1], where)
    except ValueError as e:
        raise CommandError(str(e)) from None

    def show(_: "pl.DataFrame") -> None:
        basis = f"the same {c.n[0]} hands" if c.paired else f"{c.n[0]} and {c.n[1]} hands"
        interval = "" if c.low is None else f" (95%: {c.low:+.2f} to {c.high:+.2f})"
        table(
            "", ["player", "hands", "score per hand"],
            [[c.a, str(c.n[0]), f"{c.means[0]:+.2f}"], [c.b, str(c.n[1]), f"{c.means[1]:+.2f}"]],
            right={"hands", "score per hand"},
        )  # fmt: skip
        print(f"Difference over {basis}: {c.difference:+.2f}{interval}.")
        if c.small:
            _say_small()
        elif c.more == 0:
            print("The difference means something.")
        elif c.more is not None:
            print(f"If it stays so, {c.more} more hands will show that it means something.")
        else:
            print("No number of hands will show a difference, as it stands.")

    _show(pl.DataFrame([c.as_dict()]), show, where, how)


def _say_small() -> None:
    from pandoeren_replay.statistics.intervals import FEW

    print(f"Fewer than {FEW}: too few to conclude from, whatever the interval.")


def _print_pairs(frame: "pl.DataFrame") -> None:
    def signed(value: float | None) -> str:
        return "" if value is None else f"{value:+.1%}"

    table(
        "", ["declarer", "partner", "made", "rate", "95% interval", "expected", "difference",
             "95% interval", "shrunk", "rank", ""],
        [
            [
                r["declarer"], r["partner"], f"{r['made']} of {r['n']}", f"{r['rate']:.0%}",
                f"{r['low']:.0%} – {r['high']:.0%}",
                "" if r["expected"] is None else f"{r['expected']:.0%}",
                signed(r["difference"]),
                "" if r["expected"] is None
                else f"{signed(r['difference_low'])} – {signed(r['difference_high'])}",
                signed(r["shrunk"]), str(r["rank"] or ""), "small" if r["small"] else "",
            ]
            for r in frame.iter_rows(named=True)
        ],
        right={"made", "rate", "expected", "difference", "shrunk", "rank"},
    )  # fmt: skip
    _say_sheets(frame)


def _rule_sets(store: "Store", where: str | None) -> list[str]:
    """Rule sets of the hands with a contract that a filter lets through."""
    from pandoeren_replay.filters import condition

    sql, params = condition(where, store)
    rows = store.rows(
        "SELECT DISTINCT h.rules FROM hands h WHERE NOT h.passed_out AND h.contract IS NOT NULL "
        f"AND ({sql}) ORDER BY 1",
        params,
    )
    return [r["rules"] for r in rows]


def _say_kinds(kinds: list[str], names: list[str]) -> None:
    """That scores of several rule sets are in one mean."""
    if len(kinds) > 1:
        print(
            f"The mean scores mix points, chips or cents of {', '.join(kinds)}: "
            f"--by rules,{','.join(names)} keeps them apart."
        )


def _print(frame: "pl.DataFrame", names: list[str], named: Named, kinds: list[str]) -> None:
    from pandoeren_replay.statistics.overview import column_of

    columns = [*names, "n", "made", "rate", "95% interval", "points − bid", "mean score"]
    rows = []

    def known(r: dict[str, Any]) -> str:
        return "" if r["score_n"] == r["n"] else f" (of {r['score_n']})"

    for r in frame.iter_rows(named=True):
        interval = "" if r["low"] is None else f"{r['low']:.0%} – {r['high']:.0%}"
        rows.append(
            [
                *(named(n, r[column_of(n)]) for n in names),
                str(r["n"]),
                str(r["made"]) + ("" if r["decided"] == r["n"] else f" of {r['decided']}"),
                "" if r["rate"] is None else f"{r['rate']:.0%}",
                interval,
                "" if r["margin"] is None else f"{r['margin']:+.1f}",
                "" if r["score"] is None else f"{r['score']:+.2f}" + known(r),
            ]
        )
    table("", columns, rows, right=set(columns) - set(names))
    from pandoeren_replay.statistics.intervals import FEW

    if any(n < FEW for n in frame["n"]):
        print(f"Figures from fewer than {FEW} hands say little: look at the interval.")
    if any(r["score"] is not None and known(r) for r in frame.iter_rows(named=True)):
        print("(of …): so many of the hands have a score.")
    _say_kinds(kinds, names)
    _say_sheets(frame)
    simulated = int(frame["simulated"].sum())
    if simulated:
        print(
            f"{simulated} of these {int(frame['n'].sum())} hands were played by simulated players."
        )


def _say_sheets(frame: "pl.DataFrame") -> None:
    """How many hands of a table come from score sheets."""
    sheets = int(frame["no_cards"].sum())
    if sheets:
        print(
            f"{sheets} of these {int(frame['n'].sum())} hands are from score sheets, without "
            "cards: result and score as recorded, or the score of the rules where none is "
            "(--where cards=yes leaves them out)."
        )


def register(app: typer.Typer) -> None:
    """Add the commands of this module, and the report."""
    from pandoeren_replay.commands import report

    report.register(app)
    app.command("stats", epilog="Example: `pandoeren stats --by player --where 'date>=2026-01'`")(
        stats
    )
