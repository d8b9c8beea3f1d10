"""How good a learner is, from a plan that was carried out.

Two questions have two answers. "How good were these models on these cases?" pools all answers: this test set. "How
good is what the algorithm would learn from other cases?" takes the folds as draws that share training cases: this
algorithm (Nadeau and Bengio 2003). The second interval is the wider one, and the honest one for a learner.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted
from adjudge._base.undefined import Undefined
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import count_confusion, count_numbers, tally
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Conventional, Estimate, Interval, share_interval
from adjudge.estimates.over_folds import (
    combine_632,
    combine_632plus,
    fold_values,
    of_many,
    of_table,
    out_of_bag_share,
    unrelated,
    value_of,
)
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors
from adjudge.judgements.evaluation import Evaluation, Origin, completed, judge, judge_numbers
from adjudge.judgements.findings import learner_findings
from adjudge.judgements.training import Overfitting, overfitting
from adjudge.metrics.catalogue import find as find_measure
from adjudge.metrics.measure import Measure, OtherMeasure
from adjudge.metrics.on_scores import ON_NUMBERS
from adjudge.predictions.model import Predictions
from adjudge.resampling.plan import Plan
from adjudge.resampling.run_result import Ran
from adjudge.stats.student import limits_around, mean_and_spread

MEASURES = ("accuracy", "error", "balanced_accuracy", "mcc")
ALGORITHM = "this algorithm: corrected t over folds (Nadeau-Bengio)"
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class OverFolds(Shown):
    """One measure of a learner, in every way it is put together; what the plan does not give is None."""

    measure: str
    pooled: float
    """Over all answers together."""
    mean_of_folds: float
    """The mean of the folds; differs from `pooled` where folds differ in size."""
    algorithm: Interval | None
    """For the algorithm: t interval over folds with the variance corrected for shared training cases."""
    conventional: Conventional | None
    """The mean of folds give or take two standard errors, not clipped: shown for comparison, too short."""
    folds: FloatArray
    """The value of each fold that answered, in order; NaN where it has none."""
    bootstrap632: float | None = None
    """Mean over rounds of .632 on cases left out + .368 on all cases."""
    efron632: float | None = None
    """Efron's form: .632 on cases left out, averaged case by case, + .368 resubstitution."""
    bootstrap632plus: float | None = None
    """Efron's form with weights that lean to the cases left out, the more the learner overfits."""

    def __repr__(self) -> str:
        limits = "" if self.algorithm is None else f", algorithm {self.algorithm.low:.4g} to {self.algorithm.high:.4g}"
        return f"{self.measure}: pooled {self.pooled:.4g}, mean of folds {self.mean_of_folds:.4g}{limits}"


