"""Learners are asked by the names of their classes, believed nothing unchecked, and decide as their probabilities say."""
# ruff: noqa: ARG002, ARG005 - learners that misbehave need not look at what they are given

from __future__ import annotations

import re
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from tests.resampling.failing import FailsOn
from tests.resampling.failing import X as ROWS
from tests.resampling.failing import Y as LABELS
from tests.resampling.failing import job as failing_job

import adjudge
from adjudge.resampling.learner import decides_by_probability, has_nothing_to_seed, most_probable, predicts_numbers, serial
from adjudge.resampling.run import job_of, run

X, CODES = load_iris(return_X_y=True)

Y = np.array(["setosa", "versicolor", "virginica"])[CODES]

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def answers(learner, X=X, y=Y, by=FOLDS):
    return list(serial(job_of(learner, X, y, by, random_state=0), range(5)))


def columns(learner, X=X, y=Y, by=FOLDS):
    """Return every column of all folds in the order of the rows."""
    tables = [answer.table for answer in answers(learner, X, y, by)]
    order = np.argsort(np.concatenate([table.column("row") for table in tables]))
    return {name: np.concatenate([table.column(name) for table in tables])[order] for name in tables[0].column_names}


class Fixed(ClassifierMixin, BaseEstimator):
    """A learner whose answers a test makes up."""

    def __init__(self, decisions=None, probabilities=None, scores=None, names=None):
        self.decisions, self.probabilities, self.scores, self.names = decisions, probabilities, scores, names

    def fit(self, X, y):
        self.classes_ = np.unique(y) if self.names is None else np.asarray(self.names)
        return self

    def predict(self, X):
        return np.full(len(X), "setosa") if self.decisions is None else self.decisions(X)

    def __getattr__(self, name):
        makers = {"predict_proba": "probabilities", "decision_function": "scores"}
        made = None if name not in makers else self.__dict__.get(makers[name])
        if made is None:
            raise AttributeError(name)
        return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [GaussianNB(), LogisticRegression(max_iter=500), KNeighborsClassifier(), make_pipeline(StandardScaler(), GaussianNB())],
)
def test_answers_are_those_of_scikit_learn(learner):
    found = columns(learner)
    assert np.array_equal(found["truth"], Y)
    assert np.array_equal(found["predicted"], cross_val_predict(learner, X, Y, cv=FOLDS))
    expected = cross_val_predict(learner, X, Y, cv=FOLDS, method="predict_proba")
    for at, label in enumerate(("setosa", "versicolor", "virginica")):
        assert np.array_equal(found[f"p_{label}"], expected[:, at])


def test_scores_of_three_classes_are_those_of_scikit_learn():
    found = columns(LinearSVC())
    expected = cross_val_predict(LinearSVC(random_state=0), X, Y, cv=FOLDS, method="decision_function")
    for at, label in enumerate(("setosa", "versicolor", "virginica")):
        assert found[f"score_{label}"] == pytest.approx(expected[:, at], rel=1e-2, abs=1e-2)  # liblinear draws; seeds differ


def test_the_score_of_two_classes_speaks_of_the_second():
    two = CODES > 0
    found = columns(SVC(), X[two], Y[two])
    expected = cross_val_predict(SVC(), X[two], Y[two], cv=FOLDS, method="decision_function")
    assert np.array_equal(found["score_virginica"], expected)
    assert "score_versicolor" not in found


def test_scores_of_pairs_of_classes_are_not_taken_for_scores_of_classes():
    found = columns(SVC(decision_function_shape="ovo"))
    assert not [name for name in found if name.startswith(("p_", "score_"))]
    assert "score_setosa" in columns(SVC())


def test_classes_in_another_order_are_matched_by_name():
    class Reversed(GaussianNB):
        def fit(self, X, y):
            super().fit(X, y)
            self.classes_ = self.classes_[::-1]
            return self

        def predict(self, X):
            return self.classes_[::-1][np.argmax(super().predict_proba(X), axis=1)]

        def predict_proba(self, X):
            return super().predict_proba(X)[:, ::-1]

    ours, plain = columns(Reversed()), columns(GaussianNB())
    for name in plain:
        assert np.array_equal(ours[name], plain[name])


def test_the_score_of_two_classes_in_another_order_is_turned():
    two = CODES > 0
    learner = Fixed(scores=lambda X: X[:, 0], names=["virginica", "versicolor"], decisions=lambda X: np.full(len(X), "virginica"))
    assert np.array_equal(columns(learner, X[two], Y[two])["score_virginica"], -X[two][:, 0])


