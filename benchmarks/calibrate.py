"""Are the chances of the advice right? Predicted against observed, with a figure.

    python benchmarks/calibrate.py play 400 [SEED]   so many hands played; rows are appended to
                                                     benchmarks/calibration.csv as they come
    python benchmarks/calibrate.py report            tables, Brier scores, the weights that fit
    python benchmarks/calibrate.py figure            docs/screens/advice-reliability.svg

Hands are bid by the simple players and played by the sampling players. Contracts that shun tricks
(piccolo, misère) are all kept, of the others one in three. Deals are drawn evenly, and weighed by
the two models of the bids: that of the simple players, and the one fitted from stored hands (of
the demo season, which shares no deal with these).
"""

import csv
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from engine.record import HandRecord
from engine.replay import replay
from engine.rulefile import load_ruleset
from pandoeren_replay.advise import advise_play
from pandoeren_replay.bid_advice import bid_steps
from pandoeren_replay.matches import Table
from pandoeren_replay.players.bid_model import bid_model
from pandoeren_replay.players.bidding import deal_cards, want_of
from pandoeren_replay.players.cardplay import WANT_NONE
from pandoeren_replay.players.sampling_player import SamplingPlayer, SimplePlayer
from pandoeren_replay.players.stored_bids import stored_bids
from pandoeren_replay.statistics.intervals import wilson
from pandoeren_replay.store import Store

HERE = Path(__file__).parent
ROWS = HERE / "calibration.csv"
FIGURE = HERE.parent / "docs" / "screens" / "advice-reliability.svg"
RULES = ("heerlen", "fiches", "butselaar")
DEALS = 60
COLUMNS = ["kind", "seed", "hand", "rules", "contract", "wants", "ply", "even", "players", "store",
           "open", "simple", "won"]  # fmt: skip


