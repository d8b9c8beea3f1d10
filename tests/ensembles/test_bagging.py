"""Bagging: the same votes as scikit-learn's, out-of-bag votes counted by hand, and what a user may put in."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from adjudge import BaggingAverager, BaggingVoter, InputError, evaluate, measure


@pytest.fixture(scope="module")
def three():
    X, y = make_classification(240, 6, n_informative=4, n_classes=3, class_sep=0.8, flip_y=0.1, random_state=2)
    return X.astype(np.float32).astype(float), np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def numbers():
    return load_diabetes(return_X_y=True)


def columns_of(predictions):
    return {name: np.asarray(values) for name, values in predictions.source.columns.items()}


# -- the same as scikit-learn's --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 9])
def test_votes_are_those_of_scikit_learns_bagging_of_the_same_samples(three, n):
    X, y = three
    ours = BaggingVoter(RidgeClassifier(), n, random_state=5).fit(X[:160], y[:160])
    theirs = BaggingClassifier(RidgeClassifier(), n_estimators=n, random_state=5).fit(X[:160], y[:160])  # votes, as it has no p
    codes = np.unique(y[:160], return_inverse=True)[1]
    theirs.estimators_ = [RidgeClassifier().fit(X[rows], codes[rows]) for rows in ours.estimators_samples_]
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X))


@pytest.mark.parametrize("as_weights", [True, False, "auto"])
def test_trees_vote_as_trees_of_the_same_rows(three, as_weights):
    X, y = three
    ours = BaggingVoter(n_estimators=9, as_weights=as_weights, random_state=5).fit(X[:160], y[:160])
    said = [
        DecisionTreeClassifier(random_state=model.random_state).fit(X[rows], y[rows]).predict(X)
        for model, rows in zip(ours.estimators_, ours.estimators_samples_, strict=True)
    ]
    codes = np.searchsorted(ours.classes_, np.array(said))
    assert (ours.predict(X) == ours.classes_[stats.mode(codes, axis=0).mode]).all()  # of equal ones the lowest, as here


@pytest.mark.slow
def test_numbers_are_those_of_scikit_learns_bagging_of_the_same_samples(numbers):
    X, y = numbers
    ours = BaggingAverager(n_estimators=7, random_state=1).fit(X[:300], y[:300])
    theirs = BaggingRegressor(n_estimators=7, random_state=1).fit(X[:300], y[:300])
    theirs.estimators_ = [
        DecisionTreeRegressor(random_state=model.random_state).fit(X[rows], y[rows])
        for model, rows in zip(ours.estimators_, ours.estimators_samples_, strict=True)
    ]
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-12)


# -- out of bag ------------------------------------------------------------------------------------------------


def test_out_of_bag_votes_are_those_of_models_that_had_not_seen_the_case(three):
    X, y = three
    voter = BaggingVoter(GaussianNB(), 6, random_state=3).fit(X, y)
    votes = np.zeros((len(y), 3), dtype=int)
    for model, rows in zip(voter.estimators_, voter.estimators_samples_, strict=True):
        unseen = np.setdiff1d(np.arange(len(y)), rows)
        votes[unseen, np.searchsorted(voter.classes_, model.predict(X[unseen]))] += 1
    had = votes.sum(axis=1) > 0
    found = columns_of(voter.out_of_bag_)
    assert (found["row"] == np.flatnonzero(had)).all()
    assert (found["truth"] == y[had]).all()
    assert (found["predicted"] == voter.classes_[votes[had].argmax(axis=1)]).all()
    assert (np.column_stack([found[f"votes for {label}"] for label in "abc"]) == votes[had]).all()
    assert voter.never_out_of_bag_ == (~had).sum() > 0


@pytest.mark.slow
def test_out_of_bag_predictions_are_judged_like_any_others(three):
    X, y = three
    voter = BaggingVoter(n_estimators=6, random_state=3).fit(X, y)
    judged = evaluate(voter.out_of_bag_)
    (said,) = [finding for finding in judged.findings if finding.code == "A951"]
    assert said.value == voter.never_out_of_bag_
    found = columns_of(voter.out_of_bag_)
    assert measure(voter.out_of_bag_, "accuracy") == pytest.approx(np.mean(found["truth"] == found["predicted"]))
    many = BaggingVoter(n_estimators=60, random_state=3).fit(X, y)
    assert many.never_out_of_bag_ == 0
    assert "A951" not in {finding.code for finding in evaluate(many.out_of_bag_).findings}


def test_out_of_bag_numbers_are_means_of_models_that_had_not_seen_the_case(numbers):
    X, y = numbers
    averager = BaggingAverager(LinearRegression(), 5, random_state=3).fit(X, y)
    said = np.full((len(y), 5), np.nan)
    for at, (model, rows) in enumerate(zip(averager.estimators_, averager.estimators_samples_, strict=True)):
        unseen = np.setdiff1d(np.arange(len(y)), rows)
        said[unseen, at] = model.predict(X[unseen])
    had = ~np.isnan(said).all(axis=1)
    found = columns_of(averager.out_of_bag_)
    assert (found["row"] == np.flatnonzero(had)).all()
    assert found["predicted"] == pytest.approx(np.nanmean(said[had], axis=1), rel=1e-12)
    assert averager.never_out_of_bag_ == (~had).sum()
    assert measure(averager.out_of_bag_, "mae") == pytest.approx(np.abs(found["predicted"] - y[had]).mean())
    assert evaluate(averager.out_of_bag_).findings[0].code == "A951"


@pytest.mark.slow
def test_out_of_bag_accuracy_is_about_that_of_cross_validation():
    X, y = make_classification(600, 8, n_informative=4, flip_y=0.1, random_state=1)
    voter = BaggingVoter(n_estimators=40, random_state=0)
    apart = cross_val_score(voter, X, y, cv=5).mean()
    assert measure(voter.fit(X, y).out_of_bag_, "accuracy") == pytest.approx(apart, abs=0.03)
    assert voter.score(X, y) > apart + 0.05  # what it says of cases it has seen flatters


def test_out_of_bag_votes_may_be_left_out(three):
    voter = BaggingVoter(n_estimators=3, out_of_bag=False).fit(*three)
    assert not hasattr(voter, "out_of_bag_")


# -- ties, weights, workers ------------------------------------------------------------------------------------


class Says(ClassifierMixin, BaseEstimator):
    """Says one class with some probability, by the seed it is given."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        self.second_ = self.random_state % 2
        return self

    def predict(self, X):
        return np.repeat(self.classes_[self.second_], len(X))

    def predict_proba(self, X):
        second = 0.9 if self.second_ else 0.4
        return np.repeat([[1 - second, second]], len(X), axis=0)


