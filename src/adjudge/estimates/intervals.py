"""Intervals of measures: one small function per method, and for each measure the default that was found to cover.

Shares of cases: mid-P. Means of recalls or precisions: MOVER of Jeffreys limits, from ten classes on an unbiased centre. F1 and
F-beta of one class: limits of the Jaccard index. G-mean: MOVER on logarithms. MCC and kappa of two classes: extremes over the
region of the recalls and the prevalence. Everything else: Wilson's limits for as many cases as the delta method finds it worth.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Undefined, argument, checked_level, dataclass, replace
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates import estimate
from adjudge.estimates.cluster_bootstrap import METHOD as CLUSTER_BOOTSTRAP
from adjudge.estimates.cluster_bootstrap import cluster_limits
from adjudge.estimates.clustered import effective
from adjudge.estimates.estimate import MANY, OF_RECALLS, OF_SHARE, Interval, Limits, ShareLimits, share_of_class, shares_by_class
from adjudge.estimates.posterior import DRAWS, posterior
from adjudge.metrics.averages import checked_beta, of_tables, the_class, value
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure, against_rest
from adjudge.metrics.on_counts import F1, FBETA, FNR, JACCARD, PRECISION, SENSITIVITY, supported
from adjudge.predictions.spellings import position
from adjudge.stats import bands, mover
from adjudge.stats.mover import effective_limits

RESAMPLES = 2000
EXACT, OF_MEANS = "tail-inversion", "mover-tail-inversion"  # limits each of which holds by itself: of a share, of means
MASS = 1.0  # cases that steady a table, or are its prior, spread over all cells: the more cells, the less in each
_RESAMPLING = ("bca", "bootstrap", "posterior", CLUSTER_BOOTSTRAP)
_BALANCED = ("balanced_accuracy", "informedness")  # measures that are an average of recalls, or move with one
_APART = ("sensitivity", "fnr", "precision")  # whose classes rest on different cases: given their numbers they are independent
# measures that are, of two classes, those of the other class: their means are the same
_SAME_OF_TWO = {"specificity": SENSITIVITY, "fpr": FNR, "npv": PRECISION}
_CORRELATIONS = ("mcc", "kappa")
_TWO, _HALF = 2, 0.5
_ROUNDED = 1e-9
# methods for tables of two classes, and what stands in for them elsewhere
_OF_TWO = {"region-midp": "effective-wilson", "region-tail-inversion": "effective-tail-inversion"}
_OF_FBETA = ("fbeta-midp", "fbeta-tail-inversion")
_OWN = {
    "f1": ("f1-jeffreys", "f1-tail-inversion", *_OF_FBETA),
    "fbeta": _OF_FBETA,
    "g_mean": ("mover-log", "mover-log-hull"),
} | dict.fromkeys(_CORRELATIONS, tuple(_OF_TWO))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is measured: a share or table of some counts, of the class at one place or averaged over the classes."""

    measure: Measure
    counts: ConfusionCounts
    at: int | None = None
    average: str | None = None
    beta: float = 1.0

    @property
    def name(self) -> str:
        return self.measure.name if self.average is None else f"{self.average} {self.measure.name}"

    @property
    def label(self) -> Any:
        return None if self.at is None else self.counts.classes[self.at]

    @property
    def value(self) -> float:
        return value(self.measure, self.counts, positive=self.label, average=self.average)

    @property
    def classes(self) -> int:
        return int(np.count_nonzero(self.counts.support))


