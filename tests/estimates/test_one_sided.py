"""Limits that hold one by one: exact enumeration says how often a claim at the truth itself is let through."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.intervals import count_interval
from adjudge.estimates.one_sided import one_sided, two_sided
from adjudge.metrics.catalogue import find


def table(*rows):
    return ConfusionCounts(np.array(rows))


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_shares_have_the_bounds_of_beta_quantiles(n, x, level):
    x = min(x, n)
    found = one_sided(table([x, n - x], [0, 0]), find("accuracy"), level=level)
    low = stats.beta.ppf(1 - level, x, n - x + 1) if x else 0.0
    high = stats.beta.ppf(level, x + 1, n - x) if x < n else 1.0
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(
    ("sizes", "rates"),
    [((30, 15), (0.97, 0.85)), ((60, 8), (0.99, 0.7)), ((12, 12), (0.97, 0.6)), ((40, 20), (0.8, 0.8)), ((25, 5), (0.9, 0.5))],
)
@pytest.mark.parametrize("name", ["balanced_accuracy", "informedness"])
def test_a_claim_at_the_truth_is_let_through_rarely(sizes, rates, name):
    """Every table, with its probability: few cases of a class that are all right must not be enough."""
    truth = sum(rates) / 2 if name == "balanced_accuracy" else sum(rates) - 1
    wrong = 0.0
    for a, b in itertools.product(range(sizes[0] + 1), range(sizes[1] + 1)):
        chance = stats.binom.pmf(a, sizes[0], rates[0]) * stats.binom.pmf(b, sizes[1], rates[1])
        if chance > 1e-5:
            wrong += chance * (one_sided(table([a, sizes[0] - a], [sizes[1] - b, b]), find(name)).low >= truth)
    assert wrong <= 0.05


def test_the_default_of_two_sides_would_let_too_much_through():
    counts, truth = table([293, 7], [0, 15]), (0.97 + 0.85) / 2  # nine in a hundred tests have all 15 right
    assert count_interval(counts, "balanced_accuracy", level=0.9).low > truth > one_sided(counts, find("balanced_accuracy")).low


@pytest.mark.parametrize("rows", [([45, 5], [3, 47]), ([180, 0], [3, 17]), ([20, 3, 2], [4, 15, 6], [1, 2, 30])])
def test_the_g_mean_has_the_wider_of_two_limits_on_either_side(rows):
    counts = table(*rows)
    whole = count_interval(counts, "g_mean", level=two_sided(0.95))
    worth = count_interval(counts, "g_mean", level=0.95, method="effective-tail-inversion")
    found = one_sided(counts, find("g_mean"), level=0.95)
    assert (found.low, found.high) == (min(whole.low, worth.low), max(whole.high, worth.high))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_f1_has_the_exact_bounds_of_the_jaccard_index(hit, miss, alarm, level):
    """TP is binomial given TP + FP + FN, so the bounds are never wrong more often than they say."""
    n = hit + miss + alarm
    if not n:
        return
    found = one_sided(table([hit, miss], [alarm, 9]), find("f1"), level=level, positive=0)
    low = stats.beta.ppf(1 - level, hit, n - hit + 1) if hit else 0.0
    high = stats.beta.ppf(level, hit + 1, n - hit) if hit < n else 1.0
    assert found.method == "f1-tail-inversion"
    assert (found.low, found.high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)), abs=1e-9)


@pytest.mark.parametrize(("n", "shares"), [(20, (0.1, 0.1, 0.1)), (30, (0.05, 0.05, 0.02)), (30, (0.4, 0.02, 0.02))])
def test_a_claim_about_f1_at_the_truth_is_settled_rarely(n, shares):
    """Every table, with its probability: true positives, false negatives, false positives; both ways."""
    truth, passed, failed = 2 * shares[0] / (2 * shares[0] + shares[1] + shares[2]), 0.0, 0.0
    rest = 1 - sum(shares)
    for m in range(1, n + 1):
        for hit in range(m + 1):
            of_any = stats.binom.pmf(m, n, 1 - rest)
            chance = of_any * stats.binom.pmf(hit, m, shares[0] / sum(shares))
            if chance > 1e-6:
                found = one_sided(table([hit, m - hit], [0, n - m]), find("f1"), positive=0)
                passed += chance * (found.low > truth)
                failed += chance * (found.high < truth)
    assert max(passed, failed) <= 0.05


@pytest.mark.parametrize("name", ["f1", "jaccard"])
def test_means_over_classes_have_the_bounds_of_as_many_cases_as_they_are_worth(name):
    counts = table([20, 3, 2], [4, 15, 6], [1, 2, 30])
    found, both = one_sided(counts, find(name), average="macro"), count_interval(counts, name, average="macro", level=0.9)
    assert found.method == "effective-tail-inversion"
    assert found.low < both.low < both.high < found.high


@pytest.mark.parametrize(("classes", "cases"), [(2, 50), (8, 20)])
def test_few_errors_spread_over_the_classes_do_not_fail_a_claim_that_is_met(classes, cases):
    """Errors are nearly a Poisson number, spread at random: the bound of the balanced accuracy against that of their sum."""
    rate = 0.01 if classes == 2 else 0.02
    rng = np.random.default_rng(5)
    errors = rng.binomial(cases, rate, (2000, classes))
    kinds, times = np.unique(np.sort(errors, axis=1), axis=0, return_counts=True)
    failed = 0.0
    for kind, count in zip(kinds, times, strict=True):
        cells = np.diag(cases - kind) + np.roll(np.diag(kind), 1, axis=1)
        failed += count * (one_sided(ConfusionCounts(cells), find("balanced_accuracy")).high < 1 - rate)
    assert failed / 2000 <= 0.05


def test_bounds_of_missed_shares_mirror_those_of_recalls():
    counts = table([19, 1, 0], [0, 18, 2], [0, 0, 25])
    missed, recalled = (one_sided(counts, find(name), average="macro") for name in ("fnr", "sensitivity"))
    assert (missed.low, missed.high) == pytest.approx((1 - recalled.high, 1 - recalled.low), abs=1e-12)


def test_a_method_asked_for_is_used():
    found = one_sided(table([45, 5], [3, 47]), find("accuracy"), method="wilson")
    assert found.method == "wilson"
    assert found.low == count_interval(table([45, 5], [3, 47]), "accuracy", level=two_sided(0.95), method="wilson").low
    asked, usual = (one_sided(table([45, 5], [3, 47]), find("accuracy"), method=m) for m in ("tail-inversion", "default"))
    assert asked == usual


def test_macro_sensitivity_is_the_balanced_accuracy():
    counts = table([9, 1, 0], [2, 7, 1], [0, 0, 12])
    a, b = one_sided(counts, find("sensitivity"), average="macro"), one_sided(counts, find("balanced_accuracy"))
    assert (a.low, a.high) == (b.low, b.high)
