"""The verdict on a set of predictions, in sentences: how good it is, how surely, and what to worry about."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge._base.text import counted, quoted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.training import points
from adjudge.describe.values import apart, percent, percentage_points, probability, scope, short_title, sureness, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.curves import MOST_CURVES, RARE
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.findings import FEW_CASES
from adjudge.judgements.rare_class import RareClass
from adjudge.judgements.training_bias import Overfitting
from adjudge.judgements.weaknesses import LARGE, Confidence, Weaknesses
from adjudge.plots.labels import count, decimals_for, loss
from adjudge.plots.operating import rare as rarely
from adjudge.plots.operating import threshold_words

RULE = "the threshold of largest sensitivity + specificity on these cases"
"""How the other threshold was chosen."""
_NOTABLE = 0.005
_MOST = 2  # weak classes, and large confusions, that are named
_TWO = 2
_BY_CHANCE = 0.5  # the AUC of scores that rank nothing


def sentences(result: Evaluation) -> tuple[str, ...]:
    """Return the verdict on classes, on a ranking where nothing is decided, or on numbers."""
    if result.undecided is not None:
        return tuple(_of_ranking(result, result.undecided))
    if result.counts is None:
        return tuple(_of_numbers(result))
    assert result.weaknesses is not None
    return tuple(_of_classes(result, result.counts, result.weaknesses))


def _of_classes(result: Evaluation, counts: ConfusionCounts, weak: Weaknesses) -> Iterator[str]:
    yield from (found.message for found in result.findings if found.code == "A108" and not found.value)  # training rows only
    if weak.always is not None:
        yield f"Always predicts {quoted(weak.always)}; no sign of skill."
    if result.rare is not None:  # before the accuracy, which hides it
        yield found_of(result.rare)
    yield _right(result, counts)
    if counts.has_rejected:
        yield _decided(counts)
    yield from (_headline(result.estimates[name]) for name in ("balanced_accuracy", "auc") if name in result.estimates)
    if result.chance is not None and np.count_nonzero(counts.support) > 1:
        label = None if result.baseline is None else result.baseline[0]
        against = f"accuracy against always predicting {quoted(label)}: p {probability(result.chance.p_value_nir, digits=3)}"
        yield f"{result.chance.statement}; {against}."
    if result.over_groups is not None:
        groups = result.over_groups
        yield f"Over the groups as well as the classes: balanced accuracy {value(groups)} ({sureness(groups)})."
    yield from (f"{found.message} {found.advice}" for found in result.findings if found.code == "A111")
    yield from weaknesses(result, counts, weak)
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
    worries = [*_of_cases(result), *_of_order(result)]
    if worries:
        yield f"What to worry about: {'; '.join(worries)}."


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


def _headline(estimate: Estimate) -> str:
    about = ", ".join(part for part in (scope(estimate), sureness(estimate)) if part)
    return f"{short_title(estimate)} {value(estimate)}{f' ({about})' if about else ''}."


def _remembered(found: Overfitting) -> str:
    """Return how the training rows of the same file fared, and what follows."""
    cases = "" if found.resubstitution.cases is None else f"{count(round(found.resubstitution.cases, 1))} "
    errors = f"error {value(found.resubstitution)} there, {value(found.sample)} here"
    shift = f"difference {percentage_points(found.bias)} percentage points, {percent(found.interval.level)} interval "
    said = {
        "optimistic": "the training error is too low, a sign of overfitting",
        "pessimistic": "the error is higher in training: check which rows are which",
    }.get(found.verdict, "no sure sign of overfitting")
    return f"Against the {cases}training rows: {errors} ({shift}{points(found.interval)}); {said}."


def found_of(result: RareClass) -> str:
    """Return what is found of the class now and, where it is worth it, at another threshold."""
    weighted = isinstance(result.cases, float)
    hits = share(result.sensitivity.value)
    part = f"{hits} of class {quoted(result.of)}"
    if not weighted:
        part = f"{count(result.found)} of {count(result.cases)} cases of class {quoted(result.of)} ({hits})"
    at = "" if result.threshold is None else f" at threshold {result.threshold:g}"
    precise = f"{', ' if at else ' at '}precision {share(float(result.precision.value))}" if result.found else ""
    price, other = "", result.instead
    if other is not None:
        assert other.every is not None
        low, high = (float(end[0]) for end in other.every.table().alike(np.array([other.threshold])))
        begins = threshold_words(other.threshold, probable=False, alike=(low, high))  # the number told decides as it does
        more = share(float(other.sensitivity.value))
        many = more if weighted else f"{count(other.found)} ({more})"
        price = f"; from {begins} on it finds {many} at precision {share(float(other.ppv.value))} ({RULE})"
    return f"Finds {part}{at}{precise}{price}."


def weaknesses(result: Evaluation, counts: ConfusionCounts, weak: Weaknesses) -> Iterator[str]:
    """Yield what to worry about: of the decisions, of the probabilities, of the groups."""
    swapped = [each.message for each in result.findings if each.code == "A109"]  # truth and decision look so
    decisions = [*(f"{message[0].lower()}{message[1:].rstrip('.')}" for message in swapped), *_of_cases(result)]
    decisions += [*_against_one_answer(result, counts), *_of_weak_classes(result, counts, weak)]
    if decisions:
        yield f"What to worry about: {'; '.join(decisions)}."
    probabilities = [*_of_order(result), *_of_confidence(result, counts, weak)]
    log_loss = result.estimates.get("log_loss")
    if log_loss is not None and math.isinf(log_loss.value):
        probabilities.append(f"{impossible(result)}, so that the log loss is infinite")
    if probabilities:
        said = "; ".join(probabilities)
        yield f"{said[0].upper()}{said[1:]}."
    yield from _of_confounds(result)
    found = None if result.groups is None else result.groups.compared
    if found is not None and found.p_value <= 1 - result.level:
        each = (result.by_group[label] for label in (found.lowest, found.highest))
        low, high = (share(float(table.correct.sum() / table.n)) for table in each)
        ends = f"correct in {low} of {quoted(found.lowest)} and {high} of {quoted(found.highest)}"
        yield f"Groups differ: {ends} (p {probability(found.p_value, digits=3)}, classes taken into account)."


def _of_cases(result: Evaluation) -> Iterator[str]:
    if result.origin.rows < FEW_CASES:
        yield f"there {'is' if result.origin.rows == 1 else 'are'} only {counted(result.origin.rows, 'case')}"


def _against_one_answer(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield that deciding did harm: nothing is right, or surely less than one answer to everything would be."""
    accuracy = result.estimates["accuracy"]
    if counts.k > 1 and accuracy.value == 0:
        yield "not one decision is right, as where labels or rows are mixed up"
    elif result.baseline is not None and accuracy.interval is not None and np.count_nonzero(counts.support) > 1:
        label, always = result.baseline
        if accuracy.interval.high < always:
            yield f"it is surely right less often than always predicting {quoted(label)}"


