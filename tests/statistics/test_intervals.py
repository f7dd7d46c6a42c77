"""Intervals cover as often as they say; shrinkage and planning keep their promises."""

import numpy as np
import pytest

from pandoeren_replay.statistics import intervals
from pandoeren_replay.statistics.partners import shrinkage


@pytest.mark.parametrize("p", [0.1, 0.5, 0.7])
@pytest.mark.parametrize("n", [30, 100])
def test_wilson_covers(p: float, n: int) -> None:
    # Exactly, by summing the binomial distribution: the average over nearby rates is close to 95%.
    found = []
    for rate in np.linspace(p - 0.03, p + 0.03, 13):
        chance, total = (1 - rate) ** n, 0.0
        for k in range(n + 1):
            low, high = intervals.wilson(k, n) or (2.0, 2.0)
            total += chance if low <= rate <= high else 0.0
            chance *= (n - k) / (k + 1) * rate / (1 - rate)
        found.append(total)
    assert 0.94 < np.mean(found) < 0.965


@pytest.mark.parametrize("sessions", [6, 25])
def test_the_bootstrap_by_session_covers(sessions: int) -> None:
    # Evenings differ (standard deviation 1) more than chance within them (3 over 16 hands).
    rng = np.random.default_rng(7)
    runs, hit, naive = 400, 0, 0
    for _ in range(runs):
        n = rng.integers(12, 20, sessions)
        level = rng.normal(0, 1, sessions)
        total = np.array([rng.normal(m, 3, k).sum() for m, k in zip(level, n)])
        low, high, _ = intervals.mean_interval(n, total) or (9.0, 9.0, 0.0)
        hit += low <= 0 <= high
        reach = 1.96 * 3 / np.sqrt(n.sum())
        naive += abs(total.sum() / n.sum()) <= reach
    assert 0.91 < hit / runs < 0.985
    assert naive / runs < 0.9  # hands taken for independent: too sure


def test_one_session_falls_back_on_its_hands() -> None:
    values = [1.0, 2.0, 3.0, 4.0]
    low, high, se = intervals.mean_interval([4], [10.0], sum(x * x for x in values)) or (0, 0, 0)
    # mean 2.5, standard deviation 1.29, t with 3 degrees of freedom 3.182: 2.5 +- 2.054
    assert se == pytest.approx(np.std(values, ddof=1) / 2)
    assert (low, high) == (pytest.approx(0.446, abs=1e-3), pytest.approx(4.554, abs=1e-3))


def test_the_same_figures_always_have_the_same_interval() -> None:
    n, total = [10] * 9, [float(i) for i in range(9)]
    first = intervals.mean_interval(n, total)
    intervals._weights.cache_clear()
    assert intervals.mean_interval(n, total) == first


def test_shrinking_brings_rates_nearer_to_the_truth() -> None:
    rng = np.random.default_rng(3)
    raw = shrunk = 0.0
    for _ in range(60):
        truth = rng.beta(20, 10, 24)
        n = rng.integers(5, 120, 24)
        hits = rng.binomial(n, truth)
        better = np.array(intervals.shrink_rates(hits.tolist(), n.tolist()), float)
        raw += float(((hits / n - truth) ** 2).sum())
        shrunk += float(((better - truth) ** 2).sum())
    assert shrunk < 0.7 * raw


def test_equal_players_are_shrunk_to_one_rate() -> None:
    assert intervals.shrink_rates([50, 49, 51], [100, 100, 100]) == [0.5, 0.5, 0.5]
    assert intervals.shrink_rates([0], [0]) == [None]
    assert shrinkage([]) is None


def test_shrunk_means_keep_their_order_for_equal_errors() -> None:
    found = intervals.shrink_means([1.0, 5.0, 3.0], [0.5, 0.5, 0.5])
    assert found[0] is not None
    assert found[1] is not None
    assert 1.0 < found[0] < 3.0 < found[1] < 5.0


def test_hands_needed_is_the_smallest_number_that_settles_it() -> None:
    # A rate of 60% against a known 50%: z = d sqrt(n / 0.25) passes 1.96 at n = 97.
    more = intervals.hands_needed(0.10, 0.25, 40)
    assert more == 57
    z = intervals.z_value()
    assert 0.10 / (0.25 / 97) ** 0.5 > z > 0.10 / (0.25 / 96) ** 0.5
    assert intervals.hands_needed(0.10, 0.25, 400) == 0
    # The other figure is too unsure for any number of hands.
    assert intervals.hands_needed(0.10, 0.25, 40, other_error=0.06) is None


def test_planned_hands_find_the_difference_four_times_out_of_five() -> None:
    rng = np.random.default_rng(11)
    n = intervals.hands_for(0.3, 1.0)
    means = rng.normal(0.3, 1.0, (4000, n)).mean(axis=1)
    assert np.mean(means > intervals.z_value() / n**0.5) == pytest.approx(0.8, abs=0.03)
    with pytest.raises(ValueError, match="no number of hands"):
        intervals.hands_for(0, 1.0)


def test_the_difference_of_two_rates() -> None:
    # Newcombe 1998, table II, example (a), method 10: 56/70 - 48/80 = 0.2, 0.0524 to 0.3339.
    low, high = intervals.differ((56, 70), (48, 80)) or (0, 0)
    assert (low, high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))
