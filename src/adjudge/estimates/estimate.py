"""An estimate: a measure's value, the interval of shares and their means, and what to know before believing either."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjudge._base import Finding, Shown, Undefined, counted, dataclass, plain, quoted, safe
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.clustered import effective
from adjudge.metrics.averages import value
from adjudge.metrics.measure import ClassMeasure, Measure, against_rest
from adjudge.metrics.on_counts import ACCURACY
from adjudge.stats import binomial, mover
from adjudge.stats.mover import DIAGONALS, RECALLS

TIMES = 2  # standard errors on either side
_ALL = (0, 1, 2, 3)
_TWO = 2
MANY = 10  # recalls from which on the pull of every recall's prior no longer averages out
Limits = tuple[float, float]
ShareLimits = Callable[[float, float, float], Limits]
Part = tuple[tuple[int, ...], tuple[int, ...]]  # cells that are a share of cells; those of a table are counted along its rows
_BY_ROWS: tuple[Part, Part, Part] = (((0,), (0, 1)), ((3,), (2, 3)), ((0, 1), _ALL))
_BY_COLUMNS: tuple[Part, Part, Part] = (((0,), (0, 2)), ((3,), (1, 3)), ((0, 2), _ALL))
_BY_DIAGONALS: tuple[Part, Part, Part] = (((0,), (0, 3)), ((1,), (1, 2)), ((0, 3), _ALL))
_ROUNDED = 1e-13  # of the cases: what summing up may leave of a whole number
FEW_FOR_NORMAL = 30
_LEAST_SPREAD = 5


@dataclass(frozen=True, slots=True)
class Interval(Shown):
    """Two limits, how often such limits hold the truth, and the method that says so."""

    low: float
    high: float
    level: float
    method: str
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as plain Python, with findings where there are some."""
        whole: dict[str, Any] = plain({"low": self.low, "high": self.high, "level": self.level, "method": self.method})
        return whole | ({"findings": plain(self.findings)} if self.findings else {})

    def __repr__(self) -> str:
        return f"{self.low:.6g} to {self.high:.6g} ({100 * self.level:.6g}%, {safe(self.method)})"


@dataclass(frozen=True, slots=True)
class Estimate(Shown):
    """A measure's value on these cases, with its interval where there is one."""

    measure: str
    value: float
    interval: Interval | None = None
    of: Any = None  # the class it speaks of, if one
    average: str | None = None
    cases: float | None = None  # how many cases the value is a share of

    @property
    def reason(self) -> str | None:
        """Why there is no value, if there is none."""
        return self.value.reason if isinstance(self.value, Undefined) else None

    def __repr__(self) -> str:
        of = "" if self.of is None else f" of {quoted(self.of)}"
        value = repr(self.value) if isinstance(self.value, Undefined) else f"{self.value:.6g}"
        return f"{safe(self.measure)}{of} {value}" + ("" if self.interval is None else f", {self.interval!r}")


OF_SHARE: dict[str, ShareLimits] = {  # methods for a plain share of cases
    "midp": binomial.midp,
    "clopper-pearson": binomial.clopper_pearson,
    "wilson": binomial.wilson,
    "jeffreys": binomial.jeffreys,
    "wald": binomial.wald,
    # a lower and an upper bound, each of which holds by itself (Langford 2005)
    "tail-inversion": lambda hits, n, level: (
        binomial.lower_tail_inversion(hits, n, 1 - level),
        binomial.upper_tail_inversion(hits, n, 1 - level),
    ),
}


def of_accuracy(counts: ConfusionCounts, measure: Measure, level: float = 0.95, method: str = "default") -> Estimate:
    """Return accuracy, error or rejection rate with the limits of a proportion."""
    share, n = value(measure, counts), worth(effective(counts, measure, level=level))
    return Estimate(measure.name, share, share_interval(share, n, level, method), cases=worth(counts))


def of_class(counts: ConfusionCounts, measure: ClassMeasure, at: int, level: float = 0.95, method: str = "default") -> Estimate:
    """Return a measure of one class, with limits where it is a plain share of cases."""
    label = counts.classes[at]
    share = value(measure, counts, positive=label)
    if not measure.plain or isinstance(share, Undefined):
        return Estimate(measure.name, share, of=label)
    hits, n = share_of_class(measure, effective(counts, measure, at=at, level=level), at)
    return Estimate(
        measure.name, share, limits_of_share(hits, n, level, method), of=label, cases=share_of_class(measure, counts, at)[1]
    )