def test_ties_go_to_the_first_class_or_to_the_more_probable_one():
    X, y = np.arange(10.0)[:, None], np.repeat(["no", "yes"], 5)
    seed = next(s for s in range(50) if BaggingVoter(Says(), 2, random_state=s).fit(X, y).predict_proba(X)[0, 0] == 0.5)
    assert set(BaggingVoter(Says(), 2, random_state=seed).fit(X, y).predict(X)) == {"no"}
    sure = BaggingVoter(Says(), 2, ties="probability", random_state=seed).fit(X, y)
    assert set(sure.predict(X)) == {"yes"}  # 0.9 and 0.4 for it
    found = columns_of(sure.out_of_bag_)
    both = (found["votes for no"] > 0) & (found["votes for yes"] > 0)
    assert set(found["predicted"][both]) <= {"yes"}


@pytest.mark.slow
def test_chances_go_with_the_weights(three):
    X, y = three
    weights = np.where(y == "a", 0.0, np.where(y == "b", 1.0, 4.0))
    voter = BaggingVoter(n_estimators=30, random_state=0).fit(X, y, sample_weight=weights)
    rows = np.concatenate(voter.estimators_samples_)
    assert not (y[rows] == "a").any()
    share = 4 * (y == "c").sum() / weights.sum()
    assert np.mean(y[rows] == "c") == pytest.approx(share, abs=4 * np.sqrt(0.25 / rows.size))
    found = columns_of(voter.out_of_bag_)
    assert set(found["truth"]) == {"b", "c"}
    right = found["truth"] == found["predicted"]
    assert measure(voter.out_of_bag_, "accuracy") == pytest.approx(np.average(right, weights=weights[found["row"]]))
    assert voter.never_out_of_bag_ == len(y) - (y == "a").sum() - len(right)


@pytest.mark.slow
@pytest.mark.parametrize("base", [None, GaussianNB()], ids=["trees", "bayes"])
def test_the_same_seed_gives_the_same_digits_with_any_number_of_workers(three, base):
    X, y = three
    with joblib.parallel_config("threading"):
        one, two = (BaggingVoter(base, 8, random_state=4, n_jobs=n).fit(X, y) for n in (1, 3))
        assert (one.predict_proba(X) == two.predict_proba(X)).all()
    a, b = columns_of(one.out_of_bag_), columns_of(two.out_of_bag_)
    assert all((a[name] == b[name]).all() for name in a)
    assert any((one.predict_proba(X) != BaggingVoter(base, 8, random_state=5).fit(X, y).predict_proba(X)).ravel())


