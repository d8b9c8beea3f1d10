"""Softmax rescaling by least squares, against optima of many digits, theory, differences and another search."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, differential_evolution
from scipy.special import softmax as scipy_softmax
from tests.conftest import ORACLES

from adjudge.stats import softmax_multipliers
from adjudge.stats.multiplier_rule import Rescaling
from adjudge.stats.softmax_multipliers import fit_rounds, fit_softmax

CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))


def of(quantity):
    return [case for case in CASES if case["quantity"] == quantity]


def drawn(seed, k=3, n=40):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, rng.choice([0.5, 1.0, 3.0])), n)
    y = np.where(rng.random(n) < 0.5, p.argmax(axis=1), rng.integers(0, k, n))
    return p, y


def loss_of(p, y, multipliers, weight=1.0):
    return float((weight * ((scipy_softmax(p * multipliers, axis=1) - np.eye(p.shape[1])[y]) ** 2).sum(axis=1)).sum())


def fitted(p, y, **how):
    return fit_softmax(p, y, **{"majority": p.shape[1] - 1, "rng": np.random.default_rng(0), **how})


@pytest.mark.parametrize("case", of("kappa_softmax"), ids=lambda case: case["id"])
def test_finds_the_known_least(case):
    p, y = np.array(case["inputs"]["p"]), np.array(case["inputs"]["labels"])
    found, wanted, within = fitted(p, y), case["expected"], case["tolerance"]
    assert found[:-1] == pytest.approx([float(k) for k in wanted["kappa"]], rel=within["rtol"], abs=within["atol"])
    assert found[-1] == 1
    for multipliers, name in ((found, "E"), (np.ones(p.shape[1]), "E_kappa1")):
        close = within["keys"][name]
        loss = Rescaling("softmax", multipliers[None], p.shape[1] - 1).outcome(p, y).loss
        assert loss == pytest.approx(float(wanted[name]), rel=close["rtol"], abs=close["atol"])


@pytest.mark.parametrize("case", of("kappa_softmax_majority"), ids=lambda case: case["id"])
def test_the_majority_classifier_reaches_the_shares_only_with_a_free_kappa(case):
    counts, k, wanted = case["inputs"]["class_counts"], case["inputs"]["K"], case["expected"]
    y = np.repeat(np.arange(k), counts)
    p = np.zeros((y.size, k))
    p[:, -1] = 1

    def close(name):
        return pytest.approx(float(wanted[name]), rel=case["tolerance"]["rtol"], abs=case["tolerance"]["atol"])

    for last_free, name in ((False, "with_kappaK_1"), (True, "optimal")):
        multipliers = fitted(p, y, last_free=last_free)
        found = Rescaling("softmax", multipliers[None], k - 1).apply(p[:1])[0]
        assert found[-1] == close(f"P_K_{name}")
        assert found[0] == close(f"P_other_{name}")
    assert multipliers[-1] == close("kappaK_optimal")


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_slope_and_curvature_agree_with_differences(seed, k):
    p, y = drawn(seed, k)
    rng = np.random.default_rng(seed)
    weight, multipliers, moving = rng.random(y.size), rng.exponential(2, k - 1) + 0.01, np.arange(1, k)
    problem = softmax_multipliers._Problem(p, y, weight, moving, (0.0, 10.0))
    loss, slope = problem.loss(multipliers)
    assert loss == pytest.approx(loss_of(p, y, problem.full(multipliers), weight), rel=1e-12)
    assert slope == pytest.approx(approx_fprime(multipliers, lambda at: problem.loss(at)[0]), abs=1e-4)
    curved = np.atleast_2d(approx_fprime(multipliers, lambda at: problem.loss(at)[1]))
    assert problem.curvature(multipliers) == pytest.approx(curved, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("last_free", [False, True])
def test_another_global_search_finds_nothing_better(seed, last_free):
    p, y = drawn(seed, 3, 25)
    moving = 3 if last_free else 2

    def loss(multipliers):
        return loss_of(p, y, np.append(multipliers, np.ones(3 - moving)))

    theirs = differential_evolution(loss, [(0, 60)] * moving, rng=seed, maxiter=60, popsize=12, tol=1e-10)
    assert loss_of(p, y, fitted(p, y, last_free=last_free)) <= theirs.fun + 1e-9


def test_the_least_is_a_least_within_its_limits():
    p, y = drawn(11, 4, 60)
    free = fitted(p, y)
    for limits in ((0.0, float(free[0]) / 2), (float(free.max()) * 2, np.inf)):
        found = fitted(p, y, limits=limits)[:-1]
        assert ((found >= limits[0]) & (found <= limits[1])).all()
        slope = softmax_multipliers._Problem(p, y, None, np.arange(3), limits).loss(found)[1]
        held_low, held_high = found == limits[0], found == limits[1]
        assert slope[~(held_low | held_high)] == pytest.approx(0, abs=1e-6)
        assert (slope[held_low] >= -1e-6).all()
        assert (slope[held_high] <= 1e-6).all()
        assert (held_low | held_high).any()


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_weights_are_repeated_rows_and_classes_have_no_order(seed):
    p, y = drawn(seed)
    rng = np.random.default_rng(seed)
    times, turn = rng.integers(1, 4, y.size), rng.permutation(3)
    found = loss_of(p, y, fitted(p, y, weight=times.astype(float)), times)
    again = fitted(np.repeat(p, times, axis=0), np.repeat(y, times))
    place = np.argsort(turn)
    turned = fitted(p[:, turn], place[y], weight=times.astype(float), majority=place[2])
    assert found == pytest.approx(loss_of(p, y, again, times), rel=1e-8)
    assert found == pytest.approx(loss_of(p, y, turned[place], times), rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("last_free", [False, True])
def test_more_rounds_never_leave_more_loss(last_free):
    several = 0
    for seed in range(3):
        p, y = drawn(seed)
        how = {"majority": 2, "last_free": last_free}
        rounds = fit_rounds(p, y, rng=np.random.default_rng(0), **how)
        once = fit_softmax(p, y, rng=np.random.default_rng(0), **how)
        assert rounds[0] == pytest.approx(once, rel=1e-12)
        losses = [Rescaling("softmax", rounds[: n + 1], 2).outcome(p, y).loss for n in range(len(rounds))]
        assert len(rounds) <= softmax_multipliers.ROUNDS
        assert all(after < before for before, after in itertools.pairwise(losses))
        several += len(rounds) > 1
    assert several or not last_free


def test_many_cases_are_searched_by_a_sample_and_finished_on_all():
    p, y = drawn(2, 3, 9_000)
    found = fitted(p, y)
    slope = softmax_multipliers._Problem(p, y, None, np.arange(2), (0.0, np.inf)).loss(found[:-1])[1]
    assert slope == pytest.approx(0, abs=1e-9 * y.size)
    assert fitted(p, y) == pytest.approx(found, rel=0)
    assert fitted(p, y, rng=np.random.default_rng(5)) == pytest.approx(found, rel=1e-9)


def test_classes_told_apart_without_error_send_kappa_to_the_end_of_the_search():
    p = np.array([[0.5 + 1e-5, 0.5 - 1e-5], [0.5 - 1e-5, 0.5 + 1e-5]] * 4)
    assert fitted(p, np.array([0, 1] * 4), last_free=True) == pytest.approx(softmax_multipliers.LARGEST)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_with_a_kappa_for_every_class_the_loss_is_at_most_twice_the_fewest_errors(seed, k):
    p, y = drawn(seed, k, 25)
    rng = np.random.default_rng(seed)
    tried = np.exp(rng.normal(0, 1, (300, k)))
    errors = min(np.count_nonzero((p * multipliers).argmax(axis=1) != y) for multipliers in tried)
    assert loss_of(p, y, fitted(p, y, last_free=True, majority=k - 1)) <= 2 * errors + 1e-3
