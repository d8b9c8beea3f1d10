"""What deciding by a threshold on the score of one class does: counts, rates, predictive values and costs at any prevalence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, Undefined, dataclass, field, listed, parameter, plain, quoted, replace, safe
from adjudge._base.arrays import FloatArray
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.tally import rarest
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.curves import Curves, ThresholdTable, cheapest, start_of, table_of
from adjudge.predictions.spellings import position
from adjudge.stats.binomial import midp
from adjudge.stats.mover import mover
from adjudge.stats.power import Limits, predictive_limits, predictive_value

_FAR = 2.0  # of no probability: a threshold in other units, such as percent or votes
_POINTS = 13  # thresholds told one by one


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operating(Shown):
    """What one threshold does: on the cases counted, and at a prevalence and for costs of your own."""

    of: Any
    threshold: float
    prevalence: float
    miss_cost: float
    alarm_cost: float
    found: float
    missed: float
    alarms: float
    left: float  # cases of other classes rightly not called
    sensitivity: Estimate
    specificity: Estimate
    ppv: Estimate  # the share of right calls at the prevalence
    npv: Estimate
    cost: Estimate  # what a case costs on average at the prevalence
    findings: tuple[Finding, ...] = ()
    every: Thresholds | None = field(default=None, repr=False)  # all that it is among, with its class as that of interest
    best: Operating | None = field(default=None, repr=False)  # what costs least at this prevalence and costs, unless this is it
    _untold = ("every", "best")

    @property
    def use(self) -> dict[str, float]:
        """The prevalence and the costs, as ``Thresholds.at`` takes them."""
        return {"prevalence": self.prevalence, "miss_cost": self.miss_cost, "alarm_cost": self.alarm_cost}

    def of_cases(self, cases: float = 1000) -> dict[str, float]:
        """Return how many of so many cases at the prevalence are true and false positives and negatives."""
        own, others = cases * self.prevalence, cases * (1 - self.prevalence)
        hit, clear = float(self.sensitivity.value), float(self.specificity.value)
        return {"found": own * hit, "missed": own * (1 - hit), "alarms": others * (1 - clear), "left": others * clear}


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds(Shown):
    """What every threshold on the score of each class does.

    ``at(0.3, prevalence=0.01)`` tells what one does, ``least_cost(miss_cost=10)`` finds that of least expected cost.
    """

    tables: dict[Any, ThresholdTable] = field(repr=False)
    of: Any  # the class of interest: the positive one where it is known, else the rarest
    classes: int
    in_use: float | None = None  # the threshold in use on the class of interest, where one is
    level: float = 0.95
    asked: Operating | None = None  # the point that pages and pictures begin with, where one was asked for
    origin: tuple[str, int, str | None] | None = None  # what the cases came from, where known: name, rows, SHA-256
    findings: tuple[Finding, ...] = ()
    begin: Operating | None = field(default=None, repr=False)  # what the threshold to begin with does
    best: Operating | None = field(default=None, repr=False)  # what the one of least expected cost does, for the same use
    points: tuple[Operating, ...] = field(default=(), repr=False)  # what some thresholds do, evenly along those under a slider

    def table(self, of: Any = None) -> ThresholdTable:
        """Return the thresholds of a class, that of interest if left out."""
        labels = list(self.tables)
        try:
            return self.tables[self.of if of is None else labels[position(labels, of)]]
        except InputError:
            msg = f"There are no thresholds of {quoted(of)}; there are those of {listed(labels)}."
            raise InputError(msg) from None

    def about(self, of: Any) -> Thresholds:
        """Return the same with another class of interest."""
        label = self.table(of).of
        return self if label == self.of else worked_out(replace(self, of=label, in_use=None, asked=None, begin=None))

    def beginning(self, point: Operating) -> Thresholds:
        """Return the same, whose page and picture begin with `point`, at its prevalence and for its costs."""
        return worked_out(replace(self.about(point.of), asked=point))

    def first(self, of: Any = None) -> Operating:
        """Return the point to begin with: that asked for, or the threshold of ``start`` at the prevalence of the cases."""
        label = self.table(of).of
        known = (point for point in (self.asked, self.begin) if point is not None and point.of == label)
        return next(known, None) or self.at(self.start(of), of=label)

    def start(self, of: Any = None) -> float:
        """Return the threshold to begin with: that asked for, or else in use; or else one that suits the table."""
        table = self.table(of)
        if self.asked is not None and table.of == self.asked.of:
            return self.asked.threshold
        return self.in_use if self.in_use is not None and table.of == self.of else start_of(table, self.classes)

    def some(self) -> FloatArray:
        """Return some thresholds of the class of interest, evenly along those under a slider."""
        every: FloatArray = self.table().steps(self.start())
        return np.asarray(every[np.unique(np.linspace(0, every.size - 1, _POINTS).round().astype(int))])

    def at(
        self, threshold: float, *, prevalence: float | None = None, miss_cost: float = 1, alarm_cost: float = 1, of: Any = None
    ) -> Operating:
        """Return what deciding by a threshold does: a case is predicted positive from it on, none from infinity on.

        Parameters
        ----------
        threshold : float
            On the score of the class. Where scores had to be binned, the next threshold up that is known exactly is taken.
        prevalence : float, optional
            The share of the class where the classifier is used; that of the cases if left out.
        miss_cost, alarm_cost : float
            The cost of a false negative, and of a false positive.
        of : label, optional
            The class; that of interest if left out.

        Intervals of the two rates are mid-P, as everywhere, and so are those of predictive values at the prevalence of the cases.
        At another one, taken as known, they follow from the two rates (Donner and Zou 2012), as those of the cost do by MOVER
        (Zou and Donner 2008). None of them knows how a threshold was chosen.
        """
        table = self.table(of)
        if not _is_number(threshold) or math.isnan(threshold):
            msg = f" must be a number, got {threshold!r}. A case is predicted positive from the threshold on."
            raise InputError(parameter("threshold"), msg)
        if table.probable and _FAR <= abs(threshold) < math.inf:
            told = f" must lie between 0 and 1, as the scores of class {quoted(table.of)} do: they are probabilities, "
            raise InputError(parameter("threshold"), told, f"or were divided by their sum; got {threshold!r}.")
        use = _use(table, prevalence, miss_cost, alarm_cost)
        known = self.best is not None and (self.best.of, *self.best.use.values()) == (table.of, *use)
        return replace(self.decided_by(float(threshold), table, use), best=self.best if known else self._cheapest(table, use))

    def decided_by(self, threshold: float, table: ThresholdTable, use: Use) -> Operating:
        """Return what a threshold does at a prevalence and for costs that were checked."""
        place = table.place(threshold)
        return self._point(table, place, float(table.thresholds[place]) if table.binned else threshold, use)

    def least_cost(
        self, *, prevalence: float | None = None, miss_cost: float = 1, alarm_cost: float = 1, of: Any = None
    ) -> Operating:
        """Return the threshold of least expected cost at a prevalence; of equally cheap ones that of larger
        sensitivity + specificity, then the highest.
        """  # noqa: D205 - one sentence
        table = self.table(of)
        return self._cheapest(table, _use(table, prevalence, miss_cost, alarm_cost))

    def _cheapest(self, table: ThresholdTable, use: Use) -> Operating:
        place = cheapest(table, table.hull, *use)
        return self._point(table, place, float(table.thresholds[place]), use, (_CHOSEN,))

    def _point(
        self, table: ThresholdTable, place: int, threshold: float, use: Use, findings: tuple[Finding, ...] = ()
    ) -> Operating:
        """Return what a threshold does, with all that it is among."""
        level, of = self.level, table.of
        (prevalence, miss, alarm), worth = use, table.worth
        hits, alarms = table.found[place].item(), table.alarms[place].item()
        cases, others = (int(each) if each.is_integer() else each for each in (table.cases, table.others))
        hit = _rate(hits, table.cases, worth[0], level)
        clear = _rate(table.others - alarms, table.others, worth[1], level)
        own = prevalence == table.prevalence and not table.weighted  # what calls are worth is then a plain share of cases
        called, others_left = (hits, alarms), (table.others - alarms, table.cases - hits)
        scale = table.scale  # of clusters; the predicted cases are taken to be worth as little as those of either side
        ppv = _predictive("precision", called if own else None, (hit, _turned(clear)), prevalence, level, of, scale)
        npv = _predictive("npv", others_left if own else None, (clear, _turned(hit)), 1 - prevalence, level, of, scale)
        # the expected cost pi C- (1 - S+) + (1 - pi) C+ (1 - S-)
        each, errors = np.array([prevalence * miss, (1 - prevalence) * alarm]), np.array([_turned(hit), _turned(clear)])
        cost, (low, high) = float((each * errors[:, 0]).sum()), mover(errors[:, 0], errors[:, 1], errors[:, 2], each)
        used = self.in_use if of == self.of else None
        return Operating(
            *(of, threshold, *use, hits, cases - hits, alarms, others - alarms),
            sensitivity=Estimate("sensitivity", hit[0], Interval(*hit[1:], level, "midp"), of),
            specificity=Estimate("specificity", clear[0], Interval(*clear[1:], level, "midp"), of),
            ppv=ppv,
            npv=npv,
            cost=Estimate("cost", cost, Interval(max(low, 0.0), high, level, "mover")),
            findings=(*self.findings, *findings),
            every=replace(self, of=of, in_use=used, asked=None, begin=None, best=None, points=()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what is known in short: the points are those of the curves."""
        each = self.tables.items()
        tables = {safe(k): {"cases": t.cases, "others": t.others, "thresholds": t.thresholds.size} for k, t in each}
        return {"of": plain(self.of), "in_use": plain(self.in_use), "level": self.level, "tables": tables}

    def __repr__(self) -> str:
        return f"Thresholds of {listed(self.tables)}; of interest {quoted(self.of)}"


