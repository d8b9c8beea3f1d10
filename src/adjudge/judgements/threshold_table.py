"""The thresholds along the ROC curve of one class: how many cases each calls, which cost least, and which a reader is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge._base.show import Shown
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.judgements.curves import worths
from adjudge.stats.bands import roc_margins
from adjudge.stats.mover import upper_hull

STEPS = 200
"""Thresholds under a slider, about."""
_EVEN = 0.5
_ROUNDING = 1e-12  # relative: costs no further apart than this are equal
_FAR = 0.1  # of both rates together, that a step of the slider may jump over


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdTable(Shown):
    """The thresholds of one class, the highest first: how many of its cases, and of all others, are called from each on."""

    of: Any
    thresholds: FloatArray
    """The first is infinite: nobody is called."""
    found: AnyArray
    alarms: AnyArray
    cases: float
    others: float
    worth: tuple[float, float]
    """How many equally weighted cases those of the class, and the others, are worth."""
    decided: tuple[float, float] | None = None
    """Cases of the class, and of others, that the decisions in use call."""
    binned: bool = False
    """Whether neighbouring scores were put together, so that only these thresholds are known exactly."""
    probable: bool = True
    """Whether the score is a probability."""
    margins: tuple[float, float] = (math.nan, math.nan)
    """How far the rates of false alarms and of hits may be off at all thresholds at once: half the width of the band."""
    hull: IntArray = field(init=False, repr=False)
    """Which thresholds cost least for some costs and some prevalence: the corners of the upper hull of the ROC curve."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "thresholds", frozen(self.thresholds))
        for name in ("found", "alarms"):
            object.__setattr__(self, name, frozen(getattr(self, name), getattr(self, name).dtype))
        corners = upper_hull(self.alarms.astype(np.float64), self.found.astype(np.float64))
        object.__setattr__(self, "hull", frozen(corners, np.int64))

    @property
    def prevalence(self) -> float:
        """The share of the class among the cases counted."""
        return self.cases / (self.cases + self.others)

    @property
    def weighted(self) -> bool:
        """Whether sums of weights stand for numbers of cases."""
        return bool(self.found.dtype.kind == "f")

    def alike(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return between which scores, the upper one included, a threshold calls the same cases as each of these."""
        places = self.places(thresholds)
        return np.append(self.thresholds, -np.inf)[places + 1], self.thresholds[places]

    def place(self, threshold: float) -> int:
        """Return which of the thresholds calls the same cases as `threshold`; of binned scores the next one up."""
        return int(self.places(np.array([threshold]))[0])

    def places(self, thresholds: FloatArray) -> IntArray:
        """Return the same of many thresholds."""
        return np.asarray(np.searchsorted(-self.thresholds, -thresholds, side="right") - 1)

    def steps(self, start: float) -> FloatArray:
        """Return the thresholds under the slider, the lowest first, the last one infinite: nobody is called.

        Steps of half a percent suit most probabilities. Where they would jump over too much, as with rare classes, and of plain
        scores, thresholds are taken evenly along the ROC curve, each as short a number as calls the same cases.
        """
        even = np.arange(STEPS + 1) / STEPS
        places = self.places(even[::-1])
        both = self.found / self.cases + self.alarms / self.others
        coarse = np.any(
            (np.diff(both[places]) > _FAR) & (np.diff(places) > 1)
        )  # other thresholds could tell cases in between apart
        chosen = even if self.probable and not self.binned and not coarse else _along(self, both / 2)
        return np.append(np.union1d(chosen, [start] if math.isfinite(start) else []), np.inf)


def table_of(curve: Curve, counts: ConfusionCounts, label: Any, *, probable: bool, level: float) -> ThresholdTable:
    """Return the thresholds behind the ROC curve of a class."""
    at = list(counts.classes).index(label)
    own, others = float(counts.support[at]), float(counts.n - counts.support[at])
    found: AnyArray = curve.y * own
    alarms: AnyArray = curve.x * others
    if counts.support.dtype.kind in "iu":
        found, alarms = (np.rint(part).astype(np.int64) for part in (found, alarms))
    right = float(counts.correct[at])
    none = counts.has_rejected and counts.rejected.sum() == counts.n
    decided = None if none else (right, float(counts.assigned[at]) - right)
    worth = worths(counts, at)
    margins = roc_margins(worth[1], worth[0], level)
    return ThresholdTable(label, curve.thresholds, found, alarms, own, others, worth, decided, curve.binned, probable, margins)


def cheapest(table: ThresholdTable, among: AnyArray, prevalence: float, miss: float, alarm: float) -> int:
    """Return which threshold costs least; `among` runs from the highest threshold down."""
    hits = table.found[among] / table.cases
    alarms = table.alarms[among] / table.others
    costs = prevalence * miss * (1 - hits) + (1 - prevalence) * alarm * alarms
    equal = costs <= costs.min() + _ROUNDING * (miss + alarm)
    return int(among[int(np.argmax(np.where(equal, hits - alarms, -np.inf)))])


def start_of(table: ThresholdTable, classes: int) -> float:
    """Return the threshold to begin with where none is in use.

    Of more than two classes, where a half finds few of a rare one, it is that at which false alarms come nearest to misses in
    number; of two one half, unless another decides as was decided.
    """

    def decides_alike(place: int) -> bool:
        return table.decided is None or table.decided == (table.found[place], table.alarms[place])

    def shown(place: int) -> float:
        return float(table.thresholds[max(place, 1)])  # a number, even where nobody was called

    even = table.place(_EVEN) if table.probable else None
    if classes > 2:  # noqa: PLR2004 - two classes have one threshold
        balanced = int(np.argmin(np.abs(table.alarms - (table.cases - table.found))))
        return _EVEN if even == balanced else shown(balanced)
    if even is not None and decides_alike(even):
        return _EVEN
    found, alarms = table.decided or (table.cases, 0.0)
    nearest = int(np.argmin(np.hypot((table.found - found) / table.cases, (table.alarms - alarms) / table.others)))
    return _EVEN if even is not None and not decides_alike(nearest) else shown(nearest)


def _along(table: ThresholdTable, rates: FloatArray) -> FloatArray:
    places = np.unique(np.searchsorted(rates, np.arange(1, STEPS + 1) / STEPS - 1e-12))
    places = places[(places > 0) & (places < rates.size)]
    if table.binned:
        return np.unique(table.thresholds[places])
    below = np.append(table.thresholds[1:], -math.inf)[places]
    return np.unique([_shortest(low, high) for low, high in zip(below.tolist(), table.thresholds[places].tolist(), strict=True)])


def _shortest(low: float, high: float) -> float:
    """Return a number of few digits above `low` and not above `high`.

    >>> _shortest(0.12345, 0.12412), _shortest(-3.07, -3.02)
    (0.124, -3.02)
    """
    if not math.isfinite(high):
        return high
    gap = high - low if math.isfinite(low) else max(abs(high), 1.0)
    for decimals in range(-math.ceil(math.log10(gap)), 18) if gap > 0 else ():
        value = math.floor(high * 10.0**decimals) / 10.0**decimals
        if low < value <= high:
            return value
    return high
