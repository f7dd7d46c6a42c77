"""The report of an evening: one HTML page that needs nothing else, or Markdown.

report = evening_report(store, "2026-11-26-A", lang="nl")
Path("avond.html").write_text(report.html(), "utf-8")
"""

import re
from dataclasses import dataclass
from html import escape

from engine.cards import SUIT_OF, cards_in
from engine.ruleset import RuleSet
from engine.state import Replay
from engine.violations import Language, Violation
from pandoeren_replay.report_fair import fair_html, fair_markdown
from pandoeren_replay.sessions import SheetLine
from pandoeren_replay.statistics.evening import (
    Evening,
    Turning,
    card_text,
    evening,
    was_passed,
)
from pandoeren_replay.statistics.pictures import curve_svg, table_svg
from pandoeren_replay.store.store import Store

_STYLE = """
@page { size: A4; margin: 14mm }
body { font: 11pt/1.45 Georgia, serif; max-width: 48em; margin: 0 auto; padding: 1em;
  color: #1a1a1a; background: #fff }
h1 { font-size: 1.6em; margin: 0 0 .2em } h2 { font-size: 1.2em; margin: 1.4em 0 .4em }
h2, h3 { break-after: avoid } h3 { font-size: 1em; margin: 1em 0 .2em }
table { border-collapse: collapse; width: 100% } tr, figure { break-inside: avoid }
th, td { padding: .15em .5em; border-bottom: 1px solid #ccc; text-align: left;
  overflow-wrap: anywhere } thead { display: table-header-group }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.note { background: #fff4d6; padding: .4em .7em } .small { color: #555; font-size: .9em }
figure { margin: .6em 0 } figure svg { width: 100%; max-height: 95mm }
figcaption { color: #555; font-size: .9em }
"""


@dataclass(frozen=True, slots=True)
class Report:
    """A session's report; see :func:`evening_report`."""

    evening: Evening

    def html(self) -> str:
        """One self-contained page: no script, nothing loaded; names are plain text."""
        e = self.evening
        body = "\n".join(_html_sections(e))
        return (
            f'<!doctype html>\n<html lang="{e.text.lang}"><head><meta charset="utf-8">\n'
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(_title(e))}</title>\n<style>{_STYLE}</style></head>\n"
            f"<body>\n{body}\n</body></html>\n"
        )

    def markdown(self) -> str:
        """The same as Markdown, with the hands at a deciding moment as a list."""
        return "\n".join(_markdown_lines(self.evening)) + "\n"


def evening_report(
    store: Store, session: str, lang: Language = "nl", rules: RuleSet | None = None
) -> Report:
    """The report of a stored session, in Dutch unless English is asked for.

    Raises :class:`~pandoeren_replay.store.StoreError` if there is no such session, or its hands
    follow several rule sets and none is given.
    """
    return Report(evening(store, session, lang, rules))


def _title(e: Evening) -> str:
    return e.say("title", session=e.sheet.session)


def _subtitle(e: Evening) -> str:
    n = len(e.sheet.lines)
    hands = e.say("hands_one") if n == 1 else e.say("hands", n=n)
    rules = e.say("rules", name=e.text.of(e.sheet.rules.name))
    return " · ".join(p for p in (e.date and e.text.date(e.date), e.event, hands, rules) if p)


def _notes(e: Evening) -> list[str]:
    out = []
    if e.simulated == len(e.sheet.lines):
        out.append(e.say("simulated"))
    elif e.simulated:
        out.append(e.say("partly_simulated", n=e.simulated, all=len(e.sheet.lines)))
    after = sum(x.after_end for x in e.sheet.lines)
    if after:
        out.append(e.say("not_counted", n=after))
    if e.sheet.notes:
        out.append(e.say("by_seat"))
    for hand, written, booked in e.sheet.otherwise:
        out.append(
            e.say(
                "otherwise",
                hand=hand,
                written=e.text.number(written, sign=True),
                booked=e.text.number(booked, sign=True),
            )
        )
    if e.sheet.incomplete:
        out.append(e.say("incomplete"))
    return out


def _best_line(e: Evening, found: tuple[SheetLine, int] | None) -> str:
    if found is None:
        return e.say("nothing")
    line, seat = found
    return e.say(
        "best_line", name=e.name(seat), change=e.text.change(line.booked.change[seat]),
        number=line.number, what=e.what(line), result=e.result(line),
    )  # fmt: skip


