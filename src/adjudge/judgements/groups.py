"""Groups of cases side by side: whether the decisions are right equally often in all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from adjudge._base.findings import Finding
from adjudge._base.levels import share as percent
from adjudge._base.show import Shown
from adjudge._base.show import plain as as_plain
from adjudge._base.text import counted, probable, quoted, safe
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import Estimate, Interval, of_accuracy, over_folds
from adjudge.estimates.intervals import count_interval
from adjudge.estimates.posterior import over_levels
from adjudge.judgements.accuracy_posteriors import decided_margins
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value
from adjudge.stats.permutation import within_strata
from adjudge.stats.power import right_alike
from adjudge.stats.student import corrected_limits

MOST_GROUPS = 200
"""Groups up to which they are tested against each other, which costs the cube of their number."""
MOST_PARTS, MOST_LIMITS = 2000, 200
"""Folds or groups that are judged one by one, and those of them that have limits."""
_MOST_CELLS = 100_000  # of the tables of all folds, or of all groups, as plain Python
_TWO = 2
_FEWEST = 5  # cases a group on average, for the chi-square law to hold
_NOTABLE = 0.01  # difference of two balanced accuracies worth a word


@dataclass(frozen=True, slots=True)
class GroupsCompared(Shown):
    """Whether groups differ in how often the decisions are right, class by class."""

    groups: int
    chi2: float
    df: int
    p_value: float
    lowest: Any
    highest: Any
    """The groups that are right least and most often."""


@dataclass(frozen=True, slots=True)
class GroupsJudged(Shown):
    """How each group fares, whether they differ, and what is owed to them."""

    accuracy: dict[Any, Estimate]
    balanced: dict[Any, Estimate]
    """Over the classes that a group has a case of."""
    compared: GroupsCompared | None
    """None where groups cannot be tested against each other."""
    owed: Literal["", "part", "all", "hidden"]
    """What groups explain of the balanced accuracy; see :func:`owed_to_groups`."""


@dataclass(frozen=True, slots=True)
class FoldsJudged(Shown):
    """How each fold fares, and what all of them come to."""

    accuracy: dict[Any, Estimate]
    balanced: dict[Any, Estimate]
    algorithm: Estimate | None
    """The mean of folds with limits that know of shared training cases; None where folds are not the parts of one division."""
    conventional: Estimate | None
    """The mean give or take two standard errors, as is commonly reported."""


def judge_groups(
    by_group: Mapping[Any, ConfusionCounts], level: float, plain: float, over: Estimate | None
) -> GroupsJudged | None:
    """Return how groups fare; `plain` is the balanced accuracy of all cases, `over` that of groups as well as classes."""
    if not by_group:
        return None
    owed = "" if over is None else owed_to_groups(plain, over, by_group)
    return GroupsJudged(*_part_estimates(by_group, level), compare_groups(by_group), owed)


def judge_folds(by_fold: Mapping[Any, ConfusionCounts], level: float, *, repeats: float = 1.0) -> FoldsJudged | None:
    """Return how folds fare; None where fewer than two have a case."""
    tables = {label: counts for label, counts in by_fold.items() if counts.n}
    if len(tables) < _TWO:
        return None
    bar = over_folds(list(tables.values()))
    limits = Interval(bar.low, bar.high, 0.95, "two standard errors")
    conventional = Estimate("accuracy", bar.value, limits) if math.isfinite(bar.error) else None
    return FoldsJudged(*_part_estimates(tables, level), _over_algorithm(tables, level, repeats), conventional)


def _part_estimates(tables: Mapping[Any, ConfusionCounts], level: float) -> tuple[dict[Any, Estimate], dict[Any, Estimate]]:
    """Return accuracy and balanced accuracy by part; those beyond a table's rows are drawn as dots and have no limits."""
    accuracy, balanced = {}, {}
    for at, (label, counts) in enumerate(list(tables.items())[:MOST_PARTS]):
        whole, mean = value(on_counts.ACCURACY, counts), value(on_counts.BALANCED_ACCURACY, counts)
        accuracy[label], balanced[label] = Estimate("accuracy", whole, cases=counts.n), Estimate("balanced_accuracy", mean)
        if at < MOST_LIMITS:
            limits = None if np.isnan(mean) else count_interval(counts, "balanced_accuracy", level=level)
            accuracy[label] = of_accuracy(counts, on_counts.ACCURACY, level)
            balanced[label] = Estimate("balanced_accuracy", mean, limits)
    return accuracy, balanced


def _over_algorithm(tables: Mapping[Any, ConfusionCounts], level: float, repeats: float) -> Estimate | None:
    """Return the mean of folds, each of them tested once by a model of the others.

    That takes folds which are the parts of one division: answers that come back, or weights, tell of another plan.
    """
    each = np.array([float(counts.correct.sum() / counts.n) for counts in tables.values()])
    weighted = any(isinstance(counts, WeightedCounts) for counts in tables.values())
    if repeats > 1 or weighted or not np.ptp(each):
        return None
    low, high = corrected_limits(each, test_share=1 / each.size, level=level)
    return Estimate("accuracy", float(each.mean()), Interval(max(low, 0.0), min(high, 1.0), level, "corrected t over folds"))


