"""Training and test cases: better on the first than on new ones, and how many to keep for testing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown
from adjudge._base.text import counted
from adjudge._base.undefined import Undefined
from adjudge.counts.counting import count_confusion
from adjudge.estimates.estimate import Estimate, Interval, of_accuracy
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.training_bias import Overfitting, between, difference
from adjudge.metrics.on_counts import ERROR
from adjudge.predictions.model import Predictions

__all__ = ["Overfitting", "OverfittingAgainst", "overfits_against", "overfitting", "with_training"]


@dataclass(frozen=True, slots=True)
class OverfittingAgainst(Shown):
    """Whether one model overfits against another: better on the training cases, worse on new ones."""

    overfits: bool
    sure: bool
    """Whether both differences leave 0 outside their intervals (as if from independent cases)."""
    training: Interval
    sample: Interval
    training_difference: float
    sample_difference: float

    def __repr__(self) -> str:
        return self.in_words()


def overfitting(training: Evaluation, test: Evaluation) -> Overfitting:
    """Compare the evaluation of the cases a model learnt from with that of new cases.

    The resubstitution error says how well a model remembers; only the error on new cases says how well it
    does. The interval of their difference is Newcombe's (1998, Stat. Med. 17:873-890) from the mid-P limits.
    """
    return between(_error(training), _error(test))


def with_training(evaluation: Evaluation, training: Predictions) -> Evaluation:
    """Return the evaluation of test rows with what the training rows beside them say of overfitting."""
    error = evaluation.estimates.get("error")
    if error is None or error.interval is None:
        return evaluation
    try:
        learnt = of_accuracy(count_confusion(training), ERROR, evaluation.level)
    except InputError as problem:
        told = Finding("A110", "The training rows could not be judged, so that nothing is said of overfitting.", str(problem))
        return replace(evaluation, findings=(*evaluation.findings, told))
    return evaluation if learnt.interval is None else replace(evaluation, overfitting=between(learnt, error))


def overfits_against(
    training: Evaluation, test: Evaluation, other_training: Evaluation, other_test: Evaluation
) -> OverfittingAgainst:
    """Judge whether a model overfits against another: lower error on the training cases, higher on new ones."""
    on_training, training_limits = difference(_error(training), _error(other_training))
    on_test, test_limits = difference(_error(test), _error(other_test))
    overfits = on_training < 0 < on_test
    sure = overfits and training_limits.high < 0 < test_limits.low
    return OverfittingAgainst(overfits, sure, training_limits, test_limits, on_training, on_test)


def _error(evaluation: Evaluation) -> Estimate:
    error = evaluation.estimates.get("error")
    if error is None or error.interval is None:
        msg = "Overfitting compares the error rates of two evaluations of classes; one of these has none."
        raise InputError(msg)
    return error


@dataclass(frozen=True, slots=True, eq=False)
class Share(Shown):
    """Random splits that all test the same share of the cases."""

    share: float
    cases: int
    """How many cases each split tests."""
    values: FloatArray
    """What each split found."""
    failures: tuple[str, ...] = ()
    """Why splits failed."""
    reason: str = ""
    """Why the measure has no value in some split that did answer."""

    @property
    def mean(self) -> float:
        """The mean over the splits: falls short of what all cases would teach, the more the larger the share."""
        unknown = self._unknown()
        return float(self.values.mean()) if unknown is None else unknown

    @property
    def spread(self) -> float:
        """The standard deviation over the splits: how far off a single holdout may be."""
        if self.values.size < 2:  # noqa: PLR2004 - one split has no spread
            return Undefined("fewer than two splits answered")
        if np.isinf(self.values).any():
            return Undefined("the measure is infinite in some split")
        unknown = self._unknown()
        return float(self.values.std(ddof=1)) if unknown is None else unknown

    @property
    def middle(self) -> tuple[float, float]:
        """The limits between which half of the splits fall."""
        if (unknown := self._unknown()) is not None:
            return unknown, unknown
        low, high = np.quantile(self.values, (0.25, 0.75), method="linear" if np.isfinite(self.values).all() else "nearest")
        return float(low), float(high)

    def _unknown(self) -> Undefined | None:
        """Say why there is no value; None where every split has one."""
        lost = int(np.isnan(self.values).sum())
        if not lost and self.values.size:
            return None
        why = f": {self.reason}" if self.reason else ""
        return Undefined(f"it has no value in {lost} of {counted(self.values.size, 'split')}{why}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeOff(Shown):
    """The estimate and its spread by the share kept for testing, in the order asked for."""

    learner: str
    measure: str
    shares: tuple[Share, ...]
    seed: int

    def __repr__(self) -> str:
        head = f"{self.learner}: {self.measure} by share kept for testing"
        return "\n".join([head, *(f"  {s.share:6.1%} ({counted(s.cases, 'case')})  {_told(s)}" for s in self.shares)])


def _told(share: Share) -> str:
    mean, spread = share.mean, share.spread
    return repr(mean) if isinstance(mean, Undefined) else f"{mean:.4f} +- {spread:.4f}"