def count_interval(
    counts: ConfusionCounts,
    name: str,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: Any = None,
    average: str | None = None,
    beta: Any = 1.0,
    rng: Any = 0,
) -> Interval:
    """Return the interval of a count measure; `positive`, `average` and `beta` as for the measure itself."""
    level, measure = checked_level(level), find(name)
    if measure is FBETA:
        beta = checked_beta(beta)
        measure = F1 if beta == 1 else replace(FBETA, parts=partial(FBETA.parts, beta=beta))
    asked = _asked(counts, measure, positive, average, beta)
    seen = asked.value
    if np.isnan(seen):
        reason = seen.reason if isinstance(seen, Undefined) else "it is not a number"
        msg = f"{asked.name} has no value here: {reason}; so it has no interval."
        raise InputError(msg)
    of_class = SENSITIVITY if asked.measure.name == "balanced_accuracy" else asked.measure
    if method == "default" and asked.at is None and asked.classes == 1 and isinstance(of_class, ClassMeasure):
        # a mean over a single class is the measure of that class: one number, one interval
        asked = replace(asked, measure=of_class, at=int(np.argmax(asked.counts.support)), average=None)
    known = offered(asked.measure, asked.average)
    if method not in ("default", *known):
        msg = f"There is no {method!r} interval of {asked.name}. Methods are: default, {', '.join(known)}."
        raise InputError(msg, parameter="method")
    if method == CLUSTER_BOOTSTRAP:
        return _clusters_resampled(asked, level, rng)
    table = effective(asked.counts, asked.measure, at=asked.at, level=level)
    fewer = estimate.worth(table) < estimate.worth(asked.counts) * (1 - _ROUNDED)  # by clusters
    asked = replace(asked, counts=table)
    chosen = _default(asked, fewer=fewer) if method == "default" else method
    interval = _interval(asked, _for_table(chosen, asked.counts), level, rng)
    if interval.method not in _RESAMPLING:  # rounding must not exclude what was seen
        interval = replace(interval, low=min(interval.low, seen), high=max(interval.high, seen))
    return replace(interval, low=max(interval.low, asked.measure.low), high=min(interval.high, asked.measure.high))


def offered(measure: Measure, average: str | None = None) -> tuple[str, ...]:
    """Return the methods for a measure, or for its macro average."""
    whole = ("effective-wilson", "effective-tail-inversion", *_RESAMPLING)
    if measure.name in _BALANCED or (average is not None and measure.name in _APART):
        return (*OF_RECALLS, *whole)
    if average is None and _is_share(measure):
        return (*OF_SHARE, "posterior", "bootstrap", "bca", CLUSTER_BOOTSTRAP)
    return (*_OWN.get(measure.name, ()), *whole) if average is None else whole


def fitting(method: str, measure: Measure, average: str | None = None) -> str:
    """Return a method where it is offered for a measure, and the default where not."""
    return method if method in offered(measure, average) else "default"


def _asked(counts: ConfusionCounts, measure: Measure, positive: Any, average: str | None, beta: float) -> _Asked:
    """Return what is asked; a measure of the whole table with a positive class is one of that class against the rest."""
    if average is not None and (average != "macro" or not isinstance(measure, ClassMeasure)):
        msg = f"There is no interval of {measure.name} with "
        raise InputError(msg, argument("average", average), "; only macro averages of measures of a class do.")
    if positive is not None:
        position(counts.classes, positive)
    if average is not None:
        both = counts.k == _TWO and bool(supported(counts).all())
        return _Asked(_SAME_OF_TWO.get(measure.name, measure) if both else measure, counts, average=average, beta=beta)
    if isinstance(measure, ClassMeasure):
        return _Asked(measure, counts, the_class(measure, counts, positive), beta=beta)
    return _Asked(measure, counts if positive is None else counts.binary(positive), beta=beta)


def _default(asked: _Asked, *, fewer: bool = False) -> str:
    """Return the method that was found to cover, for more than two classes whose cases are worth `fewer` ones, too."""
    # Jeffreys limits of few cases of every class lean towards 1/2, which three and more classes of ten clusters do not: means of
    # them held the truth in .89
    known, classes = offered(asked.measure, asked.average), asked.classes
    many = classes >= MANY or (fewer and classes > _TWO)
    if known[0] in OF_RECALLS:
        return estimate.usual(MANY if many else classes)
    if known[0] == "mover-log" and classes > _TWO:
        return "effective-wilson" if many else "mover-log-hull"
    return _for_table(known[0], asked.counts)


def _for_table(method: str, counts: ConfusionCounts) -> str:
    """Return the method, or what stands in for one of two classes where there are more or some cases are rejected."""
    return _OF_TWO[method] if method in _OF_TWO and not estimate.is_two_by_two(counts) else method


def _is_share(measure: Measure) -> bool:
    return measure.plain if isinstance(measure, ClassMeasure) else measure.name in ("accuracy", "error", "rejection_rate")


