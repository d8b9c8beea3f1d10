"""Intervals of measures of scores, probabilities and numbers: AUC, average precision, mean losses.

Weighted cases count as many as they are worth; files too large to keep their scores are judged by their tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adjudge._base import Finding, InputError, argument, quoted, wording
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.clustered import area_effect, loss_effect
from adjudge.estimates.estimate import Interval, worth_by_class
from adjudge.metrics import on_scores
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure
from adjudge.predictions.spellings import position, settle_positive
from adjudge.stats import auc_intervals, bands, ranking
from adjudge.stats.mover import mover
from adjudge.stats.quantiles import median_interval
from adjudge.stats.ranking import ScoreTable

RESAMPLES = 2000
# distinct scores in resampling; of more, neighbours are put together and the replicates centred on the exact AUC
MOST_BINS = 512
FEW_OF_A_CLASS = 10
Limits = tuple[float, float]
_OF_AREA: dict[str, Callable[..., Limits]] = {
    "hull": auc_intervals.hull,
    "newcombe": lambda area, _, m, n, level: auc_intervals.newcombe_interval(area, m, n, level),
    "delong": auc_intervals.delong_interval,
    "logit-delong": auc_intervals.logit_delong_interval,
}
METHODS = (*_OF_AREA, "bootstrap", "bca")  # for the AUC of one class
METHODS_OF_MEAN = ("mover", "logit-delong")  # for the mean over classes
_LOSSES = {measure.name: measure for measure in (on_scores.BRIER, on_scores.LOG_LOSS)}
_LEAST = 1e-150  # mean errors at or below this have squares that no float holds: as good as none
_WORST = 3.0  # times the largest squared error that one more case has, at the upper limit of a mean squared error
_WORST_EXPLAINED = 1.5  # the same of R2
_FEWEST = 1.5  # effectively fewer cases are one, whose spread nobody knows
_TWO = 2


class _Area(NamedTuple):
    """An AUC, its variance, and the (effective) cases of the class and of the rest."""

    area: float
    variance: float
    m: float
    n: float


def area_interval(tally: Tally, at: int, *, level: float = 0.95, method: str = "default", rng: Any = 0) -> Interval | None:
    """Return the interval of the AUC of one class against the rest, or None where there is no AUC."""
    chosen = "hull" if method == "default" else method
    if chosen not in METHODS:
        msg = f"There is no {method!r} interval of auc. Methods are: default, {', '.join(METHODS)}."
        raise InputError(msg, parameter="method")
    area = _area(tally, at, level)
    if area is None or tally.scores is None:
        return None
    doubts: tuple[Finding, ...] = ()
    if chosen not in _OF_AREA:
        limits = _resampled(tally.scores, at, area, chosen, level, rng)
        if limits is not None:
            return Interval(*limits, level, chosen)
        told = "Its interval joins Newcombe's and the logit DeLong intervals."
        chosen, doubts = "hull", (Finding("A507", "All resamples give the same auc.", told),)
    bound = tally.scores.bound(at)  # limits are wider by what binning may have moved the AUC
    low, high = _OF_AREA[chosen](*area, level)
    return Interval(max(0.0, low - bound), min(1.0, high + bound), level, chosen, doubts)


def _area(tally: Tally, at: int, level: float) -> _Area | None:
    """Return the AUC of a class; cases of clusters count as many as they are worth at a level."""
    counts, scores, rest = tally.confusion, tally.scores, np.arange(tally.confusion.k) != at
    m, n = float(counts.support[at]), float(counts.support[rest].sum())
    if scores is None or not (m and n):
        return None
    if isinstance(counts, WeightedCounts):  # cases count as many as they are worth: (sum w)^2 / sum w^2
        squares = counts.squares.sum(axis=1)
        m, n = m * m / float(squares[at]), n * n / float(squares[rest].sum())
    effect = area_effect(tally, at)
    share = 1.0 if effect is None else effect.share(level)
    if scores.scores is None or scores.truth is None or scores.weight is not None or at not in scores.columns:
        table = scores.table(at)
        if not isinstance(table, ScoreTable):
            return None
        area, variance = ranking.delong_of(table.positives, table.negatives, m, n)
        return _Area(scores.area(at) if scores.exact else area, variance / share, m * share, n * share)
    area, variance = auc_intervals.delong(scores.scores[:, scores.columns.index(at)], scores.truth == at)
    return _Area(area, variance / share, m * share, n * share)


def _resampled(scores: ScoreCounts, at: int, area: _Area, method: str, level: float, rng: Any) -> Limits | None:
    """Return limits from drawing cases of either side again, or None where the draws tell nothing."""
    table = scores.table(at)
    assert isinstance(table, ScoreTable)
    ours, theirs = ranking.grouped(table.positives, table.negatives, MOST_BINS)
    ours, theirs = ours * (area.m / ours.sum()), theirs * (area.n / theirs.sum())
    both = np.stack((ours, theirs))
    draws = bands.cell_replicates(both, bands.binned_areas, RESAMPLES, np.random.default_rng(rng), stratified=True)
    middle = float(bands.binned_areas(both[np.newaxis])[0])  # ties within bins: draws are centred on the exact AUC
    if method == "bootstrap":
        limits = bands.percentile(draws, level)
    else:
        limits = bands.bca(draws, middle, *ranking.area_jackknife(ours, theirs, area.m, area.n), level)
    if limits is None or not limits[0] < limits[1]:
        return None
    low, high = (min(max(end - middle + area.area, 0.0), 1.0) for end in limits)
    return (low, high) if low < high else None


def macro_area_interval(tally: Tally, *, level: float = 0.95, method: str = "default") -> Interval | None:
    """Return the interval of the mean of the AUCs of every class against the rest, or None where one has none."""
    # "mover" puts the classes' own limits together with the correlations of their AUCs; where scores were not kept these are
    # unknown, and the limits are the widest: the means of the limits
    chosen = "mover" if method == "default" else method
    if chosen not in METHODS_OF_MEAN:
        msg = f"There is no {method!r} interval of macro auc. Methods are: default, {', '.join(METHODS_OF_MEAN)}."
        raise InputError(msg, parameter="method")
    seen = np.flatnonzero(tally.confusion.support > 0)
    areas = [area for area in (_area(tally, int(at), level) for at in seen) if area is not None]
    scores = tally.scores
    if scores is None or len(areas) < seen.size or not areas:
        return None
    # with 2 to 8 cases logit limits held the truth in .67 to .97 of simulated samples, those put together in .93 to .99
    smallest = min(range(len(areas)), key=lambda i: areas[i].m)
    few: tuple[Finding, ...] = ()
    cases = areas[smallest].m
    if cases < FEW_OF_A_CLASS:
        label = quoted(tally.confusion.classes[int(seen[smallest])])
        told = f"Too few rows of class {label} ({cases:.3g}): the interval of the macro AUC "
        narrow, advice = "is known to be too narrow.", wording("Take ", argument("method", "mover"), ".")
        if chosen == "mover":
            narrow, advice = "rests on them.", "Gather more of them."
        few = (Finding("A503", told + narrow, advice, cases),)
    if scores.scores is None or scores.truth is None:
        bound = max(scores.bound(at) for at in scores.columns)
        low, high = _put_together(areas, np.ones((len(areas), len(areas))), level)
        return Interval(max(0.0, low - bound), min(1.0, high + bound), level, "means", few)
    weight = np.ones(scores.truth.size) if scores.weight is None else scores.weight
    sizes = np.zeros(tally.confusion.k)
    sizes[seen] = [area.m for area in areas]
    influences = []
    for at in seen:  # of two classes with one score, the other class has its negative
        column = scores.scores[:, scores.columns.index(at)] if at in scores.columns else -scores.scores[:, 0]
        influences.append(ranking.case_influences(column, scores.truth == at, weight))
    covariance = ranking.influence_covariance(np.stack(influences), scores.truth, weight, sizes)
    if chosen == "mover":
        return Interval(*_put_together(areas, ranking.correlations(covariance), level), level, chosen, few)
    least = min(areas, key=lambda area: area.m * area.n)
    mean, variance = float(np.mean([area.area for area in areas])), float(covariance.mean())
    return Interval(*auc_intervals.logit_delong_interval(mean, variance, least.m, least.n, level), level, chosen, few)


def _put_together(areas: list[_Area], correlation: Any, level: float) -> Limits:
    each = np.array([auc_intervals.hull(*area, level) for area in areas])
    values, weights = np.array([a.area for a in areas]), np.full(len(areas), 1 / len(areas))
    low, high = mover(values, each[:, 0], each[:, 1], weights, correlation)
    return max(0.0, low), min(1.0, high)


def loss_interval(tally: Tally, name: str, at: int | None = None, *, level: float = 0.95) -> Interval | None:
    """Return the interval of the Brier score or log loss, of all or of class `at`; None unless finite, or for a log loss 0."""
    sums = tally.probabilities
    measure = _LOSSES.get(name)
    if sums is None or measure is None or not sums.weight_squares:
        return None
    mean = measure.of(tally) if at is None else on_scores.of_class(measure, tally, at)
    effect = loss_effect(tally, name)
    n = sums.weight**2 / sums.weight_squares * (1.0 if effect is None else effect.share(level))
    if not math.isfinite(mean) or n < _FEWEST:
        return None
    columns = () if tally.scores is None else tally.scores.columns
    column = None if at is None else columns.index(at) if at in columns else 1
    square = float((sums.squares if column is None else sums.class_squares[column])[int(name != "brier")]) / sums.weight
    if name == "brier":
        # in [0, 2], or in [0, 1] for one class and for two, where the sum over classes counts every loss twice
        two = tally.confusion.k <= _TWO
        square, high = (square / 4 if at is None and two else square), (2.0 if at is None and not two else 1.0)
        return Interval(*auc_intervals.bounded_interval(mean, square, n, high=high, level=level), level, "t on the logit")
    loss = _typical(sums, column)
    limits = auc_intervals.open_interval(mean, square, n, loss=loss, level=level) if loss else None
    return None if limits is None else Interval(*limits, level, "t on the logarithm")


def _typical(sums: ProbabilityCounts, column: int | None) -> float:
    """Return the loss that the probabilities call for, sum p log(p)^2 / sum p |log p| over the bins of reliability."""
    bins = sums.top if not len(sums.by_class) else sums.by_class if column is None else sums.by_class[column]
    weight, mean = bins[..., 0, :].ravel(), bins[..., 1, :].ravel()
    p, weight = mean[weight > 0] / weight[weight > 0], weight[weight > 0]
    if bins.ndim == _TWO:  # one column speaks of the class and of the rest
        p, weight = np.concatenate((p, 1 - p)), np.concatenate((weight, weight))
    log = -np.log(p, out=np.zeros_like(p), where=p > 0)
    entropy = float((weight * p * log).sum())
    return float((weight * p * log**2).sum()) / entropy if entropy > 0 else 0.0


def precision_interval(tally: Tally, at: int, *, level: float = 0.95) -> Interval | None:
    """Return the interval of the average precision of class `at`, or None where it has no value."""
    value = on_scores.of_class(on_scores.AVERAGE_PRECISION, tally, at)
    effect = area_effect(tally, at)
    cases = float(worth_by_class(tally.confusion)[at]) * (1.0 if effect is None else effect.share(level))
    if math.isnan(value) or not cases:
        return None
    return Interval(*auc_intervals.average_precision_interval(value, cases, level), level, "logit")


def number_interval(counts: NumberCounts, name: str, *, level: float = 0.95) -> Interval | None:
    r"""Return the interval of a measure of numbers; None with one case, without any error, and for rse, of which r2 has one.

    That of rae is a delta method that knows the mean of the truth to be estimated:
    :math:`|e| - R (|d| - \bar s d)`, with distances d from the mean and the mean of their signs.
    """
    n = counts.weight**2 / counts.weight_squares if counts.weight_squares else 0.0
    makers = {"median_absolute_error": _of_median, "mean_error": _of_bias, "rae": _of_relative, "r2": _of_explained}
    if n < _FEWEST or name == "rse":
        return None
    if name in makers:
        return makers[name](counts, n, level)
    total, at = (counts.absolute, 0) if name == "mae" else (counts.squared, 1)
    mean, square = total / counts.weight, float(counts.products[at, at]) / counts.weight
    if not mean > _LEAST or not math.isfinite(square):
        return None
    low, high = auc_intervals.error_interval(mean, square, n, level=level)
    if name == "mae":
        return Interval(low, high, level, "hull of t on the logarithm and chi-square")
    worst = _WORST * float(counts.sums.extremes[2]) ** 2
    high = max(high, auc_intervals.worst_high(mean, square, n, worst=worst, level=level)) if math.isfinite(worst) else high
    ends = (math.sqrt(low), math.sqrt(high)) if name == "rmse" else (low, high)
    return Interval(*ends, level, "hull of t on the logarithm and chi-square, one worse case added")


def _of_bias(counts: NumberCounts, n: float, level: float) -> Interval | None:
    square = counts.squared / counts.weight
    if not (math.isfinite(square) and square > 0):
        return None
    return Interval(*auc_intervals.mean_interval(counts.bias / counts.weight, square, n, level=level), level, "t")


def _of_relative(counts: NumberCounts, n: float, level: float) -> Interval | None:
    if not min(counts.absolute, counts.absolute_of_mean) > _LEAST * counts.weight or not np.isfinite(counts.products).all():
        return None
    ratio = counts.absolute / counts.absolute_of_mean
    parts = np.array([1.0, 0.0, -ratio, ratio * counts.side / counts.weight])
    variance = max(float(parts @ counts.products @ parts), 0.0) / counts.weight / (n - 1)
    spread = math.sqrt(variance) * counts.weight / counts.absolute_of_mean
    return Interval(*auc_intervals.ratio_interval(ratio, spread, n, level=level), level, "delta method on the logarithm")


def _of_median(counts: NumberCounts, n: float, level: float) -> Interval | None:
    residuals = counts.sums.residuals
    if residuals is None or not residuals.known:
        return None
    values, weight, bound = residuals.ascending(absolute=True)
    ends = median_interval(values, weight, n, level=level)
    told = f"binomial ranks{f', residuals rounded to {bound:.2%}' if bound else ''}"
    return None if ends is None else Interval(ends[0] * (1 - bound), ends[1] * (1 + bound), level, told)


def _of_explained(counts: NumberCounts, n: float, level: float) -> Interval | None:
    r"""Return the interval of R2 by a delta method on the logarithm of 1 - R2, with influences :math:`e^2 - R d^2`.

    At the upper end of 1 - R2 one more case has one and a half times the largest squared error, at the lower end one more lies as
    far from the mean as any does: tails of either are seldom seen whole.
    """
    errors, about, weight = float(counts.products[1, 1]), counts.spreads, counts.weight
    known = math.isfinite(errors) and np.isfinite(about).all()
    if not (known and min(counts.squared, counts.squared_of_mean) > _LEAST * weight):
        return None
    down, up, largest = counts.sums.extremes
    case = weight / n

    def spread(ratio: float, distances: float, error: float = 0.0, distance: float = 0.0) -> float:
        squares = errors - 2 * ratio * float(about[1]) + ratio**2 * float(about[0]) + case * (error - ratio * distance) ** 2
        return math.sqrt(max(squares, 0.0) / weight / (n - 1)) * weight / distances

    left = counts.squared / counts.squared_of_mean
    if not left:  # errors so small beside the truth that no float tells them from none
        return None
    low, high = auc_intervals.ratio_interval(left, spread(left, counts.squared_of_mean), n, level=level)
    worst, far = _WORST_EXPLAINED * float(largest) ** 2, max(float(up) - counts.mean, counts.mean + float(down)) ** 2
    if math.isfinite(worst) and math.isfinite(far):
        upper = (counts.squared + case * worst) / counts.squared_of_mean
        more = auc_intervals.ratio_interval(upper, spread(upper, counts.squared_of_mean, error=worst), n, level=level)
        wide = counts.squared_of_mean + case * far
        lower = counts.squared / wide
        less = auc_intervals.ratio_interval(lower, spread(lower, wide, distance=far), n, level=level)
        low, high = min(low, less[0]), max(high, more[1])
    return Interval(1 - high, 1 - low, level, "delta method on the logarithm of 1 - R2, one far case added")


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
    """Return the interval of a measure of scores or numbers, of what `adjudge.measure` speaks of, or say why it has none."""
    measure = find(name)
    if measure.name != "auc" and method != "default":
        one = f"There is no {method!r} interval of {measure.name}; it has one method. Leave "
        raise InputError(wording(one, argument("method"), " out."))
    if isinstance(counted, NumberCounts):
        interval = number_interval(counted, measure.name, level=level)
    elif average not in (None, "macro") or (average and measure.name != "auc"):
        msg = f"There is no interval of {measure.name} with "
        raise InputError(msg, argument("average", average), "; only the macro average of auc has one.")
    elif measure.needs == "probabilities":
        at = None if positive is None else position(counted.confusion.classes, positive)
        interval = loss_interval(counted, measure.name, at, level=level)
    else:
        at = None if average else _looked_for(counted, measure, positive)
        if at is None:
            interval = macro_area_interval(counted, level=level, method=method)
        elif measure.name == "auc":
            interval = area_interval(counted, at, level=level, method=method, rng=rng)
        else:
            interval = precision_interval(counted, at, level=level)
    if interval is not None:
        return interval
    why = "it needs a finite value above 0 from two cases or more."
    if measure.name in ("ece", "rse"):
        why = "no method for it was found to hold the truth often enough. Report the value alone."
    elif measure.needs == "scores":
        why = "it needs scores and cases both of the class and of the rest."
    msg = f"{measure.name} has no interval here: {why}"
    raise InputError(msg)


def _looked_for(counted: Tally, measure: Measure, positive: Any) -> int | None:
    """Return the class a ranking is judged by; None for all of them. Of two classes both have the same AUC."""
    classes, area = counted.confusion.classes, measure.name == "auc"
    if positive is None and counted.positive is not None:
        return counted.positive
    if positive is None and area:
        return None if len(classes) > _TWO else counted.of_interest
    return settle_positive(classes, positive, counts=counted.confusion.support.tolist(), what=f"The interval of {measure.name}")
