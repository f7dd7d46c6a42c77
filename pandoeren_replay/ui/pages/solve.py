"""Solve: what a deal is worth with open cards, contract by contract, and play it out."""

import json
from typing import Any

import streamlit as st

from engine.cards import NO_TRUMP, SEATS
from engine.replay import replay
from engine.rulefile import DEFAULT_ID
from engine.ruleset import RuleSet
from engine.solver import NotSolvable
from pandoeren_replay.deal_table import ALONE, DealTable, Line
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.ui import session
from pandoeren_replay.ui.components.enter import enter
from pandoeren_replay.ui.components.table import Cell, Column, Row, table
from pandoeren_replay.ui.entering import EntryError, record_of
from pandoeren_replay.ui.own_rules import rule_choices
from pandoeren_replay.ui.pages.enter import entry_data
from pandoeren_replay.ui.pages.hands import SUIT_SIGNS
from pandoeren_replay.ui.solving import (
    LONGEST,
    DealError,
    Solving,
    best_line,
    card_values,
    line_actions,
    line_record,
    read_deal,
    solving,
)
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts

_KEY = "solve_deal"
_PLAYOUT = "solve_playout"
Choices = dict[str, tuple[RuleSet, str]]


def page() -> None:
    """Takes a deal, fills its table while the viewer looks on, and plays lines of it out."""
    text = session.texts()
    source = session.source()
    st.header(text("solve.title"))
    choices = rule_choices(source.store)
    _from_store(source, choices, text)
    query = st.query_params
    names = list(choices)
    asked = query.get("rules", "")
    rules_id = st.selectbox(
        text("import.rules"),
        names,
        index=names.index(asked if asked in names else DEFAULT_ID),
        format_func=lambda i: text.of(choices[i][0].name),
    )
    rules = choices[rules_id][0]
    owners = query.get("deal", "").upper()[:40]
    if not owners:
        _ask(rules_id, choices, source, text)
        return
    dealer = SEATS.index(d) if len(d := query.get("dealer", "N")) == 1 and d in SEATS else 0
    if rules_id != asked:
        st.query_params["rules"] = rules_id
    _pick_dealer(dealer, text)
    if st.button(text("solve.other"), key="solve_other", icon=":material/restart_alt:"):
        st.query_params.from_dict({"rules": rules_id})
        st.rerun()
    try:
        found = solving(owners, dealer, rules)
    except DealError as e:
        st.error(text("solve.wrong"), icon=":material/error:")
        st.text(str(e))
        return
    _shown(found, owners, dealer, rules_id, choices, source, text)


def _from_store(source: Source, choices: Choices, text: Texts) -> None:
    """A stored hand that the address names becomes a deal."""
    hand = st.query_params.get("hand")
    key = source.find(hand) if hand else None
    if key is None:
        return
    try:
        played = source.store.replay(source.store.find(key))
        owners, dealer = read_deal(played.deal_text, played.rules)[0], played.dealer
    except (DealError, StoreError):
        st.warning(text("solve.not_whole"), icon=":material/help:")
        del st.query_params["hand"]
        return
    known = played.rules.id if played.rules.id in choices else DEFAULT_ID
    st.query_params.from_dict({"deal": owners, "dealer": SEATS[dealer or 0], "rules": known})


def _pick_dealer(dealer: int, text: Texts) -> None:
    chosen = st.selectbox(
        text("solve.dealer"), range(4), index=dealer, format_func=text.seat, key="solve_dealer_pick"
    )
    if chosen != dealer:
        st.query_params["dealer"] = SEATS[chosen]
        st.rerun()


def _ask(rules_id: str, choices: Choices, source: Source, text: Texts) -> None:
    st.markdown(text("solve.what"))
    rules = choices[rules_id][0]
    pasted = st.text_area(
        text("solve.paste"),
        placeholder=text("solve.paste_hint"),
        max_chars=LONGEST,
        height=110,
        key="solve_paste",
    )
    if st.button(text("solve.go"), key="solve_go", type="primary") and pasted.strip():
        try:
            owners, dealer = read_deal(pasted, rules)
        except DealError as e:
            st.error(text("solve.wrong"), icon=":material/error:")
            if str(e):
                st.text(str(e))
        else:
            _open(owners, dealer or 0, rules_id)
    st.subheader(text("solve.tap"))
    data = entry_data("deal", text, source, {rules_id: choices[rules_id]})
    sent = enter(data, key=_KEY)
    if sent:
        try:
            record = record_of(json.loads(sent), rules)
        except (EntryError, ValueError, TypeError):
            st.error(text("entry.unreadable"), icon=":material/error:")
            return
        if st.button(text("solve.go_tapped"), key="solve_tapped", type="primary"):
            _open(record.deal, 0, rules_id)


