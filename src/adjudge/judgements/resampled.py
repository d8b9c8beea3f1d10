"""How good a learner is, from a plan that was carried out.

All answers pooled speak of this test set. Folds, as draws that share training cases, speak of the algorithm (Nadeau and Bengio
2003): that interval is the wider one, and the honest one for a learner.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, Undefined, counted, dataclass, parameter, plain, replace, wording
from adjudge._base.arrays import FloatArray
from adjudge.counts.counting import count_confusion, tally
from adjudge.counts.numbers import NumberCounts, count_numbers
from adjudge.counts.tally import Tally
from adjudge.estimates import over_folds
from adjudge.estimates.estimate import Conventional, Estimate, Interval, share_interval
from adjudge.judgements.evaluation import Evaluation, Origin, Overfitting, completed, judge, judge_numbers, overfitting
from adjudge.judgements.findings import learner_findings
from adjudge.metrics.by_name import ByMeasure
from adjudge.metrics.catalogue import find as find_measure
from adjudge.metrics.measure import Measure, OtherMeasure
from adjudge.metrics.on_scores import ON_NUMBERS
from adjudge.predictions.model import Predictions
from adjudge.resampling.plan import Plan
from adjudge.resampling.run_result import RunResult
from adjudge.stats.student import limits_around, mean_and_spread

MEASURES = ("accuracy", "error", "balanced_accuracy", "mcc")
ALGORITHM = "this algorithm: corrected t over folds (Nadeau-Bengio)"
_UNITS = {"bootstrap": "round", "subsampling": "split", "holdout": "split"}  # what one fit of a plan is called; else a fold


@dataclass(frozen=True, slots=True, eq=False)
class OverFolds(Shown):
    """One measure of a learner, in every way it is put together; what the plan does not give is None."""

    measure: str
    pooled: float  # over all answers together
    mean_of_folds: float  # the mean of the folds; differs from `pooled` where folds differ in size
    algorithm: Interval | None  # for the algorithm: t interval over folds with the variance corrected for shared training cases
    conventional: Conventional | None  # the mean of folds give or take two standard errors: for comparison, too short
    folds: FloatArray  # the value of each fold that answered, in order; NaN where it has none
    bootstrap632: float | None = None  # mean over rounds of .632 on cases left out + .368 on all cases
    efron632: float | None = None  # Efron's form: .632 on cases left out, averaged case by case, + .368 resubstitution
    bootstrap632plus: float | None = None  # Efron's form, leaning to the cases left out the more it overfits

    def __repr__(self) -> str:
        limits = "" if self.algorithm is None else f", algorithm {self.algorithm.low:.4g} to {self.algorithm.high:.4g}"
        return f"{self.measure}: pooled {self.pooled:.4g}, mean of folds {self.mean_of_folds:.4g}{limits}"


@dataclass(frozen=True, slots=True)
class Fold(Shown):
    """One unit of the plan: how many cases it tested, how well, or why it failed."""

    fold: int
    repeat: int
    training_cases: int
    cases: int
    estimates: dict[str, Estimate]
    failure: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Resampled(ByMeasure, Shown):
    """A learner evaluated on held-out cases.

    ``estimates`` maps a measure's name to all its forms, ``pooled`` is the evaluation of all answers (this test set),
    ``by_fold`` has a row per fold, ``resubstitution`` is the evaluation of the training cases and ``overfitting``
    compares the two.
    """

    learner: str
    run_result: RunResult
    counted: Tally | NumberCounts
    estimates: dict[str, OverFolds]
    pooled: Evaluation  # of all answers together, this test set; cases tested several times count once in intervals
    resubstitution: Evaluation | None  # of a learner on its training cases: how well it remembers; None where that fit failed
    overfitting: Overfitting | None  # how much better the learner does on its training cases; of classes only
    by_fold: tuple[Fold, ...]  # one row per fold, failed ones with the reason
    findings: tuple[Finding, ...]  # caveats: of the run first, then of the predictions
    level: float = 0.95

    def completed(self) -> Resampled:
        """Return the same with what takes longer: corrections of the pooled answers, and intervals of their partition."""
        return replace(self, pooled=completed(self.pooled))

    @property
    def plan(self) -> Plan:
        """The training rows and test rows of each fold."""
        return self.run_result.plan

    @property
    def predictions(self) -> Predictions:
        """The predictions of all held-out cases, with row and fold."""
        return self.run_result.predictions

    @property
    def failures(self) -> dict[int, str]:
        """Why a fold has no answer, by its number from 1; the number after the last is the fit on all rows."""
        return {unit + 1: why for unit, why in self.run_result.failures.items()}

    @property
    def out_of_bag(self) -> tuple[float, float] | None:
        """The share of cases that rounds of the bootstrap left out, and the share to expect; 1/e for many cases."""
        if self.plan.kind != "bootstrap":
            return None
        n = self.plan.rows
        return float(np.mean([part.size for part in self.plan.test]) / n), over_folds.out_of_bag_share(n)

    @property
    def unit(self) -> str:
        """The name of one fit of the plan: fold, round or split."""
        return _UNITS.get(self.plan.kind, "fold")

    @property
    def summary(self) -> str:
        """How much of the plan was carried out, e.g. "9 of 10 folds"."""
        whole = counted(len(self.plan), self.unit)
        return whole if self.run_result.answered == len(self.plan) else f"{self.run_result.answered} of {whole}"

    def save(self, path: str | os.PathLike[str]) -> Path:  # type: ignore[override]  # data, which have no title
        """Write the predictions as a .csv or a .parquet file, to be evaluated again or compared."""
        return self.run_result.save(path)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the predictions as plain Python, ready for JSON."""
        names = ("learner", "summary", "estimates", "level", "failures", "findings")
        more, plan = ("pooled", "resubstitution", "overfitting", "by_fold", "out_of_bag"), self.plan
        about = {"name": plan.name, "kind": plan.kind, "rows": plan.rows, "units": len(plan)}
        about |= {name: getattr(plan, name) for name in ("seed", "fingerprint", "test_share")}
        return {name: plain(getattr(self, name)) for name in (*names, *more)} | {"plan": about}

    def __repr__(self) -> str:
        head = f"{self.learner}: {self.summary} of {self.plan.name}, {counted(self.run_result.cases, 'case')}"
        return "\n".join([head, *(f"  {over!r}" for over in self.estimates.values())])


