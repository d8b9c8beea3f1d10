"""One unit: a fresh learner fitted to some rows and asked about others."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from adjudge.resampling.run import job_of, run

X, CODES = load_iris(return_X_y=True)

Y = np.array(["setosa", "versicolor", "virginica"])[CODES]


class FailsOn(ClassifierMixin, BaseEstimator):
    """A learner that fails whenever a row is among those it learns from, or is not."""

    def __init__(self, row=0.0, seen=False):
        self.row, self.seen = row, seen

    def fit(self, X, y):
        if (self.row in X[:, 0]) == self.seen:
            msg = "cannot learn this"
            raise RuntimeError(msg)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), "setosa")


def job(learner, by="stratified-10-fold", y=Y):
    return job_of(learner, X, y, by, random_state=0)


def test_a_failed_fit_on_all_rows_costs_the_resubstitution_only():
    ran = run(job(FailsOn(X[0, 0], seen=True), by=[(np.flatnonzero(X[:, 0] != X[0, 0]), np.flatnonzero(X[:, 0] == X[0, 0]))]))
    assert list(ran.failures) == [1]
    assert ran.seen is None


def test_rounds_of_a_bootstrap_are_asked_about_all_rows_too():
    ran = run(job(GaussianNB(), "bootstrap-3"))
    columns = ran.everything.source.columns
    for unit in range(3):
        fitted = GaussianNB().fit(X[ran.plan.learn[unit]], Y[ran.plan.learn[unit]])
        own = np.asarray(columns["fold"]) == unit + 1
        assert np.array_equal(np.asarray(columns["predicted"])[own], fitted.predict(X))
        unseen = ran.predictions.source.columns
        own = np.asarray(unseen["fold"]) == unit + 1
        assert np.array_equal(np.asarray(unseen["row"])[own], ran.plan.judge[unit])
        assert np.array_equal(np.asarray(unseen["predicted"])[own], fitted.predict(X[ran.plan.judge[unit]]))
        expected = fitted.predict_proba(X[ran.plan.judge[unit]])[:, 1]
        assert np.array_equal(np.asarray(unseen["p_versicolor"])[own], expected)
