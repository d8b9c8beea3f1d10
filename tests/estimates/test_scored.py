"""Intervals of losses: sums against cases, formulas against SciPy, what they must never do, and simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import chi2, norm, t

from adjudge import InputError, Predictions, evaluate, interval, measure
from adjudge.counts.counting import tally
from adjudge.counts.numbers import count_numbers, sum_numbers
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.estimates.scored import loss_interval, number_interval, precision_interval
from adjudge.stats import auc_intervals

probabilities = st.lists(
    st.tuples(st.sampled_from([0.02, 0.3, 0.5, 0.9, 1.0]) | st.floats(0.01, 0.99), st.booleans()), min_size=2, max_size=30
).filter(lambda rows: len({flag for _, flag in rows}) == 2)
levels = st.sampled_from([0.5, 0.8, 0.95, 0.999])


def ends(found):
    return found.low, found.high


def several(seed, n=80, k=4):
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(k), rng.integers(0, k, n - k))
    scores = np.exp(rng.normal(size=(n, k)) + np.eye(k)[truth])
    return truth, scores / scores.sum(axis=1, keepdims=True)


# -- sums ----------------------------------------------------------------------------------------------------------------------


def test_sums_of_squares_agree_with_the_cases_in_any_blocks():
    truth, p = several(1)
    w = np.random.default_rng(2).random(80) + 0.1
    sums = ProbabilityCounts()
    for block in np.array_split(np.arange(80), 5):
        sums.add(p[block], truth[block], w[block])
    brier, log = ((p - np.eye(4)[truth]) ** 2).sum(axis=1), -np.log(p[np.arange(80), truth])
    assert sums.squares == pytest.approx([(w * brier**2).sum(), (w * log**2).sum()], rel=1e-12)
    assert sums.weight_squares == pytest.approx((w**2).sum(), rel=1e-12)
    for at in range(4):
        own = np.where(truth == at, p[:, at], 1 - p[:, at])
        expected = [(w * (1 - own) ** 4).sum(), (w * np.log(own) ** 2).sum()]
        assert sums.class_squares[at] == pytest.approx(expected, rel=1e-12)


def test_products_of_errors_agree_with_the_cases():
    rng = np.random.default_rng(3)
    y, f, w = rng.normal(size=50), rng.normal(size=50), rng.random(50)
    counts = count_numbers(Predictions(y, f, weight=w))
    d = y - np.average(y, weights=w)
    each = np.stack((np.abs(y - f), (y - f) ** 2, np.abs(d), d))
    assert counts.products == pytest.approx((each * w) @ each.T, rel=1e-10)
    assert counts.side == pytest.approx((w * np.sign(d)).sum(), rel=1e-12)


# -- formulas ------------------------------------------------------------------------------------------------------------------


def padded(losses, weight, loss, lost):
    """Return mean and variance of the losses with part of a case at 0 and part of one at `loss`, and what the cases are worth."""
    n = weight.sum() ** 2 / (weight**2).sum()
    values = np.concatenate((losses, [0.0, loss]))
    shares = np.concatenate((weight / weight.sum() * n, [lost, lost]))
    mean = np.average(values, weights=shares)
    return mean, np.average((values - mean) ** 2, weights=shares), n


def brier_by_hand(losses, weight, high):
    mean, variance, n = padded(losses, weight, high, 0.25)
    half = t.ppf(0.975, n - 1) * math.sqrt(variance / n) / high / (mean / high * (1 - mean / high))
    return high * expit(logit(mean / high) - half), high * expit(logit(mean / high) + half)


@pytest.mark.parametrize("weighted", [False, True])
def test_brier_limits_agree_with_scipy(weighted):
    truth, p = several(5)
    w = np.random.default_rng(6).random(80) if weighted else np.ones(80)
    found = Predictions(truth, scores=p, classes=range(4), weight=w if weighted else None)
    expected = brier_by_hand(((p - np.eye(4)[truth]) ** 2).sum(axis=1), w, 2.0)
    assert ends(interval(found, "brier")) == pytest.approx(expected, rel=1e-10)
    own = np.where(truth == 2, p[:, 2], 1 - p[:, 2])
    assert ends(interval(found, "brier", positive=2)) == pytest.approx(brier_by_hand((1 - own) ** 2, w, 1.0), rel=1e-10)
    binary = Predictions(truth == 2, scores=p[:, 2], weight=w if weighted else None)
    assert ends(interval(binary, "brier")) == pytest.approx(brier_by_hand((1 - own) ** 2, w, 1.0), rel=1e-10)


def typical(columns):
    """Return sum p log^2 p / sum p |log p| over 15 bins of each column."""
    top = bottom = 0.0
    for p in columns:
        bins = np.clip(np.ceil(p * 15) - 1, 0, 14)
        for each in np.unique(bins):
            mean = p[bins == each].mean()
            top += (bins == each).sum() * mean * math.log(mean) ** 2
            bottom -= (bins == each).sum() * mean * math.log(mean)
    return top / bottom


@pytest.mark.parametrize("at", [None, 1])
def test_log_loss_limits_agree_with_scipy(at):
    truth, p = several(7)
    own = p[np.arange(80), truth] if at is None else np.where(truth == at, p[:, at], 1 - p[:, at])
    if at is None:
        loss = typical(p.T)
    else:
        bins = np.clip(np.ceil(p[:, at] * 15) - 1, 0, 14)  # the rest is binned as the class is
        means = np.array([[(bins == b).sum(), p[bins == b, at].mean()] for b in np.unique(bins)])
        n, q = np.tile(means[:, 0], 2), np.concatenate((means[:, 1], 1 - means[:, 1]))
        loss = (n * q * np.log(q) ** 2).sum() / -(n * q * np.log(q)).sum()
    mean, variance, n = padded(-np.log(own), np.ones(80), loss, 0.5)
    half = t.ppf(0.975, n - 1) * math.sqrt(variance / n) / mean
    found = interval(Predictions(truth, scores=p, classes=range(4)), "log_loss", positive=at)
    assert ends(found) == pytest.approx((mean * math.exp(-half), mean * math.exp(half)), rel=1e-10)


@pytest.mark.parametrize(("name", "power"), [("mae", 1), ("mse", 2)])
def test_errors_agree_with_scipy(name, power):
    rng = np.random.default_rng(8)
    y, f = rng.normal(size=30), rng.normal(size=30)
    losses = np.abs(y - f) ** power
    mean, variance = losses.mean(), losses.var(ddof=1) / 30
    quantile = t.ppf(0.975, 29)
    half = quantile * math.sqrt(variance) / mean
    df = 2 * mean**2 / (variance * (quantile / norm.ppf(0.975)) ** 2)
    low, high = (df * mean / chi2.ppf(share, df) for share in (0.975, 0.025))
    expected = min(low, mean * math.exp(-half)), max(high, mean * math.exp(half))
    if name == "mse":  # one more case, three times as bad as the worst
        more = np.append(losses, 3 * losses.max())
        expected = expected[0], max(expected[1], more.mean() + quantile * more.std() / math.sqrt(30))
    assert ends(interval(Predictions(y, f), name)) == pytest.approx(expected, rel=1e-9)


def test_the_relative_error_agrees_with_leaving_each_case_out():
    rng = np.random.default_rng(9)
    x = rng.exponential(size=400)
    y = x + rng.normal(size=400)

    def ratio(keep):
        return np.abs(y[keep] - x[keep]).sum() / np.abs(y[keep] - y[keep].mean()).sum()

    everyone = np.arange(400)
    left_out = np.array([ratio(everyone != i) for i in everyone])
    spread = math.sqrt(399 / 400 * ((left_out - left_out.mean()) ** 2).sum())
    full = ratio(everyone >= 0)
    half = t.ppf(0.975, 399) * spread / full
    found = interval(Predictions(y, x), "rae")
    assert ends(found) == pytest.approx((full * math.exp(-half), full * math.exp(half)), rel=5e-3)


def test_average_precision_agrees_with_the_formula():
    rng = np.random.default_rng(10)
    truth = np.arange(60) < 15
    found = Predictions(truth, truth, rng.normal(truth * 1.0), scores_are="scores")
    value = (15 * measure(found, "average_precision") + 0.5) / 16
    half = norm.ppf(0.975) / math.sqrt(15 * value * (1 - value))
    expected = expit(logit(value) - half), expit(logit(value) + half)
    assert ends(interval(found, "average_precision")) == pytest.approx(expected, rel=1e-12)


# -- distributions ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(probabilities, levels)
def test_losses_of_probabilities_have_a_width_in_range_around_the_value(rows, level):
    p, truth = (np.array(column) for column in zip(*rows, strict=True))
    counted = tally(Predictions(truth, scores=p))
    for name, high in (("brier", 1.0), ("log_loss", math.inf)):
        value, limits = measure(Predictions(truth, scores=p), name), loss_interval(counted, name, level=level)
        if limits is None:
            assert name == "log_loss"
            assert math.isinf(value)
            continue
        assert 0 <= limits.low <= value <= limits.high <= high
        assert limits.low < limits.high


@pytest.mark.slow
@example(rows=[(0.0, 0.0, 1.0), (0.0, 5e-324, 1.0)], level=0.5)
@example(rows=[(0.0, 0.0, 1.0), (5e-324, 1.0, 1.0)], level=0.5)
@example(rows=[(0.0, 0.0, 0.5), (0.0, 1.7798267132527e-178, 0.5)], level=0.5)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.sampled_from([0.5, 1.0, 4.0])), min_size=2, max_size=30), levels)
def test_errors_have_a_width_around_the_value(rows, level):
    y, f, w = (np.array(column) for column in zip(*rows, strict=True))
    counts = count_numbers(Predictions(y, f, weight=w))
    for name in ("mae", "mse", "rae"):
        limits = number_interval(counts, name, level=level)
        if limits is None:
            continue
        value = {"mae": counts.absolute / counts.weight, "mse": counts.squared / counts.weight}.get(name)
        value = counts.absolute / counts.absolute_of_mean if value is None else value
        assert 0 <= limits.low < limits.high
        assert limits.low <= value * (1 + 1e-9)
        assert value <= limits.high * (1 + 1e-9)


@given(st.floats(0.05, 1.0), st.integers(1, 500), levels)
def test_average_precision_limits_hold_the_value(value, n, level):
    low, high = auc_intervals.average_precision_interval(value, n, level)
    assert 0 <= low <= value <= high <= 1
    assert low < high


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_equal_losses_are_not_certain(name):
    limits = interval(Predictions([0, 1] * 20, scores=np.full(40, 0.5), positive=1), name)
    value = 0.25 if name == "brier" else math.log(2)
    assert limits.low < value < limits.high


@pytest.mark.parametrize("name", ["mae", "mse", "rae"])
def test_equal_errors_are_not_certain(name):
    y = np.array([1.5, -1.5] * 10)
    limits = number_interval(count_numbers(Predictions(y, y + 0.5)), name)
    assert limits.low < {"mae": 0.5, "mse": 0.25, "rae": 1 / 3}[name] < limits.high


def test_weights_all_2_are_weights_all_1():
    truth, p = several(11)
    a, b = (Predictions(truth, scores=p, classes=range(4), weight=w) for w in (None, np.full(80, 2.0)))
    for name in ("brier", "log_loss"):
        assert ends(interval(a, name)) == pytest.approx(ends(interval(b, name)), rel=1e-12)
    y, f = truth + 0.5, p[:, 0]
    for name in ("mae", "mse", "rae"):
        one, two = (number_interval(count_numbers(Predictions(y, f, weight=w)), name) for w in (None, np.full(80, 2.0)))
        assert ends(one) == pytest.approx(ends(two), rel=1e-12)


# -- none ----------------------------------------------------------------------------------------------------------------------


def test_what_says_nothing_of_its_spread_has_no_interval():
    sure = tally(Predictions([0, 1, 1], scores=[0.0, 1.0, 1.0], positive=1))
    wrong = tally(Predictions([0, 1, 1], scores=[0.2, 1.0, 0.0], positive=1))
    assert loss_interval(sure, "log_loss") is None
    assert loss_interval(wrong, "log_loss") is None
    assert loss_interval(sure, "brier").high > 0
    assert loss_interval(wrong, "ece") is None
    alone = count_numbers(Predictions([1.5, 2.5], [1.0, 2.0], weight=[1.0, 0.0]))
    right = count_numbers(Predictions([1.5, 2.5], [1.5, 2.5]))
    constant = count_numbers(Predictions([1.5, 1.5], [1.0, 2.5]))
    assert [number_interval(c, "mae") for c in (alone, right)] == [None, None]
    assert number_interval(constant, "rae") is None
    assert number_interval(constant, "rse") is None


def test_errors_beyond_the_range_of_floats_have_no_interval():
    counts = count_numbers(Predictions([1e90, -1e90, 0.5], [0.0, 0.0, 0.0]))
    assert number_interval(counts, "mse") is None


@pytest.mark.parametrize(
    ("name", "how", "told"),
    [
        ("ece", {}, "often enough"),
        ("brier", {"method": "bca"}, "one method"),
        ("brier", {"average": "macro"}, 'average="macro"'),
    ],
)
def test_refusals_say_why(name, how, told):
    truth, p = several(12)
    with pytest.raises(InputError, match=told):
        interval(Predictions(truth, scores=p, classes=range(4)), name, **how)


@pytest.mark.slow
def test_the_evaluation_shows_the_intervals():
    truth, p = several(13)
    found = evaluate(Predictions(truth, scores=p, classes=range(4))).estimates
    assert all(found[name].interval is not None for name in ("auc", "brier", "log_loss"))
    assert found["ece"].interval is None
    numbers = evaluate(Predictions(truth + 0.5, p[:, 0])).estimates
    assert [numbers[name].interval is not None for name in ("mae", "mse", "rae", "rse")] == [True, True, True, False]


# -- coverage ------------------------------------------------------------------------------------------------------------------


def calibrated(a, b, n, rng):
    p = rng.beta(a, b, n)
    return p, rng.random(n) < p


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "n"), [(2, 2, 20), (2, 2, 200), (0.3, 0.3, 50), (1, 9, 50), (0.1, 0.1, 200), (0.3, 30, 200)])
def test_simulated_coverage_of_losses(a, b, n):
    rng = np.random.default_rng([1, n])
    p, y = calibrated(a, b, 1_000_000, rng)
    own = np.where(y, p, 1 - p)
    true = {"brier": ((1 - own) ** 2).mean(), "log_loss": -np.log(own).mean()}
    held = dict.fromkeys(true, 0)
    for _ in range(600):
        p, y = calibrated(a, b, n, rng)
        sums = ProbabilityCounts()
        sums.add(p[:, None], np.where(y, 0, 1), None)
        counted = tally(Predictions([0, 1], scores=[0.2, 0.8], positive=1))
        counted = type(counted)(counted.confusion, n, scores=counted.scores, probabilities=sums)
        for name, value in true.items():
            limits = loss_interval(counted, name)
            held[name] += limits.low <= value <= limits.high
    assert all(0.91 <= each / 600 <= 0.99 for each in held.values()), held


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n"), [("normal", 10), ("normal", 50), ("uniform", 20), ("laplace", 50), ("laplace", 200)])
def test_simulated_coverage_of_errors(kind, n):
    rng = np.random.default_rng([2, n])

    def draw(size):
        x = rng.normal(size=size)
        return x + getattr(rng, kind)(size=size) - (0.5 if kind == "uniform" else 0.0), x

    y, f = draw(1_000_000)
    true = {"mae": np.abs(y - f).mean(), "mse": ((y - f) ** 2).mean()}
    true["rae"] = true["mae"] / np.abs(y - y.mean()).mean()
    held = dict.fromkeys(true, 0)
    for _ in range(1000):
        counts = count_numbers(Predictions(*draw(n)))
        for name, value in true.items():
            limits = number_interval(counts, name)
            held[name] += limits.low <= value <= limits.high
    assert all(0.91 <= each / 1000 <= 0.99 for each in held.values()), held


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "shift"), [(20, 80, 1.0), (50, 500, 1.0), (50, 450, 2.5), (200, 800, 1.0)])
def test_simulated_coverage_of_average_precision(m, n, shift):
    rng = np.random.default_rng([3, m])
    many = rng.random(1_000_000) < m / (m + n)
    true = measure(Predictions(many, many, rng.normal(many * shift), scores_are="scores"), "average_precision")
    truth, held = np.arange(m + n) < m, 0
    for _ in range(500):
        limits = precision_interval(tally(Predictions(truth, truth, rng.normal(truth * shift), scores_are="scores")), 1)
        held += limits.low <= true <= limits.high
    assert 0.91 <= held / 500 <= 0.99


def _errors(kind, rng, n):
    return {"normal": rng.standard_normal, "t3": lambda n: rng.standard_t(3, n), "skewed": lambda n: rng.exponential(size=n) - 1}[
        kind
    ](n)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 100, 1_000])
@pytest.mark.parametrize("kind", ["normal", "t3", "skewed"])
def test_intervals_of_numbers_cover(kind, n):
    rng = np.random.default_rng(99)
    variance = {"normal": 1.0, "t3": 3.0, "skewed": 1.0}[kind]
    some = np.abs(_errors(kind, rng, 4_000_000))
    truth = {"rmse": math.sqrt(variance), "mae": float(some.mean()), "median_absolute_error": float(np.median(some))}
    truth |= {"mean_error": 0.0, "r2": 0.8}
    held, times = dict.fromkeys(truth, 0), 1_000
    for _ in range(times):
        e, f = _errors(kind, rng, n), math.sqrt(4 * variance) * rng.standard_normal(n)
        counts = sum_numbers(f + e, f, None)
        for name, value in truth.items():
            low, high = ends(number_interval(counts, name))
            held[name] += low <= value <= high
    assert {name: times_held / times for name, times_held in held.items() if times_held < 0.92 * times} == {}
