"""The interval of one measure."""

from __future__ import annotations

from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import count_numbers, tally
from adjudge.estimates.estimate import Interval
from adjudge.estimates.intervals import count_interval
from adjudge.estimates.scored import score_interval
from adjudge.metrics.catalogue import find
from adjudge.predictions.read import read
from adjudge.verbs.measure import counts_of, own_positive


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
        counts = counts_of(counts_or_predictions)
        positive = positive if positive is not None or average is not None else own_positive(counts_or_predictions, find(name))
        return count_interval(counts, name, level=level, method=method, positive=positive, average=average, beta=beta, rng=rng)
    if isinstance(counts_or_predictions, ConfusionCounts):
        msg = f"{find(name).name} needs {find(name).needs}, which a confusion table does not hold; pass Predictions."
        raise InputError(msg)
    predictions = read(counts_or_predictions)
    counted = count_numbers(predictions) if find(name).needs == "numbers" else tally(predictions, ranking=True)
    return score_interval(counted, name, level=level, method=method, positive=positive, average=average, rng=rng)
