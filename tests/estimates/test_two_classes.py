"""MCC and kappa of two classes: distributions of their intervals, what they are made of, and how often they hold the truth."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betainc, gammaln

from adjudge import ConfusionCounts, InputError, WeightedCounts, interval, measure
from adjudge.estimates.intervals import one_sided
from adjudge.metrics.catalogue import find
from adjudge.stats.mover import DIAGONALS, RECALLS, extremes, kappa, mcc

NAMES = ("mcc", "kappa")
SIZES = st.one_of(st.integers(0, 12), st.integers(0, 400))
TABLES = st.lists(SIZES, min_size=4, max_size=4).map(lambda v: np.array(v).reshape(2, 2))
DEFINED = TABLES.filter(lambda t: (t.sum(axis=0) > 0).all() and (t.sum(axis=1) > 0).all())
HARDLY_HIT = np.array([[349, 39], [12, 0]])


def ends(table, name, **how):
    found = interval(table, name, **how)
    return np.array([found.low, found.high])


def side(found, middle=0.0):
    """Return on which side of a value both limits lie; 0 where they hold it."""
    return int(found[0] > middle) - int(found[1] < middle)


# -- distributions --------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=20)
@given(DEFINED)
@example(HARDLY_HIT)
@pytest.mark.parametrize("name", NAMES)
def test_limits_hold_the_value_within_the_range_and_shrink(name, table):
    low, high = ends(table, name)
    assert -1 <= low <= measure(table, name) <= high <= 1
    assert low < high
    assert np.diff(ends(10 * table, name))[0] < high - low


@pytest.mark.slow
@settings(max_examples=20)
@given(DEFINED)
@example(HARDLY_HIT)
@example(np.array([[4, 0], [106, 90]]))  # the mean recall alone would exclude 1/2, the mean precision would not
@example(np.array([[0, 5], [26, 39]]))
def test_all_lie_on_the_same_side_of_chance(table):
    """MCC, kappa and informedness are 0 in the same tables: MCC and kappa exclude 0 together, and only if the others do."""
    mine = side(ends(table, "mcc"))
    others = {side(ends(table, "balanced_accuracy"), 0.5), side(ends(table, "precision", average="macro"), 0.5)}
    assert mine == side(ends(table, "kappa"))
    assert side(ends(table, "informedness")) == side(ends(table, "balanced_accuracy"), 0.5)
    assert others <= ({0, 1, -1} if mine == 0 else {mine})


@pytest.mark.slow
@settings(max_examples=20)
@given(DEFINED)
@example(np.array([[0, 1], [10, 1]]))  # two peaks, of which a coarse grid found the lower one
@example(np.array([[0, 1], [17, 1]]))
@pytest.mark.parametrize("name", NAMES)
def test_neither_order_nor_sides_matter(name, table):
    plain = ends(table, name)
    assert ends(table[::-1, ::-1], name) == pytest.approx(plain, abs=1e-9)
    assert ends(table.T, name) == pytest.approx(plain, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=20)
@given(DEFINED)
def test_flipped_predictions_mirror_the_mcc(table):
    assert ends(table[:, ::-1], "mcc") == pytest.approx(-ends(table, "mcc")[::-1], abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_rare_class_that_is_never_hit_shows_nothing(name):
    """Fisher's test has p = .62 here."""
    assert stats.fisher_exact(HARDLY_HIT).pvalue > 0.5
    low, high = ends(HARDLY_HIT, name)
    assert low < 0 < high


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1, 10**8])
def test_huge_and_lopsided_tables_have_finite_limits(name, scale):
    for table in ([[10, 0], [0, 10]], [[10, 0], [1, 0]], [[1, 0], [0, 10]], [[10, 3], [0, 1]], [[0, 10], [10, 0]]):
        cells = np.array(table) * scale + np.array([[0, 0], [0, 1]])
        low, high = ends(cells, name)
        assert -1 <= low < high <= 1
    low, high = ends([[10**9, 0], [0, 10**9]], name)
    assert 1 - 1e-8 < low < high == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["default", "region-midp", "region-tail-inversion"])
def test_constant_predictions_have_no_interval_but_a_reason(name, method):
    if name == "mcc":
        with pytest.raises(InputError, match="all decisions are the same"):
            interval([[5, 0], [4, 0]], name, method=method)
    with pytest.raises(InputError, match="all cases are of class 0"):
        interval([[5, 0], [0, 0]], name, method=method)


def test_a_kappa_of_constant_predictions_is_0_and_uncertain():
    low, high = ends([[50, 0], [4, 0]], "kappa")
    assert low <= 0 <= high
    assert low < high


