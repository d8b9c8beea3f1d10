"""Where the cases came from: folds and what they come to, or one test set and what it cannot tell."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.document import Section
from adjudge.describe.tables import class_sizes, facts, of_part, parts
from adjudge.describe.values import sureness, value
from adjudge.estimates.estimate import Conventional, Estimate, Interval, over_folds
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.findings import FEW_CASES
from adjudge.plots.parts import part_forest
from adjudge.stats.student import corrected_limits

ONE_TEST_SET = (
    "One test set: the intervals speak of the finite number of test cases only. They do not cover cases of another population, "
    "labels made otherwise, or a model trained anew on other cases."
)
_MOST_DOTS = 2000
_FEWEST = 2


def origin(result: Evaluation) -> Iterator[Section]:
    """Yield the folds, where there are some; else what one test set does not tell."""
    tables = {label: counts for label, counts in result.by_fold.items() if counts.n}
    if result.counts is None and result.undecided is None:
        return
    if len(tables) < _FEWEST:
        yield Section("table", "folds", "Validation design", ONE_TEST_SET, theme="origin")
        return
    estimates = {label: of_part(table, result.level)[0] for label, table in list(tables.items())[:_MOST_DOTS]}
    apart = [
        ("This test set, pooled", result.estimates["accuracy"], "diamond"),
        ("This algorithm, trained anew", over_algorithm(tables, result), "diamond"),
        (f"Mean of {counted(len(tables), 'fold')} ± 2 SE", _as_estimate(over_folds(list(tables.values()))), "cross"),
    ]
    yield Section(
        "figure",
        "folds",
        "Fold by fold",
        _lead(tables),
        tables=(parts(tables, "fold", result.level),),
        figure=part_forest(estimates, apart, what="fold", level=result.level),
        theme="origin",
        reading=tuple(_reading(tables, result)),
    )


def data(result: Evaluation, name: str) -> Iterator[Section]:
    """Yield the facts about the data, and the cases of each class."""
    yield Section("facts", "data", "The data", tables=(facts(result, name),), theme="data")
    if result.counts is not None or result.undecided is not None:
        sizes = class_sizes(result)
        yield Section("table", "class-sizes", sizes.caption, tables=(sizes,), theme="data", folded=True)


def over_algorithm(tables: dict[object, ConfusionCounts], result: Evaluation) -> Estimate | None:
    """Return the mean of folds with limits that know of shared training cases, each fold tested once by a model of the others.

    That takes folds which are the parts of one division: answers that come back, or weights, tell of another plan.
    """
    each = np.array([float(counts.correct.sum() / counts.n) for counts in tables.values()])
    weighted = any(isinstance(counts, WeightedCounts) for counts in tables.values())
    if each.size < _FEWEST or result.repeats > 1 or weighted or not np.ptp(each):
        return None
    low, high = corrected_limits(each, test_share=1 / each.size, level=result.level)
    limits = Interval(max(low, 0.0), min(high, 1.0), result.level, "corrected t over folds")
    return Estimate("accuracy", float(each.mean()), limits)


def _as_estimate(bar: Conventional) -> Estimate | None:
    if not math.isfinite(bar.error):
        return None
    return Estimate("accuracy", bar.value, Interval(bar.low, bar.high, 0.95, "two standard errors"))


def _lead(tables: dict[object, ConfusionCounts]) -> str:
    each = [float(counts.correct.sum() / counts.n) for counts in tables.values()]
    weighed = " (weighted)" if any(isinstance(counts, WeightedCounts) for counts in tables.values()) else ""
    span = f"Accuracy from {share(min(each))} to {share(max(each))} over {counted(len(tables), 'fold')}{weighed}"
    return f"{span}; the band is the interval of all cases together."


def _reading(tables: dict[object, ConfusionCounts], result: Evaluation) -> Iterator[str]:
    pooled, anew = result.estimates["accuracy"], over_algorithm(tables, result)
    yield f"This test set: {value(pooled)} ({sureness(pooled)}), all answers pooled: these models on cases like these."
    if anew is not None:
        about = "if each fold was answered by a model trained on all others; corrected for the training cases they share"
        yield f"This algorithm, trained anew: {value(anew)} ({sureness(anew)}), {about}."
    smallest = min(round(counts.n) for counts in tables.values())
    if smallest <= FEW_CASES:
        yield f"Folds are small (the smallest has {counted(smallest, 'case')}): read the pooled number, not single folds."
    yield "The bar of two standard errors is what is commonly reported; it takes no notice of training cases that folds share."
