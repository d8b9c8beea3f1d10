"""How much two classifiers differ in a measure of scores or of numbers, on the same cases or on different ones.

AUCs by DeLong's variance; losses that are means over cases by the t interval of their differences; whatever else there is, by
drawing the weights of the cases anew, the same for both (Rubin 1981, Ann. Stat. 9:130-134).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge.counts.joint import losses, scores_of, tally_set
from adjudge.counts.numbers import NumberCounts, sum_numbers
from adjudge.counts.tally import Tally
from adjudge.estimates.clustered import area_effect, loss_effect
from adjudge.estimates.clustered_pairs import effect_of_rows, of_sides
from adjudge.estimates.differences import Difference
from adjudge.estimates.over_folds import value_of
from adjudge.estimates.redrawn import redrawn_scores
from adjudge.estimates.scored import score_interval
from adjudge.metrics.measure import OtherMeasure
from adjudge.predictions.alignment import Together, ungrouped
from adjudge.stats import special
from adjudge.stats.clustered import ClusterEffect
from adjudge.stats.difference_tests import area_steps, signed_tail, welch
from adjudge.stats.distribution import Distribution
from adjudge.stats.ranking import case_influences, influence_covariance
from adjudge.stats.student import PointDistribution, StudentDistribution
from adjudge.stats.transforms import Drawn, widened_student, within

MEANS = ("brier", "log_loss", "mae", "mse")  # losses that are means over cases
_TWO = 2
_FEWEST_CASES = 1.999
_LEVEL = 0.95
_MANY = 1_000  # cases of each class from which on few of them are no danger
_TINY = 1e-300
_ROUNDING = 1e-20  # a variance of placements that is none
_UNIFORM = 1 / 12  # the variance of a placement that may be anywhere


def score_difference(
    cases: Together,
    measure: OtherMeasure,
    i: int,
    j: int,
    *,
    values: tuple[float, float] | None = None,
    draws: FloatArray | None = None,
    level: float = _LEVEL,
    rng: Any = 0,
) -> Difference:
    """Return the difference of a measure of scores or numbers between sets `i` and `j` on the same cases.

    `values` of both, and `draws` x sets where the measure takes such, are what is known already.
    """
    a, b = values or (value_in(cases, measure, i), value_in(cases, measure, j))
    if not (math.isfinite(a) and math.isfinite(b)):
        return Difference(a, b, None, "")
    if measure.name == "auc":
        return _of_areas(cases, i, j, (a, b))
    if measure.name in MEANS:
        each = losses(cases, i, measure.name) - losses(cases, j, measure.name)
        if cases.grouped:
            return Difference(a, b, *_of_clustered_mean(each, cases))
        distribution = mean_distribution(each, cases.weight, cases.rows / cases.cases)
        return Difference(a, b, distribution, "paired t of the losses of the cases", effect=effect_of_rows(cases, each, 0.0))
    given = redrawn_scores(cases, [measure], [i, j], rng)[measure.name] if draws is None else draws[:, [i, j]]
    leads = given[:, 0] - given[:, 1]
    if cases.grouped:
        alone = None if draws is not None else redrawn_scores(ungrouped(cases), [measure], [i, j], rng)[measure.name]
        leads, effect = _of_drawn_clusters(cases, leads, None if alone is None else alone[:, 0] - alone[:, 1], level)
        return Difference(a, b, Drawn(leads), f"paired Bayesian bootstrap of clusters, {leads.size:,} draws", effect=effect)
    told = f"paired Bayesian bootstrap of cases, {leads.size:,} draws"
    return Difference(a, b, Drawn(leads), told, effect=effect_of_rows(cases, np.zeros(cases.rows), 0.0))


def value_in(cases: Together, measure: OtherMeasure, i: int) -> float:
    """Return the value of a measure for one set."""
    if measure.needs == "numbers":
        return float(measure.of(numbers_in(cases, i)))
    return value_of(measure, tally_set(cases, i, sums=measure.needs == "probabilities"))


def numbers_in(cases: Together, i: int) -> NumberCounts:
    """Return the summed losses of one set."""
    return sum_numbers(cases.truth, cases.predicted[i], cases.weight)


def mean_distribution(each: FloatArray, weight: FloatArray | None, repeats: float = 1.0) -> Distribution:
    """Return the posterior of the mean of differences, with `repeats` a case: Student's t, cases as many as they are worth."""
    w = np.ones(each.size) if weight is None else weight
    worth, mean = float(w.sum()) ** 2 / float((w * w).sum()) / repeats, float(np.average(each, weights=w))
    spread = float(np.average((each - mean) ** 2, weights=w))
    if worth < _FEWEST_CASES:
        msg = f"A mean difference over {worth:.3g} cases has no spread to compare it with; compare on at least two."
        raise InputError(msg)
    if spread <= 0 and mean:  # all differ alike: as if one more case did not
        spread = mean**2 * worth / (worth + 1) ** 2
    return PointDistribution(mean) if spread <= 0 else StudentDistribution(mean, math.sqrt(spread / (worth - 1)), worth - 1)