@pytest.mark.parametrize("name", NAMES)
def test_weighted_cases_count_as_many_as_they_are_worth(name):
    cases = np.array([[40.0, 5.0], [8.0, 22.0]])
    plain = ends(cases.astype(int), name)
    assert ends(WeightedCounts(cases * 2.5, (0, 1), squares=cases * 2.5**2), name) == pytest.approx(plain, abs=1e-9)
    spread = WeightedCounts(cases, (0, 1), squares=cases * 4)  # the same shares from a quarter of the cases
    assert ends(spread, name) == pytest.approx(quartered(cases, name), abs=1e-9)
    assert np.diff(ends(spread, name))[0] > 1.5 * np.diff(plain)[0]


def quartered(cases, name):
    """Return the limits of a table of a quarter of the cases, from SciPy's binomial tails."""
    low, high = limits_of(cases.ravel()[np.newaxis] / 4, name)
    return np.array([low[0], high[0]])


@pytest.mark.parametrize("name", NAMES)
def test_more_classes_and_rejected_cases_have_effective_limits(name):
    for table in ([[20, 3, 2], [4, 15, 6], [1, 2, 30]], [[40, 5, 3], [8, 22, 6]]):
        counts = ConfusionCounts(table)
        assert interval(counts, name).method == interval(counts, name, method="region-midp").method == "effective-wilson"
        assert one_sided(counts, find(name)).method == "effective-tail-inversion"
    assert interval(ConfusionCounts([[40, 5, 0], [8, 22, 0]]), name) == interval([[40, 5], [8, 22]], name)


# -- coverage ----------------------------------------------------------------------------------------------------------------
# The grid was fixed before the first run. Tables without a value (a class never seen or never predicted) are left out, and so
# are cells where a value comes in fewer than one table of twenty.

STATISTICS = {"mcc": mcc, "kappa": kappa}
PREVALENCES = (0.5, 0.2, 0.1, 0.03, 0.01)
RATES = [(0.02, 0.98), (0.98, 0.02), (0.5, 0.5), (0.1, 0.9), (0.05, 0.9), (0.9, 0.9), (0.99, 0.99), (0.5, 0.99), (0.7, 0.8)]
CELLS = list(itertools.product(PREVALENCES, RATES))
DRAWN = 800
SEED = 20261117
VIEWS = [(((0,), (0, 1)), ((3,), (2, 3)), ((0, 1), (0, 1, 2, 3))), (((0,), (0, 2)), ((3,), (1, 3)), ((0, 2), (0, 1, 2, 3)))]
CROSSED = (((0,), (0, 3)), ((1,), (1, 2)), ((0, 3), (0, 1, 2, 3)))


def chances(prevalence, rates):
    (hit, quiet), rest = rates, 1 - prevalence
    return np.array([prevalence * hit, prevalence * (1 - hit), rest * (1 - quiet), rest * quiet])


def defined(tables):
    a, b, c, d = tables.T
    return (a + b > 0) & (c + d > 0) & (a + c > 0) & (b + d > 0)


def every_table(n):
    """Return every table of n cases that has an MCC."""
    grid = np.arange(n + 1)
    a, b, c = (each.ravel() for each in np.meshgrid(grid, grid, grid, indexing="ij"))
    tables = np.stack([a, b, c, n - a - b - c], axis=1)[a + b + c <= n]
    return tables[defined(tables)].astype(float)


def probabilities(tables, p):
    return np.exp(gammaln(tables[0].sum() + 1) - gammaln(tables + 1).sum(axis=1) + tables @ np.log(p))


def shares_of(tables, parts, *, exact, level):
    """Return values and limits, 3 x 3 x tables, from SciPy's binomial tails."""
    found = []
    for hits, cases in parts:
        every = np.stack([tables[:, list(hits)].sum(axis=1), tables[:, list(cases)].sum(axis=1)], axis=1)
        pairs, at = np.unique(every, axis=0, return_inverse=True)
        found.append(np.stack(share_limits(*pairs.T, exact=exact, level=level))[:, at.ravel()])
    return np.array(found).transpose(1, 0, 2)


def share_limits(x, n, *, exact, level):
    """Return share, lower and upper limit: one tail each of the exact binomial, or both of the mid-P test, by bisection."""
    tail, seen = ((1 - level), 1.0) if exact else ((1 - level) / 2, 0.5)

    def rarer(p, hits, misses):
        """P(more hits) and a part of P(as many)."""
        more = np.where(misses > 0, betainc(hits + 1, np.maximum(misses, 1e-300), p), 0.0)
        as_many = np.where(hits > 0, betainc(np.maximum(hits, 1e-300), misses + 1, p), 1.0) - more
        return more + seen * as_many

    def lower(hits, misses):
        low, high = np.zeros(len(x)), np.ones(len(x))
        for _ in range(50):  # to 1e-15
            middle = (low + high) / 2
            above = rarer(middle, hits, misses) > tail
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.where(hits > 0, low, 0.0)

    return np.where(n > 0, x / np.maximum(n, 1), 0.5), lower(x, n - x), 1 - lower(n - x, x)


def regions(tables, *, exact=False, level=0.95):
    """Return each view of many tables with the shares that span its region, as the interval has them."""
    ways = [(RECALLS, VIEWS[0]), (RECALLS, VIEWS[1]), *([(DIAGONALS, CROSSED)] if exact else [])]
    return [(view, shares_of(tables, parts, exact=exact, level=level)) for view, parts in ways]


