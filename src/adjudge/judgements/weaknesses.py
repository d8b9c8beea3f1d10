"""Where decisions and probabilities go wrong: confusions, weak classes, false confidence, and a class that is mostly missed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from adjudge._base import Finding, Shown, dataclass, plain, quoted
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.levels import share as percent
from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.clustered_rates import share_of_calibration, worth_of_cells, worth_of_classes
from adjudge.estimates.estimate import Estimate, Interval, of_class, share_interval, worth, worth_by_class
from adjudge.judgements.accuracy_posteriors import only_answer
from adjudge.judgements.curves import Curves, is_rare, subject
from adjudge.judgements.findings import FEW_OF_A_CLASS
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.metrics import on_counts
from adjudge.stats import special

WEAK = 0.05  # how far the sensitivity of a weak class is surely below the mean of all others
FEWEST = 10  # cases of a class below which no other is compared with it
LARGE = 0.1  # the share of a class that a large confusion surely takes
MOST_CONFUSIONS = 200  # confusions listed apart
_TWO = 2
MOSTLY = 0.5  # found surely less often than this, a class is mostly missed
NOTABLE = 0.05  # how much another threshold must add to sensitivity + specificity to be told of
_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Confusion(Shown):
    """Cases of one class that were taken for another."""

    truth: Any
    decided: Any
    cases: float
    share: float  # of the cases whose true class it is
    interval: Interval | None
    of_errors: float  # of all wrong decisions


def largest_confusions(counts: ConfusionCounts, most: int, *, level: float = 0.95) -> tuple[Confusion, ...]:
    """Return the confusions of most cases, the largest first; of equal ones the class with fewer cases first."""
    rows, columns, cases = _wrong(counts)
    order = np.lexsort((columns, rows, counts.support[rows], -cases))[:most]
    each = zip(rows[order].tolist(), columns[order].tolist(), cases[order].tolist(), strict=True)
    return tuple(_confusion(counts, i, j, n, level) for i, j, n in each)


def _confusion(counts: ConfusionCounts, i: int, j: int, n: float, level: float) -> Confusion:
    share, wrong = n / float(counts.support[i]), float(counts.support.sum() - counts.rejected.sum() - counts.correct.sum())
    limits = share_interval(share, float(worth_of_cells(counts, np.array([i]), np.array([j]), level)[0]), level)
    return Confusion(counts.classes[i], counts.classes[j], n, share, limits, n / wrong)


def _wrong(counts: ConfusionCounts) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the true class, the decision and the cases of every wrong cell that is not empty."""
    if isinstance(counts.cells, np.ndarray):
        rows, columns = np.nonzero(counts.cells)
        cases = counts.cells[rows, columns]
    else:
        (rows, columns), cases = counts.cells.coords, counts.cells.data
    wrong = (rows != columns) & (columns < counts.k) & (cases > 0)
    return rows[wrong], columns[wrong], cases[wrong]


def weak_classes(counts: ConfusionCounts, *, level: float = 0.95) -> tuple[Estimate, ...]:
    """Return the sensitivity of each class that surely lies well below the others', the worst first."""
    # the difference to the mean of all others that have cases enough has an upper bound by MOVER (Zou and Donner 2008), from
    # Wilson's bounds of the K classes together (Bonferroni): sqrt((u_i - s_i)^2 + sum of others' (s_j - l_j)^2 / J^2) above it
    seen = np.flatnonzero(counts.support > 0)
    share, worth = counts.correct[seen] / counts.support[seen], worth_of_classes(counts, level)[seen]
    known = worth >= FEWEST
    many = known.sum() - known  # others to compare each class with
    if not many.any():
        return ()
    z = float(special.ndtri((1 + 1 - (1 - level) / seen.size) / 2))
    wide, centre = z * np.sqrt(share * (1 - share) / worth + (z / (2 * worth)) ** 2), share + z * z / (2 * worth)
    low, high = (centre - wide) / (1 + z * z / worth), (centre + wide) / (1 + z * z / worth)
    below = np.where(known, (share - low) ** 2, 0.0)
    least = np.maximum(many, 1)
    others = (share[known].sum() - np.where(known, share, 0.0)) / least
    bound = share - others + np.sqrt((high - share) ** 2 + (below.sum() - below) / least**2)
    weak = np.flatnonzero((bound < -WEAK) & (many > 0))
    order = weak[np.argsort(bound[weak], kind="stable")]
    return tuple(of_class(counts, on_counts.SENSITIVITY, int(seen[at]), level) for at in order)