def share_interval(share: float, n: float, level: float, method: str = "default") -> Interval | None:
    """Return the limits of a share of `n` cases, None where it has no value."""
    if np.isnan(share):
        return None
    hits, whole = share * n, np.rint(share * n)
    # of whole cases the limits are the same, however the share was summed up
    return limits_of_share(float(whole) if abs(hits - whole) <= _ROUNDED * n else hits, n, level, method)


def limits_of_share(hits: float, n: float, level: float, method: str) -> Interval:
    """Return the limits of so many of `n` by a method for shares; by mid-P, whose worst coverage is best, for any other."""
    method, share = method if method in OF_SHARE else "midp", hits / n if n else 0.0
    (low, high), spread = OF_SHARE[method](hits, n, level), n * share * (1 - share)
    doubts: tuple[Finding, ...] = ()
    if method == "wald" and (n < FEW_FOR_NORMAL or spread < _LEAST_SPREAD):  # Mitchell (1997), section 5.2.2
        ends = binomial.clopper_pearson(hits, n, level)
        told = f"The normal approximation wants n >= {FEW_FOR_NORMAL} and n e (1 - e) >= {_LEAST_SPREAD}; here n is {n:g} and "
        told += f"n e (1 - e) {spread:.3g}.{' It has no width, which is no certainty.' if share in (0, 1) else ''}"
        doubts = (Finding("A504", told, f"The exact (Clopper-Pearson) bounds are {ends[0]:.4g} to {ends[1]:.4g}.", spread),)
    return Interval(max(low, 0.0), min(high, 1.0), level, method, doubts)


def dense(cells: Any) -> AnyArray:
    """Return the cells of a table as an array, those of a sparse one filled in."""
    return cells if isinstance(cells, np.ndarray) else np.asarray(cells.toarray())


def worth(counts: ConfusionCounts) -> float:
    """Return how many cases there are; of weighted ones, how many equal ones they are worth."""
    return counts.effective_n if isinstance(counts, WeightedCounts) else counts.n


def worth_by_class(counts: ConfusionCounts) -> FloatArray:
    """Return the same of every class."""
    return np.asarray(counts.effective_support if isinstance(counts, WeightedCounts) else counts.support, dtype=np.float64)


def effective_cells(counts: ConfusionCounts) -> AnyArray:
    """Return the table; the weighted cases of a class as so many as they are worth."""
    if not isinstance(counts, WeightedCounts):
        return dense(counts.cells)
    worth = np.divide(counts.effective_support, counts.support, out=np.zeros(counts.k), where=counts.support > 0)
    return np.asarray(dense(counts.cells) * worth[:, None])


def shares_by_class(measure: ClassMeasure, counts: ConfusionCounts) -> tuple[FloatArray, FloatArray]:
    """Return so many of so many cases for every class: the shares that a measure of one class is, in cases they are worth."""
    hits, cases = (np.asarray(part, dtype=np.float64) for part in measure.parts(against_rest(counts)))
    if not isinstance(counts, WeightedCounts):
        return hits, cases
    squares = measure.parts(against_rest(WeightedCounts(counts.squares, counts.classes, squares=counts.squares)))[1]
    worth = np.divide(cases, squares, out=np.zeros(counts.k), where=np.asarray(squares) > 0)
    return hits * worth, cases * worth


def share_of_class(measure: ClassMeasure, counts: ConfusionCounts, at: int) -> tuple[float, float]:
    """Return that share of one class."""
    hits, cases = shares_by_class(measure, counts)
    return float(hits[at]), float(cases[at])


def share_of_table(name: str, counts: ConfusionCounts) -> tuple[float, float]:
    """Return so many of all cases: right, wrong or rejected ones."""
    right, none = float(counts.correct.sum()), float(counts.rejected.sum())
    hits = {"accuracy": right, "error": float(counts.n) - right - none, "rejection_rate": none}[name]
    each = worth(counts) / counts.n if isinstance(counts, WeightedCounts) else 1.0
    return hits * each, float(counts.n) * each


@dataclass(frozen=True, slots=True)
class Conventional(Shown):
    """A mean, its standard error, and what that was taken over, such as "140 cases" or "10 folds"."""

    value: float
    error: float
    over: str

    @property
    def low(self) -> float:
        """Two standard errors below, not clipped."""
        return self.value - TIMES * self.error

    @property
    def high(self) -> float:
        """Two standard errors above, even where that is more than everything."""
        return self.value + TIMES * self.error