def play(n: int, seed: int) -> None:
    store = Store(Path(tempfile.mkdtemp()) / "season")
    store.import_([str(files("data") / "demo" / "season.phl")])
    new = not ROWS.exists()
    tables = [Seats(store, rules_id, seed) for rules_id in RULES]
    with ROWS.open("a", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS)
        if new:
            writer.writeheader()
        for i in range(n):
            # Half of the hands by the default rules, the others in turn.
            seats = tables[0 if i % 2 == 0 else 1 + i // 2 % 2]
            writer.writerows(seats.next_hand())
            out.flush()


class Seats:
    """A table of one rule set: plays hands that are wanted and asks for advice on them."""

    def __init__(self, store: Store, rules_id: str, seed: int) -> None:
        self.rules = load_ruleset(rules_id)
        self.seed, self.number = seed, 0
        self.simple = Table(self.rules, [SimplePlayer(self.rules, seed)] * 4)
        self.table = Table(self.rules, [SamplingPlayer(self.rules, seed)] * 4)
        self.models = {
            "even": None,
            "players": bid_model(self.rules).weigher,
            "store": stored_bids(store, self.rules).weigher,
        }
        self.rng = np.random.default_rng([seed, RULES.index(rules_id)])

    def next_hand(self) -> list[dict[str, object]]:
        """Rows of the next hand that is wanted."""
        while True:
            self.number += 1
            hands, middle = deal_cards(self.rng)
            dealer = int(self.rng.integers(4))
            # Who plays the cards changes nothing in the auction.
            quick = self.simple.play(hands, middle, dealer, self.number)
            bid = replay(quick, self.rules).outcome.bid
            if bid is None or bid.contract.exposure == "all-from-trick-1":
                continue
            wants = want_of(bid.contract) < WANT_NONE
            if not wants or self.number % 3 == 0:
                return self._asked(self.table.play(hands, middle, dealer, self.number), wants)

    def _asked(self, record: HandRecord, wants: bool) -> list[dict[str, object]]:
        full, number = replay(record, self.rules), self.number
        o = full.outcome
        assert o.bid is not None
        assert o.declarer is not None
        assert o.made is not None
        assert record.dealer is not None
        row: dict[str, object] = {
            "seed": self.seed, "hand": number, "rules": self.rules.id, "contract": o.bid.text,
            "wants": int(wants),
        }  # fmt: skip
        out = []
        for ply in (3 + number % 4, 10 + number % 4, 17 + number % 4):
            card = record.plays[ply].card
            found = {k: advise_play(full, ply, DEALS, number, weigher=w)
                     for k, w in self.models.items()}  # fmt: skip
            shares = {k: round(a.cards[card].share, 4) for k, a in found.items()}
            won = int(o.made == found["even"].side)
            out.append(row | {"kind": "card", "ply": ply, "won": won} | shares)
        last = max(j for j, c in enumerate(record.auction) if c.text == o.bid.text)
        face_up = full.middle if self.rules.deal.middle == "taken" else None
        calls = [c.text for c in record.auction[:last]]
        hand = full.hands[o.declarer]
        steps = bid_steps(self.rules, hand, face_up, calls, record.dealer, number, {o.bid.text})
        next(steps)
        advice = next(steps).of(o.bid.text)
        if advice is not None and advice.open_cards and advice.simple:
            shares = {"open": advice.open_cards.value, "simple": advice.simple.value}
            out.append(row | {"kind": "bid", "won": int(o.made)} | shares)
        return out


def rows(kind: str) -> list[dict[str, str]]:
    with ROWS.open(newline="") as source:
        return [r for r in csv.DictReader(source) if r["kind"] == kind]


Pairs = list[tuple[float, bool]]


def cards(model: str, keep: str | None = None) -> Pairs:
    return [(float(r[model]), r["won"] == "1") for r in rows("card") if keep in (None, r["wants"])]


DRAWN = 60
"""Deals that the shares of the cards rest on."""


def kind_rows(wants: str, side: bool, half: int | None = None) -> list[dict[str, str]]:
    """Cards of declarer's side or of the others; of every second hand if ``half`` says which.

    Whose side a card was on follows from what came of it and of the hand.
    """
    made = {hand_of(r): r["won"] for r in rows("bid")}
    found = [r for r in rows("card") if r["wants"] == wants]
    found = [r for r in found if (r["won"] == made[hand_of(r)]) == side]
    order = {key: i for i, key in enumerate(dict.fromkeys(map(hand_of, found)))}
    return [r for r in found if half is None or order[hand_of(r)] % 2 == half]


def logits(model: str, found: list[dict[str, str]]) -> tuple[Any, Any]:
    """Shares on the logit scale, and what came of them."""
    inside = np.array([(float(r[model]) * DRAWN + 0.5) / (DRAWN + 1) for r in found])
    return np.log(inside / (1 - inside)), np.array([r["won"] == "1" for r in found], float)


def curve(model: str, wants: str, side: bool, half: int | None = None) -> tuple[float, float]:
    """Intercept and slope that make forecasts of shares, by logistic regression."""
    x, y = logits(model, kind_rows(wants, side, half))
    design = np.column_stack([np.ones_like(x), x])
    beta = np.zeros(2)
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ beta))
        beta += np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design, design.T @ (y - p))
    return float(beta[0]), float(beta[1])


def shares(model: str, wants: str, side: bool) -> Pairs:
    """Shares of deals, and what came of them."""
    return [(float(r[model]), r["won"] == "1") for r in kind_rows(wants, side)]


def forecasts(model: str, wants: str, side: bool) -> Pairs:
    """Chances as they come out at the table: each half by the curve of the other."""
    out: Pairs = []
    for half in (0, 1):
        a, b = curve(model, wants, side, 1 - half)
        x, y = logits(model, kind_rows(wants, side, half))
        out += [(float(p), bool(won)) for p, won in zip(1 / (1 + np.exp(-a - b * x)), y)]
    return out


