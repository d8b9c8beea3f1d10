"""Limits of sums of estimates: the formulas written out, and their distributions.

Limits by the delta method: slopes to many digits, the variance in the literature, and the limits of a share.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import optimize, stats
from sklearn.metrics import cohen_kappa_score, f1_score, jaccard_score, matthews_corrcoef

from adjudge.metrics.averages import of_tables
from adjudge.metrics.on_counts import G_MEAN, JACCARD, KAPPA, MCC, SPECIFICITY
from adjudge.stats import mover as module
from adjudge.stats.binomial import midp, wilson
from adjudge.stats.mover import (
    DIAGONALS,
    RECALLS,
    _variance_of_mean,
    effective_limits,
    extremes,
    f1_from_jaccard,
    f1_limits,
    fbeta_limits,
    kappa,
    macro_f1,
    macro_f1_limits,
    mcc,
    mover,
    shortfall,
    slopes,
    steadied,
    unbiased_centre,
)

share = st.floats(0, 1)
triples = st.tuples(share, share, share).map(sorted)
parts = st.lists(st.tuples(triples, st.floats(-1, 1)), min_size=1, max_size=8)
tables = st.lists(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=30)
squares = st.integers(2, 5).flatmap(lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 40)))
cells = st.integers(0, 200)


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


@given(cells, cells, cells)
def test_f1_limits_are_those_of_jaccard_on_another_scale(tp, fp, fn):
    low, high = f1_limits(tp, fp, fn)
    size = tp + fp + fn
    assert 0 <= low <= high <= 1
    if not size:
        assert (low, high) == (0.0, 1.0)
        return
    assert low <= 2 * tp / (2 * tp + fp + fn) + 1e-15
    assert 2 * tp / (2 * tp + fp + fn) <= high + 1e-15
    posterior = stats.beta(tp + 0.5, fp + fn + 0.5)
    # F1 = 2J / (1 + J) turned round is J = F1 / (2 - F1).
    assert low / (2 - low) == (pytest.approx(posterior.ppf(0.025), rel=1e-8) if tp else 0.0)
    assert high / (2 - high) == (pytest.approx(posterior.ppf(0.975), rel=1e-8) if fp + fn else 1.0)


@pytest.mark.slow
@given(cells, cells, cells, st.sampled_from([0.1, 0.5, 1.0, 2.0, 30.0]))
def test_fbeta_limits_are_the_extremes_over_the_ellipse_of_two_shares(tp, fn, fp, beta):
    low, high = fbeta_limits(tp, fn, fp, beta)
    if beta == 1:
        assert (low, high) == pytest.approx(f1_limits(tp, fp, fn, 0.95, midp), abs=1e-12)
    assert (low, high) == pytest.approx(fbeta_limits(tp, fp, fn, 1 / beta), abs=1e-9)  # truth and predictions exchanged
    ends = [midp(tp, tp + fn + fp), midp(fn, fn + fp)]
    at = [tp / (tp + fn + fp) if tp + fn + fp else 0.5, fn / (fn + fp) if fn + fp else 0.5]
    turn = np.linspace(0, 2 * np.pi, 8001)
    j, m = (
        s + np.where(part > 0, end[1] - s, s - end[0]) * part
        for s, end, part in zip(at, ends, (np.cos(turn), np.sin(turn)), strict=True)
    )
    precision_like, b = beta**2 * m + 1 - m, beta**2
    values = (1 + b) * j / ((1 + b) * j + (1 - j) * precision_like)
    assert low <= values.min() + 1e-12
    assert high >= values.max() - 1e-12
    assert (low, high) == pytest.approx((values.min(), values.max()), abs=1e-5)


def test_f1_from_jaccard_runs_from_0_to_1():
    found = [f1_from_jaccard(j) for j in np.linspace(0, 1, 50)]
    assert found[0] == 0
    assert found[-1] == 1
    assert np.all(np.diff(found) > 0)


@pytest.mark.slow
@given(squares)
def test_macro_f1_agrees_with_scikit_learn(table):
    assume(table.sum() > 0)
    truth, predicted = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    theirs = f1_score(truth, predicted, labels=np.unique(truth), average="macro")
    assert macro_f1(table) == pytest.approx(theirs, abs=1e-12)


def mean_f1(chances, seen):
    both = chances.sum(axis=0)[: len(chances)] + chances.sum(axis=1)
    return np.mean(2 * chances.diagonal()[seen] / both[seen])


def by_finite_differences(table, seen):
    """Return the multinomial delta-method variance of the mean F1 of the `seen` classes."""
    chances, step = table / table.sum(), 1e-6
    slope = np.empty(table.shape)
    for at in np.ndindex(table.shape):
        nudge = np.zeros(table.shape)
        nudge[at] = step * chances[at]
        slope[at] = (mean_f1(chances + nudge, seen) - mean_f1(chances - nudge, seen)) / (2 * nudge[at])
    return ((chances * slope**2).sum() - (chances * slope).sum() ** 2) / table.sum()


@given(squares.filter(lambda table: table.sum() > 0))
def test_shared_errors_give_the_variance_of_the_delta_method(table):
    seen, smooth = table.sum(axis=1) > 0, table + 1 / table.size
    size = smooth.sum(axis=0) + smooth.sum(axis=1) - smooth.diagonal()
    jaccard = smooth.diagonal() / size
    deviations = (2 * np.sqrt(jaccard * (1 - jaccard) / size) / (1 + jaccard) ** 2)[seen]
    assert _variance_of_mean(table.astype(float), seen, deviations) == pytest.approx(
        by_finite_differences(smooth, seen), rel=1e-6
    )


@pytest.mark.parametrize(("size", "jaccard"), [(40, 0.5), (40, 0.8), (200, 0.9), (200, 0.2)])
def test_f1_falls_short_of_its_target_by_what_is_added(size, jaccard):
    counts = np.arange(size + 1)
    expected = float(stats.binom.pmf(counts, size, jaccard) @ f1_from_jaccard(counts / size))
    found = shortfall(np.array([jaccard]), np.array([float(size)]))
    assert found == pytest.approx(f1_from_jaccard(jaccard) - expected, rel=0.1)


@pytest.mark.slow
@given(squares.filter(lambda table: table.sum() > 0))
def test_macro_limits_solve_the_equation_of_the_score_test(table):
    seen = table.sum(axis=1) > 0
    hits, sizes = table.diagonal()[seen], (table.sum(axis=0) + table.sum(axis=1) - table.diagonal())[seen]
    k, jaccard = len(hits), hits / sizes
    even = k**2 / (1 / sizes).sum()
    shares = (hits + 2 * (even * jaccard.mean() + 2) / (even + 4)) / (sizes + 2)
    deviations = 2 / (1 + shares) ** 2 * np.sqrt(shares * (1 - shares) / sizes / (1 - sizes / (sizes + 2) ** 2))
    steady = np.mean(2 * shares / (1 + shares))
    worth = steady * (1 - steady) / _variance_of_mean(table.astype(float), seen, deviations)
    estimate = np.mean(2 * jaccard / (1 + jaccard))
    centre = estimate + np.mean(2 * jaccard * (1 - jaccard) / (1 + jaccard) ** 3 / sizes)
    for end in macro_f1_limits(table):
        if abs(end - estimate) > 1e-12:  # the limits are widened to hold the estimate
            assert (centre - end) ** 2 == pytest.approx(stats.norm.ppf(0.975) ** 2 * end * (1 - end) / worth, abs=1e-12)


@pytest.mark.slow
def test_the_variance_is_that_of_many_tables():
    table = np.array([[500, 60, 40], [50, 200, 30], [10, 20, 90]])
    size = table.sum(axis=0) + table.sum(axis=1) - table.diagonal()
    shares, variances = steadied(table.diagonal().astype(float), size.astype(float))
    theory = _variance_of_mean(table.astype(float), np.ones(3, dtype=bool), 2 * np.sqrt(variances) / (1 + shares) ** 2)
    drawn = np.random.default_rng(1).multinomial(table.sum(), (table / table.sum()).ravel(), 20_000).reshape(-1, 3, 3)
    assert np.var([macro_f1(each) for each in drawn]) == pytest.approx(theory, rel=0.04)


@given(squares)
def test_macro_limits_hold_the_estimate_within_0_and_1(table):
    low, high = macro_f1_limits(table)
    if not table.sum():
        assert (low, high) == (0.0, 1.0)
        return
    assert 0 <= low <= macro_f1(table) <= high <= 1
    assert low < high
    inner = macro_f1_limits(table, 0.8)
    assert low <= inner[0] + 1e-12
    assert inner[1] <= high + 1e-12


@pytest.mark.slow
@given(squares, st.randoms(use_true_random=False))
def test_macro_limits_do_not_depend_on_the_order_of_classes(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    assert macro_f1_limits(table[np.ix_(order, order)]) == pytest.approx(macro_f1_limits(table), abs=1e-12)


def test_a_perfect_table_has_a_width_that_shrinks():
    widths = []
    for n in (10, 100, 1_000_000):
        low, high = macro_f1_limits(np.diag([n, n, n]))
        assert high == 1.0
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2] > 0
    assert widths[1] < 0.05


def test_a_column_of_rejected_cases_belongs_to_no_class():
    table = np.array([[8, 1, 1], [2, 6, 2]])
    assert macro_f1(table) == pytest.approx((16 / 20 + 12 / 17) / 2)
    low, high = macro_f1_limits(table)
    assert low < macro_f1(table) < high


@pytest.mark.slow
@given(squares.filter(lambda table: table.sum() > 0), st.floats(0.05, 1))
def test_weighted_classes_are_worth_their_sizes(table, part):
    sizes = (table.sum(axis=0) + table.sum(axis=1) - table.diagonal()).astype(float)
    plain = macro_f1_limits(table)
    assert macro_f1_limits(table, 0.95, sizes) == pytest.approx(plain, abs=1e-12)
    low, high = macro_f1_limits(table, 0.95, part * sizes)
    assert low <= macro_f1(table) <= high
    assert high - low >= (plain[1] - plain[0]) * (1 - 1e-9)


def shares(*of):
    """Return values, lower and upper Jeffreys limits of hits of cases, one table."""
    hits, cases = (np.array(each, dtype=float) for each in zip(*of, strict=True))
    ends = stats.beta.ppf([[0.025], [0.975]], hits + 0.5, cases - hits + 0.5)
    low, high = np.where(hits == 0, 0, ends[0]), np.where(hits == cases, 1, ends[1])
    return tuple(each[:, np.newaxis] for each in (hits / cases, low, high))


def by_rows(a, b, c, d):
    return shares((a, a + b), (d, c + d), (a + b, a + b + c + d))


def by_diagonals(a, b, c, d):
    return shares((a, a + d), (b, b + c), (a + d, a + b + c + d))


def table_of(view, x):
    """Return the chances of the cells from three shares."""
    first, second, third = x
    if view is RECALLS:
        return np.array([[third * first, third * (1 - first)], [(1 - third) * (1 - second), (1 - third) * second]])
    return np.array([[third * first, (1 - third) * second], [(1 - third) * (1 - second), third * (1 - first)]])


def correlation(p):
    """Return MCC as what it is: the correlation of two indicators."""
    true, predicted = p[1].sum(), p[:, 1].sum()
    return (p[1, 1] - true * predicted) / np.sqrt(true * (1 - true) * predicted * (1 - predicted))


def agreement(p):
    """Return kappa as what it is: agreement beyond chance."""
    chance = p.sum(axis=1) @ p.sum(axis=0)
    return (np.trace(p) - chance) / (1 - chance)


def searched(measure, view, values, lows, highs, side):
    """Return the extreme by sequential quadratic programming in every octant, from one start each."""
    centre, best = values.ravel(), -np.inf
    for signs in itertools.product((-1, 1), repeat=3):
        axes = np.where(np.array(signs) > 0, highs.ravel() - centre, lows.ravel() - centre)
        found = optimize.minimize(
            lambda t, axes=axes: -side * measure(table_of(view, np.clip(centre + axes * t, 1e-12, 1 - 1e-12))),
            (0.6, 0.5, 0.4),
            bounds=[(0, 1)] * 3,
            constraints={"type": "ineq", "fun": lambda t: 1 - t @ t},
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 100},
        )
        best = max(best, -found.fun) if found.x @ found.x <= 1 + 1e-9 else best
    return side * best


TABLES = [(0, 12, 39, 349), (40, 5, 8, 2), (1, 1, 3, 45), (8, 0, 2, 190)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "ours", "theirs", "view", "read"),
    [
        (TABLES[0], mcc, correlation, RECALLS, by_rows),
        (TABLES[1], kappa, agreement, RECALLS, by_rows),
        (TABLES[2], mcc, correlation, RECALLS, by_rows),
        (TABLES[3], kappa, agreement, RECALLS, by_rows),
        (TABLES[1], mcc, correlation, DIAGONALS, by_diagonals),
        (TABLES[2], kappa, agreement, DIAGONALS, by_diagonals),
    ],
)
def test_extremes_are_those_of_constrained_optimisation(table, ours, theirs, view, read):
    values, lows, highs = read(*table)
    low, high = extremes(ours, view, values, lows, highs)
    assert low[0] == pytest.approx(searched(theirs, view, values, lows, highs, -1), abs=1e-7)
    assert high[0] == pytest.approx(searched(theirs, view, values, lows, highs, 1), abs=1e-7)


@pytest.mark.slow
@given(st.integers(0, 60), st.integers(1, 60), st.integers(1, 60), st.integers(0, 60))
def test_of_a_sum_of_shares_they_are_the_limits_of_mover(a, b, c, d):
    values, lows, highs = by_rows(a, b, c, d)

    def informedness(cells):
        first, second, third, fourth = cells
        return first / (first + second) + fourth / (third + fourth) - 1

    low, high = extremes(informedness, RECALLS, values, lows, highs)
    expected = mover(values[:2, 0], lows[:2, 0], highs[:2, 0], np.ones(2))
    assert (low[0] + 1, high[0] + 1) == pytest.approx(expected, abs=1e-9)


def test_a_few_errors_of_billions_have_poisson_limits():
    """With as many of either class, 1 - MCC is the sum of both error rates: gamma quantiles, put together by MOVER."""
    n, errors = 1e9, np.array([3.0, 5.0])
    lows, highs = stats.gamma.ppf(0.025, errors + 0.5), stats.gamma.ppf(0.975, errors + 0.5)
    least, most = 8 - np.hypot(*(errors - lows)), 8 + np.hypot(*(highs - errors))
    low, high = extremes(mcc, RECALLS, *by_rows(n - 3, 3, 5, n - 5))
    assert n * (1 - low[0]) == pytest.approx(most, rel=1e-5)
    assert n * (1 - high[0]) == pytest.approx(least, rel=1e-5)


def test_many_tables_at_once_are_the_same_as_one_by_one():
    each = [by_rows(*table) for table in TABLES]
    together = extremes(kappa, RECALLS, *(np.concatenate(part, axis=1) for part in zip(*each, strict=True)))
    alone = np.array([extremes(kappa, RECALLS, *one) for one in each])[..., 0]
    np.testing.assert_allclose(np.array(together).T, alone, atol=1e-14)


@given(st.tuples(*[st.floats(0.001, 0.999)] * 3), st.tuples(*[st.floats(0.001, 0.999)] * 3))
@pytest.mark.parametrize("statistic", [mcc, kappa])
@pytest.mark.parametrize("view", [RECALLS, DIAGONALS])
def test_the_shares_said_to_raise_a_measure_do(view, statistic, x, y):
    """On this rests which octants are searched."""
    for at in np.flatnonzero(view.rising):
        below, above = list(x), list(x)
        below[at], above[at] = min(x[at], y[at]), max(x[at], y[at])
        values = (float(statistic(view.cells(*np.array(each)))) for each in (below, above))
        assert next(values) <= next(values) + 1e-12


def test_very_many_cases_without_an_error_are_worth_all_of_them():
    n = np.full(3, 1e15)
    low, high = unbiased_centre(n, n)
    assert high == 1
    assert 1 - low == pytest.approx(1 - wilson(3e15, 3e15, 0.95)[0], rel=0.2)
