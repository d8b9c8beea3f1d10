"""Bands hold what they say they hold: against exact laws, by geometry, and by simulation."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.bands import dkw_margin, precision_band, roc_band, roc_margins, share_band


def steps(draw_counts):
    """An observed ROC curve from counts of either class at falling scores."""
    positives, negatives = (np.array(side) for side in zip(*draw_counts, strict=True))
    return np.append(0, np.cumsum(negatives)) / negatives.sum(), np.append(0, np.cumsum(positives)) / positives.sum()


counts = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30).filter(
    lambda rows: sum(a for a, _ in rows) > 0 and sum(b for _, b in rows) > 0
)


def limits_at(band, x):
    """The highest point of the upper side, and the lowest of the lower one, at each x: steps, found by hand."""
    x = np.asarray(x, dtype=float)
    high = np.array([band.high[band.high[:, 0] <= at + 1e-12, 1].max() for at in x])
    low = np.array([band.low[band.low[:, 0] >= at - 1e-12, 1].min() for at in x])
    return low, high


@pytest.mark.parametrize("n", [5, 20, 100, 1000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_margin_is_that_of_massart_and_never_below_the_exact_one(n, level):
    margin = dkw_margin(n, level)
    assert float(2 * mpmath.exp(-2 * n * mpmath.mpf(margin) ** 2)) == pytest.approx(1 - level, rel=1e-12)
    exact = stats.kstwo.ppf(level, n)  # the law of the largest distance of continuous scores
    assert exact <= margin <= exact * (1 + 0.35 / math.sqrt(n))


def test_without_cases_nothing_is_known():
    assert dkw_margin(0) == 1
    assert dkw_margin(1e-9) == 1
    across, up = roc_margins(50, 0)
    assert across == dkw_margin(50, math.sqrt(0.95))
    assert up == 1


@given(counts, st.integers(3, 3000), st.integers(3, 3000))
def test_every_rectangle_lies_in_the_region(rows, negatives, positives):
    fpr, tpr = steps(rows)
    band, (across, up) = roc_band(fpr, tpr, negatives, positives), roc_margins(negatives, positives)
    for dx in (-across, 0, across):
        x = np.clip(fpr + dx, 0, 1)
        low, high = limits_at(band, x)
        assert (low <= np.clip(tpr - up, 0, 1) + 1e-9).all()
        assert (high >= np.clip(tpr + up, 0, 1) - 1e-9).all()


@given(counts)
def test_sides_run_to_the_right_and_up_from_corner_to_corner(rows):
    band = roc_band(*steps(rows), 40, 60)
    for side in (band.low, band.high):
        assert (np.diff(side, axis=0) >= -1e-12).all()
        assert side[0, 0] == side[0, 1] == 0
        assert side[-1].tolist() == [1, 1]
        with pytest.raises(ValueError, match="read-only"):
            side[0] = 1


def test_a_region_around_many_points_is_hardly_wider():
    rng = np.random.default_rng(0)
    fpr, tpr = np.sort(rng.random(50_000)), np.sort(rng.random(50_000) ** 0.3)
    fpr[[0, -1]] = tpr[[0, -1]] = 0, 1
    band, (across, up) = roc_band(fpr, tpr, 400, 400), roc_margins(400, 400)
    assert len(band.high) <= 2010
    some = np.arange(0, 50_000, 977)
    low, high = limits_at(band, np.clip(fpr[some] - across, 0, 1))
    assert (high >= np.clip(tpr[some] + up, 0, 1)).all()
    inner = fpr[some] > across
    assert (high - np.clip(tpr[some] + up, 0, 1))[inner].max() < 0.003
    assert (low <= tpr[some]).all()


@given(counts, st.floats(0.01, 0.99), st.integers(0, 10**6))
def test_precision_within_the_rectangles_lies_in_its_band(rows, prevalence, seed):
    fpr, tpr = steps(rows)
    roc, (across, up) = roc_band(fpr, tpr, 200, 300), roc_margins(200, 300)
    band = precision_band(roc, prevalence)
    rng = np.random.default_rng(seed)
    f = np.clip(fpr + rng.uniform(-across, across, fpr.size), 0, 1)
    t = np.clip(tpr + rng.uniform(-up, up, tpr.size), 1e-6, 1)
    precision = prevalence * t / (prevalence * t + (1 - prevalence) * f)
    for recall, value in zip(t, precision, strict=True):
        # the sides as they are drawn: straight between points, so that a steep bend may be cut by a little
        near = 0.021
        assert value <= band.high[np.abs(band.high[:, 0] - recall) <= near, 1].max() + 1e-9
        assert value >= band.low[np.abs(band.low[:, 0] - recall) <= near, 1].min() - 1e-9


def test_where_nobody_is_called_precision_may_be_anything():
    band = precision_band(roc_band(np.array([0, 0.2, 1]), np.array([0, 0.8, 1]), 100, 100), 0.3)
    assert band.high[0].tolist() == [0, 1]
    assert band.low[0].tolist() == [0, 0]
    assert band.low[-1] == pytest.approx([1, 0.3])


@pytest.mark.parametrize(("hits", "cases"), [(0, 7), (3, 10), (10, 10), (512, 1000)])
def test_limits_of_a_bin_are_wilsons(hits, cases):
    band = share_band(np.array([0.5]), np.array([float(hits)]), np.array([float(cases)]), 0.9)
    found = stats.binomtest(hits, cases).proportion_ci(0.9, method="wilson")
    assert (band.low[0, 1], band.high[0, 1]) == pytest.approx((found.low, found.high), abs=1e-12)
    assert band.pointwise


def covers(rng, n, m, draw, curve):
    """Whether the band of drawn scores holds the true curve at many points."""
    own, others = draw(rng, n, True), draw(rng, m, False)
    cuts = np.append(np.inf, np.unique(np.concatenate([own, others]))[::-1])
    tpr, fpr = ((side[:, None] >= cuts).mean(axis=0) for side in (own, others))
    band = roc_band(fpr, tpr, m, n)
    x, y = curve
    low, high = limits_at(band, x)
    return bool(np.all((low <= y + 1e-12) & (y <= high + 1e-12)))


def _normal(rng, n, own):
    return rng.normal(1.2 if own else 0, 1.0, n)


def _votes(rng, n, own):
    return rng.binomial(5, 0.7 if own else 0.35, n).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "votes"])
@pytest.mark.parametrize(("n", "m"), [(30, 30), (40, 200)])
def test_the_whole_true_curve_lies_in_the_band_as_often_as_promised(kind, n, m):
    cuts = np.linspace(-4, 6, 400) if kind == "normal" else np.arange(0, 7)
    if kind == "normal":
        curve, draw = (stats.norm.sf(cuts), stats.norm.sf(cuts, 1.2)), _normal
    else:
        curve, draw = (stats.binom.sf(cuts - 1, 5, 0.35), stats.binom.sf(cuts - 1, 5, 0.7)), _votes
    rng, times = np.random.default_rng(1), 1000
    held = sum(covers(rng, n, m, draw, curve) for _ in range(times)) / times
    assert held >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / times)