def judge_run(ran: RunResult, *, learner: str, measures: Sequence[str] = MEASURES, level: float = 0.95) -> Resampled:
    """Return how good a learner is, from what its run found."""
    counts, estimates = estimate_run(ran, measures, level)
    pooled, resubstitution, seen = _pooled(ran, counts, level), None, ran.seen
    if seen is not None:
        known = count_numbers(seen) if ran.numeric else tally(seen)
        resubstitution = _judged(known, Origin("the training cases", ran.plan.rows, None, seen.roles), level)
    gap = None if resubstitution is None or ran.numeric else overfitting(resubstitution, pooled)
    findings = (*ran.remarks, *learner_findings(ran, {name: over.folds for name, over in estimates.items()}), *pooled.findings)
    by_fold = _by_fold(ran, estimates, level)
    return Resampled(learner, ran, counts, estimates, pooled, resubstitution, gap, by_fold, findings, level)


def estimate_run(
    ran: RunResult, measures: Sequence[str] = MEASURES, level: float = 0.95
) -> tuple[Tally | NumberCounts, dict[str, OverFolds]]:
    """Return the counts of all answers, and every measure over the folds."""
    kind = ran.plan.kind
    share = None if kind in ("bootstrap", "leave-one-out") else ran.plan.test_share  # drawn or single cases make no interval
    if ran.numeric:
        losses = count_numbers(ran.predictions)
        return losses, _of_numbers(ran, losses, share, level)
    wanted = measures_of_classes([measures] if isinstance(measures, str) else measures)
    counts, estimates = tally(ran.predictions), {}
    values = {} if kind == "leave-one-out" else over_folds.fold_values(wanted, counts, np.asarray(ran.columns["fold"]))
    forms = _forms_632(ran, wanted, values, counts.positive)
    for measure in wanted:
        each, pooled = values.get(measure.name, np.zeros(0)), over_folds.value_of(measure, counts)
        estimates[measure.name] = _over_folds(measure, pooled, each, share, level, **forms.get(measure.name, {}))
    return counts, estimates


