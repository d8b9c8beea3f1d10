"""Softmax rescaling by least squares, against optima of many digits, theory, differences and another search.

Linear rescaling by least squares, against exact solutions, two other solvers and the formulas written out.
"""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, differential_evolution, lsq_linear, minimize
from scipy.special import softmax as scipy_softmax
from tests.conftest import ORACLES

from adjudge.stats import softmax_multipliers
from adjudge.stats import softmax_multipliers as module
from adjudge.stats.multiplier_rule import Rescaling
from adjudge.stats.softmax_multipliers import NormalEquations, case_sums, fit_rounds, fit_softmax, least_squares

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


@pytest.mark.slow
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
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("last_free", [False, True])
def test_another_global_search_finds_nothing_better(seed, last_free):
    p, y = drawn(seed, 3, 25)
    moving = 3 if last_free else 2

    def loss(multipliers):
        return loss_of(p, y, np.append(multipliers, np.ones(3 - moving)))

    theirs = differential_evolution(loss, [(0, 60)] * moving, rng=seed, maxiter=60, popsize=12, tol=1e-10)
    assert loss_of(p, y, fitted(p, y, last_free=last_free)) <= theirs.fun + 1e-9


@pytest.mark.slow
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


@pytest.mark.slow
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
    for seed in range(2):
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


@pytest.mark.slow
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


LINEAR_CASES = [
    case for case in json.loads((ORACLES / "cases.json").read_text(encoding="utf-8")) if case["quantity"] == "kappa_linear"
]
BOXES = {"unconstrained": None, "box": (0.0, 1.0), "nonneg": (0.0, np.inf)}


def drawn_cases(seed, k, n=40):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 3.0])), n)
    return p, rng.integers(0, k, n)


def normal_equations(p, y, **how):
    return case_sums(p, y, **how).equations()


def quadratic(p, y, majority):
    """Return the squared loss as a function of the multipliers k from the system that is solved: constant - 2 Q.k + k.P.k."""
    equations, constant = normal_equations(p, y, majority=majority), 2 * np.count_nonzero(y != majority)
    return lambda multipliers: float(constant - 2 * equations.right @ multipliers + multipliers @ equations.matrix @ multipliers)


def written_out(p, y, multipliers, majority):
    """Return the squared loss, case by case and class by class."""
    loss, others = 0.0, [i for i in range(p.shape[1]) if i != majority]
    for row, own in zip(p, y, strict=True):
        given = dict(zip(others, multipliers * row[others], strict=True))
        given[majority] = 1 - sum(given.values())
        loss += sum((given[i] - (i == own)) ** 2 for i in given)
    return loss


def least_of_all_faces(equations, loss, low, high):
    """Return the least loss over the box: every way to hold some variables at a limit, the others solved for."""
    m, best = equations.right.size, np.inf
    for sides in itertools.product((None, low, high), repeat=m):
        multipliers = np.array([0.0 if side is None else side for side in sides])
        free = np.array([side is None for side in sides])
        rest = equations.right - equations.matrix @ multipliers
        if free.any():
            multipliers[free] = np.linalg.solve(equations.matrix[np.ix_(free, free)], rest[free])
        if ((multipliers >= low - 1e-12) & (multipliers <= high + 1e-12)).all():
            best = min(best, loss(multipliers))
    return best


@pytest.mark.parametrize("case", LINEAR_CASES, ids=lambda case: case["id"])
def test_agrees_with_the_exact_solutions(case):
    p, y = np.array(case["inputs"]["p"], dtype=float), np.array(case["inputs"]["labels"])
    equations, wanted, within = normal_equations(p, y, majority=p.shape[1] - 1), case["expected"], case["tolerance"]
    loss = quadratic(p, y, p.shape[1] - 1)

    def close(value):
        return pytest.approx(np.array(value, dtype=float), rel=within["rtol"], abs=within["atol"])

    for name, bounds in BOXES.items():
        if name in wanted:
            assert least_squares(equations, bounds) == close(wanted[name])
        if f"E_{name}" in wanted:
            assert loss(least_squares(equations, bounds)) == close(wanted[f"E_{name}"])
    for name, found in (("P", equations.matrix), ("Q", equations.right)):
        if name in wanted:
            assert found == close(wanted[name])
    if "E_kappa1" in wanted:
        ones = np.ones(equations.right.size)
        assert loss(ones) == close(wanted["E_kappa1"])
        assert loss(0 * ones) == close(wanted["E_kappa0"])


