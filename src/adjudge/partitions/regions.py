"""The regions of a partition, for a reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base import Finding, Shown, Undefined, argument, counted, dataclass, listed, quoted, wording
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge.partitions.scaling import CONSTANT, MATCH, SHIFT, TWO_POINTS, Located, Scaling, locate

_NOTES = {
    MATCH: "",
    CONSTANT: "all assignment values become {:.6g}",
    SHIFT: "assignment values are shifted by {:.6g}",
    TWO_POINTS: "assignment values become 0 or 1",
}
_FEW = 10
_MANY_TIED = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Region(Shown):
    """The cases of one order of classes, and how their memberships were scaled."""

    order: tuple[Any, ...]
    """The classes of highest membership, highest first."""
    n: int
    correct: float
    """Share of the cases whose true class is the first of them."""
    frequencies: FloatArray
    mean: float
    """Of the assignment values, the highest memberships."""
    variance: float
    alpha: float
    beta: float
    """The Beta distribution fitted to the assignment values; NaN where they all are the same."""
    scaled_alpha: float
    scaled_beta: float
    """The Beta distribution they were moved to; NaN where that is a point."""
    parent: tuple[Any, ...] | None = None
    """The shorter order whose fit was used, where this one has too few cases; empty where none was fitted."""
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "frequencies", frozen(self.frequencies))

    @property
    def fallback(self) -> bool:
        """Whether the fit of a shorter order was used."""
        return self.parent is not None


def regions_of(
    own: Scaling, order: IntArray, at: Located, scaling: Scaling, classes: tuple[Any, ...], *, known: bool
) -> tuple[Region, ...]:
    """Return the regions that cases, of classes `known` or not, were in: `own` is fitted to them, `scaling` scaled them."""
    moments, at_own = own.fitted[-1].moments, locate(own, order).regions[:, -1]
    first = np.empty(moments.n.size, dtype=np.int64)  # one case of each region
    first[at_own[::-1]] = np.arange(at_own.size - 1, -1, -1)
    regions = []
    for i, case in enumerate(first):
        names, length = tuple(classes[code] for code in moments.own[i]), int(at.length[case])
        region, note = int(at.regions[case, length - 1]), ""
        own_distribution = to_distribution = float("nan"), float("nan")
        if length:  # the distributions of the assignment values, and what else happened to them
            levels = scaling.fitted[length - 1].levels
            kind, value = int(levels.kind[region, 0]), levels.value[region, 0]
            note = _NOTES[kind].format(value)
            a, b, to_a, to_b = levels.distributions[:, region, 0].tolist()
            own_distribution = (a, b) if a > 0 else own_distribution
            to_distribution = (to_a, to_b) if kind == MATCH else to_distribution
        p = moments.counts[i] / moments.n[i] if known else np.full(len(classes), np.nan)
        correct = float(p[moments.own[i, 0]]) if known else Undefined("the true classes are not known")
        variance = float(moments.variance[i]) if moments.n[i] > 1 else Undefined("one case has no variance")
        parent = None
        if length < len(names):
            parent, used = names[:length], f"fitted with all cases of the first {length} of its order"
            used = used if length else "no fit: memberships are left as they are"
            note = f"{used}; {note}" if note else used
        of_values = float(moments.means[i, 0]), variance, *own_distribution, *to_distribution
        regions.append(Region(names, int(moments.n[i]), correct, p, *of_values, parent, note))
    return tuple(regions)


def fit_findings(regions: Sequence[Region], classes: tuple[Any, ...]) -> Iterator[Finding]:
    """Yield what to know of a fit before believing it."""
    small = [region for region in regions if region.fallback]
    if small:
        cases = sum(region.n for region in small)
        which = f"{counted(len(small), 'region')} with {counted(cases, 'case')} in all {'has' if len(small) == 1 else 'have'}"
        message = f"{which} fewer than {len(classes)} cases and share the fit of a shorter order."
        yield Finding("A901", message, "Take a smaller depth, or more cases.", len(small))
    never = [label for label in classes if not any(region.order[0] == label for region in regions)]
    if never:
        message = f"No case is predicted as {listed(never)}: there is no correctness rate."
        yield Finding("A902", message, "New cases predicted so keep their memberships as they are.", never)
    equal = [region for region in regions if region.n > 1 and np.isnan(region.alpha) and not region.fallback]
    if equal:
        which = listed(" > ".join(str(label) for label in region.order) for region in equal)
        advice = "All of them become what is true there on average: they tell sure cases from unsure ones no more."
        yield Finding("A906", f"In {which} all assignment values are the same.", advice, len(equal))
    by_class = {label: sum(region.n for region in regions if region.order[0] == label) for label in classes}
    few = {label: n for label, n in by_class.items() if 0 < n < _FEW}
    if few:
        label, n = min(few.items(), key=lambda item: item[1])
        message = f"{counted(n, 'case')} only {_is(n)} predicted as {quoted(label)}: its correctness rate says little."
        yield Finding("A907", message, "More cases would help.", n)


def case_findings(n: int, ties: int, moved: int, unlike: int, zero: float | None) -> Iterator[Finding]:
    """Yield what to know of the cases: ties, scaled memberships that point elsewhere, decisions that do, scores as shares."""
    if ties > _MANY_TIED * n:
        message = f"{counted(ties, 'case')} of {n:,} could as well be in another region: their highest memberships are equal."
        yield Finding("A904", message, "Regions by fewer classes (a smaller depth) have fewer ties.", ties)
    if unlike:
        message = f"{counted(unlike, 'decision')} of {n:,} {_is(unlike)} not the class of highest probability."
        yield Finding("A905", message, "The partition is that of the probabilities, not of these decisions.", unlike)
    if moved:
        message = f"Scaled, {counted(moved, 'case')} of {n:,} would be of another class than the predicted one."
        advice = "In such regions other classes are true more often. Measures keep the assignment."
        yield Finding("A908", message, advice, moved)
    if zero is not None:
        message = f"Scores are no probabilities: they were divided by their sums, with {zero:g}, the lowest, for nothing."
        given = argument("zero", python="memberships(values, zero=...)")
        yield Finding("A909", message, wording("Give ", given, " to partition() where another value means nothing."), zero)


def new_findings(at: Located) -> Iterator[Finding]:
    """Yield what to know of new cases: those in regions that the fit had not seen."""
    absent = at.regions[:, -1] < 0
    strange, lost = int(np.count_nonzero(absent & (at.length > 0))), int(np.count_nonzero(at.length == 0))
    if strange:
        message = f"{counted(strange, 'case')} of {len(absent):,} {_is(strange)} of an order of classes unknown to the fit."
        yield Finding("A903", message, "They are scaled by the fit of a shorter order.", strange)
    if lost:
        which = f"{counted(lost, 'case')} of {len(absent):,} {_is(lost)} predicted"
        message = f"{which} as a class that no fitted case was predicted as."
        yield Finding("A903", message, "Their memberships are left as they are.", lost)


def _is(n: int) -> str:
    return "is" if n == 1 else "are"
