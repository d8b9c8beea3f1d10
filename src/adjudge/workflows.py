"""The public verbs. Each reads as the walk of the data, top to bottom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.counts.confusion import ConfusionCounts, as_counts
from adjudge.counts.numbers import count_numbers
from adjudge.counts.tally import Tally, count, tally
from adjudge.estimates.areas import METHODS, METHODS_OF_MEAN
from adjudge.estimates.estimate import Interval
from adjudge.estimates.intervals import count_interval, offered
from adjudge.estimates.posterior import Posterior, balanced_by
from adjudge.estimates.posterior import posterior as of_counts
from adjudge.estimates.posteriors import Posteriors, posteriors
from adjudge.estimates.scored import score_interval
from adjudge.judgements.evaluation import Evaluation, Origin, judge, judge_numbers, of_repeats
from adjudge.metrics import averages, on_scores
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.metrics.on_counts import ON_COUNTS
from adjudge.predictions.duplicates import answers_per_case, without_duplicates
from adjudge.predictions.model import Predictions
from adjudge.predictions.numbers import are_numbers
from adjudge.predictions.positive import means_positive, position, settle_positive
from adjudge.predictions.read import read

_TWO = 2
_MANY = 3


def evaluate(source: Any, *, level: Any = 0.95, interval: str = "default", prior: Any = "jeffreys", **roles: Any) -> Evaluation:
    """Judge one set of predictions.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions, or ConfusionCounts
        Anything :func:`adjudge.read` takes, or a confusion table.
    level : float
        How often the intervals shall hold the truth.
    interval : str
        A method of :func:`adjudge.interval` for every measure it fits; the others keep their default.
    prior : (a, b), "jeffreys", "flat" or "dirichlet"
        That of the posteriors of accuracy and balanced accuracy, as for :func:`adjudge.posterior`.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.
    """
    level = checked_level(level)
    _check_method(interval)
    how = {"level": level, "method": interval, "prior": prior}
    if isinstance(source, ConfusionCounts):
        return judge(_tally_of(source, **roles), Origin("confusion table", round(source.n)), **how)
    predictions = without_duplicates(read(source, **roles))
    origin = Origin(predictions.source.name, 0, predictions.source.fingerprint(), predictions.roles)
    repeats = answers_per_case(predictions)
    if are_numbers(predictions):
        counts = count_numbers(predictions)
        found = (*predictions.found, *of_repeats(repeats, counts.n))
        return judge_numbers(counts, _with_rows(origin, counts.n), level=level, repeats=repeats, found=found)
    counted = tally(predictions)
    found = (*predictions.found, *of_repeats(repeats, counted.rows))
    return judge(counted, _with_rows(origin, counted.rows), **how, repeats=repeats, found=found)


def _check_method(name: str) -> None:
    counting = [method for m in ON_COUNTS for average in (None, "macro") for method in offered(m, average)]
    known = dict.fromkeys([*counting, *METHODS, *METHODS_OF_MEAN])
    if name != "default" and name not in known:
        msg = f"There is no {name!r} interval. Methods are: default, {', '.join(known)}."
        raise InputError(msg)


def _with_rows(origin: Origin, rows: int) -> Origin:
    return Origin(origin.name, rows, origin.fingerprint, origin.roles)


def _tally_of(counts: ConfusionCounts, *, positive: Any = None, **other: Any) -> Tally:
    if other or not counts.n:
        msg = (
            f"A confusion table has no {', '.join(other)}; only positive= applies to it."
            if other
            else "The confusion table counts no case."
        )
        raise InputError(msg)
    classes = counts.classes
    known = (label for label in (positive, counts.positive, means_positive(classes)) if label is not None)
    label = next(known, None)
    return Tally(counts, round(counts.n), positive=None if label is None else position(classes, label))


def measure(
    counts_or_predictions: Any, name: str, *, positive: Any = None, average: str | None = None, beta: float = 1.0
) -> float:
    """Return one measure; where it has no value, NaN that carries the reason.

    Parameters
    ----------
    counts_or_predictions : ConfusionCounts, Predictions, or anything :func:`adjudge.read` takes
    name : str
        One of :func:`adjudge.measures`, or an alias.
    positive : label, optional
        The class that measures of one class speak of; other measures are then of this class against the rest.
    average : {"macro", "micro", "weighted", "hand-till"}, optional
        Average over the classes that have a case (micro: over decisions; hand-till: AUC over pairs of classes).
    beta : float
        The weight of recall in ``fbeta``.

    >>> from adjudge import ConfusionCounts
    >>> measure(ConfusionCounts([[40, 5], [8, 2]]), "balanced_accuracy")
    0.5444444444444444
    """
    found = find(name)
    if found.needs == "decisions":
        counts = _counts(counts_or_predictions)
        positive = positive if positive is not None or average is not None else _own_positive(counts_or_predictions, found)
        knobs = {"beta": _checked_beta(beta)} if found.name == "fbeta" else {}
        return averages.value(found, counts, positive=positive, average=average, **knobs)
    if isinstance(counts_or_predictions, ConfusionCounts):
        msg = f"{found.name} needs {found.needs}, which a confusion table does not hold; pass Predictions."
        raise InputError(msg)
    assert isinstance(found, OtherMeasure)
    if found.needs == "numbers":
        loss: float = found.of(count_numbers(_read(counts_or_predictions)))
        return loss
    return _of_scores(found, _read(counts_or_predictions), positive, average)


def posterior(
    counts: Any,
    name: str = "balanced_accuracy",
    *,
    prior: Any = (1, 1),
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
    prior : (a, b), "flat", "jeffreys" or "dirichlet"
        The Beta prior of each rate; "dirichlet" puts a flat prior on each row of the table (K classes).
    weights : sequence, optional
        The weight of each class in the balanced accuracy, in the order of the classes; sum 1.
    by : column, or mapping of level -> ConfusionCounts, optional
        A further variable: the balanced accuracy is averaged over its levels as well as over the classes, so that a
        variable that goes with the class cannot flatter it. ``findings`` say when that makes a difference.
    positive : label, optional
        The class that a measure of one class speaks of.
    rng : seed
        For measures without a formula, whose posterior is drawn.

    >>> found = posterior([[40, 5], [8, 2]])
    >>> round(found.median, 6), round(found.sf(0.5), 6)
    (0.555343, 0.825992)
    >>> posterior([[[40, 5], [8, 2]], [[69, 1], [1, 69]]]).mean.round(3)
    array([0.561, 0.972])
    """
    how: dict[str, Any] = {"prior": prior, "weights": weights, "positive": positive, "rng": rng}
    if _depth(counts) == _MANY:
        if by is not None:
            msg = "by= goes with one table; ask for the posterior of each table by itself."
            raise InputError(msg)
        return posteriors(counts, name, **how)
    if isinstance(by, str):
        grouped = _grouped(counts, by)
        return balanced_by(grouped.confusion, grouped.by_group, name, **how)
    found = _counts(counts)
    return balanced_by(found, by, name, **how) if by is not None else of_counts(found, name, **how)


