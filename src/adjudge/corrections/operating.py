"""Where to work: the best point of the ROC curve, and the accuracy that rejecting the least sure cases gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, checked_level, either, parameter, quoted, switch, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge._base.records import dataclass, replace
from adjudge.corrections.costs import costs_of
from adjudge.corrections.labelled import Known, are_predictions, cases_of, check_given, single_scores
from adjudge.counts.arrays import risk_coverage
from adjudge.counts.cells import pairs
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.curves import risk_coverage_curve
from adjudge.counts.passes import BlockPasses
from adjudge.estimates.estimate import Estimate, Interval, of_class
from adjudge.metrics.on_counts import SENSITIVITY, SPECIFICITY
from adjudge.stats.mover import mover
from adjudge.stats.ranking import tabulate
from adjudge.stats.rejection import wilson_band

_TWO = 2
_CHOSEN = Finding(
    "A834",
    "The threshold was chosen on the cases it is tested on.",
    "The intervals ignore that choice; test the threshold on other cases.",
)


@dataclass(frozen=True, slots=True, eq=False)
class OperatingPoint(Shown):
    """A threshold, and what deciding by it does to the cases it was chosen on."""

    threshold: float
    """A case is predicted positive from here on; infinite: none is."""
    rule: str
    positive: Any
    sensitivity: Estimate
    specificity: Estimate
    counts: ConfusionCounts
    cost: Estimate | None = None
    """The mean cost of a case, where costs were given; its interval takes the shares of the classes as they are."""
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        rates = (replace(one, of=None) for one in (self.sensitivity, self.specificity))
        told = "; ".join(repr(one) for one in (*rates, *(() if self.cost is None else (self.cost,))))
        return f"{quoted(self.positive)} from {self.threshold:.6g} on (by {self.rule}): {told}"

    def apply(self, scores: Any) -> AnyArray:
        """Return the decision for each score."""
        at = list(self.counts.classes).index(self.positive)
        return np.asarray(self.counts.classes)[np.where(single_scores(scores) >= self.threshold, at, 1 - at)]


def operating_point(
    y_true: Any,
    y_score: Any,
    *,
    costs: Any = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    youden: bool = False,
    positive: Any = None,
    classes: Any = None,
    level: float = 0.95,
) -> OperatingPoint:
    """Return the threshold on a score that serves a purpose best; name one purpose.

    Parameters
    ----------
    y_true : array-like
        The true class of each case, one of two.
    y_score : array-like
        One number per case, the higher the more it speaks for the positive class.
    costs : array-like, 2 x 2, or mapping
        What each decision (column) costs in each true class (row), in the order of the classes, or {true: {decided: cost}} by
        name: the least mean cost.
    sensitivity, specificity : float
        The least one to reach; the other is then as high as it can be.
    youden : bool
        The largest sensitivity + specificity - 1. Youden (1950), Cancer 3:32-35.
    positive : label, optional
        The class looked for.
    classes : sequence, optional
        The two classes in the order of `costs`; sorted if left out.
    level : float
        That of the intervals: mid-P for the two rates, and their MOVER for the cost.

    The thresholds are those of :func:`adjudge.roc`. Of equally cheap ones the one of larger sensitivity + specificity is taken,
    then the highest.

    >>> point = operating_point([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.8], sensitivity=1)
    >>> point.threshold, round(point.specificity.value, 4)
    (0.3, 0.6667)
    """
    level = checked_level(level)
    asked = {"costs": costs, "sensitivity": sensitivity, "specificity": specificity, "youden": True if youden else None}
    rules = [name for name, given in asked.items() if given is not None]
    if len(rules) != 1:
        ways = either([argument("costs"), argument("sensitivity"), argument("specificity")], ", ")
        raise InputError(wording("Name one of ", ways), " and ", switch("youden"), f"; got {', '.join(rules) or 'none'}.")
    cases = cases_of(single_scores(y_score, "y_score"), y_true, classes, positive)
    if np.unique(cases.y).size != _TWO:
        msg = f"An operating point needs cases of both classes; all are {quoted(cases.classes[int(cases.y[0])])}."
        raise InputError(msg)
    table = None if costs is None else costs_of(costs, cases.classes)
    if table is not None:
        if table.shape[1] > _TWO:
            msg = "A point of the ROC curve decides every case: costs are 2 x 2. To reject cases use fit_rejection."
            raise InputError(msg)
        table = table if cases.at else table[::-1, ::-1]  # the negative class first
    threshold = _threshold(cases, rules[0], table, asked[rules[0]])
    at = 1 if cases.at is None else cases.at
    decided = np.where(cases.p >= threshold, at, 1 - at)
    counts = from_cells(pairs(cases.y, decided, _TWO), cases.classes, range(_TWO), rejected=False)
    rates = [of_class(counts, measure, at, level) for measure in (SENSITIVITY, SPECIFICITY)]
    cost = None
    if table is not None:  # pi+ (C++ S+ + C+- (1 - S+)) + pi- (C-- S- + C-+ (1 - S-))
        shares = counts.support / counts.n
        weights = np.array([shares[at] * (table[1, 1] - table[1, 0]), shares[1 - at] * (table[0, 0] - table[0, 1])])
        rest = shares[at] * table[1, 0] + shares[1 - at] * table[0, 1]
        limits = [(rate.value, rate.interval.low, rate.interval.high) for rate in rates if rate.interval is not None]
        means, lows, highs = np.array(limits).T
        low, high = mover(means, lows, highs, weights)
        cost = Estimate("cost", float(rest + weights @ means), Interval(rest + low, rest + high, level, "mover"), cases=counts.n)
    return OperatingPoint(threshold, rules[0], cases.classes[at], rates[0], rates[1], counts, cost, (_CHOSEN,))


def _threshold(cases: Known, rule: str, costs: FloatArray | None, least: Any) -> float:
    """Return the threshold of the best point; of equally good ones the first of most `values`, whole so that ties are ties."""
    counted = tabulate(cases.p, cases.y == cases.at)
    hits, alarms = (np.concatenate(([0], np.cumsum(side[::-1]))) for side in (counted.positives, counted.negatives))
    values = hits * alarms[-1] - alarms * hits[-1]  # sensitivity + specificity - 1, times the cases of either class
    among = np.ones(values.size, dtype=np.bool_)
    if costs is not None:
        cost = alarms * (costs[0, 1] - costs[0, 0]) + hits * (costs[1, 1] - costs[1, 0])
        rounding = 8 * np.finfo(np.float64).eps * float(np.abs(costs).max()) * float(hits[-1] + alarms[-1])
        among = cost <= cost.min() + rounding
    elif rule != "youden":
        if isinstance(least, bool) or not isinstance(least, (int, float, np.number)) or not 0 <= least <= 1:
            raise InputError(parameter(rule), f" must be a share between 0 and 1, got {least!r}. Ninety percent is 0.9.")
        values, among = hits, (alarms[-1] - alarms) / alarms[-1] >= least
        if rule == "sensitivity":
            enough = hits / hits[-1] >= least
            among = enough & (alarms == alarms[enough].min())
    places = np.flatnonzero(among)
    best = int(places[np.argmax(values[places])])
    return float(np.inf if not best else counted.values[counted.values.size - best])


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyRejection(Shown):
    """Accuracy among the decided cases against the share rejected, from nothing rejected to all but the surest."""

    rejected: FloatArray
    accuracy: FloatArray
    low: FloatArray
    """Interval of the accuracy, each point by itself."""
    high: FloatArray
    kept: IntArray
    thresholds: FloatArray
    """How sure a decision is that is kept."""
    level: float
    method: str = "wilson"

    def __post_init__(self) -> None:
        for name in ("rejected", "accuracy", "low", "high", "thresholds"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        object.__setattr__(self, "kept", frozen(self.kept, np.int64))

    @property
    def error(self) -> FloatArray:
        """The share of wrong decisions among the decided cases; its limits are 1 less those of the accuracy."""
        return np.asarray(1 - self.accuracy)

    def __repr__(self) -> str:
        return f"Accuracy from {self.accuracy[0]:.4f} with nothing rejected over {self.kept.size:,} thresholds"


def accuracy_rejection(
    y_true: Any, p: Any = None, *, positive: Any = None, classes: Any = None, level: float = 0.95
) -> AccuracyRejection:
    """Return the accuracy among the decided cases as the least sure ones are rejected, with an interval at every threshold.

    `y_true` and `p` are those of :func:`adjudge.fit_rejection`; one number per case must be a probability. How sure a decision
    is, is its highest probability. The intervals are Wilson's for the cases kept; they do not hold for all thresholds at once.
    Predictions of any size (:func:`adjudge.read`) take the place of both; of a great many scores neighbours are put into bins,
    and every threshold is the lower end of one.

    >>> curve = accuracy_rejection([0, 1, 1, 1], [0.1, 0.4, 0.6, 0.9])
    >>> curve.rejected, curve.accuracy
    (array([0. , 0.5]), array([0.75, 1.  ]))
    """
    level = checked_level(level)
    if are_predictions(y_true, p=p, positive=positive, classes=classes):
        passes = BlockPasses(y_true)
        if passes.weighted:
            msg = "The intervals are for cases that count alike, and these have weights. Read them without the column of weights."
            raise InputError(msg)
        sure = passes.sure()
        curve, n = risk_coverage_curve(sure), int(sure.positives.sum() + sure.negatives.sum())
    else:
        check_given(p)
        cases = cases_of(p, y_true, classes, positive)
        truth = np.asarray(cases.y)
        curve, n = risk_coverage(truth, cases.by_class, classes=range(len(cases.classes))), truth.size
    kept = np.rint(curve.x[::-1] * n)
    right = kept - np.rint(curve.y[::-1] * kept)
    low, high = wilson_band(right, kept, level)
    return AccuracyRejection((n - kept) / n, right / kept, low, high, kept.astype(np.int64), curve.thresholds[::-1], level)
