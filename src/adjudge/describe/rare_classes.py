"""What is found of a rare class at which price, in a sentence; and what its probabilities are worth."""

from __future__ import annotations

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import quoted
from adjudge.describe.values import percent
from adjudge.judgements.rare_class import RareClass
from adjudge.judgements.thresholds import Operating
from adjudge.judgements.weaknesses import Confidence
from adjudge.plots.labels import count
from adjudge.plots.operating import rare, threshold_words

RULE = "the threshold of largest sensitivity + specificity on these cases"
"""How the other threshold was chosen."""


def found_of(result: RareClass) -> str:
    """Return what is found of the class now and, where it is worth it, at another threshold."""
    weighted = isinstance(result.cases, float)
    hits = share(result.sensitivity.value)
    part = f"{hits} of class {quoted(result.of)}"
    if not weighted:
        part = f"{count(result.found)} of {count(result.cases)} cases of class {quoted(result.of)} ({hits})"
    at = "" if result.threshold is None else f" at threshold {result.threshold:g}"
    precise = f"{', ' if at else ' at '}precision {share(float(result.precision.value))}" if result.found else ""
    price = "" if result.instead is None else f"; {_instead(result.instead, weighted=weighted)}"
    return f"Finds {part}{at}{precise}{price}."


def _instead(other: Operating, *, weighted: bool) -> str:
    """Return what another threshold finds; the number told decides as it does."""
    assert other.every is not None
    low, high = (float(end[0]) for end in other.every.table().alike(np.array([other.threshold])))
    begins = threshold_words(other.threshold, probable=False, alike=(low, high))
    hits = share(float(other.sensitivity.value))
    many = hits if weighted else f"{count(other.found)} ({hits})"
    return f"from {begins} on it finds {many} at precision {share(float(other.ppv.value))} ({RULE})"


def probabilities_of(found: Confidence) -> str:
    """Return that the probabilities of a class are too high or too low, or nothing."""
    if not found.verdict or found.happened.interval is None:
        return ""
    limits = found.happened.interval
    low, high = rare(limits.low), rare(limits.high)
    numbers = f"mean predicted {rare(found.called)}, observed {rare(found.happened.value)}"
    return (
        f"the predicted probabilities of class {quoted(found.of)} are {found.verdict}: {numbers} "
        f"({percent(limits.level)} interval {low} to {high})"
    )
