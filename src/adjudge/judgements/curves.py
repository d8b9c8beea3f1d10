"""The curves of an evaluation, with bands, the thresholds along them, and the class to speak of by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from adjudge._base import Shown, dataclass, field, plain, replace, safe
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.curves import Curve, one_against_rest, precision_recall_curve, quantile_reliability_curve, reliability_curve
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.clustered_rates import share_of_bins, shares_of_rates
from adjudge.stats.bands import Band, precision_band, roc_band, roc_margins, share_band
from adjudge.stats.mover import upper_hull
from adjudge.stats.ranking import ScoreTable

Curves: TypeAlias = Mapping[str, Mapping[Any, Curve]]  # by kind and class
RARE = 0.2  # below this share of an equal one, 1 / K, a class of K is rare: of two classes below 10% of the cases
_TWO = 2
MOST_POINTS = 200  # points of one curve; of many curves, fewer of each
_ALL_POINTS = 2000  # of all curves of a kind
_FEWEST_POINTS = 25
MOST_CURVES = 30  # classes whose curves are kept; with more, the commonest ones
STEPS = 200  # thresholds under a slider, about
_EVEN = 0.5
_ROUNDING = 1e-12  # relative: costs no further apart than this are equal
_FAR = 0.1  # of both rates together, that a step of the slider may jump over


def subject(counts: ConfusionCounts, positive: Any) -> Any:
    """Return the class to speak of by itself: the positive one, or of two the rarer one where it is rare; else None."""
    if positive is not None:
        return positive
    at = int(np.argmin(counts.support))
    return counts.classes[at] if counts.k == _TWO and is_rare(counts, at) else None  # one without cases is not rare


def is_rare(counts: ConfusionCounts, at: int) -> bool:
    """Return whether a class has less than a fifth of an equal share of the cases."""
    return bool(0 < counts.support[at] < RARE * counts.n / counts.k)


def curves_of(tally: Tally, level: float = 0.95) -> dict[str, dict[Any, Curve]]:
    """Return the curves by kind and class; of two classes those of the positive one are enough."""
    if tally.scores is None:
        return {}
    curves: dict[str, dict[Any, Curve]] = {"roc": {}, "precision-recall": {}}
    counts, columns = tally.confusion, tally.scores.columns
    shown = sorted(int(i) for i in np.argsort(-counts.support, kind="stable")[:MOST_CURVES])
    if counts.k <= _TWO and tally.positive is not None:
        shown = [tally.positive]
    for at in shown:
        label, table = counts.classes[at], tally.scores.table(at)
        roc = one_against_rest(tally.scores, at, label)
        if roc is not None and isinstance(table, ScoreTable):
            worth, recalled = worths(counts, at, level), precision_recall_curve(table, label)
            roc = replace(roc, band=(band := roc_band(roc.x, roc.y, worth[1], worth[0], level)))
            recalled = replace(recalled, band=precision_band(band, float(recalled.y[-1])))  # the prevalence is that of the cases
            if at not in columns and tally.probabilities is not None:  # those of the other of two classes, turned
                roc, recalled = (replace(curve, thresholds=1 + curve.thresholds) for curve in (roc, recalled))
            curves["roc"][label], curves["precision-recall"][label] = roc, recalled
    sums = tally.probabilities
    if sums is None:
        return curves
    curves["reliability"] = {"highest probability": _with_limits(sums, reliability_curve(sums.top, None), counts, level)}
    of_class = curves["class-reliability"] = {}
    for at in shown:
        column = columns.index(at) if at in columns else len(columns)
        if column < len(sums.by_class):
            label = counts.classes[at]
            of_class[label] = _with_limits(sums, reliability_curve(sums.by_class[column], label), counts, level)
    return curves | _of_rare(tally, sums, level)


def _of_rare(tally: Tally, sums: ProbabilityCounts, level: float) -> dict[str, dict[Any, Curve]]:
    """Return the reliability of the class to speak of, where it is rare, in bins of as many expected cases of it each."""
    counts = tally.confusion
    label = subject(counts, None if tally.positive is None else counts.classes[tally.positive])
    if label is None or tally.scores is None:
        return {}
    at = list(counts.classes).index(label)
    table = tally.scores.table(at)
    if not is_rare(counts, at) or not isinstance(table, ScoreTable):
        return {}
    if at not in tally.scores.columns:  # the scores of the other of two classes, turned
        if table.mixed is not None:  # put together where they are near 1, and what is left of that says little
            return {}
        table = replace(table, values=1 + table.values)
    return {"quantile-reliability": {label: _with_limits(sums, quantile_reliability_curve(table, label), counts, level)}}


def worths(counts: ConfusionCounts, at: int, level: float) -> tuple[float, float]:
    """Return how many equally weighted and independent cases those of a class, and all others, are worth along thresholds."""
    squares = np.asarray(counts.squares.sum(axis=1)) if isinstance(counts, WeightedCounts) else counts.support
    (own, every), (own_squares, all_squares) = ((float(each[at]), float(each.sum())) for each in (counts.support, squares))
    rest, rest_squares = every - own, all_squares - own_squares
    shares = shares_of_rates(counts, at, level) if own and rest else (1.0, 1.0)
    each = ((own, own_squares, shares[0]), (rest, rest_squares, shares[1]))
    of_class, of_others = (n**2 / squares * share if squares > 0 else 0.0 for n, squares, share in each)
    return of_class, of_others


def _with_limits(sums: ProbabilityCounts, curve: Curve, counts: ConfusionCounts, level: float) -> Curve:
    """Return a curve whose points have limits; all bins are of as many independent cases a case."""
    if curve.size is None or not curve.x.size:
        return curve
    at = None if curve.of is None else list(counts.classes).index(curve.of)
    cases = curve.size * (sums.weight / sums.weight_squares) * share_of_bins(counts, at, level)
    return replace(curve, band=share_band(curve.x, np.clip(curve.y, 0, 1) * cases, cases, level))


def plain_curves(curves: Curves) -> dict[str, Any]:
    """Return curves by kind and class: some of their points, each of them exact, and their areas."""
    told: dict[str, Any] = {}
    for kind, by_class in curves.items():
        most = max(_FEWEST_POINTS, min(MOST_POINTS, _ALL_POINTS // max(len(by_class), 1)))
        told[kind] = {}
        for label, curve in by_class.items():
            kept = spaced(curve, most)
            points = {name: getattr(curve, name)[kept] for name in ("x", "y", "thresholds")}
            points |= {} if curve.size is None else {"cases": curve.size[kept]}
            about = {"x_name": curve.x_name, "y_name": curve.y_name, "area": curve.area, "points": curve.x.size}
            told[kind][safe(label)] = plain(points | about)
    return told


def spaced(curve: Curve, most: int) -> IntArray:
    """Return which points to keep: all, or `most` of them about equally far from each other along the curve."""
    n = curve.x.size
    if n <= most:
        return np.arange(n)
    steps = np.hypot(np.diff(curve.x), np.diff(curve.y))
    way = np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(steps), steps, 0.0))])
    return np.unique(np.concatenate([[0], np.searchsorted(way, np.linspace(0, way[-1], most)[1:-1]), [n - 1]]))


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdTable(Shown):
    """The thresholds of one class, the highest first: how many of its cases, and of all others, are called from each on."""

    of: Any
    thresholds: FloatArray  # the first is infinite: nobody is called
    found: AnyArray
    alarms: AnyArray
    cases: float
    others: float
    worth: tuple[float, float]  # how many equally weighted cases those of the class, and the others, are worth
    decided: tuple[float, float] | None = None  # cases of the class, and of others, that the decisions in use call
    binned: bool = False  # whether neighbouring scores were put together, so that only these thresholds are known exactly
    probable: bool = True  # whether the score is a probability
    margins: tuple[float, float] = (math.nan, math.nan)  # how far false alarm and hit rates may be off, at all thresholds at once
    band: Band | None = field(default=None, repr=False)  # what holds the whole true ROC curve, at the level of the evaluation
    hull: IntArray = field(init=False, repr=False)  # the corners of the ROC curve: what costs least for some costs and prevalence
    _untold = ("band",)  # which the curve has

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
    def scale(self) -> float:
        """How many independent cases one is worth at least, on the side where clusters leave less; of weighted ones 1."""
        return 1.0 if self.weighted else round(min(self.worth[0] / self.cases, self.worth[1] / self.others), 12)

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
        """Return the thresholds under the slider, the lowest first, the last one infinite: nobody is called."""
        even = np.arange(STEPS + 1) / STEPS
        places = self.places(even[::-1])
        both = self.found / self.cases + self.alarms / self.others
        # other thresholds could tell cases in between apart
        coarse = np.any((np.diff(both[places]) > _FAR) & (np.diff(places) > 1))
        chosen = even
        if self.binned or not self.probable or coarse:
            rates = both / 2
            along = np.unique(np.searchsorted(rates, np.arange(1, STEPS + 1) / STEPS - 1e-12))
            along = along[(along > 0) & (along < rates.size)]
            chosen = np.unique(self.thresholds[along])
            if not self.binned:
                ends = (np.append(self.thresholds[1:], -math.inf)[along].tolist(), self.thresholds[along].tolist())
                chosen = np.unique([_shortest(low, high) for low, high in zip(*ends, strict=True)])
        return np.append(np.union1d(chosen, [start] if math.isfinite(start) else []), np.inf)


def table_of(curve: Curve, counts: ConfusionCounts, label: Any, *, probable: bool, level: float) -> ThresholdTable:
    """Return the thresholds behind the ROC curve of a class."""
    at = list(counts.classes).index(label)
    own, others = float(counts.support[at]), float(counts.n - counts.support[at])
    whole = counts.support.dtype.kind in "iu"
    hits, alarms = (np.rint(part).astype(np.int64) if whole else part for part in (curve.y * own, curve.x * others))
    right, none = float(counts.correct[at]), counts.has_rejected and counts.rejected.sum() == counts.n
    decided, worth = None if none else (right, float(counts.predicted[at]) - right), worths(counts, at, level)
    more = decided, curve.binned, probable, roc_margins(worth[1], worth[0], level), curve.band
    return ThresholdTable(label, curve.thresholds, hits, alarms, own, others, worth, *more)


def cheapest(table: ThresholdTable, among: AnyArray, prevalence: float, miss: float, alarm: float) -> int:
    """Return which threshold costs least; `among` runs from the highest threshold down."""
    hits, alarms = table.found[among] / table.cases, table.alarms[among] / table.others
    costs = prevalence * miss * (1 - hits) + (1 - prevalence) * alarm * alarms
    equal = costs <= costs.min() + _ROUNDING * (miss + alarm)
    return int(among[int(np.argmax(np.where(equal, hits - alarms, -np.inf)))])


def start_of(table: ThresholdTable, classes: int) -> float:
    """Return the threshold to begin with where none is in use: one half, or one that decides as was decided."""

    def decides_alike(place: int) -> bool:
        return table.decided is None or table.decided == (table.found[place], table.alarms[place])

    def shown(place: int) -> float:
        return float(table.thresholds[max(place, 1)])  # a number, even where nobody was called

    even = table.place(_EVEN) if table.probable else None
    if classes > 2:  # noqa: PLR2004 - two classes have one threshold
        # a half finds few of a rare class: false alarms as near to misses in number as can be
        balanced = int(np.argmin(np.abs(table.alarms - (table.cases - table.found))))
        return _EVEN if even == balanced else shown(balanced)
    if even is not None and decides_alike(even):
        return _EVEN
    hits, alarms = table.decided or (table.cases, 0.0)
    nearest = int(np.argmin(np.hypot((table.found - hits) / table.cases, (table.alarms - alarms) / table.others)))
    return _EVEN if even is not None and not decides_alike(nearest) else shown(nearest)


def _shortest(low: float, high: float) -> float:
    """Return a number of few digits above `low` and not above `high`."""
    if not math.isfinite(high):
        return high
    gap = high - low if math.isfinite(low) else max(abs(high), 1.0)
    for decimals in range(-math.ceil(math.log10(gap)), 18) if gap > 0 else ():
        value = math.floor(high * 10.0**decimals) / 10.0**decimals
        if low < value <= high:
            return value
    return high
