"""The verdict: what a result says, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge._base.text import counted, quoted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.rare_classes import found_of
from adjudge.describe.values import apart, percent, percentage_points, probability, scope, short_title, sureness, value
from adjudge.describe.weaknesses import ranking_weaknesses, weaknesses
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.chance import Chance, only_answer
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.overfitting import Overfitting, OverfittingAgainst
from adjudge.plots.labels import count, decimals_for, loss


@singledispatch
def verdict(result: Any) -> tuple[str, ...]:
    """Refuse what there are no words for."""
    msg = f"There are no words for {type(result).__name__}; evaluate() gives a result that has."
    raise InputError(msg)


def has_verdict(result: Any) -> bool:
    """Return whether a result has sentences of its own."""
    return verdict.dispatch(type(result)) is not verdict.dispatch(object)


@verdict.register
def _(result: Evaluation) -> tuple[str, ...]:
    if result.undecided is not None:
        return tuple(_of_ranking(result, result.undecided))
    return tuple(_of_numbers(result)) if result.counts is None else tuple(_of_classes(result, result.counts))


@verdict.register
def _(result: Overfitting) -> tuple[str, ...]:
    level, bias = result.interval.level, result.bias
    said = {
        "optimistic": "The training error is surely too low: it says how well the model remembers.",
        "pessimistic": "The error on new cases is surely lower than on the training cases: check which file is which.",
    }.get(result.verdict, "There is no sure sign of overfitting: the difference may be chance.")
    shift = f"{percentage_points(bias)} percentage points ({percent(level)} interval {_points(result.interval)})"
    return (
        f"{_error(result.resubstitution, 'training')}, {_error(result.sample, 'new')}.",
        f"Bias of the training error (new minus training): {shift}.",
        said,
    )


@verdict.register
def _(result: OverfittingAgainst) -> tuple[str, ...]:
    if result.overfits:
        said = f"It overfits against the other{', surely' if result.sure else ', but the differences may be chance'}."
    else:
        said = "It does not overfit against the other: that takes a lower error in training and a higher one on new cases."
    return (
        f"On the training cases its error is {_against(result.training_difference, result.training)}.",
        f"On new cases its error is {_against(result.sample_difference, result.sample)}.",
        said,
    )


def _of_classes(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    yield from (found.message for found in result.findings if found.code == "A108" and not found.value)  # training rows only
    always = only_answer(counts)
    if always is not None:
        yield f"Always predicts {quoted(always)}; no sign of skill."
    rare = result.rare
    if rare is not None:  # before the accuracy, which hides it
        yield found_of(rare)
    yield _right(result, counts)
    if counts.has_rejected:
        yield _decided(counts)
    yield from (_headline(e) for e in _headlines(result))
    if result.chance is not None and np.count_nonzero(counts.support) > 1:
        yield _above_chance(result.chance, None if result.baseline is None else result.baseline[0])
    if result.over_groups is not None:
        groups = result.over_groups
        yield f"Over the groups as well as the classes: balanced accuracy {value(groups)} ({sureness(groups)})."
    yield from (f"{found.message} {found.advice}" for found in result.findings if found.code == "A111")
    yield from weaknesses(result, counts)
    if result.overfitting is not None:
        yield _remembered(result.overfitting)


def _of_ranking(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield how well scores rank, where nothing is decided."""
    area, precision = result.estimates["auc"], result.estimates["average_precision"]
    at = list(counts.classes).index(area.of)
    own, base = counts.support[at].item(), float(counts.support[at] / counts.n)
    yield f"{_headline(area).rstrip('.')}, over {_cases(result, counts)}, {count(own)} of class {quoted(area.of)}."
    yield f"{_headline(precision).rstrip('.')}, against {share(base)} for ranking at random."
    yield from (f"{found.message} {found.advice}" for found in result.findings if found.code == "A112")
    yield from ranking_weaknesses(result)


def _remembered(found: Overfitting) -> str:
    """Return how the training rows of the same file fared, and what follows."""
    cases = "" if found.resubstitution.cases is None else f"{count(round(found.resubstitution.cases, 1))} "
    errors = f"error {value(found.resubstitution)} there, {value(found.sample)} here"
    shift = f"difference {percentage_points(found.bias)} percentage points, {percent(found.interval.level)} interval "
    said = {
        "optimistic": "the training error is too low, a sign of overfitting",
        "pessimistic": "the error is higher in training: check which rows are which",
    }.get(found.verdict, "no sure sign of overfitting")
    return f"Against the {cases}training rows: {errors} ({shift}{_points(found.interval)}); {said}."