def _turning_lines(e: Evening, t: Turning) -> list[str]:
    change = t.line.booked.change
    up, down = change.index(max(change)), change.index(min(change))
    out = [
        e.say(
            "turning_line", number=t.line.number, what=e.what(t.line), result=e.result(t.line),
            winner=e.name(up), best=e.text.change(change[up]),
            loser=e.name(down), worst=e.text.change(change[down]),
        )
    ]  # fmt: skip
    if t.leader is not None:
        out.append(e.say("lead_change", name=e.name(t.leader)))
    m = t.moment
    if m is not None and m.turned is not None and m.card is not None and m.seat is not None:
        out.append(e.say(m.turned, card=card_text(e.text, m.card), name=e.name(m.seat), n=m.trick))
    elif m is not None:
        out.append(e.say("decided", n=m.trick))
    return out


def _caption(e: Evening, t: Turning) -> str:
    m = t.moment
    if m is None:
        return ""
    if m.card is not None and m.seat is not None:
        return e.say("at_card", card=card_text(e.text, m.card), name=e.name(m.seat))
    return e.say("before_trick", n=m.trick) if m.picture else e.say("before_first")


def _roem_line(e: Evening) -> str:
    if e.roem is None:
        return e.say("no_roem")
    r = e.roem
    who = ", ".join(e.name(s) for s in r.seats) or e.say("defenders" if r.side else "side")
    return e.say("roem_line", n=r.value, who=who, number=r.line.number, what=e.what(r.line))


def _fault_parts(e: Evening) -> list[tuple[str, list[str]]]:
    """(heading, lines) of the broken rules and of records that disagree."""

    def told(found: tuple[tuple[SheetLine, Violation], ...]) -> list[str]:
        return [e.say("violation_line", number=x.number, message=e.message(v)) for x, v in found]

    if e.mattered or e.other_faults:
        first = [*told(e.mattered), e.say("mattered_note")] if e.mattered else []
        parts = [(e.say("violations"), first or [e.say("no_mattering")])]
    else:
        parts = [(e.say("violations"), [e.say("no_violations")])]
    if e.other_faults:
        parts.append((e.say("violations_other"), told(e.other_faults)))
    if e.mismatches:
        parts.append((e.say("mismatches"), told(e.mismatches)))
    return parts


def _sheet_rows(e: Evening) -> tuple[list[str], list[list[str]]]:
    pot = any(x.booked.pot for x in e.sheet.lines)
    head = [e.say(k) for k in ("number", "declarer", "contract", "result", "points")]
    head += [*(e.name(s) for s in range(4)), *([e.say("pot")] if pot else [])]
    rows = []
    for x in e.sheet.lines:
        o = x.replay.outcome
        passed = was_passed(x)
        # Without cards nobody took points: what the sheet says of them, if anything.
        taken = o.points if x.replay.record.plays else x.replay.record.result.points
        points = f"{taken[0]}–{taken[1]}" if taken and not passed else ""
        contract = "" if passed else e.text.contract(x.replay.rules, o.contract)
        result = e.say("passed") if passed else e.result(x)
        rows.append(
            [
                x.number + (f" ({e.say('after_end')})" if x.after_end else ""),
                e.who(x), contract, result, points,
                *(
                    e.text.number(b) + (f" ({e.text.change(c)})" if c else "")
                    for b, c in zip(x.booked.balance, x.booked.change, strict=True)
                ),
                *([str(x.booked.pot)] if pot else []),
            ]
        )  # fmt: skip
    return head, rows


def _standing_rows(e: Evening) -> tuple[list[str], list[list[str]]]:
    head = [e.say(k) for k in ("place", "player", "total", "declared", "made", "as_partner")]
    return head, [
        [str(s.place), e.name(s.seat), e.text.number(s.total), str(s.declared), str(s.made),
         str(s.as_partner)]
        for s in e.standings
    ]  # fmt: skip


def _start(e: Evening) -> list[int]:
    first = e.sheet.lines[0].booked
    return [b - c for b, c in zip(first.balance, first.change, strict=True)]


# -- HTML ------------------------------------------------------------------------------------


