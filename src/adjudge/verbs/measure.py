"""One measure of a table or of predictions; a table alone loads nothing that reads files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge.counts.confusion import ConfusionCounts, as_counts
from adjudge.metrics import averages
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure

if TYPE_CHECKING:
    from adjudge.predictions.model import Predictions

_TWO = 2


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
        counts = counts_of(counts_or_predictions)
        positive = positive if positive is not None or average is not None else own_positive(counts_or_predictions, found)
        if found.name == "fbeta" and not 0 < beta < float("inf"):
            msg = f"beta must be a finite number above 0, got {beta}."
            raise InputError(msg)
        knobs = {"beta": beta} if found.name == "fbeta" else {}
        return averages.value(found, counts, positive=positive, average=average, **knobs)
    if isinstance(counts_or_predictions, ConfusionCounts):
        msg = f"{found.name} needs {found.needs}, which a confusion table does not hold; pass Predictions."
        raise InputError(msg)
    from adjudge.counts.counting import count_numbers
    from adjudge.predictions.read import read

    assert isinstance(found, OtherMeasure)
    if found.needs == "numbers":
        loss: float = found.of(count_numbers(read(counts_or_predictions)))
        return loss
    return _of_scores(found, read(counts_or_predictions), positive, average)


def counts_of(source: Any) -> ConfusionCounts:
    """Return the table of whatever holds one."""
    if isinstance(source, (ConfusionCounts, list, tuple, np.ndarray)):
        return as_counts(source)
    from adjudge.counts.counting import count_confusion
    from adjudge.predictions.read import read

    return count_confusion(read(source))


def own_positive(source: Any, found: Measure) -> Any:
    """Return the positive class that predictions name, for a measure of one class."""
    reading = None if isinstance(source, ConfusionCounts) else getattr(source, "reading", None)
    return reading.positive if reading is not None and isinstance(found, ClassMeasure) else None


def _of_scores(found: OtherMeasure, predictions: Predictions, positive: Any, average: str | None) -> float:
    from adjudge.counts.counting import tally
    from adjudge.metrics import on_scores
    from adjudge.predictions.spellings import position, settle_positive

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