def _open(owners: str, dealer: int, rules_id: str) -> None:
    st.query_params.from_dict({"deal": owners, "dealer": SEATS[dealer], "rules": rules_id})
    st.rerun()


def _shown(
    found: Solving,
    owners: str,
    dealer: int,
    rules_id: str,
    choices: Choices,
    source: Source,
    text: Texts,
) -> None:
    rules = choices[rules_id][0]

    running = contracts(found, rules, text)
    made = {k: x for k, x in sorted(found.lines.items()) if x.bid is not None}
    if running or not made:
        return
    st.subheader(text("solve.playout"))
    st.text(text("solve.playout_what"))
    keys = [f"{SEATS[s]}-{c}" for s, c in made]
    asked = st.query_params.get("line")
    line_key = st.selectbox(
        text("solve.line"),
        keys,
        index=keys.index(asked) if asked in keys else None,
        placeholder=text("solve.line_pick"),
        format_func=lambda k: line_words(made[_line_key(k)], rules, text),
    )
    if line_key is None:
        return
    if line_key != asked:
        st.query_params["line"] = line_key
    _play_out(found, made[_line_key(line_key)], owners, dealer, rules_id, choices, source, text)


def contracts(found: Solving, rules: RuleSet, text: Texts) -> bool:
    """The table of a deal, which fills while the viewer looks on; whether it is still at work."""

    def looked_at() -> None:
        _progress(found, text)
        _best(found, rules, text)
        _table(found, rules, text)

    running = not found.job.over
    st.fragment(looked_at, run_every=1.0 if running else None)()
    return running


def _line_key(key: str) -> tuple[int, str]:
    seat, _, contract = key.partition("-")
    return SEATS.index(seat), contract


def _progress(found: Solving, text: Texts) -> None:
    if found.job.over:
        if found.job.error is not None and not found.job.cancelled:
            raise found.job.error
        if found.job.stopping.is_set():
            st.info(text("solve.stopped"), icon=":material/cancel:")
            if st.button(text("solve.again"), key="solve_again"):
                st.rerun(scope="app")
        if st.session_state.get("solve_watched") == id(found):
            # It was at work when the page was drawn: now the lines can be played out.
            st.session_state["solve_watched"] = None
            st.rerun(scope="app")
        return
    st.session_state["solve_watched"] = id(found)
    waits = found.job.at[0] != "solve"
    st.progress(found.share, text("solve.waiting" if waits else "solve.working"))
    if st.button(text("import.stop"), key="solve_stop", icon=":material/cancel:"):
        found.job.stop()


def _best(found: Solving, rules: RuleSet, text: Texts) -> None:
    lines = DealTable(rules, dict(found.lines))
    for seat in range(4):
        best = lines.best_score(seat)
        if best is not None:
            st.text(line_words(best, rules, text))


def line_words(line: Line, rules: RuleSet, text: Texts) -> str:
    """``Noord kan 150 punten halen met harten troef …`` of one line of the table."""
    assert line.bid is not None
    return text(
        "solve.can", name=text.seat(line.seat), contract=text.bid(line.bid), how=_how(line, text)
    )


def _how(line: Line, text: Texts) -> str:
    """Trumps, called card and discard of a line, as far as it has them."""
    parts = []
    if line.trump != NO_TRUMP:
        parts.append(f"{SUIT_SIGNS['SHDC'[line.trump]]} {text.raw('replay.suits')[line.trump]}")
    data = line.as_json()
    if line.called != ALONE:
        parts.append(text("solve.calls", card=text.card(data["called"])))
    if line.discard is not None:
        parts.append(text("solve.discards", card=text.card(data["discard"])))
    return ", ".join(parts) or text("replay.no_trump")