def hand_of(r: dict[str, str]) -> tuple[str, str, str]:
    return r["seed"], r["rules"], r["hand"]


def bids(weights: dict[str, float]) -> dict[str, Pairs]:
    out: dict[str, Pairs] = {"1": [], "0": []}
    for r in rows("bid"):
        w = weights[r["wants"]]
        chance = w * float(r["open"]) + (1 - w) * float(r["simple"])
        out[r["wants"]].append((chance, r["won"] == "1"))
    return out


def brier(pairs: Pairs) -> float:
    return sum((p - won) ** 2 for p, won in pairs) / len(pairs)


def fitted(wants: str, half: int | None = None) -> float:
    """The weight of the figure with open cards with the least squared error."""
    found = [r for r in rows("bid") if r["wants"] == wants]
    found = [r for i, r in enumerate(found) if half is None or i % 2 == half]
    triples = [(float(r["open"]), float(r["simple"]), r["won"] == "1") for r in found]
    errors = {w: sum((w * a + (1 - w) * b - won) ** 2 for a, b, won in triples)
              for w in np.linspace(0, 1, 21)}  # fmt: skip
    return float(min(errors, key=lambda w: errors[w]))


def bins(pairs: Pairs, n: int = 5) -> list[tuple[float, float, float, float, int]]:
    """Mean prediction, share observed with its interval, and number, for each fifth."""
    by: dict[int, Pairs] = defaultdict(list)
    for p, won in pairs:
        by[min(n - 1, int(p * n))].append((p, won))
    out = []
    for _, inside in sorted(by.items()):
        k, m = sum(w for _, w in inside), len(inside)
        low, high = wilson(k, m) or (0.0, 1.0)
        out.append((sum(p for p, _ in inside) / m, k / m, low, high, m))
    return out


def table(pairs: Pairs) -> None:
    print("| predicted | observed | 95% | n |\n|---|---|---|---|")
    for p, seen, low, high, n in bins(pairs):
        print(f"| {p:.0%} | {seen:.0%} | {low:.0%}–{high:.0%} | {n} |")


def report() -> None:
    from pandoeren_replay.advise import AT_TABLE
    from pandoeren_replay.bid_advice import OPEN_WEIGHT

    hands = len(set(map(hand_of, rows("card"))))
    print(f"{hands} hands")
    for name, keep in (("all", None), ("contracts that want tricks", "1"), ("that shun", "0")):
        scores = {m: brier(cards(m, keep)) for m in ("even", "players", "store")}
        told = ", ".join(f"{m} {b:.4f}" for m, b in scores.items())
        print(f"\ncards, {name} (n={len(cards('even', keep))}): Brier {told}")
        for other in ("players", "store"):
            low, high = difference(other, keep)
            print(f"  {other} less even, 95% over hands: {low:+.4f} to {high:+.4f}")
    for wants, side, model in product("10", (True, False), ("even", "store")):
        a, b = curve(model, wants, side)
        used = AT_TABLE[wants == "0", side, model == "store"]
        before, after = shares(model, wants, side), forecasts(model, wants, side)
        print(f"\ncards, wants={wants}, {'declarer' if side else 'defenders'}, {model}: "
              f"{a:.2f} + {b:.2f} logit(share), in use {used}; Brier {brier(before):.3f}, "
              f"each half by the curve of the other {brier(after):.3f}")  # fmt: skip
        if model == "store":
            table(before)
            table(after)
    for wants in ("1", "0"):
        first, second = fitted(wants, 0), fitted(wants, 1)
        used = OPEN_WEIGHT[wants == "1"]
        print(f"\nbids, wants={wants}: fitted {fitted(wants):.2f} (halves {first:.2f} and "
              f"{second:.2f}), in use {used}")  # fmt: skip
        for w in (0.0, 0.5, 1.0, used, fitted(wants)):
            print(f"  weight {w:.2f}: Brier {brier(bids({'1': w, '0': w})[wants]):.4f}")
        table(bids({"1": used, "0": used})[wants])


