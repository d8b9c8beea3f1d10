"""How an estimate and its spread move with the share of cases kept for testing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.show import Shown


@dataclass(frozen=True, slots=True, eq=False)
class Share(Shown):
    """Random splits that all test the same share of the cases."""

    share: float
    cases: int
    """How many cases each split tests."""
    values: FloatArray
    """What each split found."""
    failures: tuple[str, ...] = ()
    """Why splits have no value."""

    @property
    def mean(self) -> float:
        """The mean over the splits: falls short of what all cases would teach, the more the larger the share."""
        return float(self.values.mean())

    @property
    def spread(self) -> float:
        """The standard deviation over the splits: how far off a single holdout may be."""
        return float(self.values.std(ddof=1))

    @property
    def middle(self) -> tuple[float, float]:
        """The limits between which half of the splits fall."""
        low, high = np.quantile(self.values, (0.25, 0.75))
        return float(low), float(high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeOff(Shown):
    """The estimate and its spread by the share kept for testing, in the order asked for."""

    learner: str
    measure: str
    shares: tuple[Share, ...]
    seed: int

    def __repr__(self) -> str:
        head = f"{self.learner}: {self.measure} by share kept for testing"
        rows = (f"  {s.share:6.1%} ({s.cases:,} cases)  {s.mean:.4f} +- {s.spread:.4f}" for s in self.shares)
        return "\n".join([head, *rows])
