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


def test_other_measures_take_an_interval_with_half_the_doubt_on_either_side():
    counts = table([45, 5], [3, 47])
    for name in ("mcc", "kappa", "g_mean"):
        whole = count_interval(counts, name, level=two_sided(0.95))
        found = one_sided(counts, find(name), level=0.95)
        assert (found.low, found.high) == (whole.low, whole.high)


def test_a_method_asked_for_is_used():
    found = one_sided(table([45, 5], [3, 47]), find("accuracy"), method="wilson")
    assert found.method == "wilson"
    assert found.low == count_interval(table([45, 5], [3, 47]), "accuracy", level=two_sided(0.95), method="wilson").low


def test_macro_sensitivity_is_the_balanced_accuracy():
    counts = table([9, 1, 0], [2, 7, 1], [0, 0, 12])
    a, b = one_sided(counts, find("sensitivity"), average="macro"), one_sided(counts, find("balanced_accuracy"))
    assert (a.low, a.high) == (b.low, b.high)