def _depth(source: Any) -> int:
    """Return how deep tables are nested: 2 for one, 3 for many, 0 for what holds no tables."""
    try:
        return np.ndim(source) if isinstance(source, (list, tuple, np.ndarray)) else 0
    except ValueError:  # rows of different lengths
        return 1


def _counts(source: Any) -> ConfusionCounts:
    """Return the table of whatever holds one."""
    if isinstance(source, (ConfusionCounts, list, tuple, np.ndarray)):
        return as_counts(source)
    return count(_read(source))


def _grouped(source: Any, column: str) -> Tally:
    """Count predictions with one column as the group."""
    if isinstance(source, ConfusionCounts) or _depth(source):
        msg = f"A confusion table has no column {column!r}; pass the predictions, or by= a mapping of level -> ConfusionCounts."
        raise InputError(msg)
    predictions = _read(source)
    if column not in predictions.source.names:
        msg = f"There is no column {column!r}; there are {', '.join(map(repr, predictions.source.names))}."
        raise InputError(msg)
    if column in (predictions.roles.truth, predictions.roles.predicted):
        msg = f"Column {column!r} is the truth or the decision itself; by= takes a further variable."
        raise InputError(msg)
    return tally(
        Predictions.of(predictions.source, replace(predictions.roles, group=column), predictions.reading, predictions.found)
    )