def _right(result: Evaluation, counts: ConfusionCounts) -> str:
    accuracy, (label, base) = result.estimates["accuracy"], result.baseline or (None, float("nan"))
    interval = accuracy.interval
    decimals = 1 if interval is None else decimals_for(interval.high - interval.low)
    right, always = apart(accuracy.value, base, decimals)
    told = [] if isinstance(counts, WeightedCounts) else [f"correct in {count(counts.correct.sum())} of {_cases(result, counts)}"]
    told += [] if interval is None else [sureness(accuracy)]
    of = f" of {_cases(result, counts)}" if isinstance(counts, WeightedCounts) else ""
    known = f" ({'; '.join(told)})" if told else ""
    return f"Accuracy {right}{of}{known}, against {always} for always predicting {quoted(label)}."


def _above_chance(found: Chance, label: Any) -> str:
    accuracy = f"accuracy against always predicting {quoted(label)}: p {probability(found.p_value_nir, digits=3)}"
    return f"{found.statement}; {accuracy}."


def _cases(result: Evaluation, counts: ConfusionCounts) -> str:
    if not isinstance(counts, WeightedCounts):
        return counted(counts.n, "case")
    if result.repeats > 1:
        return f"{counted(result.origin.rows, 'answer')} about {counted(round(result.origin.rows / result.repeats), 'case')}"
    cases = counted(result.origin.rows, "weighted case")
    return f"{cases}, worth {counts.effective_n:,.1f} equally weighted ones"


def _decided(counts: ConfusionCounts) -> str:
    rejected = float(counts.rejected.sum())
    decided = counts.n - rejected
    if not decided:
        return f"None of {count(counts.n)} cases was decided: all were rejected."
    right = share(float(counts.correct.sum()) / decided)
    weighed = " (sums of weights)" if isinstance(counts, WeightedCounts) else ""
    numbers = f"Decided {count(decided)} and rejected {count(rejected)} of {count(counts.n)} cases{weighed}"
    return f"{numbers}; correct in {right} of the decided ones."


def _headlines(result: Evaluation) -> Iterator[Estimate]:
    for name in ("balanced_accuracy", "auc"):
        if name in result.estimates:
            yield result.estimates[name]


def _headline(estimate: Estimate) -> str:
    about = ", ".join(part for part in (scope(estimate), sureness(estimate)) if part)
    return f"{short_title(estimate)} {value(estimate)}{f' ({about})' if about else ''}."


def _of_numbers(result: Evaluation) -> Iterator[str]:
    numbers, each = result.numbers, result.estimates
    if numbers is None:
        msg = "This evaluation holds neither a confusion table nor numeric predictions; make it with evaluate()."
        raise InputError(msg)
    weighted = "" if numbers.weight == numbers.n else f" (of weight {count(numbers.weight)})"
    cases = f"{counted(numbers.n, 'case')}{weighted}"
    if result.repeats > 1:
        cases = f"{counted(numbers.n, 'answer')} about {counted(round(numbers.n / result.repeats), 'case')}"
    yield f"Off by {value(each['mae'])} on average over {cases} (mean absolute error); mean squared error {value(each['mse'])}."
    if each["rae"].reason is not None:
        yield f"Against always predicting the mean: undefined, as {each['rae'].reason}."
        return
    errors = f"{value(each['rae'])} times the absolute and {value(each['rse'])} times the squared error"
    yield f"Against always predicting the mean, {loss(numbers.mean)}: {errors}."


def _error(estimate: Estimate, which: str) -> str:
    sure = f" ({sureness(estimate)})" if estimate.interval is not None else ""
    cases = "" if estimate.cases is None else f"{count(round(estimate.cases, 1))} "
    return f"{'Error' if which == 'training' else 'error'} {value(estimate)} on the {cases}{which} cases{sure}"


def _against(difference: float, interval: Interval) -> str:
    if difference == 0:
        words = "the same as the other's"
    else:
        words = (
            f"{percentage_points(abs(difference))} percentage points {'lower' if difference < 0 else 'higher'} than the other's"
        )
    return f"{words} ({percent(interval.level)} interval {_points(interval)})"


def _points(interval: Interval) -> str:
    return f"{percentage_points(interval.low)} to {percentage_points(interval.high)}"
