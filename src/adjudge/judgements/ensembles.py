"""Many models in place of one: whether that helped, and whether more rounds of it did harm.

The lowest point of a curve of errors is low by luck too: each fold is measured against the round that is best on the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base import Finding, Shown, counted, dataclass, field, plain, replace, safe, switch, wording
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.decision import Verdict
from adjudge.judgements.findings import learner_findings
from adjudge.judgements.paired_folds import SameFolds, compare_folds
from adjudge.judgements.resampled import Resampled
from adjudge.metrics.measure import Measure
from adjudge.resampling.plan import Plan
from adjudge.stats.student import corrected_limits

Course: TypeAlias = Literal["overfits", "rises", "stays", "undecided", "unknown"]
SINGLE = "single"  # what the model by itself is called among the candidates
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Rounds(Shown):
    """The error of an ensemble after each of its rounds, fold by fold."""

    name: str
    measure: str
    training: FloatArray  # folds x rounds, on the cases each fold learnt from; where boosting ended early, the last value goes on
    test: FloatArray  # folds x rounds, on the cases each fold had not seen
    kept: IntArray  # models that each fold kept
    stopped: tuple[str, ...]  # what ended boosting in each fold; empty where nothing did
    training_interval: FloatArray | None  # low and high x rounds: of the mean over folds, corrected for shared training cases
    test_interval: FloatArray | None
    best: IntArray  # for each fold the round, from 1, that is best on the other folds
    rise: Comparison | None  # the error on new cases after the last round against that after the best; better speaks of the last
    fall: Comparison | None  # the same of the training error, every difference counting
    followed: bool = True  # whether these are rounds; a learner that cannot be asked so has one column, that of all its models

    @property
    def ended_at_once(self) -> bool:
        """Whether boosting ended after its first model in every fold, though more were wanted."""
        return self.followed and self.test.shape[1] > 1 and int(self.kept.max()) == 1

    @property
    def course(self) -> Course:
        """Whether more rounds than the best did harm.

        "overfits": the error on new cases surely rises while the training error surely falls; "rises": the first alone;
        "stays": it surely rises by no more than the margin; "unknown" without folds to tell, or rounds that were followed.
        """
        if not self.followed or self.rise is None or self.fall is None:
            return "unknown"
        if self.rise.verdict == "worse":
            return "overfits" if self.fall.verdict == "better" else "rises"
        return "stays" if self.rise.better + self.rise.same >= self.rise.level else "undecided"

    def to_dict(self) -> dict[str, Any]:
        """Return the means over folds and the verdict as plain Python, ready for JSON."""
        names = ("name", "measure", "followed", "kept", "stopped", "training_interval", "test_interval", "best", "rise", "fall")
        known = {name: plain(getattr(self, name)) for name in (*names, "course")}
        return known | {"training": plain(self.training.mean(axis=0)), "test": plain(self.test.mean(axis=0))}

    def __repr__(self) -> str:
        first, last = (self.test[:, at].mean() for at in (0, -1))
        if not self.followed:
            return f"{self.name}: {self.measure} {last:.4g}, not followed over its rounds"
        return f"{self.name}: {self.measure} {first:.4g} after one round, {last:.4g} after {self.test.shape[1]}: {self.course}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EnsemblesJudged(Shown):
    """One model, and ensembles of it, tried by the same plan; the first of `runs` is the model by itself."""

    base: str
    measure: str
    runs: dict[str, Resampled]
    against: dict[str, Comparison]  # each ensemble against the single model: better speaks of the ensemble
    between: tuple[Comparison, ...]  # ensembles against each other
    rounds: dict[str, Rounds]  # the errors over the rounds; the single model has none, and its error stands alone
    level: float
    left_out: dict[str, dict[int, str]] = field(default_factory=dict)
    """Ensembles that answered in too few folds to be compared, and why folds failed, by their numbers from 1."""
    findings: tuple[Finding, ...] = ()  # caveats, each once; see :func:`with_findings`
    sized: str | None = None  # the plan, where nobody named one and the size of the data chose it; `by` that gives it again

    @property
    def plan(self) -> Plan:
        """The training rows and test rows of each fold."""
        return self.runs[SINGLE].plan

    @property
    def helped(self) -> dict[str, Verdict]:
        """Whether each ensemble is better than the single model."""
        return {name: comparison.verdict for name, comparison in self.against.items()}

    @property
    def overfitted(self) -> dict[str, Course]:
        """Whether more rounds did harm; see :attr:`Rounds.course`."""
        return {name: self.rounds[name].course if name in self.rounds else "unknown" for name in self.against}

    @property
    def failures(self) -> dict[str, dict[int, str]]:
        """Why folds have no answer, by candidate."""
        return {name: run.failures for name, run in self.runs.items() if run.failures} | self.left_out

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the predictions as plain Python, ready for JSON."""
        names = ("base", "measure", "against", "between", "rounds", "helped", "overfitted", "failures", "level", "findings")
        plan = self.plan
        about = {"name": plan.name, "kind": plan.kind, "rows": plan.rows, "units": len(plan), "seed": plan.seed}
        runs = {name: {"learner": run.learner, "estimates": plain(run.estimates)} for name, run in self.runs.items()}
        told = {name: plain(getattr(self, name)) for name in names}
        return told | {"runs": runs, "plan": about | {"fingerprint": plan.fingerprint}}


