"""One row a decision: what a player saw, which cards were legal, which one was played.

For research and for training of bots (docs/scale.md lists the columns). A row tells only what its
player could see; the columns from ``success`` on are known afterwards.
"""

from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any

from engine.cards import CARDS, SEATS, SUITS
from engine.replay import replay
from engine.ruleset import RuleSet
from engine.state import NOBODY, Replay, State, hand_text
from pandoeren_replay.filters import condition
from pandoeren_replay.store.decode import decode
from pandoeren_replay.store.store import Store

if TYPE_CHECKING:
    import polars as pl

    from pandoeren_replay.anonymous import Anonymiser

PART = 2_000
"""Hands of a row group."""

TEXT, NUMBER, FLAG = "text", "number", "flag"

COLUMNS: dict[str, tuple[str, str]] = {
    "hand_id": (NUMBER, "number of the hand in its store or lake"),
    "ply": (NUMBER, "cards on the table before this one"),
    "trick": (NUMBER, "trick, from 1"),
    "place": (NUMBER, "place in the trick, from 0"),
    "seat": (TEXT, "whose decision; NULL where nobody can know"),
    "player": (TEXT, "his name"),
    "simulated": (FLAG, "played by simulated players"),
    "rules": (TEXT, "rule set"),
    "rules_hash": (TEXT, "hash of its content"),
    "dealer": (TEXT, "dealer"),
    "auction": (TEXT, "calls as recorded"),
    "declarer": (TEXT, "declarer"),
    "contract": (TEXT, "contract"),
    "contract_key": (TEXT, "row of the bid table"),
    "target": (NUMBER, "points needed"),
    "trump": (TEXT, "trump suit, - for none"),
    "called": (TEXT, "called card"),
    "middle": (TEXT, "middle card, where it lies face up or is his own"),
    "discard": (TEXT, "discard, declarer's rows only"),
    "role": (TEXT, "what he knows he is: declarer, partner, defender"),
    "partner": (TEXT, "declarer's partner, if he knows: a seat, - for none"),
    "claims": (TEXT, "announcements so far, as the notation writes them"),
    "hand": (TEXT, "his cards"),
    "complete": (FLAG, "whether these are all of his cards"),
    "leader": (TEXT, "who led to this trick"),
    "table": (TEXT, "cards of this trick so far, in the order played"),
    "played": (TEXT, "cards of the earlier tricks, in the order played"),
    "winners": (TEXT, "who took the earlier tricks"),
    **{f"taken_{s.lower()}": (NUMBER, f"points in the tricks that {s} took") for s in SEATS},
    "exposed": (TEXT, "seats whose cards lie face up"),
    **{f"open_{s.lower()}": (TEXT, f"cards of {s} that lie face up") for s in SEATS},
    "legal": (TEXT, "cards that may be played; NULL where his hand is not known whole"),
    "choices": (NUMBER, "how many"),
    "card": (TEXT, "the card played"),
    "regular": (FLAG, "whether it was one of the legal ones"),
    "success": (FLAG, "contract made, as the view hands has it"),
    "goal": (TEXT, "what the solver solved for; NULL where there are no values"),
    "value": (NUMBER, "what the hand is worth for declarer's side after this card, open cards"),
    "best": (NUMBER, "what the best legal card is worth"),
    "loss": (NUMBER, "the difference"),
    "values": (TEXT, "values of all cards: SA:120 SK:118"),
}
"""Columns with their type and meaning. Sets of cards are texts in the order of the pack."""

Values = dict[tuple[int, int], list[dict[str, Any]]]


