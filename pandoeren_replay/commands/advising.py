"""``advise``, ``review``, ``match``: what to bid or play, what was a mistake, who plays better."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pandoeren_replay.commands.common import (
    CommandError,
    DbOption,
    RulesOption,
    WhereOption,
    open_store,
    print_json,
    printable,
    progress,
    say,
    table,
)
from pandoeren_replay.commands.showing import find_hand

if TYPE_CHECKING:
    from engine.state import Replay
    from pandoeren_replay.advise import Weigher
    from pandoeren_replay.bid_answers import BiddingAdvice

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]
DealsOption = Annotated[
    int, typer.Option("--deals", min=2, max=100_000, help="Deals to look at for each card.")
]
BidsOption = Annotated[
    str,
    typer.Option(
        "--bids",
        help="How much a deal counts: by the bids of the store (store), by the model of the "
        "simple players (players), all alike (even). auto: store for a stored hand, else even.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The same seed, the same deals.")]


def cards_of(text: str) -> int | None:
    """The cards that a text names, as a bit set; ``None`` where it is no list of cards.

    Dutch letters are read where it can be no list in English ones.

    >>> cards_of("SA s10") == 1 | 1 << 4, cards_of("evening.phl:12")
    (True, None)
    >>> cards_of("HB R10 K7 SV") == cards_of("HJ D10 C7 SQ")
    True
    """
    from engine.cards import CARD_INDEX, mask_of

    plain = text.upper().replace("10", "T")
    for sign, letter in zip("♠♥♦♣", "SHDC"):
        plain = plain.replace(sign, letter)
    plain = "".join(c for c in plain if c not in " ,.;-\N{VARIATION SELECTOR-16}")
    parts = [plain[i : i + 2] for i in range(0, len(plain), 2)]
    if not parts or any(p not in CARD_INDEX for p in parts):
        parts = _dutch_cards(text)
        if not parts:
            return None
    if len(set(parts)) != len(parts):
        double = next(p for p in parts if parts.count(p) > 1)
        raise CommandError(f"{double} is named twice", 2)
    return mask_of(CARD_INDEX[p] for p in parts)


def _dutch_cards(text: str) -> list[str]:
    """The cards of a list in Dutch letters, suit first; empty where it is none."""
    from engine.cards import CARDS
    from parsers.cardtext import CardStyle

    found = [CardStyle("nl", "nl").find(w) for w in text.replace(",", " ").split()]
    return [] if None in found else [CARDS[c] for c in found if c is not None]


def advise(
    hand: Annotated[
        str,
        typer.Argument(
            metavar="HAND-OR-CARDS",
            help="Your eight cards (SA SK … , then it is about bidding), "
            "or a hand: number or id in the store, or FILE:LINE (then about a card).",
        ),
    ],
    middle: Annotated[
        str | None, typer.Option("--middle", help="The middle card, where it lies face up.")
    ] = None,
    calls: Annotated[
        str, typer.Option("--calls", help="The auction so far from forehand on: -,120,-.")
    ] = "",
    dealer: Annotated[
        str, typer.Option("--dealer", help="Who dealt: N, E, S or W (bidding).")
    ] = "W",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="Stop after so many seconds (bidding).")
    ] = 5.0,
    ply: Annotated[
        int | None,
        typer.Option("--ply", help="Cards on the table, 0 to 31 (default: after the last one)."),
    ] = None,
    deals: DealsOption = 100,
    bids: BidsOption = "auto",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    rules: RulesOption = None,
    db: DbOption = None,
) -> None:
    """Say what to bid with eight cards, or what to play in a recorded hand, by what is seen."""
    from pandoeren_replay.store.errors import NotThere

    cards = cards_of(hand)
    if cards is not None:
        _bidding(cards, middle, calls, dealer, seconds, seed, as_json, rules)
        return
    if (wrong := no_card(hand)) is not None and not os.path.isfile(hand.rpartition(":")[0]):
        raise CommandError(f"{wrong!r} is no card: expected {_CARDS}", 2)
    try:
        _playing(hand, ply, deals, bids, seed, as_json, rules, db)
    except NotThere as e:
        raise CommandError(
            f"{hand!r} is no list of cards (expected {_CARDS}), and as a hand: {e}"
        ) from e


_CARDS = "eight such as SA HT C7, first the suit (S H D C), then A K Q J T 9 8 7"


def no_card(text: str) -> str | None:
    """The first word of several that is no card; ``None`` where a text is no list of words.

    >>> no_card("SA SX HT"), no_card("SA HT"), no_card("evening.phl:12")
    ('SX', None, None)
    """
    words = text.replace(",", " ").split()
    if len(words) < 2:
        return None
    return next((w for w in words if cards_of(w) is None), None)


def _bidding(
    cards: int, middle: str | None, calls: str, dealer: str, seconds: float, seed: int,
    as_json: bool, rules: str | None,
) -> None:  # fmt: skip
    from engine.rulefile import DEFAULT_ID, load_ruleset
    from pandoeren_replay.bid_advice import advise_bid

    turned = None if middle is None else cards_of(middle)
    if middle is not None and (turned is None or turned.bit_count() != 1):
        raise CommandError(f"--middle {middle}: expected one card", 2)
    who = "NESW".find(dealer.upper()) if len(dealer) == 1 else -1
    if who < 0:
        raise CommandError(f"--dealer {dealer}: expected N, E, S or W", 2)
    said = tuple(c.strip() for c in calls.split(",") if c.strip())
    face_up = None if turned is None else turned.bit_length() - 1
    try:
        found = advise_bid(
            load_ruleset(rules or DEFAULT_ID), cards, face_up, said, who, seed, seconds=seconds
        )
    except ValueError as e:
        raise CommandError(str(e), 2) from None
    if as_json:
        print_json(found.as_json())
        return
    _bid_table(found)


def _bid_table(found: "BiddingAdvice") -> None:
    rows = []
    for c in found.calls:
        if c.plan is None or c.chance is None or c.score is None:
            continue
        if c.open_cards is None or c.simple is None:
            continue
        plan = c.plan.as_json()
        rows.append([
            c.call, plan["trump"], plan["discard"], plan["called"], f"{c.chance[0]:.0%}",
            f"{c.chance[1]:.0%}–{c.chance[2]:.0%}", f"{c.open_cards.value:.0%}",
            f"{c.simple.value:.0%}", f"{c.score[0]:+.2f}", f"{c.score[1]:+.2f} – {c.score[2]:+.2f}",
        ])  # fmt: skip
    columns = ["call", "trump", "discard", "called", "chance", "95%", "open cards", "simple",
               "score", "95% "]  # fmt: skip
    table("", columns, rows, right={"chance", "95%", "open cards", "simple", "score", "95% "})
    best = found.best
    what = "pass" if best.bid is None else best.call
    print(f"Best: {what}. {found.rounds} rounds in {found.seconds:.1f} s.")
    print("open cards: everybody sees everything; simple: played by the simple players.")


def _playing(
    name: str, ply: int | None, deals: int, bids: str, seed: int, as_json: bool,
    rules: str | None, db: Path | None,
) -> None:  # fmt: skip
    from engine.cards import CARDS
    from pandoeren_replay.advise import advise_play

    replay, _ = find_hand(name, rules, db)
    last = len(replay.record.plays)
    if ply is None and last == 32:
        raise CommandError("all 32 cards are played: say which moment with --ply (0 to 31)", 2)
    moment = last if ply is None else ply
    if not 0 <= moment <= min(last, 31):
        raise CommandError(f"--ply {moment}: this hand has plies 0 to {min(last, 31)}", 2)
    weigher, source = _weigher(replay, bids, name, db)
    found = advise_play(replay, moment, deals, seed, weigher=weigher)
    if as_json:
        print_json(found.as_json())
        return
    rows = []
    for c, chance in found.cards.items():
        low, high = chance.interval
        row = [CARDS[c], f"{chance.value:.1%}", f"{low:.1%}–{high:.1%}"]
        rows.append([*row, f"{chance.share:.0%}"] if found.curve else row)
    wish = "made" if found.side else "beaten"
    who = "NESW"[found.seat]
    columns = ["card", wish, "95%", *(["open cards"] if found.curve else [])]
    table(f"{who} to play, {found.contract}", columns, rows, right=set(columns[1:]))
    how = "all deals that fit" if found.exact else "deals drawn evenly from all that fit"
    if source and not found.exact:
        how = f"deals drawn from all that fit, weighed by the {source}"
    print(f"{found.n} deals ({how}), {found.rate:.0f} a second.")
    if found.curve:
        print("open cards: share of the deals where everybody sees everything from then on.")


def _weigher(
    replay: "Replay", bids: str, name: str, db: Path | None
) -> "tuple[Weigher | None, str]":
    """What weighs the deals of a hand, and what that rests on (empty: all count alike)."""
    if bids not in ("auto", "store", "players", "even"):
        raise CommandError(f"--bids {bids}: expected auto, store, players or even", 2)
    if bids == "players":
        from pandoeren_replay.players.bid_model import bid_model

        return bid_model(replay.rules).weigher, "model of the simple players"
    file, _, line = name.rpartition(":")
    stored = not (file and line.isdigit() and Path(file).is_file())
    if bids == "even" or (bids == "auto" and not stored) or replay.outcome.bid is None:
        return None, ""
    from pandoeren_replay.players.stored_bids import stored_bids

    store = open_store(db)
    # The bid of the hand itself must not tell its cards.
    models = stored_bids(store, replay.rules).without(store.find(name))
    model = models.of(replay.outcome.bid)
    if model is None:
        return None, ""
    return models.weigher, f"bids of {model.hands} such hands in the store"


def review(
    hand: Annotated[
        str | None, typer.Argument(help="Number or id of a stored hand, or FILE:LINE.")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Every stored hand not reviewed yet; kept in the store.")
    ] = False,
    where: WhereOption = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes (--all, --where).")] = 1,
    deals: DealsOption = 100,
    bids: BidsOption = "auto",
    seed: SeedOption = 0,
    every: Annotated[
        bool, typer.Option("--every", help="Every card, not only what was doubtful or worse.")
    ] = False,
    lang: Annotated[
        str, typer.Option("--lang", help="Language of the sentences: en or nl.")
    ] = "en",
    as_json: JsonOption = False,
    rules: RulesOption = None,
    db: DbOption = None,
) -> None:
    """Review fairly: mistakes by what each player could see, not by open cards.

    One hand is judged and shown. With --all or --where the hands not reviewed yet are, and what is
    found is kept in the store (view `reviews`), where the dashboard and the report read it.
    """
    from pandoeren_replay.fair_review import review as judge
    from pandoeren_replay.fair_review import review_bid

    if lang not in ("en", "nl"):
        raise CommandError(f"--lang {lang}: expected en or nl", 2)
    several = all_ or where is not None
    if several == (hand is not None):
        raise CommandError("name a hand, or give --all or --where", 2)
    if several:
        _review_all(where, jobs, deals, db)
        return
    assert hand is not None
    replay, _ = find_hand(hand, rules, db)
    with progress() as update:
        weigher, source = _weigher(replay, bids, hand, db)
        found = judge(replay, deals, seed, lambda done, n: update("review", done, n), weigher)
        bid = review_bid(replay, seed)
    if as_json:
        out: dict[str, Any] = found.as_json()
        out["bid"] = None if bid is None else bid.as_json()
        print_json(out)
        return
    if bid is not None:
        print(printable(bid.text(lang)))  # type: ignore[arg-type]
    for d in found.decisions:
        notable = d.verdict in ("mistake", "doubtful", "illegal") or (d.open_loss or 0) > 0
        if every or notable:
            print(printable(f"{d.ply // 4 + 1}.{d.ply % 4 + 1} {d.text(lang)}"))  # type: ignore[arg-type]
    for ply, reason in found.skipped.items():
        print(printable(f"{ply // 4 + 1}.{ply % 4 + 1} not judged: {reason}"))
    if source:
        print(f"Deals weighed by the {source}.")
    mistakes = len(found.mistakes())
    say(f"{mistakes} mistake{'' if mistakes == 1 else 's'}; {found.rate:.0f} deals a second")


def _review_all(where: str | None, jobs: int, deals: int, db: Path | None) -> None:
    from pandoeren_replay.reviewed import review_all

    store = open_store(db)
    with progress() as update:
        found = review_all(store, where, jobs, update, deals)
    print(
        f"reviewed {found.done} hands ({found.decisions} decisions, {found.mistakes} mistakes), "
        f"{found.known} known already"
    )
    for reason, n in sorted(found.left_out.items()):
        print(printable(f"left out {n}: {reason}"))


def match(
    a: Annotated[str, typer.Argument(help="rules, random, solver, solver:DEALS or cmd:PROGRAM.")],
    b: Annotated[str, typer.Argument(help="The same.")],
    deals: Annotated[int, typer.Option("--deals", min=1, max=1_000_000, help="How many.")] = 100,
    arrangements: Annotated[
        str,
        typer.Option("--seats", help="all (six ways to seat two and two) or opposite (two)."),
    ] = "all",
    seed: SeedOption = 1,
    rules: Annotated[
        str, typer.Option("--rules", help="Rule set: an id, or a .toml file.")
    ] = "heerlen",
    as_json: JsonOption = False,
) -> None:
    """Let two kinds of players play the same deals in every arrangement."""
    from engine.rulefile import load_ruleset
    from pandoeren_replay.matches import ARRANGEMENTS, make_player
    from pandoeren_replay.matches import match as play
    from pandoeren_replay.players.protocol import ProcessPlayer

    if arrangements not in ARRANGEMENTS:
        raise CommandError(f"--seats {arrangements}: expected {' or '.join(ARRANGEMENTS)}", 2)
    chosen = load_ruleset(rules)
    players = [make_player(a, chosen, seed)]
    try:
        players.append(make_player(b, chosen, seed))
        with progress() as update:
            found = play(
                players[0], players[1], chosen, deals, seed, arrangements,
                lambda done, n: update("match", done, n),
            )  # fmt: skip
    finally:
        for player in players:
            if isinstance(player, ProcessPlayer):
                player.close()
    between = found.interval
    if as_json:
        print_json({
            "a": found.a, "b": found.b, "deals": deals, "hands": found.hands,
            "passed_out": found.passed_out, "difference": found.mean,
            "low": None if between is None else between[0],
            "high": None if between is None else between[1],
        })  # fmt: skip
        return
    print(f"{found.a} – {found.b}: {found.mean:+.3f} a deal", end="")
    if between is not None:
        print(f" (95%: {between[0]:+.3f} to {between[1]:+.3f})", end="")
    print(f", {deals} deals, {found.hands} hands, {found.passed_out} of them passed out")
    if between is not None:
        clear = between[0] > 0 or between[1] < 0
        better = found.a if found.mean > 0 else found.b
        print(f"{better} plays better." if clear else "Nothing is proven either way.")


def puzzles(
    day: Annotated[str | None, typer.Option("--day", help="Another day's set: YYYY-MM-DD.")] = None,
    player: Annotated[
        str | None, typer.Option("--player", help="Only decisions of this player.")
    ] = None,
    answers: Annotated[bool, typer.Option("--answers", help="With the answers.")] = False,
    where: WhereOption = None,
    db: DbOption = None,
) -> None:
    """Print the day's puzzles from your own games (hands reviewed by `pandoeren review --all`)."""
    import datetime as dt

    from engine.cards import CARDS
    from pandoeren_replay.puzzles import candidates, daily
    from pandoeren_replay.table_text import table_text

    try:
        date = dt.date.today() if day is None else dt.date.fromisoformat(day)
    except ValueError:
        raise CommandError(f"--day {day}: expected a date such as 2026-11-30", 2) from None
    store = open_store(db)
    found = daily(candidates(store, where, player), date)
    if not found:
        say("no puzzles yet: `pandoeren review --all` judges the stored hands first")
    for i, p in enumerate(found, 1):
        d = p.decision
        marked = " (simulated)" if p.simulated else ""
        print(printable(f"{i}. hand {p.hand_id}, {'NESW'[d.seat]} to play{marked}"))
        print(printable(table_text(store.replay(p.hand_id), p.ply, seat=d.seat)))
        print("Which card? " + " ".join(CARDS[c] for c in sorted(d.chances)))
        if answers and d.best is not None:
            chances = sorted(d.chances.items(), key=lambda x: -x[1])
            print("   " + ", ".join(f"{CARDS[c]} {x:.0%}" for c, x in chances))
            print(f"   played: {CARDS[d.card]}")
        print()


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(
        "advise",
        epilog="Example: `pandoeren advise 'SJ S8 S7 HJ DT CQ CJ C9' --middle H9`, "
        "`pandoeren advise evening.phl:12 --ply 9`",
    )(advise)
    app.command(
        "review",
        epilog="Example: `pandoeren review evening.phl:12`, `pandoeren review --all --jobs 2`",
    )(review)
    app.command("puzzles", epilog="Example: `pandoeren puzzles --answers`")(puzzles)
    app.command("match", epilog="Example: `pandoeren match solver rules --deals 200`")(match)
