"""The geometry of posterior densities, for the page and for matplotlib alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.estimates.posterior import Posterior

_POINTS = 240
_FAR = 1e-4  # how much of a law lies beyond either end of its drawing


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """One law: its density, the limits to shade, and its middle."""

    name: str
    colour: int
    x: FloatArray
    y: FloatArray
    low: float
    high: float
    median: float

    @property
    def shaded(self) -> tuple[FloatArray, FloatArray]:
        """The part of the curve between the limits."""
        inside = (self.x >= self.low) & (self.x <= self.high)
        return self.x[inside], self.y[inside]


@dataclass(frozen=True, slots=True, eq=False)
class DensitySet:
    """Densities on one axis, with the values they are read against."""

    densities: tuple[Density, ...]
    start: float
    stop: float
    top: float
    level: float
    marks: tuple[tuple[str, float], ...] = ()
    """Names and values of what to compare with, such as chance."""

    @property
    def shown_marks(self) -> tuple[tuple[str, float], ...]:
        """The marks that lie within the picture."""
        return tuple((name, value) for name, value in self.marks if self.start <= value <= self.stop)


def density_set(posteriors: Sequence[Posterior], level: float = 0.95, marks: Sequence[tuple[str, float]] = ()) -> DensitySet:
    """Return densities over the range where they lie; marks not far outside widen it."""
    ends = [(float(p.law.ppf(_FAR)), float(p.law.isf(_FAR))) for p in posteriors]
    start, stop = min(low for low, _ in ends), max(high for _, high in ends)
    near = [value for _, value in marks if start - (stop - start) <= value <= stop + (stop - start)]
    start, stop = min([start, *near]), max([stop, *near])
    bounds = [p.law.support for p in posteriors]
    pad = 0.06 * (stop - start)
    start, stop = max(start - pad, min(low for low, _ in bounds)), min(stop + pad, max(high for _, high in bounds))
    drawn = tuple(_density(p, i, end, level) for i, (p, end) in enumerate(zip(posteriors, ends, strict=True)))
    return DensitySet(drawn, start, stop, max(float(d.y.max()) for d in drawn) * 1.16, level, tuple(marks))


def _density(posterior: Posterior, colour: int, ends: tuple[float, float], level: float) -> Density:
    low, high = posterior.law.interval(level)
    inner = np.linspace(*ends, _POINTS)
    x = np.unique(np.concatenate([inner, [low, high]]))
    y = np.asarray(posterior.pdf(x))
    y = np.where(np.isfinite(y), y, np.nanmax(y[np.isfinite(y)]))
    return Density(posterior.quantity.replace("_", " "), colour, x, y, low, high, posterior.median)
