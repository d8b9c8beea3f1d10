"""The law of the difference of two independent rates or sums of rates."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.stats.beta import BetaLaw
from adjudge.stats.betasum import SumLaw, beta_sum
from adjudge.stats.law import Law
from adjudge.stats.moved import MovedBeta


def difference_law(x: Law, y: Law) -> Law:
    r"""Return the law of X - Y, so that its `sf(0)` is P(X > Y).

    Since :math:`-w A = w (1 - A) - w`, the difference is again a sum of rates: those of X, those of Y mirrored, and a
    shift. `x` and `y` must be independent: two models judged on the same cases are not.

    >>> round(difference_law(BetaLaw(31, 11), BetaLaw(26, 16)).sf(0), 6)
    0.882426
    """
    a, b, weights, shift = _parts(x)
    b_y, a_y, weights_y, shift_y = _parts(y)
    moved = shift - shift_y - float(weights_y.sum())
    return beta_sum(np.concatenate([a, a_y]), np.concatenate([b, b_y]), np.concatenate([weights, weights_y]), moved)


def _parts(law: Law) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return the parameters of the rates, their weights and the shift."""
    if isinstance(law, SumLaw):
        return law.a, law.b, law.weights, law.shift
    if isinstance(law, MovedBeta):
        return np.array([law.rate.a]), np.array([law.rate.b]), np.array([law.scale]), law.shift
    if isinstance(law, BetaLaw):
        return np.array([law.a]), np.array([law.b]), np.ones(1), 0.0
    msg = f"difference_law takes a BetaLaw or what beta_sum returns, got {type(law).__name__}."
    raise InputError(msg)