@dataclass(frozen=True, slots=True, eq=False)
class Staged:
    """What one fold of the plan found: errors after each round on cases learnt from and judged, and why it ended."""

    unit: int
    training: FloatArray
    test: FloatArray
    stopped: str = ""


def judge_rounds(
    name: str, folds: list[Staged], plan: Plan, measure: Measure, *, rounds: int, margin: Any, level: float, followed: bool = True
) -> Rounds | None:
    """Return the errors over the rounds and what follows from them; None where no fold has any."""
    if not folds:
        return None
    learnt, judged = (  # folds x rounds; an ensemble that ended early stays as it is
        frozen([np.pad(errors, (0, rounds - errors.size), mode="edge") for errors in each])
        for each in ([fold.training for fold in folds], [fold.test for fold in folds])
    )
    kept, stopped = frozen([fold.test.size for fold in folds], np.int64), tuple(fold.stopped for fold in folds)
    seen = (name, measure.name, learnt, judged, kept, stopped)
    if not followed or len(folds) < _TWO or plan.kind in ("holdout", "leave-one-out"):
        return Rounds(*seen, None, None, frozen([], np.int64), None, None, followed)
    repeat, rows = tuple(plan.repeat[fold.unit] for fold in folds), np.arange(len(folds))
    best = best_elsewhere(judged, repeat)

    def later(errors: FloatArray, margin: Any) -> Comparison:
        values = np.column_stack([errors[:, -1], errors[rows, best]])
        names = (f"after {counted(rounds, 'round')}", "after the best round")
        pair = SameFolds(names, values, repeat, plan.test_share, plan.kind, plan.rows, len(plan) - len(folds))
        return compare_folds(pair, measure, method="correlated-t", margin=margin, level=level)

    ends = (
        [corrected_limits(errors[:, at], test_share=plan.test_share, level=level) for at in range(errors.shape[1])]
        for errors in (learnt, judged)
    )
    band, other = (frozen(np.clip(np.array(each).T, measure.low, measure.high)) for each in ends)
    return Rounds(*seen, band, other, frozen(best + 1, np.int64), later(judged, margin), later(learnt, 0.0))


def best_elsewhere(errors: FloatArray, repeat: tuple[int, ...]) -> IntArray:
    """Return for each fold, a row of `errors`, the column least on average over the other folds of its repetition."""
    groups = np.array(repeat)
    if np.unique(groups, return_counts=True)[1].min() < _TWO:  # no others in some repetition: all others then
        groups = np.zeros_like(groups)
    sums = np.array([errors[groups == group].sum(axis=0) for group in groups])
    return np.asarray((sums - errors).round(12).argmin(axis=1))  # sums of the same errors differ in their last digits


def with_findings(result: EnsemblesJudged) -> EnsemblesJudged:
    """Return the same with its findings, each once: of the ensembles, of the comparisons, of the runs."""
    every = [*_findings(result)]
    for comparison in (*result.against.values(), *result.between):
        every += comparison.findings
    for run in result.runs.values():
        every += run.run_result.remarks
        every += learner_findings(run.run_result, {m: over.folds for m, over in run.estimates.items()})
    return replace(result, findings=tuple({(finding.code, finding.message): finding for finding in every}.values()))


def _findings(result: EnsemblesJudged) -> Iterator[Finding]:
    """Yield which ensembles were left out, stopped at chance, or could not be followed over their rounds."""
    for name, failures in result.left_out.items():
        fold, why = next(iter(failures.items()))
        told = f"{safe(name)} is left out: too few of its folds answered to compare it. Fold {fold}: {why}."
        yield Finding("A955", told, "Try it by itself to see why.", len(failures))
    for name, rounds in result.rounds.items():
        lost = rounds.stopped.count("chance")
        if lost:
            run = result.runs[name]
            asks_less = len(run.run_result.classes) > _TWO and "samme=True" not in run.learner
            less = (", or take ", switch("samme"), ": of more than two classes it asks less of each model") if asks_less else ()
            folds = f"{lost} of {counted(len(rounds.stopped), 'fold')}"
            told = f"{name}: in {folds} boosting ended because no model tried was better than chance any more."
            yield Finding("A952", told, wording("Boost a stronger learner", *less, "."), lost)
    followed = [name for name in result.against if name in result.rounds and result.rounds[name].followed]
    if any(result.rounds[name].course == "unknown" for name in followed):
        told = "The plan has no folds to compare, so that it is unknown whether the error rises over the rounds."
        yield Finding("A953", told, "Compare by a plan that has, such as 10x10-fold.")
    for name in result.against:
        if name not in followed:
            why = next((course.failure for course in result.runs[name].run_result.courses.values() if course.failure), "")
            why = f"asked for them it failed ({why})" if why else "it has none to tell"
            told = f"{safe(name)} was not followed over its rounds: {why}."
            advice = "Whether more rounds do harm is not known; BaggingVoter and ResamplingAdaBoost can be followed."
            yield Finding("A954", told, advice)
