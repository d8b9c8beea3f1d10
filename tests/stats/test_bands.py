"""Bands hold what they say they hold: against exact distributions, by geometry, and by simulation.

Bootstrap of cells against resampling the rows themselves, by SciPy.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from adjudge.stats import bands as module
from adjudge.stats.bands import (
    bca,
    binned_areas,
    cell_jackknife,
    cell_replicates,
    dirichlet_replicates,
    dkw_margin,
    percentile,
    precision_band,
    roc_band,
    roc_margins,
    share_band,
)
from adjudge.stats.ranking import auc


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
    exact = stats.kstwo.ppf(level, n)  # the distribution of the largest distance of continuous scores
    assert exact <= margin <= exact * (1 + 0.35 / math.sqrt(n))


def test_without_cases_nothing_is_known():
    assert dkw_margin(0) == 1
    assert dkw_margin(1e-9) == 1
    across, up = roc_margins(50, 0)
    assert across == dkw_margin(50, math.sqrt(0.95))
    assert up == 1


@pytest.mark.slow
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


@pytest.mark.slow
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


TABLE = np.array([[40, 5], [8, 7]])
tables_of_counts = hnp.arrays(np.int64, (2, 3), elements=st.integers(0, 30))


def balanced_accuracy(tables):
    with np.errstate(invalid="ignore"):
        return (tables[:, 0, 0] / tables[:, 0].sum(axis=1) + tables[:, 1, 1] / tables[:, 1].sum(axis=1)) / 2


def accuracy(tables):
    return np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))


def expanded(table):
    truth, predicted = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    return truth, predicted


def by_rows(truth, predicted, axis=-1):
    return sum(((truth == k) & (predicted == k)).sum(axis=axis) / (truth == k).sum(axis=axis) for k in (0, 1)) / 2


@given(tables_of_counts, st.booleans())
def test_tables_keep_their_total_and_their_empty_cells(table, stratified):
    drawn = cell_replicates(
        table, lambda tables: tables.reshape(len(tables), -1), 20, np.random.default_rng(0), stratified=stratified
    )
    assert drawn.shape == (20, 6)
    assert (drawn.sum(axis=1) == table.sum()).all()
    assert (drawn[:, table.ravel() == 0] == 0).all()
    if stratified:
        assert (drawn.reshape(20, 2, 3).sum(axis=2) == table.sum(axis=1)).all()


def test_cells_are_drawn_as_rows_would_be():
    drawn = cell_replicates(TABLE, lambda tables: tables.reshape(len(tables), -1), 40_000, np.random.default_rng(1))
    n, chances = TABLE.sum(), TABLE.ravel() / TABLE.sum()
    theory = n * (np.diag(chances) - np.outer(chances, chances))
    assert drawn.mean(axis=0) == pytest.approx(TABLE.ravel(), abs=4 * math.sqrt(15 / 40_000))
    assert np.cov(drawn.T) == pytest.approx(theory, abs=0.4)


def test_the_same_generator_gives_the_same_replicates():
    first, again = (cell_replicates(TABLE, accuracy, 100, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first, again)


def test_large_tables_are_drawn_in_parts(monkeypatch):
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 40)
    sizes = []

    def watched(tables):
        sizes.append(len(tables))
        return accuracy(tables)

    assert cell_replicates(TABLE, watched, 25, np.random.default_rng(0)).shape == (25,)
    assert sizes == [10, 10, 5]


def test_a_milliard_cases_cost_no_more():
    found = cell_replicates(TABLE * 10**8, accuracy, 2_000, np.random.default_rng(0))
    share = 47 / 60
    assert found.std() == pytest.approx(math.sqrt(share * (1 - share) / 6e9), rel=0.1)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_limits_agree_with_scipy_on_the_rows(method):
    n_resamples = 20_000
    theirs = stats.bootstrap(
        expanded(TABLE),
        by_rows,
        paired=True,
        n_resamples=n_resamples,
        method=method,
        vectorized=True,
        rng=np.random.default_rng(5),
    )
    drawn = cell_replicates(TABLE, balanced_accuracy, n_resamples, np.random.default_rng(6))
    estimate = float(balanced_accuracy(TABLE[None])[0])
    ours = percentile(drawn) if method == "percentile" else bca(drawn, estimate, *cell_jackknife(TABLE, balanced_accuracy))
    # A quantile of B replicates has a standard error of sqrt(q (1 - q) / B) / density: here about .0012, BCa twice that.
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=0.006)
    assert drawn.std(ddof=1) == pytest.approx(theirs.standard_error, rel=0.03)


def test_the_jackknife_per_cell_is_that_of_the_rows():
    truth, predicted = expanded(TABLE)
    keep = ~np.eye(truth.size, dtype=bool)
    one_by_one = np.array([by_rows(truth[rows], predicted[rows]) for rows in keep])
    values, multiplicities = cell_jackknife(TABLE, balanced_accuracy)
    assert np.sort(np.repeat(values, multiplicities.astype(int))) == pytest.approx(np.sort(one_by_one), abs=1e-14)


def test_bca_on_the_same_replicates_is_scipys():
    found = stats.bootstrap(
        expanded(TABLE), by_rows, paired=True, n_resamples=3_000, method="BCa", vectorized=True, rng=np.random.default_rng(2)
    )
    estimate = float(balanced_accuracy(TABLE[None])[0])
    ours = bca(found.bootstrap_distribution, estimate, *cell_jackknife(TABLE, balanced_accuracy))
    # Replicates equal to the estimate differ from it in the last digit, row sums and cell sums alike: an absolute .002 covers them.
    assert ours == pytest.approx(tuple(found.confidence_interval), abs=2e-3)


def test_without_bias_or_skewness_bca_is_the_percentile_interval():
    drawn = np.linspace(-1, 1, 2_001)
    assert bca(drawn, 0.0, np.array([-1.0, 1.0]), np.array([3.0, 3.0])) == pytest.approx(percentile(drawn), abs=1e-12)
    assert percentile(drawn, 0.9) == pytest.approx((-0.9, 0.9))


def test_equal_replicates_say_nothing():
    # All cases right. The caller falls back to an exact interval and says so.
    perfect = np.diag([5, 9])
    drawn = cell_replicates(perfect, accuracy, 50, np.random.default_rng(0))
    assert percentile(drawn) is None
    assert bca(drawn, 1.0, *cell_jackknife(perfect, accuracy)) is None
    assert percentile(np.full(5, np.nan)) is None
    assert percentile(np.empty(0)) is None


def test_replicates_on_one_side_have_no_bca_limits():
    assert bca(np.array([0.5, 0.6, 0.7]), 0.9, np.array([0.1, 0.2]), np.ones(2)) is None


def test_replicates_without_a_value_are_left_out():
    assert percentile(np.array([0.0, np.nan, 1.0]), 0.5) == percentile(np.array([0.0, 1.0]), 0.5)


@given(hnp.arrays(np.float64, st.integers(2, 50), elements=st.floats(0, 1)))
def test_limits_lie_within_the_replicates_and_are_nested(drawn):
    wide, narrow = percentile(drawn, 0.95), percentile(drawn, 0.5)
    if wide is None:
        assert drawn.min() == drawn.max()
        return
    assert drawn.min() <= wide[0] <= narrow[0] <= narrow[1] <= wide[1] <= drawn.max()
    skewed = bca(drawn, float(np.median(drawn)), drawn, np.ones(drawn.size))
    assert skewed is None or drawn.min() <= min(skewed) <= max(skewed) <= drawn.max()


def test_several_measures_at_once():
    both = cell_replicates(
        TABLE, lambda tables: np.stack((accuracy(tables), balanced_accuracy(tables)), axis=1), 30, np.random.default_rng(0)
    )
    alone = cell_replicates(TABLE, accuracy, 30, np.random.default_rng(0))
    assert both.shape == (30, 2)
    assert np.array_equal(both[:, 0], alone)


@pytest.mark.slow
def test_binned_areas_spread_as_rows_drawn_again_do():
    rng = np.random.default_rng(4)
    positive = rng.random(1_000) < 0.2
    scores = np.clip(rng.normal(0.4, 0.15, 1_000) + 0.15 * positive, 0, 0.999)
    bins = (scores * 256).astype(int)
    both = np.stack([np.bincount(bins[of], minlength=256) for of in (positive, ~positive)])
    drawn = cell_replicates(both, binned_areas, 4_000, np.random.default_rng(5))
    peers = [auc(scores[at], positive[at]) for at in rng.integers(0, 1_000, (2_000, 1_000))]
    assert drawn.mean() == pytest.approx(auc(bins, positive), abs=0.002)
    assert drawn.std() == pytest.approx(np.std(peers), rel=0.06)
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx(np.quantile(peers, [0.025, 0.975]), abs=0.006)


def test_binned_areas_of_a_histogram_are_exact():
    # One case in each class and bin of its own: whoever is drawn, the positive wins.
    found = cell_replicates(np.array([[0, 5], [5, 0]]), binned_areas, 50, np.random.default_rng(0))
    assert set(found[~np.isnan(found)]) == {1.0}


def test_a_class_that_was_not_drawn_has_no_area():
    found = cell_replicates(np.array([[0, 1], [1, 0]]), binned_areas, 50, np.random.default_rng(0))
    assert np.isnan(found).any()
    assert percentile(found) is None


def test_shares_of_a_dirichlet_distribution_have_its_moments(monkeypatch):
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 4000)  # in several parts
    parameters = np.array([[40.5, 5.5], [0.0, 7.5]])
    draws = dirichlet_replicates(parameters, lambda t: t[:, 0, 0] / t.sum(axis=(1, 2)), 20_000, np.random.default_rng(2))
    distribution = stats.beta(40.5, 13)
    assert draws.size == 20_000
    assert draws.mean() == pytest.approx(distribution.mean(), abs=5 * distribution.std() / math.sqrt(20_000))
    assert draws.std() == pytest.approx(distribution.std(), rel=0.03)
    assert dirichlet_replicates(parameters, lambda t: t[:, 1, 0], 50, np.random.default_rng(2)).max() == 0
