r"""Far tails of a sum of rates, to full relative accuracy.

Tilting every density by :math:`e^{\theta w y}` moves the centre of the sum to the point in question:

.. math:: P(X > x) = e^{-\theta x} \prod_k E e^{\theta w_k A_k} \int_x^\infty e^{-\theta (y - x)}\, g(y)\, dy,
          \qquad \sum_k w_k m_k(\theta) = x ,

where g is the density of the tilted sum. The integral is an ordinary number; what is small is known in logs.
Daniels (1954), Ann. Math. Stat. 25:631-650, with the integral in place of his expansion.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from adjudge.stats.engines import Engine, engine
from adjudge.stats.offsets import DROP, Rates, tilted, tilted_centre
from adjudge.stats.series import rule

_LEAST = 1e-16
"""Share of the gap by which a point differs from the mean if it differs at all."""


def log_upper_tail(plain: Rates, gap: float) -> float:
    """Return log P(X > x) for one row and x above the mean, `gap` below the greatest possible sum."""
    if gap <= 0:
        return -math.inf
    slope = _slope(plain, gap)
    moved, height = tilted(plain, np.array([[slope]]))
    law = engine(moved)
    offset = float((moved.weight * moved.rest).sum()) - gap
    return float(height.sum()) - slope * offset + math.log(_discounted(law, offset, slope))


def _discounted(law: Engine, start: float, slope: float) -> float:
    r"""Return :math:`\int_x^\infty e^{-\theta (y-x)} g(y)\, dy`, by parts: densities may be infinite, tails are not.

    With G the mass of g above a point it is :math:`\int_0^\infty \theta e^{-\theta s} (G(x) - G(x + s))\, ds`.
    """
    stop = min(float(law.high[0]), start + DROP / slope)
    marks = law.marks[0]
    ends = np.concatenate([[start], marks[(marks > start) & (marks < stop)], [stop]])
    s, rest, weight = rule(1.0)
    here = float(law.sf(np.array([[start]]))[0, 0])
    total = here * math.exp(-slope * (stop - start))
    for low, high in pairwise(ends):
        x = np.where(s < rest, low + (high - low) * s, high - (high - low) * rest)
        passed = here - law.sf(x[None])[0]
        total += slope * (high - low) * float((passed * np.exp(-slope * (x - start))) @ weight)
    return total


def _slope(plain: Rates, gap: float) -> float:
    """Return the tilt that centres the sum at `gap` below its greatest value."""
    from scipy.optimize import brentq

    def miss(log_slope: float) -> float:
        _, rest = tilted_centre(plain, np.array([[math.exp(log_slope)]]))
        return math.log(float((plain.weight * rest).sum()) / gap)

    # w rest <= b / theta, and the centre moves by at most w^2 / (a + b) per unit of theta
    large = math.log(2 * float(plain.b.sum())) - math.log(gap)
    moved = float((plain.weight * plain.rest).sum()) - gap
    small = math.log(max(moved, _LEAST * gap) / 2 / float((plain.weight**2 / (plain.a + plain.b)).sum()))
    if miss(small) <= 0:  # the gap is that of the mean, to rounding
        return math.exp(small)
    return math.exp(brentq(miss, small, large, xtol=1e-13))