def test_clipping_the_free_solution_is_worse():
    case = next(case for case in LINEAR_CASES if case["id"] == "kappa-K3")
    p, y = np.array(case["inputs"]["p"], dtype=float), np.array(case["inputs"]["labels"])
    equations, loss = normal_equations(p, y, majority=2), quadratic(p, y, 2)
    clipped = np.clip(least_squares(equations), 0, 1)
    assert loss(clipped) == pytest.approx(float(case["expected"]["E_clipped"]), rel=1e-11)
    assert loss(least_squares(equations, (0, 1))) < loss(clipped) - 1e-4


@given(st.integers(0, 10_000), st.integers(2, 5), st.data())
def test_the_system_is_the_loss_written_out(seed, k, data):
    p, y = drawn_cases(seed, k)
    majority = data.draw(st.integers(0, k - 1))
    multipliers = np.random.default_rng(seed + 1).normal(1, 1, k - 1)
    assert quadratic(p, y, majority)(multipliers) == pytest.approx(written_out(p, y, multipliers, majority), rel=1e-11)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([(0.0, 1.0), (0.9, 1.0), (0.2, 0.3), (0.0, 5.0)]))
def test_no_face_of_the_box_is_better(seed, k, bounds):
    p, y = drawn_cases(seed, k)
    equations, loss = normal_equations(p, y, majority=0), quadratic(p, y, 0)
    found = least_squares(equations, bounds)
    assert ((found >= bounds[0]) & (found <= bounds[1])).all()
    assert loss(found) <= least_of_all_faces(equations, loss, *bounds) + 1e-10


@pytest.mark.slow
def test_harder_systems_end_where_no_variable_wants_to_move():
    # systems far from diagonal, as ours never are, need exchanges one at a time
    for seed in range(150):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(3, 25))
        factor = rng.normal(size=(m, m + 1))
        matrix, right, high = factor @ factor.T / m, 3 * rng.normal(size=m), rng.choice([0.1, 1.0, 3.0])
        x, _ = module._in_box(matrix, right, np.zeros(m), np.full(m, high))
        slope = matrix @ x - right
        inside = (x > 0) & (x < high)
        assert slope[inside] == pytest.approx(0, abs=1e-8)
        assert (slope[x == 0] >= -1e-8).all()
        assert (slope[x == high] <= 1e-8).all()


@pytest.mark.parametrize(("k", "bounds"), [(3, (0, 1)), (12, (0, 1)), (40, (0, 1)), (40, (0.99, 1.01)), (40, None)])
def test_agrees_with_two_other_solvers(k, bounds):
    p, y = drawn_cases(k, k, n=30 * k)
    y = np.where(np.random.default_rng(1).random(y.size) < 0.4, p.argmax(axis=1), y)
    equations, loss = normal_equations(p, y, majority=3 % k), quadratic(p, y, 3 % k)
    found = least_squares(equations, bounds)
    limits = bounds or (-np.inf, np.inf)
    root = np.linalg.cholesky(equations.matrix)
    theirs = lsq_linear(root.T, np.linalg.solve(root, equations.right), bounds=limits, method="bvls", tol=1e-15)
    assert found == pytest.approx(theirs.x, abs=1e-8)
    slope = lambda multipliers: 2 * (equations.matrix @ multipliers - equations.right)  # noqa: E731
    start = np.full(k - 1, np.clip(0.5, *limits))
    other = minimize(loss, start, jac=slope, bounds=[limits] * (k - 1), method="L-BFGS-B", options={"gtol": 1e-11, "ftol": 1e-16})
    assert loss(found) <= other.fun + 1e-9
    assert found == pytest.approx(other.x, abs=1e-5)


