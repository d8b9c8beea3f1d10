"""The public verbs. Each reads as the walk of the data, top to bottom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.counts.confusion import ConfusionCounts, as_counts
from adjudge.counts.counting import count_confusion, count_numbers, tally
from adjudge.counts.exact import check_exact
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.paired import PairCounts
from adjudge.counts.result import Counts, count_all, is_counts, load_counts
from adjudge.counts.tally import Tally
from adjudge.estimates.areas import METHODS, METHODS_OF_MEAN
from adjudge.estimates.estimate import Interval
from adjudge.estimates.intervals import count_interval, offered
from adjudge.estimates.posterior import Posterior, balanced_by
from adjudge.estimates.posterior import posterior as of_counts
from adjudge.estimates.posteriors import Posteriors, posteriors
from adjudge.estimates.scored import score_interval
from adjudge.judgements.evaluation import Evaluation, Origin, judge, judge_numbers
from adjudge.judgements.findings import of_folds, of_repeats
from adjudge.judgements.overfitting import with_training
from adjudge.judgements.thresholds import Thresholds
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
_OF_ROWS = ("A108", "A109", "A111")
"""Findings that say which rows were judged, by which columns and of which class."""


def evaluate(
    source: Any, *, level: Any = 0.95, interval: str = "default", prior: Any = "jeffreys", exact: bool = False, **roles: Any
) -> Evaluation:
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
    exact : bool
        Whether to rank all scores of a file that has more than are kept, for its exact AUC. Without it such an AUC is that of
        bins, printed with how far it can be off; everything else is exact already.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.
    """
    level = checked_level(level)
    _check_method(interval)
    how = {"level": level, "method": interval, "prior": prior}
    if isinstance(source, ConfusionCounts):
        return judge(_tally_of(source, **roles), Origin("confusion table", round(source.n)), **how)
    if isinstance(source, (Counts, PairCounts)) or is_counts(source):
        return _of_counted(load_counts(source) if is_counts(source) else source, how, exact=exact, **roles)
    whole = read(source, **roles)
    predictions = without_duplicates(whole)
    origin = _origin(predictions)
    repeats = answers_per_case(predictions)
    if are_numbers(predictions):
        counts = count_numbers(predictions)
        found = (*predictions.found, *of_repeats(repeats, counts.n))
        return judge_numbers(counts, replace(origin, rows=counts.n), level=level, repeats=repeats, found=found)
    counted = tally(predictions, exact=exact, ranking=True)
    found = (*predictions.found, *of_repeats(repeats, counted.rows), *of_folds(counted.by_fold))
    evaluation = judge(counted, replace(origin, rows=counted.rows), **how, repeats=repeats, found=found)
    return evaluation if whole.training is None else with_training(evaluation, whole.training)


def count(source: Any, **roles: Any) -> Counts:
    """Count predictions: all that a verdict needs, as sums that add up, and none of the cases.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions
        Anything :func:`adjudge.read` takes.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.

    >>> part = count({"truth": [0, 1, 1], "predicted": [0, 1, 0]})
    >>> (part + count({"truth": [1, 0], "predicted": [1, 1]})).tally.confusion.cells
    array([[1, 1],
           [1, 2]])
    """
    predictions = without_duplicates(read(source, **roles))
    origin, repeats = _origin(predictions), answers_per_case(predictions)
    prints = () if origin.fingerprint is None else (origin.fingerprint,)
    how: dict[str, Any] = {"roles": origin.roles, "threshold": origin.threshold, "duplicates": origin.duplicates}
    return Counts(count_all(predictions), str(origin.name), prints, found=tuple(predictions.found), repeats=repeats, **how)


def _of_counted(source: Counts | PairCounts, how: dict[str, Any], *, exact: bool, **roles: Any) -> Evaluation:
    if isinstance(source, PairCounts):
        msg = f"These are counts of what {source.name} said of the same cases: compare them (adjudge compare FILE.counts)."
        raise InputError(msg)
    given = [name for name, value in roles.items() if value is not None]
    if given:
        msg = f"Counts have no columns any more: {', '.join(given)} was settled when they were counted. Leave it out."
        raise InputError(msg)
    fingerprint = ", ".join(source.fingerprints) or None
    origin = Origin(source.name, source.rows, fingerprint, source.roles, source.threshold, source.duplicates)
    found = (*source.found, *of_repeats(source.repeats, source.rows))
    if isinstance(source.tally, NumberCounts):
        return judge_numbers(source.tally, origin, level=how["level"], repeats=source.repeats, found=found)
    if exact:
        check_exact(source.tally.scores)
    found = (*found, *of_folds(source.tally.by_fold))
    return judge(source.tally, origin, **how, repeats=source.repeats, found=found)