def _interval(asked: _Asked, method: str, level: float, rng: Any) -> Interval:
    """Return the interval of what is asked by one method."""
    measure, counts, at = asked.measure, asked.counts, asked.at or 0
    if method in ("bootstrap", "bca"):
        return _resampled(asked, method, level, rng)
    if method in OF_SHARE:
        if isinstance(measure, ClassMeasure):
            return estimate.limits_of_share(*share_of_class(measure, counts, at), level, method)
        return estimate.limits_of_share(*estimate.share_of_table(measure.name, counts), level, method)
    if method == "posterior":
        low, high = _credible(asked, level, rng)
    elif method in OF_RECALLS:
        low, high = _of_mean(asked, method, level)
    elif method.startswith("mover-log"):
        low, high = estimate.geometric_limits(*_shares(SENSITIVITY, counts), level)
        worth = _effective(asked, level) if method == "mover-log-hull" else (low, high)
        low, high = min(low, worth[0]), max(high, worth[1])
    elif method.startswith(("f1-", "fbeta-")):
        limits = OF_SHARE[method.split("-", 1)[1]]
        hits, cases = share_of_class(JACCARD, counts, at)
        errors, rest = max(cases - hits, 0.0), against_rest(counts)
        missed, alarms = float(rest.support[at] - rest.hit[at]), float(rest.alarm[at])
        part = missed / (missed + alarms) if missed + alarms else 0.5
        if method.startswith("f1-"):
            low, high = mover.f1_limits(hits, 0.0, errors, level, limits)
        else:
            low, high = mover.fbeta_limits(hits, part * errors, (1 - part) * errors, asked.beta, level, limits)
    elif method.startswith("region-"):
        low, high = estimate.joint_limits(counts, measure.name, level, exact=method != "region-midp")
    else:
        low, high = _effective(asked, level, OF_SHARE[method.removeprefix("effective-")])
    return Interval(low, high, level, method)


def _shares(measure: Measure, counts: ConfusionCounts) -> tuple[FloatArray, FloatArray]:
    """Return hits and cases of every class that was seen."""
    assert isinstance(measure, ClassMeasure)
    hits, cases = shares_by_class(measure, counts)
    return hits[supported(counts)], cases[supported(counts)]


def _of_mean(asked: _Asked, method: str, level: float) -> Limits:
    """Return limits for a mean of independent shares; informedness moves with the mean recall."""
    of, counts = asked.measure if isinstance(asked.measure, ClassMeasure) else SENSITIVITY, asked.counts
    hits, cases = _shares(of, counts)
    low, high = estimate.mean_recall_limits(hits, cases, level, method)
    if method == estimate.usual(_TWO) and estimate.is_two_by_two(counts) and counts.support.all() and counts.predicted.all():
        # Recalls and precisions are better than chance in the same tables. Their limits are not, in one table of a thousand;
        # then neither claims to be, which keeps both on the side of 1/2 where MCC and kappa are of 0.
        other = SENSITIVITY if of is PRECISION else PRECISION
        low_of_other, high_of_other = estimate.mean_recall_limits(*shares_by_class(other, counts), level, method)
        if low_of_other <= _HALF <= high_of_other:
            low, high = min(low, _HALF), max(high, _HALF)
    return _moved(asked.measure, low, high, cases.size)


def _moved(measure: Measure, low: float, high: float, k: int) -> Limits:
    """Return limits of the mean of `k` shares as those of the measure; informedness moves with the mean recall."""
    return ((k * low - 1) / (k - 1), (k * high - 1) / (k - 1)) if measure.name == "informedness" else (low, high)


@dataclass(frozen=True, slots=True)
class _Cells:
    """A table as numbers of cases, each of some weight, and the measure of many such tables."""

    cases: FloatArray
    weights: FloatArray
    asked: _Asked

    def measured(self, tables: AnyArray) -> AnyArray:
        """Return the measure of tables of cases."""
        return of_tables(self.asked.measure, tables * self.weights, self.asked.at)

    @property
    def steady(self) -> FloatArray:
        """What each cell has of the mass: as much as others, but nothing in classes that a mean leaves out."""
        spoken_of = self.cases.sum(axis=1) > 0 if self.asked.at is None else np.ones(len(self.cases), dtype=bool)
        return np.where(spoken_of[:, np.newaxis], MASS / (spoken_of.sum() * self.cases.shape[1]), np.zeros_like(self.cases))

    @property
    def hits(self) -> FloatArray:
        """One right prediction more of every class that has a case."""
        # MCC and kappa hardly vary where a rare class was never hit, though one hit more would change them: with the spread of
        # the table seen, upper limits were too low in up to 13% of simulated tables
        return np.where(self.cases.sum(axis=1, keepdims=True) > 0, np.eye(*self.cases.shape), 0.0)