def interval(
    counts_or_predictions: Any,
    name: str,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: Any = None,
    average: str | None = None,
    beta: float = 1.0,
    rng: Any = 0,
) -> Interval:
    """Return the interval of a measure.

    Parameters
    ----------
    counts_or_predictions : ConfusionCounts, Predictions, or anything :func:`adjudge.read` takes
    name : str
        One of :func:`adjudge.measures`; the calibration error and the relative squared error have no interval.
    level : float
        How often such limits hold the truth.
    method : str
        "default" is the one found to cover: mid-P for shares, MOVER-Jeffreys or an unbiased centre for the balanced accuracy,
        Jeffreys on the Jaccard index for F1, Wilson for as many cases as a measure is worth for MCC, kappa and macro averages,
        the hull of Newcombe and logit DeLong for the AUC (their MOVER for its mean over classes), t on the logarithm or the
        logit for losses. Others: midp, clopper-pearson, wilson, jeffreys, wald, tail-inversion, mover-jeffreys,
        unbiased-centre, effective-wilson, posterior, bootstrap, bca; delong, logit-delong, newcombe.
    positive, average, beta
        As for :func:`adjudge.measure`.
    rng : seed
        For methods that resample.

    >>> from adjudge import ConfusionCounts
    >>> limits = interval(ConfusionCounts([[40, 5], [8, 2]]), "balanced_accuracy")
    >>> round(limits.low, 3), round(limits.high, 3), limits.method
    (0.447, 0.7, 'mover-jeffreys')
    """
    level = checked_level(level)
    if find(name).needs == "decisions":
        counts = _counts(counts_or_predictions)
        positive = positive if positive is not None or average is not None else _own_positive(counts_or_predictions, find(name))
        return count_interval(counts, name, level=level, method=method, positive=positive, average=average, beta=beta, rng=rng)
    if isinstance(counts_or_predictions, ConfusionCounts):
        msg = f"{find(name).name} needs {find(name).needs}, which a confusion table does not hold; pass Predictions."
        raise InputError(msg)
    predictions = _read(counts_or_predictions)
    counted = count_numbers(predictions) if find(name).needs == "numbers" else tally(predictions)
    return score_interval(counted, name, level=level, method=method, positive=positive, average=average, rng=rng)


def _read(source: Any) -> Predictions:
    return read(source)


def _own_positive(source: Any, found: Measure) -> Any:
    return source.reading.positive if isinstance(source, Predictions) and isinstance(found, ClassMeasure) else None


def _checked_beta(beta: float) -> float:
    if not 0 < beta < float("inf"):
        msg = f"beta must be a finite number above 0, got {beta}."
        raise InputError(msg)
    return beta


def _of_scores(found: OtherMeasure, predictions: Predictions, positive: Any, average: str | None) -> float:
    counted = tally(predictions)
    classes = counted.confusion.classes
    if average is not None:
        if average not in ("macro", "weighted", "hand-till"):
            msg = f"average must be 'macro', 'weighted' or 'hand-till' for {found.name}, got {average!r}."
            raise InputError(msg)
        return on_scores.averaged(found, counted, average)
    if found.needs == "probabilities":
        return on_scores.of_class(found, counted, position(classes, positive)) if positive is not None else found.of(counted)
    if positive is None and counted.positive is not None:
        return on_scores.of_class(found, counted, counted.positive)
    if positive is None and len(classes) > _TWO:
        return on_scores.averaged(found, counted, "macro")
    if positive is None and found.name == "auc" and counted.scores is not None:
        return on_scores.of_class(found, counted, counted.scores.columns[-1])
    at = settle_positive(classes, positive, counts=counted.confusion.support.tolist(), what=found.name)
    return on_scores.of_class(found, counted, at)
