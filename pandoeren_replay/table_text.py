"""A hand at one moment as plain text: the table, the auction, the tricks, what was broken."""

from engine.cards import CARDS, SEATS, SUITS, cards_in
from engine.state import NOBODY, Replay, seat_json, suit_json
from engine.violations import SEAT_NAMES, english_card

_SIGNS = dict(zip(SUITS, "♠♥♦♣", strict=True))
WIDTH = 26


def hand_lines(mask: int, complete: bool, strength: "list[int] | None" = None) -> list[str]:
    """A hand as one line a suit; ``?`` where not all of it is known.

    >>> hand_lines(0b11, True)
    ['♠ A K']
    >>> hand_lines(0, False)
    ['?']
    """
    lines = []
    for suit in SUITS:
        cards = [c for c in cards_in(mask) if CARDS[c][0] == suit]
        if strength is not None:
            cards.sort(key=lambda c: -strength[c])
        if cards:
            ranks = " ".join("10" if CARDS[c][1] == "T" else CARDS[c][1] for c in cards)
            lines.append(f"{_SIGNS[suit]} {ranks}")
    return lines if complete else [*lines, "?"]


def table_text(replay: Replay, ply: int | None = None, seat: int | None = None) -> str:
    """The table when ``ply`` cards had been played; with ``seat``, only what that seat could see.

    Without ``ply`` it is the whole hand: the cards before the first lead, then all that happened.
    Raises :class:`IndexError` for a ply that this hand does not have.
    """
    whole = ply is None
    state, record, o = replay.at(ply or 0), replay.record, replay.outcome
    ply = len(replay.states) - 1 if ply is None else ply
    lines = [_title(replay), ""]
    trump = o.trump if o.trump is not None else 4
    strength = [int(x) for x in replay.rules.tables.strength[trump]]
    blocks = []
    for s in range(4):
        name = record.player(s)
        head = SEAT_NAMES["en"][s] + (f" ({name[:40]})" if name else "")
        turn = "to play" if state.to_play == s and not whole else ""
        roles = [r for r in (_role(replay, s, ply), turn) if r]
        head += f" [{', '.join(roles)}]" if roles else ""
        if seat is not None and s != seat and s not in state.exposed:
            blocks.append([head, "(hidden)"])
        else:
            blocks.append([head, *hand_lines(state.hands[s], state.complete[s], strength)])
    lines += [" " * WIDTH + line for line in blocks[0]]
    on_table = dict(state.trick)
    centre_cards = [
        f"{SEATS[s]} {english_card(CARDS[on_table[s]])}" if s in on_table else f"{SEATS[s]} ·"
        for s in (0, 3, 1, 2)
    ]
    west, east = blocks[3], blocks[1]
    north, west_card, east_card, south = centre_cards
    centre = ["", f"  {north}", f"{west_card}   {east_card}", f"  {south}"]
    for i in range(max(len(west), len(east), len(centre))):
        left = west[i] if i < len(west) else ""
        mid = centre[i] if i < len(centre) else ""
        right = east[i] if i < len(east) else ""
        lines.append(f"{left:<{WIDTH}}{mid:<{WIDTH}}{right}".rstrip())
    lines += [" " * WIDTH + line for line in blocks[2]]
    lines.append("")
    if record.auction:
        lines.append("Auction: " + _auction(replay))
    hide = seat is not None and not replay.at(ply).partner_known
    lines.append("Contract: " + _contract(replay, seat, hide))
    after = replay.at(ply)
    if after.points is not None:
        lines.append(
            f"Points: {after.points[0]} (declarer's side) – {after.points[1]}"
            + (f", tricks {after.tricks[0]} – {after.tricks[1]}" if after.tricks else "")
        )
    lines += ["", *_tricks(replay, ply)]
    if ply == len(replay.states) - 1:
        lines.append(_result(replay))
    if seat is not None:
        return "\n".join(lines) + "\n"  # a sentence could tell what the seat could not see
    found = [v for v in replay.violations if whole or v.ply is None or v.ply < ply]
    lines += [f"{v.severity} {v.code}: {v.message()}" for v in found]
    return "\n".join(lines) + "\n"


