"""Rules on the same cases, each in its partition space, and what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from adjudge._base.arguments import wording
from adjudge._base.arrays import FloatArray, generator
from adjudge._base.findings import Finding
from adjudge._base.levels import checked_level
from adjudge._base.show import Shown, plain
from adjudge._base.text import safe
from adjudge.partitions.differences import PartitionDifference, check_same, difference_of
from adjudge.partitions.goodness import MEASURES as ALL
from adjudge.partitions.space import PartitionSpace
from adjudge.partitions.sure import RESAMPLES, MeasureInterval, check_resamples, deviations, limits

MEASURES = ("accuracy", "separation")
"""What has limits, and is compared."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartitionComparison(Shown):
    """Partition spaces of the same cases by the names of their rules, how sure their measures are, and their differences."""

    spaces: dict[str, PartitionSpace]
    intervals: dict[str, dict[str, MeasureInterval]]
    """By rule and measure, accuracy and separation."""
    differences: dict[tuple[str, str], dict[str, PartitionDifference]]
    """By pair of rules and measure: the first less the second, on the same cases."""
    level: float
    """Of the intervals; those of several differences hold together, each being wider for it (Bonferroni)."""
    findings: tuple[Finding, ...] = ()
    drawing: dict[str, Any] = field(default_factory=dict)
    """How to draw them, on a page as well; see :func:`adjudge.plots.partitions.partition_picture`."""

    @property
    def known(self) -> bool:
        """Whether the true classes are; without them there are no limits and no differences."""
        return self.first.truth is not None

    @property
    def first(self) -> PartitionSpace:
        """The space of the first rule."""
        return next(iter(self.spaces.values()))

    @property
    def cases(self) -> int:
        """How many cases all rules judge."""
        return len(self.first.memberships)

    def to_dict(self) -> dict[str, Any]:
        """Return the measures, regions, limits and differences as plain Python."""
        return {
            "level": self.level,
            "rules": {name: space.to_dict() | {"intervals": plain(self.intervals[name])} for name, space in self.spaces.items()},
            "differences": [{"a": a, "b": b, **plain(found)} for (a, b), found in self.differences.items()],
            "findings": plain(self.findings),
        }

    def drawn(self, **how: Any) -> PartitionComparison:
        """Return the same, to be drawn in another way: `space`, `lines`, `classes`, `rest` and `view`."""
        return replace(self, drawing=self.drawing | how)

    def __repr__(self) -> str:
        return self.in_words()


def judge_partitions(
    spaces: Mapping[str, PartitionSpace],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Any = 0,
    findings: tuple[Finding, ...] = (),
) -> PartitionComparison:
    """Return how sure the measures of spaces of the same cases are, and what tells each pair of them apart.

    All are drawn again together, so what is hard for all of them does not blur the differences.
    """
    level, resamples, names, many = checked_level(level), check_resamples(resamples), list(spaces), list(spaces.values())
    for other in many[1:]:
        check_same(many[0], other)
    own = [
        replace(finding, message=wording(f"{safe(name)}: ", finding.message)) if len(many) > 1 else finding
        for name, space in spaces.items()
        for finding in space.findings
    ]
    if any(space.truth is None for space in many):
        return PartitionComparison(dict(spaces), {name: {} for name in names}, {}, level, (*findings, *own))
    values = [[float(getattr(space, measure)) for measure in ALL] for space in many]
    off, method = deviations([space.evidence() for space in many], values, resamples, generator(rng))
    drawn = _Drawn(values, off, method)
    pairs = list(combinations(range(len(names)), 2))
    together = 1 - (1 - level) / max(1, len(pairs))
    told = {name: {measure: drawn.interval(i, measure, level) for measure in MEASURES} for i, name in enumerate(names)}
    between = {
        (names[i], names[j]): {measure: drawn.difference(i, j, measure, together) for measure in MEASURES} for i, j in pairs
    }
    return PartitionComparison(dict(spaces), told, between, level, (*findings, *own))


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Measures of several spaces, and how far those of cases drawn again are from them."""

    values: list[list[float]]
    off: FloatArray
    """Spaces x resamples x measures."""
    method: str

    def interval(self, i: int, measure: str, level: float) -> MeasureInterval:
        at = ALL.index(measure)
        value, off = self.values[i][at], self.off[i, :, at]
        return MeasureInterval(measure, value, *limits(value, off, level), level, off.size, self.method)

    def difference(self, i: int, j: int, measure: str, level: float) -> PartitionDifference:
        at = ALL.index(measure)
        off = self.off[i, :, at] - self.off[j, :, at]
        return difference_of(measure, self.values[i][at], self.values[j][at], off, level, self.method)