def over_cases(counts: ConfusionCounts) -> Conventional:
    r"""Return :math:`p \pm 2 \sqrt{p (1 - p) / n}`.

    >>> accuracy = over_cases(ConfusionCounts([[69, 1], [1, 69]]))
    >>> round(accuracy.value, 5), round(accuracy.error, 5), round(accuracy.high, 5)
    (0.98571, 0.01003, 1.00577)
    """
    n, share = worth(effective(counts, ACCURACY)), float(counts.correct.sum() / counts.n)
    over = counted(round(n), "case" if counts.clusters is None else "effective case")
    return Conventional(share, math.sqrt(share * (1 - share) / n), over)


def over_folds(folds: Sequence[ConfusionCounts]) -> Conventional:
    r"""Return the mean of k fold accuracies :math:`\pm 2 s / \sqrt k`, with s their standard deviation."""
    each = np.array([float(fold.correct.sum() / fold.n) for fold in folds if fold.n])
    spread = float(each.std(ddof=1)) if each.size > 1 else math.nan
    return Conventional(float(each.mean()), spread / math.sqrt(each.size), counted(each.size, "fold"))


OF_TWO: dict[str, mover.OfCells] = {"mcc": mover.mcc, "kappa": mover.kappa}  # measures that have such an interval


def is_two_by_two(counts: ConfusionCounts) -> bool:
    """Return whether the table has two classes and no rejected case."""
    return counts.k == _TWO and not counts.rejected.any()


def joint_limits(counts: ConfusionCounts, name: str, level: float, *, exact: bool) -> Limits:
    """Return the extremes of MCC or kappa over mid-P limits of the shares by rows and columns; `exact` ones by diagonals too."""
    limits = OF_SHARE["tail-inversion" if exact else "midp"]
    by_margins = [_shares(counts, parts, level, limits) for parts in (_BY_ROWS, _BY_COLUMNS)]
    ends = [mover.extremes(OF_TWO[name], RECALLS, *np.stack(by_margins, axis=-1))]
    if exact:
        by_diagonals = _shares(counts, _BY_DIAGONALS, level, limits)[..., np.newaxis]
        ends.append(mover.extremes(OF_TWO[name], DIAGONALS, *by_diagonals))
    return float(min(low.min() for low, _ in ends)), float(max(high.max() for _, high in ends))


def _shares(counts: ConfusionCounts, parts: tuple[Part, ...], level: float, limits: ShareLimits) -> FloatArray:
    """Return value, lower and upper limit (rows) of every share (columns); weighted cases as many as they are worth."""
    cells = np.asarray(counts.cells[:, :_TWO], dtype=np.float64).ravel()
    squares = np.asarray(counts.squares[:, :_TWO]).ravel() if isinstance(counts, WeightedCounts) else cells
    shares = []
    for hits, cases in parts:
        whole, hit = float(cells[list(cases)].sum()), float(cells[list(hits)].sum())
        share, size = (hit / whole, whole * (whole / float(squares[list(cases)].sum()))) if whole else (0.5, 0.0)
        shares.append((share, *limits(share * size, size, level)))
    return np.array(shares).T


def _jeffreys(correct: FloatArray, support: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    low, high = np.array([binomial.jeffreys(c, n, level) for c, n in zip(correct, support, strict=True)]).T
    return low, high


OF_RECALLS: dict[str, Callable[[FloatArray, FloatArray, float, FloatArray], Limits]] = {
    "mover-jeffreys": lambda right, n, level, weights: mover.mover(right / n, *_jeffreys(right, n, level), weights),
    "unbiased-centre": mover.unbiased_centre,
}


def usual(recalls: int) -> str:
    """Return the method found to cover for the mean of so many recalls."""
    return "mover-jeffreys" if recalls < MANY else "unbiased-centre"


def mean_recall_limits(
    correct: FloatArray, support: FloatArray, level: float, method: str, weights: FloatArray | None = None
) -> Limits:
    """Return limits within [0, 1]; every recall has a case, and weighs as much as another unless `weights` say otherwise."""
    share = np.full(support.size, 1 / support.size) if weights is None else weights
    low, high = OF_RECALLS[method](correct, support, level, share)
    return max(low, 0.0), min(high, 1.0)


def geometric_limits(correct: FloatArray, support: FloatArray, level: float) -> Limits:
    """Return limits for the geometric mean of recalls: MOVER on the logarithms of their Jeffreys limits."""
    # a recall of 0, which has no logarithm, stands in the upper limit as half a right decision of one case more
    each = _jeffreys(correct, support, level)
    shares = np.where(correct > 0, correct / support, np.minimum(0.5 / (support + 1), each[1]))
    with np.errstate(divide="ignore"):
        lows, highs = np.log(each[0]), np.log(each[1])
    low, high = mover.mover(np.log(shares), lows, highs, np.full(support.size, 1 / support.size))
    return float(np.exp(low)), min(float(np.exp(high)), 1.0)
