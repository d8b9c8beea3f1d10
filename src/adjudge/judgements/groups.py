"""Groups of cases side by side: whether the decisions are right equally often in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from adjudge._base.findings import Finding
from adjudge._base.levels import share as percent
from adjudge._base.show import Shown
from adjudge._base.text import counted, probable, quoted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import Estimate
from adjudge.estimates.posterior import over_levels
from adjudge.judgements.chance import decided_margins
from adjudge.stats.permutation import within_strata
from adjudge.stats.power import right_alike

MOST_GROUPS = 200
"""Groups up to which they are tested against each other, which costs the cube of their number."""
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
