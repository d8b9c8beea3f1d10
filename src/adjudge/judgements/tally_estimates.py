"""Every measure of what was counted, with its interval: of the whole table, of its scores, and class by class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge._base.show import Shown
from adjudge._base.text import quoted
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.areas import METHODS, METHODS_OF_MEAN, area_interval, macro_area_interval
from adjudge.estimates.estimate import Estimate, of_accuracy, of_class
from adjudge.estimates.intervals import count_interval, fitting, offered
from adjudge.estimates.scored import loss_interval, precision_interval
from adjudge.estimates.two_classes import OF_RECALLS
from adjudge.judgements.curves import MOST_CURVES
from adjudge.metrics import on_counts, on_scores
from adjudge.metrics.averages import averaged, value
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure

MOST_INTERVALS = 100
"""Classes up to which measures that rest on all cells of the table get an interval, whose cost grows as their cube."""
MOST_POSTERIOR = 200
"""Classes up to which there are posteriors, and intervals of the F1 of each class."""
MOST_CLASSES = 1000
"""Classes with a row of their own; with more, the commonest ones."""
_TWO = 2


@dataclass(frozen=True, slots=True)
class ClassVerdict(Shown):
    """How one class fared against the rest."""

    label: Any
    cases: float
    assigned: float
    sensitivity: Estimate
    precision: Estimate
    specificity: Estimate
    f1: Estimate
    auc: Estimate | None = None

    def __repr__(self) -> str:
        each = (self.sensitivity, self.precision, self.specificity, self.f1, *(() if self.auc is None else (self.auc,)))
        shares = ", ".join(f"{one.measure} {one.value:.4f}" for one in each)
        return f"Class {quoted(self.label)}: {self.cases:,.6g} cases, {self.assigned:,.6g} assigned; {shares}"


def estimates_of(tally: Tally, level: float, method: str) -> dict[str, Estimate]:
    """Return every measure of decisions and, where there are some, of scores, by name."""
    counts = tally.confusion
    rates = [on_counts.ACCURACY, on_counts.ERROR, *([on_counts.REJECTION_RATE] if counts.has_rejected else [])]
    found = {m.name: of_accuracy(counts, m, level, method) for m in rates}
    for m in (on_counts.BALANCED_ACCURACY, on_counts.MCC, on_counts.KAPPA, on_counts.INFORMEDNESS, on_counts.G_MEAN):
        size = value(m, counts)
        known = not np.isnan(size) and _is_quick(m, counts, None)
        limits = count_interval(counts, m.name, level=level, method=fitting(method, m)) if known else None
        found[m.name] = Estimate(m.name, size, limits)
    per_class = (
        on_counts.SENSITIVITY,
        on_counts.SPECIFICITY,
        on_counts.PRECISION,
        on_counts.NPV,
        on_counts.F1,
        on_counts.JACCARD,
    )
    for measure in per_class:
        found[measure.name] = _of_class_or_mean(tally, measure, level, method)
    if tally.scores is None:
        return found
    found |= ranking_estimates(tally, level, method)
    if _TWO < counts.k <= MOST_CURVES:  # the pairs grow as the square
        found["auc_hand_till"] = Estimate("auc", on_scores.hand_till(tally), average="hand-till")
    for loss in (on_scores.BRIER, on_scores.LOG_LOSS, on_scores.ECE):
        found[loss.name] = Estimate(loss.name, loss.of(tally), loss_interval(tally, loss.name, level=level))
    return found


def ranking_estimates(tally: Tally, level: float, method: str) -> dict[str, Estimate]:
    """Return how well scores rank: of the class of interest, or on average over classes."""
    found, at = {}, tally.of_interest
    for measure in (on_scores.AUC, on_scores.AVERAGE_PRECISION):
        if at is not None:
            found[measure.name] = _of_score(measure, tally, at, level, method)
            continue
        limits = None
        if measure is on_scores.AUC and tally.confusion.k <= MOST_CURVES:
            limits = macro_area_interval(tally, level=level, method=method if method in METHODS_OF_MEAN else "default")
        found[measure.name] = Estimate(measure.name, on_scores.averaged(measure, tally, "macro"), limits, average="macro")
    return found


def verdicts_by_class(tally: Tally, level: float, method: str) -> tuple[ClassVerdict, ...]:
    """Return how each class fared against the rest."""
    counts = tally.confusion
    ranked = tally.scores is not None and counts.k <= MOST_CURVES
    shown = range(counts.k) if counts.k <= MOST_CLASSES else sorted(np.argsort(-counts.support, kind="stable")[:50].tolist())
    measures = (on_counts.SENSITIVITY, on_counts.PRECISION, on_counts.SPECIFICITY)
    rows = []
    for at in shown:
        label = counts.classes[at]
        sensitivity, precision, specificity = (of_class(counts, measure, at, level, method) for measure in measures)
        f1 = of_class(counts, on_counts.F1, at, level, method)
        if not np.isnan(f1.value) and counts.k <= MOST_POSTERIOR:
            chosen = fitting(method, on_counts.F1)
            f1 = replace(f1, interval=count_interval(counts, "f1", level=level, method=chosen, positive=f1.of))
        auc = _of_score(on_scores.AUC, tally, at, level, method) if ranked else None
        cases, assigned = counts.support[at].item(), counts.assigned[at].item()
        rows.append(ClassVerdict(label, cases, assigned, sensitivity, precision, specificity, f1, auc))
    return tuple(rows)


def _of_class_or_mean(tally: Tally, measure: ClassMeasure, level: float, method: str) -> Estimate:
    counts, at = tally.confusion, tally.positive
    if at is not None:
        found, label = of_class(counts, measure, at, level, method), counts.classes[at]
        if measure.plain or np.isnan(found.value):
            return found
        chosen = fitting(method, measure)
        return replace(found, interval=count_interval(counts, measure.name, level=level, method=chosen, positive=label))
    mean = averaged(measure, counts, "macro")
    known = not np.isnan(mean) and _is_quick(measure, counts, "macro")
    chosen = fitting(method, measure, "macro")
    limits = count_interval(counts, measure.name, level=level, method=chosen, average="macro") if known else None
    return Estimate(measure.name, mean, limits, average="macro")


def _is_quick(measure: Measure, counts: ConfusionCounts, average: str | None) -> bool:
    """Say whether an interval takes no long time: the measure rests on shares of the classes, or the table is not large."""
    return counts.k <= MOST_INTERVALS or offered(measure, average)[0] in OF_RECALLS


def _of_score(measure: OtherMeasure, tally: Tally, at: int, level: float, method: str) -> Estimate:
    if measure is on_scores.AUC:
        limits = area_interval(tally, at, level=level, method=method if method in METHODS else "default")
    else:
        limits = precision_interval(tally, at, level=level)
    return Estimate(measure.name, on_scores.of_class(measure, tally, at), limits, of=tally.confusion.classes[at])