@pytest.mark.slow
def test_means_have_the_same_digits_with_any_number_of_workers(numbers):
    X, y = numbers
    one, two = (BaggingAverager(n_estimators=9, random_state=4, n_jobs=n).fit(X, y) for n in (1, 2))
    assert (one.predict(X) == two.predict(X)).all()


@pytest.mark.slow
def test_processes_give_the_same_digits(three):
    X, y = three
    here = BaggingVoter(GaussianNB(), 4, random_state=4).fit(X, y)
    there = BaggingVoter(GaussianNB(), 4, random_state=4, n_jobs=2).fit(X, y)
    assert (here.predict_proba(X) == there.predict_proba(X)).all()


# -- bins ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BaggingVoter, BaggingAverager])
def test_trees_of_bins_are_scikit_learns_and_take_values(kind):
    X, y = make_classification(3_000, 8, n_informative=5, n_classes=3, random_state=1)
    made = kind(n_estimators=3, binned=True, random_state=0).fit(X, y)
    exact = kind(n_estimators=3, binned=False, random_state=0).fit(X, y)
    for model, other, rows in zip(made.estimators_, exact.estimators_, made.estimators_samples_, strict=True):
        assert type(model) is type(other)
        assert model.score(X[rows], y[rows]) > 0.97  # a leaf of different classes only where all bins are the same
    assert made.score(X, y) == pytest.approx(exact.score(X, y), abs=0.02)


def test_few_values_lose_nothing_in_bins():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (400, 5)).astype(float)
    y = (X[:, 0] * X[:, 1] > 600) ^ (rng.random(400) < 0.1)
    made, exact = (BaggingVoter(n_estimators=5, binned=b, random_state=0).fit(X, y) for b in (True, False))
    assert (made.predict(X) == exact.predict(X)).all()
    assert [m.get_n_leaves() for m in made.estimators_] == [m.get_n_leaves() for m in exact.estimators_]


@pytest.mark.parametrize("where", ["end", "middle"])
@pytest.mark.parametrize("kind", [BaggingVoter, BaggingAverager])
def test_bins_keep_what_is_rare(kind, where):
    X = np.random.default_rng(3).normal(size=(20_000, 3))
    rare = X[:, 0] > np.quantile(X[:, 0], 0.998) if where == "end" else np.abs(X[:, 0] - 0.3) < 0.0025
    learnt, other = slice(0, 10_000), slice(10_000, None)
    made = kind(n_estimators=5, binned=True, out_of_bag=False, random_state=0).fit(X[learnt], rare[learnt].astype(float))
    found = made.predict(X[other]) > 0.5
    assert rare[other].sum() >= 15
    assert (found & rare[other]).sum() >= 0.8 * rare[other].sum()


def test_missing_values_go_the_same_way_with_and_without_bins(monkeypatch):
    monkeypatch.setattr("adjudge.ensembles.members.MANY", 100)
    X = np.random.default_rng(0).normal(size=(2_000, 1))
    y = (X[:, 0] > -1).astype(int)
    made, exact = (BaggingVoter(n_estimators=3, binned=b, random_state=0).fit(X, y) for b in ("auto", False))
    assert made.predict([[np.nan]]) == exact.predict([[np.nan]]) == 1


def test_bins_are_taken_for_many_cases_only(three, monkeypatch):
    X, y = three
    exact = BaggingVoter(n_estimators=3, random_state=0).fit(X, y)
    monkeypatch.setattr("adjudge.ensembles.members.MANY", 100)
    binned = BaggingVoter(n_estimators=3, random_state=0).fit(X, y)
    forced = BaggingVoter(n_estimators=3, binned=True, random_state=0).fit(X, y)
    assert (binned.estimators_[0].tree_.threshold == forced.estimators_[0].tree_.threshold).all()
    assert binned.estimators_[0].tree_.threshold.tolist() != exact.estimators_[0].tree_.threshold.tolist()
    gaps = np.where(np.arange(X.size).reshape(X.shape) % 17 == 0, np.nan, X)
    assert set(BaggingVoter(n_estimators=3).fit(gaps, y).predict(gaps)) <= set("abc")  # these go the general way
    with pytest.raises(InputError, match="missing values"):
        BaggingVoter(n_estimators=3, binned=True)._bins(gaps, able=True, wanted="trees")


