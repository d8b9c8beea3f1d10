"""Where decisions and probabilities go wrong: what a reader should worry about, where there is evidence for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge._base.show import Shown
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.curves import Curve
from adjudge.estimates.estimate import Estimate, Interval, of_class, share_interval
from adjudge.metrics import on_counts

FEWEST_ALIKE = 5
"""Cases of one confusion below which it is no habit."""
_LEAST_SHARE = 0.05  # of all errors, for a confusion to stand out
_TWO = 2


@dataclass(frozen=True, slots=True)
class Confusion(Shown):
    """Cases of one class that were taken for another."""

    truth: Any
    decided: Any
    cases: float
    share: float
    """Of the cases truly of the class."""
    interval: Interval | None
    of_errors: float
    """Of all wrong decisions."""


def largest_confusions(counts: ConfusionCounts, most: int, *, level: float = 0.95) -> tuple[Confusion, ...]:
    """Return the confusions of most cases, the largest first; of equal ones the class with fewer cases first.

    >>> [(c.truth, c.decided, c.cases) for c in largest_confusions(ConfusionCounts([[4, 1], [3, 7]], ("a", "b")), 9)]
    [('b', 'a', 3), ('a', 'b', 1)]
    """
    rows, columns, cases = _wrong(counts)
    support, total = counts.support, float(cases.sum())
    worth = counts.effective_support if isinstance(counts, WeightedCounts) else support
    order = np.lexsort((columns, rows, support[rows], -cases))[:most]
    found = []
    for i, j, n in zip(rows[order].tolist(), columns[order].tolist(), cases[order].tolist(), strict=True):
        share = n / float(support[i])
        limits = share_interval(share, float(worth[i]), level)
        found.append(Confusion(counts.classes[i], counts.classes[j], n, share, limits, n / total))
    return tuple(found)


def confusions_in_all(counts: ConfusionCounts) -> int:
    """Return how many pairs of classes were taken for each other at all."""
    return int(_wrong(counts)[0].size)


def _wrong(counts: ConfusionCounts) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the true class, the decision and the cases of every wrong cell that is not empty."""
    if isinstance(counts.cells, np.ndarray):
        rows, columns = np.nonzero(counts.cells)
        cases = counts.cells[rows, columns]
    else:
        (rows, columns), cases = counts.cells.coords, counts.cells.data
    wrong = (rows != columns) & (columns < counts.k) & (cases > 0)
    return rows[wrong], columns[wrong], cases[wrong]


def habit(counts: ConfusionCounts, *, level: float = 0.95) -> Confusion | None:
    """Return the commonest confusion where it stands out among the errors; of two classes there is none to tell apart."""
    first = largest_confusions(counts, 1, level=level) if counts.k > _TWO else ()
    stands_out = bool(first) and first[0].cases >= FEWEST_ALIKE and first[0].of_errors >= _LEAST_SHARE
    return first[0] if stands_out else None


def worst_class(counts: ConfusionCounts, *, level: float = 0.95) -> Estimate | None:
    r"""Return the sensitivity of the class that surely lies below the mean of all, or None.

    Of K classes some look poor by chance, so the upper limits are Wilson's at :math:`1 - (1 - level) / K`: all of them hold
    together (Bonferroni). The class with the lowest one is the worst, if that is below the balanced accuracy.
    """
    from scipy.special import ndtri

    cases = counts.effective_support if isinstance(counts, WeightedCounts) else counts.support
    seen = np.flatnonzero(counts.support > 0)
    if seen.size < _TWO:
        return None
    n, share = np.asarray(cases, dtype=np.float64)[seen], counts.correct[seen] / counts.support[seen]
    z = float(ndtri(1 - (1 - level) / (2 * seen.size)))
    high = (share + z * z / (2 * n) + z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)) / (1 + z * z / n)
    at = int(np.argmin(high))
    return of_class(counts, on_counts.SENSITIVITY, int(seen[at]), level) if high[at] < share.mean() else None


@dataclass(frozen=True, slots=True)
class Confidence(Shown):
    """How high the highest probabilities are on average, and how often their classes were right."""

    called: float
    happened: Estimate

    @property
    def gap(self) -> float:
        """How much more is called than happens; below 0 too little is."""
        return self.called - self.happened.value

    @property
    def verdict(self) -> str:
        """Return "overconfident" or "underconfident" where what is called lies outside what may have happened, else ""."""
        limits = self.happened.interval
        if limits is None or limits.low <= self.called <= limits.high:
            return ""
        return "overconfident" if self.gap > 0 else "underconfident"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python."""
        return {"called": self.called, "happened": self.happened.to_dict(), "gap": self.gap, "verdict": self.verdict}


def confidence(reliability: Curve, cases: float, *, level: float = 0.95) -> Confidence | None:
    """Return whether probabilities are too high or too low on average, from the points of their reliability.

    Right decisions vary less around given probabilities than a binomial number does, so the limits are on the safe side.
    """
    if reliability.size is None or not reliability.size.size:
        return None
    weight = reliability.size / reliability.size.sum()
    happened = min(1.0, float(weight @ reliability.y))
    limits = share_interval(happened, cases, level)
    return Confidence(float(weight @ reliability.x), Estimate("accuracy", happened, limits, cases=cases))


def confidence_of(
    curves: Mapping[str, Mapping[Any, Curve]], counts: ConfusionCounts, *, level: float = 0.95
) -> Confidence | None:
    """Return the same from the curves of an evaluation, where they hold the reliability of the highest probability."""
    found = list(curves.get("reliability", {}).values())
    cases = counts.effective_n if isinstance(counts, WeightedCounts) else float(counts.n)
    return confidence(found[0], cases, level=level) if found else None


def skills(estimates: Mapping[str, Estimate], counts: ConfusionCounts) -> dict[str, float]:
    r"""Return by how much Brier score and log loss are below those of always answering the shares of the classes.

    With shares q those are :math:`1 - \sum q^2` (half that for two classes) and :math:`-\sum q \log q`; 1 is perfect, 0 no
    better. Murphy (1973), J. Appl. Meteorol. 12:215-223.
    """
    q = counts.support[counts.support > 0] / counts.n
    brier = float(1 - (q * q).sum()) / (_TWO if counts.k <= _TWO else 1)
    base = {"brier": brier, "log_loss": float(-(q * np.log(q)).sum())}
    found = {name: (estimates[name].value, loss) for name, loss in base.items() if name in estimates and loss > 0}
    return {name: 1 - value / loss for name, (value, loss) in found.items() if math.isfinite(value)}
