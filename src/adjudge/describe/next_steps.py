"""What next steps say: what to do, what that changes, and the command or call that does it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge._base import quoted, replace, share
from adjudge.describe.document import Step
from adjudge.describe.values import apart, percent, points, rounded_up, spoken, taken
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.next_steps import NextStep
from adjudge.plots.labels import count, loss, named
from adjudge.plots.labels import rare as rarely

if TYPE_CHECKING:
    from adjudge.judgements.comparison import Comparison

_LONGEST_NAME = 60
_ELSEWHERE = "one test set cannot tell how it does at another time or place: test it there"

_MANY_ALARMS = 1 / 3  # precision below which false alarms are counted for each case found
_LONGEST = 1_000  # characters of a call: beyond, labels are cut, and it would not run

_SEE = {"correction": "corrections", "threshold": "thresholds", "decide": "thresholds", "calibration": "reliability"}
_SEE |= {"bias": "residuals", "region": "residuals", "outliers": "agreement", "errors": "measures", "mean": "measures"}
_SEE |= {"class": "classes", "positive": "classes", "cases": "densities"}
"""Where a page tells more of a step."""

_SETUP = {
    "training": ("Test it on rows it was not trained on", "on training rows a model that remembers them looks perfect"),
    "swapped": ("Swap truth and predicted, if they are the wrong way round", "the numbers are then of the other table"),
}


def steps(result: Evaluation) -> tuple[Step, ...]:
    """Return what to do next in words; where nothing needs doing, that."""
    calls = ("" if len(each.call) > _LONGEST else each.call for each in result.next_steps)
    told = tuple(Step(*_words(each), call, _SEE.get(each.kind, "")) for each, call in zip(result.next_steps, calls, strict=True))
    if told or (result.counts is None and result.numbers is None):
        return told
    tried = [each for each in result.recommendations or () if each.rows]
    why = "no correction that was tried surely gains on held-out cases" if tried else "nothing here stands out"
    return (Step("Nothing to change", f"{why}; {_ELSEWHERE}" if result.folds is None else why),)


def _words(step: NextStep) -> tuple[str, str]:  # noqa: PLR0911 - one sentence for each kind
    """Return what to do, and what it changes."""
    of = "" if step.of is None else quoted(step.of)
    if step.kind in _SETUP:
        return _SETUP[step.kind]
    match step.kind:
        case "cluster":
            what = f"rows with the same {of}" if of else "equal rows"
            return f"Count {what} as a cluster, if they belong together", f"intervals become about {step.name:.2g} times as wide"
        case "labels" | "positive":
            return _named(step)
        case "scores" if step.of is not None:
            return f"Give scores, since class {of} is never predicted", "a threshold that finds some of it can then be chosen"
        case "scores":
            return "Give the scores of the classes, if there are any", "their ranking and calibration are then evaluated"
        case "decide":
            return f"Decide by a threshold of {step.value:.15g}", _found(step)
        case "correction":
            rule = str(step.name).split(",", maxsplit=1)[0]
            return f"Decide by {rule}, for the {spoken(step.measure)}", f"{_gains(step)}, on held-out cases, without retraining"
        case "threshold":
            lower = isinstance(step.name, float) and step.value is not None and step.value < step.name
            verb = "Lower" if lower else "Move"
            return f"{verb} the threshold to {step.value:.15g}", f"{_found(step)}; chosen on these cases, so test it on others"
        case "cases" | "errors":
            return _cases(step)
        case "mean" | "bias" | "region" | "outliers":
            return _of_numbers(step)
        case "calibration":
            return _calibration(step)
    (own, others), (now, after) = step.changes["sensitivity"], step.changes["accuracy"]
    taken = "" if step.value is None else f"; {count(step.value)} of its cases are predicted as {quoted(step.name)}"
    found = f"it is found in {share(own)} of its cases, the others in {share(others)}"
    gain = f"if it were found as often, accuracy would rise by {points(after - now)} points"
    return f"Work on class {of}", f"{found}; {gain}{taken}"


def _named(step: NextStep) -> tuple[str, str]:
    """Return which labels to make one class and the accuracy of that, or which class to name as the positive one."""
    if step.kind == "labels":
        now, then = step.changes.get("accuracy", (0.0, 0.0))
        rises = f"the accuracy is then {share(then)}, not {share(now)}" if then > now else "their cases then count together"
        return "Make one class of labels that differ only by case, spaces or Unicode form", rises
    told = [f"{spoken(name)} {share(own)}, not the mean {share(mean)}" for name, (mean, own) in step.changes.items()]
    return f"Name the positive class, such as {quoted(step.of)}", "; ".join(told) or "sensitivity and precision are then its own"


def _found(step: NextStep) -> str:
    """Return what a threshold finds of a class and how precisely, and what the one in use does."""
    (hits, more), (precise, then) = step.changes["sensitivity"], step.changes["precision"]
    now = "" if step.kind == "decide" else f" (now {share(hits)}{'' if math.isnan(precise) else f' at {share(precise)}'})"
    few = then < _MANY_ALARMS and then > 0
    price = f", about {count(round(1 / then) - 1)} false alarms for each case found" if few else ""
    return f"finds {share(more)} of class {quoted(step.of)} at precision {share(then)}{price}{now}"


def _gains(step: NextStep) -> str:
    """Return what a correction adds to each measure, that it is recommended for first."""
    order = sorted(step.changes, key=lambda name: name != step.measure)
    told = []
    for name in order:
        before, after = step.changes[name]
        one, two = apart(before, after, 1)
        told.append(f"{'+' if after >= before else ''}{points(after - before)} points of {spoken(name)} ({one} to {two})")
    return ", ".join(told)


def _cases(step: NextStep) -> tuple[str, str]:
    """Return how many further cases halve an interval, rounded up to two digits."""
    assert step.value is not None
    (now, then), of = step.changes["half_width"], "" if step.of is None else f" of class {quoted(step.of)}"
    among = "" if step.clusters is None else f" in about {rounded_up(step.clusters)} more clusters"
    label = f"Label about {rounded_up(step.value)} more cases{among} to halve the interval of the {spoken(step.measure)}{of}"
    if step.kind == "errors":
        return label, f"half its width falls from {loss(now)} to {loss(then)}"
    own = "" if step.name is None else f"; about {rounded_up(step.name)} of them are of that class"
    return label, f"half its width falls from {points(now)} to {points(then)} points{own}"


def _of_numbers(step: NextStep) -> tuple[str, str]:
    """Return what lowers the error of numeric predictions, and to what."""
    now, then = (loss(each) for each in step.changes.get("rmse", (math.nan, math.nan)))
    falls = f"the RMSE falls from {now} to {then} on these cases"
    if step.kind == "mean":
        return "Do not use it: predict the mean", f"its RMSE is {then}, that of the predictions {now}"
    assert step.value is not None
    if step.kind == "outliers":
        cases = "case with the largest error" if step.value == 1 else f"{count(step.value)} cases with the largest errors"
        return f"Look at the {cases}", f"they make {share(step.name, decimals=0)} of the squared error"
    size, way = loss(abs(step.value)), "low" if step.value > 0 else "high"
    if step.kind == "bias":
        verb = f"Add {size} to" if step.value > 0 else f"Subtract {size} from"
        return f"{verb} every prediction", f"they are too {way} on average; {falls}"
    low, high = (loss(each) for each in step.of)
    return (
        f"Recalibrate predictions between {low} and {high}",
        f"they are too {way} by {size} on average; corrected, {falls}, so test it on others",
    )


def between(comparison: Comparison, told: Sequence[NextStep]) -> tuple[Step, ...]:
    """Return which of two sets to use in words, and what to do about that one."""
    first, *others = told
    names = named(comparison.names, _LONGEST_NAME)
    if first.kind == "undecided":
        more = first.value
        often = f"they decide with {percent(comparison.assurance)} assurance, if the difference is what it looks like"
        either = "more cases like these would not decide: the difference is about as large as what counts as none"
        action = "Take either" if more is None else f"Label about {rounded_up(more)} more cases"
        return (Step(action, either if more is None else often),)
    if first.kind == "either":
        words = Step("Take either", f"choose by what they cost: {taken(comparison.measure, comparison.margin)}")
    else:
        best = names[int(comparison.verdict == "worse")]
        from adjudge.describe.comparison import two_values  # which evaluations alone do not need

        one, other = two_values(comparison)
        better, worse = (other, one) if comparison.verdict == "worse" else (one, other)
        words = Step(f"Use {best}", f"{spoken(comparison.measure)} {better}, not {worse}", first.call)
    about = f"Then, of {names[int(comparison.verdict == 'worse')]}: "
    then = (Step(*_words(each), each.call) for each in others)
    return (words, *(replace(each, action=f"{about}{each.action[0].lower()}{each.action[1:]}") for each in then))


def _calibration(step: NextStep) -> tuple[str, str]:
    said, happened = step.changes["mean_probability"]
    if step.of is not None:
        off = f"those of class {quoted(step.of)} are {step.name}, {rarely(said)} on average, observed {rarely(happened)}"
    else:
        called, right = apart(said, happened, 1)
        off = f"they are {step.name}: on average {called} for the predicted class, which is correct in {right}"
    return "Do not read the probabilities as they are", f"{off}; test whether a correction helps"
