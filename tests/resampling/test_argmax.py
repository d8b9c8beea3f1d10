"""Decisions read off probabilities are the ones the learner gives when asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import adjudge
from adjudge.resampling.learner import decides_by_probability, most_probable

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


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("learner", KNOWN, ids=lambda each: type(each).__name__)
def test_they_are_what_the_learner_says(learner, k, tmp_path):
    X, y = tied(k)
    found = adjudge.estimate(learner, X, y, by="stratified-5-fold", random_state=2, progress=False)
    split = adjudge.plan("stratified-5-fold", X, y, random_state=2)
    expected = np.empty_like(y)
    for learn, judge in zip(split.learn, split.judge, strict=True):
        expected[judge] = clone(learner).fit(X[learn], y[learn]).predict(X[judge])
    found.ran.save(tmp_path / "said.parquet")
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
