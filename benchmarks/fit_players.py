"""Fit the simple players to the built-in rule sets and write `data/players.json`.

    python -m benchmarks.fit_players

To be run after a change of a built-in rule set or of the players' card play: both change the
hands that follow from a seed.
"""

import json
from pathlib import Path

from engine.rulefile import BUILTIN_IDS, load_ruleset
from pandoeren_replay.players.bidding import Bidder
from pandoeren_replay.players.fitted import FILE

FOLDER = Path(__file__).parent.parent / "data"


def main() -> None:
    """Write all models, one rule set a line."""
    lines = []
    for rules_id in BUILTIN_IDS:
        rules = load_ruleset(rules_id)
        bidder = Bidder(rules, kept=False)
        sigma = [0.0] * len(bidder.weights)
        for row in bidder.rows:
            sigma[row["model"]] = float(row["sigma"])
        kept = {
            "rules": rules_id,
            "weights": bidder.weights.tolist(),
            "sigma": sigma,
            "rare": bidder.rare,
        }
        entry = f"{json.dumps(rules.content_hash)}: {json.dumps(kept)}"
        if entry not in lines:
            lines.append(entry)
    (FOLDER / FILE).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{FOLDER / FILE}: {len(lines)} rule sets")


if __name__ == "__main__":
    main()
