"""Two learners tried by the same plan: their differences fold by fold, and what follows.

The default takes the variance corrected for shared training cases; tests known to find differences where there are none are
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, argument, counted, dataclass, safe, wording
from adjudge._base.arrays import FloatArray
from adjudge.counts.numbers import NumberCounts
from adjudge.estimates.differences import Difference
from adjudge.estimates.over_folds import fold_values
from adjudge.judgements.comparison import Comparison, judge_difference
from adjudge.judgements.decision import ASSURANCE, ErrorRate, known_error
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.textbook import correlated_t, five_by_two, nadeau_bengio, paired_t
from adjudge.metrics.measure import Measure
from adjudge.stats.distribution import Distribution
from adjudge.stats.student import PointDistribution, StudentDistribution

METHODS = ("correlated-t", "nadeau-bengio", "paired-t", "5x2cv-t", "5x2cv-f", "mcnemar", "mcnemar-mid")
_TWO, _FIVE = 2, 5
_MEASURED_OVER = {"folds": 10, "repeated folds": 100, "subsampling": 30}  # splits over which false alarms were measured


@dataclass(frozen=True, slots=True, eq=False)
class SameFolds:
    """The values of learners in the folds that all of them answered."""

    names: tuple[str, ...]
    values: FloatArray  # folds x learners
    repeat: tuple[int, ...]
    test_share: float
    kind: str
    cases: int
    lost: int  # folds that not all learners answered


def same_folds(many: list[Resampled], names: tuple[str, ...], measure: Measure) -> SameFolds:
    """Return the values of learners fold by fold, refusing those that were not tried by the same plan."""
    first = many[0].plan
    for name, other in zip(names[1:], many[1:], strict=True):
        if other.plan.fingerprint != first.fingerprint:
            told = f" was tried by the plan {first.fingerprint[:12]} and {name} by {other.plan.fingerprint[:12]}: "
            one = argument("by", python="by=plan('10x10-fold', X, y, random_state=0)")
            raise InputError(names[0], told, "training or test cases differ. Try both by one plan, e.g. ", one, ".")
    # runs that learnt and judged other targets, where all folds answered and can be laid side by side
    truths = [np.asarray(resampled.run_result.columns["truth"]) for resampled in many]
    for name, truth in zip(names[1:], truths[1:], strict=True):
        if truth.shape == truths[0].shape and not many[0].run_result.failures and not np.array_equal(truth, truths[0]):
            raise InputError(names[0], f" and {name} were tried on different targets y; try both on the same cases.")
    if first.kind == "bootstrap":
        told = "Rounds of the bootstrap test overlapping cases; their differences have no known test. Compare "
        raise InputError(wording(told, argument("by", "10x10-fold"), "."))
    each = [_by_unit(resampled, measure) for resampled in many]
    for name, known in zip(names, each, strict=True):
        refuse_infinite(name, np.array(list(known.values())), measure)
    units = [unit for unit in range(len(first)) if all(unit in values for values in each)]
    values = np.array([[values[unit] for values in each] for unit in units], dtype=np.float64)
    lacking = int(np.isnan(values).any(axis=1).sum()) if units else 0
    if lacking:
        where = f"{counted(lacking, 'fold')} of {len(units)}"
        raise InputError(measure.name, f" has no value in {where}: choose another measure, or fewer and larger folds.")
    repeat = tuple(first.repeat[unit] for unit in units)
    return SameFolds(names, values, repeat, first.test_share, first.kind, first.rows, len(first) - len(units))


def refuse_infinite(name: str, values: FloatArray, measure: Measure) -> None:
    """Refuse values over folds of which some are infinite: they have no difference to judge."""
    many = int(np.isinf(values).sum())
    if many:
        where = f"{measure.name} of {safe(name)} is infinite in {many:,} of {counted(len(values), 'fold')}"
        msg = f"{where}; choose another measure, or fewer and larger folds."
        if measure.name == "log_loss":
            told = f"{where}: it gives the true class of some case the probability 0. Use "
            msg = wording(told, argument("measure", "brier"), ", which stays finite.")
        raise InputError(msg)


def _by_unit(resampled: Resampled, measure: Measure) -> dict[int, float]:
    """Return the value of a measure by the number of the fold."""
    over = resampled.estimates.get(measure.name)
    if over is not None and over.folds.size:
        values = over.folds
    elif isinstance(resampled.counted, NumberCounts):
        msg = f"{measure.name} is a measure of classes, but {resampled.learner} predicts numbers; compare mae, mse, rae or rse."
        raise InputError(msg)
    else:
        values = fold_values([measure], resampled.counted, np.asarray(resampled.run_result.columns["fold"]))[measure.name]
    answered = [unit for unit in range(len(resampled.plan)) if unit not in resampled.run_result.failures]
    return dict(zip(answered, values.tolist(), strict=True))


def compare_folds(
    folds: SameFolds, measure: Measure, *, method: str, margin: Any, level: float, assurance: float = ASSURANCE
) -> Comparison:
    """Return the verdict on two learners from their differences over the same folds."""
    d = folds.values[:, 0] - folds.values[:, 1]
    if d.size < _TWO:
        told = f"{counted(d.size, 'fold')} of both learners: differences over folds need at least two. Compare "
        raise InputError(wording(told, argument("by", "10x10-fold"), "."))
    alike = bool(np.ptp(d) == 0 and d[0] != 0)
    if alike:  # folds that agree to the last digit do not make a difference certain: as if one more had found none
        d = np.append(d, 0.0)
    distribution, p_value, rate, told = _WAYS[method](d, folds, level)
    difference = Difference(float(folds.values[:, 0].mean()), float(folds.values[:, 1].mean()), distribution, told)
    findings = list(of_lost(folds))
    if alike:
        told = "All folds have exactly the same difference, so there is no spread to compare it with."
        advice = "The spread was taken as if one more fold had found no difference; try repeated folds."
        findings.append(Finding("A712", told, advice))
    if rate is None:
        told = "It was not measured how often this method finds a difference where there is none over such a plan."
        advice = wording("Compare ", argument("by", "10x10-fold"), ", where that was measured.")
        findings.append(Finding("A709", told, advice))
    how: dict[str, Any] = {"cases": folds.cases, "margin": margin, "level": level, "assurance": assurance}
    how |= {"p_value": p_value, "type_i_error": rate, "findings": tuple(findings)}
    return judge_difference(difference, measure, names=(folds.names[0], folds.names[1]), **how)


Answer = tuple[Distribution, float, ErrorRate | None, str]


def _corrected(d: FloatArray, folds: SameFolds, level: float, *, bayesian: bool) -> Answer:
    """Return the corrected t, by its Bayesian or by its classical name and errors."""
    tested = nadeau_bengio(d, test_share=folds.test_share, level=level)
    posterior = correlated_t(d, test_share=folds.test_share, margin=0.0)
    rate = (_measured(folds, "correlated_t") if bayesian else None) or _measured(folds, "nadeau_bengio")
    return posterior.distribution, tested.p_value, rate, posterior.method if bayesian else tested.method


def _measured(folds: SameFolds, method: str) -> ErrorRate | None:
    """Return how often a method is known to find a difference where there is none, if that was measured over such folds."""
    return known_error(method, folds.kind) if _MEASURED_OVER.get(folds.kind) == len(folds.values) else None


def _plain_t(d: FloatArray, folds: SameFolds, level: float) -> Answer:
    rate = known_error("paired_t", folds.kind)
    if rate is not None and rate.refused:
        name = "resampled t test" if folds.kind == "subsampling" else "uncorrected t test"
        told = f"The {name} {rate.over} finds a difference between equally good learners in {100 * rate.mean:.0f}% of all "
        told += f"comparisons and up to {100 * rate.max:.0f}%, where 5% are intended: splits share cases. Use "
        raise InputError(wording(told, argument("method", "correlated-t"), "."))
    tested = paired_t(d, level=level)
    distribution = StudentDistribution(tested.mean, tested.se, d.size - 1) if tested.se > 0 else PointDistribution(tested.mean)
    return distribution, tested.p_value, _measured(folds, "paired_t"), tested.method


def _five_by_two(d: FloatArray, folds: SameFolds, level: float, *, name: str) -> Answer:
    seen = d[: len(folds.repeat)]  # without the one that stands for doubt where all are alike
    repeats = [seen[np.array(folds.repeat) == r] for r in sorted(set(folds.repeat))]
    if len(repeats) != _FIVE or any(part.size != _TWO for part in repeats):
        told = "The 5 x 2 test needs five repetitions of two folds, "
        raise InputError(wording(told, argument("by", "5x2-fold"), f"; the plan has {counted(seen.size, 'fold')}."))
    tested, distribution = five_by_two(np.array(repeats)), _corrected(d, folds, level, bayesian=True)[0]
    told = f"{tested.method}; probabilities by the correlated t"
    return distribution, tested.p_t if name == "t" else tested.p_f, known_error(f"five_by_two_{name}", "repeated folds"), told


_WAYS: dict[str, Callable[[FloatArray, SameFolds, float], Answer]] = {
    "correlated-t": partial(_corrected, bayesian=True),
    "nadeau-bengio": partial(_corrected, bayesian=False),
    "paired-t": _plain_t,
    "5x2cv-t": partial(_five_by_two, name="t"),
    "5x2cv-f": partial(_five_by_two, name="f"),
}


def of_lost(folds: SameFolds) -> Iterator[Finding]:
    """Yield what to know of folds that not all learners answered."""
    if folds.lost:
        lack, are = ("lacks", "is") if folds.lost == 1 else ("lack", "are")
        told = f"{counted(folds.lost, 'fold')} of the plan {lack} an answer from one of the learners and {are} left out."
        yield Finding("A708", told, "Look at the failures of each learner before you use the difference.", folds.lost)