def _judged(counts: Tally | NumberCounts, origin: Origin, level: float, repeats: float = 1.0) -> Evaluation:
    if isinstance(counts, NumberCounts):
        return judge_numbers(counts, origin, level=level, repeats=repeats)
    return judge(counts, origin, level=level, repeats=repeats)


def _pooled(ran: RunResult, counts: Tally | NumberCounts, level: float) -> Evaluation:
    """Return the evaluation of all answers together; whose accuracy it is, in the words of the plan."""
    origin = Origin(ran.plan.name, int(ran.times.sum()), ran.plan.fingerprint, ran.predictions.roles)
    evaluation, unit = _judged(counts, origin, level, origin.rows / ran.cases), _UNITS.get(ran.plan.kind, "fold")
    if (posteriors := evaluation.accuracy_posteriors) is None:
        return evaluation
    # rounds are no folds, and cases left out one by one had as many models
    tested, bar = posteriors.tested.replace("fold", unit), posteriors.conventional
    if ran.plan.kind == "leave-one-out":
        tested = f"an algorithm, leave-one-out, {counted(ran.cases, 'case')}"
    over = replace(bar, over=bar.over.replace("fold", unit))
    return replace(evaluation, accuracy_posteriors=replace(posteriors, tested=tested, conventional=over))


def _by_fold(ran: RunResult, estimates: Mapping[str, OverFolds], level: float) -> tuple[Fold, ...]:
    rows, answered = [], iter(range(ran.answered))
    for unit, learnt in enumerate(ran.plan.training_cases):
        judged = ran.plan.test[unit].size
        head = (unit + 1, ran.plan.repeat[unit] + 1, learnt, judged)
        if unit in ran.failures:
            rows.append(Fold(*head, {}, ran.failures[unit]))
            continue
        at, each = next(answered), {}
        for name, over in estimates.items():
            if over.folds.size:
                value = float(over.folds[at])
                limits = share_interval(value, judged, level) if name in ("accuracy", "error") else None
                each[name] = Estimate(name, value, limits, cases=judged)
        rows.append(Fold(*head, each))
    return tuple(rows)


def measures_of_classes(names: Sequence[str]) -> list[Measure]:
    """Return the measures to follow over folds, refusing those of numbers."""
    wanted = [find_measure(name) for name in names]
    for measure in wanted:
        if measure.needs == "numbers":
            told = f"{measure.name} is a measure of numbers, but the learner predicts classes; leave it out of "
            raise InputError(wording(told, parameter("measures"), "."))
    return wanted


def _over_folds(
    measure: Measure, pooled: float, each: FloatArray, share: float | None, level: float, **forms: float | None
) -> OverFolds:
    mean = float(each.mean()) if each.size else pooled  # over single cases the two are the same
    algorithm = conventional = None
    if each.size and math.isnan(mean):
        mean = Undefined(f"it has no value in {counted(int(np.isnan(each).sum()), 'fold')}")
    if each.size > 1 and math.isfinite(mean):
        mean, spread = mean_and_spread(each)
        conventional = Conventional(mean, spread / math.sqrt(each.size), counted(each.size, "fold"))
        if share is not None:
            low, high = limits_around(mean, spread, each.size, test_share=share, level=level)
            algorithm = Interval(max(low, measure.low), min(high, measure.high), level, ALGORITHM)
    return OverFolds(measure.name, pooled, mean, algorithm, conventional, each, **forms)