def _title(replay: Replay) -> str:
    record = replay.record
    parts = [record.get(k) for k in ("event", "date")]
    parts += [f"session {record.get('session')}" if record.get("session") else None]
    parts += [f"hand {record.get('hand')}" if record.get("hand") else None]
    parts += [f"id {record.get('id')}" if record.get("id") else None]
    told = ", ".join(p for p in parts if p) or "hand"
    simulated = " — simulated" if "simulated" in (record.get("src"), record.get("event")) else ""
    return f"{told} — rules {replay.rules.id}{simulated}"


def _role(replay: Replay, seat: int, ply: int) -> str:
    if replay.outcome.declarer == seat:
        return "declarer"
    if replay.outcome.partner == seat and replay.at(ply).partner_known:
        return "partner"
    return "dealer" if replay.record.dealer == seat else ""


def _auction(replay: Replay) -> str:
    said = []
    for event in replay.events:
        if event.kind == "call":
            who = "?" if event.seat is None else SEATS[event.seat]
            text = "pass" if event.data["text"] == "-" else event.data["text"]
            said.append(f"{who} {text}" + ("" if event.data.get("valid", True) else " (!)"))
    return ", ".join(said)


def _contract(replay: Replay, seat: int | None, hide_partner: bool) -> str:
    o = replay.outcome
    if o.passed_out:
        return "passed out"
    trump = "no trumps" if o.trump == 4 else "trumps " + _SIGNS.get(suit_json(o.trump), "?")
    called = f", called {english_card(CARDS[replay.called])}" if replay.called is not None else ""
    partner = ""
    if o.partner == NOBODY:
        partner = ", alone"
    elif not hide_partner:
        partner = _partner(replay)
    middle = out = ""
    if replay.middle is not None and (seat is None or replay.rules.deal.middle == "taken"):
        middle = f", middle card {english_card(CARDS[replay.middle])}"
    if replay.discard is not None and seat in (None, o.declarer):
        out = f", discard {english_card(CARDS[replay.discard])}"
    return f"{o.contract or '?'} by {seat_json(o.declarer)}, {trump}{called}{partner}{middle}{out}"


def _partner(replay: Replay) -> str:
    """The partner as calls and cards prove it, else as recorded."""
    told = replay.record.result.partner
    if replay.outcome.partner is not None or told is None:
        return f", partner {seat_json(replay.outcome.partner)}"
    return ", alone (recorded)" if told < 0 else f", partner {SEATS[told]} (recorded)"


def _tricks(replay: Replay, ply: int) -> list[str]:
    lines = []
    plays = replay.record.plays[:ply]
    winners = replay.outcome.winners
    for start in range(0, len(plays), 4):
        cards = [
            f"{'?' if replay.seats[i] is None else SEATS[replay.seats[i] or 0]} "
            f"{english_card(CARDS[plays[i].card]):<3}"
            for i in range(start, min(start + 4, len(plays)))
        ]
        nr = start // 4
        won = f"  → {SEATS[winners[nr]]}" if start + 4 <= len(plays) and nr < len(winners) else ""
        lines.append(f"{nr + 1}. " + "  ".join(cards) + won)
    return lines


def _result(replay: Replay) -> str:
    o = replay.outcome
    if o.passed_out:
        return "Passed out."
    text = {True: "made", False: "lost", None: "not settled by the cards"}[o.made]
    recorded = replay.record.result.outcome
    if o.made is None and recorded:
        text += f" (recorded: {recorded})"
    if o.meld and any(o.meld):
        text += f"; meld {o.meld[0]} – {o.meld[1]}"
    told = replay.record.result.score
    score, how = (o.score, "") if o.score else (told, " (recorded)")
    figure = replay.record.get("score_declarer")
    if score:
        text += "; score " + " ".join(f"{s}{x:+d}" for s, x in zip(SEATS, score, strict=True)) + how
    elif figure:
        text += f"; declarer's score {figure} (recorded)"
    if not replay.record.plays and not set(replay.record.deal) & set("NESWM"):
        text += "\nNo cards are recorded: what is known is as it was written down."
    return f"Result: {text}"
