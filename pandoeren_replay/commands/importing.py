"""``import``: files into the store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pandoeren_replay.commands.common import (
    STDIN,
    CommandError,
    DbOption,
    FormatOption,
    MapOption,
    RulesOption,
    progress,
    read_options,
    say,
)
from pandoeren_replay.commands.scaling import (
    LakeOption,
    SchedulerOption,
    import_into,
    needs_lake,
    open_hands,
    open_lake,
)
from pandoeren_replay.importwords import by_kind, kind_of

if TYPE_CHECKING:
    from pandoeren_replay.importer import ImportTotals
    from parsers.base import Reject, Source

SHOWN = 10  # groups of rejects, warnings and disagreements that are printed
PLACES = 3  # further places named for each

HINTS = {
    "unrecognised": {
        "en": "say what it is with --format, or name its columns and moves in a --map file "
        "(docs/parsers.md)",
        "nl": "zeg wat het is met --format, of noem de kolommen en zetten in een --map-bestand "
        "(docs/parsers.md)",
    },
    "no-file": {"en": "check the path", "nl": "kijk of de naam klopt"},
    "limit": {"en": "import it in parts", "nl": "haal het in delen binnen"},
    "not-text": {
        "en": "save it as text, .csv, .xlsx, .zip or .gz",
        "nl": "sla het op als tekst, .csv, .xlsx, .zip of .gz",
    },
    "internal-error": {
        "en": "please report it with the text that `pandoeren rejects --raw` shows",
        "nl": "meld het met de tekst die `pandoeren rejects --raw` toont",
    },
}
"""What to do about a reject, by its code, where its sentence does not say so itself."""

WORDS = {
    "en": {
        "reject": "reject", "warning": "warning", "disagreement": "disagreement",
        "more_reject": "… and {} more rejects",
        "more_warning": "… and {} more kinds of warning",
        "more_disagreement": "… and {} more kinds of disagreement",
        "such": "and {} more such", "times": "{} times", "files": "{} files",
        "in_files": ", in {} files", "first": "the first",
        "differs": "hand {} is known with the result {}, here it says {}",
        "kept": "rejects are kept: `pandoeren rejects --raw` shows the texts, "
        "`pandoeren reparse` reads them again (with --rules, --map or --format)",
        "totals": "read {} = stored {} + duplicate {} + rejected {} + empty {}",
        "of_these": "of these: ", "warnings": "{} warnings",
        "merged": "{} known from another source (the fuller record is shown)",
        "with_errors": "{} with broken rules", "simulated": "{} simulated",
        "disagreements": "{} disagreements about the result of a known hand",
        "store": "store", "dry": "a dry run: nothing was changed",
        "fails": "nothing was stored", "would_fail": "nothing would be stored",
        "none": "there is no hand in what was given", "all_rejected": "all {} hands were rejected",
        "rejected_and_empty": "{} hands were rejected and {} are empty",
        "all_empty": "all {} hands are empty (neither call nor card)",
    },
    "nl": {
        "reject": "niet te lezen", "warning": "let op", "disagreement": "verschil",
        "more_reject": "… en nog {} soorten van niet te lezen",
        "more_warning": "… en nog {} soorten waarschuwingen",
        "more_disagreement": "… en nog {} soorten verschillen",
        "such": "en nog {} zo", "times": "{} keer", "files": "{} bestanden",
        "in_files": ", in {} bestanden", "first": "de eerste",
        "differs": "spel {} is bekend met de uitslag {}, hier staat {}",
        "kept": "wat niet te lezen is blijft bewaard: `pandoeren rejects --raw` toont de teksten, "
        "`pandoeren reparse` leest ze opnieuw (met --rules, --map of --format)",
        "totals": "gelezen {} = opgeslagen {} + al bekend {} + niet te lezen {} + leeg {}",
        "of_these": "hiervan: ", "warnings": "{} waarschuwing(en)",
        "merged": "{} bekend uit een andere bron (het volledigste verslag wordt getoond)",
        "with_errors": "{} waarin een regel is overtreden", "simulated": "{} nagebootst",
        "disagreements": "{} verschillen over de uitslag van een bekend spel",
        "store": "opslag", "dry": "een proef: er is niets veranderd",
        "fails": "er is niets opgeslagen", "would_fail": "er zou niets opgeslagen worden",
        "none": "hier zit geen spel in", "all_rejected": "geen van de {} spellen is te lezen",
        "rejected_and_empty": "{} spellen zijn niet te lezen en {} zijn leeg",
        "all_empty": "alle {} spellen zijn leeg (geen bod en geen kaart)",
    },
}  # fmt: skip
"""What an import says, by language."""

EXAMPLE = "Example: `pandoeren import evening.phl logs/ --db club`"


def sources(paths: list[str]) -> "list[str | Path | Source]":
    """Command-line paths; ``-`` is standard input."""
    import sys

    from parsers.base import Source

    out: list[str | Path | Source] = []
    for path in paths:
        if path == STDIN:
            out.append(Source("<stdin>", sys.stdin.buffer.read()))
        elif not path:
            raise CommandError("an empty path: expected a file, a folder, or - for input", 2)
        else:
            out.append(Path(path))
    return out


def import_(
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders, zip or gz; - is standard input.")
    ],
    db: DbOption = None,
    format: FormatOption = "auto",
    rules: RulesOption = None,
    mapping: MapOption = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes that replay.")] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be new, known or rejected; no more.")
    ] = False,
    lake: LakeOption = None,
    scheduler: SchedulerOption = None,
    lang: Annotated[
        str, typer.Option("--lang", help="Language of warnings, rejects and totals: en or nl.")
    ] = "en",
) -> None:
    """Import files, folders, zip or gz into the store, and print the totals."""
    from pandoeren_replay.importer import import_paths

    if lang not in WORDS:
        raise CommandError(f"--lang {lang}: expected en or nl", 2)
    words = WORDS[lang]
    needs_lake(lake, scheduler)
    if lake is not None and dry_run:
        raise CommandError("--dry-run is for a store, not for a lake", 2)
    store = open_hands(db, lake)
    with progress() as update:
        totals = (
            import_into(
                open_lake(lake, db), sources(paths), read_options(rules, mapping), format, update,
                jobs, scheduler,
            )
            if lake is not None
            else import_paths(
            store, sources(paths), read_options(rules, mapping), format, update, jobs,
            waiting=lambda: say("another import is at work; waiting for it to finish …"),
            dry_run=dry_run,
            )
        )  # fmt: skip
    nothing = totals.stored + totals.duplicate == 0
    fails = words["would_fail" if dry_run else "fails"] + ": "
    if nothing and totals.read == totals.rejected == 1:
        raise CommandError(fails + _why(totals, lang))
    report(totals, kept=not dry_run, lang=lang)
    print(
        f"{words['store'] if lake is None else 'lake'}: {store.path}"
        + (f" ({words['dry']})" if dry_run else "")
    )
    if not totals.adds_up:
        raise CommandError("the totals do not add up; please report this with the file")
    if nothing:
        raise CommandError(fails + _why(totals, lang))


def _why(totals: "ImportTotals", lang: str) -> str:
    words = WORDS[lang]
    if totals.read == 0:
        return words["none"]
    if totals.read == totals.rejected == 1:
        return _reject(totals.rejects[0], lang)
    if totals.rejected and not totals.empty:
        return words["all_rejected"].format(totals.rejected)
    if totals.rejected:
        return words["rejected_and_empty"].format(totals.rejected, totals.empty)
    return words["all_empty"].format(totals.empty)


def report(totals: "ImportTotals", kept: bool = True, lang: str = "en") -> None:
    """Print what became of an import: details to standard error, totals to standard output.

    Rejects and warnings of one kind are one line. ``kept``: the rejects are in the store.
    """
    words = WORDS[lang]
    _rejects(totals.rejects, kept, lang)
    notes = [(w.source, w.line, _said(w.message, lang)) for w in totals.warnings]
    _groups("warning", notes, lang)
    differ = [
        (d.source, d.line, words["differs"].format(d.hand_id, d.kept, d.other))
        for d in totals.disagreements
    ]
    _groups("disagreement", differ, lang)
    counts = (totals.read, totals.stored, totals.duplicate, totals.rejected, totals.empty)
    print(words["totals"].format(*counts))
    extra = [
        words[name].format(n)
        for name, n in (
            ("merged", totals.merged),
            ("with_errors", totals.with_errors),
            ("simulated", totals.simulated),
            ("warnings", len(totals.warnings)),
            ("disagreements", len(totals.disagreements)),
        )
        if n
    ]
    if extra:
        print(words["of_these"] + ", ".join(extra))


def _said(sentence: str, lang: str) -> str:
    from parsers.dutch import in_dutch

    return in_dutch(sentence) if lang == "nl" else sentence


def _reject(reject: "Reject", lang: str) -> str:
    """Place and reason of a reject, and what to do about it."""
    hint = HINTS.get(reject.code, {}).get(lang)
    place = f"{reject.source}:{reject.line}:{reject.column}"
    return f"{place}: {_said(reject.message, lang)}" + (f" ({hint})" if hint else "")


def _rejects(rejects: "list[Reject]", kept: bool, lang: str) -> None:
    words = WORDS[lang]
    groups: dict[tuple[str, str], list[Reject]] = {}
    for r in rejects:
        groups.setdefault((r.code, kind_of(r.expected)), []).append(r)
    for found in list(groups.values())[:SHOWN]:
        say(f"{words['reject']}: {_reject(found[0], lang)}")
        if len(found) > 1:
            places = ", ".join(f"{r.source}:{r.line}" for r in found[1 : 1 + PLACES])
            more = len(found) - 1
            say(f"  {words['such'].format(more)}: {places}" + (", …" if more > PLACES else ""))
    _rest(len(groups), words["more_reject"])
    if kept and any(r.raw for r in rejects):
        say(words["kept"])


def _groups(what: str, notes: list[tuple[str, int, str]], lang: str) -> None:
    """Notes as (source, line, sentence); those of one kind in one line."""
    words, kinds = WORDS[lang], by_kind(notes)
    for k in kinds[:SHOWN]:
        if k.times == 1:
            say(f"{words[what]}: {k.place}: {k.sentence}")
            continue
        times = words["files" if k.sources == k.times else "times"].format(k.times)
        where = words["in_files"].format(k.sources) if 1 < k.sources < k.times else ""
        say(f"{words[what]}: {k.sentence} ({times}{where}; {words['first']}: {k.place})")
    _rest(len(kinds), words[f"more_{what}"])


def _rest(n: int, words: str) -> None:
    if n > SHOWN:
        say(words.format(n - SHOWN))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import", epilog=EXAMPLE)(import_)
