"""Top-k accuracy: how often the true class is among the k classes of highest probability.

Classes of equal probability share their places alike, as in a random order, so that the order of the classes changes nothing.
Clusters count as for the accuracy.
With k = 1 that is the accuracy of the highest probability, where ties are settled by chance.
"""

from __future__ import annotations

import numpy as np

from adjudge._base import Shown, dataclass
from adjudge.counts.tally import Tally
from adjudge.estimates.clustered import effective
from adjudge.estimates.estimate import Interval, share_interval, worth
from adjudge.metrics.on_counts import ACCURACY

FEWEST = 3  # classes for which places tell more than the accuracy


@dataclass(frozen=True, slots=True)
class TopK(Shown):
    """How often the true class is among the k most probable ones, and how often it is among the k commonest ones."""

    k: int
    share: float
    interval: Interval
    commonest: float  # what always naming the k commonest classes comes to


def top_k_of(tally: Tally, level: float, method: str) -> tuple[TopK, ...]:
    """Return the top-k accuracy for k from 1 to at most 20; nothing without probabilities of three classes or more."""
    sums, counts = tally.probabilities, tally.confusion
    if sums is None or sums.places.size < FEWEST or not sums.weight:
        return ()
    shares = np.minimum(np.cumsum(sums.places) / sums.weight, 1.0)
    commonest, n = np.cumsum(np.sort(counts.support)[::-1]) / counts.n, worth(effective(counts, ACCURACY, level=level))
    told = []
    for at, each in enumerate(shares.tolist()):
        every = at + 1 == counts.k  # among all classes there is the true one, whatever the cases
        limits = Interval(1.0, 1.0, level, "by definition") if every else share_interval(each, n, level, method)
        assert limits is not None
        told.append(TopK(at + 1, 1.0 if every else each, limits, float(commonest[min(at, counts.k - 1)])))
    return tuple(told)
