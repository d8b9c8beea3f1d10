"""Probabilities of cases by models that did not learn from them, and the weights those models are given."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from adjudge import InputError
from adjudge.corrections.estimators import CostClassifier, MultiplierClassifier
from adjudge.corrections.multipliers import fit_multipliers
from adjudge.corrections.wrapping import out_of_fold


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(180, 5, n_informative=3, n_redundant=0, n_classes=3, class_sep=0.7, flip_y=0.1, random_state=4)
    return X.round(3), np.array(["a", "b", "c"])[y]


def test_a_case_tested_twice_counts_twice(data):
    X, y = data
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    found = MultiplierClassifier(GaussianNB(), cv=cv).fit(X, y)
    rows = [(test, GaussianNB().fit(X[train], y[train]).predict_proba(X[test])) for train, test in cv.split(X, y)]
    wanted = fit_multipliers(
        np.concatenate([y[test] for test, _ in rows]), np.concatenate([p for _, p in rows]), classes=["a", "b", "c"]
    )
    assert found.multipliers_.multipliers == pytest.approx(wanted.multipliers, rel=1e-12)
    assert found.multipliers_.errors == wanted.errors


@pytest.mark.slow
def test_folds_are_learnt_with_the_labels_as_they_are(data):
    X, y = data
    inner = LogisticRegression(class_weight={"a": 1, "b": 5, "c": 2})
    found = MultiplierClassifier(inner, cv=3).fit(X, y)
    weights = np.array([{"a": 1, "b": 5, "c": 2}[label] for label in y])
    apart = cross_val_predict(LogisticRegression(), X, y, cv=3, method="predict_proba", params={"sample_weight": weights})
    assert found.multipliers_.multipliers == pytest.approx(
        fit_multipliers(y, apart, classes=["a", "b", "c"]).multipliers, rel=1e-4
    )


def test_a_class_missing_from_a_fold_has_no_probability_there():
    X, y = np.array([0.0, 1, 2, 3, 5, 6, 8, 9])[:, None], np.array(["a", "a", "b", "b", "c", "c", "b", "c"])
    splits = [(np.arange(2, 8), np.array([1, 0])), (np.arange(8), np.arange(8) == 3)]
    with pytest.warns(UserWarning, match="did not learn 'a'"):
        rows, p = out_of_fold(GaussianNB(), X, y, cv=splits, weight=None)
    assert rows.tolist() == [0, 1, 3]
    assert p[:2, 0].tolist() == [0, 0]
    assert (p[:2, 1:] == GaussianNB().fit(X[2:], y[2:]).predict_proba(X[:2])).all()
    assert (p[2] == GaussianNB().fit(X, y).predict_proba(X[3:4])[0]).all()


def test_too_few_cases_for_the_folds_are_refused(data):
    X, y = data
    rows = np.r_[np.flatnonzero(y == "a"), np.flatnonzero(y == "b"), np.flatnonzero(y == "c")[:2]]
    with pytest.raises(InputError, match=r"cv=5 .*5 cases .*class 'c' .*2"):
        MultiplierClassifier().fit(X[rows], y[rows])
    with pytest.raises(InputError, match=r"^y has 1 class"):
        CostClassifier().fit(X, ["a"] * len(y))


def test_weights_reach_the_last_step_of_a_pipeline(data):
    X, y = data
    weights = np.random.default_rng(2).uniform(0.1, 3, len(y))
    found = CostClassifier(make_pipeline(StandardScaler(), GaussianNB())).fit(X, y, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    assert found.predict_proba(X) == pytest.approx(GaussianNB().fit(scaled, y, sample_weight=weights).predict_proba(scaled))