def limits_of(tables, name, *, rounds=10, **how):
    """Return the limits of many tables, searched a few at a time to stay in the cache."""
    found = []
    for view, shares in regions(tables, **how):
        parts = np.array_split(shares, 1 + len(tables) // 25, axis=2)
        found.append(np.hstack([extremes(STATISTICS[name], view, *part, rounds=rounds) for part in parts]))
    return np.minimum.reduce([low for low, _ in found]), np.maximum.reduce([high for _, high in found])


def coarse_limits_of(tables, name, **how):
    """Return limits from a coarse search, which can only be too narrow.

    Tables that differ by the order of the classes or of truth and predictions have one interval, a distribution tested above.
    """
    same = np.concatenate([np.sort(tables[:, [0, 3]], axis=1), np.sort(tables[:, [1, 2]], axis=1)], axis=1)[:, [0, 2, 3, 1]]
    once, at = np.unique(same, axis=0, return_inverse=True)
    return tuple(each[at.ravel()] for each in limits_of(once, name, rounds=2, **how))


def reached(tables, name, **how):
    """Return the least and the largest value at 26 points of each region: the limits reach at least as far."""
    found = []
    for view, (values, lows, highs) in regions(tables, **how):
        for way in set(itertools.product((-1, 0, 1), repeat=3)) - {(0, 0, 0)}:
            axes = [
                side and (low if side < 0 else high) - value
                for side, value, low, high in zip(way, values, lows, highs, strict=True)
            ]
            at = [np.clip(value + axis / np.linalg.norm(way), 0.0, 1.0) for value, axis in zip(values, axes, strict=True)]
            with np.errstate(divide="ignore", invalid="ignore"):
                found.append(STATISTICS[name](view.cells(*at)))
    return np.fmin.reduce(found), np.fmax.reduce(found)


def wrong(n, name, **how):
    """Yield each cell, how often the lower limit lies above the truth and the upper one below, and the share with a value."""
    truths = np.array([float(STATISTICS[name](tuple(chances(*cell)))) for cell in CELLS])
    if n <= 50:
        tables = every_table(n)
        weights = np.array([probabilities(tables, chances(*cell)) for cell in CELLS])
        low, high = coarse_limits_of(tables, name, **how)
    else:
        rng = np.random.default_rng([SEED, n])
        drawn = np.array([rng.multinomial(n, chances(*cell), DRAWN) for cell in CELLS])
        tables, at = np.unique(drawn.reshape(-1, 4), axis=0, return_inverse=True)
        weights = np.array([np.bincount(one, minlength=len(tables)) for one in at.reshape(len(CELLS), DRAWN)]) / DRAWN
        known = defined(tables)
        tables, weights = tables[known].astype(float), weights[:, known]
        low, high = reached(tables, name, **how)
        asked = np.where(weights > 0, truths[:, np.newaxis], np.nan)
        open_ = ~((low <= np.nanmin(asked, axis=0)) & (high >= np.nanmax(asked, axis=0)))  # the others hold the truth for certain
        low[open_], high[open_] = coarse_limits_of(tables[open_], name, **how)
    for cell, weight, truth in zip(CELLS, weights, truths, strict=True):
        whole = weight.sum()
        if whole >= 0.05:
            yield cell, weight[low > truth + 1e-9].sum() / whole, weight[high < truth - 1e-9].sum() / whole, whole


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 200, 2000])
@pytest.mark.parametrize("name", NAMES)
def test_intervals_hold_the_truth(name, n):
    least = 0.93 if n <= 50 else 0.95 - 3 * math.sqrt(0.05 * 0.95 / DRAWN)  # enumerated or drawn
    for cell, above, below, _ in wrong(n, name):
        assert 1 - above - below >= least, cell


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 400])
@pytest.mark.parametrize("name", NAMES)
def test_one_sided_limits_hold_the_truth(name, n):
    allowed = 0.05 if n <= 50 else 0.05 + 3 * math.sqrt(0.05 * 0.95 / DRAWN)  # enumerated or drawn
    for cell, above, below, _ in wrong(n, name, exact=True):
        assert max(above, below) <= allowed, cell


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_simulated_limits_are_those_of_the_interval(name):
    tables = np.array([[349, 39, 12, 0], [40, 5, 8, 2], [1, 1, 3, 45], [10, 0, 0, 5]])
    low, high = limits_of(tables.astype(float), name)
    below, above = limits_of(tables.astype(float), name, exact=True)
    for i, table in enumerate(tables.reshape(-1, 2, 2)):
        counts = ConfusionCounts(table)
        both, each = interval(counts, name), one_sided(counts, find(name))
        assert (both.low, both.high) == pytest.approx((low[i], high[i]), abs=1e-9)
        assert (each.low, each.high) == pytest.approx((below[i], above[i]), abs=1e-9)
