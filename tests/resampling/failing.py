"""Iris with its species by name, and a learner that fails where it is asked to."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris

from adjudge.resampling.run import job_of

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
