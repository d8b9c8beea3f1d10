"""Bootstrap of cells against resampling the rows themselves, by SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from adjudge.stats import bands as module
from adjudge.stats.bands import (
    bca,
    binned_auc_replicates,
    cell_jackknife,
    cell_replicates,
    dirichlet_replicates,
    percentile,
)
from adjudge.stats.ranking import auc

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


def test_binned_areas_spread_as_rows_drawn_again_do():
    rng = np.random.default_rng(4)
    positive = rng.random(1_000) < 0.2
    scores = np.clip(rng.normal(0.4, 0.15, 1_000) + 0.15 * positive, 0, 0.999)
    bins = (scores * 256).astype(int)
    drawn = binned_auc_replicates(
        np.bincount(bins[positive], minlength=256), np.bincount(bins[~positive], minlength=256), 4_000, np.random.default_rng(5)
    )
    peers = [auc(scores[at], positive[at]) for at in rng.integers(0, 1_000, (2_000, 1_000))]
    assert drawn.mean() == pytest.approx(auc(bins, positive), abs=0.002)
    assert drawn.std() == pytest.approx(np.std(peers), rel=0.06)
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx(np.quantile(peers, [0.025, 0.975]), abs=0.006)


def test_binned_areas_of_a_histogram_are_exact():
    # One case in each class and bin of its own: whoever is drawn, the positive wins.
    found = binned_auc_replicates(np.array([0, 5]), np.array([5, 0]), 50, np.random.default_rng(0))
    assert set(found[~np.isnan(found)]) == {1.0}


def test_a_class_that_was_not_drawn_has_no_area():
    found = binned_auc_replicates(np.array([0, 1]), np.array([1, 0]), 50, np.random.default_rng(0))
    assert np.isnan(found).any()
    assert percentile(found) is None


def test_shares_of_a_dirichlet_law_have_its_moments(monkeypatch):
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 4000)  # in several parts
    parameters = np.array([[40.5, 5.5], [0.0, 7.5]])
    draws = dirichlet_replicates(parameters, lambda t: t[:, 0, 0] / t.sum(axis=(1, 2)), 20_000, np.random.default_rng(2))
    law = stats.beta(40.5, 13)
    assert draws.size == 20_000
    assert draws.mean() == pytest.approx(law.mean(), abs=5 * law.std() / math.sqrt(20_000))
    assert draws.std() == pytest.approx(law.std(), rel=0.03)
    assert dirichlet_replicates(parameters, lambda t: t[:, 1, 0], 50, np.random.default_rng(2)).max() == 0
