"""AdaBoost.R2, against scikit-learn's on models that do not depend on the sample, and its parts on their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import AdaBoostRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from adjudge import InputError, ResamplingAdaBoostRegressor
from adjudge.ensembles.boosting_numbers import losses, weighted_median


@pytest.fixture(scope="module")
def data():
    return load_diabetes(return_X_y=True)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_errors_and_votes_are_those_of_scikit_learn_for_the_same_models(data, loss):
    X, y = data
    base = DummyRegressor(strategy="constant", constant=140.0)
    ours = ResamplingAdaBoostRegressor(base, 6, loss=loss).fit(X, y)
    theirs = AdaBoostRegressor(base, n_estimators=6, loss=loss).fit(X, y)
    kept = len(theirs.estimators_)
    assert kept > 1
    assert ours.estimator_errors_[:kept] == pytest.approx(theirs.estimator_errors_[:kept], rel=1e-10)
    assert ours.estimator_weights_[:kept] == pytest.approx(theirs.estimator_weights_[:kept], rel=1e-10)


def test_numbers_are_the_weighted_medians_of_scikit_learn(data):
    X, y = data
    ours = ResamplingAdaBoostRegressor(n_estimators=9, random_state=2).fit(X, y)
    theirs = AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=9, random_state=2).fit(X, y)
    theirs.estimators_, theirs.estimator_weights_ = ours.estimators_, np.array(ours.estimator_weights_)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-12)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert mine == pytest.approx(other, rel=1e-12)


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 6)), min_size=1, max_size=15))
def test_a_weighted_median_is_the_median_of_repeated_values(pairs):
    values, votes = np.array([v for v, _ in pairs], dtype=float), np.array([w for _, w in pairs], dtype=float)
    spelt = np.sort(np.repeat(values, votes.astype(int)))
    assert weighted_median(values[None], votes)[0] == spelt[(len(spelt) + 1) // 2 - 1]  # of two middle ones the lower


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.sampled_from(["linear", "square", "exponential"]))
def test_losses_lie_between_nought_and_one_and_keep_the_order(misses, loss):
    found = losses(np.array(misses), loss)
    assert (found >= 0).all()
    assert (found <= 1).all()
    assert (np.diff(found[np.argsort(misses)]) >= 0).all()
    largest = max(misses)
    wanted = {"linear": 1, "square": 1, "exponential": 1 - np.exp(-1)}[loss]
    assert found[np.argmax(misses)] == pytest.approx(wanted if largest > 0 else 0)


def test_a_model_without_a_miss_decides_alone():
    X = np.arange(12.0)[:, None]
    boosted = ResamplingAdaBoostRegressor(LinearRegression(), random_state=0).fit(X, np.zeros(12))
    assert (boosted.stopped_, len(boosted.estimators_)) == ("perfect", 1)
    assert boosted.estimator_errors_.tolist() == [0]
    assert (boosted.predict(X) == 0).all()


def test_a_learner_that_always_misses_is_kept_alone_with_a_warning():
    base = DummyRegressor(strategy="constant", constant=10.0)
    with pytest.warns(UserWarning, match="Of 2 models none had an error below 0.5, the least was 1.*stronger"):
        boosted = ResamplingAdaBoostRegressor(base, max_restarts=1).fit([[0.0], [1.0], [2.0]], [0, 0, 0])
    assert boosted.predict([[5.0]]) == 10


def test_rounds_are_kept_up_to_the_least_error_on_cases_held_out(data):
    X, y = data
    boosted = ResamplingAdaBoostRegressor(n_estimators=100, early_stop=0.25, patience=4, random_state=0).fit(X, y)
    held, errors = boosted.held_out_rows_, boosted.held_out_errors_
    assert held.size == pytest.approx(0.25 * len(y), abs=1)
    assert len(boosted.estimators_) == errors.argmin() + 1 == len(errors) - 4
    staged = [np.abs(said - y[held]).mean() for said in boosted.staged_predict(X[held])]
    assert staged == pytest.approx(errors[: len(staged)])


def test_boosting_helps(data):
    X, y = data
    one = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:])
    assert ResamplingAdaBoostRegressor(random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:]) > one + 0.03


def test_cases_without_weight_do_not_set_the_scale():
    X, y = np.arange(20.0)[:, None], np.arange(20.0) % 3
    y[3] = 1e6
    weights = np.where(np.arange(20) == 3, 0.0, 1.0)
    boosted = ResamplingAdaBoostRegressor(n_estimators=3, random_state=0).fit(X, y, sample_weight=weights)
    assert (boosted.estimator_errors_ > 0.01).all()


def test_a_loss_nobody_knows_is_refused():
    with pytest.raises(InputError, match="loss must be 'linear', 'square' or 'exponential', got 'cubic'"):
        ResamplingAdaBoostRegressor(loss="cubic").fit([[0.0], [1.0]], [0, 1])