def _cells(asked: _Asked) -> _Cells:
    """Return the cells; of a measure of one class those of the class against the rest."""
    if asked.at is not None:
        asked = replace(asked, counts=asked.counts.binary(asked.label), at=0)
    cells = estimate.dense(asked.counts.cells).astype(np.float64)
    if not isinstance(asked.counts, WeightedCounts):
        return _Cells(cells, np.ones_like(cells), asked)
    squares = estimate.dense(asked.counts.squares)
    overall = np.full(len(cells), squares.sum() / cells.sum())
    of_class = np.divide(squares.sum(axis=1), cells.sum(axis=1), out=overall, where=squares.sum(axis=1) > 0)
    known = (cells > 0) & (squares > 0)  # squares of weights below 1e-162 are 0
    weights = np.divide(squares, cells, out=np.repeat(of_class[:, np.newaxis], cells.shape[1], axis=1), where=known)
    cases = np.where(cells > 0, cells / weights, 0.0)  # of clusters a cell may have less than one
    return _Cells(np.where(np.abs(cases - 1) < _ROUNDED, 1.0, cases), weights / weights.max(), asked)


def _effective(asked: _Asked, level: float, limits: ShareLimits = OF_SHARE["wilson"]) -> Limits:
    """Return the limits of a share of as many cases as the measure is worth by the delta method."""
    cells = _cells(asked)
    if asked.average and asked.measure is F1:
        table = cells.cases * cells.weights
        sizes = np.zeros(asked.counts.k)
        sizes[supported(asked.counts)] = _shares(JACCARD, asked.counts)[1]
        return mover.macro_f1_limits(table * (cells.cases.sum() / table.sum()), level, sizes, limits)
    if asked.average and asked.classes == 1 and _is_share(asked.measure):
        hits, cases = _shares(asked.measure, asked.counts)
        return limits(float(hits[0]), float(cases[0]), level)

    def ends(steady: FloatArray) -> Limits:
        statistic = partial(of_tables, asked.measure, at=cells.asked.at)
        return effective_limits(statistic, cells.cases, cells.weights, steady, asked.measure.range, level, limits)

    low, high = ends(cells.steady)
    if asked.measure.name not in _CORRELATIONS:
        return low, high
    wide = ends(cells.steady + cells.hits)
    return low if limits is OF_SHARE["wilson"] else min(low, wide[0]), max(high, wide[1])