def test_a_class_not_learnt_has_probability_0():
    rows = [(np.flatnonzero(CODES < 2), np.flatnonzero(CODES == 2))]
    table = next(serial(job_of(GaussianNB(), X, Y, rows, random_state=0), [0])).table
    assert set(table.column("p_virginica").to_pylist()) == {0.0}
    scores = next(serial(job_of(SVC(), X, Y, rows, random_state=0), [0])).table
    assert set(scores.column("score_virginica").to_pylist()) == {-np.inf}


@pytest.mark.parametrize(
    ("learner", "told"),
    [
        (Fixed(lambda X: np.full(len(X) + 1, "setosa")), r"predict gave shape \(31,\) for 30 cases; expected \(30,\)"),
        (Fixed(lambda X: np.full((len(X), 1), "setosa")), r"predict gave shape \(30, 1\)"),
        (Fixed(lambda X: "setosa"), r"predict gave shape \(\)"),
        (Fixed(lambda X: np.full(len(X), "rose")), "predict gave 'rose', which is not among the classes 'setosa', 'versicolor'"),
        (Fixed(lambda X: np.zeros(len(X))), "predict gave 0.0, which is not among"),
        (Fixed(lambda X: np.array([None] * len(X))), "predict gave a missing value"),
        (Fixed(lambda X: np.full(len(X), np.nan)), "predict gave a missing value"),
        (
            Fixed(probabilities=lambda X: np.full((len(X), 2), 0.5)),
            r"predict_proba gave shape \(30, 2\).*expected numbers of shape \(30, 3\)",
        ),
        (Fixed(probabilities=lambda X: np.full((len(X), 3), np.nan)), "predict_proba gave 90 values that are not finite"),
        (Fixed(probabilities=lambda X: np.full((len(X), 3), 0.5)), "rows that miss a sum of 1 by 0.5"),
        (Fixed(probabilities=lambda X: np.tile([2.0, -1, 0], (len(X), 1))), "values from -1 to 2; these are no probabilities"),
        (Fixed(probabilities=lambda X: np.full((len(X), 3), "p")), "type <U1"),
        (Fixed(probabilities=lambda X: np.eye(3)[[0] * len(X)], names=["setosa", "rose", "x"]), "unknown ones: 'rose', 'x'"),
        (Fixed(probabilities=lambda X: np.eye(3)[[0] * len(X)], names=["setosa"] * 3), "some of them twice"),
        (Fixed(scores=lambda X: np.zeros(len(X))), r"decision_function gave shape \(30,\)"),
        (Fixed(lambda X: 1 / 0), "ZeroDivisionError: division by zero"),
    ],
)
def test_what_no_answer_can_be_fails_the_fold_with_its_reason(learner, told):
    for answer in answers(learner):
        assert answer.table is None
        assert re.search(told, answer.failure), answer.failure
        assert "\n" not in answer.failure


def test_probabilities_without_names_fail_the_fold():
    class Nameless:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), "setosa")

        def predict_proba(self, X):
            return np.eye(3)[[0] * len(X)]

    assert "no classes_ names them" in answers(Nameless())[0].failure


@pytest.mark.parametrize("error", [SystemExit("bye"), RecursionError("deep"), MemoryError(), Exception("two\nlines")])
def test_nothing_a_learner_raises_gets_out(error):
    class Broken(GaussianNB):
        def fit(self, X, y):
            raise error

    for answer in answers(Broken()):
        assert answer.failure.startswith(type(error).__name__)
        assert "\n" not in answer.failure


def test_an_interrupt_does_get_out():
    class Interrupted(GaussianNB):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answers(Interrupted())


@pytest.mark.slow
@pytest.mark.parametrize(
    "hold", [sparse.csr_array, pd.DataFrame, lambda X: pl.DataFrame(X, schema=list("abcd")), lambda X: X.tolist()]
)
def test_features_may_be_held_in_anything(hold):
    learner = LogisticRegression(max_iter=500)
    found, plain = columns(learner, hold(X)), columns(learner, X)
    assert np.array_equal(found["predicted"], plain["predicted"])
    assert found["p_setosa"] == pytest.approx(plain["p_setosa"], abs=1e-4)


@pytest.mark.parametrize("hold", [list, pd.Series, pd.Categorical, lambda y: pl.Series(y.tolist()), lambda y: y.astype(object)])
def test_targets_may_be_held_in_anything(hold):
    assert np.array_equal(columns(GaussianNB(), y=hold(Y))["predicted"], columns(GaussianNB())["predicted"])


