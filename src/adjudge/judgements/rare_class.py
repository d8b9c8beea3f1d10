"""A class that is rare or mostly missed: what is found of it now, and what another threshold would find at which price.

The accuracy of such a class drowns in that of all others. So what is found is told by itself, and beside it what the threshold of
largest sensitivity + specificity would find (Youden 1950, Cancer 3:32-35): the one of least expected cost where a miss costs as
many times a false alarm as there are other cases to one of the class. It is read from the table of thresholds, no case is
looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.findings import Finding
from adjudge._base.levels import share as percent
from adjudge._base.show import Shown
from adjudge._base.text import quoted
from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.estimate import Estimate, of_class
from adjudge.judgements.curves import is_rare, subject
from adjudge.judgements.findings import FEW_OF_A_CLASS
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.judgements.weaknesses import Confidence
from adjudge.metrics import on_counts

MOSTLY = 0.5
"""Found surely less often than this, a class is mostly missed."""
NOTABLE = 0.05
"""How much another threshold must add to sensitivity + specificity to be told of."""
_TWO = 2
_EVEN = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class RareClass(Shown):
    """What is found of a class, and what would be at another threshold."""

    of: Any
    cases: float
    share: float
    """Of all cases."""
    found: float
    sensitivity: Estimate
    precision: Estimate
    threshold: float | None
    """From which the class is predicted now; None where the decisions follow no threshold that is known."""
    instead: Operating | None = None
    """What the threshold of largest sensitivity + specificity does; None where it adds little, or there are no scores."""


def rare_class(counts: ConfusionCounts, thresholds: Thresholds | None, positive: Any, *, level: float = 0.95) -> RareClass | None:
    """Return what is found of the class to speak of, where it is rare or mostly missed; of equal classes of two the worse."""
    label = subject(counts, positive)
    at = _missed(counts, level) if label is None else list(counts.classes).index(label)
    if at is None or not counts.support[at] or not counts.k > 1 or not counts.assigned.sum():
        return None
    sensitivity = of_class(counts, on_counts.SENSITIVITY, at, level)
    mostly = sensitivity.interval is not None and sensitivity.interval.high < MOSTLY
    if not (mostly or is_rare(counts, at)):
        return None
    cases, label = counts.support[at].item(), counts.classes[at]
    precision = of_class(counts, on_counts.PRECISION, at, level)
    in_use, instead = (None, None) if thresholds is None else _thresholds(thresholds, counts, at)
    return RareClass(label, cases, cases / float(counts.n), counts.correct[at].item(), sensitivity, precision, in_use, instead)


def _missed(counts: ConfusionCounts, level: float) -> int | None:
    """Return which of two classes is surely found less often than not."""
    if counts.k != _TWO or not np.all(counts.support > 0):
        return None
    at = int(np.argmin(counts.correct / counts.support))
    limits = of_class(counts, on_counts.SENSITIVITY, at, level).interval
    return at if limits is not None and limits.high < MOSTLY else None


def _thresholds(found: Thresholds, counts: ConfusionCounts, at: int) -> tuple[float | None, Operating | None]:
    """Return the threshold that decides as was decided, and what the one of largest sensitivity + specificity does."""
    label = counts.classes[at]
    if label not in found.tables:
        return None, None
    table = found.table(label)
    used = (
        found.in_use
        if label == found.of and found.in_use is not None
        else _EVEN
        if table.probable and found.classes == _TWO
        else None
    )
    own = (counts.correct[at], counts.assigned[at] - counts.correct[at])
    if used is not None and own != tuple(side[table.place(used)] for side in (table.found, table.alarms)):
        used = None
    rates = table.found / table.cases - table.alarms / table.others
    best = int(np.argmax(rates))
    adds = float(rates[best]) - float(own[0] / table.cases - own[1] / table.others)
    few = min(table.worth) < FEW_OF_A_CLASS
    every = not 0 < best < len(rates) - 1  # calling nobody, or everybody, is no advice
    return used, None if few or every or adds < NOTABLE else found.at(float(table.thresholds[best]), of=label)


def rare_findings(counts: ConfusionCounts, positive: Any, confidence: Confidence | None) -> Iterator[Finding]:
    """Yield that the class to speak of is rare, and that its probabilities are too high or too low on average."""
    label = subject(counts, positive)
    if label is None:
        return
    at = list(counts.classes).index(label)
    if is_rare(counts, at):
        part = float(counts.support[at] / counts.n)
        told = f"Class {quoted(label)} is rare, {percent(part)} of the cases: the accuracy says little about it."
        yield Finding("A209", told, "Read its sensitivity and precision, and choose a threshold by what errors cost.", part)
    if confidence is not None and confidence.verdict:
        told = f"The predicted probabilities of class {quoted(label)} are {confidence.verdict} on average."
        yield Finding("A306", told, "Recalibrate them, or choose a threshold on cases like those in use.", confidence.gap)
