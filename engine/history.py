"""The table at every ply and the events in order, folded from what the replay found."""

from engine.auction import AuctionResult
from engine.cards import CARDS, cards_in
from engine.claims import Judged, Situation
from engine.meld import NEVER
from engine.outcome import counts_for_side, trick_points
from engine.state import NOBODY, Event, State


def reveal_ply(s: Situation, judged: Judged) -> tuple[int, str] | None:
    """From which ply the whole table knows the partner, and how; ``None`` for never.

    A contract without a partner is known from the start (ply 0).
    """
    if s.bid is None or s.partner is None:
        return None
    contract = s.bid.contract
    if contract.partner == "none":
        return 0, "contract"
    options: list[tuple[int, str]] = []
    if s.called is None and s.partner == NOBODY:
        options.append((4 if contract.partner == "first-trick-winner" else 0, "contract"))
    if contract.partner == "first-trick-winner":
        options.append((4, "first-trick"))
    elif s.called is not None and s.play_of(s.called) != NEVER:
        options.append((s.play_of(s.called) + 1, "called-card"))
    if judged.revealed_by is not None:
        options.append(judged.revealed_by)
    if contract.exposure == "all-from-trick-1":
        options.append((1, "exposed"))
    return min(options, default=None)


def exposed_seats(s: Situation, ply: int) -> tuple[int, ...]:
    """Seats whose cards lie face up when ``ply`` cards are on the table (RULES 4)."""
    if s.bid is None or s.declarer is None:
        return ()
    exposure = s.bid.contract.exposure
    if exposure == "all-from-trick-1" and ply >= 1:
        return (0, 1, 2, 3)
    if exposure == "declarer-from-trick-2" and ply > s.next_play(s.declarer, 4):
        return (s.declarer,)
    return ()


def build_state(s: Situation, judged: Judged, ply: int) -> State:
    """The table when ``ply`` cards have been played."""
    plays, seats = s.record.plays, s.table.seats
    left = list(s.hands.playing)
    for i in range(ply):
        seat = seats[i]
        if seat is not None:
            left[seat] &= ~(1 << plays[i].card)
    done, over = divmod(ply, 4)

    def trick(t: int, upto: int) -> tuple[tuple[int, int], ...]:
        return tuple(
            (-1 if seats[i] is None else int(seats[i] or 0), plays[i].card)
            for i in range(4 * t, 4 * t + upto)
        )

    winners = s.table.winners[:done]
    points = tricks = None
    if s.declarer is not None and s.partner is not None and None not in winners:
        tally, won = [0, 0], [0, 0]
        for t, w in enumerate(winners):
            # A hidden partner's tricks change sides only from the trick in which he shows himself.
            i = 0 if w is not None and counts_for_side(s, t, w, s.partner) else 1
            tally[i] += trick_points(s, t)
            won[i] += 1
        points, tricks = (tally[0], tally[1]), (won[0], won[1])
    shown = reveal_ply(s, judged)
    leader = _leader(s, done if over or done < 8 else 7)
    return State(
        ply=ply,
        hands=(left[0], left[1], left[2], left[3]),
        complete=(
            s.hands.complete[0],
            s.hands.complete[1],
            s.hands.complete[2],
            s.hands.complete[3],
        ),
        trick=trick(done, over) if over else (),
        last_trick=trick(done - 1, 4) if done else (),
        leader=leader,
        to_play=_to_play(s, ply, leader),
        winners=tuple(w for w in winners if w is not None),
        points=points,
        tricks=tricks,
        partner_known=shown is not None and ply >= shown[0],
        exposed=exposed_seats(s, ply),
    )


def _leader(s: Situation, trick: int) -> int | None:
    if trick < len(s.table.leaders):
        return s.table.leaders[trick]
    if trick:
        return s.table.winners[trick - 1] if trick <= len(s.table.winners) else None
    return s.declarer if s.rules.play.first_lead == "declarer" else s.forehand


def _to_play(s: Situation, ply: int, leader: int | None) -> int | None:
    if ply >= 32:
        return None
    if ply < len(s.table.seats):
        return s.table.seats[ply]
    if leader is None:
        return None
    there = {s.table.seats[i] for i in range(4 * (ply // 4), ply)}
    for k in range(4):
        if (leader + k) % 4 not in there:
            return (leader + k) % 4
    return None


def build_events(s: Situation, auction: AuctionResult, judged: Judged) -> tuple[Event, ...]:
    """All events in the order they happened."""
    out: list[Event] = []
    for call in auction.calls:
        data = {"text": call.text, "valid": call.counts}
        out.append(Event("call", 0, call.seat, call.index, data))
    if s.bid is not None:
        declared = {
            "trump": s.record.trump,
            "called": s.record.called,
            "discard": s.record.discard,
        }
        out.append(Event("declaration", 0, s.declarer, None, declared))
    shown = reveal_ply(s, judged)
    claims = sorted(enumerate(s.record.claims), key=lambda ic: ic[1].ply)
    said = 0
    for ply in range(len(s.record.plays) + 1):
        while said < len(claims) and claims[said][1].ply <= ply:
            i, claim = claims[said]
            said += 1
            claimed = {"what": claim.what(), "stands": judged.stands[i], "index": i}
            out.append(Event("claim", claim.ply, claim.seat, None, claimed))
        if shown is not None and shown[0] == ply and s.partner != NOBODY and ply:
            out.append(Event("reveal", ply, s.partner, None, {"how": shown[1]}))
        if ply == len(s.record.plays):
            break
        card = s.record.plays[ply].card
        out.append(Event("play", ply, s.table.seats[ply], None, {"card": CARDS[card]}))
        if ply % 4 == 3:
            t = ply // 4
            points = trick_points(s, t) if s.trump is not None else None
            taken = {"trick": t + 1, "points": points}
            out.append(Event("trick", ply + 1, s.table.winners[t], None, taken))
    for i, claim in claims[said:]:
        data = {"what": claim.what(), "stands": judged.stands[i], "index": i}
        out.append(Event("claim", claim.ply, claim.seat, None, data))
    return tuple(out)


def visible_to(s: State, seat: int, declarer: int | None) -> list[int]:
    """Seats whose hands a player at ``seat`` sees: his own and what lies face up."""
    return sorted({seat, *s.exposed})


__all__ = ["build_events", "build_state", "cards_in", "exposed_seats", "reveal_ply", "visible_to"]
