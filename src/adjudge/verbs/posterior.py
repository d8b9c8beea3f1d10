"""The posterior distribution of a count measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base import InputError, argument
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import tally
from adjudge.estimates.posterior import Posterior, balanced_by
from adjudge.estimates.posterior import posterior as of_counts
from adjudge.estimates.posteriors import Posteriors, posteriors
from adjudge.predictions.model import Predictions
from adjudge.predictions.read import read
from adjudge.verbs.measure import counts_of

_MANY = 3


def posterior(
    counts: Any,
    name: str = "balanced_accuracy",
    *,
    prior: Any = "jeffreys",
    weights: Any = None,
    by: Any = None,
    positive: Any = None,
    rng: Any = 0,
) -> Posterior | Posteriors:
    """Return the posterior of a count measure, or those of many tables.

    Parameters
    ----------
    counts : ConfusionCounts, table, array of tables, Predictions, or anything :func:`adjudge.read` takes
        One classifier's test cases, or the sum over folds of an algorithm's. An array tables x classes x classes gives
        :class:`Posteriors`, whose answers are arrays.
    name : str
        One of the count measures of :func:`adjudge.measures`.
    prior : (a, b), "jeffreys", "flat" or "dirichlet"
        The Beta prior of each rate: Jeffreys' (1/2, 1/2), as in reports, unless another is given. Brodersen et al. (2010)
        have the flat one. "dirichlet" puts a flat prior on each row of the table (K classes).
    weights : sequence, optional
        The weight of each class in the balanced accuracy, in the order of the classes; sum 1.
    by : column, or mapping of level -> ConfusionCounts, optional
        A further variable: the balanced accuracy is averaged over its levels as well as over the classes, so that a
        variable that goes with the class cannot flatter it. ``findings`` say when that makes a difference.
    positive : label, optional
        The class that a measure of one class speaks of.
    rng : seed
        For measures without a formula, whose posterior is drawn.

    >>> balanced = posterior([[40, 5], [8, 2]], prior="flat")
    >>> round(balanced.median, 6), round(balanced.sf(0.5), 6)
    (0.555343, 0.825992)
    >>> posterior([[[40, 5], [8, 2]], [[69, 1], [1, 69]]], prior="flat").mean.round(3)
    array([0.561, 0.972])
    """
    how: dict[str, Any] = {"prior": prior, "weights": weights, "positive": positive, "rng": rng}
    if _depth(counts) == _MANY:
        if by is not None:
            raise InputError(argument("by"), " goes with one table; ask for the posterior of each table by itself.")
        return posteriors(counts, name, **how)
    if isinstance(by, str):
        if isinstance(counts, ConfusionCounts) or _depth(counts):
            msg = f"A confusion table has no column {by!r}; pass the predictions, or "
            raise InputError(msg, argument("by"), " a mapping of level -> ConfusionCounts.")
        predictions = read(counts)
        if by not in predictions.source.names:
            msg = f"There is no column {by!r}; there are {', '.join(map(repr, predictions.source.names))}."
            raise InputError(msg, parameter="by")
        if by in (predictions.roles.truth, predictions.roles.predicted):
            msg = f"Column {by!r} is the truth or the decision itself; "
            raise InputError(msg, argument("by"), " takes a further variable.")
        roles = replace(predictions.roles, group=by)
        grouped = tally(Predictions.of(predictions.source, roles, predictions.reading, predictions.found))
        return balanced_by(grouped.confusion, grouped.by_group, name, **how)
    table = counts_of(counts)
    return balanced_by(table, by, name, **how) if by is not None else of_counts(table, name, **how)


def _depth(source: Any) -> int:
    """Return how deep tables are nested: 2 for one, 3 for many, 0 for what holds no tables."""
    try:
        return np.ndim(source) if isinstance(source, (list, tuple, np.ndarray)) else 0
    except ValueError:  # rows of different lengths
        return 1