# -- what may come in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("base", [None, GaussianNB()], ids=["trees", "bayes"])
def test_frames_are_as_good_as_arrays(three, frame, base):
    X, y = three
    table = frame({f"x{at}": X[:, at] for at in range(X.shape[1])})
    series = pd.Series(y) if frame is pd.DataFrame else pl.Series(y)
    voter = BaggingVoter(base, 4, random_state=0).fit(table, series)
    assert voter.feature_names_in_.tolist() == [f"x{at}" for at in range(X.shape[1])]
    assert (voter.predict(table) == BaggingVoter(base, 4, random_state=0).fit(X, y).predict(X)).all()


@pytest.mark.slow
def test_learners_that_need_names_get_them():
    table = pd.DataFrame({"town": ["A", "B", "C"] * 20, "size": np.arange(60.0)})
    y = (table["size"] > 30).to_numpy()
    base = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["town"]), (StandardScaler(), ["size"])),
        LogisticRegression(),
    )
    assert BaggingVoter(base, 4, random_state=0).fit(table, y).score(table, y) > 0.9


@pytest.mark.slow
def test_texts_may_be_bagged():
    texts, y = ["red apple", "green apple", "blue sky", "grey sky"] * 10, ["fruit", "fruit", "air", "air"] * 10
    for base, given in [
        (make_pipeline(CountVectorizer(), MultinomialNB()), texts),
        (make_pipeline(make_column_transformer((CountVectorizer(), "text")), MultinomialNB()), pd.DataFrame({"text": texts})),
    ]:
        voter = BaggingVoter(base, 5, random_state=0).fit(given, y)
        assert voter.score(given, y) == 1
        assert measure(voter.out_of_bag_, "accuracy") == 1


def test_sparse_tables_may_be_bagged(three):
    X, y = three
    full = np.where(X > 0, X, 0)
    found = [
        BaggingVoter(n_estimators=4, random_state=0).fit(table, y).predict(table) for table in (full, sparse.csr_array(full))
    ]
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("labels", [["yes", "no"], [True, False], [7, -3], [0.0, 1.0], np.array(["ill", "well"], dtype=object)])
def test_classes_may_have_any_label(labels):
    X, y = np.arange(40.0)[:, None], np.asarray(labels)[np.arange(40) // 20]
    voter = BaggingVoter(n_estimators=5, random_state=0).fit(X, y)
    assert (voter.predict(X[[0, 39]]) == y[[0, 39]]).all()
    assert voter.classes_.tolist() == sorted(labels)
    assert measure(voter.out_of_bag_, "accuracy") > 0.9


def test_a_sample_may_lack_a_class():
    X, y = load_iris(return_X_y=True)
    rows = [*range(30), 60, *range(120, 150)]
    voter = BaggingVoter(GaussianNB(var_smoothing=1e-3), 12, ties="probability", random_state=0).fit(X[rows], y[rows])
    assert {len(model.classes_) for model in voter.estimators_} == {2, 3}
    assert voter.predict_proba(X).shape == (150, 3)
    assert voter.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_pickled_and_cloned(three):
    X, y = three
    voter = BaggingVoter(n_estimators=4, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(voter))  # noqa: S301
    assert (again.predict_proba(X) == voter.predict_proba(X)).all()
    assert measure(again.out_of_bag_, "accuracy") == measure(voter.out_of_bag_, "accuracy")
    with pytest.raises(NotFittedError):
        clone(voter).predict(X)
    with pytest.raises(NotFittedError):
        _ = clone(voter).estimators_samples_


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"n_estimators": 0}, "n_estimators must be a whole number of at least 1, got 0"),
        ({"n_estimators": 2.5}, "got 2.5"),
        ({"ties": "first"}, "ties must be 'lowest' or 'probability', got 'first'"),
        ({"as_weights": "yes"}, "as_weights must be True, False or 'auto', got 'yes'"),
        ({"as_weights": 1}, "as_weights must be True, False or 'auto', got 1"),
        ({"binned": "no"}, "binned must be True, False or 'auto', got 'no'"),
        ({"out_of_bag": "no"}, "out_of_bag must be True or False, got 'no'"),
        ({"estimator": DecisionTreeRegressor()}, r"BaggingVoter predicts classes, and its estimator DecisionTreeRegressor\(\)"),
        ({"estimator": "tree"}, "estimator must be a learner with fit and predict, got 'tree'"),
        ({"estimator": KNeighborsClassifier(), "as_weights": True}, "KNeighborsClassifier takes no sample_weight"),
        ({"estimator": KNeighborsClassifier(), "binned": True}, "the estimator is KNeighborsClassifier"),
        ({"estimator": DecisionTreeClassifier(min_samples_leaf=3), "binned": True}, "do not count the cases of a node"),
    ],
)
def test_what_makes_no_sense_is_refused(three, given, told):
    with pytest.raises(InputError, match=told):
        BaggingVoter(**given).fit(*three)


