"""The mixture of classes in cases that are gone through and never held."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.counts.moments import Moments, Passes
from adjudge.stats.priors import Mixture, Point

_REMEMBERED = 8  # curvatures; the one asked for is of one of the last points


class PassedMixture:
    """Cases of an unknown mixture of classes, as :class:`adjudge.stats.priors.Mixture` has them; every point is one pass.

    The curvature costs no pass of its own: it is summed beside the likelihood and the slope, since a pass is dear and
    a step asks for all three.
    """

    def __init__(self, passes: Passes, moments: Moments, scale: FloatArray) -> None:
        self.passes, self.scale = passes, scale
        self.size, self.k, self.cells = moments.size, scale.size, moments.cases * scale.size
        self._curvatures: dict[bytes, FloatArray] = {}

    def at(self, shares: FloatArray) -> Point:
        """Return the log-likelihood of `shares` and its slope."""
        found = self.passes.densities(self.scale * shares)
        self._remember(shares, found.second * np.outer(self.scale, self.scale) / self.size)
        return Point(shares, found.log, self.scale * found.first / self.size)

    def _remember(self, shares: FloatArray, curvature: FloatArray) -> None:
        self._curvatures[shares.tobytes()] = curvature
        if len(self._curvatures) > _REMEMBERED:
            del self._curvatures[next(iter(self._curvatures))]

    def curvature(self, shares: FloatArray) -> FloatArray:
        """Return minus the second derivative of the mean log-likelihood."""
        if shares.tobytes() not in self._curvatures:
            self.at(shares)
        return self._curvatures[shares.tobytes()]


def held_mixture(passes: Passes, scale: FloatArray) -> Mixture:
    """Return the same with all cases at hand, for those that are few."""
    p, weight = passes.held()
    return Mixture(p, scale, np.ones(len(p)) if weight is None else weight)