def _of_clustered_mean(each: FloatArray, cases: Together) -> tuple[Distribution, str, None, ClusterEffect | None]:
    """Return Student's t of the mean of differences by the sums over clusters, how it was made, and what clusters do to it."""
    w = _weights(cases)
    worth, mean = float(w.sum()) ** 2 / float((w * w).sum()) * cases.cases / cases.rows, float(np.average(each, weights=w))
    spread = float(np.average((each - mean) ** 2, weights=w))
    effect, method = effect_of_rows(cases, each - mean, spread / worth), "paired t of the losses by cluster"
    assert effect is not None
    if spread <= 0 and mean:  # all differ alike: as if one more cluster did not
        return StudentDistribution(mean, abs(mean) / (effect.clusters + 1), effect.degrees), method, None, effect
    if spread <= 0:
        return PointDistribution(mean), method, None, effect
    return StudentDistribution(mean, math.sqrt(spread / worth * effect.design_effect), effect.degrees), method, None, effect


def _of_drawn_clusters(
    cases: Together, leads: FloatArray, alone: FloatArray | None, level: float
) -> tuple[FloatArray, ClusterEffect]:
    """Return draws of a difference over clusters, as wide as so few let one be at a level; and against those of rows `alone`."""
    assert cases.cluster_keys is not None
    many, middle = cases.cluster_keys.size, float(np.nanmean(leads))
    if many == 1:
        msg = "All rows are of one cluster, so that the difference has no spread to compare it with; compare on at least two."
        raise InputError(msg)
    degrees, tail = max(many - 1, 1), (1 + level) / 2
    draws, spread = (many + 1) / degrees, math.nan if alone is None else float(np.nanvar(alone))
    deff = draws * float(np.nanvar(leads)) / spread if spread > 0 else math.nan if math.isnan(spread) else 1.0
    wider = math.sqrt(draws) * float(special.stdtrit(degrees, tail) / special.ndtri(tail))
    return middle + (leads - middle) * wider, ClusterEffect(deff, degrees, many)


def _of_areas(cases: Together, i: int, j: int, areas: tuple[float, float]) -> Difference:
    """Return the difference of two AUCs with Student's t, no surer of its sign than the test that swaps ranks case by case.

    Of rows in clusters the variance is that of the sums over clusters (Obuchowski 1997, Biometrics 53:567-578), and the ranks of
    whole clusters are swapped.
    """
    difference = areas[0] - areas[1]
    repeats, seen, weight = cases.rows / cases.cases, _spoken_of(cases), _weights(cases)
    part: IntArray = (cases.truth if len(seen) > 1 else cases.truth == seen[0]).astype(np.int64)
    sizes = np.bincount(part, weights=weight) ** 2 / np.maximum(np.bincount(part, weights=weight**2), _TINY)
    if len(seen) == 1 and np.bincount(part[weight > 0], minlength=_TWO).min() < _TWO:
        msg = "A class has one case only, so that the AUC has no variance to compare by. Collect more cases of it."
        raise InputError(msg)
    moved = _influences(cases, [i, j], seen, weight)
    variance, df = welch(moved[0] - moved[1], part, weight)
    least = float(sizes[sizes > 0].min()) / repeats
    alike = variance <= _ROUNDING
    if alike:  # as if each misplaced one more case of the smaller class
        variance, df = 2 * _UNIFORM / ((least + 4) * (least + 5) * len(seen)), max(least - 1, 1.0)
    else:
        variance *= repeats
    influences, alone = (moved[0], welch(moved[0], part, weight)[0] * repeats) if alike else (moved[0] - moved[1], variance)
    df, effect, by = df / repeats, effect_of_rows(cases, influences, alone, by_class=True), "DeLong"
    if cases.grouped and effect is not None:
        variance, df, by = variance * effect.design_effect, effect.degrees, "DeLong by clusters (Obuchowski 1997)"
    distribution = StudentDistribution(difference, math.sqrt(variance), max(1.0, df))
    over = "" if len(seen) == 1 else ", mean over classes"
    if least >= _MANY:  # both tests are normal by then, and swaps of a million ranks take their time
        return Difference(*areas, within(distribution, -1.0, 1.0), f"{by}{over}, t", effect=effect)
    steps = [area_steps(scores_of(cases, i, c), scores_of(cases, j, c), cases.truth == c, weight) for c in seen]
    moves = np.mean(steps, axis=0) * math.sqrt(repeats)
    if cases.grouped:
        moves = np.asarray(np.bincount(np.asarray(cases.cluster), np.mean(steps, axis=0)), dtype=np.float64)
    p, told = signed_tail(moves, abs(difference)), f"{by}{over}, t, no surer than swaps of ranks"
    return Difference(*areas, within(widened_student(distribution, p), -1.0, 1.0), told, effect=effect)


