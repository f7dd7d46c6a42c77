"""Ctrl-C does not fall into a call that hands a random generator to compiled code."""

import signal
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pandoeren_replay.players import bidding, dealer, plans
from pandoeren_replay.simulate import Simulator, Temper

CALLS = [(dealer, "deal_hands"), (plans, "fill_wishes"), (plans, "choose_bid")]


@pytest.mark.parametrize(("module", "name"), CALLS)
def test_the_call_is_finished_first(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    compiled, finished = getattr(module, name), []

    def interrupted(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        finished.append(compiled(*arguments))
        return finished[-1]

    simulator = Simulator("heerlen", seed=1)
    hands, middle = bidding.deal_cards(np.random.default_rng(1))
    plans_of_hand = simulator.bidder.plans(hands[0], middle)
    ask = {
        "deal_hands": simulator.hand,
        "fill_wishes": lambda: simulator._wishes(hands[0], plans_of_hand, Temper()),
        "choose_bid": lambda: simulator._choose(None, [(simulator.bidder.bids[0], 1.0)]),
    }[name]
    monkeypatch.setattr(module, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask()
    assert len(finished) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