def thresholds(source: Any, *, positive: Any = None, level: Any = 0.95, **roles: Any) -> Thresholds:
    """Return what every threshold on the score of a class does, and which one costs least.

    Parameters
    ----------
    source : Evaluation, Predictions, Counts, or anything :func:`adjudge.evaluate` takes
        With scores of at least one class: probabilities, votes, logits or plain scores.
    positive : label, optional
        The class of interest; the positive one where it is known, else the rarest.
    level : float
        That of the limits, and of the band of the ROC curve; of an Evaluation its own.
    **roles
        As for :func:`adjudge.evaluate`.

    >>> from adjudge import Predictions
    >>> found = thresholds(Predictions([0, 0, 1, 0, 1, 1], scores=[0.1, 0.2, 0.3, 0.6, 0.7, 0.8], positive=1))
    >>> point = found.at(0.5, prevalence=0.1)
    >>> point.found, point.alarms, round(point.ppv.value, 3)
    (2, 1, 0.182)
    >>> found.least_cost(miss_cost=5).threshold
    0.3
    """
    if isinstance(source, Evaluation):
        given = source
    else:
        settled = isinstance(source, (Predictions, Counts)) or is_counts(source)
        asked = roles if settled else roles | {"positive": positive}
        given = evaluate(source, level=level, **{name: value for name, value in asked.items() if value is not None})
    found = given.thresholds
    if found is None:
        msg = wording(
            (
                "Thresholds need the scores of a class, and cases of it and of others; "
                f"{'there are none' if given.numbers is None else 'numbers were predicted'}. Name score columns with "
            ),
            argument("scores"),
            ".",
        )
        raise InputError(msg)
    remarks = tuple(finding for finding in given.findings if finding.code in _OF_ROWS)
    found = replace(found, origin=(given.origin.name, given.origin.rows, given.origin.fingerprint), findings=remarks)
    return found if positive is None else found.about(positive)


def _check_method(name: str) -> None:
    counting = [method for m in ON_COUNTS for average in (None, "macro") for method in offered(m, average)]
    known = dict.fromkeys([*counting, *METHODS, *METHODS_OF_MEAN])
    if name != "default" and name not in known:
        msg = f"There is no {name!r} interval. Methods are: default, {', '.join(known)}."
        raise InputError(msg)


def _origin(predictions: Predictions) -> Origin:
    source, reading = predictions.source, predictions.reading
    known = Origin(source.name, 0, source.fingerprint(), predictions.roles)
    return replace(known, threshold=reading.threshold, duplicates=reading.duplicates)


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

    >>> found = posterior([[40, 5], [8, 2]], prior="flat")
    >>> round(found.median, 6), round(found.sf(0.5), 6)
    (0.555343, 0.825992)
    >>> posterior([[[40, 5], [8, 2]], [[69, 1], [1, 69]]], prior="flat").mean.round(3)
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
    return count_confusion(_read(source))


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
        Jeffreys on the Jaccard index for F1, mid-P on that and on the share of misses for F-beta, the extremes over the limits
        of recalls and prevalence for MCC and kappa of two classes, Wilson for as many cases as a measure is worth for those of
        more classes and for macro averages, the hull of Newcombe and logit DeLong for the AUC (their MOVER for its mean over
        classes), t on the logarithm or the logit for losses. Others: midp, clopper-pearson, wilson, jeffreys, wald,
        tail-inversion, mover-jeffreys, unbiased-centre, region-midp, region-tail-inversion, f1-tail-inversion,
        fbeta-tail-inversion, effective-wilson, effective-tail-inversion, posterior, bootstrap, bca; delong, logit-delong,
        newcombe.
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
    counted = count_numbers(predictions) if find(name).needs == "numbers" else tally(predictions, ranking=True)
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
    counted = tally(predictions, ranking=True)
    classes = counted.confusion.classes
    if average is not None:
        if average not in ("macro", "weighted", "hand-till"):
            msg = f"average must be 'macro', 'weighted' or 'hand-till' for {found.name}, got {average!r}."
            raise InputError(msg)
        return on_scores.averaged(found, counted, average)
    if found.needs == "probabilities":
        return on_scores.of_class(found, counted, position(classes, positive)) if positive is not None else found.of(counted)
    if positive is None and len(classes) > _TWO and counted.positive is None:
        return on_scores.averaged(found, counted, "macro")
    at = counted.of_interest if found.name == "auc" else counted.positive
    if positive is None and at is not None:
        return on_scores.of_class(found, counted, at)
    at = settle_positive(classes, positive, counts=counted.confusion.support.tolist(), what=found.name)
    return on_scores.of_class(found, counted, at)
