"""What next steps say: what to do, what that changes, and the command or call that does it."""

from __future__ import annotations

import math

from adjudge._base import quoted, share
from adjudge.describe.document import Step
from adjudge.describe.values import apart, points, spoken
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.next_steps import NextStep
from adjudge.plots.labels import count
from adjudge.plots.labels import rare as rarely

_ELSEWHERE = "one test set cannot tell how it does at another time or place: test it there"

_LONGEST = 1_000  # characters of a call: beyond, labels are cut, and it would not run

_SEE = {"correction": "corrections", "threshold": "thresholds", "decide": "thresholds", "calibration": "reliability"}
_SEE |= {"class": "classes", "positive": "classes", "cases": "densities"}
"""Where a page tells more of a step."""


def steps(result: Evaluation) -> tuple[Step, ...]:
    """Return what to do next in words; where nothing needs doing, that."""
    calls = ("" if len(each.call) > _LONGEST else each.call for each in result.next_steps)
    told = tuple(Step(*_words(each), call, _SEE.get(each.kind, "")) for each, call in zip(result.next_steps, calls, strict=True))
    if told or result.counts is None:
        return told
    tried = [each for each in result.recommendations or () if each.rows]
    why = "no correction that was tried surely gains on held-out cases" if tried else "nothing here stands out"
    return (Step("Nothing to change", f"{why}; {_ELSEWHERE}" if result.folds is None else why),)


def _words(step: NextStep) -> tuple[str, str]:  # noqa: PLR0911 - one sentence for each kind
    """Return what to do, and what it changes."""
    of = "" if step.of is None else quoted(step.of)
    match step.kind:
        case "training":
            return "Test it on rows it was not trained on", "on training rows a model that remembers them looks perfect"
        case "swapped":
            return "Swap truth and predicted, if they are the wrong way round", "the numbers are then of the other table"
        case "positive":
            told = [f"{spoken(name)} {share(own)}, not the mean {share(mean)}" for name, (mean, own) in step.changes.items()]
            return f"Name the positive class, such as {of}", "; ".join(told) or "sensitivity and precision are then its own"
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
        case "cases":
            return _cases(step)
        case "calibration":
            return _calibration(step)
    (own, others), (now, after) = step.changes["sensitivity"], step.changes["accuracy"]
    taken = "" if step.value is None else f"; {count(step.value)} of its cases are predicted as {quoted(step.name)}"
    gain = f"found as often as the others ({share(others)}, now {share(own)}), it adds {points(after - now)} points of accuracy"
    return f"Work on class {of}", f"{gain}{taken}"


def _found(step: NextStep) -> str:
    """Return what a threshold finds of a class and how precisely, and what the one in use does."""
    (hits, more), (precise, then) = step.changes["sensitivity"], step.changes["precision"]
    now = "" if step.kind == "decide" else f" (now {share(hits)}{'' if math.isnan(precise) else f' at {share(precise)}'})"
    return f"finds {share(more)} of class {quoted(step.of)} at precision {share(then)}{now}"


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
    unit = 10 ** max(0, math.floor(math.log10(step.value)) - 1)
    about = f"{math.ceil(step.value / unit) * unit:,}"
    (now, then), of = step.changes["half_width"], "" if step.of is None else f" of class {quoted(step.of)}"
    narrow = f"\u00b1{points(then)} points, now \u00b1{points(now)}"
    return f"Label about {about} more cases to halve the interval of the {spoken(step.measure)}{of}", narrow


def _calibration(step: NextStep) -> tuple[str, str]:
    said, happened = step.changes["mean_probability"]
    if step.of is not None:
        off = f"those of class {quoted(step.of)} are {step.name}, {rarely(said)} on average, observed {rarely(happened)}"
    else:
        called, right = apart(said, happened, 1)
        off = f"they are {step.name}, {called} on average for the predicted class, correct in {right}"
    return "Do not read the probabilities as they are", f"{off}; test whether a correction helps"