def _of_order(result: Evaluation) -> Iterator[str]:
    area = result.estimates.get("auc")
    if area is not None and area.interval is not None and area.interval.high < _BY_CHANCE:
        yield f"the scores rank cases the wrong way round (AUC {value(area)}, {sureness(area)}), as where classes are swapped"


def _of_confounds(result: Evaluation) -> Iterator[str]:
    """Yield how much the groups explain of what looks like skill."""
    over, plain = result.over_groups, result.estimates["balanced_accuracy"]
    owed = "" if result.groups is None else result.groups.owed
    if over is None or not owed:
        return
    numbers = f"with groups counting alike, the balanced accuracy of {value(plain)} becomes {value(over)} ({sureness(over)})"
    if owed == "all":
        yield f"It may tell the groups and nothing else: {numbers}, with no sign of skill within the groups."
    elif owed == "part":
        yield f"Part of it is owed to the groups: {numbers}."
    else:
        yield f"Groups hide how well it does in most of them: {numbers}."


def _of_weak_classes(result: Evaluation, counts: ConfusionCounts, found: Weaknesses) -> Iterator[str]:
    """Yield classes that are surely found less often than others, and confusions that surely take much of a class."""
    told, support = result.rare, dict(zip(counts.classes, counts.support.tolist(), strict=True))
    weak = [each for each in found.weak_classes if told is None or each.of != told.of]
    for worst in weak[:_MOST]:
        cases = f"its {count(float(support[worst.of]))} cases" if not isinstance(counts, WeightedCounts) else "its cases"
        yield f"class {quoted(worst.of)} is found in only {value(worst)} of {cases} ({sureness(worst)})"
    if len(weak) > _MOST:
        yield f"{len(weak) - _MOST:,} more classes are found surely less often than the others"
    large = found.large_confusions
    for each in large[:_MOST]:
        times = "" if isinstance(counts, WeightedCounts) else f" ({count(each.cases)} of {count(float(support[each.truth]))})"
        yield f"{share(each.share)} of {quoted(each.truth)} is predicted as {quoted(each.decided)}{times}"
    if len(large) > _MOST:
        yield f"{len(large) - _MOST:,} more confusions surely take over {share(LARGE, 0)} of a class"


