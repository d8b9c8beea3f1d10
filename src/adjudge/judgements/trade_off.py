"""How an estimate and its spread move with the share of cases kept for testing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.show import Shown
from adjudge._base.text import counted
from adjudge._base.undefined import Undefined


@dataclass(frozen=True, slots=True, eq=False)
class Share(Shown):
    """Random splits that all test the same share of the cases."""

    share: float
    cases: int
    """How many cases each split tests."""
    values: FloatArray
    """What each split found."""
    failures: tuple[str, ...] = ()
    """Why splits failed."""
    reason: str = ""
    """Why the measure has no value in some split that did answer."""

    @property
    def mean(self) -> float:
        """The mean over the splits: falls short of what all cases would teach, the more the larger the share."""
        unknown = self._unknown()
        return float(self.values.mean()) if unknown is None else unknown

    @property
    def spread(self) -> float:
        """The standard deviation over the splits: how far off a single holdout may be."""
        if self.values.size < 2:  # noqa: PLR2004 - one split has no spread
            return Undefined("fewer than two splits answered")
        if np.isinf(self.values).any():
            return Undefined("the measure is infinite in some split")
        unknown = self._unknown()
        return float(self.values.std(ddof=1)) if unknown is None else unknown

    @property
    def middle(self) -> tuple[float, float]:
        """The limits between which half of the splits fall."""
        if (unknown := self._unknown()) is not None:
            return unknown, unknown
        low, high = np.quantile(self.values, (0.25, 0.75), method="linear" if np.isfinite(self.values).all() else "nearest")
        return float(low), float(high)

    def _unknown(self) -> Undefined | None:
        """Say why there is no value; None where every split has one."""
        lost = int(np.isnan(self.values).sum())
        if not lost and self.values.size:
            return None
        why = f": {self.reason}" if self.reason else ""
        return Undefined(f"it has no value in {lost} of {counted(self.values.size, 'split')}{why}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeOff(Shown):
    """The estimate and its spread by the share kept for testing, in the order asked for."""

    learner: str
    measure: str
    shares: tuple[Share, ...]
    seed: int

    def __repr__(self) -> str:
        head = f"{self.learner}: {self.measure} by share kept for testing"
        return "\n".join([head, *(f"  {s.share:6.1%} ({counted(s.cases, 'case')})  {_told(s)}" for s in self.shares)])


def _told(share: Share) -> str:
    mean, spread = share.mean, share.spread
    return repr(mean) if isinstance(mean, Undefined) else f"{mean:.4f} +- {spread:.4f}"