def _credible(asked: _Asked, level: float, rng: Any) -> Limits:
    """Return the central limits of the posterior: of Jeffreys' prior where there is a formula, else of one case in all cells."""
    by_formula = _is_share(asked.measure) or asked.measure.name in (*_BALANCED, "f1")
    if asked.average is None and by_formula:
        credible = posterior(asked.counts, asked.measure.name, positive=asked.label, prior="jeffreys", rng=rng)
        return credible.distribution.interval(level)
    cells = _cells(asked)
    draws = bands.dirichlet_replicates(cells.cases + cells.steady, cells.measured, DRAWS, np.random.default_rng(rng))
    low, high = np.quantile(draws[np.isfinite(draws)], [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _resampled(asked: _Asked, method: str, level: float, rng: Any) -> Interval:
    """Resample the cells; where resamples agree, which is no certainty, fall back on the default and say so."""
    cells = _cells(asked)
    draws = bands.cell_replicates(cells.cases, cells.measured, RESAMPLES, np.random.default_rng(rng))
    draws = draws[np.isfinite(draws)]
    limits = bands.percentile(draws, level) if method == "bootstrap" else None
    if method == "bca" and draws.size:
        jackknife, times = bands.cell_jackknife(cells.cases, cells.measured)
        limits = bands.bca(draws, float(cells.measured(cells.cases)), jackknife, times, level)
    if limits is not None and limits[0] < limits[1]:
        return Interval(*limits, level, method)
    told, other = f"So many resamples give the same {asked.name} that the interval would have no width.", _default(asked)
    if not draws.size:
        told = f"No resample has a value of {asked.name}."
    elif draws.min() == draws.max():
        told = f"All resamples give the same {asked.name}, which is no certainty."
    elif not draws.min() <= asked.value <= draws.max():
        told = f"All resamples lie on one side of the {asked.name} seen."
    return replace(_interval(asked, other, level, rng), findings=(Finding("A507", told, f"Its interval is by {other}."),))


def _clusters_resampled(asked: _Asked, level: float, rng: Any) -> Interval:
    """Resample whole clusters; where draws agree, which is no certainty, fall back on the default and say so."""
    if asked.counts.clusters is None:
        msg = " draws clusters again, and the rows name none. Name their column with "
        raise InputError(argument("interval", CLUSTER_BOOTSTRAP), msg, argument("cluster"), ".", parameter="interval")
    own = asked if asked.at is None else replace(asked, counts=asked.counts.binary(asked.label), at=0)
    statistic, source = partial(of_tables, asked.measure, at=own.at), np.random.default_rng(rng)
    limits, draws = cluster_limits(own.counts, statistic, level=level, resamples=RESAMPLES, rng=source)
    if limits is not None and limits[0] < limits[1]:
        return Interval(max(limits[0], asked.measure.low), min(limits[1], asked.measure.high), level, CLUSTER_BOOTSTRAP)
    told = "All draws of clusters give the same" if draws.size else "No draw of clusters has a value of"
    how: dict[str, Any] = {"positive": asked.label, "average": asked.average, "beta": asked.beta}
    usual = count_interval(asked.counts, asked.measure.name, level=level, **how)
    doubt = Finding("A507", f"{told} {asked.name}, which is no certainty.", f"Its interval is by {usual.method}.")
    return replace(usual, findings=(doubt,))


def two_sided(level: float) -> float:
    """Return the level of the two-sided interval whose ends hold one by one with `level`."""
    return 2 * level - 1


def one_sided(
    counts: ConfusionCounts,
    measure: Measure,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: object = None,
    average: str | None = None,
) -> Interval:
    """Return a lower and an upper limit of a count measure, each of which holds the truth with `level`."""
    # exact bounds of shares, or what follows from them; else those of as many cases as it is worth (Korn and Graubard 1998)
    chosen = fitting(method, measure, average)
    if chosen == "default" and (measure.name in _BALANCED or (average and measure.name in _APART)):
        own = counts if positive is None else counts.binary(positive)
        return _exact_means(measure, effective(own, measure, level=two_sided(level)), level)
    if chosen == "default":
        chosen = next(each for each in offered(measure, average) if each.endswith(EXACT))
    sure = level if chosen.endswith(EXACT) else two_sided(level)
    interval = count_interval(counts, measure.name, level=sure, method=chosen, positive=positive, average=average)
    if measure.name != "g_mean" or method != "default":
        return interval
    # A class with few errors makes the effective size too large: there its own limits are wider.
    other = count_interval(counts, measure.name, level=two_sided(level), positive=positive)
    return replace(interval, low=min(interval.low, other.low), high=max(interval.high, other.high))


def _exact_means(measure: Measure, counts: ConfusionCounts, level: float) -> Interval:
    """Return exact limits of every class put together; on the side of no errors not less than those of all classes at once."""
    # one error in each of eight classes is more than eight classes say one by one: with their limits alone a claim that was met
    # failed in up to 10% of simulated tables
    of = measure if isinstance(measure, ClassMeasure) else SENSITIVITY
    (hits, cases), bounds = _shares(of, counts), OF_SHARE[EXACT]
    k = cases.size
    each = np.array([bounds(x, n, level) for x, n in zip(hits.tolist(), cases.tolist(), strict=True)])
    low, high = mover.mover(hits / cases, each[:, 0], each[:, 1], np.full(k, 1 / k))
    at_once = mover.unbiased_centre(hits, cases, level, limits=bounds)
    low, high = (low, max(high, at_once[1])) if measure.higher_is_better else (min(low, at_once[0]), high)
    low, high = _moved(measure, low, high, k)
    return Interval(max(low, measure.low), min(high, measure.high), level, OF_MEANS)
