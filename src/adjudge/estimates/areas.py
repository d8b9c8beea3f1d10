"""Intervals of the AUC: of one class against the rest, and of the mean over classes.

Weighted cases count as many as they are worth on either side, files too large to keep their scores are judged by their
tables. No interval has width 0: where no pair is out of order, Newcombe's limits still know the number of cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.text import quoted
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Interval
from adjudge.stats import auc_limits, bands, placements
from adjudge.stats.ranking import ScoreTable

RESAMPLES = 2000
# distinct scores in resampling; of more, neighbours are put together and the replicates centred on the exact AUC
MOST_BINS = 512
FEW_OF_A_CLASS = 10

Limits = tuple[float, float]

_OF_AREA: dict[str, Callable[..., Limits]] = {
    "hull": auc_limits.hull,
    "newcombe": lambda area, _, m, n, level: auc_limits.newcombe_limits(area, m, n, level),
    "delong": auc_limits.delong_limits,
    "logit-delong": auc_limits.logit_delong_limits,
}
METHODS = (*_OF_AREA, "bootstrap", "bca")  # for the AUC of one class
METHODS_OF_MEAN = ("mover", "logit-delong")  # for the mean over classes


@dataclass(frozen=True, slots=True)
class _Area:
    """An AUC, its variance, and the (effective) cases of the class and of the rest."""

    area: float
    variance: float
    m: float
    n: float


def area_interval(tally: Tally, at: int, *, level: float = 0.95, method: str = "default", rng: Any = 0) -> Interval | None:
    """Return the interval of the AUC of one class against the rest, or None where there is no AUC.

    Methods are hull (the default), newcombe, delong, logit-delong, and bootstrap and bca, which draw cases within
    the class and within the rest, since an AUC given the scores does not depend on how many there are of either.
    """
    chosen = "hull" if method == "default" else method
    if chosen not in METHODS:
        msg = f"There is no {method!r} interval of auc. Methods are: default, {', '.join(METHODS)}."
        raise InputError(msg)
    found = _area(tally, at)
    if found is None or tally.scores is None:
        return None
    if chosen in _OF_AREA:
        return _of_formula(found, chosen, level, tally.scores.bound(at))
    limits = _resampled(tally.scores, at, found, chosen, level, rng)
    if limits is not None:
        return Interval(*limits, level, chosen)
    told = Finding("A507", "All resamples give the same auc.", "Its interval joins Newcombe's and the logit DeLong limits.")
    return _of_formula(found, "hull", level, tally.scores.bound(at), (told,))


def _of_formula(found: _Area, method: str, level: float, bound: float, doubts: tuple[Finding, ...] = ()) -> Interval:
    """Return limits, wider by what binning may have moved the AUC."""
    low, high = _OF_AREA[method](found.area, found.variance, found.m, found.n, level)
    return Interval(max(0.0, low - bound), min(1.0, high + bound), level, method, doubts)


def _area(tally: Tally, at: int) -> _Area | None:
    counts, scores, rest = tally.confusion, tally.scores, np.arange(tally.confusion.k) != at
    m, n = float(counts.support[at]), float(counts.support[rest].sum())
    if scores is None or not (m and n):
        return None
    if isinstance(counts, WeightedCounts):  # cases count as many as they are worth: (sum w)^2 / sum w^2
        squares = counts.squares.sum(axis=1)
        m, n = m * m / float(squares[at]), n * n / float(squares[rest].sum())
    if scores.scores is None or scores.truth is None or scores.weight is not None or at not in scores.columns:
        table = scores.table(at)
        if not isinstance(table, ScoreTable):
            return None
        area, variance = placements.delong_of(table.positives, table.negatives, m, n)
        return _Area(scores.area(at) if scores.exact else area, variance, m, n)
    return _Area(*auc_limits.delong(scores.scores[:, scores.columns.index(at)], scores.truth == at), m, n)


def _resampled(scores: ScoreCounts, at: int, found: _Area, method: str, level: float, rng: Any) -> Limits | None:
    """Return limits from drawing cases of either side again, or None where the draws tell nothing."""
    table = scores.table(at)
    assert isinstance(table, ScoreTable)
    ours, theirs = placements.grouped(table.positives, table.negatives, MOST_BINS)
    ours, theirs = ours * (found.m / ours.sum()), theirs * (found.n / theirs.sum())
    draws = bands.binned_auc_replicates(ours, theirs, RESAMPLES, np.random.default_rng(rng), stratified=True)
    middle = bands.binned_auc(ours, theirs)
    if method == "bootstrap":
        limits = bands.percentile(draws, level)
    else:
        limits = bands.bca(draws, middle, *placements.area_jackknife(ours, theirs, found.m, found.n), level)
    if limits is None or not limits[0] < limits[1]:
        return None
    low, high = (min(max(end - middle + found.area, 0.0), 1.0) for end in limits)
    return (low, high) if low < high else None


def macro_area_interval(tally: Tally, *, level: float = 0.95, method: str = "default") -> Interval | None:
    """Return the interval of the mean of the AUCs of every class against the rest, or None where one has none.

    "mover", the default, puts the classes' own limits together with the correlations of their AUCs; "logit-delong" has limits on
    the logit from the variance of the mean, and is too narrow near 1 and with few cases in a class. In a file too large to
    keep its scores nothing is known of how AUCs go together, and the limits are the widest: the means of the limits.
    """
    chosen = "mover" if method == "default" else method
    if chosen not in METHODS_OF_MEAN:
        msg = f"There is no {method!r} interval of macro auc. Methods are: default, {', '.join(METHODS_OF_MEAN)}."
        raise InputError(msg)
    seen = np.flatnonzero(tally.confusion.support > 0)
    areas = [found for found in (_area(tally, int(at)) for at in seen) if found is not None]
    scores = tally.scores
    if scores is None or len(areas) < seen.size or not areas:
        return None
    few = _few(tally, areas, chosen)
    if scores.scores is None or scores.truth is None:
        bound = max(scores.bound(at) for at in scores.columns)
        low, high = _put_together(areas, np.ones((len(areas), len(areas))), level)
        return Interval(max(0.0, low - bound), min(1.0, high + bound), level, "means", few)
    weight = np.ones(scores.truth.size) if scores.weight is None else scores.weight
    sizes = np.zeros(tally.confusion.k)
    sizes[seen] = [found.m for found in areas]
    influences = []
    for at in seen:  # of two classes with one score, the other class has its negative
        column = scores.scores[:, scores.columns.index(at)] if at in scores.columns else -scores.scores[:, 0]
        influences.append(placements.case_influences(column, scores.truth == at, weight))
    covariance = placements.influence_covariance(np.stack(influences), scores.truth, weight, sizes)
    if chosen == "mover":
        return Interval(*_put_together(areas, placements.correlations(covariance), level), level, chosen, few)
    least = min(areas, key=lambda found: found.m * found.n)
    mean, variance = float(np.mean([found.area for found in areas])), float(covariance.mean())
    return Interval(*auc_limits.logit_delong_limits(mean, variance, least.m, least.n, level), level, chosen, few)


def _put_together(areas: list[_Area], correlation: Any, level: float) -> Limits:
    each = np.array([auc_limits.hull(a.area, a.variance, a.m, a.n, level) for a in areas])
    return placements.mean_limits(np.array([a.area for a in areas]), each[:, 0], each[:, 1], correlation)


def _few(tally: Tally, areas: list[_Area], method: str) -> tuple[Finding, ...]:
    """Return the finding that a class has so few cases that one of them carries its part of the mean."""
    # with 2 to 8 cases logit limits held the truth in .67 to .97 of simulated samples, those put together in .93 to .99
    smallest = min(range(len(areas)), key=lambda i: areas[i].m)
    cases = areas[smallest].m
    if cases >= FEW_OF_A_CLASS:
        return ()
    label = quoted(tally.confusion.classes[int(np.flatnonzero(tally.confusion.support > 0)[smallest])])
    told = f"Too few rows of class {label} ({cases:.3g}): the interval of the macro AUC "
    if method == "mover":
        return (Finding("A503", told + "rests on them.", "Gather more of them.", cases),)
    return (Finding("A503", told + "is known to be too narrow.", wording("Take ", argument("method", "mover"), "."), cases),)
