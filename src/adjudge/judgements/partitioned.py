"""Rules on the same cases, each in its partition space, and what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from adjudge._base import Finding, Shown, checked_level, counted, dataclass, field, plain, replace, safe, wording
from adjudge._base.arrays import IntArray, generator
from adjudge.judgements.clusters import FEW
from adjudge.partitions.goodness import MEASURES as ALL
from adjudge.partitions.replicates import RESAMPLES, MeasureInterval, check_resamples, deviations, limits
from adjudge.partitions.space import PartitionDifference, PartitionSpace, check_same, difference_of

MEASURES = ("scaled_accuracy", "ability_to_separate")  # what has an interval, and is compared


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartitionComparison(Shown):
    """Partition spaces of the same cases by the names of their rules, how sure their measures are, and their differences."""

    spaces: dict[str, PartitionSpace]
    intervals: dict[str, dict[str, MeasureInterval]]  # by rule and measure, those of MEASURES
    differences: dict[tuple[str, str], dict[str, PartitionDifference]]  # by pair and measure: the first less the second
    level: float  # of the intervals; those of several differences hold together, each being wider for it (Bonferroni)
    findings: tuple[Finding, ...] = ()
    clusters: int | None = None  # how many clusters the cases are of, each drawn as a whole
    drawing: dict[str, Any] = field(default_factory=dict)
    """How to draw them, on a page as well; see :func:`adjudge.plots.partitions.partition_picture`."""

    @property
    def known(self) -> bool:
        """Whether the true classes are; without them there are no intervals and no differences."""
        return self.first.truth is not None

    @property
    def first(self) -> PartitionSpace:
        """The space of the first rule."""
        return next(iter(self.spaces.values()))

    @property
    def cases(self) -> int:
        """How many cases all rules predict."""
        return len(self.first.memberships)

    def to_dict(self) -> dict[str, Any]:
        """Return the measures, regions, intervals and differences as plain Python."""
        return ({} if self.clusters is None else {"clusters": self.clusters}) | {
            "level": self.level,
            "rules": {name: space.to_dict() | {"intervals": plain(self.intervals[name])} for name, space in self.spaces.items()},
            "differences": [{"a": a, "b": b, **plain(by_measure)} for (a, b), by_measure in self.differences.items()],
            "findings": plain(self.findings),
        }

    def drawn(self, **how: Any) -> PartitionComparison:
        """Return the same, to be drawn in another way: `space`, `lines`, `classes`, `rest` and `view`."""
        return replace(self, drawing=self.drawing | how)


def judge_partitions(
    spaces: Mapping[str, PartitionSpace],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Any = 0,
    findings: tuple[Finding, ...] = (),
    clusters: IntArray | None = None,
) -> PartitionComparison:
    """Return how sure the measures of spaces are, and what tells each pair apart; all are drawn again together."""
    level, resamples, names, many = checked_level(level), check_resamples(resamples), list(spaces), list(spaces.values())
    for other in many[1:]:
        check_same(many[0], other)
    for name, finding in ((name, finding) for name, space in spaces.items() for finding in space.findings):
        told = wording(f"{safe(name)}: ", finding.message) if len(many) > 1 else finding.message
        findings = (*findings, replace(finding, message=told))
    of = None if clusters is None else int(clusters.max()) + 1
    if of is not None and of < FEW:
        told = f"There are only {counted(of, 'cluster')}: their spread is hardly known."
        findings = (*findings, Finding("A621", told, "Intervals heed that as far as they can; evaluate more clusters.", of))
    if any(space.truth is None for space in many) or of == 1:
        return PartitionComparison(dict(spaces), {name: {} for name in names}, {}, level, findings, of)
    values = [[float(getattr(space, measure)) for measure in ALL] for space in many]
    drawn: dict[str, Any] = {"clusters": clusters, "level": level}
    off, method = deviations([space.evidence() for space in many], values, resamples, generator(rng), **drawn)
    pairs = list(combinations(range(len(names)), 2))
    together, places = 1 - (1 - level) / max(1, len(pairs)), {measure: ALL.index(measure) for measure in MEASURES}

    def sure(i: int, measure: str, at: int) -> MeasureInterval:
        return MeasureInterval(measure, values[i][at], *limits(values[i][at], off[i, :, at], level), level, len(off[i]), method)

    def apart(i: int, j: int, measure: str, at: int) -> PartitionDifference:
        return difference_of(measure, values[i][at], values[j][at], off[i, :, at] - off[j, :, at], together, method)

    by_rule = {name: {measure: sure(i, measure, at) for measure, at in places.items()} for i, name in enumerate(names)}
    between = {(names[i], names[j]): {measure: apart(i, j, measure, at) for measure, at in places.items()} for i, j in pairs}
    return PartitionComparison(dict(spaces), by_rule, between, level, findings, of)