def decision_tables(
    store: Store, where: str | None = None, names: "Anonymiser | None" = None, part: int = PART
) -> "Iterator[pl.DataFrame]":
    """Decisions of all hands that a filter lets through, ``part`` hands at a time.

    ``store`` may be a lake. ``names`` gives players other names.
    """
    import polars as pl

    kinds = {TEXT: pl.String, NUMBER: pl.Int64, FLAG: pl.Boolean}
    schema = {name: kinds[kind] for name, (kind, _) in COLUMNS.items()}
    sets: dict[tuple[str, str], RuleSet] = {}
    for rows in _hands(store, where, part):
        values = _values(store, [row["hand_id"] for row in rows])
        out: list[tuple[Any, ...]] = []
        for row in rows:
            key = (row["rules"], row["rules_hash"])
            if key not in sets:
                sets[key] = store.rule_set(*key)
            record = decode(row)
            players = [row[p] for p in ("north", "east", "south", "west")]
            if names is not None:
                record = names.record(record)
                players = [record.player(seat) for seat in range(4)]
            common = {
                "hand_id": row["hand_id"], "simulated": row["simulated"],
                "contract_key": row["contract_key"], "success": row["success"],
            }  # fmt: skip
            for found in decisions(replay(record, sets[key])):
                seat = found["seat"]
                found |= common
                found["player"] = None if seat is None else players[SEATS.index(seat)]
                found |= _valued(values.get((row["hand_id"], found["ply"]), []))
                out.append(tuple(found.get(c) for c in COLUMNS))
        yield pl.DataFrame(out, schema=schema, orient="row")


def _hands(store: Store, where: str | None, part: int) -> Iterator[list[dict[str, Any]]]:
    sql, params = condition(where, store)
    cur = store.cursor()
    cur.execute(
        "SELECT b.*, h.north, h.east, h.south, h.west, h.success FROM hand b "
        f"JOIN hands h ON h.hand_id = b.hand_id WHERE b.n_plays > 0 AND {sql} ORDER BY b.hand_id",
        params,
    )
    names = [d[0] for d in cur.description]
    while found := cur.fetchmany(part):
        yield [dict(zip(names, values, strict=True)) for values in found]


def _values(store: Store, ids: list[int]) -> Values:
    out: Values = {}
    for r in store.rows(
        "SELECT * FROM evaluations WHERE hand_id IN (SELECT unnest(?::BIGINT[])) "
        "ORDER BY hand_id, ply",
        [ids],
    ):
        out.setdefault((r["hand_id"], r["ply"]), []).append(r)
    return out


def _valued(rows: list[dict[str, Any]]) -> dict[str, Any]:
    if not rows:
        return {}
    worth = {r["card"]: r["value"] for r in rows}
    out: dict[str, Any] = {
        "goal": rows[0]["goal"],
        "best": rows[0]["best"],
        "values": " ".join(f"{c}:{worth[c]}" for c in CARDS if c in worth),
    }
    for r in rows:
        if r["played"]:
            out |= {"value": r["value"], "loss": r["loss"]}
    return out


