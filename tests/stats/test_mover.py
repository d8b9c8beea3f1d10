"""Limits of sums of estimates: the formulas written out, and their distributions.

Limits by the delta method: slopes to many digits, the variance in the literature, and the limits of a share.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from sklearn.metrics import cohen_kappa_score, jaccard_score, matthews_corrcoef

from adjudge.metrics.averages import of_tables
from adjudge.metrics.on_counts import G_MEAN, JACCARD, KAPPA, MCC, SPECIFICITY
from adjudge.stats import mover as module
from adjudge.stats.binomial import wilson
from adjudge.stats.mover import effective_limits, mover, slopes, steadied, unbiased_centre

shares = st.floats(0, 1)
triples = st.tuples(shares, shares, shares).map(sorted)
parts = st.lists(st.tuples(triples, st.floats(-1, 1)), min_size=1, max_size=8)
tables = st.lists(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=30)


def columns(found):
    lows, values, highs = np.array([triple for triple, _ in found]).T
    return values, lows, highs, np.array([weight for _, weight in found])


@pytest.mark.slow
@given(parts)
def test_limits_are_those_of_zou_and_donner(found):
    values, lows, highs, weights = columns(found)
    low, high = mover(values, lows, highs, weights)
    # Their eq. for sums of c_i theta_i: each term takes the smaller and the larger of c l and c u.
    ends = [sorted((w * a, w * b)) for w, a, b in zip(weights, lows, highs, strict=True)]
    centre = math.fsum(weights * values)
    assert low == pytest.approx(
        centre - math.sqrt(sum((w * v - e[0]) ** 2 for w, v, e in zip(weights, values, ends, strict=True))), abs=1e-12
    )
    assert high == pytest.approx(
        centre + math.sqrt(sum((e[1] - w * v) ** 2 for w, v, e in zip(weights, values, ends, strict=True))), abs=1e-12
    )


@pytest.mark.slow
@given(parts)
def test_limits_stay_in_the_range_of_the_parts(found):
    values, lows, highs, weights = columns(found)
    low, high = mover(values, lows, highs, weights)
    least, most = (np.where(weights < 0, a, b) @ weights for a, b in ((highs, lows), (lows, highs)))
    assert least - 1e-12 <= low <= weights @ values <= high <= most + 1e-12


@given(triples)
def test_one_part_keeps_its_limits(triple):
    low, value, high = triple
    assert mover(*(np.array([each]) for each in (value, low, high)), np.ones(1)) == pytest.approx((low, high), abs=1e-15)


@given(parts)
def test_the_order_of_the_parts_does_not_matter(found):
    assert mover(*columns(found)) == pytest.approx(mover(*columns(found[::-1])), abs=1e-12)


def test_a_difference_of_shares_has_newcombes_limits():
    # Newcombe (1998) table II, 56/70 - 48/80 by method 10, which is MOVER on Wilson limits: .0524 to .3339.
    a, b = wilson(56, 70), wilson(48, 80)
    found = mover(np.array([0.8, 0.6]), np.array([a[0], b[0]]), np.array([a[1], b[1]]), np.array([1.0, -1.0]))
    assert found == pytest.approx((0.0524, 0.3339), abs=5e-5)


@pytest.mark.slow
@given(tables)
def test_unbiased_centre_has_the_limits_of_a_share_of_the_cases_it_is_worth(found):
    low, high = unbiased_centre(*np.array(found).T)
    k, mean = len(found), sum(Fraction(c, n) for c, n in found) / len(found)
    even = k**2 / sum(Fraction(1, n) for _, n in found)
    middle = (even * mean + 2) / (even + 4)
    shares = [(c + 2 * middle) / (n + 2) for c, n in found]
    variance = sum(s * (1 - s) / n / (1 - Fraction(n, (n + 2) ** 2)) for s, (_, n) in zip(shares, found, strict=True)) / k**2
    steady = sum(shares) / k
    worth = float(steady * (1 - steady) / variance)
    for end in (low, high):  # the ends of Wilson's interval solve the equation of the score test
        assert (float(mean) - end) ** 2 == pytest.approx(stats.norm.ppf(0.975) ** 2 * end * (1 - end) / worth, abs=1e-12)
    assert 0 <= low <= mean + 1e-15
    assert mean - 1e-15 <= high <= 1
    assert high - low > 1e-3


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_the_steadied_variance_is_that_of_the_shares(n):
    # 20,000 classes of one recall: their observed shares vary by p (1 - p) / n, and the mean is all but known.
    hits = np.random.default_rng(n).binomial(n, 0.8, 20_000).astype(float)
    _, variances = steadied(hits, np.full(20_000, float(n)))
    assert variances.mean() == pytest.approx(0.8 * 0.2 / n, rel=0.02)


@pytest.mark.parametrize("k", [10, 1000])
def test_no_error_in_any_class_is_not_certainty(k):
    low, high = unbiased_centre(np.full(k, 3), np.full(k, 3))
    # At three expected errors 5% of the samples have none: such a rate is not excluded.
    assert low <= 1 - 3 / (3 * k) + 1e-12
    assert high == 1.0


@pytest.mark.slow
@given(tables)
def test_unbiased_centre_of_the_errors_is_mirrored_and_nested(found):
    correct, support = np.array(found).T
    low, high = unbiased_centre(correct, support)
    mirrored = unbiased_centre(support - correct, support)
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-12)
    inner = unbiased_centre(correct, support, 0.5)
    assert low <= inner[0] <= inner[1] <= high


def test_classes_without_a_case_are_left_out():
    assert unbiased_centre(np.array([5, 0, 7]), np.array([9, 0, 8])) == unbiased_centre(np.array([5, 7]), np.array([9, 8]))
    assert unbiased_centre(np.zeros(3), np.zeros(3)) == (0.0, 1.0)


positive_tables = st.integers(1, 5).flatmap(
    lambda k: hnp.arrays(np.float64, st.sampled_from([(k, k), (k, k + 1)]), elements=st.floats(0.1, 50))
)


def accuracy(tables):
    return np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))


def measured(measure):
    return lambda tables: of_tables(measure, tables)


def in_many_digits(name, cells):
    """Return a measure of a matrix of mpmath numbers, written out from its definition."""
    k = cells.rows
    n = mp.fsum(cells)
    rows = [mp.fsum(cells[i, j] for j in range(cells.cols)) for i in range(k)]
    columns = [mp.fsum(cells[i, j] for i in range(k)) for j in range(cells.cols)]
    hits = [cells[i, i] for i in range(k)]
    chance = mp.fsum(r * c for r, c in zip(rows, columns[:k], strict=True))
    if name == "kappa":
        return (n * mp.fsum(hits) - chance) / (n * n - chance)
    if name == "mcc":
        spread = (n * n - mp.fsum(r * r for r in rows)) * (n * n - mp.fsum(c * c for c in columns))
        return (n * mp.fsum(hits) - chance) / mp.sqrt(spread)
    if name == "g_mean":
        return mp.root(mp.fprod(h / r for h, r in zip(hits, rows, strict=True)), k)
    return mp.fsum(h / (r + c - h) for h, r, c in zip(hits, rows, columns[:k], strict=True)) / k


@pytest.mark.parametrize("measure", [KAPPA, MCC, G_MEAN, JACCARD], ids=lambda m: m.name)
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 3), (4, 5)])
def test_slopes_are_the_derivatives(measure, shape):
    table = np.random.default_rng(7).gamma(0.8, 10, shape) + np.eye(*shape) * 3
    with mp.workdps(40):
        for i, j in np.ndindex(shape):

            def nudged(t, i=i, j=j):
                cells = mp.matrix(table.tolist())
                cells[i, j] = t
                return in_many_digits(measure.name, cells)

            expected = float(mp.diff(nudged, mp.mpf(float(table[i, j]))))
            assert slopes(measured(measure), table)[i, j] == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(positive_tables)
def test_slopes_average_to_nothing(table):
    """Twice the table has the same value, so along the table itself there is no slope (Euler)."""
    slope = slopes(measured(JACCARD), table)
    assert (slope * table).sum() == pytest.approx(0, abs=1e-7)


def test_many_classes_are_done_in_parts(monkeypatch):
    table = np.random.default_rng(3).gamma(1.0, 5, (6, 6)) + 0.1
    whole = slopes(measured(SPECIFICITY), table)
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 40)
    np.testing.assert_array_equal(slopes(measured(SPECIFICITY), table), whole)


def test_a_row_without_a_case_has_no_slope():
    table = np.array([[4.0, 1.0, 1.0], [0.0, 0.0, 0.0], [2.0, 1.0, 6.0]])
    slope = slopes(measured(G_MEAN), table)
    assert np.all(slope[1] == 0)
    assert np.all(slope[0] != 0)


@pytest.mark.slow
@given(hnp.arrays(np.int64, (3, 3), elements=st.integers(0, 40)).filter(lambda t: t.sum() > 0), st.sampled_from([0.5, 0.9, 0.99]))
def test_the_accuracy_has_the_limits_of_wilson(table, level):
    ends = effective_limits(accuracy, table.astype(float), np.ones((3, 3)), np.full((3, 3), 1 / 9), (0, 1), level)
    expected = stats.binomtest(int(np.trace(table)), int(table.sum())).proportion_ci(level, method="wilson")
    assert ends == pytest.approx((expected.low, expected.high), abs=1e-8)


def variance_of_kappa(table):
    """Fleiss, Cohen and Everitt (1969), Psychol. Bull. 72:323-327, equation 14."""
    p = table / table.sum()
    rows, columns, observed = p.sum(axis=1), p.sum(axis=0), np.trace(p)
    chance = float(rows @ columns)
    on = sum(p[i, i] * (1 - chance - (rows[i] + columns[i]) * (1 - observed)) ** 2 for i in range(len(p)))
    off = sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i, j in np.ndindex(p.shape) if i != j) * (1 - observed) ** 2
    return (on + off - (observed * chance - 2 * chance + observed) ** 2) / (1 - chance) ** 4 / table.sum()


@pytest.mark.slow
@given(hnp.arrays(np.int64, st.integers(2, 4).map(lambda k: (k, k)), elements=st.integers(1, 40)))
def test_kappa_has_the_variance_of_fleiss(table):
    k = len(table)
    truth, predicted = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    seen = (cohen_kappa_score(truth, predicted) + 1) / 2
    worth = seen * (1 - seen) / (variance_of_kappa(table) / 4)
    low, high = effective_limits(measured(KAPPA), table.astype(float), np.ones((k, k)), np.zeros((k, k)), (-1, 1))
    for end in ((low + 1) / 2, (high + 1) / 2):  # the equation of the score test
        assert (seen - end) ** 2 == pytest.approx(stats.norm.ppf(0.975) ** 2 * end * (1 - end) / worth, rel=1e-5)


@given(st.floats(0.2, 5))
def test_cases_of_one_weight_are_cases(weight):
    table = np.array([[30.0, 2.0, 1.0], [4.0, 20.0, 0.0], [0.0, 3.0, 9.0]])
    steady = np.full((3, 3), 1 / 9)
    plain = effective_limits(measured(MCC), table, np.ones((3, 3)), steady, (-1, 1))
    assert effective_limits(measured(MCC), table, np.full((3, 3), weight), steady, (-1, 1)) == pytest.approx(plain, abs=1e-7)


def test_weights_give_the_variance_of_resampled_cases():
    """One class of heavy cases: its few cases, not their weight, say how much the measure varies."""
    cases, weights = np.array([[300, 40], [6, 14]]), np.array([[1.0, 1.0], [12.0, 12.0]])
    drawn = np.random.default_rng(5).multinomial(cases.sum(), (cases / cases.sum()).ravel(), 40_000).reshape(-1, 2, 2) * weights
    spread = np.var((of_tables(MCC, drawn) + 1) / 2)
    seen = (float(of_tables(MCC, cases * weights)) + 1) / 2
    low, high = effective_limits(measured(MCC), cases.astype(float), weights, np.zeros((2, 2)), (-1, 1), 0.5)
    centre, z = (low + high + 2) / 4, stats.norm.ppf(0.75)
    worth = ((seen - 0.5) / (seen - centre) - 1) * z**2  # Wilson's centre is (n u + z^2 / 2) / (n + z^2)
    assert seen * (1 - seen) / worth == pytest.approx(spread, rel=0.1)


@pytest.mark.slow
@given(hnp.arrays(np.int64, (3, 3), elements=st.integers(0, 30)).filter(lambda t: (t.sum(axis=1) > 0).all()))
def test_limits_hold_what_scikit_learn_sees(table):
    truth, predicted = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    cases, ones, steady = table.astype(float), np.ones((3, 3)), np.full((3, 3), 1 / 9)
    low, high = effective_limits(measured(JACCARD), cases, ones, steady, (0, 1))
    assert low - 1e-12 <= jaccard_score(truth, predicted, average="macro") <= high + 1e-12
    assert low < high
    if len(np.unique(predicted)) > 1:
        low, high = effective_limits(measured(MCC), cases, ones, steady, (-1, 1))
        assert low - 1e-12 <= matthews_corrcoef(truth, predicted) <= high + 1e-12
        assert low < high


def test_where_nothing_can_vary_all_cases_count():
    low, high = effective_limits(accuracy, np.array([[8.0]]), np.ones((1, 1)), np.ones((1, 1)), (0, 1))
    assert (low, high) == (pytest.approx(8 / (8 + stats.norm.ppf(0.975) ** 2)), 1.0)
    assert not math.isnan(low)