def _spoken_of(cases: Together) -> list[int]:
    """Return the classes whose AUC is meant: the one looked for, one of two, or all that have a case."""
    if cases.positive is not None:
        return [cases.positive]
    if len(cases.classes) == _TWO:
        return [cases.columns[0][-1]]  # of two classes both have the same
    return [int(at) for at in np.flatnonzero(np.bincount(cases.truth, minlength=len(cases.classes)))]


def _weights(cases: Together) -> FloatArray:
    return np.ones(cases.rows) if cases.weight is None else cases.weight


def _influences(cases: Together, which: list[int], seen: list[int], weight: FloatArray) -> list[FloatArray]:
    """Return by how much each case moves the AUC of each set, the mean over the classes spoken of."""
    return [np.mean([case_influences(scores_of(cases, at, c), cases.truth == c, weight) for c in seen], axis=0) for at in which]


def influences(cases: Together, which: list[int]) -> list[FloatArray]:
    """Return by how much each case moves the AUC of each set."""
    return _influences(cases, which, _spoken_of(cases), _weights(cases))


def area_covariance(cases: Together, which: list[int]) -> FloatArray:
    """Return the covariances of the AUCs of several sets, each the mean over the classes spoken of."""
    weight, k = _weights(cases), len(cases.classes)
    rows = influences(cases, which)
    sums, squares = (np.bincount(cases.truth, weights=w, minlength=k) for w in (weight, weight**2))
    sizes = np.divide(sums**2, squares, out=np.zeros(k), where=squares > 0)
    return influence_covariance(np.stack(rows), cases.truth.astype(np.int64), weight, sizes)


def independent_scores(a: Tally | NumberCounts, b: Tally | NumberCounts, measure: OtherMeasure) -> Difference:
    """Return the difference on different cases: the standard errors that the intervals have, with Welch's degrees of freedom."""
    one, other = (float(measure.of(each)) if isinstance(each, NumberCounts) else value_of(measure, each) for each in (a, b))
    if not (math.isfinite(one) and math.isfinite(other)):
        return Difference(one, other, None, "")
    errors, known = [], 0.0
    for counted in (a, b):
        limits = score_interval(counted, measure.name, level=_LEVEL)
        errors.append((limits.high - limits.low) / (2 * float(special.ndtri((1 + _LEVEL) / 2))))
        support = np.array([counted.n]) if isinstance(counted, NumberCounts) else counted.confusion.support
        cases = float(support[support > 0].min() if measure.needs == "scores" else support.sum())
        known += errors[-1] ** 4 / max(1.0, cases - 1)
    sides = [each for each in (a, b) if isinstance(each, Tally)]
    effects = [_effect(each, measure) for each in sides]
    effect = of_sides([each.confusion for each in sides], effects) if any(effects) else None
    spread, told = math.hypot(*errors), "independent samples, t with the standard errors of both intervals"
    d, span = one - other, measure.high - measure.low
    if known <= 0:
        return Difference(
            one, other, PointDistribution(d) if spread <= 0 else StudentDistribution(d, spread), told, effect=effect
        )
    student = StudentDistribution(d, spread, max(1.0, spread**4 / known))
    return Difference(one, other, within(student, -span, span) if math.isfinite(span) else student, told, effect=effect)


def _effect(tally: Tally, measure: OtherMeasure) -> ClusterEffect | None:
    """Return what the clusters of one set do to a measure, where that is known."""
    if measure.name != "auc":
        return loss_effect(tally, measure.name) if measure.name in MEANS else None
    return None if tally.of_interest is None else area_effect(tally, tally.of_interest)