@dataclass(frozen=True, slots=True)
class Fold(Shown):
    """One unit of the plan: how many cases it judged, how well, or why it failed."""

    fold: int
    repeat: int
    learnt: int
    cases: int
    estimates: dict[str, Estimate]
    failure: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Resampled(Shown):
    """A learner judged on cases it had not seen.

    ``estimates`` maps a measure's name to all its forms, ``pooled`` is the evaluation of all answers (this test set),
    ``by_fold`` has a row per fold, ``resubstitution`` is the evaluation of the cases learnt from and ``overfitting``
    compares the two. The larger of these are worked out when first asked for.
    """

    learner: str
    ran: Ran
    counted: Tally | NumberCounts
    estimates: dict[str, OverFolds]
    level: float = 0.95
    whole: Evaluation | None = None
    """The pooled evaluation with corrections and partition, where it was completed."""

    def completed(self) -> Resampled:
        """Return the same with what takes longer: corrections of the pooled answers, and intervals of their partition."""
        return replace(self, whole=completed(self.pooled))

    @property
    def plan(self) -> Plan:
        """Which rows were learnt from and which judged."""
        return self.ran.plan

    @property
    def predictions(self) -> Predictions:
        """What was said of every case not learnt from, with row and fold."""
        return self.ran.predictions

    @property
    def failures(self) -> dict[int, str]:
        """Why a fold has no answer, by its number from 1; the number after the last is the fit on all rows."""
        return {unit + 1: why for unit, why in self.ran.failures.items()}

    @property
    def out_of_bag(self) -> tuple[float, float] | None:
        """The share of cases that rounds of the bootstrap left out, and the share to expect; 1/e for many cases."""
        if self.plan.kind != "bootstrap":
            return None
        return float(np.mean([part.size for part in self.plan.judge]) / self.plan.rows), out_of_bag_share(self.plan.rows)

    @cached_property
    def pooled(self) -> Evaluation:
        """The evaluation of all answers together: this test set. Cases judged several times count once in intervals."""
        if self.whole is not None:
            return self.whole
        origin = Origin(self.plan.name, int(self.ran.times.sum()), self.plan.fingerprint, self.predictions.roles)
        repeats = origin.rows / self.ran.cases
        if isinstance(self.counted, NumberCounts):
            return judge_numbers(self.counted, origin, level=self.level, repeats=repeats)
        found = judge(self.counted, origin, level=self.level, repeats=repeats)
        return replace(found, accuracy_posteriors=self._as_algorithm(found.accuracy_posteriors))

    @property
    def unit(self) -> str:
        """What one fit of the plan is called: fold, round or split."""
        return {"bootstrap": "round", "subsampling": "split", "holdout": "split"}.get(self.plan.kind, "fold")

    def _as_algorithm(self, posteriors: AccuracyPosteriors | None) -> AccuracyPosteriors | None:
        """Say whose accuracy it is in the words of the plan.

        Cases left out one by one were judged by as many models and not by one; rounds and splits are no folds.
        """
        if posteriors is None:
            return None
        tested, bar = posteriors.tested.replace("fold", self.unit), posteriors.conventional
        if self.plan.kind == "leave-one-out":
            tested = f"an algorithm, leave-one-out, {counted(self.ran.cases, 'case')}"
        return replace(posteriors, tested=tested, conventional=replace(bar, over=bar.over.replace("fold", self.unit)))

    @cached_property
    def resubstitution(self) -> Evaluation | None:
        """The evaluation of a learner on its training cases: how well it remembers; None where that fit failed."""
        seen = self.ran.seen
        if seen is None:
            return None
        origin = Origin("the training cases", self.plan.rows, None, seen.roles)
        if self.ran.numeric:
            return judge_numbers(count_numbers(seen), origin, level=self.level)
        return judge(tally(seen), origin, level=self.level)

    @cached_property
    def overfitting(self) -> Overfitting | None:
        """How much better the learner does on the cases it learnt from; of classes only."""
        if self.resubstitution is None or self.ran.numeric:
            return None
        return overfitting(self.resubstitution, self.pooled)

    @cached_property
    def by_fold(self) -> tuple[Fold, ...]:
        """One row per fold, failed ones with the reason."""
        answered = iter(range(self.ran.answered))
        return tuple(self._fold(unit, learnt, answered) for unit, learnt in enumerate(self.plan.learnt))

    def _fold(self, unit: int, learnt: int, answered: Any) -> Fold:
        judged = self.plan.judge[unit].size
        head = (unit + 1, self.plan.repeat[unit] + 1, learnt, judged)
        if unit in self.ran.failures:
            return Fold(*head, {}, self.ran.failures[unit])
        at = next(answered)
        known = {name: float(over.folds[at]) for name, over in self.estimates.items() if over.folds.size}
        shares = ("accuracy", "error")
        limits = {name: share_interval(v, judged, self.level) if name in shares else None for name, v in known.items()}
        return Fold(*head, {name: Estimate(name, v, limits[name], cases=judged) for name, v in known.items()})

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before believing the numbers: of the run first, then of the answers."""
        of_run = learner_findings(self.ran, {name: over.folds for name, over in self.estimates.items()})
        return (*self.ran.remarks, *of_run, *self.pooled.findings)

    @property
    def summary(self) -> str:
        """How much of the plan was carried out, e.g. "9 of 10 folds"."""
        whole = counted(len(self.plan), self.unit)
        return whole if self.ran.answered == len(self.plan) else f"{self.ran.answered} of {whole}"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the predictions as a .csv or a .parquet file, to be judged again or compared."""
        return self.ran.save(path)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the predictions as plain Python, ready for JSON."""
        told = {name: plain(getattr(self, name)) for name in ("learner", "summary", "estimates", "level", "failures", "findings")}
        told |= {
            name: plain(getattr(self, name)) for name in ("pooled", "resubstitution", "overfitting", "by_fold", "out_of_bag")
        }
        plan = self.plan
        about = {"name": plan.name, "kind": plan.kind, "rows": plan.rows, "units": len(plan)}
        return told | {"plan": about | {"seed": plan.seed, "fingerprint": plan.fingerprint, "test_share": plan.test_share}}

    def __repr__(self) -> str:
        lines = [f"{self.learner}: {self.summary} of {self.plan.name}, {counted(self.ran.cases, 'case')}"]
        return "\n".join([*lines, *(f"  {over!r}" for over in self.estimates.values())])


def judge_run(ran: Ran, *, learner: str, measures: Sequence[str] = MEASURES, level: float = 0.95) -> Resampled:
    """Return how good a learner is, from what its run found."""
    if ran.numeric:
        losses = count_numbers(ran.predictions)
        return Resampled(learner, ran, losses, _of_numbers(ran, losses, level), level)
    wanted = [_classes_measure(name) for name in ([measures] if isinstance(measures, str) else measures)]
    counts = tally(ran.predictions)
    return Resampled(learner, ran, counts, _of_classes(ran, counts, wanted, level), level)


def _classes_measure(name: str) -> Measure:
    found = find_measure(name)
    if found.needs == "numbers":
        msg = wording(
            f"{found.name} is a measure of numbers, but the learner predicts classes; leave it out of ",
            parameter("measures"),
            ".",
        )
        raise InputError(msg)
    return found


def _of_classes(ran: Ran, counts: Tally, wanted: Sequence[Measure], level: float) -> dict[str, OverFolds]:
    rounds = _Rounds.of(ran, counts) if ran.plan.kind == "bootstrap" and ran.of_seen is not None else None
    single = ran.plan.kind == "leave-one-out"
    values = {} if single else fold_values(wanted, counts, ran.folds)
    share, found = _test_share(ran.plan), {}
    for measure in wanted:
        each = values.get(measure.name, np.zeros(0))
        forms = {} if rounds is None else rounds.forms(measure, each)
        found[measure.name] = _over_folds(measure, value_of(measure, counts), each, share, level, **forms)
    return found


def _test_share(plan: Plan) -> float | None:
    """Return the share that is judged, where folds make an interval: rounds learn from drawn cases, single cases are no folds."""
    return None if plan.kind in ("bootstrap", "leave-one-out") else plan.test_share


def _over_folds(
    measure: Measure, pooled: float, each: FloatArray, share: float | None, level: float, **forms: float | None
) -> OverFolds:
    mean = float(each.mean()) if each.size else pooled  # over single cases the two are the same
    algorithm = conventional = None
    if each.size and math.isnan(mean):
        mean = Undefined(f"it has no value in {counted(int(np.isnan(each).sum()), 'fold')}")
    if each.size >= _TWO and math.isfinite(mean):
        mean, spread = mean_and_spread(each)
        conventional = Conventional(mean, spread / math.sqrt(each.size), counted(each.size, "fold"))
        if share is not None:
            low, high = limits_around(mean, spread, each.size, test_share=share, level=level)
            algorithm = Interval(max(low, measure.low), min(high, measure.high), level, ALGORITHM)
    return OverFolds(measure.name, pooled, mean, algorithm, conventional, each, **forms)


@dataclass(frozen=True, slots=True, eq=False)
class _Rounds:
    """What the .632 estimates need beside the rounds themselves."""

    everything: tuple[ConfusionCounts, ...]
    """The table of each round on all cases."""
    by_case: ConfusionCounts
    """The table in which each case left out counts once, however many rounds left it out."""
    seen: ConfusionCounts
    """The table of a learner on the cases it learnt from."""
    positive: int | None

    @classmethod
    def of(cls, ran: Ran, counts: Tally) -> _Rounds:
        assert ran.everything is not None
        seen = ran.seen
        assert seen is not None
        return cls(
            tuple(tally(ran.everything).by_fold.values()), count_confusion(ran.by_case), count_confusion(seen), counts.positive
        )

    def forms(self, measure: Measure, each: FloatArray) -> dict[str, float | None]:
        """Return the .632 estimates of a count measure."""
        if isinstance(measure, OtherMeasure):
            return {}
        on_all = of_many(measure, self.everything, self.positive)
        left_out, on_seen = (of_table(measure, table, self.positive) for table in (self.by_case, self.seen))
        if np.isnan([*each, *on_all, left_out, on_seen]).any():
            return {}
        return {
            "bootstrap632": combine_632(each, on_all),
            "efron632": combine_632(left_out, on_seen),
            "bootstrap632plus": self._plus(measure, left_out, on_seen),
        }

    def _plus(self, measure: Measure, left_out: float, on_seen: float) -> float | None:
        """Return the .632+ estimate of a measure in [0, 1], as an error where more is better."""
        nothing = of_table(measure, unrelated(self.seen), self.positive)  # of the rule that all cases taught
        if measure.low < 0 or np.isnan(nothing):
            return None
        sign, base = (-1, 1) if measure.higher_is_better else (1, 0)
        seen, unseen, none = (min(1.0, max(0.0, base + sign * v)) for v in (on_seen, left_out, nothing))
        return base + sign * combine_632plus(resubstitution=seen, out_of_bag=unseen, no_information=none)


def _of_numbers(ran: Ran, losses: NumberCounts, level: float) -> dict[str, OverFolds]:
    folds, truth, predicted = ran.numbers()
    apart = [] if ran.plan.kind == "leave-one-out" else [folds == fold for fold in np.unique(folds)]
    parts = [count_numbers(Predictions(truth[rows], predicted[rows])) for rows in apart]
    share, found = _test_share(ran.plan), {}
    for measure in ON_NUMBERS:
        each = np.array([measure.of(part) for part in parts], dtype=np.float64)
        forms = _efron(ran, measure) if ran.plan.kind == "bootstrap" else {}
        found[measure.name] = _over_folds(measure, measure.of(losses), each, share, level, **forms)
    return found


def _efron(ran: Ran, measure: OtherMeasure) -> dict[str, float | None]:
    """Return Efron's .632 estimate of a loss."""
    if ran.seen is None:
        return {}
    left_out, on_seen = (measure.of(count_numbers(each)) for each in (ran.by_case, ran.seen))
    return {} if np.isnan(left_out) or np.isnan(on_seen) else {"efron632": combine_632(left_out, on_seen)}
