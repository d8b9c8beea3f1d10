"""Many models in place of one: whether that helped, and whether more rounds of it did harm.

An ensemble overfits where its training error still falls while its error on new cases rises. The lowest point of a curve of
errors is low by luck too, so to measure the rise from it on the same folds would find one where there is none. Each fold is
therefore measured against the round that is best on the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted
from adjudge.judgements.comparison import Comparison, Verdict
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.resampled_findings import find
from adjudge.judgements.same_folds import SameFolds, compare_folds
from adjudge.metrics.measure import Measure
from adjudge.resampling.plan import Plan
from adjudge.stats.correlated import corrected_limits

Course: TypeAlias = Literal["overfits", "rises", "stays", "undecided", "unknown"]
SINGLE = "single"
"""What the model by itself is called among the candidates."""
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Rounds(Shown):
    """The error of an ensemble after each of its rounds, fold by fold."""

    name: str
    measure: str
    """Of the errors: error, or mae of numbers."""
    learnt: FloatArray
    """Folds x rounds, on the cases each fold learnt from; where boosting ended early, the last value goes on."""
    judged: FloatArray
    """Folds x rounds, on the cases each fold had not seen."""
    kept: IntArray
    """Models that each fold kept."""
    stopped: tuple[str, ...]
    """What ended boosting in each fold; empty where nothing did."""
    learnt_limits: FloatArray | None
    """Low and high x rounds: the interval of the mean over folds, corrected for shared training cases."""
    judged_limits: FloatArray | None
    best: IntArray
    """For each fold the round, from 1, that is best on the other folds."""
    rise: Comparison | None
    """The error on new cases after the last round against that after the best; better speaks of the last."""
    fall: Comparison | None
    """The same of the training error, every difference counting."""

    @property
    def course(self) -> Course:
        """Whether more rounds than the best did harm.

        "overfits": the error on new cases surely rises while the training error surely falls; "rises": the first alone;
        "stays": it surely does not rise by more than the rope; "unknown" where the plan has no folds to tell.
        """
        if self.rise is None or self.fall is None:
            return "unknown"
        if self.rise.verdict == "worse":
            return "overfits" if self.fall.verdict == "better" else "rises"
        return "stays" if self.rise.better + self.rise.same >= self.rise.level else "undecided"

    def to_dict(self) -> dict[str, Any]:
        """Return the means over folds and the verdict as plain Python, ready for JSON."""
        names = ("name", "measure", "kept", "stopped", "learnt_limits", "judged_limits", "best", "rise", "fall", "course")
        means = {"learnt": self.learnt.mean(axis=0), "judged": self.judged.mean(axis=0)}
        return {name: plain(getattr(self, name)) for name in names} | {name: plain(v) for name, v in means.items()}

    def __repr__(self) -> str:
        first, last = (self.judged[:, at].mean() for at in (0, -1))
        return f"{self.name}: {self.measure} {first:.4g} after one round, {last:.4g} after {self.judged.shape[1]}: {self.course}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EnsemblesJudged(Shown):
    """One model, and ensembles of it, tried by the same plan; the first of `runs` is the model by itself."""

    base: str
    measure: str
    runs: dict[str, Resampled]
    against: dict[str, Comparison]
    """Each ensemble against the single model: better speaks of the ensemble."""
    between: tuple[Comparison, ...]
    """Ensembles against each other."""
    rounds: dict[str, Rounds]
    """The errors over the rounds; of the single model there is one."""
    level: float

    @property
    def plan(self) -> Plan:
        """Which rows were learnt from and which judged."""
        return self.runs[SINGLE].plan

    @property
    def helped(self) -> dict[str, Verdict]:
        """Whether each ensemble is better than the single model."""
        return {name: found.verdict for name, found in self.against.items()}

    @property
    def overfitted(self) -> dict[str, Course]:
        """Whether more rounds did harm; see :attr:`Rounds.course`."""
        return {name: found.course for name, found in self.rounds.items() if name != SINGLE}

    @property
    def failures(self) -> dict[str, dict[int, str]]:
        """Why folds have no answer, by candidate."""
        return {name: found.failures for name, found in self.runs.items() if found.failures}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before believing it, each once."""
        compared = [finding for found in (*self.against.values(), *self.between) for finding in found.findings]
        of_runs = [finding for run in self.runs.values() for finding in (*run.ran.remarks, *_of_run(run))]
        every = [*_of_rounds(self.rounds), *compared, *of_runs]
        return tuple({(finding.code, finding.message): finding for finding in every}.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the predictions as plain Python, ready for JSON."""
        names = ("base", "measure", "against", "between", "rounds", "helped", "overfitted", "failures", "level", "findings")
        plan = self.plan
        about = {"name": plan.name, "kind": plan.kind, "rows": plan.rows, "units": len(plan), "seed": plan.seed}
        runs = {name: {"learner": found.learner, "estimates": plain(found.estimates)} for name, found in self.runs.items()}
        told = {name: plain(getattr(self, name)) for name in names}
        return told | {"runs": runs, "plan": about | {"fingerprint": plan.fingerprint}}

    def __repr__(self) -> str:
        return self.in_words()


@dataclass(frozen=True, slots=True, eq=False)
class Staged:
    """What one fold of the plan found: errors after each round on cases learnt from and judged, and why it ended."""

    unit: int
    learnt: FloatArray
    judged: FloatArray
    stopped: str = ""


def judge_rounds(
    name: str, folds: list[Staged], plan: Plan, measure: Measure, *, rounds: int, rope: Any, level: float
) -> Rounds | None:
    """Return the errors over the rounds and what follows from them; None where no fold has any."""
    if not folds:
        return None
    learnt, judged = (_level_after([getattr(fold, part) for fold in folds], rounds) for part in ("learnt", "judged"))
    kept = frozen([fold.judged.size for fold in folds], np.int64)
    stopped = tuple(fold.stopped for fold in folds)
    if len(folds) < _TWO or plan.kind in ("holdout", "leave-one-out"):
        return Rounds(name, measure.name, learnt, judged, kept, stopped, None, None, frozen([], np.int64), None, None)
    repeat = tuple(plan.repeat[fold.unit] for fold in folds)
    best = best_elsewhere(judged, repeat)
    rows = np.arange(len(folds))

    def later(errors: FloatArray, rope: Any) -> Comparison:
        values = np.column_stack([errors[:, -1], errors[rows, best]])
        names = (f"after {counted(rounds, 'round')}", "after the best round")
        lost = len(plan) - len(folds)
        pair = SameFolds(names, values, repeat, plan.test_share, plan.kind, plan.rows, lost)
        return compare_folds(pair, measure, method="correlated-t", rope=rope, level=level)

    band, other = (_limits(errors, plan.test_share, measure, level) for errors in (learnt, judged))
    rise, fall = later(judged, rope), later(learnt, 0.0)
    return Rounds(name, measure.name, learnt, judged, kept, stopped, band, other, frozen(best + 1, np.int64), rise, fall)


def best_elsewhere(errors: FloatArray, repeat: tuple[int, ...]) -> IntArray:
    """Return for each fold, a row of `errors`, the column least on average over the other folds; of equal ones the first.

    Other folds are those of the same repetition, which judge other cases; where there are none, all others.

    >>> best_elsewhere(np.array([[0.3, 0.1, 0.2], [0.3, 0.2, 0.1]]), (0, 0)).tolist()
    [2, 1]
    """
    groups = np.array(repeat)
    if np.unique(groups, return_counts=True)[1].min() < _TWO:
        groups = np.zeros_like(groups)
    sums = np.array([errors[groups == group].sum(axis=0) for group in groups])
    return np.asarray((sums - errors).round(12).argmin(axis=1))  # sums of the same errors differ in their last digits


def _level_after(each: list[FloatArray], rounds: int) -> FloatArray:
    """Return folds x rounds; an ensemble that ended early stays as it is."""
    return frozen([np.pad(errors, (0, rounds - errors.size), mode="edge") for errors in each])


def _limits(errors: FloatArray, test_share: float, measure: Measure, level: float) -> FloatArray:
    each = [corrected_limits(errors[:, at], test_share=test_share, level=level) for at in range(errors.shape[1])]
    return frozen(np.clip(np.array(each).T, measure.low, measure.high))


def _of_run(run: Resampled) -> list[Finding]:
    return list(find(run.ran, {name: over.folds for name, over in run.estimates.items()}))


def _of_rounds(rounds: dict[str, Rounds]) -> Iterator[Finding]:
    for name, found in rounds.items():
        lost = found.stopped.count("chance")
        if lost:
            folds = f"{lost} of {counted(len(found.stopped), 'fold')}"
            yield Finding(
                "A952",
                f"{name}: in {folds} boosting ended because no model tried was better than chance any more.",
                "Boost a stronger learner; of more than two classes, ResamplingAdaBoost(samme=True) asks less of it.",
                lost,
            )
    if any(found.course == "unknown" for name, found in rounds.items() if name != SINGLE):
        yield Finding(
            "A953",
            "The plan has no folds to compare, so that nobody can say whether the error rises over the rounds.",
            "Judge by='10x10-fold'.",
        )