@given(st.integers(0, 10_000), st.sampled_from([None, (0.0, 1.0)]))
def test_weights_are_repeated_rows_and_classes_have_no_order_in_linear_fits(seed, bounds):
    p, y = drawn_cases(seed, 4)
    rng = np.random.default_rng(seed)
    times, turn = rng.integers(0, 4, y.size), rng.permutation(4)
    found = least_squares(normal_equations(p, y, majority=2, weight=times.astype(float)), bounds)
    again = least_squares(normal_equations(np.repeat(p, times, axis=0), np.repeat(y, times), majority=2), bounds)
    assert found == pytest.approx(again, abs=1e-11)
    # column j of the turned probabilities is class turn[j]
    place = np.argsort(turn)
    turned = least_squares(normal_equations(p[:, turn], place[y], majority=place[2], weight=times.astype(float)), bounds)
    assert np.insert(turned, place[2], 1) == pytest.approx(np.insert(found, 2, 1)[turn], abs=1e-11)


@pytest.mark.parametrize("bounds", [None, (0.0, 1.0)])
def test_a_class_of_no_probability_gets_nothing_and_disturbs_nobody(bounds):
    p, y = drawn_cases(4, 3)
    wide = np.insert(p, 1, 0.0, axis=1)
    found = least_squares(normal_equations(wide, np.where(y > 0, y + 1, 0), majority=3), bounds)
    assert found[1] == 0
    assert found[[0, 2]] == pytest.approx(least_squares(normal_equations(p, y, majority=2), bounds), abs=1e-14)


def test_tiny_probabilities_are_scaled_as_well_as_others():
    # a free multipliers turns with the size of its column, however small
    p, y = drawn_cases(7, 3)
    equations = normal_equations(p, y, majority=2)
    shrink = np.array([1e-60, 1.0])
    small = NormalEquations(equations.matrix * np.outer(shrink, shrink), equations.right * shrink)
    assert least_squares(small) * shrink == pytest.approx(least_squares(equations), rel=1e-12)


def test_blocks_make_no_difference():
    p, y = drawn_cases(9, 3, n=70_000)
    weight = np.random.default_rng(2).random(y.size)
    whole = normal_equations(p, y, majority=1, weight=weight)
    others, rest = p[:, [0, 2]], (y != 1).astype(float)
    gram = (others * weight[:, None]).T @ others
    assert whole.matrix == pytest.approx(gram + np.diag(np.diag(gram)), rel=1e-12)
    assert whole.right == pytest.approx(
        (weight[:, None] * others * (rest[:, None] + (y[:, None] == [0, 2]))).sum(axis=0), rel=1e-12
    )


@given(st.integers(0, 10_000), st.integers(2, 6), st.booleans())
def test_sums_over_the_cases_give_the_loss_of_any_rescaling(seed, k, weigh):
    p, y = drawn_cases(seed, k)
    rng = np.random.default_rng(seed)
    weight, majority = rng.random(y.size) if weigh else None, int(rng.integers(k))
    p = p * (1 + 1e-9 * rng.uniform(-1, 1, (y.size, 1)))  # rows that sum to one but for rounding
    sums = case_sums(p, y, majority=majority, weight=weight)
    assert sums.errors == pytest.approx(float(((p.argmax(axis=1) != y) * (1 if weight is None else weight)).sum()))
    for multipliers in (np.ones(k), rng.random(k), rng.normal(1, 2, k)):
        values = p * multipliers
        values[:, majority] = p.sum(axis=1) - np.delete(values, majority, axis=1).sum(axis=1)
        wanted = float((((values - np.eye(k)[y]) ** 2).sum(axis=1) * (1 if weight is None else weight)).sum())
        found = sums.loss(multipliers)
        assert found is None or found == pytest.approx(wanted, rel=1e-11)
        assert found is not None or wanted < 0.01 * y.size


def test_where_the_sums_cancel_they_give_no_loss():
    p, y = np.array([[1 - 1e-9, 1e-9], [1e-9, 1 - 1e-9]] * 50), np.array([0, 1] * 50)
    assert case_sums(p, y, majority=0).loss(np.ones(2)) is None