@pytest.mark.slow
def test_labels_may_be_of_any_type():
    for y in (CODES, CODES.astype(float), CODES > 0):
        found = columns(GaussianNB(), y=y)
        assert np.array_equal(found["predicted"], cross_val_predict(GaussianNB(), X, y, cv=FOLDS))


def test_distances_given_as_a_table_are_cut_both_ways():
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    table = columns(KNeighborsClassifier(metric="precomputed"), distances)
    assert np.array_equal(
        table["predicted"], cross_val_predict(KNeighborsClassifier(metric="precomputed"), distances, Y, cv=FOLDS)
    )


def test_learners_of_numbers_are_known():
    assert predicts_numbers(Ridge())
    assert predicts_numbers(make_pipeline(StandardScaler(), Ridge()))
    assert not predicts_numbers(OneVsRestClassifier(GaussianNB()))
    assert not predicts_numbers(object())


@pytest.mark.parametrize(
    ("predict", "told"),
    [
        (lambda self, X: np.full(len(X), np.inf), "not finite"),
        (lambda self, X: np.full(len(X), "7"), "expected numbers"),
        (lambda self, X: np.zeros((len(X), 2)), "predict gave shape"),
    ],
)
def test_numbers_are_checked_too(predict, told):
    broken = type("Broken", (Ridge,), {"predict": predict})()
    assert all(told in answer.failure for answer in answers(broken, y=X[:, 0], by="5-fold"))


def test_learners_without_a_seed_get_one_that_depends_on_the_unit_alone():
    y = np.random.default_rng(0).integers(0, 2, len(X))
    job = job_of(DecisionTreeClassifier(max_features=1), X, y, "5-fold", random_state=3)
    forwards, backwards = list(serial(job, range(5))), list(serial(job, range(4, -1, -1)))[::-1]
    assert all(a.table.equals(b.table) for a, b in zip(forwards, backwards, strict=True))
    other = job_of(DecisionTreeClassifier(max_features=1), X, y, job.plan, random_state=4)
    assert not all(a.table.equals(b.table) for a, b in zip(forwards, serial(other, range(5)), strict=True))


def test_nested_seeds_are_set_and_those_given_are_kept():
    class Remembering(DecisionTreeClassifier):
        seen: ClassVar[list[int | None]] = []

        def fit(self, X, y):
            Remembering.seen.append(self.random_state)
            return super().fit(X, y)

    for learner, count in ((make_pipeline(StandardScaler(), Remembering()), 5), (Remembering(random_state=9), 1)):
        Remembering.seen.clear()
        answers(learner)
        assert len(set(Remembering.seen)) == count
        assert None not in Remembering.seen


def test_the_learner_itself_is_never_fitted():
    learner = GaussianNB()
    answers(learner)
    assert not hasattr(learner, "classes_")


class Told(GaussianNB):
    """A learner that tells parameters of its own."""

    def get_params(self, deep=True):
        return super().get_params(deep) | {"random_state": None}


@pytest.mark.parametrize(
    ("learner", "glance"),
    [
        (GaussianNB(), True),
        (DecisionTreeClassifier(random_state=3), True),
        (DecisionTreeClassifier(), False),
        (make_pipeline(DecisionTreeClassifier()), False),
        (BaggingClassifier(DecisionTreeClassifier(), random_state=1), False),
        (Told(), False),
    ],
)
def test_only_what_surely_draws_nothing_is_left_unseeded(learner, glance):
    assert has_nothing_to_seed(learner) is glance


KNOWN = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    ExtraTreesClassifier(4, random_state=1),
    RandomForestClassifier(4, random_state=1),
    LogisticRegression(),
    BernoulliNB(),
    CategoricalNB(min_categories=20),
    ComplementNB(),
    GaussianNB(),
    MultinomialNB(),
    DecisionTreeClassifier(max_depth=2, random_state=1),
    ExtraTreeClassifier(max_depth=2, random_state=1),
    make_pipeline(StandardScaler(), GaussianNB()),
]