def _forms_632(
    ran: RunResult, wanted: Sequence[Measure], values: Mapping[str, FloatArray], positive: int | None
) -> dict[str, dict[str, float]]:
    """Return the .632 estimates of count measures, by measure; none but of rounds of the bootstrap."""
    learnt = ran.seen if ran.plan.kind == "bootstrap" else None
    if learnt is None or ran.everything is None:
        return {}
    everything = tuple(tally(ran.everything).by_fold.values())  # the table of each round on all cases
    by_case, seen = count_confusion(ran.by_case), count_confusion(learnt)  # cases left out each count once
    by_measure: dict[str, dict[str, float]] = {}
    for measure in (measure for measure in wanted if not isinstance(measure, OtherMeasure)):
        each, on_all = values[measure.name], over_folds.of_many(measure, everything, positive)
        tables = (by_case, seen, over_folds.unrelated(seen))  # the last of the rule that all cases taught
        left_out, on_seen, nothing = (over_folds.of_table(measure, table, positive) for table in tables)
        if np.isnan([*each, *on_all, left_out, on_seen]).any():
            continue
        forms = by_measure[measure.name] = {"bootstrap632": over_folds.combine_632(each, on_all)}
        forms["efron632"] = over_folds.combine_632(left_out, on_seen)
        if measure.low >= 0 and not np.isnan(nothing):  # in [0, 1], and as an error where more is better
            sign, base = (-1, 1) if measure.higher_is_better else (1, 0)
            rates = [min(1.0, max(0.0, base + sign * v)) for v in (on_seen, left_out, nothing)]
            plus = over_folds.combine_632plus(resubstitution=rates[0], out_of_bag=rates[1], no_information=rates[2])
            forms["bootstrap632plus"] = base + sign * plus
    return by_measure


def _of_numbers(ran: RunResult, losses: NumberCounts, share: float | None, level: float) -> dict[str, OverFolds]:
    folds, truth, predicted = (np.asarray(ran.columns[name]) for name in ("fold", "truth", "predicted"))
    apart = [] if ran.plan.kind == "leave-one-out" else [folds == fold for fold in np.unique(folds)]
    parts, by_measure = [count_numbers(Predictions(truth[rows], predicted[rows])) for rows in apart], {}
    for measure in ON_NUMBERS:
        each, efron = np.array([measure.of(part) for part in parts], dtype=np.float64), None
        if ran.plan.kind == "bootstrap" and ran.seen is not None:
            left_out, on_seen = (measure.of(count_numbers(some)) for some in (ran.by_case, ran.seen))
            efron = None if np.isnan(left_out) or np.isnan(on_seen) else over_folds.combine_632(left_out, on_seen)
        by_measure[measure.name] = _over_folds(measure, measure.of(losses), each, share, level, efron632=efron)
    return by_measure


@dataclass(frozen=True, slots=True, eq=False)
class Share(Shown):
    """Random splits that all test the same share of the cases."""

    share: float
    cases: int  # how many cases each split tests
    values: FloatArray  # what each split found
    failures: tuple[str, ...] = ()  # why splits failed
    reason: str = ""  # why the measure has no value in some split that did answer

    @property
    def mean(self) -> float:
        """The mean over the splits: falls short of what all cases would teach, the more the larger the share."""
        return float(self.values.mean()) if (unknown := self._unknown()) is None else unknown

    @property
    def spread(self) -> float:
        """The standard deviation over the splits: how far off a single holdout may be."""
        if self.values.size <= 1:
            return Undefined("fewer than two splits answered")
        if np.isinf(self.values).any():
            return Undefined("the measure is infinite in some split")
        return float(self.values.std(ddof=1)) if (unknown := self._unknown()) is None else unknown

    @property
    def middle(self) -> tuple[float, float]:
        """The limits between which half of the splits fall."""
        if (unknown := self._unknown()) is not None:
            return unknown, unknown
        low, high = np.quantile(self.values, (0.25, 0.75), method="linear" if np.isfinite(self.values).all() else "nearest")
        return float(low), float(high)

    @property
    def told(self) -> str:
        """Mean and spread in words."""
        return repr(self.mean) if isinstance(self.mean, Undefined) else f"{self.mean:.4f} +- {self.spread:.4f}"

    def _unknown(self) -> Undefined | None:
        """Say why there is no value; None where every split has one."""
        lost, why = int(np.isnan(self.values).sum()), f": {self.reason}" if self.reason else ""
        told = f"it has no value in {lost} of {counted(self.values.size, 'split')}{why}"
        return Undefined(told) if lost or not self.values.size else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeOff(Shown):
    """The estimate and its spread by the share kept for testing, in the order asked for."""

    learner: str
    measure: str
    shares: tuple[Share, ...]
    seed: int

    def __repr__(self) -> str:
        head = f"{self.learner}: {self.measure} by share kept for testing"
        return "\n".join([head, *(f"  {s.share:6.1%} ({counted(s.cases, 'case')})  {s.told}" for s in self.shares)])
