"""Cumulative gain and lift: how much of a class is found in the cases with the highest scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base import Shown, dataclass
from adjudge._base.arrays import FloatArray, frozen
from adjudge.judgements.curves import ThresholdTable
from adjudge.stats.bands import Band, share_band

DEPTHS = (0.01, 0.05, 0.1, 0.2)
"""The shares of the cases at which lift is told."""
_GRID = 200  # shares of the cases at which the interval is worked out


@dataclass(frozen=True, slots=True)
class Lift(Shown):
    """What is found in a share of the cases, those with the highest scores: of the class, and how many times its prevalence."""

    taken: float
    found: float
    low: float
    high: float

    @property
    def lift(self) -> float:
        """How many times more of the class there is among the cases taken than among all."""
        return self.found / self.taken

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the lift, from that of the share found."""
        return self.low / self.taken, self.high / self.taken


@dataclass(frozen=True, slots=True, eq=False)
class Gains(Shown):
    """The share of a class found against the share of the cases taken, in order of falling score.

    Between points the line is straight: cases of equal score come in random order, and that is what is found of them on average.
    """

    of: Any
    taken: FloatArray
    found: FloatArray
    prevalence: float
    level: float
    band: Band
    """Wilson's interval of the share found at each share taken."""
    lifts: tuple[Lift, ...]
    _untold = ("band",)

    def __post_init__(self) -> None:
        for name in ("taken", "found"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def at(self, taken: FloatArray | float) -> FloatArray:
        """Return the share of the class found in shares of the cases."""
        return np.asarray(np.interp(taken, self.taken, self.found))


def gains_of(table: ThresholdTable, level: float = 0.95) -> Gains:
    """Return the gains of the class that a table of thresholds is of."""
    taken, found = (table.found + table.alarms) / (table.cases + table.others), table.found / table.cases
    grid = np.union1d(np.arange(_GRID + 1) / _GRID, DEPTHS)
    shares = np.interp(grid, taken, found)
    band = share_band(grid, shares * table.worth[0], np.full(grid.size, table.worth[0]), level)
    places = np.searchsorted(grid, DEPTHS).tolist()
    lifts = (Lift(float(grid[i]), float(shares[i]), float(band.low[i, 1]), float(band.high[i, 1])) for i in places)
    return Gains(table.of, taken, found, table.prevalence, level, band, tuple(lifts))