def _html_table(head: list[str], rows: list[list[str]], text_columns: set[int]) -> str:
    def cells(row: list[str], tag: str) -> str:
        return "".join(
            f"<{tag}{'' if i in text_columns else ' class=n'}>{escape(c)}</{tag}>"
            for i, c in enumerate(row)
        )

    body = "".join(f"<tr>{cells(r, 'td')}</tr>" for r in rows)
    return f"<table><thead><tr>{cells(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def _html_sections(e: Evening) -> list[str]:
    out = [f"<h1>{escape(_title(e))}</h1>", f"<p>{escape(_subtitle(e))}</p>"]
    out += [f'<p class="note">{escape(n)}</p>' for n in _notes(e)]
    out.append(f"<h2>{escape(e.say('standings'))}</h2>")
    out.append(_html_table(*_standing_rows(e), {1}))
    if e.sheet.pairs is not None:
        pairs = e.say("pairs", ns=e.sheet.pairs[0], ew=e.sheet.pairs[1])
        out.append(f"<p>{escape(pairs)}</p>")
    for key, found in (("best", e.best), ("worst", e.worst)):
        out.append(f"<p><b>{escape(e.say(key))}:</b> {escape(_best_line(e, found))}</p>")
    out.append(f"<p><b>{escape(e.say('roem'))}:</b> {escape(_roem_line(e))}</p>")
    names = [e.name(s) for s in range(4)]
    balances = [x.booked.balance for x in e.sheet.lines if not x.after_end]
    curve = curve_svg(balances, _start(e), names, e.say("curve"), e.say("curve_x"))
    out.append(f"<h2>{escape(e.say('curve'))}</h2><figure>{curve}</figure>")
    if e.turning:
        out.append(f"<h2>{escape(e.say('turning'))}</h2>")
    for t in e.turning:
        out.append("".join(f"<p>{escape(line)}</p>" for line in _turning_lines(e, t)))
        if t.moment is not None:
            roles = (e.say("role_declarer"), e.say("role_partner"))
            caption = _caption(e, t)
            picture = table_svg(
                t.line.replay, t.moment.picture, names, e.text, caption, roles, t.moment.card
            )
            out.append(f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>")
    if e.turning and not e.analysed:
        out.append(f'<p class="small">{escape(e.say("no_analysis").replace("`", ""))}</p>')
    out += fair_html(e, _html_table)
    for heading, lines in _fault_parts(e):
        items = "".join(f"<li>{escape(line)}</li>" for line in lines)
        out.append(f"<h2>{escape(heading)}</h2><ul>{items}</ul>")
    out.append(f"<h2>{escape(e.say('all_hands'))}</h2>")
    out.append(_html_table(*_sheet_rows(e), {0, 1, 2, 3}))
    return out


# -- Markdown --------------------------------------------------------------------------------


def plain(text: str) -> str:
    r"""Foreign text for Markdown: every character that means something there is escaped.

    >>> plain("<b>*Jan*|[x](y)")
    '\\<b\\>\\*Jan\\*\\|\\[x\\]\\(y\\)'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return re.sub(r"([\\`*_{}\[\]()<>#|!~&$])", r"\\\1", line)


def _markdown_table(head: list[str], rows: list[list[str]]) -> list[str]:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(plain(c) for c in cells) + " |"

    return [line(head), "|" + " --- |" * len(head), *map(line, rows), ""]


def _markdown_lines(e: Evening) -> list[str]:
    out = [f"# {plain(_title(e))}", "", plain(_subtitle(e)), ""]
    for note in _notes(e):
        out += [f"> {plain(note)}", ""]
    out += [f"## {e.say('standings')}", "", *_markdown_table(*_standing_rows(e))]
    if e.sheet.pairs is not None:
        out += [plain(e.say("pairs", ns=e.sheet.pairs[0], ew=e.sheet.pairs[1])), ""]
    for key, found in (("best", e.best), ("worst", e.worst)):
        out += [f"**{e.say(key)}:** {plain(_best_line(e, found))}", ""]
    out += [f"**{e.say('roem')}:** {plain(_roem_line(e))}", ""]
    if e.turning:
        out += [f"## {e.say('turning')}", ""]
    for t in e.turning:
        out += [plain(" ".join(_turning_lines(e, t))), ""]
        if t.moment is not None:
            shown = _hands_text(e, t.line.replay, t.moment.picture)
            out += [f"{plain(_caption(e, t))}:", "", *shown, ""]
    out += fair_markdown(e, plain, _markdown_table)
    for heading, lines in _fault_parts(e):
        out += [f"## {plain(heading)}", "", *(f"- {plain(x)}" for x in lines), ""]
    return [*out, f"## {e.say('all_hands')}", "", *_markdown_table(*_sheet_rows(e))]


def _hands_text(e: Evening, hand: Replay, ply: int) -> list[str]:
    """The table at a moment: a line for each hand, and one for the cards on the table."""
    state = hand.at(ply)
    out = []
    for seat in range(4):
        suits = [
            "".join(card_text(e.text, c)[0 if i == 0 else 1 :] + " " for i, c in enumerate(cards))
            for suit in range(4)
            if (cards := [c for c in cards_in(state.hands[seat]) if SUIT_OF[c] == suit])
        ]
        rest = "" if state.complete[seat] else " ?"
        out.append(f"- {plain(e.name(seat))}: {plain(' '.join(suits) + rest)}")
    if state.trick:
        laid = ", ".join(card_text(e.text, c) for _, c in state.trick)
        out.append(f"- {plain(e.say('on_table'))}: {plain(laid)}")
    return out
