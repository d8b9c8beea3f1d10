"""Better on the cases it learnt from than on new ones: by how much, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown
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
