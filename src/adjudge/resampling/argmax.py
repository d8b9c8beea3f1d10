"""Decisions that follow from probabilities, for learners that are known to decide so.

Many of scikit-learn's classifiers decide for the class of the largest probability, and work out the same numbers
anew when they are asked for decisions after probabilities. Their decisions are read off the probabilities, and they
are asked only about the cases that are too close to call: two probabilities may be equal where what they were made
from is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray

_CLOSE = 1e-6  # far above the rounding of probabilities, far below what more than a few cases share
_TWO = 2
_KNOWN = frozenset(
    {
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
        "sklearn.ensemble._forest.ExtraTreesClassifier",
        "sklearn.ensemble._forest.RandomForestClassifier",
        "sklearn.linear_model._logistic.LogisticRegression",
        "sklearn.naive_bayes.BernoulliNB",
        "sklearn.naive_bayes.CategoricalNB",
        "sklearn.naive_bayes.ComplementNB",
        "sklearn.naive_bayes.GaussianNB",
        "sklearn.naive_bayes.MultinomialNB",
        "sklearn.tree._classes.DecisionTreeClassifier",
        "sklearn.tree._classes.ExtraTreeClassifier",
    }
)


def decides_by_probability(fitted: Any) -> bool:
    """Say whether a learner, or the last step of a pipeline, is known to choose the most probable class.

    A subclass or an instance with a method of its own may choose otherwise, and is asked.
    """
    if _name(fitted) == "sklearn.pipeline.Pipeline" and not _changed(fitted):
        return decides_by_probability(fitted.steps[-1][1])
    return _name(fitted) in _KNOWN and not _changed(fitted)


def _name(fitted: Any) -> str:
    return f"{type(fitted).__module__}.{type(fitted).__qualname__}"


def _changed(fitted: Any) -> bool:
    return bool({"predict", "predict_proba"} & vars(fitted).keys())


def most_probable(p: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the column of the largest probability of each case, and the cases too close to call."""
    if p.shape[1] == _TWO:
        lead = p[:, 1] - p[:, 0]
        return np.asarray(lead > 0, dtype=np.intp), np.flatnonzero(np.abs(lead) <= _CLOSE)
    upper = np.partition(p, -_TWO, axis=1)
    return p.argmax(axis=1), np.flatnonzero(upper[:, -1] - upper[:, -_TWO] <= _CLOSE)