def test_a_learner_of_classes_is_not_averaged(numbers):
    with pytest.raises(InputError, match="Use a learner of numbers"):
        BaggingAverager(GaussianNB()).fit(*numbers)


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame])
def test_numbers_too_large_for_trees_are_refused_in_words(three, frame):
    X, y = three
    with pytest.raises(InputError, match=r"too large .*3\.4e\+38"):
        BaggingVoter(n_estimators=2).fit(frame(X * 1e300), y)


@pytest.mark.slow
def test_a_sample_without_a_class_does_not_end_the_fit():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), (np.arange(60) == 0).astype(int)
    voter = BaggingVoter(LogisticRegression(), 20, random_state=0).fit(X, y)
    constant = [set(y[rows]) == {0} for rows in voter.estimators_samples_]
    assert 0 < sum(constant) < 20
    for model, only in zip(voter.estimators_, constant, strict=True):
        assert (len(model.classes_) == 1) is only
    with pytest.raises(InputError, match=r"Model 1 .*could not be fitted.*class"):
        BaggingVoter(LogisticRegression(), 3).fit(X, np.zeros(60))


def test_stages_may_be_left_before_the_last(three):
    X, y = three
    stages = BaggingVoter(n_estimators=9, n_jobs=2, random_state=0).fit(X, y).staged_predict(X)
    first = next(stages)
    stages.close()  # a warning would be an error here
    assert first.shape == y.shape


def test_samples_are_as_large_as_there_are_cases_with_a_weight(three):
    X, y = three
    weights = np.where(np.arange(len(y)) < 20, 1.0, 0.0)
    voter = BaggingVoter(n_estimators=4, random_state=0).fit(X, y, sample_weight=weights)
    assert [rows.size for rows in voter.estimators_samples_] == [20] * 4
    alone = BaggingVoter(n_estimators=4, random_state=0).fit(X[:20], y[:20])
    assert (voter.predict(X) == alone.predict(X)).all()
    thrice = BaggingVoter(n_estimators=4, random_state=0).fit(X[:20], y[:20], sample_weight=np.full(20, 3.0))
    assert (thrice.predict_proba(X) == alone.predict_proba(X)).all()  # weights are chances, not copies


def test_y_without_numbers_is_refused():
    with pytest.raises(InputError, match="predicts numbers"):
        BaggingAverager().fit([[0.0], [1.0]], ["a", "b"])


class Liar(GaussianNB):
    def predict(self, X):
        return np.repeat("z", len(X))


def test_a_class_nobody_knows_is_refused(three):
    with pytest.raises(InputError, match=r"predicted 'z'.*no class of y"):
        BaggingVoter(Liar(), 2).fit(*three)


COUNT_ROWS = [DecisionTreeClassifier(min_samples_leaf=4), DecisionTreeClassifier(class_weight="balanced"), GaussianNB()]


@pytest.mark.parametrize("base", COUNT_ROWS, ids=["leaves", "balanced", "bayes"])
def test_learners_that_count_rows_get_rows(three, base):
    X, y = three
    voter = BaggingVoter(base, 3, random_state=1).fit(X, y)
    for model, rows in zip(voter.estimators_, voter.estimators_samples_, strict=True):
        assert (clone(model).fit(X[rows], y[rows]).predict_proba(X) == model.predict_proba(X)).all()


class FailsLater(DecisionTreeClassifier):
    """A tree that refuses cases with a negative feature."""

    def fit(self, X, y, **more):
        if np.min(X) < 0:
            raise RuntimeError
        return super().fit(X, y, **more)


def test_a_fit_that_fails_leaves_the_models_of_the_one_before():
    X, y = np.abs(np.random.default_rng(0).normal(size=(60, 2))), np.arange(60) % 2
    ensemble = BaggingVoter(FailsLater(), 5, as_weights=False, random_state=0).fit(X, y)
    said = ensemble.predict(X)
    with pytest.raises(RuntimeError):
        ensemble.fit(X - 10, y)
    assert np.array_equal(ensemble.predict(X), said)
    assert len(ensemble.estimators_samples_) == 5