def _of_confidence(result: Evaluation, counts: ConfusionCounts, weak: Weaknesses) -> Iterator[str]:
    """Yield what is wrong with the probabilities of the class to speak of, and with the highest of each case.

    Where a rare class of two is hardly ever predicted, the highest probability is what that of the class leaves of 1, and says
    nothing of its own.
    """
    own, found = result.class_confidence, weak.confidence
    said = "" if own is None else probabilities_of(own)
    if said:
        yield said
    assigned = None if own is None else counts.assigned[list(counts.classes).index(own.of)]
    mirrored = counts.k == _TWO and assigned is not None and assigned < RARE * counts.n / _TWO
    if found is not None and found.verdict and not mirrored:
        called, happened = apart(found.called, found.happened.value, 1)
        yield f"the probabilities of the predicted class are {found.verdict}: {called} on average, correct in {happened}"


def probabilities_of(found: Confidence) -> str:
    """Return that the probabilities of a class are too high or too low, or nothing."""
    if not found.verdict or found.happened.interval is None:
        return ""
    limits = found.happened.interval
    low, high = rarely(limits.low), rarely(limits.high)
    numbers = f"mean predicted {rarely(found.called)}, observed {rarely(found.happened.value)}"
    return (
        f"the predicted probabilities of class {quoted(found.of)} are {found.verdict}: {numbers} "
        f"({percent(limits.level)} interval {low} to {high})"
    )


def impossible(result: Evaluation) -> str:
    """Return how many cases had no probability for their true class."""
    seen = next((finding.value for finding in result.findings if finding.code == "A301"), None)
    some = "some case" if seen is None else counted(int(seen), "case")
    return f"{some} had probability 0 for the true class"


def card_note(result: Evaluation, estimate: Estimate) -> str:
    """Return a second line below a number set large, or nothing.

    Of a loss: by how much it beats the shares of the classes, or why it is infinite; of an AUC without limits: why.
    """
    if estimate.measure == "log_loss" and math.isinf(estimate.value):
        return impossible(result)
    if estimate.measure == "auc" and estimate.interval is None and result.counts is not None:
        return f"limits are worked out for up to {MOST_CURVES} classes" if result.counts.k > MOST_CURVES else ""
    gained = {} if result.weaknesses is None else result.weaknesses.skills
    if estimate.measure not in gained:
        return ""
    much = gained[estimate.measure]
    words = f"{share(abs(much), decimals=0, most=2)} {'better' if much >= 0 else 'worse'} than the class shares alone"
    return words if abs(much) >= _NOTABLE else "no better than the class shares alone"
