"""Leave-one-out without refits: the same answers as with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from tests.sparing import some

from adjudge.resampling.run import job_of, run
from adjudge.resampling.shortcuts import leave_one_out

IRIS = tuple(part[::3] for part in load_iris(return_X_y=True))
LEARNERS = [
    KNeighborsClassifier(1),
    KNeighborsClassifier(5),
    KNeighborsClassifier(4, weights="distance"),
    KNeighborsClassifier(3, metric="manhattan"),
    KNeighborsClassifier(3, algorithm="brute"),
    KNeighborsClassifier(5, algorithm="ball_tree", weights="distance"),
    GaussianNB(),
    GaussianNB(priors=[0.2, 0.3, 0.5]),
    GaussianNB(var_smoothing=1e-2),
    MultinomialNB(),
    MultinomialNB(alpha=0.1, fit_prior=False),
    BernoulliNB(binarize=1.0),
    BernoulliNB(class_prior=[0.2, 0.3, 0.5], binarize=2.0),
]


def by_row(ran):
    columns = ran.predictions.source.columns
    order = np.argsort(columns["row"])
    return {name: np.asarray(values)[order] for name, values in columns.items() if name not in ("unit", "fold", "repeat", "part")}


def check(learner, X, y):
    """Compare with a loop of refits, which is scikit-learn's own elsewhere; return the units that were left to refits."""
    job = job_of(learner, X, y, "leave-one-out", random_state=0)
    found = by_row(run(job))
    expected = by_row(run(job, shortcut=False))
    for name, values in expected.items():
        assert (
            np.array_equal(found[name], values)
            if values.dtype.kind != "f"
            else np.allclose(found[name], values, atol=1e-9, rtol=0)
        )
    ready = leave_one_out(job)
    return len(y) - (0 if ready is None else len(ready.units))


@pytest.mark.slow
@pytest.mark.parametrize("learner", some(LEARNERS, 3), ids=str)
def test_answers_are_those_of_refits(learner):
    check(learner, *IRIS)
    found = by_row(run(job_of(learner, *IRIS, "leave-one-out", random_state=0)))
    assert np.array_equal(found["predicted"], cross_val_predict(learner, *IRIS, cv=LeaveOneOut()))


@pytest.mark.slow
@pytest.mark.parametrize("learner", some(LEARNERS, 3), ids=str)
@pytest.mark.parametrize("features", some([6, 20], 2))
def test_without_ties_no_refit_is_needed(learner, features):
    X, y = make_classification(60, n_features=features, n_informative=4, n_classes=3, random_state=1)
    assert check(learner, np.abs(X), y) == 0


@pytest.mark.slow
@settings(max_examples=15)
@given(
    st.sampled_from(
        [KNeighborsClassifier(2), KNeighborsClassifier(3, weights="distance"), GaussianNB(), MultinomialNB(), BernoulliNB()]
    ),
    st.integers(8, 24),
    st.integers(1, 3),
    st.integers(0, 10_000),
)
def test_ties_twins_and_rare_classes_do_not_matter(learner, n, features, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (n, features)), np.concatenate(([0, 1, 2, 2], rng.integers(0, 3, n - 4)))
    check(learner, X, y)


@pytest.mark.parametrize("learner", [KNeighborsClassifier(3), KNeighborsClassifier(3, weights="distance"), GaussianNB()])
def test_what_was_seen_is_answered_as_by_a_fit_on_all_rows(learner):
    X, y = make_classification(120, n_features=5, random_state=2)
    job = job_of(learner, X, y, "leave-one-out", random_state=0)
    seen = run(job).seen.source.columns
    fitted = learner.fit(X, y)
    assert np.array_equal(seen["predicted"], fitted.predict(X))
    assert np.allclose(np.asarray(seen["p_1"]), fitted.predict_proba(X)[:, 1], atol=1e-12)


class Derived(GaussianNB):
    """What is derived from a known class may do anything."""


@pytest.mark.parametrize(
    ("learner", "X"),
    [
        (Derived(), IRIS[0]),
        (KNeighborsClassifier(weights=lambda d: 1 / (1 + d)), IRIS[0]),
        (KNeighborsClassifier(metric="mahalanobis", metric_params={"VI": np.eye(4)}, algorithm="brute"), IRIS[0]),
        (MultinomialNB(alpha=1e-6), IRIS[0]),
        (GaussianNB(), IRIS[0].astype(np.float32)),
        (GaussianNB(var_smoothing=0.0), IRIS[0]),
    ],
    ids=["derived", "own weights", "data metric", "little smoothing", "single precision", "no smoothing"],
)
def test_the_unusual_goes_the_general_way(learner, X):
    assert leave_one_out(job_of(learner, X, IRIS[1], "leave-one-out", random_state=0)) is None


def test_units_keep_their_rows_when_the_plan_has_another_order():
    X, y = IRIS
    order = np.random.default_rng(0).permutation(len(y))
    pairs = [(np.setdiff1d(np.arange(len(y)), [row]), [row]) for row in order]
    found = run(job_of(GaussianNB(), X, y, pairs, random_state=0)).predictions.source.columns
    assert np.array_equal(np.asarray(found["row"])[np.argsort(found["unit"])], order)
    assert np.array_equal(np.asarray(found["truth"]), y[np.asarray(found["row"])])
