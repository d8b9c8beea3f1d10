"""Which interval a measure of scores, probabilities or numbers has."""

from __future__ import annotations

from typing import Any

from adjudge._base.arguments import argument, wording
from adjudge._base.errors import InputError
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.areas import area_interval, macro_area_interval
from adjudge.estimates.estimate import Interval
from adjudge.estimates.losses import loss_interval, number_interval, precision_interval
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure
from adjudge.predictions.positive import position, settle_positive

_TWO = 2


def score_interval(
    counted: Tally | NumberCounts,
    name: str,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: Any = None,
    average: str | None = None,
    rng: Any = 0,
) -> Interval:
    """Return the interval of a measure that is not one of counts, or say why there is none.

    It speaks of what :func:`adjudge.measure` speaks of: of the class looked for, or of the mean over more than two classes;
    Brier score and log loss of all cases unless a class is named.
    """
    measure = find(name)
    if measure.name != "auc" and method != "default":
        msg = wording(
            f"There is no {method!r} interval of {measure.name}; it has one method. Leave ", argument("method"), " out."
        )
        raise InputError(msg)
    if isinstance(counted, NumberCounts):
        return _known(number_interval(counted, measure.name, level=level), measure)
    if average not in (None, "macro") or (average and measure.name != "auc"):
        msg = f"There is no interval of {measure.name} with average={average!r}; only the macro average of auc has one."
        raise InputError(msg)
    if measure.needs == "probabilities":
        at = None if positive is None else position(counted.confusion.classes, positive)
        return _known(loss_interval(counted, measure.name, at, level=level), measure)
    return _known(_ranked(counted, measure, level, method, positive, average, rng), measure)


def _ranked(
    counted: Tally, measure: Measure, level: float, method: str, positive: Any, average: str | None, rng: Any
) -> Interval | None:
    at = None if average else _looked_for(counted, measure, positive)
    if at is None:
        return macro_area_interval(counted, level=level, method=method)
    if measure.name == "auc":
        return area_interval(counted, at, level=level, method=method, rng=rng)
    return precision_interval(counted, at, level=level)


def _looked_for(counted: Tally, measure: Measure, positive: Any) -> int | None:
    """Return the class a ranking is judged by; None for all of them. Of two classes both have the same AUC."""
    classes, area = counted.confusion.classes, measure.name == "auc"
    if positive is None and counted.positive is not None:
        return counted.positive
    if positive is None and area and len(classes) > _TWO:
        return None
    if positive is None and area:
        return counted.of_interest
    return settle_positive(classes, positive, counts=counted.confusion.support.tolist(), what=f"The interval of {measure.name}")


def _known(found: Interval | None, measure: Measure) -> Interval:
    if found is None:
        msg = f"{measure.name} has no interval here: {_why(measure)}"
        raise InputError(msg)
    return found


def _why(measure: Measure) -> str:
    if measure.name in ("ece", "rse"):
        return "no method for it was found to hold the truth often enough. Report the value alone."
    if measure.needs == "scores":
        return "it needs scores and cases both of the class and of the rest."
    return "it needs a finite value above 0 from two cases or more."