def difference(model: str, keep: str | None) -> tuple[float, float]:
    """Interval of the difference in Brier score to drawing evenly, hands drawn again."""
    by: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for r in rows("card"):
        if keep in (None, r["wants"]):
            won = float(r["won"])
            both = [(float(r[m]) - won) ** 2 for m in (model, "even")]
            by[hand_of(r)].append(both[0] - both[1])
    sums = np.array([[sum(v), len(v)] for v in by.values()])
    rng = np.random.default_rng(1)
    draws = []
    for _ in range(2000):
        total = sums[rng.integers(len(sums), size=len(sums))].sum(axis=0)
        draws.append(total[0] / total[1])
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def both(wants: str) -> Pairs:
    """Forecasts of both sides."""
    return forecasts("store", wants, True) + forecasts("store", wants, False)


def figure() -> None:
    from pandoeren_replay.bid_advice import OPEN_WEIGHT

    found = bids({"1": OPEN_WEIGHT[True], "0": OPEN_WEIGHT[False]})
    panels = [
        ("Cards, tricks wanted", both("1")),
        ("Cards, piccolo and misère", both("0")),
        ("Bids that want tricks", found["1"]),
        ("Bids: piccolo and misère", found["0"]),
    ]
    size, gap, top = 200, 80, 60
    width, height = len(panels) * (size + gap) + 20, size + top + 70
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="Predicted chance against what was observed" '
        'font-family="sans-serif" font-size="14">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for i, (title, pairs) in enumerate(panels):
        parts += panel(title, pairs, gap + i * (size + gap) - 10, top, size)
    FIGURE.write_text("\n".join([*parts, "</svg>"]) + "\n", "utf-8")
    print(FIGURE)


def panel(title: str, pairs: Pairs, x: int, y: int, size: int) -> Sequence[str]:
    def at(p: float, q: float) -> tuple[float, float]:
        return round(x + p * size, 1), round(y + (1 - q) * size, 1)

    out = [f'<text x="{x}" y="{y - 26}" font-weight="bold">{title}</text>',
           f'<text x="{x}" y="{y - 8}" fill="#555">n = {len(pairs)}, '
           f"Brier {brier(pairs):.3f}</text>",
           f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="none" stroke="#888"/>',
           f'<path d="M{x} {y + size}L{x + size} {y}" stroke="#aaa" stroke-dasharray="5 4"/>',
           f'<text x="{x + size / 2}" y="{y + size + 42}" text-anchor="middle">predicted</text>',
           f'<text transform="translate({x - 38} {y + size / 2}) rotate(-90)" '
           'text-anchor="middle">observed</text>']  # fmt: skip
    for tick in (0.0, 0.5, 1.0):
        a, b = at(tick, 0), at(0, tick)
        out.append(f'<text x="{a[0]}" y="{y + size + 20}" text-anchor="middle">{tick:.0%}</text>')
        out.append(f'<text x="{x - 6}" y="{b[1] + 5}" text-anchor="end">{tick:.0%}</text>')
    for p, seen, low, high, n in bins(pairs):
        (cx, cy), (_, top), (_, bottom) = at(p, seen), at(p, high), at(p, low)
        out.append(f'<path d="M{cx} {top}V{bottom}" stroke="#14573a" stroke-width="2"/>')
        out.append(f'<circle cx="{cx}" cy="{cy}" r="5" fill="#14573a"><title>{n}</title></circle>')
        side = (cx - 8, "end") if p > 0.5 else (cx + 8, "start")
        out.append(f'<text x="{side[0]}" y="{cy + 4}" text-anchor="{side[1]}" fill="#333">{n}'
                   "</text>")  # fmt: skip
    return out


if __name__ == "__main__":
    job = sys.argv[1] if len(sys.argv) > 1 else "report"
    if job == "play":
        play(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 21)
    else:
        {"report": report, "figure": figure}[job]()
