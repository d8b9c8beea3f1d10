"""AdaBoost by resampling and AdaBoost.R2, against scikit-learn's on models that do as they are told, and their own distributions."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.described import refused

from adjudge import InputError, ResamplingAdaBoost, ResamplingAdaBoostRegressor
from adjudge.ensembles.boosting import losses, weighted_median
from adjudge.ensembles.growing import BinnedTreeClassifier


@pytest.fixture(scope="module")
def two():
    X, y = make_classification(500, 6, n_informative=4, class_sep=0.6, flip_y=0.05, random_state=2)
    return X.astype(np.float32).astype(float), np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def three():
    X, y = make_classification(400, 6, n_informative=4, n_classes=3, class_sep=0.9, flip_y=0.05, random_state=2)
    return X.astype(np.float32).astype(float), y


class Told(ClassifierMixin, BaseEstimator):
    """Says what it is told for its turn, whatever it is fitted to; X holds the numbers of the cases."""

    turn = 0

    def __init__(self, answers=None):
        self.answers = answers

    def fit(self, X, y, sample_weight=None):  # noqa: ARG002
        self.classes_ = np.unique(self.answers[0])
        self.turn_, Told.turn = Told.turn, Told.turn + 1
        return self

    def predict(self, X):
        return self.answers[self.turn_][np.asarray(X)[:, 0].astype(int)]


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_errors_and_votes_are_those_of_scikit_learn_for_the_same_models(classes):
    rng = np.random.default_rng(classes)
    y = rng.permutation(np.arange(60) % classes)
    answers = [np.where(rng.random(60) < 0.1 * classes, (y + 1) % classes, y) for _ in range(8)]
    X = np.arange(60.0)[:, None]
    Told.turn = 0
    ours = ResamplingAdaBoost(Told(answers), 8, samme=True).fit(X, y)
    Told.turn = 0
    theirs = AdaBoostClassifier(Told(answers), n_estimators=8).fit(X, y)
    assert len(ours.estimators_) == 8
    assert ours.estimator_errors_ == pytest.approx(theirs.estimator_errors_, rel=1e-10)
    assert ours.estimator_weights_ == pytest.approx(theirs.estimator_weights_, rel=1e-10)
    assert (ours.predict(X) == theirs.predict(X)).all()
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert (mine == other).all()


def test_votes_are_summed_by_class(three):
    X, y = three
    boosted = ResamplingAdaBoost(GaussianNB(), 6, random_state=0).fit(X, y)
    votes = np.zeros((len(y), 3))
    for model, vote in zip(boosted.estimators_, boosted.estimator_weights_, strict=True):
        votes += vote * (model.predict(X)[:, None] == boosted.classes_)
    assert boosted.predict_proba(X) == pytest.approx(votes / votes.sum(axis=1, keepdims=True))
    assert (boosted.predict(X) == votes.argmax(axis=1)).all()
    assert boosted.decision_function(X) == pytest.approx(boosted.predict_proba(X))


@pytest.mark.slow
def test_of_two_classes_the_sign_decides(two):
    X, y = two
    boosted = ResamplingAdaBoost(random_state=0).fit(X, y)
    assert (boosted.predict(X) == np.where(boosted.decision_function(X) > 0, "yes", "no")).all()


def test_stages_end_with_the_ensemble(two):
    X, y = two
    boosted = ResamplingAdaBoost(n_estimators=12, random_state=0).fit(X, y)
    stages = list(boosted.staged_predict(X))
    assert len(stages) == len(boosted.estimators_) == 12
    assert (stages[0] == boosted.estimators_[0].predict(X)).all()
    assert (stages[-1] == boosted.predict(X)).all()


@pytest.mark.slow
def test_boosting_helps(two):
    X, y = two
    one = DecisionTreeClassifier(max_depth=1).fit(X[:300], y[:300]).score(X[300:], y[300:])
    assert ResamplingAdaBoost(random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:]) > one + 0.05


def test_a_model_without_error_decides_alone():
    X = np.arange(60.0)[:, None]
    boosted = ResamplingAdaBoost(DecisionTreeClassifier(), random_state=1).fit(X, X[:, 0] // 10 % 3)
    assert boosted.stopped_ == "perfect"
    assert boosted.estimator_errors_[-1] == 0
    assert 1 < len(boosted.estimators_) < 50
    grid = np.arange(-5, 70, 0.1)[:, None]
    assert (boosted.predict(grid) == boosted.estimators_[-1].predict(grid)).all()
    assert np.isfinite(boosted.predict_proba(grid)).all()


@pytest.mark.parametrize(("samme", "advice"), [(False, "samme=True"), (True, "stronger learner")])
def test_a_learner_no_better_than_chance_is_kept_alone_with_a_warning(samme, advice):
    X, y = np.arange(30.0)[:, None], np.arange(30) % 3
    base = DummyClassifier(strategy="most_frequent")
    with pytest.warns(UserWarning, match=f"Of 4 models none .*{advice}"):
        boosted = ResamplingAdaBoost(base, max_restarts=3, samme=samme).fit(X, y)
    assert (len(boosted.estimators_), boosted.restarts_, boosted.stopped_) == (1, 3, "chance")
    assert boosted.predict_proba(X).max() == 1


@pytest.mark.slow
def test_no_model_has_a_vote_of_nought():
    x = np.repeat([0.0, 1.0], 40)
    y = x.astype(int)
    y[:7], y[45:52] = 1, 0
    boosted = ResamplingAdaBoost(random_state=0).fit(x[:, None], y)
    assert boosted.estimator_weights_.min() > 1  # each errs in 14 of 80 cases; what follows it in none but half


@pytest.mark.slow
def test_many_classes_need_samme():
    X, y = make_classification(1_200, 8, n_informative=6, n_classes=6, n_clusters_per_class=1, class_sep=1.2, random_state=0)
    with pytest.warns(UserWarning, match="samme=True"):
        without = ResamplingAdaBoost(random_state=0).fit(X, y).score(X, y)
    assert ResamplingAdaBoost(samme=True, random_state=0).fit(X, y).score(X, y) > without + 0.1


def test_weights_say_what_is_drawn_and_what_an_error_costs(two):
    X, y = two
    weights = np.where(y == "yes", 0.0, 1.0)
    weights[:2] = 1
    boosted = ResamplingAdaBoost(n_estimators=1, random_state=0).fit(X, y, sample_weight=weights)
    wrong = boosted.predict(X) != y
    assert boosted.estimator_errors_[0] == pytest.approx(np.average(wrong, weights=weights))


# -- bins ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2])
def test_bins_of_few_values_give_the_same_ensemble(two, depth):
    X, y = two
    X, y = X[:250], y[:250]
    binned, exact = (
        ResamplingAdaBoost(DecisionTreeClassifier(max_depth=depth), 8, binned=b, random_state=3).fit(X, y) for b in (True, False)
    )
    assert {type(model) for model in binned.estimators_} == {BinnedTreeClassifier}
    assert {type(model) for model in exact.estimators_} == {DecisionTreeClassifier}
    assert binned.estimator_errors_ == pytest.approx(exact.estimator_errors_, rel=1e-9)
    assert binned.predict_proba(X) == pytest.approx(exact.predict_proba(X), rel=1e-9)


def test_members_of_bins_are_classifiers_of_values(two):
    X, y = two
    boosted = ResamplingAdaBoost(n_estimators=5, binned=True, random_state=0).fit(X, y)
    votes = sum(vote * (m.predict(X) == "yes") for m, vote in zip(boosted.estimators_, boosted.estimator_weights_, strict=True))
    assert boosted.predict_proba(X)[:, 1] == pytest.approx(votes / boosted.estimator_weights_.sum())
    first = boosted.estimators_[0]
    assert boosted.estimator_errors_[0] == pytest.approx(np.mean(first.predict(X) != y))


@pytest.mark.parametrize(
    ("base", "taken"),
    [
        (None, True),
        (DecisionTreeClassifier(max_depth=9), False),
        (DecisionTreeClassifier(max_depth=2, criterion="entropy"), False),
    ],
)
def test_bins_are_taken_where_they_serve(two, monkeypatch, base, taken):
    monkeypatch.setattr("adjudge.ensembles.members.MANY", 100)
    X, y = two
    boosted = ResamplingAdaBoost(base, 2, random_state=0).fit(X, y)
    assert isinstance(boosted.estimators_[0], BinnedTreeClassifier) is taken
    gaps = np.where(np.arange(X.size).reshape(X.shape) % 17 == 0, np.nan, X)
    assert isinstance(ResamplingAdaBoost(base, 2, random_state=0).fit(gaps, y).estimators_[0], DecisionTreeClassifier)


def test_bins_are_not_taken_for_very_many_classes(monkeypatch):
    monkeypatch.setattr("adjudge.ensembles.members.MANY", 100)
    X, y = np.arange(1_200.0)[:, None], np.arange(1_200) // 4
    boosted = ResamplingAdaBoost(DecisionTreeClassifier(max_depth=6), 1, samme=True, random_state=0).fit(X, y)
    assert isinstance(boosted.estimators_[0], DecisionTreeClassifier)


def test_interleaved_tables_are_learnt_from_as_any_others():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(100, 200, 40_000), np.empty(40_000, dtype=bool)
    x[::2], y[1::2], y[::2] = rng.normal(size=20_000), x[1::2] > 150, rng.random(20_000) < 0.5
    boosted = ResamplingAdaBoost(n_estimators=3, random_state=0).fit(x[:, None], y)
    assert isinstance(boosted.estimators_[0], BinnedTreeClassifier)
    assert boosted.score(x[1::2, None], y[1::2]) > 0.999


@pytest.mark.parametrize("depth", [1, 3])
def test_bins_keep_what_is_rare(depth):
    X = np.random.default_rng(3).normal(size=(40_000, 3))
    rare = X[:, 0] > np.quantile(X[:, 0], 0.998)
    learnt, other = slice(0, 20_000), slice(20_000, None)
    boosted = ResamplingAdaBoost(DecisionTreeClassifier(max_depth=depth), 5, random_state=0).fit(X[learnt], rare[learnt])
    assert (boosted.predict(X[other]) & rare[other]).sum() >= 0.9 * rare[other].sum() > 20


def test_missing_values_go_the_same_way_with_and_without_bins():
    X = np.random.default_rng(0).normal(size=(10_000, 1))
    y = (X[:, 0] > -1).astype(int)
    made, exact = (ResamplingAdaBoost(n_estimators=3, binned=b, random_state=0).fit(X, y) for b in ("auto", False))
    assert made.predict([[np.nan]]) == exact.predict([[np.nan]]) == 1


# -- stopping early --------------------------------------------------------------------------------------------


def test_rounds_are_kept_up_to_the_least_error_on_cases_held_out(two):
    X, y = two
    boosted = ResamplingAdaBoost(DecisionTreeClassifier(max_depth=3), 200, early_stop=0.3, patience=5, random_state=1).fit(X, y)
    held = boosted.held_out_rows_
    assert held.size == pytest.approx(0.3 * len(y), abs=2)
    assert np.mean(y[held] == "yes") == pytest.approx(np.mean(y == "yes"), abs=0.01)
    errors = boosted.held_out_errors_
    assert boosted.stopped_ == "held out"
    assert len(boosted.estimators_) == errors.argmin() + 1 == len(errors) - 5
    staged = [np.mean(said != y[held]) for said in boosted.staged_predict(X[held])]
    assert staged == pytest.approx(errors[: len(staged)])


@pytest.mark.parametrize("share", [0, 1, 1.0, -0.2, "0.2", True, float("nan")])
def test_what_is_no_part_to_hold_out_is_refused(two, share):
    with pytest.raises(InputError, match=r"^early_stop .*None or"):
        ResamplingAdaBoost(n_estimators=3, early_stop=share).fit(*two)


def test_of_equally_good_numbers_of_rounds_the_lowest_is_kept(two):
    boosted = ResamplingAdaBoost(n_estimators=40, early_stop=0.1, patience=8, random_state=0).fit(*two)
    errors = boosted.held_out_errors_
    assert np.count_nonzero(errors == errors.min()) > 1
    assert len(boosted.estimators_) == errors.argmin() + 1


def test_without_early_stopping_nothing_is_held_out(two):
    boosted = ResamplingAdaBoost(n_estimators=3).fit(*two)
    assert boosted.held_out_rows_.size == boosted.held_out_errors_.size == 0


# -- what may come in ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("base", [None, GaussianNB(), KNeighborsClassifier(3)], ids=["stumps", "bayes", "neighbours"])
def test_the_same_seed_gives_the_same_digits(two, base):
    X, y = two
    one, two_, other = (ResamplingAdaBoost(base, 5, random_state=s).fit(X, y) for s in (3, 3, 4))
    assert one.estimator_errors_.tolist() == two_.estimator_errors_.tolist() != other.estimator_errors_.tolist()
    frame = pd.DataFrame(X).rename(columns=str)
    assert (ResamplingAdaBoost(base, 5, random_state=3).fit(frame, y).predict(frame) == one.predict(X)).all()
    assert (pickle.loads(pickle.dumps(one)).predict_proba(X) == one.predict_proba(X)).all()  # noqa: S301


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"early_stop": 0.0}, "early_stop must be None or the part of the cases to hold out"),
        ({"early_stop": 20}, r"got 20\. A fifth is 0\.2"),
        ({"early_stop": 0.001}, "holds out none"),
        ({"samme": "yes"}, "samme must be True or False, got 'yes'"),
        ({"max_restarts": -1}, "max_restarts must be a whole number of at least 0"),
        ({"patience": 0}, "patience must be a whole number of at least 1"),
        ({"binned": True, "estimator": GaussianNB()}, "DecisionTreeClassifier of a max_depth from 1 to 6"),
    ],
)
def test_what_makes_no_sense_is_refused(given, told):
    with pytest.raises(InputError, match=told):
        ResamplingAdaBoost(**given).fit(np.arange(20.0)[:, None], np.arange(20) % 2)


def test_nothing_is_predicted_before_fitting():
    with pytest.raises(NotFittedError):
        next(ResamplingAdaBoost().staged_predict([[0.0]]))


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 3])
def test_on_many_cases_it_errs_no_more_than_scikit_learns(depth):
    base = DecisionTreeClassifier(max_depth=depth)
    gaps = []
    for seed in range(4):
        X, y = make_classification(40_000, 12, n_informative=6, flip_y=0.05, class_sep=0.7, random_state=seed)
        learnt, judged = slice(0, 20_000), slice(20_000, None)
        theirs = AdaBoostClassifier(base, n_estimators=20, random_state=0).fit(X[learnt], y[learnt]).score(X[judged], y[judged])
        ours = [
            ResamplingAdaBoost(base, 20, random_state=s).fit(X[learnt], y[learnt]).score(X[judged], y[judged]) for s in range(5)
        ]
        gaps.append(np.mean(ours) - theirs)
    assert np.mean(gaps) > -0.005


@pytest.mark.parametrize("size", [0.25, 1.0, 4.0])
def test_a_round_draws_as_many_cases_as_asked_for(size):
    counted = []

    class Counting(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            counted.append(len(y))
            self.model_ = DecisionTreeClassifier(max_depth=1).fit(X, y)
            self.classes_ = self.model_.classes_
            return self

        def predict(self, X):
            return self.model_.predict(X)

    X, y = make_classification(80, random_state=0)
    ResamplingAdaBoost(Counting(), 3, sample_size=size, random_state=0).fit(X, y)
    assert set(counted) == {80 * size}


@pytest.mark.parametrize("size", [0, -1, float("inf"), float("nan"), "all", True, None])
def test_a_sample_size_is_a_positive_number(size):
    X, y = make_classification(30, random_state=0)
    with pytest.raises(InputError, match=r"^sample_size .*above 0"):
        ResamplingAdaBoost(sample_size=size).fit(X, y)


def test_more_draws_follow_the_weights_more_closely():
    """With very many draws the first stump is the one fitted to all cases."""
    X, y = make_classification(300, flip_y=0.2, random_state=3)
    exact = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y).predict(X)
    for seed in range(5):
        boosted = ResamplingAdaBoost(n_estimators=1, sample_size=2000.0, random_state=seed).fit(X, y)
        np.testing.assert_array_equal(boosted.predict(X), exact)


# -- numbers -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_errors_and_votes_of_numbers_are_those_of_scikit_learn_for_the_same_models(diabetes, loss):
    X, y = diabetes
    base = DummyRegressor(strategy="constant", constant=140.0)
    ours = ResamplingAdaBoostRegressor(base, 6, loss=loss).fit(X, y)
    theirs = AdaBoostRegressor(base, n_estimators=6, loss=loss).fit(X, y)
    kept = len(theirs.estimators_)
    assert kept > 1
    assert ours.estimator_errors_[:kept] == pytest.approx(theirs.estimator_errors_[:kept], rel=1e-10)
    assert ours.estimator_weights_[:kept] == pytest.approx(theirs.estimator_weights_[:kept], rel=1e-10)


@pytest.mark.slow
def test_numbers_are_the_weighted_medians_of_scikit_learn(diabetes):
    X, y = diabetes
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
    with pytest.warns(UserWarning, match=r"Of 2 models .*0\.5, .*1.*stronger"):
        boosted = ResamplingAdaBoostRegressor(base, max_restarts=1).fit([[0.0], [1.0], [2.0]], [0, 0, 0])
    assert boosted.predict([[5.0]]) == 10


def test_rounds_of_numbers_are_kept_up_to_the_least_error_on_cases_held_out(diabetes):
    X, y = diabetes
    boosted = ResamplingAdaBoostRegressor(n_estimators=100, early_stop=0.25, patience=4, random_state=0).fit(X, y)
    held, errors = boosted.held_out_rows_, boosted.held_out_errors_
    assert held.size == pytest.approx(0.25 * len(y), abs=1)
    assert len(boosted.estimators_) == errors.argmin() + 1 == len(errors) - 4
    staged = [np.abs(said - y[held]).mean() for said in boosted.staged_predict(X[held])]
    assert staged == pytest.approx(errors[: len(staged)])


@pytest.mark.slow
def test_boosting_helps_with_numbers(diabetes):
    X, y = diabetes
    one = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:])
    assert ResamplingAdaBoostRegressor(random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:]) > one + 0.03


def test_cases_without_weight_do_not_set_the_scale():
    X, y = np.arange(20.0)[:, None], np.arange(20.0) % 3
    y[3] = 1e6
    weights = np.where(np.arange(20) == 3, 0.0, 1.0)
    boosted = ResamplingAdaBoostRegressor(n_estimators=3, random_state=0).fit(X, y, sample_weight=weights)
    assert (boosted.estimator_errors_ > 0.01).all()


def test_a_loss_nobody_knows_is_refused():
    with refused("loss", "'linear', 'square' or 'exponential'", "'cubic'"):
        ResamplingAdaBoostRegressor(loss="cubic").fit([[0.0], [1.0]], [0, 1])