def compare_groups(by_group: Mapping[Any, ConfusionCounts]) -> GroupsCompared | None:
    """Return whether groups differ; None where nothing can be told: too many, too few cases, weights, or no class in common."""
    tables = {label: counts for label, counts in by_group.items() if counts.n}
    weighted = any(isinstance(counts, WeightedCounts) for counts in tables.values())
    if not 1 < len(tables) <= MOST_GROUPS or weighted or sum(int(c.n) for c in tables.values()) < _FEWEST * len(tables):
        return None
    correct, cases = (np.stack([getattr(c, name) for c in tables.values()], axis=1) for name in ("correct", "support"))
    chi2, df, p = right_alike(correct, cases)
    if not df:
        return None
    shares = {label: float(counts.correct.sum() / counts.n) for label, counts in tables.items()}
    return GroupsCompared(len(tables), chi2, df, p, min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__))


def skill_within(by_group: Mapping[Any, ConfusionCounts]) -> float:
    """Return the p-value of the permutation test of the balanced accuracy over groups and classes, permuted within each group.

    Of decided cases; weighted ones count as many as they are worth.
    """
    rows, columns, recalls = (np.stack(part) for part in zip(*map(decided_margins, by_group.values()), strict=True))
    seen = rows > 0
    among = seen.sum(axis=0)
    shares = seen / np.maximum(among, 1) / max(np.count_nonzero(among), 1)
    return within_strata(rows, columns, shares / np.maximum(rows, 1), float((shares * recalls).sum()))


def owed_to_groups(plain: float, over: Estimate, by_group: Mapping[Any, ConfusionCounts]) -> Literal["", "part", "all", "hidden"]:
    """Return what groups explain of the balanced accuracy `plain`, given the one `over` groups as well as classes.

    Nothing where the limits of the latter hold the former; "all" of what is above chance where there is no sign of skill
    within the groups; "hidden" where groups make the classifier look worse than it is in most of them.
    """
    limits = over.interval
    if limits is None or abs(over.value - plain) < _NOTABLE or limits.low <= plain <= limits.high:
        return ""
    if over.value > plain:
        return "hidden"
    classes = int(np.count_nonzero(np.sum([table.support for table in by_group.values()], axis=0)))
    return "all" if plain > 1 / max(classes, 1) and skill_within(by_group) > 1 - limits.level else "part"


def of_differing(by_group: Mapping[Any, ConfusionCounts], level: float) -> Iterator[Finding]:
    """Say that groups differ, where they surely do, and that there is nothing but groups, where there may be."""
    yield from _of_rightness(by_group, level)
    yield from _of_chance_within(by_group, level)


def _of_chance_within(by_group: Mapping[Any, ConfusionCounts], level: float) -> Iterator[Finding]:
    right, cases = (np.sum([getattr(c, name) for c in by_group.values()], axis=0) for name in ("correct", "support"))
    seen = cases > 0
    plain, over = float(np.mean(right[seen] / cases[seen])), over_levels(by_group, level)
    if over.interval is None or owed_to_groups(plain, over, by_group) != "all":
        return
    limits = f"{100 * level:.6g}% limits {percent(over.interval.low)} to {percent(over.interval.high)}"
    p = probable(skill_within(by_group), 2)
    told = f"With groups counting alike, the balanced accuracy is {percent(over.value)} ({limits}); "
    told += f"no sign of skill within the groups (permutation P {p})."
    advice = f"All of the plain {percent(plain)} may be owed to the groups; judge it where they do not give the class away."
    yield Finding("A509", told, advice, over.value - plain)


def _of_rightness(by_group: Mapping[Any, ConfusionCounts], level: float) -> Iterator[Finding]:
    found = compare_groups(by_group)
    if found is None or found.p_value > 1 - level:
        return
    low, high = (by_group[label] for label in (found.lowest, found.highest))
    ends = [f"{percent(float(c.correct.sum() / c.n))} in {quoted(at)}" for c, at in ((low, found.lowest), (high, found.highest))]
    told = f"The decisions are not right equally often in {counted(found.groups, 'group')}: {ends[0]}, {ends[1]}"
    p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"  # noqa: PLR2004 - digits shown
    yield Finding("A508", f"{told} ({p}, classes taken into account).", "Judge it group by group.", found.p_value)


def plain_tables(found: Mapping[Any, ConfusionCounts]) -> dict[str, Any]:
    """Return folds or groups: cases, right ones, accuracy, balanced accuracy and, where that is not too much, every cell."""
    cells = sum(counts.k**2 for counts in found.values()) <= _MOST_CELLS
    told = {}
    for label, counts in found.items():
        measures = {m.name: value(m, counts) for m in (on_counts.ACCURACY, on_counts.BALANCED_ACCURACY)}
        own = as_plain({"cases": counts.n, "right": counts.correct.sum()} | measures)
        told[safe(label)] = own | (counts.to_dict() if cells else {})
    return told
