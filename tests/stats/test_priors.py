"""Class priors against exact fractions, QuaPy, the conditions of a concave top, and a general optimiser."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from adjudge.stats.priors import PLAIN, Mixture, climb, reweighted

ORACLES = Path(__file__).parents[1] / "oracles"
CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))
QUAPY = json.loads((ORACLES / "quapy_emq.json").read_text(encoding="utf-8"))["cases"]

parts = st.floats(0.01, 1) | st.sampled_from([1e-18, 1e-9, 0.0])


@st.composite
def tables(draw, least=1):
    """Return posteriors and old priors of some classes."""
    k = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(parts, min_size=k, max_size=k).filter(any), min_size=least, max_size=12))
    return np.array([np.array(row) / sum(row) for row in rows]), draw(shares(k))


def shares(k):
    return st.lists(st.floats(0.05, 1), min_size=k, max_size=k).map(lambda v: np.array(v) / sum(v))


def mixture(p, old, weight=None):
    return Mixture(np.asarray(p, dtype=float), 1 / np.asarray(old, dtype=float), np.ones(len(p)) if weight is None else weight)


def settled(p, old, weight=None):
    return climb(mixture(p, old, weight), np.asarray(old, dtype=float), tol=1e-12, max_iter=5000)


def slopes(p, old, found):
    """Return the derivatives of the mean log-likelihood by each prior, in 50 digits."""
    with mpmath.workdps(50):
        ratio = [[mpmath.mpf(float(v)) / mpmath.mpf(float(t)) for v, t in zip(row, old, strict=True)] for row in p]
        density = [mpmath.fsum(a * mpmath.mpf(float(s)) for a, s in zip(row, found, strict=True)) for row in ratio]
        return [float(mpmath.fsum(r[i] / d for r, d in zip(ratio, density, strict=True)) / len(ratio)) for i in range(len(old))]


# -- new posteriors --------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(tables(), st.data())
def test_new_posteriors_are_those_of_fractions(table, data):
    p, old = table
    new = data.draw(shares(old.size))
    for row, found in zip(p, reweighted(p, old, new), strict=True):
        exact = [Fraction(float(v)) * Fraction(float(n)) / Fraction(float(t)) for v, n, t in zip(row, new, old, strict=True)]
        wanted = [float(v / sum(exact)) for v in exact]
        assert found.tolist() == pytest.approx(wanted, rel=1e-14, abs=0)


@pytest.mark.slow
@given(tables(), st.data())
def test_there_and_back_is_the_identity(table, data):
    p, old = table
    new = data.draw(shares(old.size))
    assert reweighted(reweighted(p, old, new), new, old) == pytest.approx(p, rel=1e-12, abs=0)


@pytest.mark.slow
@given(tables())
def test_unchanged_priors_change_nothing(table):
    p, old = table
    assert reweighted(p, old, old) == pytest.approx(p, rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("p", "old", "new"),
    [
        ([1.0, 5e-324], [0.5, 0.5], [0.0, 1.0]),
        ([1.0, 1e-320, 0.0], [0.4, 0.3, 0.3], [0.0, 1e-12, 1 - 1e-12]),
        ([0.5, 0.5], [1e-310, 1.0], [0.5, 0.5]),
        ([1e-300, 1.0], [1.0, 1e-200], [1e-200, 1.0]),
    ],
)
def test_products_beyond_the_range_of_floats_are_still_right(p, old, new):
    with mpmath.workdps(50):
        exact = [mpmath.mpf(a) * mpmath.mpf(n) / mpmath.mpf(t) for a, t, n in zip(p, old, new, strict=True)]
        wanted = [float(v / mpmath.fsum(exact)) for v in exact]
    found = reweighted(np.array([p]), np.array(old), np.array(new))[0]
    assert found.tolist() == pytest.approx(wanted, rel=1e-12, abs=0)


# -- the most likely priors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["quantity"] == "prior_em"])
def test_expectation_maximisation_agrees_with_the_oracle(case):
    p, old = np.array(case["inputs"]["posteriors"]), np.array(case["inputs"]["train_priors"])
    expected = case["expected"]
    for steps, wanted in expected["after_iterations"].items():
        for tol in (0.0, 1e-10):
            found = climb(mixture(p, old), old, tol=tol, max_iter=int(steps)).point.shares
            assert found == pytest.approx(np.array(wanted, dtype=float), rel=1e-12, abs=1e-13)
    top = climb(mixture(p, old), old, tol=1e-10, max_iter=10_000)
    assert top.converged
    assert top.point.shares == pytest.approx(np.array(expected["fixed_point"], dtype=float), rel=1e-12, abs=1e-12)
    assert top.point.log == pytest.approx(float(expected["log_likelihood"]), rel=1e-12)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in QUAPY])
def test_every_step_agrees_with_quapy(case):
    p, old = np.array(case["p"]), np.array(case["old"])
    for steps, wanted in case["after"].items():
        assert climb(mixture(p, old), old, tol=0, max_iter=int(steps)).point.shares == pytest.approx(wanted, rel=1e-11, abs=1e-13)
    assert settled(p, old).point.shares == pytest.approx(case["settled"], abs=1e-6)  # 20,000 steps still creep to a bound


@pytest.mark.slow
@given(tables(least=2))
def test_the_top_satisfies_the_conditions_of_a_concave_likelihood(table):
    p, old = table
    top = settled(p, old)
    found = top.point.shares
    assert top.converged
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, rel=1e-12)
    for share, slope in zip(found, slopes(p, old, found), strict=True):
        assert slope <= 1 + 1e-9
        assert share * (1 - slope) <= 1e-9


@pytest.mark.slow
@given(tables(least=2))
def test_the_likelihood_never_falls(table):
    history = np.array(settled(*table).history)
    assert (np.diff(history) >= -1e-13 * (len(table[0]) + np.abs(history[1:]))).all()


@pytest.mark.slow
@given(tables(least=2), st.randoms(use_true_random=False))
def test_the_order_of_classes_and_cases_does_not_matter(table, shuffled):
    p, old = table
    order = shuffled.sample(range(old.size), old.size)
    rows = shuffled.sample(range(len(p)), len(p))
    first, second = settled(p, old), settled(p[np.ix_(rows, order)], old[order])
    assert second.point.log == pytest.approx(first.point.log, rel=1e-10, abs=1e-10)
    steps = [climb(mixture(*t), t[1], tol=0, max_iter=7).point.shares for t in ((p, old), (p[np.ix_(rows, order)], old[order]))]
    assert steps[1] == pytest.approx(steps[0][order], rel=1e-12)


@pytest.mark.slow
@given(tables(least=2), st.lists(st.integers(1, 5), min_size=12, max_size=12))
def test_a_whole_weight_is_that_many_cases(table, counts):
    p, old = table
    times = np.array(counts[: len(p)])
    one = climb(mixture(p, old, times.astype(float)), old, tol=0, max_iter=9)
    other = climb(mixture(np.repeat(p, times, axis=0), old), old, tol=0, max_iter=9)
    assert one.point.shares == pytest.approx(other.point.shares, rel=1e-12)
    assert one.point.log == pytest.approx(other.point.log, rel=1e-11, abs=1e-12)


def test_a_general_optimiser_finds_no_more():
    rng = np.random.default_rng(5)
    p, old = rng.dirichlet(np.full(5, 0.7), 300), np.full(5, 0.2)

    def minus(free):
        raised = np.exp(free - free.max())
        return -np.log(p @ (raised / raised.sum() / old)).sum()

    found = minimize(minus, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    top = settled(p, old)
    assert top.point.log == pytest.approx(-found.fun, rel=1e-9)
    raised = np.exp(found.x)
    assert top.point.shares == pytest.approx(raised / raised.sum(), abs=1e-6)


@pytest.mark.slow
def test_classes_that_overlap_settle_long_before_plain_steps_would():
    rng = np.random.default_rng(3)
    x = rng.normal(0.3 * (rng.random(4000) < 0.8))
    p = np.stack([1 / (1 + np.exp(0.3 * x - 0.045)), 1 / (1 + np.exp(0.045 - 0.3 * x))], axis=1)
    plain = climb(mixture(p, [0.5, 0.5]), np.array([0.5, 0.5]), tol=1e-10, max_iter=PLAIN)
    whole = settled(p, np.array([0.5, 0.5]))
    assert not plain.converged
    assert whole.converged
    assert PLAIN < len(whole.history) < PLAIN + 20
    assert whole.history[: PLAIN + 1] == plain.history
    assert slopes(p, [0.5, 0.5], whole.point.shares) == pytest.approx([1, 1], abs=1e-10)


def test_certain_posteriors_count():
    p = np.repeat(np.eye(3), [5, 3, 2], axis=0)
    assert settled(p, np.array([0.2, 0.2, 0.6])).point.shares == pytest.approx([0.5, 0.3, 0.2], rel=1e-14)


def test_classes_that_cannot_be_told_apart_keep_their_ratio():
    p = np.array([[0.2, 0.4, 0.4], [0.8, 0.1, 0.1], [0.3, 0.35, 0.35], [0.1, 0.45, 0.45]])
    top = settled(p, np.full(3, 1 / 3))
    assert top.converged
    assert top.point.shares[1] == pytest.approx(top.point.shares[2], rel=1e-6)


def test_many_blocks_add_up_to_one_pass():
    rng = np.random.default_rng(8)
    p, old = rng.dirichlet(np.ones(7), 100_000), np.full(7, 1 / 7)
    point = mixture(p, old).at(rng.dirichlet(np.ones(7)))
    ratio = p / old
    density = ratio @ point.shares
    assert point.log == pytest.approx(np.log(density).sum(), rel=1e-11)
    assert point.slope == pytest.approx((ratio / density[:, None]).mean(axis=0), rel=1e-11)
    curvature = np.einsum("ni,nj,n->ij", ratio, ratio, density**-2.0) / len(p)
    assert mixture(p, old).curvature(point.shares) == pytest.approx(curvature, rel=1e-10)
