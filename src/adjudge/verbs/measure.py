"""One measure of a table or of predictions, and its interval; a measure of a table loads nothing that reads files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import InputError, checked_level, parameter
from adjudge.counts.confusion import ConfusionCounts, as_counts
from adjudge.metrics import averages
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure

if TYPE_CHECKING:
    from adjudge.estimates.estimate import Interval

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
    wanted = find(name)
    if wanted.needs == "decisions":
        counts, positive = _table(counts_or_predictions, wanted, positive, average)
        knobs = {"beta": averages.checked_beta(beta)} if wanted.name == "fbeta" else {}
        return averages.value(wanted, counts, positive=positive, average=average, **knobs)
    from adjudge.metrics import on_scores
    from adjudge.predictions.spellings import position, settle_positive

    assert isinstance(wanted, OtherMeasure)
    counted = _counted(counts_or_predictions, wanted)
    if wanted.needs == "numbers":
        loss: float = wanted.of(counted)
        return loss
    classes = counted.confusion.classes
    if average is not None:
        if average not in ("macro", "weighted", "hand-till"):
            msg = f" must be 'macro', 'weighted' or 'hand-till' for {wanted.name}, got {average!r}."
            raise InputError(parameter("average"), msg)
        return on_scores.averaged(wanted, counted, average)
    if wanted.needs == "probabilities":
        return on_scores.of_class(wanted, counted, position(classes, positive)) if positive is not None else wanted.of(counted)
    if positive is None and len(classes) > _TWO and counted.positive is None:
        return on_scores.averaged(wanted, counted, "macro")
    at = counted.of_interest if wanted.name == "auc" else counted.positive
    if positive is not None or at is None:
        at = settle_positive(classes, positive, counts=counted.confusion.support.tolist(), what=wanted.name)
    return on_scores.of_class(wanted, counted, at)


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
        How often such intervals hold the truth.
    method : str
        "default" is the one found to cover, which depends on the measure: the guide to sureness says which, and why. Others:
        midp, clopper-pearson, wilson, jeffreys, wald, tail-inversion, mover-jeffreys, unbiased-centre, region-midp,
        region-tail-inversion, f1-tail-inversion, fbeta-tail-inversion, effective-wilson, effective-tail-inversion, posterior,
        bootstrap, bca; delong, logit-delong, newcombe. Where rows name clusters cluster-bootstrap draws these again.
    positive, average, beta
        As for :func:`adjudge.measure`.
    rng : seed
        For methods that resample.

    >>> from adjudge import ConfusionCounts
    >>> found = interval(ConfusionCounts([[40, 5], [8, 2]]), "balanced_accuracy")
    >>> round(found.low, 3), round(found.high, 3), found.method
    (0.447, 0.7, 'mover-jeffreys')
    """
    level, wanted = checked_level(level), find(name)
    how: dict[str, Any] = {"level": level, "method": method, "average": average, "rng": rng}
    if wanted.needs == "decisions":
        from adjudge.estimates.intervals import count_interval

        counts, positive = _table(counts_or_predictions, wanted, positive, average)
        return count_interval(counts, name, positive=positive, beta=beta, **how)
    from adjudge.estimates.scored import score_interval

    return score_interval(_counted(counts_or_predictions, wanted), name, positive=positive, **how)


def counts_of(source: Any) -> ConfusionCounts:
    """Return the table of whatever holds one."""
    if isinstance(source, (ConfusionCounts, list, tuple, np.ndarray)):
        return as_counts(source)
    from adjudge.counts.counting import count_confusion
    from adjudge.predictions.read import read

    return count_confusion(read(source))


def _table(source: Any, wanted: Measure, positive: Any, average: str | None) -> tuple[ConfusionCounts, Any]:
    """Return a table and the class a measure speaks of: as asked, or the positive one that predictions name."""
    reading = None if isinstance(source, ConfusionCounts) else getattr(source, "reading", None)
    if positive is None and average is None and reading is not None and isinstance(wanted, ClassMeasure):
        positive = reading.positive
    return counts_of(source), positive


def _counted(source: Any, wanted: Measure) -> Any:
    """Return predictions counted for a measure that a confusion table does not hold: a Tally, or NumberCounts."""
    from adjudge.counts.counting import tally
    from adjudge.counts.numbers import count_numbers
    from adjudge.predictions.read import read

    if isinstance(source, ConfusionCounts):
        raise InputError(wanted.name, f" needs {wanted.needs}, which a confusion table does not hold; pass Predictions.")
    return count_numbers(read(source)) if wanted.needs == "numbers" else tally(read(source), ranking=True)
