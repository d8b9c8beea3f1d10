"""The public verbs. Each reads as the walk of the data, top to bottom."""

from __future__ import annotations

from typing import Any

from adjudge._base.errors import InputError
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.numbers import count_numbers
from adjudge.counts.tally import Tally, count, tally
from adjudge.estimates.estimate import Interval
from adjudge.estimates.intervals import area_interval, count_interval
from adjudge.judgements.evaluation import Evaluation, Origin, judge, judge_numbers
from adjudge.metrics import averages, on_scores
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.model import Predictions
from adjudge.predictions.numbers import are_numbers
from adjudge.predictions.positive import means_positive, position, settle_positive
from adjudge.predictions.read import read

_TWO = 2


def evaluate(source: Any, *, level: Any = 0.95, **roles: Any) -> Evaluation:
    """Judge one set of predictions.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions, or ConfusionCounts
        Anything :func:`adjudge.read` takes, or a confusion table.
    level : float
        How often the intervals shall hold the truth.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.
    """
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        msg = f"level must lie strictly between 0 and 1, got {level}. 95% is 0.95."
        raise InputError(msg)
    if isinstance(source, ConfusionCounts):
        return judge(_tally_of(source, **roles), Origin("confusion table", round(source.n)), level=level)
    predictions = without_duplicates(read(source, **roles))
    origin = Origin(predictions.source.name, 0, predictions.source.fingerprint(), predictions.roles)
    if are_numbers(predictions):
        counts = count_numbers(predictions)
        return judge_numbers(counts, _with_rows(origin, counts.n), found=predictions.found)
    counted = tally(predictions)
    return judge(counted, _with_rows(origin, counted.rows), level=level, found=predictions.found)


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
        counts = (
            counts_or_predictions if isinstance(counts_or_predictions, ConfusionCounts) else count(_read(counts_or_predictions))
        )
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


def interval(
    counts_or_predictions: Any,
    name: str,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: Any = None,
    average: str | None = None,
    rng: Any = 0,
) -> Interval:
    """Return the interval of a measure.

    Parameters
    ----------
    counts_or_predictions : ConfusionCounts, Predictions, or anything :func:`adjudge.read` takes
    name : str
        A count measure of :func:`adjudge.measures`, or "auc".
    level : float
        How often such limits hold the truth.
    method : str
        "default" is the one found to cover: mid-P for shares, MOVER-Jeffreys or an unbiased centre for the balanced accuracy,
        Jeffreys on the Jaccard index for F1, the hull of Newcombe and logit DeLong for the AUC. Others: midp, clopper-pearson,
        wilson, jeffreys, wald, posterior, bootstrap, bca; delong, logit-delong, newcombe.
    positive, average
        As for :func:`adjudge.measure`.
    rng : seed
        For methods that resample.

    >>> from adjudge import ConfusionCounts
    >>> limits = interval(ConfusionCounts([[40, 5], [8, 2]]), "balanced_accuracy")
    >>> round(limits.low, 3), round(limits.high, 3), limits.method
    (0.447, 0.7, 'mover-jeffreys')
    """
    if find(name).needs == "decisions":
        counts = (
            counts_or_predictions if isinstance(counts_or_predictions, ConfusionCounts) else count(_read(counts_or_predictions))
        )
        return count_interval(counts, name, level=level, method=method, positive=positive, average=average, rng=rng)
    if find(name).name != "auc" or isinstance(counts_or_predictions, ConfusionCounts):
        msg = f"{find(name).name} has no interval yet; there are those of the count measures and of auc."
        raise InputError(msg)
    counted = tally(_read(counts_or_predictions))
    classes = counted.confusion.classes
    known = next((v for v in (positive, None if counted.positive is None else classes[counted.positive]) if v is not None), None)
    at = settle_positive(classes, known, counts=counted.confusion.support.tolist(), what="The interval of auc")
    found = area_interval(counted, at, level=level, method=method)
    if found is None:
        msg = "The AUC has no interval here: it needs both classes and unweighted scores that fit into memory."
        raise InputError(msg)
    return found


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