def _table(found: Solving, rules: RuleSet, text: Texts) -> None:
    columns = [Column(text("hands.c_contract"), lead=True)]
    columns += [Column(text.seat(s), wide=True) for s in range(4)]
    rows = []
    lines = dict(found.lines)
    for key in rules.auction.order:
        contract = rules.contracts[key]
        first = str(contract.levels[0]) if contract.levels else None
        name = text.of(contract.name)
        if first is not None:
            last = contract.levels[-1]
            kind = "solve.points_up" if contract.step else "solve.points_row"
            if len(contract.levels) == 1 and not contract.step:
                kind = "replay.points_contract"
            name = text(kind, first=first, last=last, n=first)
        cells = [Cell(name)]
        for seat in range(4):
            line = lines.get((seat, key))
            cells.append(_cell(line, text))
        rows.append(Row("", tuple(cells)))
    table(
        columns,
        rows,
        text,
        key="solve_table",
        caption=text("solve.title"),
        action="",
        sortable=False,
    )


def _cell(line: Line | None, text: Texts) -> Cell:
    if line is None:
        return Cell("…", kind="muted")
    if line.bid is None:
        return Cell(text("solve.no") if line.final else f"{text('solve.no')} …", kind="muted")
    words = f"✓ {text.bid(line.bid)}: {_how(line, text)}"
    return Cell(words if line.final else f"{words} …", kind="good")


def _play_out(
    found: Solving,
    line: Line,
    owners: str,
    dealer: int,
    rules_id: str,
    choices: Choices,
    source: Source,
    text: Texts,
) -> None:
    """The table with the value of every card; each tap plays one."""
    base = f"{rules_id}|{owners}|{dealer}|{line.seat}|{line.contract}"
    state: dict[str, Any] = st.session_state.setdefault(_PLAYOUT, {})
    if state.get("base") != base:
        state.clear()
        state.update(base=base, round=0, start=[])

    def played_out() -> None:
        stamp = f"{base}|{state['round']}"
        now = _plays(state, stamp)
        done = replay(line_record(found.deal, owners, dealer, line, now), found.deal.rules)
        data = entry_data("playout", text, source, {rules_id: choices[rules_id]})
        data |= {
            "stamp": stamp,
            "setup": {"rules": rules_id, "mode": "deal", "dealer": dealer},
            "actions": line_actions(owners, line, state["start"]),
            "values": _values(done, len(now), text),
        }
        sent = enter(data, key=_PLAYOUT + "_table")
        if sent and state.get("sent") != sent:
            state["sent"] = sent
            if _plays(state, stamp) != now:
                st.rerun(scope="fragment")
        one, two = st.columns(2)
        if one.button(text("solve.to_end"), key="solve_to_end", disabled=len(now) >= 32):
            state["start"] = best_line(found.deal, owners, dealer, line, now)
            state["round"] += 1
            st.rerun(scope="fragment")
        if two.button(text("solve.from_start"), key="solve_from_start", disabled=not now):
            state["start"] = []
            state["round"] += 1
            st.rerun(scope="fragment")
        if done.outcome.points is not None:
            side, other = done.outcome.points
            st.text(text("judged.points", side=side, other=other))

    st.fragment(played_out)()


def _plays(state: dict[str, Any], stamp: str) -> list[str]:
    """What has been played: as the browser said last, if that belongs to this table."""
    try:
        sent = json.loads(state.get("sent") or "null")
    except ValueError:
        sent = None
    if not isinstance(sent, dict) or sent.get("stamp") != stamp:
        return list(state["start"])
    plays = sent.get("plays")
    if not isinstance(plays, list) or len(plays) > 32:
        return list(state["start"])
    return [c for c in plays if isinstance(c, str) and len(c) == 2]


def _values(done: Any, ply: int, text: Texts) -> dict[str, Any] | None:
    try:
        values, best = card_values(done)
    except NotSolvable:
        return None
    bid = done.outcome.bid
    counting = bid is not None and bid.contract.goal == "points"
    shown = {c: str(v) if counting else ("✓" if v else "✗") for c, v in values.items()}
    return {"ply": ply, "cards": shown, "best": best}
