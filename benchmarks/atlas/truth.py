"""Population values: measures of a table of probabilities, and of binormal scores, by formula or quadrature.

Nothing here comes from adjudge. On tables of counts the conventions are scikit-learn's (a ratio of nothing is 0, the MCC of a
constant is 0), because the same formulas serve the bootstrap loop that people write around scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, ndtr, ndtri, roots_hermitenorm

Array = NDArray[np.float64]
BETA = 2.0
"""The weight of recall in fbeta."""
_NODES, _WEIGHTS = roots_hermitenorm(201)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def two_classes(prevalence: float, sensitivity: float, specificity: float) -> Array:
    """Return the probability of each cell; rows are true classes, the positive one second."""
    return np.array(
        [
            [(1 - prevalence) * specificity, (1 - prevalence) * (1 - specificity)],
            [prevalence * (1 - sensitivity), prevalence * sensitivity],
        ]
    )


def many_classes(prevalences: Array, recalls: Array) -> Array:
    """Return the probability of each cell where the errors of a class spread evenly over the others."""
    k = prevalences.size
    table = np.repeat(((1 - recalls) / (k - 1))[:, None], k, axis=1)
    np.fill_diagonal(table, recalls)
    return prevalences[:, None] * table


def value(name: str, table: Array) -> float:
    """Return a measure of one table of probabilities."""
    return float(values(name, table[None])[0])


def values(name: str, tables: Array) -> Array:
    """Return a measure of each of many tables, with scikit-learn's conventions where it is undefined."""
    return _OF_TABLES[name](np.asarray(tables, dtype=float))


def ratio(numerator: Array, denominator: Array) -> Array:
    """Return the ratio, 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros(np.shape(numerator)), where=denominator > 0)


def _accuracy(t: Array) -> Array:
    return ratio(np.trace(t, axis1=1, axis2=2), t.sum((1, 2)))


def _balanced_accuracy(t: Array) -> Array:
    """Return the mean recall of the classes that have a case."""
    return ratio(ratio(np.diagonal(t, axis1=1, axis2=2), t.sum(2)).sum(1), (t.sum(2) > 0).sum(1))


def _f(t: Array, beta: float) -> Array:
    """Return F-beta of every class."""
    right, true, assigned = np.diagonal(t, axis1=1, axis2=2), t.sum(2), t.sum(1)
    return ratio((1 + beta**2) * right, beta**2 * true + assigned)


def _macro(of_classes: Array, t: Array) -> Array:
    """Return the mean over the labels that occur in the truth or among the decisions, as scikit-learn does."""
    occurs = t.sum(1) + t.sum(2) > 0
    return ratio(np.where(occurs, of_classes, 0).sum(1), occurs.sum(1))


def _agreement(t: Array) -> tuple[Array, Array, Array, Array]:
    """Return n c - sum t_k p_k, and the sums of squares of the margins and of their products."""
    n, true, assigned = t.sum((1, 2)), t.sum(2), t.sum(1)
    product = (true * assigned).sum(1)
    return n * np.trace(t, axis1=1, axis2=2) - product, n**2 - (true**2).sum(1), n**2 - (assigned**2).sum(1), n**2 - product


def _mcc(t: Array) -> Array:
    above, true, assigned, _ = _agreement(t)
    return ratio(above, np.sqrt(np.maximum(true * assigned, 0)))


def _kappa(t: Array) -> Array:
    above, _, _, below = _agreement(t)
    return ratio(above, below)


_OF_TABLES: dict[str, Callable[[Array], Array]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "sensitivity": lambda t: ratio(t[:, 1, 1], t[:, 1].sum(1)),
    "specificity": lambda t: ratio(t[:, 0, 0], t[:, 0].sum(1)),
    "precision": lambda t: ratio(t[:, 1, 1], t[:, :, 1].sum(1)),
    "npv": lambda t: ratio(t[:, 0, 0], t[:, :, 0].sum(1)),
    "f1": lambda t: _f(t, 1.0)[:, 1],
    "fbeta": lambda t: _f(t, BETA)[:, 1],
    "jaccard": lambda t: ratio(t[:, 1, 1], t[:, 1].sum(1) + t[:, 0, 1]),
    "g_mean": lambda t: ratio(np.diagonal(t, axis1=1, axis2=2), t.sum(2)).prod(1) ** (1 / t.shape[1]),
    "mcc": _mcc,
    "kappa": _kappa,
    "macro_f1": lambda t: _macro(_f(t, 1.0), t),
    "macro_precision": lambda t: _macro(ratio(np.diagonal(t, axis1=1, axis2=2), t.sum(1)), t),
}
OF_TWO = tuple(name for name in _OF_TABLES if not name.startswith("macro"))
OF_MANY = ("accuracy", "balanced_accuracy", "macro_precision", "macro_f1", "g_mean", "mcc", "kappa")


def shift(auc: float) -> float:
    """Return how far apart the means of two normal scores with variance 1 lie, for an area under the ROC curve."""
    return float(np.sqrt(2) * ndtri(auc))


def logits(scores: Array, prevalence: float, d: float, sharpening: float = 1.0) -> Array:
    """Return the log odds that a binormal score gives by Bayes' theorem; above 1, `sharpening` makes them overconfident."""
    return sharpening * (np.log(prevalence / (1 - prevalence)) + d * scores - d**2 / 2)


def average_precision(prevalence: float, d: float) -> float:
    """Return the mean precision at the scores of positive cases."""
    above_p, above_n = prevalence * ndtr(-_NODES), (1 - prevalence) * ndtr(-_NODES - d)
    return float(_WEIGHTS @ (above_p / (above_p + above_n)))


def losses(prevalence: float, d: float, sharpening: float = 1.0) -> dict[str, float]:
    """Return the expected Brier score and log loss of the probabilities of binormal scores."""
    positive, negative = (logits(_NODES + at, prevalence, d, sharpening) for at in (d, 0.0))
    of_positive, of_negative = prevalence * _WEIGHTS, (1 - prevalence) * _WEIGHTS
    return {
        "brier": float(of_positive @ expit(-positive) ** 2 + of_negative @ expit(negative) ** 2),
        "log_loss": float(-(of_positive @ log_expit(positive)) - of_negative @ log_expit(-negative)),
    }


def many_losses(prevalences: Array, d: float, nodes: int = 48) -> dict[str, float]:
    """Return the expected Brier score and log loss of three classes whose own score is shifted by `d`."""
    x, w = roots_hermitenorm(nodes)
    grid = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    weight = np.einsum("i,j,k->ijk", w, w, w).ravel() / w.sum() ** 3
    brier = log_loss = 0.0
    for k, share in enumerate(prevalences):
        p = softmax(many_logits(grid + d * np.eye(3)[k], prevalences, d))
        brier += share * (weight @ ((p - np.eye(3)[k]) ** 2).sum(1))
        log_loss -= share * (weight @ np.log(p[:, k]))
    return {"brier": float(brier), "log_loss": float(log_loss)}


def many_logits(scores: Array, prevalences: Array, d: float) -> Array:
    """Return the log probabilities, up to a constant, of classes with independent normal scores."""
    return np.log(prevalences) + d * scores


def softmax(x: Array) -> Array:
    """Return probabilities from log odds."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