def large_confusions(counts: ConfusionCounts, *, level: float = 0.95) -> tuple[Confusion, ...]:
    """Return confusions that surely take a large share of a class, the surest first; of two classes sensitivity says it."""
    # exact lower bounds (Clopper and Pearson 1934), all K (K - 1) holding together (Bonferroni): 3 of 7 do not outdo 58 of 138
    if counts.k <= _TWO:
        return ()
    rows, columns, cases = _wrong(counts)
    tail, shares = (1 - level) / (2 * counts.k * (counts.k - 1)), cases / counts.support[rows]
    low = _lowest(shares, worth_by_class(counts)[rows], tail)
    large = np.flatnonzero(low > LARGE)
    if counts.clusters is not None:  # few are large even of independent cases
        low[large] = _lowest(shares[large], worth_of_cells(counts, rows[large], columns[large], level), tail)
        large = np.flatnonzero(low > LARGE)
    order = large[np.argsort(-low[large], kind="stable")]
    return tuple(_confusion(counts, int(rows[i]), int(columns[i]), cases[i].item(), level) for i in order)


def _lowest(shares: FloatArray, n: FloatArray, tail: float) -> FloatArray:
    return np.asarray(special.betaincinv(shares * n, n - shares * n + 1, tail), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Confidence(Shown):
    """How high probabilities are on average, and how often what they speak of happened."""

    mean_probability: float
    observed: Estimate
    of: Any = None  # the class whose probabilities these are; None for the highest of each case

    @property
    def gap(self) -> float:
        """How much more is called than happens; below 0 too little is."""
        return self.mean_probability - self.observed.value

    @property
    def verdict(self) -> str:
        """What the highest of each case, or those of a class, are where they lie outside what may have happened, else ""."""
        limits = self.observed.interval
        if limits is None or limits.low <= self.mean_probability <= limits.high:
            return ""
        high, low = ("overconfident", "underconfident") if self.of is None else ("too high", "too low")
        return high if self.gap > 0 else low

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python."""
        told = {name: plain(getattr(self, name)) for name in ("mean_probability", "observed", "gap", "verdict")}
        return told if self.of is None else told | {"of": plain(self.of)}


def confidence_of(curves: Curves, counts: ConfusionCounts, of: Any = None, *, level: float = 0.95) -> Confidence | None:
    """Return whether probabilities are too high or too low on average: the highest of each case, or those of class `of`."""
    every = curves.get("reliability" if of is None else "class-reliability", {})
    reliability = next(iter(every.values()), None) if of is None else every.get(of)
    if reliability is None or reliability.size is None or not reliability.size.size:
        return None
    cases, weight = float(worth(counts)), reliability.size / reliability.size.sum()
    happened, name = min(1.0, float(weight @ reliability.y)), "accuracy" if reliability.of is None else "prevalence"
    at = None if reliability.of is None else list(counts.classes).index(reliability.of)
    known = cases * share_of_calibration(counts, at, level)
    estimate = Estimate(name, happened, share_interval(happened, known, level), reliability.of, cases=cases)
    return Confidence(float(weight @ reliability.x), estimate, reliability.of)


def skills(estimates: Mapping[str, Estimate], counts: ConfusionCounts) -> dict[str, float]:
    """Return by how much Brier score and log loss are below those of always predicting the shares of the classes."""
    # 1 is perfect, 0 no better: Murphy (1973), J. Appl. Meteorol. 12:215-223
    q = counts.support[counts.support > 0] / counts.n
    base = {"brier": float(1 - (q * q).sum()) / (_TWO if counts.k <= _TWO else 1), "log_loss": float(-(q * np.log(q)).sum())}
    losses = {name: (estimates[name].value, loss) for name, loss in base.items() if name in estimates and loss > 0}
    return {name: 1 - value / loss for name, (value, loss) in losses.items() if math.isfinite(value)}


@dataclass(frozen=True, slots=True)
class Weaknesses(Shown):
    """Where decisions and probabilities go wrong."""

    confusions: tuple[Confusion, ...]  # the largest, at most `MOST_CONFUSIONS`
    pairs_confused: int  # pairs of classes that were taken for each other at all
    weak_classes: tuple[Estimate, ...]
    large_confusions: tuple[Confusion, ...]
    confidence: Confidence | None  # whether the highest probabilities are too high or too low on average
    class_confidence: Confidence | None  # the same of the probabilities of the class of interest
    skills: dict[str, float]
    always: Any = None  # the class that every case is predicted as, where one is


def weaknesses(
    counts: ConfusionCounts, estimates: Mapping[str, Estimate], curves: Curves, of_interest: Any, *, level: float = 0.95
) -> Weaknesses:
    """Return where decisions and probabilities go wrong, and those of the class of interest, where there is one."""
    confused = largest_confusions(counts, MOST_CONFUSIONS, level=level), int(_wrong(counts)[0].size)
    surely = weak_classes(counts, level=level), large_confusions(counts, level=level)
    own = None if of_interest is None else confidence_of(curves, counts, of_interest, level=level)
    whole = confidence_of(curves, counts, level=level)
    return Weaknesses(*confused, *surely, whole, own, skills(estimates, counts), only_answer(counts))


@dataclass(frozen=True, slots=True, eq=False)
class RareClass(Shown):
    """What is found of a class, and what would be at another threshold."""

    of: Any
    cases: float
    share: float  # of all cases
    found: float
    sensitivity: Estimate
    precision: Estimate
    threshold: float | None  # from which the class is predicted now; None where the decisions follow no threshold that is known
    instead: Operating | None = None  # what that of largest sensitivity + specificity does; None where it adds little


def rare_class(counts: ConfusionCounts, thresholds: Thresholds | None, positive: Any, *, level: float = 0.95) -> RareClass | None:
    """Return what is found of the class to speak of, where it is rare or mostly missed; of equal classes of two the worse."""
    label = subject(counts, positive)
    if label is None and not (counts.k == _TWO and np.all(counts.support > 0)):
        return None
    at = int(np.argmin(counts.correct / counts.support)) if label is None else list(counts.classes).index(label)
    if not counts.support[at] or not counts.k > 1 or not counts.predicted.sum():
        return None
    sensitivity = of_class(counts, on_counts.SENSITIVITY, at, level)
    mostly = sensitivity.interval is not None and sensitivity.interval.high < MOSTLY
    if not (mostly or is_rare(counts, at)):
        return None
    cases, precision = counts.support[at].item(), of_class(counts, on_counts.PRECISION, at, level)
    seen = (counts.classes[at], cases, cases / float(counts.n), counts.correct[at].item())
    return RareClass(*seen, sensitivity, precision, *_thresholds(thresholds, counts, at))


def _thresholds(thresholds: Thresholds | None, counts: ConfusionCounts, at: int) -> tuple[float | None, Operating | None]:
    """Return the threshold that decides as was decided, and what the one of largest sensitivity + specificity does."""
    label = counts.classes[at]
    if thresholds is None or label not in thresholds.tables:
        return None, None
    table = thresholds.table(label)
    used = _EVEN if table.probable and thresholds.classes == _TWO else None
    if label == thresholds.of and thresholds.in_use is not None:
        used = thresholds.in_use
    own = (counts.correct[at], counts.predicted[at] - counts.correct[at])
    if used is not None and own != tuple(side[table.place(used)] for side in (table.found, table.alarms)):
        used = None
    rates = table.found / table.cases - table.alarms / table.others
    best = int(np.argmax(rates))
    adds = float(rates[best]) - float(own[0] / table.cases - own[1] / table.others)
    every, few = not 0 < best < len(rates) - 1, min(table.worth) < FEW_OF_A_CLASS  # calling nobody, or everybody, is no advice
    return used, None if few or every or adds < NOTABLE else thresholds.at(float(table.thresholds[best]), of=label)


def rare_findings(counts: ConfusionCounts, positive: Any, confidence: Confidence | None) -> Iterator[Finding]:
    """Yield that the class to speak of is rare, and that its probabilities are too high or too low on average."""
    label = subject(counts, positive)
    if label is None:
        return
    at = list(counts.classes).index(label)
    if is_rare(counts, at):
        part = float(counts.support[at] / counts.n)
        told = f"Class {quoted(label)} is rare, {percent(part)} of the cases: the accuracy says little about it."
        yield Finding("A209", told, "Read its sensitivity and precision, and choose a threshold by what errors cost.", part)
    if confidence is not None and confidence.verdict:
        told = f"The predicted probabilities of class {quoted(label)} are {confidence.verdict} on average."
        yield Finding("A306", told, "Recalibrate them, or choose a threshold on cases like those in use.", confidence.gap)
