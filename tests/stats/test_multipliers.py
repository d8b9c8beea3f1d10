"""Linear rescaling by least squares, against exact solutions, two other solvers and the formulas written out."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize
from tests.conftest import ORACLES

from adjudge.stats import softmax_multipliers as module
from adjudge.stats.softmax_multipliers import NormalEquations, case_sums, least_squares, normal_equations

CASES = [case for case in json.loads((ORACLES / "cases.json").read_text(encoding="utf-8")) if case["quantity"] == "kappa_linear"]
BOXES = {"unconstrained": None, "box": (0.0, 1.0), "nonneg": (0.0, np.inf)}


def drawn(seed, k, n=40):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 3.0])), n)
    return p, rng.integers(0, k, n)


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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
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
    case = next(case for case in CASES if case["id"] == "kappa-K3")
    p, y = np.array(case["inputs"]["p"], dtype=float), np.array(case["inputs"]["labels"])
    equations, loss = normal_equations(p, y, majority=2), quadratic(p, y, 2)
    clipped = np.clip(least_squares(equations), 0, 1)
    assert loss(clipped) == pytest.approx(float(case["expected"]["E_clipped"]), rel=1e-11)
    assert loss(least_squares(equations, (0, 1))) < loss(clipped) - 1e-4


@given(st.integers(0, 10_000), st.integers(2, 5), st.data())
def test_the_system_is_the_loss_written_out(seed, k, data):
    p, y = drawn(seed, k)
    majority = data.draw(st.integers(0, k - 1))
    multipliers = np.random.default_rng(seed + 1).normal(1, 1, k - 1)
    assert quadratic(p, y, majority)(multipliers) == pytest.approx(written_out(p, y, multipliers, majority), rel=1e-11)


@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([(0.0, 1.0), (0.9, 1.0), (0.2, 0.3), (0.0, 5.0)]))
def test_no_face_of_the_box_is_better(seed, k, bounds):
    p, y = drawn(seed, k)
    equations, loss = normal_equations(p, y, majority=0), quadratic(p, y, 0)
    found = least_squares(equations, bounds)
    assert ((found >= bounds[0]) & (found <= bounds[1])).all()
    assert loss(found) <= least_of_all_faces(equations, loss, *bounds) + 1e-10


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
    p, y = drawn(k, k, n=30 * k)
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
def test_weights_are_repeated_rows_and_classes_have_no_order(seed, bounds):
    p, y = drawn(seed, 4)
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
    p, y = drawn(4, 3)
    wide = np.insert(p, 1, 0.0, axis=1)
    found = least_squares(normal_equations(wide, np.where(y > 0, y + 1, 0), majority=3), bounds)
    assert found[1] == 0
    assert found[[0, 2]] == pytest.approx(least_squares(normal_equations(p, y, majority=2), bounds), abs=1e-14)


def test_tiny_probabilities_are_scaled_as_well_as_others():
    # a free multipliers turns with the size of its column, however small
    p, y = drawn(7, 3)
    equations = normal_equations(p, y, majority=2)
    shrink = np.array([1e-60, 1.0])
    small = NormalEquations(equations.matrix * np.outer(shrink, shrink), equations.right * shrink)
    assert least_squares(small) * shrink == pytest.approx(least_squares(equations), rel=1e-12)


def test_blocks_make_no_difference():
    p, y = drawn(9, 3, n=70_000)
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
    p, y = drawn(seed, k)
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