def decisions(done: Replay) -> Iterator[dict[str, Any]]:
    """The decisions of one replayed hand, in order, by the names of :data:`COLUMNS`.

    >>> from engine.record import HandRecord, Play
    >>> done = replay(HandRecord(deal="N" * 8 + "?" * 25, plays=(Play(0, 0),)), _heerlen())
    >>> [(d["seat"], d["card"], d["complete"]) for d in decisions(done)]
    [('N', 'SA', False)]
    """
    record, rules, o = done.record, done.rules, done.outcome
    public = {
        "rules": rules.id,
        "rules_hash": rules.content_hash,
        "dealer": _seat(done.dealer),
        "auction": ",".join(
            c.text if c.seat is None else f"({SEATS[c.seat]}){c.text}" for c in record.auction
        )
        or None,
        "declarer": _seat(o.declarer),
        "contract": o.contract,
        "target": o.bid.target if o.bid else None,
        "trump": None if o.trump is None else (SUITS + "-")[o.trump],
        "called": _card(done.called),
    }
    said = [(c.ply, f"{c.ply}{SEATS[c.seat]}={c.what()}") for c in record.claims]
    cards = [CARDS[p.card] for p in record.plays]
    before: dict[str, Any] = {}
    for ply, play in enumerate(record.plays[:32]):
        state = done.at(ply)
        seat = done.seats[ply]
        if ply % 4 == 0:
            before = {"trick": ply // 4 + 1, "played": "".join(cards[:ply]), **_taken(done, state)}
        row: dict[str, Any] = {**public, **before, "ply": ply, "place": ply % 4}
        row["seat"] = _seat(seat)
        row["card"] = cards[ply]
        row["leader"] = _seat(state.leader)
        row["table"] = "".join(cards[ply - ply % 4 : ply])
        row["claims"] = ",".join(text for at, text in said if at <= ply) or None
        row["exposed"] = "".join(SEATS[s] for s in state.exposed)
        for s in state.exposed:
            row[f"open_{SEATS[s].lower()}"] = hand_text(state.hands[s])
        if seat is not None:
            row |= _own_view(done, state, seat)
            legal = _legal(done, state, seat)
            if legal is not None:
                row["legal"] = hand_text(legal)
                row["choices"] = legal.bit_count()
                row["regular"] = bool(legal >> play.card & 1)
        yield row


def _taken(done: Replay, state: State) -> dict[str, Any]:
    """Who took the tricks so far, and their points; nothing where not all of it is known."""
    if len(state.winners) != state.ply // 4:
        return {}
    out: dict[str, Any] = {"winners": "".join(SEATS[w] for w in state.winners)}
    if done.outcome.trump is not None:
        points = done.rules.tables.points[done.outcome.trump].tolist()
        taken = [0] * 4
        for t, w in enumerate(state.winners):
            taken[w] += sum(points[p.card] for p in done.record.plays[4 * t : 4 * t + 4])
        out |= {f"taken_{s.lower()}": n for s, n in zip(SEATS, taken)}
    return out


def _own_view(done: Replay, state: State, seat: int) -> dict[str, Any]:
    """What only the player himself knows, besides what lies open."""
    o, rules = done.outcome, done.rules
    out: dict[str, Any] = {
        "hand": hand_text(state.hands[seat]),
        "complete": state.complete[seat],
    }
    mine = seat == o.declarer
    takes = o.bid is not None and rules.takes_middle(o.bid.contract)
    if rules.deal.middle == "taken" or (mine and takes):
        out["middle"] = _card(done.middle)
    if mine:
        out["discard"] = _card(done.discard)
    partner = _partner_seen(done, state, seat)
    out["partner"] = "-" if partner == NOBODY else _seat(partner)
    if o.declarer is None:
        return out
    if mine:
        out["role"] = "declarer"
    elif partner is not None:
        out["role"] = "partner" if partner == seat else "defender"
    elif done.called is not None and done.playing[seat].bit_count() == 8:
        out["role"] = "defender"  # he does not hold the called card
    return out


def _partner_seen(done: Replay, state: State, seat: int) -> int | None:
    """The partner as far as a player knows him: a seat, NOBODY, or ``None``."""
    partner = done.outcome.partner
    if partner is None or state.partner_known:
        return partner
    if done.called is None:
        return None
    if partner == seat:
        return seat
    # Declarer has the called card himself, or put it away.
    own = seat == done.outcome.declarer and partner == NOBODY
    here = done.playing[seat] >> done.called & 1 or done.discard == done.called
    return NOBODY if own and here else None


def _legal(done: Replay, state: State, seat: int) -> int | None:
    """Legal cards, ``None`` where trumps or the hand are not known."""
    trump, tables = done.outcome.trump, done.rules.tables
    if trump is None or not state.complete[seat]:
        return None
    led = best = -1
    for _, card in state.trick:
        if led < 0:
            led = best = card
        elif tables.wins(trump, best, card):
            best = card
    return tables.legal(trump, state.hands[seat], led, best)


def _seat(seat: int | None) -> str | None:
    return None if seat is None else SEATS[seat]


def _card(card: int | None) -> str | None:
    return None if card is None else CARDS[card]


def _heerlen() -> RuleSet:
    from engine.rulefile import DEFAULT_ID, load_ruleset

    return load_ruleset(DEFAULT_ID)


def write_parquet(frames: "Iterable[pl.DataFrame]", out: IO[bytes]) -> int:
    """Write tables as one Parquet file, a row group each, one in memory; gives how many rows."""
    import polars as pl
    import pyarrow.parquet as pq

    writer = None
    count = 0
    try:
        for frame in frames:
            table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
            if writer is None:
                writer = pq.ParquetWriter(out, table.schema, compression="zstd")
            writer.write_table(table)
            count += frame.height
    finally:
        if writer is not None:
            writer.close()
    return count
