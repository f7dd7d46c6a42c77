"""How sure a figure is: intervals, shrinkage for rankings, how many hands a difference needs.

Sources: Wilson (1927) for rates; the bootstrap over whole sessions (Efron 1979; Davison and
Hinkley 1997, 3.8) with the expanded percentiles of Hesterberg (2015) for means; moment estimators
for empirical-Bayes shrinkage (Kleinman 1973 for rates, DerSimonian and Laird 1986 for means).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

CONFIDENCE = 0.95
FEW = 30
"""Below this number a figure is marked small: shown grey and never ranked."""

DRAWS = 2000
_SEED = 1958  # fixed, so that the same store always shows the same interval


@lru_cache
def z_value(confidence: float = CONFIDENCE) -> float:
    """Normal quantile of a two-sided interval.

    >>> round(z_value(), 3)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(made: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Wilson's interval for a rate of ``made`` out of ``n``; ``None`` for n = 0.

    >>> [round(x, 3) for x in wilson(8, 10)]
    [0.49, 0.943]
    >>> wilson(0, 0) is None
    True
    """
    low, high = wilsons([made], [n], confidence)[0]
    return None if low is None or high is None else (low, high)


def wilsons(
    made: Any, n: Any, confidence: float = CONFIDENCE
) -> list[tuple[float, float] | tuple[None, None]]:
    """:func:`wilson` of several rates; twice ``None`` where n = 0."""
    made, n = (np.asarray(x, np.float64) for x in (made, n))
    z = z_value(confidence)
    some = np.maximum(n, 1.0)
    p = made / some
    middle = p + z * z / (2 * some)
    reach = z * np.sqrt((p * (1 - p) + z * z / (4 * some)) / some)
    scale = 1 + z * z / some
    # At the ends the formula gives exactly 0 or 1, but for rounding.
    low = np.where(made == 0, 0.0, (middle - reach) / scale).tolist()
    high = np.where(made == some, 1.0, (middle + reach) / scale).tolist()
    known = (n > 0).tolist()
    return [(a, b) if k else (None, None) for a, b, k in zip(low, high, known)]


def _t_cdf(t: float, df: int) -> float:
    """Student's distribution for whole degrees of freedom (the finite series)."""
    theta = math.atan(t / math.sqrt(df))
    cos, sin = math.cos(theta), math.sin(theta)
    term, total = 1.0, 1.0
    if df % 2:
        if df == 1:
            return 0.5 + theta / math.pi
        for k in range(3, df - 1, 2):
            term *= cos * cos * (k - 1) / k
            total += term
        return 0.5 + (theta + sin * cos * total) / math.pi
    for k in range(2, df - 1, 2):
        term *= cos * cos * (k - 1) / k
        total += term
    return 0.5 + sin * total / 2


@lru_cache(maxsize=4096)
def t_value(df: int, confidence: float = CONFIDENCE) -> float:
    """Student's quantile of a two-sided interval with ``df`` degrees of freedom.

    >>> [round(t_value(df), 3) for df in (1, 2, 9, 100)]
    [12.706, 4.303, 2.262, 1.984]
    """
    if df > 1000:
        return z_value(confidence)
    goal, low, high = 0.5 + confidence / 2, 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cdf(middle, df) < goal else (low, middle)
    return (low + high) / 2


def mean_interval(
    n: Sequence[int] | Any,
    total: Sequence[float] | Any,
    squares: float | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[float, float, float] | None:
    """Interval and standard error of a mean over hands that come in sessions.

    ``n`` and ``total`` are the number of values and their sum in each session (none empty);
    sessions are drawn with replacement, since hands of one evening are not independent. With
    fewer than two sessions the values themselves are what varies: then ``squares``, the sum of
    their squares, gives Student's interval. ``None`` where nothing varies yet (one value).

    >>> low, high, se = mean_interval([10] * 40, [10.0 * (i % 5) for i in range(40)])
    >>> round(se, 2), low < 2 < high
    (0.23, True)
    >>> mean_interval([1], [3.0], 9.0) is None
    True
    """
    m = len(n)
    if m < 2:
        if squares is None:
            return None
        return value_intervals([sum(n)], [sum(total)], [squares], confidence)[0]
    return mean_intervals(np.array([n]), np.array([total]), confidence)[0]


def value_intervals(
    n: Any, total: Any, squares: Any, confidence: float = CONFIDENCE
) -> list[tuple[float, float, float] | None]:
    """Student's interval and standard error of the means of several groups of values.

    ``n``, ``total`` and ``squares`` are the number of values of each group, their sum and that of
    their squares. ``None`` for a group of fewer than two values.
    """
    n, total, squares = (np.asarray(x, np.float64) for x in (n, total, squares))
    some = np.maximum(n, 2.0)
    mean = total / some
    se = np.sqrt(np.maximum(0.0, (squares - some * mean * mean) / (some - 1)) / some)
    sizes, at = np.unique(some, return_inverse=True)
    reach = np.array([t_value(int(x) - 1, confidence) for x in sizes])[at] * se
    found = zip((mean - reach).tolist(), (mean + reach).tolist(), se.tolist())
    return [x if enough else None for x, enough in zip(found, (n >= 2).tolist())]


_TOGETHER = 256
"""Groups whose sessions are drawn at once: each takes 2 x 2,000 numbers."""


def mean_intervals(
    n: Any, total: Any, confidence: float = CONFIDENCE
) -> list[tuple[float, float, float]]:
    """:func:`mean_interval` of several groups with the same number of sessions (two or more).

    ``n`` and ``total`` are groups x sessions.
    """
    n, total = np.asarray(n, np.float64), np.asarray(total, np.float64)
    m = n.shape[1]
    # Percentiles of few sessions are too narrow; reach as far as Student's t would.
    wide = t_value(m - 1, confidence) * math.sqrt(m / (m - 1))
    tail = NormalDist().cdf(-wide)
    weights = _exact_weights(m)
    out: list[tuple[float, float, float]] = []
    for start in range(0, len(n), _TOGETHER):
        counts, sums = (x[start : start + _TOGETHER] for x in (n, total))
        size = counts.sum(axis=1)
        mean = sums.sum(axis=1) / size
        # The ratio's standard error by linearisation, with the usual m / (m - 1).
        residual = sums - mean[:, np.newaxis] * counts
        se = np.sqrt(m / (m - 1) * (residual * residual).sum(axis=1)) / size
        means = (sums @ weights.T) / (counts @ weights.T)
        out += zip(*(x.tolist() for x in (*_tails(means, tail), se)))
    return out


def _tails(rows: Any, tail: float) -> tuple[Any, Any]:
    """Quantiles ``tail`` and 1 - ``tail`` of each row, as :func:`numpy.quantile` has them.

    That one goes along columns, which for rows takes three times as long.

    >>> low, high = _tails(np.array([[4.0, 1.0, 3.0, 2.0, 5.0]]), 0.1)
    >>> round(float(low[0]), 6), round(float(high[0]), 6)
    (1.4, 4.6)
    """
    last = rows.shape[1] - 1
    places = [tail * last, (1 - tail) * last]
    below = [min(int(at), last - 1) for at in places]
    parted = np.partition(rows, sorted({k for at in below for k in (at, at + 1)}), axis=1)
    low, high = (
        parted[:, k] + (parted[:, k + 1] - parted[:, k]) * (at - k) for at, k in zip(places, below)
    )
    return low, high


@lru_cache(maxsize=100)
def _weights(m: int) -> Any:
    """How often each of ``m`` sessions is drawn, for every draw (draws x m)."""
    drawn = np.random.default_rng(_SEED).integers(m, size=(DRAWS, m))
    drawn += m * np.arange(DRAWS)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=DRAWS * m).reshape(DRAWS, m).astype(np.float32)


@lru_cache(maxsize=2)
def _exact_weights(m: int) -> Any:
    """The same for sums: numbers of eight bytes, so only the last used are kept."""
    return _weights(m).astype(np.float64)


def shrink_rates(hits: Sequence[int], n: Sequence[int]) -> list[float | None]:
    """Rates drawn towards the rate of all, each the less the more hands it rests on.

    A beta prior whose spread is estimated from the rates themselves; with no spread beyond
    chance, every rate becomes the rate of all. ``None`` where n = 0.

    >>> [round(x, 2) for x in shrink_rates([9, 90, 10], [10, 200, 100])]
    [0.81, 0.45, 0.11]
    """
    k, size = np.asarray(hits, np.float64), np.asarray(n, np.float64)
    all_n = size.sum()
    if all_n == 0:
        return [None] * len(size)
    p = k.sum() / all_n
    groups = size > 0
    g = int(groups.sum())
    rates = k[groups] / size[groups]
    between = 0.0
    room = all_n - (size[groups] ** 2).sum() / all_n - (g - 1)
    if g > 1 and room > 0 and 0 < p < 1:
        spread = float((size[groups] * (rates - p) ** 2).sum())
        between = max(0.0, float((spread - (g - 1) * p * (1 - p)) / room))
    if between == 0:
        return [float(p) if x else None for x in groups]
    prior = max(0.0, p * (1 - p) / between - 1)
    return [float((a + prior * p) / (b + prior)) if b else None for a, b in zip(k, size)]


def shrink_means(
    means: Sequence[float | None], errors: Sequence[float | None]
) -> list[float | None]:
    """Means drawn towards the mean of all; ``errors`` are their standard errors.

    ``None`` where a mean or its error is not known.

    >>> [round(x, 2) for x in shrink_means([0.0, 4.0, 8.0], [1.0, 1.0, 4.0])]
    [0.34, 3.87, 4.54]
    >>> shrink_means([1.0, None], [0.5, None])
    [1.0, None]
    """
    known = [
        (m, max(e, 1e-12))
        for m, e in zip(means, errors)
        if m is not None and e is not None
    ]  # fmt: skip
    if not known:
        return [None] * len(means)
    x, se = np.array([m for m, _ in known]), np.array([e for _, e in known])
    w = se**-2
    centre = float((w * x).sum() / w.sum())
    tau2 = 0.0
    if len(x) > 1:
        excess = float((w * (x - centre) ** 2).sum()) - (len(x) - 1)
        tau2 = max(0.0, excess / float(w.sum() - (w**2).sum() / w.sum()))
    total = 1 / (se**2 + tau2)
    centre = float((total * x).sum() / total.sum())
    return [
        None
        if m is None or e is None
        else centre + (tau2 / (tau2 + max(e, 1e-12) ** 2)) * (m - centre)
        for m, e in zip(means, errors)
    ]


def hands_needed(
    difference: float, variance: float, n: int, other_error: float = 0.0
) -> int | None:
    """How many more hands until a difference means something, if it stays what it is.

    ``difference`` is between a figure and another one (or the field's), ``variance`` that of one
    hand, ``n`` the hands it rests on now, ``other_error`` the standard error of the other figure.
    The answer is the smallest number that takes 0 out of the 95% interval of the difference; 0
    where it is out already, ``None`` where no number of hands will do (no difference, or the
    other figure is too unsure).

    >>> hands_needed(0.10, 0.25, 50), hands_needed(0.30, 0.25, 50), hands_needed(0.0, 0.25, 50)
    (47, 0, None)
    """
    return all_hands_needed([difference], [variance], [n], [other_error])[0]


def all_hands_needed(difference: Any, variance: Any, n: Any, other_error: Any) -> list[int | None]:
    """:func:`hands_needed` of several figures."""
    difference, variance, error = (
        np.asarray(x, np.float64) for x in (difference, variance, other_error)
    )
    z2 = z_value() ** 2
    room = difference * difference - z2 * error * error
    fine = (room > 0) & np.isfinite(room)
    with np.errstate(over="ignore"):
        needed = np.floor(z2 * variance / np.where(fine, room, 1.0)) + 1
    fine &= np.isfinite(needed)
    return [
        max(0, int(many) - there) if any_ else None
        for many, there, any_ in zip(
            np.where(fine, needed, 0.0).tolist(), np.asarray(n).tolist(), fine.tolist()
        )
    ]


def hands_for(difference: float, variance: float, power: float = 0.8) -> int:
    """Hands to plan for: how many show a true ``difference`` with probability ``power``.

    >>> hands_for(0.1, 0.25)
    197
    """
    if difference == 0:
        raise ValueError("no number of hands shows a difference of 0")
    z = z_value() + NormalDist().inv_cdf(power)
    return math.ceil(z * z * variance / (difference * difference))


def differ(a: tuple[int, int], b: tuple[int, int]) -> tuple[float, float] | None:
    """95% interval of the difference of two rates, each (hits, n), by Newcombe's method.

    >>> [round(x, 3) for x in differ((56, 70), (48, 80))]
    [0.052, 0.334]
    """
    first, second = wilson(*a), wilson(*b)
    if first is None or second is None:
        return None
    p, q = a[0] / a[1], b[0] / b[1]
    low = p - q - math.hypot(p - first[0], second[1] - q)
    high = p - q + math.hypot(first[1] - p, q - second[0])
    return low, high