_ADVICE = "The intervals ignore that choice; test the threshold on other cases."
_CHOSEN = Finding("A834", "The threshold was chosen on the cases it is tested on.", _ADVICE)
Use = tuple[float, float, float]  # a prevalence, the cost of a miss, the cost of a false alarm


def worked_out(thresholds: Thresholds) -> Thresholds:
    """Return thresholds with what the first one, the cheapest and some others along the curve do."""
    first = replace(thresholds, begin=None).first()
    begun, best = replace(thresholds, begin=first), first.best or first
    use = first.prevalence, first.miss_cost, first.alarm_cost
    points = (thresholds.decided_by(threshold, thresholds.table(), use) for threshold in begun.some().tolist())
    return replace(begun, best=best, points=tuple(replace(point, best=best) for point in points))


def thresholds_of(
    curves: Curves, counts: ConfusionCounts | None, *, positive: Any = None, in_use: float | None = None, level: float = 0.95
) -> Thresholds | None:
    """Return the thresholds behind ROC curves, or nothing where there are none."""
    roc = curves.get("roc", {})
    if not roc or counts is None:
        return None
    probable = "reliability" in curves
    tables = {label: table_of(curve, counts, label, probable=probable, level=level) for label, curve in roc.items()}
    rare = list(tables)[rarest([table.cases for table in tables.values()])]
    of, used = (positive, in_use) if positive in tables else (rare, None)
    return worked_out(Thresholds(tables, of, counts.k, used, level))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _use(table: ThresholdTable, prevalence: Any, miss: Any, alarm: Any) -> Use:
    share = table.prevalence if prevalence is None else prevalence
    if not _is_number(share) or not 0 < share < 1:
        told = f" must be a share between 0 and 1; one case in a hundred is 0.01; got {share!r}."
        raise InputError(parameter("prevalence"), told)
    for name, cost in (("miss_cost", miss), ("alarm_cost", alarm)):
        if not _is_number(cost) or not 0 < cost < math.inf:
            raise InputError(parameter(name), f" must be a number above 0; got {cost!r}.")
    return float(share), float(miss), float(alarm)


def _rate(hits: float, cases: float, worth: float, level: float) -> Limits:
    share = hits / cases
    return share, *midp(share * worth, worth, level)


def _turned(rate: Limits) -> Limits:
    """Return a rate and its limits of the opposite."""
    return 1 - rate[0], 1 - rate[2], 1 - rate[1]


def _predictive(
    name: str,
    counted: tuple[float, float] | None,
    rates: tuple[Limits, Limits],
    prevalence: float,
    level: float,
    of: Any,
    scale: float,
) -> Estimate:
    """Return a predictive value: of cases `counted` right and wrong, or else as it follows from two rates at a prevalence."""
    if counted is not None and any(counted):
        right, all_called = counted[0], sum(counted)
        return Estimate(name, right / all_called, Interval(*midp(right * scale, all_called * scale, level), level, "midp"), of=of)
    value = math.nan if counted is not None else predictive_value(rates[0][0], rates[1][0], prevalence)
    if math.isnan(value):
        called = "no case is predicted positive" if name == "precision" else "every case is predicted positive"
        return Estimate(name, Undefined(f"{called} at this threshold"), of=of)
    low, high = predictive_limits(*rates, prevalence)
    return Estimate(name, value, Interval(min(low, value), max(high, value), level, "mover"), of=of)