def tied(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers of few values, each row with every class once: many probabilities are equal, or nearly so."""
    X, y = make_classification(120, n_features=4, n_informative=3, n_redundant=0, n_classes=k, random_state=k)
    X = np.clip(np.round(X * 2 + 5), 0, 12)
    return np.vstack([X, *[X[:30]] * k]), np.concatenate([y, *(np.full(30, label) for label in range(k))])


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("learner", KNOWN, ids=lambda each: type(each).__name__)
def test_they_are_what_the_learner_says(learner, k, tmp_path):
    X, y = tied(k)
    found = adjudge.estimate(learner, X, y, by="stratified-5-fold", random_state=2, progress=False)
    split = adjudge.plan("stratified-5-fold", X, y, random_state=2)
    expected = np.empty_like(y)
    for learn, judge in zip(split.train, split.test, strict=True):
        expected[judge] = clone(learner).fit(X[learn], y[learn]).predict(X[judge])
    found.run_result.save(tmp_path / "said.parquet")
    said = pd.read_parquet(tmp_path / "said.parquet").sort_values("row")
    np.testing.assert_array_equal(said["predicted"], expected)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_close_calls_are_found(k):
    p = np.random.default_rng(k).dirichlet(np.ones(k), 500)
    p[:100, 0] = p[:100].max(axis=1)
    at, close = most_probable(p)
    largest = np.sort(p, axis=1)
    np.testing.assert_array_equal(close, np.flatnonzero(largest[:, -1] - largest[:, -2] <= 1e-6))
    clear = np.setdiff1d(np.arange(500), close)
    np.testing.assert_array_equal(at[clear], p[clear].argmax(axis=1))


class Contrary(GaussianNB):
    """Decides against its own probabilities."""

    def predict(self, X):
        return self.classes_[super().predict_proba(X).argmin(axis=1)]


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Contrary(), make_pipeline(StandardScaler(), Contrary())])
def test_a_learner_with_a_rule_of_its_own_is_asked(learner):
    X, y = make_classification(200, random_state=0)
    own = adjudge.estimate(learner, X, y, random_state=0, progress=False, measures=("accuracy",))
    usual = adjudge.estimate(GaussianNB(), X, y, random_state=0, progress=False, measures=("accuracy",))
    assert own.pooled.counts.correct.sum() == pytest.approx(200 - usual.pooled.counts.correct.sum())


def test_a_method_set_on_the_learner_is_asked():
    learner = GaussianNB()
    assert decides_by_probability(learner)
    learner.predict = lambda X: np.zeros(len(X))
    assert not decides_by_probability(learner)
    assert not decides_by_probability(KNeighborsClassifier())


TARGETS = {
    "whole": (GaussianNB(), CODES),
    "small": (GaussianNB(), CODES.astype(np.int8)),
    "truth values": (GaussianNB(), CODES > 0),
    "floats": (GaussianNB(), CODES.astype(np.float32)),
    "scores": (RidgeClassifier(), CODES),
    "numbers": (Ridge(), X[:, 0]),
}


def test_a_failed_fit_on_all_rows_costs_the_resubstitution_only():
    ran = run(
        failing_job(
            FailsOn(ROWS[0, 0], seen=True),
            by=[(np.flatnonzero(ROWS[:, 0] != ROWS[0, 0]), np.flatnonzero(ROWS[:, 0] == ROWS[0, 0]))],
        )
    )
    assert list(ran.failures) == [1]
    assert ran.seen is None


def test_rounds_of_a_bootstrap_are_asked_about_all_rows_too():
    ran = run(failing_job(GaussianNB(), "bootstrap-3"))
    columns = ran.everything.source.columns
    for unit in range(3):
        fitted = GaussianNB().fit(ROWS[ran.plan.train[unit]], LABELS[ran.plan.train[unit]])
        own = np.asarray(columns["fold"]) == unit + 1
        assert np.array_equal(np.asarray(columns["predicted"])[own], fitted.predict(ROWS))
        unseen = ran.predictions.source.columns
        own = np.asarray(unseen["fold"]) == unit + 1
        assert np.array_equal(np.asarray(unseen["row"])[own], ran.plan.test[unit])
        assert np.array_equal(np.asarray(unseen["predicted"])[own], fitted.predict(ROWS[ran.plan.test[unit]]))
        expected = fitted.predict_proba(ROWS[ran.plan.test[unit]])[:, 1]
        assert np.array_equal(np.asarray(unseen["p_versicolor"])[own], expected)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("by", ["5-fold", "2x3-fold", "subsampling-3"])
def test_answers_put_together_hold_the_truth_of_their_rows_in_its_own_type(name, by):
    learner, y = TARGETS[name]
    job = job_of(learner, X, y, by, random_state=0)
    columns = run(job).predictions.source.columns
    row, truth = (np.asarray(columns[column]) for column in ("row", "truth"))
    assert np.array_equal(row, np.concatenate(job.plan.test))
    assert truth.dtype == job.y.dtype
    assert np.array_equal(truth, job.y[row])


def test_labels_that_no_column_holds_fail_in_the_unit_that_gave_them():
    y = CODES.astype(">i4")
    assert {answer.failure is None for answer in serial(job_of(GaussianNB(), X, y, "3-fold", random_state=0), range(3))} == {
        False
    }
